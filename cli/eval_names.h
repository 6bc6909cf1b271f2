/* What models and sets are called in a report. */
#ifndef CLI_EVAL_NAMES_H
#define CLI_EVAL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The name of a file without its folder and an ending that vectors have. */
const char *name_of_file(const char *path);

/* Makes `count` names differ: those that stand twice become the path (NULL: there is
 * none), and if that does not do, a number follows. */
void names_differ(const char **names, const char *const *paths, size_t count);

/* Names of at most `columns` columns that differ: as they are, cut in the middle or, where
 * that is not enough, letters. The array is on the heap. *same: nothing was cut. */
const char **names_short(const char *const *names, size_t count, size_t columns, bool *same);

#endif
