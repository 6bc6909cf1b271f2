/* Maps as images: a rasteriser for dots and strokes, and the PNG format.
 *
 * Everything drawn is a set of pixels within a distance of a point or of a line. A pixel is covered
 * by radius - distance + 1/2, limited to 0 .. 1, which is smooth at edges. Text is strokes
 * (letters.h), first in the colour of the background, wider, so that it stands out from the points.
 *
 * Memory: 3 bytes per pixel, as much again for the file, and a float per pixel of the widest label.
 */
#include "map/letters.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

static const double halo = 1.6;   /* pixels */
enum { CURVE = 8, ELLIPSE = 24 }; /* lines of a curve and of an ellipse */

typedef struct canvas {
    size_t width, height;
    unsigned char *pixels; /* height x (1 + 3 width): each row begins with its filter */
    float *distance;       /* of the current label: its box */
    int64_t left, top;     /* of the box */
    size_t across, down;
} canvas;

static void blend(canvas *c, int64_t x, int64_t y, uint32_t colour, double cover)
{
    if (x < 0 || y < 0 || x >= (int64_t)c->width || y >= (int64_t)c->height || cover <= 0)
        return;
    unsigned char *pixel = c->pixels + (size_t)y * (1 + 3 * c->width) + 1 + 3 * (size_t)x;
    for (int k = 0; k < 3; k++) {
        double to = (double)(colour >> (16 - 8 * k) & 255);
        pixel[k] = (unsigned char)lround(pixel[k] + (to - pixel[k]) * cover);
    }
}

static double limited(double cover)
{
    return cover < 0 ? 0 : cover > 1 ? 1 : cover;
}

static void draw_dot(canvas *c, double x, double y, double radius, uint32_t colour, double opacity)
{
    int64_t reach = (int64_t)ceil(radius + 1);
    /* Dots that are smaller than a pixel are fainter instead. */
    double faint = radius < 0.5 ? 4 * radius * radius : 1, drawn = radius < 0.5 ? 0.5 : radius;
    for (int64_t py = (int64_t)floor(y) - reach; py <= (int64_t)floor(y) + reach; py++)
        for (int64_t px = (int64_t)floor(x) - reach; px <= (int64_t)floor(x) + reach; px++) {
            double away = hypot((double)px + 0.5 - x, (double)py + 0.5 - y);
            blend(c, px, py, colour, opacity * faint * limited(drawn - away + 0.5));
        }
}

/* ---- Strokes ------------------------------------------------------------------------------------------ */

/* Lowers the distances of the pixels of the box to a line. */
static void add_line(canvas *c, double x0, double y0, double x1, double y1, double reach)
{
    double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    double least_x = fmin(x0, x1) - reach, most_x = fmax(x0, x1) + reach;
    double least_y = fmin(y0, y1) - reach, most_y = fmax(y0, y1) + reach;
    for (size_t row = 0; row < c->down; row++) {
        double y = (double)(c->top + (int64_t)row) + 0.5;
        if (y < least_y || y > most_y)
            continue;
        for (size_t column = 0; column < c->across; column++) {
            double x = (double)(c->left + (int64_t)column) + 0.5;
            if (x < least_x || x > most_x)
                continue;
            double along = square > 0 ? ((x - x0) * dx + (y - y0) * dy) / square : 0;
            along = limited(along);
            float away = (float)hypot(x - x0 - along * dx, y - y0 - along * dy);
            float *here = &c->distance[row * c->across + column];
            *here = away < *here ? away : *here;
        }
    }
}

typedef struct pen {
    canvas *c;
    double x, y; /* where it is */
    double reach;
} pen;

static void line_to(pen *p, double x, double y)
{
    add_line(p->c, p->x, p->y, x, y, p->reach);
    p->x = x;
    p->y = y;
}

static psdvec_status draw_stroke(void *user, const pv_stroke *stroke)
{
    const double degree = 3.14159265358979323846 / 180, *v = stroke->v;
    pen *p = user;
    double x = p->x, y = p->y;
    switch (stroke->command) {
    case 'm':
        p->x = v[0];
        p->y = v[1];
        break;
    case 'q':
        for (int k = 1; k <= CURVE; k++) {
            double t = (double)k / CURVE, a = (1 - t) * (1 - t), b = 2 * t * (1 - t);
            line_to(p, a * x + b * v[0] + t * t * v[2], a * y + b * v[1] + t * t * v[3]);
        }
        break;
    case 'a':
        for (int k = 0, steps = (int)ceil((v[5] - v[4]) / 360 * ELLIPSE); k <= steps; k++) {
            double angle = (v[4] + (v[5] - v[4]) * k / steps) * degree;
            double to_x = v[0] + v[2] * cos(angle), to_y = v[1] - v[3] * sin(angle);
            if (k == 0) {
                p->x = to_x;
                p->y = to_y;
            } else
                line_to(p, to_x, to_y);
        }
        break;
    default:
        line_to(p, v[0], v[1]);
    }
    return PSDVEC_OK;
}

