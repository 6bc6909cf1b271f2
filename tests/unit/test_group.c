/* Groups: several contexts, each in a thread of its own, share the work of a call. */
#include "base/context.h"
#include "base/group.h"
#include "support/members.h"
#include "support/scratch.h"
#include "train/train.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What a member does, and what came of it. */
typedef struct job {
    const psdvec_count_options *options;
    const psdvec_train_options *train; /* NULL: count only */
    const char *const *inputs;
    size_t input_count;
    const char *output;
    uint64_t memory;
    int threads;
    atomic_int polls_left; /* the call is cancelled after as many questions; negative: never */
    psdvec_count_report report;
    psdvec_status status;
    char message[500];
} job;

static bool should_cancel(void *user)
{
    job *j = user;
    return atomic_load(&j->polls_left) >= 0 && atomic_fetch_sub(&j->polls_left, 1) == 0;
}

static void run_job(void *arg, uint32_t rank, psdvec_context *ctx)
{
    job *j = (job *)arg + rank;
    j->status =
        j->train ? psdvec_train_text(ctx, j->train, j->options, j->inputs, j->input_count,
                                     j->output, &j->report, NULL)
                 : psdvec_count(ctx, j->options, j->inputs, j->input_count, j->output, &j->report);
    snprintf(j->message, sizeof j->message, "%s", psdvec_error_message(ctx));
}

static void run_jobs(job *list, uint32_t members)
{
    psdvec_context_options options[MOST_MEMBERS];
    for (uint32_t r = 0; r < members; r++) {
        psdvec_context_options_default(&options[r]);
        options[r].threads = list[r].threads;
        options[r].memory = list[r].memory;
        options[r].should_cancel = should_cancel;
        options[r].user = &list[r];
    }
    run_members(members, options, run_job, list);
}

/* ---- Texts ------------------------------------------------------------------------------------ */

typedef struct bench {
    char *folder;
    char files[4][200];
    char alone[200], shared[200];
} bench;

/* A word of letters: the default tokeniser drops digits. */
static size_t put_word(FILE *file, char kind, uint32_t number)
{
    size_t length = 1;
    fputc(kind, file);
    for (; number > 0; number /= 16, length++)
        fputc('a' + (int)(number % 16), file);
    return length;
}

/* Words with a Zipf-like distribution, and rare ones; lines of different length, some of which are very long, so
 * that documents are cut at the end of segments. */
static void write_text(const char *path, size_t bytes, unsigned seed)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    uint64_t state = seed;
    for (size_t written = 0; written < bytes;) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint32_t a = (uint32_t)(state >> 33) % 1000 + 1, b = (uint32_t)(state >> 43) % 1000 + 1;
        written += state >> 60 == 0 ? put_word(file, 'r', (uint32_t)(state >> 25) % 3000)
                                    : put_word(file, 'w', 200000 / a / b);
        int c = (int)(state >> 58);
        fputc(c == 0 && (seed % 2 || state >> 50 == 3) ? '\n' : ' ', file);
    }
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->folder = scratch_new();
    static const size_t sizes[] = {600 << 10, 0, 1800 << 10, 60 << 10};
    for (unsigned k = 0; k < 4; k++) {
        snprintf(b->files[k], sizeof b->files[k], "%s/%u.txt", b->folder, k);
        write_text(b->files[k], sizes[k], k + 1);
    }
    snprintf(b->alone, sizeof b->alone, "%s/alone", b->folder);
    snprintf(b->shared, sizeof b->shared, "%s/shared", b->folder);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    scratch_free(b->folder);
    free(b);
    return 0;
}

static void assert_same_file(const char *one, const char *two)
{
    FILE *a = fopen(one, "rb"), *b = fopen(two, "rb");
    assert_non_null(a);
    assert_non_null(b);
    for (int x = 0; x != EOF;) {
        x = getc(a);
        assert_int_equal(x, getc(b));
    }
    fclose(a);
    fclose(b);
}

static void work_alone(bench *b, const psdvec_count_options *options,
                       const psdvec_train_options *train, size_t files, psdvec_count_report *report)
{
    psdvec_context *ctx;
    const char *inputs[4];
    for (size_t k = 0; k < files; k++)
        inputs[k] = b->files[k];
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    psdvec_status status =
        train ? psdvec_train_text(ctx, train, options, inputs, files, b->alone, report, NULL)
              : psdvec_count(ctx, options, inputs, files, b->alone, report);
    if (status != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(ctx));
    psdvec_context_free(ctx);
}

