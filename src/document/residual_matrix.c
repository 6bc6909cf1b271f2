/* Targets and residuals as a sparse matrix.
 *
 * Two walks over the seen pairs (train/seen_pairs.h): the first counts, so that every row has its
 * place, the second fills. 8 bytes an entry, in memory if half of what is left of the budget
 * will do, else in a temporary file.
 */
#include "document/residual_matrix.h"

#include "base/memory.h"
#include "model/model_read.h"
#include "train/model_link.h"
#include "train/seen_pairs.h"

#include <math.h>

typedef struct fill_job {
    pv_residual_matrix *matrix;
    const pv_link *link;
    pv_residual_kind kind;
} fill_job;

static psdvec_status count_row(void *arg, const pv_seen_row *row, int worker)
{
    fill_job *job = arg;
    (void)worker;
    job->matrix->rows.begin[row->word + 1] = row->count;
    return PSDVEC_OK;
}

static psdvec_status fill_row(void *arg, const pv_seen_row *row, int worker)
{
    fill_job *job = arg;
    const pv_link *link = job->link;
    pv_csr_store *matrix = &job->matrix->rows;
    uint64_t at = matrix->begin[row->word];
    (void)worker;
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
                                 const pv_link *link, const uint32_t *word, pv_residual_kind kind)
{
    fill_job job = {matrix, link, kind};
    bool smoothed = link->directed;
    pv_seen_walk walk = {.link = link,
                         .word = word,
                         .words = matrix->rows.rows,
                         .either = !smoothed,
                         .stage = "counting pairs"};
    matrix->unseen = smoothed ? link->unseen_target : NAN;
    PV_TRY(pv_seen_pairs(&walk, count_row, &job));
    uint64_t left = pv_memory_left(matrix->rows.ctx);
    PV_TRY(pv_csr_store_reserve(&matrix->rows, model->path, left - left / 2));
    if (kind == PV_RESIDUAL_DIFFERENCE) {
        PV_TRY(pv_model_floats(matrix->rows.ctx, model, &model->vectors, &walk.vectors));
        walk.dim = model->info.dim;
        walk.eigenvalues = model->info.eigenvalues;
    }
    walk.stage = kind == PV_RESIDUAL_DIFFERENCE ? "residuals" : "targets";
    return pv_seen_pairs(&walk, fill_row, &job);
}

psdvec_status pv_residual_matrix_make(psdvec_context *ctx, const psdvec_model *model,
                                      const psdvec_counts *counts, pv_residual_kind kind,
                                      pv_residual_matrix **out)
{
    pv_residual_matrix *matrix = pv_alloc_zero(ctx, 1, sizeof *matrix, "the residuals");
    pv_model_link opened = {0};
    uint32_t *word = NULL;
    psdvec_status status;
    *out = matrix;
    if (!matrix)
        return pv_failure(ctx);
    PV_TRY(pv_csr_store_open(ctx, model->info.words, model->info.words, "the residuals",
                             &matrix->rows));
    PV_TRY_DONE(pv_counts_verify_rows(ctx, counts));
    PV_TRY_DONE(pv_model_link_open(ctx, model, counts, true, &opened));
    PV_TRY_DONE(pv_model_words(ctx, model, counts, &word, &matrix->common));
    matrix->same_counts = opened.same_counts;
    status = fill_matrix(matrix, model, opened.link, word, kind);
done:
    pv_free(ctx, word);
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
