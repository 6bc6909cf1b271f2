/* The vocabulary: which words are known, in what order, and how often they
 * stand in the text.
 *
 * Without a list: the words seen at least min_count times, most frequent
 * first, ties in byte order. With a list: its words in its order, also those
 * never seen.
 */
#ifndef PV_COUNT_VOCABULARY_H
#define PV_COUNT_VOCABULARY_H

#include "count/token_store.h"

#define PV_UNKNOWN_WORD UINT32_MAX

typedef struct pv_vocabulary {
    psdvec_context *ctx;
    pv_scope memory;
    uint32_t count;
    char *bytes;              /* all words, one after the other */
    uint64_t *offsets;        /* count + 1: word i is bytes[offsets[i]] .. */
    uint64_t *frequency;      /* count: tokens of the text */
    uint64_t *list_frequency; /* count: as the list says; NULL if it does not ... */
    uint64_t line_without;    /* ... and the first line with a word but no frequency */
    bool fixed;               /* made from a list */
    uint64_t distinct;        /* words seen, known or not */
    uint64_t known_tokens;
} pv_vocabulary;

void pv_vocabulary_init(pv_vocabulary *vocabulary, psdvec_context *ctx);
void pv_vocabulary_free(pv_vocabulary *vocabulary);

static inline const char *pv_vocabulary_word(const pv_vocabulary *v, uint32_t i, size_t *length)
{
    *length = (size_t)(v->offsets[i + 1] - v->offsets[i]);
    return v->bytes + v->offsets[i];
}

/* Memory for so many words of so many bytes in all; frequencies are 0. */
psdvec_status pv_vocabulary_reserve(pv_vocabulary *vocabulary, uint32_t words, uint64_t bytes);
/* The words of a table in the order of their ids, or in `order` if it is not NULL; frequencies
 * start at 0. */
psdvec_status pv_vocabulary_set(pv_vocabulary *vocabulary, const pv_word_table *words,
                                const uint32_t *order);
/* The same from a file: a counts file, or text with a word a line and perhaps its frequency after
 * white space, as GloVe and word2vec write it, or the original PSDVec program's top1grams
 * (format_top2grams.c). If every word has one, they go to list_frequency. */
psdvec_status pv_vocabulary_read(pv_vocabulary *vocabulary, const char *path);
/* Most frequent first, ties in byte order: < 0 if word a comes before b. */
int pv_compare_words(uint64_t frequency_a, const char *a, size_t length_a, uint64_t frequency_b,
                     const char *b, size_t length_b);

/* The words of the store that the options let in, and the store's
 * provisional ids turned into final ones. If vocabulary->fixed, its words
 * stay, and only their frequencies are filled in. */
psdvec_status pv_vocabulary_build(pv_vocabulary *vocabulary, pv_token_store *store,
                                  const psdvec_count_options *options);

#endif
