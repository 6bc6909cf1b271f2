/* An open model, for the other files of this module and for those that extend or
 * evaluate it.
 *
 * A model file is mapped, and the pointers lead into the mapping, or to what was unpacked from it. Vectors of
 * another program were read into blocks that the model owns (foreign.h). Either
 * way the words ascend without an empty one, and all arrays have the lengths that
 * `info` says; that the numbers are finite is known only of foreign vectors, and
 * of a model file after psdvec_model_verify. A sparse model has rows in `sparse`
 * and neither `vectors` nor `readout`.
 *
 * Nothing changes after opening but the caches at the end, which a lock guards: any number of
 * threads may use a model at once.
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
/* Of T and e (docs/explanation/documents.md), whether fitted or asked for. */
#define PV_MOST_TEMPERATURE 100.0
#define PV_MOST_SELF 1000.0

struct psdvec_model {
    psdvec_context *ctx;
    atomic_uint holders;      /* the host, scorers and views */
    const psdvec_model *base; /* of a view (psdvec_model_with_spelling): the model that owns all
                                 arrays but `readout`; else NULL */
    char *path;
    psdvec_model_info info;
    pv_st_file *file;   /* NULL: foreign */
    pv_foreign foreign; /* empty if `file` */
    pv_scope own;       /* what opening unpacked (compact.h) */

    const char *bytes;            /* all words */
    const uint64_t *offsets;      /* words + 1 */
    const char *forms;            /* all forms */
    const uint64_t *form_offsets; /* words + 1, or NULL; an empty form is the word */
    pv_vector_set vectors;        /* the generative ones, as the file has them; none if sparse */
    pv_vector_set readout;        /* `vectors` if the file has none of its own */
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
    float *squares;              /* words: of the read-out's rows, as dot.h has them; noted by the
                                    first search */
    struct pv_text_rules *rules; /* of the tokeniser; made when first asked for */
    bool own_rules;              /* by the model's settings, not by the defaults */
    struct pv_endings *endings;  /* of forms of words; learnt when first asked for */
    float *floats[2]; /* words x dim: `vectors` and `readout` as float32, if they are not; made
                         when first asked for */
};

/* Without pv_begin, for use inside other calls. `words_file`: where the words of an npy file are; NULL: beside it. */
psdvec_status pv_model_open(psdvec_context *ctx, const char *path, const char *words_file,
                            psdvec_model **out);

/* For an object that keeps the model; psdvec_model_close lets go. */
const psdvec_model *pv_model_hold(const psdvec_model *model);

/* The model whose caches about words are used: that of a view is the one it was made from. */
static inline psdvec_model *pv_model_words(const psdvec_model *model)
{
    return (psdvec_model *)(model->base ? model->base : model);
}

/* All vectors as float32: words x dim, valid until the close. Of float16 and int8 the first call
 * makes a copy, in the budget of the context that opened the model; whoever can go row by row
 * uses the set itself. `set`: &model->vectors or &model->readout of a model that is not sparse. */
psdvec_status pv_model_floats(psdvec_context *ctx, const psdvec_model *model,
                              const pv_vector_set *set, const float **floats);

/* For getters: there is such a word. */
static inline bool pv_model_has(const psdvec_model *model, uint32_t i)
{
    return model && i < model->info.words;
}

/* The phrases as the file has them. */
static inline pv_phrase_list pv_model_phrases(const psdvec_model *model)
{
    return model->phrases ? pv_phrases_list(model->phrases) : (pv_phrase_list){0};
}

/* Before text is read for a model: the model's own phrases are joined, and an option that names
 * others is refused. If the model has phrases, options->phrases becomes NULL, and readers get
 * model->phrases instead. */
psdvec_status pv_model_own_phrases(psdvec_context *ctx, const psdvec_model *model,
                                   psdvec_text_options *options);

/* For pv_model_open: the rows of a sparse model. */
psdvec_status pv_sparse_take(psdvec_model *model);

/* PSDVEC_ERR_FORMAT and a sentence that ends with `only` ("only models made by train can be ...") if
 * another method than ours made the model, or it is sparse. Vectors of which nothing is known pass. */
psdvec_status pv_model_require_psd(psdvec_context *ctx, const psdvec_model *model,
                                   const char *only);

/* True of positive mutual information itself: no cosine is below 0, and 3CosMul takes cosines as they
 * are (Levy and Goldberg 2014); others are raised by 1 for it. Those of sparse codes too, even if none
 * is negative: most of them are 0, and would settle every product. */
bool pv_model_explicit(const psdvec_model *model);

/* The read-out of a word that arrives later, from its generative vector v (dim): what in training
 * came from the order of words is not known of it. `share` of what its spelling says is added. */
void pv_model_readout_later(const psdvec_model *model, const float *v, const char *word,
                            size_t length, double share, float *scratch, float *readout);

/* PSDVEC_ERR_CORRUPT with "PATH: the model is damaged: CAUSE; make the file anew". */
psdvec_status pv_model_damaged(const psdvec_model *model, const char *cause);

/* A word fit for a sentence. */
pv_st_shown pv_word_shown(const char *word, size_t length);

#endif