/* Counts, or trains, with groups of several sizes and compares files and reports. */
static void compare_work(bench *b, const psdvec_count_options *options,
                         const psdvec_train_options *train, size_t files, uint64_t memory)
{
    psdvec_count_report alone;
    const char *inputs[4];
    for (size_t k = 0; k < files; k++)
        inputs[k] = b->files[k];
    work_alone(b, options, train, files, &alone);
    if (train) /* several tiles, and words outside a core of 1,700 */
        assert_true(alone.words > 1750);
    static const uint32_t sizes[] = {1, 2, 3, MOST_MEMBERS};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint32_t members = sizes[k];
        job list[MOST_MEMBERS] = {0};
        for (uint32_t r = 0; r < members; r++)
            list[r] = (job){.options = options,
                            .train = train,
                            .inputs = inputs,
                            .input_count = files,
                            .output = b->shared,
                            .memory = memory,
                            .threads = 1 + (int)(r % 2),
                            .polls_left = -1};
        run_jobs(list, members);
        for (uint32_t r = 0; r < members; r++) {
            if (list[r].status != PSDVEC_OK)
                fail_msg("%u of %u: %s", r, members, list[r].message);
            const psdvec_count_report *report = &list[r].report;
            assert_int_equal(report->tokens, alone.tokens);
            assert_int_equal(report->documents, alone.documents);
            assert_int_equal(report->bytes, alone.bytes);
            assert_int_equal(report->distinct_words, alone.distinct_words);
            assert_int_equal(report->known_tokens, alone.known_tokens);
            assert_int_equal(report->words, alone.words);
            assert_int_equal(report->bigrams, alone.bigrams);
        }
        assert_same_file(b->alone, b->shared);
        assert_int_equal(unlink(b->shared), 0);
    }
}

static void compare(bench *b, const psdvec_count_options *options, size_t files, uint64_t memory)
{
    compare_work(b, options, NULL, files, memory);
}

static void a_group_writes_the_same_file(void **state)
{
    bench *b = *state;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    options.min_count = 3;
    compare(b, &options, 4, UINT64_C(256) << 20);
}

static void documents_may_span_members(void **state)
{
    bench *b = *state;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    options.window = 300;
    options.text.document = PSDVEC_DOCUMENT_NONE;
    options.oov = PSDVEC_OOV_DROP;
    options.min_count = 2000; /* most words are dropped, so windows reach far */
    compare(b, &options, 4, UINT64_C(256) << 20);
}

static void one_file_is_divided(void **state)
{
    bench *b = *state;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    options.subsample = 1e-3;
    options.max_vocab = 500;
    const char *keep[] = {"wb", "waecnad", "missing"};
    options.keep_words = keep;
    options.keep_words_count = 3;
    options.hold_out = 2000;
    compare(b, &options, 1, UINT64_C(256) << 20);
}

static void members_may_have_little_memory(void **state)
{
    bench *b = *state;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    options.min_count = 1;
    compare(b, &options, 3, UINT64_C(17) << 20);
}

static void a_list_of_words_is_shared(void **state)
{
    bench *b = *state;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    char list[220];
    snprintf(list, sizeof list, "%s/list", b->folder);
    FILE *file = fopen(list, "w");
    assert_non_null(file);
    fputs("wb\nwc\nabsent\nwd\nwim\n", file);
    fclose(file);
    options.vocab_file = list;
    compare(b, &options, 4, UINT64_C(256) << 20);
}

static void phrases_are_found_together(void **state)
{
    bench *b = *state;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    options.text.phrases = "auto";
    compare(b, &options, 3, UINT64_C(256) << 20);
}

/* With more than 1,536 core words, three members have tiles of their own. */
static void train_together(bench *b, psdvec_preset preset, uint32_t core, uint32_t exact)
{
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, preset, &counting);
    counting.min_count = 2;
    train.dim = 20;
    train.core = core;
    train.iterations = 4;
    train.exact_iterations = exact;
    compare_work(b, &counting, &train, 3, UINT64_C(512) << 20);
}

static void members_solve_the_core_together(void **state)
{
    train_together(*state, PSDVEC_PRESET_DEFAULT, 0, 2);
}

static void members_share_the_regression(void **state)
{
    train_together(*state, PSDVEC_PRESET_PAPER, 1700, 0);
}

