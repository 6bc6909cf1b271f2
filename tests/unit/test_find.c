/* Words in any spelling are found in the form that the tokeniser of the model gives them. */
#include "corpus/icu_words.h"
#include "count/provenance.h"
#include "model/find.h"
#include "support/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A model of these words (NULL-terminated), whose text was tokenised as in `counts_json`. */
static psdvec_model *model_of(workshop *w, const char *const *words, const char *counts_json)
{
    sample s;
    uint32_t count = 0;
    char bytes[1000];
    uint64_t offsets[50] = {0};
    for (; words[count]; count++) {
        size_t length = strlen(words[count]);
        memcpy(bytes + offsets[count], words[count], length);
        offsets[count + 1] = offsets[count] + length;
    }
    sample_make(&s, count, 3, 1);
    s.data.bytes = bytes;
    s.data.offsets = offsets;
    s.data.counts_json = counts_json;
    psdvec_model *m = open_sample(w, &s);
    sample_free(&s);
    return m;
}

/* Looks up `text`; `wanted` is the word found, or "" for none. */
static void assert_finds(workshop *w, const psdvec_model *m, const char *text, const char *wanted)
{
    uint32_t i = 99;
    size_t length = 0;
    assert_int_equal(psdvec_model_find_normalized(w->ctx, m, text, strlen(text), &i), PSDVEC_OK);
    const char *word = i == PSDVEC_UNKNOWN_WORD ? "" : psdvec_model_word(m, i, &length);
    if (strlen(wanted) != length || memcmp(word, wanted, length) != 0)
        fail_msg("'%s' found '%.*s', not '%s'", text, (int)length, word, wanted);
}

static const char *const words[] = {"paris",  "Paris",      "café", "cafe",  "don't",
                                    "0000",   "2024",       "well", "known", "über",
                                    "straße", "well-known", NULL};

/* ---- Several words, and near spellings ------------------------------------------------------- */

static void add_part(void *user, const char *word, size_t length, uint32_t i)
{
    char *text = user;
    sprintf(text + strlen(text), "%s%.*s%s", *text ? " " : "", (int)length, word,
            i == PSDVEC_UNKNOWN_WORD ? "?" : "");
}

/* Parts separated by blanks, unknown ones with a question mark. */
static void assert_parts(workshop *w, const psdvec_model *m, const char *text, const char *wanted)
{
    char parts[500] = "";
    assert_int_equal(psdvec_model_find_parts(w->ctx, m, text, strlen(text), add_part, parts),
                     PSDVEC_OK);
    assert_string_equal(parts, wanted);
}

static void several_words_are_found_as_one_or_as_parts(void **state)
{
    workshop *w = *state;
    static const char *const list[] = {"new",           "york",     "new_york", "well", "known",
                                       "state-of-mind", "San_Jose", "state",    NULL};
    psdvec_model *m =
        model_of(w, list, "{\"settings\":{\"tokenizer\":\"words\",\"case\":\"fold\"}}");
    assert_parts(w, m, "New York", "new_york");
    assert_parts(w, m, "new-york", "new_york");
    assert_parts(w, m, " NEW\tYORK ", "new_york");
    assert_parts(w, m, "state of mind", "state-of-mind");
    assert_parts(w, m, "Well-Known", "well known");
    assert_parts(w, m, "well known york", "well known york");
    assert_parts(w, m, "well paid", "well paid?");
    assert_parts(w, m, "San Jose", "San_Jose");
    assert_parts(w, m, "York", "york");
    assert_parts(w, m, "Yorkshire", "yorkshire?");
    assert_parts(w, m, "1984", "");
    assert_parts(w, m, "", "");
    psdvec_model_close(m);
    m = model_of(w, list, NULL); /* no settings: words are not normalised */
    assert_parts(w, m, "New York", "new_york");
    assert_parts(w, m, "San-Jose", "San_Jose");
    assert_parts(w, m, "Well Known 1984", "well known 1984?");
    psdvec_model_close(m);
    if (!pv_icu_available())
        return;
    static const char *const chinese[] = {"中国", "人民", NULL};
    m = model_of(w, chinese, "{\"settings\":{\"tokenizer\":\"icu\"}}");
    assert_parts(w, m, "中国人民", "中国 人民");
    psdvec_model_close(m);
}

