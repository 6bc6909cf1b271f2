/* The model file, the functions of an open model, and the search for neighbours. */
#include "base/safetensors_write.h"
#include "model/dot.h"
#include "model/model_read.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_fails(workshop *w, psdvec_status got, psdvec_status wanted, const char *sentence)
{
    const char *message = psdvec_error_message(w->ctx);
    if (got != wanted || !strstr(message, sentence))
        fail_msg("wanted %s with \"%s\", got %s: %s", psdvec_status_name(wanted), sentence,
                 psdvec_status_name(got), message);
}

/* ---- Round trips ----------------------------------------------------------------------------- */

static void everything_is_preserved(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 50, 7, 1);
    psdvec_model *m = open_sample(w, &s);
    const psdvec_model_info *info = psdvec_model_get_info(m);
    assert_int_equal(info->words, 50);
    assert_int_equal(info->core_words, 25);
    assert_int_equal(info->dim, 7);
    assert_int_equal(info->positive, 5);
    assert_true(info->native && info->has_counts && info->has_spread);
    assert_string_equal(info->settings_json, s.data.settings_json);
    assert_string_equal(info->counts_json, s.data.counts_json);
    assert_string_equal(info->extensions_json, s.data.extensions_json);
    assert_string_equal(info->written_by, "psdvec " PSDVEC_VERSION);
    assert_memory_equal(info->eigenvalues, s.eigenvalues, 7 * sizeof(float));
    assert_int_equal(info->iteration_count, 3);
    assert_true(isnan(info->iterations[0].residual));
    const psdvec_iteration *last = &info->iterations[2], *wanted = &s.iterations[2];
    assert_true(last->iteration == wanted->iteration && last->rank == wanted->rank &&
                last->positive == wanted->positive && last->objective == wanted->objective &&
                last->relaxation == wanted->relaxation && last->smallest == wanted->smallest &&
                last->residual == wanted->residual);
    for (uint32_t i = 0; i < 50; i++) {
        size_t length;
        uint32_t found = 99;
        char name[16];
        snprintf(name, sizeof name, "w%u", i);
        const char *word = psdvec_model_word(m, i, &length);
        assert_int_equal(length, strlen(name));
        assert_memory_equal(word, name, length);
        assert_true(psdvec_model_find(m, name, length, &found) && found == i);
        assert_memory_equal(psdvec_model_vector(m, i), s.vectors + (size_t)i * 7,
                            7 * sizeof(float));
        assert_true(psdvec_model_frequency(m, i) == s.counts[i]);
        assert_true(psdvec_model_spread(m, i) == (double)s.spread[i]);
        assert_true(psdvec_model_unigram(m, i) == s.unigram[i]);
    }
    uint32_t none;
    assert_false(psdvec_model_find(m, "w50", 3, &none));
    assert_false(psdvec_model_find(m, "", 0, &none));
    assert_int_equal(psdvec_model_verify(w->ctx, m), PSDVEC_OK);
    psdvec_model_close(m);
    sample_free(&s);
}

static void unknown_values_are_omitted(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 4, 3, 2);
    s.data.core_words = 0;
    s.data.counts = NULL;
    s.data.unigram = NULL;
    s.data.spread = s.data.eigenvalues = NULL;
    s.data.iterations = NULL;
    s.data.settings_json = s.data.counts_json = s.data.extensions_json = NULL;
    psdvec_model *m = open_sample(w, &s);
    const psdvec_model_info *info = psdvec_model_get_info(m);
    assert_true(!info->has_counts && !info->has_spread && !info->eigenvalues);
    assert_true(!info->settings_json && !info->counts_json && !info->extensions_json);
    assert_true(!info->iterations && !info->iteration_count && !info->core_words);
    assert_int_equal(info->positive, 3);
    assert_true(psdvec_model_frequency(m, 1) == 0 && psdvec_model_spread(m, 1) == 0 &&
                psdvec_model_unigram(m, 1) == 0);
    psdvec_model_close(m);
    sample_free(&s);
}

static void products_follow_the_signs_and_cosines_do_not(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 3, 3, 3); /* signs + + - */
    const float vectors[] = {1, 2, 3, 4, 5, 6, 0, 0, 0};
    memcpy(s.vectors, vectors, sizeof vectors);
    psdvec_model *m = open_sample(w, &s);
    assert_true(psdvec_model_product(m, 0, 1) == 4 + 10 - 18);
    assert_true(fabs(psdvec_model_cosine(m, 0, 1) - 32 / sqrt(14.0 * 77.0)) < 1e-15);
    assert_true(psdvec_model_cosine(m, 0, 2) == 0);
    psdvec_model_close(m);
    sample_free(&s);
}

