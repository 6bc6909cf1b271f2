/* Options of conversion and of queries: their choices and compatibility rules. */
#include "model/options.h"

#include "model/foreign_write.h"

#include <math.h>
#include <stdio.h>

const psdvec_choice pv_precision_choices[] = {
    [PSDVEC_FLOAT32] = {.name = "float32", .help = "4 bytes per component"},
    [PSDVEC_FLOAT16] = {.name = "float16", .help = "2 bytes per component"},
    [PSDVEC_INT8] = {.name = "int8", .help = "1 byte per component and a scale per vector"},
    {0}};

static bool rule(const void *options, char *why, size_t size)
{
    const psdvec_convert_options *o = options;
    if (!pv_vectors_formats[o->format].holds[o->precision]) {
        snprintf(why, size,
                 "only model files support int8, and only model files and npy support float16; "
                 "for other formats, use fewer `words`, dimensions (`dim`) or `digits`");
        return false;
    }
    if (o->raw && o->format == PSDVEC_VECTORS_MODEL) {
        snprintf(why, size,
                 "a model file contains both the generative vectors and the read-out; `raw` "
                 "applies only to formats of other programs");
        return false;
    }
    return true;
}

#define PV_OPTIONS_STRUCT psdvec_convert_options
static const psdvec_option rows[] = {
#include <psdvec/options/convert.def>
    {0}};

const pv_options_table pv_convert_table = {
    .name = "convert", .rows = rows, .size = sizeof(psdvec_convert_options), .rule = rule};

#undef PV_OPTIONS_STRUCT
#define PV_OPTIONS_STRUCT psdvec_query_options
static const psdvec_option query_rows[] = {
#include <psdvec/options/query.def>
    {0}};

const pv_options_table pv_query_table = {
    .name = "query", .rows = query_rows, .size = sizeof(psdvec_query_options)};
