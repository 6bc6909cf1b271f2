/* psdvec_topics_tree: a hierarchy of topics.
 *
 * Agglomerative clustering that keeps as much information about words as possible, as in the
 * agglomerative information bottleneck (Slonim and Tishby 1999). A cluster is the mixture of its
 * topics; with a_w = m_a P(w | a), the joint probability of cluster and word, merging a and b loses
 *
 *     (m_a + m_b) JS(P_a, P_b) = F(a) + F(b) - F(a + b) + f(m_a + m_b) - f(m_a) - f(m_b)
 *
 * bits per word, where f(x) = x log2 x and F(a) = sum_w f(a_w). So a pair needs one logarithm per
 * word. The losses of all merges add up to the mutual information of topics and words.
 *
 * Unlike those of Ward's method, the losses can decrease from one merge to the next, though rarely;
 * the heights are their running maximum, so that cutting the tree at a height gives the same groups
 * as undoing the last merges.
 *
 * Time: topics^2 x words. Memory: topics x words floats, topics^2 doubles.
 */
#include "base/arguments.h"
#include "base/thread.h"
#include "topic/relations.h"

#include <math.h>
#include <string.h>

/* Words that are summed in single precision. */
enum { BLOCK = 256 };

/* ---- Logarithms ------------------------------------------------------------------------------ */

/* Adds x log2 x to the sums, for x = a + b with 0 <= x < 2^127: 2/ln 2 times the series of atanh at
 * (m - 1) / (m + 1), where the mantissa m is between 1/sqrt 2 and sqrt 2. Loops over lanes, with the
 * bits copied between them, are what compilers vectorise. */
static inline void add_terms(const float *a, const float *b, float *sums)
{
    float x[PV_TOPIC_LANES], mantissa[PV_TOPIC_LANES], exponent[PV_TOPIC_LANES];
    int32_t bits[PV_TOPIC_LANES];
    for (int k = 0; k < PV_TOPIC_LANES; k++) {
        x[k] = a[k] + b[k];
        mantissa[k] = x[k] + 1e-37f; /* not 0 */
    }
    memcpy(bits, mantissa, sizeof bits);
    for (int k = 0; k < PV_TOPIC_LANES; k++) {
        int32_t power = (bits[k] - 0x3f3504f3) >> 23;
        exponent[k] = (float)power;
        bits[k] -= power * (1 << 23);
    }
    memcpy(mantissa, bits, sizeof bits);
    for (int k = 0; k < PV_TOPIC_LANES; k++) {
        float t = (mantissa[k] - 1) / (mantissa[k] + 1), t2 = t * t;
        float series =
            t * (2.88539008f + t2 * (0.961796694f + t2 * (0.577078016f + t2 * 0.412198583f)));
        sums[k] += x[k] * (exponent[k] + series);
    }
}

double pv_entropy_sum(const float *a, const float *b, size_t n)
{
    double total = 0;
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t end = from + BLOCK < n ? from + BLOCK : n;
        float sums[PV_TOPIC_LANES] = {0};
        for (size_t i = from; i < end; i += PV_TOPIC_LANES)
            add_terms(a + i, b + i, sums);
        for (int k = 0; k < PV_TOPIC_LANES; k++)
            total += (double)sums[k];
    }
    return total;
}

/* ---- Clusters -------------------------------------------------------------------------------- */

typedef struct clusters {
    uint32_t count;  /* topics */
    size_t stride;   /* words, rounded up to lanes */
    float *joint;    /* count x stride: a */
    float *zero;     /* stride */
    double *mass;    /* count: m */
    double *entropy; /* count: F - f(m) */
    double *loss;    /* count x count: of merging i < j */
    uint32_t *best;  /* count: the j > i with the smallest loss; `count` if there is none */
    uint32_t *id;    /* count: number of the cluster in this place; UINT32_MAX: it was merged */
    uint32_t *size;  /* count: topics in it */
    uint32_t merged; /* the place whose losses are computed again */
} clusters;

static double f(double x)
{
    return x > 0 ? x * log2(x) : 0;
}

static void measure_loss(const clusters *c, size_t i, size_t j)
{
    double both = pv_entropy_sum(c->joint + i * c->stride, c->joint + j * c->stride, c->stride) -
                  f(c->mass[i] + c->mass[j]);
    double loss = c->entropy[i] + c->entropy[j] - both;
    c->loss[i < j ? i * c->count + j : j * c->count + i] = loss > 0 ? loss : 0;
}

