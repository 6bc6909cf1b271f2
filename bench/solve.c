/* Measures the parts of solving the core: how long each takes, and the lower bounds given by the
 * machine's matrix product and memory bandwidth.
 *
 *     solve [-p default|paper] [-d DIM] [-c CORE,CORE,...] [-t THREADS] [-r REPEAT] COUNTS
 *
 *     -p   weights, targets and form of this preset (default)
 *     -d   dimensions; 0: the preset's
 *     -c   sizes of the core, in increasing order
 *          (5000,10000,20000,all); sizes beyond the vocabulary are skipped. All are
 *          compared, to show how time grows; the last is analysed in detail
 *     -t   threads; 0: all cores
 *     -r   rounds in which each part is timed in turn; the best is used (5)
 *
 * The vectors are random, because the time of no part depends on them. Prints Markdown.
 */
#include "limits.h"

#include "base/random.h"
#include "solve/eigen.h"
#include "solve/pair_products.h"
#include "solve/sum_matrix.h"
#include "solve/tall.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CORES = 16, SGEMM_SIDE = 2048, READ_TASKS = 32, LINE = 64, MOST_ROUNDS = 1000 };

typedef struct setting {
    const char *counts;
    psdvec_preset preset;
    uint32_t dim;
    uint32_t cores[MOST_CORES]; /* 0: all */
    size_t core_count;
    int threads, repeat;
} setting;

/* The data that the parts work on. */
typedef struct problem {
    psdvec_context *ctx;
    psdvec_train_options options;
    pv_link *link;
    pv_pairs *pairs;
    pv_core *core;
    size_t n, k; /* k: columns of a product, as in the eigensolver */
    float *X, *Y;
    float *coefficients; /* two times stride */
    pv_sum_matrix sparse, half, step;
    size_t basis; /* columns of the basis of the eigensolver */
    float *Q;     /* n x basis */
    float *square;
    double *inner;
    pv_tall_workspace workspace;
    uint64_t head_cells, tail_entries, head_pairs_inside;
    uint64_t seen; /* so that reads are not optimised away */
} problem;

/* ---- The parts ------------------------------------------------------------------------ */
static void block_of(const problem *p, size_t task, uint32_t *first, uint32_t *end)
{
    *first = (uint32_t)task * PV_HEAD_ROWS;
    *end = p->n - *first < PV_HEAD_ROWS ? (uint32_t)p->n : *first + PV_HEAD_ROWS;
}

/* As in sum_matrix.c, except for the parts that are omitted. */
static psdvec_status head_rows(void *arg, size_t task, int worker)
{
    problem *p = arg;
    const pv_pairs *pairs = p->pairs;
    uint32_t first, end, width = pairs->head_width[task];
    (void)worker;
    block_of(p, task, &first, &end);
    if (width == 0)
        return PSDVEC_OK;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(end - first), (int)p->k,
                (int)width, 1, pairs->head + pairs->head_begin[task], (int)width, p->X, (int)p->k,
                0, p->Y + (size_t)first * p->k, (int)p->k);
    return PSDVEC_OK;
}

static psdvec_status tail_rows(void *arg, size_t task, int worker)
{
    problem *p = arg;
    const pv_pairs *pairs = p->pairs;
    uint32_t first, end;
    (void)worker;
    block_of(p, task, &first, &end);
    memset(p->Y + (size_t)first * p->k, 0, (end - first) * p->k * sizeof *p->Y);
    for (uint32_t i = first; i < end; i++) {
        uint64_t tail = pv_pairs_tail(pairs, i);
        p->core->kernels->row_product(pairs->matrix.column + tail, pairs->matrix.value + tail,
                                      (size_t)(pairs->matrix.begin[i + 1] - tail), p->X, p->k,
                                      p->Y + (size_t)i * p->k);
    }
    return PSDVEC_OK;
}