/* Longer than the blocks in which vectors are converted. */
static void products_of_long_vectors_are_sums_in_order(void **state)
{
    workshop *w = *state;
    enum { DIM = 700 };
    sample s;
    sample_make(&s, 4, DIM, 16);
    for (uint32_t k = 0; k < DIM; k++)
        s.eigenvalues[k] = (k / 100 + k) % 3 ? 1.5F : -1.5F;
    psdvec_model *m = open_sample(w, &s);
    double product = 0, sum = 0, squares[2] = {0};
    for (uint32_t k = 0; k < DIM; k++) {
        double a = (double)s.vectors[DIM + k], b = (double)s.vectors[3 * DIM + k];
        product += s.eigenvalues[k] < 0 ? -(a * b) : a * b;
        sum += a * b;
        squares[0] += a * a;
        squares[1] += b * b;
    }
    assert_true(psdvec_model_product(m, 1, 3) == product);
    assert_true(psdvec_model_cosine(m, 1, 3) == sum / (sqrt(squares[0]) * sqrt(squares[1])));
    psdvec_model_close(m);
    sample_free(&s);
}

static void the_bytes_do_not_depend_on_the_threads(void **state)
{
    workshop *w = *state;
    sample s;
    size_t one_length, many_length;
    sample_make(&s, 9000, 5, 4);
    workshop_context(w, 0, 1);
    assert_int_equal(pv_model_write(w->ctx, &s.data, w->out), PSDVEC_OK);
    workshop_context(w, 0, 4);
    assert_int_equal(pv_model_write(w->ctx, &s.data, w->other), PSDVEC_OK);
    char *one = scratch_read(w->out, &one_length), *many = scratch_read(w->other, &many_length);
    assert_int_equal(one_length, many_length);
    assert_memory_equal(one, many, one_length);
    free(one);
    free(many);
    sample_free(&s);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void numbers_that_are_not_finite_are_not_written(void **state)
{
    workshop *w = *state;
    sample s;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < 3; k++) {
        sample_make(&s, 9000, 5, 5);
        s.vectors[8999 * 5 + 4] = bad[k];
        s.vectors[4711 * 5 + 2] = bad[k];
        pv_begin(w->ctx);
        assert_fails(w, pv_model_write(w->ctx, &s.data, w->out), PSDVEC_ERR_NUMERIC,
                     "the vector of 'w4711' (word 4712) has a component that is not finite");
        sample_free(&s);
    }
    assert_int_equal(scratch_entries(w->folder), 0);
}

static void invalid_arguments_are_reported(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 4, 3, 6);
    pv_model_data wrong[4] = {s.data, s.data, s.data, s.data};
    wrong[0].words = 0;
    wrong[1].dim = 0;
    wrong[2].core_words = 5;
    const uint64_t offsets[] = {0, 2, 2, 4, 6};
    wrong[3].offsets = offsets;
    for (size_t k = 0; k < 4; k++) {
        pv_begin(w->ctx);
        assert_int_equal(pv_model_write(w->ctx, &wrong[k], w->out), PSDVEC_ERR_INTERNAL);
    }
    sample_free(&s);
}

/* A file of four words and three dimensions with one error. */
typedef struct wrong_file {
    const char *metadata[8]; /* key, value, ... that replace the right ones; NULL: omitted */
    const char *tensor;      /* the wrong tensor */
    pv_dtype dtype;
    unsigned rank;
    uint64_t shape[2];
    const void *data; /* NULL: omitted */
    psdvec_status status;
    const char *sentence;
} wrong_file;

static const char *chosen(const wrong_file *f, const char *key, const char *right)
{
    for (size_t k = 0; k < 8 && f->metadata[k]; k += 2)
        if (!strcmp(f->metadata[k], key))
            return *f->metadata[k + 1] ? f->metadata[k + 1] : NULL;
    return right;
}

