/* The continuous bag of words with negative sampling, in batches of two phases.
 *
 * A step of CBOW touches the rows of all words of a window, so there are no strata. Instead, words in
 * the middle of windows (centres) are taken in small batches:
 *
 *     1. for each group of eight centres: h, the mean of the words around; logits and slopes g for
 *        the centre and for noise words; e, what the words around would gain. Rows are only read.
 *     2. for each of 32 owners of rows: e is added to the words around, g h to the centres and the
 *        noise words that are the owner's, in the order of the text.
 *
 * Who owns a row depends on its number alone, so the sums have a fixed order, whoever computes them.
 * A batch is small enough that it does not matter that its steps do not see each other. What an
 * owner has to add, and where, is sorted beforehand for a whole chunk of text.
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "baseline/noise.h"
#include "baseline/phases.h"
#include "baseline/word2vec.h"

#include <string.h>

enum {
    NOISE = 0x63626e7a, /* purpose of random numbers */
    BATCH = 256,        /* centres */
    GROUPS = BATCH / PV_SGNS_GROUP,
    OWNERS = 32,
    AHEAD = 4 /* additions by which rows are asked for */
};

/* What is added to a row. */
typedef enum kind { AROUND, CENTRE, DRAWN, KINDS } kind;
enum { BUCKETS = OWNERS * KINDS };

typedef struct addition {
    uint32_t row;
    uint32_t from; /* AROUND, CENTRE: the centre in its batch; DRAWN: group * width + slot */
} addition;

typedef struct centre {
    uint32_t place;  /* in the kept words of the chunk */
    uint32_t around; /* words */
} centre;

struct pv_cbow {
    pv_noise noise;
    pv_noise_cell *cells; /* words */
    size_t *counts;       /* chunk_pieces x 2: centres and words around; then where they begin */
    /* Of a chunk; grown as needed */
    centre *centres;
    size_t centre_room, addition_room;
    uint32_t *slots;     /* groups x width */
    addition *additions; /* batch by batch, sorted by owner and kind */
    uint32_t *begin;     /* batches: their first addition */
    uint32_t *buckets;   /* batches x (BUCKETS + 1): where they begin, in those of the batch */
    uint64_t *phases;    /* 2 x batches + 1 */
    double *loss;        /* batches: of the first group */
    /* Of a batch */
    float *h, *e; /* BATCH x stride */
    float *g;     /* BATCH x width */
};

/* ---- Making ------------------------------------------------------------------------------ */

static psdvec_status make_noise(pv_word2vec *w, pv_cbow *c)
{
    psdvec_status status = PSDVEC_OK;
    c->cells = pv_alloc(w->ctx, w->words, sizeof *c->cells, "the noise words");
    uint32_t *members = pv_alloc(w->ctx, w->words, sizeof *members, "the noise words");
    uint32_t *queue = pv_alloc(w->ctx, w->words, sizeof *queue, "the noise words");
    double *share = pv_alloc(w->ctx, w->words, sizeof *share, "the noise words");
    if (!c->cells || !members || !queue || !share) {
        status = pv_failure(w->ctx);
    } else {
        for (uint32_t i = 0; i < w->words; i++)
            members[i] = i;
        pv_noise_make(&c->noise, members, w->words, w->weight, c->cells, share, queue);
    }
    pv_free(w->ctx, members);
    pv_free(w->ctx, queue);
    pv_free(w->ctx, share);
    return status;
}

psdvec_status pv_cbow_new(pv_word2vec *w)
{
    static const char what[] = "a batch of the text";
    psdvec_context *ctx = w->ctx;
    pv_cbow *c = w->cbow = pv_alloc_zero(ctx, 1, sizeof *c, what);
    if (!c)
        return pv_failure(ctx);
    c->counts = pv_alloc(ctx, 2 * w->text.chunk_pieces, sizeof *c->counts, what);
    c->h = pv_alloc(ctx, BATCH * w->space.stride, sizeof *c->h, what);
    c->e = pv_alloc(ctx, BATCH * w->space.stride, sizeof *c->e, what);
    c->g = pv_alloc_zero(ctx, BATCH * w->space.width, sizeof *c->g, what);
    if (!c->counts || !c->h || !c->e || !c->g)
        return pv_failure(ctx);
    return make_noise(w, c);
}

static void free_chunk(psdvec_context *ctx, pv_cbow *c)
{
    pv_free(ctx, c->centres);
    pv_free(ctx, c->slots);
    pv_free(ctx, c->additions);
    pv_free(ctx, c->begin);
    pv_free(ctx, c->buckets);
    pv_free(ctx, c->phases);
    pv_free(ctx, c->loss);
    c->centres = NULL;
    c->slots = NULL;
    c->additions = NULL;
    c->begin = NULL;
    c->buckets = NULL;
    c->phases = NULL;
    c->loss = NULL;
    c->centre_room = c->addition_room = 0;
}

