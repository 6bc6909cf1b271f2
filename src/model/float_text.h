/* Conversion between float32 and text: fast, correctly rounded, and the same in every locale. A
 * file of vectors contains some ten million numbers, so the functions of the C library, which also
 * depend on the host's locale, are used only for difficult cases.
 */
#ifndef PV_MODEL_FLOAT_TEXT_H
#define PV_MODEL_FLOAT_TEXT_H

#include <stddef.h>

typedef enum pv_number {
    PV_NUMBER_FINE = 0,
    PV_NUMBER_NONE,      /* there is no number */
    PV_NUMBER_NOT_FINITE /* nan, inf, or too large for float32 */
} pv_number;

/* Reads the number at the start of [at, end): 3, -0.5, .5, 1e-4. *after is the position after it.
 * *value is the float32 nearest to the decimal, ties to even. */
pv_number pv_float_read(const char *at, const char *end, const char **after, float *value);

#define PV_FLOAT_DIGITS 9 /* significant digits that always preserve the bits */
#define PV_FLOAT_CAPACITY 24

/* Writes at most PV_FLOAT_CAPACITY characters, without a zero byte, and returns their number.
 * `digits`: significant digits, 1 to 9; 0: as few as preserve the bits. */
size_t pv_float_write(char *to, float value, int digits);

#endif
