/* The word table: a hash table optimised for looking up every token of a text.
 *
 *     slots   [tag|id] [tag|id] [  0  ] ...      8 bytes each, open addressing
 *     words   { 16 bytes of the word | value | length | tail }   32 bytes each
 *     tails   bytes of the words longer than 16
 *
 * A word of 16 bytes or less, which is nearly every word, is compared as two machine words inside
 * half a cache line: a lookup touches one slot and one entry. Ids are assigned in order of arrival:
 * 0, 1, 2, ...
 */
#ifndef PV_COUNT_WORD_TABLE_H
#define PV_COUNT_WORD_TABLE_H

#include "base/memory.h"

#include <string.h>

enum {
    PV_WORD_INLINE = 16,
    PV_TABLE_MOST = (1 << 30) - 2 /* words: tokens have 30 bits (token_store.h), two of which are
                                   * marks */
};

typedef struct pv_word {
    uint64_t head[2]; /* the first 16 bytes, zero-padded */
    uint64_t value;   /* for the caller: a frequency, or another id */
    uint32_t length;
    uint32_t tail; /* if longer than 16: position of all its bytes, in units of 8 */
} pv_word;

typedef struct pv_word_table {
    pv_scope memory;
    pv_word *words;
    uint32_t count, capacity;
    uint64_t *slots; /* tag in the upper half, id + 1 in the lower */
    size_t mask;
    char *tails;
    size_t tails_used, tails_capacity; /* bytes */
} pv_word_table;

/* A word prepared for lookup. */
typedef struct pv_word_key {
    const char *text;
    uint64_t head[2];
    uint64_t hash;
    uint32_t length;
} pv_word_key;

psdvec_status pv_word_table_init(pv_word_table *table, psdvec_context *ctx, uint32_t expected);
void pv_word_table_free(pv_word_table *table);

/* Peak memory in bytes of its next growth. */
uint64_t pv_word_table_bytes_if_grown(const pv_word_table *table);

uint64_t pv_word_hash_long(const char *text, uint32_t length);

/* 16 bytes must be readable at `text`, whatever its length. Fills the key in place: copying it
 * would stall on store forwarding of the narrow stores. */
static inline void pv_word_key_set(pv_word_key *key, const char *text, uint32_t length)
{
    uint64_t a, b, hash;
    memcpy(&a, text, 8);
    memcpy(&b, text + 8, 8);
    if (length < 16) {
        uint64_t mask = (UINT64_C(1) << 8 * (length & 7)) - 1; /* 0 for a multiple of 8 */
        a = length < 8 ? a & mask : a;
        b = length < 8 ? 0 : b & mask;
    }
    if (PV_LIKELY(length <= PV_WORD_INLINE)) {
        __uint128_t product = (__uint128_t)(a ^ UINT64_C(0x9E3779B97F4A7C15) ^ length) *
                              (b ^ UINT64_C(0xD6E8FEB86659FD93));
        uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64);
        hash = folded * UINT64_C(0xBF58476D1CE4E5B9) ^ folded >> 29;
    } else {
        hash = pv_word_hash_long(text, length);
    }
    key->text = text;
    key->head[0] = a;
    key->head[1] = b;
    key->hash = hash;
    key->length = length;
}

static inline pv_word_key pv_word_key_padded(const char *text, uint32_t length)
{
    pv_word_key key;
    pv_word_key_set(&key, text, length);
    return key;
}

/* The same for text that must not be read beyond its end. */
pv_word_key pv_word_key_exact(const char *text, uint32_t length);

static inline void pv_word_table_prefetch(const pv_word_table *table, const pv_word_key *key)
{
    __builtin_prefetch(&table->slots[key->hash & table->mask]);
}

/* The word that the first slot suggests, by its tag only, prefetched; or PV_NO_WORD. The caller
 * then compares it. */
#define PV_NO_WORD UINT32_MAX
static inline uint32_t pv_word_table_guess(const pv_word_table *table, const pv_word_key *key)
{
    uint64_t slot = table->slots[key->hash & table->mask];
    uint32_t guess = (uint32_t)slot - 1;
    if ((uint32_t)(slot >> 32) != (uint32_t)(key->hash >> 32) || slot == 0)
        return PV_NO_WORD;
    __builtin_prefetch(&table->words[guess]);
    return guess;
}

static inline const char *pv_word_text(const pv_word_table *table, uint32_t id)
{
    const pv_word *word = &table->words[id];
    return word->length <= PV_WORD_INLINE ? (const char *)word->head
                                          : table->tails + (size_t)word->tail * 8;
}

static inline uint64_t pv_word_hash(const pv_word_table *table, uint32_t id)
{
    return pv_word_key_padded(pv_word_text(table, id), table->words[id].length).hash;
}

static inline bool pv_word_equals(const pv_word_table *table, const pv_word *word,
                                  const pv_word_key *key)
{
    return word->head[0] == key->head[0] && word->head[1] == key->head[1] &&
           word->length == key->length &&
           (key->length <= PV_WORD_INLINE ||
            memcmp(table->tails + (size_t)word->tail * 8, key->text, key->length) == 0);
}

/* True and *id if the word exists. */
static inline bool pv_word_table_find(const pv_word_table *table, const pv_word_key *key,
                                      uint32_t *id)
{
    uint32_t tag = (uint32_t)(key->hash >> 32);
    for (size_t i = key->hash & table->mask;; i = (i + 1) & table->mask) {
        uint64_t slot = table->slots[i];
        if (slot == 0)
            return false;
        if ((uint32_t)(slot >> 32) == tag) {
            uint32_t candidate = (uint32_t)slot - 1;
            if (PV_LIKELY(pv_word_equals(table, &table->words[candidate], key))) {
                *id = candidate;
                return true;
            }
        }
    }
}

/* Adds a word that does not exist yet, with value 0. */
psdvec_status pv_word_table_add(pv_word_table *table, const pv_word_key *key, uint32_t *id);

static inline psdvec_status pv_word_table_find_or_add(pv_word_table *table, const pv_word_key *key,
                                                      uint32_t *id)
{
    if (PV_LIKELY(pv_word_table_find(table, key, id)))
        return PSDVEC_OK;
    return pv_word_table_add(table, key, id);
}

/* The same for a word that must not be read beyond its end. */
static inline psdvec_status pv_word_table_put(pv_word_table *table, const char *text, size_t length,
                                              uint32_t *id)
{
    pv_word_key key = pv_word_key_exact(text, (uint32_t)length);
    return pv_word_table_find_or_add(table, &key, id);
}

#endif
