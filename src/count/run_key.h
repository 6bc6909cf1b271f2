/* What tells one run from another, as text: its settings, its seed, and its input. An
 * interrupted run goes on only where the key is the same (base/partial.h). */
#ifndef PV_COUNT_RUN_KEY_H
#define PV_COUNT_RUN_KEY_H

#include "base/memory.h"

/* Each appends a line or several. */
psdvec_status pv_key_add_seed(pv_buffer *key);
/* A file by name, size and time of change. */
psdvec_status pv_key_add_file(pv_buffer *key, const char *path);
/* A counts file by the checksum of its header, which holds those of all tensors. */
psdvec_status pv_key_add_counts(pv_buffer *key, const char *path);
/* Text by the way of counting, and by name, size and time of change. Standard input cannot be known
 * again: *again is false. An output that is among the files, as a folder may hold it, is refused. */
psdvec_status pv_key_add_text(pv_buffer *key, const psdvec_count_options *count,
                              const char *const *inputs, size_t input_count, const char *output,
                              bool *again);

#endif
