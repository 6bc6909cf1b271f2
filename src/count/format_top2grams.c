/* The text format of the original PSDVec program (docs/how-to/exchange-counts.md).
 *
 *     # 3 words, 17 occurrences
 *     # input=..., f1=..., window=3, ...
 *     # 20 bigram occurrences
 *     Words:
 *     the,9,-0.799 TAB cat,6,-1.204 TAB ...      10 per line
 *                                                an empty line
 *     Bigrams:
 *     1,the,2,9,1                                rank, word, neighbours, sum, cut-off
 *     TAB cat,6,-0.405 TAB sat,3,-1.099          5 per line
 *     # Total kept bigram occurrences: 20
 *
 * The sums in the first and last lines were computed in 32 bits and may be wrong or negative, so
 * only the items are used. Items are split at commas from the right, because a word may contain
 * commas.
 *
 * A word's count is the number of pairs in which it is the later one. The format has integer counts
 * and comma separators, so weighted counts and words with commas cannot be exported.
 *
 * The frequencies of the words are in the accompanying list top1grams, which vocabulary.c reads:
 *
 *     # 3 words, 10 occurrences
 *     # input=..., window=3, ...
 *     the TAB 5 TAB -0.693
 */
#include "base/platform.h"
#include "count/formats.h"
#include "util/number.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct grams {
    pv_import *import;
    pv_text_lines lines;
    pv_word_table words;
    uint64_t announced; /* words, according to the first line */
    uint32_t row;
    uint64_t row_line;   /* where it began; 0: outside of a row */
    uint64_t neighbours; /* of the row: announced, and not yet seen */
    uint64_t unknown;    /* pairs whose later word is not in the list */
    uint64_t total;      /* of all counts, unknown words included */
    bool ended;          /* the last line has been read */
} grams;

/* Splits "word,count,anything" into the word's length and the count. False: invalid. */
static bool split_item(const char *item, const char *end, size_t *length, uint64_t *count)
{
    const char *last = pv_find_last(item, ',', (size_t)(end - item));
    if (!last || last + 1 == end)
        return false;
    const char *middle = pv_find_last(item, ',', (size_t)(last - item));
    if (!middle || middle == item)
        return false;
    *length = (size_t)(middle - item);
    return pv_digits_read(middle + 1, UINT64_MAX, count) == last;
}

/* ---- Head and words ---------------------------------------------------------------- */

static psdvec_status read_head(grams *g)
{
    char *line;
    size_t length;
    PV_TRY(pv_text_lines_next(&g->lines, &line, &length));
    const char *p = line && length > 2 && line[0] == '#' && line[1] == ' ' ? line + 2 : NULL;
    if (p)
        p = pv_digits_read(p, UINT64_MAX, &g->announced);
    if (!p || strncmp(p, " words", 6) != 0)
        return pv_fail(g->import->ctx, PSDVEC_ERR_FORMAT,
                       "%s: does not begin with \"# N words\", so it is not a list of bigrams of "
                       "the original program",
                       g->import->input);
    for (;;) {
        PV_TRY(pv_text_lines_next(&g->lines, &line, &length));
        if (!line || *line != '#')
            break;
        line[length] = '\0';
        uint64_t number = 0;
        const char *found = NULL;
        for (p = line; (p = strstr(p, " window=")); p++)
            found = p; /* the last, after all file names */
        if (found && pv_digits_read(found + 8, UINT64_MAX, &number))
            PV_TRY(pv_import_window(g->import, number));
        if (found && strstr(found, " dyn=1"))
            g->import->dynamic_window = true;
    }
    if (!line || length < 6 || strncmp(line, "Words:", 6) != 0)
        return line ? pv_text_lines_reject(&g->lines, "expected \"Words:\"")
                    : pv_fail(g->import->ctx, PSDVEC_ERR_DAMAGED,
                              "%s: ends before the words; the file is truncated", g->import->input);
    return PSDVEC_OK;
}

