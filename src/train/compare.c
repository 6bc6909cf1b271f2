/* psdvec_model_compare: the similarity of two words, and its reasons. Only frequent words are
 * reasons, because rare ones are less informative. */
#include "base/arguments.h"
#include "base/memory.h"
#include "model/model_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 20000 };
#define FACTOR_POWER 0.3

typedef struct pair_job {
    psdvec_context *ctx;
    const psdvec_model *model;
    const psdvec_counts *counts; /* or NULL */
    uint32_t pair[2];
    pv_scope scope;
} pair_job;

static uint32_t frequent_words(const pair_job *c)
{
    return c->model->info.words < MOST_WORDS ? c->model->info.words : MOST_WORDS;
}

/* ---- Contexts ------------------------------------------------------------------------------- */

typedef struct candidate {
    psdvec_shared_context context;
    double order;
} candidate;

static int by_order(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? 1 : -1;
    return (x->context.word > y->context.word) - (x->context.word < y->context.word);
}

/* How often two words of the model co-occurred, in either order. */
static double cooccurrences(const pair_job *c, uint32_t i, uint32_t j)
{
    size_t i_length, j_length;
    const char *i_word = psdvec_model_word(c->model, i, &i_length);
    const char *j_word = psdvec_model_word(c->model, j, &j_length);
    uint32_t a, b;
    if (!psdvec_counts_find(c->counts, i_word, i_length, &a) ||
        !psdvec_counts_find(c->counts, j_word, j_length, &b))
        return 0;
    return (double)(psdvec_counts_get(c->counts, a, b) + psdvec_counts_get(c->counts, b, a)) /
           (double)psdvec_counts_get_info(c->counts)->scale;
}

/* By decreasing contribution: the product of the model's values for both pairs, times the frequency
 * of the word to the power of 0.3, as in the weights of the default preset. With counts, only words
 * that co-occur with both. */
static psdvec_status find_contexts(pair_job *c, size_t most, psdvec_shared_context *contexts,
                                   size_t *found)
{
    uint32_t words = frequent_words(c);
    candidate *all;
    size_t count = 0;
    PV_TAKE(&c->scope, all, words);
    PV_TRY(pv_scope_status(&c->scope));
    for (uint32_t w = 0; w < words; w++) {
        candidate one = {.context = {.word = w, .part = NAN}};
        if (w == c->pair[0] || w == c->pair[1])
            continue;
        for (int k = 0; k < 2; k++)
            one.context.with[k] = psdvec_model_product(c->model, c->pair[k], w);
        if (!(one.context.with[0] > 0 && one.context.with[1] > 0))
            continue;
        double frequency = c->model->info.has_counts ? (double)psdvec_model_frequency(c->model, w)
                                                     : 1;
        one.order = one.context.with[0] * one.context.with[1] * pow(frequency, FACTOR_POWER);
        all[count++] = one;
    }
    PV_TRY(pv_check_cancel(c->ctx));
    if (count)
        qsort(all, count, sizeof *all, by_order);
    for (size_t k = 0; k < count && *found < most; k++) {
        psdvec_shared_context *one = &all[k].context;
        for (int side = 0; side < 2 && c->counts; side++)
            one->seen[side] = cooccurrences(c, c->pair[side], one->word);
        if (!c->counts || (one->seen[0] > 0 && one->seen[1] > 0))
            contexts[(*found)++] = *one;
    }
    return PSDVEC_OK;
}

/* For a sparse model whose dimensions are words: those in which both vectors have a component, by
 * decreasing contribution to the cosine. */
static psdvec_status find_shared(pair_job *c, size_t most, psdvec_shared_context *contexts,
                                 size_t *found)
{
    const uint32_t *columns[2];
    const float *values[2];
    size_t counts[2], at[2] = {0}, count = 0;
    double squares[2] = {0};
    candidate *all;
    for (int k = 0; k < 2; k++) {
        psdvec_model_sparse_row(c->model, c->pair[k], &columns[k], &values[k], &counts[k]);
        for (size_t e = 0; e < counts[k]; e++)
            squares[k] += (double)values[k][e] * (double)values[k][e];
    }
    PV_TAKE(&c->scope, all, counts[0]);
    PV_TRY(pv_scope_status(&c->scope));
    while (at[0] < counts[0] && at[1] < counts[1]) {
        uint32_t a = columns[0][at[0]], b = columns[1][at[1]];
        double with[2] = {(double)values[0][at[0]], (double)values[1][at[1]]};
        if (a == b && a < c->model->info.words) { /* words may have been removed */
            double part = with[0] * with[1] / sqrt(squares[0] * squares[1]);
            all[count++] = (candidate){{.word = a, .with = {with[0], with[1]}, .part = part}, part};
        }
        at[0] += a <= b;
        at[1] += b <= a;
    }
    if (count)
        qsort(all, count, sizeof *all, by_order);
    for (size_t k = 0; k < count && k < most; k++)
        contexts[(*found)++] = all[k].context;
    return PSDVEC_OK;
}

/* ---- Dimensions ------------------------------------------------------------------------------ */

static int by_part(const void *a, const void *b)
{
    const psdvec_shared_dimension *x = a, *y = b;
    if (fabs(x->part) != fabs(y->part))
        return fabs(x->part) < fabs(y->part) ? 1 : -1;
    return (x->dimension > y->dimension) - (x->dimension < y->dimension);
}

