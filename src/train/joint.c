/* What words and unseen pairs give to the joint probability; and all of it of a model. */
#include "train/joint.h"

#include "base/arguments.h"
#include "base/json.h"
#include "model/model_read.h"
#include "solve/tall.h"
#include "train/model_link.h"
#include "train/train.h"

#include <math.h>

/* ---- The text without its pairs ----------------------------------------------------- */
/* As documents are scored: P as in training, or shares of the text if frequent words were
 * subsampled; a word that was never a focus word has half an occurrence. */
static void add_unigrams(const pv_joint_of *of, psdvec_joint *joint)
{
    const pv_link *link = of->link;
    const uint64_t *frequency = link->counts->frequency;
    double tokens = 0, sum = 0, logs = 0;
    for (uint32_t c = 0; c < link->words; c++)
        if (of->word[c] != PV_NO_WORD) {
            tokens += (double)frequency[c];
            joint->tokens += frequency[c];
        }
    if (!(tokens > 0))
        return;
    for (uint32_t c = 0; c < link->words; c++) {
        if (of->word[c] == PV_NO_WORD)
            continue;
        double p = link->keep ? (double)frequency[c] / tokens : link->unigram[c];
        if (!(p > 0))
            p = 0.5 / tokens;
        sum += p;
        logs += (double)frequency[c] * log(p);
    }
    joint->unigrams += logs - tokens * log(sum);
}

/* ---- Priors of vectors ------------------------------------------------------------------ */
static void add_vectors(const pv_joint_of *of, psdvec_joint *joint)
{
    const pv_link *link = of->link;
    const uint64_t *frequency = link->counts->frequency;
    double last = (double)(frequency[link->core - 1] > 0 ? frequency[link->core - 1] : 1);
    for (uint32_t c = 0; c < link->words; c++) {
        if (of->word[c] == PV_NO_WORD)
            continue;
        joint->words++;
        double mu = c < link->core ? pv_core_prior(link, c)
                                   : pv_noncore_mu(&link->options, link->core, link->words, c,
                                                   (double)frequency[c], last);
        if (!(mu > 0)) {
            joint->free_words++;
            continue;
        }
        const float *v = of->vectors + (size_t)of->word[c] * of->dim;
        double square = 0;
        for (size_t k = 0; k < of->dim; k++)
            square += (double)v[k] * v[k];
        joint->vector_prior -= mu * square;
        joint->vector_normaliser += 0.5 * (double)of->dim * log(mu / M_PI);
    }
}

/* ---- Unseen pairs, in closed form --------------------------------------------------------
 * With the weights background * z_i z_j of all pairs i != j, B = sum of z_i v_i v_i' and
 * b = sum of z_i v_i,
 *     sum z_i z_j (t - X_ij)^2 = t^2 (sum z)^2 - 2 t b' J b + trace(J B J B) - sum z_i^2 (t - X_ii)^2
 */
static psdvec_status background_sum(const pv_joint_of *of, double *out)
{
    const pv_link *link = of->link;
    psdvec_context *ctx = link->ctx;
    size_t dim = of->dim;
    double all = 0, diagonal = 0, t = link->background_target;
    psdvec_status status = PSDVEC_OK;
    float *scaled = pv_alloc_zero(ctx, of->words * dim, sizeof *scaled, "the joint probability");
    float *z = pv_alloc_zero(ctx, of->words, sizeof *z, "the joint probability");
    double *B = pv_alloc(ctx, dim * dim, sizeof *B, "the joint probability");
    double *b = pv_alloc(ctx, dim, sizeof *b, "the joint probability");
    if (!scaled || !z || !B || !b) {
        status = pv_failure(ctx);
        goto done;
    }
    for (uint32_t c = 0; c < link->words; c++) {
        uint32_t i = of->word[c];
        if (i == PV_NO_WORD)
            continue;
        double factor = link->factor[c], off = t - pv_joint_product(of, i, i);
        z[i] = (float)factor;
        all += factor;
        diagonal += factor * factor * off * off;
        for (size_t k = 0; k < dim; k++)
            scaled[i * dim + k] = z[i] * of->vectors[i * dim + k];
    }
    pv_tall vectors = {of->vectors, dim, dim};
    PV_TRY_DONE(pv_tall_gram(ctx, of->words, vectors, (pv_tall){scaled, dim, dim}, NULL, B));
    PV_TRY_DONE(pv_tall_gram(ctx, of->words, vectors, (pv_tall){z, 1, 1}, NULL, b));
    double sum = t * t * all * all - diagonal;
    const float *signs = of->eigenvalues;
    for (size_t k = 0; k < dim; k++) {
        bool minus = signs && signs[k] < 0;
        sum -= 2 * t * (minus ? -1 : 1) * b[k] * b[k];
        for (size_t l = 0; l < dim; l++)
            sum += (minus == (signs && signs[l] < 0) ? 1 : -1) * B[k * dim + l] * B[l * dim + k];
    }
    *out = link->background * sum;
done:
    pv_free(ctx, b);
    pv_free(ctx, B);
    pv_free(ctx, z);
    pv_free(ctx, scaled);
    return status;
}

