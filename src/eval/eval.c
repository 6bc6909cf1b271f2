/* Evaluates every model on every test: scores with confidence intervals, and differences between
 * models.
 *
 * For each test, the words are looked up in all models, which determines the common questions; then
 * each model answers, and the scores are computed from all answers. So memory holds the answers of
 * one test at a time.
 */
#include "eval/mistakes.h"
#include "eval/options.h"
#include "eval/outcome.h"
#include "eval/statistics.h"

#include "base/arguments.h"

#include <math.h>
#include <string.h>

struct psdvec_report {
    psdvec_context *ctx;
    pv_buffer scores, differences; /* psdvec_score, psdvec_difference */
    pv_mistakes mistakes;
};

typedef struct evaluation {
    psdvec_context *ctx;
    const psdvec_eval_options *options;
    pv_seen_model *models;
    size_t model_count;
    pv_progress progress;
    psdvec_report *report;
} evaluation;

/* The evaluation of one test. */
typedef struct figures {
    pv_scope scope;
    evaluation *e;
    const psdvec_eval_options *options;
    const psdvec_test *test;
    uint32_t number;      /* of the test */
    pv_outcome *outcomes; /* models */
    bool *asked;          /* questions: which are asked */
    uint32_t *chosen;     /* questions that a score is computed from */
    size_t n;
    double *x, *y; /* these six: questions, workspace */
    uint32_t *cluster, *group;
    bool *right, *other_right;
    double *values; /* resamples */
} figures;

/* ---- Resampled statistics ------------------------------------------------------------------ */

static double resampled_correlation(const void *arg, const uint32_t *times, void *workspace)
{
    return pv_spearman(arg, times, workspace);
}

typedef struct ranked_pair {
    pv_ranked first, second;
} ranked_pair;

static double correlation_difference(const void *arg, const uint32_t *times, void *workspace)
{
    const ranked_pair *both = arg;
    double first = pv_spearman(&both->first, times, workspace);
    return first - pv_spearman(&both->second, times, workspace);
}

/* ---- The figures of one model ---------------------------------------------------------------- */

static psdvec_status rank_chosen(figures *f, pv_scope *scope, const pv_outcome *outcome,
                                 pv_ranked *ranked)
{
    for (size_t k = 0; k < f->n; k++) {
        f->x[k] = outcome->cosine[f->chosen[k]];
        f->y[k] = (double)f->test->questions[f->chosen[k]].value;
    }
    return pv_ranked_make(ranked, scope, f->x, f->y, f->n);
}

/* Computes the statistic of the chosen questions and, if there are resamples, its values on
 * them. */
static psdvec_status resample(figures *f, pv_scope *scope, pv_statistic_fn *statistic,
                              const void *arg, size_t numbers, double *value, bool *resampled)
{
    double *workspace;
    PV_TAKE(scope, workspace, numbers);
    PV_TRY(pv_scope_status(scope));
    *value = statistic(arg, NULL, workspace);
    *resampled = f->options->resamples > 0 && !isnan(*value);
    if (!*resampled)
        return PSDVEC_OK;
    return pv_bootstrap(scope->ctx, f->n, f->options->resamples, statistic, arg,
                        numbers * sizeof *workspace, f->values);
}

static psdvec_status score_correlation(figures *f, const pv_outcome *outcome, psdvec_score *score)
{
    psdvec_status status;
    pv_scope scope = {.ctx = f->scope.ctx, .what = "ranks"};
    pv_ranked ranked;
    bool resampled;
    PV_TRY_DONE(rank_chosen(f, &scope, outcome, &ranked));
    PV_TRY_DONE(resample(f, &scope, resampled_correlation, &ranked, pv_spearman_numbers(&ranked),
                         &score->value, &resampled));
    if (resampled)
        pv_interval(f->values, f->options->resamples, f->options->confidence, &score->low,
                    &score->high);
done:
    pv_scope_free(&scope);
    return status;
}

/* For each chosen question, whether the model was right. The group that a cluster represents is
 * determined from the chosen words and kept for all resamples; determining it again for each
 * resample would overestimate purity. */
