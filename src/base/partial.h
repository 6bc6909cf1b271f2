/* What an interrupted run leaves, so that the next one goes on from it: a folder
 * OUTPUT.partial beside the output.
 *
 *     key               which work this is: settings, input, checksums
 *     lock              held (flock) by the process that works on it
 *     NAME.safetensors  a state of the work, replaced whole
 *
 * A state survives the death of the process, not a power cut: waiting for the disk after
 * every step would cost more than the step that may be lost. A file torn by a power cut is
 * noticed by its checksums and counts as absent.
 *
 * Of what lies in the folder only these names are ever deleted, and links are never
 * followed; a folder that no run of ours made is refused.
 */
#ifndef PV_BASE_PARTIAL_H
#define PV_BASE_PARTIAL_H

#include "base/safetensors_read.h"

typedef struct pv_partial pv_partial;

/* Makes or finds the folder. States of a run with another key are deleted, and so are those of a
 * version whose states cannot be continued; with `restart` all are. PSDVEC_ERR_WRITE: another process
 * is using the folder, or psdvec did not make it. */
psdvec_status pv_partial_open(psdvec_context *ctx, const char *output, const char *key,
                              bool restart, pv_partial **partial);

/* A state: `name` is of letters, digits and - _ . and the file's name without .safetensors. Of the
 * tensors name, dtype, rank, shape and data count. If it cannot be written (a full disk, say) the
 * host is warned once, this and all later saves do nothing, and the work goes on. Goes through
 * even if the host asked to stop: a state that is ready is worth the moment. */
psdvec_status pv_partial_save(pv_partial *partial, const char *name, const pv_tensor *tensors,
                              size_t count);

/* *file is NULL if there is no such state, or a damaged one (with a warning). Its checksums
 * have been compared. It is the caller's to close, before or after pv_partial_close(). */
psdvec_status pv_partial_load(pv_partial *partial, const char *name, pv_st_file **file);

/* A tensor of a loaded state; columns 0: of rank 1; rows -1: any number. */
static inline psdvec_status pv_state_require(psdvec_context *ctx, const pv_st_file *file,
                                             const char *name, pv_dtype dtype, int64_t rows,
                                             int64_t columns, const pv_tensor **tensor)
{
    return pv_st_require(ctx, file, name, dtype, columns ? 2 : 1, (int64_t[]){rows, columns},
                         tensor);
}

/* Where a state of that name is or would be, for one that another part of the library writes
 * or reads. From malloc. */
psdvec_status pv_partial_path(pv_partial *partial, const char *name, char **path);

/* `remove`: the work is done, and the folder goes away; so does one without any state in it.
 * Accepts NULL. */
void pv_partial_close(pv_partial *partial, bool remove);

/* Whether a folder is such a one, of whatever run: it is no input. */
bool pv_partial_is_one(const char *folder);

/* Whether there is nothing to go on with: the work is done, or there is none. */
static inline bool pv_is_settled(psdvec_status status)
{
    return status == PSDVEC_OK || status == PSDVEC_ERR_EMPTY;
}

#endif
