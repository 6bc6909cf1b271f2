/* The parts of the computation of a map, in the order in which they are used: the words as rows of
 * a matrix, their neighbours, the pairs of PaCMAP, and the descent that places the words.
 */
#ifndef PV_MAP_LAYOUT_H
#define PV_MAP_LAYOUT_H

#include "base/memory.h"
#include "model/model_read.h"

/* ---- Rows: the words in their leading principal components (rows.c) ------------------------ */

typedef struct pv_map_rows {
    pv_scope scope;
    uint32_t count, dim;
    float *data;     /* count x dim */
    double variance; /* share of the variance in these components; 1 if there is none */
} pv_map_rows;

/* words: count indices of the model, whose vectors are finite after this call. Each vector is
 * divided by its length; zero vectors stay zero. */
psdvec_status pv_map_rows_make(psdvec_context *ctx, const psdvec_model *model,
                               const uint32_t *words, uint32_t count, uint32_t components,
                               pv_map_rows *rows);
/* Bytes that it allocates, those that remain and those of the workspace. */
uint64_t pv_map_rows_bytes(psdvec_context *ctx, uint32_t count, uint32_t dim, uint32_t components);
void pv_map_rows_free(pv_map_rows *rows);

/* The squared distance of two rows, in double precision. */
double pv_map_square(const pv_map_rows *rows, uint32_t i, uint32_t j);

/* ---- Nearest neighbours (neighbours.c) ------------------------------------------------------ */

typedef struct pv_map_neighbours {
    pv_scope scope;
    uint32_t most;
    uint32_t *list;  /* count x most, nearest first; ties by index */
    float *distance; /* count x most; Euclidean */
} pv_map_neighbours;

/* most < rows->count. `exact`: compare all rows; otherwise each with those of nearby cells, and
 * where these are too few, with all. */
psdvec_status pv_map_neighbours_find(psdvec_context *ctx, const pv_map_rows *rows, uint32_t most,
                                     bool exact, pv_map_neighbours *neighbours);
uint64_t pv_map_neighbours_bytes(psdvec_context *ctx, uint32_t count, uint32_t dim, uint32_t most,
                                 bool exact);
void pv_map_neighbours_free(pv_map_neighbours *neighbours);

/* ---- Pairs (pairs.c) -------------------------------------------------------------------------- */

/* Partners are handled in groups of this size. */
enum { PV_MAP_LANES = 8 };

/* The partners of every row in pairs of one kind. A pair is in the lists of both of its rows, so
 * that the forces on a row are a sum over its own list, in a fixed order. */
typedef struct pv_map_partners {
    uint32_t own;    /* pairs that each row chooses */
    uint64_t *begin; /* count + 1 */
    uint32_t *list;  /* of row i: from begin[i]; those it chose, then the rows that chose it, then i
                        itself, to a whole number of groups */
} pv_map_partners;

enum { PV_MAP_NEAR, PV_MAP_MID_NEAR, PV_MAP_FURTHER, PV_MAP_KINDS };

typedef struct pv_map_pairs {
    pv_scope scope;
    uint32_t count;
    uint64_t seed;
    pv_map_partners kinds[PV_MAP_KINDS];
} pv_map_pairs;

/* Pairs per row of each kind, for this number of words. neighbours: 0 for automatic. All are 0 if
 * there are too few words for pairs. */
void pv_map_pair_counts(uint32_t count, uint32_t neighbours, double mid_near, double further,
                        uint32_t own[PV_MAP_KINDS]);
/* Neighbours to be found from which the near pairs are selected. */
uint32_t pv_map_candidates(uint32_t count, uint32_t near);

psdvec_status pv_map_pairs_make(psdvec_context *ctx, const pv_map_rows *rows,
                                const pv_map_neighbours *neighbours,
                                const uint32_t own[PV_MAP_KINDS], pv_map_pairs *pairs);
uint64_t pv_map_pairs_bytes(uint32_t count, const uint32_t own[PV_MAP_KINDS]);
/* Chooses the further pairs again among points at most `radius` apart (LocalMAP). `round` numbers
 * the calls. */
psdvec_status pv_map_pairs_nearby(psdvec_context *ctx, pv_map_pairs *pairs, const float *points,
                                  double radius, uint32_t round);
void pv_map_pairs_free(pv_map_pairs *pairs);

/* ---- Forces (forces.c) ------------------------------------------------------------------------ */

/* With d = 1 + distance^2, the force of a partner is the difference of the points times
 * factor / (shift + d)^2, and divided by sqrt d if `local`. */
typedef struct pv_map_force {
    float factor, shift;
    bool local;
} pv_map_force;

/* Adds to `sum` the forces on point i of the partners in a list of whole groups. */
typedef void pv_map_forces_fn(const uint32_t *list, uint64_t count, const float *points, uint32_t i,
                              const pv_map_force *force, float sum[2]);
extern pv_map_forces_fn *const pv_map_forces_plain;
pv_map_forces_fn *pv_map_forces_best(void);

/* ---- Descent (descent.c) ----------------------------------------------------------------------- */

typedef struct pv_map_descent {
    uint32_t iterations;
    double rate;
    bool local;
} pv_map_descent;

/* points: count x 2, at first those from which to start. */
psdvec_status pv_map_descend(psdvec_context *ctx, const pv_map_descent *settings,
                             pv_map_pairs *pairs, float *points);
uint64_t pv_map_descent_bytes(uint32_t count);

/* Weights of the kinds of pairs in an iteration, and whether LocalMAP's attraction applies. */
typedef struct pv_map_weights {
    float near, mid_near, further;
    bool local;
} pv_map_weights;
pv_map_weights pv_map_weights_at(const pv_map_descent *settings, uint32_t iteration);
/* The gradient of the loss with respect to point i, and the loss (without LocalMAP's factor). */
void pv_map_gradient(pv_map_forces_fn *forces, const pv_map_pairs *pairs, const float *points,
                     const pv_map_weights *weights, uint32_t i, float gradient[2]);
double pv_map_loss(const pv_map_pairs *pairs, const float *points, const pv_map_weights *weights);

#endif
