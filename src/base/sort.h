/* Sorting that uses all workers and can be stopped. */
#ifndef PV_BASE_SORT_H
#define PV_BASE_SORT_H

#include "base/context.h"

/* Merge sort; needs as much memory again as the array. `compare` must order
 * any two elements, so that there is one result. */
psdvec_status pv_sort(psdvec_context *ctx, void *array, size_t count, size_t size,
                      int (*compare)(const void *, const void *, void *), void *arg);

#endif
