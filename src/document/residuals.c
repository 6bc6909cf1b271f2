/* Residuals, eq. 4: as a sparse matrix, as a file, and psdvec_residuals, which finds where the
 * vectors differ most from the counts.
 */
#include "document/residuals.h"

#include "base/arguments.h"
#include "base/progress.h"
#include "base/safetensors_write.h"
#include "base/sorted_runs.h"
#include "base/thread.h"
#include "document/top.h"
#include "link/weights.h"
#include "model/model_read.h"
#include "train/model_link.h"
#include "train/seen_pairs.h"
#include "util/c_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The matrix ------------------------------------------------------------------------------ */
/* Two passes over the seen pairs (train/seen_pairs.h): the first counts the entries of each row,
 * the second fills them in. An entry takes 8 bytes, in memory if half of the remaining budget
 * suffices, else in a temporary file. */

typedef struct fill_job {
    pv_residual_matrix *matrix;
    const pv_link *link;
    pv_residual_kind kind;
} fill_job;

static psdvec_status take_pairs(void *arg, const pv_seen_row *row, int worker)
{
    fill_job *job = arg;
    const pv_link *link = job->link;
    pv_csr_store *matrix = &job->matrix->rows;
    (void)worker;
    if (!matrix->column) { /* the first pass */
        matrix->begin[row->word + 1] = row->count;
        return PSDVEC_OK;
    }
    uint64_t at = matrix->begin[row->word];
    for (size_t k = 0; k < row->count; k++) {
        const pv_seen_pair *pair = &row->pairs[k];
        double target =
            link->target(link, row->counted, pair->counted, pair->xij, pair->xij + pair->xji);
        matrix->column[at + k] = pair->word;
        matrix->value[at + k] =
            (float)(job->kind == PV_RESIDUAL_DIFFERENCE ? target - pair->product : target);
    }
    return PSDVEC_OK;
}

static psdvec_status fill_matrix(pv_residual_matrix *matrix, const psdvec_model *model,
                                 const pv_model_link *opened, pv_residual_kind kind)
{
    const pv_link *link = opened->link;
    fill_job job = {matrix, link, kind};
    bool smoothed = link->directed;
    pv_seen_walk walk = {.link = link,
                         .word = opened->word,
                         .words = matrix->rows.rows,
                         .either = !smoothed,
                         .stage = "counting pairs"};
    matrix->unseen = smoothed ? link->unseen_target : NAN;
    PV_TRY(pv_seen_pairs(&walk, take_pairs, &job));
    uint64_t left = pv_memory_left(matrix->rows.ctx);
    PV_TRY(pv_csr_store_reserve(&matrix->rows, model->path, left - left / 2));
    if (kind == PV_RESIDUAL_DIFFERENCE) {
        PV_TRY(pv_model_floats(matrix->rows.ctx, model, &model->vectors, &walk.vectors));
        walk.dim = model->info.dim;
        walk.eigenvalues = model->info.eigenvalues;
    }
    walk.stage = kind == PV_RESIDUAL_DIFFERENCE ? "residuals" : "targets";
    return pv_seen_pairs(&walk, take_pairs, &job);
}

psdvec_status pv_residual_matrix_make(psdvec_context *ctx, const psdvec_model *model,
                                      const psdvec_counts *counts, pv_residual_kind kind,
                                      pv_residual_matrix **out)
{
    pv_residual_matrix *matrix = pv_alloc_zero(ctx, 1, sizeof *matrix, "the residuals");
    pv_model_link opened;
    psdvec_status status;
    *out = matrix;
    if (!matrix)
        return pv_failure(ctx);
    PV_TRY(pv_csr_store_open(ctx, model->info.words, model->info.words, "the residuals",
                             &matrix->rows));
    PV_TRY_DONE(pv_model_link_open(ctx, model, counts, true, &opened));
    matrix->common = opened.common;
    matrix->same_counts = opened.same_counts;
    status = fill_matrix(matrix, model, &opened, kind);
done:
    pv_model_link_close(&opened);
    return status;
}

void pv_residual_matrix_free(pv_residual_matrix *matrix)
{
    if (!matrix)
        return;
    psdvec_context *ctx = matrix->rows.ctx;
    pv_csr_store_free(&matrix->rows);
    pv_free(ctx, matrix);
}

