/* Vectors in lower precision: rounding, its error, and errors in files. */
#include "base/safetensors_write.h"
#include "model/model_read.h"
#include "model/precision.h"
#include "support/vectors.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

static void every_float16_is_preserved(void **state)
{
    (void)state;
    for (uint32_t half = 0; half <= UINT16_MAX; half++) {
        float value = pv_half_to((uint16_t)half);
        if (isnan(value)) {
            assert_true((half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0);
            assert_true(isnan(pv_half_to(pv_half_from(value))));
        } else {
            assert_int_equal(pv_half_from(value), half);
        }
    }
    assert_true(pv_half_to(0x3c00) == 1 && pv_half_to(0xc000) == -2);
    assert_true(pv_half_to(0x7bff) == 65504 && pv_half_to(1) == 0x1p-24F);
}

static void float16_rounds_to_nearest_even(void **state)
{
    (void)state;
    for (uint16_t half = 0; half < 0x7bff; half++) {
        float low = pv_half_to(half), high = pv_half_to((uint16_t)(half + 1));
        float middle = (low + high) / 2; /* exact: float32 has enough digits */
        assert_int_equal(pv_half_from(middle), half % 2 ? half + 1 : half);
        assert_int_equal(pv_half_from(nextafterf(middle, 0)), half);
        assert_int_equal(pv_half_from(-nextafterf(middle, 1e9F)), (half + 1) | 0x8000);
    }
    assert_int_equal(pv_half_from(65519.99F), 0x7bff);
    assert_int_equal(pv_half_from(65520), 0x7c00);
    assert_int_equal(pv_half_from(FLT_MAX), 0x7c00);
    assert_int_equal(pv_half_from(-FLT_MAX), 0xfc00);
}

static void int8_scales_the_largest_component_to_127(void **state)
{
    workshop *w = *state;
    const pv_packing packing = {.ctx = w->ctx, .precision = PSDVEC_INT8, .dim = 6};
    const float rows[][6] = {{12.7F, -12.7F, 0.05F, 0.15F, 6, 0},
                             {0, 0, 0, 0, 0, 0},
                             {FLT_MAX, -FLT_MAX, 1, 0, FLT_MAX / 2, 0},
                             {1e-45F, 0, -3e-45F, 0, 0, 0}};
    const int8_t first[] = {127, -127, 0, 2, 60, 0}; /* 0.5 and 1.5 round to even */
    for (size_t r = 0; r < 4; r++) {
        int8_t bytes[6];
        float scale = NAN, back[6];
        assert_int_equal(pv_pack_row(&packing, 0, rows[r], bytes, &scale), PSDVEC_OK);
        if (r == 0)
            assert_memory_equal(bytes, first, sizeof first);
        pv_unpack_best(PSDVEC_INT8)(bytes, scale, 6, back);
        for (size_t k = 0; k < 6; k++) {
            assert_true(isfinite(back[k]));
            /* Half a step, and slightly more because the smallest numbers have few digits. */
            assert_true(fabs((double)back[k] - (double)rows[r][k]) <=
                        0.5001 * (double)scale + 3e-45);
        }
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

static psdvec_status convert(workshop *w, const char *in, const char *out,
                             psdvec_vectors_format format, psdvec_precision precision)
{
    psdvec_convert_options options;
    psdvec_convert_options_default(&options);
    options.format = format;
    options.precision = precision;
    return psdvec_convert(w->ctx, &options, in, out);
}

static void rounded_models_keep_everything_else_and_are_smaller(void **state)
{
    workshop *w = *state;
    enum { WORDS = 3000, DIM = 50 };
    sample s;
    sample_make(&s, WORDS, DIM, 21);
    memset(s.vectors + 7 * DIM, 0, DIM * sizeof(float));
    psdvec_model *exact = open_sample(w, &s);
    const psdvec_precision precisions[] = {PSDVEC_FLOAT16, PSDVEC_INT8};
    const double most[] = {0.0005, 0.01}; /* change of a cosine */
    for (size_t p = 0; p < 2; p++) {
        assert_int_equal(convert(w, w->out, w->other, PSDVEC_VECTORS_MODEL, precisions[p]),
                         PSDVEC_OK);
        psdvec_model *m = open_model(w, w->other);
        const psdvec_model_info *info = psdvec_model_get_info(m);
        assert_int_equal(info->precision, precisions[p]);
        assert_int_equal(info->words, WORDS);
        assert_int_equal(info->dim, DIM);
        assert_int_equal(info->core_words, s.data.core_words);
        assert_string_equal(info->settings_json, s.data.settings_json);
        assert_true(info->has_counts && info->has_spread && info->eigenvalues);
        assert_int_equal(psdvec_model_verify(w->ctx, m), PSDVEC_OK);
        uint64_t saved = psdvec_model_get_info(exact)->file_bytes - info->file_bytes;
        assert_in_range(saved, (uint64_t)WORDS * DIM * (p ? 2.8 : 1.9), (uint64_t)WORDS * DIM * 3);
        double worst = 0;
        for (uint32_t i = 0; i < WORDS; i += 13)
            for (uint32_t j = 0; j < WORDS; j += 17)
                worst = fmax(worst,
                             fabs(psdvec_model_cosine(m, i, j) - psdvec_model_cosine(exact, i, j)));
        assert_true(worst > 0 && worst < most[p]);
        for (size_t k = 0; k < DIM; k++)
            assert_true(psdvec_model_vector(m, 7)[k] == 0);
        psdvec_model_close(m);
    }
    psdvec_model_close(exact);
    sample_free(&s);
}

static void a_rounded_model_rounded_again_has_the_same_bytes(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 2500, 9, 22);
    const psdvec_precision precisions[] = {PSDVEC_FLOAT16, PSDVEC_INT8};
    for (size_t p = 0; p < 2; p++) {
        size_t first_length, second_length;
        workshop_context(w, 0, 1);
        s.data.precision = precisions[p];
        psdvec_model_close(open_sample(w, &s));
        workshop_context(w, 0, 4);
        assert_int_equal(convert(w, w->out, w->other, PSDVEC_VECTORS_MODEL, precisions[p]),
                         PSDVEC_OK);
        char *first = scratch_read(w->out, &first_length);
        char *second = scratch_read(w->other, &second_length);
        assert_int_equal(first_length, second_length);
        /* The scale of int8 may change in its last digit, because 127 times it is rounded. */
        if (p == 0)
            assert_memory_equal(first, second, first_length);
        free(first);
        free(second);
    }
    sample_free(&s);
}

static void npy_holds_float16(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 40, 5, 23);
    psdvec_model_close(open_sample(w, &s));
    char *npy = scratch_path(w->folder, "half.npy");
    assert_int_equal(convert(w, w->out, npy, PSDVEC_VECTORS_NPY, PSDVEC_FLOAT16), PSDVEC_OK);
    size_t length;
    char *bytes = scratch_read(npy, &length);
    assert_int_equal(length, 128 + 40 * 5 * 2);
    assert_non_null(memmem(bytes, length, "'descr': '<f2'", 14));
    psdvec_model *m = open_model(w, npy);
    assert_int_equal(psdvec_model_get_info(m)->precision, PSDVEC_FLOAT16);
    for (uint32_t i = 0; i < 40; i++)
        for (uint32_t k = 0; k < 5; k++)
            assert_true(psdvec_model_vector(m, i)[k] ==
                        pv_half_to(pv_half_from(s.vectors[i * 5 + k])));
    psdvec_model_close(m);
    free(bytes);
    free(npy);
    sample_free(&s);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void numbers_beyond_float16_are_refused_by_name(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 5, 3, 24);
    s.vectors[7] = 1e5F;
    psdvec_model_close(open_sample(w, &s));
    const psdvec_vectors_format formats[] = {PSDVEC_VECTORS_MODEL, PSDVEC_VECTORS_NPY};
    char *out = scratch_path(w->folder, "x.npy");
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(convert(w, w->out, out, formats[k], PSDVEC_FLOAT16), PSDVEC_ERR_OVERFLOW);
        assert_non_null(strstr(psdvec_error_message(w->ctx), "'w2' (word 3)"));
        assert_non_null(strstr(psdvec_error_message(w->ctx), "65504"));
    }
    assert_int_equal(scratch_entries(w->folder), 1);
    assert_int_equal(convert(w, w->out, w->other, PSDVEC_VECTORS_MODEL, PSDVEC_INT8), PSDVEC_OK);
    free(out);
    sample_free(&s);
}

