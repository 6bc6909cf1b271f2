/* Streams: plain files and pipes are read by read(2), gzip by zlib, all other compression and
 * archive formats by libarchive, which also opens archives inside gzip. libarchive could decompress
 * gzip too, but it ignores the checksums, so a damaged file would be counted without an error.
 *
 *     file ─► [gunzip] ─► first bytes looked at ─► [libarchive] ─► members
 *
 * A document such as a .docx is a zip file but counts as one member; its parts are the files with
 * text. A document inside an archive is read by a second stream, whose file is the member of the
 * first. There is no third level.
 */
#include "corpus/byte_stream.h"

#include "base/memory.h"
#include "base/platform.h"
#include "corpus/file_kind.h"
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

    uint64_t claimed; /* memory of the decompressor */

    bool started;            /* the only member of a plain file has been returned */
    struct archive *archive; /* NULL: plain */
    pv_locale utf8;          /* in the C locale libarchive loses non-ASCII names */
    char *packed;            /* its input buffer of PACKED_SIZE bytes, after gzip */
    char *name;              /* of the member, heap; NULL: the path */
    bool in_archive;
    const char *unpacked; /* bytes not yet read */
    size_t unpacked_left;

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
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return fail_unpacking(stream, stream->path, stream->consumed - z->avail_in,
                                  z->msg ? z->msg : "damaged gzip data");
        *got = space - z->avail_out;
        stream->in_gzip = result != Z_STREAM_END;
    }
    return PSDVEC_OK;
}

/* ---- What a file is --------------------------------------------------------- */

/* Reads bytes, decompressed if the file is gzip. */
static psdvec_status read_next(pv_byte_stream *stream, char *bytes, size_t capacity, size_t *got)
{
    if (stream->gzip && stream->peek_used == stream->peek_length)
        return read_gzip(stream, bytes, capacity, got);
    return read_packed(stream, bytes, capacity, got);
}

/* Reads the first bytes of the file or, later, of the decompressed data. By then the decompressor
 * has consumed the first bytes of the file, which are replaced. */
static psdvec_status take_peek(pv_byte_stream *stream)
{
    char first[PEEK];
    size_t length = 0, got = 1;
    while (length < PEEK && got > 0) {
        PV_TRY(stream->gzip ? read_gzip(stream, first + length, PEEK - length, &got)
                            : read_file(stream, first + length, PEEK - length, &got));
        length += got;
    }
    memcpy(stream->peek, first, length);
    stream->peek_length = length;
    stream->peek_used = 0;
    return PSDVEC_OK;
}

enum { SMALL_WINDOW = 1 << 20 };

