/* psdvec counts export: converts a counts file to formats of other programs. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "summary.h"
#include "word_files.h"

static const psdvec_option options[] = {
    NEW_FILE_OPTION(
        "vocab-output", .group = "External counts",
        .help = "file for the words and their frequencies: GloVe's vocab.txt, a list for "
                "matrix-market, or, optionally, the original program's top1grams for top2grams"),
    FLAG_OPTION("symmetric",
                .help = "add up both directions of a pair: GloVe files get each pair in both "
                        "directions, matrix-market files get one triangle"),
    {0}};

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const struct option_value *format = argument(arguments, "format");
    const char *output = argument_text(arguments, "output");
    const char *words = argument_text(arguments, "vocab-output");
    if (!format->given)
        return run_use_error(run, "give the format: --format glove, matrix-market or top2grams");
    psdvec_counts_format kind = (psdvec_counts_format)format->integer;
    if (!words && kind != PSDVEC_FORMAT_TOP2GRAMS)
        return run_use_error(run,
                             "the format %s does not contain the words; give a file for them: "
                             "--vocab-output FILE",
                             option_word(PSDVEC_OPTIONS_IMPORT, "format", kind));
    psdvec_counts *counts = NULL;
    int code = counts_file_open(run, arguments->operands[0], &counts);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_export(
        run->ctx, counts, kind, argument_flag(arguments, "symmetric"), output, words);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    summary_written(run, output);
    if (words)
        summary_written(run, words);
    return EXIT_FINE;
}

const struct command cmd_counts_export = {
    .name = "counts export",
    .group = "Counts files",
    .summary = "convert a counts file to the format of another program",
    .synopsis = "FILE --format FORMAT -o FILE [OPTION]...",
    .description = PARAGRAPHS("Writes the counts in the format of another program."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_IMPORT, .only = " format "),
                OWN_OPTIONS(options), COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec counts export wiki.counts.safetensors --format glove --symmetric --vocab-output "
         "vocab.txt -o cooccurrence.bin",
         "For GloVe."},
        {"psdvec counts export wiki.counts.safetensors --format matrix-market --vocab-output "
         "wiki.words -o wiki.mtx",
         "For programs that read sparse matrices."},
        {"psdvec counts export wiki.counts.safetensors --format top2grams --vocab-output "
         "top1grams.txt -o top2grams.txt",
         "For the original PSDVec program."}),
    .operands = {1, 1},
    .missing = "give a counts file",
    .output_example = "cooccurrence.bin",
    .act = act};
