/* Names of commands and options in other programs (word2vec, GloVe, fastText, gensim), and their
 * equivalents here. */
#ifndef CLI_OTHER_PROGRAMS_H
#define CLI_OTHER_PROGRAMS_H

#include "command.h"

/* What to type instead of a command of another program: "the nearest neighbours of a word: psdvec
 * similar MODEL WORD"; NULL if the name is not known. */
const char *other_program_command(const char *name);

/* What to type instead of an option of another program: "for the number of dimensions, write --dim
 * N"; NULL if the name, without dashes, is not known or does not apply to the command. *option: the
 * corresponding option of the command; NULL: none. */
const char *other_program_option(const struct command *command, const char *name,
                                 const struct option_spec **option);

#endif