/* The suggestions for a word, separated by blanks. */
static void assert_suggests(workshop *w, const psdvec_model *m, const char *word, uint32_t edits,
                            size_t room, const char *wanted)
{
    uint32_t found[8];
    size_t count;
    char text[500] = "";
    assert_int_equal(
        psdvec_model_suggest(w->ctx, m, word, strlen(word), edits, found, room, &count), PSDVEC_OK);
    for (size_t k = 0; k < count; k++) {
        size_t length;
        const char *other = psdvec_model_word(m, found[k], &length);
        sprintf(text + strlen(text), "%s%.*s", k ? " " : "", (int)length, other);
    }
    assert_string_equal(text, wanted);
}

static void near_spellings_by_edits_and_then_by_frequency(void **state)
{
    workshop *w = *state;
    static const char *const list[] = {"believe", "receive", "relieve", "received",
                                       "recipe",  "книга",   "кинга",   "cat",
                                       "car",     "Café",    "at",      NULL};
    psdvec_model *m = model_of(w, list, NULL);
    assert_suggests(w, m, "recieve", 1, 3, "receive relieve");
    assert_suggests(w, m, "recieve", 2, 3, "receive relieve believe");
    assert_suggests(w, m, "recieve", 2, 2, "receive relieve");
    assert_suggests(w, m, "recieve", 2, 1, "receive");
    assert_suggests(w, m, "RECIEVE", 1, 1, "receive");
    assert_suggests(w, m, "кнега", 1, 3, "книга"); /* characters, not bytes */
    assert_suggests(w, m, "cafe", 1, 1, "Café");
    assert_suggests(w, m, "cap", 1, 4, "cat car");
    assert_suggests(w, m, "cat", 0, 4, "cat");
    assert_suggests(w, m, "zzzzzz", 2, 4, "");
    assert_suggests(w, m, "", 2, 4, "");
    assert_suggests(w, m, "cat", 1, 0, "");
    psdvec_model_close(m);
}

static void the_settings_of_the_model_decide(void **state)
{
    workshop *w = *state;
    psdvec_model *m =
        model_of(w, words, "{\"settings\":{\"tokenizer\":\"words\",\"case\":\"fold\"},\"x\":1}");
    assert_finds(w, m, "Paris", "Paris"); /* unchanged, before anything else */
    assert_finds(w, m, "PARIS", "paris");
    assert_finds(w, m, " paris, ", "paris");
    assert_finds(w, m, "CAFÉ", "café");
    assert_finds(w, m, "cafe\xcc\x81", "café");
    assert_finds(w, m, "Don\xe2\x80\x99t", "don't");
    assert_finds(w, m, "Well-Known", ""); /* two words */
    assert_finds(w, m,
                 "Ü"
                 "BER",
                 "über");
    assert_finds(w, m, "STRASSE", "");
    assert_finds(w, m, "", "");
    assert_finds(w, m, "...", "");
    psdvec_model_close(m);
    m = model_of(w, words, "{\"settings\":{\"tokenizer\":\"words\",\"case\":\"keep\"}}");
    assert_finds(w, m, "PARIS", "");
    assert_finds(w, m, "\"Paris\"", "Paris");
    psdvec_model_close(m);
    m = model_of(w, words,
                 "{\"settings\":{\"accents\":\"strip\",\"tokenizer\":\"words\",\"case\":\"fold\","
                 "\"digits\":\"zero\",\"hyphens\":\"join\"}}");
    assert_finds(w, m, "Café!", "cafe");
    assert_finds(w, m, "1995", "0000");
    assert_finds(w, m, "2024", "2024");
    assert_finds(w, m, "WELL-known", "well-known");
    psdvec_model_close(m);
    m = model_of(w, words, "{\"settings\":{\"tokenizer\":\"whitespace\",\"case\":\"keep\"}}");
    assert_finds(w, m, " paris\n", "paris");
    assert_finds(w, m, "PARIS", "");
    assert_finds(w, m, "paris,", "");
    psdvec_model_close(m);
}

/* The tokeniser is created once, on first use, and must not depend on the memory of that caller. */
static void the_tokeniser_does_not_depend_on_the_first_callers_memory(void **state)
{
    workshop *w = *state;
    psdvec_model *m =
        model_of(w, words, "{\"settings\":{\"tokenizer\":\"words\",\"case\":\"keep\"}}");
    uint64_t used = atomic_load(&w->ctx->memory_used), all;
    psdvec_context *other;
    uint32_t i;
    int failures = 0;
    assert_int_equal(psdvec_context_new(NULL, &other), PSDVEC_OK);
    all = other->options.memory;
    for (uint64_t room = 0;; room += 100) {
        other->options.memory = room;
        psdvec_status status = psdvec_model_find_normalized(other, m, "PARIS", 5, &i);
        assert_int_equal(i, PSDVEC_UNKNOWN_WORD);
        if (status == PSDVEC_OK)
            break;
        assert_int_equal(status, PSDVEC_ERR_BUDGET);
        assert_string_not_equal(psdvec_error_message(other), "");
        failures++;
    }
    other->options.memory = all;
    assert_true(failures > 2);
    assert_int_equal(atomic_load(&other->memory_used), 0);
    assert_true(atomic_load(&w->ctx->memory_used) > used);
    psdvec_context_free(other);
    assert_finds(w, m, "\"Paris\"", "Paris");
    assert_finds(w, m, "PARIS", "");
    psdvec_model_close(m);
}

