/* Support code for the private copy of OpenBLAS.
 *
 * scripts/private-blas.sh links this file with the members of the serial static libopenblas.a that
 * we use and makes every symbol except the entry points local. The copy starts no threads and
 * registers no fork handlers.
 *
 * Its only mutable state, after a constructor has chosen the kernels, is a table of work buffers.
 * Serial builds such as Debian's search that table without a lock, so two threads can get the same
 * buffer and compute a wrong product; a request for more buffers than the table has corrupts it; and
 * if the system refuses memory for a buffer, OpenBLAS asks again for ever. Therefore the linker's
 * --wrap option redirects every request for a buffer to the functions below, which keep the buffers
 * themselves. If the system refuses another buffer, the request waits until a thread returns one;
 * pv_blas_reserve() makes sure, before the first request, that there is at least one.
 *
 * No call of OpenBLAS holds two buffers.
 */
#include "base/blas.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *__real_blas_memory_alloc(int position);
void *__wrap_blas_memory_alloc(int position);
void __wrap_blas_memory_free(void *buffer);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *address, size_t size);
int __wrap_munmap(void *address, size_t size);

/* A buffer that is not in use. */
typedef struct spare {
    struct spare *next;
} spare;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER;
static spare *spares;
static size_t buffers; /* spare and in use */

/* How OpenBLAS maps a buffer; size 0: not known yet. */
static struct {
    size_t size;
    int protection, flags, fd;
} request;

/* The address that OpenBLAS gets instead of its only mapping. It is never accessed, and it is odd,
 * so that system calls reject it. */
static char nowhere[2] __attribute__((aligned(2)));

/* In the copy of OpenBLAS, only the allocation of buffers calls mmap and munmap. */
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    (void)address;
    (void)offset;
    request.size = size;
    request.protection = protection;
    request.flags = flags;
    request.fd = fd;
    return nowhere + 1;
}

int __wrap_munmap(void *address, size_t size)
{
    (void)address;
    (void)size;
    return 0;
}

/* Maps a buffer; NULL if the system refuses. The size is known only to OpenBLAS, so the first call
 * lets it request a buffer, which also initialises its tables. */
static spare *map_buffer(void)
{
    if (request.size == 0)
        __real_blas_memory_alloc(0);
    void *buffer =
        __real_mmap(NULL, request.size, request.protection, request.flags, request.fd, 0);
    if (buffer == MAP_FAILED)
        return NULL;
    buffers++;
    return buffer;
}

size_t pv_blas_reserve(void)
{
    pthread_mutex_lock(&lock);
    if (buffers == 0) {
        spares = map_buffer();
        if (spares)
            spares->next = NULL;
    }
    size_t missing = buffers == 0 ? request.size : 0;
    pthread_mutex_unlock(&lock);
    return missing;
}

void *__wrap_blas_memory_alloc(int position)
{
    (void)position;
    pthread_mutex_lock(&lock);
    spare *buffer = NULL;
    while (!buffer) {
        buffer = spares;
        if (buffer)
            spares = buffer->next;
        else
            buffer = map_buffer();
        if (!buffer && buffers == 0)
            abort(); /* pv_blas_reserve was not called, or its result was ignored */
        if (!buffer)
            pthread_cond_wait(&returned, &lock);
    }
    pthread_mutex_unlock(&lock);
    return buffer;
}

void __wrap_blas_memory_free(void *buffer)
{
    spare *freed = buffer;
    pthread_mutex_lock(&lock);
    freed->next = spares;
    spares = freed;
    pthread_cond_signal(&returned);
    pthread_mutex_unlock(&lock);
}

/* When the library is unloaded. */
__attribute__((destructor)) static void unmap_spares(void)
{
    pthread_mutex_lock(&lock);
    while (spares) {
        spare *next = spares->next;
        __real_munmap(spares, request.size);
        spares = next;
        buffers--;
    }
    pthread_mutex_unlock(&lock);
}

/* OpenBLAS has kernels for each kind of processor, and they round differently. On every x86
 * processor with AVX2 and FMA the copy uses those for Haswell, so that a model does not depend on
 * which of these processors trained it. OPENBLAS_CORETYPE, the variable of OpenBLAS, overrides
 * this. */
char *__real_getenv(const char *name);
char *__wrap_getenv(const char *name);
char *__wrap_getenv(const char *name)
{
    char *value = __real_getenv(name);
#if defined(__x86_64__) && defined(__GNUC__)
    static char haswell[] = "Haswell";
    if (!value && !strcmp(name, "OPENBLAS_CORETYPE")) {
        __builtin_cpu_init(); /* this runs in a constructor */
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            value = haswell;
    }
#endif
    return value;
}

/* Replaces the kernels for complex numbers, which are left out, in the tables of OpenBLAS. No
 * function in the copy calls one. */
void pv_blas_left_out(void);
void pv_blas_left_out(void)
{
    abort();
}

/* The only function of the Fortran runtime that LAPACK's eigensolver uses: a // b, padded with
 * blanks or truncated to the size of the result. Defining it here avoids a dependency on
 * libgfortran. */
void _gfortran_concat_string(size_t size, char *result, size_t a_length, const char *a,
                             size_t b_length, const char *b);
void _gfortran_concat_string(size_t size, char *result, size_t a_length, const char *a,
                             size_t b_length, const char *b)
{
    if (a_length > size)
        a_length = size;
    if (b_length > size - a_length)
        b_length = size - a_length;
    memcpy(result, a, a_length);
    memcpy(result + a_length, b, b_length);
    memset(result + a_length + b_length, ' ', size - a_length - b_length);
}
