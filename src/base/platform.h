/* System and processor features beyond POSIX 2008 and C, each with a fallback.
 *
 * All of src/ is compiled for POSIX 2008 with the X/Open extensions; only platform.c and
 * util/system_file.c enable further features of the system, so a call that is not portable does not
 * compile anywhere else.
 * With make PORTABLE=1 only the fallbacks and the plain kernels are compiled, so that
 * they can be tested on any system.
 */
#ifndef PV_BASE_PLATFORM_H
#define PV_BASE_PLATFORM_H

#include "util/compiler.h"
#include "util/system_file.h"

#include <psdvec/psdvec.h>

struct stat;

/* ---- The machine -------------------------------------------------------------------------- */
/* Processors this process may run on, at least 1; bytes of memory, or 0 if unknown; bytes per
 * page. */
int pv_usable_cores(void);
uint64_t pv_platform_memory(void);
size_t pv_page_size(void);

/* ---- Memory ------------------------------------------------------------------------------- */
/* Maps zeroed pages, aligned for huge pages where the system has them; NULL if the system refuses.
 * `size` is a multiple of the page size, also when the pages are returned. */
void *pv_pages_take(size_t size);
void pv_pages_give(void *pages, size_t size);

/* ---- Files -------------------------------------------------------------------------------- */
/* Hints: data written so far may be flushed to disk now; the file will be read sequentially to its
 * end. */
void pv_hint_written(int fd);
void pv_hint_sequential(int fd);

/* Reserves space on the disk for the first bytes of a file. Returns 0 or an errno value. */
int pv_file_reserve(int fd, uint64_t bytes);

/* Modification time of the file, in nanoseconds. */
int64_t pv_file_changed(const struct stat *info);

/* ---- What the C library may lack ---------------------------------------------------------- */
/* Like memrchr and memmem. NULL: not found. The result is not const, as with strchr: the caller may
 * own the text. */
char *pv_find_last(const char *text, char byte, size_t length);
char *pv_find_bytes(const char *text, size_t length, const char *what, size_t what_length);

/* qsort with an argument for the comparison. Not stable: equal elements may come in any order. */
void pv_sort_small(void *array, size_t count, size_t size,
                   int (*compare)(const void *, const void *, void *), void *arg);

/* log of the gamma function, x >= 1. Unlike lgamma, it sets no global variable. */
double pv_log_gamma(double x);

/* Bytes of mapped files that are resident in this process, with those of the program; 0 if
 * unknown. */
uint64_t pv_resident_files(void);

/* Evicts the pages of a file mapping, which is read-only or shared, from the process. Does nothing
 * if the system cannot do so. */
void pv_release_pages(void *mapping, size_t size);

#endif
