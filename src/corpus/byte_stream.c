/* Streams: plain files and pipes are read by read(2). gzip is decompressed by zlib, other formats
 * by libarchive, which also reads archives. libarchive could decompress gzip too, but it ignores
 * the checksums, so a damaged file would be counted without an error.
 *
 *     file ─► [zlib] ─► [libarchive: one decompressor] ─► [libarchive: tar or zip] ─► members
 *
 * The first bytes of each stage show what the next one is. libarchive has no memory limit, so:
 *
 * - A decompressor is chosen here and appended alone; libarchive would nest any number of them.
 *   Every header of a zstd or xz file is inspected before libarchive gets it (corpus/frames.h).
 * - Bytes that libarchive reads for the header of a member, or for the directory of a zip file,
 *   are counted against the budget, with a factor for what libarchive keeps of them.
 * - Compression methods of zip that declare how much memory they need are rejected.
 *
 * A document such as a .docx is a zip file but counts as one member; its parts are the files with
 * text. A document inside an archive is read by a second stream, whose file is the member of the
 * first. There is no third level.
 */
#include "corpus/byte_stream.h"

#include "base/memory.h"
#include "base/platform.h"
#include "corpus/file_kind.h"
#include "corpus/frames.h"
#include "corpus/inputs.h"
#include "util/c_locale.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    PEEK = 1024,
    PACKED_SIZE = 256 << 10,
    HEADER_SIZE = 16 << 10, /* bytes read at once for the header of a member */
    WITH_GZIP_HEADER = 16,
    PART_PEEK = 4096,       /* bytes of a document part that show whether it has text */
    DOCUMENT_MOST = 1 << 30 /* bytes of all parts: a larger file is a zip bomb */
};

/* Document formats that are zip files. */
typedef enum package_kind {
    PACKAGE_NONE = 0,
    PACKAGE_OFFICE, /* .docx, .xlsx, .pptx */
    PACKAGE_OPENDOCUMENT,
    PACKAGE_EPUB,
    PACKAGE_OTHER /* without text that we can read */
} package_kind;

/* Bytes that libarchive has decompressed and that are not yet read. */
typedef struct blocks {
    const char *bytes;
    size_t left;
} blocks;

struct pv_byte_stream {
    psdvec_context *ctx;
    pv_scope scope; /* of the buffers below */
    char *path;     /* for messages */
    int fd;
    bool owns_fd;
    bool regular; /* a file on disk, never blocks */
    bool ended;   /* the end was reached */
    uint64_t consumed;

    char peek[PEEK]; /* the first bytes, for detecting the format */
    size_t peek_length, peek_used;

    bool gzip; /* the file is gzip, and `z` is initialised */
    z_stream z;
    char *zipped; /* PACKED_SIZE bytes read from the file */
    bool in_gzip; /* inside a gzip member; there may be several */

    struct archive *filter; /* the decompressor, if libarchive provides it */
    char *filtered;         /* its input buffer of PACKED_SIZE bytes */
    bool filter_ended;      /* the decompressed text is empty */
    blocks from_filter;
    pv_frames frames;      /* of a zstd or xz file; `step` is NULL for other formats */
    uint64_t frame_memory; /* claimed for the largest of them */

    uint64_t claimed;     /* memory of libarchive in all, except for the header */
    psdvec_status failed; /* recorded by a callback of libarchive */

    bool started;            /* the only member of a plain file has been returned */
    struct archive *archive; /* NULL: plain */
    struct archive_entry *entry;
    pv_locale utf8;         /* in the C locale libarchive loses non-ASCII names */
    char *packed;           /* its input buffer of PACKED_SIZE bytes, after decompression */
    bool in_header;         /* libarchive is reading the header of a member */
    uint64_t header_memory; /* claimed for it */
    char *name;             /* of the member, heap; NULL: the path */
    bool in_archive;
    blocks unpacked;

    package_kind package; /* the kind of document, if the archive is one */
    uint64_t parts_size;
    bool has_sheets, has_slides; /* names the kind of document if it has no text */
    char head[PART_PEEK];        /* the first bytes of a member, inspected but not yet read */
    size_t head_length, head_used;

    pv_byte_stream *outer; /* the file is its current member */
    pv_byte_stream *inner; /* the current member is a document */
};

