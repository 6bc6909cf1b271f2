/* Part of psdvec.h: the probability of documents, prediction and text generation.
 *
 * A model trained by psdvec is a generative model, so it gives every text a probability. A scorer
 * computes it, and also predicts the next word and draws text from the model.
 *
 *     psdvec_scored_model with = {model, NULL};
 *     psdvec_scorer *scorer;
 *     if (psdvec_scorer_open(ctx, NULL, &with, 1, &scorer) == PSDVEC_OK) {
 *         if (psdvec_scorer_text(scorer, text, strlen(text)) == PSDVEC_OK) {
 *             const psdvec_document_score *total = psdvec_scorer_total(scorer);
 *             printf("perplexity %g\n", exp(-total->fits[0].conditional / (double)total->known));
 *         }
 *         psdvec_scorer_close(scorer);
 *     }
 *
 * The log-probability of a focus word w given the context words k before it in the window is
 * (docs/explanation/documents.md)
 *
 *     log P(w | before) = log p_w + T sum_k b_k (v_k' J v_w + a_kw + t_k + t_w) - log Z
 *
 *     p    unigram probabilities
 *     b_k  weight of a pair at this distance, as in counting
 *     a    residuals, computed from the counts; 0 without counts
 *     t    shift from the training target to PMI; 0 for the paper's target
 *     T    temperature; 1 in the paper
 *     Z    normaliser
 *
 * Without log Z and with T = 1 this is the value of the paper, a first-order approximation whose
 * probabilities do not sum to one. With log Z it is a probability. Training gives pairs of a word
 * with itself no weight, so v_w' J v_w does not describe how words repeat; one value e for all
 * words can replace it. psdvec_fit_temperature fits T and e to text.
 *
 * The vectors do not use the order of words. psdvec_scorer_bigrams adds counts of adjacent words;
 * the probability is then a mixture,
 *
 *     P(w | before) = (x_cw - D(x_cw) + m_c P_model(w | before)) / X_c
 *
 *     c        the word directly before w
 *     x, X     counts of adjacent words, and their sums over w
 *     D        discount of pairs that were counted once, twice, or more often
 *     m        sum of the discounts of all words that follow c
 *     P_model  the normalised probability above
 */
#ifndef PSDVEC_DOCUMENT_H
#define PSDVEC_DOCUMENT_H

#include <psdvec/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Documents --------------------------------------------------------------- */
typedef struct psdvec_scorer psdvec_scorer;

/* A model to score with. Both objects may be closed before the scorer, which keeps them. */
typedef struct psdvec_scored_model {
    const psdvec_model *model;
    const psdvec_counts *counts; /* the counts it was trained on, for residuals; may be NULL */
} psdvec_scored_model;

/* The contribution of one context word to the score of a focus word. */
typedef struct psdvec_influence {
    uint64_t place;  /* position of the context word in the document, from 0, as in
                        psdvec_word_score */
    uint32_t word;   /* index of the context word in the model */
    double weight;   /* b_k: by distance, and lower for subsampled words */
    double product;  /* v_k' J v_w */
    double residual; /* a_kw; 0 without counts */
    double shift;    /* t_k + t_w */
    double added;    /* T b_k (product + residual + shift) */
} psdvec_influence;

/* The score of one word of a document under the first model. Natural logarithms. */
typedef struct psdvec_word_score {
    uint64_t document; /* number of the document, from 1 */
    uint64_t place;    /* position in the document, from 0, counting unknown words too */
    const char *text;  /* the word, not null-terminated */
    size_t length;
    bool known;                         /* the model has the word; if false, ignore what follows */
    uint32_t word;                      /* index in the model */
    double unigram;                     /* log p_w */
    double paper;                       /* log of the paper's value */
    double conditional;                 /* log P(w | before), normalised */
    double normaliser;                  /* log Z */
    const psdvec_influence *influences; /* with the option `influences`, nearest first */
    size_t influence_count;
} psdvec_word_score;

