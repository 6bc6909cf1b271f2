/* The read-out in files: added words, conversions, and invalid files. */
#include "base/safetensors_write.h"
#include "model/model_read.h"
#include "model/model_write.h"
#include "support/problem.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

enum { DIM = 9 };

typedef struct bench {
    problem *p;
    char *model, *other, *third, *text; /* paths */
} bench;

static bench *bench_new(bool centre, double order, double spelling)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->p = problem_of_text(91, 220, 12000, true, 2);
    b->model = scratch_path(b->p->folder, "model.safetensors");
    b->other = scratch_path(b->p->folder, "other");
    b->third = scratch_path(b->p->folder, "third");
    b->text = scratch_path(b->p->folder, "new.txt");
    psdvec_train_options o;
    psdvec_train_options_default(&o);
    o.dim = DIM;
    o.core = 150;
    o.centre = centre;
    o.order = order;
    o.spelling = spelling;
    well(b->p->ctx, psdvec_train(b->p->ctx, &o, b->p->path, b->model, NULL));
    return b;
}

static void bench_free(bench *b)
{
    free(b->model);
    free(b->other);
    free(b->third);
    free(b->text);
    problem_free(b->p);
    free(b);
}

static psdvec_model *open_model(bench *b, const char *path)
{
    psdvec_model *m;
    well(b->p->ctx, psdvec_model_open(b->p->ctx, path, &m));
    well(b->p->ctx, psdvec_model_verify(b->p->ctx, m));
    return m;
}

/* Text in which new words occur among old ones; `shift` changes the text. */
static void write_text(bench *b, int shift)
{
    char text[20000];
    size_t length = 0;
    for (int line = 0; line < 120; line++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "w%d w%d w1007 w%d w%d w20x w%d zq\n", (line * 3 + shift) % 40,
                                   (line * 5 + shift) % 30, (line + 7 * shift) % 50, line % 20,
                                   (line * 11 + shift) % 60);
    scratch_write(b->text, text, length);
}

/* The expected read-out of an added word, by the formulas of docs/reference/model-file.md. */
static void later(const psdvec_model *m, const float *v, const char *word, double share, double *r)
{
    double u[DIM], square = 0;
    float s[DIM];
    for (int k = 0; k < DIM; k++) {
        u[k] = (double)v[k] - (m->readout_mean ? (double)m->readout_mean[k] : 0);
        square += u[k] * u[k];
    }
    for (int k = 0; k < DIM; k++)
        u[k] /= sqrt(square);
    square = 0;
    for (int c = 0; c < DIM; c++) {
        r[c] = m->readout_map ? 0 : u[c];
        for (int k = 0; k < DIM && m->readout_map; k++)
            r[c] += u[k] * (double)m->readout_map[k * DIM + c];
        square += r[c] * r[c];
    }
    psdvec_model_spell(m, word, strlen(word), s);
    for (int c = 0; c < DIM; c++)
        r[c] = r[c] / sqrt(square) + share * (double)s[c];
}

static const float *floats_of(const psdvec_model *m, const pv_vector_set *set)
{
    const float *floats = NULL;
    assert_int_equal(pv_model_floats(NULL, m, set, &floats), PSDVEC_OK);
    return floats;
}

static const float *vectors_of(const psdvec_model *m)
{
    return floats_of(m, &m->vectors);
}

static const float *readout_of(const psdvec_model *m)
{
    return floats_of(m, &m->readout);
}

static void check_later(const psdvec_model *m, const char *word, double share)
{
    uint32_t i;
    double wanted[DIM];
    assert_true(psdvec_model_find(m, word, strlen(word), &i));
    later(m, psdvec_model_vector(m, i), word, share, wanted);
    float readout[DIM];
    assert_true(psdvec_model_copy(m, i, readout));
    for (int k = 0; k < DIM; k++)
        assert_close((double)readout[k], wanted[k], 2e-6);
}

/* ---- Added words ----------------------------------------------------------------------------- */

