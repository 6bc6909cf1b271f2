/* Computes tiles of scores and their sums. */
#include "document/partition_function.h"

#include "base/blas.h"
#include "base/random.h"
#include "base/thread.h"
#include "model/model_read.h"

#include <math.h>

enum {
    RANGE = 4096,     /* words per task */
    TILE = 512,       /* words per matrix product */
    BLOCK = 256,      /* contexts per task */
    SAMPLING = 0x5a3e /* stream number of random numbers */
};

/* The words to sum over: all of the vocabulary, or a sample. */
typedef struct candidates {
    uint32_t count;
    const float *vectors; /* count x dim */
    const float *log_p;   /* with sampling, minus log pi */
    const float *shift;   /* or NULL */
    const uint32_t *word; /* NULL: all words */
} candidates;

struct pv_partition_function {
    const pv_conditional *c;
    pv_scope memory;
    candidates all;
    uint32_t *edges; /* ranges + 1 */
    uint32_t ranges;
    float *tiles; /* one tile per worker */
    size_t tile_size;
    uint32_t tile;     /* words per tile; RANGE with residuals, to search their rows less often */
    pv_exp_sums *sums; /* contexts x ranges */
    size_t sum_capacity;
    /* Sampling */
    double *inclusion; /* words: pi; NULL: exact */
    uint32_t sample_capacity;
    uint64_t batch;
    float *vectors, *log_p, *shift;
    uint32_t *word;
    uint32_t *place; /* words: index in the sample, or UINT32_MAX */
    /* The current call */
    const pv_contexts *contexts;
    float temperature;
};

/* Divides `words` words into ranges. */
static void divide(pv_partition_function *n, uint32_t words)
{
    n->ranges = 0;
    n->edges[0] = 0;
    for (uint32_t edge = 0; edge < words;) {
        edge = words - edge > RANGE ? edge + RANGE : words;
        n->edges[++n->ranges] = edge;
    }
}

/* ---- Sampling -------------------------------------------------------------------------------- */

/* pi_w = min(1, rate q_w), where q is half p and half uniform, so that a rare word that is likely
 * in a context does not get too large a weight. Returns the sum of pi. */
static double include_at(pv_partition_function *n, double rate)
{
    const pv_conditional *c = n->c;
    double sum = 0;
    for (uint32_t i = 0; i < c->words; i++) {
        double q = 0.5 * exp(c->log_unigram[i]) + 0.5 / c->words;
        n->inclusion[i] = fmin(1, rate * q);
        sum += n->inclusion[i];
    }
    return sum;
}

/* Finds the rate at which the expected sample size is `wanted`, which is less than the
 * vocabulary. */
static psdvec_status choose_inclusion(pv_partition_function *n, uint32_t wanted)
{
    double low = 0, high = 1;
    PV_TAKE(&n->memory, n->inclusion, n->c->words);
    PV_TRY(pv_scope_status(&n->memory));
    while (include_at(n, high) < wanted)
        high *= 2;
    for (int step = 0; step < 60; step++) {
        double middle = 0.5 * (low + high);
        *(include_at(n, middle) < wanted ? &low : &high) = middle;
    }
    include_at(n, high);
    n->sample_capacity = wanted + 2;
    return PSDVEC_OK;
}

static psdvec_status open_sample(pv_partition_function *n, uint32_t wanted)
{
    const pv_conditional *c = n->c;
    PV_TRY(choose_inclusion(n, wanted));
    PV_TAKE(&n->memory, n->vectors, (size_t)n->sample_capacity * c->dim);
    PV_TAKE(&n->memory, n->log_p, n->sample_capacity);
    PV_TAKE(&n->memory, n->word, n->sample_capacity);
    if (c->shift)
        PV_TAKE(&n->memory, n->shift, n->sample_capacity);
    PV_TAKE(&n->memory, n->place, c->words);
    PV_TRY(pv_scope_status(&n->memory));
    memset(n->place, 0xff, c->words * sizeof *n->place);
    return PSDVEC_OK;
}

static void take_word(pv_partition_function *n, uint32_t at, uint32_t word)
{
    const pv_conditional *c = n->c;
    n->word[at] = word;
    n->log_p[at] = (float)(c->log_unigram[word] - log(n->inclusion[word]));
    if (n->shift)
        n->shift[at] = c->shift[word];
    n->place[word] = at;
    memcpy(n->vectors + (size_t)at * c->dim, c->vectors + (size_t)word * c->dim,
           c->dim * sizeof *n->vectors);
}

/* Systematic sampling: the intervals of length pi of all words are placed end to end, and the words
 * at equidistant points, 1 apart from a random start, are selected. Words with pi = 1 come first,
 * in ranges; the others are assigned to the groups in turn. */
