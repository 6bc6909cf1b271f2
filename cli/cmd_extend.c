/* psdvec extend: vectors for words that arrive after a model was made. */
#include "commands.h"
#include "exit_status.h"
#include "run.h"
#include "summary.h"

#include <math.h>

static const struct option_spec options[] = {
    {.name = "min-count",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = UINT64_MAX,
     .fallback = "5",
     .group = "New words",
     .help = "leave out new words that stand fewer than N times in the new text"},
    {.name = "mu",
     .kind = OPTION_REAL,
     .argument = "MU",
     .real_least = 0,
     .real_most = INFINITY,
     .otherwise = "that of the model's rarest words",
     .help = "their prior: how strongly vectors are pulled to zero"},
    {.name = "replace",
     .kind = OPTION_FLAG,
     .help = "make new vectors for words that an earlier extension gave the model"},
    {0}};

static const char *const description[] = {
    "Gives a model vectors for words that it does not know, from new text in which they stand "
    "beside words that it knows. The vectors that are there already keep their bits.",
    "An INPUT is text as psdvec count takes it, which is read with the model's own settings, or a "
    "counts file.",
    NULL};

static const struct example examples[] = {
    {"psdvec extend small.safetensors books -o more.safetensors", "Words of a folder of text."},
    {0}};

static const char *const notes[] = {
    "A word that an earlier extension brought and that stands in the new text again is an error, "
    "unless --replace says that its vector should be made anew.",
    NULL};

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    psdvec_extend_options options_given;
    psdvec_extend_report report = {0};
    psdvec_extend_options_default(&options_given);
    options_given.min_count = argument_integer(arguments, "min-count");
    double mu = argument_real(arguments, "mu");
    options_given.mu = argument(arguments, "mu")->given ? &mu : NULL;
    options_given.replace = argument_flag(arguments, "replace");
    int code = run_library(run);
    if (code)
        return code;
    run_tell_of_terminal(run);
    psdvec_status status = psdvec_extend(run->ctx, &options_given, arguments->operands[0],
                                         arguments->operands + 1, arguments->operand_count - 1,
                                         argument_text(arguments, "output"), &report);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    summary_extend(run, &report);
    return EXIT_FINE;
}

const struct command cmd_extend = {
    .name = "extend",
    .group = "Vectors",
    .brief = true,
    .summary = "give a model vectors for words of new text",
    .synopsis = "MODEL INPUT... -o FILE [OPTION]...",
    .description = description,
    .tables = {options, common_options},
    .examples = examples,
    .notes = notes,
    .least_operands = 2,
    .most_operands = SIZE_MAX,
    .missing = "say which model to extend, and from what: files, folders, or - for standard input",
    .output_example = "more.safetensors",
    .completes = COMPLETES_FILES,
    .act = act};
