/* Reading counts files. Everything a later access relies on is checked when the file is opened,
 * except the columns of the rows, which are checked by psdvec_counts_verify and by code that reads
 * all rows. */
#include "count/counts_read.h"

#include "base/arguments.h"
#include "base/json.h"
#include "base/thread.h"
#include "base/trim.h"
#include "count/counts_write.h"
#include "count/held_out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

psdvec_status pv_counts_fail(psdvec_context *ctx, const psdvec_counts *c, const char *cause)
{
    return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "%s: the counts are damaged: %s; create the file again",
                   pv_st_path(c->file), cause);
}

static psdvec_status meta_number(const psdvec_counts *c, const char *key, uint64_t *value)
{
    const char *text = pv_st_meta(c->file, key);
    char *end = NULL;
    errno = 0;
    if (text && *text >= '0' && *text <= '9')
        *value = strtoull(text, &end, 10);
    if (!end || *end != '\0' || errno == ERANGE)
        return pv_fail(c->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the counts are damaged: \"%s\" is not a number; create the file again",
                       pv_st_path(c->file), key);
    return PSDVEC_OK;
}

static psdvec_status check_kind(const psdvec_counts *c)
{
    const char *path = pv_st_path(c->file);
    const char *format = pv_st_meta(c->file, "format");
    if (!format || strcmp(format, PV_COUNTS_FORMAT) != 0)
        return pv_fail(c->ctx, PSDVEC_ERR_FORMAT,
                       "%s: is a safetensors file, but not a counts file%s%s%s; make one with "
                       "psdvec count",
                       path, format ? " (its format is \"" : "", format ? format : "",
                       format ? "\")" : "");
    uint64_t version;
    PV_TRY(meta_number(c, "version", &version));
    if (version > PV_COUNTS_VERSION)
        return pv_fail(c->ctx, PSDVEC_ERR_VERSION,
                       "%s: was written in version %" PRIu64 " of the counts format, but this "
                       "program supports version %d; use a newer psdvec",
                       path, version, PV_COUNTS_VERSION);
    if (version < 1)
        return pv_counts_fail(c->ctx, c, "its version is 0");
    return PSDVEC_OK;
}

/* A failure at word i, in the form of pv_counts_fail. */
static psdvec_status fail_at(psdvec_context *ctx, const psdvec_counts *c, uint32_t i,
                             const char *cause)
{
    size_t length;
    const char *word = psdvec_counts_word(c, i, &length);
    return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the counts are damaged: %s (word %" PRIu32 ", '%s'); create the file again",
                   pv_st_path(c->file), cause, i + 1, pv_word_shown(word, length).text);
}

/* Words are distinct and not empty. The index is not kept: a merge has many files open. */
static psdvec_status check_words(const psdvec_counts *c)
{
    pv_word_index index;
    PV_TRY(pv_word_index_init(&index, c->ctx, c->info.words, c->bytes, c->offsets,
                              "the index of words"));
    psdvec_status status =
        pv_word_index_fill(&index, c->ctx, c->info.words, pv_st_path(c->file), "the counts are");
    pv_word_index_free(&index);
    return status;
}

/* What the numbers of each word must be, whatever the rows are. Rows and columns add up to the same
 * total. */
static psdvec_status check_numbers(psdvec_counts *c)
{
    uint64_t tokens = 0, focus = 0;
    for (uint32_t i = 0; i < c->info.words; i++) {
        if (__builtin_add_overflow(c->info.total, c->context_total[i], &c->info.total) ||
            __builtin_add_overflow(focus, c->focus_total[i], &focus))
            return fail_at(c->ctx, c, i, "the totals do not fit into 64 bits");
        if (__builtin_add_overflow(tokens, c->frequency[i], &tokens) || tokens > c->info.tokens)
            return fail_at(c->ctx, c, i,
                           "the frequencies add up to more than the words of the text");
        if (c->retention && !(c->retention[i] > 0 && c->retention[i] <= 1))
            return fail_at(c->ctx, c, i, "a factor of subsampling is not between 0 and 1");
    }
    if (focus != c->info.total)
        return pv_counts_fail(c->ctx, c, "the totals of rows and columns differ");
    return PSDVEC_OK;
}

