/* The base module: memory budget, threads, random numbers, files, spools. */
#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/random.h"
#include "base/spool.h"
#include "base/thread.h"
#include "base/word_index.h"
#include "support/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct bench {
    psdvec_context *ctx;
    char *folder;
    atomic_int cancel; /* polls after which the callback cancels; negative: never */
} bench;

static bool should_cancel(void *user)
{
    bench *b = user;
    int left = atomic_load(&b->cancel);
    while (left > 0 && !atomic_compare_exchange_weak(&b->cancel, &left, left - 1))
        ;
    return left == 0; /* and remains so: other threads may poll before the first has reported it */
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    atomic_store(&b->cancel, -1);
    b->folder = scratch_new();
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = 4;
    o.memory = 32 << 20;
    o.should_cancel = should_cancel;
    o.user = b;
    *state = b;
    return psdvec_context_new(&o, &b->ctx) == PSDVEC_OK ? 0 : -1;
}

/* Every test frees all memory. */
static int tear_down(void **state)
{
    bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    scratch_free(b->folder);
    free(b);
    return used == 0 ? 0 : -1;
}

#define ok(call) assert_int_equal((call), PSDVEC_OK)

/* ---- Memory ---------------------------------------------------------------------------------- */

static void a_scope_frees_all_its_blocks_whether_or_not_one_failed(void **state)
{
    bench *b = *state;
    pv_scope scope = {.ctx = b->ctx, .what = "a test"};
    uint32_t *small;
    uint64_t *zeros;
    char *large, *later;
    pv_scope_free(&scope); /* an empty scope */
    PV_TAKE(&scope, small, 3);
    PV_TAKE_ZERO(&scope, zeros, 100);
    ok(pv_scope_status(&scope));
    for (size_t k = 0; k < 100; k++)
        assert_int_equal(zeros[k], 0);
    assert_int_equal(atomic_load(&b->ctx->memory_used), 3 * sizeof *small + 100 * sizeof *zeros);
    pv_scope_drop(&scope, small);
    pv_scope_drop(&scope, NULL);
    assert_int_equal(atomic_load(&b->ctx->memory_used), 100 * sizeof *zeros);
    PV_TAKE(&scope, large, (size_t)1 << 40);
    PV_TAKE(&scope, later, 1); /* would fit, but the failure is kept */
    assert_null(large);
    assert_null(later);
    assert_int_equal(pv_scope_status(&scope), PSDVEC_ERR_BUDGET);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "a test"));
    pv_scope_free(&scope);
    assert_int_equal(atomic_load(&b->ctx->memory_used), 0);
    pv_begin(b->ctx);
    ok(pv_scope_status(&scope)); /* it can be used again */
    PV_TAKE(&scope, later, 1);
    ok(pv_scope_status(&scope));
    pv_scope_free(&scope);
}

static void a_request_beyond_the_budget_fails_with_a_message(void **state)
{
    bench *b = *state;
    void *half = pv_alloc(b->ctx, 16, 1 << 20, "half of it");
    assert_non_null(half);
    assert_null(pv_alloc(b->ctx, 17, 1 << 20, "the other half"));
    const char *message = psdvec_error_message(b->ctx);
    assert_non_null(strstr(message, "the other half"));
    assert_non_null(strstr(message, "17.0 MiB"));
    assert_non_null(strstr(message, "32.0 MiB"));
    assert_int_equal(pv_memory_left(b->ctx), 16 << 20);
    pv_begin(b->ctx);
    void *rest = pv_alloc(b->ctx, 16, 1 << 20, "the other half");
    assert_non_null(rest);
    assert_int_equal(pv_memory_left(b->ctx), 0);
    pv_free(b->ctx, half);
    pv_free(b->ctx, rest);
}

static void a_silent_request_leaves_no_failure(void **state)
{
    bench *b = *state;
    assert_null(pv_alloc(b->ctx, 33, 1 << 20, NULL));
    assert_null(pv_alloc(b->ctx, SIZE_MAX, 2, NULL));
    assert_string_equal(psdvec_error_message(b->ctx), "");
}

static void products_that_wrap_around_are_refused(void **state)
{
    bench *b = *state;
    assert_null(pv_alloc(b->ctx, SIZE_MAX / 2, 3, "too much"));
    assert_int_equal(atomic_load(&b->ctx->status), PSDVEC_ERR_OVERFLOW);
    pv_begin(b->ctx);
    assert_null(pv_alloc(b->ctx, SIZE_MAX - 10, 1, "too much"));
    assert_int_equal(atomic_load(&b->ctx->status), PSDVEC_ERR_OVERFLOW);
    pv_begin(b->ctx);
    assert_int_equal(pv_memory_claim(b->ctx, UINT64_MAX, "too much"), PSDVEC_ERR_BUDGET);
    assert_int_equal(pv_memory_left(b->ctx), 32 << 20);
}

