/* Calls that take memory or start threads. */
#include "inject.h"

#ifdef __GLIBC__

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* While dlsym() looks for the real functions, it may itself allocate. */
static char spare[1 << 16] __attribute__((aligned(64)));
static atomic_size_t spare_used;
static __thread volatile bool looking __attribute__((tls_model("initial-exec")));

static void *take_spare(size_t size)
{
    size_t at = atomic_fetch_add(&spare_used, (size + 63) / 64 * 64);
    return at + size <= sizeof spare ? spare + at : NULL;
}

static bool is_spare(const void *block)
{
    return (const char *)block >= spare && (const char *)block < spare + sizeof spare;
}

#define NEXT_MEMORY(name, instead)                                                                 \
    static __typeof__(&(name)) next;                                                               \
    if (!next) {                                                                                   \
        if (looking)                                                                               \
            return instead;                                                                        \
        looking = true;                                                                            \
        *(void **)&next = next_symbol(#name);                                                      \
        looking = false;                                                                           \
    }

EXPORTED void *malloc(size_t size)
{
    NEXT_MEMORY(malloc, take_spare(size));
    return strikes(ALLOC) ? NULL : next(size);
}

EXPORTED void *calloc(size_t count, size_t size)
{
    NEXT_MEMORY(calloc, take_spare(count * size));
    return strikes(ALLOC) ? NULL : next(count, size);
}

EXPORTED void *realloc(void *block, size_t size)
{
    NEXT_MEMORY(realloc, NULL);
    if (is_spare(block)) {
        void *moved = malloc(size);
        if (moved)
            memcpy(moved, block,
                   size < (size_t)(spare + sizeof spare - (char *)block)
                       ? size
                       : (size_t)(spare + sizeof spare - (char *)block));
        return moved;
    }
    return strikes(ALLOC) ? NULL : next(block, size);
}

EXPORTED void *reallocarray(void *block, size_t count, size_t size)
{
    NEXT_MEMORY(reallocarray, NULL);
    return strikes(ALLOC) ? NULL : next(block, count, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    NEXT_MEMORY(aligned_alloc, NULL);
    return strikes(ALLOC) ? NULL : next(alignment, size);
}

EXPORTED void *memalign(size_t alignment, size_t size)
{
    NEXT_MEMORY(aligned_alloc, NULL);
    return strikes(ALLOC) ? NULL : next(alignment, size);
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t size)
{
    NEXT_MEMORY(posix_memalign, ENOMEM);
    return strikes(ALLOC) ? ENOMEM : next(block, alignment, size);
}

EXPORTED void free(void *block)
{
    static void (*next)(void *);
    if (is_spare(block))
        return;
    if (!next) {
        if (looking)
            return;
        looking = true;
        *(void **)&next = next_symbol("free");
        looking = false;
    }
    next(block);
}

/* The sanitizer's strdup() does not call malloc(). */
EXPORTED char *strdup(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);
    return copy ? memcpy(copy, text, length) : NULL;
}

EXPORTED char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

EXPORTED void *mmap(void *where, size_t size, int protection, int flags, int fd, off_t offset)
{
    NEXT(mmap);
    if (strikes(MAP))
        return MAP_FAILED;
    if ((flags & MAP_SHARED) && (protection & PROT_WRITE))
        atomic_store(&shares_memory, true);
    return next(where, size, protection, flags, fd, offset);
}

EXPORTED void *mmap64(void *where, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return mmap(where, size, protection, flags, fd, offset);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*start)(void *), void *argument)
{
    NEXT(pthread_create);
    return strikes(THREAD) ? wish.error : next(thread, attributes, start, argument);
}

#endif
