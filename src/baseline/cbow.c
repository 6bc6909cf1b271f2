/* The continuous bag of words with negative sampling, in batches of two phases.
 *
 * A step of CBOW updates the rows of all words of a window, so strata cannot be used. Instead,
 * words in the middle of windows (centres) are processed in small batches:
 *
 *     1. for each group of eight centres: h, the mean of the context words; logits and slopes g for
 *        the centre and for noise words; e, the update of the context words. Rows are only read.
 *     2. for each owner of rows: e is added to the context words, g h to the centres and the noise
 *        words of this owner, in the order of the text.
 *
 * So the order of all sums is fixed, regardless of the number of workers. A batch is so small that
 * it does not matter that its steps do not see each other.
 *
 *     centres     words with context words, from the complete chunk: of B batches, batch b has
 *                 every B-th
 *     groups      eight centres of a batch, which share their noise words
 *     additions   updates of rows by a batch, sorted by the row's owner, in the order of the text
 *
 * The centres of a batch come from all over the chunk, because neighbouring centres have nearly the
 * same context words: they should see each other's steps and have different noise words. The wider
 * the window, the more steps a batch adds to the row of a frequent word, none of which sees the
 * others; so batches of very wide windows have fewer centres, or the steps would diverge. The owner
 * of a row depends only on its number.
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "baseline/noise.h"
#include "baseline/strata.h"
#include "baseline/word2vec.h"

enum {
    BATCH = 256, /* maximum number of centres */
    WIDE = 100,  /* windows from this width on have smaller batches */
    GROUPS = BATCH / PV_SGNS_GROUP,
    OWNERS = 32,
    AHEAD = 4,         /* prefetch distance, in additions */
    NOISE = 0x63626e7a /* purpose of random numbers */
};

/* What is added to a row. */
typedef enum addition_kind {
    AROUND, /* to a context word, as input */
    CENTRE, /* to a centre, as output */
    DRAWN,  /* to a noise word, as output */
    KINDS
} addition_kind;

enum { BUCKETS = OWNERS * KINDS };

typedef struct addition {
    uint32_t row;
    uint32_t from; /* AROUND, CENTRE: the centre in its batch; DRAWN: group * width + slot */
} addition;

typedef struct centre_word {
    uint32_t place;  /* in the kept words of the chunk */
    uint32_t around; /* number of context words */
} centre_word;

struct pv_cbow {
    pv_scope memory;
    pv_noise noise;
    pv_noise_cell *cells; /* one per word */
    size_t batch;         /* maximum number of centres of a batch */
    size_t *counts; /* chunk_segments x 2: numbers of centres and context words, then offsets */
    float *h, *e;   /* BATCH x stride */
    float *g;       /* BATCH x width */
    /* For the current chunk; grown as needed */
    pv_scope chunk;
    size_t centre_count, count; /* of batches */
    size_t centre_capacity, addition_capacity;
    centre_word *centres;
    uint32_t *slots;     /* count x GROUPS x width: noise words, as in a group */
    addition *additions; /* sorted by batch, then by owner, then by kind */
    uint32_t *begin;     /* count: the first addition of a batch */
    uint32_t *buckets;   /* count x (BUCKETS + 1): offsets of the buckets */
    uint64_t *phases;    /* 2 x count + 1: first task of each */
    double *loss;        /* count: of the first group of each batch */
};

typedef struct chunk_job {
    pv_word2vec *w;
    pv_cbow *c;
    uint32_t epoch;
    size_t chunk, segments;
    uint64_t step;
} chunk_job;

static size_t centres_of(const pv_cbow *c, size_t batch)
{
    return (c->centre_count - batch + c->count - 1) / c->count;
}

static size_t groups_of(const pv_cbow *c, size_t batch)
{
    return (centres_of(c, batch) + PV_SGNS_GROUP - 1) / PV_SGNS_GROUP;
}

static const centre_word *centre_of(const pv_cbow *c, size_t batch, size_t i)
{
    return &c->centres[i * c->count + batch];
}

