/* Releasing pages of mapped files. */
#include "base/trim.h"

#include "base/platform.h"
#include "util/clock.h"

static const uint64_t interval = 2000000;      /* nanoseconds between two looks ... */
static const uint64_t in_vain = 500 * 2000000; /* ... if the last release did not suffice */

void pv_trim_begin(psdvec_context *ctx, pv_trimmed *node, const pv_map *map)
{
    if (!map->mapping)
        return;
    pthread_mutex_lock(&ctx->trim_lock);
    *node = (pv_trimmed){ctx->trimmed, map};
    ctx->trimmed = node;
    pthread_mutex_unlock(&ctx->trim_lock);
    atomic_fetch_add(&ctx->trim_bytes, map->size);
}

void pv_trim_end(psdvec_context *ctx, pv_trimmed *node)
{
    if (!node->map)
        return;
    atomic_fetch_sub(&ctx->trim_bytes, node->map->size);
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
    return pv_resident_files() + atomic_load(&ctx->memory_used) > ctx->options.memory;
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
    pthread_mutex_lock(&ctx->trim_lock);
    for (const pv_trimmed *node = ctx->trimmed; node; node = node->next)
        pv_map_release(node->map);
    pthread_mutex_unlock(&ctx->trim_lock);
    if (is_too_much(ctx)) /* of other files, or there is too little room to begin with */
        atomic_store(&ctx->trim_next, now + in_vain);
}
