/* New files: unnamed or locked until they are complete. */
#include "util/new_file.h"

#include "util/c_locale.h"
#include "util/system_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* LONGEST_NAME leaves room for what is put around a name. A file is called -new for milliseconds,
 * so a process that waits longer than 10 seconds for it waits for one that was stopped. */
enum { NAMES = 100, SWEPT = 4, LONGEST_NAME = 200, MOST_LINKS = 40, WAITS = 1000, WAIT_MS = 10 };

/* ---- Paths ---------------------------------------------------------------------------------- */

char *pv_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* A link of another user in a folder in which everyone may create files. */
static bool is_planted(const char *link, const char *folder)
{
    struct stat of_link, of_folder;
    return lstat(link, &of_link) == 0 && stat(folder, &of_folder) == 0 &&
           (of_folder.st_mode & S_ISVTX) && (of_folder.st_mode & S_IWOTH) &&
           of_link.st_uid != geteuid() && of_link.st_uid != of_folder.st_uid;
}

/* The path after one link. On the heap; NULL with errno set. */
static char *follow_one(const char *path, const char *link)
{
    char *next = NULL, *folder = pv_folder_of(path);
    int error = !folder ? ENOMEM : is_planted(path, folder) ? EACCES : 0;
    if (!error)
        next = link[0] == '/' ? strdup(link) : NULL;
    if (!error && link[0] != '/' && pv_asprintf(&next, "%s/%s", folder, link) < 0)
        next = NULL;
    free(folder);
    errno = error ? error : ENOMEM;
    return next;
}

static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        size_t length = strlen(folders[k]);
        char *end;
        if (strncmp(path, folders[k], length) != 0 || path[length] < '0' || path[length] > '9')
            continue;
        long number = strtol(path + length, &end, 10);
        if (!*end && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

/* Follows links until `path` is none, or names a descriptor. */
static char *follow(const char *path, int *descriptor)
{
    char *now = strdup(path);
    for (int depth = 0; now && depth < MOST_LINKS; depth++) {
        char link[PATH_MAX];
        *descriptor = descriptor_of(now);
        ssize_t length = *descriptor >= 0 ? -1 : readlink(now, link, sizeof link - 1);
        if (length < 0)
            return now;
        link[length] = '\0';
        char *next = follow_one(now, link);
        free(now);
        now = next;
        if (!now)
            return NULL;
    }
    errno = now ? ELOOP : ENOMEM;
    free(now);
    return NULL;
}

char *pv_follow_links(const char *path)
{
    int descriptor;
    return follow(path, &descriptor);
}

int pv_descriptor_at(const char *path)
{
    int descriptor = -1;
    free(follow(path, &descriptor));
    return descriptor;
}

/* FOLDER/.NAME.psdvec-SUFFIX; of a long name, its beginning and a hash. On the heap; NULL if out of
 * memory. */
static char *beside(const char *target, const char *suffix)
{
    char *folder = pv_folder_of(target), *path = NULL;
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    int made = !folder ? -1
               : strlen(name) <= LONGEST_NAME
                   ? pv_asprintf(&path, "%s/.%s.psdvec-%s", folder, name, suffix)
                   : pv_asprintf(&path, "%s/.%.*s-%016" PRIx64 ".psdvec-%s", folder,
                                 LONGEST_NAME - 17, name, hash, suffix);
    free(folder);
    return made < 0 ? NULL : path;
}

char *pv_new_file_beside(const char *path)
{
    char *target = pv_follow_links(path), *name = target ? beside(target, "new") : NULL;
    free(target);
    return name;
}

bool pv_new_file_was_interrupted(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 || errno != ENOENT)
        return false;
    char *name = pv_new_file_beside(path);
    bool there = name && lstat(name, &info) == 0 && S_ISREG(info.st_mode);
    free(name);
    return there;
}

/* ---- Files of killed processes --------------------------------------------------------------- */

static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000L}, NULL);
}

/* Removes the file if no living process holds it. `unless_known`: also if that cannot be found out
 * because there are no locks. Returns 0 if the name is free, EWOULDBLOCK if it is held, or another
 * errno value. */
static int sweep(const char *name, bool unless_known)
{
    int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = open(name, O_RDWR | flags); /* locks of NFS need a file that is open for writing */
    if (fd < 0 && errno == EACCES)
        fd = open(name, O_RDONLY | flags);
    if (fd < 0)
        return errno == ENOENT ? 0 : errno;
    struct stat held, named;
    int error = fstat(fd, &held) != 0          ? errno
                : !S_ISREG(held.st_mode)       ? EEXIST
                : pv_file_locks_are_per_file() ? pv_file_lock(fd)
                                               : ENOLCK;
    if (unless_known && error != EWOULDBLOCK && S_ISREG(held.st_mode))
        error = 0;
    if (!error &&
        (lstat(name, &named) != 0 || named.st_ino != held.st_ino || named.st_dev != held.st_dev))
        error = EWOULDBLOCK; /* another process was faster */
    if (!error && unlink(name) != 0 && errno != ENOENT)
        error = errno;
    close(fd);
    return error;
}

