/* A run of one of the other systems: options checked, the output tried, what an interrupted run left
 * found, the method called, the model written. The methods themselves know nothing of that. */
#include "baseline/baseline.h"

#include "base/arguments.h"
#include "base/file.h"
#include "base/progress.h"
#include "baseline/options.h"
#include "count/count.h"
#include "count/options.h"
#include "count/provenance.h"
#include "model/model_write.h"
#include "model/sparse_file.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>

static psdvec_status from_counts(pv_baseline_run *run, const char *path)
{
    pv_counts_method_fn *method = NULL;
    switch (run->options->method) {
    case PSDVEC_METHOD_PPMI:
        method = pv_baseline_ppmi;
        break;
    case PSDVEC_METHOD_SVD:
        method = pv_baseline_svd;
        break;
    case PSDVEC_METHOD_CCA:
        method = pv_baseline_cca;
        break;
    default:
        method = pv_baseline_glove;
    }
    psdvec_counts *counts = NULL;
    PV_TRY(pv_counts_open_sound(run->ctx, path, &counts));
    psdvec_status status = method(run, counts);
    psdvec_counts_close(counts);
    return status;
}

static psdvec_status from_vectors(pv_baseline_run *run, const char *path)
{
    psdvec_model *dense = NULL;
    PV_TRY(pv_model_open(run->ctx, path, &dense));
    psdvec_status status = pv_baseline_sparse(run, dense);
    psdvec_model_close(dense);
    return status;
}

static bool reads_text(psdvec_method method)
{
    return method == PSDVEC_METHOD_SGNS || method == PSDVEC_METHOD_CBOW;
}

static psdvec_status add_settings(pv_buffer *key, const psdvec_baseline_options *options)
{
    PV_TRY(pv_baseline_settings(key->ctx, options, key));
    return pv_key_add_seed(key);
}

static void finish(pv_baseline_run *run, double began, psdvec_baseline_report *report)
{
    run->report->seconds = pv_now() - began;
    if (report)
        *report = *run->report;
}

psdvec_status psdvec_baseline(psdvec_context *ctx, const psdvec_baseline_options *options,
                              const char *input, const char *output, psdvec_baseline_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, input);
    PV_NEED(ctx, output);
    double began = pv_now();
    psdvec_baseline_report told = {.loss = NAN};
    psdvec_baseline_options own;
    pv_baseline_run run = {.ctx = ctx, .options = &own, .output = output, .report = &told};
    pv_buffer key;
    pv_buffer_init(&key, ctx);
    psdvec_status status;
    PV_TRY_DONE(pv_baseline_adopt(ctx, options, &own));
    if (reads_text(own.method)) {
        status = pv_fail(ctx, PSDVEC_ERR_OPTION,
                         "%s learns from text; psdvec_baseline_text takes it",
                         psdvec_method_name(own.method));
        goto done;
    }
    PV_TRY_DONE(pv_refuse_same_file(ctx, &input, 1, output));
    PV_TRY_DONE(pv_output_try(ctx, output));
    PV_TRY_DONE(add_settings(&key, &own));
    bool vectors = own.method == PSDVEC_METHOD_SPARSE;
    PV_TRY_DONE(vectors ? pv_key_add_file(&key, input) : pv_key_add_counts(&key, input));
    PV_TRY_DONE(pv_buffer_byte(&key, 0));
    PV_TRY_DONE(pv_partial_open(ctx, output, key.data, own.restart, &run.partial));
    status = vectors ? from_vectors(&run, input) : from_counts(&run, input);
done:
    pv_partial_close(run.partial, pv_is_settled(status));
    pv_buffer_free(&key);
    finish(&run, began, report);
    return status;
}