static void formats_without_a_precision_refuse_it(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 5, 3, 25);
    psdvec_model_close(open_sample(w, &s));
    assert_int_equal(convert(w, w->out, w->other, PSDVEC_VECTORS_NPY, PSDVEC_INT8),
                     PSDVEC_ERR_OPTION);
    assert_int_equal(convert(w, w->out, w->other, PSDVEC_VECTORS_GLOVE, PSDVEC_FLOAT16),
                     PSDVEC_ERR_OPTION);
    assert_int_equal(convert(w, w->out, w->other, PSDVEC_VECTORS_MODEL, (psdvec_precision)3),
                     PSDVEC_ERR_OPTION);
    sample_free(&s);
}

/* A model of two words and three dimensions in int8; `scales`: the number of scales. */
static psdvec_status open_bytes(workshop *w, uint64_t scales, psdvec_model **m)
{
    const int8_t bytes[] = {127, -128, 0, 1, 2, 3};
    const float scale[] = {1, 0.5F, 2};
    const uint64_t offsets[] = {0, 1, 2}, two = 2, three = 3, shape[] = {2, 3};
    const pv_st_pair meta[] = {{"format", "psdvec.model"}, {"version", "1"}};
    pv_output *output;
    pv_st_writer *writer;
    pv_begin(w->ctx);
    assert_int_equal(pv_output_open(w->ctx, w->in, &output), PSDVEC_OK);
    assert_int_equal(pv_st_writer_begin(w->ctx, pv_st_output_sink(output), 4, meta, 2, 0, &writer),
                     PSDVEC_OK);
    pv_st_writer_tensor(writer, "words", PV_DTYPE_U8, 1, &two, "ab");
    pv_st_writer_tensor(writer, "offsets", PV_DTYPE_U64, 1, &three, offsets);
    if (scales)
        pv_st_writer_tensor(writer, "scale", PV_DTYPE_F32, 1, &scales, scale);
    pv_st_writer_tensor(writer, "vectors", PV_DTYPE_I8, 2, shape, bytes);
    assert_int_equal(pv_st_writer_end(writer, NULL), PSDVEC_OK);
    pv_st_writer_free(writer);
    assert_int_equal(pv_output_commit(output), PSDVEC_OK);
    return psdvec_model_open(w->ctx, w->in, m);
}

