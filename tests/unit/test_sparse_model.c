/* Sparse models: their file format, and all queries against a dense model with the same values. */
#include "base/file.h"
#include "base/safetensors_write.h"
#include "eval/analogy.h"
#include "model/dot.h"
#include "model/model_read.h"
#include "model/sparse_file.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NO_DIRECTION = 7 }; /* a word whose vector is all zeros */

static void assert_fails(workshop *w, psdvec_status got, psdvec_status wanted, const char *sentence)
{
    const char *message = psdvec_error_message(w->ctx);
    if (got != wanted || !strstr(message, sentence))
        fail_msg("wanted %s with \"%s\", got %s: %s", psdvec_status_name(wanted), sentence,
                 psdvec_status_name(got), message);
}

static void well(workshop *w, psdvec_status status)
{
    if (status != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
}

/* ---- The same numbers dense and sparse ------------------------------------------------------- */

typedef struct twins {
    sample s; /* the dense model; one in five of its numbers is not 0 */
    uint64_t *begin;
    uint32_t *column;
    float *value;
    pv_sparse_model_data data;
    psdvec_model *dense, *sparse;
} twins;

static void thin_out(sample *s, uint64_t seed, bool positive)
{
    dice d = {seed};
    for (uint32_t i = 0; i < s->data.words; i++)
        for (uint32_t k = 0; k < s->data.dim; k++) {
            float *v = &s->vectors[(size_t)i * s->data.dim + k];
            *v = dice_percent(&d, 20) && i != NO_DIRECTION ? *v * (float)(1 + i % 4) : 0;
            if (positive)
                *v = fabsf(*v);
        }
}

static twins make_twins(workshop *w, uint32_t words, uint32_t dim, uint64_t seed, bool positive)
{
    twins t = {0};
    sample_make(&t.s, words, dim, seed);
    thin_out(&t.s, seed + 1, positive);
    t.s.data.eigenvalues = NULL; /* so products are plain */
    size_t entries = 0, most = (size_t)words * dim;
    t.begin = calloc((size_t)words + 1, sizeof *t.begin);
    t.column = calloc(most, sizeof *t.column);
    t.value = calloc(most, sizeof *t.value);
    assert_true(t.begin && t.column && t.value);
    for (uint32_t i = 0; i < words; i++) {
        for (uint32_t k = 0; k < dim; k++)
            if (t.s.vectors[(size_t)i * dim + k] != 0) {
                t.column[entries] = k;
                t.value[entries++] = t.s.vectors[(size_t)i * dim + k];
            }
        t.begin[i + 1] = entries;
    }
    t.data = (pv_sparse_model_data){.rows = pv_csr_of(words, dim, t.begin, t.column, t.value),
                                    .bytes = t.s.bytes,
                                    .offsets = t.s.offsets,
                                    .counts = t.s.counts,
                                    .method = positive ? "ppmi" : "sparse",
                                    .settings_json = "{\"shift\": 1}",
                                    .counts_json = "{\"window\": 5}"};
    t.s.data.method = t.data.method; /* 3CosMul depends on it */
    well(w, pv_model_write(w->ctx, &t.s.data, w->other));
    well(w, pv_sparse_model_write(w->ctx, &t.data, w->out));
    t.dense = open_model(w, w->other);
    t.sparse = open_model(w, w->out);
    return t;
}

static void free_twins(twins *t)
{
    psdvec_model_close(t->dense);
    psdvec_model_close(t->sparse);
    sample_free(&t->s);
    free(t->begin);
    free(t->column);
    free(t->value);
}

/* ---- Round trips ----------------------------------------------------------------------------- */

static void everything_is_preserved(void **state)
{
    workshop *w = *state;
    twins t = make_twins(w, 60, 40, 1, false);
    const psdvec_model_info *info = psdvec_model_get_info(t.sparse);
    float *copy = calloc(40, sizeof *copy);
    assert_true(info->sparse && info->native && info->has_counts && !info->has_readout);
    assert_true(info->words == 60 && info->dim == 40 && info->positive == 40);
    assert_int_equal(info->entries, t.begin[60]);
    assert_false(info->directions_are_words);
    assert_string_equal(info->method, "sparse");
    assert_string_equal(info->settings_json, t.data.settings_json);
    assert_string_equal(info->counts_json, t.data.counts_json);
    well(w, psdvec_model_verify(w->ctx, t.sparse));
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t *columns;
        const float *values;
        size_t count;
        psdvec_model_sparse_row(t.sparse, i, &columns, &values, &count);
        assert_int_equal(count, t.begin[i + 1] - t.begin[i]);
        assert_memory_equal(columns, t.column + t.begin[i], count * sizeof *columns);
        assert_memory_equal(values, t.value + t.begin[i], count * sizeof *values);
        assert_int_equal(psdvec_model_frequency(t.sparse, i), t.s.counts[i]);
        assert_null(psdvec_model_vector(t.sparse, i));
        memset(copy, 0xff, 40 * sizeof *copy);
        psdvec_model_copy(t.sparse, i, copy);
        assert_memory_equal(copy, t.s.vectors + (size_t)i * 40, 40 * sizeof *copy);
        psdvec_model_copy(t.dense, i, copy);
        assert_memory_equal(copy, t.s.vectors + (size_t)i * 40, 40 * sizeof *copy);
        psdvec_model_sparse_row(t.dense, i, &columns, &values, &count);
        assert_int_equal(count, 0);
    }
    const float *readout;
    assert_fails(w, psdvec_model_readout(w->ctx, t.sparse, &readout), PSDVEC_ERR_OPTION,
                 "psdvec_model_copy");
    free(copy);
    free_twins(&t);
}

