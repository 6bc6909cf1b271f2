/* Lists of words on the command line: "a,b,c", repeated, and @FILE; words with a spelling similar
 * to one that is not in a vocabulary. */
#ifndef CLI_WORD_LIST_H
#define CLI_WORD_LIST_H

#include "memory.h"

struct word_list {
    char **words; /* in the texts */
    size_t count, capacity;
    char **texts;
    size_t text_count;
};

/* Adds the words of a text: comma separated, or one per line. Takes over the text, which is on the
 * heap. */
void word_list_add(struct word_list *list, char *text, bool lines);
void word_list_free(struct word_list *list);

/* Reads a complete file of at most `most` bytes, or standard input for "-"; on the heap and
 * zero-terminated; NULL with errno set on failure, to EFBIG if it is longer. run_read() is the one
 * for files that the user names. */
char *read_whole(const char *path, size_t most, size_t *length);

/* Word i of a vocabulary: its bytes and their number. */
typedef const char *word_getter(const void *of, uint32_t i, size_t *length);

/* Adds "; did you mean 'a', 'b' or 'c'?" with up to three words, or nothing. Equally similar words
 * are listed in their order, the more frequent ones first. Time: one pass over the vocabulary. */
void near_words_suggest(struct buffer *to, const char *word, uint32_t words, word_getter *get,
                        const void *of);
/* The same for words that have already been found. */
void near_words_list(struct buffer *to, const uint32_t *words, size_t count, word_getter *get,
                     const void *of);

#endif
