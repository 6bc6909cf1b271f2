/* Epochs in batches: codes, atoms, lengths. */
#include "baseline/sparse_learn.h"

#include "base/group.h"
#include "base/random.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

/* Batches per epoch: the dictionary learns from the first words before the last ones are coded. */
enum { batches = 8 };
/* Sweeps over the dictionary per batch. */
enum { atom_sweeps = 1 };
/* Codes that the next epoch will improve need not be exact. */
static const pv_code_rules on_the_way = {.rounds = 1, .sweeps = 8, .tolerance = 1e-4F};
static const pv_code_rules at_the_end = {.rounds = 30, .sweeps = 40, .tolerance = 1e-3F};

/* Purposes of random numbers. */
enum { purpose_words = 0x53504157, purpose_noise = 0x5350414e };
/* Noise in the initial atoms, relative to a word, so that two atoms from the same word diverge. */
static const double first_noise = 0.3;

static const char what_codes[] = "the codes of words";

uint64_t pv_sparse_bytes(const psdvec_context *ctx, uint32_t words, uint32_t dim, uint32_t atoms)
{
    uint64_t stride = ((uint64_t)dim + PV_ATOM_PAD - 1) / PV_ATOM_PAD * PV_ATOM_PAD;
    uint64_t most = dim < atoms ? dim : atoms; /* approximate number of codes per word */
    return 4 * (uint64_t)atoms * atoms + 8 * (uint64_t)atoms * stride +
           (uint64_t)psdvec_threads(ctx) * pv_code_workspace_bytes(atoms, dim) + 8 * most * words +
           (pv_group_shares(ctx) ? 3 : 1) * 8 * most * words / batches + 16 * (uint64_t)words;
}

static double unit_of(const float *x, uint32_t dim)
{
    double square = 0;
    for (uint32_t k = 0; k < dim; k++)
        square += (double)x[k] * x[k];
    return square > 0 ? 1 / sqrt(square) : 0;
}

static void first_atom(const pv_sparse_learner *l, uint32_t j)
{
    const pv_code_words *words = l->words;
    uint64_t seed = l->ctx->options.seed;
    uint32_t dim = words->dim;
    uint32_t word = (uint32_t)(pv_random_unit(seed, purpose_words, j) * words->count);
    const float *x = words->vectors + (size_t)word * dim;
    float *row = l->atoms.rows + j * l->atoms.stride;
    double unit = unit_of(x, dim), noise = first_noise / sqrt(dim);
    for (uint32_t k = 0; k < dim; k++)
        row[k] = (float)(x[k] * unit +
                         noise * pv_random_normal(seed, purpose_noise, (uint64_t)j * dim + k));
    unit = unit_of(row, dim);
    for (uint32_t k = 0; k < dim; k++)
        row[k] = (float)(row[k] * unit);
}

/* The initial g: as if each word had half as many codes as dimensions. */
static double first_length(const pv_sparse_learner *l)
{
    const pv_code_words *words = l->words;
    double square = 0;
    for (uint32_t i = 0; i < words->count; i++) {
        double unit = unit_of(words->vectors + (size_t)i * words->dim, words->dim);
        square += unit > 0 ? pow(words->scale / unit, 2) : 0;
    }
    double codes = sqrt(square / words->count * words->dim / 2);
    return cbrt(l->l1 * codes / (2 * l->l2 * l->atoms.count));
}

psdvec_status pv_sparse_begin(pv_sparse_learner *l, uint32_t atoms)
{
    psdvec_context *ctx = l->ctx;
    size_t tiles = l->words->tiles, workers = (size_t)psdvec_threads(ctx);
    l->memory = (pv_scope){.ctx = ctx, .what = what_codes};
    PV_TRY(pv_atoms_make(ctx, atoms, l->words->dim, &l->atoms));
    PV_TRY(pv_code_sums_make(ctx, &l->atoms, &l->sums));
    PV_TAKE_ZERO(&l->memory, l->codes, tiles);
    PV_TAKE_ZERO(&l->memory, l->old, tiles);
    PV_TAKE_ZERO(&l->memory, l->figures, tiles);
    PV_TAKE_ZERO(&l->memory, l->spaces, workers);
    PV_TRY(pv_scope_status(&l->memory));
    for (size_t w = 0; w < workers; w++)
        PV_TRY(pv_code_workspace_make(ctx, &l->atoms, &l->spaces[w]));
    for (uint32_t j = 0; j < atoms; j++)
        first_atom(l, j);
    pv_atoms_measure(&l->atoms);
    l->length = first_length(l);
    if (!(l->length > 0) || !isfinite(l->length))
        l->length = 1; /* all vectors are zeros */
    l->objective = NAN;
    return PSDVEC_OK;
}

