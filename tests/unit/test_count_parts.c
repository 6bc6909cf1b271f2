/* The parts of the counter: word table, row sums, spills, token encoding. */
#include "base/context.h"
#include "count/rows.h"
#include "count/spills.h"
#include "count/token_store.h"
#include "count/word_table.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct bench {
    psdvec_context *ctx;
    char *folder;
} bench;

#define ok(call) assert_int_equal((call), PSDVEC_OK)

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->folder = scratch_new();
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = 3;
    o.memory = 256 << 20;
    *state = b;
    return psdvec_context_new(&o, &b->ctx) == PSDVEC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    scratch_free(b->folder);
    free(b);
    return used == 0 ? 0 : -1;
}

/* ---- The word table -------------------------------------------------------------------------- */

static size_t spell(uint32_t number, char *word)
{
    /* Lengths around 8 and 16, where the table uses different representations, and long ones. */
    static const size_t lengths[] = {1, 7, 8, 9, 15, 16, 17, 24, 31, 300};
    size_t digits = (size_t)sprintf(word, "%x", number), length = lengths[number % 10];
    while (digits < length)
        word[digits++] = (char)(number % 3 ? 'x' : '\0'); /* zero bytes are allowed */
    return digits;
}

static void a_table_finds_every_word_again(void **state)
{
    bench *b = *state;
    enum { N = 100000 };
    pv_word_table table;
    ok(pv_word_table_init(&table, b->ctx, 1));
    char word[400], *exact;
    uint32_t id;
    for (uint32_t i = 0; i < N; i++) {
        size_t length = spell(i, word);
        exact = malloc(length); /* the sanitizer detects any access beyond its end */
        memcpy(exact, word, length);
        pv_word_key key = pv_word_key_exact(exact, (uint32_t)length);
        assert_false(pv_word_table_find(&table, &key, &id));
        ok(pv_word_table_find_or_add(&table, &key, &id));
        assert_int_equal(id, i);
        table.words[id].value = i;
        free(exact);
    }
    assert_int_equal(table.count, N);
    for (uint32_t i = 0; i < N; i++) {
        size_t length = spell(i, word);
        pv_word_key key = pv_word_key_padded(word, (uint32_t)length);
        pv_word_key same = pv_word_key_exact(word, (uint32_t)length);
        assert_true(key.hash == same.hash && pv_word_hash(&table, i) == key.hash);
        assert_true(pv_word_table_find(&table, &key, &id));
        assert_int_equal(id, i);
        assert_int_equal(table.words[i].value, i);
        assert_int_equal(table.words[i].length, length);
        assert_memory_equal(pv_word_text(&table, i), word, length);
    }
    pv_word_table_free(&table);
    ok(pv_word_table_init(&table, b->ctx, 1000));
    assert_int_equal(table.count, 0);
    pv_word_key key = pv_word_key_padded(word, 5);
    assert_false(pv_word_table_find(&table, &key, &id));
    pv_word_table_free(&table);
    pv_word_table_free(&table);
}

/* The first of its blocks fits the budget, the second does not. */
static void a_failed_table_returns_its_memory(void **state)
{
    bench *b = *state;
    pv_word_table table;
    uint64_t limit = b->ctx->options.memory, used = atomic_load(&b->ctx->memory_used);
    b->ctx->options.memory = used + 800 * sizeof(pv_word);
    assert_int_equal(pv_word_table_init(&table, b->ctx, 600), PSDVEC_ERR_BUDGET);
    pv_word_table_free(&table);
    assert_int_equal(atomic_load(&b->ctx->memory_used), used);
    b->ctx->options.memory = limit;
    pv_begin(b->ctx);
    ok(pv_word_table_init(&table, b->ctx, 600));
    pv_word_table_free(&table);
}

/* Keys with the same hash are distinguished by their bytes. */
static void words_with_equal_hashes_are_distinguished(void **state)
{
    bench *b = *state;
    pv_word_table table;
    ok(pv_word_table_init(&table, b->ctx, 10));
    char words[200][20];
    uint32_t id;
    for (int i = 0; i < 200; i++) {
        memset(words[i], 'x', sizeof words[i]);
        int length = sprintf(words[i], "%d", i);
        pv_word_key key = pv_word_key_exact(words[i], (uint32_t)length);
        key.hash = UINT64_C(0xABCDEF0123456789);
        if (i < 22) { /* below the size at which the table recomputes hashes */
            ok(pv_word_table_find_or_add(&table, &key, &id));
            assert_int_equal(id, i);
        } else {
            assert_false(pv_word_table_find(&table, &key, &id));
        }
    }
    for (int i = 0; i < 22; i++) {
        pv_word_key key = pv_word_key_exact(words[i], (uint32_t)strlen(words[i]));
        key.hash = UINT64_C(0xABCDEF0123456789);
        assert_true(pv_word_table_find(&table, &key, &id));
        assert_int_equal(id, i);
    }
    pv_word_table_free(&table);
}

