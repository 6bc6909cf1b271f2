/* Part of psdvec.h: reading models, nearest neighbours, and conversion of vectors.
 *
 * psdvec_model_open opens a model, or vectors of another program. Words are numbered from 0, in
 * models trained by psdvec the most frequent first.
 *
 *     psdvec_model *model;
 *     psdvec_neighbour near[10];
 *     uint32_t word;
 *     size_t found = 0;
 *     if (psdvec_model_open(ctx, "wiki.safetensors", &model) == PSDVEC_OK &&
 *         psdvec_model_find(model, "music", 5, &word)) {
 *         float vector[1000]; // at least psdvec_model_get_info(model)->dim
 *         psdvec_query_options query;
 *         psdvec_query_options_default(&query);
 *         query.except = &word;
 *         query.except_count = 1;
 *         psdvec_model_copy(model, word, vector);
 *         psdvec_model_similar(ctx, model, vector, &query, 10, near, &found);
 *     }
 *     psdvec_model_close(model);
 *
 * A model has two sets of vectors:
 *
 * - The generative vectors (psdvec_model_vector) are the posterior mode. Their products are the
 *   model's PMI, and new words are fitted to them (psdvec_extend).
 * - The read-out (psdvec_model_readout, psdvec_model_copy) is the set of vectors for comparing
 *   words. Training derives it from the generative vectors. Similarity, neighbours, analogies and
 *   export use it.
 *
 * If psdvec_model_info.has_readout is false, as for vectors of another program, both are the same.
 */
#ifndef PSDVEC_MODEL_H
#define PSDVEC_MODEL_H

#include <psdvec/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading a model ------------------------------------------------------ */
typedef struct psdvec_model psdvec_model;

/* Opens a model, or vectors of another program: word2vec text or binary, GloVe or fastText text, or
 * npy with its list of words beside it. Close it with psdvec_model_close. Model files are
 * memory-mapped; their structure, words and frequencies are checked, but not their checksums and
 * vectors. Other formats are read into memory. If another process truncates a mapped file, the next
 * access raises SIGBUS; replace files by renaming a new one, as psdvec does. */
PSDVEC_API psdvec_status psdvec_model_open(psdvec_context *ctx, const char *path,
                                           psdvec_model **model);

/* Closes a model. Pointers obtained from it become invalid. `model` may be NULL. */
PSDVEC_API void psdvec_model_close(psdvec_model *model);

/* Reads the whole model file, compares all checksums, and checks that all vectors are finite. */
PSDVEC_API psdvec_status psdvec_model_verify(psdvec_context *ctx, const psdvec_model *model);

/* One iteration of training. */
typedef struct psdvec_iteration {
    uint32_t iteration; /* from 1 */
    uint32_t rank;      /* number of eigenvalues kept */
    uint32_t positive;  /* number of positive ones among them */
    double objective;
    double relaxation; /* length of the step taken */
    double smallest;   /* smallest magnitude of an eigenvalue kept */
    double residual;   /* of the eigenvectors, relative to `smallest` */
} psdvec_iteration;

/* How a file stores the components of vectors. Queries use them as stored. Only
 * psdvec_model_vector, psdvec_model_readout and calls that need all vectors at once, such as
 * scoring documents, convert a copy to float32. */
typedef enum psdvec_precision {
    PSDVEC_FLOAT32 = 0,
    PSDVEC_FLOAT16,
    PSDVEC_INT8 /* with one scale per vector */
} psdvec_precision;

