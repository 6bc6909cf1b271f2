/* Detection of third-party vector formats, word2vec's binary format, and code shared by all
 * readers. */
#include "model/foreign.h"

#include "base/progress.h"
#include "model/model_read.h"
#include "model/model_write.h"
#include "util/c_locale.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- What is it? --------------------------------------------------------------- */

psdvec_status pv_foreign_is_safetensors(psdvec_context *ctx, const char *path, bool *is)
{
    pv_map map;
    PV_TRY(pv_map_open(ctx, path, false, &map));
    /* The length of the header, below 2^48, and the header. */
    *is = map.size >= 9 && map.data[8] == '{' && map.data[7] == 0 && map.data[6] == 0;
    pv_map_close(ctx, &map);
    return PSDVEC_OK;
}

/* Formats that are recognised but not supported. */
static const struct known_start {
    const char *bytes; /* '?' stands for any byte */
    size_t length;
    const char *what;
} known_starts[] = {
    {"\x1f\x8b", 2, "is compressed with gzip; decompress it first with gunzip"},
    {"BZh?1AY&SY", 10, "is compressed with bzip2; decompress it first with bunzip2"},
    {"\xfd\x37\x7a\x58\x5a", 5, "is compressed with xz; decompress it first with unxz"},
    {"\x28\xb5\x2f\xfd", 4, "is compressed with zstd; decompress it first with unzstd"},
    {"\x04\x22\x4d\x18", 4, "is compressed with lz4; decompress it first with unlz4"},
    {"PK\x03\x04", 4, "is a zip archive (or numpy's npz, or a PyTorch file); unpack it first"},
    {"\xba\x16\x4f\x2f", 4, "is a fastText model; use the .vec file that belongs to it"},
    {"\x89HDF", 4, "is an HDF5 file; save the vectors as npy instead"},
    {"\x80\x04\x95", 3, "is a Python pickle; save the vectors as npy or word2vec instead"},
    {"\x80\x03", 2, "is a Python pickle; save the vectors as npy or word2vec instead"},
    {"\x80\x02", 2, "is a Python pickle; save the vectors as npy or word2vec instead"},
};

static bool begins_with(const pv_source *s, const char *bytes, size_t length)
{
    if ((size_t)(s->end - s->data) < length)
        return false;
    for (size_t k = 0; k < length; k++)
        if (bytes[k] != '?' && s->data[k] != bytes[k])
            return false;
    return true;
}

bool pv_foreign_digits(const char **at, const char *end, uint64_t *value)
{
    const char *p = *at;
    for (*value = 0; p < end && *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*p - '0'), value))
            return false;
    bool any = p > *at;
    *at = p;
    return any;
}

/* A header line consists of exactly two integers. */
static pv_header read_header(const pv_source *s)
{
    pv_header none = {.behind = s->data}, h = {.there = true};
    const char *p = s->data;
    if (!pv_foreign_digits(&p, s->end, &h.words) || p == s->end || (*p != ' ' && *p != '\t'))
        return none;
    while (p < s->end && (*p == ' ' || *p == '\t'))
        p++;
    if (!pv_foreign_digits(&p, s->end, &h.dim))
        return none;
    while (p < s->end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    if (p < s->end && *p != '\n')
        return none;
    h.behind = p < s->end ? p + 1 : p;
    return h;
}

static psdvec_status check_header(const pv_source *s, const pv_header *h)
{
    if (h->words == 0 || h->dim == 0)
        return pv_fail(s->ctx, PSDVEC_ERR_EMPTY,
                       "%s: line 1 declares %" PRIu64 " words of %" PRIu64 " dimensions, so the "
                       "file has no vectors",
                       s->path, h->words, h->dim);
    if (h->words > PV_MODEL_MOST_WORDS || h->dim > UINT32_MAX)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line 1 declares %" PRIu64 " words of %" PRIu64 " dimensions, which is "
                       "impossible",
                       s->path, h->words, h->dim);
    return PSDVEC_OK;
}

/* ---- What all readers do ---------------------------------------------------------- */

bool pv_foreign_next_line(const char **at, const char *end, pv_span *line)
{
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at)), *stop = newline ? newline : end;
    *line = (pv_span){*at, (size_t)(stop - *at)};
    *at = newline ? newline + 1 : end;
    return true;
}

psdvec_status pv_foreign_allocate(const pv_source *s, uint64_t words, uint64_t dim, pv_foreign *f)
{
    size_t numbers;
    if (words == 0 || dim == 0)
        return pv_fail(s->ctx, PSDVEC_ERR_EMPTY, "%s: has no vectors", s->path);
    if (words > PV_MODEL_MOST_WORDS || dim > UINT32_MAX ||
        !pv_mul((size_t)words, (size_t)dim, &numbers))
        return pv_fail(s->ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: %" PRIu64 " words of %" PRIu64 " dimensions are too many", s->path,
                       words, dim);
    f->words = (uint32_t)words;
    f->dim = (uint32_t)dim;
    PV_TAKE(&f->scope, f->vectors, numbers);
    PV_TAKE(&f->scope, f->spans, words);
    return pv_scope_status(&f->scope);
}