/* Three blocks of dimensions for the regression on spelling, and words outside the core. */
static void members_share_the_read_out(void **state)
{
    bench *b = *state;
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &counting);
    counting.min_count = 2;
    train.dim = 70;
    train.core = 600;
    train.iterations = 2;
    compare_work(b, &counting, &train, 3, UINT64_C(512) << 20);
    train.core = 0;
    train.order = 0;
    compare_work(b, &counting, &train, 3, UINT64_C(512) << 20);
    /* Weights with which the joint probability cannot use the pairs of the solver. */
    psdvec_train_options_preset(&train, PSDVEC_PRESET_PAPER, &counting);
    counting.min_count = 2;
    train.dim = 40;
    train.core = 0;
    train.iterations = 2;
    train.order = 0.5;
    compare_work(b, &counting, &train, 3, UINT64_C(512) << 20);
}

/* ---- New words ---------------------------------------------------------------------------------- */

typedef struct addition {
    const psdvec_extend_options *options[MOST_MEMBERS];
    const char *model, *output;
    const char *inputs[MOST_MEMBERS][2];
    size_t input_count;
    psdvec_status status[MOST_MEMBERS];
    psdvec_extend_report report[MOST_MEMBERS];
    char message[MOST_MEMBERS][500];
} addition;

static void extend_member(void *arg, uint32_t rank, psdvec_context *ctx)
{
    addition *a = arg;
    a->status[rank] = psdvec_extend(ctx, a->options[rank], a->model, a->inputs[rank],
                                    a->input_count, a->output, &a->report[rank]);
    snprintf(a->message[rank], sizeof a->message[rank], "%s", psdvec_error_message(ctx));
}

/* memory: of the leader, and of the others. tempdir: NULL, or for temporary files. */
static void extend_members_in(addition *a, uint32_t members, uint64_t leader, uint64_t others,
                              const char *tempdir)
{
    psdvec_context_options options[MOST_MEMBERS];
    for (uint32_t r = 0; r < members; r++) {
        psdvec_context_options_default(&options[r]);
        options[r].threads = 1 + (int)(r % 2);
        options[r].memory = r == 0 ? leader : others;
        options[r].tempdir = tempdir;
    }
    run_members(members, options, extend_member, a);
}

static void extend_members(addition *a, uint32_t members, uint64_t leader, uint64_t others)
{
    extend_members_in(a, members, leader, others, NULL);
}

/* Trains a model of some of the words, and fills in the addition. */
static void prepare_addition(bench *b, const psdvec_extend_options *options, char model[220],
                             addition *a)
{
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &counting);
    counting.min_count = 20;
    train.dim = 20;
    train.core = 300;
    train.iterations = 2;
    const char *inputs[] = {b->files[2]};
    psdvec_context *ctx;
    snprintf(model, 220, "%s/model", b->folder);
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    assert_int_equal(psdvec_train_text(ctx, &train, &counting, inputs, 1, model, NULL, NULL),
                     PSDVEC_OK);
    psdvec_context_free(ctx);
    *a = (addition){.model = model, .output = b->shared, .input_count = 2};
    for (uint32_t r = 0; r < MOST_MEMBERS; r++) {
        a->options[r] = options;
        a->inputs[r][0] = b->files[0];
        a->inputs[r][1] = b->files[3];
    }
}

/* Groups of several sizes write the model that one process writes. */
static void compare_addition(bench *b, addition *a)
{
    a->output = b->alone;
    extend_members(a, 1, UINT64_C(1) << 30, UINT64_C(1) << 30);
    if (a->status[0] != PSDVEC_OK)
        fail_msg("%s", a->message[0]);
    psdvec_extend_report alone = a->report[0];
    a->output = b->shared;
    static const uint32_t sizes[] = {2, 3, MOST_MEMBERS};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        extend_members(a, sizes[k], UINT64_C(1) << 30, UINT64_C(1) << 30);
        for (uint32_t r = 0; r < sizes[k]; r++) {
            if (a->status[r] != PSDVEC_OK)
                fail_msg("%u of %u: %s", r, sizes[k], a->message[r]);
            assert_int_equal(a->report[r].new_words, alone.new_words);
            assert_int_equal(a->report[r].replaced_words, alone.replaced_words);
        }
        assert_same_file(b->alone, b->shared);
        assert_int_equal(unlink(b->shared), 0);
    }
}

