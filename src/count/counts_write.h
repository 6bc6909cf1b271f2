/* Writing a counts file, rows first (docs/reference/counts-file.md).
 *
 * Rows arrive in order, and their columns are written directly to the file. The row ends, the
 * margins and the values, which follow the columns in the file, are held back, the values in a
 * spool.
 */
#ifndef PV_COUNT_COUNTS_WRITE_H
#define PV_COUNT_COUNTS_WRITE_H

#include "base/file.h"
#include "count/provenance.h"
#include "count/rows.h"
#include "count/vocabulary.h"

#define PV_COUNTS_FORMAT "psdvec.counts"
#define PV_COUNTS_VERSION 1

/* The names of all metadata and tensors that a counts file may have, for pv_st_warn_unknown(). */
extern const char *const pv_counts_names[];

typedef struct pv_counts_writer pv_counts_writer;

/* Opens the output, so that errors are detected before the counting. */
psdvec_status pv_counts_writer_open(psdvec_context *ctx, const char *path,
                                    pv_counts_writer **writer);
/* Discards the output if it was not finished. */
void pv_counts_writer_free(pv_counts_writer *writer);
/* The folder of the output, for temporary files. */
const char *pv_counts_writer_folder(const pv_counts_writer *writer);

/* `sink` takes groups of rows in order and divides their values by `divisor`. `vocabulary` and
 * `provenance` must outlive the writer; `retention` (one per word) may be NULL. */
psdvec_status pv_counts_writer_begin(pv_counts_writer *writer, const pv_vocabulary *vocabulary,
                                     pv_provenance *provenance, const double *retention,
                                     uint64_t divisor, pv_row_sink *sink);
/* Words that were not counted (held_out.h), to be written at the end; they must outlive the
 * writer. */
void pv_counts_writer_hold_out(pv_counts_writer *writer, const pv_buffer *words);
/* Writes the remaining data and renames the output to its final name. */
psdvec_status pv_counts_writer_finish(pv_counts_writer *writer, uint64_t *bigrams);

#endif
