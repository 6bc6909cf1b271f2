/* The model file's writer. */
#include "model/model_write.h"

#include "base/safetensors_write.h"
#include "base/thread.h"
#include "model/history.h"
#include "model/model_read.h"
#include "model/precision.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TENSORS = 18, MOST_METADATA = 12, CHECK_ROWS = 4096 };

/* ---- Numbers that are none ------------------------------------------------- */

typedef struct finite_job {
    const pv_vector_set *set; /* dense, or else ... */
    const pv_csr *sparse;
    uint32_t words, dim;
    _Atomic uint32_t first; /* bad word found so far; `words`: none */
} finite_job;

static bool are_finite(const float *numbers, size_t count)
{
    /* A number that is not finite times 0 is not 0, and stays so in any sum. */
    float sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += numbers[k] * 0.0F;
    return sum == 0;
}

static bool row_is_finite(const finite_job *job, uint32_t i)
{
    if (!job->sparse)
        return pv_vector_set_is_finite(job->set, i, job->dim);
    pv_csr_row row = pv_csr_row_of(job->sparse, i);
    return are_finite(row.value, row.count);
}

static psdvec_status check_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    finite_job *job = arg;
    uint32_t begin = (uint32_t)task * CHECK_ROWS;
    uint32_t end = job->words - begin < CHECK_ROWS ? job->words : begin + CHECK_ROWS;
    for (uint32_t i = begin; i < end && i < atomic_load(&job->first); i++) {
        if (row_is_finite(job, i))
            continue;
        uint32_t first = atomic_load(&job->first);
        while (i < first && !atomic_compare_exchange_weak(&job->first, &first, i)) {
        }
    }
    return PSDVEC_OK;
}

static psdvec_status check_finite(psdvec_context *ctx, finite_job *job, const char *subject,
                                  const char *bytes, const uint64_t *offsets)
{
    atomic_init(&job->first, job->words);
    size_t tasks = ((size_t)job->words + CHECK_ROWS - 1) / CHECK_ROWS;
    PV_TRY(pv_parallel_tasks(ctx, tasks, check_rows, job));
    uint32_t i = atomic_load(&job->first);
    if (i == job->words)
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                   "%s: the vector of '%s' (word %" PRIu32
                   ") has a number that is not finite; it cannot be used",
                   subject, pv_word_shown(bytes + offsets[i], offsets[i + 1] - offsets[i]).text,
                   i + 1);
}

psdvec_status pv_model_check_finite(psdvec_context *ctx, const char *subject, const float *vectors,
                                    uint32_t words, uint32_t dim, uint32_t stride,
                                    const char *bytes, const uint64_t *offsets)
{
    pv_vector_set set = pv_vector_set_floats(words, stride, vectors);
    return pv_vector_set_check(ctx, subject, &set, words, dim, bytes, offsets);
}

psdvec_status pv_vector_set_check(psdvec_context *ctx, const char *subject,
                                  const pv_vector_set *set, uint32_t words, uint32_t dim,
                                  const char *bytes, const uint64_t *offsets)
{
    finite_job job = {.set = set, .words = words, .dim = dim};
    return check_finite(ctx, &job, subject, bytes, offsets);
}

psdvec_status pv_sparse_check_finite(psdvec_context *ctx, const char *subject,
                                     const pv_csr *vectors, const char *bytes,
                                     const uint64_t *offsets)
{
    finite_job job = {.sparse = vectors, .words = vectors->rows};
    return vectors->value ? check_finite(ctx, &job, subject, bytes, offsets) : PSDVEC_OK;
}

/* ---- The file ---------------------------------------------------------------- */

const char *const pv_model_names[] = {"format",
                                      "version",
                                      "written_by",
                                      "core_words",
                                      "method",
                                      "settings",
                                      "counts",
                                      "extensions",
                                      "joint",
                                      "fit",
                                      "history",
                                      "spelling",
                                      "eigenvalues",
                                      "words",
                                      "offsets",
                                      "unigram",
                                      "spread",
                                      "vectors",
                                      "scale",
                                      "readout",
                                      "readout.scale",
                                      "readout.mean",
                                      "readout.map",
                                      "spelling.ngrams",
                                      "spelling.offsets",
                                      "spelling.members",
                                      "spelling.scale",
                                      "spelling.rows",
                                      NULL};

