/* Conjugate gradients, block of dimensions by block.
 *
 * A block is a task of its own, and within it each dimension has its own step lengths, so
 * neither threads nor neighbours change a bit. The matrix is used as two passes of sums of
 * rows, by columns and back by rows; all numbers stand outside the sums, so there is nothing
 * to multiply inside. The weights are on both sides of the matrix (and not 1/w beside
 * lambda) because so its smallest eigenvalue is lambda, and fewer steps suffice.
 *
 * Costs, for n words, G columns, e entries: 2 e dim additions a step and, for each worker,
 * 32 (3 n + G) numbers, which must stay in the cache for full speed; the solution is
 * another n dim.
 */
#include "spelling/ridge.h"

#include "base/progress.h"
#include "base/thread.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { B = PV_ROW_BLOCK };

/* What one worker needs. Rows of B. */
typedef struct workspace {
    float *residual;  /* words */
    float *direction; /* words */
    float *image;     /* words: first the direction times r, then the matrix times it */
    float *columns;   /* columns */
} workspace;

typedef struct ridge {
    psdvec_context *ctx;
    const pv_features *f;
    const pv_row_sums *sums;
    const float *u;
    uint32_t dim, steps;
    float lambda;
    float *root;   /* words: sqrt(w), 0 for a word without columns */
    float *factor; /* words: r */
    float *solution;
    size_t blocks;
    _Atomic size_t next_block;
    size_t workspaces;
    float *work;
    size_t work_size; /* numbers of one workspace */
    pv_progress progress;
} ridge;

/* Sums of B columns over many rows: in single precision over a few, then in double. */
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

/* image = matrix * direction; gives direction . image. */
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

/* x += alpha * direction, residual -= alpha * image; gives the residual's squares. */
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
    for (size_t i = 0; i < r->f->words; i++) {
        const float *u = r->u + i * r->dim + first;
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

static psdvec_status solve_block(ridge *r, const workspace *w, size_t block)
{
    float *x = r->solution + block * r->f->words * B;
    float alpha[B], beta[B] = {0};
    double squares[B], enough[B], product[B], left[B];
    uint32_t taken = 0;
    begin_block(r, w, block, x, squares);
    for (int k = 0; k < B; k++)
        enough[k] = 1e-8 * squares[k];
    for (; taken < r->steps; taken++) {
        bool going = false;
        PV_TRY(pv_check_cancel(r->ctx));
        for (int k = 0; k < B; k++) {
            if (!isfinite(squares[k]))
                return pv_fail(r->ctx, PSDVEC_ERR_NUMERIC,
                               "learning from the spelling of words led to numbers that are not "
                               "finite; scale the vectors down");
            going |= squares[k] > enough[k];
        }
        if (!going)
            break;
        turn(r, w, beta);
        multiply(r, w, product);
        /* A dimension that is done stands still until the others are. */
        for (int k = 0; k < B; k++)
            alpha[k] = squares[k] > enough[k] && product[k] > 0 ? (float)(squares[k] / product[k])
                                                                : 0;
        step(r, w, alpha, x, left);
        for (int k = 0; k < B; k++) {
            beta[k] = alpha[k] > 0 ? (float)(left[k] / squares[k]) : 0;
            squares[k] = left[k];
        }
        pv_progress_add(&r->progress, 1);
    }
    pv_progress_add(&r->progress, r->steps - taken);
    for (size_t i = 0; i < r->f->words; i++)
        for (int k = 0; k < B; k++)
            x[i * B + (size_t)k] *= r->factor[i];
    return PSDVEC_OK;
}

/* One workspace takes blocks until there are no more. */
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
        if (block >= r->blocks)
            return PSDVEC_OK;
        PV_TRY(solve_block(r, &w, block));
    }
}

/* As many workspaces as there are threads, or as memory allows. */
static psdvec_status allocate(ridge *r)
{
    static const char what[] = "learning from the spelling of words";
    size_t words = r->f->words;
    r->work_size = (3 * words + r->f->columns) * B;
    r->blocks = ((size_t)r->dim + B - 1) / B;
    r->root = pv_alloc(r->ctx, words, sizeof *r->root, what);
    r->factor = pv_alloc(r->ctx, words, sizeof *r->factor, what);
    r->solution = pv_alloc(r->ctx, r->blocks * B, words * sizeof *r->solution, what);
    if (!r->root || !r->factor || !r->solution)
        return pv_failure(r->ctx);
    r->workspaces = (size_t)psdvec_threads(r->ctx);
    if (r->workspaces > r->blocks)
        r->workspaces = r->blocks;
    for (; r->workspaces > 1; r->workspaces--) {
        r->work = pv_alloc(r->ctx, r->workspaces, r->work_size * sizeof *r->work, NULL);
        if (r->work)
            return PSDVEC_OK;
    }
    r->work = pv_alloc(r->ctx, r->work_size, sizeof *r->work, what);
    return r->work ? PSDVEC_OK : pv_failure(r->ctx);
}

psdvec_status pv_ridge_solve(psdvec_context *ctx, const pv_features *features, const float *weights,
                             const float *u, uint32_t dim, double lambda, uint32_t steps,
                             pv_ridge_solution *solution)
{
    psdvec_status status;
    ridge r = {.ctx = ctx,
               .f = features,
               .sums = pv_row_sums_best(),
               .u = u,
               .dim = dim,
               .steps = steps,
               .lambda = (float)lambda};
    *solution = (pv_ridge_solution){0};
    PV_TRY_DONE(allocate(&r));
    for (size_t i = 0; i < features->words; i++) {
        double total = (double)features->total[i];
        r.root[i] = total > 0 ? sqrtf(weights[i]) : 0;
        r.factor[i] = total > 0 ? (float)sqrt((double)weights[i] / total) : 0;
    }
    pv_progress_begin(&r.progress, ctx, "spelling", "steps", (uint64_t)r.blocks * steps);
    PV_TRY_DONE(pv_parallel_tasks(ctx, r.workspaces, solve_blocks, &r));
    pv_progress_end(&r.progress);
    *solution = (pv_ridge_solution){.blocks = r.blocks, .numbers = r.solution};
    r.solution = NULL;
done:
    pv_free(ctx, r.root);
    pv_free(ctx, r.factor);
    pv_free(ctx, r.solution);
    pv_free(ctx, r.work);
    return status;
}

void pv_ridge_free(psdvec_context *ctx, pv_ridge_solution *solution)
{
    pv_free(ctx, solution->numbers);
    *solution = (pv_ridge_solution){0};
}
