/* Drawing a word from p_j times a product of rows of a table.
 *
 * The words are cut into tiles of 64. pv_sample_ends sums up the weights of every tile,
 *
 *     w_j = p_j  prod_k rows[k][j]        ends[t] = sum of w over tiles 0 .. t
 *
 * and pv_sample_find turns a number between 0 and 1 into a word: the tile by bisection, then the
 * word in it. No exponential is taken, because the table holds exp(G) already, and no weight is
 * kept, because those of one tile are soon made again. Sums are taken in a fixed order, so the
 * same numbers give the same words everywhere.
 */
#ifndef PV_DOCUMENT_SAMPLE_KERNEL_H
#define PV_DOCUMENT_SAMPLE_KERNEL_H

#include <stddef.h>

enum { PV_SAMPLE_TILE = 64 };

/* p and each row: tiles * PV_SAMPLE_TILE numbers, none negative; beyond the last word p is 0.
 * ends: tiles. With count 0 the weights are p itself. */
void pv_sample_ends(const float *p, const float *const *rows, size_t count, size_t tiles,
                    double *ends);

/* False if single precision cannot hold these weights: their sum is infinite, or so small that
 * what vanished may have mattered. */
static inline int pv_sample_holds(const double *ends, size_t tiles)
{
    double all = ends[tiles - 1];
    return all > 1e-24 && all < 1e30;
}

/* The word for `unit` in [0, 1), and its probability. */
size_t pv_sample_find(const float *p, const float *const *rows, size_t count, size_t tiles,
                      const double *ends, double unit, double *probability);

/* Both at once by logarithms in double precision, slowly, for weights that do not hold.
 * `scratch`: tiles * PV_SAMPLE_TILE. */
size_t pv_sample_careful(const float *p, const float *const *rows, size_t count, size_t tiles,
                         double unit, double *scratch, double *probability);

#endif