static void members_add_new_words_together(void **state)
{
    bench *b = *state;
    psdvec_extend_options options;
    psdvec_extend_options_default(&options);
    char model[220], counts[220], extended[220];
    addition a;
    prepare_addition(b, &options, model, &a);
    compare_addition(b, &a);
    assert_true(a.report[0].new_words > MOST_MEMBERS);
    /* From counts; and again, so that words are replaced, of which members find none to add. */
    snprintf(counts, sizeof counts, "%s/counts", b->folder);
    snprintf(extended, sizeof extended, "%s/extended", b->folder);
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &counting);
    psdvec_context *ctx;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    assert_int_equal(psdvec_count(ctx, &counting, a.inputs[0], 2, counts, NULL), PSDVEC_OK);
    psdvec_context_free(ctx);
    a.input_count = 1;
    for (uint32_t r = 0; r < MOST_MEMBERS; r++)
        a.inputs[r][0] = counts;
    compare_addition(b, &a);
    assert_int_equal(rename(b->alone, extended), 0);
    options.replace = true;
    a.model = extended;
    compare_addition(b, &a);
    assert_int_equal(a.report[0].new_words, 0);
    assert_true(a.report[0].replaced_words > 0);
    /* Without any word to solve. */
    options.min_count = 1000000;
    compare_addition(b, &a);
    assert_int_equal(a.report[0].replaced_words, 0);
}

static void different_extensions_are_refused(void **state)
{
    bench *b = *state;
    psdvec_extend_options options, other;
    psdvec_extend_options_default(&options);
    psdvec_extend_options_default(&other);
    other.mu = 3;
    char model[220];
    addition a;
    prepare_addition(b, &options, model, &a);
    for (int kind = 0; kind < 3; kind++) {
        a.options[1] = kind == 0 ? &other : &options;
        a.inputs[1][1] = kind == 1 ? b->files[1] : b->files[3];
        for (uint32_t r = 0; r < 3; r++)
            a.inputs[r][0] = kind == 2 ? "-" : b->files[0];
        extend_members(&a, 3, 0, 0);
        for (uint32_t r = 0; r < 3; r++) {
            assert_int_equal(a.status[r], kind == 2 ? PSDVEC_ERR_OPTION : PSDVEC_ERR_MISMATCH);
            assert_non_null(strstr(
                a.message[r], kind == 2 ? "can be read by one process only"
                                        : "the options, the model or the inputs of process 1"));
        }
        assert_int_not_equal(access(b->shared, F_OK), 0);
    }
}

/* Only the leader makes the new model in memory. At whichever point memory is missing, all fail. */
static void extensions_stay_within_the_memory_of_members(void **state)
{
    bench *b = *state;
    psdvec_extend_options options;
    psdvec_extend_options_default(&options);
    char model[220], partial[220];
    addition a;
    prepare_addition(b, &options, model, &a);
    snprintf(partial, sizeof partial, "%s.partial", b->shared);
    uint64_t most = UINT64_C(256) << 20;
    int failed = 0;
    for (uint64_t memory = 1 << 16; memory < UINT64_C(64) << 20; memory *= 2)
        for (int leader = 0; leader < 2; leader++) {
            extend_members(&a, 3, leader ? memory : most, leader ? most : memory);
            for (uint32_t r = 0; r < 3; r++) {
                assert_int_equal(a.status[r], a.status[0]);
                if (a.status[r] != PSDVEC_OK && a.status[r] != PSDVEC_ERR_BUDGET)
                    fail_msg("%u: %s", r, a.message[r]);
            }
            failed += a.status[0] != PSDVEC_OK;
            assert_int_equal(access(b->shared, F_OK), a.status[0] == PSDVEC_OK ? 0 : -1);
            assert_int_not_equal(access(partial, F_OK), 0);
            unlink(b->shared);
        }
    assert_in_range(failed, 2, 19);
}

/* With little more memory than an extension needs, its columns of the counts are in a file, and in
 * the other members those of the new words that they solve. */
static void members_extend_with_columns_in_files(void **state)
{
    bench *b = *state;
    psdvec_extend_options options;
    psdvec_extend_options_default(&options);
    char model[220], counts[220];
    addition a;
    prepare_addition(b, &options, model, &a);
    snprintf(counts, sizeof counts, "%s/counts", b->folder);
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &counting);
    counting.min_count = 1;
    psdvec_context *ctx;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    assert_int_equal(psdvec_count(ctx, &counting, a.inputs[0], 2, counts, NULL), PSDVEC_OK);
    psdvec_context_free(ctx);
    a.input_count = 1;
    for (uint32_t r = 0; r < MOST_MEMBERS; r++)
        a.inputs[r][0] = counts;
    a.output = b->alone;
    extend_members(&a, 1, UINT64_C(1) << 30, 0);
    assert_int_equal(a.status[0], PSDVEC_OK);
    a.output = b->shared;
    for (uint32_t members = 1; members <= 3; members += 2) {
        uint64_t memory = UINT64_C(1) << 20;
        do {
            memory += memory / 8;
            extend_members(&a, members, memory, memory);
        } while (a.status[0] == PSDVEC_ERR_BUDGET);
        for (uint32_t r = 0; r < members; r++)
            if (a.status[r] != PSDVEC_OK)
                fail_msg("%u: %s", r, a.message[r]);
        assert_same_file(b->alone, b->shared);
        /* Those are all of its temporary files. */
        extend_members_in(&a, members, memory, memory, "/nowhere");
        assert_int_equal(a.status[0], PSDVEC_ERR_WRITE);
        assert_non_null(strstr(a.message[0], "/nowhere"));
    }
}

