/* Part of psdvec.h: topics of documents.
 *
 * A topic is a distribution over words: a vector t in the space of the word vectors raises the
 * frequencies p of the words near it, and residuals a adapt it to the documents
 * (docs/explanation/topics.md):
 *
 *     P(w | topic k) = p_w exp(v_w' t_k + a_kw) / Z_k
 *
 * A document is a mixture of topics. psdvec_topics_learn finds the topics and the mixtures of all
 * documents, and writes them to a file. psdvec_topics_apply finds the mixtures of other documents.
 *
 *     if (psdvec_topics_learn(ctx, NULL, model, NULL, inputs, 1, "topics.safetensors", NULL) ==
 *             PSDVEC_OK &&
 *         psdvec_topics_open(ctx, "topics.safetensors", &topics) == PSDVEC_OK) {
 *         psdvec_topic_word words[10];
 *         size_t found;
 *         psdvec_topics_words(ctx, topics, 0, 10, words, &found);
 *         ...
 *         psdvec_topics_close(topics);
 *     }
 */
#ifndef PSDVEC_TOPIC_H
#define PSDVEC_TOPIC_H

#include <psdvec/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The word frequencies p. */
typedef enum psdvec_topic_base {
    PSDVEC_TOPIC_BASE_DOCUMENTS = 0,
    PSDVEC_TOPIC_BASE_MODEL
} psdvec_topic_base;

/* The words of the topics. */
typedef enum psdvec_topic_vocabulary {
    PSDVEC_TOPIC_VOCABULARY_DOCUMENTS = 0, /* those that occur in enough documents */
    PSDVEC_TOPIC_VOCABULARY_MODEL          /* all words of the model; with `base` MODEL only */
} psdvec_topic_vocabulary;

/* Where the topic vectors start. */
typedef enum psdvec_topic_start {
    PSDVEC_TOPIC_START_CLUSTERS = 0, /* at the centres of clusters of documents */
    PSDVEC_TOPIC_START_RANDOM        /* at random, by the seed of the context */
} psdvec_topic_start;

/* How the topic vectors are improved. */
typedef enum psdvec_topic_steps {
    PSDVEC_TOPIC_STEPS_NEWTON = 0,
    PSDVEC_TOPIC_STEPS_GRADIENT /* as in TopicVec */
} psdvec_topic_steps;

typedef enum psdvec_topic_preset {
    PSDVEC_TOPIC_PRESET_DEFAULT = 0, /* the settings that give the best topics */
    PSDVEC_TOPIC_PRESET_TOPICVEC     /* the settings of Li, Chua, Zhu and Miao (2016) */
} psdvec_topic_preset;

/* Whether the Dirichlet prior of the mixtures is fitted to the documents, starting from `alpha`. */
typedef enum psdvec_topic_fit_alpha {
    PSDVEC_TOPIC_FIT_ALPHA_NO = 0, /* it is `alpha` */
    PSDVEC_TOPIC_FIT_ALPHA_COMMON, /* one parameter for all topics */
    PSDVEC_TOPIC_FIT_ALPHA_EACH    /* one for each topic */
} psdvec_topic_fit_alpha;

/* Which documents topics are learnt from. */
typedef enum psdvec_topic_by {
    PSDVEC_TOPIC_BY_NONE = 0, /* all documents together */
    PSDVEC_TOPIC_BY_LABEL     /* the documents with each label separately */
} psdvec_topic_by;

typedef struct psdvec_topic_options {
    size_t size; /* set by psdvec_topic_options_default */
#include <psdvec/options/topic.def>
} psdvec_topic_options;

/* Sets all members to their defaults. */
static inline void psdvec_topic_options_default(psdvec_topic_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_TOPIC, options, sizeof *options, 0, NULL);
}

/* Sets all members to the values of a preset. */
static inline void psdvec_topic_options_preset(psdvec_topic_options *options,
                                               psdvec_topic_preset preset)
{
    psdvec_options_init(PSDVEC_OPTIONS_TOPIC, options, sizeof *options, 0,
                        preset == PSDVEC_TOPIC_PRESET_TOPICVEC ? "topicvec" : "default");
}