typedef struct psdvec_model_info {
    uint32_t words, core_words; /* core words come first; core_words is 0 if not known */
    uint32_t dim, positive;     /* dimensions, and those with sign + in J; dim if not known */
    uint64_t file_bytes;
    psdvec_precision precision; /* of the vectors in the file */
    bool native;                /* a model file of psdvec */
    const char *method;         /* "psd", "svd", ...; NULL if not known */
    bool sparse;                /* the vectors are sparse; dim may be large */
    uint64_t entries;           /* nonzero components of sparse vectors; 0 if not sparse */
    bool directions_are_words;  /* sparse: dimension k corresponds to word k, as in PPMI */
    bool has_counts, has_spread;
    bool has_readout;         /* the read-out differs from the generative vectors */
    bool has_spelling;        /* psdvec_model_spell works */
    uint32_t ngrams;          /* number of character n-grams for it */
    uint64_t spelling_bytes;  /* their size in the file */
    const float *eigenvalues; /* dim values with signs, by magnitude; NULL if not known */
    const psdvec_iteration *iterations;
    size_t iteration_count;
    const char *settings_json;   /* options of training, a JSON object; NULL if not known */
    const char *counts_json;     /* options and inputs of counting, a JSON object; may be NULL */
    const char *extensions_json; /* an array with one object per psdvec_extend; may be NULL */
    const char *written_by;      /* "psdvec 0.1.0"; may be NULL */
    /* Fitted for scoring documents (document.h). If not fitted, 0; NAN for `self`. */
    double temperature, self;  /* T and e */
    double temperature_counts; /* T with residuals */
    double interpolation;      /* weight of the unigrams in the bigram baseline */
    const char *fit_json;      /* details of the fit, a JSON object; may be NULL */
    const char *joint_json;    /* joint probability after training, a JSON object; may be NULL */
    bool only_readout;         /* converted with `only_readout`: there are no generative vectors */
    bool no_spelling;          /* converted with `no_spelling` */
    uint64_t phrases;          /* joined in the text (text option `phrases`) */
    /* Fitted discounts of bigrams that were counted once, twice, or more often (document.h); 0 if
     * not fitted */
    double discount_once, discount_twice, discount_more;
} psdvec_model_info;

/* Returns the metadata of the model, valid until the model is closed. */
PSDVEC_API const psdvec_model_info *psdvec_model_get_info(const psdvec_model *model);

/* The following functions return NULL, 0, false or, if they return a double, NAN if i is not the
 * index of a word. */

/* Returns word i as UTF-8, not null-terminated, and stores its length in bytes in *length (may be
 * NULL). Valid until the model is closed. */
PSDVEC_API const char *psdvec_model_word(const psdvec_model *model, uint32_t i, size_t *length);
/* Returns word i as it is usually written, for display: its most frequent spelling in the text that
 * the model was trained on, such as "Größe" for the word "grösse". Returns the word itself if
 * the model has no other spelling of it. *length and lifetime as for psdvec_model_word. */
PSDVEC_API const char *psdvec_model_form(const psdvec_model *model, uint32_t i, size_t *length);
/* In place of a word index: a word that is not in the model. */
#define PSDVEC_UNKNOWN_WORD UINT32_MAX

/* Finds a word by its exact bytes. Returns true and stores its index in *i, or returns false if the
 * word is not in the model. */
PSDVEC_API bool psdvec_model_find(const psdvec_model *model, const char *word, size_t length,
                                  uint32_t *i);

/* Finds a word as a user types it: first by its exact bytes, then as the model's tokenizer would
 * write it. For example, "Paris" finds "paris" if the model's text was folded to lower case;
 * composed characters, accents, digits and apostrophes follow the model's settings too, and so do
 * phrases: "New York" finds "new_york" if the model has that phrase. Vectors
 * without tokenizer settings, such as third-party ones, are searched in lower case, with capitals
 * ("new_york": "New_York"), in capitals, then with the default settings. *i is PSDVEC_UNKNOWN_WORD if the word is not in the model, or if the tokenizer
 * splits `text` into several words. */
PSDVEC_API psdvec_status psdvec_model_find_normalized(psdvec_context *ctx,
                                                      const psdvec_model *model, const char *text,
                                                      size_t length, uint32_t *i);

/* Tokenizes text as the model's text was: with its text options, and with its phrases joined
 * (psdvec/phrases.h). Vectors without tokenizer settings take the defaults. Calls `on_token` as
 * psdvec_tokenize does. */
