/* Saved states of interrupted runs, from which the next run resumes: a folder OUTPUT.partial beside
 * the output.
 *
 *     key               identifies the run: settings, input, checksums
 *     lock              held (flock) by the process that uses the folder
 *     NAME.safetensors  a saved state, replaced atomically
 *
 * A state survives the death of the process, but not a power failure: syncing after every step
 * would cost more than the step that may be lost. A file damaged by a power failure is detected by
 * its checksums and treated as missing.
 *
 * In a group of processes (group.h), the leader uses the folder, and the others read from it what the
 * leader finds.
 *
 * Only files with these names are ever deleted from the folder, and links are never followed; a
 * folder that psdvec did not create is rejected.
 */
#ifndef PV_BASE_PARTIAL_H
#define PV_BASE_PARTIAL_H

#include "base/safetensors_read.h"

typedef struct pv_partial pv_partial;

/* Creates or opens the folder. Deletes states with a different key and states of a version that
 * cannot be continued; with `restart`, deletes all states. PSDVEC_ERR_WRITE: another process is
 * using the folder, or psdvec did not make it. */
psdvec_status pv_partial_open(psdvec_context *ctx, const char *output, const char *key,
                              bool restart, pv_partial **partial);

/* Saves a state. `name`, the file name without .safetensors, consists of letters, digits and - _ .
 * characters. Of the tensors, name, dtype, rank, shape and data are used. If the state cannot be
 * written (for example because the disk is full), the host is warned once, this and all later saves
 * do nothing, and the run continues. Saves even if the host asked to stop: a finished state is
 * worth the short delay. */
psdvec_status pv_partial_save(pv_partial *partial, const char *name, const pv_tensor *tensors,
                              size_t count);

/* *file is NULL if there is no such state, or a damaged one (with a warning). Its checksums have
 * been verified. The caller closes it, before or after pv_partial_close(). */
psdvec_status pv_partial_load(pv_partial *partial, const char *name, pv_st_file **file);

/* A tensor of a loaded state. columns 0: rank 1; rows -1: any number of rows. */
static inline psdvec_status pv_state_require(psdvec_context *ctx, const pv_st_file *file,
                                             const char *name, pv_dtype dtype, int64_t rows,
                                             int64_t columns, const pv_tensor **tensor)
{
    return pv_st_require(ctx, file, name, dtype, columns ? 2 : 1, (int64_t[]){rows, columns},
                         tensor);
}

/* The path of the state with that name, for states that another part of the library reads or
 * writes. The result comes from malloc. */
psdvec_status pv_partial_path(pv_partial *partial, const char *name, char **path);

/* `remove`: the run is complete and the folder is deleted. A folder without states is always
 * deleted. Accepts NULL. */
void pv_partial_close(pv_partial *partial, bool remove);

/* Whether a folder is one of these, of any run; it is then not an input. */
bool pv_partial_is_one(const char *folder);

/* Whether there is nothing to resume: the run is complete, or there was nothing to do. */
static inline bool pv_is_settled(psdvec_status status)
{
    return status == PSDVEC_OK || status == PSDVEC_ERR_EMPTY;
}

#endif
