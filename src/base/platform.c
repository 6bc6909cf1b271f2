/* System features beyond POSIX on Linux, the BSDs and macOS, with POSIX fallbacks. */
#if !defined(PV_PORTABLE) || !PV_PORTABLE
#define _GNU_SOURCE 1
#define _DARWIN_C_SOURCE 1
#define __BSD_VISIBLE 1
#endif

#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if !PV_PORTABLE && defined(__linux__)
#define ON_LINUX 1
#else
#define ON_LINUX 0
#endif

/* ---- The machine ---------------------------------------------------------------------------- */

int pv_usable_cores(void)
{
#if ON_LINUX
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
#ifdef _SC_NPROCESSORS_ONLN
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online > 0)
        return (int)online;
#endif
    return 1;
}

size_t pv_page_size(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 65536;
}

uint64_t pv_platform_memory(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES);
    if (pages > 0)
        return (uint64_t)pages * pv_page_size();
#endif
    return 0;
}

/* The number in a kernel file; UINT64_MAX if it has none ("max"). */
static uint64_t read_limit(const char *path)
{
    uint64_t limit;
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    /* The kernel writes a number that fits, or a word. NOLINTNEXTLINE(cert-err34-c) */
    if (fscanf(file, "%" SCNu64, &limit) != 1)
        limit = UINT64_MAX;
    (void)fclose(file);
    return limit;
}

uint64_t psdvec_machine_memory(void)
{
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    uint64_t memory = pv_platform_memory();
    if (memory == 0)
        memory = UINT64_C(2) << 30;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        uint64_t limit = read_limit(limits[i]);
        if (limit > 0 && limit < memory)
            memory = limit;
    }
    return memory;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

#if !PV_PORTABLE && defined(MAP_ANONYMOUS)

enum { HUGE_PAGE = 2 << 20 };

/* Random access to large arrays is limited by address translation, so huge pages are used. They are
 * requested only for the part of the block that fills them completely: the last one must not hold
 * memory that the budget does not count. */
void *pv_pages_take(size_t size)
{
    if (size > SIZE_MAX - HUGE_PAGE)
        return NULL;
    char *raw =
        mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    size_t lead = (HUGE_PAGE - (uintptr_t)raw % HUGE_PAGE) % HUGE_PAGE;
    if (lead)
        munmap(raw, lead);
    munmap(raw + lead + size, HUGE_PAGE - lead);
#ifdef MADV_HUGEPAGE
    madvise(raw + lead, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return raw + lead;
}

void pv_pages_give(void *pages, size_t size)
{
    munmap(pages, size);
}

#else

void *pv_pages_take(size_t size)
{
    void *pages = NULL;
    if (posix_memalign(&pages, pv_page_size(), size) != 0)
        return NULL;
    return memset(pages, 0, size);
}

void pv_pages_give(void *pages, size_t size)
{
    (void)size;
    free(pages);
}

#endif

/* ---- Files ----------------------------------------------------------------------------------- */

void pv_hint_written(int fd)
{
#if ON_LINUX
    sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd;
#endif
}

void pv_hint_sequential(int fd)
{
#if !PV_PORTABLE && defined(POSIX_FADV_SEQUENTIAL)
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#else
    (void)fd;
#endif
}

int pv_file_reserve(int fd, uint64_t bytes)
{
#if ON_LINUX
    return posix_fallocate(fd, 0, (off_t)bytes);
#else
    static const char zeros[1 << 16];
    for (uint64_t at = 0; at < bytes;) {
        uint64_t left = bytes - at;
        ssize_t done =
            pwrite(fd, zeros, left < sizeof zeros ? (size_t)left : sizeof zeros, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done == 0 ? ENOSPC : errno;
        at += (uint64_t)done;
    }
    return 0;
#endif
}

int64_t pv_file_changed(const struct stat *info)
{
#if defined(__APPLE__)
    struct timespec changed = info->st_mtimespec;
#else
    struct timespec changed = info->st_mtim;
#endif
    return (int64_t)changed.tv_sec * INT64_C(1000000000) + changed.tv_nsec;
}

/* ---- What the C library may lack ------------------------------------------------------------- */

#if ON_LINUX

char *pv_find_last(const char *text, char byte, size_t length)
{
    return memrchr(text, byte, length);
}

char *pv_find_bytes(const char *text, size_t length, const char *what, size_t what_length)
{
    return memmem(text, length, what, what_length);
}

void pv_sort_small(void *array, size_t count, size_t size,
                   int (*compare)(const void *, const void *, void *), void *arg)
{
    qsort_r(array, count, size, compare, arg);
}

double pv_log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

#else

char *pv_find_last(const char *text, char byte, size_t length)
{
    while (length > 0)
        if (text[--length] == byte)
            return (char *)text + length;
    return NULL;
}

char *pv_find_bytes(const char *text, size_t length, const char *what, size_t what_length)
{
    if (what_length == 0)
        return (char *)text;
    while (length >= what_length) {
        const char *at = memchr(text, what[0], length - what_length + 1);
        if (!at || memcmp(at, what, what_length) == 0)
            return (char *)at;
        length -= (size_t)(at + 1 - text);
        text = at + 1;
    }
    return NULL;
}

static void swap_bytes(char *a, char *b, size_t size)
{
    for (; size > 0; size--, a++, b++) {
        char t = *a;
        *a = *b;
        *b = t;
    }
}

/* Heapsort: no input is slow, and no memory is needed. */
void pv_sort_small(void *array, size_t count, size_t size,
                   int (*compare)(const void *, const void *, void *), void *arg)
{
    char *at = array;
    for (size_t begin = count / 2, end = count; end > 1;) {
        if (begin > 0)
            begin--; /* the heap is still being built */
        else
            swap_bytes(at, at + --end * size, size); /* the largest element is in place */
        for (size_t parent = begin, child; (child = 2 * parent + 1) < end; parent = child) {
            if (child + 1 < end && compare(at + child * size, at + (child + 1) * size, arg) < 0)
                child++;
            if (compare(at + parent * size, at + child * size, arg) >= 0)
                break;
            swap_bytes(at + parent * size, at + child * size, size);
        }
    }
}

/* Stirling's series, after shifting x to where it is accurate. */
double pv_log_gamma(double x)
{
    double shift = 1;
    for (; x < 12; x += 1)
        shift *= x;
    double r = 1 / (x * x);
    double series =
        (1.0 / 12 + r * (-1.0 / 360 + r * (1.0 / 1260 + r * (-1.0 / 1680 + r / 1188)))) / x;
    return (x - 0.5) * log(x) - x + 0.91893853320467274178 + series - log(shift);
}

#endif

uint64_t pv_resident_files(void)
{
#if ON_LINUX
    /* Numbers of pages: all, resident, of these in files, ... */
    char text[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    char *at = text;
    (void)strtoull(at, &at, 10);
    (void)strtoull(at, &at, 10);
    return strtoull(at, &at, 10) * pv_page_size();
#else
    return 0;
#endif
}

void pv_release_pages(void *mapping, size_t size)
{
#ifdef MADV_DONTNEED
    (void)madvise(mapping, size, MADV_DONTNEED);
#else
    (void)mapping, (void)size;
#endif
}
