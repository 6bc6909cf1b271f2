/* The fast counter against the reference counter of tests/support, on random texts with random
 * options: every word, frequency, pair and margin must agree, and the bytes of the file must not
 * depend on threads, memory or the order of inputs. */
#include "base/context.h"
#include "corpus/icu_words.h"
#include "support/reference_counter.h"
#include "support/rounds.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_TEXTS = 8, MOST_WORDS = 64 };
static const uint64_t plenty = UINT64_C(1) << 30;

/* ---- Texts ----------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes;
    size_t length, capacity;
} text;

static void put(text *t, const char *bytes, size_t length)
{
    if (t->capacity - t->length < length) {
        t->capacity = 2 * t->capacity + length + 4096;
        t->bytes = realloc(t->bytes, t->capacity);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
}

static void put_text(text *t, const char *string)
{
    put(t, string, strlen(string));
}

/* The spelling of word `number`: most in ASCII, some in other scripts, some with combining marks,
 * some longer than the word table stores inline. */
static void put_word(text *t, size_t number)
{
    static const char *const letters[] = {
        "\u00e9", "\u00c9",     "e\u0301", "\u0436", "\u0416",       "\u4e2d", "\u00df", "\u0130",
        "\u03c2", "\U00010400", "\u0e01",  "\u3042", "\u0905\u093f", "\uac00", "\u00f8"};
    dice d = {number * 77 + 5};
    bool ascii = dice_percent(&d, 80), capital = dice_percent(&d, 15);
    char name[64];
    size_t length = 0;
    for (size_t n = number + 1; n > 0; n /= 26)
        name[length++] = (char)((capital ? 'A' : 'a') + n % 26);
    if (dice_percent(&d, 10))
        while (length < 20 + dice_below(&d, 20))
            name[length++] = (char)('a' + dice_below(&d, 26));
    put(t, name, length);
    if (!ascii)
        put_text(t, letters[dice_below(&d, sizeof letters / sizeof letters[0])]);
}

typedef struct recipe {
    size_t bytes;      /* approximate length */
    size_t words;      /* size of the vocabulary */
    bool wild;         /* invalid UTF-8, zero bytes, unusual punctuation */
    unsigned newlines; /* percentage of the gaps that end a line */
} recipe;

static void put_gap(text *t, dice *d, const recipe *r)
{
    static const char *const gaps[] = {", ",      ". ",   "! ", "?\" ", " - ", "-",      "'",
                                       "\u2019",  " (",   ") ", "\t",   "  ",  "\u00a0", "\u3002",
                                       "\u2026 ", " 42 ", "7",  "...",  "_",   "\u00ad"};
    static const char *const ends[] = {"\n",   "\n",       "\n",        "\r\n",   ".\n",
                                       "\n\n", "\r\n\r\n", "\n \t\r\n", "\n\n\n", "!\"\r\n"};
    static const char *const bad[] = {"\xff",     "\xc3",         "\xe2\x82", "\xf0\x9f\x98",
                                      "\xc0\xaf", "\xed\xa0\x80", "\x80",     "\xf5"};
    if (dice_percent(d, r->newlines))
        put_text(t, ends[dice_below(d, sizeof ends / sizeof ends[0])]);
    else if (r->wild && dice_percent(d, 1))
        put_text(t, bad[dice_below(d, sizeof bad / sizeof bad[0])]);
    else if (r->wild && dice_below(d, 500) == 0)
        put(t, "\0", 1);
    else if (dice_percent(d, 20))
        put_text(t, gaps[dice_below(d, sizeof gaps / sizeof gaps[0])]);
    else
        put_text(t, " ");
}

/* Word frequencies approximately follow Zipf's law: the logarithm of the rank is uniform. */
static void fill_text(text *t, dice *d, const recipe *r)
{
    size_t log2_words = 0;
    while ((size_t)2 << log2_words <= r->words)
        log2_words++;
    t->length = 0;
    while (t->length < r->bytes) {
        size_t rank = 1;
        for (size_t doublings = dice_below(d, log2_words + 1); doublings > 0; doublings--)
            rank *= 2;
        put_word(t, dice_below(d, rank));
        put_gap(t, d, r);
    }
}

/* ---- One case -------------------------------------------------------------------------------- */