/* ---- The file -------------------------------------------------------------------------------- */

psdvec_status pv_residual_file_prepare(psdvec_context *ctx, const pv_residual_data *data,
                                       const char *path, pv_output **prepared)
{
    const pv_csr *rows = &data->rows;
    uint64_t words = rows->rows, pairs = rows->begin[words];
    char version[16], unseen[32];
    snprintf(version, sizeof version, "%d", PV_RESIDUALS_VERSION);
    pv_snprintf(unseen, sizeof unseen, "%.17g", data->unseen);
    const pv_st_pair meta[] = {{"format", PV_RESIDUALS_FORMAT},
                               {"version", version},
                               {"written_by", "psdvec " PSDVEC_VERSION},
                               {"target", data->target},
                               {"unseen", isnan(data->unseen) ? NULL : unseen},
                               {"model", data->model},
                               {"counts", data->counts}};
    const pv_tensor tensors[10] = {
        pv_tensor_of("words", PV_DTYPE_U8, data->offsets[words], 0, data->bytes),
        pv_tensor_of("offsets", PV_DTYPE_U64, words + 1, 0, data->offsets),
        pv_tensor_of("indptr", PV_DTYPE_U64, words + 1, 0, rows->begin),
        pv_tensor_of("indices", PV_DTYPE_U32, pairs, 0, rows->column),
        pv_tensor_of("values", PV_DTYPE_F32, pairs, 0, rows->value)};
    return pv_st_file_prepare(ctx, path, tensors, sizeof tensors / sizeof *tensors, meta,
                              sizeof meta / sizeof *meta, prepared);
}

/* ---- Figures --------------------------------------------------------------------------------- */
/* One pass over the seen pairs computes the figures and the first pairs in the requested order; if
 * a file is requested, the matrix is computed as well. Sums are taken row by row and then over the
 * rows in order. The order of the pairs is total, so the list does not depend on which worker finds
 * a pair or on how the pairs are divided into runs. */

typedef struct row_sums {
    uint64_t pairs;
    double sum, square;              /* of a */
    double weighted_square;          /* f a^2 */
    double weights, target, product; /* f, f G, f v'Jv */
    double target2, product2, both;  /* f G^2, f (v'Jv)^2, f G v'Jv */
} row_sums;

typedef struct residuals_job {
    const pv_link *link;
    bool symmetric; /* a pair has the same target in both directions */
    psdvec_residual_order order;
    double least_count;
    uint64_t most;
    pv_scope memory;
    row_sums *rows; /* words of the model */
    int workers;
    pv_top *lists;   /* workers */
    size_t capacity; /* pairs in a list before it becomes a run; 0: the list keeps the first `most`
                    * pairs */
    pv_sorted_runs runs; /* pairs beyond the capacity of the lists, and at the end all pairs */
} residuals_job;

/* ---- The list -------------------------------------------------------------------------------- */
static double rank_of(psdvec_residual_order order, const psdvec_residual *r)
{
    double a = r->target - r->product;
    return order == PSDVEC_RESIDUAL_LOSS   ? r->weight * a * a
           : order == PSDVEC_RESIDUAL_MORE ? a
                                           : -a;
}

static int compare(const void *left, const void *right, void *order)
{
    const psdvec_residual *a = left, *b = right;
    double x = rank_of(*(psdvec_residual_order *)order, a);
    double y = rank_of(*(psdvec_residual_order *)order, b);
    if (x != y)
        return x > y ? -1 : 1;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    return a->focus < b->focus ? -1 : a->focus > b->focus;
}

/* The lists take at most half of the budget that the pass leaves, because sorting needs memory,
 * too. If they cannot hold all requested pairs, each list is sorted when it is full and written to
 * a temporary file. */
