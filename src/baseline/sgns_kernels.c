/* The kernels of negative sampling.
 *
 * AVX2: logits are computed for two pairs and six slots at a time, with twelve sums in registers;
 * the update processes eight columns at a time, with the noise rows and their updates in registers,
 * so that a row is loaded and stored once per group. Both are limited by the throughput of
 * multiplications. More than six slots are processed in blocks of six.
 */
#include "baseline/sgns_kernels.h"

#include "base/platform.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 6 }; /* slots at a time */

/* ---- Portable ------------------------------------------------------------------------ */

/* exp by 2^n times a polynomial on [-ln 2 / 2, ln 2 / 2]. */
static const float log2e = 1.44269504f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
/* Beyond it, a float cannot distinguish the result from 0 or 1. */
static const float most_logit = 30;
static const float c2 = 0.5f, c3 = 1.66666667e-1f, c4 = 4.16666667e-2f, c5 = 8.33333333e-3f,
                   c6 = 1.38888889e-3f;

float pv_sgns_sigmoid(float f)
{
    float x = -f;
    x = x > most_logit ? most_logit : x < -most_logit ? -most_logit : x;
    float n = rintf(x * log2e);
    float r = (x - n * ln2_high) - n * ln2_low;
    float p = ((((c6 * r + c5) * r + c4) * r + c3) * r + c2) * r * r + r + 1;
    int32_t bits = ((int32_t)n + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return 1 / (1 + p * scale);
}

double pv_sgns_loss(const pv_sgns_space *space, const pv_sgns_group *group, const float *f)
{
    double loss = 0;
    for (uint32_t i = 0; i < group->pairs; i++)
        for (uint32_t s = 0; s <= space->negative; s++) {
            double x = f[i * space->width + s];
            if (s > 0 && group->slot[s] == group->target[i])
                continue;
            x = s == 0 ? -x : x; /* log(1 + exp(x)) without overflow */
            loss += fmax(x, 0) + log1p(exp(-fabs(x)));
        }
    return loss;
}

static inline float *row(float *matrix, uint32_t i, size_t stride)
{
    return matrix + (size_t)i * stride;
}

/* The row of a slot of pair i. */
static inline float *slot_row(const pv_sgns_space *space, const pv_sgns_group *group, uint32_t i,
                              uint32_t s)
{
    return row(space->out, s == 0 ? group->target[i] : group->slot[s], space->stride);
}

static void plain_logits(const pv_sgns_space *space, const pv_sgns_group *group,
                         const pv_sgns_group *next, float *f)
{
    (void)next;
    for (uint32_t i = 0; i < group->pairs; i++) {
        const float *x = row(space->in, group->in[i], space->stride);
        for (uint32_t s = 0; s <= space->negative; s++) {
            const float *y = slot_row(space, group, i, s);
            float sum[8] = {0};
            for (size_t d = 0; d < space->stride; d += 8)
                for (size_t e = 0; e < 8; e++)
                    sum[e] += x[d + e] * y[d + e];
            f[i * space->width + s] = ((sum[0] + sum[4]) + (sum[2] + sum[6])) +
                                      ((sum[1] + sum[5]) + (sum[3] + sum[7]));
        }
    }
}

static void plain_slopes(const pv_sgns_space *space, const pv_sgns_group *group, float rate,
                         float *f)
{
    for (uint32_t i = 0; i < group->pairs; i++)
        for (uint32_t s = 0; s <= space->negative; s++) {
            float *g = f + i * space->width + s;
            bool own = s > 0 && group->slot[s] == group->target[i];
            *g = own ? 0 : rate * ((float)(s == 0) - pv_sgns_sigmoid(*g));
        }
}

/* Updates one column of the slots `first` to `last` and of the group's rows of `in` from each
 * other. A row may occur in the group twice, so values that a step may change are not cached,
 * except those from which the step of the complete group is computed. */
static void plain_column(const pv_sgns_space *space, const pv_sgns_group *group, const float *g,
                         uint32_t first, uint32_t last, size_t d, float *before)
{
    float old[BLOCK] = {0}, step[BLOCK] = {0};
    for (uint32_t s = first > 0 ? first : 1; s <= last; s++)
        old[s - first] = row(space->out, group->slot[s], space->stride)[d];
    for (uint32_t i = 0; i < group->pairs; i++) {
        const float *a = g + i * space->width;
        float *x = row(space->in, group->in[i], space->stride) + d, was = *x;
        if (first == 0) {
            float *t = row(space->out, group->target[i], space->stride) + d;
            before[i] += a[0] * *t;
            *t += a[0] * was;
        }
        for (uint32_t s = first > 0 ? first : 1; s <= last; s++) {
            before[i] += a[s] * old[s - first];
            step[s - first] += a[s] * was;
        }
        if (first == 0)
            *x = was + before[i];
    }
    for (uint32_t s = first > 0 ? first : 1; s <= last; s++)
        row(space->out, group->slot[s], space->stride)[d] += step[s - first];
}

static void plain_update(const pv_sgns_space *space, const pv_sgns_group *group, const float *g,
                         float *scratch)
{
    (void)scratch;
    uint32_t last = space->negative;
    for (size_t d = 0; d < space->stride; d++) {
        float before[PV_SGNS_GROUP] = {0};
        for (uint32_t first = BLOCK; first <= last; first += BLOCK)
            plain_column(space, group, g, first,
                         first + BLOCK - 1 < last ? first + BLOCK - 1 : last, d, before);
        plain_column(space, group, g, 0, BLOCK - 1 < last ? BLOCK - 1 : last, d, before);
    }
}

static void plain_errors(const pv_sgns_space *space, const pv_sgns_group *group, const float *g,
                         float *e)
{
    for (uint32_t i = 0; i < group->pairs; i++) {
        float *to = row(e, group->in[i], space->stride);
        memset(to, 0, space->stride * sizeof *to);
        for (uint32_t s = 0; s <= space->negative; s++) {
            const float *y = slot_row(space, group, i, s);
            for (size_t d = 0; d < space->stride; d++)
                to[d] += g[i * space->width + s] * y[d];
        }
    }
}

static void plain_add_rows(const float *a, size_t step, const float *x, size_t n, size_t stride,
                           float *y)
{
    for (size_t d = 0; d < stride; d++)
        for (size_t i = 0; i < n; i++)
            y[d] += a[i * step] * x[i * stride + d];
}

static void plain_add(float a, const float *x, size_t stride, float *y)
{
    plain_add_rows(&a, 0, x, 1, stride, y);
}

static void plain_sum(const float *x, const uint32_t *rows, size_t n, float a, size_t stride,
                      bool begun, float *y)
{
    for (size_t d = 0; d < stride; d++) {
        float sum = x[rows[0] * stride + d];
        for (size_t i = 1; i < n; i++)
            sum += x[rows[i] * stride + d];
        y[d] = begun ? y[d] + a * sum : a * sum;
    }
}

const pv_sgns_kernels pv_sgns_kernels_plain = {"plain",        plain_logits, plain_slopes,
                                               plain_update,   plain_errors, plain_add,
                                               plain_add_rows, plain_sum};

/* ---- AVX2 ------------------------------------------------------------------------------ */

#if PV_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

enum { AHEAD = 6 }; /* rows of the next group that are prefetched at a time */

/* Reduces six registers, and two zeros, to eight sums. */
AVX2_INLINE void store_sums(const __m256 sum[BLOCK], float *to)
{
    __m256 four = _mm256_hadd_ps(_mm256_hadd_ps(sum[0], sum[1]), _mm256_hadd_ps(sum[2], sum[3]));
    __m256 two = _mm256_hadd_ps(_mm256_hadd_ps(sum[4], sum[5]), _mm256_setzero_ps());
    _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(four), _mm256_extractf128_ps(four, 1)));
    _mm_storeu_ps(to + 4, _mm_add_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1)));
}

