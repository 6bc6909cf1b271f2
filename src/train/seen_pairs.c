/* Iterating over the seen pairs.
 *
 * Each block of words is handled by one worker. Their columns are gathered (sparse/columns.h), then
 * rows and columns are merged, a group of rows at a time. The group is divided into tiles of
 * columns, and as in solve/pair_products.c a tile of which more than an eighth are pairs is
 * computed completely. Frequent words come first, so after a few tiles that are not dense no dense
 * one follows.
 */
#include "train/seen_pairs.h"

#include "base/blas.h"
#include "base/group.h"
#include "model/dot.h"
#include "sparse/columns.h"
#include "train/model_link.h"

#include <stdlib.h>
#include <string.h>

enum {
    block_count = PV_SEEN_BLOCKS,
    group_rows = 192,
    group_pairs = 1 << 17, /* a group ends when it has this many pairs ... */
    row_pairs = 1 << 12,   /* ... or this many, if there are no products */
    tile_width = 512,
    dense_share = 8,
    patience = 4 /* tiles that are not dense before the search for dense ones stops */
};

typedef struct walk_job {
    const pv_seen_walk *walk;
    psdvec_context *ctx;
    pv_seen_fn *on_row;
    void *arg;
    uint64_t limit;       /* pairs at which a group ends */
    bool ascending;       /* the model has the words in the order of the counts */
    struct group *groups; /* one per worker */
    pv_column_blocks blocks;
    pv_row_dots_fn *row_dots;
    pv_progress progress;
} walk_job;

typedef struct group {
    pv_scope memory;
    pv_seen_pair *pairs;
    size_t count;
    uint64_t entries; /* of the rows of the counts since the last group */
    uint32_t rows;
    uint32_t word[group_rows], counted[group_rows];
    size_t begin[group_rows + 1];
    size_t next[group_rows]; /* the first pair after the last tile ... */
    size_t end[group_rows];  /* ... and after this one */
    float *vectors;          /* group_rows x dim: v_i J */
    float *tile;             /* group_rows x tile_width */
} group;

/* ---- Merging ------------------------------------------------------------------ */
/* Pairs at which a group ends: fewer for a small text, which would not justify the memory. */
static uint64_t group_limit(uint64_t bigrams, bool products)
{
    uint64_t share = bigrams / block_count;
    return !products || share < row_pairs ? row_pairs : share < group_pairs ? share : group_pairs;
}

/* A group ends with the row that fills it, which may have a pair with every word, or up to two
 * before both directions are merged. */
static uint64_t group_capacity(uint64_t words, uint64_t bigrams, bool products)
{
    uint64_t pairs = group_limit(bigrams, products) + 2 * words;
    return pairs < 2 * bigrams ? pairs : 2 * bigrams;
}

static int by_word(const void *a, const void *b)
{
    const pv_seen_pair *x = a, *y = b;
    return x->word < y->word ? -1 : x->word > y->word;
}

static void take_row(const walk_job *job, pv_pair_row row, group *s)
{
    const pv_seen_walk *walk = job->walk;
    const pv_link *link = walk->link;
    size_t first = s->count;
    uint32_t i = row.i, own = walk->word[i];
    while (pv_pair_next(&row)) {
        uint32_t j = row.j, word = walk->word[j];
        pv_seen_pair pair = {.word = word,
                             .counted = j,
                             .xij = pv_link_count(link, i, j, row.xij),
                             .xji = pv_link_count(link, j, i, row.xji)};
        bool wanted = word != PV_NO_WORD && !(walk->above && word < own) &&
                      !(word < walk->beyond && own < walk->beyond);
        if (wanted && (pair.xij > 0 || pair.xji > 0))
            s->pairs[s->count++] = pair;
    }
    if (!job->ascending)
        qsort(s->pairs + first, s->count - first, sizeof *s->pairs, by_word);
    s->word[s->rows] = own;
    s->counted[s->rows] = i;
    s->begin[s->rows++] = first;
    s->begin[s->rows] = s->count;
}