/* Waits for a pipe and checks for cancellation. */
static psdvec_status wait_readable(pv_byte_stream *stream)
{
    if (stream->regular || stream->outer)
        return PSDVEC_OK;
    for (;;) {
        struct pollfd event = {.fd = stream->fd, .events = POLLIN};
        int ready = poll(&event, 1, 200);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return PSDVEC_OK;
        PV_TRY(pv_check_cancel(stream->ctx));
    }
}

static psdvec_status read_member(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got);

static psdvec_status read_file(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    *got = 0;
    if (stream->outer)
        return read_member(stream->outer, bytes, capacity, got);
    while (!stream->ended) { /* a terminal would prompt again after the end */
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

/* Reads the inspected bytes first, then the rest of the file. */
static psdvec_status read_packed(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    size_t peeked = stream->peek_length - stream->peek_used;
    if (peeked == 0)
        return read_file(stream, bytes, capacity, got);
    *got = peeked < capacity ? peeked : capacity;
    memcpy(bytes, stream->peek + stream->peek_used, *got);
    stream->peek_used += *got;
    return PSDVEC_OK;
}

/* ---- gzip ---------------------------------------------------------------- */

static psdvec_status fail_memory(const pv_byte_stream *stream)
{
    return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY,
                   "%s: there is no memory for unpacking; close other programs and try again",
                   stream->path);
}

static psdvec_status fail_unpacking(pv_byte_stream *stream, const char *name, uint64_t taken,
                                    const char *cause)
{
    return pv_fail(stream->ctx, PSDVEC_ERR_DAMAGED,
                   "%s: decompression failed after %" PRIu64 " bytes of the file: %s; check that "
                   "the file is complete",
                   name, taken, cause);
}

static psdvec_status open_gzip(pv_byte_stream *stream)
{
    stream->scope.what = "unpacking gzip";
    PV_TAKE(&stream->scope, stream->zipped, PACKED_SIZE);
    PV_TRY(pv_scope_status(&stream->scope));
    if (inflateInit2(&stream->z, MAX_WBITS + WITH_GZIP_HEADER) != Z_OK)
        return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: out of memory while decompressing it",
                       stream->path);
    stream->gzip = stream->in_gzip = true;
    return PSDVEC_OK;
}

/* Provides input for zlib, if there is any. */
static psdvec_status refill(pv_byte_stream *stream)
{
    size_t got;
    if (stream->z.avail_in > 0)
        return PSDVEC_OK;
    PV_TRY(read_packed(stream, stream->zipped, PACKED_SIZE, &got));
    stream->z.next_in = (Bytef *)stream->zipped;
    stream->z.avail_in = (uInt)got;
    return PSDVEC_OK;
}

/* Reads decompressed bytes; *got is 0 only at the end of the last gzip member. Zero padding at the
 * end, as on tapes, is skipped; anything else after a member is an error. */
static psdvec_status read_gzip(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    z_stream *z = &stream->z;
    for (*got = 0; *got == 0;) {
        PV_TRY(refill(stream));
        if (!stream->in_gzip) {
            if (z->avail_in == 0)
                return PSDVEC_OK;
            if (*z->next_in == 0) {
                z->next_in++;
                z->avail_in--;
                continue;
            }
            inflateReset(z);
            stream->in_gzip = true;
        }
        if (z->avail_in == 0)
            return fail_unpacking(stream, stream->path, stream->consumed, "truncated gzip input");
        z->next_out = (Bytef *)bytes;
        z->avail_out = capacity < INT_MAX ? (uInt)capacity : INT_MAX;
        uInt space = z->avail_out;
        int result = inflate(z, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR)
            return fail_memory(stream);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return fail_unpacking(stream, stream->path, stream->consumed - z->avail_in,
                                  z->msg ? z->msg : "damaged gzip data");
        *got = space - z->avail_out;
        stream->in_gzip = result != Z_STREAM_END;
    }
    return PSDVEC_OK;
}

/* ---- libarchive ----------------------------------------------------------------------------- */

static psdvec_status fail_archive(pv_byte_stream *stream, struct archive *archive)
{
    bool no_memory = errno == ENOMEM;
    if (stream->failed != PSDVEC_OK)
        return stream->failed;
    /* libarchive describes damage; of failed allocations, some have no message, and those of its
     * decompressors have one like damage. Our callers clear errno before they call libarchive. */
    const char *cause = archive_error_string(archive);
    if (no_memory || !cause || archive_errno(archive) == ENOMEM)
        return fail_memory(stream);
    return fail_unpacking(stream, pv_byte_stream_name(stream), stream->consumed, cause);
}

/* Reads the next header into `*entry`, which is made once. libarchive has an entry for this purpose,
 * but does not check whether there was memory for it. */
