/* Shared by the commands about topics. */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include "rows.h"
#include "run.h"

/* Creates the library's context and opens the file, unless it is in run->open. Returns EXIT_FINE and
 * *topics, which lasts; or another exit status after the error was reported. */
int topics_open(struct run *run, const char *path, psdvec_topics **topics);

/* The words that describe a topic, separated by blanks; a phrase. */
const char *topics_words(struct run *run, const psdvec_topics *topics, uint32_t topic, size_t most);
/* The same for a group of topics. */
const char *topics_group_words(struct run *run, const psdvec_topics *topics,
                               const uint32_t *members, size_t count, size_t most);

/* --model of commands that show topics, and the words nearest to topics by it. */
#define TOPICS_MODEL_OPTION                                                                        \
    FILE_OPTION("model",                                                                           \
                .help = "the model from which the topics were learnt; with it, also show "         \
                        "the words whose vectors are nearest to that of each topic")

/* The words whose vectors are nearest to those of the topics. */
struct topics_nearest {
    size_t most;                        /* per topic; 0: there is no model */
    psdvec_topic_neighbour *neighbours; /* topics x most */
    size_t *found;                      /* topics */
    psdvec_model *model;                /* NULL: none */
};
/* Finds them if --model is given; everything lasts. Returns an exit status. */
int topics_nearest(struct run *run, const psdvec_topics *topics, size_t most,
                   struct topics_nearest *nearest);
/* Those of one topic, separated by blanks; a phrase. */
const char *topics_nearest_words(const psdvec_topics *topics, const struct topics_nearest *nearest,
                                 uint32_t topic);

/* A table of all topics: number, share, class if they have classes, and words, and the nearest words if there is a model.
 * `group`: of each topic; NULL: none. */
struct rows topics_rows(const psdvec_topics *topics, bool nearest, bool groups);
void topics_add_row(struct rows *rows, struct run *run, const psdvec_topics *topics, uint32_t topic,
                    size_t most, const struct topics_nearest *nearest, const uint32_t *group);

#endif
