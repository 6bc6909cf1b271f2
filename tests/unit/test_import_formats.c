/* Reading and writing the counts of other programs, format by format, and every error. */
#include "support/exchange.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- GloVe ----------------------------------------------------------------------------------- */

static void glove_records_are_added_up_exactly(void **state)
{
    exchange *b = *state;
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

static void the_scale_is_chosen_if_it_is_not_given(void **state)
{
    exchange *b = *state;
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

static void rounding_is_reported_once_with_number_and_error(void **state)
{
    exchange *b = *state;
    put_glove(b);
    const record odd[] = {{1, 2, 0.26}, {2, 1, 0.5}, {3, 3, 1.4}, {2, 3, 0.1}};
    put_file(b->in, odd, sizeof odd);
    assert_int_equal(IMPORT(b, GLOVE, .scale = 2), PSDVEC_OK);
    assert_dump(b, b->out, "the cat 1/2; cat the 1/2; sat sat 3/2; ");
    assert_warned(b, "3 numbers are not multiples of 1/2 and were rounded, by up to 0.24");
}

static void a_symmetric_file_keeps_each_pair_once(void **state)
{
    exchange *b = *state;
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
    /* and x + x' gives the file again */
    assert_int_equal(export_counts(b, PSDVEC_FORMAT_GLOVE, true), PSDVEC_OK);
    const record expected[] = {{1, 1, 3}, {1, 2, 2.5}, {2, 1, 2.5}, {2, 3, 1}, {3, 2, 1}};
    FILE *file = fopen(b->other, "rb");
    record got[6];
    assert_non_null(file);
    assert_int_equal(fread(got, sizeof *got, 6, file), 5);
    fclose(file);
    assert_memory_equal(got, expected, sizeof expected);
    /* without the option all pairs are kept, with a warning */
    assert_int_equal(IMPORT(b, GLOVE, .window = 2), PSDVEC_OK);
    assert_dump(b, b->out, "the the 6/2; the cat 5/2; cat the 5/2; cat sat 2/2; sat cat 2/2; ");
    assert_warned(b, "in both directions with the same count");
}

static void a_directed_file_is_not_taken_for_symmetric(void **state)
{
    exchange *b = *state;
    put_glove(b);
    static const char not [] = "not every pair is in both directions";
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
    exchange *b = *state;
    put_glove(b);
    put_file(b->in, glove_records, sizeof glove_records - 3);
    REFUSED(b, PSDVEC_ERR_DAMAGED, "in: ends within a record, 13 bytes after record 4", GLOVE, );
    put_file(b->in, glove_records, 7);
    REFUSED(b, PSDVEC_ERR_DAMAGED, "ends within a record, 7 bytes after record 0", GLOVE, );
    put_text(b->in, "");
    REFUSED(b, PSDVEC_ERR_EMPTY, "in: has no counts", GLOVE, );
    static const struct {
        record record;
        psdvec_status status;
        const char *sentence;
    } cases[] = {
        {{4, 1, 1}, PSDVEC_ERR_DAMAGED, "record 2: word number 4, but "},
        {{1, 4, 1}, PSDVEC_ERR_DAMAGED, "has only the words 1 to 3"},
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
        assert_import_refused(b,
                              (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                                      .format = PSDVEC_FORMAT_GLOVE},
                              cases[i].status, cases[i].sentence);
        /* also as the first record, where the file could be a compressed one */
        put_file(b->in, &two[1], sizeof two[1]);
        assert_import_refused(b,
                              (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                                      .format = PSDVEC_FORMAT_GLOVE},
                              cases[i].status, "record 1: ");
    }
}

static void a_damaged_vocabulary_is_refused_with_the_line(void **state)
{
    exchange *b = *state;
    put_glove(b);
    put_text(b->vocab, "the 5\ncat 3\nsa");
    REFUSED(b, PSDVEC_ERR_DAMAGED, "vocab: line 3: a word without a count", GLOVE, );
    put_text(b->vocab, "the 5\ncat 3\nthe 2\n");
    REFUSED(b, PSDVEC_ERR_DAMAGED, "vocab: line 3: the word \"the\" is in the list twice", GLOVE, );
    put_text(b->vocab, "the 5\ncat 3\n");
    REFUSED(b, PSDVEC_ERR_DAMAGED, "record 1: word number 3", GLOVE, );
    put_text(b->vocab, "");
    REFUSED(b, PSDVEC_ERR_EMPTY, "vocab: the list has no words", GLOVE, );
    put_text(b->vocab, "the 18446744073709551615\ncat 3\nsat 1\n");
    REFUSED(b, PSDVEC_ERR_OVERFLOW, "vocab: the sum of the word counts does not fit into 64 bits",
            GLOVE, );
    unlink(b->vocab);
    REFUSED(b, PSDVEC_ERR_NOT_FOUND, "vocab", GLOVE, );
}

/* The first two bytes of the word number 35615 are the magic number of gzip. */
static void a_word_number_is_not_taken_for_gzip(void **state)
{
    exchange *b = *state;
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

/* ---- Matrix Market --------------------------------------------------------------------------- */

static void matrix_market_is_read_however_it_is_spaced(void **state)
{
    exchange *b = *state;
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

static void a_symmetric_matrix_gives_both_directions(void **state)
{
    exchange *b = *state;
    put_text(b->vocab, "the 5\ncat 3\nsat 2\n");
    put_text(b->in, "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n"
                    "1 1 4\n2 1 7\n3 2 1\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 0), PSDVEC_OK);
    assert_dump(b, b->out, "the the 4/1; the cat 7/1; cat the 7/1; cat sat 1/1; sat cat 1/1; ");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .symmetric = true), PSDVEC_OK);
    assert_dump(b, b->out, "the the 2/1; the cat 7/1; cat sat 1/1; ");
}

static void half_of_an_odd_count_on_the_diagonal_is_kept(void **state)
{
    exchange *b = *state;
    put_text(b->vocab, "the 5\ncat 3\nsat 2\n");
    put_text(b->in, "%%MatrixMarket matrix coordinate real general\n3 3 4\n"
                    "1 1 5\n2 1 7\n1 2 7\n3 3 1\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .symmetric = true, .window = 2), PSDVEC_OK);
    assert_string_equal(b->warnings, "");
    assert_dump(b, b->out, "the the 5/2; the cat 14/2; sat sat 1/2; ");
}

static void words_without_counts_get_them_from_the_pairs(void **state)
{
    exchange *b = *state;
    put_text(b->vocab, "the\ncat\nsat\n");
    put_text(b->in, "%%MatrixMarket matrix coordinate real general\n3 3 3\n"
                    "1 2 4.0\n3 2 1.0\n1 3 0.25\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 0), PSDVEC_OK);
    assert_warned(b, "has no word frequencies");
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
    exchange *b = *state;
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
         "has 1 of the 2 entries that it declares; the file is truncated"},
        {BANNER "real general\n3 3 1\n1 1 1\n1 2 1\n", PSDVEC_ERR_DAMAGED,
         "line 4: more entries than the 1"},
        {BANNER "real general\n3 3 1\n1 4 1\n", PSDVEC_ERR_DAMAGED,
         "line 3: the position 1, 4 is outside the matrix of 3 rows"},
        {BANNER "real general\n3 3 1\n0 1 1\n", PSDVEC_ERR_DAMAGED, "the position 0, 1 is outside"},
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
         "the sum of the counts does not fit into 64 bits"},
        {BANNER "real general\n3 3 0\n", PSDVEC_ERR_EMPTY, "has no counts"},
        {BANNER "real general\n% psdvec: scale=60 window=7\n3 3 1\n1 1 1\n", PSDVEC_ERR_MISMATCH,
         "was made with a window of 7, not of 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_text(b->in, cases[i].text);
        assert_import_refused(b,
                              (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                                      .format = PSDVEC_FORMAT_MATRIX_MARKET,
                                                      .window = 5},
                              cases[i].status, cases[i].sentence);
    }
    static const char zero[] = BANNER "real general\n3 3 1\n1 1 1\0junk\n";
    put_file(b->in, zero, sizeof zero - 1);
    REFUSED(b, PSDVEC_ERR_DAMAGED, "line 3: expected a row", MATRIX_MARKET, );
}

/* ---- The text format of the original program ------------------------------------------------- */

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
    exchange *b = *state;
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
    /* 20 + 2^32 is 20 in 32 bits, and so is -4294967276 */
    put_text(b->in, GRAMS_HEAD GRAMS_ROWS "# Total kept bigram occurrences:   -4294967276\n");
    assert_int_equal(IMPORT(b, TOP2GRAMS, .window = 3), PSDVEC_OK);
    assert_string_equal(b->warnings, "");
    put_text(b->in, GRAMS_HEAD GRAMS_ROWS "# Total kept bigram occurrences: 21\n");
    assert_int_equal(IMPORT(b, TOP2GRAMS, .window = 0), PSDVEC_OK);
    assert_warned(b, "the sum of the counts is 21 in its last line, but it is actually 20");
}

static void neighbours_outside_the_list_are_skipped_with_a_warning(void **state)
{
    exchange *b = *state;
    put_text(b->in, GRAMS_HEAD "1,the,2,11,1\n\tthe,1,-2.398\tdog,10,-0.1\n"
                               "# Total kept bigram occurrences: 11\n");
    assert_int_equal(IMPORT(b, TOP2GRAMS, .scale = 3), PSDVEC_OK);
    assert_dump(b, b->out, "the the 3/3; ");
    assert_warned(b, "1 pairs were skipped");
}

static void a_damaged_top2grams_file_is_refused_with_the_line(void **state)
{
    exchange *b = *state;
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
         "has 1 of the 2 words that its first line declares, and then other lines"},
        {"# 2 words\nWords:\na,1,-1", PSDVEC_ERR_DAMAGED, "then ends; the file is truncated"},
        {"# 0 words\nWords:\n\nBigrams:\n", PSDVEC_ERR_EMPTY, "has no words"},
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
         "line 3: the word \"a\" is in the list twice"},
        {GRAMS_HEAD "\tthe,1,-1\n", PSDVEC_ERR_DAMAGED, "line 8: words that belong to no row"},
        {GRAMS_HEAD "1,the\n", PSDVEC_ERR_DAMAGED, "line 8: expected a row"},
        {GRAMS_HEAD "1,dog,1,1,1\n", PSDVEC_ERR_DAMAGED,
         "line 8: the word \"dog\" is not in the list"},
        {GRAMS_HEAD "1,the,2,2,1\n\tthe,1,-1\n" GRAMS_END, PSDVEC_ERR_DAMAGED,
         "line 8: the row that begins here lacks 1 of the words"},
        {GRAMS_HEAD "1,the,1,2,1\n\tthe,1,-1\tsat,1,-1\n", PSDVEC_ERR_DAMAGED,
         "line 9: more words than the 8 that the first line of the row declares"},
        {GRAMS_HEAD "1,the,1,2,1\n\tthe;1;-1\n", PSDVEC_ERR_DAMAGED, "line 9: expected word,count"},
        {GRAMS_HEAD GRAMS_ROWS, PSDVEC_ERR_DAMAGED, "the last line, \"# Total kept"},
        {GRAMS_HEAD "1,the,1,2,1\n\tthe,0,-1\n" GRAMS_END, PSDVEC_ERR_EMPTY, "has no counts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_text(b->in, cases[i].text);
        assert_import_refused(b,
                              (psdvec_import_options){.size = sizeof(psdvec_import_options),
                                                      .format = PSDVEC_FORMAT_TOP2GRAMS},
                              cases[i].status, cases[i].sentence);
    }
    put_text(b->in, GRAMS_HEAD GRAMS_ROWS GRAMS_END);
    REFUSED(b, PSDVEC_ERR_MISMATCH, "made with a window of 3, not of 5", TOP2GRAMS, .window = 5);
}

