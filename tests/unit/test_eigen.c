/* The eigensolver against LAPACK, ARPACK and matrices with known eigenpairs, and products of tall
 * matrices and the kernels against simple loops. */
#include "base/blas.h"
#include "base/context.h"
#include "base/group.h"
#include "base/half.h"
#include "solve/eigen.h"
#include "solve/kernels.h"
#include "solve/tall.h"
#include "support/arpack.h"
#include "support/members.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* H2 H1 diag(value) H1 H2, H the reflections I - 2 u u': its eigenvectors are the columns of
 * H2 H1. */
typedef struct known {
    size_t n;
    double *value;
    double *u[2];
    size_t products; /* columns multiplied */
    size_t poison;   /* product after which the results are not finite; 0: never */
    psdvec_status fails;
} known;

static known known_new(uint64_t seed, size_t n)
{
    dice d = {seed};
    known k = {.n = n, .value = zeros(n, sizeof(double))};
    for (int r = 0; r < 2; r++) {
        double square = 0;
        k.u[r] = zeros(n, sizeof(double));
        for (size_t i = 0; i < n; i++) {
            k.u[r][i] = dice_normal(&d);
            square += k.u[r][i] * k.u[r][i];
        }
        for (size_t i = 0; i < n; i++)
            k.u[r][i] /= sqrt(square);
    }
    return k;
}

static void known_free(known *k)
{
    free(k->value);
    free(k->u[0]);
    free(k->u[1]);
}

static void reflect(size_t n, const double *u, double *x)
{
    double product = 0;
    for (size_t i = 0; i < n; i++)
        product += u[i] * x[i];
    for (size_t i = 0; i < n; i++)
        x[i] -= 2 * product * u[i];
}

static void known_times(const known *k, double *x)
{
    reflect(k->n, k->u[1], x);
    reflect(k->n, k->u[0], x);
    for (size_t i = 0; i < k->n; i++)
        x[i] *= k->value[i];
    reflect(k->n, k->u[0], x);
    reflect(k->n, k->u[1], x);
}

static psdvec_status apply_known(void *self, const float *X, float *Y, size_t columns)
{
    known *k = self;
    double *x = zeros(k->n, sizeof *x);
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < k->n; i++)
            x[i] = X[i * columns + c];
        known_times(k, x);
        for (size_t i = 0; i < k->n; i++)
            Y[i * columns + c] = (float)x[i];
    }
    free(x);
    k->products += columns;
    if (k->poison && k->products > k->poison)
        Y[0] = NAN;
    return k->fails;
}

static pv_operator known_operator(known *k)
{
    return (pv_operator){.n = k->n, .self = k, .apply = apply_known};
}

typedef struct dense {
    size_t n;
    double *A;
    float *single;
} dense;

static dense dense_random(uint64_t seed, size_t n, double mean)
{
    dice d = {seed};
    dense m = {n, zeros(n * n, sizeof(double)), zeros(n * n, sizeof(float))};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            /* Rows of decreasing size, so that the spectrum decays like that of words. */
            double size = 30 / sqrt((double)(i + 20) * (double)(j + 20));
            m.single[i * n + j] = (float)(size * (dice_normal(&d) + mean));
            m.A[i * n + j] = m.A[j * n + i] = m.single[j * n + i] = m.single[i * n + j];
        }
    return m;
}

static void dense_free(dense *m)
{
    free(m->A);
    free(m->single);
}

static psdvec_status apply_single(void *self, const float *X, float *Y, size_t k)
{
    dense *m = self;
    int n = (int)m->n;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, (int)k, n, 1, m->single, n, X, (int)k,
                0, Y, (int)k);
    return PSDVEC_OK;
}

static void apply_double(void *self, size_t n, const double *x, double *y)
{
    dense *m = self;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, 1, m->A, (int)n, x, 1, 0, y, 1);
}

/* ---- Solving --------------------------------------------------------------------------------- */

typedef struct solved {
    size_t n, want;
    double *value;
    float *vector; /* n x want */
    pv_eigen_report report;
} solved;

static solved solve(psdvec_context *ctx, const pv_operator *matrix, const pv_eigen_options *o)
{
    solved s = {matrix->n, o->want, zeros(o->want, sizeof(double)), NULL, {0}};
    s.vector = zeros(matrix->n * o->want, sizeof(float));
    well(ctx, pv_eigen(ctx, matrix, o, s.value, s.vector, &s.report));
    assert_int_equal(atomic_load(&ctx->memory_used), 0);
    return s;
}

