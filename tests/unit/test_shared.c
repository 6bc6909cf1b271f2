/* One model, one counts file, one test set, and several threads that use them at the same time,
 * each with its own context. Everything is opened again for the threads, so that data created at
 * the first use are created concurrently; the answers must be those of a single thread. To be run
 * under the thread sanitizer (make tsan), which detects races that did not cause an error.
 *
 *     test_shared [SECONDS [THREADS [PAUSE]]]
 *
 * With arguments, the program is a load test (make load): THREADS threads (64) ask for SECONDS, each
 * with a pause of PAUSE seconds (0) between its rounds. Each round must have the answers of a single
 * thread. Every minute, all threads stop between two rounds; what is then allocated must not grow. */
#include "base/context.h"
#include "support/problem.h"
#include "util/clock.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

enum { THREADS = 4, MODELS = 4, ASKED = 12, MOST = 7, DIM = 10, WORDS = 300 };

/* ---- Shared objects -------------------------------------------------------------------------- */

typedef struct files {
    problem *p;
    char *models[MODELS]; /* float32, float16, int8, sparse */
    char *pairs, *analogies;
} files;

typedef struct shared {
    psdvec_context *ctx; /* opened everything, and is otherwise unused */
    psdvec_model *models[MODELS];
    psdvec_counts *counts;
    psdvec_test *tests[2];
} shared;

static files make_files(void)
{
    files f = {.p = problem_of_text(7, WORDS, 20000, false, 2)};
    static const char *const names[MODELS] = {"float32", "float16", "int8", "sparse"};
    for (int k = 0; k < MODELS; k++)
        f.models[k] = scratch_path(f.p->folder, names[k]);
    psdvec_train_options train;
    psdvec_train_options_default(&train);
    train.dim = DIM;
    train.iterations = 3;
    well(f.p->ctx, psdvec_train(f.p->ctx, &train, f.p->path, f.models[0], NULL));
    for (int k = 1; k <= 2; k++) {
        psdvec_convert_options convert;
        psdvec_convert_options_default(&convert);
        convert.precision = (psdvec_precision)k;
        well(f.p->ctx, psdvec_convert(f.p->ctx, &convert, f.models[0], f.models[k]));
    }
    psdvec_baseline_options ppmi;
    psdvec_baseline_options_default(&ppmi, PSDVEC_METHOD_PPMI, NULL);
    well(f.p->ctx, psdvec_baseline(f.p->ctx, &ppmi, f.p->path, f.models[3], NULL));
    f.pairs = scratch_path(f.p->folder, "pairs.txt");
    f.analogies = scratch_path(f.p->folder, "analogies.txt");
    char text[20000], *at = text;
    for (int k = 0; k < 100; k++)
        at += sprintf(at, "w%d W%d %d.5\n", k, 3 * k % 120, k % 10);
    scratch_write(f.pairs, text, (size_t)(at - text));
    at = text + sprintf(text, ": some\n");
    for (int k = 0; k < 100; k++)
        at += sprintf(at, "w%d w%d w%d w%d\n", k, k + 5, k + 10, k + 15);
    scratch_write(f.analogies, text, (size_t)(at - text));
    return f;
}

static void free_files(files *f)
{
    for (int k = 0; k < MODELS; k++)
        free(f->models[k]);
    free(f->pairs);
    free(f->analogies);
    problem_free(f->p);
}

static shared open_shared(const files *f)
{
    shared s = {.ctx = context_of(1)};
    for (int k = 0; k < MODELS; k++)
        well(s.ctx, psdvec_model_open(s.ctx, f->models[k], &s.models[k]));
    well(s.ctx, psdvec_counts_open(s.ctx, f->p->path, &s.counts));
    well(s.ctx, psdvec_test_open(s.ctx, f->pairs, &s.tests[0]));
    well(s.ctx, psdvec_test_open(s.ctx, f->analogies, &s.tests[1]));
    return s;
}

