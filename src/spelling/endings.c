/* Learning productive endings: words are sorted, so that those with the same stem are adjacent. */
#include "spelling/endings.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MOST_WORDS = 30000, LEAST_PAIRS = 5 };
static const double least_share = 0.007, least_part = 0.12;

/* ---- Characters ------------------------------------------------------------------------ */

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

uint32_t pv_characters(const char *text, size_t length)
{
    uint32_t count = 0;
    for (size_t k = 0; k < length; k++)
        count += starts_character(text[k]);
    return count;
}

size_t pv_tail_bytes(const char *text, size_t length, uint32_t count)
{
    size_t at = length;
    while (count > 0 && at > 0)
        count -= starts_character(text[--at]);
    return length - at;
}

/* ---- Learning --------------------------------------------------------------------------- */

typedef struct known_word {
    const char *text;
    uint32_t length, characters;
    uint16_t endings[PV_ENDING_MOST + 1]; /* by their number of characters, or PV_NO_ENDING */
} known_word;

int pv_compare_texts(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_text(const void *a, const void *b)
{
    const known_word *x = a, *y = b;
    return pv_compare_texts(x->text, x->length, y->text, y->length);
}

static int by_ending(const void *a, const void *b)
{
    const pv_ending *x = a, *y = b;
    return pv_compare_texts(x->text, x->length, y->text, y->length);
}

static uint32_t needed(uint32_t words)
{
    uint32_t share = (uint32_t)(least_share * words);
    return share > LEAST_PAIRS ? share : LEAST_PAIRS;
}

/* Counts all endings of the words in a hash table of `mask` + 1 slots. */
static void count_endings(const known_word *words, uint32_t count, pv_ending *slots, size_t mask)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= PV_ENDING_MOST && words[i].characters >= PV_ENDING_STEM + k;
             k++) {
            uint32_t length = (uint32_t)pv_tail_bytes(words[i].text, words[i].length, k);
            const char *text = words[i].text + words[i].length - length;
            size_t at = XXH3_64bits(text, length) & mask;
            while (slots[at].text &&
                   pv_compare_texts(slots[at].text, slots[at].length, text, length) != 0)
                at = (at + 1) & mask;
            slots[at].text = text;
            slots[at].length = length;
            slots[at].count++;
        }
}

uint16_t pv_endings_find(const pv_endings *e, const char *text, size_t length)
{
    const pv_ending key = {.text = text, .length = (uint32_t)length};
    const pv_ending *found = e->count ? bsearch(&key, e->list, e->count, sizeof key, by_ending)
                                      : NULL;
    return found ? (uint16_t)(found - e->list) : PV_NO_ENDING;
}

static void keep_endings(pv_endings *e, const pv_ending *slots, size_t mask, uint32_t least)
{
    for (size_t k = 0; k <= mask; k++)
        if (slots[k].count >= least)
            e->list[e->count++] = slots[k];
    qsort(e->list, e->count, sizeof *e->list, by_ending);
}

/* Length in characters of the common prefix of two words. */
static uint32_t common_characters(const known_word *a, const known_word *b)
{
    uint32_t k = 0, shorter = a->length < b->length ? a->length : b->length;
    while (k < shorter && a->text[k] == b->text[k])
        k++;
    /* Not in the middle of a character. */
    while (k > 0 && ((k < a->length && !starts_character(a->text[k])) ||
                     (k < b->length && !starts_character(b->text[k]))))
        k--;
    return pv_characters(a->text, k);
}

/* Sorted words with the same stem are adjacent. pairs: count x count. */
static void count_pairs(const pv_endings *e, const known_word *words, uint32_t count,
                        const uint32_t *common, uint32_t *pairs)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t stem = UINT32_MAX;
        for (uint32_t j = i + 1; j < count; j++) {
            stem = common[j] < stem ? common[j] : stem;
            if (stem < PV_ENDING_STEM || words[i].characters - stem > PV_ENDING_MOST)
                break;
            if (words[j].characters - stem > PV_ENDING_MOST)
                continue;
            uint16_t x = words[i].endings[words[i].characters - stem];
            uint16_t y = words[j].endings[words[j].characters - stem];
            if (x != PV_NO_ENDING && y != PV_NO_ENDING)
                pairs[(size_t)x * e->count + y]++;
        }
    }
}

