/* The trace of changes of files. */
#include "inject.h"

#ifdef __GLIBC__

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A record is a line, "OPERATION INODE NUMBER LENGTH NAME", and LENGTH bytes of data. Names are
 * absolute or relative to the folder in which the program started. */
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;

bool tracing(void)
{
    return wish.trace >= 0 && !inside && atomic_load(&armed);
}

void trace(const char *operation, unsigned long inode, unsigned long number, const void *data,
           size_t length, const char *folder, const char *name)
{
    line text = {.length = 0};
    add_text(&text, operation);
    add_number(&text, inode, 10);
    add_number(&text, number, 10);
    add_number(&text, length, 10);
    add_text(&text, " ");
    if (name[0] != '/')
        add_text(&text, folder);
    add_text(&text, name);
    add_text(&text, "\n");
    pthread_mutex_lock(&trace_lock);
    syscall(SYS_write, wish.trace, text.text, text.length);
    if (length)
        syscall(SYS_write, wish.trace, data, length);
    pthread_mutex_unlock(&trace_lock);
}

unsigned long inode_of(int folder, const char *name, int flags)
{
    struct stat info;
    if (syscall(SYS_newfstatat, folder, name, &info, flags) != 0 ||
        !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
        return 0;
    return info.st_ino;
}

unsigned long inode_of_fd(int fd)
{
    return inode_of(fd, "", AT_EMPTY_PATH);
}

const char *folder_text(int folder, char text[LONGEST])
{
    char link[64];
    text[0] = '\0';
    if (folder == AT_FDCWD)
        return text;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, text, LONGEST - 2);
    if (length < 0)
        length = 0;
    text[length] = '/';
    text[length + 1] = '\0';
    return text;
}

void trace_name(const char *operation, int folder, const char *name)
{
    char text[LONGEST];
    if (tracing())
        trace(operation, inode_of(folder, name, AT_SYMLINK_NOFOLLOW), 0, NULL, 0,
              folder_text(folder, text), name);
}

void trace_data(int fd, unsigned long offset, const void *data, ssize_t length)
{
    unsigned long inode = tracing() && length > 0 ? inode_of_fd(fd) : 0;
    if (inode)
        trace("data", inode, offset, data, (size_t)length, "", "");
}

#endif
