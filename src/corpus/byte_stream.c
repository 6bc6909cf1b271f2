/* Streams: plain files and pipes by read(2), gzip by zlib, everything else that
 * is packed by libarchive, which also opens archives inside gzip.
 *
 *     file ─► [gunzip] ─► first bytes looked at ─► [libarchive] ─► members
 */
#include "corpus/byte_stream.h"

#include "base/memory.h"
#include "base/platform.h"
#include "corpus/gunzip.h"
#include "corpus/inputs.h"
#include "util/c_locale.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEEK = 1024, PACKED_SIZE = 256 << 10 };

struct pv_byte_stream {
    psdvec_context *ctx;
    char *path; /* as shown to people */
    int fd;
    bool owns_fd;
    bool regular; /* a file on disk, never blocks */
    bool ended;   /* the end was met */
    uint64_t consumed;

    char peek[PEEK]; /* the first bytes, read to see what the file is */
    size_t peek_length, peek_used;

    pv_gunzip *gunzip; /* NULL: not gzip */
    uint64_t claimed;  /* memory of the decompressor */

    bool started;            /* the only member of a plain file has been given */
    struct archive *archive; /* NULL: plain */
    pv_utf8_locale utf8;     /* in the C locale libarchive loses names in other letters */
    char *packed;            /* PACKED_SIZE bytes read from the file */
    char *name;              /* of the member, heap; NULL: the path */
    bool in_archive;
    const char *unpacked; /* bytes not yet taken */
    size_t unpacked_left;
};

/* Waits for a pipe without missing a request to stop. */
static psdvec_status wait_readable(pv_byte_stream *stream)
{
    if (stream->regular)
        return PSDVEC_OK;
    for (;;) {
        struct pollfd event = {.fd = stream->fd, .events = POLLIN};
        int ready = poll(&event, 1, 200);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return PSDVEC_OK;
        PV_TRY(pv_check_cancel(stream->ctx));
    }
}

static psdvec_status read_file(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    *got = 0;
    while (!stream->ended) { /* a terminal would ask again after the end */
        PV_TRY(wait_readable(stream));
        ssize_t count = read(stream->fd, bytes, capacity);
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count < 0)
            return pv_fail_errno(stream->ctx, PSDVEC_ERR_READ, "cannot read", stream->path, errno);
        *got = (size_t)count;
        stream->ended = count == 0;
        stream->consumed += (uint64_t)count;
        break;
    }
    return PSDVEC_OK;
}

/* What was looked at first, then the rest of the file. */
static psdvec_status read_packed(void *opaque, char *bytes, size_t capacity, size_t *got)
{
    pv_byte_stream *stream = opaque;
    size_t peeked = stream->peek_length - stream->peek_used;
    if (peeked == 0)
        return read_file(stream, bytes, capacity, got);
    *got = peeked < capacity ? peeked : capacity;
    memcpy(bytes, stream->peek + stream->peek_used, *got);
    stream->peek_used += *got;
    return PSDVEC_OK;
}

/* The same behind gzip, if there is any. */
static psdvec_status read_next(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    if (stream->gunzip && stream->peek_used == stream->peek_length)
        return pv_gunzip_read(stream->gunzip, bytes, capacity, got);
    return read_packed(stream, bytes, capacity, got);
}

/* Reads the first bytes: of the file, or, later, of what is behind gzip. The
 * unpacker has then taken all of the file's, which are replaced. */
static psdvec_status take_peek(pv_byte_stream *stream)
{
    char first[PEEK];
    size_t length = 0, got = 1;
    while (length < PEEK && got > 0) {
        PV_TRY(stream->gunzip ? pv_gunzip_read(stream->gunzip, first + length, PEEK - length, &got)
                              : read_file(stream, first + length, PEEK - length, &got));
        length += got;
    }
    memcpy(stream->peek, first, length);
    stream->peek_length = length;
    stream->peek_used = 0;
    return PSDVEC_OK;
}

static bool is_gzip(const pv_byte_stream *stream)
{
    return stream->peek_length >= 2 && memcmp(stream->peek, "\x1f\x8b", 2) == 0;
}

