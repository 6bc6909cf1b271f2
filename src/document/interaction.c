/* psdvec_interactions_full: measures how far a text violates the first-order assumption of the
 * model.
 *
 * Appendix B of the paper: PMI(c; a, b) = PMI(c; a) + PMI(c; b) + PInt(a, b, c), and the model
 * assumes that PInt is 0. triples.h defines what is counted and how; this file computes the figures
 * from the counts.
 *
 * With N positions, of which N(a, b, c) have the triple, N(a, b) its first two words, and so on,
 *
 *     PInt = log [N(a,b,c) N(a) N(b) N(c)] / [N(a,b) N(a,c) N(b,c) N]
 *
 * The standard error is computed by the delta method for N independent draws from the eight cells
 * of the contingency table "a or not, b or not, c or not":
 *
 *     variance = sum over cells of n_cell u_cell^2 - 1 / N
 *
 * where u_cell is the sum, over the counts above that include the cell, of 1 / count with the sign
 * of the count in PInt.
 *
 * The other quantities of the appendix are computed from sums over triples. Redundant information
 * is the smaller of two expectations for each third word c, so there are two sums per word.
 *
 * Quantiles are exact: the values are written to a spool, and selected by four passes of a radix
 * selection, 16 bits at a time.
 */
#include "base/arguments.h"

#include "base/spool.h"
#include "document/top.h"
#include "document/triples.h"
#include "model/model_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Figures --------------------------------------------------------------------------------- */

typedef struct interaction_value {
    uint64_t key; /* sorts in the order of the information */
    uint64_t weight;
} interaction_value;

enum { VALUES_A_BLOCK = 1 << 12 };

typedef struct interaction_sums {
    psdvec_context *ctx;
    const pv_triple_text *text;
    uint64_t triples, occurrences, within_half;
    double information, absolute, sum_absolute; /* sums, weighted by the counts */
    double cross, square;                       /* of the sum times joint, and of the squared sum */
    double joint;                               /* of PMI(c; a, b) */
    double (*about)[2];                         /* words: sums of PMI(c; a) and PMI(c; b), by c */
    pv_spool *values;
    interaction_value *block;
    size_t block_count;
    pv_top top; /* the most frequent triples (pv_triple) */
} interaction_sums;

enum { DIGITS = 1 << 16, QUANTILES = 5 };

/* ---- One triple ------------------------------------------------------------------------------ */

static double pmi(uint64_t pair, uint64_t one, uint64_t other, uint64_t places)
{
    return pair ? log((double)pair * (double)places / ((double)one * (double)other)) : NAN;
}

static double standard_error(const pv_triple *t, const uint64_t *one, uint64_t places)
{
    double n = (double)t->count, pair[3], single[3], alone[3];
    double all = 1 / n, variance = 0;
    for (int k = 0; k < 3; k++) {
        pair[k] = (double)t->pairs[k];
        single[k] = (double)one[k];
        alone[k] = single[k] + n;
        all += 1 / single[k] - 1 / pair[k];
    }
    static const int of[3][2] = {{0, 1}, {0, 2}, {1, 2}}; /* the words of each pair */
    for (int k = 0; k < 3; k++) {
        int i = of[k][0], j = of[k][1];
        double u = 1 / single[i] + 1 / single[j] - 1 / pair[k];
        variance += (pair[k] - n) * u * u; /* this pair without the third word */
        alone[i] -= pair[k];
        alone[j] -= pair[k];
    }
    for (int k = 0; k < 3; k++)
        variance += alone[k] / (single[k] * single[k]); /* one word without the others */
    variance += n * all * all - 1 / (double)places;
    return variance > 0 ? sqrt(variance) : 0; /* may be negative by rounding */
}

