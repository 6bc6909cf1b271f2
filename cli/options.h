/* Option structs of the library, filled in from the command line. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "run.h"
#include "word_list.h"

/* The struct of a table: the defaults of the command's preset, overridden by the given options.
 * Returns NULL after an error was reported, whose exit status is run->refusal. Lives as long as the
 * run. */
void *options_take(struct run *run, psdvec_options_kind kind);
/* Overrides the values of an existing struct by the given options. Returns an exit status. */
int options_apply(struct run *run, psdvec_options_kind kind, void *options);

/* Collects the words of an option that takes lists of words in run->words. Returns false after an
 * error was reported, whose exit status is run->refusal. */
bool options_take_words(struct run *run, const char *name);
/* psdvec_count_options, with the words of --keep. */
psdvec_count_options *options_take_count(struct run *run);
/* Text options are not accepted with a counts file: returns an exit status after reporting the
 * first one that was given. `counts` is the name of the file. */
int options_refuse_text(struct run *run, const char *counts);
/* True if any option of a table was given. */
bool options_given(const struct arguments *arguments, psdvec_options_kind kind);

/* For text that is not in the records of the text that the options are of. */
void options_plain(psdvec_text_options *text);
/* The text options that a command takes from a model if it reads text for one. */
extern const char *const options_of_model[];

/* The name of a choice's value: option_word(PSDVEC_OPTIONS_COUNT, "distance", 1). */
const char *option_word(psdvec_options_kind kind, const char *name, unsigned value);

#endif
