/* The token driver: the ends of documents for any division of the text into segments, and the calls
 * of sinks. */
#include "corpus/tokens.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

enum { SEGMENT = 512 << 10, FILES = 4 };

typedef struct bench {
    psdvec_context *ctx;
    psdvec_text_options options;
    char *folder;
    char *files[FILES];
    char *
        got; /* words, "." at ends of sentences, "/" and the last letter of the file name at ends of
              * documents */
    size_t length, room;
    size_t warnings;
    pv_token_sink sink;
    size_t stop_after; /* words; 0: does not stop */
    size_t raw, segments;
} bench;

static void note_message(void *user, psdvec_message_level level, const char *text)
{
    bench *b = user;
    (void)text;
    b->warnings += level == PSDVEC_WARNING;
}

static void put(bench *b, const char *text, size_t length)
{
    if (b->length + length + 1 > b->room) {
        b->room = 2 * (b->length + length + 1);
        b->got = realloc(b->got, b->room);
        assert_non_null(b->got);
    }
    memcpy(b->got + b->length, text, length);
    b->length += length;
    b->got[b->length] = '\0';
}

static psdvec_status take(void *user, const pv_token *tokens, size_t count)
{
    bench *b = user;
    assert_in_range(count, 1, PV_TOKEN_BATCH);
    assert_false(b->sink.done);
    for (size_t i = 0; i < count && !b->sink.done; i++) {
        const pv_token *t = &tokens[i];
        if (t->kind == PV_TOKEN_DOCUMENT_END) {
            put(b, "/", 1);
            put(b, t->text + strlen(t->text) - 1, 1);
        } else if (t->kind == PV_TOKEN_SENTENCE_END) {
            put(b, ".", 1);
        } else {
            b->raw += t->kind == PV_TOKEN_RAW;
            put(b, " ", b->length > 0);
            put(b, t->text, t->length);
            if (b->stop_after && --b->stop_after == 0)
                b->sink.done = true;
        }
    }
    return PSDVEC_OK;
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    psdvec_context_options options;
    assert_non_null(b);
    psdvec_context_options_default(&options);
    options.on_message = note_message;
    options.user = b;
    psdvec_text_options_default(&b->options);
    b->folder = scratch_new();
    b->sink = (pv_token_sink){.take = take, .user = b};
    *state = b;
    return psdvec_context_new(&options, &b->ctx) == PSDVEC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    scratch_free(b->folder);
    for (size_t i = 0; i < FILES; i++)
        free(b->files[i]);
    free(b->got);
    free(b);
    return used == 0 ? 0 : -1;
}

/* File number i, "a" to "d". */
static void make(bench *b, size_t i, const char *text, size_t length)
{
    char name[2] = {(char)('a' + i), '\0'};
    free(b->files[i]);
    b->files[i] = scratch_path(b->folder, name);
    scratch_write(b->files[i], text, length);
}

/* The tokens of the first `count` files as separate inputs, or of the folder if `count` is 0. */
static const char *read_files(bench *b, size_t count)
{
    const char *folder = b->folder;
    b->length = 0;
    put(b, "", 0);
    assert_int_equal(pv_tokens_of_inputs(b->ctx, &b->options, NULL,
                                         count ? (const char *const *)b->files : &folder,
                                         count ? count : 1, &b->sink),
                     PSDVEC_OK);
    return b->got;
}

/* `length` bytes: words, then dots, with a newline at the end of every 64 bytes. */
static char *dotted(const char *words, size_t length)
{
    char *text = malloc(length + 1);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        text[i] = i < strlen(words) ? words[i] : i % 64 == 63 ? '\n' : '-';
    return text;
}

/* ---- Documents ------------------------------------------------------------------------------- */

static void lines_without_words_are_documents_and_others_are_not(void **state)
{
    bench *b = *state;
    static const char text[] = "one two\n\n--\n\n\nthree\n--";
    make(b, 0, text, sizeof text - 1);
    assert_string_equal(read_files(b, 1), "one two/a/a/a/a/a three/a");
    b->options.document = PSDVEC_DOCUMENT_BLANK_LINE;
    assert_string_equal(read_files(b, 1), "one two/a three/a");
    b->options.document = PSDVEC_DOCUMENT_FILE;
    assert_string_equal(read_files(b, 1), "one two three/a");
}

