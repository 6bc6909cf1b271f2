/* What the presets of training set, side by side, and why. */
#ifndef CLI_PRESET_STORY_H
#define CLI_PRESET_STORY_H

#include "run.h"

/* Prints it; returns the exit status. */
int preset_explanation_print(struct run *run);

#endif
