/* Building the core's pairs from the counts. */
#include "link/pairs.h"

#include "base/memory.h"
#include "base/thread.h"

#include <math.h>

enum { block_count = 64, most_tiles = 64, head_bytes_a_pair = 4 };

/* Unseen pairs whose weight is capped do not have the form of the background (link.h) and are
 * stored like seen pairs. They consist of the few words with large enough probability. Returns the
 * end of the range of these words. */
static uint32_t capped_words(const pv_link *link)
{
    if (!link->background_only_unseen)
        return 0;
    double largest = 0;
    for (uint32_t i = 0; i < link->core; i++)
        if (link->factor[i] > largest)
            largest = link->factor[i];
    uint32_t end = 0;
    for (uint32_t i = 0; i < link->core; i++)
        if (link->background * link->factor[i] * largest > 1)
            end = i + 1;
    return end;
}

typedef struct make_job {
    const pv_link *link;
    pv_pairs *pairs;
    pv_column_blocks blocks; /* of the counts */
    uint32_t capped;         /* words that may have capped unseen pairs */
    bool fill;               /* else only count */
    bool start;
    uint32_t *below; /* workers x n: entries below the diagonal */
    pv_progress progress;
} make_job;

/* Receives a row's pairs above the diagonal, in ascending order. */
typedef struct pair_sink {
    make_job *job;
    uint32_t *below; /* of this worker */
    uint32_t i;
    uint64_t count;
    double constant;
} pair_sink;

static psdvec_status take_pair(pair_sink *sink, uint32_t j, uint64_t after, uint64_t before)
{
    make_job *job = sink->job;
    pv_pairs *pairs = job->pairs;
    uint64_t k = sink->count++;
    if (!job->fill) {
        sink->below[j]++;
        return PSDVEC_OK;
    }
    double xij = pv_link_count(job->link, sink->i, j, after);
    double xji = pv_link_count(job->link, j, sink->i, before);
    pv_pair pair = pv_link_pair(job->link, sink->i, j, xij, xji);
    if (PV_UNLIKELY(!isfinite(pair.weight) || !isfinite(pair.target))) {
        size_t a, b;
        const char *first = psdvec_counts_word(job->link->counts, sink->i, &a);
        const char *second = psdvec_counts_word(job->link->counts, j, &b);
        return pv_fail(job->link->ctx, PSDVEC_ERR_NUMERIC,
                       "the words \"%.*s\" and \"%.*s\" have the weight %g and the target %g, of "
                       "which one is not finite; their counts are %g and %g",
                       (int)a, first, (int)b, second, pair.weight, pair.target, xij, xji);
    }
    uint64_t at = pairs->upper[sink->i] + k;
    pairs->matrix.column[pairs->middle[sink->i] + k] = j;
    pairs->weight[at] = (float)pair.weight;
    pairs->target[at] = (float)pair.target;
    if (job->start)
        pairs->matrix.value[pairs->middle[sink->i] + k] = (float)pair.start;
    sink->constant += 2 * pair.constant;
    return PSDVEC_OK;
}

/* Makes the pairs of a row above the diagonal, including capped unseen ones. */
static psdvec_status make_row(void *arg, pv_pair_row row, int worker)
{
    make_job *job = arg;
    const pv_link *link = job->link;
    uint32_t i = row.i, next_capped = i < job->capped ? i + 1 : link->core;
    pair_sink sink = {.job = job, .below = job->below + (size_t)worker * link->core, .i = i};
    pv_pair_skip(&row, i + 1);
    for (bool more = true; more;) {
        more = pv_pair_next(&row) && row.j < link->core;
        uint32_t j = more ? row.j : link->core;
        for (; next_capped < job->capped && next_capped < j; next_capped++)
            if (pv_link_background(link, i, next_capped) > 1)
                PV_TRY(take_pair(&sink, next_capped, 0, 0));
        if (next_capped == j)
            next_capped++;
        if (more)
            PV_TRY(take_pair(&sink, j, row.xij, row.xji));
    }
    if (!job->fill)
        job->pairs->upper[i + 1] = sink.count;
    else
        job->pairs->constant[i] = sink.constant;
    return PSDVEC_OK;
}

static psdvec_status walk_counts(make_job *job)
{
    pv_pair_walk walk = {.blocks = &job->blocks,
                         .above = true,
                         .progress = &job->progress,
                         .on_row = make_row,
                         .arg = job};
    return pv_walk_pairs(job->link->ctx, &walk);
}

