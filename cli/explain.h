/* One run of psdvec explain: a text, word by word, and who said what about each. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "scoring.h"

struct explain {
    struct run *run;
    struct scoring scoring;
    size_t most; /* influences to show of a word */
    double temperature;
    bool counted;             /* there are residuals */
    double surprising;        /* bits from which on a word is marked */
    size_t width;             /* of the screen */
    uint64_t word_count;      /* told so far */
    const char *html;         /* the file of the page; NULL: the result is printed */
    bool json, table;         /* which forms are made; a page contains both */
    struct buffer data, text; /* of these forms, what is not written yet */
};

/* The parts of what one word adds, in bits of log2 P: they sum to `added`. */
struct parts {
    double vectors, residual, shift, added;
};
struct parts explain_parts(const struct explain *explain, const psdvec_influence *influence);

/* surprise = alone - pull + norm, in bits. */
double explain_pull(const psdvec_word_score *word);
double explain_norm(const psdvec_word_score *word);

/* The influences of a word, the strongest first, ties by nearness; heap. */
psdvec_influence *explain_ranked(const psdvec_word_score *word);

/* For people. */
void explain_table_head(struct buffer *to, const struct explain *explain);
void explain_table_word(struct buffer *to, const struct explain *explain,
                        const psdvec_word_score *word);
void explain_table_total(struct buffer *to, const struct explain *explain,
                         const psdvec_document_score *document);

#endif