typedef psdvec_status item_fn(grams *g, const char *word, size_t length, uint64_t count);

static psdvec_status add_word(grams *g, const char *word, size_t length, uint64_t count)
{
    uint32_t id;
    if (pv_utf8_valid(word, length) < length)
        return pv_text_lines_reject(&g->lines, "a word that is not valid UTF-8");
    pv_word_key key = pv_word_key_padded(word, (uint32_t)length);
    if (pv_word_table_find(&g->words, &key, &id))
        return pv_text_lines_reject(&g->lines, "the word \"%.*s\" is in the list twice",
                                    (int)(length < 60 ? length : 60), word);
    PV_TRY(pv_word_table_add(&g->words, &key, &id));
    g->words.words[id].value = count;
    return PSDVEC_OK;
}

/* Calls fn for each tab-separated item. */
static psdvec_status each_item(grams *g, const char *line, size_t line_length, item_fn *fn)
{
    for (const char *item = line, *end = line + line_length; item < end;) {
        const char *tab = memchr(item, '\t', (size_t)(end - item));
        const char *item_end = tab ? tab : end;
        if (item_end > item) {
            size_t length;
            uint64_t count;
            if (!split_item(item, item_end, &length, &count))
                return pv_text_lines_reject(
                    &g->lines, "expected word,count,logarithm but found \"%.*s\"",
                    (int)(item_end - item < 60 ? item_end - item : 60), item);
            PV_TRY(fn(g, item, length, count));
        }
        item = item_end + 1;
    }
    return PSDVEC_OK;
}

/* Sets the words' values to their frequencies in the list, which may have more words. */
static psdvec_status take_frequencies(grams *g)
{
    const char *path = g->import->options->vocab_file;
    pv_vocabulary list;
    psdvec_status status;
    pv_vocabulary_init(&list, g->import->ctx);
    PV_TRY_DONE(pv_vocabulary_read(&list, path));
    if (!list.list_frequency)
        PV_TRY_DONE(pv_fail(g->import->ctx, PSDVEC_ERR_DAMAGED,
                            "%s: line %" PRIu64 ": a word without a count; the list must have the "
                            "frequency of each word",
                            path, list.line_without));
    for (uint32_t i = 0; i < g->words.count; i++)
        g->words.words[i].value = UINT64_MAX; /* not in the list */
    for (uint32_t i = 0; i < list.count; i++) {
        size_t length;
        uint32_t id;
        const char *word = pv_vocabulary_word(&list, i, &length);
        pv_word_key key = pv_word_key_padded(word, (uint32_t)length);
        if (pv_word_table_find(&g->words, &key, &id))
            g->words.words[id].value = list.list_frequency[i];
    }
    for (uint32_t i = 0; i < g->words.count; i++)
        if (g->words.words[i].value == UINT64_MAX)
            PV_TRY_DONE(
                pv_fail(g->import->ctx, PSDVEC_ERR_MISMATCH,
                        "%s: does not have the word \"%.*s\" of %s, so it is the list of another "
                        "text",
                        path, (int)(g->words.words[i].length < 60 ? g->words.words[i].length : 60),
                        pv_word_text(&g->words, i), g->import->input));
done:
    pv_vocabulary_free(&list);
    return status;
}

static psdvec_status read_words(grams *g)
{
    pv_vocabulary *v = &g->import->vocabulary;
    char *line;
    size_t length;
    for (;;) {
        PV_TRY(pv_text_lines_next(&g->lines, &line, &length));
        if (!line || length == 0)
            break;
        PV_TRY(each_item(g, line, length, add_word));
    }
    while (line && length == 0)
        PV_TRY(pv_text_lines_next(&g->lines, &line, &length));
    if (!line || g->words.count != g->announced)
        return pv_fail(g->import->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: has %" PRIu32 " of the %" PRIu64 " words that its first line "
                       "declares, and %s",
                       g->import->input, g->words.count, g->announced,
                       line ? "then other lines; the file is damaged"
                            : "then ends; the file is "
                              "truncated");
    if (length < 8 || strncmp(line, "Bigrams:", 8) != 0)
        return pv_text_lines_reject(&g->lines, "expected \"Bigrams:\"");
    if (g->words.count == 0)
        return pv_fail(g->import->ctx, PSDVEC_ERR_EMPTY, "%s: has no words", g->import->input);
    if (g->import->options->vocab_file)
        PV_TRY(take_frequencies(g));
    PV_TRY(pv_vocabulary_set(v, &g->words, NULL));
    for (uint32_t i = 0; i < v->count; i++)
        v->frequency[i] = g->words.words[i].value;
    g->import->frequencies_known = true;
    return PSDVEC_OK;
}

