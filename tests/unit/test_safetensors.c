/* The safetensors reader and writer: round trips, and that every flipped bit is detected. */
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

/* ---- Round trips ----------------------------------------------------------------------------- */

static void check_small(psdvec_context *ctx, const pv_st_file *file)
{
    const pv_tensor *t = pv_st_tensor(file, "numbers");
    assert_non_null(t);
    assert_string_equal(t->name, "numbers");
    assert_int_equal(t->dtype, PV_DTYPE_U32);
    assert_int_equal(t->rank, 2);
    assert_int_equal(t->shape[0], 2);
    assert_int_equal(t->shape[1], 3);
    assert_int_equal(t->count, 6);
    assert_int_equal(t->bytes, 24);
    assert_int_equal(((const uint32_t *)t->data)[5], 6);
    t = pv_st_tensor(file, "reals");
    assert_non_null(t);
    assert_true(((const double *)t->data)[1] == -1);
    assert_null(pv_st_tensor(file, "others"));
    assert_int_equal(pv_st_count(file), 2);
    assert_string_equal(pv_st_at(file, 0)->name, "numbers");
    assert_string_equal(pv_st_at(file, 1)->name, "reals");
    assert_string_equal(pv_st_meta(file, "settings"), "{\"window\":5}");
    assert_null(pv_st_meta(file, "nothing"));
    assert_int_equal(pv_st_meta_count(file), 5);
    assert_string_equal(pv_st_meta_at(file, 0).key, "format");
    assert_string_equal(pv_st_meta_at(file, 4).key, "xxh3.reals");
    assert_int_equal(pv_st_verify(ctx, file), PSDVEC_OK);
}

static void written_data_is_read_back(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    write_small(ctx, &m);
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open_memory(ctx, "m", m.data, m.length, &file), PSDVEC_OK);
    check_small(ctx, file);
    pv_st_close(file);
    free(m.data);
}

static void a_file_on_disk_is_the_same_mapped_and_read(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    write_small(ctx, &m);
    char path[64];
    temp_path(path);
    save_bytes(path, m.data, m.length);
    for (int never_map = 0; never_map < 2; never_map++) {
        pv_st_file *file = NULL;
        assert_int_equal(pv_st_open_how(ctx, path, never_map, &file), PSDVEC_OK);
        assert_string_equal(pv_st_path(file), path);
        assert_int_equal(pv_st_bytes(file), m.length);
        check_small(ctx, file);
        pv_st_close(file);
    }
    unlink(path);
    free(m.data);
}

static void an_output_file_can_be_the_sink(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    char path[64];
    temp_path(path);
    pv_output *output = NULL;
    pv_st_writer *w = NULL;
    static const float values[3] = {1, 2, 3};
    assert_int_equal(pv_output_open(ctx, path, &output), PSDVEC_OK);
    assert_int_equal(pv_st_writer_begin(ctx, pv_st_output_sink(output), 1, NULL, 0, 0, &w),
                     PSDVEC_OK);
    assert_int_equal(pv_st_writer_tensor(w, "v", PV_DTYPE_F32, 1, (uint64_t[]){3}, values),
                     PSDVEC_OK);
    assert_int_equal(pv_st_writer_end(w, NULL), PSDVEC_OK);
    pv_st_writer_free(w);
    assert_int_equal(pv_output_commit(output), PSDVEC_OK);
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open(ctx, path, &file), PSDVEC_OK);
    assert_int_equal(pv_st_verify(ctx, file), PSDVEC_OK);
    assert_true(((const float *)pv_st_tensor(file, "v")->data)[2] == 3);
    pv_st_close(file);
    unlink(path);
}

