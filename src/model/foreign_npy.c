/* NumPy's npy: a matrix of float16, float32 or float64, one row per word, with the words in a
 * separate text file, one per line.
 *
 *     "\x93NUMPY", major, minor        versions 1 to 3
 *     length of the header             u16 in version 1, u32 after it
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (400000, 300), }
 *     the numbers
 *
 * The header is a Python literal, of which only this subset is supported.
 */
#include "model/foreign.h"

#include "model/model_read.h"
#include "model/precision.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct npy_header {
    char type[8]; /* "<f4" */
    bool has_type, has_order, has_shape, fortran;
    uint64_t shape[2];
    unsigned rank;
    const char *data;
} npy_header;

static psdvec_status fail_header(const pv_source *s, const char *cause)
{
    return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED, "%s: the npy header is damaged: %s", s->path, cause);
}

/* ---- A little Python ------------------------------------------------------------- */

typedef struct literal {
    const char *at, *end;
} literal;

static void skip_space(literal *l)
{
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\n' || *l->at == '\t'))
        l->at++;
}

static bool take(literal *l, const char *text)
{
    size_t length = strlen(text);
    skip_space(l);
    if ((size_t)(l->end - l->at) < length || memcmp(l->at, text, length) != 0)
        return false;
    l->at += length;
    return true;
}

/* A string in either quotes, without escapes. */
static bool take_string(literal *l, pv_span *text)
{
    skip_space(l);
    if (l->at == l->end || (*l->at != '\'' && *l->at != '"'))
        return false;
    const char *start = l->at + 1, *stop = memchr(start, *l->at, (size_t)(l->end - start));
    if (!stop)
        return false;
    *text = (pv_span){start, (size_t)(stop - start)};
    l->at = stop + 1;
    return true;
}

static bool take_shape(literal *l, npy_header *h)
{
    if (!take(l, "("))
        return false;
    for (h->rank = 0; !take(l, ")"); h->rank++) {
        uint64_t length;
        skip_space(l);
        if (h->rank == 32 || !pv_foreign_digits(&l->at, l->end, &length))
            return false;
        take(l, "L"); /* of Python 2 */
        if (h->rank < 2)
            h->shape[h->rank] = length;
        if (!take(l, ",")) {
            h->rank++;
            return take(l, ")");
        }
    }
    return true;
}

static bool is(const pv_span *text, const char *wanted)
{
    return text->length == strlen(wanted) && memcmp(text->at, wanted, text->length) == 0;
}

static bool take_member(literal *l, npy_header *h)
{
    pv_span key, text;
    if (!take_string(l, &key) || !take(l, ":"))
        return false;
    if (is(&key, "descr")) {
        /* For structured types it is a list, not a string. */
        if (!take_string(l, &text) || text.length >= sizeof h->type)
            return false;
        memcpy(h->type, text.at, text.length);
        h->type[text.length] = '\0';
        h->has_type = true;
        return true;
    }
    if (is(&key, "fortran_order")) {
        h->has_order = true;
        h->fortran = take(l, "True");
        return h->fortran || take(l, "False");
    }
    h->has_shape = is(&key, "shape");
    return h->has_shape && take_shape(l, h);
}

static bool take_header(literal *l, npy_header *h)
{
    if (!take(l, "{"))
        return false;
    while (!take(l, "}")) {
        if (!take_member(l, h))
            return false;
        if (!take(l, ","))
            return take(l, "}");
    }
    return true;
}

/* ---- The file ------------------------------------------------------------------------ */

static psdvec_status read_header(const pv_source *s, npy_header *h)
{
    const unsigned char *b = (const unsigned char *)s->data;
    size_t size = (size_t)(s->end - s->data), length, start;
    if (size < 12)
        return fail_header(s, "the file ends inside it");
    if (b[6] < 1 || b[6] > 3)
        return pv_fail(s->ctx, PSDVEC_ERR_VERSION,
                       "%s: is npy version %u, but only versions 1 to 3 are supported", s->path,
                       b[6]);
    length = b[8] | (size_t)b[9] << 8;
    start = 10;
    if (b[6] > 1) {
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
        start = 12;
    }
    if (length > size - start)
        return fail_header(s, "the file ends inside it");
    literal l = {s->data + start, s->data + start + length};
    *h = (npy_header){.data = l.end};
    if (!take_header(&l, h) || !h->has_type || !h->has_order || !h->has_shape)
        return fail_header(s, "it does not declare the type of the numbers");
    return PSDVEC_OK;
}

