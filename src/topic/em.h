/* Learning topics from documents by variational EM (docs/explanation/topics.md).
 *
 *     start: clusters of document vectors
 *            │
 *            ▼
 *     mixtures of all documents (E-step, mixtures.h) ──► expected counts of words and topics
 *            ▲                                                    │
 *            └──── P(word | topic) ◄── vectors, residuals (M-step, topic_fit.h)
 *
 * Time per iteration: entries x topics x sweeps, and words x topics x dim.
 */
#ifndef PV_TOPIC_EM_H
#define PV_TOPIC_EM_H

#include "base/file.h"
#include "base/partial.h"
#include "base/progress.h"
#include "topic/topic_fit.h"

typedef struct pv_topic_em {
    psdvec_context *ctx;
    pv_scope memory;
    psdvec_topic_options options;
    const pv_documents *documents;
    const pv_topic_space *space;
    pv_batches batches;
    pv_topic_fit fit;
    pv_topic_words words;
    double *alpha;        /* topics */
    uint64_t *lengths;    /* documents: words that are in the vocabulary */
    uint64_t known;       /* their sum */
    pv_large mixtures;    /* documents x topics: gamma */
    size_t filled;        /* documents with such words */
    double *expected_all; /* stride: the sum of E log theta of these documents */
    double *history;      /* iterations: the bound after each */
    uint32_t iterations;
    double change;       /* of the vectors, by the last gradient step */
    uint32_t merged;     /* topics that were merged into others */
    uint32_t changed;    /* the number of iterations when topics were last merged */
    pv_partial *partial; /* for saved states, or NULL */
    /* Of the current batch: */
    const pv_batch *batch;
    float *weights;      /* documents of a batch x stride */
    float *sums;         /* workers x stride */
    double *bounds;      /* documents of a batch */
    double *word_bounds; /* words */
    double *expected; /* tasks of a batch x stride: sums of E log theta; NULL if alpha is fixed */
    unsigned sweeps;
    pv_progress progress;
} pv_topic_em;

/* Finds where the topics begin, or loads the state of an interrupted run. `vocabulary`: as in
 * pv_batches_init. `folder`: for temporary files. `partial` may be NULL. What the arguments point to
 * must stay valid. The caller frees it in any case. */
psdvec_status pv_topic_em_init(pv_topic_em *em, const psdvec_topic_options *options,
                               const pv_topic_space *space, const pv_documents *documents,
                               const uint32_t *vocabulary, const char *folder, pv_partial *partial);
/* The same for topics that the caller sets: all are p. */
psdvec_status pv_topic_em_prepare(pv_topic_em *em, const psdvec_topic_options *options,
                                  const pv_topic_space *space, const pv_documents *documents,
                                  const uint32_t *vocabulary, const char *folder,
                                  pv_partial *partial);
void pv_topic_em_free(pv_topic_em *em);

/* Iterates until the bound converges, and merges near-equal topics. */
psdvec_status pv_topic_em_run(pv_topic_em *em, const char *stage);
/* Finds the mixtures of all documents, the expected counts and the bound for given P(word | topic),
 * without an M-step. The bound becomes the only one of the history. */
psdvec_status pv_topic_em_infer(pv_topic_em *em);

#endif
