/* Arranges a picture of a map: where the points are, their colours, and the labels.
 *
 * Labels are placed greedily: those of the words of groups, then those of the map by level, then the
 * words in the order of the map. Each is tried at several positions around its point, and left out if
 * it would overlap another label or the edge. Pictures with few points prefer positions that cover
 * fewer of them.
 *
 * Time: labels x candidates.
 */
#include "map/letters.h"

#include "base/arguments.h"
#include "base/file.h"
#include "map/options.h"
#include "model/find.h"
#include "util/utf8.h"

#include <math.h>
#include <string.h>

enum {
    PALETTE = 12,
    RAMP = 10,         /* colours of frequencies */
    FEW_POINTS = 3000, /* points of a picture whose labels avoid points */
    MOST_GROUPS = 1000,
    MOST_GROUPS_FILE = 1 << 26
};

static const double margin = 0.04; /* of the shorter side */

/* Hues of equal lightness, which are far apart in the order of the list. */
static const uint32_t palette[2][PALETTE] = {
    {0x498de2, 0xc2611e, 0x3ba45a, 0xc6556c, 0xa770cd, 0x9c7d00, 0x00a5af, 0xbb5894, 0x789b26,
     0x7173d4, 0xc37900, 0x009b7b},
    {0x6eadfe, 0xe0834b, 0x65c27c, 0xe4788b, 0xc592ea, 0xb99d21, 0x00c3cc, 0xd97ab2, 0x97b954,
     0x8f94f0, 0xe19a3d, 0x00b99a}};
/* The same for text, which needs more contrast. */
static const uint32_t text_palette[2][PALETTE] = {
    {0x17559b, 0x7e2d00, 0x00682a, 0x81223a, 0x6b3c8a, 0x614700, 0x006871, 0x78255a, 0x456000,
     0x3f3d8e, 0x814400, 0x005f46},
    {0x9eceff, 0xf2ab83, 0x9bdda8, 0xf6a3af, 0xdfb9fc, 0xd2bd70, 0x72dee4, 0xeda4cc, 0xbcd68e,
     0xb1b7fd, 0xf5bf81, 0x71d3ba}};
static const uint32_t grey[2] = {0xc9ccd1, 0x4d525b}, plain[2] = {0x498de2, 0x6eadfe},
                      background[2] = {0xffffff, 0x14171c}, text_colour[2] = {0x2b2f36, 0xe6e8eb};
/* From rare to frequent. */
static const uint32_t ramp_ends[2][5] = {{0xd5dbe6, 0x8db4dd, 0x3f7fc4, 0x6a3d9a, 0xb3123f},
                                         {0x39414f, 0x3f6ea5, 0x4fa3c7, 0xb8c46a, 0xffe08a}};

typedef struct placed_box {
    double left, top, right, bottom;
} placed_box;

typedef struct arranger {
    psdvec_context *ctx;
    const psdvec_map *map;
    psdvec_drawing_options options;
    pv_text_width_fn *width;
    pv_drawing *d;
    pv_scope temp;
    placed_box *boxes;
    size_t most;     /* labels */
    uint32_t *group; /* of each word of the map; NULL: none; UINT32_MAX: of no group */
    uint32_t groups;
    size_t *group_name; /* where the name of each group begins in d->names */
    uint32_t *text_of;  /* of each point: colour of its label */
    bool *labelled;     /* of each point */
} arranger;

uint32_t pv_drawing_character(const char *text, size_t length, size_t *at)
{
    const unsigned char *p = (const unsigned char *)text;
    uint32_t c = 0xFFFD;
    int used = pv_utf8_decode(p + *at, p + length, &c);
    *at += (size_t)(used < 0 ? -used : used);
    return used < 0 || c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF ? 0xFFFD
                                                                                         : c;
}

/* ---- Groups ------------------------------------------------------------------------------------------- */

