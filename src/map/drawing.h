/* A picture of a map: points, labels that do not overlap, and a legend, in pixels. svg.c and png.c
 * write it to files. */
#ifndef PV_MAP_DRAWING_H
#define PV_MAP_DRAWING_H

#include "map/map.h"

/* Colours are 0xrrggbb. */
typedef struct pv_drawn_label {
    const char *text; /* not null-terminated */
    size_t length;
    double x, y; /* of the left end of the baseline */
    double width, size;
    uint32_t colour;
    bool bold;
} pv_drawn_label;

typedef struct pv_drawing {
    pv_scope scope;
    double width, height, point_size, opacity;
    uint32_t background, text;
    uint32_t *colours; /* of points: colour_count, in the order of drawing */
    uint32_t colour_count;
    uint32_t *colour; /* of each point: an index */
    uint32_t count;
    float *points; /* count x 2: pixels */
    pv_drawn_label *labels;
    size_t label_count;
    /* The legend: a dot in a colour before each of the last `legend` labels. */
    size_t legend;
    pv_buffer names; /* of groups */
} pv_drawing;

/* The width of a text of size 1. */
typedef double pv_text_width_fn(const char *text, size_t length, bool bold);

/* Arranges the picture. */
psdvec_status pv_drawing_make(psdvec_context *ctx, const psdvec_map *map,
                              const psdvec_drawing_options *options, pv_text_width_fn *width,
                              pv_drawing *drawing);
void pv_drawing_free(pv_drawing *drawing);

/* The next character of a text, U+FFFD for a byte that is not UTF-8; advances *at. */
uint32_t pv_drawing_character(const char *text, size_t length, size_t *at);

/* Each of these writes a complete file to `to`. */
psdvec_status pv_map_svg(psdvec_context *ctx, const pv_drawing *drawing, pv_buffer *to);
double pv_map_svg_width(const char *text, size_t length, bool bold);
psdvec_status pv_map_png(psdvec_context *ctx, const pv_drawing *drawing, pv_buffer *to);
psdvec_status pv_map_tsv(psdvec_context *ctx, const psdvec_map *map, pv_buffer *to);

#endif
