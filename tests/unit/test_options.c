/* Options tables, options by name, and structs of older and newer programs. */
#include "api/settings.h"
#include "base/options.h"
#include "count/options.h"
#include "count/window.h"
#include "link/link.h"
#include "train/options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static psdvec_context *context(void)
{
    psdvec_context *ctx;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    pv_begin(ctx);
    return ctx;
}

#define EACH_ROW(kind, row)                                                                        \
    for (psdvec_options_kind kind = 0; kind < PSDVEC_OPTIONS_KINDS; kind++)                        \
        for (size_t k_ = 0; ((row) = psdvec_options_at(kind, k_)); k_++)

/* ---- Tables ---------------------------------------------------------------------------------- */

static void every_row_is_complete(void **state)
{
    (void)state;
    const psdvec_option *row;
    EACH_ROW(kind, row)
    {
        if (!row->help || !row->group || strchr(row->name, '-') || strchr(row->name, ' '))
            fail_msg("%s: %s lacks something", psdvec_options_name(kind), row->name);
        if (row->help[strlen(row->help) - 1] == '.')
            fail_msg("%s: the help of %s ends with a full stop", psdvec_options_name(kind),
                     row->name);
        assert_true((row->type == PSDVEC_OPTION_CHOICE) == (row->choices != NULL));
        assert_ptr_equal(psdvec_options_find(kind, row->name), row);
        assert_non_null(row->member);
        assert_true(row->offset + pv_option_bytes(row) <= psdvec_options_size(kind));
    }
}

static void rows_name_the_members_of_their_structs(void **state)
{
    (void)state;
    assert_string_equal(psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "dim")->member, "dim");
    assert_string_equal(psdvec_options_find(PSDVEC_OPTIONS_TEXT, "case")->member, "letter_case");
    assert_string_equal(psdvec_options_find(PSDVEC_OPTIONS_COUNT, "case")->member,
                        "text.letter_case");
}

static void assert_range(psdvec_options_kind kind, const char *name, const char *wanted)
{
    char text[200], cut[5];
    psdvec_option_range(psdvec_options_find(kind, name), text, sizeof text);
    assert_string_equal(text, wanted);
    psdvec_option_range(psdvec_options_find(kind, name), cut, sizeof cut);
    assert_int_equal(strlen(cut), 4);
    assert_memory_equal(cut, wanted, 4);
}

static void ranges_are_described_for_every_type(void **state)
{
    (void)state;
    char text[200] = "x";
    assert_range(PSDVEC_OPTIONS_COUNT, "window", "a whole number from 1 to 1000");
    assert_range(PSDVEC_OPTIONS_TRAIN, "kappa", "a number above 0 and below 1");
    assert_range(PSDVEC_OPTIONS_TRAIN, "core", "a whole number from 1 to 4294967295, or all");
    assert_range(PSDVEC_OPTIONS_TRAIN, "bands",
                 "whole numbers from 1 to 4294967295, separated by commas");
    assert_range(PSDVEC_OPTIONS_TEXT, "sentences", "yes or no");
    assert_range(PSDVEC_OPTIONS_TEXT, "digits", "drop, keep, zero or mixed");
    assert_range(PSDVEC_OPTIONS_TEXT, "json_field", "a text");
    assert_range(PSDVEC_OPTIONS_COUNT, "keep", "texts, separated by commas");
    psdvec_option_range(NULL, text, sizeof text);
    assert_string_equal(text, "");
    psdvec_option_range(psdvec_options_find(PSDVEC_OPTIONS_COUNT, "window"), NULL, 0);
}

static void no_two_rows_share_a_name_or_a_member(void **state)
{
    (void)state;
    const psdvec_option *row, *other;
    EACH_ROW(kind, row)
    {
        for (size_t j = k_ + 1; (other = psdvec_options_at(kind, j)); j++) {
            assert_string_not_equal(row->name, other->name);
            assert_true(row->offset + pv_option_bytes(row) <= other->offset ||
                        other->offset + pv_option_bytes(other) <= row->offset);
        }
    }
}

/* Defaults are text in the tables; each must be a valid value of the option in every preset, and
 * the lists must agree with their text. */
