/* The mutations of safetensors files for fuzzers: nearly all results are valid files whose
 * checksums fit, and they differ from the original in metadata, sizes and contents. */
#include "support/scratch.h"
#include "support/tensor_files.h"
#include "support/tensor_mutator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 4000, ROOM = 1 << 16 };

/* Takes the place of libFuzzer's: changes, removes or adds a byte. */
static size_t mutate_bytes(uint8_t *data, size_t size, size_t max_size)
{
    static dice d = {1};
    size_t at = size ? dice_below(&d, size) : 0;
    switch (dice_below(&d, 3)) {
    case 0:
        if (size)
            data[at] = (uint8_t)dice_u64(&d);
        return size;
    case 1:
        return size ? size - 1 : 0;
    default:
        if (size < max_size)
            data[size++] = (uint8_t)dice_u64(&d);
        return size;
    }
}

typedef struct tally {
    size_t opened, verified, other_metadata, other_sizes, other_contents, fewer;
} tally;

static void look(psdvec_context *ctx, const uint8_t *data, size_t size, tally *sum)
{
    static const uint32_t numbers[6] = {1, 2, 3, 4, 5, 6};
    pv_st_file *file;
    pv_begin(ctx);
    if (pv_st_open_memory(ctx, "mutated", data, size, &file) != PSDVEC_OK)
        return;
    sum->opened++;
    sum->verified += pv_st_verify(ctx, file) == PSDVEC_OK;
    const char *settings = pv_st_meta(file, "settings");
    sum->other_metadata += !settings || strcmp(settings, "{\"window\":5}") != 0;
    const pv_tensor *t = pv_st_tensor(file, "numbers");
    if (t && t->bytes == sizeof numbers)
        sum->other_contents += memcmp(t->data, numbers, sizeof numbers) != 0;
    else
        sum->other_sizes++;
    sum->fewer += pv_st_count(file) < 2;
    pv_st_close(file);
}

static void most_results_pass_verification(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file original;
    tally sum = {0};
    uint8_t *data = malloc(ROOM);
    assert_non_null(data);
    write_small(ctx, &original);
    for (unsigned seed = 0; seed < RUNS; seed++) {
        memcpy(data, original.data, original.length);
        size_t size = tensor_mutate(data, original.length, ROOM, seed, mutate_bytes);
        assert_in_range(size, 1, ROOM);
        look(ctx, data, size, &sum);
    }
    free(original.data);
    free(data);
    assert_in_range(sum.opened, RUNS * 8 / 10, RUNS);
    assert_in_range(sum.verified, sum.opened * 8 / 10, sum.opened - 1);
    assert_in_range(sum.other_metadata, RUNS / 20, RUNS);
    assert_in_range(sum.other_sizes, RUNS / 20, RUNS);
    assert_in_range(sum.other_contents, RUNS / 20, RUNS);
    assert_in_range(sum.fewer, 1, RUNS);
}

static void results_of_results_stay_within_bounds(void **state)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file original;
    tally sum = {0};
    enum { MOST = 3000 };
    uint8_t *data = malloc(MOST), *crossed = malloc(MOST);
    assert_true(data && crossed);
    write_small(ctx, &original);
    assert_in_range(original.length, 1, MOST);
    memcpy(data, original.data, original.length);
    size_t size = original.length;
    for (unsigned seed = 0; seed < RUNS; seed++) {
        size = tensor_mutate(data, size, MOST, seed, mutate_bytes);
        assert_in_range(size, 0, MOST);
        if (seed % 50 == 0) { /* back to a valid file */
            memcpy(data, original.data, original.length);
            size = original.length;
        }
        size_t both = tensor_cross(original.data, original.length, data, size, crossed, MOST, seed);
        assert_in_range(both, 0, MOST);
        if (both)
            look(ctx, crossed, both, &sum);
    }
    free(original.data);
    free(data);
    free(crossed);
    assert_in_range(sum.opened, RUNS / 4, RUNS);
    assert_in_range(sum.verified, sum.opened * 9 / 10, sum.opened);
}

static void bytes_that_are_no_file_are_mutated_as_bytes(void **state)
{
    (void)state;
    uint8_t data[64] = "no safetensors file";
    size_t size = 20;
    for (unsigned seed = 0; seed < 100; seed++) {
        size = tensor_mutate(data, size, sizeof data, seed, mutate_bytes);
        assert_in_range(size, 0, sizeof data);
    }
    assert_int_equal(tensor_cross(data, size, data, size, data, sizeof data, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(most_results_pass_verification, tensors_open,
                                        tensors_close),
        cmocka_unit_test_setup_teardown(results_of_results_stay_within_bounds, tensors_open,
                                        tensors_close),
        cmocka_unit_test(bytes_that_are_no_file_are_mutated_as_bytes)};
    return cmocka_run_group_tests_name("tensor_mutator", tests, NULL, NULL);
}
