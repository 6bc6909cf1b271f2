/* Allocation within the context's budget.
 *
 * Every block that the library holds is counted. A request that would exceed the budget fails with
 * PSDVEC_ERR_BUDGET and a message that names the purpose (`what`: "the vocabulary"), the size and
 * the remedy. Blocks are 64-byte aligned; huge pages are requested for large ones.
 */
#ifndef PV_BASE_MEMORY_H
#define PV_BASE_MEMORY_H

#include "base/context.h"

/* Allocates count * size bytes; overflow is checked. NULL after a recorded failure. A request for 0
 * bytes returns a valid pointer. With `what` NULL a failure is not recorded: the caller has a
 * fallback. */
void *pv_alloc(psdvec_context *ctx, size_t count, size_t size, const char *what);
void *pv_alloc_zero(psdvec_context *ctx, size_t count, size_t size, const char *what);

/* Grows or shrinks; the old block stays valid on failure (NULL). */
void *pv_resize(psdvec_context *ctx, void *block, size_t count, size_t size, const char *what);
void pv_free(psdvec_context *ctx, void *block);

/* Blocks that are freed together: the arrays of an object, or those of one call. After the first
 * failure all further requests fail too, so that one check is enough:
 *
 *     pv_scope scope = {.ctx = ctx, .what = "the vectors"};
 *     float *a, *b;
 *     PV_TAKE(&scope, a, n);
 *     PV_TAKE_ZERO(&scope, b, n);
 *     PV_TRY_DONE(pv_scope_status(&scope));
 *     ...
 * done:
 *     pv_scope_free(&scope);
 *
 * A scope must be used by one thread at a time. */
typedef struct pv_scope {
    psdvec_context *ctx;
    const char *what; /* as in pv_alloc */
    void *last;       /* the last block; each links to the previous one */
    bool failed;
} pv_scope;

/* Allocates an array of `count` elements of the pointer's type. NULL after a recorded failure. */
#define PV_TAKE(scope, pointer, count)                                                             \
    ((pointer) = pv_scope_alloc((scope), (count), sizeof *(pointer), false))
#define PV_TAKE_ZERO(scope, pointer, count)                                                        \
    ((pointer) = pv_scope_alloc((scope), (count), sizeof *(pointer), true))
void *pv_scope_alloc(pv_scope *scope, size_t count, size_t size, bool zero);
static inline psdvec_status pv_scope_status(const pv_scope *scope)
{
    return scope->failed ? pv_failure(scope->ctx) : PSDVEC_OK;
}
/* Enlarges an array and keeps its content. The old array stays valid after a failure. */
#define PV_GROW(scope, pointer, count)                                                             \
    ((pointer) = pv_scope_grow((scope), (pointer), (count), sizeof *(pointer)))
void *pv_scope_grow(pv_scope *scope, void *block, size_t count, size_t size);
/* Ensures capacity for `needed` elements; at least doubles it when it grows. */
#define PV_RESERVE(scope, pointer, capacity, needed)                                               \
    ((pointer) = pv_scope_reserve((scope), (pointer), &(capacity), (needed), sizeof *(pointer)),   \
     pv_scope_status(scope))
void *pv_scope_reserve(pv_scope *scope, void *block, size_t *capacity, size_t needed, size_t size);
/* Frees one block early. Accepts NULL. */
void pv_scope_drop(pv_scope *scope, void *block);
/* Frees all blocks and leaves the scope empty, ready for more. */
void pv_scope_free(pv_scope *scope);

/* Bytes still available within the budget. */
uint64_t pv_memory_left(psdvec_context *ctx);

/* Accounts for memory that a library holds on our behalf, such as a decompressor's window. */
psdvec_status pv_memory_claim(psdvec_context *ctx, uint64_t bytes, const char *what);
void pv_memory_unclaim(psdvec_context *ctx, uint64_t bytes);
/* Fails unless the system can provide so much memory now. For libraries that do not survive a failed
 * allocation: asked immediately before such a call, it leaves them only what other threads take in
 * between. */
psdvec_status pv_memory_probe(psdvec_context *ctx, size_t bytes, const char *what);

/* False instead of wrapping around. */
static inline bool pv_mul(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}
static inline bool pv_add(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/* For the peak of allocations that do not coexist. */
static inline uint64_t pv_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A growing array of bytes: {.ctx = ctx} is an empty one. Once anything has been reserved, `data`
 * is followed by at least PV_BUFFER_PAD readable bytes. */
#define PV_BUFFER_PAD 64
typedef struct pv_buffer {
    psdvec_context *ctx;
    char *data;
    size_t length;
    size_t capacity;
} pv_buffer;

void pv_buffer_init(pv_buffer *buffer, psdvec_context *ctx);
void pv_buffer_free(pv_buffer *buffer);
/* Reserves memory for `extra` more bytes after `length`. */
psdvec_status pv_buffer_reserve(pv_buffer *buffer, size_t extra);
psdvec_status pv_buffer_append(pv_buffer *buffer, const void *data, size_t length);
psdvec_status pv_buffer_byte(pv_buffer *buffer, char byte);
psdvec_status pv_buffer_text(pv_buffer *buffer, const char *text);
psdvec_status pv_buffer_printf(pv_buffer *buffer, const char *format, ...) PV_PRINTF(2, 3);

#endif
