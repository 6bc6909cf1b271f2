/* Ridge regressions, word by word, each with BLAS on matrices that fit the cache. */
#include "solve/regression.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/thread.h"
#include "solve/tall.h"
#include "sparse/columns.h"

#include <math.h>
#include <string.h>

struct pv_regression {
    psdvec_context *ctx;
    pv_scope memory;
    const pv_link *link;
    const uint32_t *row_of;
    size_t core, dim;
    float *V;       /* core x dim: J v_j in the basis where C is diagonal */
    float *P;       /* dim x dim: row k is the k-th direction of that basis; NULL: unchanged */
    float *level;   /* dim: C's diagonal */
    float *pull;    /* dim: sum z_j J v_j, in that basis */
    float *square;  /* core: |v_j|^2 */
    double largest; /* z_j of the core, where it is capped; else 0 */
};

/* Rows of A that are worked on at a time. Few words have more pairs. */
enum { chunk_rows = 1024, words_a_task = 32, most_blocks = 128, first_pairs = 1024 };

/* z_j of the sum over all core words: the background's factors, or 1 where every
 * unseen pair has one weight. */
static double shared_factor(const pv_link *link, uint32_t word)
{
    return link->background > 0 ? link->factor[word] : 1;
}

/* c_w. */
static double word_share(const pv_link *link, uint32_t word)
{
    if (link->background > 0)
        return 2 * link->background * link->factor[word];
    return link->options.unseen_weight;
}

static bool has_shared(const pv_link *link)
{
    return link->background > 0 || link->options.unseen_weight > 0;
}

/* C, its eigenvectors, and everything turned into their basis. */
static psdvec_status set_basis(pv_regression *r)
{
    psdvec_context *ctx = r->ctx;
    size_t n = r->core, dim = r->dim;
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the regression"};
    float *weighted = pv_scope_alloc(&scope, n * dim, sizeof *weighted, false);
    float *ones = pv_scope_alloc(&scope, n, sizeof *ones, false);
    float *change = pv_scope_alloc(&scope, dim * dim, sizeof *change, false);
    double *C = pv_scope_alloc(&scope, dim * dim, sizeof *C, false);
    double *values = pv_scope_alloc(&scope, 2 * dim, sizeof *values, false);
    PV_TAKE(&r->memory, r->P, dim * dim);
    PV_TRY_DONE(pv_scope_status(&r->memory));
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t j = 0; j < n; j++)
        ones[j] = 0;
    for (uint32_t w = 0; w < r->link->words; w++)
        if (r->row_of[w] != UINT32_MAX)
            ones[r->row_of[w]] = (float)shared_factor(r->link, w);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < dim; k++)
            weighted[j * dim + k] = ones[j] * r->V[j * dim + k];
    pv_tall vectors = {r->V, dim, dim};
    PV_TRY_DONE(pv_tall_gram(ctx, n, vectors, (pv_tall){weighted, dim, dim}, NULL, C));
    for (size_t a = 0; a < dim; a++)
        for (size_t b = 0; b < a; b++)
            C[a * dim + b] = C[b * dim + a] = 0.5 * (C[a * dim + b] + C[b * dim + a]);
    PV_TRY_DONE(pv_symmetric_eigen(ctx, C, values, dim));
    for (size_t k = 0; k < dim; k++) {
        r->level[k] = (float)(values[k] > 0 ? values[k] : 0);
        for (size_t a = 0; a < dim; a++) {
            r->P[k * dim + a] = (float)C[k * dim + a];
            change[a * dim + k] = (float)C[k * dim + a];
        }
    }
    PV_TRY_DONE(pv_tall_transform(ctx, n, r->V, dim, dim, change, dim));
    double *sum = values + dim;
    PV_TRY_DONE(pv_tall_gram(ctx, n, vectors, (pv_tall){ones, 1, 1}, NULL, sum));
    for (size_t k = 0; k < dim; k++)
        r->pull[k] = (float)sum[k];
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_regression_open(const pv_link *link, const float *vectors, size_t core_count,
                                 size_t dim, const float *sign, const uint32_t *row_of,
                                 pv_regression **out)
{
    psdvec_context *ctx = link->ctx;
    pv_regression *r = pv_alloc_zero(ctx, 1, sizeof *r, "the regression");
    *out = r;
    if (!r)
        return pv_failure(ctx);
    *r = (pv_regression){.ctx = ctx,
                         .memory = {.ctx = ctx, .what = "the regression"},
                         .link = link,
                         .row_of = row_of,
                         .core = core_count,
                         .dim = dim};
    PV_TAKE(&r->memory, r->V, core_count * dim);
    PV_TAKE_ZERO(&r->memory, r->level, dim);
    PV_TAKE_ZERO(&r->memory, r->square, core_count);
    PV_TAKE_ZERO(&r->memory, r->pull, dim);
    PV_TRY(pv_scope_status(&r->memory));
    for (size_t j = 0; j < core_count; j++)
        for (size_t k = 0; k < dim; k++)
            r->V[j * dim + k] = sign[k] * vectors[j * dim + k];
    for (size_t j = 0; j < core_count; j++)
        r->square[j] = cblas_sdot((int)dim, r->V + j * dim, 1, r->V + j * dim, 1);
    for (uint32_t w = 0; w < link->words && link->background_only_unseen; w++)
        if (row_of[w] != UINT32_MAX && link->factor[w] > r->largest)
            r->largest = link->factor[w];
    return has_shared(link) ? set_basis(r) : PSDVEC_OK;
}

