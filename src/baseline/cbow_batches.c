/* From kept words to batches, all of it in parallel: centres are counted and listed piece by piece,
 * additions sorted by counting, batch by batch. */
#include "baseline/cbow_batches.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"

enum { NOISE = 0x63626e7a }; /* purpose of random numbers */

static psdvec_status make_noise(pv_cbow_batches *b, const pv_word2vec *w)
{
    pv_scope scope = {.ctx = w->ctx, .what = "the noise words"};
    uint32_t *members, *queue;
    double *share;
    PV_TAKE(&b->memory, b->cells, w->words);
    PV_TRY(pv_scope_status(&b->memory));
    PV_TAKE(&scope, members, w->words);
    PV_TAKE(&scope, queue, w->words);
    PV_TAKE(&scope, share, w->words);
    psdvec_status status = pv_scope_status(&scope);
    if (status == PSDVEC_OK) {
        for (uint32_t i = 0; i < w->words; i++)
            members[i] = i;
        pv_noise_make(&b->noise, members, w->words, w->weight, b->cells, share, queue);
    }
    pv_scope_free(&scope);
    return status;
}

/* Whole groups. */
static size_t batch_size(uint32_t window)
{
    size_t centres = PV_CBOW_BATCH * PV_CBOW_WIDE / window / PV_SGNS_GROUP * PV_SGNS_GROUP;
    if (centres < PV_SGNS_GROUP)
        return PV_SGNS_GROUP;
    return centres < PV_CBOW_BATCH ? centres : PV_CBOW_BATCH;
}

psdvec_status pv_cbow_batches_open(pv_cbow_batches *b, pv_word2vec *w)
{
    *b = (pv_cbow_batches){.batch = batch_size(w->settings.window),
                           .memory = {.ctx = w->ctx, .what = "the noise words"},
                           .chunk = {.ctx = w->ctx, .what = "a chunk of the text"}};
    PV_TAKE(&b->memory, b->counts, 2 * w->text.chunk_pieces);
    return make_noise(b, w);
}

void pv_cbow_batches_close(pv_cbow_batches *b)
{
    pv_scope_free(&b->chunk);
    pv_scope_free(&b->memory);
    *b = (pv_cbow_batches){0};
}

/* ---- Centres ------------------------------------------------------------------------------- */

typedef struct chunk_job {
    pv_cbow_batches *b;
    pv_word2vec *w;
    uint32_t epoch;
    size_t chunk, pieces;
    uint64_t step;
} chunk_job;

/* How many words stand around place k. */
static uint32_t words_around(const pv_w2v_text *text, size_t k)
{
    const uint32_t *kept = text->kept + k;
    uint32_t reach = text->reach[k], left = 0, right = 0;
    while (left < reach && kept[-(ptrdiff_t)left - 1] != PV_BORDER)
        left++;
    while (right < reach && kept[right + 1] != PV_BORDER)
        right++;
    return left + right;
}

static psdvec_status draw_piece(void *opaque, size_t piece, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    pv_w2v_text *text = &job->w->text;
    size_t *counts = job->b->counts + 2 * piece, begin = piece * PV_W2V_ROOM;
    pv_w2v_draw(text, job->epoch, job->chunk, piece);
    counts[0] = counts[1] = 0;
    for (size_t k = begin; k < begin + text->kept_count[piece]; k++)
        if (text->kept[k] != PV_BORDER) {
            uint32_t around = words_around(text, k);
            counts[0] += around > 0;
            counts[1] += around;
        }
    return PSDVEC_OK;
}

static psdvec_status make_room(const chunk_job *job)
{
    psdvec_context *ctx = job->w->ctx;
    pv_cbow_batches *b = job->b;
    size_t around = 0, width = job->w->space.width;
    b->centre_count = 0;
    for (size_t k = 0; k < job->pieces; k++) {
        size_t centres = b->counts[2 * k];
        b->counts[2 * k] = b->centre_count;
        b->centre_count += centres;
        around += b->counts[2 * k + 1];
    }
    b->count = (b->centre_count + b->batch - 1) / b->batch;
    size_t drawn = b->count * PV_CBOW_GROUPS * job->w->space.negative;
    size_t additions = around + b->centre_count + drawn;
    if (additions > UINT32_MAX)
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "a window of %u words is too wide",
                       job->w->settings.window);
    if (b->centre_count <= b->centre_room && additions <= b->addition_room)
        return PSDVEC_OK;
    b->centre_room = b->addition_room = 0;
    pv_scope_free(&b->chunk);
    size_t centres = b->centre_count + b->centre_count / 16, room = additions + additions / 16;
    size_t batches = centres / b->batch + 1;
    PV_TAKE(&b->chunk, b->centres, centres);
    PV_TAKE(&b->chunk, b->slots, batches * PV_CBOW_GROUPS * width);
    PV_TAKE(&b->chunk, b->additions, room);
    PV_TAKE(&b->chunk, b->begin, batches);
    PV_TAKE(&b->chunk, b->buckets, batches * (PV_CBOW_BUCKETS + 1));
    PV_TRY(pv_scope_status(&b->chunk));
    b->centre_room = centres;
    b->addition_room = room;
    return PSDVEC_OK;
}

