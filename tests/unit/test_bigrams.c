/* The mixture of a model with bigrams of adjacent words, against the formula of
 * docs/explanation/documents.md in its direct form, and its fitted discounts. */
#include "support/documents.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Counts of adjacent words ---------------------------------------------------------------- */

static psdvec_counts *count_adjacent(const trained *t, psdvec_oov oov)
{
    char *path = scratch_path(t->folder, oov == PSDVEC_OOV_DROP ? "drop" : "keep");
    const char *inputs[] = {t->text};
    psdvec_count_options o;
    psdvec_counts *counts;
    psdvec_count_options_default(&o);
    o.window = 1;
    o.min_count = 30;
    o.oov = oov;
    o.text.digits = PSDVEC_DIGITS_KEEP;
    well(t->ctx, psdvec_count(t->ctx, &o, inputs, 1, path, NULL));
    well(t->ctx, psdvec_counts_open(t->ctx, path, &counts));
    free(path);
    return counts;
}

static psdvec_scorer *mixed_scorer(const trained *t, const psdvec_counts *bigrams,
                                   const psdvec_scorer_options *o)
{
    psdvec_scorer *s = scorer_of(t, false, o);
    well(t->ctx, psdvec_scorer_bigrams(s, 0, bigrams));
    return s;
}

/* x for two words of the model; 0 if the counts lack one of them. */
static double adjacent(const trained *t, const psdvec_counts *counts, uint32_t before,
                       uint32_t word)
{
    size_t length;
    uint32_t i, j;
    const char *text = psdvec_model_word(t->model, before, &length);
    if (!psdvec_counts_find(counts, text, length, &i))
        return 0;
    text = psdvec_model_word(t->model, word, &length);
    if (!psdvec_counts_find(counts, text, length, &j))
        return 0;
    return (double)psdvec_counts_get(counts, i, j) / (double)psdvec_counts_get_info(counts)->scale;
}

/* P of the mixture, given P of the model, in its direct form. */
static double mixture(const trained *t, const psdvec_counts *counts, const double *discounts,
                      uint32_t before, uint32_t word, double model)
{
    double total = 0, mass = 0, seen = 0;
    if (before == PSDVEC_UNKNOWN_WORD)
        return model;
    for (uint32_t w = 0; w < psdvec_model_get_info(t->model)->words; w++) {
        double x = adjacent(t, counts, before, w);
        double d = x >= 3 ? discounts[2] : x == 2 ? discounts[1] : x == 1 ? discounts[0] : 0;
        total += x;
        mass += d;
        seen = w == word ? x - d : seen;
    }
    return total > 0 ? (seen + mass * model) / total : model;
}

static void get_discounts(const psdvec_scorer *s, double *discounts)
{
    for (uint32_t k = 0; k < 3; k++)
        discounts[k] = psdvec_scorer_discount(s, 0, k + 1);
    assert_true(psdvec_scorer_discount(s, 0, 50) == discounts[2]);
    assert_true(discounts[0] > 0 && discounts[0] < 1 && discounts[1] < 2 && discounts[2] < 3);
}

