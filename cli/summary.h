/* The short report at the end of a command that made a file. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "run.h"

/* Says it on stderr (unless --quiet) and to the log as the result. `read_text`:
 * the report tells of text that was read, not of counts. */
void summary(struct run *run, const psdvec_count_report *report, bool read_text);

/* The same where there is nothing to report but the file. */
void summary_written(struct run *run, const char *path);

#endif
