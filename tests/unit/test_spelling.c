/* Spelling vectors against a dense solution of the same regression without merging, blocks or
 * quantisation; and invalid tables. */
#include "spelling/parts.h"
#include "spelling/spelling.h"
#include "support/problem.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Vocabularies ---------------------------------------------------------------------------- */

enum { MOST_WORDS = 200, MOST_DIM = 70 };

typedef struct vocabulary {
    pv_spelling_words words;
    uint32_t dim;
    char bytes[MOST_WORDS * 40];
    uint64_t offsets[MOST_WORDS + 1], counts[MOST_WORDS];
    float u[MOST_WORDS * MOST_DIM];
} vocabulary;

static void add_word(vocabulary *v, const char *word, size_t length)
{
    uint32_t i = v->words.words++;
    assert_true(i < MOST_WORDS && v->offsets[i] + length <= sizeof v->bytes);
    memcpy(v->bytes + v->offsets[i], word, length);
    v->offsets[i + 1] = v->offsets[i] + length;
    v->words.bytes = v->bytes;
    v->words.offsets = v->offsets;
}

static void random_numbers(vocabulary *v, uint32_t dim, uint64_t seed)
{
    dice d = {seed};
    v->dim = dim;
    for (uint32_t i = 0; i < v->words.words; i++) {
        v->counts[i] = 1 + (uint64_t)(2000 / (1 + i)) + dice_below(&d, 5);
        for (uint32_t k = 0; k < dim; k++)
            v->u[i * dim + k] = (float)(dice_unit(&d) - 0.5);
    }
}

/* Words of syllables, some of them with two-byte letters. */
static vocabulary *random_vocabulary(uint32_t words, uint32_t dim, uint64_t seed)
{
    static const char *const syllables[] = {"ba", "ne", "lo", "t\xc3\xbc", "str", "ing", "er", "o"};
    dice d = {seed};
    vocabulary *v = calloc(1, sizeof *v);
    assert_non_null(v);
    for (uint32_t i = 0; i < words; i++) {
        char word[40] = "";
        for (size_t n = 1 + dice_below(&d, 4); n > 0; n--)
            strcat(word, syllables[dice_below(&d, 8)]);
        add_word(v, word, strlen(word));
    }
    random_numbers(v, dim, seed + 1);
    return v;
}

static vocabulary *vocabulary_of(const char *const *words, uint32_t dim)
{
    vocabulary *v = calloc(1, sizeof *v);
    assert_non_null(v);
    for (; *words; words++)
        add_word(v, *words, strlen(*words));
    random_numbers(v, dim, 5);
    return v;
}

static pv_spelling_options exact_options(void)
{
    pv_spelling_options o;
    pv_spelling_options_default(&o);
    o.shortest = 3;
    o.longest = 5;
    o.tolerance = 1e-4;
    o.steps = 400;
    return o;
}

static pv_spelling *learn(psdvec_context *ctx, const pv_spelling_options *o, const vocabulary *v)
{
    pv_spelling *s;
    well(ctx, pv_spelling_learn(ctx, o, &v->words, v->u, v->dim, v->counts, &s));
    return s;
}

/* ---- The reference --------------------------------------------------------------------------- */

enum { MOST_FEATURES = 3000 };

typedef struct feature {
    char text[32];
    uint32_t words;
} feature;

typedef struct reference {
    size_t features;
    feature feature[MOST_FEATURES];
    double *F; /* words x features */
    double *s; /* words x dim */
} reference;

static bool has(const reference *r, const vocabulary *v, size_t i, size_t g)
{
    char marked[64];
    int length = (int)(v->offsets[i + 1] - v->offsets[i]);
    snprintf(marked, sizeof marked, "\002%.*s\003", length, v->bytes + v->offsets[i]);
    return strstr(marked, r->feature[g].text) != NULL;
}

static void add_feature(reference *r, const char *text, size_t length)
{
    for (size_t g = 0; g < r->features; g++)
        if (strlen(r->feature[g].text) == length && !memcmp(r->feature[g].text, text, length))
            return;
    assert_true(r->features < MOST_FEATURES && length < sizeof r->feature[0].text);
    memcpy(r->feature[r->features++].text, text, length);
}

/* All sequences of the right number of code points, at any position. */
static void find_features(reference *r, const vocabulary *v, const pv_spelling_options *o)
{
    for (size_t i = 0; i < v->words.words; i++) {
        char m[64];
        int length = (int)(v->offsets[i + 1] - v->offsets[i]);
        snprintf(m, sizeof m, "\002%.*s\003", length, v->bytes + v->offsets[i]);
        for (size_t from = 0; m[from]; from++)
            for (size_t to = from + 1; to <= strlen(m); to++) {
                size_t characters = 0;
                for (size_t b = from; b < to; b++)
                    characters += (m[b] & 0xC0) != 0x80;
                if ((m[from] & 0xC0) != 0x80 && (m[to] & 0xC0) != 0x80 &&
                    characters >= o->shortest && characters <= o->longest)
                    add_feature(r, m + from, to - from);
            }
    }
    size_t kept = 0;
    for (size_t g = 0; g < r->features; g++) {
        for (size_t i = 0; i < v->words.words; i++)
            r->feature[g].words += has(r, v, i, g);
        if (r->feature[g].words >= o->least_words)
            r->feature[kept++] = r->feature[g];
    }
    r->features = kept;
}

