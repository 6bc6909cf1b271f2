/* The folder OUTPUT.partial.
 *
 * A failure to save must not fail the run, but a context keeps the first failure that it records.
 * So states are saved and inspected in a separate context, and its messages are passed on as
 * warnings. */
#include "base/partial.h"

#include "base/file.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/safetensors_write.h"
#include "util/c_locale.h"
#include "util/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "key"
#define LOCK "lock"
#define STATE ".safetensors"
/* The first line of the key file. States are used only if this line is the same. So the version in
 * it is not the program's, but the oldest version whose states this program can continue with the
 * same result. Set it to the current version with any change that alters any bit of the output for
 * some input, and raise the format number if the meaning of the states changes. golden_files.bats
 * fails if this was forgotten, on machines whose arithmetic equals that of the machine where its
 * files were made. */
#define FAMILY "psdvec interrupted run, "
#define HEADING FAMILY "format 1, version 0.2.0\n"

enum { LONGEST_NAME = 48, MOST_TRIES = 100 };

struct pv_partial {
    psdvec_context *ctx;
    char *folder;
    int folder_fd, lock_fd;
    bool made;   /* this run created the folder, and no other run uses it */
    bool ours;   /* the folder is, and the lock is held */
    bool broken; /* a save failed, which was reported */
};

static psdvec_status no_memory(psdvec_context *ctx)
{
    return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while handling an interrupted run");
}

/* ---- Names ------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && !strcmp(text + length - end_length, end);
}

/* ".NAME.safetensors.psdvec-new": the temporary name of a file before it is renamed
 * (util/new_file.h). Such a file remains if the process is killed at that moment. */
static bool is_unplaced(const char *name)
{
    const char *tail = strstr(name, STATE ".psdvec-");
    if (!tail)
        tail = strstr(name, KEY ".psdvec-");
    return name[0] == '.' && tail;
}

typedef bool name_test(const char *name);

static bool is_state(const char *name)
{
    return name[0] != '.' && ends_with(name, STATE);
}

/* Counts the regular files that pass the test; with `remove`, deletes them. Returns 0, or the errno
 * value of the first failure: the folder cannot be read, or a file not be inspected or deleted. */
static int go_through(const pv_partial *p, name_test *test, bool remove, size_t *found)
{
    struct dirent **entries;
    struct stat info;
    *found = 0;
    int count = scandir(p->folder, &entries, NULL, NULL);
    if (count < 0)
        return errno;
    int error = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (test(name)) {
            bool there = fstatat(p->folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
            bool failed = !there && errno != ENOENT;
            if (there && S_ISREG(info.st_mode)) {
                ++*found;
                failed = remove && unlinkat(p->folder_fd, name, 0) != 0 && errno != ENOENT;
            }
            if (failed && !error)
                error = errno;
        }
        free(entries[i]);
    }
    free(entries);
    return error;
}

static psdvec_status count_states(const pv_partial *p, size_t *states)
{
    int error = go_through(p, is_state, false, states);
    return error ? pv_fail_errno(p->ctx, PSDVEC_ERR_READ,
                                 "cannot read the folder for interrupted runs", p->folder, error)
                 : PSDVEC_OK;
}

psdvec_status pv_partial_path(pv_partial *p, const char *name, char **path)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t length = strlen(name);
    *path = NULL;
    if (length < 1 || length > LONGEST_NAME || name[0] == '.' || strspn(name, allowed) != length)
        return pv_fail(p->ctx, PSDVEC_ERR_INTERNAL,
                       "internal error: \"%s\" cannot be the name of a state; please report this "
                       "bug",
                       name);
    return pv_asprintf(path, "%s/%s" STATE, p->folder, name) < 0 ? no_memory(p->ctx) : PSDVEC_OK;
}

/* ---- The key ------------------------------------------------------------------------------ */

typedef enum key_state {
    KEY_ABSENT,
    KEY_SAME,
    KEY_OTHER,   /* for another task */
    KEY_VERSION, /* from a version whose states cannot be continued */
    KEY_FOREIGN  /* not a key file */
} key_state;

