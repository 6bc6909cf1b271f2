/* A spool: bytes are appended, and read back later from any place. The first
 * ones stay in memory; beyond a limit they go to a nameless temporary file. So
 * small jobs never touch the disk and large ones never exceed their memory.
 *
 *     offset 0                 memory_limit                      length
 *     |---- blocks in memory ----|---- temporary file --------------|
 */
#ifndef PV_BASE_SPOOL_H
#define PV_BASE_SPOOL_H

#include "base/context.h"

typedef struct pv_spool pv_spool;

/* `folder` takes the temporary file; `what` reads like "the list of tokens". */
psdvec_status pv_spool_new(psdvec_context *ctx, const char *folder, const char *what,
                           uint64_t memory_limit, pv_spool **spool);
void pv_spool_free(pv_spool *spool);

/* Appends; *offset (may be NULL) tells where it went. From any thread. */
psdvec_status pv_spool_append(pv_spool *spool, const void *data, size_t length, uint64_t *offset);

/* Reads what was appended before. From any thread. */
psdvec_status pv_spool_read(pv_spool *spool, uint64_t offset, void *data, size_t length);

uint64_t pv_spool_length(const pv_spool *spool);
uint64_t pv_spool_on_disk(const pv_spool *spool);

#endif
