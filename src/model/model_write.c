/* The model file's writer. */
#include "model/model_write.h"

#include "base/thread.h"
#include "model/compact.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST_TENSORS = 20, CHECK_ROWS = 4096 };

/* ---- Numbers that are not finite ------------------------------------------- */

typedef struct finite_job {
    const pv_vector_set *set; /* dense, or else ... */
    const pv_csr *sparse;
    uint32_t words, dim;
    _Atomic uint32_t first; /* first bad word so far; `words`: none */
} finite_job;

static bool row_is_finite(const finite_job *job, uint32_t i)
{
    if (!job->sparse)
        return pv_vector_set_is_finite(job->set, i, job->dim);
    pv_csr_row row = pv_csr_row_of(job->sparse, i);
    return pv_are_finite(row.value, row.count);
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

static psdvec_status find_bad(psdvec_context *ctx, finite_job *job, uint32_t *first)
{
    atomic_init(&job->first, job->words);
    size_t tasks = ((size_t)job->words + CHECK_ROWS - 1) / CHECK_ROWS;
    PV_TRY(pv_parallel_tasks(ctx, tasks, check_rows, job));
    *first = atomic_load(&job->first);
    return PSDVEC_OK;
}

static psdvec_status check_finite(psdvec_context *ctx, finite_job *job, const char *subject,
                                  const char *bytes, const uint64_t *offsets)
{
    uint32_t i;
    PV_TRY(find_bad(ctx, job, &i));
    if (i == job->words)
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                   "%s: the vector of '%s' (word %" PRIu32 ") has a component that is not finite, "
                   "so it cannot be used",
                   subject, pv_word_shown(bytes + offsets[i], offsets[i + 1] - offsets[i]).text,
                   i + 1);
}

psdvec_status pv_model_check_finite(psdvec_context *ctx, const char *subject, const float *vectors,
                                    uint32_t words, uint32_t dim, uint32_t stride,
                                    const char *bytes, const uint64_t *offsets)
{
    pv_vector_set set = pv_vector_set_floats(words, stride, vectors);
    finite_job job = {.set = &set, .words = words, .dim = dim};
    return check_finite(ctx, &job, subject, bytes, offsets);
}

psdvec_status pv_vector_set_find_bad(psdvec_context *ctx, const pv_vector_set *set, uint32_t words,
                                     uint32_t dim, uint32_t *first)
{
    finite_job job = {.set = set, .words = words, .dim = dim};
    return find_bad(ctx, &job, first);
}

psdvec_status pv_sparse_find_bad(psdvec_context *ctx, const pv_csr *vectors, uint32_t *first)
{
    finite_job job = {.sparse = vectors, .words = vectors->rows};
    *first = vectors->rows;
    return vectors->value ? find_bad(ctx, &job, first) : PSDVEC_OK;
}

psdvec_status pv_sparse_check_finite(psdvec_context *ctx, const char *subject,
                                     const pv_csr *vectors, const char *bytes,
                                     const uint64_t *offsets)
{
    finite_job job = {.sparse = vectors, .words = vectors->rows};
    return vectors->value ? check_finite(ctx, &job, subject, bytes, offsets) : PSDVEC_OK;
}

/* ---- The file ---------------------------------------------------------------- */

/* Writes a tensor of rank 1; nothing if `data` is NULL. */
static psdvec_status put_array(pv_st_writer *w, const char *name, pv_dtype dtype, uint64_t count,
                               const void *data)
{
    return data ? pv_st_writer_tensor(w, name, dtype, 1, &count, data) : PSDVEC_OK;
}

const char *const pv_model_names[] = {"fit",           "offsets",         "readout.map",
                                      "joint",         "unigram",         "readout.mean",
                                      "words",         "vectors",         "readout.scale",
                                      "scale",         "readout",         "spelling.rows",
                                      "format",        "settings",        "spelling.scale",
                                      "method",        "spelling",        "spelling.ngrams",
                                      "counts",        "written_by",      "spelling.offsets",
                                      "spread",        "core_words",      "spelling.members",
                                      "version",       "extensions",      "history",
                                      "eigenvalues",   "forms",           "forms.offsets",
                                      "without",       "words.lengths",   "forms.lengths",
                                      "counts.deltas", PV_PHRASES_TENSOR, NULL};

