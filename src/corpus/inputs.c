/* Expansion of inputs into files. */
#include "corpus/inputs.h"

#include "base/memory.h"
#include "base/partial.h"
#include "base/platform.h"
#include "util/c_locale.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static psdvec_status add_file(pv_inputs *list, const char *path, uint32_t input, bool named,
                              const struct stat *info)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        pv_input_file *files =
            pv_resize(list->ctx, list->files, capacity, sizeof *files, "the list of input files");
        if (!files)
            return pv_failure(list->ctx);
        list->files = files;
        list->capacity = capacity;
    }
    pv_input_file file = {.path = strdup(path), .input = input, .named = named};
    if (!file.path)
        return pv_fail(list->ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory", path);
    if (info && S_ISREG(info->st_mode)) {
        file.size = (uint64_t)info->st_size;
        file.modified = pv_file_changed(info);
    }
    list->files[list->count++] = file;
    return PSDVEC_OK;
}

bool pv_is_clutter(const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/')) {
        if (*part == '/')
            part++;
        if (part[0] == '.' && part[1] != '\0' && part[1] != '/' &&
            !(part[1] == '.' && (part[2] == '/' || part[2] == '\0')))
            return true;
        if (strncmp(part, "__MACOSX/", 9) == 0)
            return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folders we are in, innermost first: a link back to one of them would
 * lead round in a circle. */
typedef struct open_folder {
    const struct open_folder *outer;
    dev_t device;
    ino_t inode;
} open_folder;

static bool leads_back(const open_folder *outer, const struct stat *info)
{
    for (; outer; outer = outer->outer)
        if (outer->device == info->st_dev && outer->inode == info->st_ino)
            return true;
    return false;
}

static psdvec_status add_folder(pv_inputs *list, const char *folder, uint32_t input,
                                const struct stat *info, const open_folder *outer);

static psdvec_status add_entry(pv_inputs *list, const char *folder, const char *name,
                               uint32_t input, const open_folder *outer)
{
    char *path = NULL, text[100];
    size_t length = strlen(folder);
    bool slash = length > 0 && folder[length - 1] == '/';
    if (pv_asprintf(&path, "%s%s%s", folder, slash ? "" : "/", name) < 0)
        return pv_fail(list->ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory", folder);
    psdvec_status status = PSDVEC_OK;
    struct stat info;
    if (stat(path, &info) != 0)
        pv_warn(list->ctx, "%s: passed over: %s", path, pv_error_text(errno, text, sizeof text));
    else if (S_ISDIR(info.st_mode) && leads_back(outer, &info))
        pv_warn(list->ctx, "%s: passed over: a link back to a folder it is in", path);
    else if (S_ISDIR(info.st_mode) && pv_partial_is_one(path))
        pv_note(list->ctx, "%s: passed over: an interrupted run is kept there", path);
    else if (S_ISDIR(info.st_mode))
        status = add_folder(list, path, input, &info, outer);
    else if (S_ISREG(info.st_mode))
        status = add_file(list, path, input, false, &info);
    free(path);
    return status;
}

/* The names in a folder, hidden ones left out, sorted. */
static psdvec_status list_folder(psdvec_context *ctx, const char *folder, char ***out,
                                 size_t *out_count)
{
    char **names = NULL;
    size_t count = 0, capacity = 0;
    psdvec_status status = PSDVEC_OK;
    DIR *dir = opendir(folder);
    if (!dir)
        return pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot open the folder", folder, errno);
    for (struct dirent *entry; status == PSDVEC_OK && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            char **grown = realloc(names, capacity * sizeof *names);
            if (grown)
                names = grown;
            else
                status = pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: too many files", folder);
        }
        if (status == PSDVEC_OK && !(names[count++] = strdup(entry->d_name)))
            status = pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: too many files", folder);
    }
    closedir(dir);
    if (count)
        qsort(names, count, sizeof *names, by_name);
    *out = names;
    *out_count = count;
    return status;
}

static psdvec_status add_folder(pv_inputs *list, const char *folder, uint32_t input,
                                const struct stat *info, const open_folder *outer)
{
    open_folder here = {.outer = outer, .device = info->st_dev, .inode = info->st_ino};
    char **names = NULL;
    size_t count = 0;
    psdvec_status status = pv_check_cancel(list->ctx);
    if (status == PSDVEC_OK)
        status = list_folder(list->ctx, folder, &names, &count);
    for (size_t i = 0; i < count; i++) {
        if (status == PSDVEC_OK)
            status = add_entry(list, folder, names[i], input, &here);
        free(names[i]);
    }
    free(names);
    return status;
}

psdvec_status pv_inputs_expand(psdvec_context *ctx, const char *const *inputs, size_t count,
                               pv_inputs *list)
{
    *list = (pv_inputs){.ctx = ctx};
    bool unknown_size = false, stdin_seen = false;
    psdvec_status status = PSDVEC_OK;
    if (count == 0)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "no input; name files or folders, or - for "
                       "standard input");
    for (size_t i = 0; i < count && status == PSDVEC_OK; i++) {
        struct stat info;
        size_t before = list->count;
        if (strcmp(inputs[i], "-") == 0) {
            if (stdin_seen)
                status = pv_fail(ctx, PSDVEC_ERR_OPTION,
                                 "standard input (-) is named twice, but can be read only once");
            else
                status = add_file(list, "-", (uint32_t)i, true, NULL);
            stdin_seen = unknown_size = true;
        } else if (stat(inputs[i], &info) != 0) {
            status = pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot read the input", inputs[i], errno);
        } else if (S_ISDIR(info.st_mode)) {
            status = add_folder(list, inputs[i], (uint32_t)i, &info, NULL);
            if (status == PSDVEC_OK && list->count == before)
                status = pv_fail(ctx, PSDVEC_ERR_EMPTY,
                                 "%s: the folder contains no files; name a folder with text in it",
                                 inputs[i]);
        } else {
            status = add_file(list, inputs[i], (uint32_t)i, true, &info);
            unknown_size |= !S_ISREG(info.st_mode);
        }
    }
    if (status != PSDVEC_OK) {
        pv_inputs_free(list);
        return status;
    }
    for (size_t i = 0; i < list->count; i++)
        list->total_size += list->files[i].size;
    if (unknown_size)
        list->total_size = 0;
    return PSDVEC_OK;
}

void pv_inputs_free(pv_inputs *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->files[i].path);
    if (list->ctx)
        pv_free(list->ctx, list->files);
    *list = (pv_inputs){0};
}
