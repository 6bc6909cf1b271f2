/* The window: integer weights of pairs by distance.
 *
 * A pair's weight is an integer multiple of 1/scale, so sums are exact and do not depend on their
 * order:
 *
 *     uniform     1                          scale 1
 *     linear      (window + 1 - d) / window  scale window
 *     harmonic    1 / d                      scale lcm(1 .. window) up to a
 *                                            window of 16, beyond it 2^20 and
 *                                            weights rounded to it
 *
 * With expected subsampling a frequent word takes up less of the window: going right from the
 * context word, the distance starts at 1 and grows by retention(w) for every word w passed, while
 * it is below window + 1. Here retention is rounded to 1/256, so distances are multiples of 1/256;
 * the linear weight is then exact with scale 256 window, the harmonic one is rounded to 2^-16.
 */
#ifndef PV_COUNT_WINDOW_H
#define PV_COUNT_WINDOW_H

#include "count/vocabulary.h"

enum { PV_STEP_ONE = 256, PV_MAX_WINDOW = 1000 };

typedef struct pv_window {
    pv_scope memory;
    uint32_t span;
    uint64_t scale;
    uint32_t *weights; /* plain: by distance 1 .. span. Subsampled: by distance
                           in 1/256, PV_STEP_ONE .. limit - 1 */
    uint32_t limit;    /* subsampled: (span + 1) * 256 */
    uint16_t *steps;   /* vocabulary + 1 (unknown words); NULL: plain */
    double *retention; /* vocabulary; NULL: plain */
} pv_window;

uint64_t pv_window_scale(uint32_t span, psdvec_distance distance, bool subsampled);

psdvec_status pv_window_init(pv_window *window, psdvec_context *ctx,
                             const psdvec_count_options *options, const pv_vocabulary *vocabulary);
void pv_window_free(pv_window *window);

/* Maximum number of words after a context word that are in its window. */
uint64_t pv_window_reach(const pv_window *window);

#endif
