/* Maps as vector graphics.
 *
 * The points of a colour are one path with a round dot per point, which is several times smaller
 * than a circle element per point. Labels are paths, from the letters of PNG images, so that the
 * picture looks the same everywhere. The text itself is drawn over them, invisible, so that it can be
 * searched, selected and copied. A label with characters that the program has no letters for, such as
 * Chinese, is visible text instead; `textLength` makes it as wide as the arrangement assumes, whatever
 * the font. */
#include "map/letters.h"

#include <math.h>
#include <string.h>

static const double halo = 1.6; /* pixels */

double pv_map_svg_width(const char *text, size_t length, bool bold)
{
    double sum = 0;
    if (pv_letters_known(text, length))
        return pv_letters_width(text, length, bold);
    for (size_t at = 0; at < length;) {
        uint32_t c = pv_drawing_character(text, length, &at);
        pv_letter letter = pv_letter_of(c);
        bool wide = c >= 0x1100 && c != 0xFFFD; /* of East Asia, mostly */
        sum += letter.known ? letter.width : wide ? 100 : 60;
    }
    return sum / 100;
}

static psdvec_status add_escaped(pv_buffer *to, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t from = at;
        uint32_t c = pv_drawing_character(text, length, &at);
        const char *instead = c == '<'      ? "&lt;"
                              : c == '>'    ? "&gt;"
                              : c == '&'    ? "&amp;"
                              : c == 0xFFFD ? "\xef\xbf\xbd"
                                            : NULL;
        PV_TRY(instead ? pv_buffer_text(to, instead)
                       : pv_buffer_append(to, text + from, at - from));
    }
    return PSDVEC_OK;
}

static psdvec_status add_points(pv_buffer *to, const pv_drawing *d, uint32_t colour)
{
    bool any = false;
    for (size_t i = 0; i < d->count; i++) {
        if (d->colour[i] != colour)
            continue;
        if (!any)
            PV_TRY(pv_buffer_printf(to, "<path stroke=\"#%06x\" d=\"", d->colours[colour]));
        any = true;
        PV_TRY(pv_buffer_printf(to, "M%.1f %.1fh0", (double)d->points[2 * i],
                                (double)d->points[2 * i + 1]));
    }
    return any ? pv_buffer_text(to, "\"/>\n") : PSDVEC_OK;
}

/* A stroke of a letter as commands of a path. */
static psdvec_status add_stroke(void *user, const pv_stroke *stroke)
{
    const double degree = 3.14159265358979323846 / 180, *v = stroke->v;
    pv_buffer *to = user;
    if (stroke->command == 'q')
        return pv_buffer_printf(to, "Q%.2f %.2f %.2f %.2f", v[0], v[1], v[2], v[3]);
    if (stroke->command != 'a')
        return pv_buffer_printf(to, "%c%.2f %.2f", stroke->command == 'm' ? 'M' : 'L', v[0], v[1]);
    PV_TRY(pv_buffer_printf(to, "M%.2f %.2f", v[0] + v[2] * cos(v[4] * degree),
                            v[1] - v[3] * sin(v[4] * degree)));
    for (int half = 1; half <= 2; half++) { /* a whole ellipse needs two arcs */
        double angle = (v[4] + (v[5] - v[4]) * half / 2) * degree;
        PV_TRY(pv_buffer_printf(to, "A%.2f %.2f 0 0 0 %.2f %.2f", v[2], v[3],
                                v[0] + v[2] * cos(angle), v[1] - v[3] * sin(angle)));
    }
    return PSDVEC_OK;
}

/* The path inherits the colour of the halo, and its copy that of the label. */
static psdvec_status add_label(pv_buffer *to, const pv_drawn_label *label, uint32_t colour,
                               uint32_t background, size_t number)
{
    bool known = pv_letters_known(label->text, label->length);
    double width = pv_letters_stroke(label);
    if (known) {
        PV_TRY(pv_buffer_printf(
            to, "<g stroke=\"#%06x\" stroke-width=\"%.2f\"><path id=\"label%zu\" d=\"", background,
            width + 2 * halo, number));
        PV_TRY(pv_letters_draw(label, add_stroke, to));
        PV_TRY(pv_buffer_printf(
            to, "\"/></g><use href=\"#label%zu\" stroke=\"#%06x\" stroke-width=\"%.2f\"/>\n",
            number, colour, width));
    }
    PV_TRY(pv_buffer_printf(to,
                            "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" textLength=\"%.1f\" "
                            "lengthAdjust=\"spacingAndGlyphs\"",
                            label->x, label->y, label->size, label->width));
    if (!known)
        PV_TRY(pv_buffer_printf(
            to, "%s fill=\"#%06x\" stroke=\"#%06x\" stroke-width=\"%.2f\" paint-order=\"stroke\"",
            label->bold ? " font-weight=\"bold\"" : "", colour, background, 2 * halo));
    PV_TRY(pv_buffer_text(to, ">"));
    PV_TRY(add_escaped(to, label->text, label->length));
    return pv_buffer_text(to, "</text>\n");
}

psdvec_status pv_map_svg(psdvec_context *ctx, const pv_drawing *d, pv_buffer *to)
{
    PV_TRY(pv_buffer_printf(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 "
        "%.0f %.0f\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n"
        "<g fill=\"none\" stroke-linecap=\"round\" stroke-width=\"%.2f\" stroke-opacity=\"%.2f\">\n",
        d->width, d->height, d->width, d->height, d->background, d->point_size, d->opacity));
    for (uint32_t colour = 0; colour < d->colour_count; colour++) {
        PV_TRY(add_points(to, d, colour));
        PV_TRY(pv_check_cancel(ctx));
    }
    PV_TRY(pv_buffer_text(
        to, "</g>\n<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" "
            "pointer-events=\"all\">\n"));
    for (size_t k = 0; k < d->label_count; k++) {
        const pv_drawn_label *label = &d->labels[k];
        bool legend = k >= d->label_count - d->legend;
        if (legend)
            PV_TRY(pv_buffer_printf(to,
                                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%06x\"/>\n",
                                    label->x - 0.9 * label->size, label->y - 0.35 * label->size,
                                    0.35 * label->size, label->colour));
        PV_TRY(add_label(to, label, legend ? d->text : label->colour, d->background, k));
    }
    return pv_buffer_text(to, "</g>\n</svg>\n");
}
