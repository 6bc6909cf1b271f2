/* Computes from a model what the probabilities of words need. */
#include "document/conditional.h"

#include "count/counts_read.h"
#include "link/weights.h"
#include "model/dot.h"
#include "model/model_read.h"
#include "train/model_link.h"
#include "train/options.h"
#include "train/train.h"

#include <float.h>
#include <math.h>

/* ---- Settings of the model ------------------------------------------------------------------- */

static psdvec_status read_settings(pv_conditional *c)
{
    const psdvec_model *m = c->model;
    psdvec_context *ctx = c->ctx;
    psdvec_status status = PSDVEC_OK;
    psdvec_train_options training;
    pv_buffer lists = {.ctx = ctx};
    bool recorded;
    PV_TRY(pv_model_require_psd(ctx, m, "only models made by psdvec train have probabilities"));
    PV_TRY_DONE(pv_model_counting(ctx, m, &c->counting, &c->strings, &recorded));
    if (!m->info.settings_json || !recorded || !m->counts)
        PV_TRY_DONE(
            pv_fail(ctx, PSDVEC_ERR_FORMAT,
                    "%s: does not record how its text was tokenised or how it was trained, so it "
                    "has no probabilities; only models made by psdvec train have them",
                    m->path));
    c->counting.text.min_document_words = 1;
    PV_TRY_DONE(pv_settings_read(ctx, m->path, m->info.settings_json, &training, &lists));
    c->pmi = !pv_target_rules[training.target].directed;
    c->kappa = training.kappa;
    if (c->pmi && training.context_power != 1) {
        PV_TAKE_ZERO(&c->memory, c->shift, c->words);
        PV_TRY_DONE(pv_scope_status(&c->memory));
        /* t = 1/2 log(2 tot pc / r), with r = X + Y approximated by 2 Y = 2 tot u: the two margins
         * differ only at the ends of documents. */
        double sum = 0;
        const double *u = m->unigram;
        for (uint32_t i = 0; u && i < c->words; i++)
            sum += u[i] > 0 ? pow(u[i], training.context_power) : 0;
        for (uint32_t i = 0; u && i < c->words; i++)
            if (u[i] > 0)
                c->shift[i] = (float)(0.5 * log(pow(u[i], training.context_power) / sum / u[i]));
    }
done:
    pv_buffer_free(&lists);
    return status;
}

/* Unigram probabilities: those of the training, or relative frequencies if frequent words were
 * subsampled. A word that was never a focus word gets half an occurrence. */
static psdvec_status fill_unigrams(pv_conditional *c)
{
    const psdvec_model *m = c->model;
    bool frequencies = c->counting.subsample > 0 || !m->unigram;
    double tokens = 0, sum = 0;
    PV_TAKE(&c->memory, c->log_unigram, c->words);
    PV_TAKE(&c->memory, c->log_p, c->words);
    PV_TRY(pv_scope_status(&c->memory));
    for (uint32_t i = 0; i < c->words; i++)
        tokens += (double)m->counts[i];
    if (!(tokens > 0))
        return pv_fail(c->ctx, PSDVEC_ERR_FORMAT, "%s: all word counts are 0", m->path);
    for (uint32_t i = 0; i < c->words; i++) {
        double p = frequencies ? (double)m->counts[i] / tokens : m->unigram[i];
        c->log_unigram[i] = p > 0 ? p : 0.5 / tokens;
        sum += c->log_unigram[i];
    }
    for (uint32_t i = 0; i < c->words; i++) {
        c->log_unigram[i] = log(c->log_unigram[i] / sum);
        c->log_p[i] = (float)c->log_unigram[i];
        if (!isfinite(c->log_p[i]))
            return pv_fail(c->ctx, PSDVEC_ERR_CORRUPT,
                           "%s: the probability of a word is not a "
                           "number",
                           m->path);
    }
    return PSDVEC_OK;
}

static psdvec_status match_counts(pv_conditional *c)
{
    PV_TAKE(&c->memory, c->counted, c->words);
    PV_TRY(pv_scope_status(&c->memory));
    for (uint32_t i = 0; i < c->words; i++) {
        size_t length;
        const char *word = psdvec_model_word(c->model, i, &length);
        if (!psdvec_counts_find(c->counts, word, length, &c->counted[i]))
            c->counted[i] = UINT32_MAX;
    }
    return PSDVEC_OK;
}

