/* Folders of test sets. */
#include "eval/folder.h"

#include "base/memory.h"
#include "util/c_locale.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 8, MOST_FILES = 10000 }; /* links may lead round in circles */

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

static bool may_be_test(const char *name)
{
    static const char *const endings[] = {"", ".txt", ".csv", ".tsv", ".tab"};
    size_t length;
    pv_base_name(name, &length);
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

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static psdvec_status add_folder(pv_folder *f, const char *folder, int depth);

static psdvec_status add_entry(pv_folder *f, const char *folder, const char *name, int depth)
{
    char *path;
    struct stat info;
    if (pv_asprintf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name) <
        0)
        return pv_fail(f->ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory", folder);
    psdvec_status status = PSDVEC_OK;
    if (stat(path, &info) != 0)
        status = pv_fail_errno(f->ctx, PSDVEC_ERR_READ, "cannot read", path, errno);
    else if (S_ISDIR(info.st_mode))
        status = depth < MOST_DEPTH ? add_folder(f, path, depth + 1) : PSDVEC_OK;
    else if (S_ISREG(info.st_mode) && may_be_test(name))
        status = add_file(f, path);
    free(path);
    return status;
}

static psdvec_status add_folder(pv_folder *f, const char *folder, int depth)
{
    struct dirent **entries;
    PV_TRY(pv_check_cancel(f->ctx));
    int count = scandir(folder, &entries, is_visible, by_bytes);
    if (count < 0)
        return pv_fail_errno(f->ctx, PSDVEC_ERR_READ, "cannot open the folder", folder, errno);
    psdvec_status status = PSDVEC_OK;
    for (int k = 0; k < count; k++) {
        if (status == PSDVEC_OK)
            status = add_entry(f, folder, entries[k]->d_name, depth);
        free(entries[k]);
    }
    free(entries);
    return status;
}

psdvec_status pv_folder_list(pv_folder *folder, psdvec_context *ctx, const char *path)
{
    *folder = (pv_folder){.ctx = ctx};
    psdvec_status status = add_folder(folder, path, 0);
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
