/* The vocabulary of a model in byte order, to find words by prefix.
 *
 * Words with a common prefix are adjacent. Sorting 70,000 words takes about 30 ms, once; finding the
 * most frequent words with a prefix is a binary search and one pass over the words that have it. */
#ifndef CLI_VOCABULARY_H
#define CLI_VOCABULARY_H

#include <psdvec/psdvec.h>

struct vocabulary_entry {
    const char *text;
    uint32_t length, word;
};

/* Start from {.model = ...}. */
struct vocabulary {
    const psdvec_model *model;
    struct vocabulary_entry *sorted; /* NULL until vocabulary_sort() */
    size_t count;
};

/* Sorts the words, unless that was done. */
void vocabulary_sort(struct vocabulary *vocabulary);
void vocabulary_free(struct vocabulary *vocabulary);

/* The sorted words with this prefix are those from *first up to, not including, *end. */
void vocabulary_find(const struct vocabulary *vocabulary, const char *prefix, size_t length,
                     size_t *first, size_t *end);

/* The same; if there are none, those with the prefix in lower case. */
void vocabulary_find_any_case(const struct vocabulary *vocabulary, const char *prefix,
                              size_t *first, size_t *end);

/* The most frequent words of that range, at most `most`, best first. Returns their number. */
size_t vocabulary_best(const struct vocabulary *vocabulary, size_t first, size_t end,
                       uint32_t *words, size_t most);

#endif
