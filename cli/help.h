/* Text generated from the declarations of the commands: help screens, manual pages, completion, the
 * options reference. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"
#include "memory.h"

/* psdvec --help */
void help_main(struct buffer *to, size_t width);
/* psdvec COMMAND --help */
void help_command(struct buffer *to, const struct command *command, size_t width);
/* psdvec counts --help: the commands that start with this word. Returns false if there are none. */
bool help_family(struct buffer *to, const char *word, size_t width);

/* psdvec(1); psdvec-counts-info(1) and so on. */
void man_main(struct buffer *to);
void man_command(struct buffer *to, const struct command *command);

/* The completion script of a shell; NULL if there is none. */
const char *completion_script(const char *shell);
/* Lists the possible completions of the last of these words after "psdvec", one per line. */
void completion_offer(struct buffer *to, const char *const *words, size_t count);
/* The parts of this for the last argument of a command: options that start with it; and its values
 * if it is the value of an option, otherwise false. */
void completion_options(struct buffer *to, const struct command *command, const char *const *words,
                        size_t count);
bool completion_value(struct buffer *to, const struct command *command, const char *const *words,
                      size_t count);

/* docs/reference/options.md: every option of the library, from the options tables. */
void reference_options(struct buffer *to);

/* The command of this name ("counts info"), or NULL. */
const struct command *command_find(const char *name);
/* True if some command is "WORD something". */
bool command_family(const char *word);
/* An error message for an unknown command. */
const char *command_unknown(const char *name);

/* 80, or less on a narrower terminal. */
size_t help_width(void);

/* Shown on the main screen and in psdvec(1). */
extern const struct example main_examples[];
#define HELP_SUMMARY "word embeddings from a generative model"

#endif
