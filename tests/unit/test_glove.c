/* GloVe against its formulas in double precision, and through the public interface: the same bits
 * for any number of threads, after an interruption, and with little memory. */
#include "baseline/cooccurrence.h"
#include "baseline/glove.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Rows of one word and two contexts, of any dimension up to 300. */
enum { MOST_NUMBERS = (300 / 8 + 2) * 16 };
typedef struct rows {
    float word[MOST_NUMBERS], contexts[2 * MOST_NUMBERS];
} rows;

static float *random_rows(dice *d, const pv_glove_shape *shape, size_t dim, float size, float *to,
                          size_t count)
{
    memset(to, 0, count * shape->stride * sizeof *to);
    for (size_t i = 0; i < count; i++) {
        float *row = to + i * shape->stride;
        for (size_t k = 0; k < dim; k++) {
            row[k] = size * (float)dice_normal(d);
            row[shape->padded + k] = (float)dice_unit(d);
        }
        row[2 * shape->padded] = (float)dice_normal(d);
        row[2 * shape->padded + 1] = (float)dice_unit(d);
    }
    return to;
}

static void fast_and_plain_steps_give_the_same_bits(void **state)
{
    (void)state;
    dice d = {3};
    const size_t dims[] = {1, 7, 8, 9, 16, 24, 31, 32, 33, 50, 100, 300};
    const float sizes[] = {0.1F, 30}; /* gradients of the second are clipped */
    for (size_t k = 0; k < sizeof dims / sizeof *dims; k++)
        for (size_t s = 0; s < 2; s++) {
            pv_glove_shape shape = pv_glove_shape_of(dims[k], 0.05);
            assert_true(shape.stride <= MOST_NUMBERS);
            rows *plain = calloc(1, sizeof *plain), *fast = calloc(1, sizeof *fast);
            random_rows(&d, &shape, dims[k], sizes[s], plain->word, 1);
            random_rows(&d, &shape, dims[k], sizes[s], plain->contexts, 2);
            *fast = *plain;
            const pv_glove_cell cells[] = {{0, 1, 0.3F}, {1, -0.5F, 1}, {1, 2, 0.7F}, {0, 0, 0}};
            double a =
                pv_glove_steps_plain(&shape, plain->word, plain->contexts, cells, 3, plain->word);
            double b =
                pv_glove_steps_best()(&shape, fast->word, fast->contexts, cells, 3, fast->word);
            assert_true(isfinite(a) && a > 0);
            assert_memory_equal(&a, &b, sizeof a);
            assert_memory_equal(plain, fast, sizeof *fast);
            free(plain);
            free(fast);
        }
}

/* A row as in the authors' program: squares start at 1. */
typedef struct exact_row {
    double *vector, *square;
    double bias, bias_square;
} exact_row;

static exact_row exact_of(const float *row, const pv_glove_shape *shape, size_t dim)
{
    exact_row e = {calloc(dim, sizeof *e.vector), calloc(dim, sizeof *e.square),
                   row[2 * shape->padded], 1.0 + row[2 * shape->padded + 1]};
    for (size_t k = 0; k < dim; k++) {
        e.vector[k] = row[k];
        e.square[k] = 1.0 + row[shape->padded + k];
    }
    return e;
}

static void exact_free(exact_row *e)
{
    free(e->vector);
    free(e->square);
}

static double clipped(double g)
{
    return fmin(fmax(g, -100), 100);
}

static double exact_step(exact_row *w, exact_row *c, size_t dim, double rate, double target,
                         double weight)
{
    double diff = w->bias + c->bias - target;
    for (size_t k = 0; k < dim; k++)
        diff += w->vector[k] * c->vector[k];
    double pull = weight * diff;
    for (size_t k = 0; k < dim; k++) {
        double of_word = clipped(pull * c->vector[k]) * rate;
        double of_context = clipped(pull * w->vector[k]) * rate;
        w->vector[k] -= of_word / sqrt(w->square[k]);
        c->vector[k] -= of_context / sqrt(c->square[k]);
        w->square[k] += of_word * of_word;
        c->square[k] += of_context * of_context;
    }
    w->bias -= pull / sqrt(w->bias_square);
    c->bias -= pull / sqrt(c->bias_square);
    w->bias_square += pull * pull;
    c->bias_square += pull * pull;
    return pull * diff / 2;
}

