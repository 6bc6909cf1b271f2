/* Counts formats of other programs: shared parts of the readers and writers. To add a format, add a
 * value to psdvec_counts_format, its row to the tables in options.c, and a file that defines its
 * pv_counts_format.
 *
 * Importing:
 *
 *     words      from the list, or from the file itself
 *     records    (context, focus, number) in any order; fixed_point.h makes the
 *                number an integer, pv_import_pair filters and adds the pair
 *     rows       triples.h sums them within the memory budget
 *     file       written as by psdvec count
 *
 * Exporting: rows come in groups, directly from the counts file or, if both directions are to be
 * added, from triples.h. Groups are formatted in parallel and written in order, so the bytes do not
 * depend on the number of threads.
 */
#ifndef PV_COUNT_FORMATS_H
#define PV_COUNT_FORMATS_H

#include "base/file.h"
#include "base/progress.h"
#include "corpus/byte_stream.h"
#include "count/counts_read.h"
#include "count/fixed_point.h"
#include "count/triples.h"
#include "count/vocabulary.h"

/* lcm(1 .. 15): exact for 1/d in every window up to 15, GloVe's default. */
#define PV_IMPORT_SCALE UINT64_C(360360)

/* A fingerprint of one half of a matrix: the pairs (i, j) with i < j, or with i > j. If both
 * fingerprints are equal, the matrix is symmetric. */
typedef struct pv_import_half {
    uint64_t records;
    uint64_t places; /* hash of the set of pairs, independent of their order */
    uint64_t sum;
} pv_import_half;

typedef struct pv_import {
    psdvec_context *ctx;
    const psdvec_import_options *options;
    const char *input, *folder;
    pv_vocabulary vocabulary; /* with the frequencies, if they are known */
    bool frequencies_known;
    bool scale_chosen; /* the scale may be changed if all numbers are integers */
    pv_rounding rounding;
    uint32_t window;     /* 0: not known */
    bool dynamic_window; /* top2grams: shortened at random */
    bool fold;           /* keep one direction */
    pv_triples triples;
    uint64_t *focus_total; /* words; if folded, of both sides; NULL if the frequencies are known */
    pv_import_half above, below;
    uint64_t bytes; /* of the file */
} pv_import;

static inline uint64_t pv_import_mix(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ x >> 31;
}

/* Adds one record: word i before word j, `value` units. */
static inline psdvec_status pv_import_pair(pv_import *m, uint32_t i, uint32_t j, uint64_t value)
{
    if (i != j) {
        pv_import_half *half = i < j ? &m->above : &m->below;
        half->records++;
        half->places += i < j ? pv_import_mix(i, j) : pv_import_mix(j, i);
        half->sum += value;
        if (m->fold && i > j)
            return PSDVEC_OK;
    } else if (m->fold) { /* GloVe counts a word near itself twice */
        if (value % 2)
            pv_rounding_note(&m->rounding, (double)value, 0.5);
        value = value / 2 + value % 2;
        m->rounding.fractions |= value % m->rounding.scale != 0;
    }
    if (m->focus_total) { /* cannot overflow: the total is checked */
        m->focus_total[j] += value;
        m->focus_total[i] += m->fold ? value : 0;
    }
    return value ? pv_triples_add(&m->triples, i, j, value) : PSDVEC_OK;
}

/* Sets the scale and prepares for records; the words must be known. `suggested` is the scale given
 * in the file (0: none); `whole`: the file has integers. */
psdvec_status pv_import_begin(pv_import *m, uint64_t suggested, bool whole, uint64_t expected);

/* Sets the window that is given in the file. */
psdvec_status pv_import_window(pv_import *m, uint64_t window);

/* ---- Lines of text -----------------------------------------------------------------
 * Reads the lines of a text file, compressed or not, in order, with their numbers. Reports progress
 * and checks for cancellation. */

typedef struct pv_text_lines {
    psdvec_context *ctx;
    pv_scope memory;
    pv_byte_stream *stream;
    pv_progress progress;
    char *block;
    size_t capacity;
    char *at, *end;    /* not yet returned */
    bool ended;        /* nothing more to read */
    uint64_t number;   /* of the last line returned, from 1 */
    uint64_t consumed; /* bytes of the file, as reported to progress */
} pv_text_lines;

psdvec_status pv_text_lines_open(pv_text_lines *l, psdvec_context *ctx, const char *path);
void pv_text_lines_close(pv_text_lines *l);

/* The next line, without its end ("\n" or "\r\n"), followed by '\n' or '\0' (and PV_BUFFER_PAD - 1
 * more bytes that may be read); *line is NULL after the last. Valid until the next call; the caller
 * may modify it. */
psdvec_status pv_text_lines_next(pv_text_lines *l, char **line, size_t *length);

/* PSDVEC_ERR_DAMAGED with "NAME: line N: CAUSE". */
psdvec_status pv_text_lines_reject(const pv_text_lines *l, const char *format, ...) PV_PRINTF(2, 3);

/* At the end of a stream's member: it must be the only one. */
psdvec_status pv_text_lines_only_member(psdvec_context *ctx, pv_byte_stream *stream);

/* ---- Exporting ------------------------------------------------------------------ */

typedef struct pv_export {
    psdvec_context *ctx;
    const psdvec_counts *counts;
    const struct pv_counts_format *format;
    bool symmetric;
    const char *path;
    pv_output *output;
    uint64_t written; /* bytes */
    uint64_t entries; /* of the rows */
    uint64_t size_at; /* Matrix Market: offset of the line of sizes */
    uint32_t empty_rows, first_empty;
} pv_export;

/* The factor by which expected subsampling multiplies a pair. */
static inline double pv_export_retention(const psdvec_counts *c, uint32_t i, uint32_t j)
{
    return c->retention ? c->retention[i] * c->retention[j] : 1.0;
}

/* Functions and capabilities of a format. */
typedef struct pv_counts_format {
    /* Reads the words (if they are in the file), calls pv_import_begin, and reads all records. */
    psdvec_status (*import)(pv_import *m);
    /* `begin` makes the text before the rows, `format` turns rows into rows->packed, `end`, if not
     * NULL, makes the text after them. */
    psdvec_status (*begin)(pv_export *e, pv_buffer *text);
    psdvec_status (*format)(const pv_export *e, pv_rows *rows);
    psdvec_status (*end)(pv_export *e, pv_buffer *text);
    /* Makes the word's line in the list of words and, before the first word, the header of the
     * list. NULL: the word and its frequency. */
    psdvec_status (*list_word)(const pv_export *e, uint32_t word, pv_buffer *text);
    bool one_triangle;        /* of a symmetric matrix only row >= column is written */
    bool has_words;           /* the words are in the file itself; a list is optional */
    const char *not_in_words; /* bytes that the format's words cannot have */
} pv_counts_format;

extern const pv_counts_format pv_format_glove, pv_format_matrix_market, pv_format_top2grams;
/* By psdvec_counts_format; the names are pv_counts_format_choices. */
extern const pv_counts_format *const pv_counts_formats[];

#endif