static void solved_free(solved *s)
{
    free(s->value);
    free(s->vector);
}

static pv_eigen_options options_of(size_t want, pv_eigen_end end, size_t block, size_t basis)
{
    pv_eigen_options o;
    pv_eigen_options_default(&o, want);
    o.end = end;
    o.tolerance = 1e-5;
    o.block = block;
    o.basis = basis;
    o.restarts = 60;
    return o;
}

static bool comes_before(double a, double b, pv_eigen_end end)
{
    return end == PV_EIGEN_LARGEST ? a > b : fabs(a) > fabs(b);
}

/* The first `want` values in the order in which they should be returned. */
static double *in_order(size_t n, const double *values, size_t want, pv_eigen_end end)
{
    double *order = zeros(n, sizeof *order);
    memcpy(order, values, n * sizeof *order);
    for (size_t k = 0; k < want; k++)
        for (size_t i = k + 1; i < n; i++)
            if (comes_before(order[i], order[k], end)) {
                double t = order[k];
                order[k] = order[i];
                order[i] = t;
            }
    return order;
}

/* The vectors have length 1, are orthogonal, and A q = value q. */
static void check_vectors(const solved *s, const pv_operator *matrix, size_t count,
                          double tolerance)
{
    float *Y = zeros(s->n * s->want, sizeof *Y);
    assert_int_equal(matrix->apply(matrix->self, s->vector, Y, s->want), PSDVEC_OK);
    for (size_t a = 0; a < count; a++) {
        double off = 0;
        for (size_t b = 0; b <= a; b++) {
            double product = 0;
            for (size_t i = 0; i < s->n; i++)
                product += (double)s->vector[i * s->want + a] * s->vector[i * s->want + b];
            assert_close(product, a == b, 2e-5);
        }
        for (size_t i = 0; i < s->n; i++)
            off += pow(Y[i * s->want + a] - s->value[a] * s->vector[i * s->want + a], 2);
        assert_below(sqrt(off), tolerance);
    }
    free(Y);
}

/* ---- Against other solvers ------------------------------------------------------------------- */

static void eigenpairs_are_those_of_lapack(void **state)
{
    (void)state;
    enum { N = 700, WANT = 40 };
    psdvec_context *ctx = context_of(2);
    dense m = dense_random(1, N, -1); /* one large negative eigenvalue */
    double *value = zeros(N, sizeof *value), *Q = zeros(N * N, sizeof *Q);
    dense_eigen(N, m.A, value, Q);
    assert_true(-value[0] > 3 * value[N - 1]);
    pv_operator matrix = {.n = N, .self = &m, .apply = apply_single};
    for (int end = PV_EIGEN_LARGEST; end <= PV_EIGEN_MAGNITUDE; end++) {
        double *expected = in_order(N, value, WANT, (pv_eigen_end)end);
        for (size_t basis = 60; basis <= 240; basis += 180) {
            pv_eigen_options o = options_of(WANT, (pv_eigen_end)end, 8, basis);
            solved s = solve(ctx, &matrix, &o);
            assert_int_equal(s.report.found, WANT);
            assert_true(s.report.columns < 6 * N && s.report.residual <= 1e-5);
            assert_true(basis > 60 || s.report.restarts > 0);
            for (size_t k = 0; k < WANT; k++)
                assert_close(s.value[k], expected[k], 1e-4);
            check_vectors(&s, &matrix, WANT, 1e-3);
            solved_free(&s);
        }
        free(expected);
    }
    free(value);
    free(Q);
    dense_free(&m);
    psdvec_context_free(ctx);
}

static void eigenpairs_are_those_of_arpack(void **state)
{
    (void)state;
#ifndef PV_HAVE_ARPACK
    skip();
#endif
    enum { N = 1300, WANT = 24 };
    psdvec_context *ctx = context_of(2);
    dense m = dense_random(2, N, -0.4);
    double value[WANT], *rows = zeros(N * WANT, sizeof *rows);
    double *theirs = zeros(N * WANT, sizeof *theirs), *ours = zeros(N * WANT, sizeof *ours);
    pv_operator matrix = {.n = N, .self = &m, .apply = apply_single};
    for (int end = PV_EIGEN_LARGEST; end <= PV_EIGEN_MAGNITUDE; end++) {
        arpack_which which = end == PV_EIGEN_LARGEST ? ARPACK_LARGEST : ARPACK_LARGEST_MAGNITUDE;
        assert_true(arpack_eigen(N, WANT, which, 1e-10, apply_double, &m, value, rows));
        pv_eigen_options o = options_of(WANT, (pv_eigen_end)end, 10, 0);
        solved s = solve(ctx, &matrix, &o);
        for (size_t k = 0; k < WANT; k++) {
            assert_close(s.value[k], value[k], 1e-4);
            double cosine = 0;
            for (size_t i = 0; i < N; i++)
                cosine += rows[k * N + i] * s.vector[i * WANT + k];
            assert_close(fabs(cosine), 1, 1e-4);
        }
        solved_free(&s);
    }
    free(rows);
    free(theirs);
    free(ours);
    dense_free(&m);
    psdvec_context_free(ctx);
}

