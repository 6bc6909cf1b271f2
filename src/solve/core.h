/* The state of Algorithm 1 on the core words, the residual A = G - V'V of eq. 4 and the objective,
 * eq. 14, with the norm squared, which the paper omits; up to a constant it is the negative log
 * posterior of eq. 13.
 *
 * The vectors are stored scaled: U = D^½ V with D = diag(m), m the factors of the majoriser (all 1
 * in the paper), so that every step is a plain eigenproblem. For s_i = sqrt(m_i), v_i' J v_j = u_i'
 * J u_j / (s_i s_j).
 *
 * In a group of processes U is divided as the pairs are. The arrays with one number per word are
 * complete in every member, but where it says so only the rows of the member are set.
 */
#ifndef PV_SOLVE_CORE_H
#define PV_SOLVE_CORE_H

#include "link/pairs.h"
#include "solve/kernels.h"

enum { PV_CORE_TASKS = 256 };

typedef struct pv_core {
    psdvec_context *ctx;
    pv_scope memory;
    const pv_link *link;
    pv_pairs *pairs;
    const pv_kernels *kernels;
    size_t n;
    size_t stride;   /* elements per row of U; the unused ones are 0 */
    size_t rank;     /* columns of U in use; 0: X = 0 */
    float *U;        /* rows of the pairs x stride */
    float *sign;     /* stride: J, +1 or -1; 0 beyond the rank */
    float *root;     /* n: s */
    float *diagonal; /* n: the diagonal of the residual of the scaled problem; own rows */
    double *mu;      /* n: priors; NULL: all 0 */
    double *row_sum; /* n: the contribution of each row to the objective */
    uint64_t *own;   /* n: the stored count of a word with itself; own rows */
    uint32_t *seen;  /* n: number of core words in its row of the counts; own rows */
    float *ratio;    /* n: z / m; NULL if it is 1 everywhere */
    float *level;    /* n: z / s; NULL without a background */
    /* Ranges of rows per task, for pairs above the diagonal, from the first row of the member. */
    uint32_t above_edges[PV_CORE_TASKS + 1];
} pv_core;

psdvec_status pv_core_open(const pv_link *link, pv_pairs *pairs, size_t most_rank, pv_core **core);
void pv_core_close(pv_core *core);
/* Bytes that pv_core_open allocates, and that pv_core_residual allocates temporarily. */
uint64_t pv_core_bytes(uint64_t n, const pv_division *division, uint64_t most_rank);
uint64_t pv_core_residual_bytes(uint64_t n, const pv_division *division, uint64_t rank, bool ratio,
                                int threads);

/* mu_i of a core word. */
double pv_core_prior(const pv_link *link, uint32_t i);

/* Writes the residual of U, eq. 4, into pairs->matrix.value and core->diagonal, and computes the
 * objective, eq. 14. The values are w (g - X_ij) / (s_i s_j). */
psdvec_status pv_core_residual(pv_core *core, double *objective);

/* The same for X(0) = start * G (1/2 in the paper), which is not of low rank: values such that
 * relaxation * value + (unseen part) is the matrix of the first step. */
psdvec_status pv_core_start(pv_core *core, double start, double relaxation);

#endif
