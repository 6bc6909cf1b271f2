/* JSON for the library and the program: a writer, and a validating pull parser for JSON in memory.
 * Both output bytes through a callback.
 */
#ifndef PV_UTIL_JSON_H
#define PV_UTIL_JSON_H

#include "util/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends bytes to the object `to`. Returns false on failure; nothing more is appended then. */
typedef bool pv_append(void *to, const char *bytes, size_t length);

/* ---- Writing --------------------------------------------------------------
 *
 *     pv_json_writer w;
 *     pv_json_writer_start(&w, append, &buffer);
 *     pv_json_open_object(&w, NULL);
 *     pv_json_put_u64(&w, "window", 5);
 *     pv_json_close(&w);
 *     if (!pv_json_writer_end(&w))
 *         ...
 *
 * Values in an object are given with their key, all others with NULL; commas and colons are added.
 * Failures are sticky, so callers check once, at the end. The output is always valid JSON in valid
 * UTF-8, even if the strings are not (file names may contain any bytes): each byte that is not part
 * of a UTF-8 sequence becomes U+FFFD. The same content gives the same bytes in every locale.
 */
typedef struct pv_json_writer {
    pv_append *append;
    void *to;
    bool spaced;      /* a space after each comma and colon */
    bool refused;     /* `append` failed, or out of memory */
    bool misused;     /* calls were made in an invalid order */
    bool keyed;       /* a key was written without its value */
    unsigned depth;   /* at most 64 */
    uint64_t objects; /* bit d: the container at depth d is an object */
    uint64_t filled;  /* bit d: it has a member */
} pv_json_writer;

void pv_json_writer_start(pv_json_writer *writer, pv_append *append, void *to);
/* True if everything was written and all containers are closed. */
bool pv_json_writer_end(pv_json_writer *writer);

void pv_json_open_object(pv_json_writer *writer, const char *key);
void pv_json_open_array(pv_json_writer *writer, const char *key);
/* Closes the innermost object or array. */
void pv_json_close(pv_json_writer *writer);

/* Writes a key whose value follows in a call with NULL. */
void pv_json_key(pv_json_writer *writer, const char *key, size_t length);

/* NULL is written as null. */
void pv_json_put_string(pv_json_writer *writer, const char *key, const char *text);
void pv_json_put_string_n(pv_json_writer *writer, const char *key, const char *text, size_t length);
void pv_json_put_u64(pv_json_writer *writer, const char *key, uint64_t value);
void pv_json_put_i64(pv_json_writer *writer, const char *key, int64_t value);
/* NaN and infinity are written as null. The first function uses the fewest of 15, 16 and 17 digits
 * that read back as the same bits. The others use a given number of decimals ("%.3f") or of
 * significant digits ("%.3g"). */
void pv_json_put_double(pv_json_writer *writer, const char *key, double value);
void pv_json_put_fixed(pv_json_writer *writer, const char *key, double value, int decimals);
void pv_json_put_digits(pv_json_writer *writer, const char *key, double value, int digits);
void pv_json_put_bool(pv_json_writer *writer, const char *key, bool value);
void pv_json_put_null(pv_json_writer *writer, const char *key);
/* Writes text that is already a JSON value; it is not checked. */
void pv_json_put_raw(pv_json_writer *writer, const char *key, const char *json, size_t length);

/* ---- Reading --------------------------------------------------------------
 *
 * The caller reads values in document order; no tree is built. A safetensors header may be
 * malicious: every byte is checked against the grammar of RFC 8259, nesting is limited to
 * PV_JSON_DEPTH, integers are exact to 64 bits. A line of a JSON lines corpus is long and only one
 * of its fields is needed: plain parts of strings are scanned 16 bytes at a time and copied in one
 * piece.
 *
 *     pv_json json;
 *     pv_json_start(&json, data, length, 0, append);
 *     pv_json_enter_object(&json);
 *     while (key.length = 0, pv_json_next_key(&json, &key))
 *         if (... key is "text" ...)
 *             pv_json_read_string(&json, &text);
 *     if (!pv_json_finish(&json))
 *         ... json.cause, json.offset ...
 *
 * Failures are sticky: every later call returns false and does nothing, so one check at the end is
 * enough. A value that was not read is skipped (and validated) by the next call. Duplicate keys are
 * left to the caller. Nothing is allocated.
 */
#define PV_JSON_DEPTH 64        /* nested containers */
#define PV_JSON_NUMBER_MAX 1000 /* characters of a number that can be read; skipping has no limit */

enum {
    /* \ud800 alone becomes U+FFFD instead of an error. */
    PV_JSON_REPLACE_SURROGATES = 1,
    /* Bytes from 0x80 in strings are not validated, for callers that validate UTF-8 later. */
    PV_JSON_ANY_BYTES = 2
};

typedef enum pv_json_type {
    PV_JSON_NONE = 0, /* a failure, or no value here */
    PV_JSON_OBJECT,
    PV_JSON_ARRAY,
    PV_JSON_STRING,
    PV_JSON_NUMBER,
    PV_JSON_BOOL,
    PV_JSON_NULL
} pv_json_type;

