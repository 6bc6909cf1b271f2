/* Regions of a map: the basins of the peaks of the density of its points.
 *
 *     points  ->  counts on a grid  ->  smoothed density  ->  peaks and their basins
 *
 * The density is smoothed by three passes of a box of 2 SMOOTH + 1 cells in each direction, nearly a
 * Gaussian with a standard deviation of SMOOTH cells. All sums are of integers and therefore exact.
 *
 * Cells are visited in descending order of density. A cell without a visited neighbour is a new
 * peak; others join the basin of their densest visited neighbour. Where two basins meet, the lower
 * peak is merged with the higher one if the saddle is nearly as dense as the lower peak (persistence
 * of peaks: Chazal, Guibas, Oudot and Skraba, 2013).
 *
 * Time: side^2 log side. Memory: about 40 bytes per cell.
 */
#include "map/map.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { SMOOTH = 4, PASSES = 3, MARGIN = 3 * SMOOTH + 1 };

typedef struct grid {
    uint32_t side;     /* cells in each direction, with margins */
    uint64_t *density; /* side x side */
    uint64_t *other;   /* side x side */
    uint64_t *sums;    /* side */
} grid;

static size_t cells_of(uint32_t side)
{
    return ((size_t)side + 2 * MARGIN) * ((size_t)side + 2 * MARGIN);
}

/* Sums over windows of rows, then transposes: twice this smooths both directions. */
static void smooth_rows(grid *g)
{
    size_t side = g->side;
    for (size_t pass = 0; pass < PASSES; pass++) {
        memset(g->sums, 0, side * sizeof *g->sums);
        for (size_t row = 0; row < side + SMOOTH; row++) {
            for (size_t k = 0; row < side && k < side; k++)
                g->sums[k] += g->density[row * side + k];
            for (size_t k = 0; row >= SMOOTH && k < side; k++)
                g->other[(row - SMOOTH) * side + k] = g->sums[k];
            for (size_t k = 0; row >= 2 * SMOOTH && k < side; k++)
                g->sums[k] -= g->density[(row - 2 * SMOOTH) * side + k];
        }
        uint64_t *swap = g->density;
        g->density = g->other;
        g->other = swap;
    }
    for (size_t a = 0; a < side; a++)
        for (size_t b = 0; b < side; b++)
            g->other[b * side + a] = g->density[a * side + b];
    uint64_t *swap = g->density;
    g->density = g->other;
    g->other = swap;
}

/* ---- Basins ------------------------------------------------------------------------------------- */

typedef struct basins {
    const grid *g;
    uint32_t *order; /* cells with points nearby, densest first */
    size_t count;
    uint32_t *basin; /* of each cell: the cell of a peak that leads to its own; NONE: not visited */
    uint32_t *parent; /* of each peak */
    double shallow;
} basins;

#define NONE UINT32_MAX