void pv_regression_close(pv_regression *r)
{
    if (!r)
        return;
    pv_scope_free(&r->memory);
    pv_free(r->ctx, r);
}

/* ---- One word -------------------------------------------------------------------- */
typedef struct seen_pair {
    uint32_t row; /* of V */
    float weight; /* f */
    float target; /* g */
} seen_pair;

typedef struct scratch {
    pv_scope memory;
    seen_pair *pairs;
    size_t pair_room;
    float *A;                          /* chunk_rows x dim */
    float *K;                          /* the larger of dim and chunk_rows, squared */
    float *base;                       /* dim: c_w C + mu, the diagonal */
    float *solution, *residual, *work; /* dim each */
    float *dual;                       /* chunk_rows */
} scratch;

static psdvec_status scratch_open(pv_regression *r, scratch *s)
{
    size_t side = r->dim > chunk_rows ? r->dim : chunk_rows;
    *s = (scratch){.memory = {.ctx = r->ctx, .what = "a regression"}, .pair_room = first_pairs};
    PV_TAKE(&s->memory, s->pairs, s->pair_room);
    PV_TAKE(&s->memory, s->A, chunk_rows * r->dim);
    PV_TAKE(&s->memory, s->K, side * side);
    PV_TAKE(&s->memory, s->base, 4 * r->dim + chunk_rows);
    PV_TRY(pv_scope_status(&s->memory));
    s->solution = s->base + r->dim;
    s->residual = s->solution + r->dim;
    s->work = s->residual + r->dim;
    s->dual = s->work + r->dim;
    return PSDVEC_OK;
}

/* A's rows first .. : sqrt|f| J v_j, divided by sqrt(base) in the dual form. Gives their
 * number. */
static size_t fill_rows(const pv_regression *r, const scratch *s, size_t pairs, size_t first,
                        const float *column_scale)
{
    size_t rows = pairs - first < chunk_rows ? pairs - first : chunk_rows, dim = r->dim;
    for (size_t t = 0; t < rows; t++) {
        const seen_pair *pair = &s->pairs[first + t];
        const float *v = r->V + (size_t)pair->row * dim;
        float root = sqrtf(fabsf(pair->weight)), *a = s->A + t * dim;
        if (column_scale)
            for (size_t k = 0; k < dim; k++)
                a[k] = root * v[k] * column_scale[k];
        else
            for (size_t k = 0; k < dim; k++)
                a[k] = root * v[k];
    }
    return rows;
}

/* s->dual[t] = sqrt|f| (g - v'x) for the rows of A from pair `first` on; A x is `sqrt|f| v'x`. */
static void set_misses(const scratch *s, size_t first, size_t rows, size_t dim, const float *x)
{
    for (size_t t = 0; t < rows; t++) {
        const seen_pair *pair = &s->pairs[first + t];
        s->dual[t] = sqrtf(fabsf(pair->weight)) * pair->target;
    }
    if (rows > 0)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)rows, (int)dim, -1, s->A, (int)dim, x, 1, 1,
                    s->dual, 1);
}

/* to += sum over pairs of f (g - v'x) J v. A has the rows already if there is but one chunk. */
static void add_gradient(const pv_regression *r, const scratch *s, size_t pairs, const float *x,
                         float *to)
{
    for (size_t first = 0; first < pairs; first += chunk_rows) {
        size_t rows = pairs <= chunk_rows ? pairs : fill_rows(r, s, pairs, first, NULL);
        set_misses(s, first, rows, r->dim, x);
        for (size_t t = 0; t < rows; t++)
            if (s->pairs[first + t].weight < 0)
                s->dual[t] = -s->dual[t];
        cblas_sgemv(CblasRowMajor, CblasTrans, (int)rows, (int)r->dim, 1, s->A, (int)r->dim,
                    s->dual, 1, 1, to, 1);
    }
}

