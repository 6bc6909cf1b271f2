/* What opening a model does with the rows of a sparse one.
 *
 * Unlike dense vectors they are read at once, all columns of them: everything that later uses
 * a column as an index relies on it, and has no way to fail. It takes as long as reading 4 bytes an
 * entry does. That the numbers are finite only psdvec_model_verify tells.
 */
#include "model/model_read.h"

#include <stdlib.h>
#include <string.h>

static psdvec_status fail_corrupt(const psdvec_model *m, const char *cause)
{
    return pv_fail(m->ctx, PSDVEC_ERR_CORRUPT, "%s: the model is damaged: %s; make the file anew",
                   m->path, cause);
}

static psdvec_status take_dim(psdvec_model *m)
{
    const char *text = pv_st_meta(m->file, "dim"), *directions = pv_st_meta(m->file, "directions");
    size_t digits = text ? strspn(text, "0123456789") : 0;
    unsigned long long dim = digits && digits < 12 ? strtoull(text, NULL, 10) : 0;
    if (dim < 1 || dim > UINT32_MAX || text[digits] != '\0')
        return fail_corrupt(m, "it does not say how many directions there are");
    m->info.dim = m->info.positive = (uint32_t)dim;
    m->info.directions_are_words = directions && strcmp(directions, "words") == 0;
    return PSDVEC_OK;
}

static psdvec_status take_ones(psdvec_model *m)
{
    uint64_t longest = pv_sparse_longest(&m->sparse);
    float *ones = m->ones = pv_alloc(m->ctx, (size_t)longest, sizeof *ones, "the vectors");
    if (!ones)
        return pv_failure(m->ctx);
    for (uint64_t k = 0; k < longest; k++)
        ones[k] = 1;
    m->sparse.ones = ones;
    return PSDVEC_OK;
}

psdvec_status pv_sparse_take(psdvec_model *m)
{
    pv_csr *v = &m->sparse;
    const pv_tensor *t;
    uint32_t words = m->info.words;
    PV_TRY(take_dim(m));
    v->rows = words;
    v->columns = m->info.dim;
    PV_TRY(pv_st_require(m->ctx, m->file, "indices", PV_DTYPE_U32, 1, (int64_t[]){-1}, &t));
    v->column = t->data;
    m->info.entries = t->count;
    PV_TRY(pv_st_require(m->ctx, m->file, "indptr", PV_DTYPE_U64, 1,
                         (int64_t[]){(int64_t)words + 1}, &t));
    v->begin = t->data;
    v->end = v->begin + 1;
    bool fine;
    if (!pv_offsets_ascend(v->begin, words, m->info.entries, 0))
        return fail_corrupt(m, "its rows do not ascend");
    PV_TRY(pv_csr_check_columns(m->ctx, v, &fine));
    if (!fine)
        return fail_corrupt(m, "the columns of a row do not ascend");
    m->info.sparse = true;
    if (!pv_st_tensor(m->file, "values"))
        return take_ones(m);
    PV_TRY(pv_st_require(m->ctx, m->file, "values", PV_DTYPE_F32, 1,
                         (int64_t[]){(int64_t)m->info.entries}, &t));
    v->value = t->data;
    return PSDVEC_OK;
}
