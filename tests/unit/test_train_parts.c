/* The parts around training: options and presets, their JSON, and the folder that an
 * interrupted run leaves. */
#include "base/context.h"
#include "base/file.h"
#include "base/partial.h"
#include "base/platform.h"
#include "count/provenance.h"
#include "support/scratch.h"
#include "train/options.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct bench {
    psdvec_context *ctx;
    char *folder, *output, *partial; /* the scratch folder, "out" in it, "out.partial" */
    char messages[3][4096];          /* by level, one behind the other */
    int message_count[3];
} bench;

#define ok(call) assert_int_equal((call), PSDVEC_OK)

static void remember(void *user, psdvec_message_level level, const char *text)
{
    bench *b = user;
    size_t length = strlen(b->messages[level]);
    snprintf(b->messages[level] + length, sizeof b->messages[level] - length, "%s\n", text);
    b->message_count[level]++;
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->folder = scratch_new();
    b->output = scratch_path(b->folder, "out");
    b->partial = scratch_path(b->folder, "out.partial");
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = 2;
    o.memory = 64 << 20;
    o.on_message = remember;
    o.user = b;
    *state = b;
    return psdvec_context_new(&o, &b->ctx) == PSDVEC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    scratch_free(b->folder);
    free(b->output);
    free(b->partial);
    free(b);
    return used == 0 ? 0 : -1;
}

/* ---- Options -------------------------------------------------------------------------------- */

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

/* One wrong thing at a time, and the words that the sentence must have. */
#define WRONG(change, words)                                                                       \
    do {                                                                                           \
        psdvec_train_options o;                                                                    \
        psdvec_train_options_default(&o);                                                          \
        change;                                                                                    \
        assert_int_equal(psdvec_train_options_check(b->ctx, &o), PSDVEC_ERR_OPTION);               \
        if (!strstr(psdvec_error_message(b->ctx), words))                                          \
            fail_msg("%s lacks: %s", psdvec_error_message(b->ctx), words);                         \
    } while (0)

static void every_wrong_option_has_a_sentence_that_names_it(void **state)
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
    WRONG(o.unseen_weight = -1, "`unseen_weight`");
    WRONG(o.iterations = 0, "`iterations`");
    WRONG(o.tolerance = 1, "`tolerance`");
    WRONG(o.relaxation = 2, "`relaxation`");
    WRONG(o.relaxation = 0, "`relaxation`");
    WRONG(o.start = 2, "`start`");
    WRONG(o.rank_extra = 1001, "`rank_extra`");
    WRONG(o.eigen_tolerance = 0, "`eigen_tolerance`");
    WRONG(o.core_mu = -1, "`core_mu`");
    WRONG(o.core_mu = 1, "`core_mu` is 1, and only `form=psd` has a prior of core words");
    WRONG(o.mu_power = NAN, "`mu_power`");
    WRONG(o.order = -1, "`order` is -1; it must be a number from 0 to 10");
    WRONG(o.order = NAN, "`order`");
    WRONG(o.spelling = 11, "`spelling` is 11; it must be a number from 0 to 10");
    WRONG(o.spelling = INFINITY, "`spelling`");
    WRONG(o.mu_count = 0, "`mu` is empty");
    WRONG(o.mu = NULL, "`mu` is NULL");
    WRONG((o.mu = bad_mu, o.mu_count = 2), "`mu` has -1 as number 2");
    WRONG(o.mu = odd_mu, "`mu` has");
    WRONG((o.mu = three, o.mu_count = 3, o.bands = falling, o.bands_count = 2),
          "`bands` has 20 after 30");
    WRONG((o.core = 10, o.mu = three, o.mu_count = 3, o.bands = inside, o.bands_count = 2),
          "`bands` has 5");
    WRONG((o.weights = PSDVEC_WEIGHTS_SMOOTHED, o.rho = 0), "`target=smoothed`");
    WRONG(o.start = 0.5, "`start=0` or `target=smoothed`");
    WRONG(o.weights = PSDVEC_WEIGHTS_RAW, "`rho` is 0.2, which belongs to `weights=factored`");
    WRONG(o.relaxation = 1.9, "steps of length 2.28");
}

