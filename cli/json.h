/* JSON from files, for people. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "memory.h"

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
