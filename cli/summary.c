/* The report at the end: what was read, what came out, what it took. */
#include "summary.h"

#include "phrase.h"

#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

void summary_line(struct buffer *to, const char *label, const char *format, ...)
{
    va_list list;
    buffer_format(to, "  %-11s ", label);
    va_start(list, format);
    buffer_vformat(to, format, list);
    va_end(list);
    buffer_char(to, '\n');
}

static uint64_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* The log's line about a result, whose other members these are. */
static void log_result(struct run *run, const char *members)
{
    const char *path = argument_text(run->arguments, "output");
    log_event(&run->log, "result",
              phrase("\"output\": %s, \"output_bytes\": %" PRIu64 ", \"peak_memory\": %" PRIu64
                     ", \"threads\": %d, %s",
                     phrase_json(path), size_of(path), psdvec_peak_memory(run->ctx),
                     psdvec_threads(run->ctx), members));
}

static void log_counts(struct run *run, const psdvec_count_report *report)
{
    log_result(run,
               phrase("\"bytes\": %" PRIu64 ", \"documents\": %" PRIu64 ", \"tokens\": %" PRIu64
                      ", \"known_tokens\": %" PRIu64 ", \"distinct_words\": %" PRIu64
                      ", \"words\": %" PRIu64 ", \"bigrams\": %" PRIu64 ", \"bad_bytes\": %" PRIu64
                      ", \"runs\": %" PRIu64 ", \"spilled_bytes\": %" PRIu64 ", \"seconds\": %.3f",
                      report->bytes, report->documents, report->tokens, report->known_tokens,
                      report->distinct_words, report->words, report->bigrams, report->bad_bytes,
                      report->runs, report->spilled_bytes, report->seconds));
}

static void text_lines(struct buffer *to, const psdvec_count_report *report)
{
    summary_line(to, "read", "%s words in %s (%s of text)", phrase_count(report->tokens),
                 phrase_counted(report->documents, "document"),
                 phrase_bytes((double)report->bytes));
    const char *distinct = report->distinct_words ? phrase(" of %s distinct ones",
                                                           phrase_count(report->distinct_words))
                                                  : "";
    const char *covering = report->tokens
                               ? phrase(", covering %.1f%% of the text",
                                        100 * (double)report->known_tokens / (double)report->tokens)
                               : "";
    summary_line(to, "vocabulary", "%s words%s%s", phrase_count(report->words), distinct, covering);
}

static void time_line(struct buffer *to, const struct run *run, double seconds, const char *rate)
{
    summary_line(to, "time", "%s%s, %s", phrase_seconds(seconds), rate,
                 phrase_counted((uint64_t)psdvec_threads(run->ctx), "thread"));
}

/* The lines that every summary ends with. Says all of it, and frees it. */
static void finish(struct run *run, struct buffer *text, uint64_t spilled)
{
    const char *path = argument_text(run->arguments, "output");
    summary_line(text, "memory", "%s at most%s", phrase_bytes((double)psdvec_peak_memory(run->ctx)),
                 spilled ? phrase(", %s through temporary files", phrase_bytes((double)spilled))
                         : "");
    summary_line(text, "written", "%s (%s)", path, phrase_bytes((double)size_of(path)));
    talk_say(&run->talk, text->text);
    buffer_free(text);
}

void summary(struct run *run, const psdvec_count_report *report, bool read_text)
{
    struct buffer text = {0};
    const char *rate = "";
    log_counts(run, report);
    if (read_text)
        text_lines(&text, report);
    else
        summary_line(&text, "vocabulary", "%s words", phrase_count(report->words));
    summary_line(&text, "bigrams", "%s distinct pairs", phrase_count(report->bigrams));
    if (read_text && report->seconds > 0)
        rate = phrase(", %s words/s", phrase_short((double)report->tokens / report->seconds));
    time_line(&text, run, report->seconds, rate);
    finish(run, &text, report->spilled_bytes);
}

/* ---- Training ---------------------------------------------------------------------------- */

static void model_lines(struct buffer *to, const psdvec_train_report *report)
{
    summary_line(to, "model", "%s words, %" PRIu32 " dimensions", phrase_count(report->words),
                 report->dim);
    summary_line(to, "eigenvalues", "%" PRIu32 " positive, %" PRIu32 " negative", report->positive,
                 report->negative);
    if (report->core_words < report->words)
        summary_line(to, "core", "%s words solved together, %s by regression on them",
                     phrase_count(report->core_words),
                     phrase_count(report->words - report->core_words));
    summary_line(to, "pairs", "%s of core words", phrase_count(report->pairs));
    summary_line(to, "objective", "%.6g after %" PRIu32 " iteration%s", report->objective,
                 report->iterations, report->iterations == 1 ? "" : "s");
}

