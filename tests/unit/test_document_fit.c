/* Random and fitted parts of the document model: samples of the vocabulary, generated words, fitted
 * parameters. */
#include "document/partition_function.h"
#include "support/documents.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Sampling -------------------------------------------------------------------------------- */

static psdvec_context *seeded_context(uint64_t seed)
{
    psdvec_context *ctx;
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.seed = seed;
    o.threads = 2;
    ok(psdvec_context_new(&o, &ctx));
    return ctx;
}

/* A thousand words, many more than a sample. */
static void train_many_words(trained *t)
{
    train(t, PSDVEC_PRESET_DEFAULT, 2);
    char *words = random_text(3, 1000, 30000);
    scratch_write(t->text, words, strlen(words));
    free(words);
    t->counting.subsample = 0;
    t->counting.min_count = 1;
    finish_training(t);
}

/* The reported standard error has the size of the actual errors. */
static void the_standard_error_of_a_sample_is_right(void **state)
{
    (void)state;
    trained t;
    train_many_words(&t);
    char *text = documents_text();
    for (int counts = 0; counts < 2; counts++) {
        double square = 0, bias = 0, stated = 0, exact;
        enum { SEEDS = 16 };
        psdvec_scorer_options o;
        psdvec_scorer_options_default(&o);
        psdvec_scorer *s = scorer_of(&t, counts, &o);
        well(t.ctx, psdvec_scorer_text(s, text, strlen(text)));
        exact = psdvec_scorer_total(s)->fits[0].conditional;
        psdvec_scorer_close(s);
        o.sampled = 200;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            psdvec_context *ctx = seeded_context(seed);
            psdvec_model *model;
            psdvec_counts *file;
            well(ctx, psdvec_model_open(ctx, t.model_path, &model));
            well(ctx, psdvec_counts_open(ctx, t.counts_path, &file));
            psdvec_scored_model m = {model, counts ? file : NULL};
            well(ctx, psdvec_scorer_open(ctx, &o, &m, 1, &s));
            well(ctx, psdvec_scorer_text(s, text, strlen(text)));
            psdvec_document_fit fit = psdvec_scorer_total(s)->fits[0];
            square += (fit.conditional - exact) * (fit.conditional - exact) / SEEDS;
            bias += (fit.conditional - exact) / SEEDS;
            stated += fit.error * fit.error / SEEDS;
            psdvec_scorer_close(s);
            psdvec_counts_close(file);
            psdvec_model_close(model);
            psdvec_context_free(ctx);
        }
        assert_true(stated > 0);
        /* Systematic samples have less variance than their groups, so the reported error is
         * conservative. */
        if (!(square < 1.5 * stated && square > stated / 9))
            fail_msg("errors of %g, stated as %g", sqrt(square), sqrt(stated));
        assert_below(fabs(bias), 4 * sqrt(stated / SEEDS));
        assert_below(sqrt(stated), 0.02 * fabs(exact)); /* and small enough to be useful */
    }
    free(text);
    untrain(&t);
}

/* Words of a batch share a sample, so their errors are correlated, across documents too. */
static void the_error_of_the_total_does_not_depend_on_where_documents_end(void **state)
{
    (void)state;
    trained t;
    train(&t, PSDVEC_PRESET_PAPER, 2);
    char *words = random_text(3, 1000, 30000);
    scratch_write(t.text, words, strlen(words));
    free(words);
    t.counting.min_count = 1;
    finish_training(&t);
    double likelihood[2], error[2];
    for (int ends = 0; ends < 2; ends++) {
        psdvec_scorer_options o;
        psdvec_scorer_options_default(&o);
        o.sampled = 64;
        psdvec_scorer *s = scorer_of(&t, false, &o);
        for (uint32_t k = 0; k < 3000; k++) {
            size_t length;
            const char *word = psdvec_model_word(t.model, k * 7 % 50, &length);
            well(t.ctx, psdvec_scorer_word(s, word, length));
            if (k % 5 == 4)
                well(t.ctx, ends ? psdvec_scorer_end(s) : psdvec_scorer_pause(s));
        }
        well(t.ctx, psdvec_scorer_finish(s));
        likelihood[ends] = psdvec_scorer_total(s)->fits[0].conditional;
        error[ends] = psdvec_scorer_total(s)->fits[0].error;
        psdvec_scorer_close(s);
    }
    assert_true(error[0] > 0);
    assert_close(likelihood[0], likelihood[1], 1e-9);
    assert_close(error[0], error[1], 1e-9);
    untrain(&t);
}

/* log Z of a sample, its mean and its variance are a function of T and its derivatives; and context
 * words, whose self-products can dominate Z, are always in the sample. */