/* ---- Memory ----------------------------------------------------------------------------------- */

typedef struct training {
    const psdvec_train_options *options;
    const char *counts, *output;
    psdvec_status status[MOST_MEMBERS];
    psdvec_train_report report[MOST_MEMBERS];
    uint64_t peak[MOST_MEMBERS]; /* bytes */
    char message[MOST_MEMBERS][500];
} training;

static void train_member(void *arg, uint32_t rank, psdvec_context *ctx)
{
    training *t = arg;
    t->status[rank] = psdvec_train(ctx, t->options, t->counts, t->output, &t->report[rank]);
    t->peak[rank] = psdvec_peak_memory(ctx);
    snprintf(t->message[rank], sizeof t->message[rank], "%s", psdvec_error_message(ctx));
}

static void train_members(training *t, uint32_t members, uint64_t memory)
{
    psdvec_context_options options[MOST_MEMBERS];
    for (uint32_t r = 0; r < members; r++) {
        psdvec_context_options_default(&options[r]);
        options[r].threads = 1;
        options[r].memory = memory;
    }
    run_members(members, options, train_member, t);
}

/* Members hold only their rows of the pairs, the vectors and the basis, so a training that needs
 * more memory than a process has can be divided. */
static void members_train_what_does_not_fit_one_process(void **state)
{
    bench *b = *state;
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &counting);
    counting.min_count = 2;
    train.dim = 100;
    train.iterations = 2;
    train.order = train.spelling = 0;
    char counts[220];
    snprintf(counts, sizeof counts, "%s/counts", b->folder);
    const char *inputs[] = {b->files[0], b->files[2]};
    psdvec_context *ctx;
    psdvec_context_options one;
    psdvec_context_options_default(&one);
    one.threads = 1;
    assert_int_equal(psdvec_context_new(&one, &ctx), PSDVEC_OK);
    assert_int_equal(psdvec_count(ctx, &counting, inputs, 2, counts, NULL), PSDVEC_OK);
    psdvec_train_plan plan;
    assert_int_equal(psdvec_train_plan_make(ctx, &train, counts, &plan), PSDVEC_OK);
    assert_int_equal(psdvec_train(ctx, &train, counts, b->alone, NULL), PSDVEC_OK);
    psdvec_context_free(ctx);
    training t = {.options = &train, .counts = counts, .output = b->shared};
    uint64_t memory = plan.memory_least * 7 / 10;
    train_members(&t, 1, memory);
    assert_int_equal(t.status[0], PSDVEC_ERR_BUDGET);
    train_members(&t, 3, memory);
    for (uint32_t r = 0; r < 3; r++)
        if (t.status[r] != PSDVEC_OK)
            fail_msg("%u: %s", r, t.message[r]);
    assert_same_file(b->alone, b->shared);
    /* All refuse with one message if it does not fit three either. */
    train_members(&t, 3, plan.memory_least / 4);
    for (uint32_t r = 0; r < 3; r++) {
        assert_int_equal(t.status[r], PSDVEC_ERR_BUDGET);
        assert_non_null(strstr(t.message[r], "in one of 3 processes"));
    }
}