/* The caller's values, else the fitted values, else those of the paper. */
static void fill_fitted(pv_conditional *c, const psdvec_scorer_options *o)
{
    const psdvec_model_info *info = &c->model->info;
    double fitted = c->counts ? info->temperature_counts : info->temperature;
    /* A temperature of 0 becomes the smallest positive number, because some terms are divided by
     * it. */
    c->temperature = !isnan(o->temperature) ? fmax(o->temperature, DBL_MIN)
                     : fitted > 0           ? fitted
                                            : 1;
    c->interpolation = !isnan(o->interpolation)  ? o->interpolation
                       : info->interpolation > 0 ? info->interpolation
                                                 : (double)NAN;
    c->self = c->counts || isinf(o->self) ? (double)NAN : isnan(o->self) ? info->self : o->self;
}

psdvec_status pv_conditional_set_self(pv_conditional *c, double self)
{
    c->self = self;
    if (isnan(self)) {
        pv_scope_drop(&c->memory, c->own);
        c->own = NULL;
        return PSDVEC_OK;
    }
    if (!c->own) {
        PV_TAKE(&c->memory, c->own, c->words);
        PV_TRY(pv_scope_status(&c->memory));
        for (uint32_t i = 0; i < c->words; i++) {
            double twice = c->shift ? 2 * (double)c->shift[i] : 0;
            c->own[i] = (float)(psdvec_model_product(c->model, i, i) + twice);
        }
    }
    return PSDVEC_OK;
}

psdvec_status pv_conditional_open(psdvec_context *ctx, const psdvec_model *model,
                                  const psdvec_counts *counts, const psdvec_scorer_options *options,
                                  pv_conditional **out)
{
    const psdvec_model_info *info = &model->info;
    pv_conditional *c = *out = pv_alloc_zero(ctx, 1, sizeof *c, "a model of documents");
    if (!c)
        return pv_failure(ctx);
    c->ctx = ctx;
    c->memory = (pv_scope){.ctx = ctx, .what = "the words' probabilities"};
    c->model = pv_model_hold(model);
    c->counts = pv_counts_hold(counts);
    c->words = info->words;
    c->dim = info->dim;
    c->log_absent = -INFINITY;
    pv_buffer_init(&c->strings, ctx);
    fill_fitted(c, options);
    PV_TRY(read_settings(c));
    PV_TRY(pv_model_check_vectors(ctx, model));
    PV_TRY(pv_model_floats(ctx, model, &model->vectors, &c->vectors));
    pv_vocabulary words = {.count = c->words, .frequency = (uint64_t *)model->counts};
    PV_TRY(pv_window_init(&c->window, ctx, &c->counting, &words));
    PV_TRY(fill_unigrams(c));
    PV_TAKE(&c->memory, c->sign, c->dim);
    PV_TRY(pv_scope_status(&c->memory));
    for (uint32_t d = 0; d < c->dim; d++)
        c->sign[d] = info->eigenvalues && info->eigenvalues[d] < 0 ? -1 : 1;
    PV_TRY(pv_conditional_set_self(c, c->self));
    if (counts) {
        c->replaced = !c->pmi;
        PV_TRY(pv_residual_matrix_make(ctx, model, counts,
                                       c->replaced ? PV_RESIDUAL_TARGET : PV_RESIDUAL_DIFFERENCE,
                                       &c->residuals));
        PV_TRY(pv_model_counts_check(ctx, counts, c->residuals->same_counts, c->residuals->common));
        PV_TRY(match_counts(c));
    }
    return PSDVEC_OK;
}

void pv_conditional_close(pv_conditional *c)
{
    if (!c)
        return;
    pv_window_free(&c->window);
    pv_residual_matrix_free(c->residuals);
    pv_buffer_free(&c->strings);
    pv_scope_free(&c->memory);
    psdvec_counts_close((psdvec_counts *)c->counts);
    psdvec_model_close((psdvec_model *)c->model);
    pv_free(c->ctx, c);
}

void pv_conditional_share(pv_conditional *c, uint64_t union_words, double occurrences)
{
    double tokens = 0;
    for (uint32_t i = 0; i < c->words; i++)
        tokens += (double)c->model->counts[i];
    double whole = tokens + occurrences * (double)union_words;
    for (uint32_t i = 0; i < c->words; i++) {
        c->log_unigram[i] = log((exp(c->log_unigram[i]) * tokens + occurrences) / whole);
        c->log_p[i] = (float)c->log_unigram[i];
    }
    c->log_absent = log(occurrences / whole);
    c->absent_share = occurrences * (double)(union_words - c->words) / whole;
}

/* ---- Residuals and bigrams of the counts ----------------------------------------------------- */

