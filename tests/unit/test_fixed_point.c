/* Conversion of third-party numbers to multiples of 1/scale, and back. */
#include "count/fixed_point.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_decimal_becomes_the_nearest_multiple(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t scale, fixed;
        bool fraction, inexact;
    } cases[] = {
        {"0", 60, 0, false, false},
        {"1", 60, 60, false, false},
        {"+7", 1, 7, false, false},
        {"-0.0", 1, 0, false, false},
        {"0.5", 60, 30, true, false},
        {".5", 60, 30, true, false},
        {"5.", 60, 300, false, false},
        {"2.000", 60, 120, false, false},
        {"1.5e1", 60, 900, false, false},
        {"1.5E+1", 60, 900, false, false},
        {"150e-1", 60, 900, false, false},
        {"15d0", 60, 900, false, false},
        {"0.0166666666666666667", 60, 1, true, false},
        {"0.016666667", 60, 1, true, false},
        {"0.02", 60, 1, true, true},
        {"3.333333333333333e-01", 360360, 120120, true, false},
        {"0.33333333333333333333333333333333", 3, 1, true, false},
        {"1e-39", 60, 0, true, true},
        {"1e-99999999999", 60, 0, true, true},
        {"0.4", 1, 0, true, true},
        {"0.5", 1, 1, true, true},
        {"1.4", 1, 1, true, true},
        {"9007199254740993", 1, UINT64_C(9007199254740993), false, false},
        {"18446744073709551600", 1, UINT64_C(18446744073709551600), false, false},
        {"1e19", 1, UINT64_C(10000000000000000000), false, false},
        {"0e99999999999", 1, 0, false, false},
        {"0000000000000000000000000000012", 1, 12, false, false},
        {"12000000000000000000000000000000e-30", 1, 12, false, false},
        {"307445734561825860.016666667", 60, UINT64_C(18446744073709551601), true, false},
        {"307445734561825860.000000000000", 60, UINT64_C(18446744073709551600), false, false},
        {"0.00000000000000000000000000000000000000000000000000000000000000000000000001", 9, 0, true,
         true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pv_decimal d;
        pv_rounding r = {.scale = cases[i].scale};
        uint64_t fixed = 0;
        const char *end = pv_decimal_read(cases[i].text, &d);
        if (!end || *end || !pv_round_decimal(&r, &d, &fixed) || fixed != cases[i].fixed ||
            r.fractions != cases[i].fraction || (r.inexact != 0) != cases[i].inexact)
            fail_msg("%s at 1/%llu gave %llu%s%s", cases[i].text,
                     (unsigned long long)cases[i].scale, (unsigned long long)fixed,
                     r.fractions ? ", a fraction" : "", r.inexact ? ", inexact" : "");
    }
}

static void invalid_counts_are_refused(void **state)
{
    (void)state;
    static const char *const nonsense[] = {"",    "-", "+",  ".",   "e5", "nan",
                                           "inf", "x", "1e", "1e+", "- 1"};
    pv_decimal d;
    pv_rounding r = {.scale = 60};
    uint64_t fixed;
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++)
        assert_null(pv_decimal_read(nonsense[i], &d));
    static const char *const outside[] = {"-1",
                                          "-1e-30",
                                          "1e20",
                                          "1e99999999999",
                                          "400000000000000000",
                                          "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        assert_non_null(pv_decimal_read(outside[i], &d));
        assert_false(pv_round_decimal(&r, &d, &fixed));
    }
    const double bad[] = {-1, -1e-300, NAN, INFINITY, -INFINITY, 1e18, 1e300};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(pv_round_double(&r, bad[i], &fixed));
}

static void a_sum_of_doubles_is_exact_and_roundings_are_counted(void **state)
{
    (void)state;
    pv_rounding r = {.scale = 60};
    uint64_t fixed;
    double sum = 0;
    for (int i = 1; i <= 1000000; i++) {
        sum += 1.0 / (i % 5 + 1);
        if (i % 100000 == 0) {
            assert_true(pv_round_double(&r, sum, &fixed));
            assert_int_equal(fixed, (uint64_t)i / 5 * 137); /* 60 + 30 + 20 + 15 + 12 */
        }
    }
    assert_int_equal(r.inexact, 0);
    assert_true(pv_round_double(&r, 0.1, &fixed)); /* 6/60 */
    assert_int_equal(r.inexact, 0);
    assert_true(pv_round_double(&r, 0.11, &fixed));
    assert_int_equal(fixed, 7);
    assert_int_equal(r.inexact, 1);
    assert_true(fabs(r.worst - (7.0 / 60 - 0.11)) < 1e-12);
}

static void what_is_written_reads_back_as_the_same_value(void **state)
{
    (void)state;
    static const uint64_t scales[] = {1,
                                      2,
                                      3,
                                      60,
                                      360360,
                                      1 << 20,
                                      99991,
                                      UINT64_C(10000000000),
                                      UINT64_C(999999999999999989),
                                      UINT64_MAX};
    uint64_t random = 1;
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
        unsigned places = pv_fixed_places(scales[s]);
        for (int i = 0; i < 20000; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint64_t value = random >> (random % 64), fixed = 0;
            if (value > UINT64_MAX - 20)
                continue;
            if (scales[s] > UINT64_C(100000000000000))
                continue;
            char text[64];
            *pv_fixed_write(text, value, scales[s], places) = '\0';
            pv_rounding r = {.scale = scales[s]};
            pv_decimal d;
            const char *end = pv_decimal_read(text, &d);
            if (!end || *end || !pv_round_decimal(&r, &d, &fixed) || fixed != value || r.inexact)
                fail_msg("%llu/%llu was written as %s and read as %llu", (unsigned long long)value,
                         (unsigned long long)scales[s], text, (unsigned long long)fixed);
        }
    }
    char text[64];
    *pv_fixed_write(text, 20, 60, pv_fixed_places(60)) = '\0';
    assert_string_equal(text, "0.333333333");
    *pv_fixed_write(text, 90, 60, pv_fixed_places(60)) = '\0';
    assert_string_equal(text, "1.5");
    *pv_fixed_write(text, UINT64_MAX, 1, 0) = '\0';
    assert_string_equal(text, "18446744073709551615");
    char *end = pv_fixed_write(text, UINT64_MAX - 1, UINT64_MAX, pv_fixed_places(UINT64_MAX));
    assert_in_range(end - text, 20, 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decimal_becomes_the_nearest_multiple),
        cmocka_unit_test(invalid_counts_are_refused),
        cmocka_unit_test(a_sum_of_doubles_is_exact_and_roundings_are_counted),
        cmocka_unit_test(what_is_written_reads_back_as_the_same_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