static void put(pv_st_writer *writer, const wrong_file *f, const char *name, pv_dtype dtype,
                unsigned rank, const uint64_t *shape, const void *data)
{
    if (!f->tensor || strcmp(f->tensor, name) != 0)
        assert_int_equal(pv_st_writer_tensor(writer, name, dtype, rank, shape, data), PSDVEC_OK);
    else if (f->data)
        assert_int_equal(pv_st_writer_tensor(writer, name, f->dtype, f->rank, f->shape, f->data),
                         PSDVEC_OK);
}

static void write_wrong(workshop *w, const wrong_file *f)
{
    static const char *const keys[] = {"format",     "version", "core_words", "settings",
                                       "extensions", "history", "counts"};
    static const char *const rights[] = {"psdvec.model", "1", "2", "{}", "[]", "[]", "{}"};
    static const uint64_t offsets[] = {0, 1, 2, 3, 4}, counts[] = {4, 3, 2, 1};
    static const float vectors[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}, small[] = {3, -2, 1, 0};
    static const double unigram[] = {0.4, 0.3, 0.2, 0.1};
    const uint64_t four = 4, five = 5, three = 3, matrix[] = {4, 3};
    pv_st_pair meta[7];
    size_t count = 0;
    for (size_t k = 0; k < 7; k++) {
        const char *value = chosen(f, keys[k], rights[k]);
        if (value)
            meta[count++] = (pv_st_pair){keys[k], value};
    }
    pv_output *output;
    pv_st_writer *writer;
    pv_begin(w->ctx);
    assert_int_equal(pv_output_open(w->ctx, w->in, &output), PSDVEC_OK);
    assert_int_equal(
        pv_st_writer_begin(w->ctx, pv_st_output_sink(output), 9, meta, count, 0, &writer),
        PSDVEC_OK);
    put(writer, f, "words", PV_DTYPE_U8, 1, &four, "abcd");
    put(writer, f, "offsets", PV_DTYPE_U64, 1, &five, offsets);
    put(writer, f, "vectors", PV_DTYPE_F32, 2, matrix, vectors);
    put(writer, f, "eigenvalues", PV_DTYPE_F32, 1, &three, small);
    put(writer, f, "counts", PV_DTYPE_U64, 1, &four, counts);
    put(writer, f, "unigram", PV_DTYPE_F64, 1, &four, unigram);
    put(writer, f, "spread", PV_DTYPE_F32, 1, &four, vectors);
    assert_int_equal(pv_st_writer_end(writer, NULL), PSDVEC_OK);
    pv_st_writer_free(writer);
    assert_int_equal(pv_output_commit(output), PSDVEC_OK);
}

