/* The joint probability: each term against sums over all pairs of the dense reference, and against
 * the text itself, word by word. */
#include "support/problem.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_near(a, b) assert_close(a, b, 2e-6 * (fabs(b) + 1))

static psdvec_model *trained(problem *p, const psdvec_train_options *options,
                             psdvec_train_report *report)
{
    psdvec_model *m;
    char *path = scratch_path(p->folder, "model");
    well(p->ctx, psdvec_train(p->ctx, options, p->path, path, report));
    well(p->ctx, psdvec_model_open(p->ctx, path, &m));
    free(path);
    return m;
}

/* ---- Direct sums ----------------------------------------------------------------------------- */

static double log_unigrams(const problem *p, const dense_link *link)
{
    size_t n = p->dense.words;
    double tokens = 0, sum = 0, total = 0;
    bool subsampled = psdvec_counts_retention(p->counts, 0) < 1;
    for (size_t i = 0; i < n; i++)
        tokens += p->dense.frequency[i];
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            double u = subsampled ? p->dense.frequency[i] / tokens : link->u[i];
            if (u == 0)
                u = 0.5 / tokens;
            if (pass == 0)
                sum += u;
            else
                total += p->dense.frequency[i] * log(u / sum);
        }
    return total;
}

static psdvec_joint plain_sums(const problem *p, const psdvec_model *m,
                               const psdvec_train_options *o)
{
    dense_link link = dense_link_make(&p->dense, o);
    size_t n = p->dense.words;
    double power_sum = 0;
    psdvec_joint joint = {.unigrams = log_unigrams(p, &link), .words = (uint32_t)n};
    for (size_t i = 0; i < n; i++)
        power_sum += pow(link.X[i] + link.Y[i], o->context_power);
    for (size_t i = 0; i < n; i++) {
        const float *v = psdvec_model_vector(m, (uint32_t)i);
        double square = 0;
        uint32_t dim = psdvec_model_get_info(m)->dim;
        for (uint32_t k = 0; k < dim; k++)
            square += (double)v[k] * (double)v[k];
        joint.tokens += (uint64_t)p->dense.frequency[i];
        joint.vector_prior -= link.mu[i] * square;
        if (link.mu[i] > 0)
            joint.vector_normaliser += dim * 0.5 * log(link.mu[i] / M_PI);
        else
            joint.free_words++;
        for (size_t j = 0; j < n; j++) {
            double x = p->dense.x[i * n + j], f = link.f[i * n + j], G = link.G[i * n + j];
            double X = psdvec_model_product(m, (uint32_t)i, (uint32_t)j);
            if (x > 0) {
                joint.pairs++;
                joint.products += x * X;
                joint.residuals += x * (G - X);
                joint.free_residuals += f == 0;
                if (o->target == PSDVEC_TARGET_PMI) {
                    double ri = link.X[i] + link.Y[i], rj = link.X[j] + link.Y[j];
                    joint.shifts +=
                        x * 0.5 *
                        (log(2 * link.total * pow(ri, o->context_power) / power_sum / ri) +
                         log(2 * link.total * pow(rj, o->context_power) / power_sum / rj));
                }
            }
            if (f > 0) {
                joint.weighed++;
                joint.residual_prior -= f * (G - X) * (G - X);
                joint.residual_normaliser += 0.5 * log(f / M_PI);
            }
            joint.background -= link.b[i * n + j] * pow(link.background - X, 2);
        }
    }
    dense_link_free(&link);
    return joint;
}

static void assert_same(const psdvec_joint *a, const psdvec_joint *b)
{
    assert_near(a->unigrams, b->unigrams);
    assert_near(a->products, b->products);
    assert_near(a->residuals, b->residuals);
    assert_near(a->shifts, b->shifts);
    assert_near(a->residual_prior, b->residual_prior);
    assert_near(a->background, b->background);
    assert_near(a->vector_prior, b->vector_prior);
    assert_near(a->residual_normaliser, b->residual_normaliser);
    assert_near(a->vector_normaliser, b->vector_normaliser);
    assert_int_equal(a->tokens, b->tokens);
    assert_int_equal(a->pairs, b->pairs);
    assert_int_equal(a->weighed, b->weighed);
    assert_int_equal(a->free_residuals, b->free_residuals);
    assert_int_equal(a->words, b->words);
    assert_int_equal(a->free_words, b->free_words);
}

/* Compares the report of train, the value computed from its model, and the direct sums. */
static void compare(problem *p, const psdvec_train_options *o)
{
    psdvec_train_report report;
    psdvec_joint computed;
    psdvec_model *m = trained(p, o, &report);
    psdvec_joint plain = plain_sums(p, m, o);
    well(p->ctx, psdvec_joint_compute(p->ctx, m, p->counts, &computed));
    assert_same(&computed, &plain);
    assert_same(&report.joint, &plain);
    psdvec_model_close(m);
}