static void every_type_and_size_is_aligned_to_64_bytes(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m = {.ctx = ctx, .writes_left = -1};
    pv_st_writer *w = NULL;
    unsigned char bytes[1024];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7);
    assert_int_equal(pv_st_writer_begin(ctx, sink_of(&m), 100, NULL, 0, 0, &w), PSDVEC_OK);
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        assert_int_equal(pv_st_writer_tensor(w, name, (pv_dtype)(i % PV_DTYPE_COUNT), 1,
                                             (uint64_t[]){(uint64_t)i}, bytes),
                         PSDVEC_OK);
    }
    assert_int_equal(pv_st_writer_end(w, NULL), PSDVEC_OK);
    pv_st_writer_free(w);
    unsigned char *aligned = aligned_alloc(64, (m.length + 63) / 64 * 64);
    assert_non_null(aligned);
    memcpy(aligned, m.data, m.length);
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open_memory(ctx, "m", aligned, m.length, &file), PSDVEC_OK);
    assert_int_equal(pv_st_count(file), 100);
    for (size_t i = 0; i < 100; i++) {
        const pv_tensor *t = pv_st_at(file, i);
        assert_int_equal(t->count, i);
        assert_int_equal(t->bytes, i * pv_dtype_size(t->dtype));
        if (t->bytes == 0)
            continue;
        assert_int_equal((uintptr_t)t->data % 64, 0);
        assert_memory_equal(t->data, bytes, (size_t)t->bytes);
    }
    assert_null(pv_st_tensor(file, "pad.0"));
    assert_int_equal(pv_st_verify(ctx, file), PSDVEC_OK);
    pv_st_close(file);
    free(aligned);
    free(m.data);
}

static void pieces_of_any_size_give_the_same_bytes(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    size_t size = 5000001;
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * i >> 5);
    memory_file files[3];
    static const size_t pieces[3] = {5000001, 4096, 99991};
    for (int k = 0; k < 3; k++) {
        files[k] = (memory_file){.ctx = ctx, .writes_left = -1};
        pv_st_writer *w = NULL;
        assert_int_equal(pv_st_writer_begin(ctx, sink_of(&files[k]), 1, tensor_settings, 2, 0, &w),
                         PSDVEC_OK);
        assert_int_equal(pv_st_writer_start(w, "b", PV_DTYPE_U8), PSDVEC_OK);
        for (size_t at = 0; at < size; at += pieces[k])
            assert_int_equal(
                pv_st_writer_append(w, bytes + at, size - at < pieces[k] ? size - at : pieces[k]),
                PSDVEC_OK);
        assert_int_equal(pv_st_writer_stop(w, 1, (uint64_t[]){size}), PSDVEC_OK);
        assert_int_equal(pv_st_writer_end(w, NULL), PSDVEC_OK);
        pv_st_writer_free(w);
        assert_int_equal(files[k].length, files[0].length);
        assert_memory_equal(files[k].data, files[0].data, files[0].length);
    }
    for (int k = 0; k < 3; k++)
        free(files[k].data);
    free(bytes);
}

static void metadata_may_come_late_and_in_any_order(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m[2];
    for (int k = 0; k < 2; k++) {
        m[k] = (memory_file){.ctx = ctx, .writes_left = -1};
        pv_st_writer *w = NULL;
        pv_st_pair first = {"total", "0"};
        assert_int_equal(pv_st_writer_begin(ctx, sink_of(&m[k]), 0, &first, 1, 200, &w), PSDVEC_OK);
        assert_int_equal(pv_st_writer_meta(w, k ? "b" : "a", "\n\"\\\t\x01\xc3\xa9"), PSDVEC_OK);
        assert_int_equal(pv_st_writer_meta(w, "total", "12345678901234567890"), PSDVEC_OK);
        assert_int_equal(pv_st_writer_meta(w, k ? "a" : "b", "\n\"\\\t\x01\xc3\xa9"), PSDVEC_OK);
        assert_int_equal(pv_st_writer_end(w, NULL), PSDVEC_OK);
        pv_st_writer_free(w);
    }
    assert_int_equal(m[0].length, m[1].length);
    assert_memory_equal(m[0].data, m[1].data, m[0].length);
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open_memory(ctx, "m", m[0].data, m[0].length, &file), PSDVEC_OK);
    assert_string_equal(pv_st_meta(file, "total"), "12345678901234567890");
    assert_string_equal(pv_st_meta(file, "a"), "\n\"\\\t\x01\xc3\xa9");
    assert_int_equal(pv_st_verify(ctx, file), PSDVEC_OK);
    pv_st_close(file);
    free(m[0].data);
    free(m[1].data);
}

