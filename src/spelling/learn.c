/* Learning the table: weights of the words, the regression, and its result as bytes.
 *
 * The regression has many dimensions and one sparse matrix, and is solved in its dual form. With B
 * the matrix of zeros and ones, m the freedom of its columns, N_i the n-grams in word i, w the
 * weights of the words and r_i = sqrt(w_i / N_i), the problem of spelling.h is
 *
 *     (R B M B' R + lambda I) z = W^(1/2) u,     row of n-gram g: m_g sum over its words r_j z_j
 *
 * one system per dimension, all with the same matrix, solved by conjugate gradients for a block of
 * dimensions at a time. Each block is a separate task, and within it each dimension has its own
 * step lengths, so neither threads nor other dimensions affect the bits. A product with the matrix
 * is two passes of sums of rows, by columns and back by rows; all factors are outside the sums, so
 * the inner loops only add. The weights are on both sides of the matrix (rather than 1/w with
 * lambda) because then its smallest eigenvalue is lambda, and fewer steps suffice.
 *
 * Cost for n words, G columns and e entries: 2 e dim additions per step and, for each worker, 32 (3
 * n + G) floats, which must stay in the cache for full speed; the solution is another n dim floats.
 *
 * The members of a group (base/group.h) solve consecutive blocks. All of them find the n-grams; the
 * leader sends each member its dimensions of the vectors, and gets the rounded dimensions of the
 * table. The scale of a row is that of its largest element in any member.
 */
#include "spelling/parts.h"

#include "base/group.h"
#include "base/progress.h"
#include "base/sort.h"
#include "base/thread.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

void pv_spelling_options_default(pv_spelling_options *options)
{
    *options = (pv_spelling_options){.shortest = 4,
                                     .longest = 6,
                                     .least_words = 2,
                                     .lambda = 3,
                                     .weight_power = 0.25,
                                     .begin_freedom = 2.25,
                                     .tolerance = 0.01,
                                     .steps = 1000};
}

static psdvec_status check_options(psdvec_context *ctx, const pv_spelling_options *o, uint32_t dim)
{
    if (o->shortest < 1 || o->shortest > o->longest || o->longest > PV_NGRAM_LONGEST)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "n-grams of %u to %u characters: the lengths must be in ascending order, "
                       "from 1 to %d",
                       o->shortest, o->longest, PV_NGRAM_LONGEST);
    if (o->least_words < 1)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "an n-gram must occur in at least 1 word");
    if (!(o->lambda >= 1e-6 && o->lambda <= 1e6))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "the penalty on n-grams is %g; it must be from 1e-6 to 1e6", o->lambda);
    if (!(o->weight_power >= 0 && o->weight_power <= 10))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "the power of the words' weights is %g; it must be from 0 to 10",
                       o->weight_power);
    if (!(o->begin_freedom >= 0.01 && o->begin_freedom <= 100))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "the freedom of n-grams at the beginning is %g; it must be from 0.01 to 100",
                       o->begin_freedom);
    if (!(o->tolerance >= 1e-6 && o->tolerance < 1))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "the tolerance of the regression is %g; it must be from 1e-6 to below 1",
                       o->tolerance);
    if (o->steps < 1)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "the regression needs at least 1 step");
    if (dim < 1)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "the vectors have no dimensions");
    return PSDVEC_OK;
}

static psdvec_status check_vectors(psdvec_context *ctx, const pv_spelling_words *words,
                                   const float *u, uint32_t dim)
{
    for (uint32_t i = 0; i < words->words; i++)
        for (uint32_t k = 0; k < dim; k++)
            if (!isfinite(u[(size_t)i * dim + k])) {
                uint64_t begin = words->offsets[i], length = words->offsets[i + 1] - begin;
                return pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                               "the vector of the word \"%.*s\" has a component that is not finite",
                               (int)(length < 100 ? length : 100), words->bytes + begin);
            }
    return PSDVEC_OK;
}

