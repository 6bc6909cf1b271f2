/* Progress of one stage: any thread adds the work it has done, and about ten times a second one of
 * them reports to the host, with the rate and the remaining time.
 */
#ifndef PV_BASE_PROGRESS_H
#define PV_BASE_PROGRESS_H

#include "base/context.h"
#include "util/clock.h"

typedef struct pv_progress {
    psdvec_context *ctx;
    const char *stage;
    const char *unit;
    uint64_t total; /* 0: unknown */
    double began;
    double objective; /* of training; NAN: none; set before the workers start */
    _Atomic uint64_t done;
    _Atomic uint64_t next_report; /* nanoseconds on the monotonic clock */
} pv_progress;

void pv_progress_begin(pv_progress *progress, psdvec_context *ctx, const char *stage,
                       const char *unit, uint64_t total);
void pv_progress_add(pv_progress *progress, uint64_t units);
/* Reports the end of the stage. */
void pv_progress_end(pv_progress *progress);

#endif
