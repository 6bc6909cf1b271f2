/* psdvec count: text in, exact counts of word pairs out. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "summary.h"

static const char *const description[] = {
    "Reads text and counts how often each word stands within a few words after each other word. "
    "The counts are exact, and go to a file in the safetensors format that any language can read.",
    "An INPUT is a file (plain, gz, bz2, xz, zst, lz4, tar, zip, or a Wikipedia dump), a folder "
    "with such files, or - for standard input. The same input and options give the same file, bit "
    "for bit, for any number of threads, any memory, and any order of the inputs.",
    NULL};

static const struct example examples[] = {
    {"psdvec count wiki.txt -o wiki.counts.safetensors", "Count one file."},
    {"psdvec count wiki.txt books notes.tar.gz -o all.counts.safetensors",
     "A file, a folder and an archive together."},
    {"zcat news.txt.gz | psdvec count - --window 3 --min-count 2 -o news.counts.safetensors",
     "Standard input, a narrower window, and rarer words."},
    {"psdvec count posts.jsonl --json-field text --min-count 2 -o posts.counts.safetensors",
     "The member \"text\" of JSON lines."},
    {"psdvec count wiki.txt --memory 512M --threads 2 --log count.log -o wiki.counts.safetensors",
     "Within 512 MiB of memory, with a log that programs can read."},
    {0}};

static const char *const notes[] = {
    "Ctrl-C stops within a second and leaves nothing behind; an existing FILE stays as it was. "
    "With --resume DIR the finished inputs are not counted again.",
    NULL};

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    psdvec_count_report report;
    const psdvec_count_options *count = options_take_count(run);
    if (!count)
        return run->refusal;
    int code = run_library(run);
    if (!code) {
        run_tell_of_terminal(run);
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
    .summary = "count the word pairs of text",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = description,
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT), COMMON_OPTIONS},
    .examples = examples,
    .notes = notes,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to count: files, folders, or - for standard input",
    .output_example = "wiki.counts.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
