/* Importing and exporting counts: sorting in little memory, round trips through all formats,
 * cancellation. */
#include "base/memory.h"
#include "count/triples.h"
#include "support/exchange.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Sorting --------------------------------------------------------------------------------- */

enum { SIZE = 300 };

typedef struct matrix {
    uint64_t cells[SIZE][SIZE];
    uint32_t next_row;
} matrix;

static psdvec_status matrix_prepare(void *self, pv_rows *rows)
{
    (void)self;
    (void)rows;
    return PSDVEC_OK;
}

static psdvec_status matrix_take(void *self, size_t group, pv_rows *rows)
{
    (void)group;
    matrix *m = self;
    size_t at = 0;
    assert_int_equal(rows->first, m->next_row);
    for (uint32_t r = 0; r < rows->count; r++)
        for (size_t k = 0; k < rows->lengths[r]; k++, at++) {
            assert_true(k == 0 || rows->columns[at] > rows->columns[at - 1]);
            m->cells[rows->first + r][rows->columns[at]] = rows->values[at];
        }
    m->next_row += rows->count;
    return PSDVEC_OK;
}

static void triples_are_summed_in_any_order_and_memory(void **state)
{
    exchange *b = *state;
    matrix *wanted = malloc(sizeof *wanted), *got = malloc(sizeof *got);
    assert_non_null(wanted);
    assert_non_null(got);
    for (int kind = 0; kind < 6; kind++) {
        bool sorted = kind % 2, small = kind / 2 != 0;
        exchange_context(b, (uint64_t)(small ? 20 : 200) << 20, kind / 2 == 2 ? 1 : 2);
        memset(wanted, 0, sizeof *wanted);
        memset(got, 0, sizeof *got);
        pv_triples t;
        assert_int_equal(pv_triples_init(&t, b->ctx, b->folder, SIZE, 0, NULL, 0), PSDVEC_OK);
        uint64_t random = 7;
        for (uint32_t i = 0; i < 2000000; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint32_t row = sorted ? i / 6700 : (uint32_t)(random >> 33) % SIZE;
            uint32_t column = (uint32_t)(random >> 40) % (row + 1);
            uint64_t value = 1 + (random >> 60) * UINT64_C(10000000000);
            wanted->cells[row][column] += value;
            assert_int_equal(pv_triples_add(&t, row, column, value), PSDVEC_OK);
        }
        pv_row_sink sink = {.prepare = matrix_prepare, .take = matrix_take, .self = got};
        assert_int_equal(pv_triples_finish(&t, &sink), PSDVEC_OK);
        assert_int_equal(t.spills.made > 1, small);
        assert_int_equal(got->next_row, SIZE);
        assert_memory_equal(wanted->cells, got->cells, sizeof wanted->cells);
        pv_triples_free(&t);
    }
    free(wanted);
    free(got);
}

static void a_sum_beyond_64_bits_is_reported(void **state)
{
    exchange *b = *state;
    pv_triples t;
    assert_int_equal(pv_triples_init(&t, b->ctx, b->folder, 2, 0, NULL, 0), PSDVEC_OK);
    assert_int_equal(pv_triples_add(&t, 0, 0, UINT64_MAX), PSDVEC_OK);
    assert_int_equal(pv_triples_add(&t, 1, 1, 1), PSDVEC_ERR_OVERFLOW);
    pv_triples_free(&t);
}

/* ---- Round trips, memory, cancellation ------------------------------------------------------- */

/* A matrix with the difficulties of a real one: empty rows, values of very different size. */
static void put_random(exchange *b, unsigned words, unsigned entries, unsigned fractions)
{
    char *text = malloc(200 + (size_t)entries * 60), *out = text;
    assert_non_null(text);
    uint64_t random = 99;
    out += sprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%u %u %u\n", words, words,
                   entries);
    for (unsigned i = 0; i < entries; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        unsigned row = (unsigned)(random >> 33) % words, column = (unsigned)(random >> 50) % words;
        out += sprintf(out, "%u %u %u.%s\n", row % 7 == 3 ? 1 : row + 1, column + 1,
                       random % 97 == 0 ? 900000000 : (unsigned)(random >> 61),
                       fractions ? (random % 2 ? "25" : "5") : "0");
    }
    put_text(b->in, text);
    out = text;
    for (unsigned i = 0; i < words; i++)
        out += sprintf(out, "w%u %u\n", i, 2 * (words - i));
    put_text(b->vocab, text);
    free(text);
}

