/* Inflected forms of words, learnt only from the vocabulary. */
#include "model/model_read.h"
#include "support/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A model of all stems with all endings, and some other words; lists are NULL-terminated. */
static psdvec_model *model_of(workshop *w, const char *const *stems, const char *const *endings,
                              const char *const *more)
{
    static char bytes[20000];
    static uint64_t offsets[2000];
    sample s;
    uint32_t count = 0;
    for (size_t i = 0; stems[i]; i++)
        for (size_t k = 0; endings[k]; k++) {
            int length = sprintf(bytes + offsets[count], "%s%s", stems[i], endings[k]);
            offsets[count + 1] = offsets[count] + (uint64_t)length;
            count++;
        }
    for (size_t i = 0; more[i]; i++) {
        int length = sprintf(bytes + offsets[count], "%s", more[i]);
        offsets[count + 1] = offsets[count] + (uint64_t)length;
        count++;
    }
    sample_make(&s, count, 3, 1);
    s.data.bytes = bytes;
    s.data.offsets = offsets;
    psdvec_model *m = open_sample(w, &s);
    sample_free(&s);
    return m;
}

/* The forms of a word, in the order of the vocabulary, separated by blanks. */
static void assert_forms(workshop *w, const psdvec_model *m, const char *word, const char *wanted)
{
    uint32_t forms[100];
    size_t count, all = 0;
    char text[2000] = "";
    assert_int_equal(psdvec_model_inflections(w->ctx, m, word, strlen(word), NULL, 0, &all),
                     PSDVEC_OK);
    assert_int_equal(psdvec_model_inflections(w->ctx, m, word, strlen(word), forms, 100, &count),
                     PSDVEC_OK);
    assert_int_equal(all, count);
    for (size_t k = 0; k < count; k++) {
        size_t length;
        const char *form = psdvec_model_word(m, forms[k], &length);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s", k ? " " : "",
                 (int)length, form);
    }
    assert_string_equal(text, wanted);
}

static const char *const nothing[] = {NULL};

static void english(void **state)
{
    workshop *w = *state;
    static const char *const stems[] = {"king",  "walk", "talk", "paint", "climb",
                                        "plant", "jump", "work", NULL};
    static const char *const endings[] = {"", "s", "ed", "ing", NULL};
    static const char *const more[] = {
        "king's", "kingdom", "freedom", "free", "cat",     "cats",  "many",
        "man",    "men",     "man's",   "kin",  "l'homme", "homme", "king\xe2\x80\x99s",
        NULL};
    psdvec_model *m = model_of(w, stems, endings, more);
    assert_forms(w, m, "king", "kings kinged kinging king's king\xe2\x80\x99s");
    assert_forms(w, m, "king's", "king king\xe2\x80\x99s");
    assert_forms(w, m, "walking", "walk walks walked"); /* one of the pairs is (ed, ing) */
    assert_forms(w, m, "cat", "cats");
    assert_forms(w, m, "kingdom", "");
    assert_forms(w, m, "man", "man's"); /* neither many nor men */
    assert_forms(w, m, "homme", "l'homme");
    assert_forms(w, m, "barks", ""); /* not a word of the model, ... */
    assert_forms(w, m, "walke", "");
    assert_forms(w, m, "cating", "cat cats"); /* ... but its forms are */
    assert_forms(w, m, "", "");
    assert_forms(w, m, "\xff\x80\x80", "");
    psdvec_model_close(m);
}

/* Stems and endings of multi-byte characters. */
static void russian(void **state)
{
    workshop *w = *state;
    static const char *const stems[] = {"книг", "рук", "гор", "рыб", "стран", "реб", NULL};
    static const char *const endings[] = {"а", "и", "у", "ами", NULL};
    static const char *const more[] = {"книжный", "гром", "рак", NULL};
    psdvec_model *m = model_of(w, stems, endings, more);
    assert_forms(w, m, "книга", "книги книгу книгами");
    assert_forms(w, m, "горами", "гора гори гору");
    assert_forms(w, m, "книжный", "");
    psdvec_model_close(m);
}

/* Vowel harmony makes two sets of endings for different words. */
static void turkish(void **state)
{
    workshop *w = *state;
    static const char *const hard[] = {"kitap", "adam", "okul", "masa", "kız", "başkan", NULL};
    static const char *const endings[] = {"", "lar", "da", "dan", NULL};
    static const char *const more[] = {"kitapçı", "maske", "adalet", NULL};
    psdvec_model *m = model_of(w, hard, endings, more);
    assert_forms(w, m, "okul", "okullar okulda okuldan");
    assert_forms(w, m, "başkanda", "başkan başkanlar başkandan");
    assert_forms(w, m, "adalet", "");
    psdvec_model_close(m);
}

/* No ending is frequent, so no word is a form of another. */
static void a_vocabulary_without_endings(void **state)
{
    workshop *w = *state;
    static const char *const words[] = {"中国", "中国人", "日本", "日本人", "a",
                                        "ab",   "abc",    "abcd", NULL};
    psdvec_model *m = model_of(w, nothing, nothing, words);
    assert_forms(w, m, "中国", "");
    assert_forms(w, m, "abc", "");
    psdvec_model_close(m);
}

static void bad_arguments(void **state)
{
    workshop *w = *state;
    static const char *const words[] = {"a", NULL};
    psdvec_model *m = model_of(w, nothing, nothing, words);
    size_t count = 7;
    uint32_t form;
    assert_int_equal(psdvec_model_inflections(w->ctx, NULL, "a", 1, &form, 1, &count),
                     PSDVEC_ERR_OPTION);
    assert_int_equal(count, 0);
    assert_int_equal(psdvec_model_inflections(w->ctx, m, NULL, 1, &form, 1, &count),
                     PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_model_inflections(w->ctx, m, "a", 1, NULL, 1, &count),
                     PSDVEC_ERR_OPTION);
    psdvec_model_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(english, workshop_open, workshop_close),
        cmocka_unit_test_setup_teardown(russian, workshop_open, workshop_close),
        cmocka_unit_test_setup_teardown(turkish, workshop_open, workshop_close),
        cmocka_unit_test_setup_teardown(a_vocabulary_without_endings, workshop_open,
                                        workshop_close),
        cmocka_unit_test_setup_teardown(bad_arguments, workshop_open, workshop_close),
    };
    return cmocka_run_group_tests_name("inflections", tests, NULL, NULL);
}
