/* Sparse matrices by rows against dense ones: columns, transposes, both directions of pairs, and
 * the division of rows into tasks. */
#include "sparse/columns.h"
#include "sparse/transposed.h"
#include "support/problem.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- A random matrix with every kind of value ------------------------------------------------ */

typedef struct sample {
    uint32_t rows, columns;
    uint64_t *dense; /* rows x columns; 0: no entry */
    uint64_t *begin;
    uint32_t *column;
    float *value;
    uint32_t *value32;
    uint64_t *value64;
} sample;

/* Some rows are empty; the first columns have the most entries. */
static sample sample_new(uint64_t seed, uint32_t rows, uint32_t columns)
{
    dice d = {seed};
    size_t cells = (size_t)rows * columns, k = 0;
    sample s = {.rows = rows,
                .columns = columns,
                .dense = calloc(cells, sizeof *s.dense),
                .begin = calloc((size_t)rows + 1, sizeof *s.begin),
                .column = calloc(cells, sizeof *s.column),
                .value = calloc(cells, sizeof *s.value),
                .value32 = calloc(cells, sizeof *s.value32),
                .value64 = calloc(cells, sizeof *s.value64)};
    assert_true(s.dense && s.begin && s.column && s.value && s.value32 && s.value64);
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++)
            if (i % 5 != 3 && dice_percent(&d, 1 + 40 / (j + 1))) {
                s.dense[(size_t)i * columns + j] = (uint64_t)i * columns + j + 1;
                s.column[k] = j;
                s.value64[k] = s.dense[(size_t)i * columns + j];
                s.value32[k] = (uint32_t)s.value64[k];
                s.value[k] = (float)s.value64[k];
                k++;
            }
        s.begin[i + 1] = k;
    }
    return s;
}

static void sample_free(sample *s)
{
    free(s->dense);
    free(s->begin);
    free(s->column);
    free(s->value);
    free(s->value32);
    free(s->value64);
}

static void end_context(psdvec_context *ctx)
{
    assert_int_equal(atomic_load(&ctx->memory_used), 0);
    psdvec_context_free(ctx);
}

/* ---- Columns --------------------------------------------------------------------------------- */

static void check_gathered(psdvec_context *ctx, const sample *s, const pv_column_blocks *blocks,
                           uint32_t block, uint32_t first_row, uint32_t end_row)
{
    pv_gathered gathered;
    uint32_t first = blocks->edges[block];
    well(ctx, pv_gather(ctx, blocks, block, first_row, end_row, &gathered));
    for (uint32_t j = first; j < blocks->edges[block + 1]; j++) {
        size_t at = gathered.begin[j - first];
        for (uint32_t i = first_row; i < end_row; i++) {
            if (s->dense[(size_t)i * s->columns + j] == 0)
                continue;
            assert_int_equal(gathered.row[at], i);
            assert_int_equal(gathered.value[at], s->dense[(size_t)i * s->columns + j]);
            at++;
        }
        assert_int_equal(at, gathered.begin[j - first + 1]);
    }
    pv_gathered_free(&gathered);
}

static void gathered_columns_are_those_of_the_rows(void **state)
{
    (void)state;
    static const uint32_t block_counts[] = {1, 2, 7, 64, 200};
    psdvec_context *ctx = context_of(2);
    sample s = sample_new(13, 700, 90);
    pv_csr matrix = pv_csr_of(s.rows, s.columns, s.begin, s.column, NULL);
    for (size_t k = 0; k < 20; k++) {
        pv_column_blocks blocks;
        uint32_t count = block_counts[k / 4], first = k % 2 ? 20 : 0, end = s.columns - first;
        matrix.value32 = k & 2 ? s.value32 : NULL;
        matrix.value64 = k & 2 ? NULL : s.value64;
        well(ctx, pv_column_blocks_make(ctx, matrix, first, end, count, &blocks));
        assert_int_equal(blocks.edges[0], first);
        assert_int_equal(blocks.edges[count], end);
        for (uint32_t block = 0; block < count; block++)
            check_gathered(ctx, &s, &blocks, block, first, s.rows - first);
        pv_column_blocks_free(&blocks);
    }
    sample_free(&s);
    end_context(ctx);
}

