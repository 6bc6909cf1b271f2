/* Shared by all fuzzers: the entry point, checks, and a context that is made once. Files in memory
 * (memory_files.h) are made once and rewritten for every input. */
#ifndef PV_FUZZ_FUZZ_H
#define PV_FUZZ_FUZZ_H

#include "base/context.h"
#include "fuzz/memory_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* For every input, `truth` must hold. */
#define require(truth) ((truth) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #truth))

_Noreturn static inline void fuzz_failed(const char *file, int line, const char *truth)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, truth);
    abort();
}

/* A context with one thread and this many MiB. */
static inline psdvec_context *fuzz_context(unsigned mebibytes)
{
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = (uint64_t)mebibytes << 20;
    require(psdvec_context_new(&options, &ctx) == PSDVEC_OK);
    return ctx;
}

/* A copy of exactly that many bytes, so that the sanitizer detects a read beyond them. */
static inline char *fuzz_exact(const void *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    require(exact != NULL);
    if (size)
        memcpy(exact, data, size);
    return exact;
}

/* A copy with a zero byte at its end. */
static inline char *fuzz_text(const void *data, size_t size)
{
    char *text = malloc(size + 1);
    require(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* A path for output that the library creates and the fuzzer removes, in memory where possible. */
static inline void fuzz_output_path(char path[64])
{
    bool fast = access("/dev/shm", W_OK) == 0;
    snprintf(path, 64, "%s/psdvec-fuzz-%ld", fast ? "/dev/shm" : "/tmp", (long)getpid());
}

#endif
