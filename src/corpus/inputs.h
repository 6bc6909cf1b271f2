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
    bool once;        /* standard input, a pipe or a device: it cannot be read twice */
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

/* Whether an input, as the user names it, can be read only once. */
bool pv_input_is_once(const char *input);
/* For functions that read the text more than once: fails with PSDVEC_ERR_OPTION and "INPUT cannot
 * be read twice, `why`" if an input can be read only once. */
psdvec_status pv_inputs_refuse_once(psdvec_context *ctx, const char *const *inputs, size_t count,
                                    const char *why);

/* Fails with a message about an input that can be read only once: all processes of a group read the
 * inputs. */
psdvec_status pv_input_refuse_shared(psdvec_context *ctx, const char *input);

/* Hidden files, and metadata files that other systems put into archives. */
bool pv_is_clutter(const char *path);

#endif
