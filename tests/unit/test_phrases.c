/* Phrases: joining them in the stream of tokens, compared with a simple implementation; lists of
 * phrases; and finding them, compared with counts made by hand. */
#include "corpus/icu_words.h"
#include "corpus/phrases.h"
#include "count/counts_read.h"
#include "model/model_read.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

typedef struct bench {
    psdvec_context *ctx;
    psdvec_text_options text;
    psdvec_phrases_options find;
    char *folder, *input, *list, *joined;
} bench;

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    psdvec_context_options options;
    assert_non_null(b);
    psdvec_context_options_default(&options);
    options.threads = 2;
    assert_int_equal(psdvec_context_new(&options, &b->ctx), PSDVEC_OK);
    psdvec_text_options_default(&b->text);
    psdvec_phrases_options_default(&b->find);
    b->folder = scratch_new();
    b->input = scratch_path(b->folder, "input");
    b->list = scratch_path(b->folder, "list");
    b->joined = scratch_path(b->folder, "joined");
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    scratch_free(b->folder);
    free(b->input);
    free(b->list);
    free(b->joined);
    free(b);
    return used == 0 ? 0 : -1;
}

static void write_text(const char *path, const char *text)
{
    scratch_write(path, text, strlen(text));
}

static char *read_text(const char *path)
{
    size_t length;
    return scratch_read(path, &length);
}

static char *join(bench *b, psdvec_phrases_report *report)
{
    const char *input = b->input;
    b->text.phrases = b->list;
    psdvec_status status = psdvec_phrases_join(b->ctx, &b->text, &input, 1, b->joined, report);
    if (status != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(b->ctx));
    return read_text(b->joined);
}

/* Compares the text with the phrases of a list joined. */
static void gives(bench *b, const char *list, const char *text, const char *wanted)
{
    write_text(b->list, list);
    write_text(b->input, text);
    char *got = join(b, NULL);
    assert_non_null(got);
    assert_string_equal(got, wanted);
    free(got);
}

static void finds(bench *b, const char *text, const char *wanted)
{
    const char *input = b->input;
    write_text(b->input, text);
    if (psdvec_phrases_find(b->ctx, &b->find, &b->text, &input, 1, b->list, NULL, NULL))
        fail_msg("%s", psdvec_error_message(b->ctx));
    char *got = read_text(b->list);
    assert_non_null(got);
    assert_string_equal(got, wanted);
    free(got);
}

/* ---- Joining --------------------------------------------------------------------------------- */

static void the_longest_phrase_from_the_left_is_joined(void **state)
{
    bench *b = *state;
    gives(b, "new york\nnew york city\nyork city hall\ncity hall\n",
          "New York City Hall\nin new york\nYork City Hall, city hall\n",
          "new_york_city hall\nin new_york\nyork_city_hall city_hall\n");
    /* A longer phrase that does not match in the end. */
    gives(b, "a b\na b c d\nb c\n", "a b c e\na b c d\nx a\n", "a_b c e\na_b_c_d\nx a\n");
    gives(b, "a b c\nb c d\n", "a b d\na b b c d\n", "a b d\na b b_c_d\n");
}

static void phrases_end_with_sentences_and_documents(void **state)
{
    bench *b = *state;
    gives(b, "new york\n", "so new\nyork is new. York", "so new\nyork is new_york\n");
    b->text.sentences = true;
    gives(b, "new york\n", "so new\nyork is new. York", "so new\nyork is new\nyork\n");
    b->text.sentences = false;
    b->text.document = PSDVEC_DOCUMENT_FILE;
    gives(b, "new york\n", "so new\nyork", "so new_york\n");
    b->text.document = PSDVEC_DOCUMENT_BLANK_LINE;
    gives(b, "new york\n", "so new\nyork new\n\nyork", "so new_york new\nyork\n");
}

static void short_documents_are_skipped_by_words_not_phrases(void **state)
{
    bench *b = *state;
    b->text.min_document_words = 3;
    gives(b, "new york\n", "new york\nin new york\nold york city\n",
          "in new_york\nold york city\n");
}

