/* psdvec: word embeddings from a generative model, as a C library.
 *
 * WHAT IT DOES TODAY
 *   Text goes in; exact counts of word pairs and, from them, vectors of words
 *   come out, in files that any language can read. Words that arrive later get
 *   vectors without training anew, words that were never seen from their
 *   spelling. Nearest words, analogies, why two words are alike, scores on test
 *   sets, and other programs' vectors. The probability of documents, what it comes
 *   from, and text drawn from it. The other systems that the paper compares with.
 *
 * THE SHORTEST USEFUL PROGRAM
 *
 *     psdvec_context *ctx;
 *     if (psdvec_context_new(NULL, &ctx) != PSDVEC_OK) return 1;
 *
 *     psdvec_train_options train;
 *     psdvec_count_options count;
 *     psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &count);
 *     count.min_count = 20;
 *
 *     const char *inputs[] = {"wiki.txt.zst", "books"};
 *     if (psdvec_train_text(ctx, &train, &count, inputs, 2, "wiki.safetensors", NULL, NULL))
 *         fprintf(stderr, "%s\n", psdvec_error_message(ctx));
 *
 *     psdvec_context_free(ctx);
 *
 * HABITS
 *   - Every call that can fail returns a psdvec_status; PSDVEC_OK is zero. The
 *     sentence that explains a failure is in psdvec_error_message(ctx).
 *   - The library never prints, never exits and has no global state. Progress,
 *     warnings and cancellation are callbacks of the host.
 *   - Options are plain structs. Fill them with ..._default(), change what you
 *     like, and every call validates them before it does anything.
 *   - Same input, same options: same bits, for any number of threads and any
 *     memory budget; of counts also for any order of the inputs.
 *   - ..._free() and ..._close() accept NULL.
 *   - One context serves one caller at a time; use one context per thread.
 *
 * Part 1 is the simple interface, part 2 the advanced one.
 */
#ifndef PSDVEC_H
#define PSDVEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PSDVEC_VERSION_MAJOR 0
#define PSDVEC_VERSION_MINOR 1
#define PSDVEC_VERSION_PATCH 0
#define PSDVEC_VERSION "0.1.0"

#if defined(__GNUC__)
#define PSDVEC_API __attribute__((visibility("default")))
#else
#define PSDVEC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ======================================================================
 * Part 1. The simple interface
 * ====================================================================== */

/* ---- Status codes, in families of a hundred --------------------------
 * The numbers are part of the interface and never change their meaning. */
typedef enum psdvec_status {
    PSDVEC_OK = 0,

    /* 1xx: the call itself */
    PSDVEC_ERR_OPTION = 100, /* an option is out of range or contradicts another */

    /* 2xx: the text, or another input, cannot be used */
    PSDVEC_ERR_NOT_FOUND = 200, /* no such file or folder */
    PSDVEC_ERR_READ = 201,      /* it exists, but reading it failed */
    PSDVEC_ERR_NOT_TEXT = 202,  /* it does not look like text */
    PSDVEC_ERR_DAMAGED = 203,   /* truncated or encrypted archive, malformed record */
    PSDVEC_ERR_EMPTY = 204,     /* nothing countable in it */
    PSDVEC_ERR_UTF8 = 205,      /* bad UTF-8 where `strict` was asked for */

    /* 3xx: one of our own files cannot be used */
    PSDVEC_ERR_FORMAT = 300,   /* not a file of this kind */
    PSDVEC_ERR_CORRUPT = 301,  /* truncated, or a checksum does not match */
    PSDVEC_ERR_VERSION = 302,  /* written by a newer version */
    PSDVEC_ERR_MISMATCH = 303, /* files that do not belong together */

    /* 4xx: the result cannot be written */
    PSDVEC_ERR_WRITE = 400,     /* missing folder, no permission, I/O error */
    PSDVEC_ERR_DISK_FULL = 401, /* no room */
    PSDVEC_ERR_SAME_FILE = 402, /* the output is one of the inputs */

    /* 5xx: resources */
    PSDVEC_ERR_MEMORY = 500,   /* the system refused memory */
    PSDVEC_ERR_BUDGET = 501,   /* it does not fit the memory budget */
    PSDVEC_ERR_THREAD = 502,   /* the system refused a thread */
    PSDVEC_ERR_OVERFLOW = 503, /* a number would not fit its type */
    PSDVEC_ERR_NUMERIC = 504,  /* a number is not finite */

    /* 6xx: the host asked to stop */
    PSDVEC_ERR_CANCELLED = 600,

    /* 9xx: a defect of the library; please report it */
    PSDVEC_ERR_INTERNAL = 900
} psdvec_status;

/* The name of a status, such as "PSDVEC_ERR_NOT_FOUND". Never NULL. */
PSDVEC_API const char *psdvec_status_name(psdvec_status status);

/* The version of the library in use, "major.minor.patch". */
PSDVEC_API const char *psdvec_version(void);

/* ---- The context: resources, callbacks, the last error --------------- */
typedef struct psdvec_context psdvec_context;

/* What is going on, for a progress line. `total` is 0 while unknown. */
typedef struct psdvec_progress {
    const char *stage;    /* "reading", "counting", ... */
    const char *unit;     /* "B", "words", "rows" */
    uint64_t done, total; /* in units */
    double elapsed;       /* seconds since the stage began */
    double rate;          /* units a second, recent */
    double remaining;     /* seconds left; negative while unknown */
    double objective;     /* of training, so far; NAN: there is none yet */
    uint64_t memory;      /* bytes held by the library now */
} psdvec_progress;

typedef enum psdvec_message_level {
    PSDVEC_NOTE = 0,    /* worth telling with --verbose */
    PSDVEC_WARNING = 1, /* worth telling always; the work goes on */
    PSDVEC_STEP = 2     /* a part of long work is done; worth telling unless quiet */
} psdvec_message_level;

typedef void psdvec_progress_fn(void *user, const psdvec_progress *progress);
typedef void psdvec_message_fn(void *user, psdvec_message_level level, const char *text);
typedef bool psdvec_cancel_fn(void *user); /* true: stop soon. Called from any thread. */

typedef struct psdvec_context_options {
    int threads;         /* 0: as many as the process may use. Fewer if memory is short */
    uint64_t memory;     /* budget in bytes; 0: half of the machine's memory */
    uint64_t seed;       /* of everything random */
    const char *tempdir; /* NULL: the folder of the output */
    psdvec_progress_fn *on_progress; /* at most about ten times a second */
    psdvec_message_fn *on_message;
    psdvec_cancel_fn *should_cancel;
    void *user; /* handed to the three callbacks */
} psdvec_context_options;

PSDVEC_API void psdvec_context_options_default(psdvec_context_options *options);

/* `options` may be NULL for the defaults. On failure *ctx is NULL. */
PSDVEC_API psdvec_status psdvec_context_new(const psdvec_context_options *options,
                                            psdvec_context **ctx);
PSDVEC_API void psdvec_context_free(psdvec_context *ctx);

/* The sentence for the last failure in this context: file, place, cause and
 * remedy. Empty if there was none. Valid until the next call with `ctx`. */
PSDVEC_API const char *psdvec_error_message(const psdvec_context *ctx);

/* Memory this process may use, in bytes: the machine's, or less in a container. */
PSDVEC_API uint64_t psdvec_machine_memory(void);

