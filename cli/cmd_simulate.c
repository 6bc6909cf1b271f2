/* psdvec simulate: a model and a text are drawn, so that the truth is known. */
#include "commands.h"
#include "exit_status.h"
#include "human.h"
#include "options.h"
#include "summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void log_result(struct run *run, const psdvec_simulate_report *report)
{
    const char *path = argument_text(run->arguments, "output");
    struct buffer line = {0};
    buffer_text(&line, "\"output\": ");
    buffer_json(&line, path, strlen(path));
    buffer_format(&line,
                  ", \"peak_memory\": %" PRIu64 ", \"threads\": %d, \"tokens\": %" PRIu64
                  ", \"documents\": %" PRIu64 ", \"bytes\": %" PRIu64
                  ", \"log_likelihood\": %.17g, \"log_unigram\": %.17g, \"seconds\": %.3f",
                  psdvec_peak_memory(run->ctx), psdvec_threads(run->ctx), report->tokens,
                  report->documents, report->bytes, report->log_likelihood, report->log_unigram,
                  report->seconds);
    log_event(&run->log, "result", buffer_get(&line));
    buffer_free(&line);
}

static void tell(struct run *run, const psdvec_simulate_report *report)
{
    struct buffer text = {0}, value = {0};
    double tokens = (double)report->tokens;
    human_count(&value, report->tokens);
    buffer_text(&value, report->tokens == 1 ? " word in " : " words in ");
    human_count(&value, report->documents);
    buffer_text(&value, report->documents == 1 ? " document (" : " documents (");
    human_bytes(&value, (double)report->bytes);
    buffer_char(&value, ')');
    summary_line(&text, "text", &value);
    buffer_format(&value, "%.4g under the truth, %.4g by frequency alone",
                  exp(-report->log_likelihood / tokens), exp(-report->log_unigram / tokens));
    summary_line(&text, "perplexity", &value);
    if (isfinite(report->entropy_rate)) {
        buffer_format(&value, "%.5g nats a word behind another", report->entropy_rate);
        summary_line(&text, "entropy", &value);
    }
    human_seconds(&value, report->seconds);
    buffer_format(&value, " on %d thread%s", psdvec_threads(run->ctx),
                  psdvec_threads(run->ctx) == 1 ? "" : "s");
    summary_line(&text, "time", &value);
    buffer_text(&value, argument_text(run->arguments, "output"));
    summary_line(&text, "written", &value);
    talk_say(&run->talk, text.text);
    buffer_free(&text);
    buffer_free(&value);
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
    tell(run, &report);
    return EXIT_FINE;
}

const struct command cmd_simulate = {
    .name = "simulate",
    .group = "Documents",
    .brief = true,
    .summary = "draw a random model, and a text from it",
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
        "docs/simulation.md describes what is drawn and how well training recovers it."),
    .output_example = "sim/",
    .act = act};