static void close_shared(shared *s)
{
    for (int k = 0; k < MODELS; k++)
        psdvec_model_close(s->models[k]);
    psdvec_counts_close(s->counts);
    psdvec_test_close(s->tests[0]);
    psdvec_test_close(s->tests[1]);
    psdvec_context_free(s->ctx);
}

/* ---- The calls of a thread: everything that only reads --------------------------------------- */

typedef struct asker {
    const shared *s;
    psdvec_context *ctx;
    pthread_barrier_t *start; /* or NULL */
    uint64_t digest;          /* of all answers */
    uint64_t calls;           /* that return a status */
    char failure[300];        /* empty: no failure */
} asker;

static void note(asker *a, const void *bytes, size_t length)
{
    a->digest = XXH3_64bits_withSeed(bytes, length, a->digest);
}

static void note_double(asker *a, double x)
{
    note(a, &x, sizeof x);
}

static bool fine(asker *a, psdvec_status status, const char *call)
{
    if (status != PSDVEC_OK && !*a->failure)
        snprintf(a->failure, sizeof a->failure, "%s: %s", call, psdvec_error_message(a->ctx));
    note(a, &status, sizeof status);
    a->calls++;
    return status == PSDVEC_OK;
}
#define FINE(call) fine(a, call, #call)

static void ask_words(asker *a, const psdvec_model *m)
{
    const psdvec_model_info *info = psdvec_model_get_info(m);
    float *vector = calloc(info->dim, sizeof *vector);
    for (uint32_t k = 0; vector && k < ASKED; k++) {
        char word[16], normal[16];
        uint32_t i = 0, j = 0;
        size_t length, needed = 0, count;
        const uint32_t *columns;
        const float *values;
        snprintf(word, sizeof word, "w%u", 7 * k);
        bool found = psdvec_model_find(m, word, strlen(word), &i);
        note(a, &found, sizeof found);
        word[0] = 'W';
        FINE(psdvec_model_find_normalized(a->ctx, m, word, strlen(word), &j));
        FINE(psdvec_model_normalize(a->ctx, m, word, strlen(word), normal, sizeof normal, &needed));
        note(a, normal, needed);
        note(a, &j, sizeof j);
        const char *text = psdvec_model_word(m, i, &length);
        note(a, text, length);
        psdvec_model_copy(m, i, vector);
        note(a, vector, info->dim * sizeof *vector);
        psdvec_model_vector_copy(m, i, vector);
        note(a, vector, info->dim * sizeof *vector);
        if (!info->sparse)
            note(a, psdvec_model_vector(m, i), info->dim * sizeof *vector);
        psdvec_model_spell(m, word, strlen(word), vector);
        note(a, vector, info->dim * sizeof *vector);
        psdvec_model_sparse_row(m, i, &columns, &values, &count);
        note(a, values, count * sizeof *values);
        note_double(a, (double)psdvec_model_frequency(m, i));
        note_double(a, psdvec_model_spread(m, i));
        note_double(a, psdvec_model_unigram(m, i));
        note_double(a, psdvec_model_cosine(m, i, k));
        note_double(a, psdvec_model_product(m, i, k));
    }
    free(vector);
}

static void ask_neighbours(asker *a, const psdvec_model *m)
{
    uint32_t dim = psdvec_model_get_info(m)->dim;
    float *vectors = calloc((size_t)ASKED * dim, sizeof *vectors);
    psdvec_neighbour near[ASKED * MOST];
    size_t found[ASKED];
    psdvec_query_options options;
    psdvec_query_options_default(&options);
    options.restrict_words = 200;
    memset(near, 0, sizeof near);
    for (uint32_t q = 0; vectors && q < ASKED; q++)
        psdvec_model_copy(m, 11 * q, vectors + (size_t)q * dim);
    if (vectors) {
        FINE(psdvec_model_similar(a->ctx, m, vectors, NULL, MOST, near, found));
        note(a, near, found[0] * sizeof *near);
        FINE(psdvec_model_similar_many(a->ctx, m, vectors, ASKED, &options, MOST, near, found));
        note(a, near, sizeof near);
        FINE(psdvec_model_analogy(a->ctx, m, PSDVEC_MEASURE_MUL, vectors, vectors + dim,
                                  vectors + (size_t)2 * dim, NULL, MOST, near, found));
        note(a, near, found[0] * sizeof *near);
    }
    free(vectors);
}

