/* One step of AdaGrad on one cell of the matrix, many times over: the inner loop of GloVe, in plain
 * C and for AVX2. Both give the same bits.
 *
 * A word, and likewise a context, is one row of `stride` numbers, all that a step touches:
 *
 *     0               padded           2 padded
 *     | vector, zeros | squares, zeros | bias, square | unused |
 *
 * where a square is the sum of the squared steps so far. AdaGrad divides by the root of 1 + square;
 * kept without the 1, a sum of small squares loses none of them to rounding, as single precision
 * would lose what is below 6e-8.
 */
#ifndef PV_BASELINE_GLOVE_KERNELS_H
#define PV_BASELINE_GLOVE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Gradients of vectors are held within +-PV_GLOVE_CLIP. */
#define PV_GLOVE_CLIP 100.0F

typedef struct pv_glove_shape {
    size_t padded; /* numbers of a vector, up to a multiple of 8 */
    size_t stride; /* of a row: whole lines of a cache, padded / 8 + 1 of them */
    float rate;
} pv_glove_shape;

pv_glove_shape pv_glove_shape_of(size_t dim, double rate);

typedef struct pv_glove_cell {
    uint32_t context;
    float target; /* log x */
    float weight; /* f(x) */
} pv_glove_cell;

/* Steps on `count` cells of one word, in their order. `contexts`: all rows of contexts. Of
 * cells[count], which must exist, the row is asked for, as is `next`, the row of the word to come;
 * nothing is read of them. Returns the sum of the costs, each from before its step. */
typedef double pv_glove_steps_fn(const pv_glove_shape *shape, float *word, float *contexts,
                                 const pv_glove_cell *cells, size_t count, const float *next);

pv_glove_steps_fn pv_glove_steps_plain;
/* The fastest of this machine. */
pv_glove_steps_fn *pv_glove_steps_best(void);

#endif
