/* What the program asks of the system: messages, the environment, signals. The first two share state
 * among threads; the program asks from its main thread only. */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

#include <stdbool.h>

/* "No such file or directory" for ENOENT; valid until the next call. */
const char *system_error(int number);
/* The value of an environment variable; NULL if it is not set. */
const char *system_variable(const char *name);

/* Ctrl-C and its relatives: the first asks the work to stop, the second Ctrl-C ends the program at
 * once. */
void signals_start(void);
/* The number of the first stopping signal, or 0. */
int signals_caught(void);
/* Goes on after Ctrl-C: as if there had been none. */
void signals_forget(void);
/* From now on signals_wait() returns when the terminal has another size, or the program is in the
 * foreground again. */
void signals_watch_terminal(void);
/* Waits until there is something to read. False with errno EINTR if a stopping signal came before
 * that, even before the call; with EAGAIN, once, if the terminal changed. */
bool signals_wait(int fd);

#endif
