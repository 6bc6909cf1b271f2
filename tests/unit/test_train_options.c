/* The options of training and of adding words: presets, invalid values, and their JSON. */
#include "support/scratch.h"
#include "support/workbench.h"
#include "train/options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Options --------------------------------------------------------------------------------- */

static void both_presets_pass_the_check(void **state)
{
    bench *b = *state;
    psdvec_train_options o;
    psdvec_count_options count;
    for (int preset = PSDVEC_PRESET_DEFAULT; preset <= PSDVEC_PRESET_PAPER; preset++) {
        psdvec_train_options_preset(&o, (psdvec_preset)preset, &count);
        assert_int_equal(o.preset, preset);
        ok(psdvec_train_options_check(b->ctx, &o));
        ok(psdvec_count_options_check(b->ctx, &count));
        psdvec_train_options_preset(&o, (psdvec_preset)preset, NULL);
        ok(psdvec_train_options_check(b->ctx, &o));
    }
    assert_int_equal(o.dim, 500);
    assert_int_equal(o.core, 25000);
    assert_int_equal(o.mu_count, 3);
    assert_true(o.start == 0.5 && o.relaxation == 1 && o.rho == 0);
    assert_true(!o.centre && o.order == 0 && o.spelling == 0);
    assert_int_equal(count.window, 3);
    assert_int_equal(count.min_count, 100);
    assert_int_equal(count.text.min_document_words, 5);
    psdvec_train_options plain;
    psdvec_train_options_default(&plain);
    psdvec_train_options_preset(&o, PSDVEC_PRESET_DEFAULT, &count);
    assert_memory_equal(&o, &plain, sizeof o);
    assert_int_equal(count.window, 10);
    assert_int_equal(count.distance, PSDVEC_DISTANCE_HARMONIC);
    assert_true(o.centre && o.order > 0 && o.spelling > 0);
    assert_int_equal(count.oov, PSDVEC_OOV_DROP);
    assert_true(count.subsample == 1e-3);
    assert_int_equal(count.text.min_document_words, 1);
}

/* One error at a time, and the words that the message must contain. */
#define WRONG(change, words)                                                                       \
    do {                                                                                           \
        psdvec_train_options o;                                                                    \
        psdvec_train_options_default(&o);                                                          \
        change;                                                                                    \
        assert_int_equal(psdvec_train_options_check(b->ctx, &o), PSDVEC_ERR_OPTION);               \
        if (!strstr(psdvec_error_message(b->ctx), words))                                          \
            fail_msg("%s lacks: %s", psdvec_error_message(b->ctx), words);                         \
    } while (0)

static void every_invalid_option_is_named_in_the_message(void **state)
{
    bench *b = *state;
    static const double bad_mu[] = {2, -1}, odd_mu[] = {NAN}, three[] = {1, 2, 3};
    static const uint32_t falling[] = {30, 20}, inside[] = {5, 20};
    WRONG(o.preset = (psdvec_preset)7, "`preset`");
    WRONG(o.form = (psdvec_form)99, "`form`");
    WRONG(o.target = (psdvec_target)-1, "`target`");
    WRONG(o.weights = (psdvec_weights)99, "`weights`");
    WRONG(o.dim = 0, "`dim` is 0; it must be a whole number from 1 to");
    WRONG(o.dim = 10001, "`dim`");
    WRONG(o.kappa = 0, "`kappa`");
    WRONG(o.kappa = 1, "`kappa`");
    WRONG(o.kappa = NAN, "`kappa`");
    WRONG(o.context_power = -0.1, "`context_power`");
    WRONG(o.cut = 0, "`cut`");
    WRONG(o.factor_power = NAN, "`factor_power`");
    WRONG(o.glove_max = 0, "`glove_max`");
    WRONG(o.glove_max = INFINITY, "`glove_max`");
    WRONG(o.glove_power = 1.5, "`glove_power`");
    WRONG(o.rho = 1, "`rho`");
    WRONG(o.rho_target = INFINITY, "`rho_target`");
    WRONG(o.rho_pairs = -1, "`rho_pairs`");
    WRONG(o.unseen_weight = -1, "`unseen_weight`");
    WRONG(o.iterations = 0, "`iterations`");
    WRONG(o.tolerance = 1, "`tolerance`");
    WRONG(o.relaxation = 2, "`relaxation`");
    WRONG(o.relaxation = 0, "`relaxation`");
    WRONG(o.start = 2, "`start`");
    WRONG(o.rank_extra = 1001, "`rank_extra`");
    WRONG(o.eigen_tolerance = 0, "`eigen_tolerance`");
    WRONG(o.core_mu = -1, "`core_mu`");
    WRONG(o.core_mu = 1, "`core_mu` is 1, but only `form=psd` has a prior of core words");
    WRONG(o.mu_power = NAN, "`mu_power`");
    WRONG(o.order = -1, "`order` is -1; it must be a number from 0 to 10");
    WRONG(o.order = NAN, "`order`");
    WRONG(o.spelling = 11, "`spelling` is 11; it must be a number from 0 to 10");
    WRONG(o.spelling = INFINITY, "`spelling`");
    WRONG(o.mu_count = 0, "`mu` is empty");
    WRONG(o.mu = NULL, "`mu` is NULL");
    WRONG((o.mu = bad_mu, o.mu_count = 2), "`mu` has the value -1 at position 2");
    WRONG(o.mu = odd_mu, "`mu` has");
    WRONG((o.mu = three, o.mu_count = 3, o.bands = falling, o.bands_count = 2),
          "`bands` has 20 after 30");
    WRONG((o.core = 10, o.mu = three, o.mu_count = 3, o.bands = inside, o.bands_count = 2),
          "`bands` has 5");
    WRONG((o.weights = PSDVEC_WEIGHTS_SMOOTHED, o.rho = 0), "`target=smoothed`");
    WRONG(o.start = 0.5, "`start=0` or `target=smoothed`");
    WRONG(o.weights = PSDVEC_WEIGHTS_RAW, "`rho` is 0.2, which requires `weights=factored`");
    WRONG(o.relaxation = 1.9, "steps of length 2.28");
}

