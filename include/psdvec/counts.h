/* Part of psdvec.h: counting word pairs, and counts files. */
#ifndef PSDVEC_COUNTS_H
#define PSDVEC_COUNTS_H

#include <psdvec/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- From tokens to counts -------------------------------------------- */
typedef enum psdvec_distance {
    PSDVEC_DISTANCE_UNIFORM = 0, /* every pair in the window counts 1 */
    PSDVEC_DISTANCE_LINEAR,      /* (window + 1 - d) / window */
    PSDVEC_DISTANCE_HARMONIC     /* 1 / d */
} psdvec_distance;

typedef enum psdvec_oov {
    PSDVEC_OOV_KEEP = 0, /* unknown words keep their place in the window */
    PSDVEC_OOV_DROP      /* unknown words are taken out before windows are laid */
} psdvec_oov;

typedef struct psdvec_count_options {
    size_t size; /* filled in by psdvec_count_options_default */
    psdvec_text_options text;
#include <psdvec/options/count.def>
} psdvec_count_options;

static inline void psdvec_count_options_default(psdvec_count_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_COUNT, options, sizeof *options, sizeof options->text, NULL);
}

/* PSDVEC_OK, or PSDVEC_ERR_OPTION with a sentence in the context. */
PSDVEC_API psdvec_status psdvec_count_options_check(psdvec_context *ctx,
                                                    const psdvec_count_options *options);

/* What a counting run saw. */
typedef struct psdvec_count_report {
    uint64_t bytes; /* of text, after decompression */
    uint64_t documents;
    uint64_t tokens;         /* all of them, unknown words included */
    uint64_t known_tokens;   /* of words in the vocabulary */
    uint64_t distinct_words; /* before the threshold; 0: not known */
    uint64_t words;          /* in the vocabulary */
    uint64_t bigrams;        /* distinct directed pairs */
    uint64_t bad_bytes;      /* of invalid UTF-8, replaced */
    uint64_t runs;           /* sorted runs merged; 1: all fitted in memory */
    uint64_t spilled_bytes;  /* written to temporary files */
    double seconds;
} psdvec_count_report;

/* Counts the bigrams of the inputs and writes a counts file.
 * An input is a file (plain, gz, bz2, xz, zst, lz4, tar, zip), a folder, or
 * "-" for standard input. `report` may be NULL. An existing output is
 * replaced only when the new one is whole. */
PSDVEC_API psdvec_status psdvec_count(psdvec_context *ctx, const psdvec_count_options *options,
                                      const char *const *inputs, size_t input_count,
                                      const char *output, psdvec_count_report *report);

/* ---- Reading a counts file --------------------------------------------- */
typedef struct psdvec_counts psdvec_counts;

/* Maps the file and checks its structure, not its checksums. */
PSDVEC_API psdvec_status psdvec_counts_open(psdvec_context *ctx, const char *path,
                                            psdvec_counts **counts);
PSDVEC_API void psdvec_counts_close(psdvec_counts *counts);

/* Reads all of the file and compares every checksum. */
PSDVEC_API psdvec_status psdvec_counts_verify(psdvec_context *ctx, const psdvec_counts *counts);
/* Reads all rows: columns are words and ascend, totals add up. To be called before using the
 * columns of a file from elsewhere as indices; opening does not look at them. */
PSDVEC_API psdvec_status psdvec_counts_check_rows(psdvec_context *ctx, const psdvec_counts *counts);

typedef struct psdvec_counts_info {
    uint32_t words;   /* n: words 0 .. n-1, most frequent first unless a list was given */
    uint64_t bigrams; /* distinct directed pairs stored */
    uint64_t scale;   /* a stored value v means v / scale occurrences */
    uint64_t total;   /* sum of all stored values */
    uint64_t tokens;  /* tokens read, unknown words included */
    uint64_t documents;
    uint64_t file_bytes;
    uint32_t window;
    bool wide;                   /* values are 64 bits wide */
    const char *settings_json;   /* how it was made: an object */
    const char *vocabulary_json; /* how the words were chosen: an object */
    const char *inputs_json;     /* from what: an array of objects */
    const char *written_by;      /* "psdvec 0.1.0" */
} psdvec_counts_info;

PSDVEC_API const psdvec_counts_info *psdvec_counts_get_info(const psdvec_counts *counts);

