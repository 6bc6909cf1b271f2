/* The counts file's writer. */
#include "count/counts_write.h"

#include "base/safetensors_write.h"
#include "base/thread.h"
#include "util/number.h"

#include <stdlib.h>

enum { COPY_BLOCK = 64 << 10 }; /* values copied at a time */

/* A value that does not fit 32 bits: its position and its upper half. */
typedef struct wide_value {
    uint64_t place;
    uint32_t upper;
} wide_value;

const char *const pv_counts_names[] = {
    "format",       "version",  "written_by",      "settings", "vocabulary", "inputs",
    "scale",        "tokens",   "documents",       "window",   "words",      "offsets",
    "counts",       "indptr",   "indices",         "values",   "keep",       "context_totals",
    "focus_totals", "held_out", PV_PHRASES_TENSOR, NULL};

struct pv_counts_writer {
    psdvec_context *ctx;
    pv_scope memory;
    const pv_vocabulary *vocabulary;
    pv_provenance *provenance;
    const double *retention;
    uint64_t divisor;
    char *folder;
    pv_output *output;
    pv_st_writer *file;
    pv_spool *values; /* lower halves, u32 */
    wide_value *wide;
    size_t wide_count, wide_capacity;
    uint64_t *row_end; /* words + 1 */
    uint64_t *context_total, *focus_total;
    uint64_t entries, total;
    uint32_t rows_done;
    const pv_buffer *held_out; /* or NULL */
    /* Copying the values from the spool to the file: blocks are fetched and reserved in order,
     * under the lock, and written by all workers in parallel. */
    pthread_mutex_t lock;
    uint64_t next; /* the next value */
    size_t next_wide;
};

static psdvec_status begin_file(pv_counts_writer *w)
{
    pv_provenance *p = w->provenance;
    pv_buffer inputs = {.ctx = w->ctx};
    psdvec_status status;
    const uint64_t numbers[] = {PV_COUNTS_VERSION, p->scale, p->tokens, p->documents, p->window};
    char text[5][24];
    PV_TRY_DONE(pv_provenance_inputs_json(p, &inputs));
    PV_TRY_DONE(pv_buffer_byte(&inputs, '\0'));
    for (size_t i = 0; i < 5; i++)
        *pv_digits_write(text[i], numbers[i]) = '\0';
    const pv_st_pair metadata[] = {
        {"format", PV_COUNTS_FORMAT},
        {"version", text[0]},
        {"written_by", "psdvec " PSDVEC_VERSION},
        {"settings", p->settings},
        {"vocabulary", p->vocabulary},
        {"inputs", inputs.data},
        {"scale", text[1]},
        {"tokens", text[2]},
        {"documents", text[3]},
        {"window", text[4]},
    };
    size_t tensors = 10 + (p->phrases.length > 0);
    PV_TRY_DONE(pv_st_writer_begin(w->ctx, pv_st_output_sink(w->output), tensors, metadata,
                                   sizeof metadata / sizeof metadata[0], 64, &w->file));
    PV_TRY_DONE(pv_st_writer_start(w->file, "indices", PV_DTYPE_U32));
done:
    pv_buffer_free(&inputs);
    return status;
}

