/* For tests of the document model: a model of a small random text with its counts, and a host that
 * records the callbacks of a scorer. */
#ifndef TESTS_DOCUMENTS_H
#define TESTS_DOCUMENTS_H

#include "support/problem.h"

enum { WORDS = 60, TOKENS = 20000, DIM = 8 };

typedef struct trained {
    psdvec_context *ctx;
    char *folder, *text, *counts_path, *model_path;
    psdvec_count_options counting;
    psdvec_train_options training;
    psdvec_counts *counts;
    psdvec_model *model;
} trained;

typedef struct heard_word {
    uint64_t document, place;
    char text[160];
    bool known;
    uint32_t word;
    double unigram, paper, conditional, normaliser, added;
    size_t influences;
} heard_word;

typedef struct heard {
    heard_word words[4000];
    size_t count;
    struct {
        uint64_t words, known;
        char beginning[100];
        psdvec_document_fit fits[2];
    } documents[400];
    size_t document_count, models;
} heard;

/* A text in a scratch folder and options for it, which the test may change before the rest is done:
 * counts and model made and opened. */
void train(trained *t, psdvec_preset preset, int threads);
void finish_training(trained *t);
void untrain(trained *t);
/* Both at once. */
trained *trained_new(psdvec_preset preset, int threads);
void trained_free(trained *t);

/* Options of a scorer that tells everything to `h`, which is emptied. */
psdvec_scorer_options listening(heard *h);
/* Opened, or the test ends with the sentence. */
psdvec_scorer *scorer_of(const trained *t, bool counts, const psdvec_scorer_options *o);
/* A hundred and twenty short lines, some of them empty, and a long one; the caller's to free. */
char *documents_text(void);

#endif
