/* The report at the end: what was read, what came out, what it took. */
#include "summary.h"

#include "human.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

void summary_line(struct buffer *to, const char *label, struct buffer *value)
{
    buffer_format(to, "  %-11s %s\n", label, buffer_get(value));
    buffer_clear(value);
}

static uint64_t output_size(const struct run *run)
{
    struct stat status;
    return stat(argument_text(run->arguments, "output"), &status) == 0 ? (uint64_t)status.st_size
                                                                       : 0;
}

/* What the log's line about every result starts with. */
static void add_result(struct buffer *line, const struct run *run)
{
    const char *path = argument_text(run->arguments, "output");
    buffer_text(line, "\"output\": ");
    buffer_json(line, path, strlen(path));
    buffer_format(line,
                  ", \"output_bytes\": %" PRIu64 ", \"peak_memory\": %" PRIu64 ", \"threads\": %d",
                  output_size(run), psdvec_peak_memory(run->ctx), psdvec_threads(run->ctx));
}

static void log_counts(struct run *run, const psdvec_count_report *report)
{
    struct buffer line = {0};
    add_result(&line, run);
    buffer_format(&line,
                  ", \"bytes\": %" PRIu64 ", \"documents\": %" PRIu64 ", \"tokens\": %" PRIu64
                  ", \"known_tokens\": %" PRIu64 ", \"distinct_words\": %" PRIu64
                  ", \"words\": %" PRIu64 ", \"bigrams\": %" PRIu64 ", \"bad_bytes\": %" PRIu64
                  ", \"runs\": %" PRIu64 ", \"spilled_bytes\": %" PRIu64 ", \"seconds\": %.3f",
                  report->bytes, report->documents, report->tokens, report->known_tokens,
                  report->distinct_words, report->words, report->bigrams, report->bad_bytes,
                  report->runs, report->spilled_bytes, report->seconds);
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
    summary_line(to, "read", value);
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
    summary_line(to, "vocabulary", value);
}

static void memory_line(struct buffer *to, struct buffer *value, const struct run *run,
                        uint64_t spilled)
{
    human_bytes(value, (double)psdvec_peak_memory(run->ctx));
    buffer_text(value, " at most");
    if (spilled) {
        buffer_text(value, ", ");
        human_bytes(value, (double)spilled);
        buffer_text(value, " through temporary files");
    }
    summary_line(to, "memory", value);
}

static void written_line(struct buffer *to, struct buffer *value, const struct run *run)
{
    buffer_format(value, "%s (", argument_text(run->arguments, "output"));
    human_bytes(value, (double)output_size(run));
    buffer_text(value, ")");
    summary_line(to, "written", value);
}

static void add_threads(struct buffer *value, const struct run *run)
{
    int threads = psdvec_threads(run->ctx);
    buffer_format(value, ", %d thread%s", threads, threads == 1 ? "" : "s");
}

void summary(struct run *run, const psdvec_count_report *report, bool read_text)
{
    log_counts(run, report);
    struct buffer text = {0}, value = {0};
    if (read_text) {
        text_lines(&text, &value, report);
    } else {
        human_count(&value, report->words);
        buffer_text(&value, " words");
        summary_line(&text, "vocabulary", &value);
    }
    human_count(&value, report->bigrams);
    buffer_text(&value, " distinct pairs");
    summary_line(&text, "bigrams", &value);
    human_seconds(&value, report->seconds);
    if (read_text && report->seconds > 0) {
        buffer_text(&value, ", ");
        human_short(&value, (double)report->tokens / report->seconds);
        buffer_text(&value, " words/s");
    }
    add_threads(&value, run);
    summary_line(&text, "time", &value);
    memory_line(&text, &value, run, report->spilled_bytes);
    written_line(&text, &value, run);
    talk_say(&run->talk, text.text);
    buffer_free(&text);
    buffer_free(&value);
}

/* ---- Training ---------------------------------------------------------------------------- */

