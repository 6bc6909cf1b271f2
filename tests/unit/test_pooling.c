/* Pooling of inflected forms, against a reference that compares all pairs of words. */
#include "spelling/endings.h"
#include "spelling/pooling.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Vocabularies ---------------------------------------------------------------------------- */

enum { MOST_WORDS = 1300, DIM = 24 };

typedef struct vocabulary {
    pv_spelling_words words;
    char bytes[MOST_WORDS * 24];
    uint64_t offsets[MOST_WORDS + 1], frequency[MOST_WORDS];
    float r[MOST_WORDS * DIM];
} vocabulary;

static uint32_t add_word(vocabulary *v, const char *word)
{
    uint32_t i = v->words.words++;
    assert_true(i < MOST_WORDS);
    strcpy(v->bytes + v->offsets[i], word);
    v->offsets[i + 1] = v->offsets[i] + strlen(word);
    v->words.bytes = v->bytes;
    v->words.offsets = v->offsets;
    v->frequency[i] = 5000 / (i + 1) + 5;
    return i;
}

static void unit(float *r)
{
    double square = 0;
    for (size_t k = 0; k < DIM; k++)
        square += (double)r[k] * (double)r[k];
    for (size_t k = 0; k < DIM && square > 0; k++)
        r[k] = (float)((double)r[k] / sqrt(square));
}

static double product(const float *a, const float *b)
{
    double sum = 0;
    for (size_t k = 0; k < DIM; k++)
        sum += (double)a[k] * (double)b[k];
    return sum;
}

static const char *const verb_endings[] = {"", "s", "ed", "ing"};
static const char *const noun_endings[] = {"", "s", "'s"};

/* Verbs with four forms and nouns with three, of three random syllables. The vector of a form is that of
 * its stem plus that of its ending, which differs between verbs and nouns, plus noise. */
static vocabulary *english_like(uint32_t verbs, uint32_t nouns, double noise, uint64_t seed)
{
    static const char *const vowels[] = {"a", "e", "i", "o", "\xc3\xbc"};
    vocabulary *v = calloc(1, sizeof *v);
    dice d = {seed};
    float endings[7][DIM], stem[DIM];
    assert_non_null(v);
    for (size_t e = 0; e < 7; e++)
        for (size_t k = 0; k < DIM; k++)
            endings[e][k] = 0.4F * (float)dice_normal(&d);
    for (uint32_t s = 0; s < verbs + nouns; s++) {
        bool verb = s < verbs;
        char text[20], word[24];
        text[0] = '\0';
        for (size_t n = 0; n < 3; n++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%c%s",
                     "bcdfghklmnprstvz"[dice_below(&d, 16)], vowels[dice_below(&d, 5)]);
        strcat(text, "k");
        for (size_t k = 0; k < DIM; k++)
            stem[k] = (float)dice_normal(&d);
        for (size_t e = 0; e < (verb ? 4 : 3); e++) {
            snprintf(word, sizeof word, "%s%s", text, verb ? verb_endings[e] : noun_endings[e]);
            float *r = v->r + (size_t)add_word(v, word) * DIM;
            for (size_t k = 0; k < DIM; k++)
                r[k] = stem[k] + endings[verb ? e : 4 + e][k] + (float)(noise * dice_normal(&d));
            unit(r);
        }
    }
    return v;
}

static const char *word_of(const vocabulary *v, uint32_t i, size_t *length)
{
    *length = (size_t)(v->offsets[i + 1] - v->offsets[i]);
    return v->bytes + v->offsets[i];
}

/* ---- The reference --------------------------------------------------------------------------- */

/* The endings of two words after their common characters; false unless they are productive, and for
 * words with an apostrophe. */
static bool differ(const vocabulary *v, const pv_endings *e, uint32_t a, uint32_t b, uint16_t *x,
                   uint16_t *y)
{
    size_t m, n, k = 0;
    const char *s = word_of(v, a, &m), *t = word_of(v, b, &n);
    if (memchr(s, '\'', m) || memchr(t, '\'', n))
        return false;
    while (k < m && k < n && s[k] == t[k])
        k++;
    while (k > 0 && ((k < m && (s[k] & 0xC0) == 0x80) || (k < n && (t[k] & 0xC0) == 0x80)))
        k--;
    if (pv_characters(s, k) < PV_ENDING_STEM)
        return false;
    *x = pv_endings_find(e, s + k, m - k);
    *y = pv_endings_find(e, t + k, n - k);
    return *x != PV_NO_ENDING && *y != PV_NO_ENDING && e->productive[(size_t)*x * e->count + *y];
}

