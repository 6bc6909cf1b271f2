/* Conversion of vectors to lower precision and back. */
#include "model/precision.h"

#include "base/half.h"
#include "base/thread.h"
#include "model/model_read.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BLOCK_ROWS = 1024, MOST_BYTE = 127 };

pv_dtype pv_precision_dtype(psdvec_precision precision)
{
    return precision == PSDVEC_FLOAT16 ? PV_DTYPE_F16
           : precision == PSDVEC_INT8  ? PV_DTYPE_I8
                                       : PV_DTYPE_F32;
}

psdvec_precision pv_precision_of(pv_dtype dtype)
{
    return dtype == PV_DTYPE_F16  ? PSDVEC_FLOAT16
           : dtype == PV_DTYPE_I8 ? PSDVEC_INT8
                                  : PSDVEC_FLOAT32;
}

static psdvec_status pack_half(const pv_packing *p, uint32_t i, const float *row, uint16_t *to)
{
    for (uint32_t k = 0; k < p->dim; k++) {
        to[k] = pv_half_from(row[k]);
        if ((to[k] & ~HALF_SIGN) >= HALF_INFINITE)
            return pv_fail(
                p->ctx, PSDVEC_ERR_OVERFLOW,
                "%s: the vector of '%s' (word %" PRIu32 ") has the component %g, but the maximum "
                "of float16 is 65504; use `precision=int8`, or scale the vectors to length 1 with "
                "`normalize`",
                p->subject,
                pv_word_shown(p->bytes + p->offsets[i], (size_t)(p->offsets[i + 1] - p->offsets[i]))
                    .text,
                i + 1, (double)row[k]);
    }
    return PSDVEC_OK;
}

/* ---- int8 -------------------------------------------------------------------------- */

static void pack_bytes(const float *row, uint32_t dim, int8_t *to, float *scale)
{
    float most = 0;
    for (uint32_t k = 0; k < dim; k++)
        most = fabsf(row[k]) > most ? fabsf(row[k]) : most;
    *scale = most / MOST_BYTE;
    if (!isfinite(*scale * MOST_BYTE)) /* rounded up from the largest finite number */
        *scale = nextafterf(*scale, 0);
    for (uint32_t k = 0; k < dim; k++) {
        double byte = *scale > 0 ? rint((double)row[k] / (double)*scale) : 0;
        to[k] = (int8_t)(byte > MOST_BYTE ? MOST_BYTE : byte < -MOST_BYTE ? -MOST_BYTE : byte);
    }
}

/* ---- Both ---------------------------------------------------------------------------- */

psdvec_status pv_pack_row(const pv_packing *p, uint32_t i, const float *row, void *to, float *scale)
{
    if (p->precision == PSDVEC_FLOAT16)
        return pack_half(p, i, row, to);
    if (p->precision == PSDVEC_INT8)
        pack_bytes(row, p->dim, to, scale);
    else
        memcpy(to, row, p->dim * sizeof *row);
    return PSDVEC_OK;
}

typedef struct pack_job {
    const pv_packing *packing;
    const float *vectors;
    uint32_t words;
    char *to;
    float *scale;
} pack_job;

static psdvec_status pack_block(void *arg, size_t task, int worker)
{
    (void)worker;
    pack_job *job = arg;
    const pv_packing *p = job->packing;
    size_t bytes = p->dim * pv_dtype_size(pv_precision_dtype(p->precision));
    uint64_t end = ((uint64_t)task + 1) * BLOCK_ROWS;
    for (uint64_t i = end - BLOCK_ROWS; i < end && i < job->words; i++)
        PV_TRY(pv_pack_row(p, (uint32_t)i, job->vectors + i * p->dim, job->to + i * bytes,
                           p->precision == PSDVEC_INT8 ? &job->scale[i] : NULL));
    return PSDVEC_OK;
}

psdvec_status pv_pack(const pv_packing *packing, const float *vectors, uint32_t words, void *to,
                      float *scale)
{
    pack_job job = {packing, vectors, words, to, scale};
    return pv_parallel_tasks(packing->ctx, ((size_t)words + BLOCK_ROWS - 1) / BLOCK_ROWS,
                             pack_block, &job);
}

/* ---- And back -------------------------------------------------------------------------- */

static void unpack_floats(const void *from, float scale, size_t n, float *to)
{
    (void)scale;
    memcpy(to, from, n * sizeof *to);
}

static void unpack_halves(const void *from, float scale, size_t n, float *to)
{
    const uint16_t *halves = from;
    (void)scale;
    for (size_t k = 0; k < n; k++)
        to[k] = pv_half_to(halves[k]);
}

static void unpack_bytes(const void *from, float scale, size_t n, float *to)
{
    const int8_t *bytes = from;
    for (size_t k = 0; k < n; k++)
        to[k] = (float)bytes[k] * scale;
}

pv_unpack_fn *pv_unpack_reference(psdvec_precision precision)
{
    static pv_unpack_fn *const unpack[] = {[PSDVEC_FLOAT32] = unpack_floats,
                                           [PSDVEC_FLOAT16] = unpack_halves,
                                           [PSDVEC_INT8] = unpack_bytes};
    return unpack[precision];
}

#ifdef PV_FAST
#include <immintrin.h>

PV_FAST static void fast_unpack_halves(const void *from, float scale, size_t n, float *to)
{
    const uint16_t *halves = from;
    size_t k = 0;
    for (; k + 8 <= n; k += 8)
        _mm256_storeu_ps(to + k, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(halves + k))));
    unpack_halves(halves + k, scale, n - k, to + k);
}

PV_FAST static void fast_unpack_bytes(const void *from, float scale, size_t n, float *to)
{
    const int8_t *bytes = from;
    __m256 factor = _mm256_set1_ps(scale);
    size_t k = 0;
    for (; k + 8 <= n; k += 8) {
        __m256i whole = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(bytes + k)));
        _mm256_storeu_ps(to + k, _mm256_mul_ps(_mm256_cvtepi32_ps(whole), factor));
    }
    unpack_bytes(bytes + k, scale, n - k, to + k);
}

#endif

pv_unpack_fn *pv_unpack_best(psdvec_precision precision)
{
#ifdef PV_FAST
    if (precision != PSDVEC_FLOAT32 && pv_avx2_and_f16c())
        return precision == PSDVEC_FLOAT16 ? fast_unpack_halves : fast_unpack_bytes;
#endif
    return pv_unpack_reference(precision);
}
