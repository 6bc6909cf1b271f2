/* The scorer: text is added word by word, and documents are reported with their probabilities.
 *
 * Words are collected until there are enough for matrix products. The pending data is a list of
 * events (words and ends of documents, in the order in which they are reported), and for each model
 * the contexts of the words to score.
 */
#ifndef PV_DOCUMENT_SCORER_H
#define PV_DOCUMENT_SCORER_H

#include "base/json.h"
#include "document/bigrams.h"
#include "document/partition_function.h"

typedef struct pv_scored_model {
    pv_conditional *conditional;
    pv_partition_function *normaliser;
    pv_trail trail;
    pv_contexts contexts;
    pv_partition *partitions; /* one per row */
    pv_bigrams *bigrams;      /* mixed with the conditional; or NULL */
} pv_scored_model;

/* The pending numbers of a word, per model. */
typedef struct pv_scored_word {
    uint32_t word; /* in the model; PSDVEC_UNKNOWN_WORD: it is only in another model */
    double bigram, bigram_fitted;
    pv_bigram_parts parts; /* with bigrams to mix */
} pv_scored_word;

typedef enum pv_event_kind { PV_EVENT_WORD, PV_EVENT_UNKNOWN, PV_EVENT_END } pv_event_kind;

typedef struct pv_event {
    pv_event_kind kind;
    uint32_t length; /* of the text in the buffer of texts; for the end of a document, of its
                      * source */
    size_t text;
} pv_event;

/* Running totals of a document, or of all documents. */
typedef struct pv_tally {
    uint64_t number, words, known;
    psdvec_document_fit *fits; /* models */
    double *variance;          /* models: of `conditional`, from sampling */
} pv_tally;

struct psdvec_scorer {
    psdvec_context *ctx;
    pv_scope memory;
    psdvec_scorer_options options;
    pv_scored_model *models;
    size_t model_count;
    /* Pending data */
    pv_event *events;
    size_t event_count;
    uint32_t rows;       /* scored words among the events */
    pv_scored_word *row; /* PV_SCORER_ROWS x models */
    pv_buffer texts;
    uint64_t place;     /* position in the document being fed */
    uint64_t documents; /* number of documents fed */
    /* Reported data */
    pv_tally document, total;
    uint64_t reported_place;
    pv_buffer beginning;
    psdvec_influence *influences;
    size_t influence_capacity;
    double *without;     /* models x groups: sums over the words of a document in one batch */
    double *without_all; /* the same over all words of the batch */
    psdvec_document_score score;
};

/* Maximum numbers of rows and events in a batch. */
enum { PV_SCORER_ROWS = 1024, PV_SCORER_EVENTS = 8192 };

/* The members of a psdvec_fit_report in the model file. */
extern const pv_json_field pv_fit_fields[];

#endif
