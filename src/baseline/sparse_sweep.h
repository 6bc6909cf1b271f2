/* The inner loop of sparse coding: coordinate descent on the codes of one word, with the residual
 * r = x - sum of a_j d_j at hand.
 *
 * A step on atom j needs the product of r and d_j, and changes r by a multiple of d_j: both rows
 * are short enough for the nearest caches, so no matrix of products between atoms is needed. Both
 * twins add up in the same order, without FMA: the same bits.
 */
#ifndef PV_BASELINE_SPARSE_SWEEP_H
#define PV_BASELINE_SPARSE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of atoms and residuals are padded with zeros to a multiple of this. */
enum { PV_ATOM_PAD = 8 };

/* Atoms: a dictionary, atom by atom. */
typedef struct pv_atoms {
    uint32_t count, dim;
    size_t stride; /* dim, padded */
    float *rows;   /* count x stride */
    float *square; /* count: squared lengths; 0: the atom is not used */
} pv_atoms;

typedef struct pv_sweep_kernels {
    const char *name;
    /* One step for each of the atoms listed[0..count), in that order. code: of all atoms; r: stride
     * numbers. `half`: half of the penalty of a code; `ridge`: penalty of its square, for atoms of
     * length 1. Returns the largest square of a step, times that of the length of its atom. */
    float (*sweep)(const pv_atoms *atoms, const uint32_t *listed, size_t count, float half,
                   float ridge, bool nonnegative, float *code, float *r);
    /* y += sum of factor[t] times atom column[t] */
    void (*add)(const pv_atoms *atoms, const uint32_t *column, const float *factor, size_t count,
                float *y);
    /* y (n numbers, lying anywhere) += factor x */
    void (*add_row)(const float *x, float factor, size_t n, float *y);
} pv_sweep_kernels;

extern const pv_sweep_kernels pv_sweep_plain;
/* The fastest of this machine. */
const pv_sweep_kernels *pv_sweep_best(void);

#endif
