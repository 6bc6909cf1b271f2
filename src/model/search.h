/* Exact search: every word of a model is scored, and the best are found.
 *
 * What a question compares words with is at most three vectors; the score of a word is
 * a function of its cosines with them.
 */
#ifndef PV_MODEL_SEARCH_H
#define PV_MODEL_SEARCH_H

#include "model/dot.h"
#include "model/query.h"

/* cosines: with each of the vectors asked about. */
typedef double pv_score_fn(const double *cosines);

typedef struct pv_search {
    const float *vectors[PV_DOT_QUERIES]; /* dim finite numbers each, of any length */
    size_t vector_count;
    pv_score_fn *score;
    size_t most; /* answers */
} pv_search;

/* The cosines of row i with vectors of length 1 (dim numbers each), from -1 to 1: every search has
 * these bits. False: the row has no direction, or is damaged. */
bool pv_row_cosines(const pv_vector_set *set, uint64_t i, const float *const *units, size_t count,
                    double *cosines);
/* The same of a row whose square, as set->dots has it, is known. */
bool pv_row_cosines_of(const pv_vector_set *set, uint64_t i, float square,
                       const float *const *units, size_t count, double *cosines);
/* False of a row's square in single precision that is so large or small that digits of it, or of
 * the products, may be lost. */
bool pv_square_is_exact(float square);

/* Query q of `query`. `answers`: room for `most`, best first, ties by rank. None if a vector has
 * no direction, and words whose vector has none are no answers. */
psdvec_status pv_model_search(psdvec_context *ctx, const psdvec_model *model,
                              const pv_search *search, const pv_query *query, size_t q,
                              psdvec_neighbour *answers, size_t *found);

#endif
