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
 *
 * In a group of processes the rows are divided (sparse/division.h): each member makes the pairs of
 * its rows above the diagonal. The entries below it are the mirror images of those above it in the
 * rows of this and of earlier members, which send them. All arrays that have an element per row
 * begin with the first row of this member; columns are numbered from the first of all.
 */
#ifndef PV_LINK_PAIRS_H
#define PV_LINK_PAIRS_H

#include "link/link.h"
#include "sparse/columns.h"
#include "sparse/division.h"

enum { PV_HEAD_ROWS = 256, PV_TILE_COLUMNS = 512 };

enum { PV_SEGMENTS = 4 };

/* What members send each other to mirror their entries (pairs.c). */
typedef struct pv_pairs_mail pv_pairs_mail;

typedef struct pv_pairs {
    psdvec_context *ctx;
    pv_scope memory;
    const pv_division *division; /* NULL: all rows are here */
    size_t n;                    /* columns, and rows of all members */
    uint32_t first;              /* row */
    pv_csr_store matrix;         /* rows x n; the values belong to the solver */
    uint64_t count;              /* of pairs above the diagonal that are here ... */
    uint64_t total;              /* ... and in all members: each pair once */
    uint64_t spilled;            /* bytes in temporary files */
    bool positive;               /* all weights of all members are */
    uint64_t *middle;            /* rows */
    uint64_t *upper;             /* rows + 1 */
    uint64_t *near;              /* rows: the first entry that mirrors one of this member */
    double *constant; /* rows: of the objective, over both directions of row i's pairs above i */
    pv_large weights, targets; /* float, count */
    pv_column_blocks blocks;   /* of the part above the diagonal, for mirroring */
    pv_column_blocks tiles;    /* of the same part, a few hundred words wide: tiles for which a
                             * dense product may be faster */
    pv_pairs_mail *mail;       /* NULL without other members */
    /* Frequent words co-occur with nearly every other word, and there a dense matrix is faster than
     * a sparse one. Of rows r .. r + PV_HEAD_ROWS - 1, r = block * PV_HEAD_ROWS, the columns below
     * head_width[block] are dense: head[head_begin[b] + (i - r) * head_width[block] + j], with b
     * the number of the block among those that are here. */
    uint32_t head_blocks; /* that are here */
    uint32_t *head_width; /* all blocks */
    uint64_t *head_begin; /* blocks that are here + 1 */
    pv_large heads;       /* float */
    float *head;
    /* The sparse part of a product is computed a segment of columns at a time; segment s of row i
     * has the entries cut[i * (segments + 1) + s] .. cut[i * (segments + 1) + s + 1] - 1. Without
     * other members there is one segment. */
    size_t segments;
    uint64_t *cut;
    float *weight, *target;
} pv_pairs;

/* The first entry of a row that is not in the head. */
static inline uint64_t pv_pairs_tail(const pv_pairs *pairs, uint32_t row)
{
    return pairs->cut[(size_t)row * (pairs->segments + 1)];
}

/* The segment with the columns of a member. */
size_t pv_segment_of(const pv_pairs *pairs, uint32_t member);

/* Counts the pairs without building them. among: core + 1; among[k] is the number of pairs of the
 * first k words. */
psdvec_status pv_pairs_count(const pv_link *link, uint64_t *among);
/* The same of pairs that have been built, all of them here. */
void pv_pairs_among(const pv_pairs *pairs, uint64_t *among);
/* Bytes of `count` pairs of n words: of the arrays that may be in a file (without a division), of
 * the others, and of the temporary memory while they are built. */
uint64_t pv_pairs_large_bytes(uint64_t count);
uint64_t pv_pairs_bytes(uint64_t n, const pv_division *division);
uint64_t pv_pairs_make_bytes(uint64_t n, const pv_division *division, uint64_t bigrams,
                             int threads);

/* The large arrays go to temporary files in `folder` if they take more than `memory` bytes. With
 * `start`, value[k] above the diagonal is set to the mean of G_ij and G_ji. division: of the core's
 * rows; must outlive the pairs. */
psdvec_status pv_pairs_make(const pv_link *link, const pv_division *division, const char *folder,
                            uint64_t memory, bool start, pv_pairs **pairs);
void pv_pairs_free(pv_pairs *pairs);

/* Copies the values above the diagonal to their mirror positions and to the dense head. */
psdvec_status pv_pairs_mirror(pv_pairs *pairs);

#endif
