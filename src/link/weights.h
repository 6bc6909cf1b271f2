/* Weight functions and targets. f(h) is that of eq. 5, G that of eq. 3, eq. 6 and eq. 12. */
#ifndef PV_LINK_WEIGHTS_H
#define PV_LINK_WEIGHTS_H

#include "link/link.h"

/* The measure by which a weight function is capped: constants.cut is the square root of its k-th
 * largest value over the core's pairs. */
typedef double pv_measure_fn(const pv_link *link, uint32_t i, uint32_t j, double x);

typedef struct pv_weight_rule {
    pv_weight_fn *weight;
    pv_measure_fn *measure; /* NULL: no cap */
    bool factored;          /* needs factor_i = r_i^g / mean, and is at most factor_i factor_j */
    bool weighs_unseen;     /* unseen pairs have a weight too */
} pv_weight_rule;

typedef struct pv_target_rule {
    pv_target_fn *target;
    /* Each direction of a pair has its own target, and so have pairs never seen. Otherwise both
     * directions share one target, computed with link->shift, and unseen pairs have none. */
    bool directed;
} pv_target_rule;

/* By psdvec_weights and by psdvec_target, with their names. */
extern const pv_weight_rule pv_weight_rules[];
extern const psdvec_choice pv_weights_choices[];
extern const pv_target_rule pv_target_rules[];
extern const psdvec_choice pv_target_choices[];

/* PMI of the pair before any smoothing of contexts, as a ratio: exp(pmi). */
double pv_pmi_ratio(const pv_link *link, uint32_t i, uint32_t j, double sum);

#endif