static void without_values_all_are_one(void **state)
{
    workshop *w = *state;
    twins t = make_twins(w, 30, 20, 2, false);
    size_t with, without;
    free(scratch_read(w->out, &with));
    t.data.rows.value = NULL;
    t.data.counts = NULL;
    t.data.method = t.data.settings_json = t.data.counts_json = NULL;
    t.data.directions_are_words = true;
    psdvec_model_close(t.sparse);
    well(w, pv_sparse_model_write(w->ctx, &t.data, w->out));
    free(scratch_read(w->out, &without));
    assert_true(without < with);
    t.sparse = open_model(w, w->out);
    well(w, psdvec_model_verify(w->ctx, t.sparse));
    assert_null(psdvec_model_get_info(t.sparse)->method);
    assert_false(psdvec_model_get_info(t.sparse)->has_counts);
    assert_true(psdvec_model_get_info(t.sparse)->directions_are_words);
    for (uint32_t i = 0; i < 30; i++) {
        const uint32_t *columns;
        const float *values;
        size_t count, common = 0;
        psdvec_model_sparse_row(t.sparse, i, &columns, &values, &count);
        for (size_t k = 0; k < count; k++)
            assert_true(values[k] == 1);
        for (uint32_t k = 0; k < 20; k++)
            common += t.s.vectors[(size_t)i * 20 + k] != 0 && t.s.vectors[k] != 0;
        assert_true(psdvec_model_product(t.sparse, 0, i) == (double)common);
    }
    free_twins(&t);
}

static void the_bytes_do_not_depend_on_the_threads(void **state)
{
    workshop *w = *state;
    twins t = make_twins(w, 3000, 50, 3, false);
    psdvec_model_close(t.dense);
    psdvec_model_close(t.sparse);
    t.dense = t.sparse = NULL;
    size_t length, other;
    char *first = scratch_read(w->out, &length);
    for (int threads = 1; threads < 5; threads += 3) {
        workshop_context(w, UINT64_C(256) << 20, threads);
        well(w, pv_sparse_model_write(w->ctx, &t.data, w->out));
        char *again = scratch_read(w->out, &other);
        assert_int_equal(length, other);
        assert_memory_equal(first, again, length);
        free(again);
    }
    free(first);
    free_twins(&t);
}