/* Reads one element of every cache line of the rows that tail_rows reads, in its order. */
static psdvec_status touch_rows(void *arg, size_t task, int worker)
{
    enum { ahead = 12 };
    problem *p = arg;
    const pv_pairs *pairs = p->pairs;
    uint32_t first, end;
    size_t row_bytes = p->k * sizeof(float);
    const char *X = (const char *)p->X;
    uint64_t sum = 0;
    (void)worker;
    block_of(p, task, &first, &end);
    for (uint32_t i = first; i < end; i++)
        for (uint64_t t = pv_pairs_tail(pairs, i); t < pairs->matrix.begin[i + 1]; t++) {
            uint64_t next = t + ahead < pairs->matrix.begin[i + 1] ? t + ahead : t;
            const char *row = X + pairs->matrix.column[t] * row_bytes;
            const char *later = X + pairs->matrix.column[next] * row_bytes;
            for (size_t b = 0; b < row_bytes; b += LINE) {
                __builtin_prefetch(later + b);
                sum += *(const uint32_t *)(const void *)(row + b);
            }
        }
    __atomic_fetch_add(&p->seen, sum, __ATOMIC_RELAXED);
    return PSDVEC_OK;
}

/* The same for all of X, in memory order; each task reads all of it, as each worker does in a
 * product. */
static psdvec_status read_rows(void *arg, size_t task, int worker)
{
    problem *p = arg;
    const char *X = (const char *)p->X;
    size_t bytes = p->n * p->k * sizeof(float) / LINE * LINE;
    uint64_t sum = 0;
    (void)worker;
    (void)task;
    for (size_t b = 0; b < bytes; b += LINE)
        sum += *(const uint32_t *)(const void *)(X + b);
    __atomic_fetch_add(&p->seen, sum, __ATOMIC_RELAXED);
    return PSDVEC_OK;
}

static psdvec_status part_head(problem *p)
{
    return pv_parallel_tasks(p->ctx, p->pairs->head_blocks, head_rows, p);
}
static psdvec_status part_tail(problem *p)
{
    return pv_parallel_tasks(p->ctx, p->pairs->head_blocks, tail_rows, p);
}
static psdvec_status part_touch(problem *p)
{
    return pv_parallel_tasks(p->ctx, p->pairs->head_blocks, touch_rows, p);
}
static psdvec_status part_read(problem *p)
{
    return pv_parallel_tasks(p->ctx, READ_TASKS, read_rows, p);
}
static psdvec_status part_sparse(problem *p)
{
    pv_operator matrix = pv_sum_matrix_operator(&p->sparse);
    return matrix.apply(matrix.self, p->X, p->Y, p->k);
}
static psdvec_status part_half(problem *p)
{
    pv_operator matrix = pv_sum_matrix_operator(&p->half);
    return matrix.apply(matrix.self, p->X, p->Y, p->k);
}
static psdvec_status part_step(problem *p)
{
    pv_operator matrix = pv_sum_matrix_operator(&p->step);
    return matrix.apply(matrix.self, p->X, p->Y, p->k);
}
static psdvec_status part_gram(problem *p)
{
    return pv_tall_gram(p->ctx, p->n, (pv_tall){p->Q, p->basis, p->basis, NULL},
                        (pv_tall){p->X, p->k, p->k, NULL}, &p->workspace, p->inner);
}
static psdvec_status part_multiply(problem *p)
{
    return pv_tall_multiply(p->ctx, p->n, 1, (pv_tall){p->Q, p->basis, p->basis, NULL}, p->square,
                            p->k, 0, p->Y, p->k);
}
static psdvec_status part_transform(problem *p)
{
    return pv_tall_transform(p->ctx, p->n, p->Q, p->basis, p->basis, NULL, p->square, p->basis);
}
static psdvec_status part_products(problem *p)
{
    return pv_products_on_pairs(p->core);
}
static psdvec_status part_residual(problem *p)
{
    double objective;
    return pv_core_residual(p->core, &objective);
}

typedef enum part_name {
    HEAD,
    TAIL,
    TOUCH,
    READ,
    SPARSE,
    HALF,
    STEP,
    GRAM,
    MULTIPLY,
    TRANSFORM,
    PRODUCTS,
    RESIDUAL,
    PARTS
} part_name;

static psdvec_status (*const part_run[PARTS])(problem *) = {
    part_head, part_tail, part_touch,    part_read,      part_sparse,   part_half,
    part_step, part_gram, part_multiply, part_transform, part_products, part_residual};

/* The best seconds of each part; the residual comes last, because it restores the values. */
static psdvec_status time_parts(problem *p, int repeat, double *seconds)
{
    for (int part = 0; part < PARTS; part++)
        seconds[part] = 1e30;
    for (int round = 0; round < repeat; round++)
        for (int part = 0; part < PARTS; part++) {
            double began = pv_now();
            PV_TRY(part_run[part](p));
            double took = pv_now() - began;
            seconds[part] = took < seconds[part] ? took : seconds[part];
        }
    return PSDVEC_OK;
}

