/* Skip-gram with negative sampling, without conflicts.
 *
 * A chunk of text is converted to pairs (input: a context word, output: the centre word), sorted by
 * stratum: block of the input, block of the output (strata.h). The noise words of a pair are drawn
 * from the block of its output. So a stratum uses only rows of two blocks, the strata of a round
 * can run in parallel with bit-identical results, and their rows stay in the cache.
 *
 * If noise always came from the same block, some words of a block would be favoured over those of
 * another. Hence words are assigned to blocks again for each chunk: of every B words in order of
 * frequency, where B is the number of blocks, each block gets one at random.
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "baseline/noise.h"
#include "baseline/strata.h"
#include "baseline/word2vec.h"

#include <string.h>

enum {
    DEALING = 0x7367646c,
    NOISE = 0x73676e7a, /* purposes of random numbers */
    LOSS_GROUPS = 16    /* the loss is computed from one group in this many */
};

typedef struct word_pair {
    uint32_t in, out;
} word_pair;

/* Workspace of one worker. */
typedef struct workspace {
    float *f;        /* PV_SGNS_GROUP x width */
    float *scratch;  /* PV_SGNS_GROUP x stride */
    uint32_t *slots; /* 2 x width */
} workspace;

typedef struct stratum_loss {
    double loss;
    uint64_t pairs;
} stratum_loss;

struct pv_skipgram {
    pv_scope memory;
    pv_strata strata;
    pv_noise *noise;      /* blocks */
    pv_noise_cell *cells; /* words */
    double *share;        /* words */
    uint32_t *queue;      /* words */
    uint32_t *histogram;  /* chunk_segments x strata: pairs, then position of the next one */
    size_t *begin;        /* strata + 1: offsets in `pairs` */
    word_pair *pairs;
    size_t pair_capacity;
    stratum_loss *loss;    /* strata */
    workspace *workspaces; /* workers */
};

/* ---- Making ------------------------------------------------------------------------------ */

psdvec_status pv_skipgram_new(pv_word2vec *w)
{
    psdvec_context *ctx = w->ctx;
    pv_skipgram *s = w->skipgram = pv_alloc_zero(ctx, 1, sizeof *s, "pairs of words");
    if (!s)
        return pv_failure(ctx);
    s->memory = (pv_scope){.ctx = ctx, .what = "pairs of words"};
    uint32_t blocks = pv_strata_blocks(w->words);
    size_t strata = (size_t)blocks * blocks, workers = (size_t)psdvec_threads(ctx);
    PV_TRY(pv_strata_make(ctx, w->words, w->weight, blocks, &s->strata));
    PV_TAKE(&s->memory, s->noise, blocks);
    PV_TAKE(&s->memory, s->cells, w->words);
    PV_TAKE(&s->memory, s->share, w->words);
    PV_TAKE(&s->memory, s->queue, w->words);
    PV_TAKE(&s->memory, s->histogram, w->text.chunk_segments * strata);
    PV_TAKE(&s->memory, s->begin, strata + 1);
    PV_TAKE(&s->memory, s->loss, strata);
    PV_TAKE_ZERO(&s->memory, s->workspaces, workers);
    for (workspace *d = s->workspaces; d && d < s->workspaces + workers; d++) {
        PV_TAKE_ZERO(&s->memory, d->f, PV_SGNS_GROUP * w->space.width);
        PV_TAKE(&s->memory, d->scratch, PV_SGNS_GROUP * w->space.stride);
        PV_TAKE(&s->memory, d->slots, 2 * w->space.width);
        for (size_t t = 0; d->slots && t < 2 * w->space.width; t++)
            d->slots[t] = PV_SGNS_NOBODY;
    }
    return pv_scope_status(&s->memory);
}

void pv_skipgram_free(pv_word2vec *w)
{
    pv_skipgram *s = w->skipgram;
    if (!s)
        return;
    pv_strata_free(&s->strata);
    pv_scope_free(&s->memory);
    pv_free(w->ctx, s);
    w->skipgram = NULL;
}

/* ---- From a chunk to sorted pairs --------------------------------------------------------- */