static void sweep_beside(const char *target, const char *suffix)
{
    char *name = beside(target, suffix);
    if (name)
        sweep(name, false);
    free(name);
}

/* ---- Opening ---------------------------------------------------------------------------------- */

/* Creates the file under the first free name, locked. Returns 0 or an errno value. */
static int create_named(pv_new_file *file)
{
    int error = EEXIST;
    for (unsigned k = 0; k < NAMES && error == EEXIST; k++) {
        char suffix[16];
        struct stat info;
        snprintf(suffix, sizeof suffix, "%u", k);
        file->name = beside(file->target, suffix);
        if (!file->name)
            return ENOMEM;
        if (k == 0)
            for (unsigned other = 1; other < SWEPT; other++) {
                snprintf(suffix, sizeof suffix, "%u", other);
                sweep_beside(file->target, suffix);
            }
        sweep(file->name, false);
        file->fd = open(file->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = file->fd >= 0 ? 0 : errno;
        /* Before it is locked, another process may take it for abandoned. */
        if (!error && (pv_file_lock(file->fd) == EWOULDBLOCK ||
                       (fstat(file->fd, &info) == 0 && info.st_nlink == 0))) {
            close(file->fd);
            file->fd = -1;
            error = EEXIST;
        }
        if (error) {
            free(file->name);
            file->name = NULL;
        }
    }
    return error;
}

static int create(pv_new_file *file)
{
    if (access(file->folder, W_OK | X_OK) != 0 && errno != EROFS)
        return errno;
    file->fd = pv_nameless_open(file->folder);
    if (file->fd >= 0 && !pv_nameless_can_be_named(file->fd)) {
        close(file->fd);
        file->fd = -1;
        errno = EOPNOTSUPP;
    }
    if (file->fd >= 0) {
        pv_file_lock(file->fd);
        return 0;
    }
    return errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL ? create_named(file) : errno;
}

int pv_new_file_open(pv_new_file *file, const char *path, const char **why)
{
    struct stat info;
    size_t length = strlen(path);
    *file = (pv_new_file){.fd = -1};
    *why = NULL;
    if (length == 0)
        return ENOENT;
    bool exists = stat(path, &info) == 0;
    int error = exists ? 0 : errno, descriptor = -1;
    if (error && error != ENOENT)
        return error; /* what would be replaced is not known */
    if (exists && S_ISDIR(info.st_mode))
        *why = "is a folder; give the name of a file to write inside it";
    else if (exists && !S_ISREG(info.st_mode))
        *why = "is not a regular file; the result can only be written to a file";
    else if (path[length - 1] == '/')
        *why = "names a folder; give the name of a file";
    if (*why)
        return EINVAL;
    file->target = follow(path, &descriptor);
    error = file->target ? 0 : errno;
    if (descriptor >= 0)
        *why = "names an open file, which cannot be replaced; give the name of a file";
    else if (error == EACCES)
        *why = "is a symbolic link of another user in a folder in which everyone may create files; "
               "remove it or choose another name";
    file->folder = file->target ? pv_folder_of(file->target) : NULL;
    if (!error)
        error = *why ? EINVAL : !file->folder ? ENOMEM : create(file);
    if (error)
        pv_new_file_drop(file);
    return error;
}

static void remove_name(pv_new_file *file)
{
    if (file->name)
        unlink(file->name);
    free(file->name);
    file->name = NULL;
}

void pv_new_file_drop(pv_new_file *file)
{
    remove_name(file);
    if (file->fd >= 0)
        close(file->fd);
    free(file->folder);
    free(file->target);
    *file = (pv_new_file){.fd = -1};
}

/* ---- Placing ---------------------------------------------------------------------------------- */

static int sync_data(const pv_new_file *file)
{
    int error = fsync(file->fd) == 0 ? 0 : errno;
    return error == EINVAL || error == EROFS ? 0 : error; /* the file system cannot sync */
}

static void sync_folder_at(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder); /* some file systems cannot; the files themselves are safe already */
    close(folder);
}

static void sync_folder(const pv_new_file *file)
{
    sync_folder_at(file->folder);
}

int pv_new_folder(const char *path)
{
    char *parent = NULL;
    if (mkdir(path, 0777) != 0)
        return errno;
    if (pv_asprintf(&parent, "%s/..", path) < 0)
        return 0;
    sync_folder_at(parent);
    free(parent);
    return 0;
}

/* Gives the file a name that must not exist. Returns 0 or an errno value. */
static int name_it(pv_new_file *file, const char *name)
{
    if (!file->name)
        return pv_nameless_name(file->fd, name) == 0 ? 0 : errno;
    if (link(file->name, name) == 0) {
        unlink(file->name);
        return 0;
    }
    /* Without hard links */
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK)
        return access(name, F_OK) == 0 ? EEXIST : rename(file->name, name) == 0 ? 0 : errno;
    return errno;
}