/* The error in the caller's arguments, or NULL. */
static const char *misuse(const pv_model_data *m)
{
    if (m->words == 0 || m->dim == 0 || m->words > PV_MODEL_MOST_WORDS)
        return "no words, no dimensions, or too many words";
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

const pv_json_field pv_iteration_fields[] = {
    PV_JSON_FIELD(psdvec_iteration, iteration),  PV_JSON_FIELD(psdvec_iteration, rank),
    PV_JSON_FIELD(psdvec_iteration, positive),   PV_JSON_FIELD(psdvec_iteration, objective),
    PV_JSON_FIELD(psdvec_iteration, relaxation), PV_JSON_FIELD(psdvec_iteration, smallest),
    PV_JSON_FIELD(psdvec_iteration, residual),   {0}};

/* Writes the training history: an array with one object per iteration, and a zero byte. An unknown
 * number (NAN) is written as null. */
static psdvec_status write_history(pv_buffer *json, const psdvec_iteration *iterations,
                                   size_t count)
{
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_array(&w, NULL);
    for (size_t k = 0; k < count; k++) {
        pv_json_open_object(&w, NULL);
        pv_json_put_fields(&w, pv_iteration_fields, &iterations[k], false);
        pv_json_close(&w);
    }
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, '\0');
}

/* Writes one set of vectors as `name`, in the precision of the file; for int8 also its scales as
 * `scale_name`. */
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
    pv_scope scope = {.ctx = ctx, .what = "rounding vectors"};
    float *scale;
    PV_TAKE(&scope, scale, m->words);
    void *packed = pv_scope_alloc(&scope, (size_t)m->words * m->dim, pv_dtype_size(dtype), false);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_pack(&packing, vectors, m->words, packed, scale));
    if (m->precision == PSDVEC_INT8)
        PV_TRY_DONE(put_array(w, scale_name, PV_DTYPE_F32, m->words, scale));
    status = pv_st_writer_tensor(w, name, dtype, 2, shape, packed);
done:
    pv_scope_free(&scope);
    return status;
}

/* Writes the words, their forms and their frequencies. */
static psdvec_status put_words(pv_st_writer *w, const pv_model_data *m)
{
    uint64_t words = m->words;
    PV_TRY(put_array(w, "words", PV_DTYPE_U8, m->offsets[words], m->bytes));
    PV_TRY(put_array(w, "offsets", PV_DTYPE_U64, words + 1, m->offsets));
    if (m->form_offsets && m->form_offsets[words] > 0) {
        PV_TRY(put_array(w, "forms", PV_DTYPE_U8, m->form_offsets[words], m->forms));
        PV_TRY(put_array(w, "forms.offsets", PV_DTYPE_U64, words + 1, m->form_offsets));
    }
    return put_array(w, "counts", PV_DTYPE_U64, words, m->counts);
}

/* The vectors come last: small tensors are at the front, where a reader that fetches only the start
 * of a file finds them. */
static psdvec_status put_tensors(psdvec_context *ctx, pv_st_writer *w, const pv_model_data *m,
                                 bool compact, const char *path)
{
    const pv_spelling_table *s = m->spelling && m->spelling->ngrams ? m->spelling : NULL;
    uint64_t words = m->words, dim = m->dim;
    PV_TRY(put_array(w, "eigenvalues", PV_DTYPE_F32, dim, m->eigenvalues));
    PV_TRY(compact ? pv_compact_put(ctx, w, m) : put_words(w, m));
    if (m->phrases.length)
        PV_TRY(put_array(w, PV_PHRASES_TENSOR, PV_DTYPE_U8, m->phrases.length, m->phrases.lines));
    PV_TRY(put_array(w, "unigram", PV_DTYPE_F64, words, m->unigram));
    PV_TRY(put_array(w, "spread", PV_DTYPE_F32, words, m->spread));
    if (m->readout)
        PV_TRY(put_array(w, "readout.mean", PV_DTYPE_F32, dim, m->readout_mean));
    if (m->readout && m->readout_map)
        PV_TRY(pv_st_writer_tensor(w, "readout.map", PV_DTYPE_F32, 2, (uint64_t[]){dim, dim},
                                   m->readout_map));
    if (s) {
        uint64_t shape[2] = {s->ngrams, s->dim};
        PV_TRY(put_array(w, "spelling.ngrams", PV_DTYPE_U8, s->offsets[s->ngrams], s->bytes));
        PV_TRY(put_array(w, "spelling.offsets", PV_DTYPE_U32, shape[0] + 1, s->offsets));
        PV_TRY(put_array(w, "spelling.members", PV_DTYPE_U32, shape[0], s->members));
        PV_TRY(put_array(w, "spelling.scale", PV_DTYPE_F32, shape[0], s->row_scale));
        PV_TRY(pv_st_writer_tensor(w, "spelling.rows", PV_DTYPE_I8, 2, shape, s->rows));
    }
    if (m->readout)
        PV_TRY(put_vectors(ctx, w, m, m->readout, "readout", "readout.scale", path));
    return put_vectors(ctx, w, m, m->vectors, "vectors", "scale", path);
}