static psdvec_status make_noise(pv_cbow *c, const pv_word2vec *w)
{
    pv_scope scope = {.ctx = w->ctx, .what = "the noise words"};
    uint32_t *members, *queue;
    double *share;
    PV_TAKE(&c->memory, c->cells, w->words);
    PV_TRY(pv_scope_status(&c->memory));
    PV_TAKE(&scope, members, w->words);
    PV_TAKE(&scope, queue, w->words);
    PV_TAKE(&scope, share, w->words);
    psdvec_status status = pv_scope_status(&scope);
    if (status == PSDVEC_OK) {
        for (uint32_t i = 0; i < w->words; i++)
            members[i] = i;
        pv_noise_make(&c->noise, members, w->words, w->weight, c->cells, share, queue);
    }
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_cbow_new(pv_word2vec *w)
{
    psdvec_context *ctx = w->ctx;
    pv_cbow *c = w->cbow = pv_alloc_zero(ctx, 1, sizeof *c, "a batch of the text");
    if (!c)
        return pv_failure(ctx);
    c->memory = (pv_scope){.ctx = ctx, .what = "a batch of the text"};
    c->chunk = (pv_scope){.ctx = ctx, .what = "a chunk of the text"};
    size_t centres = BATCH * WIDE / w->settings.window / PV_SGNS_GROUP * PV_SGNS_GROUP;
    c->batch = centres < PV_SGNS_GROUP ? PV_SGNS_GROUP : centres < BATCH ? centres : BATCH;
    PV_TAKE(&c->memory, c->counts, 2 * w->text.chunk_segments);
    PV_TAKE(&c->memory, c->h, BATCH * w->space.stride);
    PV_TAKE(&c->memory, c->e, BATCH * w->space.stride);
    PV_TAKE_ZERO(&c->memory, c->g, BATCH * w->space.width);
    return make_noise(c, w);
}

void pv_cbow_free(pv_word2vec *w)
{
    pv_cbow *c = w->cbow;
    if (!c)
        return;
    pv_scope_free(&c->chunk);
    pv_scope_free(&c->memory);
    pv_free(w->ctx, c);
    w->cbow = NULL;
}

/* ---- Centres ------------------------------------------------------------------------------- */

/* The number of context words of position k; 0 for a border. */
static uint32_t words_around(const pv_w2v_text *text, size_t k)
{
    const uint32_t *kept = text->kept + k;
    if (*kept == PV_BORDER)
        return 0;
    uint32_t reach = text->reach[k], left = 0, right = 0;
    while (left < reach && kept[-(ptrdiff_t)left - 1] != PV_BORDER)
        left++;
    while (right < reach && kept[right + 1] != PV_BORDER)
        right++;
    return left + right;
}

static psdvec_status draw_segment(void *opaque, size_t segment, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    pv_w2v_text *text = &job->w->text;
    size_t *counts = job->c->counts + 2 * segment, begin = segment * PV_W2V_CAPACITY;
    pv_w2v_draw(text, job->epoch, job->chunk, segment);
    counts[0] = counts[1] = 0;
    for (size_t k = begin; k < begin + text->kept_count[segment]; k++) {
        uint32_t around = words_around(text, k);
        counts[0] += around > 0;
        counts[1] += around;
    }
    return PSDVEC_OK;
}

static psdvec_status reserve(const chunk_job *job)
{
    psdvec_context *ctx = job->w->ctx;
    pv_cbow *c = job->c;
    size_t around = 0, width = job->w->space.width;
    c->centre_count = 0;
    for (size_t k = 0; k < job->segments; k++) {
        size_t centres = c->counts[2 * k];
        c->counts[2 * k] = c->centre_count;
        c->centre_count += centres;
        around += c->counts[2 * k + 1];
    }
    c->count = (c->centre_count + c->batch - 1) / c->batch;
    size_t drawn = c->count * GROUPS * job->w->space.negative;
    size_t additions = around + c->centre_count + drawn;
    if (additions > UINT32_MAX)
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "a window of %u words is too large",
                       job->w->settings.window);
    if (c->centre_count <= c->centre_capacity && additions <= c->addition_capacity)
        return PSDVEC_OK;
    c->centre_capacity = c->addition_capacity = 0;
    pv_scope_free(&c->chunk);
    size_t centres = c->centre_count + c->centre_count / 16, batches = centres / c->batch + 1;
    PV_TAKE(&c->chunk, c->centres, centres);
    PV_TAKE(&c->chunk, c->slots, batches * GROUPS * width);
    PV_TAKE(&c->chunk, c->additions, additions + additions / 16);
    PV_TAKE(&c->chunk, c->begin, batches);
    PV_TAKE(&c->chunk, c->buckets, batches * (BUCKETS + 1));
    PV_TAKE(&c->chunk, c->phases, 2 * batches + 1);
    PV_TAKE(&c->chunk, c->loss, batches);
    PV_TRY(pv_scope_status(&c->chunk));
    c->centre_capacity = centres;
    c->addition_capacity = additions + additions / 16;
    return PSDVEC_OK;
}

