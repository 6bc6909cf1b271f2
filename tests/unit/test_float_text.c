/* Components of vectors as text, against the C library. */
#include "model/float_text.h"
#include "support/locales.h"
#include "support/scratch.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static pv_number read_text(const char *text, float *value, const char **after)
{
    return pv_float_read(text, text + strlen(text), after, value);
}

static void assert_reads_like_strtof(const char *text)
{
    float value = -7, wanted = strtof(text, NULL);
    const char *after;
    pv_number kind = read_text(text, &value, &after);
    if (!isfinite(wanted)) {
        assert_int_equal(kind, PV_NUMBER_NOT_FINITE);
        return;
    }
    if (kind != PV_NUMBER_FINE || bits_of(value) != bits_of(wanted) || *after != '\0')
        fail_msg("%s read as %.9g instead of %.9g", text, (double)value, (double)wanted);
}

static void decimals_are_read_as_the_nearest_float(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "+1.5",
                                        ".5",
                                        "5.",
                                        "00012.500",
                                        "0.1",
                                        "1e-4",
                                        "1E+4",
                                        "16777217",
                                        "16777219",
                                        "16777217.0000000000000000000000000000001",
                                        "0.333333343267440795898437500000000000000000000",
                                        "3.4028235e38",
                                        "3.4028236e38",
                                        "3.5e38",
                                        "1e39",
                                        "1e-45",
                                        "7e-46",
                                        "1.1754944e-38",
                                        "1e-999999999999999999999",
                                        "1e999999999999999999999",
                                        "123456789012345678901234567890",
                                        "0.000000000000000000000000000000000000123456789",
                                        "4.179999828338623047e-01",
                                        "-9.99999999999999999999e9"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        assert_reads_like_strtof(texts[k]);
    dice d = {1};
    char text[64];
    for (int k = 0; k < 300000; k++) {
        double value = (double)of_bits((uint32_t)dice_u64(&d));
        if (!isfinite(value))
            continue;
        /* Also close to the midpoint of two floats, where rounding is hardest. */
        if (k % 3 == 0)
            value = (value + (double)of_bits(bits_of((float)value) + 1)) / 2;
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)dice_below(&d, 22), value);
        assert_reads_like_strtof(text);
        snprintf(text, sizeof text, "%.*f", (int)dice_below(&d, 20), fmod(value, 1000));
        assert_reads_like_strtof(text);
    }
}

static void invalid_numbers_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        pv_number kind;
        size_t used;
    } cases[] = {{"", PV_NUMBER_NONE, 0},          {"-", PV_NUMBER_NONE, 0},
                 {".", PV_NUMBER_NONE, 0},         {"abc", PV_NUMBER_NONE, 0},
                 {"e5", PV_NUMBER_NONE, 0},        {"1e", PV_NUMBER_FINE, 1},
                 {"1e+", PV_NUMBER_FINE, 1},       {"1,5", PV_NUMBER_FINE, 1},
                 {"0x10", PV_NUMBER_FINE, 1},      {"2.5.1", PV_NUMBER_FINE, 3},
                 {"nan", PV_NUMBER_NOT_FINITE, 3}, {"-NaN", PV_NUMBER_NOT_FINITE, 4},
                 {"inf", PV_NUMBER_NOT_FINITE, 3}, {"-Infinity", PV_NUMBER_NOT_FINITE, 9},
                 {"1e39", PV_NUMBER_NOT_FINITE, 4}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        float value;
        const char *after;
        assert_int_equal(read_text(cases[k].text, &value, &after), cases[k].kind);
        assert_int_equal(after - cases[k].text, cases[k].used);
    }
}

static void reading_stops_at_the_given_end(void **state)
{
    (void)state;
    float value;
    const char *text = "12345", *after;
    assert_int_equal(pv_float_read(text, text + 3, &after, &value), PV_NUMBER_FINE);
    assert_true(value == 123 && after == text + 3);
}

/* The number of significant digits in the text. */
static int digits_in(const char *text)
{
    int digits = 0, zeros = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9') {
            zeros = *text == '0' ? zeros + 1 : 0;
            digits += digits || *text != '0';
        }
    return digits - (zeros < digits ? zeros : digits);
}

static void assert_gives_back(float value)
{
    char text[PV_FLOAT_CAPACITY + 1], other[64];
    size_t length = pv_float_write(text, value, 0);
    assert_in_range(length, 1, PV_FLOAT_CAPACITY);
    text[length] = '\0';
    if (bits_of(strtof(text, NULL)) != bits_of(value))
        fail_msg("%.9g was written as %s", (double)value, text);
    assert_reads_like_strtof(text);
    int needed = 1;
    for (; needed < 9; needed++) {
        snprintf(other, sizeof other, "%.*e", needed - 1, (double)value);
        if (bits_of(strtof(other, NULL)) == bits_of(value))
            break;
    }
    if (value != 0 && digits_in(text) > needed)
        fail_msg("%s has more digits than %s needs", text, other);
}

static void the_shortest_text_reads_back_as_the_same_bits(void **state)
{
    (void)state;
    const float odd[] = {0.0F,    -0.0F,   1.0F,      0.1F,        FLT_MIN,     FLT_MAX, -FLT_MAX,
                         1e-45F,  3e-45F,  1.5e-40F,  16777216.0F, 1e22F,       1e23F,   9999995.0F,
                         9.9e-5F, 0.0001F, 999999.9F, 1e9F,        123456789.0F};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++)
        assert_gives_back(odd[k]);
    dice d = {2};
    for (int k = 0; k < 200000; k++) {
        float value = of_bits((uint32_t)dice_u64(&d));
        if (isfinite(value))
            assert_gives_back(value);
        assert_gives_back((float)(dice_unit(&d) - 0.5));
    }
}

static void the_number_of_digits_can_be_set(void **state)
{
    (void)state;
    static const struct {
        float value;
        int digits;
        const char *text;
    } cases[] = {{0.123456789F, 3, "0.123"}, {-0.99999F, 3, "-1"},        {1234.5F, 2, "1200"},
                 {1e-7F, 4, "1e-07"},        {1.25e12F, 3, "1.25e+12"},   {0, 5, "0"},
                 {2.5F, 9, "2.5"},           {0.0001234F, 4, "0.0001234"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[PV_FLOAT_CAPACITY + 1];
        text[pv_float_write(text, cases[k].value, cases[k].digits)] = '\0';
        assert_string_equal(text, cases[k].text);
    }
}

static void a_locale_with_decimal_commas_changes_nothing(void **state)
{
    (void)state;
    char *folder = scratch_new();
    const char *name = locale_with_comma(folder);
    bool set = name && setlocale(LC_NUMERIC, name) != NULL;
    scratch_free(folder);
    if (!set)
        skip();
    float value;
    const char *after;
    assert_int_equal(read_text("1.5e-43", &value, &after), PV_NUMBER_FINE);
    assert_true(bits_of(value) == bits_of(1.5e-43F));
    char text[PV_FLOAT_CAPACITY + 1];
    text[pv_float_write(text, 1.4e-43F, 0)] = '\0';
    assert_null(strchr(text, ','));
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_read_as_the_nearest_float),
        cmocka_unit_test(invalid_numbers_are_reported),
        cmocka_unit_test(reading_stops_at_the_given_end),
        cmocka_unit_test(the_shortest_text_reads_back_as_the_same_bits),
        cmocka_unit_test(the_number_of_digits_can_be_set),
        cmocka_unit_test(a_locale_with_decimal_commas_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