/* The number of a group with this name, a new one if there is none. */
static psdvec_status group_of(arranger *a, const char *name, size_t length, uint32_t *group)
{
    pv_buffer *names = &a->d->names;
    for (*group = 0; *group < a->groups; (*group)++) {
        const char *other = names->data + a->group_name[*group];
        if (strlen(other) == length && memcmp(other, name, length) == 0)
            return PSDVEC_OK;
    }
    if (a->groups == MOST_GROUPS)
        return pv_fail(a->ctx, PSDVEC_ERR_FORMAT, "%s: has more than %d groups", a->options.groups,
                       (int)MOST_GROUPS);
    a->group_name[a->groups++] = names->length;
    PV_TRY(pv_buffer_append(names, name, length));
    return pv_buffer_byte(names, '\0');
}

static psdvec_status read_groups(arranger *a, const pv_map *file, uint32_t *place_of)
{
    const char *at = (const char *)file->data, *end = at + file->size;
    pv_buffer form = {.ctx = a->ctx};
    psdvec_status status = PSDVEC_OK;
    size_t line = 1, unknown = 0, known = 0;
    for (; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        const char *next = newline ? newline + 1 : end;
        while (stop > at && (stop[-1] == '\r' || stop[-1] == ' '))
            stop--;
        const char *tab = memchr(at, '\t', (size_t)(stop - at));
        if (stop == at) {
            at = next;
            continue;
        }
        if (!tab || tab == at || tab + 1 == stop) {
            status = pv_fail(a->ctx, PSDVEC_ERR_FORMAT,
                             "%s: line %zu: expected a word, a tab and the name of a group",
                             a->options.groups, line);
            break;
        }
        uint32_t word, group;
        PV_TRY_DONE(pv_model_find_forms(a->ctx, a->map->model, at, (size_t)(tab - at),
                                        a->map->model->info.words, &form, &word));
        PV_TRY_DONE(group_of(a, tab + 1, (size_t)(stop - tab - 1), &group));
        if (word == PSDVEC_UNKNOWN_WORD || place_of[word] == UINT32_MAX) {
            unknown++;
        } else {
            a->group[place_of[word]] = group;
            known++;
        }
        at = next;
    }
    if (status == PSDVEC_OK && known == 0)
        status =
            pv_fail(a->ctx, PSDVEC_ERR_FORMAT, "%s: has no word of the map", a->options.groups);
    if (status == PSDVEC_OK && unknown > 0)
        pv_warn(a->ctx, "%s: %zu of %zu words are not on the map", a->options.groups, unknown,
                unknown + known);
done:
    pv_buffer_free(&form);
    return status;
}

static psdvec_status take_groups(arranger *a)
{
    uint32_t n = a->map->info.words, words = a->map->model->info.words;
    pv_scope temp = {.ctx = a->ctx, .what = "the groups of words"};
    pv_map file = {0};
    uint32_t *place_of;
    psdvec_status status;
    PV_TAKE(&temp, place_of, words);
    PV_TAKE(&a->temp, a->group, n);
    PV_TAKE(&a->temp, a->group_name, MOST_GROUPS);
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(pv_scope_status(&a->temp));
    for (uint32_t k = 0; k < words; k++)
        place_of[k] = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        a->group[k] = UINT32_MAX;
        place_of[a->map->words[k]] = k;
    }
    PV_TRY_DONE(pv_map_open(a->ctx, a->options.groups, false, &file));
    if (file.size > MOST_GROUPS_FILE)
        status = pv_fail(a->ctx, PSDVEC_ERR_FORMAT, "%s: is larger than %d MiB", a->options.groups,
                         (int)MOST_GROUPS_FILE >> 20);
    else
        status = read_groups(a, &file, place_of);
done:
    pv_map_close(a->ctx, &file);
    pv_scope_free(&temp);
    return status;
}

/* ---- Colours ------------------------------------------------------------------------------------------ */

static uint32_t mix(uint32_t a, uint32_t b, double share)
{
    uint32_t mixed = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        double x = (double)(a >> shift & 255), y = (double)(b >> shift & 255);
        mixed |= (uint32_t)lround(x + (y - x) * share) << shift;
    }
    return mixed;
}

