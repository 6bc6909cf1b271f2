/* Part of psdvec.h: co-occurrence counts of word pairs, and counts files.
 *
 * psdvec_count reads text and writes a counts file: the vocabulary, and how often each word occurs
 * within a few words after each other word. Models are trained from it, so text that is used for
 * several models needs to be counted only once.
 *
 *     const char *inputs[] = {"wiki.txt.zst"};
 *     psdvec_count(ctx, NULL, inputs, 1, "wiki.counts.safetensors", NULL);
 *
 *     psdvec_counts *counts;
 *     uint32_t context, focus;
 *     if (psdvec_counts_open(ctx, "wiki.counts.safetensors", &counts) == PSDVEC_OK &&
 *         psdvec_counts_find(counts, "folk", 4, &context) &&
 *         psdvec_counts_find(counts, "music", 5, &focus))
 *         printf("%g\n", (double)psdvec_counts_get(counts, context, focus) /
 *                            (double)psdvec_counts_get_info(counts)->scale);
 *     psdvec_counts_close(counts);
 *
 * Pairs are directed: x_ij counts focus word j after context word i. Counts are exact; weights by
 * distance are stored as multiples of 1/scale.
 */
#ifndef PSDVEC_COUNTS_H
#define PSDVEC_COUNTS_H

#include <psdvec/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- From tokens to counts -------------------------------------------- */
/* Weight of a pair whose words are d words apart. */
typedef enum psdvec_distance {
    PSDVEC_DISTANCE_UNIFORM = 0, /* 1 */
    PSDVEC_DISTANCE_LINEAR,      /* (window + 1 - d) / window */
    PSDVEC_DISTANCE_HARMONIC     /* 1 / d */
} psdvec_distance;

/* What happens to words outside the vocabulary. */
typedef enum psdvec_oov {
    PSDVEC_OOV_KEEP = 0, /* they keep their place in the window */
    PSDVEC_OOV_DROP      /* they are removed before windows are formed */
} psdvec_oov;

typedef struct psdvec_count_options {
    size_t size; /* set by psdvec_count_options_default */
    psdvec_text_options text;
#include <psdvec/options/count.def>
} psdvec_count_options;

/* Sets all members, including `text`, to their defaults. The presets of training count differently,
 * with a window of 10 for instance; psdvec_train_options_preset gives their counting options. */
static inline void psdvec_count_options_default(psdvec_count_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_COUNT, options, sizeof *options, sizeof options->text, NULL);
}

/* Returns PSDVEC_OK, or PSDVEC_ERR_OPTION and an error message that names the invalid option. */
PSDVEC_API psdvec_status psdvec_count_options_check(psdvec_context *ctx,
                                                    const psdvec_count_options *options);

/* Statistics of a counting run. */
typedef struct psdvec_count_report {
    uint64_t bytes; /* of text, after decompression */
    uint64_t documents;
    uint64_t tokens;         /* all tokens, including those outside the vocabulary */
    uint64_t known_tokens;   /* tokens in the vocabulary */
    uint64_t distinct_words; /* before `min_count` and `max_vocab`; 0 if not known */
    uint64_t words;          /* size of the vocabulary */
    uint64_t bigrams;        /* distinct directed word pairs */
    uint64_t bad_bytes;      /* bytes of invalid UTF-8 that were replaced */
    uint64_t runs;           /* sorted runs merged; 1 if everything fit into memory */
    uint64_t spilled_bytes;  /* written to temporary files */
    double seconds;
} psdvec_count_report;

/* Counts the word pairs of the inputs and writes a counts file. An input is a file (plain, gz, bz2,
 * xz, zst, lz4, tar, zip, or a Wikipedia dump), a folder, or "-" for standard input. `options` and
 * `report` may be NULL. An existing output is replaced only when the new file is complete. */
PSDVEC_API psdvec_status psdvec_count(psdvec_context *ctx, const psdvec_count_options *options,
                                      const char *const *inputs, size_t input_count,
                                      const char *output, psdvec_count_report *report);

/* ---- Reading a counts file --------------------------------------------- */
typedef struct psdvec_counts psdvec_counts;

/* Opens a counts file; close it with psdvec_counts_close. The file is memory-mapped. Its
 * structure, words and totals are checked, but not its checksums and rows: call psdvec_counts_verify
 * or psdvec_counts_check_rows before reading the rows of an untrusted file. If another process
 * truncates the file, the next access raises SIGBUS (see psdvec_model_open). */
PSDVEC_API psdvec_status psdvec_counts_open(psdvec_context *ctx, const char *path,
                                            psdvec_counts **counts);

/* Closes a counts file. Pointers obtained from it become invalid. `counts` may be NULL. */
PSDVEC_API void psdvec_counts_close(psdvec_counts *counts);

/* Reads the whole file, compares all checksums, and checks the rows like
 * psdvec_counts_check_rows. */
PSDVEC_API psdvec_status psdvec_counts_verify(psdvec_context *ctx, const psdvec_counts *counts);

/* Checks all rows: column indices are ascending and within the vocabulary, values are not 0, and rows
 * and columns add up to their totals. */
PSDVEC_API psdvec_status psdvec_counts_check_rows(psdvec_context *ctx, const psdvec_counts *counts);

