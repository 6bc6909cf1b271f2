/* Rows of a group of processes: each member counts the pairs of its own text, and the rows of all
 * members are added up.
 *
 * Members make the same groups of rows in the same order. A round covers as many groups as there are
 * members: each member sends its rows of the k-th group of the round to member k, which adds up what
 * it receives and sends the sum to the leader, or to all members. So summation is divided among the
 * members, nothing is stored, and rows arrive in order.
 */
#ifndef PV_COUNT_ROW_EXCHANGE_H
#define PV_COUNT_ROW_EXCHANGE_H

#include "base/group.h"
#include "count/rows.h"

typedef struct pv_row_exchange {
    psdvec_context *ctx;
    const pv_row_groups *groups;
    const pv_row_sink *target;
    bool everywhere;                  /* all members receive the sums; false: the leader only */
    pv_buffer *out, *in, *sums, *got; /* per member */
    pv_row_sum sum;
    pv_rows rows;
} pv_row_exchange;

/* `sink` takes the rows of this member; `target` receives the sums, on members that receive any.
 * All must outlive the exchange. */
psdvec_status pv_row_exchange_open(pv_row_exchange *exchange, psdvec_context *ctx,
                                   const pv_row_groups *groups, uint32_t columns,
                                   const pv_row_sink *target, bool everywhere, pv_row_sink *sink);
void pv_row_exchange_close(pv_row_exchange *exchange);

#endif