/* Largest amount of memory, in bytes, the library has held at one time. */
PSDVEC_API uint64_t psdvec_peak_memory(const psdvec_context *ctx);
PSDVEC_API int psdvec_threads(const psdvec_context *ctx);
PSDVEC_API uint64_t psdvec_memory_budget(const psdvec_context *ctx);

/* ---- From text to tokens ---------------------------------------------- */
typedef enum psdvec_tokenizer {
    PSDVEC_TOKENIZER_WORDS = 0,  /* Unicode letters and marks (docs/tokeniser.md) */
    PSDVEC_TOKENIZER_WHITESPACE, /* split at white space; nothing else is changed */
    PSDVEC_TOKENIZER_ORIGINAL,   /* the rules of the original PSDVec program */
    PSDVEC_TOKENIZER_ICU         /* ICU word boundaries: Chinese, Japanese, Thai, ... */
} psdvec_tokenizer;

typedef enum psdvec_case { PSDVEC_CASE_AUTO = 0, PSDVEC_CASE_FOLD, PSDVEC_CASE_KEEP } psdvec_case;
typedef enum psdvec_accents { PSDVEC_ACCENTS_KEEP = 0, PSDVEC_ACCENTS_STRIP } psdvec_accents;
typedef enum psdvec_digits {
    PSDVEC_DIGITS_DROP = 0, /* digits separate words */
    PSDVEC_DIGITS_KEEP,     /* digits are like letters */
    PSDVEC_DIGITS_ZERO      /* like letters, and each becomes 0 */
} psdvec_digits;
typedef enum psdvec_inner { PSDVEC_INNER_JOIN = 0, PSDVEC_INNER_SPLIT } psdvec_inner;

typedef enum psdvec_document {
    PSDVEC_DOCUMENT_LINE = 0,   /* every line (or record) is a document */
    PSDVEC_DOCUMENT_FILE,       /* every file or archive member */
    PSDVEC_DOCUMENT_BLANK_LINE, /* blank lines separate documents */
    PSDVEC_DOCUMENT_NONE        /* each input, folder or archive as a whole */
} psdvec_document;

typedef struct psdvec_text_options {
    psdvec_tokenizer tokenizer;
    psdvec_case letter_case; /* AUTO: fold for words, original, icu; keep for whitespace */
    psdvec_accents accents;
    psdvec_digits digits;
    psdvec_inner apostrophes; /* JOIN: don't is one word. JOIN by default */
    psdvec_inner hyphens;     /* SPLIT by default: well-known is two words */
    uint32_t min_length;      /* shorter tokens vanish; in characters */
    uint32_t max_length;      /* longer tokens vanish; 0: the tokenizer's default */
    psdvec_document document;
    bool sentences;              /* windows end at sentence ends too */
    uint32_t min_document_words; /* shorter documents vanish; at most 1000 */
    bool strict;                 /* bad UTF-8 or a bad record is an error */
    const char *json_field;      /* inputs are JSON lines; take this field. NULL: plain text */
} psdvec_text_options;

PSDVEC_API void psdvec_text_options_default(psdvec_text_options *options);

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
    psdvec_text_options text;
    uint32_t window; /* words after the context word; 1 to 1000 */
    psdvec_distance distance;
    psdvec_oov oov;
    double subsample;              /* t of keep(w) = min(1, sqrt(t/f) + t/f); 0: off */
    uint64_t min_count;            /* rarer words are unknown words */
    uint32_t max_vocab;            /* most words; 0: no limit */
    const char *vocab_file;        /* a fixed list (text, or a counts file), to which min_count and
                                  max_vocab do not apply; NULL: none */
    const char *const *keep_words; /* known whatever their frequency */
    size_t keep_words_count;
    const char *resume_dir; /* keep partial results here and go on from them; NULL: no */
} psdvec_count_options;

PSDVEC_API void psdvec_count_options_default(psdvec_count_options *options);

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

/* The word's bytes (UTF-8, not zero-terminated) and their number. i < words. */
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

/* ---- From counts to vectors -------------------------------------------- */
/* docs/model.md has every formula. In short: the counts give a target G(i,j)
 * and a weight W(i,j) for each pair of words, and the vectors minimise
 *     sum W(i,j) (G(i,j) - v_i' J v_j)^2 + sum mu_i |v_i|^2. */
typedef enum psdvec_form {
    PSDVEC_FORM_SYMMETRIC = 0, /* J = diag(+-1): eigenvalues largest in magnitude */
    PSDVEC_FORM_PSD            /* J = I: the paper; the largest positive eigenvalues */
} psdvec_form;

typedef enum psdvec_target {
    PSDVEC_TARGET_PMI = 0, /* pointwise mutual information of x + x', margins raised to a power */
    PSDVEC_TARGET_SMOOTHED /* the paper: log(P_smoothed(j|i) / P(j)), Jelinek-Mercer with kappa */
} psdvec_target;

typedef enum psdvec_weights {
    PSDVEC_WEIGHTS_FACTORED = 0, /* r_i^g r_j^g times the logistic function of PMI */
    PSDVEC_WEIGHTS_RAW,          /* the original program: sqrt of the count, cut off */
    PSDVEC_WEIGHTS_SMOOTHED,     /* the paper's text: sqrt of the smoothed probability, cut off;
                                    unseen pairs weigh too */
    PSDVEC_WEIGHTS_GLOVE         /* GloVe: (x / x_max)^power, at most 1 */
} psdvec_weights;

typedef enum psdvec_preset {
    PSDVEC_PRESET_DEFAULT = 0, /* what gives the best vectors */
    PSDVEC_PRESET_PAPER        /* Li, Zhu and Miao 2015 */
} psdvec_preset;

typedef struct psdvec_train_options {
    psdvec_preset preset; /* what the rest was filled in from; stored, not used */
    uint32_t dim;         /* N: numbers in a vector */
    psdvec_form form;
    uint32_t core; /* words solved by Algorithm 1, the most frequent ones; 0: all. The others follow
                      by regression */

    /* Targets */
    psdvec_target target;
    double kappa;         /* SMOOTHED: weight of the unigram distribution, in (0, 1) */
    double context_power; /* PMI: margins are raised to it; 1: plain PMI */

    /* Weights */
    psdvec_weights weights;
    double cut;          /* RAW, SMOOTHED: share of the core's n*n pairs at weight 1 */
    double factor_power; /* FACTORED: g */
    double glove_max;    /* GLOVE: x_max */
    double glove_power;  /* GLOVE */
    double rho;          /* FACTORED: weight of every pair, seen or not, towards rho_target */
    double rho_target;
    double unseen_weight; /* in the regression of noncore words on the core: weight of an unseen
                             pair towards 0, as in the original program (0.001); 0: none */

    /* Algorithm 1 */
    uint32_t iterations;    /* T, at most */
    double tolerance;       /* stop when the objective falls by less than this share; 0: never */
    double relaxation;      /* length of a step; 1: the paper, below 2; a step that would raise the
                            objective is taken back and made shorter */
    double start;           /* X(0) = start * G; 0.5 in the paper */
    uint32_t rank_extra;    /* iteration t keeps N + rank_extra * (T - t) eigenvalues */
    double eigen_tolerance; /* of the eigenvectors' residuals, relative to the smallest kept */

    /* Priors: mu_i = MU * (frequency of the last core word / frequency of word i)^mu_power. For core
     * words MU is core_mu; for the others mu[band], where band b ends before rank
     * mu_edges[b]; without edges the bands divide the noncore words evenly. */
    double core_mu;
    double mu_power;
    const double *mu;
    size_t mu_count;
    const uint32_t *mu_edges; /* mu_count - 1, ascending; NULL: even */

    /* The read-out: additions to the paper's model, by which words are compared (docs/model.md). */
    bool centre;     /* take the mean of all vectors off each */
    double order;    /* share of what stands before and what behind a word; 0: none */
    double spelling; /* share of what a word's n-grams of letters say; 0: none */

    bool restart; /* forget what an interrupted run with the same options left beside the output */
} psdvec_train_options;

