/* Expansion of inputs into files. */
#include "corpus/inputs.h"

#include "base/partial.h"
#include "base/platform.h"
#include "util/c_locale.h"
#include "util/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* `info` is NULL for standard input. */
static bool is_once(const struct stat *info)
{
    return !info || !(S_ISREG(info->st_mode) || S_ISDIR(info->st_mode));
}

bool pv_input_is_once(const char *input)
{
    struct stat info;
    if (strcmp(input, "-") == 0)
        return true;
    return stat(input, &info) == 0 && is_once(&info);
}

psdvec_status pv_inputs_refuse_once(psdvec_context *ctx, const char *const *inputs, size_t count,
                                    const char *why)
{
    for (size_t i = 0; i < count; i++)
        if (pv_input_is_once(inputs[i]))
            return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s cannot be read twice, %s",
                           strcmp(inputs[i], "-") == 0 ? "standard input" : inputs[i], why);
    return PSDVEC_OK;
}

psdvec_status pv_input_refuse_shared(psdvec_context *ctx, const char *input)
{
    return pv_fail(ctx, PSDVEC_ERR_OPTION,
                   "%s can be read by one process only; save it to a file first",
                   strcmp(input, "-") ? input : "standard input");
}

static psdvec_status add_file(pv_inputs *list, const char *path, uint32_t input, bool named,
                              const struct stat *info)
{
    if (list->count == list->capacity)
        PV_GROW(&list->scope, list->files, list->capacity = 2 * list->capacity + 16);
    PV_TRY(pv_scope_status(&list->scope));
    pv_input_file file = {
        .path = strdup(path), .input = input, .named = named, .once = is_once(info)};
    if (!file.path)
        return pv_fail(list->scope.ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", path);
    if (!file.once) {
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

typedef struct expansion {
    pv_inputs *list;
    uint32_t input;
    bool unknown_size;
} expansion;

static int add_entry(void *user, const pv_walk_entry *entry)
{
    expansion *x = user;
    psdvec_context *ctx = x->list->scope.ctx;
    const struct stat *info = entry->info;
    const char *path = entry->path;
    bool named = !*entry->inner;
    char text[100];
    if (info && entry->error == ELOOP) {
        pv_warn(ctx, "%s: skipped: it is a link to a folder that contains it", path);
        return 0;
    }
    /* A link whose target does not exist, or a file that was deleted just now, lacks no text.
     * Whatever else cannot be read must not be missing from the result unnoticed. */
    bool absent = !info && !named &&
                  (entry->error == ENOENT || entry->error == ENOTDIR || entry->error == ELOOP);
    if (entry->error && !absent)
        return (int)pv_fail_errno(ctx, PSDVEC_ERR_READ,
                                  info    ? "cannot open the folder"
                                  : named ? "cannot read the input"
                                          : "cannot read the file",
                                  path, entry->error);
    if (!info) {
        pv_warn(ctx, "%s: skipped: %s", path, pv_error_text(entry->error, text, sizeof text));
        return 0;
    }
    if (S_ISDIR(info->st_mode) && !named && pv_partial_is_one(path)) {
        pv_note(ctx, "%s: skipped: it contains an interrupted run", path);
        return PV_WALK_PASS;
    }
    if (S_ISDIR(info->st_mode))
        return (int)pv_check_cancel(ctx);
    if (!named && !S_ISREG(info->st_mode))
        return 0;
    x->unknown_size |= is_once(info);
    return (int)add_file(x->list, path, x->input, named, info);
}

psdvec_status pv_inputs_expand(psdvec_context *ctx, const char *const *inputs, size_t count,
                               pv_inputs *list)
{
    *list = (pv_inputs){.scope = {.ctx = ctx, .what = "the list of input files"}};
    expansion x = {.list = list};
    bool stdin_seen = false;
    psdvec_status status = PSDVEC_OK;
    if (count == 0)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "no input; give files or folders, or - for standard input");
    for (size_t i = 0; i < count && status == PSDVEC_OK; i++) {
        size_t before = list->count;
        x.input = (uint32_t)i;
        if (strcmp(inputs[i], "-") == 0) {
            if (stdin_seen)
                status = pv_fail(ctx, PSDVEC_ERR_OPTION,
                                 "standard input (-) is given twice, but can be read only once");
            else
                status = add_file(list, "-", (uint32_t)i, true, NULL);
            stdin_seen = x.unknown_size = true;
        } else {
            status = (psdvec_status)pv_walk(inputs[i], add_entry, &x);
            if (status == PSDVEC_OK && list->count == before)
                status = pv_fail(ctx, PSDVEC_ERR_EMPTY,
                                 "%s: the folder contains no files; give a folder with text",
                                 inputs[i]);
        }
    }
    if (status != PSDVEC_OK) {
        pv_inputs_free(list);
        return status;
    }
    for (size_t i = 0; i < list->count; i++)
        list->total_size += list->files[i].size;
    if (x.unknown_size)
        list->total_size = 0;
    return PSDVEC_OK;
}

void pv_inputs_free(pv_inputs *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->files[i].path);
    pv_scope_free(&list->scope);
    *list = (pv_inputs){0};
}