static bool weights_exist(int weights)
{
    return psdvec_options_find(PSDVEC_OPTIONS_TRAIN, "weights")->choices[weights].name != NULL;
}

static void what_goes_together_is_allowed(void **state)
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

static void extending_has_plain_defaults(void **state)
{
    (void)state;
    psdvec_extend_options o;
    psdvec_extend_options_default(&o);
    assert_int_equal(o.min_count, 5);
    assert_true(isnan(o.mu));
    assert_false(o.replace);
}

/* ---- Settings of training ------------------------------------------------------------------- */

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
    SAME(core_mu), SAME(mu_power);
#undef SAME
}

/* The settings as a zero-terminated text. */
static char *settings_of(bench *b, const psdvec_train_options *options)
{
    pv_buffer json;
    pv_buffer_init(&json, b->ctx);
    ok(pv_settings_write(b->ctx, options, &json));
    char *text = strndup(json.data, json.length);
    pv_buffer_free(&json);
    assert_non_null(text);
    return text;
}

static void settings_come_back_to_the_bit(void **state)
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
    assert_non_null(strstr(json, "\"mu\":[2,4,8],\"bands\":null"));
    assert_null(strstr(json, "restart"));
    free(json);
}

/* `json` with the first `from` replaced. */
static char *replaced(const char *json, const char *from, const char *to)
{
    const char *at = strstr(json, from);
    char *result = NULL;
    assert_non_null(at);
    assert_true(asprintf(&result, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from)) > 0);
    return result;
}

static void settings_that_cannot_be_are_refused(void **state)
{
    bench *b = *state;
    static const struct {
        const char *from, *to, *words;
    } cases[] = {
        {"\"dim\":500", "\"dim\":0", "`dim` is 0"},
        {"\"dim\":500", "\"dim\":4294967296", "out of range"},
        {"\"dim\":500", "\"dim\":-1", "negative"},
        {"\"dim\":500", "\"dim\":\"x\"", ""},
        {"\"pmi\"", "\"pmy\"", "does not know"},
        {"\"pmi\"", "7", "a word is expected"},
        {"\"rho\":0.2", "\"rho\":1e999", "too large"},
        {"\"centre\":true", "\"centre\":1", ""},
        {"\"spelling\":1", "\"spelling\":-1", "`spelling` is -1"},
        {"\"mu\":[2]", "\"mu\":[]", "`mu` is empty"},
        {"\"mu\":[2]", "\"mu\":2", ""},
        {"\"bands\":null", "\"bands\":[5]", "2 bands"},
        {"\"bands\":null", "\"bands\":[5000000000]", "out of range"},
        {"\"bands\":null}", "\"bands\":null", ""},
        {"\"bands\":null}", "\"bands\":null}}", "something follows"},
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
        assert_non_null(strstr(psdvec_error_message(b->ctx), "M: its training settings"));
        assert_non_null(strstr(psdvec_error_message(b->ctx), cases[i].words));
        pv_buffer_free(&lists);
        free(bad);
    }
    free(json);
}