static void invalid_arguments_are_reported(void **state)
{
    workshop *w = *state;
    twins t = make_twins(w, 30, 20, 4, false);
    const struct {
        uint32_t words, dim;
        const char *sentence;
    } sizes[] = {{0, 20, "no words"}, {30, 0, "no words"}, {30, 5, "columns"}};
    for (size_t k = 0; k < 3; k++) {
        pv_sparse_model_data data = t.data;
        data.rows.rows = sizes[k].words;
        data.rows.columns = sizes[k].dim;
        assert_fails(w, pv_sparse_model_write(w->ctx, &data, w->in), PSDVEC_ERR_INTERNAL,
                     sizes[k].sentence);
        pv_begin(w->ctx);
    }
    uint64_t begin = t.begin[3];
    t.begin[3] = t.begin[4] + 1;
    assert_fails(w, pv_sparse_model_write(w->ctx, &t.data, w->in), PSDVEC_ERR_INTERNAL, "rows");
    t.begin[3] = begin;
    pv_begin(w->ctx);
    uint32_t column = t.column[1];
    t.column[1] = t.column[0];
    assert_fails(w, pv_sparse_model_write(w->ctx, &t.data, w->in), PSDVEC_ERR_INTERNAL, "columns");
    t.column[1] = column;
    pv_begin(w->ctx);
    t.value[t.begin[5]] = NAN;
    assert_fails(w, pv_sparse_model_write(w->ctx, &t.data, w->in), PSDVEC_ERR_NUMERIC, "'w5'");
    assert_null(scratch_read(w->in, &(size_t){0}));
    free_twins(&t);
}

/* ---- Inconsistent files ---------------------------------------------------------------------- */

typedef struct wrong_file {
    const char *key, *text; /* metadata that replaces the right one */
    const char *tensor;     /* replaced, or omitted if it has no data */
    pv_dtype dtype;
    uint64_t count;
    const void *data;
    psdvec_status status;
    const char *sentence;
} wrong_file;

static void put(pv_st_writer *writer, const wrong_file *f, const char *name, pv_dtype dtype,
                uint64_t count, const void *data)
{
    if (!f->tensor || strcmp(f->tensor, name) != 0)
        assert_int_equal(pv_st_writer_tensor(writer, name, dtype, 1, &count, data), PSDVEC_OK);
    else if (f->data)
        assert_int_equal(pv_st_writer_tensor(writer, name, f->dtype, 1, &f->count, f->data),
                         PSDVEC_OK);
}

static void write_wrong(workshop *w, const wrong_file *f)
{
    static const char *const keys[] = {"format", "version", "dim", "method", "settings"};
    static const char *const rights[] = {"psdvec.sparse", "1", "6", "ppmi", "{}"};
    static const uint64_t offsets[] = {0, 1, 2, 3}, begin[] = {0, 2, 2, 5};
    static const uint32_t column[] = {1, 4, 0, 2, 5};
    static const float value[] = {1, 2, 3, 4, 5};
    pv_st_pair meta[5];
    size_t count = 0;
    pv_output *output;
    pv_st_writer *writer;
    for (size_t k = 0; k < 5; k++)
        if (!f->key || strcmp(f->key, keys[k]) != 0)
            meta[count++] = (pv_st_pair){keys[k], rights[k]};
        else if (f->text)
            meta[count++] = (pv_st_pair){keys[k], f->text};
    pv_begin(w->ctx);
    well(w, pv_output_open(w->ctx, w->in, &output));
    well(w, pv_st_writer_begin(w->ctx, pv_st_output_sink(output), 6, meta, count, 0, &writer));
    put(writer, f, "words", PV_DTYPE_U8, 3, "abc");
    put(writer, f, "offsets", PV_DTYPE_U64, 4, offsets);
    put(writer, f, "indptr", PV_DTYPE_U64, 4, begin);
    put(writer, f, "indices", PV_DTYPE_U32, 5, column);
    put(writer, f, "values", PV_DTYPE_F32, 5, value);
    well(w, pv_st_writer_end(writer, NULL));
    pv_st_writer_free(writer);
    well(w, pv_output_commit(output));
}