static void every_default_can_be_read_and_is_what_the_struct_gets(void **state)
{
    (void)state;
    static const char *const presets[] = {NULL,   "default", "paper", "ppmi", "svd",
                                          "sgns", "cbow",    "glove", "cca",  "sparse"};
    const psdvec_option *row;
    EACH_ROW(kind, row)
    {
        for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
            const char *text = psdvec_option_default(row, presets[p]);
            psdvec_settings *s = psdvec_settings_new(kind, presets[p]);
            char why[300] = "";
            psdvec_option_value value;
            assert_non_null(s);
            const char *got = psdvec_settings_get(s, row->name);
            bool selected = row->selects_preset && presets[p];
            if (text && !psdvec_option_parse(row, NULL, text, &value, why, sizeof why))
                fail_msg("%s", why);
            if (text && !selected) {
                char *before = strdup(got ? got : "(none)");
                assert_int_equal(psdvec_settings_set(s, row->name, text), PSDVEC_OK);
                assert_string_equal(before, psdvec_settings_get(s, row->name));
                free(before);
            } else if (!text) {
                assert_null(got);
            }
            psdvec_settings_free(s);
        }
    }
}

static void every_absent_value_can_be_read(void **state)
{
    (void)state;
    const psdvec_option *row;
    psdvec_option_value value;
    EACH_ROW(kind, row)
    if (row->absent)
        assert_true(psdvec_option_parse(row, NULL, row->absent, &value, NULL, 0));
}

/* A condition on an unknown option or value would never hold. */
static void conditions_name_options_and_values(void **state)
{
    (void)state;
    const psdvec_option *row;
    EACH_ROW(kind, row)
    {
        const char *conditions[] = {row->needs, row->default_if};
        for (size_t c = 0; c < 2; c++)
            for (const char *at = conditions[c]; at && *at; at += strspn(at, " ")) {
                size_t length = strcspn(at, " "), name = strcspn(at, "=>:");
                char text[300];
                snprintf(text, sizeof text, "%.*s", (int)name, at);
                const psdvec_option *other = psdvec_options_find(kind, text);
                assert_non_null(other);
                for (size_t from = name + 1; at[name] == '=' && from < length;) {
                    size_t value = strcspn(at + from, "| ");
                    psdvec_option_value parsed;
                    snprintf(text, sizeof text, "%.*s", (int)value, at + from);
                    assert_true(psdvec_option_parse(other, NULL, text, &parsed, NULL, 0));
                    from += value + 1;
                }
                snprintf(text, sizeof text, "%.*s", (int)length, at);
                char words[300] = "";
                psdvec_condition_text(kind, text, words, sizeof words);
                assert_true(strlen(words) > name);
                at += length;
            }
    }
    char words[300];
    psdvec_condition_text(PSDVEC_OPTIONS_TRAIN, "weights:cut rho>0 core>0", words, sizeof words);
    assert_string_equal(words, "`weights=raw` or `weights=smoothed` and `rho` above 0 and `core` "
                               "other than all");
    psdvec_condition_text(PSDVEC_OPTIONS_TRAIN, "weights:cut rho>0", words, 20);
    assert_int_equal(strlen(words), 19);
}

static void limits_agree_with_those_of_the_code(void **state)
{
    (void)state;
    assert_true(psdvec_options_find(PSDVEC_OPTIONS_COUNT, "window")->most == PV_MAX_WINDOW);
    assert_true(psdvec_options_find(PSDVEC_OPTIONS_SIMULATE, "window")->most == PV_MAX_WINDOW);
    assert_true(psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "mu")->most == PV_MOST_PRIOR);
    for (psdvec_options_kind kind = 0; kind < PSDVEC_OPTIONS_KINDS; kind++) {
        assert_true(psdvec_options_size(kind) <= PV_OPTIONS_MOST_BYTES);
        assert_true(psdvec_options_size(kind) % sizeof(size_t) == 0);
    }
}

static void unknown_kinds_and_names_are_harmless(void **state)
{
    (void)state;
    assert_null(psdvec_options_name((psdvec_options_kind)99));
    assert_int_equal(psdvec_options_size((psdvec_options_kind)99), 0);
    assert_null(psdvec_options_at((psdvec_options_kind)99, 0));
    assert_null(psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "dimension"));
    assert_null(psdvec_options_find(PSDVEC_OPTIONS_TRAIN, NULL));
    assert_null(psdvec_settings_new((psdvec_options_kind)99, NULL));
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void assert_parsed(psdvec_options_kind kind, const char *name, const char *text,
                          double expected)
{
    psdvec_option_value value;
    const psdvec_option *row = psdvec_options_find(kind, name);
    assert_true(psdvec_option_parse(row, NULL, text, &value, NULL, 0));
    bool real = row->type == PSDVEC_OPTION_DOUBLE;
    double got = real ? value.real : (double)value.integer;
    assert_true(got == expected || (isnan(got) && isnan(expected)));
}

