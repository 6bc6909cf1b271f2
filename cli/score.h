/* One run of psdvec score: what is scored, how it is shown, and what came of it so far. */
#ifndef CLI_SCORE_H
#define CLI_SCORE_H

#include "scoring.h"

/* A document whose lines wait until all documents are known. */
struct ranked {
    double perplexity; /* NAN: it has no known word, and comes last */
    uint64_t number;
    char *text;
};

struct score {
    struct run *run;
    struct scoring scoring;
    const struct score_form *form;

    const char **models, **inputs; /* paths; operands, told apart */
    size_t model_count, input_count;
    char **names; /* of models: short, and they differ */

    bool per_word, sort, sampled;
    bool by_name;      /* documents are whole files: their name tells more than how they begin */
    size_t top;        /* with `sort`; 0: all */
    double surprising; /* bits from which on a word is marked */
    size_t width;      /* of the screen */

    bool begun;          /* the heading was printed */
    char *source;        /* file of the last document that was shown */
    struct buffer row;   /* of the document that is read */
    struct buffer words; /* of it, as far as they were told */
    uint64_t word_count; /* of them */
    size_t column;       /* where their last line ends */
    struct ranked *ranked;
    size_t ranked_count, ranked_room;
    uint64_t *won; /* documents of each model */
};

/* How results are written; any of these may be NULL. */
struct score_form {
    bool words_first; /* a document's words come before the document */
    void (*head)(struct buffer *to, struct score *score);
    void (*word)(struct buffer *to, struct score *score, const psdvec_word_score *word);
    void (*document)(struct buffer *to, struct score *score, const psdvec_document_score *document);
    void (*total)(struct buffer *to, struct score *score, const psdvec_document_score *total);
};

extern const struct score_form score_table, score_jsonl, score_tsv;

/* The model with the highest likelihood; SIZE_MAX if none is higher than all others. */
size_t score_best(const psdvec_document_score *document);
/* The bigrams' log-likelihood with the weight that is in use. */
double score_bigram(const psdvec_document_fit *fit);
/* A word that fewer bits than --surprising would have announced. */
bool score_is_surprising(const struct score *score, const psdvec_word_score *word);

#endif
