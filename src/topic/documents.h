/* Documents as counts of words: what topics are learnt from.
 *
 * Reading the text gives each document a list of entries, its distinct words with their counts. The
 * lists are in memory or, if they are long, in a temporary file, and they are used in batches of
 * fixed content: results do not depend on memory.
 *
 *     entries   | document 0: (word, count) ... | document 1: ... |
 *     begin     ^                                ^
 *
 * A batch also has its entries sorted by word (`turned`), so that sums over documents are added up
 * word by word, in the order of the documents, by any number of threads.
 */
#ifndef PV_TOPIC_DOCUMENTS_H
#define PV_TOPIC_DOCUMENTS_H

#include "base/spool.h"
#include "corpus/columns.h"
#include "corpus/phrases.h"

typedef struct pv_document_entry {
    uint32_t word, count;
} pv_document_entry;

/* The index of a word, or PSDVEC_UNKNOWN_WORD. */
typedef uint32_t pv_find_word_fn(const void *user, const char *word, size_t length);

typedef struct pv_documents {
    psdvec_context *ctx;
    pv_scope memory;
    pv_find_word_fn *find;
    const void *user;
    pv_spool *entries;
    uint64_t *begin;   /* count + 1: the number of the first entry */
    uint64_t *known;   /* count: words that were found, with repetitions */
    uint64_t *all;     /* count: all words */
    uint64_t *names;   /* 2 count + 1: the source and the beginning in `text` */
    pv_buffer text;    /* zero-terminated */
    uint64_t *marks;   /* PV_DETAILS count + 1: label, date and name in `details`; if `described` */
    pv_buffer details; /* zero-terminated; empty strings: none */
    bool described;    /* the text has labels, dates or names */
    bool strict;
    uint64_t bad_dates, first_bad_date; /* the number of the document, from 1 */
    pv_buffer bad_date;                 /* the first */
    size_t count, begin_capacity, known_capacity, all_capacity, names_capacity, marks_capacity;
    uint64_t tokens; /* all words of all documents */
    /* Of the document being read: */
    pv_document_entry *current;
    size_t current_count, current_capacity;
    uint32_t *place; /* words: index in `current` plus 1 */
    uint64_t current_tokens;
    pv_buffer beginning;
} pv_documents;

/* `words`: indices of words are below this. `folder`: for a temporary file, if the context names
 * none. The caller frees it in any case. */
psdvec_status pv_documents_init(pv_documents *d, psdvec_context *ctx, const char *folder,
                                uint32_t words, pv_find_word_fn *find, const void *user);
void pv_documents_free(pv_documents *d);

/* Reads inputs. `phrases`: as in pv_tokens_of_inputs. */
psdvec_status pv_documents_read(pv_documents *d, const psdvec_text_options *text,
                                const struct pv_phrases *phrases, const char *const *inputs,
                                size_t input_count);
/* One document, which is in memory; labels, dates and names are not read. */
psdvec_status pv_documents_read_text(pv_documents *documents, const psdvec_text_options *options,
                                     const struct pv_phrases *phrases, const char *text,
                                     size_t length);

/* Copies `count` documents of another list, without their names. */
psdvec_status pv_documents_pick(pv_documents *d, const pv_documents *from, const char *folder,
                                const size_t *numbers, size_t count);

static inline uint64_t pv_documents_entries(const pv_documents *d, size_t first, size_t count)
{
    return d->begin[first + count] - d->begin[first];
}
static inline const char *pv_documents_source(const pv_documents *d, size_t i)
{
    return d->text.data + d->names[2 * i];
}
static inline const char *pv_documents_beginning(const pv_documents *d, size_t i)
{
    return d->text.data + d->names[2 * i + 1];
}

/* The label, date or name of a document; NULL if it has none. */
static inline const char *pv_documents_detail(const pv_documents *d, size_t i, pv_column which)
{
    const char *text = d->described ? d->details.data + d->marks[PV_DETAILS * i + which] : NULL;
    return text && *text ? text : NULL;
}

/* ---- Batches --------------------------------------------------------------------------------- */

typedef struct pv_batch {
    size_t first, count; /* documents */
    uint64_t *begin;     /* count + 1: the first entry of each document */
    uint32_t *word;      /* entries: number in the vocabulary */
    float *frequency;    /* entries */
    /* Sorted by word: */
    uint64_t *turned;   /* words + 1: the first entry of each word */
    uint32_t *document; /* entries: number in the batch */
    float *times;       /* entries */
} pv_batch;

/* All batches, in memory together or one at a time. */
typedef struct pv_batches {
    pv_scope memory;
    const pv_documents *documents;
    const uint32_t *vocabulary; /* number of each word in the vocabulary, or PSDVEC_UNKNOWN_WORD */
    uint32_t words;             /* of the vocabulary */
    size_t count;
    size_t most;    /* documents of a batch */
    bool together;  /* all batches are in memory */
    size_t current; /* otherwise: the batch that is; SIZE_MAX: none */
    pv_batch *batches;
    pv_document_entry *raw;
} pv_batches;

psdvec_status pv_batches_init(pv_batches *b, const pv_documents *documents,
                              const uint32_t *vocabulary, uint32_t words);
void pv_batches_free(pv_batches *b);
/* Valid until the next call. */
psdvec_status pv_batches_get(pv_batches *b, size_t i, const pv_batch **batch);

#endif
