/* Sparse codes of dense vectors: codes against a simple solver, the dictionary, complete runs. */
#include "base/memory.h"
#include "baseline/sparse_learn.h"
#include "model/model_read.h"
#include "support/problem.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Codes ----------------------------------------------------------------------------------- */

static const pv_code_rules exact = {.l1 = 0.2F, .rounds = 100, .sweeps = 1000, .tolerance = 1e-6F};

/* Atoms of length 1 in all directions. */
static pv_atoms random_atoms(psdvec_context *ctx, dice *d, uint32_t count, uint32_t dim)
{
    pv_atoms atoms;
    well(ctx, pv_atoms_make(ctx, count, dim, &atoms));
    for (uint32_t j = 0; j < count; j++) {
        float *row = atoms.rows + j * atoms.stride;
        double square = 0;
        for (uint32_t k = 0; k < dim; k++) {
            row[k] = (float)dice_normal(d);
            square += (double)row[k] * row[k];
        }
        for (uint32_t k = 0; k < dim; k++)
            row[k] = (float)(row[k] / sqrt(square));
    }
    pv_atoms_measure(&atoms);
    return atoms;
}

static float *random_vectors(dice *d, size_t count, size_t dim)
{
    float *x = calloc(count * dim, sizeof *x);
    for (size_t k = 0; k < count * dim; k++)
        x[k] = (float)dice_normal(d);
    return x;
}

/* Codes of one tile of contiguous rows. */
static pv_csr_store find(psdvec_context *ctx, const pv_atoms *atoms, const pv_code_rules *rules,
                         const float *x, uint32_t rows)
{
    const float *at[PV_CODE_TILE];
    pv_code_workspace *room;
    pv_csr_store codes = {0};
    for (uint32_t i = 0; i < rows; i++)
        at[i] = x + (size_t)i * atoms->dim;
    well(ctx, pv_code_workspace_make(ctx, atoms, &room));
    well(ctx, pv_codes_find(ctx, atoms, rules, at, 1, rows, room, &codes));
    pv_code_workspace_free(ctx, room);
    return codes;
}

static void spread_out(const pv_csr_store *codes, uint32_t row, size_t count, double *code)
{
    memset(code, 0, count * sizeof *code);
    for (uint64_t t = codes->begin[row]; t < codes->begin[row + 1]; t++)
        code[codes->column[t]] = (double)codes->value[t];
}

/* r = x - sum of a_j d_j; returns the objective. */
static double residual(const pv_atoms *atoms, const float *x, const double *code, double l1,
                       double *r)
{
    double sum = 0;
    for (uint32_t k = 0; k < atoms->dim; k++) {
        r[k] = (double)x[k];
        for (uint32_t j = 0; j < atoms->count; j++)
            r[k] -= code[j] * (double)atoms->rows[j * atoms->stride + k];
        sum += r[k] * r[k];
    }
    for (uint32_t j = 0; j < atoms->count; j++)
        sum += l1 * fabs(code[j]);
    return sum;
}

static double product(const pv_atoms *atoms, uint32_t j, const double *r)
{
    double sum = 0;
    for (uint32_t k = 0; k < atoms->dim; k++)
        sum += r[k] * (double)atoms->rows[j * atoms->stride + k];
    return sum;
}

/* The gradient of a nonzero code is exactly l1 / 2 (without the ridge); that of a zero code is
 * smaller. */
static void check_conditions(const pv_atoms *atoms, const pv_code_rules *rules, const double *code,
                             const double *r)
{
    double half = (double)rules->l1 / 2;
    for (uint32_t j = 0; j < atoms->count; j++) {
        double pull = product(atoms, j, r) - (double)rules->ridge * code[j];
        if (rules->nonnegative)
            assert_true(code[j] >= 0);
        if (code[j] != 0)
            assert_close(pull, code[j] > 0 ? half : -half, 1e-3 * half);
        else if (rules->nonnegative)
            assert_below(pull, half * (1 + 1e-3));
        else
            assert_below(fabs(pull), half * (1 + 1e-3));
    }
}