static void invalid_models_fail_with_a_message(void **state)
{
    workshop *w = *state;
    static const uint64_t late[] = {1, 2, 2, 5}, falls[] = {0, 3, 2, 5}, beyond[] = {0, 2, 2, 9},
                          few[] = {0, 5};
    static const uint32_t falling[] = {4, 1, 0, 2, 5}, twice[] = {1, 1, 0, 2, 5},
                          outside[] = {1, 4, 0, 2, 6}, far[] = {1, UINT32_MAX, 0, 2, 5};
    static const float four[] = {1, 2, 3, 4};
    static const wrong_file files[] = {
        {.key = "version", .text = "2", .status = PSDVEC_ERR_VERSION, .sentence = "sparse model"},
        {.key = "version", .status = PSDVEC_ERR_CORRUPT, .sentence = "version"},
        {.key = "dim", .status = PSDVEC_ERR_CORRUPT, .sentence = "number of dimensions"},
        {.key = "dim",
         .text = "0",
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "number of dimensions"},
        {.key = "dim",
         .text = "6x",
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "number of dimensions"},
        {.key = "dim",
         .text = "-6",
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "number of dimensions"},
        {.key = "dim",
         .text = "4294967296",
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "number of dimensions"},
        {.key = "dim",
         .text = "99999999999999999999",
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "number of dimensions"},
        {.key = "method", .text = "a b", .status = PSDVEC_ERR_CORRUPT, .sentence = "method"},
        {.key = "method", .text = "", .status = PSDVEC_ERR_CORRUPT, .sentence = "method"},
        {.key = "settings", .text = "[]", .status = PSDVEC_ERR_CORRUPT, .sentence = "settings"},
        {.tensor = "indptr", .status = PSDVEC_ERR_FORMAT, .sentence = "indptr"},
        {.tensor = "indices", .status = PSDVEC_ERR_FORMAT, .sentence = "indices"},
        {.tensor = "indptr",
         .dtype = PV_DTYPE_U64,
         .count = 2,
         .data = few,
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "indptr"},
        {.tensor = "indptr",
         .dtype = PV_DTYPE_U64,
         .count = 4,
         .data = late,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "rows"},
        {.tensor = "indptr",
         .dtype = PV_DTYPE_U64,
         .count = 4,
         .data = falls,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "rows"},
        {.tensor = "indptr",
         .dtype = PV_DTYPE_U64,
         .count = 4,
         .data = beyond,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "rows"},
        {.tensor = "indices",
         .dtype = PV_DTYPE_U32,
         .count = 5,
         .data = falling,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "columns"},
        {.tensor = "indices",
         .dtype = PV_DTYPE_U32,
         .count = 5,
         .data = twice,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "columns"},
        {.tensor = "indices",
         .dtype = PV_DTYPE_U32,
         .count = 5,
         .data = outside,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "columns"},
        {.tensor = "indices",
         .dtype = PV_DTYPE_U32,
         .count = 5,
         .data = far,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "columns"},
        {.tensor = "values",
         .dtype = PV_DTYPE_F32,
         .count = 4,
         .data = four,
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "values"},
    };
    psdvec_model *m;
    write_wrong(w, &(wrong_file){0});
    psdvec_model_close(open_model(w, w->in)); /* the right file */
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        write_wrong(w, &files[k]);
        assert_fails(w, psdvec_model_open(w->ctx, w->in, &m), files[k].status, files[k].sentence);
        assert_null(m);
    }
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    workshop *w = *state;
    static const float bad[] = {1, NAN, 3, INFINITY, 5};
    const float query[] = {1, 1, 0, 0, 0, 0};
    const wrong_file file = {.tensor = "values", .dtype = PV_DTYPE_F32, .count = 5, .data = bad};
    psdvec_neighbour got[3];
    size_t found;
    write_wrong(w, &file);
    psdvec_model *m = open_model(w, w->in);
    assert_fails(w, psdvec_model_similar(w->ctx, m, query, NULL, 3, got, &found),
                 PSDVEC_ERR_CORRUPT, "'a'");
    assert_int_equal(found, 0);
    assert_fails(w, psdvec_model_check_word(w->ctx, m, 0), PSDVEC_ERR_CORRUPT, "'a'");
    assert_true(psdvec_model_cosine(m, 0, 2) == 0);
    assert_fails(w, psdvec_model_verify(w->ctx, m), PSDVEC_ERR_CORRUPT, "'a'");
    psdvec_model_close(m);
}

static void models_record_their_method(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 10, 3, 1);
    psdvec_model *m = open_sample(w, &s);
    assert_string_equal(psdvec_model_get_info(m)->method, "psd"); /* from its settings */
    psdvec_model_close(m);
    s.data.method = "svd";
    m = open_sample(w, &s);
    assert_string_equal(psdvec_model_get_info(m)->method, "svd");
    psdvec_scorer_options options;
    psdvec_scorer *scorer;
    psdvec_scorer_options_default(&options);
    assert_fails(
        w, psdvec_scorer_open(w->ctx, &options, &(psdvec_scored_model){.model = m}, 1, &scorer),
        PSDVEC_ERR_FORMAT, "trained by svd");
    psdvec_model_close(m);
    s.data.method = s.data.settings_json = NULL;
    m = open_sample(w, &s);
    assert_null(psdvec_model_get_info(m)->method);
    psdvec_model_close(m);
    sample_free(&s);
}