static bool weights_exist(int weights)
{
    return psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "weights")->choices[weights].name != NULL;
}

static void valid_combinations_are_allowed(void **state)
{
    bench *b = *state;
    psdvec_train_options o;
    for (int target = 0; target <= PSDVEC_TARGET_SMOOTHED; target++)
        for (int weights = 0; weights_exist(weights); weights++) {
            psdvec_train_options_default(&o);
            o.target = (psdvec_target)target;
            o.weights = (psdvec_weights)weights;
            o.rho = weights == PSDVEC_WEIGHTS_FACTORED ? 0.1 : 0;
            o.start = target == PSDVEC_TARGET_SMOOTHED ? 0.5 : 0;
            bool contradiction = weights == PSDVEC_WEIGHTS_SMOOTHED &&
                                 target != PSDVEC_TARGET_SMOOTHED;
            assert_int_equal(psdvec_train_options_check(b->ctx, &o),
                             contradiction ? PSDVEC_ERR_OPTION : PSDVEC_OK);
        }
    static const double none[] = {0};
    psdvec_train_options_default(&o);
    o.mu = none; /* the unregularised row of the paper's table */
    ok(psdvec_train_options_check(b->ctx, &o));
}

static void extending_has_simple_defaults(void **state)
{
    (void)state;
    psdvec_extend_options o;
    psdvec_extend_options_default(&o);
    assert_int_equal(o.min_count, 5);
    assert_true(isnan(o.mu));
    assert_false(o.replace);
}

/* ---- Settings of training -------------------------------------------------------------------- */

enum { MOST_BANDS = 6 };

typedef struct drawn {
    psdvec_train_options options;
    double mu[MOST_BANDS];
    uint32_t edges[MOST_BANDS];
} drawn;

