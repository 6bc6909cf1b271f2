/* For tests of the document model: a model of a small random text with its counts, and a recorder
 * of the callbacks of a scorer. */
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

/* train() writes a text to a scratch folder and sets options, which the test may change;
 * finish_training() creates and opens the counts and the model. */
void train(trained *t, psdvec_preset preset, int threads);
void finish_training(trained *t);
void untrain(trained *t);
/* Both steps at once. */
trained *trained_new(psdvec_preset preset, int threads);
void trained_free(trained *t);

/* Options of a scorer that reports everything to `h`, which is cleared. */
psdvec_scorer_options listening(heard *h);
/* Opens a scorer; the test fails with the message if that fails. */
psdvec_scorer *scorer_of(const trained *t, bool counts, const psdvec_scorer_options *o);
/* 120 short lines, some of them empty, and a long one; the caller frees it. */
char *documents_text(void);

#endif
