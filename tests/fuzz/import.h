/* Shared by the fuzzers of imports: the invariants of every import. It fails with an error message
 * and leaves no files, or its result is consistent and survives an export and another import. No
 * memory is leaked. */
#ifndef PV_FUZZ_IMPORT_H
#define PV_FUZZ_IMPORT_H

#include "fuzz/fuzz.h"

static inline void fuzz_read_all(psdvec_context *ctx, const char *path)
{
    psdvec_counts *counts;
    require(psdvec_counts_open(ctx, path, &counts) == PSDVEC_OK);
    require(psdvec_counts_verify(ctx, counts) == PSDVEC_OK);
    require(psdvec_counts_get_info(counts)->total > 0);
    psdvec_counts_close(counts);
}

/* The result, exported to its format, must be importable again. */
static inline void fuzz_round_trip(psdvec_context *ctx, const psdvec_import_options *options,
                                   const char *path)
{
    char other[80], words[80], again[80];
    snprintf(other, sizeof other, "%s.other", path);
    snprintf(words, sizeof words, "%s.words", path);
    snprintf(again, sizeof again, "%s.again", path);
    bool listed = options->format != PSDVEC_FORMAT_TOP2GRAMS;
    psdvec_counts *one, *two;
    require(psdvec_counts_open(ctx, path, &one) == PSDVEC_OK);
    const psdvec_counts_info *info = psdvec_counts_get_info(one);
    psdvec_status status = psdvec_counts_export(ctx, one, options->format, options->symmetric,
                                                other, listed ? words : NULL);
    if (status == PSDVEC_OK) {
        psdvec_import_options back = *options;
        back.vocab_file = listed ? words : NULL;
        back.scale = info->scale;
        back.window = info->window;
        require(psdvec_counts_import(ctx, &back, other, again, NULL) == PSDVEC_OK);
        fuzz_read_all(ctx, again);
        require(psdvec_counts_open(ctx, again, &two) == PSDVEC_OK);
        require(psdvec_counts_get_info(two)->bigrams == info->bigrams);
        if (options->format != PSDVEC_FORMAT_GLOVE) /* doubles have 53 bits */
            require(psdvec_counts_get_info(two)->total == info->total);
        psdvec_counts_close(two);
    } else {
        require(status == PSDVEC_ERR_OPTION || status == PSDVEC_ERR_OVERFLOW);
    }
    psdvec_counts_close(one);
    unlink(other);
    unlink(words);
    unlink(again);
}

static inline void fuzz_import(const psdvec_import_options *options, const char *input)
{
    static psdvec_context *ctx;
    static char output[64];
    if (!ctx) {
        ctx = fuzz_context(256);
        fuzz_output_path(output);
    }
    psdvec_count_report report;
    psdvec_status status = psdvec_counts_import(ctx, options, input, output, &report);
    if (status == PSDVEC_OK) {
        fuzz_read_all(ctx, output);
        fuzz_round_trip(ctx, options, output);
        unlink(output);
    } else {
        require(psdvec_error_message(ctx)[0] != '\0');
        require(status != PSDVEC_ERR_INTERNAL);
        require(access(output, F_OK) != 0);
    }
    require(atomic_load(&ctx->memory_used) == 0);
}

#endif
