/* Reading, writing and converting sparse model files. */
#include "model/sparse_file.h"

#include "model/model_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing ----------------------------------------------------------------------------- */

const char *const pv_sparse_names[] = {"format",     "version",         "written_by", "dim",
                                       "directions", "method",          "settings",   "counts",
                                       "words",      "offsets",         "indptr",     "indices",
                                       "values",     PV_PHRASES_TENSOR, NULL};

static psdvec_status check(psdvec_context *ctx, const pv_sparse_model_data *m, const char *path)
{
    const char *wrong = NULL;
    uint32_t words = m->rows.rows;
    if (words == 0 || m->rows.columns == 0 || words > PV_MODEL_MOST_WORDS)
        wrong = "no words, no dimensions, or too many words";
    else if (!pv_offsets_ascend(m->offsets, words, m->offsets[words], 1))
        wrong = "an empty word";
    else if (!pv_offsets_ascend(m->rows.begin, words, m->rows.begin[words], 0))
        wrong = "rows that are not in ascending order";
    bool fine = true;
    if (!wrong)
        PV_TRY(pv_csr_check_columns(ctx, &m->rows, &fine));
    if (!fine)
        wrong = "columns that are not in ascending order, or beyond the last";
    if (wrong)
        return pv_fail(ctx, PSDVEC_ERR_INTERNAL,
                       "%s: internal error: tried to write a sparse "
                       "model with %s",
                       path, wrong);
    return pv_sparse_check_finite(ctx, path, &m->rows, m->bytes, m->offsets);
}

/* Small tensors come first. */
psdvec_status pv_sparse_model_write(psdvec_context *ctx, const pv_sparse_model_data *m,
                                    const char *path)
{
    char version[16], dim[16];
    PV_TRY(check(ctx, m, path));
    snprintf(version, sizeof version, "%d", PV_SPARSE_VERSION);
    snprintf(dim, sizeof dim, "%" PRIu32, m->rows.columns);
    const pv_st_pair meta[] = {{"format", PV_SPARSE_FORMAT},
                               {"version", version},
                               {"written_by", "psdvec " PSDVEC_VERSION},
                               {"dim", dim},
                               {"directions", m->directions_are_words ? "words" : NULL},
                               {"method", m->method},
                               {"settings", m->settings_json},
                               {"counts", m->counts_json}};
    uint64_t words = m->rows.rows, entries = m->rows.begin[words];
    const pv_tensor tensors[] = {
        pv_tensor_of("words", PV_DTYPE_U8, m->offsets[words], 0, m->bytes),
        pv_tensor_of("offsets", PV_DTYPE_U64, words + 1, 0, m->offsets),
        pv_tensor_of(m->counts ? "counts" : NULL, PV_DTYPE_U64, words, 0, m->counts),
        pv_tensor_of("indptr", PV_DTYPE_U64, words + 1, 0, m->rows.begin),
        pv_tensor_of("indices", PV_DTYPE_U32, entries, 0, m->rows.column),
        pv_tensor_of(m->rows.value ? "values" : NULL, PV_DTYPE_F32, entries, 0, m->rows.value),
        pv_tensor_of(PV_PHRASES_TENSOR, PV_DTYPE_U8, m->phrases.length, 0, m->phrases.lines)};
    size_t count = sizeof tensors / sizeof *tensors - (m->phrases.length == 0);
    return pv_st_file_write(ctx, path, tensors, count, meta, sizeof meta / sizeof *meta, true);
}

/* ---- Opening -----------------------------------------------------------------------------
 *
 * Unlike dense vectors, the columns of sparse rows are all checked at opening: code that later uses
 * a column as an index relies on it and cannot fail. This takes as long as reading 4 bytes per
 * entry. Whether the values are finite is checked only by psdvec_model_verify.
 */

static psdvec_status take_dim(psdvec_model *m)
{
    const char *text = pv_st_meta(m->file, "dim"), *directions = pv_st_meta(m->file, "directions");
    size_t digits = text ? strspn(text, "0123456789") : 0;
    unsigned long long dim = digits && digits < 12 ? strtoull(text, NULL, 10) : 0;
    if (dim < 1 || dim > UINT32_MAX || text[digits] != '\0')
        return pv_model_damaged(m, "its number of dimensions is missing or invalid");
    m->info.dim = m->info.positive = (uint32_t)dim;
    m->info.directions_are_words = directions && strcmp(directions, "words") == 0;
    return PSDVEC_OK;
}

psdvec_status pv_sparse_take(psdvec_model *m)
{
    pv_csr *v = &m->sparse;
    const pv_tensor *t;
    uint32_t words = m->info.words;
    PV_TRY(take_dim(m));
    PV_TRY(pv_st_require(m->ctx, m->file, "indices", PV_DTYPE_U32, 1, (int64_t[]){-1}, &t));
    const uint32_t *columns = t->data;
    m->info.entries = t->count;
    PV_TRY(pv_st_require(m->ctx, m->file, "indptr", PV_DTYPE_U64, 1,
                         (int64_t[]){(int64_t)words + 1}, &t));
    *v = pv_csr_of(words, m->info.dim, t->data, columns, NULL);
    bool fine;
    if (!pv_offsets_ascend(v->begin, words, m->info.entries, 0))
        return pv_model_damaged(m, "its rows are not in ascending order");
    PV_TRY(pv_csr_check_columns(m->ctx, v, &fine));
    if (!fine)
        return pv_model_damaged(m, "the columns of a row are not in ascending order");
    m->info.sparse = true;
    if (pv_st_tensor(m->file, "values")) {
        PV_TRY(pv_st_require(m->ctx, m->file, "values", PV_DTYPE_F32, 1,
                             (int64_t[]){(int64_t)m->info.entries}, &t));
        v->value = t->data;
        return PSDVEC_OK;
    }
    uint64_t longest = 0;
    for (uint32_t i = 0; i < words; i++)
        longest = pv_larger(longest, v->begin[i + 1] - v->begin[i]);
    v->ones = m->ones = pv_alloc(m->ctx, (size_t)longest, sizeof *m->ones, "the vectors");
    for (uint64_t k = 0; m->ones && k < longest; k++)
        m->ones[k] = 1;
    return m->ones ? PSDVEC_OK : pv_failure(m->ctx);
}

/* ---- Conversion -------------------------------------------------------------------------- */

/* Limit for conversion to dense vectors; a larger result is probably a mistake. */
#define MOST_DENSE_BYTES (UINT64_C(16) << 30)

/* Copies the first `dim` dimensions of the first words, normalised to length 1 if requested. */
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
            /* a zero vector is left as it is */
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
                                 .counts_json = m->info.counts_json,
                                 .phrases = pv_model_phrases(m)};
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
            "%s: its vectors are sparse, and sparse models store only float32; omit `precision`",
            m->path);
    if (rows->format != PSDVEC_VECTORS_MODEL && numbers > MOST_DENSE_BYTES / sizeof(float))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "%s: its vectors are sparse; in a dense format, %" PRIu32
                       " words of %" PRIu32
                       " dimensions are %.0f GB; keep fewer with `words` or `dim`, or "
                       "write a model",
                       m->path, rows->words, rows->dim, (double)numbers * sizeof(float) / 1e9);
    pv_csr kept = m->sparse;
    kept.rows = rows->words;
    PV_TRY(pv_sparse_check_finite(ctx, m->path, &kept, m->bytes, m->offsets));
    if (rows->format == PSDVEC_VECTORS_MODEL)
        return to_model(ctx, rows, output);
    return pv_foreign_write(ctx, rows, output, words_path);
}
