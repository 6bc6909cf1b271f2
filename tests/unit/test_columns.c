/* Columns of tab-separated lines, and labels, dates and names of documents. */
#include "corpus/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void names_of_columns_are_read(void **state)
{
    (void)state;
    pv_columns columns;
    char why[200];
    assert_true(pv_columns_parse("label,-,date,name,-,text", &columns, why, sizeof why));
    assert_int_equal(columns.count, 6);
    const unsigned char kinds[] = {PV_COLUMN_LABEL, PV_COLUMN_IGNORED, PV_COLUMN_DATE,
                                   PV_COLUMN_NAME,  PV_COLUMN_IGNORED, PV_COLUMN_TEXT};
    assert_memory_equal(columns.kind, kinds, sizeof kinds);
    assert_true(pv_columns_parse("text", &columns, why, sizeof why));
    static const char *const wrong[][2] = {{"label", "has no column text"},
                                           {"", "has the column \"\""},
                                           {"label,,text", "has the column \"\""},
                                           {"Text", "has the column \"Text\""},
                                           {"text,text", "has the column text twice"},
                                           {"label,text,label", "has the column label twice"},
                                           {"texts", "has the column \"texts\""}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_false(pv_columns_parse(wrong[k][0], &columns, why, sizeof why));
        if (!strstr(why, wrong[k][1]))
            fail_msg("%s: %s", wrong[k][0], why);
    }
    char many[3 * PV_MOST_COLUMNS] = "text";
    for (int k = 1; k < PV_MOST_COLUMNS; k++)
        strcat(many, ",-");
    assert_true(pv_columns_parse(many, &columns, why, sizeof why));
    strcat(many, ",-");
    assert_false(pv_columns_parse(many, &columns, why, sizeof why));
    assert_non_null(strstr(why, "more than 64 columns"));
}

/* The cells of a line, joined by '|'; NULL: it does not have the columns. */
static const char *split(const char *names, const char *line, char *out)
{
    pv_columns columns;
    pv_cell cells[PV_COLUMN_IGNORED];
    char why[200];
    assert_true(pv_columns_parse(names, &columns, why, sizeof why));
    if (!pv_columns_split(&columns, line, line + strlen(line), cells))
        return NULL;
    *out = '\0';
    for (unsigned k = 0; k < PV_COLUMN_IGNORED; k++)
        sprintf(out + strlen(out), "%s%.*s", k ? "|" : "", (int)(cells[k].end - cells[k].start),
                cells[k].start);
    return out;
}

static void lines_are_split_at_tabs(void **state)
{
    (void)state;
    char out[200];
    assert_string_equal(split("label,text", "spam\twin money", out), "spam|||win money");
    assert_string_equal(split("label,text", "spam\twin\tmoney", out), "spam|||win\tmoney");
    assert_string_equal(split("label,text", "\twin", out), "|||win");
    assert_string_equal(split("label,text", "spam\t", out), "spam|||");
    assert_string_equal(split("-,text,date", "a\tb c\t1999", out), "|1999||b c");
    assert_string_equal(split("text", "a\tb", out), "|||a\tb");
    assert_string_equal(split("name,-,text,label", "n\t\tt\tl", out), "l||n|t");
    /* A text that is not the last column cannot contain tabs. */
    assert_null(split("text,label", "a\tb\tspam", out));
    assert_null(split("text,label", "a", out));
    assert_null(split("label,text", "spam", out));
    assert_null(split("label,date,text", "spam\ttext", out));
}

static void details_are_cleaned(void **state)
{
    psdvec_context *ctx = NULL;
    (void)state;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    pv_buffer b = {.ctx = ctx};
    static const char *const cases[][2] = {{" a b \r", "a b"},       {"a\x01z", "a z"},
                                           {"\xff", "\xef\xbf\xbd"}, {"caf\xc3\xa9", "caf\xc3\xa9"},
                                           {"<b>x</b>", "<b>x</b>"}, {"", ""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        b.length = 0;
        assert_int_equal(pv_detail_append(&b, cases[k][0], strlen(cases[k][0])), PSDVEC_OK);
        assert_string_equal(b.data, cases[k][1]);
        assert_int_equal(b.length, strlen(cases[k][1]) + 1);
    }
    char long_text[3 * PV_LONGEST_DETAIL];
    for (size_t k = 0; k < sizeof long_text; k++)
        long_text[k] = k % 2 ? '\xa9' : '\xc3';
    b.length = 0;
    assert_int_equal(pv_detail_append(&b, long_text + 1, sizeof long_text - 1), PSDVEC_OK);
    assert_in_range(b.length, PV_LONGEST_DETAIL - 2, PV_LONGEST_DETAIL + 1);
    assert_memory_equal(b.data + b.length - 3, "\xc3\xa9", 3); /* no character is cut */
    pv_buffer_free(&b);
    psdvec_context_free(ctx);
}

static void dates_are_those_of_iso_8601(void **state)
{
    (void)state;
    static const char *const good[] = {"1999",
                                       "1999-12",
                                       "1999-12-31",
                                       "2000-02-29",
                                       "2024-02-29",
                                       "1999-12-31T23:59",
                                       "1999-12-31 23:59:60",
                                       "1999-12-31T23:59:59.123456Z",
                                       "1999-12-31T23:59+01:00",
                                       "1999-12-31T23:59:59-0330",
                                       "1999-12-31T23:59:59+02",
                                       "0000"};
    static const char *const wrong[] = {"",
                                        "99",
                                        "19999",
                                        "1999-13",
                                        "1999-00",
                                        "1999-1",
                                        "1999-02-29",
                                        "1900-02-29",
                                        "1999-04-31",
                                        "1999-12-00",
                                        "1999/12/31",
                                        "31.12.1999",
                                        "1999-12-31T",
                                        "1999-12-31T25:00",
                                        "1999-12-31T12",
                                        "1999-12-31T12:60",
                                        "1999-12-31T12:30:",
                                        "1999-12-31T12:30.",
                                        "1999-12-31T12:30Zx",
                                        "1999-12-31T12:30+1",
                                        "1999-12T12:30",
                                        "yesterday",
                                        "1999-12-31x"};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        if (!pv_is_date(good[k]))
            fail_msg("%s is a date", good[k]);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        if (pv_is_date(wrong[k]))
            fail_msg("%s is not a date", wrong[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_columns_are_read), cmocka_unit_test(lines_are_split_at_tabs),
        cmocka_unit_test(details_are_cleaned), cmocka_unit_test(dates_are_those_of_iso_8601)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
