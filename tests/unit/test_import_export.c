/* Importing and exporting counts: sorting in little memory, the three formats
 * there and back, and every refusal. */
#include "base/memory.h"
#include "count/triples.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Tools ------------------------------------------------------------------------ */

typedef struct bench {
    psdvec_context *ctx;
    char folder[64];
    char in[96], vocab[96], out[96], other[96], words[96];
    char warnings[2000];
    atomic_int polls_left; /* the host asks to stop after so many questions; negative: never */
} bench;

static bool should_cancel(void *user)
{
    bench *b = user;
    return atomic_load(&b->polls_left) >= 0 && atomic_fetch_sub(&b->polls_left, 1) == 0;
}

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    bench *b = user;
    if (level == PSDVEC_WARNING) {
        size_t used = strlen(b->warnings);
        snprintf(b->warnings + used, sizeof b->warnings - used, "%s\n", text);
    }
}

static void new_context(bench *b, uint64_t memory, int threads)
{
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = threads;
    options.memory = memory;
    options.should_cancel = should_cancel;
    options.on_message = on_message;
    options.user = b;
    if (b->ctx) {
        assert_int_equal(atomic_load(&b->ctx->memory_used), 0);
        psdvec_context_free(b->ctx);
    }
    assert_int_equal(psdvec_context_new(&options, &b->ctx), PSDVEC_OK);
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    if (!b)
        return -1;
    *state = b;
    b->polls_left = -1;
    strcpy(b->folder, "/tmp/psdvec-import-XXXXXX");
    if (!mkdtemp(b->folder))
        return -1;
    snprintf(b->in, sizeof b->in, "%s/in", b->folder);
    snprintf(b->vocab, sizeof b->vocab, "%s/vocab", b->folder);
    snprintf(b->out, sizeof b->out, "%s/out", b->folder);
    snprintf(b->other, sizeof b->other, "%s/other", b->folder);
    snprintf(b->words, sizeof b->words, "%s/words", b->folder);
    new_context(b, (uint64_t)64 << 20, 2);
    return 0;
}

/* Every test must give back all memory and leave no file but its own. */
static int tear_down(void **state)
{
    bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    const char *files[] = {b->in, b->vocab, b->out, b->other, b->words};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(files[i]);
    int clean = rmdir(b->folder);
    free(b);
    return used == 0 && clean == 0 ? 0 : -1;
}

static void put_file(const char *path, const void *data, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void put_text(const char *path, const char *text)
{
    put_file(path, text, strlen(text));
}

static char *get_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 20) - 1, file), 0, (1 << 20) - 2);
    fclose(file);
    return text;
}

/* "word word value/scale; ..." */
static char *dump(bench *b, const char *path)
{
    psdvec_counts *c;
    assert_int_equal(psdvec_counts_open(b->ctx, path, &c), PSDVEC_OK);
    assert_int_equal(psdvec_counts_verify(b->ctx, c), PSDVEC_OK);
    const psdvec_counts_info *info = psdvec_counts_get_info(c);
    char *text = calloc(1, 1 << 16), *out = text;
    assert_non_null(text);
    for (uint32_t i = 0; i < info->words; i++) {
        psdvec_row row;
        psdvec_counts_row(c, i, &row);
        for (size_t k = 0; k < row.length; k++) {
            size_t n, m;
            const char *w = psdvec_counts_word(c, i, &n);
            const char *v = psdvec_counts_word(c, row.focus[k], &m);
            out += sprintf(out, "%.*s %.*s %llu/%llu; ", (int)n, w, (int)m, v,
                           (unsigned long long)psdvec_row_value(&row, k),
                           (unsigned long long)info->scale);
            assert_true(out - text < (1 << 16) - 200);
        }
    }
    psdvec_counts_close(c);
    return text;
}

static void assert_dump(bench *b, const char *path, const char *expected)
{
    char *text = dump(b, path);
    assert_string_equal(text, expected);
    free(text);
}

static psdvec_status import(bench *b, psdvec_import_options options)
{
    if (options.format != PSDVEC_FORMAT_TOP2GRAMS && !options.vocab_file)
        options.vocab_file = b->vocab;
    b->warnings[0] = '\0';
    return psdvec_counts_import(b->ctx, &options, b->in, b->out, NULL);
}

#define IMPORT(b, kind, ...)                                                                       \
    import(b, (psdvec_import_options){.size = sizeof(psdvec_import_options),                       \
                                      .format = PSDVEC_FORMAT_##kind,                              \
                                      __VA_ARGS__})

/* The import fails with this status and words of this sentence, and leaves no
 * output. */
static void assert_refused(bench *b, psdvec_import_options options, psdvec_status status,
                           const char *sentence)
{
    psdvec_status got = import(b, options);
    const char *message = psdvec_error_message(b->ctx);
    if (got != status || !strstr(message, sentence))
        fail_msg("wanted %s and \"%s\", got %s and \"%s\"", psdvec_status_name(status), sentence,
                 psdvec_status_name(got), message);
    assert_int_not_equal(access(b->out, F_OK), 0);
}