/* The memory that the message of a refusal names is enough for all parts of a training. */
static void members_stay_within_the_memory_of_the_plan(void **state)
{
    bench *b = *state;
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &counting);
    counting.min_count = 1;
    train.dim = 70;
    train.iterations = 2;
    char counts[220];
    snprintf(counts, sizeof counts, "%s/counts", b->folder);
    const char *inputs[] = {b->files[0], b->files[2]};
    psdvec_context *ctx;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    assert_int_equal(psdvec_count(ctx, &counting, inputs, 2, counts, NULL), PSDVEC_OK);
    for (uint32_t core = 0; core < 1000; core += 600) {
        train.core = core;
        assert_int_equal(psdvec_train(ctx, &train, counts, b->alone, NULL), PSDVEC_OK);
        training t = {.options = &train, .counts = counts, .output = b->shared};
        train_members(&t, 3, 1 << 20);
        assert_int_equal(t.status[0], PSDVEC_ERR_BUDGET);
        const char *needed = strstr(t.message[0], "needs at least ");
        assert_non_null(needed);
        train_members(&t, 3, strtoull(needed + 15, NULL, 10) << 20);
        for (uint32_t r = 0; r < 3; r++)
            if (t.status[r] != PSDVEC_OK)
                fail_msg("%u: %s", r, t.message[r]);
        assert_same_file(b->alone, b->shared);
    }
    psdvec_context_free(ctx);
}

/* A text with about 20,000 rare words. */
static void write_many_words(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    uint64_t state = 1;
    for (int k = 0; k < 80000; k++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        bool rare = state >> 63;
        put_word(file, rare ? 'r' : 'w', (uint32_t)(state >> 33) % (rare ? 24000 : 1000));
        fputc(k % 1000 == 999 ? '\n' : ' ', file);
    }
    assert_int_equal(fclose(file), 0);
}

/* In the read-out with word order, members other than the leader have the vectors of their words,
 * and those of one other member at a time. */
static void members_read_out_with_vectors_of_their_words(void **state)
{
    bench *b = *state;
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &counting);
    counting.min_count = 1;
    train.dim = 200;
    train.iterations = 1;
    train.core = 600;
    train.spelling = train.inflections = 0;
    char counts[220];
    snprintf(counts, sizeof counts, "%s/counts", b->folder);
    write_many_words(b->files[1]);
    const char *inputs[] = {b->files[1]};
    psdvec_context *ctx;
    psdvec_count_report counted;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    assert_int_equal(psdvec_count(ctx, &counting, inputs, 1, counts, &counted), PSDVEC_OK);
    psdvec_context_free(ctx);
    training one = {.options = &train, .counts = counts, .output = b->alone};
    training t = {.options = &train, .counts = counts, .output = b->shared};
    train_members(&one, 1, UINT64_C(1) << 30);
    train_members(&t, 3, UINT64_C(1) << 30);
    uint64_t sum = 0;
    for (uint32_t r = 0; r < 3; r++) {
        if (t.status[r] != PSDVEC_OK)
            fail_msg("%u: %s", r, t.message[r]);
        assert_true(t.peak[r] < one.peak[0]);
        sum += t.peak[r];
    }
    assert_true(sum < 2 * one.peak[0]); /* it was 2.13 times as much with all vectors */
    assert_same_file(b->alone, b->shared);
}

/* If the counts do not fit, a member writes the columns of its words only to a file: of its rows of
 * the core and of word order, of its part of the regression, and of its turns with blocks of the
 * joint probability. The core of 1,280 words has several tiles. */
static void members_write_the_columns_that_they_read(void **state)
{
    bench *b = *state;
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &counting);
    counting.min_count = 1;
    char counts[220];
    snprintf(counts, sizeof counts, "%s/counts", b->folder);
    const char *inputs[] = {b->files[0], b->files[2]};
    psdvec_context *ctx;
    psdvec_count_report counted;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    assert_int_equal(psdvec_count(ctx, &counting, inputs, 2, counts, &counted), PSDVEC_OK);
    uint64_t all = 8 * counted.bigrams;
    for (int kind = 0; kind < 4; kind++) {
        psdvec_train_options_preset(&train, kind == 2 ? PSDVEC_PRESET_PAPER : PSDVEC_PRESET_DEFAULT,
                                    &counting);
        train.dim = 20;
        train.iterations = 2;
        train.core = kind == 1 ? 1280 : 0;
        if (kind == 3) { /* ends with more dimensions, so the solver's pairs cannot be used */
            train.iterations = 6;
            train.rank_extra = 5;
            train.tolerance = 0.9;
        }
        psdvec_train_plan plan; /* with all pairs in memory, so only columns are in files */
        assert_int_equal(psdvec_train_plan_make(ctx, &train, counts, &plan), PSDVEC_OK);
        assert_int_equal(psdvec_train(ctx, &train, counts, b->alone, NULL), PSDVEC_OK);
        training t = {.options = &train, .counts = counts, .output = b->shared};
        for (uint32_t members = 1; members <= MOST_MEMBERS; members += 2) {
            uint64_t sum = 0;
            train_members(&t, members, plan.memory);
            for (uint32_t r = 0; r < members; r++) {
                if (t.status[r] != PSDVEC_OK)
                    fail_msg("%u: %s", r, t.message[r]);
                uint64_t bytes = t.report[r].spilled_bytes;
                sum += bytes;
                if (members > 1)
                    assert_true(bytes > 0 && bytes < all * 3 / 4);
            }
            assert_true(members > 1 ? sum >= all : sum == all);
            assert_same_file(b->alone, b->shared);
        }
    }
    psdvec_context_free(ctx);
}

