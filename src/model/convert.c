/* Conversion of vectors between formats, with optional truncation and normalisation.
 *
 * The components of our vectors are ordered by the magnitude of their eigenvalues, so the first k
 * are the best k: truncation makes a model smaller, and so does rounding (precision.h). Other
 * programs compare words, so they get the read-out; a model file keeps the generative vectors, from
 * which the read-out is derived.
 */
#include "model/foreign_write.h"
#include "model/model_read.h"
#include "model/model_write.h"
#include "model/options.h"
#include "model/sparse_file.h"

#include "base/arguments.h"
#include "base/thread.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COPY_ROWS = 1024 };

/* ---- To a model file ------------------------------------------------------------- */

/* The copying of one set of vectors. */
typedef struct copy_job {
    const pv_rows_out *rows;
    const pv_vector_set *from;
    float *to;     /* words x dim */
    float *spread; /* words, or NULL */
} copy_job;

static psdvec_status copy_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    copy_job *job = arg;
    const pv_rows_out *rows = job->rows;
    const psdvec_model *m = rows->model;
    uint64_t begin = (uint64_t)task * COPY_ROWS, end = begin + COPY_ROWS;
    for (uint64_t i = begin; i < end && i < rows->words; i++) {
        double divisor = pv_copy_row(rows, job->from, (uint32_t)i, job->to + i * rows->dim);
        if (job->spread) /* it scales with the vector */
            job->spread[i] = (float)((double)m->spread[i] / divisor);
    }
    return PSDVEC_OK;
}

static psdvec_status copy_vectors(pv_scope *scope, const pv_rows_out *rows,
                                  const pv_vector_set *from, float *spread, const float **to)
{
    size_t tasks = ((size_t)rows->words + COPY_ROWS - 1) / COPY_ROWS;
    copy_job job = {.rows = rows, .from = from, .spread = spread};
    PV_TAKE(scope, job.to, (size_t)rows->words * rows->dim);
    PV_TRY(pv_scope_status(scope));
    *to = job.to;
    return pv_parallel_tasks(scope->ctx, tasks, copy_rows, &job);
}

/* Copies what a model with fewer dimensions, or with vectors of length 1, must change. `spelling`:
 * storage for a changed table. */
static psdvec_status change(pv_scope *scope, const pv_rows_out *rows, pv_spelling_table *spelling,
                            pv_model_data *data)
{
    const psdvec_model *m = rows->model;
    size_t dim = rows->dim, old = m->info.dim;
    float *spread = NULL, *map;
    int8_t *ngram_rows;
    if (m->spread)
        PV_TAKE(scope, spread, rows->words);
    PV_TRY(copy_vectors(scope, rows, &m->vectors, spread, &data->vectors));
    data->spread = spread;
    if (data->readout)
        PV_TRY(copy_vectors(scope, rows, &m->readout, NULL, &data->readout));
    /* The first `dim` rows of the map, truncated to `dim` columns. */
    if (dim < old && data->readout_map) {
        PV_TAKE(scope, map, dim * dim);
        PV_TRY(pv_scope_status(scope));
        for (size_t k = 0; k < dim; k++)
            memcpy(map + k * dim, m->readout_map + k * old, dim * sizeof *map);
        data->readout_map = map;
    }
    if (dim < old && data->spelling) {
        *spelling = *data->spelling;
        PV_TAKE(scope, ngram_rows, (size_t)spelling->ngrams * dim);
        PV_TRY(pv_scope_status(scope));
        for (size_t g = 0; g < spelling->ngrams; g++)
            memcpy(ngram_rows + g * dim, spelling->rows + g * old, dim);
        spelling->rows = ngram_rows;
        spelling->dim = (uint32_t)dim;
        data->spelling = spelling;
    }
    return PSDVEC_OK;
}

/* Replaces the generative vectors by the read-out and removes everything that describes them. */
static void keep_readout(pv_model_data *data)
{
    if (data->readout)
        data->vectors = data->readout;
    data->readout = data->readout_mean = data->readout_map = NULL;
    data->eigenvalues = data->spread = NULL;
    data->unigram = NULL;
    data->iterations = NULL;
    data->core_words = 0;
    data->method = data->settings_json = data->extensions_json = NULL;
    data->fit_json = data->joint_json = NULL;
}

