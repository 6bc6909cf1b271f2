/* Groups of processes (psdvec/group.h) as threads of a test, each with a context of its own. */
#ifndef TESTS_MEMBERS_H
#define TESTS_MEMBERS_H

#include "base/context.h"

enum { MOST_MEMBERS = 5 };

/* What a member does with its context; it must return, whatever fails. */
typedef void member_fn(void *arg, uint32_t rank, psdvec_context *ctx);

/* Runs fn in `members` members at the same time and waits for all. options: one per member. Fails
 * unless each has returned its memory. An odd number of members can start exchanges without waiting
 * for their end, an even number cannot. */
void run_members(uint32_t members, const psdvec_context_options *options, member_fn *fn, void *arg);

#endif