PSDVEC_API void psdvec_train_options_default(psdvec_train_options *options);
/* As default, with the values of a preset. `count` (may be NULL) receives the
 * preset's way of counting; of its text options only min_document_words is the preset's. */
PSDVEC_API void psdvec_train_options_preset(psdvec_train_options *options, psdvec_preset preset,
                                            psdvec_count_options *count);
PSDVEC_API psdvec_status psdvec_train_options_check(psdvec_context *ctx,
                                                    const psdvec_train_options *options);

/* The logarithm of the joint probability of text, vectors and residuals, equation (logjointcorpus2)
 * of the paper, term by term (docs/model.md, "The joint probability"). The text's own is the sum
 * of the first four. Pairs are ordered: i before j. */
typedef struct psdvec_joint {
    double unigrams;            /* C0: sum of log P(w) over the text */
    double products;            /* sum x_ij v_i' J v_j */
    double residuals;           /* sum x_ij a_ij */
    double shifts;              /* sum x_ij (t_i + t_j): from a PMI target with a context power to
                                   mutual information; 0 for smoothed targets */
    double residual_prior;      /* - sum f_ij a_ij^2 */
    double background;          /* - sum rho a_i a_j (g0 - v_i' J v_j)^2, which the paper lacks */
    double vector_prior;        /* - sum mu_i |v_i|^2 */
    double residual_normaliser; /* log of the residuals' Gaussian factors, those with f > 0 */
    double vector_normaliser;   /* the same of the vectors', those with mu > 0 */
    uint64_t tokens, pairs;     /* that the first and the second sum are over */
    uint64_t weighed;           /* pairs with f > 0, that the residuals' prior is over */
    uint64_t free_residuals;    /* seen pairs with f = 0, which the prior says nothing of */
    uint32_t words;             /* that model and counts both have */
    uint32_t free_words;        /* of them with mu = 0 */
} psdvec_joint;

typedef struct psdvec_train_report {
    uint32_t words, core_words;
    uint32_t dim;           /* as asked for, but at most core_words */
    uint32_t positive;      /* eigenvalues kept that are positive ... */
    uint32_t negative;      /* ... and negative; both together may be fewer than dim */
    uint64_t pairs;         /* of core words, seen in either direction, each once */
    uint32_t iterations;    /* carried out, those of an interrupted run included */
    double objective;       /* at the end */
    uint64_t spilled_bytes; /* of temporary files, where memory did not do */
    double link_seconds, solve_seconds, regression_seconds, readout_seconds;
    double seconds;
    psdvec_joint joint;
    double joint_seconds; /* not in any of the other parts */
} psdvec_train_report;

/* From a counts file to a model file. Interrupted, the same call goes on where
 * the last one stopped and ends with the same bits. `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_train(psdvec_context *ctx, const psdvec_train_options *options,
                                      const char *counts, const char *output,
                                      psdvec_train_report *report);

/* The same from text; the counts go to a file beside the output and vanish at
 * the end. `count_report` may be NULL. */
PSDVEC_API psdvec_status psdvec_train_text(psdvec_context *ctx, const psdvec_train_options *options,
                                           const psdvec_count_options *count,
                                           const char *const *inputs, size_t input_count,
                                           const char *output, psdvec_count_report *count_report,
                                           psdvec_train_report *report);

/* What psdvec_train would need. */
typedef struct psdvec_train_plan {
    uint32_t words, core_words, dim;
    uint64_t pairs;        /* of core words, at most */
    uint64_t memory;       /* with everything in memory */
    uint64_t memory_least; /* with the pairs in a temporary file */
    uint64_t memory_budget;
    bool streamed; /* the pairs would go to a temporary file */
    uint64_t temporary_bytes;
    uint64_t output_bytes;
    double seconds; /* a guess: from the work, and a short measurement of this machine */
} psdvec_train_plan;

PSDVEC_API psdvec_status psdvec_train_plan_make(psdvec_context *ctx,
                                                const psdvec_train_options *options,
                                                const char *counts, psdvec_train_plan *plan);

/* ---- Words that arrive later --------------------------------------------- */
typedef struct psdvec_extend_options {
    uint64_t min_count; /* of new words, in the new text */
    const double *mu;   /* NULL: that of the model's rarest words */
    bool replace;       /* new vectors for words that an extension before gave already */
} psdvec_extend_options;

PSDVEC_API void psdvec_extend_options_default(psdvec_extend_options *options);

typedef struct psdvec_extend_report {
    uint32_t old_words, new_words, replaced_words;
    uint32_t core_words_seen; /* core words of the model that the new text has */
    double seconds;
} psdvec_extend_report;

/* Vectors for the words of new text, or of a counts file, that the model does
 * not know. Old vectors keep their bits. Text is read with the model's own
 * settings. `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_extend(psdvec_context *ctx, const psdvec_extend_options *options,
                                       const char *model, const char *const *inputs,
                                       size_t input_count, const char *output,
                                       psdvec_extend_report *report);

/* ---- Reading a model ------------------------------------------------------ */
typedef struct psdvec_model psdvec_model;

/* Opens a model file, or another program's vectors (word2vec text or binary,
 * GloVe or fastText text, npy with its words beside it). Model files are
 * mapped; others are read into memory. */
PSDVEC_API psdvec_status psdvec_model_open(psdvec_context *ctx, const char *path,
                                           psdvec_model **model);
PSDVEC_API void psdvec_model_close(psdvec_model *model);
/* Reads all of a model file and compares every checksum. */
PSDVEC_API psdvec_status psdvec_model_verify(psdvec_context *ctx, const psdvec_model *model);

typedef struct psdvec_iteration {
    uint32_t iteration; /* from 1 */
    uint32_t rank;      /* eigenvalues kept */
    uint32_t positive;  /* of them positive */
    double objective;
    double relaxation; /* of the step that was taken */
    double smallest;   /* the kept eigenvalue of least magnitude */
    double residual;   /* of the eigenvectors, relative to `smallest` */
} psdvec_iteration;

/* How a file holds the numbers of vectors; in memory they are float32. */
typedef enum psdvec_precision {
    PSDVEC_FLOAT32 = 0,
    PSDVEC_FLOAT16,
    PSDVEC_INT8 /* with a scale for each vector */
} psdvec_precision;