psdvec_status psdvec_baseline_text(psdvec_context *ctx, const psdvec_baseline_options *options,
                                   const psdvec_count_options *count, const char *const *inputs,
                                   size_t input_count, const char *output,
                                   psdvec_count_report *count_report,
                                   psdvec_baseline_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, output);
    double began = pv_now();
    psdvec_baseline_report told = {.loss = NAN};
    psdvec_baseline_options own;
    psdvec_count_options counting, preset;
    pv_baseline_run run = {.ctx = ctx,
                           .options = &own,
                           .output = output,
                           .report = &told,
                           .count = &counting,
                           .inputs = inputs,
                           .input_count = input_count,
                           .count_report = count_report};
    pv_buffer key;
    pv_buffer_init(&key, ctx);
    char *counts = NULL;
    bool again;
    psdvec_status status;
    if (count_report)
        *count_report = (psdvec_count_report){0};
    PV_TRY_DONE(pv_baseline_adopt(ctx, options, &own));
    if (own.method == PSDVEC_METHOD_SPARSE) {
        status = pv_fail(ctx, PSDVEC_ERR_OPTION,
                         "sparse is made from vectors, not from text; psdvec_baseline takes them");
        goto done;
    }
    if (!count) {
        pv_options_fill(&pv_count_table, &preset, psdvec_method_name(own.method));
        count = &preset;
    }
    PV_TRY_DONE(pv_options_adopt(ctx, &pv_count_table, count, &counting));
    PV_TRY_DONE(pv_refuse_same_file(ctx, inputs, input_count, output));
    PV_TRY_DONE(pv_output_try(ctx, output));
    PV_TRY_DONE(add_settings(&key, &own));
    PV_TRY_DONE(pv_key_add_text(&key, &counting, inputs, input_count, output, &again));
    PV_TRY_DONE(pv_buffer_byte(&key, 0));
    PV_TRY_DONE(pv_partial_open(ctx, output, key.data, own.restart || !again, &run.partial));
    if (reads_text(own.method)) {
        status = pv_baseline_word2vec(&run);
    } else {
        PV_TRY_DONE(pv_count_on_the_way(run.partial, ctx, &counting, inputs, input_count, &counts,
                                        count_report));
        status = from_counts(&run, counts);
    }
done:
    pv_partial_close(run.partial, pv_is_settled(status));
    free(counts);
    pv_buffer_free(&key);
    finish(&run, began, report);
    return status;
}

/* ---- The result -------------------------------------------------------------------- */

psdvec_status pv_baseline_words_of(psdvec_context *ctx, const psdvec_counts *counts,
                                   pv_buffer *provenance, pv_baseline_words *words)
{
    PV_TRY(pv_counts_provenance(ctx, counts, NULL, provenance));
    *words = (pv_baseline_words){.words = counts->info.words,
                                 .bytes = counts->bytes,
                                 .offsets = counts->offsets,
                                 .frequency = counts->frequency,
                                 .counts_json = provenance->data};
    return PSDVEC_OK;
}

static psdvec_status settings_of(const pv_baseline_run *run, pv_buffer *json)
{
    PV_TRY(pv_baseline_settings(run->ctx, run->options, json));
    return pv_buffer_byte(json, 0);
}

psdvec_status pv_baseline_write(pv_baseline_run *run, const pv_baseline_words *words, uint32_t dim,
                                const float *vectors)
{
    pv_buffer settings;
    pv_buffer_init(&settings, run->ctx);
    psdvec_status status = settings_of(run, &settings);
    if (status == PSDVEC_OK) {
        pv_model_data data = {.words = words->words,
                              .dim = dim,
                              .bytes = words->bytes,
                              .offsets = words->offsets,
                              .vectors = vectors,
                              .counts = words->frequency,
                              .method = psdvec_method_name(run->options->method),
                              .settings_json = settings.data,
                              .counts_json = words->counts_json};
        status = pv_model_write(run->ctx, &data, run->output);
    }
    pv_buffer_free(&settings);
    run->report->words = words->words;
    run->report->dim = dim;
    return status;
}

psdvec_status pv_baseline_write_sparse(pv_baseline_run *run, const pv_baseline_words *words,
                                       pv_csr rows)
{
    pv_buffer settings;
    pv_buffer_init(&settings, run->ctx);
    psdvec_status status = settings_of(run, &settings);
    if (status == PSDVEC_OK) {
        pv_sparse_model_data data = {.rows = rows,
                                     .bytes = words->bytes,
                                     .offsets = words->offsets,
                                     .counts = words->frequency,
                                     .directions_are_words = run->options->method ==
                                                             PSDVEC_METHOD_PPMI,
                                     .method = psdvec_method_name(run->options->method),
                                     .settings_json = settings.data,
                                     .counts_json = words->counts_json};
        status = pv_sparse_model_write(run->ctx, &data, run->output);
    }
    pv_buffer_free(&settings);
    run->report->words = words->words;
    run->report->dim = rows.columns;
    run->report->entries = rows.begin[rows.rows];
    return status;
}
