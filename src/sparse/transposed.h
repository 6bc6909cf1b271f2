/* The columns of a counts file, one after the other, in a temporary file.
 *
 * Gathering columns from rows (sparse/columns.h) reads all rows for every block of columns. That is
 * fast while the pages of the counts file stay in memory. If they do not fit, the columns are
 * written to a temporary file, once: each task gathers as many columns as fit into its share of the
 * memory that is left, so the rows are read a few times. Later passes read rows and columns in order.
 *
 * An entry takes 8 bytes, whatever the counts file has: the few values that do not fit 32 bits are
 * kept in memory.
 *
 * A member of a group of processes needs only some columns, those of its words. So the lengths of
 * all columns are determined first; the caller then selects columns, and only these are written:
 *
 *     pv_transposed_measure();  pv_transposed_select(), once or more;  pv_transposed_write()
 */
#ifndef PV_SPARSE_TRANSPOSED_H
#define PV_SPARSE_TRANSPOSED_H

#include "sparse/csr.h"

struct pv_gathered;

typedef struct pv_transposed {
    psdvec_context *ctx;
    pv_scope memory;
    char *label; /* of the file, for messages */
    int fd;
    uint32_t rows, columns;
    uint32_t *length; /* columns: entries of the matrix */
    uint64_t *begin;  /* columns + 1: entries of the file, none for a column that is not selected.
                       * Until it is written, the length of column j is in begin[j + 1]. */
    struct pv_wide_value *values; /* ordered by entry */
    size_t value_count, value_capacity;
    pthread_mutex_t lock; /* guards the values while they are collected */
} pv_transposed;

/* Determines the lengths of the columns of a matrix of counts. */
psdvec_status pv_transposed_measure(psdvec_context *ctx, const pv_csr *matrix,
                                    pv_transposed **transposed);
/* Selects columns first .. end-1, which may have been selected already. */
void pv_transposed_select(pv_transposed *transposed, uint32_t first, uint32_t end);
/* Entries of the selected columns. */
uint64_t pv_transposed_entries(const pv_transposed *transposed);
/* Writes the selected columns of the same matrix. `folder`: of the temporary file, if the context
 * names none. */
psdvec_status pv_transposed_write(pv_transposed *transposed, const pv_csr *matrix,
                                  const char *folder);
/* Accepts NULL. */
void pv_transposed_free(pv_transposed *transposed);

/* Bytes of a file of that many entries, and an upper bound for the memory that it needs while it
 * exists. `total`: sum of all values. */
uint64_t pv_transposed_file_bytes(uint64_t entries);
uint64_t pv_transposed_bytes(uint64_t columns, uint64_t total, int threads);

/* Columns first .. end-1, restricted to rows first_row .. end_row-1. `valued`: with their values.
 * Returns PSDVEC_ERR_INTERNAL if not all of these columns are in the file. */
psdvec_status pv_transposed_read(psdvec_context *ctx, const pv_transposed *transposed,
                                 uint32_t first, uint32_t end, uint32_t first_row, uint32_t end_row,
                                 bool valued, struct pv_gathered *out);

#endif