/* A file of a version that did not have the option yet. */
static void settings_that_a_file_lacks_have_the_value_of_the_table(void **state)
{
    bench *b = *state;
    static const struct {
        const char *without;
        size_t offset, bytes;
        double value; /* of a double; NAN: as the preset has it */
    } cases[] = {
#define LACKS(text, member, value)                                                                 \
    {text, offsetof(psdvec_train_options, member), sizeof(((psdvec_train_options *)NULL)->member), \
     value}
        LACKS("\"order\":0,", order, 0),           LACKS("\"unseen_weight\":0,", unseen_weight, 0),
        LACKS("\"relaxation\":1,", relaxation, 1), /* the paper preset's, not the default's 1.6 */
        LACKS("\"dim\":500,", dim, NAN),           LACKS("\"core\":25000,", core, NAN),
        LACKS("\"mu\":[2,4,8],", mu_count, NAN),   LACKS(",\"bands\":null", bands_count, NAN),
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
    /* What was added to the paper's model is off where a file does not know it. */
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

/* ---- Settings of counting ----------------------------------------------------------------- */

static void settings_of_counting_come_back(void **state)
{
    bench *b = *state;
    dice d = {4};
    for (int round = 0; round < 500; round++) {
        psdvec_count_options o, back;
        psdvec_count_options_default(&o);
        o.window = 1 + (uint32_t)dice_below(&d, 1000);
        o.distance = (psdvec_distance)dice_below(&d, 3);
        o.oov = (psdvec_oov)dice_below(&d, 2);
        o.subsample = dice_percent(&d, 50) ? 0 : dice_unit(&d);
        o.text.tokenizer = (psdvec_tokenizer)dice_below(&d, 4);
        o.text.letter_case = (psdvec_case)dice_below(&d, 3);
        o.text.accents = (psdvec_accents)dice_below(&d, 2);
        o.text.digits = (psdvec_digits)dice_below(&d, 3);
        o.text.apostrophes = (psdvec_inner)dice_below(&d, 2);
        o.text.hyphens = (psdvec_inner)dice_below(&d, 2);
        o.text.min_length = 1 + (uint32_t)dice_below(&d, 10);
        o.text.max_length = dice_percent(&d, 50) ? 0 : 10 + (uint32_t)dice_below(&d, 1000);
        o.text.document = (psdvec_document)dice_below(&d, 4);
        o.text.sentences = dice_percent(&d, 50);
        o.text.min_document_words = 1 + (uint32_t)dice_below(&d, 1000);
        o.text.json_field = dice_percent(&d, 50) ? NULL : "te\"xt\xc3\xa9";

        pv_provenance first, second;
        pv_buffer strings;
        pv_provenance_init(&first, b->ctx);
        pv_provenance_init(&second, b->ctx);
        pv_buffer_init(&strings, b->ctx);
        ok(pv_provenance_set(&first, &o));
        ok(pv_provenance_read_settings(b->ctx, "M", first.settings, &back, &strings));
        ok(pv_provenance_set(&second, &back));
        assert_string_equal(first.settings, second.settings);
        assert_int_equal(back.window, o.window);
        assert_true(back.subsample == o.subsample);
        assert_int_equal(back.text.tokenizer, o.text.tokenizer);
        assert_int_equal(back.text.hyphens, o.text.hyphens);
        assert_int_equal(back.text.json_field == NULL, o.text.json_field == NULL);
        if (o.text.json_field)
            assert_string_equal(back.text.json_field, o.text.json_field);
        pv_provenance_free(&first);
        pv_provenance_free(&second);
        pv_buffer_free(&strings);
    }
}

static void settings_of_counting_that_cannot_be_are_refused(void **state)
{
    bench *b = *state;
    psdvec_count_options o, back;
    pv_provenance p;
    psdvec_count_options_default(&o);
    pv_provenance_init(&p, b->ctx);
    ok(pv_provenance_set(&p, &o));
    static const struct {
        const char *from, *to, *words;
        psdvec_status status;
    } cases[] = {
        {"{\"window\":5", "{\"imported\":\"glove\",\"window\":null", "another program",
         PSDVEC_ERR_MISMATCH},
        {"\"window\":5", "\"window\":0", "`window` is 0", PSDVEC_ERR_CORRUPT},
        {"\"window\":5", "\"window\":5000", "`window` is 5000", PSDVEC_ERR_CORRUPT},
        {"\"words\"", "\"wards\"", "does not know", PSDVEC_ERR_CORRUPT},
        {"\"min_length\":1", "\"min_length\":300", "every length", PSDVEC_ERR_CORRUPT},
        {"{", "", "cannot be used", PSDVEC_ERR_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *bad = replaced(p.settings, cases[i].from, cases[i].to);
        pv_buffer strings;
        pv_buffer_init(&strings, b->ctx);
        pv_begin(b->ctx);
        assert_int_equal(pv_provenance_read_settings(b->ctx, "M", bad, &back, &strings),
                         cases[i].status);
        assert_non_null(strstr(psdvec_error_message(b->ctx), cases[i].words));
        pv_buffer_free(&strings);
        free(bad);
    }
    pv_provenance_free(&p);
}

/* ---- Interrupted runs ---------------------------------------------------------------------- */

static pv_partial *must_open(bench *b, const char *key, bool restart)
{
    pv_partial *p;
    pv_begin(b->ctx);
    ok(pv_partial_open(b->ctx, b->output, key, restart, &p));
    return p;
}

/* A state of `count` numbers that start at `first`. */
static void save(pv_partial *p, const char *name, float first, size_t count)
{
    float *numbers = calloc(count + 1, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = first + (float)i;
    pv_tensor tensor = {
        .name = "V", .dtype = PV_DTYPE_F32, .rank = 1, .shape = {count}, .data = numbers};
    pv_st_pair pair = {"iteration", "3"};
    ok(pv_partial_save(p, name, &tensor, 1, &pair, 1));
    free(numbers);
}

/* The first number of the state; -1 if there is none. */
static float first_number(pv_partial *p, const char *name)
{
    pv_st_file *file;
    ok(pv_partial_load(p, name, &file));
    if (!file)
        return -1;
    assert_string_equal(pv_st_meta(file, "iteration"), "3");
    float first = *(const float *)pv_st_tensor(file, "V")->data;
    pv_st_close(file);
    return first;
}

static void a_state_is_there_for_the_next_run(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    assert_true(first_number(p, "solve") == -1);
    save(p, "solve", 1, 1000);
    save(p, "solve", 2, 1000);
    save(p, "block-7", 5, 0 + 1);
    assert_true(first_number(p, "solve") == 2);
    pv_partial_close(p, false);

    p = must_open(b, "work", false);
    assert_non_null(strstr(b->messages[PSDVEC_NOTE], "going on from"));
    assert_true(first_number(p, "solve") == 2);
    assert_true(first_number(p, "block-7") == 5);
    pv_st_file *file; /* outlives the folder */
    ok(pv_partial_load(p, "solve", &file));
    pv_partial_close(p, true);
    assert_int_not_equal(access(b->partial, F_OK), 0);
    assert_true(((const float *)pv_st_tensor(file, "V")->data)[999] == 1001);
    pv_st_close(file);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 0);
}

static void a_folder_without_a_state_goes_away(void **state)
{
    bench *b = *state;
    pv_partial_close(must_open(b, "work", false), false);
    assert_int_not_equal(access(b->partial, F_OK), 0);
    pv_partial_close(NULL, true);
}

static void another_key_begins_anew_with_a_warning(void **state)
{
    bench *b = *state;
    static const char *const others[] = {"work!", "wor", "Work", ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        pv_partial *p = must_open(b, "work", false);
        save(p, "solve", 1, 10);
        pv_partial_close(p, false);
        b->message_count[PSDVEC_WARNING] = 0;
        p = must_open(b, others[i], false);
        assert_int_equal(b->message_count[PSDVEC_WARNING], 1);
        assert_non_null(strstr(b->messages[PSDVEC_WARNING],
                               "is forgotten: its settings or its input were different"));
        assert_true(first_number(p, "solve") == -1);
        pv_partial_close(p, true);
    }
}

static void states_of_a_version_that_computes_otherwise_are_not_used(void **state)
{
    bench *b = *state;
    static const char *const headings[] = {"psdvec interrupted run, format 0, version 0.1.0\n",
                                           "psdvec interrupted run, format 1, version 0.0.1\n",
                                           "psdvec interrupted run, format 1, version 10.11.12\n",
                                           "psdvec interrupted run, "};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        pv_partial *p = must_open(b, "work", false);
        save(p, "solve", 1, 10);
        pv_partial_close(p, false);
        char *path = scratch_path(b->partial, "key"), key[100];
        int length = snprintf(key, sizeof key, "%swork", headings[i]);
        scratch_write(path, key, (size_t)length);
        free(path);
        b->message_count[PSDVEC_WARNING] = 0;
        p = must_open(b, "work", false);
        assert_int_equal(b->message_count[PSDVEC_WARNING], 1);
        assert_non_null(strstr(b->messages[PSDVEC_WARNING],
                               "is forgotten: this version of psdvec cannot go on"));
        assert_true(first_number(p, "solve") == -1);
        pv_partial_close(p, true);
    }
}

/* The first line is that of all versions since 0.1.0, as long as their results are the same. */
static void states_of_version_0_1_0_are_used(void **state)
{
    bench *b = *state;
    static const char key[] = "psdvec interrupted run, format 1, version 0.1.0\nwork";
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    pv_partial_close(p, false);
    char *path = scratch_path(b->partial, "key");
    scratch_write(path, key, sizeof key - 1);
    free(path);
    p = must_open(b, "work", false);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 0);
    assert_true(first_number(p, "solve") == 1);
    pv_partial_close(p, true);
}

static void restart_forgets(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    pv_partial_close(p, false);
    p = must_open(b, "work", true);
    assert_true(first_number(p, "solve") == -1);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 0);
    pv_partial_close(p, true);
}

