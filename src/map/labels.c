/* Clusters of a map, and the words that describe its regions.
 *
 * Clusters are regions (regions.c) of one fineness. Labels come from regions of several levels: each
 * level has cells of half the size of those before, so its regions fill a view of twice the
 * magnification. A region is labelled by its most typical word
 *
 *     score = projection of the word's row on (mean of the region's rows - SURROUNDINGS x mean of the
 *             rows of the regions of the level before that its words belong to)
 *             / (1 + log2(max(1, rank / FREQUENT)) / 4)
 *
 * unless a word in it is a label of an earlier level. Rows are centred, so words that are used in all
 * contexts, whose rows are short, have small projections: words typical of the region compared with
 * the whole map win, and, since the mean of the surroundings is subtracted, compared with what is
 * around it. The rank is that of the word by frequency among the words of the region; FREQUENT, a
 * quarter of them and at least 3, are equally good, and only rarer ones are at a disadvantage: few
 * readers know them.
 *
 * Time: levels x n x dim. Memory: 3 x regions x dim doubles.
 */
#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVEL_SIDE = 48,    /* cells of level 0 in each direction */
    CLUSTER_SIDE = 240, /* of clusters, with detail 1 and so many words: */
    LEAST_SIDE = 16,
    MOST_SIDE = 2048,
    CLUSTERS = 500, /* clusters have at least 1 / CLUSTERS of the words ... */
    LEAST_WORDS = 5 /* ... and so many */
};

static const double cluster_side_words = 20000;
/* Of regions.c: clusters are merged more readily than the regions of labels. */
static const double cluster_shallow = 0.93, label_shallow = 0.98, sparse = 0.02;
static const double surroundings = 0.5, frequent_share = 0.12, frequent_least = 3;

/* ---- Typical words -------------------------------------------------------------------------------- */

/* The sums of the rows of each region: count x dim. */
static void sum_regions(const pv_map_rows *rows, const pv_map_regions *regions, double *sums)
{
    size_t dim = rows->dim;
    memset(sums, 0, regions->count * dim * sizeof *sums);
    for (size_t i = 0; i < rows->count; i++) {
        if (regions->region[i] == PV_MAP_NO_REGION)
            continue;
        double *sum = sums + regions->region[i] * dim;
        for (size_t k = 0; k < dim; k++)
            sum[k] += (double)rows->data[i * dim + k];
    }
}

/* The regions of a level of labels, and the sums of their rows. */
typedef struct level {
    pv_scope scope;
    pv_map_regions regions;
    double *sums; /* regions x dim; NULL: there is no level */
} level;

/* Where the typical words of regions are, seen from the centre: the sums of their rows, from which the
 * means of the regions of the level before are partly subtracted. directions: regions x dim. */
static void find_directions(const pv_map_rows *rows, const level *now, const level *before,
                            double *directions)
{
    size_t dim = rows->dim;
    memcpy(directions, now->sums, now->regions.count * dim * sizeof *directions);
    for (size_t i = 0; i < rows->count && before->sums; i++) {
        uint32_t r = now->regions.region[i], wider = before->regions.region[i];
        if (r == PV_MAP_NO_REGION || wider == PV_MAP_NO_REGION)
            continue;
        double share = surroundings / before->regions.size[wider];
        for (size_t k = 0; k < dim; k++)
            directions[r * dim + k] -= share * before->sums[wider * dim + k];
    }
}

/* rank: of the word in the region, from 0; words are in the order of the model. */
static double score_of(const pv_map_rows *rows, uint32_t place, const double *direction,
                       uint32_t rank, uint32_t size)
{
    const float *row = rows->data + (size_t)place * rows->dim;
    double product = 0, square = 0;
    double frequent = fmax(size * frequent_share, frequent_least);
    for (uint32_t k = 0; k < rows->dim; k++) {
        product += (double)row[k] * direction[k];
        square += direction[k] * direction[k];
    }
    double projection = square > 0 ? product / sqrt(square) : 0;
    double rare = 1 + log2(fmax((rank + 1) / frequent, 1)) / 4;
    return projection > 0 ? projection / rare : projection * rare;
}

