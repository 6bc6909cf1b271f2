/* To add a format: a value in psdvec_counts_format, a row here, and what the row names. */
#include "count/formats.h"

#include "count/options.h"

#define FORMATS(ROW)                                                                               \
    ROW(GLOVE, "glove", pv_import_glove, pv_export_glove,                                          \
        "GloVe's cooccurrence.bin, with vocab.txt beside it")                                      \
    ROW(MATRIX_MARKET, "matrix-market", pv_import_matrix_market, pv_export_matrix_market,          \
        "Matrix Market coordinate format, with a list of words beside it")                         \
    ROW(TOP2GRAMS, "top2grams", pv_import_top2grams, pv_export_top2grams,                          \
        "the text of the original PSDVec program")

#define CHOICE(ID, name, reader, writer, help) [PSDVEC_FORMAT_##ID] = {name, help, NULL},
const psdvec_choice pv_counts_format_choices[] = {FORMATS(CHOICE){0}};

#define FUNCTIONS(ID, name, reader, writer, help) [PSDVEC_FORMAT_##ID] = {reader, &(writer)},
const pv_counts_format pv_counts_formats[] = {FORMATS(FUNCTIONS)};
