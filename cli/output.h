/* Results: standard output, or the file of -o.
 *
 * Buffered by hand (a large block, no lock per character), and every failure
 * is kept: the command writes on without checking, and output_close() tells. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "memory.h"

#include <stdbool.h>
#include <stddef.h>

struct output {
    int fd;
    char *block;
    size_t used;
    int error;       /* errno of the first failure; 0: none */
    char *path;      /* of -o; NULL: standard output */
    char *temporary; /* written first, then renamed to path */
};

/* False with `error` set if the file cannot be made. path may be NULL. */
bool output_open(struct output *output, const char *path);
void output_add(struct output *output, const char *bytes, size_t length);
void output_text(struct output *output, const char *text);
void output_format(struct output *output, const char *format, ...) CLI_PRINTF(2, 3);
/* At least `size` bytes to write into directly; then say how many with
 * output_advance(). size is at most OUTPUT_MOST. */
#define OUTPUT_MOST ((size_t)1 << 16)
char *output_reserve(struct output *output, size_t size);
void output_advance(struct output *output, size_t length);
/* Writes what is there: to a reader who waits for it. */
void output_flush(struct output *output);
/* True once nothing more can be written: a loop may stop early. */
bool output_broken(const struct output *output);
/* Writes the rest and puts the file in its place if `keep`. False with `error`
 * set if anything failed. */
bool output_close(struct output *output, bool keep);

#endif