static void vectors_without_settings_are_tried_in_lower_case_and_by_the_defaults(void **state)
{
    workshop *w = *state;
    static const char *const settings[] = {
        NULL,
        "{\"settings\":{\"imported\":\"glove\"}}",
        "{\"settings\":{\"tokenizer\":\"telepathy\",\"case\":\"keep\"}}",
        "{\"settings\":3}",
        "{}",
    };
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        psdvec_model *m = model_of(w, words, settings[k]);
        assert_finds(w, m, "PARIS", "paris");
        assert_finds(w, m,
                     "STRA\xe1\xba\x9e"
                     "E",
                     "straße");                         /* case folding would give strasse */
        assert_finds(w, m, "Well-Known", "well-known"); /* two words to the tokeniser */
        assert_finds(w, m, "CAFE\xcc\x81", "café");     /* lower case is not enough */
        assert_finds(w, m, "Paris.", "paris");
        assert_finds(w, m, "xyzzy", "");
        psdvec_model_close(m);
    }
}

static void vectors_without_settings_are_tried_with_capitals(void **state)
{
    workshop *w = *state;
    static const char *const capitals[] = {"Paris", "New_York", "USA", "Turkey", "turkey", NULL};
    psdvec_model *m = model_of(w, capitals, NULL);
    assert_finds(w, m, "paris", "Paris");
    assert_finds(w, m, "new_york", "New_York");
    assert_finds(w, m, "NEW_YORK", "New_York");
    assert_finds(w, m, "usa", "USA");
    assert_finds(w, m, "turkey", "turkey");
    assert_finds(w, m, "TURKEY", "turkey");
    assert_finds(w, m, "london", "");
    psdvec_model_close(m);
}

/* ---- Consistency with counting --------------------------------------------------------------- */

typedef struct heard {
    char word[200];
    size_t length, count;
} heard;

static void hear(void *user, const char *word, size_t length)
{
    heard *h = user;
    if (!word)
        return;
    h->count++;
    assert_true(length < sizeof h->word);
    memcpy(h->word, word, length);
    h->length = length;
}

static void assert_same_as_counting(workshop *w, const psdvec_text_options *text)
{
    static const char *const written[] = {"Paris",
                                          "PARIS",
                                          "Ünïcödé",
                                          "don't",
                                          "Don\xe2\x80\x99T",
                                          "rock'n'roll",
                                          "x-ray",
                                          "X\xe2\x80\x91Ray",
                                          "2024",
                                          "mp3",
                                          "Straße",
                                          "İstanbul",
                                          "ﬁnd",
                                          "a",
                                          "dog's",
                                          "two words",
                                          "снег",
                                          "ΣΊΣΥΦΟΣ",
                                          "e\xcc\x81"
                                          "t\xc3\xa9",
                                          "so\xc2\xad"
                                          "ft",
                                          "_x_",
                                          "\xff",
                                          "U.S.A.",
                                          ""};
    static const char *const any[] = {"any", NULL};
    psdvec_count_options count;
    pv_provenance provenance;
    char json[3000];
    psdvec_count_options_default(&count);
    count.text = *text;
    pv_provenance_init(&provenance, w->ctx);
    assert_int_equal(pv_provenance_set(&provenance, &count), PSDVEC_OK);
    snprintf(json, sizeof json, "{\"tokens\":1,\"settings\":%s}", provenance.settings);
    pv_provenance_free(&provenance);
    psdvec_model *m = model_of(w, any, json);
    for (size_t k = 0; k < sizeof written / sizeof *written; k++) {
        heard h = {0};
        char word[200];
        size_t needed = 99;
        assert_int_equal(psdvec_tokenize(w->ctx, text, written[k], strlen(written[k]), hear, &h),
                         PSDVEC_OK);
        assert_int_equal(psdvec_model_normalize(w->ctx, m, written[k], strlen(written[k]), word,
                                                sizeof word, &needed),
                         PSDVEC_OK);
        assert_int_equal(needed, h.count == 1 ? h.length : 0);
        assert_memory_equal(word, h.word, needed);
        assert_int_equal(word[needed], 0);
    }
    psdvec_model_close(m);
}

