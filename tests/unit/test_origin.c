/* The provenance of files as typed values, for files that psdvec 0.1.0 wrote. */
#include <psdvec/psdvec.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/0.1.0/" /* tests run in the root of the source */

static int open_context(void **state)
{
    return psdvec_context_new(NULL, (psdvec_context **)state) == PSDVEC_OK ? 0 : -1;
}

static int close_context(void **state)
{
    psdvec_context_free(*state);
    return 0;
}

static psdvec_model *model_of(psdvec_context *ctx, const char *path)
{
    psdvec_model *model;
    if (psdvec_model_open(ctx, path, &model) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(ctx));
    return model;
}

static void the_options_of_a_model_are_preserved(void **state)
{
    psdvec_context *ctx = *state;
    psdvec_settings *s;
    psdvec_model *m = model_of(ctx, GOLDEN "models/paper.safetensors");
    assert_int_equal(psdvec_model_settings(ctx, m, PSDVEC_OPTIONS_TRAIN, &s), PSDVEC_OK);
    const psdvec_train_options *train = psdvec_settings_struct(s);
    assert_int_equal(train->preset, PSDVEC_PRESET_PAPER);
    assert_int_equal(train->weights, PSDVEC_WEIGHTS_RAW);
    assert_int_equal(train->mu_count, 3);
    assert_true(train->mu[2] == 8);
    assert_string_equal(psdvec_settings_get(s, "form"), "psd");
    psdvec_settings_free(s);
    assert_int_equal(psdvec_model_settings(ctx, m, PSDVEC_OPTIONS_COUNT, &s), PSDVEC_OK);
    const psdvec_count_options *count = psdvec_settings_struct(s);
    assert_int_equal(count->text.hyphens, PSDVEC_INNER_SPLIT);
    assert_int_equal(count->text.letter_case, PSDVEC_CASE_FOLD);
    psdvec_settings_free(s);
    assert_int_equal(psdvec_model_settings(ctx, m, PSDVEC_OPTIONS_BASELINE, &s),
                     PSDVEC_ERR_MISMATCH);
    assert_null(s);
    psdvec_model_close(m);
    m = model_of(ctx, GOLDEN "models/glove.safetensors");
    assert_int_equal(psdvec_model_settings(ctx, m, PSDVEC_OPTIONS_BASELINE, &s), PSDVEC_OK);
    const psdvec_baseline_options *baseline = psdvec_settings_struct(s);
    assert_int_equal(baseline->method, PSDVEC_METHOD_GLOVE);
    assert_true(baseline->add_contexts);
    psdvec_settings_free(s);
    assert_int_equal(psdvec_model_settings(ctx, m, PSDVEC_OPTIONS_TRAIN, &s), PSDVEC_ERR_MISMATCH);
    psdvec_model_close(m);
}

static void inputs_extensions_and_the_joint_are_typed(void **state)
{
    psdvec_context *ctx = *state;
    psdvec_origin *o;
    psdvec_model *m = model_of(ctx, GOLDEN "models/extended-twice.safetensors");
    assert_int_equal(psdvec_model_origin(ctx, m, &o), PSDVEC_OK);
    assert_int_equal(o->input_count, 1);
    assert_non_null(strstr(o->inputs[0].name, "text.txt"));
    assert_true(o->inputs[0].files == 1 && o->inputs[0].bytes > 0 && o->inputs[0].tokens > 0);
    assert_int_equal(o->tokens, o->inputs[0].tokens);
    assert_int_equal(o->extension_count, 2);
    assert_true(o->extensions[0].words > 0);
    assert_true(o->extensions[0].first + o->extensions[0].words <= psdvec_model_get_info(m)->words);
    assert_true(o->extensions[0].mu > 0 && o->extensions[0].min_count > 0);
    assert_true(o->has_joint && o->joint.unigrams < 0 && o->joint.pairs > 0);
    assert_false(o->has_fit);
    assert_true(isnan(o->fit.temperature));
    assert_false(o->imported);
    psdvec_origin_free(o);
    psdvec_model_close(m);
    m = model_of(ctx, GOLDEN "models/fitted.safetensors");
    assert_int_equal(psdvec_model_origin(ctx, m, &o), PSDVEC_OK);
    assert_true(o->has_fit && o->fit.temperature == psdvec_model_get_info(m)->temperature);
    assert_true(o->fit.after > 1 && o->fit.words > 0);
    psdvec_origin_free(o);
    psdvec_model_close(m);
}