/* ---- Queries --------------------------------------------------------------------------------- */

static void products_and_cosines_are_those_of_all_numbers(void **state)
{
    workshop *w = *state;
    twins t = make_twins(w, 40, 60, 5, false);
    for (uint32_t i = 0; i < 40; i++)
        for (uint32_t j = 0; j < 40; j++) {
            double product = psdvec_model_product(t.dense, i, j);
            double cosine = psdvec_model_cosine(t.dense, i, j);
            assert_true(psdvec_model_product(t.sparse, i, j) == product);
            assert_true(fabs(psdvec_model_cosine(t.sparse, i, j) - cosine) < 1e-14);
        }
    for (uint32_t i = 0; i < 40; i++)
        assert_true(psdvec_model_cosine(t.sparse, i, i) == (i == NO_DIRECTION ? 0 : 1));
    free_twins(&t);
}

static void assert_same(const psdvec_neighbour *a, size_t a_count, const psdvec_neighbour *b,
                        size_t b_count)
{
    assert_int_equal(a_count, b_count);
    for (size_t k = 0; k < a_count; k++) {
        assert_int_equal(a[k].word, b[k].word);
        assert_true(fabsf(a[k].cosine - b[k].cosine) < 2e-6F * fmaxf(1, fabsf(a[k].cosine)));
    }
}

static void neighbours_are_those_of_the_dense_model(void **state)
{
    workshop *w = *state;
    enum { WORDS = 2500, DIM = 90, MOST = 20 };
    twins t = make_twins(w, WORDS, DIM, 6, false);
    psdvec_neighbour a[MOST], b[MOST];
    size_t a_count, b_count;
    for (uint32_t i = 0; i < WORDS; i += 311) {
        const float *query = t.s.vectors + (size_t)i * DIM;
        psdvec_query_options options = without(&i, 1);
        well(w, psdvec_model_similar(w->ctx, t.dense, query, &options, MOST, a, &a_count));
        well(w, psdvec_model_similar(w->ctx, t.sparse, query, &options, MOST, b, &b_count));
        assert_same(a, a_count, b, b_count);
    }
    const float *none = t.s.vectors + (size_t)NO_DIRECTION * DIM;
    well(w, psdvec_model_similar(w->ctx, t.sparse, none, NULL, MOST, b, &b_count));
    assert_int_equal(b_count, 0);
    free_twins(&t);
}

static void analogies_are_those_of_the_dense_model(void **state)
{
    workshop *w = *state;
    enum { WORDS = 1500, DIM = 70, MOST = 15 };
    static const psdvec_measure methods[] = {PSDVEC_MEASURE_ADD, PSDVEC_MEASURE_MUL};
    psdvec_neighbour a[MOST], b[MOST];
    size_t a_count, b_count;
    for (int positive = 0; positive < 2; positive++) {
        twins t = make_twins(w, WORDS, DIM, 7, positive != 0);
        for (uint32_t q = 0; q < 20; q++) {
            uint32_t words[3] = {q, 3 * q + 40, 5 * q + 100};
            const float *v[3];
            for (int k = 0; k < 3; k++)
                v[k] = t.s.vectors + (size_t)words[k] * DIM;
            psdvec_query_options options = without(words, 3);
            for (int m = 0; m < 2; m++) {
                well(w, psdvec_model_analogy(w->ctx, t.dense, methods[m], v[0], v[1], v[2],
                                             &options, MOST, a, &a_count));
                well(w, psdvec_model_analogy(w->ctx, t.sparse, methods[m], v[0], v[1], v[2],
                                             &options, MOST, b, &b_count));
                assert_same(a, a_count, b, b_count);
            }
        }
        free_twins(&t);
    }
}