static void old_readouts_keep_their_bits_and_new_words_get_one(void **state)
{
    (void)state;
    for (int combination = 1; combination < 8; combination++) {
        double share = combination & 4 ? 0.75 : 0;
        bench *b = bench_new(combination & 1, combination & 2 ? 0.5 : 0, share);
        psdvec_extend_options o;
        psdvec_extend_report report;
        psdvec_extend_options_default(&o);
        write_text(b, 1);
        well(b->p->ctx, psdvec_extend(b->p->ctx, &o, b->model, (const char *[]){b->text}, 1,
                                      b->other, &report));
        assert_int_equal(report.new_words, 3);
        psdvec_model *old = open_model(b, b->model), *more = open_model(b, b->other);
        size_t words = old->info.words;
        assert_int_equal(more->info.words, words + 3);
        assert_true(more->info.has_readout);
        assert_true(more->info.has_spelling == (share > 0));
        assert_memory_equal(readout_of(old), readout_of(more), words * DIM * sizeof(float));
        if (old->readout_map)
            assert_memory_equal(old->readout_map, more->readout_map, DIM * DIM * sizeof(float));
        if (old->readout_mean)
            assert_memory_equal(old->readout_mean, more->readout_mean, DIM * sizeof(float));
        assert_true((old->readout_map != NULL) == (more->readout_map != NULL));
        check_later(more, "w1007", share);
        check_later(more, "w20x", share);
        check_later(more, "zq", share);

        /* Another text, whose vectors replace the first ones. */
        o.replace = true;
        write_text(b, 2);
        well(b->p->ctx, psdvec_extend(b->p->ctx, &o, b->other, (const char *[]){b->text}, 1,
                                      b->third, &report));
        assert_int_equal(report.replaced_words, 3);
        psdvec_model *again = open_model(b, b->third);
        assert_memory_equal(readout_of(old), readout_of(again), words * DIM * sizeof(float));
        assert_memory_not_equal(readout_of(more) + words * DIM, readout_of(again) + words * DIM,
                                3 * DIM * sizeof(float));
        check_later(again, "w1007", share);
        check_later(again, "zq", share);
        psdvec_model_close(again);
        psdvec_model_close(more);
        psdvec_model_close(old);
        bench_free(b);
    }
}

/* ---- Another weight of spelling -------------------------------------------------------------- */

static psdvec_model *weighted(bench *b, const psdvec_model *m, double weight)
{
    psdvec_model *view;
    well(b->p->ctx, psdvec_model_with_spelling(b->p->ctx, m, weight, &view));
    return view;
}

/* The distance between the read-outs of two models, over the words of the first. */
static double apart(const psdvec_model *a, const psdvec_model *b)
{
    double most = 0;
    for (size_t k = 0; k < (size_t)a->info.words * DIM; k++)
        most = fmax(most, fabs((double)readout_of(a)[k] - (double)readout_of(b)[k]));
    return most;
}

/* The weight w on a model trained with the share 0.8 equals training with the share 0.8 w. */
static void a_weight_of_spelling_is_as_if_trained_with_it(void **state)
{
    (void)state;
    bench *b = bench_new(true, 0.5, 0.8);
    static const double weights[] = {0, 0.25, 1};
    for (size_t k = 0; k < 3; k++) {
        bench *other = bench_new(true, 0.5, 0.8 * weights[k]);
        psdvec_model *m = open_model(b, b->model), *wanted = open_model(other, other->model);
        psdvec_model *view = weighted(b, m, weights[k]);
        psdvec_model_close(m); /* the view keeps it open */
        assert_true(apart(view, wanted) < 1e-6);
        assert_memory_equal(vectors_of(view), vectors_of(wanted),
                            (size_t)view->info.words * DIM * sizeof(float));
        well(b->p->ctx, psdvec_model_verify(b->p->ctx, view));
        /* Everything else is available: words, and spelling vectors of others. */
        uint32_t i, j;
        float vector[DIM], again[DIM];
        assert_true(psdvec_model_find(view, "w3", 2, &i));
        assert_true(psdvec_model_find(wanted, "w3", 2, &j));
        assert_int_equal(i, j);
        assert_close(psdvec_model_cosine(view, i, 1), psdvec_model_cosine(wanted, i, 1), 1e-5);
        assert_true(psdvec_model_spell(view, "w1234", 5, vector));
        /* A view of a view has the weight of the last one. */
        psdvec_model *last = weighted(b, view, 0.5), *half = weighted(b, last, weights[k]);
        psdvec_model_close(last);
        assert_true(apart(half, view) == 0);
        psdvec_model_copy(view, i, vector);
        psdvec_model_copy(half, i, again);
        assert_memory_equal(vector, again, sizeof vector);
        psdvec_model_close(half);
        psdvec_model_close(view);
        psdvec_model_close(wanted);
        bench_free(other);
    }
    bench_free(b);
}

