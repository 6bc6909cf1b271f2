/* --log FILE: what happened, one JSON object a line, each line flushed, so
 * that a log is whole up to the moment a run was killed. */
#ifndef CLI_LOG_H
#define CLI_LOG_H

#include "arguments.h"
#include "memory.h"
#include "util/clock.h"

#include <pthread.h>
#include <stdio.h>

struct log {
    FILE *file; /* NULL: no log */
    pthread_mutex_t lock;
    double started, last_progress;
};

/* False with errno set if the file cannot be opened. path may be NULL. */
bool log_open(struct log *log, const char *path);
/* One line: {"time": ..., "elapsed": ..., "event": event, ... the members in
 * `members`, which starts with no comma and may be empty}. */
void log_event(struct log *log, const char *event, const char *members);
/* The first line: command, operands and all settings with their defaults. */
void log_start(struct log *log, const struct arguments *arguments);
/* The value of an option as JSON. */
void option_json(struct buffer *to, const struct option_spec *option,
                 const struct option_value *value);
/* False if something could not be written. */
bool log_close(struct log *log);

#endif
