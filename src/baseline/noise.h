/* Drawing words in proportion to weights, with a fast random number generator.
 *
 * A sampler is an alias table (Walker 1977, built after Vose 1991): a draw takes one random number,
 * one look-up and one comparison, for any number of words.
 */
#ifndef PV_BASELINE_NOISE_H
#define PV_BASELINE_NOISE_H

#include "base/context.h"

/* A fast random number generator for inner loops (SplitMix64: Steele, Lea and Flood 2014). Its seed
 * comes from base/random.h, keyed by its purpose, so that the result does not depend on the order
 * in which workers draw. */
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

/* Maps 32 random bits to 0 .. n - 1. */
static inline uint32_t pv_below(uint32_t bits, uint32_t n)
{
    return (uint32_t)((uint64_t)bits * n >> 32);
}

/* One cell of an alias table. */
typedef struct pv_noise_cell {
    uint32_t limit; /* below it, the word of the cell itself */
    uint32_t own, other;
} pv_noise_cell;

typedef struct pv_noise {
    pv_noise_cell *cells;
    uint32_t count; /* 0: no word has positive weight */
} pv_noise;

/* Makes a table of members[0 .. count-1], drawn in proportion to weight[member]; those with weight
 * 0 are never drawn. The caller owns `cells`, which holds the table, and the temporary arrays
 * `share` and `queue`, each with `count` elements. */
void pv_noise_make(pv_noise *noise, const uint32_t *members, uint32_t count, const double *weight,
                   pv_noise_cell *cells, double *share, uint32_t *queue);

static inline uint32_t pv_noise_draw(const pv_noise *noise, pv_random_stream *stream)
{
    uint64_t bits = pv_random_next(stream);
    const pv_noise_cell *cell = &noise->cells[pv_below((uint32_t)(bits >> 32), noise->count)];
    return (uint32_t)bits < cell->limit ? cell->own : cell->other;
}

#endif