static void int8_without_its_scales_is_refused(void **state)
{
    workshop *w = *state;
    psdvec_model *m;
    assert_int_equal(open_bytes(w, 2, &m), PSDVEC_OK);
    const float wanted[] = {127, -128, 0, 0.5F, 1, 1.5F};
    assert_memory_equal(psdvec_model_vector(m, 0), wanted, sizeof wanted);
    psdvec_model_close(m);
    assert_int_equal(open_bytes(w, 0, &m), PSDVEC_ERR_CORRUPT);
    assert_non_null(strstr(psdvec_error_message(w->ctx), "scale"));
    assert_int_equal(open_bytes(w, 3, &m), PSDVEC_ERR_FORMAT);
}

/* ---- Queries without conversion -------------------------------------------------------------- */

static void fast_and_portable_conversions_have_the_same_bits(void **state)
{
    (void)state;
    enum { MOST = 100 };
    dice d = {31};
    uint16_t halves[UINT16_MAX + 1];
    static float fast[UINT16_MAX + 1], plain[UINT16_MAX + 1];
    int8_t bytes[MOST + 1];
    for (uint32_t k = 0; k <= UINT16_MAX; k++)
        halves[k] = (uint16_t)((k & 0x7c00) == 0x7c00 ? k & 0xfc00 : k); /* no NAN */
    for (size_t n = 0; n <= UINT16_MAX; n = n < 40 ? n + 1 : 2 * n + 1) {
        pv_unpack_best(PSDVEC_FLOAT16)(halves, 1, n, fast);
        pv_unpack_reference(PSDVEC_FLOAT16)(halves, 1, n, plain);
        assert_memory_equal(fast, plain, n * sizeof *fast);
    }
    for (size_t k = 0; k <= MOST; k++)
        bytes[k] = (int8_t)dice_u64(&d);
    for (size_t n = 0; n <= MOST; n++) {
        pv_unpack_best(PSDVEC_INT8)(bytes, 0.013F, n, fast);
        pv_unpack_reference(PSDVEC_INT8)(bytes, 0.013F, n, plain);
        assert_memory_equal(fast, plain, n * sizeof *fast);
        for (size_t k = 0; k < n; k++)
            assert_true(fast[k] == (float)bytes[k] * 0.013F);
    }
}