/* Compares the key file with `wanted`, which includes the heading, over the length of `wanted`. */
static psdvec_status judge_key(const pv_partial *p, int fd, const pv_buffer *wanted,
                               key_state *state)
{
    struct stat info;
    size_t family = strlen(FAMILY), heading = strlen(HEADING);
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || (size_t)info.st_size < family)
        return PSDVEC_OK;
    size_t size = (size_t)info.st_size, length = size < wanted->length ? size : wanted->length;
    char *text = pv_alloc(p->ctx, length, 1, "the key of an interrupted run");
    psdvec_status status = text ? pv_read_all_at(p->ctx, fd, p->folder, 0, text, length)
                                : pv_failure(p->ctx);
    if (status == PSDVEC_OK && memcmp(text, FAMILY, family) == 0)
        *state = length < heading || memcmp(text, HEADING, heading) != 0         ? KEY_VERSION
                 : size == wanted->length && !memcmp(text, wanted->data, length) ? KEY_SAME
                                                                                 : KEY_OTHER;
    pv_free(p->ctx, text);
    return status;
}

static psdvec_status compare_key(const pv_partial *p, const pv_buffer *wanted, key_state *state)
{
    int fd = openat(p->folder_fd, KEY, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *state = fd < 0 && errno == ENOENT ? KEY_ABSENT : KEY_FOREIGN;
    if (fd < 0 && errno != ENOENT && errno != ELOOP)
        return pv_fail_errno(p->ctx, PSDVEC_ERR_READ, "cannot read its key", p->folder, errno);
    if (fd < 0)
        return PSDVEC_OK;
    psdvec_status status = judge_key(p, fd, wanted, state);
    close(fd);
    return status;
}

bool pv_partial_is_one(const char *folder)
{
    char *path = NULL, text[sizeof FAMILY] = "";
    if (pv_asprintf(&path, "%s/" KEY, folder) < 0)
        return false;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    free(path);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, strlen(FAMILY));
    close(fd);
    return length == (ssize_t)strlen(FAMILY) && !strcmp(text, FAMILY);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static psdvec_status fail_in_the_way(const pv_partial *p, const char *what)
{
    return pv_fail(p->ctx, PSDVEC_ERR_WRITE,
                   "%s: should be the folder for the state of an interrupted run, but %s; move it "
                   "or choose another output",
                   p->folder, what);
}

static psdvec_status open_folder(pv_partial *p)
{
    int made = pv_new_folder(p->folder);
    if (made != 0 && made != EEXIST)
        return pv_fail_errno(p->ctx, PSDVEC_ERR_WRITE,
                             "cannot create the folder for interrupted runs", p->folder, made);
    p->made = p->made || made == 0;
    p->folder_fd = open(p->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (p->folder_fd >= 0 || errno == ENOENT)
        return PSDVEC_OK; /* ENOENT: a run that just ended removed it; the caller retries */
    if (errno == ENOTDIR || errno == ELOOP)
        return fail_in_the_way(p, "is not a folder");
    return pv_fail_errno(p->ctx, PSDVEC_ERR_WRITE, "cannot open the folder for interrupted runs",
                         p->folder, errno);
}

static void let_go(pv_partial *p)
{
    if (p->lock_fd >= 0)
        close(p->lock_fd);
    if (p->folder_fd >= 0)
        close(p->folder_fd);
    p->lock_fd = p->folder_fd = -1;
}

/* A run that ends deletes the lock and the folder; a lock taken just before that is worthless. */
static bool still_there(const pv_partial *p)
{
    struct stat held, named;
    return fstat(p->lock_fd, &held) == 0 &&
           fstatat(p->folder_fd, LOCK, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev &&
           fstat(p->folder_fd, &held) == 0 && lstat(p->folder, &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

/* Called before the first file is created in the folder. Our folders have a key as long as they
 * have a state, so this needs no lock. */
static psdvec_status refuse_foreign(const pv_partial *p, const pv_buffer *key)
{
    key_state state;
    size_t states;
    PV_TRY(compare_key(p, key, &state));
    PV_TRY(count_states(p, &states));
    if (state == KEY_FOREIGN || (state == KEY_ABSENT && states > 0))
        return fail_in_the_way(p, "was not created by psdvec");
    return PSDVEC_OK;
}

static psdvec_status take_lock(pv_partial *p)
{
    struct stat info;
    p->lock_fd =
        openat(p->folder_fd, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (p->lock_fd < 0 && errno == ENOENT)
        return PSDVEC_OK; /* the folder is gone; the caller retries */
    if (p->lock_fd < 0 && errno == ELOOP)
        return fail_in_the_way(p, "its lock file is a link");
    if (p->lock_fd < 0)
        return pv_fail_errno(p->ctx, PSDVEC_ERR_WRITE, "cannot write into it", p->folder, errno);
    if (fstat(p->lock_fd, &info) != 0)
        return pv_fail_errno(p->ctx, PSDVEC_ERR_READ, "cannot inspect its lock", p->folder, errno);
    if (!S_ISREG(info.st_mode) || info.st_size != 0)
        return fail_in_the_way(p, "its lock file was not created by psdvec");
    int error = pv_file_lock(p->lock_fd);
    if (error == 0)
        return PSDVEC_OK;
    if (error == EWOULDBLOCK) {
        p->made = false;
        return pv_fail(p->ctx, PSDVEC_ERR_WRITE,
                       "%s: another run is writing this output; wait for it, stop it, or choose "
                       "another output",
                       p->folder);
    }
    pv_note(p->ctx,
            "%s: this file system does not support locks; do not run the command twice at "
            "the same time",
            p->folder);
    return PSDVEC_OK;
}

static psdvec_status open_and_lock(pv_partial *p, const pv_buffer *key)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        PV_TRY(open_folder(p));
        if (p->folder_fd >= 0) {
            PV_TRY(refuse_foreign(p, key));
            PV_TRY(take_lock(p));
        }
        if (p->lock_fd >= 0 && still_there(p))
            return PSDVEC_OK;
        let_go(p);
    }
    return pv_fail(p->ctx, PSDVEC_ERR_WRITE,
                   "%s: other runs keep creating and removing it; choose another output",
                   p->folder);
}

/* ---- Settling in ---------------------------------------------------------------------------- */

/* Synced, unlike the states: a folder with a truncated key would not be recognised as ours. */
static psdvec_status write_key(const pv_partial *p, const pv_buffer *key)
{
    char *path;
    if (pv_asprintf(&path, "%s/" KEY, p->folder) < 0)
        return no_memory(p->ctx);
    psdvec_status status = pv_write_file(p->ctx, path, key->data, key->length, true);
    free(path);
    return status;
}

/* Writes this key to the folder and deletes states that do not belong to it. */
static psdvec_status adopt_folder(pv_partial *p, const pv_buffer *key, bool restart)
{
    key_state state;
    size_t states, unplaced;
    PV_TRY(count_states(p, &states));
    PV_TRY(compare_key(p, key, &state));
    p->ours = true;
    (void)go_through(p, is_unplaced, true, &unplaced); /* they are never read */
    if (state == KEY_SAME && !restart) {
        if (states)
            pv_note(p->ctx, "%s: resuming the interrupted run found there", p->folder);
        return PSDVEC_OK;
    }
    if (states && restart)
        pv_note(p->ctx, "%s: discarding the interrupted run found there, as requested", p->folder);
    else if (states)
        pv_warn(p->ctx, "%s: discarding the interrupted run found there: %s", p->folder,
                state == KEY_VERSION ? "it was made by another version of psdvec, and this one "
                                       "cannot resume it"
                                     : "its settings or its input were different");
    /* A state that remains would be taken for one of this run. */
    int error = go_through(p, is_state, true, &states);
    if (error)
        return pv_fail_errno(p->ctx, PSDVEC_ERR_WRITE, "cannot delete the interrupted run in it",
                             p->folder, error);
    return state == KEY_SAME ? PSDVEC_OK : write_key(p, key);
}

psdvec_status pv_partial_open(psdvec_context *ctx, const char *output, const char *key,
                              bool restart, pv_partial **partial)
{
    *partial = NULL;
    psdvec_status status;
    pv_buffer text = {.ctx = ctx};
    pv_partial *p = calloc(1, sizeof *p);
    if (!p)
        return no_memory(ctx);
    *p = (pv_partial){.ctx = ctx, .folder_fd = -1, .lock_fd = -1};
    PV_TRY_DONE(pv_asprintf(&p->folder, "%s.partial", output) < 0 ? no_memory(ctx) : PSDVEC_OK);
    PV_TRY_DONE(pv_buffer_text(&text, HEADING));
    PV_TRY_DONE(pv_buffer_text(&text, key));
    if (pv_group_leads(ctx)) {
        PV_TRY_DONE(open_and_lock(p, &text));
        PV_TRY_DONE(adopt_folder(p, &text, restart));
    }
    p->broken = !pv_group_leads(ctx); /* saves nothing */
    uint64_t nothing = 0;
    status = pv_group_agree(ctx, &nothing);
done:
    pv_buffer_free(&text);
    if (status == PSDVEC_OK)
        *partial = p;
    else
        pv_partial_close(p, false);
    return status;
}

/* ---- States -------------------------------------------------------------------------------- */

/* A context whose failures do not fail the run. */
static psdvec_context *side_context(const pv_partial *p, bool may_stop)
{
    psdvec_context *side;
    psdvec_context_options options = p->ctx->options;
    options.on_message = NULL;
    options.on_progress = NULL;
    options.threads = 1;
    if (!may_stop)
        options.should_cancel = NULL;
    return psdvec_context_new(&options, &side) == PSDVEC_OK ? side : NULL;
}

static psdvec_status write_state(psdvec_context *ctx, const char *path, const pv_tensor *tensors,
                                 size_t count)
{
    struct stat info;
    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return pv_fail(ctx, PSDVEC_ERR_WRITE, "%s: is not a psdvec file", path);
    return pv_st_file_write(ctx, path, tensors, count, NULL, 0, false);
}

psdvec_status pv_partial_save(pv_partial *p, const char *name, const pv_tensor *tensors,
                              size_t count)
{
    if (p->broken)
        return PSDVEC_OK;
    char *path;
    PV_TRY(pv_partial_path(p, name, &path));
    psdvec_context *side = side_context(p, false);
    psdvec_status status = side ? write_state(side, path, tensors, count) : no_memory(p->ctx);
    if (status == PSDVEC_ERR_WRITE || status == PSDVEC_ERR_DISK_FULL) {
        p->broken = true;
        pv_warn(p->ctx,
                "the state of this run can no longer be saved, so more work is lost if it is "
                "interrupted: %s",
                psdvec_error_message(side));
        status = PSDVEC_OK;
    } else if (status != PSDVEC_OK && side) {
        status = pv_fail(p->ctx, status, "%s", psdvec_error_message(side));
    }
    psdvec_context_free(side);
    free(path);
    return status;
}

/* Opens the file if it is undamaged. Otherwise *file stays NULL and there is a warning. */
static psdvec_status open_undamaged(pv_partial *p, const char *path, pv_st_file **file)
{
    pv_st_file *looked_at = NULL;
    psdvec_context *side = side_context(p, true);
    if (!side)
        return no_memory(p->ctx);
    psdvec_status status = pv_st_open(side, path, &looked_at);
    if (status == PSDVEC_OK)
        status = pv_st_verify(side, looked_at);
    pv_st_close(looked_at);
    int family = (int)status / 100;
    if (status == PSDVEC_OK) {
        status = pv_st_open(p->ctx, path, file);
    } else if (family == 2 || family == 3) {
        pv_warn(p->ctx, "%s: not used: %s", path, psdvec_error_message(side));
        status = PSDVEC_OK;
    } else {
        status = pv_fail(p->ctx, status, "%s", psdvec_error_message(side));
    }
    psdvec_context_free(side);
    return status;
}

psdvec_status pv_partial_load(pv_partial *p, const char *name, pv_st_file **file)
{
    struct stat info;
    char *path;
    *file = NULL;
    PV_TRY(pv_partial_path(p, name, &path));
    psdvec_status status = PSDVEC_OK;
    bool leads = pv_group_leads(p->ctx);
    if (leads && lstat(path, &info) == 0 && S_ISREG(info.st_mode))
        status = open_undamaged(p, path, file);
    uint64_t there = *file != NULL;
    if (status == PSDVEC_OK)
        status = pv_group_agree(p->ctx, &there);
    if (status == PSDVEC_OK && there && !leads)
        status = pv_st_open(p->ctx, path, file);
    free(path);
    return status;
}

/* Removes the folder if it has no state, or with `states` in any case. */
static void remove_folder(pv_partial *p, bool states)
{
    /* In this order, so that a kill between two steps leaves a folder that is recognised as
     * ours. */
    size_t found = 0, unplaced;
    int error = go_through(p, is_state, states, &found);
    if (!error && states)
        error = go_through(p, is_unplaced, true, &unplaced);
    if (!error && found > 0 && !states)
        return;
    if (!error && unlinkat(p->folder_fd, KEY, 0) != 0 && errno != ENOENT)
        error = errno;
    if (!error && unlinkat(p->folder_fd, LOCK, 0) != 0 && errno != ENOENT)
        error = errno;
    if (!error && rmdir(p->folder) != 0)
        error = errno;
    char text[256];
    if (error == ENOTEMPTY || error == EEXIST)
        pv_note(p->ctx, "%s: not removed, because it contains files that psdvec did not create",
                p->folder);
    else if (error && error != ENOENT)
        pv_warn(p->ctx, "%s: cannot be removed: %s; delete it", p->folder,
                pv_error_text(error, text, sizeof text));
}

void pv_partial_close(pv_partial *p, bool remove)
{
    if (!p)
        return;
    if (p->ours) {
        remove_folder(p, remove);
    } else if (p->made) { /* opening it failed */
        if (p->lock_fd >= 0)
            unlinkat(p->folder_fd, LOCK, 0);
        rmdir(p->folder);
    }
    let_go(p);
    free(p->folder);
    free(p);
}