typedef struct bench {
    char *folder;
    text texts[MOST_TEXTS];
    char *paths[MOST_TEXTS];
    size_t count;
    char *list[MOST_WORDS]; /* words for keep and fixed lists */
    uint64_t list_frequency[MOST_WORDS];
    size_t list_count;
    psdvec_count_report report;
    char *output;
} bench;

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->folder = scratch_new();
    b->output = scratch_path(b->folder, "out.counts");
    for (size_t i = 0; i < MOST_TEXTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "text%zu", i);
        b->paths[i] = scratch_path(b->folder, name);
    }
    *state = b;
    return 0;
}

static void forget_list(bench *b)
{
    for (size_t i = 0; i < b->list_count; i++)
        free(b->list[i]);
    b->list_count = 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    forget_list(b);
    for (size_t i = 0; i < MOST_TEXTS; i++) {
        free(b->texts[i].bytes);
        free(b->paths[i]);
    }
    free(b->output);
    scratch_free(b->folder);
    free(b);
    return 0;
}

static void write_texts(bench *b)
{
    for (size_t i = 0; i < b->count; i++)
        scratch_write(b->paths[i], b->texts[i].bytes, b->texts[i].length);
}

static psdvec_status run(bench *b, const psdvec_count_options *o, const char *const *inputs,
                         size_t count, int threads, uint64_t memory, char *message, size_t room)
{
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = threads;
    options.memory = memory;
    psdvec_context *ctx;
    assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
    psdvec_status status = psdvec_count(ctx, o, inputs, count, b->output, &b->report);
    snprintf(message, room, "%s", psdvec_error_message(ctx));
    if (status == PSDVEC_OK)
        assert_true(psdvec_peak_memory(ctx) <= memory);
    if (atomic_load(&ctx->memory_used) != 0)
        fail_msg("%llu bytes were not given back",
                 (unsigned long long)atomic_load(&ctx->memory_used));
    psdvec_context_free(ctx);
    return status;
}

/* Counts and returns the bytes of the file; NULL if there was nothing to count. */
static char *count(bench *b, const psdvec_count_options *o, const char *const *inputs,
                   size_t input_count, int threads, uint64_t memory, size_t *length)
{
    char message[512];
    unlink(b->output);
    psdvec_status status = run(b, o, inputs, input_count, threads, memory, message, sizeof message);
    if (status == PSDVEC_ERR_EMPTY)
        return NULL;
    if (status != PSDVEC_OK)
        fail_msg("%d threads, %llu bytes: %s", threads, (unsigned long long)memory, message);
    return scratch_read(b->output, length);
}

/* Compares the file at b->output with the reference counter. */
static void compare(bench *b, const psdvec_count_options *o, const ref_text *texts, size_t count,
                    const char *what)
{
    psdvec_context *ctx;
    psdvec_counts *counts;
    ref_counts expected;
    ref_list list = {.words = (const char *const *)b->list,
                     .frequencies = b->list_frequency[0] ? b->list_frequency : NULL,
                     .count = b->list_count};
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    assert_int_equal(ref_count(ctx, o, o->vocab_file ? &list : NULL, texts, count, &expected),
                     PSDVEC_OK);
    if (psdvec_counts_open(ctx, b->output, &counts) != PSDVEC_OK ||
        psdvec_counts_verify(ctx, counts) != PSDVEC_OK)
        fail_msg("%s: %s", what, psdvec_error_message(ctx));
    const char *difference = ref_difference(&expected, counts);
    if (difference)
        fail_msg("%s: %s", what, difference);
    psdvec_counts_close(counts);
    if (b->report.tokens != expected.tokens || b->report.documents != expected.documents ||
        b->report.known_tokens != expected.known_tokens ||
        b->report.words != expected.vocabulary_count || b->report.bigrams != expected.pair_count ||
        (o->text.min_document_words <= 1 && b->report.distinct_words != expected.distinct))
        fail_msg("%s: the report disagrees: %llu tokens (%llu), %llu distinct words (%llu)", what,
                 (unsigned long long)b->report.tokens, (unsigned long long)expected.tokens,
                 (unsigned long long)b->report.distinct_words,
                 (unsigned long long)expected.distinct);
    ref_free(&expected);
    psdvec_context_free(ctx);
}

