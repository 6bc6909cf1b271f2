/* Sorted runs: rows that did not all fit into memory at once.
 *
 * Each chunk of text leaves a run, a spool of packed rows, ascending. Runs are
 * merged by adding up their rows, one row at a time, so no comparisons are
 * needed; when there are FAN_IN of them they become one. All runs use the same
 * groups of rows, so groups are merged by workers independently.
 *
 * A packed group: for every row that has entries, the distance from the last
 * such row, the number of entries, then columns as differences and values,
 * alternating; all as 7-bit units with a continuation bit.
 */
#ifndef PV_COUNT_RUNS_H
#define PV_COUNT_RUNS_H

#include "base/progress.h"
#include "base/spool.h"
#include "count/rows.h"

enum { PV_FAN_IN = 64 };

typedef struct pv_run {
    pv_spool *spool;
    uint64_t *group_end; /* groups + 1; the first is 0 */
} pv_run;

typedef struct pv_runs {
    psdvec_context *ctx;
    const char *folder;
    const pv_row_groups *groups;
    uint32_t columns;
    pv_run runs[PV_FAN_IN];
    size_t count;
    uint64_t made;    /* runs written, merged ones included */
    uint64_t spilled; /* bytes written to disk */
} pv_runs;

void pv_runs_init(pv_runs *runs, psdvec_context *ctx, const char *folder,
                  const pv_row_groups *groups, uint32_t columns);
void pv_runs_free(pv_runs *runs);

/* Opens a new run and a sink that fills it, group by group. Merges first if
 * there are too many. */
psdvec_status pv_runs_begin(pv_runs *runs, pv_row_sink *sink);
/* All groups of the open run have been taken. */
void pv_runs_end(pv_runs *runs);

/* Adds up all runs into the sink. `progress` counts groups; may be NULL. */
psdvec_status pv_runs_merge(pv_runs *runs, const pv_row_sink *sink, pv_progress *progress);

#endif
