/* A set of vectors as stored in memory or in a mapped file: float32, float16 or int8
 * (precision.h). Code that needs float32 converts a row or a block at a time; a complete set is
 * never copied here.
 *
 *     row i:   data + i * dim elements     int8: value = byte * scale[i]
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
    /* The fastest kernels for this precision on this machine */
    pv_set_dots_fn *dots, *products;
    pv_unpack_fn *unpack;
} pv_vector_set;

pv_vector_set pv_vector_set_of(psdvec_precision precision, uint32_t words, uint32_t dim,
                               const void *data, const float *scale);
static inline pv_vector_set pv_vector_set_floats(uint32_t words, uint32_t dim, const float *data)
{
    return pv_vector_set_of(PSDVEC_FLOAT32, words, dim, data, NULL);
}

/* A row in the precision of the set, and its scale; for `dots`. */
const void *pv_vector_set_row(const pv_vector_set *set, uint64_t i, float *scale);

/* Rows `first` to first + count - 1 as float32: in place if the set is float32, else in `place`
 * (count x dim). */
const float *pv_vector_set_floats_of(const pv_vector_set *set, uint64_t first, size_t count,
                                     float *place);
/* Copies them to `to` as float32 in any case. */
void pv_vector_set_copy(const pv_vector_set *set, uint64_t first, size_t count, float *to);
/* Copies the first `dim` components of row i. */
void pv_vector_set_copy_start(const pv_vector_set *set, uint64_t i, uint32_t dim, float *to);

/* ---- Sums over rows, in double precision and in order ------------------------------------ */

/* The sum of a_k b_k over row i of one set and row j of another; terms with a negative signs[k]
 * are subtracted. `signs` may be NULL. */
double pv_vector_set_product(const pv_vector_set *a, uint64_t i, const pv_vector_set *b, uint64_t j,
                             const float *signs);
double pv_vector_set_length(const pv_vector_set *set, uint64_t i);
bool pv_are_finite(const float *numbers, size_t count);
/* True if the first `dim` components of row i are finite. */
bool pv_vector_set_is_finite(const pv_vector_set *set, uint64_t i, uint32_t dim);

/* ---- Sparse vectors, as rows of a sparse matrix ------------------------ */

/* The dot product, in double precision and in order. */
double pv_sparse_product(pv_csr_row a, pv_csr_row b);
double pv_sparse_length(pv_csr_row a);
/* The cosine; 0 if a vector has no direction or is not finite. That of a row with itself is 1. */
double pv_sparse_cosine(pv_csr_row a, pv_csr_row b);

/* Expands to `dim` components; further dimensions are left out. */
void pv_sparse_spread_out(pv_csr_row a, uint32_t dim, float *to);

#endif