/* ---- Difficult matrices ---------------------------------------------------------------------- */

static void compare_known(psdvec_context *ctx, known *k, const pv_eigen_options *o,
                          double tolerance)
{
    pv_operator matrix = known_operator(k);
    double *expected = in_order(k->n, k->value, o->want, o->end);
    solved s = solve(ctx, &matrix, o);
    assert_int_equal(s.report.found, o->want);
    for (size_t i = 0; i < o->want; i++)
        if (!(fabs(s.value[i] - expected[i]) <= tolerance))
            fail_msg("value %zu is %g, not %g; %zu columns, %zu restarts, residual %g", i,
                     s.value[i], expected[i], s.report.columns, s.report.restarts,
                     s.report.residual);
    check_vectors(&s, &matrix, o->want, 10 * tolerance);
    solved_free(&s);
    free(expected);
}

/* The first matrix of the paper's algorithm has an eigenvalue near -2n, and the requested
 * eigenvalues are the largest of a decaying sequence. */
static void one_huge_negative_eigenvalue_does_no_harm(void **state)
{
    (void)state;
    enum { N = 1500 };
    psdvec_context *ctx = context_of(2);
    known k = known_new(3, N);
    for (int huge = 0; huge < 3; huge++) {
        for (size_t i = 0; i < N; i++)
            k.value[i] = (i % 2 ? -1 : 1) * 60 / sqrt((double)i + 1);
        k.value[N / 2] = huge == 0 ? -3000 : huge == 1 ? -60000 : -1e6;
        pv_eigen_options o = options_of(30, PV_EIGEN_LARGEST, 16, 0);
        o.tolerance = huge < 2 ? 1e-4 : 1e-3;
        k.products = 0;
        compare_known(ctx, &k, &o, huge < 2 ? 5e-3 : 5e-2);
        /* Not much more work than without it. */
        assert_below(k.products, 800);
        o.end = PV_EIGEN_MAGNITUDE;
        k.value[N / 2] = huge == 0 ? -3000 : -20000;
        compare_known(ctx, &k, &o, 5e-3 * (1 + huge));
    }
    known_free(&k);
    psdvec_context_free(ctx);
}

static void eigenvalues_are_found_with_their_multiplicity(void **state)
{
    (void)state;
    enum { N = 900 };
    psdvec_context *ctx = context_of(2);
    known k = known_new(4, N);
    /* 10 with multiplicity ten, 9 with three, -9.5 with five, and many others. */
    for (size_t i = 0; i < N; i++)
        k.value[i] = i < 10 ? 10 : i < 13 ? 9 : i < 18 ? -9.5 : 4 * cos((double)i);
    static const size_t blocks[] = {4, 8, 16}; /* smaller and larger than the multiplicity */
    for (size_t b = 0; b < 3; b++)
        for (int end = PV_EIGEN_LARGEST; end <= PV_EIGEN_MAGNITUDE; end++) {
            pv_eigen_options o =
                options_of(end == PV_EIGEN_LARGEST ? 13 : 18, (pv_eigen_end)end, blocks[b], 120);
            compare_known(ctx, &k, &o, 1e-3);
        }
    known_free(&k);
    psdvec_context_free(ctx);
}

/* Beyond the rank the values are 0, and still have vectors. */
static void low_rank_and_invariant_subspaces_are_handled(void **state)
{
    (void)state;
    enum { N = 800 };
    static const size_t ranks[] = {0, 1, 5, 8, 17, 40};
    psdvec_context *ctx = context_of(2);
    known k = known_new(5, N);
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
        for (int end = PV_EIGEN_LARGEST; end <= PV_EIGEN_MAGNITUDE; end++) {
            memset(k.value, 0, N * sizeof *k.value);
            for (size_t i = 0; i < ranks[r]; i++)
                k.value[7 * i] = (i % 3 == 1 ? -1 : 1) * (20 - 0.3 * (double)i);
            pv_eigen_options o = options_of(20, (pv_eigen_end)end, 8, 64);
            compare_known(ctx, &k, &o, 1e-3);
        }
    /* The identity: every subspace is invariant. */
    for (size_t i = 0; i < N; i++)
        k.value[i] = 3;
    pv_eigen_options o = options_of(20, PV_EIGEN_LARGEST, 8, 64);
    compare_known(ctx, &k, &o, 1e-4);
    known_free(&k);
    psdvec_context_free(ctx);
}