/* What the caller got wrong, if anything. */
static const char *misuse(const pv_model_data *m)
{
    if (m->words == 0 || m->dim == 0 || m->words > PV_MODEL_MOST_WORDS)
        return "no words, no numbers, or too many words";
    if (m->core_words > m->words)
        return "more core words than words";
    if (m->offsets[0] != 0)
        return "offsets that do not start at 0";
    for (uint32_t i = 0; i < m->words; i++)
        if (m->offsets[i] >= m->offsets[i + 1])
            return "an empty word";
    if (m->eigenvalues)
        for (uint32_t k = 0; k < m->dim; k++)
            if (!isfinite(m->eigenvalues[k]))
                return "an eigenvalue that is not finite";
    return NULL;
}

/* Fills `meta`; `history` and `core` hold what it points to. */
static psdvec_status describe(const pv_model_data *m, pv_buffer *history, char core[16],
                              char version[16], char lengths[32], pv_st_pair meta[MOST_METADATA],
                              size_t *count)
{
    size_t n = 0;
    snprintf(version, 16, "%d", PV_MODEL_VERSION);
    snprintf(core, 16, "%" PRIu32, m->core_words);
    meta[n++] = (pv_st_pair){"format", PV_MODEL_FORMAT};
    meta[n++] = (pv_st_pair){"version", version};
    meta[n++] = (pv_st_pair){"written_by", "psdvec " PSDVEC_VERSION};
    if (m->core_words)
        meta[n++] = (pv_st_pair){"core_words", core};
    if (m->method)
        meta[n++] = (pv_st_pair){"method", m->method};
    if (m->settings_json)
        meta[n++] = (pv_st_pair){"settings", m->settings_json};
    if (m->counts_json)
        meta[n++] = (pv_st_pair){"counts", m->counts_json};
    if (m->extensions_json)
        meta[n++] = (pv_st_pair){"extensions", m->extensions_json};
    if (m->joint_json)
        meta[n++] = (pv_st_pair){"joint", m->joint_json};
    if (m->fit_json)
        meta[n++] = (pv_st_pair){"fit", m->fit_json};
    if (m->iterations && m->iteration_count) {
        PV_TRY(pv_history_write(history, m->iterations, m->iteration_count));
        meta[n++] = (pv_st_pair){"history", history->data};
    }
    if (m->spelling && m->spelling->ngrams) {
        snprintf(lengths, 32, "%" PRIu32 "-%" PRIu32, m->spelling->shortest, m->spelling->longest);
        meta[n++] = (pv_st_pair){"spelling", lengths};
    }
    *count = n;
    return PSDVEC_OK;
}

/* One set of vectors, under `name`, in the precision of the file; of int8 with its scales
 * under `scale_name`. */
static psdvec_status put_vectors(psdvec_context *ctx, pv_st_writer *w, const pv_model_data *m,
                                 const float *vectors, const char *name, const char *scale_name,
                                 const char *path)
{
    psdvec_status status;
    uint64_t shape[2] = {m->words, m->dim};
    pv_dtype dtype = pv_precision_dtype(m->precision);
    if (m->precision == PSDVEC_FLOAT32)
        return pv_st_writer_tensor(w, name, dtype, 2, shape, vectors);
    pv_packing packing = {ctx, path, m->precision, m->dim, m->bytes, m->offsets};
    float *scale = pv_alloc(ctx, m->words, sizeof *scale, "rounding vectors");
    char *packed =
        pv_alloc(ctx, (size_t)m->words * m->dim, pv_dtype_size(dtype), "rounding vectors");
    if (!scale || !packed) {
        status = pv_failure(ctx);
        goto done;
    }
    PV_TRY_DONE(pv_pack(&packing, vectors, m->words, packed, scale));
    if (m->precision == PSDVEC_INT8)
        PV_TRY_DONE(pv_st_writer_tensor(w, scale_name, PV_DTYPE_F32, 1, shape, scale));
    status = pv_st_writer_tensor(w, name, dtype, 2, shape, packed);
done:
    pv_free(ctx, scale);
    pv_free(ctx, packed);
    return status;
}

