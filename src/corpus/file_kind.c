/* Signatures of files that are not text. */
#include "corpus/file_kind.h"

#include "util/utf8.h"

#include <string.h>

static const pv_file_kind plain_kinds[PV_KIND_FIRST_MAGIC] = {
    [PV_KIND_BINARY] = {"binary data", NULL},
    [PV_KIND_SPREADSHEET] = {"spreadsheet", "save spreadsheets as CSV"},
    [PV_KIND_SLIDES] = {"presentation", "convert presentations with LibreOffice"},
    [PV_KIND_PACKAGE] = {"office file without text", NULL},
    [PV_KIND_SVG] = {"SVG", NULL},
};

/* A signature that could begin a text counts only if a zero byte follows soon. */
typedef struct signature {
    pv_file_kind kind;
    const char *magic;
    size_t length, offset;
    const char *start; /* of the file, if it is fixed, too; NULL: it is not */
    bool weak;
} signature;

#define MAGIC(text) .magic = text, .length = sizeof(text) - 1

static const signature signatures[] = {
    {{"PDF", "convert PDF with pdftotext"}, MAGIC("%PDF-")},
    {{"RTF", "convert RTF with unrtf --text or LibreOffice"}, MAGIC("{\\rtf")},
    {{"PostScript", "convert PostScript with ps2ascii"}, MAGIC("%!PS")},
    {{"DjVu", "convert DjVu with djvutxt"}, MAGIC("AT&TFORM")},
    {{"old office file", "convert .doc and .xls with LibreOffice"},
     MAGIC("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")},
    {{"Mobipocket e-book", "convert e-books with Calibre"}, MAGIC("BOOKMOBI"), .offset = 60},
    {{"JPEG", NULL}, MAGIC("\xFF\xD8\xFF")},
    {{"PNG", NULL}, MAGIC("\x89PNG\r\n")},
    {{"GIF", NULL}, MAGIC("GIF8"), .weak = true},
    {{"TIFF", NULL}, MAGIC("II*\0")},
    {{"TIFF", NULL}, MAGIC("MM\0*")},
    {{"WebP", NULL}, MAGIC("WEBPVP8"), .offset = 8, .start = "RIFF"},
    {{"BMP", NULL}, MAGIC("BM"), .weak = true},
    {{"icon", NULL}, MAGIC("\0\0\1\0")},
    {{"Photoshop image", NULL}, MAGIC("8BPS\0")},
    {{"MP4, QuickTime or HEIF", NULL}, MAGIC("ftyp"), .offset = 4, .weak = true},
    {{"Matroska or WebM", NULL}, MAGIC("\x1A\x45\xDF\xA3")},
    {{"AVI", NULL}, MAGIC("AVI LIST"), .offset = 8, .start = "RIFF"},
    {{"WAV", NULL}, MAGIC("WAVEfmt "), .offset = 8, .start = "RIFF"},
    {{"MP3", NULL}, MAGIC("ID3"), .weak = true},
    {{"MP3", NULL}, MAGIC("\xFF\xFB")},
    {{"Ogg", NULL}, MAGIC("OggS\0")},
    {{"FLAC", NULL}, MAGIC("fLaC\0")},
    {{"MIDI", NULL}, MAGIC("MThd\0")},
    {{"font", NULL}, MAGIC("wOFF"), .weak = true},
    {{"font", NULL}, MAGIC("wOF2"), .weak = true},
    {{"font", NULL}, MAGIC("OTTO\0")},
    {{"font", NULL}, MAGIC("\0\1\0\0\0")},
    {{"program", NULL}, MAGIC("\177ELF")},
    {{"program", NULL}, MAGIC("MZ"), .weak = true},
    {{"program", NULL}, MAGIC("\xCF\xFA\xED\xFE")},
    {{"program", NULL}, MAGIC("\xCE\xFA\xED\xFE")},
    {{"Java class", NULL}, MAGIC("\xCA\xFE\xBA\xBE")},
    {{"WebAssembly", NULL}, MAGIC("\0asm")},
    {{"Python bytecode or pickle", NULL}, MAGIC("\x80\x04\x95")},
    {{"object archive", NULL}, MAGIC("!<arch>\n")},
    {{"SQLite database", "export the text of databases first"}, MAGIC("SQLite format 3\0")},
    {{"HDF5", NULL}, MAGIC("\x89HDF\r\n")},
    {{"NumPy array", NULL}, MAGIC("\x93NUMPY")},
    {{"Parquet", "export the text column of Parquet files first"}, MAGIC("PAR1"), .weak = true},
    {{"Arrow", "export the text column of Arrow files first"}, MAGIC("ARROW1\0")},
    {{"safetensors", NULL}, MAGIC("\0\0{\""), .offset = 6},
    {{"7-Zip archive", "unpack archives inside archives first"}, MAGIC("7z\xBC\xAF\x27\x1C")},
    {{"RAR archive", "unpack archives inside archives first"}, MAGIC("Rar!\x1A\x07")},
    {{"cabinet archive", NULL}, MAGIC("MSCF\0")},
    {{"zip archive", "unpack archives inside archives first"}, MAGIC("PK\3\4")},
    {{"gzip", "unpack compressed files inside archives first"}, MAGIC("\x1F\x8B\x08")},
    {{"bzip2", "unpack compressed files inside archives first"},
     MAGIC("1AY&SY"),
     .offset = 4,
     .start = "BZh"},
    {{"xz", "unpack compressed files inside archives first"}, MAGIC("\xFD\x37zXZ\0")},
    {{"zstd", "unpack compressed files inside archives first"}, MAGIC("\x28\xB5\x2F\xFD")},
    {{"lz4", "unpack compressed files inside archives first"}, MAGIC("\x04\x22\x4D\x18")},
    {{"tar archive", "unpack archives inside archives first"},
     MAGIC("ustar"),
     .offset = 257,
     .weak = true},
};

