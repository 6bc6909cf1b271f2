/* The matrix that one step of Algorithm 1 decomposes, there called G_t, as a sum that is never
 * written out:
 *
 *     A = sparse_factor * E + diag(d) + sum of F_k diag(c_k) F_k'
 *
 * E lives on the core's pairs; the F_k are tall: the vectors so far, a column of
 * ones, and the like. Where E is dense it is multiplied as a dense matrix (pairs.h). One product with k columns costs two flops for each number
 * of E and k, and four for each number of the F and k.
 */
#ifndef PV_SOLVE_SUM_MATRIX_H
#define PV_SOLVE_SUM_MATRIX_H

#include "link/pairs.h"
#include "solve/eigen.h"
#include "solve/kernels.h"
#include "solve/tall.h"

enum { PV_SUM_TERMS = 4 };

typedef struct pv_low_rank {
    const float *data; /* F: n x columns */
    size_t stride, columns;
    const float *coefficient; /* c: columns */
    const float *row_scale;   /* n: diag(row_scale) F is meant; NULL: F itself */
} pv_low_rank;

typedef struct pv_sum_matrix {
    psdvec_context *ctx;
    const pv_kernels *kernels;
    const pv_pairs *pairs;
    float sparse_factor;
    /* Products with E take X in half precision: each number is off by at most 1/2048 of itself,
     * or of 1/2^29 of the largest. These errors are random and mostly cancel in a sum over a row. */
    bool half;
    uint16_t *half_X; /* n x columns of X, until the matrix is closed */
    size_t half_count;
    const float *diagonal; /* n */
    pv_low_rank terms[PV_SUM_TERMS];
    size_t term_count;
    pv_tall_workspace workspace;
    void (*on_product)(void *user, size_t columns); /* NULL: nobody asks */
    void *user;
} pv_sum_matrix;

void pv_sum_matrix_close(pv_sum_matrix *matrix);
void pv_sum_matrix_add(pv_sum_matrix *matrix, pv_low_rank term);

/* Bytes that products with `columns` columns allocate, some of them until the matrix is closed:
 * terms have at most `rank` columns. scaled: one has a row_scale. */
uint64_t pv_sum_matrix_bytes(uint64_t n, uint64_t rank, uint64_t columns, bool scaled, bool half);

/* The matrix as the eigensolver sees it. */
pv_operator pv_sum_matrix_operator(pv_sum_matrix *matrix);

#endif
