/* Fuzzes the reader of word lists: text with or without frequencies, or a counts file. The words
 * must be distinct, not empty and without blanks, and frequencies exist for all words or none. */
#include "base/word_index.h"
#include "count/vocabulary.h"
#include "fuzz/fuzz.h"
#include "support/tensor_mutator.h"

TENSOR_MUTATOR

static void check(psdvec_context *ctx, const pv_vocabulary *v)
{
    pv_word_index index;
    uint32_t other;
    require(v->count > 0 && (v->list_frequency != NULL) == (v->line_without == 0));
    require(pv_word_index_init(&index, ctx, v->count, v->bytes, v->offsets, "words") == PSDVEC_OK);
    for (uint32_t i = 0; i < v->count; i++) {
        size_t length;
        const char *word = pv_vocabulary_word(v, i, &length);
        require(length > 0 && memchr(word, '\n', length) == NULL);
        require(pv_word_index_add(&index, i, &other));
    }
    pv_word_index_free(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    static fuzz_file file;
    pv_vocabulary vocabulary;
    if (!ctx)
        ctx = fuzz_context(64);
    fuzz_file_set(&file, data, size);
    pv_begin(ctx);
    pv_vocabulary_init(&vocabulary, ctx);
    psdvec_status status = pv_vocabulary_read(&vocabulary, file.path);
    if (status == PSDVEC_OK)
        check(ctx, &vocabulary);
    else
        require(psdvec_error_message(ctx)[0] != '\0' && status != PSDVEC_ERR_INTERNAL);
    pv_vocabulary_free(&vocabulary);
    require(atomic_load(&ctx->memory_used) == 0);
    return 0;
}