enum { SIGNATURES = sizeof signatures / sizeof *signatures, SOON = 512 };

size_t pv_file_kinds(void)
{
    return PV_KIND_FIRST_MAGIC + SIGNATURES;
}

const pv_file_kind *pv_file_kind_of(size_t kind)
{
    return kind < PV_KIND_FIRST_MAGIC ? &plain_kinds[kind]
                                      : &signatures[kind - PV_KIND_FIRST_MAGIC].kind;
}

bool pv_file_kind_find(const char *bytes, size_t length, size_t *kind)
{
    for (size_t k = 0; k < SIGNATURES; k++) {
        const signature *s = &signatures[k];
        if (length < s->offset + s->length || memcmp(bytes + s->offset, s->magic, s->length) != 0)
            continue;
        if (s->start && memcmp(bytes, s->start, strlen(s->start)) != 0)
            continue;
        if (s->weak && !memchr(bytes, '\0', length < SOON ? length : SOON))
            continue;
        /* Several entries may share a name; the first represents all of them. */
        size_t first = 0;
        while (strcmp(signatures[first].kind.name, s->kind.name) != 0)
            first++;
        *kind = PV_KIND_FIRST_MAGIC + first;
        return true;
    }
    return false;
}

bool pv_looks_binary(const char *bytes, size_t length, bool is_utf8)
{
    const unsigned char *p = (const unsigned char *)bytes, *end = p + length;
    size_t strange = 0;
    while (p < end) {
        uint32_t cp;
        int used = is_utf8 ? pv_utf8_decode(p, end, &cp) : 1;
        if (used < 0) {
            if (end - p >= 4) /* not just truncated at the end of the sample */
                strange += (size_t)-used;
            p -= used;
        } else {
            strange += *p < 0x20 && !(*p >= '\t' && *p <= '\r') && *p != 0x1B;
            p += used;
        }
    }
    return strange * 10 > length * 3;
}
