/* Sums of exponentials over a range of the vocabulary: the inner loop of log Z.
 *
 * For every word, z = log p + T s. Wanted are the largest z and the sum of exp(z - largest), and,
 * to fit T, the sums of the same times s and s^2, which cost next to nothing. In float32, in 16 partial sums that are added up in
 * a fixed order, so that the twin for AVX2 gives the same bits as that in plain C.
 */
#ifndef PV_DOCUMENT_EXP_SUMS_H
#define PV_DOCUMENT_EXP_SUMS_H

#include <stddef.h>

enum { PV_EXP_LANES = 16 };

typedef struct pv_exp_sums {
    float largest;               /* -INFINITY: there was no word */
    double sum, scored, squared; /* of exp(z - largest): times 1, s and s^2 */
} pv_exp_sums;

/* s[k] += slope * shift[k] first, if `shift` is not NULL. `n` at most 4096, so that
 * single precision does for a sum. */
typedef void pv_exp_sums_fn(float *s, const float *log_p, const float *shift, float slope,
                            float temperature, size_t n, pv_exp_sums *out);
pv_exp_sums_fn pv_exp_sums_reference;
/* The fastest of this machine. */
pv_exp_sums_fn *pv_exp_sums_best(void);

/* `more` added to `sums`. */
void pv_exp_sums_add(pv_exp_sums *sums, const pv_exp_sums *more);

#endif
