/* GloVe on plain arrays: rows of words and of contexts, and epochs over the cells. */
#ifndef PV_BASELINE_GLOVE_H
#define PV_BASELINE_GLOVE_H

#include "base/progress.h"
#include "baseline/glove_cells.h"

typedef struct pv_glove {
    psdvec_context *ctx;
    pv_scope memory;
    const pv_glove_cells *cells;
    pv_glove_steps_fn *steps;
    pv_glove_shape shape;
    uint32_t words, dim;
    float *word, *context; /* words x stride each (glove_kernels.h) */
    double *cost;          /* of each stratum in this epoch */
    pv_progress progress;  /* in cells */
} pv_glove;

/* Of the rows. */
uint64_t pv_glove_bytes(uint32_t words, uint32_t dim);

/* Rows as they are before the first epoch: uniform in +-1/2 of 1/dim, also the biases. */
psdvec_status pv_glove_open(const pv_glove_cells *cells, uint32_t dim, double rate, pv_glove *g);
void pv_glove_close(pv_glove *g);

/* One pass over all cells; epoch: from 0. *loss: the mean cost of a cell, f (w.c + b + b' - log x)^2
 * / 2, from before its step. PSDVEC_ERR_NUMERIC: the steps lead to numbers that are not finite. */
psdvec_status pv_glove_epoch(pv_glove *g, uint32_t epoch, double *loss);

/* The vectors, words x dim: of words, or the sums of those of words and contexts. They lie where the
 * rows were, which are gone. */
psdvec_status pv_glove_vectors(pv_glove *g, bool add_contexts, const float **vectors);

#endif
