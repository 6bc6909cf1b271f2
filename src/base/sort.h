/* Parallel sorting that can be cancelled. */
#ifndef PV_BASE_SORT_H
#define PV_BASE_SORT_H

#include "base/context.h"

/* Merge sort; needs additional memory of the size of the array. `compare` must be a strict total
 * order, so that the result is unique. */
psdvec_status pv_sort(psdvec_context *ctx, void *array, size_t count, size_t size,
                      int (*compare)(const void *, const void *, void *), void *arg);

#endif
