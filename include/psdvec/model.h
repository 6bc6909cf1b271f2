/* Part of psdvec.h: models, queries and other programs' vectors. */
#ifndef PSDVEC_MODEL_H
#define PSDVEC_MODEL_H

#include <psdvec/train.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* How a file holds the numbers of vectors. Queries read them where they are; a copy as float32 is
 * made only by psdvec_model_vector, psdvec_model_readout and calls that need all vectors at once,
 * such as scoring documents. */
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

/* Getters answer NULL, 0, false or, where the answer is a double, NAN if there is no word i. */

/* The word's bytes (UTF-8, not zero-terminated) and their number. */
PSDVEC_API const char *psdvec_model_word(const psdvec_model *model, uint32_t i, size_t *length);
/* In place of a word's number: a word that the model does not have. */
#define PSDVEC_UNKNOWN_WORD UINT32_MAX

/* True and *i if the word is known. Exact bytes; no folding. */
PSDVEC_API bool psdvec_model_find(const psdvec_model *model, const char *word, size_t length,
                                  uint32_t *i);
/* The same for a word as a person writes it: as it is or, if the model does not have it, as the
 * tokeniser of the model's text would write it. So "Paris" finds "paris" if that text was
 * case-folded; composed characters, stripped accents, digits and apostrophes follow the model's
 * settings too. Vectors that do not say how their text was tokenised, such as third-party ones,
 * are tried in lower case and then with the default settings. *i is PSDVEC_UNKNOWN_WORD if the
 * word is not known, or if `text` is several words to the tokeniser. */
PSDVEC_API psdvec_status psdvec_model_find_normalized(psdvec_context *ctx,
                                                      const psdvec_model *model, const char *text,
                                                      size_t length, uint32_t *i);
/* How that tokeniser writes a word, whether the model has it or not, for psdvec_model_spell:
 * *needed bytes, of which `word` receives at most `room`, and a zero byte behind them if there is
 * room for it. *needed is 0 if `text` is not exactly one word. */
PSDVEC_API psdvec_status psdvec_model_normalize(psdvec_context *ctx, const psdvec_model *model,
                                                const char *text, size_t length, char *word,
                                                size_t room, size_t *needed);
/* The generative vector: dim numbers, valid until the close. NULL of a sparse model. Of a model in
 * float16 or int8, the first call makes a copy of all vectors as float32, in the budget of the
 * context that opened the model, and NULL means that it does not fit. */
PSDVEC_API const float *psdvec_model_vector(const psdvec_model *model, uint32_t i);
/* Writes dim numbers of it to `vector`, of any model, without such a copy. False, and zeros, if
 * there is no word i. */
PSDVEC_API bool psdvec_model_vector_copy(const psdvec_model *model, uint32_t i, float *vector);
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
 * vectors are psdvec_model_copy and psdvec_model_sparse_row. Of a model in float16 or int8 a copy
 * as float32, as of psdvec_model_vector. */
PSDVEC_API psdvec_status psdvec_model_readout(psdvec_context *ctx, const psdvec_model *model,
                                              const float **vectors);
/* The read-out of any string of letters from its spelling alone: dim numbers. False, and
 * zeros, if the model has no spelling or knows nothing in the word. */
PSDVEC_API bool psdvec_model_spell(const psdvec_model *model, const char *word, size_t length,
                                   float *vector);
/* One word's read-out, of any model: dim numbers. False, and zeros, if there is no word i. */
PSDVEC_API bool psdvec_model_copy(const psdvec_model *model, uint32_t i, float *vector);
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

/* Which words may be answers to a query. NULL means the defaults: all words. */
typedef struct psdvec_query_options {
    size_t size; /* filled in by psdvec_query_options_default */
    /* For several queries, each with its own list: query q leaves out except[k] for
     * except_begin[q] <= k < except_begin[q + 1], so there is one number more than queries.
     * NULL: every query leaves out all of `except`. */
    const size_t *except_begin;
#include <psdvec/options/query.def>
} psdvec_query_options;

static inline void psdvec_query_options_default(psdvec_query_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_QUERY, options, sizeof *options, 0, NULL);
}

/* The `most` words whose read-out is nearest to a vector of dim numbers by cosine, best
 * first, ties by rank; exact. *found is at most `most`. */
PSDVEC_API psdvec_status psdvec_model_similar(psdvec_context *ctx, const psdvec_model *model,
                                              const float *vector,
                                              const psdvec_query_options *options, size_t most,
                                              psdvec_neighbour *neighbours, size_t *found);

/* The same of many queries at once, which is many times as fast as one after the other: vectors
 * is count x dim, neighbours count x most, found has `count` numbers, and the neighbours of
 * query q are the first found[q] of row q. Every query gets exactly the words and the cosines,
 * to the last bit, that psdvec_model_similar gives it. */
PSDVEC_API psdvec_status psdvec_model_similar_many(psdvec_context *ctx, const psdvec_model *model,
                                                   const float *vectors, size_t count,
                                                   const psdvec_query_options *options, size_t most,
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

/* ---- Other programs' vectors ------------------------------------------------ */
typedef enum psdvec_vectors_format {
    PSDVEC_VECTORS_MODEL = 0,       /* our own file */
    PSDVEC_VECTORS_WORD2VEC,        /* text: "words dim", then a word and its numbers a line */
    PSDVEC_VECTORS_WORD2VEC_BINARY, /* the same with the numbers as float32 */
    PSDVEC_VECTORS_GLOVE,           /* text without the first line */
    PSDVEC_VECTORS_NPY              /* numpy's .npy, and a text with a word a line beside it */
} psdvec_vectors_format;

typedef struct psdvec_convert_options {
    size_t size; /* filled in by psdvec_convert_options_default */
#include <psdvec/options/convert.def>
} psdvec_convert_options;

static inline void psdvec_convert_options_default(psdvec_convert_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_CONVERT, options, sizeof *options, 0, NULL);
}
/* The format that the suffix of a file name stands for: .vec, .npy, ... False: none. */
PSDVEC_API bool psdvec_vectors_format_of(const char *path, psdvec_vectors_format *format);
PSDVEC_API psdvec_status psdvec_convert(psdvec_context *ctx, const psdvec_convert_options *options,
                                        const char *input, const char *output);

#ifdef __cplusplus
}
#endif
#endif