/* Gives each cluster one of the colours: that whose clusters are farthest from it. */
static psdvec_status colour_clusters(arranger *a)
{
    const psdvec_map *map = a->map;
    uint32_t clusters = map->info.clusters, n = map->info.words;
    pv_scope temp = {.ctx = a->ctx, .what = "the colours of the map"};
    double *centres;
    uint32_t *sizes, *chosen;
    psdvec_status status;
    PV_TAKE_ZERO(&temp, centres, 2 * (size_t)clusters);
    PV_TAKE_ZERO(&temp, sizes, clusters);
    PV_TAKE(&temp, chosen, clusters);
    PV_TRY_DONE(pv_scope_status(&temp));
    for (size_t i = 0; i < n; i++) {
        size_t c = map->clusters[i];
        if (c == PSDVEC_NO_CLUSTER)
            continue;
        sizes[c]++;
        centres[2 * c] += (double)map->points[2 * i];
        centres[2 * c + 1] += (double)map->points[2 * i + 1];
    }
    for (size_t c = 0; c < clusters; c++) {
        double nearest[PALETTE];
        uint32_t best = 0;
        centres[2 * c] /= sizes[c];
        centres[2 * c + 1] /= sizes[c];
        for (size_t k = 0; k < PALETTE; k++)
            nearest[k] = INFINITY;
        for (size_t e = 0; e < c; e++)
            nearest[chosen[e]] = fmin(
                nearest[chosen[e]],
                hypot(centres[2 * c] - centres[2 * e], centres[2 * c + 1] - centres[2 * e + 1]));
        for (uint32_t k = 1; k < PALETTE; k++)
            best = nearest[k] > nearest[best] ? k : best;
        chosen[c] = best;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = map->clusters[i];
        a->d->colour[i] = c == PSDVEC_NO_CLUSTER ? 0 : 1 + chosen[c];
        a->text_of[i] = c == PSDVEC_NO_CLUSTER ? text_colour[a->options.dark]
                                               : text_palette[a->options.dark][chosen[c]];
    }
done:
    pv_scope_free(&temp);
    return status;
}

static void colour_frequencies(arranger *a)
{
    const psdvec_map *map = a->map;
    double all = log1p(map->model->info.words);
    for (uint32_t k = 0; k < RAMP; k++) {
        double at = 4.0 * k / (RAMP - 1);
        int end = at < 3 ? (int)at : 3;
        const uint32_t *ends = ramp_ends[a->options.dark];
        a->d->colours[k] = mix(ends[end], ends[end + 1], at - end);
    }
    a->d->colour_count = RAMP;
    for (uint32_t i = 0; i < map->info.words; i++) {
        double rarity = log1p(map->words[i]) / all;
        uint32_t step = (uint32_t)((1 - rarity) * RAMP * 1.6);
        a->d->colour[i] = step < RAMP ? step : RAMP - 1;
        a->text_of[i] = text_colour[a->options.dark];
    }
}

static psdvec_status choose_colours(arranger *a)
{
    pv_drawing *d = a->d;
    int dark = a->options.dark;
    PV_TAKE(&d->scope, d->colours, 1 + PALETTE);
    PV_TAKE_ZERO(&d->scope, d->colour, d->count);
    PV_TAKE(&a->temp, a->text_of, d->count);
    PV_TRY(pv_scope_status(&d->scope));
    PV_TRY(pv_scope_status(&a->temp));
    d->background = background[dark];
    d->text = text_colour[dark];
    d->colours[0] = grey[dark];
    memcpy(d->colours + 1, palette[dark], sizeof palette[dark]);
    d->colour_count = 1 + PALETTE;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t group = a->group ? a->group[i] : UINT32_MAX;
        a->text_of[i] = group == UINT32_MAX ? text_colour[dark]
                                            : text_palette[dark][group % PALETTE];
        d->colour[i] = group == UINT32_MAX ? 0 : 1 + group % PALETTE;
    }
    if (a->group)
        return PSDVEC_OK;
    if (a->options.colour == PSDVEC_COLOUR_FREQUENCY)
        colour_frequencies(a);
    else if (a->options.colour == PSDVEC_COLOUR_CLUSTER)
        return colour_clusters(a);
    else
        d->colours[0] = plain[dark];
    return PSDVEC_OK;
}