psdvec_status pv_counts_writer_open(psdvec_context *ctx, const char *path, pv_counts_writer **out)
{
    pv_counts_writer *w = *out = pv_alloc_zero(ctx, 1, sizeof *w, "the counts file");
    if (!w)
        return pv_failure(ctx);
    w->ctx = ctx;
    w->memory = (pv_scope){.ctx = ctx, .what = "the margins"};
    pthread_mutex_init(&w->lock, NULL);
    w->folder = pv_folder_of(path);
    if (!w->folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", path);
    return pv_output_open(ctx, path, &w->output);
}

const char *pv_counts_writer_folder(const pv_counts_writer *w)
{
    return w->folder;
}

void pv_counts_writer_free(pv_counts_writer *w)
{
    if (!w)
        return;
    pv_st_writer_free(w->file);
    pv_output_discard(w->output);
    pv_spool_free(w->values);
    pv_scope_free(&w->memory);
    free(w->folder);
    pthread_mutex_destroy(&w->lock);
    pv_free(w->ctx, w);
}

/* Packs the lower halves of the values. */
static psdvec_status pack_values(void *self, pv_rows *rows)
{
    const pv_counts_writer *w = self;
    for (size_t i = 0; w->divisor > 1 && i < rows->used; i++)
        rows->values[i] /= w->divisor;
    PV_TRY(pv_buffer_reserve(&rows->packed, rows->used * sizeof(uint32_t)));
    uint32_t *halves = (uint32_t *)(void *)rows->packed.data;
    for (size_t i = 0; i < rows->used; i++)
        halves[i] = (uint32_t)rows->values[i];
    rows->packed.length = rows->used * sizeof *halves;
    return PSDVEC_OK;
}

static psdvec_status take_rows(void *self, size_t group, pv_rows *rows)
{
    (void)group;
    pv_counts_writer *w = self;
    size_t at = 0;
    for (uint32_t r = 0; r < rows->count; r++) {
        uint64_t sum = 0;
        for (size_t end = at + rows->lengths[r]; at < end; at++) {
            uint64_t value = rows->values[at];
            sum += value; /* cannot wrap unless the total does, and that is checked */
            w->focus_total[rows->columns[at]] += value;
            if (PV_UNLIKELY(value >> 32)) {
                PV_TRY(PV_RESERVE(&w->memory, w->wide, w->wide_capacity, w->wide_count + 1));
                w->wide[w->wide_count++] =
                    (wide_value){.place = w->entries + at, .upper = (uint32_t)(value >> 32)};
            }
        }
        w->context_total[rows->first + r] = sum;
        w->row_end[rows->first + r + 1] = w->entries + at;
        if (__builtin_add_overflow(w->total, sum, &w->total))
            return pv_fail(w->ctx, PSDVEC_ERR_OVERFLOW,
                           "the sum of the counts does not fit into 64 bits; use a smaller window "
                           "or uniform weights");
    }
    w->rows_done = rows->first + rows->count;
    w->entries += rows->used;
    PV_TRY(pv_st_writer_reserve(w->file, rows->columns, rows->used * sizeof *rows->columns,
                                &rows->place));
    return pv_spool_append(w->values, rows->packed.data, rows->packed.length, NULL);
}

static psdvec_status write_columns(void *self, const pv_rows *rows)
{
    pv_counts_writer *w = self;
    return pv_output_write_at(w->output, rows->place, rows->columns,
                              rows->used * sizeof *rows->columns);
}

psdvec_status pv_counts_writer_begin(pv_counts_writer *w, const pv_vocabulary *vocabulary,
                                     pv_provenance *provenance, const double *retention,
                                     uint64_t divisor, pv_row_sink *sink)
{
    w->vocabulary = vocabulary;
    w->provenance = provenance;
    w->retention = retention;
    w->divisor = divisor;
    *sink = (pv_row_sink){
        .prepare = pack_values, .take = take_rows, .finish = write_columns, .self = w};
    PV_TAKE_ZERO(&w->memory, w->row_end, (size_t)vocabulary->count + 1);
    PV_TAKE_ZERO(&w->memory, w->context_total, vocabulary->count);
    PV_TAKE_ZERO(&w->memory, w->focus_total, vocabulary->count);
    PV_TRY(pv_scope_status(&w->memory));
    PV_TRY(pv_spool_new(w->ctx, w->folder, "the list of counts", w->ctx->options.memory / 8,
                        &w->values));
    return begin_file(w);
}

/* Fetches the next block into `narrow`, widened into `wide` if it is not NULL. */
static psdvec_status fetch_values(pv_counts_writer *w, uint32_t *narrow, uint64_t *wide,
                                  uint64_t *offset, size_t *bytes)
{
    uint64_t at = w->next, left = w->entries - at;
    size_t count = left < COPY_BLOCK ? (size_t)left : COPY_BLOCK;
    w->next += count;
    *bytes = count * (wide ? sizeof *wide : sizeof *narrow);
    if (count == 0)
        return PSDVEC_OK;
    PV_TRY(pv_spool_read(w->values, at * sizeof *narrow, narrow, count * sizeof *narrow));
    if (wide) {
        for (size_t i = 0; i < count; i++)
            wide[i] = narrow[i];
        for (; w->next_wide < w->wide_count; w->next_wide++) {
            const wide_value *v = &w->wide[w->next_wide];
            if (v->place >= at + count)
                break;
            wide[v->place - at] |= (uint64_t)v->upper << 32;
        }
    }
    return pv_st_writer_reserve(w->file, wide ? (void *)wide : narrow, *bytes, offset);
}

static psdvec_status copy_values(void *opaque, int worker)
{
    (void)worker;
    pv_counts_writer *w = opaque;
    psdvec_status status = PSDVEC_OK;
    pv_scope scope = {.ctx = w->ctx, .what = "copying counts"};
    uint32_t *narrow;
    uint64_t *wide = NULL;
    PV_TAKE(&scope, narrow, COPY_BLOCK);
    if (w->wide_count)
        PV_TAKE(&scope, wide, COPY_BLOCK);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t bytes = 1; bytes > 0 && status == PSDVEC_OK;) {
        uint64_t offset;
        PV_TRY_DONE(pv_check_cancel(w->ctx));
        pthread_mutex_lock(&w->lock);
        status = fetch_values(w, narrow, wide, &offset, &bytes);
        pthread_mutex_unlock(&w->lock);
        if (status == PSDVEC_OK && bytes > 0)
            status = pv_output_write_at(w->output, offset, wide ? (void *)wide : narrow, bytes);
    }
done:
    pv_scope_free(&scope);
    return status;
}

