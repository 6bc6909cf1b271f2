/* Dividing blocks of words among members. */
#include "base/group.h"
#include "train/train.h"

uint32_t pv_share_begin(const psdvec_context *ctx, uint32_t count, uint32_t rank)
{
    return (uint32_t)((uint64_t)count * rank / pv_group_members(ctx));
}

uint32_t pv_most_solved(const psdvec_context *ctx)
{
    return PV_WORDS_A_BLOCK / pv_group_members(ctx) + 1;
}

psdvec_status pv_share_collect(psdvec_context *ctx, uint32_t count, size_t columns, float *rows)
{
    for (uint32_t r = 1; r < pv_group_members(ctx); r++) {
        uint32_t begin = pv_share_begin(ctx, count, r);
        size_t bytes = (pv_share_begin(ctx, count, r + 1) - begin) * columns * sizeof *rows;
        if (pv_group_leads(ctx))
            pv_group_receive(ctx, r, rows + begin * columns, bytes);
        else if (r == pv_group_rank(ctx))
            pv_group_send(ctx, 0, rows, bytes);
    }
    return pv_group_move(ctx);
}

void pv_share_by_cost(const psdvec_context *ctx, uint32_t count, const uint64_t *cost,
                      uint32_t *edges)
{
    uint32_t members = pv_group_members(ctx), k = 0;
    uint64_t all = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++)
        all += cost[i];
    for (uint32_t r = 0; r <= members; r++) {
        /* A word belongs to the member in whose part of the cost its middle is. */
        while (k < count && (double)sum + (double)cost[k] / 2 < (double)all * r / members)
            sum += cost[k++];
        edges[r] = k;
    }
    edges[members] = count;
}

psdvec_status pv_share_complete(psdvec_context *ctx, const uint32_t *edges, size_t columns,
                                float *rows)
{
    size_t row = columns * sizeof *rows;
    const uint32_t *own = edges + pv_group_rank(ctx);
    for (uint32_t r = 0; r < pv_group_members(ctx); r++) {
        pv_group_send(ctx, r, rows + own[0] * columns, (own[1] - own[0]) * row);
        pv_group_receive(ctx, r, rows + edges[r] * columns, (edges[r + 1] - edges[r]) * row);
    }
    return pv_group_move(ctx);
}
