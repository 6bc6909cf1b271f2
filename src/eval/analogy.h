/* Answers many analogies at once (a is to b as c is to which word?) by 3CosAdd and 3CosMul,
 *
 *     cos(x,b) - cos(x,a) + cos(x,c)     (cos(x,b)+s) (cos(x,c)+s) / (cos(x,a)+s+0.001)
 *
 * with s = 1, or s = 0 for explicit PPMI vectors (pv_model_explicit), over all words x except a, b
 * and c; of ties the earlier word.
 *
 * Both are computed from one matrix product: the cosines of the questions' words, each once, with a
 * block of candidates. Blocks are the tasks of the workers.
 *
 *              block of candidates                   a group of questions with the same a, b
 *            ┌────────────────────┐                   reads its rows a and b once, and then
 *     words  │  cosines, by sgemm │  ──►  scores ──►  one row c for each question
 *            └────────────────────┘
 *
 * For sparse vectors the cosines are computed by sparse_block.h; the rest is the same.
 */
#ifndef PV_EVAL_ANALOGY_H
#define PV_EVAL_ANALOGY_H

#include "base/progress.h"
#include "eval/sparse_block.h"
#include "model/vector_set.h"

typedef struct pv_analogy {
    uint32_t a, b, c;     /* rows of `units` */
    uint32_t excluded[3]; /* excluded candidates: a, b, c; UINT32_MAX: none */
    uint32_t add, mul;    /* the answers; UINT32_MAX: there is no candidate */
} pv_analogy;

/* The vectors of the questions and the candidates, dense or sparse. */
typedef struct pv_analogy_space {
    pv_vector_set rows;                 /* of any length; the candidates are the first of them */
    const float *units;                 /* of length 1, words x dim */
    const pv_csr *sparse;               /* instead of rows, or NULL */
    const pv_sparse_unit *sparse_units; /* instead of units */
    uint32_t candidates, words, dim;
    float shift; /* s */
} pv_analogy_space;

/* `progress` may be NULL, and advances by `count` questions. */
psdvec_status pv_analogies_answer(psdvec_context *ctx, const pv_analogy_space *space,
                                  pv_analogy *questions, size_t count, pv_progress *progress);

/* ---- The inner loops, fast and plain; both give the same bits ----------------------------------
 *
 * Questions with the same a and b share two rows, which are computed once:
 *
 *     sum   = cos(x,b) - cos(x,a)                     3CosAdd: sum + cos(x,c)
 *     ratio = (cos(x,b) + s) / (cos(x,a) + s + 0.001)    3CosMul: ratio * (cos(x,c) + s)
 *
 * so a question costs one pass over cos(x,c). The pass finds the largest scores; their positions
 * are searched for only if they exceed the best so far, which is rare. */

#define PV_ANALOGY_EPSILON 0.001F

typedef struct pv_analogy_kernels {
    const char *name;
    /* a, b: n cosines each. shift: s, 1 or 0 */
    void (*prepare)(const float *a, const float *b, size_t n, float shift, float *sum,
                    float *ratio);
    /* Raises *add and *mul to the largest scores among n candidates. */
    void (*largest)(const float *sum, const float *ratio, const float *c, size_t n, float shift,
                    float *add, float *mul);
} pv_analogy_kernels;

extern const pv_analogy_kernels pv_analogy_plain;
const pv_analogy_kernels *pv_analogy_kernels_best(void);

static inline float pv_analogy_add(float sum, float c)
{
    return sum + c;
}

static inline float pv_analogy_mul(float ratio, float c, float shift)
{
    return ratio * (c + shift);
}

#endif
