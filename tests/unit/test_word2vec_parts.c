/* The parts of word2vec: kernels, noise, windows, phases. */
#include "base/memory.h"
#include "baseline/noise.h"
#include "baseline/strata.h"
#include "baseline/word2vec.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- A group of pairs ------------------------------------------------------------------------ */

enum { ROWS = 40 };
static const double rate = 0.1;

/* Two matrices and a group, with a copy in double precision. */
typedef struct play {
    pv_sgns_space space;
    pv_sgns_group group;
    float *f, *scratch, *e;
    size_t dim;
    double *in, *out; /* ROWS x stride, before the step */
} play;

static float *aligned(size_t numbers)
{
    float *block = aligned_alloc(64, (numbers * sizeof(float) + 63) / 64 * 64);
    assert_non_null(block);
    memset(block, 0, numbers * sizeof(float));
    return block;
}

static play play_new(uint64_t seed, size_t dim, uint32_t pairs, uint32_t negative, bool twice)
{
    dice d = {seed};
    size_t stride = pv_sgns_stride(dim), width = pv_sgns_width(negative);
    play p = {.dim = dim, .space = {.stride = stride, .negative = negative, .width = width}};
    p.space.in = aligned(ROWS * stride);
    p.space.out = aligned(ROWS * stride);
    p.f = aligned(PV_SGNS_GROUP * width);
    p.scratch = aligned(PV_SGNS_GROUP * stride);
    p.e = aligned(ROWS * stride);
    p.in = calloc(ROWS * stride, sizeof *p.in);
    p.out = calloc(ROWS * stride, sizeof *p.out);
    p.group.slot = calloc(width, sizeof *p.group.slot);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < dim; k++) {
            p.in[i * stride + k] = p.space.in[i * stride + k] = (float)(dice_unit(&d) - 0.5);
            p.out[i * stride + k] = p.space.out[i * stride + k] = (float)(dice_unit(&d) - 0.5);
        }
    /* Without `twice`, no row occurs in the group more than once, but noise 1 is a seen word. */
    p.group.pairs = pairs;
    for (uint32_t i = 0; i < pairs; i++) {
        p.group.in[i] = twice ? (uint32_t)dice_below(&d, 3) : i;
        p.group.target[i] = twice ? (uint32_t)dice_below(&d, 3) : ROWS - 1 - i;
    }
    for (size_t s = 0; s < width; s++)
        p.group.slot[s] = s == 0 || s > negative ? PV_SGNS_NOBODY
                          : twice                ? (uint32_t)dice_below(&d, 5)
                                                 : (uint32_t)s - 1;
    return p;
}

static void play_free(play *p)
{
    free(p->space.in);
    free(p->space.out);
    free(p->f);
    free(p->scratch);
    free(p->e);
    free(p->in);
    free(p->out);
    free(p->group.slot);
}

static uint32_t row_of(const play *p, uint32_t i, uint32_t s)
{
    return s == 0 ? p->group.target[i] : p->group.slot[s];
}

static double logit(const play *p, uint32_t i, uint32_t s)
{
    double sum = 0;
    for (size_t k = 0; k < p->dim; k++)
        sum += p->in[p->group.in[i] * p->space.stride + k] *
               p->out[row_of(p, i, s) * p->space.stride + k];
    return sum;
}

/* The derivative of the log likelihood with respect to the logit, times the rate. */
static double slope(const play *p, uint32_t i, uint32_t s)
{
    if (s > 0 && p->group.slot[s] == p->group.target[i])
        return 0;
    return rate * ((s == 0) - 1 / (1 + exp(-logit(p, i, s))));
}

static void step(play *p, const pv_sgns_kernels *kernels)
{
    kernels->logits(&p->space, &p->group, &p->group, p->f);
    kernels->slopes(&p->space, &p->group, (float)rate, p->f);
    kernels->update(&p->space, &p->group, p->f, p->scratch);
}

