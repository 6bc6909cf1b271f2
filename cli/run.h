/* The state of one run of one command. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "arguments.h"
#include "output.h"
#include "talk.h"
#include "word_list.h"

#include <psdvec/psdvec.h>

#include <stdatomic.h>

/* A model, a counts file, a topics file or test sets, opened before the commands that use it, under this name. */
struct open_file {
    const char *name;
    psdvec_model *model;
    psdvec_counts *counts;
    psdvec_topics *topics;
    const psdvec_test *const *sets; /* test sets of one file or folder */
    size_t set_count;
};

struct run {
    const struct arguments *arguments;
    struct talk talk;
    struct log log;
    struct output out;            /* results */
    struct palette palette;       /* for results */
    enum format format;           /* of results */
    psdvec_context *ctx;          /* NULL until run_library() */
    const struct open_file *open; /* files that stay open between queries */
    size_t open_count;
    const char *text; /* the text of a query, instead of that of files; NULL: none */
    size_t text_length;
    bool (*expired)(
        void *user); /* whether the time of a request is over; NULL: it is not limited */
    void *expired_user;
    bool only_open;     /* arguments are never names of other files: they are of strangers */
    bool unknown_word;  /* the error is that a file does not have the word */
    atomic_bool enough; /* the library may stop: the output has no reader any more */
    double flushed;     /* time of the last write of run_flush(), in seconds */
    psdvec_settings **settings; /* options that options_take() made; freed at the end */
    size_t settings_count;
    struct word_list words; /* of --keep or --connectors */
    int refusal; /* exit status of the error that options_take() or run_read() reported */
};

/* The file of -o, or the last operand where the command accepts that instead; NULL: none. */
const char *run_output(const struct run *run);

/* Several processes that run the same command together (mpi/); zero: one process. */
struct membership {
    /* Makes the context of the library a member of their group. Returns EXIT_FINE, or another exit
     * status if a process cannot take part. */
    int (*join)(psdvec_context *ctx);
    bool follows; /* another process reports and logs what happens */
};
extern struct membership run_membership;

/* Runs a parsed command; returns the exit status of the program. */
int run_command(const struct arguments *arguments);

/* The open file of this kind and name; NULL: none. */
enum open_kind { OPEN_MODEL, OPEN_COUNTS, OPEN_TOPICS, OPEN_SETS };
const struct open_file *run_find_open(const struct run *run, enum open_kind kind, const char *name);

/* Creates run->ctx from the common options. Returns EXIT_FINE, or another exit status after the
 * error was reported. */
int run_library(struct run *run);

/* Writes buffered output while the library works, if some time has passed since the last time. If
 * nobody reads it any more, the library is requested to stop, and run_failed() reports no error. */
void run_flush(struct run *run);

/* For loops of the program that may take long: EXIT_FINE, or another exit status if the user or the
 * time limit of a request wants an end. */
int run_check(struct run *run);

/* Reports the library's error and returns the exit status for it. */
int run_failed(struct run *run, psdvec_status status);
/* The same with a message of the program. */
int run_failed_because(struct run *run, psdvec_status status, const char *sentence);

/* Reports an error of the program; returns `status`. */
int run_error(struct run *run, int status, const char *format, ...) CLI_PRINTF(3, 4);

/* Reads a complete file that the user names, or standard input for "-"; on the heap and
 * zero-terminated. What is made of it may need 16 times as much memory, so it must not be larger
 * than a sixteenth of the memory limit. Returns NULL after the error was reported, with the exit
 * status in run->refusal. `what` precedes the name in the message: "the list of words ", or "". */
char *run_read(struct run *run, const char *what, const char *path, size_t *length);

/* Writes a file other than that of -o, replacing it only when it is complete. Returns an exit
 * status. */
int run_write(struct run *run, const char *path, const struct buffer *text);

/* Reports "psdvec count: message" and a hint at --help; returns EXIT_USE. */
int use_error(const char *command, const char *sentence);

/* Like use_error for an option that is found invalid by the command. */
int run_use_error(struct run *run, const char *format, ...) CLI_PRINTF(2, 3);

/* Prints a note if standard input is to be read and is a terminal, for a user who forgot the
 * input. */
void run_announce_terminal(struct run *run);

#endif
