/* Vectors turned to the axes of the matrix of their products, as training leaves them: columns
 * orthogonal, the one that says most first. */
#include "document/simulate.h"

#include "base/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct axis {
    double value;
    size_t number;
} axis;

static int by_magnitude(const void *a, const void *b)
{
    double x = fabs(((const axis *)a)->value), y = fabs(((const axis *)b)->value);
    return x < y ? 1 : x > y ? -1 : 0;
}

/* With B'B = Q L Q' the columns of Y = B Q L^-1/2 are orthonormal, and B diag(signs) B' =
 * Y K Y' with K = L^1/2 Q' diag(signs) Q L^1/2 = U T U'. So V = B R = Y U |T|^1/2.
 * work: 3 N x N and N. */
static psdvec_status turn(psdvec_context *ctx, const double *B, const float *signs, size_t n,
                          size_t N, double *work, axis *axes, float *vectors, float *eigenvalues)
{
    double *Q = work, *K = Q + N * N, *R = K + N * N, *values = R + N * N;
    memset(Q, 0, N * N * sizeof *Q);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < N; k++)
            for (size_t l = 0; l <= k; l++)
                Q[k * N + l] += B[i * N + k] * B[i * N + l];
    for (size_t k = 0; k < N; k++)
        for (size_t l = 0; l < k; l++)
            Q[l * N + k] = Q[k * N + l];
    PV_TRY(pv_symmetric_eigen(ctx, Q, values, N)); /* row a of Q: the a-th eigenvector */
    double least = values[N - 1] * 1e-13;
    for (size_t a = 0; a < N; a++)
        for (size_t b = 0; b < N; b++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++)
                sum += Q[a * N + k] * (double)signs[k] * Q[b * N + k];
            bool none = values[a] <= least || values[b] <= least;
            K[a * N + b] = none ? 0 : sum * sqrt(values[a]) * sqrt(values[b]);
        }
    for (size_t a = 0; a < N; a++)
        for (size_t k = 0; k < N; k++) /* L^-1/2 Q' */
            Q[a * N + k] *= values[a] <= least ? 0 : 1 / sqrt(values[a]);
    PV_TRY(pv_symmetric_eigen(ctx, K, values, N)); /* row c of K: column c of U */
    for (size_t c = 0; c < N; c++)
        axes[c] = (axis){values[c], c};
    qsort(axes, N, sizeof *axes, by_magnitude);
    for (size_t c = 0; c < N; c++) {
        eigenvalues[c] = (float)axes[c].value;
        for (size_t k = 0; k < N; k++) {
            double sum = 0;
            for (size_t a = 0; a < N; a++)
                sum += Q[a * N + k] * K[axes[c].number * N + a];
            R[k * N + c] = sum * sqrt(fabs(axes[c].value));
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < N; c++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++)
                sum += B[i * N + k] * R[k * N + c];
            vectors[i * N + c] = (float)sum;
        }
    return PSDVEC_OK;
}

psdvec_status pv_turn_to_axes(psdvec_context *ctx, const double *B, const float *signs, size_t n,
                              size_t N, float *vectors, float *eigenvalues)
{
    double *work = pv_alloc(ctx, 3 * N * N + N, sizeof *work, "the axes of the vectors");
    axis *axes = pv_alloc(ctx, N, sizeof *axes, "the axes of the vectors");
    psdvec_status status = work && axes
                               ? turn(ctx, B, signs, n, N, work, axes, vectors, eigenvalues)
                               : pv_failure(ctx);
    pv_free(ctx, work);
    pv_free(ctx, axes);
    return status;
}
