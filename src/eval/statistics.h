/* The figures of a report, and how sure they are.
 *
 * A resample is given as how many times each question was drawn; for the set itself all
 * are drawn once (`times` NULL).
 */
#ifndef PV_EVAL_STATISTICS_H
#define PV_EVAL_STATISTICS_H

#include "base/memory.h"

/* Two lists of n values as the ranks of their distinct values, 0 the smallest: all that
 * Spearman's correlation needs, and resampling never sorts again. */
typedef struct pv_ranked {
    size_t n;
    uint32_t *x, *y; /* n each */
    uint32_t x_distinct, y_distinct;
} pv_ranked;

psdvec_status pv_ranked_make(pv_ranked *ranked, pv_scope *scope, const double *x, const double *y,
                             size_t n);

/* Doubles of workspace that pv_spearman needs. */
size_t pv_spearman_numbers(const pv_ranked *ranked);
/* Spearman's correlation, equal values sharing the average of their ranks; NAN if there are
 * fewer than two questions or all values of a list are equal. Time: linear. */
double pv_spearman(const pv_ranked *ranked, const uint32_t *times, double *workspace);

#define PV_NO_CLUSTER UINT32_MAX /* of a word that counts and is in none: never right */

/* Purity is the share of words that are in the commonest group of their cluster: right[i] says
 * whether word i is. */
psdvec_status pv_mark_commonest(psdvec_context *ctx, const uint32_t *cluster, const uint32_t *group,
                                size_t n, bool *right);

/* Exact: the quantiles of how many of n are right, if each is so with probability right/n.
 * That is the distribution of a resampled share, so nothing needs to be drawn. */
void pv_share_interval(uint64_t right, uint64_t n, double confidence, double *low, double *high);

/* McNemar's exact test: of two, one alone was right `first` times and the other alone
 * `second` times. Two-sided. */
double pv_mcnemar(uint64_t first, uint64_t second);

/* The quantile of `count` ascending values, between two of them if need be. */
double pv_quantile(const double *ascending, size_t count, double share);

/* ---- The bootstrap: how far a figure would be off on other questions of the same sort ----------
 *
 * A resample draws as many questions as there are, with replacement. Which are drawn
 * depends on the seed, the number of the resample and the number of questions alone, so two
 * models are held against each other on the same draws, and threads change nothing. */

/* The figure when question q counts times[q] times. `workspace` is the worker's own. */
typedef double pv_statistic_fn(const void *arg, const uint32_t *times, void *workspace);

/* values: `resamples` figures, in the order of the resamples; NAN where there is none. */
psdvec_status pv_bootstrap(psdvec_context *ctx, size_t questions, uint32_t resamples,
                           pv_statistic_fn *statistic, const void *arg, size_t workspace_bytes,
                           double *values);

/* The middle `confidence` of the values, which are sorted; NAN if fewer than half are there. */
void pv_interval(double *values, size_t count, double confidence, double *low, double *high);

/* Two-sided: twice the smaller share of resampled differences on either side of 0, where the
 * difference that was seen counts as one more on both. */
double pv_paired_p(const double *differences, size_t count);

#endif