typedef struct equations {
    const pv_regression *r;
    scratch *s;
    size_t pairs;
    bool dual;
    double log_det;
} equations;

static bool factor_primal(equations *e)
{
    scratch *s = e->s;
    size_t dim = e->r->dim;
    memset(s->K, 0, dim * dim * sizeof *s->K);
    for (size_t first = 0; first < e->pairs; first += chunk_rows) {
        size_t rows = fill_rows(e->r, s, e->pairs, first, NULL);
        /* Pairs with a negative weight, which only corrections of the shared part have, are
         * subtracted; they are few, and come in runs of one. */
        for (size_t t = 0; t < rows;) {
            bool negative = s->pairs[first + t].weight < 0;
            size_t run = t;
            while (run < rows && (s->pairs[first + run].weight < 0) == negative)
                run++;
            cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, (int)dim, (int)(run - t),
                        negative ? -1 : 1, s->A + t * dim, (int)dim, 1, s->K, (int)dim);
            t = run;
        }
    }
    for (size_t k = 0; k < dim; k++)
        s->K[k * dim + k] += s->base[k];
    if (!pv_cholesky(s->K, dim, dim))
        return false;
    e->log_det = 0;
    for (size_t k = 0; k < dim; k++)
        e->log_det += 2 * log(s->K[k * dim + k]);
    return true;
}

/* K = I + A base^-1 A'; what is left in A is A base^-½. */
static bool factor_dual(equations *e)
{
    scratch *s = e->s;
    size_t dim = e->r->dim, m = e->pairs;
    e->log_det = 0;
    for (size_t k = 0; k < dim; k++) {
        s->work[k] = 1 / sqrtf(s->base[k]);
        e->log_det += log(s->base[k]);
    }
    if (m == 0) /* BLAS would complain */
        return true;
    fill_rows(e->r, s, m, 0, s->work);
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)m, (int)dim, 1, s->A, (int)dim, 0,
                s->K, (int)m);
    for (size_t t = 0; t < m; t++)
        s->K[t * m + t] += 1;
    if (!pv_cholesky(s->K, m, m))
        return false;
    for (size_t t = 0; t < m; t++)
        e->log_det += 2 * log(s->K[t * m + t]);
    return true;
}

/* x += H^-1 b in the primal form, and in the dual form x += H^-1 (b + A'y), y being s->dual. b
 * and y are used up. That y is not multiplied with A' first makes all the difference where
 * the prior is small: A'y lies where H is large, and in H^-1 A'y nearly all would cancel. */
static void add_solution(equations *e, float *b, float *x)
{
    scratch *s = e->s;
    int dim = (int)e->r->dim, m = (int)e->pairs;
    if (!e->dual) {
        cblas_strsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, dim, s->K, dim, b, 1);
        cblas_strsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, dim, s->K, dim, b, 1);
        cblas_saxpy(dim, 1, b, 1, x, 1);
        return;
    }
    /* D (b' + A' K^-1 (y - A b')), with b' = D b, D = base^-½, and A as factor_dual left it. */
    for (int k = 0; k < dim; k++)
        b[k] /= sqrtf(s->base[k]);
    if (m > 0) {
        cblas_sgemv(CblasRowMajor, CblasNoTrans, m, dim, -1, s->A, dim, b, 1, 1, s->dual, 1);
        cblas_strsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, m, s->K, m, s->dual, 1);
        cblas_strsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, m, s->K, m, s->dual, 1);
        cblas_sgemv(CblasRowMajor, CblasTrans, m, dim, 1, s->A, dim, s->dual, 1, 1, b, 1);
    }
    for (int k = 0; k < dim; k++)
        x[k] += b[k] / sqrtf(s->base[k]);
}

/* What is still missing at s->solution: of the shared part and the prior in s->residual, of the
 * pairs there too, or in the dual form in s->dual. */
