/* psdvec_topics_evaluate: how good topics are, by documents.
 *
 *     coherence    mean NPMI of pairs of the words that describe a topic, where p(a) is the share of
 *                  documents with the word a: log(p(a, b) / (p(a) p(b))) / -log p(a, b)
 *     diversity    share of distinct words among the words that describe all topics
 *     perplexity   of every other occurrence of a word in a document, with the mixture of the
 *                  document found from the remaining occurrences
 *     bound        of the log-likelihood of all known words, as for the choice of the number of
 *                  topics
 *
 * Time: that of finding mixtures; coherence adds a pass over the documents.
 */
#include "base/arguments.h"
#include "base/options.h"
#include "base/thread.h"
#include "corpus/options.h"
#include "topic/topic_file.h"

#include <math.h>
#include <string.h>

enum { TASK_DOCUMENTS = 16 };

typedef struct evaluation {
    psdvec_context *ctx;
    pv_scope memory;
    const psdvec_topics *topics;
    pv_topic_words words;
    pv_documents documents;
    pv_batches batches;
    const pv_batch *batch;
    /* Of each worker: the two halves of a document, gamma, weights and sums */
    float *halves; /* 2 x most entries */
    float *gamma, *weights;
    size_t most_entries;
    double *log_sums; /* documents of a batch */
    double *bounds;   /* documents of a batch */
    uint64_t *scored; /* documents of a batch */
    /* Coherence: */
    size_t listed;      /* words per topic */
    uint32_t *list;     /* topics x listed: words */
    size_t *length;     /* topics: how many there are */
    uint64_t *together; /* topics x listed x listed: documents with both words, i <= j */
    uint64_t *first;    /* words + 1: where the uses of each word begin in `uses` */
    uint32_t *uses;     /* topic and index in its list: topic * listed + index */
} evaluation;

/* ---- Coherence and diversity ----------------------------------------------------------------- */

/* The words of each topic, and where each word is used. */
static psdvec_status list_words(evaluation *j)
{
    const psdvec_topics *t = j->topics;
    uint32_t topics = t->info.topics, words = t->info.words;
    pv_scope scope = {.ctx = j->ctx, .what = "the words of the topics"};
    psdvec_topic_word *best;
    psdvec_status status;
    PV_TAKE(&scope, best, j->listed);
    PV_TAKE(&j->memory, j->list, topics * j->listed);
    PV_TAKE(&j->memory, j->length, topics);
    PV_TAKE_ZERO(&j->memory, j->together, topics * j->listed * j->listed);
    PV_TAKE_ZERO(&j->memory, j->first, (size_t)words + 2);
    PV_TAKE(&j->memory, j->uses, topics * j->listed);
    PV_TRY_DONE(pv_scope_status(&j->memory));
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t k = 0; k < topics; k++) {
        PV_TRY_DONE(pv_topics_words(j->ctx, t, k, j->listed, best, &j->length[k]));
        for (size_t i = 0; i < j->length[k]; i++) {
            j->list[k * j->listed + i] = best[i].word;
            j->first[best[i].word + 2]++;
        }
    }
    for (uint32_t w = 0; w < words; w++)
        j->first[w + 2] += j->first[w + 1];
    for (uint32_t k = 0; k < topics; k++)
        for (size_t i = 0; i < j->length[k]; i++)
            j->uses[j->first[j->list[k * j->listed + i] + 1]++] = (uint32_t)(k * j->listed + i);
    status = PSDVEC_OK;
done:
    pv_scope_free(&scope);
    return status;
}

/* Counts the pairs of a document, word by word. */
static void count_pairs(evaluation *j, size_t document, bool *present)
{
    const pv_batch *batch = j->batch;
    for (int pass = 0; pass < 3; pass++)
        for (uint64_t e = batch->begin[document]; e < batch->begin[document + 1]; e++)
            for (uint64_t u = j->first[batch->word[e]]; u < j->first[batch->word[e] + 1]; u++) {
                size_t use = j->uses[u], k = use / j->listed, i = use % j->listed;
                if (pass != 1) {
                    present[use] = pass == 0;
                    continue;
                }
                for (size_t other = i; other < j->length[k]; other++)
                    j->together[(k * j->listed + i) * j->listed + other] +=
                        present[k * j->listed + other];
            }
}

static double pair_npmi(const evaluation *j, size_t k, size_t a, size_t b)
{
    const uint64_t *rows = j->together + k * j->listed * j->listed;
    double n = (double)j->documents.count, both = (double)rows[a * j->listed + b];
    double one = (double)rows[a * j->listed + a], other = (double)rows[b * j->listed + b];
    if (both == 0)
        return -1;
    return both >= n ? 1 : log(both * n / (one * other)) / log(n / both);
}

static void sum_up(const evaluation *j, psdvec_topics_quality *quality)
{
    uint64_t pairs = 0, used = 0, distinct = 0;
    double sum = 0;
    for (uint32_t k = 0; k < j->topics->info.topics; k++)
        for (size_t b = 0; b < j->length[k]; b++, used++)
            for (size_t a = 0; a < b; a++, pairs++)
                sum += pair_npmi(j, k, a, b);
    for (uint32_t w = 0; w < j->topics->info.words; w++)
        distinct += j->first[w + 1] > j->first[w];
    quality->coherence = pairs && quality->known ? sum / (double)pairs : NAN;
    quality->diversity = used ? (double)distinct / (double)used : NAN;
}

/* ---- Perplexity ------------------------------------------------------------------------------ */

/* Divides the occurrences of the words of a document into two halves, in turn. */
static uint64_t divide(const float *frequency, size_t count, float *first, float *second)
{
    uint64_t place = 0, hidden = 0;
    for (size_t e = 0; e < count; e++) {
        uint64_t all = (uint64_t)frequency[e], odd = (all + (place & 1)) / 2;
        second[e] = (float)odd;
        first[e] = (float)(all - odd);
        hidden += odd;
        place += all;
    }
    return hidden;
}

