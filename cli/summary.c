/* The report at the end: what was read, what came out, what it took. */
#include "summary.h"

#include "human.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static void add_line(struct buffer *to, const char *label, struct buffer *value)
{
    buffer_format(to, "  %-11s %s\n", label, buffer_get(value));
    buffer_clear(value);
}

static void tell_log(struct run *run, const psdvec_count_report *report, const char *path,
                     uint64_t size)
{
    struct buffer line = {0};
    buffer_text(&line, "\"output\": ");
    buffer_json(&line, path, strlen(path));
    buffer_format(&line,
                  ", \"output_bytes\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"documents\": %" PRIu64
                  ", \"tokens\": %" PRIu64 ", \"known_tokens\": %" PRIu64
                  ", \"distinct_words\": %" PRIu64 ", \"words\": %" PRIu64 ", \"bigrams\": %" PRIu64
                  ", \"bad_bytes\": %" PRIu64 ", \"runs\": %" PRIu64 ", \"spilled_bytes\": %" PRIu64
                  ", \"seconds\": %.3f, \"peak_memory\": %" PRIu64 ", \"threads\": %d",
                  size, report->bytes, report->documents, report->tokens, report->known_tokens,
                  report->distinct_words, report->words, report->bigrams, report->bad_bytes,
                  report->runs, report->spilled_bytes, report->seconds,
                  psdvec_peak_memory(run->ctx), psdvec_threads(run->ctx));
    log_event(&run->log, "result", buffer_get(&line));
    buffer_free(&line);
}

static void text_lines(struct buffer *to, struct buffer *value, const psdvec_count_report *report)
{
    human_count(value, report->tokens);
    buffer_text(value, " words in ");
    human_count(value, report->documents);
    buffer_text(value, report->documents == 1 ? " document (" : " documents (");
    human_bytes(value, (double)report->bytes);
    buffer_text(value, " of text)");
    add_line(to, "read", value);
    human_count(value, report->words);
    buffer_text(value, " words");
    if (report->distinct_words) {
        buffer_text(value, " of ");
        human_count(value, report->distinct_words);
        buffer_text(value, " distinct ones");
    }
    if (report->tokens)
        buffer_format(value, ", covering %.1f%% of the text",
                      100 * (double)report->known_tokens / (double)report->tokens);
    add_line(to, "vocabulary", value);
}

void summary(struct run *run, const psdvec_count_report *report, bool read_text)
{
    const char *path = argument_text(run->arguments, "output");
    struct stat status;
    uint64_t size = stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
    tell_log(run, report, path, size);

    struct buffer text = {0}, value = {0};
    if (read_text) {
        text_lines(&text, &value, report);
    } else {
        human_count(&value, report->words);
        buffer_text(&value, " words");
        add_line(&text, "vocabulary", &value);
    }
    human_count(&value, report->bigrams);
    buffer_text(&value, " distinct pairs");
    add_line(&text, "bigrams", &value);
    human_seconds(&value, report->seconds);
    if (read_text && report->seconds > 0) {
        buffer_text(&value, ", ");
        human_short(&value, (double)report->tokens / report->seconds);
        buffer_text(&value, " words/s");
    }
    int threads = psdvec_threads(run->ctx);
    buffer_format(&value, ", %d thread%s", threads, threads == 1 ? "" : "s");
    add_line(&text, "time", &value);
    human_bytes(&value, (double)psdvec_peak_memory(run->ctx));
    buffer_text(&value, " at most");
    if (report->spilled_bytes) {
        buffer_text(&value, ", ");
        human_bytes(&value, (double)report->spilled_bytes);
        buffer_text(&value, " through temporary files");
    }
    add_line(&text, "memory", &value);
    buffer_format(&value, "%s (", path);
    human_bytes(&value, (double)size);
    buffer_text(&value, ")");
    add_line(&text, "written", &value);
    talk_say(&run->talk, text.text);
    buffer_free(&text);
    buffer_free(&value);
}

void summary_written(struct run *run, const char *path)
{
    struct stat status;
    struct buffer text = {0}, members = {0};
    uint64_t size = stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
    buffer_format(&text, "  written     %s (", path);
    human_bytes(&text, (double)size);
    buffer_text(&text, ")\n");
    talk_say(&run->talk, text.text);
    buffer_text(&members, "\"output\": ");
    buffer_json(&members, path, strlen(path));
    buffer_format(&members, ", \"output_bytes\": %" PRIu64, size);
    log_event(&run->log, "result", members.text);
    buffer_free(&text);
    buffer_free(&members);
}
