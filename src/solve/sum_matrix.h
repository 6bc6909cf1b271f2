/* The matrix that one step of Algorithm 1 decomposes (G_t in the paper), as a sum that is never
 * formed explicitly:
 *
 *     A = sparse_factor * E + diag(d) + sum of F_k diag(c_k) F_k'
 *
 * E is sparse, with the pairs of the core as entries; the F_k are tall: the current vectors, a
 * column of ones, and similar terms. Where E is dense it is multiplied as a dense matrix (pairs.h).
 * A product with k columns costs 2 k flops per entry of E and 4 k per element of the F.
 *
 * In a group of processes the matrix is divided as its pairs are: X, Y and the F have the rows of
 * this member. A product needs all rows of X; they are exchanged in the precision in which it reads
 * them, and while those of some members are on their way, it multiplies with those that have
 * arrived, in the order of the columns.
 */
#ifndef PV_SOLVE_SUM_MATRIX_H
#define PV_SOLVE_SUM_MATRIX_H

#include "link/pairs.h"
#include "solve/eigen.h"
#include "solve/kernels.h"
#include "solve/tall.h"

enum { PV_SUM_TERMS = 4 };

typedef struct pv_low_rank {
    const float *data; /* F: n x columns, or the rows of this member */
    size_t stride, columns;
    const float *coefficient; /* c: columns */
    const float *row_scale;   /* n: the term uses diag(row_scale) F; NULL: F itself */
} pv_low_rank;

typedef struct pv_sum_matrix {
    psdvec_context *ctx;
    const pv_kernels *kernels;
    const pv_pairs *pairs;
    float *full_X; /* if it is divided: all rows of X that are read in single precision */
    size_t full_count;
    float sparse_factor;
    /* Products with E take X in half precision: the error of each element is at most 1/2048 of
     * itself, or 1/2^29 of the largest. These errors are random and mostly cancel in a sum over a
     * row. */
    bool half;
    uint16_t *half_X; /* n x columns of X, allocated until the matrix is closed */
    size_t half_count;
    const float *diagonal; /* n */
    pv_low_rank terms[PV_SUM_TERMS];
    size_t term_count;
    pv_tall_workspace workspace;
    void (*on_product)(void *user, size_t columns); /* called after each product; may be NULL */
    void *user;
} pv_sum_matrix;

void pv_sum_matrix_close(pv_sum_matrix *matrix);
void pv_sum_matrix_add(pv_sum_matrix *matrix, pv_low_rank term);

/* Bytes that products with `columns` columns allocate, some of them until the matrix is closed:
 * terms have at most `rank` columns. scaled: one of them has a row_scale. */
uint64_t pv_sum_matrix_bytes(uint64_t n, const pv_division *division, uint64_t rank,
                             uint64_t columns, bool scaled, bool half);

/* The matrix as the eigensolver sees it. */
pv_operator pv_sum_matrix_operator(pv_sum_matrix *matrix);

#endif
