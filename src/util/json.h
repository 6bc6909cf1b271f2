/* JSON: a writer, for the library and the program alike.
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
 * A failure sticks, so callers ask once, at the end. What is written is always valid JSON in valid
 * UTF-8, also if the strings are not (file names may hold any bytes): each byte that is not part of
 * a UTF-8 sequence becomes U+FFFD. The same content gives the same bytes in every locale.
 */
#ifndef PV_UTIL_JSON_H
#define PV_UTIL_JSON_H

#include "util/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds bytes to what `to` points to. False: it cannot, and nothing more will be added. */
typedef bool pv_append(void *to, const char *bytes, size_t length);

typedef struct pv_json_writer {
    pv_append *append;
    void *to;
    bool spaced;      /* a space after each comma and colon */
    bool refused;     /* `append` failed, or the system refused memory */
    bool misused;     /* calls came in an impossible order */
    bool keyed;       /* a key waits for its value */
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
/* Not a number and infinity are written as null. The first: of 15, 16 and 17 digits the fewest that
 * read back as the same bits. The others: so many decimals ("%.3f"); so many digits ("%.3g"). */
void pv_json_put_double(pv_json_writer *writer, const char *key, double value);
void pv_json_put_fixed(pv_json_writer *writer, const char *key, double value, int decimals);
void pv_json_put_digits(pv_json_writer *writer, const char *key, double value, int digits);
void pv_json_put_bool(pv_json_writer *writer, const char *key, bool value);
void pv_json_put_null(pv_json_writer *writer, const char *key);
/* Text that is a JSON value already; it is not checked. */
void pv_json_put_raw(pv_json_writer *writer, const char *key, const char *json, size_t length);

/* What lies underneath: appends the text in quotes, with escapes. */
bool pv_json_quote(pv_append *append, void *to, const char *text, size_t length);

/* How many bytes at the start of `data` stand for themselves in a string:
 * neither a quote, a backslash nor a control character, and with `ascii` only
 * below 0x80. The second is the plain twin that tests compare the first to. */
size_t pv_json_plain(const char *data, size_t length, bool ascii);
size_t pv_json_plain_reference(const char *data, size_t length, bool ascii);

#endif
