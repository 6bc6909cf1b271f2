/* The test sets that come with the library: their texts, in the forms that files have.
 *
 * They are the files of data/, which the build turns into arrays (builtin_data.h), so
 * that the library needs no file to be found where it is installed. */
#ifndef PV_EVAL_BUILTIN_H
#define PV_EVAL_BUILTIN_H

#include <stddef.h>

size_t pv_builtin_count(void);
/* The text of set i, `*length` bytes, and its name. */
const char *pv_builtin_text(size_t i, const char **name, size_t *length);

#endif