typedef struct psdvec_counts_info {
    uint32_t words;   /* size of the vocabulary; words are numbered from 0, the most frequent first
                         unless `vocab_file` set the order */
    uint64_t bigrams; /* distinct directed word pairs */
    uint64_t scale;   /* a stored value v is a count of v / scale */
    uint64_t total;   /* sum of all stored values */
    uint64_t tokens;  /* tokens read, including those outside the vocabulary */
    uint64_t documents;
    uint64_t file_bytes;
    uint32_t window;
    bool wide;                   /* stored values have 64 bits instead of 32 */
    const char *settings_json;   /* options of the counting run, a JSON object */
    const char *vocabulary_json; /* how the vocabulary was chosen, a JSON object */
    const char *inputs_json;     /* the inputs, a JSON array of objects */
    const char *written_by;      /* "psdvec 0.1.0" */
    uint64_t held_out;           /* words kept out of the counts, to fit T and e to */
    uint64_t phrases;            /* joined in the text (text option `phrases`) */
} psdvec_counts_info;

/* Returns the metadata of the file, valid until the file is closed. */
PSDVEC_API const psdvec_counts_info *psdvec_counts_get_info(const psdvec_counts *counts);

/* The following functions return NULL, 0, an empty row or, for psdvec_counts_retention, NAN if i
 * is not the index of a word. */

/* Returns word i as UTF-8, not null-terminated, and stores its length in bytes in *length (may be
 * NULL). Valid until the file is closed. */
PSDVEC_API const char *psdvec_counts_word(const psdvec_counts *counts, uint32_t i, size_t *length);

/* Finds a word by its exact bytes. Returns true and stores its index in *i, or returns false if the
 * word is not in the vocabulary. */
PSDVEC_API bool psdvec_counts_find(const psdvec_counts *counts, const char *word, size_t length,
                                   uint32_t *i);

/* Returns how often word i occurs in the text. */
PSDVEC_API uint64_t psdvec_counts_frequency(const psdvec_counts *counts, uint32_t i);

/* Return the marginal totals of word i in units of 1/scale: as a context word, the sum of x_ij over
 * j; as a focus word, the sum of x_ji over j. */
PSDVEC_API uint64_t psdvec_counts_context_total(const psdvec_counts *counts, uint32_t i);
PSDVEC_API uint64_t psdvec_counts_focus_total(const psdvec_counts *counts, uint32_t i);

/* Returns the subsampling factor of word i, 1 without subsampling. The expected count of a pair is
 * x_ij / scale * keep(i) * keep(j). */
PSDVEC_API double psdvec_counts_retention(const psdvec_counts *counts, uint32_t i);

/* One row of the counts: the focus words seen after a context word. */
typedef struct psdvec_row {
    size_t length;
    const uint32_t *focus;    /* word indices, ascending */
    const uint32_t *values32; /* counts in units of 1/scale; NULL if the file is wide */
    const uint64_t *values64; /* the same; NULL if the file is not wide */
} psdvec_row;

/* Stores row i in *row. The arrays are valid until the file is closed. */
PSDVEC_API void psdvec_counts_row(const psdvec_counts *counts, uint32_t i, psdvec_row *row);

/* Returns value k of a row, k < row->length, in units of 1/scale. */
static inline uint64_t psdvec_row_value(const psdvec_row *row, size_t k)
{
    return row->values32 ? row->values32[k] : row->values64[k];
}

/* Returns x_ij for context word i and focus word j in units of 1/scale, 0 if the pair never occurs.
 * Binary search in the row of the context word. */
PSDVEC_API uint64_t psdvec_counts_get(const psdvec_counts *counts, uint32_t context,
                                      uint32_t focus);

/* ---- Merging ------------------------------------------------------------ */
/* Adds up counts files. Files with the same vocabulary in the same order keep it; otherwise the
 * result has the union of the words, ordered by frequency. The files must have been counted with
 * the same settings; window, distance weights and scale in particular. `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_counts_merge(psdvec_context *ctx, const char *const *paths,
                                             size_t path_count, const char *output,
                                             psdvec_count_report *report);

/* ---- Import and export ---------------------------------------------------- */
typedef enum psdvec_counts_format {
    PSDVEC_FORMAT_GLOVE = 0,     /* GloVe's cooccurrence.bin, and vocab.txt for the words */
    PSDVEC_FORMAT_MATRIX_MARKET, /* Matrix Market coordinate format, and a list of words */
    PSDVEC_FORMAT_TOP2GRAMS      /* text format of the original PSDVec program */
} psdvec_counts_format;

typedef struct psdvec_import_options {
    size_t size; /* set by psdvec_import_options_default */
#include <psdvec/options/import.def>
} psdvec_import_options;

/* Sets all members to their defaults. */
static inline void psdvec_import_options_default(psdvec_import_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_IMPORT, options, sizeof *options, 0, NULL);
}

/* Reads the counts of another program and writes a counts file. `input` may be compressed, or "-"
 * for standard input. Records may come in any order; those of the same pair are added up.
 * docs/how-to/exchange-counts.md describes what is kept. `options` and `report` may be NULL; documents and
 * bad_bytes of the report are 0. */
PSDVEC_API psdvec_status psdvec_counts_import(psdvec_context *ctx,
                                              const psdvec_import_options *options,
                                              const char *input, const char *output,
                                              psdvec_count_report *report);

/* Writes counts in the format of another program. `vocab_output` receives the words and their
 * frequencies; it is required for GLOVE and MATRIX_MARKET. TOP2GRAMS contains the words; there it
 * may be NULL, or receives the original program's top1grams. With `symmetric`, each pair is written in both directions with the sum of
 * both counts, as GloVe does; MATRIX_MARKET then has a symmetric matrix, of which one triangle is
 * written. Subsampled counts are multiplied by their factors (psdvec_counts_retention). */
PSDVEC_API psdvec_status psdvec_counts_export(psdvec_context *ctx, const psdvec_counts *counts,
                                              psdvec_counts_format format, bool symmetric,
                                              const char *output, const char *vocab_output);

#ifdef __cplusplus
}
#endif
#endif
