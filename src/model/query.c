/* Queries: checking of options, nearest neighbours by cosine for one or many vectors, and
 * analogies. */
#include "model/search.h"

#include "base/arguments.h"
#include "model/options.h"

#include <math.h>

/* ---- Options ----------------------------------------------------------------------------- */

static psdvec_status check_except(psdvec_context *ctx, const psdvec_model *m, const pv_query *query)
{
    const psdvec_query_options *o = &query->options;
    for (size_t k = 0; k < o->except_count; k++)
        if (o->except[k] >= m->info.words)
            return pv_fail(ctx, PSDVEC_ERR_OPTION,
                           "`except[%zu]` is %u, but the model has %u words", k, o->except[k],
                           m->info.words);
    if (!o->except_begin)
        return PSDVEC_OK;
    for (size_t q = 0; q < query->count; q++)
        if (o->except_begin[q] > o->except_begin[q + 1] || o->except_begin[q + 1] > o->except_count)
            return pv_fail(ctx, PSDVEC_ERR_OPTION,
                           "`except_begin[%zu]` is %zu and the next is %zu; they must be in "
                           "ascending order and not exceed `except_count`, which is %zu",
                           q, o->except_begin[q], o->except_begin[q + 1], o->except_count);
    return PSDVEC_OK;
}

psdvec_status pv_query_take(psdvec_context *ctx, const psdvec_model *m,
                            const psdvec_query_options *options, size_t count, pv_query *query)
{
    *query = (pv_query){.count = count};
    psdvec_query_options *o = &query->options;
    PV_TRY(pv_options_adopt(ctx, &pv_query_table, options, o));
    uint32_t words = m->info.words;
    query->words = o->restrict_words > 0 && o->restrict_words < words ? o->restrict_words : words;
    if (o->min_frequency > 0 && !m->counts)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "%s: has no word frequencies, so `min_frequency` cannot be applied; use "
                       "`restrict` if the most frequent words come first",
                       m->path);
    return check_except(ctx, m, query);
}

bool pv_query_frequent(const psdvec_model *m, const pv_query *query, uint32_t word)
{
    return query->options.min_frequency == 0 || m->counts[word] >= query->options.min_frequency;
}

const uint32_t *pv_query_except(const pv_query *query, size_t q, size_t *count)
{
    const psdvec_query_options *o = &query->options;
    size_t begin = o->except_begin ? o->except_begin[q] : 0;
    *count = o->except_begin ? o->except_begin[q + 1] - begin : o->except_count;
    return *count ? o->except + begin : NULL;
}

psdvec_status pv_query_check_vector(psdvec_context *ctx, const float *vector, uint32_t dim,
                                    size_t q)
{
    for (uint32_t k = 0; k < dim; k++)
        if (!isfinite(vector[k]))
            return pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                           "component %u of vector %zu of the query is not finite", k + 1, q + 1);
    return PSDVEC_OK;
}

/* ---- Nearest neighbours ------------------------------------------------------------------ */

static double cosine_itself(const double *cosines)
{
    return cosines[0];
}

static psdvec_status search_one(psdvec_context *ctx, const psdvec_model *model, const float *vector,
                                const pv_query *query, size_t q, size_t most,
                                psdvec_neighbour *neighbours, size_t *found)
{
    const pv_search search = {
        .vectors = {vector}, .vector_count = 1, .score = cosine_itself, .most = most};
    return pv_model_search(ctx, model, &search, query, q, neighbours, found);
}

psdvec_status psdvec_model_similar(psdvec_context *ctx, const psdvec_model *model,
                                   const float *vector, const psdvec_query_options *options,
                                   size_t most, psdvec_neighbour *neighbours, size_t *found)
{
    pv_query query;
    PV_BEGIN(ctx);
    PV_NEED(ctx, found);
    *found = 0;
    PV_NEED(ctx, model);
    PV_NEED(ctx, vector);
    PV_NEED_ARRAY(ctx, neighbours, most);
    PV_TRY(pv_query_take(ctx, model, options, 1, &query));
    PV_TRY(pv_query_check_vector(ctx, vector, model->info.dim, 0));
    return search_one(ctx, model, vector, &query, 0, most, neighbours, found);
}

