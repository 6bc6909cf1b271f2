/* Sparse matrices against loops; singular vectors against LAPACK's eigenvectors of the Gram matrix;
 * and the baselines svd and cca against their formulas, with dense matrices in double precision. */
#include "base/blas.h"
#include "base/context.h"
#include "baseline/sparse_svd.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

typedef struct sample {
    size_t rows, columns;
    double *dense; /* rows x columns */
    uint64_t *begin;
    uint32_t *column;
    float *value;
} sample;

static sample sample_blank(size_t rows, size_t columns)
{
    return (sample){rows,
                    columns,
                    zeros(rows * columns, sizeof(double)),
                    zeros(rows + 1, sizeof(uint64_t)),
                    zeros(rows * columns, sizeof(uint32_t)),
                    zeros(rows * columns, sizeof(float))};
}

/* Makes the sparse rows from `dense`, which is rounded to their precision. */
static void sample_compress(sample *s)
{
    uint64_t k = 0;
    for (size_t i = 0; i < s->rows; i++) {
        for (size_t j = 0; j < s->columns; j++)
            if (s->dense[i * s->columns + j] != 0) {
                s->column[k] = (uint32_t)j;
                s->value[k] = (float)s->dense[i * s->columns + j];
                s->dense[i * s->columns + j] = s->value[k++];
            }
        s->begin[i + 1] = k;
    }
}

/* Most cells are empty, including every eleventh row and thirteenth column. Rows decrease in size,
 * so that the singular values are well separated. */
static sample sample_random(uint64_t seed, size_t rows, size_t columns, bool symmetric)
{
    dice d = {seed};
    sample s = sample_blank(rows, columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double size = 30 / sqrt((double)(i + 5) * (double)(j + 5));
            bool empty = i % 11 == 10 || j % 13 == 12 || (symmetric && (i % 13 == 12));
            if (dice_percent(&d, 30) && !empty)
                s.dense[i * columns + j] = size * (1 + dice_normal(&d));
        }
    for (size_t i = 0; symmetric && i < rows; i++)
        for (size_t j = 0; j < i; j++)
            s.dense[i * columns + j] = s.dense[j * columns + i];
    sample_compress(&s);
    return s;
}

static void sample_free(sample *s)
{
    free(s->dense);
    free(s->begin);
    free(s->column);
    free(s->value);
}

static pv_csr rows_of(const sample *s)
{
    return pv_csr_of((uint32_t)s->rows, (uint32_t)s->columns, s->begin, s->column, s->value);
}

static float *random_floats(uint64_t seed, size_t count, bool positive)
{
    dice d = {seed};
    float *x = zeros(count, sizeof *x);
    for (size_t k = 0; k < count; k++)
        x[k] = (float)(positive ? 0.5 + dice_unit(&d) : dice_normal(&d));
    return x;
}

/* ---- Products -------------------------------------------------------------------------------- */

static double cell(const sample *s, const float *a, const float *b, size_t i, size_t j)
{
    return (a ? a[i] : 1) * s->dense[i * s->columns + j] * (b ? b[j] : 1);
}

static void compare_products(psdvec_context *ctx, const sample *s, bool symmetric, const float *a,
                             const float *b, size_t k)
{
    pv_sparse_matrix m;
    well(ctx, pv_sparse_matrix_open(ctx, rows_of(s), symmetric, a, b, NULL, 0, &m));
    size_t larger = s->rows > s->columns ? s->rows : s->columns;
    float *X = random_floats(3, larger * k, false), *Y = zeros(larger * k, sizeof *Y);
    float *room = zeros(larger * k, sizeof *room);
    well(ctx, pv_sparse_multiply(&m, false, X, Y, k, room));
    for (size_t i = 0; i < s->rows; i++)
        for (size_t c = 0; c < k; c++) {
            double sum = 0;
            for (size_t j = 0; j < s->columns; j++)
                sum += cell(s, a, b, i, j) * X[j * k + c];
            assert_close(Y[i * k + c], sum, 2e-4);
        }
    well(ctx, pv_sparse_multiply(&m, true, X, Y, k, room));
    for (size_t j = 0; j < s->columns; j++)
        for (size_t c = 0; c < k; c++) {
            double sum = 0;
            for (size_t i = 0; i < s->rows; i++)
                sum += cell(s, a, b, i, j) * X[i * k + c];
            assert_close(Y[j * k + c], sum, 2e-4);
        }
    free(room);
    free(Y);
    free(X);
    pv_sparse_matrix_close(&m);
}

