/* Dot products in float32, summed in a fixed order on every compiler and machine: 16 partial sums,
 * element k added to sum k mod 16, then the sums added in pairs. The AVX2 and plain C versions give
 * the same bits; a test compares them.
 */
#ifndef PV_MODEL_DOT_H
#define PV_MODEL_DOT_H

#include "base/context.h"

enum { PV_DOT_LANES = 16 };

static inline float pv_dot_fold(float sums[PV_DOT_LANES])
{
    for (int width = PV_DOT_LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++)
            sums[k] += sums[k + width];
    return sums[0];
}

/* a, b: n elements each */
static inline float pv_dot(const float *a, const float *b, size_t n)
{
    float sums[PV_DOT_LANES] = {0};
    size_t k = 0;
    for (; k + PV_DOT_LANES <= n; k += PV_DOT_LANES)
        for (size_t lane = 0; lane < PV_DOT_LANES; lane++)
            sums[lane] += a[k + lane] * b[k + lane];
    for (size_t lane = 0; k < n; k++, lane++)
        sums[lane] += a[k] * b[k];
    return pv_dot_fold(sums);
}

/* out[q] = row . queries[q] for q < count. Returns the squared length of the row; the row is read
 * from memory once. At most PV_DOT_QUERIES queries; with none, computes only the squared length. */
enum { PV_DOT_QUERIES = 3 };
typedef float pv_row_dots_fn(const float *row, const float *const *queries, size_t count, size_t n,
                             float *out);
pv_row_dots_fn pv_row_dots_reference;
/* The fastest version for this machine. */
pv_row_dots_fn *pv_row_dots_best(void);

/* The same for a row in any precision (precision.h), converted on the fly: the result has the same
 * bits as for the row in float32. `scale`: for int8. */
typedef float pv_set_dots_fn(const void *row, float scale, const float *const *queries,
                             size_t count, size_t n, float *out);
pv_set_dots_fn *pv_set_dots_reference(psdvec_precision precision);
/* `products`: compute only the products, for callers that have the squared lengths; the return
 * value is meaningless. */
pv_set_dots_fn *pv_set_dots_best(psdvec_precision precision, bool products);

/* The length of a vector, in double precision and in order. */
double pv_length(const float *a, size_t n);
/* Normalises `from` to length 1; may be in place. Returns false and writes zeros if it has no
 * direction. */
bool pv_unit_vector(const float *from, size_t n, float *to);

#endif