/* Computes all figures of one triple. */
static void interaction_of(const pv_triple_text *x, const pv_triple *t, psdvec_interaction *out)
{
    *out = (psdvec_interaction){.count = t->count, .information = NAN, .error = NAN};
    for (int k = 0; k < 3; k++) {
        out->words[k] = t->words[k];
        out->pairs[k] = t->pairs[k];
        out->singles[k] = x->margins[k][t->words[k]];
    }
    const uint64_t *one = out->singles;
    out->pmi[0] = pmi(t->pairs[0], one[0], one[1], x->places);
    out->pmi[1] = pmi(t->pairs[1], one[0], one[2], x->places);
    out->pmi[2] = pmi(t->pairs[2], one[1], one[2], x->places);
    out->joint = pmi(t->count, t->pairs[0], one[2], x->places);
    if (t->count == 0)
        return;
    /* The logarithm of a quotient is more accurate than a difference of logarithms. */
    double above = (double)t->count * (double)one[0] * (double)one[1] * (double)one[2];
    double below = (double)t->pairs[0] * (double)t->pairs[1] * (double)t->pairs[2];
    out->information = log(above / (below * (double)x->places));
    out->error = standard_error(t, one, x->places);
}

/* ---- The most frequent triples --------------------------------------------------------------- */

/* Negative: x comes before y. */
static int by_count(const void *a, const void *b, void *arg)
{
    (void)arg;
    const pv_triple *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (x->words[k] != y->words[k])
            return x->words[k] < y->words[k] ? -1 : 1;
    return 0;
}

/* ---- Quantiles ------------------------------------------------------------------------------- */

static uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static psdvec_status flush(interaction_sums *s)
{
    size_t bytes = s->block_count * sizeof *s->block;
    s->block_count = 0;
    return bytes ? pv_spool_append(s->values, s->block, bytes, NULL) : PSDVEC_OK;
}

/* One pass: for each quantile, the weights of the values of 16-bit digit number `pass`, over the
 * keys whose preceding digits equal those found so far. histogram: QUANTILES x DIGITS. */
static psdvec_status count_digits(interaction_sums *s, int pass, const uint64_t *keys,
                                  uint64_t *histogram)
{
    int shift = 48 - 16 * pass;
    uint64_t known = pass ? ~UINT64_C(0) << (shift + 16) : 0; /* mask of the digits found so far */
    memset(histogram, 0, QUANTILES * (size_t)DIGITS * sizeof *histogram);
    for (uint64_t at = 0; at < s->triples;) {
        size_t count = VALUES_A_BLOCK;
        if (count > s->triples - at)
            count = (size_t)(s->triples - at);
        PV_TRY(pv_spool_read(s->values, at * sizeof *s->block, s->block, count * sizeof *s->block));
        for (size_t k = 0; k < count; k++)
            for (int q = 0; q < QUANTILES; q++)
                if (((s->block[k].key ^ keys[q]) & known) == 0)
                    histogram[(size_t)q * DIGITS + (s->block[k].key >> shift & (DIGITS - 1))] +=
                        s->block[k].weight;
        at += count;
    }
    return PSDVEC_OK;
}

/* The smallest value such that at least `percent` of all occurrences have it or a smaller one. */
static psdvec_status select_quantiles(interaction_sums *s, const unsigned *percent,
                                      double *quantiles)
{
    uint64_t keys[QUANTILES] = {0}, left[QUANTILES]; /* remaining weight */
    uint64_t *histogram =
        pv_alloc(s->ctx, QUANTILES * (size_t)DIGITS, sizeof *histogram, "the quantiles");
    psdvec_status status = PSDVEC_OK;
    if (!histogram)
        return pv_failure(s->ctx);
    for (int q = 0; q < QUANTILES; q++)
        left[q] = s->occurrences / 100 * percent[q] +
                  (s->occurrences % 100 * percent[q] + 99) / 100;
    for (int pass = 0; pass < 4; pass++) {
        PV_TRY_DONE(count_digits(s, pass, keys, histogram));
        for (int q = 0; q < QUANTILES; q++) {
            const uint64_t *weight = histogram + (size_t)q * DIGITS;
            uint64_t digit = 0;
            while (weight[digit] < left[q])
                left[q] -= weight[digit++];
            keys[q] |= digit << (48 - 16 * pass);
        }
    }
    for (int q = 0; q < QUANTILES; q++)
        quantiles[q] = value_of(keys[q]);
done:
    pv_free(s->ctx, histogram);
    return status;
}