static void products_from_both_sides_are_those_of_loops(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(3);
    sample wide = sample_random(1, 60, 230, false), tall = sample_random(2, 310, 40, false);
    sample square = sample_random(3, 120, 120, true);
    float *a = random_floats(4, 400, true), *b = random_floats(5, 400, true);
    for (size_t k = 1; k <= 70; k += 23) {
        compare_products(ctx, &wide, false, NULL, NULL, k);
        compare_products(ctx, &tall, false, a, b, k);
        compare_products(ctx, &wide, false, a, NULL, k);
        compare_products(ctx, &wide, false, NULL, b, k);
        compare_products(ctx, &square, true, a, b, k);
    }
    free(a);
    free(b);
    sample_free(&wide);
    sample_free(&tall);
    sample_free(&square);
    psdvec_context_free(ctx);
}

static void a_transpose_in_a_file_is_the_same(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(2);
    char *folder = scratch_new(), *path = scratch_path(folder, "output");
    sample s = sample_random(6, 150, 90, false);
    pv_sparse_matrix memory, file;
    pv_csr rows = rows_of(&s);
    well(ctx, pv_sparse_matrix_open(ctx, rows, false, NULL, NULL, path, 0, &memory));
    well(ctx, pv_sparse_matrix_open(ctx, rows, false, NULL, NULL, path, UINT64_MAX, &file));
    assert_false(memory.transpose.value_memory.mapped);
    assert_true(file.transpose.value_memory.mapped);
    pv_csr one = memory.down.rows, other = file.down.rows;
    assert_memory_equal(one.begin, other.begin, (s.columns + 1) * sizeof *one.begin);
    assert_memory_equal(one.column, other.column, s.begin[s.rows] * sizeof *one.column);
    assert_memory_equal(one.value, other.value, s.begin[s.rows] * sizeof *one.value);
    pv_sparse_matrix_close(&file);
    pv_sparse_matrix_close(&memory);
    sample_free(&s);
    free(path);
    scratch_free(folder);
    psdvec_context_free(ctx);
}

/* ---- Singular vectors ------------------------------------------------------------------------ */

typedef struct reference {
    size_t n, m, rank;
    double *value; /* rank, descending */
    double *U, *V; /* n x rank, m x rank */
} reference;

/* The first `dim` of M in double precision, by LAPACK from M M'. */
static reference decompose(psdvec_context *ctx, size_t n, size_t m, const double *M, size_t dim)
{
    double *gram = zeros(n * n, sizeof *gram), *values = zeros(n, sizeof *values);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t c = 0; c < m; c++)
                gram[i * n + j] += M[i * m + c] * M[j * m + c];
    well(ctx, pv_symmetric_eigen(ctx, gram, values, n));
    reference r = {.n = n, .m = m};
    while (r.rank < dim && r.rank < n && values[n - 1 - r.rank] > 1e-7 * values[n - 1])
        r.rank++;
    r.value = zeros(r.rank, sizeof *r.value);
    r.U = zeros(n * r.rank, sizeof *r.U);
    r.V = zeros(m * r.rank, sizeof *r.V);
    for (size_t k = 0; k < r.rank; k++) {
        const double *u = gram + (n - 1 - k) * n;
        r.value[k] = sqrt(values[n - 1 - k]);
        for (size_t i = 0; i < n; i++)
            r.U[i * r.rank + k] = u[i];
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += M[i * m + j] * u[i];
            r.V[j * r.rank + k] = sum / r.value[k];
        }
    }
    free(values);
    free(gram);
    return r;
}