void pv_sparse_free(pv_sparse_learner *l)
{
    psdvec_context *ctx = l->ctx;
    if (!ctx)
        return;
    for (size_t w = 0; l->spaces && w < (size_t)psdvec_threads(ctx); w++)
        pv_code_workspace_free(ctx, l->spaces[w]);
    for (uint32_t t = 0; t < l->words->tiles; t++) {
        if (l->codes)
            pv_csr_store_free(&l->codes[t]);
        if (l->old)
            pv_csr_store_free(&l->old[t]);
    }
    pv_scope_free(&l->memory);
    pv_code_sums_free(&l->sums);
    pv_atoms_free(ctx, &l->atoms);
}

/* ---- Codes of other members ----------------------------------------------------- */

/* The tiles of a member, of tiles first .. last - 1. */
static uint32_t share_begin(const pv_sparse_learner *l, uint32_t first, uint32_t last,
                            uint32_t rank)
{
    return first + (uint32_t)((uint64_t)(last - first) * rank / pv_group_members(l->ctx));
}

static void own_tiles(const pv_sparse_learner *l, uint32_t *first, uint32_t *last)
{
    uint32_t begin = share_begin(l, *first, *last, pv_group_rank(l->ctx));
    *last = share_begin(l, *first, *last, pv_group_rank(l->ctx) + 1);
    *first = begin;
}

/* A tile as bytes: the ends of its rows, columns and values. */
static psdvec_status pack_tile(const pv_csr_store *codes, pv_buffer *to)
{
    uint64_t entries = codes->begin[codes->rows];
    PV_TRY(pv_buffer_append(to, codes->begin + 1, codes->rows * sizeof *codes->begin));
    PV_TRY(pv_buffer_append(to, codes->column, entries * sizeof *codes->column));
    return pv_buffer_append(to, codes->value, entries * sizeof *codes->value);
}

static psdvec_status no_codes(const pv_sparse_learner *l)
{
    return pv_fail(l->ctx, PSDVEC_ERR_MISMATCH, "another process sent codes of other words");
}

/* Takes the next bytes of a message. */
static psdvec_status take(const pv_sparse_learner *l, const pv_buffer *from, size_t *at, void *to,
                          size_t bytes)
{
    if (bytes > from->length - *at)
        return no_codes(l);
    if (bytes > 0)
        memcpy(to, from->data + *at, bytes);
    *at += bytes;
    return PSDVEC_OK;
}

static psdvec_status unpack_tile(pv_sparse_learner *l, uint32_t tile, bool keep_old,
                                 const pv_buffer *from, size_t *at)
{
    const float *x[PV_CODE_TILE];
    uint32_t rows = pv_code_tile(l->words, tile, x);
    pv_csr_store *codes = &l->codes[tile];
    if (keep_old) {
        l->old[tile] = *codes;
        *codes = (pv_csr_store){0};
    }
    pv_csr_store_free(codes);
    PV_TRY(pv_csr_store_open(l->ctx, rows, l->atoms.count, what_codes, codes));
    PV_TRY(take(l, from, at, codes->begin + 1, rows * sizeof *codes->begin));
    uint64_t entries = codes->begin[rows];
    if (!pv_offsets_ascend(codes->begin, rows, entries, 0) ||
        entries > (from->length - *at) / (sizeof *codes->column + sizeof *codes->value))
        return no_codes(l);
    PV_TRY(pv_csr_store_allocate(codes, NULL, false));
    PV_TRY(take(l, from, at, codes->column, entries * sizeof *codes->column));
    PV_TRY(take(l, from, at, codes->value, entries * sizeof *codes->value));
    if (l->progress)
        pv_progress_add(l->progress, rows);
    return PSDVEC_OK;
}

