/* The BLAS behind base/blas.h: correct, safe to call from several threads at once, and without
 * effect on an OpenBLAS that the calling program uses. */
#include "base/blas.h"
#include "base/memory.h"
#include "base/thread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The functions of the program's OpenBLAS. */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);
int openblas_get_parallel(void);

/* Sizes at which every function requests a work buffer from OpenBLAS; the long vectors are for the
 * functions that keep a short buffer on the stack. */
enum { SIDE = 24, LONG = 700, PRODUCT = 130, TASKS = 12000, RESULTS = PRODUCT * PRODUCT };

typedef struct problem {
    float a[PRODUCT * PRODUCT], b[PRODUCT * PRODUCT]; /* some numbers in -0.5 .. 0.5 */
    float triangle[LONG * LONG];                      /* lower, well conditioned */
    float definite[SIDE * SIDE];
    double symmetric[SIDE * SIDE];
} problem;

typedef struct result {
    float numbers[RESULTS];
    double eigen[SIDE * SIDE + SIDE];
} result;

typedef psdvec_status operation(psdvec_context *ctx, const problem *p, result *r);

static psdvec_status axpy(psdvec_context *ctx, const problem *p, result *r)
{
    (void)ctx;
    memcpy(r->numbers, p->b, LONG * sizeof(float));
    cblas_saxpy(LONG, 3, p->a, 1, r->numbers, 1);
    return PSDVEC_OK;
}

static psdvec_status dot(psdvec_context *ctx, const problem *p, result *r)
{
    (void)ctx;
    r->numbers[0] = cblas_sdot(LONG, p->a, 1, p->b, 1);
    return PSDVEC_OK;
}

static psdvec_status small_product(psdvec_context *ctx, const problem *p, result *r)
{
    (void)ctx;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, SIDE, SIDE, SIDE, 1, p->a, SIDE, p->b,
                SIDE, 0, r->numbers, SIDE);
    return PSDVEC_OK;
}

static psdvec_status large_product(psdvec_context *ctx, const problem *p, result *r)
{
    (void)ctx;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, PRODUCT, PRODUCT, PRODUCT, 1, p->a,
                PRODUCT, p->b, PRODUCT, 0, r->numbers, PRODUCT);
    return PSDVEC_OK;
}

static psdvec_status double_product(psdvec_context *ctx, const problem *p, result *r)
{
    (void)ctx;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, SIDE, SIDE, SIDE, 1, p->symmetric, SIDE,
                p->symmetric, SIDE, 0, r->eigen, SIDE);
    return PSDVEC_OK;
}

static psdvec_status product_with_vector(psdvec_context *ctx, const problem *p, result *r)
{
    (void)ctx;
    cblas_sgemv(CblasRowMajor, CblasNoTrans, SIDE, LONG, 1, p->triangle, LONG, p->b, 1, 0,
                r->numbers, 1);
    return PSDVEC_OK;
}

static psdvec_status square(psdvec_context *ctx, const problem *p, result *r)
{
    (void)ctx;
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, SIDE, SIDE, 1, p->a, SIDE, 0, r->numbers,
                SIDE);
    return PSDVEC_OK;
}

static psdvec_status solve(psdvec_context *ctx, const problem *p, result *r)
{
    (void)ctx;
    memcpy(r->numbers, p->b, LONG * sizeof(float));
    cblas_strsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, LONG, p->triangle, LONG,
                r->numbers, 1);
    return PSDVEC_OK;
}

static psdvec_status root(psdvec_context *ctx, const problem *p, result *r)
{
    memcpy(r->numbers, p->definite, sizeof p->definite);
    return pv_cholesky(r->numbers, SIDE, SIDE)
               ? PSDVEC_OK
               : pv_fail(ctx, PSDVEC_ERR_NUMERIC, "the matrix is not positive definite");
}

static psdvec_status square_double(psdvec_context *ctx, const problem *p, result *r)
{
    (void)ctx;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, SIDE, SIDE, 1, p->symmetric, SIDE, 0,
                r->eigen, SIDE);
    return PSDVEC_OK;
}

static psdvec_status root_double(psdvec_context *ctx, const problem *p, result *r)
{
    for (size_t i = 0; i < SIDE * SIDE; i++)
        r->eigen[i] = p->definite[i];
    return pv_cholesky_double(r->eigen, SIDE, SIDE)
               ? PSDVEC_OK
               : pv_fail(ctx, PSDVEC_ERR_NUMERIC, "the matrix is not positive definite");
}