/* ---- Points ------------------------------------------------------------------------------------------- */

static void place_points(arranger *a)
{
    pv_drawing *d = a->d;
    const float *core = a->map->core;
    double edge = margin * fmin(d->width, d->height);
    double left = (double)core[0], top = (double)core[1];
    double across = (double)core[2] - left, down = (double)core[3] - top;
    double scale = fmin(across > 0 ? (d->width - 2 * edge) / across : INFINITY,
                        down > 0 ? (d->height - 2 * edge) / down : INFINITY);
    scale = isfinite(scale) ? scale : 0;
    double x = d->width / 2 - scale * (left + across / 2);
    double y = d->height / 2 - scale * (top + down / 2);
    for (size_t i = 0; i < d->count; i++) {
        d->points[2 * i] = (float)(x + scale * (double)a->map->points[2 * i]);
        d->points[2 * i + 1] = (float)(y + scale * (double)a->map->points[2 * i + 1]);
    }
    double automatic = 0.7 * sqrt(d->width * d->height * 0.4 / d->count);
    automatic = automatic < 1.3 ? 1.3 : automatic > 7 ? 7 : automatic;
    d->point_size = a->options.point_size > 0 ? a->options.point_size : automatic;
    d->opacity = d->count > FEW_POINTS ? 0.55 : 0.8;
}

/* ---- Labels ------------------------------------------------------------------------------------------- */

static bool is_free(const arranger *a, const placed_box *box)
{
    if (box->left < 2 || box->top < 2 || box->right > a->d->width - 2 ||
        box->bottom > a->d->height - 2)
        return false;
    for (size_t k = 0; k < a->d->label_count; k++) {
        const placed_box *other = &a->boxes[k];
        if (box->left < other->right && other->left < box->right && box->top < other->bottom &&
            other->top < box->bottom)
            return false;
    }
    return true;
}

/* How many points are in the box. */
static size_t covered(const arranger *a, const placed_box *box)
{
    size_t count = 0;
    for (size_t i = 0; a->d->count <= FEW_POINTS && i < a->d->count; i++) {
        double x = (double)a->d->points[2 * i], y = (double)a->d->points[2 * i + 1];
        count += x > box->left && x < box->right && y > box->top && y < box->bottom;
    }
    return count;
}

static void add_label(arranger *a, pv_drawn_label label, const placed_box *box)
{
    a->boxes[a->d->label_count] = *box;
    a->d->labels[a->d->label_count++] = label;
}

