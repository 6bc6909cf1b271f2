/* Neighbours of many vectors at once: bit-identical to the answers of single queries. */
#include "model/model_read.h"
#include "model/search.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void *must(void *block)
{
    assert_non_null(block);
    return block;
}

/* Rows that are hard to distinguish: most are one of a few directions with noise of about the size
 * of rounding errors; some are equal, zero, very long or very short. */
static void make_hard(sample *s, uint32_t words, uint32_t dim, uint64_t seed)
{
    dice d = {seed};
    sample_make(s, words, dim, seed);
    for (uint32_t i = 8; i < words; i++) {
        float *row = s->vectors + (size_t)i * dim;
        size_t kind = dice_below(&d, 100);
        const float *near = s->vectors + dice_below(&d, 8) * dim;
        float scale = kind == 0 ? 1e25F : kind == 1 ? 1e-25F : kind == 2 ? 0 : 1;
        for (uint32_t k = 0; k < dim && kind < 80; k++)
            row[k] = scale * near[k] * (kind < 20 ? 1 : (float)(1 + 2e-7 * (dice_unit(&d) - 0.5)));
    }
}

/* Compares batches with single queries, byte by byte. */
static void assert_same(psdvec_context *ctx, const psdvec_model *m, const float *vectors,
                        size_t count, const psdvec_query_options *options, size_t most)
{
    size_t dim = psdvec_model_get_info(m)->dim;
    psdvec_neighbour *many = must(calloc(count * most + 1, sizeof *many));
    psdvec_neighbour *one = must(calloc(most + 1, sizeof *one));
    size_t *found = must(malloc(count * sizeof *found)), alone;
    if (psdvec_model_similar_many(ctx, m, vectors, count, options, most, many, found) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(ctx));
    for (size_t q = 0; q < count; q++) {
        psdvec_query_options own;
        psdvec_query_options_default(&own);
        if (options)
            own = *options;
        if (own.except_begin) {
            own.except += options->except_begin[q];
            own.except_count = options->except_begin[q + 1] - options->except_begin[q];
            own.except_begin = NULL;
        }
        assert_int_equal(psdvec_model_similar(ctx, m, vectors + q * dim, &own, most, one, &alone),
                         PSDVEC_OK);
        assert_int_equal(found[q], alone);
        assert_memory_equal(many + q * most, one, alone * sizeof *one);
    }
    free(many);
    free(one);
    free(found);
}

static void a_batch_has_the_bits_of_single_queries(void **state)
{
    workshop *w = *state;
    static const struct {
        uint32_t words, dim;
        size_t count, most;
    } cases[] = {{3000, 37, 300, 10}, {3000, 37, 40, 3000}, {2000, 300, 64, 20},
                 {1500, 1, 30, 7},    {700, 1000, 9, 1},    {50, 16, 5, 60},
                 {50, 16, 3, 10},     {1, 5, 8, 3},         {5000, 100, 257, 10}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int threads = 1; threads <= 4; threads += 3) {
            sample s;
            make_hard(&s, cases[c].words, cases[c].dim, 20 + c);
            workshop_context(w, 0, threads);
            psdvec_model *m = open_sample(w, &s);
            size_t count = cases[c].count, numbers = count * cases[c].dim;
            size_t had = (size_t)cases[c].words * cases[c].dim;
            float *vectors = must(malloc(numbers * sizeof *vectors));
            for (size_t k = 0; k < numbers; k++)
                vectors[k] = s.vectors[k % had];
            assert_same(w->ctx, m, vectors, count, NULL, cases[c].most);
            free(vectors);
            psdvec_model_close(m);
            sample_free(&s);
        }
}

static void options_hold_for_each_query(void **state)
{
    workshop *w = *state;
    enum { WORDS = 2500, DIM = 40, COUNT = 70, MOST = 12 };
    sample s;
    make_hard(&s, WORDS, DIM, 41);
    workshop_context(w, 0, 3);
    psdvec_model *m = open_sample(w, &s);
    uint32_t except[COUNT * 40];
    size_t begin[COUNT + 1] = {0};
    dice d = {42};
    psdvec_query_options options;
    psdvec_query_options_default(&options);
    options.restrict_words = 1900;
    assert_same(w->ctx, m, s.vectors, COUNT, &options, MOST);
    options.min_score = 0.9F;
    assert_same(w->ctx, m, s.vectors, COUNT, &options, MOST);
    options.min_score = 2; /* no results */
    assert_same(w->ctx, m, s.vectors, COUNT, &options, MOST);
    options.min_score = -INFINITY;
    for (size_t q = 0; q < COUNT; q++) { /* some lists are empty, some long, none sorted */
        psdvec_neighbour near[40];
        size_t found, taken = q % 3 ? dice_below(&d, 40) : 0;
        assert_int_equal(
            psdvec_model_similar(w->ctx, m, s.vectors + q * DIM, NULL, taken, near, &found),
            PSDVEC_OK);
        for (size_t k = 0; k < found; k++)
            except[begin[q] + k] = near[k].word;
        begin[q + 1] = begin[q] + found;
    }
    options.except = except;
    options.except_count = begin[COUNT];
    options.except_begin = begin;
    assert_same(w->ctx, m, s.vectors, COUNT, &options, MOST);
    options.except_begin = NULL; /* all of them, for every query */
    assert_same(w->ctx, m, s.vectors, COUNT, &options, MOST);
    psdvec_model_close(m);
    sample_free(&s);
}