static psdvec_status eigen(psdvec_context *ctx, const problem *p, result *r)
{
    memcpy(r->eigen, p->symmetric, sizeof p->symmetric);
    return pv_symmetric_eigen(ctx, r->eigen, r->eigen + SIDE * SIDE, SIDE);
}

static operation *const operations[] = {
    axpy,  dot,  small_product,       large_product, double_product, square,
    solve, root, product_with_vector, square_double, root_double,    eigen};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

typedef struct setting {
    psdvec_context *ctx;
    problem *p;
    result *expected; /* OPERATIONS, by one thread */
    result *got;      /* one per worker */
    atomic_int wrong;
} setting;

static float number(size_t i, size_t factor)
{
    return (float)(i * factor % 1021) / 1021 - 0.5f;
}

static int set_up(void **state)
{
    static setting s;
    s = (setting){0};
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = 8;
    o.memory = 256 << 20;
    if (psdvec_context_new(&o, &s.ctx) != PSDVEC_OK)
        return -1;
    s.p = pv_alloc_zero(s.ctx, 1, sizeof *s.p, "a problem");
    s.expected = pv_alloc_zero(s.ctx, OPERATIONS, sizeof *s.expected, "results");
    s.got = pv_alloc_zero(s.ctx, (size_t)psdvec_threads(s.ctx), sizeof *s.got, "results");
    if (!s.p || !s.expected || !s.got)
        return -1;
    for (size_t i = 0; i < PRODUCT * PRODUCT; i++) {
        s.p->a[i] = number(i, 377);
        s.p->b[i] = number(i, 611);
    }
    for (size_t i = 0; i < LONG; i++)
        for (size_t j = 0; j <= i; j++)
            s.p->triangle[i * LONG + j] = i == j ? 2 : number(i * LONG + j, 229) / LONG;
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++) {
            s.p->definite[i * SIDE + j] = (i == j ? SIDE : 0) + number(i + j, 89);
            s.p->symmetric[i * SIDE + j] = number((i + 1) * (j + 1), 89);
        }
    for (size_t k = 0; k < OPERATIONS; k++)
        if (operations[k](s.ctx, s.p, &s.expected[k]) != PSDVEC_OK)
            return -1;
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    setting *s = *state;
    pv_free(s->ctx, s->p);
    pv_free(s->ctx, s->expected);
    pv_free(s->ctx, s->got);
    psdvec_context_free(s->ctx);
    return 0;
}

static const result *result_of(const setting *s, operation *op)
{
    for (size_t k = 0; k < OPERATIONS; k++)
        if (operations[k] == op)
            return &s->expected[k];
    fail();
    return NULL;
}

static const float *numbers_of(const setting *s, operation *op)
{
    return result_of(s, op)->numbers;
}

