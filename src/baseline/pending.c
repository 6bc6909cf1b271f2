/* Systems that are not there yet. */
#include "baseline/baseline.h"

#define PENDING(name)                                                                              \
    psdvec_status name(pv_baseline_run *run, const psdvec_counts *counts)                          \
    {                                                                                              \
        (void)counts;                                                                              \
        return pv_fail(run->ctx, PSDVEC_ERR_INTERNAL, #name);                                      \
    }
PENDING(pv_baseline_glove)
psdvec_status pv_baseline_word2vec(pv_baseline_run *run)
{
    return pv_fail(run->ctx, PSDVEC_ERR_INTERNAL, "word2vec");
}