static psdvec_status to_model(psdvec_context *ctx, const pv_rows_out *rows,
                              const psdvec_convert_options *o, const char *output)
{
    const psdvec_model *m = rows->model;
    const psdvec_model_info *info = &m->info;
    psdvec_status status = PSDVEC_OK;
    pv_scope scope = {.ctx = ctx, .what = "the vectors"};
    pv_spelling_table spelling;
    /* New words cannot be regressed on normalised vectors, so there is no core any more. */
    uint32_t core = info->core_words < rows->words ? info->core_words : rows->words;
    pv_model_data data;
    PV_TRY(pv_model_data_of(ctx, m, &data));
    data.words = rows->words;
    data.dim = rows->dim;
    data.core_words = rows->normalize ? 0 : core;
    data.precision = rows->precision;
    if (o->no_spelling)
        data.spelling = NULL;
    data.no_spelling |= o->no_spelling && info->has_spelling;
    data.only_readout |= o->only_readout;
    if (m->file)
        PV_TRY(pv_st_warn_unknown(ctx, m->file, pv_model_names));
    if (rows->normalize)
        data.readout_mean = data.readout_map = NULL;
    if (rows->words < info->words)
        data.joint_json = NULL; /* it refers to all words ... */
    if (rows->dim < info->dim || rows->normalize) {
        data.joint_json = data.fit_json = NULL; /* ... and both to the complete vectors */
        PV_TRY_DONE(change(&scope, rows, &spelling, &data));
    }
    if (o->only_readout)
        keep_readout(&data);
    status = pv_model_write(ctx, &data, output);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- The call ---------------------------------------------------------------------- */

static psdvec_status check_distinct_files(psdvec_context *ctx, const char *one, const char *other)
{
    if (!pv_same_file(one, other) && strcmp(one, other) != 0)
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_SAME_FILE,
                   "%s: would be two files of this conversion; choose another name for the output",
                   one);
}

/* The path of the words of an npy file, on the heap. */
static psdvec_status find_words_path(psdvec_context *ctx, const char *given, const char *npy,
                                     char **path)
{
    *path = given ? strdup(given) : pv_foreign_words_path(npy);
    return *path ? PSDVEC_OK : pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory");
}

static psdvec_status convert(psdvec_context *ctx, const psdvec_convert_options *o,
                             const psdvec_model *m, const char *output, const char *words_out)
{
    const psdvec_model_info *info = &m->info;
    if (o->dim > info->dim)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "%s: its vectors have %" PRIu32 " dimensions, so `dim` cannot be %" PRIu32,
                       m->path, info->dim, o->dim);
    if (o->words_file && !m->foreign.npy && !pv_vectors_formats[o->format].words_beside)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "a file of words is only for npy; this format contains the words");
    pv_rows_out rows = {.model = m,
                        .vectors = &m->vectors,
                        .format = o->format,
                        .precision = o->precision,
                        .words = o->words && o->words < info->words ? o->words : info->words,
                        .dim = o->dim ? o->dim : info->dim,
                        .digits = o->digits,
                        .normalize = o->normalize};
    /* Verify the input, because the new file gets valid checksums even for damaged data. */
    if (m->file)
        PV_TRY(pv_st_verify_if_any(ctx, m->file));
    if ((o->only_readout || o->no_spelling) && (info->sparse || o->format != PSDVEC_VECTORS_MODEL))
        return pv_fail(
            ctx, PSDVEC_ERR_OPTION,
            "`only_readout` and `no_spelling` are for dense model files; sparse models and "
            "formats of other programs have one set of vectors and no spelling");
    if (info->sparse)
        return pv_sparse_convert(ctx, &rows, output, words_out);
    if (o->format != PSDVEC_VECTORS_MODEL && !o->raw)
        rows.vectors = &m->readout;
    PV_TRY(pv_model_check_set(ctx, m, rows.vectors, rows.words, rows.dim));
    if (o->format == PSDVEC_VECTORS_MODEL && info->has_readout)
        PV_TRY(pv_model_check_set(ctx, m, &m->readout, rows.words, rows.dim));
    if (o->format == PSDVEC_VECTORS_MODEL)
        return to_model(ctx, &rows, o, output);
    return pv_foreign_write(ctx, &rows, output, words_out);
}

psdvec_status psdvec_convert(psdvec_context *ctx, const psdvec_convert_options *options,
                             const char *input, const char *output)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, input);
    PV_NEED(ctx, output);
    psdvec_convert_options o;
    PV_TRY(pv_options_adopt(ctx, &pv_convert_table, options, &o));
    PV_TRY(check_distinct_files(ctx, input, output));
    /* If input and output are npy, the given name is that of the output. */
    const char *words_in = pv_vectors_formats[o.format].words_beside ? NULL : o.words_file;
    char *words_out = NULL, *words_read = NULL;
    psdvec_model *model = NULL;
    psdvec_status status;
    if (pv_vectors_formats[o.format].words_beside) {
        PV_TRY_DONE(find_words_path(ctx, o.words_file, output, &words_out));
        PV_TRY_DONE(check_distinct_files(ctx, input, words_out));
        PV_TRY_DONE(check_distinct_files(ctx, output, words_out));
    }
    PV_TRY_DONE(pv_model_open(ctx, input, words_in, &model));
    if (model->foreign.npy) { /* its words are an input too */
        PV_TRY_DONE(find_words_path(ctx, words_in, input, &words_read));
        PV_TRY_DONE(check_distinct_files(ctx, words_read, output));
        if (words_out)
            PV_TRY_DONE(check_distinct_files(ctx, words_read, words_out));
    }
    status = convert(ctx, &o, model, output, words_out);
done:
    psdvec_model_close(model);
    free(words_out);
    free(words_read);
    return status;
}
