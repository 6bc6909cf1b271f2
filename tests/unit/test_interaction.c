/* The interaction of three words: counts against a simple loop, figures against their definitions,
 * texts whose interaction is known, and the same bits for any number of threads and any memory. */
#include "count/provenance.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 9 };

static const uint32_t unknown = UINT32_MAX - 1, border = UINT32_MAX;

static void *must(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (!block)
        abort();
    return block;
}

/* ---- Models and texts ------------------------------------------------------------------------ */

/* A model of the words w0, w1, ... with these counting options. */
static psdvec_model *model_of(workshop *w, uint32_t words, const psdvec_count_options *options)
{
    sample s;
    pv_provenance provenance;
    char json[4000];
    sample_make(&s, words, 2, 1);
    pv_provenance_init(&provenance, w->ctx);
    assert_int_equal(pv_provenance_set(&provenance, options), PSDVEC_OK);
    snprintf(json, sizeof json, "{\"settings\": %s}", provenance.settings);
    s.data.counts_json = json;
    psdvec_model *model = open_sample(w, &s);
    pv_provenance_free(&provenance);
    sample_free(&s);
    return model;
}

static psdvec_count_options plain_options(uint32_t window)
{
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    options.window = window;
    options.text.digits = PSDVEC_DIGITS_KEEP;
    return options;
}

/* A text as tokens and as a file: words w0 ..., unknown words, document boundaries. */
typedef struct text {
    uint32_t *tokens; /* as the window counts them */
    size_t count;
    FILE *file;
} text;

static text text_open(workshop *w, size_t most)
{
    text t = {.tokens = must(most, sizeof *t.tokens), .file = fopen(w->in, "w")};
    assert_non_null(t.file);
    return t;
}

static void text_word(text *t, uint32_t word, psdvec_oov oov)
{
    if (word == unknown)
        fputs("x ", t->file);
    else
        fprintf(t->file, "w%u ", word);
    if (word != unknown || oov == PSDVEC_OOV_KEEP)
        t->tokens[t->count++] = word;
}

static void text_line(text *t)
{
    fputs("\n", t->file);
    t->tokens[t->count++] = border;
}

static void text_close(text *t)
{
    assert_int_equal(fclose(t->file), 0);
    t->file = NULL;
}

/* Words of different frequencies in a preferred order; some are unknown. */
static text random_text(workshop *w, size_t most, uint32_t words, psdvec_oov oov, uint64_t seed)
{
    text t = text_open(w, 2 * most + 2);
    dice d = {seed};
    uint32_t last = 0;
    for (size_t k = 0; k < most; k++) {
        uint32_t word = (uint32_t)(dice_unit(&d) * dice_unit(&d) * words);
        if (dice_percent(&d, 30))
            word = (2 * last + 1) % words;
        last = word;
        text_word(&t, dice_percent(&d, 10) ? unknown : word, oov);
        if (dice_percent(&d, 4))
            text_line(&t);
    }
    text_line(&t);
    text_close(&t);
    return t;
}

/* ---- Reference implementation ---------------------------------------------------------------- */

/* Visits every position by three loops; cells[a][b][c], n x n x n. */
static uint64_t *plain_cells(const text *t, uint32_t n, uint32_t window)
{
    uint64_t *cells = must((size_t)n * n * n, sizeof *cells);
    for (size_t i = 0; i < t->count; i++)
        for (size_t j = i + 1; j < t->count && j < i + window; j++)
            for (size_t k = j + 1; k < t->count && k <= i + window; k++) {
                bool whole = true;
                for (size_t between = i; between <= k; between++)
                    whole &= t->tokens[between] != border;
                uint32_t a = t->tokens[i], b = t->tokens[j], c = t->tokens[k];
                if (whole && a < n && b < n && c < n)
                    cells[((size_t)a * n + b) * n + c]++;
            }
    return cells;
}

/* The sum of the cells with these words; UINT32_MAX: any word. */
static double total(const uint64_t *cells, uint32_t n, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < n; k++)
                if ((a == i || a == UINT32_MAX) && (b == j || b == UINT32_MAX) &&
                    (c == k || c == UINT32_MAX))
                    sum += cells[((size_t)i * n + j) * n + k];
    return (double)sum;
}