/* Otherwise the address sanitizer, which must find this function, ends the test. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void a_probe_fails_where_the_system_has_no_memory(void **state)
{
    bench *b = *state;
    assert_int_equal(pv_memory_probe(b->ctx, 0, "nothing"), PSDVEC_OK);
    assert_int_equal(pv_memory_probe(b->ctx, 33 << 20, "more than the budget"), PSDVEC_OK);
    assert_int_equal(pv_memory_left(b->ctx), 32 << 20);
    assert_string_equal(psdvec_error_message(b->ctx), "");
    assert_int_equal(pv_memory_probe(b->ctx, SIZE_MAX / 4, "a library"), PSDVEC_ERR_MEMORY);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "a library needs"));
}

static void blocks_are_aligned_and_zero_where_promised(void **state)
{
    bench *b = *state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, (4 << 20) - 1, 4 << 20, 5000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *block = pv_alloc_zero(b->ctx, sizes[i], 1, "a block");
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t k = 0; k < sizes[i]; k++)
            if (block[k])
                fail_msg("byte %zu of %zu is not zero", k, sizes[i]);
        memset(block, 0xFF, sizes[i]);
        pv_free(b->ctx, block);
    }
}

static void resizing_keeps_contents_and_the_old_block_on_failure(void **state)
{
    bench *b = *state;
    static const size_t sizes[] = {100, 5 << 20, 6 << 20, 1000, 10};
    unsigned char *block = pv_alloc(b->ctx, 10, 1, "a block");
    memset(block, 7, 10);
    for (size_t i = 0; i < 5; i++) {
        block = pv_resize(b->ctx, block, sizes[i], 1, "a block");
        assert_non_null(block);
        for (int k = 0; k < 10; k++)
            assert_int_equal(block[k], 7);
    }
    assert_null(pv_resize(b->ctx, block, 40, 1 << 20, "a block"));
    assert_int_equal(block[9], 7);
    pv_free(b->ctx, block);
    pv_free(b->ctx, NULL);
    void *fresh = pv_resize(b->ctx, NULL, 8, 8, "a block");
    assert_non_null(fresh);
    pv_free(b->ctx, fresh);
}

static void the_peak_is_the_most_held_at_one_time(void **state)
{
    bench *b = *state;
    for (int i = 0; i < 10; i++)
        pv_free(b->ctx, pv_alloc(b->ctx, 3, 1 << 20, "a block"));
    assert_in_range(psdvec_peak_memory(b->ctx), 3 << 20, (3 << 20) + 4096);
    void *one = pv_alloc(b->ctx, 2, 1 << 20, "a block"), *two = pv_alloc(b->ctx, 2, 1 << 20, "b");
    assert_in_range(psdvec_peak_memory(b->ctx), 4 << 20, (4 << 20) + 4096);
    pv_free(b->ctx, one);
    pv_free(b->ctx, two);
}

static void a_buffer_grows_and_is_padded(void **state)
{
    bench *b = *state;
    pv_buffer buffer;
    pv_buffer_init(&buffer, b->ctx);
    for (int i = 0; i < 10000; i++)
        ok(pv_buffer_byte(&buffer, (char)i));
    ok(pv_buffer_append(&buffer, NULL, 0));
    ok(pv_buffer_printf(&buffer, "%s-%d", "end", 5));
    assert_int_equal(buffer.length, 10005);
    assert_memory_equal(buffer.data + 10000, "end-5", 5);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(buffer.data[i], (char)i);
    volatile char sum = 0;
    for (int i = 0; i < PV_BUFFER_PAD; i++)
        sum = (char)(sum + buffer.data[buffer.capacity + (size_t)i]);
    assert_int_not_equal(pv_buffer_reserve(&buffer, SIZE_MAX - 100), PSDVEC_OK);
    pv_buffer_free(&buffer);
    pv_buffer_free(&buffer);
}

/* ---- Threads --------------------------------------------------------------------------------- */

typedef struct work {
    psdvec_context *ctx;
    atomic_int done[1000];
    atomic_int workers[16];
    size_t fail_at;
} work;

