/* Memory, growing strings and what lasts, for the program.
 *
 * Unlike the library, a program may end when the system has no memory left:
 * every function here either succeeds or says one sentence and exits with the
 * documented status. So no caller checks, and no word or path meets a
 * fixed-size buffer. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include "util/json.h"

#include <stdarg.h>
#include <stddef.h>

#define CLI_PRINTF(text, first) PV_PRINTF(text, first)

/* Says so and ends the program. */
void out_of_memory(void);
/* Memory for count elements of size bytes, zeroed. */
void *must_alloc(size_t count, size_t size);
/* As realloc for count elements of size bytes; new bytes are not zeroed. */
void *must_grow(void *old, size_t count, size_t size);
char *must_copy(const char *text);

/* A string that grows. Start from {0}; `text` is NULL while it is empty and
 * zero-terminated afterwards. */
struct buffer {
    char *text;
    size_t length, capacity;
};

void buffer_add(struct buffer *buffer, const char *bytes, size_t length);
/* The same for util/json.h; `to` is a struct buffer. */
bool buffer_append(void *to, const char *bytes, size_t length);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_char(struct buffer *buffer, char c);
void buffer_format(struct buffer *buffer, const char *format, ...) CLI_PRINTF(2, 3);
void buffer_vformat(struct buffer *buffer, const char *format, va_list list) CLI_PRINTF(2, 0);
/* Adds `text` as a JSON string with its quotes; bad UTF-8 becomes U+FFFD. */
void buffer_json(struct buffer *buffer, const char *text, size_t length);
/* Starts a writer that adds to the buffer, with a space after commas and colons. Ends it; what a
 * defect in the program left open or in disorder ends the program. */
void json_start(pv_json_writer *writer, struct buffer *buffer);
void json_end(pv_json_writer *writer);
/* The text, never NULL. */
const char *buffer_get(const struct buffer *buffer);
void buffer_clear(struct buffer *buffer);
void buffer_free(struct buffer *buffer);

/* A formatted string on the heap. */
char *must_format(const char *format, ...) CLI_PRINTF(1, 2);

/* ---- What lasts until the command ends: nobody frees it by hand. For the main thread --------- */

/* `end` is called with it in the end; returns it. The last ones end first. */
void *lasting(void *what, void (*end)(void *what));
/* Zeroed memory. */
void *lasting_alloc(size_t count, size_t size);

/* How many there are; and ends those made after there were `count`: in commands that go on for as
 * long as their input does, and at the end. */
size_t lasting_count(void);
void lasting_end(size_t count);

/* ---- JSON from files, for people ------------------------------------------------------------- */

/* Walks the members of one object or the elements of one array. */
struct json_walk {
    pv_json json;
};

/* False if `text` does not start an object ('{') or an array ('['). What follows it is not read. */
bool json_enter(struct json_walk *walk, const char *text, char bracket);
/* The next member: its name in *key (objects only; emptied first), its value
 * as written from *value on. False at the end or at malformed text. */
bool json_next(struct json_walk *walk, struct buffer *key, const char **value, size_t *length);
/* Adds a value for people: strings without quotes, lists with commas, the rest
 * as written. */
void json_plain(struct buffer *to, const char *value, size_t length);

#endif
