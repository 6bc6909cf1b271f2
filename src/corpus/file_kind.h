/* Files that are not text, by their first bytes: PDF, images, sound, programs, databases, ...
 *
 * Names of files are not looked at. A file that begins like none of these may still be binary data,
 * which only its bytes as a whole tell: kind 0.
 */
#ifndef PV_CORPUS_FILE_KIND_H
#define PV_CORPUS_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pv_file_kind {
    const char *name;   /* "PDF" */
    const char *remedy; /* what to do to have its text, an imperative; NULL: nothing */
} pv_file_kind;

enum {
    PV_KIND_BINARY, /* none of the others */
    PV_KIND_SPREADSHEET,
    PV_KIND_SLIDES,
    PV_KIND_PACKAGE, /* a zip of an office program without text that we know */
    PV_KIND_SVG,
    PV_KIND_FIRST_MAGIC
};

/* How many kinds there are; `kind` below is less. */
size_t pv_file_kinds(void);
const pv_file_kind *pv_file_kind_of(size_t kind);

/* The kind of a file that begins with these bytes; false: it is none of those that have a
 * signature. */
bool pv_file_kind_find(const char *bytes, size_t length, size_t *kind);

/* True if more than three in ten of the first bytes are control characters or, with `is_utf8`, no
 * valid UTF-8. */
bool pv_looks_binary(const char *bytes, size_t length, bool is_utf8);

#endif