typedef struct chunk_job {
    pv_word2vec *w;
    pv_skipgram *s;
    uint32_t epoch;
    size_t chunk, segments;
    uint64_t step;
    uint32_t shift;
} chunk_job;

static void deal(const chunk_job *job)
{
    pv_strata *strata = &job->s->strata;
    uint32_t blocks = strata->blocks, words = strata->words;
    pv_random_stream stream = {pv_random_u64(job->w->ctx->options.seed, DEALING, job->step)};
    uint16_t order[PV_STRATA_BLOCKS] = {0};
    for (uint32_t b = 0; b < blocks; b++)
        order[b] = (uint16_t)b;
    for (uint32_t i = 0; i < words; i += blocks) {
        uint32_t n = words - i < blocks ? words - i : blocks;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t other = k + pv_below((uint32_t)pv_random_next(&stream), blocks - k);
            uint16_t drawn = order[other];
            order[other] = order[k];
            order[k] = drawn;
            strata->block[i + k] = drawn;
        }
    }
    pv_strata_list(strata);
}

static void make_noise(const chunk_job *job, size_t block)
{
    pv_skipgram *s = job->s;
    uint32_t start = s->strata.start[block], end = s->strata.start[block + 1];
    pv_noise_make(&s->noise[block], s->strata.members + start, end - start, job->w->weight,
                  s->cells + start, s->share + start, s->queue + start);
}

/* Visits all pairs of a segment in the order of the text: counts them by stratum in `next` if
 * `pairs` is NULL, otherwise stores them at the position in `next` of their stratum. */
static inline __attribute__((always_inline)) void go_through(const chunk_job *job, size_t segment,
                                                             word_pair *pairs)
{
    const pv_w2v_text *text = &job->w->text;
    const uint16_t *block = job->s->strata.block;
    size_t blocks = job->s->strata.blocks;
    uint32_t *next = job->s->histogram + segment * blocks * blocks;
    const uint32_t *kept = text->kept + segment * PV_W2V_CAPACITY;
    const uint16_t *reach = text->reach + segment * PV_W2V_CAPACITY;
    for (uint32_t k = 1; k < text->kept_count[segment]; k++) {
        uint32_t out = kept[k];
        if (out == PV_BORDER)
            continue;
        uint32_t *column = next + block[out];
        for (ptrdiff_t side = -1; side <= 1; side += 2)
            for (ptrdiff_t d = 1; d <= reach[k] && kept[k + side * d] != PV_BORDER; d++) {
                uint32_t in = kept[k + side * d], at = column[block[in] * blocks]++;
                if (pairs)
                    pairs[at] = (word_pair){in, out};
            }
    }
}

static psdvec_status prepare(void *opaque, size_t task, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    if (task < job->s->strata.blocks) {
        make_noise(job, task);
    } else {
        size_t segment = task - job->s->strata.blocks;
        pv_w2v_draw(&job->w->text, job->epoch, job->chunk, segment);
        size_t strata = (size_t)job->s->strata.blocks * job->s->strata.blocks;
        memset(job->s->histogram + segment * strata, 0, strata * sizeof *job->s->histogram);
        go_through(job, segment, NULL);
    }
    return PSDVEC_OK;
}

/* Reserves positions by stratum, then by segment. */
static psdvec_status reserve_pairs(const chunk_job *job)
{
    pv_skipgram *s = job->s;
    size_t strata = (size_t)s->strata.blocks * s->strata.blocks, total = 0;
    for (size_t k = 0; k < strata; k++) {
        s->begin[k] = total;
        for (size_t segment = 0; segment < job->segments; segment++) {
            uint32_t *cell = &s->histogram[segment * strata + k];
            uint32_t count = *cell;
            *cell = (uint32_t)total;
            total += count;
        }
    }
    s->begin[strata] = total;
    if (total > UINT32_MAX)
        return pv_fail(job->w->ctx, PSDVEC_ERR_OVERFLOW, "a window of %u words is too large",
                       job->w->settings.window);
    if (total > s->pair_capacity) {
        pv_scope_drop(&s->memory, s->pairs);
        s->pair_capacity = 0;
        PV_TAKE(&s->memory, s->pairs, total + total / 16);
        PV_TRY(pv_scope_status(&s->memory));
        s->pair_capacity = total + total / 16;
    }
    return PSDVEC_OK;
}

