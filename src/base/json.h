/* JSON in library buffers: util/json.h with the memory budget and error reporting of the context.
 * Keys and strings are read into pv_buffers. */
#ifndef PV_BASE_JSON_H
#define PV_BASE_JSON_H

#include "base/memory.h"
#include "util/json.h"

/* Appends to `out`. */
void pv_json_writer_init(pv_json_writer *writer, pv_buffer *out);
/* The first failure; PSDVEC_ERR_INTERNAL also if a container is still open or calls were made in an
 * invalid order. */
psdvec_status pv_json_writer_status(pv_json_writer *writer);
/* Appends the text in quotes, with escapes. */
psdvec_status pv_json_append_string(pv_buffer *out, const char *text, size_t length);

void pv_json_init(pv_json *json, const char *data, size_t length, unsigned flags);
/* True if the buffer holds exactly this text. */
bool pv_json_text_is(const pv_buffer *buffer, const char *text);
/* Appends the raw text of a member of the object `json`, and a zero byte; appends nothing if `json`
 * has no such member or is NULL. */
psdvec_status pv_json_member(const char *json, const char *name, pv_buffer *out);

#endif