void pv_cbow_free(pv_word2vec *w)
{
    pv_cbow *c = w->cbow;
    if (!c)
        return;
    free_chunk(w->ctx, c);
    pv_free(w->ctx, c->cells);
    pv_free(w->ctx, c->counts);
    pv_free(w->ctx, c->h);
    pv_free(w->ctx, c->e);
    pv_free(w->ctx, c->g);
    pv_free(w->ctx, c);
    w->cbow = NULL;
}

/* ---- A chunk becomes batches --------------------------------------------------------------- */

typedef struct chunk_job {
    pv_word2vec *w;
    pv_cbow *c;
    uint32_t epoch;
    size_t chunk, pieces;
    uint64_t step;
    size_t centres, around, batches;
} chunk_job;

/* Words around place k, at most 2 x reach: how many, and, unless NULL, which. */
static uint32_t words_around(const pv_w2v_text *text, size_t k, uint32_t *to)
{
    const uint32_t *kept = text->kept + k;
    uint32_t reach = text->reach[k], left = 0, right = 0;
    while (left < reach && kept[-(ptrdiff_t)left - 1] != PV_BORDER)
        left++;
    while (right < reach && kept[right + 1] != PV_BORDER)
        right++;
    if (to) {
        memcpy(to, kept - left, left * sizeof *to);
        memcpy(to + left, kept + 1, right * sizeof *to);
    }
    return left + right;
}

static psdvec_status draw_piece(void *opaque, size_t piece, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    pv_w2v_text *text = &job->w->text;
    size_t *counts = job->c->counts + 2 * piece, begin = piece * PV_W2V_ROOM;
    pv_w2v_draw(text, job->epoch, job->chunk, piece);
    counts[0] = counts[1] = 0;
    for (size_t k = begin; k < begin + text->kept_count[piece]; k++)
        if (text->kept[k] != PV_BORDER) {
            uint32_t around = words_around(text, k, NULL);
            counts[0] += around > 0;
            counts[1] += around;
        }
    return PSDVEC_OK;
}

static psdvec_status make_room(chunk_job *job)
{
    static const char what[] = "a chunk of the text";
    psdvec_context *ctx = job->w->ctx;
    pv_cbow *c = job->c;
    for (size_t k = 0; k < job->pieces; k++) {
        size_t centres = c->counts[2 * k], around = c->counts[2 * k + 1];
        c->counts[2 * k] = job->centres;
        c->counts[2 * k + 1] = job->around;
        job->centres += centres;
        job->around += around;
    }
    job->batches = (job->centres + BATCH - 1) / BATCH;
    size_t groups = job->batches * GROUPS;
    size_t additions = job->around + job->centres + groups * job->w->space.negative;
    if (additions > UINT32_MAX)
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "a window of %u words is too wide",
                       job->w->settings.window);
    if (job->centres > c->centre_room || additions > c->addition_room) {
        free_chunk(ctx, c);
        size_t centres = job->centres + job->centres / 16, room = additions + additions / 16;
        size_t batches = centres / BATCH + 1;
        c->centres = pv_alloc(ctx, centres, sizeof *c->centres, what);
        c->slots = pv_alloc(ctx, batches * GROUPS * job->w->space.width, sizeof *c->slots, what);
        c->additions = pv_alloc(ctx, room, sizeof *c->additions, what);
        c->begin = pv_alloc(ctx, batches, sizeof *c->begin, what);
        c->buckets = pv_alloc(ctx, batches * (BUCKETS + 1), sizeof *c->buckets, what);
        c->phases = pv_alloc(ctx, 2 * batches + 1, sizeof *c->phases, what);
        c->loss = pv_alloc(ctx, batches, sizeof *c->loss, what);
        if (!c->centres || !c->slots || !c->additions || !c->begin || !c->buckets || !c->phases ||
            !c->loss)
            return pv_failure(ctx);
        c->centre_room = centres;
        c->addition_room = room;
    }
    return PSDVEC_OK;
}

static psdvec_status list_centres(void *opaque, size_t piece, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    const pv_w2v_text *text = &job->w->text;
    size_t at = job->c->counts[2 * piece];
    size_t begin = piece * PV_W2V_ROOM;
    for (size_t k = begin; k < begin + text->kept_count[piece]; k++)
        if (text->kept[k] != PV_BORDER) {
            uint32_t around = words_around(text, k, NULL);
            if (around > 0)
                job->c->centres[at++] = (centre){(uint32_t)k, around};
        }
    return PSDVEC_OK;
}

