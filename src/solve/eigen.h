/* Leading eigenpairs of a large symmetric matrix that is given only by its products with blocks of
 * vectors.
 *
 * Block Lanczos with full orthogonalisation and thick restarts (after Wu and Simon, 2000, and the
 * block form of Golub and Underwood, 1977). Alternatives such as subspace iteration and Chebyshev
 * filters discard every product but the last and need five to ten products of all N columns per
 * step of Algorithm 1. A Krylov basis uses all products, and two to three times N columns are
 * enough. The additional orthogonalisation consists of matrix products at the full speed of BLAS,
 * while products with the sparse matrix are limited by memory bandwidth. A huge eigenvalue at the
 * unwanted end (in the first step of the paper's algorithm one is about -2n) does no harm: a Krylov
 * space finds it in the first steps, and it is not selected.
 *
 * Blocks are narrow and the basis is wide, 2.5 times the number of wanted vectors, because accuracy
 * depends on the degree of the polynomials between two restarts. With a factor of 1.25 and blocks
 * of 64 columns, vectors near the smallest wanted value did not grow between restarts, and a tenth
 * of them were missing while the residuals of the others were small.
 *
 * A new block is orthogonalised against the complete basis, in float32 with sums in double, and a
 * second time if little of it is left; the projected matrix is solved in double. Convergence is
 * tested at every restart, and in between when the decrease so far predicts it.
 *
 * Memory: n x basis floats, and four blocks. Time for m columns: m columns of products, about 6 n N
 * m flops of dense algebra, and a dense eigenproblem of 2.5 N rows per restart, on one core.
 */
#ifndef PV_SOLVE_EIGEN_H
#define PV_SOLVE_EIGEN_H

#include "sparse/division.h"

/* The matrix. `apply` computes Y = A X for X, Y: n x k, row-major.
 *
 * In a group of processes the matrix can be divided (sparse/division.h): all members call pv_eigen
 * with the same options, X, Y, the guess and the vectors have the rows of this member, and `apply`
 * exchanges the rows of X that it needs. All decisions depend on values that are the same in all
 * members, so all take the same steps. */
typedef struct pv_operator {
    size_t n;
    const pv_division *division; /* NULL: all rows are here */
    void *self;
    psdvec_status (*apply)(void *self, const float *X, float *Y, size_t k);
} pv_operator;

typedef enum pv_eigen_end {
    PV_EIGEN_LARGEST = 0, /* algebraically: 3 comes before -5 */
    PV_EIGEN_MAGNITUDE    /* -5 comes before 3 */
} pv_eigen_end;

typedef struct pv_eigen_options {
    size_t want;
    pv_eigen_end end;
    /* Of the root mean square of the residuals, relative to the smallest wanted value. */
    double tolerance;
    size_t block;       /* columns of a product; at least 1 */
    size_t basis;       /* maximum number of columns of the basis; 0: chosen automatically */
    size_t restarts;    /* maximum number */
    const float *guess; /* n x guess_columns: near the wanted subspace; NULL: random */
    size_t guess_columns;
    size_t guess_stride; /* 0: guess_columns */
    size_t stride;       /* of the vectors; 0: want. They may overwrite the guess. */
} pv_eigen_options;

void pv_eigen_options_default(pv_eigen_options *options, size_t want);

typedef struct pv_eigen_report {
    size_t found;   /* number of wanted pairs found; less than `want` only if n is */
    size_t columns; /* number multiplied with the matrix */
    size_t restarts;
    double residual; /* reached */
} pv_eigen_report;

/* The number of columns of the basis that pv_eigen would use. */
size_t pv_eigen_basis(const pv_eigen_options *options, size_t n);

/* Upper bound of the bytes that pv_eigen allocates for a matrix of n rows, if a product allocates
 * `product` bytes. */
uint64_t pv_eigen_bytes(const pv_eigen_options *options, uint64_t n, const pv_division *division,
                        uint64_t product, int threads);

/* values: want; vectors: n x stride, row-major, orthonormal columns, ordered by `end`; columns that
 * were not found are 0. The signs of vectors are normalised, so that they are the same in every
 * run. */
psdvec_status pv_eigen(psdvec_context *ctx, const pv_operator *matrix,
                       const pv_eigen_options *options, double *values, float *vectors,
                       pv_eigen_report *report);

/* Makes the element of largest magnitude of each of the first `count` columns positive, as pv_eigen
 * does. */
psdvec_status pv_eigen_fix_signs(psdvec_context *ctx, size_t n, const pv_division *division,
                                 float *vectors, size_t stride, size_t count);

#endif
