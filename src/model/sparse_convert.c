/* Sparse models into other files. */
#include "model/sparse_convert.h"

#include "model/model_write.h"
#include "model/sparse_write.h"

#include <inttypes.h>
#include <string.h>

/* As dense numbers; beyond it a mistake is likelier than a wish. */
#define MOST_DENSE_BYTES (UINT64_C(16) << 30)

typedef struct cut_rows {
    uint64_t *begin;
    uint32_t *column;
    float *value;
} cut_rows;

/* The first `dim` directions of the first words, at length 1 if asked for. */
static psdvec_status cut(psdvec_context *ctx, const pv_rows_out *rows, cut_rows *to)
{
    const pv_sparse_vectors *v = &rows->model->sparse;
    size_t most = (size_t)v->begin[rows->words];
    to->begin = pv_alloc(ctx, (size_t)rows->words + 1, sizeof *to->begin, "the vectors");
    to->column = pv_alloc(ctx, most, sizeof *to->column, "the vectors");
    if (!to->begin || !to->column)
        return pv_failure(ctx);
    if (v->value || rows->normalize)
        if (!(to->value = pv_alloc(ctx, most, sizeof *to->value, "the vectors")))
            return pv_failure(ctx);
    uint64_t at = 0;
    for (uint32_t i = 0; i < rows->words; i++) {
        pv_sparse_row row = pv_sparse_row_of(v, i);
        row.count = pv_sparse_cut(row, rows->dim);
        double length = rows->normalize ? pv_sparse_length(row) : 1;
        to->begin[i] = at;
        for (size_t k = 0; k < row.count; k++, at++) {
            to->column[at] = row.column[k];
            if (to->value) /* a vector without length is left as it is */
                to->value[at] = (float)((double)row.value[k] / (length > 0 ? length : 1));
        }
        if (i % 4096 == 0)
            PV_TRY(pv_check_cancel(ctx));
    }
    to->begin[rows->words] = at;
    return PSDVEC_OK;
}

static psdvec_status to_model(psdvec_context *ctx, const pv_rows_out *rows, const char *output)
{
    const psdvec_model *m = rows->model;
    psdvec_status status = PSDVEC_OK;
    cut_rows own = {0};
    pv_sparse_model_data data = {.words = rows->words,
                                 .dim = rows->dim,
                                 .bytes = m->bytes,
                                 .offsets = m->offsets,
                                 .begin = m->sparse.begin,
                                 .column = m->sparse.column,
                                 .value = m->sparse.value,
                                 .counts = m->counts,
                                 .directions_are_words = m->info.directions_are_words,
                                 .method = m->info.method,
                                 .settings_json = m->info.settings_json,
                                 .counts_json = m->info.counts_json};
    PV_TRY_DONE(pv_st_warn_unknown(ctx, m->file, pv_sparse_names));
    if (rows->dim < m->info.dim || rows->normalize) {
        PV_TRY_DONE(cut(ctx, rows, &own));
        data.begin = own.begin;
        data.column = own.column;
        data.value = own.value;
    }
    status = pv_sparse_model_write(ctx, &data, output);
done:
    pv_free(ctx, own.begin);
    pv_free(ctx, own.column);
    pv_free(ctx, own.value);
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
    pv_sparse_vectors kept = m->sparse;
    kept.words = rows->words;
    PV_TRY(pv_sparse_check_finite(ctx, m->path, &kept, m->bytes, m->offsets));
    if (rows->format == PSDVEC_VECTORS_MODEL)
        return to_model(ctx, rows, output);
    return pv_foreign_write(ctx, rows, output, words_path);
}