static psdvec_status open_job(make_job *job, const pv_link *link, pv_pairs **out)
{
    psdvec_context *ctx = link->ctx;
    pv_pairs *pairs = *out = pv_alloc_zero(ctx, 1, sizeof *pairs, "the pairs");
    *job = (make_job){.link = link, .pairs = pairs, .capped = capped_words(link)};
    if (!pairs)
        return pv_failure(ctx);
    pairs->ctx = ctx;
    pairs->memory = (pv_scope){.ctx = ctx, .what = "the pairs"};
    PV_TRY(pv_csr_store_open(ctx, link->core, link->core, "the pairs", &pairs->matrix));
    PV_TAKE_ZERO(&pairs->memory, pairs->middle, (size_t)link->core + 1);
    PV_TAKE_ZERO(&pairs->memory, pairs->upper, (size_t)link->core + 1);
    PV_TAKE_ZERO(&pairs->memory, pairs->constant, link->core);
    PV_TRY(pv_scope_status(&pairs->memory));
    pv_csr rows = link->counts->rows;
    rows.rows = link->core;
    rows.value32 = NULL; /* not needed to count */
    rows.value64 = NULL;
    PV_TRY(pv_column_blocks_make(ctx, rows, 0, link->core, block_count, &job->blocks));
    job->below = pv_alloc_zero(ctx, (size_t)psdvec_threads(ctx) * link->core, sizeof *job->below,
                               "the pairs");
    return job->below ? PSDVEC_OK : pv_failure(ctx);
}

static void close_job(make_job *job)
{
    pv_free(job->link->ctx, job->below);
    pv_column_blocks_free(&job->blocks);
}

/* The first pass: counts the pairs of each row above and below the diagonal. */
static psdvec_status count_pairs(make_job *job)
{
    pv_pairs *pairs = job->pairs;
    psdvec_context *ctx = job->link->ctx;
    const pv_csr *counts = &job->blocks.matrix;
    pv_progress_begin(&job->progress, ctx, "pairing", "pairs", 2 * counts->end[counts->rows - 1]);
    PV_TRY(walk_counts(job));
    for (uint32_t i = 0; i < pairs->matrix.rows; i++) {
        uint64_t above = pairs->upper[i + 1];
        pairs->upper[i + 1] = pairs->upper[i] + above;
        pairs->middle[i] = pairs->matrix.begin[i];
        for (int w = 0; w < psdvec_threads(ctx); w++)
            pairs->middle[i] += job->below[(size_t)w * pairs->matrix.rows + i];
        pairs->matrix.begin[i + 1] = pairs->middle[i] + above;
    }
    pairs->count = pairs->upper[pairs->matrix.rows];
    if (pairs->count == 0)
        return pv_link_no_pairs(job->link);
    return PSDVEC_OK;
}

/* A pair belongs to the core as soon as its rarer word does, and there it is below the diagonal. */
void pv_pairs_among(const pv_pairs *pairs, uint64_t *among)
{
    among[0] = 0;
    for (uint32_t i = 0; i < pairs->matrix.rows; i++)
        among[i + 1] = among[i] + (pairs->middle[i] - pairs->matrix.begin[i]);
}

psdvec_status pv_pairs_count(const pv_link *link, uint64_t *among)
{
    pv_pairs *pairs;
    make_job job;
    psdvec_status status;
    PV_TRY_DONE(open_job(&job, link, &pairs));
    PV_TRY_DONE(count_pairs(&job));
    pv_pairs_among(pairs, among);
done:
    close_job(&job);
    pv_pairs_free(pairs);
    return status;
}

uint64_t pv_pairs_large_bytes(uint64_t count)
{
    return count * (2 * sizeof(uint32_t) + 4 * sizeof(float) + head_bytes_a_pair);
}

uint64_t pv_pairs_bytes(uint64_t n)
{
    return sizeof(pv_pairs) + (n + 1) * (4 * sizeof(uint64_t) + sizeof(double)) +
           n * (block_count + most_tiles + 2) * sizeof(uint32_t);
}

uint64_t pv_pairs_make_bytes(uint64_t n, uint64_t bigrams, int threads)
{
    /* The counts of pairs below the diagonal, per worker. */
    return (uint64_t)threads * n * sizeof(uint32_t) +
           pv_column_blocks_bytes(n, n, block_count, threads) +
           pv_gather_bytes(n, n, bigrams, block_count, threads);
}

