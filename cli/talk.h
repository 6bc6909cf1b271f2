/* Talk: everything the program says to people, on stderr, and the one line of
 * progress that must get out of its way. Also told to the log. */
#ifndef CLI_TALK_H
#define CLI_TALK_H

#include "log.h"
#include "terminal.h"

#include <psdvec/psdvec.h>

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

/* The progress line for a width, without escape sequences; for tests. */
void progress_line(struct buffer *to, const psdvec_progress *progress, size_t width, bool unicode);

#endif
