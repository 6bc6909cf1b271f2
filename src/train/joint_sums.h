/* The sums over pairs of the joint probability, row by row; for the two files that take them. */
#ifndef PV_TRAIN_JOINT_SUMS_H
#define PV_TRAIN_JOINT_SUMS_H

#include "train/joint.h"

#include <math.h>

typedef struct pv_joint_sums {
    double products, residuals, shifts, prior, log_weights;
    int64_t pairs, weighed, free; /* weighed: less those that the closed form has too many */
} pv_joint_sums;

/* The sum of many logarithms. */
typedef struct pv_log_sum {
    double product, sum;
} pv_log_sum;

static inline void pv_log_add(pv_log_sum *s, double x)
{
    if (x < 1e-50 || x > 1e50) {
        s->sum += log(x);
        return;
    }
    s->product *= x;
    if (s->product < 1e-200 || s->product > 1e200) {
        s->sum += log(s->product);
        s->product = 1;
    }
}

/* t_i = 1/2 log(2 tot pc_i / r_i) of the words of the counts, what the target has taken off too
 * much or too little; *shift is NULL if all are 0. The caller frees it. */
psdvec_status pv_joint_shifts(const pv_link *link, double **shift);
/* A word beside itself weighs nothing. */
void pv_joint_own(const pv_link *link, uint32_t i, double x, double X, pv_joint_sums *sums);
/* Adds the rows in their order. */
void pv_joint_add_rows(const pv_joint_sums *rows, uint32_t count, psdvec_joint *joint);

#endif
