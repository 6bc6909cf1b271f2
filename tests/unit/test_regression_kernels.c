/* The kernels of the regression against the portable ones, and the Cholesky factor against the
 * matrix. */
#include "solve/regression_kernels.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Exactly the documented size, so that sanitizers detect reads beyond it. */
static void *memory_of(size_t count, size_t size)
{
    void *memory = malloc(count * size);
    assert_non_null(memory);
    memset(memory, 0x5a, count * size);
    return memory;
}

typedef struct shape {
    size_t rows, columns;
} shape;

static const shape shapes[] = {{1, 1},   {2, 5},    {3, 16},    {4, 17},    {5, 31},
                               {7, 33},  {8, 64},   {61, 12},   {62, 13},   {63, 29},
                               {64, 48}, {97, 100}, {150, 137}, {1200, 75}, {700, 300}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* rows x stride, 0 from `columns` on. Columns have different scales; one is 0. */
static float *random_rows(dice *d, shape s)
{
    size_t stride = pv_regression_stride(s.columns);
    float *A = memory_of(s.rows * stride, sizeof *A);
    for (size_t t = 0; t < s.rows; t++)
        for (size_t k = 0; k < stride; k++)
            A[t * stride + k] = k < s.columns && k != 9 ? (float)(dice_normal(d) / (1 + (double)k))
                                                        : 0;
    return A;
}

static void scaled_rows_are_those_of_plain_c(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        dice d = {i + 1};
        size_t stride = pv_regression_stride(shapes[i].columns);
        float *V = random_rows(&d, (shape){4, shapes[i].columns});
        const float *v[4] = {V, V + stride, V + 2 * stride, V + 3 * stride};
        float root[4] = {0.5f, 2, 0, 1.25f};
        float *scale = memory_of(stride, sizeof *scale);
        for (size_t k = 0; k < stride; k++)
            scale[k] = (float)dice_normal(&d);
        for (size_t rows = 1; rows <= 4; rows++) {
            const pv_regression_kernels *kernels = &pv_regression_kernels_plain;
            float *expected = memory_of((rows + 2) * stride, sizeof *expected);
            float *got = memory_of((rows + 2) * stride, sizeof *got);
            for (size_t k = 0; k < 2 * stride; k++)
                expected[k] = 0.01f;
            kernels->scale_rows(v, root, rows, scale, stride, expected + 2 * stride, expected,
                                expected + stride);
            for (size_t n = 0; (kernels = pv_regression_kernels_at(n)); n++) {
                for (size_t k = 0; k < 2 * stride; k++)
                    got[k] = 0.01f;
                kernels->scale_rows(v, root, rows, scale, stride, got + 2 * stride, got,
                                    got + stride);
                for (size_t k = 0; k < (rows + 2) * stride; k++)
                    assert_close(got[k], expected[k], 1e-6 * (1 + fabs((double)expected[k])));
            }
            free(expected);
            free(got);
        }
        free(V);
        free(scale);
    }
}

typedef struct packing {
    int8_t *packed;
    float *step, *square;
    int32_t *sums;
    size_t bytes, side, groups;
} packing;

static packing pack(const pv_regression_kernels *kernels, float levels, const float *A, shape s,
                    bool rows)
{
    size_t stride = pv_regression_stride(s.columns), side = rows ? s.rows : s.columns;
    size_t wide = pv_regression_stride(side), groups = rows ? stride / 4 : (s.rows + 3) / 4;
    packing p = {.side = side, .groups = groups, .bytes = 4 * groups * wide};
    p.packed = memory_of(p.bytes + PV_REGRESSION_SLACK, 1);
    p.step = memory_of(wide, sizeof *p.step);
    p.sums = memory_of(wide, sizeof *p.sums);
    p.square = memory_of(side, sizeof *p.square);
    if (rows) {
        kernels->pack_rows(A, s.rows, stride, levels, p.packed, p.step, p.sums, p.square);
        return p;
    }
    float *largest = memory_of(stride, sizeof *largest);
    for (size_t k = 0; k < stride; k++) {
        largest[k] = 0;
        for (size_t t = 0; t < s.rows; t++)
            largest[k] = fmaxf(largest[k], fabsf(A[t * stride + k]));
    }
    kernels->pack_columns(A, s.rows, stride, largest, levels, p.packed, p.step, p.sums);
    free(largest);
    return p;
}

static void packing_free(packing *p)
{
    free(p->packed);
    free(p->step);
    free(p->sums);
    free(p->square);
}

static void check_gram(const pv_regression_kernels *kernels, const float *A, shape s, bool rows)
{
    const pv_regression_kernels *plain = &pv_regression_kernels_plain;
    packing expected = pack(plain, kernels->levels, A, s, rows);
    packing got = pack(kernels, kernels->levels, A, s, rows);
    size_t side = got.side, stride = pv_regression_stride(side);
    assert_memory_equal(got.packed, expected.packed, got.bytes);
    assert_memory_equal(got.step, expected.step, stride * sizeof *got.step);
    assert_memory_equal(got.sums, expected.sums, stride * sizeof *got.sums);
    for (size_t t = 0; t < s.rows && rows; t++)
        assert_close(got.square[t], expected.square[t], 1e-5 * (1e-6 + (double)expected.square[t]));
    float *K = memory_of(side * stride + PV_REGRESSION_SLACK, sizeof *K);
    float *exact = memory_of(side * stride + PV_REGRESSION_SLACK, sizeof *exact);
    kernels->gram(got.packed, got.sums, got.groups, side, got.step, K);
    plain->gram(got.packed, got.sums, got.groups, side, got.step, exact);
    for (size_t k = 0; k < side; k++)
        assert_memory_equal(K + k * stride + k, exact + k * stride + k, (stride - k) * sizeof *K);
    free(K);
    free(exact);
    packing_free(&expected);
    packing_free(&got);
}