static void reference_free(reference *r)
{
    free(r->value);
    free(r->U);
    free(r->V);
}

/* Signs are arbitrary, so vectors are compared by their products: A A' = B B' for words. */
static void compare_rows(size_t n, size_t dim, const float *A, size_t rank, const double *B,
                         double tolerance)
{
    double *mine = zeros(n * dim, sizeof *mine);
    double largest = 0;
    for (size_t k = 0; k < n * dim; k++)
        mine[k] = A[k];
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 0; k < rank; k++)
            square += B[i * rank + k] * B[i * rank + k];
        largest = square > largest ? square : largest;
    }
    double *ones = zeros(dim + rank, sizeof *ones);
    for (size_t k = 0; k < dim + rank; k++)
        ones[k] = 1;
    assert_below(product_difference(n, dim, mine, ones, rank, B, ones), tolerance * largest);
    free(ones);
    free(mine);
}

/* B = A S^power */
static double *weighed(size_t n, const reference *r, const double *A, double power)
{
    double *B = zeros(n * r->rank, sizeof *B);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < r->rank; k++)
            B[i * r->rank + k] = A[i * r->rank + k] * pow(r->value[k], power);
    return B;
}

static void check_decomposition(psdvec_context *ctx, const sample *s, size_t dim, double tolerance)
{
    pv_sparse_matrix m;
    pv_singular svd;
    well(ctx, pv_sparse_matrix_open(ctx, rows_of(s), false, NULL, NULL, NULL, 0, &m));
    well(ctx, pv_sparse_svd(&m, dim, 1e-5, true, &svd));
    reference r = decompose(ctx, s->rows, s->columns, s->dense, dim);
    assert_int_equal(svd.rank, r.rank);
    for (size_t k = 0; k < r.rank; k++)
        assert_close(svd.value[k], r.value[k], tolerance * r.value[0]);
    for (int half = 0; half < 3; half++) {
        double *U = weighed(s->rows, &r, r.U, half / 2.0);
        pv_singular copy = svd;
        copy.V = NULL;
        copy.U = zeros(s->rows * dim, sizeof *copy.U);
        memcpy(copy.U, svd.U, s->rows * dim * sizeof *copy.U);
        pv_singular_weigh(&copy, half / 2.0);
        compare_rows(s->rows, dim, copy.U, r.rank, U, 20 * tolerance);
        free(copy.U);
        free(U);
    }
    compare_rows(s->columns, dim, svd.V, r.rank, r.V, 20 * tolerance);
    reference_free(&r);
    pv_singular_free(&svd);
    pv_sparse_matrix_close(&m);
}

static void singular_vectors_are_those_of_lapack(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(2);
    sample small = sample_random(11, 80, 50, false), wide = sample_random(12, 40, 160, false);
    check_decomposition(ctx, &small, 8, 1e-5);
    check_decomposition(ctx, &wide, 12, 1e-5);
    sample_free(&small);
    sample_free(&wide);
    /* Too large to be stored explicitly: block Lanczos. */
    sample large = sample_random(13, 700, 650, false);
    check_decomposition(ctx, &large, 10, 1e-4);
    sample_free(&large);
    psdvec_context_free(ctx);
}

