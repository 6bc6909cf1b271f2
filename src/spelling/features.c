/* From n-grams to columns.
 *
 * Equal columns are found by a sum of random numbers, one for each word of a column, and then
 * compared entry by entry.
 */
#include "spelling/features.h"

#include "base/random.h"
#include "base/sort.h"
#include "spelling/row_sums.h"
#include "spelling/table.h"

#include <string.h>

/* N-grams that may become columns; the work between pv_ngrams and pv_features. */
typedef struct candidates {
    psdvec_context *ctx;
    const pv_ngrams *all;
    uint32_t least_words;
    uint64_t *begin;   /* ngrams + 1: places in `word` */
    uint32_t *word;    /* for each n-gram that stands in enough words, these words */
    uint64_t *print;   /* ngrams: equal for equal columns */
    uint32_t *members; /* ngrams: those it stands for; 0: it is no column */
    float *freedom;    /* ngrams: of all it stands for */
    double begin_freedom;
    uint32_t *chosen;   /* n-grams that are columns */
    uint32_t *slots;    /* n-gram + 1, by print */
    uint32_t *place_of; /* ngrams: number of the column, or NO_COLUMN */
    size_t count;       /* of chosen */
} candidates;

enum { MIX_PURPOSE = 0x5370 };
#define NO_COLUMN UINT32_MAX