static void words_of_a_list_are_normalised(void **state)
{
    bench *b = *state;
    gives(b, "New York\t12\t3.5\r\n\n  \nS\u00c3O Paulo\nsan_francisco\nword\n a  b \n",
          "NEW YORK s\u00e3o paulo Sa\u0303o Paulo San Francisco word a b",
          "new_york s\u00e3o_paulo s\u00e3o_paulo san_francisco word a_b\n");
    b->text.letter_case = PSDVEC_CASE_KEEP;
    gives(b, "New York\n", "New York new york", "New_York new york\n");
    b->text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    gives(b, "H2O .\nx_y z\n", "H2O . x_y z", "H2O_. x_y_z\n");
}

static void icu_words_are_joined(void **state)
{
    bench *b = *state;
    if (!pv_icu_available())
        skip();
    b->text.tokenizer = PSDVEC_TOKENIZER_ICU;
    gives(b, "\u81ea\u7136 \u8bed\u8a00\n",
          "\u6211\u559c\u6b22\u81ea\u7136\u8bed\u8a00\u5904\u7406",
          "\u6211 \u559c\u6b22 \u81ea\u7136_\u8bed\u8a00 \u5904\u7406\n");
}

static void a_list_without_phrases_is_refused(void **state)
{
    bench *b = *state;
    const char *input = b->input;
    write_text(b->input, "a b c");
    write_text(b->list, "one\ntwo\n");
    b->text.phrases = b->list;
    assert_int_equal(psdvec_phrases_join(b->ctx, &b->text, &input, 1, b->joined, NULL),
                     PSDVEC_ERR_EMPTY);
    b->text.phrases = NULL;
    assert_int_equal(psdvec_phrases_join(b->ctx, &b->text, &input, 1, b->joined, NULL),
                     PSDVEC_ERR_OPTION);
    assert_int_equal(scratch_entries(b->folder), 2);
}

/* ---- Random texts against a simple implementation -------------------------------------------- */

enum { WORDS = 7, PHRASES = 12, LONGEST = 5 };
static const char *const names[WORDS] = {
    "a", "b", "c", "\u00e9t\u00e9", "word", "\u0436\u0443\u043a", "longerthansixteenletters"};

typedef struct plain_phrase {
    size_t words[LONGEST], count;
} plain_phrase;

static size_t longest_at(const plain_phrase *phrases, const size_t *line, size_t count)
{
    size_t best = 0;
    for (size_t i = 0; i < PHRASES; i++) {
        const plain_phrase *p = &phrases[i];
        if (p->count > best && p->count <= count &&
            memcmp(p->words, line, p->count * sizeof *line) == 0)
            best = p->count;
    }
    return best;
}

