/* The options of training, and their defaults by preset. */
#ifndef CLI_TRAIN_OPTIONS_H
#define CLI_TRAIN_OPTIONS_H

#include "run.h"
#include "word_list.h"

extern const struct option_spec train_options[];
extern const struct preset_default train_presets[];

/* Everything the library wants to know. Start from {0} and free it, also after a failure. */
struct train_setup {
    psdvec_train_options train;
    psdvec_count_options count;
    struct word_list keep;
    uint32_t *bands;
};

/* Takes what the command line says into options that hold a preset's values; with `defaults`,
 * also the defaults that the help shows. Lists stay with the arguments, --bands is not read. */
void train_options_read(const struct arguments *arguments, bool defaults, psdvec_train_options *to);

/* All of it from the command line, the options of counting too. Returns an exit status. */
int train_setup_gather(struct run *run, struct train_setup *setup);
void train_setup_free(struct train_setup *setup);

#endif
