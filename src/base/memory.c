/* Budgeted allocation. Each block carries its size in the 64 bytes before it. */
#include "base/memory.h"

#include "base/platform.h"
#include "base/trim.h"
#include "util/c_locale.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of LARGE bytes and more are mapped and unmapped directly, so that the budget matches what
 * the process holds. */
enum { HEADER = 64, LARGE = 4 << 20 };

typedef struct block_header {
    size_t bytes; /* without the header */
    void *before; /* previous block of the same scope */
} block_header;

static size_t mapped_size(size_t bytes)
{
    size_t page = pv_page_size();
    return (HEADER + bytes + page - 1) / page * page;
}

static block_header *header_of(void *block)
{
    return (block_header *)((char *)block - HEADER);
}

psdvec_status pv_memory_claim(psdvec_context *ctx, uint64_t bytes, const char *what)
{
    uint64_t before = atomic_fetch_add(&ctx->memory_used, bytes);
    uint64_t now = before + bytes;
    if (now < before || now > ctx->options.memory) {
        atomic_fetch_sub(&ctx->memory_used, bytes);
        double mib = 1024.0 * 1024.0;
        if (!what)
            return PSDVEC_ERR_BUDGET;
        return pv_fail(ctx, PSDVEC_ERR_BUDGET,
                       "no memory for %s: %.1f MiB more are needed, and %.1f MiB of the limit of "
                       "%.1f MiB are in use; raise the limit (`memory`)",
                       what, (double)bytes / mib, (double)atomic_load(&ctx->memory_used) / mib,
                       (double)ctx->options.memory / mib);
    }
    uint64_t peak = atomic_load(&ctx->memory_peak);
    while (now > peak && !atomic_compare_exchange_weak(&ctx->memory_peak, &peak, now)) {
    }
    return PSDVEC_OK;
}

void pv_memory_unclaim(psdvec_context *ctx, uint64_t bytes)
{
    atomic_fetch_sub(&ctx->memory_used, bytes);
}

uint64_t pv_memory_left(psdvec_context *ctx)
{
    uint64_t used = atomic_load(&ctx->memory_used);
    return used < ctx->options.memory ? ctx->options.memory - used : 0;
}

static psdvec_status fail_memory(psdvec_context *ctx, size_t bytes, const char *what)
{
    return pv_fail(ctx, PSDVEC_ERR_MEMORY,
                   "%s needs %.1f MiB, which the system cannot provide; close other programs or "
                   "set a lower memory limit (`memory`)",
                   what, (double)bytes / (1024.0 * 1024.0));
}

psdvec_status pv_memory_probe(psdvec_context *ctx, size_t bytes, const char *what)
{
    void *volatile trial =
        malloc(bytes ? bytes : 1); /* volatile: the compiler would leave it out */
    bool there = trial != NULL;
    free(trial);
    return there ? PSDVEC_OK : fail_memory(ctx, bytes, what);
}

void *pv_alloc(psdvec_context *ctx, size_t count, size_t size, const char *what)
{
    size_t bytes, total;
    if (!pv_mul(count, size, &bytes) || !pv_add(bytes, HEADER + LARGE, &total)) {
        if (what)
            pv_fail(ctx, PSDVEC_ERR_OVERFLOW,
                    "%s would need more memory than the machine can address", what);
        return NULL;
    }
    if (pv_memory_claim(ctx, bytes, what) != PSDVEC_OK)
        return NULL;
    if (bytes >= LARGE)
        pv_trim_for_block(ctx);
    /* At least a byte: otherwise the result would be the end of the block, which the leak sanitizer
     * does not take for a pointer to it. */
    char *base = bytes >= LARGE ? pv_pages_take(mapped_size(bytes))
                                : aligned_alloc(64, (HEADER + (bytes ? bytes : 1) + 63) / 64 * 64);
    if (!base) {
        pv_memory_unclaim(ctx, bytes);
        if (what)
            fail_memory(ctx, bytes, what);
        return NULL;
    }
    ((block_header *)base)->bytes = bytes;
    return base + HEADER;
}

void *pv_alloc_zero(psdvec_context *ctx, size_t count, size_t size, const char *what)
{
    void *block = pv_alloc(ctx, count, size, what);
    /* A mapped block is already zero, and its first user should touch its pages. */
    if (block && count * size < LARGE)
        memset(block, 0, count * size);
    return block;
}

