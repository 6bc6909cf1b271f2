/* Vectors from one format into another, cut and normalised on the way.
 *
 * The numbers of our vectors are ordered by the magnitude of their eigenvalues, so
 * the first k of them are the best k: cutting is how a model is made smaller; rounding
 * (precision.h) is another. Other programs compare words, so they get the read-out; a model
 * file keeps the generative vectors, from which the read-out is made.
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

/* One set of vectors on its way: cut, and brought to length 1 as asked. */
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
        if (job->spread) /* it has the unit of the vector */
            job->spread[i] = (float)((double)m->spread[i] / divisor);
    }
    return PSDVEC_OK;
}

/* What a model with fewer numbers, or vectors of length 1, needs copies of. */
typedef struct changed {
    float *vectors, *readout, *spread, *map;
    int8_t *ngram_rows;
    pv_spelling_table spelling;
} changed;

static psdvec_status copy_vectors(psdvec_context *ctx, const pv_rows_out *rows,
                                  const pv_vector_set *from, float *spread, float **to)
{
    size_t tasks = ((size_t)rows->words + COPY_ROWS - 1) / COPY_ROWS;
    *to = pv_alloc(ctx, (size_t)rows->words * rows->dim, sizeof **to, "the vectors");
    if (!*to)
        return pv_failure(ctx);
    copy_job job = {.rows = rows, .from = from, .to = *to};
    job.spread = spread;
    return pv_parallel_tasks(ctx, tasks, copy_rows, &job);
}

/* The first `dim` of each row, and of the map's rows as well. */
static psdvec_status cut_readout(psdvec_context *ctx, const pv_rows_out *rows, changed *c,
                                 pv_model_data *data)
{
    const psdvec_model *m = rows->model;
    size_t dim = rows->dim, old = m->info.dim;
    if (data->readout_map) {
        c->map = pv_alloc(ctx, dim * dim, sizeof *c->map, "the vectors");
        if (!c->map)
            return pv_failure(ctx);
        for (size_t k = 0; k < dim; k++)
            memcpy(c->map + k * dim, m->readout_map + k * old, dim * sizeof *c->map);
        data->readout_map = c->map;
    }
    if (data->spelling) {
        c->spelling = *data->spelling;
        c->ngram_rows = pv_alloc(ctx, (size_t)c->spelling.ngrams * dim, 1, "the vectors");
        if (!c->ngram_rows)
            return pv_failure(ctx);
        for (size_t g = 0; g < c->spelling.ngrams; g++)
            memcpy(c->ngram_rows + g * dim, data->spelling->rows + g * old, dim);
        c->spelling.rows = c->ngram_rows;
        c->spelling.dim = (uint32_t)dim;
        data->spelling = &c->spelling;
    }
    return PSDVEC_OK;
}

static psdvec_status change(psdvec_context *ctx, const pv_rows_out *rows, changed *c,
                            pv_model_data *data)
{
    const psdvec_model *m = rows->model;
    if (m->spread) {
        c->spread = pv_alloc(ctx, rows->words, sizeof *c->spread, "the vectors");
        if (!c->spread)
            return pv_failure(ctx);
    }
    PV_TRY(copy_vectors(ctx, rows, &m->vectors, c->spread, &c->vectors));
    data->vectors = c->vectors;
    data->spread = c->spread;
    if (data->readout) {
        PV_TRY(copy_vectors(ctx, rows, &m->readout, NULL, &c->readout));
        data->readout = c->readout;
    }
    return rows->dim < m->info.dim ? cut_readout(ctx, rows, c, data) : PSDVEC_OK;
}

static psdvec_status to_model(psdvec_context *ctx, const pv_rows_out *rows, const char *output)
{
    const psdvec_model *m = rows->model;
    const psdvec_model_info *info = &m->info;
    psdvec_status status = PSDVEC_OK;
    changed c = {0};
    /* On vectors of another length no word can be regressed: there is no core any more. */
    uint32_t core = info->core_words < rows->words ? info->core_words : rows->words;
    pv_model_data data;
    PV_TRY(pv_model_data_of(ctx, m, &data));
    data.words = rows->words;
    data.dim = rows->dim;
    data.core_words = rows->normalize ? 0 : core;
    data.precision = rows->precision;
    if (m->file)
        PV_TRY_DONE(pv_st_warn_unknown(ctx, m->file, pv_model_names));
    if (rows->normalize)
        data.readout_mean = data.readout_map = NULL;
    if (rows->words < info->words)
        data.joint_json = NULL; /* it was of all words ... */
    if (rows->dim < info->dim || rows->normalize) {
        data.joint_json = NULL; /* ... and of the whole vectors */
        data.fit_json = NULL;   /* it was of the whole vectors */
        PV_TRY_DONE(change(ctx, rows, &c, &data));
    }
    status = pv_model_write(ctx, &data, output);
done:
    pv_free(ctx, c.vectors);
    pv_free(ctx, c.readout);
    pv_free(ctx, c.spread);
    pv_free(ctx, c.map);
    pv_free(ctx, c.ngram_rows);
    return status;
}

