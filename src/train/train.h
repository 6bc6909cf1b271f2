/* What the files of training share. */
#ifndef PV_TRAIN_TRAIN_H
#define PV_TRAIN_TRAIN_H

#include "base/memory.h"
#include "count/count.h"
#include "link/link.h"

/* How the counts were made, from what: a JSON object. `kept`: the file, if any, that stands for
 * standard input and is called "-" there. */
psdvec_status pv_counts_provenance(psdvec_context *ctx, const psdvec_counts *counts,
                                   const char *kept, pv_buffer *json);

/* The same of a text that was read and not counted. */
psdvec_status pv_text_provenance(pv_reading *text, pv_buffer *json);

/* mu of the noncore word of this rank (from 0) and frequency. */
double pv_noncore_mu(const psdvec_train_options *options, uint32_t core, uint32_t words,
                     uint32_t rank, double frequency, double last_core_frequency);

#endif
