/* Recognising other programs' vectors, and what their readers share. */
#include "model/foreign.h"

#include "model/model_read.h"
#include "util/c_locale.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is it? --------------------------------------------------------------- */

static bool looks_like_safetensors(const unsigned char *data, size_t size)
{
    /* The length of the header, below 2^48, and the header. */
    return size >= 9 && data[8] == '{' && data[7] == 0 && data[6] == 0;
}

psdvec_status pv_foreign_is_safetensors(psdvec_context *ctx, const char *path, bool *is)
{
    pv_map map;
    PV_TRY(pv_map_open(ctx, path, false, &map));
    *is = looks_like_safetensors(map.data, map.size);
    pv_map_close(ctx, &map);
    return PSDVEC_OK;
}

/* What is known, but not read here. */
static const struct known_start {
    const char *bytes; /* at this offset: */
    size_t length, offset;
    const char *what;
} known_starts[] = {
    {"\x1f\x8b", 2, 0, "is packed with gzip; unpack it first, with gunzip"},
    {"1AY&SY", 6, 4, "is packed with bzip2; unpack it first, with bunzip2"},
    {"\xfd\x37\x7a\x58\x5a", 5, 0, "is packed with xz; unpack it first, with unxz"},
    {"\x28\xb5\x2f\xfd", 4, 0, "is packed with zstd; unpack it first, with unzstd"},
    {"\x04\x22\x4d\x18", 4, 0, "is packed with lz4; unpack it first, with unlz4"},
    {"PK\x03\x04", 4, 0, "is a zip archive (or numpy's npz, or a PyTorch file); unpack it first"},
    {"\xba\x16\x4f\x2f", 4, 0, "is a fastText model; use the .vec file that stands beside it"},
    {"\x89HDF", 4, 0, "is an HDF5 file; save the vectors as npy instead"},
    {"\x80\x04\x95", 3, 0, "is a Python pickle; save the vectors as npy or word2vec instead"},
    {"\x80\x03", 2, 0, "is a Python pickle; save the vectors as npy or word2vec instead"},
    {"\x80\x02", 2, 0, "is a Python pickle; save the vectors as npy or word2vec instead"},
};

static bool has_at(const pv_source *s, size_t offset, const char *bytes, size_t length)
{
    return (size_t)(s->end - s->data) >= offset + length &&
           memcmp(s->data + offset, bytes, length) == 0;
}

static bool starts_with(const pv_source *s, const char *bytes, size_t length)
{
    return has_at(s, 0, bytes, length);
}

static psdvec_status refuse_known(const pv_source *s)
{
    for (size_t k = 0; k < sizeof known_starts / sizeof known_starts[0]; k++)
        if (has_at(s, known_starts[k].offset, known_starts[k].bytes, known_starts[k].length))
            return pv_fail(s->ctx, PSDVEC_ERR_FORMAT, "%s: %s", s->path, known_starts[k].what);
    return PSDVEC_OK;
}

static const char *read_digits(const char *at, const char *end, uint64_t *value)
{
    const char *p = at;
    *value = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*p - '0'), value))
            return at;
    return p;
}

/* Two whole numbers and nothing else are a first line. */
static pv_header read_header(const pv_source *s)
{
    pv_header none = {.behind = s->data}, h = {.there = true};
    const char *p = s->data, *digits;
    digits = p;
    p = read_digits(p, s->end, &h.words);
    if (p == digits || p == s->end || (*p != ' ' && *p != '\t'))
        return none;
    while (p < s->end && (*p == ' ' || *p == '\t'))
        p++;
    digits = p;
    p = read_digits(p, s->end, &h.dim);
    if (p == digits)
        return none;
    while (p < s->end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    if (p < s->end && *p != '\n')
        return none;
    h.behind = p < s->end ? p + 1 : p;
    return h;
}

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

/* Numbers in binary may by chance look like a line of text, and a few of them have no
 * byte that text does not have. So: binary, if both signs are there; else text, if the
 * next line is a word with its numbers; else what one sign says. */
static bool is_binary(const pv_source *s, const pv_header *h)
{
    bool control = has_control_characters(h->behind, s->end);
    if (control && pv_foreign_binary_fits(s, h))
        return true;
    if (pv_foreign_line_fits(h->behind, s->end, h->dim))
        return false;
    return control || pv_foreign_binary_fits(s, h);
}

static psdvec_status check_header(const pv_source *s, const pv_header *h)
{
    if (h->words == 0 || h->dim == 0)
        return pv_fail(s->ctx, PSDVEC_ERR_EMPTY,
                       "%s: line 1 promises %" PRIu64 " words of %" PRIu64
                       " numbers: there is nothing in it",
                       s->path, h->words, h->dim);
    if (h->words > PV_MODEL_MOST_WORDS || h->dim > UINT32_MAX)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line 1 promises %" PRIu64 " words of %" PRIu64
                       " numbers, which cannot be",
                       s->path, h->words, h->dim);
    return PSDVEC_OK;
}

