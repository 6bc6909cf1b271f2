/* The cells of the matrix in the order in which an epoch of GloVe goes through them.
 *
 * The authors' program shuffles its file of cells once and reads it in every epoch. Here chance has
 * the same part within limits that keep workers apart and rows in the cache:
 *
 *     strata     of blocks of words and blocks of contexts (strata.h), so that workers never meet
 *     tiles      a block of contexts in parts of which the rows fit the cache that cores share
 *     stretches  the cells of one word in one tile, one after another, so that the word's row stays
 *                in the nearest cache; the words of a stratum come by chance, and so do the cells of
 *                a stretch
 *
 * All of it is given by the counts, the length of a row and the seed. 12 bytes a cell and 8 a stretch,
 * in memory or in mapped temporary files, which are read from end to end.
 */
#ifndef PV_BASELINE_GLOVE_CELLS_H
#define PV_BASELINE_GLOVE_CELLS_H

#include "baseline/glove_kernels.h"
#include "baseline/strata.h"
#include "sparse/csr.h"

typedef struct pv_glove_stretch {
    uint32_t word;
    uint32_t count; /* of cells, at least 1 */
} pv_glove_stretch;

/* Where the parts of a tile begin; they end where those of the next one do. */
typedef struct pv_glove_tile {
    uint64_t cell, stretch;
} pv_glove_tile;

typedef struct pv_glove_cells {
    psdvec_context *ctx;
    pv_scope memory;
    pv_strata strata;
    uint64_t count;
    uint32_t tiles;            /* of a stratum */
    pv_glove_tile *tile;       /* blocks x blocks x tiles + 1: by word block, context block, tile */
    pv_glove_stretch *stretch; /* and one more, of word 0 */
    pv_glove_cell *cell;       /* and one more, of context 0 */
    pv_large stretches_room, cells_room;
} pv_glove_cells;

/* `pairs` are used up: their rows are shuffled, and what is left of them is to be freed. Files go
 * beside `output`, if the budget has no room beside `besides` bytes of the caller's. `row_bytes`: of
 * a context. */
psdvec_status pv_glove_cells_make(pv_csr_store *pairs, double x_max, double power, size_t row_bytes,
                                  uint64_t seed, const char *output, uint64_t besides,
                                  pv_glove_cells *cells);
void pv_glove_cells_free(pv_glove_cells *cells);

#endif