static void a_torn_or_damaged_state_counts_as_absent(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 1000);
    char *path, *whole;
    size_t length;
    ok(pv_partial_path(p, "solve", &path));
    whole = scratch_read(path, &length);
    assert_non_null(whole);
    int warnings = 0;
    for (size_t cut = 0; cut < length; cut += cut < 40 ? 1 : 211) {
        scratch_write(path, whole, cut);
        assert_true(first_number(p, "solve") == -1);
        assert_int_equal(b->message_count[PSDVEC_WARNING], ++warnings);
    }
    assert_non_null(strstr(b->messages[PSDVEC_WARNING], "not used, since"));
    dice d = {5};
    for (int round = 0; round < 200; round++) {
        size_t at = dice_below(&d, length);
        char before = whole[at];
        whole[at] = (char)(before ^ (1 << dice_below(&d, 8)));
        scratch_write(path, whole, length);
        float first = first_number(p, "solve");
        /* Spaces that fill up the header are under no checksum: they mean nothing. */
        assert_true(first == -1 || (first == 1 && before == ' '));
        whole[at] = before;
    }
    /* A file of zeros is what some file systems leave after a power cut. */
    memset(whole, 0, length);
    scratch_write(path, whole, length);
    assert_true(first_number(p, "solve") == -1);
    save(p, "solve", 3, 1000);
    assert_true(first_number(p, "solve") == 3);
    free(path);
    free(whole);
    pv_partial_close(p, true);
}

