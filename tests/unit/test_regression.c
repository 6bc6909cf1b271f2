/* The regression of words on the core against the dense reference, and against its own
 * normal equations. */
#include "base/context.h"
#include "solve/regression.h"
#include "support/problem.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

/* A problem whose core has random vectors, for the reference and for the library. */
typedef struct bench {
    problem *p;
    psdvec_train_options options;
    dense_link link;
    dense_model model;
    float *vectors, *sign; /* core x rank, rank */
    uint32_t *row_of;
} bench;

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static bench bench_new(problem *p, const psdvec_train_options *o, uint64_t seed)
{
    dice d = {seed};
    bench b = {.p = p, .options = *o, .link = dense_link_make(&p->dense, o)};
    size_t words = b.link.words, core = b.link.core, rank = o->dim;
    b.model = (dense_model){.words = words, .core = core, .rank = rank};
    b.model.V = zeros(words * rank, sizeof(double));
    b.model.sign = zeros(rank, sizeof(double));
    b.vectors = zeros(core * rank, sizeof(float));
    b.sign = zeros(rank, sizeof(float));
    b.row_of = zeros(words, sizeof(uint32_t));
    for (size_t k = 0; k < rank; k++)
        b.model.sign[k] = b.sign[k] = o->form == PSDVEC_FORM_PSD || k % 3 ? 1 : -1;
    for (size_t jk = 0; jk < core * rank; jk++) {
        b.vectors[jk] = (float)(dice_normal(&d) * 1.5 / (1 + 0.1 * (double)(jk % rank)));
        b.model.V[jk] = b.vectors[jk];
    }
    for (uint32_t w = 0; w < words; w++)
        b.row_of[w] = w < core ? w : UINT32_MAX;
    return b;
}

static void bench_free(bench *b)
{
    dense_link_free(&b->link);
    dense_model_free(&b->model);
    free(b->vectors);
    free(b->sign);
    free(b->row_of);
}

/* The words `first` .. end of the vocabulary, with the mu of the reference. */
static void regress(const bench *b, psdvec_context *ctx, psdvec_counts *counts, uint32_t first,
                    float *out, float *spread)
{
    size_t count = b->link.words - first;
    uint32_t *words = zeros(count, sizeof *words);
    for (uint32_t k = 0; k < count; k++)
        words[k] = first + k;
    pv_link *link;
    pv_regression *r;
    well(ctx, pv_link_open(ctx, counts, &b->options, NULL, &link));
    well(ctx,
         pv_regression_open(link, b->vectors, b->link.core, b->model.rank, b->sign, b->row_of, &r));
    well(ctx, pv_regression_solve(r, words, count, b->link.mu + first, out, spread));
    pv_regression_close(r);
    pv_link_close(link);
    free(words);
}

/* Compares every noncore word with the reference. Returns the number of words with fewer pairs than
 * dimensions. */
static size_t compare(const bench *b, double tolerance)
{
    size_t core = b->link.core, count = b->link.words - core, rank = b->model.rank, few = 0;
    float *out = zeros(count * rank, sizeof *out), *spread = zeros(count, sizeof *spread);
    double *v = zeros(rank, sizeof *v);
    regress(b, b->p->ctx, b->p->counts, (uint32_t)core, out, spread);
    for (size_t w = core; w < b->link.words; w++) {
        double expected = dense_regress(&b->link, &b->options, &b->model, w, v), longest = 0.1;
        size_t pairs = 0;
        for (size_t j = 0; j < core; j++)
            pairs += b->link.seen[w * b->link.words + j];
        few += pairs < rank;
        for (size_t k = 0; k < rank; k++)
            longest = fmax(longest, fabs(v[k]));
        for (size_t k = 0; k < rank; k++) {
            double ours = out[(w - core) * rank + k];
            if (!(fabs(ours - v[k]) <= tolerance * longest))
                fail_msg("weights %d, target %d, rho %g, unseen %g, mu %g: number %zu of word %zu, "
                         "which has %zu pairs, is %g, not %g",
                         b->options.weights, b->options.target, b->options.rho,
                         b->options.unseen_weight, b->link.mu[w], k, w, pairs, ours, v[k]);
        }
        assert_close(spread[w - core] / expected, 1, tolerance);
    }
    free(out);
    free(spread);
    free(v);
    return few;
}

enum { SETTINGS = 9 };