static void mark_productive(pv_endings *e, const uint32_t *pairs, uint32_t least)
{
    size_t count = e->count;
    for (size_t x = 0; x < count; x++)
        for (size_t y = x + 1; y < count; y++) {
            uint32_t c = pairs[x * count + y] + pairs[y * count + x];
            uint32_t smaller = e->list[x].count < e->list[y].count ? e->list[x].count
                                                                   : e->list[y].count;
            if (c >= least && (double)c >= least_part * (double)smaller)
                e->productive[x * count + y] = e->productive[y * count + x] = 1;
        }
}

static size_t slots_for(uint32_t words)
{
    size_t slots = 64;
    while (slots < (size_t)words * (PV_ENDING_MOST + 1) * 2)
        slots *= 2;
    return slots;
}

static uint32_t used_words(uint64_t words)
{
    return words < MOST_WORDS ? (uint32_t)words : MOST_WORDS;
}

/* Each of the words has one ending of each length, which bounds the number of frequent endings. */
static size_t most_endings(uint32_t words)
{
    return (size_t)words * (PV_ENDING_MOST + 1) / needed(words) + 1;
}

uint64_t pv_endings_bytes(uint64_t words)
{
    uint32_t used = used_words(words);
    uint64_t endings = most_endings(used);
    return used * (sizeof(known_word) + sizeof(uint32_t)) + endings * sizeof(pv_ending) +
           pv_larger(slots_for(used) * sizeof(pv_ending),
                     endings * endings * (sizeof(uint32_t) + 1));
}

psdvec_status pv_endings_learn(psdvec_context *ctx, const pv_spelling_words *vocabulary,
                               pv_endings *e)
{
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the endings of words"};
    uint32_t all = vocabulary->words < MOST_WORDS ? vocabulary->words : MOST_WORDS,
             least = needed(all);
    size_t slots_count = slots_for(all);
    known_word *words;
    pv_ending *slots;
    uint32_t *common, *pairs;
    PV_TAKE(&scope, words, all);
    PV_TAKE(&scope, common, all);
    PV_TAKE_ZERO(&scope, slots, slots_count);
    PV_TAKE(&e->scope, e->list, most_endings(all));
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_scope_status(&e->scope));
    for (uint32_t i = 0; i < all; i++) {
        words[i].text = vocabulary->bytes + vocabulary->offsets[i];
        words[i].length = (uint32_t)(vocabulary->offsets[i + 1] - vocabulary->offsets[i]);
        words[i].characters = pv_characters(words[i].text, words[i].length);
    }
    qsort(words, all, sizeof *words, by_text);
    count_endings(words, all, slots, slots_count - 1);
    keep_endings(e, slots, slots_count - 1, least);
    pv_scope_drop(&scope, slots);
    PV_TAKE_ZERO(&scope, pairs, (size_t)e->count * e->count);
    PV_TAKE_ZERO(&e->scope, e->productive, (size_t)e->count * e->count);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_scope_status(&e->scope));
    for (uint32_t i = 0; i < all; i++) {
        common[i] = i ? common_characters(&words[i - 1], &words[i]) : 0;
        for (uint32_t k = 0; k <= PV_ENDING_MOST; k++) {
            size_t length = pv_tail_bytes(words[i].text, words[i].length, k);
            words[i].endings[k] =
                words[i].characters >= PV_ENDING_STEM + k
                    ? pv_endings_find(e, words[i].text + words[i].length - length, length)
                    : PV_NO_ENDING;
        }
    }
    count_pairs(e, words, all, common, pairs);
    mark_productive(e, pairs, least);
done:
    pv_scope_free(&scope);
    return status;
}