static int by_bytes(const pv_ngrams *all, const pv_ngram *a, const pv_ngram *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(all->text.data + a->at, all->text.data + b->at, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_length(const pv_ngrams *all, const pv_ngram *a, const pv_ngram *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return by_bytes(all, a, b);
}

static int compare_bytes(const void *a, const void *b, void *arg)
{
    const pv_ngrams *all = arg;
    return by_bytes(all, &all->ngrams[*(const uint32_t *)a], &all->ngrams[*(const uint32_t *)b]);
}

/* Those worth most first: in many words, short. */
static int compare_worth(const void *a, const void *b, void *arg)
{
    const pv_ngrams *all = arg;
    const pv_ngram *x = &all->ngrams[*(const uint32_t *)a], *y = &all->ngrams[*(const uint32_t *)b];
    if (x->words != y->words)
        return x->words > y->words ? -1 : 1;
    return by_length(all, x, y);
}

/* The words of each n-gram that stands in enough of them, and its print. */
static psdvec_status list_words(candidates *c, uint32_t words)
{
    const pv_ngrams *all = c->all;
    uint64_t *end = pv_alloc(c->ctx, all->count, sizeof *end, "the words of the n-grams");
    c->begin = pv_alloc(c->ctx, all->count + 1, sizeof *c->begin, "the words of the n-grams");
    c->print = pv_alloc_zero(c->ctx, all->count, sizeof *c->print, "the words of the n-grams");
    if (!end || !c->begin || !c->print)
        goto failed;
    c->begin[0] = 0;
    for (size_t g = 0; g < all->count; g++) {
        uint32_t in = all->ngrams[g].words;
        end[g] = c->begin[g];
        c->begin[g + 1] = c->begin[g] + (in >= c->least_words ? in : 0);
    }
    c->word = pv_alloc(c->ctx, c->begin[all->count], sizeof *c->word, "the words of the n-grams");
    if (!c->word)
        goto failed;
    for (uint32_t i = 0; i < words; i++) {
        uint64_t number = pv_random_u64(0, MIX_PURPOSE, i);
        for (uint64_t t = all->row_begin[i]; t < all->row_begin[i + 1]; t++) {
            uint32_t g = all->row[t];
            if (all->ngrams[g].words < c->least_words)
                continue;
            c->word[end[g]++] = i;
            c->print[g] += number;
        }
    }
    pv_free(c->ctx, end);
    return PSDVEC_OK;
failed:
    pv_free(c->ctx, end);
    return pv_failure(c->ctx);
}

static bool same_words(const candidates *c, uint32_t a, uint32_t b)
{
    uint64_t count = c->begin[a + 1] - c->begin[a];
    return c->print[a] == c->print[b] && c->begin[b + 1] - c->begin[b] == count &&
           memcmp(c->word + c->begin[a], c->word + c->begin[b], count * sizeof *c->word) == 0;
}

static bool begins_word(const pv_ngrams *all, uint32_t g)
{
    return all->text.data[all->ngrams[g].at] == PV_MARK_BEGIN;
}

/* One n-gram of those with the same words takes in the others. */
static psdvec_status merge(candidates *c)
{
    size_t slots = 64;
    while (slots / 5 * 3 < c->all->count)
        slots *= 2;
    c->slots = pv_alloc_zero(c->ctx, slots, sizeof *c->slots, "equal n-grams");
    c->members = pv_alloc_zero(c->ctx, c->all->count, sizeof *c->members, "equal n-grams");
    c->freedom = pv_alloc_zero(c->ctx, c->all->count, sizeof *c->freedom, "equal n-grams");
    if (!c->slots || !c->members || !c->freedom)
        return pv_failure(c->ctx);
    for (uint32_t g = 0; g < c->all->count; g++) {
        if (c->begin[g] == c->begin[g + 1])
            continue;
        size_t k = (c->print[g] ^ c->print[g] >> 32) & (slots - 1);
        while (c->slots[k] && !same_words(c, c->slots[k] - 1, g))
            k = (k + 1) & (slots - 1);
        uint32_t holder = g;
        if (c->slots[k]) {
            holder = c->slots[k] - 1;
            if (by_length(c->all, &c->all->ngrams[g], &c->all->ngrams[holder]) < 0) {
                c->members[g] = c->members[holder];
                c->freedom[g] = c->freedom[holder];
                c->members[holder] = 0;
                holder = g;
            }
        } else {
            c->count++;
        }
        c->slots[k] = holder + 1;
        c->members[holder]++;
        c->freedom[holder] += begins_word(c->all, g) ? (float)c->begin_freedom : 1;
    }
    pv_free(c->ctx, c->slots);
    c->slots = NULL;
    return PSDVEC_OK;
}

/* As many columns, the best first, as the table may hold; then in the order of their bytes. */
static psdvec_status choose(candidates *c, uint32_t dim, uint64_t most_bytes)
{
    size_t kept = 0, count = 0;
    uint64_t text = 0;
    c->chosen = pv_alloc(c->ctx, c->count, sizeof *c->chosen, "the n-grams kept");
    if (!c->chosen)
        return pv_failure(c->ctx);
    for (uint32_t g = 0; g < c->all->count; g++)
        if (c->members[g])
            c->chosen[count++] = g;
    PV_TRY(pv_sort(c->ctx, c->chosen, count, sizeof *c->chosen, compare_worth, (void *)c->all));
    while (kept < count) {
        text += c->all->ngrams[c->chosen[kept]].length;
        if (text > UINT32_MAX || (most_bytes && pv_table_size(kept + 1, dim, text) > most_bytes))
            break;
        kept++;
    }
    c->count = kept;
    return pv_sort(c->ctx, c->chosen, kept, sizeof *c->chosen, compare_bytes, (void *)c->all);
}

static psdvec_status allocate(pv_features *f, const candidates *c)
{
    psdvec_context *ctx = f->ctx;
    uint64_t entries = 0, text = 0;
    for (size_t k = 0; k < c->count; k++) {
        entries += c->all->ngrams[c->chosen[k]].words;
        text += c->all->ngrams[c->chosen[k]].length;
    }
    size_t rows = (size_t)f->words + 1, columns = (size_t)f->columns + 1;
    static const char what[] = "the matrix of words and n-grams";
    f->row_begin = pv_alloc(ctx, rows, sizeof *f->row_begin, what);
    f->row = pv_alloc_zero(ctx, entries + PV_LIST_PAD, sizeof *f->row, what);
    f->column_begin = pv_alloc(ctx, columns, sizeof *f->column_begin, what);
    f->column = pv_alloc_zero(ctx, entries + PV_LIST_PAD, sizeof *f->column, what);
    f->members = pv_alloc(ctx, f->columns, sizeof *f->members, what);
    f->freedom = pv_alloc(ctx, f->columns, sizeof *f->freedom, what);
    f->total = pv_alloc(ctx, f->words, sizeof *f->total, what);
    f->bytes = pv_alloc(ctx, text, 1, what);
    f->offsets = pv_alloc(ctx, columns, sizeof *f->offsets, what);
    bool all = f->row_begin && f->row && f->column_begin && f->column && f->members && f->freedom &&
               f->total && f->bytes && f->offsets;
    return all ? PSDVEC_OK : pv_failure(ctx);
}

static void fill_columns(pv_features *f, const candidates *c)
{
    f->column_begin[0] = 0;
    f->offsets[0] = 0;
    for (uint32_t k = 0; k < f->columns; k++) {
        uint32_t g = c->chosen[k];
        const pv_ngram *ngram = &c->all->ngrams[g];
        memcpy(f->column + f->column_begin[k], c->word + c->begin[g],
               ngram->words * sizeof *f->column);
        memcpy(f->bytes + f->offsets[k], c->all->text.data + ngram->at, ngram->length);
        f->column_begin[k + 1] = f->column_begin[k] + ngram->words;
        f->offsets[k + 1] = f->offsets[k] + ngram->length;
        f->members[k] = c->members[g];
        f->freedom[k] = c->freedom[g];
        c->place_of[g] = k;
    }
}

static void fill_rows(pv_features *f, const candidates *c)
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < f->words; i++) {
        f->row_begin[i] = entries;
        f->total[i] = 0;
        for (uint64_t t = c->all->row_begin[i]; t < c->all->row_begin[i + 1]; t++) {
            uint32_t k = c->place_of[c->all->row[t]];
            if (k == NO_COLUMN)
                continue;
            f->row[entries++] = k;
            f->total[i] += f->members[k];
        }
    }
    f->row_begin[f->words] = entries;
}

