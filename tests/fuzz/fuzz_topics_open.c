/* Fuzzes the reader of topics files.
 *
 * The input is the complete file, which the mutator keeps consistent. Everything that a caller can
 * reach is read, and topics are applied to a text: shares must be finite and sum to 1.
 */
#include "fuzz/fuzz.h"
#include "support/tensor_mutator.h"

#include <math.h>

TENSOR_MUTATOR

static void check_mixture(void *user, const psdvec_topic_mixture *mixture)
{
    const psdvec_topics_info *info = user;
    double sum = 0;
    for (uint32_t k = 0; k < info->topics; k++) {
        require(mixture->shares[k] >= 0 && mixture->shares[k] <= 1);
        sum += (double)mixture->shares[k];
    }
    require(fabs(sum - 1) < 1e-3 && strlen(mixture->beginning) < 1000);
}

static void walk(psdvec_context *ctx, const psdvec_topics *topics)
{
    const psdvec_topics_info *info = psdvec_topics_get_info(topics);
    volatile double sum = 0;
    size_t length, found;
    for (uint32_t i = 0; i < info->words; i++) {
        const char *word = psdvec_topics_word(topics, i, &length);
        for (size_t k = 0; k < length; k++)
            sum += (unsigned char)word[k];
    }
    for (uint64_t d = 0; d < info->documents; d++)
        sum += (double)(strlen(psdvec_topics_source(topics, d)) +
                        strlen(psdvec_topics_beginning(topics, d)) +
                        (psdvec_topics_mixture(topics, d)[info->topics - 1] > 0));
    for (uint64_t d = 0; d < info->documents; d++) {
        const char *details[] = {psdvec_topics_label(topics, d), psdvec_topics_date(topics, d),
                                 psdvec_topics_name(topics, d)};
        for (size_t k = 0; k < 3; k++)
            sum += details[k] ? (double)strlen(details[k]) : 0;
    }
    for (uint32_t k = 0; k < info->topics; k++) {
        psdvec_topic_word words[3];
        uint64_t documents[3];
        require(psdvec_topics_words(ctx, topics, k, 3, words, &found) == PSDVEC_OK && found <= 3);
        for (size_t n = 0; n < found; n++)
            require(words[n].word < info->words && words[n].lift > 0);
        require(psdvec_topics_documents(ctx, topics, k, 3, documents, &found) == PSDVEC_OK);
        for (size_t n = 0; n < found; n++)
            require(documents[n] < info->documents);
        sum += psdvec_topics_share(topics, k);
        sum += psdvec_topics_class(topics, k) ? (double)strlen(psdvec_topics_class(topics, k)) : 0;
        if (info->dim > 0)
            sum += (double)psdvec_topics_vector(topics, k)[info->dim - 1];
    }
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    static fuzz_file file, text;
    static const char documents[] = "the ship and the sea\n\nbread of the oven\n";
    if (!ctx) {
        ctx = fuzz_context(256);
        fuzz_file_set(&text, (const uint8_t *)documents, sizeof documents - 1);
    }
    fuzz_file_set(&file, data, size);
    psdvec_topics *topics = NULL;
    psdvec_status status = psdvec_topics_open(ctx, file.path, &topics);
    require((status == PSDVEC_OK) == (topics != NULL) && status != PSDVEC_ERR_INTERNAL);
    if (topics) {
        const char *input = text.path;
        walk(ctx, topics);
        if (psdvec_topics_verify(ctx, topics) != PSDVEC_OK)
            require(psdvec_error_message(ctx)[0] != '\0');
        status = psdvec_topics_apply(ctx, topics, NULL, &input, 1, check_mixture,
                                     (void *)psdvec_topics_get_info(topics));
        require(status != PSDVEC_ERR_INTERNAL);
        psdvec_topics_close(topics);
    } else {
        require(psdvec_error_message(ctx)[0] != '\0');
    }
    require(atomic_load(&ctx->memory_used) == 0);
    return 0;
}