/* Doubles with all 53 bits in use. */
static void draw_options(dice *d, drawn *r)
{
    psdvec_train_options *o = &r->options;
    psdvec_train_options_preset(o, (psdvec_preset)dice_below(d, 2), NULL);
    o->dim = 1 + (uint32_t)dice_below(d, 10000);
    o->form = (psdvec_form)dice_below(d, 2);
    o->core = (uint32_t)dice_below(d, 100000);
    o->target = (psdvec_target)dice_below(d, 2);
    o->kappa = dice_unit(d) * 0.98 + 0.01;
    o->context_power = dice_unit(d);
    do
        o->weights = (psdvec_weights)dice_below(d, 4);
    while (o->weights == PSDVEC_WEIGHTS_SMOOTHED && o->target != PSDVEC_TARGET_SMOOTHED);
    o->cut = dice_unit(d) * 1e-3 + 1e-9;
    o->factor_power = dice_unit(d);
    o->glove_max = 1e5 * dice_unit(d) + 1;
    o->glove_power = dice_unit(d);
    o->rho = o->weights == PSDVEC_WEIGHTS_FACTORED ? dice_unit(d) / 8 : 0;
    o->rho_target = 10 * dice_unit(d) - 5;
    o->rho_pairs = 1e4 * dice_unit(d);
    o->unseen_weight = o->rho == 0 && o->weights != PSDVEC_WEIGHTS_SMOOTHED ? dice_unit(d) : 0;
    o->iterations = 1 + (uint32_t)dice_below(d, 100);
    o->tolerance = dice_percent(d, 50) ? 0 : dice_unit(d);
    o->relaxation = 0.1 + 1.6 * dice_unit(d);
    o->start = o->target == PSDVEC_TARGET_SMOOTHED ? dice_unit(d) : 0;
    o->rank_extra = (uint32_t)dice_below(d, 100);
    o->eigen_tolerance = 1e-6 + dice_unit(d) / 2;
    o->core_mu = dice_percent(d, 50) ? 0 : dice_unit(d);
    o->mu_power = dice_unit(d);
    o->mu = r->mu;
    o->mu_count = 1 + dice_below(d, MOST_BANDS);
    o->bands = dice_percent(d, 50) ? r->edges : NULL;
    o->bands_count = o->bands ? o->mu_count - 1 : 0;
    for (size_t i = 0; i < MOST_BANDS; i++) {
        r->mu[i] = 100 * dice_unit(d);
        r->edges[i] = o->core + 1 + (uint32_t)(i * 1000);
    }
    o->restart = dice_percent(d, 50);
}

static void assert_same_options(const psdvec_train_options *a, const psdvec_train_options *b)
{
    psdvec_train_options x = *a, y = *b;
    assert_int_equal(x.mu_count, y.mu_count);
    assert_memory_equal(x.mu, y.mu, x.mu_count * sizeof *x.mu);
    assert_int_equal(x.bands == NULL, y.bands == NULL);
    assert_int_equal(x.bands_count, y.bands_count);
    if (x.bands_count)
        assert_memory_equal(x.bands, y.bands, x.bands_count * sizeof *x.bands);
    x.mu = y.mu = NULL;
    x.bands = y.bands = NULL;
    x.restart = y.restart = false;
#define SAME(field) assert_memory_equal(&x.field, &y.field, sizeof x.field)
    SAME(preset), SAME(dim), SAME(form), SAME(core), SAME(target), SAME(kappa);
    SAME(context_power), SAME(weights), SAME(cut), SAME(factor_power), SAME(glove_max);
    SAME(glove_power), SAME(rho), SAME(rho_target), SAME(unseen_weight), SAME(iterations);
    SAME(tolerance), SAME(relaxation), SAME(start), SAME(rank_extra), SAME(eigen_tolerance);
    SAME(core_mu), SAME(mu_power), SAME(rho_pairs);
#undef SAME
}

/* The settings as a zero-terminated text. */
static char *settings_of(bench *b, const psdvec_train_options *options)
{
    pv_buffer json;
    pv_buffer_init(&json, b->ctx);
    ok(pv_settings_write(b->ctx, options, NULL, &json));
    char *text = strndup(json.data, json.length);
    pv_buffer_free(&json);
    assert_non_null(text);
    return text;
}

static void settings_are_preserved_exactly(void **state)
{
    bench *b = *state;
    dice d = {3};
    for (int round = 0; round < 500; round++) {
        drawn r;
        psdvec_train_options back;
        pv_buffer lists;
        pv_buffer_init(&lists, b->ctx);
        draw_options(&d, &r);
        char *json = settings_of(b, &r.options);
        ok(pv_settings_read(b->ctx, "model", json, &back, &lists));
        assert_same_options(&r.options, &back);
        assert_false(back.restart);
        char *again = settings_of(b, &back);
        assert_string_equal(json, again);
        free(again);
        free(json);
        pv_buffer_free(&lists);
    }
}

static void settings_have_the_names_of_the_command_line(void **state)
{
    bench *b = *state;
    psdvec_train_options o;
    psdvec_train_options_preset(&o, PSDVEC_PRESET_PAPER, NULL);
    char *json = settings_of(b, &o);
    assert_non_null(strstr(json, "\"preset\":\"paper\""));
    assert_non_null(strstr(json, "\"centre\":false,\"order\":0,\"spelling\":0"));
    assert_non_null(strstr(json, "\"mu\":[2,4,8],\"bands\":[80000,130000]"));
    assert_null(strstr(json, "restart"));
    free(json);
}

