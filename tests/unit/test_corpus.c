/* Inputs: lists of files, and compressed files, which libarchive writes. */
#include "base/context.h"
#include "corpus/byte_stream.h"
#include "corpus/corpus.h"
#include "support/scratch.h"
#include "util/c_locale.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct bench {
    psdvec_context *ctx;
    char *folder;
    char *path; /* "file" in the folder */
    char *text; /* text to compress */
    size_t length;
} bench;

#define ok(call) assert_int_equal((call), PSDVEC_OK)

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->folder = scratch_new();
    b->path = scratch_path(b->folder, "file");
    b->length = 700001;
    b->text = malloc(b->length);
    assert_non_null(b->text);
    dice d = {3};
    for (size_t i = 0; i < b->length; i++)
        b->text[i] = (char)(dice_percent(&d, 15) ? ' ' : 'a' + (int)dice_below(&d, 26));
    *state = b;
    return psdvec_context_new(NULL, &b->ctx) == PSDVEC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    scratch_free(b->folder);
    free(b->path);
    free(b->text);
    free(b);
    return used == 0 ? 0 : -1;
}

/* ---- Lists of files -------------------------------------------------------------------------- */

static void make(bench *b, const char *name, const char *contents)
{
    char *path = scratch_path(b->folder, name);
    if (contents)
        scratch_write(path, contents, strlen(contents));
    else
        assert_int_equal(mkdir(path, 0777), 0);
    free(path);
}

/* The list of one input, paths without the scratch folder, in one string. */
static char *listed(bench *b, const char *input)
{
    pv_inputs list;
    char *path = scratch_path(b->folder, input), *out = calloc(1, 65536);
    const char *inputs[] = {path};
    pv_begin(b->ctx);
    if (pv_inputs_expand(b->ctx, inputs, 1, &list) == PSDVEC_OK) {
        for (size_t i = 0; i < list.count && strlen(out) < 60000; i++) {
            strcat(out, list.files[i].path + strlen(path) + 1);
            strcat(out, " ");
        }
        pv_inputs_free(&list);
    } else {
        strcat(out, psdvec_error_message(b->ctx) + strlen(path));
    }
    free(path);
    return out;
}

static void folders_are_traversed_in_sorted_order(void **state)
{
    bench *b = *state;
    make(b, "d", NULL);
    make(b, "d/b", NULL);
    make(b, "d/z", "x");
    make(b, "d/a", "x");
    make(b, "d/b/2", "x");
    make(b, "d/b/1", "x");
    make(b, "d/B", "x");
    make(b, "d/.hidden", "x");
    make(b, "d/.git", NULL);
    make(b, "d/.git/config", "x");
    make(b, "d/empty", NULL);
    char *list = listed(b, "d");
    assert_string_equal(list, "B a b/1 b/2 z ");
    free(list);
}

static void a_folder_without_files_is_refused(void **state)
{
    bench *b = *state;
    make(b, "d", NULL);
    make(b, "d/.hidden", "x");
    char *list = listed(b, "d");
    assert_non_null(strstr(list, "contains no files"));
    free(list);
    list = listed(b, "nosuch");
    assert_non_null(strstr(list, "No such file"));
    assert_int_equal(atomic_load(&b->ctx->status), PSDVEC_ERR_NOT_FOUND);
    free(list);
}

static void a_cycle_of_links_repeats_no_text(void **state)
{
    bench *b = *state;
    make(b, "d", NULL);
    make(b, "d/text", "x");
    char *link = scratch_path(b->folder, "d/self");
    assert_int_equal(symlink(".", link), 0);
    char *list = listed(b, "d");
    if (strstr(list, "self/self/text"))
        fail_msg("the same file again and again: %.60s...", list);
    free(list);
    free(link);
}

static void hidden_files_and_system_files_are_skipped(void **state)
{
    (void)state;
    assert_true(pv_is_clutter(".x"));
    assert_true(pv_is_clutter("a/.x/b"));
    assert_true(pv_is_clutter("__MACOSX/a"));
    assert_true(pv_is_clutter("a/__MACOSX/b"));
    assert_false(pv_is_clutter("./a"));
    assert_false(pv_is_clutter("a.b/c.d"));
    assert_false(pv_is_clutter("a//b/"));
    assert_false(pv_is_clutter(""));
}

static void standard_input_can_be_named_once(void **state)
{
    bench *b = *state;
    pv_inputs list;
    const char *inputs[] = {"-", "-"};
    ok(pv_inputs_expand(b->ctx, inputs, 1, &list));
    assert_int_equal(list.count, 1);
    assert_int_equal(list.total_size, 0);
    pv_inputs_free(&list);
    assert_int_equal(pv_inputs_expand(b->ctx, inputs, 2, &list), PSDVEC_ERR_OPTION);
    pv_begin(b->ctx);
    assert_int_equal(pv_inputs_expand(b->ctx, inputs, 0, &list), PSDVEC_ERR_OPTION);
}

/* ---- Streams --------------------------------------------------------------------------------- */