PSDVEC_API psdvec_status psdvec_model_tokenize(psdvec_context *ctx, const psdvec_model *model,
                                               const char *text, size_t length,
                                               psdvec_token_fn *on_token, void *user);

/* Receives one of the words of a text: `length` bytes, not null-terminated, valid during the call
 * only, and its index, or PSDVEC_UNKNOWN_WORD if the model does not have it. */
typedef void psdvec_part_fn(void *user, const char *word, size_t length, uint32_t i);

/* Finds what a user types, which may be several words, such as "New York" or Chinese without
 * blanks. If psdvec_model_find_normalized finds it, or if its words joined by underscores or hyphens
 * are a word of the model (new_york), calls `on_part` for that word. Otherwise calls it for each
 * word that the model's tokenizer finds in the text, or, if the model has no tokenizer settings, for
 * each part separated by blanks or hyphens. Not called if the text contains no word, for example
 * only digits that the tokenizer drops. */
PSDVEC_API psdvec_status psdvec_model_find_parts(psdvec_context *ctx, const psdvec_model *model,
                                                 const char *text, size_t length,
                                                 psdvec_part_fn *on_part, void *user);

/* Finds words that are spelled almost like `word`, for "did you mean" messages: with the fewest
 * insertions, deletions, replacements and swaps of adjacent characters, and no more than
 * `most_edits` of them; ties are resolved in the order of the model, more frequent words first.
 * `words` receives the *count words, at most `room`, best first. Case is ignored. */
PSDVEC_API psdvec_status psdvec_model_suggest(psdvec_context *ctx, const psdvec_model *model,
                                              const char *word, size_t length, uint32_t most_edits,
                                              uint32_t *words, size_t room, size_t *count);

/* Writes a word as the model's tokenizer does, whether the model has it or not; for
 * psdvec_model_spell. *needed is its length in bytes, 0 if `text` is not exactly one word. `word`
 * receives at most `room` bytes and, if there is room, a terminating zero; it may be NULL if `room`
 * is 0. */
PSDVEC_API psdvec_status psdvec_model_normalize(psdvec_context *ctx, const psdvec_model *model,
                                                const char *text, size_t length, char *word,
                                                size_t room, size_t *needed);

/* Lists the words of the model that are forms of `word` by their spelling, such as king's and kings
 * for king, whether `word` is in the model or not: words that differ in a pair of endings that is
 * frequent in the model's vocabulary, or in an apostrophe with one or two letters. Works for any
 * language that inflects words at their end. `forms` receives at most `room` word indices,
 * ascending; *count is how many there are. `forms` may be NULL if `room` is 0. To exclude forms
 * from the results, pass them as `except` of psdvec_query_options. */
PSDVEC_API psdvec_status psdvec_model_inflections(psdvec_context *ctx, const psdvec_model *model,
                                                  const char *word, size_t length, uint32_t *forms,
                                                  size_t room, size_t *count);

/* Returns the generative vector of word i, dim components, valid until the model is closed. NULL
 * for sparse models. For float16 and int8 models, the first call converts all vectors to float32
 * within the memory budget of the context that opened the model; NULL if they do not fit. */
PSDVEC_API const float *psdvec_model_vector(const psdvec_model *model, uint32_t i);

/* Copies the generative vector of word i to `vector`, dim components. Works for every model and
 * does not convert all vectors. Returns false and fills `vector` with zeros if i is out of
 * range. */
PSDVEC_API bool psdvec_model_vector_copy(const psdvec_model *model, uint32_t i, float *vector);

/* Returns how often word i occurs in the training text; 0 if not known. */
PSDVEC_API uint64_t psdvec_model_frequency(const psdvec_model *model, uint32_t i);

/* Returns the posterior standard deviation of the components of vector i (geometric mean over the
 * dimensions): the larger, the less certain the vector. 0 if not known. */