static void the_longest_entries_fit_the_reserved_header(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m = {.ctx = ctx, .writes_left = -1};
    pv_st_writer *w = NULL;
    char name[PV_ST_NAME_MAX + 1];
    memset(name, 'n', PV_ST_NAME_MAX);
    name[PV_ST_NAME_MAX] = 0;
    uint64_t shape[PV_ST_RANK_MAX] = {0,          UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                      UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    assert_int_equal(pv_st_writer_begin(ctx, sink_of(&m), 60, NULL, 0, 0, &w), PSDVEC_OK);
    for (int i = 0; i < 60; i++) {
        name[0] = (char)('A' + i % 26);
        name[1] = (char)('a' + i / 26);
        assert_int_equal(
            i % 2 ? pv_st_writer_tensor(w, name, PV_DTYPE_U8, 1, (uint64_t[]){1}, "x")
                  : pv_st_writer_tensor(w, name, PV_DTYPE_F8_E4M3, PV_ST_RANK_MAX, shape, NULL),
            PSDVEC_OK);
    }
    assert_int_equal(pv_st_writer_end(w, NULL), PSDVEC_OK);
    pv_st_writer_free(w);
    assert_int_equal(open_bytes(ctx, m.data, m.length), PSDVEC_OK);
    free(m.data);
}

static void a_file_without_tensors_is_a_file(void **state)
{
    assert_header_accepted(state, "{}", 0);
    assert_header_accepted(state, "{}      ", 0);
    assert_header_accepted(state, "{\"__metadata__\":{}}", 0);
}

static void numbers_without_dimensions_and_empty_tensors_are_read(void **state)
{
    assert_header_accepted(state, "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}",
                           4);
    assert_header_accepted(state,
                           "{\"e\":{\"dtype\":\"F32\",\"shape\":[0,5],\"data_offsets\":[4,4]},"
                           "\"f\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},"
                           "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
                           4);
}

static void a_misaligned_foreign_tensor_is_copied(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    make_file(&m,
              "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
              "\"b\":{\"dtype\":\"U64\",\"shape\":[2],\"data_offsets\":[1,17]},"
              "\"pad.0\":{\"dtype\":\"U16\",\"shape\":[2],\"data_offsets\":[17,21]}}",
              21);
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open_memory(ctx, "m", m.data, m.length, &file), PSDVEC_OK);
    const pv_tensor *b = pv_st_tensor(file, "b");
    assert_non_null(b);
    assert_int_equal((uintptr_t)b->data % 8, 0);
    assert_true(*(const uint64_t *)b->data == UINT64_C(0x0807060504030201));
    const pv_tensor *pad = pv_st_tensor(file, "pad.0"); /* an ordinary name in a third-party file */
    assert_non_null(pad);
    assert_int_equal((uintptr_t)pad->data % 2, 0);
    assert_int_equal(((const uint16_t *)pad->data)[1], 0x1413);
    pv_st_close(file);
    free(m.data);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void a_file_cut_anywhere_is_refused(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    write_small(ctx, &m);
    for (size_t n = 0; n < m.length; n++) {
        unsigned char *cut = malloc(n ? n : 1); /* exact: the sanitizer detects a read beyond the
                                                 * end */
        assert_non_null(cut);
        memcpy(cut, m.data, n);
        assert_int_equal(open_bytes(ctx, cut, n), PSDVEC_ERR_CORRUPT);
        free(cut);
    }
    assert_int_equal(open_bytes(ctx, m.data, m.length - 5), PSDVEC_ERR_CORRUPT);
    assert_non_null(strstr(psdvec_error_message(ctx), "truncated: 5 bytes are missing at its end"));
    assert_int_equal(open_bytes(ctx, m.data, 20), PSDVEC_ERR_CORRUPT);
    assert_non_null(strstr(psdvec_error_message(ctx), "are missing"));
    pv_begin(ctx);
    free(m.data);
}

static void every_flipped_bit_is_detected(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    write_small(ctx, &m);
    for (size_t i = 0; i < m.length; i++)
        for (int bit = 0; bit < 8; bit++) {
            m.data[i] ^= (unsigned char)(1 << bit);
            pv_st_file *file = NULL;
            pv_begin(ctx);
            psdvec_status status = pv_st_open_memory(ctx, "m", m.data, m.length, &file);
            if (status == PSDVEC_OK)
                status = pv_st_verify(ctx, file);
            pv_st_close(file);
            if (status == PSDVEC_OK)
                fail_msg("byte %zu bit %d", i, bit);
            assert_true(status == PSDVEC_ERR_CORRUPT || status == PSDVEC_ERR_FORMAT);
            m.data[i] ^= (unsigned char)(1 << bit);
        }
    pv_begin(ctx);
    free(m.data);
}

static void a_damaged_tensor_is_named(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    write_small(ctx, &m);
    pv_st_file *file = NULL;
    m.data[m.length - 3] ^= 4;
    assert_int_equal(pv_st_open_memory(ctx, "m", m.data, m.length, &file), PSDVEC_OK);
    assert_int_equal(pv_st_verify(ctx, file), PSDVEC_ERR_CORRUPT);
    assert_non_null(strstr(psdvec_error_message(ctx), "m: tensor \"reals\" is damaged"));
    pv_begin(ctx);
    pv_st_close(file);
    free(m.data);
}

static void changed_settings_are_detected(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    write_small(ctx, &m);
    size_t place = 0;
    while (place + 6 < m.length && memcmp(m.data + place, "window", 6) != 0)
        place++;
    assert_memory_equal(m.data + place, "window", 6);
    m.data[place] = 'W';
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open_memory(ctx, "m", m.data, m.length, &file), PSDVEC_OK);
    assert_int_equal(pv_st_verify(ctx, file), PSDVEC_ERR_CORRUPT);
    assert_non_null(strstr(psdvec_error_message(ctx), "header is damaged"));
    pv_begin(ctx);
    pv_st_close(file);
    free(m.data);
}