static void codes_meet_the_conditions_of_the_minimum(void **state)
{
    workshop *w = *state;
    dice d = {11};
    for (int kind = 0; kind < 8; kind++) {
        pv_code_rules rules = exact;
        rules.nonnegative = kind & 1;
        rules.ridge = kind < 3 ? 0 : 0.4F;
        uint32_t dim = kind < 2 ? 8 : kind < 6 ? 37 : 3, rows = kind < 2 ? 1 : PV_CODE_TILE - 3;
        pv_atoms atoms = random_atoms(w->ctx, &d, 5 * dim + 1, dim);
        float *x = random_vectors(&d, rows, dim);
        pv_csr_store codes = find(w->ctx, &atoms, &rules, x, rows);
        double *code = calloc(atoms.count, sizeof *code), *r = calloc(dim, sizeof *r);
        assert_int_equal(codes.rows, rows);
        for (uint32_t i = 0; i < rows; i++) {
            spread_out(&codes, i, atoms.count, code);
            residual(&atoms, x + (size_t)i * dim, code, (double)rules.l1, r);
            check_conditions(&atoms, &rules, code, r);
            /* As many codes as dimensions are enough (two may be about to leave), and zero codes
             * are not stored. */
            assert_true(rules.ridge > 0 || codes.begin[i + 1] - codes.begin[i] <= dim + 2);
            for (uint64_t t = codes.begin[i]; t < codes.begin[i + 1]; t++) {
                assert_true(codes.value[t] != 0);
                assert_true(t == codes.begin[i] || codes.column[t] > codes.column[t - 1]);
            }
        }
        free(code);
        free(r);
        free(x);
        pv_csr_store_free(&codes);
        pv_atoms_free(w->ctx, &atoms);
    }
}

/* Proximal gradient steps until convergence. */
static double plain_codes(const pv_atoms *atoms, const float *x, const pv_code_rules *rules,
                          double *code, double *r)
{
    double step = 0.5 / atoms->count, l1 = (double)rules->l1; /* for atoms of length 1 */
    memset(code, 0, atoms->count * sizeof *code);
    for (int times = 0; times < 100000; times++) {
        residual(atoms, x, code, l1, r);
        for (uint32_t j = 0; j < atoms->count; j++) {
            double now = code[j] + 2 * step * product(atoms, j, r), cut = step * l1;
            code[j] = now > cut ? now - cut : now < -cut && !rules->nonnegative ? now + cut : 0;
        }
    }
    return residual(atoms, x, code, l1, r);
}

static void codes_are_those_of_a_plain_solver(void **state)
{
    workshop *w = *state;
    dice d = {12};
    enum { dim = 6, count = 15, rows = 4 };
    for (int nonnegative = 0; nonnegative < 2; nonnegative++) {
        pv_code_rules rules = exact;
        rules.nonnegative = nonnegative;
        pv_atoms atoms = random_atoms(w->ctx, &d, count, dim);
        float *x = random_vectors(&d, rows, dim);
        pv_csr_store codes = find(w->ctx, &atoms, &rules, x, rows);
        double code[count], expected[count], r[dim];
        for (uint32_t i = 0; i < rows; i++) {
            double best = plain_codes(&atoms, x + i * dim, &rules, expected, r);
            spread_out(&codes, i, count, code);
            assert_close(residual(&atoms, x + i * dim, code, (double)rules.l1, r), best, 1e-6);
            for (int j = 0; j < count; j++)
                assert_close(code[j], expected[j], 1e-3);
        }
        free(x);
        pv_csr_store_free(&codes);
        pv_atoms_free(w->ctx, &atoms);
    }
}

static void a_zero_vector_has_no_codes(void **state)
{
    workshop *w = *state;
    dice d = {13};
    pv_atoms atoms = random_atoms(w->ctx, &d, 20, 5);
    float x[10] = {0, 0, 0, 0, 0, 1, 0, 2, 0, 0};
    pv_csr_store codes = find(w->ctx, &atoms, &exact, x, 2);
    assert_int_equal(codes.begin[1], 0);
    assert_true(codes.begin[2] > 0);
    pv_csr_store_free(&codes);
    pv_atoms_free(w->ctx, &atoms);
}

