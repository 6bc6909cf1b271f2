/* psdvec_counts_merge: adds up counts files.
 *
 * Files whose words are the same in the same order keep that order, so that merge(count(A),
 * count(B)) equals count(A + B) for a fixed vocabulary, bit for bit. Otherwise the result has the
 * union of the words, most frequent first. Rows of the result are summed one at a time from the
 * mapped files, so memory does not grow with the number of bigrams.
 */
#include "base/arguments.h"
#include "base/sort.h"
#include "base/trim.h"
#include "count/count.h"
#include "count/counts_read.h"
#include "count/counts_write.h"
#include "util/clock.h"

#include <inttypes.h>
#include <string.h>

typedef struct merge_input {
    psdvec_counts *counts;
    uint32_t *final;  /* word of the file -> word of the result; NULL: the same */
    uint32_t *source; /* word of the result -> word of the file, or PV_UNKNOWN_WORD */
} merge_input;

typedef struct merging {
    psdvec_context *ctx;
    pv_scope memory;
    merge_input *inputs;
    size_t count;
    pv_vocabulary vocabulary;
    pv_provenance provenance;
    double *retention; /* NULL without subsampling */
} merging;

static psdvec_status check_settings(const merging *m)
{
    const psdvec_counts *first = m->inputs[0].counts;
    psdvec_status status = PSDVEC_OK;
    pv_buffer differ = {.ctx = m->ctx};
    for (size_t i = 1; i < m->count && status == PSDVEC_OK; i++) {
        const psdvec_counts *other = m->inputs[i].counts;
        const char *what = NULL;
        if (first->info.window != other->info.window)
            what = "windows";
        else if (first->info.scale != other->info.scale)
            what = "scales (units of a count)";
        else
            PV_TRY_DONE(pv_settings_compare(m->ctx, first->info.settings_json,
                                            other->info.settings_json, false, &differ));
        if (differ.length)
            what = "settings";
        else if (!what && (first->retention == NULL) != (other->retention == NULL))
            what = "subsampling options";
        else if (!what && !pv_phrase_lists_same(first->phrases, other->phrases))
            PV_TRY_DONE(pv_fail(m->ctx, PSDVEC_ERR_MISMATCH,
                                "%s and %s cannot be added up: they have different phrases "
                                "(%" PRIu64 " and %" PRIu64 "); count both with the same list "
                                "(`phrases`)",
                                pv_st_path(first->file), pv_st_path(other->file),
                                first->info.phrases, other->info.phrases));
        PV_TRY_DONE(pv_buffer_byte(&differ, 0));
        if (what)
            status = pv_fail(m->ctx, PSDVEC_ERR_MISMATCH,
                             "%s and %s cannot be added up: their %s differ%s%s; count both with "
                             "the same settings (psdvec counts info shows them)",
                             pv_st_path(first->file), pv_st_path(other->file), what,
                             *differ.data ? ": " : "", differ.data);
        differ.length = 0;
    }
done:
    pv_buffer_free(&differ);
    return status;
}

static psdvec_status add_words(merging *m, pv_word_table *table, merge_input *input)
{
    const psdvec_counts *c = input->counts;
    PV_TAKE(&m->memory, input->final, c->info.words);
    PV_TRY(pv_scope_status(&m->memory));
    for (uint32_t i = 0; i < c->info.words; i++) {
        size_t length;
        const char *word = psdvec_counts_word(c, i, &length);
        PV_TRY(pv_word_table_put(table, word, length, &input->final[i]));
        table->words[input->final[i]].value += c->frequency[i];
    }
    return PSDVEC_OK;
}

static int by_frequency(const void *a, const void *b, void *opaque)
{
    const pv_word_table *table = opaque;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const pv_word *wx = &table->words[x], *wy = &table->words[y];
    return pv_compare_words(wx->value, pv_word_text(table, x), wx->length, wy->value,
                            pv_word_text(table, y), wy->length);
}