/* The score of a document under one model: sums of natural logarithms over its known words. */
typedef struct psdvec_document_fit {
    double paper;         /* of the paper's value; not a log-probability */
    double conditional;   /* of P(w | before): the log-likelihood */
    double error;         /* standard error of `conditional` from sampling; 0 if exact */
    double unigram;       /* of p_w alone */
    double bigram;        /* of a Jelinek-Mercer bigram model of the counts; NAN without counts */
    double bigram_fitted; /* the same with the fitted interpolation weight; NAN if not fitted */
    double posterior;     /* probability of this model among the scored ones, with equal priors */
} psdvec_document_fit;

/* The score of a document. */
typedef struct psdvec_document_score {
    uint64_t number;                 /* from 1; in the total, the number of documents */
    const char *source;              /* name of the file; NULL if not read from a file */
    const char *beginning;           /* its first words, null-terminated; empty in the total */
    uint64_t words;                  /* including unknown words */
    uint64_t known;                  /* words that were scored */
    const psdvec_document_fit *fits; /* one per model */
    size_t fit_count;
} psdvec_document_score;

/* Callbacks of a scorer; what they receive is valid during the call only. */
typedef void psdvec_document_fn(void *user, const psdvec_document_score *document);
typedef void psdvec_word_fn(void *user, const psdvec_word_score *word);

typedef struct psdvec_scorer_options {
    size_t size;                     /* set by psdvec_scorer_options_default */
    psdvec_document_fn *on_document; /* called for each document, in order; may be NULL */
    psdvec_word_fn *on_word;         /* called for each word, in order; may be NULL */
    void *user;                      /* passed to both callbacks */
#include <psdvec/options/scorer.def>
} psdvec_scorer_options;

/* Sets all members to their defaults. */
static inline void psdvec_scorer_options_default(psdvec_scorer_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_SCORER, options, sizeof *options, 0, NULL);
}

/* Creates a scorer for one or more models; close it with psdvec_scorer_close. With one model, words
 * that are not in it are skipped. With several models, every word that one of them has is scored by
 * all of them: in a model that lacks a word, it has `smoothing` occurrences and no vector. Models
 * without word frequencies cannot score. `options` may be NULL. The scorer uses `ctx` in all
 * calls. */
PSDVEC_API psdvec_status psdvec_scorer_open(psdvec_context *ctx,
                                            const psdvec_scorer_options *options,
                                            const psdvec_scored_model *models, size_t model_count,
                                            psdvec_scorer **scorer);

/* Mixes the probabilities of model m, an index in the array given to psdvec_scorer_open, with bigrams
 * of adjacent words: counts with `window` 1 and without subsampling, usually of the text that the
 * model was trained on. From then on, `conditional` and all predictions are those of the mixture;
 * normalisers and influences are still those of the model alone. The discounts are those that
 * psdvec_fit_bigrams stored in the model, or else they are estimated from the counts. Call it before
 * any text is scored. `bigrams` may be closed before the scorer, which keeps it. Counts with another
 * window or without words of the model are PSDVEC_ERR_MISMATCH. */
PSDVEC_API psdvec_status psdvec_scorer_bigrams(psdvec_scorer *scorer, size_t m,
                                               const psdvec_counts *bigrams);

/* Closes a scorer. `scorer` may be NULL. */
PSDVEC_API void psdvec_scorer_close(psdvec_scorer *scorer);

/* Feed text token by token; texts may be of any length. Words are scored in batches, so callbacks
 * may come later than the words. If a call fails, the current document and those not yet reported
 * are lost, and the next word starts a new document. */

/* Adds one token to the current document. */
PSDVEC_API psdvec_status psdvec_scorer_word(psdvec_scorer *scorer, const char *word, size_t length);
/* Ends the context window, as the end of a sentence may. */
PSDVEC_API psdvec_status psdvec_scorer_pause(psdvec_scorer *scorer);
/* Ends the document. */
PSDVEC_API psdvec_status psdvec_scorer_end(psdvec_scorer *scorer);
/* Ends the last document and reports everything not yet reported. Call it at the end. */
PSDVEC_API psdvec_status psdvec_scorer_finish(psdvec_scorer *scorer);

