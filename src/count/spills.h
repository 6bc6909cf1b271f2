/* Spills: rows that did not all fit into memory at once.
 *
 * Each chunk of text leaves a spill, a spool of packed rows, ascending. Spills
 * are merged by adding up their rows, one row at a time, so no comparisons are
 * needed; when there are FAN_IN of them they become one. All spills use the same
 * groups of rows, so groups are merged by workers independently.
 *
 * A packed group: for every row that has entries, the distance from the last
 * such row, the number of entries, then columns as differences and values,
 * alternating; all as 7-bit units with a continuation bit.
 */
#ifndef PV_COUNT_SPILLS_H
#define PV_COUNT_SPILLS_H

#include "base/spool.h"
#include "count/rows.h"

enum { PV_FAN_IN = 64 };

typedef struct pv_spill {
    pv_spool *spool;
    uint64_t *group_end; /* groups + 1; the first is 0 */
} pv_spill;

typedef struct pv_spills {
    pv_scope memory;
    const char *folder;
    const pv_row_groups *groups;
    uint32_t columns;
    pv_spill list[PV_FAN_IN];
    size_t count;
    uint64_t made;    /* spills written, merged ones included */
    uint64_t written; /* bytes on disk */
} pv_spills;

void pv_spills_init(pv_spills *spills, psdvec_context *ctx, const char *folder,
                    const pv_row_groups *groups, uint32_t columns);
void pv_spills_free(pv_spills *spills);

/* Opens a new spill and a sink that fills it, group by group. Merges first if
 * there are too many. */
psdvec_status pv_spills_begin(pv_spills *spills, pv_row_sink *sink);
/* All groups of the open spill have been taken. */
void pv_spills_end(pv_spills *spills);

/* Adds up all spills into the sink. `stage`: as pv_rows_make has it. */
psdvec_status pv_spills_merge(const pv_spills *spills, const pv_row_sink *sink, const char *stage);

#endif
