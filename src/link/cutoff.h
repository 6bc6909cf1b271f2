/* Where the weight function is cut off at 1, C_cut of f in section 3.1.2: the k-th largest of
 * a number that each seen pair of core words has. */
#ifndef PV_LINK_CUTOFF_H
#define PV_LINK_CUTOFF_H

#include "link/weights.h"

/* C, the square root of the k-th largest measure, k = cut * core * core. */
psdvec_status pv_cutoff(const pv_link *link, pv_measure_fn *measure, double *cut);
uint64_t pv_cutoff_bytes(int threads);

#endif
