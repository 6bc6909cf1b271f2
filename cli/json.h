/* Just enough JSON to lay out the settings and inputs in a counts file. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "memory.h"

#include <stdbool.h>
#include <stddef.h>

/* Walks the members of one object or the elements of one array. */
struct json_walk {
    const char *at;
    bool object, first;
};

/* False if `text` does not start an object ('{') or an array ('['). */
bool json_enter(struct json_walk *walk, const char *text, char bracket);
/* The next member: its name in *key (objects only; emptied first), its value
 * as written from *value on. False at the end or at malformed text. */
bool json_next(struct json_walk *walk, struct buffer *key, const char **value, size_t *length);
/* Adds a value for people: strings without quotes, lists with commas, the rest
 * as written. */
void json_plain(struct buffer *to, const char *value, size_t length);

#endif