static void dimensions_beyond_the_rank_are_zero(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(2);
    for (size_t n = 60; n <= 660; n += 600) {
        dice d = {14};
        double *left = zeros(n * 3, sizeof *left), *right = zeros(n * 3, sizeof *right);
        for (size_t k = 0; k < n * 3; k++) {
            left[k] = k / 3 % 7 == 6 ? 0 : dice_normal(&d);
            right[k] = dice_normal(&d);
        }
        sample s = sample_blank(n, n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                for (size_t k = 0; k < 3; k++)
                    s.dense[i * n + j] += left[i * 3 + k] * right[j * 3 + k];
        sample_compress(&s);
        pv_sparse_matrix m;
        pv_singular svd;
        well(ctx, pv_sparse_matrix_open(ctx, rows_of(&s), false, NULL, NULL, NULL, 0, &m));
        well(ctx, pv_sparse_svd(&m, 9, 1e-3, true, &svd));
        assert_int_equal(svd.rank, 3);
        pv_singular_weigh(&svd, 0);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < 9; k++) {
                assert_true(isfinite(svd.U[i * 9 + k]) && isfinite(svd.V[i * 9 + k]));
                if (k >= 3) {
                    assert_true(svd.U[i * 9 + k] == 0 && svd.V[i * 9 + k] == 0);
                    assert_true(svd.value[k] == 0);
                }
            }
        pv_singular_free(&svd);
        pv_sparse_matrix_close(&m);
        sample_free(&s);
        free(left);
        free(right);
    }
    psdvec_context_free(ctx);
}

static void an_empty_row_has_the_vector_zero(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(2);
    sample s = sample_random(15, 700, 300, false);
    pv_sparse_matrix m;
    pv_singular svd;
    well(ctx, pv_sparse_matrix_open(ctx, rows_of(&s), false, NULL, NULL, NULL, 0, &m));
    well(ctx, pv_sparse_svd(&m, 10, 1e-3, true, &svd));
    for (size_t k = 0; k < 10; k++) {
        assert_close(svd.U[10 * 10 + k], 0, 1e-5);
        assert_close(svd.V[12 * 10 + k], 0, 1e-5);
    }
    pv_singular_free(&svd);
    pv_sparse_matrix_close(&m);
    sample_free(&s);
    psdvec_context_free(ctx);
}

static void dimensions_beyond_the_number_of_words_are_zero(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    sample s = sample_blank(3, 3);
    s.dense[0] = 3;
    s.dense[4] = -2;
    sample_compress(&s);
    pv_sparse_matrix m;
    pv_singular svd;
    well(ctx, pv_sparse_matrix_open(ctx, rows_of(&s), false, NULL, NULL, NULL, 0, &m));
    well(ctx, pv_sparse_svd(&m, 5, 1e-3, true, &svd));
    assert_int_equal(svd.rank, 2);
    assert_close(svd.value[0], 3, 1e-6);
    assert_close(svd.value[1], 2, 1e-6);
    assert_close(svd.U[0 * 5 + 0] * svd.V[0 * 5 + 0], 1, 1e-6);
    assert_close(svd.U[1 * 5 + 1] * svd.V[1 * 5 + 1], -1, 1e-6);
    for (size_t k = 0; k < 5; k++)
        assert_true(svd.U[2 * 5 + k] == 0 && (k < 2 || svd.value[k] == 0));
    pv_singular_free(&svd);
    pv_sparse_matrix_close(&m);
    sample_free(&s);
    psdvec_context_free(ctx);
}

static void the_number_of_threads_changes_no_bit(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    sample s = sample_random(16, 900, 900, true);
    float *scale = random_floats(17, 1800, true), *U[3], *V[3];
    for (int t = 0; t < 3; t++) {
        psdvec_context *ctx = context_of(threads[t]);
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            pv_sparse_matrix m;
            pv_singular svd;
            well(ctx, pv_sparse_matrix_open(ctx, rows_of(&s), symmetric != 0, scale, scale + 900,
                                            NULL, 0, &m));
            well(ctx, pv_sparse_svd(&m, 12, 1e-3, true, &svd));
            if (symmetric) {
                /* The matrix is symmetric, so the products are the same. */
                assert_memory_equal(U[t], svd.U, 900 * 12 * sizeof *svd.U);
                assert_memory_equal(V[t], svd.V, 900 * 12 * sizeof *svd.V);
            } else {
                U[t] = zeros(900 * 12, sizeof *U[t]);
                V[t] = zeros(900 * 12, sizeof *V[t]);
                memcpy(U[t], svd.U, 900 * 12 * sizeof *svd.U);
                memcpy(V[t], svd.V, 900 * 12 * sizeof *svd.V);
            }
            pv_singular_free(&svd);
            pv_sparse_matrix_close(&m);
        }
        psdvec_context_free(ctx);
    }
    for (int t = 0; t < 3; t++) {
        assert_memory_equal(U[0], U[t], 900 * 12 * sizeof *U[0]);
        assert_memory_equal(V[0], V[t], 900 * 12 * sizeof *V[0]);
    }
    for (int t = 0; t < 3; t++) {
        free(U[t]);
        free(V[t]);
    }
    free(scale);
    sample_free(&s);
}