static void a_file_without_checksums_cannot_be_verified(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    make_file(&m, "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4);
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open_memory(ctx, "m", m.data, m.length, &file), PSDVEC_OK);
    assert_int_equal(pv_st_verify(ctx, file), PSDVEC_ERR_FORMAT);
    assert_non_null(strstr(psdvec_error_message(ctx), "no checksums"));
    pv_begin(ctx);
    pv_st_close(file);
    free(m.data);
}

/* ---- Requiring ------------------------------------------------------------------------------- */

static void a_required_tensor_must_have_the_right_form(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    write_small(ctx, &m);
    pv_st_file *file = NULL;
    const pv_tensor *t = NULL;
    assert_int_equal(pv_st_open_memory(ctx, "m", m.data, m.length, &file), PSDVEC_OK);
    static const int64_t exact[2] = {2, 3}, any[2] = {-1, 3}, wrong[2] = {2, 4};
    assert_int_equal(pv_st_require(ctx, file, "numbers", PV_DTYPE_U32, 2, exact, &t), PSDVEC_OK);
    assert_ptr_equal(t, pv_st_tensor(file, "numbers"));
    assert_int_equal(pv_st_require(ctx, file, "numbers", PV_DTYPE_U32, 2, any, &t), PSDVEC_OK);
    assert_int_equal(pv_st_require(ctx, file, "numbers", PV_DTYPE_U32, 2, NULL, &t), PSDVEC_OK);
    assert_int_equal(pv_st_require(ctx, file, "numbers", PV_DTYPE_U32, 2, wrong, &t),
                     PSDVEC_ERR_FORMAT);
    assert_null(t);
    assert_non_null(strstr(psdvec_error_message(ctx),
                           "m: the tensor \"numbers\" is U32 [2, 3], but U32 [2, 4] is needed"));
    pv_begin(ctx);
    assert_int_equal(pv_st_require(ctx, file, "numbers", PV_DTYPE_F32, 1, NULL, &t),
                     PSDVEC_ERR_FORMAT);
    assert_non_null(strstr(psdvec_error_message(ctx), "U32 [2, 3], but F32 [any] is needed"));
    pv_begin(ctx);
    assert_int_equal(pv_st_require(ctx, file, "indptr", PV_DTYPE_U64, 1, NULL, &t),
                     PSDVEC_ERR_FORMAT);
    assert_non_null(strstr(psdvec_error_message(ctx), "m: has no tensor \"indptr\" (U64 [any])"));
    pv_begin(ctx);
    pv_st_close(file);
    free(m.data);
}

