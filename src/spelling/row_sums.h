/* The inner loops: sums of rows that lie here and there.
 *
 * Each has a plain form and one for AVX2, chosen at run time. Every number of a row is added
 * for itself, in the order of the list, so both give the same bits; a test compares them.
 */
#ifndef PV_SPELLING_ROW_SUMS_H
#define PV_SPELLING_ROW_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* Dimensions that are solved at a time: rows of two cache lines. */
enum { PV_ROW_BLOCK = 32, PV_LIST_PAD = 8 };

typedef struct pv_row_sums {
    const char *name;
    /* out (PV_ROW_BLOCK numbers) = sum over t of X[list[t]]; X has rows of PV_ROW_BLOCK. The
     * list is followed by PV_LIST_PAD entries, of which only the memory is asked for early. */
    void (*floats)(const uint32_t *list, size_t count, const float *X, float *out);
    /* out (dim numbers) = sum over t of scale[list[t]] * rows[list[t]]; rows of dim. */
    void (*bytes)(const uint32_t *list, size_t count, const int8_t *rows, const float *scale,
                  size_t dim, float *out);
} pv_row_sums;

extern const pv_row_sums pv_row_sums_plain;
/* The fastest of this machine. */
const pv_row_sums *pv_row_sums_best(void);

#endif
