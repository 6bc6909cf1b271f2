/* Products of tall matrices with few columns: the kernels against their portable versions, loops in
 * double precision and BLAS. (test_eigen compares products of any width with loops.) */
#include "base/blas.h"
#include "base/context.h"
#include "solve/tall.h"
#include "solve/tall_kernels.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Exactly as many numbers, so that sanitizers detect reads beyond them. */
static void *memory_of(size_t count, size_t size)
{
    void *memory = malloc(count * size);
    assert_non_null(memory);
    return memory;
}

static float *random_floats(dice *d, size_t count)
{
    float *numbers = memory_of(count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)dice_normal(d);
    return numbers;
}

/* The numbers of a matrix from its first to its last, without padding after the last row. */
static size_t length_of(size_t rows, size_t stride, size_t columns)
{
    return (rows - 1) * stride + columns;
}

/* The largest rounding error of a sum whose terms have this sum of magnitudes. */
static double rounding(double magnitudes)
{
    return 4e-7 * magnitudes + 1e-7;
}

static void check_gram(size_t rows, pv_tall a, pv_tall b, const float *out, const double *sums)
{
    for (size_t p = 0; p < a.columns; p++)
        for (size_t q = 0; q < b.columns; q++) {
            double sum = 0, magnitudes = 0;
            for (size_t r = 0; r < rows; r++) {
                double product = (double)a.data[r * a.stride + p] * b.data[r * b.stride + q];
                sum += product;
                magnitudes += fabs(product);
            }
            size_t at = p * b.columns + q;
            assert_close(out ? (double)out[at] : sums[at], sum, rounding(magnitudes));
        }
}

/* Y: the result for `before`, in which the numbers between the rows must be unchanged. */
static void check_multiply(size_t rows, float alpha, pv_tall a, const float *M, size_t columns,
                           float beta, const float *before, const float *Y, size_t stride)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t q = 0; q < columns; q++) {
            double sum = beta == 0 ? 0 : (double)beta * before[r * stride + q];
            double magnitudes = fabs(sum);
            for (size_t p = 0; p < a.columns; p++) {
                double product = (double)alpha * a.data[r * a.stride + p] * M[p * columns + q];
                sum += product;
                magnitudes += fabs(product);
            }
            assert_close(Y[r * stride + q], sum, rounding(magnitudes));
        }
        if (r + 1 < rows)
            assert_memory_equal(Y + r * stride + columns, before + r * stride + columns,
                                (stride - columns) * sizeof *Y);
    }
}

static const size_t widths[] = {8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 40, 48, 56, 64};
enum { WIDTHS = sizeof widths / sizeof *widths };

static void kernels_are_chosen_for_few_columns(void **state)
{
    (void)state;
    const pv_tall_kernels *fast = pv_tall_kernels_best(32);
    print_message("kernels: %s\n", fast ? fast->name : "BLAS");
    for (size_t w = 0; w < WIDTHS; w++)
        assert_ptr_equal(pv_tall_kernels_best(widths[w]), fast);
    static const size_t others[] = {0, 1, 7, 33, 39, 63, 65, 72, 300};
    for (size_t w = 0; w < sizeof others / sizeof *others; w++)
        assert_null(pv_tall_kernels_best(others[w]));
}

static void check_kernels(const pv_tall_kernels *kernels, dice *d, size_t rows, size_t m,
                          size_t columns)
{
    static const float factors[][2] = {{-1, 1}, {1, 0}, {-2, 0.5f}, {0.3f, -1}};
    pv_tall a = {NULL, m + dice_below(d, 3) * 5, m, NULL};
    pv_tall b = {NULL, columns + dice_below(d, 3) * 3, columns, NULL};
    size_t stride = columns + dice_below(d, 3) * 7, count = length_of(rows, stride, columns);
    float *A = random_floats(d, length_of(rows, a.stride, m));
    float *B = random_floats(d, length_of(rows, b.stride, columns));
    float *M = random_floats(d, m * columns), *out = random_floats(d, m * columns);
    float *before = random_floats(d, count), *Y = memory_of(count, sizeof *Y);
    a.data = A;
    b.data = B;
    kernels->gram(rows, a, b, out);
    check_gram(rows, a, b, out, NULL);
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        float alpha = factors[f][0], beta = factors[f][1];
        memcpy(Y, before, count * sizeof *Y);
        for (size_t r = 0; r < rows && beta == 0; r++)
            for (size_t q = 0; q < columns; q++)
                Y[r * stride + q] = NAN; /* must not be read */
        kernels->multiply(rows, alpha, a, M, columns, beta, Y, stride);
        check_multiply(rows, alpha, a, M, columns, beta, before, Y, stride);
    }
    free(A);
    free(B);
    free(M);
    free(out);
    free(before);
    free(Y);
}

/* Rows and columns around the sizes of groups and pieces, with remainders. */
static void fast_and_plain_kernels_are_loops_in_double_precision(void **state)
{
    (void)state;
    static const size_t rows[] = {1, 2, 11, 47, 48, 49, 63, 64, 65, 130, 201};
    static const size_t wide[] = {1, 2, 3, 5, 13, 49, 50, 103, 104, 105, 211};
    enum { ROWS = sizeof rows / sizeof *rows, WIDE = sizeof wide / sizeof *wide };
    dice d = {21};
    for (size_t w = 0; w < WIDTHS; w++)
        for (size_t k = 0; k < ROWS; k++) {
            size_t m = wide[(k + w) % WIDE];
            const pv_tall_kernels *fast = pv_tall_kernels_best(widths[w]);
            check_kernels(&pv_tall_kernels_plain, &d, rows[k], m, widths[w]);
            if (fast)
                check_kernels(fast, &d, rows[k], m, widths[w]);
        }
}