static char *add(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

static void random_texts_are_joined_as_by_the_simple_implementation(void **state)
{
    bench *b = *state;
    dice d = {20};
    enum { TOKENS = 40000 };
    char *text = malloc(TOKENS * 32), *wanted = malloc(TOKENS * 32), list[PHRASES * LONGEST * 32];
    size_t *line = malloc(TOKENS * sizeof *line);
    assert_true(text && wanted && line);
    for (int round = 0; round < 30; round++) {
        plain_phrase phrases[PHRASES];
        char *to = list, *out = wanted, *in = text;
        uint64_t joined = 0, tokens = 0;
        for (size_t i = 0; i < PHRASES; i++) {
            phrases[i].count = 2 + dice_below(&d, LONGEST - 1);
            for (size_t k = 0; k < phrases[i].count; k++) {
                phrases[i].words[k] = dice_below(&d, WORDS);
                to = add(to, names[phrases[i].words[k]]);
                *to++ = k + 1 < phrases[i].count ? ' ' : '\n';
            }
        }
        *to = '\0';
        for (size_t left = TOKENS; left > 0;) {
            size_t count = 1 + dice_below(&d, dice_percent(&d, 10) ? 3000 : 20);
            count = count < left ? count : left;
            left -= count;
            for (size_t k = 0; k < count; k++) {
                line[k] = dice_below(&d, WORDS);
                in = add(in, names[line[k]]);
                *in++ = k + 1 < count ? ' ' : '\n';
            }
            tokens += count;
            for (size_t k = 0; k < count;) {
                size_t length = longest_at(phrases, line + k, count - k);
                joined += length > 0;
                for (size_t end = k + (length ? length : 1); k < end; k++) {
                    out = add(out, names[line[k]]);
                    *out++ = k + 1 < end ? '_' : k + 1 < count ? ' ' : '\n';
                }
            }
        }
        *in = *out = '\0';
        psdvec_phrases_report report;
        write_text(b->list, list);
        write_text(b->input, text);
        char *got = join(b, &report);
        assert_non_null(got);
        assert_string_equal(got, wanted);
        free(got);
        assert_int_equal(report.joined, joined);
        assert_int_equal(report.tokens, tokens);
    }
    free(text);
    free(wanted);
    free(line);
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* 20 words: n(a) = n(b) = 4, n(a b) = 4, n(c) = 5; the others are rare. */
static const char text20[] = "a b c d e\nc a b f g\nh a b i c\nc j c a b\n";

static void scores_are_those_of_the_formulas(void **state)
{
    bench *b = *state;
    char wanted[200];
    b->find.passes = 1;
    b->find.min_count = 2;
    b->find.threshold = 1;
    /* (4 - 2) * 20 / (4 * 4); "c a" occurs twice, so its score is 0. */
    finds(b, text20, "a b\t4\t2.5\n");
    b->find.threshold = 2.5; /* not above it */
    finds(b, text20, "");
    b->find.score = PSDVEC_PHRASE_NPMI;
    b->find.threshold = 0.2;
    double ab = log(4 * 20.0 / 16) / -log(4 / 20.0), ca = log(2 * 20.0 / 20) / -log(2 / 20.0);
    snprintf(wanted, sizeof wanted, "a b\t4\t%.6g\nc a\t2\t%.6g\n", ab, ca);
    finds(b, text20, wanted);
    b->find.min_count = 3;
    snprintf(wanted, sizeof wanted, "a b\t4\t%.6g\n", ab);
    finds(b, text20, wanted);
    b->find.threshold = 1;
    const char *input = b->input;
    assert_int_equal(psdvec_phrases_find(b->ctx, &b->find, NULL, &input, 1, b->list, NULL, NULL),
                     PSDVEC_ERR_OPTION);
}

static void passes_find_longer_phrases_up_to_the_limit(void **state)
{
    bench *b = *state;
    const char *text = "a b c d x\na b c d y\nz a b c d\nw a b c d\nx y z w v u t s r q\n";
    b->find.min_count = 1;
    b->find.threshold = 4;
    b->find.passes = 1;
    finds(b, text, "a b\t4\t5.625\nb c\t4\t5.625\nc d\t4\t5.625\n");
    b->find.passes = 2;
    finds(b, text, "a b\t4\t5.625\na b c d\t4\t4.125\nb c\t4\t5.625\nc d\t4\t5.625\n");
    b->find.max_words = 3;
    finds(b, text, "a b\t4\t5.625\nb c\t4\t5.625\nc d\t4\t5.625\n");
}

static void pairs_do_not_cross_documents_and_sentences(void **state)
{
    bench *b = *state;
    b->find.min_count = 1;
    b->find.threshold = 0;
    b->find.passes = 1;
    finds(b, "x a\nb y\nz a\nb w\n", "");
    finds(b, "x a. b y z a. B w", "a b\t2\t2\n");
    b->text.sentences = true;
    finds(b, "x a. b y z a. B w", "");
}

static void connectors_occur_only_inside_phrases(void **state)
{
    bench *b = *state;
    static const char *const connectors[] = {"of", "the"};
    const char *text = "the bank of america\na bank of america\nbank of the river\n"
                       "see bank america of\nof the bank\nbank of of of america\n";
    b->find.connectors = connectors;
    b->find.connectors_count = 2;
    b->find.min_count = 1;
    b->find.threshold = 0;
    b->find.passes = 1;
    /* 24 words; n(bank) = 6, n(america) = 4. A phrase has at most 4 words, so no 3 connectors. */
    finds(b, text, "bank of america\t2\t1\n");
    char *got;
    b->text.phrases = NULL;
    const char *input = b->input;
    assert_int_equal(
        psdvec_phrases_find(b->ctx, &b->find, &b->text, &input, 1, NULL, b->joined, NULL),
        PSDVEC_OK);
    got = read_text(b->joined);
    assert_non_null(got);
    assert_string_equal(got, "the bank_of_america\na bank_of_america\nbank of the river\n"
                             "see bank america of\nof the bank\nbank of of of america\n");
    free(got);
    b->find.max_words = 5;
    b->find.threshold = -0.5;
    finds(b, text,
          "bank of america\t2\t1\na bank\t1\t0\nbank america\t1\t0\n"
          "bank of of of america\t1\t0\nbank of the river\t1\t0\nsee bank\t1\t0\n");
}

static void a_joined_text_is_what_its_list_gives(void **state)
{
    bench *b = *state;
    dice d = {7};
    enum { LINES = 3000 };
    char *text = malloc(LINES * 200), *at = text;
    assert_non_null(text);
    for (size_t k = 0; k < LINES; k++) {
        size_t count = 1 + dice_below(&d, 12);
        for (size_t i = 0; i < count; i++) {
            size_t w = dice_below(&d, 30);
            at += sprintf(at, w < 4 ? "new york" : w < 6 ? "new york city" : "w%c", 'a' + (int)w);
            *at++ = i + 1 < count ? ' ' : '\n';
        }
    }
    *at = '\0';
    const char *input = b->input;
    psdvec_phrases_report found, joined;
    write_text(b->input, text);
    b->find.threshold = 5;
    assert_int_equal(
        psdvec_phrases_find(b->ctx, &b->find, &b->text, &input, 1, b->list, b->joined, &found),
        PSDVEC_OK);
    assert_true(found.joined > 0 && found.phrases >= 2);
    char *first = read_text(b->joined), *second = join(b, &joined);
    assert_non_null(strstr(first, "new_york_city"));
    assert_string_equal(first, second);
    assert_int_equal(found.joined, joined.joined);
    assert_int_equal(found.tokens, joined.tokens);
    assert_int_equal(found.documents, LINES);
    free(first);
    free(second);
    free(text);
}

/* ---- In files -------------------------------------------------------------------------------- */

static void stored_lists_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        bool sound;
        uint64_t count;
    } cases[] = {
        {"", true, 0},           {"a b\n", true, 1},   {"a b\na b c\nb a\n", true, 3},
        {"a b", false, 0},    /* no end of line */
        {"a\n", false, 0},    /* one word */
        {"\n", false, 0},     /* none */
        {"a  b\n", false, 0}, /* an empty word */
        {" a b\n", false, 0},    {"a b \n", false, 0}, {"b a\na b\n", false, 0}, /* not sorted */
        {"a b\na b\n", false, 0}};                                               /* twice */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint64_t count;
        bool sound =
            pv_phrase_list_check((pv_phrase_list){cases[k].list, strlen(cases[k].list)}, &count);
        if (sound != cases[k].sound || (sound && count != cases[k].count))
            fail_msg("'%s'", cases[k].list);
    }
}

