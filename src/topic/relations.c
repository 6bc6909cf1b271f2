/* Distances between topics, and a map of them.
 *
 * The Hellinger distance is the Euclidean distance of square roots of probabilities, divided by
 * sqrt 2. So classical multidimensional scaling of the distances is a principal component analysis
 * of the square roots, and none of its eigenvalues is negative but by rounding.
 *
 * Time: topics^2 x words / 2 for the distances, topics^3 for the map. Memory: topics x words floats
 * for the distances, topics^2 doubles for the map.
 */
#include "topic/relations.h"

#include "base/arguments.h"
#include "base/blas.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

/* Terms that are summed in single precision. */
enum { BLOCK = 1024 };

typedef struct pairs {
    uint32_t topics;
    size_t stride;     /* words, rounded up to lanes */
    const float *root; /* topics x stride: square roots of probabilities; 0 beyond the words */
    float *distances;
} pairs;

static double squared_difference(const float *a, const float *b, size_t n)
{
    double total = 0;
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t end = from + BLOCK < n ? from + BLOCK : n;
        float sums[PV_TOPIC_LANES] = {0};
        for (size_t i = from; i < end; i += PV_TOPIC_LANES)
            for (size_t lane = 0; lane < PV_TOPIC_LANES; lane++) {
                float difference = a[i + lane] - b[i + lane];
                sums[lane] += difference * difference;
            }
        for (size_t lane = 0; lane < PV_TOPIC_LANES; lane++)
            total += (double)sums[lane];
    }
    return total;
}

static psdvec_status compare_topic(void *arg, size_t task, int worker)
{
    const pairs *p = arg;
    (void)worker;
    for (size_t k = task; k < p->topics; k++) {
        double sum =
            squared_difference(p->root + task * p->stride, p->root + k * p->stride, p->stride);
        float distance = (float)sqrt(sum < 2 ? sum / 2 : 1);
        p->distances[task * p->topics + k] = p->distances[k * p->topics + task] = distance;
    }
    return PSDVEC_OK;
}

psdvec_status pv_topics_distances(psdvec_context *ctx, const psdvec_topics *topics,
                                  float *distances)
{
    uint32_t count = topics->info.topics, words = topics->info.words;
    size_t stride = pv_topic_stride(words);
    pv_scope scope = {.ctx = ctx, .what = "the distances of the topics"};
    psdvec_status status;
    float *root;
    PV_TAKE_ZERO(&scope, root, (size_t)count * stride);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t w = 0; w < words; w++)
            root[k * stride + w] = sqrtf(topics->probabilities[(size_t)k * words + w]);
    pairs p = {count, stride, root, distances};
    status = pv_parallel_tasks(ctx, count, compare_topic, &p);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- The map --------------------------------------------------------------------------------- */

/* Column `to` of the places: the eigenvector, scaled by the square root of its eigenvalue, with the
 * element of largest magnitude positive. */
static void place(const double *vector, double value, uint32_t topics, int to, double *places)
{
    uint32_t largest = 0;
    for (uint32_t k = 1; k < topics; k++)
        if (fabs(vector[k]) > fabs(vector[largest]) * (1 + 1e-9))
            largest = k;
    double scale = sqrt(value) * (vector[largest] < 0 ? -1 : 1);
    for (uint32_t k = 0; k < topics; k++)
        places[2 * (size_t)k + (size_t)to] = scale * vector[k];
}

psdvec_status pv_topics_map(psdvec_context *ctx, uint32_t topics, const float *distances,
                            double *places)
{
    size_t n = topics;
    pv_scope scope = {.ctx = ctx, .what = "the map of the topics"};
    psdvec_status status;
    double *products, *values, *means, mean = 0;
    memset(places, 0, 2 * n * sizeof *places);
    PV_TAKE(&scope, products, n * n);
    PV_TAKE(&scope, values, n);
    PV_TAKE_ZERO(&scope, means, n);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            means[i] += (double)distances[i * n + j] * (double)distances[i * n + j];
        means[i] /= (double)n;
        mean += means[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double d = (double)distances[i * n + j];
            products[i * n + j] = -(d * d - means[i] - means[j] + mean) / 2;
        }
    PV_TRY_DONE(pv_blas_ready(ctx));
    PV_TRY_DONE(pv_symmetric_eigen(ctx, products, values, n));
    for (int c = 0; c < 2 && (size_t)c < n; c++) {
        size_t at = n - 1 - (size_t)c;
        if (values[at] > 1e-9 * values[n - 1] && values[at] > 1e-15)
            place(products + at * n, values[at], topics, c, places);
    }
    status = PSDVEC_OK;
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

psdvec_status psdvec_topics_distances(psdvec_context *ctx, const psdvec_topics *topics,
                                      float *distances)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED(ctx, distances);
    return pv_topics_distances(ctx, topics, distances);
}

psdvec_status psdvec_topics_map(psdvec_context *ctx, const psdvec_topics *topics, double *places)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED(ctx, places);
    pv_scope scope = {.ctx = ctx, .what = "the distances of the topics"};
    psdvec_status status;
    float *distances;
    PV_TAKE(&scope, distances, (size_t)topics->info.topics * topics->info.topics);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_topics_distances(ctx, topics, distances));
    status = pv_topics_map(ctx, topics->info.topics, distances, places);
done:
    pv_scope_free(&scope);
    return status;
}
