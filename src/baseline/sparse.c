/* Sparse codes of dense vectors: Faruqui, Tsvetkov, Yogatama, Dyer and Smith, "Sparse overcomplete
 * word vector representations", ACL 2015. sparse_learn.h describes the objective and the algorithm.
 *
 * All vectors are first scaled by one factor to a mean squared length of 4, about that of the
 * word2vec vectors for which the published penalties were chosen. So the penalties have the same
 * effect for any vectors, and the relative lengths of vectors do not change. Codes of the
 * non-negative kind are not negative; atoms may be, as in the authors' program (in their paper
 * atoms are non-negative too, but such atoms cannot represent vectors with negative components).
 * The binary kind has a 1 where the non-negative one is positive.
 *
 * The saved state, OUTPUT.partial/codes.safetensors, is the dictionary and the codes after an
 * epoch.
 */
#include "baseline/baseline.h"
#include "baseline/sparse_learn.h"

#include <math.h>
#include <string.h>

static const double square_length = 4;

typedef struct sparse_run {
    pv_baseline_run *run;
    psdvec_context *ctx;
    const psdvec_model *dense;
    pv_code_words words;
    pv_sparse_learner learner;
    pv_progress progress;
    pv_csr_store codes; /* all codes, when they are needed in one array */
} sparse_run;

/* ---- Saved state ----------------------------------------------------------------- */

static psdvec_status save(sparse_run *s)
{
    const pv_sparse_learner *l = &s->learner;
    double figures[] = {l->epochs, l->length, l->objective};
    psdvec_status status;
    PV_TRY_DONE(pv_sparse_gather(&s->learner, false, 1, &s->codes));
    const pv_tensor tensors[] = {
        pv_tensor_of("atoms", PV_DTYPE_F32, l->atoms.count, l->atoms.stride, l->atoms.rows),
        pv_tensor_of("begin", PV_DTYPE_U64, (uint64_t)s->words.count + 1, 0, s->codes.begin),
        pv_tensor_of("column", PV_DTYPE_U32, l->entries, 0, s->codes.column),
        pv_tensor_of("value", PV_DTYPE_F32, l->entries, 0, s->codes.value),
        pv_tensor_of("figures", PV_DTYPE_F64, 3, 0, figures)};
    status = pv_partial_save(s->run->partial, "codes", tensors, sizeof tensors / sizeof *tensors);
done:
    pv_csr_store_free(&s->codes);
    return status;
}

/* Loads the state of an interrupted run, if there is one. */
static psdvec_status load(sparse_run *s)
{
    pv_sparse_learner *l = &s->learner;
    pv_st_file *file = NULL;
    PV_TRY(pv_partial_load(s->run->partial, "codes", &file));
    if (!file)
        return PSDVEC_OK;
    const pv_tensor *atoms, *begin, *column, *value, *figures;
    psdvec_status status;
    PV_TRY_DONE(pv_state_require(s->ctx, file, "atoms", PV_DTYPE_F32, l->atoms.count,
                                 (int64_t)l->atoms.stride, &atoms));
    PV_TRY_DONE(pv_state_require(s->ctx, file, "begin", PV_DTYPE_U64, (int64_t)s->words.count + 1,
                                 0, &begin));
    PV_TRY_DONE(pv_state_require(s->ctx, file, "column", PV_DTYPE_U32, -1, 0, &column));
    PV_TRY_DONE(pv_state_require(s->ctx, file, "value", PV_DTYPE_F32, (int64_t)column->shape[0], 0,
                                 &value));
    PV_TRY_DONE(pv_state_require(s->ctx, file, "figures", PV_DTYPE_F64, 3, 0, &figures));
    const double *known = figures->data;
    pv_csr codes =
        pv_csr_of(s->words.count, l->atoms.count, begin->data, column->data, value->data);
    bool fine = pv_offsets_ascend(codes.begin, codes.rows, column->shape[0], 0);
    if (fine)
        PV_TRY_DONE(pv_csr_check_columns(s->ctx, &codes, &fine));
    if (!fine || !(known[0] >= 1 && known[0] <= s->run->options->epochs) || !(known[1] > 0))
        goto done;
    memcpy(l->atoms.rows, atoms->data, atoms->bytes);
    pv_atoms_measure(&l->atoms);
    PV_TRY_DONE(pv_sparse_scatter(l, &codes));
    l->epochs = (uint32_t)known[0];
    l->length = known[1];
    l->objective = known[2];
    pv_step(s->ctx, "resuming after epoch %u of an interrupted run", l->epochs);
done:
    pv_st_close(file);
    return status;
}

/* ---- The vectors ----------------------------------------------------------------- */