static void compare_step(play *p, const pv_sgns_kernels *kernels)
{
    size_t stride = p->space.stride, width = p->space.width;
    uint32_t negative = p->space.negative, pairs = p->group.pairs;
    kernels->logits(&p->space, &p->group, &p->group, p->f);
    double loss = 0;
    for (uint32_t i = 0; i < pairs; i++)
        for (uint32_t s = 0; s <= negative; s++) {
            double f = logit(p, i, s);
            assert_close(p->f[i * width + s], f, 1e-4);
            if (s == 0 || p->group.slot[s] != p->group.target[i])
                loss -= log(1 / (1 + exp(s == 0 ? -f : f)));
        }
    assert_close(pv_sgns_loss(&p->space, &p->group, p->f), loss, 1e-3 * loss);
    kernels->slopes(&p->space, &p->group, (float)rate, p->f);
    for (uint32_t i = 0; i < pairs; i++)
        for (uint32_t s = 0; s <= negative; s++)
            assert_close(p->f[i * width + s], slope(p, i, s), 1e-5);
    kernels->errors(&p->space, &p->group, p->f, p->e);
    kernels->update(&p->space, &p->group, p->f, p->scratch);
    double *in = calloc(ROWS * stride, sizeof *in), *out = calloc(ROWS * stride, sizeof *out);
    memcpy(in, p->in, ROWS * stride * sizeof *in);
    memcpy(out, p->out, ROWS * stride * sizeof *out);
    for (uint32_t i = 0; i < pairs; i++)
        for (uint32_t s = 0; s <= negative; s++)
            for (size_t k = 0; k < p->dim; k++) {
                size_t x = p->group.in[i] * stride + k, y = row_of(p, i, s) * stride + k;
                in[x] += slope(p, i, s) * p->out[y];
                out[y] += slope(p, i, s) * p->in[x];
            }
    for (size_t k = 0; k < ROWS * stride; k++) {
        assert_close(p->space.in[k], in[k], 1e-5);
        assert_close(p->space.out[k], out[k], 1e-5);
    }
    for (uint32_t i = 0; i < pairs; i++)
        for (size_t k = 0; k < stride; k++) {
            size_t x = p->group.in[i] * stride + k;
            assert_close(p->e[x], in[x] - p->in[x], 1e-5);
        }
    free(in);
    free(out);
}

static const size_t dims[] = {1, 20, 64, 300};
static const uint32_t noises[] = {1, 2, 4, 5, 6, 7, 13, 20};

static void a_step_of_a_group_follows_the_gradient(void **state)
{
    (void)state;
    const pv_sgns_kernels *both[] = {&pv_sgns_kernels_plain, pv_sgns_kernels_best()};
    for (size_t b = 0; b < 2; b++)
        for (size_t k = 0; k < sizeof dims / sizeof *dims; k++)
            for (size_t n = 0; n < sizeof noises / sizeof *noises; n++)
                for (uint32_t pairs = 1; pairs <= PV_SGNS_GROUP; pairs += 1 + pairs / 3) {
                    play p = play_new(k + 10 * n, dims[k], pairs, noises[n], false);
                    compare_step(&p, both[b]);
                    play_free(&p);
                }
}

static void noise_equal_to_the_target_is_skipped(void **state)
{
    (void)state;
    play p = play_new(1, 30, 3, 5, false);
    p.group.slot[2] = p.group.target[1];
    compare_step(&p, pv_sgns_kernels_best());
    play_free(&p);
}

static void both_kinds_of_kernels_agree_for_duplicate_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint32_t negative = noises[seed % 8], pairs = 1 + (uint32_t)seed % PV_SGNS_GROUP;
        play a = play_new(seed, 40, pairs, negative, true);
        play b = play_new(seed, 40, pairs, negative, true);
        step(&a, &pv_sgns_kernels_plain);
        step(&b, pv_sgns_kernels_best());
        for (size_t k = 0; k < ROWS * a.space.stride; k++) {
            assert_close(a.space.in[k], b.space.in[k], 1e-5);
            assert_close(a.space.out[k], b.space.out[k], 1e-5);
        }
        play_free(&a);
        play_free(&b);
    }
}

static void padding_stays_zero(void **state)
{
    (void)state;
    play p = play_new(3, 20, 8, 5, false);
    step(&p, pv_sgns_kernels_best());
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 20; k < p.space.stride; k++) {
            assert_true(p.space.in[i * p.space.stride + k] == 0);
            assert_true(p.space.out[i * p.space.stride + k] == 0);
        }
    play_free(&p);
}