/* A matrix with some values that do not fit 32 bits. */
static sample wide_sample_new(uint64_t seed, uint32_t rows, uint32_t columns)
{
    sample s = sample_new(seed, rows, columns);
    for (uint32_t i = 0; i < rows; i++)
        for (uint64_t k = s.begin[i]; k < s.begin[i + 1]; k++) {
            if (s.value64[k] % 7 == 0)
                s.value64[k] += UINT64_C(1) << (32 + k % 20);
            else if (s.value64[k] % 7 == 1)
                s.value64[k] = UINT32_MAX + k % 2;
            s.dense[(size_t)i * columns + s.column[k]] = s.value64[k];
        }
    return s;
}

/* Writes all columns. */
static psdvec_status transpose(psdvec_context *ctx, const pv_csr *matrix, const char *folder,
                               pv_transposed **columns)
{
    PV_TRY(pv_transposed_measure(ctx, matrix, columns));
    pv_transposed_select(*columns, 0, matrix->columns);
    return pv_transposed_write(*columns, matrix, folder);
}

/* Whatever the memory, and for a matrix whose first rows only are iterated over. */
static void columns_in_a_file_are_those_of_the_rows(void **state)
{
    (void)state;
    static const uint32_t block_counts[] = {1, 2, 7, 64, 200};
    char *folder = scratch_new();
    sample s = wide_sample_new(17, 9000, 90);
    for (int threads = 1; threads <= 3; threads += 2)
        for (uint64_t memory = UINT64_C(1) << 20; memory <= UINT64_C(1) << 30; memory <<= 10) {
            psdvec_context *ctx = context_of(threads);
            ctx->options.memory = memory;
            pv_csr matrix = pv_csr_of(s.rows, s.columns, s.begin, s.column, NULL);
            matrix.value64 = s.value64;
            pv_transposed *columns;
            well(ctx, transpose(ctx, &matrix, folder, &columns));
            matrix.transposed = columns;
            assert_true(atomic_load(&ctx->memory_used) <=
                        pv_transposed_bytes(s.columns, UINT64_C(1) << 60, threads));
            for (size_t k = 0; k < 20; k++) {
                pv_column_blocks blocks;
                uint32_t count = block_counts[k / 4], first = k % 2 ? 20 : 0;
                matrix.rows = k % 3 ? s.rows : 500;
                well(ctx,
                     pv_column_blocks_make(ctx, matrix, first, s.columns - first, count, &blocks));
                for (uint32_t block = 0; block < count; block++) {
                    check_gathered(ctx, &s, &blocks, block, 0, matrix.rows);
                    check_gathered(ctx, &s, &blocks, block, first, matrix.rows - first);
                }
                pv_column_blocks_free(&blocks);
            }
            pv_transposed_free(columns);
            end_context(ctx);
        }
    assert_int_equal(scratch_entries(folder), 0);
    sample_free(&s);
    scratch_free(folder);
}