static psdvec_status list_centres(void *opaque, size_t segment, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    const pv_w2v_text *text = &job->w->text;
    size_t at = job->c->counts[2 * segment], begin = segment * PV_W2V_CAPACITY;
    for (size_t k = begin; k < begin + text->kept_count[segment]; k++) {
        uint32_t around = words_around(text, k);
        if (around > 0)
            job->c->centres[at++] = (centre_word){(uint32_t)k, around};
    }
    return PSDVEC_OK;
}

static void place_batches(pv_cbow *c, uint32_t negative)
{
    size_t total = 0;
    c->phases[0] = 0;
    for (size_t batch = 0; batch < c->count; batch++) {
        size_t centres = centres_of(c, batch);
        c->begin[batch] = (uint32_t)total;
        for (size_t i = 0; i < centres; i++)
            total += centre_of(c, batch, i)->around;
        total += centres + groups_of(c, batch) * negative;
        c->phases[2 * batch + 1] = c->phases[2 * batch] + groups_of(c, batch);
        c->phases[2 * batch + 2] = c->phases[2 * batch + 1] + OWNERS;
    }
}

/* ---- Additions ------------------------------------------------------------------------------- */

static void draw_noise(const chunk_job *job, size_t batch)
{
    const pv_sgns_space *space = &job->w->space;
    uint64_t purpose = NOISE + (job->step << 32);
    pv_random_stream stream = {pv_random_u64(job->w->ctx->options.seed, purpose, batch)};
    for (size_t t = 0; t < groups_of(job->c, batch); t++) {
        uint32_t *slot = job->c->slots + (batch * GROUPS + t) * space->width;
        for (size_t s = 0; s < space->width; s++)
            slot[s] = s >= 1 && s <= space->negative ? pv_noise_draw(&job->c->noise, &stream)
                                                     : PV_SGNS_NOBODY;
    }
}

/* Counts the addition in `next` if `to` is NULL, otherwise stores it at the position in `next` of
 * its bucket. */
static void put(uint32_t *next, addition *to, uint32_t row, addition_kind kind, size_t from)
{
    uint32_t at = next[row % OWNERS * KINDS + kind]++;
    if (to)
        to[at] = (addition){row, (uint32_t)from};
}

/* Visits all additions of a batch, in the order of the text. */
static void go_through(const chunk_job *job, size_t batch, uint32_t *next, addition *to)
{
    const pv_cbow *c = job->c;
    const pv_w2v_text *text = &job->w->text;
    const pv_sgns_space *space = &job->w->space;
    for (size_t i = 0; i < centres_of(c, batch); i++) {
        const centre_word *here = centre_of(c, batch, i);
        const uint32_t *kept = text->kept + here->place;
        ptrdiff_t reach = text->reach[here->place];
        for (ptrdiff_t side = -1; side <= 1; side += 2)
            for (ptrdiff_t d = 1; d <= reach && kept[side * d] != PV_BORDER; d++)
                put(next, to, kept[side * d], AROUND, i);
        put(next, to, kept[0], CENTRE, i);
    }
    for (size_t t = 0; t < groups_of(c, batch); t++) {
        const uint32_t *slot = c->slots + (batch * GROUPS + t) * space->width;
        for (uint32_t s = 1; s <= space->negative; s++)
            put(next, to, slot[s], DRAWN, t * space->width + s);
    }
}

