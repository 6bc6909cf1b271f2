/* psdvec phrases: finds words that form phrases, and joins them. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "summary.h"

static const psdvec_option options[] = {
    NEW_FILE_OPTION("list", .group = "Phrases",
                    .help =
                        "write the list of phrases to FILE: words, count and score, separated by "
                        "tabs"),
    {0}};

/* The options for finding phrases, with the words of --connectors. */
static const psdvec_phrases_options *take_options(struct run *run)
{
    psdvec_phrases_options *find = options_take(run, PSDVEC_OPTIONS_PHRASES);
    if (!find || !options_take_words(run, "connectors"))
        return NULL;
    find->connectors = (const char *const *)run->words.words;
    find->connectors_count = run->words.count;
    return find;
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const char *joined = argument_text(arguments, "output");
    const char *list = argument_text(arguments, "list");
    psdvec_phrases_report report;
    const psdvec_phrases_options *find = take_options(run);
    const psdvec_text_options *text = find ? options_take(run, PSDVEC_OPTIONS_TEXT) : NULL;
    if (!text)
        return run->refusal;
    if (!joined && !list)
        return run_use_error(run, "give an output: -o FILE for the joined text, --list FILE for "
                                  "the list of phrases, or both");
    if (text->phrases && (list || options_given(arguments, PSDVEC_OPTIONS_PHRASES)))
        return run_use_error(run, "--phrases joins the phrases of a list and does not search for "
                                  "others; omit the options of the search");
    int code = run_library(run);
    if (code)
        return code;
    run_announce_terminal(run);
    psdvec_status status =
        text->phrases ? psdvec_phrases_join(run->ctx, text, arguments->operands,
                                            arguments->operand_count, joined, &report)
                      : psdvec_phrases_find(run->ctx, find, text, arguments->operands,
                                            arguments->operand_count, list, joined, &report);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    summary_phrases(run, &report, list, joined);
    return EXIT_FINE;
}

const struct command cmd_phrases = {
    .name = "phrases",
    .group = "Counting",
    .summary = "find phrases such as new york in text and join them",
    .synopsis = "INPUT... [-o FILE] [--list FILE] [OPTION]...",
    .description = PARAGRAPHS(
        "Finds pairs of words that occur next to each other more often than chance, such as new "
        "york, and joins them into single words: new_york. Further passes find longer phrases. "
        "Phrases never cross the end of a document or, with --sentences, of a sentence.",
        "The result is the text with phrases joined (-o), one document per line, or a list of the "
        "phrases (--list), or both. Read joined text with --underscores join or --tokenizer "
        "whitespace. With --phrases FILE, the phrases of an existing list are joined instead."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_PHRASES), OWN_OPTIONS(options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TEXT, .except = DETAIL_OPTIONS),
                COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec phrases wiki.txt --min-count 2 --threshold 5 -o joined.txt --list phrases.tsv",
         "Join phrases, and list them."},
        {"psdvec phrases wiki.txt --score npmi --min-count 2 --connectors of,the "
         "--list phrases.tsv",
         "By normalised PMI, with phrases such as bank of america."},
        {"psdvec phrases books --phrases phrases.tsv -o books.txt",
         "Join the phrases of a list in another text."}),
    .notes = PARAGRAPHS(
        "The text is read once per pass and once more to write it. Results do not depend on the "
        "number of threads or the memory limit. Ctrl-C leaves no files behind; an existing FILE "
        "is replaced only when the new one is complete."),
    .operands = {1, SIZE_MAX},
    .missing = "give a text: files or folders",
    .output_example = "joined.txt",
    .output_optional = true,
    .act = act};
