/* One run of psdvec score: what is scored, how it is shown, and what came of it so far. */
#ifndef CLI_SCORE_H
#define CLI_SCORE_H

#include "scoring.h"
#include "show.h"

/* A document whose lines wait until all documents are known. */
struct ranked {
    double perplexity; /* NAN: it has no known word, and comes last */
    uint64_t number;
    char *text;
};

struct score {
    struct run *run;
    struct scoring scoring;
    struct show show;

    const char **models, **inputs; /* paths; operands, told apart */
    size_t model_count, input_count;
    char **names; /* of models: short, and they differ */

    bool per_word, sort, sampled;
    bool by_name;      /* documents are whole files: their name tells more than how they begin */
    size_t top;        /* with `sort`; 0: all */
    double surprising; /* bits from which on a word is marked */

    struct column columns[12]; /* of `people` */
    struct rows people;        /* documents, for people */
    struct rows fits, words;   /* of the document that is read, for programs */
    struct buffer head;        /* headings that were not printed yet */
    struct buffer paragraph;   /* its words, for people */
    bool open;                 /* some of it was shown */
    char *source;              /* file of the last document that was shown */
    struct ranked *ranked;
    size_t ranked_count, ranked_room;
    uint64_t *won; /* documents of each model */
};

/* The model with the highest likelihood; SIZE_MAX if none is higher than all others. */
size_t score_best(const psdvec_document_score *document);
/* The bigrams' log-likelihood with the weight that is in use. */
double score_bigram(const psdvec_document_fit *fit);
/* A word that fewer bits than --surprising would have announced. */
bool score_is_surprising(const struct score *score, const psdvec_word_score *word);

/* ---- Showing ----------------------------------------------------------------------------- */

void score_show_start(struct score *score);
void score_show_word(struct score *score, const psdvec_word_score *word);
/* The words so far; `last`: all of a document's. */
void score_show_words(struct score *score, bool last);
void score_show_document(struct score *score, const psdvec_document_score *document);
void score_show_total(struct score *score, const psdvec_document_score *total);

#endif
