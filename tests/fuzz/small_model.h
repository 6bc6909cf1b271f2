/* Small models of every kind, as files, from which fuzzers and their seeds are made. */
#ifndef PV_FUZZ_SMALL_MODEL_H
#define PV_FUZZ_SMALL_MODEL_H

#include "fuzz/fuzz.h"
#include "model/model_write.h"
#include "model/sparse_file.h"

typedef enum small_kind {
    SMALL_PLAIN,   /* only generative vectors */
    SMALL_FULL,    /* with read-out, forms, phrases, spelling, fit */
    SMALL_COMPACT, /* int8, without generative vectors: the compact layout */
    SMALL_SPARSE,
    SMALL_BINARY, /* sparse, without values */
    SMALL_KINDS
} small_kind;

enum { SMALL_WORDS = 5, SMALL_DIM = 3 };

static inline psdvec_status small_sparse(psdvec_context *ctx, bool ones, const char *path)
{
    static const uint64_t offsets[] = {0, 3, 5, 8, 10, 18}, counts[] = {9, 7, 5, 3, 1};
    static const uint64_t begin[] = {0, 2, 5, 5, 6, 8};
    static const uint32_t column[] = {0, 2, 0, 1, 2, 1, 0, 1};
    static const float value[] = {1, 2, -3, 4, 0.5F, 6, 7, 8};
    const pv_sparse_model_data model = {
        .rows = pv_csr_of(SMALL_WORDS, SMALL_DIM, begin, column, ones ? NULL : value),
        .bytes = "theofandtonew_york",
        .offsets = offsets,
        .counts = counts,
        .directions_are_words = ones,
        .method = "ppmi",
        .settings_json = "{\"shift\": 1}"};
    return pv_sparse_model_write(ctx, &model, path);
}

static inline psdvec_status small_dense(psdvec_context *ctx, small_kind kind,
                                        psdvec_precision precision, const char *path)
{
    bool more = kind != SMALL_PLAIN;
    static const uint32_t ends[] = {0, 2, 5, 8}, members[] = {1, 2, 1};
    static const int8_t rows[] = {1, 2, 3, -4, -5, -127, 0, 0, 9};
    static const float scales[] = {0.5F, 0, 2}, map[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const float readout[] = {0, 1, 0, 1, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, -1};
    static const pv_spelling_table table = {.ngrams = 3,
                                            .dim = SMALL_DIM,
                                            .shortest = 2,
                                            .longest = 3,
                                            .text = 8,
                                            .bytes = "anndtthe",
                                            .offsets = ends,
                                            .members = members,
                                            .rows = rows,
                                            .row_scale = scales};
    static const uint64_t offsets[] = {0, 3, 5, 8, 10, 18}, counts[] = {9, 7, 5, 3, 1};
    static const uint64_t form_offsets[] = {0, 3, 3, 6, 6, 14};
    static const float vectors[] = {1, 2, 3, 4, 5, 6, 0, 0, 0, -1, -2, -3, 0.5F, 0, 1};
    static const float small[] = {3, -2, 1, 0, 0.5F}, spread[] = {0, 0, 0, 0.5F, 0.25F};
    static const double unigram[] = {0.3, 0.2, 0.2, 0.2, 0.1};
    static const psdvec_iteration steps[] = {{1, 3, 2, 10.5, 1, 0.5, 1e-3},
                                             {2, 3, 2, 9, 1, 0.5, 0}};
    const pv_model_data model = {
        .words = SMALL_WORDS,
        .dim = SMALL_DIM,
        .core_words = 3,
        .bytes = "theofandtonew_york",
        .offsets = offsets,
        .forms = "TheANDNew York",
        .form_offsets = more ? form_offsets : NULL,
        .vectors = vectors,
        .counts = counts,
        .unigram = unigram,
        .spread = spread,
        .eigenvalues = small,
        .iterations = steps,
        .iteration_count = 2,
        .settings_json = "{\"dim\": 3}",
        .counts_json = "{\"settings\": {\"window\": 5}}",
        .extensions_json = "[]",
        .fit_json = more ? "{\"temperature\": 1.5, \"self\": 0, \"temperature_counts\": 1, "
                           "\"interpolation\": 0.5, \"discount_once\": 0.5, "
                           "\"discount_twice\": 1, \"discount_more\": 1.5}"
                         : NULL,
        .readout = more ? readout : NULL,
        .readout_mean = more ? small : NULL,
        .readout_map = more ? map : NULL,
        .spelling = more ? &table : NULL,
        .phrases = more ? (pv_phrase_list){"new york\n", 9} : (pv_phrase_list){0},
        .only_readout = kind == SMALL_COMPACT,
        .precision = kind == SMALL_COMPACT ? PSDVEC_INT8 : precision};
    return pv_model_write(ctx, &model, path);
}

/* Reads a file that the library wrote, and removes it. */
static inline size_t small_take(const char *path, char *bytes, size_t most)
{
    FILE *made = fopen(path, "rb");
    size_t length = made ? fread(bytes, 1, most, made) : 0;
    require(length > 0 && length < most && fclose(made) == 0 && unlink(path) == 0);
    return length;
}

/* The model as bytes; returns how many. The precision matters for the first two kinds. */
static inline size_t small_model(psdvec_context *ctx, small_kind kind, psdvec_precision precision,
                                 char *bytes, size_t most)
{
    char path[64];
    fuzz_output_path(path);
    pv_begin(ctx);
    psdvec_status status = kind >= SMALL_SPARSE ? small_sparse(ctx, kind == SMALL_BINARY, path)
                                                : small_dense(ctx, kind, precision, path);
    require(status == PSDVEC_OK);
    return small_take(path, bytes, most);
}

#endif
