/* TopicVec (Li, Chua, Zhu and Miao 2016) in its simplest form: the published updates, one token at a
 * time, dense matrices, double precision. Topics of the preset `topicvec` must agree with it. It
 * shares no code with the library. The numbers of equations are those of the paper, except that
 * the signs of the derivative of r, which eq. 16 has reversed, are right here.
 *
 * Matrices are row-major. Cost: tokens x topics x dim, and words x topics x dim per step.
 */
#ifndef TESTS_DENSE_TOPICVEC_H
#define TESTS_DENSE_TOPICVEC_H

#include <stddef.h>
#include <stdint.h>

typedef struct dense_topicvec {
    size_t words, dim, topics, documents;
    const float *v;          /* words x dim */
    const double *u;         /* words: unigram probabilities */
    const double *alpha;     /* topics */
    const uint32_t *tokens;  /* of all documents */
    const size_t *begin;     /* documents + 1: the first token of each */
    double gamma;            /* radius */
    double rate, rate_words; /* lambda_0, and L_0 or 0 */
    double *t;               /* topics x dim; topic 0 is 0 */
    double *r, *m;           /* topics: r by eq. 5; expected number of tokens */
    double *theta;           /* documents x topics */
    double *pi;              /* tokens x topics */
    unsigned steps;          /* that were taken */
} dense_topicvec;

/* theta = 1, and memory for the rest; the members from `v` to `t` are set by the caller first. */
void dense_topicvec_start(dense_topicvec *d);
void dense_topicvec_free(dense_topicvec *d);
/* pi by eq. 13 and theta by eq. 14, once. */
void dense_topicvec_expect(dense_topicvec *d);
/* The derivative of the bound with respect to t_k (dim). */
void dense_topicvec_gradient(const dense_topicvec *d, size_t k, double *gradient);
/* A gradient step of all topics, shortened to a fifth of the length of t_k. Returns the length of
 * the change. */
double dense_topicvec_step(dense_topicvec *d);
/* The bound of eq. 12 with all its terms, for the current t, theta and pi. */
double dense_topicvec_bound(const dense_topicvec *d);

#endif
