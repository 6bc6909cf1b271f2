/* Simulation (section 4 of the paper, docs/explanation/simulation.md): simulate_truth.c draws the
 * vectors and residuals, simulate.c the text.
 */
#ifndef PV_DOCUMENT_SIMULATE_H
#define PV_DOCUMENT_SIMULATE_H

#include "base/memory.h"

/* Stream numbers of random numbers. */
enum { PV_DRAW_VECTORS = 0x73696d01, PV_DRAW_RESIDUALS = 0x73696d02, PV_DRAW_WORDS = 0x73696d03 };

typedef struct pv_truth {
    psdvec_context *ctx;
    pv_scope memory;
    psdvec_simulate_options options;
    uint32_t words, dim;    /* n, N */
    size_t tiles, stride;   /* of the words in the table; stride = tiles * PV_SAMPLE_TILE */
    double mu;              /* of the most frequent word; of all words if mu_power is 0 */
    double cut;             /* p_i p_j below which residuals become larger; 0: all have the same
                             * variance */
    double *unigram;        /* n: p, in decreasing order */
    float *p;               /* stride: p as float32; 0 beyond the words */
    float *vectors;         /* n x N, row-major */
    float *eigenvalues;     /* N: by magnitude, with the signs of J */
    bool residuals;         /* there are residuals */
    double *before, *after; /* n: a_ij = deviation_ij * normal + before_i + after_j */
    float *table;           /* n x stride: exp(v_i' J v_j + a_ij); NULL after pv_truth_drop_table */
    double *ends;           /* n x tiles: sums of tiles after each word; NULL if the window > 1 */
    double *start;          /* tiles: the same for p alone */
    double entropy, entropy_rate;
    uint32_t rounds;
} pv_truth;

/* Draws and adjusts everything, and computes the table. The caller frees it, even after a
 * failure. */
psdvec_status pv_truth_make(psdvec_context *ctx, const psdvec_simulate_options *options,
                            pv_truth *truth);
void pv_truth_free(pv_truth *truth);
/* Frees the table. */
void pv_truth_drop_table(pv_truth *truth);
/* mu_i of the prior of the vector of word i. */
double pv_truth_mu(const pv_truth *truth, uint32_t i);
/* The standard deviation with which the residual of words i and j is drawn. */
double pv_truth_residual_deviation(const pv_truth *truth, uint32_t i, uint32_t j);
/* Row i of the residuals: n numbers. */
void pv_truth_residuals(const pv_truth *truth, uint32_t i, float *row);

/* Names of words: letters only, all of the same length, so that the byte offset of every word in
 * the text is known in advance. */
size_t pv_name_length(uint32_t words);
void pv_name_write(uint32_t word, size_t length, char *to);

/* ---- Drawing a word -----------------------------------------------------------------------------
 *
 * A word is drawn from p_j times a product of rows of a table.
 *
 * The words are divided into tiles of 64. pv_sample_ends sums the weights of every tile,
 *
 *     w_j = p_j  prod_k rows[k][j]        ends[t] = sum of w over tiles 0 .. t
 *
 * and pv_sample_find converts a number between 0 and 1 into a word: it finds the tile by bisection,
 * then the word in it. No exponential is computed, because the table holds exp(G), and no weights
 * are stored, because those of one tile are quick to recompute. Sums are taken in a fixed order, so
 * the same numbers give the same words everywhere. */
enum { PV_SAMPLE_TILE = 64 };

/* p and each row: tiles * PV_SAMPLE_TILE numbers, none negative; p is 0 after the last word. ends:
 * tiles. If count is 0, the weights are p. */
void pv_sample_ends(const float *p, const float *const *rows, size_t count, size_t tiles,
                    double *ends);

/* False if the weights exceed the range of single precision: their sum is infinite, or so small
 * that underflow may have changed it. */
static inline int pv_sample_holds(const double *ends, size_t tiles)
{
    double all = ends[tiles - 1];
    return all > 1e-24 && all < 1e30;
}

/* The word selected by `unit` in [0, 1), and its probability. */
size_t pv_sample_find(const float *p, const float *const *rows, size_t count, size_t tiles,
                      const double *ends, double unit, double *probability);

/* Both steps with logarithms in double precision, slower, for weights that exceed the range of
 * single precision. `scratch`: tiles * PV_SAMPLE_TILE. */
size_t pv_sample_careful(const float *p, const float *const *rows, size_t count, size_t tiles,
                         double unit, double *scratch, double *probability);

#endif
