/* Looking up the words of tests. */
#include "eval/known.h"

#include "model/dot.h"
#include "model/find.h"

#include <math.h>
#include <string.h>

/* ---- The model ---------------------------------------------------------------------------- */

static void add_row(const float *row, uint32_t dim, double *sum)
{
    if (!isfinite(pv_length(row, dim)))
        return;
    for (uint32_t k = 0; k < dim; k++)
        sum[k] += (double)row[k];
}

static void add_sparse_row(pv_csr_row row, double *sum)
{
    if (!isfinite(pv_sparse_length(row)))
        return;
    for (size_t k = 0; k < row.count; k++)
        sum[row.column[k]] += (double)row.value[k];
}

/* The mean's numbers that are not 0 move to the front, and the list of their directions is made. */
static psdvec_status pack_mean(pv_seen_model *s, psdvec_context *ctx)
{
    size_t count = 0;
    s->mean_columns = pv_alloc(ctx, s->dim, sizeof *s->mean_columns, "the mean of the vectors");
    if (!s->mean_columns)
        return pv_failure(ctx);
    for (uint32_t k = 0; k < s->dim; k++)
        if (s->mean[k] != 0) {
            s->mean_columns[count] = k;
            s->mean[count++] = s->mean[k];
        }
    s->sparse_mean = pv_sparse_unit_of((pv_csr_row){s->mean_columns, s->mean, count});
    return PSDVEC_OK;
}

static psdvec_status find_mean(pv_seen_model *s, psdvec_context *ctx)
{
    psdvec_status status = PSDVEC_OK;
    float *room = pv_alloc(ctx, s->dim, sizeof *room, "the mean of the vectors");
    double *sum = pv_alloc_zero(ctx, s->dim, sizeof *sum, "the mean of the vectors");
    s->mean = pv_alloc(ctx, s->dim, sizeof *s->mean, "the mean of the vectors");
    if (!room || !sum || !s->mean) {
        status = pv_failure(ctx);
        goto done;
    }
    for (uint32_t i = 0; i < s->words; i++) {
        if (i % 4096 == 0)
            PV_TRY_DONE(pv_check_cancel(ctx));
        if (s->sparse)
            add_sparse_row(pv_csr_row_of(s->sparse, i), sum);
        else
            add_row(pv_vector_set_floats_of(s->rows, i, 1, room), s->dim, sum);
    }
    for (uint32_t k = 0; k < s->dim; k++)
        s->mean[k] = (float)(sum[k] / s->words);
    pv_unit_vector(s->mean, s->dim, s->mean);
    if (s->sparse)
        status = pack_mean(s, ctx);
done:
    pv_free(ctx, room);
    pv_free(ctx, sum);
    return status;
}

psdvec_status pv_seen_model_open(pv_seen_model *seen, psdvec_context *ctx,
                                 const psdvec_model *model, const psdvec_eval_options *options)
{
    *seen = (pv_seen_model){.model = model, .words = model->info.words, .dim = model->info.dim};
    seen->rows = model->info.sparse ? NULL : &model->readout;
    seen->explicit = pv_model_explicit(model);
    seen->sparse = model->info.sparse ? &model->sparse : NULL;
    return options->unknown == PSDVEC_UNKNOWN_MEAN ? find_mean(seen, ctx) : PSDVEC_OK;
}

void pv_seen_model_close(pv_seen_model *seen, psdvec_context *ctx)
{
    pv_free(ctx, seen->mean);
    pv_free(ctx, seen->mean_columns);
    *seen = (pv_seen_model){0};
}

/* ---- Words ---------------------------------------------------------------------------------- */

static const char *word_of(const psdvec_test *test, uint32_t w, size_t *length)
{
    *length = (size_t)(test->offsets[w + 1] - test->offsets[w]);
    return test->bytes + test->offsets[w];
}

psdvec_status pv_known_rows(psdvec_context *ctx, const pv_seen_model *seen, const psdvec_test *test,
                            const psdvec_eval_options *options, uint32_t *rows)
{
    pv_buffer lower;
    psdvec_status status = PSDVEC_OK;
    uint32_t limit = UINT32_MAX;
    if (test->info.kind == PSDVEC_TEST_ANALOGY && options->restrict_words > 0)
        limit = options->restrict_words;
    pv_buffer_init(&lower, ctx);
    for (uint32_t w = 0; w < test->words; w++) {
        size_t length;
        const char *word = word_of(test, w, &length);
        PV_TRY_DONE(pv_model_find_either(seen->model, word, length, limit,
                                         options->keep_case ? NULL : &lower, &rows[w]));
    }
done:
    pv_buffer_free(&lower);
    return status;
}

