/* Following the structure of zstd and xz files: each element has a head of known length, and then
 * bytes that are passed over. */
#include "corpus/frames.h"

#include <string.h>

static uint64_t little(const unsigned char *bytes, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

/* Passes over `skip` bytes after the current element; the next one has `need` bytes or more. */
static bool go_on(pv_frames *f, uint64_t skip, bool (*step)(pv_frames *), size_t need)
{
    f->skip = skip;
    f->step = step;
    f->need = need;
    f->have = 0;
    return true;
}

/* Requires the current element to have `need` bytes in all. False: they are there already. */
static bool wants(pv_frames *f, size_t need)
{
    f->need = need;
    return f->have < need;
}

static void allow(pv_frames *f, uint64_t memory)
{
    if (f->memory < memory)
        f->memory = memory;
}

/* ---- zstd: RFC 8878, 3.1 --------------------------------------------------------------------- */

static bool zstd_frame(pv_frames *f);

static bool zstd_block(pv_frames *f)
{
    enum { RLE = 1, RESERVED = 3 };
    unsigned head = (unsigned)little(f->head, 3);
    bool last = head & 1;
    unsigned type = head >> 1 & 3;
    uint64_t size = type == RLE ? 1 : head >> 3;
    if (type == RESERVED)
        return false;
    return last ? go_on(f, size + f->check, zstd_frame, 4) : go_on(f, size, zstd_block, 3);
}

static bool zstd_frame(pv_frames *f)
{
    enum { MAGIC = 4, BASE = MAGIC + 1 };
    static const unsigned dictionary_bytes[] = {0, 1, 2, 4}, size_bytes[] = {0, 2, 4, 8};
    uint64_t magic = little(f->head, MAGIC);
    if (magic >> 4 == 0x184D2A5) { /* skippable */
        if (wants(f, MAGIC + 4))
            return true;
        return go_on(f, little(f->head + MAGIC, 4), zstd_frame, MAGIC);
    }
    if (magic != 0xFD2FB528)
        return false;
    if (wants(f, BASE))
        return true;
    unsigned descriptor = f->head[MAGIC];
    bool single = descriptor & 0x20; /* the content is the window */
    unsigned in_size = single && descriptor >> 6 == 0 ? 1 : size_bytes[descriptor >> 6];
    unsigned in_dictionary = dictionary_bytes[descriptor & 3];
    if (wants(f, BASE + !single + in_dictionary + in_size))
        return true;
    if (single) {
        allow(f, little(f->head + BASE + in_dictionary, in_size) + (in_size == 2 ? 256 : 0));
    } else {
        unsigned exponent = f->head[BASE] >> 3, mantissa = f->head[BASE] & 7;
        uint64_t base = UINT64_C(1) << (10 + exponent);
        allow(f, base + base / 8 * mantissa);
    }
    f->check = descriptor & 4 ? 4 : 0;
    return go_on(f, 0, zstd_block, 3);
}

void pv_frames_zstd(pv_frames *frames)
{
    *frames = (pv_frames){.step = zstd_frame, .need = 4};
}

/* ---- xz: the .xz file format 1.2, 2 to 4 ----------------------------------------------------- */

static bool xz_stream(pv_frames *f);
static bool xz_block(pv_frames *f);

/* The chunks of LZMA2, which every block contains. */
static bool xz_chunk(pv_frames *f)
{
    enum { END = 0, STORED = 1, STORED_TOO = 2, LZMA = 0x80, NEW_PROPERTIES = 0xC0 };
    unsigned control = f->head[0];
    if (control == END) {
        uint64_t padding = 3 - f->length % 4;
        return go_on(f, padding + f->check, xz_block, 1);
    }
    bool stored = control == STORED || control == STORED_TOO;
    if (!stored && control < LZMA)
        return false;
    size_t need = stored ? 3 : control < NEW_PROPERTIES ? 5 : 6;
    if (wants(f, need))
        return true;
    const unsigned char *size = f->head + (stored ? 1 : 3);
    uint64_t packed = ((uint64_t)size[0] << 8 | size[1]) + 1;
    f->length += need + packed;
    return go_on(f, packed, xz_chunk, 1);
}

/* Reads a number at *at of the head. False: it does not end there. */
static bool head_number(const pv_frames *f, size_t *at, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; *at < f->need && shift < 63; shift += 7) {
        unsigned char byte = f->head[(*at)++];
        *number |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* Finds the dictionary of LZMA2 among the filters of the block. */
static bool xz_filters(pv_frames *f)
{
    enum { LZMA2 = 0x21, LARGEST = 40 };
    unsigned flags = f->head[1];
    size_t at = 2;
    uint64_t id, size;
    for (unsigned sizes = (flags >> 6 & 1) + (flags >> 7); sizes > 0; sizes--)
        if (!head_number(f, &at, &size))
            return false;
    for (unsigned filters = (flags & 3) + 1; filters > 0; filters--) {
        if (!head_number(f, &at, &id) || !head_number(f, &at, &size) || size > f->need - at)
            return false;
        if (id == LZMA2) {
            unsigned bits = size == 1 ? f->head[at] : LARGEST + 1;
            if (bits > LARGEST)
                return false;
            allow(f, bits == LARGEST ? UINT32_MAX : (uint64_t)(2 | (bits & 1)) << (bits / 2 + 11));
        }
        at += size;
    }
    return id == LZMA2; /* it must be the last one */
}

/* The index has the number of blocks and then two numbers for each. */
static bool xz_index(pv_frames *f)
{
    enum { CRC = 4, FOOTER = 12 };
    unsigned char byte = f->head[0];
    if (f->shift > 56)
        return false;
    f->number |= (uint64_t)(byte & 0x7F) << f->shift;
    f->shift += 7;
    f->length++;
    if (!(byte & 0x80)) {
        if (f->counted)
            f->numbers--;
        else
            f->numbers = 2 * f->number;
        f->counted = true;
        f->number = f->shift = 0;
        if (f->numbers == 0)
            return go_on(f, (4 - f->length % 4) % 4 + CRC + FOOTER, xz_stream, 4);
    }
    return go_on(f, 0, xz_index, 1);
}

static bool xz_block(pv_frames *f)
{
    if (f->head[0] == 0) {
        f->length = 1;
        f->number = f->numbers = f->shift = 0;
        f->counted = false;
        return go_on(f, 0, xz_index, 1);
    }
    if (wants(f, 4 * ((size_t)f->head[0] + 1)))
        return true;
    if (!xz_filters(f))
        return false;
    f->length = 0;
    return go_on(f, 0, xz_chunk, 1);
}

static bool xz_stream(pv_frames *f)
{
    enum { HEADER = 12 };
    static const unsigned char checks[] = {0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64};
    if (little(f->head, 4) == 0) /* padding between streams */
        return go_on(f, 0, xz_stream, 4);
    if (wants(f, HEADER))
        return true;
    if (memcmp(f->head, "\xFD\x37zXZ", 6) != 0)
        return false;
    f->check = checks[f->head[7] & 0x0F];
    return go_on(f, 0, xz_block, 1);
}

void pv_frames_xz(pv_frames *frames)
{
    *frames = (pv_frames){.step = xz_stream, .need = 4};
}

/* ---------------------------------------------------------------------------------------------- */

bool pv_frames_feed(pv_frames *f, const void *bytes, size_t length)
{
    const unsigned char *at = bytes, *end = at + length;
    while (at < end) {
        size_t left = (size_t)(end - at);
        if (f->skip > 0) {
            size_t skipped = f->skip < left ? (size_t)f->skip : left;
            f->skip -= skipped;
            at += skipped;
            continue;
        }
        size_t missing = f->need - f->have, taken = missing < left ? missing : left;
        memcpy(f->head + f->have, at, taken);
        f->have += taken;
        at += taken;
        if (f->have == f->need && !f->step(f))
            return false;
    }
    return true;
}