/* Frees the name if a killed process left it, or else waits for the process that uses it. */
static int clear_name(const char *name)
{
    int error = EWOULDBLOCK;
    for (int waits = 0; error == EWOULDBLOCK && waits < WAITS; waits++) {
        error = sweep(name, true);
        if (error == EWOULDBLOCK)
            wait_a_moment();
    }
    return error == EWOULDBLOCK ? EBUSY : error;
}

/* Calls it .NAME.psdvec-new, or by a number if that name is taken by something else. */
static int name_new(pv_new_file *file)
{
    int error = EEXIST;
    char suffix[16] = "new";
    for (unsigned k = 0; k < NAMES && error == EEXIST; k++) {
        char *name = beside(file->target, suffix);
        if (!name)
            return ENOMEM;
        int cleared = 0;
        while ((error = name_it(file, name)) == EEXIST && k == 0 && !cleared)
            cleared = clear_name(name);
        if (cleared == EBUSY)
            error = EBUSY;
        if (!error) {
            free(file->name);
            file->name = name;
            return 0;
        }
        free(name);
        snprintf(suffix, sizeof suffix, "%u", k);
    }
    return error;
}

static int move(pv_new_file *file)
{
    if (rename(file->name, file->target) != 0)
        return errno;
    free(file->name);
    file->name = NULL;
    return 0;
}

static int place_one(pv_new_file *file, bool sync)
{
    int error = 0;
    if (file->name || pv_nameless_name(file->fd, file->target) != 0) {
        error = file->name ? 0 : errno;
        if (error == EEXIST)
            error = name_new(file);
        if (!error)
            error = move(file);
    }
    if (!error && sync)
        sync_folder(file);
    return error;
}

/* An old file of a set, under another name until the set is replaced. */
typedef struct aside {
    char *name;
    bool holds; /* there was a file, and it has this name now */
} aside;

static int set_aside(const pv_new_file *file, aside *old)
{
    struct stat info;
    if (lstat(file->target, &info) == 0 && !S_ISREG(info.st_mode))
        return S_ISDIR(info.st_mode) ? EISDIR : EEXIST; /* appeared after the new file was opened */
    old->name = beside(file->target, "old");
    if (!old->name)
        return ENOMEM;
    old->holds = rename(file->target, old->name) == 0;
    if (old->holds)
        return 0;
    if (errno != ENOENT)
        return errno;
    unlink(old->name); /* of a killed process */
    return 0;
}

static void restore(const char *old, const char *target)
{
    if (rename(old, target) == 0)
        return;
    /* Something keeps renames from working. */
    unlink(target);
    if (link(old, target) == 0)
        unlink(old);
}

/* Undoes what replace_set did, in reverse order, so that the first file comes back last. */
static void put_back(pv_new_file *const *files, size_t count, const aside *old)
{
    for (size_t k = count; k-- > 0;)
        if (old[k].holds)
            restore(old[k].name, files[k]->target);
        else if (old[k].name && !files[k]->name)
            unlink(files[k]->target); /* a new file where there was none */
}

/* Replaces the others while the first is missing. */
static int replace_set(pv_new_file *const *files, size_t count, aside *old, bool sync,
                       size_t *failed)
{
    int error;
    for (*failed = 0; *failed < count; ++*failed) {
        if ((error = set_aside(files[*failed], &old[*failed])))
            return error;
        if (*failed == 0 && sync)
            sync_folder(files[0]);
    }
    for (*failed = 1; *failed < count; ++*failed)
        if ((error = move(files[*failed])))
            return error;
    for (size_t k = 1; k < count && sync; k++)
        sync_folder(files[k]);
    *failed = 0;
    error = move(files[0]);
    if (!error && sync)
        sync_folder(files[0]);
    return error;
}

static int place_set(pv_new_file *const *files, size_t count, bool sync, size_t *failed)
{
    for (*failed = 0; *failed < count; ++*failed) {
        int error = name_new(files[*failed]);
        if (error)
            return error;
    }
    *failed = 0;
    aside *old = calloc(count, sizeof *old);
    if (!old)
        return ENOMEM;
    int error = replace_set(files, count, old, sync, failed);
    if (error)
        put_back(files, count, old);
    for (size_t k = 0; k < count; k++) {
        if (!error && old[k].holds)
            unlink(old[k].name);
        free(old[k].name);
    }
    free(old);
    return error;
}

int pv_new_files_place(pv_new_file *const *files, size_t count, bool sync, size_t *failed)
{
    if (count == 0)
        return 0;
    for (*failed = 0; sync && *failed < count; ++*failed) {
        int error = sync_data(files[*failed]);
        if (error)
            return error;
    }
    *failed = 0;
    int error = count == 1 ? place_one(files[0], sync) : place_set(files, count, sync, failed);
    for (size_t k = 0; k < count; k++)
        if (!error)
            sweep_beside(files[k]->target, "new");
        else
            remove_name(files[k]);
    return error;
}