static psdvec_status mark_right(figures *f, const pv_outcome *outcome, psdvec_measure measure,
                                bool *right)
{
    for (size_t k = 0; k < f->n; k++)
        if (measure == PSDVEC_MEASURE_PURITY) {
            f->cluster[k] = outcome->cluster[f->chosen[k]];
            f->group[k] = f->test->questions[f->chosen[k]].category;
        } else {
            right[k] = outcome->right[measure == PSDVEC_MEASURE_MUL][f->chosen[k]];
        }
    if (measure != PSDVEC_MEASURE_PURITY)
        return PSDVEC_OK;
    return pv_mark_commonest(f->scope.ctx, f->cluster, f->group, f->n, right);
}

static psdvec_status score_share(figures *f, const pv_outcome *outcome, psdvec_score *score)
{
    PV_TRY(mark_right(f, outcome, score->measure, f->right));
    uint64_t count = 0;
    for (size_t k = 0; k < f->n; k++)
        count += f->right[k];
    score->value = f->n > 0 ? (double)count / (double)f->n : NAN;
    if (f->options->resamples > 0)
        pv_share_interval(count, f->n, f->options->confidence, &score->low, &score->high);
    return PSDVEC_OK;
}

/* Section names of a folder are prefixed with the file name. */
static bool is_syntactic(const psdvec_test *test, uint32_t section)
{
    const char *name = test->sections[section], *own = strstr(name, ": ");
    return strncmp(own ? own + 2 : name, "gram", 4) == 0;
}

static bool in_section(const figures *f, uint32_t q, int32_t section)
{
    uint32_t its = f->test->questions[q].section;
    if (section == PSDVEC_SECTION_WHOLE)
        return true;
    if (section >= 0)
        return its == (uint32_t)section;
    return its != PV_NO_SECTION &&
           is_syntactic(f->test, its) == (section == PSDVEC_SECTION_SYNTACTIC);
}

static psdvec_status score_section(figures *f, const pv_outcome *outcome, psdvec_score *score)
{
    f->n = 0;
    for (uint32_t q = 0; q < f->test->info.questions; q++) {
        if (!in_section(f, q, score->section))
            continue;
        score->total += f->asked[q];
        score->known += outcome->known[q];
        if (outcome->counts[q])
            f->chosen[f->n++] = q;
    }
    return score->measure == PSDVEC_MEASURE_SPEARMAN ? score_correlation(f, outcome, score)
                                                     : score_share(f, outcome, score);
}

/* ---- Differences between two models ---------------------------------------------------------- */

static psdvec_status compare_correlations(figures *f, const pv_outcome *first,
                                          const pv_outcome *second, psdvec_difference *d)
{
    psdvec_status status;
    pv_scope scope = {.ctx = f->scope.ctx, .what = "ranks"};
    ranked_pair both;
    bool resampled;
    PV_TRY_DONE(rank_chosen(f, &scope, first, &both.first));
    PV_TRY_DONE(rank_chosen(f, &scope, second, &both.second));
    size_t numbers =
        (size_t)pv_larger(pv_spearman_numbers(&both.first), pv_spearman_numbers(&both.second));
    PV_TRY_DONE(
        resample(f, &scope, correlation_difference, &both, numbers, &d->difference, &resampled));
    if (resampled)
        d->p = pv_paired_p(f->values, f->options->resamples);
done:
    pv_scope_free(&scope);
    return status;
}

static psdvec_status compare_shares(figures *f, const pv_outcome *first, const pv_outcome *second,
                                    psdvec_difference *d)
{
    uint64_t only_first = 0, only_second = 0;
    PV_TRY(mark_right(f, first, d->measure, f->right));
    PV_TRY(mark_right(f, second, d->measure, f->other_right));
    for (size_t k = 0; k < f->n; k++) {
        only_first += f->right[k] && !f->other_right[k];
        only_second += f->other_right[k] && !f->right[k];
    }
    if (f->n == 0)
        return PSDVEC_OK;
    d->difference = ((double)only_first - (double)only_second) / (double)f->n;
    d->p = pv_mcnemar(only_first, only_second);
    return PSDVEC_OK;
}

static psdvec_status compare(figures *f, const pv_outcome *first, const pv_outcome *second,
                             psdvec_difference *d)
{
    psdvec_status status;
    f->n = 0;
    for (uint32_t q = 0; q < f->test->info.questions; q++)
        if (first->known[q] && second->known[q])
            f->chosen[f->n++] = q;
    d->questions = (uint32_t)f->n;
    if (d->measure == PSDVEC_MEASURE_SPEARMAN)
        status = compare_correlations(f, first, second, d);
    else
        status = compare_shares(f, first, second, d);
    d->significant = d->p < 1 - f->options->confidence;
    return status;
}