static psdvec_status place_pairs(void *opaque, size_t segment, int worker)
{
    (void)worker;
    chunk_job *job = opaque;
    go_through(job, segment, job->s->pairs);
    return PSDVEC_OK;
}

/* ---- Learning ------------------------------------------------------------------------------ */

static void next_group(const pv_word2vec *w, const word_pair *pairs, size_t left,
                       const pv_noise *noise, pv_random_stream *stream, pv_sgns_group *group)
{
    group->pairs = left < PV_SGNS_GROUP ? (uint32_t)left : PV_SGNS_GROUP;
    for (uint32_t i = 0; i < group->pairs; i++) {
        group->in[i] = pairs[i].in;
        group->target[i] = pairs[i].out;
    }
    for (uint32_t s = 1; s <= w->space.negative; s++)
        group->slot[s] = pv_noise_draw(noise, stream);
}

static psdvec_status learn_stratum(void *opaque, uint32_t p, uint32_t q, int worker)
{
    chunk_job *job = opaque;
    pv_word2vec *w = job->w;
    pv_skipgram *s = job->s;
    uint32_t blocks = s->strata.blocks, round = (q + 2 * blocks - p - job->shift) % blocks;
    size_t stratum = (size_t)p * blocks + q, end = s->begin[stratum + 1];
    const pv_sgns_kernels *kernels = w->kernels;
    workspace *d = &s->workspaces[worker];
    stratum_loss sum = {0};
    pv_random_stream stream = {
        pv_random_u64(w->ctx->options.seed, NOISE + ((uint64_t)job->step << 32), stratum)};
    float rate = pv_word2vec_rate(w, job->step, (double)round / blocks);
    pv_sgns_group groups[2] = {{.slot = d->slots}, {.slot = d->slots + w->space.width}};
    size_t at = s->begin[stratum];
    if (at < end)
        next_group(w, s->pairs + at, end - at, &s->noise[q], &stream, &groups[0]);
    for (size_t k = 0; at < end; k++) {
        pv_sgns_group *group = &groups[k % 2], *next = &groups[(k + 1) % 2];
        at += group->pairs;
        if (at < end)
            next_group(w, s->pairs + at, end - at, &s->noise[q], &stream, next);
        else
            next = group;
        kernels->logits(&w->space, group, next, d->f);
        if (k % LOSS_GROUPS == 0) {
            sum.loss += pv_sgns_loss(&w->space, group, d->f);
            sum.pairs += group->pairs;
        }
        kernels->slopes(&w->space, group, rate, d->f);
        kernels->update(&w->space, group, d->f, d->scratch);
    }
    s->loss[stratum] = sum;
    return PSDVEC_OK;
}

psdvec_status pv_skipgram_chunk(pv_word2vec *w, uint32_t epoch, size_t chunk, uint64_t step)
{
    pv_skipgram *s = w->skipgram;
    uint32_t blocks = s->strata.blocks;
    chunk_job job = {.w = w,
                     .s = s,
                     .epoch = epoch,
                     .chunk = chunk,
                     .segments = pv_w2v_chunk_size(&w->text, chunk),
                     .step = step,
                     .shift = (uint32_t)(step % blocks)};
    deal(&job);
    PV_TRY(pv_parallel_tasks(w->ctx, blocks + job.segments, prepare, &job));
    PV_TRY(reserve_pairs(&job));
    PV_TRY(pv_parallel_tasks(w->ctx, job.segments, place_pairs, &job));
    PV_TRY(pv_strata_run(&s->strata, job.shift, learn_stratum, &job));
    w->pairs += s->begin[(size_t)blocks * blocks];
    for (size_t k = 0; k < (size_t)blocks * blocks; k++) {
        w->loss += s->loss[k].loss;
        w->loss_pairs += s->loss[k].pairs;
    }
    return PSDVEC_OK;
}
