/* A run of one of the baselines: checks the options, tests the output, finds the state of an
 * interrupted run, calls the method and writes the model. The methods contain none of this.
 *
 * In a group of processes, the members divide the work of all methods that train on counts or
 * vectors; sgns and cbow are refused. The leader writes the model and the states. */
#include "baseline/baseline.h"

#include "base/arguments.h"
#include "base/group.h"
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
#include <string.h>
#include <xxhash.h>

/* The cost of a row is about that of its pairs in two products with the matrix, and of the dense
 * algebra of the eigensolver. */
static psdvec_status divide_words(psdvec_context *ctx, const pv_baseline_run *run,
                                  const psdvec_counts *counts, pv_division **division)
{
    const pv_csr *rows = &counts->rows;
    psdvec_method method = run->options->method;
    uint64_t dim = method == PSDVEC_METHOD_PPMI ? 1 : run->options->dim;
    if (!pv_group_shares(ctx) || method == PSDVEC_METHOD_GLOVE)
        return PSDVEC_OK;
    uint64_t *cost = pv_alloc(ctx, rows->rows, sizeof *cost, "the division of rows");
    if (!cost)
        return pv_failure(ctx);
    for (uint32_t i = 0; i < rows->rows; i++)
        cost[i] = dim + 2 * (rows->end[i] - rows->begin[i]);
    psdvec_status status = pv_division_make(ctx, rows->rows, cost, division);
    pv_free(ctx, cost);
    return status;
}

static psdvec_status from_counts(pv_baseline_run *run, const char *path)
{
    static psdvec_status (*const methods[PSDVEC_METHODS])(
        pv_baseline_run *, const psdvec_counts *) = {[PSDVEC_METHOD_PPMI] = pv_baseline_ppmi,
                                                     [PSDVEC_METHOD_SVD] = pv_baseline_svd,
                                                     [PSDVEC_METHOD_CCA] = pv_baseline_svd,
                                                     [PSDVEC_METHOD_GLOVE] = pv_baseline_glove};
    psdvec_counts *counts = NULL;
    pv_division *division = NULL;
    pv_buffer provenance = {.ctx = run->ctx};
    psdvec_status status;
    PV_TRY_DONE(pv_counts_open_sound(run->ctx, path, &counts));
    PV_TRY_DONE(divide_words(run->ctx, run, counts, &division));
    run->division = division;
    PV_TRY_DONE(pv_counts_provenance(run->ctx, counts, NULL, 0, &provenance));
    run->words = (pv_baseline_words){.words = counts->info.words,
                                     .bytes = counts->bytes,
                                     .offsets = counts->offsets,
                                     .frequency = counts->frequency,
                                     .counts_json = provenance.data,
                                     .phrases = counts->phrases};
    status = methods[run->options->method](run, counts);
done:
    run->division = NULL;
    pv_division_free(division);
    psdvec_counts_close(counts);
    pv_buffer_free(&provenance);
    return status;
}

static psdvec_status from_vectors(pv_baseline_run *run, const char *path)
{
    psdvec_model *dense = NULL;
    PV_TRY(pv_model_open(run->ctx, path, NULL, &dense));
    run->words = (pv_baseline_words){.words = dense->info.words,
                                     .bytes = dense->bytes,
                                     .offsets = dense->offsets,
                                     .frequency = dense->counts,
                                     .counts_json = dense->info.counts_json,
                                     .phrases = pv_model_phrases(dense)};
    psdvec_status status = pv_baseline_sparse(run, dense);
    psdvec_model_close(dense);
    return status;
}

static bool reads_text(psdvec_method method)
{
    return method == PSDVEC_METHOD_SGNS || method == PSDVEC_METHOD_CBOW;
}

/* inputs[0] is a counts file or a file of vectors, unless there are counting options: then all
 * inputs are text. */
