/* From inputs to the text of triples. */
#include "document/triple_text.h"

#include "base/json.h"
#include "base/thread.h"
#include "count/provenance.h"
#include "model/model_read.h"

#include <string.h>

enum { GROUPS = 4096 };

void pv_triple_text_free(pv_triple_text *x)
{
    if (!x->ctx)
        return;
    pv_sequence_free(&x->text);
    for (int k = 0; k < 3; k++)
        pv_free(x->ctx, x->margins[k]);
    pv_row_groups_free(&x->groups, x->ctx);
    *x = (pv_triple_text){.ctx = x->ctx};
}

/* ---- Reading ------------------------------------------------------------------------- */

/* `json_field` lives in `strings`. */
static psdvec_status read_settings(psdvec_context *ctx, const psdvec_model *model,
                                   psdvec_count_options *options, pv_buffer *strings)
{
    psdvec_status status = PSDVEC_OK;
    pv_buffer settings;
    pv_buffer_init(&settings, ctx);
    psdvec_count_options_default(options);
    if (model->info.counts_json)
        PV_TRY_DONE(pv_json_member(model->info.counts_json, "settings", &settings));
    if (settings.length > 0)
        status = pv_provenance_read_settings(ctx, model->path, settings.data, options, strings);
done:
    pv_buffer_free(&settings);
    return status;
}

/* The model's words as a fixed list. */
static psdvec_status take_words(const psdvec_model *model, pv_vocabulary *v)
{
    uint32_t words = model->info.words;
    uint64_t bytes = model->offsets[words];
    PV_TRY(pv_vocabulary_reserve(v, words, bytes));
    v->fixed = true;
    memcpy(v->bytes, model->bytes, bytes);
    memcpy(v->offsets, model->offsets, ((size_t)words + 1) * sizeof *v->offsets);
    return PSDVEC_OK;
}

static psdvec_status check_text(const pv_triple_text *x, const pv_token_store *store,
                                const psdvec_model *model, const char *first, size_t inputs)
{
    const char *others = inputs > 1 ? " and the other inputs" : "";
    if (strcmp(first, "-") == 0)
        first = "standard input";
    if (x->tokens == 0)
        return pv_fail(x->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: no words in %llu bytes; is it text, and of the kind that %s was "
                       "trained on?",
                       first, others, (unsigned long long)store->total.bytes, model->path);
    if (x->known == 0)
        return pv_fail(x->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: none of its words is in %s; is it text of the same language?", first,
                       others, model->path);
    return PSDVEC_OK;
}

/* In memory if that leaves as much again, else in temporary files. */
static psdvec_status lay_out(pv_triple_text *x, pv_token_store *store, psdvec_oov oov,
                             const char *folder)
{
    uint64_t tokens = pv_sequence_tokens(store, 0, store->part_count);
    bool fits = pv_sequence_bytes(tokens) <= pv_memory_left(x->ctx) / 2;
    return pv_sequence_read(&x->text, store, oov, 0, store->part_count, 0, fits ? NULL : folder);
}

static psdvec_status read_text(pv_triple_text *x, const psdvec_model *model,
                               const char *const *inputs, size_t input_count,
                               const psdvec_count_options *options, const char *folder)
{
    psdvec_context *ctx = x->ctx;
    psdvec_status status;
    pv_inputs files = {0};
    pv_token_store *store = NULL;
    pv_vocabulary words;
    pv_vocabulary_init(&words, ctx);
    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &files));
    PV_TRY_DONE(pv_token_store_read(ctx, &files, input_count, &options->text, folder, &store));
    PV_TRY_DONE(take_words(model, &words));
    PV_TRY_DONE(pv_vocabulary_build(&words, store, options));
    x->tokens = store->total.tokens;
    x->known = words.known_tokens;
    PV_TRY_DONE(check_text(x, store, model, inputs[0], input_count));
    pv_sequence_init(&x->text, ctx, words.count);
    PV_TRY_DONE(lay_out(x, store, options->oov, folder));
    status = pv_row_groups_init(&x->groups, ctx, words.frequency, words.count, GROUPS);
done:
    pv_vocabulary_free(&words);
    pv_token_store_free(store);
    pv_inputs_free(&files);
    return status;
}

/* ---- Margins ------------------------------------------------------------------------- */

/* Places in which token t is the second word. */
static uint64_t places_around(const pv_triple_text *x, size_t t, const uint32_t *before)
{
    const uint32_t *id = x->text.ids + t;
    uint64_t places = 0;
    for (uint32_t d = 1; d < x->window && id[d] != PV_BORDER; d++)
        places += id[d] < x->text.words ? before[x->window - d] : 0;
    return places;
}

static psdvec_status sum_margins(void *opaque, size_t group, int worker)
{
    (void)worker;
    pv_triple_text *x = opaque;
    const pv_sequence *s = &x->text;
    uint32_t before[PV_MAX_WINDOW + 1], after[PV_MAX_WINDOW + 1];
    uint16_t distances[PV_MAX_WINDOW + 1];
    for (uint32_t i = x->groups.start[group]; i < x->groups.start[group + 1]; i++) {
        uint64_t first = 0, second = 0, third = 0;
        for (size_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            __builtin_prefetch(s->ids + s->places[k + PV_PLACES_AHEAD]);
            uint64_t right = pv_triple_after(x, s->places[k], after, distances);
            pv_triple_before(x, s->places[k], before);
            uint64_t left = before[x->window];
            first += right * (right - (right > 0)) / 2;
            second += places_around(x, s->places[k], before);
            third += left * (left - (left > 0)) / 2;
        }
        x->margins[0][i] = first;
        x->margins[1][i] = second;
        x->margins[2][i] = third;
    }
    return PSDVEC_OK;
}

psdvec_status pv_triple_text_open(pv_triple_text *x, psdvec_context *ctx, const psdvec_model *model,
                                  const char *const *inputs, size_t input_count, uint32_t window,
                                  const char *folder)
{
    psdvec_status status;
    psdvec_count_options options;
    pv_buffer strings;
    *x = (pv_triple_text){.ctx = ctx};
    pv_buffer_init(&strings, ctx);
    PV_TRY_DONE(read_settings(ctx, model, &options, &strings));
    x->window = window ? window : options.window;
    if (x->window < 2 || x->window > PV_MAX_WINDOW) {
        status = pv_fail(ctx, PSDVEC_ERR_OPTION,
                         "the window is %u %s; for three words it must be 2 to %d", x->window,
                         x->window == 1 ? "word" : "words", PV_MAX_WINDOW);
        goto done;
    }
    PV_TRY_DONE(read_text(x, model, inputs, input_count, &options, folder));
    PV_TRY_DONE(pv_sequence_sort(&x->text, x->text.ids_memory.mapped ? folder : NULL));
    for (int k = 0; k < 3; k++) {
        x->margins[k] = pv_alloc(ctx, x->text.words, sizeof *x->margins[k], "the words' margins");
        if (!x->margins[k]) {
            status = pv_failure(ctx);
            goto done;
        }
    }
    PV_TRY_DONE(pv_parallel_tasks(ctx, x->groups.count, sum_margins, x));
    for (uint32_t i = 0; i < x->text.words; i++)
        x->places += x->margins[0][i];
done:
    pv_buffer_free(&strings);
    return status;
}
