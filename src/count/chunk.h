/* A chunk: as many tokens as memory holds, counted row by row.
 *
 *     sequence   the cat sat | the dog ...   final ids, borders between documents
 *     places     the: 0 4 ...  cat: 1 ...    where each word stands, sorted by word
 *
 * For each word in turn, the words after each of its places are added to one
 * row of sums that stays in cache. No pair is ever written down before it is
 * summed, nothing is sorted but the places (by counting), and rows come out
 * finished, in order, their columns ascending. A row belongs to one worker.
 *
 * Cost: 8 bytes of memory a token; time about a nanosecond a pair.
 */
#ifndef PV_COUNT_CHUNK_H
#define PV_COUNT_CHUNK_H

#include "base/progress.h"
#include "count/rows.h"
#include "count/window.h"

typedef struct pv_chunk_job {
    psdvec_context *ctx;
    pv_token_store *store;
    const pv_vocabulary *vocabulary;
    const pv_window *window;
    psdvec_oov oov;
    const pv_row_groups *groups;
    pv_progress *progress; /* in words */
} pv_chunk_job;

/* Counts the pairs whose context word stands in parts [first, last). */
psdvec_status pv_chunk_count(const pv_chunk_job *job, size_t first, size_t last,
                             const pv_row_sink *sink);

/* Bytes needed for a chunk of `tokens`, the workers' rows apart. */
uint64_t pv_chunk_bytes(uint64_t tokens);
/* Bytes that any chunk needs besides. */
uint64_t pv_chunk_fixed_bytes(const psdvec_context *ctx, uint32_t words, uint64_t reach);

#endif