static void describe(const psdvec_count_options *o, size_t number, char *out, size_t room)
{
    const psdvec_text_options *t = &o->text;
    snprintf(out, room,
             "case %zu: tokenizer %d case %d accents %d digits %d inner %d %d length %u-%u "
             "document %d sentences %d least %u window %u distance %d oov %d subsample %g "
             "min %llu max %u list %d keep %zu",
             number, t->tokenizer, t->letter_case, t->accents, t->digits, t->apostrophes,
             t->hyphens, t->min_length, t->max_length, t->document, t->sentences,
             t->min_document_words, o->window, o->distance, o->oov, o->subsample,
             (unsigned long long)o->min_count, o->max_vocab, o->vocab_file != NULL,
             o->keep_words_count);
}

static void random_options(dice *d, psdvec_count_options *o)
{
    static const uint32_t windows[] = {1, 2, 3, 5, 5, 10, 16, 17, 40, 1000};
    static const double subsamples[] = {0, 0, 0, 1e-2, 1e-3, 1e-5, 1e-9};
    psdvec_count_options_default(o);
    psdvec_text_options *t = &o->text;
    t->tokenizer = (psdvec_tokenizer)dice_below(d, pv_icu_available() ? 4 : 3);
    if (dice_percent(d, 40))
        t->tokenizer = PSDVEC_TOKENIZER_WORDS;
    t->letter_case = (psdvec_case)dice_below(d, 3);
    t->accents = dice_percent(d, 25) ? PSDVEC_ACCENTS_STRIP : PSDVEC_ACCENTS_KEEP;
    t->digits = (psdvec_digits)dice_below(d, 3);
    t->apostrophes = (psdvec_inner)dice_below(d, 2);
    t->hyphens = (psdvec_inner)dice_below(d, 2);
    t->min_length = dice_percent(d, 20) ? 1 + (uint32_t)dice_below(d, 3) : 1;
    t->max_length = dice_percent(d, 20) ? 3 + (uint32_t)dice_below(d, 20) : 0;
    t->document = (psdvec_document)dice_below(d, 4);
    /* Sentence ends in text that is already tokenised are tested with the tokeniser. */
    t->sentences = dice_percent(d, 30);
    t->min_document_words = dice_percent(d, 20) ? 1 + (uint32_t)dice_below(d, 8) : 1;
    o->window = windows[dice_below(d, sizeof windows / sizeof windows[0])];
    o->distance = (psdvec_distance)dice_below(d, 3);
    o->oov = (psdvec_oov)dice_below(d, 2);
    o->subsample = subsamples[dice_below(d, sizeof subsamples / sizeof subsamples[0])];
    o->min_count = 1 + dice_below(d, 5);
    o->max_vocab = dice_percent(d, 25) ? 1 + (uint32_t)dice_below(d, 200) : 0;
}

/* A list of words, some of which are in the text; sometimes with frequencies. */
static void random_list(bench *b, dice *d)
{
    forget_list(b);
    bool frequencies = dice_percent(d, 50);
    size_t wanted = 1 + dice_below(d, MOST_WORDS);
    for (size_t i = 0; i < wanted; i++) {
        text word = {0};
        put_word(&word, i * 3);
        put(&word, "", 1);
        b->list[b->list_count] = word.bytes;
        b->list_frequency[b->list_count++] = frequencies ? 1 + dice_below(d, 1000) : 0;
    }
}

static char *write_list(bench *b, dice *d)
{
    text file = {0};
    for (size_t i = 0; i < b->list_count; i++) {
        char frequency[32] = "";
        if (b->list_frequency[0])
            snprintf(frequency, sizeof frequency, " %llu",
                     (unsigned long long)b->list_frequency[i]);
        put_text(&file, b->list[i]);
        put_text(&file, frequency);
        put_text(&file, dice_percent(d, 10) ? "\r\n" : "\n");
    }
    char *path = scratch_path(b->folder, "list");
    scratch_write(path, file.bytes, file.length);
    free(file.bytes);
    return path;
}

static void shuffle(dice *d, const char **list, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t k = dice_below(d, i);
        const char *swap = list[i - 1];
        list[i - 1] = list[k];
        list[k] = swap;
    }
}