/* ---- The problem ------------------------------------------------------------------------ */
static void fill(float *numbers, size_t count, uint64_t purpose, double scale)
{
    /* Repeating a few thousand numbers is sufficient, and fast. */
    enum { period = 4099 };
    for (size_t i = 0; i < count && i < period; i++)
        numbers[i] = (float)(scale * (pv_random_unit(7, purpose, i) - 0.5));
    for (size_t i = period; i < count; i++)
        numbers[i] = numbers[i - period];
}

static psdvec_status allocate(problem *p)
{
    psdvec_context *ctx = p->ctx;
    pv_eigen_options eigen;
    pv_eigen_options_default(&eigen, p->core->rank);
    p->k = eigen.block;
    p->basis = pv_eigen_basis(&eigen, p->n);
    p->X = pv_alloc(ctx, p->n * p->k, sizeof *p->X, "columns");
    p->Y = pv_alloc(ctx, p->n * p->k, sizeof *p->Y, "columns");
    p->Q = pv_alloc(ctx, p->n * p->basis, sizeof *p->Q, "a basis");
    p->square = pv_alloc_zero(ctx, p->basis * p->basis, sizeof *p->square, "a square");
    p->inner = pv_alloc(ctx, p->basis * p->k, sizeof *p->inner, "inner products");
    p->coefficients = pv_alloc(ctx, 2 * p->core->stride, sizeof *p->coefficients, "coefficients");
    if (!p->X || !p->Y || !p->Q || !p->square || !p->inner || !p->coefficients)
        return pv_failure(ctx);
    fill(p->X, p->n * p->k, 1, 1);
    fill(p->Q, p->n * p->basis, 2, 1);
    for (size_t i = 0; i < p->basis; i++) /* values do not change over the rounds */
        p->square[i * p->basis + i] = 1;
    return PSDVEC_OK;
}

/* The matrix of a step other than the first, as in algorithm1.c, and its sparse part. */
static void set_matrices(problem *p)
{
    pv_core *core = p->core;
    float *own = p->coefficients, *constant = own + core->stride;
    p->sparse = (pv_sum_matrix){.ctx = p->ctx,
                                .kernels = core->kernels,
                                .pairs = p->pairs,
                                .sparse_factor = (float)p->options.relaxation,
                                .diagonal = core->diagonal};
    p->half = p->sparse;
    p->half.half = true;
    p->step = p->half;
    for (size_t c = 0; c < core->rank; c++)
        own[c] = constant[c] = core->sign[c];
    pv_sum_matrix_add(&p->step, (pv_low_rank){core->U, core->stride, core->rank, own, NULL});
    if (core->level)
        pv_sum_matrix_add(&p->step, (pv_low_rank){core->level, 1, 1, constant, NULL});
    if (core->ratio)
        pv_sum_matrix_add(&p->step,
                          (pv_low_rank){core->U, core->stride, core->rank, own, core->ratio});
}

static psdvec_status open_problem(psdvec_context *ctx, const psdvec_counts *counts,
                                  const setting *s, uint32_t core_words, problem *p)
{
    *p = (problem){.ctx = ctx};
    psdvec_train_options_preset(&p->options, s->preset, NULL);
    p->options.core = core_words;
    if (s->dim > 0)
        p->options.dim = s->dim;
    PV_TRY(psdvec_train_options_check(ctx, &p->options));
    PV_TRY(pv_link_open(ctx, counts, &p->options, NULL, &p->link));
    PV_TRY(pv_pairs_make(p->link, NULL, ".", UINT64_MAX, false, &p->pairs));
    p->n = p->pairs->matrix.rows;
    size_t rank = p->options.dim < p->n ? p->options.dim : p->n;
    PV_TRY(pv_core_open(p->link, p->pairs, rank, &p->core));
    p->core->rank = rank;
    for (size_t c = 0; c < rank; c++)
        p->core->sign[c] = 1;
    PV_TRY(allocate(p));
    fill(p->core->U, p->n * p->core->stride, 3, 0.1);
    for (size_t i = 0; i < p->n; i++) /* columns beyond the rank must be 0 */
        for (size_t c = rank; c < p->core->stride; c++)
            p->core->U[i * p->core->stride + c] = 0;
    set_matrices(p);
    for (uint32_t b = 0; b < p->pairs->head_blocks; b++) {
        uint32_t first, end;
        block_of(p, b, &first, &end);
        p->head_cells += (uint64_t)(end - first) * p->pairs->head_width[b];
        for (uint32_t i = first; i < end; i++) {
            p->head_pairs_inside += pv_pairs_tail(p->pairs, i) - p->pairs->matrix.begin[i];
            p->tail_entries += p->pairs->matrix.begin[i + 1] - pv_pairs_tail(p->pairs, i);
        }
    }
    return part_residual(p);
}

