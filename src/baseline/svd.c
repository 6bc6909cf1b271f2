/* SVD of positive mutual information, after Levy, Goldberg and Dagan, "Improving distributional
 * similarity with lessons learned from word embeddings" (TACL 2015), and their program Hyperwords.
 *
 *     M ~ U S V',    M the matrix of ppmi.h;    W = U S^p,    C = V S^p
 *
 * W has the words' vectors, C those of contexts; with add_contexts a word's vector is the sum of
 * its two. p = 1 is the decomposition by the book, which is the worst of vectors; 1/2 and 0 do
 * better, and 1/2 is the default of Hyperwords.
 */
#include "baseline/baseline.h"
#include "baseline/ppmi.h"
#include "baseline/sparse_svd.h"

static psdvec_status decompose(const pv_baseline_run *run, const pv_cooccurrence *ppmi,
                               pv_singular *singular)
{
    const psdvec_baseline_options *options = run->options;
    psdvec_status status;
    pv_sparse_matrix matrix = {0};
    uint64_t besides = pv_sparse_svd_bytes(ppmi->matrix.rows, options->dim, options->add_contexts,
                                           psdvec_threads(run->ctx));
    PV_TRY_DONE(pv_sparse_matrix_open(run->ctx, pv_csr_view(&ppmi->matrix), false, NULL, NULL,
                                      run->output, besides, &matrix));
    status = pv_sparse_svd(&matrix, options->dim, options->eigen_tolerance, options->add_contexts,
                           singular);
done:
    pv_sparse_matrix_close(&matrix);
    return status;
}

psdvec_status pv_baseline_svd(pv_baseline_run *run, const psdvec_counts *counts)
{
    const psdvec_baseline_options *options = run->options;
    pv_cooccurrence pairs = {0};
    pv_singular singular = {0};
    pv_baseline_words words;
    pv_buffer provenance;
    pv_buffer_init(&provenance, run->ctx);
    psdvec_status status;
    /* A pair may stand in the counts in one direction only. */
    uint64_t besides = pv_sparse_svd_bytes(counts->info.words, options->dim, options->add_contexts,
                                           psdvec_threads(run->ctx)) +
                       pv_csr_bytes(2 * counts->info.bigrams);
    PV_TRY_DONE(pv_baseline_words_of(run->ctx, counts, &provenance, &words));
    PV_TRY_DONE(pv_cooccurrence_make(run->ctx, counts, run->output, besides, &pairs));
    PV_TRY_DONE(pv_ppmi_make(&pairs, options->context_power, options->shift));
    PV_TRY_DONE(decompose(run, &pairs, &singular));
    pv_singular_weigh(&singular, options->eigenvalue_power);
    status = pv_baseline_write(run, &words, options->dim, singular.U);
done:
    pv_singular_free(&singular);
    pv_cooccurrence_free(&pairs);
    pv_buffer_free(&provenance);
    return status;
}