static int compare_counts(const void *a, const void *b, void *arg)
{
    (void)arg;
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static psdvec_status make_weights(pv_scope *scope, const uint64_t *counts, uint32_t words,
                                  double power, float *weights)
{
    double median = 1;
    if (counts && words > 0) {
        uint64_t *sorted;
        PV_TAKE(scope, sorted, words);
        PV_TRY(pv_scope_status(scope));
        memcpy(sorted, counts, words * sizeof *sorted);
        PV_TRY(pv_sort(scope->ctx, sorted, words, sizeof *sorted, compare_counts, NULL));
        uint32_t upper = words / 2, lower = (words - 1) / 2;
        median = ((double)sorted[upper] + (double)sorted[lower]) / 2;
        pv_scope_drop(scope, sorted);
    }
    for (uint32_t i = 0; i < words; i++) {
        double weight = counts ? pow((double)counts[i] / (median > 0 ? median : 1), power) : 1;
        weights[i] = (float)fmin(fmax(weight, 0.2), 20);
    }
    return PSDVEC_OK;
}

/* ---- The regression ------------------------------------------------------------------- */

enum { B = PV_ROW_BLOCK };

static size_t blocks_of(uint64_t dim)
{
    return (size_t)((dim + B - 1) / B);
}

/* The first of all blocks that a member of a group solves. */
static size_t first_block(size_t blocks, uint32_t rank, uint32_t members)
{
    return (size_t)((uint64_t)blocks * rank / members);
}

/* Workspace of one worker. Rows have B elements. */
typedef struct workspace {
    float *residual;  /* words */
    float *direction; /* words */
    float *image;     /* words: first the direction times r, then the matrix times it */
    float *columns;   /* columns */
} workspace;

typedef struct ridge {
    psdvec_context *ctx;
    pv_scope *scope;
    const pv_features *f;
    const pv_row_sums *sums;
    const float *u; /* words x dim; NULL in members other than the leader, which have `own_u` */
    float *own_u;   /* block of this member, word, dimension */
    uint32_t dim, steps;
    double tolerance;
    float lambda;
    float *root;     /* words: sqrt(w), 0 for a word without columns */
    float *factor;   /* words: r */
    float *solution; /* r_j z_j, as `own_u`; the last block is padded with zeros */
    size_t blocks;
    size_t first, end; /* those of this member */
    _Atomic size_t next_block;
    float *work;      /* all workspaces */
    size_t work_size; /* floats per workspace */
    pv_progress progress;
} ridge;

/* Sums of B columns over many rows: in single precision over a few rows, then in double. */
typedef struct column_sums {
    float few[B];
    double all[B];
    int rows;
} column_sums;

static inline void sums_flush(column_sums *s)
{
    for (int k = 0; k < B; k++) {
        s->all[k] += (double)s->few[k];
        s->few[k] = 0;
    }
    s->rows = 0;
}

static inline void sums_add(column_sums *s, const float *a, const float *b)
{
    for (int k = 0; k < B; k++)
        s->few[k] += a[k] * b[k];
    if (++s->rows == 64)
        sums_flush(s);
}

/* direction = residual + beta * direction, and its image the same times r. */
static void turn(const ridge *r, const workspace *w, const float beta[B])
{
    for (size_t i = 0; i < r->f->words; i++) {
        const float *residual = w->residual + i * B;
        float *p = w->direction + i * B, *q = w->image + i * B;
        float factor = r->factor[i];
        for (int k = 0; k < B; k++) {
            float turned = residual[k] + beta[k] * p[k];
            p[k] = turned;
            q[k] = factor * turned;
        }
    }
}

/* image = matrix * direction; computes direction . image. */
static void multiply(const ridge *r, const workspace *w, double product[B])
{
    const pv_features *f = r->f;
    column_sums sums = {0};
    float sum[B];
    for (size_t g = 0; g < f->columns; g++) {
        uint64_t begin = f->column_begin[g];
        float *to = w->columns + g * B, freedom = f->freedom[g];
        r->sums->floats(f->column + begin, f->column_begin[g + 1] - begin, w->image, sum);
        for (int k = 0; k < B; k++)
            to[k] = freedom * sum[k];
    }
    for (size_t i = 0; i < f->words; i++) {
        uint64_t begin = f->row_begin[i];
        const float *p = w->direction + i * B;
        float *q = w->image + i * B, factor = r->factor[i];
        r->sums->floats(f->row + begin, f->row_begin[i + 1] - begin, w->columns, sum);
        for (int k = 0; k < B; k++)
            q[k] = factor * sum[k] + r->lambda * p[k];
        sums_add(&sums, p, q);
    }
    sums_flush(&sums);
    memcpy(product, sums.all, sizeof sums.all);
}

/* x += alpha * direction, residual -= alpha * image; computes the squares of the residual. */
static void step(const ridge *r, const workspace *w, const float alpha[B], float *x,
                 double squares[B])
{
    column_sums sums = {0};
    for (size_t i = 0; i < r->f->words; i++) {
        const float *p = w->direction + i * B, *q = w->image + i * B;
        float *to = x + i * B, *residual = w->residual + i * B;
        for (int k = 0; k < B; k++) {
            to[k] += alpha[k] * p[k];
            residual[k] -= alpha[k] * q[k];
        }
        sums_add(&sums, residual, residual);
    }
    sums_flush(&sums);
    memcpy(squares, sums.all, sizeof sums.all);
}

static void begin_block(const ridge *r, const workspace *w, size_t block, float *x,
                        double squares[B])
{
    column_sums sums = {0};
    size_t first = block * B, width = r->dim - first < B ? r->dim - first : B;
    const float *own = r->own_u ? r->own_u + (block - r->first) * r->f->words * B : NULL;
    for (size_t i = 0; i < r->f->words; i++) {
        const float *u = own ? own + i * B : r->u + i * r->dim + first;
        float *residual = w->residual + i * B;
        memset(residual, 0, B * sizeof *residual);
        memset(w->direction + i * B, 0, B * sizeof *w->direction);
        memset(x + i * B, 0, B * sizeof *x);
        for (size_t k = 0; k < width; k++)
            residual[k] = r->root[i] * u[k];
        sums_add(&sums, residual, residual);
    }
    sums_flush(&sums);
    memcpy(squares, sums.all, sizeof sums.all);
}

/* How far the logarithms of all residuals are on their way to that of the tolerance: 0 to B. */
static uint32_t way(const ridge *r, const double squares[B], const double enough[B])
{
    double left = 0;
    for (int k = 0; k < B; k++)
        if (squares[k] > enough[k])
            left = fmax(left, log(squares[k] / enough[k]) / (-2 * log(r->tolerance)));
    return (uint32_t)(B * fmax(0, 1 - left));
}

static psdvec_status solve_block(ridge *r, const workspace *w, size_t block)
{
    float *x = r->solution + (block - r->first) * r->f->words * B;
    float alpha[B], beta[B] = {0};
    double squares[B], enough[B], product[B], left[B];
    uint32_t done = 0;
    begin_block(r, w, block, x, squares);
    for (int k = 0; k < B; k++)
        enough[k] = r->tolerance * r->tolerance * squares[k];
    for (uint32_t taken = 0; taken < r->steps; taken++) {
        bool going = false;
        PV_TRY(pv_check_cancel(r->ctx));
        for (int k = 0; k < B; k++) {
            if (!isfinite(squares[k]))
                return pv_fail(r->ctx, PSDVEC_ERR_NUMERIC,
                               "fitting the spelling of words diverges; scale the vectors down");
            going |= squares[k] > enough[k];
        }
        if (!going)
            break;
        turn(r, w, beta);
        multiply(r, w, product);
        /* A dimension that has converged does not change until the others have. */
        for (int k = 0; k < B; k++)
            alpha[k] = squares[k] > enough[k] && product[k] > 0 ? (float)(squares[k] / product[k])
                                                                : 0;
        step(r, w, alpha, x, left);
        for (int k = 0; k < B; k++) {
            beta[k] = alpha[k] > 0 ? (float)(left[k] / squares[k]) : 0;
            squares[k] = left[k];
        }
        uint32_t now = way(r, squares, enough);
        if (now > done) { /* the residual may also grow */
            pv_progress_add(&r->progress, now - done);
            done = now;
        }
    }
    pv_progress_add(&r->progress, B - done);
    for (size_t i = 0; i < r->f->words; i++)
        for (int k = 0; k < B; k++)
            x[i * B + (size_t)k] *= r->factor[i];
    return PSDVEC_OK;
}

/* Solves blocks with one workspace until there are no more. */
static psdvec_status solve_blocks(void *arg, size_t number, int worker)
{
    (void)worker;
    ridge *r = arg;
    size_t words = r->f->words;
    workspace w = {.residual = r->work + number * r->work_size};
    w.direction = w.residual + words * B;
    w.image = w.direction + words * B;
    w.columns = w.image + words * B;
    for (;;) {
        size_t block = atomic_fetch_add(&r->next_block, 1);
        if (block >= r->end)
            return PSDVEC_OK;
        PV_TRY(solve_block(r, &w, block));
    }
}

/* The dimensions from those of block `from` up to those of block `to`. */
static size_t width_of(const ridge *r, size_t from, size_t to)
{
    size_t first = from * B, end = to * B < r->dim ? to * B : r->dim;
    return end > first ? end - first : 0;
}

/* The leader sends each member the blocks of u that it solves, one after the other. */
static psdvec_status share_vectors(ridge *r, uint32_t words)
{
    psdvec_context *ctx = r->ctx;
    uint32_t members = pv_group_members(ctx);
    bool leads = pv_group_leads(ctx);
    size_t bytes = (size_t)words * B * sizeof(float);
    float *packed;
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    packed = pv_scope_alloc(r->scope, leads ? 1 : r->end - r->first, bytes, true);
    PV_TRY(pv_scope_status(r->scope));
    for (uint32_t to = 1; to < members; to++)
        for (size_t b = first_block(r->blocks, to, members);
             b < first_block(r->blocks, to + 1, members); b++) {
            for (size_t i = 0; leads && i < words; i++)
                memcpy(packed + i * B, r->u + i * r->dim + b * B,
                       width_of(r, b, b + 1) * sizeof *packed);
            PV_TRY(pv_group_meet(ctx, 0, NULL));
            if (leads)
                pv_group_send(ctx, to, packed, bytes);
            else if (to == pv_group_rank(ctx))
                pv_group_receive(ctx, 0, packed + (b - r->first) * words * B, bytes);
            PV_TRY(pv_group_move(ctx));
        }
    if (leads)
        pv_scope_drop(r->scope, packed);
    else
        r->own_u = packed;
    return PSDVEC_OK;
}

/* weights: words, positive; u: words x dim, finite. */
static psdvec_status solve(ridge *r, const float *weights)
{
    psdvec_context *ctx = r->ctx;
    size_t words = r->f->words, own = r->end - r->first;
    if (own == 0)
        return PSDVEC_OK;
    r->work_size = (3 * words + r->f->columns) * B;
    PV_TAKE(r->scope, r->root, words);
    PV_TAKE(r->scope, r->factor, words);
    r->solution = pv_scope_alloc(r->scope, own * B, words * sizeof *r->solution, false);
    PV_TRY(pv_scope_status(r->scope));
    /* As many workspaces as there are threads, or as memory allows. */
    size_t workspaces = (size_t)psdvec_threads(ctx);
    if (workspaces > own)
        workspaces = own;
    size_t bytes = r->work_size * sizeof *r->work;
    while (workspaces > 1 && !(r->work = pv_alloc(ctx, workspaces, bytes, NULL)))
        workspaces--;
    if (!r->work && !(r->work = pv_alloc(ctx, 1, bytes, r->scope->what)))
        return pv_failure(ctx);
    for (size_t i = 0; i < words; i++) {
        double total = (double)r->f->total[i];
        r->root[i] = total > 0 ? sqrtf(weights[i]) : 0;
        r->factor[i] = total > 0 ? (float)sqrt((double)weights[i] / total) : 0;
    }
    atomic_store(&r->next_block, r->first);
    pv_progress_begin(&r->progress, ctx, "spelling", "dimensions", (uint64_t)own * B);
    psdvec_status status = pv_parallel_tasks(ctx, workspaces, solve_blocks, r);
    pv_free(ctx, r->work);
    if (status == PSDVEC_OK)
        pv_progress_end(&r->progress);
    return status;
}

/* ---- From the solution to bytes ------------------------------------------------------ */

typedef struct rounding {
    const ridge *ridge;
    uint32_t columns;
    bool measure, round; /* the largest elements, the bytes, or both */
    float *scale;        /* columns: the largest element; after rounding, the scale */
    int8_t *rows;        /* columns x stride, for the dimensions of this member */
    size_t stride;
    float *row; /* blocks of this member x B, per worker */
} rounding;

enum { COLUMNS_A_TASK = 512 };

/* The elements of a row in the dimensions of this member. */
static psdvec_status sum_row(const rounding *r, uint32_t g, float *row, size_t width,
                             float *largest)
{
    const ridge *solved = r->ridge;
    const pv_features *f = solved->f;
    size_t count = f->column_begin[g + 1] - f->column_begin[g];
    *largest = 0;
    for (size_t b = 0; b < solved->end - solved->first; b++)
        solved->sums->floats(f->column + f->column_begin[g], count,
                             solved->solution + b * f->words * B, row + b * B);
    for (size_t k = 0; k < width; k++) {
        row[k] *= f->freedom[g];
        float size = fabsf(row[k]);
        if (!(size <= PV_LARGEST_SCALE))
            return pv_fail(solved->ctx, PSDVEC_ERR_NUMERIC,
                           "fitting the spelling of words led to values beyond 1e30; scale the "
                           "vectors down");
        *largest = size > *largest ? size : *largest;
    }
    return PSDVEC_OK;
}

static psdvec_status round_row(const rounding *r, uint32_t g, float *row)
{
    size_t width = width_of(r->ridge, r->ridge->first, r->ridge->end);
    float largest;
    PV_TRY(sum_row(r, g, row, width, &largest));
    if (r->measure)
        r->scale[g] = largest;
    if (!r->round)
        return PSDVEC_OK;
    float scale = r->scale[g] /= 127;
    int8_t *to = r->rows + g * r->stride;
    for (size_t k = 0; k < width; k++) {
        /* A very small scale is inexact, so the quotient may exceed 127. */
        float steps = scale > 0 ? rintf(row[k] / scale) : 0;
        to[k] = (int8_t)(steps > 127 ? 127 : steps < -127 ? -127 : steps);
    }
    return PSDVEC_OK;
}

static psdvec_status round_rows(void *arg, size_t task, int worker)
{
    rounding *r = arg;
    float *row = r->row + (size_t)worker * (r->ridge->end - r->ridge->first) * B;
    uint32_t first = (uint32_t)task * COLUMNS_A_TASK, left = r->columns - first;
    for (uint32_t g = 0; g < left && g < COLUMNS_A_TASK; g++)
        PV_TRY(round_row(r, first + g, row));
    return PSDVEC_OK;
}

static psdvec_status round_all(rounding *r, bool measure, bool round)
{
    r->measure = measure;
    r->round = round;
    /* A member without blocks may have no features either. */
    size_t tasks = r->ridge->end > r->ridge->first
                       ? ((size_t)r->columns + COLUMNS_A_TASK - 1) / COLUMNS_A_TASK
                       : 0;
    return pv_parallel_tasks(r->ridge->ctx, tasks, round_rows, r);
}

static size_t slice_begin(uint32_t columns, uint32_t rank, uint32_t members)
{
    PV_HOLDS(members > 0);
    return (size_t)((uint64_t)columns * rank / members);
}

/* All members get the largest of the numbers that they have for each column: each member compares
 * those of a slice of the columns, and tells the others. */
static psdvec_status share_largest(const rounding *r)
{
    psdvec_context *ctx = r->ridge->ctx;
    uint32_t members = pv_group_members(ctx), rank = pv_group_rank(ctx);
    psdvec_status status = PSDVEC_OK;
    pv_buffer *out = pv_group_buffers(ctx), *in = pv_group_buffers(ctx);
    if (!out || !in)
        PV_TRY_DONE(pv_failure(ctx));
    for (uint32_t to = 0; to < members; to++) {
        size_t begin = slice_begin(r->columns, to, members);
        PV_TRY_DONE(pv_buffer_append(&out[to], r->scale + begin,
                                     (slice_begin(r->columns, to + 1, members) - begin) *
                                         sizeof *r->scale));
    }
    PV_TRY_DONE(pv_group_exchange(ctx, out, in));
    size_t begin = slice_begin(r->columns, rank, members);
    size_t width = slice_begin(r->columns, rank + 1, members) - begin;
    for (uint32_t from = 0; from < members; from++)
        for (size_t k = 0; k < width; k++) {
            float theirs;
            memcpy(&theirs, in[from].data + k * sizeof theirs, sizeof theirs);
            if (theirs > r->scale[begin + k])
                r->scale[begin + k] = theirs;
        }
    PV_TRY_DONE(pv_group_gather(ctx, r->scale + begin, width * sizeof *r->scale, in));
    for (uint32_t from = 0; from < members; from++)
        if (in[from].length > 0)
            memcpy(r->scale + slice_begin(r->columns, from, members), in[from].data,
                   in[from].length);
done:
    pv_group_buffers_free(ctx, out);
    pv_group_buffers_free(ctx, in);
    return status;
}

/* The leader gets the dimensions of the other members, of one after the other. */
static psdvec_status collect_rows(const rounding *r)
{
    psdvec_context *ctx = r->ridge->ctx;
    const ridge *solved = r->ridge;
    uint32_t members = pv_group_members(ctx);
    bool leads = pv_group_leads(ctx);
    for (uint32_t from = 1; from < members; from++) {
        size_t first = first_block(solved->blocks, from, members);
        size_t width = width_of(solved, first, first_block(solved->blocks, from + 1, members));
        int8_t *theirs = NULL;
        if (leads && !(theirs = pv_scope_alloc(solved->scope, r->columns, width, false)))
            return pv_failure(ctx);
        PV_TRY(pv_group_meet(ctx, 0, NULL));
        if (leads)
            pv_group_receive(ctx, from, theirs, r->columns * width);
        else if (from == pv_group_rank(ctx))
            pv_group_send(ctx, 0, r->rows, r->columns * width);
        PV_TRY(pv_group_move(ctx));
        for (size_t g = 0; leads && g < r->columns; g++)
            memcpy(r->rows + g * r->stride + first * B, theirs + g * width, width);
        pv_scope_drop(solved->scope, theirs);
    }
    return PSDVEC_OK;
}

/* columns: those of the leader's features. */
static psdvec_status make_table(pv_spelling *s, const ridge *solved, uint32_t columns)
{
    const pv_features *f = solved->f;
    bool leads = pv_group_leads(solved->ctx);
    rounding r = {.ridge = solved,
                  .columns = columns,
                  .stride = leads ? solved->dim : width_of(solved, solved->first, solved->end)};
    r.rows = pv_scope_alloc(&s->scope, columns, r.stride, false);
    PV_TAKE_ZERO(&s->scope, r.scale, columns);
    r.row = pv_scope_alloc(solved->scope, (size_t)psdvec_threads(solved->ctx),
                           (solved->end - solved->first) * B * sizeof *r.row, false);
    PV_TRY(pv_scope_status(&s->scope));
    PV_TRY(pv_scope_status(solved->scope));
    if (pv_group_shares(solved->ctx)) {
        PV_TRY(round_all(&r, true, false));
        PV_TRY(share_largest(&r));
        PV_TRY(round_all(&r, false, true));
        PV_TRY(collect_rows(&r));
        if (solved->end == solved->first)
            for (size_t g = 0; g < columns; g++)
                r.scale[g] /= 127;
    } else
        PV_TRY(round_all(&r, true, true));
    if (!leads)
        return PSDVEC_OK;
    s->table.ngrams = f->columns;
    s->table.text = f->offsets[f->columns];
    s->table.bytes = f->bytes;
    s->table.offsets = f->offsets;
    s->table.members = f->members;
    s->table.rows = r.rows;
    s->table.row_scale = r.scale;
    return PSDVEC_OK;
}

uint64_t pv_spelling_learn_bytes(const pv_spelling_words *all, uint64_t dim, uint32_t rank,
                                 uint32_t members, int threads)
{
    pv_spelling_options options;
    pv_spelling_options_default(&options);
    uint64_t words = all->words;
    uint64_t occurrences = pv_count_occurrences(all, options.shortest, options.longest);
    size_t blocks = blocks_of(dim);
    uint64_t own = first_block(blocks, rank + 1, members) - first_block(blocks, rank, members);
    /* While they are collected, an n-gram that only one word has costs its entry and its text, in
     * arrays that grow by half while the old ones still exist, two to four slots and its word; in
     * the end at most its word and its offset. */
    uint64_t sorting = occurrences * 144, features = occurrences * 8 + words * 64;
    /* A block of the vectors, of members all of their blocks, and the solution. */
    uint64_t block = words * PV_ROW_BLOCK * sizeof(float);
    uint64_t shared = members == 1 ? 0 : rank == 0 ? block : own * block;
    uint64_t solution = members == 1 ? words * (dim + PV_ROW_BLOCK) * sizeof(float) : own * block;
    /* Such a large table has at most two columns per word. */
    uint64_t work = (uint64_t)threads * words * 5 * PV_ROW_BLOCK * sizeof(float);
    uint64_t table = words * dim * 2 + words * 64;
    if (members > 1) /* the part of a member, and the messages about the scales */
        table += words * 2 * (pv_larger(own, blocks / members + 1) * PV_ROW_BLOCK + 8);
    uint64_t solving = features + shared + solution + (work > table ? work : table);
    return words * 32 + (1 << 19) + (sorting > solving ? sorting : solving);
}

psdvec_status pv_spelling_learn(psdvec_context *ctx, const pv_spelling_options *options,
                                const pv_spelling_words *words, const float *u, uint32_t dim,
                                const uint64_t *counts, pv_spelling **spelling)
{
    psdvec_status status;
    pv_features features = {0};
    pv_scope scope = {.ctx = ctx, .what = "learning from the spelling of words"};
    uint32_t rank = pv_group_rank(ctx), members = pv_group_members(ctx);
    size_t blocks = blocks_of(dim);
    ridge r = {.ctx = ctx,
               .scope = &scope,
               .f = &features,
               .sums = pv_row_sums_best(),
               .u = u,
               .dim = dim,
               .steps = options->steps,
               .tolerance = options->tolerance,
               .lambda = (float)options->lambda,
               .blocks = blocks,
               .first = first_block(blocks, rank, members),
               .end = first_block(blocks, rank + 1, members)};
    float *weights;
    pv_spelling *s = NULL;
    *spelling = NULL;
    PV_TRY(check_options(ctx, options, dim));
    if (pv_group_leads(ctx))
        PV_TRY(check_vectors(ctx, words, u, dim));
    PV_TAKE(&scope, weights, words->words);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_spelling_new(ctx, &s));
    s->table =
        (pv_spelling_table){.dim = dim, .shortest = options->shortest, .longest = options->longest};
    PV_TRY_DONE(make_weights(&scope, counts, words->words, options->weight_power, weights));
    if (r.end > r.first || pv_group_leads(ctx))
        PV_TRY_DONE(pv_features_make(ctx, options, words, dim, &s->scope, &features));
    uint64_t columns = features.columns;
    PV_TRY_DONE(pv_group_agree(ctx, &columns));
    PV_TRY_DONE(share_vectors(&r, words->words));
    PV_TRY_DONE(solve(&r, weights));
    PV_TRY_DONE(make_table(s, &r, (uint32_t)columns));
    if (pv_group_leads(ctx)) {
        *spelling = s;
        s = NULL;
    }
done:
    pv_scope_free(&scope);
    pv_scope_free(&features.scope);
    pv_spelling_free(s);
    return status;
}
