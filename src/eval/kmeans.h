/* Groups found in vectors: k-means, started several times with k-means++, of which the
 * tightest is taken. The same for any number of threads.
 */
#ifndef PV_EVAL_KMEANS_H
#define PV_EVAL_KMEANS_H

#include "base/context.h"
#include "eval/sparse_block.h"

/* points: n x dim. cluster: n, each below k. k is at least 1 and at most n. */
psdvec_status pv_kmeans(psdvec_context *ctx, const float *points, size_t n, uint32_t dim,
                        uint32_t k, uint32_t *cluster);
/* The same of sparse points. The centres are not: they take k x dim numbers for each worker. */
psdvec_status pv_kmeans_sparse(psdvec_context *ctx, const pv_sparse_unit *points, size_t n,
                               uint32_t dim, uint32_t k, uint32_t *cluster);

#endif
