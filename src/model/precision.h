/* Vectors in reduced precision.
 *
 *     float16   2 bytes per component, IEEE 754 binary16
 *     int8      1 byte per component, and a scale per vector: value = byte * scale,
 *               scale = the largest magnitude in the vector / 127
 *
 * Rounding is to the nearest, ties to even. The error is relative to the component (float16: 2^-11)
 * or to the largest component of its vector (int8: 1/254).
 */
#ifndef PV_MODEL_PRECISION_H
#define PV_MODEL_PRECISION_H

#include "base/half.h"
#include "base/platform.h"
#include "base/safetensors_read.h"

pv_dtype pv_precision_dtype(psdvec_precision precision);
/* The precision of a tensor of this type; float32 for any other type. */
psdvec_precision pv_precision_of(pv_dtype dtype);

/* What is converted, and the words for messages. */
typedef struct pv_packing {
    psdvec_context *ctx;
    const char *subject; /* a file */
    psdvec_precision precision;
    uint32_t dim;
    const char *bytes;
    const uint64_t *offsets;
} pv_packing;

/* Converts the vector of word i. `scale` is set for int8 only. A component beyond the range of
 * float16 gives PSDVEC_ERR_OVERFLOW and a message with the word. */
psdvec_status pv_pack_row(const pv_packing *packing, uint32_t i, const float *row, void *to,
                          float *scale);

/* Converts all rows in parallel. vectors: words x dim; scale: words, int8 only. */
psdvec_status pv_pack(const pv_packing *packing, const float *vectors, uint32_t words, void *to,
                      float *scale);

/* Converts n elements to float32. `scale`: for int8. */
typedef void pv_unpack_fn(const void *from, float scale, size_t n, float *to);
pv_unpack_fn *pv_unpack_reference(psdvec_precision precision);
/* The fastest version for this machine; gives the same bits. */
pv_unpack_fn *pv_unpack_best(psdvec_precision precision);

/* ---- Kernels for AVX2 and F16C */

#if PV_AVX2
#define PV_FAST __attribute__((target("avx2,f16c")))
#define PV_FAST_INLINE PV_FAST static inline __attribute__((always_inline))
#endif

#endif
