/* Pages of mapped files are released when they do not fit the memory budget. */
#include "base/memory.h"
#include "base/platform.h"
#include "base/trim.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { MEBIBYTE = 1 << 20, FILE_MEBIBYTES = 96 };

typedef struct bench {
    char *folder, path[200];
    psdvec_context *ctx;
    pv_map map;
} bench;

static void open_bench(bench *b, uint64_t memory)
{
    b->folder = scratch_new();
    snprintf(b->path, sizeof b->path, "%s/file", b->folder);
    FILE *file = fopen(b->path, "wb");
    char *block = calloc(1, MEBIBYTE);
    assert_non_null(file);
    assert_non_null(block);
    for (int k = 0; k < FILE_MEBIBYTES; k++) {
        block[0] = (char)k;
        assert_int_equal(fwrite(block, 1, MEBIBYTE, file), MEBIBYTE);
    }
    free(block);
    assert_int_equal(fclose(file), 0);
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = memory;
    assert_int_equal(psdvec_context_new(&options, &b->ctx), PSDVEC_OK);
    assert_int_equal(pv_map_open(b->ctx, b->path, false, &b->map), PSDVEC_OK);
}

static void close_bench(bench *b)
{
    pv_map_close(b->ctx, &b->map);
    psdvec_context_free(b->ctx);
    scratch_free(b->folder);
}

/* Reads every page, a mebibyte every few milliseconds. Returns the largest number of bytes of files
 * that were resident. */
static uint64_t read_slowly(bench *b)
{
    static const struct timespec pause = {.tv_nsec = 3000000};
    uint64_t most = 0;
    for (size_t at = 0; at < b->map.size; at += 4096)
        if (at % MEBIBYTE == 0) {
            assert_int_equal(b->map.data[at], at / MEBIBYTE);
            nanosleep(&pause, NULL);
            pv_trim(b->ctx);
            most = pv_larger(most, pv_resident_files());
        } else
            assert_int_equal(b->map.data[at], 0);
    return most;
}

static void pages_beyond_the_budget_are_released(void **state)
{
    (void)state;
    bench b = {0};
    pv_trimmed node = {0};
    if (pv_resident_files() == 0)
        skip();
    uint64_t before = pv_resident_files(), budget = before + (UINT64_C(32) << 20);
    open_bench(&b, budget);
    if (!b.map.mapping) {
        close_bench(&b);
        skip();
    }
    /* Without being registered, the file stays. */
    assert_true(read_slowly(&b) > budget + (UINT64_C(16) << 20));
    pv_trim_begin(b.ctx, &node, &b.map);
    uint64_t most = read_slowly(&b);
    assert_true(most <= budget + (UINT64_C(8) << 20));
    /* What is allocated leaves less for the file. */
    void *block = pv_alloc(b.ctx, 24 << 20, 1, "a test");
    assert_non_null(block);
    assert_true(read_slowly(&b) <= budget - (UINT64_C(16) << 20));
    pv_free(b.ctx, block);
    pv_trim_end(b.ctx, &node);
    pv_trim_end(b.ctx, &node);
    assert_true(read_slowly(&b) > budget + (UINT64_C(16) << 20));
    close_bench(&b);
}

static void pages_within_the_budget_stay(void **state)
{
    (void)state;
    bench b = {0};
    pv_trimmed node = {0};
    uint64_t before = pv_resident_files();
    open_bench(&b, UINT64_C(1) << 30);
    if (before == 0 || !b.map.mapping) {
        close_bench(&b);
        skip();
    }
    pv_trim_begin(b.ctx, &node, &b.map);
    read_slowly(&b);
    assert_true(pv_resident_files() > before + (UINT64_C(80) << 20));
    pv_trim_end(b.ctx, &node);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_beyond_the_budget_are_released),
        cmocka_unit_test(pages_within_the_budget_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
