/* Results: standard output, or the file of -o.
 *
 * Uses its own buffer (a large block, no lock per character) and remembers failures: commands write
 * without checking, and output_close() reports an error. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "memory.h"
#include "terminal.h"
#include "util/new_file.h"

#include <stdbool.h>
#include <stddef.h>

struct output {
    int fd;
    char *block;
    size_t used;
    int error;        /* errno of the first failure; 0: none */
    const char *why;  /* a description of it that includes the remedy; NULL: that of errno */
    bool direct;      /* fd belongs to a pipe or device of -o, which is not replaced */
    pv_new_file file; /* of -o; not open: standard output, or a direct one */
    const struct palette *terminal; /* of the terminal that shows it; NULL: it is none */
    struct buffer *memory;          /* takes what would be written to fd; NULL: none */
};

/* Returns false with `error` set if the file cannot be created. path may be NULL. A regular file is
 * replaced when the new one is complete (util/new_file.h); anything else, such as /dev/stdout or a
 * pipe, is written directly. */
bool output_open(struct output *output, const char *path);
/* Collects the output in memory instead. */
void output_collect(struct output *output, struct buffer *memory);
/* If the output goes to a terminal, from now on characters that could control it are replaced,
 * except the sequences of the palette: also in data formats, which must not change otherwise. */
void output_protect(struct output *output, const struct palette *palette);
void output_add(struct output *output, const char *bytes, size_t length);
void output_text(struct output *output, const char *text);
void output_format(struct output *output, const char *format, ...) CLI_PRINTF(2, 3);
/* Returns space for at least `size` bytes, at most OUTPUT_MOST; the caller writes to it and
 * reports the number of bytes with output_advance(). */
#define OUTPUT_MOST ((size_t)1 << 16)
char *output_reserve(struct output *output, size_t size);
void output_advance(struct output *output, size_t length);
/* Writes buffered data, for a reader that waits for it. */
void output_flush(struct output *output);
/* True if nothing more can be written, so that a loop may stop early. */
bool output_broken(const struct output *output);
/* Writes the buffered data and moves the file to its final name if `keep`. Returns false with
 * `error` set if anything failed. */
bool output_close(struct output *output, bool keep);
/* Describes the failure, with its remedy. */
const char *output_error(const struct output *output);

#endif
