/* Shared by several unit tests: a separate folder for each, files in it, and a deterministic random
 * number generator. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Creates an empty folder, and removes it with its contents. Abort on failure. */
char *scratch_new(void);
void scratch_free(char *folder);

/* "folder/name"; the caller frees it. */
char *scratch_path(const char *folder, const char *name);
void scratch_write(const char *path, const void *bytes, size_t length);
/* The complete file and a zero byte; the caller frees it. NULL if there is none. */
char *scratch_read(const char *path, size_t *length);
/* The number of names in the folder, including hidden ones, without . and ... */
size_t scratch_entries(const char *folder);

/* splitmix64: the same numbers everywhere. */
typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t dice_u64(dice *d)
{
    uint64_t z = d->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* 0 .. n-1 */
static inline size_t dice_below(dice *d, size_t n)
{
    return (size_t)(dice_u64(d) % n);
}

static inline bool dice_percent(dice *d, unsigned percent)
{
    return dice_below(d, 100) < percent;
}

static inline double dice_unit(dice *d)
{
    return (double)(dice_u64(d) >> 11) * 0x1p-53;
}

#endif
