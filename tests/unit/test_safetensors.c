/* The safetensors reader and writer: round trips, every refusal, and that no
 * single damaged bit goes unnoticed. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/safetensors_read.h"
#include "base/safetensors_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Tools -------------------------------------------------------------------- */

typedef struct bench {
    psdvec_context *ctx;
    int polls_left; /* the host asks to stop after so many questions; negative: never */
    int polls;
} bench;

static bool should_cancel(void *user)
{
    bench *b = user;
    b->polls++;
    return b->polls_left >= 0 && b->polls > b->polls_left;
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    if (!b)
        return -1;
    b->polls_left = -1;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = (uint64_t)64 << 20;
    options.should_cancel = should_cancel;
    options.user = b;
    *state = b;
    return psdvec_context_new(&options, &b->ctx) == PSDVEC_OK ? 0 : -1;
}

/* Every test must give back all memory. */
static int tear_down(void **state)
{
    bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    free(b);
    return used == 0 ? 0 : -1;
}

/* A file in memory that can be written anywhere. */
typedef struct memory_file {
    unsigned char *data;
    size_t length, capacity;
    uint64_t next;   /* where the next tensor bytes must come */
    int writes_left; /* fails afterwards; negative: never */
    psdvec_context *ctx;
} memory_file;

static psdvec_status memory_write(void *self, uint64_t offset, const void *data, size_t length)
{
    memory_file *m = self;
    if (m->writes_left == 0)
        return pv_fail(m->ctx, PSDVEC_ERR_DISK_FULL, "no room");
    if (m->writes_left > 0)
        m->writes_left--;
    if (offset != 0) {
        assert_true(m->next == 0 || m->next == offset); /* in order, without gaps */
        m->next = offset + length;
    }
    size_t end = (size_t)offset + length;
    if (end > m->capacity) {
        m->capacity = end * 2;
        m->data = realloc(m->data, m->capacity);
        assert_non_null(m->data);
    }
    if (end > m->length) {
        if (offset > m->length)
            memset(m->data + m->length, 0xee, (size_t)offset - m->length);
        m->length = end;
    }
    memcpy(m->data + offset, data, length);
    return PSDVEC_OK;
}

static pv_st_sink sink_of(memory_file *m)
{
    return (pv_st_sink){memory_write, m};
}

static const pv_st_pair SETTINGS[] = {{"format", "psdvec-test"}, {"settings", "{\"window\":5}"}};

/* Two tensors and a filler between them. */
static void write_small(psdvec_context *ctx, memory_file *m)
{
    *m = (memory_file){.ctx = ctx, .writes_left = -1};
    pv_st_writer *w = NULL;
    static const uint32_t numbers[6] = {1, 2, 3, 4, 5, 6};
    static const double reals[2] = {0.5, -1};
    uint64_t bytes = 0;
    assert_int_equal(pv_st_writer_begin(ctx, sink_of(m), 2, SETTINGS, 2, 0, &w), PSDVEC_OK);
    assert_int_equal(
        pv_st_writer_tensor(w, "numbers", PV_DTYPE_U32, 2, (uint64_t[]){2, 3}, numbers), PSDVEC_OK);
    assert_int_equal(pv_st_writer_start(w, "reals", PV_DTYPE_F64), PSDVEC_OK);
    assert_int_equal(pv_st_writer_append(w, reals, 8), PSDVEC_OK);
    assert_int_equal(pv_st_writer_append(w, reals + 1, 8), PSDVEC_OK);
    assert_int_equal(pv_st_writer_stop(w, 1, (uint64_t[]){2}), PSDVEC_OK);
    assert_int_equal(pv_st_writer_end(w, &bytes), PSDVEC_OK);
    assert_int_equal(bytes, m->length);
    pv_st_writer_free(w);
}

/* A file from a header written by hand and some bytes 0, 1, 2, ... */
static void make_file(memory_file *m, const char *header, size_t data_bytes)
{
    *m = (memory_file){.writes_left = -1};
    size_t length = strlen(header);
    m->length = 8 + length + data_bytes;
    m->data = malloc(m->length);
    assert_non_null(m->data);
    for (size_t i = 0; i < 8; i++)
        m->data[i] = (unsigned char)(length >> (8 * i));
    memcpy(m->data + 8, header, length);
    for (size_t i = 0; i < data_bytes; i++)
        m->data[8 + length + i] = (unsigned char)i;
}