/* RFC 8878, 3.1.1.1: the frame's window, or its content if that is smaller. */
static uint64_t zstd_window(const unsigned char *frame, size_t length)
{
    if (length < 10)
        return SMALL_WINDOW;
    unsigned descriptor = frame[4];
    if (descriptor & 0x20) { /* single segment: the content size is the window size */
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

/* Formats by their first bytes. The memory that a decompressor needs is computed from the start of
 * the compressed data, so that it can be counted against the budget: a zstd window or an xz
 * dictionary may be larger than everything else. */
typedef struct packing {
    size_t offset, length;
    const char *magic;
    uint64_t memory;
    uint64_t (*window)(const unsigned char *start, size_t length); /* extra memory; NULL: none */
} packing;

static const packing packings[] = {
    {0, 3, "BZh", 8 << 20, NULL},                          /* bzip2 */
    {0, 6, "\xfd\x37zXZ", SMALL_WINDOW, xz_dictionary},    /* xz */
    {0, 4, "\x28\xb5\x2f\xfd", SMALL_WINDOW, zstd_window}, /* zstd */
    {0, 4, "\x04\x22\x4d\x18", 9 << 20, NULL},             /* lz4 */
    {0, 4, "\x02\x21\x4c\x18", SMALL_WINDOW, NULL},        /* lz4, legacy */
    {0, 4, "PK\x03\x04", SMALL_WINDOW, NULL},              /* zip */
    {0, 4, "PK\x05\x06", SMALL_WINDOW, NULL},              /* zip, empty */
    {257, 5, "ustar", SMALL_WINDOW, NULL},                 /* tar */
    {1, 3, "\x2a\x4d\x18", SMALL_WINDOW, NULL},            /* a skippable frame of zstd */
    {0}};

/* NULL if the stream is not compressed. */
static const packing *find_packing(const pv_byte_stream *stream)
{
    const packing *p = packings;
    while (p->magic && (stream->peek_length < p->offset + p->length ||
                        memcmp(stream->peek + p->offset, p->magic, p->length) != 0 ||
                        (p->offset == 1 && ((unsigned char)stream->peek[0] & 0xF0) != 0x50)))
        p++;
    return p->magic ? p : NULL;
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

static la_ssize_t on_archive_read(struct archive *archive, void *opaque, const void **bytes)
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

static psdvec_status fail_archive(pv_byte_stream *stream)
{
    const char *cause = archive_error_string(stream->archive);
    return fail_unpacking(stream, pv_byte_stream_name(stream), stream->consumed,
                          cause ? cause : "damaged");
}

static psdvec_status open_archive(pv_byte_stream *stream, const packing *how)
{
    uint64_t needed = how->memory;
    if (how->window)
        needed += how->window((const unsigned char *)stream->peek, stream->peek_length);
    PV_TRY(pv_memory_claim(stream->ctx, needed, "unpacking"));
    stream->claimed = needed;
    struct archive *a = stream->archive = archive_read_new();
    stream->scope.what = "the reader of compressed files";
    PV_TAKE(&stream->scope, stream->packed, PACKED_SIZE);
    if (!a || !stream->packed)
        return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", stream->path);
    pv_utf8_open(&stream->utf8);
    static int (*const supports[])(struct archive *) = {
        archive_read_support_filter_bzip2, archive_read_support_filter_xz,
        archive_read_support_filter_zstd,  archive_read_support_filter_lz4,
        archive_read_support_format_tar,   archive_read_support_format_zip,
        archive_read_support_format_raw,   archive_read_support_format_empty};
    bool fine = true; /* ARCHIVE_WARN: an external program would be used */
    for (size_t i = 0; fine && i < sizeof supports / sizeof supports[0]; i++)
        fine = supports[i](a) >= ARCHIVE_WARN;
    fine = fine && archive_read_set_callback_data(a, stream) == ARCHIVE_OK &&
           archive_read_set_read_callback(a, on_archive_read) == ARCHIVE_OK;
    if (fine && stream->regular && !stream->gzip && !stream->outer)
        fine = archive_read_set_seek_callback(a, on_archive_seek) == ARCHIVE_OK;
    if (!fine)
        return pv_fail(stream->ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", stream->path);
    if (archive_read_open1(a) != ARCHIVE_OK)
        return fail_archive(stream);
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
    PV_TRY(take_peek(stream));
    if (stream->peek_length >= 2 && memcmp(stream->peek, "\x1f\x8b", 2) == 0) {
        PV_TRY(open_gzip(stream));
        PV_TRY(take_peek(stream));
    }
    const packing *how = find_packing(stream);
    stream->package = package_of(stream->peek, stream->peek_length);
    return how ? open_archive(stream, how) : PSDVEC_OK;
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
    const packing *how = find_packing(stream);
    return how ? open_archive(stream, how) : PSDVEC_OK;
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
    pv_utf8_close(&stream->utf8);
    pv_memory_unclaim(stream->ctx, stream->claimed);
    if (stream->gzip)
        inflateEnd(&stream->z);
    if (stream->owns_fd && stream->fd >= 0)
        close(stream->fd);
    pv_scope_free(&stream->scope);
    free(stream->name);
    free(stream->path);
    pv_free(stream->ctx, stream);
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
            /* An archive may end before the enclosing gzip data does; read on to verify its
             * checksum. */
            for (size_t got = stream->gzip ? 1 : 0; got > 0;)
                PV_TRY(read_gzip(stream, stream->packed, PACKED_SIZE, &got));
            return PSDVEC_OK;
        }
        if (!readable)
            return fail_archive(stream);
        stream->in_archive = archive_format(stream->archive) != ARCHIVE_FORMAT_RAW;
        if (!stream->in_archive)
            return PSDVEC_OK;
        if (archive_entry_filetype(entry) != AE_IFREG || (name && pv_is_clutter(name)))
            continue;
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
    while (stream->unpacked_left == 0) {
        const void *unpacked;
        la_int64_t offset;
        int result =
            archive_read_data_block(stream->archive, &unpacked, &stream->unpacked_left, &offset);
        if (result == ARCHIVE_EOF)
            return PSDVEC_OK;
        if (result != ARCHIVE_OK) /* a warning here is a checksum mismatch */
            return fail_archive(stream);
        stream->unpacked = unpacked;
    }
    *got = stream->unpacked_left < capacity ? stream->unpacked_left : capacity;
    memcpy(bytes, stream->unpacked, *got);
    stream->unpacked += *got;
    stream->unpacked_left -= *got;
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
        stream->unpacked_left = 0;
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
    stream->unpacked_left = stream->head_length = stream->head_used = 0;
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
