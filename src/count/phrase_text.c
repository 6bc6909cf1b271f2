/* Public functions: listing phrases, and writing text with phrases joined. */
#include "base/arguments.h"
#include "base/file.h"
#include "corpus/options.h"
#include "corpus/tokens.h"
#include "count/count.h"
#include "count/options.h"
#include "count/phrase_find.h"
#include "util/clock.h"

#include <stdlib.h>
#include <string.h>

enum { WRITE_BLOCK = 1 << 20 };

typedef struct joined_text {
    pv_token_sink sink;
    const pv_phrases *phrases;
    psdvec_phrases_report *report; /* documents, tokens, joined */
    pv_output *output;
    pv_buffer text;
    uint64_t written;
    bool in_line, in_document;
} joined_text;

static psdvec_status write_block(joined_text *t)
{
    PV_TRY(pv_output_write_at(t->output, t->written, t->text.data, t->text.length));
    t->written += t->text.length;
    t->text.length = 0;
    return PSDVEC_OK;
}

static psdvec_status take_word(joined_text *t, const pv_token *token)
{
    const char *words = pv_phrases_joined_words(t->phrases, token);
    t->report->documents += !t->in_document;
    t->report->tokens++;
    t->report->joined += words != NULL;
    for (size_t k = 0; words && k < token->length; k++)
        t->report->tokens += words[k] == ' ';
    if (t->in_line)
        PV_TRY(pv_buffer_byte(&t->text, ' '));
    t->in_line = t->in_document = true;
    return pv_buffer_append(&t->text, token->text, token->length);
}

static psdvec_status take(void *user, const pv_token *tokens, size_t count)
{
    joined_text *t = user;
    for (const pv_token *token = tokens; token < tokens + count; token++) {
        if (token->kind == PV_TOKEN_READY) {
            PV_TRY(take_word(t, token));
            continue;
        }
        if (t->in_line)
            PV_TRY(pv_buffer_byte(&t->text, '\n'));
        t->in_line = false;
        t->in_document &= token->kind == PV_TOKEN_SENTENCE_END;
    }
    return t->text.length < WRITE_BLOCK ? PSDVEC_OK : write_block(t);
}

/* Writes the text with these phrases joined to an open output. Does not set `bytes` of the
 * report. */
static psdvec_status write_joined(psdvec_context *ctx, const psdvec_text_options *options,
                                  const pv_phrases *phrases, const char *const *inputs,
                                  size_t input_count, pv_output *output,
                                  psdvec_phrases_report *report)
{
    psdvec_status status;
    pv_inputs files = {0};
    pv_corpus *corpus = NULL;
    pv_text_faults faults;
    pv_text_rules *rules;
    pv_scope scope = {.ctx = ctx, .what = "the tokenizer"};
    joined_text t = {.sink = {.take = take, .user = &t, .stage = "joining"},
                     .phrases = phrases,
                     .report = report,
                     .output = output,
                     .text = {.ctx = ctx}};
    report->documents = report->tokens = 0;
    pv_text_faults_init(&faults, ctx);
    PV_TAKE(&scope, rules, 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    pv_text_rules_init(rules, options);
    rules->joining.phrases = phrases;
    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &files));
    PV_TRY_DONE(pv_corpus_new(ctx, &files, &rules->options, t.sink.stage, &corpus));
    PV_TRY_DONE(pv_tokens_of_corpus(ctx, rules, corpus, &faults, &t.sink));
    pv_progress_end(pv_corpus_progress(corpus));
    report->bytes = pv_corpus_bytes(corpus);
    status = write_block(&t);
done:
    pv_corpus_free(corpus);
    pv_inputs_free(&files);
    pv_text_faults_free(&faults);
    pv_buffer_free(&t.text);
    pv_scope_free(&scope);
    return status;
}

/* Rejects an output that is an input, because it would be read while it is replaced. */
static psdvec_status refuse_input_as_output(psdvec_context *ctx, const char *const *inputs,
                                            size_t count, const char *output)
{
    pv_inputs files = {0};
    psdvec_status status = pv_inputs_expand(ctx, inputs, count, &files);
    for (size_t i = 0; i < files.count && status == PSDVEC_OK; i++)
        status = pv_refuse_same_file(ctx, (const char *const *)&files.files[i].path, 1, output);
    pv_inputs_free(&files);
    return status;
}

