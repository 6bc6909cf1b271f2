/* The read-out: the vectors for comparing words.
 *
 * A model that was trained with a read-out stores it in its file, together with the data needed to
 * compute the read-out of a word that is added later: the mean that was subtracted from the
 * generative vectors, the map from their dimensions to those of the read-out, and the table of
 * n-grams. Other vectors are their own read-out.
 */
#include "base/arguments.h"
#include "base/json.h"
#include "model/dot.h"
#include "model/model_read.h"

#include <math.h>
#include <string.h>

psdvec_status psdvec_model_readout(psdvec_context *ctx, const psdvec_model *model,
                                   const float **vectors)
{
    PV_CLEAR(vectors);
    PV_BEGIN(ctx);
    PV_NEED(ctx, vectors);
    PV_NEED(ctx, model);
    if (!model->info.sparse)
        return pv_model_floats(ctx, model, &model->readout, vectors);
    return pv_fail(ctx, PSDVEC_ERR_OPTION,
                   "%s: its vectors are sparse, so there is no dense matrix of them; read them "
                   "word by word with psdvec_model_copy or psdvec_model_sparse_row",
                   model->path);
}

bool pv_model_explicit(const psdvec_model *m)
{
    return m->info.method && strcmp(m->info.method, psdvec_method_name(PSDVEC_METHOD_PPMI)) == 0;
}

bool psdvec_model_copy(const psdvec_model *model, uint32_t i, float *vector)
{
    if (!model || !vector)
        return false;
    bool there = i < model->info.words;
    if (!there)
        memset(vector, 0, model->info.dim * sizeof *vector);
    else if (model->info.sparse)
        pv_sparse_spread_out(pv_csr_row_of(&model->sparse, i), model->info.dim, vector);
    else
        pv_vector_set_copy(&model->readout, i, 1, vector);
    return there;
}

bool psdvec_model_vector_copy(const psdvec_model *model, uint32_t i, float *vector)
{
    if (!pv_model_has(model, i) || model->info.sparse) /* a sparse model has one set */
        return psdvec_model_copy(model, i, vector);
    if (!vector)
        return false;
    pv_vector_set_copy(&model->vectors, i, 1, vector);
    return true;
}

void psdvec_model_sparse_row(const psdvec_model *model, uint32_t i, const uint32_t **columns,
                             const float **values, size_t *count)
{
    pv_csr_row row = {0};
    if (pv_model_has(model, i) && model->info.sparse)
        row = pv_csr_row_of(&model->sparse, i);
    if (columns)
        *columns = row.column;
    if (values)
        *values = row.value;
    if (count)
        *count = row.count;
}

bool psdvec_model_spell(const psdvec_model *model, const char *word, size_t length, float *vector)
{
    if (!model || !vector)
        return false;
    if (model->spelling && word)
        return pv_spelling_vector(model->spelling, word, length, vector) > 0;
    memset(vector, 0, model->info.dim * sizeof *vector);
    return false;
}

/* ---- Another weight of spelling -------------------------------------------------------------
 *
 * Training adds share * s_i to the read-out of every word in its last step, and so does extending a
 * model. s_i follows from the spelling and the table of n-grams in the file, so another weight w
 * needs one pass over the words and no training:
 *
 *     read-out - (1 - w) share s_i
 */

typedef struct spelling_setting {
    double spelling;
} spelling_setting;

/* The share that training added; 0: none. */
static double share_of(const psdvec_model *m)
{
    static const pv_json_field fields[] = {PV_JSON_FIELD(spelling_setting, spelling), {0}};
    spelling_setting setting = {0};
    const char *text = m->info.settings_json;
    pv_json j;
    if (!m->spelling || !m->info.has_readout || !text)
        return 0;
    pv_json_init(&j, text, strlen(text), 0);
    return pv_json_read_record(&j, fields, &setting) ? setting.spelling : 0;
}

/* Creates a view, which shares data with its base model. */
static psdvec_model *new_view(psdvec_context *ctx, const psdvec_model *base)
{
    psdvec_model *view = pv_alloc_zero(ctx, 1, sizeof *view, "the model");
    if (!view)
        return NULL;
    view->ctx = pv_context_hold(ctx);
    atomic_init(&view->holders, 1);
    pthread_mutex_init(&view->lock, NULL);
    view->base = pv_model_hold(base);
    view->path = base->path;
    view->info = base->info;
    view->file = base->file;
    view->bytes = base->bytes;
    view->offsets = base->offsets;
    view->forms = base->forms;
    view->form_offsets = base->form_offsets;
    view->vectors = base->vectors;
    view->readout = base->readout;
    view->readout_mean = base->readout_mean;
    view->readout_map = base->readout_map;
    view->spelling = base->spelling;
    view->sparse = base->sparse;
    view->counts = base->counts;
    view->unigram = base->unigram;
    view->spread = base->spread;
    view->iterations = base->iterations;
    view->phrases = base->phrases;
    return view;
}