static void draw_sample(pv_partition_function *n)
{
    const pv_conditional *c = n->c;
    uint32_t at = 0, hits = 0;
    for (uint32_t k = 0; k < n->all.count; k++)
        n->place[n->word[k]] = UINT32_MAX;
    for (uint32_t i = 0; i < c->words && at < n->sample_capacity; i++)
        if (n->inclusion[i] >= 1)
            take_word(n, at++, i);
    divide(n, at);
    double start = pv_random_unit(c->ctx->options.seed, SAMPLING, n->batch++);
    for (uint32_t group = 0; group < PV_SAMPLE_GROUPS; group++) {
        double reach = 0;
        hits = 0;
        for (uint32_t i = 0; i < c->words; i++) {
            if (n->inclusion[i] >= 1)
                continue;
            reach += n->inclusion[i];
            if (reach <= start + hits)
                continue;
            if (hits++ % PV_SAMPLE_GROUPS == group && at < n->sample_capacity)
                take_word(n, at++, i);
        }
        n->edges[++n->ranges] = at;
    }
    n->all = (candidates){
        .count = at, .vectors = n->vectors, .log_p = n->log_p, .shift = n->shift, .word = n->word};
}

/* ---- Opening --------------------------------------------------------------------------------- */

psdvec_status pv_partition_function_open(const pv_conditional *c, uint32_t sampled,
                                         pv_partition_function **out)
{
    psdvec_context *ctx = c->ctx;
    pv_partition_function *n = *out = pv_alloc_zero(ctx, 1, sizeof *n, "sums over the vocabulary");
    if (!n)
        return pv_failure(ctx);
    n->c = c;
    n->memory = (pv_scope){.ctx = ctx, .what = "sums over the vocabulary"};
    n->tile = c->residuals ? RANGE : TILE;
    n->tile_size = (size_t)BLOCK * n->tile;
    PV_TAKE(&n->memory, n->edges, c->words / RANGE + PV_SAMPLE_GROUPS + 3);
    PV_TAKE(&n->memory, n->tiles, (size_t)psdvec_threads(ctx) * n->tile_size);
    PV_TRY(pv_scope_status(&n->memory));
    if (sampled > 0 && sampled < c->words)
        return open_sample(n, sampled);
    n->all = (candidates){
        .count = c->words, .vectors = c->vectors, .log_p = c->log_p, .shift = c->shift};
    divide(n, c->words);
    return PSDVEC_OK;
}

void pv_partition_function_close(pv_partition_function *n)
{
    if (!n)
        return;
    pv_scope_free(&n->memory);
    pv_free(n->c->ctx, n);
}

void pv_partition_function_rewind(pv_partition_function *n)
{
    n->batch = 0;
}

bool pv_partition_function_sampled(const pv_partition_function *n)
{
    return n->inclusion != NULL;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Task: one block of contexts and one range of words. */
static psdvec_status sum_range(void *arg, size_t task, int worker)
{
    pv_partition_function *n = arg;
    const pv_conditional *c = n->c;
    const pv_contexts *x = n->contexts;
    pv_exp_sums_fn *exp_sums = pv_exp_sums_best();
    uint32_t range = (uint32_t)(task % n->ranges), first = (uint32_t)(task / n->ranges) * BLOCK;
    uint32_t rows = x->count - first < BLOCK ? x->count - first : BLOCK;
    uint32_t width = n->tile;
    float *tile = n->tiles + (size_t)worker * n->tile_size;
    for (uint32_t row = 0; row < rows; row++)
        n->sums[(size_t)(first + row) * n->ranges + range] = (pv_exp_sums){.largest = -INFINITY};
    for (uint32_t from = n->edges[range]; from < n->edges[range + 1]; from += width) {
        uint32_t end = n->edges[range + 1], count = end - from < width ? end - from : width;
        if (c->replaced)
            memset(tile, 0, (size_t)rows * count * sizeof *tile);
        else
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)count, (int)c->dim,
                        1, x->h + (size_t)first * c->dim, (int)c->dim,
                        n->all.vectors + (size_t)from * c->dim, (int)c->dim, 0, tile, (int)count);
        for (uint32_t row = 0; row < rows; row++) {
            float *scores = tile + (size_t)row * count;
            pv_exp_sums sums;
            pv_contexts_adjust(x, c, first + row, n->all.word ? n->place : NULL, from, from + count,
                               scores);
            exp_sums(scores, n->all.log_p + from, n->all.shift ? n->all.shift + from : NULL,
                     (float)x->weight[first + row], n->temperature, count, &sums);
            pv_exp_sums_add(&n->sums[(size_t)(first + row) * n->ranges + range], &sums);
        }
    }
    return PSDVEC_OK;
}

/* log Z, and the mean and variance of s: its first two derivatives with respect to T. */
typedef struct moments {
    double log_z, mean, variance;
} moments;

static moments moments_of(const pv_exp_sums *sums)
{
    double mean = sums->scored / sums->sum;
    return (moments){.log_z = (double)sums->largest + log(sums->sum),
                     .mean = mean,
                     .variance = sums->squared / sums->sum - mean * mean};
}

/* The jackknife estimate, which corrects the bias of the logarithm. all: estimate from all groups;
 * without: mean of the estimates without one group. */
static double jackknife(double all, double without)
{
    return PV_SAMPLE_GROUPS * all - (PV_SAMPLE_GROUPS - 1) * without;
}