static void a_small_matrix_gives_as_many_as_it_has(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    known k = known_new(6, 12);
    for (size_t i = 0; i < 12; i++)
        k.value[i] = (double)i - 4;
    pv_operator matrix = known_operator(&k);
    pv_eigen_options o = options_of(20, PV_EIGEN_LARGEST, 64, 0);
    solved s = solve(ctx, &matrix, &o);
    assert_int_equal(s.report.found, 12);
    for (size_t i = 0; i < 12; i++)
        assert_close(s.value[i], 7 - (double)i, 1e-5);
    check_vectors(&s, &matrix, 12, 1e-5);
    solved_free(&s);
    o = options_of(3, PV_EIGEN_MAGNITUDE, 5, 0);
    compare_known(ctx, &k, &o, 1e-5);
    known_free(&k);
    psdvec_context_free(ctx);
}

/* ---- Calling the solver ---------------------------------------------------------------------- */

static void a_block_may_be_wide(void **state)
{
    (void)state;
    enum { N = 1700, WANT = 20 };
    psdvec_context *ctx = context_of(2);
    dense m = dense_random(8, N, 0);
    pv_operator matrix = {.n = N, .self = &m, .apply = apply_single};
    pv_eigen_options narrow = options_of(WANT, PV_EIGEN_MAGNITUDE, 16, 0);
    pv_eigen_options wide = options_of(WANT, PV_EIGEN_MAGNITUDE, 300, 0);
    solved a = solve(ctx, &matrix, &narrow), b = solve(ctx, &matrix, &wide);
    for (size_t k = 0; k < WANT; k++)
        assert_close(a.value[k], b.value[k], 1e-4);
    check_vectors(&b, &matrix, WANT, 1e-3);
    solved_free(&a);
    solved_free(&b);
    dense_free(&m);
    psdvec_context_free(ctx);
}

/* ---- Rows divided among processes ------------------------------------------------------------ */

enum { MEMBERS = 3 };

/* A matrix of which each member multiplies its rows. */
typedef struct part {
    const pv_division *division;
    const dense *m;
    float *X; /* all rows of the block that is multiplied */
} part;

static psdvec_status apply_part(void *self, const float *X, float *Y, size_t k)
{
    part *own = self;
    size_t n = own->m->n;
    pv_tiles rows = pv_tiles_own(own->division, n);
    PV_TRY(pv_tall_gather(n, (pv_tall){X, k, k, own->division}, own->X));
    /* Row by row, so that the bits do not depend on how many rows there are. */
    for (size_t i = rows.first; i < rows.end; i++)
        cblas_sgemv(CblasRowMajor, CblasTrans, (int)n, (int)k, 1, own->X, (int)k,
                    own->m->single + i * n, 1, 0, Y + (i - rows.first) * k, 1);
    return PSDVEC_OK;
}

typedef struct divided_job {
    const dense *m;
    solved result[MEMBERS];
    pv_tiles rows[MEMBERS];
    psdvec_status status[MEMBERS];
} divided_job;

static void solve_divided(void *arg, uint32_t rank, psdvec_context *ctx)
{
    divided_job *job = arg;
    solved *r = &job->result[rank];
    size_t n = job->m->n;
    part own = {.m = job->m, .X = zeros(n * 64, sizeof(float))};
    pv_division *division = NULL;
    pv_eigen_options o = options_of(r->want, PV_EIGEN_MAGNITUDE, 16, 0);
    uint64_t *cost = zeros(n, sizeof *cost);
    for (size_t i = 0; i < n; i++)
        cost[i] = i < 400 ? 9 : 1; /* the first member has one tile, the last two */
    pv_group_begin(ctx);
    psdvec_status status = pv_division_make(ctx, n, cost, &division);
    if (status == PSDVEC_OK) {
        pv_operator matrix = {.n = n, .division = division, .self = &own, .apply = apply_part};
        own.division = division;
        job->rows[rank] = pv_tiles_own(division, n);
        status = pv_eigen(ctx, &matrix, &o, r->value, r->vector + job->rows[rank].first * r->want,
                          &r->report);
    }
    pv_division_free(division);
    job->status[rank] = pv_group_end(ctx, status);
    free(own.X);
    free(cost);
}

