/* What the lines of psdvec ask consist of, for the session and for completion at its prompt. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "command.h"
#include "line_editor.h"

/* What separates words. */
#define ASK_BLANKS " \t\r\n\v\f"

/* The arguments of a line. They last; the list is on the heap. */
struct ask_words {
    char **list;
    size_t count;
};

/* Splits a line at blanks. Quotation marks around words hold them together; an apostrophe within a
 * word, or one without a second, belongs to the word. `colons`: these are words by themselves. */
struct ask_words ask_split(const char *line, bool colons);

/* What the first word of a line may be: that of a command, or, without one, of the session. */
struct ask_query {
    const char *word;
    const struct command *command;
};
extern const struct ask_query ask_queries[]; /* ends with NULL */

/* An option of the program as a whole rather than of a query; and one that can be set. */
bool ask_is_common(const struct option_spec *option);
bool ask_is_setting(const struct option_spec *option);

/* The vocabulary of a model in the order of bytes, to find words by their first letters. Start from
 * {.model = ...}; it is sorted at the first completion. */
struct ask_vocabulary {
    const psdvec_model *model;
    struct ask_entry *sorted;
    size_t count;
};

/* A line_completer; `vocabulary` is a struct ask_vocabulary. */
void ask_complete(void *vocabulary, const char *before, struct offers *offers);
void ask_vocabulary_free(struct ask_vocabulary *vocabulary);

#endif
