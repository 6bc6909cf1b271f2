/* The tokeniser: a test for every rule, and the fast path against simple implementations. */
#include "base/context.h"
#include "corpus/icu_words.h"
#include "corpus/tokens.h"
#include "support/scratch.h"
#include "util/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

static psdvec_context *ctx;
static psdvec_text_options options; /* of the current test */

static int set_up(void **state)
{
    (void)state;
    psdvec_text_options_default(&options);
    return psdvec_context_new(NULL, &ctx) == PSDVEC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    uint64_t used = atomic_load(&ctx->memory_used);
    psdvec_context_free(ctx);
    return used == 0 ? 0 : -1;
}

typedef struct line {
    char *text; /* tokens separated by bars, / at ends */
    size_t length;
} line;

static void take(void *user, const char *word, size_t length)
{
    line *l = user;
    l->text = realloc(l->text, l->length + length + 3);
    assert_non_null(l->text);
    if (l->length && l->text[l->length - 1] != '/' && word)
        l->text[l->length++] = ' ';
    if (word) {
        assert_true(length > 0);
        memcpy(l->text + l->length, word, length);
        l->length += length;
    } else {
        l->text[l->length++] = '/';
    }
    l->text[l->length] = '\0';
}

/* Removes repeated ends, and ends at the beginning or end of the line. */
static char *canonical(char *text)
{
    size_t used = 0;
    for (const char *c = text; *c; c++)
        if (*c != '/' || (used > 0 && text[used - 1] != '/'))
            text[used++] = *c;
    while (used > 0 && text[used - 1] == '/')
        used--;
    text[used] = '\0';
    return text;
}

/* The tokens of `length` bytes, on one line. */
static char *tokens_of(const char *text, size_t length)
{
    line l = {0};
    psdvec_status status = psdvec_tokenize(ctx, &options, text, length, take, &l);
    if (status != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(ctx));
    return l.text ? canonical(l.text) : calloc(1, 1);
}

static void gives(const char *text, const char *expected)
{
    char *tokens = tokens_of(text, strlen(text)), *wanted = strdup(expected);
    assert_non_null(wanted);
    assert_string_equal(tokens, canonical(wanted));
    free(tokens);
    free(wanted);
}

/* ---- words: definition of a word ------------------------------------------------------------- */

static void words_are_letters_and_marks(void **state)
{
    (void)state;
    gives("The cat, the dog; (a bird)!", "the cat the dog a bird");
    gives("na\u00efve \u0416\u0443\u043a \u4e2d\u6587 \u0939\u093f\u0928\u094d\u0926\u0940",
          "na\u00efve \u0436\u0443\u043a \u4e2d\u6587 \u0939\u093f\u0928\u094d\u0926\u0940");
    gives("a_b c@d e/f g|h", "a b c d e f g h");
    gives("", "");
    gives(" \t\r .,;", "");
}

static void a_mark_without_a_letter_begins_no_word(void **state)
{
    (void)state;
    gives("\u0301 \u0301a", "a");
}

static void apostrophes_join_letters_only(void **state)
{
    (void)state;
    gives("Don't rock'n'roll", "don't rock'n'roll");
    gives("'quoted' dogs' 'tis o''clock", "quoted dogs tis o clock");
    gives("don\u2019t don\u02bct don\uff07t", "don't don't don't");
    gives("l'\u00e9t\u00e9", "l'\u00e9t\u00e9");
    options.apostrophes = PSDVEC_INNER_SPLIT;
    gives("Don't don\u2019t", "don t don t");
}

static void hyphens_split_unless_told_to_join(void **state)
{
    (void)state;
    gives("well-known", "well known");
    options.hyphens = PSDVEC_INNER_JOIN;
    gives("well-known -a b- c--d e\u2010f g\u2011h i\uff0dj", "well-known a b c d e-f g-h i-j");
}

static void underscores_split_unless_told_to_join(void **state)
{
    (void)state;
    gives("new_york", "new york");
    options.underscores = PSDVEC_INNER_JOIN;
    gives("New_York _a b_ c__d e\uff3ff S\u00e3o_Paulo x_1 New_York_City",
          "new_york a b c d e_f s\u00e3o_paulo x new_york_city");
    options.digits = PSDVEC_DIGITS_KEEP;
    gives("x_1 1_2", "x_1 1_2");
}