static psdvec_status run_method(pv_baseline_run *run)
{
    psdvec_context *ctx = run->ctx;
    psdvec_method method = run->options->method;
    bool text = run->count != NULL, again = true;
    char *counts = NULL;
    pv_buffer key = {.ctx = ctx};
    psdvec_status status;
    if (pv_group_shares(ctx) && reads_text(method))
        PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_OPTION,
                            "%s is not divided among processes, because each of its steps changes "
                            "vectors that the next one needs; run it in one process (psdvec), with "
                            "many threads",
                            psdvec_method_name(method)));
    PV_TRY_DONE(pv_refuse_same_file(ctx, run->inputs, run->input_count, run->output));
    if (pv_group_leads(ctx))
        PV_TRY_DONE(pv_output_try(ctx, run->output));
    PV_TRY_DONE(pv_baseline_settings(ctx, run->options, &key));
    PV_TRY_DONE(pv_key_add_seed(&key));
    if (text)
        PV_TRY_DONE(
            pv_key_add_text(&key, run->count, run->inputs, run->input_count, run->output, &again));
    else
        PV_TRY_DONE(method == PSDVEC_METHOD_SPARSE ? pv_key_add_file(&key, run->inputs[0])
                                                   : pv_key_add_counts(&key, run->inputs[0]));
    PV_TRY_DONE(pv_buffer_byte(&key, 0));
    PV_TRY_DONE(pv_group_compare(ctx, XXH3_64bits(key.data, key.length), "the options or inputs"));
    PV_TRY_DONE(pv_partial_open(ctx, run->output, key.data, run->options->restart || !again,
                                &run->partial));
    if (reads_text(method)) {
        status = pv_baseline_word2vec(run);
    } else if (method == PSDVEC_METHOD_SPARSE) {
        status = from_vectors(run, run->inputs[0]);
    } else {
        if (text)
            PV_TRY_DONE(pv_count_for_training(run->partial, ctx, run->count, run->inputs,
                                              run->input_count, &counts, run->count_report));
        status = from_counts(run, text ? counts : run->inputs[0]);
    }
done:
    pv_partial_close(run->partial, pv_is_settled(status));
    free(counts);
    pv_buffer_free(&key);
    return status;
}

static psdvec_status finish(pv_baseline_run *run, double began, psdvec_status status,
                            psdvec_baseline_report *report)
{
    run->report->seconds = pv_now() - began;
    if (report)
        *report = *run->report;
    return pv_group_end(run->ctx, status);
}

psdvec_status psdvec_baseline(psdvec_context *ctx, const psdvec_baseline_options *options,
                              const char *input, const char *output, psdvec_baseline_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, input);
    PV_NEED(ctx, output);
    double began = pv_now();
    pv_group_begin(ctx);
    psdvec_baseline_report told = {.loss = NAN};
    psdvec_baseline_options own;
    pv_baseline_run run = {.ctx = ctx,
                           .options = &own,
                           .output = output,
                           .report = &told,
                           .inputs = &input,
                           .input_count = 1};
    psdvec_status status;
    PV_TRY_DONE(pv_baseline_adopt(ctx, options, &own));
    status = reads_text(own.method)
                 ? pv_fail(ctx, PSDVEC_ERR_OPTION, "%s trains on text; use psdvec_baseline_text",
                           psdvec_method_name(own.method))
                 : run_method(&run);
done:
    return finish(&run, began, status, report);
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
    pv_group_begin(ctx);
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
    psdvec_status status;
    if (count_report)
        *count_report = (psdvec_count_report){0};
    PV_TRY_DONE(pv_baseline_adopt(ctx, options, &own));
    if (own.method == PSDVEC_METHOD_SPARSE)
        PV_TRY_DONE(
            pv_fail(ctx, PSDVEC_ERR_OPTION, "sparse needs vectors, not text; use psdvec_baseline"));
    if (!count) {
        pv_options_fill(&pv_count_table, &preset, psdvec_method_name(own.method));
        count = &preset;
    }
    PV_TRY_DONE(pv_options_adopt(ctx, &pv_count_table, count, &counting));
    status = run_method(&run);
done:
    return finish(&run, began, status, report);
}

/* ---- The result -------------------------------------------------------------------- */

