/* The statistics of a report, and their confidence intervals.
 *
 * A resample is represented by the number of times each question was drawn; in the original set
 * each is drawn once (`times` NULL).
 */
#ifndef PV_EVAL_STATISTICS_H
#define PV_EVAL_STATISTICS_H

#include "base/memory.h"

/* Two lists of n values as the ranks of their distinct values, 0 the smallest: this is all that
 * Spearman's correlation needs, so resampling never sorts again. */
typedef struct pv_ranked {
    size_t n;
    uint32_t *x, *y; /* n each */
    uint32_t x_distinct, y_distinct;
} pv_ranked;

psdvec_status pv_ranked_make(pv_ranked *ranked, pv_scope *scope, const double *x, const double *y,
                             size_t n);

/* Number of doubles of workspace that pv_spearman needs. */
size_t pv_spearman_numbers(const pv_ranked *ranked);
/* Spearman's correlation, with average ranks for ties; NAN if there are fewer than two questions or
 * all values of a list are equal. Time: linear. */
double pv_spearman(const pv_ranked *ranked, const uint32_t *times, double *workspace);

#define PV_NO_CLUSTER UINT32_MAX /* of a word that counts but is in no cluster: never right */

/* Purity is the proportion of words that belong to the most common group of their cluster;
 * right[i]: whether word i does. */
psdvec_status pv_mark_commonest(psdvec_context *ctx, const uint32_t *cluster, const uint32_t *group,
                                size_t n, bool *right);

/* Exact interval: the quantiles of the binomial distribution with n trials and probability right/n.
 * That is the distribution of a resampled proportion, so nothing needs to be drawn. */
void pv_share_interval(uint64_t right, uint64_t n, double confidence, double *low, double *high);

/* McNemar's exact test, two-sided: only the first was right `first` times, and only the second
 * `second` times. */
double pv_mcnemar(uint64_t first, uint64_t second);

/* The quantile of `count` ascending values, interpolated between two of them if necessary. */
double pv_quantile(const double *ascending, size_t count, double share);

/* ---- The bootstrap: how much a score would vary with other questions of the same kind ----------
 *
 * A resample draws as many questions as there are, with replacement. The draws depend only on the
 * seed, the number of the resample and the number of questions, so two models are compared on the
 * same draws, and results do not depend on threads. */

/* The score when question q counts times[q] times. `workspace` belongs to the worker. */
typedef double pv_statistic_fn(const void *arg, const uint32_t *times, void *workspace);

/* values: `resamples` scores, in the order of the resamples; NAN where undefined. */
psdvec_status pv_bootstrap(psdvec_context *ctx, size_t questions, uint32_t resamples,
                           pv_statistic_fn *statistic, const void *arg, size_t workspace_bytes,
                           double *values);

/* The central interval that contains the share `confidence` of the values, which are sorted in
 * place; NAN if fewer than half are defined. */
void pv_interval(double *values, size_t count, double confidence, double *low, double *high);

/* Two-sided: twice the smaller share of resampled differences on either side of 0, where the
 * observed difference counts as one more on both sides. */
double pv_paired_p(const double *differences, size_t count);

#endif
