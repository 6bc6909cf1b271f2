/* The read-out: the vectors by which words are compared, made from the generative
 * ones when they are first needed.
 */
#include "model/dot.h"
#include "model/model_read.h"

#include <math.h>
#include <string.h>

psdvec_status pv_model_readout(psdvec_context *ctx, const psdvec_model *model,
                               const float **vectors)
{
    (void)ctx;
    *vectors = model->vectors;
    return PSDVEC_OK;
}

psdvec_status psdvec_model_readout(psdvec_context *ctx, const psdvec_model *model,
                                   const float **vectors)
{
    pv_begin(ctx);
    return pv_model_readout(ctx, model, vectors);
}

bool psdvec_model_spell(const psdvec_model *m, const char *word, size_t length, float *vector)
{
    (void)word;
    (void)length;
    memset(vector, 0, m->info.dim * sizeof *vector);
    return false;
}

double psdvec_model_cosine(const psdvec_model *m, uint32_t i, uint32_t j)
{
    const float *vectors;
    if (pv_model_readout(m->ctx, m, &vectors) != PSDVEC_OK)
        return NAN;
    const float *a = vectors + (size_t)i * m->info.dim, *b = vectors + (size_t)j * m->info.dim;
    double sum = 0, lengths = pv_length(a, m->info.dim) * pv_length(b, m->info.dim);
    for (uint32_t k = 0; k < m->info.dim; k++)
        sum += (double)a[k] * (double)b[k];
    return lengths > 0 ? sum / lengths : 0;
}
