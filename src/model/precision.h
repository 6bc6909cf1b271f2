/* Vectors in fewer bytes.
 *
 *     float16   2 bytes a number, IEEE 754 binary16
 *     int8      1 byte a number, and a scale for each vector: number = byte * scale,
 *               scale = the largest magnitude in the vector / 127
 *
 * Rounding is to the nearest, ties to even. What is then lost is relative to the number
 * (float16: 2^-11) or to the largest of its vector (int8: 1/254).
 */
#ifndef PV_MODEL_PRECISION_H
#define PV_MODEL_PRECISION_H

#include "base/half.h"
#include "base/platform.h"
#include "base/safetensors_read.h"

pv_dtype pv_precision_dtype(psdvec_precision precision);
/* That of a tensor of this type; float32 if none has it. */
psdvec_precision pv_precision_of(pv_dtype dtype);

/* What is packed, and whose words a sentence names. */
typedef struct pv_packing {
    psdvec_context *ctx;
    const char *subject; /* a file */
    psdvec_precision precision;
    uint32_t dim;
    const char *bytes;
    const uint64_t *offsets;
} pv_packing;

/* The vector of word i. `scale` is set for int8 only. A number beyond float16 is
 * PSDVEC_ERR_OVERFLOW and names the word. */
psdvec_status pv_pack_row(const pv_packing *packing, uint32_t i, const float *row, void *to,
                          float *scale);

/* All rows, by all workers. vectors: words x dim; scale: words, int8 only. */
psdvec_status pv_pack(const pv_packing *packing, const float *vectors, uint32_t words, void *to,
                      float *scale);

/* n numbers as float32. `scale`: of int8. */
typedef void pv_unpack_fn(const void *from, float scale, size_t n, float *to);
pv_unpack_fn *pv_unpack_reference(psdvec_precision precision);
/* The fastest of this machine; the same bits. */
pv_unpack_fn *pv_unpack_best(psdvec_precision precision);

/* ---- Kernels for AVX2 and F16C */

#if PV_AVX2
#define PV_FAST __attribute__((target("avx2,f16c")))
#define PV_FAST_INLINE PV_FAST static inline __attribute__((always_inline))
#endif

#endif
