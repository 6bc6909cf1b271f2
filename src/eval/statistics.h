/* The figures of a report, and how sure they are.
 *
 * A resample is given as how many times each question was drawn, so that drawing costs
 * the same for every statistic, and for the set itself all are drawn once (`times` NULL).
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

/* Clusters held against the groups they should be: n words; `cell` is a number for each
 * pair of cluster and group that occurs, ascending by cluster. */
typedef struct pv_crossed {
    size_t n;
    uint32_t *cell;    /* n */
    uint32_t *cluster; /* cells */
    uint32_t cells;
} pv_crossed;

psdvec_status pv_crossed_make(pv_crossed *crossed, psdvec_context *ctx, const uint32_t *cluster,
                              const uint32_t *group, size_t n);
void pv_crossed_free(pv_crossed *crossed, psdvec_context *ctx);
/* The share of words that are in the commonest group of their cluster. `room`: cells. */
double pv_purity(const pv_crossed *crossed, const uint32_t *times, uint32_t *room);

/* Exact: the quantiles of how many of n are right, if each is so with probability right/n.
 * That is the distribution of a resampled share, so nothing needs to be drawn. */
void pv_share_interval(uint64_t right, uint64_t n, double confidence, double *low, double *high);

/* McNemar's exact test: of two, one alone was right `first` times and the other alone
 * `second` times. Two-sided. */
double pv_mcnemar(uint64_t first, uint64_t second);

/* The quantile of `count` ascending values, between two of them if need be. */
double pv_quantile(const double *ascending, size_t count, double share);

#endif