static void values_are_read_from_text(void **state)
{
    (void)state;
    assert_parsed(PSDVEC_OPTIONS_COUNT, "window", "7", 7);
    assert_parsed(PSDVEC_OPTIONS_COUNT, "subsample", "1e-4", 1e-4);
    assert_parsed(PSDVEC_OPTIONS_COUNT, "subsample", ".5", 0.5);
    assert_parsed(PSDVEC_OPTIONS_COUNT, "distance", "harmonic", PSDVEC_DISTANCE_HARMONIC);
    assert_parsed(PSDVEC_OPTIONS_COUNT, "tokenizer", "icu", PSDVEC_TOKENIZER_ICU);
    assert_parsed(PSDVEC_OPTIONS_TRAIN, "core", "all", 0);
    assert_parsed(PSDVEC_OPTIONS_TRAIN, "order", "off", 0);
    assert_parsed(PSDVEC_OPTIONS_TRAIN, "centre", "true", 1);
    assert_parsed(PSDVEC_OPTIONS_SIMULATE, "tokens", "1.5M", 1500000);
    assert_parsed(PSDVEC_OPTIONS_CONTEXT, "memory", "1.5G", 1610612736);
    assert_parsed(PSDVEC_OPTIONS_CONTEXT, "seed", "18446744073709551615", 18446744073709551615.0);
    assert_parsed(PSDVEC_OPTIONS_SCORER, "self", "product", INFINITY);
    assert_parsed(PSDVEC_OPTIONS_SCORER, "self", "fitted", NAN);
    assert_parsed(PSDVEC_OPTIONS_EXTEND, "mu", "auto", NAN);
    psdvec_option_value value; /* -0 would be a different number in files */
    assert_true(psdvec_option_parse(psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "core_mu"), NULL,
                                    "-0", &value, NULL, 0));
    assert_false(signbit(value.real));
}

static void invalid_values_have_a_message(void **state)
{
    (void)state;
    static const struct {
        psdvec_options_kind kind;
        const char *name, *text, *sentence;
    } cases[] = {
        {PSDVEC_OPTIONS_COUNT, "window", "0",
         "`window` must be a whole number from 1 to 1000, not '0'"},
        {PSDVEC_OPTIONS_COUNT, "window", "1.5",
         "`window` must be a whole number from 1 to 1000, not '1.5'"},
        {PSDVEC_OPTIONS_COUNT, "min_count", "0",
         "`min_count` must be a whole number of at least 1, not '0'"},
        {PSDVEC_OPTIONS_COUNT, "max_vocab", "4294967296",
         "`max_vocab` must be a whole number from 0 to 4294967295, not '4294967296'"},
        {PSDVEC_OPTIONS_COUNT, "subsample", "nan",
         "`subsample` must be a number from 0 to 1, not 'nan'"},
        {PSDVEC_OPTIONS_TRAIN, "kappa", "1",
         "`kappa` must be a number above 0 and below 1, not '1'"},
        {PSDVEC_OPTIONS_TRAIN, "rho", "1", "`rho` must be a number from 0 to below 1, not '1'"},
        {PSDVEC_OPTIONS_TRAIN, "cut", "0", "`cut` must be a number above 0 and at most 1, not '0'"},
        {PSDVEC_OPTIONS_TRAIN, "glove_max", "0", "`glove_max` must be a number above 0, not '0'"},
        {PSDVEC_OPTIONS_TRAIN, "core", "most",
         "`core` must be a whole number from 1 to 4294967295, or all, not 'most'"},
        {PSDVEC_OPTIONS_TRAIN, "mu", "2,-1",
         "`mu` must be numbers from 0 to 1000000000000, separated by commas, not '2,-1'"},
        {PSDVEC_OPTIONS_TRAIN, "centre", "maybe", "`centre` must be yes or no, not 'maybe'"},
        {PSDVEC_OPTIONS_TRAIN, "weights", "row",
         "`weights` must be factored, raw, smoothed or glove, not 'row'; did you mean 'raw'?"},
        {PSDVEC_OPTIONS_CONTEXT, "memory", "much",
         "`memory` must be a size such as 512M or 4G, or a share of the machine's memory such as "
         "50%, not 'much'"},
        {PSDVEC_OPTIONS_TEXT, "json_field", "", "`json_field` must not be empty"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char why[300];
        psdvec_option_value value;
        const psdvec_option *row = psdvec_options_find(cases[k].kind, cases[k].name);
        assert_false(psdvec_option_parse(row, NULL, cases[k].text, &value, why, sizeof why));
        assert_string_equal(why, cases[k].sentence);
    }
}

static void a_long_value_does_not_overflow_the_message(void **state)
{
    (void)state;
    char text[5000], why[40];
    psdvec_option_value value;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    const psdvec_option *row = psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "mu");
    assert_false(psdvec_option_parse(row, NULL, text, &value, why, sizeof why));
    assert_true(strlen(why) < sizeof why);
}

