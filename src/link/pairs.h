/* The core's pairs: all pairs of different core words that co-occur, in either direction, with
 * weight and target.
 *
 * The matrix is symmetric. Its sparsity pattern is stored in full, one row per word, because
 * products are computed by rows; weights and targets are stored once per pair:
 *
 *     row i:  columns below i | columns above i
 *             begin[i]    middle[i]          begin[i+1]
 *     weight, target:           upper[i] + (k - middle[i]) for k >= middle[i]
 *
 * Memory: 4 bytes per pattern entry for the column, 8 bytes per pair for weight and target, and 4
 * bytes per entry for `value`, which belongs to the solver.
 */
#ifndef PV_LINK_PAIRS_H
#define PV_LINK_PAIRS_H

#include "link/link.h"
#include "sparse/columns.h"

enum { PV_HEAD_ROWS = 256, PV_TILE_COLUMNS = 512 };

typedef struct pv_pairs {
    psdvec_context *ctx;
    pv_scope memory;
    pv_csr_store matrix; /* n x n, 2 * count entries; the values belong to the solver */
    uint64_t count;      /* of pairs, each once */
    uint64_t spilled;    /* bytes in temporary files */
    uint64_t *middle;    /* n */
    uint64_t *upper;     /* n + 1 */
    double *constant;    /* n: of the objective, over both directions of row i's pairs above i */
    pv_large weights, targets; /* float, count */
    pv_column_blocks blocks;   /* of the part above the diagonal, for mirroring */
    pv_column_blocks tiles;    /* of the same part, a few hundred words wide: tiles for which a
                             * dense product may be faster */
    /* Frequent words co-occur with nearly every other word, and there a dense matrix is faster than
     * a sparse one. Of rows r .. r + PV_HEAD_ROWS - 1, r = block * PV_HEAD_ROWS, the columns below
     * head_width[block] are dense: head[head_begin[block] + (i - r) * head_width[block] + j]. The
     * sparse part of a product begins at `tail`. */
    uint32_t head_blocks;
    uint32_t *head_width; /* head_blocks */
    uint64_t *head_begin; /* head_blocks + 1 */
    uint64_t *tail;       /* n: the first entry of a row that is not in the head */
    pv_large heads;       /* float */
    float *head;
    float *weight, *target;
} pv_pairs;

/* Counts the pairs without building them. among: core + 1; among[k] is the number of pairs of the
 * first k words. */
psdvec_status pv_pairs_count(const pv_link *link, uint64_t *among);
/* The same of pairs that have been built. */
void pv_pairs_among(const pv_pairs *pairs, uint64_t *among);
/* Bytes of `count` pairs of n words: of the arrays that may be in a file, of the others, and of the
 * temporary memory while they are built. */
uint64_t pv_pairs_large_bytes(uint64_t count);
uint64_t pv_pairs_bytes(uint64_t n);
uint64_t pv_pairs_make_bytes(uint64_t n, uint64_t bigrams, int threads);

/* The large arrays go to temporary files in `folder` if they take more than `memory` bytes. With
 * `start`, value[k] above the diagonal is set to the mean of G_ij and G_ji. */
psdvec_status pv_pairs_make(const pv_link *link, const char *folder, uint64_t memory, bool start,
                            pv_pairs **pairs);
void pv_pairs_free(pv_pairs *pairs);

/* Copies the values above the diagonal to their mirror positions and to the dense head. */
psdvec_status pv_pairs_mirror(pv_pairs *pairs);

#endif