static psdvec_status take_held_out(psdvec_counts *c)
{
    const pv_tensor *t;
    if (!pv_st_tensor(c->file, "held_out"))
        return PSDVEC_OK;
    PV_TRY(pv_st_require(c->ctx, c->file, "held_out", PV_DTYPE_U32, 1, (int64_t[]){-1}, &t));
    c->held_out = t->data;
    c->held_count = t->count;
    for (size_t k = 0; k < c->held_count; k++) {
        uint32_t word = c->held_out[k];
        if (word >= c->info.words && word != PV_HELD_UNKNOWN && word != PV_HELD_END)
            return pv_counts_fail(c->ctx, c, "a held-out word is not in the vocabulary");
        c->info.held_out += word != PV_HELD_END;
    }
    return PSDVEC_OK;
}

static psdvec_status take_phrases(psdvec_counts *c)
{
    const pv_tensor *t;
    if (!pv_st_tensor(c->file, PV_PHRASES_TENSOR))
        return PSDVEC_OK;
    PV_TRY(pv_st_require(c->ctx, c->file, PV_PHRASES_TENSOR, PV_DTYPE_U8, 1, (int64_t[]){-1}, &t));
    c->phrases = (pv_phrase_list){t->data, t->bytes};
    return pv_phrase_list_check(c->phrases, &c->info.phrases)
               ? PSDVEC_OK
               : pv_counts_fail(c->ctx, c, "the list of phrases is not as it was written");
}

static psdvec_status take_tensors(psdvec_counts *c)
{
    psdvec_context *ctx = c->ctx;
    const pv_tensor *t, *values = pv_st_tensor(c->file, "values");
    PV_TRY(pv_st_require(ctx, c->file, "offsets", PV_DTYPE_U64, 1, (int64_t[]){-1}, &t));
    if (t->count == 0 || t->count - 1 > UINT32_MAX - 2)
        return pv_counts_fail(c->ctx, c, "it has no words, or too many");
    c->info.words = (uint32_t)(t->count - 1);
    int64_t words = (int64_t)c->info.words, ends = words + 1;
    c->offsets = t->data;
    PV_TRY(pv_st_require(ctx, c->file, "words", PV_DTYPE_U8, 1, (int64_t[]){-1}, &t));
    c->bytes = t->data;
    if (!pv_offsets_ascend(c->offsets, c->info.words, t->bytes, 0))
        return pv_counts_fail(c->ctx, c, "the offsets of the words are not in ascending order");
    PV_TRY(pv_st_require(ctx, c->file, "indices", PV_DTYPE_U32, 1, (int64_t[]){-1}, &t));
    c->rows = (pv_csr){.rows = c->info.words, .columns = c->info.words, .column = t->data};
    c->info.bigrams = t->count;
    int64_t bigrams = (int64_t)t->count;
    PV_TRY(pv_st_require(ctx, c->file, "indptr", PV_DTYPE_U64, 1, &ends, &t));
    c->rows.begin = t->data;
    c->rows.end = c->rows.begin + 1;
    if (!pv_offsets_ascend(c->rows.begin, c->info.words, c->info.bigrams, 0))
        return pv_counts_fail(c->ctx, c, "the rows are not in ascending order");
    c->info.wide = values && values->dtype == PV_DTYPE_U64;
    PV_TRY(pv_st_require(ctx, c->file, "values", c->info.wide ? PV_DTYPE_U64 : PV_DTYPE_U32, 1,
                         &bigrams, &t));
    if (c->info.wide)
        c->rows.value64 = t->data;
    else
        c->rows.value32 = t->data;
    PV_TRY(pv_st_require(ctx, c->file, "counts", PV_DTYPE_U64, 1, &words, &t));
    c->frequency = t->data;
    PV_TRY(pv_st_require(ctx, c->file, "context_totals", PV_DTYPE_U64, 1, &words, &t));
    c->context_total = t->data;
    PV_TRY(pv_st_require(ctx, c->file, "focus_totals", PV_DTYPE_U64, 1, &words, &t));
    c->focus_total = t->data;
    if (pv_st_tensor(c->file, "keep")) {
        PV_TRY(pv_st_require(ctx, c->file, "keep", PV_DTYPE_F64, 1, &words, &t));
        c->retention = t->data;
    }
    PV_TRY(take_phrases(c));
    return take_held_out(c);
}

