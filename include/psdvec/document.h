/* Part of psdvec.h: the probability of documents. */
#ifndef PSDVEC_DOCUMENT_H
#define PSDVEC_DOCUMENT_H

#include <psdvec/model.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* A model and, if residuals are wanted, the counts that it was trained on; else NULL. Both may be
 * closed before the scorer, which keeps them. */
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
    size_t size;                     /* filled in by psdvec_scorer_options_default */
    psdvec_document_fn *on_document; /* after each document, in order; may be NULL */
    psdvec_word_fn *on_word;         /* for each word, in order; may be NULL */
    void *user;
#include <psdvec/options/scorer.def>
} psdvec_scorer_options;

static inline void psdvec_scorer_options_default(psdvec_scorer_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_SCORER, options, sizeof *options, 0, NULL);
}

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
    size_t size; /* filled in by psdvec_generate_options_default */
#include <psdvec/options/generate.def>
} psdvec_generate_options;

static inline void psdvec_generate_options_default(psdvec_generate_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_GENERATE, options, sizeof *options, 0, NULL);
}
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

#ifdef __cplusplus
}
#endif
#endif