static bool looks_packed(const char *bytes, size_t length)
{
    static const struct {
        size_t offset, length;
        const char *magic;
    } magics[] = {
        {0, 3, "BZh"}, /* bzip2 */
        {0, 6,
         "\xfd"
         "7zXZ\0"},                 /* xz */
        {0, 4, "\x28\xb5\x2f\xfd"}, /* zstd */
        {0, 4, "\x04\x22\x4d\x18"}, /* lz4 */
        {0, 4, "\x02\x21\x4c\x18"}, /* lz4, legacy */
        {0, 4, "PK\x03\x04"},       /* zip */
        {0, 4, "PK\x05\x06"},       /* zip, empty */
        {257, 5, "ustar"},          /* tar */
    };
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (length >= magics[i].offset + magics[i].length &&
            memcmp(bytes + magics[i].offset, magics[i].magic, magics[i].length) == 0)
            return true;
    /* zstd's skippable frames, with which parallel compressors begin */
    return length >= 4 && ((unsigned char)bytes[0] & 0xF0) == 0x50 &&
           memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0;
}

static la_ssize_t archive_wants_bytes(struct archive *archive, void *opaque, const void **bytes)
{
    pv_byte_stream *stream = opaque;
    size_t got;
    if (read_next(stream, stream->packed, PACKED_SIZE, &got) != PSDVEC_OK) {
        archive_set_error(archive, EIO, "reading failed");
        return -1;
    }
    *bytes = stream->packed;
    return (la_ssize_t)got;
}

/* Zip directories stand at the end of the file, so zip needs to jump. */
static la_int64_t archive_wants_seek(struct archive *archive, void *opaque, la_int64_t offset,
                                     int whence)
{
    pv_byte_stream *stream = opaque;
    stream->peek_used = stream->peek_length;
    stream->ended = false;
    off_t position = lseek(stream->fd, offset, whence);
    if (position < 0) {
        archive_set_error(archive, errno, "seeking failed");
        return ARCHIVE_FATAL;
    }
    return position;
}

static psdvec_status fail_archive(pv_byte_stream *stream)
{
    const char *cause = archive_error_string(stream->archive);
    return pv_fail(stream->ctx, PSDVEC_ERR_DAMAGED,
                   "%s: cannot be unpacked after %llu bytes of it: %s; is it complete?",
                   pv_byte_stream_name(stream), (unsigned long long)stream->consumed,
                   cause ? cause : "damaged");
}

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

/* How much memory a decompressor will take, read off the beginning of the packed data, so that it
 * can be counted into the budget: a zstd window or an xz dictionary may exceed everything else. */
static uint64_t unpack_memory(const char *start, size_t length)
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

static psdvec_status open_archive(pv_byte_stream *stream)
{
    uint64_t needed = unpack_memory(stream->peek, stream->peek_length);
    PV_TRY(pv_memory_claim(stream->ctx, needed, "unpacking"));
    stream->claimed = needed;
    struct archive *a = stream->archive = archive_read_new();
    stream->packed = pv_alloc(stream->ctx, PACKED_SIZE, 1, "the reader of packed files");
    if (!a || !stream->packed)
        return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory",
                       stream->path);
    pv_utf8_open(&stream->utf8);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_filter_lz4(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_raw(a);
    archive_read_support_format_empty(a);
    archive_read_set_callback_data(a, stream);
    archive_read_set_read_callback(a, archive_wants_bytes);
    if (stream->regular && !stream->gunzip)
        archive_read_set_seek_callback(a, archive_wants_seek);
    if (archive_read_open1(a) != ARCHIVE_OK)
        return fail_archive(stream);
    return PSDVEC_OK;
}

psdvec_status pv_byte_stream_open(psdvec_context *ctx, const char *path, pv_byte_stream **out)
{
    *out = NULL;
    pv_byte_stream *stream = pv_alloc_zero(ctx, 1, sizeof *stream, "a reader");
    if (!stream)
        return pv_failure(ctx);
    stream->ctx = ctx;
    bool standard = strcmp(path, "-") == 0;
    stream->owns_fd = !standard;
    stream->path = strdup(standard ? "standard input" : path);
    stream->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    psdvec_status status = PSDVEC_OK;
    struct stat info;
    if (!stream->path)
        status = pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory", path);
    else if (stream->fd < 0 || fstat(stream->fd, &info) != 0)
        status = pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot open", path, errno);
    if (status == PSDVEC_OK) {
        stream->regular = S_ISREG(info.st_mode) && !standard;
        if (stream->regular)
            pv_hint_sequential(stream->fd);
        status = take_peek(stream);
    }
    if (status == PSDVEC_OK && is_gzip(stream)) {
        status = pv_gunzip_new(ctx, stream->path, read_packed, stream, &stream->gunzip);
        if (status == PSDVEC_OK)
            status = take_peek(stream);
    }
    if (status == PSDVEC_OK && looks_packed(stream->peek, stream->peek_length))
        status = open_archive(stream);
    if (status != PSDVEC_OK) {
        pv_byte_stream_close(stream);
        return status;
    }
    *out = stream;
    return PSDVEC_OK;
}

