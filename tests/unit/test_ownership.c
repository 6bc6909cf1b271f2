/* Ownership: objects may be closed in any order, before or after the context that they were opened
 * with, by any thread; and after a failure there is nothing to close. To be run under the address
 * sanitizer, which detects use after free and leaks. */
#include "base/context.h"
#include "support/documents.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- The objects ----------------------------------------------------------------------------- */

enum { CONTEXT, MODEL, INT8, COUNTS, TEST, REPORT, SETTINGS, SCORER, OBJECTS };

typedef struct objects {
    psdvec_context *ctx;
    psdvec_model *model, *int8;
    psdvec_counts *counts;
    psdvec_test *test;
    psdvec_report *report;
    psdvec_settings *settings;
    psdvec_scorer *scorer;
} objects;

static trained *files;
static char *int8_path, *test_path;

static int set_up(void **state)
{
    static const char pairs[] = "w1 w2 3\nw2 w3 1\nw4 w5 2\nw6 w7 5\nw8 w9 4\n";
    (void)state;
    files = trained_new(PSDVEC_PRESET_DEFAULT, 2);
    int8_path = scratch_path(files->folder, "int8");
    test_path = scratch_path(files->folder, "pairs.txt");
    scratch_write(test_path, pairs, strlen(pairs));
    psdvec_convert_options convert;
    psdvec_convert_options_default(&convert);
    convert.precision = PSDVEC_INT8;
    return psdvec_convert(files->ctx, &convert, files->model_path, int8_path) == PSDVEC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    trained_free(files);
    free(int8_path);
    free(test_path);
    return 0;
}

static psdvec_status open_object(objects *o, int which)
{
    const psdvec_model *models[] = {o->model};
    const psdvec_test *tests[] = {o->test};
    psdvec_scored_model scored = {o->int8, o->counts};
    switch (which) {
    case MODEL:
        return psdvec_model_open(o->ctx, files->model_path, &o->model);
    case INT8:
        return psdvec_model_open(o->ctx, int8_path, &o->int8);
    case COUNTS:
        return psdvec_counts_open(o->ctx, files->counts_path, &o->counts);
    case TEST:
        return psdvec_test_open(o->ctx, test_path, &o->test);
    case REPORT:
        return psdvec_eval(o->ctx, NULL, models, 1, tests, 1, &o->report);
    case SETTINGS:
        return psdvec_model_settings(o->ctx, o->model, PSDVEC_OPTIONS_TRAIN, &o->settings);
    default:
        return psdvec_scorer_open(o->ctx, NULL, &scored, 1, &o->scorer);
    }
}

static objects open_all(psdvec_context *ctx)
{
    objects o = {.ctx = ctx};
    for (int k = MODEL; k < OBJECTS; k++)
        well(ctx, open_object(&o, k));
    return o;
}

static void close_object(objects *o, int which)
{
    switch (which) {
    case CONTEXT:
        psdvec_context_free(o->ctx);
        o->ctx = NULL;
        break;
    case MODEL:
        psdvec_model_close(o->model);
        o->model = NULL;
        break;
    case INT8:
        psdvec_model_close(o->int8);
        o->int8 = NULL;
        break;
    case COUNTS:
        psdvec_counts_close(o->counts);
        o->counts = NULL;
        break;
    case TEST:
        psdvec_test_close(o->test);
        o->test = NULL;
        break;
    case REPORT:
        psdvec_report_free(o->report);
        o->report = NULL;
        break;
    case SETTINGS:
        psdvec_settings_free(o->settings);
        o->settings = NULL;
        break;
    default:
        psdvec_scorer_close(o->scorer);
        o->scorer = NULL;
    }
}

