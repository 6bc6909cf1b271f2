/* A sheet about a file: labels on the left, values on the right. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include "memory.h"

/* A line with the label and the value, which is emptied. */
void sheet_value(struct buffer *to, const char *label, struct buffer *value);

/* A title and a line for each member of a JSON object; nothing if it is none, or NULL. */
void sheet_settings(struct buffer *to, const char *title, const char *json);

/* A title and the elements of a JSON array, of which an object may have a name; nothing
 * if it is none, or empty, or NULL. */
void sheet_list(struct buffer *to, const char *title, const char *json);

#endif
