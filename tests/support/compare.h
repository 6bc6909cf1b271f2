/* Problems to solve with two methods, and the distance between two solutions. */
#ifndef TESTS_COMPARE_H
#define TESTS_COMPARE_H

#include "support/dense_model.h"
#include "support/scratch.h"

/* ---- Random numbers -------------------------------------------------------------------------- */
double dice_normal(dice *d);
double dice_poisson(dice *d, double mean);

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Whole counts that look like a text's: about `pairs` of them in all, words by Zipf's law, some
 * pairs liking and some avoiding each other, the directions unlike, many pairs never seen. By
 * falling frequency; the last words may have no pair at all. */
dense_counts random_counts(dice *d, size_t words, double pairs);

/* Counts whose targets are exactly V V' between any two of the first n of n + 1 words: smoothed
 * ones with this kappa, or with kappa 0 plain PMI. The last word takes up what the others leave
 * of the margins. The unigram probabilities of the n words fall by Zipf's law and add up to 1/2,
 * so products must be above log kappa and, on the average, below log 2. V: n x rank. */
dense_counts exact_counts(size_t n, size_t rank, const double *V, double kappa, double pairs);

/* The same text again: every count drawn from Poisson's distribution around it. */
dense_counts sampled_counts(dice *d, const dense_counts *expected);

/* A counts file that says the same to 1/scale (1 for whole counts; 0: the importer's choice),
 * through Matrix Market. Words are w0, w1, ... Aborts if it cannot be made. */
void write_counts(psdvec_context *ctx, const dense_counts *counts, uint64_t scale,
                  const char *folder, const char *output);

/* ---- Distances ------------------------------------------------------------------------------- */

/* Sine of the largest angle between the spaces that the columns span; 1 if their dimensions
 * differ. A: n x a, B: n x b, row-major. Columns that are next to nothing do not count. */
double subspace_distance(size_t n, size_t a, const double *A, size_t b, const double *B);

double largest_difference(size_t count, const double *a, const double *b);
double largest_magnitude(size_t count, const double *a);

/* Largest difference of any v_i' J v_j between two sets of n vectors. */
double product_difference(size_t n, size_t rank_a, const double *A, const double *sign_a,
                          size_t rank_b, const double *B, const double *sign_b);

/* Root of the mean square of V J V' - X over pairs i != j. X: n x n. */
double product_error(size_t n, size_t rank, const double *V, const double *sign, const double *X);

#endif