static void find_best(clusters *c, uint32_t i)
{
    const double *row = c->loss + (size_t)i * c->count;
    c->best[i] = c->count;
    for (uint32_t j = i + 1; j < c->count; j++)
        if (c->id[j] != UINT32_MAX && (c->best[i] == c->count || row[j] < row[c->best[i]]))
            c->best[i] = j;
}

/* F and m of the cluster in a place. */
static void weigh(clusters *c, size_t i)
{
    const float *row = c->joint + i * c->stride;
    double mass = 0;
    for (size_t w = 0; w < c->stride; w++)
        mass += (double)row[w];
    c->mass[i] = mass;
    c->entropy[i] = pv_entropy_sum(row, c->zero, c->stride) - f(mass);
}

static psdvec_status measure_row(void *arg, size_t task, int worker)
{
    clusters *c = arg;
    (void)worker;
    for (size_t j = task + 1; j < c->count; j++)
        measure_loss(c, task, j);
    return PSDVEC_OK;
}

static psdvec_status measure_again(void *arg, size_t task, int worker)
{
    clusters *c = arg;
    (void)worker;
    if (task != c->merged && c->id[task] != UINT32_MAX)
        measure_loss(c, task, c->merged);
    return PSDVEC_OK;
}

/* Merges the cluster in place j into that in place i < j. */
static psdvec_status merge(psdvec_context *ctx, clusters *c, uint32_t i, uint32_t j, uint32_t id)
{
    float *a = c->joint + i * c->stride;
    const float *b = c->joint + j * c->stride;
    for (size_t w = 0; w < c->stride; w++)
        a[w] += b[w];
    c->id[i] = id;
    c->id[j] = UINT32_MAX;
    c->size[i] += c->size[j];
    weigh(c, i);
    c->merged = i;
    PV_TRY(pv_parallel_tasks(ctx, c->count, measure_again, c));
    for (uint32_t k = 0; k < c->count; k++)
        if (c->id[k] != UINT32_MAX)
            find_best(c, k);
    return PSDVEC_OK;
}

static psdvec_status merge_all(psdvec_context *ctx, clusters *c, psdvec_topic_merge *merges)
{
    double height = 0;
    for (uint32_t k = 0; k < c->count; k++)
        find_best(c, k);
    for (uint32_t step = 0; step + 1 < c->count; step++) {
        uint32_t i = c->count;
        for (uint32_t k = 0; k < c->count; k++)
            if (c->id[k] != UINT32_MAX && c->best[k] < c->count &&
                (i == c->count || c->loss[(size_t)k * c->count + c->best[k]] <
                                      c->loss[(size_t)i * c->count + c->best[i]]))
                i = k;
        uint32_t j = c->best[i], a = c->id[i], b = c->id[j];
        double loss = c->loss[(size_t)i * c->count + j];
        height = loss > height ? loss : height;
        merges[step] =
            (psdvec_topic_merge){a < b ? a : b, a < b ? b : a, height, c->size[i] + c->size[j]};
        PV_TRY(merge(ctx, c, i, j, c->count + step));
    }
    return PSDVEC_OK;
}

psdvec_status pv_topics_tree(psdvec_context *ctx, const psdvec_topics *topics,
                             psdvec_topic_merge *merges)
{
    uint32_t words = topics->info.words;
    size_t count = topics->info.topics;
    clusters c = {.count = topics->info.topics, .stride = pv_topic_stride(words)};
    pv_scope scope = {.ctx = ctx, .what = "the hierarchy of the topics"};
    psdvec_status status;
    PV_TAKE_ZERO(&scope, c.joint, count * c.stride);
    PV_TAKE_ZERO(&scope, c.zero, c.stride);
    PV_TAKE(&scope, c.mass, count);
    PV_TAKE(&scope, c.entropy, count);
    PV_TAKE(&scope, c.loss, count * count);
    PV_TAKE(&scope, c.best, count);
    PV_TAKE(&scope, c.id, count);
    PV_TAKE(&scope, c.size, count);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t k = 0; k < c.count; k++) {
        for (uint32_t w = 0; w < words; w++)
            c.joint[k * c.stride + w] =
                (float)(topics->shares[k] * (double)topics->probabilities[(size_t)k * words + w]);
        weigh(&c, k);
        c.id[k] = k;
        c.size[k] = 1;
    }
    PV_TRY_DONE(pv_parallel_tasks(ctx, count, measure_row, &c));
    status = merge_all(ctx, &c, merges);
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status psdvec_topics_tree(psdvec_context *ctx, const psdvec_topics *topics,
                                 psdvec_topic_merge *merges)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED_ARRAY(ctx, merges, topics->info.topics - 1);
    return pv_topics_tree(ctx, topics, merges);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* `parent`: of all clusters; itself for those that were not merged. */