/* Two rows x times n rows y; with `own`, the first y differs for each x. n is a compile-time
 * constant. */
AVX2_INLINE void logits_block(const float *const x[2], const float *const own[2],
                              const float *const *y, int n, size_t stride, const char *const *ahead,
                              float *const f[2])
{
    __m256 sum[2][BLOCK];
    for (int s = 0; s < BLOCK; s++)
        sum[0][s] = sum[1][s] = _mm256_setzero_ps();
    for (size_t d = 0; d < stride; d += 16) {
        if (ahead)
            for (int k = 0; k < AHEAD; k++)
                _mm_prefetch(ahead[k] + 4 * d, _MM_HINT_T0);
        for (size_t e = d; e < d + 16; e += 8) {
            __m256 x0 = _mm256_load_ps(x[0] + e), x1 = _mm256_load_ps(x[1] + e);
            if (own) {
                sum[0][0] = _mm256_fmadd_ps(x0, _mm256_load_ps(own[0] + e), sum[0][0]);
                sum[1][0] = _mm256_fmadd_ps(x1, _mm256_load_ps(own[1] + e), sum[1][0]);
            }
            for (int s = own ? 1 : 0; s < n; s++) {
                __m256 v = _mm256_load_ps(y[s] + e);
                sum[0][s] = _mm256_fmadd_ps(x0, v, sum[0][s]);
                sum[1][s] = _mm256_fmadd_ps(x1, v, sum[1][s]);
            }
        }
    }
    store_sums(sum[0], f[0]);
    store_sums(sum[1], f[1]);
}

