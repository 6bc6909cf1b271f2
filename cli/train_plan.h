/* psdvec train --dry-run: the estimated resources. */
#ifndef CLI_TRAIN_PLAN_H
#define CLI_TRAIN_PLAN_H

#include "run.h"

/* What is to be trained. */
struct train_setup {
    const psdvec_train_options *train;
    const psdvec_count_options *count;
};

/* Both print the plan and return an exit status. */
int train_plan_counts(struct run *run, const struct train_setup *setup, const char *counts);
int train_plan_text(struct run *run, const struct train_setup *setup);

#endif
