/* Vectors for other programs: rows of a model, optionally truncated and normalised to length 1, in
 * one of the third-party formats.
 */
#ifndef PV_MODEL_FOREIGN_WRITE_H
#define PV_MODEL_FOREIGN_WRITE_H

#include "model/model_read.h"

typedef struct pv_rows_out {
    const psdvec_model *model;
    const pv_vector_set *vectors; /* of the model: the read-out, or the generative ones */
    psdvec_vectors_format format;
    psdvec_precision precision; /* NPY: float32 or float16 */
    uint32_t words, dim;        /* the first ones; at most as many as the model has */
    int digits;                 /* of text; 0: as few as preserve the bits */
    bool normalize;
} pv_rows_out;

typedef struct pv_rows_writer pv_rows_writer;

/* Properties of a format. */
typedef struct pv_vectors_format {
    const char *suffixes[4]; /* of file names; ends with NULL */
    bool holds[3];           /* by psdvec_precision */
    bool spaces_in_words;    /* otherwise they become '_' */
    bool words_beside;       /* the words are in a second file */
    psdvec_status (*put_header)(const pv_rows_out *rows, pv_buffer *to); /* NULL: there is none */
    psdvec_status (*put_row)(pv_rows_writer *w, uint32_t i, const float *row, pv_buffer *to);
} pv_vectors_format;

/* By psdvec_vectors_format; the names are pv_vectors_format_choices. */
extern const pv_vectors_format pv_vectors_formats[];

/* Copies the first rows->dim components of row i of a set, divided by their length if
 * rows->normalize. Returns the divisor, which is 1 otherwise or if all are 0. */
double pv_copy_row(const pv_rows_out *rows, const pv_vector_set *from, uint32_t i, float *to);

/* `words_path`: for NPY. Each file is written atomically. */
psdvec_status pv_foreign_write(psdvec_context *ctx, const pv_rows_out *rows, const char *path,
                               const char *words_path);

#endif