static void documents_of_many_files_end_with_the_input(void **state)
{
    bench *b = *state;
    make(b, 0, "one\n", 4);
    make(b, 1, "two three.", 10);
    make(b, 2, "four", 4);
    make(b, 3, "", 0); /* the name is that of the last file with text */
    b->options.document = PSDVEC_DOCUMENT_NONE;
    assert_string_equal(read_files(b, 0), "one two three four/c");
    assert_string_equal(read_files(b, 4), "one/a two three/b four/c");
    make(b, 0, "--", 2);
    b->options.sentences = true;
    assert_string_equal(read_files(b, 0), "two three. four/c");
    assert_string_equal(read_files(b, 1), "");
}

/* The end of the file may be detected only after its last segment. */
static void a_file_ends_once_wherever_segments_end(void **state)
{
    bench *b = *state;
    b->options.document = PSDVEC_DOCUMENT_FILE;
    make(b, 1, "last", 4);
    for (size_t size = SEGMENT - 64; size <= 3 * SEGMENT; size += 64) {
        char *text = dotted("one two", size);
        make(b, 0, text, size);
        free(text);
        assert_string_equal(read_files(b, 2), "one two/a last/b");
        if (size > SEGMENT + 2048 && size < 2 * SEGMENT - 2048)
            size = 2 * SEGMENT - 2048;
        if (size > 2 * SEGMENT + 2048 && size < 3 * SEGMENT - 512)
            size = 3 * SEGMENT - 512;
    }
}

static void short_documents_end_without_words(void **state)
{
    bench *b = *state;
    static const char text[] = "one two. three four\n. ! five. six. \u00e9t\u00e9\n\nseven\n";
    make(b, 0, text, sizeof text - 1);
    b->options.min_document_words = 3;
    b->options.sentences = true;
    assert_string_equal(read_files(b, 1), "one two. three four/a five. six. \u00e9t\u00e9/a/a/a");
    b->options.min_length = 4; /* words that are too short do not count */
    assert_string_equal(read_files(b, 1), "/a/a/a/a");
}

/* As in counting, where a thread processes one segment. */
static void a_document_of_several_segments_is_never_too_short(void **state)
{
    bench *b = *state;
    char *text = dotted("one two ", 2 * SEGMENT);
    b->options.min_document_words = 5;
    b->options.document = PSDVEC_DOCUMENT_FILE;
    make(b, 0, text, 2 * SEGMENT);
    make(b, 1, text, SEGMENT / 2);
    assert_string_equal(read_files(b, 2), "one two/a/b");
    b->options.document = PSDVEC_DOCUMENT_NONE;
    make(b, 0, "one two", 7);
    make(b, 1, "three", 5);
    assert_string_equal(read_files(b, 0), "one two three/b");
    free(text);
}

/* A blank line must be detected even if a segment ends inside it or next to it. */
static void blank_lines_may_fall_on_the_end_of_a_segment(void **state)
{
    bench *b = *state;
    b->options.document = PSDVEC_DOCUMENT_BLANK_LINE;
    for (size_t at = SEGMENT - 8; at < SEGMENT + 3; at++) {
        for (int blank = 0; blank < 2; blank++) {
            char *text = malloc(2 * SEGMENT);
            assert_non_null(text);
            memset(text, '-', 2 * SEGMENT);
            memcpy(text, "one ", 4);
            memcpy(text + at, blank ? " \n \r\nb" : " \n b \n", 6);
            make(b, 0, text, 2 * SEGMENT);
            free(text);
            assert_string_equal(read_files(b, 1), blank ? "one/a b/a" : "one b/a");
        }
    }
}

/* ---- Divisions ------------------------------------------------------------------------------- */

