/* What skip-gram and CBOW share: the vectors, the rate of learning, the way through the text.
 *
 * Words as input start uniform in [-0.5, 0.5] / dim, words as output at zero. The rate falls
 * linearly with the words read, over all epochs, to 1e-4 of what it was.
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "baseline/word2vec.h"

#include <math.h>

enum {
    STARTING = 0x77327630, /* purpose of random numbers */
    TASK_WORDS = 1024
};

static psdvec_status start_words(void *opaque, size_t task, int worker)
{
    (void)worker;
    pv_word2vec *w = opaque;
    size_t dim = w->settings.dim, begin = task * TASK_WORDS, end = begin + TASK_WORDS;
    for (size_t i = begin; i < end && i < w->words; i++) {
        float *row = w->space.in + i * w->space.stride;
        for (size_t d = 0; d < dim; d++)
            row[d] = (float)((pv_random_unit(w->ctx->options.seed, STARTING, i * dim + d) - 0.5) /
                             (double)dim);
    }
    return PSDVEC_OK;
}

static psdvec_status make_space(pv_word2vec *w)
{
    size_t numbers;
    w->space = (pv_sgns_space){.stride = pv_sgns_stride(w->settings.dim),
                               .negative = w->settings.negative,
                               .width = pv_sgns_width(w->settings.negative)};
    if (!pv_mul(w->words, w->space.stride, &numbers))
        return pv_fail(w->ctx, PSDVEC_ERR_OVERFLOW,
                       "the vectors are too large; ask for fewer words");
    PV_TAKE_ZERO(&w->memory, w->space.in, numbers);
    PV_TAKE_ZERO(&w->memory, w->space.out, numbers);
    PV_TRY(pv_scope_status(&w->memory));
    return pv_parallel_tasks(w->ctx, (w->words + TASK_WORDS - 1) / TASK_WORDS, start_words, w);
}

psdvec_status pv_word2vec_open(pv_word2vec *w, psdvec_context *ctx,
                               const pv_word2vec_settings *settings, const uint32_t *ids,
                               size_t length, const uint64_t *frequency, uint32_t words)
{
    *w = (pv_word2vec){.ctx = ctx,
                       .settings = *settings,
                       .words = words,
                       .kernels = pv_sgns_kernels_best(),
                       .memory = {.ctx = ctx, .what = "the vectors"}};
    PV_TRY(pv_w2v_text_open(&w->text, ctx, ids, length, frequency, words, settings->window,
                            settings->subsample, settings->epochs));
    PV_TAKE(&w->memory, w->weight, words);
    PV_TRY(pv_scope_status(&w->memory));
    for (uint32_t i = 0; i < words; i++)
        w->weight[i] = frequency[i] > 0 ? pow((double)frequency[i], settings->noise_power) : 0;
    PV_TRY(make_space(w));
    return settings->cbow ? pv_cbow_new(w) : pv_skipgram_new(w);
}

void pv_word2vec_close(pv_word2vec *w)
{
    if (!w->ctx)
        return;
    pv_skipgram_free(w);
    pv_cbow_free(w);
    pv_w2v_text_close(&w->text);
    pv_scope_free(&w->memory);
    *w = (pv_word2vec){0};
}

float pv_word2vec_rate(const pv_word2vec *w, uint64_t step, double part)
{
    double steps = (double)w->text.chunks * w->settings.epochs;
    return (float)(w->settings.rate * fmax(1e-4, 1 - ((double)step + part) / steps));
}

psdvec_status pv_word2vec_epoch(pv_word2vec *w, uint32_t epoch)
{
    w->pairs = w->loss_pairs = 0;
    w->loss = 0;
    for (size_t chunk = 0; chunk < w->text.chunks; chunk++) {
        uint64_t step = (uint64_t)epoch * w->text.chunks + chunk;
        PV_TRY(w->settings.cbow ? pv_cbow_chunk(w, epoch, chunk, step)
                                : pv_skipgram_chunk(w, epoch, chunk, step));
        if (w->progress)
            pv_progress_add(w->progress, pv_w2v_chunk_words(&w->text, chunk));
    }
    return PSDVEC_OK;
}
