/* Learning topics by variational EM. */
#include "topic/em.h"

#include "base/thread.h"
#include "eval/kmeans.h"
#include "topic/alpha.h"
#include "topic/gradient.h"
#include "topic/merge.h"

#include <math.h>
#include <string.h>

enum {
    TASK_DOCUMENTS = 16,
    TASK_WORDS = 64,
    LEAST_ITERATIONS = 5,
    /* Alpha is fitted when topics differ: mixtures of the first iterations would make it too large. */
    ALPHA_FROM = 10,
    START_DOCUMENTS = 2000, /* that are clustered */
    START_DIM = 64          /* axes of largest variance that are used for it */
};
#define SWEEP_TOLERANCE 1e-3
/* Words of the base distribution that are added to a document, and to a cluster, at the start. */
#define START_PRIOR 20.0
#define START_LENGTH 0.5f
/* The maximum length of a vector at the start, in the space of the word vectors. If one document
 * dominates the text, centres of others may be so far away that their words have probability 0. */
#define START_MOST 5.0

/* ---- The start ------------------------------------------------------------------------------- */

/* The sum of the features of a document's words, weighted by their frequency. */
static double add_features(const pv_topic_em *em, const pv_batch *batch, size_t document,
                           float *sum)
{
    const pv_topic_space *s = em->space;
    double known = 0;
    for (uint64_t e = batch->begin[document]; e < batch->begin[document + 1]; e++) {
        const float *row = s->features + (size_t)batch->word[e] * s->dim;
        for (uint32_t d = 0; d < s->dim; d++)
            sum[d] += batch->frequency[e] * row[d];
        known += (double)batch->frequency[e];
    }
    return known;
}

/* Sums of features of documents at equal distances, with their lengths. */
static psdvec_status sample_documents(pv_topic_em *em, size_t filled, size_t samples, float *sums,
                                      double *lengths)
{
    size_t seen = 0, taken = 0, batch_first = 0;
    for (size_t b = 0; b < em->batches.count; b++) {
        const pv_batch *batch;
        PV_TRY(pv_batches_get(&em->batches, b, &batch));
        for (size_t k = 0; k < batch->count; k++) {
            if (em->lengths[batch_first + k] == 0)
                continue;
            if (taken < samples && seen * samples / filled == taken) {
                lengths[taken] = add_features(em, batch, k, sums + taken * em->space->dim);
                taken++;
            }
            seen++;
        }
        batch_first += batch->count;
    }
    return PSDVEC_OK;
}

