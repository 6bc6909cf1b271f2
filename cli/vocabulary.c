/* Finding words by prefix. */
#include "vocabulary.h"

#include "memory.h"
#include "util/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <wctype.h>

static int by_bytes(const void *a, const void *b)
{
    const struct vocabulary_entry *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

void vocabulary_sort(struct vocabulary *vocabulary)
{
    if (vocabulary->sorted)
        return;
    vocabulary->count = psdvec_model_get_info(vocabulary->model)->words;
    vocabulary->sorted = must_alloc(vocabulary->count + 1, sizeof *vocabulary->sorted);
    for (uint32_t k = 0; k < vocabulary->count; k++) {
        size_t length;
        const char *text = psdvec_model_word(vocabulary->model, k, &length);
        vocabulary->sorted[k] = (struct vocabulary_entry){text, (uint32_t)length, k};
    }
    qsort(vocabulary->sorted, vocabulary->count, sizeof *vocabulary->sorted, by_bytes);
}

void vocabulary_free(struct vocabulary *vocabulary)
{
    free(vocabulary->sorted);
    vocabulary->sorted = NULL;
}

/* The first word that does not sort before the prefix; `after`: the first that sorts after all
 * words with this prefix. */
static size_t search(const struct vocabulary *vocabulary, const char *begin, size_t length,
                     bool after)
{
    size_t low = 0, high = vocabulary->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct vocabulary_entry *entry = vocabulary->sorted + middle;
        size_t shared = entry->length < length ? entry->length : length;
        int order = memcmp(entry->text, begin, shared);
        if (order == 0 && entry->length < length)
            order = -1;
        if (order < 0 || (order == 0 && after))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void vocabulary_find(const struct vocabulary *vocabulary, const char *prefix, size_t length,
                     size_t *first, size_t *end)
{
    *first = search(vocabulary, prefix, length, false);
    *end = search(vocabulary, prefix, length, true);
}

void vocabulary_find_any_case(const struct vocabulary *vocabulary, const char *prefix,
                              size_t *first, size_t *end)
{
    vocabulary_find(vocabulary, prefix, strlen(prefix), first, end);
    if (*first < *end)
        return;
    struct buffer lower = {0};
    const unsigned char *at = (const unsigned char *)prefix, *stop = at + strlen(prefix);
    uint32_t code;
    for (int bytes; at < stop && (bytes = pv_utf8_decode(at, stop, &code)) > 0; at += bytes) {
        char text[4];
        buffer_add(&lower, text, (size_t)pv_utf8_encode((uint32_t)towlower((wint_t)code), text));
    }
    if (at == stop && strcmp(buffer_get(&lower), prefix) != 0)
        vocabulary_find(vocabulary, lower.text, lower.length, first, end);
    buffer_free(&lower);
}

/* Whether word a is listed before b. */
static bool more_frequent(const psdvec_model *model, uint32_t a, uint32_t b)
{
    uint64_t x = psdvec_model_frequency(model, a), y = psdvec_model_frequency(model, b);
    return x != y ? x > y : a < b;
}

size_t vocabulary_best(const struct vocabulary *vocabulary, size_t first, size_t end,
                       uint32_t *words, size_t most)
{
    size_t count = 0;
    for (size_t k = first; k < end && most; k++) {
        uint32_t word = vocabulary->sorted[k].word;
        if (count == most && !more_frequent(vocabulary->model, word, words[count - 1]))
            continue;
        size_t at = count < most ? count++ : count - 1;
        for (; at > 0 && more_frequent(vocabulary->model, word, words[at - 1]); at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
    return count;
}