static void invalid_models_fail_with_a_message(void **state)
{
    workshop *w = *state;
    static const uint64_t starts_late[] = {1, 1, 2, 3, 4}, falls[] = {0, 3, 2, 3, 4},
                          empty[] = {0, 1, 1, 3, 4}, beyond[] = {0, 1, 2, 3, 9}, huge[] = {0};
    static const float numbers[12] = {0}, not_finite[] = {1, NAN, 2},
                       spreads[] = {0, INFINITY, 1, 1};
    static const uint64_t too_many[] = {UINT64_MAX, 0, 1, 0};
    static const double shares[] = {0, 1, 1, 1.5};
    static const wrong_file files[] = {
        {.metadata = {"format", ""}, .status = PSDVEC_ERR_FORMAT, .sentence = "not a psdvec model"},
        {.metadata = {"format", "psdvec.counts"},
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "contains counts, not vectors"},
        {.metadata = {"format", "other"},
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "its format is \"other\""},
        {.metadata = {"version", ""}, .status = PSDVEC_ERR_CORRUPT, .sentence = "version"},
        {.metadata = {"version", "0"}, .status = PSDVEC_ERR_CORRUPT, .sentence = "version"},
        {.metadata = {"version", "1x"}, .status = PSDVEC_ERR_CORRUPT, .sentence = "version"},
        {.metadata = {"version", "3"}, .status = PSDVEC_ERR_VERSION, .sentence = "version 3"},
        {.metadata = {"core_words", "5"}, .status = PSDVEC_ERR_CORRUPT, .sentence = "core_words"},
        {.metadata = {"core_words", "-1"}, .status = PSDVEC_ERR_CORRUPT, .sentence = "core_words"},
        {.metadata = {"core_words", "99999999999999999999999"},
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "core_words"},
        {.metadata = {"settings", "[]"}, .status = PSDVEC_ERR_CORRUPT, .sentence = "\"settings\""},
        {.metadata = {"settings", "{"}, .status = PSDVEC_ERR_CORRUPT, .sentence = "\"settings\""},
        {.metadata = {"counts", "{} x"}, .status = PSDVEC_ERR_CORRUPT, .sentence = "\"counts\""},
        {.metadata = {"extensions", "{}"},
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "\"extensions\""},
        {.metadata = {"history", "{}"}, .status = PSDVEC_ERR_CORRUPT, .sentence = "history"},
        {.metadata = {"history", "[{\"rank\": -1}]"},
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "history"},
        {.metadata = {"history", "[{\"rank\": 5000000000}]"},
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "too large"},
        {.metadata = {"history", "[1]"}, .status = PSDVEC_ERR_CORRUPT, .sentence = "history"},
        {.tensor = "words", .status = PSDVEC_ERR_FORMAT, .sentence = "words"},
        {.tensor = "offsets", .status = PSDVEC_ERR_FORMAT, .sentence = "offsets"},
        {.tensor = "vectors", .status = PSDVEC_ERR_FORMAT, .sentence = "vectors"},
        {.tensor = "offsets",
         .dtype = PV_DTYPE_U64,
         .rank = 1,
         .shape = {1},
         .data = huge,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "no words"},
        {.tensor = "offsets",
         .dtype = PV_DTYPE_U64,
         .rank = 1,
         .shape = {5},
         .data = starts_late,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "are not in ascending order"},
        {.tensor = "offsets",
         .dtype = PV_DTYPE_U64,
         .rank = 1,
         .shape = {5},
         .data = falls,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "are not in ascending order"},
        {.tensor = "offsets",
         .dtype = PV_DTYPE_U64,
         .rank = 1,
         .shape = {5},
         .data = empty,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "word 2 of 4 is empty"},
        {.tensor = "offsets",
         .dtype = PV_DTYPE_U64,
         .rank = 1,
         .shape = {5},
         .data = beyond,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "are not in ascending order"},
        {.tensor = "vectors",
         .dtype = PV_DTYPE_F32,
         .rank = 2,
         .shape = {3, 4},
         .data = numbers,
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "vectors"},
        {.tensor = "vectors",
         .dtype = PV_DTYPE_F32,
         .rank = 1,
         .shape = {12},
         .data = numbers,
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "vectors"},
        {.tensor = "vectors",
         .dtype = PV_DTYPE_F32,
         .rank = 2,
         .shape = {4, 0},
         .data = numbers,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "no dimensions"},
        {.tensor = "vectors",
         .dtype = PV_DTYPE_I32,
         .rank = 2,
         .shape = {4, 3},
         .data = numbers,
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "vectors"},
        {.tensor = "eigenvalues",
         .dtype = PV_DTYPE_F32,
         .rank = 1,
         .shape = {2},
         .data = numbers,
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "eigenvalues"},
        {.tensor = "eigenvalues",
         .dtype = PV_DTYPE_F32,
         .rank = 1,
         .shape = {3},
         .data = not_finite,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "eigenvalue is not finite"},
        {.tensor = "counts",
         .dtype = PV_DTYPE_F32,
         .rank = 1,
         .shape = {4},
         .data = numbers,
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "counts"},
        {.tensor = "unigram",
         .dtype = PV_DTYPE_F64,
         .rank = 1,
         .shape = {3},
         .data = numbers,
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "unigram"},
        {.tensor = "spread",
         .dtype = PV_DTYPE_F32,
         .rank = 1,
         .shape = {5},
         .data = numbers,
         .status = PSDVEC_ERR_FORMAT,
         .sentence = "spread"},
        {.tensor = "words",
         .dtype = PV_DTYPE_U8,
         .rank = 1,
         .shape = {4},
         .data = "abca",
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "the words 1 and 4 are both 'a'"},
        {.tensor = "counts",
         .dtype = PV_DTYPE_U64,
         .rank = 1,
         .shape = {4},
         .data = too_many,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "the frequencies do not fit into 64 bits (word 3, 'c')"},
        {.tensor = "unigram",
         .dtype = PV_DTYPE_F64,
         .rank = 1,
         .shape = {4},
         .data = shares,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "a probability is not between 0 and 1 (word 4, 'd')"},
        {.tensor = "spread",
         .dtype = PV_DTYPE_F32,
         .rank = 1,
         .shape = {4},
         .data = spreads,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "a spread is negative or not finite (word 2, 'b')"},
    };
    psdvec_model *m;
    const wrong_file right = {.status = PSDVEC_OK};
    write_wrong(w, &right);
    psdvec_model_close(open_model(w, w->in));
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        write_wrong(w, &files[k]);
        assert_fails(w, psdvec_model_open(w->ctx, w->in, &m), files[k].status, files[k].sentence);
        assert_null(m);
        assert_non_null(strstr(psdvec_error_message(w->ctx), w->in));
    }
}