static psdvec_context *seeded(uint64_t seed)
{
    psdvec_context_options o;
    psdvec_context *ctx;
    psdvec_context_options_default(&o);
    o.threads = 2;
    o.seed = seed;
    assert_int_equal(psdvec_context_new(&o, &ctx), PSDVEC_OK);
    return ctx;
}

/* The spectrum of Algorithm 1 has no gap after the requested values, and small residuals do not
 * prove that none was missed: the result must not depend on the random start. */
static void no_eigenvector_of_a_dense_spectrum_is_missed(void **state)
{
    (void)state;
    enum { N = 6000, WANT = 150 };
    known k = known_new(17, N);
    for (size_t i = 0; i < N; i++)
        k.value[i] = (i % 3 ? 1 : -1) * 300 / pow((double)i + 1, 0.25);
    pv_operator matrix = known_operator(&k);
    for (int end = PV_EIGEN_LARGEST; end <= PV_EIGEN_MAGNITUDE; end++) {
        double *expected = in_order(N, k.value, WANT, (pv_eigen_end)end), shared = 0;
        solved s[2];
        for (int seed = 0; seed < 2; seed++) {
            psdvec_context *ctx = seeded((uint64_t)seed);
            pv_eigen_options o;
            pv_eigen_options_default(&o, WANT);
            o.end = (pv_eigen_end)end;
            o.tolerance = 3e-3;
            s[seed] = solve(ctx, &matrix, &o);
            for (size_t i = 0; i < WANT; i++)
                assert_close(s[seed].value[i] / expected[i], 1, 2e-3);
            psdvec_context_free(ctx);
        }
        for (size_t a = 0; a < WANT; a++)
            for (size_t b = 0; b < WANT; b++) {
                double product = 0;
                for (size_t i = 0; i < N; i++)
                    product += (double)s[0].vector[i * WANT + a] * s[1].vector[i * WANT + b];
                shared += product * product;
            }
        assert_below(1 - shared / WANT, 5e-3);
        solved_free(&s[0]);
        solved_free(&s[1]);
        free(expected);
    }
    known_free(&k);
}

static void processes_that_share_the_rows_find_the_same_bits(void **state)
{
    (void)state;
    enum { N = 1600, WANT = 30 }; /* four tiles */
    dense m = dense_random(9, N, -1);
    psdvec_context *ctx = context_of(1);
    part whole = {.m = &m, .X = zeros(N * 64, sizeof(float))};
    pv_operator matrix = {.n = N, .self = &whole, .apply = apply_part};
    pv_eigen_options o = options_of(WANT, PV_EIGEN_MAGNITUDE, 16, 0);
    solved alone = solve(ctx, &matrix, &o);
    psdvec_context_options options[MEMBERS];
    divided_job job = {.m = &m};
    for (size_t k = 0; k < MEMBERS; k++) {
        psdvec_context_options_default(&options[k]);
        options[k].threads = 1 + (int)(k % 2);
        job.result[k] =
            (solved){N, WANT, zeros(WANT, sizeof(double)), zeros(N * WANT, sizeof(float)), {0}};
    }
    run_members(MEMBERS, options, solve_divided, &job);
    for (size_t k = 0; k < MEMBERS; k++) {
        assert_int_equal(job.status[k], PSDVEC_OK);
        assert_int_equal(job.result[k].report.columns, alone.report.columns);
        assert_memory_equal(job.result[k].value, alone.value, WANT * sizeof(double));
        pv_tiles own = job.rows[k];
        assert_int_equal(own.end_tile - own.first_tile, k == 2 ? 2 : 1);
        assert_memory_equal(job.result[k].vector + own.first * WANT,
                            alone.vector + own.first * WANT,
                            (own.end - own.first) * WANT * sizeof(float));
        solved_free(&job.result[k]);
    }
    check_vectors(&alone, &matrix, WANT, 1e-3);
    solved_free(&alone);
    dense_free(&m);
    free(whole.X);
    psdvec_context_free(ctx);
}