/* Uses everything that is still open, including data that is created on first use. */
static void use_what_is_left(objects *o, psdvec_context *other)
{
    const psdvec_model *models[] = {o->model, o->int8};
    psdvec_neighbour near[3];
    const float *vectors;
    float v[DIM];
    size_t length, found;
    uint32_t i;
    for (int m = 0; m < 2; m++)
        if (models[m]) {
            assert_true(psdvec_model_find(models[m], "w3", 2, &i));
            assert_memory_equal(psdvec_model_word(models[m], i, &length), "w3", 2);
            assert_non_null(psdvec_model_vector(models[m], i));
            assert_true(psdvec_model_copy(models[m], i, v));
            well(other, psdvec_model_similar(other, models[m], v, NULL, 3, near, &found));
            well(other, psdvec_model_find_normalized(other, models[m], "W3", 2, &i));
            well(other, psdvec_model_readout(other, models[m], &vectors));
            assert_int_equal(found, 3);
        }
    if (o->counts)
        assert_true(psdvec_counts_find(o->counts, "w3", 2, &i) &&
                    psdvec_counts_get_info(o->counts)->bigrams > 0);
    if (o->test)
        assert_string_equal(psdvec_test_get_info(o->test)->name, "pairs");
    if (o->report)
        assert_int_equal(psdvec_report_scores(o->report, &found)[0].total, 5);
    if (o->settings) {
        assert_string_equal(psdvec_settings_get(o->settings, "dim"), "8");
        assert_int_equal(psdvec_settings_finish(o->settings), PSDVEC_OK);
    }
    if (o->scorer) { /* starts workers again if those of the context are gone */
        assert_int_equal(psdvec_scorer_text(o->scorer, "w1 w2 w3 w4 w5", 14), PSDVEC_OK);
        assert_true(isfinite(psdvec_scorer_total(o->scorer)->fits[0].conditional));
    }
}

/* ---- Closing --------------------------------------------------------------------------------- */

static void objects_may_be_closed_in_any_order(void **state)
{
    (void)state;
    psdvec_context *other = context_of(1);
    for (int order = 0; order < 2 * OBJECTS; order++) {
        objects o = open_all(context_of(2));
        for (int k = 0; k < OBJECTS; k++) {
            int step = (order + k) % OBJECTS;
            use_what_is_left(&o, other);
            close_object(&o, order < OBJECTS ? step : OBJECTS - 1 - step);
        }
        assert_int_equal(atomic_load(&other->memory_used), 0);
    }
    psdvec_context_free(other);
}

static void *close_all(void *opaque)
{
    for (int k = 0; k < OBJECTS; k++)
        close_object(opaque, k);
    return NULL;
}

static void objects_may_be_closed_by_another_thread(void **state)
{
    (void)state;
    for (int round = 0; round < 4; round++) {
        pthread_t threads[2];
        objects first = open_all(context_of(2)), second = first;
        /* Each thread closes some of them. */
        for (int k = 0; k < OBJECTS; k++)
            *((void **)(k % 2 ? &first : &second) + k) = NULL;
        assert_int_equal(pthread_create(&threads[0], NULL, close_all, &first), 0);
        assert_int_equal(pthread_create(&threads[1], NULL, close_all, &second), 0);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
    }
}

/* The context accounts for the memory of its objects, whichever context caused it to grow. */
static void memory_is_charged_to_the_context_that_opened_an_object(void **state)
{
    (void)state;
    psdvec_context *mine = context_of(1), *other = context_of(1);
    objects o = {.ctx = mine};
    float v[DIM];
    psdvec_neighbour near[3];
    size_t found;
    uint32_t i;
    well(mine, open_object(&o, INT8));
    uint64_t opened = atomic_load(&mine->memory_used);
    assert_true(opened > 0);
    assert_true(psdvec_model_copy(o.int8, 0, v));
    well(other, psdvec_model_similar(other, o.int8, v, NULL, 3, near, &found));
    well(other, psdvec_model_find_normalized(other, o.int8, "W3", 2, &i));
    assert_non_null(psdvec_model_vector(o.int8, 0));
    assert_true(atomic_load(&mine->memory_used) > opened);
    assert_int_equal(atomic_load(&other->memory_used), 0);
    psdvec_context_free(other);
    psdvec_model_close(o.int8);
    assert_int_equal(atomic_load(&mine->memory_used), 0);
    psdvec_context_free(mine);
}

static bool context_is_gone;

static bool must_not_be_gone(void *user)
{
    (void)user;
    assert_false(context_is_gone);
    return false;
}

static void callbacks_end_with_the_context(void **state)
{
    (void)state;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.should_cancel = must_not_be_gone;
    options.threads = 1;
    objects o = {0};
    context_is_gone = false;
    ok(psdvec_context_new(&options, &o.ctx));
    psdvec_context *other = context_of(1);
    o = open_all(o.ctx);
    use_what_is_left(&o, other);
    close_object(&o, CONTEXT);
    context_is_gone = true;
    use_what_is_left(&o, other);
    close_all(&o);
    psdvec_context_free(other);
}

/* ---- Failing --------------------------------------------------------------------------------- */