/* Random words, and sometimes "New York" or "New York City". */
static void write_random_text(bench *b)
{
    enum { TEXT_LINES = 3000, LINE_WORDS = 12 };
    char *text = malloc(TEXT_LINES * LINE_WORDS * 16), *at = text;
    uint32_t x = 7;
    assert_non_null(text);
    for (int line = 0; line < TEXT_LINES; line++) {
        for (int k = 0; k < LINE_WORDS; k++) {
            x = x * 1664525 + 1013904223;
            uint32_t r = x >> 8;
            at += r % 400 == 0   ? sprintf(at, "New York ")
                  : r % 400 == 1 ? sprintf(at, "New York City ")
                                 : sprintf(at, "w%c%c ", 'a' + r / 400 % 16, 'a' + r / 6400 % 16);
        }
        *at++ = '\n';
    }
    *at = '\0';
    write_text(b->input, text);
    free(text);
}

static void succeeds(bench *b, psdvec_status status)
{
    if (status != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(b->ctx));
}

static void count(bench *b, const char *phrases, const char *resume, const char *output)
{
    const char *input = b->input;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    options.text.phrases = phrases;
    options.resume_dir = resume;
    succeeds(b, psdvec_count(b->ctx, &options, &input, 1, output, NULL));
}

static void files_are_equal(const char *first, const char *second)
{
    size_t a, b;
    char *x = scratch_read(first, &a), *y = scratch_read(second, &b);
    assert_true(a == b && memcmp(x, y, a) == 0);
    free(x);
    free(y);
}

