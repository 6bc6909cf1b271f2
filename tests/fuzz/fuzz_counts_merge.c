/* Fuzzes the merging of counts files. The input is a counts file, which is merged with itself and
 * with a file that the library wrote. The result must pass verification, and its total is the sum of
 * the totals. */
#include "fuzz/fuzz.h"
#include "support/tensor_mutator.h"

TENSOR_MUTATOR

static uint64_t total_of(psdvec_context *ctx, const char *path, bool verify)
{
    psdvec_counts *counts;
    require(psdvec_counts_open(ctx, path, &counts) == PSDVEC_OK);
    require(!verify || psdvec_counts_verify(ctx, counts) == PSDVEC_OK);
    uint64_t total = psdvec_counts_get_info(counts)->total;
    psdvec_counts_close(counts);
    return total;
}

/* Returns true if they could be merged. */
static bool merge(psdvec_context *ctx, const char *one, const char *two, const char *output)
{
    const char *paths[] = {one, two};
    psdvec_status status = psdvec_counts_merge(ctx, paths, 2, output, NULL);
    if (status == PSDVEC_OK) {
        uint64_t sum = total_of(ctx, one, false) + total_of(ctx, two, false);
        require(total_of(ctx, output, true) == sum);
        require(unlink(output) == 0);
    } else {
        require(psdvec_error_message(ctx)[0] != '\0' && status != PSDVEC_ERR_INTERNAL);
        require(access(output, F_OK) != 0);
    }
    require(atomic_load(&ctx->memory_used) == 0);
    return status == PSDVEC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    static fuzz_file file, same, text;
    static char output[64], other[72];
    if (!ctx) {
        static const char words[] = "the cat sat on the mat\nthe dog sat\na dog's dinner\n";
        psdvec_count_options options;
        const char *inputs[] = {text.path};
        ctx = fuzz_context(64);
        fuzz_output_path(output);
        snprintf(other, sizeof other, "%s-other", output);
        fuzz_file_set(&text, words, sizeof words - 1);
        psdvec_count_options_default(&options);
        options.min_count = 1;
        require(psdvec_count(ctx, &options, inputs, 1, other, NULL) == PSDVEC_OK);
        FILE *made = fopen(other, "rb");
        char bytes[1 << 14];
        size_t length = made ? fread(bytes, 1, sizeof bytes, made) : 0;
        require(length > 0 && length < sizeof bytes && fclose(made) == 0 && unlink(other) == 0);
        fuzz_file_set(&same, bytes, length);
    }
    fuzz_file_set(&file, data, size);
    (void)merge(ctx, file.path, file.path, output);
    if (merge(ctx, file.path, same.path, output))
        require(merge(ctx, same.path, file.path, output));
    return 0;
}