double pv_conditional_residual(const pv_conditional *c, uint32_t context, uint32_t focus)
{
    const pv_residual_matrix *a = c->residuals;
    if (!a)
        return 0;
    const pv_csr rows = pv_csr_view(&a->rows);
    pv_csr_row row = pv_csr_row_of(&rows, context);
    uint64_t at = pv_lower_bound(row.column, row.count, focus);
    if (at < row.count && row.column[at] == focus)
        return (double)row.value[at];
    return c->replaced ? a->unseen : 0;
}

double pv_conditional_bigram_share(const pv_conditional *c, uint32_t context, uint32_t focus)
{
    uint32_t i = context == PSDVEC_UNKNOWN_WORD ? UINT32_MAX : c->counted[context];
    if (i == UINT32_MAX)
        return -1;
    uint64_t total = psdvec_counts_context_total(c->counts, i);
    if (total == 0)
        return -1;
    uint32_t j = focus == PSDVEC_UNKNOWN_WORD ? UINT32_MAX : c->counted[focus];
    return j == UINT32_MAX ? 0 : (double)psdvec_counts_get(c->counts, i, j) / (double)total;
}

double pv_conditional_bigram(const pv_conditional *c, uint32_t context, uint32_t focus,
                             double weight)
{
    double log_p = focus == PSDVEC_UNKNOWN_WORD ? c->log_absent : c->log_unigram[focus];
    double share = pv_conditional_bigram_share(c, context, focus);
    return share < 0 ? log_p : log((1 - weight) * share + weight * exp(log_p));
}

/* ---- Contexts -------------------------------------------------------------------------------- */

psdvec_status pv_contexts_init(pv_contexts *x, psdvec_context *ctx, uint32_t dim, uint32_t capacity)
{
    *x = (pv_contexts){.memory = {.ctx = ctx, .what = "contexts of words"},
                       .dim = dim,
                       .capacity = capacity,
                       .link_capacity = (size_t)capacity * 16};
    PV_TAKE_ZERO(&x->memory, x->h, (size_t)capacity * dim);
    PV_TAKE(&x->memory, x->weight, capacity);
    PV_TAKE(&x->memory, x->constant, capacity);
    PV_TAKE_ZERO(&x->memory, x->begin, (size_t)capacity + 1);
    PV_TAKE(&x->memory, x->links, x->link_capacity);
    return pv_scope_status(&x->memory);
}

void pv_contexts_free(pv_contexts *x)
{
    pv_scope_free(&x->memory);
    *x = (pv_contexts){0};
}

void pv_contexts_clear(pv_contexts *x)
{
    memset(x->h, 0, (size_t)x->count * x->dim * sizeof *x->h);
    x->count = 0;
}

/* ---- The trail ------------------------------------------------------------------------------- */

psdvec_status pv_trail_init(pv_trail *t, const pv_conditional *c)
{
    *t = (pv_trail){.memory = {.ctx = c->ctx, .what = "the words before a word"},
                    .capacity = 2 * (size_t)pv_window_reach(&c->window) + 2};
    pv_trail_clear(t);
    PV_TAKE(&t->memory, t->words, t->capacity);
    PV_TAKE(&t->memory, t->places, t->capacity);
    return pv_scope_status(&t->memory);
}

void pv_trail_free(pv_trail *t)
{
    pv_scope_free(&t->memory);
    *t = (pv_trail){0};
}