static void random_case(bench *b, size_t number)
{
    dice d = {number};
    psdvec_count_options o;
    random_options(&d, &o);
    recipe r = {.bytes = dice_below(&d, 20000),
                .words = 2 + dice_below(&d, 400),
                .wild = dice_percent(&d, 50),
                .newlines = (unsigned)dice_below(&d, 20)};
    ref_text texts[MOST_TEXTS];
    b->count = 1 + dice_below(&d, 4);
    for (size_t i = 0; i < b->count; i++) {
        r.bytes = dice_percent(&d, 5) ? 0 : dice_below(&d, 20000);
        fill_text(&b->texts[i], &d, &r);
        texts[i] = (ref_text){b->texts[i].bytes, b->texts[i].length, i};
    }
    write_texts(b);
    random_list(b, &d);
    char *list = NULL;
    if (dice_percent(&d, 25)) {
        o.vocab_file = list = write_list(b, &d);
        o.max_vocab = 0;
    } else if (dice_percent(&d, 25)) {
        o.keep_words = (const char *const *)b->list;
        o.keep_words_count = b->list_count;
    }
    char what[512];
    describe(&o, number, what, sizeof what);

    const char *inputs[MOST_TEXTS];
    for (size_t i = 0; i < b->count; i++)
        inputs[i] = b->paths[i];
    size_t length = 0, other_length = 0;
    char *first = count(b, &o, inputs, b->count, 1, plenty, &length);
    if (first)
        compare(b, &o, texts, b->count, what);
    static const int threads[] = {2, 5};
    for (size_t i = 0; i < 2; i++) {
        shuffle(&d, inputs, b->count);
        char *other = count(b, &o, inputs, b->count, threads[i], plenty, &other_length);
        if ((other == NULL) != (first == NULL) ||
            (first && (length != other_length || memcmp(first, other, length) != 0)))
            fail_msg("%s: other bytes with %d threads and another order", what, threads[i]);
        free(other);
    }
    free(first);
    free(list);
}

static void random_texts_and_options_count_like_the_reference(void **state)
{
    for (size_t number = 1, last = rounds(150, 30); number <= last; number++)
        random_case(*state, number);
}

/* ---- Large texts, little memory -------------------------------------------------------------- */

/* The smallest sufficient budget of a series. Smaller ones must fail with a message and leave no
 * files. */
static uint64_t smallest_budget(bench *b, const psdvec_count_options *o, const char *const *inputs,
                                size_t count, int threads)
{
    for (uint64_t budget = 1 << 20; budget < plenty; budget += budget / 4) {
        char message[512];
        unlink(b->output);
        size_t before = scratch_entries(b->folder);
        psdvec_status status = run(b, o, inputs, count, threads, budget, message, sizeof message);
        if (status == PSDVEC_OK)
            return budget;
        if (status != PSDVEC_ERR_BUDGET)
            fail_msg("%llu bytes: %s: %s", (unsigned long long)budget, psdvec_status_name(status),
                     message);
        assert_non_null(strstr(message, "memory"));
        assert_int_equal(scratch_entries(b->folder), before);
    }
    fail_msg("no budget is enough");
    return 0;
}

/* Combines 1, 2 and 5 threads with three budgets: ample, slightly more than the minimum, the
 * minimum. */
static void count_in_any_memory(bench *b, const psdvec_count_options *o, const char *what)
{
    ref_text texts[MOST_TEXTS];
    const char *inputs[MOST_TEXTS];
    for (size_t i = 0; i < b->count; i++) {
        texts[i] = (ref_text){b->texts[i].bytes, b->texts[i].length, i};
        inputs[i] = b->paths[i];
    }
    write_texts(b);
    size_t length, other_length;
    char *first = count(b, o, inputs, b->count, 1, plenty, &length);
    assert_non_null(first);
    assert_int_equal(b->report.runs, 1);
    compare(b, o, texts, b->count, what);
    static const int threads[] = {1, 2, 5};
    dice d = {length};
    for (size_t t = 3 - rounds(3, 1); t < 3; t++) {
        uint64_t least = smallest_budget(b, o, inputs, b->count, threads[t]);
        print_message("%s, %d threads: %.1f MiB are enough, %llu runs, %.1f MiB spilled\n", what,
                      threads[t], (double)least / 1048576, (unsigned long long)b->report.runs,
                      (double)b->report.spilled_bytes / 1048576);
        assert_true(b->report.runs > 1);
        assert_true(b->report.spilled_bytes > 0);
        const uint64_t budgets[] = {least, least + least / 3, 3 * least, plenty};
        for (size_t m = 0; m < 4; m++) {
            shuffle(&d, inputs, b->count);
            char *other = count(b, o, inputs, b->count, threads[t], budgets[m], &other_length);
            if (!other || length != other_length || memcmp(first, other, length) != 0)
                fail_msg("%s: other bytes with %d threads and %llu bytes of memory", what,
                         threads[t], (unsigned long long)budgets[m]);
            free(other);
        }
    }
    free(first);
}