/* ---- Cancellation and failures --------------------------------------------------------------- */

static void verifying_stops_on_request(void **state)
{
    tensor_bench *b = *state;
    memory_file m = {.ctx = b->ctx, .writes_left = -1};
    size_t size = (size_t)20 << 20;
    unsigned char *zeros = calloc(1, size);
    assert_non_null(zeros);
    pv_st_writer *w = NULL;
    assert_int_equal(pv_st_writer_begin(b->ctx, sink_of(&m), 1, NULL, 0, 0, &w), PSDVEC_OK);
    assert_int_equal(pv_st_writer_tensor(w, "z", PV_DTYPE_U8, 1, (uint64_t[]){size}, zeros),
                     PSDVEC_OK);
    assert_int_equal(pv_st_writer_end(w, NULL), PSDVEC_OK);
    pv_st_writer_free(w);
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open_memory(b->ctx, "m", m.data, m.length, &file), PSDVEC_OK);
    assert_int_equal(pv_st_verify(b->ctx, file), PSDVEC_OK);
    b->polls = 0;
    b->polls_left = 2;
    assert_int_equal(pv_st_verify(b->ctx, file), PSDVEC_ERR_CANCELLED);
    b->polls_left = -1;
    pv_begin(b->ctx);
    pv_st_close(file);
    free(zeros);
    free(m.data);
}

static void a_full_disk_is_reported_by_all_later_calls(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    for (int writes = 0; writes < 4; writes++) {
        memory_file m = {.ctx = ctx, .writes_left = writes};
        pv_st_writer *w = NULL;
        pv_begin(ctx);
        assert_int_equal(pv_st_writer_begin(ctx, sink_of(&m), 2, NULL, 0, 0, &w), PSDVEC_OK);
        pv_st_writer_tensor(w, "a", PV_DTYPE_U8, 1, (uint64_t[]){1}, "x");
        pv_st_writer_tensor(w, "b", PV_DTYPE_U8, 1, (uint64_t[]){1}, "y");
        assert_int_equal(pv_st_writer_end(w, NULL), PSDVEC_ERR_DISK_FULL);
        assert_int_equal(pv_st_writer_end(w, NULL), PSDVEC_ERR_DISK_FULL);
        pv_st_writer_free(w);
        free(m.data);
    }
    pv_begin(ctx);
}