/* ---- Bigrams ---------------------------------------------------------------------- */

static psdvec_status add_neighbour(grams *g, const char *word, size_t length, uint64_t count)
{
    uint64_t value;
    uint32_t id;
    if (g->neighbours-- == 0)
        return pv_text_lines_reject(
            &g->lines, "more words than the %" PRIu64 " that the first line of the row declares",
            g->row_line);
    g->total += count;
    pv_word_key key = pv_word_key_padded(word, (uint32_t)length);
    if (!pv_word_table_find(&g->words, &key, &id)) {
        g->unknown++;
        return PSDVEC_OK;
    }
    if (__builtin_mul_overflow(count, g->import->rounding.scale, &value))
        return pv_text_lines_reject(&g->lines, "the count is too large for a scale of %" PRIu64,
                                    g->import->rounding.scale);
    return pv_import_pair(g->import, g->row, id, value);
}

static psdvec_status end_row(grams *g)
{
    if (g->row_line && g->neighbours)
        return pv_fail(g->import->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line %" PRIu64 ": the row that begins here lacks %" PRIu64 " of the "
                       "words that it declares; the file is damaged or truncated",
                       g->import->input, g->row_line, g->neighbours);
    g->row_line = 0;
    return PSDVEC_OK;
}

/* "rank,word,neighbours,sum,cut-off" */
static psdvec_status begin_row(grams *g, const char *line, size_t length)
{
    const char *end = line + length, *comma[3] = {0}, *at = end;
    const char *word = memchr(line, ',', length);
    for (size_t i = 0; i < 3 && at; i++)
        at = comma[i] = pv_find_last(line, ',', (size_t)(at - line));
    const char *last = comma[2]; /* after the word */
    if (!word || !last || last <= word + 1 ||
        pv_digits_read(last + 1, UINT64_MAX, &g->neighbours) != comma[1])
        return pv_text_lines_reject(&g->lines, "expected a row: rank,word,neighbours,sum,cut-off");
    pv_word_key key = pv_word_key_padded(word + 1, (uint32_t)(last - word - 1));
    if (!pv_word_table_find(&g->words, &key, &g->row))
        return pv_text_lines_reject(&g->lines, "the word \"%.*s\" is not in the list of words",
                                    (int)(last - word - 1 < 60 ? last - word - 1 : 60), word + 1);
    g->row_line = g->lines.number;
    return PSDVEC_OK;
}

/* The original program truncates the sum to 32 bits, so only these are compared. */
static void check_total(grams *g, const char *line)
{
    static const char mark[] = "Total kept bigram occurrences:";
    const char *found = strstr(line, mark);
    if (!found)
        return;
    g->ended = true;
    found += sizeof mark - 1;
    while (*found == ' ')
        found++;
    bool negative = *found == '-';
    uint64_t number;
    if (!pv_digits_read(found + negative, UINT64_MAX, &number))
        return;
    if ((uint32_t)(negative ? -number : number) != (uint32_t)g->total)
        pv_warn(g->import->ctx,
                "%s: the sum of the counts is %s%" PRIu64
                " in its last line, but it is actually %" PRIu64,
                g->import->input, negative ? "-" : "", number, g->total);
}