void pv_trail_add(pv_trail *t, const pv_conditional *c, uint32_t word, uint64_t place)
{
    t->last = word;
    if (word != PSDVEC_UNKNOWN_WORD)
        t->last_known = word;
    if (word == PSDVEC_UNKNOWN_WORD && c->counting.oov == PSDVEC_OOV_DROP)
        return;
    if (t->count == t->capacity) { /* the older half is outside all windows */
        size_t kept = t->capacity / 2;
        memmove(t->words, t->words + t->count - kept, kept * sizeof *t->words);
        memmove(t->places, t->places + t->count - kept, kept * sizeof *t->places);
        t->count = kept;
    }
    t->words[t->count] = word;
    t->places[t->count++] = place;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Iterates as counting does (window.h), but backwards: distances are the same in both
 * directions. */
static psdvec_status add_links(pv_contexts *x, const pv_conditional *c, const pv_trail *t,
                               uint64_t place, size_t *links)
{
    const pv_window *w = &c->window;
    uint32_t distance = w->steps ? PV_STEP_ONE : 1;
    for (size_t k = t->count; k-- > 0 && distance < w->limit;) {
        uint32_t word = t->words[k];
        bool known = word != PSDVEC_UNKNOWN_WORD;
        if (known && *links == x->link_capacity) {
            PV_GROW(&x->memory, x->links, 2 * x->link_capacity);
            PV_TRY(pv_scope_status(&x->memory));
            x->link_capacity *= 2;
        }
        if (known)
            x->links[(*links)++] =
                (pv_context_link){.word = word,
                                  .back = (uint32_t)(place - t->places[k]),
                                  .weight = pv_conditional_weight(c, word, distance)};
        distance += w->steps ? w->steps[known ? word : c->words] : 1;
    }
    return PSDVEC_OK;
}

psdvec_status pv_contexts_add(pv_contexts *x, const pv_conditional *c, const pv_trail *t,
                              uint64_t place)
{
    uint32_t row = x->count;
    size_t end = x->begin[row];
    float *h = x->h + (size_t)row * x->dim;
    double weight = 0, constant = 0;
    PV_TRY(add_links(x, c, t, place, &end));
    for (size_t k = x->begin[row]; k < end; k++) {
        const pv_context_link *link = &x->links[k];
        weight += link->weight;
        if (c->replaced)
            continue;
        const float *v = c->vectors + (size_t)link->word * x->dim;
        float b = (float)link->weight;
        for (uint32_t d = 0; d < x->dim; d++)
            h[d] += b * v[d];
        constant += c->shift ? link->weight * (double)c->shift[link->word] : 0;
    }
    for (uint32_t d = 0; d < x->dim; d++)
        h[d] *= c->sign[d];
    x->weight[row] = weight;
    x->constant[row] = c->replaced ? weight * c->residuals->unseen : constant;
    x->begin[row + 1] = end;
    x->count++;
    return PSDVEC_OK;
}

double pv_contexts_repeats(const pv_contexts *x, uint32_t row, uint32_t word)
{
    double weight = 0;
    for (size_t k = x->begin[row]; k < x->begin[row + 1]; k++)
        weight += x->links[k].word == word ? x->links[k].weight : 0;
    return weight;
}

double pv_contexts_score(const pv_contexts *x, const pv_conditional *c, uint32_t row, uint32_t word,
                         double *paper)
{
    double score = x->constant[row], change = 0;
    if (word != PSDVEC_UNKNOWN_WORD) {
        if (!c->replaced) {
            const float *v = c->vectors + (size_t)word * x->dim;
            score += (double)pv_dot(x->h + (size_t)row * x->dim, v, x->dim);
            score += c->shift ? x->weight[row] * (double)c->shift[word] : 0;
        }
        for (size_t k = x->begin[row]; c->residuals && k < x->begin[row + 1]; k++) {
            double a = pv_conditional_residual(c, x->links[k].word, word);
            score += x->links[k].weight * (c->replaced ? a - c->residuals->unseen : a);
        }
        if (c->own)
            change = pv_contexts_repeats(x, row, word) * pv_conditional_self_change(c, word);
    }
    if (paper)
        *paper = score;
    return score + change;
}

/* Adds the residuals of one context word. */
static void add_residuals(const pv_conditional *c, const pv_context_link *link,
                          const uint32_t *place, uint32_t from, uint32_t to, float *scores)
{
    const pv_residual_matrix *a = c->residuals;
    const pv_csr rows = pv_csr_view(&a->rows);
    pv_csr_row entries = pv_csr_row_of(&rows, link->word);
    size_t e = 0;
    float weight = (float)link->weight, less = c->replaced ? (float)a->unseen : 0;
    if (!place)
        e = pv_lower_bound(entries.column, entries.count, from);
    for (; e < entries.count; e++) {
        uint32_t at = place ? place[entries.column[e]] : entries.column[e];
        if (at >= from && at < to)
            scores[at - from] += weight * (entries.value[e] - less);
        else if (!place)
            break;
    }
}

void pv_contexts_adjust(const pv_contexts *x, const pv_conditional *c, uint32_t row,
                        const uint32_t *place, uint32_t from, uint32_t to, float *scores)
{
    for (size_t k = x->begin[row]; c->residuals && k < x->begin[row + 1]; k++)
        add_residuals(c, &x->links[k], place, from, to, scores);
    for (size_t k = x->begin[row]; c->own && k < x->begin[row + 1]; k++) {
        const pv_context_link *link = &x->links[k];
        uint32_t at = place ? place[link->word] : link->word;
        if (at >= from && at < to)
            scores[at - from] += (float)(link->weight * pv_conditional_self_change(c, link->word));
    }
}
