/* The counter as documented, in its simplest form: everything in memory, one thread, a hash map of
 * pairs. The fast counter must give the same result.
 *
 * It shares only the tokeniser with the fast one: the line of a token comes from psdvec_tokenize
 * with one document per line; documents, the vocabulary and the weights of pairs are determined
 * here.
 *
 * Cost: about 100 bytes and 100 ns per pair.
 */
#ifndef TESTS_REFERENCE_COUNTER_H
#define TESTS_REFERENCE_COUNTER_H

#include <psdvec/psdvec.h>

/* One file: its bytes, and the input that it belongs to. Files of one input are consecutive and in
 * order. */
typedef struct ref_text {
    const char *bytes;
    size_t length;
    size_t input;
} ref_text;

/* A fixed list of words. `frequencies` may be NULL. */
typedef struct ref_list {
    const char *const *words;
    const uint64_t *frequencies;
    size_t count;
} ref_list;

typedef struct ref_word {
    char *text;
    size_t length;
    uint64_t frequency;
    uint64_t context_total, focus_total;
    double retention;
    uint64_t step; /* keep in 1/256 */
    bool kept;     /* because it is on the keep list */
    uint32_t rank; /* its rank in the vocabulary; UINT32_MAX: unknown */
} ref_word;

typedef struct ref_pair {
    uint64_t key; /* (context rank + 1) << 32 | focus rank + 1; 0: empty */
    uint64_t value;
} ref_pair;

typedef struct ref_counts {
    ref_word *words; /* every distinct word, by first occurrence */
    size_t word_count, word_capacity;
    uint32_t *slots; /* word number + 1 */
    size_t slot_count;

    uint32_t *vocabulary; /* word numbers in order of rank */
    size_t vocabulary_count;

    ref_pair *pairs;
    size_t pair_count, pair_slots;

    uint64_t scale, tokens, known_tokens, documents, distinct;
} ref_counts;

/* `list` NULL: the vocabulary is that of the text. Aborts if there is no memory. */
psdvec_status ref_count(psdvec_context *ctx, const psdvec_count_options *options,
                        const ref_list *list, const ref_text *texts, size_t text_count,
                        ref_counts *counts);
void ref_free(ref_counts *counts);

/* NULL if the file agrees in every word, frequency, pair and margin; otherwise a message about the
 * first difference, valid until the next call. */
const char *ref_difference(const ref_counts *expected, const psdvec_counts *actual);

#endif
