/* Safetensors files in memory, made by the writer or byte by byte, and a context to read them with.
 * For the setup and teardown of cmocka. */
#ifndef TESTS_TENSOR_FILES_H
#define TESTS_TENSOR_FILES_H

#include "base/safetensors_read.h"
#include "base/safetensors_write.h"

typedef struct tensor_bench {
    psdvec_context *ctx;
    int polls_left; /* the callback cancels after this many polls; negative: never */
    int polls;
} tensor_bench;

int tensors_open(void **state);

/* Every test must free all memory. */
int tensors_close(void **state);

/* A file in memory with random access. */
typedef struct memory_file {
    unsigned char *data;
    size_t length, capacity;
    uint64_t next;   /* offset of the next tensor bytes */
    int writes_left; /* fails afterwards; negative: never */
    psdvec_context *ctx;
} memory_file;

pv_st_sink sink_of(memory_file *m);

extern const pv_st_pair tensor_settings[2];

/* Writes two tensors with padding between them. */
void write_small(psdvec_context *ctx, memory_file *m);

/* Makes a file from a header written by hand and the bytes 0, 1, 2, ... */
void make_file(memory_file *m, const char *header, size_t data_bytes);

psdvec_status open_bytes(psdvec_context *ctx, const void *data, size_t length);

/* The header is refused with this status and a message that names the file and contains `words`. */
void assert_header_refused(void **state, const char *header, size_t data_bytes,
                           psdvec_status expected, const char *words);

void assert_header_accepted(void **state, const char *header, size_t data_bytes);

void temp_path(char path[64]);

void save_bytes(const char *path, const void *data, size_t length);

#endif