static void added_words_lose_their_spelling_too(void **state)
{
    (void)state;
    bench *b = bench_new(true, 0.5, 0.8), *other = bench_new(true, 0.5, 0);
    psdvec_extend_options o;
    psdvec_extend_options_default(&o);
    write_text(b, 1);
    write_text(other, 1);
    well(b->p->ctx,
         psdvec_extend(b->p->ctx, &o, b->model, (const char *[]){b->text}, 1, b->other, NULL));
    well(other->p->ctx, psdvec_extend(other->p->ctx, &o, other->model,
                                      (const char *[]){other->text}, 1, other->other, NULL));
    psdvec_model *m = open_model(b, b->other), *wanted = open_model(other, other->other);
    psdvec_model *view = weighted(b, m, 0);
    assert_true(apart(m, wanted) > 0.1);
    assert_true(apart(view, wanted) < 1e-6);
    psdvec_model_close(view);
    psdvec_model_close(m);
    psdvec_model_close(wanted);
    bench_free(b);
    bench_free(other);
}

static void invalid_weights_are_refused(void **state)
{
    (void)state;
    bench *b = bench_new(true, 0.5, 1), *plain = bench_new(true, 0.5, 0);
    psdvec_context *ctx = b->p->ctx;
    psdvec_model *m = open_model(b, b->model), *view = m;
    assert_int_equal(psdvec_model_with_spelling(ctx, m, -0.1, &view), PSDVEC_ERR_OPTION);
    assert_null(view);
    assert_int_equal(psdvec_model_with_spelling(ctx, m, (double)NAN, &view), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_model_with_spelling(ctx, NULL, 1, &view), PSDVEC_ERR_OPTION);
    psdvec_model_close(m);
    /* After normalisation to length 1, the parts cannot be separated. */
    psdvec_convert_options o = {.size = sizeof o, .normalize = true};
    well(ctx, psdvec_convert(ctx, &o, b->model, b->other));
    m = open_model(b, b->other);
    assert_int_equal(psdvec_model_with_spelling(ctx, m, 0, &view), PSDVEC_ERR_FORMAT);
    assert_contains(psdvec_error_message(ctx), "normalised to length 1");
    psdvec_model_close(m);
    /* Without spelling vectors there is nothing to change. */
    m = open_model(plain, plain->model);
    view = weighted(plain, m, 0);
    assert_true(readout_of(view) == readout_of(m));
    psdvec_model_close(view);
    psdvec_model_close(m);
    bench_free(plain);
    bench_free(b);
}

/* ---- Conversions ----------------------------------------------------------------------------- */

static psdvec_model *converted(bench *b, psdvec_convert_options o, const char *to)
{
    well(b->p->ctx, psdvec_convert(b->p->ctx, &o, b->model, to));
    return open_model(b, to);
}

