/* Messages and the progress line.
 *
 * The library calls back from any thread, so a lock keeps lines from mixing. The progress line is
 * erased before any message and drawn again by the next progress report. */
#include "talk.h"

#include "cell.h"
#include "phrase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void talk_start(struct talk *talk, const char *who, struct log *log)
{
    *talk = (struct talk){.who = who, .log = log};
    talk->palette = terminal_palette(false);
    pthread_mutex_init(&talk->lock, NULL);
}

void talk_end(struct talk *talk)
{
    talk_erase(talk);
    pthread_mutex_destroy(&talk->lock);
}

static void erase(struct talk *talk)
{
    if (talk->drawn)
        fputs("\r\033[K", stderr);
    talk->drawn = false;
}

void talk_erase(struct talk *talk)
{
    pthread_mutex_lock(&talk->lock);
    erase(talk);
    pthread_mutex_unlock(&talk->lock);
}

void message_print(const char *text, const char *kept, const struct palette *palette)
{
    struct buffer safe = {0};
    printed_text(&safe, text, strlen(text), kept, palette, true);
    fputs(buffer_get(&safe), stderr);
    buffer_free(&safe);
}

/* "psdvec count: label message"; the colours apply to the first two. A line end in the message would
 * make a name look like another message. */
static void say(struct talk *talk, const char *who_colour, const char *colour, const char *label,
                const char *text)
{
    if (talk->errors)
        return;
    pthread_mutex_lock(&talk->lock);
    erase(talk);
    const char *plain = talk->palette.plain;
    fprintf(stderr, "%s%s:%s %s%s%s", who_colour, talk->who, *who_colour ? plain : "", colour,
            label, *colour ? plain : "");
    message_print(text, "", &talk->palette);
    fputc('\n', stderr);
    pthread_mutex_unlock(&talk->lock);
}

static void tell_log(struct talk *talk, const char *event, const char *text)
{
    struct log_line line;
    pv_json_put_string(log_begin(&line, talk->log, event), "message", text);
    log_end(&line);
}

void talk_error(struct talk *talk, const char *text)
{
    if (talk->errors) {
        buffer_text(talk->errors, talk->errors->length ? "; " : "");
        buffer_text(talk->errors, text);
    }
    say(talk, talk->palette.red, "", "", text);
}

void talk_warning(struct talk *talk, const char *text)
{
    say(talk, "", talk->palette.yellow, "warning: ", text);
    tell_log(talk, "warning", text);
}

void talk_note(struct talk *talk, const char *text)
{
    if (talk->verbose)
        say(talk, "", "", "", text);
    tell_log(talk, "note", text);
}

void talk_step(struct talk *talk, const char *text)
{
    if (!talk->terse || talk->verbose) {
        char *line = must_format("%s\n", text); /* from any thread */
        talk_say(talk, line);
        free(line);
    }
    tell_log(talk, "step", text);
}

void talk_say(struct talk *talk, const char *text)
{
    if (talk->quiet)
        return;
    pthread_mutex_lock(&talk->lock);
    erase(talk);
    message_print(text, "\n\t", &talk->palette);
    pthread_mutex_unlock(&talk->lock);
}

/* The minimum width of the bar, with its ends and the space before it. */
enum { LEAST_BAR = 10, MOST_BAR = 43 };

/* The figures after the stage and its share, the most useful first. */
static size_t progress_figures(const psdvec_progress *progress, char *figures[4])
{
    bool bytes = !strcmp(progress->unit, "B");
    double rate = progress->rate;
    size_t count = 0;
    if (progress->remaining >= 0)
        figures[count++] = must_format("  %s left", human_clock(progress->remaining).text);
    else
        figures[count++] = must_format("  %s", human_clock(progress->elapsed).text);
    if (rate > 0 && isfinite(rate))
        figures[count++] = bytes ? must_format("  %s/s", human_bytes(rate).text)
                                 : must_format("  %s %s/s", human_short(rate).text, progress->unit);
    if (isfinite(progress->objective))
        figures[count++] = must_format("  objective %.5g", progress->objective);
    if (progress->memory)
        figures[count++] = must_format("  %s", human_bytes((double)progress->memory).text);
    return count;
}

/* The progress line for a width, without escape sequences: the stage, a bar, the percentage done,
 * and those of the figures that leave space for the bar. */
static void progress_line(struct buffer *to, const psdvec_progress *progress, size_t width,
                          bool unicode)
{
    struct buffer tail = {0};
    double share = 0, done = (double)progress->done;
    if (progress->total) {
        share = done / (double)progress->total;
        share = share > 1 ? 1 : share;
        buffer_format(&tail, " %3d%%", (int)(share * 100));
    } else if (!strcmp(progress->unit, "B"))
        buffer_format(&tail, " %s", human_bytes(done).text);
    else
        buffer_format(&tail, " %s %s", human_short(done).text, progress->unit);

    /* The last column stays empty: some terminals wrap there. */
    size_t most = width > 1 ? width - 1 : 0, used;
    size_t stage = utf8_columns(progress->stage, strlen(progress->stage));
    size_t bar = progress->total && stage + LEAST_BAR + tail.length <= most ? LEAST_BAR : 0;
    char *figures[4];
    size_t count = progress_figures(progress, figures);
    for (size_t k = 0; k < count; k++) {
        if (stage + bar + tail.length + strlen(figures[k]) <= most)
            buffer_text(&tail, figures[k]);
        free(figures[k]);
    }
    buffer_add(to, progress->stage,
               utf8_fit(progress->stage, strlen(progress->stage), most, &used));
    if (bar) {
        bar = most - stage - tail.length;
        buffer_text(to, unicode ? " ▕" : " [");
        cell_bar(to, share, (bar > MOST_BAR ? MOST_BAR : bar) - 3, unicode);
        buffer_text(to, unicode ? "▏" : "]");
    }
    if (stage + tail.length <= most)
        buffer_add(to, tail.text, tail.length);
    buffer_free(&tail);
}