static void a_good_guess_saves_work_and_a_bad_one_does_no_harm(void **state)
{
    (void)state;
    enum { N = 1000, WANT = 24 };
    psdvec_context *ctx = context_of(2);
    known k = known_new(7, N);
    for (size_t i = 0; i < N; i++)
        k.value[i] = 100 / (1 + 0.1 * (double)i);
    pv_operator matrix = known_operator(&k);
    pv_eigen_options o = options_of(WANT, PV_EIGEN_LARGEST, 8, 64);
    o.tolerance = 1e-4;
    solved cold = solve(ctx, &matrix, &o);
    o.guess = cold.vector;
    o.guess_columns = WANT;
    solved warm = solve(ctx, &matrix, &o);
    assert_true(warm.report.columns < cold.report.columns);
    for (size_t i = 0; i < WANT; i++)
        assert_close(warm.value[i], cold.value[i], 2e-3);
    float *guess = zeros(N * 3, sizeof *guess); /* zeros, and duplicates, fewer than a block */
    for (size_t i = 0; i < N; i++)
        guess[i * 3 + 1] = guess[i * 3 + 2] = cold.vector[i * WANT];
    o.guess = guess;
    o.guess_columns = 3;
    compare_known(ctx, &k, &o, 2e-3);
    memset(guess, 0, N * 3 * sizeof *guess);
    compare_known(ctx, &k, &o, 2e-3);
    free(guess);
    solved_free(&cold);
    solved_free(&warm);
    known_free(&k);
    psdvec_context_free(ctx);
}

/* The later matrices of the paper's algorithm: some values are well separated and, starting from
 * the vectors of the previous iteration, converge long before the basis is full. */
static void vectors_that_converge_early_stay_orthogonal(void **state)
{
    (void)state;
    enum { N = 3000, WANT = 100 };
    psdvec_context *ctx = context_of(2);
    known k = known_new(11, N);
    pv_operator matrix = known_operator(&k);
    pv_eigen_options o;
    pv_eigen_options_default(&o, WANT);
    o.tolerance = 3e-3; /* that of the presets */
    for (size_t i = 0; i < N; i++)
        k.value[i] = i < WANT ? 700 / (1 + 0.05 * (double)i) : 6 * cos((double)i);
    solved cold = solve(ctx, &matrix, &o);
    for (size_t i = 0; i < WANT; i++)
        k.value[i] += 2 * sin((double)i);
    o.guess = cold.vector;
    o.guess_columns = WANT;
    k.products = 0;
    compare_known(ctx, &k, &o, 0.05);
    assert_below(k.products, 4 * WANT);
    solved_free(&cold);
    known_free(&k);
    psdvec_context_free(ctx);
}

static void the_bits_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    enum { N = 1400, WANT = 30 };
    dense m = dense_random(8, N, -0.5);
    pv_operator matrix = {.n = N, .self = &m, .apply = apply_single};
    solved first = {0};
    for (int threads = 1; threads <= 4; threads *= 2) {
        psdvec_context *ctx = context_of(threads);
        pv_eigen_options o = options_of(WANT, PV_EIGEN_MAGNITUDE, 16, 96);
        solved s = solve(ctx, &matrix, &o);
        if (threads > 1) {
            assert_memory_equal(s.value, first.value, WANT * sizeof(double));
            assert_memory_equal(s.vector, first.vector, N * WANT * sizeof(float));
            assert_int_equal(s.report.columns, first.report.columns);
            solved_free(&s);
        } else {
            assert_true(s.report.restarts > 0);
            first = s;
        }
        psdvec_context_free(ctx);
    }
    /* The largest component of a vector is positive. */
    for (size_t k = 0; k < WANT; k++) {
        float largest = 0;
        for (size_t i = 0; i < N; i++)
            if (fabsf(first.vector[i * WANT + k]) > fabsf(largest))
                largest = first.vector[i * WANT + k];
        assert_true(largest > 0);
    }
    solved_free(&first);
    dense_free(&m);
}

static bool yes(void *user)
{
    (void)user;
    return true;
}

static void failures_in_a_product_are_reported(void **state)
{
    (void)state;
    for (size_t n = 100; n <= 1000; n += 900) {
        known k = known_new(9, n);
        for (size_t i = 0; i < n; i++)
            k.value[i] = 1 / ((double)i + 1);
        pv_operator matrix = known_operator(&k);
        pv_eigen_options o = options_of(10, PV_EIGEN_LARGEST, 16, 0);
        double *value = zeros(10, sizeof *value);
        float *vector = zeros(10 * n, sizeof *vector);
        pv_eigen_report report;
        psdvec_context *ctx = context_of(2);
        k.poison = 40;
        assert_int_equal(pv_eigen(ctx, &matrix, &o, value, vector, &report), PSDVEC_ERR_NUMERIC);
        assert_contains(psdvec_error_message(ctx), "not finite");
        k.poison = 0;
        k.fails = PSDVEC_ERR_READ;
        pv_begin(ctx);
        assert_int_equal(pv_eigen(ctx, &matrix, &o, value, vector, &report), PSDVEC_ERR_READ);
        k.fails = PSDVEC_OK;
        assert_int_equal(atomic_load(&ctx->memory_used), 0);
        psdvec_context_free(ctx);
        psdvec_context_options c;
        psdvec_context_options_default(&c);
        c.should_cancel = yes;
        ok(psdvec_context_new(&c, &ctx));
        k.products = 0;
        psdvec_status status = pv_eigen(ctx, &matrix, &o, value, vector, &report);
        assert_true(status == PSDVEC_ERR_CANCELLED || (n == 100 && status == PSDVEC_OK));
        assert_true(k.products <= 128);
        psdvec_context_free(ctx);
        free(value);
        free(vector);
        known_free(&k);
    }
}

