/* The read-out as computed in training, against the formulas of solve/order.h and train/readout.h
 * with dense matrices in double precision. */
#include "link/link.h"
#include "model/model_read.h"
#include "solve/order.h"
#include "spelling/pooling.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

static void *room(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    assert_non_null(block);
    return block;
}

static psdvec_train_options default_options(uint32_t dim)
{
    psdvec_train_options o;
    psdvec_train_options_default(&o);
    o.dim = dim;
    return o;
}

/* The combination 0 .. 15 of centring, order, spelling and another power of the eigenvalues. */
static psdvec_train_options combined(psdvec_train_options o, int combination)
{
    o.centre = combination & 1;
    o.order = combination & 2 ? 0.5 : 0;
    o.spelling = combination & 4 ? 0.75 : 0;
    o.readout_power = combination & 8 ? 0.2 : 0.5;
    o.inflections = 0;
    return o;
}

static psdvec_model *train_and_open(problem *p, const psdvec_train_options *o, const char *name)
{
    char *path = scratch_path(p->folder, name);
    psdvec_model *model;
    well(p->ctx, psdvec_train(p->ctx, o, p->path, path, NULL));
    well(p->ctx, psdvec_model_open(p->ctx, path, &model));
    well(p->ctx, psdvec_model_verify(p->ctx, model));
    free(path);
    return model;
}

static const float *readout_of(problem *p, const psdvec_model *model)
{
    const float *vectors;
    well(p->ctx, psdvec_model_readout(p->ctx, model, &vectors));
    return vectors;
}

/* ---- The reference --------------------------------------------------------------------------- */

/* a: words x dim, as defined in order.h. V: words x dim. */
static double *dense_order(const dense_counts *counts, const float *V, size_t dim)
{
    size_t n = counts->words;
    double *m = room(n, sizeof *m), *q = room(n * dim, sizeof *q), *a = room(n * dim, sizeof *a);
    double total = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double x = counts->x[i * n + j];
            m[i] += x / 2;
            m[j] += x / 2;
            total += x;
        }
    for (size_t k = 0; k < dim; k++) {
        double square = 0;
        for (size_t i = 0; i < n; i++)
            square += (double)V[i * dim + k] * (double)V[i * dim + k];
        for (size_t i = 0; i < n && square > 0; i++)
            q[i * dim + k] = (double)V[i * dim + k] / sqrt(square);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double e = m[i] * m[j] / total;
            double K = log1p(counts->x[i * n + j] / (e + 1)) -
                       log1p(counts->x[j * n + i] / (e + 1));
            for (size_t k = 0; k < dim; k++)
                a[i * dim + k] += K * q[j * dim + k];
        }
    free(m);
    free(q);
    return a;
}

/* Subtracts the mean of the rows if requested, and scales rows to `length`; zero rows stay. */
static void dense_unit(double *rows, size_t n, size_t dim, bool centre, double length)
{
    double *mean = room(dim, sizeof *mean);
    for (size_t i = 0; i < n * dim && centre; i++)
        mean[i % dim] += rows[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double *row = rows + i * dim, square = 0;
        bool known = false;
        for (size_t k = 0; k < dim; k++)
            known |= row[k] != 0;
        for (size_t k = 0; k < dim && known; k++) {
            row[k] -= mean[k];
            square += row[k] * row[k];
        }
        for (size_t k = 0; k < dim && square > 0; k++)
            row[k] *= length / sqrt(square);
    }
    free(mean);
}

