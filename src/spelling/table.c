/* The table in use: opened with full validation, indexed, and queried for words. */
#include "spelling/parts.h"

#include "base/thread.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

/* Maximum number of n-grams of a word. */
enum { MOST_KNOWN = PV_MARKED_MOST * PV_NGRAM_LONGEST };

uint64_t pv_spelling_bytes(const pv_spelling_table *table)
{
    return pv_table_size(table->ngrams, table->dim, table->text);
}

const pv_spelling_table *pv_spelling_get(const pv_spelling *spelling)
{
    return &spelling->table;
}

void pv_spelling_free(pv_spelling *spelling)
{
    if (!spelling)
        return;
    pv_scope_free(&spelling->scope);
    pv_free(spelling->scope.ctx, spelling->slots);
    pthread_mutex_destroy(&spelling->lock);
    pv_free(spelling->scope.ctx, spelling);
}

psdvec_status pv_spelling_new(psdvec_context *ctx, pv_spelling **spelling)
{
    *spelling = pv_alloc_zero(ctx, 1, sizeof **spelling, "the table of n-grams");
    if (!*spelling)
        return pv_failure(ctx);
    (*spelling)->scope = (pv_scope){.ctx = ctx, .what = "the table of n-grams"};
    pthread_mutex_init(&(*spelling)->lock, NULL);
    return PSDVEC_OK;
}

/* ---- N-grams ------------------------------------------------------------------------------- */

typedef struct ngram_text {
    const char *text;
    size_t length;
    uint64_t key; /* the first 8 bytes, the first of them highest, with zeros after the text */
} ngram_text;

static inline ngram_text ngram_at(const pv_spelling_table *t, uint32_t g)
{
    uint32_t begin = t->offsets[g];
    ngram_text ngram = {.text = t->bytes + begin, .length = t->offsets[g + 1] - begin};
    size_t used = ngram.length < sizeof ngram.key ? ngram.length : sizeof ngram.key;
    unsigned char bytes[sizeof ngram.key] = {0};
    if (t->text - begin >= sizeof bytes)
        memcpy(bytes, ngram.text, sizeof bytes);
    else
        memcpy(bytes, ngram.text, used);
    for (size_t k = 0; k < sizeof bytes; k++)
        ngram.key = ngram.key << 8 | bytes[k];
    if (used < sizeof bytes)
        ngram.key &= ~(UINT64_MAX >> 8 * used);
    return ngram;
}

/* ---- Opening --------------------------------------------------------------------------- */

/* Whether n-gram `a` comes before `b` in the order of their bytes. */
static bool ascending(ngram_text a, ngram_text b)
{
    if (a.length <= sizeof a.key && b.length <= sizeof b.key)
        return a.key < b.key || (a.key == b.key && a.length < b.length);
    int order = memcmp(a.text, b.text, a.length < b.length ? a.length : b.length);
    return order < 0 || (order == 0 && a.length < b.length);
}

static const char *fault_of_ngram(const pv_spelling_table *t, uint32_t g, ngram_text before,
                                  ngram_text ngram)
{
    if (ngram.length > 4 * PV_NGRAM_LONGEST)
        return "is too long";
    bool ascii = ngram.length <= sizeof ngram.key && !(ngram.key & UINT64_C(0x8080808080808080));
    size_t characters = ascii ? ngram.length : pv_count_characters(ngram.text, ngram.length);
    if (characters < t->shortest || characters > t->longest)
        return "has a length that the table does not allow";
    if (g > 0 && !ascending(before, ngram))
        return "is not greater than the one before it";
    if (t->members[g] < 1)
        return "has no members";
    if (!(t->row_scale[g] >= 0 && t->row_scale[g] <= PV_LARGEST_SCALE))
        return "has a scale that is not from 0 to 1e30";
    return NULL;
}