psdvec_status pv_baseline_write(pv_baseline_run *run, uint32_t dim, const float *vectors,
                                const pv_csr *rows)
{
    const pv_baseline_words *words = &run->words;
    const char *method = psdvec_method_name(run->options->method);
    run->report->words = words->words;
    run->report->dim = dim;
    if (rows)
        run->report->entries = rows->begin[rows->rows];
    if (!pv_group_leads(run->ctx))
        return PSDVEC_OK;
    pv_buffer settings = {.ctx = run->ctx};
    psdvec_status status;
    PV_TRY_DONE(pv_baseline_settings(run->ctx, run->options, &settings));
    PV_TRY_DONE(pv_buffer_byte(&settings, 0));
    if (!rows) {
        pv_model_data data = {.words = words->words,
                              .dim = dim,
                              .bytes = words->bytes,
                              .offsets = words->offsets,
                              .vectors = vectors,
                              .counts = words->frequency,
                              .method = method,
                              .settings_json = settings.data,
                              .counts_json = words->counts_json,
                              .phrases = words->phrases};
        status = pv_model_write(run->ctx, &data, run->output);
    } else {
        pv_sparse_model_data data = {.rows = *rows,
                                     .bytes = words->bytes,
                                     .offsets = words->offsets,
                                     .counts = words->frequency,
                                     .directions_are_words = run->options->method ==
                                                             PSDVEC_METHOD_PPMI,
                                     .method = method,
                                     .settings_json = settings.data,
                                     .counts_json = words->counts_json,
                                     .phrases = words->phrases};
        status = pv_sparse_model_write(run->ctx, &data, run->output);
    }
done:
    pv_buffer_free(&settings);
    return status;
}

/* ---- Saved states of methods that learn in epochs -------------------------------------- */

static const char *const names[2] = {"words", "contexts"};
enum { FIGURES = 3 }; /* epochs done, pairs and mean loss of the last epoch */
#define STATE "epoch"

psdvec_status pv_epochs_save(const pv_baseline_run *run, const pv_learnt_rows *learnt)
{
    const psdvec_baseline_report *report = run->report;
    const double figures[FIGURES] = {report->epochs, (double)report->pairs, report->loss};
    pv_tensor tensors[3] = {pv_tensor_of("figures", PV_DTYPE_F64, FIGURES, 0, figures)};
    for (int k = 0; k < 2; k++)
        tensors[1 + k] =
            pv_tensor_of(names[k], PV_DTYPE_F32, learnt->words, learnt->stride, learnt->rows[k]);
    return pv_partial_save(run->partial, STATE, tensors, sizeof tensors / sizeof *tensors);
}

psdvec_status pv_epochs_load(pv_baseline_run *run, const pv_learnt_rows *learnt)
{
    psdvec_context *ctx = run->ctx;
    pv_st_file *file = NULL;
    PV_TRY(pv_partial_load(run->partial, STATE, &file));
    if (!file)
        return PSDVEC_OK;
    const pv_tensor *figures, *rows[2];
    psdvec_status status;
    PV_TRY_DONE(pv_state_require(ctx, file, "figures", PV_DTYPE_F64, FIGURES, 0, &figures));
    for (int k = 0; k < 2; k++)
        PV_TRY_DONE(pv_state_require(ctx, file, names[k], PV_DTYPE_F32, (int64_t)learnt->words,
                                     (int64_t)learnt->stride, &rows[k]));
    const double *figure = figures->data;
    if (!(figure[0] >= 1 && figure[0] <= run->options->epochs && figure[1] >= 0 &&
          figure[1] < 1e19))
        goto done;
    run->report->epochs = (uint32_t)figure[0];
    run->report->pairs = (uint64_t)figure[1];
    run->report->loss = figure[2];
    for (int k = 0; k < 2; k++)
        memcpy(learnt->rows[k], rows[k]->data, rows[k]->bytes);
    pv_step(ctx, "resuming after epoch %u of an interrupted run", run->report->epochs);
done:
    pv_st_close(file);
    return status;
}
