/* The fixed point for the Dirichlet prior. */
#include "topic/alpha.h"

#include "topic/mixtures.h"

#include <math.h>

enum { MOST_STEPS = 100, NEWTON_STEPS = 6 };
#define TOLERANCE 1e-4
/* Smaller values are those of topics that no document has. */
#define LEAST_ALPHA 1e-3
#define MOST_ALPHA 1e3

/* The recurrence, and then an asymptotic series, as in pv_digamma. */
double pv_trigamma(double x)
{
    double shift = 0;
    /* NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter) ; steps by exactly one */
    for (; x < 8; x++)
        shift += 1 / (x * x);
    double r = 1 / (x * x);
    return shift + 1 / x + r / 2 +
           r / x * (1. / 6 - r * (1. / 30 - r * (1. / 42 - r * (1. / 30 - r * 5 / 66))));
}

double pv_digamma_inverse(double y)
{
    /* Within a few percent (Minka 2000, appendix C). */
    double x = y >= -2.22 ? exp(y) + 0.5 : -1 / (y - pv_digamma(1));
    for (int step = 0; step < NEWTON_STEPS; step++)
        x -= (pv_digamma(x) - y) / pv_trigamma(x);
    return x;
}

void pv_alpha_fit(psdvec_topic_fit_alpha how, const double *sums, double documents, uint32_t first,
                  uint32_t topics, double *alpha)
{
    double mean = 0;
    if (how == PSDVEC_TOPIC_FIT_ALPHA_NO || topics <= first || !(documents > 0))
        return;
    for (uint32_t k = first; k < topics; k++)
        mean += sums[k] / documents / (topics - first);
    for (int step = 0; step < MOST_STEPS; step++) {
        double total = 0, change = 0, common = 0;
        for (uint32_t k = 0; k < topics; k++)
            total += alpha[k];
        double base = pv_digamma(total);
        if (how == PSDVEC_TOPIC_FIT_ALPHA_COMMON)
            common = pv_digamma_inverse(base + mean);
        for (uint32_t k = first; k < topics; k++) {
            double next = how == PSDVEC_TOPIC_FIT_ALPHA_COMMON
                              ? common
                              : pv_digamma_inverse(base + sums[k] / documents);
            next = fmin(fmax(next, LEAST_ALPHA), MOST_ALPHA);
            change = fmax(change, fabs(next - alpha[k]) / next);
            alpha[k] = next;
        }
        if (change < TOLERANCE)
            break;
    }
}
