/* Fuzzes the reading of files: the words of a file do not depend on the block size or on reading
 * from a pipe, or it is refused in both cases. */
#include <psdvec/psdvec.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
    if (!condition)
        abort();
}

static void mix(void *user, const char *word, size_t length)
{
    uint64_t *hash = user;
    for (size_t i = 0; i < length; i++)
        *hash = (*hash ^ (unsigned char)word[i]) * 0x100000001B3u;
    *hash = (*hash ^ (word ? 0x100 : 0x200)) * 0x100000001B3u;
}

typedef struct feed {
    const uint8_t *data;
    size_t size;
    int to;
} feed;

static void *feed_main(void *opaque)
{
    feed *f = opaque;
    for (size_t at = 0; at < f->size; at += 7)
        if (write(f->to, f->data + at, f->size - at < 7 ? f->size - at : 7) < 0)
            break;
    close(f->to);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx) {
        psdvec_context_options o;
        signal(SIGPIPE, SIG_IGN);
        psdvec_context_options_default(&o);
        o.threads = 1;
        o.memory = 256 << 20;
        demand(psdvec_context_new(&o, &ctx) == PSDVEC_OK);
    }
    if (size < 1)
        return 0;
    psdvec_text_options options;
    psdvec_text_options_default(&options);
    options.document = (psdvec_document)(data[0] % 4);
    options.strict = data[0] >> 2 & 1;
    options.encoding = data[0] >> 3 & 1 ? "utf-16" : NULL;
    data++;
    size--;

    char path[] = "/tmp/fuzz-inputs-XXXXXX";
    int file = mkstemp(path);
    demand(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0);
    uint64_t from_file = 1, from_pipe = 1;
    const char *inputs[] = {path};
    psdvec_status first = psdvec_tokenize_inputs(ctx, &options, inputs, 1, mix, &from_file);
    unlink(path);

    /* A zip file is read differently if it is not seekable, and may then be refused. */
    bool is_zip = size >= 2 && memcmp(data, "PK", 2) == 0;
    if (size < 4096 && !is_zip) {
        int ends[2], keep = dup(STDIN_FILENO);
        pthread_t thread;
        demand(keep >= 0 && pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) >= 0);
        feed f = {data, size, ends[1]};
        demand(pthread_create(&thread, NULL, feed_main, &f) == 0);
        close(ends[0]);
        const char *standard[] = {"-"};
        psdvec_status second = psdvec_tokenize_inputs(ctx, &options, standard, 1, mix, &from_pipe);
        demand(dup2(keep, STDIN_FILENO) >= 0);
        close(keep);
        pthread_join(thread, NULL);
        demand(first == second && (first != PSDVEC_OK || from_file == from_pipe));
    }
    return 0;
}