/* Solves A x = b for each column of b, A positive definite; overwrites both, x is in b. */
static void solve_dense(size_t n, double *A, size_t columns, double *b)
{
    for (size_t p = 0; p < n; p++)
        for (size_t i = p + 1; i < n; i++) {
            double factor = A[i * n + p] / A[p * n + p];
            if (factor == 0)
                continue;
            for (size_t k = p; k < n; k++)
                A[i * n + k] -= factor * A[p * n + k];
            for (size_t k = 0; k < columns; k++)
                b[i * columns + k] -= factor * b[p * columns + k];
        }
    for (size_t p = n; p-- > 0;)
        for (size_t k = 0; k < columns; k++) {
            double sum = b[p * columns + k];
            for (size_t i = p + 1; i < n; i++)
                sum -= A[p * n + i] * b[i * columns + k];
            b[p * columns + k] = sum / A[p * n + p];
        }
}

static int ascending_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* (F' W F + lambda I) t = F' W u, one row of t for every n-gram, none merged; s = F t. */
static reference *reference_solve(const vocabulary *v, const pv_spelling_options *o)
{
    reference *r = calloc(1, sizeof *r);
    assert_non_null(r);
    find_features(r, v, o);
    size_t n = v->words.words, G = r->features, dim = v->dim;
    double *A = calloc(G * G + 1, sizeof *A), *t = calloc(G * dim + 1, sizeof *t);
    r->F = calloc(n * G + 1, sizeof *r->F);
    r->s = calloc(n * dim + 1, sizeof *r->s);
    assert_true(A && t && r->F && r->s);
    uint64_t sorted[MOST_WORDS];
    memcpy(sorted, v->counts, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending_counts);
    double median = (double)(sorted[n / 2] + sorted[(n - 1) / 2]) / 2;
    for (size_t g = 0; g < G; g++)
        A[g * G + g] = o->lambda / (r->feature[g].text[0] == '\002' ? o->begin_freedom : 1);
    for (size_t i = 0; i < n; i++) {
        double weight = pow((double)v->counts[i] / median, o->weight_power), number = 0;
        weight = fmin(fmax(weight, 0.2), 20);
        for (size_t g = 0; g < G; g++)
            number += r->F[i * G + g] = has(r, v, i, g);
        for (size_t g = 0; g < G; g++)
            r->F[i * G + g] /= number > 0 ? sqrt(number) : 1;
        for (size_t g = 0; g < G; g++) {
            double f = weight * r->F[i * G + g];
            if (f == 0)
                continue;
            for (size_t h = 0; h < G; h++)
                A[g * G + h] += f * r->F[i * G + h];
            for (size_t k = 0; k < dim; k++)
                t[g * dim + k] += f * (double)v->u[i * dim + k];
        }
    }
    solve_dense(G, A, dim, t);
    for (size_t i = 0; i < n; i++)
        for (size_t g = 0; g < G; g++)
            for (size_t k = 0; k < dim; k++)
                r->s[i * dim + k] += r->F[i * G + g] * t[g * dim + k];
    free(A);
    free(t);
    return r;
}

static void reference_free(reference *r)
{
    free(r->F);
    free(r->s);
    free(r);
}

/* The root mean square of the difference, relative to the expected values. */
static double distance(const pv_spelling *s, const vocabulary *v, const double *expected)
{
    double off = 0, all = 0;
    float vector[MOST_DIM];
    for (size_t i = 0; i < v->words.words; i++) {
        pv_spelling_vector(s, v->bytes + v->offsets[i], v->offsets[i + 1] - v->offsets[i], vector);
        for (size_t k = 0; k < v->dim; k++) {
            double e = expected[i * v->dim + k], d = (double)vector[k] - e;
            off += d * d;
            all += e * e;
        }
    }
    return sqrt(off / all);
}

/* ---- Learning -------------------------------------------------------------------------------- */

static void the_vectors_are_those_of_the_dense_solution(void **state)
{
    workshop *w = *state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        static const uint32_t dims[] = {5, 32, 41};
        vocabulary *v = random_vocabulary(120, dims[seed - 1], seed);
        pv_spelling_options o = exact_options();
        o.lambda = seed == 2 ? 0.1 : 3;
        o.least_words = seed == 3 ? 1 : 2;
        reference *r = reference_solve(v, &o);
        pv_spelling *s = learn(w->ctx, &o, v);
        assert_below(distance(s, v, r->s), 0.01);
        pv_spelling_free(s);
        reference_free(r);
        free(v);
    }
}

/* Plain gradient descent would need hundreds. */
static void twenty_steps_suffice(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(150, 10, 11);
    pv_spelling_options o = exact_options();
    o.lambda = 0.3;
    o.steps = 20;
    reference *r = reference_solve(v, &o);
    pv_spelling *s = learn(w->ctx, &o, v);
    assert_below(distance(s, v, r->s), 0.01);
    pv_spelling_free(s);
    reference_free(r);
    free(v);
}

