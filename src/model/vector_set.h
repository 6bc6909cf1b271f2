/* A set of vectors as it lies in memory or in a mapped file: float32, float16 or int8
 * (precision.h). Whoever needs float32 gets it a row or a block at a time; a whole set is never
 * copied here.
 *
 *     row i:   data + i * dim numbers      int8: number = byte * scale[i]
 */
#ifndef PV_MODEL_VECTOR_SET_H
#define PV_MODEL_VECTOR_SET_H

#include "model/dot.h"
#include "model/precision.h"
#include "sparse/csr.h"

typedef struct pv_vector_set {
    psdvec_precision precision;
    uint32_t words, dim;
    const void *data;   /* words x dim, row-major; NULL: there is none */
    const float *scale; /* words, of int8; else NULL */
    /* The kernels of this precision, the fastest of this machine */
    pv_set_dots_fn *dots, *products;
    pv_unpack_fn *unpack;
} pv_vector_set;

pv_vector_set pv_vector_set_of(psdvec_precision precision, uint32_t words, uint32_t dim,
                               const void *data, const float *scale);
static inline pv_vector_set pv_vector_set_floats(uint32_t words, uint32_t dim, const float *data)
{
    return pv_vector_set_of(PSDVEC_FLOAT32, words, dim, data, NULL);
}

/* A row as the set has it, and its scale; for `dots`. */
const void *pv_vector_set_row(const pv_vector_set *set, uint64_t i, float *scale);

/* Rows `first` to first + count - 1 as float32: where they are, or in `place` (count x dim). */
const float *pv_vector_set_floats_of(const pv_vector_set *set, uint64_t first, size_t count,
                                     float *place);
/* As float32 into `to` in any case. */
void pv_vector_set_copy(const pv_vector_set *set, uint64_t first, size_t count, float *to);
/* The first `dim` numbers of row i. */
void pv_vector_set_copy_start(const pv_vector_set *set, uint64_t i, uint32_t dim, float *to);

/* ---- Sums over rows, in double precision and in order ------------------------------------ */

/* The sum of a_k b_k over row i of one set and row j of another; terms with a negative signs[k]
 * are subtracted. `signs` may be NULL. */
double pv_vector_set_product(const pv_vector_set *a, uint64_t i, const pv_vector_set *b, uint64_t j,
                             const float *signs);
double pv_vector_set_length(const pv_vector_set *set, uint64_t i);
bool pv_are_finite(const float *numbers, size_t count);
/* True if the first `dim` numbers of row i are finite. */
bool pv_vector_set_is_finite(const pv_vector_set *set, uint64_t i, uint32_t dim);

/* ---- Vectors of which most numbers are 0, as rows of a sparse matrix ------------------------ */

/* In double precision and in order. */
double pv_sparse_product(pv_csr_row a, pv_csr_row b);
double pv_sparse_length(pv_csr_row a);
/* Of the product and the lengths; 0 if one of them has no direction or is not finite. That of a row
 * with itself is 1. */
double pv_sparse_cosine(pv_csr_row a, pv_csr_row b);

/* As `dim` numbers, those of further directions left out. */
void pv_sparse_spread_out(pv_csr_row a, uint32_t dim, float *to);

#endif
