/* Every model on every test.
 *
 * Test by test: the words are looked up in all models, which tells what is common to them;
 * then each model answers, and all answers of the test become figures. So memory holds
 * the answers of one test at a time.
 */
#include "eval/options.h"
#include "eval/report.h"

#include "base/arguments.h"

#include <math.h>
#include <string.h>

typedef struct evaluation {
    psdvec_context *ctx;
    const psdvec_eval_options *options;
    pv_seen_model *models;
    size_t model_count;
    pv_progress progress;
    psdvec_report *report;
} evaluation;

static bool in_half(const pv_question *q, psdvec_half half)
{
    return half == PSDVEC_HALF_BOTH || (q->hash % 2 == 0) == (half == PSDVEC_HALF_FIRST);
}

/* Which questions are put. rows: models x words. */
static void choose_questions(const evaluation *e, const psdvec_test *test, const uint32_t *rows,
                             bool *asked)
{
    for (uint32_t q = 0; q < test->info.questions; q++) {
        asked[q] = in_half(&test->questions[q], e->options->half);
        for (size_t m = 0; e->options->common && asked[q] && m < e->model_count; m++)
            asked[q] = pv_question_known(test, &test->questions[q], rows + m * test->words);
    }
}

static psdvec_status put_test(evaluation *e, const psdvec_test *test, uint32_t t)
{
    psdvec_status status = PSDVEC_OK;
    pv_outcome *outcomes = pv_alloc_zero(e->ctx, e->model_count, sizeof *outcomes, "a test");
    uint32_t *rows = pv_alloc(e->ctx, e->model_count * test->words, sizeof *rows, "a test");
    bool *asked = pv_alloc(e->ctx, test->info.questions, sizeof *asked, "a test");
    if (!outcomes || !rows || !asked) {
        status = pv_failure(e->ctx);
        goto done;
    }
    for (size_t m = 0; m < e->model_count; m++)
        PV_TRY_DONE(pv_known_rows(e->ctx, &e->models[m], test, e->options, rows + m * test->words));
    choose_questions(e, test, rows, asked);
    for (size_t m = 0; m < e->model_count; m++) {
        uint64_t before = e->progress.done, all = test->info.questions;
        PV_TRY_DONE(pv_check_cancel(e->ctx));
        PV_TRY_DONE(pv_outcome_make(&outcomes[m], e->ctx, &e->models[m], test, e->options, asked,
                                    rows + m * test->words, &e->progress));
        pv_progress_add(&e->progress, all - (e->progress.done - before));
    }
    status =
        pv_report_test(e->report, e->ctx, e->options, test, t, asked, outcomes, e->model_count);
done:
    for (size_t m = 0; outcomes && m < e->model_count; m++)
        pv_outcome_free(&outcomes[m], e->ctx);
    pv_free(e->ctx, outcomes);
    pv_free(e->ctx, rows);
    pv_free(e->ctx, asked);
    return status;
}

static psdvec_status evaluate(evaluation *e, const psdvec_model *const *models,
                              const psdvec_test *const *tests, size_t test_count)
{
    uint64_t questions = 0;
    for (size_t t = 0; t < test_count; t++)
        questions += tests[t]->info.questions;
    for (size_t m = 0; m < e->model_count; m++)
        PV_TRY(pv_seen_model_open(&e->models[m], e->ctx, models[m], e->options));
    pv_progress_begin(&e->progress, e->ctx, "evaluating", "questions", questions * e->model_count);
    for (size_t t = 0; t < test_count; t++)
        PV_TRY(put_test(e, tests[t], (uint32_t)t));
    pv_progress_end(&e->progress);
    return pv_check_cancel(e->ctx);
}

psdvec_status psdvec_eval(psdvec_context *ctx, const psdvec_eval_options *options,
                          const psdvec_model *const *models, size_t model_count,
                          const psdvec_test *const *tests, size_t test_count,
                          psdvec_report **report)
{
    PV_CLEAR(report);
    PV_BEGIN(ctx);
    PV_NEED(ctx, report);
    PV_NEED_EACH(ctx, models, model_count);
    PV_NEED_EACH(ctx, tests, test_count);
    psdvec_eval_options own;
    evaluation e = {.ctx = ctx, .options = &own, .model_count = model_count};
    PV_TRY(pv_options_adopt(ctx, &pv_eval_table, options, &own));
    if (model_count == 0 || test_count == 0)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "there is no %s to evaluate",
                       model_count == 0 ? "model" : "test");
    psdvec_status status = PSDVEC_OK;
    e.models = pv_alloc_zero(ctx, model_count, sizeof *e.models, "a report");
    e.report = pv_alloc_zero(ctx, 1, sizeof *e.report, "a report");
    if (e.models && e.report) {
        e.report->ctx = pv_context_hold(ctx);
        pv_buffer_init(&e.report->scores, ctx);
        pv_buffer_init(&e.report->differences, ctx);
        status = evaluate(&e, models, tests, test_count);
    } else {
        status = pv_failure(ctx);
    }
    for (size_t m = 0; e.models && m < model_count; m++)
        pv_seen_model_close(&e.models[m], ctx);
    pv_free(ctx, e.models);
    if (status == PSDVEC_OK)
        *report = e.report;
    else if (e.report && e.report->ctx)
        psdvec_report_free(e.report);
    else
        pv_free(ctx, e.report);
    return status;
}