/* Tokenizes a text in memory as the first model's text was, scores it as one document regardless of
 * its lines, and finishes. */
PSDVEC_API psdvec_status psdvec_scorer_text(psdvec_scorer *scorer, const char *text, size_t length);

/* Tokenizes inputs (see psdvec_count), scores their documents, and finishes. `text` may be NULL to
 * tokenize as the first model's text was. Each line or record is a document unless the option
 * `document` differs, even if it has no words. */
PSDVEC_API psdvec_status psdvec_scorer_inputs(psdvec_scorer *scorer,
                                              const psdvec_text_options *text,
                                              const char *const *inputs, size_t input_count);

/* Returns the sums over all documents so far, valid until the next call with the scorer. */
PSDVEC_API const psdvec_document_score *psdvec_scorer_total(psdvec_scorer *scorer);

/* Return the parameters that model m, an index in the array given to psdvec_scorer_open, scores
 * with: the temperature T; e, NAN if v_w' J v_w is used; and the weight of the unigrams in
 * bigram_fitted, NAN if none was given or fitted. */
PSDVEC_API double psdvec_scorer_temperature(const psdvec_scorer *scorer, size_t m);
PSDVEC_API double psdvec_scorer_self(const psdvec_scorer *scorer, size_t m);
PSDVEC_API double psdvec_scorer_interpolation(const psdvec_scorer *scorer, size_t m);
/* Returns the discount that model m uses for bigrams that were counted `times` times; NAN without
 * bigrams. */
PSDVEC_API double psdvec_scorer_discount(const psdvec_scorer *scorer, size_t m, uint32_t times);

/* Returns how the first model's text was tokenized, which psdvec_scorer_text uses. The phrases that
 * the model stores are not part of it; psdvec_model_tokenize joins them, too. Valid until the scorer
 * is closed. */
PSDVEC_API const psdvec_text_options *psdvec_scorer_text_options(const psdvec_scorer *scorer);

/* ---- Prediction and generation ------------------------------------------------- */
typedef struct psdvec_prediction {
    uint32_t word;
    double probability; /* P(word | context), normalised */
    double unigram;     /* p_w */
} psdvec_prediction;

/* Finds the `most` most probable words after a context, by the first model. `context` has word
 * indices of that model or PSDVEC_UNKNOWN_WORD, the nearest word last; it may be NULL if
 * `context_count` is 0. `predictions` receives the *found words, best first, ties by word index. */
PSDVEC_API psdvec_status psdvec_scorer_next(psdvec_scorer *scorer, const uint32_t *context,
                                            size_t context_count, size_t most,
                                            psdvec_prediction *predictions, size_t *found);

typedef struct psdvec_generate_options {
    size_t size; /* set by psdvec_generate_options_default */
#include <psdvec/options/generate.def>
} psdvec_generate_options;

/* Sets all members to their defaults. */
static inline void psdvec_generate_options_default(psdvec_generate_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_GENERATE, options, sizeof *options, 0, NULL);
}

/* Receives each word as it is drawn. */
typedef void psdvec_draw_fn(void *user, uint32_t word);

/* Draws text from the first model, each word from its distribution given the words before it. It
 * continues `prompt`, word indices as in psdvec_scorer_next, which may be NULL if `prompt_count` is
 * 0. `words` receives `length` word indices, a member of the options. `options` and `on_draw` may
 * be NULL. */
PSDVEC_API psdvec_status psdvec_scorer_generate(psdvec_scorer *scorer,
                                                const psdvec_generate_options *options,
                                                const uint32_t *prompt, size_t prompt_count,
                                                uint32_t *words, psdvec_draw_fn *on_draw,
                                                void *user);

