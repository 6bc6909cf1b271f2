/* Options of topics. */
#include "topic/options.h"

#include <math.h>

const psdvec_choice pv_topic_base_choices[] = {{.name = "documents", .help = "of the documents"},
                                               {.name = "model", .help = "of the model"},
                                               {0}};
const psdvec_choice pv_topic_vocabulary_choices[] = {
    [PSDVEC_TOPIC_VOCABULARY_DOCUMENTS] = {.name = "documents", .help = "words of the documents"},
    [PSDVEC_TOPIC_VOCABULARY_MODEL] = {.name = "model", .help = "all words of the model"},
    {0}};
const psdvec_choice pv_topic_start_choices[] = {
    [PSDVEC_TOPIC_START_CLUSTERS] = {.name = "clusters", .help = "clusters of documents"},
    [PSDVEC_TOPIC_START_RANDOM] = {.name = "random", .help = "random vectors"},
    {0}};
const psdvec_choice pv_topic_steps_choices[] = {
    [PSDVEC_TOPIC_STEPS_NEWTON] = {.name = "newton", .help = "steps that always raise the bound"},
    [PSDVEC_TOPIC_STEPS_GRADIENT] = {.name = "gradient",
                                     .help = "gradient steps of decreasing length, as in TopicVec"},
    {0}};
const psdvec_choice pv_topic_preset_choices[] = {
    [PSDVEC_TOPIC_PRESET_DEFAULT] = {.name = "default",
                                     .help = "the values that give the best topics"},
    [PSDVEC_TOPIC_PRESET_TOPICVEC] = {.name = "topicvec",
                                      .help = "the values of Li, Chua, Zhu and Miao 2016"},
    {0}};

const psdvec_choice pv_topic_fit_alpha_choices[] = {
    [PSDVEC_TOPIC_FIT_ALPHA_NO] = {.name = "no", .help = "keep `alpha`"},
    [PSDVEC_TOPIC_FIT_ALPHA_COMMON] = {.name = "common", .help = "one value for all topics"},
    [PSDVEC_TOPIC_FIT_ALPHA_EACH] = {.name = "each", .help = "a value for each topic"},
    {0}};

const psdvec_choice pv_topic_by_choices[] = {
    {.name = "none", .help = "all documents together"},
    {.name = "label", .help = "the documents with each label separately"},
    {0}};

#define PV_OPTIONS_STRUCT psdvec_topic_options
static const psdvec_option rows[] = {
#include <psdvec/options/topic.def>
    {0}};

const pv_options_table pv_topic_table = {
    .name = "topic", .rows = rows, .size = sizeof(psdvec_topic_options)};