/* ---- By name --------------------------------------------------------------------------------- */

static void options_are_set_by_name(void **state)
{
    (void)state;
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, NULL);
    const psdvec_train_options *o = psdvec_settings_struct(s);
    assert_int_equal(psdvec_settings_set(s, "dim", "20"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_set(s, "core", "100"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_set(s, "mu", "1,2.5,4"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_set(s, "bands", "200,300"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_finish(s), PSDVEC_OK);
    assert_int_equal(o->dim, 20);
    assert_int_equal(o->mu_count, 3);
    assert_true(o->mu[1] == 2.5);
    assert_int_equal(o->bands_count, 2);
    assert_int_equal(o->bands[1], 300);
    assert_string_equal(psdvec_settings_get(s, "mu"), "1,2.5,4");
    assert_string_equal(psdvec_settings_get(s, "bands"), "200,300");
    assert_string_equal(psdvec_settings_get(s, "weights"), "factored");
    psdvec_settings_free(s);
    s = psdvec_settings_new(PSDVEC_OPTIONS_COUNT, NULL);
    const psdvec_count_options *c = psdvec_settings_struct(s);
    assert_int_equal(psdvec_settings_set(s, "keep", "alpha,beta"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_set(s, "hyphens", "join"), PSDVEC_OK);
    assert_int_equal(c->keep_words_count, 2);
    assert_string_equal(c->keep_words[1], "beta");
    assert_int_equal(c->text.hyphens, PSDVEC_INNER_JOIN);
    assert_int_equal(psdvec_settings_set(s, "keep", ""), PSDVEC_OK);
    assert_int_equal(c->keep_words_count, 0);
    psdvec_settings_free(s);
}

static void wrong_names_and_values_change_nothing(void **state)
{
    (void)state;
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, NULL);
    const psdvec_train_options *o = psdvec_settings_struct(s);
    assert_int_equal(psdvec_settings_set(s, "iteration", "3"), PSDVEC_ERR_OPTION);
    assert_string_equal(psdvec_settings_message(s),
                        "train has no option 'iteration'; did you mean 'iterations'?");
    assert_int_equal(psdvec_settings_set(s, "dim", "x"), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_settings_set(s, "dim", NULL), PSDVEC_ERR_OPTION);
    assert_int_equal(o->dim, 500);
    assert_int_equal(psdvec_settings_set(s, "dim", "7"), PSDVEC_OK);
    assert_string_equal(psdvec_settings_message(s), "");
    psdvec_settings_free(s);
    psdvec_settings_free(NULL);
}

static void a_preset_may_be_chosen_after_other_options(void **state)
{
    (void)state;
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, NULL);
    const psdvec_train_options *o = psdvec_settings_struct(s);
    assert_int_equal(psdvec_settings_set(s, "dim", "7"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_set(s, "mu", "9"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_set(s, "preset", "paper"), PSDVEC_OK);
    assert_int_equal(o->preset, PSDVEC_PRESET_PAPER);
    assert_int_equal(o->core, 25000);
    assert_int_equal(o->dim, 7);
    assert_true(o->mu_count == 1 && o->mu[0] == 9);
    psdvec_settings_free(s);
    s = psdvec_settings_new(PSDVEC_OPTIONS_BASELINE, "glove");
    const psdvec_baseline_options *b = psdvec_settings_struct(s);
    assert_int_equal(b->method, PSDVEC_METHOD_GLOVE);
    assert_int_equal(b->epochs, 25);
    psdvec_settings_free(s);
}

static void incompatible_defaults_are_set_aside(void **state)
{
    (void)state;
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, NULL);
    const psdvec_train_options *o = psdvec_settings_struct(s);
    assert_int_equal(psdvec_settings_set(s, "weights", "glove"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_finish(s), PSDVEC_OK);
    assert_true(o->rho == 0);
    psdvec_settings_free(s);
    s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, NULL);
    assert_int_equal(psdvec_settings_set(s, "weights", "glove"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_set(s, "rho", "0.1"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_finish(s), PSDVEC_ERR_OPTION);
    assert_non_null(strstr(psdvec_settings_message(s), "`weights=factored`"));
    psdvec_settings_free(s);
}

static void options_without_effect_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *sentence;
    } cases[] = {
        {"kappa", "0.1", "`kappa` has no effect here; it needs `target=smoothed`"},
        {"cut", "0.1", "`cut` has no effect here; it needs `weights=raw` or `weights=smoothed`"},
        {"mu", "3", "`mu` has no effect here; it needs `core` other than all"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, NULL);
        assert_int_equal(psdvec_settings_set(s, cases[k].name, cases[k].value), PSDVEC_OK);
        assert_int_equal(psdvec_settings_finish(s), PSDVEC_ERR_OPTION);
        assert_string_equal(psdvec_settings_message(s), cases[k].sentence);
        psdvec_settings_free(s);
    }
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, NULL);
    psdvec_settings_set(s, "rho", "0");
    psdvec_settings_set(s, "rho_target", "1");
    assert_int_equal(psdvec_settings_finish(s), PSDVEC_ERR_OPTION);
    assert_string_equal(psdvec_settings_message(s), "`rho_target` has no effect here; it needs "
                                                    "`weights=factored` and `rho` above 0");
    psdvec_settings_free(s);
}

/* Values that `finish` set aside return if the options they depend on change again. */
static void settings_may_be_finished_again(void **state)
{
    (void)state;
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, "default");
    const psdvec_train_options *o = psdvec_settings_struct(s);
    assert_int_equal(psdvec_settings_set(s, "weights", "glove"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_finish(s), PSDVEC_OK);
    assert_true(o->rho == 0);
    assert_int_equal(psdvec_settings_set(s, "weights", "factored"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_finish(s), PSDVEC_OK);
    assert_true(o->rho == 0.2);
    /* A list that was unset does not count as set without effect. */
    assert_int_equal(psdvec_settings_set(s, "bands", "9"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_finish(s), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_settings_set(s, "bands", ""), PSDVEC_OK);
    assert_int_equal(psdvec_settings_finish(s), PSDVEC_OK);
    psdvec_settings_free(s);
}

static void an_unknown_preset_is_refused(void **state)
{
    (void)state;
    assert_null(psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, "papers"));
    assert_null(psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, ""));
    /* A preset of another table leaves the defaults. */
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_BASELINE, "paper");
    assert_string_equal(psdvec_settings_get(s, "method"), "svd");
    psdvec_settings_free(s);
}

static void negative_zero_is_zero(void **state)
{
    (void)state;
    psdvec_context *ctx = context();
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, NULL);
    const psdvec_train_options *o = psdvec_settings_struct(s);
    psdvec_train_options train;
    pv_buffer memory;
    assert_int_equal(psdvec_settings_set(s, "order", "-0"), PSDVEC_OK);
    assert_int_equal(psdvec_settings_set(s, "mu", "1,-0.0"), PSDVEC_OK);
    assert_false(signbit(o->order) || signbit(o->mu[1]));
    assert_string_equal(psdvec_settings_get(s, "mu"), "1,0");
    pv_buffer_init(&memory, ctx);
    assert_int_equal(pv_options_read_json(ctx, &pv_train_table, "F", "test",
                                          "{\"order\":-0.0,\"core\":5,\"mu\":[-0e3]}", NULL, &train,
                                          &memory),
                     PSDVEC_OK);
    assert_false(signbit(train.order));
    pv_buffer_free(&memory);
    psdvec_settings_free(s);
    psdvec_context_free(ctx);
}

