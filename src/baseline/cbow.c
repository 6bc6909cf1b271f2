/* The continuous bag of words with negative sampling, in batches of two phases.
 *
 * A step of CBOW touches the rows of all words of a window, so there are no strata. Instead, words in
 * the middle of windows (centres) are taken in small batches (cbow_batches.h):
 *
 *     1. for each group of eight centres: h, the mean of the words around; logits and slopes g for
 *        the centre and for noise words; e, what the words around would gain. Rows are only read.
 *     2. for each owner of rows: e is added to the words around, g h to the centres and the noise
 *        words that are the owner's, in the order of the text.
 *
 * So the sums have a fixed order, whoever computes them. A batch is small enough that it does not
 * matter that its steps do not see each other.
 */
#include "base/memory.h"
#include "baseline/cbow_batches.h"
#include "baseline/phases.h"

enum { AHEAD = 4 }; /* additions by which rows are asked for */

struct pv_cbow {
    pv_scope memory; /* of the batch */
    pv_scope chunk;  /* phases, loss */
    pv_cbow_batches batches;
    size_t room;      /* batches for which there are */
    uint64_t *phases; /* 2 x batches + 1: their first tasks */
    double *loss;     /* batches: of the first group */
    float *h, *e;     /* PV_CBOW_BATCH x stride */
    float *g;         /* PV_CBOW_BATCH x width */
};

psdvec_status pv_cbow_new(pv_word2vec *w)
{
    psdvec_context *ctx = w->ctx;
    pv_cbow *c = w->cbow = pv_alloc_zero(ctx, 1, sizeof *c, "a batch of the text");
    if (!c)
        return pv_failure(ctx);
    c->memory = (pv_scope){.ctx = ctx, .what = "a batch of the text"};
    c->chunk = (pv_scope){.ctx = ctx, .what = "a chunk of the text"};
    PV_TAKE(&c->memory, c->h, PV_CBOW_BATCH * w->space.stride);
    PV_TAKE(&c->memory, c->e, PV_CBOW_BATCH * w->space.stride);
    PV_TAKE_ZERO(&c->memory, c->g, PV_CBOW_BATCH * w->space.width);
    PV_TRY(pv_scope_status(&c->memory));
    return pv_cbow_batches_open(&c->batches, w);
}

void pv_cbow_free(pv_word2vec *w)
{
    pv_cbow *c = w->cbow;
    if (!c)
        return;
    pv_cbow_batches_close(&c->batches);
    pv_scope_free(&c->chunk);
    pv_scope_free(&c->memory);
    pv_free(w->ctx, c);
    w->cbow = NULL;
}

typedef struct chunk_job {
    pv_word2vec *w;
    pv_cbow *c;
    uint64_t step;
} chunk_job;

/* ---- First phase ------------------------------------------------------------------------------ */

/* The mean of the words around centre i of a batch. */
static void mean_around(const chunk_job *job, size_t batch, uint32_t i)
{
    enum { MOST = 64 };
    pv_word2vec *w = job->w;
    const pv_cbow_centre *here = pv_cbow_centre_of(&job->c->batches, batch, i);
    const uint32_t *kept = w->text.kept + here->place;
    ptrdiff_t reach = w->text.reach[here->place];
    uint32_t rows[MOST], n = 0;
    float *h = job->c->h + i * w->space.stride, factor = 1.0f / (float)here->around;
    bool begun = false;
    for (ptrdiff_t side = -1; side <= 1; side += 2)
        for (ptrdiff_t d = 1; d <= reach && kept[side * d] != PV_BORDER; d++) {
            rows[n++] = kept[side * d];
            if (n == MOST) {
                w->kernels->sum(w->space.in, rows, n, factor, w->space.stride, begun, h);
                begun = true;
                n = 0;
            }
        }
    if (n > 0)
        w->kernels->sum(w->space.in, rows, n, factor, w->space.stride, begun, h);
}

static pv_sgns_group group_of(const chunk_job *job, size_t batch, size_t t)
{
    const pv_cbow_batches *b = &job->c->batches;
    size_t first = t * PV_SGNS_GROUP, left = pv_cbow_centres(b, batch) - first;
    pv_sgns_group group = {.pairs = left < PV_SGNS_GROUP ? (uint32_t)left : PV_SGNS_GROUP,
                           .slot = b->slots + (batch * PV_CBOW_GROUPS + t) * job->w->space.width};
    for (uint32_t i = 0; i < group.pairs; i++) {
        group.in[i] = (uint32_t)(first + i);
        group.target[i] = job->w->text.kept[pv_cbow_centre_of(b, batch, first + i)->place];
    }
    return group;
}

