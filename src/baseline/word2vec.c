/* word2vec: skip-gram and the continuous bag of words with negative sampling, from text to a model.
 *
 * Mikolov, Chen, Corrado and Dean, "Efficient estimation of word representations in vector space",
 * ICLR workshop 2013: the two models, a window size drawn for each word, and a linearly decreasing
 * learning rate. Mikolov, Sutskever, Chen, Corrado and Dean, "Distributed representations of words
 * and phrases and their compositionality", NIPS 2013: negative sampling, noise by frequency^0.75,
 * subsampling of frequent words (by the formula of the authors' program: a fraction sqrt(t/f) + t/f
 * is kept).
 *
 * As in the authors' program, unknown words are removed before windows are applied, and the model
 * consists of the input vectors. The order of steps differs (skipgram.c, cbow.c), so that the
 * result depends on the seed and not on the number of threads.
 *
 * Input vectors start uniform in [-0.5, 0.5] / dim, output vectors at zero. The learning rate
 * decreases linearly with the words read, over all epochs, to 1e-4 of its initial value.
 *
 * Memory: 8 bytes per word and dimension, 4 bytes per token of the text, in memory or in a mapped
 * temporary file, and a few megabytes for a chunk of the text.
 */
#include "baseline/word2vec.h"

#include "base/random.h"
#include "base/thread.h"
#include "baseline/baseline.h"
#include "baseline/noise.h"
#include "count/phrase_find.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>

enum {
    DRAWING = 0x77327674, /* purposes of random numbers */
    STARTING = 0x77327630,
    TASK_WORDS = 1024,
    CHUNK_PAIRS = 1 << 20, /* approximate number of pairs per chunk */
    LEAST_CHUNKS = 64      /* over all epochs: the learning rate decreases from chunk to chunk */
};

/* ---- Chunks, subsampling and windows -------------------------------------------------------- */

static void fill_retention(pv_w2v_text *text, const uint64_t *frequency, uint32_t words,
                           double subsample)
{
    double total = 0;
    for (uint32_t i = 0; i < words; i++)
        total += (double)frequency[i];
    for (uint32_t i = 0; i < words; i++) {
        double ratio = subsample * total / (double)frequency[i]; /* infinite if unused */
        double kept = subsample > 0 ? fmin(1, sqrt(ratio) + ratio) : 1;
        text->retention[i] = (uint32_t)(kept * UINT32_MAX);
    }
}

psdvec_status pv_w2v_text_open(pv_w2v_text *text, psdvec_context *ctx, const uint32_t *ids,
                               size_t length, const uint64_t *frequency, uint32_t words,
                               uint32_t window, double subsample, uint32_t epochs)
{
    *text = (pv_w2v_text){.memory = {.ctx = ctx, .what = "a chunk of the text"},
                          .ids = ids,
                          .length = length,
                          .window = window};
    text->segments = (length + PV_W2V_SEGMENT - 1) / PV_W2V_SEGMENT;
    size_t most = CHUNK_PAIRS / (window + 1) / PV_W2V_SEGMENT;
    size_t enough = (text->segments * epochs + LEAST_CHUNKS - 1) / LEAST_CHUNKS;
    text->chunk_segments = enough < most ? enough : most;
    if (text->chunk_segments < 1)
        text->chunk_segments = 1;
    text->chunks = (text->segments + text->chunk_segments - 1) / text->chunk_segments;
    size_t capacity = text->chunk_segments * PV_W2V_CAPACITY;
    PV_TAKE(&text->memory, text->retention, words);
    PV_TAKE(&text->memory, text->kept, capacity);
    PV_TAKE(&text->memory, text->reach, capacity);
    PV_TAKE(&text->memory, text->kept_count, text->chunk_segments);
    PV_TRY(pv_scope_status(&text->memory));
    fill_retention(text, frequency, words, subsample);
    return PSDVEC_OK;
}

void pv_w2v_text_close(pv_w2v_text *text)
{
    pv_scope_free(&text->memory);
    *text = (pv_w2v_text){0};
}

size_t pv_w2v_chunk_size(const pv_w2v_text *text, size_t chunk)
{
    size_t left = text->segments - chunk * text->chunk_segments;
    return left < text->chunk_segments ? left : text->chunk_segments;
}

uint64_t pv_w2v_chunk_words(const pv_w2v_text *text, size_t chunk)
{
    size_t begin = chunk * text->chunk_segments * PV_W2V_SEGMENT, words = 0;
    size_t end = begin + text->chunk_segments * PV_W2V_SEGMENT;
    for (size_t i = begin; i < end && i < text->length; i++)
        words += text->ids[i] != PV_BORDER;
    return words;
}

