/* psdvec train --dry-run: what it would take. */
#ifndef CLI_TRAIN_PLAN_H
#define CLI_TRAIN_PLAN_H

#include "train_options.h"

/* Both print the plan and return an exit status. */
int train_plan_counts(struct run *run, const struct train_setup *setup, const char *counts);
int train_plan_text(struct run *run, const struct train_setup *setup);

#endif