static psdvec_status do_task(void *opaque, size_t task, int worker)
{
    work *w = opaque;
    atomic_fetch_add(&w->workers[worker], 1);
    if (task == w->fail_at)
        return pv_fail(w->ctx, PSDVEC_ERR_READ, "task %zu failed", task);
    atomic_fetch_add(&w->done[task], 1);
    return PSDVEC_OK;
}

static psdvec_status do_worker(void *opaque, int worker)
{
    work *w = opaque;
    atomic_fetch_add(&w->workers[worker], 1);
    return PSDVEC_OK;
}

static void each_task_is_done_once(void **state)
{
    bench *b = *state;
    work w = {.ctx = b->ctx, .fail_at = SIZE_MAX};
    for (int round = 0; round < 50; round++)
        ok(pv_parallel_tasks(b->ctx, 1000, do_task, &w));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(atomic_load(&w.done[i]), 50);
    for (int i = psdvec_threads(b->ctx); i < 16; i++)
        assert_int_equal(atomic_load(&w.workers[i]), 0);
    ok(pv_parallel_tasks(b->ctx, 0, do_task, &w));
}

static void each_worker_runs_once(void **state)
{
    bench *b = *state;
    work w = {.ctx = b->ctx};
    for (int round = 0; round < 200; round++)
        ok(pv_parallel(b->ctx, do_worker, &w));
    assert_true(psdvec_threads(b->ctx) > 1); /* or this tests nothing */
    for (int i = 0; i < psdvec_threads(b->ctx); i++)
        assert_int_equal(atomic_load(&w.workers[i]), 200);
}

static void a_failure_ends_the_tasks_and_is_reported(void **state)
{
    bench *b = *state;
    work w = {.ctx = b->ctx, .fail_at = 20};
    assert_int_equal(pv_parallel_tasks(b->ctx, 1000, do_task, &w), PSDVEC_ERR_READ);
    assert_string_equal(psdvec_error_message(b->ctx), "task 20 failed");
    int done = 0;
    for (int i = 0; i < 1000; i++)
        done += atomic_load(&w.done[i]);
    assert_true(done < 1000);
    pv_begin(b->ctx); /* the pool can be used again */
    work again = {.ctx = b->ctx, .fail_at = SIZE_MAX};
    ok(pv_parallel_tasks(b->ctx, 1000, do_task, &again));
}

static void a_request_to_stop_ends_the_tasks(void **state)
{
    bench *b = *state;
    work w = {.ctx = b->ctx, .fail_at = SIZE_MAX};
    atomic_store(&b->cancel, 100);
    assert_int_equal(pv_parallel_tasks(b->ctx, 1000, do_task, &w), PSDVEC_ERR_CANCELLED);
    int done = 0;
    for (int i = 0; i < 1000; i++)
        done += atomic_load(&w.done[i]);
    assert_true(done <= 100);
}

typedef struct silence {
    psdvec_context *ctx;
    int worker; /* the worker that fails without a message */
    psdvec_status nested;
} silence;

static psdvec_status fail_silently(void *opaque, int worker)
{
    silence *s = opaque;
    return worker == s->worker ? PSDVEC_ERR_NUMERIC : PSDVEC_OK;
}

static void a_failure_without_a_message_is_reported(void **state)
{
    bench *b = *state;
    for (int worker = 0; worker < psdvec_threads(b->ctx); worker++) {
        silence s = {.ctx = b->ctx, .worker = worker};
        pv_begin(b->ctx);
        assert_int_equal(pv_parallel(b->ctx, fail_silently, &s), PSDVEC_ERR_NUMERIC);
        assert_non_null(strstr(psdvec_error_message(b->ctx), "PSDVEC_ERR_NUMERIC"));
    }
    psdvec_context_options o = {.size = sizeof(psdvec_context_options), .threads = 1};
    psdvec_context *alone;
    ok(psdvec_context_new(&o, &alone));
    silence s = {.ctx = alone};
    assert_int_equal(pv_parallel(alone, fail_silently, &s), PSDVEC_ERR_NUMERIC);
    psdvec_context_free(alone);
    pv_begin(b->ctx);
    s = (silence){.ctx = b->ctx, .worker = -1};
    ok(pv_parallel(b->ctx, fail_silently, &s)); /* a failure does not affect the next job */
}

static psdvec_status divide_again(void *opaque, int worker)
{
    silence *s = opaque;
    return worker == s->worker ? s->nested = pv_parallel(s->ctx, fail_silently, s) : PSDVEC_OK;
}