static void truncation_applies_to_all_vectors(void **state)
{
    (void)state;
    bench *b = bench_new(true, 0.5, 1);
    enum { LESS = 4 };
    psdvec_model *old = open_model(b, b->model);
    psdvec_model *cut = converted(
        b,
        (psdvec_convert_options){.size = sizeof(psdvec_convert_options), .dim = LESS, .words = 100},
        b->other);
    assert_true(cut->info.has_readout && cut->info.has_spelling);
    assert_int_equal(cut->info.dim, LESS);
    assert_int_equal(cut->info.words, 100);
    assert_int_equal(cut->info.ngrams, old->info.ngrams);
    for (size_t i = 0; i < 100; i++)
        for (size_t k = 0; k < LESS; k++)
            assert_true(readout_of(cut)[i * LESS + k] == readout_of(old)[i * DIM + k]);
    for (size_t i = 0; i < LESS; i++)
        for (size_t k = 0; k < LESS; k++)
            assert_true(cut->readout_map[i * LESS + k] == old->readout_map[i * DIM + k]);
    assert_memory_equal(cut->readout_mean, old->readout_mean, LESS * sizeof(float));
    float few[LESS], all[DIM];
    assert_true(psdvec_model_spell(cut, "w1234", 5, few));
    assert_true(psdvec_model_spell(old, "w1234", 5, all));
    for (size_t k = 0; k < LESS; k++)
        assert_close((double)few[k], (double)all[k], 1e-6);
    psdvec_model_close(cut);
    /* A truncated model can be extended. */
    psdvec_extend_options e;
    psdvec_extend_options_default(&e);
    write_text(b, 1);
    well(b->p->ctx,
         psdvec_extend(b->p->ctx, &e, b->other, (const char *[]){b->text}, 1, b->third, NULL));
    psdvec_model_close(open_model(b, b->third));
    psdvec_model_close(old);
    bench_free(b);
}

static void length_1_keeps_cosines(void **state)
{
    (void)state;
    bench *b = bench_new(true, 0.5, 1);
    psdvec_model *old = open_model(b, b->model);
    psdvec_model *unit = converted(
        b, (psdvec_convert_options){.size = sizeof(psdvec_convert_options), .normalize = true},
        b->other);
    assert_true(unit->info.has_readout && unit->info.has_spelling);
    assert_true(!unit->readout_mean && !unit->readout_map);
    for (uint32_t i = 0; i < unit->info.words; i++) {
        double square = 0;
        for (size_t k = 0; k < DIM; k++)
            square += pow((double)readout_of(unit)[(size_t)i * DIM + k], 2);
        assert_close(square, 1, 1e-5);
        assert_close(psdvec_model_cosine(unit, i, 3), psdvec_model_cosine(old, i, 3), 1e-5);
    }
    psdvec_model_close(unit);
    psdvec_model_close(old);
    bench_free(b);
}

static void both_sets_are_rounded(void **state)
{
    (void)state;
    bench *b = bench_new(true, 0.5, 1);
    psdvec_model *old = open_model(b, b->model);
    for (int precision = PSDVEC_FLOAT16; precision <= PSDVEC_INT8; precision++) {
        psdvec_convert_options o = {.size = sizeof(psdvec_convert_options),
                                    .precision = (psdvec_precision)precision};
        psdvec_model *less = converted(b, o, b->other);
        pv_dtype dtype = precision == PSDVEC_INT8 ? PV_DTYPE_I8 : PV_DTYPE_F16;
        double step = precision == PSDVEC_INT8 ? 1.0 / 254 : 1.0 / 2048;
        assert_int_equal(pv_st_tensor(less->file, "vectors")->dtype, dtype);
        assert_int_equal(pv_st_tensor(less->file, "readout")->dtype, dtype);
        assert_true((pv_st_tensor(less->file, "readout.scale") != NULL) ==
                    (precision == PSDVEC_INT8));
        for (size_t i = 0; i < old->info.words; i++)
            for (int set = 0; set < 2; set++) {
                const float *was = (set ? readout_of(old) : vectors_of(old)) + i * DIM;
                const float *is = (set ? readout_of(less) : vectors_of(less)) + i * DIM;
                double largest = 0;
                for (size_t k = 0; k < DIM; k++)
                    largest = fmax(largest, fabs((double)was[k]));
                for (size_t k = 0; k < DIM; k++)
                    assert_close((double)is[k], (double)was[k], 1.001 * step * largest + 1e-7);
            }
        assert_int_equal(less->info.ngrams, old->info.ngrams);
        psdvec_model_close(less);
        /* Rounding is idempotent: the same file again. */
        size_t one, two;
        psdvec_convert_options plain = {.size = sizeof(psdvec_convert_options),
                                        .precision = o.precision};
        well(b->p->ctx, psdvec_convert(b->p->ctx, &plain, b->other, b->third));
        char *first = scratch_read(b->other, &one), *second = scratch_read(b->third, &two);
        assert_int_equal(one, two);
        free(first);
        free(second);
    }
    psdvec_model_close(old);
    bench_free(b);
}