static void assert_same_row(const float *row, const exact_row *e, const pv_glove_shape *shape,
                            size_t dim, double tolerance)
{
    for (size_t k = 0; k < dim; k++) {
        assert_close(row[k], e->vector[k], tolerance * (1 + fabs(e->vector[k])));
        assert_close(1.0 + row[shape->padded + k], e->square[k], tolerance * e->square[k]);
    }
    for (size_t k = dim; k < shape->padded; k++)
        assert_true(row[k] == 0 && row[shape->padded + k] == 0);
    assert_close(row[2 * shape->padded], e->bias, tolerance * (1 + fabs(e->bias)));
    assert_close(1.0 + row[2 * shape->padded + 1], e->bias_square, tolerance * e->bias_square);
}

static void a_step_is_that_of_the_formulas(void **state)
{
    (void)state;
    dice d = {4};
    const size_t dims[] = {1, 5, 33, 300};
    for (size_t k = 0; k < 4; k++)
        for (int large = 0; large < 2; large++) {
            size_t dim = dims[k];
            pv_glove_shape shape = pv_glove_shape_of(dim, 0.05);
            rows *r = calloc(1, sizeof *r);
            random_rows(&d, &shape, dim, large ? 20 : 0.3F, r->word, 1);
            random_rows(&d, &shape, dim, large ? 20 : 0.3F, r->contexts, 1);
            exact_row w = exact_of(r->word, &shape, dim), c = exact_of(r->contexts, &shape, dim);
            const pv_glove_cell cells[] = {{0, 1.5F, 0.4F}, {0, 0, 0}};
            double cost = exact_step(&w, &c, dim, 0.05, 1.5, (double)0.4F);
            double got = pv_glove_steps_best()(&shape, r->word, r->contexts, cells, 1, r->word);
            assert_close(got, cost, 1e-4 * cost);
            assert_same_row(r->word, &w, &shape, dim, 2e-5);
            assert_same_row(r->contexts, &c, &shape, dim, 2e-5);
            exact_free(&w);
            exact_free(&c);
            free(r);
        }
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static void cells_of(problem *p, uint32_t dim, uint64_t seed, pv_glove_cells *cells)
{
    pv_cooccurrence pairs;
    *cells = (pv_glove_cells){.ctx = p->ctx};
    const pv_cooccurrence_part part = {.choose = pv_glove_choose, .self = cells};
    well(p->ctx, pv_cooccurrence_make(p->ctx, p->counts, &part, p->path, 0, &pairs));
    size_t row_bytes = pv_glove_shape_of(dim, 0).stride * sizeof(float);
    well(p->ctx, pv_glove_cells_make(&pairs.matrix, 10, 0.75, row_bytes, seed, p->path, 0, cells));
    pv_cooccurrence_free(&pairs);
}

/* Visits cells in the order of an epoch. */
typedef void visit_fn(void *arg, uint32_t word, const pv_glove_cell *cell, uint32_t p, uint32_t q);

static void visit(const pv_glove_cells *cells, uint32_t epoch, visit_fn *fn, void *arg)
{
    uint32_t blocks = cells->strata.blocks;
    for (uint32_t round = 0; round < blocks; round++)
        for (uint32_t p = 0; p < blocks; p++) {
            uint32_t q = (p + epoch + round) % blocks;
            const pv_glove_tile *tile = cells->tile + (size_t)(p * blocks + q) * cells->tiles;
            uint64_t at = tile[0].cell;
            for (uint64_t s = tile[0].range; s < tile[cells->tiles].range; s++)
                for (uint32_t k = 0; k < cells->range[s].count; k++)
                    fn(arg, cells->range[s].word, &cells->cell[at++], p, q);
            assert_int_equal(at, tile[cells->tiles].cell);
        }
}

typedef struct seen {
    const problem *problem;
    const pv_glove_cells *cells;
    char *times; /* n x n */
    size_t all, ascending;
    uint32_t last;
} seen;

static void see(void *arg, uint32_t word, const pv_glove_cell *cell, uint32_t p, uint32_t q)
{
    seen *s = arg;
    const dense_counts *dense = &s->problem->dense;
    size_t n = dense->words, i = word, j = cell->context;
    double x = dense->x[i * n + j] + dense->x[j * n + i];
    assert_true(x > 0 && !s->times[i * n + j]);
    assert_close(cell->target, log(x), 1e-6 * (1 + fabs(log(x))));
    assert_close(cell->weight, fmin(1, pow(x / 10, 0.75)), 1e-6);
    assert_int_equal(s->cells->strata.block[i], p);
    assert_int_equal(s->cells->strata.block[j], q);
    s->times[i * n + j] = 1;
    s->all++;
    s->ascending += cell->context > s->last;
    s->last = cell->context;
}

static void every_pair_is_one_cell_of_its_stratum(void **state)
{
    (void)state;
    const uint32_t dims[] = {4, 10000}; /* one tile per block, and several */
    for (int k = 0; k < 2; k++) {
        problem *p = problem_of_text(11, 700, 30000, true, 3);
        size_t n = p->dense.words;
        pv_glove_cells cells;
        cells_of(p, dims[k], 5, &cells);
        assert_true(cells.strata.blocks > 2);
        assert_true(k ? cells.tiles > 1 : cells.tiles == 1);
        seen s = {.problem = p, .cells = &cells, .times = calloc(n * n, 1)};
        visit(&cells, 1, see, &s);
        assert_int_equal(s.all, cells.count);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                assert_int_equal(s.times[i * n + j],
                                 p->dense.x[i * n + j] + p->dense.x[j * n + i] > 0);
        assert_close((double)s.ascending, (double)s.all / 2, 0.05 * (double)s.all);
        free(s.times);
        pv_glove_cells_free(&cells);
        problem_free(p);
    }
}

static void another_seed_is_another_order(void **state)
{
    (void)state;
    problem *p = problem_of_text(12, 300, 9000, false, 2);
    pv_glove_cells a, b, c;
    cells_of(p, 8, 5, &a);
    cells_of(p, 8, 5, &b);
    cells_of(p, 8, 6, &c);
    assert_memory_equal(a.cell, b.cell, a.count * sizeof *a.cell);
    assert_memory_not_equal(a.cell, c.cell, a.count * sizeof *a.cell);
    pv_glove_cells_free(&a);
    pv_glove_cells_free(&b);
    pv_glove_cells_free(&c);
    problem_free(p);
}

/* ---- Epochs ---------------------------------------------------------------------------------- */

typedef struct exact_model {
    size_t dim;
    double rate, cost;
    exact_row *word, *context;
} exact_model;

static void learn(void *arg, uint32_t word, const pv_glove_cell *cell, uint32_t p, uint32_t q)
{
    exact_model *m = arg;
    (void)p;
    (void)q;
    m->cost += exact_step(&m->word[word], &m->context[cell->context], m->dim, m->rate, cell->target,
                          cell->weight);
}

static void epochs_are_those_of_the_formulas(void **state)
{
    (void)state;
    enum { DIM = 13 };
    problem *p = problem_of_text(13, 500, 20000, false, 3);
    size_t n = p->dense.words;
    pv_glove_cells cells;
    cells_of(p, DIM, 1, &cells);
    pv_glove g;
    well(p->ctx, pv_glove_open(&cells, DIM, 0.05, &g));
    pv_progress_begin(&g.progress, p->ctx, "training", "pairs", 0);
    exact_model m = {DIM, 0.05, 0, calloc(n, sizeof *m.word), calloc(n, sizeof *m.context)};
    double spread = 0;
    for (size_t i = 0; i < n; i++) {
        m.word[i] = exact_of(g.word + i * g.shape.stride, &g.shape, DIM);
        m.context[i] = exact_of(g.context + i * g.shape.stride, &g.shape, DIM);
        for (size_t k = 0; k < DIM; k++) {
            assert_true(fabs(m.word[i].vector[k]) <= 0.5 / DIM && m.word[i].square[k] == 1);
            spread += m.word[i].vector[k] * m.word[i].vector[k];
        }
    }
    assert_close(spread / (double)(n * DIM), 1.0 / 12 / DIM / DIM, 0.1 / 12 / DIM / DIM);
    double loss, before = INFINITY;
    for (uint32_t epoch = 0; epoch < 2; epoch++) {
        m.cost = 0;
        visit(&cells, epoch, learn, &m);
        well(p->ctx, pv_glove_epoch(&g, epoch, &loss));
        assert_close(loss, m.cost / (double)cells.count, 1e-5 * loss);
        assert_below(loss, before);
        before = loss;
    }
    for (size_t i = 0; i < n; i++) {
        assert_same_row(g.word + i * g.shape.stride, &m.word[i], &g.shape, DIM, 1e-4);
        assert_same_row(g.context + i * g.shape.stride, &m.context[i], &g.shape, DIM, 1e-4);
    }
    const float *vectors;
    well(p->ctx, pv_glove_vectors(&g, true, &vectors));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < DIM; k++)
            assert_close(vectors[i * DIM + k], m.word[i].vector[k] + m.context[i].vector[k], 2e-4);
    for (size_t i = 0; i < n; i++) {
        exact_free(&m.word[i]);
        exact_free(&m.context[i]);
    }
    free(m.word);
    free(m.context);
    pv_glove_close(&g);
    pv_glove_cells_free(&cells);
    problem_free(p);
}

