/* psdvec counts merge: adds counts files. */
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
    .summary = "add up counts files",
    .synopsis = "FILE... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Adds up counts files, as if their texts had been counted together. If all files have the "
        "same vocabulary, the result keeps it; otherwise it has the words of all files, most "
        "frequent first. Window, distance weights and the other settings must agree."),
    .sources = {COMMON_OPTIONS},
    .examples = EXAMPLES({"psdvec counts merge wiki.counts.safetensors all.counts.safetensors "
                          "-o sum.counts.safetensors",
                          "Add up two files."}),
    .notes = PARAGRAPHS(
        "Words that were too rare in one of the files are missing from its counts. For a sum that "
        "equals the counts of the whole text exactly, count all parts with the same --vocab FILE."),
    .operands = {1, SIZE_MAX},
    .missing = "give the counts files to add up",
    .output_example = "sum.counts.safetensors",
    .output_kind = OUTPUT_COUNTS,
    .act = act};
