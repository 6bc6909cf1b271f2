/* The letters of pictures of maps, as strokes. */
#ifndef PV_MAP_LETTERS_H
#define PV_MAP_LETTERS_H

#include "map/drawing.h"

typedef struct pv_letter {
    double width;         /* to the next letter, in hundredths of the size */
    const char *path;     /* letters.c describes paths */
    const char *marks[2]; /* accents, or NULL */
    bool below[2];        /* whether they are below the letter */
    bool tall;            /* accents are above the height of capitals */
    bool known;           /* false: `path` is a rectangle */
} pv_letter;

pv_letter pv_letter_of(uint32_t code);

/* A stroke of a text, in pixels: 'm' moves to v[0], v[1]; 'l' draws a line to there; 'q' a quadratic
 * curve with the control point v[0], v[1] to v[2], v[3]; 'a' an arc of the ellipse around v[0], v[1] with
 * the radii v[2], v[3], from v[4] to v[5] degrees, anticlockwise. */
typedef struct pv_stroke {
    char command;
    double v[6];
} pv_stroke;

typedef psdvec_status pv_stroke_fn(void *user, const pv_stroke *stroke);

/* Calls `draw` for each stroke of a label. */
psdvec_status pv_letters_draw(const pv_drawn_label *label, pv_stroke_fn *draw, void *user);
/* The width of a text of size 1, and of the strokes of a label. */
double pv_letters_width(const char *text, size_t length, bool bold);
double pv_letters_stroke(const pv_drawn_label *label);
/* Whether all characters are known. */
bool pv_letters_known(const char *text, size_t length);

#endif