static void without_contexts_the_vectors_are_the_words(void **state)
{
    (void)state;
    problem *p = problem_of_text(14, 40, 900, false, 1);
    pv_glove_cells cells;
    cells_of(p, 3, 1, &cells);
    pv_glove g;
    well(p->ctx, pv_glove_open(&cells, 3, 0.05, &g));
    float *word = malloc(g.words * 3 * sizeof *word);
    for (size_t i = 0; i < g.words; i++)
        memcpy(word + i * 3, g.word + i * g.shape.stride, 3 * sizeof *word);
    const float *vectors;
    well(p->ctx, pv_glove_vectors(&g, false, &vectors));
    assert_memory_equal(vectors, word, g.words * 3 * sizeof *word);
    free(word);
    pv_glove_close(&g);
    pv_glove_cells_free(&cells);
    problem_free(p);
}

/* ---- Complete runs --------------------------------------------------------------------------- */

typedef struct host {
    psdvec_context *ctx;
    char messages[4096];
    const char *stop_at; /* cancels after a message that contains this */
    int stop_after;      /* after this many more polls */
    double objective;    /* the last reported value */
    atomic_int asked;    /* polls since that message; 0: it has not appeared */
} host;

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    host *h = user;
    size_t length = strlen(h->messages);
    (void)level;
    snprintf(h->messages + length, sizeof h->messages - length, "%s\n", text);
    if (h->stop_at && strstr(text, h->stop_at))
        atomic_store(&h->asked, 1);
}

