/* Exporting counts: what the three writers share.
 *
 * Rows come in groups, straight from the counts file or, if both directions
 * are to be added up, by way of triples.h. Groups are formatted side by side
 * and written in order, so the bytes do not depend on the number of threads.
 */
#ifndef PV_COUNT_EXPORT_H
#define PV_COUNT_EXPORT_H

#include "base/file.h"
#include "count/counts_read.h"
#include "count/rows.h"

typedef struct pv_export pv_export;

/* What a format does. `begin` writes what stands before the rows, `format`
 * turns rows into rows->packed, `end` writes what stands behind them. */
typedef struct pv_export_format {
    psdvec_status (*begin)(pv_export *e);
    psdvec_status (*format)(const pv_export *e, pv_rows *rows);
    psdvec_status (*end)(pv_export *e);
    bool one_triangle;        /* of a symmetric matrix only row >= column is written */
    bool has_words;           /* the words are in the file itself */
    const char *not_in_words; /* bytes that the format's words cannot have */
} pv_export_format;

struct pv_export {
    psdvec_context *ctx;
    const psdvec_counts *counts;
    const pv_export_format *format;
    bool symmetric;
    const char *path;
    pv_output *output;
    uint64_t written; /* bytes */
    uint64_t entries; /* of the rows */
    uint64_t size_at; /* Matrix Market: where the line of sizes stands */
    uint32_t empty_rows, first_empty;
};

extern const pv_export_format pv_export_glove, pv_export_matrix_market, pv_export_top2grams;

psdvec_status pv_export_append(pv_export *e, const void *data, size_t length);

/* The factor that subsampling in expectation puts on a pair. */
static inline double pv_export_keep(const psdvec_counts *c, uint32_t i, uint32_t j)
{
    return c->retention ? c->retention[i] * c->retention[j] : 1.0;
}

#endif