static psdvec_status open_lists(residuals_job *job, const psdvec_model *model,
                                const psdvec_counts *counts)
{
    enum { least_capacity = 1024 };
    psdvec_context *ctx = job->memory.ctx;
    const psdvec_counts_info *info = &counts->info;
    const size_t size = sizeof(psdvec_residual);
    uint64_t workers = (uint64_t)job->workers, left = pv_memory_left(ctx);
    uint64_t walk = pv_seen_pairs_bytes(info->words, info->bigrams, model->info.dim, job->workers);
    uint64_t capacity = (left > walk ? left - walk : 0) / 2 / workers / size;
    if (capacity < least_capacity)
        capacity = least_capacity;
    if (capacity > info->bigrams) /* there are no more pairs than bigrams */
        capacity = info->bigrams + 1;
    bool fits = job->most <= capacity / 2;
    job->capacity = fits ? 0 : (size_t)capacity;
    for (int w = 0; w < job->workers; w++)
        job->lists[w] = (pv_top){.size = size,
                                 .most = (size_t)(job->most < SIZE_MAX ? job->most : SIZE_MAX),
                                 .compare = compare,
                                 .arg = &job->order,
                                 .items = pv_scope_alloc(&job->memory,
                                                         (size_t)(fits ? 2 * job->most : capacity),
                                                         size, false)};
    return pv_scope_status(&job->memory);
}

/* Writes the list to the file as a sorted run. */
static psdvec_status spill(residuals_job *job, pv_top *list)
{
    pv_top_sort(list);
    PV_TRY(pv_sorted_runs_append(&job->runs, list->items, list->count));
    list->count = 0;
    list->full = false;
    return PSDVEC_OK;
}

static psdvec_status offer(residuals_job *job, pv_top *list, const psdvec_residual *r)
{
    if (job->capacity == 0) {
        pv_top_offer(list, r);
        return PSDVEC_OK;
    }
    memcpy(list->items + list->count++ * sizeof *r, r, sizeof *r);
    return list->count == job->capacity ? spill(job, list) : PSDVEC_OK;
}

static psdvec_status sort_list(void *arg, size_t task, int worker)
{
    residuals_job *job = arg;
    (void)worker;
    if (job->runs.spool)
        return spill(job, &job->lists[task]);
    pv_top_sort(&job->lists[task]);
    return PSDVEC_OK;
}

/* After the pass: turns all lists into runs, in memory if no run was written to the file. */
static psdvec_status end_lists(residuals_job *job)
{
    bool spilled = job->runs.spool != NULL;
    PV_TRY(pv_parallel_tasks(job->memory.ctx, (size_t)job->workers, sort_list, job));
    for (int w = 0; w < job->workers; w++) {
        pv_top *list = &job->lists[w];
        if (spilled)
            pv_scope_drop(&job->memory, list->items);
        else
            PV_TRY(pv_sorted_runs_keep(&job->runs, list->items, list->count));
    }
    return pv_sorted_runs_reduce(&job->runs, job->most, "sorting pairs", "pairs");
}

typedef struct delivery {
    psdvec_context *ctx;
    psdvec_residual_fn *on_residual;
    void *user;
    uint64_t done;
} delivery;

static psdvec_status deliver(void *arg, const void *item)
{
    enum { check_every = 256 };
    delivery *to = arg;
    to->on_residual(to->user, item);
    if (++to->done % check_every == 0 && pv_stopping(to->ctx))
        return pv_fail(to->ctx, PSDVEC_ERR_CANCELLED,
                       "stopped on request; the list of pairs is incomplete");
    return PSDVEC_OK;
}

/* ---- The pass -------------------------------------------------------------------------------- */
static void add_direction(row_sums *sums, const psdvec_residual *r)
{
    double a = r->target - r->product;
    sums->pairs++;
    sums->sum += a;
    sums->square += a * a;
    double f = r->weight, G = r->target, x = r->product;
    sums->weighted_square += f * a * a;
    sums->weights += f;
    sums->target += f * G;
    sums->product += f * x;
    sums->target2 += f * G * G;
    sums->product2 += f * x * x;
    sums->both += f * G * x;
}