/* `=` compares the values of choices; others have none. */
static void conditions_of_other_options_do_not_hold(void **state)
{
    (void)state;
    psdvec_train_options train;
    psdvec_train_options_default(&train);
    assert_true(psdvec_options_hold(PSDVEC_OPTIONS_TRAIN, &train, "weights=raw|factored rho>0"));
    assert_false(psdvec_options_hold(PSDVEC_OPTIONS_TRAIN, &train, "rho=0.2"));
    assert_false(psdvec_options_hold(PSDVEC_OPTIONS_TRAIN, &train, "rho"));
    assert_false(psdvec_options_hold(PSDVEC_OPTIONS_TRAIN, &train, "moon>0"));
    assert_false(psdvec_options_hold(PSDVEC_OPTIONS_TRAIN, &train, "centre=yes"));
}

static void lists_must_not_be_null(void **state)
{
    (void)state;
    static const char *const hole[] = {"alpha", NULL};
    psdvec_context *ctx = context();
    psdvec_count_options count;
    psdvec_train_options train;
    psdvec_count_options_default(&count);
    count.keep_words_count = 3;
    assert_int_equal(psdvec_count_options_check(ctx, &count), PSDVEC_ERR_OPTION);
    assert_string_equal(psdvec_error_message(ctx), "`keep` is NULL, but it should have 3 elements");
    count.keep_words = hole;
    count.keep_words_count = 2;
    assert_int_equal(psdvec_count_options_check(ctx, &count), PSDVEC_ERR_OPTION);
    assert_string_equal(psdvec_error_message(ctx), "`keep` has NULL as element 2");
    count.keep_words_count = 1;
    assert_int_equal(psdvec_count_options_check(ctx, &count), PSDVEC_OK);
    psdvec_train_options_default(&train);
    train.bands_count = 2;
    assert_int_equal(psdvec_train_options_check(ctx, &train), PSDVEC_ERR_OPTION);
    assert_string_equal(psdvec_error_message(ctx),
                        "`bands` is NULL, but it should have 2 elements");
    psdvec_context_free(ctx);
}

