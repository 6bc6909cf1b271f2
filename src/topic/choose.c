/* Choosing the number of topics (docs/explanation/topics.md).
 *
 * At most SAMPLE documents, at equal distances in the text, take part; every FOLD-th of them is held
 * out. Each trial learns topics from the rest, with fewer iterations than the final run, and
 * computes the bound of the held-out documents. The differences between two trials vary much less
 * from document to document than the bounds themselves, so that a few hundred documents suffice.
 *
 * Time: that of the trials, together about twice that of the largest.
 */
#include "topic/choose.h"

#include "base/thread.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SAMPLE = 12500,
    FOLD = 5,
    LEAST_HELD = 5, /* documents; with fewer, nothing can be chosen */
    FIRST_TOPICS = 2,
    DOCUMENTS_PER_TOPIC = 4, /* at least */
    TRIAL_ITERATIONS = 15,
    TASK_DOCUMENTS = 16
};

typedef struct choosing {
    psdvec_context *ctx;
    pv_scope memory;
    psdvec_topic_options options;
    const pv_topic_space *space;
    const uint32_t *vocabulary;
    const char *folder;
    pv_partial *partial;
    pv_documents learnt, held;
    pv_batches batches; /* of `held` */
    double known;       /* words of `held` that are in the vocabulary */
    size_t count;       /* trials */
    uint32_t *topics;   /* trials */
    double *bounds;     /* trials x held documents */
    /* Trials of an interrupted run; they count only when they are reached again. */
    size_t saved_count;
    uint32_t *saved_topics;
    double *saved_bounds;
    /* Of the current trial: */
    const pv_batch *batch;
    const pv_topic_words *words;
    float *work; /* workers x (topics + 2 stride) */
} choosing;

/* ---- One trial ------------------------------------------------------------------------------- */

static psdvec_status find_bounds(void *arg, size_t task, int worker)
{
    choosing *c = arg;
    const pv_batch *batch = c->batch;
    float *gamma = c->work + (size_t)worker * 3 * c->words->stride;
    double *bounds = c->bounds + c->count * c->held.count + batch->first;
    for (size_t k = task * TASK_DOCUMENTS; k < (task + 1) * TASK_DOCUMENTS && k < batch->count;
         k++) {
        uint64_t from = batch->begin[k];
        bounds[k] = pv_mixture_infer(c->words, batch->word + from, batch->frequency + from,
                                     (size_t)(batch->begin[k + 1] - from), gamma,
                                     gamma + c->words->stride);
    }
    return PSDVEC_OK;
}

static psdvec_status score(choosing *c, const pv_topic_words *words)
{
    psdvec_status status;
    pv_scope scope = {.ctx = c->ctx, .what = "the mixtures of held-out documents"};
    c->words = words;
    PV_TAKE(&scope, c->work, (size_t)psdvec_threads(c->ctx) * 3 * words->stride);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t b = 0; b < c->batches.count; b++) {
        PV_TRY_DONE(pv_batches_get(&c->batches, b, &c->batch));
        PV_TRY_DONE(pv_parallel_tasks(
            c->ctx, (c->batch->count + TASK_DOCUMENTS - 1) / TASK_DOCUMENTS, find_bounds, c));
    }
    status = PSDVEC_OK;
done:
    c->words = NULL;
    c->work = NULL;
    pv_scope_free(&scope);
    return status;
}

static double total(const choosing *c, size_t trial)
{
    double sum = 0;
    for (size_t d = 0; d < c->held.count; d++)
        sum += c->bounds[trial * c->held.count + d];
    return sum;
}

#define STATE "trials"

static psdvec_status save(const choosing *c)
{
    const pv_tensor tensors[] = {
        pv_tensor_of("topics", PV_DTYPE_U32, c->count, 0, c->topics),
        pv_tensor_of("bounds", PV_DTYPE_F64, c->count, c->held.count, c->bounds)};
    return c->partial ? pv_partial_save(c->partial, STATE, tensors, 2) : PSDVEC_OK;
}

static psdvec_status load(choosing *c)
{
    pv_st_file *file = NULL;
    const pv_tensor *topics, *bounds;
    psdvec_status status = PSDVEC_OK;
    if (c->partial)
        PV_TRY(pv_partial_load(c->partial, STATE, &file));
    if (!file)
        return PSDVEC_OK;
    PV_TRY_DONE(pv_state_require(c->ctx, file, "topics", PV_DTYPE_U32, -1, 0, &topics));
    PV_TRY_DONE(pv_state_require(c->ctx, file, "bounds", PV_DTYPE_F64, (int64_t)topics->shape[0],
                                 (int64_t)c->held.count, &bounds));
    if (topics->shape[0] <= PV_MOST_TRIALS) {
        c->saved_count = topics->shape[0];
        memcpy(c->saved_topics, topics->data, topics->bytes);
        memcpy(c->saved_bounds, bounds->data, bounds->bytes);
    }
done:
    pv_st_close(file);
    return status;
}