void pv_byte_stream_close(pv_byte_stream *stream)
{
    if (!stream)
        return;
    if (stream->archive)
        archive_read_free(stream->archive);
    pv_utf8_close(&stream->utf8);
    pv_memory_unclaim(stream->ctx, stream->claimed);
    pv_gunzip_free(stream->gunzip);
    if (stream->owns_fd && stream->fd >= 0)
        close(stream->fd);
    pv_free(stream->ctx, stream->packed);
    free(stream->name);
    free(stream->path);
    pv_free(stream->ctx, stream);
}

/* An archive may end before the gzip around it does, whose check sum is last. */
static psdvec_status check_rest(pv_byte_stream *stream)
{
    size_t got = stream->gunzip ? 1 : 0;
    while (got > 0)
        PV_TRY(pv_gunzip_read(stream->gunzip, stream->packed, PACKED_SIZE, &got));
    return PSDVEC_OK;
}

/* The next regular file of the archive that is not clutter. */
static psdvec_status next_in_archive(pv_byte_stream *stream, bool *more)
{
    for (;;) {
        struct archive_entry *entry;
        pv_utf8_begin(&stream->utf8);
        int result = archive_read_next_header(stream->archive, &entry);
        bool readable = result == ARCHIVE_OK || result == ARCHIVE_WARN;
        const char *name = readable ? archive_entry_pathname(entry) : NULL;
        pv_utf8_end(&stream->utf8);
        if (result == ARCHIVE_EOF) {
            *more = false;
            return check_rest(stream);
        }
        if (!readable)
            return fail_archive(stream);
        stream->in_archive = archive_format(stream->archive) != ARCHIVE_FORMAT_RAW;
        if (!stream->in_archive)
            return PSDVEC_OK;
        if (archive_entry_filetype(entry) != AE_IFREG || (name && pv_is_clutter(name)))
            continue;
        if (pv_asprintf(&stream->name, "%s: %s", stream->path, name ? name : "(nameless)") < 0) {
            stream->name = NULL;
            return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory",
                           stream->path);
        }
        if (archive_entry_is_encrypted(entry))
            return pv_fail(stream->ctx, PSDVEC_ERR_DAMAGED,
                           "%s: is encrypted; unpack it with its password first", stream->name);
        return PSDVEC_OK;
    }
}

psdvec_status pv_byte_stream_next_member(pv_byte_stream *stream, bool *more)
{
    free(stream->name);
    stream->name = NULL;
    stream->unpacked_left = 0;
    *more = true;
    if (stream->archive)
        return next_in_archive(stream, more);
    *more = !stream->started;
    stream->started = true;
    return PSDVEC_OK;
}

psdvec_status pv_byte_stream_read(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    *got = 0;
    if (!stream->archive)
        return read_next(stream, bytes, capacity, got);
    while (stream->unpacked_left == 0) {
        const void *unpacked;
        la_int64_t offset;
        int result =
            archive_read_data_block(stream->archive, &unpacked, &stream->unpacked_left, &offset);
        if (result == ARCHIVE_EOF)
            return PSDVEC_OK;
        if (result != ARCHIVE_OK) /* a warning here is a check sum that does not match */
            return fail_archive(stream);
        stream->unpacked = unpacked;
    }
    *got = stream->unpacked_left < capacity ? stream->unpacked_left : capacity;
    memcpy(bytes, stream->unpacked, *got);
    stream->unpacked += *got;
    stream->unpacked_left -= *got;
    return PSDVEC_OK;
}

const char *pv_byte_stream_name(const pv_byte_stream *stream)
{
    return stream->name ? stream->name : stream->path;
}

bool pv_byte_stream_in_archive(const pv_byte_stream *stream)
{
    return stream->in_archive;
}

uint64_t pv_byte_stream_consumed(const pv_byte_stream *stream)
{
    return stream->consumed;
}