static void verifying_detects_damage_that_opening_does_not(void **state)
{
    workshop *w = *state;
    static const float bad[12] = {1, 2, 3, 4, 5, NAN, 7, 8, 9, 1, 2, 3};
    const wrong_file files[] = {
        {.tensor = "vectors",
         .dtype = PV_DTYPE_F32,
         .rank = 2,
         .shape = {4, 3},
         .data = bad,
         .status = PSDVEC_ERR_CORRUPT,
         .sentence = "a vector has a component that is not finite (word 2, 'b')"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        write_wrong(w, &files[k]);
        psdvec_model *m = open_model(w, w->in);
        assert_int_equal(psdvec_model_check_word(w->ctx, m, 0), PSDVEC_OK);
        assert_int_equal(psdvec_model_check_word(w->ctx, m, 1), PSDVEC_ERR_CORRUPT);
        assert_fails(w, psdvec_model_verify(w->ctx, m), files[k].status, files[k].sentence);
        psdvec_model_close(m);
    }
    /* The bits of a vector. */
    sample s;
    sample_make(&s, 4, 3, 7);
    psdvec_model_close(open_sample(w, &s));
    size_t length;
    char *bytes = scratch_read(w->out, &length);
    bytes[length - 1] ^= 1;
    scratch_write(w->in, bytes, length);
    psdvec_model *m = open_model(w, w->in);
    assert_fails(w, psdvec_model_verify(w->ctx, m), PSDVEC_ERR_CORRUPT, "vectors");
    psdvec_model_close(m);
    /* Truncated files. */
    for (size_t cut = 0; cut < length; cut += 1 + cut / 3) {
        scratch_write(w->in, bytes, cut);
        assert_int_not_equal(psdvec_model_open(w->ctx, w->in, &m), PSDVEC_OK);
        assert_true(*psdvec_error_message(w->ctx));
    }
    free(bytes);
    sample_free(&s);
}

static void a_missing_file_and_a_folder_are_reported(void **state)
{
    workshop *w = *state;
    psdvec_model *m;
    assert_fails(w, psdvec_model_open(w->ctx, w->in, &m), PSDVEC_ERR_NOT_FOUND, w->in);
    assert_fails(w, psdvec_model_open(w->ctx, w->folder, &m), PSDVEC_ERR_READ, "is a folder");
    psdvec_model_close(NULL);
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

static void fast_and_portable_products_have_the_same_bits(void **state)
{
    (void)state;
    dice d = {8};
    enum { MOST = 100 };
    float row[MOST + 1], numbers[PV_DOT_QUERIES][MOST];
    const float *queries[PV_DOT_QUERIES] = {numbers[0], numbers[1], numbers[2]};
    for (size_t k = 0; k < MOST; k++) {
        row[k + 1] = (float)(dice_unit(&d) - 0.5);
        for (size_t q = 0; q < PV_DOT_QUERIES; q++)
            numbers[q][k] = (float)(dice_unit(&d) - 0.5);
    }
    for (size_t n = 0; n <= MOST; n++)
        for (size_t count = 0; count <= PV_DOT_QUERIES; count++) {
            float fast[PV_DOT_QUERIES] = {0}, plain[PV_DOT_QUERIES] = {0};
            float fast_square = pv_row_dots_best()(row + 1, queries, count, n, fast);
            float plain_square = pv_row_dots_reference(row + 1, queries, count, n, plain);
            assert_memory_equal(fast, plain, sizeof fast);
            assert_memory_equal(&fast_square, &plain_square, sizeof fast_square);
            assert_true(n == 0 || plain_square > 0);
        }
}

static void neighbours_are_those_of_a_search_by_hand(void **state)
{
    workshop *w = *state;
    sample s;
    enum { WORDS = 3000, DIM = 37, MOST = 20 };
    sample_make(&s, WORDS, DIM, 9);
    memset(s.vectors + 5 * DIM, 0, DIM * sizeof(float));
    memcpy(s.vectors + 2000 * DIM, s.vectors + 70 * DIM, DIM * sizeof(float)); /* a tie */
    memcpy(s.vectors + 1000 * DIM, s.vectors + 70 * DIM, DIM * sizeof(float));
    psdvec_neighbour got[MOST], again[MOST];
    for (int threads = 1; threads <= 4; threads++) {
        workshop_context(w, 0, threads);
        psdvec_model *m = open_sample(w, &s);
        for (uint32_t i = 0; i < WORDS; i += 70) {
            size_t found;
            psdvec_query_options options = without(&i, 1);
            assert_int_equal(psdvec_model_similar(w->ctx, m, psdvec_model_vector(m, i), &options,
                                                  MOST, got, &found),
                             PSDVEC_OK);
            assert_int_equal(found, MOST);
            uint32_t nearer = 0;
            for (uint32_t j = 0; j < WORDS; j++)
                if (j != i && j != 5 &&
                    psdvec_model_cosine(m, i, j) > (double)got[MOST - 1].cosine + 1e-6)
                    nearer++;
            assert_in_range(nearer, 0, MOST - 1);
            for (size_t k = 0; k < MOST; k++) {
                assert_true(got[k].word != i && got[k].word != 5);
                assert_true(fabs((double)got[k].cosine - psdvec_model_cosine(m, i, got[k].word)) <
                            1e-6);
                assert_true(k == 0 || got[k].cosine < got[k - 1].cosine ||
                            (got[k].cosine == got[k - 1].cosine && got[k].word > got[k - 1].word));
            }
            if (i == 70) {
                assert_int_equal(got[0].word, 1000);
                assert_int_equal(got[1].word, 2000);
                if (threads > 1)
                    assert_memory_equal(got, again, sizeof got);
                memcpy(again, got, sizeof again);
            }
        }
        psdvec_model_close(m);
    }
    sample_free(&s);
}

static void unusual_queries_have_answers(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 6, 3, 10);
    memset(s.vectors + 2 * 3, 0, 3 * sizeof(float));
    psdvec_model *m = open_sample(w, &s);
    psdvec_neighbour got[10];
    size_t found = 99;
    const float zero[3] = {0}, huge[3] = {3e38F, -3e38F, 3e38F}, bad[3] = {1, NAN, 1};
    const uint32_t all[] = {0, 1, 2, 3, 4, 5}, beyond = 6;
    psdvec_query_options options = without(all, 6);
    assert_int_equal(psdvec_model_similar(w->ctx, m, zero, NULL, 10, got, &found), PSDVEC_OK);
    assert_int_equal(found, 0);
    assert_int_equal(psdvec_model_similar(w->ctx, m, huge, NULL, 10, got, &found), PSDVEC_OK);
    assert_int_equal(found, 5);
    assert_int_equal(psdvec_model_similar(w->ctx, m, huge, &options, 10, got, &found), PSDVEC_OK);
    assert_int_equal(found, 0);
    assert_int_equal(psdvec_model_similar(w->ctx, m, huge, NULL, 0, got, &found), PSDVEC_OK);
    assert_int_equal(found, 0);
    assert_fails(w, psdvec_model_similar(w->ctx, m, bad, NULL, 10, got, &found), PSDVEC_ERR_NUMERIC,
                 "component 2");
    options = without(&beyond, 1);
    assert_fails(w, psdvec_model_similar(w->ctx, m, huge, &options, 10, got, &found),
                 PSDVEC_ERR_OPTION, "`except[0]` is 6, but the model has 6 words");
    psdvec_model_close(m);
    sample_free(&s);
}

static void options_choose_which_words_are_answers(void **state)
{
    workshop *w = *state;
    sample s;
    enum { WORDS = 2500, DIM = 37, FEW = 300 };
    sample_make(&s, WORDS, DIM, 13);
    psdvec_model *m = open_sample(w, &s);
    psdvec_neighbour all[WORDS], got[WORDS];
    const float *v = psdvec_model_vector(m, 3);
    size_t count, found, kept = 0;
    assert_int_equal(psdvec_model_similar(w->ctx, m, v, NULL, WORDS, all, &count), PSDVEC_OK);
    assert_int_equal(count, WORDS);
    const uint32_t except[] = {3, 2000}; /* the second is beyond the restriction */
    psdvec_query_options options = without(except, 2);
    options.restrict_words = FEW;
    assert_int_equal(psdvec_model_similar(w->ctx, m, v, &options, WORDS, got, &found), PSDVEC_OK);
    for (size_t k = 0; k < count; k++)
        if (all[k].word < FEW && all[k].word != 3)
            assert_memory_equal(&got[kept++], &all[k], sizeof *all);
    assert_int_equal(found, kept);
    assert_int_equal(found, FEW - 1);
    options = without(NULL, 0);
    options.restrict_words = WORDS + 1;
    options.min_score = all[99].cosine;
    assert_int_equal(psdvec_model_similar(w->ctx, m, v, &options, WORDS, got, &found), PSDVEC_OK);
    assert_int_equal(found, 100);
    assert_memory_equal(got, all, 100 * sizeof *all);
    options.restrict_words = FEW;
    assert_int_equal(
        psdvec_model_analogy(w->ctx, m, PSDVEC_MEASURE_ADD, v, v, v, &options, WORDS, got, &found),
        PSDVEC_OK);
    assert_in_range(found, 1, 99);
    for (size_t k = 0; k < found; k++)
        assert_true(got[k].word < FEW && got[k].cosine >= options.min_score);
    psdvec_model_close(m);
    sample_free(&s);
}

static void wrong_options_of_queries_are_refused(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 6, 3, 14);
    psdvec_model *m = open_sample(w, &s);
    psdvec_neighbour got[6];
    const float *v = psdvec_model_vector(m, 3);
    const uint32_t except[] = {1, 2, 3};
    const size_t falls[] = {2, 1}, beyond[] = {0, 4};
    size_t found;
    psdvec_query_options options = without(except, 3);
    options.except_begin = falls;
    assert_fails(w, psdvec_model_similar(w->ctx, m, v, &options, 6, got, &found), PSDVEC_ERR_OPTION,
                 "`except_begin[0]` is 2 and the next is 1");
    options.except_begin = beyond;
    assert_fails(w, psdvec_model_similar(w->ctx, m, v, &options, 6, got, &found), PSDVEC_ERR_OPTION,
                 "not exceed `except_count`, which is 3");
    options = without(NULL, 0);
    options.min_score = NAN;
    assert_fails(w, psdvec_model_similar(w->ctx, m, v, &options, 6, got, &found), PSDVEC_ERR_OPTION,
                 "`min_score`");
    options = (psdvec_query_options){0};
    assert_fails(w, psdvec_model_similar(w->ctx, m, v, &options, 6, got, &found), PSDVEC_ERR_OPTION,
                 "psdvec_query_options_default");
    psdvec_model_close(m);
    sample_free(&s);
}