/* r: words x dim. The signs of the dimensions are arbitrary, so compare products. */
static double *dense_readout(const dense_counts *counts, const psdvec_model *model, size_t dim,
                             const psdvec_train_options *o)
{
    const float *V = psdvec_model_vector(model, 0);
    const float *eigenvalues = psdvec_model_get_info(model)->eigenvalues;
    size_t n = counts->words, wide = 2 * dim;
    double *u = room(n * dim, sizeof *u);
    for (size_t i = 0; i < n * dim; i++)
        if (V[i] != 0)
            u[i] = (double)V[i] * pow(fabs((double)eigenvalues[i % dim]), o->readout_power - 0.5);
    dense_unit(u, n, dim, o->centre, 1);
    if (o->order == 0)
        return u;
    double *a = dense_order(counts, V, dim), *B = room(n * wide, sizeof *B);
    double *gram = room(wide * wide, sizeof *gram), *values = room(wide, sizeof *values);
    double *Q = room(wide * wide, sizeof *Q);
    dense_unit(a, n, dim, true, o->order);
    for (size_t i = 0; i < n; i++) {
        memcpy(B + i * wide, u + i * dim, dim * sizeof *B);
        memcpy(B + i * wide + dim, a + i * dim, dim * sizeof *B);
        for (size_t k = 0; k < wide; k++)
            for (size_t l = 0; l < wide; l++)
                gram[k * wide + l] += B[i * wide + k] * B[i * wide + l];
    }
    dense_eigen(wide, gram, values, Q);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < dim; c++) {
            u[i * dim + c] = 0;
            for (size_t k = 0; k < wide; k++)
                u[i * dim + c] += B[i * wide + k] * Q[(wide - 1 - c) * wide + k];
        }
    dense_unit(u, n, dim, false, 1);
    free(a);
    free(B);
    free(gram);
    free(values);
    free(Q);
    return u;
}

/* The largest difference between products of two rows. */
static double gram_difference(size_t n, size_t dim, const float *a, const double *b)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double x = 0, y = 0;
            for (size_t k = 0; k < dim; k++) {
                x += (double)a[i * dim + k] * (double)a[j * dim + k];
                y += b[i * dim + k] * b[j * dim + k];
            }
            worst = fmax(worst, fabs(x - y));
        }
    return worst;
}

/* ---- Order vectors --------------------------------------------------------------------------- */

static float *random_vectors(dice *d, size_t n, size_t dim)
{
    float *V = room(n * dim, sizeof *V);
    for (size_t i = 0; i < n * dim; i++)
        V[i] = (float)dice_normal(d);
    for (size_t i = 0; i < n && dim > 2; i++)
        V[i * dim + 1] = 0; /* a dimension without an eigenvalue */
    return V;
}

static void order_vectors_are_those_of_the_formula(void **state)
{
    (void)state;
    dice d = {71};
    for (int round = 0; round < 6; round++) {
        bool subsample = round % 2;
        problem *p = round < 4 ? problem_of_text(71 + (uint64_t)round, round < 2 ? 30 : 260, 6000,
                                                 subsample, 2)
                               : problem_new(random_counts(&d, 150, 9000), 1, 2);
        size_t n = p->dense.words, dim = (size_t[]){1, 3, 8, 17, 5, 9}[round], stride = dim + 3;
        psdvec_train_options o = default_options((uint32_t)dim);
        pv_link *link;
        float *V = random_vectors(&d, n, dim), *A = room(n * stride, sizeof *A);
        for (size_t i = 0; i < n * stride; i++)
            A[i] = 7;
        well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
        assert_true((link->retention != NULL) == (subsample && round < 4));
        well(p->ctx, pv_order_vectors(link, V, dim, dim, NULL, A, stride));
        double *wanted = dense_order(&p->dense, V, dim);
        double largest = largest_magnitude(n * dim, wanted);
        assert_true(largest > 1e-3);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < dim; k++)
                assert_close((double)A[i * stride + k], wanted[i * dim + k], 2e-5 * largest);
            for (size_t k = dim; k < stride; k++)
                assert_true(A[i * stride + k] == 7);
        }
        pv_link_close(link);
        free(wanted);
        free(V);
        free(A);
        problem_free(p);
    }
}

static void order_vectors_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    dice d = {72};
    problem *p = problem_of_text(72, 400, 20000, true, 1);
    size_t n = p->dense.words, dim = 11;
    psdvec_train_options o = default_options((uint32_t)dim);
    float *V = random_vectors(&d, n, dim), *first = room(n * dim, sizeof *first);
    float *A = room(n * dim, sizeof *A);
    for (int threads = 1; threads <= 5; threads++) {
        psdvec_context *ctx = context_of(threads);
        psdvec_counts *counts;
        pv_link *link;
        well(ctx, psdvec_counts_open(ctx, p->path, &counts));
        well(ctx, pv_link_open(ctx, counts, &o, NULL, &link));
        well(ctx, pv_order_vectors(link, V, dim, dim, NULL, threads == 1 ? first : A, dim));
        if (threads > 1)
            assert_memory_equal(A, first, n * dim * sizeof *A);
        pv_link_close(link);
        psdvec_counts_close(counts);
        assert_int_equal(atomic_load(&ctx->memory_used), 0);
        psdvec_context_free(ctx);
    }
    free(V);
    free(first);
    free(A);
    problem_free(p);
}

