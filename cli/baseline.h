/* What the commands `psdvec baseline NAME` share. */
#ifndef CLI_BASELINE_H
#define CLI_BASELINE_H

#include "run.h"

/* The method of a command, by its name and --cbow. */
psdvec_method baseline_method(const struct arguments *arguments);

/* Gathers the options, recognises text, a counts file or (sparse) vectors, makes the model and says
 * what came of it. Returns an exit status. */
int baseline_act(struct run *run);

#endif