static void set_values_can_be_applied_to_another_struct(void **state)
{
    (void)state;
    psdvec_text_options text;
    psdvec_text_options_default(&text);
    text.digits = PSDVEC_DIGITS_ZERO;
    psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TEXT, NULL);
    assert_int_equal(psdvec_settings_set(s, "sentences", "yes"), PSDVEC_OK);
    psdvec_settings_apply(s, &text);
    assert_true(text.sentences);
    assert_int_equal(text.digits, PSDVEC_DIGITS_ZERO);
    psdvec_settings_free(s);
}

/* ---- Programs compiled with other versions --------------------------------------------------- */

/* psdvec_extend_options with one member less, or one more. */
struct older {
    size_t size;
    uint64_t min_count;
};
struct newer {
    psdvec_extend_options now;
    uint64_t later;
};

static void a_struct_of_an_older_version_is_accepted(void **state)
{
    (void)state;
    psdvec_context *ctx = context();
    struct {
        struct older older;
        unsigned char guard[64];
    } host;
    psdvec_extend_options own;
    memset(&host, 0xAA, sizeof host);
    psdvec_options_init(PSDVEC_OPTIONS_EXTEND, &host.older, sizeof host.older, 0, NULL);
    assert_int_equal(host.older.size, sizeof host.older);
    assert_int_equal(host.older.min_count, 5);
    for (size_t k = 0; k < sizeof host.guard; k++)
        assert_int_equal(host.guard[k], 0xAA);
    host.older.min_count = 9;
    assert_int_equal(pv_options_adopt(ctx, &pv_extend_table, &host.older, &own), PSDVEC_OK);
    assert_int_equal(own.min_count, 9);
    assert_true(isnan(own.mu)); /* new members have their defaults */
    assert_int_equal(own.size, sizeof own);
    psdvec_context_free(ctx);
}

static void a_struct_of_a_newer_version_is_refused(void **state)
{
    (void)state;
    psdvec_context *ctx = context();
    struct newer host;
    psdvec_extend_options own;
    psdvec_options_init(PSDVEC_OPTIONS_EXTEND, &host, sizeof host, 0, NULL);
    assert_int_equal(host.now.min_count, 5);
    assert_int_equal(pv_options_adopt(ctx, &pv_extend_table, &host, &own), PSDVEC_ERR_VERSION);
    assert_non_null(strstr(psdvec_error_message(ctx), "newer psdvec"));
    psdvec_context_free(ctx);
}

