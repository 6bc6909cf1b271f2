/* Matrix Market, coordinate format: one entry per line, "row column number".
 *
 *     %%MatrixMarket matrix coordinate real general
 *     % comments
 *     3 3 5               rows, columns, entries
 *     1 2 0.5             numbered from 1; row: the earlier word, the context
 *
 * Supported are real and integer numbers, and pattern (every entry counts 1); general, and
 * symmetric, where one triangle represents both. A line "% psdvec: scale=60 window=5" provides
 * values that the user did not give.
 *
 * Exports write integers where possible, otherwise decimals that read back as the same counts, and
 * such a line with scale and window. With `symmetric`, the lower triangle of x + x' is written.
 */
#include "count/formats.h"
#include "util/c_locale.h"
#include "util/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef enum field { FIELD_REAL, FIELD_INTEGER, FIELD_PATTERN } field;

typedef struct market {
    pv_import *import;
    pv_text_lines lines;
    field field;
    bool symmetric; /* one triangle represents both */
    uint64_t scale; /* from a comment; 0: none */
    uint64_t entries, seen;
} market;

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

static bool at_end(const char *p, const char *end)
{
    return skip_blanks(p) >= end;
}

/* The next word of a line, at most `capacity` - 1 bytes of it. */
static const char *take_word(const char *p, const char *end, char *word, size_t capacity)
{
    size_t length = 0;
    p = skip_blanks(p);
    for (; p < end && *p != ' ' && *p != '\t' && *p != '\r'; p++)
        if (length + 1 < capacity)
            word[length++] = *p;
    word[length] = '\0';
    return p;
}

static psdvec_status read_banner(market *k)
{
    char *line, word[5][24];
    size_t length;
    PV_TRY(pv_text_lines_next(&k->lines, &line, &length));
    const char *p = line ? line : "", *end = p + length;
    for (size_t i = 0; i < 5; i++)
        p = take_word(p, end, word[i], sizeof word[i]);
    if (!pv_same_letters(word[0], "%%MatrixMarket"))
        return pv_fail(k->import->ctx, PSDVEC_ERR_FORMAT,
                       "%s: does not begin with %%%%MatrixMarket, so it is not a Matrix Market "
                       "file",
                       k->import->input);
    if (!pv_same_letters(word[1], "matrix") || !pv_same_letters(word[2], "coordinate"))
        return pv_text_lines_reject(&k->lines,
                                    "is a \"%s %s\"; only \"matrix coordinate\" can be imported",
                                    word[1], word[2]);
    if (pv_same_letters(word[3], "real") || pv_same_letters(word[3], "double"))
        k->field = FIELD_REAL;
    else if (pv_same_letters(word[3], "integer"))
        k->field = FIELD_INTEGER;
    else if (pv_same_letters(word[3], "pattern"))
        k->field = FIELD_PATTERN;
    else
        return pv_text_lines_reject(
            &k->lines, "the numbers are \"%s\"; only real, integer and pattern can be counts",
            word[3]);
    k->symmetric = pv_same_letters(word[4], "symmetric");
    if (!k->symmetric && !pv_same_letters(word[4], "general"))
        return pv_text_lines_reject(
            &k->lines, "the matrix is \"%s\"; only general and symmetric ones can be counts",
            word[4]);
    return PSDVEC_OK;
}

static uint64_t number_after(const char *line, const char *name)
{
    uint64_t number;
    const char *found = strstr(line, name);
    return found && pv_digits_read(found + strlen(name), UINT64_MAX, &number) ? number : 0;
}

