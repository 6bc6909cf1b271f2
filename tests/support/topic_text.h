/* For tests of topics: models whose words have four letters, and text drawn from known topics. */
#ifndef TESTS_TOPIC_TEXT_H
#define TESTS_TOPIC_TEXT_H

#include "base/context.h"

/* A context and the files of a test, in a folder of their own. */
typedef struct topic_files {
    psdvec_context *ctx;
    char *folder, *model, *text, *topics; /* paths */
} topic_files;

/* Prepares the names of the files. ctx: NULL for a context with two threads; the files own it. */
void topic_files_make(topic_files *files, psdvec_context *ctx);
/* Removes the files. Returns 0, or -1 if memory of the context was not freed. */
int topic_files_remove(topic_files *files);

/* The test fails if a and b differ by more than the error. */
void close_to(double a, double b, double error);
/* The cosine of two vectors of length n. */
double cosine_of(const float *a, const double *b, uint32_t n);

/* Word number `word`: four letters, which the tokeniser leaves as they are, and a zero. */
void topic_word(uint32_t word, char text[5]);
/* Probabilities by Zipf's law: 1 / (w + shift), normalised. */
void zipf(double *base, uint32_t words, double shift);
/* Writes a model; the test fails if that fails. vectors: words x dim. */
void write_topic_model(psdvec_context *ctx, const char *path, uint32_t words, uint32_t dim,
                       const float *vectors, const double *base);
/* P(w | topic) = p_w exp(v_w' t) / Z into p (words). */
void topic_distribution(uint32_t words, uint32_t dim, const float *vectors, const double *base,
                        const double *topic, double *p);
/* The outcome that the place `at`, from 0 to 1, has among probabilities p (n). */
uint32_t draw_from(const double *p, uint32_t n, double at);

/* Learns topics of the text and opens them; the test fails if that fails. */
psdvec_topics *learn_from(const topic_files *files, psdvec_context *ctx,
                          const psdvec_topic_options *options, psdvec_topics_report *report);

#endif
