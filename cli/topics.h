/* Shared by the commands about topics. */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include "run.h"

/* Creates the library's context and opens the file. Returns EXIT_FINE and *topics, which the caller
 * closes; or another exit status after the error was reported. */
int topics_open(struct run *run, const char *path, psdvec_topics **topics);

/* The words that describe a topic, separated by blanks; a phrase. */
const char *topics_words(struct run *run, const psdvec_topics *topics, uint32_t topic, size_t most);

#endif
