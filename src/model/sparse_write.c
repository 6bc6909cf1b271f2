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

static psdvec_status check(psdvec_context *ctx, const pv_sparse_model_data *m, const char *path)
{
    const char *wrong = NULL;
    uint32_t words = m->rows.rows;
    if (words == 0 || m->rows.columns == 0 || words > PV_MODEL_MOST_WORDS)
        wrong = "no words, no directions, or too many words";
    else if (!pv_offsets_ascend(m->offsets, words, m->offsets[words], 1))
        wrong = "an empty word";
    else if (!pv_offsets_ascend(m->rows.begin, words, m->rows.begin[words], 0))
        wrong = "rows that do not ascend";
    bool fine = true;
    if (!wrong)
        PV_TRY(pv_csr_check_columns(ctx, &m->rows, &fine));
    if (!fine)
        wrong = "columns that do not ascend, or beyond the last";
    if (wrong)
        return pv_fail(ctx, PSDVEC_ERR_INTERNAL, "%s: a sparse model with %s was to be written",
                       path, wrong);
    return pv_sparse_check_finite(ctx, path, &m->rows, m->bytes, m->offsets);
}

static size_t describe(const pv_sparse_model_data *m, char version[16], char dim[16],
                       pv_st_pair meta[MOST_METADATA])
{
    size_t n = 0;
    snprintf(version, 16, "%d", PV_SPARSE_VERSION);
    snprintf(dim, 16, "%" PRIu32, m->rows.columns);
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
    uint64_t words = m->rows.rows, ends = words + 1, bytes = m->offsets[words],
             entries = m->rows.begin[words];
    PV_TRY(pv_st_writer_tensor(w, "words", PV_DTYPE_U8, 1, &bytes, m->bytes));
    PV_TRY(pv_st_writer_tensor(w, "offsets", PV_DTYPE_U64, 1, &ends, m->offsets));
    if (m->counts)
        PV_TRY(pv_st_writer_tensor(w, "counts", PV_DTYPE_U64, 1, &words, m->counts));
    PV_TRY(pv_st_writer_tensor(w, "indptr", PV_DTYPE_U64, 1, &ends, m->rows.begin));
    PV_TRY(pv_st_writer_tensor(w, "indices", PV_DTYPE_U32, 1, &entries, m->rows.column));
    if (!m->rows.value)
        return PSDVEC_OK;
    return pv_st_writer_tensor(w, "values", PV_DTYPE_F32, 1, &entries, m->rows.value);
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
    PV_TRY_DONE(pv_output_expect(output, m->rows.begin[m->rows.rows] *
                                             (m->rows.value ? pv_csr_bytes(1) : sizeof(uint32_t))));
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