/* Without fitted ones, the discounts are the estimates of Chen and Goodman, within limits. */
static void check_estimates(const trained *t, const psdvec_counts *counts, const double *discounts)
{
    uint32_t words = psdvec_model_get_info(t->model)->words;
    double n[5] = {0};
    for (uint32_t i = 0; i < words; i++)
        for (uint32_t j = 0; j < words; j++) {
            double x = adjacent(t, counts, i, j);
            if (x >= 1 && x <= 4)
                n[(int)x]++;
        }
    assert_true(n[1] > 0 && n[2] > 0 && n[3] > 0);
    for (int r = 1; r <= 3; r++) {
        double d = r - (r + 1) * n[1] / (n[1] + 2 * n[2]) * n[r + 1] / n[r];
        assert_close(discounts[r - 1], fmin(fmax(d, 0.1), r - 0.05), 1e-12);
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void scores_follow_the_formula(void **state)
{
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 2);
    char *text = documents_text();
    for (int oov = 0; oov < 2; oov++) {
        psdvec_oov rule = oov ? PSDVEC_OOV_DROP : PSDVEC_OOV_KEEP;
        psdvec_counts *counts = count_adjacent(t, rule);
        heard *plain = malloc(sizeof *plain), *mixed = malloc(sizeof *mixed);
        psdvec_scorer_options o = listening(plain);
        psdvec_scorer *s = scorer_of(t, false, &o);
        double discounts[3];
        size_t differ = 0;
        assert_true(isnan(psdvec_scorer_discount(s, 0, 1)));
        well(t->ctx, psdvec_scorer_text(s, text, strlen(text)));
        psdvec_scorer_close(s);
        o = listening(mixed);
        s = mixed_scorer(t, counts, &o);
        get_discounts(s, discounts);
        check_estimates(t, counts, discounts);
        psdvec_counts_close(counts); /* the scorer keeps it */
        well(t->ctx, psdvec_scorer_text(s, text, strlen(text)));
        counts = count_adjacent(t, rule);
        uint32_t before = PSDVEC_UNKNOWN_WORD;
        assert_int_equal(plain->count, mixed->count);
        for (size_t k = 0; k < plain->count; k++) {
            const heard_word *a = &plain->words[k], *b = &mixed->words[k];
            if (a->place == 0)
                before = PSDVEC_UNKNOWN_WORD;
            if (a->known) {
                double p = mixture(t, counts, discounts, before, a->word, exp(a->conditional));
                assert_close(b->conditional, log(p), 1e-9);
                assert_true(a->normaliser == b->normaliser && a->paper == b->paper);
                differ += fabs(a->conditional - b->conditional) > 1e-3;
            }
            if (a->known || rule == PSDVEC_OOV_KEEP)
                before = a->known ? a->word : PSDVEC_UNKNOWN_WORD;
        }
        assert_true(differ > plain->count / 2);
        psdvec_scorer_close(s);
        psdvec_counts_close(counts);
        free(plain);
        free(mixed);
    }
    free(text);
    trained_free(t);
}

static void next_words_have_the_same_probabilities_and_sum_to_one(void **state)
{
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 2);
    psdvec_counts *counts = count_adjacent(t, PSDVEC_OOV_KEEP);
    uint32_t words = psdvec_model_get_info(t->model)->words, context[] = {3, 1, 2};
    psdvec_prediction *plain = calloc(words, sizeof *plain), *mixed = calloc(words, sizeof *mixed);
    psdvec_scorer *without = scorer_of(t, false, NULL), *s = mixed_scorer(t, counts, NULL);
    double discounts[3];
    get_discounts(s, discounts);
    for (size_t length = 0; length <= 3; length++) {
        size_t found;
        double sum = 0;
        well(t->ctx, psdvec_scorer_next(without, context, length, words, plain, &found));
        well(t->ctx, psdvec_scorer_next(s, context, length, words, mixed, &found));
        assert_int_equal(found, words);
        for (uint32_t k = 0; k < words; k++) {
            double model = -1;
            for (uint32_t n = 0; n < words; n++)
                model = plain[n].word == mixed[k].word ? plain[n].probability : model;
            uint32_t before = length ? context[length - 1] : PSDVEC_UNKNOWN_WORD;
            assert_close(mixed[k].probability,
                         mixture(t, counts, discounts, before, mixed[k].word, model), 1e-12);
            assert_true(k == 0 || mixed[k].probability <= mixed[k - 1].probability);
            sum += mixed[k].probability;
        }
        assert_close(sum, 1, 1e-5);
    }
    psdvec_scorer_close(without);
    psdvec_scorer_close(s);
    psdvec_counts_close(counts);
    free(plain);
    free(mixed);
    trained_free(t);
}