static void a_folder_that_another_process_uses_is_refused(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pv_partial *second;
        psdvec_status status = pv_partial_open(b->ctx, b->output, "work", true, &second);
        bool told = strstr(psdvec_error_message(b->ctx), "another run is writing") != NULL;
        _exit(status == PSDVEC_ERR_WRITE && told ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(first_number(p, "solve") == 1); /* the other took nothing away */
    pv_partial_close(p, true);
}

static void a_folder_in_use_is_refused(void **state)
{
    bench *b = *state;
#if PV_PORTABLE
    skip(); /* locks of POSIX are those of a process */
#endif
    pv_partial *p = must_open(b, "work", false), *second;
    assert_int_equal(pv_partial_open(b->ctx, b->output, "work", true, &second), PSDVEC_ERR_WRITE);
    assert_null(second);
    assert_non_null(strstr(psdvec_error_message(b->ctx), "another run is writing this model"));
    save(p, "solve", 1, 10); /* the second run took nothing away */
    pv_begin(b->ctx);
    assert_int_equal(pv_partial_open(b->ctx, b->output, "other", false, &second), PSDVEC_ERR_WRITE);
    pv_begin(b->ctx);
    assert_true(first_number(p, "solve") == 1);
    pv_partial_close(p, false);
    p = must_open(b, "work", false);
    assert_true(first_number(p, "solve") == 1);
    pv_partial_close(p, true);
}

static void a_dead_process_leaves_its_states_and_no_lock(void **state)
{
    bench *b = *state;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        pv_partial *p;
        if (pv_partial_open(b->ctx, b->output, "work", false, &p) != PSDVEC_OK)
            _exit(1);
        float number = 4;
        pv_tensor tensor = {
            .name = "V", .dtype = PV_DTYPE_F32, .rank = 1, .shape = {1}, .data = &number};
        pv_st_pair pair = {"iteration", "3"};
        if (pv_partial_save(p, "solve", &tensor, 1, &pair, 1) != PSDVEC_OK ||
            write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    pv_partial *p;
    assert_int_equal(pv_partial_open(b->ctx, b->output, "work", false, &p), PSDVEC_ERR_WRITE);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    p = must_open(b, "work", false);
    assert_true(first_number(p, "solve") == 4);
    pv_partial_close(p, true);
}

static void what_is_not_ours_stays(void **state)
{
    bench *b = *state;
    char *treasure = scratch_path(b->folder, "treasure");
    scratch_write(treasure, "gold", 4);
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    char *notes = scratch_path(b->partial, "notes.txt");
    char *link = scratch_path(b->partial, "link.safetensors");
    char *inner = scratch_path(b->partial, "folder.safetensors");
    char *stale = scratch_path(b->partial, ".solve.safetensors.psdvec-1-0");
    scratch_write(notes, "mine", 4);
    scratch_write(stale, "half", 4);
    assert_int_equal(symlink(treasure, link), 0);
    assert_int_equal(mkdir(inner, 0777), 0);
    /* Neither read nor written through the link; a warning instead. */
    assert_true(first_number(p, "link") == -1);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 0);
    save(p, "link", 1, 10);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 1);
    pv_partial_close(p, false);

    p = must_open(b, "other work", false);
    assert_int_not_equal(access(stale, F_OK), 0);
    pv_partial_close(p, true);
    struct stat info;
    assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    assert_int_equal(access(inner, F_OK), 0);
    assert_int_equal(access(notes, F_OK), 0);
    size_t length;
    char *gold = scratch_read(treasure, &length);
    assert_string_equal(gold, "gold");
    assert_non_null(strstr(b->messages[PSDVEC_NOTE], "did not make"));
    assert_int_equal(scratch_entries(b->partial), 3);
    free(gold);
    free(treasure);
    free(notes);
    free(link);
    free(inner);
    free(stale);
}