static void counts_files_store_phrases(void **state)
{
    bench *b = *state;
    static const char sorted[] = "new york\nnew york city\n";
    char *first = scratch_path(b->folder, "first"), *second = scratch_path(b->folder, "second"),
         *plain = scratch_path(b->folder, "plain"), *merged = scratch_path(b->folder, "merged"),
         *units = scratch_path(b->folder, "units");
    psdvec_counts *counts;
    write_random_text(b);
    write_text(b->list, "New York City\t3\nNEW YORK\n");
    count(b, b->list, NULL, first);
    succeeds(b, pv_counts_open(b->ctx, first, &counts));
    assert_int_equal(counts->info.phrases, 2);
    assert_int_equal(counts->phrases.length, strlen(sorted));
    assert_memory_equal(counts->phrases.lines, sorted, strlen(sorted));
    uint32_t word;
    assert_true(psdvec_counts_find(counts, "new_york_city", 13, &word));
    assert_false(psdvec_counts_find(counts, "york", 4, &word));
    psdvec_counts_close(counts);

    /* A counts file can serve as a list, and `resume` gives the same file. */
    count(b, first, NULL, second);
    files_are_equal(first, second);
    count(b, b->list, units, second);
    files_are_equal(first, second);

    const char *same[] = {first, second}, *different[] = {first, plain};
    succeeds(b, psdvec_counts_merge(b->ctx, same, 2, merged, NULL));
    succeeds(b, pv_counts_open(b->ctx, merged, &counts));
    assert_int_equal(counts->info.phrases, 2);
    psdvec_counts_close(counts);
    count(b, NULL, NULL, plain);
    succeeds(b, pv_counts_open(b->ctx, plain, &counts));
    assert_int_equal(counts->info.phrases, 0);
    assert_null(pv_st_tensor(counts->file, PV_PHRASES_TENSOR));
    psdvec_counts_close(counts);
    assert_int_equal(psdvec_counts_merge(b->ctx, different, 2, merged, NULL), PSDVEC_ERR_MISMATCH);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "different phrases (2 and 0)"));
    free(first);
    free(second);
    free(plain);
    free(merged);
    free(units);
}

static void phrases_can_be_found_during_counting(void **state)
{
    bench *b = *state;
    char *found = scratch_path(b->folder, "found"), *listed = scratch_path(b->folder, "listed"),
         *units = scratch_path(b->folder, "units");
    const char *input = b->input, *standard = "-";
    psdvec_count_options options;
    write_random_text(b);
    succeeds(b, psdvec_phrases_find(b->ctx, NULL, NULL, &input, 1, b->list, NULL, NULL));
    char *list = read_text(b->list);
    assert_non_null(strstr(list, "new york city\t"));
    free(list);
    count(b, b->list, NULL, listed);
    count(b, "auto", NULL, found);
    files_are_equal(found, listed);
    for (int again = 0; again < 2; again++) {
        count(b, "auto", units, found);
        files_are_equal(found, listed);
    }
    psdvec_count_options_default(&options);
    options.text.phrases = "auto";
    assert_int_equal(psdvec_count(b->ctx, &options, &standard, 1, found, NULL), PSDVEC_ERR_OPTION);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "standard input cannot be read twice"));
    b->text.phrases = "auto";
    assert_int_equal(psdvec_phrases_join(b->ctx, &b->text, &input, 1, b->joined, NULL),
                     PSDVEC_ERR_OPTION);
    free(found);
    free(listed);
    free(units);
}

static void note_tokens(void *user, const char *word, size_t length)
{
    char *to = user;
    if (word)
        sprintf(to + strlen(to), "%.*s ", (int)length, word);
}

/* The words of queries, marked + if they are in the model. */
static void note_parts(void *user, const char *word, size_t length, uint32_t i)
{
    char *to = user;
    sprintf(to + strlen(to), "%.*s%s ", (int)length, word, i == PSDVEC_UNKNOWN_WORD ? "" : "+");
}