static void close_problem(problem *p)
{
    psdvec_context *ctx = p->ctx;
    pv_sum_matrix_close(&p->step);
    pv_sum_matrix_close(&p->half);
    pv_sum_matrix_close(&p->sparse);
    pv_tall_workspace_free(ctx, &p->workspace);
    pv_free(ctx, p->coefficients);
    pv_free(ctx, p->inner);
    pv_free(ctx, p->square);
    pv_free(ctx, p->Q);
    pv_free(ctx, p->Y);
    pv_free(ctx, p->X);
    pv_core_close(p->core);
    pv_pairs_free(p->pairs);
    pv_link_close(p->link);
}

/* ---- Printing -------------------------------------------------------------------------------- */
typedef struct limits {
    double flops, memory, cache, touched; /* per second: flops, and bytes */
} limits;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void print_part(const char *what, double flops, double bytes, double seconds,
                       const limits *limit)
{
    double least = larger(flops / limit->flops, bytes / limit->memory);
    printf("| %s | %.2f | %.0f | %.1f | %.1f | %.1f | %.0f %% |\n", what, flops * 1e-9,
           bytes * 1e-6, seconds * 1e3, flops / seconds * 1e-9, least * 1e3, 100 * least / seconds);
}

static void print_parts(const problem *p, const double *seconds, const limits *limit)
{
    double n = (double)p->n, k = (double)p->k, m = (double)p->basis, rank = (double)p->core->rank;
    double pairs = (double)p->pairs->count, head = (double)p->head_cells;
    double tail = (double)p->tail_entries, block = 4 * n * k, low_rank = 0;
    char name[120];
    for (size_t t = 0; t < p->step.term_count; t++)
        low_rank += (double)p->step.terms[t].columns;
    printf("\nFlops are those that the part makes; bytes those that must come from memory if "
           "every array is fetched once (X and Y: %.0f MB each). The limit is the longer of "
           "flops at the speed of sgemm and bytes at that of the triad.\n\n",
           block * 1e-6);
    printf(
        "| part | Gflop | MB | ms | Gflop/s | limit ms | reached |\n|---|---|---|---|---|---|---|\n");
    snprintf(name, sizeof name, "dense head, %zu columns", p->k);
    print_part(name, 2 * head * k, 4 * head + 2 * block, seconds[HEAD], limit);
    snprintf(name, sizeof name, "sparse tail, %zu columns", p->k);
    print_part(name, 2 * tail * k, 8 * tail + 2 * block, seconds[TAIL], limit);
    double flops = 2 * (head + tail) * k, bytes = 4 * head + 8 * tail + 2 * block;
    print_part("both: the pairs' product", flops, bytes, seconds[SPARSE], limit);
    bytes -= 2 * n * k;
    print_part("the same with X in half precision", flops, bytes, seconds[HALF], limit);
    flops += 4 * n * low_rank * k;
    bytes += 2 * 4 * n * low_rank;
    print_part("the step's matrix: pairs and low rank", flops, bytes, seconds[STEP], limit);
    snprintf(name, sizeof name, "tall: %zu columns of the basis with %zu", p->basis, p->k);
    print_part(name, 2 * n * m * k, 4 * n * m + block, seconds[GRAM], limit);
    snprintf(name, sizeof name, "tall: the basis times %zu x %zu", p->basis, p->k);
    print_part(name, 2 * n * m * k, 4 * n * m + block, seconds[MULTIPLY], limit);
    print_part("tall: change of basis", 2 * n * m * m, 8 * n * m, seconds[TRANSFORM], limit);
    snprintf(name, sizeof name, "products on pairs, rank %zu (useful flops)", p->core->rank);
    print_part(name, 2 * pairs * rank, 8 * pairs + 4 * n * rank, seconds[PRODUCTS], limit);
    print_part("residual: products, weights, mirror", 2 * pairs * rank, 28 * pairs + 4 * n * rank,
               seconds[RESIDUAL], limit);
}