static psdvec_train_options setting(size_t s, uint32_t dim)
{
    psdvec_train_options o = paper_options(dim, 1);
    switch (s) {
    case 0:
        break;
    case 1:
        o.unseen_weight = 0.001; /* as in the original program */
        break;
    case 2:
        o.unseen_weight = 0.3; /* more than the weights of many pairs */
        break;
    case 3:
        o.weights = PSDVEC_WEIGHTS_SMOOTHED;
        break;
    case 4:
        o.weights = PSDVEC_WEIGHTS_GLOVE;
        break;
    case 5:
        o = factored_options(dim, 1);
        break;
    case 6:
        o = factored_options(dim, 1);
        o.target = PSDVEC_TARGET_SMOOTHED;
        o.rho = 0;
        break;
    case 7:
        o = factored_options(dim, 1);
        o.rho = 0.5;
        o.rho_pairs = 0;
        o.rho_target = 1;
        break;
    default:
        o.target = PSDVEC_TARGET_PMI;
        o.form = PSDVEC_FORM_SYMMETRIC;
    }
    return o;
}

/* ---- Against the reference ------------------------------------------------------------------- */

static void vectors_and_spread_are_those_of_the_reference(void **state)
{
    (void)state;
    problem *p = problem_of_text(1, 300, 9000, false, 2);
    for (size_t s = 0; s < SETTINGS; s++)
        for (uint32_t dim = 5; dim <= 40; dim += 35) {
            static const double mu[] = {2, 4, 8};
            psdvec_train_options o = setting(s, dim);
            o.core = 90;
            o.mu = mu;
            o.mu_count = 3;
            bench b = bench_new(p, &o, s + 1);
            size_t few = compare(&b, 1e-3), others = b.link.words - 90;
            if (dim == 40) /* some in the dual form, some not */
                assert_true(few > 20 && few < others);
            bench_free(&b);
        }
    problem_free(p);
}

static void vectors_and_spread_agree_with_subsampling(void **state)
{
    (void)state;
    problem *p = problem_of_text(2, 200, 6000, true, 2);
    for (size_t s = 0; s < SETTINGS; s++) {
        psdvec_train_options o = setting(s, 12);
        o.core = 60;
        o.form = PSDVEC_FORM_SYMMETRIC;
        bench b = bench_new(p, &o, 10 + s);
        compare(&b, 1e-3);
        bench_free(&b);
    }
    problem_free(p);
}

/* More than 2,048 neighbours, the size of a block. */
static void vectors_and_spread_agree_with_many_neighbours(void **state)
{
    (void)state;
    enum { CORE = 2200, WORDS = 2205 };
    dice d = {3};
    problem *p = problem_new(random_counts(&d, WORDS, 4e9), 1, 2);
    for (size_t s = 0; s < SETTINGS; s += 5) {
        psdvec_train_options o = setting(s, 6);
        o.core = CORE;
        bench b = bench_new(p, &o, 20 + s);
        size_t pairs = 0;
        for (size_t j = 0; j < CORE; j++)
            pairs += b.link.seen[CORE * WORDS + j];
        assert_true(pairs > 2048);
        compare(&b, 1e-3);
        bench_free(&b);
    }
    problem_free(p);
}

/* With many dimensions most of the work is done in small integers. */
static void vectors_and_spread_agree_with_many_dimensions(void **state)
{
    (void)state;
    enum { CORE = 400, DIM = 100 };
    dice d = {12};
    problem *p = problem_new(random_counts(&d, 500, 1.7e5), 1, 2);
    for (size_t s = 5; s < 8; s++) {
        psdvec_train_options o = setting(s, DIM);
        o.core = CORE;
        o.rho = 2;
        o.target = PSDVEC_TARGET_PMI;
        bench b = bench_new(p, &o, 25 + s);
        size_t few = compare(&b, 1e-4), others = b.link.words - CORE;
        assert_true(few > 20 && few < others - 20);
        bench_free(&b);
    }
    problem_free(p);
}

/* Unseen pairs of frequent words can reach weight 1, where the closed form of the background
 * ends. */
