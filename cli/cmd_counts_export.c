/* psdvec counts export: a counts file into other programs' formats. */
#include "commands.h"
#include "counts_file.h"
#include "exit_status.h"
#include "summary.h"

static const struct option_spec options[] = {
    {.name = "format",
     .kind = OPTION_CHOICE,
     .choices = counts_formats,
     .group = "The other file",
     .help = "GloVe's cooccurrence.bin, a Matrix Market coordinate file, or the text of the "
             "original PSDVec program"},
    {.name = "vocab-output",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     .completes = COMPLETES_FILES,
     .help = "where the words go: GloVe's vocab.txt, or one word a line for matrix-market"},
    {.name = "symmetric",
     .kind = OPTION_FLAG,
     .help = "write each pair with the sum of both directions: in both, as GloVe does, or "
             "one triangle for matrix-market"},
    {0}};

static const char *const description[] = {"Writes the counts in the format of another program.",
                                          NULL};

static const struct example examples[] = {
    {"psdvec counts export wiki.counts.safetensors --format glove --symmetric --vocab-output "
     "vocab.txt -o cooccurrence.bin",
     "For GloVe."},
    {"psdvec counts export wiki.counts.safetensors --format matrix-market --vocab-output "
     "wiki.words -o wiki.mtx",
     "For programs that read sparse matrices."},
    {"psdvec counts export wiki.counts.safetensors --format top2grams -o top2grams.txt",
     "For the original PSDVec program."},
    {0}};

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const struct option_value *format = argument(arguments, "format");
    const char *output = argument_text(arguments, "output");
    const char *words = argument_text(arguments, "vocab-output");
    if (!format->given)
        return run_use_error(run,
                             "say in which format: --format glove, matrix-market or top2grams");
    psdvec_counts_format kind = (psdvec_counts_format)format->integer;
    if (!words && kind != PSDVEC_FORMAT_TOP2GRAMS)
        return run_use_error(run,
                             "the format %s has no words in it; say where they go: "
                             "--vocab-output FILE",
                             counts_formats[kind]);
    if (words && kind == PSDVEC_FORMAT_TOP2GRAMS)
        return run_use_error(run, "the format top2grams has the words in it; leave out "
                                  "--vocab-output");
    psdvec_counts *counts = NULL;
    int code = counts_file_open(run, arguments->operands[0], &counts);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_export(
        run->ctx, counts, kind, argument_flag(arguments, "symmetric"), output, words);
    if (status != PSDVEC_OK) {
        code = run_failed(run, status);
    } else {
        summary_written(run, output);
        if (words)
            summary_written(run, words);
    }
    psdvec_counts_close(counts);
    return code;
}

const struct command cmd_counts_export = {.name = "counts export",
                                          .group = "Counts files",
                                          .summary = "write counts for another program",
                                          .synopsis = "FILE --format FORMAT -o FILE [OPTION]...",
                                          .description = description,
                                          .tables = {options, common_options},
                                          .examples = examples,
                                          .least_operands = 1,
                                          .most_operands = 1,
                                          .missing = "say which counts file to export",
                                          .output_example = "cooccurrence.bin",
                                          .completes = COMPLETES_FILES,
                                          .act = act};
