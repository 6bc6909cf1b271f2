/* Public calls with NULL arguments or an index out of range. */
#include "base/arguments.h"
#include "model/sparse_file.h"
#include "support/documents.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_refused(workshop *w, psdvec_status status, const char *sentence)
{
    assert_int_equal(status, PSDVEC_ERR_OPTION);
    assert_string_equal(psdvec_error_message(w->ctx), sentence);
}

/* ---- The macros ------------------------------------------------------------------------------ */

static psdvec_status a_call(psdvec_context *context, const int *model, const char *const *inputs,
                            size_t input_count, const int *list, size_t list_count, uint32_t word)
{
    PV_BEGIN(context);
    PV_NEED(context, model);
    PV_NEED_EACH(context, inputs, input_count);
    PV_NEED_ARRAY(context, list, list_count);
    PV_NEED_INDEX(context, word, 7U);
    return PSDVEC_OK;
}

static void null_and_bad_indices_are_refused_by_name(void **state)
{
    workshop *w = *state;
    psdvec_context *ctx = w->ctx;
    const int x = 0;
    const char *inputs[] = {"a", "b"}, *holes[] = {"a", NULL};
    assert_int_equal(a_call(ctx, &x, inputs, 2, &x, 1, 6), PSDVEC_OK);
    assert_int_equal(a_call(ctx, &x, NULL, 0, NULL, 0, 6), PSDVEC_OK);
    assert_refused(w, a_call(ctx, NULL, inputs, 2, &x, 1, 6),
                   "NULL was given for `model`, which is required");
    assert_refused(w, a_call(ctx, &x, NULL, 2, &x, 1, 6),
                   "NULL was given for `inputs`, but its number of elements is 2");
    assert_refused(w, a_call(ctx, &x, holes, 2, &x, 1, 6), "NULL was given for `inputs[1]`");
    assert_refused(w, a_call(ctx, &x, inputs, 2, NULL, 3, 6),
                   "NULL was given for `list`, but its number of elements is 3");
    assert_refused(w, a_call(ctx, &x, inputs, 2, &x, 1, 7), "`word` is 7, but must be less than 7");
    assert_int_equal(a_call(NULL, &x, inputs, 2, &x, 1, 6), PSDVEC_ERR_OPTION);
    assert_int_equal(a_call(ctx, &x, inputs, 2, &x, 1, 0), PSDVEC_OK);
    assert_string_equal(psdvec_error_message(ctx), "");
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* Two words, a and b, with three dimensions. */
static psdvec_model *open_pair(workshop *w)
{
    static const char text[] = "a 1 2 3\nb 3 2 1\n";
    scratch_write(w->in, text, strlen(text));
    return open_model(w, w->in);
}

static void check_model_getters(const psdvec_model *m, uint32_t i, bool there)
{
    size_t length = 99, count = 99;
    const uint32_t *columns = NULL;
    const float *values = NULL;
    float vector[3] = {7, 7, 7};
    bool sparse = m && psdvec_model_get_info(m)->sparse;
    assert_true((psdvec_model_word(m, i, &length) != NULL) == there);
    assert_true((psdvec_model_form(m, i, &length) != NULL) == there);
    assert_int_equal(length, there ? 1 : 0);
    assert_true((psdvec_model_word(m, i, NULL) != NULL) == there);
    assert_true((psdvec_model_vector(m, i) != NULL) == (there && !sparse));
    assert_int_equal(psdvec_model_frequency(m, i), 0);
    assert_true(there ? psdvec_model_spread(m, i) == 0 : isnan(psdvec_model_spread(m, i)));
    assert_true(there ? psdvec_model_unigram(m, i) == 0 : isnan(psdvec_model_unigram(m, i)));
    assert_true(isnan(psdvec_model_product(m, i, 0)) == !there);
    assert_true(isnan(psdvec_model_product(m, 0, i)) == !there);
    assert_true(isnan(psdvec_model_cosine(m, i, 0)) == !there);
    assert_true(isnan(psdvec_model_cosine(m, 0, i)) == !there);
    assert_true(psdvec_model_copy(m, i, vector) == there);
    assert_true(m && !there ? vector[0] == 0 && vector[2] == 0 : vector[0] != 0);
    psdvec_model_sparse_row(m, i, &columns, &values, &count);
    assert_true(count == (there && sparse ? 2 : 0));
    psdvec_model_sparse_row(m, i, NULL, NULL, NULL);
}

static void getters_of_models_accept_any_index(void **state)
{
    workshop *w = *state;
    psdvec_model *m = open_pair(w);
    for (uint32_t i = 0; i < 2; i++)
        check_model_getters(m, i, true);
    check_model_getters(m, 2, false);
    check_model_getters(m, UINT32_MAX, false);
    check_model_getters(NULL, 0, false);
    uint32_t i;
    float vector[3];
    assert_true(psdvec_model_find(m, "b", 1, &i) && i == 1);
    assert_false(psdvec_model_find(NULL, "b", 1, &i) || psdvec_model_find(m, NULL, 0, &i) ||
                 psdvec_model_find(m, "b", 1, NULL));
    assert_null(psdvec_model_get_info(NULL));
    assert_false(psdvec_model_copy(m, 0, NULL));
    assert_false(psdvec_model_spell(NULL, "b", 1, vector) ||
                 psdvec_model_spell(m, NULL, 0, vector) || psdvec_model_spell(m, "b", 1, NULL));
    psdvec_model_close(m);
}

static void getters_of_sparse_models_accept_any_index(void **state)
{
    workshop *w = *state;
    const uint64_t offsets[] = {0, 1, 2}, begin[] = {0, 2, 4};
    const uint32_t column[] = {0, 1, 0, 2};
    const float value[] = {1, 2, 3, 4};
    const pv_sparse_model_data data = {
        .rows = pv_csr_of(2, 3, begin, column, value), .bytes = "ab", .offsets = offsets};
    assert_int_equal(pv_sparse_model_write(w->ctx, &data, w->out), PSDVEC_OK);
    psdvec_model *m = open_model(w, w->out);
    check_model_getters(m, 0, true);
    check_model_getters(m, 1, true);
    check_model_getters(m, 2, false);
    check_model_getters(m, UINT32_MAX, false);
    psdvec_model_close(m);
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static psdvec_counts *open_counts(workshop *w)
{
    static const char text[] = "a b a b a\n";
    const char *inputs[] = {w->in};
    psdvec_count_options options;
    psdvec_counts *counts;
    scratch_write(w->in, text, strlen(text));
    psdvec_count_options_default(&options);
    options.min_count = 1;
    assert_int_equal(psdvec_count(w->ctx, &options, inputs, 1, w->out, NULL), PSDVEC_OK);
    assert_int_equal(psdvec_counts_open(w->ctx, w->out, &counts), PSDVEC_OK);
    return counts;
}

static void check_counts_getters(const psdvec_counts *c, uint32_t i, bool there)
{
    size_t length = 99;
    psdvec_row row = {.length = 99};
    assert_true((psdvec_counts_word(c, i, &length) != NULL) == there);
    assert_int_equal(length, there ? 1 : 0);
    assert_true((psdvec_counts_frequency(c, i) > 0) == there);
    assert_true((psdvec_counts_context_total(c, i) > 0) == there);
    assert_true((psdvec_counts_focus_total(c, i) > 0) == there);
    assert_true(there ? psdvec_counts_retention(c, i) == 1 : isnan(psdvec_counts_retention(c, i)));
    psdvec_counts_row(c, i, &row);
    assert_int_equal(row.length, there ? 2 : 0);
    assert_true((psdvec_counts_get(c, i, 0) > 0) == there);
    assert_true((psdvec_counts_get(c, 0, i) > 0) == there);
    psdvec_counts_row(c, i, NULL);
}

static void getters_of_counts_accept_any_index(void **state)
{
    workshop *w = *state;
    psdvec_counts *c = open_counts(w);
    uint32_t i;
    check_counts_getters(c, 0, true);
    check_counts_getters(c, 1, true);
    check_counts_getters(c, 2, false);
    check_counts_getters(c, UINT32_MAX, false);
    check_counts_getters(NULL, 0, false);
    assert_null(psdvec_counts_get_info(NULL));
    assert_false(psdvec_counts_find(NULL, "a", 1, &i) || psdvec_counts_find(c, NULL, 0, &i) ||
                 psdvec_counts_find(c, "a", 1, NULL));
    psdvec_counts_close(c);
}

/* ---- Every public call with NULL for every argument ------------------------------------------ */

/* The objects that the calls need, and the arguments that are NULL. */
typedef struct bench {
    trained *t;
    psdvec_context *ctx;
    psdvec_scorer *scorer;
    psdvec_counts *adjacent; /* counts of adjacent words */
    psdvec_settings *settings;
    psdvec_report *report;
    psdvec_test *test;
    psdvec_test_list *test_list;
    psdvec_topics *topics, *labelled;
    psdvec_map *map;
    psdvec_description *description;
    char *letters; /* a text that has words with any options */
    char *output, *list, *glove, *tests, *folder, *kept, *phrases, *topics_path, *map_path,
        *map_table;
    const char *null; /* names separated by blanks: " ctx report " */
    atomic_bool stop; /* cancels the call */
} bench;

static bool is_null(const bench *b, const char *name)
{
    char between[80];
    snprintf(between, sizeof between, " %s ", name);
    return strstr(b->null, between) != NULL;
}
/* The argument of this name. */
#define GIVE(name, value) (is_null(b, #name) ? NULL : (value))
#define GIVE_ELEMENT(name, value) (is_null(b, name) ? NULL : (value))

/* For functions that return no status: whether they returned something. */
static psdvec_status answers(bool something)
{
    return something ? PSDVEC_OK : PSDVEC_ERR_OPTION;
}

#define NO_OBJECT ((void *)(uintptr_t)64)

/* For functions that create an object: it exists after success and is NULL after failure. */
static psdvec_status made(const bench *b, const char *name, psdvec_status status, void **object)
{
    if (status == PSDVEC_OK)
        assert_true(*object && *object != NO_OBJECT);
    else if (!is_null(b, name))
        assert_null(*object);
    if (status != PSDVEC_OK)
        *object = NULL;
    return status;
}

#define CALL(function, ...)                                                                        \
    static psdvec_status call_##function(bench *b)                                                 \
    {                                                                                              \
        return function(__VA_ARGS__);                                                              \
    }
#define GETTER(function, something, ...)                                                           \
    static psdvec_status call_##function(bench *b)                                                 \
    {                                                                                              \
        (void)b;                                                                                   \
        return answers(function(__VA_ARGS__) something);                                           \
    }
/* For functions that accept any argument. */
#define ANYTHING(function, ...)                                                                    \
    static psdvec_status call_##function(bench *b)                                                 \
    {                                                                                              \
        (void)b;                                                                                   \
        function(__VA_ARGS__);                                                                     \
        return PSDVEC_OK;                                                                          \
    }
#define MAKER(function, type, name, close, ...)                                                    \
    static psdvec_status call_##function(bench *b)                                                 \
    {                                                                                              \
        type *object = NO_OBJECT;                                                                  \
        psdvec_status status = function(__VA_ARGS__, GIVE(name, &object));                         \
        made(b, #name, status, (void **)&object);                                                  \
        close(object);                                                                             \
        return status;                                                                             \
    }
#define CHECKER(function, type)                                                                    \
    static psdvec_status call_##function(bench *b)                                                 \
    {                                                                                              \
        type options;                                                                              \
        fill_##type(&options);                                                                     \
        return function(GIVE(ctx, b->ctx), GIVE(options, &options));                               \
    }

#define CTX GIVE(ctx, b->ctx)
#define THE_MODEL GIVE(model, b->t->model)
#define THE_COUNTS GIVE(counts, b->t->counts)
#define THE_SCORER GIVE(scorer, b->scorer)
#define THE_SETTINGS GIVE(settings, b->settings)
#define THE_OUTPUT GIVE(output, b->output)
/* An array of one path. */
#define INPUTS(name, path)                                                                         \
    GIVE(name, ((const char *const[]){GIVE_ELEMENT(#name "[0]", path)})), (size_t)1
#define TEXT_INPUT INPUTS(inputs, b->t->text)

/* ---- context.h */
ANYTHING(psdvec_context_free, NULL)
GETTER(psdvec_cancel_if_set, , GIVE(user, (void *)"1"))
CALL(psdvec_context_join, CTX,
     GIVE(group, (&(psdvec_group){.size = sizeof(psdvec_group), .members = 1})))
GETTER(psdvec_error_message, != NULL, CTX)
GETTER(psdvec_peak_memory, > 0, CTX)
GETTER(psdvec_threads, > 0, CTX)
GETTER(psdvec_memory_budget, > 0, CTX)
static psdvec_status call_psdvec_context_new(bench *b)
{
    psdvec_context *object = NO_OBJECT;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    psdvec_status status = psdvec_context_new(GIVE(options, &options), GIVE(ctx, &object));
    made(b, "ctx", status, (void **)&object);
    psdvec_context_free(object);
    return status;
}

/* ---- options.h */
GETTER(psdvec_options_find, != NULL, PSDVEC_OPTIONS_TRAIN, GIVE(name, "dim"))
GETTER(psdvec_option_default, != NULL,
       GIVE(option, psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "dim")), GIVE(preset, "paper"))
GETTER(psdvec_options_hold, , PSDVEC_OPTIONS_TRAIN, GIVE(options, &b->t->training),
       GIVE(condition, "weights=factored"))
GETTER(psdvec_suggest, != NULL, GIVE(word, "dimm"),
       GIVE(candidates, ((const char *const[]){"dim", NULL})))
GETTER(psdvec_edit_distance, < 3, GIVE(a, "ab"), 2, GIVE(b, "ac"), 2, 3)
ANYTHING(psdvec_settings_free, NULL)
ANYTHING(psdvec_origin_free, NULL)
GETTER(psdvec_settings_get, != NULL, THE_SETTINGS, GIVE(name, "dim"))
CALL(psdvec_settings_set, THE_SETTINGS, GIVE(name, "dim"), GIVE(text, "7"))
ANYTHING(psdvec_settings_apply, THE_SETTINGS, GIVE(options, &b->t->training))
CALL(psdvec_settings_finish, THE_SETTINGS)
GETTER(psdvec_settings_message, != NULL, THE_SETTINGS)
GETTER(psdvec_settings_struct, != NULL, THE_SETTINGS)
static psdvec_status call_psdvec_options_init(bench *b)
{
    psdvec_train_options options;
    psdvec_options_init(PSDVEC_OPTIONS_TRAIN, GIVE(options, &options), sizeof options, 0,
                        GIVE(preset, "paper"));
    return PSDVEC_OK;
}
static psdvec_status call_psdvec_option_range(bench *b)
{
    const psdvec_option *dim = psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "dim");
    char text[200] = "";
    psdvec_option_range(GIVE(option, dim), GIVE(text, (char *)text), sizeof text);
    return answers(*text != 0);
}
static psdvec_status call_psdvec_condition_text(bench *b)
{
    char text[200] = "";
    psdvec_condition_text(PSDVEC_OPTIONS_TRAIN, GIVE(condition, "rho>0"), GIVE(text, (char *)text),
                          sizeof text);
    return answers(*text != 0);
}
static psdvec_status call_psdvec_option_parse(bench *b)
{
    psdvec_option_value value;
    char why[100];
    const psdvec_option *dim = psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "dim");
    return answers(psdvec_option_parse(GIVE(option, dim), GIVE(shown, "--dim"), GIVE(text, "7"),
                                       GIVE(value, &value), GIVE(why, why), sizeof why));
}
static psdvec_status call_psdvec_settings_new(bench *b)
{
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, GIVE(preset, "paper"));
    psdvec_status status = answers(s != NULL);
    psdvec_settings_free(s);
    return status;
}

/* ---- text.h */
static void hear_token(void *user, const char *word, size_t length)
{
    (void)user;
    (void)word;
    (void)length;
}
static psdvec_status call_psdvec_tokenize(bench *b)
{
    psdvec_text_options options;
    psdvec_text_options_default(&options);
    return psdvec_tokenize(CTX, GIVE(options, &options), GIVE(text, "a b"), 3,
                           GIVE(on_token, hear_token), GIVE(user, b));
}
static psdvec_status call_psdvec_tokenize_inputs(bench *b)
{
    psdvec_text_options options;
    psdvec_text_options_default(&options);
    return psdvec_tokenize_inputs(CTX, GIVE(options, &options), TEXT_INPUT,
                                  GIVE(on_token, hear_token), GIVE(user, b));
}

/* ---- phrases.h */
static psdvec_status call_psdvec_phrases_find(bench *b)
{
    psdvec_phrases_options options;
    psdvec_text_options text;
    psdvec_phrases_options_default(&options);
    psdvec_text_options_default(&text);
    return psdvec_phrases_find(CTX, GIVE(options, &options), GIVE(text, &text), TEXT_INPUT,
                               GIVE(list, b->output), GIVE(joined, NULL),
                               GIVE(report, &(psdvec_phrases_report){0}));
}
static psdvec_status call_psdvec_phrases_join(bench *b)
{
    psdvec_text_options text;
    psdvec_text_options_default(&text);
    text.phrases = b->phrases;
    return psdvec_phrases_join(CTX, GIVE(text, &text), TEXT_INPUT, THE_OUTPUT,
                               GIVE(report, &(psdvec_phrases_report){0}));
}

/* ---- counts.h */
CALL(psdvec_count_options_check, CTX, GIVE(options, &b->t->counting))
CALL(psdvec_count, CTX, GIVE(options, &b->t->counting), TEXT_INPUT, THE_OUTPUT,
     GIVE(report, &(psdvec_count_report){0}))
MAKER(psdvec_counts_open, psdvec_counts, counts, psdvec_counts_close, CTX,
      GIVE(path, b->t->counts_path))
ANYTHING(psdvec_counts_close, NULL)
CALL(psdvec_counts_verify, CTX, THE_COUNTS)
CALL(psdvec_counts_check_rows, CTX, THE_COUNTS)
GETTER(psdvec_counts_get_info, != NULL, THE_COUNTS)
MAKER(psdvec_counts_settings, psdvec_settings, settings, psdvec_settings_free, CTX, THE_COUNTS)
MAKER(psdvec_counts_origin, psdvec_origin, origin, psdvec_origin_free, CTX, THE_COUNTS)
CALL(psdvec_file_checksum, CTX, GIVE(path, b->tests), GIVE(checksum, &(uint64_t){0}))
MAKER(psdvec_model_origin, psdvec_origin, origin, psdvec_origin_free, CTX, THE_MODEL)
GETTER(psdvec_counts_word, != NULL, THE_COUNTS, 0, GIVE(length, &(size_t){0}))
GETTER(psdvec_counts_find, , THE_COUNTS, GIVE(word, "w1"), 2, GIVE(i, &(uint32_t){0}))
GETTER(psdvec_counts_frequency, > 0, THE_COUNTS, 0)
GETTER(psdvec_counts_context_total, > 0, THE_COUNTS, 0)
GETTER(psdvec_counts_focus_total, > 0, THE_COUNTS, 0)
GETTER(psdvec_counts_retention, > 0, THE_COUNTS, 0)
ANYTHING(psdvec_counts_row, THE_COUNTS, 0, GIVE(row, &(psdvec_row){0}))
GETTER(psdvec_counts_get, > 0, THE_COUNTS, 0, 1)
CALL(psdvec_counts_merge, CTX, INPUTS(paths, b->t->counts_path), THE_OUTPUT,
     GIVE(report, &(psdvec_count_report){0}))
CALL(psdvec_counts_export, CTX, THE_COUNTS, PSDVEC_FORMAT_GLOVE, true, THE_OUTPUT,
     GIVE(vocab_output, b->list))
static psdvec_status call_psdvec_counts_import(bench *b)
{
    psdvec_import_options options;
    psdvec_import_options_default(&options);
    options.vocab_file = b->list;
    options.symmetric = true;
    return psdvec_counts_import(CTX, GIVE(options, &options), GIVE(input, b->glove), THE_OUTPUT,
                                GIVE(report, &(psdvec_count_report){0}));
}

/* ---- train.h */
CALL(psdvec_train_options_check, CTX, GIVE(options, &b->t->training))
CALL(psdvec_train, CTX, GIVE(options, &b->t->training), GIVE(counts, b->t->counts_path), THE_OUTPUT,
     GIVE(report, &(psdvec_train_report){0}))
CALL(psdvec_train_text, CTX, GIVE(options, &b->t->training), GIVE(count, &b->t->counting),
     INPUTS(inputs, b->letters), THE_OUTPUT, GIVE(count_report, &(psdvec_count_report){0}),
     GIVE(report, &(psdvec_train_report){0}))
CALL(psdvec_train_plan_make, CTX, GIVE(options, &b->t->training), GIVE(counts, b->t->counts_path),
     GIVE(plan, &(psdvec_train_plan){0}))
static psdvec_status call_psdvec_extend(bench *b)
{
    psdvec_extend_options options;
    psdvec_extend_options_default(&options);
    options.min_count = 1;
    return psdvec_extend(CTX, GIVE(options, &options), GIVE(model, b->t->model_path), TEXT_INPUT,
                         THE_OUTPUT, GIVE(report, &(psdvec_extend_report){0}));
}

/* ---- model.h */
static const float some_vector[DIM] = {1, 2, 3};
static float a_vector[DIM];
static psdvec_neighbour near[2];
static size_t a_size;
static uint32_t a_number;
static psdvec_query_options query(void)
{
    return without(NULL, 0);
}

MAKER(psdvec_model_open, psdvec_model, model, psdvec_model_close, CTX, GIVE(path, b->t->model_path))
ANYTHING(psdvec_model_close, NULL)
CALL(psdvec_model_verify, CTX, THE_MODEL)
CALL(psdvec_model_check_word, CTX, THE_MODEL, 0)
GETTER(psdvec_model_get_info, != NULL, THE_MODEL)
MAKER(psdvec_model_settings, psdvec_settings, settings, psdvec_settings_free, CTX, THE_MODEL,
      PSDVEC_OPTIONS_TRAIN)
GETTER(psdvec_model_word, != NULL, THE_MODEL, 0, GIVE(length, &a_size))
GETTER(psdvec_model_form, != NULL, THE_MODEL, 0, GIVE(length, &a_size))
GETTER(psdvec_model_find, , THE_MODEL, GIVE(word, "w1"), 2, GIVE(i, &a_number))
CALL(psdvec_model_find_normalized, CTX, THE_MODEL, GIVE(text, "W1"), 2, GIVE(i, &a_number))
CALL(psdvec_model_normalize, CTX, THE_MODEL, GIVE(text, "W1"), 2, GIVE(word, (char[8]){0}), 8,
     GIVE(needed, &a_size))
static void hear_part(void *user, const char *word, size_t length, uint32_t i)
{
    (void)user, (void)word, (void)length, (void)i;
}
CALL(psdvec_model_tokenize, CTX, THE_MODEL, GIVE(text, "W1"), 2, GIVE(on_token, hear_token),
     GIVE(user, b))
CALL(psdvec_model_find_parts, CTX, THE_MODEL, GIVE(text, "W1"), 2, GIVE(on_part, hear_part),
     GIVE(user, &a_size))
CALL(psdvec_model_suggest, CTX, THE_MODEL, GIVE(word, "w1"), 2, 1, GIVE(words, (uint32_t[8]){0}), 8,
     GIVE(count, &a_size))
CALL(psdvec_model_inflections, CTX, THE_MODEL, GIVE(word, "w1"), 2, GIVE(forms, (uint32_t[8]){0}),
     8, GIVE(count, &a_size))
MAKER(psdvec_model_with_spelling, psdvec_model, view, psdvec_model_close, CTX, THE_MODEL, 0.5)
GETTER(psdvec_model_vector, != NULL, THE_MODEL, 0)
GETTER(psdvec_model_vector_copy, , THE_MODEL, 0, GIVE(vector, a_vector))
GETTER(psdvec_model_frequency, > 0, THE_MODEL, 0)
GETTER(psdvec_model_spread, >= 0, THE_MODEL, 0)
GETTER(psdvec_model_unigram, > 0, THE_MODEL, 0)
GETTER(psdvec_model_product, > -1e9, THE_MODEL, 0, 1)
ANYTHING(psdvec_model_spell, THE_MODEL, GIVE(word, "w1"), 2, GIVE(vector, a_vector))
GETTER(psdvec_model_copy, , THE_MODEL, 0, GIVE(vector, a_vector))
ANYTHING(psdvec_model_sparse_row, THE_MODEL, 0, GIVE(columns, &(const uint32_t *){NULL}),
         GIVE(values, &(const float *){NULL}), GIVE(count, &a_size))
GETTER(psdvec_model_cosine, >= -1, THE_MODEL, 0, 1)
CALL(psdvec_model_similar, CTX, THE_MODEL, GIVE(vector, some_vector),
     GIVE(options, (psdvec_query_options[]){query()}), 2, GIVE(neighbours, near),
     GIVE(found, &a_size))
CALL(psdvec_model_similar_many, CTX, THE_MODEL, GIVE(vectors, some_vector), 1,
     GIVE(options, (psdvec_query_options[]){query()}), 2, GIVE(neighbours, near),
     GIVE(found, &a_size))
CALL(psdvec_model_explain_pair, CTX, THE_MODEL, THE_COUNTS, 0, 1,
     GIVE(explanation, &(psdvec_pair_explanation){0}))
GETTER(psdvec_vectors_format_of, , GIVE(path, "a.vec"), GIVE(format, &(psdvec_vectors_format){0}))
static psdvec_status call_psdvec_model_readout(bench *b)
{
    const float *vectors = NO_OBJECT;
    psdvec_status status = psdvec_model_readout(CTX, THE_MODEL, GIVE(vectors, &vectors));
    return made(b, "vectors", status, (void **)&vectors);
}
static psdvec_status call_psdvec_convert(bench *b)
{
    psdvec_convert_options options;
    psdvec_convert_options_default(&options);
    return psdvec_convert(CTX, GIVE(options, &options), GIVE(input, b->t->model_path), THE_OUTPUT);
}

/* ---- eval.h */
MAKER(psdvec_test_open, psdvec_test, test, psdvec_test_close, CTX, GIVE(path, b->tests))
MAKER(psdvec_test_list_open, psdvec_test_list, list, psdvec_test_list_close, CTX,
      GIVE(path, b->tests))
ANYTHING(psdvec_test_list_close, NULL)
GETTER(psdvec_test_list_get, != NULL, GIVE(list, b->test_list), GIVE(count, &a_size))
GETTER(psdvec_test_list_path, != NULL, GIVE(list, b->test_list), 0)
CALL(psdvec_test_detect, CTX, GIVE(path, b->tests), GIVE(found, &(bool){false}),
     GIVE(kind, &(psdvec_test_kind){0}))
MAKER(psdvec_test_builtin, psdvec_test, test, psdvec_test_close, CTX, 0)
ANYTHING(psdvec_test_close, NULL)
GETTER(psdvec_test_get_info, != NULL, GIVE(test, b->test))
GETTER(psdvec_test_section, != NULL, GIVE(test, b->test), 0)
ANYTHING(psdvec_report_free, NULL)
GETTER(psdvec_report_scores, != NULL, GIVE(report, b->report), GIVE(count, &a_size))
GETTER(psdvec_report_mistakes, != NULL, GIVE(report, b->report), GIVE(count, &a_size))
GETTER(psdvec_report_differences, != NULL, GIVE(report, b->report), GIVE(count, &a_size))
CALL(psdvec_model_analogy, CTX, THE_MODEL, PSDVEC_MEASURE_ADD, GIVE(a, some_vector),
     GIVE(b, some_vector), GIVE(c, some_vector), GIVE(options, (psdvec_query_options[]){query()}),
     2, GIVE(answers, near), GIVE(found, &a_size))
static psdvec_status call_psdvec_eval(bench *b)
{
    psdvec_eval_options options;
    psdvec_report *object = NO_OBJECT;
    const psdvec_model *models[] = {GIVE_ELEMENT("models[0]", b->t->model), b->t->model};
    const psdvec_test *tests[] = {GIVE_ELEMENT("tests[0]", b->test)};
    psdvec_eval_options_default(&options);
    options.resamples = 100;
    psdvec_status status = psdvec_eval(CTX, GIVE(options, &options), GIVE(models, models), 2,
                                       GIVE(tests, tests), 1, GIVE(report, &object));
    made(b, "report", status, (void **)&object);
    psdvec_report_free(object);
    return status;
}

/* ---- document.h */
static void hear_draw(void *user, uint32_t word)
{
    (void)user;
    (void)word;
}
static void hear_residual(void *user, const psdvec_residual *residual)
{
    (void)user;
    (void)residual;
}
static const uint32_t some_words[2] = {1, PSDVEC_UNKNOWN_WORD};

static psdvec_status call_psdvec_scorer_open(bench *b)
{
    psdvec_scorer_options options;
    psdvec_scorer *object = NO_OBJECT;
    psdvec_scored_model models[] = {{GIVE_ELEMENT("models[0].model", b->t->model), NULL}};
    psdvec_scorer_options_default(&options);
    psdvec_status status = psdvec_scorer_open(CTX, GIVE(options, &options), GIVE(models, models), 1,
                                              GIVE(scorer, &object));
    made(b, "scorer", status, (void **)&object);
    psdvec_scorer_close(object);
    return status;
}
ANYTHING(psdvec_scorer_close, NULL)
/* The other calls score text with the scorer of the bench. */
static psdvec_status call_psdvec_scorer_bigrams(bench *b)
{
    psdvec_scored_model model = {b->t->model, NULL};
    psdvec_scorer *fresh;
    bool stop = atomic_exchange(&b->stop, false);
    well(b->ctx, psdvec_scorer_open(b->ctx, NULL, &model, 1, &fresh));
    atomic_store(&b->stop, stop);
    psdvec_status status =
        psdvec_scorer_bigrams(GIVE(scorer, fresh), 0, GIVE(bigrams, b->adjacent));
    psdvec_scorer_close(fresh);
    return status;
}
CALL(psdvec_scorer_word, THE_SCORER, GIVE(word, "w1"), 2)
CALL(psdvec_scorer_pause, THE_SCORER)
CALL(psdvec_scorer_end, THE_SCORER)
CALL(psdvec_scorer_finish, THE_SCORER)
CALL(psdvec_scorer_text, THE_SCORER, GIVE(text, "w1 w2"), 5)
CALL(psdvec_scorer_inputs, THE_SCORER, GIVE(text, &b->t->counting.text), TEXT_INPUT)
GETTER(psdvec_scorer_total, != NULL, THE_SCORER)
GETTER(psdvec_scorer_temperature, > 0, THE_SCORER, 0)
ANYTHING(psdvec_scorer_self, THE_SCORER, 0)          /* NAN for most models */
ANYTHING(psdvec_scorer_interpolation, THE_SCORER, 0) /* the same */
ANYTHING(psdvec_scorer_discount, THE_SCORER, 0, 1)   /* NAN without bigrams */
GETTER(psdvec_scorer_text_options, != NULL, THE_SCORER)
CALL(psdvec_scorer_next, THE_SCORER, GIVE(context, some_words), 2, 1,
     GIVE(predictions, &(psdvec_prediction){0}), GIVE(found, &a_size))
static psdvec_status call_psdvec_scorer_generate(bench *b)
{
    uint32_t words[50];
    psdvec_generate_options options;
    psdvec_generate_options_default(&options);
    return psdvec_scorer_generate(THE_SCORER, GIVE(options, &options), GIVE(prompt, some_words), 2,
                                  GIVE(words, words), GIVE(on_draw, hear_draw), GIVE(user, b));
}
CALL(psdvec_fit_temperature, CTX, THE_MODEL, THE_COUNTS, GIVE(text, &b->t->counting.text),
     TEXT_INPUT, 500, GIVE(report, &(psdvec_fit_report){0}))
CALL(psdvec_model_write_fit, CTX, THE_MODEL,
     GIVE(report, (&(psdvec_fit_report){.temperature = 1, .self = NAN})), GIVE(output, b->kept))
CALL(psdvec_fit_bigrams, CTX, THE_MODEL, THE_COUNTS, GIVE(bigrams, b->adjacent),
     GIVE(text, &b->t->counting.text), TEXT_INPUT, 500,
     GIVE(fit, (&(psdvec_fit_report){.temperature = 1, .self = NAN, .temperature_counts = 1})),
     GIVE(report, &(psdvec_bigram_fit){0}))
CALL(psdvec_model_write_fits, CTX, THE_MODEL,
     GIVE(fit, (&(psdvec_fit_report){.temperature = 1, .self = NAN})),
     GIVE(bigrams, (&(psdvec_bigram_fit){.discount_once = 0.5})), GIVE(output, b->kept))
CALL(psdvec_residuals, CTX, THE_MODEL, THE_COUNTS, THE_OUTPUT, PSDVEC_RESIDUAL_LOSS, 1, 1,
     GIVE(top, &(psdvec_residual){0}), GIVE(found, &a_size),
     GIVE(report, &(psdvec_residual_report){0}))
CALL(psdvec_residuals_each, CTX, THE_MODEL, THE_COUNTS, THE_OUTPUT, PSDVEC_RESIDUAL_LOSS, 1, 1,
     GIVE(on_residual, hear_residual), GIVE(user, b), GIVE(report, &(psdvec_residual_report){0}))
CALL(psdvec_joint_compute, CTX, THE_MODEL, THE_COUNTS, GIVE(joint, &(psdvec_joint){0}))
static psdvec_simulate_options little(void)
{
    psdvec_simulate_options options;
    psdvec_simulate_options_default(&options);
    options.vocab = 20;
    options.dim = 3;
    options.tokens = 100;
    return options;
}
CALL(psdvec_simulate_options_check, CTX, GIVE(options, (psdvec_simulate_options[]){little()}))
/* The defaults take long, so the call is cancelled. */
static psdvec_status call_psdvec_simulate(bench *b)
{
    psdvec_simulate_options options = little();
    b->stop = is_null(b, "options");
    psdvec_status status = psdvec_simulate(CTX, GIVE(options, &options), GIVE(folder, b->folder),
                                           GIVE(report, &(psdvec_simulate_report){0}));
    b->stop = false;
    return status == PSDVEC_ERR_CANCELLED ? PSDVEC_OK : status;
}
CALL(psdvec_interactions, CTX, THE_MODEL, TEXT_INPUT, 3,
     GIVE(asked, ((const uint32_t[1][3]){{0, 1, 2}})), 1, 1, 1, GIVE(out, &(psdvec_interaction){0}),
     GIVE(found, &a_size), GIVE(report, &(psdvec_interaction_report){0}))

CALL(psdvec_interactions_full, CTX, THE_MODEL, TEXT_INPUT, 3,
     GIVE(asked, ((const uint32_t[1][3]){{0, 1, 2}})), 1, 1, 1, GIVE(out, &(psdvec_interaction){0}),
     GIVE(found, &a_size), GIVE(report, &(psdvec_interaction_report){0}),
     GIVE(information, &(psdvec_information){0}))
static void hear_associations(void *user, uint32_t word, const psdvec_association *before,
                              size_t before_count, const psdvec_association *after,
                              size_t after_count)
{
    (void)user, (void)word, (void)before, (void)before_count, (void)after, (void)after_count;
}
CALL(psdvec_counts_associations, CTX, THE_COUNTS, GIVE(words, some_words), 1,
     PSDVEC_ASSOCIATION_SCORE, 1, 3, GIVE(on_word, hear_associations), GIVE(user, b))
CALL(psdvec_model_compare, CTX, THE_MODEL, THE_COUNTS, 0, 1, 1,
     GIVE(contexts, &(psdvec_shared_context){0}), 1,
     GIVE(dimensions, &(psdvec_shared_dimension){0}), GIVE(comparison, &(psdvec_comparison){0}))
GETTER(psdvec_system_find, != NULL, GIVE(name, "svd"))
ANYTHING(psdvec_system_counting, GIVE(system, psdvec_system_find("svd")),
         GIVE(count, &b->t->counting))
CALL(psdvec_system_train, CTX, GIVE(system, psdvec_system_find("svd")), 5, true,
     GIVE(source, b->t->counts_path), GIVE(count, &b->t->counting), TEXT_INPUT, THE_OUTPUT,
     GIVE(report, &(psdvec_count_report){0}))
ANYTHING(psdvec_interaction_pointwise, GIVE(triple, &(psdvec_interaction){0}),
         GIVE(information, &(psdvec_information){0}))

/* ---- topic.h */
static psdvec_topic_options two_topics(void)
{
    psdvec_topic_options options;
    psdvec_topic_options_default(&options);
    options.topics = 2;
    options.iterations = 2;
    return options;
}
static void hear_mixture(void *user, const psdvec_topic_mixture *mixture)
{
    (void)user;
    (void)mixture;
}
CALL(psdvec_topics_learn, CTX, GIVE(options, (psdvec_topic_options[]){two_topics()}), THE_MODEL,
     GIVE(text, &b->t->counting.text), TEXT_INPUT, THE_OUTPUT,
     GIVE(report, &(psdvec_topics_report){0}))
MAKER(psdvec_topics_open, psdvec_topics, topics, psdvec_topics_close, CTX,
      GIVE(path, b->topics_path))
#define THE_TOPICS GIVE(topics, b->topics)
ANYTHING(psdvec_topics_close, NULL)
CALL(psdvec_topics_verify, CTX, THE_TOPICS)
GETTER(psdvec_topics_get_info, != NULL, THE_TOPICS)
GETTER(psdvec_topics_text_options, != NULL, THE_TOPICS)
GETTER(psdvec_topics_word, != NULL, THE_TOPICS, 0, GIVE(length, &a_size))
GETTER(psdvec_topics_vector, != NULL, THE_TOPICS, 0)
GETTER(psdvec_topics_share, > 0, THE_TOPICS, 0)
GETTER(psdvec_topics_probability, > 0, THE_TOPICS, 0, 0)
GETTER(psdvec_topics_probabilities, != NULL, THE_TOPICS, 0)
CALL(psdvec_topics_words, CTX, THE_TOPICS, 0, 1, GIVE(words, &(psdvec_topic_word){0}),
     GIVE(found, &a_size))
GETTER(psdvec_topics_mixture, != NULL, THE_TOPICS, 0)
GETTER(psdvec_topics_source, != NULL, THE_TOPICS, 0)
GETTER(psdvec_topics_beginning, != NULL, THE_TOPICS, 0)
#define THE_LABELLED GIVE(topics, b->labelled)
GETTER(psdvec_topics_label, != NULL, THE_LABELLED, 0)
GETTER(psdvec_topics_date, != NULL, THE_LABELLED, 0)
GETTER(psdvec_topics_name, != NULL, THE_LABELLED, 0)
GETTER(psdvec_topics_class, != NULL, THE_LABELLED, 0)
CALL(psdvec_topics_documents, CTX, THE_TOPICS, 0, 1, GIVE(documents, &(uint64_t){0}),
     GIVE(found, &a_size))
static void hear_json(void *user, const char *json, size_t length)
{
    (void)user;
    (void)json;
    (void)length;
}
#define TWO_TOPICS_MERGED ((psdvec_topic_merge[1]){{0, 1, 1, 2}})
CALL(psdvec_topics_distances, CTX, THE_TOPICS, GIVE(distances, (float[4]){0}))
CALL(psdvec_topics_map, CTX, THE_TOPICS, GIVE(places, (double[4]){0}))
CALL(psdvec_topics_tree, CTX, THE_TOPICS, GIVE(merges, (psdvec_topic_merge[1]){{0}}))
CALL(psdvec_topics_groups, CTX, THE_TOPICS, GIVE(merges, TWO_TOPICS_MERGED), 2,
     GIVE(group, (uint32_t[2]){0}))
CALL(psdvec_topics_group_words, CTX, THE_TOPICS, GIVE(members, (uint32_t[]){0}), 1, 1,
     GIVE(words, &(psdvec_topic_word){0}), GIVE(found, &a_size))
CALL(psdvec_topics_nearest, CTX, THE_TOPICS, THE_MODEL, 1,
     GIVE(neighbours, (psdvec_topic_neighbour[2]){{0}}), GIVE(found, (size_t[2]){0}))
CALL(psdvec_topics_describe, CTX, THE_TOPICS, THE_MODEL, 3, 2, GIVE(on_json, hear_json),
     GIVE(user, b))
CALL(psdvec_topics_apply, CTX, THE_TOPICS, GIVE(text, &b->t->counting.text), TEXT_INPUT,
     GIVE(on_document, hear_mixture), GIVE(user, b))

CALL(psdvec_topics_apply_text, CTX, THE_TOPICS, GIVE(text, "the art"), 7,
     GIVE(on_document, hear_mixture), GIVE(user, b))
CALL(psdvec_topics_evaluate, CTX, THE_TOPICS, GIVE(text, &b->t->counting.text), TEXT_INPUT, 3,
     GIVE(quality, &(psdvec_topics_quality){0}))

/* ---- map.h */
static psdvec_map_options quick_map(void)
{
    psdvec_map_options options;
    psdvec_map_options_default(&options);
    options.iterations = 9;
    return options;
}
static psdvec_drawing_options small_picture(void)
{
    psdvec_drawing_options options;
    psdvec_drawing_options_default(&options);
    options.labels = 5;
    return options;
}
MAKER(psdvec_map_make, psdvec_map, map, psdvec_map_free, CTX,
      GIVE(options, (psdvec_map_options[]){quick_map()}), THE_MODEL, GIVE(words, &(uint32_t){0}), 1)
CALL(psdvec_map_memory, CTX, GIVE(options, (psdvec_map_options[]){quick_map()}), THE_MODEL, 0,
     GIVE(bytes, &(uint64_t){0}))
#define THE_MAP GIVE(map, b->map)
MAKER(psdvec_map_open, psdvec_map, map, psdvec_map_free, CTX, THE_MODEL, GIVE(path, b->map_table))
ANYTHING(psdvec_map_free, NULL)
GETTER(psdvec_map_get_info, != NULL, THE_MAP)
GETTER(psdvec_map_words, != NULL, THE_MAP)
GETTER(psdvec_map_points, != NULL, THE_MAP)
GETTER(psdvec_map_clusters, != NULL, THE_MAP)
GETTER(psdvec_map_labels, != NULL, THE_MAP)
ANYTHING(psdvec_map_cluster_words, THE_MAP, 0, GIVE(count, &a_size))
GETTER(psdvec_map_format_of, , GIVE(path, "a.svg"), GIVE(format, &(psdvec_map_format){0}))
CALL(psdvec_map_draw, CTX, THE_MAP, GIVE(options, (psdvec_drawing_options[]){small_picture()}),
     GIVE(output, b->map_path))
CALL(psdvec_map_json, CTX, THE_MAP, GIVE(on_json, hear_json), GIVE(user, b))

/* ---- describe.h */
static psdvec_status call_psdvec_model_describe(bench *b)
{
    psdvec_describe_options options;
    psdvec_description *object = NO_OBJECT;
    const psdvec_test *tests[] = {GIVE_ELEMENT("tests[0]", b->test)};
    psdvec_describe_options_default(&options);
    options.map = 0;
    options.builtin = false;
    psdvec_status status = psdvec_model_describe(CTX, GIVE(options, &options), THE_MODEL,
                                                 GIVE(tests, tests), 1, GIVE(words, &(uint32_t){0}),
                                                 1, GIVE(description, &object));
    made(b, "description", status, (void **)&object);
    psdvec_description_free(object);
    return status;
}
ANYTHING(psdvec_description_free, NULL)
GETTER(psdvec_description_json, != NULL, GIVE(description, b->description), GIVE(length, &a_size))
GETTER(psdvec_description_text, != NULL, GIVE(description, b->description), GIVE(length, &a_size))

/* ---- baseline.h */
GETTER(psdvec_method_find, , GIVE(name, "svd"), GIVE(method, &(psdvec_method){0}))
static psdvec_baseline_options svd(void)
{
    psdvec_baseline_options options;
    psdvec_baseline_options_default(&options, PSDVEC_METHOD_SVD, NULL);
    options.dim = 5;
    return options;
}
CALL(psdvec_baseline_options_check, CTX, GIVE(options, (psdvec_baseline_options[]){svd()}))
CALL(psdvec_baseline, CTX, GIVE(options, (psdvec_baseline_options[]){svd()}),
     GIVE(input, b->t->counts_path), THE_OUTPUT, GIVE(report, &(psdvec_baseline_report){0}))
CALL(psdvec_baseline_text, CTX, GIVE(options, (psdvec_baseline_options[]){svd()}),
     GIVE(count, &b->t->counting), INPUTS(inputs, b->letters), THE_OUTPUT,
     GIVE(count_report, &(psdvec_count_report){0}), GIVE(report, &(psdvec_baseline_report){0}))

/* How a function reports an error. */
typedef enum told {
    BY_CONTEXT,  /* in the message of the context */
    BY_SETTINGS, /* in the message of the settings */
    BY_ANSWER    /* by returning NULL, 0, false or NAN */
} told;

typedef struct row {
    const char *function;
    psdvec_status (*call)(bench *b);
    told told;
    const char *required; /* NULL is an error, and the message names the argument */
    const char *optional; /* NULL is allowed */
    const char *other;    /* NULL is an error if the other arguments are as given here */
} row;
#define ROW(function, told, required, optional)                                                    \
    {                                                                                              \
#function, call_##function, told, required, optional, ""                                   \
    }
#define ROW_OTHER(function, told, required, optional, other)                                       \
    {                                                                                              \
#function, call_##function, told, required, optional, other                                \
    }

/* tests/check_arguments.sh compares these rows with the headers. */
static const row rows[] = {
    /* context.h */
    ROW(psdvec_context_new, BY_ANSWER, "ctx", "options"),
    ROW(psdvec_context_free, BY_ANSWER, "", "ctx"),
    ROW(psdvec_cancel_if_set, BY_ANSWER, "user", ""),
    ROW(psdvec_context_join, BY_CONTEXT, "ctx group", ""),
    ROW(psdvec_error_message, BY_ANSWER, "", "ctx"),
    ROW(psdvec_peak_memory, BY_ANSWER, "ctx", ""),
    ROW(psdvec_threads, BY_ANSWER, "ctx", ""),
    ROW(psdvec_memory_budget, BY_ANSWER, "ctx", ""),
    /* options.h */
    ROW(psdvec_options_find, BY_ANSWER, "name", ""),
    ROW(psdvec_option_default, BY_ANSWER, "option", "preset"),
    ROW(psdvec_options_hold, BY_ANSWER, "options", "condition"),
    ROW(psdvec_condition_text, BY_ANSWER, "condition text", ""),
    ROW(psdvec_options_init, BY_ANSWER, "", "options preset"),
    ROW(psdvec_option_range, BY_ANSWER, "option text", ""),
    ROW(psdvec_option_parse, BY_ANSWER, "option text value", "shown why"),
    ROW(psdvec_suggest, BY_ANSWER, "word candidates", ""),
    ROW(psdvec_edit_distance, BY_ANSWER, "", "a b"),
    ROW(psdvec_settings_new, BY_ANSWER, "", "preset"),
    ROW(psdvec_settings_free, BY_ANSWER, "", "settings"),
    ROW(psdvec_settings_set, BY_SETTINGS, "settings name text", ""),
    ROW(psdvec_settings_get, BY_ANSWER, "settings name", ""),
    ROW(psdvec_settings_apply, BY_ANSWER, "", "settings options"),
    ROW(psdvec_settings_finish, BY_SETTINGS, "settings", ""),
    ROW(psdvec_settings_message, BY_ANSWER, "", "settings"),
    ROW(psdvec_settings_struct, BY_ANSWER, "settings", ""),
    /* text.h */
    ROW(psdvec_tokenize, BY_CONTEXT, "ctx text on_token", "options user"),
    ROW(psdvec_tokenize_inputs, BY_CONTEXT, "ctx inputs inputs[0] on_token", "options user"),
    /* phrases.h */
    ROW(psdvec_phrases_find, BY_CONTEXT, "ctx inputs inputs[0] list", "options text joined report"),
    ROW(psdvec_phrases_join, BY_CONTEXT, "ctx text inputs inputs[0] output", "report"),
    /* counts.h */
    ROW(psdvec_count_options_check, BY_CONTEXT, "ctx", "options"),
    ROW(psdvec_count, BY_CONTEXT, "ctx inputs inputs[0] output", "options report"),
    ROW(psdvec_counts_open, BY_CONTEXT, "ctx path counts", ""),
    ROW(psdvec_counts_close, BY_ANSWER, "", "counts"),
    ROW(psdvec_counts_verify, BY_CONTEXT, "ctx counts", ""),
    ROW(psdvec_counts_check_rows, BY_CONTEXT, "ctx counts", ""),
    ROW(psdvec_counts_get_info, BY_ANSWER, "counts", ""),
    ROW(psdvec_counts_settings, BY_CONTEXT, "ctx counts settings", ""),
    ROW(psdvec_counts_origin, BY_CONTEXT, "ctx counts origin", ""),
    ROW(psdvec_model_origin, BY_CONTEXT, "ctx model origin", ""),
    ROW(psdvec_origin_free, BY_ANSWER, "", "origin"),
    ROW(psdvec_file_checksum, BY_CONTEXT, "ctx path checksum", ""),
    ROW(psdvec_counts_word, BY_ANSWER, "counts", "length"),
    ROW(psdvec_counts_find, BY_ANSWER, "counts word i", ""),
    ROW(psdvec_counts_frequency, BY_ANSWER, "counts", ""),
    ROW(psdvec_counts_context_total, BY_ANSWER, "counts", ""),
    ROW(psdvec_counts_focus_total, BY_ANSWER, "counts", ""),
    ROW(psdvec_counts_retention, BY_ANSWER, "counts", ""),
    ROW(psdvec_counts_row, BY_ANSWER, "", "counts row"),
    ROW(psdvec_counts_get, BY_ANSWER, "counts", ""),
    ROW(psdvec_counts_merge, BY_CONTEXT, "ctx paths paths[0] output", "report"),
    ROW_OTHER(psdvec_counts_export, BY_CONTEXT, "ctx counts output", "", "vocab_output"),
    ROW_OTHER(psdvec_counts_import, BY_CONTEXT, "ctx input output", "report", "options"),
    /* train.h */
    ROW(psdvec_train_options_check, BY_CONTEXT, "ctx", "options"),
    ROW(psdvec_train, BY_CONTEXT, "ctx counts output", "options report"),
    ROW(psdvec_train_text, BY_CONTEXT, "ctx inputs inputs[0] output",
        "options count count_report report"),
    ROW(psdvec_train_plan_make, BY_CONTEXT, "ctx counts plan", "options"),
    ROW(psdvec_extend, BY_CONTEXT, "ctx model inputs inputs[0] output", "options report"),
    /* model.h */
    ROW(psdvec_model_open, BY_CONTEXT, "ctx path model", ""),
    ROW(psdvec_model_close, BY_ANSWER, "", "model"),
    ROW(psdvec_model_verify, BY_CONTEXT, "ctx model", ""),
    ROW(psdvec_model_check_word, BY_CONTEXT, "ctx model", ""),
    ROW(psdvec_model_get_info, BY_ANSWER, "model", ""),
    ROW(psdvec_model_settings, BY_CONTEXT, "ctx model settings", ""),
    ROW(psdvec_model_word, BY_ANSWER, "model", "length"),
    ROW(psdvec_model_form, BY_ANSWER, "model", "length"),
    ROW(psdvec_model_find, BY_ANSWER, "model word i", ""),
    ROW(psdvec_model_find_normalized, BY_CONTEXT, "ctx model text i", ""),
    ROW(psdvec_model_normalize, BY_CONTEXT, "ctx model text word needed", ""),
    ROW(psdvec_model_tokenize, BY_CONTEXT, "ctx model text on_token", "user"),
    ROW(psdvec_model_find_parts, BY_CONTEXT, "ctx model text on_part", "user"),
    ROW(psdvec_model_suggest, BY_CONTEXT, "ctx model word words count", ""),
    ROW(psdvec_model_inflections, BY_CONTEXT, "ctx model word forms count", ""),
    ROW(psdvec_model_with_spelling, BY_CONTEXT, "ctx model view", ""),
    ROW(psdvec_model_vector, BY_ANSWER, "model", ""),
    ROW(psdvec_model_vector_copy, BY_ANSWER, "model vector", ""),
    ROW(psdvec_model_frequency, BY_ANSWER, "model", ""),
    ROW(psdvec_model_spread, BY_ANSWER, "model", ""),
    ROW(psdvec_model_unigram, BY_ANSWER, "model", ""),
    ROW(psdvec_model_product, BY_ANSWER, "model", ""),
    ROW(psdvec_model_readout, BY_CONTEXT, "ctx model vectors", ""),
    ROW(psdvec_model_spell, BY_ANSWER, "", "model word vector"),
    ROW(psdvec_model_copy, BY_ANSWER, "model vector", ""),
    ROW(psdvec_model_sparse_row, BY_ANSWER, "", "model columns values count"),
    ROW(psdvec_model_cosine, BY_ANSWER, "model", ""),
    ROW(psdvec_model_similar, BY_CONTEXT, "ctx model vector neighbours found", "options"),
    ROW(psdvec_model_similar_many, BY_CONTEXT, "ctx model vectors neighbours found", "options"),
    ROW(psdvec_model_explain_pair, BY_CONTEXT, "ctx model counts explanation", ""),
    ROW(psdvec_vectors_format_of, BY_ANSWER, "path format", ""),
    ROW(psdvec_convert, BY_CONTEXT, "ctx input output", "options"),
    /* eval.h */
    ROW(psdvec_test_open, BY_CONTEXT, "ctx path test", ""),
    ROW(psdvec_test_list_open, BY_CONTEXT, "ctx path list", ""),
    ROW(psdvec_test_list_close, BY_ANSWER, "", "list"),
    ROW(psdvec_test_list_get, BY_ANSWER, "list", "count"),
    ROW(psdvec_test_list_path, BY_ANSWER, "list", ""),
    ROW(psdvec_test_detect, BY_CONTEXT, "ctx path found kind", ""),
    ROW(psdvec_test_builtin, BY_CONTEXT, "ctx test", ""),
    ROW(psdvec_test_close, BY_ANSWER, "", "test"),
    ROW(psdvec_test_get_info, BY_ANSWER, "test", ""),
    ROW(psdvec_test_section, BY_ANSWER, "test", ""),
    ROW(psdvec_eval, BY_CONTEXT, "ctx models models[0] tests tests[0] report", "options"),
    ROW(psdvec_report_free, BY_ANSWER, "", "report"),
    ROW(psdvec_report_scores, BY_ANSWER, "report", "count"),
    ROW(psdvec_report_mistakes, BY_ANSWER, "report", "count"),
    ROW(psdvec_report_differences, BY_ANSWER, "report", "count"),
    ROW(psdvec_model_analogy, BY_CONTEXT, "ctx model a b c answers found", "options"),
    /* document.h */
    ROW(psdvec_scorer_open, BY_CONTEXT, "ctx models models[0].model scorer", "options"),
    ROW(psdvec_scorer_bigrams, BY_CONTEXT, "scorer bigrams", ""),
    ROW(psdvec_scorer_close, BY_ANSWER, "", "scorer"),
    ROW(psdvec_scorer_word, BY_CONTEXT, "scorer word", ""),
    ROW(psdvec_scorer_pause, BY_CONTEXT, "scorer", ""),
    ROW(psdvec_scorer_end, BY_CONTEXT, "scorer", ""),
    ROW(psdvec_scorer_finish, BY_CONTEXT, "scorer", ""),
    ROW(psdvec_scorer_text, BY_CONTEXT, "scorer text", ""),
    ROW(psdvec_scorer_inputs, BY_CONTEXT, "scorer inputs inputs[0]", "text"),
    ROW(psdvec_scorer_total, BY_ANSWER, "scorer", ""),
    ROW(psdvec_scorer_temperature, BY_ANSWER, "scorer", ""),
    ROW(psdvec_scorer_self, BY_ANSWER, "", "scorer"),
    ROW(psdvec_scorer_interpolation, BY_ANSWER, "", "scorer"),
    ROW(psdvec_scorer_discount, BY_ANSWER, "", "scorer"),
    ROW(psdvec_scorer_text_options, BY_ANSWER, "scorer", ""),
    ROW(psdvec_scorer_next, BY_CONTEXT, "scorer context predictions found", ""),
    ROW(psdvec_scorer_generate, BY_CONTEXT, "scorer prompt words", "options on_draw user"),
    ROW(psdvec_fit_temperature, BY_CONTEXT, "ctx model inputs inputs[0] report", "counts text"),
    ROW(psdvec_model_write_fit, BY_CONTEXT, "ctx model report output", ""),
    ROW(psdvec_fit_bigrams, BY_CONTEXT, "ctx model bigrams inputs inputs[0] report",
        "counts text fit"),
    ROW(psdvec_model_write_fits, BY_CONTEXT, "ctx model fit output", "bigrams"),
    ROW(psdvec_counts_associations, BY_CONTEXT, "ctx counts words on_word", "user"),
    ROW(psdvec_model_compare, BY_CONTEXT, "ctx model contexts dimensions comparison", "counts"),
    ROW(psdvec_system_find, BY_ANSWER, "name", ""),
    ROW(psdvec_system_counting, BY_ANSWER, "", "system count"),
    ROW(psdvec_system_train, BY_CONTEXT, "ctx system source output",
        "count inputs inputs[0] report"),
    ROW(psdvec_residuals, BY_CONTEXT, "ctx model counts top", "output found report"),
    ROW(psdvec_residuals_each, BY_CONTEXT, "ctx model counts on_residual", "output user report"),
    ROW(psdvec_joint_compute, BY_CONTEXT, "ctx model counts joint", ""),
    ROW(psdvec_simulate_options_check, BY_CONTEXT, "ctx", "options"),
    ROW(psdvec_simulate, BY_CONTEXT, "ctx folder", "options report"),
    ROW(psdvec_interactions, BY_CONTEXT, "ctx model inputs inputs[0] asked out", "found report"),
    ROW(psdvec_interactions_full, BY_CONTEXT, "ctx model inputs inputs[0] asked out",
        "found report information"),
    ROW(psdvec_interaction_pointwise, BY_ANSWER, "", "triple information"),
    /* topic.h */
    ROW(psdvec_topics_learn, BY_CONTEXT, "ctx model inputs inputs[0] output",
        "options text report"),
    ROW(psdvec_topics_open, BY_CONTEXT, "ctx path topics", ""),
    ROW(psdvec_topics_close, BY_ANSWER, "", "topics"),
    ROW(psdvec_topics_verify, BY_CONTEXT, "ctx topics", ""),
    ROW(psdvec_topics_get_info, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_text_options, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_word, BY_ANSWER, "topics", "length"),
    ROW(psdvec_topics_vector, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_share, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_probability, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_probabilities, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_words, BY_CONTEXT, "ctx topics words found", ""),
    ROW(psdvec_topics_mixture, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_source, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_beginning, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_label, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_date, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_name, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_class, BY_ANSWER, "topics", ""),
    ROW(psdvec_topics_documents, BY_CONTEXT, "ctx topics documents found", ""),
    ROW(psdvec_topics_distances, BY_CONTEXT, "ctx topics distances", ""),
    ROW(psdvec_topics_map, BY_CONTEXT, "ctx topics places", ""),
    ROW(psdvec_topics_tree, BY_CONTEXT, "ctx topics merges", ""),
    ROW(psdvec_topics_groups, BY_CONTEXT, "ctx topics merges group", ""),
    ROW(psdvec_topics_group_words, BY_CONTEXT, "ctx topics members words found", ""),
    ROW(psdvec_topics_nearest, BY_CONTEXT, "ctx topics model neighbours found", ""),
    ROW(psdvec_topics_describe, BY_CONTEXT, "ctx topics on_json", "model user"),
    ROW(psdvec_topics_apply, BY_CONTEXT, "ctx topics inputs inputs[0] on_document", "text user"),
    ROW(psdvec_topics_apply_text, BY_CONTEXT, "ctx topics text on_document", "user"),
    ROW(psdvec_topics_evaluate, BY_CONTEXT, "ctx topics inputs inputs[0] quality", "text"),
    /* map.h */
    ROW(psdvec_map_make, BY_CONTEXT, "ctx model words map", "options"),
    ROW(psdvec_map_memory, BY_CONTEXT, "ctx model bytes", "options"),
    ROW(psdvec_map_open, BY_CONTEXT, "ctx model path map", ""),
    ROW(psdvec_map_free, BY_ANSWER, "", "map"),
    ROW(psdvec_map_get_info, BY_ANSWER, "map", ""),
    ROW(psdvec_map_words, BY_ANSWER, "map", ""),
    ROW(psdvec_map_points, BY_ANSWER, "map", ""),
    ROW(psdvec_map_clusters, BY_ANSWER, "map", ""),
    ROW(psdvec_map_labels, BY_ANSWER, "map", ""),
    ROW(psdvec_map_cluster_words, BY_ANSWER, "", "map count"),
    ROW(psdvec_map_format_of, BY_ANSWER, "path", "format"),
    ROW(psdvec_map_draw, BY_CONTEXT, "ctx map output", "options"),
    ROW(psdvec_map_json, BY_CONTEXT, "ctx map on_json", "user"),
    /* describe.h */
    ROW(psdvec_model_describe, BY_CONTEXT, "ctx model tests tests[0] words description", "options"),
    ROW(psdvec_description_free, BY_ANSWER, "", "description"),
    ROW(psdvec_description_json, BY_ANSWER, "description", "length"),
    ROW(psdvec_description_text, BY_ANSWER, "description", "length"),
    /* baseline.h */
    ROW(psdvec_method_find, BY_ANSWER, "name method", ""),
    ROW(psdvec_baseline_options_check, BY_CONTEXT, "ctx", "options"),
    ROW(psdvec_baseline, BY_CONTEXT, "ctx input output", "options report"),
    ROW(psdvec_baseline_text, BY_CONTEXT, "ctx inputs inputs[0] output",
        "options count count_report report"),
};

/* The next of the names that are separated by blanks, in the form of bench.null; false after the
 * last. */
static bool next_name(const char **names, char between[80])
{
    size_t length = strcspn(*names, " ");
    snprintf(between, 80, " %.*s ", (int)length, *names);
    *names += length + strspn(*names + length, " ");
    return length > 0;
}

static psdvec_status call_with_null(bench *b, const row *r, const char *names)
{
    b->null = names;
    psdvec_status status = r->call(b);
    b->null = "";
    return status;
}

static const char *sentence(const bench *b, const row *r)
{
    return r->told == BY_CONTEXT    ? psdvec_error_message(b->ctx)
           : r->told == BY_SETTINGS ? psdvec_settings_message(b->settings)
                                    : "";
}

static void check_accepted(bench *b, const row *r, const char *names)
{
    psdvec_status status = call_with_null(b, r, names);
    if (status != PSDVEC_OK)
        fail_msg("%s without%s: %d, %s", r->function, names, (int)status, sentence(b, r));
}

static void check_refused(bench *b, const row *r, const char *name)
{
    char beginning[120];
    bool nowhere = !strcmp(name, " ctx ") || !strcmp(name, " scorer ") ||
                   !strcmp(name, " settings "); /* the message would be in it */
    snprintf(beginning, sizeof beginning, "NULL was given for `%.*s`", (int)strlen(name) - 2,
             name + 1);
    psdvec_status status = call_with_null(b, r, name);
    if (status != PSDVEC_ERR_OPTION)
        fail_msg("%s without%s: %d, %s", r->function, name, (int)status, sentence(b, r));
    if (r->told != BY_ANSWER && !nowhere &&
        strncmp(sentence(b, r), beginning, strlen(beginning)) != 0)
        fail_msg("%s without%s: %s", r->function, name, sentence(b, r));
}

static void check_row(bench *b, const row *r)
{
    char name[80], all[200];
    check_accepted(b, r, " ");
    for (const char *rest = r->required; next_name(&rest, name);)
        check_refused(b, r, name);
    for (const char *rest = r->optional; next_name(&rest, name);)
        check_accepted(b, r, name);
    snprintf(all, sizeof all, " %s ", r->optional);
    check_accepted(b, r, all);
    for (const char *rest = r->other; next_name(&rest, name);) {
        assert_int_equal(call_with_null(b, r, name), PSDVEC_ERR_OPTION);
        assert_string_not_equal(sentence(b, r), "");
    }
}

static bool wants_to_stop(void *user)
{
    return ((bench *)user)->stop;
}

/* Topics of documents with a label, a date and a name. */
static void open_labelled(bench *b)
{
    psdvec_topic_options options = two_topics();
    psdvec_text_options text;
    char line[1000];
    char *path = scratch_path(b->t->folder, "labelled.tsv");
    char *output = scratch_path(b->t->folder, "labelled.topics");
    const char *inputs[] = {path};
    FILE *from = fopen(b->t->text, "r"), *to = fopen(path, "w");
    assert_true(from && to);
    for (int k = 0; fgets(line, sizeof line, from); k++)
        fprintf(to, "%s\t2024-01-02\tname\t%s", k % 2 ? "odd" : "even", line);
    fclose(from);
    fclose(to);
    psdvec_text_options_default(&text);
    text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    text.columns = "label,date,name,text";
    options.by = PSDVEC_TOPIC_BY_LABEL;
    well(b->ctx,
         psdvec_topics_learn(b->ctx, &options, b->t->model, &text, inputs, 1, output, NULL));
    well(b->ctx, psdvec_topics_open(b->ctx, output, &b->labelled));
    free(path);
    free(output);
}

static void bench_open(bench *b)
{
    static const char analogies[] = ": some\nw1 w2 w3 w4\nw2 w3 w4 w5\nw3 w5 w7 w9\n";
    psdvec_context_options options;
    *b = (bench){.t = trained_new(PSDVEC_PRESET_DEFAULT, 1), .null = ""};
    psdvec_context_options_default(&options);
    options.should_cancel = wants_to_stop;
    options.user = b;
    options.threads = 1;
    ok(psdvec_context_new(&options, &b->ctx));
    char **const paths[] = {&b->output,      &b->list,     &b->glove,    &b->tests,
                            &b->folder,      &b->kept,     &b->letters,  &b->phrases,
                            &b->topics_path, &b->map_path, &b->map_table};
    static const char *const names[] = {"output",  "list",    "glove",  "tests",   "folder", "kept",
                                        "letters", "phrases", "topics", "map.svg", "map.tsv"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
        *paths[k] = scratch_path(b->t->folder, names[k]);
    scratch_write(b->tests, analogies, strlen(analogies));
    scratch_write(b->phrases, "w w\n", 4);
    char *text = random_text(3, 26, 5000);
    for (char *at = text; *at; at++)
        if (*at >= '0' && *at <= '9')
            *at = (char)('a' + (*at - '0'));
    scratch_write(b->letters, text, strlen(text));
    free(text);
    well(b->ctx,
         psdvec_counts_export(b->ctx, b->t->counts, PSDVEC_FORMAT_GLOVE, true, b->glove, b->list));
    well(b->ctx, psdvec_test_open(b->ctx, b->tests, &b->test));
    well(b->ctx, psdvec_test_list_open(b->ctx, b->tests, &b->test_list));
    const psdvec_model *models[] = {b->t->model, b->t->model};
    psdvec_eval_options evaluation;
    psdvec_eval_options_default(&evaluation);
    evaluation.mistakes = 5;
    well(b->ctx, psdvec_eval(b->ctx, &evaluation, models, 2, (const psdvec_test *const *)&b->test,
                             1, &b->report));
    psdvec_count_options pairs = b->t->counting;
    const char *inputs[] = {b->t->text};
    pairs.window = 1;
    pairs.subsample = 0;
    char *adjacent = scratch_path(b->t->folder, "adjacent");
    well(b->ctx, psdvec_count(b->ctx, &pairs, inputs, 1, adjacent, NULL));
    well(b->ctx, psdvec_counts_open(b->ctx, adjacent, &b->adjacent));
    free(adjacent);
    psdvec_scored_model scored = {b->t->model, NULL};
    well(b->ctx, psdvec_scorer_open(b->ctx, NULL, &scored, 1, &b->scorer));
    psdvec_topic_options two = two_topics();
    const char *documents = b->t->text;
    well(b->ctx,
         psdvec_topics_learn(b->ctx, &two, b->t->model, NULL, &documents, 1, b->topics_path, NULL));
    well(b->ctx, psdvec_topics_open(b->ctx, b->topics_path, &b->topics));
    open_labelled(b);
    well(b->ctx, psdvec_map_make(b->ctx, NULL, b->t->model, NULL, 0, &b->map));
    well(b->ctx, psdvec_map_draw(b->ctx, b->map, NULL, b->map_table));
    psdvec_describe_options brief;
    psdvec_describe_options_default(&brief);
    brief.map = 0;
    brief.builtin = false;
    well(b->ctx,
         psdvec_model_describe(b->ctx, &brief, b->t->model, NULL, 0, NULL, 0, &b->description));
    b->settings = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, NULL);
    assert_non_null(b->settings);
}

static void bench_close(bench *b)
{
    psdvec_settings_free(b->settings);
    psdvec_scorer_close(b->scorer);
    psdvec_counts_close(b->adjacent);
    psdvec_topics_close(b->topics);
    psdvec_topics_close(b->labelled);
    psdvec_map_free(b->map);
    psdvec_description_free(b->description);
    psdvec_report_free(b->report);
    psdvec_test_close(b->test);
    psdvec_test_list_close(b->test_list);
    uint64_t held = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    trained_free(b->t);
    char *const paths[] = {b->output,      b->list,     b->glove,    b->tests,
                           b->folder,      b->kept,     b->letters,  b->phrases,
                           b->topics_path, b->map_path, b->map_table};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
        free(paths[k]);
    assert_int_equal(held, 0);
}

static void assert_refuses(const bench *b, psdvec_status status, const char *part)
{
    assert_int_equal(status, PSDVEC_ERR_OPTION);
    assert_contains(psdvec_error_message(b->ctx), part);
}

static void indices_out_of_range_are_refused(void **state)
{
    (void)state;
    bench bench_, *b = &bench_;
    bench_open(b);
    psdvec_context *ctx = b->ctx;
    const psdvec_model *m = b->t->model;
    uint32_t words = psdvec_model_get_info(m)->words, drawn[50];
    psdvec_pair_explanation explanation;
    psdvec_prediction prediction;
    psdvec_interaction interaction;
    psdvec_residual residual;
    psdvec_test *test;
    const char *inputs[] = {b->t->text};
    const uint32_t triple[1][3] = {{0, 1, words}};
    size_t found;
    assert_refuses(b, psdvec_model_explain_pair(ctx, m, b->t->counts, words, 0, &explanation),
                   "word");
    assert_refuses(b, psdvec_model_explain_pair(ctx, m, b->t->counts, 0, words, &explanation),
                   "word");
    assert_refuses(b, psdvec_scorer_next(b->scorer, &words, 1, 1, &prediction, &found), "word");
    assert_refuses(b, psdvec_scorer_generate(b->scorer, NULL, &words, 1, drawn, NULL, NULL),
                   "word");
    assert_refuses(
        b, psdvec_interactions(ctx, m, inputs, 1, 3, triple, 1, 0, 1, &interaction, &found, NULL),
        "word");
    assert_refuses(b, psdvec_test_builtin(ctx, psdvec_test_builtin_count(), &test), "test");
    assert_refuses(b,
                   psdvec_residuals(ctx, m, b->t->counts, NULL, (psdvec_residual_order)3, 1, 1,
                                    &residual, &found, NULL),
                   "`order` is 3, but must be less than 3");
    assert_refuses(b,
                   psdvec_residuals(ctx, m, b->t->counts, NULL, PSDVEC_RESIDUAL_LOSS, (double)NAN,
                                    1, &residual, &found, NULL),
                   "`least_count`");
    assert_refuses(b,
                   psdvec_residuals_each(ctx, m, b->t->counts, NULL, (psdvec_residual_order)3, 1, 1,
                                         hear_residual, NULL, NULL),
                   "`order` is 3, but must be less than 3");
    assert_refuses(b,
                   psdvec_residuals_each(ctx, m, b->t->counts, NULL, PSDVEC_RESIDUAL_LOSS,
                                         (double)NAN, 1, hear_residual, NULL, NULL),
                   "`least_count`");
    assert_refuses(
        b,
        psdvec_counts_export(ctx, b->t->counts, (psdvec_counts_format)9, true, b->output, b->list),
        "format");
    assert_refuses(b,
                   psdvec_counts_associations(ctx, b->t->counts, &words, 1,
                                              PSDVEC_ASSOCIATION_SCORE, 1, 1, hear_associations,
                                              NULL),
                   "`words[0]`");
    assert_refuses(b,
                   psdvec_counts_associations(ctx, b->t->counts, NULL, 0,
                                              (psdvec_association_order)2, 1, 1, hear_associations,
                                              NULL),
                   "`order` is 2, but must be less than 2");
    assert_refuses(b,
                   psdvec_counts_associations(ctx, b->t->counts, NULL, 0, PSDVEC_ASSOCIATION_SCORE,
                                              (double)NAN, 1, hear_associations, NULL),
                   "`least_count`");
    psdvec_comparison comparison;
    assert_refuses(b, psdvec_model_compare(ctx, m, NULL, 0, words, 0, NULL, 0, NULL, &comparison),
                   "`j`");
    assert_true(isnan(psdvec_scorer_temperature(b->scorer, 1)));
    assert_true(isnan(psdvec_scorer_self(b->scorer, SIZE_MAX)));
    assert_true(isnan(psdvec_scorer_interpolation(b->scorer, 1)));
    assert_null(psdvec_test_section(b->test, 1));
    assert_null(psdvec_test_list_path(b->test_list, 1));
    assert_string_equal(psdvec_method_name((psdvec_method)99), "unknown");
    bench_close(b);
}

/* The struct that a call takes in addition to its options may also be shorter than the
 * library's. */
static void text_options_of_an_older_program_are_not_read_past_their_end(void **state)
{
    (void)state;
    bench bench_, *b = &bench_;
    bench_open(b);
    const char *inputs[] = {b->t->text};
    psdvec_text_options now;
    psdvec_fit_report report;
    size_t size = offsetof(psdvec_text_options, json_field);
    void *older = malloc(size);
    psdvec_text_options_default(&now);
    now.digits = PSDVEC_DIGITS_KEEP;
    now.size = size;
    memcpy(older, &now, size);
    well(b->ctx, psdvec_scorer_inputs(b->scorer, older, inputs, 1));
    assert_true(psdvec_scorer_total(b->scorer)->known > 0);
    well(b->ctx, psdvec_fit_temperature(b->ctx, b->t->model, NULL, older, inputs, 1, 500, &report));
    well(b->ctx, psdvec_tokenize_inputs(b->ctx, older, inputs, 1, hear_token, NULL));
    now.size = 3;
    assert_refuses(b, psdvec_scorer_inputs(b->scorer, &now, inputs, 1), "are not initialised");
    free(older);
    bench_close(b);
}

/* NULL is accepted as an empty array. */
static void empty_arrays_may_be_null(void **state)
{
    (void)state;
    bench bench_, *b = &bench_;
    bench_open(b);
    psdvec_context *ctx = b->ctx;
    psdvec_prediction prediction;
    psdvec_report *report;
    psdvec_scorer *scorer;
    size_t found;
    float v[DIM] = {1};
    uint32_t words[50];
    well(ctx, psdvec_tokenize(ctx, NULL, NULL, 0, hear_token, NULL));
    well(ctx, psdvec_scorer_text(b->scorer, NULL, 0));
    well(ctx, psdvec_scorer_next(b->scorer, NULL, 0, 1, &prediction, &found));
    well(ctx, psdvec_scorer_next(b->scorer, NULL, 0, 0, NULL, &found));
    well(ctx, psdvec_scorer_generate(b->scorer, NULL, NULL, 0, words, NULL, NULL));
    well(ctx, psdvec_model_similar(ctx, b->t->model, v, NULL, 0, NULL, &found));
    well(ctx, psdvec_model_similar_many(ctx, b->t->model, NULL, 0, NULL, 1, NULL, NULL));
    well(ctx, psdvec_model_normalize(ctx, b->t->model, "W1", 2, NULL, 0, &found));
    assert_int_equal(found, 2);
    well(ctx, psdvec_residuals(ctx, b->t->model, b->t->counts, NULL, PSDVEC_RESIDUAL_LOSS, 1, 0,
                               NULL, NULL, NULL));
    well(ctx, psdvec_residuals_each(ctx, b->t->model, b->t->counts, NULL, PSDVEC_RESIDUAL_LOSS, 1,
                                    0, NULL, NULL, NULL));
    assert_int_equal(psdvec_count(ctx, NULL, NULL, 0, b->output, NULL), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_counts_merge(ctx, NULL, 0, b->output, NULL), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_tokenize_inputs(ctx, NULL, NULL, 0, hear_token, NULL),
                     PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_eval(ctx, NULL, NULL, 0, NULL, 0, &report), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_scorer_open(ctx, NULL, NULL, 0, &scorer), PSDVEC_ERR_OPTION);
    bench_close(b);
}

static psdvec_count_options counting_of(const bench *b, psdvec_settings **settings)
{
    psdvec_model *model;
    well(b->ctx, psdvec_model_open(b->ctx, b->output, &model));
    well(b->ctx, psdvec_model_settings(b->ctx, model, PSDVEC_OPTIONS_COUNT, settings));
    psdvec_model_close(model);
    return *(psdvec_count_options *)psdvec_settings_struct(*settings);
}

static void null_counting_options_mean_the_preset(void **state)
{
    (void)state;
    bench bench_, *b = &bench_;
    bench_open(b);
    const char *inputs[] = {b->letters};
    psdvec_settings *settings;
    psdvec_baseline_options glove;
    well(b->ctx, psdvec_train_text(b->ctx, NULL, NULL, inputs, 1, b->output, NULL, NULL));
    psdvec_count_options o = counting_of(b, &settings);
    assert_int_equal(o.window, 10);
    assert_int_equal(o.distance, PSDVEC_DISTANCE_HARMONIC);
    assert_true(o.subsample == 0.001);
    psdvec_settings_free(settings);
    psdvec_baseline_options_default(&glove, PSDVEC_METHOD_GLOVE, NULL);
    glove.dim = 3;
    glove.epochs = 1;
    well(b->ctx, psdvec_baseline_text(b->ctx, &glove, NULL, inputs, 1, b->output, NULL, NULL));
    o = counting_of(b, &settings);
    assert_int_equal(o.window, 15);
    assert_int_equal(o.oov, PSDVEC_OOV_DROP);
    psdvec_settings_free(settings);
    bench_close(b);
}

static void every_call_refuses_null_for_required_arguments(void **state)
{
    (void)state;
    bench b;
    bench_open(&b);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        check_row(&b, &rows[k]);
    bench_close(&b);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        TEST(null_and_bad_indices_are_refused_by_name),
        TEST(getters_of_models_accept_any_index),
        TEST(getters_of_sparse_models_accept_any_index),
        TEST(getters_of_counts_accept_any_index),
        cmocka_unit_test(every_call_refuses_null_for_required_arguments),
        cmocka_unit_test(indices_out_of_range_are_refused),
        cmocka_unit_test(empty_arrays_may_be_null),
        cmocka_unit_test(text_options_of_an_older_program_are_not_read_past_their_end),
        cmocka_unit_test(null_counting_options_mean_the_preset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