/* A large vocabulary has n-grams in very many words, and is as badly conditioned as a small one
 * with a small penalty. */
static void as_many_steps_are_taken_as_are_needed(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(150, 10, 11);
    pv_spelling_options o, defaults;
    pv_spelling_options_default(&defaults);
    o = exact_options();
    o.lambda = 1e-3;
    o.tolerance = defaults.tolerance;
    o.steps = defaults.steps;
    reference *r = reference_solve(v, &o);
    pv_spelling *s = learn(w->ctx, &o, v);
    assert_below(distance(s, v, r->s), 0.02);
    pv_spelling_free(s);
    o.steps = 20;
    s = learn(w->ctx, &o, v);
    assert_below(0.1, distance(s, v, r->s));
    pv_spelling_free(s);
    reference_free(r);
    free(v);
}

static void frequent_words_have_more_weight(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(80, 8, 4);
    pv_spelling_options o = exact_options();
    o.weight_power = 0;
    reference *r = reference_solve(v, &o);
    pv_spelling *s;
    well(w->ctx, pv_spelling_learn(w->ctx, &o, &v->words, v->u, v->dim, NULL, &s));
    assert_below(distance(s, v, r->s), 0.01);
    pv_spelling_free(s);
    o.weight_power = 1;
    s = learn(w->ctx, &o, v);
    assert_below(0.05, distance(s, v, r->s));
    pv_spelling_free(s);
    reference_free(r);
    free(v);
}

/* The number of the n-gram in the table, or UINT32_MAX. */
static uint32_t place(const pv_spelling_table *t, const char *text)
{
    for (uint32_t g = 0; g < t->ngrams; g++)
        if (t->offsets[g + 1] - t->offsets[g] == strlen(text) &&
            memcmp(t->bytes + t->offsets[g], text, strlen(text)) == 0)
            return g;
    return UINT32_MAX;
}

static void n_grams_of_the_same_words_share_a_row(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(120, 3, 1);
    pv_spelling_options o = exact_options();
    reference *r = reference_solve(v, &o);
    pv_spelling *s = learn(w->ctx, &o, v);
    const pv_spelling_table *t = pv_spelling_get(s);
    uint64_t members = 0;
    for (uint32_t g = 0; g < t->ngrams; g++)
        members += t->members[g];
    assert_int_equal(members, r->features);
    assert_true(t->ngrams < r->features);
    for (size_t g = 0; g < r->features; g++) {
        /* Its representative by the rule: of the n-grams in the same words the shortest, then the
         * first. */
        const char *holder = r->feature[g].text;
        uint32_t same = 0;
        for (size_t h = 0; h < r->features; h++) {
            bool equal = true;
            for (size_t i = 0; i < v->words.words; i++)
                equal &= has(r, v, i, g) == has(r, v, i, h);
            if (!equal)
                continue;
            const char *text = r->feature[h].text;
            size_t a = strlen(text), b = strlen(holder);
            same++;
            if (a < b || (a == b && strcmp(text, holder) < 0))
                holder = text;
        }
        uint32_t at = place(t, holder);
        assert_int_not_equal(at, UINT32_MAX);
        assert_int_equal(t->members[at], same);
        if (holder != r->feature[g].text)
            assert_int_equal(place(t, r->feature[g].text), UINT32_MAX);
    }
    pv_spelling_free(s);
    reference_free(r);
    free(v);
}

static void assert_same_table(const pv_spelling_table *a, const pv_spelling_table *b)
{
    assert_int_equal(a->ngrams, b->ngrams);
    assert_int_equal(a->text, b->text);
    assert_memory_equal(a->bytes, b->bytes, a->text);
    assert_memory_equal(a->offsets, b->offsets, (a->ngrams + 1) * sizeof *a->offsets);
    assert_memory_equal(a->members, b->members, a->ngrams * sizeof *a->members);
    assert_memory_equal(a->rows, b->rows, (size_t)a->ngrams * a->dim);
    assert_memory_equal(a->row_scale, b->row_scale, a->ngrams * sizeof *a->row_scale);
}

static void the_bits_are_the_same_for_any_threads(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(150, 70, 6);
    pv_spelling_options o = exact_options();
    o.steps = 7;
    psdvec_context *one = context_of(1);
    pv_spelling *a = learn(one, &o, v), *b = learn(w->ctx, &o, v);
    assert_int_not_equal(psdvec_threads(w->ctx), 1);
    assert_same_table(pv_spelling_get(a), pv_spelling_get(b));
    pv_spelling_free(a);
    pv_spelling_free(b);
    psdvec_context_free(one);
    free(v);
}

static uint32_t words_with(const vocabulary *v, const pv_spelling_table *t, uint32_t g)
{
    reference r = {.features = 1};
    uint32_t count = 0;
    memcpy(r.feature[0].text, t->bytes + t->offsets[g], t->offsets[g + 1] - t->offsets[g]);
    for (size_t i = 0; i < v->words.words; i++)
        count += has(&r, v, i, 0);
    return count;
}