/* Only values that were not set explicitly are replaced. */
static void mu_and_core_replace_the_bands_of_the_preset(void **state)
{
    bench *b = *state;
    static const double one[] = {0};
    static const struct {
        uint32_t core;
        size_t bands, mu;
        double first_mu;
    } cases[] = {{200, 2, 3, 2}, {79999, 2, 3, 2},  {80000, 1, 2, 4},
                 {0, 2, 3, 2},   {100000, 1, 2, 4}, {130000, 0, 1, 8}};
    psdvec_train_options o, own;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        psdvec_train_options_preset(&o, PSDVEC_PRESET_PAPER, NULL);
        o.core = cases[k].core;
        ok(pv_train_options_adopt(b->ctx, &o, &own));
        assert_int_equal(own.bands_count, cases[k].bands);
        assert_int_equal(own.bands != NULL, cases[k].bands > 0);
        assert_int_equal(own.mu_count, cases[k].mu);
        assert_true(own.mu[0] == cases[k].first_mu);
        if (cases[k].bands)
            assert_int_equal(own.bands[cases[k].bands - 1], 130000);
        free(settings_of(b, &own)); /* can be written */
    }
    psdvec_train_options_preset(&o, PSDVEC_PRESET_PAPER, NULL);
    o.mu = one;
    o.mu_count = 1;
    ok(pv_train_options_adopt(b->ctx, &o, &own));
    assert_null(own.bands);
    assert_int_equal(own.bands_count, 0);
    static const uint32_t chosen[] = {80000, 130000};
    o.bands = chosen;
    assert_int_equal(pv_train_options_adopt(b->ctx, &o, &own), PSDVEC_ERR_OPTION);
    psdvec_train_options_preset(&o, PSDVEC_PRESET_PAPER, NULL);
    o.bands = chosen;
    o.core = 80000;
    pv_begin(b->ctx);
    assert_int_equal(pv_train_options_adopt(b->ctx, &o, &own), PSDVEC_ERR_OPTION);
    pv_begin(b->ctx);
}

static void invalid_settings_are_refused(void **state)
{
    bench *b = *state;
    static const struct {
        const char *from, *to, *words;
    } cases[] = {
        {"\"dim\":500", "\"dim\":0", "`dim` is 0"},
        {"\"dim\":500", "\"dim\":4294967296", "out of range"},
        {"\"dim\":500", "\"dim\":-1", "negative"},
        {"\"dim\":500", "\"dim\":\"x\"", ""},
        {"\"pmi\"", "\"pmy\"", "does not support"},
        {"\"pmi\"", "7", "a word is expected"},
        {"\"rho\":0.2", "\"rho\":1e999", "too large"},
        {"\"centre\":true", "\"centre\":1", ""},
        {"\"spelling\":1", "\"spelling\":-1", "`spelling` is -1"},
        {"\"mu\":[2]", "\"mu\":[]", "`mu` is empty"},
        {"\"mu\":[2]", "\"mu\":2", ""},
        {"\"bands\":null", "\"bands\":[5]", "2 bands"},
        {"\"bands\":null", "\"bands\":[5000000000]", "out of range"},
        {"\"inflections\":0.5}", "\"inflections\":0.5", ""},
        {"\"inflections\":0.5}", "\"inflections\":0.5}}", "there is more text"},
        {"\"inflections\":0.5}", "\"inflections\":1.5}", "`inflections` is 1.5"},
        {"\"inflections\":0.5}", "\"inflections\":0.5,\"rho_pairs\":-1}", "`rho_pairs` is -1"},
        {"\"readout_power\":0.4", "\"readout_power\":1.5", "`readout_power` is 1.5"},
        {"{", "[", ""},
    };
    psdvec_train_options o;
    psdvec_train_options_default(&o);
    char *json = settings_of(b, &o);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *bad = replaced(json, cases[i].from, cases[i].to);
        pv_buffer lists;
        pv_buffer_init(&lists, b->ctx);
        pv_begin(b->ctx);
        assert_int_equal(pv_settings_read(b->ctx, "M", bad, &o, &lists), PSDVEC_ERR_CORRUPT);
        assert_non_null(strstr(psdvec_error_message(b->ctx), "M: the training settings"));
        assert_non_null(strstr(psdvec_error_message(b->ctx), cases[i].words));
        pv_buffer_free(&lists);
        free(bad);
    }
    free(json);
}