#define REFUSED(b, status, sentence, kind, ...)                                                    \
    assert_refused(b,                                                                              \
                   (psdvec_import_options){.size = sizeof(psdvec_import_options),                  \
                                           .format = PSDVEC_FORMAT_##kind,                         \
                                           __VA_ARGS__},                                           \
                   status, sentence)

static void assert_warned(const bench *b, const char *sentence)
{
    if (!strstr(b->warnings, sentence))
        fail_msg("no warning \"%s\" in \"%s\"", sentence, b->warnings);
}

static psdvec_status export(bench *b, psdvec_counts_format format, bool symmetric)
{
    psdvec_counts *c;
    b->warnings[0] = '\0';
    assert_int_equal(psdvec_counts_open(b->ctx, b->out, &c), PSDVEC_OK);
    psdvec_status status =
        psdvec_counts_export(b->ctx, c, format, symmetric, b->other,
                             format == PSDVEC_FORMAT_TOP2GRAMS ? NULL : b->words);
    psdvec_counts_close(c);
    return status;
}

/* ---- Sorting ------------------------------------------------------------------------- */

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

static void triples_in_any_order_and_memory_add_up(void **state)
{
    bench *b = *state;
    matrix *wanted = malloc(sizeof *wanted), *got = malloc(sizeof *got);
    assert_non_null(wanted);
    assert_non_null(got);
    for (int kind = 0; kind < 6; kind++) {
        bool sorted = kind % 2, small = kind / 2 != 0;
        new_context(b, (uint64_t)(small ? 20 : 200) << 20, kind / 2 == 2 ? 1 : 2);
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
        assert_int_equal(t.runs.made > 1, small);
        assert_int_equal(got->next_row, SIZE);
        assert_memory_equal(wanted->cells, got->cells, sizeof wanted->cells);
        pv_triples_free(&t);
    }
    free(wanted);
    free(got);
}

static void a_sum_beyond_64_bits_is_reported(void **state)
{
    bench *b = *state;
    pv_triples t;
    assert_int_equal(pv_triples_init(&t, b->ctx, b->folder, 2, 0, NULL, 0), PSDVEC_OK);
    assert_int_equal(pv_triples_add(&t, 0, 0, UINT64_MAX), PSDVEC_OK);
    assert_int_equal(pv_triples_add(&t, 1, 1, 1), PSDVEC_ERR_OVERFLOW);
    pv_triples_free(&t);
}

/* ---- GloVe ---------------------------------------------------------------------------- */

typedef struct record {
    int32_t word1, word2;
    double value;
} record;

static const char glove_vocab[] = "the 5\ncat 3\nsat 2\n";
static const record glove_records[] = {
    {2, 3, 1.5}, {1, 2, 2}, {1, 1, 1.0 / 3}, {3, 1, 0.5}, {1, 2, 1.0 / 3 + 0.25}};

static void put_glove(bench *b)
{
    put_text(b->vocab, glove_vocab);
    put_file(b->in, glove_records, sizeof glove_records);
}

static void glove_records_are_added_up_exactly(void **state)
{
    bench *b = *state;
    put_glove(b);
    psdvec_count_report report;
    psdvec_import_options options;
    psdvec_import_options_default(&options);
    options.vocab_file = b->vocab;
    options.window = 5;
    assert_int_equal(psdvec_counts_import(b->ctx, &options, b->in, b->out, &report), PSDVEC_OK);
    assert_string_equal(b->warnings, "");
    assert_dump(b, b->out, "the the 20/60; the cat 155/60; cat sat 90/60; sat the 30/60; ");
    assert_int_equal(report.words, 3);
    assert_int_equal(report.bigrams, 4);
    assert_int_equal(report.tokens, 10);
    assert_int_equal(report.bytes, sizeof glove_records);
    psdvec_counts *c;
    assert_int_equal(psdvec_counts_open(b->ctx, b->out, &c), PSDVEC_OK);
    const psdvec_counts_info *info = psdvec_counts_get_info(c);
    assert_int_equal(info->window, 5);
    assert_int_equal(info->tokens, 10);
    assert_int_equal(psdvec_counts_frequency(c, 1), 3);
    assert_string_equal(info->settings_json,
                        "{\"imported\":\"glove\",\"window\":5,\"pairs\":\"directed\"}");
    psdvec_counts_close(c);
}

static void the_scale_is_chosen_if_nobody_knows_it(void **state)
{
    bench *b = *state;
    put_glove(b);
    assert_int_equal(IMPORT(b, GLOVE, .window = 0), PSDVEC_OK);
    assert_dump(b, b->out,
                "the the 120120/360360; the cat 930930/360360; cat sat 540540/360360; "
                "sat the 180180/360360; ");
    const record whole[] = {{1, 2, 3}, {2, 1, 1e6}};
    put_file(b->in, whole, sizeof whole);
    assert_int_equal(IMPORT(b, GLOVE, .window = 0), PSDVEC_OK);
    assert_dump(b, b->out, "the cat 3/1; cat the 1000000/1; ");
    assert_int_equal(IMPORT(b, GLOVE, .scale = 7), PSDVEC_OK);
    assert_dump(b, b->out, "the cat 21/7; cat the 7000000/7; ");
}

