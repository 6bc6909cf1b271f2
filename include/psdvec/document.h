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
    size_t size; /* filled in by psdvec_simulate_options_default */
#include <psdvec/options/simulate.def>
} psdvec_simulate_options;

static inline void psdvec_simulate_options_default(psdvec_simulate_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_SIMULATE, options, sizeof *options, 0, NULL);
}
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

#ifdef __cplusplus
}
#endif
#endif