static size_t batch_centres(const chunk_job *job, size_t batch)
{
    return (job->centres - batch + job->batches - 1) / job->batches;
}

static size_t batch_groups(const chunk_job *job, size_t batch)
{
    return (batch_centres(job, batch) + PV_SGNS_GROUP - 1) / PV_SGNS_GROUP;
}

/* Centre i of a batch. They come from all over the chunk: neighbours have nearly the same words
 * around, and should see each other's steps. */
static const centre *centre_of(const chunk_job *job, size_t batch, size_t i)
{
    return &job->c->centres[i * job->batches + batch];
}

static void place_batches(const chunk_job *job)
{
    size_t total = 0;
    for (size_t b = 0; b < job->batches; b++) {
        job->c->begin[b] = (uint32_t)total;
        size_t n = batch_centres(job, b);
        for (size_t i = 0; i < n; i++)
            total += centre_of(job, b, i)->around;
        total += n + batch_groups(job, b) * job->w->space.negative;
    }
}

static void draw_noise(const chunk_job *job, size_t batch)
{
    const pv_sgns_space *space = &job->w->space;
    pv_stream stream = {
        pv_random_u64(job->w->ctx->options.seed, NOISE + ((uint64_t)job->step << 32), batch)};
    for (size_t t = 0; t < batch_groups(job, batch); t++) {
        uint32_t *slot = job->c->slots + (batch * GROUPS + t) * space->width;
        for (size_t s = 0; s < space->width; s++)
            slot[s] = s >= 1 && s <= space->negative ? pv_noise_draw(&job->c->noise, &stream)
                                                     : PV_SGNS_NOBODY;
    }
}

static uint32_t bucket_of(uint32_t row, kind k)
{
    return row % OWNERS * KINDS + k;
}

/* All additions of a batch, in the order of the text: counted, if `to` is NULL, or put where `next`
 * of their bucket says. */
static void go_through(const chunk_job *job, size_t batch, uint32_t *next, addition *to)
{
    const pv_cbow *c = job->c;
    const pv_w2v_text *text = &job->w->text;
    const pv_sgns_space *space = &job->w->space;
#define PUT(row, kind, from)                                                                       \
    do {                                                                                           \
        uint32_t at = next[bucket_of(row, kind)]++;                                                \
        if (to)                                                                                    \
            to[at] = (addition){row, (uint32_t)(from)};                                            \
    } while (0)
    for (size_t i = 0; i < batch_centres(job, batch); i++) {
        const centre *here = centre_of(job, batch, i);
        const uint32_t *kept = text->kept + here->place;
        uint32_t reach = text->reach[here->place];
        for (uint32_t d = 1; d <= reach && kept[-(ptrdiff_t)d] != PV_BORDER; d++)
            PUT(kept[-(ptrdiff_t)d], AROUND, i);
        for (uint32_t d = 1; d <= reach && kept[d] != PV_BORDER; d++)
            PUT(kept[d], AROUND, i);
        PUT(kept[0], CENTRE, i);
    }
    for (size_t t = 0; t < batch_groups(job, batch); t++) {
        const uint32_t *slot = c->slots + (batch * GROUPS + t) * space->width;
        for (uint32_t s = 1; s <= space->negative; s++)
            PUT(slot[s], DRAWN, t * space->width + s);
    }
#undef PUT
}

static psdvec_status sort_batch(void *opaque, size_t batch, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    uint32_t *bucket = job->c->buckets + batch * (BUCKETS + 1), next[BUCKETS] = {0}, total = 0;
    draw_noise(job, batch);
    go_through(job, batch, next, NULL);
    for (size_t k = 0; k < BUCKETS; k++) {
        bucket[k] = total;
        total += next[k];
        next[k] = bucket[k];
    }
    bucket[BUCKETS] = total;
    go_through(job, batch, next, job->c->additions + job->c->begin[batch]);
    return PSDVEC_OK;
}

/* ---- Learning -------------------------------------------------------------------------------- */

static pv_sgns_group group_of(const chunk_job *job, size_t batch, size_t t)
{
    size_t first = t * PV_SGNS_GROUP, left = batch_centres(job, batch) - first;
    pv_sgns_group group = {.pairs = left < PV_SGNS_GROUP ? (uint32_t)left : PV_SGNS_GROUP,
                           .slot = job->c->slots + (batch * GROUPS + t) * job->w->space.width};
    for (uint32_t i = 0; i < group.pairs; i++) {
        group.in[i] = (uint32_t)(first + i);
        group.target[i] = job->w->text.kept[centre_of(job, batch, first + i)->place];
    }
    return group;
}

