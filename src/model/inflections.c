/* Learning productive endings, and listing the forms of a word. */
#include "model/inflections.h"

#include "base/arguments.h"
#include "model/model_read.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    MOST_WORDS = 30000,
    LEAST_STEM = 3,  /* characters */
    MOST_ENDING = 4, /* characters; bytes are at most four times as many */
    LEAST_PAIRS = 5,
    NO_ENDING = UINT16_MAX
};
static const double least_share = 0.007, least_part = 0.12;

typedef struct ending {
    const char *text; /* points into a word of the model */
    uint32_t length;  /* bytes */
    uint32_t count;   /* of words that end with it */
} ending;

/* A word with a clitic: king's. */
typedef struct clitic_form {
    const char *stem; /* king, in the word */
    uint32_t length, word;
} clitic_form;

struct pv_endings {
    pv_scope scope;
    ending *list; /* count, in the order of their bytes, the empty one first */
    uint32_t count;
    uint8_t *productive;      /* count x count, symmetric */
    clitic_form *apostrophes; /* words with a clitic, in the order of their stems */
    uint32_t apostrophe_count;
};

void pv_endings_free(psdvec_context *ctx, pv_endings *endings)
{
    if (!endings)
        return;
    pv_scope_free(&endings->scope);
    pv_free(ctx, endings);
}

/* ---- Characters ------------------------------------------------------------------------ */

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

static uint32_t characters(const char *text, size_t length)
{
    uint32_t count = 0;
    for (size_t k = 0; k < length; k++)
        count += starts_character(text[k]);
    return count;
}

/* Number of bytes of the last `count` characters; the word has more characters. */
static size_t tail_bytes(const char *text, size_t length, uint32_t count)
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
    uint16_t endings[MOST_ENDING + 1]; /* by their number of characters, or NO_ENDING */
} known_word;

static int compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_text(const void *a, const void *b)
{
    const known_word *x = a, *y = b;
    return compare(x->text, x->length, y->text, y->length);
}

static int by_ending(const void *a, const void *b)
{
    const ending *x = a, *y = b;
    return compare(x->text, x->length, y->text, y->length);
}

static uint32_t needed(uint32_t words)
{
    uint32_t share = (uint32_t)(least_share * words);
    return share > LEAST_PAIRS ? share : LEAST_PAIRS;
}

/* Counts all endings of the words in a hash table of `mask` + 1 slots. */
static void count_endings(const known_word *words, uint32_t count, ending *slots, size_t mask)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= MOST_ENDING && words[i].characters >= LEAST_STEM + k; k++) {
            uint32_t length = (uint32_t)tail_bytes(words[i].text, words[i].length, k);
            const char *text = words[i].text + words[i].length - length;
            size_t at = XXH3_64bits(text, length) & mask;
            while (slots[at].text && compare(slots[at].text, slots[at].length, text, length) != 0)
                at = (at + 1) & mask;
            slots[at].text = text;
            slots[at].length = length;
            slots[at].count++;
        }
}

static uint16_t find_ending(const pv_endings *e, const char *text, size_t length)
{
    const ending key = {.text = text, .length = (uint32_t)length};
    const ending *found = e->count ? bsearch(&key, e->list, e->count, sizeof key, by_ending) : NULL;
    return found ? (uint16_t)(found - e->list) : NO_ENDING;
}

static void keep_endings(pv_endings *e, const ending *slots, size_t mask, uint32_t least)
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
    return characters(a->text, k);
}

