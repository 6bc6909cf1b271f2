/* Topics files (docs/reference/topics-file.md). */
#ifndef PV_TOPIC_FILE_H
#define PV_TOPIC_FILE_H

#include "base/safetensors_write.h"
#include "base/word_index.h"
#include "topic/mixtures.h"

#define PV_TOPICS_FORMAT "psdvec.topics"
#define PV_TOPICS_VERSION 1

struct psdvec_topics {
    psdvec_context *ctx;
    pv_scope memory;
    char *path;
    pv_st_file *file;
    psdvec_topics_info info;
    const char *bytes;             /* all words */
    const uint64_t *offsets;       /* words + 1 */
    const double *base;            /* words: p */
    const float *vectors;          /* topics x dim */
    const float *probabilities;    /* topics x words: P(word | topic) */
    const double *shares;          /* topics */
    const double *alpha;           /* topics */
    const float *mixtures;         /* documents x topics */
    const char *names;             /* zero-terminated: source and beginning of each document */
    const uint64_t *name_offsets;  /* 2 documents + 1 */
    const uint64_t *lengths;       /* documents: known words */
    const char *details;           /* label, date and name of each document; NULL: none has any */
    const uint64_t *marks;         /* PV_DETAILS documents + 1 */
    const char *classes;           /* labels of the classes; NULL: there are none */
    const uint64_t *class_offsets; /* classes + 1 */
    const uint32_t *topic_classes; /* topics */
    pv_word_index index;
    psdvec_text_options text; /* of the documents */
    pv_buffer strings;        /* of `text` */
    pv_phrases phrases;       /* that were joined in the documents */
};

/* What goes into the file. */
typedef struct pv_topics_data {
    psdvec_topics_info info; /* without file_bytes */
    const char *bytes;
    const uint64_t *offsets;
    const double *base;
    const float *vectors, *probabilities;
    const double *shares, *alpha;
    const float *mixtures;
    const char *names;
    const uint64_t *name_offsets, *lengths;
    const char *details; /* NULL: there are none */
    const uint64_t *marks;
    const char *classes; /* NULL: there are none */
    const uint64_t *class_offsets;
    const uint32_t *topic_classes;
    const double *history; /* iterations: the bound after each */
    pv_phrase_list phrases;
} pv_topics_data;

/* The words that describe a distribution p (words), as psdvec_topics_words. */
psdvec_status pv_topics_best_words(psdvec_context *ctx, const psdvec_topics *topics, const float *p,
                                   size_t most, psdvec_topic_word *words, size_t *found);
/* psdvec_topics_documents for all topics, in one pass, without pv_begin. `documents`: topics x most;
 * `found`: topics. */
psdvec_status pv_topics_all_documents(psdvec_context *ctx, const psdvec_topics *topics, size_t most,
                                      uint64_t *documents, size_t *found);
/* psdvec_topics_words without pv_begin. */
psdvec_status pv_topics_words(psdvec_context *ctx, const psdvec_topics *topics, uint32_t topic,
                              size_t most, psdvec_topic_word *words, size_t *found);
/* P(word | topic) in the form of the kernels (mixtures.h); the memory belongs to the scope. */
psdvec_status pv_topics_beta(const psdvec_topics *topics, pv_scope *memory, pv_topic_words *words);
/* Reads documents with the words of the topics. The caller frees `documents` in any case. */
psdvec_status pv_topics_read(const psdvec_topics *topics, psdvec_context *ctx,
                             const psdvec_text_options *text, const char *const *inputs,
                             size_t input_count, pv_documents *documents);

psdvec_status pv_topics_write(psdvec_context *ctx, const char *path, const pv_topics_data *data);

#endif