static void ask_counts(asker *a, const psdvec_counts *c)
{
    for (uint32_t k = 0; k < ASKED; k++) {
        char word[16];
        uint32_t i = 0;
        psdvec_row row;
        size_t length;
        snprintf(word, sizeof word, "w%u", 5 * k);
        bool found = psdvec_counts_find(c, word, strlen(word), &i);
        note(a, &found, sizeof found);
        const char *text = psdvec_counts_word(c, i, &length);
        note(a, text, length);
        psdvec_counts_row(c, i, &row);
        note(a, row.focus, row.length * sizeof *row.focus);
        note_double(a, (double)psdvec_counts_get(c, i, k) + psdvec_counts_retention(c, i));
        note_double(a, (double)(psdvec_counts_frequency(c, i) + psdvec_counts_focus_total(c, i) +
                                psdvec_counts_context_total(c, i)));
    }
    FINE(psdvec_counts_verify(a->ctx, c));
    FINE(psdvec_counts_check_rows(a->ctx, c));
}

static void ask_documents(asker *a, const psdvec_model *m, const psdvec_counts *c)
{
    static const char text[] = "w1 w2 w3 w10 w20 w4 w1 w5";
    psdvec_scorer *scorer = NULL;
    psdvec_scored_model scored = {.model = m, .counts = c};
    psdvec_pair_explanation explanation;
    psdvec_joint joint;
    psdvec_residual top[5];
    size_t found;
    if (FINE(psdvec_scorer_open(a->ctx, NULL, &scored, 1, &scorer)) &&
        FINE(psdvec_scorer_text(scorer, text, strlen(text))))
        note_double(a, psdvec_scorer_total(scorer)->fits[0].conditional);
    psdvec_scorer_close(scorer);
    if (!c)
        return;
    if (FINE(psdvec_model_explain_pair(a->ctx, m, c, 1, 2, &explanation)))
        note_double(a, explanation.residual);
    if (FINE(psdvec_joint_compute(a->ctx, m, c, &joint)))
        note_double(a, joint.residuals);
    if (FINE(psdvec_residuals(a->ctx, m, c, NULL, PSDVEC_RESIDUAL_LOSS, 0, 5, top, &found, NULL)))
        note_double(a, top[4].target);
}

static void ask_tests(asker *a)
{
    const psdvec_model *const *models = (const psdvec_model *const *)a->s->models;
    const psdvec_test *const *tests = (const psdvec_test *const *)a->s->tests;
    psdvec_eval_options options;
    psdvec_report *report;
    size_t count;
    psdvec_eval_options_default(&options);
    options.resamples = 50;
    options.unknown = PSDVEC_UNKNOWN_MEAN;
    for (int t = 0; t < 2; t++) {
        note_double(a, psdvec_test_get_info(tests[t])->questions);
        const char *section = psdvec_test_section(tests[t], 0);
        note(a, section ? section : "", section ? strlen(section) : 0);
    }
    if (FINE(psdvec_eval(a->ctx, &options, models, MODELS, tests, 2, &report))) {
        const psdvec_score *scores = psdvec_report_scores(report, &count);
        for (size_t k = 0; k < count; k++)
            note_double(a, scores[k].value + scores[k].low);
        psdvec_report_free(report);
    }
}

