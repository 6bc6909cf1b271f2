/* A spool: an append-only sequence of bytes with random-access reads. The first bytes stay in
 * memory; beyond a limit they go to an unnamed temporary file. So small jobs never touch the disk
 * and large ones stay within their memory.
 *
 *     offset 0                 memory_limit                      length
 *     |---- blocks in memory ----|---- temporary file --------------|
 */
#ifndef PV_BASE_SPOOL_H
#define PV_BASE_SPOOL_H

#include "base/context.h"

typedef struct pv_spool pv_spool;

/* `folder` is for the temporary file; `what` is a phrase such as "the list of tokens". */
psdvec_status pv_spool_new(psdvec_context *ctx, const char *folder, const char *what,
                           uint64_t memory_limit, pv_spool **spool);
void pv_spool_free(pv_spool *spool);

/* Appends; *offset (may be NULL) receives the position. Thread-safe. */
psdvec_status pv_spool_append(pv_spool *spool, const void *data, size_t length, uint64_t *offset);

/* Reads data that was appended before. Thread-safe. */
psdvec_status pv_spool_read(pv_spool *spool, uint64_t offset, void *data, size_t length);

uint64_t pv_spool_length(const pv_spool *spool);
uint64_t pv_spool_on_disk(const pv_spool *spool);

#endif
