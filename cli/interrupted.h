/* What an interrupted run left beside its output: the folder OUTPUT.partial. */
#ifndef CLI_INTERRUPTED_H
#define CLI_INTERRUPTED_H

#include "run.h"

/* A phrase about it; NULL if there is nothing. */
const char *interrupted_state(const char *output);

/* As run_failed(); a run that was stopped is told how to go on. */
int interrupted_failed(struct run *run, psdvec_status status);

#endif