static int read_header(struct archive *archive, struct archive_entry **entry)
{
    if (!*entry)
        *entry = archive_entry_new2(archive);
    if (!*entry) {
        archive_set_error(archive, ENOMEM, "out of memory");
        return ARCHIVE_FATAL;
    }
    errno = 0;
    return archive_read_next_header2(archive, *entry);
}

typedef int supporter(struct archive *archive);

/* Makes an archive, and lets libarchive allocate the space of its error messages: if it has none when
 * it wants to report a failure, it ends the process. */
static psdvec_status new_archive(pv_byte_stream *stream, struct archive **out)
{
    struct archive *archive = *out = archive_read_new();
    if (!archive)
        return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", stream->path);
    char longest[1000];
    PV_TRY(pv_memory_probe(stream->ctx, 4 * sizeof longest, "reading an archive"));
    memset(longest, ' ', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    archive_set_error(archive, 0, "%s", longest);
    archive_clear_error(archive);
    return PSDVEC_OK;
}

/* False: out of memory. */
static bool set_up(struct archive *archive, supporter *const *formats,
                   archive_read_callback *wants_bytes, pv_byte_stream *stream)
{
    for (; *formats; formats++)
        if ((*formats)(archive) < ARCHIVE_WARN)
            return false;
    return archive_read_set_callback_data(archive, stream) == ARCHIVE_OK &&
           archive_read_set_read_callback(archive, wants_bytes) == ARCHIVE_OK;
}

/* Counts memory that libarchive is about to take. Without memory it can crash, or end the process, so
 * this also asks for it. */
static psdvec_status claim(pv_byte_stream *stream, uint64_t bytes, uint64_t *claimed)
{
    char what[256];
    pv_snprintf(what, sizeof what, "decompressing %s", stream->path);
    PV_TRY(pv_memory_claim(stream->ctx, bytes, what));
    *claimed += bytes;
    return pv_memory_probe(stream->ctx, (size_t)bytes, what);
}

static psdvec_status read_block(pv_byte_stream *stream, struct archive *archive, blocks *from,
                                char *bytes, size_t capacity, size_t *got)
{
    *got = 0;
    while (from->left == 0) {
        const void *block;
        la_int64_t offset;
        errno = 0;
        int result = archive_read_data_block(archive, &block, &from->left, &offset);
        if (result == ARCHIVE_EOF)
            return PSDVEC_OK;
        if (result != ARCHIVE_OK) /* a warning here is a checksum mismatch */
            return fail_archive(stream, archive);
        from->bytes = block;
    }
    *got = from->left < capacity ? from->left : capacity;
    memcpy(bytes, from->bytes, *got);
    from->bytes += *got;
    from->left -= *got;
    return PSDVEC_OK;
}

/* ---- Decompression by libarchive ------------------------------------------------------------ */

/* Formats by their first bytes. `memory` is what decompression needs, except for the windows and
 * dictionaries that the frames declare. */
typedef struct packing {
    size_t length;
    const char *magic;
    int filter; /* of libarchive */
    uint64_t memory;
    void (*frames)(pv_frames *frames); /* NULL: they declare nothing */
} packing;

static const packing packings[] = {
    {4, "\x28\xb5\x2f\xfd", ARCHIVE_FILTER_ZSTD, 1 << 20, pv_frames_zstd},
    {6, "\xfd\x37zXZ", ARCHIVE_FILTER_XZ, 1 << 20, pv_frames_xz},
    {10, "BZh?1AY&SY", ARCHIVE_FILTER_BZIP2, 8 << 20, NULL},
    {10, "BZh?\x17rE8P\x90", ARCHIVE_FILTER_BZIP2, 8 << 20, NULL}, /* empty */
    {4, "\x04\x22\x4d\x18", ARCHIVE_FILTER_LZ4, 9 << 20, NULL},
    {4, "\x02\x21\x4c\x18", ARCHIVE_FILTER_LZ4, 17 << 20, NULL}, /* legacy: blocks of 8 MiB */
    {0}};

/* `magic` has ? for any byte. */
static bool begins_with(const unsigned char *bytes, size_t length, const packing *p)
{
    if (length < p->length)
        return false;
    for (size_t i = 0; i < p->length; i++)
        if (p->magic[i] != '?' && bytes[i] != (unsigned char)p->magic[i])
            return false;
    return true;
}

/* NULL if the stream is not compressed. zstd and lz4 share skippable frames, which may come before
 * the first other frame; if that is too far away to be seen, zstd is assumed. */
static const packing *find_packing(const pv_byte_stream *stream)
{
    enum { SKIPPABLE_HEAD = 8 };
    const unsigned char *at = (const unsigned char *)stream->peek, *end = at + stream->peek_length;
    while ((size_t)(end - at) >= SKIPPABLE_HEAD && (at[0] & 0xF0) == 0x50 &&
           memcmp(at + 1, "\x2a\x4d\x18", 3) == 0) {
        uint64_t size = SKIPPABLE_HEAD + (at[4] | (uint64_t)at[5] << 8 | (uint64_t)at[6] << 16 |
                                          (uint64_t)at[7] << 24);
        if (size >= (uint64_t)(end - at))
            return packings;
        at += size;
    }
    const packing *p = packings;
    while (p->magic && !begins_with(at, (size_t)(end - at), p))
        p++;
    return p->magic ? p : NULL;
}

/* The input of the decompressor: the inspected bytes first, then the rest, after gzip. */
static psdvec_status read_compressed(pv_byte_stream *stream, char *bytes, size_t capacity,
                                     size_t *got)
{
    if (stream->gzip && stream->peek_used == stream->peek_length)
        return read_gzip(stream, bytes, capacity, got);
    return read_packed(stream, bytes, capacity, got);
}

static psdvec_status feed_filter(pv_byte_stream *stream, size_t *got)
{
    PV_TRY(read_compressed(stream, stream->filtered, PACKED_SIZE, got));
    if (!stream->frames.step)
        return PSDVEC_OK;
    bool sound = pv_frames_feed(&stream->frames, stream->filtered, *got);
    uint64_t memory = stream->frames.memory;
    if (memory > stream->frame_memory) {
        PV_TRY(claim(stream, memory - stream->frame_memory, &stream->claimed));
        stream->frame_memory = memory;
    }
    return sound ? PSDVEC_OK
                 : fail_unpacking(stream, stream->path, stream->consumed, "damaged headers");
}

static la_ssize_t filter_wants_bytes(struct archive *filter, void *opaque, const void **bytes)
{
    pv_byte_stream *stream = opaque;
    size_t got;
    stream->failed = feed_filter(stream, &got);
    if (stream->failed != PSDVEC_OK) {
        archive_set_error(filter, EIO, "reading failed");
        return -1;
    }
    *bytes = stream->filtered;
    return (la_ssize_t)got;
}

static psdvec_status open_filter(pv_byte_stream *stream, const packing *how)
{
    PV_TRY(claim(stream, how->memory, &stream->claimed));
    if (how->frames)
        how->frames(&stream->frames);
    PV_TRY(new_archive(stream, &stream->filter));
    struct archive *a = stream->filter;
    stream->scope.what = "the reader of compressed files";
    PV_TAKE(&stream->scope, stream->filtered, PACKED_SIZE);
    PV_TRY(pv_scope_status(&stream->scope));
    static supporter *const formats[] = {archive_read_support_format_raw,
                                         archive_read_support_format_empty, NULL};
    /* ARCHIVE_WARN: an external program would be used. */
    if (!set_up(a, formats, filter_wants_bytes, stream) ||
        archive_read_append_filter(a, how->filter) < ARCHIVE_WARN)
        return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", stream->path);
    /* libarchive takes data that cannot be decompressed for empty, but records the error. */
    archive_clear_error(a);
    errno = 0;
    if (archive_read_open1(a) != ARCHIVE_OK || archive_errno(a) != 0)
        return fail_archive(stream, a);
    struct archive_entry *entry = NULL;
    int result = read_header(a, &entry);
    archive_entry_free(entry);
    if (result < ARCHIVE_WARN)
        return fail_archive(stream, a);
    stream->filter_ended = result == ARCHIVE_EOF;
    return PSDVEC_OK;
}

/* ---- What a file is --------------------------------------------------------- */

/* The last stage of decompression. */
static psdvec_status read_decompressed(pv_byte_stream *stream, char *bytes, size_t capacity,
                                       size_t *got)
{
    *got = 0;
    if (stream->filter_ended)
        return PSDVEC_OK;
    if (stream->filter)
        return read_block(stream, stream->filter, &stream->from_filter, bytes, capacity, got);
    return stream->gzip ? read_gzip(stream, bytes, capacity, got)
                        : read_file(stream, bytes, capacity, got);
}

/* Reads decompressed bytes, the inspected ones first. */
static psdvec_status read_next(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    if (stream->peek_used == stream->peek_length)
        return read_decompressed(stream, bytes, capacity, got);
    return read_packed(stream, bytes, capacity, got);
}

/* Reads the first bytes of the file or, later, of the decompressed data. By then the decompressor
 * has consumed the first bytes of the stage before, which are replaced. */
static psdvec_status take_peek(pv_byte_stream *stream)
{
    char first[PEEK];
    size_t length = 0, got = 1;
    while (length < PEEK && got > 0) {
        PV_TRY(read_decompressed(stream, first + length, PEEK - length, &got));
        length += got;
    }
    memcpy(stream->peek, first, length);
    stream->peek_length = length;
    stream->peek_used = 0;
    return PSDVEC_OK;
}

static bool begins_archive(const pv_byte_stream *stream)
{
    static const struct {
        size_t offset, length;
        const char *magic;
    } archives[] = {{0, 4, "PK\x03\x04"},
                    {0, 4, "PK\x05\x06"}, /* zip, and an empty one */
                    {257, 5, "ustar"}};
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++)
        if (stream->peek_length >= archives[i].offset + archives[i].length &&
            memcmp(stream->peek + archives[i].offset, archives[i].magic, archives[i].length) == 0)
            return true;
    return false;
}

