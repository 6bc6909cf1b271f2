/* Topics of each class of documents, put together.
 *
 *     documents ──► classes ──► topics of each class (em.h) ──┐
 *         │                                                    ▼
 *         └──► mixtures of all documents ◄── all topics, with one null topic
 *
 * The words and their frequencies p are those of all documents.
 */
#ifndef PV_TOPIC_BY_CLASS_H
#define PV_TOPIC_BY_CLASS_H

#include "topic/choose.h"
#include "topic/classes.h"

typedef struct pv_topics_by_class {
    pv_classes classes;
    uint32_t *topic_class; /* topics: the class, or PV_NO_CLASS; in the memory of `em` */
} pv_topics_by_class;

/* Learns `topics` topics of each class, or 10 if their number is automatic. `em` gets all topics and
 * the mixtures of all documents; the caller frees it, and `by`, in any case. `partial`: for the
 * topics of finished classes. */
psdvec_status pv_topics_learn_by_class(pv_topics_by_class *by, pv_topic_em *em,
                                       const psdvec_topic_options *options,
                                       const pv_topic_space *space, const pv_documents *documents,
                                       const uint32_t *vocabulary, const char *folder,
                                       pv_partial *partial);

#endif