static void a_limit_leaves_the_n_grams_of_most_words(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(100, 6, 7);
    pv_spelling_options o = exact_options();
    pv_spelling *all = learn(w->ctx, &o, v);
    const pv_spelling_table *a = pv_spelling_get(all);
    uint64_t whole = pv_spelling_bytes(a);
    for (uint64_t part = 1; part <= 8; part++) {
        o.most_bytes = whole * part / 8;
        pv_spelling *s = learn(w->ctx, &o, v);
        const pv_spelling_table *t = pv_spelling_get(s);
        assert_true(pv_spelling_bytes(t) <= o.most_bytes);
        assert_true(part == 8 ? t->ngrams == a->ngrams : t->ngrams < a->ngrams);
        /* One more would not have fitted. */
        assert_true(part == 8 || pv_spelling_bytes(t) + 18 + 4 * o.longest + 1 > o.most_bytes);
        uint32_t fewest = UINT32_MAX, most = 0, kept = 0;
        for (uint32_t g = 0; g < a->ngrams; g++) {
            char text[32] = "";
            memcpy(text, a->bytes + a->offsets[g], a->offsets[g + 1] - a->offsets[g]);
            uint32_t in = words_with(v, a, g);
            if (place(t, text) == UINT32_MAX) {
                most = in > most ? in : most;
            } else {
                kept++;
                fewest = in < fewest ? in : fewest;
            }
        }
        assert_int_equal(kept, t->ngrams);
        assert_true(fewest >= most);
        pv_spelling_free(s);
    }
    o.most_bytes = 1;
    pv_spelling *none = learn(w->ctx, &o, v);
    float vector[6] = {1, 1, 1, 1, 1, 1};
    assert_int_equal(pv_spelling_get(none)->ngrams, 0);
    assert_int_equal(pv_spelling_vector(none, "banelo", 6, vector), 0);
    assert_true(vector[0] == 0 && vector[5] == 0);
    pv_spelling_free(none);
    pv_spelling_free(all);
    free(v);
}