/* Reads the first bytes and decompresses the file if they show that it is compressed. */
static psdvec_status open_stages(pv_byte_stream *stream)
{
    PV_TRY(take_peek(stream));
    if (stream->peek_length >= 2 && memcmp(stream->peek, "\x1f\x8b", 2) == 0) {
        PV_TRY(open_gzip(stream));
        PV_TRY(take_peek(stream));
    }
    const packing *how = find_packing(stream);
    if (how) {
        PV_TRY(open_filter(stream, how));
        PV_TRY(take_peek(stream));
    }
    return PSDVEC_OK;
}

/* ---- Documents in zip ----------------------------------------------------------------- */

static unsigned little16(const char *bytes)
{
    return (unsigned char)bytes[0] | (unsigned)(unsigned char)bytes[1] << 8;
}

/* Detected by the first member of the zip: OpenDocument and EPUB store their type there, Microsoft
 * Office files one of their characteristic folders. */
static package_kind package_of(const char *bytes, size_t length)
{
    enum { NAME = 30 };
    static const struct {
        const char *type;
        package_kind package;
    } types[] = {{"application/epub+zip", PACKAGE_EPUB},
                 {"application/vnd.oasis.opendocument.text", PACKAGE_OPENDOCUMENT},
                 {"application/vnd.oasis.opendocument.", PACKAGE_OTHER},
                 {"application/vnd.sun.xml.", PACKAGE_OTHER}};
    static const char *const folders[] = {"word/", "docProps/", "customXml/", "xl/", "ppt/"};
    if (length < NAME || memcmp(bytes, "PK\3\4", 4) != 0)
        return PACKAGE_NONE;
    const char *name = bytes + NAME;
    size_t name_length = little16(bytes + 26), extra = little16(bytes + 28);
    if (name_length > length - NAME)
        return PACKAGE_NONE;
    if (name_length == 8 && memcmp(name, "mimetype", 8) == 0 && little16(bytes + 8) == 0 &&
        NAME + 8 + extra < length) {
        const char *type = name + 8 + extra;
        size_t left = (size_t)(bytes + length - type);
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (left >= strlen(types[i].type) &&
                memcmp(type, types[i].type, strlen(types[i].type)) == 0)
                return types[i].package;
    }
    if ((name_length == 19 && memcmp(name, "[Content_Types].xml", 19) == 0) ||
        (name_length >= 6 && memcmp(name, "_rels/", 6) == 0))
        return PACKAGE_OFFICE;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (name_length > 9 && memcmp(name, folders[i], strlen(folders[i])) == 0 &&
            memcmp(name + name_length - 4, ".xml", 4) == 0)
            return PACKAGE_OFFICE;
    return PACKAGE_NONE;
}