static psdvec_status open_bytes(psdvec_context *ctx, const void *data, size_t length)
{
    pv_st_file *file = NULL;
    pv_begin(ctx);
    psdvec_status status = pv_st_open_memory(ctx, "x.safetensors", data, length, &file);
    assert_true((status == PSDVEC_OK) == (file != NULL));
    pv_st_close(file);
    return status;
}

/* The header is refused with this status, and the sentence names the file and
 * contains `words`. */
static void assert_refused(void **state, const char *header, size_t data_bytes,
                           psdvec_status expected, const char *words)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
    memory_file m;
    make_file(&m, header, data_bytes);
    psdvec_status status = open_bytes(ctx, m.data, m.length);
    free(m.data);
    if (status != expected)
        fail_msg("status %s (%s) for %s", psdvec_status_name(status), psdvec_error_message(ctx),
                 header);
    const char *message = psdvec_error_message(ctx);
    if (!strstr(message, words) || !strstr(message, "x.safetensors: ") || !strstr(message, "; "))
        fail_msg("no \"%s\" in: %s", words, message);
    pv_begin(ctx);
}

static void assert_accepted(void **state, const char *header, size_t data_bytes)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
    memory_file m;
    make_file(&m, header, data_bytes);
    psdvec_status status = open_bytes(ctx, m.data, m.length);
    free(m.data);
    if (status != PSDVEC_OK)
        fail_msg("%s for %s", psdvec_error_message(ctx), header);
}

