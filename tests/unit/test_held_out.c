/* Held-out text: which text it is, and that none of it is counted. */
#include "count/counts_read.h"
#include "count/held_out.h"
#include "support/problem.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Documents of words by number, and which of their words are held out. */
enum { DOCUMENTS = 900, LONGEST = 400, VOCABULARY = 700 };
typedef struct text {
    uint32_t length[DOCUMENTS];
    uint32_t word[DOCUMENTS][LONGEST];
    bool held[DOCUMENTS][LONGEST];
    uint32_t words;
} text;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Every tenth document is the same line, which must not be held out. */
static text *make_text(uint32_t seed)
{
    text *t = calloc(1, sizeof *t);
    for (uint32_t d = 0; d < DOCUMENTS; d++) {
        bool same = d % 10 == 3;
        t->length[d] = same ? 12 : 1 + next_random(&seed) % LONGEST;
        for (uint32_t k = 0; k < t->length[d]; k++) {
            double unit = next_random(&seed) / 16777216.0;
            t->word[d][k] = same ? k : (uint32_t)(unit * unit * VOCABULARY);
        }
        t->words += t->length[d];
    }
    return t;
}

/* Documents from..to-1, one per line. Held-out words are omitted, and the line ends at each gap. */
static void write_text(const text *t, const char *path, uint32_t from, uint32_t to)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    for (uint32_t d = from; d < to; d++) {
        for (uint32_t k = 0; k < t->length[d]; k++)
            if (t->held[d][k])
                fputc('\n', file);
            else
                fprintf(file, "w%c%c%c ", 'a' + t->word[d][k] / 676, 'a' + t->word[d][k] / 26 % 26,
                        'a' + t->word[d][k] % 26);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

/* Marks the position of a piece: at a multiple of the piece length, up to its end or that of the
 * document. */
static bool mark(text *t, const uint32_t *words, uint32_t count)
{
    for (uint32_t d = 0; d < DOCUMENTS; d++)
        for (uint32_t k = 0; k + count <= t->length[d]; k += PV_PIECE_WORDS) {
            bool whole = count == PV_PIECE_WORDS || k + count == t->length[d];
            if (!whole || memcmp(t->word[d] + k, words, count * sizeof *words) != 0)
                continue;
            for (uint32_t i = k; i < k + count; i++)
                t->held[d][i] = true;
            return true;
        }
    return false;
}

static psdvec_count_options counting(uint32_t hold_out, const char *vocabulary)
{
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.window = 4;
    o.min_count = 1;
    o.hold_out = hold_out;
    o.vocab_file = vocabulary;
    o.text.min_document_words = 1;
    return o;
}

static psdvec_counts *count(psdvec_context *ctx, const psdvec_count_options *o,
                            const char *const *inputs, size_t input_count, const char *path)
{
    psdvec_counts *counts;
    well(ctx, psdvec_count(ctx, o, inputs, input_count, path, NULL));
    well(ctx, psdvec_counts_open(ctx, path, &counts));
    well(ctx, psdvec_counts_verify(ctx, counts));
    return counts;
}

static void assert_same_pairs(const psdvec_counts *a, const psdvec_counts *b)
{
    size_t pairs = a->info.bigrams;
    assert_true(a->info.words == b->info.words && pairs == b->info.bigrams && pairs > 0);
    assert_memory_equal(a->rows.column, b->rows.column, pairs * sizeof *a->rows.column);
    assert_memory_equal(a->rows.value32, b->rows.value32, pairs * sizeof *a->rows.value32);
}

static psdvec_context *context(int threads, uint64_t memory)
{
    psdvec_context *ctx;
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = threads;
    o.memory = memory;
    ok(psdvec_context_new(&o, &ctx));
    return ctx;
}

static void held_out_text_is_not_counted(void **state)
{
    (void)state;
    char *folder = scratch_new(), *path = scratch_path(folder, "text");
    char *held_path = scratch_path(folder, "held"), *rest_path = scratch_path(folder, "rest");
    const char *inputs[] = {path};
    psdvec_context *ctx = context(2, 0);
    text *t = make_text(1);
    write_text(t, path, 0, DOCUMENTS);
    psdvec_count_options o = counting(5000, NULL);
    psdvec_counts *held = count(ctx, &o, inputs, 1, held_path);
    assert_true(held->info.held_out > PV_HOLD_OUT_LEAST &&
                held->info.held_out <= t->words / PV_HOLD_OUT_SHARE);
    assert_int_equal(held->info.tokens, t->words);
    /* All held-out words occur in the text, in pieces. */
    uint32_t piece[PV_PIECE_WORDS], length = 0, pieces = 0;
    for (size_t k = 0; k < held->held_count; k++) {
        size_t bytes;
        if (held->held_out[k] == PV_HELD_END) {
            assert_true(mark(t, piece, length));
            pieces++;
            length = 0;
            continue;
        }
        assert_true(length < PV_PIECE_WORDS);
        const char *word = psdvec_counts_word(held, held->held_out[k], &bytes);
        piece[length++] = (uint32_t)((word[1] - 'a') * 676 + (word[2] - 'a') * 26 + word[3] - 'a');
    }
    assert_true(length == 0 && pieces > 3);
    for (uint32_t d = 3; d < DOCUMENTS; d += 10)
        assert_false(t->held[d][0]);
    /* The rest of the text, counted separately. */
    write_text(t, path, 0, DOCUMENTS);
    o = counting(0, held_path);
    psdvec_counts *rest = count(ctx, &o, inputs, 1, rest_path);
    assert_same_pairs(held, rest);
    assert_int_equal(rest->info.held_out, 0);
    psdvec_counts_close(rest);
    psdvec_counts_close(held);
    psdvec_context_free(ctx);
    free(t);
    free(path);
    free(held_path);
    free(rest_path);
    scratch_free(folder);
}

static void threads_memory_and_order_do_not_matter(void **state)
{
    (void)state;
    char *folder = scratch_new();
    char *path[] = {scratch_path(folder, "a"), scratch_path(folder, "b")};
    char *first_path = scratch_path(folder, "first"), *again_path = scratch_path(folder, "again");
    const char *inputs[] = {path[0], path[1]}, *backwards[] = {path[1], path[0]};
    text *t = make_text(2);
    write_text(t, path[0], 0, DOCUMENTS / 3);
    write_text(t, path[1], DOCUMENTS / 3, DOCUMENTS);
    psdvec_count_options o = counting(400, NULL);
    psdvec_context *ctx = context(1, 0);
    psdvec_counts *first = count(ctx, &o, inputs, 2, first_path);
    for (int k = 0; k < 3; k++) {
        psdvec_context *other = context(k + 1, k == 0 ? 8 << 20 : 0);
        psdvec_counts *again = count(other, &o, k == 2 ? backwards : inputs, 2, again_path);
        assert_same_pairs(first, again);
        assert_true(first->held_count == again->held_count && first->held_count > 0);
        assert_memory_equal(first->held_out, again->held_out,
                            first->held_count * sizeof *first->held_out);
        psdvec_counts_close(again);
        psdvec_context_free(other);
    }
    psdvec_counts_close(first);
    psdvec_context_free(ctx);
    free(t);
    free(path[0]);
    free(path[1]);
    free(first_path);
    free(again_path);
    scratch_free(folder);
}

static void nothing_is_held_out_of_a_short_text(void **state)
{
    (void)state;
    char *folder = scratch_new(), *path = scratch_path(folder, "text");
    char *output = scratch_path(folder, "counts");
    const char *inputs[] = {path};
    psdvec_context *ctx = context(1, 0);
    text *t = make_text(3);
    write_text(t, path, 0, DOCUMENTS / 10);
    psdvec_count_options o = counting(5000, NULL);
    psdvec_counts *counts = count(ctx, &o, inputs, 1, output);
    assert_true(counts->info.held_out == 0 && counts->held_count == 0);
    psdvec_counts_close(counts);
    psdvec_context_free(ctx);
    free(t);
    free(path);
    free(output);
    scratch_free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_out_text_is_not_counted),
        cmocka_unit_test(threads_memory_and_order_do_not_matter),
        cmocka_unit_test(nothing_is_held_out_of_a_short_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
