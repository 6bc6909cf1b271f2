/* The vocabulary: the known words, their order and their frequencies.
 *
 * Without a list: the words seen at least min_count times, most frequent first, ties in byte order.
 * With a list: its words in its order, including words that never occur.
 */
#ifndef PV_COUNT_VOCABULARY_H
#define PV_COUNT_VOCABULARY_H

#include "count/token_store.h"

#define PV_UNKNOWN_WORD UINT32_MAX

typedef struct pv_vocabulary {
    psdvec_context *ctx;
    pv_scope memory;
    uint32_t count;
    char *bytes;              /* all words, concatenated */
    uint64_t *offsets;        /* count + 1: word i is bytes[offsets[i]] .. */
    uint64_t *frequency;      /* count: tokens of the text */
    uint64_t *list_frequency; /* count: from the list; NULL if it does not have them ... */
    uint64_t line_without;    /* ... and the first line with a word but no frequency */
    bool fixed;               /* made from a list */
    uint64_t distinct;        /* distinct words in the text, known or not */
    uint64_t known_tokens;
} pv_vocabulary;

void pv_vocabulary_init(pv_vocabulary *vocabulary, psdvec_context *ctx);
void pv_vocabulary_free(pv_vocabulary *vocabulary);

static inline const char *pv_vocabulary_word(const pv_vocabulary *v, uint32_t i, size_t *length)
{
    *length = (size_t)(v->offsets[i + 1] - v->offsets[i]);
    return v->bytes + v->offsets[i];
}

/* Allocates memory for that many words and bytes; frequencies are 0. */
psdvec_status pv_vocabulary_reserve(pv_vocabulary *vocabulary, uint32_t words, uint64_t bytes);
/* Takes the words of a table in the order of their ids, or in `order` if it is not NULL;
 * frequencies are 0. */
psdvec_status pv_vocabulary_set(pv_vocabulary *vocabulary, const pv_word_table *words,
                                const uint32_t *order);
/* The same from a file: a counts file, or text with one word per line, optionally followed by
 * white space and its frequency, as written by GloVe and word2vec, or the original PSDVec
 * program's top1grams (format_top2grams.c). If every word has a frequency, they are stored in
 * list_frequency. */
psdvec_status pv_vocabulary_read(pv_vocabulary *vocabulary, const char *path);
/* Most frequent first, ties in byte order: < 0 if word a comes before b. */
int pv_compare_words(uint64_t frequency_a, const char *a, size_t length_a, uint64_t frequency_b,
                     const char *b, size_t length_b);

/* Chooses the words of the store according to the options, and turns the store's provisional ids
 * into final ones. If vocabulary->fixed, its words stay, and only their frequencies are set. */
psdvec_status pv_vocabulary_build(pv_vocabulary *vocabulary, pv_token_store *store,
                                  const psdvec_count_options *options);

#endif