#define CASE(n, call)                                                                              \
    case n:                                                                                        \
        call(n);                                                                                   \
        break;
#define BY_COUNT(n, call)                                                                          \
    switch (n) {                                                                                   \
        CASE(1, call)                                                                              \
        CASE(2, call)                                                                              \
        CASE(3, call)                                                                              \
        CASE(4, call)                                                                              \
        CASE(5, call)                                                                              \
    default:                                                                                       \
        call(6);                                                                                   \
    }

/* The number of slots of the block that starts with slot `first`. */
static inline int block_size(const pv_sgns_space *space, uint32_t first)
{
    uint32_t left = space->negative + 1 - first;
    PV_HOLDS(left > 0); /* callers pass slots up to `negative` */
    return left < BLOCK ? (int)left : BLOCK;
}

static inline void block_rows(const pv_sgns_space *space, const pv_sgns_group *group,
                              uint32_t first, int n, float **y)
{
    for (int s = 0; s < n; s++)
        y[s] = first + (uint32_t)s == 0
                   ? NULL
                   : row(space->out, group->slot[first + (uint32_t)s], space->stride);
}

/* Prefetches rows of the next group while pairs i and i + 1 of this one are processed. */
static inline void rows_ahead(const pv_sgns_space *space, const pv_sgns_group *next, uint32_t i,
                              const char *ahead[AHEAD])
{
    uint32_t last = next->pairs - 1, a = i < last ? i : last, b = i + 1 < last ? i + 1 : last;
    uint32_t s = i / 2 + 1, t = s + PV_SGNS_GROUP / 2;
    ahead[0] = (const char *)row(space->in, next->in[a], space->stride);
    ahead[1] = (const char *)row(space->in, next->in[b], space->stride);
    ahead[2] = (const char *)row(space->out, next->target[a], space->stride);
    ahead[3] = (const char *)row(space->out, next->target[b], space->stride);
    s = s <= space->negative ? s : 1;
    t = t <= space->negative ? t : s;
    ahead[4] = (const char *)row(space->out, next->slot[s], space->stride);
    ahead[5] = (const char *)row(space->out, next->slot[t], space->stride);
}

AVX2 static void avx2_logits(const pv_sgns_space *space, const pv_sgns_group *group,
                             const pv_sgns_group *next, float *f)
{
    float *rows[BLOCK];
    const float *const *y = (const float *const *)rows;
    for (uint32_t first = 0; first <= space->negative; first += BLOCK) {
        int n = block_size(space, first);
        block_rows(space, group, first, n, rows);
        for (uint32_t i = 0; i < group->pairs; i += 2) {
            uint32_t j = i + 1 < group->pairs ? i + 1 : i;
            const float *const x[2] = {row(space->in, group->in[i], space->stride),
                                       row(space->in, group->in[j], space->stride)};
            const float *const own[2] = {row(space->out, group->target[i], space->stride),
                                         row(space->out, group->target[j], space->stride)};
            float *const to[2] = {f + i * space->width + first, f + (i + 1) * space->width + first};
            const char *ahead[AHEAD];
#define OWN(n) logits_block(x, own, y, n, space->stride, ahead, to)
#define OTHER(n) logits_block(x, NULL, y, n, space->stride, NULL, to)
            if (first == 0) {
                rows_ahead(space, next, i, ahead);
                BY_COUNT(n, OWN)
            } else {
                BY_COUNT(n, OTHER)
            }
#undef OWN
#undef OTHER
        }
    }
}

AVX2_INLINE __m256 sigmoid(__m256 f)
{
    __m256 most = _mm256_set1_ps(most_logit), one = _mm256_set1_ps(1);
    __m256 x = _mm256_sub_ps(_mm256_setzero_ps(), f);
    x = _mm256_max_ps(_mm256_min_ps(x, most), _mm256_sub_ps(_mm256_setzero_ps(), most));
    __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(log2e)),
                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(ln2_high), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(ln2_low), r);
    __m256 p = _mm256_set1_ps(c6);
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c5));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c4));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c3));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c2));
    p = _mm256_fmadd_ps(p, _mm256_mul_ps(r, r), _mm256_add_ps(r, one));
    __m256i bits = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    __m256 scale = _mm256_castsi256_ps(_mm256_slli_epi32(bits, 23));
    return _mm256_div_ps(one, _mm256_fmadd_ps(p, scale, one));
}