static psdvec_status put_spelling(pv_st_writer *w, const pv_spelling_table *s)
{
    uint64_t ngrams = s->ngrams, ends = ngrams + 1, bytes = s->offsets[s->ngrams];
    uint64_t shape[2] = {ngrams, s->dim};
    PV_TRY(pv_st_writer_tensor(w, "spelling.ngrams", PV_DTYPE_U8, 1, &bytes, s->bytes));
    PV_TRY(pv_st_writer_tensor(w, "spelling.offsets", PV_DTYPE_U32, 1, &ends, s->offsets));
    PV_TRY(pv_st_writer_tensor(w, "spelling.members", PV_DTYPE_U32, 1, &ngrams, s->members));
    PV_TRY(pv_st_writer_tensor(w, "spelling.scale", PV_DTYPE_F32, 1, &ngrams, s->row_scale));
    return pv_st_writer_tensor(w, "spelling.rows", PV_DTYPE_I8, 2, shape, s->rows);
}

/* The vectors last: what is small stands in front, where a reader that fetches the
 * start of a file has it all. */
static psdvec_status put_tensors(psdvec_context *ctx, pv_st_writer *w, const pv_model_data *m,
                                 const char *path)
{
    uint64_t words = m->words, ends = words + 1, bytes = m->offsets[m->words], dim = m->dim;
    if (m->eigenvalues)
        PV_TRY(pv_st_writer_tensor(w, "eigenvalues", PV_DTYPE_F32, 1, &dim, m->eigenvalues));
    PV_TRY(pv_st_writer_tensor(w, "words", PV_DTYPE_U8, 1, &bytes, m->bytes));
    PV_TRY(pv_st_writer_tensor(w, "offsets", PV_DTYPE_U64, 1, &ends, m->offsets));
    if (m->counts)
        PV_TRY(pv_st_writer_tensor(w, "counts", PV_DTYPE_U64, 1, &words, m->counts));
    if (m->unigram)
        PV_TRY(pv_st_writer_tensor(w, "unigram", PV_DTYPE_F64, 1, &words, m->unigram));
    if (m->spread)
        PV_TRY(pv_st_writer_tensor(w, "spread", PV_DTYPE_F32, 1, &words, m->spread));
    if (m->readout && m->readout_mean)
        PV_TRY(pv_st_writer_tensor(w, "readout.mean", PV_DTYPE_F32, 1, &dim, m->readout_mean));
    if (m->readout && m->readout_map)
        PV_TRY(pv_st_writer_tensor(w, "readout.map", PV_DTYPE_F32, 2, (uint64_t[]){dim, dim},
                                   m->readout_map));
    if (m->spelling && m->spelling->ngrams)
        PV_TRY(put_spelling(w, m->spelling));
    if (m->readout)
        PV_TRY(put_vectors(ctx, w, m, m->readout, "readout", "readout.scale", path));
    return put_vectors(ctx, w, m, m->vectors, "vectors", "scale", path);
}

psdvec_status pv_model_write(psdvec_context *ctx, const pv_model_data *m, const char *path)
{
    const char *wrong = misuse(m);
    if (wrong)
        return pv_fail(ctx, PSDVEC_ERR_INTERNAL, "%s: a model with %s was to be written", path,
                       wrong);
    PV_TRY(pv_model_check_finite(ctx, path, m->vectors, m->words, m->dim, m->dim, m->bytes,
                                 m->offsets));
    if (m->readout)
        PV_TRY(pv_model_check_finite(ctx, path, m->readout, m->words, m->dim, m->dim, m->bytes,
                                     m->offsets));
    psdvec_status status;
    pv_output *output = NULL;
    pv_st_writer *writer = NULL;
    pv_buffer history;
    pv_st_pair meta[MOST_METADATA];
    size_t meta_count;
    char core[16], version[16], lengths[32];
    pv_buffer_init(&history, ctx);
    PV_TRY_DONE(describe(m, &history, core, version, lengths, meta, &meta_count));
    PV_TRY_DONE(pv_output_open(ctx, path, &output));
    PV_TRY_DONE(pv_output_expect(output, (m->readout ? 2 : 1) * (uint64_t)m->words * m->dim *
                                                 pv_dtype_size(pv_precision_dtype(m->precision)) +
                                             (m->spelling ? pv_spelling_bytes(m->spelling) : 0)));
    PV_TRY_DONE(pv_st_writer_begin(ctx, pv_st_output_sink(output), MOST_TENSORS, meta, meta_count,
                                   0, &writer));
    PV_TRY_DONE(put_tensors(ctx, writer, m, path));
    PV_TRY_DONE(pv_st_writer_end(writer, NULL));
    status = pv_output_commit(output);
    output = NULL;
done:
    pv_st_writer_free(writer);
    pv_output_discard(output);
    pv_buffer_free(&history);
    return status;
}
