/* Provenance of a counts file. Nothing in it depends on threads, memory, time, machine or the order
 * of the inputs, so equal counts give identical files.
 */
#ifndef PV_COUNT_PROVENANCE_H
#define PV_COUNT_PROVENANCE_H

#include "base/memory.h"
#include "corpus/phrases.h"

typedef struct pv_input_note {
    const char *name; /* as the user gave it */
    uint64_t files, bytes, documents, tokens;
} pv_input_note;

static inline void pv_input_note_add(pv_input_note *sum, const pv_input_note *note)
{
    sum->files += note->files;
    sum->bytes += note->bytes;
    sum->documents += note->documents;
    sum->tokens += note->tokens;
}

typedef struct pv_provenance {
    pv_scope memory;
    const char *settings;   /* JSON object; files are merged only if these agree */
    const char *vocabulary; /* JSON object: how the words were chosen */
    pv_input_note *inputs;
    size_t input_count, input_capacity;
    uint64_t tokens, documents;
    uint32_t window;
    uint64_t scale;
    pv_phrase_list phrases; /* that were joined in the text */
} pv_provenance;

void pv_provenance_init(pv_provenance *provenance, psdvec_context *ctx);
void pv_provenance_free(pv_provenance *provenance);

/* Copies both. */
psdvec_status pv_provenance_describe(pv_provenance *provenance, const char *settings,
                                     const char *vocabulary);
/* Copies the list. */
psdvec_status pv_provenance_set_phrases(pv_provenance *provenance, pv_phrase_list phrases);
/* Fills settings, vocabulary, window and scale. */
psdvec_status pv_provenance_set(pv_provenance *provenance, const psdvec_count_options *options);
/* Restores the counting options from such settings: all text options except `strict`, and no
 * vocabulary options. `path` is for messages. `json_field` points into `strings`, which the caller
 * initialises and frees when the options are no longer used. */
psdvec_status pv_provenance_read_settings(psdvec_context *ctx, const char *path, const char *json,
                                          psdvec_count_options *options, pv_buffer *strings);
/* The name under which an input is stored: that of a descriptor (/dev/fd/63) without its number,
 * which means nothing in another run. */
const char *pv_provenance_name(const psdvec_context *ctx, const char *name);
psdvec_status pv_provenance_add_input(pv_provenance *provenance, const pv_input_note *note);
/* The inputs as a JSON array, sorted. */
psdvec_status pv_provenance_inputs_json(pv_provenance *provenance, pv_buffer *json);
/* Adds the inputs of such an array. */
psdvec_status pv_provenance_add_inputs_json(pv_provenance *provenance, const char *path,
                                            const char *json);

/* Whether two files were counted in the same way. Files of different versions write the same
 * settings differently: the order of members may differ, and older files lack members for newer
 * options. pv_provenance_read_settings() fills in the value that a missing member implies. A member
 * that this version does not know counts as a difference unless both files have it with the same
 * value.
 *
 * Appends the differences between two settings, JSON objects in the format of counts files, to
 * `differ`: NAME VALUE, not VALUE; NAME VALUE only in the second. Nothing is appended if they
 * are the same. With `only_known`, a value that is missing or null in one of them is not a
 * difference. */
psdvec_status pv_settings_compare(psdvec_context *ctx, const char *here, const char *there,
                                  bool only_known, pv_buffer *differ);

/* ---- Keys of interrupted runs ----
 * A text that identifies a run: its settings, seed and input. A run is resumed only if its key is
 * the same (base/partial.h). */

/* Each appends one or more lines. */
psdvec_status pv_key_add_seed(pv_buffer *key);
/* A file, identified by name, size and modification time. */
psdvec_status pv_key_add_file(pv_buffer *key, const char *path);
/* A counts file, identified by the checksum of its header, which contains those of all tensors. */
psdvec_status pv_key_add_counts(pv_buffer *key, const char *path);
/* Text, identified by the counting options and by name, size and modification time. Inputs
 * that can be read only once cannot be recognised: *again is false. An output that is among the input files, for example in an
 * input folder, is rejected. */
psdvec_status pv_key_add_text(pv_buffer *key, const psdvec_count_options *count,
                              const char *const *inputs, size_t input_count, const char *output,
                              bool *again);

#endif
