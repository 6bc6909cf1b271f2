/* Queries: checked options, and exact search, which scores every word of a model and finds the
 * best.
 *
 * A query has at most three vectors; the score of a word is a function of its cosines with them.
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

/* The words that are excluded from the answers to query q. */
const uint32_t *pv_query_except(const pv_query *query, size_t q, size_t *count);

/* Whether the word occurs often enough to be an answer. */
bool pv_query_frequent(const psdvec_model *model, const pv_query *query, uint32_t word);

/* PSDVEC_ERR_NUMERIC if one of the `dim` components of vector q is not finite. */
psdvec_status pv_query_check_vector(psdvec_context *ctx, const float *vector, uint32_t dim,
                                    size_t q);

/* Records word i in *bad, if it is the first so far whose vector has a length that is not finite. */
void pv_search_note_bad(_Atomic uint32_t *bad, double length, uint64_t i);

/* ---- The best answers so far, as a heap with the worst of them at the top -----------------------
 *
 * Answers are ordered by score, and equal scores by rank. This is a strict total order, so the
 * answers that are kept, and their order, do not depend on the order in which they arrive. */

typedef struct pv_best {
    psdvec_neighbour *heap; /* most */
    size_t count, most;
} pv_best;

/* True if a ranks below b: a smaller score, or the same score and a later word. */
static inline bool pv_best_is_worse(const psdvec_neighbour *a, const psdvec_neighbour *b)
{
    return a->cosine != b->cosine ? a->cosine < b->cosine : a->word > b->word;
}

/* Adds an answer; if the heap is full, replaces the worst. */
void pv_best_keep(pv_best *best, psdvec_neighbour answer);
/* The same, if the answer is good enough. `most` is not 0. */
static inline void pv_best_try(pv_best *best, psdvec_neighbour answer)
{
    if (best->count < best->most || pv_best_is_worse(&best->heap[0], &answer))
        pv_best_keep(best, answer);
}

/* Turns the heap into a list, best first. */
void pv_best_sort(pv_best *best);

/* ---- One query ---------------------------------------------------------------------------- */

/* cosines: with each of the query vectors. */
typedef double pv_score_fn(const double *cosines);

typedef struct pv_search {
    const float *vectors[PV_DOT_QUERIES]; /* dim finite components each, of any length */
    size_t vector_count;
    pv_score_fn *score;
    size_t most; /* answers */
} pv_search;

/* The cosines of row i with vectors of length 1 (dim components each), from -1 to 1; all searches
 * give the same bits. False: the row has no direction, or is damaged. */
bool pv_row_cosines(const pv_vector_set *set, uint64_t i, const float *const *units, size_t count,
                    double *cosines);
/* False if a row's squared length in single precision is so large or small that it, or the
 * products, may have lost precision. */
bool pv_square_is_exact(float square);

/* Runs query q of `query`. `answers`: up to `most`, best first, ties by rank. There are none if a
 * query vector has no direction; words whose vector has no direction are excluded. */
psdvec_status pv_model_search(psdvec_context *ctx, const psdvec_model *model,
                              const pv_search *search, const pv_query *query, size_t q,
                              psdvec_neighbour *answers, size_t *found);

/* ---- Neighbours of many vectors in one pass over the rows of a model that is not sparse ------ */

/* The best batch size for the number of queries and the memory that is left; 0: use single queries,
 * which are faster or the only way. */
size_t pv_search_many_batch(psdvec_context *ctx, const psdvec_model *model, const pv_query *query,
                            size_t most);

/* vectors: query->count x dim, all finite; neighbours: query->count x most, most > 0; found:
 * query->count. Every query gets the same words and bits as a single query. */
psdvec_status pv_search_many(psdvec_context *ctx, const psdvec_model *model, const pv_query *query,
                             const float *vectors, size_t batch, size_t most,
                             psdvec_neighbour *neighbours, size_t *found);

#endif
