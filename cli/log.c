/* The log: JSON lines. */
#include "log.h"

#include <psdvec/psdvec.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

bool log_open(struct log *log, const char *path)
{
    log->file = NULL;
    log->started = pv_now();
    log->last_progress = log->started;
    pthread_mutex_init(&log->lock, NULL);
    if (!path)
        return true;
    log->file = fopen(path, "we");
    return log->file != NULL;
}

void log_event(struct log *log, const char *event, const char *members)
{
    if (!log->file)
        return;
    struct timespec now;
    struct tm parts;
    char stamp[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &parts);
    pthread_mutex_lock(&log->lock);
    fprintf(log->file, "{\"time\": \"%s.%03ldZ\", \"elapsed\": %.3f, \"event\": \"%s\"%s%s}\n",
            stamp, now.tv_nsec / 1000000, pv_now() - log->started, event, *members ? ", " : "",
            members);
    (void)fflush(log->file); /* a failure stays in ferror(), for log_close() */
    pthread_mutex_unlock(&log->lock);
}

void option_json(struct buffer *to, const struct option_spec *option,
                 const struct option_value *value)
{
    switch (option->row.type) {
    case PSDVEC_OPTION_FLAG:
        buffer_text(to, value->integer ? "true" : "false");
        break;
    case PSDVEC_OPTION_INT:
    case PSDVEC_OPTION_UINT32:
    case PSDVEC_OPTION_UINT64:
        buffer_format(to, "%" PRIu64, value->integer);
        break;
    case PSDVEC_OPTION_DOUBLE:
        if (isfinite(value->real))
            buffer_format(to, "%.17g", value->real);
        else
            buffer_json(to, value->text, strlen(value->text));
        break;
    case PSDVEC_OPTION_CHOICE:
    case PSDVEC_OPTION_TEXT:
        buffer_json(to, value->text, strlen(value->text));
        break;
    case PSDVEC_OPTION_DOUBLES:
    case PSDVEC_OPTION_UINT32S: /* numbers with commas between: what JSON has in its brackets */
        buffer_char(to, '[');
        for (const char *at = value->text; *at; at++)
            buffer_format(to, *at == ',' ? "%c " : "%c", *at);
        buffer_char(to, ']');
        break;
    case PSDVEC_OPTION_TEXTS:
        buffer_char(to, '[');
        for (size_t k = 0; k < value->text_count; k++) {
            buffer_text(to, k ? ", " : "");
            buffer_json(to, value->texts[k], strlen(value->texts[k]));
        }
        buffer_char(to, ']');
        break;
    }
}

void log_start(struct log *log, const struct arguments *arguments)
{
    if (!log->file)
        return;
    struct buffer line = {0};
    buffer_format(&line, "\"command\": \"%s\", \"version\": \"%s\", \"operands\": [",
                  arguments->command->name, psdvec_version());
    for (size_t k = 0; k < arguments->operand_count; k++) {
        buffer_text(&line, k ? ", " : "");
        buffer_json(&line, arguments->operands[k], strlen(arguments->operands[k]));
    }
    buffer_text(&line, "], \"settings\": {");
    const struct option_spec *option;
    bool first = true;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++) {
        const struct option_value *value = &arguments->values[k];
        if (!value->known && !option_is_switch(option))
            continue;
        buffer_format(&line, "%s\"%s\": ", first ? "" : ", ", option->name);
        option_json(&line, option, value);
        first = false;
    }
    buffer_char(&line, '}');
    log_event(log, "start", buffer_get(&line));
    buffer_free(&line);
}

bool log_close(struct log *log)
{
    bool fine = true;
    if (log->file) {
        fine = !ferror(log->file);
        fine = fclose(log->file) == 0 && fine;
    }
    log->file = NULL;
    pthread_mutex_destroy(&log->lock);
    return fine;
}
