/* Fuzzes the readers of third-party vectors: text, binary, npy and its words.
 *
 * The first byte selects the type of the remaining bytes: a file of vectors or, if it is odd, the
 * words of a valid npy file; and the format in which the result is written. The result must be
 * finite, in valid UTF-8 and without duplicate words, and reading it back from that format must
 * give the same bits.
 */
#include "fuzz/fuzz.h"
#include "model/model_read.h"
#include "util/utf8.h"

#include <math.h>

static void check(psdvec_context *ctx, const psdvec_model *model)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    require(info->words > 0 && info->dim > 0);
    for (uint32_t i = 0; i < info->words; i++) {
        size_t length;
        uint32_t index;
        const char *word = psdvec_model_word(model, i, &length);
        require(length > 0 && psdvec_model_find(model, word, length, &index) && index == i);
        for (size_t k = 0, step; k < length; k += step)
            require((step = pv_utf8_sequence(word + k, length - k)) > 0);
        for (uint32_t k = 0; k < info->dim; k++)
            require(isfinite(psdvec_model_vector(model, i)[k]));
    }
    require(psdvec_model_verify(ctx, model) == PSDVEC_OK);
}

/* Reads the model from the format again; words that the format cannot hold may change, and then
 * become equal or invalid. */
static void check_again(psdvec_context *ctx, const psdvec_model *model, const char *path,
                        const char *words)
{
    psdvec_model *again;
    const psdvec_model_info *info = psdvec_model_get_info(model);
    bool plain = true;
    for (uint64_t k = 0; k < model->offsets[info->words]; k++)
        plain &= (unsigned char)model->bytes[k] > ' ';
    psdvec_status status = pv_model_open(ctx, path, words, &again);
    /* GloVe's text with one number per line may begin like word2vec's; and a word may begin with
     * the bytes of a byte order mark. */
    bool apart = info->dim > 1 && memcmp(model->bytes, "\xef\xbb\xbf", 3) != 0;
    /* Nor can binary be distinguished from text if the numbers have only bytes that occur in
     * text. */
    bool control = false;
    const unsigned char *bytes = model->vectors.data;
    for (size_t k = 0; k < (size_t)info->words * info->dim * sizeof(float); k++)
        control |= bytes[k] < ' ' && bytes[k] != '\n' && bytes[k] != '\r' && bytes[k] != '\t';
    apart &= control;
    require(!plain || !apart || status == PSDVEC_OK);
    if (plain && apart) {
        size_t numbers = (size_t)info->words * info->dim;
        require(again->info.words == info->words && again->info.dim == info->dim);
        require(memcmp(again->vectors.data, model->vectors.data, numbers * sizeof(float)) == 0);
        require(memcmp(again->bytes, model->bytes, model->offsets[info->words]) == 0);
    }
    psdvec_model_close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char npy[] = "\x93NUMPY\1\0\x3e\0{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (2, 1), }  \n\0\0\x80\x3f\0\0\0\x40";
    static psdvec_context *ctx;
    static char out[64], out_words[80];
    static fuzz_file file, words;
    if (!ctx) {
        ctx = fuzz_context(256);
        fuzz_output_path(out);
        snprintf(out_words, sizeof out_words, "%s.words.txt", out);
    }
    if (size == 0)
        return 0;
    bool list = data[0] & 1;
    int format = 1 + (data[0] >> 1) % 4;
    fuzz_file_set(&file, list ? (const void *)npy : data + 1, list ? sizeof npy - 1 : size - 1);
    fuzz_file_set(&words, list ? (const void *)(data + 1) : "a\nb\n", list ? size - 1 : 4);
    uint64_t before = atomic_load(&ctx->memory_used);
    psdvec_model *model;
    pv_begin(ctx);
    if (pv_model_open(ctx, file.path, words.path, &model) == PSDVEC_OK && !model->info.native) {
        check(ctx, model);
        psdvec_convert_options options = {.size = sizeof(psdvec_convert_options),
                                          .format = (psdvec_vectors_format)format};
        /* The words of an npy file are found by its name, and this file has none. */
        if (!model->foreign.npy) {
            require(psdvec_convert(ctx, &options, file.path, out) == PSDVEC_OK);
            pv_begin(ctx);
            check_again(ctx, model, out, format == PSDVEC_VECTORS_NPY ? out_words : NULL);
        }
    } else if (!model) {
        require(psdvec_error_message(ctx)[0] != '\0');
    }
    psdvec_model_close(model);
    require(atomic_load(&ctx->memory_used) == before);
    unlink(out);
    unlink(out_words);
    return 0;
}
