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
#include "base/json_write.h"
#include "base/memory.h"
#include "baseline/baseline.h"
#include "count/provenance.h"
#include "count/vocab_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    psdvec_context *ctx;
    pv_vocabulary words;
    pv_sequence text;
    pv_buffer story;
} source;

/* ---- Reading -------------------------------------------------------------------------------- */

static psdvec_status check_text(const pv_baseline_run *run, const source *s,
                                const pv_token_store *store)
{
    const char *first = strcmp(run->inputs[0], "-") == 0 ? "standard input" : run->inputs[0];
    const char *others = run->input_count > 1 ? " and the other inputs" : "";
    if (store->words_read == 0)
        return pv_fail(s->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: no words in %llu bytes; is it text, and the right tokenizer?", first,
                       others, (unsigned long long)store->bytes);
    if (s->words.count == 0)
        return pv_fail(s->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: none of %llu distinct words is seen %llu times; lower the minimum "
                       "count",
                       first, others, (unsigned long long)s->words.distinct,
                       (unsigned long long)run->count->min_count);
    if (s->words.known_tokens == 0)
        return pv_fail(s->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: none of the words of %s stands in it; same case, same tokenizer?",
                       first, others, run->count->vocab_file);
    return PSDVEC_OK;
}

/* How the text was read, as a counts file would tell it. */
static psdvec_status tell_story(const pv_baseline_run *run, const psdvec_count_options *count,
                                source *s, const pv_token_store *store)
{
    psdvec_status status;
    pv_buffer inputs;
    pv_provenance p;
    pv_buffer_init(&inputs, s->ctx);
    pv_provenance_init(&p, s->ctx);
    PV_TRY_DONE(pv_provenance_set(&p, count));
    for (size_t i = 0; i < run->input_count; i++) {
        pv_input_note note = {.name = (char *)run->inputs[i],
                              .files = store->inputs[i].files,
                              .bytes = store->inputs[i].bytes,
                              .documents = store->inputs[i].documents,
                              .tokens = store->inputs[i].tokens};
        PV_TRY_DONE(pv_provenance_add_input(&p, &note));
    }
    PV_TRY_DONE(pv_provenance_inputs_json(&p, &inputs));
    pv_json_writer w;
    pv_json_writer_init(&w, &s->story);
    pv_json_open_object(&w);
    pv_json_key(&w, "settings");
    pv_json_put_raw(&w, p.settings, strlen(p.settings));
    pv_json_key(&w, "vocabulary");
    pv_json_put_raw(&w, p.vocabulary, strlen(p.vocabulary));
    pv_json_key(&w, "inputs");
    pv_json_put_raw(&w, inputs.data, inputs.length);
    pv_json_key(&w, "words");
    pv_json_put_u64(&w, s->words.count);
    pv_json_key(&w, "tokens");
    pv_json_put_u64(&w, store->words_read);
    pv_json_key(&w, "documents");
    pv_json_put_u64(&w, store->documents);
    pv_json_close(&w);
    PV_TRY_DONE(pv_json_writer_status(&w));
    status = pv_buffer_byte(&s->story, 0);
done:
    pv_provenance_free(&p);
    pv_buffer_free(&inputs);
    return status;
}

static void report_text(const pv_baseline_run *run, const source *s, const pv_token_store *store,
                        double began)
{
    if (run->count_report)
        *run->count_report = (psdvec_count_report){
            .bytes = store->bytes,
            .documents = store->documents,
            .tokens = store->words_read,
            .known_tokens = s->words.known_tokens,
            .distinct_words = s->words.distinct,
            .words = s->words.count,
            .bad_bytes = store->bad_bytes,
            .runs = 1,
            .spilled_bytes = pv_spool_on_disk(store->tokens) + pv_spool_on_disk(store->words),
            .seconds = pv_now() - began};
}

/* Bytes of both kinds of vectors. */
static uint64_t vector_bytes(const pv_baseline_run *run, const source *s)
{
    return 2 * sizeof(float) * (uint64_t)s->words.count * pv_sgns_stride(run->options->dim);
}

/* In memory if that leaves room for the vectors, else in a temporary file. */
static psdvec_status lay_out(const pv_baseline_run *run, source *s, pv_token_store *store,
                             const char *folder)
{
    uint64_t tokens = pv_sequence_tokens(store, 0, store->piece_count);
    uint64_t left = pv_memory_left(s->ctx), need = vector_bytes(run, s) + tokens * sizeof(uint32_t);
    bool fits = need <= left - left / 8;
    if (tokens > UINT32_MAX / 2)
        return pv_fail(s->ctx, PSDVEC_ERR_OVERFLOW,
                       "the text has more than 2 billion words; give a part of it");
    pv_sequence_init(&s->text, s->ctx, s->words.count);
    return pv_sequence_read(&s->text, store, PSDVEC_OOV_DROP, 0, store->piece_count, 0,
                            fits ? NULL : folder);
}

