/* The compact layout of small model files is lossless, and damaged files are refused. */
#include "base/safetensors_write.h"
#include "model/compact.h"
#include "support/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 6
static const char *const words[WORDS] = {"the", "paris", "grösse", "usa", "éa", "x"};
/* Same as the word; a capital; other letters; capitals; a non-ASCII capital; a single capital. */
static const char *const forms[WORDS] = {"", "Paris", "Größe", "USA", "Éa", "X"};
/* Decreasing, as usual; and arbitrary steps, as for words that were added later. */
static const uint64_t frequencies[2][WORDS] = {
    {900, 100, 100, 36, 35, 1}, {5, UINT64_MAX / 2, 0, UINT64_MAX / 2 - 300, 64, 200}};

/* A search model with these words. */
typedef struct small {
    sample s;
    char text[600], written[100];
    uint64_t offsets[WORDS + 1], form_offsets[WORDS + 1];
} small;

static void small_make(small *m, const uint64_t *counts)
{
    memset(m, 0, sizeof *m);
    sample_make(&m->s, WORDS, 4, 1);
    for (int i = 0; i < WORDS; i++) {
        strcat(m->text, words[i]);
        strcat(m->written, forms[i]);
        m->offsets[i + 1] = strlen(m->text);
        m->form_offsets[i + 1] = strlen(m->written);
    }
    m->s.data.bytes = m->text;
    m->s.data.offsets = m->offsets;
    m->s.data.forms = m->written;
    m->s.data.form_offsets = m->form_offsets;
    m->s.data.counts = counts;
    m->s.data.only_readout = true;
    m->s.data.precision = PSDVEC_INT8;
}

static void assert_text(const char *got, size_t length, const char *wanted)
{
    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(got, wanted, length);
}

static void assert_same(const psdvec_model *m, const uint64_t *counts)
{
    assert_int_equal(psdvec_model_get_info(m)->words, WORDS);
    for (uint32_t i = 0; i < WORDS; i++) {
        size_t length;
        uint32_t found;
        const char *text = psdvec_model_word(m, i, &length);
        assert_text(text, length, words[i]);
        text = psdvec_model_form(m, i, &length);
        assert_text(text, length, *forms[i] ? forms[i] : words[i]);
        assert_true(psdvec_model_frequency(m, i) == counts[i]);
        assert_true(psdvec_model_find(m, words[i], strlen(words[i]), &found) && found == i);
    }
}

static const char *version_of(const psdvec_model *m)
{
    return pv_st_meta(m->file, "version");
}

static void words_forms_and_frequencies_are_preserved(void **state)
{
    workshop *w = *state;
    for (int k = 0; k < 2; k++) {
        small s;
        small_make(&s, frequencies[k]);
        psdvec_model *m = open_sample(w, &s.s);
        assert_string_equal(version_of(m), "2");
        assert_same(m, frequencies[k]);
        assert_null(pv_st_tensor(m->file, "offsets"));
        /* Größe, USA and Éa; the other forms are derived from their words. */
        assert_int_equal(pv_st_tensor(m->file, "forms")->bytes, 7 + 3 + 3);
        assert_int_equal(psdvec_model_verify(w->ctx, m), PSDVEC_OK);
        psdvec_model_close(m);
        sample_free(&s.s);
    }
}

static void unknown_values_are_omitted(void **state)
{
    workshop *w = *state;
    small s;
    small_make(&s, NULL);
    s.s.data.forms = NULL;
    s.s.data.form_offsets = NULL;
    psdvec_model *m = open_sample(w, &s.s);
    size_t length;
    assert_string_equal(version_of(m), "2");
    assert_false(psdvec_model_get_info(m)->has_counts);
    const char *form = psdvec_model_form(m, 1, &length);
    assert_text(form, length, "paris");
    psdvec_model_close(m);
    sample_free(&s.s);
}

static void other_models_keep_version_1(void **state)
{
    workshop *w = *state;
    for (int k = 0; k < 4; k++) {
        small s;
        small_make(&s, frequencies[0]);
        if (k == 0)
            s.s.data.only_readout = false;
        if (k == 1)
            s.s.data.precision = PSDVEC_FLOAT16;
        if (k >= 2) { /* a last word of 255 bytes fits, one of 256 does not */
            s.s.data.form_offsets = NULL;
            memset(s.text + s.offsets[WORDS - 1], 'y', 256);
            s.offsets[WORDS] = s.offsets[WORDS - 1] + (k == 2 ? 256 : 255);
        }
        psdvec_model *m = open_sample(w, &s.s);
        size_t length;
        assert_string_equal(version_of(m), k == 3 ? "2" : "1");
        if (k < 2)
            assert_same(m, frequencies[0]);
        psdvec_model_word(m, WORDS - 1, &length);
        assert_int_equal(length, s.offsets[WORDS] - s.offsets[WORDS - 1]);
        psdvec_model_close(m);
        sample_free(&s.s);
    }
}

/* Words "ab" and "c", with these tensors; lengths of -1: missing tensor. */
typedef struct damage {
    const char *word_lengths, *form_lengths, *form_text, *deltas;
    int64_t word_count, form_count, form_bytes, delta_bytes;
    const char *sentence; /* NULL: valid */
} damage;