static void analogies_are_those_of_the_formulas(void **state)
{
    workshop *w = *state;
    sample s;
    enum { WORDS = 2100, DIM = 37, MOST = 5, A = 3, B = 1500, C = 42 };
    sample_make(&s, WORDS, DIM, 11);
    memset(s.vectors + 5 * DIM, 0, DIM * sizeof(float));
    memcpy(s.vectors + 2000 * DIM, s.vectors + 1000 * DIM, DIM * sizeof(float)); /* a tie */
    const uint32_t except[] = {A, B, C};
    const psdvec_query_options options = without(except, 3);
    psdvec_neighbour got[MOST], all[WORDS];
    for (int method = 0; method < 2; method++)
        for (int threads = 1; threads <= 3; threads += 2) {
            workshop_context(w, 0, threads);
            psdvec_model *m = open_sample(w, &s);
            size_t found;
            const float *a = psdvec_model_vector(m, A), *b = psdvec_model_vector(m, B),
                        *c = psdvec_model_vector(m, C);
            psdvec_measure measure = method ? PSDVEC_MEASURE_MUL : PSDVEC_MEASURE_ADD;
            assert_int_equal(
                psdvec_model_analogy(w->ctx, m, measure, a, b, c, &options, MOST, got, &found),
                PSDVEC_OK);
            assert_int_equal(found, MOST);
            assert_int_equal(
                psdvec_model_analogy(w->ctx, m, measure, a, b, c, &options, WORDS, all, &found),
                PSDVEC_OK);
            assert_int_equal(found, WORDS - 4); /* the three, and the zero vector */
            assert_memory_equal(got, all, sizeof got);
            size_t first = found, second = found;
            for (size_t k = 0; k < found; k++) {
                uint32_t x = all[k].word;
                double ca = psdvec_model_cosine(m, x, A), cb = psdvec_model_cosine(m, x, B),
                       cc = psdvec_model_cosine(m, x, C);
                double score = method ? (cb + 1) * (cc + 1) / (ca + 1.001) : cb - ca + cc;
                assert_true(fabs((double)all[k].cosine - score) < 1e-5 * (1 + fabs(score)));
                assert_true(k == 0 || all[k].cosine <= all[k - 1].cosine);
                assert_true(x != A && x != B && x != C && x != 5);
                first = x == 1000 ? k : first;
                second = x == 2000 ? k : second;
            }
            assert_int_equal(second, first + 1);
            psdvec_model_close(m);
        }
    sample_free(&s);
}