static void text_is_divided_at_document_ends_if_possible(void **state)
{
    bench *b = *state;
    char text[] = "one\n\ntwo\nthree four";
    static const struct {
        psdvec_document document;
        pv_segment_kind kind;
        size_t cut;
        bool open;
    } cases[] = {
        {PSDVEC_DOCUMENT_LINE, PV_SEGMENT_TEXT, 9, false},
        {PSDVEC_DOCUMENT_FILE, PV_SEGMENT_TEXT, 9, true},
        {PSDVEC_DOCUMENT_NONE, PV_SEGMENT_TEXT, 9, true},
        {PSDVEC_DOCUMENT_BLANK_LINE, PV_SEGMENT_TEXT, 5, false},
        {PSDVEC_DOCUMENT_BLANK_LINE, PV_SEGMENT_JSON_LINES, 9, false},
        {PSDVEC_DOCUMENT_FILE, PV_SEGMENT_JSON_LINES, 9, true},
        {PSDVEC_DOCUMENT_LINE, PV_SEGMENT_WIKI_EXTRACTOR, 9, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool open;
        b->options.document = cases[i].document;
        char *cut = pv_document_cut(&b->options, cases[i].kind, text, sizeof text - 1, &open);
        assert_int_equal(cut - text, cases[i].cut);
        assert_int_equal(open, cases[i].open);
    }
    bool open;
    char article[] = "one\n</doc>\n<doc id=\"2\">\ntwo\n", line[] = "one two", word[] = "one";
    b->options.document = PSDVEC_DOCUMENT_LINE;
    assert_ptr_equal(
        pv_document_cut(&b->options, PV_SEGMENT_WIKI_EXTRACTOR, article, sizeof article - 1, &open),
        article + 11);
    assert_false(open);
    assert_ptr_equal(pv_document_cut(&b->options, PV_SEGMENT_TEXT, line, 7, &open), line + 4);
    assert_true(open);
    assert_null(pv_document_cut(&b->options, PV_SEGMENT_JSON_LINES, line, 7, &open));
    assert_null(pv_document_cut(&b->options, PV_SEGMENT_TEXT, word, 3, &open));
}

/* ---- Sinks ----------------------------------------------------------------------------------- */

static void a_sink_may_stop_anywhere(void **state)
{
    bench *b = *state;
    static const char text[] = "one two\nthree four\n";
    make(b, 0, text, sizeof text - 1);
    make(b, 1, text, sizeof text - 1);
    b->stop_after = 3;
    assert_string_equal(read_files(b, 2), "one two/a three");
}

static psdvec_status is_word(void *user, const pv_token *raw, bool *is)
{
    (void)user;
    *is = raw->length > 2;
    return PSDVEC_OK;
}

static psdvec_status count_segment(void *user, const pv_segment *segment)
{
    bench *b = user;
    assert_non_null(segment->text.data);
    b->segments++;
    return PSDVEC_OK;
}

static void a_sink_may_take_raw_words(void **state)
{
    bench *b = *state;
    static const char text[] = "one \u00e9t\u00e9 \u00e9\ntwo \u00e9 \u00e9\n";
    make(b, 0, text, sizeof text - 1);
    b->sink.is_word = is_word;
    b->sink.begin = count_segment;
    b->options.min_document_words = 2;
    b->options.min_length = 2; /* so that the driver has to check lengths */
    assert_string_equal(read_files(b, 1), "one \u00e9t\u00e9 \u00e9/a/a/a");
    assert_int_equal(b->raw, 2);
    assert_int_equal(b->segments, 1);
}

static void invalid_bytes_are_reported_once(void **state)
{
    bench *b = *state;
    char *text = dotted("one \xff two\xfe ", 2 * SEGMENT);
    text[2 * SEGMENT - 1] = '\xff';
    make(b, 0, text, 2 * SEGMENT);
    b->options.document = PSDVEC_DOCUMENT_FILE;
    assert_string_equal(read_files(b, 1), "one two/a");
    assert_int_equal(b->warnings, 1);
    free(text);
    b->options.strict = true;
    const char *input = b->files[0];
    assert_int_equal(pv_tokens_of_inputs(b->ctx, &b->options, NULL, &input, 1, &b->sink),
                     PSDVEC_ERR_UTF8);
    assert_int_equal(b->warnings, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lines_without_words_are_documents_and_others_are_not),
        TEST(documents_of_many_files_end_with_the_input),
        TEST(a_file_ends_once_wherever_segments_end),
        TEST(short_documents_end_without_words),
        TEST(a_document_of_several_segments_is_never_too_short),
        TEST(blank_lines_may_fall_on_the_end_of_a_segment),
        TEST(text_is_divided_at_document_ends_if_possible),
        TEST(a_sink_may_stop_anywhere),
        TEST(a_sink_may_take_raw_words),
        TEST(invalid_bytes_are_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