/* ---- Sums over triples ----------------------------------------------------------------------- */

/* A pv_triple_sink; `opaque`: the sums. */
static psdvec_status sums_add(void *opaque, const pv_triple *triples, size_t count)
{
    interaction_sums *s = opaque;
    for (size_t k = 0; k < count; k++) {
        psdvec_interaction i;
        interaction_of(s->text, &triples[k], &i);
        double times = (double)i.count, sum = i.pmi[1] + i.pmi[2];
        s->triples++;
        s->occurrences += i.count;
        s->within_half += fabs(i.information) <= 0.5 ? i.count : 0;
        s->information += times * i.information;
        s->absolute += times * fabs(i.information);
        s->sum_absolute += times * fabs(sum);
        s->cross += times * sum * i.joint;
        s->square += times * sum * sum;
        s->joint += times * i.joint;
        s->about[i.words[2]][0] += times * i.pmi[1];
        s->about[i.words[2]][1] += times * i.pmi[2];
        pv_top_offer(&s->top, &triples[k]);
        s->block[s->block_count++] =
            (interaction_value){.key = key_of(i.information), .weight = i.count};
        if (s->block_count == VALUES_A_BLOCK)
            PV_TRY(flush(s));
    }
    return PSDVEC_OK;
}

void psdvec_interaction_pointwise(const psdvec_interaction *triple, psdvec_information *information)
{
    if (!triple || !information)
        return;
    double first = triple->pmi[1], second = triple->pmi[2];
    double smaller = isnan(first) || isnan(second) ? NAN : fmin(first, second);
    *information = (psdvec_information){.first = first,
                                        .second = second,
                                        .both = triple->joint,
                                        .redundant = smaller,
                                        .synergistic = triple->information + smaller,
                                        .interaction = triple->information};
}

static void finish_information(const interaction_sums *s, psdvec_information *information)
{
    double all = (double)s->occurrences, sums[2] = {0, 0}, redundant = 0;
    for (uint32_t c = 0; c < s->text->text.words; c++) {
        sums[0] += s->about[c][0];
        sums[1] += s->about[c][1];
        redundant += fmin(s->about[c][0], s->about[c][1]);
    }
    *information = (psdvec_information){.first = sums[0] / all,
                                        .second = sums[1] / all,
                                        .both = s->joint / all,
                                        .redundant = redundant / all,
                                        .synergistic = (s->information + redundant) / all,
                                        .interaction = s->information / all};
}

/* Fills in the report and sorts the most frequent triples. */
static psdvec_status sums_finish(interaction_sums *s, psdvec_interaction_report *report,
                                 psdvec_information *information)
{
    static const unsigned percent[QUANTILES] = {5, 25, 50, 75, 95};
    report->triples = s->triples;
    report->occurrences = s->occurrences;
    pv_top_sort(&s->top);
    if (s->triples == 0)
        return PSDVEC_OK;
    double all = (double)s->occurrences;
    report->mean = s->information / all;
    report->mean_absolute = s->absolute / all;
    report->within_half = (double)s->within_half / all;
    report->sum_absolute = s->sum_absolute / all;
    report->slope = s->square > 0 ? s->cross / s->square : NAN;
    finish_information(s, information);
    PV_TRY(flush(s));
    return select_quantiles(s, percent, report->quantiles);
}

/* ---- Public functions ------------------------------------------------------------------------ */

static psdvec_status measure_requested(const pv_triple_text *text, const uint32_t (*asked)[3],
                                       size_t count, psdvec_interaction *out)
{
    pv_triple *triples = pv_alloc(text->ctx, count, sizeof *triples, "the triples asked for");
    if (!triples)
        return pv_failure(text->ctx);
    for (size_t k = 0; k < count; k++)
        triples[k] = (pv_triple){.words = {asked[k][0], asked[k][1], asked[k][2]}};
    psdvec_status status = pv_triple_measure(text, triples, count);
    for (size_t k = 0; k < count && status == PSDVEC_OK; k++)
        interaction_of(text, &triples[k], &out[k]);
    pv_free(text->ctx, triples);
    return status;
}

