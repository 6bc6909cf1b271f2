/* Fitting the Dirichlet prior of the mixtures to the documents (docs/explanation/topics.md).
 *
 * The terms of the bound that depend on alpha are
 *
 *     D (log Gamma(sum_k alpha_k) - sum_k log Gamma(alpha_k)) + sum_k alpha_k S_k
 *     S_k = sum over D documents of E log theta_k
 *
 * They are maximised by the fixed point of Minka (2000), digamma(alpha_k) = digamma(sum_l alpha_l) +
 * S_k / D. No step lowers them.
 */
#ifndef PV_TOPIC_ALPHA_H
#define PV_TOPIC_ALPHA_H

#include <psdvec/psdvec.h>

/* The second derivative of log Gamma(x), for x > 0. */
double pv_trigamma(double x);
/* The x whose digamma is y. */
double pv_digamma_inverse(double y);

/* Improves alpha[first .. topics - 1]; those before `first` do not change. `sums`: S. */
void pv_alpha_fit(psdvec_topic_fit_alpha how, const double *sums, double documents, uint32_t first,
                  uint32_t topics, double *alpha);

#endif