/* Two words that always precede the same words are similar, however different their generative
 * vectors are. */
static void words_that_precede_the_same_words_are_similar(void **state)
{
    (void)state;
    dense_counts x = dense_counts_new(8);
    for (size_t j = 4; j < 8; j++) { /* 0 and 1 precede them, 2 and 3 follow them */
        x.x[0 * 8 + j] = x.x[1 * 8 + j] = 50;
        x.x[j * 8 + 2] = x.x[j * 8 + 3] = 50;
    }
    for (size_t i = 0; i < 8; i++)
        x.frequency[i] = 200;
    problem *p = problem_new(x, 1, 1);
    psdvec_train_options o = default_options(2);
    dice d = {73};
    float *V = random_vectors(&d, 8, 2), A[16];
    pv_link *link;
    well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
    well(p->ctx, pv_order_vectors(link, V, 2, 2, NULL, A, 2));
    for (size_t k = 0; k < 2; k++) {
        assert_close((double)A[0 + k], (double)A[2 + k], 1e-6);
        assert_close((double)A[0 + k], -(double)A[4 + k], 1e-6);
        assert_true(fabsf(A[k]) > 1e-3F);
    }
    pv_link_close(link);
    free(V);
    problem_free(p);
}

/* ---- The complete read-out ------------------------------------------------------------------- */

/* Trains with every combination and compares. */
static void compare_all(problem *p, psdvec_train_options o, double tolerance)
{
    for (int combination = 0; combination < 16; combination++) {
        psdvec_train_options these = combined(o, combination);
        psdvec_train_options plain = combined(o, combination & ~4);
        psdvec_model *model = train_and_open(p, &these, "model");
        const psdvec_model_info *info = psdvec_model_get_info(model);
        const float *readout = readout_of(p, model), *V = psdvec_model_vector(model, 0);
        size_t n = info->words, dim = info->dim;
        assert_true(info->has_readout == (combination != 0));
        if (combination == 0) {
            assert_ptr_equal(readout, V);
            psdvec_model_close(model);
            continue;
        }
        assert_true((model->readout_mean != NULL) == these.centre);
        assert_true((model->readout_map != NULL) == (these.order > 0 || combination & 8));
        /* Without spelling it is the same except for the spelling part. */
        psdvec_model *other = combination & 4 ? train_and_open(p, &plain, "other") : NULL;
        const float *r = other ? readout_of(p, other) : readout;
        if (other)
            assert_memory_equal(V, psdvec_model_vector(other, 0), n * dim * sizeof *V);
        if (combination & ~4) {
            double *wanted = dense_readout(&p->dense, model, dim, &these);
            assert_below(gram_difference(n, dim, r, wanted), tolerance);
            free(wanted);
        }
        psdvec_model_close(other);
        psdvec_model_close(model);
    }
}

static void the_readout_is_that_of_the_reference(void **state)
{
    (void)state;
    for (int subsample = 0; subsample < 2; subsample++) {
        problem *p = problem_of_text(74 + (uint64_t)subsample, 200, 12000, subsample, 2);
        compare_all(p, default_options(10), 2e-3);
        problem_free(p);
    }
}

