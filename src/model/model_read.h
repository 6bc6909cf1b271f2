/* An open model (internal).
 *
 * A model file is mapped, and the pointers point into the mapping, or to data unpacked from it.
 * Third-party vectors are read into blocks that the model owns (foreign.h). In either case the word
 * offsets ascend, no word is empty, and all arrays have the lengths given in `info`; the numbers
 * are known to be finite only for third-party vectors, and for a model file after
 * psdvec_model_verify. A sparse model has rows in `sparse` and neither `vectors` nor `readout`.
 *
 * Nothing changes after opening except the caches at the end, which a lock guards: any number of
 * threads may use a model concurrently.
 */
#ifndef PV_MODEL_MODEL_READ_H
#define PV_MODEL_MODEL_READ_H

#include "base/safetensors_read.h"
#include "base/word_index.h"
#include "corpus/phrases.h"
#include "model/foreign.h"
#include "model/vector_set.h"
#include "spelling/spelling.h"

#define PV_MODEL_MOST_WORDS (UINT32_MAX - 2)
/* Limits of T and e (docs/explanation/documents.md), fitted or given as options. */
#define PV_MOST_TEMPERATURE 100.0
#define PV_MOST_SELF 1000.0

struct psdvec_model {
    psdvec_context *ctx;
    atomic_uint holders;      /* the host, scorers and views */
    const psdvec_model *base; /* of a view (psdvec_model_with_spelling): the model that owns all
                               * arrays except `readout`; else NULL */
    char *path;
    psdvec_model_info info;
    pv_st_file *file;   /* NULL: third-party vectors */
    pv_foreign foreign; /* empty if `file` */
    pv_scope own;       /* data unpacked at opening (compact.h) */

    const char *bytes;            /* all words */
    const uint64_t *offsets;      /* words + 1 */
    const char *forms;            /* all forms */
    const uint64_t *form_offsets; /* words + 1, or NULL; an empty form is the word */
    pv_vector_set vectors;        /* the generative ones, as the file has them; none if sparse */
    pv_vector_set readout;        /* `vectors` if the file has no read-out */
    const float *readout_mean;    /* dim, or NULL: zeros */
    const float *readout_map;     /* dim x dim, or NULL: the identity */
    pv_spelling *spelling;        /* or NULL */
    pv_csr sparse;                /* if info.sparse */
    float *ones;                  /* of sparse.ones */
    const uint64_t *counts;       /* words, or NULL */
    const double *unigram;        /* words, or NULL */
    const float *spread;          /* words, or NULL */
    psdvec_iteration *iterations;
    pv_phrases *phrases; /* that were joined in the text; NULL: none */

    pthread_mutex_t lock; /* guards the caches below */
    pv_word_index index;  /* built at the first search for a word */
    bool indexed;
    float *squares;              /* words: squared lengths of the read-out's rows, as computed by
                                  * dot.h; set by the first search */
    struct pv_text_rules *rules; /* of the tokeniser; created on first use */
    bool own_rules;              /* from the model's settings, not the defaults */
    struct pv_inflections *inflections; /* learnt on first use */
    float *floats[2]; /* words x dim: `vectors` and `readout` converted to float32 if necessary;
                       * made on first use */
};

/* Without pv_begin, for use inside other calls. `words_file`: the words of an npy file; NULL: the
 * default path. */
psdvec_status pv_model_open(psdvec_context *ctx, const char *path, const char *words_file,
                            psdvec_model **out);

/* Adds a reference for an object that keeps the model; psdvec_model_close releases it. */
const psdvec_model *pv_model_hold(const psdvec_model *model);

/* The model whose word caches are used; for a view, the model it was made from. */
static inline psdvec_model *pv_model_words(const psdvec_model *model)
{
    return (psdvec_model *)(model->base ? model->base : model);
}

/* All vectors as float32: words x dim, valid until the model is closed. For float16 and int8 the
 * first call makes a copy, within the budget of the context that opened the model; code that can
 * work row by row should use the set itself. `set`: &model->vectors or &model->readout of a model
 * that is not sparse. */
psdvec_status pv_model_floats(psdvec_context *ctx, const psdvec_model *model,
                              const pv_vector_set *set, const float **floats);

/* For getters: whether word i exists. */
static inline bool pv_model_has(const psdvec_model *model, uint32_t i)
{
    return model && i < model->info.words;
}

/* The phrases as stored in the file. */
static inline pv_phrase_list pv_model_phrases(const psdvec_model *model)
{
    return model->phrases ? pv_phrases_list(model->phrases) : (pv_phrase_list){0};
}

/* Called before text is read for a model: the model's own phrases are joined, and an option that
 * names others is rejected. If the model has phrases, options->phrases becomes NULL, and readers
 * get model->phrases instead. */
psdvec_status pv_model_own_phrases(psdvec_context *ctx, const psdvec_model *model,
                                   psdvec_text_options *options);

/* For pv_model_open: reads the rows of a sparse model. */
psdvec_status pv_sparse_take(psdvec_model *model);

/* Fails with PSDVEC_ERR_FORMAT and a message that ends with `only` ("only models made by train can
 * be ...") if the model was made by another method or is sparse. Vectors without metadata are
 * accepted. */
psdvec_status pv_model_require_psd(psdvec_context *ctx, const psdvec_model *model,
                                   const char *only);

/* True for explicit PPMI vectors: no cosine is below 0, and 3CosMul uses cosines as they are (Levy
 * and Goldberg 2014); for other vectors 1 is added to them. This includes sparse codes, even if no
 * cosine is negative: most of them are 0 and would dominate every product. */
bool pv_model_explicit(const psdvec_model *model);

/* The read-out of a word that is added later, from its generative vector v (dim). The part that
 * training derives from word order is not available for it. `share` times its spelling vector is
 * added. */
void pv_model_readout_later(const psdvec_model *model, const float *v, const char *word,
                            size_t length, double share, float *scratch, float *readout);

/* psdvec_model_check_word without pv_begin. */
psdvec_status pv_model_check_word(psdvec_context *ctx, const psdvec_model *model, uint32_t i);
/* The same for all words, in parallel: for computations that read all vectors. */
psdvec_status pv_model_check_vectors(psdvec_context *ctx, const psdvec_model *model);
/* The same for the first `dim` components of the first `words` vectors of a set of the model. */
psdvec_status pv_model_check_set(psdvec_context *ctx, const psdvec_model *model,
                                 const pv_vector_set *set, uint32_t words, uint32_t dim);

/* PSDVEC_ERR_CORRUPT with "PATH: the model is damaged: CAUSE; create the file again". */
psdvec_status pv_model_damaged(const psdvec_model *model, const char *cause);

#endif