typedef struct scored {
    double score;
    uint32_t place;
} scored;

/* Inserts an entry into a list of at most PV_MAP_CLUSTER_WORDS, best first, ties by place. */
static void insert(scored *list, uint32_t *count, scored entry)
{
    uint32_t at = *count;
    while (at > 0 && list[at - 1].score < entry.score)
        at--;
    if (at == PV_MAP_CLUSTER_WORDS)
        return;
    *count += *count < PV_MAP_CLUSTER_WORDS;
    memmove(list + at + 1, list + at, (*count - 1 - at) * sizeof *list);
    list[at] = entry;
}

/* ---- Clusters --------------------------------------------------------------------------------------- */

/* Cells are larger if there are fewer words. */
static uint32_t cluster_side(uint32_t n, double detail)
{
    double side = CLUSTER_SIDE * detail * sqrt(sqrt(n / cluster_side_words));
    return side < LEAST_SIDE ? LEAST_SIDE : side > MOST_SIDE ? MOST_SIDE : (uint32_t)side;
}

psdvec_status pv_map_find_clusters(psdvec_context *ctx, psdvec_map *map, const pv_map_rows *rows,
                                   double detail)
{
    uint32_t n = map->info.words, least = n / CLUSTERS;
    pv_scope temp = {.ctx = ctx, .what = "the clusters of the map"};
    pv_map_regions regions;
    uint32_t *seen;
    double *sums;
    scored *best;
    psdvec_status status;
    least = detail > 1 ? (uint32_t)(least / (detail * detail)) : least;
    least = least < LEAST_WORDS ? LEAST_WORDS : least;
    PV_TRY_DONE(pv_map_regions_find(&temp, map, cluster_side(n, detail), cluster_shallow, sparse,
                                    least, &regions));
    memcpy(map->clusters, regions.region, n * sizeof *map->clusters);
    map->info.clusters = regions.count;
    PV_TAKE(&temp, sums, (size_t)regions.count * rows->dim);
    PV_TAKE(&temp, best, (size_t)regions.count * PV_MAP_CLUSTER_WORDS);
    PV_TAKE_ZERO(&temp, seen, regions.count);
    PV_TAKE(&map->scope, map->described, (size_t)regions.count * PV_MAP_CLUSTER_WORDS);
    PV_TAKE_ZERO(&map->scope, map->described_by, regions.count);
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(pv_scope_status(&map->scope));
    sum_regions(rows, &regions, sums);
    for (uint32_t i = 0; i < n; i++) {
        size_t c = regions.region[i];
        if (c != PV_MAP_NO_REGION)
            insert(
                best + c * PV_MAP_CLUSTER_WORDS, &map->described_by[c],
                (scored){score_of(rows, i, sums + c * rows->dim, seen[c]++, regions.size[c]), i});
    }
    for (size_t c = 0; c < regions.count; c++)
        for (size_t k = 0; k < map->described_by[c]; k++)
            map->described[c * PV_MAP_CLUSTER_WORDS + k] = best[c * PV_MAP_CLUSTER_WORDS + k].place;
done:
    pv_scope_free(&temp);
    return status;
}

