/* Text that the members of a group have read together (base/group.h): each has consecutive segments
 * of it, in the order of the members. What these functions exchange makes each member's store as if
 * the member had seen the complete text: totals, held-out pieces, and the words that follow its last
 * one. Without a group they do nothing.
 */
#ifndef PV_COUNT_SHARED_TEXT_H
#define PV_COUNT_SHARED_TEXT_H

#include "base/group.h"
#include "count/token_store.h"

/* Fails unless every segment was read by exactly one member. *has_words: whether the last document
 * before the parts of this member has words. */
psdvec_status pv_shared_order(pv_token_store *store, bool *has_words);
/* The statistics of every input. */
psdvec_status pv_shared_notes(pv_token_store *store, size_t input_count);
/* The candidates for held-out text. */
psdvec_status pv_shared_pieces(pv_token_store *store);
/* The held-out words of all members. `lengths` has the number of bytes in `words` for each piece of
 * store->held, of which the pieces of other members have none; on return, all members have all
 * words. */
psdvec_status pv_shared_held_words(pv_token_store *store, const size_t *lengths, pv_buffer *words);
/* Sets store->ahead. `head`: the first words of this member's text as uint32_t, ended by `border` if
 * a document ends there, at most as many as windows reach. */
psdvec_status pv_shared_ahead(pv_token_store *store, const pv_buffer *head, uint64_t reach,
                              uint32_t border);

#endif
