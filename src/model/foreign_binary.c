/* word2vec's binary: a first line as in its text, then for each word its bytes, a
 * space, and the numbers as float32, little-endian. word2vec writes a newline behind
 * each vector, others do not; so newlines in front of a word are passed over.
 */
#include "model/foreign.h"

#include "base/progress.h"
#include "model/model_write.h"

#include <inttypes.h>
#include <string.h>

enum { WORDS_AT_A_TIME = 4096 }; /* between two questions about stopping */

static psdvec_status fail_word(const pv_source *s, uint64_t i, const char *cause)
{
    return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED, "%s: word %" PRIu64 ": %s", s->path, i + 1, cause);
}

/* The word at *at, behind newlines; *at is then behind its space, where `bytes` bytes of
 * numbers stand. False if the file ends before they do. */
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

bool pv_foreign_binary_fits(const pv_source *s, const pv_header *header)
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

static psdvec_status read_records(const pv_source *s, const pv_header *header, pv_span *spans,
                                  pv_foreign *f)
{
    size_t bytes = (size_t)f->dim * sizeof *f->vectors;
    const char *at = header->behind;
    pv_progress progress;
    pv_progress_begin(&progress, s->ctx, "reading", "B", (uint64_t)(s->end - at));
    for (uint32_t i = 0; i < f->words; i++) {
        const char *began = at;
        if (!next_word(s, &at, bytes, &spans[i]))
            return fail_word(s, i, "the file ends before its vector does; was it cut off?");
        if (!is_sound(&spans[i]))
            return fail_word(s, i, "it is empty or has a line break in it; is the file damaged?");
        memcpy(f->vectors + (size_t)i * f->dim, at, bytes);
        at += bytes;
        pv_progress_add(&progress, (uint64_t)(at - began));
        if (i % WORDS_AT_A_TIME == 0)
            PV_TRY(pv_check_cancel(s->ctx));
    }
    at = skip_line_ends(at, s->end);
    if (at < s->end)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: %zu bytes stand behind the last of the %" PRIu32
                       " words that line 1 promises",
                       s->path, (size_t)(s->end - at), f->words);
    pv_progress_end(&progress);
    return PSDVEC_OK;
}

psdvec_status pv_foreign_binary(const pv_source *s, const pv_header *header, pv_foreign *f)
{
    /* A letter, a space and the numbers: less cannot be a word. */
    uint64_t least, record = header->dim * sizeof(float) + 2,
                    have = (uint64_t)(s->end - header->behind);
    if (__builtin_mul_overflow(header->words, record, &least) || least > have)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line 1 promises %" PRIu64 " words of %" PRIu64
                       " numbers, for which %" PRIu64 " bytes are too few; was it cut off?",
                       s->path, header->words, header->dim, have);
    PV_TRY(pv_foreign_allocate(s, header->words, header->dim, f));
    pv_span *spans = pv_alloc(s->ctx, f->words, sizeof *spans, "reading vectors");
    if (!spans)
        return pv_failure(s->ctx);
    psdvec_status status = read_records(s, header, spans, f);
    if (status == PSDVEC_OK)
        status = pv_foreign_take_words(s, spans, f);
    pv_free(s->ctx, spans);
    PV_TRY(status);
    return pv_model_check_finite(s->ctx, s->path, f->vectors, f->words, f->dim, f->dim, f->bytes,
                                 f->offsets);
}
