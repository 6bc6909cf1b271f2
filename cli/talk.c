/* Messages and the progress line.
 *
 * The library calls back from any thread, so a lock keeps lines whole. The
 * progress line is erased before any message and drawn again by the next
 * report of progress. */
#include "talk.h"

#include "cell.h"
#include "human.h"
#include "utf8.h"

#include <inttypes.h>
#include <math.h>
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

/* "psdvec count: label sentence"; the colours are for the first two. */
static void say(struct talk *talk, const char *who_colour, const char *colour, const char *label,
                const char *text)
{
    pthread_mutex_lock(&talk->lock);
    erase(talk);
    const char *plain = talk->palette.plain;
    fprintf(stderr, "%s%s:%s %s%s%s%s\n", who_colour, talk->who, *who_colour ? plain : "", colour,
            label, *colour ? plain : "", text);
    pthread_mutex_unlock(&talk->lock);
}

static void tell_log(struct talk *talk, const char *event, const char *text)
{
    struct buffer members = {0};
    buffer_text(&members, "\"message\": ");
    buffer_json(&members, text, strlen(text));
    log_event(talk->log, event, buffer_get(&members));
    buffer_free(&members);
}

void talk_error(struct talk *talk, const char *text)
{
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
    struct buffer line = {0};
    buffer_format(&line, "%s\n", text);
    if (!talk->terse || talk->verbose)
        talk_say(talk, line.text);
    buffer_free(&line);
    tell_log(talk, "step", text);
}

void talk_say(struct talk *talk, const char *text)
{
    if (talk->quiet)
        return;
    pthread_mutex_lock(&talk->lock);
    erase(talk);
    fputs(text, stderr);
    pthread_mutex_unlock(&talk->lock);
}

/* The objective and the memory, each if it still fits. */
static void add_extras(struct buffer *tail, const psdvec_progress *progress, size_t room)
{
    struct buffer extra = {0};
    for (int which = 0; which < 2; which++) {
        buffer_clear(&extra);
        if (which == 0 && isfinite(progress->objective))
            buffer_format(&extra, "  objective %.5g", progress->objective);
        if (which == 1 && progress->memory) {
            buffer_text(&extra, "  ");
            human_bytes(&extra, (double)progress->memory);
        }
        if (tail->length + extra.length <= room)
            buffer_text(tail, buffer_get(&extra));
    }
    buffer_free(&extra);
}

void progress_line(struct buffer *to, const psdvec_progress *progress, size_t width, bool unicode)
{
    struct buffer tail = {0};
    bool bytes = !strcmp(progress->unit, "B");
    double share = 0;
    if (progress->total) {
        share = (double)progress->done / (double)progress->total;
        share = share > 1 ? 1 : share;
        buffer_format(&tail, " %3d%%", (int)(share * 100));
    } else if (bytes) {
        buffer_char(&tail, ' ');
        human_bytes(&tail, (double)progress->done);
    } else {
        buffer_char(&tail, ' ');
        human_short(&tail, (double)progress->done);
        buffer_format(&tail, " %s", progress->unit);
    }
    if (progress->rate > 0 && isfinite(progress->rate)) {
        buffer_text(&tail, "  ");
        if (bytes)
            human_bytes(&tail, progress->rate);
        else
            human_short(&tail, progress->rate);
        buffer_format(&tail, "%s%s/s", bytes ? "" : " ", bytes ? "" : progress->unit);
    }
    buffer_text(&tail, "  ");
    human_clock(&tail, progress->remaining >= 0 ? progress->remaining : progress->elapsed);
    if (progress->remaining >= 0)
        buffer_text(&tail, " left");

    /* The stage, then a bar if there is room for one, then the figures. The
     * last column stays free: some terminals wrap there. */
    size_t room = width > 1 ? width - 1 : 0;
    size_t stage = utf8_columns(progress->stage, strlen(progress->stage));
    add_extras(&tail, progress, room > stage ? room - stage : 0);
    size_t figures = utf8_columns(tail.text, tail.length), used;
    size_t fits = utf8_fit(progress->stage, strlen(progress->stage), room, &used);
    buffer_add(to, progress->stage, fits);
    if (progress->total && stage + figures + 10 <= room) {
        size_t bar = room - stage - figures - 3;
        buffer_text(to, unicode ? " ▕" : " [");
        cell_bar(to, share, bar > 40 ? 40 : bar, unicode);
        buffer_text(to, unicode ? "▏" : "]");
    }
    if (stage + figures <= room)
        buffer_add(to, tail.text, tail.length);
    buffer_free(&tail);
}

static void log_progress(struct talk *talk, const psdvec_progress *progress)
{
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
    struct buffer line = {0};
    buffer_text(&line, "\"stage\": ");
    buffer_json(&line, progress->stage, strlen(progress->stage));
    buffer_text(&line, ", \"unit\": ");
    buffer_json(&line, progress->unit, strlen(progress->unit));
    buffer_format(&line, ", \"done\": %" PRIu64, progress->done);
    if (progress->total)
        buffer_format(&line, ", \"total\": %" PRIu64, progress->total);
    if (isfinite(progress->rate))
        buffer_format(&line, ", \"rate\": %.6g", progress->rate);
    if (isfinite(progress->remaining) && progress->remaining >= 0)
        buffer_format(&line, ", \"remaining\": %.1f", progress->remaining);
    if (isfinite(progress->objective))
        buffer_format(&line, ", \"objective\": %.17g", progress->objective);
    buffer_format(&line, ", \"memory\": %" PRIu64, progress->memory);
    log_event(talk->log, "progress", buffer_get(&line));
    buffer_free(&line);
}

void talk_progress(struct talk *talk, const psdvec_progress *progress)
{
    log_progress(talk, progress);
    if (!talk->progress || talk->quiet)
        return;
    struct buffer line = {0};
    progress_line(&line, progress, terminal_width(STDERR_FILENO), talk->unicode);
    pthread_mutex_lock(&talk->lock);
    fprintf(stderr, "\r\033[K%s", buffer_get(&line));
    talk->drawn = true;
    pthread_mutex_unlock(&talk->lock);
    buffer_free(&line);
}