static void little_memory_gives_the_same_answers(void **state)
{
    workshop *w = *state;
    enum { WORDS = 3000, DIM = 50, COUNT = 300, MOST = 100 };
    sample s;
    make_hard(&s, WORDS, DIM, 43);
    size_t batches[2];
    for (int little = 0; little < 2; little++) {
        workshop_context(w, little ? 2 << 20 : 0, 1);
        psdvec_model *m = open_sample(w, &s);
        pv_query query;
        assert_int_equal(pv_query_take(w->ctx, m, NULL, COUNT, &query), PSDVEC_OK);
        batches[little] = pv_search_many_batch(w->ctx, m, &query, MOST);
        assert_same(w->ctx, m, s.vectors, COUNT, NULL, MOST);
        psdvec_model_close(m);
    }
    assert_in_range(batches[1], 4, batches[0] - 1);
    sample_free(&s);
}

static void unusual_batches_are_answered_or_refused(void **state)
{
    workshop *w = *state;
    enum { WORDS = 60, DIM = 3, COUNT = 6, MOST = 4 };
    sample s;
    sample_make(&s, WORDS, DIM, 44);
    psdvec_model *m = open_sample(w, &s);
    float vectors[COUNT * DIM];
    psdvec_neighbour near[COUNT * MOST];
    size_t found[COUNT];
    memcpy(vectors, s.vectors, sizeof vectors);
    memset(vectors + 2 * DIM, 0, DIM * sizeof *vectors);
    assert_same(w->ctx, m, vectors, COUNT, NULL, MOST);
    assert_int_equal(psdvec_model_similar_many(w->ctx, m, vectors, COUNT, NULL, MOST, near, found),
                     PSDVEC_OK);
    assert_true(found[1] == MOST && found[2] == 0 && found[3] == MOST);
    assert_int_equal(psdvec_model_similar_many(w->ctx, m, vectors, COUNT, NULL, 0, NULL, found),
                     PSDVEC_OK);
    assert_int_equal(found[1], 0);
    assert_int_equal(psdvec_model_similar_many(w->ctx, m, NULL, 0, NULL, MOST, NULL, NULL),
                     PSDVEC_OK);
    vectors[4 * DIM + 1] = NAN;
    assert_int_equal(psdvec_model_similar_many(w->ctx, m, vectors, COUNT, NULL, MOST, near, found),
                     PSDVEC_ERR_NUMERIC);
    assert_non_null(strstr(psdvec_error_message(w->ctx), "component 2 of vector 5"));
    assert_int_equal(
        psdvec_model_similar_many(w->ctx, m, vectors, SIZE_MAX / 2, NULL, MOST, near, NULL),
        PSDVEC_ERR_OPTION);
    psdvec_model_close(m);
    sample_free(&s);
}

static void a_batch_can_be_cancelled(void **state)
{
    workshop *w = *state;
    enum { WORDS = 20000, DIM = 60, COUNT = 600, MOST = 5 };
    sample s;
    sample_make(&s, WORDS, DIM, 45);
    psdvec_model *m = open_sample(w, &s);
    psdvec_neighbour *near = must(malloc(COUNT * MOST * sizeof *near));
    size_t found[COUNT];
    atomic_store(&w->polls_left, 5);
    assert_int_equal(
        psdvec_model_similar_many(w->ctx, m, s.vectors, COUNT, NULL, MOST, near, found),
        PSDVEC_ERR_CANCELLED);
    atomic_store(&w->polls_left, -1);
    assert_int_equal(
        psdvec_model_similar_many(w->ctx, m, s.vectors, COUNT, NULL, MOST, near, found), PSDVEC_OK);
    free(near);
    psdvec_model_close(m);
    sample_free(&s);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        CASE(a_batch_has_the_bits_of_single_queries),
        CASE(options_hold_for_each_query),
        CASE(little_memory_gives_the_same_answers),
        CASE(unusual_batches_are_answered_or_refused),
        CASE(a_batch_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