/* Tries to place the label of a word; `centred`: first across its point. */
static void try_label(arranger *a, uint32_t place, double size, bool bold, bool centred)
{
    /* The left end and the middle line of the text, in units of its width and half its height,
     * from a point `gap` away in the given direction. */
    static const double positions[][4] = {
        {-0.5, 0, 0, 0},   {0, 0, 1, 0},         {-1, 0, -1, 0},
        {-0.5, -1, 0, -1}, {-0.5, 1, 0, 1},      {0, -1, 0.6, -0.4},
        {0, 1, 0.6, 0.4},  {-1, -1, -0.6, -0.4}, {-1, 1, -0.6, 0.4}};
    const size_t position_count = sizeof positions / sizeof *positions;
    const psdvec_map *map = a->map;
    pv_drawn_label label = {.size = size, .bold = bold, .colour = a->text_of[place]};
    if (a->d->label_count >= a->most || a->labelled[place])
        return;
    label.text = psdvec_model_form(map->model, map->words[place], &label.length);
    label.width = size * a->width(label.text, label.length, bold);
    double x = (double)a->d->points[2 * (size_t)place];
    double y = (double)a->d->points[2 * (size_t)place + 1], half = 0.58 * size;
    double gap = a->d->point_size / 2 + 0.15 * size;
    size_t least = SIZE_MAX;
    placed_box best = {0};
    for (size_t k = centred ? 0 : 1; k < position_count && least > 0; k++) {
        const double *p = positions[k];
        double left = x + p[0] * label.width + p[2] * gap, middle = y + p[1] * half + p[3] * gap;
        placed_box box = {left - 0.1 * size, middle - half, left + label.width + 0.1 * size,
                          middle + half};
        if (!is_free(a, &box))
            continue;
        size_t count = centred && k == 0 ? 0 : covered(a, &box);
        if (count < least) {
            least = count;
            best = box;
        }
    }
    if (least == SIZE_MAX)
        return;
    label.x = best.left + 0.1 * size;
    label.y = (best.top + best.bottom) / 2 + 0.34 * size;
    a->labelled[place] = true;
    add_label(a, label, &best);
}

/* Lines in the upper left corner; they are placed first and come last in the list. */
static void add_legend(arranger *a)
{
    double size = 1.1 * a->options.font_size, x = 1.2 * size, y = x;
    pv_drawing *d = a->d;
    size_t ramp = !a->group && a->options.colour == PSDVEC_COLOUR_FREQUENCY ? 2 : 0;
    for (uint32_t k = 0; k < (a->group ? a->groups : ramp) && y + 1.5 * size < d->height; k++) {
        pv_drawn_label label = {.x = x + size, .size = size};
        label.text = ramp ? (k ? "frequent words" : "rare words")
                          : d->names.data + a->group_name[k];
        label.colour = ramp ? d->colours[k ? RAMP - 1 : 0] : palette[a->options.dark][k % PALETTE];
        label.length = strlen(label.text);
        label.width = size * a->width(label.text, label.length, false);
        label.y = y + 0.9 * size;
        placed_box box = {x - size / 2, y, label.x + label.width, y + 1.4 * size};
        add_label(a, label, &box);
        y += 1.4 * size;
    }
    d->legend = d->label_count;
}

static psdvec_status place_labels(arranger *a)
{
    pv_drawing *d = a->d;
    const psdvec_map *map = a->map;
    double size = a->options.font_size;
    size_t room = (a->options.labels < d->count ? a->options.labels : d->count) + MOST_GROUPS + 2;
    PV_TAKE(&d->scope, d->labels, room);
    PV_TAKE(&a->temp, a->boxes, room);
    PV_TAKE_ZERO(&a->temp, a->labelled, d->count);
    PV_TRY(pv_scope_status(&d->scope));
    PV_TRY(pv_scope_status(&a->temp));
    a->most = SIZE_MAX;
    add_legend(a);
    a->most = d->legend + a->options.labels;
    for (uint32_t i = 0; a->group && i < d->count; i++)
        if (a->group[i] != UINT32_MAX)
            try_label(a, i, size, false, false);
    bool large = !a->group && d->count > FEW_POINTS / 10;
    for (uint32_t k = 0; k < map->info.labels; k++) {
        uint32_t level = map->labels[k].level;
        double scale = !large || level > 1 ? 1 : level == 0 ? 1.6 : 1.25;
        try_label(a, map->labels[k].place, scale * size, large && level < 2, large && level < 2);
    }
    for (uint32_t i = 0; i < d->count && d->label_count < a->most; i++) {
        try_label(a, i, size, false, false);
        if (i % 1024 == 0)
            PV_TRY(pv_check_cancel(a->ctx));
    }
    return PSDVEC_OK;
}

