/* The letters of images of maps, as strokes. */
#ifndef PV_MAP_LETTERS_H
#define PV_MAP_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pv_letter {
    double width;         /* to the next letter, in hundredths of the size */
    const char *path;     /* letters.c describes paths */
    const char *marks[2]; /* accents, or NULL */
    bool below[2];        /* whether they are below the letter */
    bool tall;            /* accents are above the height of capitals */
    bool known;           /* false: `path` is a rectangle */
} pv_letter;

pv_letter pv_letter_of(uint32_t code);

#endif