static void the_soft_hyphen_vanishes_inside_a_word(void **state)
{
    (void)state;
    gives("hy\u00adphen\u00adation \u00adab cd\u00ad", "hyphenation ab cd");
}

static void joiners_stay_inside_a_word(void **state)
{
    (void)state;
    gives("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
          "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645");
    gives("\u200cab\u200d cd\u200c", "ab cd");
}

static void digits_separate_unless_kept(void **state)
{
    (void)state;
    gives("mp3 2nd 1984 x1y", "mp nd x y");
    options.digits = PSDVEC_DIGITS_KEEP;
    gives("mp3 2nd 1984 x1y \u0663\u0664", "mp3 2nd 1984 x1y \u0663\u0664");
    options.digits = PSDVEC_DIGITS_ZERO;
    gives("mp3 2nd 1984 x1y \u0663\u0664", "mp0 0nd 0000 x0y 00");
    options.digits = PSDVEC_DIGITS_MIXED;
    gives("mp3 2nd 1984 x1y \u0663\u0664", "mp3 2nd x1y");
    gives("H2O, B2B covid19; \u00e92 3.14 1,000", "h2o b2b covid19 \u00e92");
    gives("covid-19 1939-45", "covid");
    options.hyphens = PSDVEC_INNER_JOIN;
    gives("covid-19 1939-45 7-a", "covid-19 7-a");
}

/* ---- words: case, accents, length ------------------------------------------------------------ */

static void case_is_folded_by_unicode(void **state)
{
    (void)state;
    gives("STRASSE Stra\u00dfe \u1e9e", "strasse strasse ss");
    gives("\u039f\u03b4\u03bf\u03c2 \u039f\u0394\u039f\u03a3",
          "\u03bf\u03b4\u03bf\u03c3 \u03bf\u03b4\u03bf\u03c3");
    gives("\u0130I", "i\u0307i");
    gives("\u00c9COLE \ufb01n", "\u00e9cole fin");
    options.letter_case = PSDVEC_CASE_KEEP;
    gives("STRASSE Stra\u00dfe \u00c9cole", "STRASSE Stra\u00dfe \u00c9cole");
}

static void composed_and_decomposed_are_one_word(void **state)
{
    (void)state;
    gives("caf\u00e9 cafe\u0301 CAFE\u0301", "caf\u00e9 caf\u00e9 caf\u00e9");
    gives("\uac00 \u1100\u1161", "\uac00 \uac00");
    options.letter_case = PSDVEC_CASE_KEEP;
    gives("\u00c9 E\u0301", "\u00c9 \u00c9");
}

/* The driver relies on this when it counts words before they are normalised. */
static void letters_and_digits_never_vanish(void **state)
{
    (void)state;
    pv_text_rules *rules = malloc(sizeof *rules);
    assert_non_null(rules);
    options.digits = PSDVEC_DIGITS_KEEP;
    for (int strip = 0; strip < 2; strip++) {
        pv_word_form form;
        options.accents = strip ? PSDVEC_ACCENTS_STRIP : PSDVEC_ACCENTS_KEEP;
        pv_text_rules_init(rules, &options);
        pv_word_form_init(&form, ctx, rules);
        for (uint32_t cp = 0x80; cp <= 0x10FFFF; cp++) {
            pv_char_class class = pv_char_classify(rules, cp);
            char bytes[4];
            const char *word;
            size_t length;
            if (class != PV_CHAR_LETTER && class != PV_CHAR_DIGIT)
                continue;
            pv_token raw = {.text = bytes, .length = (uint32_t)pv_utf8_encode(cp, bytes)};
            assert_true(pv_word_form_remains(rules, &raw));
            assert_int_equal(pv_word_form_of(&form, &raw, &word, &length), PSDVEC_OK);
            if (length == 0 || pv_utf8_length(word, length) > 2 * raw.length)
                fail_msg("U+%04X becomes %zu bytes", cp, length);
        }
        pv_word_form_free(&form);
    }
    free(rules);
}

static void accents_are_stripped_on_request(void **state)
{
    (void)state;
    options.accents = PSDVEC_ACCENTS_STRIP;
    gives("caf\u00e9 \u00c5ngstr\u00f6m e\u0301", "cafe angstrom e");
    gives("\u00df", "ss");
}