psdvec_status psdvec_model_similar_many(psdvec_context *ctx, const psdvec_model *model,
                                        const float *vectors, size_t count,
                                        const psdvec_query_options *options, size_t most,
                                        psdvec_neighbour *neighbours, size_t *found)
{
    pv_query query;
    size_t cells;
    PV_BEGIN(ctx);
    PV_NEED_ARRAY(ctx, found, count);
    for (size_t q = 0; q < count; q++)
        found[q] = 0;
    PV_NEED(ctx, model);
    PV_NEED_ARRAY(ctx, vectors, count);
    if (!pv_mul(count, most, &cells))
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW,
                       "%zu neighbours of %zu vectors do not fit into memory", most, count);
    PV_NEED_ARRAY(ctx, neighbours, cells);
    PV_TRY(pv_query_take(ctx, model, options, count, &query));
    size_t dim = model->info.dim;
    for (size_t q = 0; q < count; q++)
        PV_TRY(pv_query_check_vector(ctx, vectors + q * dim, model->info.dim, q));
    if (cells == 0)
        return PSDVEC_OK;
    size_t batch = pv_search_many_batch(ctx, model, &query, most);
    if (batch > 0)
        return pv_search_many(ctx, model, &query, vectors, batch, most, neighbours, found);
    for (size_t q = 0; q < count; q++)
        PV_TRY(search_one(ctx, model, vectors + q * dim, &query, q, most, neighbours + q * most,
                          &found[q]));
    return PSDVEC_OK;
}

/* ---- Analogies --------------------------------------------------------------------------- */

/* a is to b as c is to what: a search with three vectors.
 *
 *     add   cos(x, b) - cos(x, a) + cos(x, c)                  Mikolov, Yih and Zweig 2013
 *     mul   (cos(x, b) + 1) (cos(x, c) + 1) / (cos(x, a) + 1.001)    Levy and Goldberg 2014
 *
 * The paper first maps cosines from -1 .. 1 to 0 .. 1, as a product requires; the common factor
 * does not affect the order and is left out here. If no vector has a negative component, cosines
 * are not below 0 and are used as they are, as in the paper:
 *
 *           cos(x, b) cos(x, c) / (cos(x, a) + 0.001)
 */

enum { A, B, C };

static double score_add(const double *cosines)
{
    return cosines[B] - cosines[A] + cosines[C];
}

static double score_mul(const double *cosines)
{
    return (cosines[B] + 1) * (cosines[C] + 1) / (cosines[A] + 1.001);
}

static double score_mul_as_is(const double *cosines)
{
    return cosines[B] * cosines[C] / (cosines[A] + 0.001);
}

static bool has_negative(const float *vector, uint32_t dim)
{
    for (uint32_t k = 0; k < dim; k++)
        if (vector[k] < 0)
            return true;
    return false;
}

static pv_score_fn *score_of(const psdvec_model *m, psdvec_measure method, const float *a,
                             const float *b, const float *c)
{
    uint32_t dim = m->info.dim;
    if (method == PSDVEC_MEASURE_ADD)
        return score_add;
    if (has_negative(a, dim) || has_negative(b, dim) || has_negative(c, dim))
        return score_mul;
    return pv_model_explicit(m) ? score_mul_as_is : score_mul;
}

psdvec_status psdvec_model_analogy(psdvec_context *ctx, const psdvec_model *model,
                                   psdvec_measure method, const float *a, const float *b,
                                   const float *c, const psdvec_query_options *options, size_t most,
                                   psdvec_neighbour *answers, size_t *found)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, found);
    *found = 0;
    PV_NEED(ctx, model);
    PV_NEED(ctx, a);
    PV_NEED(ctx, b);
    PV_NEED(ctx, c);
    PV_NEED_ARRAY(ctx, answers, most);
    if (method != PSDVEC_MEASURE_ADD && method != PSDVEC_MEASURE_MUL)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "the analogy method must be 3CosAdd or 3CosMul");
    const pv_search search = {.vectors = {[A] = a, [B] = b, [C] = c},
                              .vector_count = 3,
                              .score = score_of(model, method, a, b, c),
                              .most = most};
    pv_query query;
    PV_TRY(pv_query_take(ctx, model, options, 1, &query));
    for (size_t k = 0; k < 3; k++)
        PV_TRY(pv_query_check_vector(ctx, search.vectors[k], model->info.dim, k));
    return pv_model_search(ctx, model, &search, &query, 0, answers, found);
}