static void workers_may_not_divide_their_work_again(void **state)
{
    bench *b = *state;
    for (int threads = 1; threads <= 3; threads++)
        for (int worker = 0; worker < threads; worker++) {
            psdvec_context_options o = {
                .size = sizeof(psdvec_context_options), .threads = threads, .memory = 256 << 20};
            psdvec_context *ctx;
            ok(psdvec_context_new(&o, &ctx));
            assert_int_equal(psdvec_threads(ctx), threads);
            silence s = {.ctx = ctx, .worker = worker};
            assert_int_equal(pv_parallel(ctx, divide_again, &s), PSDVEC_ERR_INTERNAL);
            assert_int_equal(s.nested, PSDVEC_ERR_INTERNAL);
            pv_begin(ctx);
            s.worker = -1;
            ok(pv_parallel(ctx, divide_again, &s)); /* the pool can be used again */
            psdvec_context_free(ctx);
        }
    ok(pv_check_cancel(b->ctx));
}

/* ---- Random numbers -------------------------------------------------------------------------- */

static void philox_gives_the_published_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < 3; i++) {
        uint32_t out[4];
        pv_philox4x32(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

static void random_numbers_have_the_moments_they_should(void **state)
{
    (void)state;
    enum { N = 200000 };
    double sum = 0, normal = 0, square = 0;
    for (uint64_t i = 0; i < N; i++) {
        double u = pv_random_unit(1, 2, i), z = pv_random_normal(1, 2, i);
        assert_true(u >= 0 && u < 1);
        assert_true(isfinite(z));
        sum += u;
        normal += z;
        square += z * z;
    }
    assert_true(fabs(sum / N - 0.5) < 0.005);
    assert_true(fabs(normal / N) < 0.02);
    assert_true(fabs(square / N - 1) < 0.02);
}

/* Words are added in blocks, so equal ones are tried in the same block and in different ones. */
static void an_index_of_words_finds_all_and_reports_equal_ones(void **state)
{
    enum { WORDS = 1000 };
    static const uint32_t pairs[][2] = {{0, 1}, {0, 999}, {62, 63}, {63, 64}, {64, 65}, {500, 901}};
    bench *b = *state;
    static char bytes[8 * WORDS];
    static uint64_t offsets[WORDS + 1];
    for (size_t p = 0; p <= sizeof pairs / sizeof *pairs; p++) {
        bool twice = p < sizeof pairs / sizeof *pairs;
        for (uint32_t i = 0; i < WORDS; i++) {
            uint32_t number = twice && i == pairs[p][1] ? pairs[p][0] : i;
            int length = snprintf(bytes + offsets[i], 8, "w%u", number);
            offsets[i + 1] = offsets[i] + (uint64_t)length;
        }
        pv_word_index index;
        uint32_t other = 0, found;
        assert_int_equal(pv_word_index_init(&index, b->ctx, WORDS, bytes, offsets, "words"),
                         PSDVEC_OK);
        uint32_t again = pv_word_index_add_from(&index, 0, WORDS, &other);
        assert_int_equal(again, twice ? pairs[p][1] : WORDS);
        assert_int_equal(other, twice ? pairs[p][0] : 0);
        pv_word_index_free(&index);
        assert_int_equal(pv_word_index_init(&index, b->ctx, WORDS, bytes, offsets, "words"),
                         PSDVEC_OK);
        pv_word_index_add_all(&index, WORDS);
        for (uint32_t i = 0; i < WORDS; i++) {
            assert_true(pv_word_index_find(&index, bytes + offsets[i],
                                           (size_t)(offsets[i + 1] - offsets[i]), &found));
            assert_int_equal(found, twice && i == pairs[p][1] ? pairs[p][0] : i);
        }
        assert_false(pv_word_index_find(&index, "w1000", 5, &found));
        assert_false(pv_word_index_find(&index, "", 0, &found));
        pv_word_index_free(&index);
    }
}

static void random_streams_differ_by_seed_purpose_and_index(void **state)
{
    (void)state;
    assert_true(pv_random_u64(1, 1, 1) == pv_random_u64(1, 1, 1));
    assert_true(pv_random_u64(1, 1, 1) != pv_random_u64(2, 1, 1));
    assert_true(pv_random_u64(1, 1, 1) != pv_random_u64(1, 2, 1));
    assert_true(pv_random_u64(1, 1, 1) != pv_random_u64(1, 1, 2));
    assert_true(pv_random_u64(1, 2, 3) != pv_random_u64(3, 2, 1));
    /* The upper halves matter, too. */
    assert_true(pv_random_u64(1, 1, 1) != pv_random_u64(1 + (UINT64_C(1) << 32), 1, 1));
    assert_true(pv_random_u64(1, 1, 1) != pv_random_u64(1, 1 + (UINT64_C(1) << 32), 1));
    assert_true(pv_random_u64(1, 1, 1) != pv_random_u64(1, 1, 1 + (UINT64_C(1) << 32)));
}

/* ---- Output files ---------------------------------------------------------------------------- */

static void check_file(const char *path, const char *expected)
{
    size_t length;
    char *bytes = scratch_read(path, &length);
    assert_non_null(bytes);
    assert_string_equal(bytes, expected);
    free(bytes);
}

static void an_output_appears_when_it_is_complete(void **state)
{
    bench *b = *state;
    char *path = scratch_path(b->folder, "out");
    pv_output *out;
    ok(pv_output_open(b->ctx, path, &out));
    ok(pv_output_write_at(out, 5, "world", 5));
    ok(pv_output_write_at(out, 0, "hello", 5));
    assert_int_equal(access(path, F_OK), -1);
    ok(pv_output_commit(out));
    check_file(path, "helloworld");
    assert_int_equal(scratch_entries(b->folder), 1);
    ok(pv_output_open(b->ctx, path, &out));
    ok(pv_output_write_at(out, 0, "new", 3));
    check_file(path, "helloworld");
    ok(pv_output_commit(out));
    check_file(path, "new");
    assert_int_equal(scratch_entries(b->folder), 1);
    free(path);
}

static void a_discarded_output_leaves_nothing(void **state)
{
    bench *b = *state;
    char *path = scratch_path(b->folder, "out");
    pv_output *out;
    ok(pv_output_open(b->ctx, path, &out));
    ok(pv_output_write_at(out, 0, "hello", 5));
    int nameless = pv_nameless_open(b->folder);
    if (nameless >= 0) {
        close(nameless);
        assert_int_equal(scratch_entries(b->folder), 0); /* so a killed process leaves nothing
                                                          * either */
    }
    pv_output_discard(out);
    assert_int_equal(scratch_entries(b->folder), 0);
    scratch_write(path, "old", 3);
    ok(pv_output_open(b->ctx, path, &out));
    ok(pv_output_write_at(out, 0, "hello", 5));
    pv_output_discard(out);
    check_file(path, "old");
    free(path);
}

/* Opens two outputs and writes a word to each. */
static void open_two(bench *b, const char *const *paths, pv_output **outputs)
{
    for (int k = 0; k < 2; k++) {
        ok(pv_output_open(b->ctx, paths[k], &outputs[k]));
        ok(pv_output_write_at(outputs[k], 0, "new", 3));
    }
}

static void a_set_is_replaced_completely_or_not_at_all(void **state)
{
    bench *b = *state;
    char *one = scratch_path(b->folder, "one"), *two = scratch_path(b->folder, "two");
    const char *const paths[] = {one, two};
    pv_output *outputs[2];
    for (int round = 0; round < 2; round++) { /* nothing to replace; something */
        open_two(b, paths, outputs);
        ok(pv_output_commit_set(outputs, 2));
        check_file(one, "new");
        check_file(two, "new");
        assert_int_equal(scratch_entries(b->folder), 2);
        scratch_write(one, "old", 3);
        scratch_write(two, "old", 3);
    }
    /* The second cannot be replaced. */
    open_two(b, paths, outputs);
    unlink(two);
    assert_int_equal(mkdir(two, 0777), 0);
    assert_int_equal(pv_output_commit_set(outputs, 2), PSDVEC_ERR_WRITE);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "two: cannot write"));
    check_file(one, "old");
    assert_int_equal(scratch_entries(b->folder), 2);
    free(one);
    free(two);
}

