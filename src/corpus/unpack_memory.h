/* How much memory a decompressor will take, read off the beginning of the
 * packed data, so that it can be counted into the budget: a zstd window or an
 * xz dictionary may exceed everything else.
 */
#ifndef PV_CORPUS_UNPACK_MEMORY_H
#define PV_CORPUS_UNPACK_MEMORY_H

#include <stddef.h>
#include <stdint.h>

uint64_t pv_unpack_memory(const char *start, size_t length);

#endif