/* Columns that were not selected are not written, and reading one of them fails. */
static void only_selected_columns_are_in_a_file(void **state)
{
    (void)state;
    char *folder = scratch_new();
    sample s = wide_sample_new(18, 3000, 90);
    for (uint64_t memory = UINT64_C(1) << 20; memory <= UINT64_C(1) << 30; memory <<= 10) {
        psdvec_context *ctx = context_of(2);
        ctx->options.memory = memory;
        pv_csr matrix = pv_csr_of(s.rows, s.columns, s.begin, s.column, NULL);
        matrix.value64 = s.value64;
        pv_transposed *columns;
        well(ctx, pv_transposed_measure(ctx, &matrix, &columns));
        matrix.transposed = columns;
        static const uint32_t edges[] = {5, 20, 15, 30, 60, 61, 70, 70};
        uint64_t selected = 0, entries = s.begin[s.rows];
        for (size_t k = 0; k < 8; k += 2)
            pv_transposed_select(columns, edges[k], edges[k + 1]);
        for (uint32_t j = 0; j < s.columns; j++)
            selected += (j >= 5 && j < 30) || j == 60 ? columns->length[j] : 0;
        assert_int_equal(pv_transposed_entries(columns), selected);
        assert_true(selected > 0 && selected < entries / 2);
        pv_column_blocks blocks;
        pv_gathered gathered;
        well(ctx, pv_column_blocks_make(ctx, matrix, 0, s.columns, s.columns, &blocks));
        for (int written = 0; written < 2; written++) {
            for (uint32_t block = 0; block < blocks.blocks; block++) {
                uint32_t j = blocks.edges[block], end = blocks.edges[block + 1];
                bool there = written && ((j >= 5 && end <= 30) || (j == 60 && end == 61));
                if (j == end)
                    continue;
                if (there) {
                    check_gathered(ctx, &s, &blocks, block, 0, s.rows);
                    continue;
                }
                assert_int_equal(pv_gather(ctx, &blocks, block, 0, s.rows, &gathered),
                                 PSDVEC_ERR_INTERNAL);
                assert_non_null(strstr(psdvec_error_message(ctx), "not all in the file"));
                pv_gathered_free(&gathered);
                pv_begin(ctx); /* the failure is settled */
            }
            if (!written) {
                well(ctx, pv_transposed_write(columns, &matrix, folder));
                assert_int_equal(pv_transposed_entries(columns), selected);
                assert_int_equal(lseek(columns->fd, 0, SEEK_END),
                                 (off_t)pv_transposed_file_bytes(selected));
            }
        }
        pv_column_blocks_free(&blocks);
        pv_transposed_free(columns);
        end_context(ctx);
    }
    sample_free(&s);
    scratch_free(folder);
}

/* An empty matrix, and a folder that does not exist. */
static void a_file_of_columns_may_be_empty_or_impossible(void **state)
{
    (void)state;
    char *folder = scratch_new();
    psdvec_context *ctx = context_of(2);
    uint64_t begin[4] = {0};
    uint32_t column[1] = {0}, value[1] = {0};
    pv_csr matrix = pv_csr_of(3, 3, begin, column, NULL);
    matrix.value32 = value;
    pv_transposed *columns;
    well(ctx, transpose(ctx, &matrix, folder, &columns));
    matrix.transposed = columns;
    pv_column_blocks blocks;
    pv_gathered gathered;
    well(ctx, pv_column_blocks_make(ctx, matrix, 0, 3, 2, &blocks));
    well(ctx, pv_gather(ctx, &blocks, 0, 0, 3, &gathered));
    assert_int_equal(gathered.begin[blocks.edges[1] - blocks.edges[0]], 0);
    pv_gathered_free(&gathered);
    pv_column_blocks_free(&blocks);
    pv_transposed_free(columns);
    assert_int_equal(transpose(ctx, &matrix, "/nowhere/at/all", &columns), PSDVEC_ERR_WRITE);
    assert_non_null(strstr(psdvec_error_message(ctx), "/nowhere/at/all"));
    pv_transposed_free(columns);
    pv_transposed_free(NULL);
    end_context(ctx);
    scratch_free(folder);
}

static void a_transpose_has_rows_and_columns_exchanged(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(3);
    sample s = sample_new(5, 300, 110);
    pv_csr matrix = pv_csr_of(s.rows, s.columns, s.begin, s.column, s.value);
    pv_csr_store t;
    well(ctx, pv_csr_transpose(ctx, &matrix, NULL, 0, "a test", &t));
    assert_int_equal(t.rows, s.columns);
    assert_int_equal(t.columns, s.rows);
    for (uint32_t j = 0; j < s.columns; j++) {
        uint64_t at = t.begin[j];
        for (uint32_t i = 0; i < s.rows; i++) {
            if (s.dense[(size_t)i * s.columns + j] == 0)
                continue;
            assert_int_equal(t.column[at], i);
            assert_true(t.value[at] == (float)s.dense[(size_t)i * s.columns + j]);
            at++;
        }
        assert_int_equal(at, t.begin[j + 1]);
    }
    pv_csr_store_free(&t);
    pv_csr_store_free(&t); /* freeing twice, or without initialisation, is harmless */
    sample_free(&s);
    end_context(ctx);
}

