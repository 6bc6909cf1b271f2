/* Lists of words on the command line: "a,b,c", repeated, and @FILE. */
#ifndef CLI_WORD_LIST_H
#define CLI_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct word_list {
    char **words;
    size_t count, room;
};

/* Adds the words of one argument: comma separated, or @FILE with one word a
 * line. False with errno set if the file cannot be read. */
bool word_list_add(struct word_list *list, const char *argument);
void word_list_free(struct word_list *list);

/* All of a file, or of standard input for "-", on the heap and
 * zero-terminated; NULL with errno set on failure. */
char *read_whole(const char *path, size_t *length);

#endif