static psdvec_status measure_all(const pv_triple_text *text, size_t most, uint64_t least,
                                 const char *folder, psdvec_interaction *out, size_t *found,
                                 psdvec_interaction_report *report, psdvec_information *information)
{
    static const char what[] = "the figures of triples";
    psdvec_context *ctx = text->ctx;
    pv_scope scope = {.ctx = ctx, .what = what};
    interaction_sums sums = {.ctx = ctx,
                             .text = text,
                             .top = {.size = sizeof(pv_triple), .most = most, .compare = by_count}};
    psdvec_status status;
    PV_TAKE(&scope, sums.block, VALUES_A_BLOCK);
    PV_TAKE_ZERO(&scope, sums.about, text->text.words);
    sums.top.items = pv_scope_alloc(&scope, most, 2 * sizeof(pv_triple), false);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_spool_new(ctx, folder, what, pv_memory_left(ctx) / 8, &sums.values));
    PV_TRY_DONE(pv_triple_count(text, least, sums_add, &sums));
    PV_TRY_DONE(sums_finish(&sums, report, information));
    for (size_t k = 0; k < sums.top.count; k++)
        interaction_of(text, &((const pv_triple *)(const void *)sums.top.items)[k], &out[k]);
    *found = sums.top.count;
done:
    pv_spool_free(sums.values);
    pv_scope_free(&scope);
    return status;
}

psdvec_status psdvec_interactions_full(psdvec_context *ctx, const psdvec_model *model,
                                       const char *const *inputs, size_t input_count,
                                       uint32_t window, const uint32_t (*asked)[3],
                                       size_t asked_count, size_t most, uint64_t least_count,
                                       psdvec_interaction *out, size_t *found,
                                       psdvec_interaction_report *report,
                                       psdvec_information *information)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED_ARRAY(ctx, asked, asked_count);
    PV_NEED_ARRAY(ctx, out, asked_count ? asked_count : most);
    const char *folder = P_tmpdir; /* there is no output folder for temporary files */
    double began = pv_now();
    pv_triple_text text = {0};
    psdvec_status status;
    size_t count = asked_count;
    psdvec_interaction_report figures = {.mean = NAN,
                                         .mean_absolute = NAN,
                                         .quantiles = {NAN, NAN, NAN, NAN, NAN},
                                         .within_half = NAN,
                                         .sum_absolute = NAN,
                                         .slope = NAN};
    psdvec_information quantities = {NAN, NAN, NAN, NAN, NAN, NAN};
    for (size_t k = 0; k < 3 * asked_count; k++)
        if (asked[k / 3][k % 3] >= model->info.words)
            return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s: has no word with the number %u",
                           model->path, asked[k / 3][k % 3]);
    PV_TRY_DONE(pv_triple_text_open(&text, ctx, model, inputs, input_count, window, folder));
    figures.window = text.window;
    figures.tokens = text.tokens;
    figures.known = text.known;
    figures.places = text.places;
    if (asked_count)
        status = measure_requested(&text, asked, asked_count, out);
    else
        status = measure_all(&text, most, least_count ? least_count : 1, folder, out, &count,
                             &figures, &quantities);
    figures.seconds = pv_now() - began;
    if (status == PSDVEC_OK && found)
        *found = count;
    if (status == PSDVEC_OK && report)
        *report = figures;
    if (status == PSDVEC_OK && information)
        *information = quantities;
done:
    pv_triple_text_free(&text);
    return status;
}

psdvec_status psdvec_interactions(psdvec_context *ctx, const psdvec_model *model,
                                  const char *const *inputs, size_t input_count, uint32_t window,
                                  const uint32_t (*asked)[3], size_t asked_count, size_t most,
                                  uint64_t least_count, psdvec_interaction *out, size_t *found,
                                  psdvec_interaction_report *report)
{
    return psdvec_interactions_full(ctx, model, inputs, input_count, window, asked, asked_count,
                                    most, least_count, out, found, report, NULL);
}
