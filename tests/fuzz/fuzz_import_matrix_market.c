/* Fuzzes the import of Matrix Market files. The first byte has the options; with one of its bits
 * the remaining bytes follow a valid banner. */
#include "fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char words[] = "the 9\nof 7\nand 5\nto 3\nin 1\n", bare[] = "a\nb\nc\nd\ne\n";
    static const char banner[] = "%%MatrixMarket matrix coordinate real general\n5 5 3\n";
    if (size == 0)
        return 0;
    psdvec_import_options options = {.size = sizeof(psdvec_import_options),
                                     .format = PSDVEC_FORMAT_MATRIX_MARKET,
                                     .symmetric = data[0] & 1,
                                     .window = data[0] >> 1 & 7,
                                     .scale = data[0] & 16 ? data[0] : 0};
    static fuzz_file vocab, input;
    if (data[0] & 32)
        fuzz_file_set(&vocab, bare, sizeof bare - 1);
    else
        fuzz_file_set(&vocab, words, sizeof words - 1);
    if (data[0] & 64) {
        char *text = malloc(sizeof banner + size);
        require(text != NULL);
        memcpy(text, banner, sizeof banner - 1);
        memcpy(text + sizeof banner - 1, data + 1, size - 1);
        fuzz_file_set(&input, text, sizeof banner - 1 + size - 1);
        free(text);
    } else {
        fuzz_file_set(&input, data + 1, size - 1);
    }
    options.vocab_file = vocab.path;
    fuzz_import(&options, input.path);
    return 0;
}