typedef struct pv_json {
    const char *start, *at, *end;
    pv_append *append; /* where keys and strings go */
    const char *cause; /* NULL, or why it failed: "a comma or ] is missing" */
    size_t offset;     /* of the failure, in bytes from the start */
    unsigned flags;
    unsigned depth;
    uint64_t objects; /* bit d: the container at depth d is an object */
    uint64_t filled;  /* bit d: it has had a member */
    bool due;         /* a value comes next */
    bool refused;     /* not an error in the text: `append` failed, or out of memory */
} pv_json;

void pv_json_start(pv_json *json, const char *data, size_t length, unsigned flags,
                   pv_append *append);

/* The type of the next value, from its first character. */
pv_json_type pv_json_peek(pv_json *json);

bool pv_json_enter_object(pv_json *json);
/* True: the key was appended to `key` (NULL: only validated) and its value comes next. False: the
 * object ended and has been left, or a failure. */
bool pv_json_next_key(pv_json *json, void *key);
/* The same with the value as written: see pv_json_skip. */
bool pv_json_next_member(pv_json *json, void *key, const char **span, size_t *length);

bool pv_json_enter_array(pv_json *json);
/* True: an element comes next. False: the array ended and has been left, or a failure. */
bool pv_json_next_element(pv_json *json);

/* Appends the decoded bytes, without a terminating zero; \u0000 is a zero byte. NULL: only
 * validates. After a failure `text` may hold a part of the string. */
bool pv_json_read_string(pv_json *json, void *text);
/* Integers consist of digits only: 1.0 and 1e3 are not integers. */
bool pv_json_read_u64(pv_json *json, uint64_t *value);
/* Correctly rounded in any locale; a number that is too large is a failure. */
bool pv_json_read_double(pv_json *json, double *value);
bool pv_json_read_bool(pv_json *json, bool *value);
bool pv_json_read_null(pv_json *json);

/* Skips and validates the value. If `span` is not NULL, it receives the value's text as written,
 * *length bytes within the data. */
bool pv_json_skip(pv_json *json, const char **span, size_t *length);

/* True if the top-level value was completely read or skipped and only white space follows. */
bool pv_json_finish(pv_json *json);

/* For errors that the caller finds: fails at the current position, or at another one. Returns
 * false. `cause` must outlive `json`. */
bool pv_json_reject(pv_json *json, const char *cause);
bool pv_json_reject_at(pv_json *json, const char *place, const char *cause);

/* True if `text` is one value of this type and nothing else. */
bool pv_json_is(const char *text, pv_json_type type);

/* ---- Structs of numbers ----------------------------------------------------
 *
 * One table describes how a struct is written and read. In files, null represents an unknown
 * number.
 */
typedef enum pv_json_kind { PV_JSON_U32, PV_JSON_U64, PV_JSON_REAL } pv_json_kind;

typedef struct pv_json_field {
    const char *name; /* NULL at the end of a table; at most 63 characters */
    pv_json_kind kind;
    size_t offset;
} pv_json_field;
/* A member under its own name, or under another one; its kind follows from its type. */
#define PV_JSON_FIELD(type, member) PV_JSON_NAMED(#member, type, member)
#define PV_JSON_NAMED(name, type, member)                                                          \
    {                                                                                              \
        name, PV_JSON_KIND((type){0}.member), offsetof(type, member)                               \
    }
#define PV_JSON_KIND(x)                                                                            \
    _Generic((x), uint32_t : PV_JSON_U32, uint64_t : PV_JSON_U64, double : PV_JSON_REAL)

/* Writes the fields as members of the open object; with `known`, numbers that are not finite are
 * left out. */
void pv_json_put_fields(pv_json_writer *writer, const pv_json_field *fields, const void *record,
                        bool known);
/* Reads the next value, an object. Members that are missing or null keep their value in `record`;
 * members that are not in the table are skipped. */
bool pv_json_read_record(pv_json *json, const pv_json_field *fields, void *record);
/* The same for one value, whose key was read. */
bool pv_json_read_field(pv_json *json, const char *key, size_t length, const pv_json_field *fields,
                        void *record);

/* ---- Building blocks ------------------------------------------------------- */

/* Appends the text in quotes, with escapes. */
bool pv_json_quote(pv_append *append, void *to, const char *text, size_t length);
/* Reads the string at the current position, whose first character is known to be a quote. */
bool pv_json_unquote(pv_json *json, void *to);
/* The failure of an `append`. */
bool pv_json_refuse(pv_json *json);

/* Number of bytes at the start of `data` that need no escape in a string: neither a quote, a
 * backslash nor a control character and, with `ascii`, only bytes below 0x80. The second function
 * is the scalar reference. */
size_t pv_json_plain(const char *data, size_t length, bool ascii);
size_t pv_json_plain_reference(const char *data, size_t length, bool ascii);

#endif