/* Fast and portable, and both like the float32 kernel on converted rows. */
static void products_of_rows_have_the_bits_of_float32(void **state)
{
    (void)state;
    enum { MOST = 100 };
    dice d = {32};
    float numbers[PV_DOT_QUERIES][MOST], row[MOST], floats[MOST + 1];
    const float *queries[PV_DOT_QUERIES] = {numbers[0], numbers[1], numbers[2]};
    uint16_t halves[MOST + 1];
    int8_t bytes[MOST + 1];
    for (size_t k = 0; k < MOST; k++) {
        halves[k + 1] = pv_half_from((float)(dice_unit(&d) - 0.5));
        bytes[k + 1] = (int8_t)dice_u64(&d);
        floats[k + 1] = (float)(dice_unit(&d) - 0.5);
        for (size_t q = 0; q < PV_DOT_QUERIES; q++)
            numbers[q][k] = (float)(dice_unit(&d) - 0.5);
    }
    const void *const packings[] = {floats + 1, halves + 1, bytes + 1};
    for (int p = PSDVEC_FLOAT32; p <= PSDVEC_INT8; p++) {
        psdvec_precision precision = (psdvec_precision)p;
        const void *packed = packings[p];
        const float scale = 0.0072F;
        pv_unpack_reference(precision)(packed, scale, MOST, row);
        for (size_t n = 0; n <= MOST; n++)
            for (size_t count = 0; count <= PV_DOT_QUERIES; count++) {
                float fast[PV_DOT_QUERIES + 1] = {0}, plain[PV_DOT_QUERIES + 1] = {0},
                                            wanted[PV_DOT_QUERIES + 1] = {0};
                fast[3] =
                    pv_set_dots_best(precision, false)(packed, scale, queries, count, n, fast);
                plain[3] =
                    pv_set_dots_reference(precision)(packed, scale, queries, count, n, plain);
                wanted[3] = pv_row_dots_reference(row, queries, count, n, wanted);
                assert_memory_equal(fast, wanted, sizeof fast);
                assert_memory_equal(plain, wanted, sizeof plain);
                memset(fast, 0, sizeof fast);
                pv_set_dots_best(precision, true)(packed, scale, queries, count, n, fast);
                assert_memory_equal(fast, wanted, count * sizeof *fast);
            }
    }
}

/* A model in another precision, and the same numbers as a float32 model: every answer is equal. */
static void assert_alike(workshop *w, const psdvec_model *a, const psdvec_model *b, uint32_t words,
                         uint32_t dim)
{
    enum { ASKED = 40, MOST = 15 };
    static float queries[ASKED * 300];
    psdvec_neighbour near[2][ASKED * MOST];
    size_t found[2][ASKED];
    const psdvec_model *models[2] = {a, b};
    for (uint32_t q = 0; q < ASKED; q++) {
        float copies[2][300], vectors[2][300];
        uint32_t i = q * (words / ASKED), j = (i + 7 * q) % words;
        for (int k = 0; k < 2; k++) {
            assert_true(psdvec_model_copy(models[k], i, copies[k]));
            assert_true(psdvec_model_vector_copy(models[k], i, vectors[k]));
        }
        assert_memory_equal(copies[0], copies[1], dim * sizeof(float));
        assert_memory_equal(vectors[0], vectors[1], dim * sizeof(float));
        assert_true(psdvec_model_cosine(a, i, j) == psdvec_model_cosine(b, i, j));
        assert_true(psdvec_model_product(a, i, j) == psdvec_model_product(b, i, j));
        memcpy(queries + q * dim, copies[0], dim * sizeof(float));
        for (int k = 0; k < 2; k++)
            assert_int_equal(psdvec_model_analogy(w->ctx, models[k], PSDVEC_MEASURE_MUL, copies[0],
                                                  queries, queries + q / 2 * dim, NULL, MOST,
                                                  near[k], found[k]),
                             PSDVEC_OK);
        assert_memory_equal(near[0], near[1], MOST * sizeof **near);
    }
    for (int k = 0; k < 2; k++)
        assert_int_equal(psdvec_model_similar_many(w->ctx, models[k], queries, ASKED, NULL, MOST,
                                                   near[k], found[k]),
                         PSDVEC_OK);
    assert_memory_equal(near[0], near[1], sizeof near[0]);
    for (uint32_t q = 0; q < ASKED; q++) {
        psdvec_neighbour alone[MOST];
        size_t count;
        assert_int_equal(
            psdvec_model_similar(w->ctx, a, queries + q * dim, NULL, MOST, alone, &count),
            PSDVEC_OK);
        assert_int_equal(count, MOST);
        assert_memory_equal(alone, near[0] + q * MOST, sizeof alone);
    }
}

