/* Merging, for use inside other calls: without pv_begin. */
#ifndef PV_COUNT_MERGE_H
#define PV_COUNT_MERGE_H

#include "count/provenance.h"

/* `provenance`, if not NULL, is what the result says of itself instead of what
 * the files say. */
psdvec_status pv_counts_merge(psdvec_context *ctx, const char *const *paths, size_t path_count,
                              const char *output, pv_provenance *provenance,
                              psdvec_count_report *report);

#endif
