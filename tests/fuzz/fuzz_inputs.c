/* Fuzzes the reading of files: compression, archives, documents, encodings, markup, JSON lines,
 * dumps. The words of any file are the same if it is read in small pieces from a pipe, or it is
 * refused in both cases. */
#include "fuzz/fuzz.h"

static void mix(void *user, const char *word, size_t length)
{
    uint64_t *hash = user;
    for (size_t i = 0; i < length; i++)
        *hash = (*hash ^ (unsigned char)word[i]) * 0x100000001B3u;
    *hash = (*hash ^ (word ? 0x100 : 0x200)) * 0x100000001B3u;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    static fuzz_file file;
    if (!ctx)
        ctx = fuzz_context(256);
    if (size < 1)
        return 0;
    psdvec_text_options options;
    psdvec_text_options_default(&options);
    options.document = (psdvec_document)(data[0] % 4);
    options.strict = data[0] >> 2 & 1;
    options.encoding = data[0] >> 3 & 1 ? "utf-16" : NULL;
    data++;
    size--;

    uint64_t from_file = 1, from_pipe = 1;
    fuzz_file_set(&file, data, size);
    const char *inputs[] = {file.path};
    psdvec_status first = psdvec_tokenize_inputs(ctx, &options, inputs, 1, mix, &from_file);
    require(first != PSDVEC_ERR_INTERNAL);
    require(first == PSDVEC_OK || psdvec_error_message(ctx)[0] != '\0');

    /* A zip file is read differently if it is not seekable, and may then be refused. */
    bool is_zip = size >= 2 && memcmp(data, "PK", 2) == 0;
    if (size < 4096 && !is_zip) {
        static const char *const standard[] = {"-"};
        fuzz_pipe_set(&file);
        fuzz_most_read = 7;
        psdvec_status second = psdvec_tokenize_inputs(ctx, &options, standard, 1, mix, &from_pipe);
        fuzz_most_read = 0;
        fuzz_pipe_set(NULL);
        require(first == second && (first != PSDVEC_OK || from_file == from_pipe));
    }
    require(atomic_load(&ctx->memory_used) == 0);
    return 0;
}