static psdvec_status read_source(pv_source *s, const char *words_file, pv_foreign *f)
{
    if (s->data == s->end)
        return pv_fail(s->ctx, PSDVEC_ERR_EMPTY, "%s: is empty", s->path);
    PV_TRY(refuse_known(s));
    if (starts_with(s, "\x93NUMPY", 6)) {
        f->npy = true;
        return pv_foreign_npy(s, words_file, f);
    }
    if (starts_with(s, "\xef\xbb\xbf", 3)) /* a byte order mark */
        s->data += 3;
    pv_header header = read_header(s);
    if (header.there) {
        PV_TRY(check_header(s, &header));
        if (is_binary(s, &header))
            return pv_foreign_binary(s, &header, f);
    }
    return pv_foreign_text(s, &header, f);
}

psdvec_status pv_foreign_read(psdvec_context *ctx, const char *path, const char *words_file,
                              pv_foreign *f)
{
    pv_map map;
    *f = (pv_foreign){0};
    PV_TRY(pv_map_open(ctx, path, false, &map));
    const char *data = map.data ? (const char *)map.data : "";
    pv_source source = {.ctx = ctx, .path = path, .data = data, .end = data + map.size};
    f->file_bytes = map.size;
    psdvec_status status = read_source(&source, words_file, f);
    pv_map_close(ctx, &map);
    return status;
}

void pv_foreign_free(psdvec_context *ctx, pv_foreign *f)
{
    pv_free(ctx, f->bytes);
    pv_free(ctx, f->offsets);
    pv_free(ctx, f->vectors);
    *f = (pv_foreign){0};
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

/* ---- What all readers do ---------------------------------------------------------- */

psdvec_status pv_foreign_allocate(const pv_source *s, uint64_t words, uint64_t dim, pv_foreign *f)
{
    size_t numbers;
    if (words == 0 || dim == 0)
        return pv_fail(s->ctx, PSDVEC_ERR_EMPTY, "%s: there are no vectors in it", s->path);
    if (words > PV_MODEL_MOST_WORDS || dim > UINT32_MAX ||
        !pv_mul((size_t)words, (size_t)dim, &numbers))
        return pv_fail(s->ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: %" PRIu64 " words of %" PRIu64 " numbers are too many", s->path, words,
                       dim);
    f->words = (uint32_t)words;
    f->dim = (uint32_t)dim;
    f->vectors = pv_alloc(s->ctx, numbers, sizeof *f->vectors, "the vectors");
    return f->vectors ? PSDVEC_OK : pv_failure(s->ctx);
}

/* Writes the word to `to` (if not NULL) with U+FFFD for every byte that is not part
 * of a UTF-8 sequence; returns its length then. */
static size_t mend(const pv_span *word, char *to, bool *bad)
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

static psdvec_status copy_words(const pv_source *s, const pv_span *spans, pv_foreign *f)
{
    uint64_t total = 0, mended = 0;
    f->offsets = pv_alloc(s->ctx, (size_t)f->words + 1, sizeof *f->offsets, "the words");
    if (!f->offsets)
        return pv_failure(s->ctx);
    for (uint32_t i = 0; i < f->words; i++) {
        bool bad = false;
        f->offsets[i] = total;
        total += mend(&spans[i], NULL, &bad);
        mended += bad;
    }
    f->offsets[f->words] = total;
    f->bytes = pv_alloc(s->ctx, (size_t)total, 1, "the words");
    if (!f->bytes)
        return pv_failure(s->ctx);
    for (uint32_t i = 0; i < f->words; i++) {
        bool bad = false;
        mend(&spans[i], f->bytes + f->offsets[i], &bad);
    }
    if (mended)
        pv_warn(s->ctx, "%s: %" PRIu64 " %s not valid UTF-8; each bad byte became U+FFFD", s->path,
                mended, mended == 1 ? "word is" : "words are");
    return PSDVEC_OK;
}

psdvec_status pv_foreign_take_words(const pv_source *s, const pv_span *spans, pv_foreign *f)
{
    PV_TRY(copy_words(s, spans, f));
    pv_word_index index;
    PV_TRY(
        pv_word_index_init(&index, s->ctx, f->words, f->bytes, f->offsets, "the index of words"));
    /* Words move to the front over those met before; what is in the index has moved. */
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
        pv_warn(s->ctx, "%s: %" PRIu32 " %s already and left out: of equal words the first counts",
                s->path, f->words - kept,
                f->words - kept == 1 ? "word was there" : "words were there");
    f->words = kept;
    return PSDVEC_OK;
}