static void fast_and_plain_loops_give_the_same_bits(void **state)
{
    workshop *w = *state;
    dice d = {14};
    const pv_sweep_kernels *plain = &pv_sweep_plain, *best = pv_sweep_best();
    enum { count = 40 };
    for (uint32_t dim = 1; dim < 90; dim += 11) {
        pv_atoms atoms = random_atoms(w->ctx, &d, count, dim);
        float *x = calloc(atoms.stride, sizeof *x), *y = calloc(atoms.stride, sizeof *y);
        float code[2][count] = {{0}};
        uint32_t listed[count];
        for (uint32_t k = 0; k < dim; k++)
            x[k] = y[k] = (float)dice_normal(&d);
        for (uint32_t j = 0; j < count; j++)
            listed[j] = j;
        for (int s = 0; s < 5; s++) {
            float a = plain->sweep(&atoms, listed, count, 0.05F, 0.2F, s & 1, code[0], x);
            float b = best->sweep(&atoms, listed, count, 0.05F, 0.2F, s & 1, code[1], y);
            assert_true(a == b);
        }
        plain->add(&atoms, listed, code[0], count, x);
        best->add(&atoms, listed, code[0], count, y);
        plain->add_row(atoms.rows, 0.3F, dim, x);
        best->add_row(atoms.rows, 0.3F, dim, y);
        assert_memory_equal(x, y, atoms.stride * sizeof *x);
        assert_memory_equal(code[0], code[1], sizeof code[0]);
        free(x);
        free(y);
        pv_atoms_free(w->ctx, &atoms);
    }
}

/* ---- The dictionary -------------------------------------------------------------------------- */

/* A separate learner after `epochs` epochs. */
static pv_sparse_learner learner_of(psdvec_context *ctx, const pv_code_words *words, uint32_t atoms,
                                    uint32_t epochs, double ridge, bool nonnegative)
{
    pv_sparse_learner l = {.ctx = ctx,
                           .words = words,
                           .l1 = 0.5,
                           .l2 = 1e-4,
                           .ridge = ridge,
                           .nonnegative = nonnegative};
    well(ctx, pv_sparse_begin(&l, atoms));
    for (uint32_t e = 0; e < epochs; e++)
        well(ctx, pv_sparse_epoch(&l));
    return l;
}

static void sums_are_those_of_all_words_and_can_be_subtracted(void **state)
{
    workshop *w = *state;
    dice d = {15};
    enum { n = 150, dim = 11, count = 70 };
    float *x = random_vectors(&d, n, dim);
    pv_code_words words = pv_code_words_of(n, dim, x, 1.5F);
    assert_int_equal(words.tiles, 3);
    pv_sparse_learner l = learner_of(w->ctx, &words, count, 1, 0, false);
    pv_code_sums sums;
    well(w->ctx, pv_code_sums_make(w->ctx, &l.atoms, &sums));
    well(w->ctx, pv_code_sums_add(&sums, &words, 0, 3, l.codes, 1));
    double B[count][count] = {{0}}, C[count][dim] = {{0}}, length[count] = {0}, code[count];
    for (uint32_t i = 0; i < n; i++) {
        spread_out(&l.codes[i % 3], i / 3, count, code);
        for (int j = 0; j < count; j++) {
            length[j] += fabs(code[j]);
            for (int k = 0; k < count; k++)
                B[j][k] += code[j] * code[k];
            for (int k = 0; k < dim; k++)
                C[j][k] += code[j] * 1.5 * (double)x[i * dim + k];
        }
    }
    for (size_t j = 0; j < count; j++) {
        assert_close(sums.length[j], length[j], 1e-5);
        for (size_t k = j; k < count; k++)
            assert_close(sums.B[j * count + k], B[j][k], 1e-4);
        for (size_t k = 0; k < dim; k++)
            assert_close(sums.C[j * sums.stride + k], C[j][k], 1e-4);
    }
    well(w->ctx, pv_code_sums_add(&sums, &words, 1, 3, l.codes + 1, -1));
    well(w->ctx, pv_code_sums_add(&sums, &words, 0, 1, l.codes, -1));
    for (size_t j = 0; j < count; j++)
        for (size_t k = j; k < count; k++)
            assert_close(sums.B[j * count + k], 0, 1e-3);
    pv_code_sums_free(&sums);
    pv_sparse_free(&l);
    free(x);
}

static double error_of(const pv_sparse_learner *l)
{
    double sum = 0, *code = calloc(l->atoms.count, sizeof *code);
    double *r = calloc(l->words->dim, sizeof *r);
    for (uint32_t i = 0; i < l->words->count; i++) {
        spread_out(&l->codes[i % l->words->tiles], i / l->words->tiles, l->atoms.count, code);
        sum += residual(&l->atoms, l->words->vectors + (size_t)i * l->words->dim, code, 0, r);
    }
    free(code);
    free(r);
    return sum;
}