static psdvec_status read_bigrams(grams *g)
{
    for (;;) {
        char *line;
        size_t length;
        PV_TRY(pv_text_lines_next(&g->lines, &line, &length));
        if (!line)
            break;
        if (length == 0)
            continue;
        if (*line == '\t') {
            if (!g->row_line)
                return pv_text_lines_reject(&g->lines, "words that belong to no row");
            PV_TRY(each_item(g, line, length, add_neighbour));
            continue;
        }
        PV_TRY(end_row(g));
        if (*line == '#') {
            line[length] = '\0';
            check_total(g, line);
        } else {
            PV_TRY(begin_row(g, line, length));
        }
    }
    PV_TRY(end_row(g));
    if (!g->ended)
        return pv_fail(g->import->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: the last line, \"# Total kept bigram occurrences\", is missing; the "
                       "file is truncated",
                       g->import->input);
    if (g->unknown)
        pv_warn(g->import->ctx,
                "%s: %" PRIu64 " pairs were skipped, because their second word is not in the list "
                "of words",
                g->import->input, g->unknown);
    return PSDVEC_OK;
}

static psdvec_status import_top2grams(pv_import *m)
{
    grams g = {.import = m};
    psdvec_status status;
    PV_TRY_DONE(pv_word_table_init(&g.words, m->ctx, 1000));
    PV_TRY_DONE(pv_text_lines_open(&g.lines, m->ctx, m->input));
    PV_TRY_DONE(read_head(&g));
    PV_TRY_DONE(read_words(&g));
    PV_TRY_DONE(pv_import_begin(m, 0, true, g.lines.progress.total / 12));
    PV_TRY_DONE(read_bigrams(&g));
    m->bytes = g.lines.consumed;
done:
    pv_text_lines_close(&g.lines);
    pv_word_table_free(&g.words);
    return status;
}

/* ---- Exporting ------------------------------------------------------------------ */

enum { WORDS_A_LINE = 10, NEIGHBOURS_A_LINE = 5, LONGEST_TAIL = 40 };

static uint64_t pairs_of(const pv_export *e, uint32_t i)
{
    return e->counts->focus_total[i] + (e->symmetric ? e->counts->context_total[i] : 0);
}

/* Word, count and logarithm in at most length + LONGEST_TAIL bytes. The logarithm is formatted like
 * "%.3f", in any locale; -99 for a word that never occurs. */
static char *write_item(char *out, char separator, const char *word, size_t length, uint64_t count,
                        uint64_t total)
{
    double logarithm = count > 0 ? log((double)count / (double)total) : -99.0;
    uint64_t thousandths = (uint64_t)(fabs(logarithm) * 1000 + 0.5);
    memcpy(out, word, length);
    out += length;
    *out++ = separator;
    out = pv_digits_write(out, count);
    *out++ = separator;
    if (logarithm < 0)
        *out++ = '-';
    out = pv_digits_write(out, thousandths / 1000);
    *out++ = '.';
    for (uint64_t unit = 100; unit > 0; unit /= 10)
        *out++ = (char)('0' + thousandths / unit % 10);
    return out;
}

/* The two lines that both files begin with. */
static psdvec_status write_head(const pv_export *e, uint64_t tokens, pv_buffer *text)
{
    const psdvec_counts_info *info = &e->counts->info;
    PV_TRY(pv_buffer_printf(text,
                            "# %" PRIu32 " words, %" PRIu64 " occurrences\n"
                            "# input=psdvec-" PSDVEC_VERSION,
                            info->words, tokens));
    if (info->window)
        PV_TRY(pv_buffer_printf(text, ", window=%" PRIu32, info->window));
    return pv_buffer_byte(text, '\n');
}

/* A line of top1grams. As in the original, probabilities here are relative to all words of the
 * text, including rare ones, and in top2grams to the words in the list. */
