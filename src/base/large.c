/* Large arrays, in memory or in a mapped file. */
#include "base/large.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static psdvec_status map_file(psdvec_context *ctx, const char *folder, const char *what,
                              pv_large *large)
{
    int fd = -1;
    PV_TRY(pv_temp_open(ctx, folder, &fd));
    /* Room is taken now: a full disk found out by a store would be a signal. */
    int error = pv_file_reserve(fd, large->bytes);
    if (error != 0) {
        close(fd);
        return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot make room for temporary data",
                             ctx->tempdir ? ctx->tempdir : folder, error);
    }
    large->data = mmap(NULL, large->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    error = errno;
    close(fd);
    if (large->data == MAP_FAILED) {
        large->data = NULL;
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "cannot map %llu bytes for %s (errno %d)",
                       (unsigned long long)large->bytes, what, error);
    }
    large->mapped = true;
    return PSDVEC_OK;
}

bool pv_large_spills(psdvec_context *ctx, uint64_t bytes, uint64_t besides)
{
    uint64_t left = pv_memory_left(ctx);
    return besides > left || bytes > left - besides;
}

psdvec_status pv_large_alloc(psdvec_context *ctx, uint64_t count, size_t size, const char *folder,
                             bool spill, const char *what, pv_large *large)
{
    *large = (pv_large){0};
    size_t bytes;
    if (count > SIZE_MAX || !pv_mul((size_t)count, size, &bytes))
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "%s would need more than all memory", what);
    large->bytes = bytes > 0 ? bytes : 1;
    if (spill)
        return map_file(ctx, folder, what, large);
    large->data = pv_alloc_zero(ctx, large->bytes, 1, what);
    return large->data ? PSDVEC_OK : pv_failure(ctx);
}

void pv_large_free(psdvec_context *ctx, pv_large *large)
{
    if (large->mapped)
        munmap(large->data, large->bytes);
    else
        pv_free(ctx, large->data);
    *large = (pv_large){0};
}