static void analogies_without_an_answer(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 6, 3, 12);
    psdvec_model *m = open_sample(w, &s);
    psdvec_neighbour got[6];
    size_t found = 99;
    const float zero[3] = {0}, bad[3] = {1, 1, INFINITY}, *some = psdvec_model_vector(m, 0);
    assert_int_equal(
        psdvec_model_analogy(w->ctx, m, PSDVEC_MEASURE_ADD, some, zero, some, NULL, 6, got, &found),
        PSDVEC_OK);
    assert_int_equal(found, 0);
    assert_fails(
        w,
        psdvec_model_analogy(w->ctx, m, PSDVEC_MEASURE_ADD, some, some, bad, NULL, 6, got, &found),
        PSDVEC_ERR_NUMERIC, "component 3");
    assert_fails(w,
                 psdvec_model_analogy(w->ctx, m, PSDVEC_MEASURE_PURITY, some, some, some, NULL, 6,
                                      got, &found),
                 PSDVEC_ERR_OPTION, "3CosAdd or 3CosMul");
    psdvec_model_close(m);
    sample_free(&s);
}

static void extreme_numbers_do_not_crash_the_search(void **state)
{
    workshop *w = *state;
    float extreme[12] = {1, 2, 3, 0, 0, 0, 3e38F, 3e38F, 3e38F, 1e-45F, 0, 0};
    const wrong_file file = {
        .tensor = "vectors", .dtype = PV_DTYPE_F32, .rank = 2, .shape = {4, 3}, .data = extreme};
    write_wrong(w, &file);
    psdvec_model *m = open_model(w, w->in);
    psdvec_neighbour got[4];
    size_t found;
    assert_int_equal(
        psdvec_model_similar(w->ctx, m, psdvec_model_vector(m, 0), NULL, 4, got, &found),
        PSDVEC_OK);
    assert_int_equal(found, 3);
    for (size_t k = 0; k < found; k++)
        assert_true(got[k].word != 1 && got[k].cosine >= -1 && got[k].cosine <= 1);
    psdvec_model_close(m);
    extreme[4] = INFINITY; /* not of the word of the query */
    write_wrong(w, &file);
    m = open_model(w, w->in);
    assert_fails(w,
                 psdvec_model_similar(w->ctx, m, psdvec_model_vector(m, 0), NULL, 4, got, &found),
                 PSDVEC_ERR_CORRUPT, "is not finite (word 2, 'b')");
    psdvec_model_close(m);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        CASE(everything_is_preserved),
        CASE(unknown_values_are_omitted),
        CASE(products_follow_the_signs_and_cosines_do_not),
        CASE(products_of_long_vectors_are_sums_in_order),
        CASE(the_bytes_do_not_depend_on_the_threads),
        CASE(numbers_that_are_not_finite_are_not_written),
        CASE(invalid_arguments_are_reported),
        CASE(invalid_models_fail_with_a_message),
        CASE(verifying_detects_damage_that_opening_does_not),
        CASE(a_missing_file_and_a_folder_are_reported),
        CASE(fast_and_portable_products_have_the_same_bits),
        CASE(neighbours_are_those_of_a_search_by_hand),
        CASE(unusual_queries_have_answers),
        CASE(options_choose_which_words_are_answers),
        CASE(wrong_options_of_queries_are_refused),
        CASE(analogies_are_those_of_the_formulas),
        CASE(analogies_without_an_answer),
        CASE(extreme_numbers_do_not_crash_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