static void all_members_fail_with_one_message(void **state)
{
    bench *b = *state;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    const char *there[] = {b->files[0]}, *missing[] = {"/nowhere/text"};
    job list[3];
    for (uint32_t r = 0; r < 3; r++)
        list[r] = (job){.options = &options,
                        .inputs = r == 1 ? missing : there,
                        .input_count = 1,
                        .output = b->shared,
                        .threads = 1,
                        .polls_left = -1};
    run_jobs(list, 3);
    for (uint32_t r = 0; r < 3; r++) {
        assert_int_equal(list[r].status, PSDVEC_ERR_NOT_FOUND);
        assert_non_null(strstr(list[r].message, "/nowhere/text"));
        if (r != 1)
            assert_non_null(strstr(list[r].message, "(process 1 of 3 on here)"));
    }
    assert_int_not_equal(access(b->shared, F_OK), 0);
}

static void different_options_and_inputs_are_refused(void **state)
{
    bench *b = *state;
    psdvec_count_options one, two;
    psdvec_count_options_default(&one);
    psdvec_count_options_default(&two);
    two.window = one.window + 1;
    const char *first[] = {b->files[0]}, *second[] = {b->files[2]};
    for (int kind = 0; kind < 2; kind++) {
        job list[2];
        for (uint32_t r = 0; r < 2; r++)
            list[r] = (job){.options = r && kind == 0 ? &two : &one,
                            .inputs = r && kind == 1 ? second : first,
                            .input_count = 1,
                            .output = b->shared,
                            .threads = 1,
                            .polls_left = -1};
        run_jobs(list, 2);
        for (uint32_t r = 0; r < 2; r++) {
            assert_int_equal(list[r].status, PSDVEC_ERR_MISMATCH);
            assert_non_null(strstr(list[r].message, kind ? "inputs" : "options"));
        }
    }
}

/* At whichever point one member is stopped, or lacks memory, all of them return. */
static void a_member_that_stops_ends_the_call(void **state)
{
    bench *b = *state;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    const char *inputs[] = {b->files[0]};
    int finished = 0;
    for (int polls = 0; polls < 100000 && !finished; polls += 1 + polls / 2) {
        job list[3];
        for (uint32_t r = 0; r < 3; r++)
            list[r] = (job){.options = &options,
                            .inputs = inputs,
                            .input_count = 1,
                            .output = b->shared,
                            .threads = 2,
                            .polls_left = r == (uint32_t)polls % 3 ? polls : -1};
        run_jobs(list, 3);
        finished = list[0].status == PSDVEC_OK;
        for (uint32_t r = 0; r < 3; r++)
            assert_int_equal(list[r].status, finished ? PSDVEC_OK : PSDVEC_ERR_CANCELLED);
        assert_int_equal(access(b->shared, F_OK), finished ? 0 : -1);
    }
    assert_true(finished);
}

/* The same for training, whose exchanges are of other kinds. */
static void a_member_that_stops_ends_the_training(void **state)
{
    bench *b = *state;
    psdvec_count_options counting;
    psdvec_train_options train;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &counting);
    counting.min_count = 2;
    train.dim = 10;
    train.core = 1300;
    train.iterations = 2;
    const char *inputs[] = {b->files[0]};
    int finished = 0;
    for (int polls = 40; polls < 1000000 && !finished; polls += polls * 2 / 3) {
        job list[3];
        for (uint32_t r = 0; r < 3; r++)
            list[r] = (job){.options = &counting,
                            .train = &train,
                            .inputs = inputs,
                            .input_count = 1,
                            .output = b->shared,
                            .threads = 1 + (int)(r % 2),
                            .polls_left = r == (uint32_t)polls % 3 ? polls : -1};
        run_jobs(list, 3);
        finished = list[0].status == PSDVEC_OK;
        for (uint32_t r = 0; r < 3; r++)
            if (list[r].status != (finished ? PSDVEC_OK : PSDVEC_ERR_CANCELLED))
                fail_msg("%u after %d: %s", r, polls, list[r].message);
    }
    assert_true(finished);
}

