/* From words to n-grams, and from n-grams to columns.
 *
 * N-grams are collected in one pass with one hash table; an n-gram's text is copied once, at its
 * first occurrence. The cost is about 80 ns and 4 bytes per occurrence, and 40 bytes plus the text
 * per n-gram.
 *
 * Equal columns are found by a fingerprint, the sum of a random number for each word of the column,
 * and then compared entry by entry.
 */
#include "spelling/parts.h"

#include "base/random.h"
#include "base/sort.h"

#include <string.h>
#include <xxhash.h>

/* ---- The n-grams of a vocabulary --------------------------------------------------- */

/* One n-gram of a vocabulary. */
typedef struct ngram {
    uint64_t hash; /* of its bytes */
    size_t at;     /* its bytes: text.data + at */
    uint32_t length;
    uint32_t words; /* number of words that contain it */
    uint32_t last;  /* the last of them, + 1 */
} ngram;

/* Every n-gram once, in order of first occurrence, and for each word its n-grams, each once. */
typedef struct ngrams {
    pv_scope scope;
    ngram *ngrams;
    size_t count, capacity;
    pv_buffer text;
    uint64_t *row_begin; /* words + 1 */
    uint32_t *row;       /* word i has row[row_begin[i]] to row[row_begin[i + 1] - 1] */
    uint64_t *slots;     /* hash table: [tag | number + 1], open addressing */
    size_t mask;
} ngrams;

static psdvec_status grow_slots(ngrams *g)
{
    size_t slots = 2 * (g->mask + 1);
    uint64_t *larger;
    PV_TAKE_ZERO(&g->scope, larger, slots);
    PV_TRY(pv_scope_status(&g->scope));
    for (size_t i = 0; i < g->count; i++) {
        size_t k = g->ngrams[i].hash & (slots - 1);
        while (larger[k])
            k = (k + 1) & (slots - 1);
        larger[k] = g->ngrams[i].hash >> 32 << 32 | (uint32_t)(i + 1);
    }
    pv_scope_drop(&g->scope, g->slots);
    g->slots = larger;
    g->mask = slots - 1;
    return PSDVEC_OK;
}

static psdvec_status add_ngram(ngrams *g, const char *bytes, size_t length, uint64_t hash)
{
    if (g->count == g->capacity) {
        g->capacity += g->capacity / 2 + 1024;
        PV_GROW(&g->scope, g->ngrams, g->capacity);
        PV_TRY(pv_scope_status(&g->scope));
    }
    if (g->count == UINT32_MAX - 1)
        return pv_fail(g->scope.ctx, PSDVEC_ERR_OVERFLOW,
                       "the words have more n-grams than can be counted; use shorter n-grams or "
                       "fewer words");
    g->ngrams[g->count++] = (ngram){.hash = hash, .at = g->text.length, .length = (uint32_t)length};
    return pv_buffer_append(&g->text, bytes, length);
}

/* Returns the number of an n-gram, adding it if it is new. */
static psdvec_status number_of(ngrams *g, const char *bytes, size_t length, uint32_t *number)
{
    uint64_t hash = XXH3_64bits(bytes, length);
    size_t k = hash & g->mask;
    for (; g->slots[k]; k = (k + 1) & g->mask) {
        uint32_t i = (uint32_t)g->slots[k] - 1;
        if (g->slots[k] >> 32 == hash >> 32 && g->ngrams[i].length == length &&
            memcmp(g->text.data + g->ngrams[i].at, bytes, length) == 0) {
            *number = i;
            return PSDVEC_OK;
        }
    }
    *number = (uint32_t)g->count;
    PV_TRY(add_ngram(g, bytes, length, hash));
    g->slots[k] = hash >> 32 << 32 | (uint32_t)g->count;
    return g->count > g->mask / 5 * 3 ? grow_slots(g) : PSDVEC_OK;
}

static psdvec_status collect_word(ngrams *g, const pv_marked_word *m, uint32_t i, uint32_t shortest,
                                  uint32_t longest, uint64_t *entries)
{
    for (uint32_t n = shortest; n <= longest; n++)
        for (uint32_t c = 0; c + n <= m->characters; c++) {
            uint32_t number;
            PV_TRY(number_of(g, m->text + m->starts[c], (size_t)(m->starts[c + n] - m->starts[c]),
                             &number));
            ngram *found = &g->ngrams[number];
            if (found->last == i + 1)
                continue; /* repeated in this word */
            found->last = i + 1;
            found->words++;
            g->row[(*entries)++] = number;
        }
    return PSDVEC_OK;
}

