/* A description of a model (internal): what is collected, and the writers of JSON and text.
 *
 *     model  ->  settings, curves, map, scores, neighbours  ->  JSON, text
 */
#ifndef PV_REPORT_REPORT_H
#define PV_REPORT_REPORT_H

#include "map/map.h"

/* ---- Settings (settings.c) ------------------------------------------------------------------ */

typedef struct pv_report_option {
    const psdvec_option *row;
    const char *value, *fallback; /* as text; NULL: not set */
    const char *meaning;          /* of the value of a choice; NULL: none */
    bool changed;                 /* the value is not the default */
} pv_report_option;

/* The options of one stage, training or counting, that have an effect. */
typedef struct pv_report_stage {
    const char *name;
    const char *preset; /* with whose defaults the options are compared */
    pv_report_option *options;
    size_t count, changed;
} pv_report_stage;

enum { PV_REPORT_TRAINING, PV_REPORT_COUNTING, PV_REPORT_STAGES };

/* ---- Curves (curves.c) ----------------------------------------------------------------------- */

typedef struct pv_report_rank {
    uint32_t rank; /* from 1 */
    uint64_t frequency;
} pv_report_rank;

typedef struct pv_report_length {
    uint32_t word;
    double length;
} pv_report_length;

/* Words whose frequencies, or ranks if these are not known, are within a factor of two. */
typedef struct pv_report_band {
    double from, to; /* the least and the largest frequency or rank */
    uint32_t words;
    double low, median, high; /* lengths: the 10th, 50th and 90th percentile */
} pv_report_band;

/* ---- Scores and neighbours ------------------------------------------------------------------- */

typedef struct pv_report_sample {
    uint32_t word;
    size_t found;
    psdvec_neighbour *near; /* options.top */
} pv_report_sample;

typedef struct pv_report {
    psdvec_context *ctx;
    pv_scope scope;
    const psdvec_model *model;
    const psdvec_model_info *info;
    psdvec_describe_options options;
    /* How it was made. */
    psdvec_origin *origin;
    pv_report_stage stages[PV_REPORT_STAGES];
    pv_buffer story; /* sentences, each followed by a line end */
    /* Words by frequency. */
    pv_report_rank *ranks;
    size_t rank_count;
    uint64_t occurrences;       /* of all words of the model */
    uint32_t half, nine_tenths; /* words that make up this share of them */
    double exponent;            /* of Zipf's law, by least squares; NAN: unknown */
    /* Lengths of vectors. */
    pv_report_length *lengths; /* a sample of words */
    size_t length_count;
    pv_report_band *bands;
    size_t band_count;
    uint32_t measured; /* words in the bands */
    uint64_t zero;     /* of them, with a zero vector */
    psdvec_map *map;   /* NULL: none */
    pv_buffer picture; /* of the map, SVG */
    const psdvec_test **tests;
    size_t test_count;
    psdvec_report *scores; /* NULL: no test sets */
    double confidence;
    pv_report_sample *samples;
    size_t sample_count;
    bool chosen; /* the samples were selected by rank */
} pv_report;

/* Reads the options of both stages, and tells in sentences how the model was made. */
psdvec_status pv_report_settings(pv_report *report);
psdvec_status pv_report_curves(pv_report *report);

/* 1,234,567, as a text that lives as long as the struct. */
typedef struct pv_grouped {
    char text[32];
} pv_grouped;
pv_grouped pv_report_grouped(uint64_t number);

/* The measure in words. */
const char *pv_report_measure(psdvec_measure measure);
/* Which vectors the lengths are of. */
const char *pv_report_vectors(const pv_report *report);
/* What to cite: the k-th reference; NULL after the last. */
const char *pv_report_reference(const pv_report *report, size_t k);

psdvec_status pv_report_json(const pv_report *report, pv_buffer *to);
psdvec_status pv_report_text(const pv_report *report, pv_buffer *to);

#endif