static psdvec_status check_table(psdvec_context *ctx, const pv_spelling_table *t,
                                 const char *subject)
{
    static const char remedy[] = "; the file is damaged, create it again";
    if (t->shortest < 1 || t->shortest > t->longest || t->longest > PV_NGRAM_LONGEST)
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                       "%s: n-grams of %u to %u characters; the lengths must be in ascending "
                       "order, from 1 to %d%s",
                       subject, t->shortest, t->longest, PV_NGRAM_LONGEST, remedy);
    if (t->dim < 1)
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "%s: the rows of n-grams have no dimensions%s",
                       subject, remedy);
    if (t->ngrams == UINT32_MAX || t->offsets[0] != 0 || t->offsets[t->ngrams] != t->text)
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the offsets of the n-grams do not go from 0 to %llu, the length of "
                       "their text%s",
                       subject, (unsigned long long)t->text, remedy);
    for (uint32_t g = 0; g < t->ngrams; g++)
        if (t->offsets[g + 1] <= t->offsets[g])
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "%s: n-gram %u of %u has no length%s", subject,
                           g + 1, t->ngrams, remedy);
    ngram_text ngram, before = {0};
    for (uint32_t g = 0; g < t->ngrams; g++, before = ngram) {
        ngram = ngram_at(t, g);
        const char *fault = fault_of_ngram(t, g, before, ngram);
        if (fault)
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "%s: n-gram %u of %u %s%s", subject, g + 1,
                           t->ngrams, fault, remedy);
    }
    return PSDVEC_OK;
}

psdvec_status pv_spelling_open(psdvec_context *ctx, const pv_spelling_table *table,
                               const char *subject, pv_spelling **spelling)
{
    *spelling = NULL;
    PV_TRY(check_table(ctx, table, subject));
    PV_TRY(pv_spelling_new(ctx, spelling));
    (*spelling)->table = *table;
    return PSDVEC_OK;
}

/* ---- Queries ------------------------------------------------------------------------------- */

/* Makes the slots at the first search: many callers open a model and never need them. Returns NULL
 * if there is no memory for them. */
static const uint64_t *get_slots(const pv_spelling *spelling)
{
    pv_spelling *s = (pv_spelling *)spelling; /* the slots are a cache */
    const pv_spelling_table *t = &s->table;
    size_t count = 64;
    pthread_mutex_lock(&s->lock);
    while (count / 2 < t->ngrams)
        count *= 2;
    if (!s->slots && (s->slots = pv_alloc_zero(s->scope.ctx, count, sizeof *s->slots, NULL))) {
        s->mask = count - 1;
        for (uint32_t g = 0; g < t->ngrams; g++) {
            uint64_t hash =
                XXH3_64bits(t->bytes + t->offsets[g], t->offsets[g + 1] - t->offsets[g]);
            size_t k = hash & s->mask;
            while (s->slots[k])
                k = (k + 1) & s->mask;
            s->slots[k] = hash >> 32 << 32 | (g + 1);
        }
    }
    const uint64_t *slots = s->slots;
    pthread_mutex_unlock(&s->lock);
    return slots;
}

/* Without slots: the n-grams are in ascending order. */
static bool find_sorted(const pv_spelling_table *t, const char *bytes, size_t length, uint32_t *g)
{
    uint32_t low = 0, high = t->ngrams;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        size_t other = t->offsets[middle + 1] - t->offsets[middle];
        int order = memcmp(t->bytes + t->offsets[middle], bytes, other < length ? other : length);
        if (order < 0 || (order == 0 && other < length))
            low = middle + 1;
        else
            high = middle;
    }
    *g = low;
    return low < t->ngrams && t->offsets[low + 1] - t->offsets[low] == length &&
           memcmp(t->bytes + t->offsets[low], bytes, length) == 0;
}

static bool find(const pv_spelling *s, const uint64_t *slots, const char *bytes, size_t length,
                 uint32_t *g)
{
    const pv_spelling_table *t = &s->table;
    if (!slots)
        return find_sorted(t, bytes, length, g);
    uint64_t hash = XXH3_64bits(bytes, length);
    for (size_t k = hash & s->mask; slots[k]; k = (k + 1) & s->mask) {
        uint32_t i = (uint32_t)slots[k] - 1;
        if (slots[k] >> 32 == hash >> 32 && t->offsets[i + 1] - t->offsets[i] == length &&
            memcmp(t->bytes + t->offsets[i], bytes, length) == 0) {
            *g = i;
            return true;
        }
    }
    return false;
}