static psdvec_status take_row(void *arg, const pv_seen_row *row, int worker)
{
    residuals_job *job = arg;
    const pv_link *link = job->link;
    row_sums *sums = &job->rows[row->word];
    pv_top *list = &job->lists[worker];
    for (size_t k = 0; k < row->count; k++) {
        const pv_seen_pair *pair = &row->pairs[k];
        bool own = pair->word == row->word;
        double sum = pair->xij + pair->xji, counts[] = {pair->xij, pair->xji};
        for (int back = 0; back < (own ? 1 : 2); back++) {
            if (!job->symmetric && !(counts[back] > 0))
                continue;
            uint32_t i = back ? pair->counted : row->counted;
            uint32_t j = back ? row->counted : pair->counted;
            psdvec_residual r = {.context = back ? pair->word : row->word,
                                 .focus = back ? row->word : pair->word,
                                 .count = counts[back],
                                 .target = link->target(link, i, j, counts[back], sum),
                                 .weight = i == j ? 0 : link->weight(link, i, j, counts[back], sum),
                                 .product = pair->product};
            add_direction(sums, &r);
            if (own || (job->symmetric && counts[back] < counts[!back]) ||
                (job->symmetric && back && counts[0] == counts[1]))
                continue;
            if (job->symmetric)
                r.count = sum;
            if (r.count >= job->least_count)
                PV_TRY(offer(job, list, &r));
        }
    }
    return PSDVEC_OK;
}

static void report_sums(const residuals_job *job, uint32_t words, psdvec_residual_report *report)
{
    row_sums all = {0};
    for (uint32_t i = 0; i < words; i++) {
        const row_sums *row = &job->rows[i];
        all.pairs += row->pairs;
        all.sum += row->sum;
        all.square += row->square;
        all.weighted_square += row->weighted_square;
        all.weights += row->weights;
        all.target += row->target;
        all.product += row->product;
        all.target2 += row->target2;
        all.product2 += row->product2;
        all.both += row->both;
    }
    double pairs = all.pairs > 0 ? (double)all.pairs : 1;
    report->pairs = all.pairs;
    report->mean = all.sum / pairs;
    report->deviation = sqrt(fmax(0, all.square / pairs - report->mean * report->mean));
    report->weighted_square = all.weighted_square;
    report->explained = all.target2 > 0 ? 1 - all.weighted_square / all.target2 : 0;
    double covariance = all.both * all.weights - all.target * all.product;
    double target = all.target2 * all.weights - all.target * all.target;
    double product = all.product2 * all.weights - all.product * all.product;
    report->correlation = target > 0 && product > 0 ? covariance / sqrt(target) / sqrt(product) : 0;
}

static psdvec_status walk_pairs(residuals_job *job, const psdvec_model *model,
                                const psdvec_counts *counts, const pv_model_link *opened,
                                psdvec_residual_report *report)
{
    psdvec_context *ctx = job->memory.ctx;
    const float *vectors;
    job->link = opened->link;
    job->symmetric = !opened->link->directed;
    PV_TAKE_ZERO(&job->memory, job->rows, model->info.words);
    PV_TAKE_ZERO(&job->memory, job->lists, (size_t)job->workers);
    PV_TRY(pv_scope_status(&job->memory));
    PV_TRY(pv_model_floats(ctx, model, &model->vectors, &vectors));
    PV_TRY(open_lists(job, model, counts));
    pv_seen_walk walk = {.link = opened->link,
                         .word = opened->word,
                         .words = model->info.words,
                         .dim = model->info.dim,
                         .vectors = vectors,
                         .eigenvalues = model->info.eigenvalues,
                         .either = true,
                         .above = true,
                         .stage = "residuals"};
    PV_TRY(pv_seen_pairs(&walk, take_row, job));
    report_sums(job, model->info.words, report);
    if (!isfinite(report->mean) || !isfinite(report->weighted_square))
        return pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                       "%s: a residual is not a number; the vectors may be damaged (verify the "
                       "checksums of the model)",
                       model->path);
    return end_lists(job);
}

/* ---- The file -------------------------------------------------------------------------------- */
static psdvec_status write_all(psdvec_context *ctx, const psdvec_model *model,
                               const psdvec_counts *counts, const char *target, const char *output)
{
    pv_residual_matrix *matrix = NULL;
    psdvec_status status =
        pv_residual_matrix_make(ctx, model, counts, PV_RESIDUAL_DIFFERENCE, &matrix);
    if (status == PSDVEC_OK) {
        pv_residual_data data = {.rows = pv_csr_view(&matrix->rows),
                                 .bytes = model->bytes,
                                 .offsets = model->offsets,
                                 .target = target,
                                 .unseen = matrix->unseen,
                                 .model = model->file ? pv_st_meta(model->file, "xxh3.metadata")
                                                      : NULL,
                                 .counts = pv_st_meta(counts->file, "xxh3.metadata")};
        pv_output *file;
        status = pv_residual_file_prepare(ctx, &data, output, &file);
        if (status == PSDVEC_OK)
            status = pv_output_commit(file);
    }
    pv_residual_matrix_free(matrix);
    return status;
}