static void log_progress(struct talk *talk, const psdvec_progress *progress)
{
    struct log_line line;
    if (!talk->log->file)
        return;
    pthread_mutex_lock(&talk->log->lock);
    double now = pv_now();
    bool due = now - talk->log->last_progress >= 1;
    if (due)
        talk->log->last_progress = now;
    pthread_mutex_unlock(&talk->log->lock);
    if (!due)
        return;
    pv_json_writer *to = log_begin(&line, talk->log, "progress");
    pv_json_put_string(to, "stage", progress->stage);
    pv_json_put_string(to, "unit", progress->unit);
    pv_json_put_u64(to, "done", progress->done);
    if (progress->total)
        pv_json_put_u64(to, "total", progress->total);
    if (isfinite(progress->rate))
        pv_json_put_digits(to, "rate", progress->rate, 6);
    if (isfinite(progress->remaining) && progress->remaining >= 0)
        pv_json_put_fixed(to, "remaining", progress->remaining, 1);
    if (isfinite(progress->objective))
        pv_json_put_digits(to, "objective", progress->objective, 17);
    pv_json_put_u64(to, "memory", progress->memory);
    log_end(&line);
}

void talk_progress(struct talk *talk, const psdvec_progress *progress)
{
    log_progress(talk, progress);
    if (!talk->progress || talk->quiet)
        return;
    struct buffer line = {0};
    progress_line(&line, progress, terminal_width(STDERR_FILENO), talk->unicode);
    pthread_mutex_lock(&talk->lock);
    fputs("\r\033[K", stderr);
    message_print(buffer_get(&line), "", &talk->palette);
    talk->drawn = true;
    pthread_mutex_unlock(&talk->lock);
    buffer_free(&line);
}

/* ---- The log --------------------------------------------------------------------------------- */

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

pv_json_writer *log_begin(struct log_line *line, struct log *log, const char *event)
{
    struct timespec now;
    struct tm parts;
    char seconds[32], stamp[64];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(stamp, sizeof stamp, "%s.%03ldZ", seconds, now.tv_nsec / 1000000);
    *line = (struct log_line){.log = log};
    json_start(&line->json, &line->text);
    pv_json_open_object(&line->json, NULL);
    pv_json_put_string(&line->json, "time", stamp);
    pv_json_put_fixed(&line->json, "elapsed", pv_now() - log->started, 3);
    pv_json_put_string(&line->json, "event", event);
    return &line->json;
}

void log_end(struct log_line *line)
{
    struct log *log = line->log;
    pv_json_close(&line->json);
    json_end(&line->json);
    if (log->file) {
        pthread_mutex_lock(&log->lock);
        fprintf(log->file, "%s\n", line->text.text);
        (void)fflush(log->file); /* a failure stays in ferror(), for log_close() */
        pthread_mutex_unlock(&log->lock);
    }
    buffer_free(&line->text);
}

void option_put(pv_json_writer *to, const struct option_spec *option,
                const struct option_value *value)
{
    const char *name = option->name, *text = value->text;
    switch (option->row.type) {
    case PSDVEC_OPTION_FLAG:
        pv_json_put_bool(to, name, value->integer);
        break;
    case PSDVEC_OPTION_INT:
    case PSDVEC_OPTION_UINT32:
    case PSDVEC_OPTION_UINT64:
        pv_json_put_u64(to, name, value->integer);
        break;
    case PSDVEC_OPTION_DOUBLE:
        if (isfinite(value->real))
            pv_json_put_digits(to, name, value->real, 17);
        else
            pv_json_put_string(to, name, text);
        break;
    case PSDVEC_OPTION_CHOICE:
    case PSDVEC_OPTION_TEXT:
        pv_json_put_string(to, name, text);
        break;
    case PSDVEC_OPTION_DOUBLES:
    case PSDVEC_OPTION_UINT32S: /* numbers with commas between */
        pv_json_open_array(to, name);
        for (size_t length; *text; text += length + (text[length] == ',')) {
            length = strcspn(text, ",");
            pv_json_put_raw(to, NULL, text, length);
        }
        pv_json_close(to);
        break;
    case PSDVEC_OPTION_TEXTS:
        pv_json_open_array(to, name);
        for (size_t k = 0; k < value->text_count; k++)
            pv_json_put_string(to, NULL, value->texts[k]);
        pv_json_close(to);
        break;
    }
}

void log_start(struct log *log, const struct arguments *arguments)
{
    struct log_line line;
    pv_json_writer *to = log_begin(&line, log, "start");
    const struct option_spec *option;
    pv_json_put_string(to, "command", arguments->command->name);
    pv_json_put_string(to, "version", psdvec_version());
    pv_json_open_array(to, "operands");
    for (size_t k = 0; k < arguments->operand_count; k++)
        pv_json_put_string(to, NULL, arguments->operands[k]);
    pv_json_close(to);
    pv_json_open_object(to, "settings");
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++)
        if (arguments->values[k].known || option_is_switch(option))
            option_put(to, option, &arguments->values[k]);
    pv_json_close(to);
    log_end(&line);
}

bool log_close(struct log *log)
{
    bool fine = !log->file || !ferror(log->file);
    fine = (!log->file || fclose(log->file) == 0) && fine;
    log->file = NULL;
    pthread_mutex_destroy(&log->lock);
    return fine;
}
