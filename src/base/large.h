/* Arrays that may be larger than memory: within the budget where they fit, else
 * in a mapped temporary file, which the system reads and writes as it is used.
 */
#ifndef PV_BASE_LARGE_H
#define PV_BASE_LARGE_H

#include "base/memory.h"

typedef struct pv_large {
    void *data;
    uint64_t bytes;
    bool mapped;
} pv_large;

/* Whether so many bytes should go to a file: the budget has no room for them beside `besides`. */
bool pv_large_spills(psdvec_context *ctx, uint64_t bytes, uint64_t besides);

/* Zeros. `folder`: of the temporary file, if the context names none. `spill`:
 * use a file at once. A failure of the file names the room it needs. */
psdvec_status pv_large_alloc(psdvec_context *ctx, uint64_t count, size_t size, const char *folder,
                             bool spill, const char *what, pv_large *large);
void pv_large_free(psdvec_context *ctx, pv_large *large);

#endif