void *pv_resize(psdvec_context *ctx, void *block, size_t count, size_t size, const char *what)
{
    void *grown = pv_alloc(ctx, count, size, what);
    if (!grown || !block)
        return grown;
    size_t old = header_of(block)->bytes, new = header_of(grown)->bytes;
    memcpy(grown, block, old < new ? old : new);
    pv_free(ctx, block);
    return grown;
}

void pv_free(psdvec_context *ctx, void *block)
{
    if (!block)
        return;
    block_header *header = header_of(block);
    size_t bytes = header->bytes;
    pv_memory_unclaim(ctx, bytes);
    if (bytes >= LARGE)
        pv_pages_give(header, mapped_size(bytes));
    else
        free(header);
}

void *pv_scope_alloc(pv_scope *scope, size_t count, size_t size, bool zero)
{
    void *block = NULL;
    if (!scope->failed)
        block = zero ? pv_alloc_zero(scope->ctx, count, size, scope->what)
                     : pv_alloc(scope->ctx, count, size, scope->what);
    scope->failed = !block;
    if (block) {
        header_of(block)->before = scope->last;
        scope->last = block;
    }
    return block;
}

void *pv_scope_grow(pv_scope *scope, void *block, size_t count, size_t size)
{
    void *grown = pv_scope_alloc(scope, count, size, false);
    if (!grown)
        return block;
    if (block)
        memcpy(grown, block, header_of(block)->bytes);
    pv_scope_drop(scope, block);
    return grown;
}

void *pv_scope_reserve(pv_scope *scope, void *block, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return block;
    size_t larger = pv_larger(needed, 2 * *capacity + 64);
    block = pv_scope_grow(scope, block, larger, size);
    if (!scope->failed)
        *capacity = larger;
    return block;
}

void pv_scope_drop(pv_scope *scope, void *block)
{
    void **link = &scope->last;
    while (*link && *link != block)
        link = &header_of(*link)->before;
    if (!*link)
        return;
    *link = header_of(block)->before;
    pv_free(scope->ctx, block);
}

void pv_scope_free(pv_scope *scope)
{
    while (scope->last)
        pv_scope_drop(scope, scope->last);
    scope->failed = false;
}

void pv_buffer_init(pv_buffer *buffer, psdvec_context *ctx)
{
    *buffer = (pv_buffer){.ctx = ctx};
}

void pv_buffer_free(pv_buffer *buffer)
{
    if (buffer->ctx)
        pv_free(buffer->ctx, buffer->data);
    buffer->data = NULL;
    buffer->length = buffer->capacity = 0;
}

psdvec_status pv_buffer_reserve(pv_buffer *buffer, size_t extra)
{
    size_t need, padded;
    if (!pv_add(buffer->length, extra, &need) || !pv_add(need, PV_BUFFER_PAD, &padded))
        return pv_fail(buffer->ctx, PSDVEC_ERR_OVERFLOW,
                       "a buffer would need more memory than "
                       "the machine can address");
    if (buffer->data && need <= buffer->capacity)
        return PSDVEC_OK;
    size_t capacity = buffer->capacity + buffer->capacity / 2;
    if (capacity < need)
        capacity = need;
    if (capacity < 256)
        capacity = 256;
    char *data = pv_resize(buffer->ctx, buffer->data, capacity + PV_BUFFER_PAD, 1, "a text buffer");
    if (!data)
        return pv_failure(buffer->ctx);
    memset(data + capacity, 0, PV_BUFFER_PAD);
    buffer->data = data;
    buffer->capacity = capacity;
    return PSDVEC_OK;
}

psdvec_status pv_buffer_append(pv_buffer *buffer, const void *data, size_t length)
{
    PV_TRY(pv_buffer_reserve(buffer, length));
    if (length)
        memcpy(buffer->data + buffer->length, data, length);
    buffer->length += length;
    return PSDVEC_OK;
}

psdvec_status pv_buffer_byte(pv_buffer *buffer, char byte)
{
    if (PV_UNLIKELY(buffer->length >= buffer->capacity))
        PV_TRY(pv_buffer_reserve(buffer, 1));
    buffer->data[buffer->length++] = byte;
    return PSDVEC_OK;
}

psdvec_status pv_buffer_text(pv_buffer *buffer, const char *text)
{
    return pv_buffer_append(buffer, text, strlen(text));
}

psdvec_status pv_buffer_printf(pv_buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = pv_vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return pv_fail(buffer->ctx, PSDVEC_ERR_INTERNAL, "a text could not be formatted");
    PV_TRY(pv_buffer_reserve(buffer, (size_t)length + 1));
    va_start(args, format);
    pv_vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, args);
    va_end(args);
    buffer->length += (size_t)length;
    return PSDVEC_OK;
}