/* Sorted words with the same stem are adjacent. pairs: count x count. */
static void count_pairs(const pv_endings *e, const known_word *words, uint32_t count,
                        const uint32_t *common, uint32_t *pairs)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t stem = UINT32_MAX;
        for (uint32_t j = i + 1; j < count; j++) {
            stem = common[j] < stem ? common[j] : stem;
            if (stem < LEAST_STEM || words[i].characters - stem > MOST_ENDING)
                break;
            if (words[j].characters - stem > MOST_ENDING)
                continue;
            uint16_t x = words[i].endings[words[i].characters - stem];
            uint16_t y = words[j].endings[words[j].characters - stem];
            if (x != NO_ENDING && y != NO_ENDING)
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

static psdvec_status learn(psdvec_context *ctx, const psdvec_model *m, pv_endings *e)
{
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the forms of words"};
    uint32_t all = m->info.words < MOST_WORDS ? m->info.words : MOST_WORDS, least = needed(all);
    size_t slots_count = 64;
    while (slots_count < (size_t)all * (MOST_ENDING + 1) * 2)
        slots_count *= 2;
    known_word *words;
    ending *slots;
    uint32_t *common, *pairs;
    PV_TAKE(&scope, words, all);
    PV_TAKE(&scope, common, all);
    PV_TAKE_ZERO(&scope, slots, slots_count);
    /* Each of the `all` words has one ending of each length, which bounds the number of frequent
     * endings. */
    PV_TAKE(&e->scope, e->list, (size_t)all * (MOST_ENDING + 1) / least + 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_scope_status(&e->scope));
    for (uint32_t i = 0; i < all; i++) {
        size_t length;
        words[i].text = psdvec_model_word(m, i, &length);
        words[i].length = (uint32_t)length;
        words[i].characters = characters(words[i].text, length);
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
        for (uint32_t k = 0; k <= MOST_ENDING; k++) {
            size_t length = tail_bytes(words[i].text, words[i].length, k);
            words[i].endings[k] =
                words[i].characters >= LEAST_STEM + k
                    ? find_ending(e, words[i].text + words[i].length - length, length)
                    : NO_ENDING;
        }
    }
    count_pairs(e, words, all, common, pairs);
    mark_productive(e, pairs, least);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- Apostrophes -------------------------------------------------------------------------- */

static const char curly[] = "\xE2\x80\x99";

/* The next apostrophe from `at` on, and its bytes; NULL: none. */
static const char *apostrophe(const char *at, const char *end, size_t *length)
{
    for (; at < end; at++) {
        if (*at == '\'') {
            *length = 1;
            return at;
        }
        if (end - at >= 3 && memcmp(at, curly, 3) == 0) {
            *length = 3;
            return at;
        }
    }
    return NULL;
}

/* king for king's, homme for l'homme; the word itself if it has no clitic. */
static const char *without_clitic(const char *word, size_t *length)
{
    const char *end = word + *length;
    size_t bytes;
    for (const char *at = word; (at = apostrophe(at, end, &bytes)); at += bytes) {
        size_t before = (size_t)(at - word), after = (size_t)(end - at) - bytes;
        uint32_t in_front = characters(word, before), behind = characters(at + bytes, after);
        if (behind <= 2 && in_front >= 2) {
            *length = before;
            return word;
        }
        if (in_front <= 2 && behind >= 2) {
            *length = after;
            return at + bytes;
        }
    }
    return word;
}

static int by_stem(const void *a, const void *b)
{
    const clitic_form *x = a, *y = b;
    int order = compare(x->stem, x->length, y->stem, y->length);
    return order ? order : (x->word > y->word) - (x->word < y->word);
}

static psdvec_status list_apostrophes(const psdvec_model *m, pv_endings *e)
{
    size_t capacity = 0;
    for (uint32_t i = 0; i < m->info.words; i++) {
        size_t length, whole;
        const char *word = psdvec_model_word(m, i, &length);
        whole = length;
        const char *stem = without_clitic(word, &length);
        if (length == whole)
            continue;
        PV_TRY(PV_RESERVE(&e->scope, e->apostrophes, capacity, (size_t)e->apostrophe_count + 1));
        e->apostrophes[e->apostrophe_count++] =
            (clitic_form){.stem = stem, .length = (uint32_t)length, .word = i};
    }
    if (e->apostrophe_count)
        qsort(e->apostrophes, e->apostrophe_count, sizeof *e->apostrophes, by_stem);
    return PSDVEC_OK;
}

/* ---- Forms of a word ------------------------------------------------------------------------ */

static psdvec_status ensure_endings(psdvec_context *ctx, psdvec_model *m)
{
    psdvec_status status = PSDVEC_OK;
    pthread_mutex_lock(&m->lock);
    if (!m->endings) {
        pv_endings *e = pv_alloc_zero(m->ctx, 1, sizeof *e, NULL);
        if (e)
            e->scope = (pv_scope){.ctx = m->ctx};
        if (e && learn(ctx, m, e) == PSDVEC_OK && list_apostrophes(m, e) == PSDVEC_OK) {
            m->endings = e;
        } else {
            status = pv_fail(ctx, PSDVEC_ERR_BUDGET,
                             "%s: not enough memory to find the forms of words; raise the limit "
                             "(`memory`)",
                             m->path);
            pv_endings_free(m->ctx, e);
        }
    }
    pthread_mutex_unlock(&m->lock);
    return status;
}

typedef struct form_list {
    const psdvec_model *model;
    const pv_endings *endings;
    pv_buffer word;  /* being looked up */
    pv_buffer found; /* uint32_t */
} form_list;

static psdvec_status add(form_list *list, uint32_t word)
{
    return pv_buffer_append(&list->found, &word, sizeof word);
}

/* Adds the words that consist of the stem and an ending that is productive with ending x. */
static psdvec_status add_endings(form_list *list, const char *stem, size_t length, uint16_t x)
{
    const pv_endings *e = list->endings;
    uint32_t i;
    for (uint32_t y = 0; y < e->count; y++) {
        if (!e->productive[(size_t)x * e->count + y])
            continue;
        list->word.length = 0;
        PV_TRY(pv_buffer_append(&list->word, stem, length));
        PV_TRY(pv_buffer_append(&list->word, e->list[y].text, e->list[y].length));
        if (psdvec_model_find(list->model, list->word.data, list->word.length, &i))
            PV_TRY(add(list, i));
    }
    return PSDVEC_OK;
}

static psdvec_status add_by_endings(form_list *list, const char *word, size_t length)
{
    const pv_endings *e = list->endings;
    uint32_t count = characters(word, length), i;
    for (uint32_t k = 0; k <= MOST_ENDING && count >= LEAST_STEM + k; k++) {
        size_t bytes = tail_bytes(word, length, k);
        uint16_t x = find_ending(e, word + length - bytes, bytes);
        if (x == NO_ENDING)
            continue;
        PV_TRY(add_endings(list, word, length - bytes, x));
        /* The empty ending is the first. */
        if (k > 0 && e->productive[x] && psdvec_model_find(list->model, word, length - bytes, &i))
            PV_TRY(add_endings(list, word, length - bytes, 0));
    }
    return PSDVEC_OK;
}

static psdvec_status add_by_apostrophes(form_list *list, const char *word, size_t length)
{
    const clitic_form *forms = list->endings->apostrophes;
    size_t stem_length = length, low = 0, high = list->endings->apostrophe_count;
    const char *stem = without_clitic(word, &stem_length);
    uint32_t i;
    if (stem_length < length && psdvec_model_find(list->model, stem, stem_length, &i))
        PV_TRY(add(list, i));
    while (low < high) { /* the first form that does not sort before the stem */
        size_t middle = low + (high - low) / 2;
        if (compare(forms[middle].stem, forms[middle].length, stem, stem_length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < list->endings->apostrophe_count &&
           compare(forms[low].stem, forms[low].length, stem, stem_length) == 0;
         low++)
        PV_TRY(add(list, forms[low].word));
    return PSDVEC_OK;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts the words, and removes duplicates and the word itself. */
static size_t sort_unique(uint32_t *words, size_t count, uint32_t itself)
{
    size_t kept = 0;
    if (count)
        qsort(words, count, sizeof *words, by_number);
    for (size_t k = 0; k < count; k++)
        if (words[k] != itself && (kept == 0 || words[k] != words[kept - 1]))
            words[kept++] = words[k];
    return kept;
}

psdvec_status psdvec_model_inflections(psdvec_context *ctx, const psdvec_model *model,
                                       const char *word, size_t length, uint32_t *forms,
                                       size_t room, size_t *count)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, count);
    *count = 0;
    PV_NEED(ctx, model);
    PV_NEED(ctx, word);
    PV_NEED_ARRAY(ctx, forms, room);
    psdvec_model *m = pv_model_words(model);
    PV_TRY(pv_check_cancel(ctx));
    PV_TRY(ensure_endings(ctx, m)); /* a cache */
    psdvec_status status;
    form_list list = {
        .model = m, .endings = m->endings, .word = {.ctx = ctx}, .found = {.ctx = ctx}};
    PV_TRY_DONE(add_by_endings(&list, word, length));
    PV_TRY_DONE(add_by_apostrophes(&list, word, length));
    uint32_t itself = PSDVEC_UNKNOWN_WORD, *found = (uint32_t *)(void *)list.found.data;
    psdvec_model_find(m, word, length, &itself);
    *count = sort_unique(found, list.found.length / sizeof *found, itself);
    if (room && found)
        memcpy(forms, found, (*count < room ? *count : room) * sizeof *forms);
    status = PSDVEC_OK;
done:
    pv_buffer_free(&list.word);
    pv_buffer_free(&list.found);
    return status;
}
