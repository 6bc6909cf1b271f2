/* Talk: everything the program says to people, on stderr, and the one line of progress that must get
 * out of its way. Also told to the log of --log FILE: what happened, one JSON object a line, each
 * line flushed, so that a log is whole up to the moment a run was killed. */
#ifndef CLI_TALK_H
#define CLI_TALK_H

#include "arguments.h"
#include "memory.h"
#include "terminal.h"
#include "util/clock.h"

#include <psdvec/psdvec.h>

#include <pthread.h>
#include <stdio.h>

struct log {
    FILE *file; /* NULL: no log */
    pthread_mutex_t lock;
    double started, last_progress;
};

/* False with errno set if the file cannot be opened. path may be NULL. */
bool log_open(struct log *log, const char *path);
/* One line: {"time": ..., "elapsed": ..., "event": event, ... the members that are put between these
 * calls}. */
struct log_line {
    struct log *log;
    struct buffer text;
    pv_json_writer json;
};
pv_json_writer *log_begin(struct log_line *line, struct log *log, const char *event);
void log_end(struct log_line *line);
/* The first line: command, operands and all settings with their defaults. */
void log_start(struct log *log, const struct arguments *arguments);
/* Puts the value of an option under its name. */
void option_put(pv_json_writer *to, const struct option_spec *option,
                const struct option_value *value);
/* False if something could not be written. */
bool log_close(struct log *log);

struct talk {
    const char *who; /* "psdvec count": the start of each message */
    bool quiet, verbose;
    bool terse;    /* steps are told with --verbose only */
    bool progress; /* stderr is a terminal that can redraw a line */
    bool drawn;    /* a progress line is on the screen */
    bool unicode;  /* the line may have block characters */
    struct palette palette;
    struct log *log;
    pthread_mutex_t lock;
};

void talk_start(struct talk *talk, const char *who, struct log *log);
void talk_end(struct talk *talk);

/* "psdvec count: sentence", always. */
void talk_error(struct talk *talk, const char *text);
/* "psdvec count: warning: sentence", always. */
void talk_warning(struct talk *talk, const char *text);
/* "psdvec count: sentence", with --verbose only. */
void talk_note(struct talk *talk, const char *text);
/* A line for a finished part of long work, unless --quiet. */
void talk_step(struct talk *talk, const char *text);
/* Text as it is, without a newline added, unless --quiet. */
void talk_say(struct talk *talk, const char *text);

void talk_progress(struct talk *talk, const psdvec_progress *progress);
void talk_erase(struct talk *talk);

#endif