static void vectors_and_spread_agree_where_unseen_pairs_are_capped(void **state)
{
    (void)state;
    dice d = {4};
    problem *p = problem_new(random_counts(&d, 60, 1200), 1, 2);
    psdvec_train_options o = setting(3, 5);
    o.core = 30;
    o.cut = 1;
    o.kappa = 0.5;
    bench b = bench_new(p, &o, 30);
    size_t capped = 0;
    for (size_t w = 30; w < 60; w++)
        for (size_t j = 0; j < 30; j++)
            capped += !b.link.seen[w * 60 + j] && b.link.f[w * 60 + j] == 1;
    assert_true(capped > 0);
    compare(&b, 1e-3);
    bench_free(&b);
    problem_free(p);
}

static void normal_equations_hold(void **state)
{
    (void)state;
    problem *p = problem_of_text(5, 200, 6000, false, 1);
    for (size_t s = 0; s < SETTINGS; s++) {
        psdvec_train_options o = setting(s, 9);
        o.core = 50;
        bench b = bench_new(p, &o, 40 + s);
        const dense_link *l = &b.link;
        size_t n = l->words, count = n - 50;
        float *out = zeros(count * 9, sizeof *out);
        regress(&b, p->ctx, p->counts, 50, out, NULL);
        for (size_t w = 50; w < n; w++) {
            const float *v = out + (w - 50) * 9;
            double slope[9], size = 1;
            for (size_t k = 0; k < 9; k++)
                slope[k] = -l->mu[w] * v[k];
            for (size_t j = 0; j < 50; j++) {
                double x = 0;
                for (size_t k = 0; k < 9; k++)
                    x += v[k] * b.sign[k] * b.vectors[j * 9 + k];
                double pull = l->f[w * n + j] * (l->G[w * n + j] - x) +
                              l->f[j * n + w] * (l->G[j * n + w] - x) +
                              2 * l->b[w * n + j] * (l->background - x) -
                              (l->seen[w * n + j] ? 0 : o.unseen_weight * x);
                size += fabs(pull);
                for (size_t k = 0; k < 9; k++)
                    slope[k] += pull * b.sign[k] * b.vectors[j * 9 + k];
            }
            for (size_t k = 0; k < 9; k++)
                assert_close(slope[k], 0, 1e-3 * size);
        }
        free(out);
        bench_free(&b);
    }
    problem_free(p);
}

/* ---- Without a prior ------------------------------------------------------------------------- */

/* The shortest of the vectors with the least squared error |A v - y|, by a singular value
 * decomposition of A (rows x rank): one-sided Jacobi rotations make its columns orthogonal.
 * Singular values below 1e-5 times the Frobenius norm count as 0. Overwrites A. Returns the rank of
 * A. */
static size_t shortest_solution(size_t rows, size_t rank, double *A, const double *y, double *v)
{
    double *Q = zeros(rank * rank, sizeof *Q), square = 0, turned = 1;
    for (size_t k = 0; k < rank; k++)
        Q[k * rank + k] = 1;
    for (size_t i = 0; i < rows * rank; i++)
        square += A[i] * A[i];
    for (int sweep = 0; sweep < 60 && turned > 1e-15; sweep++) {
        turned = 0;
        for (size_t p = 0; p < rank; p++)
            for (size_t q = p + 1; q < rank; q++) {
                double pp = 0, qq = 0, pq = 0;
                for (size_t t = 0; t < rows; t++) {
                    pp += A[t * rank + p] * A[t * rank + p];
                    qq += A[t * rank + q] * A[t * rank + q];
                    pq += A[t * rank + p] * A[t * rank + q];
                }
                if (fabs(pq) <= 1e-15 * square)
                    continue;
                turned = fmax(turned, fabs(pq) / square);
                double angle = 0.5 * atan2(2 * pq, pp - qq), c = cos(angle), s = sin(angle);
                for (size_t t = 0; t < rows + rank; t++) {
                    double *row = t < rows ? A + t * rank : Q + (t - rows) * rank;
                    double x = row[p], z = row[q];
                    row[p] = c * x + s * z;
                    row[q] = c * z - s * x;
                }
            }
    }
    size_t found = 0;
    for (size_t k = 0; k < rank; k++)
        v[k] = 0;
    for (size_t k = 0; k < rank; k++) {
        double length = 0, dot = 0;
        for (size_t t = 0; t < rows; t++) {
            length += A[t * rank + k] * A[t * rank + k];
            dot += A[t * rank + k] * y[t];
        }
        if (length <= 1e-10 * square)
            continue;
        found++;
        for (size_t l = 0; l < rank; l++)
            v[l] += dot / length * Q[l * rank + k];
    }
    free(Q);
    return found;
}

