/* From the words before a word to a row of a matrix. */
#include "document/contexts.h"

#include "model/dot.h"
#include "model/model_read.h"

#include <string.h>

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

/* ---- The trail ------------------------------------------------------------------------------ */

psdvec_status pv_trail_init(pv_trail *t, const pv_conditional *c)
{
    *t = (pv_trail){.memory = {.ctx = c->ctx, .what = "the words before a word"},
                    .capacity = 2 * (size_t)pv_window_reach(&c->window) + 2};
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
    if (word == PSDVEC_UNKNOWN_WORD && c->counting.oov == PSDVEC_OOV_DROP)
        return;
    if (t->count == t->capacity) { /* the older half is out of reach */
        size_t kept = t->capacity / 2;
        memmove(t->words, t->words + t->count - kept, kept * sizeof *t->words);
        memmove(t->places, t->places + t->count - kept, kept * sizeof *t->places);
        t->count = kept;
    }
    t->words[t->count] = word;
    t->places[t->count++] = place;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static psdvec_status add_link(pv_contexts *x, size_t at, pv_context_link link)
{
    if (at == x->link_capacity) {
        PV_GROW(&x->memory, x->links, 2 * x->link_capacity);
        PV_TRY(pv_scope_status(&x->memory));
        x->link_capacity *= 2;
    }
    x->links[at] = link;
    return PSDVEC_OK;
}

/* As counting walks (window.h), the other way round: distances are the same from either end. */
static psdvec_status walk_back(pv_contexts *x, const pv_conditional *c, const pv_trail *t,
                               uint64_t place, size_t *links)
{
    const pv_window *w = &c->window;
    uint32_t distance = w->steps ? PV_STEP_ONE : 1;
    for (size_t k = t->count; k-- > 0 && distance < w->limit;) {
        uint32_t word = t->words[k];
        bool known = word != PSDVEC_UNKNOWN_WORD;
        if (known)
            PV_TRY(add_link(x, (*links)++,
                            (pv_context_link){.word = word,
                                              .back = (uint32_t)(place - t->places[k]),
                                              .weight = pv_conditional_weight(c, word, distance)}));
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
    PV_TRY(walk_back(x, c, t, place, &end));
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

/* Of one context word. */
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