/* Returns the number of words that change. out: words x DIM. */
static size_t reference(const vocabulary *v, const pv_endings *e, double share, float *out)
{
    uint32_t n = v->words.words;
    size_t changed = 0;
    uint8_t *candidate = calloc((size_t)n * n, 1), *link = calloc((size_t)n * n, 1);
    uint16_t *ending = calloc((size_t)n * n, sizeof *ending); /* of the first word */
    assert_true(candidate && link && ending);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            candidate[a * n + b] = a != b &&
                                   differ(v, e, a, b, &ending[a * n + b], &ending[b * n + a]) &&
                                   product(v->r + (size_t)a * DIM, v->r + (size_t)b * DIM) > 0.2;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            for (uint32_t c = 0; c < n && candidate[a * n + b]; c++)
                link[a * n + b] |= candidate[a * n + c] && candidate[b * n + c];
    struct {
        uint32_t word, form;
    } *list = calloc((size_t)n * n, sizeof *list);
    size_t links_of_all = 0;
    assert_non_null(list);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            if (link[a * n + b]) {
                list[links_of_all].word = a;
                list[links_of_all++].form = b;
            }
    memcpy(out, v->r, n * DIM * sizeof *out);
    for (uint32_t w = 0; w < n; w++) {
        size_t links = 0;
        double mean[DIM], predicted[DIM] = {0}, weight = pow((double)v->frequency[w], 0.25);
        double total = weight, own = 0, mixed = 0;
        for (uint32_t o = 0; o < n; o++)
            links += link[w * n + o];
        if (links < 3)
            continue;
        for (size_t k = 0; k < DIM; k++)
            mean[k] = weight * (double)v->r[w * DIM + k];
        for (uint32_t o = 0; o < n; o++) {
            double shift[DIM] = {0}, all = 0;
            if (!link[w * n + o])
                continue;
            for (size_t l = 0, examples = 0; l < links_of_all && examples < 256; l++) {
                uint32_t q = list[l].word, p = list[l].form;
                if (ending[p * n + q] != ending[o * n + w] ||
                    ending[q * n + p] != ending[w * n + o])
                    continue;
                examples++;
                if (p == o)
                    continue; /* the pair itself */
                double c = pow(fmax(0, product(v->r + (size_t)o * DIM, v->r + (size_t)p * DIM)), 4);
                all += c;
                for (size_t k = 0; k < DIM; k++)
                    shift[k] += c * (double)(v->r[q * DIM + k] - v->r[p * DIM + k]);
            }
            if (all == 0)
                continue;
            weight = pow((double)v->frequency[o], 0.25);
            total += weight;
            for (size_t k = 0; k < DIM; k++) {
                mean[k] += weight * (double)v->r[o * DIM + k];
                predicted[k] += weight * shift[k] / all;
            }
        }
        for (size_t k = 0; k < DIM; k++) {
            double is = (double)v->r[w * DIM + k] - mean[k] / total;
            own += is * is;
            predicted[k] = (1 - share) * is + share * predicted[k] / total;
            mixed += predicted[k] * predicted[k];
        }
        for (size_t k = 0; k < DIM; k++)
            out[w * DIM + k] = (float)(mean[k] / total + sqrt(own / mixed) * predicted[k]);
        unit(out + (size_t)w * DIM);
        changed++;
    }
    free(list);
    free(candidate);
    free(link);
    free(ending);
    return changed;
}

static void learn_endings(psdvec_context *ctx, const vocabulary *v, pv_endings *e)
{
    *e = (pv_endings){.scope = {.ctx = ctx}};
    well(ctx, pv_endings_learn(ctx, &v->words, e));
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void pooled_vectors_are_those_of_the_reference(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        psdvec_context *ctx = context_of(2);
        /* The last time, more verbs than there are examples of the difference of two endings. */
        vocabulary *v = english_like(seed < 3 ? 80 : 280, 40, 0.5, seed);
        double share = 0.3 * (double)seed;
        static float wanted[MOST_WORDS * DIM];
        pv_endings e;
        learn_endings(ctx, v, &e);
        size_t changed = reference(v, &e, share, wanted);
        assert_in_range(changed, 100, v->words.words - 80);
        well(ctx, pv_pool_forms(ctx, share, &v->words, v->frequency, DIM, v->r));
        for (size_t k = 0; k < (size_t)v->words.words * DIM; k++)
            assert_close((double)v->r[k], (double)wanted[k], 1e-5);
        pv_scope_free(&e.scope);
        assert_int_equal(atomic_load(&ctx->memory_used), 0);
        psdvec_context_free(ctx);
        free(v);
    }
}

/* The forms of a word do not come nearer to each other, or they would displace other neighbours. */
static void forms_do_not_move_together(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    vocabulary *v = english_like(200, 0, 0.8, 11);
    double before = 0, after = 0;
    for (uint32_t i = 0; i < v->words.words; i += 4)
        for (uint32_t k = 1; k < 4; k++)
            before += product(v->r + i * DIM, v->r + (i + k) * DIM);
    well(ctx, pv_pool_forms(ctx, 1, &v->words, v->frequency, DIM, v->r));
    for (uint32_t i = 0; i < v->words.words; i += 4)
        for (uint32_t k = 1; k < 4; k++)
            after += product(v->r + i * DIM, v->r + (i + k) * DIM);
    assert_below(after, 1.05 * before); /* of means that keep no length: 1.5 */
    free(v);
    psdvec_context_free(ctx);
}