/* ---- The call ---------------------------------------------------------------------- */

static psdvec_status check_apart(psdvec_context *ctx, const char *one, const char *other)
{
    if (!pv_same_file(one, other) && strcmp(one, other) != 0)
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_SAME_FILE,
                   "%s: is to be two files of this conversion at once; choose another name for the "
                   "output",
                   one);
}

/* The words of an npy file are an input, too. */
static psdvec_status check_words_apart(psdvec_context *ctx, const char *input, const char *words_in,
                                       const char *output, const char *words_out)
{
    char *beside = words_in ? strdup(words_in) : pv_foreign_words_path(input);
    if (!beside)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory");
    psdvec_status status = check_apart(ctx, beside, output);
    if (status == PSDVEC_OK && words_out)
        status = check_apart(ctx, beside, words_out);
    free(beside);
    return status;
}

static psdvec_status convert(psdvec_context *ctx, const psdvec_convert_options *o,
                             const psdvec_model *m, const char *output, const char *words_out)
{
    const psdvec_model_info *info = &m->info;
    if (o->dim > info->dim)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "%s: its vectors have %" PRIu32 " numbers, so the first %" PRIu32
                       " cannot be had",
                       m->path, info->dim, o->dim);
    if (o->words_file && !m->foreign.npy && !pv_vectors_formats[o->format].words_beside)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "a file of words is for npy alone; the words stand in the file itself here");
    pv_rows_out rows = {.model = m,
                        .vectors = &m->vectors,
                        .format = o->format,
                        .precision = o->precision,
                        .words = o->words && o->words < info->words ? o->words : info->words,
                        .dim = o->dim ? o->dim : info->dim,
                        .digits = o->digits,
                        .normalize = o->normalize};
    /* The new file's checksums must not vouch for what was damaged in the old one. */
    if (m->file)
        PV_TRY(pv_st_verify_if_any(ctx, m->file));
    if (info->sparse)
        return pv_sparse_convert(ctx, &rows, output, words_out);
    if (o->format != PSDVEC_VECTORS_MODEL && !o->raw)
        rows.vectors = &m->readout;
    PV_TRY(pv_vector_set_check(ctx, m->path, rows.vectors, rows.words, rows.dim, m->bytes,
                               m->offsets));
    if (o->format == PSDVEC_VECTORS_MODEL && info->has_readout)
        PV_TRY(pv_vector_set_check(ctx, m->path, &m->readout, rows.words, rows.dim, m->bytes,
                                   m->offsets));
    if (o->format == PSDVEC_VECTORS_MODEL)
        return to_model(ctx, &rows, output);
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
    PV_TRY(check_apart(ctx, input, output));
    /* Where both ends are npy, the name given is that of the result. */
    const char *words_in = pv_vectors_formats[o.format].words_beside ? NULL : o.words_file;
    char *words_out = NULL;
    psdvec_model *model = NULL;
    psdvec_status status = PSDVEC_OK;
    if (pv_vectors_formats[o.format].words_beside) {
        words_out = o.words_file ? strdup(o.words_file) : pv_foreign_words_path(output);
        if (!words_out) {
            status = pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory");
            goto done;
        }
        PV_TRY_DONE(check_apart(ctx, input, words_out));
        PV_TRY_DONE(check_apart(ctx, output, words_out));
    }
    PV_TRY_DONE(pv_model_open_words(ctx, input, words_in, &model));
    if (model->foreign.npy)
        PV_TRY_DONE(check_words_apart(ctx, input, words_in, output, words_out));
    status = convert(ctx, &o, model, output, words_out);
done:
    psdvec_model_close(model);
    free(words_out);
    return status;
}