static void many_runs_give_the_same_bytes(void **state)
{
    bench *b = *state;
    dice d = {1001};
    recipe r = {.bytes = 2500000, .words = 3000, .newlines = 5};
    b->count = 3;
    for (size_t i = 0; i < b->count; i++)
        fill_text(&b->texts[i], &d, &r);
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.distance = PSDVEC_DISTANCE_HARMONIC;
    o.text.document = PSDVEC_DOCUMENT_FILE;
    count_in_any_memory(b, &o, "many runs");
}

static void many_generations_of_words_give_the_same_bytes(void **state)
{
    bench *b = *state;
    dice d = {1002};
    recipe r = {.bytes = 1500000, .words = 400000, .newlines = 10, .wild = true};
    b->count = 3;
    for (size_t i = 0; i < b->count; i++)
        fill_text(&b->texts[i], &d, &r);
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 2;
    o.window = 3;
    o.subsample = 1e-4;
    o.distance = PSDVEC_DISTANCE_LINEAR;
    o.oov = PSDVEC_OOV_DROP;
    o.text.min_document_words = 3;
    count_in_any_memory(b, &o, "many generations");
}

/* ---- Segment boundaries: files of more than half a megabyte ---------------------------------- */

static void compare_one_file(bench *b, const psdvec_count_options *o, const char *what)
{
    b->count = 1;
    write_texts(b);
    ref_text whole = {b->texts[0].bytes, b->texts[0].length, 0};
    const char *inputs[] = {b->paths[0]};
    size_t length, other_length;
    char *first = count(b, o, inputs, 1, 1, plenty, &length);
    assert_non_null(first);
    compare(b, o, &whole, 1, what);
    char *other = count(b, o, inputs, 1, 5, plenty, &other_length);
    assert_int_equal(length, other_length);
    assert_memory_equal(first, other, length);
    free(first);
    free(other);
}

static void every_document_rule_holds_across_segments(void **state)
{
    bench *b = *state;
    dice d = {2001};
    recipe r = {.bytes = 1800000, .words = 300, .newlines = 8, .wild = true};
    fill_text(&b->texts[0], &d, &r);
    for (int rule = 0; rule < 4; rule++) {
        for (int sentences = 0; sentences < 2; sentences++) {
            psdvec_count_options o;
            psdvec_count_options_default(&o);
            o.window = 10;
            o.min_count = 1;
            o.text.document = (psdvec_document)rule;
            o.text.sentences = sentences;
            char what[64];
            snprintf(what, sizeof what, "document rule %d, sentences %d", rule, sentences);
            compare_one_file(b, &o, what);
        }
    }
}

static void a_line_of_three_megabytes_is_one_document(void **state)
{
    bench *b = *state;
    for (int sentences = 0; sentences < 2; sentences++) {
        dice d = {2002};
        recipe r = {.bytes = 3000000, .words = 200};
        fill_text(&b->texts[0], &d, &r);
        put_text(&b->texts[0], "\nshort line\n");
        psdvec_count_options o;
        psdvec_count_options_default(&o);
        o.min_count = 1;
        o.text.sentences = sentences;
        compare_one_file(b, &o, sentences ? "long line, sentences" : "long line");
    }
}

static void a_paragraph_larger_than_a_segment_is_one_document(void **state)
{
    bench *b = *state;
    dice d = {2003};
    text *t = &b->texts[0];
    while (t->length < 1700000) { /* no blank line, CRLF */
        put_word(t, dice_below(&d, 100));
        put_text(t, dice_percent(&d, 10) ? "\r\n" : " ");
    }
    put_text(t, "\r\n\r\n");
    for (int i = 0; i < 1000; i++) {
        put_word(t, dice_below(&d, 100));
        put_text(t, dice_percent(&d, 10) ? " \r\n\t\r\n" : "\n");
    }
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.window = 20;
    o.text.document = PSDVEC_DOCUMENT_BLANK_LINE;
    compare_one_file(b, &o, "large paragraph");
}