static void rounding_is_told_once_with_number_and_error(void **state)
{
    bench *b = *state;
    put_glove(b);
    const record odd[] = {{1, 2, 0.26}, {2, 1, 0.5}, {3, 3, 1.4}, {2, 3, 0.1}};
    put_file(b->in, odd, sizeof odd);
    assert_int_equal(IMPORT(b, GLOVE, .scale = 2), PSDVEC_OK);
    assert_dump(b, b->out, "the cat 1/2; cat the 1/2; sat sat 3/2; ");
    assert_warned(b, "3 numbers are not multiples of 1/2 and were rounded, by up to 0.24");
}

static void a_symmetric_file_keeps_each_pair_once(void **state)
{
    bench *b = *state;
    put_glove(b);
    const record both[] = {{1, 1, 3}, {2, 1, 2.5}, {1, 2, 2.5}, {3, 2, 1}, {2, 3, 1}};
    put_file(b->in, both, sizeof both);
    assert_int_equal(IMPORT(b, GLOVE, .symmetric = true, .window = 2), PSDVEC_OK);
    assert_string_equal(b->warnings, "");
    assert_dump(b, b->out, "the the 3/2; the cat 5/2; cat sat 2/2; ");
    psdvec_counts *c;
    assert_int_equal(psdvec_counts_open(b->ctx, b->out, &c), PSDVEC_OK);
    assert_non_null(strstr(psdvec_counts_get_info(c)->settings_json, "\"pairs\":\"unordered\""));
    psdvec_counts_close(c);
    /* and x + x' is the file again */
    assert_int_equal(export(b, PSDVEC_FORMAT_GLOVE, true), PSDVEC_OK);
    const record expected[] = {{1, 1, 3}, {1, 2, 2.5}, {2, 1, 2.5}, {2, 3, 1}, {3, 2, 1}};
    FILE *file = fopen(b->other, "rb");
    record got[6];
    assert_non_null(file);
    assert_int_equal(fread(got, sizeof *got, 6, file), 5);
    fclose(file);
    assert_memory_equal(got, expected, sizeof expected);
    /* without the option everything stays, with a warning */
    assert_int_equal(IMPORT(b, GLOVE, .window = 2), PSDVEC_OK);
    assert_dump(b, b->out, "the the 6/2; the cat 5/2; cat the 5/2; cat sat 2/2; sat cat 2/2; ");
    assert_warned(b, "in both directions with the same count");
}

static void a_directed_file_is_not_taken_for_symmetric(void **state)
{
    bench *b = *state;
    put_glove(b);
    static const char not [] = "not every pair stands in it in both directions";
    REFUSED(b, PSDVEC_ERR_MISMATCH, not, GLOVE, .symmetric = true);
    const record values[] = {{2, 1, 2.5}, {1, 2, 2}};
    put_file(b->in, values, sizeof values);
    REFUSED(b, PSDVEC_ERR_MISMATCH, not, GLOVE, .symmetric = true);
    const record places[] = {{2, 1, 1}, {1, 3, 1}};
    put_file(b->in, places, sizeof places);
    REFUSED(b, PSDVEC_ERR_MISMATCH, not, GLOVE, .symmetric = true);
}