/* The same for word w of a model without a prior and without a background. */
static size_t shortest_vector(const bench *b, size_t w, double *v)
{
    const dense_link *l = &b->link;
    size_t rank = b->model.rank, rows = 0;
    double *A = zeros(2 * l->core * rank, sizeof *A), *y = zeros(2 * l->core, sizeof *y);
    for (size_t j = 0; j < l->core; j++)
        for (int direction = 0; direction < 2; direction++) {
            size_t at = direction ? j * l->words + w : w * l->words + j;
            double root = sqrt(l->f[at]);
            if (root == 0)
                continue;
            for (size_t k = 0; k < rank; k++)
                A[rows * rank + k] = root * b->sign[k] * b->vectors[j * rank + k];
            y[rows++] = root * l->G[at];
        }
    size_t found = shortest_solution(rows, rank, A, y, v);
    free(A);
    free(y);
    return found;
}

/* kind 0: random vectors. 1: two dimensions are equal, so that no word has a unique solution. 2:
 * one is much smaller than the others, and almost a multiple of another; the solution is unique. */
static void spoil(bench *b, int kind)
{
    for (size_t j = 0; j < b->link.core; j++) {
        float *v = b->vectors + j * b->model.rank;
        if (kind == 1)
            v[7] = v[5];
        if (kind == 2)
            v[7] = 1e-2f * (v[5] + 0.1f * v[7]);
    }
}

static void without_a_prior_the_shortest_solution_is_taken(void **state)
{
    (void)state;
    enum { DIM = 20, CORE = 80 };
    static const double none[] = {0};
    problem *p = problem_of_text(6, 300, 6000, false, 2);
    for (size_t s = 0; s < SETTINGS; s += 4)
        for (int kind = 0; kind < 3; kind++) {
            psdvec_train_options o = setting(s, DIM);
            o.core = CORE;
            o.rho = 0;
            o.mu = none;
            bench b = bench_new(p, &o, 50 + s);
            spoil(&b, kind);
            size_t count = b.link.words - CORE, singular = 0, unique = 0;
            float *out = zeros(count * DIM, sizeof *out), *spread = zeros(count, sizeof *spread);
            regress(&b, p->ctx, p->counts, CORE, out, spread);
            for (size_t w = CORE; w < b.link.words; w++) {
                double v[DIM], off = 0, size = 0;
                size_t rank = shortest_vector(&b, w, v);
                for (size_t k = 0; k < DIM; k++) {
                    double difference = out[(w - CORE) * DIM + k] - v[k];
                    off += difference * difference;
                    size += v[k] * v[k];
                }
                assert_below(sqrt(off), 1e-4 * sqrt(size) + 1e-6);
                assert_true(spread[w - CORE] > 0 && isfinite(spread[w - CORE]));
                singular += rank < DIM;
                unique += rank == DIM;
            }
            assert_true(singular > 10);
            assert_true(kind == 1 ? unique == 0 : unique > 10);
            free(out);
            free(spread);
            bench_free(&b);
        }
    problem_free(p);
}

/* A library must not print. BLAS does when it is called with an empty matrix. */
static char *what_is_printed(const bench *b, float *out)
{
    char *path = scratch_path(b->p->folder, "printed");
    fflush(stdout);
    fflush(stderr);
    int keep[2] = {dup(1), dup(2)}, file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(file >= 0 && keep[0] >= 0 && keep[1] >= 0);
    dup2(file, 1);
    dup2(file, 2);
    regress(b, b->p->ctx, b->p->counts, (uint32_t)b->link.core, out, NULL);
    fflush(stdout);
    fflush(stderr);
    for (int k = 0; k < 2; k++) {
        dup2(keep[k], k + 1);
        close(keep[k]);
    }
    close(file);
    size_t length;
    char *text = scratch_read(path, &length);
    free(path);
    return text;
}

