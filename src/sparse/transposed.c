/* Columns in a temporary file. */
#include "sparse/transposed.h"

#include "base/platform.h"
#include "base/thread.h"
#include "base/trim.h"
#include "sparse/columns.h"
#include "util/c_locale.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* An entry of the file. */
typedef struct entry {
    uint32_t row;
    uint32_t value; /* 0: it is in `values` */
} entry;

typedef struct pv_wide_value {
    uint64_t entry, value;
} wide_value;

enum { chunk_entries = 8192, least_room = 1 << 16 };

uint64_t pv_transposed_file_bytes(uint64_t entries)
{
    return entries * sizeof(entry);
}

uint64_t pv_transposed_bytes(uint64_t columns, uint64_t total, int threads)
{
    /* The list of values grows by doubling, during which both copies exist. */
    return sizeof(pv_transposed) + (columns + 1) * (sizeof(uint64_t) + sizeof(uint32_t)) +
           3 * ((total >> 32) + 16) * sizeof(wide_value) +
           (uint64_t)threads * chunk_entries * sizeof(entry);
}

/* ---- Writing ------------------------------------------------------------------------------ */
typedef struct write_job {
    const pv_csr *matrix;
    pv_transposed *to;
    uint32_t *edges; /* tasks + 1: columns */
} write_job;

static int by_entry(const void *a, const void *b)
{
    const wide_value *x = a, *y = b;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static psdvec_status add_value(pv_transposed *t, uint64_t at, uint64_t value)
{
    pthread_mutex_lock(&t->lock);
    psdvec_status status = PV_RESERVE(&t->memory, t->values, t->value_capacity, t->value_count + 1);
    if (status == PSDVEC_OK)
        t->values[t->value_count++] = (wide_value){at, value};
    pthread_mutex_unlock(&t->lock);
    return status;
}

static psdvec_status measure_columns(const pv_csr *matrix, pv_transposed *t)
{
    int workers = psdvec_threads(t->ctx);
    uint32_t *entries = pv_alloc_zero(t->ctx, (size_t)workers * matrix->columns, sizeof *entries,
                                      "the lengths of columns");
    if (!entries)
        return pv_failure(t->ctx);
    psdvec_status status = pv_count_columns(t->ctx, matrix, 0, matrix->columns, entries);
    for (int w = 0; w < workers; w++)
        for (uint32_t j = 0; j < matrix->columns; j++)
            t->length[j] += entries[(size_t)w * matrix->columns + j];
    pv_free(t->ctx, entries);
    return status;
}

/* Whether a column is in the file, once begin has offsets. */
static bool has_column(const pv_transposed *t, uint32_t j)
{
    return t->begin[j + 1] - t->begin[j] == t->length[j];
}

/* Number of tasks, which gather one after the other or as many at a time as there are threads. An
 * eighth of the memory is left for pages of the counts. */
static uint32_t count_tasks(const pv_transposed *t, uint64_t longest)
{
    uint64_t threads = (uint64_t)psdvec_threads(t->ctx), entries = t->begin[t->columns];
    uint64_t room = pv_memory_left(t->ctx) / 8 * 7 / threads;
    uint64_t besides = longest * sizeof(entry) + t->columns * sizeof(uint64_t);
    room = pv_larger(room > besides ? room - besides : 0, least_room);
    uint64_t tasks = pv_larger(entries * sizeof(entry) / room + 1, threads);
    return (uint32_t)(tasks < t->columns ? tasks : pv_larger(t->columns, 1));
}

static const uint64_t not_selected = UINT64_MAX;

static psdvec_status gather_rows(const write_job *job, uint32_t first, uint32_t end, uint64_t *next,
                                 entry *entries)
{
    const pv_csr *matrix = job->matrix;
    pv_transposed *t = job->to;
    for (uint32_t i = 0; i < matrix->rows; i++) {
        uint64_t k = matrix->begin[i], row_end = matrix->end[i];
        if (first > 0)
            k += pv_lower_bound(matrix->column + k, row_end - k, first);
        for (; k < row_end && matrix->column[k] < end; k++) {
            uint32_t j = matrix->column[k];
            if (next[j - first] == not_selected)
                continue;
            uint64_t at = next[j - first]++;
            uint64_t value = matrix->value32 ? matrix->value32[k] : matrix->value64[k];
            bool fits = value > 0 && value <= UINT32_MAX;
            entries[at] = (entry){i, fits ? (uint32_t)value : 0};
            if (PV_UNLIKELY(!fits))
                PV_TRY(add_value(t, t->begin[first] + at, value));
        }
        pv_trim(t->ctx);
        if (i % 64 == 0)
            PV_TRY(pv_check_cancel(t->ctx));
    }
    return PSDVEC_OK;
}

static psdvec_status write_columns(void *arg, size_t task, int worker)
{
    const write_job *job = arg;
    pv_transposed *t = job->to;
    uint32_t first = job->edges[task], end = job->edges[task + 1];
    uint64_t from = t->begin[first], count = t->begin[end] - from, *next;
    pv_scope scope = {.ctx = t->ctx, .what = "the columns of the counts"};
    entry *entries;
    psdvec_status status;
    (void)worker;
    if (count == 0)
        return PSDVEC_OK;
    PV_TAKE(&scope, next, end - first);
    PV_TAKE(&scope, entries, count);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t j = first; j < end; j++)
        next[j - first] = has_column(t, j) ? t->begin[j] - from : not_selected;
    PV_TRY_DONE(gather_rows(job, first, end, next, entries));
    status = pv_write_all_at(t->ctx, t->fd, t->label, from * sizeof *entries, entries,
                             count * sizeof *entries);
done:
    pv_scope_free(&scope);
    return status;
}

