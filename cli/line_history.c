/* The history file: one line of UTF-8 text per line that was typed, the oldest first.
 *
 * Each line is appended with one write as soon as it is entered, so that a session that is killed
 * loses nothing and sessions that run at the same time share one file. The file is shortened when a
 * session starts, by a new file that replaces it. */
#include "line_history.h"

#include "memory.h"
#include "system.h"
#include "util/new_file.h"
#include "word_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longer lines are not saved; a file larger than all of them together is not read. */
#define LINE_BYTES ((size_t)4096)
#define FILE_BYTES (2 * HISTORY_LINES * LINE_BYTES)

char *line_history_path(void)
{
    const char *state = system_variable("XDG_STATE_HOME"), *home = system_variable("HOME");
    if (state && *state == '/') /* the XDG specification requires that relative paths are ignored */
        return must_format("%s/psdvec/history", state);
    return home && *home == '/' ? must_format("%s/.local/state/psdvec/history", home) : NULL;
}

static bool is_regular(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Replaces the file by these bytes, if all of them can be written. */
static void replace(const char *path, const char *bytes, size_t length)
{
    pv_new_file file;
    const char *why;
    size_t failed;
    if (pv_new_file_open(&file, path, &why) != 0)
        return;
    if (fchmod(file.fd, 0600) == 0 && write(file.fd, bytes, length) == (ssize_t)length)
        pv_new_files_place((pv_new_file *[]){&file}, 1, false, &failed);
    pv_new_file_drop(&file);
}

void line_history_load(const char *path, void (*take)(void *host, const char *line), void *host)
{
    struct stat status;
    size_t length, lines = 0;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || (size_t)status.st_size > FILE_BYTES)
        return;
    char *text = read_whole(path, FILE_BYTES, &length);
    if (!text)
        return;
    for (size_t k = 0; k < length; k++)
        lines += text[k] == '\n';
    char *at = text, *end = text + length, *next;
    for (size_t drop = lines > HISTORY_LINES ? lines - HISTORY_LINES : 0; drop > 0; drop--)
        at = (char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    if (lines >= 2 * HISTORY_LINES && is_regular(path))
        replace(path, at, (size_t)(end - at));
    for (; at < end && (next = memchr(at, '\n', (size_t)(end - at))); at = next + 1) {
        *next = '\0';
        if (*at && strlen(at) == (size_t)(next - at))
            take(host, at);
    }
    free(text);
}

void line_history_add(const char *path, const char *line)
{
    if (strlen(line) > LINE_BYTES)
        return;
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
    int fd = open(path, flags, 0600);
    if (fd < 0 && errno == ENOENT) {
        char *folder = must_copy(path);
        for (char *slash = folder + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
            *slash = '\0';
            mkdir(folder, 0700);
        }
        free(folder);
        fd = open(path, flags, 0600);
    }
    if (fd < 0)
        return;
    char *whole = must_format("%s\n", line);
    /* Losing a line is not worth an error message. */
    ssize_t wrote = write(fd, whole, strlen(whole));
    (void)wrote;
    free(whole);
    close(fd);
}
