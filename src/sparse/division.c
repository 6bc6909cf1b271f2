/* Dividing tiles among members. */
#include "sparse/division.h"

#include "base/group.h"

#include <string.h>

/* Small enough that workers finish at about the same time, large enough for BLAS. Each tile has a
 * partial sum of its own, which must not take more memory than the rows of the tile; so there are
 * at most 64 of them, or tiles of 2048 rows. */
enum { few_tiles = 64, most_rows = 2048 };

size_t pv_tile_rows(size_t n)
{
    size_t units = ((n + few_tiles - 1) / few_tiles + PV_TILE_UNIT - 1) / PV_TILE_UNIT;
    size_t rows = units * PV_TILE_UNIT;
    return rows < PV_TILE_UNIT ? PV_TILE_UNIT : rows > most_rows ? most_rows : rows;
}

size_t pv_tile_count(size_t n)
{
    size_t rows = pv_tile_rows(n);
    return (n + rows - 1) / rows;
}

/* The end of the tiles from `tile` on whose cost is together at most `most`. */
static size_t fill(const uint64_t *cost, size_t tile, size_t tiles, uint64_t most)
{
    uint64_t sum = 0;
    while (tile < tiles && cost[tile] <= most - sum)
        sum += cost[tile++];
    return tile;
}

/* The least cost that each of some members must be given so that they have all tiles from `tile` on;
 * `high`: enough for one of them. */
static uint64_t least_cost(const uint64_t *cost, size_t tile, size_t tiles, uint32_t members,
                           uint64_t high)
{
    uint64_t low = 0; /* not enough, unless there are no tiles */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        size_t end = tile;
        for (uint32_t r = 0; r < members; r++)
            end = fill(cost, end, tiles, middle);
        if (end == tiles)
            high = middle;
        else
            low = middle;
    }
    return high;
}

psdvec_status pv_division_make(psdvec_context *ctx, size_t n, const uint64_t *cost,
                               pv_division **division)
{
    size_t tiles = pv_tile_count(n);
    psdvec_status status = PSDVEC_OK;
    pv_division *d = *division = pv_alloc_zero(ctx, 1, sizeof *d, "the division of rows");
    uint64_t *of_tile = pv_alloc_zero(ctx, tiles, sizeof *of_tile, "the division of rows");
    if (d) {
        *d = (pv_division){
            .ctx = ctx, .n = n, .rank = pv_group_rank(ctx), .members = pv_group_members(ctx)};
        d->share = pv_alloc_zero(ctx, d->members, sizeof *d->share, "the division of rows");
    }
    if (!d || !d->share || !of_tile) {
        status = pv_failure(ctx);
        goto done;
    }
    uint64_t all = 1;
    for (size_t i = 0; i < n; i++) {
        of_tile[i / pv_tile_rows(n)] += cost[i];
        all += cost[i];
    }
    size_t tile = 0;
    for (uint32_t r = 0; r < d->members; r++) {
        pv_tiles *s = &d->share[r];
        s->first_tile = tile;
        s->first = tile < tiles ? tile * pv_tile_rows(n) : n;
        tile = fill(of_tile, tile, tiles, least_cost(of_tile, tile, tiles, d->members - r, all));
        s->end_tile = tile;
        s->end = tile < tiles ? tile * pv_tile_rows(n) : n;
    }
done:
    pv_free(ctx, of_tile);
    return status;
}

void pv_division_free(pv_division *division)
{
    if (!division)
        return;
    psdvec_context *ctx = division->ctx;
    pv_free(ctx, division->share);
    pv_free(ctx, division);
}

pv_tiles pv_tiles_own(const pv_division *division, size_t n)
{
    if (division)
        return division->share[division->rank];
    return (pv_tiles){.end_tile = pv_tile_count(n), .end = n};
}

psdvec_status pv_division_complete(const pv_division *d, void *array, size_t size)
{
    if (!d)
        return PSDVEC_OK;
    PV_TRY(pv_group_meet(d->ctx, 0, NULL));
    pv_tiles own = d->share[d->rank];
    for (uint32_t r = 0; r < d->members; r++) {
        pv_group_send(d->ctx, r, (const char *)array + own.first * size,
                      (own.end - own.first) * size);
        pv_group_receive(d->ctx, r, (char *)array + d->share[r].first * size,
                         (d->share[r].end - d->share[r].first) * size);
    }
    return pv_group_move(d->ctx);
}

psdvec_status pv_division_collect(const pv_division *d, const void *own, void *all, size_t size)
{
    PV_TRY(pv_group_meet(d->ctx, 0, NULL));
    pv_tiles mine = d->share[d->rank];
    if (d->rank > 0)
        pv_group_send(d->ctx, 0, own, (mine.end - mine.first) * size);
    else
        memcpy(all, own, mine.end * size);
    for (uint32_t r = 1; d->rank == 0 && r < d->members; r++)
        pv_group_receive(d->ctx, r, (char *)all + d->share[r].first * size,
                         (d->share[r].end - d->share[r].first) * size);
    return pv_group_move(d->ctx);
}

/* The rows that member r has afterwards. */
static pv_tiles wanted_rows(const pv_division *other, uint32_t r)
{
    pv_tiles rows = other->share[r];
    if (r == 0)
        rows.end = other->n;
    return rows;
}

/* The rows that are in both: *first .. *end-1. */
static bool common_rows(pv_tiles a, pv_tiles b, size_t *first, size_t *end)
{
    *first = a.first > b.first ? a.first : b.first;
    *end = a.end < b.end ? a.end : b.end;
    return *first < *end;
}

psdvec_status pv_division_change(const pv_division *d, const void *from, const pv_division *other,
                                 void *to, size_t size)
{
    pv_tiles had = d->share[d->rank], wanted = wanted_rows(other, d->rank);
    size_t first, end;
    PV_TRY(pv_group_meet(d->ctx, 0, NULL));
    for (uint32_t r = 0; r < d->members; r++) {
        bool here = r == d->rank;
        const char *out = from;
        char *in = to;
        if (common_rows(had, wanted_rows(other, r), &first, &end)) {
            out += (first - had.first) * size;
            if (here)
                memcpy(in + (first - wanted.first) * size, out, (end - first) * size);
            else
                pv_group_send(d->ctx, r, out, (end - first) * size);
        }
        if (!here && common_rows(d->share[r], wanted, &first, &end))
            pv_group_receive(d->ctx, r, in + (first - wanted.first) * size, (end - first) * size);
    }
    return pv_group_move(d->ctx);
}

psdvec_status pv_division_sum(const pv_division *d, pv_add_fn *add, const void *arg, double *sum,
                              size_t count)
{
    size_t bytes = count * sizeof *sum;
    if (!d)
        add(arg, sum);
    for (uint32_t r = 0; d && r < d->members; r++) {
        bool last = r + 1 == d->members;
        if (r == d->rank)
            add(arg, sum);
        PV_TRY(pv_group_meet(d->ctx, 0, NULL));
        for (uint32_t to = last ? 0 : r + 1; to < (last ? d->members : r + 2); to++)
            if (r == d->rank)
                pv_group_send(d->ctx, to, sum, bytes);
            else if (to == d->rank)
                pv_group_receive(d->ctx, r, sum, bytes);
        PV_TRY(pv_group_move(d->ctx));
    }
    return PSDVEC_OK;
}
