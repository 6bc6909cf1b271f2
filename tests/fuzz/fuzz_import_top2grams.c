/* Fuzzes the import of the original program's text format. */
#include "fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    psdvec_import_options options = {.size = sizeof(psdvec_import_options),
                                     .format = PSDVEC_FORMAT_TOP2GRAMS};
    static fuzz_file input;
    fuzz_file_set(&input, data, size);
    fuzz_import(&options, input.path);
    return 0;
}