/* Without noise, the forms of all verbs have the same vectors again; with noise, pooling brings
 * them nearer to those without. */
static void pooling_removes_noise(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    vocabulary *clean = english_like(100, 0, 0, 5), *noisy = english_like(100, 0, 0, 5);
    double before = 0, after = 0;
    dice d = {6};
    uint32_t words = clean->words.words;
    for (uint32_t i = 0; i < words; i++) {
        for (size_t k = 0; k < DIM; k++)
            noisy->r[i * DIM + k] += 0.1F * (float)dice_normal(&d);
        unit(noisy->r + (size_t)i * DIM);
        before += product(noisy->r + (size_t)i * DIM, clean->r + (size_t)i * DIM) / words;
    }
    well(ctx, pv_pool_forms(ctx, 0.5, &noisy->words, noisy->frequency, DIM, noisy->r));
    for (uint32_t i = 0; i < words; i++)
        after += product(noisy->r + (size_t)i * DIM, clean->r + (size_t)i * DIM) / words;
    assert_below(before + 0.02, after);
    free(clean);
    free(noisy);
    psdvec_context_free(ctx);
}

static void words_without_three_forms_do_not_change(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    vocabulary *v = english_like(0, 120, 0.3, 7);
    static float before[MOST_WORDS * DIM];
    memcpy(before, v->r, sizeof before);
    well(ctx, pv_pool_forms(ctx, 0.5, &v->words, v->frequency, DIM, v->r));
    assert_memory_equal(v->r, before, sizeof before);
    free(v);
    psdvec_context_free(ctx);
}

static void a_word_without_a_vector_stays_without_one(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    vocabulary *v = english_like(100, 0, 0.3, 8);
    memset(v->r + 8 * DIM, 0, DIM * sizeof *v->r);
    well(ctx, pv_pool_forms(ctx, 0.5, &v->words, v->frequency, DIM, v->r));
    for (size_t k = 0; k < DIM; k++)
        assert_true(v->r[8 * DIM + k] == 0);
    for (size_t k = 0; k < (size_t)v->words.words * DIM; k++)
        assert_true(isfinite(v->r[k]));
    free(v);
    psdvec_context_free(ctx);
}

static void vocabularies_without_endings_are_accepted(void **state)
{
    (void)state;
    static const char *const few[] = {"a", "b", "\xe4\xb8\xad", "\xe6\x96\x87"};
    psdvec_context *ctx = context_of(2);
    for (uint32_t words = 1; words <= 4; words++) {
        vocabulary *v = calloc(1, sizeof *v);
        assert_non_null(v);
        for (uint32_t i = 0; i < words; i++)
            v->r[add_word(v, few[i]) * DIM] = 1;
        float before[4 * DIM];
        memcpy(before, v->r, sizeof before);
        well(ctx, pv_pool_forms(ctx, 1, &v->words, v->frequency, DIM, v->r));
        assert_memory_equal(v->r, before, sizeof before);
        free(v);
    }
    psdvec_context_free(ctx);
}

static void threads_do_not_change_the_result(void **state)
{
    (void)state;
    vocabulary *first = english_like(140, 0, 0.4, 9);
    psdvec_context *ctx = context_of(1);
    well(ctx, pv_pool_forms(ctx, 0.5, &first->words, first->frequency, DIM, first->r));
    psdvec_context_free(ctx);
    for (int threads = 2; threads <= 5; threads++) {
        vocabulary *v = english_like(140, 0, 0.4, 9);
        ctx = context_of(threads);
        well(ctx, pv_pool_forms(ctx, 0.5, &v->words, v->frequency, DIM, v->r));
        assert_memory_equal(v->r, first->r, sizeof v->r);
        psdvec_context_free(ctx);
        free(v);
    }
    free(first);
}

static void it_needs_no_more_memory_than_announced(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        vocabulary *v = english_like(140, 0, 0.4, 10);
        psdvec_context *ctx = context_of(threads);
        well(ctx, pv_pool_forms(ctx, 0.5, &v->words, v->frequency, DIM, v->r));
        assert_in_range(atomic_load(&ctx->memory_peak), 1,
                        pv_pool_forms_bytes(v->words.words, DIM, threads) + 4096);
        psdvec_context_free(ctx);
        free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pooled_vectors_are_those_of_the_reference),
        cmocka_unit_test(pooling_removes_noise),
        cmocka_unit_test(forms_do_not_move_together),
        cmocka_unit_test(words_without_three_forms_do_not_change),
        cmocka_unit_test(a_word_without_a_vector_stays_without_one),
        cmocka_unit_test(vocabularies_without_endings_are_accepted),
        cmocka_unit_test(threads_do_not_change_the_result),
        cmocka_unit_test(it_needs_no_more_memory_than_announced),
    };
    return cmocka_run_group_tests_name("pooling", tests, NULL, NULL);
}