/* Words have digits at their end, which are productive endings here. */
static void the_forms_of_words_are_pooled_before_spelling(void **state)
{
    (void)state;
    problem *p = problem_of_text(79, 250, 12000, true, 2);
    for (int combination = 3; combination <= 7; combination += 4) {
        psdvec_train_options plain = combined(default_options(6), combination & ~4);
        psdvec_train_options pooled = combined(default_options(6), combination);
        pooled.inflections = 0.5;
        psdvec_model *a = train_and_open(p, &plain, "plain");
        psdvec_model *b = train_and_open(p, &pooled, "pooled");
        const psdvec_model_info *info = psdvec_model_get_info(a);
        size_t bytes = (size_t)info->words * info->dim * sizeof(float);
        pv_spelling_words words = {info->words, a->bytes, a->offsets};
        float *r = room(1, bytes);
        memcpy(r, readout_of(p, a), bytes);
        well(p->ctx, pv_pool_forms(p->ctx, 0.5, &words, p->counts->frequency, info->dim, r));
        assert_memory_not_equal(r, readout_of(p, a), bytes);
        if (combination & 4)
            well(p->ctx, pv_spelling_add(p->ctx, b->spelling, &words, 0.75F, r));
        for (size_t k = 0; k < bytes / sizeof *r; k++)
            assert_close((double)r[k], (double)readout_of(p, b)[k], 1e-6);
        free(r);
        psdvec_model_close(a);
        psdvec_model_close(b);
    }
    problem_free(p);
}

static void the_readout_of_noncore_words_and_the_psd_form_is_that_of_the_reference(void **state)
{
    (void)state;
    problem *p = problem_of_text(76, 200, 12000, true, 2);
    psdvec_train_options o = default_options(10);
    o.core = 60;
    compare_all(p, o, 2e-3);
    o.form = PSDVEC_FORM_PSD;
    compare_all(p, o, 2e-3);
    problem_free(p);
}

/* The spelling part is learnt from r and added to it: the result equals a computation here. */
static void spelling_is_learnt_from_the_rest_of_the_readout(void **state)
{
    (void)state;
    problem *p = problem_of_text(77, 300, 12000, true, 2);
    for (int combination = 4; combination < 16; combination++) {
        if (!(combination & 4))
            continue;
        psdvec_train_options o = combined(default_options(9), combination);
        psdvec_model *model = train_and_open(p, &o, "model");
        double share = o.spelling;
        o.spelling = 0;
        psdvec_model *plain = train_and_open(p, &o, "plain");
        const psdvec_model_info *info = psdvec_model_get_info(model);
        size_t n = info->words, dim = info->dim;
        float *r = room(n * dim, sizeof *r), *s = room(dim, sizeof *s);
        memcpy(r, readout_of(p, plain), n * dim * sizeof *r);
        if (combination == 4) /* only the vectors scaled to length 1 */
            for (size_t i = 0; i < n; i++) {
                double square = 0;
                for (size_t k = 0; k < dim; k++)
                    square += (double)r[i * dim + k] * (double)r[i * dim + k];
                for (size_t k = 0; k < dim && square > 0; k++)
                    r[i * dim + k] = (float)((double)r[i * dim + k] * (1 / sqrt(square)));
            }
        pv_spelling_options options;
        pv_spelling_options_default(&options);
        options.most_bytes = n * dim * sizeof(float) / 2;
        pv_spelling_words words = {(uint32_t)n, p->counts->bytes, p->counts->offsets};
        pv_spelling *spelling;
        well(p->ctx, pv_spelling_learn(p->ctx, &options, &words, r, (uint32_t)dim,
                                       p->counts->frequency, &spelling));
        assert_true(info->has_spelling);
        assert_int_equal(info->ngrams, pv_spelling_get(spelling)->ngrams);
        assert_true(info->ngrams > 10);
        for (uint32_t i = 0; i < n; i++) {
            size_t length;
            const char *word = psdvec_model_word(model, i, &length);
            float told[16];
            bool some = pv_spelling_vector(spelling, word, length, s) > 0;
            assert_true(psdvec_model_spell(model, word, length, told) == some);
            for (size_t k = 0; k < dim; k++) {
                assert_close((double)told[k], (double)s[k], 1e-6);
                assert_close((double)readout_of(p, model)[i * dim + k],
                             (double)r[i * dim + k] + share * (double)s[k], 2e-6);
            }
        }
        pv_spelling_free(spelling);
        psdvec_model_close(plain);
        psdvec_model_close(model);
        free(r);
        free(s);
    }
    problem_free(p);
}

