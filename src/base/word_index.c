/* The index of words.
 *
 * All words of a file are added when it is opened, so this must be fast: hashes are computed for a
 * block of words at a time, and their slots are fetched into the cache before they are needed. A
 * word takes about 10 nanoseconds.
 */
#include "base/word_index.h"

#include "base/safetensors_read.h"

#include <inttypes.h>
#include <string.h>
#define XXH_INLINE_ALL /* a call takes as long as hashing a short word */
#include <xxhash.h>

enum { BLOCK_WORDS = 64 };

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
static inline uint64_t *look(const pv_word_index *index, uint64_t hash, const char *word,
                             size_t length)
{
    for (size_t k = hash & index->mask;; k = (k + 1) & index->mask) {
        uint64_t slot = index->slots[k];
        if (slot == 0)
            return &index->slots[k];
        if (slot >> 32 != hash >> 32)
            continue;
        uint32_t i = (uint32_t)slot - 1;
        uint64_t begin = index->offsets[i];
        if (index->offsets[i + 1] - begin == length &&
            memcmp(index->bytes + begin, word, length) == 0)
            return &index->slots[k];
    }
}

static inline bool add(pv_word_index *index, uint64_t hash, uint32_t i, uint32_t *other)
{
    uint64_t begin = index->offsets[i];
    uint64_t *slot =
        look(index, hash, index->bytes + begin, (size_t)(index->offsets[i + 1] - begin));
    if (*slot != 0) {
        *other = (uint32_t)*slot - 1;
        return false;
    }
    *slot = hash >> 32 << 32 | (i + 1);
    return true;
}

bool pv_word_index_add(pv_word_index *index, uint32_t i, uint32_t *other)
{
    uint64_t begin = index->offsets[i];
    size_t length = (size_t)(index->offsets[i + 1] - begin);
    return add(index, XXH3_64bits(index->bytes + begin, length), i, other);
}

uint32_t pv_word_index_add_from(pv_word_index *index, uint32_t first, uint32_t end, uint32_t *other)
{
    uint64_t hash[BLOCK_WORDS];
    for (uint32_t block = first, count; block < end; block += count) {
        count = end - block < BLOCK_WORDS ? end - block : BLOCK_WORDS;
        for (uint32_t k = 0; k < count; k++) {
            uint64_t begin = index->offsets[block + k];
            hash[k] =
                XXH3_64bits(index->bytes + begin, (size_t)(index->offsets[block + k + 1] - begin));
            __builtin_prefetch(&index->slots[hash[k] & index->mask], 1);
        }
        for (uint32_t k = 0; k < count; k++)
            if (!add(index, hash[k], block + k, other))
                return block + k;
    }
    return end;
}

void pv_word_index_add_all(pv_word_index *index, uint32_t words)
{
    for (uint32_t i = 0, other; i < words; i++)
        i = pv_word_index_add_from(index, i, words, &other);
}

psdvec_status pv_word_index_fill(pv_word_index *index, psdvec_context *ctx, uint32_t words,
                                 const char *path, const char *thing)
{
    uint32_t other = 0, empty = 0;
    while (empty < words && index->offsets[empty] < index->offsets[empty + 1])
        empty++;
    if (empty < words)
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                       "%s: %s damaged: word %" PRIu32 " of %" PRIu32 " is empty; create the file "
                       "again",
                       path, thing, empty + 1, words);
    uint32_t again = pv_word_index_add_from(index, 0, words, &other);
    if (again == words)
        return PSDVEC_OK;
    uint64_t begin = index->offsets[again];
    return pv_fail(
        ctx, PSDVEC_ERR_CORRUPT,
        "%s: %s damaged: the words %" PRIu32 " and %" PRIu32
        " are both '%s'; create the file again",
        path, thing, other + 1, again + 1,
        pv_word_shown(index->bytes + begin, (size_t)(index->offsets[again + 1] - begin)).text);
}

bool pv_word_index_find(const pv_word_index *index, const char *word, size_t length, uint32_t *i)
{
    uint64_t slot = *look(index, XXH3_64bits(word, length), word, length);
    if (slot == 0)
        return false;
    *i = (uint32_t)slot - 1;
    return true;
}
