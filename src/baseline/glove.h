/* GloVe on plain arrays: its inner loop, the order of the cells in an epoch, the rows of words and
 * contexts, and the epochs. */
#ifndef PV_BASELINE_GLOVE_H
#define PV_BASELINE_GLOVE_H

#include "base/progress.h"
#include "baseline/strata.h"
#include "sparse/csr.h"

/* Steps of AdaGrad on cells of the matrix: the inner loop of GloVe, in portable C and for AVX2.
 * Both give the same bits.
 *
 * A word, and likewise a context, is one row of `stride` floats with everything that a step
 * updates:
 *
 *     0               padded           2 padded
 *     | vector, zeros | squares, zeros | bias, square | unused |
 *
 * where a square is the sum of the squared steps so far. AdaGrad divides by the root of 1 + square;
 * stored without the 1, a sum of small squares does not lose them to rounding; otherwise single
 * precision would lose values below 6e-8.
 */
/* Gradients of vectors are clipped to +-PV_GLOVE_CLIP. */
#define PV_GLOVE_CLIP 100.0F

typedef struct pv_glove_shape {
    size_t padded; /* dimensions, rounded up to a multiple of 8 */
    size_t stride; /* floats per row: padded / 8 + 1 complete cache lines */
    float rate;
} pv_glove_shape;

pv_glove_shape pv_glove_shape_of(size_t dim, double rate);

typedef struct pv_glove_cell {
    uint32_t context;
    float target; /* log x */
    float weight; /* f(x) */
} pv_glove_cell;

/* Takes steps on `count` cells of one word, in order. `contexts`: all rows of contexts. Prefetches
 * the row of cells[count], which must exist, and `next`, the row of the next word; neither is read.
 * Returns the sum of the costs, each computed before its step. */
typedef double pv_glove_steps_fn(const pv_glove_shape *shape, float *word, float *contexts,
                                 const pv_glove_cell *cells, size_t count, const float *next);

pv_glove_steps_fn pv_glove_steps_plain;
/* Returns the fastest version that this CPU supports. */
pv_glove_steps_fn *pv_glove_steps_best(void);

/* The cells of the matrix in the order of an epoch of GloVe.
 *
 * The authors' program shuffles its file of cells once and reads it in every epoch. Here the order
 * is random within limits that avoid conflicts between workers and keep rows in the cache:
 *
 *     strata     of blocks of words and blocks of contexts (strata.h): workers never conflict
 *     tiles      parts of a block of contexts whose rows fit the shared cache
 *     ranges     the cells of one word in one tile, contiguous, so that the row of the word stays
 *                in the L1 cache; the words of a stratum are in random order, and so are the
 *                cells of a range
 *
 * The order depends only on the counts, the length of a row and the seed. It takes 12 bytes per
 * cell and 8 per range, in memory or in mapped temporary files, which are read sequentially.
 */
typedef struct pv_glove_range {
    uint32_t word;
    uint32_t count; /* number of cells, at least 1 */
} pv_glove_range;

/* The offsets of a tile's ranges and cells; they end where those of the next tile begin. */
typedef struct pv_glove_tile {
    uint64_t cell, range;
} pv_glove_tile;

typedef struct pv_glove_cells {
    psdvec_context *ctx;
    pv_scope memory;
    pv_strata strata;
    uint64_t all;          /* number of cells of all members of the group */
    uint64_t count;        /* of those that are here */
    uint32_t tiles;        /* per stratum */
    pv_glove_tile *tile;   /* blocks x blocks x tiles + 1: by word block, context block, tile */
    pv_glove_range *range; /* and an additional one, of word 0 */
    pv_glove_cell *cell;   /* and an additional one, of context 0 */
    pv_large range_memory, cell_memory;
} pv_glove_cells;

/* Divides the words into blocks by their numbers of entries; a pv_cooccurrence_part calls it to make
 * only the rows of the words whose strata this member runs. cells: {.ctx = ctx}. */
psdvec_status pv_glove_choose(void *cells, uint64_t *entries, uint32_t rows);
/* After that. Consumes `pairs`: their rows are shuffled, and the caller frees what remains. Arrays go to files
 * next to `output` if they do not fit the budget together with `besides` bytes of the caller.
 * `row_bytes`: size of a context row. */
psdvec_status pv_glove_cells_make(pv_csr_store *pairs, double x_max, double power, size_t row_bytes,
                                  uint64_t seed, const char *output, uint64_t besides,
                                  pv_glove_cells *cells);
void pv_glove_cells_free(pv_glove_cells *cells);

typedef struct pv_glove {
    psdvec_context *ctx;
    pv_scope memory;
    const pv_glove_cells *cells;
    pv_glove_steps_fn *steps;
    pv_glove_shape shape;
    uint32_t words, dim;
    float *word, *context;   /* words x stride each */
    pv_strata_rows contexts; /* in a group of processes */
    double *cost;            /* cost of each stratum in this epoch */
    pv_progress progress;    /* in cells */
} pv_glove;

/* Bytes of the rows. */
uint64_t pv_glove_bytes(uint32_t words, uint32_t dim);

/* Initialises the rows: uniform in +-1/2 of 1/dim, including the biases. */
psdvec_status pv_glove_open(const pv_glove_cells *cells, uint32_t dim, double rate, pv_glove *g);
void pv_glove_close(pv_glove *g);

/* One pass over all cells; epoch: from 0. *loss: the mean cost of a cell, f (w.c + b + b' - log
 * x)^2 / 2, computed before its step. Returns PSDVEC_ERR_NUMERIC if the steps lead to values that
 * are not finite. */
psdvec_status pv_glove_epoch(pv_glove *g, uint32_t epoch, double *loss);

/* The vectors, words x dim: those of words, or the sums of those of words and contexts. They
 * overwrite the rows. */
psdvec_status pv_glove_vectors(pv_glove *g, bool add_contexts, const float **vectors);

#endif