static bool after_some_questions(void *user)
{
    return --*(int *)user < 0;
}

static void a_run_can_be_cancelled(void **state)
{
    (void)state;
    sample s = sample_random(18, 900, 900, false);
    for (int questions = 0; questions < 40; questions += 13) {
        int left = questions;
        psdvec_context_options options;
        psdvec_context_options_default(&options);
        options.threads = 1;
        options.should_cancel = after_some_questions;
        options.user = &left;
        psdvec_context *ctx;
        ok(psdvec_context_new(&options, &ctx));
        pv_sparse_matrix m;
        pv_singular svd = {0};
        psdvec_status status =
            pv_sparse_matrix_open(ctx, rows_of(&s), false, NULL, NULL, NULL, 0, &m);
        if (status == PSDVEC_OK)
            status = pv_sparse_svd(&m, 20, 1e-6, false, &svd);
        assert_int_equal(status, PSDVEC_ERR_CANCELLED);
        pv_singular_free(&svd);
        pv_sparse_matrix_close(&m);
        assert_true(atomic_load(&ctx->memory_used) == 0);
        psdvec_context_free(ctx);
    }
    sample_free(&s);
}

/* ---- The baselines --------------------------------------------------------------------------- */

/* x + x' and its margins. */
static double *symmetric_counts(const dense_counts *counts, double *margin)
{
    size_t n = counts->words;
    double *x = zeros(n * n, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        margin[i] = 0;
        for (size_t j = 0; j < n; j++) {
            x[i * n + j] = counts->x[i * n + j] + counts->x[j * n + i];
            margin[i] += x[i * n + j];
        }
    }
    return x;
}

/* Levy, Goldberg and Dagan: max(0, log(p(w, c) / (p(w) p_a(c))) - log shift). */
static double *dense_ppmi(const dense_counts *counts, double power, double shift)
{
    size_t n = counts->words;
    double *margin = zeros(n, sizeof *margin), *x = symmetric_counts(counts, margin);
    double total = 0, smoothed = 0;
    for (size_t i = 0; i < n; i++) {
        total += margin[i];
        smoothed += pow(margin[i], power);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double pmi = log(x[i * n + j] / total /
                             (margin[i] / total * (pow(margin[j], power) / smoothed)));
            x[i * n + j] = x[i * n + j] > 0 ? fmax(0, pmi - log(shift)) : 0;
        }
    free(margin);
    return x;
}

/* Stratos, Collins and Hsu, with their constant: t(x) / sqrt(t(r) t(c^a)) sqrt(N / sum c^a). */
static double *dense_cca(const dense_counts *counts, double count_power, double power)
{
    size_t n = counts->words;
    double *margin = zeros(n, sizeof *margin), *x = symmetric_counts(counts, margin);
    double total = 0, smoothed = 0;
    for (size_t i = 0; i < n; i++) {
        total += margin[i];
        smoothed += pow(margin[i], power);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double context = pow(pow(margin[j], power), count_power);
            if (x[i * n + j] > 0)
                x[i * n + j] = pow(x[i * n + j], count_power) / sqrt(pow(margin[i], count_power)) /
                               sqrt(context) * sqrt(total / smoothed);
        }
    free(margin);
    return x;
}

