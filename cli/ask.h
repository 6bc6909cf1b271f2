/* The syntax of lines in psdvec ask, for the session and for completion at its prompt. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "command.h"
#include "line_editor.h"

/* Characters that separate words. */
#define ASK_BLANKS " \t\r\n\v\f"

/* The arguments of a line. The strings last; the list is on the heap. */
struct ask_words {
    char **list;
    size_t count;
};

/* Splits a line at blanks. Quotation marks group words; an apostrophe within a word, or one without
 * a match, is part of the word. `colons`: colons are separate words. */
struct ask_words ask_split(const char *line, bool colons);

/* A possible first word of a line: the name of a command or, without one, of a session command. */
struct ask_query {
    const char *word;
    const struct command *command;
};
extern const struct ask_query ask_queries[]; /* ends with NULL */

/* Whether an option belongs to the program rather than to a query; and whether it can be set. */
bool ask_is_common(const struct option_spec *option);
bool ask_is_setting(const struct option_spec *option);

/* A line_completer; `vocabulary` is a struct vocabulary. */
void ask_complete(void *vocabulary, const char *before, struct offers *offers);

#endif
