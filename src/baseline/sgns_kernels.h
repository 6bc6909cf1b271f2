/* Negative sampling on a group of pairs: logits, slopes, steps.
 *
 * A group is up to eight pairs (row of the first matrix, row of the second: the observed word) that
 * share their noise words, rows of the second matrix (after Ji, Satish, Li and Dubey,
 * "Parallelizing word2vec in shared and distributed memory", 2016). So a noise row is loaded once
 * for eight pairs, and the computations are small matrix products.
 *
 *     logits   f = x_i . y_s            s: the observed word (slot 0), then the noise words
 *     slopes   g = rate (label - sigmoid(f)), 0 for noise that is the observed word
 *     update   x_i += sum_s g y_s,  y_s += sum_i g x_i
 *
 * There are portable versions and ones for AVX2 with FMA, which rounds differently; the kernels of
 * one machine always give the same bits.
 */
#ifndef PV_BASELINE_SGNS_KERNELS_H
#define PV_BASELINE_SGNS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PV_SGNS_GROUP = 8 };
#define PV_SGNS_NOBODY UINT32_MAX

/* Rows are padded with zeros to complete cache lines. */
static inline size_t pv_sgns_stride(size_t dim)
{
    return (dim + 15) / 16 * 16;
}

/* Elements for the slots of one pair: 1 + negative, padded for stores of eight. */
static inline size_t pv_sgns_width(size_t negative)
{
    return ((negative + 6) / 6 * 6 + 2 + 7) / 8 * 8;
}

typedef struct pv_sgns_space {
    float *in, *out; /* rows of `stride` floats, 64-byte aligned */
    size_t stride;
    uint32_t negative; /* number of noise words of a group */
    size_t width;      /* pv_sgns_width */
} pv_sgns_space;

typedef struct pv_sgns_group {
    uint32_t pairs;                 /* 1 to PV_SGNS_GROUP */
    uint32_t in[PV_SGNS_GROUP];     /* rows of the first matrix */
    uint32_t target[PV_SGNS_GROUP]; /* rows of the second: the observed words */
    uint32_t *slot; /* width: [1] to [negative] are the noise words, the others are unused */
} pv_sgns_group;

typedef struct pv_sgns_kernels {
    const char *name;
    /* f: PV_SGNS_GROUP x width. Prefetches rows of `next`, which may be `group`. */
    void (*logits)(const pv_sgns_space *space, const pv_sgns_group *group,
                   const pv_sgns_group *next, float *f);
    /* f becomes g, in place. */
    void (*slopes)(const pv_sgns_space *space, const pv_sgns_group *group, float rate, float *f);
    /* Rows may occur in a group more than once. scratch: PV_SGNS_GROUP x stride. */
    void (*update)(const pv_sgns_space *space, const pv_sgns_group *group, const float *g,
                   float *scratch);
    /* e[in] = sum_s g y_s for the group's rows of `in`; nothing else changes. */
    void (*errors)(const pv_sgns_space *space, const pv_sgns_group *group, const float *g,
                   float *e);
    /* y += a x, with `stride` elements. */
    void (*add)(float a, const float *x, size_t stride, float *y);
    /* y += a[0] x[0] + a[step] x[1] + ..., with n rows of x, at most PV_SGNS_GROUP. */
    void (*add_rows)(const float *a, size_t step, const float *x, size_t n, size_t stride,
                     float *y);
    /* y = a (x[rows[0]] + x[rows[1]] + ...), with n rows; added to y if `begun`. */
    void (*sum)(const float *x, const uint32_t *rows, size_t n, float a, size_t stride, bool begun,
                float *y);
} pv_sgns_kernels;

extern const pv_sgns_kernels pv_sgns_kernels_plain;
const pv_sgns_kernels *pv_sgns_kernels_best(void);

/* Logistic function as the kernels compute it, to about 1e-7. */
float pv_sgns_sigmoid(float f);
/* The loss of a group, from its logits: sum of -log sigmoid(f) and -log sigmoid(-f). */
double pv_sgns_loss(const pv_sgns_space *space, const pv_sgns_group *group, const float *f);

#endif