static void copied_rows_are_the_requested_ones(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    sample s = sample_new(6, 60, 40);
    pv_csr matrix = pv_csr_of(s.rows, s.columns, s.begin, s.column, s.value);
    pv_csr_store copy;
    well(ctx, pv_csr_copy_rows(ctx, &matrix, 10, 25, "a test", &copy));
    uint64_t from = s.begin[10], entries = s.begin[35] - from;
    assert_int_equal(copy.begin[25], entries);
    assert_memory_equal(copy.column, s.column + from, entries * sizeof *s.column);
    assert_memory_equal(copy.value, s.value + from, entries * sizeof *s.value);
    pv_csr_store_free(&copy);
    sample_free(&s);
    end_context(ctx);
}

/* ---- Both directions ------------------------------------------------------------------------- */

typedef struct visit {
    const sample *s;
    const pv_pair_walk *walk;
    atomic_uint rows, blocks;
    atomic_bool right;
} visit;

static psdvec_status visit_row(void *arg, pv_pair_row row, int worker)
{
    visit *v = arg;
    uint32_t n = v->s->rows, j = v->walk->above ? row.i : 0;
    bool right = true;
    (void)worker;
    atomic_fetch_add(&v->rows, 1);
    atomic_fetch_add(&v->blocks, row.last);
    pv_pair_skip(&row, j);
    for (; pv_pair_next(&row); j++) {
        for (; j < row.j; j++) /* skipped words have neither direction */
            right &= v->s->dense[(size_t)row.i * n + j] == 0 &&
                     (v->walk->row_only || v->s->dense[(size_t)j * n + row.i] == 0);
        right &= row.xij == v->s->dense[(size_t)row.i * n + j];
        right &= row.xji == (v->walk->row_only ? 0 : v->s->dense[(size_t)j * n + row.i]);
        right &= row.xij > 0 || row.xji > 0;
    }
    for (; j < n; j++)
        right &= v->s->dense[(size_t)row.i * n + j] == 0 &&
                 (v->walk->row_only || v->s->dense[(size_t)j * n + row.i] == 0);
    if (!right)
        atomic_store(&v->right, false);
    return PSDVEC_OK;
}

static void every_pair_is_visited_with_both_directions(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(3);
    sample s = sample_new(7, 120, 120);
    pv_csr matrix = pv_csr_of(s.rows, s.columns, s.begin, s.column, NULL);
    char *folder = scratch_new();
    pv_transposed *columns;
    matrix.value32 = s.value32;
    well(ctx, transpose(ctx, &matrix, folder, &columns));
    for (int k = 0; k < 16; k++) {
        pv_column_blocks blocks;
        matrix.value32 = k & 1 ? s.value32 : NULL;
        matrix.value64 = k & 1 ? NULL : s.value64;
        matrix.transposed = k & 8 ? columns : NULL;
        well(ctx, pv_column_blocks_make(ctx, matrix, 0, s.rows, 16, &blocks));
        visit v = {.s = &s};
        pv_pair_walk walk = {.blocks = &blocks,
                             .above = (k & 2) != 0,
                             .row_only = (k & 4) != 0,
                             .on_row = visit_row,
                             .arg = &v};
        v.walk = &walk;
        atomic_init(&v.right, true);
        well(ctx, pv_walk_pairs(ctx, &walk));
        assert_true(atomic_load(&v.right));
        assert_int_equal(atomic_load(&v.rows), s.rows);
        assert_in_range(atomic_load(&v.blocks), 2, 16);
        pv_column_blocks_free(&blocks);
    }
    pv_transposed_free(columns);
    scratch_free(folder);
    sample_free(&s);
    end_context(ctx);
}

