/* pv_refine: when one product with the old vectors is enough, and when it must not be used. */
#include "base/context.h"
#include "solve/refine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { N = 4, COLUMNS = 2 };

/* Multiplies by a diagonal matrix. */
static psdvec_status multiply(void *self, const float *X, float *Y, size_t columns)
{
    const double *diagonal = self;
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < columns; c++)
            Y[i * columns + c] = (float)(diagonal[i] * (double)X[i * columns + c]);
    return PSDVEC_OK;
}

/* Refines the unit vector of the first axis, and one at this angle between the second and the third
 * axis. Returns whether the result is valid. */
static bool refined(double *diagonal, double angle, double *values, float *vectors)
{
    psdvec_context *ctx;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    const float old[N * COLUMNS] = {1, 0, 0, (float)cos(angle), 0, (float)sin(angle), 0, 0};
    pv_operator matrix = {.n = N, .self = diagonal, .apply = multiply};
    pv_refine_options options = {.end = PV_EIGEN_MAGNITUDE,
                                 .want = COLUMNS,
                                 .block = COLUMNS,
                                 .old = old,
                                 .columns = COLUMNS,
                                 .stride = COLUMNS};
    bool sound;
    assert_int_equal(pv_refine(ctx, &matrix, &options, values, vectors, &sound), PSDVEC_OK);
    psdvec_context_free(ctx);
    return sound;
}

static void nearly_known_vectors_become_closer(void **state)
{
    (void)state;
    double diagonal[N] = {10, -2, 0.2, 0.1}, values[COLUMNS], angle = 0.1;
    float vectors[N * COLUMNS];
    assert_true(refined(diagonal, angle, values, vectors));
    assert_true(fabs(values[0] - 10) < 1e-5);
    assert_true(fabs(values[1] + 2) < 0.01);
    /* The error is multiplied by .2 / 2. */
    assert_true(fabs(fabs((double)vectors[2 * COLUMNS + 1]) - 0.1 * sin(angle)) < 1e-3);
}

/* The vector is between eigenvectors of opposite sign: its Rayleigh quotient is nearly 0 while its
 * product with the matrix is long, and the approximation would have the eigenvalue 2^2 / 0.0002. */
static void a_vector_with_a_long_product_and_no_eigenvalue_is_refused(void **state)
{
    (void)state;
    double diagonal[N] = {10, 2.0002, -1.9998, 0.1}, values[COLUMNS];
    float vectors[N * COLUMNS];
    assert_false(refined(diagonal, atan(1), values, vectors));
    double none[N] = {10, 2, -2, 0.1};
    assert_false(refined(none, atan(1), values, vectors));
}

/* A small eigenvalue is no reason to refuse if the product is as short. */
static void a_small_eigenvalue_is_accepted(void **state)
{
    (void)state;
    double diagonal[N] = {10, 2e-4, 1e-5, 0}, values[COLUMNS];
    float vectors[N * COLUMNS];
    assert_true(refined(diagonal, 0.1, values, vectors));
    assert_true(fabs(values[1] / 2e-4 - 1) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_known_vectors_become_closer),
        cmocka_unit_test(a_vector_with_a_long_product_and_no_eigenvalue_is_refused),
        cmocka_unit_test(a_small_eigenvalue_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