/* The vectors of a run on the problem's counts: words x dim. */
static float *run_system(problem *p, psdvec_context *ctx, const psdvec_baseline_options *options)
{
    char *output = scratch_path(p->folder, "model.safetensors");
    psdvec_baseline_report report;
    psdvec_model *model;
    well(ctx, psdvec_baseline(ctx, options, p->path, output, &report));
    well(ctx, psdvec_model_open(ctx, output, &model));
    const psdvec_model_info *info = psdvec_model_get_info(model);
    assert_int_equal(info->words, p->dense.words);
    assert_int_equal(info->dim, options->dim);
    assert_int_equal(report.words, info->words);
    assert_int_equal(report.dim, info->dim);
    float *vectors = zeros((size_t)info->words * info->dim, sizeof *vectors);
    for (uint32_t i = 0; i < info->words; i++)
        memcpy(vectors + (size_t)i * info->dim, psdvec_model_vector(model, i),
               info->dim * sizeof *vectors);
    psdvec_model_close(model);
    remove(output);
    free(output);
    return vectors;
}

static psdvec_baseline_options options_of(psdvec_method method, uint32_t dim)
{
    psdvec_baseline_options options;
    psdvec_baseline_options_default(&options, method, NULL);
    options.dim = dim;
    options.eigen_tolerance = 1e-5;
    return options;
}

static void svd_follows_its_definition(void **state)
{
    (void)state;
    static const double powers[] = {0, 0.5, 1, 0.3};
    for (int round = 0; round < 2; round++) {
        problem *p = problem_of_text(21 + (uint64_t)round, 120, 6000, round != 0, 2);
        size_t n = p->dense.words;
        double shift = round ? 1.5 : 1, context_power = round ? 1 : 0.75;
        double *M = dense_ppmi(&p->dense, context_power, shift);
        reference r = decompose(p->ctx, n, n, M, 15);
        for (int k = 0; k < 8; k++) {
            psdvec_baseline_options options = options_of(PSDVEC_METHOD_SVD, 15);
            options.context_power = context_power;
            options.shift = shift;
            options.eigenvalue_power = powers[k / 2];
            options.add_contexts = k % 2 != 0;
            double *W = weighed(n, &r, r.U, powers[k / 2]);
            double *C = weighed(n, &r, r.V, powers[k / 2]);
            for (size_t e = 0; options.add_contexts && e < n * r.rank; e++)
                W[e] += C[e];
            float *vectors = run_system(p, p->ctx, &options);
            compare_rows(n, 15, vectors, r.rank, W, 1e-3);
            free(vectors);
            free(C);
            free(W);
        }
        reference_free(&r);
        free(M);
        problem_free(p);
    }
}

static void cca_follows_its_definition(void **state)
{
    (void)state;
    static const struct {
        double count_power, context_power, eigenvalue_power;
    } cases[] = {{0.5, 0.75, 0}, {0.5, 0.75, 0.5}, {1, 1, 0}, {2.0 / 3, 0.5, 1}};
    problem *p = problem_of_text(31, 120, 6000, false, 2);
    size_t n = p->dense.words;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        psdvec_baseline_options options = options_of(PSDVEC_METHOD_CCA, 12);
        if (k > 0) { /* the first case has the defaults */
            options.count_power = cases[k].count_power;
            options.context_power = cases[k].context_power;
            options.eigenvalue_power = cases[k].eigenvalue_power;
        }
        double *M = dense_cca(&p->dense, cases[k].count_power, cases[k].context_power);
        reference r = decompose(p->ctx, n, n, M, 12);
        double *W = weighed(n, &r, r.U, cases[k].eigenvalue_power);
        for (size_t i = 0; i < n; i++) {
            double square = 0;
            for (size_t e = 0; e < r.rank; e++)
                square += W[i * r.rank + e] * W[i * r.rank + e];
            for (size_t e = 0; e < r.rank; e++)
                W[i * r.rank + e] /= sqrt(square);
        }
        float *vectors = run_system(p, p->ctx, &options);
        compare_rows(n, 12, vectors, r.rank, W, 2e-3);
        free(vectors);
        free(W);
        reference_free(&r);
        free(M);
    }
    problem_free(p);
}

