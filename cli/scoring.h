/* What the commands share that ask a model how probable text is: the models, their counts, the
 * scorer; words of a text as the model knows them; and how figures are written.
 *
 * Units: what people see of single words are surprises in bits, -log2 P. Log-likelihoods, and all
 * that programs read, are natural logarithms. */
#ifndef CLI_SCORING_H
#define CLI_SCORING_H

#include "phrase.h"
#include "show.h"

#include <math.h>

/* --counts once: of commands with one model. */
extern const psdvec_option scoring_options[];

struct scoring {
    struct run *run;
    const char *const *paths; /* of the models */
    psdvec_model **models;
    psdvec_counts **counts; /* NULL each without --counts */
    psdvec_scored_model *scored;
    size_t count;
    psdvec_scorer *scorer;
};

/* Opens models, the files of --counts and the scorer, with --temperature and --self. EXIT_FINE, or another
 * exit status after the error was told. All of it lasts. */
int scoring_open(struct scoring *scoring, struct run *run, const char *const *paths, size_t count,
                 psdvec_scorer_options *options);

/* The words of a text as the first model's tokeniser sees them. */
struct context_words {
    uint32_t *words; /* PSDVEC_UNKNOWN_WORD where it does not know one */
    const char **texts;
    size_t count, capacity, unknown;
};

/* EXIT_FINE, or another exit status after the error was told. */
int scoring_words(const struct scoring *scoring, const char *text, size_t length,
                  struct context_words *words);
/* Opens the model of the first operand, and has the question answered. The words are empty at
 * first, and freed in the end. */
int scoring_ask(struct run *run,
                int (*answer)(struct scoring *scoring, struct context_words *words));
/* "not in the model: a, b", if there are such words; and for programs: all words by this name, and
 * those as "unknown". */
void context_words_warn(struct run *run, const struct context_words *words);
void context_words_show(struct show *show, const char *name, const struct context_words *words);

/* "T = 0.2, e = 1.5": what the first model scores with. */
const char *scoring_weights(const struct scoring *scoring);

/* Operands from the first-th on with spaces between them. */
const char *operands_joined(const struct arguments *arguments, size_t first);

/* ---- Figures ----------------------------------------------------------------------- */

/* exp(-logarithm / words); NAN without words. */
double perplexity(double logarithm, uint64_t words);
/* A surprise in bits. */
double bits(double logarithm);
/* Four digits or all before the point, at most nine columns; "-" if there is no number. */
const char *phrase_number(double number);
/* "2 of them known (66.7%)" */
const char *phrase_known(uint64_t known, uint64_t words);

#endif
