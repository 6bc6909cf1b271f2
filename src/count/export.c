/* psdvec_counts_export: converts a counts file to the format of another program. */
#include "base/arguments.h"
#include "base/progress.h"
#include "count/count.h"
#include "count/formats.h"
#include "count/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_ENTRIES = 1 << 15, VOCAB_BLOCK = 1 << 20 };

/* Appends the text to the output. */
static psdvec_status append(pv_export *e, const pv_buffer *text)
{
    PV_TRY(pv_output_write_at(e->output, e->written, text->data, text->length));
    e->written += text->length;
    return PSDVEC_OK;
}

static psdvec_status check_words(const pv_export *e, const char *format)
{
    const psdvec_counts *c = e->counts;
    const char *bad = e->format->not_in_words;
    size_t bad_count = strlen(bad) + 1; /* and the zero byte */
    for (uint32_t i = 0; i < c->info.words; i++) {
        size_t length;
        const char *word = psdvec_counts_word(c, i, &length);
        bool fine = length > 0;
        for (size_t k = 0; k < length && fine; k++)
            fine = (unsigned char)word[k] > ',' || !memchr(bad, word[k], bad_count);
        if (!fine)
            return pv_fail(e->ctx, PSDVEC_ERR_OPTION,
                           "the word \"%.*s\" contains a character that separates words in the "
                           "format %s, so it cannot be written",
                           (int)(length < 60 ? length : 60), word, format);
    }
    return PSDVEC_OK;
}

static psdvec_status check_call(psdvec_context *ctx, const psdvec_counts *counts,
                                psdvec_counts_format format, const char *output,
                                const char *vocab_output)
{
    if ((unsigned)format > PSDVEC_FORMAT_TOP2GRAMS)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "there is no export format with the number %d",
                       (int)format);
    const char *name = pv_counts_format_choices[format].name;
    if (!pv_counts_formats[format]->has_words && !vocab_output)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "the format %s does not contain the words; give a file for them", name);
    const char *input = pv_st_path(counts->file);
    PV_TRY(pv_refuse_same_file(ctx, &input, 1, output));
    if (vocab_output)
        PV_TRY(pv_refuse_same_file(ctx, &input, 1, vocab_output));
    if (vocab_output && (strcmp(output, vocab_output) == 0 || pv_same_file(output, vocab_output)))
        return pv_fail(ctx, PSDVEC_ERR_SAME_FILE,
                       "%s: is the file for both counts and words; choose another file for one of "
                       "them",
                       output);
    return PSDVEC_OK;
}

static psdvec_status format_rows(void *self, pv_rows *rows)
{
    const pv_export *e = self;
    return e->format->format(e, rows);
}

static psdvec_status take_rows(void *self, size_t group, pv_rows *rows)
{
    (void)group;
    pv_export *e = self;
    e->entries += rows->used;
    for (uint32_t r = 0; r < rows->count; r++)
        if (rows->lengths[r] == 0 && e->empty_rows++ == 0)
            e->first_empty = rows->first + r;
    return append(e, &rows->packed);
}

static psdvec_status copy_group(void *opaque, size_t group, int worker, pv_row_sum *sum,
                                pv_rows *rows)
{
    (void)group, (void)worker, (void)sum;
    const pv_export *e = opaque;
    for (uint32_t i = 0; i < rows->count; i++) {
        psdvec_row row;
        psdvec_counts_row(e->counts, rows->first + i, &row);
        PV_TRY(pv_rows_reserve(rows, row.length));
        rows->lengths[i] = (uint32_t)row.length;
        for (size_t k = 0; k < row.length; k++) {
            rows->columns[rows->used + k] = row.focus[k];
            rows->values[rows->used + k] = psdvec_row_value(&row, k);
        }
        rows->used += row.length;
    }
    return PSDVEC_OK;
}

static psdvec_status write_directed(pv_export *e, const pv_row_sink *sink)
{
    uint32_t words = e->counts->info.words;
    pv_row_groups groups = {0};
    pv_scope scope = {.ctx = e->ctx, .what = "the rows' lengths"};
    uint64_t *work;
    PV_TAKE(&scope, work, words);
    PV_TRY(pv_scope_status(&scope));
    for (uint32_t i = 0; i < words; i++)
        work[i] = e->counts->rows.end[i] - e->counts->rows.begin[i];
    psdvec_status status = pv_row_groups_init(&groups, e->ctx, work, words,
                                              e->counts->info.bigrams / GROUP_ENTRIES + 1);
    pv_scope_free(&scope);
    if (status == PSDVEC_OK)
        status = pv_rows_make(e->ctx, words, &groups, copy_group, e, sink, "writing");
    pv_row_groups_free(&groups, e->ctx);
    return status;
}