/* Callers print this JSON verbatim or write it into models, so it must be valid. */
static psdvec_status take_json(const psdvec_counts *c, const char *key, pv_json_type type,
                               const char **text)
{
    *text = pv_st_meta(c->file, key);
    if (*text && pv_json_is(*text, type))
        return PSDVEC_OK;
    return pv_fail(c->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the counts are damaged: \"%s\" %s; create the file again",
                   pv_st_path(c->file), key, *text ? "cannot be read" : "is missing");
}

static psdvec_status take_metadata(psdvec_counts *c)
{
    psdvec_counts_info *info = &c->info;
    uint64_t window;
    PV_TRY(meta_number(c, "scale", &info->scale));
    PV_TRY(meta_number(c, "tokens", &info->tokens));
    PV_TRY(meta_number(c, "documents", &info->documents));
    PV_TRY(meta_number(c, "window", &window));
    if (window > UINT32_MAX)
        return pv_counts_fail(c->ctx, c, "its window is too large");
    info->window = (uint32_t)window;
    if (info->scale == 0)
        return pv_counts_fail(c->ctx, c, "its scale is 0");
    PV_TRY(take_json(c, "settings", PV_JSON_OBJECT, &info->settings_json));
    PV_TRY(take_json(c, "vocabulary", PV_JSON_OBJECT, &info->vocabulary_json));
    PV_TRY(take_json(c, "inputs", PV_JSON_ARRAY, &info->inputs_json));
    info->written_by = pv_st_meta(c->file, "written_by");
    if (!info->written_by)
        info->written_by = "unknown";
    info->file_bytes = pv_st_bytes(c->file);
    return PSDVEC_OK;
}

psdvec_status pv_counts_open(psdvec_context *ctx, const char *path, psdvec_counts **out)
{
    *out = NULL;
    psdvec_counts *c = pv_alloc_zero(ctx, 1, sizeof *c, "the counts");
    if (!c)
        return pv_failure(ctx);
    c->ctx = pv_context_hold(ctx);
    atomic_init(&c->holders, 1);
    pthread_mutex_init(&c->lock, NULL);
    psdvec_status status;
    PV_TRY_DONE(pv_st_open(ctx, path, &c->file));
    pv_st_trim(c->file);
    PV_TRY_DONE(check_kind(c));
    PV_TRY_DONE(take_tensors(c));
    PV_TRY_DONE(take_metadata(c));
    PV_TRY_DONE(check_words(c));
    PV_TRY_DONE(check_numbers(c));
    *out = c;
    return PSDVEC_OK;
done:
    psdvec_counts_close(c);
    return status;
}

psdvec_status psdvec_counts_open(psdvec_context *ctx, const char *path, psdvec_counts **counts)
{
    PV_CLEAR(counts);
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    PV_NEED(ctx, path);
    return pv_counts_open(ctx, path, counts);
}

const psdvec_counts *pv_counts_hold(const psdvec_counts *counts)
{
    if (counts)
        atomic_fetch_add(&((psdvec_counts *)counts)->holders, 1);
    return counts;
}

