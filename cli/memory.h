/* Memory, growing strings and lasting objects, for the program.
 *
 * Unlike the library, a program may exit when the system has no memory left: every function here
 * either succeeds or prints a message and exits with the documented status. So callers need no
 * checks, and no word or path is copied to a fixed-size buffer. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include "util/json.h"

#include <stdarg.h>
#include <stddef.h>

#define CLI_PRINTF(text, first) PV_PRINTF(text, first)

/* Prints a message and ends the program. */
void out_of_memory(void);
/* Memory for count elements of size bytes, zeroed. */
void *must_alloc(size_t count, size_t size);
/* Like realloc for count elements of size bytes; new bytes are not zeroed. */
void *must_grow(void *old, size_t count, size_t size);
char *must_copy(const char *text);

/* A growing string. Start from {0}; `text` is NULL while it is empty and zero-terminated
 * afterwards. */
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
/* Adds `text` as a JSON string with quotes; invalid UTF-8 is replaced by U+FFFD. */
void buffer_json(struct buffer *buffer, const char *text, size_t length);
/* Starts a writer that adds to the buffer, with a space after commas and colons; and ends it.
 * Unbalanced JSON, a defect in the program, ends the program. */
void json_start(pv_json_writer *writer, struct buffer *buffer);
void json_end(pv_json_writer *writer);
/* The text, never NULL. */
const char *buffer_get(const struct buffer *buffer);
void buffer_clear(struct buffer *buffer);
void buffer_free(struct buffer *buffer);

/* A formatted string on the heap. */
char *must_format(const char *format, ...) CLI_PRINTF(1, 2);

/* ---- Lasting objects: released when the command ends. Each thread has its own --------------- */

/* Registers `end` to be called with the object, and returns the object. The last ones end first. */
void *lasting(void *what, void (*end)(void *what));
/* Zeroed memory. */
void *lasting_alloc(size_t count, size_t size);

/* The number of lasting objects; and releases those created after there were `count`: at the end,
 * and in commands that run as long as there is input. */
size_t lasting_count(void);
void lasting_end(size_t count);

/* ---- JSON from files, in output for people --------------------------------------------------- */

/* Iterates over the members of one object or the elements of one array. */
struct json_walk {
    pv_json json;
};

/* Returns false if `text` does not start an object ('{') or an array ('['). Text after it is not
 * read. */
bool json_enter(struct json_walk *walk, const char *text, char bracket);
/* The next member: its name in *key (objects only; cleared first), its value as written from *value
 * on. Returns false at the end or at malformed text. */
bool json_next(struct json_walk *walk, struct buffer *key, const char **value, size_t *length);
/* Adds a value in readable form: strings without quotes, lists with commas, other values as
 * written. */
void json_plain(struct buffer *to, const char *value, size_t length);

#endif