/* The result of psdvec_topics_learn. */
typedef struct psdvec_topics_report {
    uint64_t documents;    /* of the inputs, with or without known words */
    uint64_t empty;        /* documents without known words */
    uint64_t tokens;       /* all words of the documents */
    uint64_t known_tokens; /* words that the topics explain */
    uint32_t words;        /* of the vocabulary */
    uint32_t topics;
    uint32_t iterations;
    double bound; /* lower bound of the log-likelihood and the log-priors */
    double seconds;
    uint32_t merged; /* topics that were merged into others */
    uint32_t trials; /* numbers of topics that were tried, if it was chosen automatically */
} psdvec_topics_report;

/* Learns topics from documents and writes them to `output`. `text` may be NULL to tokenize as the
 * model's text was; each line or record is a document unless the option `document` differs. Words
 * that the model does not have are ignored. The result is the same for any number of threads and
 * any memory budget. `options` and `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_topics_learn(psdvec_context *ctx,
                                             const psdvec_topic_options *options,
                                             const psdvec_model *model,
                                             const psdvec_text_options *text,
                                             const char *const *inputs, size_t input_count,
                                             const char *output, psdvec_topics_report *report);

/* ---- Topics files --------------------------------------------------------------- */
typedef struct psdvec_topics psdvec_topics;

typedef struct psdvec_topics_info {
    uint32_t topics;
    uint32_t words;
    uint32_t dim; /* of the topic vectors */
    uint64_t documents;
    uint64_t known_tokens;
    uint32_t iterations;
    double bound;
    bool null_topic; /* the first topic is the word frequencies */
    uint64_t file_bytes;
    const char *settings_json; /* the options, and how the text was tokenized */
    const char *model_json;    /* the model: its name and checksum */
    /* If the number of topics was chosen automatically, the numbers that were tried: an array of
     * objects with the members `topics`, `bound` (of held-out documents, per word) and `error` (the
     * standard error of its difference from the largest bound). Else NULL. */
    const char *trials_json;
    uint64_t labelled, dated, named; /* documents with a label, a date, a name */
    uint32_t classes; /* if topics were learnt for each label: the number of labels; otherwise 0 */
} psdvec_topics_info;

/* Opens a topics file; close it with psdvec_topics_close. Any number of threads may share it. */
PSDVEC_API psdvec_status psdvec_topics_open(psdvec_context *ctx, const char *path,
                                            psdvec_topics **topics);
/* Closes a topics file. `topics` may be NULL. */
PSDVEC_API void psdvec_topics_close(psdvec_topics *topics);
/* Reads the whole file and compares its checksums. */
PSDVEC_API psdvec_status psdvec_topics_verify(psdvec_context *ctx, const psdvec_topics *topics);
PSDVEC_API const psdvec_topics_info *psdvec_topics_get_info(const psdvec_topics *topics);

/* Returns how the documents were tokenized. Phrases that the file stores are not part of it. */
PSDVEC_API const psdvec_text_options *psdvec_topics_text_options(const psdvec_topics *topics);

/* Returns word i, not null-terminated; words are in the order of the model. */
PSDVEC_API const char *psdvec_topics_word(const psdvec_topics *topics, uint32_t i, size_t *length);
/* Returns the vector of a topic: `dim` components, in the space of the model's generative
 * vectors. */
PSDVEC_API const float *psdvec_topics_vector(const psdvec_topics *topics, uint32_t topic);
/* Returns the share of the known words of all documents that the topic explains. Topics are in
 * descending order of it. */
PSDVEC_API double psdvec_topics_share(const psdvec_topics *topics, uint32_t topic);
/* Returns the label of the documents that the topic was learnt from; null-terminated. NULL if topics
 * were not learnt for each label, and for the null topic. */
PSDVEC_API const char *psdvec_topics_class(const psdvec_topics *topics, uint32_t topic);
/* Returns P(word | topic). */
PSDVEC_API double psdvec_topics_probability(const psdvec_topics *topics, uint32_t topic,
                                            uint32_t word);
/* Returns P(word | topic) of all words, `words` numbers; NULL if there is no such topic. */
PSDVEC_API const float *psdvec_topics_probabilities(const psdvec_topics *topics, uint32_t topic);

typedef struct psdvec_topic_word {
    uint32_t word;      /* index in the topics file */
    double probability; /* P(word | topic) */
    double lift;        /* P(word | topic) / P(word) */
} psdvec_topic_word;

/* Finds at most `most` words that describe a topic, best first: of the words with a lift of at least
 * 1, those with the largest 0.25 log P(word | topic) + 0.75 log(P(word | topic) / (P(word) + e)).
 * e, which lowers the lift of rare words, is 40 occurrences in all documents, but at most 0.0001. */