AVX2 static void avx2_slopes(const pv_sgns_space *space, const pv_sgns_group *group, float rate,
                             float *f)
{
    __m256 factor = _mm256_set1_ps(rate);
    for (uint32_t i = 0; i < group->pairs; i++) {
        __m256 label = _mm256_setr_ps(1, 0, 0, 0, 0, 0, 0, 0);
        __m256i own = _mm256_set1_epi32((int)group->target[i]);
        for (size_t s = 0; s <= space->negative; s += 8) {
            float *g = f + i * space->width + s;
            __m256i word = _mm256_loadu_si256((const __m256i *)(group->slot + s));
            __m256 same = _mm256_castsi256_ps(_mm256_cmpeq_epi32(word, own));
            __m256 slope = _mm256_sub_ps(label, sigmoid(_mm256_loadu_ps(g)));
            _mm256_storeu_ps(g, _mm256_andnot_ps(same, _mm256_mul_ps(factor, slope)));
            label = _mm256_setzero_ps();
        }
    }
}

/* Updates n slots and the group's rows of `in` from each other; with `own`, slot 0 is the observed
 * word. `before`: PV_SGNS_GROUP x stride, the updates of the rows of `in` by other slots, or NULL.
 * Without `own` the rows do not change, and their updates are added to `before`. */
AVX2_INLINE void update_block(const pv_sgns_space *space, const pv_sgns_group *group, int n,
                              bool own, float *const *y, const float *g, float *before,
                              uint32_t pairs)
{
    float *x[PV_SGNS_GROUP], *t[PV_SGNS_GROUP];
    for (uint32_t i = 0; i < pairs; i++) {
        x[i] = row(space->in, group->in[i], space->stride);
        t[i] = row(space->out, group->target[i], space->stride);
    }
    const int begin = own ? 1 : 0;
    for (size_t d = 0; d < space->stride; d += 8) {
        __m256 v[BLOCK], step[BLOCK];
        for (int s = begin; s < n; s++) {
            v[s] = _mm256_load_ps(y[s] + d);
            step[s] = _mm256_setzero_ps();
        }
        for (uint32_t i = 0; i < pairs; i++) {
            const float *a = g + i * space->width;
            __m256 old = _mm256_load_ps(x[i] + d), sum = own ? old : _mm256_setzero_ps();
            if (before)
                sum = _mm256_add_ps(sum, _mm256_load_ps(before + i * space->stride + d));
            if (own) {
                __m256 a0 = _mm256_broadcast_ss(a), w = _mm256_load_ps(t[i] + d);
                sum = _mm256_fmadd_ps(a0, w, sum);
                _mm256_store_ps(t[i] + d, _mm256_fmadd_ps(a0, old, w));
            }
            for (int s = begin; s < n; s++) {
                __m256 as = _mm256_broadcast_ss(a + s);
                sum = _mm256_fmadd_ps(as, v[s], sum);
                step[s] = _mm256_fmadd_ps(as, old, step[s]);
            }
            _mm256_store_ps(own ? x[i] + d : before + i * space->stride + d, sum);
        }
        /* Loaded again: a noise word may be one of the observed words, or occur here twice. */
        for (int s = begin; s < n; s++)
            _mm256_store_ps(y[s] + d, _mm256_add_ps(_mm256_load_ps(y[s] + d), step[s]));
    }
}

AVX2 static void avx2_update(const pv_sgns_space *space, const pv_sgns_group *group, const float *g,
                             float *scratch)
{
    float *y[BLOCK];
    float *before = NULL;
    if (space->negative >= BLOCK) {
        before = scratch;
        memset(before, 0, PV_SGNS_GROUP * space->stride * sizeof *before);
        for (uint32_t first = BLOCK; first <= space->negative; first += BLOCK) {
            int n = block_size(space, first);
            block_rows(space, group, first, n, y);
#define OTHER(n) update_block(space, group, n, false, y, g + first, before, group->pairs)
            BY_COUNT(n, OTHER)
#undef OTHER
        }
    }
    int n = block_size(space, 0);
    block_rows(space, group, 0, n, y);
#define OWN(n) update_block(space, group, n, true, y, g, before, group->pairs)
    if (n == BLOCK && !before && group->pairs == PV_SGNS_GROUP) /* the usual case */
        update_block(space, group, BLOCK, true, y, g, NULL, PV_SGNS_GROUP);
    else
        BY_COUNT(n, OWN)
#undef OWN
}