static void words_with_a_common_prefix_are_distinguished(void **state)
{
    bench *b = *state;
    pv_word_table table;
    ok(pv_word_table_init(&table, b->ctx, 10));
    char text[40] = {0}; /* zero bytes: "", "\0", "\0\0" are different words */
    uint32_t id;
    for (uint32_t length = 0; length < 40; length++) {
        pv_word_key key = pv_word_key_exact(text, length);
        ok(pv_word_table_find_or_add(&table, &key, &id));
        assert_int_equal(id, length);
    }
    pv_word_table_free(&table);
}

static void partitions_hold_each_word_once(void **state)
{
    bench *b = *state;
    pv_word_table table;
    ok(pv_word_table_init(&table, b->ctx, 1));
    char word[400];
    uint32_t id, *order;
    for (uint32_t i = 0; i < 5000; i++) {
        pv_word_key key = pv_word_key_exact(word, (uint32_t)spell(i, word));
        ok(pv_word_table_add(&table, &key, &id));
    }
    size_t start[PV_PARTITIONS + 1];
    ok(pv_partition_words(&table, &order, start));
    assert_int_equal(start[PV_PARTITIONS], 5000);
    bool seen[5000] = {false};
    for (unsigned p = 0; p < PV_PARTITIONS; p++) {
        for (size_t i = start[p]; i < start[p + 1]; i++) {
            assert_int_equal(pv_partition_of(pv_word_hash(&table, order[i])), p);
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
        }
        assert_true(start[p + 1] - start[p] < 5000 / PV_PARTITIONS * 2);
    }
    pv_free(b->ctx, order);
    pv_word_table_free(&table);
}

static void a_table_reports_that_it_is_full(void **state)
{
    bench *b = *state;
    pv_word_table table;
    ok(pv_word_table_init(&table, b->ctx, 1000));
    uint64_t hoard = pv_memory_left(b->ctx) - 1000;
    ok(pv_memory_claim(b->ctx, hoard, "a test"));
    psdvec_status status = PSDVEC_OK;
    uint32_t id, added = 0;
    char word[400];
    while (status == PSDVEC_OK && added < 100000) {
        pv_word_key key = pv_word_key_exact(word, (uint32_t)sprintf(word, "w%u", added));
        status = pv_word_table_add(&table, &key, &id);
        added += status == PSDVEC_OK;
    }
    assert_int_equal(status, PSDVEC_ERR_BUDGET);
    assert_int_equal(table.count, added);
    pv_memory_unclaim(b->ctx, hoard);
    pv_word_table_free(&table);
}

/* ---- Row sums -------------------------------------------------------------------------------- */

static void a_row_is_sorted_and_summed(void **state)
{
    bench *b = *state;
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 4095, 4096, 4097, 300000};
    dice d = {5};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint32_t columns = sizes[s];
        pv_row_sum row;
        ok(pv_row_sum_init(&row, b->ctx, columns));
        uint64_t *expected = calloc((size_t)columns + 1, sizeof *expected);
        uint32_t *out = malloc(((size_t)columns + 1) * sizeof *out);
        uint64_t *values = malloc(((size_t)columns + 1) * sizeof *values);
        assert_true(expected && out && values);
        static const size_t amounts[] = {0, 1, 5, 32, 33, 300, 5000, 100000};
        for (size_t a = 0; a < 8; a++) {
            memset(expected, 0, ((size_t)columns + 1) * sizeof *expected);
            for (size_t i = 0; i < amounts[a]; i++) {
                uint32_t column = (uint32_t)dice_below(&d, (size_t)columns + 1); /* including
                                                                                  * unknown words */
                uint64_t value = 1 + dice_below(&d, UINT64_C(1) << 40);
                pv_row_sum_add(&row, column, value);
                expected[column] += value;
            }
            size_t count = pv_row_sum_take(&row, out, values), k = 0;
            for (uint32_t column = 0; column < columns; column++) {
                if (!expected[column])
                    continue;
                assert_true(k < count && out[k] == column && values[k] == expected[column]);
                k++;
            }
            assert_int_equal(k, count);
            assert_int_equal(pv_row_sum_take(&row, out, values), 0);
        }
        free(expected);
        free(out);
        free(values);
        pv_row_sum_free(&row);
    }
}

/* ---- Spills ---------------------------------------------------------------------------------- */

enum { ROWS = 500 };

typedef struct gathered {
    uint64_t cells[ROWS][ROWS];
    size_t next_group;
    const pv_row_groups *groups;
} gathered;

static psdvec_status nothing(void *self, pv_rows *rows)
{
    (void)self, (void)rows;
    return PSDVEC_OK;
}

static psdvec_status gather(void *self, size_t group, pv_rows *rows)
{
    gathered *g = self;
    assert_int_equal(group, g->next_group++);
    assert_int_equal(rows->first, g->groups->start[group]);
    size_t at = 0;
    for (uint32_t r = 0; r < rows->count; r++)
        for (uint32_t k = 0; k < rows->lengths[r]; k++, at++)
            g->cells[rows->first + r][rows->columns[at]] += rows->values[at];
    assert_int_equal(at, rows->used);
    return PSDVEC_OK;
}

