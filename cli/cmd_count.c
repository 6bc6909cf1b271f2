/* psdvec count: text in, exact counts of word pairs out. */
#include "cmd_count.h"

#include "commands.h"
#include "exit_status.h"
#include "run.h"
#include "summary.h"
#include "system.h"
#include "text_options.h"
#include "word_list.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *const distances[] = {[PSDVEC_DISTANCE_UNIFORM] = "uniform",
                                        [PSDVEC_DISTANCE_LINEAR] = "linear",
                                        [PSDVEC_DISTANCE_HARMONIC] = "harmonic",
                                        NULL};
static const char *const unknowns[] = {
    [PSDVEC_OOV_KEEP] = "keep", [PSDVEC_OOV_DROP] = "drop", NULL};

static const struct option_spec options[] = {
    {.name = "window",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 1000,
     .fallback = "5",
     .group = "Counting",
     .help = "pair each word with the N words after it"},
    {.name = "distance",
     .kind = OPTION_CHOICE,
     .choices = distances,
     .fallback = "uniform",
     .help = "weight of a pair d words apart in a window of N: 1, (N+1-d)/N, or 1/d"},
    {.name = "oov",
     .kind = OPTION_CHOICE,
     .choices = unknowns,
     .fallback = "keep",
     .help = "words outside the vocabulary keep their place in the window, or are dropped first"},
    {.name = "subsample",
     .kind = OPTION_REAL,
     .argument = "T",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0",
     .help = "give words of a share f above T less room, by min(1, sqrt(T/f) + T/f); no dice are "
             "thrown; 0 is off, 1e-4 is usual"},
    {.name = "min-count",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = UINT64_MAX,
     .fallback = "5",
     .group = "Vocabulary",
     .help = "leave out words that stand fewer than N times in the text"},
    {.name = "max-vocab",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 0,
     .most = UINT32_MAX,
     .fallback = "0",
     .help = "keep only the N most frequent words; 0 is no limit"},
    {.name = "vocab",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     .completes = COMPLETES_FILES,
     .help = "use the words of FILE: one a line, or a counts file"},
    {.name = "keep",
     .kind = OPTION_TEXTS,
     .argument = "WORDS",
     .help = "know these words however rare; separated by commas, or @FILE with one a line"},
    {.name = "resume",
     .kind = OPTION_TEXT,
     .argument = "DIR",
     .completes = COMPLETES_FOLDERS,
     .group = "Long runs",
     .help = "keep the counts of each finished input in DIR, and go on from there when the "
             "command is run again"},
    {0}};

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

void count_options_read(const struct arguments *arguments, bool defaults, psdvec_count_options *to)
{
    psdvec_count_options_default(to);
    text_options_read(arguments, defaults, &to->text);
    TAKE(to->window, uint32_t, arguments, "window", defaults);
    TAKE(to->distance, psdvec_distance, arguments, "distance", defaults);
    TAKE(to->oov, psdvec_oov, arguments, "oov", defaults);
    TAKE(to->min_count, uint64_t, arguments, "min-count", defaults);
    TAKE(to->max_vocab, uint32_t, arguments, "max-vocab", defaults);
    if (argument(arguments, "subsample")->given || defaults)
        to->subsample = argument_real(arguments, "subsample");
    to->vocab_file = argument_text(arguments, "vocab");
    to->resume_dir = argument_text(arguments, "resume");
}

/* Someone who forgot the input and sits before a silent cursor should know. */
static void tell_of_terminal(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    for (size_t k = 0; k < arguments->operand_count; k++)
        if (!strcmp(arguments->operands[k], "-") && isatty(STDIN_FILENO)) {
            talk_say(&run->talk, "reading from the terminal; end the text with Ctrl-D\n");
            return;
        }
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    struct word_list keep = {0};
    psdvec_count_options count;
    psdvec_count_report report;
    count_options_read(arguments, false, &count);

    int code = EXIT_FINE;
    const struct option_value *lists = argument(arguments, "keep");
    for (size_t k = 0; k < lists->text_count && !code; k++)
        if (!word_list_add(&keep, lists->texts[k]))
            code = run_error(run, EXIT_INPUT, "cannot read the list of words %s: %s",
                             lists->texts[k] + 1, system_error(errno));
    count.keep_words = (const char *const *)keep.words;
    count.keep_words_count = keep.count;

    if (!code)
        code = run_library(run);
    if (!code) {
        tell_of_terminal(run);
        psdvec_status status = psdvec_count(run->ctx, &count, arguments->operands,
                                            arguments->operand_count,
                                            argument_text(arguments, "output"), &report);
        if (status == PSDVEC_OK)
            summary(run, &report, true);
        else
            code = run_failed(run, status);
    }
    word_list_free(&keep);
    return code;
}

const struct command cmd_count = {
    .name = "count",
    .group = "Counting",
    .summary = "count the word pairs of text",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = description,
    .tables = {options, text_options, common_options},
    .examples = examples,
    .notes = notes,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to count: files, folders, or - for standard input",
    .output_example = "wiki.counts.safetensors",
    .completes = COMPLETES_FILES,
    .act = act};
