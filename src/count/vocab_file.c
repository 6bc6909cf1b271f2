/* Reading a list of words. */
#include "count/vocab_file.h"

#include "base/file.h"
#include "count/counts_read.h"
#include "count/word_table.h"
#include "util/utf8.h"

#include <inttypes.h>

static psdvec_status from_counts(psdvec_context *ctx, const char *path, pv_word_table *words)
{
    psdvec_counts *counts;
    PV_TRY(pv_counts_open(ctx, path, &counts));
    psdvec_status status = PSDVEC_OK;
    for (uint32_t i = 0; i < counts->info.words && status == PSDVEC_OK; i++) {
        size_t length;
        uint32_t id;
        const char *word = psdvec_counts_word(counts, i, &length);
        pv_word_key key = pv_word_key_exact(word, (uint32_t)length);
        status = pv_word_table_add(words, &key, &id);
        if (status == PSDVEC_OK)
            words->words[id].value = counts->frequency[i];
    }
    psdvec_counts_close(counts);
    return status;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* One line: a word, and perhaps its frequency. */
static psdvec_status add_line(psdvec_context *ctx, const char *path, uint64_t number,
                              const char *line, const char *end, pv_word_table *words,
                              uint64_t *with_frequency)
{
    while (line < end && is_space(*line))
        line++;
    while (end > line && is_space(end[-1]))
        end--;
    if (line == end)
        return PSDVEC_OK;
    const char *word_end = line;
    while (word_end < end && !is_space(*word_end))
        word_end++;
    const char *digits = word_end;
    while (digits < end && is_space(*digits))
        digits++;
    uint64_t frequency = 0;
    for (const char *p = digits; p < end; p++)
        if (*p < '0' || *p > '9' || __builtin_mul_overflow(frequency, 10, &frequency) ||
            __builtin_add_overflow(frequency, (uint64_t)(*p - '0'), &frequency))
            return pv_fail(ctx, PSDVEC_ERR_DAMAGED,
                           "%s: line %" PRIu64 ": expected a word, or a word and its frequency",
                           path, number);
    if (pv_utf8_valid(line, (size_t)(word_end - line)) < (size_t)(word_end - line))
        return pv_fail(ctx, PSDVEC_ERR_DAMAGED, "%s: line %" PRIu64 ": not valid UTF-8", path,
                       number);
    if (word_end - line > UINT32_MAX / 2)
        return pv_fail(ctx, PSDVEC_ERR_DAMAGED, "%s: line %" PRIu64 ": the word is too long", path,
                       number);
    uint32_t id;
    pv_word_key key = pv_word_key_exact(line, (uint32_t)(word_end - line));
    if (pv_word_table_find(words, &key, &id))
        return pv_fail(ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line %" PRIu64 ": the word \"%.*s\" stands in the list twice; remove "
                       "one of them",
                       path, number, (int)(word_end - line > 60 ? 60 : word_end - line), line);
    PV_TRY(pv_word_table_add(words, &key, &id));
    words->words[id].value = frequency;
    *with_frequency += digits < end;
    return PSDVEC_OK;
}

static psdvec_status from_text(psdvec_context *ctx, const char *path, pv_word_table *words,
                               bool *has_frequencies)
{
    pv_map map;
    PV_TRY(pv_map_open(ctx, path, false, &map));
    const char *line = map.size ? (const char *)map.data : "", *end = line + map.size;
    if (map.size >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0)
        line += 3;
    psdvec_status status = PSDVEC_OK;
    uint64_t with_frequency = 0;
    for (uint64_t number = 1; line < end && status == PSDVEC_OK; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *line_end = newline ? newline : end;
        status = add_line(ctx, path, number, line, line_end, words, &with_frequency);
        line = line_end + 1;
    }
    pv_map_close(ctx, &map);
    *has_frequencies = with_frequency > 0 && with_frequency == words->count;
    return status;
}

psdvec_status pv_vocab_file_read(psdvec_context *ctx, const char *path, pv_vocabulary *v)
{
    pv_word_table words;
    bool has_frequencies = true;
    psdvec_status status;
    PV_TRY_DONE(pv_word_table_init(&words, ctx, 1000));
    PV_TRY_DONE(pv_counts_looks_like(path) ? from_counts(ctx, path, &words)
                                           : from_text(ctx, path, &words, &has_frequencies));
    if (words.count == 0) {
        status = pv_fail(ctx, PSDVEC_ERR_EMPTY, "%s: no words in the list", path);
        goto done;
    }
    PV_TRY_DONE(pv_vocabulary_set(v, &words));
    if (has_frequencies) {
        PV_TAKE(&v->memory, v->list_frequency, v->count);
        PV_TRY_DONE(pv_scope_status(&v->memory));
        for (uint32_t i = 0; i < v->count; i++)
            v->list_frequency[i] = words.words[i].value;
    }
done:
    pv_word_table_free(&words);
    return status;
}
