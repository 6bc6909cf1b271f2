/* Safetensors headers: files of other types, and every header that is rejected. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "support/tensor_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Not a safetensors file ------------------------------------------------------------------ */

static void other_files_are_distinguished_from_damaged_ones(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    static const char *const others[] = {
        "hello world, this is text", "{\"json\": \"but no length\"}",
        "\x28\xb5\x2f\xfd\x04\x58\x99\x01 zstd and more", "PK\x03\x04\x14 zip and something else"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(open_bytes(ctx, others[i], strlen(others[i])), PSDVEC_ERR_FORMAT);
        assert_non_null(strstr(psdvec_error_message(ctx), "not a safetensors file"));
    }
    static const unsigned char zeros[64] = {0};
    assert_int_equal(open_bytes(ctx, zeros, sizeof zeros), PSDVEC_ERR_FORMAT);
    assert_int_equal(open_bytes(ctx, zeros, 8), PSDVEC_ERR_FORMAT);
    assert_int_equal(open_bytes(ctx, zeros, 0), PSDVEC_ERR_CORRUPT);
    assert_non_null(strstr(psdvec_error_message(ctx), "empty"));
    pv_begin(ctx);
}

static void a_huge_header_length_is_refused_without_allocating(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    static const unsigned char all[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, '{', '}'};
    assert_int_equal(open_bytes(ctx, all, 10), PSDVEC_ERR_FORMAT);
    static const unsigned char wrap[16] = {0xf8, 0xff, 0xff, 0xff, 0xff,
                                           0xff, 0xff, 0xff, '{',  '}'};
    assert_int_equal(open_bytes(ctx, wrap, 10), PSDVEC_ERR_FORMAT);
    static const unsigned char limit[16] = {0x01, 0xe1, 0xf5, 0x05, 0, 0, 0, 0, '{', '}'};
    assert_int_equal(open_bytes(ctx, limit, 10), PSDVEC_ERR_FORMAT);
    static const unsigned char below[16] = {0x00, 0xe1, 0xf5, 0x05, 0, 0, 0, 0, '{', '}'};
    assert_int_equal(open_bytes(ctx, below, 10), PSDVEC_ERR_CORRUPT);
    assert_non_null(strstr(psdvec_error_message(ctx), "so 99999998 or more are missing"));
    pv_begin(ctx);
}

static void a_missing_file_is_reported_as_missing(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open(ctx, "/nonexistent/x", &file), PSDVEC_ERR_NOT_FOUND);
    assert_null(file);
    pv_begin(ctx);
    assert_int_equal(pv_st_open(ctx, "/", &file), PSDVEC_ERR_READ);
    pv_begin(ctx);
    pv_st_close(NULL);
}

/* ---- Hostile headers ------------------------------------------------------------------------- */

#define T(name, dtype, shape, begin, end)                                                          \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end   \
    "]}"

static void invalid_json_is_refused_with_its_position(void **state)
{
    assert_header_refused(state, "{\"a\":}", 0, PSDVEC_ERR_CORRUPT, "at byte 13: ");
    assert_header_refused(state, "{} x", 0, PSDVEC_ERR_CORRUPT, "at byte 11: ");
    assert_header_refused(state, "{\"a\":{", 0, PSDVEC_ERR_CORRUPT, "ends inside an object");
    assert_header_refused(state, "{\"\xff\":1}", 0, PSDVEC_ERR_CORRUPT, "UTF-8");
    assert_header_refused(state, " {}", 0, PSDVEC_ERR_FORMAT, "not a safetensors file");
    assert_header_refused(state, "[]", 0, PSDVEC_ERR_FORMAT, "not a safetensors file");
}

static void a_depth_bomb_is_refused(void **state)
{
    char *bomb = malloc(100001);
    assert_non_null(bomb);
    memset(bomb, '[', 100000);
    bomb[100000] = 0;
    memcpy(bomb, "{\"a\":{\"x\":", 10);
    assert_header_refused(state, bomb, 0, PSDVEC_ERR_CORRUPT, "nested too deeply");
    free(bomb);
}

static void a_tensor_without_a_field_is_refused(void **state)
{
    assert_header_refused(state, "{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, PSDVEC_ERR_CORRUPT,
                          "lacks its");
    assert_header_refused(state, "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1,
                          PSDVEC_ERR_CORRUPT, "lacks its");
    assert_header_refused(state, "{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
                          PSDVEC_ERR_CORRUPT, "lacks its");
    assert_header_refused(state, "{\"a\":{}}", 0, PSDVEC_ERR_CORRUPT, "lacks its");
    assert_header_refused(state, "{\"a\":7}", 0, PSDVEC_ERR_CORRUPT, "an object is expected");
}