static void draw_text(canvas *c, const pv_drawn_label *label, uint32_t colour, uint32_t background)
{
    double half = pv_letters_stroke(label) / 2;
    pen p = {.c = c, .reach = half + halo + 1};
    c->left = (int64_t)floor(label->x - 2);
    c->top = (int64_t)floor(label->y - label->size * 1.05);
    c->across = (size_t)ceil(label->width) + 5;
    c->down = (size_t)ceil(label->size * 1.4) + 2;
    for (size_t k = 0; k < c->across * c->down; k++)
        c->distance[k] = INFINITY;
    (void)pv_letters_draw(label, draw_stroke, &p); /* strokes cannot fail */
    for (size_t row = 0; row < c->down; row++)
        for (size_t column = 0; column < c->across; column++) {
            double away = (double)c->distance[row * c->across + column];
            int64_t px = c->left + (int64_t)column, py = c->top + (int64_t)row;
            blend(c, px, py, background, 0.9 * limited(half + halo - away + 0.5));
            blend(c, px, py, colour, limited(half - away + 0.5));
        }
}

/* ---- The format ------------------------------------------------------------------------------------------ */

static void put_number(unsigned char *to, uint32_t number)
{
    for (int k = 0; k < 4; k++)
        to[k] = (unsigned char)(number >> (24 - 8 * k));
}

static psdvec_status add_chunk(pv_buffer *to, const char *type, const unsigned char *data,
                               size_t length)
{
    unsigned char number[4];
    uLong sum = crc32(crc32(0, NULL, 0), (const unsigned char *)type, 4);
    if (length > 0)
        sum = crc32_z(sum, data, length);
    put_number(number, (uint32_t)length);
    PV_TRY(pv_buffer_append(to, number, 4));
    PV_TRY(pv_buffer_append(to, type, 4));
    PV_TRY(pv_buffer_append(to, data, length));
    put_number(number, (uint32_t)sum);
    return pv_buffer_append(to, number, 4);
}

/* Replaces pixels by their differences from those above, which compress better; from the last row
 * up. */
static void filter_rows(canvas *c)
{
    size_t stride = 1 + 3 * c->width;
    for (size_t row = c->height; row-- > 1;) {
        unsigned char *here = c->pixels + row * stride, *above = here - stride;
        here[0] = 2;
        for (size_t k = 1; k < stride; k++)
            here[k] = (unsigned char)(here[k] - above[k]);
    }
}

static psdvec_status write_png(psdvec_context *ctx, canvas *c, pv_scope *scope, pv_buffer *to)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    unsigned char header[13] = {[8] = 8, [9] = 2}; /* 8 bits, RGB */
    uLong length = (uLong)(c->height * (1 + 3 * c->width));
    uLongf packed = compressBound(length);
    unsigned char *data;
    PV_TAKE(scope, data, packed);
    PV_TRY(pv_scope_status(scope));
    filter_rows(c);
    if (compress2(data, &packed, c->pixels, length, 6) != Z_OK)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "no memory to compress the image");
    put_number(header, (uint32_t)c->width);
    put_number(header + 4, (uint32_t)c->height);
    PV_TRY(pv_buffer_append(to, signature, sizeof signature));
    PV_TRY(add_chunk(to, "IHDR", header, sizeof header));
    PV_TRY(add_chunk(to, "IDAT", data, packed));
    return add_chunk(to, "IEND", NULL, 0);
}

/* The number of labels with characters that are drawn as rectangles. */
static size_t unknown_labels(const pv_drawing *d)
{
    size_t count = 0;
    for (size_t k = 0; k < d->label_count; k++)
        count += !pv_letters_known(d->labels[k].text, d->labels[k].length);
    return count;
}

psdvec_status pv_map_png(psdvec_context *ctx, const pv_drawing *d, pv_buffer *to)
{
    pv_scope scope = {.ctx = ctx, .what = "the image"};
    canvas c = {.width = (size_t)d->width, .height = (size_t)d->height};
    size_t stride = 1 + 3 * c.width, largest = 1, unknown = unknown_labels(d);
    psdvec_status status;
    for (size_t k = 0; k < d->label_count; k++) {
        size_t box = ((size_t)ceil(d->labels[k].width) + 5) *
                     ((size_t)ceil(d->labels[k].size * 1.4) + 2);
        largest = box > largest ? box : largest;
    }
    PV_TAKE(&scope, c.pixels, c.height * stride);
    PV_TAKE(&scope, c.distance, largest);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t row = 0; row < c.height; row++) {
        unsigned char *here = c.pixels + row * stride;
        here[0] = 0;
        for (size_t k = 0; k < 3 * c.width; k++)
            here[1 + k] = (unsigned char)(d->background >> (16 - 8 * (k % 3)));
    }
    for (uint32_t colour = 0; colour < d->colour_count; colour++)
        for (size_t i = 0; i < d->count; i++)
            if (d->colour[i] == colour)
                draw_dot(&c, (double)d->points[2 * i], (double)d->points[2 * i + 1],
                         d->point_size / 2, d->colours[colour], d->opacity);
    PV_TRY_DONE(pv_check_cancel(ctx));
    for (size_t k = 0; k < d->label_count; k++) {
        const pv_drawn_label *label = &d->labels[k];
        bool legend = k >= d->label_count - d->legend;
        if (legend)
            draw_dot(&c, label->x - 0.9 * label->size, label->y - 0.35 * label->size,
                     0.35 * label->size, label->colour, 1);
        draw_text(&c, label, legend ? d->text : label->colour, d->background);
    }
    if (unknown)
        pv_warn(
            ctx,
            "%zu labels have characters that images cannot show; SVG files can show all of them",
            unknown);
    PV_TRY_DONE(pv_check_cancel(ctx));
    status = write_png(ctx, &c, &scope, to);
done:
    pv_scope_free(&scope);
    return status;
}
