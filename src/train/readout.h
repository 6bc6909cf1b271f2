/* The read-out, made when the vectors are done.
 *
 *     u_i = v_i - mean of all v, brought to length 1
 *     a_i = the order vector of the word (solve/order.h) less the mean of all, brought to
 *           length 1, times `order`
 *     r_i = (u_i, a_i) on the `dim` directions in which these numbers vary most, brought to
 *           length 1; a_i sees the first 256 directions of v, or all if they are fewer
 *     read-out = r_i + spelling * s_i,  s_i what the letters of the word say (spelling/spelling.h)
 *
 * Of a word without a single pair v_i and the order vector are zeros, and u_i and a_i are so too.
 *
 * The first and the last line are a prior with a mean, seen from its posterior; the second is
 * what a symmetric model cannot know. docs/explanation/model.md tells why.
 */
#ifndef PV_TRAIN_READOUT_H
#define PV_TRAIN_READOUT_H

#include "link/link.h"
#include "spelling/spelling.h"

typedef struct pv_readout {
    pv_scope memory;
    float *vectors; /* words x dim; NULL: the model has no read-out of its own */
    float *mean;    /* dim; NULL: zeros */
    float *map;     /* dim x dim: from u to r; NULL: the identity */
    pv_spelling *spelling;
} pv_readout;

/* V: link->words x dim. What is made is freed by pv_readout_free, also after a failure. */
psdvec_status pv_readout_make(const pv_link *link, const float *V, uint32_t dim, pv_readout *out);
void pv_readout_free(pv_readout *readout);

bool pv_readout_wanted(const psdvec_train_options *options);
/* Memory while it is made, besides V, and bytes in the file. */
uint64_t pv_readout_bytes(const psdvec_train_options *options, const psdvec_counts *counts,
                          uint64_t dim, int threads);
uint64_t pv_readout_file_bytes(const psdvec_train_options *options, uint64_t words, uint64_t dim);

#endif