/* Writes random cells to the sink as one spill, and to `expected`. */
static void fill_spill(bench *b, dice *d, const pv_row_groups *groups, const pv_row_sink *sink,
                       gathered *expected, unsigned percent)
{
    pv_rows rows;
    pv_rows_init(&rows, b->ctx);
    for (size_t group = 0; group < groups->count; group++) {
        uint32_t begin = groups->start[group], end = groups->start[group + 1];
        ok(pv_rows_begin(&rows, begin, end - begin));
        for (uint32_t row = begin; row < end; row++) {
            ok(pv_rows_reserve(&rows, ROWS));
            bool empty = dice_percent(d, 30);
            for (uint32_t column = 0; column < ROWS && !empty; column++) {
                if (!dice_percent(d, percent))
                    continue;
                uint64_t value = dice_u64(d) >> (8 + dice_below(d, 56));
                value += value == 0;
                rows.columns[rows.used] = column;
                rows.values[rows.used++] = value;
                rows.lengths[row - begin]++;
                expected->cells[row][column] += value;
            }
        }
        ok(sink->prepare(sink->self, &rows));
        ok(sink->take(sink->self, group, &rows));
    }
    pv_rows_free(&rows);
}

static void merge_spills(bench *b, size_t wanted, unsigned percent)
{
    gathered *expected = calloc(1, sizeof *expected), *got = calloc(1, sizeof *got);
    assert_true(expected && got);
    uint64_t work[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        work[i] = 1000 / (i + 1);
    pv_row_groups groups;
    ok(pv_row_groups_init(&groups, b->ctx, work, ROWS, 37));
    assert_int_equal(groups.start[0], 0);
    assert_int_equal(groups.start[groups.count], ROWS);
    got->groups = &groups;
    pv_spills spills;
    pv_spills_init(&spills, b->ctx, b->folder, &groups, ROWS);
    dice d = {wanted};
    for (size_t i = 0; i < wanted; i++) {
        pv_row_sink sink;
        ok(pv_spills_begin(&spills, &sink));
        fill_spill(b, &d, &groups, &sink, expected, percent);
        pv_spills_end(&spills);
        assert_true(spills.count < PV_FAN_IN);
    }
    assert_true(spills.made >= wanted);
    assert_true(spills.written > 0);
    pv_row_sink sink = {.prepare = nothing, .take = gather, .self = got};
    ok(pv_spills_merge(&spills, &sink, NULL));
    assert_int_equal(got->next_group, groups.count);
    assert_memory_equal(got->cells, expected->cells, sizeof got->cells);
    pv_spills_free(&spills);
    pv_row_groups_free(&groups, b->ctx);
    free(expected);
    free(got);
}

static void a_few_spills_are_merged(void **state)
{
    merge_spills(*state, 1, 50);
    merge_spills(*state, 3, 20);
}

static void many_spills_are_merged_in_rounds(void **state)
{
    merge_spills(*state, 150, 2); /* two rounds of compaction */
}

static void groups_cover_all_rows(void **state)
{
    bench *b = *state;
    dice d = {17};
    for (int round = 0; round < 300; round++) {
        uint32_t rows = (uint32_t)dice_below(&d, 200);
        uint64_t work[200] = {0};
        for (uint32_t i = 0; i < rows; i++)
            work[i] = dice_percent(&d, 10) ? dice_below(&d, 1000000) : dice_below(&d, 3);
        pv_row_groups groups;
        ok(pv_row_groups_init(&groups, b->ctx, work, rows, dice_below(&d, 300)));
        for (size_t g = 0; g < groups.count; g++)
            assert_true(groups.start[g] < groups.start[g + 1]);
        assert_int_equal(groups.start[groups.count], rows);
        pv_row_groups_free(&groups, b->ctx);
    }
}

/* ---- Token encoding -------------------------------------------------------------------------- */

static void every_token_is_encoded_losslessly(void **state)
{
    (void)state;
    static const uint32_t places[] = {0, 2, 0xBFFF, 0xC000, 0xFFFF, 0x10000, 0x3FFFFFFF};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        for (uint32_t i = 0; i < 100; i++) {
            uint32_t token = places[p] + i, back;
            if (token >= UINT32_C(1) << 30)
                break;
            uint16_t units[2];
            size_t used = pv_token_encode(token, units);
            assert_int_equal(used, token < 0xC000 ? 1 : 2);
            assert_int_equal(pv_token_decode(units, &back), used);
            assert_int_equal(back, token);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_table_finds_every_word_again),
        TEST(a_failed_table_returns_its_memory),
        TEST(words_with_equal_hashes_are_distinguished),
        TEST(words_with_a_common_prefix_are_distinguished),
        TEST(partitions_hold_each_word_once),
        TEST(a_table_reports_that_it_is_full),
        TEST(a_row_is_sorted_and_summed),
        TEST(a_few_spills_are_merged),
        TEST(many_spills_are_merged_in_rounds),
        TEST(groups_cover_all_rows),
        TEST(every_token_is_encoded_losslessly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
