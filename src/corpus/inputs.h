/* Expands the user's inputs into a list of files: folders are traversed in sorted order, hidden
 * names are skipped, and missing files are detected at once.
 */
#ifndef PV_CORPUS_INPUTS_H
#define PV_CORPUS_INPUTS_H

#include "base/memory.h"

typedef struct pv_input_file {
    char *path;       /* "-": standard input */
    uint32_t input;   /* which of the user's inputs it came from */
    bool named;       /* the user named it; false: found in a folder */
    uint64_t size;    /* on disk; 0 if unknown */
    int64_t modified; /* nanoseconds */
} pv_input_file;

typedef struct pv_inputs {
    pv_scope scope;
    pv_input_file *files;
    size_t count, capacity;
    uint64_t total_size; /* 0 if any is unknown */
} pv_inputs;

psdvec_status pv_inputs_expand(psdvec_context *ctx, const char *const *inputs, size_t count,
                               pv_inputs *list);
void pv_inputs_free(pv_inputs *list);

/* Hidden files, and metadata files that other systems put into archives. */
bool pv_is_clutter(const char *path);

#endif
