/* The exit statuses of the program: part of its interface, shown in every
 * manual page from the table in exit_status.c. */
#ifndef CLI_EXIT_STATUS_H
#define CLI_EXIT_STATUS_H

#include <psdvec/psdvec.h>

enum {
    EXIT_FINE = 0,
    EXIT_DEFECT = 1,       /* 9xx */
    EXIT_USE = 2,          /* 1xx, and every error on the command line */
    EXIT_INPUT = 3,        /* 2xx */
    EXIT_FILE = 4,         /* 3xx */
    EXIT_OUTPUT = 5,       /* 4xx */
    EXIT_RESOURCE = 6,     /* 5xx */
    EXIT_INTERRUPTED = 130 /* 6xx: 128 + the signal */
};

struct exit_line {
    const char *status, *meaning;
};

/* Ends with a NULL status. */
extern const struct exit_line exit_lines[];

/* The exit status for a status of the library. */
int exit_for(psdvec_status status);
/* For an output that cannot be written, with the errno value of the failure. */
int exit_for_output(int error);

#endif
