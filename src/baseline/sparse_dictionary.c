/* Sums over codes, and the update of the atoms from them. */
#include "baseline/sparse_learn.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

pv_code_words pv_code_words_of(uint32_t count, uint32_t dim, const float *vectors, float scale)
{
    uint32_t tiles = count / PV_CODE_TILE + (count % PV_CODE_TILE != 0);
    return (pv_code_words){count, dim, tiles, vectors, scale};
}

uint32_t pv_code_tile(const pv_code_words *words, uint32_t tile, const float **x)
{
    uint32_t rows = 0;
    for (size_t i = tile; i < words->count; i += words->tiles)
        x[rows++] = words->vectors + i * words->dim;
    return rows;
}

psdvec_status pv_atoms_make(psdvec_context *ctx, uint32_t count, uint32_t dim, pv_atoms *atoms)
{
    size_t stride = ((size_t)dim + PV_ATOM_PAD - 1) / PV_ATOM_PAD * PV_ATOM_PAD;
    *atoms = (pv_atoms){.count = count, .dim = dim, .stride = stride};
    size_t cells;
    if (!pv_mul(count, stride, &cells))
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "a dictionary of %u atoms is too large", count);
    atoms->rows = pv_alloc_zero(ctx, cells, sizeof(float), "the dictionary");
    atoms->square = atoms->rows ? pv_alloc_zero(ctx, count, sizeof(float), "the dictionary") : NULL;
    return atoms->square ? PSDVEC_OK : pv_failure(ctx);
}

void pv_atoms_free(psdvec_context *ctx, pv_atoms *atoms)
{
    pv_free(ctx, atoms->rows);
    pv_free(ctx, atoms->square);
    *atoms = (pv_atoms){0};
}

void pv_atoms_measure(pv_atoms *atoms)
{
    for (uint32_t j = 0; j < atoms->count; j++) {
        const float *row = atoms->rows + j * atoms->stride;
        double square = 0;
        for (uint32_t k = 0; k < atoms->dim; k++)
            square += (double)row[k] * row[k];
        atoms->square[j] = (float)square;
    }
}

psdvec_status pv_code_sums_make(psdvec_context *ctx, const pv_atoms *atoms, pv_code_sums *sums)
{
    *sums = (pv_code_sums){.memory = {.ctx = ctx, .what = "the products of codes"},
                           .atoms = atoms->count,
                           .dim = atoms->dim,
                           .stride = atoms->stride};
    size_t count = atoms->count, cells;
    if (!pv_mul(count, count, &cells))
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "a dictionary of %zu atoms is too large", count);
    PV_TAKE_ZERO(&sums->memory, sums->B, cells);
    PV_TAKE_ZERO(&sums->memory, sums->C, count * atoms->stride);
    PV_TAKE_ZERO(&sums->memory, sums->length, count);
    return pv_scope_status(&sums->memory);
}

void pv_code_sums_free(pv_code_sums *sums)
{
    pv_scope_free(&sums->memory);
    *sums = (pv_code_sums){0};
}

void pv_code_sums_clear(pv_code_sums *sums)
{
    size_t count = sums->atoms;
    memset(sums->B, 0, count * count * sizeof *sums->B);
    memset(sums->C, 0, count * sums->stride * sizeof *sums->C);
    memset(sums->length, 0, count * sizeof *sums->length);
}

/* Rows of B per task: they stay in the cache during the pass over all words. */
enum { sum_rows = 32 };

typedef struct sum_job {
    pv_code_sums *sums;
    const pv_code_words *words;
    uint32_t first, last;
    const pv_csr_store *codes;
    float sign;
    const pv_sweep_kernels *kernels;
} sum_job;

static void add_word(const sum_job *job, const float *x, pv_csr_row code, uint32_t from,
                     uint32_t to)
{
    pv_code_sums *sums = job->sums;
    size_t t = pv_lower_bound(code.column, code.count, from);
    for (; t < code.count && code.column[t] < to; t++) {
        size_t j = code.column[t];
        float a = job->sign * code.value[t];
        float *row = sums->B + j * sums->atoms;
        for (size_t u = t; u < code.count; u++)
            row[code.column[u]] += a * code.value[u];
        job->kernels->add_row(x, a * job->words->scale, sums->dim, sums->C + j * sums->stride);
        sums->length[j] += job->sign * fabs((double)code.value[t]);
    }
}

static psdvec_status sum_task(void *arg, size_t task, int worker)
{
    const sum_job *job = arg;
    (void)worker;
    uint32_t from = (uint32_t)task * sum_rows;
    uint32_t to = job->sums->atoms - from < sum_rows ? job->sums->atoms : from + sum_rows;
    const float *x[PV_CODE_TILE];
    for (uint32_t t = job->first; t < job->last; t++) {
        const pv_csr codes = pv_csr_view(&job->codes[t - job->first]);
        uint32_t rows = pv_code_tile(job->words, t, x);
        for (uint32_t i = 0; i < rows; i++)
            add_word(job, x[i], pv_csr_row_of(&codes, i), from, to);
    }
    return PSDVEC_OK;
}

