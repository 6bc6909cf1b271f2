/* psdvec_counts_associations: the words that occur before and after a word.
 *
 * Of a pair (context i, focus j) with count x, margins R_i and C_j, and N in all:
 *
 *   lift  = x N / (R_i C_j)          ratio to the count expected by chance
 *   score = ln(lift) ln(1 + x)       the logarithm of the count keeps pairs seen
 *                                    once or twice from the top
 *
 * Chosen by inspection, not by measurement: six scores were compared for four words (music, bank,
 * the, musik) on 16M words of Wikipedia. The log-likelihood ratio put "and", "the" and "of" high in
 * the lists of music and bank; its root times ln(lift) mixed in words that co-occur less than by
 * chance; Dice's coefficient gave only function words for "the"; a lower bound of the lift
 * preferred rare words. This score, and the same with a lower bound of the lift, gave the best
 * lists and hardly differed; this is the simpler one. It is negative for words that co-occur less
 * than by chance.
 *
 * With subsampling the counts are expected counts x_ij r_i r_j, and so are the margins, which takes
 * one pass over the file. Without it the margins are stored in the file. */
#include "base/arguments.h"
#include "base/memory.h"
#include "count/counts_read.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_BETWEEN_CHECKS = 1 << 12 };

/* The margins of the expected counts x_ij r_i r_j, where r is the retention of a word. */
typedef struct margins {
    double *context; /* words: sum over the focus */
    double *focus;   /* words: sum over the context */
    double total;
    double *retentions; /* NULL: all 1 */
    double scale;
} margins;

typedef struct list {
    psdvec_association *items;
    size_t count, capacity;
} list;

typedef struct inquiry {
    psdvec_context *ctx;
    const psdvec_counts *counts;
    pv_scope scope;
    margins margins;
    bool by_count;
    double least_count;
} inquiry;

/* The expected count of a stored value. */
static double expected(const margins *m, uint32_t context, uint32_t focus, uint64_t value)
{
    double count = (double)value / m->scale;
    return m->retentions ? count * m->retentions[context] * m->retentions[focus] : count;
}

/* The margins as they are stored. */
static void take_margins(inquiry *q)
{
    margins *m = &q->margins;
    for (uint32_t i = 0; i < q->counts->info.words; i++) {
        m->context[i] = (double)psdvec_counts_context_total(q->counts, i) / m->scale;
        m->focus[i] = (double)psdvec_counts_focus_total(q->counts, i) / m->scale;
        m->total += m->context[i];
    }
}

static psdvec_status sum_margins(inquiry *q)
{
    margins *m = &q->margins;
    for (uint32_t i = 0; i < q->counts->info.words; i++) {
        psdvec_row row;
        double sum = 0;
        if (i % ROWS_BETWEEN_CHECKS == 0)
            PV_TRY(pv_check_cancel(q->ctx));
        psdvec_counts_row(q->counts, i, &row);
        for (size_t k = 0; k < row.length; k++) {
            double count = expected(m, i, row.focus[k], psdvec_row_value(&row, k));
            m->focus[row.focus[k]] += count;
            sum += count;
        }
        m->context[i] = sum;
        m->total += sum;
    }
    return PSDVEC_OK;
}

static psdvec_status make_margins(inquiry *q)
{
    margins *m = &q->margins;
    uint32_t words = q->counts->info.words;
    bool all_one = true;
    m->scale = (double)q->counts->info.scale;
    PV_TAKE(&q->scope, m->retentions, words);
    PV_TAKE_ZERO(&q->scope, m->context, words);
    PV_TAKE_ZERO(&q->scope, m->focus, words);
    PV_TRY(pv_scope_status(&q->scope));
    for (uint32_t i = 0; i < words; i++) {
        m->retentions[i] = psdvec_counts_retention(q->counts, i);
        all_one &= m->retentions[i] == 1;
    }
    if (!all_one)
        return sum_margins(q);
    m->retentions = NULL; /* the scope frees it */
    take_margins(q);
    return PSDVEC_OK;
}