static void read_group(const chunk_job *job, size_t batch, size_t t)
{
    pv_word2vec *w = job->w;
    pv_cbow *c = job->c;
    pv_sgns_space space = w->space;
    pv_sgns_group group = group_of(job, batch, t);
    float *g = c->g + t * PV_SGNS_GROUP * space.width;
    float rate = pv_word2vec_rate(w, job->step, (double)batch / (double)c->batches.count);
    space.in = c->h;
    for (uint32_t i = 0; i < group.pairs; i++)
        mean_around(job, batch, group.in[i]);
    w->kernels->logits(&space, &group, &group, g);
    if (t == 0)
        c->loss[batch] = pv_sgns_loss(&space, &group, g);
    w->kernels->slopes(&space, &group, rate, g);
    w->kernels->errors(&space, &group, g, c->e);
}

/* ---- Second phase ------------------------------------------------------------------------------- */

static void ask_for(const pv_sgns_space *space, const pv_cbow_addition *a, bool out)
{
    const char *row = (const char *)((out ? space->out : space->in) + a->row * space->stride);
    for (size_t at = 0; at < space->stride * sizeof(float); at += 64)
        __builtin_prefetch(row + at, 1);
}

static void add_owned(const chunk_job *job, size_t batch, size_t owner)
{
    const pv_word2vec *w = job->w;
    const pv_cbow *c = job->c;
    const pv_sgns_space *space = &w->space;
    size_t stride = space->stride, width = space->width;
    size_t centres = pv_cbow_centres(&c->batches, batch);
    const pv_cbow_addition *all = c->batches.additions + c->batches.begin[batch];
    const uint32_t *bucket = c->batches.buckets + batch * (PV_CBOW_BUCKETS + 1) +
                             owner * PV_CBOW_KINDS;
    uint32_t centre = bucket[PV_CBOW_CENTRE], drawn = bucket[PV_CBOW_DRAWN];
    uint32_t end = bucket[PV_CBOW_DRAWN + 1];
    for (uint32_t k = bucket[PV_CBOW_AROUND]; k < end; k++) {
        const pv_cbow_addition *a = &all[k];
        if (k + AHEAD < end)
            ask_for(space, a + AHEAD, k + AHEAD >= centre);
        if (k < centre) {
            w->kernels->add(1, c->e + a->from * stride, stride, space->in + a->row * stride);
        } else if (k < drawn) {
            w->kernels->add(c->g[a->from * width], c->h + a->from * stride, stride,
                            space->out + a->row * stride);
        } else {
            size_t first = a->from / width * PV_SGNS_GROUP, slot = a->from % width;
            size_t n = centres - first < PV_SGNS_GROUP ? centres - first : PV_SGNS_GROUP;
            w->kernels->add_rows(c->g + first * width + slot, width, c->h + first * stride, n,
                                 stride, space->out + a->row * stride);
        }
    }
}

static psdvec_status learn(void *opaque, size_t phase, size_t task, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    if (phase % 2 == 0)
        read_group(job, phase / 2, task);
    else
        add_owned(job, phase / 2, task);
    return PSDVEC_OK;
}

/* ---- A chunk -------------------------------------------------------------------------------------- */

static psdvec_status plan_phases(pv_cbow *c)
{
    const pv_cbow_batches *b = &c->batches;
    if (b->count > c->room) {
        c->room = 0;
        pv_scope_free(&c->chunk);
        PV_TAKE(&c->chunk, c->phases, 2 * b->count + 1);
        PV_TAKE(&c->chunk, c->loss, b->count);
        PV_TRY(pv_scope_status(&c->chunk));
        c->room = b->count;
    }
    c->phases[0] = 0;
    for (size_t batch = 0; batch < b->count; batch++) {
        c->phases[2 * batch + 1] = c->phases[2 * batch] + pv_cbow_groups(b, batch);
        c->phases[2 * batch + 2] = c->phases[2 * batch + 1] + PV_CBOW_OWNERS;
    }
    return PSDVEC_OK;
}

psdvec_status pv_cbow_chunk(pv_word2vec *w, uint32_t epoch, size_t chunk, uint64_t step)
{
    pv_cbow *c = w->cbow;
    pv_cbow_batches *b = &c->batches;
    chunk_job job = {.w = w, .c = c, .step = step};
    PV_TRY(pv_cbow_batches_make(b, w, epoch, chunk, step));
    if (b->count == 0)
        return PSDVEC_OK;
    PV_TRY(plan_phases(c));
    PV_TRY(pv_phases_run(w->ctx, 2 * b->count, c->phases, learn, &job));
    w->pairs += b->centre_count;
    for (size_t batch = 0; batch < b->count; batch++) {
        size_t centres = pv_cbow_centres(b, batch);
        w->loss += c->loss[batch];
        w->loss_pairs += centres < PV_SGNS_GROUP ? centres : PV_SGNS_GROUP;
    }
    return PSDVEC_OK;
}