static void refuses(bench *b, const char *words)
{
    pv_partial *p;
    pv_begin(b->ctx);
    assert_int_equal(pv_partial_open(b->ctx, b->output, "work", true, &p), PSDVEC_ERR_WRITE);
    assert_null(p);
    assert_non_null(strstr(psdvec_error_message(b->ctx), words));
}

static void a_folder_that_is_not_ours_is_refused_untouched(void **state)
{
    bench *b = *state;
    char *treasure = scratch_path(b->folder, "treasure");
    char *own = scratch_path(b->partial, "own.safetensors");
    char *key = scratch_path(b->partial, "key");
    char *lock = scratch_path(b->partial, "lock");
    scratch_write(b->partial, "a file", 6);
    refuses(b, "is no folder");
    unlink(b->partial);
    assert_int_equal(mkdir(treasure, 0777), 0);
    assert_int_equal(symlink(treasure, b->partial), 0);
    refuses(b, "is no folder");
    assert_int_equal(scratch_entries(treasure), 0);
    unlink(b->partial);

    assert_int_equal(mkdir(b->partial, 0777), 0);
    scratch_write(own, "dear", 4);
    refuses(b, "was not made by one");
    assert_int_equal(scratch_entries(b->partial), 1);
    scratch_write(key, "the key of my house, which is long enough", 41);
    refuses(b, "was not made by one");
    assert_int_equal(scratch_entries(b->partial), 2);
    unlink(own);
    refuses(b, "was not made by one");
    unlink(key);
    scratch_write(lock, "Yale", 4);
    refuses(b, "its lock is not ours");
    unlink(lock);
    assert_int_equal(symlink("nowhere", lock), 0);
    refuses(b, "its lock is a link");
    unlink(lock);
    assert_int_equal(scratch_entries(b->partial), 0);

    free(b->output);
    b->output = scratch_path(b->folder, "nosuch/out");
    refuses(b, "create the folder first");
    free(treasure);
    free(own);
    free(key);
    free(lock);
}

