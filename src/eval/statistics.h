/* The figures of a report, and how sure they are.
 *
 * A resample is given as how many times each question was drawn; for the set itself all
 * are drawn once (`times` NULL).
 */
#ifndef PV_EVAL_STATISTICS_H
#define PV_EVAL_STATISTICS_H

#include "base/context.h"

/* Two lists of n values as the ranks of their distinct values, 0 the smallest: all that
 * Spearman's correlation needs, and resampling never sorts again. */
typedef struct pv_ranked {
    size_t n;
    uint32_t *x, *y; /* n each */
    uint32_t x_distinct, y_distinct;
} pv_ranked;

psdvec_status pv_ranked_make(pv_ranked *ranked, psdvec_context *ctx, const double *x,
                             const double *y, size_t n);
void pv_ranked_free(pv_ranked *ranked, psdvec_context *ctx);

/* Doubles of work space that pv_spearman needs. */
size_t pv_spearman_room(const pv_ranked *ranked);
/* Spearman's correlation, equal values sharing the average of their ranks; NAN if there are
 * fewer than two questions or all values of a list are equal. Time: linear. */
double pv_spearman(const pv_ranked *ranked, const uint32_t *times, double *room);

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

#endif
