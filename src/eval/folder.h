/* The files in a folder and those below it, in order of their names. */
#ifndef PV_EVAL_FOLDER_H
#define PV_EVAL_FOLDER_H

#include "base/context.h"

typedef struct pv_folder {
    psdvec_context *ctx;
    char **paths;
    size_t count, capacity;
} pv_folder;

/* Only what may be a test set: *.txt, *.csv, *.tsv, *.tab and names without an ending, but
 * no README and no LICENSE; hidden names are passed over. PSDVEC_ERR_EMPTY if there are none. */
psdvec_status pv_folder_list(pv_folder *folder, psdvec_context *ctx, const char *path);
void pv_folder_free(pv_folder *folder);

/* The place behind the last slash, and the length without an ending such as ".txt". */
const char *pv_base_name(const char *path, size_t *length);

#endif