static void log_model(struct run *run, const psdvec_count_report *count,
                      const psdvec_train_report *report, double seconds)
{
    struct buffer line = {0};
    buffer_format(&line,
                  "\"words\": %" PRIu32 ", \"core_words\": %" PRIu32 ", \"dim\": %" PRIu32
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
    log_result(run, phrase_of(&line));
}

/* Of the joint probability of text, vectors and residuals, without the normalising factors. */
static void joint_lines(struct buffer *to, const psdvec_joint *joint)
{
    double text = joint->unigrams + joint->products + joint->residuals + joint->shifts;
    double priors = joint->residual_prior + joint->background + joint->vector_prior;
    summary_line(to, "log joint", "%.6g, of which the text %.6g", text + priors, text);
    summary_line(to, "priors", "residuals %.4g%s%s", joint->residual_prior,
                 joint->background != 0 ? phrase(", background %.4g", joint->background) : "",
                 joint->vector_prior != 0 ? phrase(", vectors %.4g", joint->vector_prior) : "");
}

void summary_train(struct run *run, const psdvec_count_report *count,
                   const psdvec_train_report *report, double seconds)
{
    const struct {
        const char *name;
        double seconds;
    } stages[] = {
        {"counting", count ? count->seconds : 0}, {"targets", report->link_seconds},
        {"solving", report->solve_seconds},       {"regression", report->regression_seconds},
        {"joint", report->joint_seconds},         {"read-out", report->readout_seconds}};
    struct buffer text = {0}, parts = {0};
    log_model(run, count, report, seconds);
    if (count && count->tokens)
        text_lines(&text, count);
    model_lines(&text, report);
    joint_lines(&text, &report->joint);
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
        if (stages[k].seconds > 0)
            buffer_format(&parts, "%s%s %s", parts.length ? ", " : "", stages[k].name,
                          phrase_seconds(stages[k].seconds));
    time_line(&text, run, seconds, "");
    if (parts.length)
        summary_line(&text, "of which", "%s", phrase_of(&parts));
    finish(run, &text, report->spilled_bytes + (count ? count->spilled_bytes : 0));
}

static void log_baseline(struct run *run, const psdvec_baseline_report *report)
{
    log_result(run,
               phrase("\"words\": %" PRIu32 ", \"dim\": %" PRIu32 ", \"entries\": %" PRIu64
                      ", \"pairs\": %" PRIu64 ", \"epochs\": %" PRIu32 "%s, \"seconds\": %.3f",
                      report->words, report->dim, report->entries, report->pairs, report->epochs,
                      isfinite(report->loss) ? phrase(", \"loss\": %.17g", report->loss) : "",
                      report->seconds));
}

void summary_baseline(struct run *run, const psdvec_count_report *count,
                      const psdvec_baseline_report *report)
{
    struct buffer text = {0};
    log_baseline(run, report);
    if (count && count->tokens)
        text_lines(&text, count);
    summary_line(&text, "model", "%s words, %" PRIu32 " dimensions", phrase_count(report->words),
                 report->dim);
    if (report->entries)
        summary_line(&text, "sparse", "%s numbers that are not 0, %.2f%% of all",
                     phrase_count(report->entries),
                     100 * (double)report->entries / ((double)report->words * report->dim));
    if (report->pairs)
        summary_line(&text, "pairs", "%s %s", phrase_count(report->pairs),
                     report->epochs ? "an epoch" : "of words");
    if (report->epochs)
        summary_line(&text, "loss", "%s%" PRIu32 " epoch%s",
                     isfinite(report->loss) ? phrase("%.6g after ", report->loss) : "",
                     report->epochs, report->epochs == 1 ? "" : "s");
    time_line(&text, run, report->seconds, "");
    finish(run, &text, count ? count->spilled_bytes : 0);
}

void summary_extend(struct run *run, const psdvec_extend_report *report)
{
    struct buffer text = {0};
    log_result(run, phrase("\"old_words\": %" PRIu32 ", \"new_words\": %" PRIu32
                           ", \"replaced_words\": %" PRIu32 ", \"core_words_seen\": %" PRIu32
                           ", \"seconds\": %.3f",
                           report->old_words, report->new_words, report->replaced_words,
                           report->core_words_seen, report->seconds));
    summary_line(
        &text, "model", "%s%s, %s as they were", phrase_counted(report->new_words, "new word"),
        report->replaced_words ? phrase(", %s replaced", phrase_count(report->replaced_words)) : "",
        phrase_count(report->old_words - report->replaced_words));
    summary_line(&text, "core", "%s of the model's core words occur in the new text",
                 phrase_count(report->core_words_seen));
    time_line(&text, run, report->seconds, "");
    finish(run, &text, 0);
}

void summary_written(struct run *run, const char *path)
{
    uint64_t size = size_of(path);
    talk_say(&run->talk, phrase("  written     %s (%s)\n", path, phrase_bytes((double)size)));
    log_event(&run->log, "result",
              phrase("\"output\": %s, \"output_bytes\": %" PRIu64, phrase_json(path), size));
}