/* Lines of all lengths around the size of a segment, so that line ends, carriage returns and spaces
 * occur at every position where a segment may be cut. */
static void line_ends_may_fall_on_the_end_of_a_segment(void **state)
{
    bench *b = *state;
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.text.document = PSDVEC_DOCUMENT_BLANK_LINE;
    static const char *const ends[] = {"\r\nnext line\r\n", "  \nnext line\n", ".\nNext line\n"};
    for (size_t e = 0; e < 3; e++) {
        for (size_t length = (512 << 10) - 3; length <= (512 << 10) + 1; length++) {
            text *t = &b->texts[0];
            t->length = 0;
            while (t->length + 10 < length)
                put_text(t, "aaa bbbbb ");
            while (t->length < length)
                put_text(t, "c");
            put_text(t, ends[e]);
            put_text(t, "\nnew paragraph\n");
            while (t->length < 1200000)
                put_text(t, "and so on\n");
            char what[64];
            snprintf(what, sizeof what, "line end %zu at %zu", e, length);
            compare_one_file(b, &o, what);
        }
    }
}

static void windows_cross_files_of_one_folder_with_document_none(void **state)
{
    bench *b = *state;
    dice d = {2004};
    recipe r = {.bytes = 700000, .words = 50, .newlines = 5};
    char *folder = scratch_path(b->folder, "folder");
    assert_int_equal(mkdir(folder, 0777), 0);
    ref_text texts[4];
    for (size_t i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "folder/%zu", i);
        free(b->paths[i]);
        b->paths[i] = scratch_path(b->folder, name);
        fill_text(&b->texts[i], &d, &r); /* with and without a final newline */
        put_text(&b->texts[i], i % 2 ? "end" : "end\n");
        texts[i] = (ref_text){b->texts[i].bytes, b->texts[i].length, 0};
    }
    b->count = 4;
    write_texts(b);
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.window = 7;
    o.text.document = PSDVEC_DOCUMENT_NONE;
    const char *inputs[] = {folder};
    size_t length;
    free(count(b, &o, inputs, 1, 3, plenty, &length));
    compare(b, &o, texts, 4, "document none");
    free(folder);
}

/* ---- Rules that affect several segments or files --------------------------------------------- */

/* Writes the texts and counts them as separate inputs or as one folder. */
static void compare_texts(bench *b, const psdvec_count_options *o, const char *const *contents,
                          const size_t *input_of, size_t count_texts, const char *what)
{
    const char *inputs[MOST_TEXTS] = {NULL};
    ref_text texts[MOST_TEXTS];
    char *paths[MOST_TEXTS], *files[MOST_TEXTS];
    size_t input_count = 0;
    for (size_t i = 0; i < count_texts; i++) {
        char name[64];
        snprintf(name, sizeof name, "input%zu", input_of[i]);
        paths[i] = scratch_path(b->folder, name);
        if (i == 0 || input_of[i] != input_of[i - 1]) {
            mkdir(paths[i], 0777);
            inputs[input_count++] = paths[i];
        }
        snprintf(name, sizeof name, "input%zu/%zu", input_of[i], i);
        files[i] = scratch_path(b->folder, name);
        scratch_write(files[i], contents[i], strlen(contents[i]));
        texts[i] = (ref_text){contents[i], strlen(contents[i]), input_of[i]};
    }
    size_t length;
    char *bytes = count(b, o, inputs, input_count, 1, plenty, &length);
    assert_non_null(bytes);
    compare(b, o, texts, count_texts, what);
    free(bytes);
    for (size_t i = 0; i < count_texts; i++) {
        free(paths[i]);
        free(files[i]);
    }
}

static void windows_never_cross_inputs_even_after_an_empty_file(void **state)
{
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.text.document = PSDVEC_DOCUMENT_NONE;
    compare_texts(*state, &o, (const char *const[]){"one two\n", "", "three four\n"},
                  (const size_t[]){0, 1, 1}, 3, "an empty file first in a folder");
}

static void a_document_whose_first_file_has_no_words_is_still_one(void **state)
{
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.text.document = PSDVEC_DOCUMENT_NONE;
    compare_texts(*state, &o, (const char *const[]){"...\n", "three four\n"},
                  (const size_t[]){0, 0}, 2, "only signs in the first file of a folder");
}

