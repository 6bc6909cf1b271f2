/* Algorithm 1 of the paper, and faster variants of it, for the core words. */
#ifndef PV_SOLVE_ALGORITHM1_H
#define PV_SOLVE_ALGORITHM1_H

#include "solve/core.h"

/* With `exact_iterations`, that many iterations solve the eigenproblem and the next
 * PV_REFINED_ITERATIONS refine its solution, alternately. */
enum { PV_REFINED_ITERATIONS = 3 };

/* The state after some iterations, from which the algorithm can be resumed. */
typedef struct pv_course {
    uint32_t done;                /* iterations */
    psdvec_iteration *iterations; /* capacity: options.iterations */
    float *values;                /* core->stride: eigenvalues kept in the last iteration, signed */
    bool finished;                /* whether the stopping rule was met */
} pv_course;

/* Called after every iteration; may save the state. */
typedef psdvec_status pv_iteration_fn(void *user, const pv_core *core, const pv_course *course);

/* Continues after course->done iterations; core->U, core->sign and core->rank must be as they were
 * then. */
psdvec_status pv_algorithm1(pv_core *core, pv_course *course, pv_iteration_fn *on_iteration,
                            void *user);

/* Upper bound of the bytes that it allocates besides the core. */
uint64_t pv_algorithm1_bytes(const psdvec_train_options *options, uint64_t n,
                             const pv_division *division, int threads);

/* The number of eigenvalues that iteration t (from 1) keeps. */
size_t pv_rank_at(const psdvec_train_options *options, size_t n, uint32_t t);
size_t pv_rank_most(const psdvec_train_options *options, size_t n);

#endif