static void misuse_of_the_writer_is_reported(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    for (int wrong = 0; wrong < 14; wrong++) {
        memory_file m = {.ctx = ctx, .writes_left = -1};
        pv_st_writer *w = NULL;
        pv_begin(ctx);
        assert_int_equal(pv_st_writer_begin(ctx, sink_of(&m), 1, tensor_settings, 2, 0, &w),
                         PSDVEC_OK);
        uint64_t one[1] = {1}, two[1] = {2};
        static char huge[1000];
        memset(huge, 'h', sizeof huge - 1);
        switch (wrong) {
        case 0:
            pv_st_writer_append(w, "x", 1);
            break;
        case 1:
            pv_st_writer_start(w, "a", PV_DTYPE_U8);
            pv_st_writer_append(w, "x", 1);
            pv_st_writer_stop(w, 1, two);
            break;
        case 2:
            pv_st_writer_start(w, "a", PV_DTYPE_U8);
            pv_st_writer_end(w, NULL);
            break;
        case 3:
            pv_st_writer_tensor(w, "a", PV_DTYPE_U8, 1, one, "x");
            pv_st_writer_tensor(w, "b", PV_DTYPE_U8, 1, one, "x");
            break;
        case 4:
            pv_st_writer_tensor(w, "pad.7", PV_DTYPE_U8, 1, one, "x");
            break;
        case 5:
            pv_st_writer_tensor(w, "metadata", PV_DTYPE_U8, 1, one, "x");
            break;
        case 6:
            pv_st_writer_tensor(w, "", PV_DTYPE_U8, 1, one, "x");
            break;
        case 7:
            pv_st_writer_meta(w, "xxh3.a", "0");
            break;
        case 8:
            pv_st_writer_meta(w, "a", "\xff");
            break;
        case 9:
            pv_st_writer_meta(w, "a", huge);
            pv_st_writer_end(w, NULL);
            break;
        case 10:
            pv_st_writer_stop(w, 1, one);
            break;
        case 11:
            pv_st_writer_tensor(w, "a", PV_DTYPE_U8, 9, one, "x");
            break;
        case 12:
            pv_st_writer_start(w, "a", PV_DTYPE_COUNT);
            break;
        default:
            pv_st_writer_end(w, NULL);
            pv_st_writer_end(w, NULL);
        }
        assert_int_equal(pv_st_writer_end(w, NULL), PSDVEC_ERR_INTERNAL);
        pv_st_writer_free(w);
        free(m.data);
    }
    pv_begin(ctx);
    static const pv_st_pair twice[2] = {{"a", "1"}, {"a", "2"}};
    memory_file m = {.ctx = ctx, .writes_left = -1};
    pv_st_writer *w = NULL;
    assert_int_equal(pv_st_writer_begin(ctx, sink_of(&m), 1, twice, 2, 0, &w), PSDVEC_ERR_INTERNAL);
    assert_null(w);
    pv_begin(ctx);
    assert_int_equal(pv_st_writer_begin(ctx, sink_of(&m), SIZE_MAX / 2, NULL, 0, 0, &w),
                     PSDVEC_ERR_OVERFLOW);
    pv_begin(ctx);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_open, tensors_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(written_data_is_read_back),
        TEST(a_file_on_disk_is_the_same_mapped_and_read),
        TEST(an_output_file_can_be_the_sink),
        TEST(every_type_and_size_is_aligned_to_64_bytes),
        TEST(pieces_of_any_size_give_the_same_bytes),
        TEST(metadata_may_come_late_and_in_any_order),
        TEST(the_longest_entries_fit_the_reserved_header),
        TEST(a_file_without_tensors_is_a_file),
        TEST(numbers_without_dimensions_and_empty_tensors_are_read),
        TEST(a_misaligned_foreign_tensor_is_copied),
        TEST(a_file_cut_anywhere_is_refused),
        TEST(every_flipped_bit_is_detected),
        TEST(a_damaged_tensor_is_named),
        TEST(changed_settings_are_detected),
        TEST(a_file_without_checksums_cannot_be_verified),
        TEST(a_required_tensor_must_have_the_right_form),
        TEST(verifying_stops_on_request),
        TEST(a_full_disk_is_reported_by_all_later_calls),
        TEST(misuse_of_the_writer_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