static void vectors_without_metadata_have_an_empty_origin(void **state)
{
    psdvec_context *ctx = *state;
    psdvec_origin *o;
    psdvec_settings *s;
    psdvec_model *m = model_of(ctx, "tests/cli/eval/vectors.vec");
    assert_int_equal(psdvec_model_origin(ctx, m, &o), PSDVEC_OK);
    assert_true(o->input_count == 0 && o->extension_count == 0 && !o->has_joint && !o->has_fit);
    psdvec_origin_free(o);
    assert_int_equal(psdvec_model_settings(ctx, m, PSDVEC_OPTIONS_COUNT, &s), PSDVEC_ERR_MISMATCH);
    psdvec_model_close(m);
    psdvec_origin_free(NULL);
}

static uint64_t checksum_of(psdvec_context *ctx, const char *path)
{
    uint64_t checksum;
    if (psdvec_file_checksum(ctx, path, &checksum) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(ctx));
    return checksum;
}

/* Writes bytes to a new file, and returns its checksum. */
static uint64_t checksum_of_bytes(psdvec_context *ctx, const char *bytes, size_t length)
{
    char path[] = "/tmp/psdvec-checksum-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, length) == (ssize_t)length && close(fd) == 0);
    uint64_t checksum = checksum_of(ctx, path);
    unlink(path);
    return checksum;
}

static void checksums_depend_on_the_content_only(void **state)
{
    psdvec_context *ctx = *state;
    uint64_t checksum, paper = checksum_of(ctx, GOLDEN "models/paper.safetensors");
    assert_true(paper == checksum_of(ctx, "./" GOLDEN "models/paper.safetensors"));
    assert_true(paper != checksum_of(ctx, GOLDEN "models/glove.safetensors"));
    assert_true(checksum_of_bytes(ctx, "king 1 2", 8) == checksum_of_bytes(ctx, "king 1 2", 8));
    assert_true(checksum_of_bytes(ctx, "king 1 2", 8) != checksum_of_bytes(ctx, "king 1 3", 8));
    /* Like the beginning of a safetensors file. */
    assert_true(checksum_of_bytes(ctx, "\2\0\0\0\0\0\0\0{}", 10) != 0);
    assert_int_equal(psdvec_file_checksum(ctx, "no/such/file", &checksum), PSDVEC_ERR_NOT_FOUND);
}

static void counts_record_their_provenance(void **state)
{
    psdvec_context *ctx = *state;
    psdvec_counts *c;
    psdvec_settings *s;
    psdvec_origin *o;
    assert_int_equal(psdvec_counts_open(ctx, GOLDEN "counts/default.counts.safetensors", &c),
                     PSDVEC_OK);
    assert_int_equal(psdvec_counts_settings(ctx, c, &s), PSDVEC_OK);
    const psdvec_count_options *count = psdvec_settings_struct(s);
    assert_int_equal(count->window, psdvec_counts_get_info(c)->window);
    assert_true(count->min_count > 0);
    psdvec_settings_free(s);
    assert_int_equal(psdvec_counts_origin(ctx, c, &o), PSDVEC_OK);
    assert_int_equal(o->tokens, psdvec_counts_get_info(c)->tokens);
    assert_int_equal(o->input_count, 1);
    psdvec_origin_free(o);
    psdvec_counts_close(c);
    assert_int_equal(psdvec_counts_open(ctx, GOLDEN "counts/imported-glove.counts.safetensors", &c),
                     PSDVEC_OK);
    assert_int_equal(psdvec_counts_settings(ctx, c, &s), PSDVEC_ERR_MISMATCH);
    assert_int_equal(psdvec_counts_origin(ctx, c, &o), PSDVEC_OK);
    assert_true(o->imported);
    psdvec_origin_free(o);
    psdvec_counts_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_options_of_a_model_are_preserved, open_context,
                                        close_context),
        cmocka_unit_test_setup_teardown(inputs_extensions_and_the_joint_are_typed, open_context,
                                        close_context),
        cmocka_unit_test_setup_teardown(vectors_without_metadata_have_an_empty_origin, open_context,
                                        close_context),
        cmocka_unit_test_setup_teardown(checksums_depend_on_the_content_only, open_context,
                                        close_context),
        cmocka_unit_test_setup_teardown(counts_record_their_provenance, open_context,
                                        close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