static void the_paper_preset_has_no_separate_readout(void **state)
{
    (void)state;
    problem *p = problem_of_text(78, 120, 6000, false, 2);
    psdvec_train_options o;
    psdvec_train_options_preset(&o, PSDVEC_PRESET_PAPER, NULL);
    o.dim = 8;
    psdvec_model *model = train_and_open(p, &o, "model");
    const psdvec_model_info *info = psdvec_model_get_info(model);
    float s[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    assert_false(info->has_readout || info->has_spelling);
    assert_null(pv_st_tensor(model->file, "readout"));
    assert_null(pv_st_tensor(model->file, "spelling.rows"));
    assert_ptr_equal(readout_of(p, model), psdvec_model_vector(model, 0));
    assert_false(psdvec_model_spell(model, "w1", 2, s));
    for (int k = 0; k < 8; k++)
        assert_true(s[k] == 0);
    psdvec_model_close(model);
    problem_free(p);
}

/* ---- Little data ----------------------------------------------------------------------------- */

static void words_without_a_pair_have_no_direction(void **state)
{
    (void)state;
    dice d = {79};
    dense_counts x = random_counts(&d, 90, 6000);
    for (size_t i = 0; i < 90; i++)
        for (size_t w = 80; w < 90; w++)
            x.x[i * 90 + w] = x.x[w * 90 + i] = 0;
    problem *p = problem_new(x, 1, 2);
    for (int combination = 1; combination < 16; combination++) {
        psdvec_train_options o = combined(default_options(6), combination);
        psdvec_model *model = train_and_open(p, &o, "model");
        for (uint32_t w = 80; w < 90; w++) {
            size_t length;
            const char *word = psdvec_model_word(model, w, &length);
            float s[6];
            psdvec_model_spell(model, word, length, s);
            for (size_t k = 0; k < 6; k++) {
                assert_true(psdvec_model_vector(model, w)[k] == 0);
                assert_close((double)readout_of(p, model)[w * 6 + k], o.spelling * (double)s[k],
                             1e-6);
            }
        }
        psdvec_model_close(model);
    }
    problem_free(p);
}

static void a_vocabulary_smaller_than_the_vectors(void **state)
{
    (void)state;
    for (size_t words = 2; words <= 12; words += 5) {
        problem *p = problem_of_text(80, words, 400, false, 2);
        size_t n = p->dense.words;
        for (int combination = 1; combination < 16; combination++) {
            psdvec_train_options o = combined(default_options(40), combination);
            psdvec_model *model = train_and_open(p, &o, "model");
            const psdvec_model_info *info = psdvec_model_get_info(model);
            assert_int_equal(info->dim, n);
            if (!(combination & 4)) {
                double *wanted = dense_readout(&p->dense, model, n, &o);
                /* Dimensions without variance contain rounding errors, which are scaled to length
                 * 1. */
                assert_below(gram_difference(n, n, readout_of(p, model), wanted), 1e-2);
                free(wanted);
            }
            psdvec_model_close(model);
        }
        problem_free(p);
    }
}

static void one_document_of_three_words(void **state)
{
    (void)state;
    char *folder = scratch_new(), *text = scratch_path(folder, "text.txt");
    char *output = scratch_path(folder, "model");
    scratch_write(text, "one two three", 13);
    psdvec_context *ctx = context_of(2);
    psdvec_train_options o;
    psdvec_count_options count;
    psdvec_train_options_preset(&o, PSDVEC_PRESET_DEFAULT, &count);
    count.min_count = 1;
    psdvec_model *model;
    well(ctx, psdvec_train_text(ctx, &o, &count, (const char *[]){text}, 1, output, NULL, NULL));
    well(ctx, psdvec_model_open(ctx, output, &model));
    well(ctx, psdvec_model_verify(ctx, model));
    /* No n-gram occurs in two words, so there are no spelling vectors. */
    assert_true(psdvec_model_get_info(model)->has_readout);
    assert_false(psdvec_model_get_info(model)->has_spelling);
    psdvec_model_close(model);
    assert_int_equal(atomic_load(&ctx->memory_used), 0);
    psdvec_context_free(ctx);
    scratch_free(folder);
    free(text);
    free(output);
}

/* ---- Threads, memory, interruption ----------------------------------------------------------- */

static bool same_file(const char *a, const char *b)
{
    size_t m = 0, n = 0;
    char *first = scratch_read(a, &m), *second = scratch_read(b, &n);
    bool same = first && second && m == n && !memcmp(first, second, m);
    free(first);
    free(second);
    return same;
}

static void threads_change_no_byte_of_the_default(void **state)
{
    (void)state;
    problem *p = problem_of_text(81, 1500, 60000, true, 1);
    char *whole = scratch_path(p->folder, "whole"), *other = scratch_path(p->folder, "other");
    psdvec_train_options o = default_options(24);
    o.core = 700;
    well(p->ctx, psdvec_train(p->ctx, &o, p->path, whole, NULL));
    for (int threads = 2; threads <= 5; threads += 3) {
        psdvec_context *ctx = context_of(threads);
        well(ctx, psdvec_train(ctx, &o, p->path, other, NULL));
        assert_true(same_file(whole, other));
        psdvec_context_free(ctx);
    }
    free(whole);
    free(other);
    problem_free(p);
}

static psdvec_context *context_with(int threads, uint64_t memory)
{
    psdvec_context_options o;
    psdvec_context *ctx;
    psdvec_context_options_default(&o);
    o.threads = threads;
    o.memory = memory;
    ok(psdvec_context_new(&o, &ctx));
    return ctx;
}

/* A small core, so that the read-out needs the most memory. */
static void the_plan_covers_the_readout(void **state)
{
    (void)state;
    problem *p = problem_of_text(82, 6000, 90000, true, 1);
    char *output = scratch_path(p->folder, "model");
    for (int combination = 0; combination < 8; combination++)
        for (int threads = 1; threads <= 4; threads += 3) {
            psdvec_train_options o = combined(default_options(64), combination);
            o.core = 70;
            o.iterations = 1;
            psdvec_train_plan plan;
            psdvec_context *ctx = context_with(threads, UINT64_C(1) << 30);
            well(ctx, psdvec_train_plan_make(ctx, &o, p->path, &plan));
            well(ctx, psdvec_train(ctx, &o, p->path, output, NULL));
            assert_true(psdvec_peak_memory(ctx) <= plan.memory);
            struct stat about;
            assert_int_equal(stat(output, &about), 0);
            assert_true((uint64_t)about.st_size <= plan.output_bytes);
            psdvec_context_free(ctx);
            ctx = context_with(threads, plan.memory_least);
            well(ctx, psdvec_train(ctx, &o, p->path, output, NULL));
            assert_true(psdvec_peak_memory(ctx) <= plan.memory_least);
            psdvec_context_free(ctx);
        }
    free(output);
    problem_free(p);
}

static void a_budget_too_small_for_the_readout_names_the_option(void **state)
{
    (void)state;
    problem *p = problem_of_text(83, 6000, 90000, true, 1);
    char *output = scratch_path(p->folder, "model");
    static const char *const remedies[] = {NULL, "(`order=off`)", "(`spelling=off`)", NULL};
    for (int parts = 0; parts < 3; parts++) {
        psdvec_train_options o = combined(default_options(200), 1 + 2 * parts);
        o.core = 210;
        psdvec_train_plan plan;
        psdvec_context *ctx = context_with(1, UINT64_C(1) << 30);
        well(ctx, psdvec_train_plan_make(ctx, &o, p->path, &plan));
        psdvec_context_free(ctx);
        ctx = context_with(1, plan.memory_least - 4 * 1048576);
        assert_int_equal(psdvec_train(ctx, &o, p->path, output, NULL), PSDVEC_ERR_BUDGET);
        if (remedies[parts])
            assert_contains(psdvec_error_message(ctx), remedies[parts]);
        else
            assert_null(strstr(psdvec_error_message(ctx), " off)"));
        assert_int_equal(scratch_entries(p->folder), 1);
        psdvec_context_free(ctx);
    }
    free(output);
    problem_free(p);
}

typedef struct stopper {
    const char *at; /* part of a message, or a stage of progress */
    atomic_bool stop;
} stopper;

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    stopper *s = user;
    (void)level;
    if (strstr(text, s->at))
        atomic_store(&s->stop, true);
}