static void a_word_without_neighbours_has_the_vector_0(void **state)
{
    (void)state;
    dice d = {7};
    dense_counts c = random_counts(&d, 40, 9000);
    for (size_t i = 0; i < 40; i++)
        c.x[39 * 40 + i] = c.x[i * 40 + 39] = 0;
    problem *p = problem_new(c, 1, 1);
    static const double mus[] = {0, 2};
    for (size_t s = 0; s < SETTINGS; s++)
        for (size_t m = 0; m < 2; m++) {
            psdvec_train_options o = setting(s, 4);
            o.core = 20;
            o.mu = &mus[m];
            if (o.weights == PSDVEC_WEIGHTS_SMOOTHED)
                continue; /* in this case unseen pairs determine it */
            bench b = bench_new(p, &o, 60);
            float *out = zeros(20 * 4, sizeof *out);
            char *said = what_is_printed(&b, out);
            assert_string_equal(said, "");
            free(said);
            for (size_t k = 0; k < 4; k++)
                assert_true(out[19 * 4 + k] == 0);
            free(out);
            bench_free(&b);
        }
    problem_free(p);
}

/* ---- Core words ------------------------------------------------------------------------------ */

/* If the core is at its minimum, regressing one of its words on the others returns its vector. */
static void a_core_word_regressed_on_the_others_keeps_its_vector(void **state)
{
    (void)state;
    enum { N = 40, DIM = 3 };
    dice d = {8};
    double V[N * DIM];
    for (size_t i = 0; i < N * DIM; i++)
        V[i] = fmax(-1, fmin(1, 0.6 * dice_normal(&d)));
    dense_counts exact = exact_counts(N, DIM, V, 0.02, 3e5);
    problem *p = problem_new(sampled_counts(&d, &exact), 1, 1);
    dense_counts_free(&exact);
    for (int trial = 0; trial < 4; trial++) {
        psdvec_train_options o = trial % 2 ? factored_options(DIM, 250) : paper_options(DIM, 250);
        o.core = N;
        o.cut = 1;
        o.relaxation = 1.6;
        o.form = trial / 2 ? PSDVEC_FORM_PSD : PSDVEC_FORM_SYMMETRIC;
        o.core_mu = o.form == PSDVEC_FORM_PSD ? 1 : 0;
        dense_link l = dense_link_make(&p->dense, &o);
        dense_model m = dense_train(&l, &o);
        assert_int_equal(m.rank, DIM);
        float vectors[N * DIM], sign[DIM], out[DIM];
        for (size_t i = 0; i < N * DIM; i++)
            vectors[i] = (float)m.V[i];
        for (size_t k = 0; k < DIM; k++)
            sign[k] = (float)m.sign[k];
        pv_link *link;
        well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
        for (uint32_t w = 0; w < N; w++) {
            uint32_t row_of[N + 1];
            for (uint32_t j = 0; j <= N; j++)
                row_of[j] = j < N && j != w ? j : UINT32_MAX;
            pv_regression *r;
            well(p->ctx, pv_regression_open(link, vectors, N, DIM, sign, row_of, &r));
            well(p->ctx, pv_regression_solve(r, &w, 1, &l.mu[w], out, NULL));
            for (size_t k = 0; k < DIM; k++)
                assert_close(out[k], m.V[w * DIM + k], 2e-4);
            pv_regression_close(r);
        }
        pv_link_close(link);
        dense_model_free(&m);
        dense_link_free(&l);
    }
    problem_free(p);
}

/* ---- Threads and choice of words ------------------------------------------------------------- */

static void the_bits_are_the_same_for_any_threads_and_any_choice_of_words(void **state)
{
    (void)state;
    problem *p = problem_of_text(9, 500, 20000, true, 1);
    psdvec_train_options o = setting(5, 16);
    o.core = 100;
    bench b = bench_new(p, &o, 70);
    size_t count = b.link.words - 100;
    float *first = zeros(count * 16, sizeof *first), *out = zeros(count * 16, sizeof *out);
    float *spread = zeros(count, sizeof *spread), *again = zeros(count, sizeof *again);
    regress(&b, p->ctx, p->counts, 100, first, spread);
    for (int threads = 1; threads <= 4; threads *= 2) {
        psdvec_context *ctx = context_of(threads);
        psdvec_counts *counts;
        well(ctx, psdvec_counts_open(ctx, p->path, &counts));
        regress(&b, ctx, counts, 100, out, again);
        assert_memory_equal(out, first, count * 16 * sizeof *out);
        assert_memory_equal(again, spread, count * sizeof *spread);
        psdvec_counts_close(counts);
        assert_int_equal(atomic_load(&ctx->memory_used), 0);
        psdvec_context_free(ctx);
    }
    /* Some of the words, with gaps. */
    uint32_t some[64];
    double mu[64];
    size_t chosen = 0;
    for (uint32_t w = 103; w < b.link.words && chosen < 64; w += 1 + w % 5, chosen++) {
        some[chosen] = w;
        mu[chosen] = b.link.mu[w];
    }
    pv_link *link;
    pv_regression *r;
    well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
    well(p->ctx, pv_regression_open(link, b.vectors, 100, 16, b.sign, b.row_of, &r));
    well(p->ctx, pv_regression_solve(r, some, chosen, mu, out, again));
    for (size_t k = 0; k < chosen; k++) {
        assert_memory_equal(out + k * 16, first + (some[k] - 100) * 16, 16 * sizeof *out);
        assert_true(again[k] == spread[some[k] - 100]);
    }
    well(p->ctx, pv_regression_solve(r, NULL, 0, NULL, NULL, NULL));
    pv_regression_close(r);
    pv_link_close(link);
    free(first);
    free(out);
    free(spread);
    free(again);
    bench_free(&b);
    problem_free(p);
}