static void lengths_are_in_characters(void **state)
{
    (void)state;
    options.min_length = 3;
    options.max_length = 4;
    gives("a ab abc abcd abcde \u00e9\u00e9 \u00e9\u00e9\u00e9 \u00e9\u00e9\u00e9\u00e9\u00e9",
          "abc abcd \u00e9\u00e9\u00e9");
    gives("e\u0301e\u0301e\u0301e\u0301", "\u00e9\u00e9\u00e9\u00e9");
    gives("don't it's i'm", "it's i'm");
}

static void words_beyond_256_characters_vanish(void **state)
{
    (void)state;
    char text[600];
    memset(text, 'x', sizeof text);
    text[256] = ' ';
    text[257 + 257] = '\0';
    char *tokens = tokens_of(text, strlen(text));
    assert_int_equal(strlen(tokens), 256);
    free(tokens);
    options.max_length = 300;
    tokens = tokens_of(text, strlen(text));
    assert_int_equal(strlen(tokens), 256 + 1 + 257);
    free(tokens);
}

static void a_million_characters_can_be_a_word(void **state)
{
    (void)state;
    size_t length = 1000000;
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, 'x', length);
    options.max_length = 1000000;
    char *tokens = tokens_of(text, length);
    assert_int_equal(strlen(tokens), length);
    free(tokens);
    free(text);
}

static void bad_bytes_separate_words(void **state)
{
    (void)state;
    gives("ab\xff"
          "cd \xc3"
          "e f\xe2\x82g \xed\xa0\x80h \xf4\x90\x80\x80i \xc0\x80j",
          "ab cd e f g h i j");
    options.strict = true;
    line l = {0};
    assert_int_equal(psdvec_tokenize(ctx, &options, "ab \xff", 4, take, &l), PSDVEC_ERR_UTF8);
    assert_non_null(strstr(psdvec_error_message(ctx), "byte 3 "));
    free(l.text);
}

static void a_zero_byte_separates_words(void **state)
{
    (void)state;
    char *tokens = tokens_of("ab\0cd", 5);
    assert_string_equal(tokens, "ab cd");
    free(tokens);
}

/* Tokenising is idempotent. */
static void tokens_are_stable(void **state)
{
    (void)state;
    static const char text[] =
        "Stra\u00dfe \u0130stanbul \ufb03 \u1e9e \u01f0 \u0390 \u03c2 "
        "e\u0301 \u212b \u2126 \uff21 \u00ad\u02bcx don\u2019t \u0345a\u0345";
    char *once = tokens_of(text, strlen(text));
    char *twice = tokens_of(once, strlen(once));
    assert_string_equal(twice, once);
    free(once);
    free(twice);
}

/* ---- The other tokenisers -------------------------------------------------------------------- */

static void whitespace_changes_nothing(void **state)
{
    (void)state;
    options.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    gives("New_York, don't  U.S.A.\t-3.5e10 <unk>\r", "New_York, don't U.S.A. -3.5e10 <unk>");
    gives("e\u0301 \u00e9 \u00c9", "e\u0301 \u00e9 \u00c9");
    options.letter_case = PSDVEC_CASE_FOLD;
    gives("New_York \u00c9", "new_york \u00e9");
}

static void whitespace_separates_words_at_paragraph_separators(void **state)
{
    (void)state;
    options.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    gives("One house.\u2029 Two\u2029houses\u2029\u2029 \u2029 \u2029three \u2028x\u00a0y",
          "One house. Two houses three \u2028x\u00a0y");
    options.sentences = true;
    gives("\u2029One.\u2029 Two", "One./Two");
}

static void whitespace_replaces_bad_bytes(void **state)
{
    (void)state;
    options.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    gives("a\xff"
          "b \xe2\x82",
          "a\ufffd"
          "b \ufffd");
    gives("e\u0301\xff", "e\u0301\ufffd");
}

static void whitespace_keeps_tokens_whole_at_sentence_ends(void **state)
{
    (void)state;
    options.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    options.sentences = true;
    gives("a\u3002b c", "a\u3002b c");
}

