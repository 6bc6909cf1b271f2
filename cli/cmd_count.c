/* psdvec count: counts word pairs in text, exactly. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "summary.h"
#include "word_files.h"

/* In the order of the command's presets. */
static const psdvec_choice presets[] = {
    {.name = "none"}, {.name = "default"}, {.name = "paper"}, {0}};

static const psdvec_option options[] = {
    CHOICE_OPTION(
        "preset", presets, .fallback = "none", .group = "Counting",
        .help = "count as this preset of psdvec train does: defaults of the other options"),
    {0}};

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    psdvec_count_report report;
    const psdvec_count_options *count = options_take_count(run);
    if (!count)
        return run->refusal;
    int code = run_library(run);
    if (!code) {
        test_file_warn(run, 0);
        run_announce_terminal(run);
        psdvec_status status = psdvec_count(run->ctx, count, arguments->operands,
                                            arguments->operand_count,
                                            argument_text(arguments, "output"), &report);
        if (status == PSDVEC_OK)
            summary(run, &report, true);
        else
            code = run_failed(run, status);
    }
    return code;
}

const struct command cmd_count = {
    .name = "count",
    .group = "Counting",
    .summary = "count co-occurring word pairs in text",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Counts how often each word occurs within the window after each other word. The counts "
        "are exact. They are written to a counts file in safetensors format, which libraries for "
        "many languages can read.",
        "An INPUT is a file (plain, gz, bz2, xz, zst, lz4, tar, zip, or a Wikipedia dump), a "
        "folder with such files, or - for standard input. Results are bit-for-bit reproducible "
        "for any number of threads, any memory limit and any order of the inputs."),
    .sources = {OWN_OPTIONS(options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT, .except = DETAIL_OPTIONS),
                COMMON_OPTIONS},
    .presets = {NULL, "default", "paper"},
    .preset_option = "preset",
    .examples = EXAMPLES(
        {"psdvec count wiki.txt -o wiki.counts.safetensors", "Count one file."},
        {"psdvec count wiki.txt --preset default -o wiki.counts.safetensors",
         "For psdvec train, which then gives the same vectors as from the text."},
        {"psdvec count wiki.txt books notes.tar.gz -o all.counts.safetensors",
         "A file, a folder and an archive together."},
        {"zcat news.txt.gz | psdvec count - --window 3 --min-count 2 -o news.counts.safetensors",
         "Standard input, with a narrower window and more rare words."},
        {"psdvec count posts.jsonl --json-field text --min-count 2 -o posts.counts.safetensors",
         "The member \"text\" of JSON lines."},
        {"psdvec count wiki.txt --memory 512M --threads 2 --log count.log "
         "-o wiki.counts.safetensors",
         "With at most 512 MiB of memory and a machine-readable log."}),
    .notes = PARAGRAPHS(
        "Ctrl-C stops the program within a second and leaves no files behind; an existing FILE is "
        "not changed. With --resume DIR, finished inputs are not counted again."),
    .operands = {1, SIZE_MAX},
    .missing = "give a text: files, folders, or - for standard input",
    .output_example = "wiki.counts.safetensors",
    .output_kind = OUTPUT_COUNTS,
    .act = act};