/* ---- A test ---------------------------------------------------------------------------------- */

static size_t measures_of(psdvec_test_kind kind, psdvec_measure measures[2])
{
    static const psdvec_measure first[] = {PSDVEC_MEASURE_SPEARMAN, PSDVEC_MEASURE_ADD,
                                           PSDVEC_MEASURE_RIGHT, PSDVEC_MEASURE_PURITY};
    measures[0] = first[kind];
    measures[1] = PSDVEC_MEASURE_MUL;
    return kind == PSDVEC_TEST_ANALOGY ? 2 : 1;
}

static psdvec_status add_section(figures *f, int32_t section)
{
    psdvec_measure measures[2];
    size_t measure_count = measures_of(f->test->info.kind, measures);
    for (size_t k = 0; k < measure_count; k++)
        for (size_t m = 0; m < f->e->model_count; m++) {
            psdvec_score score = {.test = f->number,
                                  .model = (uint32_t)m,
                                  .section = section,
                                  .measure = measures[k],
                                  .value = NAN,
                                  .low = NAN,
                                  .high = NAN};
            PV_TRY(score_section(f, &f->outcomes[m], &score));
            PV_TRY(pv_buffer_append(&f->e->report->scores, &score, sizeof score));
        }
    return PSDVEC_OK;
}

static psdvec_status add_scores(figures *f)
{
    uint32_t sections = f->test->info.sections, syntactic = 0;
    PV_TRY(add_section(f, PSDVEC_SECTION_WHOLE));
    for (uint32_t s = 0; s < sections; s++)
        syntactic += is_syntactic(f->test, s);
    if (f->test->info.kind == PSDVEC_TEST_ANALOGY && syntactic > 0 && syntactic < sections) {
        PV_TRY(add_section(f, PSDVEC_SECTION_SEMANTIC));
        PV_TRY(add_section(f, PSDVEC_SECTION_SYNTACTIC));
    }
    for (uint32_t s = 0; s < sections; s++)
        PV_TRY(add_section(f, (int32_t)s));
    return PSDVEC_OK;
}

static psdvec_status add_differences(figures *f)
{
    psdvec_measure measures[2];
    size_t measure_count = measures_of(f->test->info.kind, measures), models = f->e->model_count;
    for (size_t k = 0; k < measure_count; k++)
        for (size_t m = 0; m < models; m++)
            for (size_t other = m + 1; other < models; other++) {
                psdvec_difference d = {.test = f->number,
                                       .first = (uint32_t)m,
                                       .second = (uint32_t)other,
                                       .measure = measures[k],
                                       .difference = NAN,
                                       .p = NAN};
                PV_TRY(compare(f, &f->outcomes[m], &f->outcomes[other], &d));
                PV_TRY(pv_buffer_append(&f->e->report->differences, &d, sizeof d));
            }
    return PSDVEC_OK;
}

/* Determines which questions are asked. rows: models x words. */
static void choose_questions(figures *f, const uint32_t *rows)
{
    const psdvec_test *test = f->test;
    psdvec_half half = f->options->half;
    for (uint32_t q = 0; q < test->info.questions; q++) {
        bool first = test->questions[q].hash % 2 == 0;
        f->asked[q] = half == PSDVEC_HALF_BOTH || first == (half == PSDVEC_HALF_FIRST);
        for (size_t m = 0; f->options->common && f->asked[q] && m < f->e->model_count; m++)
            f->asked[q] = pv_question_known(test, &test->questions[q], rows + m * test->words);
    }
}

