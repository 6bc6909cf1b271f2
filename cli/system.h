/* The few calls of the C library that share state among threads, in one place.
 * The program makes them from its main thread only. */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

/* "No such file or directory" for ENOENT; valid until the next call. */
const char *system_error(int number);
/* The value of an environment variable; NULL if it is not set. */
const char *system_variable(const char *name);

#endif
