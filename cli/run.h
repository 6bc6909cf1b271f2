/* One run of one command: what every command needs at hand. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "arguments.h"
#include "output.h"
#include "talk.h"
#include "word_list.h"

#include <psdvec/psdvec.h>

#include <stdatomic.h>

struct run {
    const struct arguments *arguments;
    struct talk talk;
    struct log log;
    struct output out;      /* results */
    struct palette palette; /* for results */
    enum format format;     /* of results */
    psdvec_context *ctx;    /* NULL until run_library() */
    const char *open_path;  /* of a model that stays open between queries; NULL: none */
    psdvec_model *open_model;
    atomic_bool enough;         /* the library may stop: nobody reads on */
    double flushed;             /* when run_flush() wrote last, in seconds */
    psdvec_settings **settings; /* options that options_take() made; freed in the end */
    size_t settings_count;
    struct word_list words; /* of --keep or --connectors */
    int refusal;            /* exit status of what options_take() refused */
};

/* The file of -o, or the last operand where the command takes that for it; NULL: none. */
const char *run_output(const struct run *run);

/* Both exist and are the same regular file; either may be NULL. */
bool same_file(const char *a, const char *b);

/* The input that is the same file as `path`: an operand from number `first` on, or a file of an
 * option that may be repeated; NULL if none is. */
const char *arguments_input_at(const struct arguments *arguments, size_t first, const char *path);

/* Carries out a parsed command; returns the exit status of the program. */
int run_command(const struct arguments *arguments);

/* Makes run->ctx from the common options. EXIT_FINE, or another exit status
 * after the error was told. */
int run_library(struct run *run);

/* Writes out what was printed so far, while the library works, if a moment has passed since the
 * last time. If nobody reads it any more, the
 * library is asked to stop, and run_failed() says nothing of it. */
void run_flush(struct run *run);

/* Tells the library's error and returns the exit status for it. */
int run_failed(struct run *run, psdvec_status status);
/* The same with a sentence of the program's own. */
int run_failed_because(struct run *run, psdvec_status status, const char *sentence);

/* Tells an error of the program's own; returns `status`. */
int run_error(struct run *run, int status, const char *format, ...) CLI_PRINTF(3, 4);

/* Writes a file other than that of -o, replaced only when it is whole. An exit status. */
int run_write(struct run *run, const char *path, const struct buffer *text);

/* EXIT_USE after "psdvec count: sentence" and a hint at --help. */
int use_error(const char *command, const char *sentence);

/* As use_error for an option that a command found wrong in itself. */
int run_use_error(struct run *run, const char *format, ...) CLI_PRINTF(2, 3);

/* Says so if standard input is to be read and is a terminal: someone who forgot
 * the input and sits before a silent cursor should know. */
void run_tell_of_terminal(struct run *run);

#endif