static void *ask_all(void *opaque)
{
    asker *a = opaque;
    if (a->start)
        pthread_barrier_wait(a->start);
    for (int k = 0; k < MODELS; k++) {
        ask_words(a, a->s->models[k]);
        ask_neighbours(a, a->s->models[k]);
        FINE(psdvec_model_verify(a->ctx, a->s->models[k]));
    }
    ask_counts(a, a->s->counts);
    for (int k = 0; k < MODELS - 1; k++)
        ask_documents(a, a->s->models[k], k == 1 ? NULL : a->s->counts);
    ask_tests(a);
    return NULL;
}

/* ---- Load ------------------------------------------------------------------------------------ */

enum { MOST_THREADS = 1024, REPORT = 60 };

typedef struct load {
    const shared *s;
    uint64_t digest; /* of a single thread */
    double pause;
    atomic_bool stop, meet;
    pthread_barrier_t meeting; /* of all threads and the main one */
    atomic_uint_fast64_t rounds, calls;
} load;

typedef struct worker {
    load *l;
    pthread_t thread;
    char failure[400];
} worker;

/* Every round has a new context: memory that it does not return shows as growth. */
static void one_round(worker *w)
{
    asker a = {.s = w->l->s, .ctx = context_of(1)};
    ask_all(&a);
    if (*a.failure || a.digest != w->l->digest)
        snprintf(w->failure, sizeof w->failure, "%s",
                 *a.failure ? a.failure : "the answers differ from those of a single thread");
    psdvec_context_free(a.ctx);
    atomic_fetch_add(&w->l->rounds, 1);
    atomic_fetch_add(&w->l->calls, a.calls);
}

static void *work(void *opaque)
{
    worker *w = opaque;
    load *l = w->l;
    double next = 0;
    while (!atomic_load(&l->stop)) {
        if (!*w->failure && pv_now() >= next) {
            one_round(w);
            next = pv_now() + l->pause;
        }
        if (atomic_load(&l->meet)) {
            pthread_barrier_wait(&l->meeting); /* nothing is running now */
            pthread_barrier_wait(&l->meeting); /* the memory was measured */
        } else if (l->pause > 0 || *w->failure) {
            usleep(100000);
        }
    }
    return NULL;
}

static double resident_mib(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* What malloc() gave and did not get back, in MiB; 0 where the C library does not tell. */
static double allocated_mib(void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd) / (1 << 20);
#else
    return 0;
#endif
}

/* Lets all threads finish their rounds, and measures what is allocated while none is running. */
static double measure(load *l, double passed, FILE *report)
{
    double running = resident_mib();
    atomic_store(&l->meet, true);
    pthread_barrier_wait(&l->meeting);
    double allocated = allocated_mib();
    atomic_store(&l->meet, false);
    fprintf(report, "%.0f s: %llu rounds, %llu calls, %.1f MiB resident, %.2f MiB allocated\n",
            passed, (unsigned long long)atomic_load(&l->rounds),
            (unsigned long long)atomic_load(&l->calls), running, allocated);
    fflush(report);
    pthread_barrier_wait(&l->meeting);
    return allocated;
}

/* Returns by how many MiB the allocated memory grew after the first round of each thread. */
static double watch(load *l, double seconds, FILE *report)
{
    double began = pv_now(), first = measure(l, 0, report), last = first;
    for (double passed = 0, reported = 0; passed < seconds;) {
        usleep(seconds - passed < 1 ? (useconds_t)((seconds - passed) * 1e6) : 1000000);
        passed = pv_now() - began;
        if (passed - reported >= REPORT || passed >= seconds) {
            last = measure(l, passed, report);
            reported = passed;
        }
    }
    return last - first;
}