static void print_limit(const char *what, double rate, double head, double tail, double reached)
{
    printf("| %s | ", what);
    if (rate > 0)
        printf("%.1f", rate * 1e-9);
    printf(" | %.1f | %.1f | %.1f | %.1f | %.0f %% |\n", head * 1e3, tail * 1e3,
           (head + tail) * 1e3, reached * 1e3, 100 * (head + tail) / reached);
}

/* Limits for the product with the pairs. The dense part is limited by sgemm or by memory; for the
 * sparse part it depends on where the rows of X come from. */
static void print_roofline(const problem *p, const double *seconds, const limits *limit)
{
    double k = (double)p->k, cells = (double)p->head_cells, entries = (double)p->tail_entries;
    double rows = entries * k * sizeof(float);
    double head = larger(2 * cells * k / limit->flops, 4 * cells / limit->memory);
    double least = larger(2 * entries * k / limit->flops, 8 * entries / limit->memory);
    double reached = seconds[SPARSE];
    printf("\nRoofline of the pairs' product. Head: %.2f Gflop, %.0f MB of matrix. Tail: %.2f "
           "Gflop, %.0f MB of columns and values from memory, and %.0f MB of rows of X, %zu bytes "
           "for each entry, out of the %.1f MB that X has.\n\n",
           2 * cells * k * 1e-9, 4 * cells * 1e-6, 2 * entries * k * 1e-9, 8 * entries * 1e-6,
           rows * 1e-6, p->k * sizeof(float), (double)p->n * k * sizeof(float) * 1e-6);
    printf("| rows of X come | GB/s | head ms | tail ms | limit ms | took ms | reached |\n"
           "|---|---|---|---|---|---|---|\n");
    print_limit("for nothing (entries alone from memory)", 0, head, least, reached);
    print_limit("at the speed of X read in order, from the cache or memory it lies in",
                limit->cache, head, larger(least, rows / limit->cache), reached);
    print_limit("as fast as they can be touched in the product's order", limit->touched, head,
                larger(least, seconds[TOUCH]), reached);
    print_limit("all from memory, at the speed of the triad", limit->memory, head,
                larger(least, (rows + 8 * entries) / limit->memory), reached);
}

static void print_growth(const problem *p, const double *seconds)
{
    double pairs = (double)p->pairs->count, k = (double)p->k, rank = (double)p->core->rank;
    double entries = 2 * pairs;
    printf("| %zu | %.2f | %.2f | %.0f %% | %.1f | %.4f | %.1f | %.4f |\n", p->n, pairs * 1e-6,
           100 * entries / ((double)p->n * (double)p->n),
           100 * (double)p->head_pairs_inside / entries, seconds[SPARSE] * 1e3,
           seconds[SPARSE] / pairs / k * 1e9, seconds[PRODUCTS] * 1e3,
           seconds[PRODUCTS] / pairs / rank * 1e9);
    fflush(stdout);
}

/* The best so far; called before and after the parts, because the speed of the machine may
 * change. */
static psdvec_status measure_limits(psdvec_context *ctx, int repeat, limits *limit)
{
    double seconds[MOST_ROUNDS], side = SGEMM_SIDE, memory;
    PV_TRY(limit_memory(ctx, repeat, &memory));
    limit->memory = larger(limit->memory, memory);
    psdvec_status status = limit_sgemm(SGEMM_SIDE, psdvec_threads(ctx), repeat, seconds);
    if (status != PSDVEC_OK)
        return pv_fail(ctx, status, "a product of %d rows was not measured", SGEMM_SIDE);
    for (int round = 0; round < repeat; round++)
        limit->flops = larger(limit->flops, 2 * side * side * side / seconds[round]);
    return PSDVEC_OK;
}

