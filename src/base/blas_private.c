/* Support code for the private copy of OpenBLAS.
 *
 * scripts/private-blas.sh links this file with the members of the serial static libopenblas.a that
 * we use and makes every symbol except the entry points local. The copy starts no threads and
 * registers no fork handlers.
 *
 * Its only mutable state, after a constructor has chosen the kernels, is a table of work buffers.
 * Serial builds such as Debian's search that table without a lock, so two threads can get the same
 * buffer and compute a wrong product. Therefore the linker's --wrap option redirects every request
 * for a buffer to the functions below, which take a lock. A request for more buffers than the table
 * has would print a warning and later corrupt the table; here it waits until a buffer is returned.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The size of the table, found by the script. */
#ifndef PV_BLAS_BUFFERS
#define PV_BLAS_BUFFERS 48
#endif

void *__real_blas_memory_alloc(int position);
void __real_blas_memory_free(void *buffer);
void *__wrap_blas_memory_alloc(int position);
void __wrap_blas_memory_free(void *buffer);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER;
static int in_use;

void *__wrap_blas_memory_alloc(int position)
{
    pthread_mutex_lock(&lock);
    while (in_use >= PV_BLAS_BUFFERS)
        pthread_cond_wait(&returned, &lock);
    in_use++;
    void *buffer = __real_blas_memory_alloc(position);
    pthread_mutex_unlock(&lock);
    return buffer;
}

void __wrap_blas_memory_free(void *buffer)
{
    pthread_mutex_lock(&lock);
    __real_blas_memory_free(buffer);
    in_use--;
    pthread_cond_signal(&returned);
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