/* Returns whether all answers were right and the memory did not grow. */
static bool load_run(unsigned threads, double seconds, double pause, FILE *report)
{
    files f = make_files();
    shared s = open_shared(&f);
    asker alone = {.s = &s, .ctx = context_of(1)};
    ask_all(&alone);
    assert_string_equal(alone.failure, "");
    psdvec_context_free(alone.ctx);
    load l = {.s = &s, .digest = alone.digest, .pause = pause};
    worker *workers = calloc(threads, sizeof *workers);
    assert_non_null(workers);
    assert_int_equal(pthread_barrier_init(&l.meeting, NULL, threads + 1), 0);
    for (unsigned t = 0; t < threads; t++) {
        workers[t].l = &l;
        assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    }
    double grown = watch(&l, seconds, report);
    atomic_store(&l.stop, true);
    bool fine = grown <= 1; /* threads of glibc have caches of freed memory */
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(workers[t].thread, NULL);
        if (*workers[t].failure)
            fprintf(report, "thread %u: %s\n", t, workers[t].failure);
        fine &= !*workers[t].failure;
    }
    fprintf(report, "%u threads, %llu calls: %s; the allocated memory grew by %.2f MiB\n", threads,
            (unsigned long long)atomic_load(&l.calls), fine ? "all answers right" : "FAILED",
            grown);
    pthread_barrier_destroy(&l.meeting);
    free(workers);
    close_shared(&s);
    free_files(&f);
    return fine;
}

/* ---- The tests ------------------------------------------------------------------------------- */

static void many_threads_get_the_same_answers(void **state)
{
    (void)state;
    assert_true(load_run(16, 0, 0, stderr));
}

static void threads_that_share_objects_get_the_same_answers(void **state)
{
    (void)state;
    files f = make_files();
    shared s = open_shared(&f);
    asker alone = {.s = &s, .ctx = context_of(1)};
    ask_all(&alone);
    assert_string_equal(alone.failure, "");
    psdvec_context_free(alone.ctx);
    close_shared(&s);

    for (int round = 0; round < 3; round++) {
        pthread_barrier_t start;
        pthread_t threads[THREADS];
        asker askers[THREADS];
        s = open_shared(&f);
        assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
        for (int t = 0; t < THREADS; t++) {
            askers[t] = (asker){.s = &s, .ctx = context_of(t == 0 ? 2 : 1), .start = &start};
            assert_int_equal(pthread_create(&threads[t], NULL, ask_all, &askers[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            pthread_join(threads[t], NULL);
            assert_string_equal(askers[t].failure, "");
            assert_true(askers[t].digest == alone.digest);
            psdvec_context_free(askers[t].ctx);
        }
        pthread_barrier_destroy(&start);
        close_shared(&s);
    }
    free_files(&f);
}

/* If there is no memory for the index, every word is compared; no error is reported, and no memory
 * leaks. */
static void without_memory_for_the_index_words_are_still_found(void **state)
{
    (void)state;
    files f = make_files();
    psdvec_context *ctx = context_of(1);
    psdvec_counts *counts;
    ok(psdvec_counts_open(ctx, f.p->path, &counts));
    uint64_t used = ctx->options.memory = atomic_load(&ctx->memory_used);
    for (int round = 0; round < 3; round++) {
        uint32_t i = 0;
        size_t length;
        assert_true(psdvec_counts_find(counts, "w9", 2, &i));
        assert_memory_equal(psdvec_counts_word(counts, i, &length), "w9", 2);
        assert_false(psdvec_counts_find(counts, "nothing", 7, &i));
        assert_true(atomic_load(&ctx->memory_used) == used);
        assert_string_equal(psdvec_error_message(ctx), "");
    }
    psdvec_counts_close(counts);
    assert_true(atomic_load(&ctx->memory_used) == 0);
    psdvec_context_free(ctx);
    free_files(&f);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 64;
        double seconds = atof(argv[1]), pause = argc > 3 ? atof(argv[3]) : 0;
        if (argc > 4 || seconds <= 0 || threads < 1 || threads > MOST_THREADS) {
            fprintf(stderr, "usage: test_shared [SECONDS [THREADS [PAUSE]]]\n");
            return 2;
        }
        return load_run(threads, seconds, pause, stdout) ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_share_objects_get_the_same_answers),
        cmocka_unit_test(many_threads_get_the_same_answers),
        cmocka_unit_test(without_memory_for_the_index_words_are_still_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