static void on_progress(void *user, const psdvec_progress *progress)
{
    host *h = user;
    if (!strcmp(progress->stage, "training"))
        h->objective = progress->objective;
}

static bool should_cancel(void *user)
{
    host *h = user;
    return atomic_load(&h->asked) && atomic_fetch_add(&h->asked, 1) > h->stop_after;
}

static void host_open(host *h, int threads, uint64_t memory, uint64_t seed)
{
    memset(h, 0, sizeof *h);
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = threads;
    o.memory = memory;
    o.seed = seed;
    o.on_message = on_message;
    o.on_progress = on_progress;
    o.should_cancel = should_cancel;
    o.user = h;
    ok(psdvec_context_new(&o, &h->ctx));
}

static void host_close(host *h)
{
    assert_int_equal(atomic_load(&h->ctx->memory_used), 0);
    psdvec_context_free(h->ctx);
}

enum { PLENTY = 1 << 30 };

static psdvec_baseline_options small_options(void)
{
    psdvec_baseline_options o;
    psdvec_baseline_options_default(&o, PSDVEC_METHOD_GLOVE, NULL);
    o.dim = 10;
    o.epochs = 4;
    o.glove_max = 10;
    return o;
}

static bool same_file(const char *a, const char *b)
{
    size_t m = 0, n = 0;
    char *first = scratch_read(a, &m), *second = scratch_read(b, &n);
    bool same = first && second && m == n && !memcmp(first, second, m);
    free(first);
    free(second);
    return same;
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    problem *p = problem_of_text(21, 900, 30000, false, 2);
    char *one = scratch_path(p->folder, "one"), *many = scratch_path(p->folder, "many");
    psdvec_baseline_options o = small_options();
    const int threads[] = {1, 2, 3, 7};
    for (size_t k = 0; k < 4; k++) {
        host h;
        psdvec_baseline_report report;
        host_open(&h, threads[k], PLENTY, 0);
        well(h.ctx, psdvec_baseline(h.ctx, &o, p->path, k ? many : one, &report));
        assert_int_equal(report.words, p->dense.words);
        assert_int_equal(report.dim, 10);
        assert_int_equal(report.epochs, 4);
        assert_true(report.pairs > 1000);
        assert_true(report.loss > 0 && report.loss == h.objective);
        assert_contains(h.messages, "epoch 4 of 4: loss ");
        host_close(&h);
        assert_true(k == 0 || same_file(one, many));
    }
    host h;
    host_open(&h, 2, PLENTY, 1);
    well(h.ctx, psdvec_baseline(h.ctx, &o, p->path, many, NULL));
    assert_false(same_file(one, many));
    host_close(&h);
    free(one);
    free(many);
    problem_free(p);
}

