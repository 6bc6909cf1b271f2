/* Groups of processes that share the work of a call (psdvec/group.h).
 *
 * A public call that shares its work begins with pv_group_begin and ends with pv_group_end. In
 * between, all members call the functions below in the same order, with the same meaning of the
 * data; without a group, or with a single member, they do nothing or only copy.
 *
 * Failures. Every exchange begins with an agreement, in which each member tells the others whether
 * it has failed. A member that fails does not exchange anything more until pv_group_end, where it
 * tells the others; they learn it in their next exchange, whichever that is, and fail with the same
 * status and message. So no member waits for one that has given up. A process that dies must be
 * detected by the host's transport.
 *
 * Reproducibility. Sums of integers do not depend on their order. Where members add floating-point
 * numbers, they add them in the order in which one process does.
 */
#ifndef PV_BASE_GROUP_H
#define PV_BASE_GROUP_H

#include "base/memory.h"

typedef struct pv_group pv_group;

void pv_group_free(pv_group *group);

/* Begins and ends the shared work. pv_group_end returns `status`, or the failure of another
 * member. */
void pv_group_begin(psdvec_context *ctx);
psdvec_status pv_group_end(psdvec_context *ctx, psdvec_status status);

/* Keeps a warning until pv_group_end, where the leader passes those of the other members to its
 * host, each once. The lock of the context must be held. */
void pv_group_keep_warning(psdvec_context *ctx, const char *text);

/* During shared work: the number of members, and that of this one; otherwise 1 and 0. */
uint32_t pv_group_members(const psdvec_context *ctx);
uint32_t pv_group_rank(const psdvec_context *ctx);
/* Whether several members share the work. */
static inline bool pv_group_shares(const psdvec_context *ctx)
{
    return pv_group_members(ctx) > 1;
}
/* Whether this member writes the output and gives the warnings that concern all members. */
static inline bool pv_group_leads(const psdvec_context *ctx)
{
    return pv_group_rank(ctx) == 0;
}

/* Sends out[r] to member r and receives in[r] from it; both have one buffer per member. `in` is
 * overwritten. */
psdvec_status pv_group_exchange(psdvec_context *ctx, const pv_buffer *out, pv_buffer *in);
/* Sends the same bytes to all members. */
psdvec_status pv_group_gather(psdvec_context *ctx, const void *data, size_t bytes, pv_buffer *in);
/* Replaces each number by the sum over all members. */
psdvec_status pv_group_add(psdvec_context *ctx, uint64_t *numbers, size_t count);
/* All members get the number of the leader. */
psdvec_status pv_group_agree(psdvec_context *ctx, uint64_t *number);
/* All members get the bytes of the leader. */
psdvec_status pv_group_spread(psdvec_context *ctx, void *data, size_t bytes);
/* Fails with "`what` of process R differ(s) ..." unless all members have the same hash. */
psdvec_status pv_group_compare(psdvec_context *ctx, uint64_t hash, const char *what);

/* Exchanges of which both sides know the sizes in advance, for the inner loops of the solver:
 *
 *     PV_TRY(pv_group_meet(ctx, 0, NULL));
 *     pv_group_send(ctx, r, data, bytes);       for some members r
 *     pv_group_receive(ctx, r, data, bytes);
 *     PV_TRY(pv_group_move(ctx));
 *
 * pv_group_meet is the agreement, in which every member also tells a number: all[r] is that of
 * member r. Until the next agreement nothing may fail, so a member allocates its memory before;
 * several moves may follow. What is to be sent to the member itself is not sent. */
psdvec_status pv_group_meet(psdvec_context *ctx, uint64_t number, uint64_t *all);
void pv_group_send(psdvec_context *ctx, uint32_t r, const void *data, size_t bytes);
void pv_group_receive(psdvec_context *ctx, uint32_t r, void *data, size_t bytes);
psdvec_status pv_group_move(psdvec_context *ctx);

/* A move during which the member can work: pv_group_start begins it, pv_group_wait returns when
 * what member r sends has arrived, and pv_group_finish when all is sent and received. What is sent
 * and received must not be touched before. Nothing else may be exchanged in between, and a move
 * that was started must be finished even if the work fails; otherwise pv_group_finish does
 * nothing. */
psdvec_status pv_group_start(psdvec_context *ctx);
psdvec_status pv_group_wait(psdvec_context *ctx, uint32_t r);
psdvec_status pv_group_finish(psdvec_context *ctx);

/* One buffer per member, all empty; NULL after a failure. */
pv_buffer *pv_group_buffers(psdvec_context *ctx);
void pv_group_buffers_free(psdvec_context *ctx, pv_buffer *buffers);

#endif
