/* Classes of documents: those with the same label.
 *
 * Classes are in the order of their labels, byte by byte, so that results do not depend on the order
 * of the documents.
 */
#ifndef PV_TOPIC_CLASSES_H
#define PV_TOPIC_CLASSES_H

#include "topic/documents.h"

#define PV_NO_CLASS UINT32_MAX

typedef struct pv_classes {
    pv_scope memory;
    uint32_t count;
    uint32_t *of;      /* documents: the class, or PV_NO_CLASS */
    pv_buffer labels;  /* zero-terminated */
    uint64_t *offsets; /* count + 1: in `labels` */
    /* Of the vocabulary, set by pv_classes_count: */
    uint64_t *lengths; /* documents: known words */
    uint64_t *filled;  /* classes: documents with known words */
} pv_classes;

/* Sorts the documents into classes; refused if none has a label. The caller frees it in any case. */
psdvec_status pv_classes_make(pv_classes *c, const pv_documents *documents);
/* Counts known words. `vocabulary`: as in pv_batches. */
psdvec_status pv_classes_count(pv_classes *c, const pv_documents *documents,
                               const uint32_t *vocabulary);
void pv_classes_free(pv_classes *c);

static inline const char *pv_classes_label(const pv_classes *c, uint32_t i)
{
    return c->labels.data + c->offsets[i];
}

/* The documents of a class that have known words, without their names; for pv_batches. The caller
 * frees `part` in any case. */
psdvec_status pv_classes_pick(const pv_classes *c, const pv_documents *documents, uint32_t i,
                              const char *folder, pv_documents *part);

#endif
