/* One run of one command: what every command needs at hand. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "arguments.h"
#include "log.h"
#include "output.h"
#include "talk.h"

#include <psdvec/psdvec.h>

struct run {
    const struct arguments *arguments;
    struct talk talk;
    struct log log;
    struct output out;      /* results */
    struct palette palette; /* for results */
    psdvec_context *ctx;    /* NULL until run_library() */
};

/* Carries out a parsed command; returns the exit status of the program. */
/* The file of -o, or the last operand where the command takes that for it; NULL: none. */
const char *run_output(const struct run *run);

int run_command(const struct arguments *arguments);

/* Makes run->ctx from the common options. EXIT_FINE, or another exit status
 * after the error was told. */
int run_library(struct run *run);

/* Tells the library's error and returns the exit status for it. */
int run_failed(struct run *run, psdvec_status status);
/* The same with a sentence of the program's own. */
int run_failed_because(struct run *run, psdvec_status status, const char *sentence);

/* Tells an error of the program's own; returns `status`. */
int run_error(struct run *run, int status, const char *format, ...) CLI_PRINTF(3, 4);

/* EXIT_USE after "psdvec count: sentence" and a hint at --help. */
int use_error(const char *command, const char *sentence);

/* As use_error for an option that a command found wrong in itself. */
int run_use_error(struct run *run, const char *format, ...) CLI_PRINTF(2, 3);

/* Says so if standard input is to be read and is a terminal: someone who forgot
 * the input and sits before a silent cursor should know. */
void run_tell_of_terminal(struct run *run);

#endif
