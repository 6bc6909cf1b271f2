/* Scores and differences. */
#include "eval/report.h"

#include "eval/bootstrap.h"
#include "eval/statistics.h"

#include <math.h>
#include <string.h>

typedef struct figures {
    psdvec_context *ctx;
    const psdvec_eval_options *options;
    const psdvec_test *test;
    const bool *asked;
    uint32_t *chosen; /* questions that a figure is about */
    size_t n;
    double *x, *y; /* these six: questions, work space */
    uint32_t *cluster, *group;
    bool *right, *other_right;
    double *values; /* resamples */
} figures;

/* ---- Resampled statistics ------------------------------------------------------------------ */

static double resampled_correlation(const void *arg, const uint32_t *times, void *room)
{
    return pv_spearman(arg, times, room);
}

typedef struct ranked_pair {
    pv_ranked first, second;
} ranked_pair;

static double correlation_difference(const void *arg, const uint32_t *times, void *room)
{
    const ranked_pair *both = arg;
    double first = pv_spearman(&both->first, times, room);
    return first - pv_spearman(&both->second, times, room);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static psdvec_status find_interval(figures *f, pv_statistic_fn *statistic, const void *arg,
                                   size_t room_bytes, psdvec_score *score)
{
    if (f->options->resamples == 0 || isnan(score->value))
        return PSDVEC_OK;
    PV_TRY(
        pv_bootstrap(f->ctx, f->n, f->options->resamples, statistic, arg, room_bytes, f->values));
    pv_interval(f->values, f->options->resamples, f->options->confidence, &score->low,
                &score->high);
    return PSDVEC_OK;
}

/* ---- The figures of one model ------------------------------------------------------------------ */

static psdvec_status rank_chosen(figures *f, const pv_outcome *outcome, pv_ranked *ranked)
{
    for (size_t k = 0; k < f->n; k++) {
        f->x[k] = outcome->cosine[f->chosen[k]];
        f->y[k] = (double)f->test->questions[f->chosen[k]].value;
    }
    return pv_ranked_make(ranked, f->ctx, f->x, f->y, f->n);
}

static psdvec_status score_correlation(figures *f, const pv_outcome *outcome, psdvec_score *score)
{
    pv_ranked ranked;
    PV_TRY(rank_chosen(f, outcome, &ranked));
    psdvec_status status = PSDVEC_OK;
    size_t room_bytes = pv_spearman_room(&ranked) * sizeof(double);
    double *room = pv_alloc(f->ctx, room_bytes, 1, "ranks");
    if (room) {
        score->value = pv_spearman(&ranked, NULL, room);
        status = find_interval(f, resampled_correlation, &ranked, room_bytes, score);
    } else {
        status = pv_failure(f->ctx);
    }
    pv_free(f->ctx, room);
    pv_ranked_free(&ranked, f->ctx);
    return status;
}

static uint64_t count_right(const bool *right, size_t n)
{
    uint64_t count = 0;
    for (size_t k = 0; k < n; k++)
        count += right[k];
    return count;
}

/* For each chosen question, whether the model was right. Which group a cluster stands for is
 * decided by the words that are chosen, and stays so when they are thought of as drawn anew;
 * decided again for each draw, purity would be overestimated. */
static psdvec_status mark_right(figures *f, const pv_outcome *outcome, psdvec_measure measure,
                                bool *right)
{
    for (size_t k = 0; k < f->n && measure != PSDVEC_MEASURE_PURITY; k++)
        right[k] = outcome->right[measure == PSDVEC_MEASURE_MUL][f->chosen[k]];
    if (measure != PSDVEC_MEASURE_PURITY)
        return PSDVEC_OK;
    for (size_t k = 0; k < f->n; k++) {
        f->cluster[k] = outcome->cluster[f->chosen[k]];
        f->group[k] = f->test->questions[f->chosen[k]].category;
    }
    return pv_mark_commonest(f->ctx, f->cluster, f->group, f->n, right);
}

static psdvec_status score_share(figures *f, const pv_outcome *outcome, psdvec_score *score)
{
    PV_TRY(mark_right(f, outcome, score->measure, f->right));
    uint64_t count = count_right(f->right, f->n);
    score->value = f->n > 0 ? (double)count / (double)f->n : NAN;
    if (f->options->resamples > 0)
        pv_share_interval(count, f->n, f->options->confidence, &score->low, &score->high);
    return PSDVEC_OK;
}

/* A folder's sections have the name of the file before their own. */
static bool is_syntactic(const psdvec_test *test, uint32_t section)
{
    const char *name = test->sections[section], *own = strstr(name, ": ");
    return strncmp(own ? own + 2 : name, "gram", 4) == 0;
}

static bool has_parts(const psdvec_test *test)
{
    uint32_t syntactic = 0;
    for (uint32_t s = 0; s < test->info.sections; s++)
        syntactic += is_syntactic(test, s);
    return test->info.kind == PSDVEC_TEST_ANALOGY && syntactic > 0 &&
           syntactic < test->info.sections;
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

/* ---- The difference of two ----------------------------------------------------------------------- */

static psdvec_status compare_correlations(figures *f, const pv_outcome *first,
                                          const pv_outcome *second, psdvec_difference *d)
{
    ranked_pair both = {0};
    double *room = NULL;
    psdvec_status status = PSDVEC_OK;
    PV_TRY_DONE(rank_chosen(f, first, &both.first));
    PV_TRY_DONE(rank_chosen(f, second, &both.second));
    size_t bytes = larger(pv_spearman_room(&both.first), pv_spearman_room(&both.second)) *
                   sizeof(double);
    room = pv_alloc(f->ctx, bytes, 1, "ranks");
    if (!room) {
        status = pv_failure(f->ctx);
        goto done;
    }
    d->difference = correlation_difference(&both, NULL, room);
    if (f->options->resamples > 0 && !isnan(d->difference)) {
        PV_TRY_DONE(pv_bootstrap(f->ctx, f->n, f->options->resamples, correlation_difference, &both,
                                 bytes, f->values));
        d->p = pv_paired_p(f->values, f->options->resamples);
    }
done:
    pv_free(f->ctx, room);
    pv_ranked_free(&both.first, f->ctx);
    pv_ranked_free(&both.second, f->ctx);
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

/* ---- A test ------------------------------------------------------------------------------------------ */

static size_t measures_of(psdvec_test_kind kind, psdvec_measure measures[2])
{
    static const psdvec_measure first[] = {PSDVEC_MEASURE_SPEARMAN, PSDVEC_MEASURE_ADD,
                                           PSDVEC_MEASURE_RIGHT, PSDVEC_MEASURE_PURITY};
    measures[0] = first[kind];
    measures[1] = PSDVEC_MEASURE_MUL;
    return kind == PSDVEC_TEST_ANALOGY ? 2 : 1;
}

static psdvec_status allocate(figures *f)
{
    size_t n = f->test->info.questions;
    static const char what[] = "the figures of a test";
    f->chosen = pv_alloc(f->ctx, n, sizeof *f->chosen, what);
    f->x = pv_alloc(f->ctx, n, sizeof *f->x, what);
    f->y = pv_alloc(f->ctx, n, sizeof *f->y, what);
    f->cluster = pv_alloc(f->ctx, n, sizeof *f->cluster, what);
    f->group = pv_alloc(f->ctx, n, sizeof *f->group, what);
    f->right = pv_alloc(f->ctx, n, sizeof *f->right, what);
    f->other_right = pv_alloc(f->ctx, n, sizeof *f->other_right, what);
    f->values = pv_alloc(f->ctx, f->options->resamples, sizeof *f->values, what);
    bool fine = f->chosen && f->x && f->y && f->cluster && f->group && f->right && f->other_right;
    return fine && f->values ? PSDVEC_OK : pv_failure(f->ctx);
}

static psdvec_status add_section(psdvec_report *report, figures *f, uint32_t t, int32_t section,
                                 const pv_outcome *outcomes, size_t models)
{
    psdvec_measure measures[2];
    size_t measure_count = measures_of(f->test->info.kind, measures);
    for (size_t k = 0; k < measure_count; k++)
        for (size_t m = 0; m < models; m++) {
            psdvec_score score = {.test = t,
                                  .model = (uint32_t)m,
                                  .section = section,
                                  .measure = measures[k],
                                  .value = NAN,
                                  .low = NAN,
                                  .high = NAN};
            PV_TRY(score_section(f, &outcomes[m], &score));
            PV_TRY(pv_buffer_append(&report->scores, &score, sizeof score));
        }
    return PSDVEC_OK;
}

static psdvec_status add_scores(psdvec_report *report, figures *f, uint32_t t,
                                const pv_outcome *outcomes, size_t models)
{
    PV_TRY(add_section(report, f, t, PSDVEC_SECTION_WHOLE, outcomes, models));
    if (has_parts(f->test)) {
        PV_TRY(add_section(report, f, t, PSDVEC_SECTION_SEMANTIC, outcomes, models));
        PV_TRY(add_section(report, f, t, PSDVEC_SECTION_SYNTACTIC, outcomes, models));
    }
    for (uint32_t s = 0; s < f->test->info.sections; s++)
        PV_TRY(add_section(report, f, t, (int32_t)s, outcomes, models));
    return PSDVEC_OK;
}

static psdvec_status add_differences(psdvec_report *report, figures *f, uint32_t t,
                                     const pv_outcome *outcomes, size_t models)
{
    psdvec_measure measures[2];
    size_t measure_count = measures_of(f->test->info.kind, measures);
    for (size_t k = 0; k < measure_count; k++)
        for (size_t m = 0; m < models; m++)
            for (size_t other = m + 1; other < models; other++) {
                psdvec_difference d = {.test = t,
                                       .first = (uint32_t)m,
                                       .second = (uint32_t)other,
                                       .measure = measures[k],
                                       .difference = NAN,
                                       .p = NAN};
                PV_TRY(compare(f, &outcomes[m], &outcomes[other], &d));
                PV_TRY(pv_buffer_append(&report->differences, &d, sizeof d));
            }
    return PSDVEC_OK;
}

psdvec_status pv_report_test(psdvec_report *report, psdvec_context *ctx,
                             const psdvec_eval_options *options, const psdvec_test *test,
                             uint32_t t, const bool *asked, const pv_outcome *outcomes,
                             size_t models)
{
    figures f = {.ctx = ctx, .options = options, .test = test, .asked = asked};
    psdvec_status status = allocate(&f);
    if (status == PSDVEC_OK)
        status = add_scores(report, &f, t, outcomes, models);
    if (status == PSDVEC_OK)
        status = add_differences(report, &f, t, outcomes, models);
    pv_free(ctx, f.chosen);
    pv_free(ctx, f.x);
    pv_free(ctx, f.y);
    pv_free(ctx, f.cluster);
    pv_free(ctx, f.group);
    pv_free(ctx, f.right);
    pv_free(ctx, f.other_right);
    pv_free(ctx, f.values);
    return status;
}

/* ---- The doors ------------------------------------------------------------------------------------------ */

void psdvec_report_free(psdvec_report *report)
{
    if (!report)
        return;
    pv_buffer_free(&report->scores);
    pv_buffer_free(&report->differences);
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
