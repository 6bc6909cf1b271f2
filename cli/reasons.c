/* Reasons: one pass over the frequent words for contexts, one for directions. */
#include "reasons.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

#define MOST_WORDS 20000
#define FACTOR_POWER 0.3

static uint32_t frequent_words(const psdvec_model_info *info)
{
    return info->words < MOST_WORDS ? info->words : MOST_WORDS;
}

/* ---- Words near both ------------------------------------------------------------------ */

static int context_order(const void *a, const void *b)
{
    const struct context *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? 1 : -1;
    return (x->word > y->word) - (x->word < y->word);
}

/* How often two words of the model were seen together, on either side. */
static double seen_together(const psdvec_model *model, const psdvec_counts *counts, uint32_t i,
                            uint32_t j)
{
    size_t i_length, j_length;
    const char *i_word = psdvec_model_word(model, i, &i_length);
    const char *j_word = psdvec_model_word(model, j, &j_length);
    uint32_t a, b;
    if (!psdvec_counts_find(counts, i_word, i_length, &a) ||
        !psdvec_counts_find(counts, j_word, j_length, &b))
        return 0;
    return (double)(psdvec_counts_get(counts, a, b) + psdvec_counts_get(counts, b, a)) /
           (double)psdvec_counts_get_info(counts)->scale;
}

size_t reasons_contexts(const psdvec_model *model, const psdvec_counts *counts,
                        const uint32_t pair[2], struct context *contexts, size_t most)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    uint32_t words = frequent_words(info);
    struct context *all = must_alloc(words, sizeof *all);
    size_t count = 0, kept = 0;
    for (uint32_t w = 0; w < words; w++) {
        struct context c = {.word = w};
        if (w == pair[0] || w == pair[1])
            continue;
        for (int k = 0; k < 2; k++)
            c.with[k] = psdvec_model_product(model, pair[k], w);
        if (!(c.with[0] > 0 && c.with[1] > 0))
            continue;
        double frequency = info->has_counts ? (double)psdvec_model_frequency(model, w) : 1;
        c.part = c.with[0] * c.with[1] * pow(frequency, FACTOR_POWER);
        all[count++] = c;
    }
    if (count)
        qsort(all, count, sizeof *all, context_order);
    for (size_t k = 0; k < count && kept < most; k++) {
        for (int side = 0; side < 2 && counts; side++)
            all[k].seen[side] = seen_together(model, counts, pair[side], all[k].word);
        if (!counts || (all[k].seen[0] > 0 && all[k].seen[1] > 0))
            contexts[kept++] = all[k];
    }
    free(all);
    return kept;
}

size_t reasons_shared(const psdvec_model *model, const uint32_t pair[2], struct context *contexts,
                      size_t most)
{
    uint32_t words = psdvec_model_get_info(model)->words;
    const uint32_t *columns[2];
    const float *values[2];
    size_t counts[2], at[2] = {0}, count = 0;
    double squares[2] = {0};
    for (int k = 0; k < 2; k++) {
        psdvec_model_sparse_row(model, pair[k], &columns[k], &values[k], &counts[k]);
        for (size_t e = 0; e < counts[k]; e++)
            squares[k] += (double)values[k][e] * (double)values[k][e];
    }
    struct context *all = must_alloc(counts[0], sizeof *all);
    while (at[0] < counts[0] && at[1] < counts[1]) {
        uint32_t a = columns[0][at[0]], b = columns[1][at[1]];
        double with[2] = {(double)values[0][at[0]], (double)values[1][at[1]]};
        if (a == b && a < words) /* words may have been cut off */
            all[count++] =
                (struct context){.word = a,
                                 .with = {with[0], with[1]},
                                 .part = with[0] * with[1] / sqrt(squares[0] * squares[1])};
        at[0] += a <= b;
        at[1] += b <= a;
    }
    if (count)
        qsort(all, count, sizeof *all, context_order);
    count = count < most ? count : most;
    for (size_t k = 0; k < count; k++)
        contexts[k] = all[k];
    free(all);
    return count;
}

/* ---- Directions -------------------------------------------------------------------------- */

static int direction_order(const void *a, const void *b)
{
    const struct direction *x = a, *y = b;
    if (fabs(x->part) != fabs(y->part))
        return fabs(x->part) < fabs(y->part) ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static double length_of(const float *vector, uint32_t dim)
{
    double square = 0;
    for (uint32_t k = 0; k < dim; k++)
        square += (double)vector[k] * (double)vector[k];
    return sqrt(square);
}

/* Puts a word where it belongs among those that point into a direction most. */
static void offer(struct direction *d, double *shares, uint32_t word, double share)
{
    uint32_t at = d->count;
    if (!(share > 0) || (at == REASON_WORDS && !(share > shares[at - 1])))
        return;
    if (at == REASON_WORDS)
        at--;
    else
        d->count++;
    for (; at > 0 && share > shares[at - 1]; at--) {
        shares[at] = shares[at - 1];
        d->ends[at] = d->ends[at - 1];
    }
    shares[at] = share;
    d->ends[at] = word;
}

/* The words that point into each direction most, on the side of the first word of the pair. */
static void find_ends(const psdvec_model *model, const float *first, const uint32_t pair[2],
                      struct direction *directions, size_t count)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    float *row = must_alloc(info->dim, sizeof *row);
    double(*shares)[REASON_WORDS] = must_alloc(count, sizeof *shares);
    for (uint32_t w = 0; w < frequent_words(info); w++) {
        psdvec_model_copy(model, w, row);
        double length = length_of(row, info->dim);
        if (w == pair[0] || w == pair[1] || !(length > 0))
            continue;
        for (size_t d = 0; d < count; d++) {
            uint32_t k = directions[d].number;
            double share = (double)row[k] / length;
            offer(&directions[d], shares[d], w, first[k] < 0 ? -share : share);
        }
    }
    free(shares);
    free(row);
}

size_t reasons_directions(const psdvec_model *model, const uint32_t pair[2],
                          struct direction *directions, size_t most)
{
    uint32_t dim = psdvec_model_get_info(model)->dim;
    float *a = must_alloc(dim, sizeof *a), *b = must_alloc(dim, sizeof *b);
    psdvec_model_copy(model, pair[0], a);
    psdvec_model_copy(model, pair[1], b);
    double lengths = length_of(a, dim) * length_of(b, dim);
    struct direction *all = must_alloc(dim, sizeof *all);
    for (uint32_t k = 0; k < dim; k++)
        all[k] = (struct direction){
            .number = k, .part = lengths > 0 ? (double)a[k] * (double)b[k] / lengths : 0};
    qsort(all, dim, sizeof *all, direction_order);
    size_t count = 0;
    for (; count < most && count < dim && all[count].part != 0; count++)
        directions[count] = all[count];
    find_ends(model, a, pair, directions, count);
    free(all);
    free(a);
    free(b);
    return count;
}
