/* Checking, partitioning and storing the rows of sparse matrices. */
#include "sparse/csr.h"

#include "base/thread.h"
#include "base/trim.h"

#include <stdlib.h>
#include <string.h>

bool pv_offsets_ascend(const uint64_t *offsets, uint64_t count, uint64_t last, unsigned step)
{
    bool fine = offsets[0] == 0 && offsets[count] == last;
    for (uint64_t i = 0; i < count; i++)
        fine &= offsets[i] <= offsets[i + 1] && offsets[i + 1] - offsets[i] >= step;
    return fine;
}

enum { check_rows = 1024 };

typedef struct column_job {
    psdvec_context *ctx;
    const pv_csr *matrix;
    atomic_bool wrong;
} column_job;

static psdvec_status check_columns(void *arg, size_t task, int worker)
{
    (void)worker;
    column_job *job = arg;
    const pv_csr *m = job->matrix;
    uint64_t end = ((uint64_t)task + 1) * check_rows;
    bool fine = true;
    for (uint64_t i = end - check_rows; i < end && i < m->rows; i++) {
        uint64_t first = m->begin[i], last = m->begin[i + 1];
        for (uint64_t k = first + 1; k < last; k++)
            fine &= m->column[k - 1] < m->column[k];
        fine &= first == last || m->column[last - 1] < m->columns;
        pv_trim(job->ctx);
    }
    if (!fine)
        atomic_store(&job->wrong, true);
    return PSDVEC_OK;
}

psdvec_status pv_csr_check_columns(psdvec_context *ctx, const pv_csr *m, bool *fine)
{
    column_job job = {.ctx = ctx, .matrix = m};
    atomic_init(&job.wrong, false);
    PV_TRY(pv_parallel_tasks(ctx, ((size_t)m->rows + check_rows - 1) / check_rows, check_columns,
                             &job));
    *fine = !atomic_load(&job.wrong);
    return PSDVEC_OK;
}

void pv_divide_rows(const uint64_t *begin, uint32_t rows, uint32_t row_cost, uint32_t tasks,
                    uint32_t *edges)
{
    double total = (double)(begin[rows] + (uint64_t)row_cost * rows);
    uint32_t i = 0;
    for (uint32_t t = 0; t < tasks; t++) {
        uint64_t goal = (uint64_t)(total * t / tasks);
        while (i < rows && begin[i] + (uint64_t)row_cost * i < goal)
            i++;
        edges[t] = i;
    }
    edges[tasks] = rows;
}

psdvec_status pv_csr_store_open(psdvec_context *ctx, uint32_t rows, uint32_t columns,
                                const char *what, pv_csr_store *store)
{
    *store = (pv_csr_store){.ctx = ctx, .what = what, .rows = rows, .columns = columns};
    store->begin = pv_alloc_zero(ctx, (size_t)rows + 1, sizeof *store->begin, what);
    return store->begin ? PSDVEC_OK : pv_failure(ctx);
}

uint64_t pv_csr_bytes(uint64_t entries)
{
    return entries * (sizeof(uint32_t) + sizeof(float));
}

psdvec_status pv_csr_store_allocate(pv_csr_store *store, const char *folder, bool spill)
{
    uint64_t entries = store->begin[store->rows];
    PV_TRY(pv_large_alloc(store->ctx, entries, sizeof *store->column, folder, spill, store->what,
                          &store->column_memory));
    PV_TRY(pv_large_alloc(store->ctx, entries, sizeof *store->value, folder, spill, store->what,
                          &store->value_memory));
    store->column = store->column_memory.data;
    store->value = store->value_memory.data;
    return PSDVEC_OK;
}

psdvec_status pv_csr_store_reserve(pv_csr_store *store, const char *output, uint64_t besides)
{
    for (uint32_t i = 0; i < store->rows; i++)
        store->begin[i + 1] += store->begin[i];
    if (!output || !pv_large_spills(store->ctx, pv_csr_bytes(store->begin[store->rows]), besides))
        return pv_csr_store_allocate(store, NULL, false);
    char *folder = pv_folder_of(output);
    if (!folder)
        return pv_fail(store->ctx, PSDVEC_ERR_MEMORY, "no memory for a path");
    psdvec_status status = pv_csr_store_allocate(store, folder, true);
    free(folder);
    return status;
}

void pv_csr_store_free(pv_csr_store *store)
{
    pv_large_free(store->ctx, &store->column_memory);
    pv_large_free(store->ctx, &store->value_memory);
    pv_free(store->ctx, store->begin);
    *store = (pv_csr_store){0};
}

psdvec_status pv_csr_copy_rows(psdvec_context *ctx, const pv_csr *from, uint32_t first,
                               uint32_t count, const char *what, pv_csr_store *to)
{
    PV_TRY(pv_csr_store_open(ctx, count, from->columns, what, to));
    for (uint32_t i = 0; i < count; i++)
        to->begin[i + 1] = from->end[first + i] - from->begin[first + i];
    PV_TRY(pv_csr_store_reserve(to, NULL, 0));
    for (uint32_t i = 0; i < count; i++) {
        pv_csr_row row = pv_csr_row_of(from, first + i);
        memcpy(to->column + to->begin[i], row.column, row.count * sizeof *row.column);
        memcpy(to->value + to->begin[i], row.value, row.count * sizeof *row.value);
    }
    return PSDVEC_OK;
}