static void an_interrupted_run_resumes_to_the_same_bits(void **state)
{
    (void)state;
    problem *p = problem_of_text(22, 600, 20000, false, 2);
    char *whole = scratch_path(p->folder, "whole"), *other = scratch_path(p->folder, "other");
    char *partial = scratch_path(p->folder, "other.partial");
    psdvec_baseline_options o = small_options();
    well(p->ctx, psdvec_baseline(p->ctx, &o, p->path, whole, NULL));
    host h;
    host_open(&h, 2, PLENTY, 0);
    h.stop_at = "epoch 2 of 4";
    assert_int_equal(psdvec_baseline(h.ctx, &o, p->path, other, NULL), PSDVEC_ERR_CANCELLED);
    assert_true(exists(partial) && !exists(other));
    host_close(&h);
    psdvec_baseline_report report;
    host_open(&h, 3, PLENTY, 0);
    well(h.ctx, psdvec_baseline(h.ctx, &o, p->path, other, &report));
    assert_contains(h.messages, "resuming after epoch 2");
    assert_null(strstr(h.messages, "epoch 2 of 4"));
    assert_int_equal(report.epochs, 4);
    assert_true(same_file(whole, other));
    assert_false(exists(partial));
    host_close(&h);
    free(whole);
    free(other);
    free(partial);
    problem_free(p);
}

static void few_words_are_enough(void **state)
{
    (void)state;
    for (size_t words = 1; words <= 5; words += words == 2 ? 3 : 1) {
        problem *p = problem_of_text(23, words, 400, false, 2);
        assert_int_equal(p->dense.words, words);
        char *output = scratch_path(p->folder, "model");
        psdvec_baseline_options o = small_options();
        psdvec_baseline_report report;
        o.epochs = 200;
        well(p->ctx, psdvec_baseline(p->ctx, &o, p->path, output, &report));
        assert_int_equal(report.pairs, words * words);
        assert_below(report.loss, 1e-3); /* more parameters than pairs */
        free(output);
        problem_free(p);
    }
}

