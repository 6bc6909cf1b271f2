/* Reading a text. */
#include "count/reading.h"

#include <string.h>

static psdvec_status check_not_empty(const pv_reading *r, const psdvec_count_options *options,
                                     const char *first_input, size_t inputs)
{
    const char *others = inputs > 1 ? " and the other inputs" : "";
    if (strcmp(first_input, "-") == 0)
        first_input = "standard input";
    if (r->store->total.bytes == 0)
        return pv_fail(r->ctx, PSDVEC_ERR_EMPTY, "%s%s: empty; there is no text in it", first_input,
                       others);
    if (r->store->total.tokens == 0)
        return pv_fail(r->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: no words in %llu bytes; is it text, and the right tokenizer?",
                       first_input, others, (unsigned long long)r->store->total.bytes);
    if (r->vocabulary.count == 0)
        return pv_fail(r->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: none of %llu distinct words is seen %llu times; lower the minimum "
                       "count",
                       first_input, others, (unsigned long long)r->vocabulary.distinct,
                       (unsigned long long)options->min_count);
    if (options->vocab_file && r->vocabulary.known_tokens == 0)
        pv_warn(r->ctx, "%s: none of its %u words stands in the text; same case, same tokenizer?",
                options->vocab_file, r->vocabulary.count);
    return PSDVEC_OK;
}

psdvec_status pv_reading_open(pv_reading *r, psdvec_context *ctx,
                              const psdvec_count_options *options, const pv_inputs *files,
                              const char *const *inputs, size_t input_count, const char *folder,
                              bool may_be_empty)
{
    *r = (pv_reading){.ctx = ctx};
    pv_vocabulary_init(&r->vocabulary, ctx);
    pv_provenance_init(&r->provenance, ctx);
    if (options->vocab_file)
        PV_TRY(pv_vocabulary_read(&r->vocabulary, options->vocab_file));
    PV_TRY(pv_token_store_read(ctx, files, input_count, &options->text, folder, &r->store));
    PV_TRY(pv_vocabulary_build(&r->vocabulary, r->store, options));
    if (!may_be_empty)
        PV_TRY(check_not_empty(r, options, inputs[0], input_count));
    PV_TRY(pv_provenance_set(&r->provenance, options));
    r->provenance.tokens = r->store->total.tokens;
    r->provenance.documents = r->store->total.documents;
    for (size_t i = 0; i < input_count; i++) {
        r->store->inputs[i].name = inputs[i];
        PV_TRY(pv_provenance_add_input(&r->provenance, &r->store->inputs[i]));
    }
    return PSDVEC_OK;
}

void pv_reading_free(pv_reading *r)
{
    if (!r->ctx)
        return;
    pv_provenance_free(&r->provenance);
    pv_vocabulary_free(&r->vocabulary);
    pv_token_store_free(r->store);
    *r = (pv_reading){0};
}

void pv_reading_report(const pv_reading *r, psdvec_count_report *report)
{
    report->bytes = r->store->total.bytes;
    report->documents = r->store->total.documents;
    report->tokens = r->store->total.tokens;
    report->known_tokens = r->vocabulary.known_tokens;
    report->distinct_words = r->vocabulary.distinct;
    report->words = r->vocabulary.count;
    report->bad_bytes = r->store->faults.bad_bytes;
}
