/* Writing a file of residuals. */
#include "document/residual_file.h"

#include "base/safetensors_write.h"
#include "util/c_locale.h"

#include <math.h>
#include <stdio.h>

enum { MOST_TENSORS = 10, MOST_METADATA = 7 };

static size_t describe(const pv_residual_data *data, char version[16], char unseen[32],
                       pv_st_pair meta[MOST_METADATA])
{
    size_t n = 0;
    snprintf(version, 16, "%d", PV_RESIDUALS_VERSION);
    meta[n++] = (pv_st_pair){"format", PV_RESIDUALS_FORMAT};
    meta[n++] = (pv_st_pair){"version", version};
    meta[n++] = (pv_st_pair){"written_by", "psdvec " PSDVEC_VERSION};
    meta[n++] = (pv_st_pair){"target", data->target};
    if (!isnan(data->unseen)) {
        pv_snprintf(unseen, 32, "%.17g", data->unseen);
        meta[n++] = (pv_st_pair){"unseen", unseen};
    }
    if (data->model)
        meta[n++] = (pv_st_pair){"model", data->model};
    if (data->counts)
        meta[n++] = (pv_st_pair){"counts", data->counts};
    return n;
}

static psdvec_status put_tensors(pv_st_writer *w, const pv_residual_data *data)
{
    const pv_csr *rows = &data->rows;
    uint64_t words = rows->rows, ends = words + 1;
    uint64_t bytes = data->offsets[words], pairs = rows->begin[words];
    PV_TRY(pv_st_writer_tensor(w, "words", PV_DTYPE_U8, 1, &bytes, data->bytes));
    PV_TRY(pv_st_writer_tensor(w, "offsets", PV_DTYPE_U64, 1, &ends, data->offsets));
    PV_TRY(pv_st_writer_tensor(w, "indptr", PV_DTYPE_U64, 1, &ends, rows->begin));
    PV_TRY(pv_st_writer_tensor(w, "indices", PV_DTYPE_U32, 1, &pairs, rows->column));
    return pv_st_writer_tensor(w, "values", PV_DTYPE_F32, 1, &pairs, rows->value);
}

psdvec_status pv_residual_file_write(psdvec_context *ctx, const pv_residual_data *data,
                                     const char *path)
{
    psdvec_status status;
    pv_output *output = NULL;
    pv_st_writer *writer = NULL;
    char version[16], unseen[32];
    pv_st_pair meta[MOST_METADATA];
    size_t meta_count = describe(data, version, unseen, meta);
    PV_TRY_DONE(pv_output_open(ctx, path, &output));
    PV_TRY_DONE(pv_output_expect(output, pv_csr_bytes(data->rows.begin[data->rows.rows])));
    PV_TRY_DONE(pv_st_writer_begin(ctx, pv_st_output_sink(output), MOST_TENSORS, meta, meta_count,
                                   0, &writer));
    PV_TRY_DONE(put_tensors(writer, data));
    PV_TRY_DONE(pv_st_writer_end(writer, NULL));
    status = pv_output_commit(output);
    output = NULL;
done:
    pv_st_writer_free(writer);
    pv_output_discard(output);
    return status;
}