static void little_memory_gives_the_same_bits_or_an_error(void **state)
{
    (void)state;
    problem *p = problem_of_text(24, 800, 60000, false, 2);
    char *whole = scratch_path(p->folder, "whole"), *other = scratch_path(p->folder, "other");
    psdvec_baseline_options o = small_options();
    psdvec_baseline_report report;
    host h;
    host_open(&h, 1, PLENTY, 0);
    well(h.ctx, psdvec_baseline(h.ctx, &o, p->path, whole, &report));
    host_close(&h);
    bool files = false, refused = false;
    for (uint64_t memory = 3 << 20; memory >= 1 << 19; memory -= 1 << 18) {
        host_open(&h, 1, memory, 0);
        psdvec_status status = psdvec_baseline(h.ctx, &o, p->path, other, NULL);
        if (status == PSDVEC_OK) {
            assert_true(same_file(whole, other));
            files |= strstr(h.messages, "temporary file") != NULL;
        } else {
            assert_int_equal(status, PSDVEC_ERR_BUDGET);
            refused |= strstr(psdvec_error_message(h.ctx), "`dim`") != NULL;
        }
        host_close(&h);
    }
    assert_true(report.pairs * sizeof(pv_glove_cell) > 1 << 20);
    assert_true(files);
    assert_true(refused);
    free(whole);
    free(other);
    problem_free(p);
}

static void divergence_is_reported(void **state)
{
    (void)state;
    problem *p = problem_of_text(25, 300, 9000, false, 2);
    pv_glove_cells cells;
    cells_of(p, 5, 1, &cells);
    pv_glove g;
    double loss;
    well(p->ctx, pv_glove_open(&cells, 5, 1e38, &g));
    pv_progress_begin(&g.progress, p->ctx, "training", "pairs", 0);
    assert_int_equal(pv_glove_epoch(&g, 0, &loss), PSDVEC_ERR_NUMERIC);
    assert_contains(psdvec_error_message(p->ctx), "`rate`");
    pv_glove_close(&g);
    pv_glove_cells_free(&cells);
    problem_free(p);

    p = problem_of_text(25, 300, 9000, false, 2);
    cells_of(p, 5, 1, &cells);
    well(p->ctx, pv_glove_open(&cells, 5, 0.05, &g));
    g.word[3 * g.shape.stride + 2] = INFINITY;
    const float *vectors;
    assert_int_equal(pv_glove_vectors(&g, true, &vectors), PSDVEC_ERR_NUMERIC);
    pv_glove_close(&g);
    pv_glove_cells_free(&cells);
    problem_free(p);
}

static void a_run_can_be_cancelled_within_an_epoch(void **state)
{
    (void)state;
    problem *p = problem_of_text(26, 300, 9000, false, 1);
    char *output = scratch_path(p->folder, "model");
    psdvec_baseline_options o = small_options();
    o.epochs = 10000;
    host h;
    host_open(&h, 2, PLENTY, 0);
    h.stop_at = "epoch 1 of";
    h.stop_after = 3;
    assert_int_equal(psdvec_baseline(h.ctx, &o, p->path, output, NULL), PSDVEC_ERR_CANCELLED);
    assert_null(strstr(h.messages, "epoch 2 of"));
    assert_false(exists(output));
    host_close(&h);
    free(output);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_plain_steps_give_the_same_bits),
        cmocka_unit_test(a_step_is_that_of_the_formulas),
        cmocka_unit_test(every_pair_is_one_cell_of_its_stratum),
        cmocka_unit_test(another_seed_is_another_order),
        cmocka_unit_test(epochs_are_those_of_the_formulas),
        cmocka_unit_test(without_contexts_the_vectors_are_the_words),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(an_interrupted_run_resumes_to_the_same_bits),
        cmocka_unit_test(few_words_are_enough),
        cmocka_unit_test(little_memory_gives_the_same_bits_or_an_error),
        cmocka_unit_test(divergence_is_reported),
        cmocka_unit_test(a_run_can_be_cancelled_within_an_epoch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