/* Writes the word to `to` (if not NULL) with U+FFFD for every byte that is not part of a UTF-8
 * sequence; returns the resulting length. */
static size_t replace_invalid_utf8(const pv_span *word, char *to, bool *bad)
{
    size_t length = 0;
    for (size_t k = 0; k < word->length;) {
        size_t sequence = pv_utf8_sequence(word->at + k, word->length - k);
        if (to)
            memcpy(to + length, sequence ? word->at + k : PV_UTF8_REPLACEMENT,
                   sequence ? sequence : 3);
        length += sequence ? sequence : 3;
        k += sequence ? sequence : 1;
        *bad |= sequence == 0;
    }
    return length;
}

static psdvec_status copy_words(const pv_source *s, pv_foreign *f)
{
    uint64_t total = 0, mended = 0;
    PV_TAKE(&f->scope, f->offsets, (size_t)f->words + 1);
    PV_TRY(pv_scope_status(&f->scope));
    for (uint32_t i = 0; i < f->words; i++) {
        bool bad = false;
        f->offsets[i] = total;
        total += replace_invalid_utf8(&f->spans[i], NULL, &bad);
        mended += bad;
    }
    f->offsets[f->words] = total;
    PV_TAKE(&f->scope, f->bytes, (size_t)total);
    PV_TRY(pv_scope_status(&f->scope));
    for (uint32_t i = 0; i < f->words; i++) {
        bool bad = false;
        replace_invalid_utf8(&f->spans[i], f->bytes + f->offsets[i], &bad);
    }
    if (mended)
        pv_warn(s->ctx, "%s: %" PRIu64 " %s not valid UTF-8; each bad byte became U+FFFD", s->path,
                mended, mended == 1 ? "word is" : "words are");
    return PSDVEC_OK;
}

psdvec_status pv_foreign_take_words(const pv_source *s, pv_foreign *f)
{
    PV_TRY(copy_words(s, f));
    pv_scope_drop(&f->scope, f->spans);
    pv_word_index index;
    PV_TRY(
        pv_word_index_init(&index, s->ctx, f->words, f->bytes, f->offsets, "the index of words"));
    /* Words move forward over duplicates; those in the index have already moved. */
    uint32_t kept = 0, other, dim = f->dim;
    uint64_t begin = 0;
    for (uint32_t i = 0; i < f->words; i++) {
        uint64_t end = f->offsets[i + 1], length = end - begin;
        if (kept < i) {
            memmove(f->bytes + f->offsets[kept], f->bytes + begin, length);
            f->offsets[kept + 1] = f->offsets[kept] + length;
        }
        if (pv_word_index_add(&index, kept, &other)) {
            if (kept < i)
                memcpy(f->vectors + (size_t)kept * dim, f->vectors + (size_t)i * dim,
                       (size_t)dim * sizeof *f->vectors);
            kept++;
        }
        begin = end;
    }
    pv_word_index_free(&index);
    if (kept < f->words)
        pv_warn(s->ctx, "%s: %" PRIu32 " duplicate %s skipped; the first vector of a word is used",
                s->path, f->words - kept, f->words - kept == 1 ? "word was" : "words were");
    f->words = kept;
    return PSDVEC_OK;
}

/* ---- word2vec's binary ----------------------------------------------------------
 *
 * A header line as in the text format, then for each word its bytes, a space, and the components as
 * float32, little-endian. word2vec writes a newline after each vector, other programs do not; so
 * newlines before a word are skipped. */

enum { WORDS_AT_A_TIME = 4096 }; /* between two checks for cancellation */

static psdvec_status fail_word(const pv_source *s, uint64_t i, const char *cause)
{
    return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED, "%s: word %" PRIu64 ": %s", s->path, i + 1, cause);
}

/* Reads the word at *at, after newlines; *at then points after its space, to `bytes` bytes of
 * vector data. False if the file is too short. */
static bool next_word(const pv_source *s, const char **at, size_t bytes, pv_span *word)
{
    while (*at < s->end && **at == '\n')
        ++*at;
    const char *space = memchr(*at, ' ', (size_t)(s->end - *at));
    if (!space || (size_t)(s->end - space) - 1 < bytes)
        return false;
    *word = (pv_span){*at, (size_t)(space - *at)};
    *at = space + 1;
    return true;
}

static bool is_sound(const pv_span *word)
{
    return word->length > 0 && !memchr(word->at, '\n', word->length);
}

