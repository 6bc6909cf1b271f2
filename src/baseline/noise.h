/* Drawing words in proportion to weights, and the quick generator behind it.
 *
 * A sampler is an alias table (Walker 1977, built after Vose 1991): one number, one look-up, one
 * comparison a draw, however many words there are.
 */
#ifndef PV_BASELINE_NOISE_H
#define PV_BASELINE_NOISE_H

#include "base/context.h"

/* Random numbers for a hot loop (SplitMix64: Steele, Lea and Flood 2014). Its start comes from
 * base/random.h, keyed by what it is for, so that nothing depends on who draws when. */
typedef struct pv_random_stream {
    uint64_t state;
} pv_random_stream;

static inline uint64_t pv_random_next(pv_random_stream *stream)
{
    uint64_t z = stream->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* 0 to n - 1, from 32 random bits. */
static inline uint32_t pv_below(uint32_t bits, uint32_t n)
{
    return (uint32_t)((uint64_t)bits * n >> 32);
}

/* One cell of an alias table. */
typedef struct pv_noise_cell {
    uint32_t limit; /* below it, the cell's own word */
    uint32_t own, other;
} pv_noise_cell;

typedef struct pv_noise {
    pv_noise_cell *cells;
    uint32_t count; /* 0: no word has any weight */
} pv_noise;

/* A table of members[0 .. count-1], drawn in proportion to weight[member]; those without weight never
 * are. `cells`, which it lives in, and `share` and `queue`, which it is made with, are the caller's,
 * `count` of each. */
void pv_noise_make(pv_noise *noise, const uint32_t *members, uint32_t count, const double *weight,
                   pv_noise_cell *cells, double *share, uint32_t *queue);

static inline uint32_t pv_noise_draw(const pv_noise *noise, pv_random_stream *stream)
{
    uint64_t bits = pv_random_next(stream);
    const pv_noise_cell *cell = &noise->cells[pv_below((uint32_t)(bits >> 32), noise->count)];
    return (uint32_t)bits < cell->limit ? cell->own : cell->other;
}

#endif