static void original_has_words_of_2_to_15_letters(void **state)
{
    (void)state;
    options.tokenizer = PSDVEC_TOKENIZER_ORIGINAL;
    gives("A cat I saw 2nd B52s", "cat saw nd");
    gives("abcdefghijklmno abcdefghijklmnop", "abcdefghijklmno");
    gives("\u00c9t\u00e9", "\u00e9t\u00e9");
}

static void original_keeps_the_possessive(void **state)
{
    (void)state;
    options.tokenizer = PSDVEC_TOKENIZER_ORIGINAL;
    gives("The dog's dinner, the DOG'S bowl", "the dog's dinner the dog's bowl");
    gives("don't rock'n'roll", "don rock roll");
    gives("well-known", "well known");
}

static void icu_finds_words_without_spaces(void **state)
{
    (void)state;
    if (!pv_icu_available())
        skip();
    options.tokenizer = PSDVEC_TOKENIZER_ICU;
    gives("Hello, world! Don't 42", "hello world don't");
    char *chinese = tokens_of("\u6211\u7231\u5317\u4eac\u5929\u5b89\u95e8", 21);
    assert_non_null(strstr(chinese, "\u5317\u4eac"));
    assert_non_null(strchr(chinese, ' '));
    free(chinese);
    char *thai = tokens_of("\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", 21);
    assert_string_equal(thai, "\u0e20\u0e32\u0e29\u0e32 \u0e44\u0e17\u0e22");
    free(thai);
    char *japanese = tokens_of("\u6771\u4eac\u306b\u884c\u304f", 15);
    assert_non_null(strstr(japanese, "\u6771\u4eac"));
    assert_non_null(strchr(japanese, ' '));
    free(japanese);
    options.digits = PSDVEC_DIGITS_KEEP;
    gives("in 1984 mp3", "in 1984 mp3");
}

/* ---- Languages ------------------------------------------------------------------------------- */

/* The same with the words and the icu tokeniser. */
static void gives_in(psdvec_language language, const char *text, const char *expected)
{
    options.language = language;
    options.tokenizer = PSDVEC_TOKENIZER_WORDS;
    gives(text, expected);
    options.tokenizer = PSDVEC_TOKENIZER_ICU;
    if (pv_icu_available())
        gives(text, expected);
}

static void elided_words_are_separate_words(void **state)
{
    (void)state;
    gives_in(PSDVEC_LANGUAGE_FRENCH,
             "L'homme qu\u2019il a vu aujourd'hui, jusqu'\u00e0 l'\u00c9tat",
             "l' homme qu' il a vu aujourd'hui jusqu' \u00e0 l' \u00e9tat");
    gives_in(PSDVEC_LANGUAGE_ITALIAN, "L'amica dell'arte, un po' d'acqua",
             "l' amica dell' arte un po d' acqua");
    gives_in(PSDVEC_LANGUAGE_CATALAN, "l'home d'Espanya", "l' home d' espanya");
    gives_in(PSDVEC_LANGUAGE_NONE, "l'homme", "l'homme");
    gives_in(PSDVEC_LANGUAGE_FRENCH, "rock'n'roll l' 'l d'", "rock'n'roll l l d");
    options.apostrophes = PSDVEC_INNER_SPLIT;
    options.tokenizer = PSDVEC_TOKENIZER_WORDS;
    gives("l'homme", "l homme");
}

static void turkish_has_two_letters_i(void **state)
{
    (void)state;
    static const psdvec_language languages[] = {PSDVEC_LANGUAGE_TURKISH,
                                                PSDVEC_LANGUAGE_AZERBAIJANI};
    for (size_t i = 0; i < 2; i++) {
        gives_in(languages[i], "ILIK \u0130stanbul I\u0307zmir istanbul KIZ I",
                 "\u0131l\u0131k istanbul izmir istanbul k\u0131z \u0131");
        options.letter_case = PSDVEC_CASE_KEEP;
        gives_in(languages[i], "ILIK \u0130stanbul", "ILIK \u0130stanbul");
        options.letter_case = PSDVEC_CASE_FOLD;
        options.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
        gives("KIZ! Diyarbak\u0131r", "k\u0131z! diyarbak\u0131r");
    }
    gives_in(PSDVEC_LANGUAGE_NONE, "KIZ", "kiz");
}

