/* Counting settings in files. */
#include "count/provenance.h"
#include "support/scratch.h"
#include "support/workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void counting_settings_are_preserved(void **state)
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

static void invalid_counting_settings_are_refused(void **state)
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
        {"{\"window\":5", "{\"imported\":\"glove\",\"window\":null", "imported counts",
         PSDVEC_ERR_MISMATCH},
        {"\"window\":5", "\"window\":0", "`window` is 0", PSDVEC_ERR_CORRUPT},
        {"\"window\":5", "\"window\":5000", "`window` is 5000", PSDVEC_ERR_CORRUPT},
        {"\"words\"", "\"wards\"", "does not support", PSDVEC_ERR_CORRUPT},
        {"\"min_length\":1", "\"min_length\":300", "every length", PSDVEC_ERR_CORRUPT},
        {"{", "", "are invalid", PSDVEC_ERR_CORRUPT},
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counting_settings_are_preserved),
        TEST(invalid_counting_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
