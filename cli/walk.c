/* Walking through folders. */
#include "walk.h"

#include "memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A folder and those around it: links may lead back into them. */
struct inside {
    const struct inside *outer;
    dev_t device;
    ino_t inode;
};

struct walk {
    walk_fn *fn;
    void *user;
    size_t root; /* length of the path that was asked for */
};

static bool leads_back(const struct inside *outer, const struct stat *status)
{
    for (; outer; outer = outer->outer)
        if (outer->device == status->st_dev && outer->inode == status->st_ino)
            return true;
    return false;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int walk_at(const struct walk *walk, const char *path, const struct inside *outer)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno;
    if (!S_ISDIR(status.st_mode)) {
        walk->fn(walk->user, path, path + walk->root, &status);
        return 0;
    }
    if (leads_back(outer, &status))
        return 0;
    struct inside here = {outer, status.st_dev, status.st_ino};
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, by_bytes);
    if (count < 0)
        return errno;
    for (int k = 0; k < count; k++) {
        if (entries[k]->d_name[0] != '.') {
            char *inner = must_format("%s/%s", path, entries[k]->d_name);
            walk_at(walk, inner, &here); /* what cannot be read shows when it is counted */
            free(inner);
        }
        free(entries[k]);
    }
    free(entries);
    return 0;
}

int walk_files(const char *path, walk_fn *fn, void *user)
{
    struct walk walk = {.fn = fn, .user = user, .root = strlen(path)};
    return walk_at(&walk, path, NULL);
}