/* Opens an object with increasing memory until it succeeds. */
static void open_with_less_memory(objects *o, int which)
{
    void **out = (void **)o + which;
    psdvec_context *ctx = o->ctx;
    uint64_t used = atomic_load(&ctx->memory_used), all = ctx->options.memory, room = 0;
    int failures = 0;
    for (;; room += 16 + room / 20) {
        *out = ctx; /* no object */
        ctx->options.memory = used + room;
        psdvec_status status = open_object(o, which);
        ctx->options.memory = all;
        if (status == PSDVEC_OK)
            break;
        failures++;
        assert_int_equal(status, PSDVEC_ERR_BUDGET);
        assert_null(*out);
        if (atomic_load(&ctx->memory_used) != used)
            fail_msg("object %d keeps %llu bytes with room for %llu: %s", which,
                     (unsigned long long)(atomic_load(&ctx->memory_used) - used),
                     (unsigned long long)room, psdvec_error_message(ctx));
        assert_string_not_equal(psdvec_error_message(ctx), "");
    }
    assert_true(failures > 2 && *out);
}

static void failed_creation_leaks_nothing(void **state)
{
    (void)state;
    objects o = {.ctx = context_of(1)};
    for (int k = MODEL; k < OBJECTS; k++) {
        open_with_less_memory(&o, k);
        use_what_is_left(&o, o.ctx); /* so that models have created what they cache */
    }
    for (int k = OBJECTS - 1; k >= MODEL; k--)
        close_object(&o, k);
    assert_int_equal(atomic_load(&o.ctx->memory_used), 0);
    psdvec_context_free(o.ctx);
}

static void failed_opening_leaks_nothing(void **state)
{
    (void)state;
    objects o = {.ctx = context_of(1)};
    psdvec_model *model = (psdvec_model *)&o;
    psdvec_counts *counts = (psdvec_counts *)&o;
    psdvec_test *test = (psdvec_test *)&o;
    psdvec_context *ctx = (psdvec_context *)&o;
    psdvec_context_options options;
    assert_int_equal(psdvec_model_open(o.ctx, files->counts_path, &model), PSDVEC_ERR_FORMAT);
    assert_null(model);
    model = (psdvec_model *)&o;
    assert_int_equal(psdvec_model_open(o.ctx, "/nowhere", &model), PSDVEC_ERR_NOT_FOUND);
    assert_null(model);
    assert_int_equal(psdvec_counts_open(o.ctx, files->model_path, &counts), PSDVEC_ERR_FORMAT);
    assert_null(counts);
    assert_int_equal(psdvec_test_open(o.ctx, files->model_path, &test), PSDVEC_ERR_NOT_TEXT);
    assert_null(test);
    test = (psdvec_test *)&o;
    assert_int_equal(psdvec_test_builtin(o.ctx, 99, &test), PSDVEC_ERR_OPTION);
    assert_null(test);
    psdvec_context_options_default(&options);
    options.threads = -1;
    assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_ERR_OPTION);
    assert_null(ctx);
    assert_int_equal(atomic_load(&o.ctx->memory_used), 0);
    psdvec_context_free(o.ctx);
}

/* A search for a word needs memory for an index only if there is some. */
static void a_search_without_memory_leaks_nothing(void **state)
{
    (void)state;
    objects o = {.ctx = context_of(1)};
    uint32_t i;
    well(o.ctx, open_object(&o, COUNTS));
    uint64_t used = atomic_load(&o.ctx->memory_used);
    o.ctx->options.memory = used + 100;
    for (int k = 0; k < 3; k++) {
        assert_true(psdvec_counts_find(o.counts, "w3", 2, &i));
        assert_memory_equal(psdvec_counts_word(o.counts, i, NULL), "w3", 2);
        assert_false(psdvec_counts_find(o.counts, "nowhere", 7, &i));
        assert_int_equal(atomic_load(&o.ctx->memory_used), used);
        assert_string_equal(psdvec_error_message(o.ctx), "");
    }
    o.ctx->options.memory = UINT64_MAX;
    assert_true(psdvec_counts_find(o.counts, "w3", 2, &i));
    assert_true(atomic_load(&o.ctx->memory_used) > used);
    psdvec_counts_close(o.counts);
    assert_int_equal(atomic_load(&o.ctx->memory_used), 0);
    psdvec_context_free(o.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_may_be_closed_in_any_order),
        cmocka_unit_test(objects_may_be_closed_by_another_thread),
        cmocka_unit_test(memory_is_charged_to_the_context_that_opened_an_object),
        cmocka_unit_test(callbacks_end_with_the_context),
        cmocka_unit_test(failed_creation_leaks_nothing),
        cmocka_unit_test(failed_opening_leaks_nothing),
        cmocka_unit_test(a_search_without_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