/* ---- Tall matrices and kernels --------------------------------------------------------------- */

static float *random_floats(dice *d, size_t count)
{
    float *numbers = zeros(count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)dice_normal(d);
    return numbers;
}

static void tall_products_are_those_of_loops(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 511, 513, 1500}; /* around tiles of 512 rows */
    enum { A = 7, B = 5, STRIDE = 11 };
    dice d = {10};
    psdvec_context *ctx = context_of(2);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        float *a = random_floats(&d, n * STRIDE), *b = random_floats(&d, n * STRIDE);
        float *y = random_floats(&d, n * STRIDE), *M = random_floats(&d, A * B);
        float *before = zeros(n * STRIDE, sizeof *before);
        double gram[A * B];
        pv_tall left = {a, STRIDE, A, NULL}, right = {b, STRIDE, B, NULL};
        well(ctx, pv_tall_gram(ctx, n, left, right, NULL, gram));
        for (size_t p = 0; p < A; p++)
            for (size_t q = 0; q < B; q++) {
                double sum = 0;
                for (size_t i = 0; i < n; i++)
                    sum += (double)a[i * STRIDE + p] * b[i * STRIDE + q];
                assert_close(gram[p * B + q], sum, 1e-5 * sqrt((double)n) + 1e-6);
            }
        memcpy(before, y, n * STRIDE * sizeof *y);
        well(ctx, pv_tall_multiply(ctx, n, -2, left, M, B, 0.5f, y, STRIDE));
        for (size_t i = 0; i < n; i++)
            for (size_t q = 0; q < STRIDE; q++) {
                double sum = q < B ? 0.5 * before[i * STRIDE + q] : before[i * STRIDE + q];
                for (size_t p = 0; p < A && q < B; p++)
                    sum -= 2 * (double)a[i * STRIDE + p] * M[p * B + q];
                assert_close(y[i * STRIDE + q], sum, 2e-5);
            }
        memcpy(before, a, n * STRIDE * sizeof *a);
        well(ctx, pv_tall_transform(ctx, n, a, STRIDE, A, NULL, M, B));
        for (size_t i = 0; i < n; i++)
            for (size_t q = 0; q < STRIDE; q++) {
                double sum = q < B ? 0 : before[i * STRIDE + q];
                for (size_t p = 0; p < A && q < B; p++)
                    sum += (double)before[i * STRIDE + p] * M[p * B + q];
                assert_close(a[i * STRIDE + q], sum, 2e-5);
            }
        free(a);
        free(b);
        free(y);
        free(M);
        free(before);
    }
    assert_int_equal(atomic_load(&ctx->memory_used), 0);
    psdvec_context_free(ctx);
}

static void fast_and_portable_products_agree(void **state)
{
    (void)state;
    enum { ROWS = 50 };
    dice d = {11};
    const pv_kernels *fast = pv_kernels_best();
    print_message("kernels: %s\n", fast->name);
    for (size_t k = 1; k <= 130; k++) {
        size_t count = k % 40; /* none, and more than the prefetch distance */
        float *X = random_floats(&d, ROWS * k), *value = random_floats(&d, count);
        float *plain = zeros(k + 1, sizeof *plain), *quick = zeros(k + 1, sizeof *quick);
        uint32_t column[40];
        for (size_t t = 0; t < count; t++)
            column[t] = (uint32_t)dice_below(&d, ROWS);
        plain[k] = quick[k] = 77;
        pv_kernels_plain.row_product(column, value, count, X, k, plain);
        fast->row_product(column, value, count, X, k, quick);
        for (size_t c = 0; c < k; c++) {
            double sum = 0;
            for (size_t t = 0; t < count; t++)
                sum += (double)value[t] * X[column[t] * k + c];
            assert_close(plain[c], sum, 3e-5);
            assert_close(quick[c], sum, 3e-5);
        }
        assert_true(plain[k] == 77 && quick[k] == 77);
        free(X);
        free(value);
        free(plain);
        free(quick);
    }
}