/* The caller may find no memory to report the failure, and end the process before it drops them. */
static void new_files_that_cannot_be_placed_have_no_names(void **state)
{
    bench *b = *state;
    char *one = scratch_path(b->folder, "one"), *two = scratch_path(b->folder, "two");
    const char *const paths[] = {one, two}, *why;
    pv_new_file files[2];
    size_t failed;
    for (int k = 0; k < 2; k++)
        assert_int_equal(pv_new_file_open(&files[k], paths[k], &why), 0);
    assert_int_equal(mkdir(two, 0777), 0);
    pv_new_file *const list[] = {&files[0], &files[1]};
    assert_int_equal(pv_new_files_place(list, 2, false, &failed), EISDIR);
    assert_int_equal(failed, 1);
    assert_int_equal(scratch_entries(b->folder), 1);
    for (int k = 0; k < 2; k++)
        pv_new_file_drop(&files[k]);
    free(one);
    free(two);
}

static void no_new_files_are_placed_without_an_error(void **state)
{
    (void)state;
    size_t failed = 1;
    assert_int_equal(pv_new_files_place(NULL, 0, true, &failed), 0);
}

static void what_a_killed_process_left_is_removed(void **state)
{
    bench *b = *state;
    static const char *const names[] = {".out.psdvec-new", ".out.psdvec-old", ".x.psdvec-new"};
    char *path = scratch_path(b->folder, "out"), *other = scratch_path(b->folder, "other");
    const char *const paths[] = {path, other};
    pv_output *outputs[2];
    for (int k = 0; k < 3; k++) {
        char *left = scratch_path(b->folder, names[k]);
        scratch_write(left, "left", 4);
        free(left);
    }
    assert_true(pv_new_file_was_interrupted(path));
    assert_false(pv_new_file_was_interrupted(other));
    pv_map map;
    assert_int_equal(pv_map_open(b->ctx, path, false, &map), PSDVEC_ERR_NOT_FOUND);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "run that command again"));
    pv_begin(b->ctx);
    open_two(b, paths, outputs);
    ok(pv_output_commit_set(outputs, 2));
    assert_false(pv_new_file_was_interrupted(path));
    assert_int_equal(scratch_entries(b->folder), 3); /* with that of another file */
    free(path);
    free(other);
}

