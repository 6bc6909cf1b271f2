/* The sparse model file's writer. */
#include "model/sparse_write.h"

#include "base/safetensors_file.h"
#include "base/safetensors_write.h"
#include "model/model_read.h"
#include "model/model_write.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_TENSORS = 6, MOST_METADATA = 8 };

const char *const pv_sparse_names[] = {"format", "version",  "written_by", "dim",   "directions",
                                       "method", "settings", "counts",     "words", "offsets",
                                       "indptr", "indices",  "values",     NULL};

static bool ascends(const uint64_t *ends, uint32_t count, bool strictly)
{
    bool fine = ends[0] == 0;
    for (uint32_t i = 0; i < count; i++)
        fine &= ends[i] < ends[i + 1] || (!strictly && ends[i] == ends[i + 1]);
    return fine;
}

static psdvec_status check(psdvec_context *ctx, const pv_sparse_model_data *m, const char *path)
{
    const char *wrong = NULL;
    if (m->words == 0 || m->dim == 0 || m->words > PV_MODEL_MOST_WORDS)
        wrong = "no words, no directions, or too many words";
    else if (!ascends(m->offsets, m->words, true))
        wrong = "an empty word";
    else if (!ascends(m->begin, m->words, false))
        wrong = "rows that do not ascend";
    const pv_sparse_vectors vectors = {m->words, m->dim, m->begin, m->column, m->value, NULL};
    bool fine = true;
    if (!wrong)
        PV_TRY(pv_sparse_check_columns(ctx, &vectors, &fine));
    if (!fine)
        wrong = "columns that do not ascend, or beyond the last";
    if (wrong)
        return pv_fail(ctx, PSDVEC_ERR_INTERNAL, "%s: a sparse model with %s was to be written",
                       path, wrong);
    return pv_sparse_check_finite(ctx, path, &vectors, m->bytes, m->offsets);
}

static size_t describe(const pv_sparse_model_data *m, char version[16], char dim[16],
                       pv_st_pair meta[MOST_METADATA])
{
    size_t n = 0;
    snprintf(version, 16, "%d", PV_SPARSE_VERSION);
    snprintf(dim, 16, "%" PRIu32, m->dim);
    meta[n++] = (pv_st_pair){"format", PV_SPARSE_FORMAT};
    meta[n++] = (pv_st_pair){"version", version};
    meta[n++] = (pv_st_pair){"written_by", "psdvec " PSDVEC_VERSION};
    meta[n++] = (pv_st_pair){"dim", dim};
    if (m->directions_are_words)
        meta[n++] = (pv_st_pair){"directions", "words"};
    if (m->method)
        meta[n++] = (pv_st_pair){"method", m->method};
    if (m->settings_json)
        meta[n++] = (pv_st_pair){"settings", m->settings_json};
    if (m->counts_json)
        meta[n++] = (pv_st_pair){"counts", m->counts_json};
    return n;
}

/* What is small stands in front. */
static psdvec_status put_tensors(pv_st_writer *w, const pv_sparse_model_data *m)
{
    uint64_t words = m->words, ends = words + 1, bytes = m->offsets[words],
             entries = m->begin[words];
    PV_TRY(pv_st_writer_tensor(w, "words", PV_DTYPE_U8, 1, &bytes, m->bytes));
    PV_TRY(pv_st_writer_tensor(w, "offsets", PV_DTYPE_U64, 1, &ends, m->offsets));
    if (m->counts)
        PV_TRY(pv_st_writer_tensor(w, "counts", PV_DTYPE_U64, 1, &words, m->counts));
    PV_TRY(pv_st_writer_tensor(w, "indptr", PV_DTYPE_U64, 1, &ends, m->begin));
    PV_TRY(pv_st_writer_tensor(w, "indices", PV_DTYPE_U32, 1, &entries, m->column));
    if (!m->value)
        return PSDVEC_OK;
    return pv_st_writer_tensor(w, "values", PV_DTYPE_F32, 1, &entries, m->value);
}

psdvec_status pv_sparse_model_write(psdvec_context *ctx, const pv_sparse_model_data *m,
                                    const char *path)
{
    psdvec_status status;
    pv_output *output = NULL;
    pv_st_writer *writer = NULL;
    pv_st_pair meta[MOST_METADATA];
    char version[16], dim[16];
    PV_TRY(check(ctx, m, path));
    size_t meta_count = describe(m, version, dim, meta);
    PV_TRY_DONE(pv_output_open(ctx, path, &output));
    PV_TRY_DONE(pv_output_expect(
        output, m->begin[m->words] * (sizeof *m->column + (m->value ? sizeof *m->value : 0))));
    PV_TRY_DONE(pv_st_writer_begin(ctx, pv_st_output_sink(output), MOST_TENSORS, meta, meta_count,
                                   0, &writer));
    PV_TRY_DONE(put_tensors(writer, m));
    PV_TRY_DONE(pv_st_writer_end(writer, NULL));
    status = pv_output_commit(output);
    output = NULL;
done:
    pv_st_writer_free(writer);
    pv_output_discard(output);
    return status;
}
