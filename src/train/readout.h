/* The read-out, computed when the vectors are complete.
 *
 *     u_i = (v_i - mean of all v) |eigenvalues|^(readout_power - 0.5), scaled to length 1
 *     a_i = the order vector of the word (solve/order.h) less the mean of all, scaled to
 *           length 1, times `order`
 *     r_i = (u_i, a_i) projected on its `dim` principal directions, scaled to length 1;
 *           a_i uses the first 256 directions of v, or all if there are fewer
 *     r_i of inflected forms are pooled with share `inflections` (spelling/pooling.h)
 *     read-out = r_i + spelling * s_i,  s_i the vector derived from spelling (spelling/spelling.h)
 *
 * For a word without any pair, v_i and the order vector are zero, and so are u_i and a_i.
 *
 * The first and the last line correspond to the posterior under a prior with a mean; the second
 * adds what a symmetric model cannot represent. docs/explanation/model.md explains why.
 */
#ifndef PV_TRAIN_READOUT_H
#define PV_TRAIN_READOUT_H

#include "link/link.h"
#include "sparse/division.h"
#include "spelling/spelling.h"

typedef struct pv_readout {
    pv_scope memory;
    float *vectors; /* words x dim; NULL: the model has no separate read-out */
    float *mean;    /* dim; NULL: zeros */
    float *scale;   /* dim: factors of the columns of v; NULL: ones */
    float *map; /* dim x dim: from v less the mean to r, but for its length; NULL: the identity */
    pv_spelling *spelling;
} pv_readout;

/* V: link->words x dim; eigenvalues: dim. The result is freed by pv_readout_free, also after a failure. With a
 * division of the words among the members of a group, all members call it, and only the leader gets
 * the result; the others need V only for word order, and only the rows of their words. */
psdvec_status pv_readout_make(const pv_link *link, const float *V, const float *eigenvalues,
                              uint32_t dim, const pv_division *division, pv_readout *out);
void pv_readout_free(pv_readout *readout);

bool pv_readout_wanted(const psdvec_train_options *options);
/* Memory while it is computed, besides V, and bytes in the file. */
uint64_t pv_readout_bytes(const psdvec_train_options *options, const psdvec_counts *counts,
                          uint64_t dim, const pv_division *division, int threads);
uint64_t pv_readout_file_bytes(const psdvec_train_options *options, uint64_t words, uint64_t dim);

#endif