/* The stored n-grams are the ones solved for: with a limit, s is the best that they can achieve. */
static void with_a_limit_the_kept_n_grams_are_relearnt(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(100, 6, 8);
    pv_spelling_options few = exact_options(), least = exact_options();
    pv_spelling *s;
    /* In three words or more: a limit that leaves exactly these must give the same table. */
    least.least_words = 3;
    pv_spelling *expected = learn(w->ctx, &least, v);
    few.most_bytes = pv_spelling_bytes(pv_spelling_get(expected));
    s = learn(w->ctx, &few, v);
    assert_same_table(pv_spelling_get(expected), pv_spelling_get(s));
    pv_spelling_free(s);
    pv_spelling_free(expected);
    free(v);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void an_unseen_word_gets_the_sum_of_its_known_n_grams(void **state)
{
    workshop *w = *state;
    static const char *const words[] = {"walking", "talking", "walked", "talked", "jumping", NULL};
    vocabulary *v = vocabulary_of(words, 4);
    pv_spelling_options o = exact_options();
    pv_spelling *s = learn(w->ctx, &o, v);
    const pv_spelling_table *t = pv_spelling_get(s);
    static const char unseen[] = "\002chalking\003";
    double sum[4] = {0}, members = 0;
    uint32_t known = 0;
    for (uint32_t g = 0; g < t->ngrams; g++) {
        char text[32] = "";
        memcpy(text, t->bytes + t->offsets[g], t->offsets[g + 1] - t->offsets[g]);
        if (!strstr(unseen, text))
            continue;
        known++;
        members += t->members[g];
        for (size_t k = 0; k < 4; k++)
            sum[k] += (double)t->row_scale[g] * t->rows[g * 4 + k];
    }
    float vector[4];
    assert_true(known > 0 && known < t->ngrams);
    assert_int_equal(pv_spelling_vector(s, "chalking", 8, vector), known);
    for (size_t k = 0; k < 4; k++)
        assert_close((double)vector[k], sum[k] / sqrt(members), 1e-6);
    assert_int_equal(pv_spelling_vector(s, "xyz", 3, vector), 0);
    assert_true(vector[0] == 0 && vector[3] == 0);
    pv_spelling_free(s);
    free(v);
}

static void an_n_gram_counts_once_per_word(void **state)
{
    workshop *w = *state;
    static const char *const words[] = {"xaaaaaaaa", "aaaz", "aaay", NULL};
    vocabulary *v = vocabulary_of(words, 2);
    pv_spelling_options o = exact_options();
    o.longest = 3;
    pv_spelling *s = learn(w->ctx, &o, v);
    const pv_spelling_table *t = pv_spelling_get(s);
    float once[2], often[2];
    uint32_t g = place(t, "aaa");
    assert_int_not_equal(g, UINT32_MAX);
    assert_int_equal(pv_spelling_vector(s, "qaaaq", 5, once), 1);
    assert_int_equal(pv_spelling_vector(s, "qaaaaaaaaaaq", 12, often), 1);
    assert_true(once[0] == often[0] && once[1] == often[1] && once[0] != 0);
    pv_spelling_free(s);
    free(v);
}

static void adding_is_the_vector_times_the_factor(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(200, 37, 9);
    pv_spelling_options o = exact_options();
    pv_spelling *s = learn(w->ctx, &o, v);
    size_t n = v->words.words, dim = v->dim;
    const float factor = 3.0F / 7;
    float *plain = calloc(n * dim, sizeof *plain);
    float *scaled = calloc(n * dim, sizeof *scaled), vector[MOST_DIM];
    assert_true(plain && scaled);
    for (size_t k = 0; k < n * dim; k++)
        plain[k] = scaled[k] = 1;
    well(w->ctx, pv_spelling_add(w->ctx, s, &v->words, 1, plain));
    well(w->ctx, pv_spelling_add(w->ctx, s, &v->words, factor, scaled));
    for (size_t i = 0; i < n; i++) {
        pv_spelling_vector(s, v->bytes + v->offsets[i], v->offsets[i + 1] - v->offsets[i], vector);
        for (size_t k = 0; k < dim; k++) {
            assert_close((double)plain[i * dim + k], 1 + (double)vector[k], 1e-6);
            assert_close((double)scaled[i * dim + k], 1 + (double)factor * (double)vector[k], 1e-5);
        }
    }
    free(plain);
    free(scaled);
    pv_spelling_free(s);
    free(v);
}

static void characters_are_code_points(void **state)
{
    workshop *w = *state;
    static const char *const words[] = {"\xc3\xa4\xc3\xb6\xc3\xbc", "\xc3\xa4\xc3\xb6\xc3\xbcx",
                                        "\xc3\xb6\xf0\x90\x8d\x88",
                                        "\xc3\xa4\xc3\xb6\xf0\x90\x8d\x88", NULL};
    vocabulary *v = vocabulary_of(words, 2);
    pv_spelling_options o = exact_options();
    o.longest = 3;
    pv_spelling *s = learn(w->ctx, &o, v);
    const pv_spelling_table *t = pv_spelling_get(s);
    /* Start-a-o occurs in three words, a-o-u in two, o-hwair-end in two; all others in one. */
    assert_int_equal(t->ngrams, 3);
    assert_int_not_equal(place(t, "\002\xc3\xa4\xc3\xb6"), UINT32_MAX);
    assert_int_not_equal(place(t, "\xc3\xa4\xc3\xb6\xc3\xbc"), UINT32_MAX);
    assert_int_not_equal(place(t, "\xc3\xb6\xf0\x90\x8d\x88\003"), UINT32_MAX);
    pv_spelling_free(s);
    free(v);
}

static void unusual_words_do_no_harm(void **state)
{
    workshop *w = *state;
    vocabulary *v = calloc(1, sizeof *v);
    char lengthy[1000];
    assert_non_null(v);
    for (size_t k = 0; k < sizeof lengthy; k++)
        lengthy[k] = (char)('a' + k * k % 23);
    static const char broken[] = "\x80\x80\x80\x80\x80\x80\xc3\xff\xfe\xc3z\xf0\x9f";
    add_word(v, lengthy, sizeof lengthy);
    add_word(v, lengthy, sizeof lengthy);
    add_word(v, broken, sizeof broken - 1);
    add_word(v, broken, sizeof broken - 2);
    add_word(v, "", 0);
    add_word(v, "a", 1);
    add_word(v, "\002\003\002\003\002\003", 6);
    add_word(v, "\0\0\0\0\0\0", 6);
    add_word(v, "\0\0\0\0\0\0\0", 7);
    random_numbers(v, 3, 2);
    pv_spelling_options o = exact_options();
    for (o.shortest = 1; o.shortest <= 4; o.shortest++) {
        pv_spelling *s = learn(w->ctx, &o, v), *opened;
        float vector[3];
        assert_true(pv_spelling_get(s)->ngrams > 0);
        well(w->ctx, pv_spelling_open(w->ctx, pv_spelling_get(s), "table", &opened));
        for (size_t i = 0; i < v->words.words; i++)
            pv_spelling_vector(opened, v->bytes + v->offsets[i], v->offsets[i + 1] - v->offsets[i],
                               vector);
        pv_spelling_free(opened);
        pv_spelling_free(s);
    }
    free(v);
}

static void only_the_beginning_of_a_very_long_word_counts(void **state)
{
    (void)state;
    static pv_marked_word m;
    char word[2 * PV_MARKED_MOST];
    memset(word, 'a', sizeof word);
    pv_mark_word(word, sizeof word, &m);
    assert_int_equal(m.characters, PV_MARKED_MOST);
    assert_int_equal(m.text[0], PV_MARK_BEGIN);
    assert_int_equal(m.text[PV_MARKED_MOST - 1], 'a');
    pv_mark_word(word, PV_MARKED_MOST - 2, &m);
    assert_int_equal(m.characters, PV_MARKED_MOST);
    assert_int_equal(m.text[PV_MARKED_MOST - 1], PV_MARK_END);
    for (size_t k = 0; k + 4 <= sizeof word; k += 4)
        memcpy(word + k, "\xf0\x90\x8d\x88", 4);
    pv_mark_word(word, sizeof word, &m);
    assert_int_equal(m.characters, sizeof word / 4 + 2);
}

static void a_vocabulary_without_common_n_grams_yields_an_empty_table(void **state)
{
    workshop *w = *state;
    static const char *const words[] = {"abc", "defg", "i", NULL};
    vocabulary *v = vocabulary_of(words, 3), *nothing = calloc(1, sizeof *nothing);
    pv_spelling_options o = exact_options();
    pv_spelling *s = learn(w->ctx, &o, v), *opened;
    assert_non_null(nothing);
    assert_int_equal(pv_spelling_get(s)->ngrams, 0);
    well(w->ctx, pv_spelling_open(w->ctx, pv_spelling_get(s), "table", &opened));
    pv_spelling_free(opened);
    pv_spelling_free(s);
    nothing->dim = 3;
    nothing->words.offsets = nothing->offsets;
    s = learn(w->ctx, &o, nothing);
    assert_int_equal(pv_spelling_get(s)->ngrams, 0);
    pv_spelling_free(s);
    free(nothing);
    free(v);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void refuse_options(workshop *w, const vocabulary *v, pv_spelling_options o,
                           const char *because)
{
    pv_spelling *s;
    assert_int_equal(pv_spelling_learn(w->ctx, &o, &v->words, v->u, v->dim, v->counts, &s),
                     PSDVEC_ERR_OPTION);
    assert_null(s);
    assert_contains(psdvec_error_message(w->ctx), because);
    pv_begin(w->ctx);
}

static void options_out_of_range_are_refused(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(20, 2, 1);
    pv_spelling_options o = exact_options();
#define REFUSED(field, value, because)                                                             \
    do {                                                                                           \
        pv_spelling_options bad = o;                                                               \
        bad.field = value;                                                                         \
        refuse_options(w, v, bad, because);                                                        \
    } while (0)
    REFUSED(shortest, 0, "n-grams of 0 to 5");
    REFUSED(shortest, 6, "n-grams of 6 to 5");
    REFUSED(longest, PV_NGRAM_LONGEST + 1, "n-grams of 3 to 17");
    REFUSED(least_words, 0, "at least 1 word");
    REFUSED(lambda, 0, "penalty");
    REFUSED(lambda, NAN, "penalty");
    REFUSED(weight_power, -1, "power");
    REFUSED(weight_power, NAN, "power");
    REFUSED(tolerance, 0, "tolerance");
    REFUSED(tolerance, NAN, "tolerance");
    REFUSED(steps, 0, "1 step");
#undef REFUSED
    v->dim = 0;
    refuse_options(w, v, o, "have no dimensions");
    free(v);
}

static void nonfinite_numbers_are_reported_with_their_word(void **state)
{
    workshop *w = *state;
    static const char *const words[] = {"walking", "talking", "chalking", NULL};
    vocabulary *v = vocabulary_of(words, 3);
    pv_spelling_options o = exact_options();
    pv_spelling *s;
    v->u[4] = INFINITY;
    assert_int_equal(pv_spelling_learn(w->ctx, &o, &v->words, v->u, v->dim, v->counts, &s),
                     PSDVEC_ERR_NUMERIC);
    assert_contains(psdvec_error_message(w->ctx), "\"talking\"");
    pv_begin(w->ctx);
    for (size_t k = 0; k < 9; k++)
        v->u[k] = 3e38F;
    assert_int_equal(pv_spelling_learn(w->ctx, &o, &v->words, v->u, v->dim, v->counts, &s),
                     PSDVEC_ERR_NUMERIC);
    assert_contains(psdvec_error_message(w->ctx), "scale the vectors down");
    pv_begin(w->ctx);
    free(v);
}

static void learning_can_be_cancelled_anywhere(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(100, 40, 3);
    pv_spelling_options o = exact_options();
    psdvec_status status = PSDVEC_ERR_CANCELLED;
    o.steps = 20;
    o.lambda = 1e-4; /* so that all of them are computed */
    int polls = 0;
    for (; status == PSDVEC_ERR_CANCELLED; polls++) {
        pv_spelling *s;
        atomic_store(&w->polls_left, polls);
        status = pv_spelling_learn(w->ctx, &o, &v->words, v->u, v->dim, v->counts, &s);
        assert_true((status == PSDVEC_OK) == (s != NULL));
        pv_spelling_free(s);
        assert_int_equal(atomic_load(&w->ctx->memory_used), 0);
        pv_begin(w->ctx);
    }
    assert_int_equal(status, PSDVEC_OK);
    assert_true(polls > 2 * 20); /* every step of both blocks */
    atomic_store(&w->polls_left, -1);
    free(v);
}

static void too_little_memory_is_reported(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(200, 70, 3);
    pv_spelling_options o = exact_options();
    o.steps = 3;
    psdvec_context *ample = context_of(1);
    pv_spelling *expected = learn(ample, &o, v);
    size_t refused = 0;
    for (uint64_t memory = 1000;; memory += memory / 4) {
        pv_spelling *s;
        workshop_context(w, memory, 3);
        w->ctx->options.threads = 3; /* despite little memory: fewer workspaces are allocated */
        psdvec_status status =
            pv_spelling_learn(w->ctx, &o, &v->words, v->u, v->dim, v->counts, &s);
        if (status == PSDVEC_OK) {
            assert_same_table(pv_spelling_get(expected), pv_spelling_get(s));
            pv_spelling_free(s);
            break;
        }
        refused++;
        assert_int_equal(status, PSDVEC_ERR_BUDGET);
        assert_contains(psdvec_error_message(w->ctx), "no memory for");
        assert_int_equal(atomic_load(&w->ctx->memory_used), 0);
    }
    assert_true(refused > 5);
    /* It worked with less memory than workspaces for all threads need. */
    uint64_t one = ((uint64_t)3 * 200 + pv_spelling_get(expected)->ngrams) * PV_ROW_BLOCK * 4;
    assert_true(psdvec_memory_budget(w->ctx) < psdvec_peak_memory(ample) + 2 * one);
    pv_spelling_free(expected);
    psdvec_context_free(ample);
    free(v);
}

static void without_memory_for_an_index_the_vectors_are_the_same(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(200, 7, 3);
    pv_spelling_options o = exact_options();
    psdvec_context *ample = context_of(1);
    pv_spelling *s = learn(ample, &o, v), *opened;
    workshop_context(w, sizeof *opened + 100, 1);
    well(w->ctx, pv_spelling_open(w->ctx, pv_spelling_get(s), "table", &opened));
    for (size_t i = 0; i < v->words.words; i++) {
        const char *word = v->bytes + v->offsets[i];
        size_t length = (size_t)(v->offsets[i + 1] - v->offsets[i]);
        float expected[7], vector[7];
        uint32_t known = pv_spelling_vector(s, word, length, expected);
        assert_int_equal(pv_spelling_vector(opened, word, length, vector), known);
        assert_memory_equal(vector, expected, sizeof vector);
        assert_int_equal(pv_spelling_vector(opened, "~", 1, vector), 0);
    }
    assert_non_null(s->slots);
    assert_null(opened->slots);
    assert_string_equal(psdvec_error_message(w->ctx), "");
    pv_spelling_free(opened);
    pv_spelling_free(s);
    psdvec_context_free(ample);
    free(v);
}

/* ---- Invalid tables -------------------------------------------------------------------------- */

typedef struct tampered {
    pv_spelling_table table;
    char bytes[4096];
    uint32_t offsets[1024], members[1024];
    float row_scale[1024];
} tampered;

static void refuse_table(workshop *w, const tampered *x, const char *because)
{
    pv_spelling *s;
    assert_int_equal(pv_spelling_open(w->ctx, &x->table, "some.file", &s), PSDVEC_ERR_CORRUPT);
    assert_null(s);
    assert_contains(psdvec_error_message(w->ctx), "some.file: ");
    assert_contains(psdvec_error_message(w->ctx), because);
    pv_begin(w->ctx);
}

static void damaged_tables_are_refused(void **state)
{
    workshop *w = *state;
    vocabulary *v = random_vocabulary(60, 2, 3);
    pv_spelling_options o = exact_options();
    pv_spelling *s = learn(w->ctx, &o, v), *again;
    tampered *good = calloc(1, sizeof *good), *bad = calloc(1, sizeof *bad);
    assert_true(good && bad);
    good->table = *pv_spelling_get(s);
    uint32_t n = good->table.ngrams;
    assert_true(n > 10 && n < 1000 && good->table.text < sizeof good->bytes);
    memcpy(good->bytes, good->table.bytes, good->table.text);
    memcpy(good->offsets, good->table.offsets, (n + 1) * sizeof *good->offsets);
    memcpy(good->members, good->table.members, n * sizeof *good->members);
    memcpy(good->row_scale, good->table.row_scale, n * sizeof *good->row_scale);
#define TAMPER(change, because)                                                                    \
    do {                                                                                           \
        *bad = *good;                                                                              \
        bad->table.bytes = bad->bytes;                                                             \
        bad->table.offsets = bad->offsets;                                                         \
        bad->table.members = bad->members;                                                         \
        bad->table.row_scale = bad->row_scale;                                                     \
        change;                                                                                    \
        refuse_table(w, bad, because);                                                             \
    } while (0)
    TAMPER(bad->table.shortest = 0, "n-grams of 0 to 5");
    TAMPER(bad->table.shortest = 6, "n-grams of 6 to 5");
    TAMPER(bad->table.longest = 17, "n-grams of 3 to 17");
    TAMPER(bad->table.dim = 0, "have no dimensions");
    TAMPER(bad->table.text++, "do not go from 0");
    TAMPER(bad->offsets[0] = 1, "do not go from 0");
    TAMPER(bad->offsets[n]--, "do not go from 0");
    TAMPER(bad->offsets[3] = bad->offsets[2], "n-gram 3 of");
    TAMPER(bad->offsets[3] = UINT32_MAX, "n-gram 4 of");
    TAMPER(bad->offsets[3] += 1, "n-gram");
    TAMPER(bad->table.shortest = 4, "a length that the table does not allow");
    TAMPER(bad->table.longest = 4, "a length that the table does not allow");
    TAMPER(memcpy(bad->bytes + bad->offsets[5], "\xff", 1), "not greater than");
    TAMPER(bad->members[4] = 0, "n-gram 5 of");
    TAMPER(bad->row_scale[6] = NAN, "n-gram 7 of");
    TAMPER(bad->row_scale[6] = INFINITY, "scale");
    TAMPER(bad->row_scale[6] = -1, "scale");
    TAMPER(bad->row_scale[6] = 1e31F, "scale");
#undef TAMPER
    well(w->ctx, pv_spelling_open(w->ctx, &good->table, "some.file", &again));
    assert_same_table(pv_spelling_get(again), pv_spelling_get(s));
    pv_spelling_free(again);
    pv_spelling_free(s);
    free(good);
    free(bad);
    free(v);
}

static void the_largest_numbers_of_a_table_stay_finite(void **state)
{
    workshop *w = *state;
    char word[PV_MARKED_MOST];
    static char bytes[16 * PV_MARKED_MOST];
    static uint32_t offsets[PV_MARKED_MOST], members[PV_MARKED_MOST];
    static float scale[PV_MARKED_MOST];
    static int8_t rows[PV_MARKED_MOST];
    pv_spelling_table t = {.dim = 1, .shortest = 1, .longest = 1, .bytes = bytes};
    for (uint32_t g = 0; g < 120; g++) {
        word[g] = bytes[g] = (char)(g + 4);
        offsets[g + 1] = g + 1;
        members[g] = 1;
        scale[g] = 1e30F;
        rows[g] = -128;
    }
    t.ngrams = (uint32_t)(t.text = 120);
    t.offsets = offsets;
    t.members = members;
    t.row_scale = scale;
    t.rows = rows;
    pv_spelling *s;
    float number;
    well(w->ctx, pv_spelling_open(w->ctx, &t, "some.file", &s));
    assert_int_equal(pv_spelling_vector(s, word, 120, &number), 120);
    assert_true(isfinite(number) && number < -1e32F);
    pv_spelling_free(s);
}

/* ---- Inner loops ----------------------------------------------------------------------------- */

static void fast_and_plain_sums_give_the_same_bits(void **state)
{
    (void)state;
    enum { ROWS = 50, WIDE = 150 };
    const pv_row_sums *plain = &pv_row_sums_plain, *best = pv_row_sums_best();
    static float X[ROWS * PV_ROW_BLOCK], scale[ROWS];
    static int8_t bytes[ROWS * WIDE];
    uint32_t list[40 + PV_LIST_PAD];
    dice d = {3};
    for (size_t k = 0; k < ROWS * PV_ROW_BLOCK; k++)
        X[k] = (float)(dice_unit(&d) - 0.5);
    for (size_t k = 0; k < ROWS * WIDE; k++)
        bytes[k] = (int8_t)dice_below(&d, 256);
    for (size_t k = 0; k < ROWS; k++)
        scale[k] = (float)dice_unit(&d);
    for (size_t k = 0; k < 40 + PV_LIST_PAD; k++)
        list[k] = (uint32_t)dice_below(&d, ROWS);
    for (size_t count = 0; count <= 40; count++) {
        float a[WIDE], b[WIDE], expected[WIDE];
        plain->floats(list, count, X, a);
        best->floats(list, count, X, b);
        assert_memory_equal(a, b, PV_ROW_BLOCK * sizeof *a);
        for (size_t k = 0; k < PV_ROW_BLOCK; k++) {
            expected[k] = 0;
            for (size_t t = 0; t < count; t++)
                expected[k] += X[list[t] * PV_ROW_BLOCK + k];
        }
        assert_memory_equal(a, expected, PV_ROW_BLOCK * sizeof *a);
        for (size_t dim = 1; dim <= WIDE; dim += 1 + dim / 9) {
            plain->bytes(list, count, bytes, scale, dim, a);
            best->bytes(list, count, bytes, scale, dim, b);
            assert_memory_equal(a, b, dim * sizeof *a);
            for (size_t k = 0; k < dim; k++) {
                expected[k] = 0;
                for (size_t t = 0; t < count; t++)
                    expected[k] += scale[list[t]] * (float)bytes[list[t] * dim + k];
            }
            assert_memory_equal(a, expected, dim * sizeof *a);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        TEST(the_vectors_are_those_of_the_dense_solution),
        TEST(twenty_steps_suffice),
        TEST(as_many_steps_are_taken_as_are_needed),
        TEST(frequent_words_have_more_weight),
        TEST(n_grams_of_the_same_words_share_a_row),
        TEST(the_bits_are_the_same_for_any_threads),
        TEST(a_limit_leaves_the_n_grams_of_most_words),
        TEST(with_a_limit_the_kept_n_grams_are_relearnt),
        TEST(an_unseen_word_gets_the_sum_of_its_known_n_grams),
        TEST(an_n_gram_counts_once_per_word),
        TEST(adding_is_the_vector_times_the_factor),
        TEST(characters_are_code_points),
        TEST(unusual_words_do_no_harm),
        TEST(only_the_beginning_of_a_very_long_word_counts),
        TEST(a_vocabulary_without_common_n_grams_yields_an_empty_table),
        TEST(options_out_of_range_are_refused),
        TEST(nonfinite_numbers_are_reported_with_their_word),
        TEST(learning_can_be_cancelled_anywhere),
        TEST(too_little_memory_is_reported),
        TEST(without_memory_for_an_index_the_vectors_are_the_same),
        TEST(damaged_tables_are_refused),
        TEST(the_largest_numbers_of_a_table_stay_finite),
        cmocka_unit_test(fast_and_plain_sums_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