static void sums_of_rows_are_as_in_plain_arithmetic(void **state)
{
    (void)state;
    const pv_sgns_kernels *both[] = {&pv_sgns_kernels_plain, pv_sgns_kernels_best()};
    for (size_t b = 0; b < 2; b++) {
        play p = play_new(4, 50, 8, 5, false);
        size_t stride = p.space.stride;
        float *y = aligned(stride);
        const uint32_t rows[] = {7, 3, 7, 12};
        const float factor[] = {0.5f, 9, -2, 9, 3};
        both[b]->sum(p.space.in, rows, 4, 0.25f, stride, false, y);
        both[b]->sum(p.space.in, rows, 2, 2, stride, true, y);
        both[b]->add(-1, p.space.in + 5 * stride, stride, y);
        both[b]->add_rows(factor, 2, p.space.in + 8 * stride, 3, stride, y);
        for (size_t k = 0; k < stride; k++) {
            const double *x = p.in + k;
            double wanted = 0.25 * (2 * x[7 * stride] + x[3 * stride] + x[12 * stride]) +
                            2 * (x[7 * stride] + x[3 * stride]) - x[5 * stride] +
                            0.5 * x[8 * stride] - 2 * x[9 * stride] + 3 * x[10 * stride];
            assert_close(y[k], wanted, 1e-5);
        }
        free(y);
        play_free(&p);
    }
}

static void the_sigmoid_is_exact_to_single_precision(void **state)
{
    (void)state;
    for (double f = -40; f <= 40; f += 0.01)
        assert_close(pv_sgns_sigmoid((float)f), 1 / (1 + exp(-(double)(float)f)), 2e-7);
    assert_true(pv_sgns_sigmoid(INFINITY) > 0.999f && pv_sgns_sigmoid(-INFINITY) < 0.001f);
}

/* ---- Noise ----------------------------------------------------------------------------------- */