/* ---- Products --------------------------------------------------------------------- */
static void take_vectors(const pv_seen_walk *walk, group *s)
{
    size_t dim = walk->dim;
    for (uint32_t r = 0; r < s->rows; r++) {
        const float *v = walk->vectors + (size_t)s->word[r] * dim;
        for (size_t k = 0; k < dim; k++)
            s->vectors[r * dim + k] = walk->eigenvalues && walk->eigenvalues[k] < 0 ? -v[k] : v[k];
    }
}

static void dense_tile(const pv_seen_walk *walk, group *s, uint32_t left, uint32_t width)
{
    int dim = (int)walk->dim;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)s->rows, (int)width, dim, 1,
                s->vectors, dim, walk->vectors + (size_t)left * walk->dim, dim, 0, s->tile,
                (int)width);
    for (uint32_t r = 0; r < s->rows; r++)
        for (size_t k = s->next[r]; k < s->end[r]; k++)
            s->pairs[k].product = s->tile[(size_t)r * width + (s->pairs[k].word - left)];
}

static void sparse_tile(const walk_job *job, group *s)
{
    const pv_seen_walk *walk = job->walk;
    for (uint32_t r = 0; r < s->rows; r++)
        for (size_t k = s->next[r]; k < s->end[r]; k += PV_DOT_QUERIES) {
            const float *others[PV_DOT_QUERIES];
            float products[PV_DOT_QUERIES];
            size_t count = s->end[r] - k < PV_DOT_QUERIES ? s->end[r] - k : PV_DOT_QUERIES;
            for (size_t q = 0; q < count; q++)
                others[q] = walk->vectors + (size_t)s->pairs[k + q].word * walk->dim;
            job->row_dots(s->vectors + r * walk->dim, others, count, walk->dim, products);
            for (size_t q = 0; q < count; q++)
                s->pairs[k + q].product = products[q];
        }
}

/* Delimits the pairs of a tile that ends before column `right`; returns how many there are. */
static uint64_t cut_tile(group *s, uint32_t right)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < s->rows; r++) {
        size_t k = s->next[r];
        while (k < s->begin[r + 1] && s->pairs[k].word < right)
            k++;
        s->end[r] = k;
        count += k - s->next[r];
    }
    return count;
}

static void multiply(const walk_job *job, group *s)
{
    const pv_seen_walk *walk = job->walk;
    uint32_t left = walk->words;
    take_vectors(walk, s);
    for (uint32_t r = 0; r < s->rows; r++) {
        s->next[r] = s->begin[r];
        if (s->begin[r] < s->begin[r + 1] && s->pairs[s->begin[r]].word < left)
            left = s->pairs[s->begin[r]].word;
    }
    for (int thin = 0; left < walk->words;) {
        bool last = thin == patience || walk->words - left <= tile_width;
        uint32_t right = last ? walk->words : left + tile_width;
        uint64_t count = cut_tile(s, right), cells = (uint64_t)s->rows * (right - left);
        if (right - left <= tile_width && count > cells / dense_share) {
            dense_tile(walk, s, left, right - left);
            thin = 0;
        } else {
            sparse_tile(job, s);
            thin++;
        }
        for (uint32_t r = 0; r < s->rows; r++)
            s->next[r] = s->end[r];
        left = right;
    }
}

/* ---- Blocks ---------------------------------------------------------------------- */
static psdvec_status finish_group(walk_job *job, group *s, int worker)
{
    if (job->walk->vectors)
        multiply(job, s);
    for (uint32_t r = 0; r < s->rows; r++) {
        pv_seen_row row = {s->word[r], s->counted[r], s->begin[r + 1] - s->begin[r],
                           s->pairs + s->begin[r]};
        PV_TRY(job->on_row(job->arg, &row, worker));
    }
    pv_progress_add(&job->progress, s->entries);
    s->rows = 0;
    s->count = 0;
    s->entries = 0;
    return pv_check_cancel(job->ctx);
}

/* Allocates the memory that a worker keeps from block to block. */
static psdvec_status prepare(walk_job *job, group *s)
{
    const pv_seen_walk *walk = job->walk;
    const psdvec_counts_info *info = &walk->link->counts->info;
    if (s->memory.ctx)
        return pv_scope_status(&s->memory);
    s->memory = (pv_scope){.ctx = job->ctx, .what = "seen pairs"};
    PV_TAKE(&s->memory, s->pairs, group_capacity(info->words, info->bigrams, walk->vectors));
    if (walk->vectors) {
        PV_TAKE(&s->memory, s->vectors, group_rows * walk->dim);
        PV_TAKE(&s->memory, s->tile, group_rows * tile_width);
    }
    return pv_scope_status(&s->memory);
}