AVX2_INLINE void errors_block(const pv_sgns_space *space, const pv_sgns_group *group, int n,
                              bool own, float *const *y, const float *g, float *e)
{
    const int begin = own ? 1 : 0;
    for (size_t d = 0; d < space->stride; d += 8) {
        __m256 v[BLOCK];
        for (int s = begin; s < n; s++)
            v[s] = _mm256_load_ps(y[s] + d);
        for (uint32_t i = 0; i < group->pairs; i++) {
            const float *a = g + i * space->width;
            float *to = row(e, group->in[i], space->stride) + d;
            __m256 sum;
            if (own)
                sum = _mm256_mul_ps(
                    _mm256_broadcast_ss(a),
                    _mm256_load_ps(row(space->out, group->target[i], space->stride) + d));
            else
                sum = _mm256_load_ps(to);
            for (int s = begin; s < n; s++)
                sum = _mm256_fmadd_ps(_mm256_broadcast_ss(a + s), v[s], sum);
            _mm256_store_ps(to, sum);
        }
    }
}

AVX2 static void avx2_errors(const pv_sgns_space *space, const pv_sgns_group *group, const float *g,
                             float *e)
{
    float *y[BLOCK];
    for (uint32_t first = 0; first <= space->negative; first += BLOCK) {
        int n = block_size(space, first);
        block_rows(space, group, first, n, y);
#define OWN(n) errors_block(space, group, n, true, y, g, e)
#define OTHER(n) errors_block(space, group, n, false, y, g + first, e)
        if (first == 0) {
            BY_COUNT(n, OWN)
        } else {
            BY_COUNT(n, OTHER)
        }
#undef OWN
#undef OTHER
    }
}

/* n is a compile-time constant, or any number up to PV_SGNS_GROUP. */
AVX2_INLINE void add_rows(const float *a, size_t step, const float *x, size_t n, size_t stride,
                          float *y)
{
    __m256 factor[PV_SGNS_GROUP];
    for (size_t i = 0; i < PV_SGNS_GROUP; i++)
        factor[i] = i < n ? _mm256_broadcast_ss(a + i * step) : _mm256_setzero_ps();
    for (size_t d = 0; d < stride; d += 16) {
        __m256 low = _mm256_load_ps(y + d), high = _mm256_load_ps(y + d + 8);
        for (size_t i = 0; i < n; i++) {
            low = _mm256_fmadd_ps(factor[i], _mm256_load_ps(x + i * stride + d), low);
            high = _mm256_fmadd_ps(factor[i], _mm256_load_ps(x + i * stride + d + 8), high);
        }
        _mm256_store_ps(y + d, low);
        _mm256_store_ps(y + d + 8, high);
    }
}

AVX2 static void avx2_add(float a, const float *x, size_t stride, float *y)
{
    add_rows(&a, 0, x, 1, stride, y);
}

AVX2 static void avx2_add_rows(const float *a, size_t step, const float *x, size_t n, size_t stride,
                               float *y)
{
    if (n == PV_SGNS_GROUP)
        add_rows(a, step, x, PV_SGNS_GROUP, stride, y);
    else
        add_rows(a, step, x, n, stride, y);
}

AVX2 static void avx2_sum(const float *x, const uint32_t *rows, size_t n, float a, size_t stride,
                          bool begun, float *y)
{
    __m256 factor = _mm256_set1_ps(a);
    for (size_t d = 0; d < stride; d += 16) {
        const float *from = x + rows[0] * stride + d;
        __m256 low = _mm256_load_ps(from), high = _mm256_load_ps(from + 8);
        for (size_t i = 1; i < n; i++) {
            from = x + rows[i] * stride + d;
            low = _mm256_add_ps(low, _mm256_load_ps(from));
            high = _mm256_add_ps(high, _mm256_load_ps(from + 8));
        }
        low = _mm256_mul_ps(factor, low);
        high = _mm256_mul_ps(factor, high);
        if (begun) {
            low = _mm256_add_ps(low, _mm256_load_ps(y + d));
            high = _mm256_add_ps(high, _mm256_load_ps(y + d + 8));
        }
        _mm256_store_ps(y + d, low);
        _mm256_store_ps(y + d + 8, high);
    }
}

static const pv_sgns_kernels kernels_avx2 = {"AVX2",      avx2_logits, avx2_slopes,   avx2_update,
                                             avx2_errors, avx2_add,    avx2_add_rows, avx2_sum};

#endif

const pv_sgns_kernels *pv_sgns_kernels_best(void)
{
#if PV_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &kernels_avx2;
#endif
    return &pv_sgns_kernels_plain;
}
