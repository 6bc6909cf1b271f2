/* psdvec counts info: what is in a counts file and how it was made. */
#include "cell.h"
#include "commands.h"
#include "counts_file.h"
#include "exit_status.h"
#include "human.h"
#include "sheet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FREQUENT 18

static const psdvec_option options[] = {
    {.name = "no-verify",
     .type = PSDVEC_OPTION_FLAG,
     .group = "Showing",
     .help = "do not read all of the file to compare its checksums"},
    {.name = "json", .type = PSDVEC_OPTION_FLAG, .help = "print one JSON object"},
    {0}};

static const char *const description[] = {
    "Shows what a counts file holds, with which settings and from which inputs it was made, and "
    "its most frequent words. All of the file is read and compared with the checksums in it.",
    NULL};

static const struct example examples[] = {
    {"psdvec counts info wiki.counts.safetensors", "Look at a file."},
    {"psdvec counts info --no-verify --json wiki.counts.safetensors", "The same for a program."},
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

static void add_contents(struct buffer *to, const psdvec_counts_info *info, bool verified)
{
    struct buffer value = {0};
    buffer_text(&value, info->written_by ? info->written_by : "unknown");
    sheet_value(to, "written by", &value);
    human_bytes(&value, (double)info->file_bytes);
    sheet_value(to, "size", &value);
    buffer_text(&value, verified ? "verified" : "not verified");
    sheet_value(to, "checksums", &value);
    human_count(&value, info->words);
    sheet_value(to, "words", &value);
    human_count(&value, info->bigrams);
    buffer_text(&value, " distinct pairs");
    double possible = (double)info->words * (double)info->words;
    if (possible > 0)
        buffer_format(&value, ", %.3g%% of all possible", 100 * (double)info->bigrams / possible);
    sheet_value(to, "bigrams", &value);
    if (info->scale == 1)
        human_count(&value, info->total);
    else
        human_ratio(&value, info->total, info->scale);
    if (info->scale == 1)
        buffer_format(&value, ", stored as whole numbers of %d bits", info->wide ? 64 : 32);
    else
        buffer_format(&value, ", stored as multiples of 1/%" PRIu64 " in %d bits", info->scale,
                      info->wide ? 64 : 32);
    sheet_value(to, "sum of counts", &value);
    human_count(&value, info->tokens);
    buffer_text(&value, " words");
    if (info->documents) { /* an imported file does not know */
        buffer_text(&value, " in ");
        human_count(&value, info->documents);
        buffer_text(&value, info->documents == 1 ? " document" : " documents");
    }
    sheet_value(to, "text", &value);
    if (info->window)
        buffer_format(&value, "%" PRIu32, info->window);
    else
        buffer_text(&value, "not known");
    sheet_value(to, "window", &value);
    buffer_free(&value);
}

static void add_words(struct buffer *to, const psdvec_counts *counts)
{
    uint32_t best[MOST_FREQUENT];
    size_t found = most_frequent(counts, best), rows = (found + 2) / 3;
    if (found)
        buffer_text(to, "\nMost frequent words\n");
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < 3; column++) {
            size_t k = column * rows + row, length;
            if (k >= found)
                continue;
            struct buffer number = {0};
            const char *word = psdvec_counts_word(counts, best[k], &length);
            human_count(&number, psdvec_counts_frequency(counts, best[k]));
            buffer_text(to, "  ");
            cell_add(to, word, length, 11, false);
            cell_add(to, number.text, number.length, 12, true);
            buffer_free(&number);
        }
        buffer_char(to, '\n');
    }
}

static void add_json(struct buffer *to, const char *path, const psdvec_counts *counts,
                     bool verified)
{
    const psdvec_counts_info *info = psdvec_counts_get_info(counts);
    const char *by = info->written_by ? info->written_by : "";
    uint32_t best[MOST_FREQUENT];
    size_t found = most_frequent(counts, best);
    buffer_text(to, "{\"file\": ");
    buffer_json(to, path, strlen(path));
    buffer_text(to, ", \"written_by\": ");
    buffer_json(to, by, strlen(by));
    buffer_format(to,
                  ", \"verified\": %s, \"file_bytes\": %" PRIu64 ", \"words\": %" PRIu32
                  ", \"bigrams\": %" PRIu64 ", \"scale\": %" PRIu64 ", \"total\": %" PRIu64
                  ", \"tokens\": %" PRIu64 ", \"documents\": %" PRIu64 ", \"window\": %" PRIu32
                  ", \"wide\": %s, \"settings\": %s, \"vocabulary\": %s, \"inputs\": %s"
                  ", \"most_frequent\": [",
                  verified ? "true" : "false", info->file_bytes, info->words, info->bigrams,
                  info->scale, info->total, info->tokens, info->documents, info->window,
                  info->wide ? "true" : "false", info->settings_json ? info->settings_json : "{}",
                  info->vocabulary_json ? info->vocabulary_json : "{}",
                  info->inputs_json ? info->inputs_json : "[]");
    for (size_t k = 0; k < found; k++) {
        size_t length;
        const char *word = psdvec_counts_word(counts, best[k], &length);
        buffer_text(to, k ? ", {\"word\": " : "{\"word\": ");
        buffer_json(to, word, length);
        buffer_format(to, ", \"count\": %" PRIu64 "}", psdvec_counts_frequency(counts, best[k]));
    }
    buffer_text(to, "]}\n");
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
    if (!code) {
        struct buffer text = {0};
        if (argument_flag(run->arguments, "json")) {
            add_json(&text, path, counts, verify);
        } else {
            const psdvec_counts_info *info = psdvec_counts_get_info(counts);
            buffer_text(&text, run->palette.bold);
            cell_text(&text, path, strlen(path));
            buffer_format(&text, "%s\n", run->palette.plain);
            add_contents(&text, info, verify);
            sheet_settings(&text, "Settings", info->settings_json);
            sheet_settings(&text, "Choice of words", info->vocabulary_json);
            sheet_list(&text, "Inputs", info->inputs_json);
            add_words(&text, counts);
        }
        output_add(&run->out, text.text, text.length);
        buffer_free(&text);
    }
    psdvec_counts_close(counts);
    return code;
}

const struct command cmd_counts_info = {
    .name = "counts info",
    .group = "Counts files",
    .summary = "what is in a counts file, and whether it is sound",
    .synopsis = "FILE [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(options), COMMON_OPTIONS},
    .examples = examples,
    .least_operands = 1,
    .most_operands = 1,
    .missing = "say which counts file to look at",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
