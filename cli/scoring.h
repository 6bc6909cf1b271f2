/* Shared by the commands that compute probabilities of text: the models, their counts, the scorer;
 * words of a text as the model knows them; and the formatting of figures.
 *
 * Units: output for people shows surprises of single words in bits, -log2 P. Log-likelihoods, and
 * everything in machine-readable formats, are natural logarithms. */
#ifndef CLI_SCORING_H
#define CLI_SCORING_H

#include "phrase.h"
#include "show.h"

#include <math.h>

/* --counts, not repeatable: for commands with one model. */
extern const psdvec_option scoring_options[];
/* --bigrams, the same. */
extern const psdvec_option bigram_options[];

struct scoring {
    struct run *run;
    const char *const *paths; /* of the models */
    psdvec_model **models;
    psdvec_counts **counts;  /* each NULL without --counts */
    psdvec_counts **bigrams; /* each NULL without --bigrams */
    psdvec_scored_model *scored;
    size_t count;
    psdvec_scorer *scorer;
};

/* Opens models, the files of --counts and --bigrams and the scorer, with --temperature and --self. Returns
 * EXIT_FINE, or another exit status after the error was reported. Everything lasts. */
int scoring_open(struct scoring *scoring, struct run *run, const char *const *paths, size_t count,
                 psdvec_scorer_options *options);

/* The words of a text as tokenised for the first model. */
struct context_words {
    uint32_t *words; /* PSDVEC_UNKNOWN_WORD for words that it does not have */
    const char **texts;
    size_t count, capacity, unknown;
};

/* Returns EXIT_FINE, or another exit status after the error was reported. */
int scoring_words(const struct scoring *scoring, const char *text, size_t length,
                  struct context_words *words);
/* Opens the model of the first operand, and answers the query. The words are empty at first, and
 * freed at the end. */
int scoring_run(struct run *run,
                int (*answer)(struct scoring *scoring, struct context_words *words));
/* Warns "not in the model: a, b", if there are such words; and in machine-readable formats: adds
 * all words under this name, and those as "unknown". */
void context_words_warn(struct run *run, const struct context_words *words);
void context_words_show(struct show *show, const char *name, const struct context_words *words);

/* "T = 0.2, e = 1.5": the parameters of the first model. */
const char *scoring_weights(const struct scoring *scoring);

/* The operands from index `first` on, joined by spaces. */
const char *operands_joined(const struct arguments *arguments, size_t first);

/* ---- Figures ----------------------------------------------------------------------- */

/* exp(-logarithm / words); NAN without words. */
double perplexity(double logarithm, uint64_t words);
/* A surprise in bits. */
double bits(double logarithm);
/* Four digits, or all before the decimal point, at most nine columns; "-" if it is not finite. */
const char *phrase_number(double number);
/* "2 of them known (66.7%)" */
const char *phrase_known(uint64_t known, uint64_t words);

#endif
