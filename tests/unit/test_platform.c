/* System features beyond POSIX: the fallbacks (make PORTABLE=1) must behave like the system's
 * functions. */
#include "base/memory.h"
#include "base/platform.h"
#include "support/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void the_machine_has_cores_memory_and_pages(void **state)
{
    (void)state;
    assert_true(pv_usable_cores() >= 1);
    assert_true(pv_platform_memory() == 0 || pv_platform_memory() > 1 << 20);
    size_t page = pv_page_size();
    assert_true(page >= 512 && (page & (page - 1)) == 0);
    assert_int_equal(page, sysconf(_SC_PAGESIZE));
}

static void pages_are_zero_and_aligned(void **state)
{
    (void)state;
    size_t page = pv_page_size();
    for (size_t count = 1; count < 3000; count = 3 * count + 1) {
        size_t size = count * page;
        char *pages = pv_pages_take(size);
        assert_non_null(pages);
        assert_int_equal((uintptr_t)pages % page, 0);
        for (size_t i = 0; i < size; i += 64)
            assert_int_equal(pages[i], 0);
        assert_int_equal(pages[size - 1], 0);
        memset(pages, 1, size);
        pv_pages_give(pages, size);
    }
    assert_null(pv_pages_take(SIZE_MAX / page * page));
}

/* Large blocks of the library start after a header and have the requested size, whatever the page
 * size. */
static void large_blocks_can_be_used_to_the_last_byte(void **state)
{
    (void)state;
    psdvec_context *ctx;
    psdvec_context_options o = {.size = sizeof o, .threads = 1, .memory = 64 << 20};
    assert_int_equal(psdvec_context_new(&o, &ctx), PSDVEC_OK);
    for (size_t bytes = (4 << 20) - 70; bytes < (4 << 20) + 70; bytes += 7) {
        char *block = pv_alloc_zero(ctx, bytes, 1, "a block");
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        assert_true(block[0] == 0 && block[bytes - 1] == 0);
        memset(block, 1, bytes);
        pv_free(ctx, block);
    }
    psdvec_context_free(ctx);
}

static void bytes_are_found_from_both_ends(void **state)
{
    (void)state;
    const char text[] = "abracadabra\0abra";
    size_t length = sizeof text - 1;
    assert_ptr_equal(pv_find_last(text, 'a', length), text + 15);
    assert_ptr_equal(pv_find_last(text, 'c', length), text + 4);
    assert_ptr_equal(pv_find_last(text, '\0', length), text + 11);
    assert_null(pv_find_last(text, 'x', length));
    assert_null(pv_find_last(text, 'a', 0));
    assert_ptr_equal(pv_find_bytes(text, length, "abra", 4), text);
    assert_ptr_equal(pv_find_bytes(text + 1, length - 1, "abra", 4), text + 7);
    assert_ptr_equal(pv_find_bytes(text + 8, length - 8, "abra", 4), text + 12);
    assert_null(pv_find_bytes(text + 8, length - 9, "abra", 4));
    assert_ptr_equal(pv_find_bytes(text, length, "a\0a", 3), text + 10);
    assert_null(pv_find_bytes(text, length, "abrac adabra abracadabra", 24));
    assert_ptr_equal(pv_find_bytes(text, length, "", 0), text);
    assert_null(pv_find_bytes(text, 0, "a", 1));
}

static int compare_thirds(const void *a, const void *b, void *arg)
{
    uint32_t x, y, *calls = arg;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    ++*calls;
    return (x > y) - (x < y);
}

static void small_arrays_are_sorted(void **state)
{
    (void)state;
    struct {
        uint32_t key;
        char ballast[7];
    } array[500];
    dice d = {3};
    for (size_t count = 0; count <= 500; count = count < 8 ? count + 1 : count * 2) {
        uint32_t calls = 0;
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            array[i].key = (uint32_t)dice_below(&d, 200);
            memset(array[i].ballast, (int)array[i].key % 100, sizeof array[i].ballast);
            sum += array[i].key;
        }
        pv_sort_small(array, count, sizeof array[0], compare_thirds, &calls);
        for (size_t i = 0; i < count; i++) {
            assert_true(i == 0 || array[i - 1].key <= array[i].key);
            assert_int_equal(array[i].ballast[6], array[i].key % 100);
            sum -= array[i].key;
        }
        assert_int_equal(sum, 0);
        assert_true(count < 2 || calls > 0);
    }
}

static void the_gamma_function_is_that_of_the_library(void **state)
{
    (void)state;
    for (double x = 1; x < 1e15; x = x < 40 ? x + 0.25 : x * 1.7)
        assert_true(fabs(pv_log_gamma(x) - lgamma(x)) <= 2e-14 * (1 + fabs(lgamma(x))));
    assert_true(fabs(pv_log_gamma(1)) < 1e-14 && fabs(pv_log_gamma(2)) < 1e-14);
}

static void space_for_a_file_is_allocated(void **state)
{
    (void)state;
    char *folder = scratch_new(), *path = scratch_path(folder, "file");
    scratch_write(path, "", 0);
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    struct stat info;
    assert_int_equal(pv_file_reserve(fd, 200001), 0);
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(info.st_size, 200001);
    assert_true((uint64_t)info.st_blocks * 512 >= 200001);
    pv_hint_written(fd);
    pv_hint_sequential(fd);
    assert_true(pv_file_changed(&info) >
                INT64_C(1600000000000000000)); /* nanoseconds, after 2020 */
    close(fd);
    fd = open("/dev/full", O_WRONLY);
    assert_true(fd < 0 || pv_file_reserve(fd, 10) != 0);
    if (fd >= 0)
        close(fd);
    free(path);
    scratch_free(folder);
}

static void an_unnamed_file_can_be_linked(void **state)
{
    (void)state;
    char *folder = scratch_new(), *path = scratch_path(folder, "name");
    int fd = pv_nameless_open(folder);
    assert_int_equal(scratch_entries(folder), 0);
    if (fd < 0) {
        assert_true(PV_PORTABLE || errno != 0);
    } else {
        assert_int_equal(write(fd, "text", 4), 4);
        if (pv_nameless_can_be_named(fd)) {
            size_t length;
            assert_int_equal(pv_nameless_name(fd, path), 0);
            char *text = scratch_read(path, &length);
            assert_non_null(text);
            assert_string_equal(text, "text");
            free(text);
            assert_int_equal(pv_nameless_name(fd, path), -1);
            assert_int_equal(errno, EEXIST);
        }
        close(fd);
    }
    free(path);
    scratch_free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_has_cores_memory_and_pages),
        cmocka_unit_test(pages_are_zero_and_aligned),
        cmocka_unit_test(large_blocks_can_be_used_to_the_last_byte),
        cmocka_unit_test(bytes_are_found_from_both_ends),
        cmocka_unit_test(small_arrays_are_sorted),
        cmocka_unit_test(the_gamma_function_is_that_of_the_library),
        cmocka_unit_test(space_for_a_file_is_allocated),
        cmocka_unit_test(an_unnamed_file_can_be_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
