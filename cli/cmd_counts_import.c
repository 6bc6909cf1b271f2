/* psdvec counts import: converts counts of other programs to a counts file. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "summary.h"

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    psdvec_count_report report;
    if (!argument(arguments, "format")->given)
        return run_use_error(run,
                             "give the format of %s: --format glove, matrix-market or "
                             "top2grams",
                             arguments->operands[0]);
    const psdvec_import_options *import = options_take(run, PSDVEC_OPTIONS_IMPORT);
    if (!import)
        return run->refusal;
    int code = run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_import(run->ctx, import, arguments->operands[0],
                                                argument_text(arguments, "output"), &report);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    summary(run, &report, false);
    return EXIT_FINE;
}

const struct command cmd_counts_import = {
    .name = "counts import",
    .group = "Counts files",
    .summary = "convert another program's counts to a counts file",
    .synopsis = "FILE --format FORMAT -o FILE [OPTION]...",
    .description = PARAGRAPHS("Reads the counts of another program and writes a counts file."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_IMPORT), COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec counts import cooccurrence.bin --format glove --vocab vocab.txt --symmetric "
         "--window 5 -o glove.counts.safetensors",
         "From GloVe."},
        {"psdvec counts import wiki.mtx --format matrix-market --vocab wiki.words -o "
         "mtx.counts.safetensors",
         "From a Matrix Market file with its list of words."}),
    .operands = {1, 1},
    .missing = "give the file to import",
    .output_example = "wiki.counts.safetensors",
    .output_kind = OUTPUT_COUNTS,
    .act = act};
