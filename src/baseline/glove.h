/* GloVe on plain arrays: its inner loop, the cells in the order of an epoch, rows of words and of contexts,
 * and epochs over the cells. */
#ifndef PV_BASELINE_GLOVE_H
#define PV_BASELINE_GLOVE_H

#include "base/progress.h"
#include "baseline/strata.h"
#include "sparse/csr.h"

/* One step of AdaGrad on one cell of the matrix, many times over: the inner loop of GloVe, in plain
 * C and for AVX2. Both give the same bits.
 *
 * A word, and likewise a context, is one row of `stride` numbers, all that a step touches:
 *
 *     0               padded           2 padded
 *     | vector, zeros | squares, zeros | bias, square | unused |
 *
 * where a square is the sum of the squared steps so far. AdaGrad divides by the root of 1 + square;
 * kept without the 1, a sum of small squares loses none of them to rounding, as single precision
 * would lose what is below 6e-8.
 */
/* Gradients of vectors are held within +-PV_GLOVE_CLIP. */
#define PV_GLOVE_CLIP 100.0F

typedef struct pv_glove_shape {
    size_t padded; /* numbers of a vector, up to a multiple of 8 */
    size_t stride; /* of a row: whole lines of a cache, padded / 8 + 1 of them */
    float rate;
} pv_glove_shape;

pv_glove_shape pv_glove_shape_of(size_t dim, double rate);

typedef struct pv_glove_cell {
    uint32_t context;
    float target; /* log x */
    float weight; /* f(x) */
} pv_glove_cell;

/* Steps on `count` cells of one word, in their order. `contexts`: all rows of contexts. Of
 * cells[count], which must exist, the row is asked for, as is `next`, the row of the word to come;
 * nothing is read of them. Returns the sum of the costs, each from before its step. */
typedef double pv_glove_steps_fn(const pv_glove_shape *shape, float *word, float *contexts,
                                 const pv_glove_cell *cells, size_t count, const float *next);

pv_glove_steps_fn pv_glove_steps_plain;
/* The fastest of this machine. */
pv_glove_steps_fn *pv_glove_steps_best(void);

/* The cells of the matrix in the order in which an epoch of GloVe goes through them.
 *
 * The authors' program shuffles its file of cells once and reads it in every epoch. Here chance has
 * the same part within limits that keep workers apart and rows in the cache:
 *
 *     strata     of blocks of words and blocks of contexts (strata.h), so that workers never meet
 *     tiles      a block of contexts in parts of which the rows fit the cache that cores share
 *     ranges     the cells of one word in one tile, one after another, so that the word's row stays
 *                in the nearest cache; the words of a stratum come by chance, and so do the cells of
 *                a range
 *
 * All of it is given by the counts, the length of a row and the seed. 12 bytes a cell and 8 a range,
 * in memory or in mapped temporary files, which are read from end to end.
 */
typedef struct pv_glove_range {
    uint32_t word;
    uint32_t count; /* of cells, at least 1 */
} pv_glove_range;

/* Where the parts of a tile begin; they end where those of the next one do. */
typedef struct pv_glove_tile {
    uint64_t cell, range;
} pv_glove_tile;

typedef struct pv_glove_cells {
    psdvec_context *ctx;
    pv_scope memory;
    pv_strata strata;
    uint64_t count;
    uint32_t tiles;        /* of a stratum */
    pv_glove_tile *tile;   /* blocks x blocks x tiles + 1: by word block, context block, tile */
    pv_glove_range *range; /* and one more, of word 0 */
    pv_glove_cell *cell;   /* and one more, of context 0 */
    pv_large range_memory, cell_memory;
} pv_glove_cells;

/* `pairs` are used up: their rows are shuffled, and what is left of them is to be freed. Files go
 * beside `output`, if the budget has no memory beside `besides` bytes of the caller's. `row_bytes`: of
 * a context. */
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
    float *word, *context; /* words x stride each */
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
