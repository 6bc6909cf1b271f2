/* The n-grams of words, and of a whole vocabulary.
 *
 * One pass, one hash table; an n-gram's text is copied once, at its first occurrence. Costs
 * some 80 ns and 4 bytes an occurrence, and 40 bytes and its text an n-gram.
 */
#include "spelling/ngrams.h"

#include <string.h>
#include <xxhash.h>

/* A byte below 128 is a character; any other begins one and takes the bytes with it that can
 * only continue, three at most. For UTF-8 these are the code points. */
static size_t character_length(const char *at, const char *end)
{
    size_t length = 1;
    if ((unsigned char)*at < 0x80)
        return 1;
    while (length < 4 && at + length < end && ((unsigned char)at[length] & 0xC0) == 0x80)
        length++;
    return length;
}

size_t pv_count_characters(const char *text, size_t length)
{
    size_t count = 0;
    for (const char *at = text, *end = text + length; at < end; count++)
        at += character_length(at, end);
    return count;
}

static void append(pv_marked_word *m, const char *bytes, size_t length)
{
    size_t begin = m->starts[m->characters];
    memcpy(m->text + begin, bytes, length);
    m->starts[++m->characters] = (uint16_t)(begin + length);
}

void pv_mark_word(const char *word, size_t length, pv_marked_word *marked)
{
    static const char begin = PV_MARK_BEGIN, end_mark = PV_MARK_END;
    const char *at = word, *end = word + length;
    marked->characters = 0;
    marked->starts[0] = 0;
    append(marked, &begin, 1);
    while (at < end && marked->characters < PV_MARKED_MOST) {
        size_t bytes = character_length(at, end);
        append(marked, at, bytes);
        at += bytes;
    }
    if (marked->characters < PV_MARKED_MOST)
        append(marked, &end_mark, 1);
}

/* ---- Of a vocabulary -------------------------------------------------------------- */

static size_t ngrams_of(size_t characters, uint32_t shortest, uint32_t longest)
{
    size_t count = 0;
    for (size_t n = shortest; n <= longest && n <= characters; n++)
        count += characters - n + 1;
    return count;
}

uint64_t pv_count_occurrences(const pv_spelling_words *words, uint32_t shortest, uint32_t longest)
{
    uint64_t occurrences = 0;
    for (uint32_t i = 0; i < words->words; i++) {
        const char *word = words->bytes + words->offsets[i];
        size_t length = (size_t)(words->offsets[i + 1] - words->offsets[i]);
        size_t characters = pv_count_characters(word, length) + 2;
        occurrences +=
            ngrams_of(characters < PV_MARKED_MOST ? characters : PV_MARKED_MOST, shortest, longest);
    }
    return occurrences;
}

static psdvec_status grow_slots(pv_ngrams *g)
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

static psdvec_status add_ngram(pv_ngrams *g, const char *bytes, size_t length, uint64_t hash)
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
    g->ngrams[g->count++] =
        (pv_ngram){.hash = hash, .at = g->text.length, .length = (uint32_t)length};
    return pv_buffer_append(&g->text, bytes, length);
}

/* The number of an n-gram, which may be a new one. */
static psdvec_status number_of(pv_ngrams *g, const char *bytes, size_t length, uint32_t *number)
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

static psdvec_status collect_word(pv_ngrams *g, const pv_marked_word *m, uint32_t i,
                                  uint32_t shortest, uint32_t longest, uint64_t *entries)
{
    for (uint32_t n = shortest; n <= longest; n++)
        for (uint32_t c = 0; c + n <= m->characters; c++) {
            uint32_t number;
            PV_TRY(number_of(g, m->text + m->starts[c], (size_t)(m->starts[c + n] - m->starts[c]),
                             &number));
            pv_ngram *ngram = &g->ngrams[number];
            if (ngram->last == i + 1)
                continue; /* twice in this word */
            ngram->last = i + 1;
            ngram->words++;
            g->row[(*entries)++] = number;
        }
    return PSDVEC_OK;
}

psdvec_status pv_ngrams_collect(psdvec_context *ctx, const pv_spelling_words *words,
                                uint32_t shortest, uint32_t longest, pv_ngrams *g)
{
    enum { first_slots = 1 << 14, between_looks = 1 << 12 };
    pv_marked_word marked;
    uint64_t occurrences = pv_count_occurrences(words, shortest, longest), entries = 0;
    *g = (pv_ngrams){.scope = {.ctx = ctx, .what = "the n-grams of the words"},
                     .mask = first_slots - 1};
    pv_buffer_init(&g->text, ctx);
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

void pv_ngrams_free(pv_ngrams *ngrams)
{
    pv_scope_free(&ngrams->scope);
    pv_buffer_free(&ngrams->text);
}
