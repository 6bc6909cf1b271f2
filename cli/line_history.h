/* The file that keeps typed lines from one session to the next. */
#ifndef CLI_LINE_HISTORY_H
#define CLI_LINE_HISTORY_H

#include <stddef.h>

/* How many lines are kept. */
#define HISTORY_LINES 1000

/* $XDG_STATE_HOME/psdvec/history, or the same below ~/.local/state, on the heap; NULL if neither
 * variable names an absolute path. */
char *line_history_path(void);
/* Calls `take` for each of the last HISTORY_LINES lines of the file, the oldest first. A file that
 * has grown to twice as many is shortened. What cannot be read is no error: there is no history. */
void line_history_load(const char *path, void (*take)(void *host, const char *line), void *host);
/* Appends a line; makes the file, for its owner only, and its folders if need be. What cannot be
 * written is no error. */
void line_history_add(const char *path, const char *line);

#endif