static psdvec_status learn_and_score(choosing *c, uint32_t topics)
{
    psdvec_topic_options options = c->options;
    pv_topic_em em = {0};
    psdvec_status status;
    char stage[64];
    options.topics = topics;
    options.merge = 0;
    if (options.iterations > TRIAL_ITERATIONS)
        options.iterations = TRIAL_ITERATIONS;
    snprintf(stage, sizeof stage, "trying %u topics", (unsigned)topics);
    PV_TRY_DONE(
        pv_topic_em_init(&em, &options, c->space, &c->learnt, c->vocabulary, c->folder, NULL));
    PV_TRY_DONE(pv_topic_em_run(&em, stage));
    status = score(c, &em.words);
done:
    pv_topic_em_free(&em);
    return status;
}

/* Tries a number of topics; *trial is its index. */
static psdvec_status attempt(choosing *c, uint32_t topics, size_t *trial)
{
    size_t n = c->held.count, saved = 0;
    for (*trial = 0; *trial < c->count; ++*trial)
        if (c->topics[*trial] == topics)
            return PSDVEC_OK;
    while (saved < c->saved_count && c->saved_topics[saved] != topics)
        saved++;
    if (saved < c->saved_count)
        memcpy(c->bounds + *trial * n, c->saved_bounds + saved * n, n * sizeof *c->bounds);
    else
        PV_TRY(learn_and_score(c, topics));
    c->topics[c->count++] = topics;
    pv_note(c->ctx, "%u topics: bound %.6f per word of held-out documents", (unsigned)topics,
            total(c, *trial) / c->known);
    return saved < c->saved_count ? PSDVEC_OK : save(c);
}

/* ---- The choice ------------------------------------------------------------------------------ */

static size_t best_trial(const choosing *c)
{
    size_t best = 0;
    for (size_t k = 1; k < c->count; k++)
        if (total(c, k) > total(c, best))
            best = k;
    return best;
}

/* The standard error of the difference between the totals of two trials. */
static double error_of_difference(const choosing *c, size_t a, size_t b)
{
    size_t n = c->held.count;
    double mean = (total(c, a) - total(c, b)) / (double)n, squares = 0;
    for (size_t d = 0; d < n; d++) {
        double x = c->bounds[a * n + d] - c->bounds[b * n + d] - mean;
        squares += x * x;
    }
    return n > 1 ? sqrt(squares * (double)n / (double)(n - 1)) : 0;
}

/* Doubles the number of topics until the bound falls by more than chance, then tries numbers between
 * the best and its neighbours. */
static psdvec_status try_all(choosing *c, uint32_t most)
{
    size_t trial;
    uint32_t first = FIRST_TOPICS < most ? FIRST_TOPICS : most;
    for (uint32_t k = first; k <= most && c->count <= PV_MOST_TRIALS - 3; k *= 2) {
        PV_TRY(attempt(c, k, &trial));
        size_t best = best_trial(c);
        if (total(c, best) - total(c, trial) > error_of_difference(c, best, trial))
            break;
    }
    uint32_t best = c->topics[best_trial(c)];
    const double factors[] = {sqrt(0.5), sqrt(2)};
    for (size_t k = 0; k < 2; k++) {
        uint32_t between = (uint32_t)lround(best * factors[k]);
        if (between >= 1 && between <= most)
            PV_TRY(attempt(c, between, &trial));
    }
    return PSDVEC_OK;
}

static void decide(const choosing *c, pv_topic_choice *choice)
{
    size_t best = best_trial(c);
    choice->topics = c->topics[best];
    choice->count = c->count;
    for (size_t k = 0; k < c->count; k++) {
        double error = error_of_difference(c, best, k);
        size_t at = k;
        for (; at > 0 && choice->trials[at - 1].topics > c->topics[k]; at--)
            choice->trials[at] = choice->trials[at - 1];
        choice->trials[at] =
            (pv_topic_trial){c->topics[k], total(c, k) / c->known, error / c->known};
        if (c->topics[k] < choice->topics && total(c, best) - total(c, k) <= error)
            choice->topics = c->topics[k];
    }
}

/* ---- The documents --------------------------------------------------------------------------- */