/* Pairs whose weight the closed form has above 1, where the rule cuts it off; those of the few
 * most frequent words. */
static void add_capped(const pv_joint_of *of, double *prior, double *logs)
{
    const pv_link *link = of->link;
    double largest = 0;
    for (uint32_t c = 0; c < link->words; c++)
        if (of->word[c] != PV_NO_WORD)
            largest = fmax(largest, link->factor[c]);
    for (uint32_t i = 0; i < link->words; i++) {
        if (of->word[i] == PV_NO_WORD || link->background * link->factor[i] * largest <= 1)
            continue;
        for (uint32_t j = i + 1; j < link->words; j++) {
            double b = pv_link_background(link, i, j);
            if (of->word[j] == PV_NO_WORD || b <= 1)
                continue;
            *logs -= 2 * log(b);
            if (psdvec_counts_get(link->counts, i, j) || psdvec_counts_get(link->counts, j, i))
                continue;
            double off = link->background_target - pv_joint_product(of, of->word[i], of->word[j]);
            *prior += 2 * (1 - b) * off * off;
        }
    }
}

static psdvec_status add_unseen(const pv_joint_of *of, psdvec_joint *joint)
{
    const pv_link *link = of->link;
    double prior, logs = 0, sum = 0, words = 0;
    if (!(link->background > 0))
        return PSDVEC_OK;
    PV_TRY(background_sum(of, &prior));
    if (!link->background_only_unseen) {
        joint->background -= prior;
        return PSDVEC_OK;
    }
    for (uint32_t c = 0; c < link->words; c++)
        if (of->word[c] != PV_NO_WORD && link->factor[c] > 0) {
            sum += 0.5 * log(link->background) + log(link->factor[c]);
            words++;
        }
    if (words > 0)
        logs = 2 * (words - 1) * sum;
    add_capped(of, &prior, &logs);
    joint->residual_prior -= prior;
    joint->residual_normaliser += 0.5 * (logs - words * (words - 1) * log(M_PI));
    joint->weighed += (uint64_t)(words * (words - 1));
    return PSDVEC_OK;
}

psdvec_status pv_joint_words(const pv_joint_of *of, psdvec_joint *joint)
{
    add_unigrams(of, joint);
    add_vectors(of, joint);
    return add_unseen(of, joint);
}

uint64_t pv_joint_words_bytes(uint64_t words, uint64_t dim)
{
    return words * (dim + 1) * sizeof(float) + (dim + 1) * dim * sizeof(double) +
           pv_tall_gram_bytes(words, dim, dim);
}

/* ---- Of a model ------------------------------------------------------------------------ */
psdvec_status psdvec_joint_compute(psdvec_context *ctx, const psdvec_model *model,
                                   const psdvec_counts *counts, psdvec_joint *joint)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, joint);
    *joint = (psdvec_joint){0};
    PV_NEED(ctx, model);
    PV_NEED(ctx, counts);
    pv_model_link opened = {0};
    uint32_t *word = NULL, common;
    psdvec_status status;
    PV_TRY_DONE(pv_counts_verify_rows(ctx, counts));
    PV_TRY_DONE(pv_model_link_open(ctx, model, counts, true, &opened));
    PV_TRY_DONE(pv_model_words(ctx, model, counts, &word, &common));
    const float *vectors;
    PV_TRY_DONE(pv_model_floats(ctx, model, &model->vectors, &vectors));
    pv_joint_of of = {.link = opened.link,
                      .word = word,
                      .words = model->info.words,
                      .dim = model->info.dim,
                      .vectors = vectors,
                      .eigenvalues = model->info.eigenvalues};
    PV_TRY_DONE(pv_joint_pairs(&of, 0, joint));
    status = pv_joint_words(&of, joint);
done:
    pv_free(ctx, word);
    pv_model_link_close(&opened);
    return status;
}

psdvec_status pv_joint_write(const psdvec_joint *joint, pv_buffer *json)
{
    const struct {
        const char *name;
        double value;
    } terms[] = {{"unigrams", joint->unigrams},
                 {"products", joint->products},
                 {"residuals", joint->residuals},
                 {"shifts", joint->shifts},
                 {"residual_prior", joint->residual_prior},
                 {"background", joint->background},
                 {"vector_prior", joint->vector_prior},
                 {"residual_normaliser", joint->residual_normaliser},
                 {"vector_normaliser", joint->vector_normaliser}};
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"tokens", joint->tokens},   {"pairs", joint->pairs},
                  {"weighed", joint->weighed}, {"free_residuals", joint->free_residuals},
                  {"words", joint->words},     {"free_words", joint->free_words}};
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
        pv_json_put_double(&w, terms[k].name, terms[k].value);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        pv_json_put_u64(&w, counts[k].name, counts[k].value);
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, 0);
}
