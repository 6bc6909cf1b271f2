/* Choosing the number of topics by documents that are held out. */
#ifndef PV_TOPIC_CHOOSE_H
#define PV_TOPIC_CHOOSE_H

#include "topic/em.h"

/* A number of topics that was tried. */
typedef struct pv_topic_trial {
    uint32_t topics;
    double bound; /* of the held-out documents, per word */
    double error; /* standard error of its difference from the largest bound */
} pv_topic_trial;

enum { PV_MOST_TRIALS = 24 };

typedef struct pv_topic_choice {
    uint32_t topics; /* the chosen number */
    size_t count;
    pv_topic_trial trials[PV_MOST_TRIALS]; /* in ascending order of `topics` */
} pv_topic_choice;

/* Learns 2, 4, 8, ... topics from some of the documents, until the bound of others falls, then
 * numbers in between, and chooses the smallest number that is as good as the best within the
 * standard error of the difference. Arguments are those of pv_topic_em_init; the result of every
 * trial is saved in `partial`, if it is not NULL. */
psdvec_status pv_topics_choose(pv_topic_choice *choice, const psdvec_topic_options *options,
                               const pv_topic_space *space, const pv_documents *documents,
                               const uint32_t *vocabulary, const char *folder, pv_partial *partial);

#endif
