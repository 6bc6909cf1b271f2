/* Algorithm 1 of the paper, and its faster relatives, for the core words. */
#ifndef PV_SOLVE_ALGORITHM1_H
#define PV_SOLVE_ALGORITHM1_H

#include "solve/core.h"

/* With `exact_iterations`, that many iterations solve the eigenproblem, then these refine its solution;
 * and again. */
enum { PV_REFINED_ITERATIONS = 3 };

/* What is known after some iterations; enough to go on from. */
typedef struct pv_course {
    uint32_t done;                /* iterations */
    psdvec_iteration *iterations; /* options.iterations of them */
    float *values;                /* core->stride: eigenvalues kept last, with signs */
    bool finished;                /* the stop rule was met */
} pv_course;

/* Called after every iteration; may save the state. */
typedef psdvec_status pv_iteration_fn(void *user, const pv_core *core, const pv_course *course);

/* Goes on from course->done iterations, with core->U, core->sign and core->rank as
 * they were then. */
psdvec_status pv_algorithm1(pv_core *core, pv_course *course, pv_iteration_fn *on_iteration,
                            void *user);

/* Bytes that it allocates at most, besides the core. */
uint64_t pv_algorithm1_bytes(const psdvec_train_options *options, uint64_t n, int threads);

/* Eigenvalues that iteration t (from 1) keeps. */
size_t pv_rank_at(const psdvec_train_options *options, size_t n, uint32_t t);
size_t pv_rank_most(const psdvec_train_options *options, size_t n);

#endif
