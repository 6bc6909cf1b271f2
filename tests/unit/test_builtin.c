/* The built-in test sets, as read by the library. tests/check_data.sh checks their words. */
#include "eval/builtin_data.h"

#include <psdvec/psdvec.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static psdvec_test *open_set(size_t i)
{
    psdvec_test *test;
    if (psdvec_test_builtin(ctx, i, &test) != PSDVEC_OK)
        fail_msg("set %zu: %s", i, psdvec_error_message(ctx));
    return test;
}

/* The number of sets of this kind, and their total questions and sections. */
static size_t sets_of(psdvec_test_kind kind, uint32_t *questions, uint32_t *sections)
{
    size_t sets = 0;
    *questions = *sections = 0;
    for (size_t i = 0; i < psdvec_test_builtin_count(); i++) {
        psdvec_test *test = open_set(i);
        const psdvec_test_info *info = psdvec_test_get_info(test);
        if (info->kind == kind) {
            sets++;
            *questions += info->questions;
            *sections += info->sections;
        }
        psdvec_test_close(test);
    }
    return sets;
}

static void every_set_can_be_read_and_is_marked_as_built_in(void **state)
{
    (void)state;
    assert_int_equal(psdvec_test_builtin_count(), 7);
    for (size_t i = 0; i < psdvec_test_builtin_count(); i++) {
        psdvec_test *test = open_set(i);
        const psdvec_test_info *info = psdvec_test_get_info(test);
        assert_true(info->builtin);
        assert_true(info->questions > 0);
        assert_true(strlen(info->name) > 0);
        assert_null(strpbrk(info->name, "./"));
        psdvec_test_close(test);
    }
}

static void the_names_are_different(void **state)
{
    (void)state;
    for (size_t i = 0; i < pv_builtin_sets_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(pv_builtin_sets[i].name, pv_builtin_sets[j].name);
}

static void a_text_has_its_length_and_ends_with_a_newline(void **state)
{
    (void)state;
    for (size_t i = 0; i < pv_builtin_sets_count; i++) {
        size_t length = pv_builtin_sets[i].length;
        const char *text = pv_builtin_sets[i].text;
        assert_int_equal(strlen(text), length);
        assert_int_equal(text[length - 1], '\n');
        assert_null(strchr(text, '#'));
        assert_null(strstr(text, "\n\n"));
    }
}

static void analogies_are_five_sets_with_a_section_for_each_relation(void **state)
{
    (void)state;
    uint32_t questions, sections;
    assert_int_equal(sets_of(PSDVEC_TEST_ANALOGY, &questions, &sections), 5);
    assert_true(sections >= 25);
    /* 20 to 35 pairs per relation, six questions per pair. */
    assert_in_range(questions, sections * 20 * 6, sections * 35 * 6);
}

static void there_are_synonyms_and_categories_but_no_ratings_of_similarity(void **state)
{
    (void)state;
    uint32_t questions, sections;
    assert_int_equal(sets_of(PSDVEC_TEST_CHOICE, &questions, &sections), 1);
    assert_true(questions >= 80);
    assert_int_equal(sets_of(PSDVEC_TEST_CATEGORIES, &questions, &sections), 1);
    assert_true(questions >= 25 * 15);
    assert_int_equal(sets_of(PSDVEC_TEST_SIMILARITY, &questions, &sections), 0);
}

static void the_first_relation_is_that_of_capitals(void **state)
{
    (void)state;
    psdvec_test *test = open_set(0);
    assert_string_equal(psdvec_test_get_info(test)->name, "world");
    assert_string_equal(psdvec_test_section(test, 0), "capitals");
    psdvec_test_close(test);
    const char *first = ": capitals\nafghanistan kabul algeria algiers\n";
    assert_memory_equal(pv_builtin_sets[0].text, first, strlen(first));
}

static void an_unknown_set_is_refused(void **state)
{
    (void)state;
    psdvec_test *test;
    assert_int_equal(psdvec_test_builtin(ctx, psdvec_test_builtin_count(), &test),
                     PSDVEC_ERR_OPTION);
    assert_null(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_can_be_read_and_is_marked_as_built_in),
        cmocka_unit_test(the_names_are_different),
        cmocka_unit_test(a_text_has_its_length_and_ends_with_a_newline),
        cmocka_unit_test(analogies_are_five_sets_with_a_section_for_each_relation),
        cmocka_unit_test(there_are_synonyms_and_categories_but_no_ratings_of_similarity),
        cmocka_unit_test(the_first_relation_is_that_of_capitals),
        cmocka_unit_test(an_unknown_set_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
