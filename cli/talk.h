/* Messages to the user, on stderr, and the progress line that must be erased before them. Messages
 * also go to the log of --log FILE, which has one JSON object per line; each line is flushed, so
 * that the log is complete up to the moment at which a run is killed. */
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

/* Returns false with errno set if the file cannot be opened. path may be NULL. */
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
/* Returns false if something could not be written. */
bool log_close(struct log *log);

struct talk {
    const char *who; /* "psdvec count": the start of each message */
    bool quiet, verbose;
    bool terse;    /* steps are reported only with --verbose */
    bool progress; /* stderr is a terminal that can redraw a line */
    bool drawn;    /* a progress line is on the screen */
    bool unicode;  /* the line may have block characters */
    struct palette palette;
    struct log *log;
    struct buffer *errors; /* takes the text of errors, and other messages are dropped; NULL: they
                              are printed */
    pthread_mutex_t lock;
};

void talk_start(struct talk *talk, const char *who, struct log *log);
void talk_end(struct talk *talk);

/* Prints on stderr; all messages go through this. Characters that could control the terminal are
 * replaced, except those of `kept` and the palette's sequences. */
void message_print(const char *text, const char *kept, const struct palette *palette);

/* "psdvec count: message", always. */
void talk_error(struct talk *talk, const char *text);
/* "psdvec count: warning: message", always. */
void talk_warning(struct talk *talk, const char *text);
/* "psdvec count: message", only with --verbose. */
void talk_note(struct talk *talk, const char *text);
/* A line for a finished step of a long run, unless --quiet. */
void talk_step(struct talk *talk, const char *text);
/* Text that may have several lines and styles, without a newline added, unless --quiet. */
void talk_say(struct talk *talk, const char *text);

void talk_progress(struct talk *talk, const psdvec_progress *progress);
void talk_erase(struct talk *talk);

#endif