/* Compares everything except the provenance. */
static void assert_same_counts(exchange *b, const char *one, const char *two, bool frequencies)
{
    psdvec_counts *x, *y;
    assert_int_equal(psdvec_counts_open(b->ctx, one, &x), PSDVEC_OK);
    assert_int_equal(psdvec_counts_open(b->ctx, two, &y), PSDVEC_OK);
    const psdvec_counts_info *p = psdvec_counts_get_info(x), *q = psdvec_counts_get_info(y);
    assert_int_equal(p->words, q->words);
    assert_int_equal(p->bigrams, q->bigrams);
    assert_int_equal(p->scale, q->scale);
    assert_int_equal(p->window, q->window);
    assert_int_equal(p->wide, q->wide);
    for (uint32_t i = 0; i < p->words; i++) {
        size_t n, m;
        const char *w = psdvec_counts_word(x, i, &n), *v = psdvec_counts_word(y, i, &m);
        assert_int_equal(n, m);
        assert_memory_equal(w, v, n);
        assert_int_equal(psdvec_counts_frequency(y, i), frequencies
                                                            ? psdvec_counts_frequency(x, i)
                                                            : psdvec_counts_focus_total(x, i));
        psdvec_row r, s;
        psdvec_counts_row(x, i, &r);
        psdvec_counts_row(y, i, &s);
        assert_int_equal(r.length, s.length);
        for (size_t k = 0; k < r.length; k++) {
            assert_int_equal(r.focus[k], s.focus[k]);
            assert_int_equal(psdvec_row_value(&r, k), psdvec_row_value(&s, k));
        }
    }
    psdvec_counts_close(x);
    psdvec_counts_close(y);
}

static void every_format_preserves_the_counts(void **state)
{
    exchange *b = *state;
    for (int kind = 0; kind < 6; kind++) {
        static const psdvec_counts_format formats[] = {
            PSDVEC_FORMAT_GLOVE,         PSDVEC_FORMAT_GLOVE,     PSDVEC_FORMAT_MATRIX_MARKET,
            PSDVEC_FORMAT_MATRIX_MARKET, PSDVEC_FORMAT_TOP2GRAMS, PSDVEC_FORMAT_TOP2GRAMS};
        bool fractions = kind == 1 || kind == 3, with_list = kind == 5;
        put_random(b, 200, 5000, fractions);
        assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 4, .scale = fractions ? 12 : 1),
                         PSDVEC_OK);
        assert_string_equal(b->warnings, "");
        assert_int_equal(export_counts(b, formats[kind], false), PSDVEC_OK);
        psdvec_import_options options = {.size = sizeof(psdvec_import_options),
                                         .format = formats[kind]};
        if (formats[kind] != PSDVEC_FORMAT_TOP2GRAMS || with_list)
            options.vocab_file = b->words;
        if (formats[kind] == PSDVEC_FORMAT_GLOVE)
            options.window = 4;
        assert_int_equal(psdvec_counts_import(b->ctx, &options, b->other, b->in, NULL), PSDVEC_OK);
        assert_same_counts(b, b->out, b->in, options.vocab_file != NULL);
        unlink(b->out);
    }
}

static void a_symmetric_export_is_a_symmetric_import(void **state)
{
    exchange *b = *state;
    put_random(b, 150, 4000, 0);
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 4), PSDVEC_OK);
    char *directed = dump_counts(b, b->out);
    free(directed);
    /* through GloVe's format and Matrix Market: the same unordered pairs */
    assert_int_equal(export_counts(b, PSDVEC_FORMAT_GLOVE, true), PSDVEC_OK);
    psdvec_import_options options = {.size = sizeof(psdvec_import_options),
                                     .vocab_file = b->words,
                                     .window = 4,
                                     .symmetric = true};
    assert_int_equal(psdvec_counts_import(b->ctx, &options, b->other, b->in, NULL), PSDVEC_OK);
    assert_int_equal(export_counts(b, PSDVEC_FORMAT_MATRIX_MARKET, true), PSDVEC_OK);
    options.format = PSDVEC_FORMAT_MATRIX_MARKET;
    assert_int_equal(psdvec_counts_import(b->ctx, &options, b->other, b->out, NULL), PSDVEC_OK);
    assert_same_counts(b, b->out, b->in, true);
}