/* Levy and Goldberg use cosines that are not negative unchanged. */
static void without_negative_numbers_mul_does_not_shift_cosines(void **state)
{
    workshop *w = *state;
    enum { WORDS = 300, DIM = 50 };
    for (int positive = 0; positive < 2; positive++) {
        twins t = make_twins(w, WORDS, DIM, 8, positive != 0);
        uint32_t words[3] = {1, 20, 300 / 4}, best = 0;
        double most = -INFINITY, shift = positive ? 0 : 1;
        const float *v[3];
        for (int k = 0; k < 3; k++)
            v[k] = t.s.vectors + (size_t)words[k] * DIM;
        for (uint32_t x = 0; x < WORDS; x++) {
            double c[3];
            for (int k = 0; k < 3; k++)
                c[k] = psdvec_model_cosine(t.dense, words[k], x);
            double score = (c[1] + shift) * (c[2] + shift) / (c[0] + shift + 0.001);
            if (x != words[0] && x != words[1] && x != words[2] && x != NO_DIRECTION &&
                score > most) {
                most = score;
                best = x;
            }
        }
        psdvec_neighbour got;
        size_t found;
        psdvec_query_options options = without(words, 3);
        well(w, psdvec_model_analogy(w->ctx, t.sparse, PSDVEC_MEASURE_MUL, v[0], v[1], v[2],
                                     &options, 1, &got, &found));
        assert_int_equal(found, 1);
        assert_int_equal(got.word, best);
        assert_true(fabs((double)got.cosine - most) < 1e-6 * fabs(most));
        free_twins(&t);
    }
}

static void blocks_of_candidates_give_their_cosines(void **state)
{
    workshop *w = *state;
    enum { WORDS = 130, DIM = 33, LENGTH = 50 };
    twins t = make_twins(w, WORDS, DIM, 9, false);
    pv_sparse_block block;
    pv_scope scope = {.ctx = w->ctx, .what = "a block"};
    float cosines[LENGTH];
    well(w, pv_sparse_block_init(&block, &scope, &t.sparse->sparse, WORDS, LENGTH));
    for (uint32_t first = 0; first < WORDS; first += LENGTH) {
        uint32_t length = WORDS - first < LENGTH ? WORDS - first : LENGTH;
        pv_sparse_block_take(&block, &t.sparse->sparse, first, length);
        for (uint32_t q = 0; q < WORDS; q++) {
            pv_sparse_unit unit = pv_sparse_unit_of(pv_csr_row_of(&t.sparse->sparse, q));
            pv_sparse_block_cosines(&block, &unit, cosines);
            for (uint32_t i = 0; i < length; i++)
                assert_true(fabs((double)cosines[i] - psdvec_model_cosine(t.dense, q, first + i)) <
                            1e-6);
        }
    }
    pv_scope_free(&scope);
    free_twins(&t);
}