static pv_markup markup_of(package_kind package)
{
    static const pv_markup markup[] = {[PACKAGE_OFFICE] = PV_MARKUP_WORD,
                                       [PACKAGE_OPENDOCUMENT] = PV_MARKUP_OPENDOCUMENT,
                                       [PACKAGE_EPUB] = PV_MARKUP_HTML,
                                       [PACKAGE_OTHER] = PV_MARKUP_NONE};
    return markup[package];
}

/* ---- Archives ---------------------------------------------------------------- */

/* libarchive keeps up to 200 bytes for each entry of a zip directory, which takes 46 bytes or more,
 * and up to 80 bytes for each section of a sparse file in tar, which takes 4 bytes or more. */
static uint64_t memory_of_header(const pv_byte_stream *stream, size_t bytes)
{
    bool tar = (archive_format(stream->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
    return (tar ? 20 : 5) * (uint64_t)bytes;
}

static psdvec_status feed_archive(pv_byte_stream *stream, size_t *got)
{
    PV_TRY(read_next(stream, stream->packed, stream->in_header ? HEADER_SIZE : PACKED_SIZE, got));
    return stream->in_header ? claim(stream, memory_of_header(stream, *got), &stream->header_memory)
                             : PSDVEC_OK;
}

static la_ssize_t on_archive_read(struct archive *archive, void *opaque, const void **bytes)
{
    pv_byte_stream *stream = opaque;
    size_t got;
    stream->failed = feed_archive(stream, &got);
    if (stream->failed != PSDVEC_OK) {
        archive_set_error(archive, EIO, "reading failed");
        return -1;
    }
    *bytes = stream->packed;
    return (la_ssize_t)got;
}

/* The zip directory is at the end of the file, so zip needs seeking. */
static la_int64_t on_archive_seek(struct archive *archive, void *opaque, la_int64_t offset,
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

static psdvec_status open_archive(pv_byte_stream *stream)
{
    enum { LIBARCHIVE = 1 << 20, BZIP2 = 4 << 20 }; /* a zip file may contain bzip2 */
    PV_TRY(claim(stream, LIBARCHIVE + BZIP2, &stream->claimed));
    PV_TRY(new_archive(stream, &stream->archive));
    struct archive *a = stream->archive;
    stream->scope.what = "the reader of archives";
    PV_TAKE(&stream->scope, stream->packed, PACKED_SIZE);
    PV_TRY(pv_scope_status(&stream->scope));
    pv_utf8_open(&stream->utf8);
    static supporter *const formats[] = {archive_read_support_format_tar,
                                         archive_read_support_format_zip,
                                         archive_read_support_format_raw, NULL};
    /* Only zip is read from its end, and only a file that begins as one: a damaged tar file with a
     * zip file inside it would be taken for that. */
    bool seekable = stream->regular && !stream->gzip && !stream->filter && !stream->outer &&
                    memcmp(stream->peek, "PK", 2) == 0;
    if (!set_up(a, formats, on_archive_read, stream) ||
        (seekable && archive_read_set_seek_callback(a, on_archive_seek) != ARCHIVE_OK))
        return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", stream->path);
    errno = 0;
    if (archive_read_open1(a) != ARCHIVE_OK)
        return fail_archive(stream, a);
    return PSDVEC_OK;
}

static psdvec_status open_stream(pv_byte_stream *stream, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat info;
    stream->owns_fd = !standard;
    stream->path = strdup(standard ? "standard input" : path);
    stream->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (!stream->path)
        return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", path);
    if (stream->fd < 0 || fstat(stream->fd, &info) != 0)
        return pv_fail_errno(stream->ctx, PSDVEC_ERR_READ, "cannot open", path, errno);
    stream->regular = S_ISREG(info.st_mode) && !standard;
    if (stream->regular)
        pv_hint_sequential(stream->fd);
    PV_TRY(open_stages(stream));
    stream->package = package_of(stream->peek, stream->peek_length);
    return begins_archive(stream) ? open_archive(stream) : PSDVEC_OK;
}

static pv_byte_stream *new_stream(psdvec_context *ctx)
{
    pv_byte_stream *stream = pv_alloc_zero(ctx, 1, sizeof *stream, "a reader");
    if (stream) {
        stream->ctx = stream->scope.ctx = ctx;
        stream->fd = -1;
    }
    return stream;
}

/* Opens the current member, which is a document. */
static psdvec_status open_inner(pv_byte_stream *outer)
{
    pv_byte_stream *stream = outer->inner = new_stream(outer->ctx);
    if (!stream)
        return pv_failure(outer->ctx);
    stream->outer = outer;
    stream->path = strdup(pv_byte_stream_name(outer));
    if (!stream->path)
        return pv_fail(outer->ctx, PSDVEC_ERR_MEMORY, "%s: out of memory",
                       pv_byte_stream_name(outer));
    PV_TRY(take_peek(stream));
    stream->package = package_of(stream->peek, stream->peek_length);
    return begins_archive(stream) ? open_archive(stream) : PSDVEC_OK;
}

psdvec_status pv_byte_stream_open(psdvec_context *ctx, const char *path, pv_byte_stream **out)
{
    *out = NULL;
    pv_byte_stream *stream = new_stream(ctx);
    if (!stream)
        return pv_failure(ctx);
    psdvec_status status = open_stream(stream, path);
    if (status == PSDVEC_OK)
        *out = stream;
    else
        pv_byte_stream_close(stream);
    return status;
}

void pv_byte_stream_close(pv_byte_stream *stream)
{
    if (!stream)
        return;
    pv_byte_stream_close(stream->inner);
    if (stream->archive)
        archive_read_free(stream->archive);
    archive_entry_free(stream->entry);
    if (stream->filter)
        archive_read_free(stream->filter);
    pv_utf8_close(&stream->utf8);
    pv_memory_unclaim(stream->ctx, stream->claimed + stream->header_memory);
    if (stream->gzip)
        inflateEnd(&stream->z);
    if (stream->owns_fd && stream->fd >= 0)
        close(stream->fd);
    pv_scope_free(&stream->scope);
    free(stream->name);
    free(stream->path);
    pv_free(stream->ctx, stream);
}

/* Reads the next header. What libarchive read for the first one is the directory of a zip file,
 * which it keeps. */
static int next_header(pv_byte_stream *stream, struct archive_entry **entry)
{
    bool first = archive_file_count(stream->archive) == 0;
    if (!first) {
        errno = 0;
        int result = archive_read_data_skip(stream->archive);
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN && result != ARCHIVE_EOF)
            return result;
    }
    pv_memory_unclaim(stream->ctx, stream->header_memory);
    stream->header_memory = 0;
    /* For the strings of the header: libarchive ends the process if it has no memory for them. */
    stream->failed = pv_memory_probe(stream->ctx, PACKED_SIZE, "reading an archive");
    if (stream->failed != PSDVEC_OK)
        return ARCHIVE_FATAL;
    stream->in_header = true;
    int result = read_header(stream->archive, &stream->entry);
    *entry = stream->entry;
    stream->in_header = false;
    if (first) {
        stream->claimed += stream->header_memory;
        stream->header_memory = 0;
    }
    return result;
}

/* Whether the member of a zip file is compressed by a method with a fixed, small need of memory.
 * The others declare how much they need, and libarchive accepts any amount. */
static bool method_is_safe(struct archive *archive)
{
    static const char *const methods[] = {"(uncompressed)", "(deflation)", "(bzip)"};
    if ((archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_ZIP)
        return true;
    const char *name = archive_format_name(archive); /* "ZIP 2.0 (deflation)" */
    for (size_t i = 0; name && i < sizeof methods / sizeof *methods; i++)
        if (strstr(name, methods[i]))
            return true;
    return false;
}

/* The next regular file of the archive that is not clutter. */
static psdvec_status next_in_archive(pv_byte_stream *stream, bool *more)
{
    for (;;) {
        struct archive_entry *entry;
        pv_utf8_begin(&stream->utf8);
        int result = next_header(stream, &entry);
        bool readable = result == ARCHIVE_OK || result == ARCHIVE_WARN;
        const char *name = readable ? archive_entry_pathname(entry) : NULL;
        pv_utf8_end(&stream->utf8);
        if (result == ARCHIVE_EOF) {
            *more = false;
            /* An archive may end before the enclosing compressed data do; read on to verify their
             * checksum. */
            for (size_t got = stream->gzip || stream->filter ? 1 : 0; got > 0;)
                PV_TRY(read_next(stream, stream->packed, PACKED_SIZE, &got));
            return PSDVEC_OK;
        }
        if (!readable)
            return fail_archive(stream, stream->archive);
        stream->in_archive = archive_format(stream->archive) != ARCHIVE_FORMAT_RAW;
        if (!stream->in_archive)
            return PSDVEC_OK;
        if (archive_entry_filetype(entry) != AE_IFREG || (name && pv_is_clutter(name)))
            continue;
        if (!method_is_safe(stream->archive))
            return pv_fail(stream->ctx, PSDVEC_ERR_DAMAGED,
                           "%s: %s: is compressed with a method other than deflate and bzip2; "
                           "extract the zip file and use the extracted files",
                           stream->path, name ? name : "(nameless)");
        if (stream->package != PACKAGE_NONE) {
            stream->in_archive = false;
            stream->has_sheets |= name && strncmp(name, "xl/", 3) == 0;
            stream->has_slides |= name && strncmp(name, "ppt/", 4) == 0;
            return PSDVEC_OK;
        }
        if (pv_asprintf(&stream->name, "%s: %s", stream->path, name ? name : "(nameless)") < 0) {
            stream->name = NULL;
            return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", stream->path);
        }
        if (archive_entry_is_encrypted(entry))
            return pv_fail(stream->ctx, PSDVEC_ERR_DAMAGED, "%s: is encrypted; decrypt it first",
                           stream->name);
        return PSDVEC_OK;
    }
}

/* Reads bytes of the current member of an archive or of a plain file, not of a document inside
 * it. */
static psdvec_status read_unpacked(pv_byte_stream *stream, char *bytes, size_t capacity,
                                   size_t *got)
{
    *got = 0;
    if (!stream->archive)
        return read_next(stream, bytes, capacity, got);
    PV_TRY(read_block(stream, stream->archive, &stream->unpacked, bytes, capacity, got));
    if (stream->package != PACKAGE_NONE && (stream->parts_size += *got) > DOCUMENT_MOST)
        return pv_fail(stream->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: its text is more than %d MiB when decompressed, which is too large "
                       "for a document; omit the file",
                       pv_byte_stream_name(stream), DOCUMENT_MOST >> 20);
    return PSDVEC_OK;
}

static psdvec_status read_member(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    size_t seen = stream->head_length - stream->head_used;
    if (seen == 0)
        return read_unpacked(stream, bytes, capacity, got);
    *got = seen < capacity ? seen : capacity;
    memcpy(bytes, stream->head + stream->head_used, *got);
    stream->head_used += *got;
    return PSDVEC_OK;
}

/* Reads the first bytes of the member, which read_member will return again. */
static psdvec_status peek_member(pv_byte_stream *stream)
{
    size_t got = 1;
    stream->head_length = stream->head_used = 0;
    while (stream->head_length < PART_PEEK && got > 0) {
        PV_TRY(read_unpacked(stream, stream->head + stream->head_length,
                             PART_PEEK - stream->head_length, &got));
        stream->head_length += got;
    }
    return PSDVEC_OK;
}

psdvec_status pv_byte_stream_next_part(pv_byte_stream *stream, bool *more)
{
    if (stream->inner)
        return pv_byte_stream_next_part(stream->inner, more);
    *more = false;
    if (stream->package == PACKAGE_NONE || !stream->archive)
        return PSDVEC_OK;
    pv_markup wanted = markup_of(stream->package);
    for (;;) {
        *more = true;
        stream->unpacked.left = 0;
        PV_TRY(next_in_archive(stream, more));
        if (!*more)
            return PSDVEC_OK;
        PV_TRY(peek_member(stream));
        if (wanted != PV_MARKUP_NONE &&
            pv_markup_looks_like(stream->head, stream->head_length) == wanted)
            return PSDVEC_OK;
    }
}

psdvec_status pv_byte_stream_next_member(pv_byte_stream *stream, bool *more)
{
    pv_byte_stream_close(stream->inner);
    stream->inner = NULL;
    free(stream->name);
    stream->name = NULL;
    stream->unpacked.left = stream->head_length = stream->head_used = 0;
    *more = true;
    if (stream->archive && stream->package == PACKAGE_NONE) {
        PV_TRY(next_in_archive(stream, more));
        if (!*more || !stream->in_archive)
            return PSDVEC_OK;
        PV_TRY(peek_member(stream));
        return package_of(stream->head, stream->head_length) != PACKAGE_NONE ? open_inner(stream)
                                                                             : PSDVEC_OK;
    }
    *more = !stream->started;
    stream->started = true;
    return PSDVEC_OK;
}

psdvec_status pv_byte_stream_read(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    return read_member(stream->inner ? stream->inner : stream, bytes, capacity, got);
}

pv_markup pv_byte_stream_document(const pv_byte_stream *stream, bool *is_one)
{
    const pv_byte_stream *document = stream->inner ? stream->inner : stream;
    *is_one = document->package != PACKAGE_NONE;
    return markup_of(document->package);
}

size_t pv_byte_stream_document_kind(const pv_byte_stream *stream)
{
    const pv_byte_stream *document = stream->inner ? stream->inner : stream;
    return document->has_sheets   ? PV_KIND_SPREADSHEET
           : document->has_slides ? PV_KIND_SLIDES
                                  : PV_KIND_PACKAGE;
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
