/* psdvec simulate: draws a model and a text from it, so that the true parameters are known. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "phrase.h"
#include "summary.h"

#include <math.h>

static void log_result(struct run *run, const psdvec_simulate_report *report)
{
    struct log_line line;
    pv_json_writer *to = log_begin(&line, &run->log, "result");
    pv_json_put_string(to, "output", argument_text(run->arguments, "output"));
    pv_json_put_u64(to, "peak_memory", psdvec_peak_memory(run->ctx));
    pv_json_put_i64(to, "threads", psdvec_threads(run->ctx));
    pv_json_put_u64(to, "tokens", report->tokens);
    pv_json_put_u64(to, "documents", report->documents);
    pv_json_put_u64(to, "bytes", report->bytes);
    pv_json_put_digits(to, "log_likelihood", report->log_likelihood, 17);
    pv_json_put_digits(to, "log_unigram", report->log_unigram, 17);
    pv_json_put_fixed(to, "seconds", report->seconds, 3);
    log_end(&line);
}

static void print_summary(struct run *run, const psdvec_simulate_report *report)
{
    struct buffer text = {0};
    double tokens = (double)report->tokens;
    summary_line(&text, "text", "%s in %s (%s)", phrase_counted(report->tokens, "word"),
                 phrase_counted(report->documents, "document"),
                 phrase_bytes((double)report->bytes));
    summary_line(&text, "perplexity", "%.4g under the true model, %.4g under its unigrams",
                 exp(-report->log_likelihood / tokens), exp(-report->log_unigram / tokens));
    if (isfinite(report->entropy_rate))
        summary_line(&text, "entropy", "%.5g nats per word after another", report->entropy_rate);
    summary_line(&text, "time", "%s on %s", phrase_seconds(report->seconds),
                 phrase_counted((uint64_t)psdvec_threads(run->ctx), "thread"));
    summary_line(&text, "written", "%s", argument_text(run->arguments, "output"));
    talk_say(&run->talk, phrase_of(&text));
}

static int act(struct run *run)
{
    psdvec_simulate_report report = {0};
    const psdvec_simulate_options *given = options_take(run, PSDVEC_OPTIONS_SIMULATE);
    if (!given)
        return run->refusal;
    int code = run_library(run);
    if (code)
        return code;
    psdvec_status status =
        psdvec_simulate(run->ctx, given, argument_text(run->arguments, "output"), &report);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    log_result(run, &report);
    print_summary(run, &report);
    return EXIT_FINE;
}

const struct command cmd_simulate = {
    .name = "simulate",
    .group = "Documents",
    .summary = "generate a random model and a text drawn from it",
    .synopsis = "-o FOLDER [OPTION]...",
    .description = PARAGRAPHS(
        "Draws random vectors and residuals, and a text from that model: each word from its "
        "distribution given the words before it. The true model is known, so a model trained on "
        "the text can be compared with it.",
        "The folder of -o receives text.txt, one document per line; truth.safetensors, a model; "
        "truth-residuals.safetensors (see psdvec residuals); and truth.json with all settings, "
        "the log-likelihood of the text and, for a window of 1, its entropy rate. The folder is "
        "created if it does not exist. Files with these names are replaced only if an earlier "
        "simulation wrote them.",
        "With a window of 1 and without residuals, the PMI of the text is exactly that of the "
        "true model. With a wider window, words also influence each other through the words "
        "between them, which the model, a first-order approximation, does not capture."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_SIMULATE, .except = " seed "),
                COMMON_OPTIONS},
    .examples = EXAMPLES({"psdvec simulate --vocab 300 --dim 8 --tokens 50k --seed 1 -o sim/",
                          "A small model and text."}),
    .notes = PARAGRAPHS(
        "Results depend on --seed, but not on the number of threads. Words are made of syllables, "
        "and all have the same length.",
        "docs/explanation/simulation.md describes what is drawn and how well training recovers it."),
    .output_example = "sim/",
    .act = act};