PSDVEC_API psdvec_status psdvec_topics_words(psdvec_context *ctx, const psdvec_topics *topics,
                                             uint32_t topic, size_t most, psdvec_topic_word *words,
                                             size_t *found);

/* Returns the mixture of a document that the topics were learnt from: the share of each topic.
 * NULL if there is no such document. */
PSDVEC_API const float *psdvec_topics_mixture(const psdvec_topics *topics, uint64_t document);
/* Returns the name of the file that a document was in, and its first words; null-terminated. */
PSDVEC_API const char *psdvec_topics_source(const psdvec_topics *topics, uint64_t document);
PSDVEC_API const char *psdvec_topics_beginning(const psdvec_topics *topics, uint64_t document);

/* Return the label, date (ISO 8601, as written in the text) and name of a document, if the text that
 * was learnt from gives them (the text options `columns`, `label_field`, `date_field` and
 * `name_field`); null-terminated. NULL if there is none. */
PSDVEC_API const char *psdvec_topics_label(const psdvec_topics *topics, uint64_t document);
PSDVEC_API const char *psdvec_topics_date(const psdvec_topics *topics, uint64_t document);
PSDVEC_API const char *psdvec_topics_name(const psdvec_topics *topics, uint64_t document);

/* Finds the `most` documents with the largest share of a topic, best first. */
PSDVEC_API psdvec_status psdvec_topics_documents(psdvec_context *ctx, const psdvec_topics *topics,
                                                 uint32_t topic, size_t most, uint64_t *documents,
                                                 size_t *found);

/* ---- How topics relate -------------------------------------------------------------- */
/* Computes the Hellinger distances of all pairs of topics, from 0 to 1:
 *
 *     distance(j, k) = sqrt(1/2 sum_w (sqrt P(w | j) - sqrt P(w | k))^2)
 *
 * `distances`: topics x topics, row-major. Time: topics^2 x words. */
PSDVEC_API psdvec_status psdvec_topics_distances(psdvec_context *ctx, const psdvec_topics *topics,
                                                 float *distances);

/* Arranges the topics in a plane so that their distances there approximate those of
 * psdvec_topics_distances: classical multidimensional scaling. `places`: topics x 2, row-major, with
 * mean 0. Time: that of the distances, plus topics^3. */
PSDVEC_API psdvec_status psdvec_topics_map(psdvec_context *ctx, const psdvec_topics *topics,
                                           double *places);

/* A step of psdvec_topics_tree, which merges two clusters. The topics are clusters 0 to topics - 1,
 * and step s makes cluster topics + s. This is the form of scipy.cluster.hierarchy.linkage. */
typedef struct psdvec_topic_merge {
    uint32_t first, second; /* the clusters, first < second */
    double height;          /* information lost, in bits per word; it never decreases */
    uint32_t topics;        /* of the new cluster */
} psdvec_topic_merge;

/* Computes a hierarchy of the topics: topics - 1 merges. A cluster is the mixture of its topics. Each
 * step merges the two clusters whose union loses the least information about words. With shares m
 * and distributions P, the loss is (m_a + m_b) JS(P_a, P_b), where JS is the Jensen-Shannon
 * divergence with the weights m_a and m_b. Time: topics^2 x words. */
PSDVEC_API psdvec_status psdvec_topics_tree(psdvec_context *ctx, const psdvec_topics *topics,
                                            psdvec_topic_merge *merges);

/* Cuts the tree into groups: `group` receives the number of the group of each topic, from 0, in
 * descending order of the groups' shares. `groups`: 1 to the number of topics. */
PSDVEC_API psdvec_status psdvec_topics_groups(psdvec_context *ctx, const psdvec_topics *topics,
                                              const psdvec_topic_merge *merges, uint32_t groups,
                                              uint32_t *group);

/* As psdvec_topics_words, for the mixture of several topics, by their shares. */
PSDVEC_API psdvec_status psdvec_topics_group_words(psdvec_context *ctx, const psdvec_topics *topics,
                                                   const uint32_t *members, size_t member_count,
                                                   size_t most, psdvec_topic_word *words,
                                                   size_t *found);

typedef struct psdvec_topic_neighbour {
    uint32_t word;     /* index in the topics file */
    double similarity; /* cosine */
} psdvec_topic_neighbour;