static void answers_are_those_of_dense_vectors(void **state)
{
    workshop *w = *state;
    enum { WORDS = 2600, DIM = 40, COUNT = 1500 }; /* more words than a batch holds */
    twins t = make_twins(w, WORDS, DIM, 15, false);
    float *units = calloc((size_t)WORDS * DIM, sizeof *units);
    pv_sparse_unit *sparse = calloc(WORDS, sizeof *sparse);
    pv_analogy *asked = calloc(COUNT, sizeof *asked), *again = calloc(COUNT, sizeof *again);
    assert_true(units && sparse && asked && again);
    for (uint32_t i = 0; i < WORDS; i++) {
        pv_unit_vector(t.s.vectors + (size_t)i * DIM, DIM, units + (size_t)i * DIM);
        sparse[i] = pv_sparse_unit_of(pv_csr_row_of(&t.sparse->sparse, i));
    }
    dice d = {16};
    for (int q = 0; q < COUNT; q++) {
        uint32_t v[3];
        for (int k = 0; k < 3; k++)
            v[k] = (uint32_t)dice_below(&d, WORDS);
        asked[q] = again[q] =
            (pv_analogy){.a = v[0], .b = v[1], .c = v[2], .excluded = {v[0], v[1], v[2]}};
    }
    pv_analogy_space space = {.rows = pv_vector_set_floats(WORDS, DIM, t.s.vectors),
                              .units = units,
                              .candidates = WORDS,
                              .words = WORDS,
                              .dim = DIM,
                              .shift = 1};
    well(w, pv_analogies_answer(w->ctx, &space, asked, COUNT, NULL));
    space.sparse = &t.sparse->sparse;
    space.sparse_units = sparse;
    well(w, pv_analogies_answer(w->ctx, &space, again, COUNT, NULL));
    int differ = 0; /* of two candidates that are equal except for rounding */
    for (int q = 0; q < COUNT; q++)
        differ += (asked[q].add != again[q].add) + (asked[q].mul != again[q].mul);
    assert_true(differ <= 2);
    free(units);
    free(sparse);
    free(asked);
    free(again);
    free_twins(&t);
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* Questions of each kind; some of their words are in no model. */
static char *questions(psdvec_test_kind kind, uint32_t words, uint64_t seed)
{
    enum { QUESTIONS = 400, ROOM = 80 };
    dice d = {seed};
    char *text = calloc(QUESTIONS, ROOM), *at = text;
    assert_non_null(text);
    for (int q = 0; q < QUESTIONS; q++) {
        unsigned w[4];
        for (int k = 0; k < 4; k++)
            w[k] = (unsigned)dice_below(&d, words + words / 10);
        if (kind == PSDVEC_TEST_SIMILARITY)
            at += sprintf(at, "w%u\tw%u\t%d.5\n", w[0], w[1], (int)dice_below(&d, 10));
        else if (kind == PSDVEC_TEST_ANALOGY)
            at += sprintf(at, "w%u w%u w%u w%u\n", w[0], w[1], w[2], w[3] % 8);
        else if (kind == PSDVEC_TEST_CHOICE)
            at += sprintf(at, "w%u | w%u | w%u | w%u\n", w[0], w[1], w[2], w[3]);
        else if (q < 60)
            at += sprintf(at, "w%d\tgroup%d\n", q * 5, q % 4);
    }
    return text;
}

static void assert_same_scores(workshop *w, const psdvec_eval_options *options, const twins *t,
                               const psdvec_test *test)
{
    psdvec_report *reports[2];
    const psdvec_score *scores[2];
    size_t counts[2];
    const psdvec_model *models[2] = {t->dense, t->sparse};
    for (int k = 0; k < 2; k++) {
        well(w, psdvec_eval(w->ctx, options, &models[k], 1, &test, 1, &reports[k]));
        scores[k] = psdvec_report_scores(reports[k], &counts[k]);
    }
    assert_int_equal(counts[0], counts[1]);
    for (size_t s = 0; s < counts[0]; s++) {
        const psdvec_score *a = &scores[0][s], *b = &scores[1][s];
        assert_true(a->known == b->known && a->total == b->total && a->measure == b->measure);
        if (!(fabs(a->value - b->value) < 1e-4) && !(isnan(a->value) && isnan(b->value)))
            fail_msg("rule %d, measure %d: %.9g of dense vectors, %.9g of sparse ones",
                     (int)options->unknown, (int)a->measure, a->value, b->value);
    }
    psdvec_report_free(reports[0]);
    psdvec_report_free(reports[1]);
}

static void scores_are_those_of_the_dense_model(void **state)
{
    workshop *w = *state;
    enum { WORDS = 1200, DIM = 80 };
    for (int positive = 0; positive < 2; positive++) {
        twins t = make_twins(w, WORDS, DIM, 10, positive != 0);
        for (int kind = PSDVEC_TEST_SIMILARITY; kind <= PSDVEC_TEST_CATEGORIES; kind++) {
            char *text = questions((psdvec_test_kind)kind, WORDS, 11);
            psdvec_test *test;
            scratch_write(w->in, text, strlen(text));
            well(w, psdvec_test_open(w->ctx, w->in, &test));
            assert_int_equal(psdvec_test_get_info(test)->kind, kind);
            for (int rule = PSDVEC_UNKNOWN_DROP; rule <= PSDVEC_UNKNOWN_SPELLING; rule++) {
                psdvec_eval_options options;
                psdvec_eval_options_default(&options);
                options.unknown = (psdvec_unknown)rule;
                options.resamples = 0;
                assert_same_scores(w, &options, &t, test);
                options.restrict_words = 700;
                assert_same_scores(w, &options, &t, test);
            }
            psdvec_test_close(test);
            free(text);
        }
        free_twins(&t);
    }
}

/* ---- Conversion ------------------------------------------------------------------------------ */

static void conversion_writes_all_numbers(void **state)
{
    workshop *w = *state;
    enum { WORDS = 50, DIM = 30 };
    static const psdvec_vectors_format formats[] = {
        PSDVEC_VECTORS_WORD2VEC, PSDVEC_VECTORS_WORD2VEC_BINARY, PSDVEC_VECTORS_GLOVE};
    twins t = make_twins(w, WORDS, DIM, 12, false);
    for (int normalize = 0; normalize < 2; normalize++)
        for (size_t f = 0; f < 3; f++) {
            psdvec_convert_options options;
            psdvec_convert_options_default(&options);
            options.format = formats[f];
            options.normalize = normalize != 0;
            options.dim = 20;
            options.words = 40;
            size_t lengths[2];
            char *bytes[2];
            const char *inputs[] = {w->other, w->out};
            for (int k = 0; k < 2; k++) {
                well(w, psdvec_convert(w->ctx, &options, inputs[k], w->in));
                bytes[k] = scratch_read(w->in, &lengths[k]);
            }
            assert_int_equal(lengths[0], lengths[1]);
            assert_memory_equal(bytes[0], bytes[1], lengths[0]);
            free(bytes[0]);
            free(bytes[1]);
        }
    free_twins(&t);
}

static void a_sparse_model_stays_one(void **state)
{
    workshop *w = *state;
    enum { WORDS = 50, DIM = 30, LESS = 17, FEWER = 23 };
    twins t = make_twins(w, WORDS, DIM, 13, false);
    size_t length, other;
    psdvec_convert_options options;
    psdvec_convert_options_default(&options);
    well(w, psdvec_convert(w->ctx, &options, w->out, w->in));
    char *was = scratch_read(w->out, &length), *is = scratch_read(w->in, &other);
    assert_int_equal(length, other);
    assert_memory_equal(was, is, length);
    free(was);
    free(is);
    options.dim = LESS;
    options.words = FEWER;
    for (int normalize = 0; normalize < 2; normalize++) {
        options.normalize = normalize != 0;
        well(w, psdvec_convert(w->ctx, &options, w->out, w->in));
        psdvec_model *m = open_model(w, w->in);
        const psdvec_model_info *info = psdvec_model_get_info(m);
        assert_true(info->sparse && info->words == FEWER && info->dim == LESS);
        assert_string_equal(info->method, "sparse");
        for (uint32_t i = 0; i < FEWER; i++) {
            float got[LESS];
            const float *old = t.s.vectors + (size_t)i * DIM;
            double square = 0;
            psdvec_model_copy(m, i, got);
            for (int k = 0; k < LESS; k++)
                square += (double)old[k] * (double)old[k];
            double divisor = normalize && square > 0 ? sqrt(square) : 1;
            for (int k = 0; k < LESS; k++)
                assert_true(got[k] == (float)((double)old[k] / divisor));
        }
        psdvec_model_close(m);
    }
    options.precision = PSDVEC_INT8;
    assert_fails(w, psdvec_convert(w->ctx, &options, w->out, w->in), PSDVEC_ERR_OPTION,
                 "`precision`");
    free_twins(&t);
}

static void absurdly_many_zeros_are_not_written(void **state)
{
    workshop *w = *state;
    twins t = make_twins(w, 50, 30, 14, false);
    t.data.rows.columns = UINT32_MAX;
    well(w, pv_sparse_model_write(w->ctx, &t.data, w->in));
    psdvec_convert_options options;
    psdvec_convert_options_default(&options);
    options.format = PSDVEC_VECTORS_WORD2VEC;
    assert_fails(w, psdvec_convert(w->ctx, &options, w->in, w->words), PSDVEC_ERR_OPTION, "859 GB");
    options.dim = 30;
    well(w, psdvec_convert(w->ctx, &options, w->in, w->words));
    free_twins(&t);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        CASE(everything_is_preserved),
        CASE(without_values_all_are_one),
        CASE(the_bytes_do_not_depend_on_the_threads),
        CASE(invalid_arguments_are_reported),
        CASE(invalid_models_fail_with_a_message),
        CASE(numbers_that_are_not_finite_are_refused),
        CASE(models_record_their_method),
        CASE(products_and_cosines_are_those_of_all_numbers),
        CASE(neighbours_are_those_of_the_dense_model),
        CASE(analogies_are_those_of_the_dense_model),
        CASE(without_negative_numbers_mul_does_not_shift_cosines),
        CASE(blocks_of_candidates_give_their_cosines),
        CASE(answers_are_those_of_dense_vectors),
        CASE(scores_are_those_of_the_dense_model),
        CASE(conversion_writes_all_numbers),
        CASE(a_sparse_model_stays_one),
        CASE(absurdly_many_zeros_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