/* The space is reserved now, so that a full disk is found before the work. */
static psdvec_status open_file(pv_transposed *t, const char *folder)
{
    psdvec_context *ctx = t->ctx;
    uint64_t bytes = pv_transposed_file_bytes(t->begin[t->columns]);
    if (ctx->tempdir)
        folder = ctx->tempdir;
    if (pv_asprintf(&t->label, "%s: temporary file", folder) < 0) {
        t->label = NULL;
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "no memory for a path");
    }
    uint64_t space = pv_free_space(folder);
    if (bytes > space)
        return pv_fail(ctx, PSDVEC_ERR_DISK_FULL,
                       "%s: the columns of the counts need a temporary file of %.1f MiB there, but "
                       "only %.1f MiB are free; choose another folder for it or raise the limit "
                       "(`memory`)",
                       folder, (double)bytes / 1048576.0, (double)space / 1048576.0);
    PV_TRY(pv_temp_open(ctx, folder, &t->fd));
    int error = bytes > 0 ? pv_file_reserve(t->fd, bytes) : 0;
    return error == 0 ? PSDVEC_OK
                      : pv_fail_errno(ctx, PSDVEC_ERR_WRITE,
                                      "cannot allocate space for the columns of the counts", folder,
                                      error);
}

psdvec_status pv_transposed_measure(psdvec_context *ctx, const pv_csr *matrix, pv_transposed **out)
{
    pv_transposed *t = *out = pv_alloc_zero(ctx, 1, sizeof *t, "the columns of the counts");
    if (!t)
        return pv_failure(ctx);
    t->ctx = ctx;
    t->memory = (pv_scope){.ctx = ctx, .what = "the columns of the counts"};
    t->fd = -1;
    t->rows = matrix->rows;
    t->columns = matrix->columns;
    pthread_mutex_init(&t->lock, NULL);
    pv_trim_strictly(ctx, true);
    PV_TAKE_ZERO(&t->memory, t->length, t->columns);
    PV_TAKE_ZERO(&t->memory, t->begin, (size_t)t->columns + 1);
    PV_TRY(pv_scope_status(&t->memory));
    return measure_columns(matrix, t);
}

void pv_transposed_select(pv_transposed *t, uint32_t first, uint32_t end)
{
    for (uint32_t j = first; j < end; j++)
        t->begin[j + 1] = t->length[j];
}

uint64_t pv_transposed_entries(const pv_transposed *t)
{
    if (t->fd >= 0)
        return t->begin[t->columns];
    uint64_t sum = 0;
    for (uint32_t j = 0; j < t->columns; j++)
        sum += t->begin[j + 1];
    return sum;
}

psdvec_status pv_transposed_write(pv_transposed *t, const pv_csr *matrix, const char *folder)
{
    psdvec_context *ctx = t->ctx;
    write_job job = {.matrix = matrix, .to = t};
    uint64_t longest = 0;
    for (uint32_t j = 0; j < t->columns; j++) {
        longest = pv_larger(longest, t->begin[j + 1]);
        t->begin[j + 1] += t->begin[j];
    }
    PV_TRY(open_file(t, folder));
    uint32_t tasks = count_tasks(t, longest);
    job.edges = pv_alloc(ctx, (size_t)tasks + 1, sizeof *job.edges, "the columns of the counts");
    if (!job.edges)
        return pv_failure(ctx);
    pv_divide_rows(t->begin, t->columns, 0, tasks, job.edges);
    psdvec_status status = pv_parallel_tasks(ctx, tasks, write_columns, &job);
    if (t->value_count > 0)
        qsort(t->values, t->value_count, sizeof *t->values, by_entry);
    pv_free(ctx, job.edges);
    return status;
}

