/* Fuzzes the conversion of bytes to text: detection of the format, conversion to UTF-8, and text
 * extraction from markup. The results must be valid UTF-8, and the same for complete input and for
 * small pieces. */
#include "corpus/encoding.h"
#include "corpus/file_kind.h"
#include "corpus/markup_text.h"
#include "fuzz/fuzz.h"
#include "util/utf8.h"

static const pv_encoding encodings[] = {
    PV_ENCODING_UTF8,    PV_ENCODING_WINDOWS_1252, PV_ENCODING_UTF16LE, PV_ENCODING_UTF16BE,
    PV_ENCODING_UTF32LE, PV_ENCODING_UTF32BE,      PV_ENCODING_OTHER};

static void convert(psdvec_context *ctx, unsigned how, const char *bytes, size_t length,
                    size_t chunk, pv_buffer *text)
{
    pv_decoder decoder;
    pv_markup_reader reader;
    pv_buffer decoded = {.ctx = ctx};
    size_t at = 0, have = 0, used;
    require(pv_decoder_open(&decoder, ctx, encodings[how % 7], "shift_jis") == PSDVEC_OK);
    pv_markup_begin(&reader, (pv_markup)(PV_MARKUP_HTML + how / 7 % 4), how / 28 % 2);
    do {
        have = length - have > chunk ? have + chunk : length;
        decoded.length = 0;
        require(pv_decoder_feed(&decoder, bytes + at, have - at, have == length, &decoded, &used) ==
                PSDVEC_OK);
        at += used;
        require(decoded.length == 0 ||
                pv_utf8_valid(decoded.data, decoded.length) == decoded.length);
        require(pv_markup_feed(&reader, decoded.data, decoded.length, text) == PSDVEC_OK);
    } while (have < length);
    require(at == length);
    require(pv_markup_end(&reader, text) == PSDVEC_OK);
    pv_decoder_close(&decoder);
    pv_buffer_free(&decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx && psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        abort();
    if (size < 2)
        return 0;
    unsigned how = data[0];
    size_t chunk = data[1] % 61 + 1, length = size - 2, ignored;
    char *bytes = malloc(length ? length : 1); /* exact size, for the sanitizer */
    require(bytes != NULL);
    memcpy(bytes, data + 2, length);
    (void)pv_markup_looks_like(bytes, length);
    (void)pv_markup_charset(bytes, length, &ignored);
    (void)pv_encoding_of_mark(bytes, length, &ignored);
    (void)pv_encoding_guess_wide(bytes, length);
    (void)pv_encoding_guess_narrow(bytes, length, how % 2);
    (void)pv_file_kind_find(bytes, length, &ignored);
    (void)pv_looks_binary(bytes, length, how % 2);
    pv_buffer whole = {.ctx = ctx}, pieces = {.ctx = ctx};
    convert(ctx, how, bytes, length, SIZE_MAX, &whole);
    convert(ctx, how, bytes, length, chunk, &pieces);
    require(whole.length == pieces.length &&
            (whole.length == 0 || memcmp(whole.data, pieces.data, whole.length) == 0));
    require(whole.length == 0 || pv_utf8_valid(whole.data, whole.length) == whole.length);
    pv_buffer_free(&whole);
    pv_buffer_free(&pieces);
    free(bytes);
    return 0;
}