static psdvec_status collect(psdvec_context *ctx, const pv_spelling_words *words, uint32_t shortest,
                             uint32_t longest, ngrams *g)
{
    enum { first_slots = 1 << 14, between_looks = 1 << 12 };
    pv_marked_word marked;
    uint64_t occurrences = pv_count_occurrences(words, shortest, longest), entries = 0;
    *g = (ngrams){.scope = {.ctx = ctx, .what = "the n-grams of the words"},
                  .text = {.ctx = ctx},
                  .mask = first_slots - 1};
    PV_TAKE_ZERO(&g->scope, g->row_begin, (size_t)words->words + 1);
    PV_TAKE(&g->scope, g->row, occurrences);
    PV_TAKE_ZERO(&g->scope, g->slots, first_slots);
    PV_TRY(pv_scope_status(&g->scope));
    for (uint32_t i = 0; i < words->words; i++) {
        if (i % between_looks == 0)
            PV_TRY(pv_check_cancel(ctx));
        pv_mark_word(words->bytes + words->offsets[i],
                     (size_t)(words->offsets[i + 1] - words->offsets[i]), &marked);
        PV_TRY(collect_word(g, &marked, i, shortest, longest, &entries));
        g->row_begin[i + 1] = entries;
    }
    pv_scope_drop(&g->scope, g->slots);
    return PSDVEC_OK;
}

/* ---- Columns ------------------------------------------------------------------------- */

/* N-grams that may become columns; intermediate data between ngrams and pv_features. */
typedef struct candidates {
    pv_scope scope;
    const ngrams *all;
    uint32_t least_words;
    uint64_t *begin;   /* ngrams + 1: offsets in `word` */
    uint32_t *word;    /* for each n-gram that occurs in enough words, these words */
    uint64_t *print;   /* ngrams: fingerprint, equal for equal columns */
    uint32_t *members; /* ngrams: number of n-grams it represents; 0: it is not a column */
    float *freedom;    /* ngrams: of all that it represents */
    double begin_freedom;
    uint32_t *chosen;   /* n-grams that are columns */
    uint32_t *place_of; /* ngrams: index of the column, or NO_COLUMN */
    size_t count;       /* of chosen */
} candidates;

enum { MIX_PURPOSE = 0x5370 };
#define NO_COLUMN UINT32_MAX