static void set_residual(const equations *e, float level)
{
    const pv_regression *r = e->r;
    scratch *s = e->s;
    for (size_t k = 0; k < r->dim; k++)
        s->residual[k] = level * r->pull[k] - s->base[k] * s->solution[k];
    if (!e->dual) {
        add_gradient(r, s, e->pairs, s->solution, s->residual);
        return;
    }
    /* A is divided by sqrt(base) here, so what it is multiplied with is not. */
    for (size_t k = 0; k < r->dim; k++)
        s->work[k] = s->solution[k] * sqrtf(s->base[k]);
    set_misses(s, 0, e->pairs, r->dim, s->work);
}

/* Without a prior a word with few pairs has no unique solution; the shortest one is approximated
 * by a prior much weaker than the pairs. */
static void set_base(const pv_regression *r, scratch *s, size_t pairs, double share, double mu)
{
    double trace = 0;
    for (size_t t = 0; t < pairs; t++)
        trace += fabsf(s->pairs[t].weight) * r->square[s->pairs[t].row];
    double least = 1e-5 * trace / (double)r->dim;
    for (size_t k = 0; k < r->dim; k++) {
        double base = share * r->level[k] + mu;
        s->base[k] = (float)(base > least ? base : least > 0 ? least : 1);
    }
}

static psdvec_status solve_word(pv_regression *r, scratch *s, uint32_t word, size_t pairs,
                                double mu, float *out, float *spread)
{
    size_t dim = r->dim;
    double share = has_shared(r->link) ? word_share(r->link, word) : 0;
    set_base(r, s, pairs, share, mu);
    equations e = {.r = r, .s = s, .pairs = pairs};
    e.dual = pairs < dim && pairs <= chunk_rows;
    for (size_t t = 0; t < pairs && e.dual; t++)
        e.dual = s->pairs[t].weight > 0;
    float level = (float)(r->link->background > 0 ? share * r->link->background_target : 0);
    for (size_t k = 0; k < dim; k++)
        s->solution[k] = 0;
    bool fine = e.dual ? factor_dual(&e) : factor_primal(&e);
    /* The second time refines: it wins back what single precision lost. */
    for (int pass = 0; pass < 2 && fine; pass++) {
        set_residual(&e, level);
        add_solution(&e, s->residual, s->solution);
    }
    if (r->P)
        cblas_sgemv(CblasRowMajor, CblasTrans, (int)dim, (int)dim, 1, r->P, (int)dim, s->solution,
                    1, 0, out, 1);
    else
        memcpy(out, s->solution, dim * sizeof *out);
    for (size_t k = 0; k < dim; k++)
        fine = fine && isfinite(out[k]);
    if (!fine) {
        size_t length;
        const char *text = psdvec_counts_word(r->link->counts, word, &length);
        return pv_fail(r->ctx, PSDVEC_ERR_NUMERIC,
                       "the regression of the word \"%.*s\" on %zu core words has no finite "
                       "solution; a larger `mu` may help",
                       (int)length, text, pairs);
    }
    if (spread)
        *spread = (float)(sqrt(0.5) * exp(-e.log_det / (2 * (double)dim)));
    return PSDVEC_OK;
}

/* ---- Gathering a word's pairs ------------------------------------------------------- */
typedef struct solve_job {
    pv_regression *r;
    const uint32_t *words;
    size_t count;
    const double *mu;
    float *out, *spread;
    scratch *scratch; /* of each worker */
    pv_column_blocks blocks;
    pv_progress progress;
} solve_job;

static psdvec_status add_pair(pv_regression *r, scratch *s, size_t *pairs, uint32_t word,
                              uint32_t other, uint64_t after, uint64_t before)
{
    const pv_link *link = r->link;
    if (r->row_of[other] == UINT32_MAX || other == word)
        return PSDVEC_OK;
    if (*pairs == s->pair_room) {
        PV_GROW(&s->memory, s->pairs, 2 * s->pair_room);
        PV_TRY(pv_scope_status(&s->memory));
        s->pair_room *= 2;
    }
    pv_pair pair = pv_link_pair(link, word, other, pv_link_count(link, word, other, after),
                                pv_link_count(link, other, word, before));
    double weight = 2 * pair.weight, pull = weight * pair.target;
    if (link->background <= 0)
        weight -= link->options.unseen_weight;
    if (weight == 0)
        return PSDVEC_OK;
    s->pairs[(*pairs)++] = (seen_pair){r->row_of[other], (float)weight, (float)(pull / weight)};
    return PSDVEC_OK;
}

/* The seen pairs of a word, and if there may be any, those unseen whose weight is cut off, so that
 * the shared part says too much. */