static void plain_figures(const uint64_t *cells, uint32_t n, const uint32_t *words,
                          psdvec_interaction *out)
{
    const uint32_t any = UINT32_MAX;
    uint32_t a = words[0], b = words[1], c = words[2];
    double all = total(cells, n, any, any, any), abc = total(cells, n, a, b, c);
    double ab = total(cells, n, a, b, any), ac = total(cells, n, a, any, c);
    double bc = total(cells, n, any, b, c), pa = total(cells, n, a, any, any);
    double pb = total(cells, n, any, b, any), pc = total(cells, n, any, any, c);
    *out = (psdvec_interaction){.words = {a, b, c},
                                .count = (uint64_t)abc,
                                .pairs = {(uint64_t)ab, (uint64_t)ac, (uint64_t)bc},
                                .singles = {(uint64_t)pa, (uint64_t)pb, (uint64_t)pc}};
    out->pmi[0] = log(ab / all) - log(pa / all) - log(pb / all);
    out->pmi[1] = log(ac / all) - log(pa / all) - log(pc / all);
    out->pmi[2] = log(bc / all) - log(pb / all) - log(pc / all);
    out->joint = log(abc / all) - log(ab / all) - log(pc / all);
    out->information = out->joint - out->pmi[1] - out->pmi[2];
    /* The variance of the estimate's gradient for one draw, divided by the number of draws. */
    double square = 0, mean = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < n; k++) {
                double p = (double)cells[((size_t)i * n + j) * n + k] / all;
                bool A = i == a, B = j == b, C = k == c;
                double u = (A && B && C) / (abc / all) - (A && B) / (ab / all) -
                           (A && C) / (ac / all) - (B && C) / (bc / all) + A / (pa / all) +
                           B / (pb / all) + C / (pc / all);
                square += p * u * u;
                mean += p * u;
            }
    out->error = sqrt((square - mean * mean) / all);
}

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-12 * (1 + fabs(wanted))) && !(isnan(got) && isnan(wanted)))
        fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static void assert_same_figures(const psdvec_interaction *got, const psdvec_interaction *wanted)
{
    for (int k = 0; k < 3; k++) {
        assert_true(got->words[k] == wanted->words[k]);
        assert_true(got->pairs[k] == wanted->pairs[k]);
        assert_true(got->singles[k] == wanted->singles[k]);
        assert_near(got->pmi[k], wanted->pmi[k]);
    }
    assert_true(got->count == wanted->count);
    assert_near(got->joint, wanted->joint);
    assert_near(got->information, wanted->information);
    if (fabs(got->error - wanted->error) > 1e-9) /* a difference of nearly equal numbers */
        fail_msg("error %.17g, wanted %.17g", got->error, wanted->error);
}

/* Field by field: padding bytes may differ. */
static void assert_same_bits(const psdvec_interaction *x, const psdvec_interaction *y)
{
    assert_memory_equal(x->words, y->words, sizeof x->words);
    assert_memory_equal(x->pairs, y->pairs, sizeof x->pairs);
    assert_memory_equal(x->singles, y->singles, sizeof x->singles);
    assert_memory_equal(x->pmi, y->pmi, sizeof x->pmi);
    assert_true(x->count == y->count && x->joint == y->joint);
    assert_true(x->information == y->information && x->error == y->error);
}

static int by_information(const void *a, const void *b)
{
    const psdvec_interaction *x = a, *y = b;
    return (x->information > y->information) - (x->information < y->information);
}