/* Finds the known n-grams of a word, ascending, each once. `list`: MOST_KNOWN. */
static uint32_t known_ngrams(const pv_spelling *s, const char *word, size_t length, uint32_t *list)
{
    pv_marked_word m;
    uint32_t count = 0;
    const uint64_t *slots = get_slots(s);
    pv_mark_word(word, length, &m);
    for (uint32_t n = s->table.shortest; n <= s->table.longest; n++)
        for (uint32_t c = 0; c + n <= m.characters; c++) {
            uint32_t g, at = count;
            if (!find(s, slots, m.text + m.starts[c], (size_t)(m.starts[c + n] - m.starts[c]), &g))
                continue;
            while (at > 0 && list[at - 1] > g)
                at--;
            if (at > 0 && list[at - 1] == g)
                continue;
            memmove(list + at + 1, list + at, (count - at) * sizeof *list);
            list[at] = g;
            count++;
        }
    return count;
}

/* The factor of the sum of rows. */
static float share(const pv_spelling *s, const uint32_t *list, uint32_t count)
{
    double members = 0;
    for (uint32_t k = 0; k < count; k++)
        members += s->table.members[list[k]];
    return count ? (float)(1 / sqrt(members)) : 0;
}

uint32_t pv_spelling_vector(const pv_spelling *spelling, const char *word, size_t length, float *s)
{
    const pv_spelling_table *t = &spelling->table;
    uint32_t list[MOST_KNOWN];
    uint32_t count = known_ngrams(spelling, word, length, list);
    float factor = share(spelling, list, count);
    pv_row_sums_best()->bytes(list, count, t->rows, t->row_scale, t->dim, s);
    for (uint32_t k = 0; k < t->dim; k++)
        s[k] *= factor;
    return count;
}

typedef struct adding {
    const pv_spelling *spelling;
    const pv_spelling_words *words;
    float factor;
    float *to;
    float *sum; /* dim per worker */
    const pv_row_sums *sums;
} adding;

enum { WORDS_A_TASK = 256 };

static psdvec_status add_words(void *arg, size_t task, int worker)
{
    const adding *a = arg;
    const pv_spelling_table *t = &a->spelling->table;
    float *sum = a->sum + (size_t)worker * t->dim;
    uint32_t list[MOST_KNOWN];
    uint32_t first = (uint32_t)task * WORDS_A_TASK, left = a->words->words - first;
    for (uint32_t k = 0; k < left && k < WORDS_A_TASK; k++) {
        uint32_t i = first + k;
        uint64_t begin = a->words->offsets[i];
        uint32_t count = known_ngrams(a->spelling, a->words->bytes + begin,
                                      (size_t)(a->words->offsets[i + 1] - begin), list);
        if (count == 0)
            continue;
        float factor = share(a->spelling, list, count) * a->factor;
        float *to = a->to + (size_t)i * t->dim;
        a->sums->bytes(list, count, t->rows, t->row_scale, t->dim, sum);
        for (uint32_t d = 0; d < t->dim; d++)
            to[d] += factor * sum[d];
    }
    return PSDVEC_OK;
}

psdvec_status pv_spelling_add(psdvec_context *ctx, const pv_spelling *spelling,
                              const pv_spelling_words *words, float factor, float *to)
{
    adding a = {.spelling = spelling, .words = words, .factor = factor, .sums = pv_row_sums_best()};
    a.to = to;
    a.sum = pv_alloc(ctx, (size_t)psdvec_threads(ctx), spelling->table.dim * sizeof *a.sum,
                     "vectors of spellings");
    if (!a.sum)
        return pv_failure(ctx);
    size_t tasks = ((size_t)words->words + WORDS_A_TASK - 1) / WORDS_A_TASK;
    psdvec_status status = pv_parallel_tasks(ctx, tasks, add_words, &a);
    pv_free(ctx, a.sum);
    return status;
}