/* ---- The part below the diagonal ----------------------------------------------- */
typedef struct mirror_job {
    pv_pairs *pairs;
    bool columns; /* copy the pattern; else the values */
} mirror_job;

static psdvec_status mirror_block(void *arg, size_t task, int worker)
{
    mirror_job *job = arg;
    pv_pairs *pairs = job->pairs;
    (void)worker;
    /* Entries above the diagonal: no row at or below the last column has any. */
    return pv_transpose_block(pairs->ctx, &pairs->blocks, (uint32_t)task,
                              pairs->blocks.edges[task + 1], pairs->matrix.begin,
                              job->columns ? pairs->matrix.column : NULL, pairs->matrix.value,
                              job->columns ? NULL : pairs->matrix.value);
}

/* ---- The dense head --------------------------------------------------------------- */
enum { head_step = 256 };
static const double head_density = 0.5;

/* Widens the head while the next columns of these rows are dense enough and the head has at most
 * `limit` bytes. */
static uint32_t head_width_of(const pv_pairs *pairs, uint32_t first, uint32_t end, uint64_t limit)
{
    uint32_t width = 0;
    while (width < pairs->matrix.rows) {
        uint32_t next = pairs->matrix.rows - width < head_step ? pairs->matrix.rows
                                                               : width + head_step;
        uint64_t inside = 0;
        for (uint32_t i = first; i < end; i++) {
            const uint32_t *row = pairs->matrix.column + pairs->matrix.begin[i];
            uint64_t count = pairs->matrix.begin[i + 1] - pairs->matrix.begin[i];
            inside += pv_lower_bound(row, count, next) - pv_lower_bound(row, count, width);
        }
        uint64_t cells = (uint64_t)(end - first) * (next - width);
        if ((double)inside < head_density * (double)cells ||
            (uint64_t)(end - first) * next * sizeof(float) > limit)
            break;
        width = next;
    }
    return width;
}

static psdvec_status set_head(pv_pairs *pairs, const char *folder, bool spill)
{
    psdvec_context *ctx = pairs->ctx;
    uint32_t blocks = (pairs->matrix.rows + PV_HEAD_ROWS - 1) / PV_HEAD_ROWS;
    pairs->head_blocks = blocks;
    PV_TAKE_ZERO(&pairs->memory, pairs->head_width, blocks);
    PV_TAKE_ZERO(&pairs->memory, pairs->head_begin, (size_t)blocks + 1);
    PV_TAKE(&pairs->memory, pairs->tail, pairs->matrix.rows);
    PV_TRY(pv_scope_status(&pairs->memory));
    uint64_t limit = pairs->count * head_bytes_a_pair;
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t first = b * PV_HEAD_ROWS;
        uint32_t end = pairs->matrix.rows - first < PV_HEAD_ROWS ? pairs->matrix.rows
                                                                 : first + PV_HEAD_ROWS;
        uint32_t width =
            head_width_of(pairs, first, end, limit - pairs->head_begin[b] * sizeof(float));
        pairs->head_width[b] = width;
        pairs->head_begin[b + 1] = pairs->head_begin[b] + (uint64_t)(end - first) * width;
        for (uint32_t i = first; i < end; i++)
            pairs->tail[i] = pairs->matrix.begin[i] +
                             pv_lower_bound(pairs->matrix.column + pairs->matrix.begin[i],
                                            pairs->matrix.begin[i + 1] - pairs->matrix.begin[i],
                                            width);
    }
    PV_TRY(pv_large_alloc(ctx, pairs->head_begin[blocks], sizeof(float), folder, spill,
                          "the frequent words' pairs", &pairs->heads));
    pairs->head = pairs->heads.data;
    return PSDVEC_OK;
}

static psdvec_status fill_head(void *arg, size_t task, int worker)
{
    pv_pairs *pairs = arg;
    (void)worker;
    uint32_t first = (uint32_t)task * PV_HEAD_ROWS, width = pairs->head_width[task];
    uint32_t end = pairs->matrix.rows - first < PV_HEAD_ROWS ? pairs->matrix.rows
                                                             : first + PV_HEAD_ROWS;
    for (uint32_t i = first; i < end; i++) {
        float *row = pairs->head + pairs->head_begin[task] + (uint64_t)(i - first) * width;
        for (uint64_t k = pairs->matrix.begin[i]; k < pairs->tail[i]; k++)
            row[pairs->matrix.column[k]] = pairs->matrix.value[k];
    }
    return PSDVEC_OK;
}