static void temp_path(char path[64])
{
    snprintf(path, 64, "/tmp/psdvec-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

static void save(const char *path, const void *data, size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

/* ---- Round trips ------------------------------------------------------------------ */

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

static void what_is_written_is_read_back(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    psdvec_context *ctx = ((bench *)*state)->ctx;
    memory_file m;
    write_small(ctx, &m);
    char path[64];
    temp_path(path);
    save(path, m.data, m.length);
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

static void an_output_file_serves_as_the_sink(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
        assert_int_equal(pv_st_writer_begin(ctx, sink_of(&files[k]), 1, SETTINGS, 2, 0, &w),
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
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    assert_accepted(state, "{}", 0);
    assert_accepted(state, "{}      ", 0);
    assert_accepted(state, "{\"__metadata__\":{}}", 0);
}

static void numbers_without_dimensions_and_empty_tensors_are_read(void **state)
{
    assert_accepted(state, "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4);
    assert_accepted(state,
                    "{\"e\":{\"dtype\":\"F32\",\"shape\":[0,5],\"data_offsets\":[4,4]},"
                    "\"f\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},"
                    "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
                    4);
}

static void a_misaligned_foreign_tensor_is_copied(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    const pv_tensor *pad = pv_st_tensor(file, "pad.0"); /* in a foreign file, a name as any */
    assert_non_null(pad);
    assert_int_equal((uintptr_t)pad->data % 2, 0);
    assert_int_equal(((const uint16_t *)pad->data)[1], 0x1413);
    pv_st_close(file);
    free(m.data);
}

/* ---- Damage ----------------------------------------------------------------------- */

static void a_file_cut_anywhere_is_refused(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
    memory_file m;
    write_small(ctx, &m);
    for (size_t n = 0; n < m.length; n++) {
        unsigned char *cut = malloc(n ? n : 1); /* exact: the sanitizer sees a byte too many */
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

static void a_single_flipped_bit_never_goes_unnoticed(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    psdvec_context *ctx = ((bench *)*state)->ctx;
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

static void changed_settings_are_noticed(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    psdvec_context *ctx = ((bench *)*state)->ctx;
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

/* ---- Not a safetensors file ---------------------------------------------------------- */

static void other_files_are_told_from_damaged_ones(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
    psdvec_context *ctx = ((bench *)*state)->ctx;
    pv_st_file *file = NULL;
    assert_int_equal(pv_st_open(ctx, "/nonexistent/x", &file), PSDVEC_ERR_NOT_FOUND);
    assert_null(file);
    pv_begin(ctx);
    assert_int_equal(pv_st_open(ctx, "/", &file), PSDVEC_ERR_READ);
    pv_begin(ctx);
    pv_st_close(NULL);
}

/* ---- Hostile headers ------------------------------------------------------------------ */

#define T(name, dtype, shape, begin, end)                                                          \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end   \
    "]}"

static void bad_json_is_refused_with_its_place(void **state)
{
    assert_refused(state, "{\"a\":}", 0, PSDVEC_ERR_CORRUPT, "at byte 13: ");
    assert_refused(state, "{} x", 0, PSDVEC_ERR_CORRUPT, "at byte 11: ");
    assert_refused(state, "{\"a\":{", 0, PSDVEC_ERR_CORRUPT, "ends inside an object");
    assert_refused(state, "{\"\xff\":1}", 0, PSDVEC_ERR_CORRUPT, "UTF-8");
    assert_refused(state, " {}", 0, PSDVEC_ERR_FORMAT, "not a safetensors file");
    assert_refused(state, "[]", 0, PSDVEC_ERR_FORMAT, "not a safetensors file");
}

static void a_depth_bomb_is_refused(void **state)
{
    char *bomb = malloc(100001);
    assert_non_null(bomb);
    memset(bomb, '[', 100000);
    bomb[100000] = 0;
    memcpy(bomb, "{\"a\":{\"x\":", 10);
    assert_refused(state, bomb, 0, PSDVEC_ERR_CORRUPT, "nested too deeply");
    free(bomb);
}

static void a_tensor_without_a_field_is_refused(void **state)
{
    assert_refused(state, "{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, PSDVEC_ERR_CORRUPT,
                   "lacks its");
    assert_refused(state, "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1,
                   PSDVEC_ERR_CORRUPT, "lacks its");
    assert_refused(state, "{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, PSDVEC_ERR_CORRUPT,
                   "lacks its");
    assert_refused(state, "{\"a\":{}}", 0, PSDVEC_ERR_CORRUPT, "lacks its");
    assert_refused(state, "{\"a\":7}", 0, PSDVEC_ERR_CORRUPT, "an object is expected");
}

static void fields_of_the_wrong_kind_are_refused(void **state)
{
    assert_refused(state, "{\"a\":{\"dtype\":8}}", 0, PSDVEC_ERR_CORRUPT, "a string is expected");
    assert_refused(state, "{\"a\":{\"shape\":3}}", 0, PSDVEC_ERR_CORRUPT, "an array is expected");
    assert_refused(state, "{\"a\":{\"shape\":[\"3\"]}}", 0, PSDVEC_ERR_CORRUPT, "number");
    assert_refused(state, "{\"a\":{\"shape\":[1.5]}}", 0, PSDVEC_ERR_CORRUPT, "whole number");
    assert_refused(state, "{\"a\":{\"data_offsets\":[0]}}", 0, PSDVEC_ERR_CORRUPT,
                   "fewer than two");
    assert_refused(state, "{\"a\":{\"data_offsets\":[0,1,2]}}", 0, PSDVEC_ERR_CORRUPT,
                   "more than two");
    assert_refused(state, "{\"a\":{\"data_offsets\":{}}}", 0, PSDVEC_ERR_CORRUPT,
                   "an array is expected");
}

static void negative_numbers_are_refused(void **state)
{
    assert_refused(state, "{" T("a", "U8", "[-1]", "0", "1") "}", 1, PSDVEC_ERR_CORRUPT,
                   "negative");
    assert_refused(state, "{" T("a", "U8", "[1]", "-1", "0") "}", 1, PSDVEC_ERR_CORRUPT,
                   "negative");
    assert_refused(state, "{" T("a", "U8", "[1]", "1", "0") "}", 1, PSDVEC_ERR_CORRUPT,
                   "ends before it begins");
}

static void unknown_types_and_too_many_dimensions_are_refused(void **state)
{
    assert_refused(state, "{" T("a", "F99", "[1]", "0", "1") "}", 1, PSDVEC_ERR_FORMAT,
                   "the type \"F99\"");
    assert_refused(state, "{" T("a", "", "[1]", "0", "1") "}", 1, PSDVEC_ERR_FORMAT,
                   "the type \"\"");
    assert_refused(state, "{" T("a", "U8", "[1,1,1,1,1,1,1,1,1]", "0", "1") "}", 1,
                   PSDVEC_ERR_FORMAT, "more than 8 dimensions");
}

static void shapes_that_overflow_are_refused(void **state)
{
    assert_refused(state, "{" T("a", "U8", "[4294967296,4294967296]", "0", "0") "}", 0,
                   PSDVEC_ERR_CORRUPT, "too large");
    assert_refused(state, "{" T("a", "F64", "[2305843009213693952]", "0", "0") "}", 0,
                   PSDVEC_ERR_CORRUPT, "too large");
    assert_refused(state, "{" T("a", "U8", "[18446744073709551616]", "0", "0") "}", 0,
                   PSDVEC_ERR_CORRUPT, "64 bits");
    assert_refused(state,
                   "{" T("a", "U8", "[18446744073709551615]", "0", "18446744073709551615") "}", 4,
                   PSDVEC_ERR_CORRUPT, "truncated");
}

static void a_shape_must_fit_its_bytes(void **state)
{
    assert_refused(state, "{" T("a", "U16", "[2]", "0", "3") "}", 3, PSDVEC_ERR_CORRUPT,
                   "has 3 bytes, but its shape and type need 4");
}

static void overlaps_holes_and_leftovers_are_refused(void **state)
{
    assert_refused(state, "{" T("a", "U8", "[4]", "0", "4") "," T("b", "U8", "[4]", "2", "6") "}",
                   6, PSDVEC_ERR_CORRUPT, "\"b\" overlaps");
    assert_refused(state, "{" T("a", "U8", "[4]", "0", "4") "," T("b", "U8", "[4]", "0", "4") "}",
                   4, PSDVEC_ERR_CORRUPT, "overlaps");
    assert_refused(state, "{" T("b", "U8", "[4]", "5", "9") "," T("a", "U8", "[4]", "0", "4") "}",
                   9, PSDVEC_ERR_CORRUPT, "\"b\" leaves a hole");
    assert_refused(state, "{" T("a", "U8", "[4]", "1", "5") "}", 5, PSDVEC_ERR_CORRUPT, "hole");
    assert_refused(state, "{" T("e", "U8", "[0]", "2", "2") "," T("a", "U8", "[4]", "0", "4") "}",
                   4, PSDVEC_ERR_CORRUPT, "overlaps");
    assert_refused(state, "{" T("a", "U8", "[4]", "0", "4") "}", 7, PSDVEC_ERR_CORRUPT,
                   "3 bytes follow");
    assert_refused(state, "{}", 1, PSDVEC_ERR_CORRUPT, "1 byte follows");
}

static void names_given_twice_are_refused(void **state)
{
    assert_refused(state, "{" T("a", "U8", "[1]", "0", "1") "," T("a", "U8", "[1]", "1", "2") "}",
                   2, PSDVEC_ERR_CORRUPT, "\"a\" is given twice");
    assert_refused(state,
                   "{" T("a", "U8", "[1]", "0", "1") "," T("\\u0061", "U8", "[1]", "1", "2") "}", 2,
                   PSDVEC_ERR_CORRUPT, "\"a\" is given twice");
    assert_refused(state, "{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 0, PSDVEC_ERR_CORRUPT,
                   "given twice");
    assert_refused(state, "{\"__metadata__\":{},\"__metadata__\":{}}", 0, PSDVEC_ERR_CORRUPT,
                   "__metadata__ is given twice");
    assert_refused(state, "{\"__metadata__\":{\"k\":\"1\",\"j\":\"\",\"k\":\"2\"}}", 0,
                   PSDVEC_ERR_CORRUPT, "\"k\" twice");
}

static void metadata_that_is_not_text_is_refused(void **state)
{
    assert_refused(state, "{\"__metadata__\":{\"a\":1}}", 0, PSDVEC_ERR_CORRUPT,
                   "a string is expected");
    assert_refused(state, "{\"__metadata__\":{\"a\":null}}", 0, PSDVEC_ERR_CORRUPT,
                   "a string is expected");
    assert_refused(state, "{\"__metadata__\":[]}", 0, PSDVEC_ERR_CORRUPT, "an object is expected");
    assert_refused(state, "{\"__metadata__\":{\"a\":\"b\\u0000c\"}}", 0, PSDVEC_ERR_CORRUPT,
                   "zero character");
    assert_refused(state, "{" T("a\\u0000", "U8", "[1]", "0", "1") "}", 1, PSDVEC_ERR_CORRUPT,
                   "zero character");
}

static void a_hostile_name_does_not_reach_the_terminal(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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

static void unknown_fields_of_a_tensor_are_passed_over(void **state)
{
    assert_accepted(state,
                    "{\"a\":{\"more\":[{\"x\":1}],\"dtype\":\"U8\",\"shape\":[2],"
                    "\"data_offsets\":[0,2]}}",
                    2);
}

static void more_tensors_than_the_memory_budget_holds_are_refused(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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

/* ---- Requiring ----------------------------------------------------------------------- */

static void a_required_tensor_must_have_the_right_form(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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
                           "m: its tensor \"numbers\" is U32 [2, 3] where U32 [2, 4] is needed"));
    pv_begin(ctx);
    assert_int_equal(pv_st_require(ctx, file, "numbers", PV_DTYPE_F32, 1, NULL, &t),
                     PSDVEC_ERR_FORMAT);
    assert_non_null(strstr(psdvec_error_message(ctx), "U32 [2, 3] where F32 [any] is needed"));
    pv_begin(ctx);
    assert_int_equal(pv_st_require(ctx, file, "indptr", PV_DTYPE_U64, 1, NULL, &t),
                     PSDVEC_ERR_FORMAT);
    assert_non_null(
        strstr(psdvec_error_message(ctx), "m: it has no tensor \"indptr\" (U64 [any])"));
    pv_begin(ctx);
    pv_st_close(file);
    free(m.data);
}

/* ---- Stopping and failing --------------------------------------------------------------- */

static void verifying_stops_on_request(void **state)
{
    bench *b = *state;
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

static void a_full_disk_sticks_to_the_writer(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
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

static void wrong_use_of_the_writer_is_a_defect(void **state)
{
    psdvec_context *ctx = ((bench *)*state)->ctx;
    for (int wrong = 0; wrong < 14; wrong++) {
        memory_file m = {.ctx = ctx, .writes_left = -1};
        pv_st_writer *w = NULL;
        pv_begin(ctx);
        assert_int_equal(pv_st_writer_begin(ctx, sink_of(&m), 1, SETTINGS, 2, 0, &w), PSDVEC_OK);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read_back),
        TEST(a_file_on_disk_is_the_same_mapped_and_read),
        TEST(an_output_file_serves_as_the_sink),
        TEST(every_type_and_size_is_aligned_to_64_bytes),
        TEST(pieces_of_any_size_give_the_same_bytes),
        TEST(metadata_may_come_late_and_in_any_order),
        TEST(the_longest_entries_fit_the_reserved_header),
        TEST(a_file_without_tensors_is_a_file),
        TEST(numbers_without_dimensions_and_empty_tensors_are_read),
        TEST(a_misaligned_foreign_tensor_is_copied),
        TEST(a_file_cut_anywhere_is_refused),
        TEST(a_single_flipped_bit_never_goes_unnoticed),
        TEST(a_damaged_tensor_is_named),
        TEST(changed_settings_are_noticed),
        TEST(a_file_without_checksums_cannot_be_verified),
        TEST(other_files_are_told_from_damaged_ones),
        TEST(a_huge_header_length_is_refused_without_allocating),
        TEST(a_missing_file_is_reported_as_missing),
        TEST(bad_json_is_refused_with_its_place),
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
        TEST(unknown_fields_of_a_tensor_are_passed_over),
        TEST(more_tensors_than_the_memory_budget_holds_are_refused),
        TEST(a_required_tensor_must_have_the_right_form),
        TEST(verifying_stops_on_request),
        TEST(a_full_disk_sticks_to_the_writer),
        TEST(wrong_use_of_the_writer_is_a_defect),
    };
    return cmocka_run_group_tests_name("safetensors", tests, NULL, NULL);
}