static void german_keeps_the_sharp_s(void **state)
{
    (void)state;
    gives_in(PSDVEC_LANGUAGE_GERMAN, "Ma\u00dfe MASSE Masse \u00c4PFEL",
             "ma\u00dfe masse masse \u00e4pfel");
    gives_in(PSDVEC_LANGUAGE_NONE, "Ma\u00dfe Masse", "masse masse");
}

static void vowel_marks_are_removed(void **state)
{
    (void)state;
    static const psdvec_language arabic[] = {PSDVEC_LANGUAGE_ARABIC, PSDVEC_LANGUAGE_PERSIAN,
                                             PSDVEC_LANGUAGE_URDU};
    for (size_t i = 0; i < 3; i++)
        /* With vowels, with tatweel, tatweel alone, and alef with madda in both forms. */
        gives_in(arabic[i],
                 "\u0643\u0650\u062a\u0627\u0628\u064c \u0643\u062a\u0640\u0640\u0627\u0628 "
                 "\u0640\u0640 \u0622 \u0627\u0653",
                 "\u0643\u062a\u0627\u0628 \u0643\u062a\u0627\u0628 \u0622 \u0622");
    gives_in(PSDVEC_LANGUAGE_HEBREW, "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
             "\u05e9\u05dc\u05d5\u05dd");
    gives_in(PSDVEC_LANGUAGE_NONE, "\u0643\u0650\u062a", "\u0643\u0650\u062a");
}

/* ---- Documents and sentences ----------------------------------------------------------------- */

static void a_line_is_a_document(void **state)
{
    (void)state;
    gives("a b\nc\n\nd", "a b/c//d");
    gives("a b\r\nc\r\n", "a b/c/");
}

static void blank_lines_separate_documents(void **state)
{
    (void)state;
    options.document = PSDVEC_DOCUMENT_BLANK_LINE;
    gives("a b\nc\n\nd\n \t\r\ne", "a b c/d/e");
    gives("\na", "/a");
    gives("a\r\n\r\nb", "a/b");
}

static void a_file_is_a_document(void **state)
{
    (void)state;
    options.document = PSDVEC_DOCUMENT_FILE;
    gives("a b\n\nc\n", "a b c");
    options.document = PSDVEC_DOCUMENT_NONE;
    gives("a b\n\nc\n", "a b c");
}

static void sentences_end_at_stops_before_white_space(void **state)
{
    (void)state;
    options.sentences = true;
    gives("One two. Three! Four? Five\u2026 Six", "one two/three/four/five/six");
    gives("He said \"no.\" Then (yes!) went.", "he said no/then yes/went");
    gives("3.5 U.S.A a.b", "u s a a b");
    gives("\u6211\u3002\u4f60\uff01\u4ed6\uff1f", "\u6211/\u4f60/\u4ed6");
    gives("\u0915\u0964 \u0916", "\u0915/\u0916");
    gives("a\u2029b", "a/b");
    gives("a.\nb.\n", "a/b/");
}

static void sentences_do_not_end_paragraphs(void **state)
{
    (void)state;
    options.sentences = true;
    options.document = PSDVEC_DOCUMENT_BLANK_LINE;
    /* A sentence ends after two words and after four; then the paragraph ends. */
    gives("One two.\nThree four. \nFive\n\nSix", "one two/three four/five/six");
}

static void count_words(void *user, const char *word, size_t length)
{
    (void)length;
    *(size_t *)user += word != NULL;
}

/* With quadratic time this would take hours. */
static void a_million_short_sentences_take_linear_time(void **state)
{
    (void)state;
    enum { SENTENCES = 1000000 };
    char *text = malloc(3 * SENTENCES);
    assert_non_null(text);
    for (size_t i = 0; i < SENTENCES; i++)
        memcpy(text + 3 * i, "a.\n", 3);
    options.sentences = true;
    for (int document = 0; document < 4; document++) {
        size_t words = 0;
        options.document = (psdvec_document)document;
        assert_int_equal(psdvec_tokenize(ctx, &options, text, 3 * SENTENCES, count_words, &words),
                         PSDVEC_OK);
        assert_int_equal(words, SENTENCES);
    }
    free(text);
}

/* ---- The fast path against simple implementations -------------------------------------------- */