static int by_density(const void *a, const void *b, void *arg)
{
    const grid *g = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (g->density[x] != g->density[y])
        return g->density[x] > g->density[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static uint32_t peak_of(basins *b, uint32_t peak)
{
    while (b->parent[peak] != peak) {
        b->parent[peak] = b->parent[b->parent[peak]];
        peak = b->parent[peak];
    }
    return peak;
}

/* Whether peak x is higher than y. */
static bool is_higher(const basins *b, uint32_t x, uint32_t y)
{
    uint64_t p = b->g->density[x], q = b->g->density[y];
    return p != q ? p > q : x < y;
}

static void visit(basins *b, uint32_t cell)
{
    int64_t side = b->g->side, row = cell / side, column = cell % side;
    uint32_t best = NONE;
    uint32_t near[8], near_count = 0;
    for (int64_t r = row - 1; r <= row + 1; r++)
        for (int64_t c = column - 1; c <= column + 1; c++) {
            uint32_t other = (uint32_t)(r * side + c);
            if (r < 0 || c < 0 || r >= side || c >= side || b->basin[other] == NONE)
                continue;
            near[near_count++] = other;
            best = best == NONE || is_higher(b, other, best) ? other : best;
        }
    if (best == NONE) {
        b->basin[cell] = b->parent[cell] = cell;
        return;
    }
    b->basin[cell] = peak_of(b, b->basin[best]);
    for (uint32_t k = 0; k < near_count; k++) {
        uint32_t x = peak_of(b, b->basin[cell]), y = peak_of(b, b->basin[near[k]]);
        uint32_t lower = is_higher(b, x, y) ? y : x, higher = lower == y ? x : y;
        if (x != y && (double)b->g->density[cell] >= b->shallow * (double)b->g->density[lower])
            b->parent[lower] = higher;
    }
}

static psdvec_status find_basins(psdvec_context *ctx, basins *b)
{
    grid *g = (grid *)b->g;
    size_t cells = (size_t)g->side * g->side;
    for (size_t k = 0; k < cells; k++) {
        b->basin[k] = NONE;
        if (g->density[k] > 0)
            b->order[b->count++] = (uint32_t)k;
    }
    PV_TRY(pv_sort(ctx, b->order, b->count, sizeof *b->order, by_density, g));
    for (size_t k = 0; k < b->count; k++)
        visit(b, b->order[k]);
    return PSDVEC_OK;
}

/* ---- Regions of points --------------------------------------------------------------------------- */

typedef struct sized {
    uint32_t size, first, peak;
} sized;

static int by_size(const void *a, const void *b, void *arg)
{
    const sized *x = a, *y = b;
    (void)arg;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* The cell of each point; the longer side of the core has `inner` cells. */
static void locate(const psdvec_map *map, uint32_t inner, uint32_t side, uint32_t *cells)
{
    double left = (double)map->core[0], top = (double)map->core[1];
    double across = (double)map->core[2] - left, down = (double)map->core[3] - top;
    double scale = fmax(across, down) > 0 ? inner / fmax(across, down) * (1 - 1e-9) : 0;
    for (size_t i = 0; i < map->info.words; i++) {
        double x = fmin(fmax((double)map->points[2 * i] - left, 0), across) * scale;
        double y = fmin(fmax((double)map->points[2 * i + 1] - top, 0), down) * scale;
        cells[i] = ((uint32_t)y + MARGIN) * side + (uint32_t)x + MARGIN;
    }
}

static int by_value(const void *a, const void *b, void *arg)
{
    float x = *(const float *)a, y = *(const float *)b;
    (void)arg;
    return x < y ? -1 : x > y;
}

psdvec_status pv_map_find_core(psdvec_context *ctx, psdvec_map *map)
{
    size_t n = map->info.words, most = n / 100;
    pv_scope temp = {.ctx = ctx, .what = "the bounds of the map"};
    float *values;
    psdvec_status status;
    PV_TAKE(&temp, values, n);
    PV_TRY_DONE(pv_scope_status(&temp));
    for (size_t axis = 0; axis < 2; axis++) {
        for (size_t i = 0; i < n; i++)
            values[i] = map->points[2 * i + axis];
        PV_TRY_DONE(pv_sort(ctx, values, n, sizeof *values, by_value, NULL));
        /* Beyond a gap of a twentieth of the extent. */
        double gap = 0.05 * ((double)values[n - 1 - most] - (double)values[most]);
        size_t low = most, high = n - 1 - most;
        while (low > 0 && (double)values[low] - (double)values[low - 1] <= gap)
            low--;
        while (high < n - 1 && (double)values[high + 1] - (double)values[high] <= gap)
            high++;
        map->core[axis] = values[low];
        map->core[2 + axis] = values[high];
    }
done:
    pv_scope_free(&temp);
    return status;
}

static psdvec_status number_regions(psdvec_context *ctx, basins *b, const uint32_t *cells,
                                    uint32_t n, double sparse, uint32_t least, sized *list,
                                    pv_map_regions *regions)
{
    const grid *g = b->g;
    uint32_t *slot = b->order; /* no longer needed; of each peak */
    uint32_t count = 0;
    double mean = 0;
    for (size_t k = 0; k < (size_t)g->side * g->side; k++)
        slot[k] = NONE;
    for (uint32_t i = 0; i < n; i++)
        mean += (double)g->density[cells[i]] / n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t peak = peak_of(b, b->basin[cells[i]]);
        regions->region[i] = PV_MAP_NO_REGION;
        if ((double)g->density[cells[i]] < sparse * mean)
            continue;
        if (slot[peak] == NONE) {
            slot[peak] = count;
            list[count++] = (sized){0, i, peak};
        }
        list[slot[peak]].size++;
        regions->region[i] = peak;
    }
    PV_TRY(pv_sort(ctx, list, count, sizeof *list, by_size, NULL));
    for (uint32_t k = 0; k < count; k++) {
        bool enough = list[k].size >= least;
        slot[list[k].peak] = enough ? k : PV_MAP_NO_REGION;
        regions->count += enough;
        regions->size[k] = list[k].size;
    }
    for (uint32_t i = 0; i < n; i++)
        if (regions->region[i] != PV_MAP_NO_REGION)
            regions->region[i] = slot[regions->region[i]];
    return PSDVEC_OK;
}

psdvec_status pv_map_regions_find(pv_scope *scope, const psdvec_map *map, uint32_t side,
                                  double shallow, double sparse, uint32_t least,
                                  pv_map_regions *regions)
{
    psdvec_context *ctx = scope->ctx;
    uint32_t n = map->info.words;
    pv_scope temp = {.ctx = ctx, .what = "the regions of the map"};
    size_t cells = cells_of(side);
    grid g = {.side = side + 2 * MARGIN};
    basins b = {.g = &g, .shallow = shallow};
    uint32_t *cell;
    sized *list;
    psdvec_status status;
    *regions = (pv_map_regions){0};
    PV_TAKE(scope, regions->region, n);
    PV_TAKE(scope, regions->size, n);
    PV_TRY_DONE(pv_scope_status(scope));
    PV_TAKE_ZERO(&temp, g.density, cells);
    PV_TAKE(&temp, g.other, cells);
    PV_TAKE(&temp, g.sums, g.side);
    PV_TAKE(&temp, b.order, cells);
    PV_TAKE(&temp, b.basin, cells);
    PV_TAKE(&temp, b.parent, cells);
    PV_TAKE(&temp, cell, n);
    PV_TAKE(&temp, list, n);
    PV_TRY_DONE(pv_scope_status(&temp));
    locate(map, side, g.side, cell);
    for (uint32_t i = 0; i < n; i++)
        g.density[cell[i]]++;
    smooth_rows(&g);
    smooth_rows(&g);
    PV_TRY_DONE(find_basins(ctx, &b));
    status = number_regions(ctx, &b, cell, n, sparse, least, list, regions);
done:
    pv_scope_free(&temp);
    return status;
}

uint64_t pv_map_regions_bytes(uint32_t n, uint32_t side)
{
    return cells_of(side) * (2 * sizeof(uint64_t) + 4 * sizeof(uint32_t)) +
           (side + 2 * MARGIN) * sizeof(uint64_t) + n * (3 * sizeof(uint32_t) + 2 * sizeof(sized));
}