void psdvec_counts_close(psdvec_counts *counts)
{
    if (!counts || atomic_fetch_sub(&counts->holders, 1) > 1)
        return;
    psdvec_context *ctx = counts->ctx;
    pv_word_index_free(&counts->index);
    pv_transposed_free(counts->columns);
    pv_st_close(counts->file);
    pthread_mutex_destroy(&counts->lock);
    pv_free(ctx, counts);
    pv_context_release(ctx);
}

bool pv_counts_looks_like(const char *path)
{
    struct stat info;
    FILE *file;
    unsigned char start[9];
    /* A FIFO would wait for a writer, and lose what is read here. */
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || !(file = fopen(path, "rb")))
        return false;
    bool is = fread(start, 1, 9, file) == 9 && start[8] == '{' && start[7] == 0 && start[6] == 0;
    (void)fclose(file);
    return is;
}

enum { rows_a_task = 1024 };

typedef struct verify_job {
    psdvec_context *ctx;
    const psdvec_counts *counts;
    _Atomic uint64_t *column_sum; /* words */
} verify_job;

static psdvec_status verify_row(const verify_job *job, uint32_t i)
{
    const psdvec_counts *c = job->counts;
    uint64_t sum = 0;
    psdvec_row row;
    psdvec_counts_row(c, i, &row);
    for (size_t k = 0; k < row.length; k++) {
        PV_HOLDS(row.values32 || row.values64); /* every counts file has values */
        uint64_t value = psdvec_row_value(&row, k);
        if (row.focus[k] >= c->info.words || (k > 0 && row.focus[k] <= row.focus[k - 1]))
            return fail_at(job->ctx, c, i, "the columns of a row are not in ascending order");
        if (value == 0)
            return fail_at(job->ctx, c, i, "a row has a pair with the count 0");
        if (__builtin_add_overflow(sum, value, &sum))
            return fail_at(job->ctx, c, i, "the sum of a row does not fit into 64 bits");
        atomic_fetch_add_explicit(&job->column_sum[row.focus[k]], value, memory_order_relaxed);
    }
    if (sum != c->context_total[i])
        return fail_at(job->ctx, c, i, "a row does not add up to its total");
    return PSDVEC_OK;
}

static psdvec_status verify_rows(void *arg, size_t task, int worker)
{
    const verify_job *job = arg;
    uint32_t words = job->counts->info.words, first = (uint32_t)task * rows_a_task;
    (void)worker;
    uint32_t end = words - first < rows_a_task ? words : first + rows_a_task;
    for (uint32_t i = first; i < end; i++) {
        PV_TRY(verify_row(job, i));
        pv_trim(job->ctx);
    }
    return pv_trim_and_check(job->ctx);
}

psdvec_status pv_counts_verify_rows(psdvec_context *ctx, const psdvec_counts *c)
{
    verify_job job = {ctx, c, NULL};
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the sums of columns"};
    PV_TAKE_ZERO(&scope, job.column_sum, c->info.words);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_parallel_tasks(ctx, ((size_t)c->info.words + rows_a_task - 1) / rows_a_task,
                                  verify_rows, &job));
    for (uint32_t i = 0; i < c->info.words && status == PSDVEC_OK; i++)
        if (atomic_load_explicit(&job.column_sum[i], memory_order_relaxed) != c->focus_total[i])
            status = fail_at(ctx, c, i, "a column does not add up to its total");
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status psdvec_counts_check_rows(psdvec_context *ctx, const psdvec_counts *counts)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    return pv_counts_verify_rows(ctx, counts);
}

psdvec_status psdvec_counts_verify(psdvec_context *ctx, const psdvec_counts *counts)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    PV_TRY(pv_st_verify(ctx, counts->file));
    return pv_counts_verify_rows(ctx, counts);
}

