/* A validating pull parser for JSON in memory.
 *
 * The caller walks the text in the order it is written and no tree is ever
 * built, because neither of its two users wants one. A safetensors header may
 * be hostile: every byte is checked against the grammar of RFC 8259, nesting
 * ends at PV_JSON_DEPTH, integers are exact to 64 bits. A line of a JSON lines
 * corpus is long and only one field of it is wanted: plain stretches of
 * strings are found 16 bytes at a time and copied whole.
 *
 *     pv_json json;
 *     pv_json_init(&json, data, length, 0);
 *     pv_json_enter_object(&json);
 *     while (key.length = 0, pv_json_next_key(&json, &key))
 *         if (pv_json_text_is(&key, "text"))
 *             pv_json_read_string(&json, &text);
 *     if (!pv_json_finish(&json))
 *         ... json.cause, json.offset ...
 *
 * A failure sticks: every later call returns false and does nothing, so one
 * check at the end is enough. A value that was not read is skipped (and
 * validated) by the next call. Duplicate keys are the caller's matter.
 *
 * Nothing is allocated but what strings append to the caller's buffers. The
 * state is some 60 bytes; the time is linear in the length.
 */
#ifndef PV_BASE_JSON_READ_H
#define PV_BASE_JSON_READ_H

#include "base/memory.h"

#define PV_JSON_DEPTH 64        /* containers inside one another */
#define PV_JSON_NUMBER_MAX 1000 /* characters of a number that can be read; skipping has no limit */

enum {
    /* \ud800 alone becomes U+FFFD instead of an error. */
    PV_JSON_REPLACE_SURROGATES = 1,
    /* Bytes from 0x80 in strings are passed on unseen: for a caller who
     * validates UTF-8 later anyway. */
    PV_JSON_ANY_BYTES = 2
};

typedef enum pv_json_type {
    PV_JSON_NONE = 0, /* a failure; that no value stands here is one */
    PV_JSON_OBJECT,
    PV_JSON_ARRAY,
    PV_JSON_STRING,
    PV_JSON_NUMBER,
    PV_JSON_BOOL,
    PV_JSON_NULL
} pv_json_type;

typedef struct pv_json {
    const char *start, *at, *end;
    const char *cause;    /* NULL, or why it failed: "a comma or ] is missing" */
    size_t offset;        /* of the failure, in bytes from the start */
    psdvec_status status; /* PSDVEC_OK; PSDVEC_ERR_FORMAT; or what a buffer said (recorded) */
    unsigned flags;
    unsigned depth;
    uint64_t objects; /* bit d: the container at depth d is an object */
    uint64_t filled;  /* bit d: it has had a member */
    bool due;         /* a value stands next */
} pv_json;

void pv_json_init(pv_json *json, const char *data, size_t length, unsigned flags);

/* The type of the value that stands next, from its first character. */
pv_json_type pv_json_peek(pv_json *json);

bool pv_json_enter_object(pv_json *json);
/* True: the key was appended to `key` (NULL: only validated) and its value
 * stands next. False: the object ended and was left, or a failure. */
bool pv_json_next_key(pv_json *json, pv_buffer *key);

bool pv_json_enter_array(pv_json *json);
/* True: an element stands next. False: the array ended and was left, or a
 * failure. */
bool pv_json_next_element(pv_json *json);

/* Appends the decoded bytes, without a terminating zero; \u0000 is a zero
 * byte. NULL: only validates. After a failure `text` holds a part. */
bool pv_json_read_string(pv_json *json, pv_buffer *text);
/* Integers are digits alone: 1.0 and 1e3 are not integers. */
bool pv_json_read_u64(pv_json *json, uint64_t *value);
bool pv_json_read_i64(pv_json *json, int64_t *value);
/* Correctly rounded, whatever the locale; a number too large is a failure. */
bool pv_json_read_double(pv_json *json, double *value);
bool pv_json_read_bool(pv_json *json, bool *value);
bool pv_json_read_null(pv_json *json);

/* Steps over the value, all of it validated. If `span` is not NULL it receives
 * the value's text as written, *length bytes within the data. */
bool pv_json_skip(pv_json *json, const char **span, size_t *length);

/* True if the one value at the top was read or skipped whole and only white
 * space follows. */
bool pv_json_finish(pv_json *json);

/* Appends the raw text of a member of the object `json`, and a zero byte; nothing if it has no such
 * member. */
psdvec_status pv_json_member(const char *json, const char *name, pv_buffer *out);

/* For the caller's own findings: fails at the place reached. Returns false.
 * `cause` must outlive `json`. */
bool pv_json_reject(pv_json *json, const char *cause);

/* True if the buffer holds exactly this text. */
bool pv_json_text_is(const pv_buffer *buffer, const char *text);

#endif
