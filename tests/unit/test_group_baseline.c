/* Groups: the baselines, trained by several contexts, each in a thread of its own. */
#include "base/context.h"
#include "support/members.h"
#include "support/problem.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What the members do, and what came of it. */
typedef struct job {
    const psdvec_baseline_options *options[MOST_MEMBERS];
    const psdvec_count_options *counting; /* NULL: the input is a file of counts or vectors */
    const char *input, *output;
    atomic_int polls_left[MOST_MEMBERS]; /* cancelled after as many questions; negative: never */
    psdvec_baseline_report report[MOST_MEMBERS];
    psdvec_status status[MOST_MEMBERS];
    char message[MOST_MEMBERS][500];
} job;

static bool should_cancel(void *user)
{
    atomic_int *left = user;
    return atomic_load(left) >= 0 && atomic_fetch_sub(left, 1) == 0;
}

static void train(void *arg, uint32_t rank, psdvec_context *ctx)
{
    job *j = arg;
    psdvec_baseline_report *report = &j->report[rank];
    j->status[rank] = j->counting
                          ? psdvec_baseline_text(ctx, j->options[rank], j->counting, &j->input, 1,
                                                 j->output, NULL, report)
                          : psdvec_baseline(ctx, j->options[rank], j->input, j->output, report);
    snprintf(j->message[rank], sizeof j->message[rank], "%s", psdvec_error_message(ctx));
}

/* polls: of the last member; negative: nothing stops it. */
static void run(job *j, uint32_t members, uint64_t memory, int polls)
{
    psdvec_context_options options[MOST_MEMBERS];
    for (uint32_t r = 0; r < members; r++) {
        psdvec_context_options_default(&options[r]);
        atomic_store(&j->polls_left[r], r + 1 == members ? polls : -1);
        options[r].threads = 1 + (int)(r % 2);
        options[r].memory = memory;
        options[r].should_cancel = should_cancel;
        options[r].user = &j->polls_left[r];
    }
    run_members(members, options, train, j);
}

enum { PLENTY = 1 << 30 };

static void must_work(const job *j, uint32_t members)
{
    for (uint32_t r = 0; r < members; r++)
        if (j->status[r] != PSDVEC_OK)
            fail_msg("%u of %u: %s", r, members, j->message[r]);
}

static void assert_same_file(const char *one, const char *two)
{
    size_t m = 0, n = 0;
    char *a = scratch_read(one, &m), *b = scratch_read(two, &n);
    assert_true(a && b && m == n && !memcmp(a, b, m));
    free(a);
    free(b);
}

/* Several tiles, so that three members have rows, and more blocks of strata than members. */
typedef struct bench {
    problem *p;
    char *alone, *shared;
} bench;

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->p = problem_of_text(31, 2500, 120000, true, 1);
    assert_true(b->p->dense.words > 1600);
    b->alone = scratch_path(b->p->folder, "alone");
    b->shared = scratch_path(b->p->folder, "shared");
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    free(b->alone);
    free(b->shared);
    problem_free(b->p);
    free(b);
    return 0;
}

static job job_of(const bench *b, const psdvec_baseline_options *options, const char *input)
{
    job j = {.input = input ? input : b->p->path, .output = b->shared};
    for (uint32_t r = 0; r < MOST_MEMBERS; r++)
        j.options[r] = options;
    return j;
}

/* Groups of several sizes write the model of one process. */
static void compare(bench *b, const psdvec_baseline_options *options, const char *input)
{
    job alone = job_of(b, options, input);
    alone.output = b->alone;
    run(&alone, 1, PLENTY, -1);
    must_work(&alone, 1);
    const psdvec_baseline_report *expected = &alone.report[0];
    for (uint32_t members = 2; members <= MOST_MEMBERS; members += members == 3 ? 2 : 1) {
        job j = job_of(b, options, input);
        run(&j, members, PLENTY, -1);
        must_work(&j, members);
        for (uint32_t r = 0; r < members; r++) {
            const psdvec_baseline_report *report = &j.report[r];
            assert_int_equal(report->words, expected->words);
            assert_int_equal(report->dim, expected->dim);
            assert_int_equal(report->entries, expected->entries);
            assert_int_equal(report->pairs, expected->pairs);
            assert_int_equal(report->epochs, expected->epochs);
            assert_memory_equal(&report->loss, &expected->loss, sizeof report->loss);
        }
        assert_same_file(b->alone, b->shared);
        assert_int_equal(unlink(b->shared), 0);
    }
}

