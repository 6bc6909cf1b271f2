/* Writes JSON to the end of a pv_buffer: compact, commas by itself.
 *
 *     pv_json_writer out;
 *     pv_json_writer_init(&out, &buffer);
 *     pv_json_open_object(&out);
 *     pv_json_key(&out, "window");
 *     pv_json_put_u64(&out, 5);
 *     pv_json_close(&out);
 *     PV_TRY(pv_json_writer_status(&out));
 *
 * A failure sticks, so callers ask once, at the end. What is written is always
 * valid JSON in valid UTF-8, also if the strings are not (file names may hold
 * any bytes): each byte that is not part of a UTF-8 sequence becomes U+FFFD.
 * The same content gives the same bytes in every locale.
 */
#ifndef PV_BASE_JSON_WRITE_H
#define PV_BASE_JSON_WRITE_H

#include "base/memory.h"

typedef struct pv_json_writer {
    pv_buffer *out;
    psdvec_status status; /* of the first failure */
    unsigned depth;       /* at most 64 */
    uint64_t objects;     /* bit d: the container at depth d is an object */
    uint64_t filled;      /* bit d: it has a member */
    bool keyed;           /* a key waits for its value */
} pv_json_writer;

void pv_json_writer_init(pv_json_writer *writer, pv_buffer *out);

void pv_json_open_object(pv_json_writer *writer);
void pv_json_open_array(pv_json_writer *writer);
/* Closes the innermost object or array. */
void pv_json_close(pv_json_writer *writer);

void pv_json_key(pv_json_writer *writer, const char *key);
void pv_json_key_n(pv_json_writer *writer, const char *key, size_t length);

/* NULL is written as null. */
void pv_json_put_string(pv_json_writer *writer, const char *text);
void pv_json_put_string_n(pv_json_writer *writer, const char *text, size_t length);
void pv_json_put_u64(pv_json_writer *writer, uint64_t value);
void pv_json_put_i64(pv_json_writer *writer, int64_t value);
/* Of 15, 16 and 17 digits the fewest that read back as the same bits; not a
 * number and infinity are written as null. */
void pv_json_put_double(pv_json_writer *writer, double value);
void pv_json_put_bool(pv_json_writer *writer, bool value);
void pv_json_put_null(pv_json_writer *writer);
/* Text that is a JSON value already; it is not checked. */
void pv_json_put_raw(pv_json_writer *writer, const char *json, size_t length);

/* The first failure; PSDVEC_ERR_INTERNAL also if a container is still open or
 * calls came in an impossible order. */
psdvec_status pv_json_writer_status(pv_json_writer *writer);

/* The helper underneath: appends the text in quotes, with escapes. */
psdvec_status pv_json_append_string(pv_buffer *out, const char *text, size_t length);

#endif
