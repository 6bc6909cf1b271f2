/* Fractions into digits: weighted counts. */
#ifndef CLI_DECIMAL_H
#define CLI_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* Enough for any result: 20 digits, a point, 20 digits. */
#define DECIMAL_ROOM 48

/* v / scale, without a final zero byte; returns how many characters. The shortest decimal that is nearer to it than to any other
 * multiple of 1/scale, so that times scale and rounded it gives v again.
 * Whole numbers have no fraction. scale > 0. */
size_t decimal_ratio(char *to, uint64_t v, uint64_t scale);

#endif