static uint32_t words_asked(psdvec_test_kind kind)
{
    return kind == PSDVEC_TEST_SIMILARITY ? 2 : kind == PSDVEC_TEST_ANALOGY ? 3 : 1;
}

bool pv_question_known(const psdvec_test *test, const pv_question *q, const uint32_t *rows)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < words_asked(test->info.kind); k++)
        if (rows[q->words[k]] == PV_UNKNOWN)
            return false;
    for (uint32_t k = 0; k < q->listed; k++)
        found += rows[test->lists[q->list + k]] != PV_UNKNOWN;
    return test->info.kind == PSDVEC_TEST_ANALOGY ? found > 0 : found == q->listed;
}

/* ---- Vectors ---------------------------------------------------------------------------------- */

static psdvec_status stand_in(const pv_seen_model *seen, const psdvec_eval_options *options,
                              const char *word, size_t length, pv_buffer *lower, float *unit,
                              bool *there)
{
    if (options->unknown == PSDVEC_UNKNOWN_MEAN) {
        memcpy(unit, seen->mean, seen->dim * sizeof *unit);
        *there = true;
    } else if (options->unknown == PSDVEC_UNKNOWN_SPELLING) {
        if (!options->keep_case) {
            lower->length = 0;
            PV_TRY(pv_lower_case(lower, word, length));
            word = lower->data;
            length = lower->length;
        }
        *there = psdvec_model_spell(seen->model, word, length, unit);
        pv_unit_vector(unit, seen->dim, unit);
    }
    return PSDVEC_OK;
}

/* Sparse vectors stay where they are; a stand-in is the mean, for they have no spelling. */
static psdvec_status make_sparse(pv_test_vectors *v, psdvec_context *ctx, const pv_seen_model *seen,
                                 const psdvec_test *test, const psdvec_eval_options *options,
                                 const uint32_t *rows)
{
    v->sparse = pv_alloc_zero(ctx, test->words, sizeof *v->sparse, "the vectors of a test");
    v->there = pv_alloc_zero(ctx, test->words, sizeof *v->there, "the vectors of a test");
    if (!v->sparse || !v->there) {
        pv_test_vectors_free(v, ctx);
        return pv_failure(ctx);
    }
    for (uint32_t w = 0; w < test->words; w++) {
        bool known = rows[w] != PV_UNKNOWN;
        if (known)
            v->sparse[w] = pv_sparse_unit_of(pv_csr_row_of(seen->sparse, rows[w]));
        else if (options->unknown == PSDVEC_UNKNOWN_MEAN)
            v->sparse[w] = seen->sparse_mean;
        v->there[w] = known || options->unknown == PSDVEC_UNKNOWN_MEAN;
    }
    return PSDVEC_OK;
}

psdvec_status pv_test_vectors_make(pv_test_vectors *v, psdvec_context *ctx,
                                   const pv_seen_model *seen, const psdvec_test *test,
                                   const psdvec_eval_options *options, const uint32_t *rows)
{
    size_t numbers;
    pv_buffer lower;
    psdvec_status status = PSDVEC_OK;
    *v = (pv_test_vectors){0};
    if (seen->sparse)
        return make_sparse(v, ctx, seen, test, options, rows);
    if (!pv_mul(test->words, seen->dim, &numbers))
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "the vectors of a test exceed all memory");
    pv_buffer_init(&lower, ctx);
    v->units = pv_alloc_zero(ctx, numbers, sizeof *v->units, "the vectors of a test");
    v->there = pv_alloc_zero(ctx, test->words, sizeof *v->there, "the vectors of a test");
    if (!v->units || !v->there) {
        status = pv_failure(ctx);
        goto done;
    }
    for (uint32_t w = 0; w < test->words; w++) {
        float *unit = v->units + (size_t)w * seen->dim;
        v->there[w] = rows[w] != PV_UNKNOWN;
        if (v->there[w]) {
            pv_unit_vector(pv_vector_set_floats_of(seen->rows, rows[w], 1, unit), seen->dim, unit);
            continue;
        }
        size_t length;
        const char *word = word_of(test, w, &length);
        PV_TRY_DONE(stand_in(seen, options, word, length, &lower, unit, &v->there[w]));
    }
done:
    pv_buffer_free(&lower);
    if (status != PSDVEC_OK)
        pv_test_vectors_free(v, ctx);
    return status;
}

void pv_test_vectors_free(pv_test_vectors *v, psdvec_context *ctx)
{
    pv_free(ctx, v->units);
    pv_free(ctx, v->sparse);
    pv_free(ctx, v->there);
    *v = (pv_test_vectors){0};
}