static psdvec_status walk_row(void *arg, pv_pair_row row, int worker)
{
    walk_job *job = arg;
    group *s = &job->groups[worker];
    PV_TRY(prepare(job, s));
    s->entries += row.after.length;
    if (job->walk->word[row.i] != PV_NO_WORD)
        take_row(job, row, s);
    if (row.last || s->rows == group_rows || s->count >= job->limit)
        PV_TRY(finish_group(job, s, worker));
    return PSDVEC_OK;
}

static psdvec_status make_blocks(psdvec_context *ctx, const psdvec_counts *counts,
                                 pv_column_blocks *blocks)
{
    return pv_column_blocks_make(ctx, counts->rows, 0, counts->info.words, block_count, blocks);
}

psdvec_status pv_seen_edges(psdvec_context *ctx, const psdvec_counts *counts, uint32_t *edges)
{
    pv_column_blocks blocks;
    psdvec_status status = make_blocks(ctx, counts, &blocks);
    if (status == PSDVEC_OK)
        memcpy(edges, blocks.edges, (block_count + 1) * sizeof *edges);
    pv_column_blocks_free(&blocks);
    return status;
}

psdvec_status pv_seen_pairs(const pv_seen_walk *walk, pv_seen_fn *on_row, void *arg)
{
    const pv_link *link = walk->link;
    PV_TRY(pv_blas_ready(link->ctx));
    walk_job job = {.walk = walk,
                    .ctx = link->ctx,
                    .on_row = on_row,
                    .arg = arg,
                    .limit = group_limit(link->counts->info.bigrams, walk->vectors != NULL),
                    .ascending = true,
                    .row_dots = pv_row_dots_best()};
    uint32_t known = 0, last = 0;
    for (uint32_t c = 0; c < link->words; c++) {
        if (walk->word[c] == PV_NO_WORD)
            continue;
        if (known++ > 0 && walk->word[c] < last)
            job.ascending = false;
        last = walk->word[c];
    }
    psdvec_status status;
    job.groups =
        pv_alloc_zero(job.ctx, (size_t)psdvec_threads(job.ctx), sizeof *job.groups, "seen pairs");
    if (!job.groups)
        return pv_failure(job.ctx);
    PV_TRY_DONE(make_blocks(job.ctx, link->counts, &job.blocks));
    /* Frequent words have more pairs, so the members take turns. */
    uint32_t members = walk->edges ? pv_group_members(job.ctx) : 1;
    if (walk->edges)
        memcpy(walk->edges, job.blocks.edges, (block_count + 1) * sizeof *walk->edges);
    /* Pairs, because frequent words have far more of them. */
    pv_progress_begin(&job.progress, job.ctx, walk->stage, "pairs",
                      link->counts->info.bigrams / members);
    pv_pair_walk rows = {.blocks = &job.blocks,
                         .above = walk->above && job.ascending,
                         .row_only = !walk->either,
                         .from = members > 1 ? pv_group_rank(job.ctx) : 0,
                         .every = members,
                         .on_row = walk_row,
                         .arg = &job};
    PV_TRY_DONE(pv_walk_pairs(job.ctx, &rows));
    pv_progress_end(&job.progress);
done:
    for (int w = 0; w < psdvec_threads(job.ctx); w++)
        pv_scope_free(&job.groups[w].memory);
    pv_free(job.ctx, job.groups);
    pv_column_blocks_free(&job.blocks);
    return status;
}

uint64_t pv_seen_pairs_bytes(uint64_t words, uint64_t bigrams, uint64_t dim, int threads)
{
    uint64_t pairs = group_capacity(words, bigrams, dim > 0);
    uint64_t groups = sizeof(group) + pairs * sizeof(pv_seen_pair) +
                      (dim > 0 ? group_rows * (dim + tile_width) * sizeof(float) : 0);
    return (uint64_t)threads * groups + pv_column_blocks_bytes(words, words, block_count, threads) +
           pv_gather_bytes(words, words, bigrams, block_count, threads);
}
