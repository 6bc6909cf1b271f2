/* Results, buffered and checked.
 *
 * A file of -o is written under another name in the same folder and renamed when it is complete, so
 * an old file survives a failure. Anything but a regular file (/dev/stdout, a pipe) is written
 * directly. */
#include "output.h"

#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((size_t)1 << 18)

bool output_open(struct output *output, const char *path)
{
    struct stat status;
    *output = (struct output){.fd = STDOUT_FILENO};
    output->block = must_alloc(BLOCK, 1);
    if (!path)
        return true;
    output->path = must_copy(path);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        output->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        output->temporary = must_format("%s.XXXXXX", path);
        output->fd = mkostemp(output->temporary, O_CLOEXEC);
        if (output->fd >= 0) {
            mode_t mask = umask(0);
            umask(mask);
            fchmod(output->fd, 0666 & ~mask);
        } else {
            free(output->temporary);
            output->temporary = NULL;
        }
    }
    if (output->fd < 0)
        output->error = errno;
    return !output->error;
}

void output_flush(struct output *output)
{
    size_t done = 0;
    while (done < output->used && !output->error) {
        ssize_t wrote = write(output->fd, output->block + done, output->used - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR || signals_caught())
            output->error = errno;
    }
    output->used = 0;
}

char *output_reserve(struct output *output, size_t size)
{
    if (BLOCK - output->used < size)
        output_flush(output);
    return output->block + output->used;
}

void output_advance(struct output *output, size_t length)
{
    output->used += length;
}

void output_add(struct output *output, const char *bytes, size_t length)
{
    while (length) {
        size_t part = length < OUTPUT_MOST ? length : OUTPUT_MOST;
        memcpy(output_reserve(output, part), bytes, part);
        output_advance(output, part);
        bytes += part;
        length -= part;
    }
}

void output_text(struct output *output, const char *text)
{
    output_add(output, text, strlen(text));
}

void output_format(struct output *output, const char *format, ...)
{
    struct buffer buffer = {0};
    va_list list;
    va_start(list, format);
    buffer_vformat(&buffer, format, list);
    va_end(list);
    output_add(output, buffer_get(&buffer), buffer.length);
    buffer_free(&buffer);
}

bool output_broken(const struct output *output)
{
    return output->error != 0;
}

bool output_close(struct output *output, bool keep)
{
    output_flush(output);
    if (output->path && output->fd >= 0) {
        if (output->temporary && keep && !output->error && fsync(output->fd) != 0)
            output->error = errno;
        if (close(output->fd) != 0 && !output->error)
            output->error = errno;
    }
    if (output->temporary) {
        if (keep && !output->error && rename(output->temporary, output->path) != 0)
            output->error = errno;
        if (!keep || output->error)
            unlink(output->temporary);
    }
    free(output->block);
    free(output->path);
    free(output->temporary);
    output->block = output->path = output->temporary = NULL;
    return !output->error;
}
