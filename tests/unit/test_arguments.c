/* What public calls do when a host hands them NULL or an index out of range. */
#include "base/arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static psdvec_context *ctx;

static int set_up(void **state)
{
    (void)state;
    return psdvec_context_new(NULL, &ctx) == PSDVEC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    psdvec_context_free(ctx);
    return 0;
}

static void assert_refused(psdvec_status status, const char *sentence)
{
    assert_int_equal(status, PSDVEC_ERR_OPTION);
    assert_string_equal(psdvec_error_message(ctx), sentence);
}

/* ---- The macros --------------------------------------------------------------- */

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
    (void)state;
    const int x = 0;
    const char *inputs[] = {"a", "b"}, *holes[] = {"a", NULL};
    assert_int_equal(a_call(ctx, &x, inputs, 2, &x, 1, 6), PSDVEC_OK);
    assert_int_equal(a_call(ctx, &x, NULL, 0, NULL, 0, 6), PSDVEC_OK);
    assert_refused(a_call(ctx, NULL, inputs, 2, &x, 1, 6),
                   "NULL was given for `model`, which is required");
    assert_refused(a_call(ctx, &x, NULL, 2, &x, 1, 6),
                   "NULL was given for `inputs`, but its number of elements is 2");
    assert_refused(a_call(ctx, &x, holes, 2, &x, 1, 6), "NULL was given for `inputs[1]`");
    assert_refused(a_call(ctx, &x, inputs, 2, NULL, 3, 6),
                   "NULL was given for `list`, but its number of elements is 3");
    assert_refused(a_call(ctx, &x, inputs, 2, &x, 1, 7), "`word` is 7, but must be less than 7");
    assert_int_equal(a_call(NULL, &x, inputs, 2, &x, 1, 6), PSDVEC_ERR_OPTION);
    assert_int_equal(a_call(ctx, &x, inputs, 2, &x, 1, 0), PSDVEC_OK);
    assert_string_equal(psdvec_error_message(ctx), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(null_and_bad_indices_are_refused_by_name, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