static psdvec_baseline_options options_of(psdvec_method method)
{
    psdvec_baseline_options o;
    psdvec_baseline_options_default(&o, method, NULL);
    o.dim = 12;
    o.epochs = 3;
    o.glove_max = 10;
    o.factor = 4;
    return o;
}

static void ppmi_is_made_together(void **state)
{
    psdvec_baseline_options o = options_of(PSDVEC_METHOD_PPMI);
    compare(*state, &o, NULL);
    o.context_power = 1;
    o.shift = 2;
    compare(*state, &o, NULL);
}

static void svd_is_made_together(void **state)
{
    psdvec_baseline_options o = options_of(PSDVEC_METHOD_SVD);
    compare(*state, &o, NULL);
    o.add_contexts = true;
    o.eigenvalue_power = 1;
    compare(*state, &o, NULL);
}

static void cca_is_made_together(void **state)
{
    psdvec_baseline_options o = options_of(PSDVEC_METHOD_CCA);
    compare(*state, &o, NULL);
    o.count_power = 0.7;
    compare(*state, &o, NULL);
}

static void glove_is_trained_together(void **state)
{
    psdvec_baseline_options o = options_of(PSDVEC_METHOD_GLOVE);
    compare(*state, &o, NULL);
    o.add_contexts = false;
    o.epochs = 1;
    compare(*state, &o, NULL);
}

/* Vectors for sparse codes. */
static char *dense_vectors(bench *b)
{
    psdvec_baseline_options o = options_of(PSDVEC_METHOD_SVD);
    char *vectors = scratch_path(b->p->folder, "vectors");
    well(b->p->ctx, psdvec_baseline(b->p->ctx, &o, b->p->path, vectors, NULL));
    return vectors;
}

static void sparse_codes_are_learnt_together(void **state)
{
    bench *b = *state;
    char *vectors = dense_vectors(b);
    psdvec_baseline_options o = options_of(PSDVEC_METHOD_SPARSE);
    compare(b, &o, vectors);
    o.binary = true;
    o.epochs = 1;
    compare(b, &o, vectors);
    free(vectors);
}

/* With fewer words than members have blocks, tiles or tiles of words, some have nothing to do. */
static void members_may_have_nothing_to_do(void **state)
{
    bench *b = *state;
    problem *small = problem_of_text(32, 150, 4000, false, 1);
    char *vectors = scratch_path(small->folder, "vectors");
    for (psdvec_method method = 0; method < PSDVEC_METHODS; method++) {
        if (method == PSDVEC_METHOD_PSD || method == PSDVEC_METHOD_SGNS ||
            method == PSDVEC_METHOD_CBOW)
            continue;
        psdvec_baseline_options o = options_of(method);
        o.dim = 5;
        if (method == PSDVEC_METHOD_SPARSE) {
            psdvec_baseline_options dense = options_of(PSDVEC_METHOD_SVD);
            well(small->ctx, psdvec_baseline(small->ctx, &dense, small->path, vectors, NULL));
        }
        compare(b, &o, method == PSDVEC_METHOD_SPARSE ? vectors : small->path);
    }
    free(vectors);
    problem_free(small);
}

static void text_is_counted_together(void **state)
{
    bench *b = *state;
    char *path = scratch_path(b->p->folder, "text"), *text = random_text(33, 800, 60000);
    scratch_write(path, text, strlen(text));
    psdvec_count_options counting;
    psdvec_count_options_default(&counting);
    counting.min_count = 2;
    counting.text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    psdvec_baseline_options o = options_of(PSDVEC_METHOD_SVD);
    job j = job_of(b, &o, path);
    j.counting = &counting;
    j.output = b->alone;
    run(&j, 1, PLENTY, -1);
    must_work(&j, 1);
    j.output = b->shared;
    run(&j, 3, PLENTY, -1);
    must_work(&j, 3);
    assert_same_file(b->alone, b->shared);
    /* word2vec is refused, by all members. */
    for (int cbow = 0; cbow < 2; cbow++) {
        o = options_of(cbow ? PSDVEC_METHOD_CBOW : PSDVEC_METHOD_SGNS);
        run(&j, 3, PLENTY, -1);
        for (uint32_t r = 0; r < 3; r++) {
            assert_int_equal(j.status[r], PSDVEC_ERR_OPTION);
            assert_contains(j.message[r], "is not divided among processes");
        }
    }
    free(text);
    free(path);
}

