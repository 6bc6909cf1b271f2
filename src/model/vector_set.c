/* Access to rows of any precision as float32, and to sparse rows. */
#include "model/vector_set.h"

#include <math.h>
#include <string.h>

/* Elements of a row that are converted at a time where no complete row is allocated. */
enum { PART = 256 };

pv_vector_set pv_vector_set_of(psdvec_precision precision, uint32_t words, uint32_t dim,
                               const void *data, const float *scale)
{
    return (pv_vector_set){.precision = precision,
                           .words = words,
                           .dim = dim,
                           .data = data,
                           .scale = scale,
                           .dots = pv_set_dots_best(precision, false),
                           .products = pv_set_dots_best(precision, true),
                           .unpack = pv_unpack_best(precision)};
}

/* Address of element k of row i. */
static const void *place_of(const pv_vector_set *set, uint64_t i, size_t k)
{
    size_t size = pv_dtype_size(pv_precision_dtype(set->precision));
    return (const char *)set->data + ((size_t)i * set->dim + k) * size;
}

static float scale_of(const pv_vector_set *set, uint64_t i)
{
    return set->scale ? set->scale[i] : 1;
}

const void *pv_vector_set_row(const pv_vector_set *set, uint64_t i, float *scale)
{
    *scale = scale_of(set, i);
    return place_of(set, i, 0);
}

void pv_vector_set_copy(const pv_vector_set *set, uint64_t first, size_t count, float *to)
{
    if (!set->scale) {
        set->unpack(place_of(set, first, 0), 1, count * set->dim, to);
        return;
    }
    for (size_t r = 0; r < count; r++)
        set->unpack(place_of(set, first + r, 0), scale_of(set, first + r), set->dim,
                    to + r * set->dim);
}

void pv_vector_set_copy_start(const pv_vector_set *set, uint64_t i, uint32_t dim, float *to)
{
    set->unpack(place_of(set, i, 0), scale_of(set, i), dim, to);
}

const float *pv_vector_set_floats_of(const pv_vector_set *set, uint64_t first, size_t count,
                                     float *place)
{
    if (set->precision == PSDVEC_FLOAT32)
        return place_of(set, first, 0);
    pv_vector_set_copy(set, first, count, place);
    return place;
}

/* Up to PART elements of row i from k on; *count is their number. */
static const float *part_of(const pv_vector_set *set, uint64_t i, size_t k, float part[PART],
                            size_t *count)
{
    *count = set->dim - k < PART ? set->dim - k : PART;
    const void *from = place_of(set, i, k);
    if (set->precision == PSDVEC_FLOAT32)
        return from;
    set->unpack(from, scale_of(set, i), *count, part);
    return part;
}

double pv_vector_set_product(const pv_vector_set *a, uint64_t i, const pv_vector_set *b, uint64_t j,
                             const float *signs)
{
    float parts[2][PART];
    double sum = 0;
    size_t count;
    for (size_t k = 0; k < a->dim; k += count) {
        const float *x = part_of(a, i, k, parts[0], &count);
        const float *y = part_of(b, j, k, parts[1], &count);
        for (size_t d = 0; d < count; d++) {
            double term = (double)x[d] * (double)y[d];
            sum += signs && signs[k + d] < 0 ? -term : term;
        }
    }
    return sum;
}

double pv_vector_set_length(const pv_vector_set *set, uint64_t i)
{
    return sqrt(pv_vector_set_product(set, i, set, i, NULL));
}

bool pv_are_finite(const float *numbers, size_t count)
{
    /* A value that is not finite times 0 is NaN, which persists in the sum. */
    float sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += numbers[k] * 0.0F;
    return sum == 0;
}

bool pv_vector_set_is_finite(const pv_vector_set *set, uint64_t i, uint32_t dim)
{
    float part[PART];
    size_t count;
    for (size_t k = 0; k < dim; k += count) {
        const float *x = part_of(set, i, k, part, &count);
        if (!pv_are_finite(x, k + count < dim ? count : dim - k))
            return false;
    }
    return true;
}

/* ---- Sparse rows ----------------------------------------------------------------------- */

double pv_sparse_product(pv_csr_row a, pv_csr_row b)
{
    double sum = 0;
    size_t i = 0, j = 0;
    while (i < a.count && j < b.count) {
        uint32_t left = a.column[i], right = b.column[j];
        if (left == right)
            sum += (double)a.value[i] * (double)b.value[j];
        i += left <= right;
        j += right <= left;
    }
    return sum;
}

double pv_sparse_length(pv_csr_row a)
{
    double sum = 0;
    for (size_t k = 0; k < a.count; k++)
        sum += (double)a.value[k] * (double)a.value[k];
    return sqrt(sum);
}

double pv_sparse_cosine(pv_csr_row a, pv_csr_row b)
{
    double xx = pv_sparse_product(a, a), yy = pv_sparse_product(b, b);
    bool fine = xx > 0 && yy > 0 && isfinite(xx) && isfinite(yy);
    return fine ? pv_sparse_product(a, b) / sqrt(xx * yy) : 0;
}

void pv_sparse_spread_out(pv_csr_row a, uint32_t dim, float *to)
{
    memset(to, 0, dim * sizeof *to);
    for (size_t k = 0; k < a.count && a.column[k] < dim; k++)
        to[a.column[k]] = a.value[k];
}
