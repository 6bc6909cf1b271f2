/* Which files form a test set.
 *
 *     a file                                 a set
 *     a folder                               each file in it and below it is a set
 *     a folder of files of word pairs,       one set with a section per file, because such a file
 *       and of nothing else                  is one relation, as in BATS
 *
 * Scores are never pooled over files of other forms: a correlation over several rating scales is
 * meaningless, and analogies of two collections are two benchmarks.
 *
 * A folder of word pairs is one whose own files all have two columns, at least half of them word
 * pairs, and whose subfolders are such folders too; on its own, a file with few distinct answers
 * looks like words and categories.
 *
 * In a folder, hidden files, README and LICENSE are skipped. Other files that are not test sets, by
 * name or by content, are listed in a warning.
 */
#include "base/arguments.h"
#include "base/file.h"
#include "eval/test_set.h"
#include "util/c_locale.h"
#include "util/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_FILES = 10000,
    NAMED = 5,            /* files in a warning */
    DETECTED = 64 * 1024, /* bytes that detection examines */
};

struct psdvec_test_list {
    pv_scope scope;
    psdvec_test **tests;
    char **paths;
    size_t count, capacity;
};

/* The files in a folder and its subfolders that may be test sets, sorted by name. */
typedef struct folder {
    pv_scope scope;
    psdvec_test_list *list;
    const char *path;
    char **paths;
    size_t count, capacity;
    size_t root;        /* length of the common part of the paths, including the slash */
    pv_buffer left_out; /* names, for a warning */
    size_t left_out_count;
    pv_table *tables;
    pv_layout *layouts;
} folder;

/* ---- Files ------------------------------------------------------------------------------ */

/* *.txt, *.csv, *.tsv, *.tab and names without an extension. */
static bool has_set_ending(const char *path)
{
    static const char *const endings[] = {"", ".txt", ".csv", ".tsv", ".tab"};
    size_t length;
    const char *name = pv_test_name(path, &length);
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (pv_same_letters(name + length, endings[k]))
            return true;
    return false;
}

static psdvec_status note_skipped(folder *f, const char *path)
{
    return f->left_out_count++ < NAMED
               ? pv_buffer_printf(&f->left_out, "%s%s", f->left_out.length ? ", " : "",
                                  path + f->root)
               : PSDVEC_OK;
}

static psdvec_status copy_text(pv_scope *scope, const char *text, size_t length, char **copy)
{
    PV_TAKE_ZERO(scope, *copy, length + 1);
    PV_TRY(pv_scope_status(scope));
    memcpy(*copy, text, length);
    return PSDVEC_OK;
}

static psdvec_status add_file(folder *f, const char *path)
{
    size_t length;
    const char *name = pv_test_name(path, &length);
    if (pv_begins_with(name, "README") || pv_begins_with(name, "LICENSE"))
        return PSDVEC_OK;
    if (!has_set_ending(path))
        return note_skipped(f, path);
    if (f->count == MOST_FILES)
        return pv_fail(f->scope.ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: is file number %d in one folder, which is too many; give a folder "
                       "with fewer files",
                       path, MOST_FILES + 1);
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 64;
        PV_GROW(&f->scope, f->paths, f->capacity);
        PV_TRY(pv_scope_status(&f->scope));
    }
    return copy_text(&f->scope, path, strlen(path), &f->paths[f->count++]);
}

static int add_entry(void *user, const pv_walk_entry *entry)
{
    folder *f = user;
    const struct stat *info = entry->info;
    f->root = strlen(entry->path) - strlen(entry->inner) + 1;
    if (info && entry->error == ELOOP)
        return 0; /* its files are already in the list */
    if (entry->error)
        return (int)pv_fail_errno(f->scope.ctx, PSDVEC_ERR_READ,
                                  info ? "cannot open the folder" : "cannot read", entry->path,
                                  entry->error);
    PV_HOLDS(info); /* is NULL only with an error */
    if (S_ISDIR(info->st_mode))
        return (int)pv_check_cancel(f->scope.ctx);
    return S_ISREG(info->st_mode) ? (int)add_file(f, entry->path) : 0;
}

/* Reads all files; removes those that are not test sets from the list. */
static psdvec_status read_files(folder *f)
{
    psdvec_context *ctx = f->scope.ctx;
    size_t kept = 0;
    PV_TAKE_ZERO(&f->scope, f->tables, f->count);
    PV_TAKE_ZERO(&f->scope, f->layouts, f->count);
    PV_TRY(pv_scope_status(&f->scope));
    for (size_t k = 0; k < f->count; k++) {
        pv_table *table = &f->tables[kept];
        psdvec_status status = pv_table_open(table, ctx, f->paths[k]);
        if (status == PSDVEC_OK)
            status = pv_form_recognise(table, &f->layouts[kept]);
        bool other = status == PSDVEC_ERR_NOT_TEXT || status == PSDVEC_ERR_FORMAT ||
                     status == PSDVEC_ERR_EMPTY ||
                     (status == PSDVEC_OK && pv_form_of_vectors(table, &f->layouts[kept]));
        if (other) {
            pv_table_close(table);
            pv_begin(ctx);
            PV_TRY(note_skipped(f, f->paths[k]));
            continue;
        }
        PV_TRY(status);
        f->paths[kept++] = f->paths[k];
    }
    f->count = kept;
    return PSDVEC_OK;
}