void pv_w2v_draw(pv_w2v_text *text, uint32_t epoch, size_t chunk, size_t k)
{
    size_t segment = chunk * text->chunk_segments + k;
    size_t begin = segment * PV_W2V_SEGMENT, end = begin + PV_W2V_SEGMENT;
    end = end < text->length ? end : text->length;
    pv_random_stream stream = {
        pv_random_u64(text->memory.ctx->options.seed, DRAWING + ((uint64_t)epoch << 32), segment)};
    uint32_t *kept = text->kept + k * PV_W2V_CAPACITY;
    uint16_t *reach = text->reach + k * PV_W2V_CAPACITY;
    uint32_t n = 0, sentence = 0;
    kept[n++] = PV_BORDER;
    for (size_t i = begin; i < end; i++) {
        uint32_t id = text->ids[i];
        if (id == PV_BORDER || sentence == PV_W2V_SENTENCE) {
            if (sentence > 0)
                kept[n++] = PV_BORDER;
            sentence = 0;
            if (id == PV_BORDER)
                continue;
        }
        uint64_t bits = pv_random_next(&stream);
        if ((uint32_t)(bits >> 32) > text->retention[id])
            continue;
        reach[n] = (uint16_t)(1 + pv_below((uint32_t)bits, text->window));
        kept[n++] = id;
        sentence++;
    }
    if (sentence > 0)
        kept[n++] = PV_BORDER;
    text->kept_count[k] = n;
}

/* ---- Vectors and epochs --------------------------------------------------------------------- */

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
        return pv_fail(w->ctx, PSDVEC_ERR_OVERFLOW, "the vectors are too large; use fewer words");
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

/* ---- Reading -------------------------------------------------------------------------------- */

typedef struct source {
    psdvec_context *ctx;
    pv_reading read;
    pv_sequence text;
    pv_buffer provenance;
} source;

/* Stores the tokens in memory if that leaves enough for both kinds of vectors, otherwise in a
 * temporary file. */
static psdvec_status lay_out(const pv_baseline_run *run, source *s, const char *folder)
{
    pv_token_store *store = s->read.store;
    uint32_t words = s->read.vocabulary.count;
    uint64_t left = pv_memory_left(s->ctx);
    uint64_t need = 2 * sizeof(float) * (uint64_t)words * pv_sgns_stride(run->options->dim) +
                    pv_sequence_tokens(store, 0, store->part_count) * sizeof(uint32_t);
    bool fits = need <= left - left / 8;
    pv_sequence_init(&s->text, s->ctx, words);
    return pv_sequence_read(&s->text, store, PSDVEC_OOV_DROP, 0, store->part_count, 0,
                            fits ? NULL : folder);
}

static psdvec_status read_text(const pv_baseline_run *run, source *s)
{
    psdvec_context *ctx = s->ctx;
    double began = pv_now();
    psdvec_count_options count = *run->count;
    count.oov = PSDVEC_OOV_DROP;
    pv_inputs files = {0};
    pv_phrases phrases = {0};
    pv_joining joining = {.phrases = &phrases};
    pv_count_part part = {0};
    psdvec_status status;
    char *folder = pv_folder_of(run->output);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", run->output);
    PV_TRY_DONE(pv_inputs_expand(ctx, run->inputs, run->input_count, &files));
    PV_TRY_DONE(pv_phrases_on_the_way(run->partial, ctx, &count.text, run->inputs, run->input_count,
                                      run->output, &phrases));
    part.joining = phrases.ctx ? &joining : NULL;
    part.silent = phrases.ctx != NULL; /* the search for phrases has already given advice */
    PV_TRY_DONE(pv_reading_open(&s->read, ctx, &count, &files, run->inputs, run->input_count,
                                folder, part));
    if (s->read.vocabulary.known_tokens == 0)
        PV_TRY_DONE(
            pv_fail(ctx, PSDVEC_ERR_EMPTY,
                    "%s: none of its words occurs in the text, so there is nothing to train on; "
                    "check that both have the same case and tokenizer",
                    count.vocab_file));
    PV_TRY_DONE(pv_text_provenance(&s->read, &s->provenance));
    if (run->count_report) {
        const pv_token_store *store = s->read.store;
        pv_reading_report(&s->read, run->count_report);
        run->count_report->runs = 1;
        run->count_report->spilled_bytes = pv_spool_on_disk(store->tokens) +
                                           pv_spool_on_disk(store->words);
        run->count_report->seconds = pv_now() - began;
    }
    status = lay_out(run, s, folder);
done:
    pv_token_store_free(s->read.store); /* all tokens have been stored */
    s->read.store = NULL;
    pv_phrases_free(&phrases);
    pv_inputs_free(&files);
    free(folder);
    return status;
}

/* ---- The run -------------------------------------------------------------------------------- */