static psdvec_status list_centres(void *opaque, size_t piece, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    const pv_w2v_text *text = &job->w->text;
    size_t at = job->b->counts[2 * piece], begin = piece * PV_W2V_ROOM;
    for (size_t k = begin; k < begin + text->kept_count[piece]; k++)
        if (text->kept[k] != PV_BORDER) {
            uint32_t around = words_around(text, k);
            if (around > 0)
                job->b->centres[at++] = (pv_cbow_centre){(uint32_t)k, around};
        }
    return PSDVEC_OK;
}

static void place_batches(pv_cbow_batches *b, uint32_t negative)
{
    size_t total = 0;
    for (size_t batch = 0; batch < b->count; batch++) {
        size_t centres = pv_cbow_centres(b, batch);
        b->begin[batch] = (uint32_t)total;
        for (size_t i = 0; i < centres; i++)
            total += pv_cbow_centre_of(b, batch, i)->around;
        total += centres + pv_cbow_groups(b, batch) * negative;
    }
}

/* ---- Additions ------------------------------------------------------------------------------- */

static void draw_noise(const chunk_job *job, size_t batch)
{
    const pv_sgns_space *space = &job->w->space;
    uint64_t purpose = NOISE + (job->step << 32);
    pv_random_stream stream = {pv_random_u64(job->w->ctx->options.seed, purpose, batch)};
    for (size_t t = 0; t < pv_cbow_groups(job->b, batch); t++) {
        uint32_t *slot = job->b->slots + (batch * PV_CBOW_GROUPS + t) * space->width;
        for (size_t s = 0; s < space->width; s++)
            slot[s] = s >= 1 && s <= space->negative ? pv_noise_draw(&job->b->noise, &stream)
                                                     : PV_SGNS_NOBODY;
    }
}

/* Counted in `next`, if `to` is NULL, or put where `next` of its bucket says. */
static inline void put(uint32_t *next, pv_cbow_addition *to, uint32_t row, pv_cbow_kind kind,
                       size_t from)
{
    uint32_t at = next[row % PV_CBOW_OWNERS * PV_CBOW_KINDS + kind]++;
    if (to)
        to[at] = (pv_cbow_addition){row, (uint32_t)from};
}

/* All additions of a batch, in the order of the text. */
static void go_through(const chunk_job *job, size_t batch, uint32_t *next, pv_cbow_addition *to)
{
    const pv_cbow_batches *b = job->b;
    const pv_w2v_text *text = &job->w->text;
    const pv_sgns_space *space = &job->w->space;
    for (size_t i = 0; i < pv_cbow_centres(b, batch); i++) {
        const pv_cbow_centre *here = pv_cbow_centre_of(b, batch, i);
        const uint32_t *kept = text->kept + here->place;
        ptrdiff_t reach = text->reach[here->place];
        for (ptrdiff_t d = 1; d <= reach && kept[-d] != PV_BORDER; d++)
            put(next, to, kept[-d], PV_CBOW_AROUND, i);
        for (ptrdiff_t d = 1; d <= reach && kept[d] != PV_BORDER; d++)
            put(next, to, kept[d], PV_CBOW_AROUND, i);
        put(next, to, kept[0], PV_CBOW_CENTRE, i);
    }
    for (size_t t = 0; t < pv_cbow_groups(b, batch); t++) {
        const uint32_t *slot = b->slots + (batch * PV_CBOW_GROUPS + t) * space->width;
        for (uint32_t s = 1; s <= space->negative; s++)
            put(next, to, slot[s], PV_CBOW_DRAWN, t * space->width + s);
    }
}

static psdvec_status sort_batch(void *opaque, size_t batch, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    uint32_t *bucket = job->b->buckets + batch * (PV_CBOW_BUCKETS + 1);
    uint32_t next[PV_CBOW_BUCKETS] = {0}, total = 0;
    draw_noise(job, batch);
    go_through(job, batch, next, NULL);
    for (size_t k = 0; k < PV_CBOW_BUCKETS; k++) {
        bucket[k] = total;
        total += next[k];
        next[k] = bucket[k];
    }
    bucket[PV_CBOW_BUCKETS] = total;
    go_through(job, batch, next, job->b->additions + job->b->begin[batch]);
    return PSDVEC_OK;
}

psdvec_status pv_cbow_batches_make(pv_cbow_batches *b, pv_word2vec *w, uint32_t epoch, size_t chunk,
                                   uint64_t step)
{
    chunk_job job = {.b = b,
                     .w = w,
                     .epoch = epoch,
                     .chunk = chunk,
                     .pieces = pv_w2v_chunk_size(&w->text, chunk),
                     .step = step};
    PV_TRY(pv_parallel_tasks(w->ctx, job.pieces, draw_piece, &job));
    PV_TRY(make_room(&job));
    PV_TRY(pv_parallel_tasks(w->ctx, job.pieces, list_centres, &job));
    place_batches(b, w->space.negative);
    return pv_parallel_tasks(w->ctx, b->count, sort_batch, &job);
}
