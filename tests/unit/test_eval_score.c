/* Scores against direct computation in double precision, and the rules for unknown words and
 * questions. */
#include "base/memory.h"
#include "base/random.h"
#include "eval/analogy.h"
#include "eval/outcome.h"
#include "model/dot.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Models, tests, reports ------------------------------------------------------------------ */

/* A file in GloVe's format, whose read-out is its vectors. */
static psdvec_model *model_of(workshop *w, const char *text)
{
    psdvec_model *model;
    scratch_write(w->out, text, strlen(text));
    if (psdvec_model_open(w->ctx, w->out, &model) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
    return model;
}

static psdvec_test *test_of(workshop *w, const char *text)
{
    psdvec_test *test;
    scratch_write(w->in, text, strlen(text));
    if (psdvec_test_open(w->ctx, w->in, &test) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
    return test;
}

/* w0, w1, ... with components of the same distribution; `shift` is added to the first. */
static psdvec_model *random_model(workshop *w, uint32_t words, uint32_t dim, uint64_t seed,
                                  double shift)
{
    pv_buffer text;
    pv_buffer_init(&text, w->ctx);
    for (uint64_t i = 0; i < words; i++) {
        assert_int_equal(pv_buffer_printf(&text, "w%u", (unsigned)i), PSDVEC_OK);
        for (uint64_t k = 0; k < dim; k++)
            assert_int_equal(
                pv_buffer_printf(&text, " %.6f",
                                 pv_random_normal(seed, 1, i * dim + k) + (k == 0 ? shift : 0)),
                PSDVEC_OK);
        assert_int_equal(pv_buffer_byte(&text, '\n'), PSDVEC_OK);
    }
    assert_int_equal(pv_buffer_byte(&text, '\0'), PSDVEC_OK);
    psdvec_model *model = model_of(w, text.data);
    pv_buffer_free(&text);
    return model;
}

static psdvec_report *evaluate(workshop *w, const psdvec_eval_options *options,
                               psdvec_model *const *models, size_t model_count,
                               const psdvec_test *test)
{
    psdvec_report *report;
    if (psdvec_eval(w->ctx, options, (const psdvec_model *const *)models, model_count, &test, 1,
                    &report) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
    return report;
}

static psdvec_eval_options quick(psdvec_unknown rule)
{
    psdvec_eval_options options;
    psdvec_eval_options_default(&options);
    options.resamples = 0;
    options.unknown = rule;
    return options;
}

/* The first score of one model, or the second with `mul`. */
static psdvec_score score_of(workshop *w, const psdvec_eval_options *options, psdvec_model *model,
                             const psdvec_test *test, bool mul)
{
    size_t count;
    psdvec_report *report = evaluate(w, options, &model, 1, test);
    const psdvec_score *scores = psdvec_report_scores(report, &count);
    assert_true(count > mul);
    psdvec_score score = scores[mul];
    psdvec_report_free(report);
    return score;
}

static void assert_score(psdvec_score score, double value, uint32_t known, uint32_t total)
{
    bool same = isnan(value) ? isnan(score.value) : fabs(score.value - value) < 1e-12;
    if (!same || score.known != known || score.total != total)
        fail_msg("%.15g of %u/%u instead of %.15g of %u/%u", score.value, score.known, score.total,
                 value, known, total);
}

/* ---- Reference cosines ----------------------------------------------------------------------- */

static double slow_cosine(const float *a, const float *b, uint32_t dim)
{
    double ab = 0, aa = 0, bb = 0;
    for (uint32_t k = 0; k < dim; k++) {
        ab += (double)a[k] * b[k];
        aa += (double)a[k] * a[k];
        bb += (double)b[k] * b[k];
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static double slow_rank(const double *values, size_t n, size_t i)
{
    double rank = 0;
    for (size_t k = 0; k < n; k++)
        rank += values[k] < values[i] ? 1 : values[k] == values[i] ? 0.5 : 0;
    return rank;
}

static double slow_spearman(const double *x, const double *y, size_t n)
{
    double xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        double a = slow_rank(x, n, i) - (double)n / 2, b = slow_rank(y, n, i) - (double)n / 2;
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return xy / sqrt(xx * yy);
}

/* ---- Similarity ------------------------------------------------------------------------------ */

static void similarity_is_the_rank_correlation_of_cosines(void **state)
{
    workshop *w = *state;
    enum { WORDS = 90, DIM = 7, PAIRS = 200 };
    psdvec_model *model = random_model(w, WORDS, DIM, 1, 0);
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_DROP), zero = quick(PSDVEC_UNKNOWN_ZERO);
    double cosines[PAIRS], people[PAIRS], all_cosines[PAIRS], all_people[PAIRS];
    char text[PAIRS * 32] = "", *at = text;
    dice d = {1};
    size_t known = 0;
    for (int k = 0; k < PAIRS; k++) {
        uint32_t i = (uint32_t)dice_below(&d, 100), j = (uint32_t)dice_below(&d, 100);
        double value = (double)dice_below(&d, 40) / 4;
        at += sprintf(at, "w%u w%u %.2f\n", i, j, value);
        all_people[k] = value;
        all_cosines[k] = 0;
        if (i < WORDS && j < WORDS) {
            people[known] = value;
            all_cosines[k] = cosines[known++] =
                slow_cosine(psdvec_model_vector(model, i), psdvec_model_vector(model, j), DIM);
        }
    }
    psdvec_test *test = test_of(w, text);
    assert_score(score_of(w, &options, model, test, false), slow_spearman(cosines, people, known),
                 (uint32_t)known, PAIRS);
    assert_score(score_of(w, &zero, model, test, false),
                 slow_spearman(all_cosines, all_people, PAIRS), (uint32_t)known, PAIRS);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

static void the_mean_vector_replaces_unknown_words_on_request(void **state)
{
    workshop *w = *state;
    psdvec_model *model = model_of(w, "a 1 0 0\nb 0 1 0\nc 3 1 0\nd 0 0 1\n"); /* mean 4 2 1 */
    psdvec_test *test = test_of(w, "a b 1\nc x 9\nd x 2\nb c 5\na c 7\n");
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_MEAN);
    const float c[] = {3, 1, 0}, d[] = {0, 0, 1}, b[] = {0, 1, 0}, a[] = {1, 0, 0}, x[] = {4, 2, 1};
    double cosines[] = {0, slow_cosine(c, x, 3), slow_cosine(d, x, 3), slow_cosine(b, c, 3),
                        slow_cosine(a, c, 3)};
    double people[] = {1, 9, 2, 5, 7};
    assert_score(score_of(w, &options, model, test, false), slow_spearman(cosines, people, 5), 3,
                 5);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

static void words_without_any_spelling_are_dropped(void **state)
{
    workshop *w = *state;
    psdvec_model *model = model_of(w, "a 1 0 0\nb 0 1 0\nc 1 1 0\n");
    psdvec_test *test = test_of(w, "a b 1\nc x 9\nb c 5\na c 7\n");
    psdvec_eval_options drop = quick(PSDVEC_UNKNOWN_DROP), spell = quick(PSDVEC_UNKNOWN_SPELLING);
    psdvec_score score = score_of(w, &drop, model, test, false);
    assert_score(score_of(w, &spell, model, test, false), score.value, 3, 4);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

static void words_are_looked_up_unchanged_and_then_in_lower_case(void **state)
{
    workshop *w = *state;
    psdvec_model *model =
        model_of(w, "Apple 1 0 0\napple 0 1 0\npear 0 1 0\n\xc3\xa9t\xc3\xa9 1 0 0\n");
    psdvec_eval_options fold = quick(PSDVEC_UNKNOWN_DROP), keep = fold;
    keep.keep_case = true;
    psdvec_test *test = test_of(w, "Apple Pear 1\napple pear 2\n\xc3\x89T\xc3\x89 Apple 3\n");
    /* Cosines 0, 1, 1 with ratings 1, 2, 3. */
    assert_score(score_of(w, &fold, model, test, false), sqrt(3) / 2, 3, 3);
    assert_score(score_of(w, &keep, model, test, false), NAN, 1, 3);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

/* ---- Analogies ------------------------------------------------------------------------------- */

static void fast_and_portable_kernels_give_the_same_bits(void **state)
{
    (void)state;
    const pv_analogy_kernels *fast = pv_analogy_kernels_best();
    dice d = {3};
    for (size_t n = 0; n < 80; n++) {
        float a[80], b[80], c[80], sum[2][80] = {{0}}, ratio[2][80] = {{0}};
        float add[2] = {-INFINITY, -INFINITY}, mul[2] = {-INFINITY, -INFINITY};
        for (size_t i = 0; i < 80; i++) {
            a[i] = (float)(2 * dice_unit(&d) - 1);
            b[i] = (float)(2 * dice_unit(&d) - 1);
            c[i] = (float)(2 * dice_unit(&d) - 1);
        }
        float shift = (float)(n % 2);
        fast->prepare(a, b, n, shift, sum[0], ratio[0]);
        pv_analogy_plain.prepare(a, b, n, shift, sum[1], ratio[1]);
        assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
        assert_memory_equal(ratio[0], ratio[1], sizeof ratio[0]);
        fast->largest(sum[0], ratio[0], c, n, shift, &add[0], &mul[0]);
        pv_analogy_plain.largest(sum[0], ratio[0], c, n, shift, &add[1], &mul[1]);
        assert_true(add[0] == add[1] && mul[0] == mul[1]);
    }
}

typedef struct puzzle {
    uint32_t words, dim;
    float *rows, *units;
    pv_analogy *questions;
    size_t count;
} puzzle;

static puzzle make_puzzle(uint32_t words, uint32_t dim, size_t count, uint64_t seed)
{
    puzzle p = {.words = words, .dim = dim, .count = count};
    dice d = {seed};
    p.rows = calloc((size_t)words * dim, sizeof *p.rows);
    p.units = calloc((size_t)words * dim, sizeof *p.units);
    p.questions = calloc(count, sizeof *p.questions);
    assert_true(p.rows && p.units && p.questions);
    for (size_t k = 0; k < (size_t)words * dim; k++)
        p.rows[k] = (float)(dice_unit(&d) - 0.4) * (float)(1 + k / dim % 5);
    for (uint32_t i = 0; i < words; i++)
        pv_unit_vector(p.rows + (size_t)i * dim, dim, p.units + (size_t)i * dim);
    for (size_t q = 0; q < count; q++) {
        uint32_t word[3];
        for (int k = 0; k < 3; k++)
            word[k] = (uint32_t)dice_below(&d, words);
        if (q > 0 && dice_percent(&d, 50)) { /* the same a and b as the previous question */
            word[0] = p.questions[q - 1].a;
            word[1] = p.questions[q - 1].b;
        }
        p.questions[q] = (pv_analogy){
            .a = word[0], .b = word[1], .c = word[2], .excluded = {word[0], word[1], word[2]}};
    }
    return p;
}

static void free_puzzle(puzzle *p)
{
    free(p->rows);
    free(p->units);
    free(p->questions);
}

static double slow_score(const puzzle *p, const pv_analogy *q, uint32_t x, bool mul)
{
    const float *row = p->rows + (size_t)x * p->dim;
    double a = slow_cosine(row, p->rows + (size_t)q->a * p->dim, p->dim);
    double b = slow_cosine(row, p->rows + (size_t)q->b * p->dim, p->dim);
    double c = slow_cosine(row, p->rows + (size_t)q->c * p->dim, p->dim);
    return mul ? (b + 1) * (c + 1) / (a + 1.001) : b - a + c;
}

/* Float and double may disagree on words whose scores are nearly equal. */
static void check_answer(const puzzle *p, const pv_analogy *q, uint32_t candidates, bool mul)
{
    uint32_t answer = mul ? q->mul : q->add;
    double best = -INFINITY;
    assert_true(answer < candidates && answer != q->a && answer != q->b && answer != q->c);
    for (uint32_t x = 0; x < candidates; x++)
        if (x != q->a && x != q->b && x != q->c)
            best = fmax(best, slow_score(p, q, x, mul));
    double found = slow_score(p, q, answer, mul);
    if (!(found >= best - 2e-6 * fmax(1, fabs(best))))
        fail_msg("%s: score %.9f instead of %.9f", mul ? "mul" : "add", found, best);
}

static psdvec_status answer(psdvec_context *ctx, uint32_t dim, const float *rows,
                            uint32_t candidates, const float *units, uint32_t words,
                            pv_analogy *questions, size_t count)
{
    const pv_analogy_space space = {.rows = pv_vector_set_floats(candidates, dim, rows),
                                    .units = units,
                                    .candidates = candidates,
                                    .words = words,
                                    .dim = dim,
                                    .shift = 1};
    return pv_analogies_answer(ctx, &space, questions, count, NULL);
}

static void answers_are_the_best_of_all_words(void **state)
{
    workshop *w = *state;
    const uint32_t sizes[] = {5, 40, 1023, 1024, 1025, 2600};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        puzzle p = make_puzzle(sizes[k], 9, 60, k);
        for (uint32_t candidates = sizes[k]; candidates >= 4; candidates = candidates / 2 - 1) {
            assert_int_equal(
                answer(w->ctx, p.dim, p.rows, candidates, p.units, p.words, p.questions, p.count),
                PSDVEC_OK);
            for (size_t q = 0; q < p.count; q++) {
                check_answer(&p, &p.questions[q], candidates, false);
                check_answer(&p, &p.questions[q], candidates, true);
            }
        }
        free_puzzle(&p);
    }
}

/* The questions have more words than one batch holds. */
static void answers_do_not_depend_on_the_threads_nor_on_the_order(void **state)
{
    workshop *w = *state;
    enum { COUNT = 3000 };
    puzzle one = make_puzzle(2500, 6, COUNT, 9);
    workshop_context(w, UINT64_C(256) << 20, 1);
    assert_int_equal(answer(w->ctx, 6, one.rows, 2500, one.units, 2500, one.questions, COUNT),
                     PSDVEC_OK);
    for (size_t q = 0; q < COUNT; q += 50) {
        check_answer(&one, &one.questions[q], 2500, false);
        check_answer(&one, &one.questions[q], 2500, true);
    }
    for (int threads = 2; threads < 6; threads += 2) {
        puzzle many = make_puzzle(2500, 6, COUNT, 9);
        workshop_context(w, UINT64_C(256) << 20, threads);
        assert_int_equal(
            answer(w->ctx, 6, many.rows, 2500, many.units, 2500, many.questions, COUNT), PSDVEC_OK);
        assert_memory_equal(one.questions, many.questions, COUNT * sizeof(pv_analogy));
        free_puzzle(&many);
    }
    free_puzzle(&one);
}

static void the_earlier_word_wins_a_tie(void **state)
{
    workshop *w = *state;
    enum { WORDS = 60000, DIM = 4 }; /* enough for every worker */
    for (int threads = 1; threads < 5; threads++) {
        puzzle p = make_puzzle(WORDS, DIM, 1, 1);
        workshop_context(w, UINT64_C(256) << 20, threads);
        memset(p.rows, 0, sizeof(float) * WORDS * DIM);
        for (uint32_t i = 0; i < WORDS; i++)
            p.rows[i * DIM + (i < 3 ? i : i % 1700 == 1699 ? 1 : 3)] = 1;
        memcpy(p.units, p.rows, sizeof(float) * WORDS * DIM);
        p.questions[0] = (pv_analogy){.a = 0, .b = 1, .c = 2, .excluded = {0, 1, 2}};
        assert_int_equal(answer(w->ctx, DIM, p.rows, WORDS, p.units, WORDS, p.questions, 1),
                         PSDVEC_OK);
        assert_int_equal(p.questions[0].add, 1699); /* 1699, 3399 and so on are all equal to b */
        assert_int_equal(p.questions[0].mul, 1699);
        free_puzzle(&p);
    }
}

static void without_a_candidate_there_is_no_answer(void **state)
{
    workshop *w = *state;
    puzzle p = make_puzzle(3, 4, 1, 1);
    p.questions[0] = (pv_analogy){.a = 0, .b = 1, .c = 2, .excluded = {0, 1, 2}};
    assert_int_equal(answer(w->ctx, 4, p.rows, 3, p.units, 3, p.questions, 1), PSDVEC_OK);
    assert_true(p.questions[0].add == UINT32_MAX && p.questions[0].mul == UINT32_MAX);
    free_puzzle(&p);
}

/* king = man + royal, and so on; f is far from all other words. */
static const char royal[] = "man 1 0 0 .1\nwoman 0 1 0 .1\nking 1 0 1 .1\nqueen 0 1 1 .1\n"
                            "prince 1 0 1 -.3\nf 0 0 0 -1\n";

static void analogies_count_by_the_rule_for_unknown_words(void **state)
{
    workshop *w = *state;
    psdvec_model *model = model_of(w, royal);
    psdvec_test *test = test_of(w, "man king woman queen\nman woman king queen\n"
                                   "man king woman f\nman king woman x\ny king woman queen\n");
    const double wanted[] = {2 / 3.0, 2 / 5.0, NAN, 2 / 3.0};
    for (int rule = 0; rule < 4; rule++) {
        psdvec_eval_options options = quick((psdvec_unknown)rule);
        psdvec_score add = score_of(w, &options, model, test, false);
        psdvec_score mul = score_of(w, &options, model, test, true);
        assert_int_equal(add.measure, PSDVEC_MEASURE_ADD);
        assert_int_equal(mul.measure, PSDVEC_MEASURE_MUL);
        if (rule == PSDVEC_UNKNOWN_MEAN) { /* the last may be either, the fourth is wrong */
            assert_true(add.value == 2 / 5.0 || add.value == 3 / 5.0);
            assert_true(add.known == 3 && add.total == 5);
            continue;
        }
        assert_score(add, wanted[rule], 3, 5);
        assert_score(mul, wanted[rule], 3, 5);
    }
    psdvec_test_close(test);
    psdvec_model_close(model);
}

static void answers_can_be_restricted_to_the_first_words(void **state)
{
    workshop *w = *state;
    psdvec_model *model = model_of(w, royal);
    psdvec_test *test = test_of(w, "man king woman queen\nking man queen woman\nman king f prince\n"
                                   "man woman king queen\nwoman man queen king\n");
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_DROP);
    options.restrict_words = 4; /* neither prince nor f */
    assert_score(score_of(w, &options, model, test, false), 1, 4, 5);
    options.restrict_words = 3; /* then queen is unknown */
    assert_score(score_of(w, &options, model, test, false), NAN, 0, 5);
    options.restrict_words = 99;
    assert_int_equal(score_of(w, &options, model, test, false).known, 5);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

static void any_of_the_listed_answers_is_right(void **state)
{
    workshop *w = *state;
    psdvec_model *model = model_of(w, royal);
    psdvec_test *test = test_of(w, "man\tking/x\nwoman\tprincess/queen\nf\ty/z\n");
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_DROP);
    /* woman : princess is unknown, and so is every answer for f; man : king, woman : ? remains. */
    assert_score(score_of(w, &options, model, test, false), 1, 1, 6);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

/* ---- Choices --------------------------------------------------------------------------------- */

static void a_choice_is_right_if_it_is_nearer_than_all_others(void **state)
{
    workshop *w = *state;
    psdvec_model *model = model_of(w, "a 1 0 0\nb 2 1 0\nc 1 1 0\nd 0 1 1\ne 4 2 0\nzero 0 0 0\n");
    static const struct {
        const char *text;
        double drop, zero, mean;
    } cases[] = {
        {"a | b | c | d\n", 1, 1, 1},    {"a | c | b | d\n", 0, 0, 0},
        {"a | b | e | d\n", 0, 0, 0},    /* a tie */
        {"zero | b | c | d\n", 0, 0, 0}, /* a zero vector: all cosines are equal */
        {"x | b | c | d\n", NAN, 0, 0},  /* the word is unknown: never right */
        {"a | b | x | d\n", NAN, 0, 1},  /* a choice is unknown */
        {"a | x | b | e\n", NAN, 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        psdvec_test *test = test_of(w, cases[k].text);
        uint32_t known = !isnan(cases[k].drop);
        psdvec_eval_options drop = quick(PSDVEC_UNKNOWN_DROP), zero = quick(PSDVEC_UNKNOWN_ZERO);
        psdvec_eval_options mean = quick(PSDVEC_UNKNOWN_MEAN);
        assert_score(score_of(w, &drop, model, test, false), cases[k].drop, known, 1);
        assert_score(score_of(w, &zero, model, test, false), cases[k].zero, known, 1);
        assert_score(score_of(w, &mean, model, test, false), cases[k].mean, known, 1);
        psdvec_test_close(test);
    }
    psdvec_model_close(model);
}

/* ---- Categories ------------------------------------------------------------------------------ */

static void near_words_are_put_into_one_category(void **state)
{
    workshop *w = *state;
    psdvec_model *model =
        model_of(w, "cat 1 .1 0\ndog 1 0 .1\ncow 1 .1 .1\ncar .1 1 0\nbus 0 1 .1\n");
    psdvec_test *good = test_of(w, "cat\ta\ndog\ta\ncow\ta\ncar\tv\nbus\tv\nx\tv\n");
    psdvec_test *bad = test_of(w, "cat\ta\ndog\tv\ncow\ta\ncar\tv\nbus\ta\nx\tv\n");
    psdvec_eval_options drop = quick(PSDVEC_UNKNOWN_DROP), zero = quick(PSDVEC_UNKNOWN_ZERO);
    assert_score(score_of(w, &drop, model, good, false), 1, 5, 6);
    assert_score(score_of(w, &zero, model, good, false), 5 / 6.0, 5, 6);
    assert_score(score_of(w, &drop, model, bad, false), 3 / 5.0, 5, 6);
    psdvec_test_close(good);
    psdvec_test_close(bad);
    psdvec_model_close(model);
}

/* ---- Which questions are asked --------------------------------------------------------------- */

/* ---- Mistakes -------------------------------------------------------------------------------- */

/* The mistakes of one model; the report is freed by the caller. */
static const psdvec_mistake *mistakes_of(workshop *w, const char *vectors, const char *questions,
                                         uint32_t most, psdvec_report **report, size_t *count)
{
    psdvec_model *model = model_of(w, vectors);
    psdvec_test *test = test_of(w, questions);
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_DROP);
    options.mistakes = most;
    *report = evaluate(w, &options, &model, 1, test);
    psdvec_test_close(test); /* the texts are those of the report */
    psdvec_model_close(model);
    return psdvec_report_mistakes(*report, count);
}

static void mistakes_of_similarities_are_differences_of_ranks(void **state)
{
    psdvec_report *report;
    size_t count;
    /* Cosines with a: b 1, c about 0.7, d 0. By people d is the most similar. */
    const psdvec_mistake *m = mistakes_of(*state, "a 1 0\nb 2 0\nc 1 1\nd 0 1\n",
                                          "a b 5\na c 4\na d 9\na unknown 1\n", 10, &report,
                                          &count);
    assert_int_equal(count, 3);
    assert_string_equal(m[0].question, "a d");
    assert_true(m[0].expected_rank == 1 && m[0].answer_rank == 3 && m[0].loss == 1);
    assert_null(m[0].expected);
    assert_null(m[0].answer);
    assert_true(m[1].loss == 0.5 && m[2].loss == 0.5);
    assert_string_equal(m[1].question, "a b"); /* ties keep the order of the set */
    assert_int_equal(m[1].section, PSDVEC_SECTION_WHOLE);
    psdvec_report_free(report);
    m = mistakes_of(*state, "a 1 0\nb 2 0\nc 1 1\nd 0 1\n", "a b 5\na c 4\na d 1\n", 10, &report,
                    &count);
    assert_int_equal(count, 0); /* the same order */
    psdvec_report_free(report);
}

static void mistakes_of_analogies_have_the_answer_and_the_margin(void **state)
{
    psdvec_report *report;
    size_t count;
    /* b - a + c is in the direction of `near`; `right` is expected. */
    const psdvec_mistake *m =
        mistakes_of(*state, "a 1 0 0\nb 0 1 0\nc 0 0 1\nnear -1 1 1\nright 0 1 1\nfar 1 -1 -1\n",
                    ": one\na b c right\n: two\na b c near\na b c far\n", 10, &report, &count);
    assert_int_equal(count, 2);
    assert_string_equal(m[0].question, "a b c");
    assert_string_equal(m[0].expected, "far");
    assert_string_equal(m[0].answer, "near");
    assert_int_equal(m[0].section, 1);
    assert_true(fabs(m[0].loss - 6 / sqrt(3)) < 1e-6);
    assert_string_equal(m[1].expected, "right");
    assert_true(fabs(m[1].loss - (3 / sqrt(3) - 2 / sqrt(2))) < 1e-6);
    assert_true(isnan(m[1].expected_rank));
    psdvec_report_free(report);
    mistakes_of(*state, "a 1 0 0\nb 0 1 0\nc 0 0 1\nnear -1 1 1\nright 0 1 1\nfar 1 -1 -1\n",
                "a b c right\na b c far\n", 1, &report, &count);
    assert_int_equal(count, 1);
    psdvec_report_free(report);
}

static void mistakes_of_choices_have_the_word_that_was_chosen(void **state)
{
    psdvec_report *report;
    size_t count;
    const psdvec_mistake *m = mistakes_of(*state, "a 1 0\nb 1 0\nc 0 1\nd 1 1\n",
                                          "a | c | b | d\na | b | c | d\n", 10, &report, &count);
    assert_int_equal(count, 1);
    assert_string_equal(m[0].expected, "c");
    assert_string_equal(m[0].answer, "b");
    assert_true(fabs(m[0].loss - 1) < 1e-6);
    psdvec_report_free(report);
}

static void mistakes_of_categories_are_words_in_other_clusters(void **state)
{
    psdvec_report *report;
    size_t count;
    const psdvec_mistake *m = mistakes_of(
        *state, "cat 1 0\ndog 1 0.01\ncow 1 0.02\noak 0 1\nfir 0.01 1\nelm 1 0.03\n",
        "cat animal\ndog animal\ncow animal\noak tree\nfir tree\nelm tree\n", 10, &report, &count);
    assert_int_equal(count, 1);
    assert_string_equal(m[0].question, "elm");
    assert_string_equal(m[0].expected, "tree");
    assert_string_equal(m[0].answer, "animal");
    assert_true(m[0].loss == 0.75);
    psdvec_report_free(report);
}

static void common_questions_have_words_of_every_model(void **state)
{
    workshop *w = *state;
    psdvec_model *models[] = {model_of(w, "a 1 0 0\nb 0 1 0\nc 1 1 0\nd 1 2 3\n"),
                              model_of(w, "a 1 0 0\nc 0 1 0\nd 1 1 0\ne 1 2 3\n")};
    psdvec_test *test = test_of(w, "a b 1\na c 2\nc d 3\na d 4\nd e 5\n");
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_ZERO);
    for (int common = 0; common < 2; common++) {
        size_t count;
        options.common = common;
        psdvec_report *report = evaluate(w, &options, models, 2, test);
        const psdvec_score *scores = psdvec_report_scores(report, &count);
        assert_int_equal(count, 2);
        for (uint32_t m = 0; m < 2; m++) {
            assert_int_equal(scores[m].model, m);
            assert_int_equal(scores[m].known, common ? 3 : 4);
            assert_int_equal(scores[m].total, common ? 3 : 5);
        }
        const psdvec_difference *d = psdvec_report_differences(report, &count);
        assert_int_equal(count, 1);
        assert_int_equal(d[0].questions, 3);
        psdvec_report_free(report);
    }
    psdvec_test_close(test);
    psdvec_model_close(models[0]);
    psdvec_model_close(models[1]);
}

static psdvec_test *random_pairs(workshop *w, int pairs, uint32_t words, const char *section)
{
    pv_buffer text;
    dice d = {4};
    pv_buffer_init(&text, w->ctx);
    for (int k = 0; k < pairs; k++) {
        if (section && (k == 0 || k == pairs / 3))
            assert_int_equal(pv_buffer_printf(&text, ": %s %d\n", section, k), PSDVEC_OK);
        assert_int_equal(pv_buffer_printf(&text, "w%u w%u %u\n", (unsigned)dice_below(&d, words),
                                          (unsigned)dice_below(&d, words),
                                          (unsigned)dice_below(&d, 20)),
                         PSDVEC_OK);
    }
    assert_int_equal(pv_buffer_byte(&text, '\0'), PSDVEC_OK);
    psdvec_test *test = test_of(w, text.data);
    pv_buffer_free(&text);
    return test;
}

static void the_halves_divide_a_set(void **state)
{
    workshop *w = *state;
    psdvec_model *model = random_model(w, 50, 5, 2, 0);
    psdvec_test *test = random_pairs(w, 400, 60, NULL);
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_DROP);
    psdvec_score scores[3];
    for (int half = 0; half < 3; half++) {
        options.half = (psdvec_half)half;
        scores[half] = score_of(w, &options, model, test, false);
    }
    uint32_t even = 0;
    for (uint32_t q = 0; q < 400; q++)
        even += test->questions[q].hash % 2 == 0;
    assert_int_equal(scores[1].total, even);
    assert_int_equal(scores[1].total + scores[2].total, 400);
    assert_int_equal(scores[1].known + scores[2].known, scores[0].known);
    assert_true(scores[1].total > 150 && scores[2].total > 150);
    assert_true(scores[1].value != scores[2].value);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

/* ---- The report ------------------------------------------------------------------------------ */

static void a_report_goes_by_test_section_measure_and_model(void **state)
{
    workshop *w = *state;
    psdvec_model *model = model_of(w, royal), *other = model_of(w, royal);
    const psdvec_model *models[] = {model, other};
    psdvec_test *first = test_of(w, ": s\nman king woman queen\n: t\nman woman king queen\n");
    psdvec_test *second = test_of(w, "man woman 1\nking queen 2\n");
    const psdvec_test *tests[] = {first, second};
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_DROP);
    psdvec_report *report;
    size_t count;
    assert_int_equal(psdvec_eval(w->ctx, &options, models, 2, tests, 2, &report), PSDVEC_OK);
    const psdvec_score *s = psdvec_report_scores(report, &count);
    assert_int_equal(count, 3 * 2 * 2 + 2);
    for (size_t k = 0; k < 12; k++) {
        assert_int_equal(s[k].test, 0);
        assert_int_equal(s[k].section, (int)(k / 4) - 1);
        assert_int_equal(s[k].measure, k / 2 % 2 ? PSDVEC_MEASURE_MUL : PSDVEC_MEASURE_ADD);
        assert_int_equal(s[k].model, k % 2);
        assert_int_equal(s[k].total, k < 4 ? 2 : 1);
        assert_true(s[k].value == 1 && isnan(s[k].low) && isnan(s[k].high));
    }
    assert_true(s[12].test == 1 && s[12].measure == PSDVEC_MEASURE_SPEARMAN && s[13].model == 1);
    const psdvec_difference *d = psdvec_report_differences(report, &count);
    assert_int_equal(count, 3);
    assert_true(d[0].first == 0 && d[0].second == 1 && d[0].difference == 0 && d[0].p == 1);
    assert_true(!d[0].significant && d[1].measure == PSDVEC_MEASURE_MUL && d[2].test == 1);
    assert_true(isnan(d[2].p)); /* nothing was resampled */
    psdvec_report_free(report);
    psdvec_test_close(first);
    psdvec_test_close(second);
    psdvec_model_close(model);
    psdvec_model_close(other);
}

/* The ratings agree with the first model; the second is noise. */
static void sections_whose_names_begin_with_gram_are_the_syntactic_part(void **state)
{
    workshop *w = *state;
    static const struct {
        int32_t section;
        double value;
        uint32_t questions;
    } wanted[] = {{PSDVEC_SECTION_WHOLE, 0.5, 4},
                  {PSDVEC_SECTION_SEMANTIC, 1, 1},
                  {PSDVEC_SECTION_SYNTACTIC, 1.0 / 3, 3},
                  {0, 1, 1},
                  {1, 0, 2},
                  {2, 1, 1}};
    psdvec_model *model =
        model_of(w, "man 1 0 0\nwoman 0 1 0\nking 1 0 1\nqueen 0 1 1\nboy 1 0 -1\n");
    psdvec_test *test = test_of(w, ": family\nman king woman queen\n"
                                   ": gram1-wrong\nman king woman boy\nman king queen boy\n"
                                   ": gram2-right\nman king woman queen\n");
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_DROP);
    size_t count;
    psdvec_report *report = evaluate(w, &options, &model, 1, test);
    const psdvec_score *scores = psdvec_report_scores(report, &count);
    assert_int_equal(count, 12); /* two measures each */
    for (size_t k = 0; k < 6; k++) {
        assert_int_equal(scores[2 * k].section, wanted[k].section);
        assert_score(scores[2 * k], wanted[k].value, wanted[k].questions, wanted[k].questions);
    }
    psdvec_report_free(report);
    psdvec_test_close(test);
    /* If all sections are of one kind, there are no parts. */
    test = test_of(w, ": gram1\nman king woman queen\n: gram2\nman king woman queen\n");
    report = evaluate(w, &options, &model, 1, test);
    psdvec_report_scores(report, &count);
    assert_int_equal(count, 6);
    psdvec_report_free(report);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

static void a_clear_difference_is_significant_and_none_is_not(void **state)
{
    workshop *w = *state;
    enum { PAIRS = 150, DIM = 5 };
    psdvec_model *models[] = {random_model(w, 60, DIM, 1, 0), random_model(w, 60, DIM, 2, 0),
                              random_model(w, 60, DIM, 1, 0)};
    char text[PAIRS * 40], *at = text;
    dice d = {8};
    for (int k = 0; k < PAIRS; k++) {
        uint32_t i = (uint32_t)dice_below(&d, 60), j = (uint32_t)dice_below(&d, 60);
        double cosine =
            slow_cosine(psdvec_model_vector(models[0], i), psdvec_model_vector(models[0], j), DIM);
        at += sprintf(at, "w%u w%u %.3f\n", i, j, cosine + dice_unit(&d));
    }
    psdvec_test *test = test_of(w, text);
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_DROP);
    options.resamples = 1000;
    psdvec_report *report = evaluate(w, &options, models, 3, test);
    size_t count;
    const psdvec_score *scores = psdvec_report_scores(report, &count);
    const psdvec_difference *differences = psdvec_report_differences(report, &count);
    for (int m = 0; m < 3; m++)
        assert_true(scores[m].low < scores[m].value && scores[m].value < scores[m].high);
    assert_int_equal(count, 3); /* 0-1, 0-2, 1-2 */
    assert_true(fabs(differences[0].difference - (scores[0].value - scores[1].value)) < 1e-15);
    assert_true(differences[0].significant && differences[0].p < 0.01);
    assert_true(!differences[1].significant && differences[1].p == 1);
    assert_true(differences[1].difference == 0);
    assert_true(differences[2].significant && differences[2].difference < 0);
    psdvec_report_free(report);
    psdvec_test_close(test);
    for (int m = 0; m < 3; m++)
        psdvec_model_close(models[m]);
}

static void a_report_does_not_depend_on_the_threads(void **state)
{
    workshop *w = *state;
    psdvec_score scores[8];
    psdvec_difference differences[4];
    for (int threads = 1; threads <= 4; threads += 3) {
        workshop_context(w, UINT64_C(256) << 20, threads);
        psdvec_model *models[] = {random_model(w, 60, 5, 1, 0), random_model(w, 60, 5, 2, 0.3)};
        psdvec_test *test = random_pairs(w, 300, 70, "part");
        psdvec_eval_options options = quick(PSDVEC_UNKNOWN_MEAN);
        size_t count;
        options.resamples = 300;
        psdvec_report *report = evaluate(w, &options, models, 2, test);
        const psdvec_score *s = psdvec_report_scores(report, &count);
        assert_int_equal(count, 3 * 2);
        if (threads == 1)
            memcpy(scores, s, count * sizeof *s);
        assert_memory_equal(scores, s, count * sizeof *s);
        const psdvec_difference *d = psdvec_report_differences(report, &count);
        assert_int_equal(count, 1);
        if (threads == 1)
            memcpy(differences, d, count * sizeof *d);
        assert_memory_equal(differences, d, count * sizeof *d);
        psdvec_report_free(report);
        psdvec_test_close(test);
        psdvec_model_close(models[0]);
        psdvec_model_close(models[1]);
    }
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void options_out_of_range_are_refused(void **state)
{
    workshop *w = *state;
    psdvec_model *model = model_of(w, royal);
    psdvec_test *test = test_of(w, "man woman 1\n");
    const psdvec_model *models[] = {model};
    const psdvec_test *tests[] = {test};
    psdvec_report *report;
    psdvec_eval_options good, bad[5];
    psdvec_eval_options_default(&good);
    for (int k = 0; k < 5; k++)
        bad[k] = good;
    bad[0].confidence = 0;
    bad[1].confidence = NAN;
    bad[2].unknown = (psdvec_unknown)9;
    bad[3].half = (psdvec_half)3;
    bad[4].resamples = UINT32_MAX;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(psdvec_eval(w->ctx, &bad[k], models, 1, tests, 1, &report),
                         PSDVEC_ERR_OPTION);
        assert_null(report);
    }
    assert_int_equal(psdvec_eval(w->ctx, &good, models, 0, tests, 1, &report), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_eval(w->ctx, &good, models, 1, tests, 0, &report), PSDVEC_ERR_OPTION);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

static void evaluation_can_be_cancelled_at_any_moment(void **state)
{
    workshop *w = *state;
    psdvec_model *model = random_model(w, 60, 5, 1, 0);
    psdvec_test *test = random_pairs(w, 100, 60, NULL);
    const psdvec_model *models[] = {model, model};
    const psdvec_test *tests[] = {test};
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_MEAN);
    options.resamples = 200;
    bool finished = false;
    uint32_t none;
    assert_false(psdvec_model_find(model, "x", 1, &none)); /* builds its index */
    uint64_t before = atomic_load(&w->ctx->memory_used);
    for (int polls = 0; !finished && polls < 1000; polls++) {
        psdvec_report *report;
        atomic_store(&w->polls_left, polls);
        psdvec_status status = psdvec_eval(w->ctx, &options, models, 2, tests, 1, &report);
        finished = status == PSDVEC_OK;
        assert_true(finished || (status == PSDVEC_ERR_CANCELLED && !report));
        psdvec_report_free(report);
        assert_true(polls > 0 || !finished);
        assert_true(atomic_load(&w->ctx->memory_used) == before);
    }
    assert_true(finished);
    psdvec_test_close(test);
    psdvec_model_close(model);
}

static void too_little_memory_is_a_clean_failure(void **state)
{
    workshop *w = *state;
    static const char *const texts[] = {
        "man woman 1\nking queen 2\nman king 3\n", "man king woman queen\nman woman king queen\n",
        "man | king | woman\n", "man\ta\nking\ta\nqueen\tb\nwoman\tb\n"};
    psdvec_model *model = model_of(w, royal);
    const psdvec_model *models[] = {model, model};
    psdvec_eval_options options = quick(PSDVEC_UNKNOWN_MEAN);
    uint32_t none;
    options.resamples = 100;
    assert_false(psdvec_model_find(model, "x", 1, &none)); /* builds its index */
    for (int k = 0; k < 4; k++) {
        psdvec_test *test = test_of(w, texts[k]);
        const psdvec_test *tests[] = {test};
        uint64_t before = atomic_load(&w->ctx->memory_used), memory = w->ctx->options.memory;
        bool fitted = false;
        for (uint64_t more = 256; !fitted && more < memory; more += more / 4) {
            psdvec_report *report;
            w->ctx->options.memory = before + more;
            psdvec_status status = psdvec_eval(w->ctx, &options, models, 2, tests, 1, &report);
            fitted = status == PSDVEC_OK;
            assert_true(fitted || (status == PSDVEC_ERR_BUDGET && !report));
            psdvec_report_free(report);
            assert_true(atomic_load(&w->ctx->memory_used) == before);
        }
        assert_true(fitted);
        w->ctx->options.memory = memory;
        psdvec_test_close(test);
    }
    psdvec_model_close(model);
}

static void vectors_that_cannot_be_normalised_become_zero(void **state)
{
    (void)state;
    const float odd[3][3] = {{0, 0, 0}, {1, NAN, 2}, {1, INFINITY, 2}};
    float unit[3];
    for (int k = 0; k < 3; k++) {
        pv_unit_vector(odd[k], 3, unit);
        assert_true(unit[0] == 0 && unit[1] == 0 && unit[2] == 0);
    }
    const float fine[] = {0, 3, 4};
    pv_unit_vector(fine, 3, unit);
    assert_true(unit[0] == 0 && unit[1] == 0.6f && unit[2] == 0.8f);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        TEST(similarity_is_the_rank_correlation_of_cosines),
        TEST(the_mean_vector_replaces_unknown_words_on_request),
        TEST(words_without_any_spelling_are_dropped),
        TEST(words_are_looked_up_unchanged_and_then_in_lower_case),
        TEST(fast_and_portable_kernels_give_the_same_bits),
        TEST(answers_are_the_best_of_all_words),
        TEST(answers_do_not_depend_on_the_threads_nor_on_the_order),
        TEST(the_earlier_word_wins_a_tie),
        TEST(without_a_candidate_there_is_no_answer),
        TEST(analogies_count_by_the_rule_for_unknown_words),
        TEST(answers_can_be_restricted_to_the_first_words),
        TEST(any_of_the_listed_answers_is_right),
        TEST(a_choice_is_right_if_it_is_nearer_than_all_others),
        TEST(near_words_are_put_into_one_category),
        TEST(mistakes_of_similarities_are_differences_of_ranks),
        TEST(mistakes_of_analogies_have_the_answer_and_the_margin),
        TEST(mistakes_of_choices_have_the_word_that_was_chosen),
        TEST(mistakes_of_categories_are_words_in_other_clusters),
        TEST(common_questions_have_words_of_every_model),
        TEST(the_halves_divide_a_set),
        TEST(a_report_goes_by_test_section_measure_and_model),
        TEST(sections_whose_names_begin_with_gram_are_the_syntactic_part),
        TEST(a_clear_difference_is_significant_and_none_is_not),
        TEST(a_report_does_not_depend_on_the_threads),
        TEST(options_out_of_range_are_refused),
        TEST(evaluation_can_be_cancelled_at_any_moment),
        TEST(too_little_memory_is_a_clean_failure),
        TEST(vectors_that_cannot_be_normalised_become_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
