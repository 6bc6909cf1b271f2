/* The memory that the decompression of a zstd or xz file needs.
 *
 * A file may consist of several frames (zstd) or streams and blocks (xz), and each declares its own
 * window (zstd) or dictionary (xz). libarchive decompresses them without a memory limit, so every
 * header is inspected before libarchive sees it. Only the structure is followed; nothing is
 * decompressed.
 */
#ifndef PV_CORPUS_FRAMES_H
#define PV_CORPUS_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pv_frames {
    bool (*step)(struct pv_frames *frames); /* handles an element; false: damaged */
    unsigned char head[1024];               /* the start of the element */
    size_t have, need;                      /* bytes in `head`, and bytes that `step` requires */
    uint64_t skip;                          /* bytes to pass over before the next element */
    uint64_t memory;                        /* the largest window or dictionary so far */

    unsigned check;           /* bytes of the checksum after a frame or block */
    uint64_t length;          /* bytes of the current xz block or index */
    uint64_t number, numbers; /* of the xz index: the one being read, and how many are left */
    unsigned shift;
    bool counted; /* `numbers` is known */
} pv_frames;

void pv_frames_zstd(pv_frames *frames);
void pv_frames_xz(pv_frames *frames);

/* Inspects the next bytes of the file and updates `memory`. False: the structure is damaged. */
bool pv_frames_feed(pv_frames *frames, const void *bytes, size_t length);

#endif