static void export_writes_the_readout_or_raw_vectors(void **state)
{
    (void)state;
    bench *b = bench_new(true, 0.5, 1);
    psdvec_model *old = open_model(b, b->model);
    for (int raw = 0; raw < 2; raw++)
        for (int format = PSDVEC_VECTORS_WORD2VEC; format <= PSDVEC_VECTORS_GLOVE; format++) {
            psdvec_convert_options o = {.size = sizeof(psdvec_convert_options),
                                        .format = (psdvec_vectors_format)format,
                                        .raw = raw};
            psdvec_model *out = converted(b, o, b->other);
            assert_false(out->info.has_readout || out->info.has_spelling);
            assert_memory_equal(vectors_of(out), raw ? vectors_of(old) : readout_of(old),
                                (size_t)old->info.words * DIM * sizeof(float));
            psdvec_model_close(out);
        }
    psdvec_convert_options o = {.size = sizeof(psdvec_convert_options), .raw = true};
    assert_int_equal(psdvec_convert(b->p->ctx, &o, b->model, b->third), PSDVEC_ERR_OPTION);
    assert_contains(psdvec_error_message(b->p->ctx),
                    "contains both the generative vectors and the read-out");
    assert_null(scratch_read(b->third, &(size_t){0}));
    psdvec_model_close(old);
    bench_free(b);
}

/* ---- Inconsistent files ---------------------------------------------------------------------- */

/* Four words, three dimensions, two n-grams, with one tensor or the metadata changed. */
typedef struct lie {
    const char *tensor; /* the wrong tensor */
    pv_dtype dtype;
    unsigned rank;
    uint64_t shape[2];
    const void *data;     /* NULL: it is missing */
    const char *spelling; /* the metadata; NULL: the right one, "": none */
    const char *sentence; /* NULL: the file is valid */
} lie;

static const float numbers[12] = {1, 2, 3, 4, 5, 6, -1, -2, -3, 0.5F, 0, 1};
static const uint32_t ends[] = {0, 2, 5}, ones[] = {1, 2};

static void write_lie(psdvec_context *ctx, const lie *l, const char *path)
{
    static const uint64_t offsets[] = {0, 3, 5, 8, 10};
    static const int8_t rows[] = {1, 2, 3, -4, -5, -127};
    const struct {
        const char *name;
        pv_dtype dtype;
        unsigned rank;
        uint64_t shape[2];
        const void *data;
    } right[] = {{"words", PV_DTYPE_U8, 1, {10}, "theofandto"},
                 {"offsets", PV_DTYPE_U64, 1, {5}, offsets},
                 {"readout.mean", PV_DTYPE_F32, 1, {3}, numbers},
                 {"readout.map", PV_DTYPE_F32, 2, {3, 3}, numbers},
                 {"spelling.ngrams", PV_DTYPE_U8, 1, {5}, "abcde"},
                 {"spelling.offsets", PV_DTYPE_U32, 1, {3}, ends},
                 {"spelling.members", PV_DTYPE_U32, 1, {2}, ones},
                 {"spelling.scale", PV_DTYPE_F32, 1, {2}, numbers},
                 {"spelling.rows", PV_DTYPE_I8, 2, {2, 3}, rows},
                 {"readout", PV_DTYPE_F32, 2, {4, 3}, numbers},
                 {"vectors", PV_DTYPE_F32, 2, {4, 3}, numbers}};
    const char *spelling = l->spelling ? l->spelling : "2-3";
    pv_st_pair meta[] = {{"format", PV_MODEL_FORMAT}, {"version", "1"}, {"spelling", spelling}};
    pv_output *output;
    pv_st_writer *writer;
    pv_begin(ctx);
    ok(pv_output_open(ctx, path, &output));
    ok(pv_st_writer_begin(ctx, pv_st_output_sink(output), 12, meta, *spelling ? 3 : 2, 0, &writer));
    for (size_t k = 0; k < sizeof right / sizeof *right; k++) {
        bool wrong = l->tensor && !strcmp(l->tensor, right[k].name);
        if (wrong && l->data)
            ok(pv_st_writer_tensor(writer, right[k].name, l->dtype, l->rank, l->shape, l->data));
        else if (!wrong)
            ok(pv_st_writer_tensor(writer, right[k].name, right[k].dtype, right[k].rank,
                                   right[k].shape, right[k].data));
    }
    ok(pv_st_writer_end(writer, NULL));
    ok(pv_output_commit(output));
    pv_st_writer_free(writer);
}