PSDVEC_API double psdvec_model_spread(const psdvec_model *model, uint32_t i);

/* Returns P(s_i), the unigram probability used in training; 0 if not known. */
PSDVEC_API double psdvec_model_unigram(const psdvec_model *model, uint32_t i);

/* Returns v_i' J v_j, the model's estimate of the PMI of words i and j; NAN if the model has the
 * read-out only. */
PSDVEC_API double psdvec_model_product(const psdvec_model *model, uint32_t i, uint32_t j);

/* Stores a pointer to the read-out of all words in *vectors: words x dim, row-major, valid until
 * the model is closed. float16 and int8 models are converted as in psdvec_model_vector. Sparse
 * models give PSDVEC_ERR_OPTION; use psdvec_model_copy or psdvec_model_sparse_row. */
PSDVEC_API psdvec_status psdvec_model_readout(psdvec_context *ctx, const psdvec_model *model,
                                              const float **vectors);

/* Derives a read-out vector, dim components, from the spelling of a word that need not be in the
 * model. Returns false and fills `vector` with zeros if the model has no spelling, or none of the
 * word's character n-grams. */
PSDVEC_API bool psdvec_model_spell(const psdvec_model *model, const char *word, size_t length,
                                   float *vector);

/* Opens a view of a model in which spelling has another weight, without training: 1 is the weight
 * of training, 0 leaves spelling out, so that words are compared by their contexts alone. The view
 * is used and closed like any other model; it keeps `model` open. Its read-out takes words x dim x 4
 * bytes of the memory budget, unless the weight is 1 or the model has no spelling. Does not change
 * generative vectors and psdvec_model_spell. PSDVEC_ERR_FORMAT if psdvec_convert brought the vectors
 * to length 1. */
PSDVEC_API psdvec_status psdvec_model_with_spelling(psdvec_context *ctx, const psdvec_model *model,
                                                    double weight, psdvec_model **view);

/* Copies the read-out of word i to `vector`, dim components. Works for every model. Returns false
 * and fills `vector` with zeros if i is out of range. */
PSDVEC_API bool psdvec_model_copy(const psdvec_model *model, uint32_t i, float *vector);

/* Gives the nonzero components of the vector of word i in a sparse model: *count dimensions in
 * *columns, ascending, and their values in *values. The arrays are valid until the model is closed;
 * each of the three pointers may be NULL. *count is 0 for models that are not sparse. */
PSDVEC_API void psdvec_model_sparse_row(const psdvec_model *model, uint32_t i,
                                        const uint32_t **columns, const float **values,
                                        size_t *count);

/* Returns the cosine similarity of words i and j in the read-out; 0 if one of the vectors is
 * zero. */
PSDVEC_API double psdvec_model_cosine(const psdvec_model *model, uint32_t i, uint32_t j);

/* Checks that the vectors of word i are finite; PSDVEC_ERR_CORRUPT if the model file is damaged. The
 * functions that return vectors, products and cosines do not check this. */
PSDVEC_API psdvec_status psdvec_model_check_word(psdvec_context *ctx, const psdvec_model *model,
                                                 uint32_t i);

/* ---- Nearest neighbours ---------------------------------------------------- */
typedef struct psdvec_neighbour {
    uint32_t word;
    float cosine;
} psdvec_neighbour;

/* Restricts which words are returned by a query. NULL options mean all words. */
typedef struct psdvec_query_options {
    size_t size; /* set by psdvec_query_options_default */
    /* For psdvec_model_similar_many, if each query has its own list: query q excludes except[k] for
     * except_begin[q] <= k < except_begin[q + 1], so the array has one element more than there are
     * queries. NULL: every query excludes all of `except`. */
    const size_t *except_begin;
#include <psdvec/options/query.def>
} psdvec_query_options;

/* Sets all members to their defaults. */
static inline void psdvec_query_options_default(psdvec_query_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_QUERY, options, sizeof *options, 0, NULL);
}

