/* Messages at the end of a command that makes a file: a short report, or how to resume. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "run.h"

/* Adds a line "  label       value". */
void summary_line(struct buffer *to, const char *label, const char *format, ...) CLI_PRINTF(3, 4);

/* Prints it on stderr (unless --quiet) and logs it as the result. `read_text`: the report is about
 * text that was read, not about counts. */
void summary(struct run *run, const psdvec_count_report *report, bool read_text);
/* `count` is NULL if no text was read. `seconds`: total. */
void summary_train(struct run *run, const psdvec_count_report *count,
                   const psdvec_train_report *report, double seconds);
/* `count` is NULL if no text was read. */
void summary_baseline(struct run *run, const psdvec_count_report *count,
                      const psdvec_baseline_report *report);
void summary_extend(struct run *run, const psdvec_extend_report *report);

/* `list` and `joined` are the files that were written; either may be NULL. */
void summary_phrases(struct run *run, const psdvec_phrases_report *report, const char *list,
                     const char *joined);

/* The same if there is nothing to report except the file. */
void summary_written(struct run *run, const char *path);

/* After a training, unless --quiet: commands to try with the model. */
void next_steps(struct run *run, const char *path);

/* A phrase about the state that an interrupted run left next to its output, in the folder
 * OUTPUT.partial; NULL if there is none. */
const char *interrupted_state(const char *output);
/* Like run_failed(); for a run that was stopped, explains how to resume it. */
int interrupted_failed(struct run *run, psdvec_status status);

#endif
