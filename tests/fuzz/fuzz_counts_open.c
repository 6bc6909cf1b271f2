/* Fuzzes the reader of counts files.
 *
 * The input is the complete file, which the mutator keeps consistent. Everything that a caller can
 * reach is read, without verification: rows must be safe to iterate over, though their columns may
 * be invalid. A file that passes verification must be consistent.
 */
#include "fuzz/fuzz.h"
#include "support/tensor_mutator.h"

TENSOR_MUTATOR

/* The stored options must be valid. */
static void ask_settings(psdvec_context *ctx, const psdvec_counts *counts)
{
    psdvec_settings *settings = NULL;
    psdvec_status status = psdvec_counts_settings(ctx, counts, &settings);
    require((status == PSDVEC_OK) == (settings != NULL));
    require(settings ? psdvec_settings_finish(settings) == PSDVEC_OK
                     : psdvec_error_message(ctx)[0] != '\0');
    psdvec_settings_free(settings);
}

static void walk(const psdvec_counts *counts, bool verified)
{
    const psdvec_counts_info *info = psdvec_counts_get_info(counts);
    volatile uint64_t sum = strlen(info->settings_json) + strlen(info->inputs_json) +
                            strlen(info->written_by);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < info->words; i++) {
        size_t length;
        uint32_t found;
        const char *word = psdvec_counts_word(counts, i, &length);
        for (size_t k = 0; k < length; k++)
            sum += (unsigned char)word[k];
        if (psdvec_counts_find(counts, word, length, &found))
            require(found < info->words);
        sum += psdvec_counts_frequency(counts, i) + psdvec_counts_context_total(counts, i) +
               psdvec_counts_focus_total(counts, i) + (psdvec_counts_retention(counts, i) > 0);
        psdvec_row row;
        psdvec_counts_row(counts, i, &row);
        pairs += row.length;
        for (size_t k = 0; k < row.length; k++) {
            sum += row.focus[k] + psdvec_row_value(&row, k);
            sum += psdvec_counts_get(counts, i, row.focus[k]);
            if (verified)
                require(row.focus[k] < info->words &&
                        psdvec_counts_get(counts, i, row.focus[k]) == psdvec_row_value(&row, k));
        }
    }
    (void)sum;
    require(pairs == info->bigrams);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    static fuzz_file file;
    if (!ctx)
        ctx = fuzz_context(256);
    fuzz_file_set(&file, data, size);
    psdvec_counts *counts = NULL;
    psdvec_status status = psdvec_counts_open(ctx, file.path, &counts);
    require((status == PSDVEC_OK) == (counts != NULL) && status != PSDVEC_ERR_INTERNAL);
    if (counts) {
        ask_settings(ctx, counts);
        walk(counts, false);
        if (psdvec_counts_verify(ctx, counts) == PSDVEC_OK)
            walk(counts, true);
        else
            require(psdvec_error_message(ctx)[0] != '\0');
        psdvec_counts_close(counts);
    } else {
        require(psdvec_error_message(ctx)[0] != '\0');
    }
    require(atomic_load(&ctx->memory_used) == 0);
    return 0;
}