/* The text options inside the counting options may have been smaller, too. */
static void an_older_struct_within_a_struct_is_accepted(void **state)
{
    (void)state;
    psdvec_context *ctx = context();
    const size_t text = sizeof(psdvec_text_options), less = text - sizeof(void *);
    unsigned char host[sizeof(psdvec_count_options)];
    psdvec_count_options own;
    size_t size = sizeof host - sizeof(void *);
    psdvec_options_init(PSDVEC_OPTIONS_COUNT, host, size, less, "paper");
    size_t rest = offsetof(psdvec_count_options, text) + less;
    uint32_t window;
    memcpy(&window,
           host + rest + offsetof(psdvec_count_options, window) -
               offsetof(psdvec_count_options, text) - text,
           sizeof window);
    assert_int_equal(window, 3);
    assert_int_equal(pv_options_adopt(ctx, &pv_count_table, host, &own), PSDVEC_OK);
    assert_int_equal(own.window, 3);
    assert_int_equal(own.min_count, 100);
    assert_int_equal(own.text.min_document_words, 5);
    assert_int_equal(own.text.size, text);
    assert_null(own.text.json_field);
    psdvec_context_free(ctx);
}

/* New members have the defaults of the preset that the struct names. */
static void an_older_struct_keeps_its_preset(void **state)
{
    (void)state;
    psdvec_context *ctx = context();
    unsigned char host[sizeof(psdvec_train_options)];
    psdvec_train_options own, paper;
    size_t size = offsetof(psdvec_train_options, order) / sizeof(size_t) * sizeof(size_t);
    psdvec_options_init(PSDVEC_OPTIONS_TRAIN, host, size, 0, "paper");
    psdvec_train_options_preset(&paper, PSDVEC_PRESET_PAPER, NULL);
    assert_int_equal(pv_options_adopt(ctx, &pv_train_table, host, &own), PSDVEC_OK);
    assert_memory_equal(&own, &paper, sizeof own);
    psdvec_context_free(ctx);
}

static void a_struct_that_was_not_filled_in_is_refused(void **state)
{
    (void)state;
    psdvec_context *ctx = context();
    psdvec_train_options zero = {0}, own;
    psdvec_count_options counting = {0}, own_counting;
    assert_int_equal(pv_options_adopt(ctx, &pv_train_table, &zero, &own), PSDVEC_ERR_OPTION);
    assert_non_null(strstr(psdvec_error_message(ctx), "psdvec_train_options_default"));
    pv_begin(ctx);
    assert_int_equal(pv_options_adopt(ctx, &pv_count_table, &counting, &own_counting),
                     PSDVEC_ERR_OPTION);
    psdvec_count_options_default(&counting);
    counting.text.size = 0;
    pv_begin(ctx);
    assert_int_equal(pv_options_adopt(ctx, &pv_count_table, &counting, &own_counting),
                     PSDVEC_ERR_OPTION);
    counting.text.size = (size_t)-8;
    pv_begin(ctx);
    assert_int_equal(pv_options_adopt(ctx, &pv_count_table, &counting, &own_counting),
                     PSDVEC_ERR_OPTION);
    psdvec_context_free(ctx);
}

