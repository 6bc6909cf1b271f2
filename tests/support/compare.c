/* Problems and distances. */
#include "support/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(bool truth)
{
    if (!truth)
        abort();
}

static double *numbers(size_t count)
{
    double *memory = calloc(count + 1, sizeof *memory);
    need(memory != NULL);
    return memory;
}

/* ---- Random numbers -------------------------------------------------------------------------- */

double dice_normal(dice *d)
{
    double radius = sqrt(-2 * log(1 - dice_unit(d)));
    return radius * cos(6.283185307179586 * dice_unit(d));
}

double dice_poisson(dice *d, double mean)
{
    if (mean > 50)
        return fmax(0, floor(mean + sqrt(mean) * dice_normal(d) + 0.5));
    double count = -1;
    for (double product = 1, floor_at = exp(-mean); product > floor_at; count++)
        product *= 1 - dice_unit(d);
    return fmax(0, count);
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* 1/(rank + 2.7), scaled to the sum `total`. */
static double *zipf(size_t n, double total)
{
    double *p = numbers(n), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += 1 / ((double)i + 2.7);
    for (size_t i = 0; i < n; i++)
        p[i] = total / ((double)i + 2.7) / sum;
    return p;
}

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* Computes frequencies from the margins and sorts words by decreasing frequency. */
static void put_in_order(dense_counts *c)
{
    size_t n = c->words;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            c->frequency[i] += c->x[i * n + j] + c->x[j * n + i];
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < n; j++)
            if (c->frequency[j] > c->frequency[best])
                best = j;
        if (best == i)
            continue;
        swap(&c->frequency[i], &c->frequency[best]);
        for (size_t j = 0; j < n; j++)
            swap(&c->x[i * n + j], &c->x[best * n + j]);
        for (size_t j = 0; j < n; j++)
            swap(&c->x[j * n + i], &c->x[j * n + best]);
    }
}

dense_counts random_counts(dice *d, size_t words, double pairs)
{
    enum { THEMES = 6 };
    dense_counts c = dense_counts_new(words);
    double *p = zipf(words, 1), *theme = numbers(words * THEMES);
    for (size_t i = 0; i < words * THEMES; i++)
        theme[i] = dice_normal(d) * 0.7;
    for (size_t i = 0; i < words; i++)
        for (size_t j = 0; j < words; j++) {
            /* Words attract each other in three topics and repel each other in three, depending on
             * the direction. */
            double g = 0.4 * dice_normal(d);
            for (size_t k = 0; k < THEMES; k++)
                g += (k < 3 ? 1 : -1) * theme[i * THEMES + k] * theme[j * THEMES + k];
            c.x[i * words + j] = dice_poisson(d, pairs * p[i] * p[j] * exp(g));
        }
    put_in_order(&c);
    free(p);
    free(theme);
    return c;
}

dense_counts exact_counts(size_t n, size_t rank, const double *V, double kappa, double pairs)
{
    dense_counts c = dense_counts_new(n + 1);
    double *u = zipf(n, 0.5), rest = pairs * 0.5;
    for (size_t i = 0; i < n; i++) {
        double left = pairs * u[i]; /* the margin of word i in both directions */
        for (size_t j = 0; j < n; j++) {
            double g = 0;
            for (size_t k = 0; k < rank; k++)
                g += V[i * rank + k] * V[j * rank + k];
            if (i == j)
                continue;
            c.x[i * c.words + j] = pairs * u[i] * u[j] * (exp(g) - kappa) / (1 - kappa);
            left -= c.x[i * c.words + j];
            need(c.x[i * c.words + j] > 0);
        }
        need(left > 0);
        c.x[i * c.words + n] = c.x[n * c.words + i] = left;
        c.frequency[i] = pairs * u[i];
        rest -= left;
    }
    need(rest > 0);
    c.x[n * c.words + n] = rest;
    c.frequency[n] = c.frequency[n - 1]; /* that of a word outside the core */
    free(u);
    return c;
}

dense_counts sampled_counts(dice *d, const dense_counts *expected)
{
    dense_counts c = dense_counts_new(expected->words);
    for (size_t ij = 0; ij < c.words * c.words; ij++)
        c.x[ij] = dice_poisson(d, expected->x[ij]);
    memcpy(c.frequency, expected->frequency, c.words * sizeof *c.frequency);
    return c;
}