static uint32_t root_of(const uint32_t *parent, uint32_t cluster)
{
    while (parent[cluster] != cluster)
        cluster = parent[cluster];
    return cluster;
}

static psdvec_status cut(psdvec_context *ctx, const psdvec_topics *topics,
                         const psdvec_topic_merge *merges, uint32_t groups, uint32_t *group)
{
    uint32_t count = topics->info.topics, found = 0;
    pv_scope scope = {.ctx = ctx, .what = "the groups of topics"};
    psdvec_status status;
    uint32_t *parent, *order;
    double *share;
    PV_TAKE(&scope, parent, 2 * (size_t)count);
    PV_TAKE(&scope, order, groups);
    PV_TAKE_ZERO(&scope, share, 2 * (size_t)count);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t k = 0; k < 2 * count; k++)
        parent[k] = k;
    for (uint32_t step = 0; step < count - groups; step++) {
        uint32_t own = count + step;
        if (merges[step].first >= own || merges[step].second >= own) {
            status = pv_fail(ctx, PSDVEC_ERR_OPTION,
                             "`merges[%u]` merges a cluster that does not exist yet; pass what "
                             "psdvec_topics_tree returned for these topics",
                             (unsigned)step);
            goto done;
        }
        parent[merges[step].first] = parent[merges[step].second] = own;
    }
    for (uint32_t k = 0; k < count; k++)
        share[group[k] = root_of(parent, k)] += topics->shares[k];
    /* Groups by descending share, ties by their first topics. */
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = 0;
        while (at < found && order[at] != group[k])
            at++;
        if (at < found)
            continue;
        if (found == groups)
            break; /* the merges are not a tree */
        for (at = found++; at > 0 && share[group[k]] > share[order[at - 1]]; at--)
            order[at] = order[at - 1];
        order[at] = group[k];
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = 0;
        while (at < found && order[at] != group[k])
            at++;
        group[k] = at < found ? at : 0;
    }
    status = PSDVEC_OK;
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status psdvec_topics_groups(psdvec_context *ctx, const psdvec_topics *topics,
                                   const psdvec_topic_merge *merges, uint32_t groups,
                                   uint32_t *group)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED_ARRAY(ctx, merges, topics->info.topics - 1);
    PV_NEED(ctx, group);
    if (groups < 1 || groups > topics->info.topics)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "`groups` is %u; give 1 to %u, the number of topics",
                       (unsigned)groups, (unsigned)topics->info.topics);
    return cut(ctx, topics, merges, groups, group);
}

psdvec_status psdvec_topics_group_words(psdvec_context *ctx, const psdvec_topics *topics,
                                        const uint32_t *members, size_t member_count, size_t most,
                                        psdvec_topic_word *words, size_t *found)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED_ARRAY(ctx, members, member_count);
    PV_NEED_ARRAY(ctx, words, most);
    PV_NEED(ctx, found);
    size_t vocabulary = topics->info.words;
    double total = 0;
    *found = 0;
    for (size_t i = 0; i < member_count; i++) {
        PV_NEED_INDEX(ctx, members[i], topics->info.topics);
        total += topics->shares[members[i]];
    }
    pv_scope scope = {.ctx = ctx, .what = "the words of a group of topics"};
    psdvec_status status;
    float *p;
    double *sum;
    PV_TAKE(&scope, p, vocabulary);
    PV_TAKE_ZERO(&scope, sum, vocabulary);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t i = 0; i < member_count; i++) {
        const float *row = topics->probabilities + members[i] * vocabulary;
        double weight = total > 0 ? topics->shares[members[i]] / total : 1 / (double)member_count;
        for (size_t w = 0; w < vocabulary; w++)
            sum[w] += weight * (double)row[w];
    }
    for (size_t w = 0; w < vocabulary; w++)
        p[w] = (float)sum[w];
    status = pv_topics_best_words(ctx, topics, p, most, words, found);
done:
    pv_scope_free(&scope);
    return status;
}
