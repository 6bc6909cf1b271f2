/* Queries: their options, checked, and exact search: every word of a model is scored, and the best
 * are found.
 *
 * What a question compares words with is at most three vectors; the score of a word is
 * a function of its cosines with them.
 */
#ifndef PV_MODEL_SEARCH_H
#define PV_MODEL_SEARCH_H

#include "model/dot.h"
#include "model/model_read.h"

typedef struct pv_query {
    psdvec_query_options options;
    uint32_t words; /* only words below this are answers */
    size_t count;   /* queries */
} pv_query;

/* `options` NULL: the defaults. `count`: queries, for which options->except_begin has lists. */
psdvec_status pv_query_take(psdvec_context *ctx, const psdvec_model *model,
                            const psdvec_query_options *options, size_t count, pv_query *query);

/* The words that are no answers to query q. */
const uint32_t *pv_query_except(const pv_query *query, size_t q, size_t *count);

/* Whether the word occurs often enough to be an answer. */
bool pv_query_frequent(const psdvec_model *model, const pv_query *query, uint32_t word);

/* PSDVEC_ERR_NUMERIC if one of the `dim` numbers of vector q is not finite. */
psdvec_status pv_query_check_vector(psdvec_context *ctx, const float *vector, uint32_t dim,
                                    size_t q);

/* ---- The best answers so far, as a heap with the worst of them at the top -----------------------
 *
 * Answers are ordered by score, and equal scores by rank, so any two differ: which answers are
 * kept, and in which order, does not depend on the order in which they arrive. */

typedef struct pv_best {
    psdvec_neighbour *heap; /* most */
    size_t count, most;
} pv_best;

/* True if a comes after b: a smaller score, or the same and a later word. */
static inline bool pv_best_is_worse(const psdvec_neighbour *a, const psdvec_neighbour *b)
{
    return a->cosine != b->cosine ? a->cosine < b->cosine : a->word > b->word;
}

/* Keeps an answer, instead of the worst if there are enough. */
void pv_best_keep(pv_best *best, psdvec_neighbour answer);
/* The same if it is good enough. `most` is not 0. */
static inline void pv_best_try(pv_best *best, psdvec_neighbour answer)
{
    if (best->count < best->most || pv_best_is_worse(&best->heap[0], &answer))
        pv_best_keep(best, answer);
}

/* The heap becomes a list, best first. */
void pv_best_sort(pv_best *best);

/* ---- One question ------------------------------------------------------------------------------ */

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
/* False of a row's square in single precision that is so large or small that digits of it, or of
 * the products, may be lost. */
bool pv_square_is_exact(float square);

/* Query q of `query`. `answers`: `most`, best first, ties by rank. None if a vector has
 * no direction, and words whose vector has none are no answers. */
psdvec_status pv_model_search(psdvec_context *ctx, const psdvec_model *model,
                              const pv_search *search, const pv_query *query, size_t q,
                              psdvec_neighbour *answers, size_t *found);

/* ---- Neighbours of many vectors in one pass over the rows of a model that is not sparse --------- */

/* How many of the queries are best put at a time, by their number and the memory that is left; 0:
 * single queries are faster, or the only way. */
size_t pv_search_many_batch(psdvec_context *ctx, const psdvec_model *model, const pv_query *query,
                            size_t most);

/* vectors: query->count x dim, all finite; neighbours: query->count x most, most > 0; found:
 * query->count. Every query gets the words and the bits of a single one. */
psdvec_status pv_search_many(psdvec_context *ctx, const psdvec_model *model, const pv_query *query,
                             const float *vectors, size_t batch, size_t most,
                             psdvec_neighbour *neighbours, size_t *found);

#endif