static psdvec_status write_symmetric(pv_export *e, const char *folder, const pv_row_sink *sink)
{
    const psdvec_counts *c = e->counts;
    pv_triples triples = {0};
    psdvec_status status;
    PV_TRY_DONE(pv_triples_init(&triples, e->ctx, folder, c->info.words, 2 * c->info.bigrams,
                                c->frequency, 8 << 20));
    pv_progress sorting;
    pv_progress_begin(&sorting, e->ctx, "sorting", "rows", c->info.words);
    for (uint32_t i = 0; i < c->info.words; i++) {
        psdvec_row row;
        psdvec_counts_row(c, i, &row);
        /* Added to both rows, or only to the row with the larger index. The diagonal is doubled, as
         * in x + x'. */
        for (size_t k = 0; k < row.length; k++) {
            uint32_t j = row.focus[k];
            if (!e->format->one_triangle || i >= j)
                PV_TRY_DONE(pv_triples_add(&triples, i, j, psdvec_row_value(&row, k)));
            if (!e->format->one_triangle || i <= j)
                PV_TRY_DONE(pv_triples_add(&triples, j, i, psdvec_row_value(&row, k)));
        }
        pv_progress_add(&sorting, 1);
    }
    pv_progress_end(&sorting);
    PV_TRY_DONE(pv_triples_finish(&triples, sink));
done:
    pv_triples_free(&triples);
    return status;
}

static psdvec_status list_word(const pv_export *e, uint32_t i, pv_buffer *text)
{
    size_t length;
    const char *word = psdvec_counts_word(e->counts, i, &length);
    PV_TRY(pv_buffer_append(text, word, length));
    return pv_buffer_printf(text, " %" PRIu64 "\n", e->counts->frequency[i]);
}

static psdvec_status write_words(const pv_export *e, pv_output *vocab)
{
    const psdvec_counts *c = e->counts;
    pv_buffer text = {.ctx = e->ctx};
    uint64_t written = 0;
    psdvec_status status = PSDVEC_OK;
    for (uint32_t i = 0; i < c->info.words; i++) {
        PV_TRY_DONE((e->format->list_word ? e->format->list_word : list_word)(e, i, &text));
        if (text.length >= VOCAB_BLOCK || i + 1 == c->info.words) {
            PV_TRY_DONE(pv_check_cancel(e->ctx));
            PV_TRY_DONE(pv_output_write_at(vocab, written, text.data, text.length));
            written += text.length;
            text.length = 0;
        }
    }
done:
    pv_buffer_free(&text);
    return status;
}

psdvec_status psdvec_counts_export(psdvec_context *ctx, const psdvec_counts *counts,
                                   psdvec_counts_format format, bool symmetric, const char *output,
                                   const char *vocab_output)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    PV_NEED(ctx, output);
    PV_TRY(check_call(ctx, counts, format, output, vocab_output));
    /* The other format has no checksums, so damage could not be detected later. */
    PV_TRY(pv_st_verify_if_any(ctx, counts->file));
    pv_export e = {.ctx = ctx,
                   .counts = counts,
                   .format = pv_counts_formats[format],
                   .symmetric = symmetric,
                   .path = output};
    pv_row_sink sink = {.prepare = format_rows, .take = take_rows, .self = &e};
    pv_output *vocab = NULL;
    pv_buffer text = {.ctx = ctx};
    psdvec_status status;
    char *folder = pv_folder_of(output);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", output);
    /* The rows were not checked when the file was opened. */
    PV_TRY_DONE(pv_counts_verify_rows(ctx, counts));
    PV_TRY_DONE(check_words(&e, pv_counts_format_choices[format].name));
    PV_TRY_DONE(pv_output_open(ctx, output, &e.output));
    if (vocab_output) {
        PV_TRY_DONE(pv_output_open(ctx, vocab_output, &vocab));
        PV_TRY_DONE(write_words(&e, vocab));
    }
    PV_TRY_DONE(e.format->begin(&e, &text));
    PV_TRY_DONE(append(&e, &text));
    PV_TRY_DONE(symmetric ? write_symmetric(&e, folder, &sink) : write_directed(&e, &sink));
    text.length = 0;
    if (e.format->end)
        PV_TRY_DONE(e.format->end(&e, &text));
    PV_TRY_DONE(append(&e, &text));
    PV_TRY_DONE(pv_check_cancel(ctx));
    status = pv_output_commit_set((pv_output *[]){e.output, vocab}, vocab ? 2 : 1);
    e.output = vocab = NULL;
done:
    pv_output_discard(vocab);
    pv_output_discard(e.output);
    pv_buffer_free(&text);
    free(folder);
    return status;
}
