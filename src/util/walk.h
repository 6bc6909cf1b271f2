/* Recursive traversal of a folder in byte order of the names. Names that begin with a dot are
 * skipped, links are followed. */
#ifndef PV_UTIL_WALK_H
#define PV_UTIL_WALK_H

#include <sys/stat.h>

typedef struct pv_walk_entry {
    const char *path;
    const char *inner;       /* path relative to the root: "/a/b"; "": the root itself */
    const struct stat *info; /* NULL if stat failed */
    int error; /* 0; errno of stat; with `info`: errno of opening the folder, or ELOOP: a link
                * back to a containing folder */
} pv_walk_entry;

/* Called for each file, for each folder before it is entered, and for each failure. Returns 0 to
 * continue, PV_WALK_PASS not to enter the folder, above 0 to end the walk. */
#define PV_WALK_PASS (-1)
typedef int pv_walk_fn(void *user, const pv_walk_entry *entry);

/* `path` may also be a file. Returns 0, or the value that ended the walk. */
int pv_walk(const char *path, pv_walk_fn *fn, void *user);

#endif
