/* psdvec counts info: what is in a counts file and how it was made. */
#include "cell.h"
#include "commands.h"
#include "counts_file.h"
#include "exit_status.h"
#include "human.h"
#include "json.h"
#include "number.h"
#include "wrap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LABEL 18
#define MOST_FREQUENT 18
#define SHOWN_INPUTS 20

static const struct option_spec options[] = {
    {.name = "no-verify",
     .kind = OPTION_FLAG,
     .group = "Showing",
     .help = "do not read all of the file to compare its checksums"},
    {.name = "json", .kind = OPTION_FLAG, .help = "print one JSON object"},
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

static void add_row(struct buffer *to, const char *label, const char *value, size_t length,
                    size_t width)
{
    struct buffer safe = {0};
    cell_text(&safe, value, length);
    buffer_format(to, "  %-*s ", LABEL, label);
    /* A label too wide for its column has a line to itself. */
    if (strlen(label) > LABEL) {
        buffer_char(to, '\n');
        add_spaces(to, LABEL + 3);
    }
    wrap(to, buffer_get(&safe), LABEL + 3, LABEL + 3, width);
    buffer_free(&safe);
}

static void add_value(struct buffer *to, const char *label, struct buffer *value)
{
    add_row(to, label, buffer_get(value), value->length, 80);
    buffer_clear(value);
}

static void add_contents(struct buffer *to, const psdvec_counts_info *info, bool verified)
{
    struct buffer value = {0};
    buffer_text(&value, info->written_by ? info->written_by : "unknown");
    add_value(to, "written by", &value);
    human_bytes(&value, (double)info->file_bytes);
    add_value(to, "size", &value);
    buffer_text(&value, verified ? "verified" : "not verified");
    add_value(to, "checksums", &value);
    human_count(&value, info->words);
    add_value(to, "words", &value);
    human_count(&value, info->bigrams);
    buffer_text(&value, " distinct pairs");
    double possible = (double)info->words * (double)info->words;
    if (possible > 0)
        buffer_format(&value, ", %.3g%% of all possible", 100 * (double)info->bigrams / possible);
    add_value(to, "bigrams", &value);
    if (info->scale == 1)
        human_count(&value, info->total);
    else
        human_ratio(&value, info->total, info->scale);
    if (info->scale == 1)
        buffer_format(&value, ", stored as whole numbers of %d bits", info->wide ? 64 : 32);
    else
        buffer_format(&value, ", stored as multiples of 1/%" PRIu64 " in %d bits", info->scale,
                      info->wide ? 64 : 32);
    add_value(to, "sum of counts", &value);
    human_count(&value, info->tokens);
    buffer_text(&value, " words");
    if (info->documents) { /* an imported file does not know */
        buffer_text(&value, " in ");
        human_count(&value, info->documents);
        buffer_text(&value, info->documents == 1 ? " document" : " documents");
    }
    add_value(to, "text", &value);
    if (info->window)
        buffer_format(&value, "%" PRIu32, info->window);
    else
        buffer_text(&value, "not known");
    add_value(to, "window", &value);
    buffer_free(&value);
}

static void add_settings(struct buffer *to, const char *title, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0}, value = {0};
    const char *text;
    size_t length;
    if (!json || !json_enter(&walk, json, '{'))
        return;
    buffer_format(to, "\n%s\n", title);
    while (json_next(&walk, &key, &text, &length)) {
        json_plain(&value, text, length);
        for (char *c = key.text; c && *c; c++)
            *c = *c == '_' ? ' ' : *c;
        add_value(to, buffer_get(&key), &value);
    }
    buffer_free(&key);
    buffer_free(&value);
}

/* Whole numbers with commas, anything else as it is. */
static void add_number_or_text(struct buffer *to, const char *json, size_t length)
{
    struct buffer plain = {0};
    uint64_t number;
    json_plain(&plain, json, length);
    if (*json != '"' && number_integer(buffer_get(&plain), &number))
        human_count(to, number);
    else
        buffer_text(to, buffer_get(&plain));
    buffer_free(&plain);
}

/* One input: its name, then what else is known of it on a second line. */
static void add_input(struct buffer *to, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0}, name = {0}, rest = {0};
    const char *text;
    size_t length;
    if (json_enter(&walk, json, '{')) {
        while (json_next(&walk, &key, &text, &length)) {
            bool named = !strcmp(key.text, "path") || !strcmp(key.text, "name") ||
                         !strcmp(key.text, "file") || !strcmp(key.text, "input");
            if (named && !name.length) {
                json_plain(&name, text, length);
                continue;
            }
            buffer_format(&rest, "%s%s ", rest.length ? ", " : "", key.text);
            add_number_or_text(&rest, text, length);
        }
    }
    buffer_text(to, "  ");
    cell_text(to, buffer_get(&name), name.length);
    buffer_char(to, '\n');
    if (rest.length) {
        struct buffer safe = {0};
        cell_text(&safe, rest.text, rest.length);
        buffer_text(to, "    ");
        wrap(to, safe.text, 4, 4, 80);
        buffer_free(&safe);
    }
    buffer_free(&key);
    buffer_free(&name);
    buffer_free(&rest);
}

static void add_inputs(struct buffer *to, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0};
    const char *text;
    size_t length, count = 0;
    if (!json || !json_enter(&walk, json, '['))
        return;
    while (json_next(&walk, &key, &text, &length)) {
        if (count == 0)
            buffer_text(to, "\nInputs\n");
        if (count++ >= SHOWN_INPUTS)
            continue;
        if (*text == '{') {
            add_input(to, text);
        } else {
            struct buffer plain = {0};
            json_plain(&plain, text, length);
            buffer_text(to, "  ");
            cell_text(to, buffer_get(&plain), plain.length);
            buffer_char(to, '\n');
            buffer_free(&plain);
        }
    }
    if (count > SHOWN_INPUTS)
        buffer_format(to, "  and %zu more; --json shows all\n", count - SHOWN_INPUTS);
    buffer_free(&key);
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
            add_settings(&text, "Settings", info->settings_json);
            add_settings(&text, "Choice of words", info->vocabulary_json);
            add_inputs(&text, info->inputs_json);
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
    .tables = {options, common_options},
    .examples = examples,
    .least_operands = 1,
    .most_operands = 1,
    .missing = "say which counts file to look at",
    .completes = COMPLETES_FILES,
    .act = act};