psdvec_status pv_pairs_mirror(pv_pairs *pairs)
{
    mirror_job job = {pairs, false};
    PV_TRY(pv_parallel_tasks(pairs->ctx, block_count, mirror_block, &job));
    return pv_parallel_tasks(pairs->ctx, pairs->head_blocks, fill_head, pairs);
}

static pv_csr above_diagonal(const pv_pairs *pairs)
{
    return (pv_csr){.rows = pairs->matrix.rows,
                    .columns = pairs->matrix.rows,
                    .begin = pairs->middle,
                    .end = pairs->matrix.begin + 1,
                    .column = pairs->matrix.column};
}

/* Frequent words are in many pairs, and products of their vectors are cheaper to compute a tile at
 * a time. Among rare words this never pays off, so their tiles may be wide. */
static psdvec_status set_tiles(pv_pairs *pairs)
{
    enum { width = PV_TILE_COLUMNS, narrow = 40, most = most_tiles };
    uint32_t edges[most + 1] = {0}, count = 0, n = pairs->matrix.rows;
    while (edges[count] < n && count < narrow) {
        edges[count + 1] = n - edges[count] < width ? n : edges[count] + width;
        count++;
    }
    uint32_t left = n - edges[count], step = left / (most - narrow) + 1;
    if (step < width)
        step = width;
    while (edges[count] < n) {
        edges[count + 1] = n - edges[count] < step ? n : edges[count] + step;
        count++;
    }
    return pv_column_blocks_at(pairs->ctx, above_diagonal(pairs), edges, count, &pairs->tiles);
}

static psdvec_status mirror_pattern(pv_pairs *pairs)
{
    PV_TRY(pv_column_blocks_make(pairs->ctx, above_diagonal(pairs), 0, pairs->matrix.rows,
                                 block_count, &pairs->blocks));
    mirror_job job = {pairs, true};
    PV_TRY(pv_parallel_tasks(pairs->ctx, block_count, mirror_block, &job));
    return set_tiles(pairs);
}

psdvec_status pv_pairs_make(const pv_link *link, const char *folder, uint64_t memory, bool start,
                            pv_pairs **out)
{
    psdvec_context *ctx = link->ctx;
    psdvec_status status;
    make_job job;
    PV_TRY_DONE(open_job(&job, link, out));
    pv_pairs *pairs = *out;
    PV_TRY_DONE(count_pairs(&job));
    uint64_t large = pv_pairs_large_bytes(pairs->count);
    bool spill = large > memory;
    pairs->spilled = spill ? large : 0;
    PV_TRY_DONE(pv_csr_store_allocate(&pairs->matrix, folder, spill));
    PV_TRY_DONE(pv_large_alloc(ctx, pairs->count, sizeof(float), folder, spill,
                               "the pairs' weights", &pairs->weights));
    PV_TRY_DONE(pv_large_alloc(ctx, pairs->count, sizeof(float), folder, spill,
                               "the pairs' targets", &pairs->targets));
    pairs->weight = pairs->weights.data;
    pairs->target = pairs->targets.data;
    job.fill = true;
    job.start = start;
    job.blocks.matrix.value32 = link->counts->rows.value32;
    job.blocks.matrix.value64 = link->counts->rows.value64;
    PV_TRY_DONE(walk_counts(&job));
    pv_progress_end(&job.progress);
    PV_TRY_DONE(mirror_pattern(pairs));
    status = set_head(pairs, folder, spill);
done:
    close_job(&job);
    return status;
}

void pv_pairs_free(pv_pairs *pairs)
{
    if (!pairs)
        return;
    psdvec_context *ctx = pairs->ctx;
    pv_csr_store_free(&pairs->matrix);
    pv_large_free(ctx, &pairs->weights);
    pv_large_free(ctx, &pairs->targets);
    pv_large_free(ctx, &pairs->heads);
    pv_column_blocks_free(&pairs->blocks);
    pv_column_blocks_free(&pairs->tiles);
    pv_scope_free(&pairs->memory);
    pv_free(ctx, pairs);
}