static void a_link_is_followed(void **state)
{
    bench *b = *state;
    char *target = scratch_path(b->folder, "target"), *link = scratch_path(b->folder, "link");
    scratch_write(target, "old", 3);
    assert_int_equal(symlink("target", link), 0);
    pv_output *out;
    ok(pv_output_open(b->ctx, link, &out));
    ok(pv_output_write_at(out, 0, "new", 3));
    ok(pv_output_commit(out));
    check_file(target, "new");
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    free(target);
    free(link);
}

static void a_link_to_nothing_yet_is_followed(void **state)
{
    bench *b = *state;
    char *target = scratch_path(b->folder, "target"), *link = scratch_path(b->folder, "link");
    assert_int_equal(symlink("target", link), 0);
    pv_output *out;
    ok(pv_output_open(b->ctx, link, &out));
    ok(pv_output_write_at(out, 0, "new", 3));
    ok(pv_output_commit(out));
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    check_file(target, "new");
    free(target);
    free(link);
}

static void invalid_targets_are_refused_at_once(void **state)
{
    bench *b = *state;
    char *missing = scratch_path(b->folder, "no/such/folder"),
         *slash = scratch_path(b->folder, "x/");
    char *file = scratch_path(b->folder, "file"), *below = scratch_path(b->folder, "file/x");
    scratch_write(file, "x", 1);
    const struct {
        const char *path;
        psdvec_status status;
        const char *words;
    } cases[] = {{b->folder, PSDVEC_ERR_WRITE, "is a folder"},
                 {"/dev/null", PSDVEC_ERR_WRITE, "not a regular file"},
                 {"", PSDVEC_ERR_OPTION, "empty"},
                 {slash, PSDVEC_ERR_WRITE, "names a folder"},
                 {missing, PSDVEC_ERR_WRITE, "create the folder first"},
                 {below, PSDVEC_ERR_WRITE, "file/x"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pv_output *out;
        pv_begin(b->ctx);
        assert_int_equal(pv_output_open(b->ctx, cases[i].path, &out), cases[i].status);
        assert_null(out);
        if (!strstr(psdvec_error_message(b->ctx), cases[i].words))
            fail_msg("%s", psdvec_error_message(b->ctx));
    }
    free(missing);
    free(slash);
    free(file);
    free(below);
}

static void a_name_of_255_bytes_is_possible(void **state)
{
    bench *b = *state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    char *path = scratch_path(b->folder, name);
    pv_output *out;
    ok(pv_output_open(b->ctx, path, &out));
    ok(pv_output_write_at(out, 0, "new", 3));
    ok(pv_output_commit(out));
    check_file(path, "new");
    free(path);
}

static void a_full_disk_is_reported_and_leaves_nothing(void **state)
{
    bench *b = *state;
    char *small = scratch_path(b->folder, "small"), *path = scratch_path(small, "out");
    assert_int_equal(mkdir(small, 0777), 0);
    if (mount("tmpfs", small, "tmpfs", 0, "size=1m") != 0) {
        free(small);
        free(path);
        skip();
    }
    pv_output *out;
    char *block = calloc(1, 3 << 20);
    psdvec_status opened = pv_output_open(b->ctx, path, &out);
    psdvec_status expected = opened ? opened : pv_output_expect(out, 3 << 20);
    pv_begin(b->ctx);
    psdvec_status written = opened ? opened : pv_output_write_at(out, 0, block, 3 << 20);
    if (!opened)
        pv_output_discard(out);
    size_t left = scratch_entries(small);
    free(block);
    assert_int_equal(umount(small), 0);
    assert_int_equal(expected, PSDVEC_ERR_DISK_FULL);
    assert_int_equal(written, PSDVEC_ERR_DISK_FULL);
    assert_int_equal(left, 0);
    free(small);
    free(path);
}

static void a_map_shows_the_file_mapped_or_read(void **state)
{
    bench *b = *state;
    char *path = scratch_path(b->folder, "file");
    scratch_write(path, "contents", 8);
    for (int never = 0; never < 2; never++) {
        pv_map map;
        ok(pv_map_open(b->ctx, path, never, &map));
        assert_int_equal(map.size, 8);
        assert_memory_equal(map.data, "contents", 8);
        assert_true((map.mapping == NULL) == (never == 1));
        pv_map_release(&map);
        assert_memory_equal(map.data, "contents", 8);
        pv_map_close(b->ctx, &map);
    }
    scratch_write(path, "", 0);
    pv_map map;
    ok(pv_map_open(b->ctx, path, false, &map));
    assert_int_equal(map.size, 0);
    pv_map_close(b->ctx, &map);
    assert_int_equal(pv_map_open(b->ctx, b->folder, false, &map), PSDVEC_ERR_READ);
    unlink(path);
    pv_begin(b->ctx);
    assert_int_equal(pv_map_open(b->ctx, path, false, &map), PSDVEC_ERR_NOT_FOUND);
    free(path);
}

static void a_temporary_file_has_no_name(void **state)
{
    bench *b = *state;
    int fd;
    ok(pv_temp_open(b->ctx, b->folder, &fd));
    assert_int_equal(scratch_entries(b->folder), 0);
    ok(pv_write_all_at(b->ctx, fd, "temporary", 0, "abc", 3));
    char back[4] = "";
    ok(pv_read_all_at(b->ctx, fd, "temporary", 0, back, 3));
    assert_string_equal(back, "abc");
    assert_int_equal(pv_read_all_at(b->ctx, fd, "temporary", 1, back, 3), PSDVEC_ERR_CORRUPT);
    close(fd);
    pv_begin(b->ctx);
    assert_int_equal(pv_temp_open(b->ctx, "/no/such/folder", &fd), PSDVEC_ERR_WRITE);
}

/* ---- The spool ------------------------------------------------------------------------------- */

static void a_spool_crosses_from_memory_to_disk(void **state)
{
    bench *b = *state;
    static const uint64_t limits[] = {0, 1, 5000, 100000, 1000003, 16 << 20};
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
        pv_spool *spool;
        ok(pv_spool_new(b->ctx, b->folder, "a test", limits[l], &spool));
        dice d = {limits[l]};
        unsigned char piece[9000];
        uint64_t total = 0;
        for (int i = 0; i < 300; i++) {
            size_t length = dice_below(&d, sizeof piece);
            for (size_t k = 0; k < length; k++)
                piece[k] = (unsigned char)((total + k) * 31 >> 3);
            uint64_t offset;
            ok(pv_spool_append(spool, piece, length, &offset));
            assert_int_equal(offset, total);
            total += length;
            assert_int_equal(pv_spool_length(spool), total);
        }
        assert_true((pv_spool_on_disk(spool) > 0) == (limits[l] < total));
        assert_true(pv_spool_on_disk(spool) <= total);
        for (int i = 0; i < 300; i++) {
            uint64_t offset = dice_below(&d, total);
            size_t length = dice_below(&d, sizeof piece);
            if (length > total - offset)
                length = (size_t)(total - offset);
            ok(pv_spool_read(spool, offset, piece, length));
            for (size_t k = 0; k < length; k++)
                if (piece[k] != (unsigned char)((offset + k) * 31 >> 3))
                    fail_msg("limit %llu: wrong byte at %llu", (unsigned long long)limits[l],
                             (unsigned long long)(offset + k));
        }
        pv_spool_free(spool);
    }
    pv_spool_free(NULL);
    assert_int_equal(scratch_entries(b->folder), 0);
}