/* Topics begin at the centres of clusters of documents, or at random. */
static psdvec_status find_start(pv_topic_em *em)
{
    if (em->options.start == PSDVEC_TOPIC_START_RANDOM) {
        pv_topic_start_at_random(&em->fit, em->ctx->options.seed);
        return pv_topic_fit_start(&em->fit);
    }
    const pv_topic_space *s = em->space;
    uint32_t fixed = em->options.null_topic, clusters = em->options.topics - fixed;
    size_t filled = 0, dim = s->dim, some = dim < START_DIM ? dim : START_DIM;
    psdvec_status status = PSDVEC_OK;
    pv_scope scope = {.ctx = em->ctx, .what = "the start of the topics"};
    float *sums, *points;
    double *lengths, *centres;
    uint32_t *cluster;
    for (size_t k = 0; k < em->documents->count; k++)
        filled += em->lengths[k] > 0;
    size_t samples = filled < START_DOCUMENTS ? filled : START_DOCUMENTS;
    if (samples < clusters)
        samples = filled < clusters ? filled : clusters;
    if (filled < clusters)
        return pv_fail(em->ctx, PSDVEC_ERR_OPTION,
                       "`topics` is %u, but only %zu documents have known words; learn fewer "
                       "topics, or check what a document is (`document`)",
                       (unsigned)em->options.topics, filled);
    if (clusters == 0)
        return pv_topic_fit_start(&em->fit);
    PV_TAKE_ZERO(&scope, sums, samples * dim);
    PV_TAKE(&scope, points, samples * some);
    PV_TAKE(&scope, lengths, samples);
    PV_TAKE(&scope, cluster, samples);
    PV_TAKE_ZERO(&scope, centres, (size_t)clusters * (dim + 1));
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(sample_documents(em, filled, samples, sums, lengths));
    for (size_t k = 0; k < samples; k++)
        for (size_t d = 0; d < some; d++)
            points[k * some + d] =
                (float)((double)sums[k * dim + dim - some + d] / (lengths[k] + START_PRIOR));
    PV_TRY_DONE(pv_kmeans(em->ctx, points, NULL, samples, (uint32_t)some, clusters, cluster));
    for (size_t k = 0; k < samples; k++) {
        double *centre = centres + cluster[k] * (dim + 1);
        for (size_t d = 0; d < dim; d++)
            centre[d] += (double)sums[k * dim + d];
        centre[dim] += lengths[k];
    }
    for (uint32_t k = 0; k < clusters; k++)
        for (size_t d = 0; d < dim; d++)
            em->fit.vectors[d * em->fit.stride + fixed + k] =
                START_LENGTH *
                (float)(centres[k * (dim + 1) + d] / (centres[k * (dim + 1) + dim] + START_PRIOR));
    for (uint32_t k = fixed; k < fixed + clusters; k++) {
        double length = pv_topic_length(&em->fit, em->fit.vectors, k);
        for (size_t d = 0; length > START_MOST && d < dim; d++)
            em->fit.vectors[d * em->fit.stride + k] *= (float)(START_MOST / length);
    }
    status = pv_topic_fit_start(&em->fit);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- The E-step ------------------------------------------------------------------------------ */

/* Adds E log theta of a document. */
static void add_expectations(const pv_topic_em *em, const float *gamma, double *sums)
{
    double total = 0;
    for (uint32_t k = 0; k < em->words.topics; k++)
        total += (double)gamma[k];
    double base = pv_digamma(total);
    for (uint32_t k = 0; k < em->words.topics; k++)
        sums[k] += pv_digamma((double)gamma[k]) - base;
}

static psdvec_status find_mixtures(void *arg, size_t task, int worker)
{
    pv_topic_em *em = arg;
    const pv_batch *batch = em->batch;
    pv_topic_sweep_fn *sweep = pv_topic_sweep_best();
    size_t end = (task + 1) * TASK_DOCUMENTS;
    float *all = em->mixtures.data, *sums = em->sums + (size_t)worker * em->words.stride;
    double *expected = em->expected ? em->expected + task * em->words.stride : NULL;
    if (expected)
        memset(expected, 0, em->words.stride * sizeof *expected);
    for (size_t k = task * TASK_DOCUMENTS; k < end && k < batch->count; k++) {
        uint64_t from = batch->begin[k];
        size_t count = (size_t)(batch->begin[k + 1] - from);
        float *gamma = all + (batch->first + k) * em->words.topics;
        float *weights = em->weights + k * em->words.stride;
        if (em->options.steps == PSDVEC_TOPIC_STEPS_GRADIENT) {
            em->bounds[k] = pv_mixture_sweep(&em->words, sweep, batch->word + from,
                                             batch->frequency + from, count, em->options.sweeps,
                                             gamma, weights, sums);
        } else {
            pv_mixture_find(&em->words, sweep, batch->word + from, batch->frequency + from, count,
                            em->sweeps, SWEEP_TOLERANCE, gamma, weights, sums);
            em->bounds[k] = pv_mixture_bound(&em->words, gamma);
        }
        if (expected && count > 0)
            add_expectations(em, gamma, expected);
    }
    pv_progress_add(&em->progress,
                    (end < batch->count ? end : batch->count) - task * TASK_DOCUMENTS);
    return PSDVEC_OK;
}

static psdvec_status count_words(void *arg, size_t task, int worker)
{
    pv_topic_em *em = arg;
    const pv_batch *batch = em->batch;
    pv_topic_gather_fn *gather = pv_topic_gather_best();
    size_t stride = em->words.stride;
    float *sums = em->sums + (size_t)worker * stride;
    for (size_t w = task * TASK_WORDS; w < (task + 1) * TASK_WORDS && w < em->space->words; w++) {
        uint64_t from = batch->turned[w], count = batch->turned[w + 1] - from;
        const float *beta = em->words.beta + w * stride;
        float *counts = em->fit.counts + w * stride;
        memset(sums, 0, stride * sizeof *sums);
        em->word_bounds[w] += gather(beta, stride, batch->document + from, batch->times + from,
                                     (size_t)count, em->weights, sums);
        for (size_t k = 0; k < stride; k++)
            counts[k] += beta[k] * sums[k];
    }
    return PSDVEC_OK;
}

/* All mixtures and expected counts, and the bound. */
static psdvec_status expect(pv_topic_em *em, double *bound)
{
    double sum = pv_topic_fit_prior(&em->fit);
    size_t word_tasks = (em->space->words + TASK_WORDS - 1) / TASK_WORDS;
    memset(em->fit.counts, 0, (size_t)em->space->words * em->words.stride * sizeof *em->fit.counts);
    memset(em->word_bounds, 0, em->space->words * sizeof *em->word_bounds);
    if (em->expected)
        memset(em->expected_all, 0, em->words.stride * sizeof *em->expected_all);
    for (size_t b = 0; b < em->batches.count; b++) {
        PV_TRY(pv_batches_get(&em->batches, b, &em->batch));
        size_t tasks = (em->batch->count + TASK_DOCUMENTS - 1) / TASK_DOCUMENTS;
        PV_TRY(pv_parallel_tasks(em->ctx, tasks, find_mixtures, em));
        PV_TRY(pv_parallel_tasks(em->ctx, word_tasks, count_words, em));
        for (size_t k = 0; k < em->batch->count; k++)
            sum += em->bounds[k];
        for (size_t i = 0; em->expected && i < tasks * em->words.stride; i++)
            em->expected_all[i % em->words.stride] += em->expected[i];
    }
    for (uint32_t w = 0; w < em->space->words; w++)
        sum += em->word_bounds[w];
    *bound = sum;
    return isfinite(sum)
               ? PSDVEC_OK
               : pv_fail(em->ctx, PSDVEC_ERR_NUMERIC,
                         "the bound of the topics is not a finite number; check the model "
                         "with psdvec info --verify");
}

/* ---- Saved states ---------------------------------------------------------------------------- */

#define STATE "topics"

/* What the next iteration begins with. */
static psdvec_status save(const pv_topic_em *em)
{
    const pv_topic_fit *f = &em->fit;
    uint32_t counts[] = {f->topics, em->merged, em->changed};
    pv_tensor tensors[] = {
        pv_tensor_of("counts", PV_DTYPE_U32, 3, 0, counts),
        pv_tensor_of("history", PV_DTYPE_F64, em->iterations, 0, em->history),
        pv_tensor_of("vectors", PV_DTYPE_F32, em->space->dim, f->stride, f->vectors),
        pv_tensor_of("logits", PV_DTYPE_F32, em->space->words, f->stride, f->logits),
        pv_tensor_of("log_z", PV_DTYPE_F64, f->stride, 0, f->log_z),
        pv_tensor_of("change", PV_DTYPE_F64, 1, 0, &em->change),
        pv_tensor_of("alpha", PV_DTYPE_F64, f->topics, 0, em->alpha),
        pv_tensor_of("mixtures", PV_DTYPE_F32, em->documents->count, f->topics, em->mixtures.data),
        pv_tensor_of("residuals", PV_DTYPE_F32, em->space->words, f->stride, f->residuals)};
    size_t count = sizeof tensors / sizeof *tensors - (f->residuals ? 0 : 1);
    return em->partial ? pv_partial_save(em->partial, STATE, tensors, count) : PSDVEC_OK;
}

static psdvec_status take_state(pv_topic_em *em, const pv_st_file *file)
{
    psdvec_context *ctx = em->ctx;
    pv_topic_fit *f = &em->fit;
    int64_t words = em->space->words, dim = em->space->dim, stride = (int64_t)f->stride;
    const pv_tensor *counts, *history, *vectors, *logits, *log_z, *change, *alpha, *mixtures,
        *residuals = NULL;
    PV_TRY(pv_state_require(ctx, file, "counts", PV_DTYPE_U32, 3, 0, &counts));
    PV_TRY(pv_state_require(ctx, file, "history", PV_DTYPE_F64, -1, 0, &history));
    PV_TRY(pv_state_require(ctx, file, "vectors", PV_DTYPE_F32, dim, stride, &vectors));
    PV_TRY(pv_state_require(ctx, file, "logits", PV_DTYPE_F32, words, stride, &logits));
    PV_TRY(pv_state_require(ctx, file, "log_z", PV_DTYPE_F64, stride, 0, &log_z));
    PV_TRY(pv_state_require(ctx, file, "change", PV_DTYPE_F64, 1, 0, &change));
    const uint32_t *figures = counts->data;
    if (figures[0] < 1 || figures[0] > f->topics || figures[1] > f->topics ||
        history->shape[0] < 1 || history->shape[0] >= em->options.iterations ||
        figures[2] > history->shape[0])
        return PSDVEC_OK; /* not a state of this run */
    PV_TRY(pv_state_require(ctx, file, "mixtures", PV_DTYPE_F32, (int64_t)em->documents->count,
                            figures[0], &mixtures));
    PV_TRY(pv_state_require(ctx, file, "alpha", PV_DTYPE_F64, figures[0], 0, &alpha));
    if (f->residuals)
        PV_TRY(pv_state_require(ctx, file, "residuals", PV_DTYPE_F32, words, stride, &residuals));
    em->change = *(const double *)change->data;
    em->merged = figures[1];
    em->changed = figures[2];
    em->words.topics = f->topics = figures[0];
    em->iterations = (uint32_t)history->shape[0];
    memcpy(em->history, history->data, history->bytes);
    memcpy(em->alpha, alpha->data, alpha->bytes);
    memcpy(f->vectors, vectors->data, vectors->bytes);
    memcpy(f->logits, logits->data, logits->bytes);
    memcpy(f->log_z, log_z->data, log_z->bytes);
    memcpy(em->mixtures.data, mixtures->data, mixtures->bytes);
    if (residuals)
        memcpy(f->residuals, residuals->data, residuals->bytes);
    pv_step(ctx, "resuming after iteration %u of an interrupted run", (unsigned)em->iterations);
    return PSDVEC_OK;
}

/* Loads the state of an interrupted run, if there is one. */
static psdvec_status load(pv_topic_em *em)
{
    pv_st_file *file = NULL;
    if (em->partial)
        PV_TRY(pv_partial_load(em->partial, STATE, &file));
    psdvec_status status = file ? take_state(em, file) : PSDVEC_OK;
    pv_st_close(file);
    return status;
}

/* ---- Iterations ------------------------------------------------------------------------------ */

static psdvec_status merge(pv_topic_em *em, bool *any)
{
    uint32_t merged;
    PV_TRY(pv_topic_merge(&em->fit, em->options.merge, em->alpha, em->mixtures.data,
                          em->documents->count, &merged));
    *any = merged > 0;
    if (!*any)
        return PSDVEC_OK;
    em->words.topics = em->fit.topics;
    em->merged += merged;
    em->changed = em->iterations;
    pv_note(em->ctx, "topics merged because they are nearly equal: %u; the bound may fall",
            (unsigned)merged);
    return PSDVEC_OK;
}

/* Fits alpha; that of a null topic with its own value stays. */
static void fit_alpha(pv_topic_em *em)
{
    uint32_t first = em->options.null_topic && em->options.null_alpha > 0;
    if (em->expected)
        pv_alpha_fit(em->options.fit_alpha, em->expected_all, (double)em->filled, first,
                     em->words.topics, em->alpha);
}

psdvec_status pv_topic_em_run(pv_topic_em *em, const char *stage)
{
    uint32_t most = em->options.iterations;
    bool gradient = em->options.steps == PSDVEC_TOPIC_STEPS_GRADIENT;
    /* Topics are merged when the bound has converged, or a few iterations before the last. */
    uint32_t late = most > 2 * LEAST_ITERATIONS ? most - LEAST_ITERATIONS : 0;
    pv_progress_begin(&em->progress, em->ctx, stage, "documents",
                      (uint64_t)em->documents->count * most);
    pv_progress_add(&em->progress, (uint64_t)em->documents->count * em->iterations);
    for (uint32_t t = em->iterations; t < most; t++) {
        bool merged = false;
        PV_TRY(expect(em, &em->history[t]));
        em->progress.objective = em->history[t];
        em->iterations = t + 1;
        double gain = t ? (em->history[t] - em->history[t - 1]) / (double)em->known : 0;
        bool settled = gradient ? em->change <= em->options.tolerance
                                : t + 1 >= LEAST_ITERATIONS && gain < em->options.tolerance;
        settled = settled && t > em->changed;
        pv_note(em->ctx, "iteration %u: bound %.6f per word", (unsigned)t + 1,
                em->history[t] / (double)em->known);
        if (t + 1 == most)
            break;
        if (settled || t + 1 == late)
            PV_TRY(merge(em, &merged));
        if (settled && !merged)
            break;
        if (!merged && gradient)
            PV_TRY(pv_gradient_steps(&em->fit, &em->options, (uint64_t)t * em->options.step_count,
                                     (double)em->known, &em->change));
        else if (!merged)
            PV_TRY(pv_topic_fit_improve(&em->fit, em->options.step_count));
        if (!merged && t + 1 >= ALPHA_FROM)
            fit_alpha(em);
        PV_TRY(save(em));
    }
    pv_progress_end(&em->progress);
    if (!em->merged)
        pv_warn_of_falls(em->ctx, &em->options, em->history, em->iterations, (double)em->known);
    return PSDVEC_OK;
}

static psdvec_status infer_mixtures(void *arg, size_t task, int worker)
{
    pv_topic_em *em = arg;
    const pv_batch *batch = em->batch;
    float *work = em->sums + (size_t)worker * 2 * em->words.stride;
    for (size_t k = task * TASK_DOCUMENTS; k < (task + 1) * TASK_DOCUMENTS && k < batch->count;
         k++) {
        uint64_t from = batch->begin[k];
        (void)pv_mixture_infer(&em->words, batch->word + from, batch->frequency + from,
                               (size_t)(batch->begin[k + 1] - from),
                               (float *)em->mixtures.data + (batch->first + k) * em->words.topics,
                               work);
    }
    return PSDVEC_OK;
}

psdvec_status pv_topic_em_infer(pv_topic_em *em)
{
    pv_progress_begin(&em->progress, em->ctx, "finding mixtures", "documents",
                      em->documents->count);
    for (size_t b = 0; b < em->batches.count; b++) {
        PV_TRY(pv_batches_get(&em->batches, b, &em->batch));
        PV_TRY(pv_parallel_tasks(em->ctx, (em->batch->count + TASK_DOCUMENTS - 1) / TASK_DOCUMENTS,
                                 infer_mixtures, em));
    }
    em->sweeps = 1;
    em->iterations = 1;
    PV_TRY(expect(em, &em->history[0]));
    pv_progress_end(&em->progress);
    return PSDVEC_OK;
}

/* ---- Preparation ----------------------------------------------------------------------------- */

psdvec_status pv_topic_em_prepare(pv_topic_em *em, const psdvec_topic_options *options,
                                  const pv_topic_space *space, const pv_documents *documents,
                                  const uint32_t *vocabulary, const char *folder,
                                  pv_partial *partial)
{
    psdvec_context *ctx = space->memory.ctx;
    uint32_t topics = options->topics;
    *em = (pv_topic_em){.ctx = ctx,
                        .memory = {.ctx = ctx, .what = "learning topics"},
                        .options = *options,
                        .documents = documents,
                        .space = space,
                        .change = INFINITY,
                        .sweeps = options->sweeps,
                        .partial = partial};
    PV_TRY(pv_topic_fit_init(&em->fit, space, options));
    PV_TRY(pv_batches_init(&em->batches, documents, vocabulary, space->words));
    size_t stride = em->fit.stride, most = em->batches.most, count = documents->count;
    PV_TAKE(&em->memory, em->alpha, topics);
    PV_TAKE_ZERO(&em->memory, em->lengths, count);
    PV_TAKE(&em->memory, em->weights, most * stride);
    PV_TAKE(&em->memory, em->sums, (size_t)psdvec_threads(ctx) * 2 * stride);
    PV_TAKE(&em->memory, em->bounds, most);
    PV_TAKE(&em->memory, em->word_bounds, space->words);
    PV_TAKE(&em->memory, em->history, options->iterations);
    if (options->fit_alpha) {
        PV_TAKE(&em->memory, em->expected, (most / TASK_DOCUMENTS + 1) * stride);
        PV_TAKE(&em->memory, em->expected_all, stride);
    }
    PV_TRY(pv_scope_status(&em->memory));
    for (uint32_t k = 0; k < topics; k++)
        em->alpha[k] = k == 0 && options->null_topic && options->null_alpha > 0
                           ? options->null_alpha
                           : options->alpha;
    em->words = (pv_topic_words){
        .topics = topics, .stride = stride, .beta = em->fit.beta, .alpha = em->alpha};
    uint64_t bytes = (uint64_t)count * topics * sizeof(float);
    PV_TRY(pv_large_alloc(ctx, (uint64_t)count * topics, sizeof(float), folder,
                          pv_large_spills(ctx, bytes, 0), "the mixtures of the documents",
                          &em->mixtures));
    for (size_t b = 0; b < em->batches.count; b++) {
        const pv_batch *batch;
        PV_TRY(pv_batches_get(&em->batches, b, &batch));
        for (size_t k = 0; k < batch->count; k++) {
            uint64_t *length = &em->lengths[batch->first + k];
            for (uint64_t e = batch->begin[k]; e < batch->begin[k + 1]; e++)
                *length += (uint64_t)batch->frequency[e];
            em->known += *length;
            em->filled += *length > 0;
            float *gamma = (float *)em->mixtures.data + (batch->first + k) * topics;
            if (options->steps == PSDVEC_TOPIC_STEPS_GRADIENT)
                for (uint32_t j = 0; j < topics; j++)
                    gamma[j] = 1;
            else
                pv_mixture_start(&em->words, (double)*length, gamma);
        }
    }
    return PSDVEC_OK;
}

psdvec_status pv_topic_em_init(pv_topic_em *em, const psdvec_topic_options *options,
                               const pv_topic_space *space, const pv_documents *documents,
                               const uint32_t *vocabulary, const char *folder, pv_partial *partial)
{
    PV_TRY(pv_topic_em_prepare(em, options, space, documents, vocabulary, folder, partial));
    PV_TRY(load(em));
    return em->iterations ? pv_topic_fit_resume(&em->fit) : find_start(em);
}

void pv_topic_em_free(pv_topic_em *em)
{
    pv_topic_fit_free(&em->fit);
    pv_batches_free(&em->batches);
    pv_large_free(em->ctx, &em->mixtures);
    pv_scope_free(&em->memory);
}
