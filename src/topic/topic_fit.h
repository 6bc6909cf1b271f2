/* Fitting topics to expected counts: the M-step (docs/explanation/topics.md).
 *
 * Given the expected counts n_kw of the words of each topic, the vector t_k and the residuals a_kw
 * maximise the concave function
 *
 *     sum_w n_kw (f_w' t_k + a_kw) - m_k log Z_k - lambda/2 |t_k|^2 - tau/2 sum_w a_kw^2
 *     Z_k = sum_w p_w exp(f_w' t_k + a_kw)      m_k = sum_w n_kw
 *
 * The features f are the word vectors, centred and rotated to the principal axes of their covariance
 * under p, where they are scaled to variance 1. So the Hessian at t = 0 is m_k I plus the prior, and
 * steps along the gradient divided by it are good Newton steps. Vectors and residuals take turns.
 * Along each direction, a step that does not increase the function is shortened.
 */
#ifndef PV_TOPIC_FIT_H
#define PV_TOPIC_FIT_H

#include "topic/mixtures.h"

/* The words. */
typedef struct pv_topic_space {
    pv_scope memory;
    uint32_t words, dim;
    float *features; /* words x dim */
    float *log_base; /* words: log p */
    double *scale;   /* dim: the standard deviation along each axis */
    double *axes;    /* dim x dim: an axis per row */
} pv_topic_space;

/* `base`: p, which sums to 1. The caller stores the word vectors in `features` and calls
 * pv_topic_space_prepare. The caller frees the space in any case. */
psdvec_status pv_topic_space_init(pv_topic_space *s, psdvec_context *ctx, uint32_t words,
                                  uint32_t dim, const double *base);
psdvec_status pv_topic_space_prepare(pv_topic_space *s, const double *base);
void pv_topic_space_free(pv_topic_space *s);

/* The topics. Matrices with a row per word have `stride` columns, one per topic. */
typedef struct pv_topic_fit {
    pv_scope memory;
    const pv_topic_space *space;
    uint32_t topics;
    size_t stride;
    double lambda, tau; /* tau: INFINITY without residuals */
    double radius;
    bool null_topic;  /* topic 0 stays at p */
    float *vectors;   /* dim x stride: t, by axis */
    float *residuals; /* words x stride: a; NULL without residuals */
    float *beta;      /* words x stride: P(word | topic) */
    float *counts;    /* words x stride: n */
    /* Temporary */
    float *logits;    /* words x stride: log p + f't + a */
    float *direction; /* words x stride: the change of the logits for a full step */
    float *partial;   /* tiles x dim x stride */
    float *towards;   /* dim x stride: the change of the vectors for a full step */
    double *log_z;    /* stride */
    float *mass;      /* stride: m */
    float *pace;      /* stride: the step of each topic, 0 to 1 */
    float *sums;      /* tiles x 2 x stride */
    double *slopes;   /* tiles x 3 x stride */
    double *work;     /* 3 x stride */
    bool moves_residuals;
} pv_topic_fit;

/* All topics begin at p. The caller frees it in any case. */
psdvec_status pv_topic_fit_init(pv_topic_fit *f, const pv_topic_space *space,
                                const psdvec_topic_options *options);
void pv_topic_fit_free(pv_topic_fit *f);

/* Computes beta from the vectors, which are shortened to the radius, and residuals. */
psdvec_status pv_topic_fit_start(pv_topic_fit *f);
/* Computes beta from the logits and log_z, which with the vectors and residuals are the state of a
 * fit between two improvements. */
psdvec_status pv_topic_fit_resume(pv_topic_fit *f);
/* Improves the vectors and residuals for the counts, in `steps` rounds, and computes beta. */
psdvec_status pv_topic_fit_improve(pv_topic_fit *f, unsigned steps);
/* Sets `towards` to the gradient of the function for the counts with respect to the vectors. */
psdvec_status pv_topic_fit_gradient(pv_topic_fit *f);
/* The logarithm of the priors, without constants. */
double pv_topic_fit_prior(const pv_topic_fit *f);
/* The length of column k of `vectors` (dim x stride) in the space of the word vectors. */
double pv_topic_length(const pv_topic_fit *f, const float *vectors, uint32_t k);
/* How far a vector of this length may move in a step. */
double pv_topic_longest_step(double length);
/* The vector of a topic (dim) in the space of the word vectors. */
void pv_topic_fit_vector(const pv_topic_fit *f, uint32_t topic, float *vector);

#endif