static const char *skip_line_ends(const char *at, const char *end)
{
    while (at < end && (*at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* True if the data after the header line can be read as binary to the end. */
static bool binary_fits(const pv_source *s, const pv_header *header)
{
    const char *at = header->behind;
    size_t bytes = (size_t)header->dim * sizeof(float);
    pv_span word;
    for (uint64_t i = 0; i < header->words; i++) {
        if (!next_word(s, &at, bytes, &word) || !is_sound(&word))
            return false;
        at += bytes;
    }
    return skip_line_ends(at, s->end) == s->end;
}

static psdvec_status read_binary(const pv_source *s, const pv_header *header, pv_foreign *f)
{
    /* The shortest record is a letter, a space and the components. */
    uint64_t least, record = header->dim * sizeof(float) + 2,
                    have = (uint64_t)(s->end - header->behind);
    if (__builtin_mul_overflow(header->words, record, &least) || least > have)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line 1 declares %" PRIu64 " words of %" PRIu64 " dimensions, but the "
                       "file has only %" PRIu64 " bytes; it may be truncated",
                       s->path, header->words, header->dim, have);
    PV_TRY(pv_foreign_allocate(s, header->words, header->dim, f));
    size_t bytes = (size_t)f->dim * sizeof *f->vectors;
    const char *at = header->behind;
    pv_progress progress;
    pv_progress_begin(&progress, s->ctx, "reading", "B", have);
    for (uint32_t i = 0; i < f->words; i++) {
        const char *began = at;
        if (!next_word(s, &at, bytes, &f->spans[i]))
            return fail_word(s, i, "the file ends inside its vector; it may be truncated");
        if (!is_sound(&f->spans[i]))
            return fail_word(s, i, "it is empty or contains a line break; the file may be damaged");
        memcpy(f->vectors + (size_t)i * f->dim, at, bytes);
        at += bytes;
        pv_progress_add(&progress, (uint64_t)(at - began));
        if (i % WORDS_AT_A_TIME == 0)
            PV_TRY(pv_check_cancel(s->ctx));
    }
    at = skip_line_ends(at, s->end);
    if (at < s->end)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: %zu bytes follow the last of the %" PRIu32 " words that line 1 "
                       "declares",
                       s->path, (size_t)(s->end - at), f->words);
    pv_progress_end(&progress);
    return pv_foreign_take_words(s, f);
}

/* ---- The file -------------------------------------------------------------------- */

static bool has_control_characters(const char *at, const char *end)
{
    if (end - at > 65536)
        end = at + 65536;
    for (; at < end; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
            return true;
    }
    return false;
}

/* Binary data may by chance look like a line of text, and a small file may have no bytes that do
 * not occur in text. So: binary if both criteria hold; else text if the next line is a word with
 * its components; else binary if one criterion holds. */
static bool is_binary(const pv_source *s, const pv_header *h)
{
    bool control = has_control_characters(h->behind, s->end);
    if (control && binary_fits(s, h))
        return true;
    if (pv_foreign_line_fits(h->behind, s->end, h->dim))
        return false;
    return control || binary_fits(s, h);
}

static psdvec_status read_source(pv_source *s, const char *words_file, pv_foreign *f)
{
    if (s->data == s->end)
        return pv_fail(s->ctx, PSDVEC_ERR_EMPTY, "%s: is empty", s->path);
    for (size_t k = 0; k < sizeof known_starts / sizeof known_starts[0]; k++)
        if (begins_with(s, known_starts[k].bytes, known_starts[k].length))
            return pv_fail(s->ctx, PSDVEC_ERR_FORMAT, "%s: %s", s->path, known_starts[k].what);
    f->npy = begins_with(s, "\x93NUMPY", 6);
    pv_header header = {0};
    if (f->npy) {
        PV_TRY(pv_foreign_npy(s, words_file, f));
    } else {
        if (begins_with(s, "\xef\xbb\xbf", 3)) /* a byte order mark */
            s->data += 3;
        header = read_header(s);
        if (header.there)
            PV_TRY(check_header(s, &header));
        if (!header.there || !is_binary(s, &header))
            return pv_foreign_text(s, &header, f);
        PV_TRY(read_binary(s, &header, f));
    }
    return pv_model_check_finite(s->ctx, s->path, f->vectors, f->words, f->dim, f->dim, f->bytes,
                                 f->offsets);
}

psdvec_status pv_foreign_read(psdvec_context *ctx, const char *path, const char *words_file,
                              pv_foreign *f)
{
    pv_map map;
    *f = (pv_foreign){.scope = {.ctx = ctx, .what = "the vectors"}};
    PV_TRY(pv_map_open(ctx, path, false, &map));
    const char *data = map.data ? (const char *)map.data : "";
    pv_source source = {.ctx = ctx, .path = path, .data = data, .end = data + map.size};
    f->file_bytes = map.size;
    psdvec_status status = read_source(&source, words_file, f);
    pv_map_close(ctx, &map);
    return status;
}

char *pv_foreign_words_path(const char *npy)
{
    size_t stem = strlen(npy);
    if (stem > 4 && strcmp(npy + stem - 4, ".npy") == 0)
        stem -= 4;
    char *path = NULL;
    if (pv_asprintf(&path, "%.*s.words.txt", (int)stem, npy) < 0)
        return NULL;
    return path;
}
