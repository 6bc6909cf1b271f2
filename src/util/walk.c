/* Recursive folder traversal. */
#include "util/walk.h"

#include "util/c_locale.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The folders that contain an entry: a link back to one of them would form a cycle. */
typedef struct level {
    const struct level *outer;
    dev_t device;
    ino_t inode;
} level;

typedef struct walk {
    pv_walk_fn *fn;
    void *user;
    size_t root; /* length of the path before the inner path */
} walk;

static bool leads_back(const level *outer, const struct stat *info)
{
    while (outer && (outer->device != info->st_dev || outer->inode != info->st_ino))
        outer = outer->outer;
    return outer != NULL;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visit(const walk *w, const char *path, const char *inner, const level *outer);

static int enter(const walk *w, pv_walk_entry *folder, const level *outer)
{
    level here = {outer, folder->info->st_dev, folder->info->st_ino};
    struct dirent **entries;
    int count = scandir(folder->path, &entries, is_visible, by_bytes), answer = 0;
    if (count < 0) {
        folder->error = errno;
        return w->fn(w->user, folder);
    }
    size_t length = strlen(folder->path);
    const char *slash = length && folder->path[length - 1] == '/' ? "" : "/";
    for (int k = 0; k < count; k++) {
        char *path = NULL;
        if (answer > 0) {
            /* only freeing is left */
        } else if (pv_asprintf(&path, "%s%s%s", folder->path, slash, entries[k]->d_name) < 0) {
            folder->error = ENOMEM;
            answer = w->fn(w->user, folder);
        } else {
            answer = visit(w, path, path + w->root, &here);
        }
        free(path);
        free(entries[k]);
    }
    free(entries);
    return answer;
}

/* Returns a value above 0 if the walk must end. */
static int visit(const walk *w, const char *path, const char *inner, const level *outer)
{
    struct stat info;
    pv_walk_entry entry = {.path = path, .inner = inner};
    if (stat(path, &info) != 0)
        entry.error = errno;
    else
        entry.info = &info;
    bool folder = entry.info && S_ISDIR(info.st_mode);
    if (folder && leads_back(outer, &info))
        entry.error = ELOOP;
    int answer = w->fn(w->user, &entry);
    return answer || !folder || entry.error ? answer : enter(w, &entry, outer);
}

int pv_walk(const char *path, pv_walk_fn *fn, void *user)
{
    size_t length = strlen(path);
    walk w = {fn, user, length && path[length - 1] == '/' ? length - 1 : length};
    int answer = visit(&w, path, path + length, NULL);
    return answer == PV_WALK_PASS ? 0 : answer;
}
