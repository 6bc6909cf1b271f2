/* Options of topics. */
#include "topic/options.h"

#include <math.h>

const psdvec_choice pv_topic_base_choices[] = {{.name = "documents", .help = "of the documents"},
                                               {.name = "model", .help = "of the model"},
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