static void on_progress(void *user, const psdvec_progress *progress)
{
    stopper *s = user;
    if (!strcmp(progress->stage, s->at))
        atomic_store(&s->stop, true);
}

static bool should_cancel(void *user)
{
    stopper *s = user;
    return atomic_load(&s->stop);
}

static psdvec_context *stoppable(stopper *s)
{
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_context_options_default(&options);
    options.threads = 2;
    options.on_message = on_message;
    options.on_progress = on_progress;
    options.should_cancel = should_cancel;
    options.user = s;
    ok(psdvec_context_new(&options, &ctx));
    return ctx;
}

/* The regression is complete, the read-out is not: only the vectors are saved. */
static void a_run_stopped_in_the_readout_ends_with_the_same_bytes(void **state)
{
    (void)state;
    problem *p = problem_of_text(84, 900, 30000, true, 1);
    char *whole = scratch_path(p->folder, "whole"), *other = scratch_path(p->folder, "other");
    char *partial = scratch_path(p->folder, "other.partial");
    for (int combination = 2; combination < 8; combination++) {
        psdvec_train_options o = combined(default_options(12), combination);
        o.core = 100;
        well(p->ctx, psdvec_train(p->ctx, &o, p->path, whole, NULL));
        stopper s = {.at = "words by regression on the core"};
        psdvec_context *ctx = stoppable(&s);
        assert_int_equal(psdvec_train(ctx, &o, p->path, other, NULL), PSDVEC_ERR_CANCELLED);
        assert_int_equal(atomic_load(&ctx->memory_used), 0);
        struct stat about;
        assert_int_equal(stat(partial, &about), 0);
        assert_int_not_equal(stat(other, &about), 0);
        atomic_store(&s.stop, false);
        s.at = "none";
        psdvec_train_report report;
        well(ctx, psdvec_train(ctx, &o, p->path, other, &report));
        assert_true(same_file(whole, other));
        assert_int_not_equal(stat(partial, &about), 0);
        psdvec_context_free(ctx);
        remove(other);
    }
    free(whole);
    free(other);
    free(partial);
    problem_free(p);
}