static void core_vectors_may_be_in_any_order(void **state)
{
    (void)state;
    problem *p = problem_of_text(10, 100, 5000, false, 1);
    for (size_t s = 0; s < SETTINGS; s++) {
        psdvec_train_options o = setting(s, 6);
        o.core = 40;
        bench b = bench_new(p, &o, 80);
        size_t count = b.link.words - 40;
        float *first = zeros(count * 6, sizeof *first), *out = zeros(count * 6, sizeof *out);
        regress(&b, p->ctx, p->counts, 40, first, NULL);
        float *turned = zeros(40 * 6, sizeof *turned);
        for (uint32_t w = 0; w < 40; w++) {
            b.row_of[w] = 39 - w;
            memcpy(turned + (39 - w) * 6, b.vectors + w * 6, 6 * sizeof *turned);
        }
        memcpy(b.vectors, turned, 40 * 6 * sizeof *turned);
        regress(&b, p->ctx, p->counts, 40, out, NULL);
        for (size_t i = 0; i < count * 6; i++)
            assert_close(out[i], first[i], 1e-3);
        free(turned);
        free(first);
        free(out);
        bench_free(&b);
    }
    problem_free(p);
}

static void nonfinite_numbers_are_reported_with_their_word(void **state)
{
    (void)state;
    problem *p = problem_of_text(11, 100, 5000, false, 2);
    for (size_t s = 0; s < SETTINGS; s += 4) {
        psdvec_train_options o = setting(s, 6);
        o.core = 40;
        o.rho = 0;
        bench b = bench_new(p, &o, 90);
        b.vectors[3 * 6] = INFINITY;
        uint32_t word = 45;
        assert_true(b.link.seen[45 * b.link.words + 3]);
        pv_link *link;
        pv_regression *r;
        float out[6], spread;
        well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
        well(p->ctx, pv_regression_open(link, b.vectors, 40, 6, b.sign, b.row_of, &r));
        pv_begin(p->ctx);
        assert_int_equal(pv_regression_solve(r, &word, 1, &b.link.mu[45], out, &spread),
                         PSDVEC_ERR_NUMERIC);
        size_t length;
        const char *text = psdvec_counts_word(p->counts, 45, &length);
        char quoted[40];
        snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)length, text);
        assert_contains(psdvec_error_message(p->ctx), quoted);
        pv_begin(p->ctx);
        pv_regression_close(r);
        pv_link_close(link);
        bench_free(&b);
    }
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_and_spread_are_those_of_the_reference),
        cmocka_unit_test(vectors_and_spread_agree_with_subsampling),
        cmocka_unit_test(vectors_and_spread_agree_with_many_neighbours),
        cmocka_unit_test(vectors_and_spread_agree_with_many_dimensions),
        cmocka_unit_test(vectors_and_spread_agree_where_unseen_pairs_are_capped),
        cmocka_unit_test(normal_equations_hold),
        cmocka_unit_test(without_a_prior_the_shortest_solution_is_taken),
        cmocka_unit_test(a_word_without_neighbours_has_the_vector_0),
        cmocka_unit_test(a_core_word_regressed_on_the_others_keeps_its_vector),
        cmocka_unit_test(the_bits_are_the_same_for_any_threads_and_any_choice_of_words),
        cmocka_unit_test(core_vectors_may_be_in_any_order),
        cmocka_unit_test(nonfinite_numbers_are_reported_with_their_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