/* Makes the sorted union of the words and maps each input's words to it (`final`). */
static psdvec_status unite_words(merging *m)
{
    psdvec_context *ctx = m->ctx;
    pv_word_table seen;
    pv_scope scope = {.ctx = ctx, .what = "sorting the words"};
    uint32_t *order, *rank;
    psdvec_status status;
    PV_TRY_DONE(pv_word_table_init(&seen, ctx, m->inputs[0].counts->info.words));
    for (size_t i = 0; i < m->count; i++)
        PV_TRY_DONE(add_words(m, &seen, &m->inputs[i]));
    PV_TAKE(&scope, order, seen.count);
    PV_TAKE(&scope, rank, seen.count);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t i = 0; i < seen.count; i++)
        order[i] = i;
    PV_TRY_DONE(pv_sort(ctx, order, seen.count, sizeof *order, by_frequency, &seen));
    PV_TRY_DONE(pv_vocabulary_set(&m->vocabulary, &seen, order));
    for (uint32_t i = 0; i < seen.count; i++)
        rank[order[i]] = i;
    for (size_t i = 0; i < m->count; i++)
        for (uint32_t w = 0; w < m->inputs[i].counts->info.words; w++)
            m->inputs[i].final[w] = rank[m->inputs[i].final[w]];
done:
    pv_word_table_free(&seen);
    pv_scope_free(&scope);
    return status;
}

/* The words of the first file, if all have the same. */
static psdvec_status copy_words(pv_vocabulary *v, const psdvec_counts *c)
{
    size_t words = c->info.words, bytes = (size_t)c->offsets[words];
    PV_TRY(pv_vocabulary_reserve(v, c->info.words, bytes));
    memcpy(v->bytes, c->bytes, bytes);
    memcpy(v->offsets, c->offsets, (words + 1) * sizeof *v->offsets);
    return PSDVEC_OK;
}

static psdvec_status choose_words(merging *m)
{
    pv_vocabulary *v = &m->vocabulary;
    const psdvec_counts *a = m->inputs[0].counts;
    bool same = true;
    for (size_t i = 1; i < m->count && same; i++) {
        const psdvec_counts *b = m->inputs[i].counts;
        same = a->info.words == b->info.words &&
               !memcmp(a->offsets, b->offsets, ((size_t)a->info.words + 1) * sizeof *a->offsets) &&
               !memcmp(a->bytes, b->bytes, (size_t)a->offsets[a->info.words]);
    }
    PV_TRY(same ? copy_words(v, a) : unite_words(m));
    for (size_t i = 0; i < m->count; i++) {
        merge_input *input = &m->inputs[i];
        for (uint32_t w = 0; w < input->counts->info.words; w++) {
            uint64_t *frequency = &v->frequency[input->final ? input->final[w] : w];
            if (__builtin_add_overflow(*frequency, input->counts->frequency[w], frequency))
                return pv_fail(m->ctx, PSDVEC_ERR_OVERFLOW,
                               "a word frequency does not fit into "
                               "64 bits");
        }
        if (same)
            continue;
        PV_TAKE(&m->memory, input->source, v->count);
        PV_TRY(pv_scope_status(&m->memory));
        for (uint32_t w = 0; w < v->count; w++)
            input->source[w] = PV_UNKNOWN_WORD;
        for (uint32_t w = 0; w < input->counts->info.words; w++)
            input->source[input->final[w]] = w;
    }
    return PSDVEC_OK;
}

/* Subsampling changes the windows themselves, so the files must have the same retention for the
 * words they share. */
static psdvec_status unite_retention(merging *m)
{
    if (!m->inputs[0].counts->retention)
        return PSDVEC_OK;
    PV_TAKE(&m->memory, m->retention, m->vocabulary.count);
    PV_TRY(pv_scope_status(&m->memory));
    for (uint32_t w = 0; w < m->vocabulary.count; w++)
        m->retention[w] = -1;
    for (size_t i = 0; i < m->count; i++) {
        const merge_input *input = &m->inputs[i];
        for (uint32_t w = 0; w < input->counts->info.words; w++) {
            double *retention = &m->retention[input->final ? input->final[w] : w];
            if (*retention >= 0 && *retention != input->counts->retention[w])
                return pv_fail(m->ctx, PSDVEC_ERR_MISMATCH,
                               "%s and %s cannot be added up: they were subsampled by different "
                               "word frequencies; count both with `vocab` and one list that has "
                               "frequencies",
                               pv_st_path(m->inputs[0].counts->file),
                               pv_st_path(input->counts->file));
            *retention = input->counts->retention[w];
        }
    }
    return PSDVEC_OK;
}

