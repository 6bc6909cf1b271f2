/* word2vec: skip-gram and the continuous bag of words with negative sampling, from text to a model.
 *
 * Mikolov, Chen, Corrado and Dean, "Efficient estimation of word representations in vector space",
 * ICLR workshop 2013: the two models, a window drawn for each word, a rate of learning that falls
 * linearly. Mikolov, Sutskever, Chen, Corrado and Dean, "Distributed representations of words and
 * phrases and their compositionality", NIPS 2013: negative sampling, noise by frequency^0.75,
 * subsampling of frequent words (by the formula of the authors' program: sqrt(t/f) + t/f are kept).
 *
 * As in the authors' program, unknown words are taken out before windows are laid, and the model is
 * the vectors of words as input. What differs is the order of steps (skipgram.c, cbow.c), so that
 * the result depends on the seed and not on the threads.
 *
 * Cost: 8 bytes a number of the vectors, 4 bytes a word of the text, in memory or in a mapped
 * temporary file, and a few megabytes for a chunk of the text.
 */
#include "baseline/word2vec.h"

#include "base/file.h"
#include "base/memory.h"
#include "baseline/epochs.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    psdvec_context *ctx;
    pv_reading read;
    pv_sequence text;
    pv_buffer provenance;
} source;

/* ---- Reading -------------------------------------------------------------------------------- */

/* Bytes of both kinds of vectors. */
static uint64_t vector_bytes(const pv_baseline_run *run, const source *s)
{
    return 2 * sizeof(float) * (uint64_t)s->read.vocabulary.count *
           pv_sgns_stride(run->options->dim);
}

/* In memory if that leaves room for the vectors, else in a temporary file. */
static psdvec_status lay_out(const pv_baseline_run *run, source *s, const char *folder)
{
    pv_token_store *store = s->read.store;
    uint64_t tokens = pv_sequence_tokens(store, 0, store->part_count);
    uint64_t left = pv_memory_left(s->ctx), need = vector_bytes(run, s) + tokens * sizeof(uint32_t);
    bool fits = need <= left - left / 8;
    pv_sequence_init(&s->text, s->ctx, s->read.vocabulary.count);
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
    psdvec_status status;
    char *folder = pv_folder_of(run->output);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory", run->output);
    PV_TRY_DONE(pv_inputs_expand(ctx, run->inputs, run->input_count, &files));
    PV_TRY_DONE(pv_reading_open(&s->read, ctx, &count, &files, run->inputs, run->input_count,
                                folder, false));
    if (s->read.vocabulary.known_tokens == 0) {
        status = pv_fail(ctx, PSDVEC_ERR_EMPTY,
                         "%s: none of its words stands in the text, so there is nothing to learn",
                         count.vocab_file);
        goto done;
    }
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
    pv_token_store_free(s->read.store); /* all is laid out */
    s->read.store = NULL;
    pv_inputs_free(&files);
    free(folder);
    return status;
}

/* ---- The run -------------------------------------------------------------------------------- */

/* A number that is not finite stays so, and soon all are. */
static psdvec_status check_finite(const pv_word2vec *w)
{
    size_t count = (size_t)w->words * w->space.stride;
    bool finite = isfinite(w->loss) != 0;
    for (size_t k = 0; k < count; k++)
        finite &= isfinite(w->space.in[k]) != 0;
    if (finite)
        return PSDVEC_OK;
    return pv_fail(w->ctx, PSDVEC_ERR_NUMERIC,
                   "the steps of %s lead to numbers that are not finite; a rate below %g (`rate`) "
                   "may help",
                   psdvec_method_name(w->settings.cbow ? PSDVEC_METHOD_CBOW : PSDVEC_METHOD_SGNS),
                   w->settings.rate);
}

/* Words as output start at zero, and stay there if there never was a pair. */
static psdvec_status check_learnt(const pv_word2vec *w)
{
    size_t count = (size_t)w->words * w->space.stride, k = 0;
    while (k < count && w->space.out[k] == 0)
        k++;
    if (k < count)
        return PSDVEC_OK;
    return pv_fail(w->ctx, PSDVEC_ERR_EMPTY,
                   "no two words stand together in the text, so there is nothing to learn; give "
                   "more text, keep more words (`min_count`) or drop fewer (`subsample`)");
}

static psdvec_status train(pv_baseline_run *run, const source *s, pv_word2vec *w)
{
    const pv_learnt_rows learnt = {
        .words = w->words, .stride = w->space.stride, .rows = {w->space.in, w->space.out}};
    PV_TRY(pv_epochs_load(run, &learnt));
    uint32_t done = run->report->epochs, epochs = w->settings.epochs;
    pv_progress progress;
    pv_progress_begin(&progress, w->ctx, "training", "words",
                      s->read.vocabulary.known_tokens * (epochs - done));
    w->progress = &progress;
    for (uint32_t epoch = done; epoch < epochs; epoch++) {
        double began = pv_now();
        progress.objective = run->report->loss;
        PV_TRY(pv_word2vec_epoch(w, epoch));
        PV_TRY(check_finite(w));
        run->report->epochs = epoch + 1;
        run->report->pairs = w->pairs;
        run->report->loss = w->loss_pairs ? w->loss / (double)w->loss_pairs : NAN;
        pv_step(w->ctx, "epoch %u of %u: loss %.4f, %.0f words a second", epoch + 1, epochs,
                run->report->loss,
                (double)s->read.vocabulary.known_tokens / (pv_now() - began + 1e-9));
        PV_TRY(pv_epochs_save(run, &learnt));
    }
    pv_progress_end(&progress);
    return check_learnt(w);
}

/* Without the zeros behind each row. */
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
    source s = {.ctx = ctx};
    pv_word2vec w = {0};
    psdvec_status status;
    pv_buffer_init(&s.provenance, ctx);
    PV_TRY_DONE(read_text(run, &s));
    PV_TRY_DONE(pv_word2vec_open(&w, ctx, &settings, s.text.ids, s.text.length,
                                 s.read.vocabulary.frequency, s.read.vocabulary.count));
    PV_TRY_DONE(train(run, &s, &w));
    close_up(&w);
    pv_baseline_words words = {.words = s.read.vocabulary.count,
                               .bytes = s.read.vocabulary.bytes,
                               .offsets = s.read.vocabulary.offsets,
                               .frequency = s.read.vocabulary.frequency,
                               .counts_json = s.provenance.data};
    status = pv_baseline_write(run, &words, o->dim, w.space.in);
done:
    pv_word2vec_close(&w);
    pv_sequence_free(&s.text);
    pv_reading_free(&s.read);
    pv_buffer_free(&s.provenance);
    return status;
}