/* Exchanges the codes of tiles first .. last - 1. */
static psdvec_status share_codes(pv_sparse_learner *l, uint32_t first, uint32_t last, bool keep_old)
{
    psdvec_context *ctx = l->ctx;
    uint32_t own = first, own_end = last;
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    own_tiles(l, &own, &own_end);
    psdvec_status status;
    pv_buffer packed = {.ctx = ctx}, *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    for (uint32_t t = own; t < own_end; t++)
        PV_TRY_DONE(pack_tile(&l->codes[t], &packed));
    PV_TRY_DONE(pv_group_gather(ctx, packed.data, packed.length, in));
    for (uint32_t r = 0; r < pv_group_members(ctx); r++) {
        size_t at = 0;
        for (uint32_t t = share_begin(l, first, last, r);
             r != pv_group_rank(ctx) && t < share_begin(l, first, last, r + 1); t++)
            PV_TRY_DONE(unpack_tile(l, t, keep_old, &in[r], &at));
    }
    status = PSDVEC_OK;
done:
    pv_buffer_free(&packed);
    pv_group_buffers_free(ctx, in);
    return status;
}

/* ---- Codes --------------------------------------------------------------------- */

typedef struct code_job {
    pv_sparse_learner *learner;
    pv_code_rules rules;
    uint32_t first;
    bool keep_old;
} code_job;

static psdvec_status code_task(void *arg, size_t task, int worker)
{
    const code_job *job = arg;
    pv_sparse_learner *l = job->learner;
    uint32_t tile = job->first + (uint32_t)task;
    const float *x[PV_CODE_TILE];
    uint32_t rows = pv_code_tile(l->words, tile, x);
    pv_csr_store *codes = &l->codes[tile];
    pv_csr now = pv_csr_view(codes);
    if (job->keep_old)
        PV_TRY(pv_csr_copy_rows(l->ctx, &now, 0, now.rows, what_codes, &l->old[tile]));
    PV_TRY(pv_codes_find(l->ctx, &l->atoms, &job->rules, x, l->words->scale, rows,
                         l->spaces[worker], codes));
    if (l->progress)
        pv_progress_add(l->progress, rows);
    return PSDVEC_OK;
}

static psdvec_status find_codes(pv_sparse_learner *l, const pv_code_rules *rules, uint32_t first,
                                uint32_t last, bool keep_old)
{
    uint32_t own = first, own_end = last;
    own_tiles(l, &own, &own_end);
    code_job job = {l, *rules, own, keep_old};
    job.rules.l1 = (float)(l->l1 / l->length);
    job.rules.ridge = (float)l->ridge;
    job.rules.nonnegative = l->nonnegative;
    PV_TRY(pv_parallel_tasks(l->ctx, own_end - own, code_task, &job));
    return share_codes(l, first, last, keep_old);
}

static psdvec_status measure_task(void *arg, size_t tile, int worker)
{
    pv_sparse_learner *l = arg;
    const float *x[PV_CODE_TILE];
    pv_code_tile(l->words, (uint32_t)tile, x);
    l->figures[tile] =
        pv_codes_measure(&l->atoms, x, l->words->scale, &l->codes[tile], l->spaces[worker]);
    return PSDVEC_OK;
}

/* The figures of the tiles of other members. */
static psdvec_status share_figures(const pv_sparse_learner *l)
{
    uint32_t tiles = l->words->tiles, own = 0, own_end = tiles;
    own_tiles(l, &own, &own_end);
    PV_TRY(pv_group_meet(l->ctx, 0, NULL));
    for (uint32_t r = 0; r < pv_group_members(l->ctx); r++) {
        uint32_t begin = share_begin(l, 0, tiles, r), end = share_begin(l, 0, tiles, r + 1);
        pv_group_send(l->ctx, r, l->figures + own, (own_end - own) * sizeof *l->figures);
        pv_group_receive(l->ctx, r, l->figures + begin, (end - begin) * sizeof *l->figures);
    }
    return pv_group_move(l->ctx);
}

static psdvec_status measure(pv_sparse_learner *l)
{
    uint32_t own = 0, own_end = l->words->tiles;
    own_tiles(l, &own, &own_end);
    PV_TRY(pv_parallel_range(l->ctx, own, own_end, measure_task, l));
    PV_TRY(share_figures(l));
    pv_code_figures sums = {0};
    l->entries = 0;
    for (uint32_t t = 0; t < l->words->tiles; t++) {
        sums.error += l->figures[t].error;
        sums.length += l->figures[t].length;
        sums.squares += l->figures[t].squares;
        l->entries += l->codes[t].begin[l->codes[t].rows];
    }
    double n = l->words->count;
    l->objective = (sums.error + l->l1 / l->length * sums.length + l->ridge * sums.squares) / n +
                   l->l2 * l->atoms.count * l->length * l->length;
    if (!isfinite(l->objective))
        return pv_fail(l->ctx, PSDVEC_ERR_NUMERIC,
                       "the sparse codes diverge; check the vectors (verify their checksums), or "
                       "change `l1` and `l2`");
    return PSDVEC_OK;
}