static void the_bits_do_not_depend_on_memory_or_threads(void **state)
{
    exchange *b = *state;
    put_random(b, 2000, 900000, 1);
    char *reference = NULL;
    size_t length = 0;
    unsigned succeeded = 0, spilled = 0;
    for (uint64_t memory = (uint64_t)128 << 20; memory >= 1 << 16; memory /= 2) {
        exchange_context(b, memory, (int)(1 + succeeded % 2));
        psdvec_import_options options = {.size = sizeof(psdvec_import_options),
                                         .format = PSDVEC_FORMAT_MATRIX_MARKET,
                                         .vocab_file = b->vocab,
                                         .window = 4};
        psdvec_count_report report;
        psdvec_status status = psdvec_counts_import(b->ctx, &options, b->in, b->out, &report);
        if (status != PSDVEC_OK) {
            assert_int_equal(status, PSDVEC_ERR_BUDGET);
            assert_int_equal(access(b->out, F_OK), -1);
            continue;
        }
        assert_true(psdvec_peak_memory(b->ctx) <= memory);
        succeeded++;
        spilled += report.spilled_bytes > 0;
        struct stat info;
        assert_int_equal(stat(b->out, &info), 0);
        char *bytes = malloc((size_t)info.st_size);
        FILE *file = fopen(b->out, "rb");
        assert_non_null(bytes);
        assert_non_null(file);
        assert_int_equal(fread(bytes, 1, (size_t)info.st_size, file), info.st_size);
        fclose(file);
        if (!reference) {
            reference = bytes;
            length = (size_t)info.st_size;
        } else {
            assert_int_equal(length, info.st_size);
            assert_memory_equal(reference, bytes, length);
            free(bytes);
        }
        unlink(b->out);
    }
    free(reference);
    assert_true(succeeded >= 3);
    assert_true(spilled >= 1);
}

static void cancellation_works_everywhere_and_leaves_no_files(void **state)
{
    exchange *b = *state;
    put_random(b, 50, 2000, 0);
    int k = 0;
    for (psdvec_status status = PSDVEC_ERR_CANCELLED; status != PSDVEC_OK; k++) {
        b->polls_left = k;
        status = IMPORT(b, MATRIX_MARKET, .window = 4);
        assert_true(status == PSDVEC_OK || status == PSDVEC_ERR_CANCELLED);
        assert_int_equal(access(b->out, F_OK), status == PSDVEC_OK ? 0 : -1);
        assert_int_equal(atomic_load(&b->ctx->memory_used), 0);
    }
    assert_true(k > 3);
    for (int format = 0; format < 6; format++) {
        k = 0;
        for (psdvec_status status = PSDVEC_ERR_CANCELLED; status != PSDVEC_OK; k++) {
            b->polls_left = k;
            unlink(b->other);
            unlink(b->words);
            status = export_counts(b, (psdvec_counts_format)(format / 2), format % 2);
            assert_true(status == PSDVEC_OK || status == PSDVEC_ERR_CANCELLED);
            assert_int_equal(access(b->other, F_OK), status == PSDVEC_OK ? 0 : -1);
        }
        assert_true(k > 1);
    }
    b->polls_left = -1;
}