/* Getters answer NULL, 0, an empty row or, of `keep`, NAN if there is no word i. */

/* The word's bytes (UTF-8, not zero-terminated) and their number. */
PSDVEC_API const char *psdvec_counts_word(const psdvec_counts *counts, uint32_t i, size_t *length);
/* True and *i if the word is known. Exact bytes; no folding. */
PSDVEC_API bool psdvec_counts_find(const psdvec_counts *counts, const char *word, size_t length,
                                   uint32_t *i);
/* How often the word stands in the text. */
PSDVEC_API uint64_t psdvec_counts_frequency(const psdvec_counts *counts, uint32_t i);
/* Margins, in units of 1/scale: sum over j of x_ij, and sum over i of x_ij. */
PSDVEC_API uint64_t psdvec_counts_context_total(const psdvec_counts *counts, uint32_t i);
PSDVEC_API uint64_t psdvec_counts_focus_total(const psdvec_counts *counts, uint32_t i);
/* The factor of subsampling in expectation; 1 without it. The expected count
 * of a pair is x_ij / scale * keep(i) * keep(j). */
PSDVEC_API double psdvec_counts_keep(const psdvec_counts *counts, uint32_t i);

/* Row i: the words seen after word i, ascending. Valid until close. */
typedef struct psdvec_row {
    size_t length;
    const uint32_t *focus;    /* length */
    const uint32_t *values32; /* length, or NULL if wide */
    const uint64_t *values64; /* length, or NULL if not wide */
} psdvec_row;
PSDVEC_API void psdvec_counts_row(const psdvec_counts *counts, uint32_t i, psdvec_row *row);

static inline uint64_t psdvec_row_value(const psdvec_row *row, size_t k)
{
    return row->values32 ? row->values32[k] : row->values64[k];
}

/* x_ij in units of 1/scale; 0 if the pair was never seen. */
PSDVEC_API uint64_t psdvec_counts_get(const psdvec_counts *counts, uint32_t context,
                                      uint32_t focus);

/* ---- Merging ------------------------------------------------------------ */
/* Adds up counts files. Files with the same list of words in the same order
 * keep it; otherwise the result has the union of the words, by frequency. The
 * settings must agree; window, distance weights and scale always. */
PSDVEC_API psdvec_status psdvec_counts_merge(psdvec_context *ctx, const char *const *paths,
                                             size_t path_count, const char *output,
                                             psdvec_count_report *report);

/* ---- Other programs' files ------------------------------------------------ */
typedef enum psdvec_counts_format {
    PSDVEC_FORMAT_GLOVE = 0,     /* cooccurrence.bin with vocab.txt beside it */
    PSDVEC_FORMAT_MATRIX_MARKET, /* coordinate format, with a list of words beside it */
    PSDVEC_FORMAT_TOP2GRAMS      /* the text of the original PSDVec program */
} psdvec_counts_format;

typedef struct psdvec_import_options {
    size_t size; /* filled in by psdvec_import_options_default */
#include <psdvec/options/import.def>
} psdvec_import_options;

static inline void psdvec_import_options_default(psdvec_import_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_IMPORT, options, sizeof *options, 0, NULL);
}

/* Reads another program's counts ("-" is standard input; packed files are
 * unpacked) and writes a counts file. Records may come in any order, and those
 * of the same pair are added up. docs/import-export.md says what is kept. Of the
 * report, documents and bad_bytes stay 0. `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_counts_import(psdvec_context *ctx,
                                              const psdvec_import_options *options,
                                              const char *input, const char *output,
                                              psdvec_count_report *report);

/* `vocab_output` receives the words and their frequencies for GLOVE and
 * MATRIX_MARKET; NULL for TOP2GRAMS. With `symmetric`, each pair is written in
 * both directions with the sum of both counts, as GloVe does (MATRIX_MARKET: as
 * a symmetric matrix, of which one triangle is written). Counts that were made
 * with subsampling are multiplied by its factors, psdvec_counts_keep. */
PSDVEC_API psdvec_status psdvec_counts_export(psdvec_context *ctx, const psdvec_counts *counts,
                                              psdvec_counts_format format, bool symmetric,
                                              const char *output, const char *vocab_output);

#ifdef __cplusplus
}
#endif
#endif
