/* Spelling suggestions from the words of a model, in one pass over the vocabulary.
 *
 * Two words that are k edits apart differ by at most k in length, and in at most 2k of the 64
 * classes of characters that each contains: an edit removes one class and adds another. Few words
 * pass both tests, and only for these is the distance computed, by optimal string alignment on
 * characters. Time: linear in the bytes of the vocabulary, some milliseconds for 100,000 words.
 */
#include "base/arguments.h"
#include "model/find.h"

#include <string.h>
#include <utf8proc.h>

enum {
    LONGEST = 64,          /* characters; longer words are not compared */
    WORDS_A_LOOK = 1 << 13 /* between two checks for cancellation */
};

typedef struct letters {
    utf8proc_int32_t text[LONGEST];
    uint32_t count;
    uint64_t classes; /* bit c % 64 for each character c */
} letters;

/* False if the word is too long. */
static bool read_letters(const char *word, size_t length, letters *out)
{
    out->count = 0;
    out->classes = 0;
    for (size_t k = 0; k < length;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t step = utf8proc_iterate((const utf8proc_uint8_t *)word + k,
                                                 (utf8proc_ssize_t)(length - k), &c);
        if (step <= 0) { /* not UTF-8: one byte */
            c = (unsigned char)word[k];
            step = 1;
        }
        if (out->count == LONGEST)
            return false;
        c = c < 128 ? (c >= 'A' && c <= 'Z' ? c + 32 : c) : utf8proc_tolower(c);
        out->text[out->count++] = c;
        out->classes |= (uint64_t)1 << ((uint32_t)c % 64);
        k += (size_t)step;
    }
    return true;
}

/* The distance, or something larger than `limit`. */
static uint32_t distance(const letters *a, const letters *b, uint32_t limit)
{
    uint32_t rows[3][LONGEST + 1];
    uint32_t *before = rows[0], *above = rows[1], *here = rows[2];
    for (uint32_t j = 0; j <= b->count; j++)
        above[j] = j;
    for (uint32_t i = 1; i <= a->count; i++) {
        uint32_t best = here[0] = i;
        for (uint32_t j = 1; j <= b->count; j++) {
            uint32_t least = above[j - 1] + (a->text[i - 1] != b->text[j - 1]);
            least = above[j] + 1 < least ? above[j] + 1 : least;
            least = here[j - 1] + 1 < least ? here[j - 1] + 1 : least;
            if (i > 1 && j > 1 && a->text[i - 1] == b->text[j - 2] &&
                a->text[i - 2] == b->text[j - 1] && before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            here[j] = least;
            best = least < best ? least : best;
        }
        if (best > limit)
            return limit + 1;
        uint32_t *spare = before;
        before = above;
        above = here;
        here = spare;
    }
    return above[b->count];
}

typedef struct near_word {
    uint32_t word, edits;
} near_word;

psdvec_status psdvec_model_suggest(psdvec_context *ctx, const psdvec_model *model, const char *word,
                                   size_t length, uint32_t most_edits, uint32_t *words, size_t room,
                                   size_t *count)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, count);
    *count = 0;
    PV_NEED(ctx, model);
    PV_NEED(ctx, word);
    PV_NEED_ARRAY(ctx, words, room);
    letters wanted, other;
    if (room == 0 || most_edits >= LONGEST || !read_letters(word, length, &wanted))
        return PSDVEC_OK;
    near_word *best = pv_alloc(ctx, room, sizeof *best, "near spellings");
    if (!best)
        return pv_failure(ctx);
    psdvec_status status = PSDVEC_OK;
    for (uint32_t i = 0; i < model->info.words; i++) {
        size_t other_length;
        if (i % WORDS_A_LOOK == 0)
            PV_TRY_DONE(pv_check_cancel(ctx));
        const char *text = psdvec_model_word(model, i, &other_length);
        /* A word must be strictly better than the last one of a full list. */
        uint32_t limit = *count < room ? most_edits : best[room - 1].edits;
        limit -= *count == room && limit > 0;
        if (*count == room && best[room - 1].edits == 0)
            break;
        if (other_length > 4 * ((size_t)wanted.count + limit) ||
            !read_letters(text, other_length, &other) || other.count > wanted.count + limit ||
            other.count + limit < wanted.count ||
            (uint32_t)__builtin_popcountll(wanted.classes ^ other.classes) > 2 * limit)
            continue;
        uint32_t edits = distance(&wanted, &other, limit);
        /* Most of the word must be unchanged. */
        if (edits > limit || 2 * edits > other.count)
            continue;
        size_t at = *count < room ? (*count)++ : room - 1;
        for (; at > 0 && best[at - 1].edits > edits; at--)
            best[at] = best[at - 1];
        best[at] = (near_word){.word = i, .edits = edits};
    }
    for (size_t k = 0; k < *count; k++)
        words[k] = best[k].word;
done:
    if (status != PSDVEC_OK)
        *count = 0;
    pv_free(ctx, best);
    return status;
}
