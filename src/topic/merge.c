/* Merging topics that are nearly equal. */
#include "topic/merge.h"

#include "base/thread.h"

#include <math.h>
#include <string.h>

typedef struct merging {
    pv_topic_fit *fit;
    uint32_t topics;
    float *rows;       /* topics x words: P(word | topic) */
    double *mass;      /* topics: expected words */
    uint32_t *into;    /* topics: the topic into which it was merged, or itself */
    uint32_t *nearest; /* topics: the nearest of the topics before it */
    double *distance;  /* topics: to it; INFINITY if there is none */
    uint32_t changed;  /* the topic whose distances are computed again; UINT32_MAX: all */
} merging;

/* The Jensen-Shannon divergence of two distributions. */
static double divergence(const float *p, const float *q, size_t words)
{
    double sum = 0;
    for (size_t w = 0; w < words; w++) {
        double a = (double)p[w], b = (double)q[w], mean = (a + b) / 2;
        if (a > 0)
            sum += a * log(a / mean);
        if (b > 0)
            sum += b * log(b / mean);
    }
    return sum / 2;
}

static bool exists(const merging *m, uint32_t k)
{
    return m->into[k] == k;
}

/* Finds the topic nearest to topic k among those before it. */
static psdvec_status find_nearest(void *arg, size_t k, int worker)
{
    (void)worker;
    merging *m = arg;
    size_t words = m->fit->space->words;
    bool stale = m->changed == UINT32_MAX || m->changed == k || m->nearest[k] == m->changed ||
                 !exists(m, m->nearest[k]);
    double known = m->distance[k];
    if (!exists(m, (uint32_t)k)) {
        m->distance[k] = INFINITY;
        return PSDVEC_OK;
    }
    if (stale) {
        known = INFINITY;
        m->nearest[k] = (uint32_t)k;
    }
    for (uint32_t i = 0; i < k; i++) {
        if (!exists(m, i) || (!stale && i != m->changed))
            continue;
        double d = divergence(m->rows + k * words, m->rows + i * words, words);
        if (d < known) {
            known = d;
            m->nearest[k] = i;
        }
    }
    m->distance[k] = known;
    return PSDVEC_OK;
}

/* Merges topic b into topic a, which is before it. */
static void join(merging *m, uint32_t a, uint32_t b, float *gamma, size_t documents,
                 const double *alpha)
{
    pv_topic_fit *f = m->fit;
    size_t words = f->space->words;
    double all = m->mass[a] + m->mass[b], share = all > 0 ? m->mass[b] / all : 0.5;
    bool fixed = f->null_topic && a == 0;
    for (size_t d = 0; !fixed && d < f->space->dim; d++) {
        float *t = f->vectors + d * f->stride;
        t[a] = (float)((1 - share) * (double)t[a] + share * (double)t[b]);
    }
    for (size_t w = 0; !fixed && w < words; w++) {
        float *p = m->rows + a * words + w, *r = f->residuals ? f->residuals + w * f->stride : NULL;
        *p = (float)((1 - share) * (double)*p + share * (double)m->rows[b * words + w]);
        if (r)
            r[a] = (float)((1 - share) * (double)r[a] + share * (double)r[b]);
    }
    for (size_t d = 0; d < documents; d++) {
        float *g = gamma + d * m->topics;
        g[a] = (float)((double)g[a] + (double)g[b] - alpha[b]);
    }
    m->mass[a] = all;
    m->into[b] = a;
}

/* Removes the columns of merged topics. */
static void compact(const merging *m, double *alpha, float *gamma, size_t documents)
{
    pv_topic_fit *f = m->fit;
    uint32_t topics = m->topics, left = 0;
    for (uint32_t k = 0; k < topics; k++) {
        if (!exists(m, k))
            continue;
        alpha[left] = alpha[k];
        for (size_t d = 0; d < f->space->dim; d++)
            f->vectors[d * f->stride + left] = f->vectors[d * f->stride + k];
        for (size_t w = 0; f->residuals && w < f->space->words; w++)
            f->residuals[w * f->stride + left] = f->residuals[w * f->stride + k];
        left++;
    }
    for (size_t d = 0; d < f->space->dim; d++)
        memset(f->vectors + d * f->stride + left, 0, (f->stride - left) * sizeof *f->vectors);
    for (size_t w = 0; f->residuals && w < f->space->words; w++)
        memset(f->residuals + w * f->stride + left, 0, (f->stride - left) * sizeof *f->residuals);
    for (size_t d = 0; d < documents; d++) {
        const float *from = gamma + d * topics;
        float *to = gamma + d * left;
        for (uint32_t k = 0, at = 0; k < topics; k++)
            if (exists(m, k))
                to[at++] = from[k];
    }
    f->topics = left;
}

psdvec_status pv_topic_merge(pv_topic_fit *f, double limit, double *alpha, float *gamma,
                             size_t documents, uint32_t *merged)
{
    psdvec_context *ctx = f->memory.ctx;
    size_t words = f->space->words;
    pv_scope scope = {.ctx = ctx, .what = "merging topics"};
    /* `direction` is not in use between two steps. */
    merging m = {.fit = f, .topics = f->topics, .rows = f->direction, .changed = UINT32_MAX};
    psdvec_status status = PSDVEC_OK;
    *merged = 0;
    if (!(limit > 0))
        return PSDVEC_OK;
    PV_TAKE_ZERO(&scope, m.mass, f->topics);
    PV_TAKE(&scope, m.into, f->topics);
    PV_TAKE(&scope, m.nearest, f->topics);
    PV_TAKE(&scope, m.distance, f->topics);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t k = 0; k < f->topics; k++) {
        m.into[k] = m.nearest[k] = k;
        m.distance[k] = INFINITY;
        for (size_t w = 0; w < words; w++) {
            m.rows[k * words + w] = f->beta[w * f->stride + k];
            m.mass[k] += (double)f->counts[w * f->stride + k];
        }
    }
    for (;;) {
        uint32_t best = 0;
        PV_TRY_DONE(pv_parallel_tasks(ctx, f->topics, find_nearest, &m));
        for (uint32_t k = 0; k < m.topics; k++)
            if (m.distance[k] < m.distance[best])
                best = k;
        if (!(m.distance[best] < limit))
            break;
        m.changed = m.nearest[best];
        join(&m, m.changed, best, gamma, documents, alpha);
        ++*merged;
    }
    if (*merged) {
        compact(&m, alpha, gamma, documents);
        status = pv_topic_fit_start(f);
    }
done:
    pv_scope_free(&scope);
    return status;
}