static void files_with_an_inconsistent_readout_are_refused(void **state)
{
    (void)state;
    static const float nan_mean[] = {1, NAN, 0}, inf_map[] = {0, 0, 0, 0, 0, 0, 0, 0, INFINITY};
    static const float scales[][2] = {{NAN, 1}, {-1, 1}, {INFINITY, 1}, {2e30F, 1}};
    static const uint32_t behind[] = {0, 2, 6}, down[] = {0, 4, 2}, later_start[] = {1, 2, 5};
    static const uint32_t empty[] = {0, 0, 5}, none[] = {1, 0}, zero[] = {0};
    static const lie lies[] = {
        {.sentence = NULL},
        {"readout.mean", PV_DTYPE_F32, 1, {3}, NULL, NULL, NULL},
        {"readout.map", PV_DTYPE_F32, 2, {3, 3}, NULL, NULL, NULL},
        {"readout", PV_DTYPE_F32, 2, {4, 3}, NULL, NULL, NULL},
        {"readout", PV_DTYPE_F32, 2, {4, 2}, numbers, NULL, "readout"},
        {"readout", PV_DTYPE_F32, 2, {3, 3}, numbers, NULL, "readout"},
        {"readout", PV_DTYPE_F32, 1, {12}, numbers, NULL, "readout"},
        {"readout", PV_DTYPE_F16, 2, {4, 3}, numbers, NULL, "readout"},
        {"readout", PV_DTYPE_I8, 2, {4, 3}, numbers, NULL, "readout"},
        {"readout.mean", PV_DTYPE_F32, 1, {2}, numbers, NULL, "readout.mean"},
        {"readout.mean", PV_DTYPE_F64, 1, {3}, numbers, NULL, "readout.mean"},
        {"readout.mean", PV_DTYPE_F32, 1, {3}, nan_mean, NULL, "the mean of its read-out"},
        {"readout.map", PV_DTYPE_F32, 2, {3, 2}, numbers, NULL, "readout.map"},
        {"readout.map", PV_DTYPE_F32, 1, {9}, numbers, NULL, "readout.map"},
        {"readout.map", PV_DTYPE_F32, 2, {3, 3}, inf_map, NULL, "the map of its read-out"},
        {"spelling.ngrams", PV_DTYPE_U8, 1, {5}, NULL, NULL, "spelling.ngrams"},
        {"spelling.ngrams", PV_DTYPE_I8, 1, {5}, "abcde", NULL, "spelling.ngrams"},
        {"spelling.ngrams", PV_DTYPE_U8, 1, {4}, "abcd", NULL, "the length of their text"},
        {"spelling.ngrams", PV_DTYPE_U8, 1, {5}, "cdabe", NULL, "is not greater than"},
        {"spelling.ngrams", PV_DTYPE_U8, 1, {5}, "ab\xff\xfe\x80", NULL, NULL},
        {"spelling.offsets", PV_DTYPE_U32, 1, {3}, NULL, NULL, "spelling.offsets"},
        {"spelling.offsets", PV_DTYPE_U64, 1, {1}, numbers, NULL, "spelling.offsets"},
        {"spelling.offsets", PV_DTYPE_U32, 1, {0}, ends, NULL, "have no offsets"},
        {"spelling.offsets", PV_DTYPE_U32, 1, {2}, ends, NULL, "spelling.members"},
        {"spelling.offsets", PV_DTYPE_U32, 1, {3}, behind, NULL, "the length of their text"},
        {"spelling.offsets", PV_DTYPE_U32, 1, {3}, down, NULL, "the length of their text"},
        {"spelling.offsets", PV_DTYPE_U32, 1, {3}, later_start, NULL, "the length of their text"},
        {"spelling.offsets", PV_DTYPE_U32, 1, {3}, empty, NULL, "has no length"},
        {"spelling.offsets", PV_DTYPE_U32, 1, {1}, zero, NULL, NULL}, /* no n-grams */
        {"spelling.members", PV_DTYPE_U32, 1, {2}, NULL, NULL, "spelling.members"},
        {"spelling.members", PV_DTYPE_U32, 1, {1}, ones, NULL, "spelling.members"},
        {"spelling.members", PV_DTYPE_U32, 1, {2}, none, NULL, "has no members"},
        {"spelling.scale", PV_DTYPE_F32, 1, {2}, NULL, NULL, "spelling.scale"},
        {"spelling.scale", PV_DTYPE_F32, 1, {3}, numbers, NULL, "spelling.scale"},
        {"spelling.scale", PV_DTYPE_F32, 1, {2}, scales[0], NULL, "has a scale"},
        {"spelling.scale", PV_DTYPE_F32, 1, {2}, scales[1], NULL, "has a scale"},
        {"spelling.scale", PV_DTYPE_F32, 1, {2}, scales[2], NULL, "has a scale"},
        {"spelling.scale", PV_DTYPE_F32, 1, {2}, scales[3], NULL, "has a scale"},
        {"spelling.rows", PV_DTYPE_I8, 2, {2, 3}, NULL, NULL, "spelling.rows"},
        {"spelling.rows", PV_DTYPE_I8, 2, {2, 2}, numbers, NULL, "spelling.rows"},
        {"spelling.rows", PV_DTYPE_I8, 2, {3, 3}, numbers, NULL, "spelling.rows"},
        {"spelling.rows", PV_DTYPE_U8, 2, {2, 3}, numbers, NULL, "spelling.rows"},
        {.spelling = "", .sentence = "length of its character n-grams"},
        {.spelling = "2", .sentence = "length of its character n-grams"},
        {.spelling = "2-", .sentence = "length of its character n-grams"},
        {.spelling = "-2-3", .sentence = "length of its character n-grams"},
        {.spelling = "2-+3", .sentence = "length of its character n-grams"},
        {.spelling = " 2-3", .sentence = "length of its character n-grams"},
        {.spelling = "2-3 ", .sentence = "length of its character n-grams"},
        {.spelling = "2-4294967299", .sentence = "length of its character n-grams"},
        {.spelling = "{}", .sentence = "length of its character n-grams"},
        {.spelling = "0-3", .sentence = "the lengths must be in ascending order"},
        {.spelling = "3-2", .sentence = "the lengths must be in ascending order"},
        {.spelling = "2-17", .sentence = "the lengths must be in ascending order"},
        {.spelling = "3-4", .sentence = "a length that the table does not allow"}};
    char *folder = scratch_new(), *path = scratch_path(folder, "lie");
    psdvec_context *ctx = context_of(1);
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        psdvec_model *model = NULL;
        write_lie(ctx, &lies[k], path);
        psdvec_status status = psdvec_model_open(ctx, path, &model);
        if (lies[k].sentence) {
            if (status == PSDVEC_OK)
                fail_msg("lie %zu was believed", k);
            assert_true(status == PSDVEC_ERR_CORRUPT || status == PSDVEC_ERR_FORMAT);
            assert_contains(psdvec_error_message(ctx), path);
            assert_contains(psdvec_error_message(ctx), lies[k].sentence);
            assert_null(model);
        } else {
            float s[3];
            well(ctx, status);
            well(ctx, psdvec_model_verify(ctx, model));
            bool few = psdvec_model_get_info(model)->ngrams == 0;
            assert_true(psdvec_model_get_info(model)->has_spelling == !few);
            assert_true(psdvec_model_spell(model, "xaby", 4, s) == !few);
            assert_false(psdvec_model_spell(model, "zzzz", 4, s));
            assert_true(s[0] == 0 && s[1] == 0 && s[2] == 0);
            psdvec_model_close(model);
        }
        assert_int_equal(atomic_load(&ctx->memory_used), 0);
    }
    psdvec_context_free(ctx);
    scratch_free(folder);
    free(path);
}

