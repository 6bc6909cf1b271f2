/* Part of psdvec.h: processes, possibly on different machines, that work together on one call.
 *
 * The library does not know how the processes communicate: the host provides one function that
 * exchanges messages, for example with MPI, as the program psdvec-mpi does. Every process creates a
 * context, joins the group and makes the same calls with the same options. psdvec_count,
 * psdvec_train, psdvec_train_text, psdvec_extend, psdvec_baseline and psdvec_baseline_text then
 * share the work between them, except that SGNS and CBOW are refused; all other calls run in each
 * process separately.
 *
 * The result has the same bits as without a group. Process 0 writes it and passes the warnings of
 * all processes to its host. Every process must see the inputs and, except for counting without
 * `resume`, the folder of the output. If a call fails in one process, it fails in all of them, with
 * the status and the message of that process.
 */
#ifndef PSDVEC_GROUP_H
#define PSDVEC_GROUP_H

#include <psdvec/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sends out_bytes[r] bytes from out[r] to every other process r, and receives in_bytes[r] bytes
 * from it into in[r]. The entries of this process are not used. Where a number of bytes is 0, the
 * pointer may be NULL and nothing is sent. All processes call it the same number of times, from one
 * thread at a time, though not always the same thread. Returns 0, or another number on failure. */
typedef int psdvec_exchange_fn(void *self, const void *const *out, const size_t *out_bytes,
                               void *const *in, const size_t *in_bytes);

/* Waits until what process `rank` sends in the exchange that `start` began has arrived or, if it is
 * the rank of this process, until everything has been sent and received. */
typedef int psdvec_exchange_wait_fn(void *self, uint32_t rank);

typedef struct psdvec_group {
    size_t size;                  /* sizeof(psdvec_group) */
    uint32_t rank;                /* the number of this process, from 0 */
    uint32_t members;             /* the number of processes */
    const char *name;             /* of this process's machine, for messages; may be NULL */
    psdvec_exchange_fn *exchange; /* must not be NULL if there is more than one process */
    void *self;                   /* passed to the functions */
    /* Optional, both or neither, so that processes can compute while messages are on their way:
     * `start` does the same as `exchange`, but returns before it is complete, and `wait` is then
     * called for some of the others and in the end for this process. The arrays and what they
     * point to stay unchanged until then, and there is no other exchange in between. A program
     * compiled without them passes the smaller size that its struct has. */
    psdvec_exchange_fn *start;
    psdvec_exchange_wait_fn *wait;
} psdvec_group;

/* Makes the context a member of a group until it is freed or joins another group. `group` need not
 * outlive the call; what it points to must outlive the membership. */
PSDVEC_API psdvec_status psdvec_context_join(psdvec_context *ctx, const psdvec_group *group);

#ifdef __cplusplus
}
#endif
#endif