/* Finds the `most` words whose read-out has the highest cosine similarity to `vector`, dim
 * components. The search is exact. `neighbours` receives the *found words, at most `most`, best
 * first, ties by word index. The word of the vector itself is found too unless `except` excludes
 * it. `options` may be NULL. */
PSDVEC_API psdvec_status psdvec_model_similar(psdvec_context *ctx, const psdvec_model *model,
                                              const float *vector,
                                              const psdvec_query_options *options, size_t most,
                                              psdvec_neighbour *neighbours, size_t *found);

/* Answers `count` queries at once, which is many times faster than one by one. `vectors` is count x
 * dim, `neighbours` is count x most, `found` has `count` elements; the results of query q are the
 * first found[q] elements of row q. Words and cosines are bit-for-bit those of
 * psdvec_model_similar. `options` may be NULL. */
PSDVEC_API psdvec_status psdvec_model_similar_many(psdvec_context *ctx, const psdvec_model *model,
                                                   const float *vectors, size_t count,
                                                   const psdvec_query_options *options, size_t most,
                                                   psdvec_neighbour *neighbours, size_t *found);

/* ---- Explaining a pair ------------------------------------------------------ */
/* The target and weight that the counts give to a pair of words, by the model's training options,
 * and the product of their vectors. docs/explanation/model.md has the formulas. */
typedef struct psdvec_pair_explanation {
    double count_ij, count_ji;   /* counts of j after i and of i after j; expected counts, if
                                    frequent words were subsampled */
    double target_ij, target_ji; /* G of each direction; NAN if the counts do not determine it */
    double weight_ij, weight_ji; /* f of each direction */
    double target, weight;       /* of both directions: T, NAN if no weight is positive, and S */
    double background, background_target; /* weight and target of every pair, seen or not */
    double product;                       /* v_i' J v_j */
    double residual;                      /* target - product; NAN without a target */
    bool same_counts;                     /* the model was trained on these counts */
} psdvec_pair_explanation;

/* Explains the pair of words i and j of the model. The words are looked up in the counts by their
 * bytes. */
PSDVEC_API psdvec_status psdvec_model_explain_pair(psdvec_context *ctx, const psdvec_model *model,
                                                   const psdvec_counts *counts, uint32_t i,
                                                   uint32_t j,
                                                   psdvec_pair_explanation *explanation);

/* ---- Conversion of vectors --------------------------------------------------- */
typedef enum psdvec_vectors_format {
    PSDVEC_VECTORS_MODEL = 0,       /* a model file of psdvec */
    PSDVEC_VECTORS_WORD2VEC,        /* text: a line "words dim", then one line per word */
    PSDVEC_VECTORS_WORD2VEC_BINARY, /* the same, with the components as float32 */
    PSDVEC_VECTORS_GLOVE,           /* text without the first line */
    PSDVEC_VECTORS_NPY              /* NumPy .npy, and a text file with one word per line */
} psdvec_vectors_format;

typedef struct psdvec_convert_options {
    size_t size; /* set by psdvec_convert_options_default */
#include <psdvec/options/convert.def>
} psdvec_convert_options;

/* Sets all members to their defaults. */
static inline void psdvec_convert_options_default(psdvec_convert_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_CONVERT, options, sizeof *options, 0, NULL);
}

/* Determines the format from the suffix of a file name: .vec, .npy, ... Returns true and stores it
 * in *format, or returns false if the suffix is not known. */
PSDVEC_API bool psdvec_vectors_format_of(const char *path, psdvec_vectors_format *format);

/* Reads `input`, a model or vectors of another program as in psdvec_model_open, and writes it to
 * `output` in the format of the options, which does not depend on the suffix of `output`. `options`
 * may be NULL: then the output is a model. */
PSDVEC_API psdvec_status psdvec_convert(psdvec_context *ctx, const psdvec_convert_options *options,
                                        const char *input, const char *output);

#ifdef __cplusplus
}
#endif
#endif