/* ---- The dictionary ------------------------------------------------------------- */

static psdvec_status learn_batch(pv_sparse_learner *l, uint32_t first, uint32_t last)
{
    const pv_code_words *words = l->words;
    bool again = l->epochs > 0;
    PV_TRY(find_codes(l, &on_the_way, first, last, again));
    if (again)
        PV_TRY(pv_code_sums_add(&l->sums, words, first, last, l->old + first, -1));
    PV_TRY(pv_code_sums_add(&l->sums, words, first, last, l->codes + first, 1));
    for (uint32_t t = first; t < last; t++)
        pv_csr_store_free(&l->old[t]);
    PV_TRY(pv_atoms_update(&l->atoms, &l->sums, atom_sweeps));
    /* g, from the codes of the words processed so far. */
    uint64_t seen = again ? words->count : (uint64_t)words->count * last / words->tiles;
    double size = 0;
    for (uint32_t j = 0; j < l->atoms.count; j++)
        size += l->sums.length[j];
    double length = cbrt(l->l1 * size / (double)seen / (2 * l->l2 * l->atoms.count));
    if (length > 0 && isfinite(length))
        l->length = length;
    return PSDVEC_OK;
}

psdvec_status pv_sparse_epoch(pv_sparse_learner *l)
{
    uint64_t tiles = l->words->tiles;
    /* Recomputed: a resumed run has the codes but not the sums, and rounding errors do not
     * accumulate. */
    pv_code_sums_clear(&l->sums);
    if (l->epochs > 0)
        PV_TRY(pv_code_sums_add(&l->sums, l->words, 0, (uint32_t)tiles, l->codes, 1));
    for (uint32_t b = 0; b < batches; b++) {
        uint32_t first = (uint32_t)(tiles * b / batches);
        uint32_t last = (uint32_t)(tiles * (b + 1) / batches);
        if (first < last)
            PV_TRY(learn_batch(l, first, last));
    }
    l->epochs++;
    return measure(l);
}

psdvec_status pv_sparse_finish(pv_sparse_learner *l)
{
    /* In batches, so that messages of members are short. */
    uint64_t tiles = l->words->tiles;
    uint32_t parts = pv_group_shares(l->ctx) ? batches : 1;
    for (uint32_t b = 0; b < parts; b++)
        PV_TRY(find_codes(l, &at_the_end, (uint32_t)(tiles * b / parts),
                          (uint32_t)(tiles * (b + 1) / parts), false));
    return measure(l);
}

/* ---- Codes in one array ----------------------------------------------------------- */

psdvec_status pv_sparse_gather(const pv_sparse_learner *l, bool by_word, float factor,
                               pv_csr_store *codes)
{
    uint32_t n = l->words->count, tiles = l->words->tiles, in_tiles = 0;
    PV_TRY(pv_csr_store_open(l->ctx, n, l->atoms.count, "the codes in one piece", codes));
    for (int pass = 0; pass < 2; pass++, in_tiles = 0) {
        for (uint32_t t = 0; t < tiles; t++) {
            const pv_csr tile = pv_csr_view(&l->codes[t]);
            for (uint32_t r = 0; r < tile.rows; r++) {
                pv_csr_row row = pv_csr_row_of(&tile, r);
                uint32_t i = by_word ? r * tiles + t : in_tiles++;
                if (pass == 0)
                    codes->begin[i + 1] = row.count;
                for (size_t k = 0; pass == 1 && k < row.count; k++) {
                    codes->column[codes->begin[i] + k] = row.column[k];
                    codes->value[codes->begin[i] + k] = row.value[k] * factor;
                }
            }
        }
        if (pass == 0)
            PV_TRY(pv_csr_store_reserve(codes, NULL, 0));
    }
    return PSDVEC_OK;
}

psdvec_status pv_sparse_scatter(pv_sparse_learner *l, const pv_csr *codes)
{
    const float *x[PV_CODE_TILE];
    uint32_t word = 0;
    l->entries = codes->begin[codes->rows];
    for (uint32_t t = 0; t < l->words->tiles; t++) {
        uint32_t rows = pv_code_tile(l->words, t, x);
        PV_TRY(pv_csr_copy_rows(l->ctx, codes, word, rows, what_codes, &l->codes[t]));
        word += rows;
    }
    return PSDVEC_OK;
}