typedef struct psdvec_model_info {
    uint32_t words, core_words; /* core words come first; 0 core words: not known */
    uint32_t dim, positive;     /* positive: how many of the signs are +; dim if not known */
    uint64_t file_bytes;
    psdvec_precision precision; /* of the vectors in the file */
    bool native;                /* a model file of ours */
    const char *method;         /* "psd", "svd", ...; NULL if not known */
    bool sparse;                /* vectors are sparse; dim may be large */
    uint64_t entries;           /* numbers of them that are not 0; 0 if they are not sparse */
    bool directions_are_words;  /* sparse: number k of a vector is about word k, as of PPMI */
    bool has_counts, has_spread;
    bool has_readout;         /* other vectors than the generative ones compare words */
    bool has_spelling;        /* psdvec_model_spell answers */
    uint32_t ngrams;          /* of letters, that it knows */
    uint64_t spelling_bytes;  /* of them in the file */
    const float *eigenvalues; /* dim, by magnitude, with signs; NULL if not known */
    const psdvec_iteration *iterations;
    size_t iteration_count;
    const char *settings_json;   /* how it was trained: an object; NULL if not known */
    const char *counts_json;     /* how it was counted, and from what: an object; NULL */
    const char *extensions_json; /* an array, one object for each `extend`; NULL */
    const char *written_by;      /* "psdvec 0.1.0"; NULL */
    /* Fitted for scoring documents; 0, of `self` NAN: it was not */
    double temperature, self;  /* T and e */
    double temperature_counts; /* T with residuals */
    double interpolation;      /* of the bigrams beside it */
    const char *fit_json;      /* how it was fitted: an object; NULL */
    const char *joint_json;    /* terms of the joint probability after training; NULL */
} psdvec_model_info;

PSDVEC_API const psdvec_model_info *psdvec_model_get_info(const psdvec_model *model);
PSDVEC_API const char *psdvec_model_word(const psdvec_model *model, uint32_t i, size_t *length);
PSDVEC_API bool psdvec_model_find(const psdvec_model *model, const char *word, size_t length,
                                  uint32_t *i);
/* The generative vector: dim numbers, valid until the close. NULL of a sparse model. */
PSDVEC_API const float *psdvec_model_vector(const psdvec_model *model, uint32_t i);
/* How often the word stood in the text; 0 if not known. */
PSDVEC_API uint64_t psdvec_model_frequency(const psdvec_model *model, uint32_t i);
/* Posterior standard deviation of the vector's numbers (geometric mean over the directions):
 * how little to trust it. 0 if not known. */
PSDVEC_API double psdvec_model_spread(const psdvec_model *model, uint32_t i);
/* P(s_i), as the model was trained with it; 0 if not known. */
PSDVEC_API double psdvec_model_unigram(const psdvec_model *model, uint32_t i);
/* v_i' J v_j: what the model says the pointwise mutual information is. */
PSDVEC_API double psdvec_model_product(const psdvec_model *model, uint32_t i, uint32_t j);

/* A model has two sets of vectors. The generative ones, psdvec_model_vector, are the
 * posterior mode: their products are the model's mutual information, and words that
 * arrive later are explained by them. The read-out is made from them at the end of
 * training, for comparing words: similarity, analogies, neighbours and export use it. If
 * has_readout is false, as of another program's vectors, both are the same.
 *
 * words x dim, row-major, valid until the close; PSDVEC_ERR_OPTION of a sparse model, whose
 * vectors are psdvec_model_copy and psdvec_model_sparse_row. */
PSDVEC_API psdvec_status psdvec_model_readout(psdvec_context *ctx, const psdvec_model *model,
                                              const float **vectors);
/* The read-out of any string of letters from its spelling alone: dim numbers. False, and
 * zeros, if the model has no spelling or knows nothing in the word. */
PSDVEC_API bool psdvec_model_spell(const psdvec_model *model, const char *word, size_t length,
                                   float *vector);
/* One word's read-out, of any model: dim numbers. */
PSDVEC_API void psdvec_model_copy(const psdvec_model *model, uint32_t i, float *vector);
/* What a sparse model has of a word: *count numbers that are not 0, and the ascending numbers of
 * the directions where they stand. Of other models *count is 0. */
PSDVEC_API void psdvec_model_sparse_row(const psdvec_model *model, uint32_t i,
                                        const uint32_t **columns, const float **values,
                                        size_t *count);
/* Of the read-out. */
PSDVEC_API double psdvec_model_cosine(const psdvec_model *model, uint32_t i, uint32_t j);

typedef struct psdvec_neighbour {
    uint32_t word;
    float cosine;
} psdvec_neighbour;

/* The `most` words whose read-out is nearest to a vector of dim numbers by cosine, best
 * first, ties by rank; exact. Words in `except` are left out. *found is at most `most`. */
PSDVEC_API psdvec_status psdvec_model_similar(psdvec_context *ctx, const psdvec_model *model,
                                              const float *vector, const uint32_t *except,
                                              size_t except_count, size_t most,
                                              psdvec_neighbour *neighbours, size_t *found);

/* What counts ask of two words i and j of a model, by the settings it was trained with, and what
 * it answers. docs/model.md has the formulas. */
typedef struct psdvec_pair_story {
    double count_ij, count_ji;   /* how often j stands after i, and i after j; in expectation, if
                                    frequent words were subsampled */
    double target_ij, target_ji; /* G of each direction; NAN: the counts say nothing */
    double weight_ij, weight_ji; /* f of each direction */
    double target, weight;       /* of both together: T, NAN if nothing weighs, and S */
    double background, background_target; /* of every pair, seen or not: weight and target */
    double product;                       /* v_i' J v_j: the answer */
    double residual;                      /* target - product; NAN without a target */
    bool same_counts;                     /* these are the counts that the model was trained on */
} psdvec_pair_story;

/* Words are looked for in the counts by spelling. */
PSDVEC_API psdvec_status psdvec_model_explain_pair(psdvec_context *ctx, const psdvec_model *model,
                                                   const psdvec_counts *counts, uint32_t i,
                                                   uint32_t j, psdvec_pair_story *story);

/* ---- Evaluation ----------------------------------------------------------- */
typedef enum psdvec_test_kind {
    PSDVEC_TEST_SIMILARITY = 0, /* two words and how alike people find them */
    PSDVEC_TEST_ANALOGY,        /* a is to b as c is to what? */
    PSDVEC_TEST_CHOICE,         /* a word, and which of several others means the same */
    PSDVEC_TEST_CATEGORIES      /* words and the group each belongs to */
} psdvec_test_kind;

typedef struct psdvec_test psdvec_test; /* a test set in memory */

/* Reads a test set; its form is recognised (docs/evaluation.md). A folder is one set with
 * a section for each file in it. */
PSDVEC_API psdvec_status psdvec_test_open(psdvec_context *ctx, const char *path,
                                          psdvec_test **test);
/* The sets that come with the library, 0 <= i < psdvec_test_builtin_count(). */
PSDVEC_API size_t psdvec_test_builtin_count(void);
PSDVEC_API psdvec_status psdvec_test_builtin(psdvec_context *ctx, size_t i, psdvec_test **test);
PSDVEC_API void psdvec_test_close(psdvec_test *test);

typedef struct psdvec_test_info {
    const char *name; /* of the file, without folder and ending */
    psdvec_test_kind kind;
    uint32_t questions; /* pairs, analogies, choices, or words to be grouped */
    uint32_t sections;  /* 0: the set is not divided */
    bool builtin;
} psdvec_test_info;

PSDVEC_API const psdvec_test_info *psdvec_test_get_info(const psdvec_test *test);
/* s < sections. Valid until the close. */
PSDVEC_API const char *psdvec_test_section(const psdvec_test *test, uint32_t s);