static void a_damaged_glove_file_is_refused_with_the_record(void **state)
{
    bench *b = *state;
    put_glove(b);
    put_file(b->in, glove_records, sizeof glove_records - 3);
    REFUSED(b, PSDVEC_ERR_DAMAGED, "in: ends within a record, 13 bytes after record 4", GLOVE, );
    put_file(b->in, glove_records, 7);
    REFUSED(b, PSDVEC_ERR_DAMAGED, "ends within a record, 7 bytes after record 0", GLOVE, );
    put_text(b->in, "");
    REFUSED(b, PSDVEC_ERR_EMPTY, "in: there are no counts in it", GLOVE, );
    static const struct {
        record record;
        psdvec_status status;
        const char *sentence;
    } cases[] = {
        {{4, 1, 1}, PSDVEC_ERR_DAMAGED, "record 2: word number 4, but "},
        {{1, 4, 1}, PSDVEC_ERR_DAMAGED, "has the words 1 to 3"},
        {{0, 1, 1}, PSDVEC_ERR_DAMAGED, "record 2: word number 0"},
        {{1, -7, 1}, PSDVEC_ERR_DAMAGED, "record 2: word number -7"},
        {{1, 1, -1}, PSDVEC_ERR_DAMAGED, "record 2: the count is -1"},
        {{1, 1, NAN}, PSDVEC_ERR_DAMAGED, "record 2: the count is "},
        {{1, 1, INFINITY}, PSDVEC_ERR_DAMAGED, "record 2: the count is inf"},
        {{1, 1, 1e18}, PSDVEC_ERR_OVERFLOW, "record 2: the count 1e+18 is too large for a scale"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        record two[2] = {glove_records[0], cases[i].record};
        put_file(b->in, two, sizeof two);
        assert_refused(b,
                       (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                               .format = PSDVEC_FORMAT_GLOVE},
                       cases[i].status, cases[i].sentence);
        /* also as the first, where the file could be a packed one */
        put_file(b->in, &two[1], sizeof two[1]);
        assert_refused(b,
                       (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                               .format = PSDVEC_FORMAT_GLOVE},
                       cases[i].status, "record 1: ");
    }
}

static void a_damaged_vocabulary_is_refused_with_the_line(void **state)
{
    bench *b = *state;
    put_glove(b);
    put_text(b->vocab, "the 5\ncat 3\nsa");
    REFUSED(b, PSDVEC_ERR_DAMAGED, "vocab: line 3: a word without a count", GLOVE, );
    put_text(b->vocab, "the 5\ncat 3\nthe 2\n");
    REFUSED(b, PSDVEC_ERR_DAMAGED, "vocab: line 3: the word \"the\" stands in the list twice",
            GLOVE, );
    put_text(b->vocab, "the 5\ncat 3\n");
    REFUSED(b, PSDVEC_ERR_DAMAGED, "record 1: word number 3", GLOVE, );
    put_text(b->vocab, "");
    REFUSED(b, PSDVEC_ERR_EMPTY, "vocab: no words", GLOVE, );
    put_text(b->vocab, "the 18446744073709551615\ncat 3\nsat 1\n");
    REFUSED(b, PSDVEC_ERR_OVERFLOW, "vocab: the words' counts add up to more", GLOVE, );
    unlink(b->vocab);
    REFUSED(b, PSDVEC_ERR_NOT_FOUND, "vocab", GLOVE, );
}

/* The word number 35615 begins with the two bytes of gzip's mark. */
static void a_word_number_that_looks_like_gzip_is_no_gzip(void **state)
{
    bench *b = *state;
    char *list = malloc(40000 * 16), *out = list;
    assert_non_null(list);
    for (int i = 1; i <= 40000; i++)
        out += sprintf(out, "w%d %d\n", i, 50000 - i);
    put_text(b->vocab, list);
    free(list);
    const record r = {35615, 1, 2};
    put_file(b->in, &r, sizeof r);
    assert_int_equal(IMPORT(b, GLOVE, .window = 0), PSDVEC_OK);
    assert_dump(b, b->out, "w35615 w1 2/1; ");
}

/* ---- Matrix Market ---------------------------------------------------------------------- */

static void matrix_market_is_read_however_it_is_spaced(void **state)
{
    bench *b = *state;
    put_text(b->vocab, "the 5\ncat 3\nsat 2\n");
    put_text(b->in, "%%matrixmarket MATRIX Coordinate Integer General\r\n"
                    "% a comment\r\n\r\n%\r\n  3\t3   4  \r\n"
                    "1 2 7\r\n\r\n\t 3  1\t1 \r\n% another\n2 2 0\n1 2 +3");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 0), PSDVEC_OK);
    assert_string_equal(b->warnings, "");
    assert_dump(b, b->out, "the cat 10/1; sat the 1/1; ");
    put_text(b->in, "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 3\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 0), PSDVEC_OK);
    assert_dump(b, b->out, "the cat 1/1; sat sat 1/1; ");
    put_text(b->in,
             "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 2.50e0\n3 3 1.00e+01\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 2), PSDVEC_OK);
    assert_dump(b, b->out, "the cat 5/2; sat sat 20/2; ");
    put_text(b->in, "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 4.0\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 2), PSDVEC_OK);
    assert_dump(b, b->out, "the cat 4/1; ");
}

static void a_symmetric_matrix_stands_for_both_directions(void **state)
{
    bench *b = *state;
    put_text(b->vocab, "the 5\ncat 3\nsat 2\n");
    put_text(b->in, "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n"
                    "1 1 4\n2 1 7\n3 2 1\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 0), PSDVEC_OK);
    assert_dump(b, b->out, "the the 4/1; the cat 7/1; cat the 7/1; cat sat 1/1; sat cat 1/1; ");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .symmetric = true), PSDVEC_OK);
    assert_dump(b, b->out, "the the 2/1; the cat 7/1; cat sat 1/1; ");
}

static void words_without_counts_get_them_from_the_pairs(void **state)
{
    bench *b = *state;
    put_text(b->vocab, "the\ncat\nsat\n");
    put_text(b->in, "%%MatrixMarket matrix coordinate real general\n3 3 3\n"
                    "1 2 4.0\n3 2 1.0\n1 3 0.25\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 0), PSDVEC_OK);
    assert_warned(b, "has no frequencies");
    psdvec_counts *c;
    assert_int_equal(psdvec_counts_open(b->ctx, b->out, &c), PSDVEC_OK);
    assert_int_equal(psdvec_counts_frequency(c, 0), 0);
    assert_int_equal(psdvec_counts_frequency(c, 1), 5);
    assert_int_equal(psdvec_counts_frequency(c, 2), 1);
    assert_int_equal(psdvec_counts_get_info(c)->tokens, 6);
    assert_non_null(strstr(psdvec_counts_get_info(c)->settings_json,
                           "\"window\":null,\"pairs\":\"directed\",\"frequencies\":\"from the "
                           "pairs\""));
    psdvec_counts_close(c);
}

static void a_damaged_matrix_is_refused_with_the_line(void **state)
{
    bench *b = *state;
    put_text(b->vocab, "the 5\ncat 3\nsat 2\n");
#define BANNER "%%MatrixMarket matrix coordinate "
    static const struct {
        const char *text;
        psdvec_status status;
        const char *sentence;
    } cases[] = {
        {"", PSDVEC_ERR_FORMAT, "in: does not begin with %%MatrixMarket"},
        {"1 2 3\n", PSDVEC_ERR_FORMAT, "is not a Matrix Market file"},
        {"%%MatrixMarket matrix array real general\n", PSDVEC_ERR_DAMAGED,
         "line 1: is a \"matrix array\"; only"},
        {BANNER "complex general\n", PSDVEC_ERR_DAMAGED, "line 1: the numbers are \"complex\""},
        {BANNER "real skew-symmetric\n", PSDVEC_ERR_DAMAGED, "the matrix is \"skew-symmetric\""},
        {BANNER "real hermitian\n", PSDVEC_ERR_DAMAGED, "the matrix is \"hermitian\""},
        {BANNER "real\n", PSDVEC_ERR_DAMAGED, "the matrix is \"\""},
        {BANNER "real general\n% only\n", PSDVEC_ERR_DAMAGED, "ends before the sizes"},
        {BANNER "real general\n3 3\n", PSDVEC_ERR_DAMAGED, "line 2: expected the numbers of rows"},
        {BANNER "real general\n3 3 1 1\n", PSDVEC_ERR_DAMAGED, "line 2: expected the numbers"},
        {BANNER "real general\n3 3 99999999999999999999\n", PSDVEC_ERR_DAMAGED, "line 2: expected"},
        {BANNER "real general\n4 4 1\n1 1 1\n", PSDVEC_ERR_MISMATCH,
         "line 2: a matrix of 4 rows and 4 columns, but "},
        {BANNER "real general\n3 4 1\n1 1 1\n", PSDVEC_ERR_MISMATCH, "has 3 words"},
        {BANNER "real general\n3 3 2\n1 1 1\n", PSDVEC_ERR_DAMAGED,
         "has 1 entries of the 2 that are announced; it is cut short"},
        {BANNER "real general\n3 3 1\n1 1 1\n1 2 1\n", PSDVEC_ERR_DAMAGED,
         "line 4: one entry more than the 1"},
        {BANNER "real general\n3 3 1\n1 4 1\n", PSDVEC_ERR_DAMAGED,
         "line 3: the place 1, 4 is outside the matrix of 3 rows"},
        {BANNER "real general\n3 3 1\n0 1 1\n", PSDVEC_ERR_DAMAGED, "the place 0, 1 is outside"},
        {BANNER "real general\n3 3 1\n1 1 -2\n", PSDVEC_ERR_DAMAGED,
         "line 3: expected a row, a column and a number that is not negative"},
        {BANNER "real general\n3 3 1\n1 1\n", PSDVEC_ERR_DAMAGED, "line 3: expected a row"},
        {BANNER "real general\n3 3 1\n1 1 nan\n", PSDVEC_ERR_DAMAGED, "line 3: expected a row"},
        {BANNER "real general\n3 3 1\n1 1 1 1\n", PSDVEC_ERR_DAMAGED, "line 3: expected a row"},
        {BANNER "real general\n3 3 1\n1,1,1\n", PSDVEC_ERR_DAMAGED, "line 3: expected a row"},
        {BANNER "real general\n3 3 1\n-1 1 1\n", PSDVEC_ERR_DAMAGED, "line 3: expected a row"},
        {BANNER "integer general\n3 3 1\n1 1 1.5\n", PSDVEC_ERR_DAMAGED, "line 3: a fraction"},
        {BANNER "pattern general\n3 3 1\n1 1 1\n", PSDVEC_ERR_DAMAGED,
         "line 3: expected a row, a column and nothing more"},
        {BANNER "integer general\n3 3 1\n1 1 99999999999999999999\n", PSDVEC_ERR_DAMAGED,
         "line 3: the count is too large for a scale of 1"},
        {BANNER "integer general\n3 3 2\n1 1 18446744073709551600\n2 2 99\n", PSDVEC_ERR_OVERFLOW,
         "add up to more than 64 bits hold"},
        {BANNER "real general\n3 3 0\n", PSDVEC_ERR_EMPTY, "there are no counts in it"},
        {BANNER "real general\n% psdvec: scale=60 window=7\n3 3 1\n1 1 1\n", PSDVEC_ERR_MISMATCH,
         "says that it was made with a window of 7, not of 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_text(b->in, cases[i].text);
        assert_refused(b,
                       (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                               .format = PSDVEC_FORMAT_MATRIX_MARKET,
                                               .window = 5},
                       cases[i].status, cases[i].sentence);
    }
    static const char zero[] = BANNER "real general\n3 3 1\n1 1 1\0junk\n";
    put_file(b->in, zero, sizeof zero - 1);
    REFUSED(b, PSDVEC_ERR_DAMAGED, "line 3: expected a row", MATRIX_MARKET, );
}

/* ---- The original's text ------------------------------------------------------------------ */

#define GRAMS_HEAD                                                                                 \
    "# 3 words,                                                       -1294967296 occurrences\n"   \
    "# input=a b.txt, f1=top1.txt, minwords_sentence=5, window=3, dyn=0, thres1=100,5e-8, "        \
    "thres2=1,0, top1=0\n# 20 bigram occurrences\nWords:\n"                                        \
    "the,9,-0.799\t1,000,6,-1.204\tsat,5,-1.386\n\nBigrams:\n"
#define GRAMS_ROWS                                                                                 \
    "1,the,3,11,1\n\tthe,1,-2.398\t1,000,6,-0.606\tsat,4,-1.012\n"                                 \
    "2,1,000,2,9,1\n\tthe,8,-0.118\n\tsat,1,-2.197\n"
#define GRAMS_END "# Total kept bigram occurrences: 20\n"
#define GRAMS_PAIRS "the the 1/1; the 1,000 6/1; the sat 4/1; 1,000 the 8/1; 1,000 sat 1/1; "

static void top2grams_items_are_trusted_and_headers_are_not(void **state)
{
    bench *b = *state;
    put_text(b->in, GRAMS_HEAD GRAMS_ROWS GRAMS_END);
    assert_int_equal(IMPORT(b, TOP2GRAMS, .window = 0), PSDVEC_OK);
    assert_string_equal(b->warnings, "");
    assert_dump(b, b->out, GRAMS_PAIRS);
    psdvec_counts *c;
    assert_int_equal(psdvec_counts_open(b->ctx, b->out, &c), PSDVEC_OK);
    assert_int_equal(psdvec_counts_get_info(c)->window, 3);
    assert_int_equal(psdvec_counts_get_info(c)->tokens, 20);
    assert_int_equal(psdvec_counts_frequency(c, 1), 6);
    psdvec_counts_close(c);
    /* 20 + 2^32 comes out as 20 in 32 bits; and -4294967276 is 20, too */
    put_text(b->in, GRAMS_HEAD GRAMS_ROWS "# Total kept bigram occurrences:   -4294967276\n");
    assert_int_equal(IMPORT(b, TOP2GRAMS, .window = 3), PSDVEC_OK);
    assert_string_equal(b->warnings, "");
    put_text(b->in, GRAMS_HEAD GRAMS_ROWS "# Total kept bigram occurrences: 21\n");
    assert_int_equal(IMPORT(b, TOP2GRAMS, .window = 0), PSDVEC_OK);
    assert_warned(b, "says that the counts add up to 21, but it is 20");
}

static void neighbours_outside_the_list_are_left_out_with_a_warning(void **state)
{
    bench *b = *state;
    put_text(b->in, GRAMS_HEAD "1,the,2,11,1\n\tthe,1,-2.398\tdog,10,-0.1\n"
                               "# Total kept bigram occurrences: 11\n");
    assert_int_equal(IMPORT(b, TOP2GRAMS, .scale = 3), PSDVEC_OK);
    assert_dump(b, b->out, "the the 3/3; ");
    assert_warned(b, "1 pairs were left out");
}

static void a_damaged_top2grams_file_is_refused_with_the_line(void **state)
{
    bench *b = *state;
    static const struct {
        const char *text;
        psdvec_status status;
        const char *sentence;
    } cases[] = {
        {"", PSDVEC_ERR_FORMAT, "does not begin with \"# N words\""},
        {"# -5 words, 7\n", PSDVEC_ERR_FORMAT, "is not a list of bigrams"},
        {"# 5 words\n# x\n", PSDVEC_ERR_DAMAGED, "ends before the words"},
        {"# 5 words\nBigrams:\n", PSDVEC_ERR_DAMAGED, "line 2: expected \"Words:\""},
        {"# 2 words\nWords:\na,1,-1\n\nBigrams:\n", PSDVEC_ERR_DAMAGED,
         "has 1 words of the 2 that its first line announces, and then goes on"},
        {"# 2 words\nWords:\na,1,-1", PSDVEC_ERR_DAMAGED, "then ends; it is cut short"},
        {"# 0 words\nWords:\n\nBigrams:\n", PSDVEC_ERR_EMPTY, "no words in it"},
        {"# 1 words\nWords:\na,1,-1\n\nGrams:\n", PSDVEC_ERR_DAMAGED,
         "line 5: expected \"Bigrams:\""},
        {"# 1 words\nWords:\na,x,-1\n", PSDVEC_ERR_DAMAGED,
         "line 3: expected word,count,logarithm but found \"a,x,-1\""},
        {"# 1 words\nWords:\na,-1,-1\n", PSDVEC_ERR_DAMAGED, "line 3: expected word,count"},
        {"# 1 words\nWords:\na,1,\n", PSDVEC_ERR_DAMAGED, "line 3: expected word,count"},
        {"# 1 words\nWords:\n,1,-1\n", PSDVEC_ERR_DAMAGED, "line 3: expected word,count"},
        {"# 1 words\nWords:\n1,-1\n", PSDVEC_ERR_DAMAGED, "line 3: expected word,count"},
        {"# 1 words\nWords:\na\xff,1,-1\n", PSDVEC_ERR_DAMAGED, "line 3: a word that is not valid"},
        {"# 2 words\nWords:\na,1,-1\ta,1,-1\n", PSDVEC_ERR_DAMAGED,
         "line 3: the word \"a\" stands in the list twice"},
        {GRAMS_HEAD "\tthe,1,-1\n", PSDVEC_ERR_DAMAGED, "line 8: words that belong to no row"},
        {GRAMS_HEAD "1,the\n", PSDVEC_ERR_DAMAGED, "line 8: expected a row"},
        {GRAMS_HEAD "1,dog,1,1,1\n", PSDVEC_ERR_DAMAGED,
         "line 8: the word \"dog\" is not in the list"},
        {GRAMS_HEAD "1,the,2,2,1\n\tthe,1,-1\n" GRAMS_END, PSDVEC_ERR_DAMAGED,
         "line 8: the row that begins here lacks 1 of the words"},
        {GRAMS_HEAD "1,the,1,2,1\n\tthe,1,-1\tsat,1,-1\n", PSDVEC_ERR_DAMAGED,
         "line 9: more words than the row's first line, 8, announces"},
        {GRAMS_HEAD "1,the,1,2,1\n\tthe;1;-1\n", PSDVEC_ERR_DAMAGED, "line 9: expected word,count"},
        {GRAMS_HEAD GRAMS_ROWS, PSDVEC_ERR_DAMAGED, "the last line, \"# Total kept"},
        {GRAMS_HEAD "1,the,1,2,1\n\tthe,0,-1\n" GRAMS_END, PSDVEC_ERR_EMPTY, "no counts in it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_text(b->in, cases[i].text);
        assert_refused(b,
                       (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                               .format = PSDVEC_FORMAT_TOP2GRAMS},
                       cases[i].status, cases[i].sentence);
    }
    put_text(b->in, GRAMS_HEAD GRAMS_ROWS GRAMS_END);
    REFUSED(b, PSDVEC_ERR_MISMATCH, "made with a window of 3, not of 5", TOP2GRAMS, .window = 5);
}

static void top2grams_is_written_as_the_original_does(void **state)
{
    bench *b = *state;
    put_text(b->vocab, "the 5\ncat 3\nsat 2\n");
    put_text(b->in, "%%MatrixMarket matrix coordinate integer general\n3 3 7\n"
                    "1 1 1\n1 2 6\n1 3 4\n2 1 8\n2 3 1\n2 2 0\n3 3 0\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 4), PSDVEC_OK);
    assert_int_equal(export(b, PSDVEC_FORMAT_TOP2GRAMS, false), PSDVEC_OK);
    char *text = get_file(b->other);
    assert_string_equal(text, "# 3 words, 10 occurrences\n"
                              "# input=psdvec-" PSDVEC_VERSION ", window=4\n"
                              "# 20 bigram occurrences\nWords:\n"
                              "the,9,-0.799\tcat,6,-1.204\tsat,5,-1.386\n\nBigrams:\n"
                              "1,the,3,11,1\n\tthe,1,-2.398\tcat,6,-0.606\tsat,4,-1.012\n"
                              "2,cat,2,9,1\n\tthe,8,-0.118\tsat,1,-2.197\n"
                              "3,sat,0,0,1\n# Total kept bigram occurrences: 20\n");
    free(text);
    assert_warned(b, "no word was seen after 1 of the words, such as \"sat\"");
}

static void what_top2grams_cannot_hold_is_refused(void **state)
{
    bench *b = *state;
    put_glove(b);
    assert_int_equal(IMPORT(b, GLOVE, .window = 5), PSDVEC_OK);
    assert_int_equal(export(b, PSDVEC_FORMAT_TOP2GRAMS, false), PSDVEC_ERR_OPTION);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "its counts have fractions"));
    put_text(b->in, GRAMS_HEAD GRAMS_ROWS GRAMS_END);
    assert_int_equal(IMPORT(b, TOP2GRAMS, .window = 0), PSDVEC_OK);
    assert_int_equal(export(b, PSDVEC_FORMAT_TOP2GRAMS, false), PSDVEC_ERR_OPTION);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "the word \"1,000\" has a character"));
    assert_int_equal(export(b, PSDVEC_FORMAT_GLOVE, false), PSDVEC_OK);
}

/* ---- There and back, and everything around it ------------------------------------------------ */

/* A matrix with all the trouble of a real one: empty rows, wide values. */
static void put_random(bench *b, unsigned words, unsigned entries, unsigned fractions)
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

/* Everything but what the files say of their origin. */
static void assert_same_counts(bench *b, const char *one, const char *two, bool frequencies)
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

static void every_format_brings_the_same_counts_back(void **state)
{
    bench *b = *state;
    for (int kind = 0; kind < 5; kind++) {
        static const psdvec_counts_format formats[] = {
            PSDVEC_FORMAT_GLOVE, PSDVEC_FORMAT_GLOVE, PSDVEC_FORMAT_MATRIX_MARKET,
            PSDVEC_FORMAT_MATRIX_MARKET, PSDVEC_FORMAT_TOP2GRAMS};
        bool fractions = kind == 1 || kind == 3;
        put_random(b, 200, 5000, fractions);
        assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 4, .scale = fractions ? 12 : 1),
                         PSDVEC_OK);
        assert_string_equal(b->warnings, "");
        assert_int_equal(export(b, formats[kind], false), PSDVEC_OK);
        psdvec_import_options options = {.size = sizeof(psdvec_import_options),
                                         .format = formats[kind]};
        if (formats[kind] != PSDVEC_FORMAT_TOP2GRAMS)
            options.vocab_file = b->words;
        if (formats[kind] == PSDVEC_FORMAT_GLOVE)
            options.window = 4;
        assert_int_equal(psdvec_counts_import(b->ctx, &options, b->other, b->in, NULL), PSDVEC_OK);
        assert_same_counts(b, b->out, b->in, formats[kind] != PSDVEC_FORMAT_TOP2GRAMS);
        unlink(b->out);
    }
}