/* ---- Sets ------------------------------------------------------------------------------- */

static psdvec_status list_new(psdvec_context *ctx, psdvec_test_list **list)
{
    psdvec_test_list *l = *list = pv_alloc_zero(ctx, 1, sizeof *l, "a list of tests");
    if (!l)
        return pv_failure(ctx);
    l->scope = (pv_scope){.ctx = pv_context_hold(ctx), .what = "a list of tests"};
    return PSDVEC_OK;
}

/* Adds the set of these files; `path` (path_length bytes): the path of the file or of the
 * folder. */
static psdvec_status add_set(psdvec_test_list *l, pv_table *tables, pv_layout *layouts,
                             size_t count, const char *path, size_t path_length)
{
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 16;
        PV_GROW(&l->scope, l->tests, l->capacity);
        PV_GROW(&l->scope, l->paths, l->capacity);
        PV_TRY(pv_scope_status(&l->scope));
    }
    char *copy;
    PV_TRY(copy_text(&l->scope, path, path_length, &copy));
    pv_test_source source = {.path = copy, .tables = tables, .layouts = layouts, .count = count};
    if (count == 1) {
        source.name = pv_test_name(copy, &source.name_length);
    } else {
        const char *slash = strrchr(copy, '/');
        source.name = slash && slash[1] ? slash + 1 : copy;
        source.name_length = strlen(source.name);
    }
    PV_TRY(pv_test_make(l->scope.ctx, &source, &l->tests[l->count]));
    l->paths[l->count++] = copy;
    return PSDVEC_OK;
}

/* Files of a folder: from `begin` up to `end`; their paths have `prefix` bytes in common, the last
 * of which is the slash after the folder. */
typedef struct range {
    size_t begin, end, prefix;
} range;

/* The next entry of a folder, from file `at` on: a file, or the files of a subfolder. Returns
 * whether it is a subfolder. */
static bool next_entry(const folder *f, const range *in, size_t at, range *entry)
{
    const char *path = f->paths[at], *slash = strchr(path + in->prefix, '/');
    *entry = (range){at, at + 1, in->prefix};
    if (!slash)
        return false;
    entry->prefix = (size_t)(slash - path) + 1;
    while (entry->end < in->end && !strncmp(f->paths[entry->end], path, entry->prefix))
        entry->end++;
    return true;
}

static bool is_pairs_folder(const folder *f, const range *in)
{
    size_t files = 0, pairs = 0;
    range entry;
    for (size_t at = in->begin; at < in->end; at = entry.end) {
        if (next_entry(f, in, at, &entry)) {
            if (!is_pairs_folder(f, &entry))
                return false;
            continue;
        }
        pv_form form = f->layouts[at].form;
        if (form != PV_FORM_PAIRS && form != PV_FORM_CATEGORIES)
            return false;
        files++;
        pairs += form == PV_FORM_PAIRS;
    }
    return 2 * pairs >= files;
}

static psdvec_status add_sets(folder *f, const range *in)
{
    if (in->end - in->begin > 1 && is_pairs_folder(f, in)) {
        size_t length = in->prefix;
        while (length > 1 && f->paths[in->begin][length - 1] == '/')
            length--;
        for (size_t k = in->begin; k < in->end; k++)
            f->layouts[k].form = PV_FORM_PAIRS;
        return add_set(f->list, f->tables + in->begin, f->layouts + in->begin, in->end - in->begin,
                       f->paths[in->begin], length);
    }
    range entry;
    for (size_t at = in->begin; at < in->end; at = entry.end) {
        PV_TRY(pv_check_cancel(f->scope.ctx));
        if (next_entry(f, in, at, &entry))
            PV_TRY(add_sets(f, &entry));
        else
            PV_TRY(add_set(f->list, &f->tables[at], &f->layouts[at], 1, f->paths[at],
                           strlen(f->paths[at])));
    }
    return PSDVEC_OK;
}

static psdvec_status read_folder(psdvec_context *ctx, const char *path, psdvec_test_list *list)
{
    folder f = {.scope = {.ctx = ctx, .what = "a list of files"},
                .list = list,
                .path = path,
                .left_out = {.ctx = ctx}};
    psdvec_status status;
    PV_TRY_DONE((psdvec_status)pv_walk(path, add_entry, &f));
    PV_TRY_DONE(read_files(&f));
    if (f.left_out_count > NAMED)
        PV_TRY_DONE(pv_buffer_printf(&f.left_out, " and %zu more", f.left_out_count - NAMED));
    if (f.left_out_count)
        pv_warn(ctx, "%s: skipped, because %s: %s", path,
                f.left_out_count == 1 ? "it is not a test set" : "they are not test sets",
                f.left_out.data);
    if (f.count == 0)
        PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_EMPTY,
                            "%s: the folder contains no test sets (.txt, .csv, .tsv, .tab)", path));
    status = add_sets(&f, &(range){0, f.count, f.root});