static psdvec_status take_vectors(sparse_run *s)
{
    const psdvec_model_info *info = &s->dense->info;
    const float *vectors;
    if (info->sparse)
        return pv_fail(s->ctx, PSDVEC_ERR_OPTION,
                       "%s: its vectors are already sparse; give a model or file with dense "
                       "vectors",
                       s->dense->path);
    PV_TRY(pv_model_floats(s->ctx, s->dense, &s->dense->readout, &vectors));
    double total = 0;
    for (uint32_t i = 0; i < info->words; i++) {
        double square = 0;
        for (uint32_t k = 0; k < info->dim; k++) {
            double number = vectors[(size_t)i * info->dim + k];
            square += number * number;
        }
        if (!isfinite(square))
            return pv_fail(s->ctx, PSDVEC_ERR_FORMAT,
                           "%s: the vector of word %u has a component that is not finite; the "
                           "file is damaged, or the program that made it failed",
                           s->dense->path, i);
        total += square;
    }
    double scale = total > 0 ? sqrt(square_length / (total / info->words)) : 1;
    if (!isfinite((float)scale) || !((float)scale > 0))
        return pv_fail(s->ctx, PSDVEC_ERR_NUMERIC,
                       "%s: its vectors are too long or too short for single precision; scale them",
                       s->dense->path);
    s->words = pv_code_words_of(info->words, info->dim, vectors, (float)scale);
    return PSDVEC_OK;
}

/* Chooses the requested number of atoms, or as many as possible. */
static psdvec_status choose_atoms(const sparse_run *s, uint32_t *count)
{
    const double mebibyte = 1024.0 * 1024.0;
    double wanted = fmax(1, round(s->run->options->factor * s->words.dim));
    if (wanted > INT32_MAX / 2)
        return pv_fail(s->ctx, PSDVEC_ERR_OPTION,
                       "`factor` is %g, which gives %.0f dimensions; that is too many, so lower it",
                       s->run->options->factor, wanted);
    uint32_t atoms = *count = (uint32_t)wanted;
    uint64_t need = pv_sparse_bytes(s->ctx, s->words.count, s->words.dim, atoms);
    uint64_t left = pv_memory_left(s->ctx);
    if (need <= left)
        return PSDVEC_OK;
    return pv_fail(s->ctx, PSDVEC_ERR_BUDGET,
                   "sparse codes of %u words with %u dimensions need about %.0f MiB of memory, "
                   "and %.0f MiB of the limit are left; raise `memory`, or use fewer dimensions "
                   "(`factor`)",
                   s->words.count, atoms, ceil((double)need / mebibyte),
                   floor((double)left / mebibyte));
}

/* ---- The run --------------------------------------------------------------------- */

static psdvec_status learn(sparse_run *s)
{
    pv_sparse_learner *l = &s->learner;
    uint32_t epochs = s->run->options->epochs;
    uint64_t passes = (uint64_t)epochs - l->epochs + 1;
    pv_progress_begin(&s->progress, s->ctx, "coding", "words", passes * s->words.count);
    s->progress.objective = l->objective;
    l->progress = &s->progress;
    while (l->epochs < epochs) {
        PV_TRY(pv_sparse_epoch(l));
        s->progress.objective = l->objective;
        pv_step(s->ctx, "epoch %u of %u: objective %.6g, %.2f %% zeros", l->epochs, epochs,
                l->objective, 100 * (1 - (double)l->entries / s->words.count / l->atoms.count));
        PV_TRY(save(s));
    }
    PV_TRY(pv_sparse_finish(l));
    pv_progress_end(&s->progress);
    return PSDVEC_OK;
}

static psdvec_status write_codes(sparse_run *s)
{
    const psdvec_baseline_options *options = s->run->options;
    pv_sparse_learner *l = &s->learner;
    PV_TRY(pv_sparse_gather(l, true, (float)(1 / l->length), &s->codes));
    s->run->report->entries = l->entries;
    s->run->report->epochs = l->epochs;
    s->run->report->loss = l->objective;
    if (l->entries == 0)
        pv_warn(s->ctx, "all codes are 0, so no word has a vector; use a penalty below %g (`l1`)",
                options->l1);
    pv_csr codes = pv_csr_view(&s->codes);
    if (options->binary)
        codes.value = NULL;
    return pv_baseline_write(s->run, codes.columns, NULL, &codes);
}

psdvec_status pv_baseline_sparse(pv_baseline_run *run, const psdvec_model *dense)
{
    const psdvec_baseline_options *options = run->options;
    sparse_run s = {.run = run, .ctx = run->ctx, .dense = dense};
    uint32_t atoms = 0;
    psdvec_status status;
    PV_TRY_DONE(take_vectors(&s));
    s.learner = (pv_sparse_learner){.ctx = run->ctx,
                                    .words = &s.words,
                                    .l1 = options->l1,
                                    .l2 = options->l2,
                                    .ridge = options->ridge,
                                    .nonnegative = options->nonnegative || options->binary};
    PV_TRY_DONE(choose_atoms(&s, &atoms));
    PV_TRY_DONE(pv_sparse_begin(&s.learner, atoms));
    PV_TRY_DONE(load(&s));
    PV_TRY_DONE(learn(&s));
    PV_TRY_DONE(write_codes(&s));
done:
    pv_sparse_free(&s.learner);
    pv_csr_store_free(&s.codes);
    return status;
}