psdvec_status pv_code_sums_add(pv_code_sums *sums, const pv_code_words *words, uint32_t first,
                               uint32_t last, const pv_csr_store *codes, float sign)
{
    sum_job job = {sums, words, first, last, codes, sign, pv_sweep_best()};
    return pv_parallel_tasks(sums->memory.ctx, (sums->atoms + sum_rows - 1) / sum_rows, sum_task,
                             &job);
}

/* Fills in the lower triangle of B, by blocks of rows. */
enum { mirror_rows = 64 };
static psdvec_status mirror_task(void *arg, size_t task, int worker)
{
    pv_code_sums *sums = arg;
    (void)worker;
    size_t n = sums->atoms, from = task * mirror_rows;
    size_t to = n - from < mirror_rows ? n : from + mirror_rows;
    for (size_t k = 0; k < to; k++)
        for (size_t j = k < from ? from : k + 1; j < to; j++)
            sums->B[j * n + k] = sums->B[k * n + j];
    return PSDVEC_OK;
}

/* Atoms updated after one matrix product, and dimensions per task of the product. */
enum { block_atoms = 64, task_dims = 48 };

typedef struct update_job {
    pv_atoms *atoms;
    const pv_code_sums *sums;
    size_t first, count; /* the block */
    float *pull;         /* block_atoms x stride: C_j - sum_k B_jk d_k */
} update_job;

static psdvec_status pull_task(void *arg, size_t task, int worker)
{
    const update_job *job = arg;
    (void)worker;
    size_t from = task * task_dims, dim = job->atoms->dim, stride = job->atoms->stride;
    size_t width = dim - from < task_dims ? dim - from : task_dims;
    for (size_t a = 0; a < job->count; a++)
        memcpy(job->pull + a * stride + from, job->sums->C + (job->first + a) * stride + from,
               width * sizeof(float));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)job->count, (int)width,
                (int)job->atoms->count, -1, job->sums->B + job->first * job->atoms->count,
                (int)job->atoms->count, job->atoms->rows + from, (int)stride, 1, job->pull + from,
                (int)stride);
    return PSDVEC_OK;
}

/* Updates the atoms one by one, each to the direction of C_j - sum_k!=j B_jk d_k. */
static void update_block(const update_job *job, float *step)
{
    const pv_sweep_kernels *kernels = pv_sweep_best();
    size_t stride = job->atoms->stride, count = job->atoms->count;
    for (size_t a = 0; a < job->count; a++) {
        const float *B = job->sums->B + (job->first + a) * count + job->first;
        float *row = job->atoms->rows + (job->first + a) * stride, *pull = job->pull + a * stride;
        if (!(B[a] > 0))
            continue;
        kernels->add_row(row, B[a], stride, pull);
        double square = 0;
        for (size_t k = 0; k < stride; k++)
            square += (double)pull[k] * pull[k];
        if (!(square > 0))
            continue;
        float shrink = (float)(1 / sqrt(square));
        for (size_t k = 0; k < stride; k++) {
            float now = pull[k] * shrink;
            step[k] = now - row[k];
            row[k] = now;
        }
        for (size_t b = a + 1; b < job->count; b++)
            kernels->add_row(step, -B[b], stride, job->pull + b * stride);
    }
}

psdvec_status pv_atoms_update(pv_atoms *atoms, pv_code_sums *sums, uint32_t sweeps)
{
    psdvec_context *ctx = sums->memory.ctx;
    PV_TRY(pv_blas_ready(ctx));
    PV_TRY(
        pv_parallel_tasks(ctx, (sums->atoms + mirror_rows - 1) / mirror_rows, mirror_task, sums));
    float *pull = /* and a step */
        pv_alloc_zero(ctx, (block_atoms + 1) * atoms->stride, sizeof(float), "the dictionary");
    if (!pull)
        return pv_failure(ctx);
    psdvec_status status = PSDVEC_OK;
    for (uint32_t s = 0; s < sweeps; s++)
        for (size_t j = 0; j < atoms->count; j += block_atoms) {
            size_t count = atoms->count - j < block_atoms ? atoms->count - j : block_atoms;
            update_job job = {atoms, sums, j, count, pull};
            PV_TRY_DONE(
                pv_parallel_tasks(ctx, (atoms->dim + task_dims - 1) / task_dims, pull_task, &job));
            update_block(&job, pull + block_atoms * atoms->stride);
        }
    pv_atoms_measure(atoms);
done:
    pv_free(ctx, pull);
    return status;
}
