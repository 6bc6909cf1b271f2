/* Fields of a struct as members of a JSON object, both ways from one table.
 *
 *     static const pv_json_field fields[] = {
 *         {"window", PV_FIELD_U32, offsetof(my_options, window), .least = 1, .most = 1000},
 *         {"oov", PV_FIELD_CHOICE, offsetof(my_options, oov), .names = oov_names},
 *     };
 *
 * What is written can be read back to the same bits, because the names, the
 * kinds and the places stand once.
 */
#ifndef PV_BASE_JSON_FIELDS_H
#define PV_BASE_JSON_FIELDS_H

#include "base/json_read.h"
#include "base/json_write.h"

typedef enum pv_field_kind {
    PV_FIELD_U32,
    PV_FIELD_DOUBLE,
    PV_FIELD_BOOL,
    PV_FIELD_CHOICE /* an enumeration that counts from 0, by the names of its values */
} pv_field_kind;

typedef struct pv_json_field {
    const char *key;
    pv_field_kind kind;
    size_t offset;
    const char *const *names; /* CHOICE: ends with NULL */
    double least, most;       /* U32, DOUBLE: what may be read; both 0: anything */
} pv_json_field;

/* Writes the members into the object that is open. At most 64 fields. */
void pv_json_put_fields(pv_json_writer *writer, const pv_json_field *fields, size_t count,
                        const void *record);

/* True: the field's value stood next and was read into the record; bit i of *seen
 * tells which. False: the table has no such key and nothing was read, or a
 * failure (json->cause). */
bool pv_json_read_field(pv_json *json, const pv_json_field *fields, size_t count,
                        const pv_buffer *key, void *record, uint64_t *seen);

/* Appends the raw text of a member of the object `json`, and a zero byte; nothing if it has no such
 * member. */
psdvec_status pv_json_member(const char *json, const char *name, pv_buffer *out);

/* The key of the first field that was not seen; NULL if all were. */
const char *pv_json_missing_field(const pv_json_field *fields, size_t count, uint64_t seen);

#endif