static void sampled_sums_have_derivatives(void **state)
{
    (void)state;
    enum { ROWS = 40, SAMPLED = 200 };
    trained one, *t = &one;
    train_many_words(t);
    psdvec_scorer_options o;
    psdvec_scorer_options_default(&o);
    o.self = (double)INFINITY;
    pv_conditional *c;
    pv_contexts x;
    pv_trail trail;
    well(t->ctx, pv_conditional_open(t->ctx, t->model, NULL, &o, &c));
    well(t->ctx, pv_contexts_init(&x, t->ctx, c->dim, ROWS));
    well(t->ctx, pv_trail_init(&trail, c));
    for (uint32_t k = 0; k < ROWS; k++) {
        pv_trail_add(&trail, c, (k * 37 + 60) % c->words, k);
        well(t->ctx, pv_contexts_add(&x, c, &trail, k + 1));
    }
    /* Self-products so large that they are nearly all of Z. */
    well(t->ctx, pv_conditional_set_self(c, 40));
    pv_partition_function *exact, *sampled;
    pv_partition all[ROWS], at[ROWS], below[ROWS], above[ROWS], again[ROWS];
    const double T = 0.7, h = 1e-2;
    well(t->ctx, pv_partition_function_open(c, 0, &exact));
    well(t->ctx, pv_partition_function_open(c, SAMPLED, &sampled));
    assert_true(pv_partition_function_sampled(sampled));
    well(t->ctx, pv_partition_function_sum(exact, &x, T, all));
    well(t->ctx, pv_partition_function_sum(sampled, &x, T, at));
    pv_partition_function_rewind(sampled);
    well(t->ctx, pv_partition_function_sum(sampled, &x, T - h, below));
    pv_partition_function_rewind(sampled);
    well(t->ctx, pv_partition_function_sum(sampled, &x, T + h, above));
    pv_partition_function_rewind(sampled);
    well(t->ctx, pv_partition_function_sum(sampled, &x, T, again));
    for (uint32_t k = 0; k < ROWS; k++) {
        assert_close(at[k].log_z, all[k].log_z, 0.05);
        assert_true(at[k].log_z == again[k].log_z && at[k].variance == again[k].variance);
        double first = (above[k].log_z - below[k].log_z) / (2 * h);
        double second = (above[k].mean - below[k].mean) / (2 * h);
        assert_close(at[k].mean, first, 0.01 * (1 + fabs(first)));
        assert_close(at[k].variance, second, 0.05 * (1 + fabs(second)));
    }
    pv_partition_function_close(sampled);
    pv_partition_function_close(exact);
    pv_trail_free(&trail);
    pv_contexts_free(&x);
    pv_conditional_close(c);
    untrain(t);
}

/* ---- Generating text ------------------------------------------------------------------------- */

static void generated_words_follow_the_probabilities(void **state)
{
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 2);
    uint32_t words = psdvec_model_get_info(t->model)->words, before[] = {3, 1}, drawn;
    psdvec_scorer *s = scorer_of(t, false, NULL);
    psdvec_prediction *p = calloc(words, sizeof *p);
    unsigned *hits = calloc(words, sizeof *hits);
    size_t found;
    psdvec_generate_options g;
    psdvec_generate_options_default(&g);
    well(t->ctx, psdvec_scorer_next(s, before, 2, words, p, &found));
    enum { DRAWS = 4000 };
    g.length = 1;
    g.top = g.no_repeat = 0;
    for (g.seed = 0; g.seed < DRAWS; g.seed++) {
        well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, &drawn, NULL, NULL));
        hits[drawn]++;
    }
    double square = 0;
    for (size_t k = 0; k < found; k++) {
        double expected = DRAWS * p[k].probability;
        square += (hits[p[k].word] - expected) * (hits[p[k].word] - expected) / expected;
    }
    /* chi-squared, whose standard deviation is sqrt(2 (words - 1)) */
    assert_below(fabs(square - (words - 1)), 5 * sqrt(2.0 * words));
    /* Only the two most probable words. */
    g.top = 2;
    for (g.seed = 0; g.seed < 50; g.seed++) {
        well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, &drawn, NULL, NULL));
        assert_true(drawn == p[0].word || drawn == p[1].word);
    }
    /* No word repeats one of the last five, including those of the prompt. */
    uint32_t many[200];
    g.top = 0;
    g.no_repeat = 5;
    g.length = 200;
    well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, many, NULL, NULL));
    assert_true(many[0] != before[0] && many[0] != before[1]);
    for (int k = 1; k < 200; k++)
        for (int d = 1; d <= 5 && d <= k; d++)
            assert_int_not_equal(many[k], many[k - d]);
    /* At least one word always remains allowed. */
    g.no_repeat = 1000;
    well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, many, NULL, NULL));
    /* Word by word: the same for the same seed, and each conditional on the preceding words. */
    uint32_t first[20], again[20];
    g = (psdvec_generate_options){.size = sizeof(psdvec_generate_options), .length = 20, .seed = 5};
    well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, first, NULL, NULL));
    well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, again, NULL, NULL));
    assert_memory_equal(first, again, sizeof first);
    g.seed = 6;
    well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, again, NULL, NULL));
    assert_memory_not_equal(first, again, sizeof first);
    free(hits);
    free(p);
    psdvec_scorer_close(s);
    trained_free(t);
}

