/* a is to b as c is to what: the search with three vectors.
 *
 *     add   cos(x, b) - cos(x, a) + cos(x, c)                  Mikolov, Yih and Zweig 2013
 *     mul   (cos(x, b) + 1) (cos(x, c) + 1) / (cos(x, a) + 1.001)    Levy and Goldberg 2014
 *
 * Their paper brings cosines from -1 .. 1 to 0 .. 1 first, as a product needs; the common
 * factor of that makes no difference to the order and is left out here.
 */
#include "model/search.h"

enum { A, B, C };

static double score_add(const double *cosines)
{
    return cosines[B] - cosines[A] + cosines[C];
}

static double score_mul(const double *cosines)
{
    return (cosines[B] + 1) * (cosines[C] + 1) / (cosines[A] + 1.001);
}

psdvec_status psdvec_model_analogy(psdvec_context *ctx, const psdvec_model *model,
                                   psdvec_measure method, const float *a, const float *b,
                                   const float *c, const uint32_t *except, size_t except_count,
                                   size_t most, psdvec_neighbour *answers, size_t *found)
{
    pv_begin(ctx);
    *found = 0;
    if (method != PSDVEC_MEASURE_ADD && method != PSDVEC_MEASURE_MUL)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "analogies are solved by 3CosAdd or 3CosMul alone");
    const pv_search search = {.vectors = {[A] = a, [B] = b, [C] = c},
                              .vector_count = 3,
                              .score = method == PSDVEC_MEASURE_ADD ? score_add : score_mul,
                              .except = except,
                              .except_count = except_count,
                              .most = most};
    return pv_model_search(ctx, model, &search, answers, found);
}