static double likelihood(const trained *t, const psdvec_counts *counts, const char *text,
                         uint32_t sampled, double *error)
{
    psdvec_scorer_options o;
    psdvec_scorer_options_default(&o);
    o.sampled = sampled;
    psdvec_scorer *s = mixed_scorer(t, counts, &o);
    well(t->ctx, psdvec_scorer_text(s, text, strlen(text)));
    psdvec_document_fit fit = psdvec_scorer_total(s)->fits[0];
    psdvec_scorer_close(s);
    if (error)
        *error = fit.error;
    return fit.conditional;
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    double found[2];
    for (int threads = 1; threads <= 2; threads++) {
        trained *t = trained_new(PSDVEC_PRESET_DEFAULT, threads);
        psdvec_counts *counts = count_adjacent(t, PSDVEC_OOV_KEEP);
        char *text = documents_text();
        found[threads - 1] = likelihood(t, counts, text, 0, NULL);
        free(text);
        psdvec_counts_close(counts);
        trained_free(t);
    }
    assert_true(found[0] == found[1]);
}

static void a_sample_has_an_error(void **state)
{
    (void)state;
    trained t;
    train(&t, PSDVEC_PRESET_DEFAULT, 2);
    char *words = random_text(3, 1000, 30000), *text = documents_text();
    double error;
    scratch_write(t.text, words, strlen(words));
    t.counting.min_count = 1;
    finish_training(&t);
    psdvec_counts *counts = count_adjacent(&t, PSDVEC_OOV_KEEP);
    double exact = likelihood(&t, counts, text, 0, &error);
    assert_true(error == 0);
    double estimate = likelihood(&t, counts, text, 200, &error);
    assert_true(error > 0 && estimate != exact);
    assert_below(fabs(estimate - exact), 4 * error);
    free(words);
    free(text);
    psdvec_counts_close(counts);
    untrain(&t);
}

/* The perplexity of a text with given discounts, which are stored in a copy of the model. */
static double perplexity_with(const trained *t, const psdvec_counts *counts, const char *text,
                              const psdvec_fit_report *fit, const psdvec_bigram_fit *discounts,
                              uint64_t known)
{
    char *path = scratch_path(t->folder, "with");
    trained with = *t;
    well(t->ctx, psdvec_model_write_fits(t->ctx, t->model, fit, discounts, path));
    well(t->ctx, psdvec_model_open(t->ctx, path, &with.model));
    const psdvec_model_info *info = psdvec_model_get_info(with.model);
    assert_true(info->discount_once == (discounts ? discounts->discount_once : 0));
    assert_true(info->discount_more == (discounts ? discounts->discount_more : 0));
    double found = exp(-likelihood(&with, counts, text, 0, NULL) / (double)known);
    psdvec_model_close(with.model);
    free(path);
    return found;
}