static void atoms_have_length_1_and_fit_the_codes_better(void **state)
{
    workshop *w = *state;
    dice d = {16};
    enum { n = 400, dim = 20, count = 90 };
    float *x = random_vectors(&d, n, dim);
    pv_code_words words = pv_code_words_of(n, dim, x, 1);
    pv_sparse_learner l = learner_of(w->ctx, &words, count, 1, 0, false);
    pv_code_sums_clear(&l.sums);
    well(w->ctx, pv_code_sums_add(&l.sums, &words, 0, words.tiles, l.codes, 1));
    double before = error_of(&l);
    for (int times = 0; times < 4; times++) {
        well(w->ctx, pv_atoms_update(&l.atoms, &l.sums, 1));
        double after = error_of(&l);
        assert_below(after, before);
        before = after;
        for (uint32_t j = 0; j < count; j++)
            assert_close(l.atoms.square[j], 1, 1e-5);
    }
    pv_sparse_free(&l);
    free(x);
}

static void every_epoch_lowers_the_objective(void **state)
{
    workshop *w = *state;
    dice d = {17};
    enum { n = 700, dim = 24, count = 96 };
    float *x = random_vectors(&d, n, dim);
    memset(x + 5 * dim, 0, dim * sizeof *x); /* a word without a vector */
    pv_code_words words = pv_code_words_of(n, dim, x, 1);
    for (int nonnegative = 0; nonnegative < 2; nonnegative++) {
        pv_sparse_learner l =
            learner_of(w->ctx, &words, count, 1, nonnegative ? 0.3 : 0, nonnegative);
        double *code = calloc(count, sizeof *code);
        for (int e = 0; e < 12; e++) {
            double before = l.objective;
            well(w->ctx, pv_sparse_epoch(&l));
            assert_below(l.objective, before);
            /* It equals the formula in the head comment. */
            double size = 0, squares = 0;
            for (uint32_t i = 0; i < n; i++) {
                spread_out(&l.codes[i % words.tiles], i / words.tiles, count, code);
                for (int j = 0; j < count; j++) {
                    size += fabs(code[j]) / l.length;
                    squares += code[j] * code[j];
                }
            }
            double whole = (error_of(&l) + l.l1 * size + l.ridge * squares) / n +
                           l.l2 * count * l.length * l.length;
            assert_close(l.objective, whole, 1e-5 * whole);
        }
        double before = l.objective;
        well(w->ctx, pv_sparse_finish(&l));
        assert_true(l.objective <= before);
        assert_int_equal(l.codes[5 % words.tiles].begin[5 / words.tiles],
                         l.codes[5 % words.tiles].begin[5 / words.tiles + 1]);
        free(code);
        pv_sparse_free(&l);
    }
    free(x);
}

/* Words that are sums of three atoms of a hidden dictionary. */
static void a_planted_dictionary_is_recovered(void **state)
{
    workshop *w = *state;
    dice d = {18};
    enum { n = 3000, dim = 20, count = 30 };
    for (int nonnegative = 0; nonnegative < 2; nonnegative++) {
        pv_atoms hidden = random_atoms(w->ctx, &d, count, dim);
        float *x = calloc((size_t)n * dim, sizeof *x);
        for (size_t i = 0; i < n; i++)
            for (int t = 0; t < 3; t++) {
                size_t j = dice_below(&d, count);
                float sign = !nonnegative && dice_percent(&d, 50) ? -1 : 1;
                float a = sign * (float)(0.5 + dice_unit(&d));
                for (size_t k = 0; k < dim; k++)
                    x[i * dim + k] += a * hidden.rows[j * hidden.stride + k];
            }
        pv_code_words words = pv_code_words_of(n, dim, x, 1);
        pv_sparse_learner l = learner_of(w->ctx, &words, count, 60, 0, nonnegative);
        int found = 0;
        for (uint32_t j = 0; j < count; j++) {
            double best = 0;
            for (uint32_t k = 0; k < count; k++) {
                double cosine = 0;
                for (uint32_t m = 0; m < dim; m++)
                    cosine += (double)hidden.rows[j * hidden.stride + m] *
                              (double)l.atoms.rows[k * l.atoms.stride + m];
                best = fmax(best, nonnegative ? cosine : fabs(cosine));
            }
            found += best > 0.98;
        }
        if (found < count - 3)
            fail_msg("only %d of %d atoms were found", found, count);
        pv_sparse_free(&l);
        pv_atoms_free(w->ctx, &hidden);
        free(x);
    }
}

/* ---- Complete runs --------------------------------------------------------------------------- */

static psdvec_baseline_options small_options(void)
{
    psdvec_baseline_options o;
    psdvec_baseline_options_default(&o, PSDVEC_METHOD_SPARSE, NULL);
    o.factor = 4;
    o.l2 = 1e-4;
    o.epochs = 4;
    return o;
}