static psdvec_status list_word(const pv_export *e, uint32_t i, pv_buffer *text)
{
    uint64_t tokens = e->counts->info.tokens;
    size_t length;
    const char *word = psdvec_counts_word(e->counts, i, &length);
    if (i == 0)
        PV_TRY(write_head(e, tokens, text));
    PV_TRY(pv_buffer_reserve(text, length + LONGEST_TAIL + 1));
    char *out =
        write_item(text->data + text->length, '\t', word, length, e->counts->frequency[i], tokens);
    *out++ = '\n';
    text->length = (size_t)(out - text->data);
    return PSDVEC_OK;
}

static psdvec_status begin(pv_export *e, pv_buffer *text)
{
    const psdvec_counts *c = e->counts;
    uint64_t tokens = 0, total = 0;
    if (c->info.scale != 1 || c->retention)
        return pv_fail(e->ctx, PSDVEC_ERR_OPTION,
                       "%s: its counts have fractions, because it was made with weights or "
                       "subsampling; the format top2grams has only whole numbers",
                       pv_st_path(c->file));
    for (uint32_t i = 0; i < c->info.words; i++) {
        tokens += c->frequency[i];
        total += pairs_of(e, i);
    }
    PV_TRY(write_head(e, tokens, text));
    PV_TRY(pv_buffer_printf(text, "# %" PRIu64 " bigram occurrences\nWords:\n", total));
    for (uint32_t i = 0; i < c->info.words; i++) {
        size_t length;
        const char *word = psdvec_counts_word(c, i, &length);
        PV_TRY(pv_buffer_reserve(text, length + LONGEST_TAIL + 1));
        char *out = write_item(text->data + text->length, ',', word, length, pairs_of(e, i), total);
        if (i + 1 < c->info.words)
            *out++ = (i + 1) % WORDS_A_LINE ? '\t' : '\n';
        text->length = (size_t)(out - text->data);
    }
    return pv_buffer_text(text, "\n\nBigrams:\n");
}

static psdvec_status format(const pv_export *e, pv_rows *rows)
{
    const psdvec_counts *c = e->counts;
    pv_buffer *text = &rows->packed;
    size_t at = 0, length;
    for (uint32_t r = 0; r < rows->count; r++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < rows->lengths[r]; k++)
            sum += rows->values[at + k];
        const char *word = psdvec_counts_word(c, rows->first + r, &length);
        PV_TRY(pv_buffer_printf(text, "%" PRIu64 ",", (uint64_t)rows->first + r + 1));
        PV_TRY(pv_buffer_append(text, word, length));
        PV_TRY(pv_buffer_printf(text, ",%" PRIu32 ",%" PRIu64 ",1\n", rows->lengths[r], sum));
        for (size_t k = 1; k <= rows->lengths[r]; k++, at++) {
            word = psdvec_counts_word(c, rows->columns[at], &length);
            PV_TRY(pv_buffer_reserve(text, length + LONGEST_TAIL + 2));
            char *out = text->data + text->length;
            *out++ = '\t';
            out = write_item(out, ',', word, length, rows->values[at], sum);
            if (k % NEIGHBOURS_A_LINE == 0 || k == rows->lengths[r])
                *out++ = '\n';
            text->length = (size_t)(out - text->data);
        }
    }
    return PSDVEC_OK;
}

static psdvec_status end(pv_export *e, pv_buffer *text)
{
    const psdvec_counts *c = e->counts;
    if (e->empty_rows) {
        size_t length;
        const char *word = psdvec_counts_word(c, e->first_empty, &length);
        pv_warn(e->ctx,
                "%s: no word occurs after %" PRIu32 " of the words, such as \"%.*s\"; the "
                "original program does not expect this and may stop at their rows",
                e->path, e->empty_rows, (int)(length < 60 ? length : 60), word);
    }
    return pv_buffer_printf(text, "# Total kept bigram occurrences: %" PRIu64 "\n",
                            c->info.total * (e->symmetric ? 2 : 1));
}

const pv_counts_format pv_format_top2grams = {.import = import_top2grams,
                                              .begin = begin,
                                              .format = format,
                                              .end = end,
                                              .list_word = list_word,
                                              .has_words = true,
                                              .not_in_words = ",\t\n\r"};