done:
    for (size_t k = 0; f.tables && k < f.count; k++)
        pv_table_close(&f.tables[k]);
    pv_buffer_free(&f.left_out);
    pv_scope_free(&f.scope);
    return status;
}

static psdvec_status read_file(psdvec_context *ctx, const char *path, psdvec_test_list *list)
{
    pv_table table;
    pv_layout layout;
    psdvec_status status = pv_table_open(&table, ctx, path);
    if (status == PSDVEC_OK)
        status = pv_form_recognise(&table, &layout);
    if (status == PSDVEC_OK)
        status = add_set(list, &table, &layout, 1, path, strlen(path));
    pv_table_close(&table);
    return status;
}

static psdvec_status open_list(psdvec_context *ctx, const char *path, psdvec_test_list **list)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot read the test", path, errno);
    PV_TRY(list_new(ctx, list));
    return S_ISDIR(info.st_mode) ? read_folder(ctx, path, *list) : read_file(ctx, path, *list);
}

/* ---- Detection -------------------------------------------------------------------------- */

/* Reads the first bytes of a regular file, up to the last complete line; at most `most`. An
 * unreadable file counts as empty. */
static size_t read_start(const char *path, char *text, size_t most)
{
    struct stat info;
    size_t length = 0;
    ssize_t got = 1;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while (length < most && got > 0) {
        got = read(fd, text + length, most - length);
        if (got > 0)
            length += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    }
    close(fd);
    if (got < 0)
        return 0;
    if (length == most)
        while (length > 0 && text[length - 1] != '\n')
            length--;
    return length;
}

psdvec_status psdvec_test_detect(psdvec_context *ctx, const char *path, bool *found,
                                 psdvec_test_kind *kind)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, found);
    *found = false;
    PV_NEED(ctx, path);
    PV_NEED(ctx, kind);
    pv_scope scope = {.ctx = ctx, .what = "the start of a text"};
    pv_table table = {0};
    pv_layout layout;
    psdvec_status status;
    char *text;
    PV_TAKE(&scope, text, DETECTED);
    PV_TRY_DONE(pv_scope_status(&scope));
    status = pv_table_read(&table, ctx, path, text, read_start(path, text, DETECTED));
    if (status == PSDVEC_OK)
        status = pv_form_recognise(&table, &layout);
    if (status == PSDVEC_OK && pv_form_is_certain(&table, &layout)) {
        *found = true;
        *kind = pv_form_kind(layout.form);
    }
    if (status == PSDVEC_ERR_NOT_TEXT || status == PSDVEC_ERR_FORMAT ||
        status == PSDVEC_ERR_EMPTY || status == PSDVEC_ERR_DAMAGED) {
        pv_begin(ctx); /* it is not a test set */
        status = PSDVEC_OK;
    }
done:
    pv_table_close(&table);
    pv_scope_free(&scope);
    return status;
}

/* ---- Calls ------------------------------------------------------------------------------ */

psdvec_status psdvec_test_list_open(psdvec_context *ctx, const char *path, psdvec_test_list **list)
{
    PV_CLEAR(list);
    PV_BEGIN(ctx);
    PV_NEED(ctx, list);
    PV_NEED(ctx, path);
    psdvec_status status = open_list(ctx, path, list);
    if (status != PSDVEC_OK) {
        psdvec_test_list_close(*list);
        *list = NULL;
    }
    return status;
}

void psdvec_test_list_close(psdvec_test_list *list)
{
    if (!list)
        return;
    psdvec_context *ctx = list->scope.ctx;
    for (size_t k = 0; k < list->count; k++)
        psdvec_test_close(list->tests[k]);
    pv_scope_free(&list->scope);
    pv_free(ctx, list);
    pv_context_release(ctx);
}

const psdvec_test *const *psdvec_test_list_get(const psdvec_test_list *list, size_t *count)
{
    if (count)
        *count = list ? list->count : 0;
    return list ? (const psdvec_test *const *)list->tests : NULL;
}

const char *psdvec_test_list_path(const psdvec_test_list *list, size_t i)
{
    return list && i < list->count ? list->paths[i] : NULL;
}

psdvec_status psdvec_test_open(psdvec_context *ctx, const char *path, psdvec_test **test)
{
    psdvec_test_list *list = NULL;
    PV_CLEAR(test);
    PV_BEGIN(ctx);
    PV_NEED(ctx, test);
    PV_NEED(ctx, path);
    psdvec_status status = open_list(ctx, path, &list);
    if (status == PSDVEC_OK && list->count > 1)
        status = pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                         "%s: is a folder of %zu test sets; open one of them, or all of them with "
                         "psdvec_test_list_open",
                         path, list->count);
    if (status == PSDVEC_OK) {
        *test = list->tests[0];
        list->count = 0;
    }
    psdvec_test_list_close(list);
    return status;
}