/* A model of random vectors at w->in. */
static void write_dense(workshop *w, uint32_t words, uint32_t dim, bool zeros)
{
    sample s;
    sample_make(&s, words, dim, 21);
    if (zeros)
        memset(s.vectors, 0, (size_t)words * dim * sizeof *s.vectors);
    well(w->ctx, pv_model_write(w->ctx, &s.data, w->in));
    sample_free(&s);
}

static bool same_file(const char *a, const char *b)
{
    size_t m, n;
    char *x = scratch_read(a, &m), *y = scratch_read(b, &n);
    bool same = x && y && m == n && memcmp(x, y, n) == 0;
    free(x);
    free(y);
    return same;
}

static void run_of_few_words(workshop *w, uint32_t words, bool zeros)
{
    psdvec_baseline_options o = small_options();
    psdvec_baseline_report report;
    write_dense(w, words, 6, zeros);
    well(w->ctx, psdvec_baseline(w->ctx, &o, w->in, w->out, &report));
    assert_int_equal(report.words, words);
    assert_int_equal(report.dim, 24);
    assert_int_equal(report.epochs, 4);
    assert_true(isfinite(report.loss));
    assert_int_equal(zeros, report.entries == 0);
    psdvec_model *m = open_model(w, w->out);
    const psdvec_model_info *info = psdvec_model_get_info(m);
    assert_true(info->sparse);
    assert_int_equal(info->words, words);
    assert_int_equal(info->entries, report.entries);
    psdvec_model_close(m);
}

static void one_word_two_words_and_words_without_vectors(void **state)
{
    workshop *w = *state;
    run_of_few_words(w, 1, false);
    run_of_few_words(w, 2, false);
    run_of_few_words(w, 3, true);
    run_of_few_words(w, 65, false);
}

static void any_number_of_threads_gives_the_same_file(void **state)
{
    workshop *w = *state;
    psdvec_baseline_options o = small_options();
    static const int threads[] = {1, 2, 3, 7};
    write_dense(w, 900, 19, false);
    for (int t = 0; t < 4; t++) {
        workshop_context(w, UINT64_C(256) << 20, threads[t]);
        well(w->ctx, psdvec_baseline(w->ctx, &o, w->in, t ? w->other : w->out, NULL));
        if (t)
            assert_true(same_file(w->out, w->other));
    }
}

static void binary_codes_are_where_nonnegative_ones_are_positive(void **state)
{
    workshop *w = *state;
    psdvec_baseline_options o = small_options();
    psdvec_baseline_report report;
    write_dense(w, 300, 12, false);
    o.nonnegative = true;
    well(w->ctx, psdvec_baseline(w->ctx, &o, w->in, w->out, &report));
    o.binary = true;
    well(w->ctx, psdvec_baseline(w->ctx, &o, w->in, w->other, NULL));
    psdvec_model *plain = open_model(w, w->out), *binary = open_model(w, w->other);
    uint64_t entries = 0;
    for (uint32_t i = 0; i < 300; i++) {
        const uint32_t *column[2];
        const float *value[2];
        size_t count[2];
        psdvec_model_sparse_row(plain, i, &column[0], &value[0], &count[0]);
        psdvec_model_sparse_row(binary, i, &column[1], &value[1], &count[1]);
        assert_int_equal(count[0], count[1]);
        assert_memory_equal(column[0], column[1], count[0] * sizeof *column[0]);
        for (size_t t = 0; t < count[0]; t++) {
            assert_true(value[0][t] > 0);
            assert_true(value[1][t] == 1);
        }
        entries += count[0];
    }
    assert_true(entries > 0);
    assert_int_equal(entries, report.entries);
    psdvec_model_close(plain);
    psdvec_model_close(binary);
}

typedef struct host {
    psdvec_context *ctx;
    const char *stop_at;
    atomic_bool stop;
    char messages[4000];
} host;

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    host *h = user;
    size_t used = strlen(h->messages);
    (void)level;
    snprintf(h->messages + used, sizeof h->messages - used, "%s\n", text);
    if (h->stop_at && strstr(text, h->stop_at))
        atomic_store(&h->stop, true);
}

static bool should_cancel(void *user)
{
    return atomic_load(&((host *)user)->stop);
}