static void packed_models_answer_in_place_as_float32_would(void **state)
{
    workshop *w = *state;
    static const uint32_t dims[] = {300, 37, 16};
    for (size_t c = 0; c < 3; c++)
        for (int p = PSDVEC_FLOAT16; p <= PSDVEC_INT8; p++) {
            enum { WORDS = 2500 };
            sample s;
            uint32_t dim = dims[c];
            size_t numbers = (size_t)WORDS * dim;
            sample_make(&s, WORDS, dim, 33 + c);
            float *readout = malloc(numbers * sizeof *readout);
            assert_non_null(readout);
            for (size_t k = 0; k < numbers; k++)
                readout[k] = s.vectors[numbers - 1 - k];
            memset(readout + 5 * (size_t)dim, 0, dim * sizeof *readout);
            s.data.readout = readout;
            s.data.precision = (psdvec_precision)p;
            workshop_context(w, UINT64_C(64) << 20, c == 1 ? 1 : 3);
            assert_int_equal(pv_model_write(w->ctx, &s.data, w->other), PSDVEC_OK);
            uint64_t before = atomic_load(&w->ctx->memory_used);
            psdvec_model *packed = open_model(w, w->other);
            /* The index of words, but no copy of the vectors. */
            assert_true(atomic_load(&w->ctx->memory_used) - before < numbers * sizeof(float));
            assert_int_equal(convert(w, w->other, w->out, PSDVEC_VECTORS_MODEL, PSDVEC_FLOAT32),
                             PSDVEC_OK);
            psdvec_model *plain = open_model(w, w->out);
            assert_alike(w, packed, plain, WORDS, dim);
            /* Still without a copy: no query so far needed one. */
            assert_null(packed->floats[0]);
            assert_null(packed->floats[1]);
            const float *all[2];
            assert_int_equal(psdvec_model_readout(w->ctx, packed, &all[0]), PSDVEC_OK);
            assert_int_equal(psdvec_model_readout(w->ctx, plain, &all[1]), PSDVEC_OK);
            assert_memory_equal(all[0], all[1], numbers * sizeof **all);
            assert_memory_equal(psdvec_model_vector(packed, 0), psdvec_model_vector(plain, 0),
                                numbers * sizeof **all);
            assert_ptr_equal(psdvec_model_vector(packed, 3), packed->floats[0] + 3 * (size_t)dim);
            assert_int_equal(psdvec_model_verify(w->ctx, packed), PSDVEC_OK);
            psdvec_model_close(packed);
            psdvec_model_close(plain);
            sample_free(&s);
            free(readout);
        }
}

static void a_copy_beyond_the_budget_fails_and_queries_still_work(void **state)
{
    workshop *w = *state;
    enum { WORDS = 5000, DIM = 300 };
    sample s;
    sample_make(&s, WORDS, DIM, 36);
    s.data.precision = PSDVEC_INT8;
    assert_int_equal(pv_model_write(w->ctx, &s.data, w->other), PSDVEC_OK);
    workshop_context(w, 4 << 20, 1); /* as float32 they are 5.7 MiB */
    psdvec_model *m = open_model(w, w->other);
    const float *vectors;
    psdvec_neighbour near[10];
    size_t found[10];
    assert_null(psdvec_model_vector(m, 0));
    assert_int_equal(psdvec_model_readout(w->ctx, m, &vectors), PSDVEC_ERR_BUDGET);
    assert_non_null(strstr(psdvec_error_message(w->ctx), "psdvec_model_copy"));
    assert_int_equal(psdvec_model_similar_many(w->ctx, m, s.vectors, 10, NULL, 1, near, found),
                     PSDVEC_OK);
    for (uint32_t q = 0; q < 10; q++)
        assert_true(found[q] == 1 && near[q].word == q);
    psdvec_model_close(m);
    sample_free(&s);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        CASE(every_float16_is_preserved),
        CASE(float16_rounds_to_nearest_even),
        CASE(int8_scales_the_largest_component_to_127),
        CASE(rounded_models_keep_everything_else_and_are_smaller),
        CASE(a_rounded_model_rounded_again_has_the_same_bytes),
        CASE(npy_holds_float16),
        CASE(numbers_beyond_float16_are_refused_by_name),
        CASE(formats_without_a_precision_refuse_it),
        CASE(int8_without_its_scales_is_refused),
        CASE(fast_and_portable_conversions_have_the_same_bits),
        CASE(products_of_rows_have_the_bits_of_float32),
        CASE(packed_models_answer_in_place_as_float32_would),
        CASE(a_copy_beyond_the_budget_fails_and_queries_still_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
