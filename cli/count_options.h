/* The options that say how text is counted: count, train and the baselines have them. */
#ifndef CLI_COUNT_OPTIONS_H
#define CLI_COUNT_OPTIONS_H

#include "run.h"
#include "word_list.h"

/* What is a pair; which words; and going on after an interruption. */
extern const struct option_spec window_options[], vocabulary_options[], resume_options[];
extern const char *const distance_words[], *const oov_words[]; /* of --distance and --oov */

/* Options that make no sense with a counts file: an exit status after the first of them that was
 * given. `counts` is its name. */
int count_options_refuse(struct run *run, const char *counts);

/* As text_options_read(), which it calls; the list of --keep is not read. */
void count_options_read(const struct arguments *arguments, bool defaults, psdvec_count_options *to);

/* All of it from the command line, with --keep, whose words are in `keep`: start it from {0}, and
 * free it when the options are no longer used, also after a failure. Returns an exit status. */
int count_options_gather(struct run *run, psdvec_count_options *to, struct word_list *keep);

#endif