static void a_symmetric_export_is_a_symmetric_import(void **state)
{
    bench *b = *state;
    put_random(b, 150, 4000, 0);
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 4), PSDVEC_OK);
    char *directed = dump(b, b->out);
    free(directed);
    /* by way of GloVe and of Matrix Market: the same unordered pairs */
    assert_int_equal(export(b, PSDVEC_FORMAT_GLOVE, true), PSDVEC_OK);
    psdvec_import_options options = {.size = sizeof(psdvec_import_options),
                                     .vocab_file = b->words,
                                     .window = 4,
                                     .symmetric = true};
    assert_int_equal(psdvec_counts_import(b->ctx, &options, b->other, b->in, NULL), PSDVEC_OK);
    assert_int_equal(export(b, PSDVEC_FORMAT_MATRIX_MARKET, true), PSDVEC_OK);
    options.format = PSDVEC_FORMAT_MATRIX_MARKET;
    assert_int_equal(psdvec_counts_import(b->ctx, &options, b->other, b->out, NULL), PSDVEC_OK);
    assert_same_counts(b, b->out, b->in, true);
}

static void the_bits_do_not_depend_on_memory_or_threads(void **state)
{
    bench *b = *state;
    put_random(b, 2000, 900000, 1);
    char *reference = NULL;
    size_t length = 0;
    unsigned succeeded = 0, spilled = 0;
    for (uint64_t memory = (uint64_t)128 << 20; memory >= 1 << 16; memory /= 2) {
        new_context(b, memory, (int)(1 + succeeded % 2));
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

static void a_request_to_stop_is_heard_everywhere_and_leaves_nothing(void **state)
{
    bench *b = *state;
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
            status = export(b, (psdvec_counts_format)(format / 2), format % 2);
            assert_true(status == PSDVEC_OK || status == PSDVEC_ERR_CANCELLED);
            assert_int_equal(access(b->other, F_OK), status == PSDVEC_OK ? 0 : -1);
        }
        assert_true(k > 1);
    }
    b->polls_left = -1;
}