/* ---- The temperature ------------------------------------------------------------------------- */

static double perplexity_at(trained *t, const char *path, bool counts, double temperature,
                            double self)
{
    psdvec_scorer_options o;
    psdvec_scorer_options_default(&o);
    o.temperature = temperature;
    o.self = self;
    psdvec_scorer *s = scorer_of(t, counts, &o);
    well(t->ctx, psdvec_scorer_inputs(s, NULL, &path, 1));
    const psdvec_document_score *d = psdvec_scorer_total(s);
    double perplexity = exp(-d->fits[0].conditional / (double)d->known);
    psdvec_scorer_close(s);
    return perplexity;
}

static void the_fitted_parameters_maximise_the_likelihood(void **state)
{
    (void)state;
    int repeats_fitted = 0;
    for (int preset = 0; preset < 2; preset++) {
        trained *t = trained_new((psdvec_preset)preset, 2);
        char *path = scratch_path(t->folder, "held-out"), *held = random_text(99, WORDS, 3000);
        const char *inputs[] = {path};
        psdvec_fit_report r;
        scratch_write(path, held, strlen(held));
        well(t->ctx, psdvec_fit_temperature(t->ctx, t->model, t->counts, NULL, inputs, 1, 0, &r));
        assert_true(r.known > 2000 && r.temperature > 0 && r.rounds < 30);
        double best = perplexity_at(t, path, false, r.temperature, r.self);
        assert_close(best, r.after, 1e-3);
        assert_close(perplexity_at(t, path, false, 1, (double)INFINITY), r.before, 1e-3);
        double alone = perplexity_at(t, path, false, r.temperature_alone, (double)INFINITY);
        assert_close(alone, r.alone, 1e-3);
        assert_true(best <= alone && alone <= r.before);
        for (int sign = -1; sign <= 1; sign += 2) {
            double off = 1 + 0.05 * sign, self = r.self + 0.2 * sign;
            assert_below(best, perplexity_at(t, path, false, r.temperature * off, r.self));
            if (!isnan(r.self))
                assert_below(best, perplexity_at(t, path, false, r.temperature, self));
            assert_below(
                alone, perplexity_at(t, path, false, r.temperature_alone * off, (double)INFINITY));
            assert_below(r.counts_after,
                         perplexity_at(t, path, true, r.temperature_counts * off, (double)NAN));
        }
        assert_true(r.bigram_after <= r.bigram && r.interpolation > 0 && r.interpolation <= 1);
        /* Scoring uses the stored value. */
        char *kept = scratch_path(t->folder, "kept");
        psdvec_model *with;
        well(t->ctx, psdvec_model_write_fit(t->ctx, t->model, &r, kept));
        well(t->ctx, psdvec_model_open(t->ctx, kept, &with));
        well(t->ctx, psdvec_model_verify(t->ctx, with));
        const psdvec_model_info *info = psdvec_model_get_info(with);
        assert_true(info->temperature == r.temperature);
        assert_true(isnan(r.self) ? isnan(info->self) : info->self == r.self);
        repeats_fitted += !isnan(r.self);
        assert_true(info->temperature_counts == r.temperature_counts);
        psdvec_model *without = t->model;
        t->model = with;
        assert_close(perplexity_at(t, path, false, (double)NAN, (double)NAN), r.after, 1e-3);
        assert_close(perplexity_at(t, path, true, (double)NAN, (double)NAN), r.counts_after, 1e-3);
        t->model = without;
        psdvec_model_close(with);
        free(kept);
        free(path);
        free(held);
        trained_free(t);
    }
    assert_true(repeats_fitted > 0); /* else nothing is tested */
}

typedef struct seen_progress {
    uint64_t done, total;
    bool fell;
    char stage[80];
} seen_progress;

static void see_progress(void *user, const psdvec_progress *progress)
{
    seen_progress *seen = user;
    if (strncmp(progress->stage, "fitting", 7) != 0)
        return;
    seen->fell |= progress->done < seen->done;
    seen->done = progress->done;
    seen->total = progress->total;
    snprintf(seen->stage, sizeof seen->stage, "%s", progress->stage);
}

