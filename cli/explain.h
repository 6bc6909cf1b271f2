/* One run of psdvec explain: a text, word by word, and who said what about each. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "scoring.h"
#include "show.h"

struct explain {
    struct run *run;
    struct scoring scoring;
    size_t most; /* influences to show of a word */
    double temperature;
    bool counted;      /* there are residuals */
    double surprising; /* bits from which on a word is marked */
    const char *html;  /* the file of the page; NULL: the result is printed */
    /* The formats that are made, and the words in them: a page contains JSON and a table. */
    struct show shows[2];
    struct rows words[2];
    size_t show_count;
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

/* In one of its formats. */
void explain_show_start(struct explain *explain, struct show *show, struct rows *rows);
void explain_show_word(const struct explain *explain, struct show *show, struct rows *rows,
                       const psdvec_word_score *word);
void explain_show_total(const struct explain *explain, struct show *show, struct rows *rows,
                        const psdvec_document_score *document);

#endif