static void fields_of_the_wrong_kind_are_refused(void **state)
{
    assert_header_refused(state, "{\"a\":{\"dtype\":8}}", 0, PSDVEC_ERR_CORRUPT,
                          "a string is expected");
    assert_header_refused(state, "{\"a\":{\"shape\":3}}", 0, PSDVEC_ERR_CORRUPT,
                          "an array is expected");
    assert_header_refused(state, "{\"a\":{\"shape\":[\"3\"]}}", 0, PSDVEC_ERR_CORRUPT, "number");
    assert_header_refused(state, "{\"a\":{\"shape\":[1.5]}}", 0, PSDVEC_ERR_CORRUPT,
                          "whole number");
    assert_header_refused(state, "{\"a\":{\"data_offsets\":[0]}}", 0, PSDVEC_ERR_CORRUPT,
                          "fewer than two");
    assert_header_refused(state, "{\"a\":{\"data_offsets\":[0,1,2]}}", 0, PSDVEC_ERR_CORRUPT,
                          "more than two");
    assert_header_refused(state, "{\"a\":{\"data_offsets\":{}}}", 0, PSDVEC_ERR_CORRUPT,
                          "an array is expected");
}

static void negative_numbers_are_refused(void **state)
{
    assert_header_refused(state, "{" T("a", "U8", "[-1]", "0", "1") "}", 1, PSDVEC_ERR_CORRUPT,
                          "negative");
    assert_header_refused(state, "{" T("a", "U8", "[1]", "-1", "0") "}", 1, PSDVEC_ERR_CORRUPT,
                          "negative");
    assert_header_refused(state, "{" T("a", "U8", "[1]", "1", "0") "}", 1, PSDVEC_ERR_CORRUPT,
                          "ends before it begins");
}

static void unknown_types_and_too_many_dimensions_are_refused(void **state)
{
    assert_header_refused(state, "{" T("a", "F99", "[1]", "0", "1") "}", 1, PSDVEC_ERR_FORMAT,
                          "the type \"F99\"");
    assert_header_refused(state, "{" T("a", "", "[1]", "0", "1") "}", 1, PSDVEC_ERR_FORMAT,
                          "the type \"\"");
    assert_header_refused(state, "{" T("a", "U8", "[1,1,1,1,1,1,1,1,1]", "0", "1") "}", 1,
                          PSDVEC_ERR_FORMAT, "more than 8 dimensions");
}

static void shapes_that_overflow_are_refused(void **state)
{
    assert_header_refused(state, "{" T("a", "U8", "[4294967296,4294967296]", "0", "0") "}", 0,
                          PSDVEC_ERR_CORRUPT, "too large");
    assert_header_refused(state, "{" T("a", "F64", "[2305843009213693952]", "0", "0") "}", 0,
                          PSDVEC_ERR_CORRUPT, "too large");
    assert_header_refused(state, "{" T("a", "U8", "[18446744073709551616]", "0", "0") "}", 0,
                          PSDVEC_ERR_CORRUPT, "64 bits");
    assert_header_refused(
        state, "{" T("a", "U8", "[18446744073709551615]", "0", "18446744073709551615") "}", 4,
        PSDVEC_ERR_CORRUPT, "truncated");
}

static void a_shape_must_fit_its_bytes(void **state)
{
    assert_header_refused(state, "{" T("a", "U16", "[2]", "0", "3") "}", 3, PSDVEC_ERR_CORRUPT,
                          "has 3 bytes, but its shape and type need 4");
}

static void overlaps_holes_and_leftovers_are_refused(void **state)
{
    assert_header_refused(state,
                          "{" T("a", "U8", "[4]", "0", "4") "," T("b", "U8", "[4]", "2", "6") "}",
                          6, PSDVEC_ERR_CORRUPT, "\"b\" overlaps");
    assert_header_refused(state,
                          "{" T("a", "U8", "[4]", "0", "4") "," T("b", "U8", "[4]", "0", "4") "}",
                          4, PSDVEC_ERR_CORRUPT, "overlaps");
    assert_header_refused(state,
                          "{" T("b", "U8", "[4]", "5", "9") "," T("a", "U8", "[4]", "0", "4") "}",
                          9, PSDVEC_ERR_CORRUPT, "\"b\" leaves a hole");
    assert_header_refused(state, "{" T("a", "U8", "[4]", "1", "5") "}", 5, PSDVEC_ERR_CORRUPT,
                          "hole");
    assert_header_refused(state,
                          "{" T("e", "U8", "[0]", "2", "2") "," T("a", "U8", "[4]", "0", "4") "}",
                          4, PSDVEC_ERR_CORRUPT, "overlaps");
    assert_header_refused(state, "{" T("a", "U8", "[4]", "0", "4") "}", 7, PSDVEC_ERR_CORRUPT,
                          "3 bytes follow");
    assert_header_refused(state, "{}", 1, PSDVEC_ERR_CORRUPT, "1 byte follows");
}

