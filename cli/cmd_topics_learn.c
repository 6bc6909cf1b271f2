/* psdvec topics learn: finds topics in documents. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "phrase.h"
#include "summary.h"
#include "topics.h"
#include "word_files.h"

#include <math.h>
#include <string.h>

/* Topics and words of each that the summary lists. */
enum { SHOWN_TOPICS = 5, SHOWN_WORDS = 8 };

static void summarise(struct run *run, const psdvec_topics_report *report,
                      const psdvec_topics *topics)
{
    struct buffer text = {0};
    struct log_line line;
    pv_json_writer *to = log_begin(&line, &run->log, "result");
    const char *output = run_output(run);
    double per_word = report->bound / (double)report->known_tokens;
    pv_json_put_string(to, "output", output);
    pv_json_put_u64(to, "documents", report->documents);
    pv_json_put_u64(to, "empty", report->empty);
    pv_json_put_u64(to, "tokens", report->tokens);
    pv_json_put_u64(to, "known_tokens", report->known_tokens);
    pv_json_put_u64(to, "words", report->words);
    pv_json_put_u64(to, "topics", report->topics);
    pv_json_put_u64(to, "merged", report->merged);
    pv_json_put_u64(to, "iterations", report->iterations);
    pv_json_put_double(to, "bound", report->bound);
    pv_json_put_fixed(to, "seconds", report->seconds, 3);
    pv_json_put_u64(to, "peak_memory", psdvec_peak_memory(run->ctx));
    log_end(&line);
    summary_line(&text, "read", "%s words in %s", phrase_count(report->tokens),
                 phrase_counted(report->documents, "document"));
    if (report->empty)
        summary_line(&text, "", "%s without known words",
                     phrase_counted(report->empty, "document"));
    summary_line(&text, "vocabulary", "%s words, covering %.1f%% of the text",
                 phrase_count(report->words),
                 100 * (double)report->known_tokens / (double)report->tokens);
    summary_line(&text, "topics", "%s after %s, bound %.4f per word (perplexity %.0f)",
                 phrase_count(report->topics), phrase_counted(report->iterations, "iteration"),
                 per_word, exp(-per_word));
    if (report->trials)
        summary_line(&text, "", "the number was chosen by held-out documents, from %s",
                     phrase_counted(report->trials, "trial"));
    if (report->merged)
        summary_line(&text, "", "%s nearly equal to others and merged with them",
                     report->merged == 1 ? "1 was"
                                         : phrase("%s were", phrase_count(report->merged)));
    for (uint32_t k = 0; k < report->topics && k < SHOWN_TOPICS; k++)
        summary_line(&text, k ? "" : "largest", "%4.1f%%  %s", 100 * psdvec_topics_share(topics, k),
                     topics_words(run, topics, k, SHOWN_WORDS));
    summary_line(&text, "time", "%s, %s", phrase_seconds(report->seconds),
                 phrase_counted((uint64_t)psdvec_threads(run->ctx), "thread"));
    summary_line(&text, "memory", "%s at most", phrase_bytes((double)psdvec_peak_memory(run->ctx)));
    summary_line(&text, "written", "%s (%s)", output,
                 phrase_bytes((double)psdvec_topics_get_info(topics)->file_bytes));
    buffer_format(&text, "Try next:\n  psdvec topics show %s\n", output);
    talk_say(&run->talk, text.text);
    buffer_free(&text);
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    psdvec_topic_options *options = options_take(run, PSDVEC_OPTIONS_TOPIC);
    psdvec_topics_report report;
    psdvec_text_options text;
    psdvec_model *model;
    if (!options)
        return run->refusal;
    int code = model_file_open(run, arguments->operands[0], &model);
    if (code)
        return code;
    code = model_file_text(run, model, &text);
    if (code)
        return code;
    options_plain(&text);
    code = options_apply(run, PSDVEC_OPTIONS_TEXT, &text);
    if (code)
        return code;
    run_announce_terminal(run);
    psdvec_status status =
        psdvec_topics_learn(run->ctx, options, model, &text, arguments->operands + 1,
                            arguments->operand_count - 1, run_output(run), &report);
    psdvec_topics *topics = NULL;
    if (status == PSDVEC_OK)
        status = psdvec_topics_open(run->ctx, run_output(run), &topics);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    summarise(run, &report, topics);
    psdvec_topics_close(topics);
    return EXIT_FINE;
}

const struct command cmd_topics_learn = {
    .name = "topics learn",
    .group = "Topics",
    .summary = "find the topics of documents",
    .synopsis = "MODEL INPUT... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Finds topics in documents. A topic is a distribution over words, given by a vector in the "
        "space of the model's word vectors and by residuals that adapt it to the documents. Every "
        "document is a mixture of topics.",
        "The result is a topics file, which psdvec topics show and psdvec topics apply read. By "
        "default, each line or record is a document (--document), and text is tokenised as the "
        "model's text was. Words that the model does not have are ignored. The model may be "
        "trained on the same documents or on other, larger text."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TOPIC),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TEXT), COMMON_OPTIONS},
    .inherited = options_of_model,
    .inherited_from = "the model's",
    .examples = EXAMPLES(
        {"psdvec topics learn wiki.safetensors notes.txt --topics 20 -o topics.safetensors",
         "20 topics; every line of the text is a document."},
        {"psdvec topics learn wiki.safetensors books --document file --topics 2 -o two.safetensors",
         "Two topics; every file of a folder is a document."}),
    .notes = PARAGRAPHS(
        "The topics do not depend on a random seed, the number of threads or the memory limit. "
        "docs/explanation/topics.md has the formulas.",
        "After Ctrl-C, a crash or kill -9, run the same command again to resume: the documents are "
        "read again, but finished iterations are kept in the folder FILE.partial beside the "
        "output, which is deleted at the end. A resumed run gives the same bits as an "
        "uninterrupted one."),
    .operands = {2, SIZE_MAX},
    .missing = "give a model and documents: files, folders, or - for standard input",
    .output_example = "topics.safetensors",
    .act = act};
