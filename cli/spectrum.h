/* The eigenvalues of a model, drawn with characters. */
#ifndef CLI_SPECTRUM_H
#define CLI_SPECTRUM_H

#include "memory.h"

#include <stdbool.h>

/* Draws `count` eigenvalues, by magnitude, from left to right in at most `width`
 * columns: positive ones upwards, negative ones downwards from a line in the middle. A
 * column that stands for several shows the largest on each side. Heights are as the
 * square roots, or the first ones would leave no room for the others. */
void spectrum_draw(struct buffer *to, const float *values, size_t count, size_t width,
                   bool unicode);

#endif
