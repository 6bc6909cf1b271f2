/* A map (internal): the places of words, their clusters and the labels of regions. */
#ifndef PV_MAP_MAP_H
#define PV_MAP_MAP_H

#include "base/json.h"
#include "map/layout.h"

/* Sparse vectors with more dimensions have no map. */
#define PV_MAP_SPARSE_DIM 4096
/* Words that describe a cluster. */
#define PV_MAP_CLUSTER_WORDS 20
/* Levels of labels. */
#define PV_MAP_LEVELS 6

struct psdvec_map {
    pv_scope scope;
    const psdvec_model *model;
    psdvec_map_info info;
    float core[4];   /* left, top, right, bottom: the bounds without words that are far outside */
    uint32_t *words; /* n: indices of the model */
    float *points;   /* n x 2 */
    uint32_t *clusters;       /* n */
    psdvec_map_label *labels; /* info.labels */
    uint32_t *described;      /* clusters x PV_MAP_CLUSTER_WORDS: places of words, best first */
    uint32_t *described_by;   /* clusters: how many there are */
};

/* ---- New maps (map.c) --------------------------------------------------------------------------- */

/* Refuses models whose vectors are sparse and too long. */
psdvec_status pv_map_check_model(psdvec_context *ctx, const psdvec_model *model);
/* An empty map, and its arrays for `count` words. */
psdvec_status pv_map_new(psdvec_context *ctx, const psdvec_model *model, psdvec_map **map);
psdvec_status pv_map_take(psdvec_map *map, size_t count);
void pv_map_find_bounds(psdvec_map *map);

/* ---- Regions (regions.c) ------------------------------------------------------------------------
 *
 * The density of the points on a grid, smoothed, and the basins of its peaks. */

#define PV_MAP_NO_REGION UINT32_MAX

typedef struct pv_map_regions {
    uint32_t count;
    uint32_t *region; /* of each point, or PV_MAP_NO_REGION */
    uint32_t *size;   /* count: points */
} pv_map_regions;

/* Finds the bounds of the core: they exclude at most one word in 100 on each side, and only those
 * that are far from the others. */
psdvec_status pv_map_find_core(psdvec_context *ctx, psdvec_map *map);

/* Divides the points into regions on a grid of side x side cells over the core of the map; points
 * outside count for the cells at the edge. They are divided by the peaks of the density. Peaks
 * of which the saddle to a higher one is at least `shallow` times as dense are merged with it.
 * Points whose density is below `sparse` times the mean density of points, and those of regions with
 * fewer than `least` points, have none. Regions are numbered by size, ties by their first point.
 * Arrays are allocated in `scope`. */
psdvec_status pv_map_regions_find(pv_scope *scope, const psdvec_map *map, uint32_t side,
                                  double shallow, double sparse, uint32_t least,
                                  pv_map_regions *regions);
uint64_t pv_map_regions_bytes(uint32_t n, uint32_t side);

/* Clusters and labels (labels.c). */
psdvec_status pv_map_find_clusters(psdvec_context *ctx, psdvec_map *map, const pv_map_rows *rows,
                                   double detail);
psdvec_status pv_map_find_labels(psdvec_context *ctx, psdvec_map *map, const pv_map_rows *rows);
/* By level, then those of larger regions first, then by place. */
void pv_map_sort_labels(psdvec_map_label *labels, size_t count);
uint64_t pv_map_labels_bytes(uint32_t n, uint32_t dim, double detail);

/* Adds the members of the data of pages to an object (json.c). */
void pv_map_put(pv_json_writer *json, const psdvec_map *map);

#endif