/* Moves the legend to the end of the list. */
static void rotate_legend(pv_drawing *d)
{
    for (size_t pass = 0; pass < 3; pass++) { /* reverse both parts, then all */
        size_t first = pass == 1 ? d->legend : 0;
        size_t end = pass == 0 ? d->legend : d->label_count;
        for (; first + 1 < end; first++, end--) {
            pv_drawn_label swap = d->labels[first];
            d->labels[first] = d->labels[end - 1];
            d->labels[end - 1] = swap;
        }
    }
}

psdvec_status pv_drawing_make(psdvec_context *ctx, const psdvec_map *map,
                              const psdvec_drawing_options *options, pv_text_width_fn *width,
                              pv_drawing *drawing)
{
    arranger a = {.ctx = ctx,
                  .map = map,
                  .options = *options,
                  .width = width,
                  .d = drawing,
                  .temp = {.ctx = ctx, .what = "the picture"}};
    psdvec_status status;
    *drawing = (pv_drawing){.scope = {.ctx = ctx, .what = "the picture"},
                            .width = options->width,
                            .height = options->height,
                            .count = map->info.words,
                            .names = {.ctx = ctx}};
    PV_TAKE(&drawing->scope, drawing->points, 2 * (size_t)drawing->count);
    PV_TRY_DONE(pv_scope_status(&drawing->scope));
    place_points(&a);
    if (options->groups)
        PV_TRY_DONE(take_groups(&a));
    PV_TRY_DONE(choose_colours(&a));
    PV_TRY_DONE(place_labels(&a));
    rotate_legend(drawing);
done:
    pv_scope_free(&a.temp);
    return status;
}

void pv_drawing_free(pv_drawing *drawing)
{
    pv_buffer_free(&drawing->names);
    pv_scope_free(&drawing->scope);
}

/* ---- Files -------------------------------------------------------------------------------------------- */

bool psdvec_map_format_of(const char *path, psdvec_map_format *format)
{
    static const psdvec_map_format formats[] = {PSDVEC_MAP_SVG, PSDVEC_MAP_PNG, PSDVEC_MAP_TSV};
    const char *dot = path ? strrchr(path, '.') : NULL;
    for (size_t k = 0; dot && !strchr(dot, '/') && k < sizeof formats / sizeof *formats; k++)
        if (!strcmp(dot + 1, pv_map_format_choices[formats[k]].name)) {
            if (format)
                *format = formats[k];
            return true;
        }
    return false;
}

static psdvec_status draw(psdvec_context *ctx, const psdvec_map *map,
                          const psdvec_drawing_options *options, psdvec_map_format format,
                          pv_buffer *to)
{
    pv_drawing drawing = {0};
    psdvec_status status;
    if (format == PSDVEC_MAP_TSV)
        return pv_map_tsv(ctx, map, to);
    bool svg = format == PSDVEC_MAP_SVG;
    PV_TRY_DONE(
        pv_drawing_make(ctx, map, options, svg ? pv_map_svg_width : pv_letters_width, &drawing));
    status = svg ? pv_map_svg(ctx, &drawing, to) : pv_map_png(ctx, &drawing, to);
done:
    pv_drawing_free(&drawing);
    return status;
}

psdvec_status psdvec_map_draw(psdvec_context *ctx, const psdvec_map *map,
                              const psdvec_drawing_options *options, const char *output)
{
    psdvec_drawing_options o;
    psdvec_status status;
    PV_BEGIN(ctx);
    PV_NEED(ctx, map);
    PV_NEED(ctx, output);
    PV_TRY(pv_options_adopt(ctx, &pv_drawing_table, options, &o));
    psdvec_map_format format = o.format;
    if (format == PSDVEC_MAP_AUTO && !psdvec_map_format_of(output, &format))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "%s: the format is not known by the suffix; use .svg, .png or .tsv, or set "
                       "`format`",
                       output);
    pv_buffer file = {.ctx = ctx};
    PV_TRY_DONE(pv_output_try(ctx, output));
    PV_TRY_DONE(draw(ctx, map, &o, format, &file));
    status = pv_write_file(ctx, output, file.data, file.length, true);
done:
    pv_buffer_free(&file);
    return status;
}
