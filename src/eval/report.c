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
    double *x, *y;         /* questions: work space */
    uint32_t *one, *other; /* questions: work space */
    double *values;        /* resamples */
} figures;

/* ---- Resampled statistics ------------------------------------------------------------------ */

static double resampled_correlation(const void *arg, const uint32_t *times, void *room)
{
    return pv_spearman(arg, times, room);
}

static double resampled_purity(const void *arg, const uint32_t *times, void *room)
{
    return pv_purity(arg, times, room);
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

typedef struct crossed_pair {
    pv_crossed first, second;
} crossed_pair;

static double purity_difference(const void *arg, const uint32_t *times, void *room)
{
    const crossed_pair *both = arg;
    double first = pv_purity(&both->first, times, room);
    return first - pv_purity(&both->second, times, room);
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

static psdvec_status cross_chosen(figures *f, const pv_outcome *outcome, pv_crossed *crossed)
{
    for (size_t k = 0; k < f->n; k++) {
        f->one[k] = outcome->cluster[f->chosen[k]];
        f->other[k] = f->test->questions[f->chosen[k]].category;
    }
    return pv_crossed_make(crossed, f->ctx, f->one, f->other, f->n);
}

static psdvec_status score_purity(figures *f, const pv_outcome *outcome, psdvec_score *score)
{
    pv_crossed crossed;
    PV_TRY(cross_chosen(f, outcome, &crossed));
    score->value = pv_purity(&crossed, NULL, f->one);
    psdvec_status status =
        find_interval(f, resampled_purity, &crossed, crossed.cells * sizeof(uint32_t), score);
    pv_crossed_free(&crossed, f->ctx);
    return status;
}

static psdvec_status score_share(figures *f, const bool *right, psdvec_score *score)
{
    uint64_t count = 0;
    for (size_t k = 0; k < f->n; k++)
        count += right[f->chosen[k]];
    score->value = f->n > 0 ? (double)count / (double)f->n : NAN;
    if (f->options->resamples > 0)
        pv_share_interval(count, f->n, f->options->confidence, &score->low, &score->high);
    return PSDVEC_OK;
}

static bool in_section(const figures *f, uint32_t q, int32_t section)
{
    return section < 0 || f->test->questions[q].section == (uint32_t)section;
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
    switch (score->measure) {
    case PSDVEC_MEASURE_SPEARMAN:
        return score_correlation(f, outcome, score);
    case PSDVEC_MEASURE_PURITY:
        return score_purity(f, outcome, score);
    default:
        return score_share(f, outcome->right[score->measure == PSDVEC_MEASURE_MUL], score);
    }
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

static psdvec_status compare_purities(figures *f, const pv_outcome *first, const pv_outcome *second,
                                      psdvec_difference *d)
{
    crossed_pair both = {0};
    psdvec_status status = PSDVEC_OK;
    PV_TRY_DONE(cross_chosen(f, first, &both.first));
    PV_TRY_DONE(cross_chosen(f, second, &both.second));
    d->difference = purity_difference(&both, NULL, f->one);
    if (f->options->resamples > 0 && !isnan(d->difference)) {
        size_t bytes = larger(both.first.cells, both.second.cells) * sizeof(uint32_t);
        PV_TRY_DONE(pv_bootstrap(f->ctx, f->n, f->options->resamples, purity_difference, &both,
                                 bytes, f->values));
        d->p = pv_paired_p(f->values, f->options->resamples);
    }
done:
    pv_crossed_free(&both.first, f->ctx);
    pv_crossed_free(&both.second, f->ctx);
    return status;
}

static psdvec_status compare_shares(const figures *f, const bool *first, const bool *second,
                                    psdvec_difference *d)
{
    uint64_t only_first = 0, only_second = 0;
    for (size_t k = 0; k < f->n; k++) {
        only_first += first[f->chosen[k]] && !second[f->chosen[k]];
        only_second += second[f->chosen[k]] && !first[f->chosen[k]];
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
    size_t which = d->measure == PSDVEC_MEASURE_MUL;
    psdvec_status status;
    f->n = 0;
    for (uint32_t q = 0; q < f->test->info.questions; q++)
        if (first->known[q] && second->known[q])
            f->chosen[f->n++] = q;
    d->questions = (uint32_t)f->n;
    if (d->measure == PSDVEC_MEASURE_SPEARMAN)
        status = compare_correlations(f, first, second, d);
    else if (d->measure == PSDVEC_MEASURE_PURITY)
        status = compare_purities(f, first, second, d);
    else
        status = compare_shares(f, first->right[which], second->right[which], d);
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
    f->one = pv_alloc(f->ctx, n, sizeof *f->one, what);
    f->other = pv_alloc(f->ctx, n, sizeof *f->other, what);
    f->values = pv_alloc(f->ctx, f->options->resamples, sizeof *f->values, what);
    return f->chosen && f->x && f->y && f->one && f->other && f->values ? PSDVEC_OK
                                                                        : pv_failure(f->ctx);
}

static psdvec_status add_scores(psdvec_report *report, figures *f, uint32_t t,
                                const pv_outcome *outcomes, size_t models)
{
    psdvec_measure measures[2];
    size_t measure_count = measures_of(f->test->info.kind, measures);
    for (int32_t s = -1; s < (int32_t)f->test->info.sections; s++)
        for (size_t k = 0; k < measure_count; k++)
            for (size_t m = 0; m < models; m++) {
                psdvec_score score = {.test = t,
                                      .model = (uint32_t)m,
                                      .section = s,
                                      .measure = measures[k],
                                      .value = NAN,
                                      .low = NAN,
                                      .high = NAN};
                PV_TRY(score_section(f, &outcomes[m], &score));
                PV_TRY(pv_buffer_append(&report->scores, &score, sizeof score));
            }
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
    pv_free(ctx, f.one);
    pv_free(ctx, f.other);
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
    pv_free(report->ctx, report);
}

const psdvec_score *psdvec_report_scores(const psdvec_report *report, size_t *count)
{
    *count = report->scores.length / sizeof(psdvec_score);
    return (const psdvec_score *)(const void *)report->scores.data;
}

const psdvec_difference *psdvec_report_differences(const psdvec_report *report, size_t *count)
{
    *count = report->differences.length / sizeof(psdvec_difference);
    return (const psdvec_difference *)(const void *)report->differences.data;
}
