/* An open counts file (internal). */
#ifndef PV_COUNT_COUNTS_READ_H
#define PV_COUNT_COUNTS_READ_H

#include "base/safetensors_read.h"
#include "base/word_index.h"
#include "corpus/phrases.h"
#include "sparse/transposed.h"

struct psdvec_counts {
    psdvec_context *ctx;
    atomic_uint holders; /* the host, and scorers */
    pv_st_file *file;
    psdvec_counts_info info;
    pv_csr rows;            /* words x words, value32 or value64 */
    pv_transposed *columns; /* NULL unless pv_counts_measure_columns was called */
    const char *bytes;
    const uint64_t *offsets; /* words + 1 */
    const uint64_t *frequency, *context_total, *focus_total;
    const double *retention;  /* NULL: all 1 */
    const uint32_t *held_out; /* words that were not counted (held_out.h); NULL: none */
    size_t held_count;
    pv_phrase_list phrases; /* that were joined in the text */
    pthread_mutex_t lock;   /* guards the cache below; nothing else changes after opening */
    pv_word_index index;    /* built at the first search */
    bool indexed;
};

/* Without pv_begin, for use inside other calls. */
psdvec_status pv_counts_open(psdvec_context *ctx, const char *path, psdvec_counts **counts);
/* Adds a reference for an object that keeps the counts (may be NULL); psdvec_counts_close releases
 * it. */
const psdvec_counts *pv_counts_hold(const psdvec_counts *counts);
/* Also verifies all checksums, if there are any, and all rows: for callers that use columns as
 * indices, because a damaged column would be out of bounds. */
psdvec_status pv_counts_open_sound(psdvec_context *ctx, const char *path, psdvec_counts **counts);
/* Verifies only the rows: columns are ascending and valid words, and rows and columns add up to
 * their totals. */
psdvec_status pv_counts_verify_rows(psdvec_context *ctx, const psdvec_counts *counts);

/* Puts columns into a temporary file, for counts that do not fit the memory budget: loops over both
 * directions of pairs (sparse/columns.h) then read them from there. pv_counts_measure_columns makes
 * counts->columns, of which the caller selects columns (sparse/transposed.h); pv_counts_transpose
 * writes these. `folder`: of the file, if the context names none. Nobody else may use the counts
 * meanwhile. */
psdvec_status pv_counts_measure_columns(psdvec_context *ctx, psdvec_counts *counts);
psdvec_status pv_counts_transpose(psdvec_counts *counts, const char *folder);

/* PSDVEC_ERR_CORRUPT with "PATH: the counts are damaged: CAUSE". */
psdvec_status pv_counts_fail(psdvec_context *ctx, const psdvec_counts *counts, const char *cause);

/* True if the file claims to be a counts file; records no failure. */
bool pv_counts_looks_like(const char *path);

#endif