static void the_fitted_discounts_maximise_the_likelihood(void **state)
{
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 2);
    psdvec_counts *counts = count_adjacent(t, PSDVEC_OOV_KEEP);
    char *path = scratch_path(t->folder, "held-out"), *held = random_text(99, WORDS, 3000);
    const char *inputs[] = {path};
    psdvec_fit_report fit;
    psdvec_bigram_fit r;
    scratch_write(path, held, strlen(held));
    psdvec_text_options as = t->counting.text;
    as.document = PSDVEC_DOCUMENT_NONE;
    well(t->ctx, psdvec_fit_temperature(t->ctx, t->model, NULL, &as, inputs, 1, 0, &fit));
    well(t->ctx, psdvec_fit_bigrams(t->ctx, t->model, NULL, counts, &as, inputs, 1, 0, &fit, &r));
    assert_true(r.words == fit.words && r.known == fit.known && r.known > 2000);
    assert_close(r.alone, fit.after, 1e-3);
    assert_true(r.after <= r.before);
    double best = perplexity_with(t, counts, held, &fit, &r, r.known);
    assert_close(best, r.after, 1e-3);
    assert_close(perplexity_with(t, counts, held, &fit, NULL, r.known), r.before, 1e-3);
    double *const fitted[] = {&r.discount_once, &r.discount_twice, &r.discount_more};
    for (int k = 0; k < 3; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double kept = *fitted[k], other = kept + 0.05 * sign;
            if (other <= 0.001 || other >= k + 0.999)
                continue;
            *fitted[k] = other;
            assert_true(best <= perplexity_with(t, counts, held, &fit, &r, r.known) + 1e-9);
            *fitted[k] = kept;
        }
    /* Without a report, T and e are those of the model. */
    psdvec_bigram_fit again;
    char *fitted_path = scratch_path(t->folder, "fitted");
    psdvec_model *model;
    well(t->ctx, psdvec_model_write_fit(t->ctx, t->model, &fit, fitted_path));
    well(t->ctx, psdvec_model_open(t->ctx, fitted_path, &model));
    well(t->ctx, psdvec_fit_bigrams(t->ctx, model, NULL, counts, &as, inputs, 1, 0, NULL, &again));
    assert_close(again.after, r.after, 1e-9);
    well(t->ctx,
         psdvec_fit_bigrams(t->ctx, model, t->counts, counts, &as, inputs, 1, 0, NULL, &again));
    assert_true(again.alone != r.alone && again.after <= again.before);
    psdvec_model_close(model);
    free(fitted_path);
    free(held);
    free(path);
    psdvec_counts_close(counts);
    trained_free(t);
}

static void refused(psdvec_context *ctx, psdvec_status status, psdvec_status expected,
                    const char *why)
{
    assert_int_equal(status, expected);
    if (!strstr(psdvec_error_message(ctx), why))
        fail_msg("%s", psdvec_error_message(ctx));
}

static void counts_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 1);
    psdvec_scorer *s = scorer_of(t, false, NULL);
    psdvec_counts *counts = count_adjacent(t, PSDVEC_OOV_KEEP), *others;
    char *text = scratch_path(t->folder, "other-text"), *path = scratch_path(t->folder, "other");
    const char *inputs[] = {text};
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    refused(t->ctx, psdvec_scorer_bigrams(s, 0, t->counts), PSDVEC_ERR_MISMATCH, "--window 1");
    refused(t->ctx, psdvec_scorer_bigrams(s, 1, counts), PSDVEC_ERR_OPTION, "m");
    scratch_write(text, "neither word is here neither word is here", 41);
    o.window = 1;
    o.min_count = 1;
    well(t->ctx, psdvec_count(t->ctx, &o, inputs, 1, path, NULL));
    well(t->ctx, psdvec_counts_open(t->ctx, path, &others));
    refused(t->ctx, psdvec_scorer_bigrams(s, 0, others), PSDVEC_ERR_MISMATCH, "none of the words");
    psdvec_counts_close(others);
    o.subsample = 0.1;
    o.text.digits = PSDVEC_DIGITS_KEEP;
    inputs[0] = t->text;
    well(t->ctx, psdvec_count(t->ctx, &o, inputs, 1, path, NULL));
    well(t->ctx, psdvec_counts_open(t->ctx, path, &others));
    refused(t->ctx, psdvec_scorer_bigrams(s, 0, others), PSDVEC_ERR_MISMATCH, "subsampled");
    psdvec_counts_close(others);
    assert_true(isnan(psdvec_scorer_discount(s, 0, 1)));
    well(t->ctx, psdvec_scorer_word(s, "w1", 2));
    refused(t->ctx, psdvec_scorer_bigrams(s, 0, counts), PSDVEC_ERR_OPTION, "add them first");
    psdvec_scorer_close(s);
    psdvec_counts_close(counts);
    free(text);
    free(path);
    trained_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_follow_the_formula),
        cmocka_unit_test(next_words_have_the_same_probabilities_and_sum_to_one),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(a_sample_has_an_error),
        cmocka_unit_test(the_fitted_discounts_maximise_the_likelihood),
        cmocka_unit_test(counts_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
