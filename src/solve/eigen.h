/* Leading eigenpairs of a large symmetric matrix that is known only by what it
 * does to a block of vectors.
 *
 * Block Lanczos with full orthogonalisation and thick restarts (after Wu and
 * Simon, 2000, and the block form of Golub and Underwood, 1977). Why not one of
 * the usual others: subspace iteration and Chebyshev filters throw away every
 * product but the last and need five to ten products of all N columns for each
 * step of Algorithm 1; a Krylov basis keeps all it has seen, and two to three
 * times N columns do. What that costs in orthogonalisation is matrix products at
 * the full speed of BLAS, while a product with the sparse matrix is bound by memory.
 * It also has no trouble with one huge eigenvalue at the unwanted end (in the
 * first step of the paper's algorithm one is about -2n): a Krylov space finds it
 * in the first steps, and it is simply not chosen.
 *
 * Blocks are narrow and the basis is wide, 2.5 times the wanted vectors: what is found depends
 * on the degree of the polynomials between two restarts. With a basis of 1.25 times and
 * blocks of 64 columns, vectors near the smallest wanted value did not grow between restarts, and
 * a tenth of them was missing while the residuals of the others were small.
 *
 * A new block is orthogonalised against the whole basis, in float32 with sums in double, and once
 * more where the basis takes nearly all of it; the projected matrix is solved in double.
 * Convergence is examined at every restart, and in between when the decrease so far predicts it.
 *
 * Memory: n x basis floats, and four blocks. Time for m columns: m columns of products, about
 * 6 n N m flops of dense algebra, and a dense eigenproblem of 2.5 N rows for each restart, on one
 * core.
 */
#ifndef PV_SOLVE_EIGEN_H
#define PV_SOLVE_EIGEN_H

#include "base/context.h"

typedef enum pv_reduction {
    PV_REDUCE_SUM = 0,
    PV_REDUCE_LARGEST /* the largest of each number */
} pv_reduction;

/* The matrix. `apply` makes Y = A X for X, Y: n x k, row-major.
 *
 * Rows may be divided among several machines (or processes), each of which calls pv_eigen with the
 * same options and an operator for its own rows: X, Y and the vectors are then the rows of this
 * machine. `apply` sees to it that the machines exchange what they need of X. `reduce` combines
 * every number with those of the other machines and must give all of them the same bits; as all
 * else is computed from such numbers, all machines take the same steps. NULL: this machine has all
 * rows. The solver does not tell the others of a failure: that is up to `apply` and `reduce`. */
typedef struct pv_operator {
    size_t n;     /* rows of this machine */
    size_t first; /* the number of the first of them */
    size_t total; /* rows of all machines; 0: n */
    void *self;
    psdvec_status (*apply)(void *self, const float *X, float *Y, size_t k);
    psdvec_status (*reduce)(void *self, double *numbers, size_t count, pv_reduction how);
} pv_operator;

typedef enum pv_eigen_end {
    PV_EIGEN_LARGEST = 0, /* algebraically: 3 comes before -5 */
    PV_EIGEN_MAGNITUDE    /* -5 comes before 3 */
} pv_eigen_end;

typedef struct pv_eigen_options {
    size_t want;
    pv_eigen_end end;
    double tolerance;   /* of the residuals' root mean square over the smallest wanted value */
    size_t block;       /* columns of a product; at least 1 */
    size_t basis;       /* most columns of the basis; 0: chosen */
    size_t restarts;    /* at most */
    const float *guess; /* n x guess_columns: their span is near the wanted one; NULL: random */
    size_t guess_columns;
    size_t guess_stride; /* 0: guess_columns */
    size_t stride;       /* of the vectors; 0: want. They may take the place of the guess. */
} pv_eigen_options;

void pv_eigen_options_default(pv_eigen_options *options, size_t want);

typedef struct pv_eigen_report {
    size_t found;   /* of the wanted; fewer only if n is smaller */
    size_t columns; /* multiplied with the matrix */
    size_t restarts;
    double residual; /* reached */
} pv_eigen_report;

/* Columns of the basis that pv_eigen would use. */
size_t pv_eigen_basis(const pv_eigen_options *options, size_t n);

/* Bytes that pv_eigen allocates at most for a matrix of n rows, if all are on this machine and a
 * product allocates `product` bytes. */
uint64_t pv_eigen_bytes(const pv_eigen_options *options, uint64_t n, uint64_t product, int threads);

/* values: want; vectors: n x stride, row-major, orthonormal columns, in the order
 * of the end; columns that were not found are 0. Signs of vectors are fixed, so that they are the same in every run. */
psdvec_status pv_eigen(psdvec_context *ctx, const pv_operator *matrix,
                       const pv_eigen_options *options, double *values, float *vectors,
                       pv_eigen_report *report);

/* Makes the largest number of each of the first `count` columns positive, as pv_eigen does; all rows
 * are on this machine. */
psdvec_status pv_eigen_fix_signs(psdvec_context *ctx, size_t n, float *vectors, size_t stride,
                                 size_t count);

#endif
