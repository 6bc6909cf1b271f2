/* psdvec counts info: what is in a counts file and how it was made. */
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "show.h"
#include "word_files.h"

#include <inttypes.h>

#define MOST_FREQUENT 18

static const psdvec_option options[] = {
    FLAG_OPTION("no-verify", .group = "Output",
                .help = "do not verify the checksums, which requires reading the whole file"),
    {0}};

/* The most frequent words, most frequent first, ties in file order. */
static size_t most_frequent(const psdvec_counts *counts, uint32_t best[MOST_FREQUENT])
{
    uint32_t words = psdvec_counts_get_info(counts)->words;
    size_t found = 0;
    for (uint32_t i = 0; i < words; i++) {
        uint64_t frequency = psdvec_counts_frequency(counts, i);
        if (found == MOST_FREQUENT && frequency <= psdvec_counts_frequency(counts, best[found - 1]))
            continue;
        size_t at = found < MOST_FREQUENT ? found++ : found - 1;
        for (; at > 0 && psdvec_counts_frequency(counts, best[at - 1]) < frequency; at--)
            best[at] = best[at - 1];
        best[at] = i;
    }
    return found;
}

static void show_data_of(struct show *show, const psdvec_counts_info *info, bool verified)
{
    show_data(show, "written_by", text_cell(info->written_by ? info->written_by : ""));
    show_data(show, "verified", truth_cell(verified));
    show_data(show, "file_bytes", whole_cell(info->file_bytes));
    show_data(show, "words", whole_cell(info->words));
    show_data(show, "bigrams", whole_cell(info->bigrams));
    show_data(show, "scale", whole_cell(info->scale));
    show_data(show, "total", whole_cell(info->total));
    show_data(show, "tokens", whole_cell(info->tokens));
    show_data(show, "documents", whole_cell(info->documents));
    show_data(show, "window", whole_cell(info->window));
    show_data(show, "wide", truth_cell(info->wide));
    show_data(show, "held_out", whole_cell(info->held_out));
    show_data(show, "phrases", whole_cell(info->phrases));
}

static void show_contents(struct show *show, const psdvec_counts_info *info, bool verified)
{
    double possible = (double)info->words * (double)info->words;
    struct buffer total = {0};
    buffer_text(&total, info->scale == 1 ? human_count(info->total).text
                                         : human_ratio(info->total, info->scale).text);
    show_value(show, "written by", "%s", info->written_by ? info->written_by : "unknown");
    show_value(show, "size", "%s", phrase_bytes((double)info->file_bytes));
    show_value(show, "checksums", "%s", verified ? "verified" : "not verified");
    show_value(show, "words", "%s", phrase_count(info->words));
    show_value(show, "bigrams", "%s distinct pairs%s", phrase_count(info->bigrams),
               possible > 0
                   ? phrase(", %.3g%% of all possible", 100 * (double)info->bigrams / possible)
                   : "");
    show_value(show, "sum of counts", "%s, stored as %s %d bits", phrase_of(&total),
               info->scale == 1 ? "whole numbers of"
                                : phrase("multiples of 1/%" PRIu64 " in", info->scale),
               info->wide ? 64 : 32);
    show_value(show, "text", "%s words%s", phrase_count(info->tokens),
               info->documents /* not known for an imported file */
                   ? phrase(" in %s", phrase_counted(info->documents, "document"))
                   : "");
    if (info->phrases)
        show_value(show, "phrases", "%s, joined in the text", phrase_count(info->phrases));
    if (info->held_out)
        show_value(show, "held out", "%s words, to fit T and e", phrase_count(info->held_out));
    show_value(show, "window", "%s", info->window ? phrase("%" PRIu32, info->window) : "unknown");
}

/* In three columns for people. */
static void show_words(struct show *show, const psdvec_counts *counts)
{
    static const struct column data_columns[] = {DATA("word"), DATA("count")};
    static const struct column columns[] = {
        COLUMN(NULL, "word", .gap = 2, .width = 11), NUMBERS(NULL, "count", 0, 0, .width = 12),
        COLUMN(NULL, "word", .gap = 2, .width = 11), NUMBERS(NULL, "count", 0, 0, .width = 12),
        COLUMN(NULL, "word", .gap = 2, .width = 11), NUMBERS(NULL, "count", 0, 0, .width = 12)};
    struct rows data = ROWS("most_frequent", FOR_PROGRAMS, data_columns);
    struct rows rows = ROWS(NULL, FOR_PEOPLE, columns);
    uint32_t best[MOST_FREQUENT];
    size_t found = most_frequent(counts, best), lines = (found + 2) / 3;
    rows.bare = true;
    for (size_t k = 0; k < 3 * lines; k++) {
        size_t length, at = k % 3 * lines + k / 3;
        const char *word = at < found ? psdvec_counts_word(counts, best[at], &length) : NULL;
        if (k % 3 == 0)
            rows_add_cells(&rows, NULL, 0);
        if (word) {
            rows_more(&rows, word_cell(word, length));
            rows_more(&rows, whole_cell(psdvec_counts_frequency(counts, best[at])));
        }
    }
    for (size_t k = 0; k < found; k++) {
        size_t length;
        const char *word = psdvec_counts_word(counts, best[k], &length);
        rows_add(&data, word_cell(word, length),
                 whole_cell(psdvec_counts_frequency(counts, best[k])));
    }
    show_rows(show, &data);
    show_section(show, NULL, found ? "Most frequent words" : NULL);
    show_rows(show, &rows);
}

static void print(struct run *run, const char *path, const psdvec_counts *counts, bool verified)
{
    const psdvec_counts_info *info = psdvec_counts_get_info(counts);
    struct show show;
    show_begin(&show, run, true);
    show_path(&show, "file", path);
    show_contents(&show, info, verified);
    show_data_of(&show, info, verified);
    show_json(&show, "settings", "Settings", info->settings_json ? info->settings_json : "{}");
    show_json(&show, "vocabulary", "Vocabulary",
              info->vocabulary_json ? info->vocabulary_json : "{}");
    show_json(&show, "inputs", "Inputs", info->inputs_json ? info->inputs_json : "[]");
    show_words(&show, counts);
    show_finish(&show);
}

static int act(struct run *run)
{
    const char *path = run->arguments->operands[0];
    bool verify = !argument_flag(run->arguments, "no-verify");
    psdvec_counts *counts = NULL;
    int code = counts_file_open(run, path, &counts);
    if (!code && verify) {
        psdvec_status status = psdvec_counts_verify(run->ctx, counts);
        if (status != PSDVEC_OK)
            code = run_failed(run, status);
    }
    if (!code)
        print(run, path, counts, verify);
    return code;
}

const struct command cmd_counts_info = {
    .name = "counts info",
    .group = "Counts files",
    .summary = "show what a counts file contains, and verify it",
    .synopsis = "FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Shows what a counts file contains, the settings and inputs that it was made from, and "
        "its most frequent words. The whole file is read to verify its checksums."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples = EXAMPLES({"psdvec counts info wiki.counts.safetensors", "Inspect a file."},
                         {"psdvec counts info --no-verify --json wiki.counts.safetensors",
                          "JSON output for scripts, without verification."}),
    .operands = {1, 1},
    .missing = "give a counts file",
    .act = act};
