/* Windows of the formats, by their specifications. */
#include "corpus/unpack_memory.h"

#include <string.h>

enum { SMALL_WINDOW = 1 << 20, BZIP2_BLOCKS = 8 << 20, LZ4_BLOCKS = 9 << 20 };

/* RFC 8878, 3.1.1.1: the frame's window, or its content if that is smaller. */
static uint64_t zstd_window(const unsigned char *frame, size_t length)
{
    if (length < 10)
        return SMALL_WINDOW;
    unsigned descriptor = frame[4];
    if (descriptor & 0x20) { /* one segment: no window, the content is it */
        static const unsigned dictionary_bytes[] = {0, 1, 2, 4};
        static const unsigned size_bytes[] = {1, 2, 4, 8};
        size_t at = 5 + dictionary_bytes[descriptor & 3];
        unsigned bytes = size_bytes[descriptor >> 6];
        uint64_t size = 0;
        if (at + bytes > length)
            return SMALL_WINDOW;
        for (unsigned i = 0; i < bytes; i++)
            size |= (uint64_t)frame[at + i] << 8 * i;
        return size;
    }
    unsigned exponent = frame[5] >> 3, mantissa = frame[5] & 7;
    uint64_t base = UINT64_C(1) << (10 + exponent);
    return base + base / 8 * mantissa;
}

/* The .xz format, 3.1 and 5.3.1: the dictionary of the first block's LZMA2. */
static uint64_t xz_dictionary(const unsigned char *stream, size_t length)
{
    enum { STREAM_HEADER = 12, LZMA2 = 0x21 };
    if (length < STREAM_HEADER + 16)
        return SMALL_WINDOW;
    const unsigned char *block = stream + STREAM_HEADER;
    size_t at = 2;
    for (unsigned sizes = (block[1] >> 6 & 1) + (block[1] >> 7); sizes > 0; sizes--) {
        while (at < 16 && (block[at] & 0x80))
            at++;
        at++;
    }
    for (; at + 2 < length - STREAM_HEADER && at < 64; at += 2 + block[at + 1]) {
        if (block[at] != LZMA2)
            continue;
        unsigned bits = block[at + 2] & 0x3F;
        return bits >= 40 ? UINT32_MAX : (uint64_t)(2 | (bits & 1)) << (bits / 2 + 11);
    }
    return SMALL_WINDOW;
}

uint64_t pv_unpack_memory(const char *start, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)start;
    if (length >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0)
        return zstd_window(bytes, length) + SMALL_WINDOW;
    if (length >= 6 && memcmp(bytes,
                              "\xfd"
                              "7zXZ",
                              6) == 0)
        return xz_dictionary(bytes, length) + SMALL_WINDOW;
    if (length >= 3 && memcmp(bytes, "BZh", 3) == 0)
        return BZIP2_BLOCKS;
    if (length >= 4 && memcmp(bytes, "\x04\x22\x4d\x18", 4) == 0)
        return LZ4_BLOCKS;
    return SMALL_WINDOW;
}