static void different_options_are_refused(void **state)
{
    bench *b = *state;
    psdvec_baseline_options one = options_of(PSDVEC_METHOD_SVD), two = one;
    two.dim++;
    job j = job_of(b, &one, NULL);
    j.options[1] = &two;
    run(&j, 2, PLENTY, -1);
    for (uint32_t r = 0; r < 2; r++) {
        assert_int_equal(j.status[r], PSDVEC_ERR_MISMATCH);
        assert_contains(j.message[r], "the options or inputs");
    }
}

/* At whichever point a member is stopped, all return; and a run that learns in epochs is resumed by
 * another number of members. */
static void a_member_that_stops_ends_the_run(void **state)
{
    bench *b = *state;
    char *vectors = dense_vectors(b);
    static const psdvec_method methods[] = {PSDVEC_METHOD_PPMI, PSDVEC_METHOD_SVD,
                                            PSDVEC_METHOD_GLOVE, PSDVEC_METHOD_SPARSE};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        psdvec_baseline_options o = options_of(methods[k]);
        const char *input = methods[k] == PSDVEC_METHOD_SPARSE ? vectors : NULL;
        job alone = job_of(b, &o, input);
        alone.output = b->alone;
        run(&alone, 1, PLENTY, -1);
        must_work(&alone, 1);
        bool finished = false;
        uint32_t members = 3;
        for (int polls = 3; polls < 1000000 && !finished; polls += polls / 2) {
            job j = job_of(b, &o, input);
            run(&j, members, PLENTY, polls);
            finished = j.status[0] == PSDVEC_OK;
            for (uint32_t r = 0; r < members; r++)
                if (j.status[r] != (finished ? PSDVEC_OK : PSDVEC_ERR_CANCELLED))
                    fail_msg("%u after %d: %s", r, polls, j.message[r]);
            assert_int_equal(access(b->shared, F_OK), finished ? 0 : -1);
            members = members == 3 ? 2 : 3;
        }
        assert_true(finished);
        assert_same_file(b->alone, b->shared);
        assert_int_equal(unlink(b->shared), 0);
    }
    free(vectors);
}

/* Too little memory: all refuse with one message, or finish with the same file. */
static void too_little_memory_ends_the_run(void **state)
{
    bench *b = *state;
    char *vectors = dense_vectors(b);
    for (psdvec_method method = 0; method < PSDVEC_METHODS; method++) {
        if (method == PSDVEC_METHOD_PSD || method == PSDVEC_METHOD_SGNS ||
            method == PSDVEC_METHOD_CBOW)
            continue;
        psdvec_baseline_options o = options_of(method);
        const char *input = method == PSDVEC_METHOD_SPARSE ? vectors : NULL;
        job alone = job_of(b, &o, input);
        alone.output = b->alone;
        run(&alone, 1, PLENTY, -1);
        must_work(&alone, 1);
        int finished = 0;
        for (uint64_t memory = 1 << 20; memory < 64 << 20; memory += memory / 2) {
            job j = job_of(b, &o, input);
            run(&j, 3, memory, -1);
            for (uint32_t r = 0; r < 3; r++) {
                assert_int_equal(j.status[r], j.status[0]);
                if (j.status[r] != PSDVEC_OK && j.status[r] != PSDVEC_ERR_BUDGET)
                    fail_msg("%u: %s", r, j.message[r]);
            }
            if (j.status[0] == PSDVEC_OK) {
                finished++;
                assert_same_file(b->alone, b->shared);
                assert_int_equal(unlink(b->shared), 0);
            }
        }
        assert_true(finished > 1);
    }
    free(vectors);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(ppmi_is_made_together),
        TEST(svd_is_made_together),
        TEST(cca_is_made_together),
        TEST(glove_is_trained_together),
        TEST(sparse_codes_are_learnt_together),
        TEST(members_may_have_nothing_to_do),
        TEST(text_is_counted_together),
        TEST(different_options_are_refused),
        TEST(a_member_that_stops_ends_the_run),
        TEST(too_little_memory_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
