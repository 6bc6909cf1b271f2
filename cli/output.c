/* Results, buffered and checked. */
#include "output.h"

#include "cell.h"
#include "phrase.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((size_t)1 << 18) /* more than OUTPUT_MOST by an incomplete character */

bool output_open(struct output *output, const char *path)
{
    struct stat status;
    *output = (struct output){.fd = STDOUT_FILENO, .file = {.fd = -1}};
    output->block = must_alloc(BLOCK, 1);
    if (!path)
        return true;
    int descriptor = pv_descriptor_at(path);
    output->direct = descriptor >= 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode) &&
                                         !S_ISDIR(status.st_mode));
    if (output->direct) {
        output->fd = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                                     : open(path, O_WRONLY | O_CLOEXEC);
        output->error = output->fd < 0 ? errno : 0;
    } else {
        output->error = pv_new_file_open(&output->file, path, &output->why);
        output->fd = output->file.fd;
    }
    return !output->error;
}

const char *output_error(const struct output *output)
{
    if (output->why)
        return phrase("it %s", output->why);
    return phrase("%s%s", system_error(output->error), system_remedy(output->error));
}

void output_collect(struct output *output, struct buffer *memory)
{
    output_open(output, NULL);
    output->memory = memory;
}

void output_protect(struct output *output, const struct palette *palette)
{
    output->terminal = isatty(output->fd) ? palette : NULL;
}

static void write_all(struct output *output, const char *bytes, size_t length)
{
    size_t done = 0;
    if (output->memory) {
        buffer_add(output->memory, bytes, length);
        return;
    }
    while (done < length && !output->error) {
        ssize_t wrote = write(output->fd, bytes + done, length - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR || signals_caught())
            output->error = errno;
    }
}

/* Unless `whole`, an incomplete character at the end stays in the block. */
static void flush(struct output *output, bool whole)
{
    struct buffer safe = {0};
    size_t done = output->used;
    if (output->terminal) {
        done = printed_text(&safe, output->block, output->used, "\n\t\r", output->terminal, whole);
        write_all(output, buffer_get(&safe), safe.length);
        memmove(output->block, output->block + done, output->used - done);
    } else
        write_all(output, output->block, output->used);
    output->used -= done;
    buffer_free(&safe);
}

void output_flush(struct output *output)
{
    flush(output, false);
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
    flush(output, true);
    if (output->direct && output->fd >= 0 && close(output->fd) != 0 && !output->error)
        output->error = errno;
    if (output->file.fd >= 0 && keep && !output->error) {
        size_t failed;
        output->error = pv_new_files_place((pv_new_file *[]){&output->file}, 1, true, &failed);
    }
    pv_new_file_drop(&output->file);
    free(output->block);
    output->block = NULL;
    return !output->error;
}