static psdvec_status fail_at_row_50(void *arg, pv_pair_row row, int worker)
{
    (void)worker;
    return row.i == 50 ? pv_fail(arg, PSDVEC_ERR_EMPTY, "row 50") : PSDVEC_OK;
}

static void iteration_ends_with_the_first_failure(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(2);
    sample s = sample_new(8, 120, 120);
    pv_csr matrix = pv_csr_of(s.rows, s.columns, s.begin, s.column, NULL);
    pv_column_blocks blocks;
    well(ctx, pv_column_blocks_make(ctx, matrix, 0, s.rows, 4, &blocks));
    pv_pair_walk walk = {.blocks = &blocks, .on_row = fail_at_row_50, .arg = ctx};
    assert_int_equal(pv_walk_pairs(ctx, &walk), PSDVEC_ERR_EMPTY);
    pv_column_blocks_free(&blocks);
    sample_free(&s);
    end_context(ctx);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void tasks_have_about_the_same_work(void **state)
{
    (void)state;
    enum { ROWS = 1000, TASKS = 10 };
    uint64_t begin[ROWS + 1] = {0}, longest = 0;
    uint32_t edges[TASKS + 1];
    for (uint32_t i = 0; i < ROWS; i++) { /* frequent words first */
        uint64_t count = 20000 / (i + 10);
        begin[i + 1] = begin[i] + count;
        longest = count > longest ? count : longest;
    }
    for (uint32_t cost = 0; cost <= 100; cost += 50) {
        uint64_t total = begin[ROWS] + (uint64_t)cost * ROWS;
        pv_divide_rows(begin, ROWS, cost, TASKS, edges);
        assert_int_equal(edges[0], 0);
        assert_int_equal(edges[TASKS], ROWS);
        for (int t = 0; t < TASKS; t++) {
            uint64_t rows = edges[t + 1] - edges[t];
            uint64_t work = begin[edges[t + 1]] - begin[edges[t]] + cost * rows;
            assert_true(edges[t] <= edges[t + 1]);
            assert_true(work <= total / TASKS + longest + cost + 1);
        }
    }
}

static void offsets_and_columns_that_do_not_ascend_are_detected(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(2);
    const uint64_t offsets[] = {0, 2, 2, 5}, falls[] = {0, 3, 2, 5};
    assert_true(pv_offsets_ascend(offsets, 3, 5, 0));
    assert_false(pv_offsets_ascend(offsets, 3, 5, 1));
    assert_false(pv_offsets_ascend(offsets, 3, 6, 0));
    assert_false(pv_offsets_ascend(falls, 3, 5, 0));
    assert_false(pv_offsets_ascend(offsets + 1, 2, 5, 0));
    uint32_t column[] = {4, 6, 0, 1, 6};
    pv_csr matrix = pv_csr_of(3, 7, offsets, column, NULL);
    bool fine;
    well(ctx, pv_csr_check_columns(ctx, &matrix, &fine));
    assert_true(fine);
    matrix.columns = 6;
    well(ctx, pv_csr_check_columns(ctx, &matrix, &fine));
    assert_false(fine);
    matrix.columns = 7;
    column[3] = 0;
    well(ctx, pv_csr_check_columns(ctx, &matrix, &fine));
    assert_false(fine);
    end_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathered_columns_are_those_of_the_rows),
        cmocka_unit_test(columns_in_a_file_are_those_of_the_rows),
        cmocka_unit_test(only_selected_columns_are_in_a_file),
        cmocka_unit_test(a_file_of_columns_may_be_empty_or_impossible),
        cmocka_unit_test(a_transpose_has_rows_and_columns_exchanged),
        cmocka_unit_test(copied_rows_are_the_requested_ones),
        cmocka_unit_test(every_pair_is_visited_with_both_directions),
        cmocka_unit_test(iteration_ends_with_the_first_failure),
        cmocka_unit_test(tasks_have_about_the_same_work),
        cmocka_unit_test(offsets_and_columns_that_do_not_ascend_are_detected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