static void impossible_calls_are_refused(void **state)
{
    exchange *b = *state;
    put_glove(b);
    psdvec_import_options o = {.size = sizeof(psdvec_import_options),
                               .format = PSDVEC_FORMAT_GLOVE};
    assert_int_equal(psdvec_counts_import(b->ctx, &o, b->in, b->out, NULL), PSDVEC_ERR_OPTION);
    REFUSED(b, PSDVEC_ERR_OPTION, "`window` is 1001", GLOVE, .window = 1001);
    REFUSED(b, PSDVEC_ERR_OPTION, "omit `symmetric`", TOP2GRAMS, .symmetric = true);
    assert_import_refused(b,
                          (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                                  .format = (psdvec_counts_format)3},
                          PSDVEC_ERR_OPTION, "`format` has no value with the number 3");
    o.vocab_file = b->vocab;
    assert_int_equal(psdvec_counts_import(b->ctx, &o, b->in, b->in, NULL), PSDVEC_ERR_SAME_FILE);
    assert_int_equal(psdvec_counts_import(b->ctx, &o, b->in, b->vocab, NULL), PSDVEC_ERR_SAME_FILE);
    assert_int_equal(psdvec_counts_import(b->ctx, &o, "/nonexistent/file", b->out, NULL),
                     PSDVEC_ERR_NOT_FOUND);
    assert_int_equal(psdvec_counts_import(b->ctx, &o, b->in, "/nonexistent/folder/file", NULL),
                     PSDVEC_ERR_WRITE);
    assert_int_equal(IMPORT(b, GLOVE, .window = 5), PSDVEC_OK);
    psdvec_counts *c;
    assert_int_equal(psdvec_counts_open(b->ctx, b->out, &c), PSDVEC_OK);
    static const struct {
        int format;
        psdvec_status status;
    } cases[] = {{3, PSDVEC_ERR_OPTION}};
    assert_int_equal(psdvec_counts_export(b->ctx, c, (psdvec_counts_format)cases[0].format, false,
                                          b->other, NULL),
                     cases[0].status);
    assert_int_equal(psdvec_counts_export(b->ctx, c, PSDVEC_FORMAT_GLOVE, false, b->other, NULL),
                     PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_counts_export(b->ctx, c, PSDVEC_FORMAT_GLOVE, false, b->out, b->words),
                     PSDVEC_ERR_SAME_FILE);
    assert_int_equal(psdvec_counts_export(b->ctx, c, PSDVEC_FORMAT_GLOVE, false, b->other, b->out),
                     PSDVEC_ERR_SAME_FILE);
    assert_int_equal(
        psdvec_counts_export(b->ctx, c, PSDVEC_FORMAT_GLOVE, false, b->other, b->other),
        PSDVEC_ERR_SAME_FILE);
    assert_int_equal(psdvec_counts_export(b->ctx, c, PSDVEC_FORMAT_GLOVE, false, b->other,
                                          "/nonexistent/folder/words"),
                     PSDVEC_ERR_WRITE);
    assert_int_not_equal(access(b->other, F_OK), 0);
    psdvec_counts_close(c);
}

static void imports_with_the_same_settings_can_be_merged(void **state)
{
    exchange *b = *state;
    put_glove(b);
    assert_int_equal(IMPORT(b, GLOVE, .window = 5), PSDVEC_OK);
    const char *both[] = {b->out, b->out};
    assert_int_equal(psdvec_counts_merge(b->ctx, both, 2, b->other, NULL), PSDVEC_OK);
    assert_dump(b, b->other, "the the 40/60; the cat 310/60; cat sat 180/60; sat the 60/60; ");
    assert_int_equal(rename(b->out, b->words), 0);
    assert_int_equal(IMPORT(b, GLOVE, .window = 4, .scale = 60), PSDVEC_OK);
    const char *different[] = {b->out, b->words};
    assert_int_equal(psdvec_counts_merge(b->ctx, different, 2, b->other, NULL),
                     PSDVEC_ERR_MISMATCH);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, exchange_open, exchange_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(triples_are_summed_in_any_order_and_memory),
        TEST(a_sum_beyond_64_bits_is_reported),
        TEST(every_format_preserves_the_counts),
        TEST(a_symmetric_export_is_a_symmetric_import),
        TEST(the_bits_do_not_depend_on_memory_or_threads),
        TEST(cancellation_works_everywhere_and_leaves_no_files),
        TEST(impossible_calls_are_refused),
        TEST(imports_with_the_same_settings_can_be_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
