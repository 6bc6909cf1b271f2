/* Files that are not text, by their first bytes: PDF, images, sound, programs, databases, ...
 *
 * File names are not used. A file without a known signature may still be binary data (kind 0),
 * which is detected by pv_looks_binary().
 */
#ifndef PV_CORPUS_FILE_KIND_H
#define PV_CORPUS_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pv_file_kind {
    const char *name;   /* "PDF" */
    const char *remedy; /* how to get its text, in the imperative; NULL: none */
} pv_file_kind;

enum {
    PV_KIND_BINARY, /* none of the others */
    PV_KIND_SPREADSHEET,
    PV_KIND_SLIDES,
    PV_KIND_PACKAGE, /* an office document without text that we can read */
    PV_KIND_SVG,
    PV_KIND_FIRST_MAGIC
};

/* The number of kinds; `kind` below is less than it. */
size_t pv_file_kinds(void);
const pv_file_kind *pv_file_kind_of(size_t kind);

/* The kind of a file that begins with these bytes; false: no signature matches. */
bool pv_file_kind_find(const char *bytes, size_t length, size_t *kind);

/* True if more than three in ten of the first bytes are control characters or, with `is_utf8`,
 * invalid UTF-8. */
bool pv_looks_binary(const char *bytes, size_t length, bool is_utf8);

#endif
