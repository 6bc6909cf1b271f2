/* psdvec topics compare: how good topics are, by documents. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "phrase.h"
#include "show.h"
#include "topics.h"

#include <string.h>

static const psdvec_option options[] = {
    FILES_OPTION("with", .group = "Output", .help = "compare with the topics of this file"),
    WHOLE_OPTION("words", "N", 2, 1000, .fallback = "10",
                 .help = "number of words that describe a topic"),
    {0}};

static const struct column columns[] = {COLUMN("file", "topics", .most = 30, .names = true),
                                        NUMBERS("topics", "number", 0, 0, .gap = 2),
                                        NUMBERS("coherence", "coherence", 3, -6, .gap = 2),
                                        NUMBERS("diversity", "diversity", 3, -6, .gap = 2),
                                        NUMBERS("perplexity", "perplexity", 1, -6, .gap = 2),
                                        NUMBERS("bound", "bound", 4, -8, .gap = 2),
                                        COLUMN("documents", NULL),
                                        COLUMN("words", NULL),
                                        COLUMN("known", NULL),
                                        COLUMN("scored", NULL)};

static int evaluate(struct run *run, const char *path, struct rows *rows)
{
    const struct arguments *arguments = run->arguments;
    psdvec_topics_quality quality;
    psdvec_topics *topics;
    int code = topics_open(run, path, &topics);
    if (code)
        return code;
    psdvec_text_options text = *psdvec_topics_text_options(topics);
    options_plain(&text);
    code = options_apply(run, PSDVEC_OPTIONS_TEXT, &text);
    if (!code) {
        psdvec_status status = psdvec_topics_evaluate(
            run->ctx, topics, &text, arguments->operands + 1, arguments->operand_count - 1,
            (uint32_t)argument_integer(arguments, "words"), &quality);
        code = status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
    }
    if (!code)
        rows_add(rows, text_cell(path), whole_cell(psdvec_topics_get_info(topics)->topics),
                 real_cell(quality.coherence), real_cell(quality.diversity),
                 real_cell(quality.perplexity), real_cell(quality.bound),
                 whole_cell(quality.documents), whole_cell(quality.words),
                 whole_cell(quality.known), whole_cell(quality.scored));
    return code;
}

static int act(struct run *run)
{
    struct rows rows = ROWS("topics", 0, columns);
    struct show show;
    int code = evaluate(run, run->arguments->operands[0], &rows);
    const struct option_value *more = argument(run->arguments, "with");
    for (size_t k = 0; !code && k < more->text_count; k++)
        code = evaluate(run, more->texts[k], &rows);
    if (code) {
        rows_free(&rows);
        return code;
    }
    show_begin(&show, run, false);
    show_rows(&show, &rows);
    show_finish(&show);
    return EXIT_FINE;
}

const struct command cmd_topics_compare = {
    .name = "topics compare",
    .group = "Topics",
    .summary = "measure how good topics are",
    .synopsis = "FILE INPUT... [--with FILE]... [OPTION]...",
    .description = PARAGRAPHS(
        "Measures how good the topics of one or more files are, by documents from which they were "
        "not learnt. Coherence is the mean normalised PMI of pairs of the words that describe a "
        "topic: 1 if they occur only in the same documents, 0 by chance, -1 never together. "
        "Diversity is the share of distinct words among the words that describe all topics. "
        "Perplexity is that of one half of each document, with the mixture of topics found from the "
        "other half. The bound is the lower bound of the log-likelihood of the documents, per word; "
        "it falls if there are too many topics.",
        "Perplexities and bounds are comparable only for topics with the same vocabulary; --format json shows "
        "how many words of the text each file has."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TEXT),
                COMMON_OPTIONS},
    .inherited = options_of_model,
    .inherited_from = "those of the topics file",
    .examples =
        EXAMPLES({"psdvec topics compare topics.safetensors wiki.txt --with two.safetensors",
                  "Which topics describe other documents better?"}),
    .operands = {2, SIZE_MAX},
    .missing = "give a topics file and documents: files, folders, or - for standard input",
    .temporary = true,
    .act = act};