static void put(pv_st_writer *writer, const char *name, const char *data, int64_t count)
{
    uint64_t shape = (uint64_t)count;
    if (count >= 0)
        assert_int_equal(pv_st_writer_tensor(writer, name, PV_DTYPE_U8, 1, &shape, data), 0);
}

static void write_damaged(workshop *w, const damage *d)
{
    static const pv_st_pair meta[] = {{"format", "psdvec.model"}, {"version", "2"}};
    static const float scale[2] = {1, 1};
    static const int8_t vectors[4] = {1, 2, 3, 4};
    pv_output *output;
    pv_st_writer *writer;
    pv_begin(w->ctx);
    assert_int_equal(pv_output_open(w->ctx, w->in, &output), PSDVEC_OK);
    assert_int_equal(pv_st_writer_begin(w->ctx, pv_st_output_sink(output), 9, meta, 2, 0, &writer),
                     PSDVEC_OK);
    put(writer, "words", "abc", 3);
    put(writer, "words.lengths", d->word_lengths, d->word_count);
    put(writer, "forms", d->form_text, d->form_bytes);
    put(writer, "forms.lengths", d->form_lengths, d->form_count);
    put(writer, "counts.deltas", d->deltas, d->delta_bytes);
    assert_int_equal(pv_st_writer_tensor(writer, "scale", PV_DTYPE_F32, 1, (uint64_t[]){2}, scale),
                     PSDVEC_OK);
    assert_int_equal(
        pv_st_writer_tensor(writer, "vectors", PV_DTYPE_I8, 2, (uint64_t[]){2, 2}, vectors),
        PSDVEC_OK);
    assert_int_equal(pv_st_writer_end(writer, NULL), PSDVEC_OK);
    pv_st_writer_free(writer);
    assert_int_equal(pv_output_commit(output), PSDVEC_OK);
}

static void damaged_files_fail_with_a_message(void **state)
{
    workshop *w = *state;
    static const char long_number[] = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x02";
    static const damage files[] = {
        {"\2\1", "\xFF\0", "", "\x04\x01", 2, 2, 0, 2, NULL},
        {"\2\1", NULL, NULL, NULL, 2, -1, -1, -1, NULL},
        {NULL, NULL, NULL, NULL, -1, -1, -1, -1, "words.lengths"},
        {"", NULL, NULL, NULL, 0, -1, -1, -1, "no words"},
        {"\3\0", NULL, NULL, NULL, 2, -1, -1, -1, "a word is empty"},
        {"\2\2", NULL, NULL, NULL, 2, -1, -1, -1, "do not add up"},
        {"\1\1", NULL, NULL, NULL, 2, -1, -1, -1, "do not add up"},
        {"\2\1", "\1\0\0", "A", NULL, 2, 3, 1, -1, "forms.lengths"},
        {"\2\1", "\1\1", NULL, NULL, 2, 2, -1, -1, "forms"},
        {"\2\1", "\1\1", "A", NULL, 2, 2, 1, -1, "forms do not add up"},
        {"\2\1", "\1\xFF", "AB", NULL, 2, 2, 2, -1, "forms do not add up"},
        {"\2\1", NULL, NULL, "\4", 2, -1, -1, 1, "within a number"},
        {"\2\1", NULL, NULL, "\4\x81", 2, -1, -1, 2, "within a number"},
        {"\2\1", NULL, NULL, long_number, 2, -1, -1, 12, "within a number"},
        {"\2\1", NULL, NULL, "\4\1\1", 2, -1, -1, 3, "more frequencies than words"},
    };
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        psdvec_model *m;
        write_damaged(w, &files[k]);
        psdvec_status got = psdvec_model_open(w->ctx, w->in, &m);
        const char *message = psdvec_error_message(w->ctx);
        if (!files[k].sentence)
            assert_int_equal(got, PSDVEC_OK);
        else if (got == PSDVEC_OK || !strstr(message, files[k].sentence) || !strstr(message, w->in))
            fail_msg("file %zu: wanted \"%s\", got: %s", k, files[k].sentence, message);
        psdvec_model_close(m);
    }
}

/* The first byte of a capitalised word must be a letter from a to z. */
static void only_small_letters_get_capitals(void **state)
{
    workshop *w = *state;
    small s;
    size_t length;
    small_make(&s, frequencies[0]);
    psdvec_model_close(open_sample(w, &s.s));
    char *bytes = scratch_read(w->out, &length);
    char *word = memmem(bytes, length, "theparis", 8);
    assert_non_null(word);
    word[3] = 'P';
    scratch_write(w->in, bytes, length);
    psdvec_model *m;
    assert_int_equal(psdvec_model_open(w->ctx, w->in, &m), PSDVEC_ERR_CORRUPT);
    assert_non_null(strstr(psdvec_error_message(w->ctx), "is to get a capital"));
    free(bytes);
    sample_free(&s.s);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        CASE(words_forms_and_frequencies_are_preserved),
        CASE(unknown_values_are_omitted),
        CASE(other_models_keep_version_1),
        CASE(damaged_files_fail_with_a_message),
        CASE(only_small_letters_get_capitals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
