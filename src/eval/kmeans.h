/* Clustering by k-means with k-means++ seeding and several restarts, of which the tightest is used.
 * The result is the same for any number of threads.
 */
#ifndef PV_EVAL_KMEANS_H
#define PV_EVAL_KMEANS_H

#include "eval/sparse_block.h"

/* points: n x dim, or else sparse: n. cluster: n, each below k. k is at least 1 and at most n. The
 * centres are dense: they take k x dim floats per worker. */
psdvec_status pv_kmeans(psdvec_context *ctx, const float *points, const pv_sparse_unit *sparse,
                        size_t n, uint32_t dim, uint32_t k, uint32_t *cluster);

#endif