static psdvec_status fill(pv_features *f, candidates *c)
{
    c->place_of = pv_alloc(c->ctx, c->all->count, sizeof *c->place_of, "the n-grams kept");
    if (!c->place_of)
        return pv_failure(c->ctx);
    memset(c->place_of, 0xFF, c->all->count * sizeof *c->place_of);
    f->columns = (uint32_t)c->count;
    PV_TRY(allocate(f, c));
    fill_columns(f, c);
    fill_rows(f, c);
    return PSDVEC_OK;
}

psdvec_status pv_features_make(psdvec_context *ctx, const pv_spelling_options *options,
                               const pv_spelling_words *words, uint32_t dim, pv_features *features)
{
    psdvec_status status;
    pv_ngrams all = {0};
    candidates c = {.ctx = ctx,
                    .all = &all,
                    .least_words = options->least_words,
                    .begin_freedom = options->begin_freedom};
    *features = (pv_features){.ctx = ctx, .words = words->words};
    PV_TRY_DONE(pv_ngrams_collect(ctx, words, options->shortest, options->longest, &all));
    PV_TRY_DONE(list_words(&c, words->words));
    PV_TRY_DONE(merge(&c));
    PV_TRY_DONE(choose(&c, dim, options->most_bytes));
    PV_TRY_DONE(fill(features, &c));
done:
    pv_free(ctx, c.begin);
    pv_free(ctx, c.word);
    pv_free(ctx, c.print);
    pv_free(ctx, c.members);
    pv_free(ctx, c.freedom);
    pv_free(ctx, c.chosen);
    pv_free(ctx, c.slots);
    pv_free(ctx, c.place_of);
    pv_ngrams_free(&all);
    if (status != PSDVEC_OK)
        pv_features_free(features);
    return status;
}

void pv_features_free(pv_features *features)
{
    psdvec_context *ctx = features->ctx;
    if (!ctx)
        return;
    pv_free(ctx, features->row_begin);
    pv_free(ctx, features->row);
    pv_free(ctx, features->column_begin);
    pv_free(ctx, features->column);
    pv_free(ctx, features->members);
    pv_free(ctx, features->freedom);
    pv_free(ctx, features->total);
    pv_free(ctx, features->bytes);
    pv_free(ctx, features->offsets);
    *features = (pv_features){0};
}
