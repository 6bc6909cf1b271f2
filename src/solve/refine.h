/* One step of subspace iteration for eigenvectors that are nearly known.
 *
 * From the second iteration of Algorithm 1 on, the wanted eigenvectors are close to those of the
 * previous iteration, and a gap separates their eigenvalues from the others: the part of the matrix
 * that the vectors explain has its full weight, the remainder only a fraction of it. A Krylov space
 * that starts from a few combinations of the old vectors must find all N of them again, which takes
 * about 3 N products. Here one product with each old vector is enough: with Q the old vectors,
 * orthonormal, Y = A Q and H = Q' Y, the matrix is approximated by
 *
 *     A ~ Y H^-1 Y'    (the Nystroem approximation)
 *
 * which is exact if the rank of A is not larger than that of Q, and whose error is of second order
 * in the angle between Q and the wanted vectors. Its eigenvectors are the result. No random numbers
 * are used.
 *
 * Memory: two blocks, and some N x N matrices. Time: N columns of products, 6 n N^2 flops.
 */
#ifndef PV_SOLVE_REFINE_H
#define PV_SOLVE_REFINE_H

#include "solve/eigen.h"

typedef struct pv_refine_options {
    pv_eigen_end end;
    size_t want;      /* at most `columns` */
    size_t block;     /* columns of a product */
    const float *old; /* n x old_stride: orthogonal columns of any length except 0 */
    size_t columns;
    size_t stride;     /* of the old and of the new vectors */
    const double *own; /* columns: the matrix is that of the operator plus old diag(own) old' */
} pv_refine_options;

/* values: want; vectors: n x stride, must not overlap the old ones. *sound: whether the
 * approximation is valid. If not, the product of A with an eigenvector of H is much longer than its
 * eigenvalue, and pv_eigen must solve the problem. If the matrix is divided, so are the old and the
 * new vectors. */
psdvec_status pv_refine(psdvec_context *ctx, const pv_operator *matrix,
                        const pv_refine_options *options, double *values, float *vectors,
                        bool *sound);

/* Upper bound of the bytes that pv_refine allocates if a product allocates `product` bytes. */
uint64_t pv_refine_bytes(uint64_t n, const pv_division *division, uint64_t columns, uint64_t block,
                         uint64_t product, int threads);

#endif
