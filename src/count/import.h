/* Importing counts of other programs: what the three readers share.
 *
 *     words      from the list, or from the file itself
 *     records    (context, focus, number) in any order; fixed_point.h makes the
 *                number whole, pv_import_pair decides what becomes of the pair
 *     rows       triples.h adds them up, in any memory
 *     file       written as psdvec count would have
 */
#ifndef PV_COUNT_IMPORT_H
#define PV_COUNT_IMPORT_H

#include "count/fixed_point.h"
#include "count/provenance.h"
#include "count/triples.h"
#include "count/vocabulary.h"

/* lcm(1 .. 15): exact for 1/d in every window up to 15, GloVe's default. */
#define PV_IMPORT_SCALE UINT64_C(360360)

/* What one half of a matrix looks like: the pairs (i, j) with i < j, or with
 * i > j. If both halves look the same, the matrix is symmetric. */
typedef struct pv_import_half {
    uint64_t records;
    uint64_t places; /* hash of which pairs stand in it, in any order */
    uint64_t sum;
} pv_import_half;

typedef struct pv_import {
    psdvec_context *ctx;
    const psdvec_import_options *options;
    const char *input, *folder;
    pv_vocabulary vocabulary; /* with the frequencies, if they are known */
    bool frequencies_known;
    bool scale_chosen; /* the scale is ours to change if all numbers are whole */
    pv_rounding rounding;
    uint32_t window;     /* 0: not known */
    bool dynamic_window; /* top2grams: shortened at random */
    bool fold;           /* keep one direction */
    pv_triples triples;
    uint64_t *focus_total; /* words; folded: of both sides. NULL if the frequencies are known */
    pv_import_half above, below;
    uint64_t bytes; /* of the file */
} pv_import;

static inline uint64_t pv_import_mix(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ x >> 31;
}

static inline psdvec_status pv_import_add(pv_import *m, uint32_t i, uint32_t j, uint64_t value)
{
    if (m->focus_total) { /* the total of all is checked */
        m->focus_total[j] += value;
        m->focus_total[i] += m->fold ? value : 0;
    }
    return value ? pv_triples_add(&m->triples, i, j, value) : PSDVEC_OK;
}

/* Half of a diagonal element: GloVe counts a word near itself twice. */
uint64_t pv_import_halve(pv_import *m, uint64_t value);

/* One record: word i stood before word j, `value` units. */
static inline psdvec_status pv_import_pair(pv_import *m, uint32_t i, uint32_t j, uint64_t value)
{
    if (i == j)
        return pv_import_add(m, i, i, m->fold ? pv_import_halve(m, value) : value);
    pv_import_half *half = i < j ? &m->above : &m->below;
    half->records++;
    half->places += i < j ? pv_import_mix(i, j) : pv_import_mix(j, i);
    half->sum += value;
    return m->fold && i > j ? PSDVEC_OK : pv_import_add(m, i, j, value);
}

/* True if the two halves have the same pairs with the same counts. */
bool pv_import_is_symmetric(const pv_import *m);

/* Sets the scale and gets ready for records; the words must be there.
 * `suggested` is what the file says (0: nothing); `whole`: it holds integers. */
psdvec_status pv_import_begin(pv_import *m, uint64_t suggested, bool whole, uint64_t expected);

/* The file says with which window it was made. */
psdvec_status pv_import_window(pv_import *m, uint64_t window);

/* The readers: words (if in the file), pv_import_begin, all records. */
psdvec_status pv_import_glove(pv_import *m);
psdvec_status pv_import_matrix_market(pv_import *m);
psdvec_status pv_import_top2grams(pv_import *m);

#endif
