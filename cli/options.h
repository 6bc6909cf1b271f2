/* Structs of the library's options, filled in from the command line. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "run.h"
#include "word_list.h"

/* The struct of a kind: the defaults of the command's preset, and over them what was given. NULL
 * after an error was told, whose exit status is run->refusal. Lives as long as the run. */
void *options_take(struct run *run, psdvec_options_kind kind);
/* Only what was given, over what a struct has already. An exit status. */
int options_apply(struct run *run, psdvec_options_kind kind, void *options);

/* Collects the words of an option that takes lists of words in run->words. False after an error was
 * told, whose exit status is run->refusal. */
bool options_take_words(struct run *run, const char *name);
/* psdvec_count_options, with the words of --keep. */
psdvec_count_options *options_take_count(struct run *run);
/* Options of reading text make no sense with a counts file: an exit status after the first of them
 * that was given. `counts` is its name. */
int options_refuse_text(struct run *run, const char *counts);
/* True if any option of a kind was given. */
bool options_given(const struct arguments *arguments, psdvec_options_kind kind);

/* Those of the text options that a command takes over from a model, if it reads text for one. */
extern const char *const options_of_model[];

/* The name of a choice's value: option_word(PSDVEC_OPTIONS_COUNT, "distance", 1). */
const char *option_word(psdvec_options_kind kind, const char *name, unsigned value);

#endif