void pv_counts_writer_hold_out(pv_counts_writer *w, const pv_buffer *words)
{
    w->held_out = words;
}

psdvec_status pv_counts_writer_finish(pv_counts_writer *w, uint64_t *bigrams)
{
    const pv_vocabulary *v = w->vocabulary;
    for (uint32_t r = w->rows_done; r < v->count; r++)
        w->row_end[r + 1] = w->entries;
    uint64_t words = v->count, ends = words + 1, bytes = v->offsets[words];
    PV_TRY(pv_st_writer_stop(w->file, 1, &w->entries));
    PV_TRY(pv_output_expect(w->output, w->entries * (w->wide_count ? 8 : 4) + words * 48 + bytes));
    PV_TRY(pv_st_writer_start(w->file, "values", w->wide_count ? PV_DTYPE_U64 : PV_DTYPE_U32));
    PV_TRY(pv_parallel(w->ctx, copy_values, w));
    PV_TRY(pv_st_writer_stop(w->file, 1, &w->entries));
    PV_TRY(pv_st_writer_tensor(w->file, "indptr", PV_DTYPE_U64, 1, &ends, w->row_end));
    PV_TRY(pv_st_writer_tensor(w->file, "words", PV_DTYPE_U8, 1, &bytes, v->bytes));
    PV_TRY(pv_st_writer_tensor(w->file, "offsets", PV_DTYPE_U64, 1, &ends, v->offsets));
    PV_TRY(pv_st_writer_tensor(w->file, "counts", PV_DTYPE_U64, 1, &words, v->frequency));
    PV_TRY(
        pv_st_writer_tensor(w->file, "context_totals", PV_DTYPE_U64, 1, &words, w->context_total));
    PV_TRY(pv_st_writer_tensor(w->file, "focus_totals", PV_DTYPE_U64, 1, &words, w->focus_total));
    if (w->retention)
        PV_TRY(pv_st_writer_tensor(w->file, "keep", PV_DTYPE_F64, 1, &words, w->retention));
    if (w->held_out && w->held_out->length) {
        uint64_t held = w->held_out->length / sizeof(uint32_t);
        PV_TRY(pv_st_writer_tensor(w->file, "held_out", PV_DTYPE_U32, 1, &held, w->held_out->data));
    }
    pv_phrase_list phrases = w->provenance->phrases;
    if (phrases.length)
        PV_TRY(pv_st_writer_tensor(w->file, PV_PHRASES_TENSOR, PV_DTYPE_U8, 1,
                                   (uint64_t[]){phrases.length}, phrases.lines));
    *bigrams = w->entries;
    PV_TRY(pv_st_writer_end(w->file, NULL));
    PV_TRY(pv_check_cancel(w->ctx));
    pv_output *output = w->output;
    w->output = NULL;
    return pv_output_commit(output);
}