static void no_options_are_the_defaults(void **state)
{
    (void)state;
    psdvec_context *ctx = context();
    for (psdvec_options_kind kind = 0; kind < PSDVEC_OPTIONS_KINDS; kind++) {
        _Alignas(max_align_t) char own[PV_OPTIONS_MOST_BYTES], plain[PV_OPTIONS_MOST_BYTES];
        const pv_options_table *table = pv_options_of(kind);
        if (kind == PSDVEC_OPTIONS_IMPORT) /* has no default for the vocabulary */
            continue;
        pv_options_fill(table, plain, NULL);
        assert_int_equal(pv_options_adopt(ctx, table, NULL, own), PSDVEC_OK);
        assert_memory_equal(own, plain, table->size);
    }
    assert_int_equal(psdvec_train_options_check(ctx, NULL), PSDVEC_OK);
    assert_int_equal(psdvec_count_options_check(ctx, NULL), PSDVEC_OK);
    psdvec_context_free(ctx);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void remember(void *user, psdvec_message_level level, const char *text)
{
    char *last = user;
    if (level == PSDVEC_WARNING)
        snprintf(last, 300, "%s", text);
}

static void a_key_of_a_newer_file_is_named(void **state)
{
    (void)state;
    char last[300] = "";
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_context_options_default(&options);
    options.on_message = remember;
    options.user = last;
    assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
    psdvec_train_options train;
    pv_buffer memory;
    pv_buffer_init(&memory, ctx);
    const char *json = "{\"dim\":7,\"moon\":{\"phase\":[1]},\"preset\":\"paper\"}";
    assert_int_equal(
        pv_options_read_json(ctx, &pv_train_table, "M", "training", json, NULL, &train, &memory),
        PSDVEC_OK);
    assert_string_equal(last, "M: has the training setting \"moon\", which this version of psdvec "
                              "does not support; it is ignored");
    assert_int_equal(train.dim, 7);
    assert_int_equal(train.core, 25000);
    static const char *const also[] = {"moon", NULL};
    last[0] = 0;
    assert_int_equal(
        pv_options_read_json(ctx, &pv_train_table, "M", "training", json, also, &train, &memory),
        PSDVEC_OK);
    assert_string_equal(last, "");
    pv_buffer_free(&memory);
    psdvec_context_free(ctx);
}

/* A row of a later version, in a table for this test. */
struct later {
    size_t size;
    uint32_t old;
    double added;
};

static void a_later_row_is_in_files_only_if_it_matters(void **state)
{
    (void)state;
    static const psdvec_option rows[] = {{.name = "old",
                                          .type = PSDVEC_OPTION_UINT32,
                                          .offset = offsetof(struct later, old),
                                          .fallback = "3",
                                          .stored = true},
                                         {.name = "added",
                                          .type = PSDVEC_OPTION_DOUBLE,
                                          .offset = offsetof(struct later, added),
                                          .fallback = "0.5",
                                          .absent = "0",
                                          .added = true,
                                          .stored = true},
                                         {0}};
    static const pv_options_table table = {
        .name = "later", .rows = rows, .size = sizeof(struct later)};
    psdvec_context *ctx = context();
    struct later options;
    pv_buffer json, memory;
    pv_buffer_init(&json, ctx);
    pv_buffer_init(&memory, ctx);
    pv_options_fill(&table, &options, NULL);
    for (int round = 0; round < 2; round++) {
        pv_json_writer w;
        json.length = 0;
        options.added = round ? 0 : 0.5;
        pv_json_writer_init(&w, &json);
        pv_json_open_object(&w, NULL);
        pv_options_put_json(&w, &table, &options);
        pv_json_close(&w);
        assert_int_equal(pv_buffer_byte(&json, 0), PSDVEC_OK);
        assert_string_equal(json.data, round ? "{\"old\":3}" : "{\"old\":3,\"added\":0.5}");
        assert_int_equal(
            pv_options_read_json(ctx, &table, "F", "test", json.data, NULL, &options, &memory),
            PSDVEC_OK);
        assert_true(options.added == (round ? 0 : 0.5));
    }
    pv_buffer_free(&json);
    pv_buffer_free(&memory);
    psdvec_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(rows_name_the_members_of_their_structs),
        cmocka_unit_test(ranges_are_described_for_every_type),
        cmocka_unit_test(no_two_rows_share_a_name_or_a_member),
        cmocka_unit_test(every_default_can_be_read_and_is_what_the_struct_gets),
        cmocka_unit_test(every_absent_value_can_be_read),
        cmocka_unit_test(conditions_name_options_and_values),
        cmocka_unit_test(limits_agree_with_those_of_the_code),
        cmocka_unit_test(unknown_kinds_and_names_are_harmless),
        cmocka_unit_test(values_are_read_from_text),
        cmocka_unit_test(invalid_values_have_a_message),
        cmocka_unit_test(a_long_value_does_not_overflow_the_message),
        cmocka_unit_test(options_are_set_by_name),
        cmocka_unit_test(wrong_names_and_values_change_nothing),
        cmocka_unit_test(a_preset_may_be_chosen_after_other_options),
        cmocka_unit_test(incompatible_defaults_are_set_aside),
        cmocka_unit_test(options_without_effect_are_refused),
        cmocka_unit_test(set_values_can_be_applied_to_another_struct),
        cmocka_unit_test(settings_may_be_finished_again),
        cmocka_unit_test(an_unknown_preset_is_refused),
        cmocka_unit_test(lists_must_not_be_null),
        cmocka_unit_test(negative_zero_is_zero),
        cmocka_unit_test(conditions_of_other_options_do_not_hold),
        cmocka_unit_test(a_struct_of_an_older_version_is_accepted),
        cmocka_unit_test(a_struct_of_a_newer_version_is_refused),
        cmocka_unit_test(an_older_struct_within_a_struct_is_accepted),
        cmocka_unit_test(an_older_struct_keeps_its_preset),
        cmocka_unit_test(a_struct_that_was_not_filled_in_is_refused),
        cmocka_unit_test(no_options_are_the_defaults),
        cmocka_unit_test(a_key_of_a_newer_file_is_named),
        cmocka_unit_test(a_later_row_is_in_files_only_if_it_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
