/* Built-in test sets: the files of data/, which scripts/builtin-sets.sh turns into arrays, so that
 * the library needs no data files at run time. */
#ifndef PV_EVAL_BUILTIN_DATA_H
#define PV_EVAL_BUILTIN_DATA_H

#include <stddef.h>

typedef struct pv_builtin_set {
    const char *name; /* of the file, without folder and extension */
    const char *text; /* `length` bytes and a zero */
    size_t length;
} pv_builtin_set;

extern const pv_builtin_set pv_builtin_sets[];
extern const size_t pv_builtin_sets_count;

#endif