static psdvec_status read_sizes(market *k)
{
    char *line;
    size_t length;
    uint32_t words = k->import->vocabulary.count;
    for (;;) {
        PV_TRY(pv_text_lines_next(&k->lines, &line, &length));
        if (!line)
            return pv_fail(k->import->ctx, PSDVEC_ERR_DAMAGED,
                           "%s: ends before the sizes of the matrix; the file is truncated",
                           k->import->input);
        if (*line != '%' && !at_end(line, line + length))
            break;
        if (strncmp(line, "% psdvec:", 9) == 0) { /* a comment of ours */
            line[length] = '\0';
            k->scale = number_after(line, " scale=");
            PV_TRY(pv_import_window(k->import, number_after(line, " window=")));
        }
    }
    uint64_t size[3];
    const char *p = line;
    for (size_t i = 0; i < 3 && p; i++)
        p = pv_digits_read(skip_blanks(p), UINT64_MAX, &size[i]);
    if (!p || !at_end(p, line + length))
        return pv_text_lines_reject(&k->lines, "expected the numbers of rows, columns and entries");
    if (size[0] != words || size[1] != words)
        return pv_fail(k->import->ctx, PSDVEC_ERR_MISMATCH,
                       "%s: line %" PRIu64 ": a matrix of %" PRIu64 " rows and %" PRIu64
                       " columns, but %s has %" PRIu32 " words; each needs a row and a column",
                       k->import->input, k->lines.number, size[0], size[1],
                       k->import->options->vocab_file, words);
    k->entries = size[2];
    return PSDVEC_OK;
}

static psdvec_status reject_entry(const market *k)
{
    return pv_text_lines_reject(&k->lines, "expected a row, a column%s",
                                k->field == FIELD_PATTERN ? " and nothing more"
                                                          : " and a number that is not negative");
}

static psdvec_status read_entry(market *k, const char *line, const char *end)
{
    uint64_t i, j, value = k->import->rounding.scale;
    uint32_t words = k->import->vocabulary.count;
    const char *p = pv_digits_read(skip_blanks(line), UINT64_MAX, &i);
    if (p)
        p = *p == ' ' || *p == '\t' ? pv_digits_read(skip_blanks(p), UINT64_MAX, &j) : NULL;
    if (PV_UNLIKELY(!p))
        return reject_entry(k);
    if (PV_UNLIKELY(i - 1 >= words || j - 1 >= words))
        return pv_text_lines_reject(&k->lines,
                                    "the position %" PRIu64 ", %" PRIu64 " is outside the matrix "
                                    "of %" PRIu32 " rows and columns",
                                    i, j, words);
    if (k->field != FIELD_PATTERN) {
        pv_decimal number;
        if (*p != ' ' && *p != '\t')
            return reject_entry(k);
        p = pv_decimal_read(skip_blanks(p), &number);
        if (PV_UNLIKELY(!p || (number.negative && number.digits)))
            return reject_entry(k);
        if (PV_UNLIKELY(k->field == FIELD_INTEGER && number.exponent < 0))
            return pv_text_lines_reject(&k->lines, "a fraction, but the file declares integers");
        if (PV_UNLIKELY(!pv_round_decimal(&k->import->rounding, &number, &value)))
            return pv_text_lines_reject(
                &k->lines, "the count is too large for a scale of %" PRIu64 "; use a smaller one",
                k->import->rounding.scale);
    }
    if (PV_UNLIKELY(!at_end(p, end)))
        return reject_entry(k);
    uint32_t row = (uint32_t)(i - 1), column = (uint32_t)(j - 1);
    PV_TRY(pv_import_pair(k->import, row, column, value));
    return k->symmetric && i != j ? pv_import_pair(k->import, column, row, value) : PSDVEC_OK;
}

static psdvec_status read_entries(market *k)
{
    for (;;) {
        char *line;
        size_t length;
        PV_TRY(pv_text_lines_next(&k->lines, &line, &length));
        if (!line)
            break;
        if (*line == '%' || at_end(line, line + length))
            continue;
        if (++k->seen > k->entries)
            return pv_text_lines_reject(
                &k->lines, "more entries than the %" PRIu64 " that the file declares", k->entries);
        PV_TRY(read_entry(k, line, line + length));
    }
    if (k->seen < k->entries)
        return pv_fail(k->import->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: has %" PRIu64 " of the %" PRIu64 " entries that it declares; the file "
                       "is truncated",
                       k->import->input, k->seen, k->entries);
    return PSDVEC_OK;
}