static void every_term_agrees_with_sums_over_all_pairs(void **state)
{
    (void)state;
    for (int subsample = 0; subsample < 2; subsample++)
        for (int core = 0; core < 2; core++) {
            problem *p = problem_of_text(11, 90, 3000, subsample, 2);
            psdvec_train_options paper = paper_options(7, 4), factored = factored_options(7, 4);
            paper.core = factored.core = core ? 50 : 0;
            compare(p, &paper);
            compare(p, &factored);
            paper.core_mu = factored.core_mu = 1.5;
            factored.form = PSDVEC_FORM_PSD;
            factored.context_power = 1;
            compare(p, &paper);
            compare(p, &factored);
            paper.weights = PSDVEC_WEIGHTS_GLOVE;
            compare(p, &paper);
            problem_free(p);
        }
}

/* Unseen pairs have weights too, in closed form; those of the most frequent words are capped. */
static void smoothed_weights_count_unseen_pairs(void **state)
{
    (void)state;
    for (int core = 0; core < 2; core++) {
        problem *p = problem_of_text(13, 90, 900, false, 2);
        psdvec_train_options o = paper_options(7, 4);
        o.weights = PSDVEC_WEIGHTS_SMOOTHED;
        o.core = core ? 50 : 0;
        compare(p, &o);
        /* So many pairs have weight 1 that some of them are unseen. */
        o.cut = 0.9;
        o.kappa = 0.5;
        dense_link link = dense_link_make(&p->dense, &o);
        size_t n = p->dense.words, capped = 0;
        for (size_t i = 0; i < n * n; i++)
            capped += link.f[i] == 1 && !link.seen[i];
        assert_true(capped > 0);
        dense_link_free(&link);
        compare(p, &o);
        problem_free(p);
    }
}

static void if_all_words_are_core_the_priors_equal_the_objective(void **state)
{
    (void)state;
    for (int paper = 0; paper < 2; paper++) {
        problem *p = problem_of_text(11, 120, 5000, true, 2);
        psdvec_train_options o = paper ? paper_options(6, 3) : factored_options(6, 3);
        psdvec_train_report report;
        o.core_mu = 0.5;
        o.form = PSDVEC_FORM_PSD;
        psdvec_model *m = trained(p, &o, &report);
        double priors = report.joint.residual_prior + report.joint.background +
                        report.joint.vector_prior;
        assert_close(-priors, report.objective, 1e-5 * report.objective);
        psdvec_model_close(m);
        problem_free(p);
    }
}

/* ---- The text, word by word ------------------------------------------------------------------ */

enum { TOKENS = 1200, WORDS = 25, LINE = 12, WINDOW = 3 };

/* G or, for PMI, the mutual information that it represents, computed from the counts by the
 * formulas. */
static double information(const psdvec_counts *c, const psdvec_train_options *o, uint32_t i,
                          uint32_t j)
{
    double total = (double)psdvec_counts_get_info(c)->total;
    double x = (double)psdvec_counts_get(c, i, j), back = (double)psdvec_counts_get(c, j, i);
    double Xi = (double)psdvec_counts_context_total(c, i);
    double Yj = (double)psdvec_counts_focus_total(c, j);
    if (o->target == PSDVEC_TARGET_SMOOTHED)
        return log((1 - o->kappa) * x / Xi + o->kappa * Yj / total) - log(Yj / total);
    double ri = Xi + (double)psdvec_counts_focus_total(c, i);
    double rj = Yj + (double)psdvec_counts_context_total(c, j);
    return log(2 * total * (x + back) / ri / rj);
}

static double text_by_words(const char *text, const psdvec_counts *c, const psdvec_train_options *o)
{
    double sum = 0, total = (double)psdvec_counts_get_info(c)->total;
    uint32_t before[TOKENS], place = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, " \n");
        uint32_t w;
        assert_true(psdvec_counts_find(c, at, length, &w));
        assert_true(psdvec_counts_focus_total(c, w) > 0);
        sum += log((double)psdvec_counts_focus_total(c, w) / total);
        for (uint32_t d = 1; d <= WINDOW && d <= place; d++)
            sum += information(c, o, before[place - d], w);
        before[place++] = w;
        if (at[length] == '\n') /* the end of a document */
            place = 0;
        at += length + 1;
    }
    return sum;
}