/* All passes form one stage, whose progress bar reaches its end once. */
static void progress_does_not_start_over_with_each_pass(void **state)
{
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 1);
    seen_progress seen = {0};
    psdvec_context_options o;
    psdvec_context *ctx;
    psdvec_model *model;
    psdvec_fit_report r;
    psdvec_context_options_default(&o);
    o.on_progress = see_progress;
    o.user = &seen;
    ok(psdvec_context_new(&o, &ctx));
    well(ctx, psdvec_model_open(ctx, t->model_path, &model));
    const char *inputs[] = {t->text};
    well(ctx, psdvec_fit_temperature(ctx, model, NULL, NULL, inputs, 1, 500, &r));
    char expected[80];
    snprintf(expected, sizeof expected, "fitting, pass %u of at most %u", r.rounds, r.rounds);
    assert_string_equal(seen.stage, expected);
    assert_true(!seen.fell && seen.done == seen.total && seen.total == 500 * r.rounds);
    psdvec_model_close(model);
    psdvec_context_free(ctx);
    trained_free(t);
}

/* A sample of the words gives nearly the same result as all words, and the same for any number of
 * threads. */
static void a_sample_of_a_text_is_fitted(void **state)
{
    (void)state;
    psdvec_fit_report all, some[2];
    for (int threads = 1; threads <= 2; threads++) {
        trained *t = trained_new(PSDVEC_PRESET_DEFAULT, threads);
        char *path = scratch_path(t->folder, "held-out"), *held = random_text(99, WORDS, 6000);
        const char *inputs[] = {path};
        psdvec_fit_report *r = &some[threads - 1];
        scratch_write(path, held, strlen(held));
        well(t->ctx, psdvec_fit_temperature(t->ctx, t->model, NULL, NULL, inputs, 1, 0, &all));
        well(t->ctx, psdvec_fit_temperature(t->ctx, t->model, NULL, NULL, inputs, 1, 2000, r));
        assert_true(r->known == all.known && r->words == all.words);
        assert_true(r->after != all.after && r->unigram != all.unigram); /* fewer words were
                                                                          * scored */
        assert_close(r->temperature, all.temperature, 0.15 * all.temperature);
        assert_close(r->unigram, all.unigram, 0.05 * all.unigram);
        free(path);
        free(held);
        trained_free(t);
    }
    assert_true(some[0].temperature == some[1].temperature && some[0].after == some[1].after);
}

/* Vectors so short that no temperature is high enough, and words that never repeat. */
static void fitted_values_can_be_read_back_for_any_text(void **state)
{
    (void)state;
    trained t;
    train(&t, PSDVEC_PRESET_PAPER, 1);
    char text[20 * 200 + 1];
    for (int k = 0; k < 200; k++)
        snprintf(text + 20L * k, 21, "fst%c%c snd%c%c another\n", 'a' + k % 10, 'a', 'a' + k % 10,
                 'a');
    scratch_write(t.text, text, strlen(text));
    t.counting.min_count = 1;
    t.counting.window = 1;
    t.counting.text.min_document_words = 1;
    t.training.dim = 5;
    t.training.kappa = 0.99999;
    finish_training(&t);
    const char *inputs[] = {t.text};
    psdvec_fit_report r;
    psdvec_model *with;
    char *kept = scratch_path(t.folder, "kept");
    well(t.ctx, psdvec_fit_temperature(t.ctx, t.model, t.counts, NULL, inputs, 1, 0, &r));
    assert_true(r.temperature_alone == 100); /* else nothing is tested */
    assert_true(r.alone < r.before);
    well(t.ctx, psdvec_model_write_fit(t.ctx, t.model, &r, kept));
    well(t.ctx, psdvec_model_open(t.ctx, kept, &with));
    psdvec_model_close(with);
    /* A value that no fit can produce is refused. */
    r.interpolation = 2;
    well(t.ctx, psdvec_model_write_fit(t.ctx, t.model, &r, kept));
    assert_int_equal(psdvec_model_open(t.ctx, kept, &with), PSDVEC_ERR_CORRUPT);
    r.interpolation = 0.5;
    r.temperature_counts = -1;
    well(t.ctx, psdvec_model_write_fit(t.ctx, t.model, &r, kept));
    assert_int_equal(psdvec_model_open(t.ctx, kept, &with), PSDVEC_ERR_CORRUPT);
    free(kept);
    untrain(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_standard_error_of_a_sample_is_right),
        cmocka_unit_test(the_error_of_the_total_does_not_depend_on_where_documents_end),
        cmocka_unit_test(generated_words_follow_the_probabilities),
        cmocka_unit_test(the_fitted_parameters_maximise_the_likelihood),
        cmocka_unit_test(sampled_sums_have_derivatives),
        cmocka_unit_test(a_sample_of_a_text_is_fitted),
        cmocka_unit_test(progress_does_not_start_over_with_each_pass),
        cmocka_unit_test(fitted_values_can_be_read_back_for_any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