typedef struct appending {
    pv_spool *spool;
    uint64_t offsets[2000];
} appending;

static psdvec_status append_one(void *opaque, size_t task, int worker)
{
    (void)worker;
    appending *a = opaque;
    uint64_t record[100];
    for (int i = 0; i < 100; i++)
        record[i] = task;
    PV_TRY(pv_spool_append(a->spool, record, sizeof record, &a->offsets[task]));
    PV_TRY(pv_spool_read(a->spool, a->offsets[task], record, sizeof record));
    for (int i = 0; i < 100; i++)
        if (record[i] != task)
            return PSDVEC_ERR_INTERNAL;
    return PSDVEC_OK;
}

static void threads_may_append_at_once(void **state)
{
    bench *b = *state;
    appending *a = calloc(1, sizeof *a);
    assert_non_null(a);
    ok(pv_spool_new(b->ctx, b->folder, "a test", 300000, &a->spool));
    ok(pv_parallel_tasks(b->ctx, 2000, append_one, a));
    assert_int_equal(pv_spool_length(a->spool), 2000 * 800);
    for (uint64_t task = 0; task < 2000; task++) {
        uint64_t record[100];
        ok(pv_spool_read(a->spool, a->offsets[task], record, sizeof record));
        assert_true(record[0] == task && record[99] == task);
    }
    pv_spool_free(a->spool);
    free(a);
}

