/* The memory that zstd and xz files declare, in every frame, stream and block. The checksums of
 * these files are zeros: the structure is all that counts. */
#include "corpus/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct file {
    unsigned char bytes[4096];
    size_t length;
} file;

static void add(file *f, const void *bytes, size_t length)
{
    assert_true(f->length + length <= sizeof f->bytes);
    memcpy(f->bytes + f->length, bytes, length);
    f->length += length;
}

static void zeros(file *f, size_t count)
{
    static const unsigned char none[512];
    add(f, none, count);
}

#define ADD(f, text) add((f), (text), sizeof(text) - 1)

/* Blocks of 5 bytes, of 7 equal bytes, and of 300 bytes at the end; with a checksum. */
static void zstd_blocks(file *f)
{
    ADD(f, "\x28\0\0hello\x3A\0\0x\x61\x09\0");
    zeros(f, 300 + 4);
}

static void zstd_window(file *f, const char *window)
{
    ADD(f, "\x28\xB5\x2F\xFD\x04");
    add(f, window, 1);
    zstd_blocks(f);
}

static void xz_begin(file *f)
{
    ADD(f, "\xFD\x37zXZ\0\0\x01\0\0\0\0"); /* with CRC32 */
}

/* A block with both sizes, a filter before LZMA2, a stored chunk and compressed ones. */
static void xz_block(file *f, const char *dictionary)
{
    ADD(f, "\x04\xC1\x80\x01\x80\x02\x03\x01\x00\x21\x01");
    add(f, dictionary, 1);
    zeros(f, 8);
    ADD(f, "\x01\0\x04hello\xE0\0\x09\0\x02\x5D"
           "abc\x80\0\x09\0\x01zz");
    zeros(f, 1); /* the end of LZMA2, after 8 + 9 + 7 bytes */
    zeros(f, 3 + 4);
}

static void xz_end(file *f, unsigned char blocks)
{
    zeros(f, 1);
    add(f, &blocks, 1);
    for (unsigned i = 0; i < blocks; i++)
        ADD(f, "\x80\x01\x02");
    zeros(f, (4 - (2 + 3 * blocks) % 4) % 4 + 4 + 12);
}

/* Whether the file is sound, in one piece and byte by byte; its memory in *memory. */
static bool follow(void (*begin)(pv_frames *), const file *f, uint64_t *memory)
{
    pv_frames whole, bytes;
    begin(&whole);
    begin(&bytes);
    bool sound = pv_frames_feed(&whole, f->bytes, f->length), sound_bytes = true;
    for (size_t i = 0; i < f->length && sound_bytes; i++)
        sound_bytes = pv_frames_feed(&bytes, f->bytes + i, 1);
    assert_int_equal(sound, sound_bytes);
    assert_int_equal(whole.memory, bytes.memory);
    *memory = whole.memory;
    return sound;
}

static void every_zstd_frame_counts(void **state)
{
    file f = {.length = 0};
    uint64_t memory;
    (void)state;
    zstd_window(&f, "\x40"); /* 2^18 */
    assert_true(follow(pv_frames_zstd, &f, &memory));
    assert_int_equal(memory, 1 << 18);
    ADD(&f, "\x5F\x2A\x4D\x18\x03\0\0\0abc"); /* skippable */
    zstd_window(&f, "\x8B");                  /* 2^27 and 3/8 more */
    zstd_window(&f, "\x40");
    assert_true(follow(pv_frames_zstd, &f, &memory));
    assert_int_equal(memory, (1 << 27) / 8 * 11);
    ADD(&f, "\x28\xB5\x2F\xFD\xA5\x07\0\0\0\x20"); /* a dictionary, and the size of the content */
    zstd_blocks(&f);
    assert_true(follow(pv_frames_zstd, &f, &memory));
    assert_int_equal(memory, 1 << 29);
}

static void every_xz_block_counts(void **state)
{
    file f = {.length = 0};
    uint64_t memory;
    (void)state;
    xz_begin(&f);
    xz_block(&f, "\x08"); /* 2^16 */
    xz_end(&f, 1);
    assert_true(follow(pv_frames_xz, &f, &memory));
    assert_int_equal(memory, 1 << 16);
    zeros(&f, 8); /* padding, and a second stream */
    xz_begin(&f);
    xz_block(&f, "\x01");
    xz_block(&f, "\x25"); /* 3 * 2^29 */
    xz_block(&f, "\x08");
    xz_end(&f, 3);
    assert_true(follow(pv_frames_xz, &f, &memory));
    assert_int_equal(memory, UINT64_C(3) << 29);
    xz_begin(&f);
    xz_end(&f, 0);
    xz_begin(&f);
    xz_block(&f, "\x28");
    assert_true(follow(pv_frames_xz, &f, &memory));
    assert_int_equal(memory, UINT32_MAX);
}

static void what_follows_no_structure_is_damaged(void **state)
{
    uint64_t memory;
    (void)state;
    static const struct {
        void (*begin)(pv_frames *);
        const char *bytes;
        size_t length;
    } bad[] = {{pv_frames_zstd, "once upon", 9},
               {pv_frames_zstd, "\x28\xB5\x2F\xFD\x00\x40\x06\0\0", 9}, /* a reserved block type */
               {pv_frames_xz, "once upon a time", 16}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file f = {.length = 0};
        add(&f, bad[i].bytes, bad[i].length);
        assert_false(follow(bad[i].begin, &f, &memory));
    }
    file f = {.length = 0};
    xz_begin(&f);
    xz_block(&f, "\x29"); /* no such dictionary */
    assert_false(follow(pv_frames_xz, &f, &memory));
    f.length = 0;
    zstd_window(&f, "\x40");
    ADD(&f, "\x25\xB5\x2F\xFD"); /* a frame of an old version */
    assert_false(follow(pv_frames_zstd, &f, &memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_zstd_frame_counts),
                                       cmocka_unit_test(every_xz_block_counts),
                                       cmocka_unit_test(what_follows_no_structure_is_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