static psdvec_status offer(inquiry *q, list *to, uint32_t context, uint32_t focus, uint32_t word,
                           uint64_t value)
{
    const margins *m = &q->margins;
    double count = expected(m, context, focus, value), stored = (double)value / m->scale;
    if (stored < q->least_count)
        return PSDVEC_OK;
    double r = m->context[context], c = m->focus[focus], n = m->total;
    double lift = r > 0 && c > 0 && n > 0 && count > 0 ? count * n / (r * c) : 0;
    double score = lift > 0 ? log(lift) * log1p(count) : 0;
    if (!q->by_count && score <= 0)
        return PSDVEC_OK;
    PV_TRY(PV_RESERVE(&q->scope, to->items, to->capacity, to->count + 1));
    to->items[to->count++] = (psdvec_association){word, stored, lift, score};
    return PSDVEC_OK;
}

static int by_score(const void *a, const void *b)
{
    const psdvec_association *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->word > y->word) - (x->word < y->word);
}

static int by_count(const void *a, const void *b)
{
    const psdvec_association *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->word > y->word) - (x->word < y->word);
}

static psdvec_status find_sides(inquiry *q, uint32_t i, list sides[2], size_t most)
{
    psdvec_row row;
    sides[0].count = sides[1].count = 0;
    psdvec_counts_row(q->counts, i, &row);
    for (size_t k = 0; k < row.length; k++)
        PV_TRY(offer(q, &sides[1], i, row.focus[k], row.focus[k], psdvec_row_value(&row, k)));
    for (uint32_t j = 0; j < q->counts->info.words; j++) {
        uint64_t value = psdvec_counts_get(q->counts, j, i);
        if (j % ROWS_BETWEEN_CHECKS == 0)
            PV_TRY(pv_check_cancel(q->ctx));
        if (value)
            PV_TRY(offer(q, &sides[0], j, i, j, value));
    }
    for (int side = 0; side < 2; side++) {
        if (sides[side].count)
            qsort(sides[side].items, sides[side].count, sizeof *sides[side].items,
                  q->by_count ? by_count : by_score);
        if (sides[side].count > most)
            sides[side].count = most;
    }
    return PSDVEC_OK;
}

psdvec_status psdvec_counts_associations(psdvec_context *ctx, const psdvec_counts *counts,
                                         const uint32_t *words, size_t word_count,
                                         psdvec_association_order order, double least_count,
                                         size_t most, psdvec_association_fn *on_word, void *user)
{
    psdvec_status status;
    inquiry q = {.ctx = ctx,
                 .counts = counts,
                 .scope = {.ctx = ctx, .what = "the words around a word"},
                 .by_count = order == PSDVEC_ASSOCIATION_COUNT,
                 .least_count = least_count};
    list sides[2] = {{0}, {0}};
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    PV_NEED_ARRAY(ctx, words, word_count);
    PV_NEED(ctx, on_word);
    PV_NEED_INDEX(ctx, order, PSDVEC_ASSOCIATION_COUNT + 1);
    if (isnan(least_count))
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "`least_count` is not a number");
    for (size_t k = 0; k < word_count; k++)
        if (words[k] >= counts->info.words)
            return pv_fail(ctx, PSDVEC_ERR_OPTION, "`words[%zu]` is %u, but must be less than %u",
                           k, words[k], counts->info.words);
    PV_TRY(pv_counts_verify_rows(ctx, counts));
    PV_TRY_DONE(make_margins(&q));
    for (size_t k = 0; k < word_count; k++) {
        PV_TRY_DONE(find_sides(&q, words[k], sides, most));
        on_word(user, words[k], sides[0].items, sides[0].count, sides[1].items, sides[1].count);
    }
done:
    pv_scope_free(&q.scope);
    return status;
}