static void the_first_four_terms_are_the_text_word_by_word(void **state)
{
    (void)state;
    problem *p = problem_of_text(1, 5, 100, false, 1); /* for its folder and context */
    char *text = random_text(21, WORDS, TOKENS), *input = scratch_path(p->folder, "text.txt");
    char *path = scratch_path(p->folder, "text.counts"), *model = scratch_path(p->folder, "text.m");
    scratch_write(input, text, strlen(text));
    psdvec_count_options count;
    psdvec_count_options_default(&count);
    count.text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    count.window = WINDOW;
    count.distance = PSDVEC_DISTANCE_UNIFORM;
    count.subsample = 0;
    count.min_count = 1;
    well(p->ctx, psdvec_count(p->ctx, &count, (const char *[]){input}, 1, path, NULL));
    psdvec_counts *counts;
    well(p->ctx, psdvec_counts_open(p->ctx, path, &counts));
    for (int pmi = 0; pmi < 2; pmi++) {
        psdvec_train_options o = pmi ? factored_options(6, 3) : paper_options(6, 3);
        psdvec_train_report report;
        well(p->ctx, psdvec_train(p->ctx, &o, path, model, &report));
        const psdvec_joint *j = &report.joint;
        double expected = text_by_words(text, counts, &o);
        assert_near(j->unigrams + j->products + j->residuals + j->shifts, expected);
        assert_int_equal(j->tokens, TOKENS);
        assert_true(pmi ? j->shifts != 0 : j->shifts == 0);
    }
    psdvec_counts_close(counts);
    free(model);
    free(path);
    free(input);
    free(text);
    problem_free(p);
}

/* ---- Reports and files ----------------------------------------------------------------------- */

static void the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    problem *p = problem_of_text(3, 900, 30000, true, 1);
    psdvec_train_options o = factored_options(6, 2);
    o.core = 500;
    psdvec_train_report report, again;
    psdvec_model_close(trained(p, &o, &report));
    psdvec_context *three = context_of(3);
    char *path = scratch_path(p->folder, "again");
    well(three, psdvec_train(three, &o, p->path, path, &again));
    assert_memory_equal(&report.joint, &again.joint, sizeof report.joint);
    free(path);
    psdvec_context_free(three);
    problem_free(p);
}

static void the_model_stores_it_while_it_is_valid(void **state)
{
    (void)state;
    problem *p = problem_of_text(11, 60, 3000, false, 1);
    psdvec_train_options o = factored_options(6, 3);
    psdvec_train_report report;
    psdvec_model *m = trained(p, &o, &report);
    char expected[100];
    snprintf(expected, sizeof expected, "\"pairs\":%llu", (unsigned long long)report.joint.pairs);
    const char *json = psdvec_model_get_info(m)->joint_json;
    assert_non_null(json);
    assert_non_null(strstr(json, "\"residual_prior\":-"));
    assert_non_null(strstr(json, expected));
    char *from = scratch_path(p->folder, "model"), *to = scratch_path(p->folder, "other");
    for (int k = 0; k < 4; k++) {
        psdvec_convert_options c;
        psdvec_model *other;
        psdvec_convert_options_default(&c);
        c.dim = k == 1 ? 3 : 0;
        c.words = k == 2 ? 20 : 0;
        c.normalize = k == 3;
        well(p->ctx, psdvec_convert(p->ctx, &c, from, to));
        well(p->ctx, psdvec_model_open(p->ctx, to, &other));
        const char *kept = psdvec_model_get_info(other)->joint_json;
        if (k == 0)
            assert_string_equal(kept, json);
        else
            assert_null(kept);
        psdvec_model_close(other);
    }
    /* Only the words that the model was trained on, even after others were added. */
    char *text = scratch_path(p->folder, "new.txt");
    scratch_write(text, "w1 new w2 new w3 w1 new w2\n", 27);
    psdvec_extend_options e;
    psdvec_model *more;
    psdvec_extend_options_default(&e);
    e.min_count = 1;
    well(p->ctx, psdvec_extend(p->ctx, &e, from, (const char *[]){text}, 1, to, NULL));
    well(p->ctx, psdvec_model_open(p->ctx, to, &more));
    assert_true(psdvec_model_get_info(more)->words > psdvec_model_get_info(m)->words);
    assert_string_equal(psdvec_model_get_info(more)->joint_json, json);
    psdvec_joint computed;
    well(p->ctx, psdvec_joint_compute(p->ctx, more, p->counts, &computed));
    assert_same(&computed, &report.joint);
    psdvec_model_close(more);
    free(text);
    free(from);
    free(to);
    psdvec_model_close(m);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_term_agrees_with_sums_over_all_pairs),
        cmocka_unit_test(smoothed_weights_count_unseen_pairs),
        cmocka_unit_test(if_all_words_are_core_the_priors_equal_the_objective),
        cmocka_unit_test(the_first_four_terms_are_the_text_word_by_word),
        cmocka_unit_test(the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(the_model_stores_it_while_it_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