/* ---- The temperature ----------------------------------------------------------- */
/* The result of psdvec_fit_temperature. */
typedef struct psdvec_fit_report {
    double temperature, self;  /* maximum-likelihood T and e without counts; e is NAN if v_w' J v_w
                                  gives a higher likelihood */
    double temperature_alone;  /* maximum-likelihood T with v_w' J v_w */
    double temperature_counts; /* maximum-likelihood T with residuals; NAN without counts */
    double interpolation;      /* maximum-likelihood weight of the unigrams in the bigram model; NAN
                                  without counts */
    double kappa;              /* that weight before fitting */
    uint64_t words, known;     /* words of the text, and those in the model */
    /* Perplexities */
    double before; /* with T = 1 */
    double alone;  /* with temperature_alone */
    double after;  /* with temperature and self */
    double unigram;
    double counts_before, counts_after; /* with residuals; NAN without counts */
    double bigram;                      /* bigram model with kappa; NAN without counts */
    double bigram_after;                /* bigram model with interpolation; NAN without counts */
    uint32_t rounds;                    /* passes over the text */
    double seconds;
} psdvec_fit_report;

/* Fits T and e by maximum likelihood to text that the model was not trained on; with `counts`, also
 * T with residuals and the interpolation weight of the bigram model. Scores `most_words` known words
 * at equal distances in the text, and sums over a sample of the vocabulary; 0 scores all words and
 * sums exactly. 10,000 words are enough for any text. The likelihood is concave in T and T e, so the
 * maximum is global.
 * `counts` may be NULL; `text` may be NULL to tokenize as the model's text was. */
PSDVEC_API psdvec_status psdvec_fit_temperature(psdvec_context *ctx, const psdvec_model *model,
                                                const psdvec_counts *counts,
                                                const psdvec_text_options *text,
                                                const char *const *inputs, size_t input_count,
                                                uint64_t most_words, psdvec_fit_report *report);

/* Writes a copy of the model file that includes the fitted parameters. `output` may be the path of
 * the model itself. */
PSDVEC_API psdvec_status psdvec_model_write_fit(psdvec_context *ctx, const psdvec_model *model,
                                                const psdvec_fit_report *report,
                                                const char *output);

/* ---- Bigrams of adjacent words --------------------------------------------------- */
/* The result of psdvec_fit_bigrams. */
typedef struct psdvec_bigram_fit {
    double discount_once,
        discount_twice;   /* maximum-likelihood discounts of pairs that were counted */
    double discount_more; /* once, twice, or more often */
    double estimated_once, estimated_twice, estimated_more; /* estimates from the counts alone */
    uint64_t words, known; /* words of the text, and those in the model */
    /* Perplexities */
    double alone;  /* of the model without bigrams */
    double before; /* of the mixture with the estimated discounts */
    double after;  /* of the mixture with the fitted discounts */
    double seconds;
} psdvec_bigram_fit;

/* Fits the discounts of the mixture of a model with bigrams of adjacent words (see
 * psdvec_scorer_bigrams) by maximum likelihood to text that neither was made from. `counts`, `text`,
 * `inputs` and `most_words` as for psdvec_fit_temperature; with `counts`, the model uses residuals.
 * `fit` has T and e; NULL: those of the model. The likelihood is concave in the discounts, so the
 * maximum is global. */
PSDVEC_API psdvec_status psdvec_fit_bigrams(psdvec_context *ctx, const psdvec_model *model,
                                            const psdvec_counts *counts,
                                            const psdvec_counts *bigrams,
                                            const psdvec_text_options *text,
                                            const char *const *inputs, size_t input_count,
                                            uint64_t most_words, const psdvec_fit_report *fit,
                                            psdvec_bigram_fit *report);

/* Like psdvec_model_write_fit, with the discounts; `bigrams` may be NULL. */
PSDVEC_API psdvec_status psdvec_model_write_fits(psdvec_context *ctx, const psdvec_model *model,
                                                 const psdvec_fit_report *fit,
                                                 const psdvec_bigram_fit *bigrams,
                                                 const char *output);

#ifdef __cplusplus
}
#endif
#endif