/* Finds the documents that have words of the vocabulary. */
static psdvec_status find_filled(const choosing *c, const pv_documents *documents, pv_scope *scope,
                                 bool *filled)
{
    pv_document_entry *entries = NULL;
    size_t capacity = 0;
    for (size_t k = 0; k < documents->count; k++) {
        uint64_t count = pv_documents_entries(documents, k, 1);
        PV_TRY(PV_RESERVE(scope, entries, capacity, count));
        PV_TRY(pv_spool_read(documents->entries, documents->begin[k] * sizeof *entries, entries,
                             count * sizeof *entries));
        filled[k] = false;
        for (uint64_t e = 0; e < count && !filled[k]; e++)
            filled[k] = c->vocabulary[entries[e].word] != PSDVEC_UNKNOWN_WORD;
    }
    return PSDVEC_OK;
}

/* Divides documents at equal distances into those to learn from and those that are held out. */
static psdvec_status divide(choosing *c, const pv_documents *documents)
{
    psdvec_status status;
    size_t filled = 0, learnt = 0, held = 0, *numbers[2];
    bool *has_words;
    pv_scope scope = {.ctx = c->ctx, .what = "a sample of the documents"};
    PV_TAKE(&scope, has_words, documents->count);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(find_filled(c, documents, &scope, has_words));
    for (size_t k = 0; k < documents->count; k++)
        filled += has_words[k];
    size_t samples = filled < SAMPLE ? filled : SAMPLE;
    PV_TAKE(&scope, numbers[0], samples);
    PV_TAKE(&scope, numbers[1], samples);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t k = 0, seen = 0; k < documents->count && learnt + held < samples; k++) {
        if (!has_words[k])
            continue;
        size_t taken = learnt + held;
        if (seen++ * samples / filled != taken)
            continue;
        if (taken % FOLD == FOLD - 1)
            numbers[1][held++] = k;
        else
            numbers[0][learnt++] = k;
    }
    PV_TRY_DONE(pv_documents_pick(&c->learnt, documents, c->folder, numbers[0], learnt));
    status = pv_documents_pick(&c->held, documents, c->folder, numbers[1], held);
done:
    pv_scope_free(&scope);
    return status;
}

static psdvec_status prepare(choosing *c)
{
    PV_TRY(pv_batches_init(&c->batches, &c->held, c->vocabulary, c->space->words));
    PV_TAKE(&c->memory, c->topics, PV_MOST_TRIALS);
    PV_TAKE_ZERO(&c->memory, c->bounds, PV_MOST_TRIALS * c->held.count);
    PV_TAKE(&c->memory, c->saved_topics, PV_MOST_TRIALS);
    PV_TAKE(&c->memory, c->saved_bounds, PV_MOST_TRIALS * c->held.count);
    PV_TRY(pv_scope_status(&c->memory));
    for (size_t b = 0; b < c->batches.count; b++) {
        PV_TRY(pv_batches_get(&c->batches, b, &c->batch));
        for (uint64_t e = 0; e < c->batch->begin[c->batch->count]; e++)
            c->known += (double)c->batch->frequency[e];
    }
    return load(c);
}

psdvec_status pv_topics_choose(pv_topic_choice *choice, const psdvec_topic_options *options,
                               const pv_topic_space *space, const pv_documents *documents,
                               const uint32_t *vocabulary, const char *folder, pv_partial *partial)
{
    psdvec_context *ctx = documents->ctx;
    choosing c = {.ctx = ctx,
                  .memory = {.ctx = ctx, .what = "choosing the number of topics"},
                  .options = *options,
                  .space = space,
                  .vocabulary = vocabulary,
                  .folder = folder,
                  .partial = partial};
    psdvec_status status;
    *choice = (pv_topic_choice){0};
    PV_TRY_DONE(divide(&c, documents));
    size_t most = c.learnt.count / DOCUMENTS_PER_TOPIC;
    if (most < 1)
        most = 1;
    if (c.held.count < LEAST_HELD) {
        choice->topics = (uint32_t)most;
        pv_note(ctx, "too few documents to choose the number of topics by; %u topics",
                (unsigned)most);
        status = PSDVEC_OK;
        goto done;
    }
    PV_TRY_DONE(prepare(&c));
    PV_TRY_DONE(try_all(&c, (uint32_t)most));
    decide(&c, choice);
    status = PSDVEC_OK;
done:
    pv_batches_free(&c.batches);
    pv_documents_free(&c.held);
    pv_documents_free(&c.learnt);
    pv_scope_free(&c.memory);
    return status;
}
