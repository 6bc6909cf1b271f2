/* The reading pass: text becomes provisional tokens, once.
 *
 * Every worker has a separate word table and assigns its own ids, so workers never wait for each
 * other. The tokens of each segment of text go to a spool as 16-bit units, with a record of the
 * table ("generation") that the ids belong to. When a table exceeds its share of memory, its words
 * go to a spool as well and the worker starts a new generation. vocabulary.h then turns provisional
 * ids into final ones. So the text is read and tokenised only once, even from a pipe, and neither
 * tokens nor words need to fit in memory.
 */
#ifndef PV_COUNT_TOKEN_STORE_H
#define PV_COUNT_TOKEN_STORE_H

#include "base/spool.h"
#include "corpus/phrases.h"
#include "corpus/tokens.h"
#include "count/held_out.h"
#include "count/provenance.h"
#include "count/word_table.h"

/* ---- Tokens as 16-bit units -------------------------------------------------
 * Provisional ids are assigned in order of arrival, so frequent words have small ones: nearly every
 * token takes one unit, and the branch is nearly always predicted.
 *
 *     token < 0xC000     one unit
 *     otherwise          0xC000 + (token >> 16), then the lower 16 bits */
enum {
    PV_TOKEN_MARK_DOCUMENT = 0, /* a document ends */
    PV_TOKEN_MARK_SENTENCE = 1, /* a sentence ends, and with it windows */
    PV_TOKEN_FIRST_WORD = 2
};

static inline size_t pv_token_encode(uint32_t token, uint16_t *units)
{
    if (token < 0xC000) {
        units[0] = (uint16_t)token;
        return 1;
    }
    units[0] = (uint16_t)(0xC000 + (token >> 16));
    units[1] = (uint16_t)token;
    return 2;
}

static inline size_t pv_token_decode(const uint16_t *units, uint32_t *token)
{
    if (units[0] < 0xC000) {
        *token = units[0];
        return 1;
    }
    *token = (uint32_t)(units[0] - 0xC000) << 16 | units[1];
    return 2;
}

/* ---- The store ----------------------------------------------------------------
 * Words are merged in partitions by hash, to bound memory and to share work. */
enum { PV_PARTITIONS = 64 };

static inline unsigned pv_partition_of(uint64_t hash)
{
    return (unsigned)(hash >> 20) % PV_PARTITIONS;
}

/* The tokens of a segment, or part of them if its worker started a new generation inside it. */
typedef struct pv_token_part {
    uint32_t file; /* the order: file, then sequence, then part */
    uint32_t part;
    uint64_t sequence;
    uint64_t offset; /* in the spool, bytes */
    uint32_t units;  /* 16-bit units */
    uint32_t tokens; /* words and marks */
    uint32_t before; /* tokens of the segment that precede it */
    uint32_t generation;
    bool first_words; /* has words before its first document end, if any */
    /* Whether the last document of the part has words; PV_AS_BEFORE: the part has neither words nor
     * document ends, so the previous part decides. */
    enum { PV_AS_BEFORE, PV_NO_WORDS, PV_WORDS } last;
} pv_token_part;

typedef struct pv_generation {
    uint32_t count;      /* of words */
    pv_word_table table; /* empty if spooled */
    bool spooled;
    uint64_t part_offset[PV_PARTITIONS]; /* in the word spool */
    uint64_t part_length[PV_PARTITIONS]; /* bytes */
    uint32_t *final;                     /* count: final id, or PV_UNKNOWN_WORD; by vocabulary.c */
} pv_generation;

typedef struct pv_token_store {
    psdvec_context *ctx;
    pthread_mutex_t lock; /* guards everything below while reading */
    pv_scope memory;
    pv_spool *tokens;
    pv_spool *words; /* of spooled generations */
    pv_token_part *parts;
    size_t part_count, part_capacity;
    pv_generation **generations;
    size_t generation_count, generation_capacity;
    pv_input_note *inputs; /* per input of the user, in the user's order; without names */
    pv_input_note total;
    pv_text_faults faults;
    pv_pieces held;     /* pieces that are not counted, by position */
    pv_phrases phrases; /* of the options */
    pv_buffer ahead; /* uint32_t: the words after the last part, which are in the store of another
                         * member of the group (shared_text.h); a border ends them */
} pv_token_store;

/* Reads all inputs. `hold_out`: number of words to hold out. `joining`, if not NULL, overrides the
 * phrases of the options. `folder` is for temporary files if memory runs short. The caller frees
 * *store, even after a failure. */
psdvec_status pv_token_store_read(psdvec_context *ctx, const pv_inputs *inputs, size_t input_count,
                                  const psdvec_text_options *options, uint32_t hold_out,
                                  const pv_joining *joining, const char *folder,
                                  pv_token_store **store);
void pv_token_store_free(pv_token_store *store);

/* Ids of a table in order of partition: partition p has order[start[p]] to
 * order[start[p + 1] - 1]. *order is allocated. */
psdvec_status pv_partition_words(const pv_word_table *table, uint32_t **order,
                                 size_t start[PV_PARTITIONS + 1]);

/* One word of a spooled generation, as stored in the word spool. */
typedef struct pv_spooled_word {
    uint64_t value;
    uint32_t id;
    uint32_t length; /* bytes follow, padded to a multiple of 8 */
} pv_spooled_word;

#endif
