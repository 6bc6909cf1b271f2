/* Sparse models into other files. */
#include "model/sparse_convert.h"

#include "model/model_write.h"
#include "model/sparse_write.h"

#include <inttypes.h>
#include <string.h>

/* As dense numbers; beyond it a mistake is likelier than a wish. */
#define MOST_DENSE_BYTES (UINT64_C(16) << 30)

/* The first `dim` directions of the first words, at length 1 if asked for. */
static psdvec_status cut(psdvec_context *ctx, const pv_rows_out *rows, pv_csr_store *to)
{
    const pv_csr *v = &rows->model->sparse;
    PV_TRY(pv_csr_store_open(ctx, rows->words, rows->dim, "the vectors", to));
    for (uint32_t i = 0; i < rows->words; i++) {
        pv_csr_row row = pv_csr_row_of(v, i);
        to->begin[i + 1] = pv_lower_bound(row.column, row.count, rows->dim);
    }
    PV_TRY(pv_csr_store_reserve(to, NULL, 0));
    for (uint32_t i = 0; i < rows->words; i++) {
        pv_csr_row row = pv_csr_row_of(v, i);
        uint64_t at = to->begin[i];
        row.count = (size_t)(to->begin[i + 1] - at);
        double length = rows->normalize ? pv_sparse_length(row) : 1;
        for (size_t k = 0; k < row.count; k++, at++) {
            to->column[at] = row.column[k];
            /* a vector without length is left as it is */
            to->value[at] = (float)((double)row.value[k] / (length > 0 ? length : 1));
        }
        if (i % 4096 == 0)
            PV_TRY(pv_check_cancel(ctx));
    }
    return PSDVEC_OK;
}

static psdvec_status to_model(psdvec_context *ctx, const pv_rows_out *rows, const char *output)
{
    const psdvec_model *m = rows->model;
    psdvec_status status = PSDVEC_OK;
    pv_csr_store own = {0};
    pv_sparse_model_data data = {.rows = m->sparse,
                                 .bytes = m->bytes,
                                 .offsets = m->offsets,
                                 .counts = m->counts,
                                 .directions_are_words = m->info.directions_are_words,
                                 .method = m->info.method,
                                 .settings_json = m->info.settings_json,
                                 .counts_json = m->info.counts_json};
    data.rows.rows = rows->words;
    PV_TRY_DONE(pv_st_warn_unknown(ctx, m->file, pv_sparse_names));
    if (rows->dim < m->info.dim || rows->normalize) {
        PV_TRY_DONE(cut(ctx, rows, &own));
        data.rows = pv_csr_view(&own);
        if (!m->sparse.value && !rows->normalize)
            data.rows.value = NULL; /* all are still 1 */
    }
    status = pv_sparse_model_write(ctx, &data, output);
done:
    pv_csr_store_free(&own);
    return status;
}

psdvec_status pv_sparse_convert(psdvec_context *ctx, const pv_rows_out *rows, const char *output,
                                const char *words_path)
{
    const psdvec_model *m = rows->model;
    uint64_t numbers = (uint64_t)rows->words * rows->dim;
    if (rows->format == PSDVEC_VECTORS_MODEL && rows->precision != PSDVEC_FLOAT32)
        return pv_fail(
            ctx, PSDVEC_ERR_OPTION,
            "%s: its vectors are sparse, and a sparse model holds them as float32 alone; "
            "leave out `precision`",
            m->path);
    if (rows->format != PSDVEC_VECTORS_MODEL && numbers > MOST_DENSE_BYTES / sizeof(float))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "%s: its vectors are sparse; with all their zeros %" PRIu32
                       " words of %" PRIu32 " numbers are %.0f GB; keep fewer with `words` or "
                       "`dim`, or keep it a model",
                       m->path, rows->words, rows->dim, (double)numbers * sizeof(float) / 1e9);
    pv_csr kept = m->sparse;
    kept.rows = rows->words;
    PV_TRY(pv_sparse_check_finite(ctx, m->path, &kept, m->bytes, m->offsets));
    if (rows->format == PSDVEC_VECTORS_MODEL)
        return to_model(ctx, rows, output);
    return pv_foreign_write(ctx, rows, output, words_path);
}