/* Also with correct checksums. */
static void a_readout_that_is_not_finite_is_detected_and_not_copied(void **state)
{
    (void)state;
    float bad[12];
    memcpy(bad, numbers, sizeof bad);
    bad[7] = NAN;
    char *folder = scratch_new(), *path = scratch_path(folder, "bad");
    char *other = scratch_path(folder, "other");
    psdvec_context *ctx = context_of(2);
    psdvec_model *model;
    lie l = {"readout", PV_DTYPE_F32, 2, {4, 3}, bad, NULL, NULL};
    write_lie(ctx, &l, path);
    well(ctx, psdvec_model_open(ctx, path, &model));
    assert_int_equal(psdvec_model_verify(ctx, model), PSDVEC_ERR_CORRUPT);
    assert_contains(psdvec_error_message(ctx), "(word 3, 'and')");
    psdvec_model_close(model);
    for (int format = PSDVEC_VECTORS_MODEL; format <= PSDVEC_VECTORS_GLOVE; format++) {
        psdvec_convert_options o = {.size = sizeof(psdvec_convert_options),
                                    .format = (psdvec_vectors_format)format};
        assert_int_equal(psdvec_convert(ctx, &o, path, other), PSDVEC_ERR_CORRUPT);
        assert_contains(psdvec_error_message(ctx), path);
        assert_int_equal(scratch_entries(folder), 1);
    }
    /* The first component of each vector, and the first two words, are finite. */
    psdvec_convert_options few = {.size = sizeof(psdvec_convert_options), .dim = 1},
                           first = {.size = sizeof(psdvec_convert_options), .words = 2};
    well(ctx, psdvec_convert(ctx, &few, path, other));
    well(ctx, psdvec_convert(ctx, &first, path, other));
    psdvec_context_free(ctx);
    scratch_free(folder);
    free(path);
    free(other);
}