static psdvec_status import_matrix_market(pv_import *m)
{
    market k = {.import = m};
    psdvec_status status;
    PV_TRY_DONE(pv_text_lines_open(&k.lines, m->ctx, m->input));
    PV_TRY_DONE(read_banner(&k));
    PV_TRY_DONE(read_sizes(&k));
    PV_TRY_DONE(pv_import_begin(m, k.scale, k.field != FIELD_REAL, k.entries));
    PV_TRY_DONE(read_entries(&k));
    m->bytes = k.lines.consumed;
done:
    pv_text_lines_close(&k.lines);
    return status;
}

/* ---- Exporting ------------------------------------------------------------------ */

enum { LONGEST_NUMBER = 48, RETAINED_SCALE = 1000000000 };

static psdvec_status write_sizes(const pv_export *e, pv_buffer *text)
{
    return pv_buffer_printf(text, "%" PRIu32 " %" PRIu32 " %20" PRIu64 "\n", e->counts->info.words,
                            e->counts->info.words, e->entries);
}

static psdvec_status begin(pv_export *e, pv_buffer *text)
{
    const psdvec_counts_info *info = &e->counts->info;
    bool whole = info->scale == 1 && !e->counts->retention;
    PV_TRY(pv_buffer_printf(
        text,
        "%%%%MatrixMarket matrix coordinate %s %s\n%% written by psdvec " PSDVEC_VERSION
        "\n%% %s\n",
        whole ? "integer" : "real", e->symmetric ? "symmetric" : "general",
        e->symmetric ? "pairs of words, the counts of both directions added up"
                     : "row: the earlier word (context); column: the later word (focus)"));
    if (!e->counts->retention) {
        PV_TRY(pv_buffer_printf(text, "%% psdvec: scale=%" PRIu64, info->scale));
        if (info->window)
            PV_TRY(pv_buffer_printf(text, " window=%" PRIu32, info->window));
        PV_TRY(pv_buffer_byte(text, '\n'));
    }
    e->size_at = text->length;
    return write_sizes(e, text);
}

/* Rewrites the line of sizes, now that the number of entries is known. */
static psdvec_status end(pv_export *e, pv_buffer *text)
{
    e->written = e->size_at;
    return write_sizes(e, text);
}

static char *write_number(const pv_export *e, char *out, uint32_t i, uint32_t j, uint64_t value,
                          unsigned places)
{
    const psdvec_counts *c = e->counts;
    if (!c->retention)
        return pv_fixed_write(out, value, c->info.scale, places);
    double count = (double)value / (double)c->info.scale * pv_export_retention(c, i, j);
    return pv_fixed_write(out, (uint64_t)(count * RETAINED_SCALE + 0.5), RETAINED_SCALE, 9);
}

static psdvec_status format(const pv_export *e, pv_rows *rows)
{
    unsigned places = pv_fixed_places(e->counts->info.scale);
    PV_TRY(pv_buffer_reserve(&rows->packed, rows->used * (24 + LONGEST_NUMBER)));
    char *out = rows->packed.data, row[24] = {0};
    size_t at = 0;
    for (uint32_t r = 0; r < rows->count; r++) {
        uint32_t i = rows->first + r;
        char *row_end = pv_digits_write(row, (uint64_t)i + 1);
        *row_end++ = ' ';
        for (size_t last = at + rows->lengths[r]; at < last; at++) {
            memcpy(out, row, 12); /* at most ten digits and a space */
            out += row_end - row;
            out = pv_digits_write(out, (uint64_t)rows->columns[at] + 1);
            *out++ = ' ';
            out = write_number(e, out, i, rows->columns[at], rows->values[at], places);
            *out++ = '\n';
        }
    }
    rows->packed.length = (size_t)(out - rows->packed.data);
    return PSDVEC_OK;
}

const pv_counts_format pv_format_matrix_market = {.import = import_matrix_market,
                                                  .begin = begin,
                                                  .format = format,
                                                  .end = end,
                                                  .one_triangle = true,
                                                  .not_in_words = " \t\n\v\f\r"};
