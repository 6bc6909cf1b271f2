/* For tests of models: a context that records its warnings, files in a scratch folder, and random
 * models. */
#ifndef SUPPORT_VECTORS_H
#define SUPPORT_VECTORS_H

#include "base/context.h"
#include "model/model_write.h"
#include "support/scratch.h"

typedef struct workshop {
    psdvec_context *ctx;
    char *folder;
    char *in, *out, *other, *words; /* names of files in it */
    char warnings[2000];
    atomic_int polls_left; /* the callback cancels after this many polls; negative: never */
} workshop;

/* Setup and teardown of cmocka. The teardown fails if memory was not freed. */
int workshop_open(void **state);
int workshop_close(void **state);
/* Replaces the context, of which nothing may be in use. */
void workshop_context(workshop *w, uint64_t memory, int threads);

/* A model with everything a file can hold; words are "w0", "w1", ..., and the caller may change
 * each member. */
typedef struct sample {
    pv_model_data data;
    char *bytes;
    uint64_t *offsets, *counts;
    float *vectors, *spread, *eigenvalues;
    double *unigram;
    psdvec_iteration iterations[3];
} sample;

void sample_make(sample *s, uint32_t words, uint32_t dim, uint64_t seed);
void sample_free(sample *s);

/* Query options that exclude some words. */
psdvec_query_options without(const uint32_t *except, size_t count);

/* Opens a model; the test fails with the message if that fails. */
psdvec_model *open_model(workshop *w, const char *path);
/* Writes the model to w->out and opens it. */
psdvec_model *open_sample(workshop *w, const sample *s);

#endif