/* ---- Labels ----------------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const psdvec_map_label *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->words != y->words)
        return x->words > y->words ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void pv_map_sort_labels(psdvec_map_label *labels, size_t count)
{
    if (count > 1)
        qsort(labels, count, sizeof *labels, by_rank);
}

/* Adds the labels of level `number`. */
static psdvec_status add_level(psdvec_context *ctx, psdvec_map *map, const pv_map_rows *rows,
                               uint32_t number, const level *before, level *now, bool *labelled,
                               size_t *capacity)
{
    uint32_t n = map->info.words, least = n >> (8 + 2 * number);
    pv_scope temp = {.ctx = ctx, .what = "the labels of the map"};
    pv_map_regions *regions = &now->regions;
    bool *has;
    uint32_t *seen;
    double *directions;
    scored *best;
    psdvec_status status;
    PV_TRY_DONE(pv_map_regions_find(&now->scope, map, LEVEL_SIDE << number, label_shallow, sparse,
                                    least ? least : 1, regions));
    PV_TAKE(&now->scope, now->sums, (size_t)regions->count * rows->dim);
    PV_TAKE_ZERO(&temp, has, regions->count);
    PV_TAKE_ZERO(&temp, seen, regions->count);
    PV_TAKE(&temp, best, regions->count);
    PV_TAKE(&temp, directions, (size_t)regions->count * rows->dim);
    PV_TRY_DONE(pv_scope_status(&now->scope));
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(PV_RESERVE(&map->scope, map->labels, *capacity, map->info.labels + regions->count));
    sum_regions(rows, regions, now->sums);
    find_directions(rows, now, before, directions);
    for (size_t r = 0; r < regions->count; r++)
        best[r] = (scored){-INFINITY, 0};
    for (uint32_t i = 0; i < n; i++)
        if (labelled[i] && regions->region[i] != PV_MAP_NO_REGION)
            has[regions->region[i]] = true;
    for (uint32_t i = 0; i < n; i++) {
        size_t r = regions->region[i];
        if (r == PV_MAP_NO_REGION || has[r])
            continue;
        double score = score_of(rows, i, directions + r * rows->dim, seen[r]++, regions->size[r]);
        if (score > best[r].score)
            best[r] = (scored){score, i};
    }
    for (uint32_t r = 0; r < regions->count; r++) {
        if (has[r])
            continue;
        uint32_t place = best[r].place;
        labelled[place] = true;
        map->labels[map->info.labels++] =
            (psdvec_map_label){.place = place,
                               .level = number,
                               .cluster = map->clusters[place],
                               .words = regions->size[r],
                               .x = map->points[2 * (size_t)place],
                               .y = map->points[2 * (size_t)place + 1]};
    }
done:
    pv_scope_free(&temp);
    return status;
}

psdvec_status pv_map_find_labels(psdvec_context *ctx, psdvec_map *map, const pv_map_rows *rows)
{
    const level none = {.scope = {.ctx = ctx, .what = "the labels of the map"}};
    level before = none, now = none;
    pv_scope temp = none.scope;
    size_t capacity = 0;
    bool *labelled;
    psdvec_status status;
    PV_TAKE_ZERO(&temp, labelled, map->info.words);
    PV_TRY_DONE(pv_scope_status(&temp));
    for (uint32_t number = 0; number < PV_MAP_LEVELS; number++) {
        PV_TRY_DONE(add_level(ctx, map, rows, number, &before, &now, labelled, &capacity));
        PV_TRY_DONE(pv_check_cancel(ctx));
        map->info.levels = number + 1;
        pv_scope_free(&before.scope);
        before = now;
        now = none;
    }
    pv_map_sort_labels(map->labels, map->info.labels);
done:
    pv_scope_free(&before.scope);
    pv_scope_free(&now.scope);
    pv_scope_free(&temp);
    return status;
}

uint64_t pv_map_labels_bytes(uint32_t n, uint32_t dim, double detail)
{
    uint64_t most = n < 50000 ? n : 50000; /* regions of the last level */
    return pv_larger(pv_map_regions_bytes(n, LEVEL_SIDE << (PV_MAP_LEVELS - 1)),
                     pv_map_regions_bytes(n, cluster_side(n, detail))) +
           most * (3 * dim * sizeof(double) + sizeof(scored) + 2 * sizeof(uint32_t) +
                   2 * sizeof(psdvec_map_label)) +
           n * (1 + 2 * sizeof(uint32_t));
}