/* A value that is not finite stays so and soon spreads to all vectors. */
static psdvec_status check_finite(const pv_word2vec *w)
{
    size_t count = (size_t)w->words * w->space.stride;
    bool finite = isfinite(w->loss) != 0;
    for (size_t k = 0; k < count; k++)
        finite &= isfinite(w->space.in[k]) != 0;
    if (finite)
        return PSDVEC_OK;
    return pv_fail(w->ctx, PSDVEC_ERR_NUMERIC,
                   "the training of %s diverges; a learning rate below %g (`rate`) may help",
                   psdvec_method_name(w->settings.cbow ? PSDVEC_METHOD_CBOW : PSDVEC_METHOD_SGNS),
                   w->settings.rate);
}

/* Output vectors start at zero, and stay there if there never was a pair. */
static psdvec_status check_learnt(const pv_word2vec *w)
{
    size_t count = (size_t)w->words * w->space.stride, k = 0;
    while (k < count && w->space.out[k] == 0)
        k++;
    if (k < count)
        return PSDVEC_OK;
    return pv_fail(w->ctx, PSDVEC_ERR_EMPTY,
                   "no two words co-occur in the text, so there is nothing to train on; use more "
                   "text, keep more words (lower `min_count`) or subsample less (higher "
                   "`subsample`)");
}

static psdvec_status train_epochs(pv_baseline_run *run, const source *s, pv_word2vec *w,
                                  const pv_learnt_rows *learnt)
{
    uint32_t epochs = w->settings.epochs;
    for (uint32_t epoch = run->report->epochs; epoch < epochs; epoch++) {
        double began = pv_now();
        w->progress->objective = run->report->loss;
        PV_TRY(pv_word2vec_epoch(w, epoch));
        PV_TRY(check_finite(w));
        run->report->epochs = epoch + 1;
        run->report->pairs = w->pairs;
        run->report->loss = w->loss_pairs ? w->loss / (double)w->loss_pairs : NAN;
        pv_step(w->ctx, "epoch %u of %u: loss %.4f, %.0f words/s", epoch + 1, epochs,
                run->report->loss,
                (double)s->read.vocabulary.known_tokens / (pv_now() - began + 1e-9));
        PV_TRY(pv_epochs_save(run, learnt));
    }
    return PSDVEC_OK;
}

static psdvec_status train(pv_baseline_run *run, const source *s, pv_word2vec *w)
{
    const pv_learnt_rows learnt = {
        .words = w->words, .stride = w->space.stride, .rows = {w->space.in, w->space.out}};
    PV_TRY(pv_epochs_load(run, &learnt));
    pv_progress progress;
    pv_progress_begin(&progress, w->ctx, "training", "words",
                      s->read.vocabulary.known_tokens * (w->settings.epochs - run->report->epochs));
    w->progress = &progress;
    psdvec_status status = train_epochs(run, s, w, &learnt);
    w->progress = NULL;
    PV_TRY(status);
    pv_progress_end(&progress);
    return check_learnt(w);
}

/* Removes the padding of the rows. */
static void close_up(pv_word2vec *w)
{
    for (size_t i = 1; i < w->words; i++)
        memmove(w->space.in + i * w->settings.dim, w->space.in + i * w->space.stride,
                w->settings.dim * sizeof(float));
}

psdvec_status pv_baseline_word2vec(pv_baseline_run *run)
{
    psdvec_context *ctx = run->ctx;
    const psdvec_baseline_options *o = run->options;
    const pv_word2vec_settings settings = {.cbow = o->method == PSDVEC_METHOD_CBOW,
                                           .dim = o->dim,
                                           .window = run->count->window,
                                           .negative = o->negative,
                                           .epochs = o->epochs,
                                           .rate = o->rate,
                                           .noise_power = o->noise_power,
                                           .subsample = run->count->subsample};
    source s = {.ctx = ctx, .provenance = {.ctx = ctx}};
    pv_word2vec w = {0};
    psdvec_status status;
    PV_TRY_DONE(read_text(run, &s));
    PV_TRY_DONE(pv_word2vec_open(&w, ctx, &settings, s.text.ids, s.text.length,
                                 s.read.vocabulary.frequency, s.read.vocabulary.count));
    PV_TRY_DONE(train(run, &s, &w));
    close_up(&w);
    run->words = (pv_baseline_words){.words = s.read.vocabulary.count,
                                     .bytes = s.read.vocabulary.bytes,
                                     .offsets = s.read.vocabulary.offsets,
                                     .frequency = s.read.vocabulary.frequency,
                                     .counts_json = s.provenance.data,
                                     .phrases = s.read.provenance.phrases};
    status = pv_baseline_write(run, o->dim, w.space.in, NULL);
done:
    pv_word2vec_close(&w);
    pv_sequence_free(&s.text);
    pv_reading_free(&s.read);
    pv_buffer_free(&s.provenance);
    return status;
}