/* The report of triples in any order that occur at least `least` times; sorts them. */
static psdvec_interaction_report plain_report(psdvec_interaction *of, size_t count, uint64_t least)
{
    static const double shares[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    psdvec_interaction_report r = {0};
    double weight = 0, cross = 0, square = 0;
    qsort(of, count, sizeof *of, by_information);
    for (size_t k = 0; k < count; k++) {
        double n = (double)of[k].count, sum = of[k].pmi[1] + of[k].pmi[2];
        if (of[k].count < least)
            continue;
        r.triples++;
        r.occurrences += of[k].count;
        r.mean += n * of[k].information;
        r.mean_absolute += n * fabs(of[k].information);
        r.within_half += fabs(of[k].information) <= 0.5 ? n : 0;
        r.sum_absolute += n * fabs(sum);
        cross += n * sum * of[k].joint;
        square += n * sum * sum;
    }
    double all = (double)r.occurrences;
    r.mean /= all;
    r.mean_absolute /= all;
    r.within_half /= all;
    r.sum_absolute /= all;
    r.slope = cross / square;
    for (int q = 0; q < 5; q++) {
        weight = 0;
        for (size_t k = 0; k < count; k++) {
            weight += of[k].count >= least ? (double)of[k].count : 0;
            r.quantiles[q] = of[k].information;
            if (of[k].count >= least && weight >= shares[q] * all - 1e-6)
                break;
        }
    }
    return r;
}

/* The formulas of Appendix B: expectations over the distribution of the cells that occur at least
 * `least` times. */
static psdvec_information plain_information(const psdvec_interaction *of, size_t count,
                                            uint32_t words, uint64_t least)
{
    psdvec_information r = {0};
    double all = 0;
    for (size_t k = 0; k < count; k++)
        all += of[k].count >= least ? (double)of[k].count : 0;
    for (uint32_t c = 0; c < words; c++) {
        double share = 0, given[2] = {0, 0}; /* P(c); E[PMI(c; a) | c], E[PMI(c; b) | c] */
        for (size_t k = 0; k < count; k++) {
            double p = (double)of[k].count / all;
            if (of[k].count < least || of[k].words[2] != c)
                continue;
            share += p;
            given[0] += p * of[k].pmi[1];
            given[1] += p * of[k].pmi[2];
            r.first += p * of[k].pmi[1];
            r.second += p * of[k].pmi[2];
            r.both += p * of[k].joint;
        }
        if (share > 0)
            r.redundant += share * fmin(given[0] / share, given[1] / share);
    }
    r.interaction = r.both - r.first - r.second;
    r.synergistic = r.interaction + r.redundant;
    return r;
}

static void assert_same_information(const psdvec_information *got, const psdvec_information *wanted)
{
    assert_near(got->first, wanted->first);
    assert_near(got->second, wanted->second);
    assert_near(got->both, wanted->both);
    assert_near(got->redundant, wanted->redundant);
    assert_near(got->synergistic, wanted->synergistic);
    assert_near(got->interaction, wanted->interaction);
}

static void assert_same_report(const psdvec_interaction_report *got,
                               const psdvec_interaction_report *wanted)
{
    assert_true(got->triples == wanted->triples);
    assert_true(got->occurrences == wanted->occurrences);
    assert_near(got->mean, wanted->mean);
    assert_near(got->mean_absolute, wanted->mean_absolute);
    assert_near(got->within_half, wanted->within_half);
    assert_near(got->sum_absolute, wanted->sum_absolute);
    assert_near(got->slope, wanted->slope);
    for (int q = 0; q < 5; q++)
        assert_near(got->quantiles[q], wanted->quantiles[q]);
}

/* ---- Comparison with the reference ----------------------------------------------------------- */

static void measure(workshop *w, psdvec_model *m, uint32_t window, size_t most, uint64_t least,
                    psdvec_interaction *out, size_t *found, psdvec_interaction_report *report,
                    psdvec_information *information)
{
    const char *input = w->in;
    psdvec_status status = psdvec_interactions_full(w->ctx, m, &input, 1, window, NULL, 0, most,
                                                    least, out, found, report, information);
    if (status != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
}

static void compare_with_plain(workshop *w, uint32_t window, psdvec_oov oov, uint64_t least,
                               uint64_t seed)
{
    enum { MOST = WORDS * WORDS * WORDS };
    psdvec_count_options options = plain_options(window);
    options.oov = oov;
    psdvec_model *m = model_of(w, WORDS, &options);
    text t = random_text(w, 1500, WORDS, oov, seed);
    uint64_t *cells = plain_cells(&t, WORDS, window);
    psdvec_interaction *got = must(MOST, sizeof *got), *wanted = must(MOST, sizeof *wanted);
    psdvec_interaction_report report;
    psdvec_information information;
    size_t found, seen = 0;
    measure(w, m, 0, MOST, least, got, &found, &report, &information);
    for (uint32_t k = 0; k < MOST; k++) {
        const uint32_t words[] = {k / WORDS / WORDS, k / WORDS % WORDS, k % WORDS};
        if (cells[k] >= least)
            plain_figures(cells, WORDS, words, &wanted[seen++]);
    }
    assert_true(seen > 20);
    assert_int_equal(found, seen);
    assert_int_equal(report.window, window);
    assert_true((double)report.places == total(cells, WORDS, UINT32_MAX, UINT32_MAX, UINT32_MAX));
    for (size_t k = 0; k < found; k++) {
        psdvec_interaction plain;
        plain_figures(cells, WORDS, got[k].words, &plain);
        assert_same_figures(&got[k], &plain);
        if (k > 0) { /* most frequent first, ties by rank */
            const uint32_t *x = got[k - 1].words, *y = got[k].words;
            uint32_t before = (x[0] * WORDS + x[1]) * WORDS + x[2];
            uint32_t here = (y[0] * WORDS + y[1]) * WORDS + y[2];
            assert_true(got[k - 1].count > got[k].count ||
                        (got[k - 1].count == got[k].count && before < here));
        }
    }
    psdvec_interaction_report plain = plain_report(wanted, seen, least);
    assert_same_report(&report, &plain);
    psdvec_information formulas = plain_information(wanted, seen, WORDS, least);
    assert_same_information(&information, &formulas);
    assert_true(formulas.redundant <= fmin(formulas.first, formulas.second) + 1e-12);
    free(t.tokens);
    free(cells);
    free(got);
    free(wanted);
    psdvec_model_close(m);
}

static void results_agree_with_three_nested_loops(void **state)
{
    workshop *w = *state;
    compare_with_plain(w, 2, PSDVEC_OOV_KEEP, 1, 1);
    compare_with_plain(w, 3, PSDVEC_OOV_DROP, 1, 2);
    compare_with_plain(w, 4, PSDVEC_OOV_KEEP, 7, 3);
    compare_with_plain(w, 10, PSDVEC_OOV_DROP, 20, 4);
    compare_with_plain(w, 25, PSDVEC_OOV_KEEP, 1, 5);
}

static void windows_end_where_sentences_do_if_the_model_counted_so(void **state)
{
    workshop *w = *state;
    static const char prose[] = "W0 w1 w2. W0 w1. W2 w1 w2 w0.\n";
    const char *input = w->in;
    const uint32_t asked[][3] = {{0, 1, 2}, {1, 0, 1}};
    psdvec_interaction out[2];
    scratch_write(w->in, prose, strlen(prose));
    for (int sentences = 0; sentences < 2; sentences++) {
        psdvec_count_options options = plain_options(2);
        options.text.sentences = sentences != 0;
        psdvec_model *m = model_of(w, 3, &options);
        assert_int_equal(
            psdvec_interactions(w->ctx, m, &input, 1, 0, asked, 2, 0, 1, out, NULL, NULL),
            PSDVEC_OK);
        assert_int_equal(out[0].count, sentences ? 1 : 2);
        assert_int_equal(out[1].count, 0);
        psdvec_model_close(m);
    }
}

static void a_requested_triple_is_measured_like_all_others(void **state)
{
    workshop *w = *state;
    enum { N = 5, MOST = N * N * N };
    psdvec_count_options options = plain_options(4);
    psdvec_model *m = model_of(w, N + 1, &options); /* w5 does not occur */
    text t = random_text(w, 800, N, PSDVEC_OOV_KEEP, 7);
    psdvec_interaction all[MOST], one[2];
    const char *input = w->in;
    size_t found;
    measure(w, m, 0, MOST, 1, all, &found, NULL, NULL);
    assert_true(found > 50);
    for (size_t k = 0; k < found; k++) {
        const uint32_t asked[][3] = {{all[k].words[0], all[k].words[1], all[k].words[2]},
                                     {all[k].words[0], all[k].words[1], N}};
        size_t count = 0;
        psdvec_interaction_report report;
        assert_int_equal(
            psdvec_interactions(w->ctx, m, &input, 1, 0, asked, 2, 0, 1, one, &count, &report),
            PSDVEC_OK);
        assert_int_equal(count, 2);
        assert_same_bits(&one[0], &all[k]);
        assert_true(one[1].count == 0 && isnan(one[1].information) && isnan(one[1].error));
        assert_true(isnan(one[1].joint) && isnan(one[1].pmi[2]) && one[1].pairs[0] > 0);
        assert_true(isnan(report.mean) && report.places > 0 && report.known < report.tokens);
    }
    free(t.tokens);
    psdvec_model_close(m);
}

static void the_most_frequent_are_the_first_of_all(void **state)
{
    workshop *w = *state;
    enum { MOST = WORDS * WORDS * WORDS };
    psdvec_count_options options = plain_options(3);
    psdvec_model *m = model_of(w, WORDS, &options);
    text t = random_text(w, 1500, WORDS, PSDVEC_OOV_KEEP, 9);
    psdvec_interaction *all = must(MOST, sizeof *all), few[50];
    psdvec_interaction_report of_all, of_few;
    size_t found;
    measure(w, m, 0, MOST, 1, all, &found, &of_all, NULL);
    assert_true(found > 100);
    for (size_t most = 0; most <= 50; most += 7) {
        measure(w, m, 0, most, 1, few, &found, &of_few, NULL);
        assert_int_equal(found, most);
        for (size_t k = 0; k < most; k++)
            assert_same_bits(&few[k], &all[k]);
        assert_true(of_few.mean == of_all.mean && of_few.triples == of_all.triples);
    }
    free(t.tokens);
    free(all);
    psdvec_model_close(m);
}

/* ---- Texts whose interaction is known -------------------------------------------------------- */

/* Documents of three words, so that each has one position: bits x, y, z as w0 or w1, w2 or w3, w4
 * or w5. */
enum rule { INDEPENDENT, COPIES, PARITY, NOISY };

static void write_bits(workshop *w, enum rule rule, size_t documents, uint64_t seed)
{
    dice d = {seed};
    text t = text_open(w, 4 * documents);
    for (size_t k = 0; k < documents; k++) {
        uint32_t x = (uint32_t)(k & 1), y = (uint32_t)(k >> 1 & 1), z = x ^ y;
        if (rule == INDEPENDENT || rule == NOISY) {
            x = dice_percent(&d, 30);
            y = dice_percent(&d, rule == NOISY && x ? 60 : 40);
            z = rule == NOISY && dice_percent(&d, 50) ? x & y : (uint32_t)dice_percent(&d, 25);
        } else if (rule == COPIES) {
            y = z = x;
        }
        text_word(&t, x, PSDVEC_OOV_KEEP);
        text_word(&t, 2 + y, PSDVEC_OOV_KEEP);
        text_word(&t, 4 + z, PSDVEC_OOV_KEEP);
        text_line(&t);
    }
    text_close(&t);
    free(t.tokens);
}

/* Expectations over the complete text. */
static psdvec_information all_bits(workshop *w, psdvec_model *m)
{
    psdvec_information information;
    measure(w, m, 2, 0, 1, NULL, NULL, NULL, &information);
    return information;
}

static psdvec_interaction first_bits(workshop *w, psdvec_model *m, uint32_t x, uint32_t y,
                                     uint32_t z)
{
    const uint32_t asked[][3] = {{x, 2 + y, 4 + z}};
    const char *input = w->in;
    psdvec_interaction out;
    assert_int_equal(psdvec_interactions(w->ctx, m, &input, 1, 2, asked, 1, 0, 1, &out, NULL, NULL),
                     PSDVEC_OK);
    return out;
}

static void synergistic_words_interact_positively(void **state)
{
    workshop *w = *state;
    psdvec_count_options options = plain_options(5);
    psdvec_model *m = model_of(w, 6, &options);
    write_bits(w, PARITY, 4000, 1);
    psdvec_interaction i = first_bits(w, m, 1, 0, 1);
    assert_near(i.information, log(2));
    assert_near(i.joint, log(2));
    assert_near(i.pmi[1], 0);
    assert_near(i.pmi[2], 0);
    const psdvec_information synergy = {0, 0, log(2), 0, log(2), log(2)};
    psdvec_information of_all = all_bits(w, m), of_one;
    psdvec_interaction_pointwise(&i, &of_one);
    assert_same_information(&of_all, &synergy);
    assert_same_information(&of_one, &synergy);
    psdvec_model_close(m);
}

static void redundant_words_interact_negatively(void **state)
{
    workshop *w = *state;
    psdvec_count_options options = plain_options(5);
    psdvec_model *m = model_of(w, 6, &options);
    write_bits(w, COPIES, 4000, 1);
    psdvec_interaction i = first_bits(w, m, 1, 1, 1);
    assert_near(i.information, -log(2));
    assert_near(i.pmi[1] + i.pmi[2], 2 * log(2));
    const psdvec_information redundancy = {log(2), log(2), log(2), log(2), 0, -log(2)};
    psdvec_information of_all = all_bits(w, m), of_one;
    psdvec_interaction_pointwise(&i, &of_one);
    assert_same_information(&of_all, &redundancy);
    assert_same_information(&of_one, &redundancy);
    psdvec_model_close(m);
}

static void independent_words_interact_within_the_error(void **state)
{
    workshop *w = *state;
    psdvec_count_options options = plain_options(5);
    psdvec_model *m = model_of(w, 6, &options);
    write_bits(w, INDEPENDENT, 20000, 3);
    for (uint32_t k = 0; k < 8; k++) {
        psdvec_interaction i = first_bits(w, m, k & 1, k >> 1 & 1, k >> 2);
        assert_true(i.error > 0 && i.error < 0.05);
        assert_true(fabs(i.information) < 4 * i.error);
    }
    psdvec_model_close(m);
}

static void the_error_is_the_standard_deviation_over_texts(void **state)
{
    workshop *w = *state;
    enum { TEXTS = 300 };
    psdvec_count_options options = plain_options(5);
    psdvec_model *m = model_of(w, 6, &options);
    double sum = 0, square = 0, variance = 0;
    for (uint64_t k = 0; k < TEXTS; k++) {
        write_bits(w, NOISY, 600, 1000 + k);
        psdvec_interaction i = first_bits(w, m, 1, 1, 1);
        sum += i.information;
        square += i.information * i.information;
        variance += i.error * i.error / TEXTS;
    }
    double seen = (square - sum * sum / TEXTS) / (TEXTS - 1);
    /* The standard deviation of a variance from 300 draws is about 8 %. */
    if (fabs(seen / variance - 1) > 0.25)
        fail_msg("variance %g, but %g is told", seen, variance);
    psdvec_model_close(m);
}

/* ---- Threads and memory ---------------------------------------------------------------------- */

static void compare_ways(workshop *w, size_t tokens, uint32_t words, uint32_t window)
{
    enum { TOP = 20 };
    static const struct {
        uint64_t memory;
        int threads;
    } ways[] = {{1 << 30, 1}, {1 << 30, 4}, {40 << 20, 3}, {12 << 20, 2}, {6 << 20, 1}};
    psdvec_count_options options = plain_options(window);
    psdvec_interaction first[TOP], out[TOP];
    psdvec_interaction_report told, report;
    psdvec_information learnt, information;
    text t = random_text(w, tokens, words, PSDVEC_OOV_KEEP, 11);
    free(t.tokens);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        size_t found;
        workshop_context(w, ways[k].memory, ways[k].threads);
        psdvec_model *m = model_of(w, words, &options);
        measure(w, m, 0, TOP, 2, out, &found, &report, &information);
        psdvec_model_close(m);
        assert_int_equal(found, TOP);
        assert_true(psdvec_peak_memory(w->ctx) <= ways[k].memory);
        if (k == 0) {
            memcpy(first, out, sizeof out);
            told = report;
            learnt = information;
        }
        for (size_t i = 0; i < TOP; i++)
            assert_same_bits(&out[i], &first[i]);
        assert_true(report.triples == told.triples && report.occurrences == told.occurrences);
        assert_true(report.mean == told.mean && report.mean_absolute == told.mean_absolute);
        assert_true(report.sum_absolute == told.sum_absolute && report.slope == told.slope);
        assert_true(report.within_half == told.within_half);
        assert_memory_equal(report.quantiles, told.quantiles, sizeof told.quantiles);
        assert_memory_equal(&information, &learnt, sizeof learnt);
    }
}

static void neither_threads_nor_memory_change_a_bit(void **state)
{
    /* Many triples, of which the small budgets hold a part at a time. */
    compare_ways(*state, 40000, 300, 10);
    /* A long text, for which the smallest budget needs temporary files; and few words, so that the
     * same two words have more pairs than the list holds. */
    compare_ways(*state, 500000, 3, 3);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void assert_fails(workshop *w, psdvec_status got, psdvec_status wanted, const char *sentence)
{
    const char *message = psdvec_error_message(w->ctx);
    if (got != wanted || !strstr(message, sentence))
        fail_msg("wanted %s with \"%s\", got %s: %s", psdvec_status_name(wanted), sentence,
                 psdvec_status_name(got), message);
}

static void invalid_requests_fail_with_a_message(void **state)
{
    workshop *w = *state;
    const char *input = w->in;
    psdvec_interaction out;
    const uint32_t beyond[][3] = {{0, 1, 3}};
    psdvec_count_options options = plain_options(1);
    psdvec_model *m = model_of(w, 3, &options);
#define TRY(window, asked, count)                                                                  \
    psdvec_interactions(w->ctx, m, &input, 1, window, asked, count, 0, 1, &out, NULL, NULL)
    assert_fails(w, TRY(2, NULL, 0), PSDVEC_ERR_NOT_FOUND, w->in);
    scratch_write(w->in, "w0 w1 w2\n", 9);
    assert_fails(w, TRY(2, beyond, 1), PSDVEC_ERR_OPTION, "no word with the number 3");
    assert_fails(w, TRY(0, NULL, 0), PSDVEC_ERR_OPTION, "the window is 1 word;");
    assert_fails(w, TRY(1001, NULL, 0), PSDVEC_ERR_OPTION, "must be from 2 to 1000");
    scratch_write(w->in, "nothing known\n", 14);
    assert_fails(w, TRY(2, NULL, 0), PSDVEC_ERR_EMPTY, "none of its words");
    scratch_write(w->in, "...\n", 4);
    assert_fails(w, TRY(2, NULL, 0), PSDVEC_ERR_EMPTY, "no words in 4 bytes");
#undef TRY
    psdvec_model_close(m);
}

static void a_text_without_triples_has_no_figures(void **state)
{
    workshop *w = *state;
    psdvec_count_options options = plain_options(5);
    psdvec_model *m = model_of(w, 3, &options);
    psdvec_interaction out[3];
    psdvec_interaction_report report;
    size_t found = 9;
    scratch_write(w->in, "w0 w1\nw2 w0\n", 12);
    measure(w, m, 0, 3, 1, out, &found, &report, NULL);
    assert_true(found == 0 && report.places == 0 && report.triples == 0 && report.known == 4);
    assert_true(isnan(report.mean) && isnan(report.quantiles[2]) && isnan(report.slope));
    psdvec_model_close(m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_agree_with_three_nested_loops),
        TEST(windows_end_where_sentences_do_if_the_model_counted_so),
        TEST(a_requested_triple_is_measured_like_all_others),
        TEST(the_most_frequent_are_the_first_of_all),
        TEST(synergistic_words_interact_positively),
        TEST(redundant_words_interact_negatively),
        TEST(independent_words_interact_within_the_error),
        TEST(the_error_is_the_standard_deviation_over_texts),
        TEST(neither_threads_nor_memory_change_a_bit),
        TEST(invalid_requests_fail_with_a_message),
        TEST(a_text_without_triples_has_no_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