static void impossible_calls_are_refused(void **state)
{
    bench *b = *state;
    put_glove(b);
    psdvec_import_options o = {.size = sizeof(psdvec_import_options),
                               .format = PSDVEC_FORMAT_GLOVE};
    assert_int_equal(psdvec_counts_import(b->ctx, &o, b->in, b->out, NULL), PSDVEC_ERR_OPTION);
    REFUSED(b, PSDVEC_ERR_OPTION, "`window` is 1001", GLOVE, .window = 1001);
    REFUSED(b, PSDVEC_ERR_OPTION, "leave out `vocab`", TOP2GRAMS, .vocab_file = b->vocab);
    REFUSED(b, PSDVEC_ERR_OPTION, "leave out `symmetric`", TOP2GRAMS, .symmetric = true);
    assert_refused(b,
                   (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                           .format = (psdvec_counts_format)3},
                   PSDVEC_ERR_OPTION, "`format` has no value number 3");
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
    assert_int_equal(
        psdvec_counts_export(b->ctx, c, PSDVEC_FORMAT_TOP2GRAMS, false, b->other, b->words),
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
    bench *b = *state;
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(triples_in_any_order_and_memory_add_up),
        TEST(a_sum_beyond_64_bits_is_reported),
        TEST(glove_records_are_added_up_exactly),
        TEST(the_scale_is_chosen_if_nobody_knows_it),
        TEST(rounding_is_told_once_with_number_and_error),
        TEST(a_symmetric_file_keeps_each_pair_once),
        TEST(a_directed_file_is_not_taken_for_symmetric),
        TEST(a_damaged_glove_file_is_refused_with_the_record),
        TEST(a_damaged_vocabulary_is_refused_with_the_line),
        TEST(a_word_number_that_looks_like_gzip_is_no_gzip),
        TEST(matrix_market_is_read_however_it_is_spaced),
        TEST(a_symmetric_matrix_stands_for_both_directions),
        TEST(words_without_counts_get_them_from_the_pairs),
        TEST(a_damaged_matrix_is_refused_with_the_line),
        TEST(top2grams_items_are_trusted_and_headers_are_not),
        TEST(neighbours_outside_the_list_are_left_out_with_a_warning),
        TEST(a_damaged_top2grams_file_is_refused_with_the_line),
        TEST(top2grams_is_written_as_the_original_does),
        TEST(what_top2grams_cannot_hold_is_refused),
        TEST(every_format_brings_the_same_counts_back),
        TEST(a_symmetric_export_is_a_symmetric_import),
        TEST(the_bits_do_not_depend_on_memory_or_threads),
        TEST(a_request_to_stop_is_heard_everywhere_and_leaves_nothing),
        TEST(impossible_calls_are_refused),
        TEST(imports_with_the_same_settings_can_be_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