static psdvec_status run_hosted(host *h, const psdvec_baseline_options *o, const char *input,
                                const char *output, int threads)
{
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = threads;
    options.on_message = on_message;
    options.should_cancel = should_cancel;
    options.user = h;
    ok(psdvec_context_new(&options, &h->ctx));
    psdvec_status status = psdvec_baseline(h->ctx, o, input, output, NULL);
    assert_int_equal(atomic_load(&h->ctx->memory_used), 0);
    psdvec_context_free(h->ctx);
    return status;
}

static void an_interrupted_run_resumes_to_the_same_file(void **state)
{
    workshop *w = *state;
    psdvec_baseline_options o = small_options();
    write_dense(w, 500, 15, false);
    well(w->ctx, psdvec_baseline(w->ctx, &o, w->in, w->out, NULL));
    host first = {.stop_at = "epoch 1 of 4"}, second = {.stop_at = "epoch 3 of 4"}, third = {0};
    assert_int_equal(run_hosted(&first, &o, w->in, w->other, 2), PSDVEC_ERR_CANCELLED);
    assert_int_equal(access(w->other, F_OK), -1);
    assert_int_equal(run_hosted(&second, &o, w->in, w->other, 3), PSDVEC_ERR_CANCELLED);
    assert_contains(second.messages, "resuming after epoch 1");
    assert_int_equal(run_hosted(&third, &o, w->in, w->other, 1), PSDVEC_OK);
    assert_contains(third.messages, "resuming after epoch 3");
    assert_true(same_file(w->out, w->other));
}

static void a_run_can_be_cancelled_at_any_moment(void **state)
{
    workshop *w = *state;
    psdvec_baseline_options o = small_options();
    write_dense(w, 300, 15, false);
    for (int polls = 1; polls < 2000; polls = polls * 3 / 2 + 1) {
        atomic_store(&w->polls_left, polls);
        psdvec_status status = psdvec_baseline(w->ctx, &o, w->in, w->out, NULL);
        atomic_store(&w->polls_left, -1);
        assert_true(status == PSDVEC_OK || status == PSDVEC_ERR_CANCELLED);
        assert_int_equal(atomic_load(&w->ctx->memory_used), 0);
        if (status == PSDVEC_OK)
            break;
    }
    o.restart = true;
    well(w->ctx, psdvec_baseline(w->ctx, &o, w->in, w->other, NULL));
    o.restart = false;
    well(w->ctx, psdvec_baseline(w->ctx, &o, w->in, w->out, NULL));
    assert_true(same_file(w->out, w->other));
}

static void invalid_requests_are_reported(void **state)
{
    workshop *w = *state;
    psdvec_baseline_options o = small_options();
    write_dense(w, 300, 12, false);
    well(w->ctx, psdvec_baseline(w->ctx, &o, w->in, w->out, NULL));
    assert_int_equal(psdvec_baseline(w->ctx, &o, w->out, w->other, NULL), PSDVEC_ERR_OPTION);
    assert_contains(psdvec_error_message(w->ctx), "its vectors are already sparse");
    o.l2 = 0;
    assert_int_equal(psdvec_baseline(w->ctx, &o, w->in, w->other, NULL), PSDVEC_ERR_OPTION);
    assert_contains(psdvec_error_message(w->ctx), "`l2`");
    o.l2 = 1e-4;
    o.factor = 1000;
    assert_int_equal(psdvec_baseline(w->ctx, &o, w->in, w->other, NULL), PSDVEC_ERR_BUDGET);
    assert_contains(psdvec_error_message(w->ctx), "`factor`");
    assert_int_equal(access(w->other, F_OK), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        TEST(codes_meet_the_conditions_of_the_minimum),
        TEST(codes_are_those_of_a_plain_solver),
        TEST(a_zero_vector_has_no_codes),
        TEST(fast_and_plain_loops_give_the_same_bits),
        TEST(sums_are_those_of_all_words_and_can_be_subtracted),
        TEST(atoms_have_length_1_and_fit_the_codes_better),
        TEST(every_epoch_lowers_the_objective),
        TEST(a_planted_dictionary_is_recovered),
        TEST(one_word_two_words_and_words_without_vectors),
        TEST(any_number_of_threads_gives_the_same_file),
        TEST(binary_codes_are_where_nonnegative_ones_are_positive),
        TEST(an_interrupted_run_resumes_to_the_same_file),
        TEST(a_run_can_be_cancelled_at_any_moment),
        TEST(invalid_requests_are_reported),
    };
    return cmocka_run_group_tests_name("sparse codes", tests, NULL, NULL);
}