typedef enum psdvec_unknown {
    PSDVEC_UNKNOWN_DROP = 0, /* questions with an unknown word do not count */
    PSDVEC_UNKNOWN_ZERO,     /* similarity 0; an analogy or a choice is answered wrongly */
    PSDVEC_UNKNOWN_MEAN,     /* the mean of all vectors stands in for the word; it is never an
                                answer, and a choice about such a word is never right */
    PSDVEC_UNKNOWN_SPELLING  /* what psdvec_model_spell says; dropped where it is silent */
} psdvec_unknown;

typedef enum psdvec_half {
    PSDVEC_HALF_BOTH = 0,
    PSDVEC_HALF_FIRST, /* questions whose hash is even: choose settings on these ... */
    PSDVEC_HALF_SECOND /* ... and report these */
} psdvec_half;

typedef struct psdvec_eval_options {
    psdvec_unknown unknown;
    bool keep_case; /* look words up as they stand; otherwise as they stand, then in lower case */
    /* Answers to analogies come from the first so many words, and questions with another word
     * count as unknown; 0: from all. */
    uint32_t restrict_words;
    bool common; /* only questions all of whose words every model knows */
    psdvec_half half;
    uint32_t resamples; /* of the bootstrap; 0: no intervals */
    double confidence;  /* of intervals and of significance: 0.95 */
} psdvec_eval_options;

PSDVEC_API void psdvec_eval_options_default(psdvec_eval_options *options);

typedef enum psdvec_measure {
    PSDVEC_MEASURE_SPEARMAN = 0,
    PSDVEC_MEASURE_ADD,   /* 3CosAdd: share of analogies answered rightly */
    PSDVEC_MEASURE_MUL,   /* 3CosMul */
    PSDVEC_MEASURE_RIGHT, /* share of choices answered rightly */
    PSDVEC_MEASURE_PURITY /* of the clusters k-means finds */
} psdvec_measure;

/* What a score is of, if it is not of one section. The parts are those of Google's analogies:
 * sections whose names begin with "gram" are syntactic, the others semantic; a set has them if
 * it has sections of both sorts. */
enum { PSDVEC_SECTION_WHOLE = -1, PSDVEC_SECTION_SEMANTIC = -2, PSDVEC_SECTION_SYNTACTIC = -3 };

typedef struct psdvec_score {
    uint32_t test, model; /* numbers in the arrays that were given */
    int32_t section;      /* of the set, or one of the negative numbers above */
    psdvec_measure measure;
    double value;          /* NAN: too few known questions */
    double low, high;      /* the interval; NAN: not asked for */
    uint32_t known, total; /* questions; those known include what spelling makes known. The value
                              is over the known ones, by the rules zero and mean over all */
} psdvec_score;

/* Of two models on one whole set: is the difference more than chance? Over the questions
 * that both know. */
typedef struct psdvec_difference {
    uint32_t test, first, second; /* models first < second */
    psdvec_measure measure;
    double difference; /* value of the first less that of the second, on the common questions */
    double p;          /* paired bootstrap for correlations, McNemar's exact test for shares and
                          purity; NAN: cannot be told */
    bool significant;  /* p < 1 - confidence */
    uint32_t questions;
} psdvec_difference;

typedef struct psdvec_report psdvec_report;

/* Every model on every test. Deterministic: the bootstrap draws from the context's seed. */
PSDVEC_API psdvec_status psdvec_eval(psdvec_context *ctx, const psdvec_eval_options *options,
                                     const psdvec_model *const *models, size_t model_count,
                                     const psdvec_test *const *tests, size_t test_count,
                                     psdvec_report **report);
PSDVEC_API void psdvec_report_free(psdvec_report *report);
/* By test, then section (the whole set first, then its parts), then measure, then model. */
PSDVEC_API const psdvec_score *psdvec_report_scores(const psdvec_report *report, size_t *count);
PSDVEC_API const psdvec_difference *psdvec_report_differences(const psdvec_report *report,
                                                              size_t *count);

/* a is to b as c is to what: the `most` best answers by 3CosAdd (PSDVEC_MEASURE_ADD) or 3CosMul
 * (PSDVEC_MEASURE_MUL) with their scores in `cosine`. a, b and c are vectors of dim numbers as the
 * read-out has them; words in `except`, usually the three themselves, are left out. */
PSDVEC_API psdvec_status psdvec_model_analogy(psdvec_context *ctx, const psdvec_model *model,
                                              psdvec_measure method, const float *a, const float *b,
                                              const float *c, const uint32_t *except,
                                              size_t except_count, size_t most,
                                              psdvec_neighbour *answers, size_t *found);

/* ---- Documents --------------------------------------------------------------- */
/* The model gives every text a probability. Of a word w and the words k before it in the window
 * (docs/documents.md):
 *
 *     log P(w | before) = log p_w + T sum_k b_k (v_k' J v_w + a_kw + t_k + t_w)  - log Z
 *
 * p: how likely words are by themselves. b_k: what the counts gave a pair at this distance. a:
 * residuals, from the counts, or 0 without them. t: turns the target that the model was trained
 * with into mutual information; 0 for the paper's. T: the temperature, 1 in the paper. Without
 * log Z and with T = 1 it is the paper's value, a first-order approximation whose probabilities
 * do not sum to one; with it, it is a probability. Training gives pairs of a word with itself no
 * weight, so v_w' J v_w says nothing of how words repeat; a number for all words may stand in its
 * place, e. T and e are fitted to text (psdvec_fit_temperature). */
typedef struct psdvec_scorer psdvec_scorer;

/* A model and, if residuals are wanted, the counts that it was trained on; else NULL. Both must
 * outlive the scorer. */
typedef struct psdvec_scored_model {
    const psdvec_model *model;
    const psdvec_counts *counts;
} psdvec_scored_model;

/* What the words before it do to a word; one of them. */
typedef struct psdvec_influence {
    uint64_t place;  /* of the context word in the document, from 0, unknown words included */
    uint32_t word;   /* in the model */
    double weight;   /* b_k: by distance, and less of words that were subsampled */
    double product;  /* v_k' J v_w */
    double residual; /* a_kw; 0 without counts */
    double shift;    /* t_k + t_w */
    double added;    /* T b_k (product + residual + shift) */
} psdvec_influence;

/* A word of a document, by the first model. */
typedef struct psdvec_word_score {
    uint64_t document; /* from 1 */
    uint64_t place;    /* in the document, from 0 */
    const char *text;  /* not zero-terminated */
    size_t length;
    bool known;                         /* if not, the rest says nothing */
    uint32_t word;                      /* in the model */
    double unigram;                     /* log p_w */
    double paper;                       /* log of the paper's value */
    double conditional;                 /* log P(w | before), normalised */
    double normaliser;                  /* log Z */
    const psdvec_influence *influences; /* if asked for; nearest first */
    size_t influence_count;
} psdvec_word_score;

/* A document under one model: natural logarithms, sums over its known words. */
typedef struct psdvec_document_fit {
    double paper;         /* of the paper's value; not a probability */
    double conditional;   /* of the normalised conditionals: the log-likelihood */
    double error;         /* standard error of it by sampling; 0: exact */
    double unigram;       /* of p alone */
    double bigram;        /* of Jelinek-Mercer bigrams from the same counts; NAN without counts */
    double bigram_fitted; /* the same with the weight of the unigrams that fit-temperature found */
    double posterior;     /* of this model among those that are scored, all equally likely before */
} psdvec_document_fit;