/* Finds the words whose vectors are nearest to the vector of each topic, at most `most`, best first.
 * Residuals of topics have no influence on them. `model`: that from which the topics were learnt;
 * another one is refused. `neighbours`: topics x most; `found`: topics, how many there are. */
PSDVEC_API psdvec_status psdvec_topics_nearest(psdvec_context *ctx, const psdvec_topics *topics,
                                               const psdvec_model *model, size_t most,
                                               psdvec_topic_neighbour *neighbours, size_t *found);

/* Receives text in UTF-8, not null-terminated and valid during the call only. */
typedef void psdvec_topics_json_fn(void *user, const char *json, size_t length);

/* Describes the topics as a JSON object, the data of the page of `psdvec topics page`: for each topic
 * its words, its documents, its nearest topics and its place on a map; the hierarchy; the topics of
 * the most frequent words; and shares by date and label if documents have them. `model` may be NULL,
 * then there are no nearest words. `words` and `documents`: how many of each topic. The size does
 * not depend on the number of documents. Calls `on_json` once. */
PSDVEC_API psdvec_status psdvec_topics_describe(psdvec_context *ctx, const psdvec_topics *topics,
                                                const psdvec_model *model, uint32_t words,
                                                uint32_t documents, psdvec_topics_json_fn *on_json,
                                                void *user);

/* ---- Other documents -------------------------------------------------------------- */
/* The mixture of a document. What it points to is valid during the call only. */
typedef struct psdvec_topic_mixture {
    uint64_t number;       /* of the document, from 1 */
    const char *source;    /* name of the file */
    const char *beginning; /* its first words */
    uint64_t words;        /* all of them */
    uint64_t known;        /* words that the topics have; if 0, the mixture is that of the prior */
    const float *shares;   /* one per topic; they sum to 1 */
    double bound;          /* lower bound of the log-likelihood of the known words */
    const char *label;     /* label, date and name that the text gives; NULL if there is none */
    const char *date;      /* ISO 8601, as written in the text */
    const char *name;
    const float *counts; /* one per topic: the expected number of its words; they sum to `known` */
    /* One per topic: the same if the topics of each word do not depend on the other words of the
     * document, sum_w P(w | k) / sum_l P(w | l). For classifiers, better features than `counts`. */
    const float *evidence;
} psdvec_topic_mixture;

typedef void psdvec_topic_mixture_fn(void *user, const psdvec_topic_mixture *mixture);

/* Finds the mixtures of documents with the topics of a file, and calls `on_document` for each, in
 * order. `text` may be NULL to tokenize as the documents were from which the topics were learnt. */
PSDVEC_API psdvec_status psdvec_topics_apply(psdvec_context *ctx, const psdvec_topics *topics,
                                             const psdvec_text_options *text,
                                             const char *const *inputs, size_t input_count,
                                             psdvec_topic_mixture_fn *on_document, void *user);

/* The same for one document that is in memory: calls `on_document` once, with an empty `source`. The
 * text is tokenized as the documents were from which the topics were learnt. */
PSDVEC_API psdvec_status psdvec_topics_apply_text(psdvec_context *ctx, const psdvec_topics *topics,
                                                  const char *text, size_t length,
                                                  psdvec_topic_mixture_fn *on_document, void *user);

/* ---- Quality ---------------------------------------------------------------------- */
typedef struct psdvec_topics_quality {
    double coherence;  /* mean NPMI of pairs of the words that describe a topic, by documents */
    double diversity;  /* share of distinct words among the words that describe all topics */
    double perplexity; /* of one half of each document, given the other half */
    uint64_t documents, words, known;
    uint64_t scored; /* words of which the perplexity is */
    double bound;    /* lower bound of the log-likelihood of the documents, per known word */
} psdvec_topics_quality;

/* Measures how good topics are by documents, which should not be those from which they were learnt.
 * `words`: how many words describe a topic, 2 to 1000; 10 is usual. Perplexities of topics with
 * different vocabularies cannot be compared. `text` may be NULL as in psdvec_topics_apply. */
PSDVEC_API psdvec_status psdvec_topics_evaluate(psdvec_context *ctx, const psdvec_topics *topics,
                                                const psdvec_text_options *text,
                                                const char *const *inputs, size_t input_count,
                                                uint32_t words, psdvec_topics_quality *quality);

#ifdef __cplusplus
}
#endif
#endif