/* Equal settings may be written in different ways. Chooses the longest, which has the most members,
 * and breaks ties independently of the order of the files. */
static const char *settings_of_all(const merging *m)
{
    const char *chosen = m->inputs[0].counts->info.settings_json;
    for (size_t i = 1; i < m->count; i++) {
        const char *other = m->inputs[i].counts->info.settings_json;
        size_t length = strlen(chosen), other_length = strlen(other);
        if (other_length > length || (other_length == length && strcmp(other, chosen) < 0))
            chosen = other;
    }
    return chosen;
}

static psdvec_status unite_provenance(merging *m)
{
    pv_provenance *p = &m->provenance;
    const psdvec_counts *first = m->inputs[0].counts;
    p->window = first->info.window;
    p->scale = first->info.scale;
    bool same = true;
    for (size_t i = 0; i < m->count; i++) {
        const psdvec_counts *c = m->inputs[i].counts;
        same &= strcmp(c->info.vocabulary_json, first->info.vocabulary_json) == 0;
        if (__builtin_add_overflow(p->tokens, c->info.tokens, &p->tokens) ||
            __builtin_add_overflow(p->documents, c->info.documents, &p->documents))
            return pv_fail(m->ctx, PSDVEC_ERR_OVERFLOW,
                           "%s: the words or documents of all files do not fit into 64 bits",
                           pv_st_path(c->file));
        PV_TRY(pv_provenance_add_inputs_json(p, pv_st_path(c->file), c->info.inputs_json));
    }
    return pv_provenance_describe(p, settings_of_all(m),
                                  same ? first->info.vocabulary_json : "{\"merged\":true}");
}

static psdvec_status add_row(const merging *m, const merge_input *input, uint32_t row,
                             pv_row_sum *sum)
{
    const psdvec_counts *c = input->counts;
    if (input->source && (row = input->source[row]) == PV_UNKNOWN_WORD)
        return PSDVEC_OK;
    const pv_csr *rows = &c->rows;
    for (uint64_t k = rows->begin[row], end = rows->end[row]; k < end; k++) {
        uint32_t column = rows->column[k];
        uint64_t value = rows->value32 ? rows->value32[k] : rows->value64[k];
        if (PV_UNLIKELY(column >= c->info.words || value == 0))
            return pv_fail(m->ctx, PSDVEC_ERR_CORRUPT,
                           "%s: row %" PRIu32 " of the counts is damaged; create the file again",
                           pv_st_path(c->file), row);
        pv_row_sum_add(sum, input->final ? input->final[column] : column, value);
    }
    return PSDVEC_OK;
}

static psdvec_status merge_group(void *opaque, size_t group, int worker, pv_row_sum *sum,
                                 pv_rows *rows)
{
    (void)group, (void)worker;
    const merging *m = opaque;
    for (uint32_t row = rows->first; row < rows->first + rows->count; row++) {
        for (size_t i = 0; i < m->count; i++)
            PV_TRY(add_row(m, &m->inputs[i], row, sum));
        PV_TRY(pv_rows_add(rows, row, sum));
        pv_trim(m->ctx);
    }
    return PSDVEC_OK;
}