static psdvec_status read_text(const pv_baseline_run *run, source *s)
{
    psdvec_context *ctx = s->ctx;
    double began = pv_now();
    psdvec_count_options count = *run->count;
    count.oov = PSDVEC_OOV_DROP;
    pv_inputs files = {0};
    pv_token_store *store = NULL;
    psdvec_status status;
    char *folder = pv_folder_of(run->output);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory", run->output);
    PV_TRY_DONE(pv_inputs_expand(ctx, run->inputs, run->input_count, &files));
    if (count.vocab_file)
        PV_TRY_DONE(pv_vocab_file_read(ctx, count.vocab_file, &s->words));
    PV_TRY_DONE(pv_token_store_read(ctx, &files, run->input_count, &count.text, folder, &store));
    PV_TRY_DONE(pv_vocabulary_build(&s->words, store, &count));
    PV_TRY_DONE(check_text(run, s, store));
    PV_TRY_DONE(tell_story(run, &count, s, store));
    report_text(run, s, store, began);
    status = lay_out(run, s, store, folder);
done:
    pv_token_store_free(store);
    pv_inputs_free(&files);
    free(folder);
    return status;
}

/* ---- States --------------------------------------------------------------------------------- */

enum { FIGURES = 3 }; /* epochs done, pairs and mean loss of the last */

static psdvec_status save_epoch(const pv_baseline_run *run, const pv_word2vec *w)
{
    const double figures[FIGURES] = {run->report->epochs, (double)run->report->pairs,
                                     run->report->loss};
    const pv_tensor tensors[] = {
        {.name = "figures", .dtype = PV_DTYPE_F64, .rank = 1, .shape = {FIGURES}, .data = figures},
        {.name = "in",
         .dtype = PV_DTYPE_F32,
         .rank = 2,
         .shape = {w->words, w->space.stride},
         .data = w->space.in},
        {.name = "out",
         .dtype = PV_DTYPE_F32,
         .rank = 2,
         .shape = {w->words, w->space.stride},
         .data = w->space.out}};
    return pv_partial_save(run->partial, "epoch", tensors, sizeof tensors / sizeof *tensors, NULL,
                           0);
}

/* Takes up the state of an interrupted run, if there is one. */
static psdvec_status load_epoch(const pv_baseline_run *run, pv_word2vec *w)
{
    pv_st_file *file = NULL;
    PV_TRY(pv_partial_load(run->partial, "epoch", &file));
    if (!file)
        return PSDVEC_OK;
    const pv_tensor *figures, *in, *out;
    const int64_t shape[] = {(int64_t)w->words, (int64_t)w->space.stride};
    psdvec_status status;
    PV_TRY_DONE(
        pv_st_require(w->ctx, file, "figures", PV_DTYPE_F64, 1, (int64_t[]){FIGURES}, &figures));
    PV_TRY_DONE(pv_st_require(w->ctx, file, "in", PV_DTYPE_F32, 2, shape, &in));
    PV_TRY_DONE(pv_st_require(w->ctx, file, "out", PV_DTYPE_F32, 2, shape, &out));
    const double *figure = figures->data;
    if (!(figure[0] >= 1 && figure[0] <= w->settings.epochs && figure[1] >= 0 && figure[1] < 1e19))
        goto done;
    run->report->epochs = (uint32_t)figure[0];
    run->report->pairs = (uint64_t)figure[1];
    run->report->loss = figure[2];
    memcpy(w->space.in, in->data, in->bytes);
    memcpy(w->space.out, out->data, out->bytes);
    pv_step(w->ctx, "going on after epoch %u of an interrupted run", run->report->epochs);
done:
    pv_st_close(file);
    return status;
}

/* ---- The run -------------------------------------------------------------------------------- */

static psdvec_status train(pv_baseline_run *run, const source *s, pv_word2vec *w)
{
    PV_TRY(load_epoch(run, w));
    uint32_t done = run->report->epochs, epochs = w->settings.epochs;
    pv_progress progress;
    pv_progress_begin(&progress, w->ctx, "training", "words",
                      s->words.known_tokens * (epochs - done));
    w->progress = &progress;
    for (uint32_t epoch = done; epoch < epochs; epoch++) {
        double began = pv_now();
        progress.objective = run->report->loss;
        PV_TRY(pv_word2vec_epoch(w, epoch));
        run->report->epochs = epoch + 1;
        run->report->pairs = w->pairs;
        run->report->loss = w->loss_pairs ? w->loss / (double)w->loss_pairs : NAN;
        pv_step(w->ctx, "epoch %u of %u: loss %.4f, %.0f words a second", epoch + 1, epochs,
                run->report->loss, (double)s->words.known_tokens / (pv_now() - began + 1e-9));
        PV_TRY(save_epoch(run, w));
    }
    pv_progress_end(&progress);
    return PSDVEC_OK;
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
    pv_vocabulary_init(&s.words, ctx);
    pv_buffer_init(&s.story, ctx);
    PV_TRY_DONE(read_text(run, &s));
    PV_TRY_DONE(pv_word2vec_open(&w, ctx, &settings, s.text.ids, s.text.length, s.words.frequency,
                                 s.words.count));
    PV_TRY_DONE(train(run, &s, &w));
    close_up(&w);
    pv_baseline_words words = {.words = s.words.count,
                               .bytes = s.words.bytes,
                               .offsets = s.words.offsets,
                               .frequency = s.words.frequency,
                               .counts_json = s.story.data};
    status = pv_baseline_write(run, &words, o->dim, w.space.in);
done:
    pv_word2vec_close(&w);
    pv_sequence_free(&s.text);
    pv_vocabulary_free(&s.words);
    pv_buffer_free(&s.story);
    return status;
}