typedef enum packing { GZIP, BZIP2, XZ, ZSTD, LZ4, TAR, TAR_GZ, ZIP, PACKINGS } packing;
static const char *const packing_names[] = {"gz",  "bz2", "xz",     "zst",
                                            "lz4", "tar", "tar.gz", "zip"};

static void add_member(struct archive *a, const char *name, const char *text, size_t length)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_size(entry, (la_int64_t)length);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, text, length), (la_ssize_t)length);
    archive_entry_free(entry);
}

static void pack(bench *b, packing kind)
{
    struct archive *a = archive_write_new();
    switch (kind) {
    case GZIP:
    case TAR_GZ:
        archive_write_add_filter_gzip(a);
        break;
    case BZIP2:
        archive_write_add_filter_bzip2(a);
        break;
    case XZ:
        archive_write_add_filter_xz(a);
        break;
    case ZSTD:
        archive_write_add_filter_zstd(a);
        break;
    case LZ4:
        archive_write_add_filter_lz4(a);
        break;
    default:
        break;
    }
    bool archive = kind >= TAR;
    if (kind == ZIP)
        archive_write_set_format_zip(a);
    else if (archive)
        archive_write_set_format_pax_restricted(a);
    else
        archive_write_set_format_raw(a);
    assert_int_equal(archive_write_open_filename(a, b->path), ARCHIVE_OK);
    if (archive) {
        add_member(a, "one.txt", b->text, b->length);
        add_member(a, ".hidden", "no", 2);
        add_member(a, "two/three.txt", "the second member", 17);
    } else {
        add_member(a, "data", b->text, b->length);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

/* The complete contents of the stream, with a bar between members. */
static psdvec_status unpack(bench *b, const char *path, char **out, size_t *length)
{
    pv_byte_stream *stream;
    *out = NULL;
    *length = 0;
    pv_begin(b->ctx);
    PV_TRY(pv_byte_stream_open(b->ctx, path, &stream));
    psdvec_status status = PSDVEC_OK;
    for (bool more = true; status == PSDVEC_OK;) {
        status = pv_byte_stream_next_member(stream, &more);
        if (status != PSDVEC_OK || !more)
            break;
        size_t got = 1;
        while (status == PSDVEC_OK && got > 0) {
            *out = realloc(*out, *length + 50001);
            assert_non_null(*out);
            status = pv_byte_stream_read(stream, *out + *length, 50000, &got);
            *length += got;
        }
        (*out)[(*length)++] = '|';
        assert_non_null(pv_byte_stream_name(stream));
    }
    pv_byte_stream_close(stream);
    return status;
}

static void every_compression_is_read(void **state)
{
    bench *b = *state;
    for (int kind = 0; kind < PACKINGS; kind++) {
        pack(b, (packing)kind);
        char *out;
        size_t length;
        if (unpack(b, b->path, &out, &length) != PSDVEC_OK)
            fail_msg("%s: %s", packing_names[kind], psdvec_error_message(b->ctx));
        size_t expected = b->length + 1 + (kind >= TAR ? 18 : 0);
        if (length != expected || memcmp(out, b->text, b->length) != 0)
            fail_msg("%s: %zu bytes, not %zu", packing_names[kind], length, expected);
        if (kind >= TAR)
            assert_memory_equal(out + b->length, "|the second member|", 19);
        free(out);
    }
}

/* This program runs in the C locale, which has no such letters. */
static void names_in_an_archive_do_not_depend_on_the_locale(void **state)
{
    bench *b = *state;
    pv_locale utf8;
    pv_utf8_open(&utf8);
    pv_utf8_begin(&utf8);
    struct archive *a = archive_write_new();
    archive_write_set_format_zip(a);
    assert_int_equal(archive_write_open_filename(a, b->path), ARCHIVE_OK);
    add_member(a, "\xc3\xa9.txt", "a text", 6);
    add_member(a, "__MACOSX/\xc3\xa9.txt", "clutter", 7);
    add_member(a, ".\xc3\xa9/b.txt", "hidden", 6);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    pv_utf8_end(&utf8);
    pv_utf8_close(&utf8);
    assert_string_equal(setlocale(LC_ALL, NULL), "C");
    char *out;
    size_t length;
    assert_int_equal(unpack(b, b->path, &out, &length), PSDVEC_OK);
    assert_int_equal(length, 7);
    assert_memory_equal(out, "a text|", 7);
    free(out);
}

static void a_truncated_compressed_file_is_reported(void **state)
{
    bench *b = *state;
    for (int kind = 0; kind < PACKINGS; kind++) {
        if (kind == TAR)
            continue; /* its end is two blocks of zeros that may be missing */
        pack(b, (packing)kind);
        size_t size, length;
        char *bytes = scratch_read(b->path, &size), *out;
        const size_t cuts[] = {size / 3, size / 2, size - 1000, size - 1};
        for (size_t i = 0; i < 4; i++) {
            scratch_write(b->path, bytes, cuts[i]);
            psdvec_status status = unpack(b, b->path, &out, &length);
            free(out);
            if (status != PSDVEC_ERR_DAMAGED && !(kind == ZIP && i > 2))
                fail_msg("%s cut at %zu of %zu: %s", packing_names[kind], cuts[i], size,
                         psdvec_status_name(status));
            if (status == PSDVEC_ERR_DAMAGED)
                assert_non_null(strstr(psdvec_error_message(b->ctx), b->path));
        }
        free(bytes);
    }
}

/* Flips one bit. These formats have a checksum over the text. */
static void a_flipped_bit_is_detected(void **state)
{
    bench *b = *state;
    for (int kind = 0; kind < PACKINGS; kind++) {
        if (kind == TAR || kind == ZSTD)
            continue; /* tar has none, nor has the zst of libarchive */
        pack(b, (packing)kind);
        size_t size, length;
        char *bytes = scratch_read(b->path, &size), *out;
        int unnoticed = 0;
        for (size_t i = 1; i < 20; i++) {
            bytes[size / 20 * i] ^= 4;
            scratch_write(b->path, bytes, size);
            bytes[size / 20 * i] ^= 4;
            psdvec_status status = unpack(b, b->path, &out, &length);
            unnoticed += status == PSDVEC_OK &&
                         (length < b->length || memcmp(out, b->text, b->length) != 0);
            free(out);
        }
        if (unnoticed)
            fail_msg("%s: %d of 19 damaged files were read without complaint", packing_names[kind],
                     unnoticed);
        free(bytes);
    }
}

static void concatenated_files_are_one_text(void **state)
{
    bench *b = *state;
    for (int kind = GZIP; kind <= LZ4; kind++) {
        pack(b, (packing)kind);
        size_t size, length;
        char *bytes = scratch_read(b->path, &size), *twice = malloc(2 * size), *out;
        assert_non_null(twice);
        memcpy(twice, bytes, size);
        memcpy(twice + size, bytes, size);
        scratch_write(b->path, twice, 2 * size);
        if (unpack(b, b->path, &out, &length) != PSDVEC_OK)
            fail_msg("%s: %s", packing_names[kind], psdvec_error_message(b->ctx));
        if (length != 2 * b->length + 1)
            fail_msg("%s: %zu bytes, not %zu", packing_names[kind], length, 2 * b->length + 1);
        assert_memory_equal(out + b->length, b->text, b->length);
        free(out);
        free(bytes);
        free(twice);
    }
}

static void an_empty_text_may_be_compressed(void **state)
{
    bench *b = *state;
    b->length = 0;
    for (int kind = 0; kind < LZ4; kind++) { /* libarchive cannot write an empty lz4 */
        pack(b, (packing)kind);
        char *out;
        size_t length;
        if (unpack(b, b->path, &out, &length) != PSDVEC_OK)
            fail_msg("%s: %s", packing_names[kind], psdvec_error_message(b->ctx));
        assert_true(length <= 1);
        free(out);
    }
}

static void text_that_begins_like_a_compressed_file_is_text(void **state)
{
    bench *b = *state;
    static const char *const texts[] = {"BZhang said so", "PK is not zip", "BZh91AY is a start",
                                        "BZ"};
    for (size_t i = 0; i < 3; i++) {
        scratch_write(b->path, texts[i], strlen(texts[i]));
        char *out;
        size_t length;
        if (unpack(b, b->path, &out, &length) != PSDVEC_OK)
            fail_msg("%s: %s", texts[i], psdvec_error_message(b->ctx));
        assert_int_equal(length, strlen(texts[i]) + 1);
        assert_memory_equal(out, texts[i], length - 1);
        free(out);
    }
    memcpy(b->text + 257, "ustar", 5);
    scratch_write(b->path, b->text, b->length);
    char *out;
    size_t length;
    ok(unpack(b, b->path, &out, &length));
    assert_int_equal(length, b->length + 1);
    free(out);
}

static void members_have_names(void **state)
{
    bench *b = *state;
    pack(b, ZIP);
    pv_byte_stream *stream;
    bool more;
    ok(pv_byte_stream_open(b->ctx, b->path, &stream));
    ok(pv_byte_stream_next_member(stream, &more));
    assert_true(more && pv_byte_stream_in_archive(stream));
    assert_non_null(strstr(pv_byte_stream_name(stream), "file: one.txt"));
    ok(pv_byte_stream_next_member(stream, &more)); /* without reading the first */
    assert_true(more);
    assert_non_null(strstr(pv_byte_stream_name(stream), "file: two/three.txt"));
    ok(pv_byte_stream_next_member(stream, &more));
    assert_false(more);
    pv_byte_stream_close(stream);
    pv_byte_stream_close(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(folders_are_traversed_in_sorted_order),
        TEST(a_folder_without_files_is_refused),
        TEST(a_cycle_of_links_repeats_no_text),
        TEST(hidden_files_and_system_files_are_skipped),
        TEST(standard_input_can_be_named_once),
        TEST(every_compression_is_read),
        TEST(names_in_an_archive_do_not_depend_on_the_locale),
        TEST(a_truncated_compressed_file_is_reported),
        TEST(a_flipped_bit_is_detected),
        TEST(concatenated_files_are_one_text),
        TEST(an_empty_text_may_be_compressed),
        TEST(text_that_begins_like_a_compressed_file_is_text),
        TEST(members_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
