/* Files in memory, which the library opens by their paths like any other file. */
#ifndef PV_FUZZ_MEMORY_FILES_H
#define PV_FUZZ_MEMORY_FILES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fuzz_file {
    char *data; /* size */
    size_t size;
    char path[40]; /* empty: not made yet */
} fuzz_file;

/* Replaces the content. Start from a static object, which is never freed. */
void fuzz_file_set(fuzz_file *file, const void *data, size_t size);

/* Makes standard input a pipe with the content of the file; NULL: standard input as it was. */
void fuzz_pipe_set(const fuzz_file *file);

/* Bytes that a read of a memory file or that pipe returns at most; 0: any number. */
extern size_t fuzz_most_read;

#endif
