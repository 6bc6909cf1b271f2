/* Recovery by simulation (docs/explanation/simulation.md): text is drawn from a known model, and
 * training on that text must recover the model, with an error that decreases with the length of the
 * text as sampling predicts, in value and not only in slope.
 *
 * Errors are of v_i' J v_j over pairs i != j of the core, each weighted by its frequency in the
 * true model. With PSDVEC_TEST_LONG=1 (tests/long) the sizes are those that take minutes.
 */
#include "document/simulate.h"
#include "support/problem.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- From a text to an error ----------------------------------------------------------------- */

typedef struct trial {
    psdvec_simulate_options simulate;
    uint32_t core;
    uint32_t iterations;
} trial;

/* The trained model or the truth, as plain numbers over the core, in the order of the truth. */
typedef struct products {
    uint32_t n, dim;
    double *p; /* n: unigrams */
    double *X; /* n x n: v_i' J v_j */
} products;

static void products_free(products *x)
{
    free(x->p);
    free(x->X);
    *x = (products){0};
}

/* The first n words of `order`, looked up in `model` by spelling. */
static products products_read(const psdvec_model *model, const psdvec_model *order, uint32_t n)
{
    products x = {.n = n, .dim = psdvec_model_get_info(model)->dim};
    uint32_t *at = calloc(n, sizeof *at);
    x.p = calloc(n, sizeof *x.p);
    x.X = calloc((size_t)n * n, sizeof *x.X);
    assert_true(at && x.p && x.X);
    for (uint32_t i = 0; i < n; i++) {
        size_t length;
        const char *word = psdvec_model_word(order, i, &length);
        assert_true(psdvec_model_find(model, word, length, &at[i]));
        x.p[i] = psdvec_model_unigram(model, at[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            x.X[(size_t)i * n + j] = x.X[(size_t)j * n + i] =
                psdvec_model_product(model, at[i], at[j]);
    free(at);
    return x;
}

typedef struct outcome {
    double error;     /* root of the weighted mean square of trained minus expected */
    double predicted; /* the error that sampling predicts */
    double signal;    /* the same for the expected products themselves */
} outcome;

/* The weights are those of `truth`. */
static double distance(const products *truth, const products *a, const products *b, double *share)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < truth->n; i++)
        for (size_t j = 0; j < truth->n; j++) {
            if (i == j)
                continue;
            size_t k = i * truth->n + j;
            double weight = truth->p[i] * truth->p[j] * exp(truth->X[k]);
            double d = a->X[k] - (b ? b->X[k] : 0);
            sum += weight * d * d;
            all += weight;
        }
    if (share)
        *share = all;
    return sqrt(sum / all);
}

/* PMI with unsmoothed margins, and weights proportional to the counts expected by chance, which
 * equal the inverse variance of the targets up to the factor exp(G): efficient, and of the form m_i
 * m_j, which allows long steps of Algorithm 1. No prior, no read-out. */
static psdvec_train_options training(const trial *t)
{
    psdvec_train_options o;
    psdvec_train_options_default(&o);
    o.dim = t->simulate.dim;
    o.form = t->simulate.form;
    o.core = t->core == t->simulate.vocab ? 0 : t->core;
    o.target = PSDVEC_TARGET_PMI;
    o.context_power = 1;
    o.weights = PSDVEC_WEIGHTS_FACTORED;
    o.factor_power = 1;
    o.rho = 0;
    o.iterations = t->iterations;
    o.tolerance = 1e-7;
    o.eigen_tolerance = 1e-4;
    o.centre = false;
    o.order = o.spelling = 0;
    return o;
}

/* The words of the truth, most frequent first, as a word list for counting. */
static char *word_list(const psdvec_model *truth, const char *folder)
{
    char *path = scratch_path(folder, "words.txt");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < psdvec_model_get_info(truth)->words; i++) {
        size_t length;
        const char *word = psdvec_model_word(truth, i, &length);
        fprintf(file, "%.*s\n", (int)length, word);
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

/* Opens the true model of the last simulation. */
static psdvec_model *open_truth(workshop *w)
{
    char *path = scratch_path(w->out, "truth.safetensors");
    psdvec_model *truth = open_model(w, path);
    free(path);
    return truth;
}

static psdvec_model *train_on(workshop *w, const trial *t, const char *counts)
{
    psdvec_train_options options = training(t);
    char *path = scratch_path(w->folder, "trained.safetensors");
    well(w->ctx, psdvec_train(w->ctx, &options, counts, path, NULL));
    psdvec_model *model = open_model(w, path);
    free(path);
    return model;
}

/* Draws a text, counts it, trains on it. */
static psdvec_model *train_on_text(workshop *w, const trial *t, const psdvec_model *truth)
{
    psdvec_count_options count;
    psdvec_count_options_default(&count);
    char *text = scratch_path(w->out, "text.txt"), *list = word_list(truth, w->folder);
    char *counts = scratch_path(w->folder, "counts.safetensors");
    count.window = t->simulate.window;
    count.distance = PSDVEC_DISTANCE_UNIFORM;
    count.subsample = 0;
    count.oov = PSDVEC_OOV_KEEP;
    count.vocab_file = list;
    well(w->ctx, psdvec_count(w->ctx, &count, (const char *const[]){text}, 1, counts, NULL));
    psdvec_model *model = train_on(w, t, counts);
    free(text);
    free(list);
    free(counts);
    return model;
}

/* The number of free parameters of products of rank N that the noise of a text affects. A symmetric
 * n x n matrix of rank N has n N - N (N - 1) / 2; if the vectors span the constant, n of them are
 * margins, which have no noise in the targets. */
static double freedom(uint32_t n, uint32_t dim, bool margins)
{
    double all = (double)n * dim - (double)dim * (dim - 1) / 2;
    return margins ? all - n : all;
}

/* A text, and the model trained on it. */
typedef struct study {
    products truth, found;
    double pairs; /* positions in the text that are pairs of different core words */
} study;

static study study_text(workshop *w, const trial *t)
{
    psdvec_simulate_report report;
    well(w->ctx, psdvec_simulate(w->ctx, &t->simulate, w->out, &report));
    psdvec_model *truth = open_truth(w), *trained = train_on_text(w, t, truth);
    study s = {.truth = products_read(truth, truth, t->core),
               .found = products_read(trained, truth, t->core)};
    double share, places = 0;
    for (uint32_t d = 1; d <= t->simulate.window; d++)
        places += (double)report.tokens - (double)d * (double)report.documents;
    distance(&s.truth, &s.truth, NULL, &share);
    s.pairs = places * share;
    psdvec_model_close(truth);
    psdvec_model_close(trained);
    return s;
}

static void study_free(study *s)
{
    products_free(&s->truth);
    products_free(&s->found);
}

/* `limit`: the result of training on infinitely much text; NULL: the truth. */
static outcome look_at(const study *s, const trial *t, const products *limit)
{
    bool margins = t->simulate.form == PSDVEC_FORM_SYMMETRIC;
    return (outcome){.error = distance(&s->truth, &s->found, limit ? limit : &s->truth, NULL),
                     .predicted = sqrt(freedom(t->core, t->simulate.dim, margins) / s->pairs),
                     .signal = distance(&s->truth, &s->truth, NULL, NULL)};
}

static outcome recover(workshop *w, const trial *t, const products *limit)
{
    study s = study_text(w, t);
    outcome o = look_at(&s, t, limit);
    study_free(&s);
    return o;
}

/* The result of training on infinitely much text: trains on the expected counts of a text of 10^10
 * pairs. */
static products limit_of(workshop *w, const trial *t)
{
    uint32_t n = t->simulate.vocab;
    pv_truth truth;
    dense_counts expected = dense_counts_new(n);
    float *residual = calloc(n, sizeof *residual);
    char *path = scratch_path(w->folder, "expected.safetensors");
    assert_non_null(residual);
    well(w->ctx, pv_truth_make(w->ctx, &t->simulate, &truth));
    for (uint32_t i = 0; i < n; i++) {
        expected.frequency[i] = round(1e10 * truth.unigram[i]);
        if (truth.residuals)
            pv_truth_residuals(&truth, i, residual);
        for (uint32_t j = 0; j < n; j++) {
            double g = (double)residual[j];
            for (uint32_t k = 0; k < truth.dim; k++)
                g += copysign(1, (double)truth.eigenvalues[k]) *
                     (double)truth.vectors[(size_t)i * truth.dim + k] *
                     (double)truth.vectors[(size_t)j * truth.dim + k];
            expected.x[(size_t)i * n + j] = 1e10 * truth.unigram[i] * truth.unigram[j] * exp(g);
        }
    }
    pv_truth_free(&truth);
    write_counts(w->ctx, &expected, 16, w->folder, path);
    psdvec_model *model = train_on(w, t, path);
    products found = products_read(model, model, t->core);
    psdvec_model_close(model);
    dense_counts_free(&expected);
    free(residual);
    free(path);
    return found;
}

/* ---- The rate -------------------------------------------------------------------------------- */

/* Prints a line of the table in docs/explanation/simulation.md. */
static void tell(uint64_t tokens, const outcome *o)
{
    print_message("    %9llu words: error %.4f, predicted %.4f, ratio %.3f (products: %.3f)\n",
                  (unsigned long long)tokens, o->error, o->predicted, o->error / o->predicted,
                  o->signal);
}

/* Errors at sizes that grow by `factor`, and their slope on logarithmic axes by least squares. */
static double slope_of(workshop *w, trial t, uint64_t factor, size_t sizes, const products *limit,
                       outcome *outcomes)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = (double)sizes;
    for (size_t k = 0; k < sizes; k++, t.simulate.tokens *= factor) {
        outcomes[k] = recover(w, &t, limit);
        tell(t.simulate.tokens, &outcomes[k]);
        double x = log((double)t.simulate.tokens), y = log(outcomes[k].error);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    print_message("    slope %.3f\n", slope);
    return slope;
}

static trial small_trial(void)
{
    trial t = {.core = 100, .iterations = 300};
    psdvec_simulate_options_default(&t.simulate);
    t.simulate.vocab = 100;
    t.simulate.dim = 6;
    t.simulate.zipf = 0.5;
    t.simulate.residual = 0;
    t.simulate.tokens = 200000;
    t.simulate.seed = 1;
    return t;
}

static void products_are_recovered_at_the_rate_of_sampling(void **state)
{
    workshop *w = *state;
    outcome outcomes[3];
    double slope = slope_of(w, small_trial(), 4, 3, NULL, outcomes);
    assert_close(slope, -0.5, 0.06);
    assert_close(outcomes[0].error / outcomes[0].predicted, 1, 0.2);
    assert_close(outcomes[2].error / outcomes[2].predicted, 1, 0.1);
}

static void with_residuals_the_limit_for_infinite_text_is_recovered(void **state)
{
    workshop *w = *state;
    outcome outcomes[2];
    trial t = small_trial();
    t.simulate.residual = 0.1;
    t.simulate.tokens = 400000;
    products limit = limit_of(w, &t);
    double slope = slope_of(w, t, 8, 2, &limit, outcomes);
    assert_close(slope, -0.5, 0.08);
    assert_close(outcomes[1].error / outcomes[1].predicted, 1, 0.15);
    psdvec_model *model = open_truth(w);
    products truth = products_read(model, model, t.core);
    double floor = distance(&truth, &limit, &truth, NULL);
    print_message("    the solution is %.4f from the truth\n", floor);
    assert_below(2 * outcomes[1].error, floor); /* the truth itself is not reached */
    psdvec_model_close(model);
    products_free(&truth);
    products_free(&limit);
}

static void the_psd_form_recovers_its_solution_at_the_same_rate(void **state)
{
    workshop *w = *state;
    outcome outcomes[2];
    trial t = small_trial();
    t.simulate.form = PSDVEC_FORM_PSD;
    products limit = limit_of(w, &t);
    double slope = slope_of(w, t, 8, 2, &limit, outcomes);
    assert_close(slope, -0.5, 0.08);
    assert_close(outcomes[1].error / outcomes[1].predicted, 1, 0.15);
    products_free(&limit);
}

/* ---- Wider windows --------------------------------------------------------------------------- */

/* In a window of c, words also affect each other through a third word, which can be at c - 1
 * positions around a pair: to second order, the mutual information in the text is G + (c - 1) G P
 * G, where P is the diagonal matrix of p. Sums over all words of the truth; returns the core. */
static products with_detours(workshop *w, const trial *t)
{
    psdvec_model *model = open_truth(w);
    uint32_t all = t->simulate.vocab, n = t->core;
    products G = products_read(model, model, all), x = products_read(model, model, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < all; k++)
                sum += G.X[i * all + k] * G.p[k] * G.X[j * all + k];
            x.X[i * n + j] += (t->simulate.window - 1) * sum;
        }
    products_free(&G);
    psdvec_model_close(model);
    return x;
}

typedef struct floors {
    double error;   /* of the trained model */
    double detours; /* of the truth with indirect effects, against the truth */
    double rest;    /* of the trained model, against the truth with indirect effects */
} floors;

static floors look_at_the_floor(workshop *w, const trial *t)
{
    study s = study_text(w, t);
    products detours = with_detours(w, t);
    outcome plain = look_at(&s, t, NULL);
    floors f = {.error = plain.error,
                .detours = distance(&s.truth, &detours, &s.truth, NULL),
                .rest = look_at(&s, t, &detours).error};
    print_message("    strength %.2f: error %.4f, detours predict %.4f; less them %.4f, sampling "
                  "predicts %.4f\n",
                  t->simulate.strength, f.error, f.detours, f.rest, plain.predicted);
    products_free(&detours);
    study_free(&s);
    return f;
}

static void a_wider_window_adds_indirect_effects(void **state)
{
    workshop *w = *state;
    trial t = small_trial();
    t.simulate.window = 3;
    t.simulate.tokens = 1000000;
    t.simulate.strength = 0.2;
    floors f = look_at_the_floor(w, &t);
    assert_close(f.error / f.detours, 1, 0.25);
    assert_below(f.rest, 0.5 * f.error);
}

/* ---- Tests that take minutes ----------------------------------------------------------------- */

static trial large_trial(void)
{
    trial t = {.core = 200, .iterations = 400};
    psdvec_simulate_options_default(&t.simulate);
    t.simulate.residual = 0;
    t.simulate.tokens = 1250000;
    t.simulate.seed = 1;
    return t;
}

static void two_thousand_words_and_twenty_dimensions(void **state)
{
    workshop *w = *state;
    outcome outcomes[3];
    double slope = slope_of(w, large_trial(), 4, 3, NULL, outcomes);
    assert_close(slope, -0.5, 0.06);
    assert_close(outcomes[1].error / outcomes[1].predicted, 1, 0.1);
    assert_close(outcomes[2].error / outcomes[2].predicted, 1, 0.1);
}

static void the_floor_of_a_wider_window_falls_with_the_square_of_the_strength(void **state)
{
    workshop *w = *state;
    trial t = large_trial();
    t.simulate.window = 3;
    t.simulate.tokens = 5000000;
    floors strong = look_at_the_floor(w, &t);
    t.simulate.strength /= 2;
    floors weak = look_at_the_floor(w, &t);
    assert_close(strong.detours / weak.detours, 4, 0.5);
    assert_close(strong.error / strong.detours, 1, 0.2);
    assert_below(weak.rest, weak.error);
}

#define TRIAL(test) cmocka_unit_test_setup_teardown(test, workshop_open, workshop_close)

int main(void)
{
    const struct CMUnitTest seconds[] = {
        TRIAL(products_are_recovered_at_the_rate_of_sampling),
        TRIAL(with_residuals_the_limit_for_infinite_text_is_recovered),
        TRIAL(the_psd_form_recovers_its_solution_at_the_same_rate),
        TRIAL(a_wider_window_adds_indirect_effects),
    };
    const struct CMUnitTest minutes[] = {
        TRIAL(two_thousand_words_and_twenty_dimensions),
        TRIAL(the_floor_of_a_wider_window_falls_with_the_square_of_the_strength),
    };
    return getenv("PSDVEC_TEST_LONG") ? cmocka_run_group_tests(minutes, NULL, NULL)
                                      : cmocka_run_group_tests(seconds, NULL, NULL);
}
