/* The mixture of a model's conditional probability with bigrams of adjacent words. Opening it takes
 * one pass over the counts, and the probability of a word, one binary search in a row. */
#include "document/bigrams.h"

#include "count/counts_read.h"
#include "count/provenance.h"
#include "model/model_read.h"

#include <math.h>

static psdvec_status check_counting(pv_bigrams *b)
{
    psdvec_context *ctx = b->ctx;
    const psdvec_counts_info *info = &b->counts->info;
    const char *path = pv_st_path(b->counts->file);
    psdvec_count_options counting;
    pv_buffer strings = {.ctx = ctx};
    psdvec_count_options_default(&counting);
    if (info->window != 1)
        return pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                       "%s: was counted with `window` %u, but bigrams need counts of adjacent "
                       "words; count the text with --window 1",
                       path, (unsigned)info->window);
    psdvec_status status =
        pv_provenance_read_settings(ctx, path, info->settings_json, &counting, &strings);
    pv_buffer_free(&strings);
    PV_TRY(status);
    if (counting.subsample > 0)
        return pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                       "%s: frequent words were subsampled, but bigrams need all words; count the "
                       "text without --subsample",
                       path);
    b->skip_unknown = counting.oov == PSDVEC_OOV_DROP;
    b->scale = info->scale;
    return pv_counts_verify_rows(ctx, b->counts);
}

/* `word` receives the number in the model of each word of the counts. */
static psdvec_status match_words(pv_bigrams *b, const psdvec_model *model, uint32_t *word)
{
    uint32_t common = 0;
    memset(word, 0xff, b->counts->info.words * sizeof *word);
    for (uint32_t i = 0; i < b->words; i++) {
        size_t length;
        const char *text = psdvec_model_word(model, i, &length);
        b->counted[i] = UINT32_MAX;
        if (!psdvec_counts_find(b->counts, text, length, &b->counted[i]))
            continue;
        word[b->counted[i]] = i;
        common++;
    }
    if (common == 0)
        return pv_fail(b->ctx, PSDVEC_ERR_MISMATCH,
                       "%s: has none of the words of the model; count text of the same language "
                       "with the same tokenizer",
                       pv_st_path(b->counts->file));
    return PSDVEC_OK;
}

/* X_c and the kinds of words after c. `seen` receives the number of pairs seen once to four
 * times. */
static psdvec_status sum_rows(pv_bigrams *b, const uint32_t *word, uint64_t seen[4])
{
    for (uint32_t i = 0; i < b->words; i++) {
        psdvec_row row = {0};
        if (b->counted[i] != UINT32_MAX)
            psdvec_counts_row(b->counts, b->counted[i], &row);
        for (size_t k = 0; k < row.length; k++) {
            uint64_t x = psdvec_row_value(&row, k);
            if (word[row.focus[k]] == UINT32_MAX)
                continue;
            if (x % b->scale != 0)
                return pv_fail(b->ctx, PSDVEC_ERR_MISMATCH,
                               "%s: some counts are not whole numbers, so they are not counts of "
                               "adjacent words",
                               pv_st_path(b->counts->file));
            x /= b->scale;
            b->total[i] += x;
            b->kinds[(size_t)i * PV_DISCOUNTS + (size_t)pv_discount_of(x)]++;
            if (x <= 4)
                seen[x - 1]++;
        }
    }
    return pv_check_cancel(b->ctx);
}

/* The estimates of Chen and Goodman from the numbers of pairs seen once to four times. */
static void estimate_discounts(pv_bigrams *b, const uint64_t seen[4])
{
    double y = seen[0] ? (double)seen[0] / ((double)seen[0] + 2 * (double)seen[1]) : 0.5;
    for (int k = 0; k < PV_DISCOUNTS; k++) {
        double most = k + 1, ratio = seen[k] ? (double)seen[k + 1] / (double)seen[k] : 0;
        b->discounts[k] = fmin(fmax(most - (most + 1) * y * ratio, 0.1), most - 0.05);
    }
}

psdvec_status pv_bigrams_open(psdvec_context *ctx, const psdvec_model *model,
                              const psdvec_counts *counts, const double *discounts,
                              pv_bigrams **out)
{
    uint64_t seen[4] = {0};
    uint32_t *word;
    pv_bigrams *b = *out = pv_alloc_zero(ctx, 1, sizeof *b, "bigrams");
    if (!b)
        return pv_failure(ctx);
    *b = (pv_bigrams){.ctx = ctx,
                      .memory = {.ctx = ctx, .what = "bigrams"},
                      .counts = pv_counts_hold(counts),
                      .words = model->info.words};
    PV_TRY(check_counting(b));
    PV_TAKE(&b->memory, b->counted, b->words);
    PV_TAKE_ZERO(&b->memory, b->total, b->words);
    PV_TAKE_ZERO(&b->memory, b->kinds, (size_t)b->words * PV_DISCOUNTS);
    PV_TAKE(&b->memory, word, counts->info.words);
    PV_TRY(pv_scope_status(&b->memory));
    PV_TRY(match_words(b, model, word));
    PV_TRY(sum_rows(b, word, seen));
    pv_scope_drop(&b->memory, word);
    estimate_discounts(b, seen);
    if (discounts && discounts[0] > 0 && discounts[1] > 0 && discounts[2] > 0)
        memcpy(b->discounts, discounts, sizeof b->discounts);
    return PSDVEC_OK;
}

void pv_bigrams_close(pv_bigrams *b)
{
    if (!b)
        return;
    pv_scope_free(&b->memory);
    psdvec_counts_close((psdvec_counts *)b->counts);
    pv_free(b->ctx, b);
}

uint32_t pv_bigrams_before(const pv_bigrams *b, const pv_trail *trail)
{
    return b->skip_unknown ? trail->last_known : trail->last;
}

uint64_t pv_bigrams_count(const pv_bigrams *b, uint32_t before, uint32_t word)
{
    uint32_t i = before == PSDVEC_UNKNOWN_WORD ? UINT32_MAX : b->counted[before];
    uint32_t j = word == PSDVEC_UNKNOWN_WORD ? UINT32_MAX : b->counted[word];
    return i == UINT32_MAX || j == UINT32_MAX ? 0 : psdvec_counts_get(b->counts, i, j) / b->scale;
}

pv_bigram_parts pv_bigrams_parts(const pv_bigrams *b, uint32_t before, uint32_t word)
{
    if (before == PSDVEC_UNKNOWN_WORD || b->total[before] == 0)
        return (pv_bigram_parts){0, 1};
    const uint32_t *kinds = b->kinds + (size_t)before * PV_DISCOUNTS;
    double total = (double)b->total[before], mass = 0;
    uint64_t x = pv_bigrams_count(b, before, word);
    for (int k = 0; k < PV_DISCOUNTS; k++)
        mass += b->discounts[k] * kinds[k];
    double seen = x ? (double)x - b->discounts[pv_discount_of(x)] : 0;
    return (pv_bigram_parts){seen / total, mass / total};
}

double pv_bigrams_mix(const pv_bigram_parts *parts, double log_model)
{
    return parts->seen > 0 || parts->rest != 1 ? log(parts->seen + parts->rest * exp(log_model))
                                               : log_model;
}