psdvec_status pv_model_prepare(psdvec_context *ctx, const pv_model_data *m, const char *path,
                               pv_output **prepared)
{
    *prepared = NULL;
    const char *wrong = misuse(m);
    if (wrong)
        return pv_fail(ctx, PSDVEC_ERR_INTERNAL,
                       "%s: internal error: tried to write a model with "
                       "%s",
                       path, wrong);
    PV_TRY(pv_model_check_finite(ctx, path, m->vectors, m->words, m->dim, m->dim, m->bytes,
                                 m->offsets));
    if (m->readout)
        PV_TRY(pv_model_check_finite(ctx, path, m->readout, m->words, m->dim, m->dim, m->bytes,
                                     m->offsets));
    char core[16], version[16], lengths[32];
    bool history = m->iterations && m->iteration_count, compact = pv_compact_applies(m),
         spelling = m->spelling && m->spelling->ngrams;
    pv_buffer text = {.ctx = ctx};
    snprintf(version, sizeof version, "%d", compact ? PV_MODEL_VERSION_COMPACT : PV_MODEL_VERSION);
    snprintf(core, sizeof core, "%" PRIu32, m->core_words);
    if (spelling)
        snprintf(lengths, sizeof lengths, "%" PRIu32 "-%" PRIu32, m->spelling->shortest,
                 m->spelling->longest);
    psdvec_status status;
    pv_output *output = NULL;
    pv_st_writer *w = NULL;
    if (history)
        PV_TRY_DONE(write_history(&text, m->iterations, m->iteration_count));
    const pv_st_pair meta[] = {{"format", PV_MODEL_FORMAT},
                               {"version", version},
                               {"written_by", "psdvec " PSDVEC_VERSION},
                               {"core_words", m->core_words ? core : NULL},
                               {"method", m->method},
                               {"settings", m->settings_json},
                               {"counts", m->counts_json},
                               {"extensions", m->extensions_json},
                               {"joint", m->joint_json},
                               {"fit", m->fit_json},
                               {"history", text.data},
                               {"spelling", spelling ? lengths : NULL},
                               {"without", m->only_readout && m->no_spelling ? "generative spelling"
                                           : m->only_readout                 ? "generative"
                                           : m->no_spelling                  ? "spelling"
                                                                             : NULL}};
    uint64_t bytes = (m->readout ? 2 : 1) * (uint64_t)m->words * m->dim *
                         pv_dtype_size(pv_precision_dtype(m->precision)) +
                     (m->spelling ? pv_spelling_bytes(m->spelling) : 0);
    PV_TRY_DONE(pv_output_open(ctx, path, &output));
    PV_TRY_DONE(pv_output_expect(output, bytes));
    PV_TRY_DONE(pv_st_writer_begin(ctx, pv_st_output_sink(output), MOST_TENSORS, meta,
                                   sizeof meta / sizeof *meta, 0, &w));
    PV_TRY_DONE(put_tensors(ctx, w, m, compact, path));
    PV_TRY_DONE(pv_st_writer_end(w, NULL));
    *prepared = output;
    output = NULL;
done:
    pv_st_writer_free(w);
    pv_output_discard(output);
    pv_buffer_free(&text);
    return status;
}

psdvec_status pv_model_write(psdvec_context *ctx, const pv_model_data *m, const char *path)
{
    pv_output *output;
    PV_TRY(pv_model_prepare(ctx, m, path, &output));
    return pv_output_commit(output);
}