static void models_join_their_phrases(void **state)
{
    bench *b = *state;
    char *path = scratch_path(b->folder, "model"), *other = scratch_path(b->folder, "other"),
         *small = scratch_path(b->folder, "small");
    const char *input = b->input, *text = "So: New York City, NEW YORK";
    psdvec_count_options counting;
    psdvec_train_options training;
    psdvec_model *model, *converted;
    char got[200] = "";
    write_random_text(b);
    write_text(b->list, "new york\nnew york city\nnever seen\n");
    write_text(other, "new york\n");
    psdvec_count_options_default(&counting);
    counting.text.phrases = b->list;
    psdvec_train_options_preset(&training, PSDVEC_PRESET_DEFAULT, NULL);
    training.dim = 5;
    succeeds(b, psdvec_train_text(b->ctx, &training, &counting, &input, 1, path, NULL, NULL));
    succeeds(b, psdvec_model_open(b->ctx, path, &model));
    assert_int_equal(psdvec_model_get_info(model)->phrases, 3);
    succeeds(b, psdvec_model_tokenize(b->ctx, model, text, strlen(text), note_tokens, got));
    assert_string_equal(got, "so new_york_city new_york ");
    /* Queries are tokenised like the text; a phrase that is not in the model is split into its
     * words. */
    got[0] = '\0';
    succeeds(b, psdvec_model_find_parts(b->ctx, model, "New York", 8, note_parts, got));
    succeeds(b, psdvec_model_find_parts(b->ctx, model, "never seen", 10, note_parts, got));
    assert_string_equal(got, "new_york+ never seen ");

    /* The phrases of the model need not be given; only the same ones may be. */
    psdvec_scorer *scorer;
    psdvec_scored_model scored = {.model = model};
    succeeds(b, psdvec_scorer_open(b->ctx, NULL, &scored, 1, &scorer));
    psdvec_text_options options = *psdvec_scorer_text_options(scorer);
    succeeds(b, psdvec_scorer_text(scorer, text, strlen(text)));
    assert_int_equal(psdvec_scorer_total(scorer)->words, 3);
    assert_int_equal(psdvec_scorer_total(scorer)->known, 2);
    write_text(b->joined, text);
    input = b->joined;
    options.phrases = b->list;
    succeeds(b, psdvec_scorer_inputs(scorer, &options, &input, 1));
    assert_int_equal(psdvec_scorer_total(scorer)->words, 6);
    options.phrases = other;
    assert_int_equal(psdvec_scorer_inputs(scorer, &options, &input, 1), PSDVEC_ERR_MISMATCH);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "3 phrases of its own"));
    psdvec_scorer_close(scorer);

    psdvec_convert_options convert;
    psdvec_convert_options_default(&convert);
    convert.only_readout = true;
    convert.precision = PSDVEC_INT8;
    succeeds(b, psdvec_convert(b->ctx, &convert, path, small));
    succeeds(b, psdvec_model_open(b->ctx, small, &converted));
    assert_true(pv_phrase_lists_same(pv_model_phrases(model), pv_model_phrases(converted)));
    psdvec_model_close(converted);
    psdvec_model_close(model);
    free(path);
    free(other);
    free(small);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_longest_phrase_from_the_left_is_joined),
        TEST(phrases_end_with_sentences_and_documents),
        TEST(short_documents_are_skipped_by_words_not_phrases),
        TEST(words_of_a_list_are_normalised),
        TEST(icu_words_are_joined),
        TEST(a_list_without_phrases_is_refused),
        TEST(random_texts_are_joined_as_by_the_simple_implementation),
        TEST(scores_are_those_of_the_formulas),
        TEST(passes_find_longer_phrases_up_to_the_limit),
        TEST(pairs_do_not_cross_documents_and_sentences),
        TEST(connectors_occur_only_inside_phrases),
        TEST(a_joined_text_is_what_its_list_gives),
        TEST(stored_lists_are_checked),
        TEST(counts_files_store_phrases),
        TEST(phrases_can_be_found_during_counting),
        TEST(models_join_their_phrases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
