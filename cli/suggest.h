/* "Did you mean ...?" */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/* Edits (insert, delete, replace, swap of neighbours) from a to b, in bytes;
 * gives up with limit + 1 as soon as more than `limit` are needed. */
size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length, size_t limit);

/* How many edits still count as a slip in a word of this length. */
size_t edit_limit(size_t length);

/* The candidate (of a NULL-terminated list) that `word` is a start of or a
 * slip away from; NULL if none is near. */
const char *suggest(const char *word, const char *const *candidates);

#endif
