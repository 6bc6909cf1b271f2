/* The index of words. */
#include "base/word_index.h"

#include "base/safetensors_read.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

psdvec_status pv_word_index_init(pv_word_index *index, psdvec_context *ctx, uint32_t words,
                                 const char *bytes, const uint64_t *offsets, const char *what)
{
    size_t slots = 64;
    while (slots / 5 * 3 < words) /* filled to 60 % at most */
        slots *= 2;
    *index = (pv_word_index){.ctx = ctx, .bytes = bytes, .offsets = offsets, .mask = slots - 1};
    index->slots = pv_alloc_zero(ctx, slots, sizeof *index->slots, what);
    if (!index->slots)
        return what ? pv_failure(ctx) : PSDVEC_ERR_BUDGET;
    return PSDVEC_OK;
}

void pv_word_index_free(pv_word_index *index)
{
    if (index->ctx)
        pv_free(index->ctx, index->slots);
    *index = (pv_word_index){0};
}

/* The slot of an equal word, or the empty one where it would go. */
static uint64_t *look(const pv_word_index *index, const char *word, size_t length, uint32_t *tag)
{
    uint64_t hash = XXH3_64bits(word, length);
    *tag = (uint32_t)(hash >> 32);
    for (size_t k = hash & index->mask;; k = (k + 1) & index->mask) {
        uint64_t slot = index->slots[k];
        if (slot == 0)
            return &index->slots[k];
        if ((uint32_t)(slot >> 32) != *tag)
            continue;
        uint32_t i = (uint32_t)slot - 1;
        uint64_t begin = index->offsets[i];
        if (index->offsets[i + 1] - begin == length &&
            memcmp(index->bytes + begin, word, length) == 0)
            return &index->slots[k];
    }
}

bool pv_word_index_add(pv_word_index *index, uint32_t i, uint32_t *other)
{
    uint32_t tag;
    uint64_t begin = index->offsets[i];
    uint64_t *slot =
        look(index, index->bytes + begin, (size_t)(index->offsets[i + 1] - begin), &tag);
    if (*slot != 0) {
        *other = (uint32_t)*slot - 1;
        return false;
    }
    *slot = (uint64_t)tag << 32 | (i + 1);
    return true;
}

psdvec_status pv_word_index_fill(pv_word_index *index, psdvec_context *ctx, uint32_t words,
                                 const char *path, const char *thing)
{
    for (uint32_t i = 0, other; i < words; i++) {
        uint64_t begin = index->offsets[i], length = index->offsets[i + 1] - begin;
        if (length == 0)
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                           "%s: %s damaged: word %" PRIu32 " of %" PRIu32 " is empty; create the "
                           "file again",
                           path, thing, i + 1, words);
        if (!pv_word_index_add(index, i, &other))
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                           "%s: %s damaged: the words %" PRIu32 " and %" PRIu32 " are both '%s'; "
                           "create the file again",
                           path, thing, other + 1, i + 1,
                           pv_word_shown(index->bytes + begin, (size_t)length).text);
    }
    return PSDVEC_OK;
}

bool pv_word_index_find(const pv_word_index *index, const char *word, size_t length, uint32_t *i)
{
    uint32_t tag;
    uint64_t slot = *look(index, word, length, &tag);
    if (slot == 0)
        return false;
    *i = (uint32_t)slot - 1;
    return true;
}
