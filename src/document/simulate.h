/* Drawing from the model (section 4 of the paper, docs/simulation.md): simulate_truth.c draws the
 * vectors and residuals, simulate.c the text.
 */
#ifndef PV_DOCUMENT_SIMULATE_H
#define PV_DOCUMENT_SIMULATE_H

#include "base/memory.h"

/* What numbers are drawn for. */
enum { PV_DRAW_VECTORS = 0x73696d01, PV_DRAW_RESIDUALS = 0x73696d02, PV_DRAW_WORDS = 0x73696d03 };

typedef struct pv_truth {
    psdvec_context *ctx;
    pv_scope memory;
    psdvec_simulate_options options;
    uint32_t words, dim;  /* n, N */
    size_t tiles, stride; /* of the words in the table; stride = tiles * PV_SAMPLE_TILE */
    double mu;
    double *unigram;        /* n: p, falling */
    float *p;               /* stride: the same; 0 beyond the words */
    float *vectors;         /* n x N, row-major */
    float *eigenvalues;     /* N: by magnitude, with the signs of J */
    bool residuals;         /* there are any */
    double *before, *after; /* n: a_ij = residual * normal + before_i + after_j */
    float *table;           /* n x stride: exp(v_i' J v_j + a_ij); NULL once it is given back */
    double *ends;           /* n x tiles: sums of tiles behind each word; NULL if the window > 1 */
    double *start;          /* tiles: the same of p alone */
    double entropy, entropy_rate;
    uint32_t rounds;
} pv_truth;

/* Draws and adjusts everything, and makes the table. Free it in either case. */
psdvec_status pv_truth_make(psdvec_context *ctx, const psdvec_simulate_options *options,
                            pv_truth *truth);
void pv_truth_free(pv_truth *truth);
/* The table is no longer needed. */
void pv_truth_drop_table(pv_truth *truth);
/* Row i of the residuals: n numbers. */
void pv_truth_residuals(const pv_truth *truth, uint32_t i, float *row);

/* Names of words: letters only, all of the same length, so that the place of every word in the
 * text is known beforehand. */
size_t pv_name_length(uint32_t words);
void pv_name_write(uint32_t word, size_t length, char *to);

#endif
