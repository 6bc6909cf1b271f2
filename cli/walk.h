/* The files of an input as counting finds them: itself, or, of a folder, all that is in it. */
#ifndef CLI_WALK_H
#define CLI_WALK_H

#include <sys/stat.h>

/* `inner`: the path behind the folder that was asked for; "" of a file. */
typedef void walk_fn(void *user, const char *path, const char *inner, const struct stat *status);

/* Calls `fn` for each file, in sorted order; names that begin with a dot are passed over, and links
 * that lead back are not followed. What cannot be read inside a folder is passed over. 0, or errno
 * of `path` itself. */
int walk_files(const char *path, walk_fn *fn, void *user);

#endif