static psdvec_status check_header(const pv_source *s, const npy_header *h, size_t *width)
{
    *width = strcmp(h->type, "<f2") == 0   ? sizeof(uint16_t)
             : strcmp(h->type, "<f4") == 0 ? sizeof(float)
             : strcmp(h->type, "<f8") == 0 ? sizeof(double)
                                           : 0;
    if (*width == 0)
        return pv_fail(s->ctx, PSDVEC_ERR_FORMAT,
                       "%s: its numbers are of type '%s'; save them as '<f2', '<f4' or '<f8', with "
                       "a.astype('<f4')",
                       s->path, pv_st_show(h->type).text);
    if (h->rank != 2)
        return pv_fail(s->ctx, PSDVEC_ERR_FORMAT,
                       "%s: the array has %u dimensions, but must have 2: a row for each word",
                       s->path, h->rank);
    if (h->fortran)
        return pv_fail(s->ctx, PSDVEC_ERR_FORMAT,
                       "%s: is stored by columns; save it by rows, with np.ascontiguousarray(a)",
                       s->path);
    uint64_t numbers, bytes, have = (uint64_t)(s->end - h->data);
    if (__builtin_mul_overflow(h->shape[0], h->shape[1], &numbers) ||
        __builtin_mul_overflow(numbers, *width, &bytes) || bytes != have)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: declares %" PRIu64 " rows of %" PRIu64 " numbers, but has %" PRIu64 " "
                       "bytes of data; it may be truncated",
                       s->path, h->shape[0], h->shape[1], have);
    return PSDVEC_OK;
}

static void copy_numbers(const npy_header *h, size_t width, pv_foreign *f)
{
    size_t numbers = (size_t)f->words * f->dim;
    if (width == sizeof(float)) {
        memcpy(f->vectors, h->data, numbers * sizeof(float));
        return;
    }
    for (size_t k = 0; k < numbers && width == sizeof(uint16_t); k++) {
        uint16_t half; /* may be unaligned */
        memcpy(&half, h->data + k * sizeof half, sizeof half);
        f->vectors[k] = pv_half_to(half);
    }
    for (size_t k = 0; k < numbers && width == sizeof(double); k++) {
        double wide;
        memcpy(&wide, h->data + k * sizeof wide, sizeof wide);
        f->vectors[k] = (float)wide;
    }
}

/* ---- The words --------------------------------------------------------------------- */

static psdvec_status find_words(const pv_source *list, const pv_source *s, pv_foreign *f)
{
    uint64_t line = 0;
    pv_span word;
    for (const char *at = list->data; pv_foreign_next_line(&at, list->end, &word); line++) {
        if (word.length > 0 && word.at[word.length - 1] == '\r')
            word.length--;
        if (word.length == 0)
            return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                           "%s: line %" PRIu64 ": is empty; each row of %s needs a word",
                           list->path, line + 1, s->path);
        if (line < f->words)
            f->spans[line] = word;
    }
    if (line != f->words)
        return pv_fail(s->ctx, PSDVEC_ERR_MISMATCH,
                       "%s: has %" PRIu64 " words, but %s has %" PRIu32
                       " rows; they do not belong together",
                       list->path, line, s->path, f->words);
    return pv_foreign_take_words(list, f);
}

static psdvec_status read_words(const pv_source *s, const char *path, pv_foreign *f)
{
    pv_map map;
    if (access(path, F_OK) != 0)
        return pv_fail(s->ctx, PSDVEC_ERR_NOT_FOUND,
                       "%s: does not contain the words, and there is no file %s; write them "
                       "there, one per line, or give the file with `words_file`",
                       s->path, path);
    PV_TRY(pv_map_open(s->ctx, path, false, &map));
    const char *data = map.data ? (const char *)map.data : "";
    pv_source list = {.ctx = s->ctx, .path = path, .data = data, .end = data + map.size};
    if (map.size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
        list.data += 3;
    psdvec_status status = find_words(&list, s, f);
    pv_map_close(s->ctx, &map);
    return status;
}

psdvec_status pv_foreign_npy(const pv_source *s, const char *words_file, pv_foreign *f)
{
    npy_header header = {.data = s->data};
    size_t width = 0;
    PV_TRY(read_header(s, &header));
    PV_TRY(check_header(s, &header, &width));
    PV_TRY(pv_foreign_allocate(s, header.shape[0], header.shape[1], f));
    copy_numbers(&header, width, f);
    f->precision = width == sizeof(uint16_t) ? PSDVEC_FLOAT16 : PSDVEC_FLOAT32;
    char *beside = words_file ? NULL : pv_foreign_words_path(s->path);
    if (!words_file && !beside)
        return pv_fail(s->ctx, PSDVEC_ERR_MEMORY, "out of memory");
    psdvec_status status = read_words(s, words_file ? words_file : beside, f);
    free(beside);
    return status;
}
