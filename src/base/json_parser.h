/* The pull parser from the inside: what its parts share.
 *
 *   json_read.c     position, containers, words, skipping
 *   json_string.c   strings: plain stretches, escapes, UTF-8
 *   json_number.c   numbers
 *
 * A part that finds the text at fault calls pv_json_fail_at() and returns its
 * false; the first failure is the one that stays.
 */
#ifndef PV_BASE_JSON_PARSER_H
#define PV_BASE_JSON_PARSER_H

#include "base/json_read.h"

bool pv_json_fail_at(pv_json *json, const char *place, const char *cause);
/* A buffer refused; `status` is what it said. */
bool pv_json_fail_buffer(pv_json *json, psdvec_status status);

/* Goes to the first character of the value that stands next. */
bool pv_json_to_value(pv_json *json);

/* The string at the position, whose first character is known to be a quote. */
bool pv_json_read_quoted(pv_json *json, pv_buffer *text);

static inline bool pv_json_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

typedef struct pv_json_number {
    const char *at; /* its first character */
    size_t length;
    bool negative;
    bool integer; /* no fraction, no exponent */
    bool fits;    /* the magnitude of an integer fits 64 bits */
    uint64_t magnitude;
} pv_json_number;

/* Reads the grammar of a number and its integer value; does not step over. */
bool pv_json_scan_number(pv_json *json, pv_json_number *n);

static inline bool pv_json_step_over(pv_json *json, const pv_json_number *n)
{
    json->at = n->at + n->length;
    json->due = false;
    return true;
}

#endif
