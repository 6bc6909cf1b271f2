/* a is to b as c is to what: the search with three vectors.
 *
 *     add   cos(x, b) - cos(x, a) + cos(x, c)                  Mikolov, Yih and Zweig 2013
 *     mul   (cos(x, b) + 1) (cos(x, c) + 1) / (cos(x, a) + 1.001)    Levy and Goldberg 2014
 *
 * Their paper brings cosines from -1 .. 1 to 0 .. 1 first, as a product needs; the common
 * factor of that makes no difference to the order and is left out here. Where no vector has a
 * negative number, cosines are not below 0, and are taken as they are, as in the paper:
 *
 *           cos(x, b) cos(x, c) / (cos(x, a) + 0.001)
 */
#include "model/search.h"

#include "base/arguments.h"

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
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "analogies are solved by 3CosAdd or 3CosMul alone");
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
