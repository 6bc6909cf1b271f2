/* psdvec counts import: other programs' counts into a counts file. */
#include "commands.h"
#include "counts_file.h"
#include "exit_status.h"
#include "summary.h"

static const struct option_spec options[] = {
    {.name = "format",
     .kind = OPTION_CHOICE,
     .choices = counts_formats,
     .group = "The other file",
     .help = "what FILE is: GloVe's cooccurrence.bin, a Matrix Market coordinate file, or the text "
             "of the original PSDVec program"},
    {.name = "vocab",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     .completes = COMPLETES_FILES,
     .help = "the words: GloVe's vocab.txt, or one word a line for matrix-market"},
    {.name = "window",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 0,
     .most = 1000,
     .fallback = "0",
     .help = "the window the counts were made with; 0 is not known"},
    {.name = "scale",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 0,
     .most = UINT64_MAX,
     .fallback = "0",
     .help = "round counts to multiples of 1/N; 0 chooses by the format"},
    {.name = "symmetric",
     .kind = OPTION_FLAG,
     .help = "each pair stands in FILE in both directions; keep one"},
    {0}};

static const char *const description[] = {
    "Reads the counts of another program and writes a counts file.", NULL};

static const struct example examples[] = {
    {"psdvec counts import cooccurrence.bin --format glove --vocab vocab.txt --symmetric "
     "--window 5 -o glove.counts.safetensors",
     "From GloVe."},
    {"psdvec counts import wiki.mtx --format matrix-market --vocab wiki.words -o "
     "mtx.counts.safetensors",
     "From a Matrix Market file with its list of words."},
    {0}};

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const struct option_value *format = argument(arguments, "format");
    psdvec_import_options import;
    psdvec_count_report report;
    if (!format->given)
        return run_use_error(run, "say what %s is: --format glove, matrix-market or top2grams",
                             arguments->operands[0]);
    psdvec_import_options_default(&import);
    import.format = (psdvec_counts_format)format->integer;
    import.vocab_file = argument_text(arguments, "vocab");
    import.window = (uint32_t)argument_integer(arguments, "window");
    import.scale = argument_integer(arguments, "scale");
    import.symmetric = argument_flag(arguments, "symmetric");
    if (!import.vocab_file && import.format != PSDVEC_FORMAT_TOP2GRAMS)
        return run_use_error(run,
                             "the format %s has no words in it; say where they are: "
                             "--vocab FILE",
                             counts_formats[import.format]);
    int code = run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_import(run->ctx, &import, arguments->operands[0],
                                                argument_text(arguments, "output"), &report);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    summary(run, &report, false);
    return EXIT_FINE;
}

const struct command cmd_counts_import = {.name = "counts import",
                                          .group = "Counts files",
                                          .summary = "make a counts file from another program's",
                                          .synopsis = "FILE --format FORMAT -o FILE [OPTION]...",
                                          .description = description,
                                          .tables = {options, common_options},
                                          .examples = examples,
                                          .least_operands = 1,
                                          .most_operands = 1,
                                          .missing = "say which file to import",
                                          .output_example = "wiki.counts.safetensors",
                                          .completes = COMPLETES_FILES,
                                          .act = act};