static double error_of(const float *out, const double *exact, size_t count)
{
    double square = 0;
    for (size_t k = 0; k < count; k++)
        square += pow(out[k] - exact[k], 2);
    return sqrt(square / (double)count);
}

/* Inner products of a complete tile of a large matrix. */
static void inner_products_are_as_accurate_as_those_of_blas(void **state)
{
    (void)state;
    enum { ROWS = 1104, M = 60, K = 32 };
    dice d = {22};
    const pv_tall_kernels *fast = pv_tall_kernels_best(K);
    float *A = random_floats(&d, ROWS * M), *B = random_floats(&d, ROWS * K);
    float *out = memory_of(M * K, sizeof *out);
    double *exact = memory_of(M * K, sizeof *exact);
    for (size_t p = 0; p < M; p++)
        for (size_t q = 0; q < K; q++) {
            double sum = 0;
            for (size_t r = 0; r < ROWS; r++)
                sum += (double)A[r * M + p] * B[r * K + q];
            exact[p * K + q] = sum;
        }
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, M, K, ROWS, 1, A, M, B, K, 0, out, K);
    double blas = error_of(out, exact, M * K);
    pv_tall_kernels_plain.gram(ROWS, (pv_tall){A, M, M, NULL}, (pv_tall){B, K, K, NULL}, out);
    assert_below(error_of(out, exact, M * K), blas);
    if (fast) {
        fast->gram(ROWS, (pv_tall){A, M, M, NULL}, (pv_tall){B, K, K, NULL}, out);
        assert_below(error_of(out, exact, M * K), blas);
    }
    free(A);
    free(B);
    free(out);
    free(exact);
}

/* Also widths around the one where BLAS replaces the kernels, and numbers of rows around tiles of
 * 512. */
static void products_with_few_columns_are_those_of_loops_with_any_number_of_threads(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 100, 511, 513, 1500};
    static const size_t columns[] = {7, 8, 31, 32, 33, 40, 64, 65};
    enum { M = 107, STRIDE = 110 };
    dice d = {23};
    psdvec_context *one = context_of(1), *three = context_of(3);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t w = 0; w < sizeof columns / sizeof *columns; w++) {
            size_t n = sizes[s], k = columns[w], stride = k + 2, count = length_of(n, stride, k);
            float *A = random_floats(&d, length_of(n, STRIDE, M)), *B = random_floats(&d, count);
            float *mix = random_floats(&d, M * k), *Y[2];
            double *gram[2];
            pv_tall a = {A, STRIDE, M, NULL}, b = {B, stride, k, NULL};
            for (int t = 0; t < 2; t++) {
                psdvec_context *ctx = t ? three : one;
                gram[t] = memory_of(M * k, sizeof *gram[t]);
                Y[t] = memory_of(count, sizeof *Y[t]);
                memcpy(Y[t], B, count * sizeof *B);
                well(ctx, pv_tall_gram(ctx, n, a, b, NULL, gram[t]));
                well(ctx, pv_tall_multiply(ctx, n, -1, a, mix, k, 1, Y[t], stride));
            }
            check_gram(n, a, b, NULL, gram[0]);
            check_multiply(n, -1, a, mix, k, 1, B, Y[0], stride);
            assert_memory_equal(gram[0], gram[1], M * k * sizeof *gram[0]);
            assert_memory_equal(Y[0], Y[1], count * sizeof *Y[0]);
            for (int t = 0; t < 2; t++) {
                free(gram[t]);
                free(Y[t]);
            }
            free(A);
            free(B);
            free(mix);
        }
    assert_int_equal(atomic_load(&one->memory_used), 0);
    assert_int_equal(atomic_load(&three->memory_used), 0);
    psdvec_context_free(one);
    psdvec_context_free(three);
}

/* As with BLAS, numbers that are not finite affect only their own sums. */
static void nonfinite_numbers_stay_in_their_row(void **state)
{
    (void)state;
    enum { ROWS = 50, M = 20, K = 13 };
    dice d = {24};
    float *A = random_floats(&d, ROWS * M), *mix = random_floats(&d, M * K);
    float *Y = random_floats(&d, ROWS * K), *out = random_floats(&d, M * K);
    float *B = random_floats(&d, ROWS * K);
    A[17 * M + 4] = INFINITY;
    const pv_tall_kernels *both[] = {&pv_tall_kernels_plain, pv_tall_kernels_best(K)};
    for (int t = 0; t < 2 && both[t]; t++) {
        both[t]->multiply(ROWS, 1, (pv_tall){A, M, M, NULL}, mix, K, 0, Y, K);
        both[t]->gram(ROWS, (pv_tall){A, M, M, NULL}, (pv_tall){B, K, K, NULL}, out);
        for (size_t k = 0; k < ROWS * K; k++)
            assert_int_equal(!isfinite(Y[k]), k / K == 17);
        for (size_t k = 0; k < M * K; k++)
            assert_int_equal(!isfinite(out[k]), k / K == 4);
    }
    free(A);
    free(B);
    free(mix);
    free(Y);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_chosen_for_few_columns),
        cmocka_unit_test(fast_and_plain_kernels_are_loops_in_double_precision),
        cmocka_unit_test(inner_products_are_as_accurate_as_those_of_blas),
        cmocka_unit_test(products_with_few_columns_are_those_of_loops_with_any_number_of_threads),
        cmocka_unit_test(nonfinite_numbers_stay_in_their_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
