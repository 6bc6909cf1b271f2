/* psdvec extend: adds vectors for new words to a model. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "summary.h"
#include "word_files.h"

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const psdvec_extend_options *options = options_take(run, PSDVEC_OPTIONS_EXTEND);
    psdvec_extend_report report = {0};
    if (!options)
        return run->refusal;
    int code = run_library(run);
    if (code)
        return code;
    test_file_warn(run, 1);
    run_announce_terminal(run);
    psdvec_status status = psdvec_extend(run->ctx, options, arguments->operands[0],
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
    .summary = "add the words of new text to a model",
    .synopsis = "MODEL INPUT... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Adds new words to a model without retraining, from new text in which they co-occur with "
        "words of the model. Existing vectors do not change.",
        "An INPUT is text (see psdvec count), which is counted with the settings stored in the "
        "model, or a counts file."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_EXTEND), COMMON_OPTIONS},
    .examples = EXAMPLES({"psdvec extend small.safetensors books -o more.safetensors",
                          "Add the words of a folder of text."}),
    .notes = PARAGRAPHS(
        "If a word added by an earlier extension occurs again in the new text, this is an error, "
        "unless --replace is given, which recomputes its vector."),
    .operands = {2, SIZE_MAX},
    .missing = "give a model and new text: files, folders, or - for standard input",
    .output_example = "more.safetensors",
    .output_kind = OUTPUT_MODEL,
    .act = act};