/* The mean of the words around a centre. */
static void mean_around(const chunk_job *job, size_t batch, uint32_t i)
{
    enum { MOST = 64 };
    pv_word2vec *w = job->w;
    const centre *here = centre_of(job, batch, i);
    const uint32_t *kept = w->text.kept + here->place;
    uint32_t reach = w->text.reach[here->place], rows[MOST], n = 0;
    float *h = job->c->h + i * w->space.stride;
    float factor = 1.0f / (float)here->around;
    bool begun = false;
    for (int side = -1; side <= 1; side += 2)
        for (ptrdiff_t d = side; d * side <= (ptrdiff_t)reach && kept[d] != PV_BORDER; d += side) {
            rows[n++] = kept[d];
            if (n == MOST) {
                w->kernels->sum(w->space.in, rows, n, factor, w->space.stride, begun, h);
                begun = true;
                n = 0;
            }
        }
    if (n > 0)
        w->kernels->sum(w->space.in, rows, n, factor, w->space.stride, begun, h);
}

static void read_group(const chunk_job *job, size_t batch, size_t t)
{
    pv_word2vec *w = job->w;
    pv_cbow *c = job->c;
    pv_sgns_space space = w->space;
    pv_sgns_group group = group_of(job, batch, t);
    float *g = c->g + t * PV_SGNS_GROUP * space.width;
    space.in = c->h;
    for (uint32_t i = 0; i < group.pairs; i++)
        mean_around(job, batch, group.in[i]);
    w->kernels->logits(&space, &group, &group, g);
    if (t == 0)
        c->loss[batch] = pv_sgns_loss(&space, &group, g);
    float rate = pv_word2vec_rate(w, job->step, (double)batch / (double)job->batches);
    w->kernels->slopes(&space, &group, rate, g);
    w->kernels->errors(&space, &group, g, c->e);
}

static void ask_for(const pv_sgns_space *space, const addition *a, bool out)
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
    size_t stride = space->stride, width = space->width, centres = batch_centres(job, batch);
    const addition *all = job->c->additions + job->c->begin[batch];
    const uint32_t *bucket = c->buckets + batch * (BUCKETS + 1) + owner * KINDS;
    for (uint32_t k = bucket[AROUND]; k < bucket[AROUND + 1]; k++) {
        if (k + AHEAD < bucket[DRAWN + 1])
            ask_for(space, &all[k + AHEAD], k + AHEAD >= bucket[CENTRE]);
        w->kernels->add(1, c->e + all[k].from * stride, stride, space->in + all[k].row * stride);
    }
    for (uint32_t k = bucket[CENTRE]; k < bucket[CENTRE + 1]; k++) {
        if (k + AHEAD < bucket[DRAWN + 1])
            ask_for(space, &all[k + AHEAD], true);
        w->kernels->add(c->g[all[k].from * width], c->h + all[k].from * stride, stride,
                        space->out + all[k].row * stride);
    }
    for (uint32_t k = bucket[DRAWN]; k < bucket[DRAWN + 1]; k++) {
        size_t first = all[k].from / width * PV_SGNS_GROUP, slot = all[k].from % width;
        size_t n = centres - first < PV_SGNS_GROUP ? centres - first : PV_SGNS_GROUP;
        w->kernels->add_rows(c->g + first * width + slot, width, c->h + first * stride, n, stride,
                             space->out + all[k].row * stride);
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

psdvec_status pv_cbow_chunk(pv_word2vec *w, uint32_t epoch, size_t chunk, uint64_t step)
{
    pv_cbow *c = w->cbow;
    chunk_job job = {.w = w,
                     .c = c,
                     .epoch = epoch,
                     .chunk = chunk,
                     .pieces = pv_w2v_chunk_size(&w->text, chunk),
                     .step = step};
    PV_TRY(pv_parallel_tasks(w->ctx, job.pieces, draw_piece, &job));
    PV_TRY(make_room(&job));
    if (job.centres == 0)
        return PSDVEC_OK;
    PV_TRY(pv_parallel_tasks(w->ctx, job.pieces, list_centres, &job));
    place_batches(&job);
    PV_TRY(pv_parallel_tasks(w->ctx, job.batches, sort_batch, &job));
    c->phases[0] = 0;
    for (size_t b = 0; b < job.batches; b++) {
        c->phases[2 * b + 1] = c->phases[2 * b] + batch_groups(&job, b);
        c->phases[2 * b + 2] = c->phases[2 * b + 1] + OWNERS;
    }
    PV_TRY(pv_phases_run(w->ctx, 2 * job.batches, c->phases, learn, &job));
    w->pairs += job.centres;
    for (size_t b = 0; b < job.batches; b++) {
        size_t first = batch_centres(&job, b);
        w->loss += c->loss[b];
        w->loss_pairs += first < PV_SGNS_GROUP ? first : PV_SGNS_GROUP;
    }
    return PSDVEC_OK;
}