static psdvec_status check_output(psdvec_context *ctx, const psdvec_model *model,
                                  const psdvec_counts *counts, const char *output)
{
    const char *inputs[] = {model->path, pv_st_path(counts->file)};
    for (int k = 0; k < 2; k++)
        if (pv_same_file(inputs[k], output))
            return pv_fail(ctx, PSDVEC_ERR_SAME_FILE,
                           "%s: is both input and output; choose another output", output);
    return pv_output_try(ctx, output);
}

psdvec_status psdvec_residuals_each(psdvec_context *ctx, const psdvec_model *model,
                                    const psdvec_counts *counts, const char *output,
                                    psdvec_residual_order order, double least_count, uint64_t most,
                                    psdvec_residual_fn *on_residual, void *user,
                                    psdvec_residual_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, counts);
    if (most > 0)
        PV_NEED(ctx, on_residual);
    PV_NEED_INDEX(ctx, order, PSDVEC_RESIDUAL_LESS + 1);
    if (isnan(least_count))
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "`least_count` is not a number");
    double began = pv_now();
    psdvec_residual_report figures = {0};
    psdvec_residual_report *to = report ? report : &figures;
    residuals_job job = {.order = order,
                         .least_count = least_count,
                         .most = most,
                         .memory = {.ctx = ctx, .what = "the residuals"},
                         .workers = psdvec_threads(ctx)};
    delivery list = {.ctx = ctx, .on_residual = on_residual, .user = user};
    pv_model_link opened = {0};
    char *folder = pv_folder_of(output ? output : model->path);
    psdvec_status status;
    *to = figures;
    job.runs = (pv_sorted_runs){.ctx = ctx,
                                .folder = folder,
                                .what = "the list of pairs",
                                .size = sizeof(psdvec_residual),
                                .compare = compare,
                                .arg = &job.order};
    pv_sorted_runs_init(&job.runs);
    if (!folder)
        PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_MEMORY, "no memory for a path"));
    if (output) /* check now, not after all the work */
        PV_TRY_DONE(check_output(ctx, model, counts, output));
    PV_TRY_DONE(pv_model_link_open(ctx, model, counts, true, &opened));
    PV_TRY_DONE(pv_model_counts_check(ctx, counts, opened.same_counts, opened.common));
    PV_TRY_DONE(walk_pairs(&job, model, counts, &opened, to));
    if (output)
        PV_TRY_DONE(write_all(
            ctx, model, counts,
            pv_target_choices[job.symmetric ? PSDVEC_TARGET_PMI : PSDVEC_TARGET_SMOOTHED].name,
            output));
    status = pv_sorted_runs_merge(&job.runs, most, deliver, &list);
done:
    to->seconds = pv_now() - began;
    pv_sorted_runs_free(&job.runs);
    pv_scope_free(&job.memory);
    pv_model_link_close(&opened);
    free(folder);
    return status;
}

typedef struct collection {
    psdvec_residual *top;
    size_t found;
} collection;

static void collect(void *user, const psdvec_residual *residual)
{
    collection *to = user;
    to->top[to->found++] = *residual;
}

psdvec_status psdvec_residuals(psdvec_context *ctx, const psdvec_model *model,
                               const psdvec_counts *counts, const char *output,
                               psdvec_residual_order order, double least_count, size_t most,
                               psdvec_residual *top, size_t *found, psdvec_residual_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, counts);
    PV_NEED_ARRAY(ctx, top, most);
    collection all = {.top = top};
    psdvec_status status = psdvec_residuals_each(ctx, model, counts, output, order, least_count,
                                                 most, collect, &all, report);
    if (found)
        *found = all.found;
    return status;
}