/* A file of a version that did not have the option yet. */
static void missing_settings_have_the_value_of_the_table(void **state)
{
    bench *b = *state;
    static const struct {
        const char *without;
        size_t offset, bytes;
        double value; /* of a double; NAN: that of the preset */
    } cases[] = {
#define LACKS(text, member, value)                                                                 \
    {text, offsetof(psdvec_train_options, member), sizeof(((psdvec_train_options *)NULL)->member), \
     value}
        LACKS("\"order\":0,", order, 0),
        LACKS("\"unseen_weight\":0,", unseen_weight, 0),
        LACKS("\"relaxation\":1,", relaxation, 1), /* that of the paper preset, not the default
                                                    * 1.6 */
        LACKS("\"dim\":500,", dim, NAN),
        LACKS("\"core\":25000,", core, NAN),
        LACKS("\"mu\":[2,4,8],", mu_count, NAN),
        LACKS(",\"bands\":[80000,130000]", bands_count, NAN),
#undef LACKS
    };
    psdvec_train_options o, back;
    psdvec_train_options_preset(&o, PSDVEC_PRESET_PAPER, NULL);
    char *json = settings_of(b, &o);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *less = replaced(json, cases[i].without, "");
        pv_buffer lists;
        pv_buffer_init(&lists, b->ctx);
        ok(pv_settings_read(b->ctx, "M", less, &back, &lists));
        const char *got = (const char *)&back + cases[i].offset;
        assert_memory_equal(got, (const char *)&o + cases[i].offset, cases[i].bytes);
        double value;
        if (!isnan(cases[i].value)) {
            memcpy(&value, got, sizeof value);
            assert_true(value == cases[i].value);
        }
        pv_buffer_free(&lists);
        free(less);
    }
    free(json);
    /* Extensions of the paper's model are off if a file does not record them. */
    psdvec_train_options_default(&o);
    json = settings_of(b, &o);
    char *less = replaced(json, "\"centre\":true,\"order\":0.4,\"spelling\":1,", "");
    pv_buffer lists;
    pv_buffer_init(&lists, b->ctx);
    ok(pv_settings_read(b->ctx, "M", less, &back, &lists));
    assert_true(!back.centre && back.order == 0 && back.spelling == 0);
    pv_buffer_free(&lists);
    free(less);
    free(json);
}

/* psdvec 0.1.0 trained with them; training refuses them now. */
static void settings_with_priors_in_the_symmetric_form_are_read(void **state)
{
    bench *b = *state;
    psdvec_train_options o, back;
    psdvec_train_options_default(&o);
    o.core_mu = 1;
    assert_int_equal(psdvec_train_options_check(b->ctx, &o), PSDVEC_ERR_OPTION);
    char *json = settings_of(b, &o);
    pv_buffer lists;
    pv_buffer_init(&lists, b->ctx);
    ok(pv_settings_read(b->ctx, "M", json, &back, &lists));
    assert_same_options(&o, &back);
    pv_buffer_free(&lists);
    free(json);
}

static void settings_of_a_later_version_may_have_more(void **state)
{
    bench *b = *state;
    psdvec_train_options o, back;
    psdvec_train_options_default(&o);
    char *json = settings_of(b, &o);
    char *more = replaced(json, "{", "{\"moon\":[{\"phase\":1}],");
    pv_buffer lists;
    pv_buffer_init(&lists, b->ctx);
    ok(pv_settings_read(b->ctx, "M", more, &back, &lists));
    assert_same_options(&o, &back);
    pv_buffer_free(&lists);
    free(more);
    free(json);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(both_presets_pass_the_check),
        TEST(every_invalid_option_is_named_in_the_message),
        TEST(valid_combinations_are_allowed),
        TEST(extending_has_simple_defaults),
        TEST(settings_are_preserved_exactly),
        TEST(settings_have_the_names_of_the_command_line),
        TEST(mu_and_core_replace_the_bands_of_the_preset),
        TEST(invalid_settings_are_refused),
        TEST(missing_settings_have_the_value_of_the_table),
        TEST(settings_with_priors_in_the_symmetric_form_are_read),
        TEST(settings_of_a_later_version_may_have_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