static psdvec_status put_test(evaluation *e, const psdvec_test *test, uint32_t number)
{
    psdvec_status status;
    figures f = {.scope = {.ctx = e->ctx, .what = "a test"},
                 .e = e,
                 .options = e->options,
                 .test = test,
                 .number = number};
    size_t n = test->info.questions;
    uint32_t *rows;
    PV_TAKE(&f.scope, f.outcomes, e->model_count);
    PV_TAKE(&f.scope, rows, e->model_count * test->words);
    PV_TAKE(&f.scope, f.asked, n);
    PV_TAKE(&f.scope, f.chosen, n);
    PV_TAKE(&f.scope, f.x, n);
    PV_TAKE(&f.scope, f.y, n);
    PV_TAKE(&f.scope, f.cluster, n);
    PV_TAKE(&f.scope, f.group, n);
    PV_TAKE(&f.scope, f.right, n);
    PV_TAKE(&f.scope, f.other_right, n);
    PV_TAKE(&f.scope, f.values, e->options->resamples);
    PV_TRY_DONE(pv_scope_status(&f.scope));
    for (size_t m = 0; m < e->model_count; m++)
        PV_TRY_DONE(pv_known_rows(e->ctx, &e->models[m], test, e->options, rows + m * test->words));
    choose_questions(&f, rows);
    for (size_t m = 0; m < e->model_count; m++) {
        uint64_t before = e->progress.done;
        PV_TRY_DONE(pv_check_cancel(e->ctx));
        PV_TRY_DONE(pv_outcome_make(&f.outcomes[m], &f.scope, &e->models[m], test, e->options,
                                    f.asked, rows + m * test->words, &e->progress));
        pv_progress_add(&e->progress, n - (e->progress.done - before));
    }
    for (size_t m = 0; e->options->mistakes && m < e->model_count; m++)
        PV_TRY_DONE(pv_mistakes_add(&e->report->mistakes, number, test, (uint32_t)m,
                                    e->models[m].model, &f.outcomes[m], e->options->mistakes));
    PV_TRY_DONE(add_scores(&f));
    PV_TRY_DONE(add_differences(&f));
done:
    pv_scope_free(&f.scope);
    return status;
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
    e.report = pv_alloc_zero(ctx, 1, sizeof *e.report, "a report");
    if (!e.report)
        return pv_failure(ctx);
    e.report->ctx = pv_context_hold(ctx);
    pv_buffer_init(&e.report->scores, ctx);
    pv_buffer_init(&e.report->differences, ctx);
    pv_mistakes_init(&e.report->mistakes, ctx);
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the mean of the vectors"};
    PV_TAKE(&scope, e.models, model_count);
    PV_TRY_DONE(pv_scope_status(&scope));
    uint64_t questions = 0;
    for (size_t t = 0; t < test_count; t++)
        questions += tests[t]->info.questions;
    for (size_t m = 0; m < model_count; m++)
        PV_TRY_DONE(pv_model_check_vectors(ctx, models[m]));
    for (size_t m = 0; m < model_count; m++)
        PV_TRY_DONE(pv_seen_model_open(&e.models[m], &scope, models[m], &own));
    pv_progress_begin(&e.progress, ctx, "evaluating", "questions", questions * model_count);
    for (size_t t = 0; t < test_count; t++)
        PV_TRY_DONE(put_test(&e, tests[t], (uint32_t)t));
    pv_progress_end(&e.progress);
    pv_mistakes_finish(&e.report->mistakes);
    status = pv_check_cancel(ctx);
done:
    pv_scope_free(&scope);
    if (status == PSDVEC_OK)
        *report = e.report;
    else
        psdvec_report_free(e.report);
    return status;
}

/* ---- The report ------------------------------------------------------------------------------ */

void psdvec_report_free(psdvec_report *report)
{
    if (!report)
        return;
    pv_buffer_free(&report->scores);
    pv_buffer_free(&report->differences);
    pv_mistakes_free(&report->mistakes);
    psdvec_context *ctx = report->ctx;
    pv_free(ctx, report);
    pv_context_release(ctx);
}

const psdvec_score *psdvec_report_scores(const psdvec_report *report, size_t *count)
{
    if (count)
        *count = report ? report->scores.length / sizeof(psdvec_score) : 0;
    return !report ? NULL : (const psdvec_score *)(const void *)report->scores.data;
}

const psdvec_difference *psdvec_report_differences(const psdvec_report *report, size_t *count)
{
    if (count)
        *count = report ? report->differences.length / sizeof(psdvec_difference) : 0;
    return !report ? NULL : (const psdvec_difference *)(const void *)report->differences.data;
}

const psdvec_mistake *psdvec_report_mistakes(const psdvec_report *report, size_t *count)
{
    if (count)
        *count = report ? report->mistakes.list.length / sizeof(psdvec_mistake) : 0;
    return !report ? NULL : (const psdvec_mistake *)(const void *)report->mistakes.list.data;
}