typedef struct psdvec_document_score {
    uint64_t number;                 /* from 1; of the total the number of documents */
    const char *source;              /* name of the file; NULL: not read from one */
    const char *beginning;           /* its first words, zero-terminated; empty in the total */
    uint64_t words;                  /* unknown ones included */
    uint64_t known;                  /* words that were scored */
    const psdvec_document_fit *fits; /* one for each model */
    size_t fit_count;
} psdvec_document_score;

typedef void psdvec_document_fn(void *user, const psdvec_document_score *document);
typedef void psdvec_word_fn(void *user, const psdvec_word_score *word);

typedef struct psdvec_scorer_options {
    double temperature;   /* T; 0: what was fitted for the model, or 1 */
    double self;          /* e; NAN: what was fitted, if it was; INFINITY: v_w' J
                             v_w. Without counts only: they know how words repeat */
    double interpolation; /* weight of the unigrams in the second of the bigrams; 0: what was
                             fitted, if it was */
    double smoothing;     /* occurrences that every word has on top, with several models; 0.5 */
    uint32_t sampled;     /* 0: exact log Z; else an estimate from about so many words */
    bool influences;      /* tell on_word of them */
    psdvec_document_fn *on_document; /* after each document, in order; may be NULL */
    psdvec_word_fn *on_word;         /* for each word, in order; may be NULL */
    void *user;
} psdvec_scorer_options;

PSDVEC_API void psdvec_scorer_options_default(psdvec_scorer_options *options);

/* With one model, words that it does not know are skipped. With several, all words that any of
 * them knows are scored by all: to a model that lacks it a word has `smoothing` occurrences and no
 * vector. Models that were trained without counts of words cannot score. */
PSDVEC_API psdvec_status psdvec_scorer_open(psdvec_context *ctx,
                                            const psdvec_scorer_options *options,
                                            const psdvec_scored_model *models, size_t model_count,
                                            psdvec_scorer **scorer);
PSDVEC_API void psdvec_scorer_close(psdvec_scorer *scorer);

/* Feeding a text, token by token, as long as it may be. A pause ends the window, as a sentence
 * may; end ends the document; finish sees that all were told, and comes last. A failure loses the
 * document being fed and those not told yet; what is fed after it is a new document. */
PSDVEC_API psdvec_status psdvec_scorer_word(psdvec_scorer *scorer, const char *word, size_t length);
PSDVEC_API psdvec_status psdvec_scorer_pause(psdvec_scorer *scorer);
PSDVEC_API psdvec_status psdvec_scorer_end(psdvec_scorer *scorer);
PSDVEC_API psdvec_status psdvec_scorer_finish(psdvec_scorer *scorer);
/* Feeds one text in memory, as one document whatever its lines; and inputs as for psdvec_count.
 * Tokens as the first model's counts had them. `text` of the second may be NULL for that, too.
 * Every line or record is a document, also one without a word. Both finish. */
PSDVEC_API psdvec_status psdvec_scorer_text(psdvec_scorer *scorer, const char *text, size_t length);
PSDVEC_API psdvec_status psdvec_scorer_inputs(psdvec_scorer *scorer,
                                              const psdvec_text_options *text,
                                              const char *const *inputs, size_t input_count);
/* Sums over all documents so far. Valid until the next call. */
PSDVEC_API const psdvec_document_score *psdvec_scorer_total(psdvec_scorer *scorer);
/* What model m scores with. */
PSDVEC_API double psdvec_scorer_temperature(const psdvec_scorer *scorer, size_t m);
/* NAN: v_w' J v_w. */
PSDVEC_API double psdvec_scorer_self(const psdvec_scorer *scorer, size_t m);
/* NAN: nothing was fitted. */
PSDVEC_API double psdvec_scorer_interpolation(const psdvec_scorer *scorer, size_t m);
/* How the first model's text was split: what psdvec_scorer_text uses. */
PSDVEC_API const psdvec_text_options *psdvec_scorer_text_options(const psdvec_scorer *scorer);

/* An unknown word in a context. */
#define PSDVEC_UNKNOWN_WORD UINT32_MAX

typedef struct psdvec_prediction {
    uint32_t word;
    double probability; /* normalised */
    double unigram;     /* p_w */
} psdvec_prediction;

/* The most probable words after `context` (words of the first model, the last one nearest), best
 * first, ties by rank. */
PSDVEC_API psdvec_status psdvec_scorer_next(psdvec_scorer *scorer, const uint32_t *context,
                                            size_t context_count, size_t most,
                                            psdvec_prediction *predictions, size_t *found);

typedef struct psdvec_generate_options {
    uint32_t length; /* words to draw */
    uint64_t seed;
    uint32_t top; /* draw from the most probable words only; 0: from all */
} psdvec_generate_options;

PSDVEC_API void psdvec_generate_options_default(psdvec_generate_options *options);
/* Draws words one after the other, each from its distribution given those before it, by the first
 * model. `words` receives `length` of them; `on_draw` (may be NULL) each as it is drawn. */
typedef void psdvec_draw_fn(void *user, uint32_t word);
PSDVEC_API psdvec_status psdvec_scorer_generate(psdvec_scorer *scorer,
                                                const psdvec_generate_options *options,
                                                const uint32_t *prompt, size_t prompt_count,
                                                uint32_t *words, psdvec_draw_fn *on_draw,
                                                void *user);

/* ---- The temperature ----------------------------------------------------------- */
typedef struct psdvec_fit_report {
    double temperature, self;  /* the likeliest T and e of the text, by the vectors alone; e is NAN
                                  if own products are likelier */
    double temperature_alone;  /* the likeliest T if a word's own product stays what it is */
    double temperature_counts; /* the likeliest T with residuals; NAN without counts */
    double interpolation;      /* the likeliest weight of unigrams in bigrams; NAN without counts */
    double kappa;              /* the weight before */
    uint64_t words, known;     /* of the text that was used */
    /* Perplexities */
    double before; /* T = 1 */
    double alone;  /* T as fitted alone */
    double after;  /* T and e as fitted */
    double unigram;
    double counts_before, counts_after; /* with residuals; NAN without counts */
    double bigram;                      /* with kappa; NAN without counts */
    double bigram_after;                /* with the fitted weight */
    uint32_t rounds;                    /* passes over the text */
    double seconds;
} psdvec_fit_report;

/* Fits T and e, and with counts T of the residuals and the baseline's weight, to text that the
 * model was not trained on: to its first `most_words` known words (0: all). The likelihood is
 * concave in T and T e, so there is one best pair. */
PSDVEC_API psdvec_status psdvec_fit_temperature(psdvec_context *ctx, const psdvec_model *model,
                                                const psdvec_counts *counts,
                                                const psdvec_text_options *text,
                                                const char *const *inputs, size_t input_count,
                                                uint64_t most_words, psdvec_fit_report *report);
/* A copy of the model file that knows what was fitted; `output` may be the model itself. */
PSDVEC_API psdvec_status psdvec_model_keep_fit(psdvec_context *ctx, const psdvec_model *model,
                                               const psdvec_fit_report *report, const char *output);

/* ---- Residuals ------------------------------------------------------------------- */
/* A = G - V'JV where the counts say something of a pair: for smoothed targets the bigrams seen in
 * that direction (elsewhere G is log kappa), for PMI those seen in either. */
typedef struct psdvec_residual {
    uint32_t context, focus; /* words of the model */
    double count;            /* x of this direction; for PMI of both */
    double target, product;  /* G and v' J v */
    double weight;           /* f: how much training minded */
} psdvec_residual;

