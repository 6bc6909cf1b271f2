/* Measures the inner loops that take most of the time, each against its portable version or a
 * limit:
 *
 *     scan     64-byte blocks of text to masks, fast and portable
 *     words    look-ups of Zipf-distributed words in the word table
 *     rows     pairs added to a row of sums and extracted again
 *
 * Prints name, unit, value.
 */
#include "base/progress.h"
#include "base/random.h"
#include "corpus/byte_scan.h"
#include "count/rows.h"
#include "count/word_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 8 << 20, ROUNDS = 10, WORDS = 200000, TOKENS = 4 << 20, COLUMNS = 40000 };

static int fail(psdvec_context *ctx)
{
    fprintf(stderr, "%s\n", psdvec_error_message(ctx));
    return 1;
}

/* Approximates the distribution of words in a text: rank r with a probability proportional to
 * 1/r. */
static uint32_t zipf(uint64_t index, uint32_t ranks)
{
    return (uint32_t)exp(pv_random_unit(7, 1, index) * log((double)ranks));
}

typedef void scan_fn(const pv_scan_rules *, unsigned char *, uint64_t *, uint64_t *);

static double scan_speed(scan_fn *scan, unsigned char *text)
{
    pv_scan_rules rules = {.fold = true, .apostrophe = true};
    pv_scan_rules_finish(&rules);
    uint64_t mixed = 0;
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double began = pv_now();
        for (size_t at = 0; at < TEXT; at += 64) {
            uint64_t run, odd;
            scan(&rules, text + at, &run, &odd);
            mixed += run ^ odd;
        }
        double took = pv_now() - began;
        best = took < best ? took : best;
    }
    return mixed ? TEXT / best * 1e-9 : 0;
}

static int bench_scan(psdvec_context *ctx)
{
    unsigned char *text = pv_alloc(ctx, TEXT, 1, "text");
    if (!text)
        return fail(ctx);
    for (size_t i = 0; i < TEXT; i++) {
        uint64_t draw = pv_random_u64(7, 0, i) % 32;
        text[i] = draw < 6 ? ' ' : (unsigned char)('a' + draw - 6);
    }
    printf("scan\tGB/s\t%.2f\n", scan_speed(pv_scan_block, text));
    printf("scan, plain twin\tGB/s\t%.2f\n", scan_speed(pv_scan_block_plain, text));
    pv_free(ctx, text);
    return 0;
}

static int bench_words(psdvec_context *ctx)
{
    pv_word_table table;
    uint32_t *ranks = pv_alloc(ctx, TOKENS, sizeof *ranks, "ranks");
    char(*texts)[32] = pv_alloc_zero(ctx, WORDS, sizeof *texts, "words");
    if (!ranks || !texts || pv_word_table_init(&table, ctx, 1000) != PSDVEC_OK)
        return fail(ctx);
    for (uint32_t w = 0; w < WORDS; w++)
        snprintf(texts[w], sizeof texts[w], "w%llx",
                 (unsigned long long)pv_random_u64(7, 2, w) >> (w % 40));
    for (size_t i = 0; i < TOKENS; i++)
        ranks[i] = zipf(i, WORDS) % WORDS;
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double began = pv_now();
        for (size_t i = 0; i < TOKENS; i++) {
            uint32_t id;
            pv_word_key key;
            pv_word_key_set(&key, texts[ranks[i]], (uint32_t)strlen(texts[ranks[i]]));
            if (pv_word_table_find_or_add(&table, &key, &id) != PSDVEC_OK)
                return fail(ctx);
            table.words[id].value++;
        }
        double took = pv_now() - began;
        best = took < best ? took : best;
    }
    printf("words\tmillion look-ups/s\t%.1f\n", TOKENS / best * 1e-6);
    pv_word_table_free(&table);
    pv_free(ctx, ranks);
    pv_free(ctx, texts);
    return 0;
}

static int bench_rows(psdvec_context *ctx)
{
    pv_row_sum row;
    uint32_t *columns = pv_alloc(ctx, TOKENS, sizeof *columns, "columns");
    uint32_t *out = pv_alloc(ctx, COLUMNS + 2, sizeof *out, "columns");
    uint64_t *values = pv_alloc(ctx, COLUMNS + 2, sizeof *values, "values");
    if (!columns || !out || !values || pv_row_sum_init(&row, ctx, COLUMNS) != PSDVEC_OK)
        return fail(ctx);
    for (size_t i = 0; i < TOKENS; i++)
        columns[i] = zipf(i, COLUMNS) % COLUMNS;
    for (size_t length = 64; length <= 65536; length *= 32) {
        double best = 1e30;
        for (int round = 0; round < ROUNDS; round++) {
            double began = pv_now();
            for (size_t at = 0; at < TOKENS; at += length) {
                pv_row_sum local = row;
                for (size_t i = 0; i < length; i++)
                    pv_row_sum_add(&local, columns[at + i], 1);
                row.touched_count = local.touched_count;
                pv_row_sum_take(&row, out, values);
            }
            double took = pv_now() - began;
            best = took < best ? took : best;
        }
        printf("rows of %zu pairs\tmillion pairs/s\t%.0f\n", length, TOKENS / best * 1e-6);
    }
    pv_row_sum_free(&row);
    pv_free(ctx, columns);
    pv_free(ctx, out);
    pv_free(ctx, values);
    return 0;
}

int main(void)
{
    psdvec_context *ctx;
    if (psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        return 1;
    int status = bench_scan(ctx) || bench_words(ctx) || bench_rows(ctx);
    psdvec_context_free(ctx);
    return status;
}