static void a_byte_of_the_host_cancels(void **state)
{
    (void)state;
    unsigned char stop = 0;
    psdvec_context_options options;
    psdvec_context *other;
    psdvec_context_options_default(&options);
    options.should_cancel = psdvec_cancel_if_set;
    options.user = &stop;
    assert_int_equal(psdvec_context_new(&options, &other), PSDVEC_OK);
    assert_int_equal(pv_check_cancel(other), PSDVEC_OK);
    stop = 1;
    assert_int_equal(pv_check_cancel(other), PSDVEC_ERR_CANCELLED);
    psdvec_context_free(other);
    assert_false(psdvec_cancel_if_set(NULL));
}

/* Hosts may free the strings of the options after the call. */
static void strings_of_the_options_are_copied(void **state)
{
    (void)state;
    char folder[] = "/some/folder", name[] = "a name";
    psdvec_context_options options;
    psdvec_context *other;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.tempdir = folder;
    options.input_name = name;
    assert_int_equal(psdvec_context_new(&options, &other), PSDVEC_OK);
    memset(folder, 'x', sizeof folder - 1);
    memset(name, 'x', sizeof name - 1);
    assert_string_equal(other->options.tempdir, "/some/folder"); /* for contexts made from these */
    assert_string_equal(other->tempdir, "/some/folder");
    assert_string_equal(other->options.input_name, "a name");
    psdvec_context_free(other);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_scope_frees_all_its_blocks_whether_or_not_one_failed),
        TEST(a_byte_of_the_host_cancels),
        TEST(strings_of_the_options_are_copied),
        TEST(a_request_beyond_the_budget_fails_with_a_message),
        TEST(a_silent_request_leaves_no_failure),
        TEST(products_that_wrap_around_are_refused),
        TEST(a_probe_fails_where_the_system_has_no_memory),
        TEST(blocks_are_aligned_and_zero_where_promised),
        TEST(resizing_keeps_contents_and_the_old_block_on_failure),
        TEST(the_peak_is_the_most_held_at_one_time),
        TEST(a_buffer_grows_and_is_padded),
        TEST(each_task_is_done_once),
        TEST(each_worker_runs_once),
        TEST(a_failure_ends_the_tasks_and_is_reported),
        TEST(a_request_to_stop_ends_the_tasks),
        TEST(a_failure_without_a_message_is_reported),
        TEST(workers_may_not_divide_their_work_again),
        TEST(philox_gives_the_published_answers),
        TEST(random_numbers_have_the_moments_they_should),
        TEST(an_index_of_words_finds_all_and_reports_equal_ones),
        TEST(random_streams_differ_by_seed_purpose_and_index),
        TEST(an_output_appears_when_it_is_complete),
        TEST(a_discarded_output_leaves_nothing),
        TEST(a_set_is_replaced_completely_or_not_at_all),
        TEST(new_files_that_cannot_be_placed_have_no_names),
        TEST(no_new_files_are_placed_without_an_error),
        TEST(what_a_killed_process_left_is_removed),
        TEST(a_link_is_followed),
        TEST(a_link_to_nothing_yet_is_followed),
        TEST(invalid_targets_are_refused_at_once),
        TEST(a_name_of_255_bytes_is_possible),
        TEST(a_full_disk_is_reported_and_leaves_nothing),
        TEST(a_map_shows_the_file_mapped_or_read),
        TEST(a_temporary_file_has_no_name),
        TEST(a_spool_crosses_from_memory_to_disk),
        TEST(threads_may_append_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