static void sums_of_packed_numbers_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        dice d = {i + 1};
        float *A = random_rows(&d, shapes[i]);
        const pv_regression_kernels *kernels;
        for (size_t n = 0; (kernels = pv_regression_kernels_at(n)); n++)
            for (int rows = 0; rows < 2; rows++)
                check_gram(kernels, A, shapes[i], rows);
        free(A);
    }
}

/* The largest sums, where an instruction might saturate. */
static void the_largest_numbers_do_not_overflow(void **state)
{
    (void)state;
    shape s = {2048, 24};
    size_t stride = pv_regression_stride(s.columns);
    float *A = memory_of(s.rows * stride, sizeof *A);
    for (size_t i = 0; i < s.rows * stride; i++)
        A[i] = i % stride >= s.columns ? 0 : i % stride % 3 ? 1 : -1;
    const pv_regression_kernels *kernels;
    for (size_t n = 0; (kernels = pv_regression_kernels_at(n)); n++)
        for (int rows = 0; rows < 2; rows++)
            check_gram(kernels, A, rows ? (shape){100, s.columns} : s, rows);
    free(A);
}

static void packed_numbers_are_half_a_step_off_at_most(void **state)
{
    (void)state;
    dice d = {5};
    shape s = {37, 45};
    size_t stride = pv_regression_stride(s.columns);
    float *A = random_rows(&d, s);
    packing p = pack(&pv_regression_kernels_plain, 127, A, s, false);
    for (size_t t = 0; t < s.rows; t++)
        for (size_t k = 0; k < s.columns; k++) {
            float value = p.step[k] * (float)p.packed[(t / 4 * stride + k) * 4 + t % 4];
            assert_close(value, A[t * stride + k], 0.501 * (double)p.step[k]);
        }
    packing_free(&p);
    free(A);
}

/* ---- The Cholesky factor --------------------------------------------------------------------- */

/* A'A + 0.1, in rows of `stride` numbers, of which only the upper triangle is set. */
static float *definite(dice *d, size_t n, size_t stride)
{
    float *A = memory_of((n + 5) * n, sizeof *A);
    for (size_t i = 0; i < (n + 5) * n; i++)
        A[i] = (float)dice_normal(d);
    float *K = memory_of(n * stride + PV_REGRESSION_SLACK, sizeof *K);
    for (size_t k = 0; k < n; k++)
        for (size_t l = k; l < stride; l++) {
            double sum = k == l ? 0.1 : 0;
            for (size_t t = 0; t < n + 5 && l < n; t++)
                sum += (double)A[t * n + k] * A[t * n + l];
            K[k * stride + l] = l < n ? (float)sum : 0;
        }
    free(A);
    return K;
}

static void the_factor_reproduces_the_matrix(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 130; n += n < 40 ? 1 : 15) {
        dice d = {n};
        size_t stride = pv_regression_stride(n),
               bytes = (n * stride + PV_REGRESSION_SLACK) * sizeof(float);
        float *K = definite(&d, n, stride), *U = memory_of(bytes, 1), *first = memory_of(bytes, 1);
        for (size_t i = 0;; i++) {
            const pv_regression_kernels *kernels = i ? pv_regression_kernels_at(i - 1)
                                                     : &pv_regression_kernels_plain;
            if (!kernels)
                break;
            memcpy(U, K, bytes);
            assert_true(kernels->cholesky(U, n, stride));
            for (size_t k = 0; k < n; k++)
                for (size_t l = k; l < n; l++) {
                    double sum = 0, size = 0;
                    for (size_t t = 0; t <= k; t++) {
                        sum += (double)U[t * stride + k] * U[t * stride + l];
                        size += fabs((double)U[t * stride + k] * U[t * stride + l]);
                    }
                    assert_close(sum, K[k * stride + l], 1e-6 * (size + 1));
                }
            /* Kernels with fused multiply-add give the same bits. */
            assert_true(i < 2 || kernels->levels == pv_regression_kernels_at(0)->levels);
            if (i == 1)
                memcpy(first, U, bytes);
            for (size_t k = 0; k < n && i > 1; k++)
                assert_memory_equal(U + k * stride + k, first + k * stride + k,
                                    (n - k) * sizeof *U);
        }
        free(K);
        free(U);
        free(first);
    }
}

static void indefinite_matrices_are_detected(void **state)
{
    (void)state;
    static const float bad[] = {-1, 0, NAN};
    for (size_t n = 1; n <= 60; n += 7)
        for (size_t at = 0; at < n; at += 3)
            for (size_t b = 0; b < 3; b++)
                for (size_t i = 0;; i++) {
                    const pv_regression_kernels *kernels = i ? pv_regression_kernels_at(i - 1)
                                                             : &pv_regression_kernels_plain;
                    if (!kernels)
                        break;
                    dice d = {n};
                    size_t stride = pv_regression_stride(n);
                    float *K = definite(&d, n, stride);
                    K[at * stride + at] = bad[b];
                    assert_false(kernels->cholesky(K, n, stride));
                    free(K);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaled_rows_are_those_of_plain_c),
        cmocka_unit_test(sums_of_packed_numbers_are_exact),
        cmocka_unit_test(the_largest_numbers_do_not_overflow),
        cmocka_unit_test(packed_numbers_are_half_a_step_off_at_most),
        cmocka_unit_test(the_factor_reproduces_the_matrix),
        cmocka_unit_test(indefinite_matrices_are_detected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