/* No saved state depends on the read-out. */
static void a_run_resumes_with_another_readout(void **state)
{
    (void)state;
    problem *p = problem_of_text(85, 900, 30000, true, 1);
    char *whole = scratch_path(p->folder, "whole"), *other = scratch_path(p->folder, "other");
    psdvec_train_options o = default_options(12), simple = combined(o, 1);
    o.core = simple.core = 100;
    well(p->ctx, psdvec_train(p->ctx, &simple, p->path, whole, NULL));
    stopper s = {.at = "words by regression on the core"};
    psdvec_context *ctx = stoppable(&s);
    assert_int_equal(psdvec_train(ctx, &o, p->path, other, NULL), PSDVEC_ERR_CANCELLED);
    atomic_store(&s.stop, false);
    s.at = "resuming after iteration 4";
    psdvec_train_report report;
    /* Cancelled again at the message that it resumes, to verify that it does. */
    assert_int_equal(psdvec_train(ctx, &simple, p->path, other, &report), PSDVEC_ERR_CANCELLED);
    assert_true(atomic_load(&s.stop));
    atomic_store(&s.stop, false);
    s.at = "none";
    well(ctx, psdvec_train(ctx, &simple, p->path, other, &report));
    assert_true(same_file(whole, other));
    psdvec_context_free(ctx);
    free(whole);
    free(other);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_vectors_are_those_of_the_formula),
        cmocka_unit_test(order_vectors_do_not_depend_on_the_threads),
        cmocka_unit_test(words_that_precede_the_same_words_are_similar),
        cmocka_unit_test(the_readout_is_that_of_the_reference),
        cmocka_unit_test(the_forms_of_words_are_pooled_before_spelling),
        cmocka_unit_test(the_readout_of_noncore_words_and_the_psd_form_is_that_of_the_reference),
        cmocka_unit_test(spelling_is_learnt_from_the_rest_of_the_readout),
        cmocka_unit_test(the_paper_preset_has_no_separate_readout),
        cmocka_unit_test(words_without_a_pair_have_no_direction),
        cmocka_unit_test(a_vocabulary_smaller_than_the_vectors),
        cmocka_unit_test(one_document_of_three_words),
        cmocka_unit_test(threads_change_no_byte_of_the_default),
        cmocka_unit_test(the_plan_covers_the_readout),
        cmocka_unit_test(a_budget_too_small_for_the_readout_names_the_option),
        cmocka_unit_test(a_run_stopped_in_the_readout_ends_with_the_same_bytes),
        cmocka_unit_test(a_run_resumes_with_another_readout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