static int by_bytes(const ngrams *all, const ngram *a, const ngram *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(all->text.data + a->at, all->text.data + b->at, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_length(const ngrams *all, const ngram *a, const ngram *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return by_bytes(all, a, b);
}

static int compare_bytes(const void *a, const void *b, void *arg)
{
    const ngrams *all = arg;
    return by_bytes(all, &all->ngrams[*(const uint32_t *)a], &all->ngrams[*(const uint32_t *)b]);
}

/* Sorts the most useful first: in many words, then short. */
static int compare_worth(const void *a, const void *b, void *arg)
{
    const ngrams *all = arg;
    const ngram *x = &all->ngrams[*(const uint32_t *)a], *y = &all->ngrams[*(const uint32_t *)b];
    if (x->words != y->words)
        return x->words > y->words ? -1 : 1;
    return by_length(all, x, y);
}

/* Lists the words of each n-gram that occurs in enough of them, and computes its fingerprint. */
static psdvec_status list_words(candidates *c, uint32_t words)
{
    const ngrams *all = c->all;
    uint64_t *end;
    PV_TAKE(&c->scope, end, all->count);
    PV_TAKE(&c->scope, c->begin, all->count + 1);
    PV_TAKE_ZERO(&c->scope, c->print, all->count);
    PV_TRY(pv_scope_status(&c->scope));
    c->begin[0] = 0;
    for (size_t g = 0; g < all->count; g++) {
        uint32_t in = all->ngrams[g].words;
        end[g] = c->begin[g];
        c->begin[g + 1] = c->begin[g] + (in >= c->least_words ? in : 0);
    }
    PV_TAKE(&c->scope, c->word, c->begin[all->count]);
    PV_TRY(pv_scope_status(&c->scope));
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
    pv_scope_drop(&c->scope, end);
    return PSDVEC_OK;
}

static bool same_words(const candidates *c, uint32_t a, uint32_t b)
{
    uint64_t count = c->begin[a + 1] - c->begin[a];
    return c->print[a] == c->print[b] && c->begin[b + 1] - c->begin[b] == count &&
           memcmp(c->word + c->begin[a], c->word + c->begin[b], count * sizeof *c->word) == 0;
}

/* Merges n-grams that occur in the same words into one of them. */
static psdvec_status merge(candidates *c)
{
    size_t slots = 64;
    while (slots / 5 * 3 < c->all->count)
        slots *= 2;
    uint32_t *slot; /* n-gram + 1, by fingerprint */
    PV_TAKE_ZERO(&c->scope, slot, slots);
    PV_TAKE_ZERO(&c->scope, c->members, c->all->count);
    PV_TAKE_ZERO(&c->scope, c->freedom, c->all->count);
    PV_TRY(pv_scope_status(&c->scope));
    for (uint32_t g = 0; g < c->all->count; g++) {
        if (c->begin[g] == c->begin[g + 1])
            continue;
        size_t k = (c->print[g] ^ c->print[g] >> 32) & (slots - 1);
        while (slot[k] && !same_words(c, slot[k] - 1, g))
            k = (k + 1) & (slots - 1);
        uint32_t holder = g;
        if (slot[k]) {
            holder = slot[k] - 1;
            if (by_length(c->all, &c->all->ngrams[g], &c->all->ngrams[holder]) < 0) {
                c->members[g] = c->members[holder];
                c->freedom[g] = c->freedom[holder];
                c->members[holder] = 0;
                holder = g;
            }
        } else {
            c->count++;
        }
        slot[k] = holder + 1;
        c->members[holder]++;
        bool begins = c->all->text.data[c->all->ngrams[g].at] == PV_MARK_BEGIN;
        c->freedom[holder] += begins ? (float)c->begin_freedom : 1;
    }
    pv_scope_drop(&c->scope, slot);
    return PSDVEC_OK;
}

/* Chooses as many columns, the best first, as the table may hold, then sorts them by bytes. */
static psdvec_status choose(candidates *c, uint32_t dim, uint64_t most_bytes)
{
    size_t kept = 0, count = 0;
    uint64_t text = 0;
    psdvec_context *ctx = c->scope.ctx;
    PV_TAKE(&c->scope, c->chosen, c->count);
    PV_TRY(pv_scope_status(&c->scope));
    for (uint32_t g = 0; g < c->all->count; g++)
        if (c->members[g])
            c->chosen[count++] = g;
    PV_TRY(pv_sort(ctx, c->chosen, count, sizeof *c->chosen, compare_worth, (void *)c->all));
    while (kept < count) {
        text += c->all->ngrams[c->chosen[kept]].length;
        if (text > UINT32_MAX || (most_bytes && pv_table_size(kept + 1, dim, text) > most_bytes))
            break;
        kept++;
    }
    c->count = kept;
    return pv_sort(ctx, c->chosen, kept, sizeof *c->chosen, compare_bytes, (void *)c->all);
}

/* Allocates the n-grams and their members in `table`, which outlives the features. */
static psdvec_status allocate(pv_features *f, const candidates *c, pv_scope *table)
{
    uint64_t entries = 0, text = 0;
    for (size_t k = 0; k < c->count; k++) {
        entries += c->all->ngrams[c->chosen[k]].words;
        text += c->all->ngrams[c->chosen[k]].length;
    }
    PV_TAKE(&f->scope, f->row_begin, (size_t)f->words + 1);
    PV_TAKE_ZERO(&f->scope, f->row, entries + PV_LIST_PAD);
    PV_TAKE(&f->scope, f->column_begin, (size_t)f->columns + 1);
    PV_TAKE_ZERO(&f->scope, f->column, entries + PV_LIST_PAD);
    PV_TAKE(&f->scope, f->freedom, f->columns);
    PV_TAKE(&f->scope, f->total, f->words);
    PV_TAKE(table, f->members, f->columns);
    PV_TAKE(table, f->bytes, text);
    PV_TAKE(table, f->offsets, (size_t)f->columns + 1);
    PV_TRY(pv_scope_status(&f->scope));
    return pv_scope_status(table);
}

static void fill_columns(pv_features *f, const candidates *c)
{
    f->column_begin[0] = 0;
    f->offsets[0] = 0;
    for (uint32_t k = 0; k < f->columns; k++) {
        uint32_t g = c->chosen[k];
        const ngram *chosen = &c->all->ngrams[g];
        memcpy(f->column + f->column_begin[k], c->word + c->begin[g],
               chosen->words * sizeof *f->column);
        memcpy(f->bytes + f->offsets[k], c->all->text.data + chosen->at, chosen->length);
        f->column_begin[k + 1] = f->column_begin[k] + chosen->words;
        f->offsets[k + 1] = f->offsets[k] + chosen->length;
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

psdvec_status pv_features_make(psdvec_context *ctx, const pv_spelling_options *options,
                               const pv_spelling_words *words, uint32_t dim, pv_scope *table,
                               pv_features *f)
{
    psdvec_status status;
    ngrams all = {0};
    candidates c = {.scope = {.ctx = ctx, .what = "the words of the n-grams"},
                    .all = &all,
                    .least_words = options->least_words,
                    .begin_freedom = options->begin_freedom};
    *f = (pv_features){.scope = {.ctx = ctx, .what = "the matrix of words and n-grams"},
                       .words = words->words};
    PV_TRY_DONE(collect(ctx, words, options->shortest, options->longest, &all));
    PV_TRY_DONE(list_words(&c, words->words));
    PV_TRY_DONE(merge(&c));
    PV_TRY_DONE(choose(&c, dim, options->most_bytes));
    PV_TAKE(&c.scope, c.place_of, all.count);
    PV_TRY_DONE(pv_scope_status(&c.scope));
    memset(c.place_of, 0xFF, all.count * sizeof *c.place_of);
    f->columns = (uint32_t)c.count;
    PV_TRY_DONE(allocate(f, &c, table));
    fill_columns(f, &c);
    fill_rows(f, &c);
done:
    pv_scope_free(&c.scope);
    pv_scope_free(&all.scope);
    pv_buffer_free(&all.text);
    return status;
}
