/* Systems that learn two matrices, a row for each word in either, epoch by epoch: their state after
 * each, from which an interrupted run goes on. */
#ifndef PV_BASELINE_EPOCHS_H
#define PV_BASELINE_EPOCHS_H

#include "baseline/baseline.h"

typedef struct pv_learnt_rows {
    uint32_t words;
    size_t stride;
    float *rows[2]; /* words x stride each: as words, and as contexts or outputs */
} pv_learnt_rows;

/* Takes up the state of an interrupted run, if there is one: the rows, and epochs, pairs and loss of
 * the report. */
psdvec_status pv_epochs_load(pv_baseline_run *run, const pv_learnt_rows *learnt);
/* Keeps them. */
psdvec_status pv_epochs_save(const pv_baseline_run *run, const pv_learnt_rows *learnt);

#endif
