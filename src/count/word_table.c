/* The slow path of the word table: adding words and growing. */
#include "count/word_table.h"

#include <xxhash.h>

uint64_t pv_word_hash_long(const char *text, uint32_t length)
{
    return XXH3_64bits(text, length);
}

pv_word_key pv_word_key_exact(const char *text, uint32_t length)
{
    if (length >= 16)
        return pv_word_key_padded(text, length);
    char padded[16] = {0};
    memcpy(padded, text, length);
    pv_word_key key = pv_word_key_padded(padded, length);
    key.text = text;
    return key;
}

psdvec_status pv_word_table_init(pv_word_table *table, psdvec_context *ctx, uint32_t expected)
{
    size_t slots = 64;
    while (slots / 5 * 3 < expected) /* filled to 60 % at most */
        slots *= 2;
    *table = (pv_word_table){.memory = {.ctx = ctx, .what = "the table of distinct words"},
                             .capacity = (uint32_t)(slots / 5 * 3),
                             .mask = slots - 1};
    PV_TAKE(&table->memory, table->words, table->capacity);
    PV_TAKE_ZERO(&table->memory, table->slots, slots);
    return pv_scope_status(&table->memory);
}

void pv_word_table_free(pv_word_table *table)
{
    pv_scope_free(&table->memory);
    *table = (pv_word_table){.memory = table->memory};
}

uint64_t pv_word_table_bytes_if_grown(const pv_word_table *table)
{
    uint64_t slots = 3 * (table->mask + 1);
    return slots * sizeof *table->slots + slots / 5 * 3 * sizeof *table->words +
           3 * table->tails_capacity;
}

static void put(pv_word_table *table, uint64_t hash, uint32_t id)
{
    size_t i = hash & table->mask;
    while (table->slots[i] != 0)
        i = (i + 1) & table->mask;
    table->slots[i] = (hash >> 32) << 32 | (id + 1);
}

static psdvec_status grow(pv_word_table *table)
{
    size_t slots = 2 * (table->mask + 1);
    if (table->count >= PV_TABLE_MOST)
        return pv_fail(table->memory.ctx, PSDVEC_ERR_OVERFLOW, "more than %d distinct words",
                       PV_TABLE_MOST);
    uint32_t capacity = (uint32_t)(slots / 5 * 3);
    if (capacity > PV_TABLE_MOST)
        capacity = PV_TABLE_MOST;
    PV_GROW(&table->memory, table->words, capacity);
    PV_TRY(pv_scope_status(&table->memory));
    table->capacity = capacity;
    pv_scope_drop(&table->memory, table->slots);
    PV_TAKE_ZERO(&table->memory, table->slots, slots);
    PV_TRY(pv_scope_status(&table->memory));
    table->mask = slots - 1;
    for (uint32_t id = 0; id < table->count; id++)
        put(table, pv_word_hash(table, id), id);
    return PSDVEC_OK;
}

static psdvec_status store_tail(pv_word_table *table, const pv_word_key *key, uint32_t *tail)
{
    size_t padded = ((size_t)key->length + 7) / 8 * 8;
    if (table->tails_capacity - table->tails_used < padded) {
        size_t capacity = table->tails_capacity + table->tails_capacity / 2 + padded + 4096;
        PV_GROW(&table->memory, table->tails, capacity);
        PV_TRY(pv_scope_status(&table->memory));
        table->tails_capacity = capacity;
    }
    if (table->tails_used / 8 > UINT32_MAX)
        return pv_fail(table->memory.ctx, PSDVEC_ERR_OVERFLOW, "the distinct words exceed 32 GiB");
    *tail = (uint32_t)(table->tails_used / 8);
    memcpy(table->tails + table->tails_used, key->text, key->length);
    table->tails_used += padded;
    return PSDVEC_OK;
}

psdvec_status pv_word_table_add(pv_word_table *table, const pv_word_key *key, uint32_t *id)
{
    if (table->count == table->capacity)
        PV_TRY(grow(table));
    pv_word word = {.head = {key->head[0], key->head[1]}, .length = key->length};
    if (key->length > PV_WORD_INLINE)
        PV_TRY(store_tail(table, key, &word.tail));
    *id = table->count++;
    table->words[*id] = word;
    put(table, key->hash, *id);
    return PSDVEC_OK;
}
