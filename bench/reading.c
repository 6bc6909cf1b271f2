/* Measures reading alone: the inputs are decompressed and divided into segments, without further
 * processing, in one thread. To be compared with a decompressor that writes to /dev/null.
 *
 *     reading INPUT...
 */
#include "corpus/corpus.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_text_options text;
    psdvec_context_options_default(&options);
    psdvec_text_options_default(&text);
    options.threads = 1;
    if (psdvec_context_new(&options, &ctx) != PSDVEC_OK)
        return 1;
    pv_inputs inputs;
    pv_corpus *corpus = NULL;
    pv_segment segment;
    pv_segment_init(&segment, ctx);
    psdvec_status status =
        pv_inputs_expand(ctx, (const char *const *)argv + 1, (size_t)argc - 1, &inputs);
    if (status == PSDVEC_OK)
        status = pv_corpus_new(ctx, &inputs, &text, NULL, &corpus);
    size_t place = SIZE_MAX;
    for (bool more = true; status == PSDVEC_OK && more;)
        status = pv_corpus_next(corpus, &place, &segment, &more);
    if (status == PSDVEC_OK)
        printf("%llu\n", (unsigned long long)pv_corpus_bytes(corpus));
    else
        fprintf(stderr, "%s\n", psdvec_error_message(ctx));
    pv_segment_free(&segment);
    pv_corpus_free(corpus);
    pv_inputs_free(&inputs);
    psdvec_context_free(ctx);
    return status == PSDVEC_OK ? 0 : 1;
}