static void fast_and_portable_scans_agree(void **state)
{
    (void)state;
    dice d = {7};
    for (unsigned flags = 0; flags < 256; flags++) {
        pv_scan_rules rules = {.whitespace = flags & 1,
                               .fold = flags & 2,
                               .digits = flags & 4,
                               .odd_digits = flags & 8 && !(flags & 4),
                               .apostrophe = flags & 16,
                               .hyphen = flags & 32,
                               .underscore = flags & 64,
                               .odd_capital_i = flags & 128};
        pv_scan_rules_finish(&rules);
        for (int round = 0; round < 200; round++) {
            unsigned char fast[64], plain[64];
            for (int i = 0; i < 64; i++)
                fast[i] = (unsigned char)(round < 4 ? round * 64 + i : (int)dice_below(&d, 256));
            if (round >= 100)
                for (int i = 0; i < 64; i++)
                    fast[i] &= 0x7F;
            memcpy(plain, fast, 64);
            uint64_t fast_word, fast_odd, plain_word, plain_odd;
            pv_scan_block(&rules, fast, &fast_word, &fast_odd);
            pv_scan_block_plain(&rules, plain, &plain_word, &plain_odd);
            assert_true(fast_word == plain_word);
            assert_true(fast_odd == plain_odd);
            assert_memory_equal(fast, plain, 64);
        }
    }
}

/* Words of every length at every offset within a block, ASCII or not. */
static void words_are_complete_at_every_offset(void **state)
{
    (void)state;
    static const char *const letters[] = {"x", "\u00e9", "\u4e2d"};
    for (size_t kind = 0; kind < 3; kind++) {
        size_t width = strlen(letters[kind]);
        for (size_t offset = 0; offset < 66; offset++) {
            for (size_t length = 1; length < 140; length++) {
                char text[800], expected[800];
                size_t n = 0, e = 0;
                while (n < offset)
                    text[n++] = ' ';
                for (size_t i = 0; i < length; i++) {
                    memcpy(text + n, letters[kind], width);
                    memcpy(expected + e, letters[kind], width);
                    n += width;
                    e += width;
                }
                memcpy(text + n, " end", 5);
                memcpy(expected + e, " end", 5);
                char *tokens = tokens_of(text, n + (length % 2 ? 4 : 0));
                if (length % 2 == 0)
                    expected[e] = '\0';
                assert_string_equal(tokens, expected);
                free(tokens);
                if (length > 70)
                    length += 6;
            }
        }
    }
}

/* A simple splitter of ASCII: letters, and apostrophes between letters. */
static char *naive(const char *text, size_t length)
{
    char *out = calloc(1, 2 * length + 2);
    size_t n = 0;
    bool in_word = false;
    assert_non_null(out);
    for (size_t i = 0; i < length; i++) {
        bool letter = (text[i] | 32) >= 'a' && (text[i] | 32) <= 'z' && text[i] >= 'A';
        bool joins = text[i] == '\'' && in_word && i + 1 < length && (text[i + 1] | 32) >= 'a' &&
                     (text[i + 1] | 32) <= 'z' && text[i + 1] >= 'A';
        if (letter || joins) {
            if (!in_word && n > 0 && out[n - 1] != '/')
                out[n++] = ' ';
            out[n++] = (char)(letter ? text[i] | 32 : text[i]);
        }
        if (text[i] == '\n')
            out[n++] = '/';
        in_word = letter || joins;
    }
    return out;
}

static void random_ascii_splits_like_the_naive_splitter(void **state)
{
    (void)state;
    static const char alphabet[] = "abcdeABCDEzZ'' -.,0@[`{\n";
    dice d = {11};
    for (int round = 0; round < 3000; round++) {
        char text[400];
        size_t length = dice_below(&d, sizeof text);
        unsigned gaps = (unsigned)dice_below(&d, 60);
        for (size_t i = 0; i < length; i++)
            text[i] = dice_percent(&d, gaps) ? alphabet[dice_below(&d, sizeof alphabet - 1)]
                                             : alphabet[dice_below(&d, 12)];
        options.max_length = 1000;
        char *expected = naive(text, length), *tokens = tokens_of(text, length);
        assert_string_equal(tokens, canonical(expected));
        free(expected);
        free(tokens);
    }
}