void pv_transposed_free(pv_transposed *t)
{
    if (!t)
        return;
    if (t->fd >= 0)
        close(t->fd);
    free(t->label);
    pthread_mutex_destroy(&t->lock);
    pv_trim_strictly(t->ctx, false);
    pv_scope_free(&t->memory);
    pv_free(t->ctx, t);
}

/* ---- Reading ------------------------------------------------------------------------------ */
static uint64_t value_of(const pv_transposed *t, uint64_t at)
{
    size_t from = 0, count = t->value_count;
    while (count > 0) {
        size_t half = count / 2;
        if (t->values[from + half].entry < at) {
            from += half + 1;
            count -= half + 1;
        } else
            count = half;
    }
    return t->values[from].value;
}

/* The first of these entries of one column whose row is at least `row`. */
static size_t find_row(const entry *entries, size_t count, uint32_t row)
{
    size_t from = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (entries[from + half].row < row) {
            from += half + 1;
            count -= half + 1;
        } else
            count = half;
    }
    return from;
}

typedef struct reader {
    const pv_transposed *from;
    uint32_t first, end, first_row, end_row;
    entry *chunk;
    pv_gathered *out;
} reader;

static void take_entries(const reader *r, const entry *entries, size_t count, uint64_t at,
                         size_t to)
{
    for (size_t k = 0; k < count; k++)
        r->out->row[to + k] = entries[k].row;
    for (size_t k = 0; r->out->value && k < count; k++)
        r->out->value[to + k] = entries[k].value ? entries[k].value : value_of(r->from, at + k);
}

/* Reads the entries. Counts those in the wanted rows of column j in begin[j + 1]; with `fill`,
 * copies them. */
static psdvec_status read_entries(const reader *r, bool fill)
{
    const pv_transposed *t = r->from;
    uint32_t j = r->first;
    size_t to = 0;
    for (uint64_t at = t->begin[r->first], last = t->begin[r->end]; at < last;) {
        size_t count = last - at < chunk_entries ? (size_t)(last - at) : chunk_entries;
        PV_TRY(pv_read_all_at(t->ctx, t->fd, t->label, at * sizeof *r->chunk, r->chunk,
                              count * sizeof *r->chunk));
        for (size_t k = 0; k < count;) {
            while (t->begin[j + 1] <= at + k)
                j++;
            size_t some = t->begin[j + 1] - at < count ? (size_t)(t->begin[j + 1] - at) - k
                                                       : count - k;
            size_t low = find_row(r->chunk + k, some, r->first_row);
            size_t high = r->end_row < t->rows ? find_row(r->chunk + k, some, r->end_row) : some;
            if (low < high && fill)
                take_entries(r, r->chunk + k + low, high - low, at + k + low, to);
            if (low < high) {
                to += high - low;
                if (!fill)
                    r->out->begin[j - r->first + 1] += high - low;
            }
            k += some;
        }
        at += count;
    }
    return PSDVEC_OK;
}

psdvec_status pv_transposed_read(psdvec_context *ctx, const pv_transposed *t, uint32_t first,
                                 uint32_t end, uint32_t first_row, uint32_t end_row, bool valued,
                                 pv_gathered *out)
{
    uint32_t width = end - first;
    bool there = t->fd >= 0;
    for (uint32_t j = first; j < end; j++)
        there = there && has_column(t, j);
    *out = (pv_gathered){.memory = {.ctx = ctx, .what = "a block of columns"}};
    reader r = {t, first, end, first_row, end_row, NULL, out};
    if (!there)
        return pv_fail(ctx, PSDVEC_ERR_INTERNAL,
                       "columns %" PRIu32 " to %" PRIu32 " of the counts are not all in the file",
                       first, end - 1);
    PV_TAKE_ZERO(&out->memory, out->begin, (size_t)width + 1);
    PV_TAKE(&out->memory, r.chunk, chunk_entries);
    PV_TRY(pv_scope_status(&out->memory));
    if (first_row > 0 || end_row < t->rows) {
        PV_TRY(read_entries(&r, false));
        for (uint32_t j = 0; j < width; j++)
            out->begin[j + 1] += out->begin[j];
    } else
        for (uint32_t j = 0; j < width; j++)
            out->begin[j + 1] = (size_t)(t->begin[first + j + 1] - t->begin[first]);
    PV_TAKE(&out->memory, out->row, out->begin[width]);
    if (valued)
        PV_TAKE(&out->memory, out->value, out->begin[width]);
    PV_TRY(pv_scope_status(&out->memory));
    PV_TRY(read_entries(&r, true));
    pv_scope_drop(&out->memory, r.chunk);
    return PSDVEC_OK;
}
