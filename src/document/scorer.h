/* The scorer: a text goes in word by word, documents and their probabilities come out.
 *
 * Words wait until there are enough of them for products of matrices. What waits is a list of
 * events, words and ends of documents, in the order in which the host will hear of them; and for
 * each model the contexts of the words that it is to score.
 */
#ifndef PV_DOCUMENT_SCORER_H
#define PV_DOCUMENT_SCORER_H

#include "base/json.h"
#include "document/partition_function.h"

typedef struct pv_scored_model {
    pv_conditional *conditional;
    pv_partition_function *normaliser;
    pv_trail trail;
    pv_contexts contexts;
    pv_partition *partitions; /* a row each */
} pv_scored_model;

/* Numbers that wait with a word, for each model. */
typedef struct pv_scored_word {
    uint32_t word; /* in the model; PSDVEC_UNKNOWN_WORD: another model knows it */
    double bigram, bigram_fitted;
} pv_scored_word;

typedef enum pv_event_kind { PV_EVENT_WORD, PV_EVENT_UNKNOWN, PV_EVENT_END } pv_event_kind;

typedef struct pv_event {
    pv_event_kind kind;
    uint32_t length; /* of the text, in the buffer of texts; of an end, of its source */
    size_t text;
} pv_event;

/* What is being added up of a document, or of all. */
typedef struct pv_tally {
    uint64_t number, words, known;
    psdvec_document_fit *fits; /* models */
    double *variance;          /* models: of `conditional`, by sampling */
} pv_tally;

struct psdvec_scorer {
    psdvec_context *ctx;
    pv_scope memory;
    psdvec_scorer_options options;
    pv_scored_model *models;
    size_t model_count;
    /* What waits */
    pv_event *events;
    size_t event_count;
    uint32_t rows;       /* scored words among them */
    pv_scored_word *row; /* PV_SCORER_ROWS x models */
    pv_buffer texts;
    uint64_t place;     /* in the document being fed */
    uint64_t documents; /* fed */
    /* What is told */
    pv_tally document, total;
    uint64_t told_place;
    pv_buffer beginning;
    psdvec_influence *influences;
    size_t influence_capacity;
    double *without;     /* models x groups: sums over a document's words of one batch */
    double *without_all; /* the same over all words of the batch */
    psdvec_document_score score;
};

/* Rows of a batch, and events that wait at most. */
enum { PV_SCORER_ROWS = 1024, PV_SCORER_EVENTS = 8192 };

/* Of a psdvec_fit_report, in the model file. */
extern const pv_json_field pv_fit_fields[];

#endif