static psdvec_status gather_word(pv_regression *r, scratch *s, pv_pair_row row, size_t *pairs)
{
    const pv_link *link = r->link;
    uint32_t word = row.i;
    bool capped = link->background * link->factor[word] * r->largest > 1;
    uint32_t next = capped ? 0 : link->words;
    *pairs = 0;
    for (bool more = true; more;) {
        more = pv_pair_next(&row);
        uint32_t end = more ? row.j : link->words;
        for (; next < end; next++)
            if (pv_link_background(link, word, next) > 1)
                PV_TRY(add_pair(r, s, pairs, word, next, 0, 0));
        if (more)
            PV_TRY(add_pair(r, s, pairs, word, row.j, row.xij, row.xji));
        next += next == end;
    }
    return PSDVEC_OK;
}

static psdvec_status solve_row(void *arg, pv_pair_row row, int worker)
{
    solve_job *job = arg;
    pv_regression *r = job->r;
    scratch *s = &job->scratch[worker];
    size_t at = pv_lower_bound(job->words, job->count, row.i), pairs;
    if (at == job->count || job->words[at] != row.i)
        return PSDVEC_OK;
    if (!s->pairs)
        PV_TRY(scratch_open(r, s));
    PV_TRY(gather_word(r, s, row, &pairs));
    PV_TRY(solve_word(r, s, row.i, pairs, job->mu[at], job->out + at * r->dim,
                      job->spread ? job->spread + at : NULL));
    pv_progress_add(&job->progress, 1);
    return pv_check_cancel(r->ctx);
}

psdvec_status pv_regression_solve(pv_regression *r, const uint32_t *words, size_t count,
                                  const double *mu, float *out, float *spread)
{
    if (count == 0)
        return PSDVEC_OK;
    solve_job job = {
        .r = r, .words = words, .count = count, .mu = mu, .out = out, .spread = spread};
    /* Only rows of core words count; in training they come first. */
    uint32_t last = r->link->words;
    while (last > 0 && r->row_of[last - 1] == UINT32_MAX)
        last--;
    pv_csr rows = r->link->counts->rows;
    rows.rows = last;
    size_t blocks = (count + words_a_task - 1) / words_a_task;
    if (blocks > most_blocks)
        blocks = most_blocks;
    psdvec_status status;
    int workers = psdvec_threads(r->ctx);
    job.scratch = pv_alloc_zero(r->ctx, (size_t)workers, sizeof *job.scratch, "a regression");
    if (!job.scratch)
        return pv_failure(r->ctx);
    pv_progress_begin(&job.progress, r->ctx, "regressing", "words", count);
    PV_TRY_DONE(pv_column_blocks_make(r->ctx, rows, words[0], words[count - 1] + 1,
                                      (uint32_t)blocks, &job.blocks));
    pv_pair_walk walk = {.blocks = &job.blocks, .on_row = solve_row, .arg = &job};
    PV_TRY_DONE(pv_walk_pairs(r->ctx, &walk));
done:
    for (int w = 0; w < workers; w++)
        pv_scope_free(&job.scratch[w].memory);
    pv_free(r->ctx, job.scratch);
    pv_column_blocks_free(&job.blocks);
    pv_progress_end(&job.progress);
    return status;
}

uint64_t pv_regression_bytes(uint64_t core_count, uint64_t dim, uint64_t words, uint64_t bigrams,
                             int threads)
{
    uint64_t kept = sizeof(pv_regression) +
                    (core_count * (dim + 1) + 2 * dim + dim * dim) * sizeof(float);
    uint64_t basis = (core_count * (dim + 1) + dim * dim) * sizeof(float) +
                     (dim + 2) * dim * sizeof(double) +
                     pv_larger(pv_tall_gram_bytes(core_count, dim, dim),
                               pv_larger(pv_symmetric_eigen_bytes(dim),
                                         pv_tall_transform_bytes(core_count, dim, threads)));
    /* A list of pairs doubles as it grows, and then both stand beside each other. */
    uint64_t side = pv_larger(dim, chunk_rows), pairs = 3 * pv_larger(core_count, first_pairs);
    uint64_t scratch_bytes = pairs * sizeof(seen_pair) +
                             (chunk_rows * dim + side * side + 4 * dim + chunk_rows) *
                                 sizeof(float);
    uint64_t solving = pv_column_blocks_bytes(core_count, words, most_blocks, threads) +
                       pv_gather_bytes(core_count, words, bigrams, most_blocks, threads) +
                       (uint64_t)threads * scratch_bytes;
    return kept + pv_larger(basis, solving);
}
