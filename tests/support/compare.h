/* Problems to solve with two methods, and the distance between two solutions. */
#ifndef TESTS_COMPARE_H
#define TESTS_COMPARE_H

#include "support/dense_model.h"
#include "support/scratch.h"

/* ---- Random numbers -------------------------------------------------------------------------- */
double dice_normal(dice *d);
double dice_poisson(dice *d, double mean);

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Integer counts that resemble those of a text: about `pairs` in total, words by Zipf's law, some
 * pairs attract and some repel each other, the directions differ, many pairs are never seen. By
 * decreasing frequency; the last words may have no pairs. */
dense_counts random_counts(dice *d, size_t words, double pairs);

/* Counts whose targets are exactly V V' between any two of the first n of n + 1 words: smoothed
 * targets with this kappa, or PMI if kappa is 0. The last word receives the rest of the margins.
 * The unigram probabilities of the n words follow Zipf's law and sum to 1/2, so products must be
 * above log kappa and, on average, below log 2. V: n x rank. */
dense_counts exact_counts(size_t n, size_t rank, const double *V, double kappa, double pairs);

/* Another text from the same source: every count is drawn from the Poisson distribution around
 * it. */
dense_counts sampled_counts(dice *d, const dense_counts *expected);

/* Writes a counts file with these counts rounded to 1/scale (1 for integers; 0: the importer's
 * choice), through Matrix Market. Words are w0, w1, ... Aborts on failure. */
void write_counts(psdvec_context *ctx, const dense_counts *counts, uint64_t scale,
                  const char *folder, const char *output);

/* ---- Distances ------------------------------------------------------------------------------- */

/* The sine of the largest angle between the spaces spanned by the columns; 1 if their dimensions
 * differ. A: n x a, B: n x b, row-major. Columns that are nearly 0 are ignored. */
double subspace_distance(size_t n, size_t a, const double *A, size_t b, const double *B);

double largest_difference(size_t count, const double *a, const double *b);
double largest_magnitude(size_t count, const double *a);

/* The largest difference of any v_i' J v_j between two sets of n vectors. */
double product_difference(size_t n, size_t rank_a, const double *A, const double *sign_a,
                          size_t rank_b, const double *B, const double *sign_b);

/* The root mean square of V J V' - X over pairs i != j. X: n x n. */
double product_error(size_t n, size_t rank, const double *V, const double *sign, const double *X);

#endif