static psdvec_status complete_documents(void *arg, size_t task, int worker)
{
    evaluation *j = arg;
    const pv_batch *batch = j->batch;
    const pv_topic_words *t = &j->words;
    pv_topic_sweep_fn *sweep = pv_topic_sweep_best();
    float *first = j->halves + (size_t)worker * 2 * j->most_entries;
    float *second = first + j->most_entries;
    float *gamma = j->gamma + (size_t)worker * t->topics;
    float *weights = j->weights + (size_t)worker * 2 * t->stride;
    for (size_t k = task * TASK_DOCUMENTS; k < (task + 1) * TASK_DOCUMENTS && k < batch->count;
         k++) {
        uint64_t from = batch->begin[k];
        size_t count = (size_t)(batch->begin[k + 1] - from);
        j->bounds[k] =
            pv_mixture_infer(t, batch->word + from, batch->frequency + from, count, gamma, weights);
        j->scored[k] = divide(batch->frequency + from, count, first, second);
        j->log_sums[k] = 0;
        if (j->scored[k] == 0)
            continue;
        pv_mixture_start(t, (double)(j->documents.known[batch->first + k] - j->scored[k]), gamma);
        pv_mixture_find(t, sweep, batch->word + from, first, count, PV_MOST_SWEEPS,
                        PV_SWEEP_TOLERANCE, gamma, weights, weights + t->stride);
        double total = 0;
        for (uint32_t i = 0; i < t->topics; i++)
            total += (double)gamma[i];
        for (size_t e = 0; e < count; e++) {
            const float *beta = t->beta + (size_t)batch->word[from + e] * t->stride;
            double p = 0;
            for (uint32_t i = 0; second[e] > 0 && i < t->topics; i++)
                p += (double)gamma[i] / total * (double)beta[i];
            if (second[e] > 0)
                j->log_sums[k] += (double)second[e] * log(p > 0 ? p : 1e-38);
        }
    }
    return PSDVEC_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static psdvec_status evaluate_batches(evaluation *j, psdvec_topics_quality *quality)
{
    bool *present;
    double log_sum = 0, bound = 0;
    PV_TAKE_ZERO(&j->memory, present, j->topics->info.topics * j->listed);
    PV_TRY(pv_scope_status(&j->memory));
    for (size_t b = 0; b < j->batches.count; b++) {
        PV_TRY(pv_batches_get(&j->batches, b, &j->batch));
        size_t count = j->batch->count;
        PV_TRY(pv_parallel_tasks(j->ctx, (count + TASK_DOCUMENTS - 1) / TASK_DOCUMENTS,
                                 complete_documents, j));
        for (size_t k = 0; k < count; k++) {
            count_pairs(j, k, present);
            log_sum += j->log_sums[k];
            bound += j->bounds[k];
            quality->scored += j->scored[k];
        }
    }
    quality->perplexity = quality->scored ? exp(-log_sum / (double)quality->scored) : NAN;
    quality->bound = quality->known ? bound / (double)quality->known : NAN;
    sum_up(j, quality);
    return PSDVEC_OK;
}

static psdvec_status evaluate(evaluation *j, const psdvec_text_options *text,
                              const char *const *inputs, size_t input_count,
                              psdvec_topics_quality *quality)
{
    const psdvec_topics *t = j->topics;
    size_t workers = (size_t)psdvec_threads(j->ctx);
    psdvec_text_options own;
    PV_TRY(pv_options_adopt(j->ctx, &pv_text_table, text ? text : &t->text, &own));
    own.min_document_words = 1;
    PV_TRY(list_words(j));
    PV_TRY(pv_topics_beta(t, &j->memory, &j->words));
    PV_TRY(pv_topics_read(t, j->ctx, &own, inputs, input_count, &j->documents));
    PV_TRY(pv_batches_init(&j->batches, &j->documents, NULL, t->info.words));
    for (size_t k = 0; k < j->documents.count; k++) {
        size_t entries = (size_t)pv_documents_entries(&j->documents, k, 1);
        j->most_entries = entries > j->most_entries ? entries : j->most_entries;
        quality->words += j->documents.all[k];
        quality->known += j->documents.known[k];
    }
    quality->documents = j->documents.count;
    PV_TAKE(&j->memory, j->halves, workers * 2 * j->most_entries);
    PV_TAKE(&j->memory, j->gamma, workers * t->info.topics);
    PV_TAKE(&j->memory, j->weights, workers * 2 * j->words.stride);
    PV_TAKE(&j->memory, j->log_sums, j->batches.most);
    PV_TAKE(&j->memory, j->bounds, j->batches.most);
    PV_TAKE(&j->memory, j->scored, j->batches.most);
    PV_TRY(pv_scope_status(&j->memory));
    return evaluate_batches(j, quality);
}

psdvec_status psdvec_topics_evaluate(psdvec_context *ctx, const psdvec_topics *topics,
                                     const psdvec_text_options *text, const char *const *inputs,
                                     size_t input_count, uint32_t words,
                                     psdvec_topics_quality *quality)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, quality);
    *quality = (psdvec_topics_quality){0};
    if (words < 2 || words > 1000)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "`words` is %u; give 2 to 1000", (unsigned)words);
    evaluation j = {.ctx = ctx,
                    .memory = {.ctx = ctx, .what = "the quality of the topics"},
                    .topics = topics,
                    .listed = words};
    psdvec_status status = evaluate(&j, text, inputs, input_count, quality);
    pv_batches_free(&j.batches);
    pv_documents_free(&j.documents);
    pv_scope_free(&j.memory);
    return status;
}