static psdvec_status find(psdvec_context *ctx, const psdvec_phrases_options *options,
                          const psdvec_text_options *text, const char *const *inputs,
                          size_t input_count, const char *list, const char *joined,
                          psdvec_phrases_report *report)
{
    psdvec_status status;
    pv_phrases phrases = {0};
    pv_buffer lines = {.ctx = ctx};
    pv_output *text_file = NULL, *list_file = NULL;
    char *folder = pv_folder_of(joined ? joined : list);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory");
    if (joined || options->passes > 1)
        PV_TRY_DONE(pv_inputs_refuse_once(
            ctx, inputs, input_count,
            "and finding phrases in several `passes`, or joining them, reads the text more than "
            "once; save it to a file first"));
    if (list) {
        PV_TRY_DONE(refuse_input_as_output(ctx, inputs, input_count, list));
        PV_TRY_DONE(pv_output_open(ctx, list, &list_file));
    }
    if (joined) {
        PV_TRY_DONE(refuse_input_as_output(ctx, inputs, input_count, joined));
        PV_TRY_DONE(pv_output_open(ctx, joined, &text_file));
    }
    PV_TRY_DONE(pv_phrases_search(ctx, options, text, inputs, input_count, NULL, folder, &phrases,
                                  list ? &lines : NULL, report));
    if (list)
        PV_TRY_DONE(pv_output_write_at(list_file, 0, lines.data, lines.length));
    if (joined)
        PV_TRY_DONE(write_joined(ctx, text, &phrases, inputs, input_count, text_file, report));
    status = joined && list ? pv_output_commit_set((pv_output *[]){text_file, list_file}, 2)
                            : pv_output_commit(joined ? text_file : list_file);
    text_file = list_file = NULL;
done:
    pv_output_discard(text_file);
    pv_output_discard(list_file);
    pv_phrases_free(&phrases);
    pv_buffer_free(&lines);
    free(folder);
    return status;
}

psdvec_status psdvec_phrases_find(psdvec_context *ctx, const psdvec_phrases_options *options,
                                  const psdvec_text_options *text, const char *const *inputs,
                                  size_t input_count, const char *list, const char *joined,
                                  psdvec_phrases_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED_EACH(ctx, inputs, input_count);
    psdvec_phrases_options own;
    psdvec_text_options own_text;
    psdvec_phrases_report result = {0};
    double began = pv_now();
    if (!list && !joined)
        PV_NEED(ctx, list);
    PV_TRY(pv_options_adopt(ctx, &pv_phrases_table, options, &own));
    PV_TRY(pv_options_adopt(ctx, &pv_text_table, text, &own_text));
    if (own_text.phrases)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "`phrases` is a list of phrases to be joined; omit it to find phrases");
    PV_TRY(find(ctx, &own, &own_text, inputs, input_count, list, joined, &result));
    result.seconds = pv_now() - began;
    if (report)
        *report = result;
    return PSDVEC_OK;
}

psdvec_status psdvec_phrases_join(psdvec_context *ctx, const psdvec_text_options *text,
                                  const char *const *inputs, size_t input_count, const char *output,
                                  psdvec_phrases_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, text);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, output);
    psdvec_text_options own;
    psdvec_phrases_report result = {0};
    pv_phrases phrases = {0};
    pv_output *file = NULL;
    psdvec_status status;
    double began = pv_now();
    PV_TRY(pv_options_adopt(ctx, &pv_text_table, text, &own));
    if (!own.phrases)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "give the list of phrases to join as `phrases`");
    PV_TRY_DONE(refuse_input_as_output(ctx, inputs, input_count, output));
    PV_TRY_DONE(pv_refuse_same_file(ctx, &own.phrases, 1, output));
    PV_TRY_DONE(pv_phrases_read(&phrases, ctx, &own, own.phrases));
    PV_TRY_DONE(pv_output_open(ctx, output, &file));
    PV_TRY_DONE(write_joined(ctx, &own, &phrases, inputs, input_count, file, &result));
    status = pv_output_commit(file);
    file = NULL;
    if (status != PSDVEC_OK)
        goto done;
    result.phrases = phrases.count;
    result.seconds = pv_now() - began;
    if (report)
        *report = result;
done:
    pv_output_discard(file);
    pv_phrases_free(&phrases);
    return status;
}