static psdvec_status change_spelling(psdvec_context *ctx, psdvec_model *view, double by)
{
    const psdvec_model_info *info = &view->info;
    size_t words = info->words, dim = info->dim;
    float *vectors = view->floats[1] = pv_alloc(ctx, words, dim * sizeof *vectors, NULL);
    if (!vectors)
        return pv_fail(ctx, PSDVEC_ERR_BUDGET,
                       "%s: another weight of spelling needs %.0f MiB of memory for the vectors, "
                       "more than is left of the limit; raise the limit (`memory`), or keep the "
                       "weight 1",
                       view->path, (double)words * (double)dim * sizeof(float) / 1048576);
    pv_vector_set_copy(&view->readout, 0, words, vectors);
    const pv_spelling_words list = {info->words, view->bytes, view->offsets};
    PV_TRY(pv_spelling_add(ctx, view->spelling, &list, (float)by, vectors));
    view->readout = pv_vector_set_floats(info->words, info->dim, vectors);
    return PSDVEC_OK;
}

psdvec_status psdvec_model_with_spelling(psdvec_context *ctx, const psdvec_model *model,
                                         double weight, psdvec_model **view)
{
    PV_CLEAR(view);
    PV_BEGIN(ctx);
    PV_NEED(ctx, view);
    PV_NEED(ctx, model);
    if (!(weight >= 0 && weight <= 1))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "the weight of spelling is %g, but must be from 0 to 1", weight);
    const psdvec_model *base = pv_model_words(model);
    double share = share_of(base);
    bool changes = share > 0 && weight < 1;
    if (changes && base->info.core_words == 0)
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: its vectors were normalised to length 1 by a conversion, so the part "
                       "of spelling in them is unknown; use the model that was converted",
                       base->path);
    psdvec_model *made = new_view(ctx, base);
    if (!made)
        return pv_failure(ctx);
    psdvec_status status = changes ? change_spelling(ctx, made, (weight - 1) * share) : PSDVEC_OK;
    if (status != PSDVEC_OK) {
        psdvec_model_close(made);
        return status;
    }
    *view = made;
    return PSDVEC_OK;
}

double psdvec_model_cosine(const psdvec_model *model, uint32_t i, uint32_t j)
{
    if (!pv_model_has(model, i) || !pv_model_has(model, j))
        return (double)NAN;
    if (model->info.sparse)
        return pv_sparse_cosine(pv_csr_row_of(&model->sparse, i), pv_csr_row_of(&model->sparse, j));
    const pv_vector_set *set = &model->readout;
    double lengths = pv_vector_set_length(set, i) * pv_vector_set_length(set, j);
    return lengths > 0 ? pv_vector_set_product(set, i, set, j, NULL) / lengths : 0;
}

void pv_model_readout_later(const psdvec_model *m, const float *v, const char *word, size_t length,
                            double share, float *scratch, float *readout)
{
    uint32_t dim = m->info.dim;
    bool known = false; /* as in training, a zero vector stays zero */
    for (uint32_t k = 0; k < dim; k++)
        known |= v[k] != 0;
    for (uint32_t k = 0; k < dim; k++)
        scratch[k] = v[k] - (known && m->readout_mean ? m->readout_mean[k] : 0);
    pv_unit_vector(scratch, dim, scratch);
    if (m->readout_map) {
        for (uint32_t c = 0; c < dim; c++) {
            double sum = 0;
            for (uint32_t k = 0; k < dim; k++)
                sum += (double)scratch[k] * (double)m->readout_map[(size_t)k * dim + c];
            readout[c] = (float)sum;
        }
        pv_unit_vector(readout, dim, readout);
    } else
        memcpy(readout, scratch, dim * sizeof *readout);
    if (m->spelling && pv_spelling_vector(m->spelling, word, length, scratch))
        for (uint32_t k = 0; k < dim; k++)
            readout[k] += (float)share * scratch[k];
}