static void the_first_correlation_of_plain_counts_is_one(void **state)
{
    (void)state;
    /* Without either power the matrix has the singular value 1, whose vector is the square roots of
     * the margins: in one dimension all words are equal. */
    problem *p = problem_of_text(32, 100, 5000, false, 1);
    psdvec_baseline_options options = options_of(PSDVEC_METHOD_CCA, 1);
    options.count_power = options.context_power = 1;
    float *vectors = run_system(p, p->ctx, &options);
    for (size_t i = 0; i < p->dense.words; i++)
        assert_close(vectors[i], 1, 1e-6);
    free(vectors);
    problem_free(p);
}

static void models_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    problem *p = problem_of_text(33, 1500, 40000, true, 1);
    assert_true(p->dense.words > 512);
    for (int m = 0; m < 2; m++) {
        psdvec_baseline_options options = options_of(m ? PSDVEC_METHOD_CCA : PSDVEC_METHOD_SVD, 16);
        options.eigen_tolerance = 0.01;
        options.add_contexts = true;
        float *first = run_system(p, p->ctx, &options);
        for (int threads = 2; threads <= 5; threads += 3) {
            psdvec_context *ctx = context_of(threads);
            float *vectors = run_system(p, ctx, &options);
            assert_memory_equal(first, vectors, p->dense.words * 16 * sizeof *first);
            free(vectors);
            psdvec_context_free(ctx);
        }
        free(first);
    }
    problem_free(p);
}

static void more_dimensions_than_words_are_filled_with_zeros(void **state)
{
    (void)state;
    problem *p = problem_of_text(34, 20, 800, false, 2);
    size_t n = p->dense.words;
    for (int m = 0; m < 2; m++) {
        psdvec_baseline_options options = options_of(m ? PSDVEC_METHOD_CCA : PSDVEC_METHOD_SVD, 64);
        float *vectors = run_system(p, p->ctx, &options);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < 64; k++) {
                assert_true(isfinite(vectors[i * 64 + k]));
                if (k >= n)
                    assert_true(vectors[i * 64 + k] == 0);
            }
        free(vectors);
    }
    problem_free(p);
}

static void a_shift_that_leaves_nothing_is_reported(void **state)
{
    (void)state;
    problem *p = problem_of_text(35, 30, 900, false, 1);
    psdvec_baseline_options options = options_of(PSDVEC_METHOD_SVD, 4);
    options.shift = 1e6;
    char *output = scratch_path(p->folder, "model.safetensors");
    assert_int_equal(psdvec_baseline(p->ctx, &options, p->path, output, NULL), PSDVEC_ERR_EMPTY);
    assert_contains(psdvec_error_message(p->ctx), "shift");
    free(output);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_from_both_sides_are_those_of_loops),
        cmocka_unit_test(a_transpose_in_a_file_is_the_same),
        cmocka_unit_test(singular_vectors_are_those_of_lapack),
        cmocka_unit_test(dimensions_beyond_the_rank_are_zero),
        cmocka_unit_test(an_empty_row_has_the_vector_zero),
        cmocka_unit_test(dimensions_beyond_the_number_of_words_are_zero),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(a_run_can_be_cancelled),
        cmocka_unit_test(svd_follows_its_definition),
        cmocka_unit_test(cca_follows_its_definition),
        cmocka_unit_test(the_first_correlation_of_plain_counts_is_one),
        cmocka_unit_test(models_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(more_dimensions_than_words_are_filled_with_zeros),
        cmocka_unit_test(a_shift_that_leaves_nothing_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
