/* SVD of positive mutual information, after Levy, Goldberg and Dagan, "Improving distributional
 * similarity with lessons learned from word embeddings" (TACL 2015), and their program Hyperwords.
 *
 *     M ~ U S V',    M the matrix of pv_ppmi_make;    W = U S^p,    C = V S^p
 *
 * W has the vectors of words, C those of contexts; with add_contexts a word's vector is the sum of
 * both. p = 1 is the textbook decomposition, which gives the worst vectors; 1/2 and 0 are better,
 * and 1/2 is the default of Hyperwords.
 *
 * Also canonical correlation analysis of words and contexts, after Stratos, Collins and Hsu,
 * "Model-based word embeddings from decompositions of count matrices" (ACL 2015), and their program
 * Singular.
 *
 *     M_ij = t(x_ij) / sqrt( t(r_i) t(c_j^a) ),    t(x) = x^k,    M ~ U S V'
 *
 * x: how often word i and context j co-occur; r, c: sums of rows and columns; k = 1/2, which
 * stabilises the variance of the counts (k = 1: the paper's CCA of plain counts); a = 0.75, the
 * smoothing of contexts. Vectors are the rows of U S^p, divided by their length. p is 0, and
 * everything is as in Singular, with these exceptions:
 *   - Singular maps all rare words to one word, and positions beyond the end of a text to another,
 *     as words and as contexts. Here rare words keep their position in windows but form no pairs.
 *     That is one row or column in about thirty thousand; nothing else depends on it.
 *   - A constant factor of M, which normalisation would cancel, is omitted.
 *   - Singular skips lines of more than 1000 words; none are skipped here.
 *
 * As the counts are symmetric, M = R K C with R, C diagonal and K = t(x): its transpose needs no
 * additional memory.
 *
 * In a group of processes, the members divide the rows of M, of its transpose and of the basis of the
 * eigensolver; the leader collects the vectors.
 */
#include "base/group.h"
#include "base/thread.h"
#include "baseline/baseline.h"
#include "baseline/cooccurrence.h"
#include "baseline/sparse_svd.h"

#include <math.h>

enum { rows_a_task = 256 };

typedef struct power_job {
    pv_csr_store *pairs;
    double power;
} power_job;

static psdvec_status raise_rows(void *arg, size_t task, int worker)
{
    power_job *job = arg;
    const pv_csr_store *pairs = job->pairs;
    (void)worker;
    size_t first = task * rows_a_task;
    size_t end = pairs->rows - first < rows_a_task ? pairs->rows : first + rows_a_task;
    for (uint64_t k = pairs->begin[first]; k < pairs->begin[end]; k++)
        pairs->value[k] = job->power == 0.5 ? sqrtf(pairs->value[k])
                                            : (float)pow((double)pairs->value[k], job->power);
    return pv_check_cancel(pairs->ctx);
}

/* margin^-exponent */
static float scale_of(double margin, double exponent)
{
    return margin > 0 ? (float)pow(margin, -exponent) : 0;
}

/* `cca`: decomposes the matrix R K C, otherwise M. `transpose`: of M, if it is divided. */
static psdvec_status decompose(const pv_baseline_run *run, bool cca, const pv_cooccurrence *pairs,
                               const pv_csr_store *transpose, uint64_t besides,
                               pv_singular *singular)
{
    const psdvec_baseline_options *options = run->options;
    uint32_t n = pairs->matrix.columns;
    pv_csr rows = pv_csr_view(&pairs->matrix);
    const float *row_scale = NULL, *column_scale = NULL;
    pv_sparse_matrix matrix = {0};
    psdvec_status status;
    pv_scope scope = {.ctx = run->ctx, .what = "scales of words"};
    float *scale = NULL;
    if (cca)
        PV_TAKE(&scope, scale, 2 * (size_t)n);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t i = 0; cca && i < n; i++) {
        scale[i] = scale_of(pairs->margin[i], options->count_power / 2);
        scale[n + i] =
            scale_of(pairs->margin[i], options->count_power * options->context_power / 2);
    }
    if (cca) {
        row_scale = scale;
        column_scale = scale + n;
    }
    if (pairs->division)
        pv_sparse_matrix_divided(run->ctx, pairs->division, rows,
                                 cca ? rows : pv_csr_view(transpose), row_scale, column_scale,
                                 &matrix);
    else
        PV_TRY_DONE(pv_sparse_matrix_open(run->ctx, rows, cca, row_scale, column_scale, run->output,
                                          besides, &matrix));
    status = pv_sparse_svd(&matrix, options->dim, options->eigen_tolerance,
                           !cca && options->add_contexts, singular);
