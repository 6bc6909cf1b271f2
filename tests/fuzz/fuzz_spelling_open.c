/* Fuzzes the tables of n-grams: their arrays come from an untrusted file, and a table that opens
 * must give finite vectors for any word.
 *
 * The first bytes are the sizes, then come offsets, members, scales, rows and the text, as far as
 * the input goes, followed by zeros. The queried word is the input itself.
 */
#include "fuzz/fuzz.h"
#include "spelling/spelling.h"

#include <math.h>

enum { MOST = 64, MOST_TEXT = 256 };

/* Blocks of exactly the right size, so that the sanitizer detects reads beyond them. */
static void *take(const uint8_t **data, size_t *size, size_t bytes)
{
    size_t have = bytes < *size ? bytes : *size;
    unsigned char *block = calloc(bytes ? bytes : 1, 1);
    if (!block)
        abort();
    if (have)
        memcpy(block, *data, have);
    *data += have;
    *size -= have;
    return block;
}

static void ask(const pv_spelling *s, psdvec_context *ctx, const uint8_t *word, size_t length,
                uint32_t dim)
{
    float *vector = calloc(dim, sizeof *vector), *sum = calloc(dim, sizeof *sum);
    uint64_t offsets[2] = {0, length};
    pv_spelling_words words = {.words = 1, .bytes = (const char *)word, .offsets = offsets};
    if (!vector || !sum)
        abort();
    uint32_t known = pv_spelling_vector(s, (const char *)word, length, vector);
    if (pv_spelling_add(ctx, s, &words, 1, sum) != PSDVEC_OK)
        abort();
    for (uint32_t k = 0; k < dim; k++)
        if (!isfinite(vector[k]) || !isfinite(sum[k]) || (known == 0 && vector[k] != 0))
            abort();
    free(vector);
    free(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *word = data;
    size_t length = size;
    static psdvec_context *ctx;
    pv_spelling *s;
    if (size < 5)
        return 0;
    if (!ctx)
        ctx = fuzz_context(16);
    pv_begin(ctx);
    pv_spelling_table t = {.ngrams = data[0] % MOST,
                           .dim = data[1] % MOST,
                           .shortest = data[2] % 20,
                           .longest = data[3] % 20,
                           .text = data[4] % MOST_TEXT};
    data += 5;
    size -= 5;
    uint32_t *offsets = take(&data, &size, ((size_t)t.ngrams + 1) * sizeof *offsets);
    uint32_t *members = take(&data, &size, t.ngrams * sizeof *members);
    float *scale = take(&data, &size, t.ngrams * sizeof *scale);
    char *bytes = take(&data, &size, (size_t)t.text);
    int8_t *rows = take(&data, &size, (size_t)t.ngrams * t.dim);
    t.offsets = offsets;
    t.members = members;
    t.row_scale = scale;
    t.bytes = bytes;
    t.rows = rows;
    if (pv_spelling_open(ctx, &t, "fuzz", &s) == PSDVEC_OK) {
        ask(s, ctx, word, length, t.dim);
        ask(s, ctx, (const uint8_t *)bytes, (size_t)t.text, t.dim);
    }
    pv_spelling_free(s);
    free(offsets);
    free(members);
    free(scale);
    free(bytes);
    free(rows);
    require(atomic_load(&ctx->memory_used) == 0);
    return 0;
}