static psdvec_status run(psdvec_context *ctx, const setting *s)
{
    psdvec_counts *counts = NULL;
    limits limit = {0};
    double seconds[PARTS];
    PV_TRY(psdvec_counts_open(ctx, s->counts, &counts));
    psdvec_status status = measure_limits(ctx, s->repeat, &limit);
    uint32_t words = counts->info.words;
    size_t sizes = 0;
    uint32_t cores[MOST_CORES];
    for (size_t c = 0; c < s->core_count; c++) {
        uint32_t core = s->cores[c] == 0 || s->cores[c] > words ? words : s->cores[c];
        if (sizes == 0 || core > cores[sizes - 1])
            cores[sizes++] = core;
    }
    printf("| core words | million pairs | of all %% | in the head | pairs' product ms | ns a pair "
           "and column | products on pairs ms | ns a pair and dimension |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (size_t c = 0; c < sizes && status == PSDVEC_OK; c++) {
        problem p;
        status = open_problem(ctx, counts, s, cores[c], &p);
        if (status == PSDVEC_OK)
            status = time_parts(&p, s->repeat, seconds);
        if (status == PSDVEC_OK)
            print_growth(&p, seconds);
        if (status == PSDVEC_OK && c + 1 == sizes)
            status = measure_limits(ctx, s->repeat, &limit);
        if (status == PSDVEC_OK && c + 1 == sizes) {
            limit.cache = (double)READ_TASKS * (double)(p.n * p.k) * sizeof(float) / seconds[READ];
            limit.touched = (double)p.tail_entries * (double)p.k * sizeof(float) / seconds[TOUCH];
            printf("\n%zu core words, %u dimensions, %zu columns a product, %s weights, %d "
                   "thread%s, best of %d. sgemm %d: %.1f Gflop/s. Triad: %.1f GB/s.\n",
                   p.n, p.options.dim, p.k,
                   p.options.weights == PSDVEC_WEIGHTS_FACTORED ? "factored" : "raw",
                   psdvec_threads(ctx), psdvec_threads(ctx) == 1 ? "" : "s", s->repeat, SGEMM_SIDE,
                   limit.flops * 1e-9, limit.memory * 1e-9);
            print_parts(&p, seconds, &limit);
            print_roofline(&p, seconds, &limit);
        }
        close_problem(&p);
    }
    psdvec_counts_close(counts);
    return status;
}

/* ---- The command line ------------------------------------------------------------------- */
static bool read_cores(const char *text, setting *s)
{
    s->core_count = 0;
    while (s->core_count < MOST_CORES) {
        char *end;
        if (strncmp(text, "all", 3) == 0) {
            s->cores[s->core_count++] = 0;
            end = (char *)(uintptr_t)text + 3;
        } else {
            unsigned long core = strtoul(text, &end, 10);
            if (end == text || core == 0 || core > UINT32_MAX)
                return false;
            s->cores[s->core_count++] = (uint32_t)core;
        }
        if (*end == 0)
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
    return false;
}

static bool read_arguments(int argc, char **argv, setting *s)
{
    *s = (setting){.repeat = 5};
    bool fine = read_cores("5000,10000,20000,all", s);
    int option;
    while (fine && (option = getopt(argc, argv, "p:d:c:t:r:")) != -1) {
        if (option == 'p' && strcmp(optarg, "paper") == 0)
            s->preset = PSDVEC_PRESET_PAPER;
        else if (option == 'p')
            fine = strcmp(optarg, "default") == 0;
        else if (option == 'd')
            s->dim = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'c')
            fine = read_cores(optarg, s);
        else if (option == 't')
            s->threads = atoi(optarg);
        else if (option == 'r')
            s->repeat = atoi(optarg);
        else
            fine = false;
    }
    s->counts = argv[optind];
    return fine && optind + 1 == argc && s->repeat >= 1 && s->repeat <= MOST_ROUNDS;
}

int main(int argc, char **argv)
{
    setting s;
    if (!read_arguments(argc, argv, &s)) {
        fprintf(stderr, "usage: solve [-p default|paper] [-d DIM] [-c CORE,...] [-t THREADS] "
                        "[-r REPEAT] COUNTS\n");
        return 2;
    }
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_context_options_default(&options);
    options.threads = s.threads;
    if (psdvec_context_new(&options, &ctx) != PSDVEC_OK)
        return 1;
    psdvec_status status = run(ctx, &s);
    if (status != PSDVEC_OK)
        fprintf(stderr, "solve: %s\n", psdvec_error_message(ctx));
    psdvec_context_free(ctx);
    return status != PSDVEC_OK;
}
