/* Conversions that do not depend on the locale of the calling program. */
#include "base/context.h"
#include "support/locales.h"
#include "support/scratch.h"
#include "util/c_locale.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int to_c_locale(void **state)
{
    (void)state;
    return setlocale(LC_ALL, "C") ? 0 : -1;
}

/* False if the locale is not available. */
static bool speak(const char *(*find)(const char *))
{
    char *folder = scratch_new();
    const char *name = find(folder);
    bool spoken = name && setlocale(LC_ALL, name);
    scratch_free(folder);
    return spoken;
}

PV_PRINTF(2, 3)
static int print(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = pv_vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

static void numbers_have_a_decimal_point(void **state)
{
    (void)state;
    if (!speak(locale_with_comma))
        skip();
    char text[20];
    snprintf(text, sizeof text, "%g", 1234.5);
    assert_string_equal(text, "1234,5"); /* or this tests nothing */
    assert_int_equal(pv_snprintf(text, sizeof text, "%g", 1234.5), 6);
    assert_string_equal(text, "1234.5");
    char *allocated;
    assert_int_equal(print(&allocated, "%.2f %s", 0.25, "of it"), 10);
    assert_string_equal(allocated, "0.25 of it");
    free(allocated);
    double d = 0;
    float f = 0;
    assert_true(pv_text_to_double("0.1", &d));
    assert_true(d == 0.1);
    assert_true(pv_text_to_float("0.1", &f));
    assert_true(f == 0.1F);
    snprintf(text, sizeof text, "%g", 1234.5);
    assert_string_equal(text, "1234,5"); /* the program's locale is restored */
}

static void messages_have_a_decimal_point(void **state)
{
    (void)state;
    if (!speak(locale_with_comma))
        skip();
    psdvec_context *ctx;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    pv_fail(ctx, PSDVEC_ERR_OPTION, "%g is too much", 0.75);
    assert_string_equal(psdvec_error_message(ctx), "0.75 is too much");
    psdvec_context_free(ctx);
}

static void letters_are_those_of_ascii(void **state)
{
    (void)state;
    bool turkish = speak(locale_of_turkish);
    assert_true(!turkish || tolower('I') != 'i'); /* or this tests nothing */
    assert_true(pv_same_letters("INTEGER", "integer"));
    assert_true(pv_same_letters("", ""));
    assert_false(pv_same_letters("integers", "integer"));
    assert_false(pv_same_letters("integer", "integers"));
    assert_false(pv_same_letters("integes", "integer"));
    assert_false(pv_same_letters("[", "{")); /* they differ in the bit that distinguishes case */
    assert_true(pv_begins_with("LICENSE.txt", "license"));
    assert_true(pv_begins_with("license", "LICENSE"));
    assert_true(pv_begins_with("x", ""));
    assert_false(pv_begins_with("licens", "license"));
    if (!turkish)
        skip();
}

static void errors_have_a_text(void **state)
{
    (void)state;
    char room[100];
    assert_string_equal(pv_error_text(ENOENT, room, sizeof room), "No such file or directory");
    assert_true(strlen(pv_error_text(99999, room, sizeof room)) > 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, to_c_locale)
    const struct CMUnitTest tests[] = {
        TEST(numbers_have_a_decimal_point),
        TEST(messages_have_a_decimal_point),
        TEST(letters_are_those_of_ascii),
        TEST(errors_have_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