typedef enum psdvec_residual_order {
    PSDVEC_RESIDUAL_LOSS = 0, /* by f a^2: where training paid most */
    PSDVEC_RESIDUAL_MORE,     /* by a, largest first: seen more often than the vectors say */
    PSDVEC_RESIDUAL_LESS      /* by a, smallest first */
} psdvec_residual_order;

typedef struct psdvec_residual_report {
    uint64_t pairs;         /* with a residual */
    double mean, deviation; /* of a over them */
    double weighted_square; /* sum f a^2 */
    double explained;       /* 1 - sum f a^2 / sum f G^2; a background, which pulls all products
                               towards its target, may make it negative */
    double correlation;     /* of G and v' J v, weighted by f */
    double seconds;
} psdvec_residual_report;

/* Writes all residuals to a file (docs/residuals.md); `output` may be NULL, and so may `report`.
 * The `most` pairs that stand first in `order`, with i != j and a count of at least `least_count`,
 * go to `top` (may be NULL if `most` is 0); for PMI, whose residual has no direction, each pair
 * once, in the direction in which it was seen more often. Counts that are not those that the
 * model was trained on are warned of. */
PSDVEC_API psdvec_status psdvec_residuals(psdvec_context *ctx, const psdvec_model *model,
                                          const psdvec_counts *counts, const char *output,
                                          psdvec_residual_order order, double least_count,
                                          size_t most, psdvec_residual *top, size_t *found,
                                          psdvec_residual_report *report);

/* ---- The joint probability of corpus, vectors and residuals ------------------------ */
/* Of the words that both have; docs/model.md says what may be compared by it. */
PSDVEC_API psdvec_status psdvec_joint_compute(psdvec_context *ctx, const psdvec_model *model,
                                              const psdvec_counts *counts, psdvec_joint *joint);

/* ---- Drawing from the model --------------------------------------------------------- */
typedef struct psdvec_simulate_options {
    uint32_t vocab, dim;
    uint64_t tokens;
    uint32_t window;         /* words before a word that act on it, all alike */
    uint32_t document_words; /* words of each document; the last one may be shorter */
    double zipf;             /* P(word of rank r) ~ 1 / (r + 2.7)^zipf */
    double strength;         /* standard deviation of v_i' J v_j, as the vectors are drawn */
    double residual;         /* standard deviation of a_ij, as they are drawn; 0: none */
    psdvec_form form;
    uint64_t seed;
} psdvec_simulate_options;

PSDVEC_API void psdvec_simulate_options_default(psdvec_simulate_options *options);
/* PSDVEC_OK, or PSDVEC_ERR_OPTION with a sentence in the context. */
PSDVEC_API psdvec_status psdvec_simulate_options_check(psdvec_context *ctx,
                                                       const psdvec_simulate_options *options);

/* What was drawn; natural logarithms. */
typedef struct psdvec_simulate_report {
    uint64_t tokens, documents;
    uint64_t bytes;        /* of text */
    double mu;             /* of the vectors' prior: their numbers have the variance 1 / (2 mu) */
    double log_likelihood; /* of the text under the truth: sum of log P(w | before), normalised */
    double log_unigram;    /* of the text by p alone */
    double entropy;        /* of p: nats a word that has no word before it */
    double entropy_rate;   /* nats a word behind another one, exactly; NAN if the window is not 1 */
    uint32_t rounds;       /* of the scaling that gives the pairs the margins p */
    double seconds;
} psdvec_simulate_report;

/* Draws V and A, adjusts them so that for a window of 1 they are the mutual information of the
 * text exactly (docs/simulation.md), draws the text from the normalised conditional, and writes
 * into `folder` text.txt, truth.safetensors (a model), truth-residuals.safetensors and, last,
 * truth.json. The folder is made if it does not exist; files of these names are replaced only if
 * an earlier simulation wrote them. `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_simulate(psdvec_context *ctx,
                                         const psdvec_simulate_options *options, const char *folder,
                                         psdvec_simulate_report *report);

/* ---- Interaction of three words -------------------------------------------------------- */
/* The paper's Appendix B: the model takes PMI(c; a, b) to be PMI(c; a) + PMI(c; b). Their
 * difference, the pointwise interaction information, measured on text, for words a, b, c that
 * stand in this order within the window (docs/model.md). All probabilities are shares of the same
 * places: three words of the model, the last at most `window` words behind the first, counted
 * once each, without weights for distance or frequency. */
typedef struct psdvec_interaction {
    uint32_t words[3];
    uint64_t count;      /* of the triple */
    uint64_t pairs[3];   /* of a b, a c and b c at the same places */
    uint64_t singles[3]; /* of a, b and c at their places */
    double pmi[3];       /* of the three pairs; NAN: never seen */
    double joint;        /* PMI(c; a, b); NAN: never seen */
    double information; /* joint - pmi[1] - pmi[2], in nats; the model assumes 0. NAN: never seen */
    double error;       /* its standard error, as if the places were independent draws */
} psdvec_interaction;

/* Means, shares and quantiles are over triples by how often they occur. */
typedef struct psdvec_interaction_report {
    uint32_t window;        /* that was used */
    uint64_t tokens, known; /* words of the text, and those that the model has */
    uint64_t places;        /* triples of places looked at, over all gaps */
    uint64_t triples;       /* distinct ones seen often enough for the figures below */
    uint64_t occurrences;   /* of them */
    double mean, mean_absolute;
    double quantiles[5]; /* 5, 25, 50, 75 and 95 % */
    double within_half;  /* share of those between -0.5 and 0.5 */
    double sum_absolute; /* mean of |PMI(c; a) + PMI(c; b)|, to compare mean_absolute with */
    double slope; /* the factor on that sum which comes nearest to PMI(c; a, b), by squares */
    double seconds;
} psdvec_interaction_report;

/* `asked`: triples of words of the model, `asked_count` of them, for each of which `out` receives
 * what was measured; or none: the `most` most frequent triples, ties by the words' ranks, among
 * those seen at least `least_count` times, over all of which the report's figures are (NAN if
 * there are none, or triples were asked for). *found: how many `out` received; it may be NULL, as
 * may `report`. `window`: 2 to 1000; 0: the model's. The text is read with the model's own
 * settings, those of psdvec_count_options_default if it does not say. */
PSDVEC_API psdvec_status psdvec_interactions(psdvec_context *ctx, const psdvec_model *model,
                                             const char *const *inputs, size_t input_count,
                                             uint32_t window, const uint32_t (*asked)[3],
                                             size_t asked_count, size_t most, uint64_t least_count,
                                             psdvec_interaction *out, size_t *found,
                                             psdvec_interaction_report *report);

/* ---- Other systems ------------------------------------------------------------- */
/* What people compare with (docs/baselines.md): each written from its paper, with its published
 * defaults, on the same text, vocabulary and tests. Same input, options and seed: same bits, for
 * any number of threads. */
typedef enum psdvec_method {
    PSDVEC_METHOD_PSD = 0, /* psdvec_train */
    PSDVEC_METHOD_PPMI,    /* positive mutual information itself, as sparse vectors */
    PSDVEC_METHOD_SVD,     /* singular vectors of it */
    PSDVEC_METHOD_SGNS,    /* word2vec: skip-gram with negative sampling */
    PSDVEC_METHOD_CBOW,    /* word2vec: continuous bag of words, with negative sampling */
    PSDVEC_METHOD_GLOVE,   /* weighted regression of logarithms of counts, by AdaGrad */
    PSDVEC_METHOD_CCA,     /* canonical correlations of square roots of counts */
    PSDVEC_METHOD_SPARSE   /* sparse codes of other vectors */
} psdvec_method;
#define PSDVEC_METHODS 8

