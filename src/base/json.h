/* JSON in buffers of the library: util/json.h with the context's budget and its failures. */
#ifndef PV_BASE_JSON_H
#define PV_BASE_JSON_H

#include "base/memory.h"
#include "util/json.h"

/* Writes to the end of `out`. */
void pv_json_writer_init(pv_json_writer *writer, pv_buffer *out);
/* The first failure; PSDVEC_ERR_INTERNAL also if a container is still open or
 * calls came in an impossible order. */
psdvec_status pv_json_writer_status(pv_json_writer *writer);
/* Appends the text in quotes, with escapes. */
psdvec_status pv_json_append_string(pv_buffer *out, const char *text, size_t length);

#endif
