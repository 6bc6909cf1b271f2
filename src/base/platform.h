/* What systems have beyond POSIX 2008, and what processors have beyond C, each with a fallback.
 *
 * All of src/ is compiled for POSIX 2008 with the X/Open extensions and nothing more; only
 * platform.c asks the system for what it has besides. So a call that is not portable does not
 * compile anywhere else. With PV_PORTABLE (make PORTABLE=1) the fallbacks are compiled even where
 * the system has more, and of the kernels only the plain ones: so that they can be tested.
 */
#ifndef PV_BASE_PLATFORM_H
#define PV_BASE_PLATFORM_H

#include "util/compiler.h"

#include <psdvec/psdvec.h>

struct stat;

/* ---- The machine -------------------------------------------------------------------------- */
/* Processors this process may run on, at least 1; bytes of memory, or 0 if the system does not
 * tell; bytes of a page. */
int pv_usable_cores(void);
uint64_t pv_platform_memory(void);
size_t pv_page_size(void);

/* ---- Memory ------------------------------------------------------------------------------- */
/* Whole pages of zeros, straight from the system, aligned so that huge pages serve where there
 * are some; NULL if it refuses. `size` is a multiple of the page's, also to give them back. */
void *pv_pages_take(size_t size);
void pv_pages_give(void *pages, size_t size);

/* ---- Files -------------------------------------------------------------------------------- */
/* Hints: what was written so far may go to the disk now; the file will be read to its end. */
void pv_hint_written(int fd);
void pv_hint_sequential(int fd);

/* Reserves space on the disk for the first bytes of a file. 0, or the number of an error. */
int pv_file_reserve(int fd, uint64_t bytes);

/* A file without a name in the folder, for reading and writing; and a name for it, which must be
 * new. -1 and errno, EOPNOTSUPP if the system has no such thing or could not name it later. */
int pv_nameless_open(const char *folder);
int pv_nameless_name(int fd, const char *name);
/* Whether pv_nameless_name can work. */
bool pv_nameless_can_be_named(int fd);

/* Locks the file against other processes, and where the system can against other descriptors of
 * this one. 0, or the number of an error: EWOULDBLOCK if it is locked. */
int pv_file_lock(int fd);

/* When the file was changed, in nanoseconds. */
int64_t pv_file_changed(const struct stat *info);

/* ---- What the C library may lack ---------------------------------------------------------- */
/* The last such byte; the first place where these bytes are. NULL: there is none. Not const, as
 * with strchr: the text may be the caller's to change. */
char *pv_find_last(const char *text, char byte, size_t length);
char *pv_find_bytes(const char *text, size_t length, const char *what, size_t what_length);

/* qsort with an argument for the comparison. What compares equal may come in any order. */
void pv_sort_small(void *array, size_t count, size_t size,
                   int (*compare)(const void *, const void *, void *), void *arg);

/* log of the gamma function, x >= 1. Unlike lgamma it has no global variable. */
double pv_log_gamma(double x);

/* Takes the pages of a file mapping that is never written to out of the memory of the process. If
 * the system cannot, they stay. */
void pv_release_pages(void *mapping, size_t size);

#endif