static void products_in_half_precision_are_those_of_rounded_numbers(void **state)
{
    (void)state;
    enum { ROWS = 50 };
    dice d = {13};
    const pv_kernels *both[] = {&pv_kernels_plain, pv_kernels_best()};
    for (size_t k = 1; k <= 130; k++) {
        size_t count = k % 40;
        float *X = random_floats(&d, ROWS * k), *value = random_floats(&d, count);
        uint16_t *half[2];
        uint32_t column[40];
        for (size_t t = 0; t < count; t++)
            column[t] = (uint32_t)dice_below(&d, ROWS);
        X[0] = 1e-9F; /* becomes 0, as do other small numbers; 1 / 2^20 does not */
        X[ROWS * k - 1] = 0x1p-20F;
        for (int which = 0; which < 2; which++) {
            float *y = zeros(k + 1, sizeof *y);
            half[which] = zeros(ROWS * k, sizeof *half[which]);
            both[which]->to_half(X, ROWS * k, 8, half[which]);
            y[k] = 77;
            both[which]->row_product_half(column, value, count, half[which], k, y);
            for (size_t c = 0; c < k; c++) {
                double sum = 0;
                for (size_t t = 0; t < count; t++)
                    sum += (double)value[t] * pv_half_to(half[which][column[t] * k + c]);
                assert_close(y[c], sum, 3e-4);
            }
            assert_true(y[k] == 77);
            free(y);
        }
        assert_memory_equal(half[0], half[1], ROWS * k * sizeof *half[0]);
        for (size_t i = 0; i < ROWS * k; i++)
            assert_close(pv_half_to(half[0][i]), 8 * X[i], 8 * fabsf(X[i]) / 2048 + 0x1p-24);
        free(half[0]);
        free(half[1]);
        free(X);
        free(value);
    }
}

static void fast_and_portable_dot_products_agree(void **state)
{
    (void)state;
    enum { ROWS = 30 };
    dice d = {12};
    const pv_kernels *fast = pv_kernels_best();
    for (size_t dim = 8; dim <= 320; dim += 8) {
        size_t stride = dim + 8 * dice_below(&d, 3), count = dice_below(&d, 20);
        float *V = random_floats(&d, ROWS * stride), *a = random_floats(&d, dim);
        float plain[21], quick[21];
        uint32_t column[20];
        for (size_t t = 0; t < count; t++)
            column[t] = (uint32_t)dice_below(&d, ROWS);
        plain[count] = quick[count] = 77;
        pv_kernels_plain.row_dots(column, count, a, V, 0, stride, dim, plain);
        fast->row_dots(column, count, a, V, 0, stride, dim, quick);
        for (size_t t = 0; t < count; t++) {
            double sum = 0;
            for (size_t c = 0; c < dim; c++)
                sum += (double)a[c] * V[column[t] * stride + c];
            assert_close(plain[t], sum, 1e-4);
            assert_close(quick[t], sum, 1e-4);
        }
        assert_true(plain[count] == 77 && quick[count] == 77);
        free(V);
        free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenpairs_are_those_of_lapack),
        cmocka_unit_test(eigenpairs_are_those_of_arpack),
        cmocka_unit_test(one_huge_negative_eigenvalue_does_no_harm),
        cmocka_unit_test(eigenvalues_are_found_with_their_multiplicity),
        cmocka_unit_test(low_rank_and_invariant_subspaces_are_handled),
        cmocka_unit_test(a_small_matrix_gives_as_many_as_it_has),
        cmocka_unit_test(a_block_may_be_wide),
        cmocka_unit_test(no_eigenvector_of_a_dense_spectrum_is_missed),
        cmocka_unit_test(processes_that_share_the_rows_find_the_same_bits),
        cmocka_unit_test(a_good_guess_saves_work_and_a_bad_one_does_no_harm),
        cmocka_unit_test(vectors_that_converge_early_stay_orthogonal),
        cmocka_unit_test(the_bits_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(failures_in_a_product_are_reported),
        cmocka_unit_test(tall_products_are_those_of_loops),
        cmocka_unit_test(fast_and_portable_products_agree),
        cmocka_unit_test(products_in_half_precision_are_those_of_rounded_numbers),
        cmocka_unit_test(fast_and_portable_dot_products_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
