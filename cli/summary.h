/* What is said at the end of a command that makes a file: a short report, or how to go on. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "run.h"

/* "  label       value", a line. */
void summary_line(struct buffer *to, const char *label, const char *format, ...) CLI_PRINTF(3, 4);

/* Says it on stderr (unless --quiet) and to the log as the result. `read_text`:
 * the report tells of text that was read, not of counts. */
void summary(struct run *run, const psdvec_count_report *report, bool read_text);
/* `count` is NULL if no text was read. `seconds`: all in all. */
void summary_train(struct run *run, const psdvec_count_report *count,
                   const psdvec_train_report *report, double seconds);
/* `count` is NULL if no text was read. */
void summary_baseline(struct run *run, const psdvec_count_report *count,
                      const psdvec_baseline_report *report);
void summary_extend(struct run *run, const psdvec_extend_report *report);

/* `list` and `joined` are the files that were written; either may be NULL. */
void summary_phrases(struct run *run, const psdvec_phrases_report *report, const char *list,
                     const char *joined);

/* The same where there is nothing to report but the file. */
void summary_written(struct run *run, const char *path);

/* After a training, unless --quiet: commands to try with the model. */
void next_steps(struct run *run, const char *path);

/* What an interrupted run left beside its output, in the folder OUTPUT.partial, as a phrase; NULL if
 * there is nothing. */
const char *interrupted_state(const char *output);
/* As run_failed(); a run that was stopped is told how to go on. */
int interrupted_failed(struct run *run, psdvec_status status);

#endif
