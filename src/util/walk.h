/* A walk through a folder and those in it, in order of the names' bytes. Names that begin with a
 * dot are passed over, links are followed. */
#ifndef PV_UTIL_WALK_H
#define PV_UTIL_WALK_H

#include <sys/stat.h>

typedef struct pv_walk_entry {
    const char *path;
    const char *inner;       /* the path behind the one asked for: "/a/b"; "": that one itself */
    const struct stat *info; /* NULL if it could not be had */
    int error; /* 0; errno of stat; with `info`: of opening the folder, or ELOOP: it is a link back
                * to a folder around it */
} pv_walk_entry;

/* Called for each file, for each folder before it is entered, and for each failure. 0: go on;
 * PV_WALK_PASS: do not enter the folder; above 0: end the walk. */
#define PV_WALK_PASS (-1)
typedef int pv_walk_fn(void *user, const pv_walk_entry *entry);

/* `path` may also be a file. 0, or what ended the walk. */
int pv_walk(const char *path, pv_walk_fn *fn, void *user);

#endif