static psdvec_status sort_batch(void *opaque, size_t batch, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    uint32_t *bucket = job->c->buckets + batch * (BUCKETS + 1);
    uint32_t next[BUCKETS] = {0}, total = 0;
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

/* ---- First phase ----------------------------------------------------------------------------- */

/* The mean of the context words of centre i of a batch. */
static void mean_around(const chunk_job *job, size_t batch, uint32_t i)
{
    enum { MOST = 64 };
    pv_word2vec *w = job->w;
    const centre_word *here = centre_of(job->c, batch, i);
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
    const pv_cbow *c = job->c;
    size_t first = t * PV_SGNS_GROUP, left = centres_of(c, batch) - first;
    pv_sgns_group group = {.pairs = left < PV_SGNS_GROUP ? (uint32_t)left : PV_SGNS_GROUP,
                           .slot = c->slots + (batch * GROUPS + t) * job->w->space.width};
    for (uint32_t i = 0; i < group.pairs; i++) {
        group.in[i] = (uint32_t)(first + i);
        group.target[i] = job->w->text.kept[centre_of(c, batch, first + i)->place];
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
    float rate = pv_word2vec_rate(w, job->step, (double)batch / (double)c->count);
    space.in = c->h;
    for (uint32_t i = 0; i < group.pairs; i++)
        mean_around(job, batch, group.in[i]);
    w->kernels->logits(&space, &group, &group, g);
    if (t == 0)
        c->loss[batch] = pv_sgns_loss(&space, &group, g);
    w->kernels->slopes(&space, &group, rate, g);
    w->kernels->errors(&space, &group, g, c->e);
}

/* ---- Second phase ---------------------------------------------------------------------------- */

static void prefetch_row(const pv_sgns_space *space, const addition *a, bool out)
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
    size_t centres = centres_of(c, batch);
    const addition *all = c->additions + c->begin[batch];
    const uint32_t *bucket = c->buckets + batch * (BUCKETS + 1) + owner * KINDS;
    uint32_t centre = bucket[CENTRE], drawn = bucket[DRAWN];
    uint32_t end = bucket[DRAWN + 1];
    for (uint32_t k = bucket[AROUND]; k < end; k++) {
        const addition *a = &all[k];
        if (k + AHEAD < end)
            prefetch_row(space, a + AHEAD, k + AHEAD >= centre);
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

/* ---- A chunk --------------------------------------------------------------------------------- */

psdvec_status pv_cbow_chunk(pv_word2vec *w, uint32_t epoch, size_t chunk, uint64_t step)
{
    pv_cbow *c = w->cbow;
    chunk_job job = {.w = w,
                     .c = c,
                     .epoch = epoch,
                     .chunk = chunk,
                     .segments = pv_w2v_chunk_size(&w->text, chunk),
                     .step = step};
    PV_TRY(pv_parallel_tasks(w->ctx, job.segments, draw_segment, &job));
    PV_TRY(reserve(&job));
    if (c->count == 0)
        return PSDVEC_OK;
    PV_TRY(pv_parallel_tasks(w->ctx, job.segments, list_centres, &job));
    place_batches(c, w->space.negative);
    PV_TRY(pv_parallel_tasks(w->ctx, c->count, sort_batch, &job));
    PV_TRY(pv_phases_run(w->ctx, 2 * c->count, c->phases, learn, &job));
    w->pairs += c->centre_count;
    for (size_t batch = 0; batch < c->count; batch++) {
        size_t centres = centres_of(c, batch);
        w->loss += c->loss[batch];
        w->loss_pairs += centres < PV_SGNS_GROUP ? centres : PV_SGNS_GROUP;
    }
    return PSDVEC_OK;
}