static void a_sentence_ends_at_the_end_of_a_file(void **state)
{
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.text.document = PSDVEC_DOCUMENT_NONE;
    o.text.sentences = true;
    bench *b = *state;
    static const char *const contents[] = {"one two.", "three four.\n"};
    ref_text joined = {"one two.\nthree four.\n", 21, 0};
    char *folder = scratch_path(b->folder, "two");
    assert_int_equal(mkdir(folder, 0777), 0);
    for (int i = 0; i < 2; i++) {
        char *path = scratch_path(folder, i ? "b" : "a");
        scratch_write(path, contents[i], strlen(contents[i]));
        free(path);
    }
    const char *inputs[] = {folder};
    size_t length;
    free(count(b, &o, inputs, 1, 1, plenty, &length));
    compare(b, &o, &joined, 1, "a full stop at the end of a file");
    free(folder);
}

static void a_document_that_begins_with_a_segment_without_words_is_still_one(void **state)
{
    bench *b = *state;
    text *t = &b->texts[0];
    while (t->length < 1200000)
        put_text(t, ". . . . . . . .\n");
    put_text(t, "three four\n");
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.text.document = PSDVEC_DOCUMENT_FILE;
    compare_one_file(b, &o, "a megabyte of dots");
}

static void a_document_of_several_segments_is_never_too_short(void **state)
{
    bench *b = *state;
    text *t = &b->texts[0];
    put_text(t, "the cat sat on the mat\n"); /* its first segment has only these words */
    while (t->length < 1200000)
        put_text(t, "- - - - - - - - - - -\n");
    for (int i = 0; i < 200; i++)
        put_text(t, "the cat sat on the mat\n");
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.text.document = PSDVEC_DOCUMENT_FILE;
    o.text.min_document_words = 1000; /* it has 1,206 */
    compare_one_file(b, &o, "long enough as a whole");
}

static void more_words_than_can_be_asked_of_a_document_are_refused(void **state)
{
    bench *b = *state;
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.text.min_document_words = 1001;
    put_text(&b->texts[0], "the cat sat on the mat\n");
    b->count = 1;
    write_texts(b);
    const char *inputs[] = {b->paths[0]};
    char message[512];
    assert_int_equal(run(b, &o, inputs, 1, 1, plenty, message, sizeof message), PSDVEC_ERR_OPTION);
}

static void sentences_do_not_end_paragraphs(void **state)
{
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.text.document = PSDVEC_DOCUMENT_BLANK_LINE;
    o.text.sentences = true;
    compare_texts(*state, &o, (const char *const[]){"One two.\nThree four. \nFive\n\nSix.\n"},
                  (const size_t[]){0}, 1, "full stops at line ends");
}

static void words_of_dropped_documents_are_not_among_the_distinct_ones(void **state)
{
    bench *b = *state;
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.text.min_document_words = 2;
    b->count = 1;
    put_text(&b->texts[0], "one two\nthree\n");
    write_texts(b);
    const char *inputs[] = {b->paths[0]};
    size_t length;
    free(count(b, &o, inputs, 1, 1, plenty, &length));
    assert_int_equal(b->report.tokens, 2);
    assert_int_equal(b->report.distinct_words, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(random_texts_and_options_count_like_the_reference),
        TEST(many_runs_give_the_same_bytes),
        TEST(many_generations_of_words_give_the_same_bytes),
        TEST(every_document_rule_holds_across_segments),
        TEST(a_line_of_three_megabytes_is_one_document),
        TEST(a_paragraph_larger_than_a_segment_is_one_document),
        TEST(line_ends_may_fall_on_the_end_of_a_segment),
        TEST(windows_cross_files_of_one_folder_with_document_none),
        TEST(windows_never_cross_inputs_even_after_an_empty_file),
        TEST(a_document_whose_first_file_has_no_words_is_still_one),
        TEST(a_sentence_ends_at_the_end_of_a_file),
        TEST(a_document_that_begins_with_a_segment_without_words_is_still_one),
        TEST(a_document_of_several_segments_is_never_too_short),
        TEST(more_words_than_can_be_asked_of_a_document_are_refused),
        TEST(sentences_do_not_end_paragraphs),
        TEST(words_of_dropped_documents_are_not_among_the_distinct_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