static void model_lines(struct buffer *to, struct buffer *value, const psdvec_train_report *report)
{
    human_count(value, report->words);
    buffer_format(value, " words, %" PRIu32 " dimensions", report->dim);
    summary_line(to, "model", value);
    buffer_format(value, "%" PRIu32 " positive, %" PRIu32 " negative", report->positive,
                  report->negative);
    summary_line(to, "eigenvalues", value);
    if (report->core_words < report->words) {
        human_count(value, report->core_words);
        buffer_text(value, " words solved together, ");
        human_count(value, report->words - report->core_words);
        buffer_text(value, " by regression on them");
        summary_line(to, "core", value);
    }
    human_count(value, report->pairs);
    buffer_text(value, " of core words");
    summary_line(to, "pairs", value);
    buffer_format(value, "%.6g after %" PRIu32 " iteration%s", report->objective,
                  report->iterations, report->iterations == 1 ? "" : "s");
    summary_line(to, "objective", value);
}

static void add_stage(struct buffer *value, const char *name, double seconds)
{
    if (seconds <= 0)
        return;
    buffer_format(value, "%s%s ", value->length ? ", " : "", name);
    human_seconds(value, seconds);
}

static void log_model(struct run *run, const psdvec_count_report *count,
                      const psdvec_train_report *report, double seconds)
{
    struct buffer line = {0};
    add_result(&line, run);
    buffer_format(&line,
                  ", \"words\": %" PRIu32 ", \"core_words\": %" PRIu32 ", \"dim\": %" PRIu32
                  ", \"positive\": %" PRIu32 ", \"negative\": %" PRIu32 ", \"pairs\": %" PRIu64
                  ", \"iterations\": %" PRIu32,
                  report->words, report->core_words, report->dim, report->positive,
                  report->negative, report->pairs, report->iterations);
    if (isfinite(report->objective))
        buffer_format(&line, ", \"objective\": %.17g", report->objective);
    if (count)
        buffer_format(&line,
                      ", \"bytes\": %" PRIu64 ", \"documents\": %" PRIu64 ", \"tokens\": %" PRIu64
                      ", \"count_seconds\": %.3f",
                      count->bytes, count->documents, count->tokens, count->seconds);
    buffer_format(&line,
                  ", \"link_seconds\": %.3f, \"solve_seconds\": %.3f, \"regression_seconds\": %.3f"
                  ", \"readout_seconds\": %.3f, \"joint_seconds\": %.3f, \"seconds\": %.3f"
                  ", \"spilled_bytes\": %" PRIu64,
                  report->link_seconds, report->solve_seconds, report->regression_seconds,
                  report->readout_seconds, report->joint_seconds, seconds, report->spilled_bytes);
    log_event(&run->log, "result", line.text);
    buffer_free(&line);
}

/* Of the joint probability of text, vectors and residuals, without the normalising factors. */
static void joint_lines(struct buffer *to, struct buffer *value, const psdvec_joint *joint)
{
    double text = joint->unigrams + joint->products + joint->residuals + joint->shifts;
    double priors = joint->residual_prior + joint->background + joint->vector_prior;
    buffer_format(value, "%.6g, of which the text %.6g", text + priors, text);
    summary_line(to, "log joint", value);
    buffer_format(value, "residuals %.4g", joint->residual_prior);
    if (joint->background != 0)
        buffer_format(value, ", background %.4g", joint->background);
    if (joint->vector_prior != 0)
        buffer_format(value, ", vectors %.4g", joint->vector_prior);
    summary_line(to, "priors", value);
}

void summary_train(struct run *run, const psdvec_count_report *count,
                   const psdvec_train_report *report, double seconds)
{
    struct buffer text = {0}, value = {0};
    log_model(run, count, report, seconds);
    if (count && count->tokens)
        text_lines(&text, &value, count);
    model_lines(&text, &value, report);
    joint_lines(&text, &value, &report->joint);
    human_seconds(&value, seconds);
    add_threads(&value, run);
    summary_line(&text, "time", &value);
    add_stage(&value, "counting", count ? count->seconds : 0);
    add_stage(&value, "targets", report->link_seconds);
    add_stage(&value, "solving", report->solve_seconds);
    add_stage(&value, "regression", report->regression_seconds);
    add_stage(&value, "joint", report->joint_seconds);
    add_stage(&value, "read-out", report->readout_seconds);
    if (value.length)
        summary_line(&text, "of which", &value);
    memory_line(&text, &value, run, report->spilled_bytes + (count ? count->spilled_bytes : 0));
    written_line(&text, &value, run);
    talk_say(&run->talk, text.text);
    buffer_free(&text);
    buffer_free(&value);
}

