/* Fuzzes the import of GloVe's files. The first byte has the options and selects whether the
 * remaining bytes are cooccurrence.bin or vocab.txt; the other of the two is valid. */
#include "fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char words[] = "the 9\nof 7\nand 5\nto 3\nin 1\n";
    static const struct {
        int32_t word1, word2;
        double value;
    } records[] = {{1, 2, 1.5}, {2, 1, 1.5}, {3, 3, 2}};
    if (size == 0)
        return 0;
    psdvec_import_options options;
    psdvec_import_options_default(&options);
    options.symmetric = data[0] & 1;
    options.window = data[0] >> 1 & 7;
    options.scale = data[0] & 16 ? data[0] : 0;
    bool list = data[0] & 32;
    static fuzz_file vocab, input;
    fuzz_file_set(&vocab, list ? (const void *)(data + 1) : words,
                  list ? size - 1 : sizeof words - 1);
    fuzz_file_set(&input, list ? (const void *)records : data + 1,
                  list ? sizeof records : size - 1);
    options.vocab_file = vocab.path;
    fuzz_import(&options, input.path);
    return 0;
}