static void too_little_memory_of_one_member_ends_the_call(void **state)
{
    bench *b = *state;
    psdvec_count_options options;
    psdvec_count_options_default(&options);
    options.min_count = 1;
    const char *inputs[] = {b->files[0], b->files[2]};
    for (uint64_t memory = 1 << 20; memory < 40 << 20; memory += 4 << 20) {
        job list[3];
        for (uint32_t r = 0; r < 3; r++)
            list[r] = (job){.options = &options,
                            .inputs = inputs,
                            .input_count = 2,
                            .output = b->shared,
                            .memory = r == 2 ? memory : UINT64_C(128) << 20,
                            .threads = 1,
                            .polls_left = -1};
        run_jobs(list, 3);
        for (uint32_t r = 0; r < 3; r++)
            if (list[r].status != PSDVEC_OK && list[r].status != PSDVEC_ERR_BUDGET)
                fail_msg("%u: %s", r, list[r].message);
        assert_int_equal(list[0].status, list[2].status);
    }
}

static void divide_by_cost(void *arg, uint32_t rank, psdvec_context *ctx)
{
    static const uint64_t cost[] = {4, 2, 2, 2, 1, 1}, one[] = {5};
    uint32_t *edges = (uint32_t *)arg + (size_t)rank * 8;
    pv_group_begin(ctx);
    pv_share_by_cost(ctx, 6, cost, edges);
    pv_share_by_cost(ctx, 1, one, edges + 4);
    assert_int_equal(pv_group_end(ctx, PSDVEC_OK), PSDVEC_OK);
}

static void blocks_are_divided_by_cost(void **state)
{
    (void)state;
    uint32_t edges[3][8];
    psdvec_context_options options[3];
    for (uint32_t r = 0; r < 3; r++)
        psdvec_context_options_default(&options[r]);
    run_members(3, options, divide_by_cost, edges);
    static const uint32_t expected[] = {0, 1, 3, 6, 0, 0, 1, 1};
    for (uint32_t r = 0; r < 3; r++)
        assert_memory_equal(edges[r], expected, sizeof expected);
}

static int nothing(void *self, const void *const *out, const size_t *out_bytes, void *const *in,
                   const size_t *in_bytes)
{
    (void)self, (void)out, (void)out_bytes, (void)in, (void)in_bytes;
    return 0;
}

static void a_group_must_be_valid(void **state)
{
    (void)state;
    psdvec_context *ctx;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    psdvec_group group = {.size = sizeof group, .rank = 2, .members = 2, .exchange = nothing};
    assert_int_equal(psdvec_context_join(ctx, NULL), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_context_join(ctx, &group), PSDVEC_ERR_OPTION);
    group.rank = 1;
    group.exchange = NULL;
    assert_int_equal(psdvec_context_join(ctx, &group), PSDVEC_ERR_OPTION);
    group.exchange = nothing;
    group.size = 1;
    assert_int_equal(psdvec_context_join(ctx, &group), PSDVEC_ERR_OPTION);
    group.size = sizeof group;
    assert_int_equal(psdvec_context_join(ctx, &group), PSDVEC_OK);
    group = (psdvec_group){.size = sizeof group, .members = 1}; /* needs no function */
    assert_int_equal(psdvec_context_join(ctx, &group), PSDVEC_OK);
    psdvec_context_free(ctx);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_group_writes_the_same_file),
        TEST(documents_may_span_members),
        TEST(one_file_is_divided),
        TEST(members_may_have_little_memory),
        TEST(a_list_of_words_is_shared),
        TEST(phrases_are_found_together),
        TEST(members_solve_the_core_together),
        TEST(members_share_the_regression),
        TEST(members_share_the_read_out),
        TEST(members_add_new_words_together),
        TEST(different_extensions_are_refused),
        TEST(extensions_stay_within_the_memory_of_members),
        TEST(members_extend_with_columns_in_files),
        TEST(members_train_what_does_not_fit_one_process),
        TEST(members_stay_within_the_memory_of_the_plan),
        TEST(members_read_out_with_vectors_of_their_words),
        TEST(members_write_the_columns_that_they_read),
        TEST(all_members_fail_with_one_message),
        TEST(different_options_and_inputs_are_refused),
        TEST(a_member_that_stops_ends_the_call),
        TEST(a_member_that_stops_ends_the_training),
        TEST(too_little_memory_of_one_member_ends_the_call),
        cmocka_unit_test(blocks_are_divided_by_cost),
        cmocka_unit_test(a_group_must_be_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
