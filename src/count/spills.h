/* Spills: sorted rows in temporary files, for counts that exceed memory.
 *
 * Each chunk of text produces a spill, a spool of packed rows in ascending order. Spills are merged
 * by summing their rows, one row at a time, so no comparisons are needed; PV_FAN_IN spills are
 * merged into one. All spills use the same groups of rows, so workers merge groups independently.
 *
 * A packed group contains, for every row with entries, the distance from the previous such row, the
 * number of entries, then alternating column differences and values; all as 7-bit units with a
 * continuation bit.
 */
#ifndef PV_COUNT_SPILLS_H
#define PV_COUNT_SPILLS_H

#include "base/spool.h"
#include "count/rows.h"

enum { PV_FAN_IN = 64 };

/* Packs rows into rows->packed; for pv_row_sink.prepare. */
psdvec_status pv_rows_pack(void *unused, pv_rows *rows);
/* A packed group in memory. */
typedef struct pv_packed {
    const char *data;
    size_t length;
} pv_packed;
/* Adds up packed groups with the same rows, for which pv_rows_begin was called. */
psdvec_status pv_rows_unpack(psdvec_context *ctx, const pv_packed *pieces, size_t count,
                             pv_row_sum *sum, pv_rows *rows);

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
/* Called when all groups of the open spill have been taken. */
void pv_spills_end(pv_spills *spills);

/* Merges all spills into the sink. `stage`: as in pv_rows_make. */
psdvec_status pv_spills_merge(const pv_spills *spills, const pv_row_sink *sink, const char *stage);

#endif