static void a_full_disk_is_told_once_and_does_not_end_the_run(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    save(p, "solve", 1, 10);
    struct rlimit before, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    save(p, "solve", 2, 100000);
    save(p, "solve", 3, 100000);
    save(p, "other", 3, 10);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(b->message_count[PSDVEC_WARNING], 1);
    assert_non_null(strstr(b->messages[PSDVEC_WARNING], "can no longer be saved"));
    assert_int_equal(atomic_load(&b->ctx->status), PSDVEC_OK);
    save(p, "solve", 4, 10); /* not tried again */
    assert_true(first_number(p, "solve") == 1);
    assert_true(first_number(p, "other") == -1);
    assert_int_equal(scratch_entries(b->partial), 3); /* key, lock, solve: nothing half-written */
    pv_partial_close(p, true);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void a_state_is_saved_even_when_the_host_wants_to_stop(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    b->ctx->options.should_cancel = always;
    save(p, "solve", 6, 10);
    pv_st_file *file;
    assert_int_equal(pv_partial_load(p, "solve", &file), PSDVEC_ERR_CANCELLED);
    assert_null(file);
    b->ctx->options.should_cancel = NULL;
    pv_begin(b->ctx);
    assert_true(first_number(p, "solve") == 6);
    pv_partial_close(p, true);
}

static void defects_of_the_caller_are_not_hidden(void **state)
{
    bench *b = *state;
    pv_partial *p = must_open(b, "work", false);
    static const char *const names[] = {"", ".hidden", "../up", "a/b", "a b"};
    char *path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pv_begin(b->ctx);
        assert_int_equal(pv_partial_path(p, names[i], &path), PSDVEC_ERR_INTERNAL);
        assert_null(path);
    }
    float number = 1;
    pv_tensor tensor = {
        .name = "no good name", .dtype = PV_DTYPE_F32, .rank = 1, .shape = {1}, .data = &number};
    pv_begin(b->ctx);
    assert_int_equal(pv_partial_save(p, "solve", &tensor, 1, NULL, 0), PSDVEC_ERR_INTERNAL);
    pv_partial_close(p, true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(both_presets_pass_the_check),
        TEST(every_wrong_option_has_a_sentence_that_names_it),
        TEST(what_goes_together_is_allowed),
        TEST(extending_has_plain_defaults),
        TEST(settings_come_back_to_the_bit),
        TEST(settings_have_the_names_of_the_command_line),
        TEST(settings_that_cannot_be_are_refused),
        TEST(settings_that_a_file_lacks_have_the_value_of_the_table),
        TEST(settings_with_priors_in_the_symmetric_form_are_read),
        TEST(settings_of_a_later_version_may_have_more),
        TEST(settings_of_counting_come_back),
        TEST(settings_of_counting_that_cannot_be_are_refused),
        TEST(a_state_is_there_for_the_next_run),
        TEST(a_folder_without_a_state_goes_away),
        TEST(another_key_begins_anew_with_a_warning),
        TEST(states_of_a_version_that_computes_otherwise_are_not_used),
        TEST(states_of_version_0_1_0_are_used),
        TEST(restart_forgets),
        TEST(a_torn_or_damaged_state_counts_as_absent),
        TEST(a_folder_that_another_process_uses_is_refused),
        TEST(a_folder_in_use_is_refused),
        TEST(a_dead_process_leaves_its_states_and_no_lock),
        TEST(what_is_not_ours_stays),
        TEST(a_folder_that_is_not_ours_is_refused_untouched),
        TEST(a_full_disk_is_told_once_and_does_not_end_the_run),
        TEST(a_state_is_saved_even_when_the_host_wants_to_stop),
        TEST(defects_of_the_caller_are_not_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
