/* Names of commands and options in other programs (word2vec, GloVe, fastText, gensim), and what
 * they are called here. */
#ifndef CLI_ELSEWHERE_H
#define CLI_ELSEWHERE_H

#include "command.h"

/* What to type instead of a command of another program: "the nearest neighbours of a word: psdvec
 * similar MODEL WORD"; NULL if the name is not known. */
const char *elsewhere_command(const char *name);

/* What to type instead of an option of another program: "for the number of dimensions, write --dim
 * N"; NULL if the name, which has no dashes before it, is not known or means nothing to the
 * command. *option: which option of the command it is; NULL: none. */
const char *elsewhere_option(const struct command *command, const char *name,
                             const struct option_spec **option);

#endif