/* "psd", "ppmi", ...; never NULL. */
PSDVEC_API const char *psdvec_method_name(psdvec_method method);
/* True and *method if there is one of that name. */
PSDVEC_API bool psdvec_method_find(const char *name, psdvec_method *method);

/* Only what a method uses is looked at. */
typedef struct psdvec_baseline_options {
    psdvec_method method;
    uint32_t dim; /* SVD, SGNS, CBOW, GLOVE, CCA: numbers in a vector */

    double context_power;    /* PPMI, SVD, CCA: counts of contexts are raised to it */
    double shift;            /* PPMI, SVD: the logarithm of it is taken off; 1: nothing */
    double count_power;      /* CCA: counts are raised to it; 0.5: square roots */
    double eigenvalue_power; /* SVD, CCA: vectors are U S^power */
    double eigen_tolerance;  /* SVD, CCA: of the residuals, relative to the smallest kept */
    bool add_contexts;       /* SVD, GLOVE: a word's vector is the sum of its two */

    uint32_t epochs;    /* SGNS, CBOW, GLOVE, SPARSE: passes over the data */
    double rate;        /* SGNS, CBOW, GLOVE: of learning, at the start */
    uint32_t negative;  /* SGNS, CBOW: noise words for each pair */
    double noise_power; /* SGNS, CBOW: frequencies are raised to it */
    double glove_max;   /* GLOVE: x_max; pairs seen as often weigh 1 */
    double glove_power; /* GLOVE: alpha */

    double factor;    /* SPARSE: so many times the numbers of the vectors that it is made from */
    double l1, l2;    /* SPARSE: penalties of codes, and of the dictionary */
    double ridge;     /* SPARSE: penalty of squares of codes; 0: none, as in the paper */
    bool nonnegative; /* SPARSE */
    bool binary;      /* SPARSE: 1 where a code is positive, else 0 */

    bool restart; /* forget what an interrupted run with the same options left beside the output */
} psdvec_baseline_options;

/* The published defaults of a method. `count` (may be NULL) receives its way of counting, of which
 * window and subsample are those of SGNS and CBOW too; its text options are left alone. */
PSDVEC_API void psdvec_baseline_options_default(psdvec_baseline_options *options,
                                                psdvec_method method, psdvec_count_options *count);
PSDVEC_API psdvec_status psdvec_baseline_options_check(psdvec_context *ctx,
                                                       const psdvec_baseline_options *options);

typedef struct psdvec_baseline_report {
    uint32_t words, dim;
    uint64_t entries; /* numbers of sparse vectors that are not 0; else 0 */
    uint64_t pairs;   /* what an epoch goes through: pairs of words; else 0 */
    uint32_t epochs;  /* carried out, those of an interrupted run included */
    double loss;      /* mean of the last epoch; NAN: the method has none */
    double seconds;
} psdvec_baseline_report;

/* From a counts file (PPMI, SVD, GLOVE, CCA) or vectors (SPARSE) to a model file. PPMI and SPARSE
 * write sparse models. `report` may be NULL. Interrupted, the same call goes on from the last
 * epoch that was finished. */
PSDVEC_API psdvec_status psdvec_baseline(psdvec_context *ctx,
                                         const psdvec_baseline_options *options, const char *input,
                                         const char *output, psdvec_baseline_report *report);
/* The same from text; not for SPARSE. Counts go to a file beside the output and vanish at the end.
 * `count_report` may be NULL. */
PSDVEC_API psdvec_status psdvec_baseline_text(psdvec_context *ctx,
                                              const psdvec_baseline_options *options,
                                              const psdvec_count_options *count,
                                              const char *const *inputs, size_t input_count,
                                              const char *output, psdvec_count_report *count_report,
                                              psdvec_baseline_report *report);

/* ======================================================================
 * Part 2. The advanced interface
 * ====================================================================== */

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
    psdvec_counts_format format;
    const char *vocab_file; /* GLOVE: vocab.txt. MATRIX_MARKET: a word a line, and perhaps its
                               count. TOP2GRAMS: NULL, it has the words in it */
    uint32_t window;        /* what the counts were made with; 0: what the file says, if it does */
    uint64_t scale;         /* values are rounded to 1/scale; 0: chosen so that they are exact for
                               whole counts and for sums of 1/distance in a window of up to 15 */
    bool symmetric;         /* each pair stands in the file in both directions: keep it once, with
                               the word that comes first in the list as the context, and half of
                               the diagonal, so that x + x' is what stands in the file. The
                               direction in which a pair was seen cannot be told from such a file */
} psdvec_import_options;

PSDVEC_API void psdvec_import_options_default(psdvec_import_options *options);

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

/* ---- Other programs' vectors ------------------------------------------------ */
typedef enum psdvec_vectors_format {
    PSDVEC_VECTORS_MODEL = 0,       /* our own file */
    PSDVEC_VECTORS_WORD2VEC,        /* text: "words dim", then a word and its numbers a line */
    PSDVEC_VECTORS_WORD2VEC_BINARY, /* the same with the numbers as float32 */
    PSDVEC_VECTORS_GLOVE,           /* text without the first line */
    PSDVEC_VECTORS_NPY              /* numpy's .npy, and a text with a word a line beside it */
} psdvec_vectors_format;

typedef struct psdvec_convert_options {
    psdvec_vectors_format format; /* of the output; that of the input is recognised */
    uint32_t dim;                 /* keep the first numbers of each vector; 0: all */
    uint32_t words;               /* keep the first words; 0: all */
    int digits;                   /* significant digits in text; 0: as many as give back the bits */
    bool normalize;               /* vectors of length 1 */
    bool raw;                     /* the generative vectors instead of the read-out; not for a model
                                     file, which keeps both */
    psdvec_precision precision;   /* of a model file, and float16 also of npy */
    const char *words_file;       /* NPY: where the words go, or are; NULL: the name with .words.txt
                                     instead of .npy */
} psdvec_convert_options;

PSDVEC_API void psdvec_convert_options_default(psdvec_convert_options *options);
PSDVEC_API psdvec_status psdvec_convert(psdvec_context *ctx, const psdvec_convert_options *options,
                                        const char *input, const char *output);

/* ---- Tokens alone ---------------------------------------------------------- */
/* Calls `on_token` for every token, exactly as counting would see them. A NULL
 * word follows every document and, where asked for, every sentence. */
typedef void psdvec_token_fn(void *user, const char *word, size_t length);

/* Of one text in memory. */
PSDVEC_API psdvec_status psdvec_tokenize(psdvec_context *ctx, const psdvec_text_options *options,
                                         const char *text, size_t length, psdvec_token_fn *on_token,
                                         void *user);

/* Of inputs as for psdvec_count, in their order. */
PSDVEC_API psdvec_status psdvec_tokenize_inputs(psdvec_context *ctx,
                                                const psdvec_text_options *options,
                                                const char *const *inputs, size_t input_count,
                                                psdvec_token_fn *on_token, void *user);

#ifdef __cplusplus
}
#endif
#endif