done:
    pv_sparse_matrix_close(&matrix);
    pv_scope_free(&scope);
    return status;
}

static void set_lengths_to_one(pv_singular *singular)
{
    for (size_t i = 0; i < singular->rows; i++) {
        float *u = singular->U + i * singular->dim;
        double square = 0;
        for (size_t k = 0; k < singular->dim; k++)
            square += (double)u[k] * u[k];
        for (size_t k = 0; square > 0 && k < singular->dim; k++)
            u[k] = (float)(u[k] / sqrt(square));
    }
}

/* Writes the vectors; those of other members are collected in the leader. */
static psdvec_status write_vectors(pv_baseline_run *run, const pv_singular *singular)
{
    const pv_division *division = run->division;
    size_t dim = singular->dim;
    if (!division)
        return pv_baseline_write(run, (uint32_t)dim, singular->U, NULL);
    psdvec_status status;
    pv_scope scope = {.ctx = run->ctx, .what = "the vectors"};
    float *all = NULL;
    if (pv_group_leads(run->ctx))
        PV_TAKE(&scope, all, division->n * dim);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_division_collect(division, singular->U, all, dim * sizeof *all));
    status = pv_baseline_write(run, (uint32_t)dim, all, NULL);
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_baseline_svd(pv_baseline_run *run, const psdvec_counts *counts)
{
    const psdvec_baseline_options *options = run->options;
    bool cca = options->method == PSDVEC_METHOD_CCA;
    const pv_cooccurrence_part part = {.division = run->division};
    pv_cooccurrence pairs = {0};
    pv_csr_store transpose = {0};
    pv_singular singular = {0};
    psdvec_status status;
    uint64_t besides = pv_sparse_svd_bytes(counts->info.words, run->division, options->dim,
                                           !cca && options->add_contexts, psdvec_threads(run->ctx));
    /* For the transpose; a pair may be in the counts in one direction only. */
    uint64_t more = cca ? 0 : pv_csr_bytes(2 * counts->info.bigrams) / pv_group_members(run->ctx);
    PV_TRY_DONE(pv_cooccurrence_make(run->ctx, counts, &part, run->output, besides + more, &pairs));
    if (cca) {
        power_job job = {&pairs.matrix, options->count_power};
        PV_TRY_DONE(pv_parallel_tasks(run->ctx, (pairs.matrix.rows + rows_a_task - 1) / rows_a_task,
                                      raise_rows, &job));
    } else if (run->division) {
        PV_TRY_DONE(pv_ppmi_make_both(&pairs, options->context_power, options->shift, run->output,
                                      besides, &transpose));
    } else {
        PV_TRY_DONE(pv_ppmi_make(&pairs, options->context_power, options->shift));
    }
    PV_TRY_DONE(decompose(run, cca, &pairs, &transpose, besides, &singular));
    pv_singular_weigh(&singular, options->eigenvalue_power);
    if (cca)
        set_lengths_to_one(&singular);
    status = write_vectors(run, &singular);
done:
    pv_singular_free(&singular);
    pv_csr_store_free(&transpose);
    pv_cooccurrence_free(&pairs);
    return status;
}
