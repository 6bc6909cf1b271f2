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
    pv_free(spelling->scope.ctx, spelling);
}

psdvec_status pv_spelling_new(psdvec_context *ctx, pv_spelling **spelling)
{
    *spelling = pv_alloc_zero(ctx, 1, sizeof **spelling, "the table of n-grams");
    if (!*spelling)
        return pv_failure(ctx);
    (*spelling)->scope = (pv_scope){.ctx = ctx, .what = "the table of n-grams"};
    return PSDVEC_OK;
}

/* ---- Opening --------------------------------------------------------------------------- */

psdvec_status pv_table_index(pv_spelling *spelling)
{
    const pv_spelling_table *t = &spelling->table;
    size_t slots = 64;
    while (slots / 2 < t->ngrams)
        slots *= 2;
    spelling->mask = slots - 1;
    PV_TAKE_ZERO(&spelling->scope, spelling->slots, slots);
    PV_TRY(pv_scope_status(&spelling->scope));
    for (uint32_t g = 0; g < t->ngrams; g++) {
        uint64_t hash = XXH3_64bits(t->bytes + t->offsets[g], t->offsets[g + 1] - t->offsets[g]);
        size_t k = hash & spelling->mask;
        while (spelling->slots[k])
            k = (k + 1) & spelling->mask;
        spelling->slots[k] = hash >> 32 << 32 | (g + 1);
    }
    return PSDVEC_OK;
}

static bool ascending(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order < 0 || (order == 0 && a_length < b_length);
}

static const char *fault_of_ngram(const pv_spelling_table *t, uint32_t g)
{
    const char *bytes = t->bytes + t->offsets[g];
    uint32_t length = t->offsets[g + 1] - t->offsets[g];
    if (length > 4 * PV_NGRAM_LONGEST)
        return "is too long";
    size_t characters = pv_count_characters(bytes, length);
    if (characters < t->shortest || characters > t->longest)
        return "has a length that the table does not allow";
    if (g > 0 &&
        !ascending(t->bytes + t->offsets[g - 1], t->offsets[g] - t->offsets[g - 1], bytes, length))
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
    for (uint32_t g = 0; g < t->ngrams; g++) {
        const char *fault = fault_of_ngram(t, g);
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
    return pv_table_index(*spelling);
}

/* ---- Queries ------------------------------------------------------------------------------- */

static bool find(const pv_spelling *s, const char *bytes, size_t length, uint32_t *g)
{
    const pv_spelling_table *t = &s->table;
    uint64_t hash = XXH3_64bits(bytes, length);
    for (size_t k = hash & s->mask; s->slots[k]; k = (k + 1) & s->mask) {
        uint32_t i = (uint32_t)s->slots[k] - 1;
        if (s->slots[k] >> 32 == hash >> 32 && t->offsets[i + 1] - t->offsets[i] == length &&
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
    pv_mark_word(word, length, &m);
    for (uint32_t n = s->table.shortest; n <= s->table.longest; n++)
        for (uint32_t c = 0; c + n <= m.characters; c++) {
            uint32_t g, at = count;
            if (!find(s, m.text + m.starts[c], (size_t)(m.starts[c + n] - m.starts[c]), &g))
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