void write_counts(psdvec_context *ctx, const dense_counts *c, uint64_t scale, const char *folder,
                  const char *output)
{
    char *matrix = scratch_path(folder, "counts.mtx"), *list = scratch_path(folder, "words.txt");
    size_t entries = 0;
    for (size_t ij = 0; ij < c->words * c->words; ij++)
        entries += c->x[ij] > 0;
    FILE *file = fopen(matrix, "w");
    need(file != NULL);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", c->words,
            c->words, entries);
    for (size_t i = 0; i < c->words; i++)
        for (size_t j = 0; j < c->words; j++)
            if (c->x[i * c->words + j] > 0)
                fprintf(file, "%zu %zu %.17g\n", i + 1, j + 1, c->x[i * c->words + j]);
    need(fclose(file) == 0);
    file = fopen(list, "w");
    need(file != NULL);
    for (size_t i = 0; i < c->words; i++)
        fprintf(file, "w%zu %.0f\n", i, c->frequency ? c->frequency[i] : 1);
    need(fclose(file) == 0);

    psdvec_import_options options;
    psdvec_import_options_default(&options);
    options.format = PSDVEC_FORMAT_MATRIX_MARKET;
    options.vocab_file = list;
    options.window = 5;
    options.scale = scale;
    if (psdvec_counts_import(ctx, &options, matrix, output, NULL) != PSDVEC_OK) {
        fprintf(stderr, "%s\n", psdvec_error_message(ctx));
        abort();
    }
    remove(matrix);
    remove(list);
    free(matrix);
    free(list);
}

/* ---- Distances ------------------------------------------------------------------------------- */

/* Adds to P the projector onto the columns of A, by the Gram-Schmidt process, each column twice.
 * Returns the dimension. */
static size_t add_projector(size_t n, size_t count, const double *A, double scale, double *P)
{
    double *Q = numbers(n * count);
    size_t dimension = 0;
    for (size_t k = 0; k < count; k++) {
        double *q = &Q[dimension * n], before = 0, after = 0;
        for (size_t i = 0; i < n; i++) {
            q[i] = A[i * count + k];
            before += q[i] * q[i];
        }
        for (size_t p = 0; p < 2 * dimension; p++) {
            const double *other = &Q[p % dimension * n];
            double product = 0;
            for (size_t i = 0; i < n; i++)
                product += other[i] * q[i];
            for (size_t i = 0; i < n; i++)
                q[i] -= product * other[i];
        }
        for (size_t i = 0; i < n; i++)
            after += q[i] * q[i];
        if (after <= 1e-20 * before || before < 1e-200)
            continue;
        for (size_t i = 0; i < n; i++)
            q[i] /= sqrt(after);
        dimension++;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                P[i * n + j] += scale * q[i] * q[j];
    }
    free(Q);
    return dimension;
}

/* The eigenvalues of the difference of two projectors of the same rank are the sines of the
 * angles, each with both signs. */
double subspace_distance(size_t n, size_t a, const double *A, size_t b, const double *B)
{
    double *P = numbers(n * n), *Q = numbers(n * n), *value = numbers(n), distance = 1;
    if (add_projector(n, a, A, 1, P) == add_projector(n, b, B, -1, P)) {
        dense_eigen(n, P, value, Q);
        distance = largest_magnitude(n, value);
    }
    free(P);
    free(Q);
    free(value);
    return distance;
}

/* NAN if there is one. */
double largest_difference(size_t count, const double *a, const double *b)
{
    double largest = 0;
    for (size_t i = 0; i < count && !isnan(largest); i++)
        if (!(fabs(a[i] - b[i]) <= largest))
            largest = fabs(a[i] - b[i]);
    return largest;
}

double largest_magnitude(size_t count, const double *a)
{
    double largest = 0;
    for (size_t i = 0; i < count && !isnan(largest); i++)
        if (!(fabs(a[i]) <= largest))
            largest = fabs(a[i]);
    return largest;
}

double product_difference(size_t n, size_t rank_a, const double *A, const double *sign_a,
                          size_t rank_b, const double *B, const double *sign_b)
{
    double *X = dense_products(n, rank_a, A, sign_a), *Y = dense_products(n, rank_b, B, sign_b);
    double largest = largest_difference(n * n, X, Y);
    free(X);
    free(Y);
    return largest;
}

double product_error(size_t n, size_t rank, const double *V, const double *sign, const double *X)
{
    double *Y = dense_products(n, rank, V, sign), squares = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j)
                squares += (Y[i * n + j] - X[i * n + j]) * (Y[i * n + j] - X[i * n + j]);
    free(Y);
    return sqrt(squares / ((double)n * (double)(n - 1)));
}
