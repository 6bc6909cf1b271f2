/* The file that stores typed lines between sessions. */
#ifndef CLI_LINE_HISTORY_H
#define CLI_LINE_HISTORY_H

#include <stddef.h>

/* Number of lines that are stored. */
#define HISTORY_LINES 1000

/* $XDG_STATE_HOME/psdvec/history, or the same below ~/.local/state, on the heap; NULL if neither
 * variable names an absolute path. */
char *line_history_path(void);
/* Calls `take` for each of the last HISTORY_LINES lines of the file, the oldest first. A file that
 * has grown to twice as many is shortened. An unreadable file is not an error: there is no
 * history. */
void line_history_load(const char *path, void (*take)(void *host, const char *line), void *host);
/* Appends a line; creates the file, readable only by its owner, and its folders if necessary. Write
 * errors are ignored. */
void line_history_add(const char *path, const char *line);

#endif
