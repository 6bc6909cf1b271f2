/* The spool. Blocks double in size from 64 KiB to 16 MiB, so that a small spool takes little memory
 * and a large one has few blocks. */
#include "base/spool.h"

#include "base/file.h"
#include "base/memory.h"
#include "util/c_locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_BLOCK = 64 << 10, LARGEST_BLOCK = 16 << 20 };

typedef struct spool_block {
    char *data;
    uint64_t begin, end; /* offsets in the spool */
} spool_block;

struct pv_spool {
    psdvec_context *ctx;
    pv_scope scope; /* of the blocks; failures are not recorded: the file is the fallback */
    char *folder;
    char *label; /* of the file, for messages */
    pthread_mutex_t lock;
    uint64_t memory_limit;
    uint64_t in_memory; /* smaller offsets are in blocks, others in the file */
    uint64_t length;
    spool_block *blocks;
    size_t block_count, block_capacity;
    bool closed_memory; /* data has gone to the file */
    int fd;
};

psdvec_status pv_spool_new(psdvec_context *ctx, const char *folder, const char *what,
                           uint64_t memory_limit, pv_spool **out)
{
    *out = NULL;
    pv_spool *spool = pv_alloc_zero(ctx, 1, sizeof *spool, what);
    if (!spool)
        return pv_failure(ctx);
    spool->ctx = spool->scope.ctx = ctx;
    spool->fd = -1;
    spool->memory_limit = memory_limit;
    pthread_mutex_init(&spool->lock, NULL);
    if (pv_asprintf(&spool->label, "%s: temporary file", ctx->tempdir ? ctx->tempdir : folder) < 0)
        spool->label = NULL;
    spool->folder = strdup(folder);
    if (!spool->folder || !spool->label) {
        pv_spool_free(spool);
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", what);
    }
    *out = spool;
    return PSDVEC_OK;
}

void pv_spool_free(pv_spool *spool)
{
    if (!spool)
        return;
    pv_scope_free(&spool->scope);
    if (spool->fd >= 0)
        close(spool->fd);
    free(spool->folder);
    free(spool->label);
    pthread_mutex_destroy(&spool->lock);
    pv_free(spool->ctx, spool);
}

/* Allocates a new block in memory; false if the data must go to the file instead. */
static bool add_block(pv_spool *spool)
{
    uint64_t size = FIRST_BLOCK;
    if (spool->block_count > 0) {
        const spool_block *last = &spool->blocks[spool->block_count - 1];
        size = 2 * (last->end - last->begin);
    }
    if (size > LARGEST_BLOCK)
        size = LARGEST_BLOCK;
    if (size > spool->memory_limit - spool->in_memory)
        size = spool->memory_limit - spool->in_memory;
    /* A spool can use its file instead of memory; most other code cannot, so leave it some. */
    if (size < 4096 || size + spool->ctx->options.memory / 8 > pv_memory_left(spool->ctx))
        return false;
    char *data;
    if (spool->block_count == spool->block_capacity)
        PV_GROW(&spool->scope, spool->blocks,
                spool->block_capacity = 2 * spool->block_capacity + 16);
    PV_TAKE(&spool->scope, data, size);
    if (!data)
        return false;
    spool->blocks[spool->block_count++] =
        (spool_block){.data = data, .begin = spool->in_memory, .end = spool->in_memory + size};
    spool->in_memory += size;
    return true;
}

psdvec_status pv_spool_append(pv_spool *spool, const void *data, size_t length, uint64_t *offset)
{
    const char *bytes = data;
    psdvec_status status = PSDVEC_OK;
    uint64_t disk_offset = 0;
    size_t to_disk = 0;

    pthread_mutex_lock(&spool->lock);
    if (offset)
        *offset = spool->length;
    while (length > 0 && !spool->closed_memory) {
        if (spool->length == spool->in_memory && !add_block(spool)) {
            /* Once the file is in use, no more data goes to memory. */
            spool->in_memory = spool->length;
            spool->closed_memory = true;
            status = pv_temp_open(spool->ctx, spool->folder, &spool->fd);
            break;
        }
        spool_block *block = &spool->blocks[spool->block_count - 1];
        size_t left = (size_t)(block->end - spool->length);
        size_t part = length < left ? length : left;
        memcpy(block->data + (spool->length - block->begin), bytes, part);
        spool->length += part;
        bytes += part;
        length -= part;
    }
    if (status == PSDVEC_OK && length > 0) {
        disk_offset = spool->length - spool->in_memory;
        to_disk = length;
        spool->length += length;
    }
    pthread_mutex_unlock(&spool->lock);

    if (to_disk > 0)
        status = pv_write_all_at(spool->ctx, spool->fd, spool->label, disk_offset, bytes, to_disk);
    return status;
}

static const spool_block *find_block(const pv_spool *spool, uint64_t offset)
{
    size_t low = 0, high = spool->block_count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (offset < spool->blocks[middle].end)
            high = middle;
        else
            low = middle + 1;
    }
    return &spool->blocks[low];
}

psdvec_status pv_spool_read(pv_spool *spool, uint64_t offset, void *data, size_t length)
{
    char *bytes = data;
    pthread_mutex_lock(&spool->lock);
    while (length > 0 && offset < spool->in_memory) {
        const spool_block *block = find_block(spool, offset);
        uint64_t end = block->end < spool->in_memory ? block->end : spool->in_memory;
        size_t part = (size_t)(end - offset);
        if (part > length)
            part = length;
        const char *source = block->data + (offset - block->begin);
        pthread_mutex_unlock(&spool->lock); /* blocks never move or change */
        memcpy(bytes, source, part);
        pthread_mutex_lock(&spool->lock);
        bytes += part;
        offset += part;
        length -= part;
    }
    uint64_t begin = spool->in_memory;
    pthread_mutex_unlock(&spool->lock);
    if (length == 0)
        return PSDVEC_OK;
    return pv_read_all_at(spool->ctx, spool->fd, spool->label, offset - begin, bytes, length);
}

uint64_t pv_spool_length(const pv_spool *spool)
{
    return spool->length;
}

uint64_t pv_spool_on_disk(const pv_spool *spool)
{
    return spool->closed_memory ? spool->length - spool->in_memory : 0;
}
