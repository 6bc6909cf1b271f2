/* The published updates of TopicVec, written down directly. */
#include "support/dense_topicvec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double digamma(double x)
{
    double sum = 0;
    for (; x < 40; x += 1)
        sum -= 1 / x;
    return sum + log(x) - 1 / (2 * x) - 1 / (12 * x * x) + 1 / (120 * pow(x, 4));
}

static double product(const dense_topicvec *d, size_t word, size_t k)
{
    double sum = 0;
    for (size_t i = 0; i < d->dim; i++)
        sum += (double)d->v[word * d->dim + i] * d->t[k * d->dim + i];
    return sum;
}

/* eq. 5 */
static void find_r(dense_topicvec *d)
{
    for (size_t k = 0; k < d->topics; k++) {
        double sum = 0;
        for (size_t w = 0; w < d->words; w++)
            sum += d->u[w] * exp(product(d, w, k));
        d->r[k] = -log(sum);
    }
}

static double *numbers(size_t count)
{
    double *result = calloc(count, sizeof *result);
    if (!result)
        abort();
    return result;
}

void dense_topicvec_start(dense_topicvec *d)
{
    d->r = numbers(d->topics);
    d->m = numbers(d->topics);
    d->theta = numbers(d->documents * d->topics);
    d->pi = numbers(d->begin[d->documents] * d->topics);
    d->steps = 0;
    for (size_t i = 0; i < d->documents * d->topics; i++)
        d->theta[i] = 1;
    find_r(d);
}

void dense_topicvec_free(dense_topicvec *d)
{
    free(d->r);
    free(d->m);
    free(d->theta);
    free(d->pi);
}

void dense_topicvec_expect(dense_topicvec *d)
{
    size_t topics = d->topics;
    memset(d->m, 0, topics * sizeof *d->m);
    for (size_t i = 0; i < d->documents; i++) {
        double *theta = d->theta + i * topics, *sums = numbers(topics);
        for (size_t j = d->begin[i]; j < d->begin[i + 1]; j++) {
            double *pi = d->pi + j * topics, total = 0;
            for (size_t k = 0; k < topics; k++)
                total += pi[k] = exp(digamma(theta[k]) + product(d, d->tokens[j], k) + d->r[k]);
            for (size_t k = 0; k < topics; k++)
                sums[k] += pi[k] /= total;
        }
        for (size_t k = 0; k < topics; k++) {
            theta[k] = sums[k] + d->alpha[k];
            d->m[k] += sums[k];
        }
        free(sums);
    }
}

void dense_topicvec_gradient(const dense_topicvec *d, size_t k, double *gradient)
{
    memset(gradient, 0, d->dim * sizeof *gradient);
    for (size_t j = 0; j < d->begin[d->documents]; j++)
        for (size_t i = 0; i < d->dim; i++)
            gradient[i] += d->pi[j * d->topics + k] * (double)d->v[d->tokens[j] * d->dim + i];
    for (size_t w = 0; w < d->words; w++)
        for (size_t i = 0; i < d->dim; i++)
            gradient[i] -= d->m[k] * exp(d->r[k]) * d->u[w] * exp(product(d, w, k)) *
                           (double)d->v[w * d->dim + i];
}

static double length(const double *x, size_t n)
{
    double square = 0;
    for (size_t i = 0; i < n; i++)
        square += x[i] * x[i];
    return sqrt(square);
}

double dense_topicvec_step(dense_topicvec *d)
{
    double tokens = (double)d->begin[d->documents], rate = d->rate / (++d->steps + 1), change = 0;
    double *step = numbers(d->dim);
    if (d->rate_words > 0 && tokens > d->rate_words)
        rate *= d->rate_words / tokens;
    for (size_t k = 1; k < d->topics; k++) {
        double *t = d->t + k * d->dim, size = length(t, d->dim);
        dense_topicvec_gradient(d, k, step);
        double share = rate * length(step, d->dim) / (size < 0.01 ? 1 : size);
        for (size_t i = 0; i < d->dim; i++)
            step[i] = t[i] + rate * step[i] * (share > 0.2 ? 0.2 / share : 1);
        size = length(step, d->dim);
        for (size_t i = 0; i < d->dim; i++) {
            double to = step[i] * (size > d->gamma ? d->gamma / size : 1);
            change += (to - t[i]) * (to - t[i]);
            t[i] = to;
        }
    }
    free(step);
    find_r(d);
    return sqrt(change);
}

double dense_topicvec_bound(const dense_topicvec *d)
{
    double bound = 0, prior = 0, prior_gammas = 0;
    for (size_t k = 0; k < d->topics; k++) {
        prior += d->alpha[k];
        prior_gammas += lgamma(d->alpha[k]);
    }
    for (size_t i = 0; i < d->documents; i++) {
        const double *theta = d->theta + i * d->topics;
        double total = 0;
        for (size_t k = 0; k < d->topics; k++)
            total += theta[k];
        bound += lgamma(prior) - prior_gammas; /* E log p(phi), with the terms of the loop */
        bound -= lgamma(total);                /* the entropy of phi, likewise */
        for (size_t k = 0; k < d->topics; k++) {
            double log_phi = digamma(theta[k]) - digamma(total);
            bound += (d->alpha[k] - 1) * log_phi;
            bound += lgamma(theta[k]) - (theta[k] - 1) * log_phi;
            for (size_t j = d->begin[i]; j < d->begin[i + 1]; j++) {
                double pi = d->pi[j * d->topics + k];
                if (pi > 0)
                    bound += pi * (log_phi + log(d->u[d->tokens[j]]) + d->r[k] +
                                   product(d, d->tokens[j], k) - log(pi));
            }
        }
    }
    return bound;
}