static void words_are_drawn_by_their_weights(void **state)
{
    (void)state;
    enum { WORDS = 500, DRAWS = 2000000 };
    double weight[WORDS], share[WORDS], total = 0;
    uint32_t members[WORDS], queue[WORDS], count = 0;
    pv_noise_cell cells[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        weight[i] = i % 10 == 3 ? 0 : pow(1.0 + i, -0.75);
    for (uint32_t i = 0; i < WORDS; i += 2) /* a block: every other word */
        members[count++] = i;
    members[count++] = 3; /* with weight 0 */
    for (uint32_t k = 0; k < count; k++)
        total += weight[members[k]];
    pv_noise noise;
    pv_noise_make(&noise, members, count, weight, cells, share, queue);
    pv_random_stream stream = {42};
    uint32_t *drawn = calloc(WORDS, sizeof *drawn);
    for (int k = 0; k < DRAWS; k++)
        drawn[pv_noise_draw(&noise, &stream)]++;
    for (uint32_t i = 0; i < WORDS; i++) {
        double wanted = i % 2 == 0 ? DRAWS * weight[i] / total : 0;
        assert_close(drawn[i], wanted, 5 * sqrt(wanted));
    }
    free(drawn);
}

static void one_word_is_always_drawn_and_an_empty_set_is_reported(void **state)
{
    (void)state;
    double weight[2] = {0, 3}, share[2];
    uint32_t members[2] = {0, 1}, queue[2];
    pv_noise_cell cells[2];
    pv_noise noise;
    pv_random_stream stream = {1};
    pv_noise_make(&noise, members, 2, weight, cells, share, queue);
    for (int k = 0; k < 1000; k++)
        assert_int_equal(pv_noise_draw(&noise, &stream), 1);
    pv_noise_make(&noise, members, 1, weight, cells, share, queue);
    assert_int_equal(noise.count, 0);
}

/* ---- Windows --------------------------------------------------------------------------------- */

enum { TEXT_WORDS = 50, TEXT_TOKENS = 400000 };

/* The frequency of word i is proportional to 1 / (i + 1); documents have different lengths, some
 * are empty. */
static uint32_t *make_ids(size_t *length, uint64_t *frequency)
{
    dice d = {11};
    uint32_t *ids = malloc((TEXT_TOKENS + 2000) * sizeof *ids);
    size_t n = 0;
    memset(frequency, 0, TEXT_WORDS * sizeof *frequency);
    ids[n++] = PV_BORDER;
    for (size_t k = 0, left = 5000; k < TEXT_TOKENS; k++, left--) {
        if (left == 0) {
            ids[n++] = PV_BORDER;
            left = 1 + dice_below(&d, 600);
            if (left % 7 == 0)
                ids[n++] = PV_BORDER;
        }
        uint32_t id = (uint32_t)(exp(dice_unit(&d) * log(TEXT_WORDS + 1)) - 1);
        id = id < TEXT_WORDS ? id : TEXT_WORDS - 1;
        frequency[id]++;
        ids[n++] = id;
    }
    ids[n++] = PV_BORDER;
    *length = n;
    return ids;
}

static void words_and_windows_are_sampled_as_requested(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    enum { WINDOW = 5, EPOCHS = 3 };
    static const double subsample = 0.01;
    uint64_t frequency[TEXT_WORDS], kept[TEXT_WORDS] = {0}, reach[WINDOW + 1] = {0}, all = 0;
    size_t length;
    uint32_t *ids = make_ids(&length, frequency);
    pv_w2v_text text;
    well(ctx, pv_w2v_text_open(&text, ctx, ids, length, frequency, TEXT_WORDS, WINDOW, subsample,
                               EPOCHS));
    uint64_t words = 0;
    for (uint32_t epoch = 0; epoch < EPOCHS; epoch++)
        for (size_t chunk = 0; chunk < text.chunks; chunk++) {
            words += pv_w2v_chunk_words(&text, chunk);
            for (size_t k = 0; k < pv_w2v_chunk_size(&text, chunk); k++) {
                pv_w2v_draw(&text, epoch, chunk, k);
                const uint32_t *row = text.kept + k * PV_W2V_CAPACITY;
                uint32_t n = text.kept_count[k], sentence = 0;
                assert_true(n <= PV_W2V_CAPACITY);
                assert_true(row[0] == PV_BORDER && row[n - 1] == PV_BORDER);
                for (uint32_t i = 0; i < n; i++) {
                    sentence = row[i] == PV_BORDER ? 0 : sentence + 1;
                    assert_true(sentence <= PV_W2V_SENTENCE);
                    if (row[i] == PV_BORDER)
                        continue;
                    assert_true(row[i] < TEXT_WORDS);
                    kept[row[i]]++;
                    reach[text.reach[k * PV_W2V_CAPACITY + i]]++;
                    all++;
                }
            }
        }
    assert_int_equal(words, (uint64_t)EPOCHS * TEXT_TOKENS);
    for (uint32_t i = 0; i < TEXT_WORDS; i++) {
        double ratio = subsample * TEXT_TOKENS / (double)frequency[i];
        double p = fmin(1, sqrt(ratio) + ratio), n = EPOCHS * (double)frequency[i];
        assert_close((double)kept[i], n * p, 5 * sqrt(n * p * (1 - p)) + 1e-6 * n);
    }
    assert_int_equal(reach[0], 0);
    for (uint32_t r = 1; r <= WINDOW; r++)
        assert_close((double)reach[r], (double)all / WINDOW, 5 * sqrt((double)all / WINDOW));
    pv_w2v_text_close(&text);
    free(ids);
    psdvec_context_free(ctx);
}

static void epochs_differ_and_are_reproducible(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    uint64_t frequency[TEXT_WORDS];
    size_t length;
    uint32_t *ids = make_ids(&length, frequency), first[PV_W2V_CAPACITY];
    pv_w2v_text text;
    well(ctx, pv_w2v_text_open(&text, ctx, ids, length, frequency, TEXT_WORDS, 5, 0.01, 2));
    pv_w2v_draw(&text, 0, 0, 0);
    memcpy(first, text.kept, sizeof first);
    uint32_t count = text.kept_count[0];
    pv_w2v_draw(&text, 1, 0, 0);
    assert_true(text.kept_count[0] != count || memcmp(first, text.kept, count * sizeof *first));
    pv_w2v_draw(&text, 0, 0, 0);
    assert_int_equal(text.kept_count[0], count);
    assert_memory_equal(first, text.kept, count * sizeof *first);
    pv_w2v_text_close(&text);
    free(ids);
    psdvec_context_free(ctx);
}

static void without_subsampling_every_word_is_kept(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    enum { LENGTH = 2500 };
    uint32_t ids[LENGTH];
    uint64_t frequency[1] = {LENGTH};
    memset(ids, 0, sizeof ids);
    pv_w2v_text text;
    well(ctx, pv_w2v_text_open(&text, ctx, ids, LENGTH, frequency, 1, 1, 0, 1));
    assert_int_equal(text.segments, 2);
    size_t words = 0, borders = 0;
    for (size_t chunk = 0; chunk < text.chunks; chunk++)
        for (size_t k = 0; k < pv_w2v_chunk_size(&text, chunk); k++) {
            pv_w2v_draw(&text, 0, chunk, k);
            for (uint32_t i = 0; i < text.kept_count[k]; i++)
                *(text.kept[k * PV_W2V_CAPACITY + i] == PV_BORDER ? &borders : &words) += 1;
        }
    assert_int_equal(words, LENGTH);
    assert_int_equal(borders, 4 + 2); /* 1000 + 1000 + 48 words, then 452 */
    pv_w2v_text_close(&text);
    psdvec_context_free(ctx);
}

/* ---- Phases ---------------------------------------------------------------------------------- */

typedef struct ledger {
    psdvec_context *ctx;
    const uint64_t *starts;
    atomic_ullong done;
    atomic_int wrong;
    atomic_uchar seen[4096];
    size_t fail_at;
} ledger;

static psdvec_status note_task(void *arg, size_t phase, size_t task, int worker)
{
    ledger *l = arg;
    (void)worker;
    if (phase == l->fail_at)
        return pv_fail(l->ctx, PSDVEC_ERR_INTERNAL, "as wanted");
    if (atomic_load(&l->done) < l->starts[phase])
        atomic_fetch_add(&l->wrong, 1);
    atomic_fetch_add(&l->seen[l->starts[phase] + task], 1);
    atomic_fetch_add(&l->done, 1);
    return PSDVEC_OK;
}

static void a_phase_begins_after_the_previous_phases(void **state)
{
    (void)state;
    enum { PHASES = 300 };
    uint64_t starts[PHASES + 1] = {0};
    for (size_t k = 0; k < PHASES; k++)
        starts[k + 1] = starts[k] + k % 14; /* some have no task */
    for (int threads = 1; threads <= 7; threads += 2) {
        ledger *l = calloc(1, sizeof *l);
        l->ctx = context_of(threads);
        l->starts = starts;
        l->fail_at = SIZE_MAX;
        well(l->ctx, pv_phases_run(l->ctx, PHASES, starts, note_task, l));
        assert_int_equal(l->wrong, 0);
        for (uint64_t k = 0; k < starts[PHASES]; k++)
            assert_int_equal(l->seen[k], 1);
        psdvec_context_free(l->ctx);
        free(l);
    }
}

static void a_failure_ends_all_phases(void **state)
{
    (void)state;
    const uint64_t starts[] = {0, 5, 9, 30};
    for (int threads = 1; threads <= 3; threads += 2) {
        ledger *l = calloc(1, sizeof *l);
        l->ctx = context_of(threads);
        l->starts = starts;
        l->fail_at = 1;
        assert_int_equal(pv_phases_run(l->ctx, 3, starts, note_task, l), PSDVEC_ERR_INTERNAL);
        for (uint64_t k = 9; k < 30; k++)
            assert_int_equal(l->seen[k], 0);
        psdvec_context_free(l->ctx);
        free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_of_a_group_follows_the_gradient),
        cmocka_unit_test(noise_equal_to_the_target_is_skipped),
        cmocka_unit_test(both_kinds_of_kernels_agree_for_duplicate_rows),
        cmocka_unit_test(padding_stays_zero),
        cmocka_unit_test(sums_of_rows_are_as_in_plain_arithmetic),
        cmocka_unit_test(the_sigmoid_is_exact_to_single_precision),
        cmocka_unit_test(words_are_drawn_by_their_weights),
        cmocka_unit_test(one_word_is_always_drawn_and_an_empty_set_is_reported),
        cmocka_unit_test(words_and_windows_are_sampled_as_requested),
        cmocka_unit_test(epochs_differ_and_are_reproducible),
        cmocka_unit_test(without_subsampling_every_word_is_kept),
        cmocka_unit_test(a_phase_begins_after_the_previous_phases),
        cmocka_unit_test(a_failure_ends_all_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