static psdvec_status take_batch(void *user, const pv_token *tokens, size_t count)
{
    assert_in_range(count, 1, PV_TOKEN_BATCH);
    for (size_t i = 0; i < count; i++) {
        assert_int_not_equal(tokens[i].kind, PV_TOKEN_RAW);
        take(user, tokens[i].kind == PV_TOKEN_READY ? tokens[i].text : NULL, tokens[i].length);
    }
    return PSDVEC_OK;
}

static char *in_batches(const pv_text_rules *rules, const char *text, size_t length, size_t batch)
{
    line l = {0};
    pv_token_sink sink = {.take = take_batch, .user = &l};
    assert_int_equal(pv_tokens_by_rules(ctx, rules, text, length, batch, NULL, &sink), PSDVEC_OK);
    return l.text ? canonical(l.text) : calloc(1, 1);
}

static void tokens_do_not_depend_on_the_size_of_batches(void **state)
{
    (void)state;
    static const char *const bits[] = {"a",    "B",  "word", " ",      " ",
                                       "\n",   ". ", "'",    "\u00e9", "\u3002",
                                       "\xff", "-",  "7",    "\n\n",   "verylongwordindeed"};
    pv_text_rules *rules = malloc(sizeof *rules);
    assert_non_null(rules);
    dice d = {13};
    for (int round = 0; round < 120; round++) {
        options.tokenizer = (psdvec_tokenizer)dice_below(&d, pv_icu_available() ? 4 : 3);
        options.document = (psdvec_document)dice_below(&d, 4);
        options.sentences = dice_percent(&d, 50);
        options.hyphens = (psdvec_inner)dice_below(&d, 2);
        options.digits = (psdvec_digits)dice_below(&d, 3);
        options.min_document_words = 1 + (uint32_t)dice_below(&d, 4);
        pv_text_rules_init(rules, &options);
        char text[3000];
        size_t length = 0;
        while (length < sizeof text - 32) {
            const char *bit = bits[dice_below(&d, sizeof bits / sizeof bits[0])];
            memcpy(text + length, bit, strlen(bit));
            length += strlen(bit);
        }
        char *expected = in_batches(rules, text, length, 10000);
        for (size_t batch = 1; batch < 90; batch += batch < 10 ? 1 : 7) {
            char *tokens = in_batches(rules, text, length, batch);
            assert_string_equal(tokens, expected);
            free(tokens);
        }
        free(expected);
    }
    free(rules);
}

/* ---- Options --------------------------------------------------------------------------------- */

static void impossible_options_are_refused(void **state)
{
    (void)state;
    line l = {0};
    options.min_length = 5;
    options.max_length = 4;
    assert_int_equal(psdvec_tokenize(ctx, &options, "a", 1, take, &l), PSDVEC_ERR_OPTION);
    psdvec_text_options_default(&options);
    options.tokenizer = (psdvec_tokenizer)4;
    assert_int_equal(psdvec_tokenize(ctx, &options, "a", 1, take, &l), PSDVEC_ERR_OPTION);
    psdvec_text_options_default(&options);
    options.apostrophes = (psdvec_inner)7;
    assert_int_equal(psdvec_tokenize(ctx, &options, "a", 1, take, &l), PSDVEC_ERR_OPTION);
    psdvec_text_options_default(&options);
    options.hyphens = (psdvec_inner)-1;
    assert_int_equal(psdvec_tokenize(ctx, &options, "a", 1, take, &l), PSDVEC_ERR_OPTION);
    psdvec_text_options_default(&options);
    options.min_length = 300; /* beyond the default of max_length */
    assert_int_equal(psdvec_tokenize(ctx, &options, "a", 1, take, &l), PSDVEC_ERR_OPTION);
    assert_null(l.text);
}

/* ---- UTF-8 ----------------------------------------------------------------------------------- */

static void every_code_point_survives_encoding(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
        if (cp >= 0xD800 && cp <= 0xDFFF)
            continue;
        char bytes[4] = {0};
        uint32_t back;
        int length = pv_utf8_encode(cp, bytes);
        const unsigned char *p = (const unsigned char *)bytes;
        if (pv_utf8_decode(p, p + length, &back) != length || back != cp)
            fail_msg("U+%04X", cp);
        for (int cut = 1; cut < length; cut++)
            if (pv_utf8_decode(p, p + cut, &back) != -cut)
                fail_msg("U+%04X cut after %d", cp, cut);
    }
}

