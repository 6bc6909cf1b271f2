/* The report at the end of a command: inputs, results, resources. */
#include "summary.h"

#include "phrase.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
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

/* Starts the log line of a result. */
static pv_json_writer *begin_result(struct log_line *line, struct run *run)
{
    const char *path = argument_text(run->arguments, "output");
    pv_json_writer *to = log_begin(line, &run->log, "result");
    pv_json_put_string(to, "output", path);
    pv_json_put_u64(to, "output_bytes", size_of(path));
    pv_json_put_u64(to, "peak_memory", psdvec_peak_memory(run->ctx));
    pv_json_put_i64(to, "threads", psdvec_threads(run->ctx));
    return to;
}

static void text_lines(struct buffer *to, const psdvec_count_report *report)
{
    summary_line(to, "read", "%s words in %s (%s of text)", phrase_count(report->tokens),
                 phrase_counted(report->documents, "document"),
                 phrase_bytes((double)report->bytes));
    const char *distinct = report->distinct_words ? phrase(" of %s distinct words",
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

/* Adds the last lines of every summary, prints it and frees it. */
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
#define FIELD(member) PV_JSON_FIELD(psdvec_count_report, member)
    static const pv_json_field fields[] = {FIELD(bytes),
                                           FIELD(documents),
                                           FIELD(tokens),
                                           FIELD(known_tokens),
                                           FIELD(distinct_words),
                                           FIELD(words),
                                           FIELD(bigrams),
                                           FIELD(bad_bytes),
                                           FIELD(runs),
                                           FIELD(spilled_bytes),
                                           {0}};
#undef FIELD
    struct buffer text = {0};
    const char *rate = "";
    struct log_line line;
    pv_json_writer *to = begin_result(&line, run);
    pv_json_put_fields(to, fields, report, true);
    pv_json_put_fixed(to, "seconds", report->seconds, 3);
    log_end(&line);
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
        summary_line(to, "core", "%s words solved together, %s by regression",
                     phrase_count(report->core_words),
                     phrase_count(report->words - report->core_words));
    summary_line(to, "pairs", "%s of core words", phrase_count(report->pairs));
    summary_line(to, "objective", "%.6g after %" PRIu32 " iteration%s", report->objective,
                 report->iterations, report->iterations == 1 ? "" : "s");
    /* The joint probability of text, vectors and residuals, without the normalising factors. */
    const psdvec_joint *joint = &report->joint;
    double text = joint->unigrams + joint->products + joint->residuals + joint->shifts;
    double priors = joint->residual_prior + joint->background + joint->vector_prior;
    summary_line(to, "log joint", "%.6g, of which the text %.6g", text + priors, text);
    summary_line(to, "priors", "residuals %.4g%s%s", joint->residual_prior,
                 joint->background != 0 ? phrase(", background %.4g", joint->background) : "",
                 joint->vector_prior != 0 ? phrase(", vectors %.4g", joint->vector_prior) : "");
}

static void log_model(struct run *run, const psdvec_count_report *count,
                      const psdvec_train_report *report, double seconds)
{
#define FIELD(member) PV_JSON_FIELD(psdvec_train_report, member)
    static const pv_json_field fields[] = {
        FIELD(words),    FIELD(core_words), FIELD(dim),        FIELD(positive),
        FIELD(negative), FIELD(pairs),      FIELD(iterations), {0}};
#undef FIELD
    struct log_line line;
    pv_json_writer *to = begin_result(&line, run);
    pv_json_put_fields(to, fields, report, true);
    if (isfinite(report->objective))
        pv_json_put_digits(to, "objective", report->objective, 17);
    if (count) {
        pv_json_put_u64(to, "bytes", count->bytes);
        pv_json_put_u64(to, "documents", count->documents);
        pv_json_put_u64(to, "tokens", count->tokens);
        pv_json_put_fixed(to, "count_seconds", count->seconds, 3);
    }
    pv_json_put_fixed(to, "link_seconds", report->link_seconds, 3);
    pv_json_put_fixed(to, "solve_seconds", report->solve_seconds, 3);
    pv_json_put_fixed(to, "regression_seconds", report->regression_seconds, 3);
    pv_json_put_fixed(to, "readout_seconds", report->readout_seconds, 3);
    pv_json_put_fixed(to, "joint_seconds", report->joint_seconds, 3);
    pv_json_put_fixed(to, "seconds", seconds, 3);
    pv_json_put_u64(to, "spilled_bytes", report->spilled_bytes);
    log_end(&line);
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
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
        if (stages[k].seconds > 0)
            buffer_format(&parts, "%s%s %s", parts.length ? ", " : "", stages[k].name,
                          phrase_seconds(stages[k].seconds));
    time_line(&text, run, seconds, "");
    if (parts.length)
        summary_line(&text, "of which", "%s", phrase_of(&parts));
    finish(run, &text, report->spilled_bytes + (count ? count->spilled_bytes : 0));
}

void summary_baseline(struct run *run, const psdvec_count_report *count,
                      const psdvec_baseline_report *report)
{
    struct buffer text = {0};
    struct log_line line;
    pv_json_writer *to = begin_result(&line, run);
    pv_json_put_u64(to, "words", report->words);
    pv_json_put_u64(to, "dim", report->dim);
    pv_json_put_u64(to, "entries", report->entries);
    pv_json_put_u64(to, "pairs", report->pairs);
    pv_json_put_u64(to, "epochs", report->epochs);
    if (isfinite(report->loss))
        pv_json_put_digits(to, "loss", report->loss, 17);
    pv_json_put_fixed(to, "seconds", report->seconds, 3);
    log_end(&line);
    if (count && count->tokens)
        text_lines(&text, count);
    summary_line(&text, "model", "%s words, %" PRIu32 " dimensions", phrase_count(report->words),
                 report->dim);
    if (report->entries)
        summary_line(&text, "sparse", "%s nonzero components, %.2f%% of all",
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
    struct log_line line;
    pv_json_writer *to = begin_result(&line, run);
    pv_json_put_u64(to, "old_words", report->old_words);
    pv_json_put_u64(to, "new_words", report->new_words);
    pv_json_put_u64(to, "replaced_words", report->replaced_words);
    pv_json_put_u64(to, "core_words_seen", report->core_words_seen);
    pv_json_put_fixed(to, "seconds", report->seconds, 3);
    log_end(&line);
    summary_line(
        &text, "model", "%s%s, %s unchanged", phrase_counted(report->new_words, "new word"),
        report->replaced_words ? phrase(", %s replaced", phrase_count(report->replaced_words)) : "",
        phrase_count(report->old_words - report->replaced_words));
    summary_line(&text, "core", "%s of the model's core words occur in the new text",
                 phrase_count(report->core_words_seen));
    time_line(&text, run, report->seconds, "");
    finish(run, &text, 0);
}

void summary_phrases(struct run *run, const psdvec_phrases_report *report, const char *list,
                     const char *joined)
{
    struct buffer text = {0};
    struct log_line line;
    pv_json_writer *to = log_begin(&line, &run->log, "result");
    if (list)
        pv_json_put_string(to, "list", list);
    if (joined)
        pv_json_put_string(to, "output", joined);
    pv_json_put_u64(to, "bytes", report->bytes);
    pv_json_put_u64(to, "documents", report->documents);
    pv_json_put_u64(to, "tokens", report->tokens);
    pv_json_put_u64(to, "phrases", report->phrases);
    pv_json_put_u64(to, "joined", report->joined);
    pv_json_put_fixed(to, "seconds", report->seconds, 3);
    pv_json_put_u64(to, "peak_memory", psdvec_peak_memory(run->ctx));
    log_end(&line);
    summary_line(&text, "read", "%s words in %s (%s of text)", phrase_count(report->tokens),
                 phrase_counted(report->documents, "document"),
                 phrase_bytes((double)report->bytes));
    summary_line(&text, "phrases", "%s%s", phrase_count(report->phrases),
                 joined ? phrase(", joined %s times", phrase_count(report->joined)) : "");
    time_line(&text, run, report->seconds, "");
    summary_line(&text, "memory", "%s at most", phrase_bytes((double)psdvec_peak_memory(run->ctx)));
    const char *const files[] = {list, joined};
    for (size_t k = 0; k < 2; k++)
        if (files[k])
            summary_line(&text, "written", "%s (%s)", files[k],
                         phrase_bytes((double)size_of(files[k])));
    talk_say(&run->talk, text.text);
    buffer_free(&text);
}

void summary_written(struct run *run, const char *path)
{
    uint64_t size = size_of(path);
    talk_say(&run->talk, phrase("  written     %s (%s)\n", path, phrase_bytes((double)size)));
    struct log_line line;
    pv_json_writer *to = log_begin(&line, &run->log, "result");
    pv_json_put_string(to, "output", path);
    pv_json_put_u64(to, "output_bytes", size);
    log_end(&line);
}

/* ---- Interrupted runs ----------------------------------------------------------------------
 *
 * Reports whether OUTPUT.partial exists and what it contains. The library decides whether a run can
 * be resumed from it. */

static bool is_state(const char *name)
{
    static const char end[] = ".safetensors";
    size_t length = strlen(name);
    return name[0] != '.' && length > strlen(end) && !strcmp(name + length - strlen(end), end);
}

const char *interrupted_state(const char *output)
{
    const char *folder = phrase("%s.partial", output);
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, NULL);
    size_t files = 0;
    uint64_t bytes = 0;
    for (int k = 0; k < count; k++) {
        struct stat status;
        if (is_state(entries[k]->d_name) &&
            lstat(phrase("%s/%s", folder, entries[k]->d_name), &status) == 0 &&
            S_ISREG(status.st_mode)) {
            files++;
            bytes += (uint64_t)status.st_size;
        }
        free(entries[k]);
    }
    if (count >= 0)
        free(entries);
    return files ? phrase("%zu file%s (%s) in %s", files, files == 1 ? "" : "s",
                          phrase_bytes((double)bytes), folder)
                 : NULL;
}

/* The library does not resume with text that it cannot verify. */
static bool read_once(const struct arguments *arguments)
{
    for (size_t k = 0; k < arguments->operand_count; k++) {
        struct stat status;
        const char *path = arguments->operands[k];
        if (strcmp(path, "-") == 0 ||
            (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
            return true;
    }
    return false;
}

int interrupted_failed(struct run *run, psdvec_status status)
{
    if (status != PSDVEC_ERR_CANCELLED)
        return run_failed(run, status);
    /* Methods that never count have no --resume. */
    bool resumes = arguments_have(run->arguments, "resume");
    const char *resume = resumes ? argument_text(run->arguments, "resume") : NULL;
    const char *restart = argument_flag(run->arguments, "restart") ? " without --restart" : "";
    const char *state = interrupted_state(argument_text(run->arguments, "output"));
    const char *sentence = "stopped before the first part was finished; the same command starts "
                           "over";
    if (state && read_once(run->arguments))
        sentence = "stopped; standard input and pipes cannot be read again, so the same command "
                   "starts over";
    else if (state)
        sentence = phrase("stopped; finished work is kept (%s), and the same command%s resumes "
                          "from it",
                          state, restart);
    else if (resume)
        sentence = phrase("stopped; the counts of finished inputs are kept in %s, and the same "
                          "command resumes from them",
                          resume);
    return run_failed_because(run, status, sentence);
}
