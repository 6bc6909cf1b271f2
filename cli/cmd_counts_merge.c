/* psdvec counts merge: adds counts files up. */
#include "commands.h"
#include "exit_status.h"
#include "run.h"
#include "summary.h"

static int act(struct run *run)
{
    psdvec_count_report report;
    int code = run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_merge(run->ctx, run->arguments->operands,
                                               run->arguments->operand_count,
                                               argument_text(run->arguments, "output"), &report);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    summary(run, &report, false);
    return EXIT_FINE;
}

const struct command cmd_counts_merge = {
    .name = "counts merge",
    .group = "Counts files",
    .summary = "add counts files up",
    .synopsis = "FILE... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Adds up counts files, as if their texts had been counted together. Files with the same "
        "list of words keep it; otherwise the result has the words of all, most frequent first. "
        "Window, distance weights and the other settings must agree."),
    .sources = {COMMON_OPTIONS},
    .examples = EXAMPLES({"psdvec counts merge wiki.counts.safetensors all.counts.safetensors "
                          "-o sum.counts.safetensors",
                          "Add two files up."}),
    .notes = PARAGRAPHS(
        "Words that were too rare in one of the files were not counted there. To count parts that "
        "add up to exactly what counting the whole would give, count each with the same --vocab "
        "FILE."),
    .operands = {1, SIZE_MAX},
    .missing = "say which counts files to add up",
    .output_example = "sum.counts.safetensors",
    .output_kind = OUTPUT_COUNTS,
    .act = act};