static psdvec_status merge_rows(merging *m, const pv_row_sink *sink)
{
    uint32_t words = m->vocabulary.count;
    uint64_t entries = 0, *work;
    pv_row_groups groups = {0};
    pv_scope scope = {.ctx = m->ctx, .what = "dividing the work"};
    PV_TAKE_ZERO(&scope, work, words);
    PV_TRY(pv_scope_status(&scope));
    for (size_t i = 0; i < m->count; i++) {
        const merge_input *input = &m->inputs[i];
        for (uint32_t w = 0; w < input->counts->info.words; w++)
            work[input->final ? input->final[w] : w] += input->counts->rows.end[w] -
                                                        input->counts->rows.begin[w];
        entries += input->counts->info.bigrams;
    }
    psdvec_status status = pv_row_groups_init(&groups, m->ctx, work, words, (entries >> 17) + 64);
    pv_scope_free(&scope);
    if (status == PSDVEC_OK)
        status = pv_rows_make(m->ctx, words, &groups, merge_group, m, sink, "merging");
    pv_row_groups_free(&groups, m->ctx);
    return status;
}

psdvec_status pv_counts_merge(psdvec_context *ctx, const char *const *paths, size_t path_count,
                              bool verify, const char *output, pv_provenance *provenance,
                              psdvec_count_report *report)
{
    double began = pv_now();
    psdvec_status status;
    merging m = {.ctx = ctx, .memory = {.ctx = ctx, .what = "the words' numbers"}};
    pv_counts_writer *writer = NULL;
    pv_row_sink sink;
    uint64_t bigrams;
    pv_vocabulary_init(&m.vocabulary, ctx);
    pv_provenance_init(&m.provenance, ctx);
    PV_TRY_DONE(pv_refuse_same_file(ctx, paths, path_count, output));
    PV_TRY_DONE(pv_counts_writer_open(ctx, output, &writer));
    PV_TAKE_ZERO(&m.memory, m.inputs, path_count);
    PV_TRY_DONE(pv_scope_status(&m.memory));
    for (; m.count < path_count; m.count++) {
        psdvec_counts **counts = &m.inputs[m.count].counts;
        PV_TRY_DONE(verify ? pv_counts_open_sound(ctx, paths[m.count], counts)
                           : pv_counts_open(ctx, paths[m.count], counts));
    }
    for (size_t i = 0; verify && i < path_count; i++)
        PV_TRY_DONE(pv_st_warn_unknown(ctx, m.inputs[i].counts->file, pv_counts_names));
    PV_TRY_DONE(check_settings(&m));
    PV_TRY_DONE(choose_words(&m));
    PV_TRY_DONE(unite_retention(&m));
    PV_TRY_DONE(unite_provenance(&m));
    if (!provenance)
        provenance = &m.provenance;
    PV_TRY_DONE(pv_provenance_set_phrases(provenance, m.inputs[0].counts->phrases));
    PV_TRY_DONE(pv_counts_writer_begin(writer, &m.vocabulary, provenance, m.retention, 1, &sink));
    PV_TRY_DONE(merge_rows(&m, &sink));
    PV_TRY_DONE(pv_counts_writer_finish(writer, &bigrams));
    if (report) {
        *report = (psdvec_count_report){.documents = m.provenance.documents,
                                        .tokens = m.provenance.tokens,
                                        .words = m.vocabulary.count,
                                        .distinct_words = m.vocabulary.count,
                                        .bigrams = bigrams,
                                        .runs = path_count};
        for (size_t i = 0; i < m.provenance.input_count; i++)
            report->bytes += m.provenance.inputs[i].bytes;
        for (uint32_t w = 0; w < m.vocabulary.count; w++)
            report->known_tokens += m.vocabulary.frequency[w];
        report->seconds = pv_now() - began;
    }
done:
    pv_counts_writer_free(writer);
    for (size_t i = 0; i < m.count; i++)
        psdvec_counts_close(m.inputs[i].counts);
    pv_scope_free(&m.memory);
    pv_vocabulary_free(&m.vocabulary);
    pv_provenance_free(&m.provenance);
    return status;
}

psdvec_status psdvec_counts_merge(psdvec_context *ctx, const char *const *paths, size_t path_count,
                                  const char *output, psdvec_count_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED_EACH(ctx, paths, path_count);
    PV_NEED(ctx, output);
    if (report)
        *report = (psdvec_count_report){0};
    if (path_count == 0)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "no counts files to merge");
    /* Verify the inputs, because the new file gets valid checksums even for damaged data. */
    return pv_counts_merge(ctx, paths, path_count, true, output, NULL, report);
}
