/* Fuzzes the wiki markup converter: any bytes give clean text, not longer than the markup. The text
 * then goes through the one-line form and, as if it were WikiExtractor's, through that reader. */
#include "corpus/records.h"
#include "corpus/wiki_markup.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx && psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        abort();
    pv_begin(ctx);
    char *exact = malloc(size ? size : 1); /* so that the sanitizer detects a read beyond the end */
    require(exact != NULL);
    if (size)
        memcpy(exact, data, size);

    pv_buffer text, line;
    pv_buffer_init(&text, ctx);
    pv_buffer_init(&line, ctx);
    require(pv_wiki_markup_to_text(exact, size, &text) == PSDVEC_OK);
    require(text.length <= size);
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        require(c >= ' ' || c == '\n');
        bool blank = c == ' ' || c == '\n';
        if (blank)
            require(i > 0 && i + 1 < text.length && (unsigned char)text.data[i + 1] > ' ');
    }
    require(pv_wiki_text_to_line(text.data ? text.data : "", text.length, &line) == PSDVEC_OK);
    require(text.length == 0 ? line.length == 0
                             : memchr(line.data, '\n', line.length) == line.data + line.length - 1);

    line.length = 0;
    require(pv_wiki_extractor_to_lines(exact, size, &line) == PSDVEC_OK);
    (void)pv_wiki_extractor_looks_like(exact, size);

    pv_buffer_free(&text);
    pv_buffer_free(&line);
    free(exact);
    return 0;
}
