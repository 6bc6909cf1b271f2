/* System services of the program: error messages, the environment, signals. The program uses the
 * environment, which threads share, only in its main thread. */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

#include <stdbool.h>

/* "No such file or directory" for ENOENT; valid until the next call in this thread. */
const char *system_error(int number);
/* What to do about it, "; free some space and run it again" for ENOSPC; "" if that is not known. */
const char *system_remedy(int number);
/* The value of an environment variable; NULL if it is not set. */
const char *system_variable(const char *name);

/* Makes sure that the stack of the main thread may grow as far as the program needs. Returns 0, or
 * the limit in KiB if it is too small and cannot be raised. */
unsigned long stack_too_small(unsigned long needed_kib);

/* Handles Ctrl-C and other stopping signals: the first requests the work to stop; a second SIGINT or
 * SIGTERM ends the program immediately. SIGBUS, which means that a mapped file was truncated, ends it
 * with a message and EXIT_FILE. */
void signals_start(void);
/* The number of the first stopping signal, or 0. */
int signals_caught(void);
/* Clears it, to continue after Ctrl-C. */
void signals_clear(void);
/* Makes signals_wait() return when the terminal changes its size, or the program is in the
 * foreground again. */
void signals_watch_terminal(void);
/* Waits until there is something to read. Returns false with errno EINTR if a stopping signal
 * arrived before that, even before the call; with EAGAIN, once, if the terminal changed. */
bool signals_wait(int fd);

#endif