static void top2grams_is_written_as_the_original_does(void **state)
{
    exchange *b = *state;
    put_text(b->vocab, "the 5\ncat 3\nsat 2\n");
    put_text(b->in, "%%MatrixMarket matrix coordinate integer general\n3 3 7\n"
                    "1 1 1\n1 2 6\n1 3 4\n2 1 8\n2 3 1\n2 2 0\n3 3 0\n");
    assert_int_equal(IMPORT(b, MATRIX_MARKET, .window = 4), PSDVEC_OK);
    assert_int_equal(export_counts(b, PSDVEC_FORMAT_TOP2GRAMS, false), PSDVEC_OK);
    char *text = get_file(b->other);
    assert_string_equal(text, "# 3 words, 10 occurrences\n"
                              "# input=psdvec-" PSDVEC_VERSION ", window=4\n"
                              "# 20 bigram occurrences\nWords:\n"
                              "the,9,-0.799\tcat,6,-1.204\tsat,5,-1.386\n\nBigrams:\n"
                              "1,the,3,11,1\n\tthe,1,-2.398\tcat,6,-0.606\tsat,4,-1.012\n"
                              "2,cat,2,9,1\n\tthe,8,-0.118\tsat,1,-2.197\n"
                              "3,sat,0,0,1\n# Total kept bigram occurrences: 20\n");
    free(text);
    assert_warned(b, "no word occurs after 1 of the words, such as \"sat\"");
}