static void log_baseline(struct run *run, const psdvec_baseline_report *report)
{
    struct buffer line = {0};
    add_result(&line, run);
    buffer_format(&line,
                  ", \"words\": %" PRIu32 ", \"dim\": %" PRIu32 ", \"entries\": %" PRIu64
                  ", \"pairs\": %" PRIu64 ", \"epochs\": %" PRIu32,
                  report->words, report->dim, report->entries, report->pairs, report->epochs);
    if (isfinite(report->loss))
        buffer_format(&line, ", \"loss\": %.17g", report->loss);
    buffer_format(&line, ", \"seconds\": %.3f", report->seconds);
    log_event(&run->log, "result", line.text);
    buffer_free(&line);
}

void summary_baseline(struct run *run, const psdvec_count_report *count,
                      const psdvec_baseline_report *report)
{
    struct buffer text = {0}, value = {0};
    log_baseline(run, report);
    if (count && count->tokens)
        text_lines(&text, &value, count);
    human_count(&value, report->words);
    buffer_format(&value, " words, %" PRIu32 " dimensions", report->dim);
    summary_line(&text, "model", &value);
    if (report->entries) {
        human_count(&value, report->entries);
        buffer_format(&value, " numbers that are not 0, %.2f%% of all",
                      100 * (double)report->entries / ((double)report->words * report->dim));
        summary_line(&text, "sparse", &value);
    }
    if (report->pairs) {
        human_count(&value, report->pairs);
        buffer_text(&value, report->epochs ? " an epoch" : " of words");
        summary_line(&text, "pairs", &value);
    }
    if (report->epochs) {
        if (isfinite(report->loss))
            buffer_format(&value, "%.6g after ", report->loss);
        buffer_format(&value, "%" PRIu32 " epoch%s", report->epochs,
                      report->epochs == 1 ? "" : "s");
        summary_line(&text, "loss", &value);
    }
    human_seconds(&value, report->seconds);
    add_threads(&value, run);
    summary_line(&text, "time", &value);
    memory_line(&text, &value, run, count ? count->spilled_bytes : 0);
    written_line(&text, &value, run);
    talk_say(&run->talk, text.text);
    buffer_free(&text);
    buffer_free(&value);
}

void summary_extend(struct run *run, const psdvec_extend_report *report)
{
    struct buffer text = {0}, value = {0};
    add_result(&value, run);
    buffer_format(&value,
                  ", \"old_words\": %" PRIu32 ", \"new_words\": %" PRIu32
                  ", \"replaced_words\": %" PRIu32 ", \"core_words_seen\": %" PRIu32
                  ", \"seconds\": %.3f",
                  report->old_words, report->new_words, report->replaced_words,
                  report->core_words_seen, report->seconds);
    log_event(&run->log, "result", value.text);
    buffer_clear(&value);

    human_count(&value, report->new_words);
    buffer_format(&value, " new word%s", report->new_words == 1 ? "" : "s");
    if (report->replaced_words) {
        buffer_text(&value, ", ");
        human_count(&value, report->replaced_words);
        buffer_text(&value, " replaced");
    }
    buffer_text(&value, ", ");
    human_count(&value, report->old_words - report->replaced_words);
    buffer_text(&value, " as they were");
    summary_line(&text, "model", &value);
    human_count(&value, report->core_words_seen);
    buffer_text(&value, " of the model's core words occur in the new text");
    summary_line(&text, "core", &value);
    human_seconds(&value, report->seconds);
    add_threads(&value, run);
    summary_line(&text, "time", &value);
    memory_line(&text, &value, run, 0);
    written_line(&text, &value, run);
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
