/* Sorted runs in memory and in a temporary file, merged in one pass and in several. */
#include "base/context.h"
#include "base/sorted_runs.h"
#include "base/thread.h"
#include "support/problem.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct item {
    uint32_t key, other; /* other: derived from the key */
    uint32_t more;       /* a size that does not divide a block */
} item;

static int by_key(const void *a, const void *b, void *arg)
{
    const item *x = a, *y = b;
    assert_string_equal(arg, "the argument");
    return x->key < y->key ? -1 : x->key > y->key;
}

static pv_sorted_runs new_runs(psdvec_context *ctx, const char *folder, size_t fan_in)
{
    return (pv_sorted_runs){.ctx = ctx,
                            .folder = folder,
                            .what = "the test",
                            .size = sizeof(item),
                            .compare = by_key,
                            .arg = "the argument",
                            .fan_in = fan_in};
}

typedef struct reader {
    uint64_t count, stop; /* fails after `stop` items; 0: never */
} reader;

/* Keys are 0, 1, 2, ... */
static psdvec_status read_item(void *arg, const void *data)
{
    reader *r = arg;
    const item *i = data;
    assert_int_equal(i->key, r->count);
    assert_int_equal(i->other, i->key * 7);
    assert_int_equal(i->more, i->key ^ 5);
    return ++r->count == r->stop ? PSDVEC_ERR_EMPTY : PSDVEC_OK;
}

/* Run `first` of `count` runs, to which the keys from 0 are dealt in turn: its keys, ascending. */
static item *make_run(size_t first, size_t count, size_t keys, size_t *length)
{
    item *items = calloc(keys / count + 1, sizeof *items);
    *length = 0;
    for (size_t k = first; k < keys; k += count)
        items[(*length)++] =
            (item){.key = (uint32_t)k, .other = (uint32_t)k * 7, .more = (uint32_t)k ^ 5};
    return items;
}

static void runs_of_memory_and_file_are_merged_in_order(void **state)
{
    (void)state;
    static const struct {
        size_t runs, keys, fan_in;
        int kept; /* every n-th run is kept in memory; 0: none, 1: all */
        uint64_t most;
    } cases[] = {{0, 0, 0, 0, 9},           {1, 5, 0, 0, UINT64_MAX},
                 {3, 100000, 0, 0, 100000}, {7, 50000, 2, 0, UINT64_MAX},
                 {7, 50000, 3, 0, 20000},   {10, 50000, 2, 3, UINT64_MAX},
                 {9, 20, 0, 1, UINT64_MAX}, {9, 30000, 2, 1, 0},
                 {65, 70000, 8, 0, 1},      {20, 10, 4, 0, UINT64_MAX}};
    psdvec_context *ctx = context_of(2);
    char *folder = scratch_new();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pv_sorted_runs runs = new_runs(ctx, folder, cases[c].fan_in);
        item *items[100];
        reader r = {0};
        pv_sorted_runs_init(&runs);
        for (size_t k = 0; k < cases[c].runs; k++) {
            size_t length;
            bool keep = cases[c].kept && k % (size_t)cases[c].kept == 0;
            items[k] = make_run(k, cases[c].runs, cases[c].keys, &length);
            well(ctx, keep ? pv_sorted_runs_keep(&runs, items[k], length)
                           : pv_sorted_runs_append(&runs, items[k], length));
            if (!keep) /* the file has a copy */
                memset(items[k], 0xFF, length * sizeof *items[k]);
        }
        assert_true((runs.spool == NULL) == (cases[c].runs == 0 || cases[c].kept == 1));
        well(ctx, pv_sorted_runs_reduce(&runs, cases[c].most, "merging", "items"));
        if (cases[c].fan_in && runs.spool)
            assert_in_range(runs.count, 0, cases[c].fan_in);
        for (int again = 0; again < 2; again++) {
            r.count = 0;
            well(ctx, pv_sorted_runs_merge(&runs, cases[c].most, read_item, &r));
            assert_int_equal(r.count,
                             cases[c].keys < cases[c].most ? cases[c].keys : cases[c].most);
        }
        assert_int_equal(scratch_entries(folder), 0);
        pv_sorted_runs_free(&runs);
        for (size_t k = 0; k < cases[c].runs; k++)
            free(items[k]);
    }
    assert_int_equal(ctx->memory_used, 0);
    scratch_free(folder);
    psdvec_context_free(ctx);
}

enum { RUNS = 40, KEYS = 100000 };

static psdvec_status append_run(void *arg, size_t task, int worker)
{
    size_t length;
    item *items = make_run(task, RUNS, KEYS, &length);
    psdvec_status status = pv_sorted_runs_append(arg, items, length);
    (void)worker;
    free(items);
    return status;
}

static void workers_append_at_the_same_time(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(4);
    char *folder = scratch_new();
    pv_sorted_runs runs = new_runs(ctx, folder, 0);
    reader r = {0};
    pv_sorted_runs_init(&runs);
    well(ctx, pv_parallel_tasks(ctx, RUNS, append_run, &runs));
    assert_int_equal(runs.count, RUNS);
    well(ctx, pv_sorted_runs_reduce(&runs, UINT64_MAX, "merging", "items"));
    well(ctx, pv_sorted_runs_merge(&runs, UINT64_MAX, read_item, &r));
    assert_int_equal(r.count, KEYS);
    pv_sorted_runs_free(&runs);
    scratch_free(folder);
    psdvec_context_free(ctx);
}

static void a_failure_of_the_callback_ends_the_merge(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    char *folder = scratch_new();
    pv_sorted_runs runs = new_runs(ctx, folder, 0);
    reader r = {.stop = 17};
    pv_sorted_runs_init(&runs);
    for (size_t k = 0; k < RUNS; k++)
        well(ctx, append_run(&runs, k, 0));
    assert_int_equal(pv_sorted_runs_merge(&runs, UINT64_MAX, read_item, &r), PSDVEC_ERR_EMPTY);
    assert_int_equal(r.count, 17);
    pv_sorted_runs_free(&runs);
    assert_int_equal(ctx->memory_used, 0);
    scratch_free(folder);
    psdvec_context_free(ctx);
}

static void a_missing_folder_is_reported(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    pv_sorted_runs runs = new_runs(ctx, "/no/such/folder", 0);
    pv_sorted_runs_init(&runs);
    assert_int_equal(append_run(&runs, 0, 0), PSDVEC_ERR_WRITE);
    assert_contains(psdvec_error_message(ctx), "/no/such/folder: cannot create a temporary file");
    pv_sorted_runs_free(&runs);
    psdvec_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_memory_and_file_are_merged_in_order),
        cmocka_unit_test(workers_append_at_the_same_time),
        cmocka_unit_test(a_failure_of_the_callback_ends_the_merge),
        cmocka_unit_test(a_missing_folder_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