static void counts_that_top2grams_cannot_hold_are_refused(void **state)
{
    exchange *b = *state;
    put_glove(b);
    assert_int_equal(IMPORT(b, GLOVE, .window = 5), PSDVEC_OK);
    assert_int_equal(export_counts(b, PSDVEC_FORMAT_TOP2GRAMS, false), PSDVEC_ERR_OPTION);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "its counts have fractions"));
    put_text(b->in, GRAMS_HEAD GRAMS_ROWS GRAMS_END);
    assert_int_equal(IMPORT(b, TOP2GRAMS, .window = 0), PSDVEC_OK);
    assert_int_equal(export_counts(b, PSDVEC_FORMAT_TOP2GRAMS, false), PSDVEC_ERR_OPTION);
    assert_non_null(
        strstr(psdvec_error_message(b->ctx), "the word \"1,000\" contains a character"));
    assert_int_equal(export_counts(b, PSDVEC_FORMAT_GLOVE, false), PSDVEC_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, exchange_open, exchange_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(glove_records_are_added_up_exactly),
        TEST(the_scale_is_chosen_if_it_is_not_given),
        TEST(rounding_is_reported_once_with_number_and_error),
        TEST(a_symmetric_file_keeps_each_pair_once),
        TEST(a_directed_file_is_not_taken_for_symmetric),
        TEST(a_damaged_glove_file_is_refused_with_the_record),
        TEST(a_damaged_vocabulary_is_refused_with_the_line),
        TEST(a_word_number_is_not_taken_for_gzip),
        TEST(matrix_market_is_read_however_it_is_spaced),
        TEST(a_symmetric_matrix_gives_both_directions),
        TEST(half_of_an_odd_count_on_the_diagonal_is_kept),
        TEST(words_without_counts_get_them_from_the_pairs),
        TEST(a_damaged_matrix_is_refused_with_the_line),
        TEST(top2grams_items_are_trusted_and_headers_are_not),
        TEST(neighbours_outside_the_list_are_skipped_with_a_warning),
        TEST(a_damaged_top2grams_file_is_refused_with_the_line),
        TEST(top2grams_is_written_as_the_original_does),
        TEST(counts_that_top2grams_cannot_hold_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