static void words_are_normalised_as_in_counting(void **state)
{
    workshop *w = *state;
    psdvec_text_options o;
    psdvec_text_options_default(&o);
    for (int tokenizer = 0; tokenizer <= PSDVEC_TOKENIZER_ICU; tokenizer++)
        for (int choice = 0; choice < 3 * 2 * 3 * 2 * 2; choice += 5) {
            if (tokenizer == PSDVEC_TOKENIZER_ICU && !pv_icu_available())
                continue;
            o.tokenizer = (psdvec_tokenizer)tokenizer;
            o.letter_case = (psdvec_case)(choice % 3);
            o.accents = (psdvec_accents)(choice / 3 % 2);
            o.digits = (psdvec_digits)(choice / 6 % 3);
            o.apostrophes = (psdvec_inner)(choice / 18 % 2);
            o.hyphens = (psdvec_inner)(choice / 36);
            assert_same_as_counting(w, &o);
        }
}

/* ---- Special cases --------------------------------------------------------------------------- */

static void a_word_is_truncated_to_the_capacity(void **state)
{
    workshop *w = *state;
    psdvec_model *m = model_of(w, words, NULL);
    char word[8] = "zzzzzzz";
    size_t needed = 0;
    assert_int_equal(psdvec_model_normalize(w->ctx, m, "PARIS", 5, word, 5, &needed), PSDVEC_OK);
    assert_int_equal(needed, 5);
    assert_memory_equal(word, "pariszz", 8);
    assert_int_equal(psdvec_model_normalize(w->ctx, m, "LONDON", 6, word, 2, &needed), PSDVEC_OK);
    assert_int_equal(needed, 6);
    assert_memory_equal(word, "loriszz", 8);
    assert_int_equal(psdvec_model_normalize(w->ctx, m, "LONDON", 6, NULL, 0, &needed), PSDVEC_OK);
    assert_int_equal(needed, 6);
    assert_int_equal(psdvec_model_normalize(w->ctx, m, "two words", 9, word, 8, &needed),
                     PSDVEC_OK);
    assert_int_equal(needed, 0);
    assert_int_equal(psdvec_model_normalize(w->ctx, m, "a", 1, NULL, 8, &needed),
                     PSDVEC_ERR_OPTION);
    uint32_t i = 7;
    assert_int_equal(psdvec_model_find_normalized(w->ctx, NULL, "a", 1, &i), PSDVEC_ERR_OPTION);
    assert_int_equal(i, PSDVEC_UNKNOWN_WORD);
    assert_int_equal(psdvec_model_find_normalized(w->ctx, m, NULL, 1, &i), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_model_find_normalized(w->ctx, m, "a", 1, NULL), PSDVEC_ERR_OPTION);
    psdvec_model_close(m);
}

static void without_memory_exact_words_are_found_and_others_are_refused(void **state)
{
    workshop *w = *state;
    static const char text[] = "paris 1 2 3\nPARIS 1 2 3\n";
    scratch_write(w->in, text, strlen(text));
    size_t refused = 0;
    /* Some of these budgets suffice for the model, but not for a tokeniser. */
    for (uint64_t budget = 256; budget < 64 << 10; budget += budget / 4) {
        workshop_context(w, budget, 1);
        psdvec_model *m;
        uint32_t i;
        if (psdvec_model_open(w->ctx, w->in, &m) != PSDVEC_OK)
            continue;
        assert_finds(w, m, "PARIS", "PARIS");
        psdvec_status status = psdvec_model_find_normalized(w->ctx, m, "Paris", 5, &i);
        assert_true(status == PSDVEC_OK || status == PSDVEC_ERR_BUDGET);
        refused += status == PSDVEC_ERR_BUDGET;
        psdvec_model_close(m);
    }
    assert_true(refused > 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        CASE(several_words_are_found_as_one_or_as_parts),
        CASE(near_spellings_by_edits_and_then_by_frequency),
        CASE(the_settings_of_the_model_decide),
        CASE(the_tokeniser_does_not_depend_on_the_first_callers_memory),
        CASE(vectors_without_settings_are_tried_in_lower_case_and_by_the_defaults),
        CASE(vectors_without_settings_are_tried_with_capitals),
        CASE(words_are_normalised_as_in_counting),
        CASE(a_word_is_truncated_to_the_capacity),
        CASE(without_memory_exact_words_are_found_and_others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