static void a_flipped_bit_in_any_of_its_tensors_is_detected(void **state)
{
    (void)state;
    bench *b = bench_new(true, 0.5, 1);
    static const char *const names[] = {"readout",         "readout.mean",     "readout.map",
                                        "spelling.ngrams", "spelling.offsets", "spelling.members",
                                        "spelling.scale",  "spelling.rows"};
    size_t length;
    char *bytes = scratch_read(b->model, &length);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        psdvec_model *m = open_model(b, b->model);
        const pv_tensor *t = pv_st_tensor(m->file, names[k]);
        assert_non_null(t);
        /* Finds the offset of the tensor in the file. */
        char *at = memmem(bytes, length, t->data, t->bytes);
        assert_non_null(at);
        at += t->bytes / 2;
        psdvec_model_close(m);
        *at ^= 1;
        scratch_write(b->other, bytes, length);
        *at ^= 1;
        psdvec_status status = psdvec_model_open(b->p->ctx, b->other, &m);
        if (status == PSDVEC_OK)
            status = psdvec_model_verify(b->p->ctx, m);
        assert_int_equal(status, PSDVEC_ERR_CORRUPT);
        psdvec_model_close(m);
    }
    free(bytes);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_readouts_keep_their_bits_and_new_words_get_one),
        cmocka_unit_test(a_weight_of_spelling_is_as_if_trained_with_it),
        cmocka_unit_test(added_words_lose_their_spelling_too),
        cmocka_unit_test(invalid_weights_are_refused),
        cmocka_unit_test(truncation_applies_to_all_vectors),
        cmocka_unit_test(length_1_keeps_cosines),
        cmocka_unit_test(both_sets_are_rounded),
        cmocka_unit_test(export_writes_the_readout_or_raw_vectors),
        cmocka_unit_test(files_with_an_inconsistent_readout_are_refused),
        cmocka_unit_test(a_readout_that_is_not_finite_is_detected_and_not_copied),
        cmocka_unit_test(a_flipped_bit_in_any_of_its_tensors_is_detected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