static void names_given_twice_are_refused(void **state)
{
    assert_header_refused(state,
                          "{" T("a", "U8", "[1]", "0", "1") "," T("a", "U8", "[1]", "1", "2") "}",
                          2, PSDVEC_ERR_CORRUPT, "\"a\" is given twice");
    assert_header_refused(
        state, "{" T("a", "U8", "[1]", "0", "1") "," T("\\u0061", "U8", "[1]", "1", "2") "}", 2,
        PSDVEC_ERR_CORRUPT, "\"a\" is given twice");
    assert_header_refused(state, "{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 0,
                          PSDVEC_ERR_CORRUPT, "given twice");
    assert_header_refused(state, "{\"__metadata__\":{},\"__metadata__\":{}}", 0, PSDVEC_ERR_CORRUPT,
                          "__metadata__ is given twice");
    assert_header_refused(state, "{\"__metadata__\":{\"k\":\"1\",\"j\":\"\",\"k\":\"2\"}}", 0,
                          PSDVEC_ERR_CORRUPT, "\"k\" twice");
}

static void metadata_that_is_not_text_is_refused(void **state)
{
    assert_header_refused(state, "{\"__metadata__\":{\"a\":1}}", 0, PSDVEC_ERR_CORRUPT,
                          "a string is expected");
    assert_header_refused(state, "{\"__metadata__\":{\"a\":null}}", 0, PSDVEC_ERR_CORRUPT,
                          "a string is expected");
    assert_header_refused(state, "{\"__metadata__\":[]}", 0, PSDVEC_ERR_CORRUPT,
                          "an object is expected");
    assert_header_refused(state, "{\"__metadata__\":{\"a\":\"b\\u0000c\"}}", 0, PSDVEC_ERR_CORRUPT,
                          "zero character");
    assert_header_refused(state, "{" T("a\\u0000", "U8", "[1]", "0", "1") "}", 1,
                          PSDVEC_ERR_CORRUPT, "zero character");
}

static void a_hostile_name_does_not_reach_the_terminal(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    char header[2000] = "{\"\\u001b[2J\\u009b1m";
    size_t at = strlen(header);
    memset(header + at, 'x', 1000);
    memcpy(header + at + 1000, "\":{}}", sizeof "\":{}}");
    memory_file m;
    make_file(&m, header, 0);
    assert_int_equal(open_bytes(ctx, m.data, m.length), PSDVEC_ERR_CORRUPT);
    const char *message = psdvec_error_message(ctx);
    assert_null(strchr(message, 0x1b));
    assert_null(strstr(message, "\xc2\x9b"));
    assert_true(strlen(message) < 300);
    pv_begin(ctx);
    free(m.data);
}

static void unknown_fields_of_a_tensor_are_skipped(void **state)
{
    assert_header_accepted(state,
                           "{\"a\":{\"more\":[{\"x\":1}],\"dtype\":\"U8\",\"shape\":[2],"
                           "\"data_offsets\":[0,2]}}",
                           2);
}

static void more_tensors_than_the_memory_budget_holds_are_refused(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    size_t count = 600000; /* more than 64 MiB of entries */
    char *header = malloc(count * 80);
    assert_non_null(header);
    size_t at = (size_t)sprintf(header, "{");
    for (size_t i = 0; i < count; i++)
        at += (size_t)sprintf(header + at,
                              "%s\"%zu\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}",
                              i ? "," : "", i);
    memcpy(header + at, "}", 2);
    memory_file m;
    make_file(&m, header, 0);
    assert_int_equal(open_bytes(ctx, m.data, m.length), PSDVEC_ERR_BUDGET);
    pv_begin(ctx);
    free(m.data);
    free(header);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_open, tensors_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(other_files_are_distinguished_from_damaged_ones),
        TEST(a_huge_header_length_is_refused_without_allocating),
        TEST(a_missing_file_is_reported_as_missing),
        TEST(invalid_json_is_refused_with_its_position),
        TEST(a_depth_bomb_is_refused),
        TEST(a_tensor_without_a_field_is_refused),
        TEST(fields_of_the_wrong_kind_are_refused),
        TEST(negative_numbers_are_refused),
        TEST(unknown_types_and_too_many_dimensions_are_refused),
        TEST(shapes_that_overflow_are_refused),
        TEST(a_shape_must_fit_its_bytes),
        TEST(overlaps_holes_and_leftovers_are_refused),
        TEST(names_given_twice_are_refused),
        TEST(metadata_that_is_not_text_is_refused),
        TEST(a_hostile_name_does_not_reach_the_terminal),
        TEST(unknown_fields_of_a_tensor_are_skipped),
        TEST(more_tensors_than_the_memory_budget_holds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