static void each_function_computes_the_right_result(void **state)
{
    const setting *s = *state;
    const problem *p = s->p;
    double sum = 0;
    for (size_t i = 0; i < LONG; i++) {
        assert_float_equal(numbers_of(s, axpy)[i], 3 * p->a[i] + p->b[i], 1e-6);
        sum += (double)p->a[i] * p->b[i];
    }
    assert_float_equal(numbers_of(s, dot)[0], sum, 1e-4);
    for (size_t i = 0; i < PRODUCT; i++)
        for (size_t j = 0; j < PRODUCT; j++) {
            double cell = 0;
            for (size_t k = 0; k < PRODUCT; k++)
                cell += (double)p->a[i * PRODUCT + k] * p->b[j * PRODUCT + k];
            assert_float_equal(numbers_of(s, large_product)[i * PRODUCT + j], cell, 1e-4);
        }
    const float *U = numbers_of(s, root);
    const double *R = result_of(s, root_double)->eigen;
    for (size_t i = 0; i < SIDE; i++) {
        double row = 0;
        for (size_t j = 0; j < LONG; j++)
            row += (double)p->triangle[i * LONG + j] * p->b[j];
        assert_float_equal(numbers_of(s, product_with_vector)[i], row, 1e-4);
        for (size_t j = 0; j < SIDE; j++) {
            double product = 0, own = 0, back = 0, exact = 0, squared = 0;
            for (size_t k = 0; k < SIDE; k++) {
                product += (double)p->a[i * SIDE + k] * p->b[j * SIDE + k];
                own += (double)p->a[i * SIDE + k] * p->a[j * SIDE + k];
                back += k <= i && k <= j ? (double)U[k * SIDE + i] * U[k * SIDE + j] : 0;
                exact += k <= i && k <= j ? R[k * SIDE + i] * R[k * SIDE + j] : 0;
                squared += p->symmetric[i * SIDE + k] * p->symmetric[j * SIDE + k];
            }
            assert_float_equal(numbers_of(s, small_product)[i * SIDE + j], product, 1e-5);
            if (j <= i) {
                assert_float_equal(numbers_of(s, square)[i * SIDE + j], own, 1e-5);
                assert_float_equal(back, p->definite[i * SIDE + j], 1e-4);
                assert_float_equal(exact, p->definite[i * SIDE + j], 1e-12);
                assert_float_equal(result_of(s, square_double)->eigen[i * SIDE + j], squared,
                                   1e-12);
            }
        }
    }
    const float *x = numbers_of(s, solve);
    for (size_t i = 0; i < LONG; i++) {
        double row = 0;
        for (size_t j = 0; j <= i; j++)
            row += (double)p->triangle[i * LONG + j] * x[j];
        assert_float_equal(row, p->b[i], 1e-5);
    }
    const double *V = result_of(s, eigen)->eigen, *values = V + (size_t)SIDE * SIDE;
    for (size_t k = 0; k < SIDE; k++) {
        assert_true(k == 0 || values[k - 1] <= values[k]);
        for (size_t i = 0; i < SIDE; i++) {
            double image = 0;
            for (size_t j = 0; j < SIDE; j++)
                image += p->symmetric[i * SIDE + j] * V[k * SIDE + j];
            assert_float_equal(image, values[k] * V[k * SIDE + i], 1e-12);
        }
    }
}

/* Mostly small operations: the shorter the call, the more often a buffer is reused by another
 * thread. */
static psdvec_status one_operation(void *arg, size_t task, int worker)
{
    setting *s = arg;
    size_t k = task % OPERATIONS;
    result *got = &s->got[worker];
    memset(got, 0, sizeof *got);
    PV_TRY(operations[k](s->ctx, s->p, got));
    if (memcmp(got, &s->expected[k], sizeof *got) != 0)
        atomic_fetch_add(&s->wrong, 1);
    return PSDVEC_OK;
}

static psdvec_status many_small_products(void *arg, size_t task, int worker)
{
    setting *s = arg;
    (void)task;
    const float *expected = numbers_of(s, square);
    float *got = s->got[worker].numbers;
    for (int i = 0; i < 50; i++) {
        memset(got, 0, SIDE * SIDE * sizeof *got);
        PV_TRY(square(s->ctx, s->p, &s->got[worker]));
        if (memcmp(got, expected, SIDE * SIDE * sizeof *got) != 0)
            atomic_fetch_add(&s->wrong, 1);
    }
    return PSDVEC_OK;
}

static void concurrent_calls_give_the_same_bits(void **state)
{
    setting *s = *state;
    assert_int_equal(psdvec_threads(s->ctx), 8);
    assert_int_equal(pv_parallel_tasks(s->ctx, TASKS, one_operation, s), PSDVEC_OK);
    assert_int_equal(pv_parallel_tasks(s->ctx, TASKS, many_small_products, s), PSDVEC_OK);
    assert_int_equal(atomic_load(&s->wrong), 0);
}

static void the_threads_of_the_programs_openblas_do_not_change(void **state)
{
    setting *s = *state;
    if (openblas_get_parallel() == 0) {
        print_message("the system's OpenBLAS has no threads\n");
        skip();
    }
    openblas_set_num_threads(2);
    assert_int_equal(openblas_get_num_threads(), 2); /* or this tests nothing */
    for (size_t k = 0; k < OPERATIONS; k++) {
        assert_int_equal(operations[k](s->ctx, s->p, s->got), PSDVEC_OK);
        assert_int_equal(openblas_get_num_threads(), 2);
    }
    assert_int_equal(pv_parallel_tasks(s->ctx, 500, one_operation, s), PSDVEC_OK);
    assert_int_equal(openblas_get_num_threads(), 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_function_computes_the_right_result),
        TEST(concurrent_calls_give_the_same_bits),
        TEST(the_threads_of_the_programs_openblas_do_not_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
