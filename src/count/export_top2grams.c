/* The text of the original PSDVec program (import_top2grams.c describes it).
 *
 * There a word's count is the number of pairs in which it is the later one,
 * and that is written. Counts are whole numbers and commas separate, so counts
 * with weights and words with commas are refused.
 */
#include "count/export.h"
#include "count/fixed_point.h"
#include "util/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WORDS_A_LINE = 10, NEIGHBOURS_A_LINE = 5, LONGEST_TAIL = 40 };

/* As "%.3f" would, in any locale. A word never seen has no logarithm: -99. */
static char *write_log(char *out, double ratio)
{
    double logarithm = ratio > 0 ? log(ratio) : -99.0;
    if (logarithm < 0)
        *out++ = '-';
    uint64_t thousandths = (uint64_t)(fabs(logarithm) * 1000 + 0.5);
    out = pv_digits_write(out, thousandths / 1000);
    *out++ = '.';
    *out++ = (char)('0' + thousandths / 100 % 10);
    *out++ = (char)('0' + thousandths / 10 % 10);
    *out++ = (char)('0' + thousandths % 10);
    return out;
}

static uint64_t pairs_of(const pv_export *e, uint32_t i)
{
    return e->counts->focus_total[i] + (e->symmetric ? e->counts->context_total[i] : 0);
}

/* "word,count,logarithm"; `out` has room for length + LONGEST_TAIL. */
static char *write_item(char *out, const char *word, size_t length, uint64_t count, uint64_t total)
{
    memcpy(out, word, length);
    out += length;
    *out++ = ',';
    out = pv_digits_write(out, count);
    *out++ = ',';
    return write_log(out, (double)count / (double)total);
}

static psdvec_status write_head(pv_export *e, pv_buffer *text, uint64_t *total)
{
    const psdvec_counts *c = e->counts;
    uint64_t tokens = 0;
    *total = 0;
    for (uint32_t i = 0; i < c->info.words; i++) {
        tokens += c->frequency[i];
        *total += pairs_of(e, i);
    }
    PV_TRY(pv_buffer_printf(text,
                            "# %" PRIu32 " words, %" PRIu64 " occurrences\n"
                            "# input=psdvec-" PSDVEC_VERSION,
                            c->info.words, tokens));
    if (c->info.window)
        PV_TRY(pv_buffer_printf(text, ", window=%" PRIu32, c->info.window));
    return pv_buffer_printf(text, "\n# %" PRIu64 " bigram occurrences\nWords:\n", *total);
}

static psdvec_status begin(pv_export *e)
{
    const psdvec_counts *c = e->counts;
    if (c->info.scale != 1 || c->retention)
        return pv_fail(e->ctx, PSDVEC_ERR_OPTION,
                       "%s: its counts have fractions, because it was made with weights or "
                       "subsampling; the format top2grams has whole numbers only",
                       pv_st_path(c->file));
    pv_buffer text;
    uint64_t total;
    psdvec_status status;
    pv_buffer_init(&text, e->ctx);
    PV_TRY_DONE(write_head(e, &text, &total));
    for (uint32_t i = 0; i < c->info.words; i++) {
        size_t length;
        const char *word = psdvec_counts_word(c, i, &length);
        PV_TRY_DONE(pv_buffer_reserve(&text, length + LONGEST_TAIL + 1));
        char *out = write_item(text.data + text.length, word, length, pairs_of(e, i), total);
        if (i + 1 < c->info.words)
            *out++ = (i + 1) % WORDS_A_LINE ? '\t' : '\n';
        text.length = (size_t)(out - text.data);
    }
    PV_TRY_DONE(pv_buffer_text(&text, "\n\nBigrams:\n"));
    PV_TRY_DONE(pv_export_append(e, text.data, text.length));
done:
    pv_buffer_free(&text);
    return status;
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
            out = write_item(out, word, length, rows->values[at], sum);
            if (k % NEIGHBOURS_A_LINE == 0 || k == rows->lengths[r])
                *out++ = '\n';
            text->length = (size_t)(out - text->data);
        }
    }
    return PSDVEC_OK;
}

static psdvec_status end(pv_export *e)
{
    const psdvec_counts *c = e->counts;
    pv_buffer text;
    size_t length;
    psdvec_status status;
    pv_buffer_init(&text, e->ctx);
    uint64_t total = c->info.total * (e->symmetric ? 2 : 1);
    PV_TRY_DONE(pv_buffer_printf(&text, "# Total kept bigram occurrences: %" PRIu64 "\n", total));
    PV_TRY_DONE(pv_export_append(e, text.data, text.length));
    if (e->empty_rows) {
        const char *word = psdvec_counts_word(c, e->first_empty, &length);
        pv_warn(e->ctx,
                "%s: no word was seen after %" PRIu32 " of the words, such as \"%.*s\"; the "
                "original program does not expect that and may stop at their rows",
                e->path, e->empty_rows, (int)(length < 60 ? length : 60), word);
    }
done:
    pv_buffer_free(&text);
    return status;
}

const pv_export_format pv_export_top2grams = {
    .begin = begin, .format = format, .end = end, .has_words = true, .not_in_words = ",\t\n\r"};
