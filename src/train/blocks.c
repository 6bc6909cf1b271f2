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

psdvec_status pv_share_complete(psdvec_context *ctx, uint32_t count, size_t columns, float *rows)
{
    uint32_t own = pv_share_begin(ctx, count, pv_group_rank(ctx));
    uint32_t own_end = pv_share_begin(ctx, count, pv_group_rank(ctx) + 1);
    for (uint32_t r = 0; r < pv_group_members(ctx); r++) {
        uint32_t begin = pv_share_begin(ctx, count, r), end = pv_share_begin(ctx, count, r + 1);
        pv_group_send(ctx, r, rows + own * columns, (own_end - own) * columns * sizeof *rows);
        pv_group_receive(ctx, r, rows + begin * columns, (end - begin) * columns * sizeof *rows);
    }
    return pv_group_move(ctx);
}
