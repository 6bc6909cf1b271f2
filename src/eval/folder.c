/* Folders of test sets. */
#include "eval/folder.h"

#include "base/memory.h"
#include "util/c_locale.h"
#include "util/walk.h"

#include <errno.h>
#include <string.h>

enum { MOST_FILES = 10000 };

const char *pv_base_name(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    *length = strlen(name);
    if (dot && dot > name &&
        strspn(dot + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(dot + 1))
        *length = (size_t)(dot - name);
    return name;
}

static bool may_be_test(const char *path)
{
    static const char *const endings[] = {"", ".txt", ".csv", ".tsv", ".tab"};
    size_t length;
    const char *name = pv_base_name(path, &length);
    if (pv_begins_with(name, "README") || pv_begins_with(name, "LICENSE"))
        return false;
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (pv_same_letters(name + length, endings[k]))
            return true;
    return false;
}

static psdvec_status add_file(pv_folder *f, const char *path)
{
    if (f->count == MOST_FILES)
        return pv_fail(f->ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: is file %d below one folder; name a folder with fewer", path,
                       MOST_FILES + 1);
    if (f->count == f->capacity) {
        size_t capacity = f->capacity ? 2 * f->capacity : 64;
        char **paths = pv_resize(f->ctx, f->paths, capacity, sizeof *paths, "a list of files");
        if (!paths)
            return pv_failure(f->ctx);
        f->paths = paths;
        f->capacity = capacity;
    }
    size_t size = strlen(path) + 1;
    char *copy = pv_alloc(f->ctx, size, 1, "a list of files");
    if (!copy)
        return pv_failure(f->ctx);
    memcpy(copy, path, size);
    f->paths[f->count++] = copy;
    return PSDVEC_OK;
}

static int add_entry(void *user, const pv_walk_entry *entry)
{
    pv_folder *f = user;
    const struct stat *info = entry->info;
    if (info && entry->error == ELOOP)
        return 0; /* its files are in the list already */
    if (entry->error)
        return (int)pv_fail_errno(f->ctx, PSDVEC_ERR_READ,
                                  info ? "cannot open the folder" : "cannot read", entry->path,
                                  entry->error);
    if (S_ISDIR(info->st_mode))
        return (int)pv_check_cancel(f->ctx);
    if (S_ISREG(info->st_mode) && may_be_test(entry->path))
        return (int)add_file(f, entry->path);
    return 0;
}

psdvec_status pv_folder_list(pv_folder *folder, psdvec_context *ctx, const char *path)
{
    *folder = (pv_folder){.ctx = ctx};
    psdvec_status status = (psdvec_status)pv_walk(path, add_entry, folder);
    if (status == PSDVEC_OK && folder->count == 0)
        status = pv_fail(ctx, PSDVEC_ERR_EMPTY,
                         "%s: the folder has no files with tests (.txt, .csv, .tsv, .tab)", path);
    if (status != PSDVEC_OK)
        pv_folder_free(folder);
    return status;
}

void pv_folder_free(pv_folder *folder)
{
    for (size_t k = 0; k < folder->count; k++)
        pv_free(folder->ctx, folder->paths[k]);
    if (folder->ctx)
        pv_free(folder->ctx, folder->paths);
    *folder = (pv_folder){0};
}
