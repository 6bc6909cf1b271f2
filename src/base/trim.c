/* Releasing pages of mapped files. */
#include "base/trim.h"

#include "base/platform.h"
#include "util/clock.h"

static const uint64_t interval = 500000; /* nanoseconds between two looks */
static const uint64_t least = 4 << 20;   /* bytes of registered files that may be resident */
static const uint64_t growth = 1 << 20;  /* of the other files between two releases */

void pv_trim_begin_pages(psdvec_context *ctx, pv_trimmed *node, void *mapping, size_t size)
{
    pthread_mutex_lock(&ctx->trim_lock);
    *node = (pv_trimmed){ctx->trimmed, mapping, size};
    ctx->trimmed = node;
    pthread_mutex_unlock(&ctx->trim_lock);
    atomic_fetch_add(&ctx->trim_bytes, size);
}

void pv_trim_begin(psdvec_context *ctx, pv_trimmed *node, const pv_map *map)
{
    if (map->mapping)
        pv_trim_begin_pages(ctx, node, map->mapping, map->size);
}

void pv_trim_end(psdvec_context *ctx, pv_trimmed *node)
{
    if (!node->mapping)
        return;
    atomic_fetch_sub(&ctx->trim_bytes, node->size);
    pthread_mutex_lock(&ctx->trim_lock);
    for (pv_trimmed **at = &ctx->trimmed; *at; at = &(*at)->next)
        if (*at == node) {
            *at = node->next;
            break;
        }
    pthread_mutex_unlock(&ctx->trim_lock);
    *node = (pv_trimmed){0};
}

static bool is_too_much(psdvec_context *ctx)
{
    uint64_t most = atomic_load(&ctx->trim_rest) + least;
    return pv_resident_files() > pv_larger(pv_memory_left(ctx), most);
}

static void release(psdvec_context *ctx)
{
    pthread_mutex_lock(&ctx->trim_lock);
    for (const pv_trimmed *node = ctx->trimmed; node; node = node->next)
        pv_release_pages(node->mapping, node->size);
    /* Other threads may have read pages since. */
    uint64_t rest = pv_resident_files(), most = atomic_load(&ctx->trim_rest) + growth;
    atomic_store(&ctx->trim_rest, rest < most ? rest : most);
    pthread_mutex_unlock(&ctx->trim_lock);
}

void pv_trim(psdvec_context *ctx)
{
    uint64_t mapped = atomic_load(&ctx->trim_bytes);
    if (mapped == 0 || mapped + atomic_load(&ctx->memory_used) <= ctx->options.memory)
        return;
    uint64_t now = pv_now_ns(), next = atomic_load(&ctx->trim_next);
    if (now < next || !atomic_compare_exchange_strong(&ctx->trim_next, &next, now + interval) ||
        !is_too_much(ctx))
        return;
    release(ctx);
}

void pv_trim_strictly(psdvec_context *ctx, bool on)
{
    atomic_fetch_add(&ctx->trim_strict, on ? 1 : -1);
}

void pv_trim_again(psdvec_context *ctx)
{
    if (atomic_load(&ctx->trim_strict) > 0)
        pv_trim(ctx);
}

void pv_trim_for_block(psdvec_context *ctx)
{
    uint64_t mapped = atomic_load(&ctx->trim_bytes);
    if (atomic_load(&ctx->trim_strict) > 0 && mapped > 0 &&
        mapped + atomic_load(&ctx->memory_used) > ctx->options.memory && is_too_much(ctx))
        release(ctx);
}