static pv_exp_sums one_term(double z, double s, double times)
{
    return (pv_exp_sums){
        .largest = (float)z, .sum = times, .scored = times * s, .squared = times * s * s};
}

/* Adds the context words exactly to `certain` and removes them from the sampled sums, because their
 * self-products can dominate Z. */
static void sum_context_words(const pv_partition_function *n, uint32_t row, pv_exp_sums *ranges,
                              pv_exp_sums *certain)
{
    const pv_conditional *c = n->c;
    const pv_contexts *x = n->contexts;
    for (size_t k = x->begin[row]; k < x->begin[row + 1]; k++) {
        uint32_t word = x->links[k].word, at = n->place[word];
        bool first = true;
        for (size_t before = x->begin[row]; before < k && first; before++)
            first = x->links[before].word != word;
        if (!first || n->inclusion[word] >= 1)
            continue;
        double s = pv_contexts_score(x, c, row, word, NULL) - x->constant[row];
        pv_exp_sums term = one_term(c->log_unigram[word] + (double)n->temperature * s, s, 1);
        pv_exp_sums_add(certain, &term);
        if (at == UINT32_MAX)
            continue;
        uint32_t range = n->ranges - PV_SAMPLE_GROUPS;
        while (at >= n->edges[range + 1])
            range++;
        term = one_term((double)n->log_p[at] + (double)n->temperature * s, s, -1);
        pv_exp_sums_add(&ranges[range], &term);
        if (!(ranges[range].sum > 0))
            ranges[range] = (pv_exp_sums){.largest = -INFINITY};
    }
}

/* Computes log Z from the sums of a row's ranges. */
static psdvec_status finish_row(const pv_partition_function *n, uint32_t row, pv_partition *out)
{
    const pv_conditional *c = n->c;
    pv_exp_sums *ranges = n->sums + (size_t)row * n->ranges;
    uint32_t groups = n->inclusion ? PV_SAMPLE_GROUPS : 0, sure = n->ranges - groups;
    pv_exp_sums all = {.largest = -INFINITY}, certain;
    if (c->absent_share > 0)
        all = (pv_exp_sums){.largest = (float)log(c->absent_share), .sum = 1};
    for (uint32_t k = 0; k < sure; k++)
        pv_exp_sums_add(&all, &ranges[k]);
    if (groups)
        sum_context_words(n, row, ranges, &all);
    certain = all;
    for (uint32_t k = sure; k < n->ranges; k++)
        pv_exp_sums_add(&all, &ranges[k]);
    if (!(isfinite(all.largest) && isfinite(all.sum) && all.sum > 0))
        return pv_fail(c->ctx, PSDVEC_ERR_NUMERIC,
                       "%s: a sum over the vocabulary is not a number; the vectors may be damaged "
                       "(verify the checksums), or the `temperature` is too high",
                       c->model->path);
    moments m = moments_of(&all), without = {0};
    *out = (pv_partition){0};
    for (uint32_t g = 0; g < groups; g++) {
        pv_exp_sums rest = {.largest = -INFINITY};
        for (uint32_t k = 0; k < groups; k++)
            if (k != g)
                pv_exp_sums_add(&rest, &ranges[sure + k]);
        double scale = (double)PV_SAMPLE_GROUPS / (PV_SAMPLE_GROUPS - 1);
        rest.sum *= scale;
        rest.scored *= scale;
        rest.squared *= scale;
        pv_exp_sums_add(&rest, &certain);
        moments one = moments_of(&rest);
        out->without[g] = one.log_z;
        without.log_z += one.log_z / PV_SAMPLE_GROUPS;
        without.mean += one.mean / PV_SAMPLE_GROUPS;
        without.variance += one.variance / PV_SAMPLE_GROUPS;
    }
    if (groups)
        m = (moments){jackknife(m.log_z, without.log_z), jackknife(m.mean, without.mean),
                      jackknife(m.variance, without.variance)};
    out->log_z = m.log_z;
    out->mean = m.mean;
    out->variance = m.variance;
    return PSDVEC_OK;
}

psdvec_status pv_partition_function_sum(pv_partition_function *n, const pv_contexts *contexts,
                                        double temperature, pv_partition *partitions)
{
    psdvec_context *ctx = n->c->ctx;
    if (contexts->count == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(ctx));
    if (n->inclusion)
        draw_sample(n);
    size_t wanted = (size_t)contexts->count * n->ranges;
    if (wanted > n->sum_capacity) {
        pv_scope_drop(&n->memory, n->sums);
        n->sum_capacity = 0;
        PV_TAKE(&n->memory, n->sums, wanted);
        PV_TRY(pv_scope_status(&n->memory));
        n->sum_capacity = wanted;
    }
    n->contexts = contexts;
    n->temperature = (float)temperature;
    size_t blocks = (contexts->count + BLOCK - 1) / BLOCK;
    PV_TRY(pv_parallel_tasks(ctx, blocks * n->ranges, sum_range, n));
    for (uint32_t row = 0; row < contexts->count; row++)
        PV_TRY(finish_row(n, row, &partitions[row]));
    return PSDVEC_OK;
}