static double length_of(const float *vector, uint32_t dim)
{
    double square = 0;
    for (uint32_t k = 0; k < dim; k++)
        square += (double)vector[k] * (double)vector[k];
    return sqrt(square);
}

/* Inserts a word into the list of words with the largest components in a dimension. */
static void offer(psdvec_shared_dimension *d, double *shares, uint32_t word, double share)
{
    uint32_t at = d->word_count;
    if (!(share > 0) || (at == PSDVEC_DIMENSION_WORDS && !(share > shares[at - 1])))
        return;
    if (at == PSDVEC_DIMENSION_WORDS)
        at--;
    else
        d->word_count++;
    for (; at > 0 && share > shares[at - 1]; at--) {
        shares[at] = shares[at - 1];
        d->words[at] = d->words[at - 1];
    }
    shares[at] = share;
    d->words[at] = word;
}

/* Finds the words with the largest components in each dimension, on the side of the first word of
 * the pair. */
static psdvec_status find_ends(pair_job *c, const float *first, psdvec_shared_dimension *dimensions,
                               size_t count)
{
    uint32_t dim = c->model->info.dim;
    float *row;
    double(*shares)[PSDVEC_DIMENSION_WORDS];
    PV_TAKE(&c->scope, row, dim);
    PV_TAKE_ZERO(&c->scope, shares, count);
    PV_TRY(pv_scope_status(&c->scope));
    for (uint32_t w = 0; w < frequent_words(c); w++) {
        psdvec_model_copy(c->model, w, row);
        double length = length_of(row, dim);
        if (w == c->pair[0] || w == c->pair[1] || !(length > 0))
            continue;
        for (size_t d = 0; d < count; d++) {
            uint32_t k = dimensions[d].dimension;
            double share = (double)row[k] / length;
            offer(&dimensions[d], shares[d], w, first[k] < 0 ? -share : share);
        }
    }
    return pv_check_cancel(c->ctx);
}

/* By decreasing magnitude of their contribution. */
static psdvec_status find_dimensions(pair_job *c, size_t most, psdvec_shared_dimension *dimensions,
                                     size_t *found)
{
    uint32_t dim = c->model->info.dim;
    float *a, *b;
    psdvec_shared_dimension *all;
    PV_TAKE(&c->scope, a, dim);
    PV_TAKE(&c->scope, b, dim);
    PV_TAKE(&c->scope, all, dim);
    PV_TRY(pv_scope_status(&c->scope));
    psdvec_model_copy(c->model, c->pair[0], a);
    psdvec_model_copy(c->model, c->pair[1], b);
    double lengths = length_of(a, dim) * length_of(b, dim);
    for (uint32_t k = 0; k < dim; k++)
        all[k] = (psdvec_shared_dimension){
            .dimension = k, .part = lengths > 0 ? (double)a[k] * (double)b[k] / lengths : 0};
    qsort(all, dim, sizeof *all, by_part);
    while (*found < most && *found < dim && all[*found].part != 0) {
        dimensions[*found] = all[*found];
        ++*found;
    }
    return find_ends(c, a, dimensions, *found);
}

/* ---- The call -------------------------------------------------------------------------------- */

psdvec_status psdvec_model_compare(psdvec_context *ctx, const psdvec_model *model,
                                   const psdvec_counts *counts, uint32_t i, uint32_t j,
                                   size_t most_contexts, psdvec_shared_context *contexts,
                                   size_t most_dimensions, psdvec_shared_dimension *dimensions,
                                   psdvec_comparison *comparison)
{
    psdvec_status status = PSDVEC_OK;
    PV_BEGIN(ctx);
    PV_NEED(ctx, comparison);
    *comparison = (psdvec_comparison){0};
    PV_NEED(ctx, model);
    PV_NEED_ARRAY(ctx, contexts, most_contexts);
    PV_NEED_ARRAY(ctx, dimensions, most_dimensions);
    PV_NEED_INDEX(ctx, i, model->info.words);
    PV_NEED_INDEX(ctx, j, model->info.words);
    if (counts)
        PV_TRY(psdvec_model_explain_pair(ctx, model, counts, i, j, &comparison->explanation));
    const psdvec_model_info *info = &model->info;
    pair_job c = {ctx, model, counts, {i, j}, {.ctx = ctx, .what = "the comparison"}};
    comparison->products_are_pmi = !info->sparse && (!info->method || !strcmp(info->method, "psd"));
    comparison->contexts_are_dimensions = info->sparse && info->directions_are_words;
    comparison->cosine = psdvec_model_cosine(model, i, j);
    comparison->product = psdvec_model_product(model, i, j);
    if (comparison->contexts_are_dimensions)
        PV_TRY_DONE(find_shared(&c, most_contexts, contexts, &comparison->context_count));
    else
        PV_TRY_DONE(find_dimensions(&c, most_dimensions, dimensions, &comparison->dimension_count));
    if (comparison->products_are_pmi)
        PV_TRY_DONE(find_contexts(&c, most_contexts, contexts, &comparison->context_count));
done:
    pv_scope_free(&c.scope);
    return status;
}