static void invalid_utf8_is_skipped_as_unicode_recommends(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int length, expected;
    } cases[] = {{"\x80", 1, -1},
                 {"\xc0\x80", 2, -1},
                 {"\xc1\xbf", 2, -1},
                 {"\xe0\x80\x80", 3, -1},
                 {"\xed\xa0\x80", 3, -1},
                 {"\xf0\x80\x80\x80", 4, -1},
                 {"\xf4\x90\x80", 3, -1},
                 {"\xf5\x80", 2, -1},
                 {"\xff", 1, -1},
                 {"\xe2\x82"
                  "a",
                  3, -2},
                 {"\xf0\x9f\x98"
                  "a",
                  4, -3},
                 {"\xe2"
                  "a",
                  2, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t cp;
        const unsigned char *p = (const unsigned char *)cases[i].bytes;
        assert_int_equal(pv_utf8_decode(p, p + cases[i].length, &cp), cases[i].expected);
    }
}

static void text_is_valid_up_to_its_first_bad_byte(void **state)
{
    (void)state;
    assert_int_equal(pv_utf8_valid("", 0), 0);
    assert_int_equal(pv_utf8_valid("a\xc3\xa9z", 4), 4);
    assert_int_equal(pv_utf8_valid("a\xc3\xa9\xff", 4), 3);
    assert_int_equal(pv_utf8_valid("a\xe2\x82", 3), 1);
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    static const char text[] = "a\xe2\x82\xac"
                               "b"; /* a, the euro sign, b */
    static const size_t expected[] = {0, 1, 1, 1, 4, 5};
    for (size_t length = 0; length < sizeof text; length++)
        assert_int_equal(pv_utf8_cut(text, length), expected[length]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(words_are_letters_and_marks),
        TEST(a_mark_without_a_letter_begins_no_word),
        TEST(apostrophes_join_letters_only),
        TEST(hyphens_split_unless_told_to_join),
        TEST(underscores_split_unless_told_to_join),
        TEST(the_soft_hyphen_vanishes_inside_a_word),
        TEST(joiners_stay_inside_a_word),
        TEST(digits_separate_unless_kept),
        TEST(case_is_folded_by_unicode),
        TEST(composed_and_decomposed_are_one_word),
        TEST(letters_and_digits_never_vanish),
        TEST(accents_are_stripped_on_request),
        TEST(lengths_are_in_characters),
        TEST(words_beyond_256_characters_vanish),
        TEST(a_million_characters_can_be_a_word),
        TEST(bad_bytes_separate_words),
        TEST(a_zero_byte_separates_words),
        TEST(tokens_are_stable),
        TEST(whitespace_changes_nothing),
        TEST(whitespace_separates_words_at_paragraph_separators),
        TEST(whitespace_replaces_bad_bytes),
        TEST(whitespace_keeps_tokens_whole_at_sentence_ends),
        TEST(original_has_words_of_2_to_15_letters),
        TEST(original_keeps_the_possessive),
        TEST(elided_words_are_separate_words),
        TEST(turkish_has_two_letters_i),
        TEST(german_keeps_the_sharp_s),
        TEST(vowel_marks_are_removed),
        TEST(icu_finds_words_without_spaces),
        TEST(a_line_is_a_document),
        TEST(blank_lines_separate_documents),
        TEST(a_file_is_a_document),
        TEST(sentences_end_at_stops_before_white_space),
        TEST(sentences_do_not_end_paragraphs),
        TEST(a_million_short_sentences_take_linear_time),
        TEST(fast_and_portable_scans_agree),
        TEST(words_are_complete_at_every_offset),
        TEST(random_ascii_splits_like_the_naive_splitter),
        TEST(tokens_do_not_depend_on_the_size_of_batches),
        TEST(impossible_options_are_refused),
        TEST(every_code_point_survives_encoding),
        TEST(text_is_valid_up_to_its_first_bad_byte),
        TEST(text_is_cut_between_characters),
        TEST(invalid_utf8_is_skipped_as_unicode_recommends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