psdvec_status pv_counts_open_sound(psdvec_context *ctx, const char *path, psdvec_counts **out)
{
    PV_TRY(pv_counts_open(ctx, path, out));
    psdvec_status status = pv_st_verify_if_any(ctx, (*out)->file);
    if (status == PSDVEC_OK)
        status = pv_counts_verify_rows(ctx, *out);
    if (status != PSDVEC_OK) {
        psdvec_counts_close(*out);
        *out = NULL;
    }
    return status;
}

psdvec_status pv_counts_measure_columns(psdvec_context *ctx, psdvec_counts *counts)
{
    PV_TRY(pv_transposed_measure(ctx, &counts->rows, &counts->columns));
    counts->rows.transposed = counts->columns;
    return PSDVEC_OK;
}

psdvec_status pv_counts_transpose(psdvec_counts *counts, const char *folder)
{
    return pv_transposed_write(counts->columns, &counts->rows, folder);
}

/* ---- Getters: indices are checked ------------------------------------ */

static bool has_word(const psdvec_counts *c, uint32_t i)
{
    return c && i < c->info.words;
}

const psdvec_counts_info *psdvec_counts_get_info(const psdvec_counts *counts)
{
    return counts ? &counts->info : NULL;
}

const char *psdvec_counts_word(const psdvec_counts *counts, uint32_t i, size_t *length)
{
    bool there = has_word(counts, i);
    if (length)
        *length = there ? (size_t)(counts->offsets[i + 1] - counts->offsets[i]) : 0;
    return there ? counts->bytes + counts->offsets[i] : NULL;
}

bool psdvec_counts_find(const psdvec_counts *counts, const char *word, size_t length, uint32_t *i)
{
    psdvec_counts *c = (psdvec_counts *)counts; /* the index is a cache */
    if (!c || !word || !i)
        return false;
    /* Built once, at the first search. A failure is not recorded, because another thread may be
     * using the context of the file. */
    pthread_mutex_lock(&c->lock);
    if (!c->indexed && pv_word_index_init(&c->index, c->ctx, c->info.words, c->bytes, c->offsets,
                                          NULL) == PSDVEC_OK) {
        pv_word_index_add_all(&c->index, c->info.words);
        c->indexed = true;
    }
    bool indexed = c->indexed;
    pthread_mutex_unlock(&c->lock);
    if (indexed)
        return pv_word_index_find(&c->index, word, length, i);
    for (uint32_t k = 0; k < c->info.words; k++) { /* out of memory: linear search */
        size_t other;
        const char *text = psdvec_counts_word(c, k, &other);
        if (text && other == length && memcmp(text, word, length) == 0) {
            *i = k;
            return true;
        }
    }
    return false;
}

uint64_t psdvec_counts_frequency(const psdvec_counts *counts, uint32_t i)
{
    return has_word(counts, i) ? counts->frequency[i] : 0;
}

uint64_t psdvec_counts_context_total(const psdvec_counts *counts, uint32_t i)
{
    return has_word(counts, i) ? counts->context_total[i] : 0;
}

uint64_t psdvec_counts_focus_total(const psdvec_counts *counts, uint32_t i)
{
    return has_word(counts, i) ? counts->focus_total[i] : 0;
}

double psdvec_counts_retention(const psdvec_counts *counts, uint32_t i)
{
    if (!has_word(counts, i))
        return (double)NAN;
    return counts->retention ? counts->retention[i] : 1.0;
}

void psdvec_counts_row(const psdvec_counts *counts, uint32_t i, psdvec_row *row)
{
    if (row)
        *row = has_word(counts, i) ? pv_counts_row_of(&counts->rows, i) : (psdvec_row){0};
}

uint64_t psdvec_counts_get(const psdvec_counts *counts, uint32_t context, uint32_t focus)
{
    psdvec_row row;
    psdvec_counts_row(counts, context, &row);
    size_t at = pv_lower_bound(row.focus, row.length, focus);
    if (at == row.length || row.focus[at] != focus)
        return 0;
    PV_HOLDS(row.values32 || row.values64); /* every counts file has values */
    return psdvec_row_value(&row, at);
}
