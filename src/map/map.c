/* psdvec_map_make: all of the computation of a map, and the getters.
 *
 *     vectors  ->  rows in principal components  ->  neighbours  ->  pairs  ->  places
 *                                                          places  ->  clusters, labels
 *
 * The memory that all of it needs is computed before it starts.
 */
#include "map/map.h"

#include "base/arguments.h"
#include "map/options.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

enum { EXACT_WORDS = 200000 };
static const double start_scale = 0.01; /* of the principal components, as in PaCMAP */

/* ---- New maps --------------------------------------------------------------------------------------- */

psdvec_status pv_map_check_model(psdvec_context *ctx, const psdvec_model *model)
{
    if (model->info.sparse && model->info.dim > PV_MAP_SPARSE_DIM)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "%s: the vectors are sparse and have %u dimensions; a map needs at most %d, "
                       "so make dense vectors first (psdvec baseline svd)",
                       model->path, model->info.dim, PV_MAP_SPARSE_DIM);
    return PSDVEC_OK;
}

psdvec_status pv_map_new(psdvec_context *ctx, const psdvec_model *model, psdvec_map **map)
{
    psdvec_map *made = pv_alloc_zero(ctx, 1, sizeof *made, "the map");
    *map = made;
    if (!made)
        return pv_failure(ctx);
    made->scope = (pv_scope){.ctx = pv_context_hold(ctx), .what = "the map"};
    made->model = pv_model_hold(model);
    return PSDVEC_OK;
}

psdvec_status pv_map_take(psdvec_map *map, size_t count)
{
    PV_TAKE(&map->scope, map->words, count);
    PV_TAKE_ZERO(&map->scope, map->points, 2 * count);
    PV_TAKE(&map->scope, map->clusters, count);
    map->info.words = (uint32_t)count;
    return pv_scope_status(&map->scope);
}

/* ---- Words ------------------------------------------------------------------------------------------ */

static psdvec_status take_words(psdvec_context *ctx, const psdvec_map_options *options,
                                const uint32_t *words, size_t count, psdvec_map *map)
{
    const psdvec_model *model = map->model;
    uint32_t all = model->info.words;
    if (options->restrict_words > 0 && options->restrict_words < all)
        all = options->restrict_words;
    if (!words)
        count = all;
    if (count == 0)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s: a map needs at least one word", model->path);
    if (count > model->info.words)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "%zu words were given for the map, but the model has %u", count,
                       model->info.words);
    PV_TRY(pv_map_take(map, count));
    if (!words) {
        for (size_t k = 0; k < count; k++)
            map->words[k] = (uint32_t)k;
        return PSDVEC_OK;
    }
    map->info.words = 0;
    pv_scope temp = {.ctx = ctx, .what = "the words of the map"};
    psdvec_status status;
    bool *seen;
    PV_TAKE_ZERO(&temp, seen, model->info.words);
    PV_TRY_DONE(pv_scope_status(&temp));
    for (size_t k = 0; k < count; k++) {
        if (words[k] >= model->info.words || seen[words[k]])
            PV_TRY_DONE(pv_fail(
                ctx, PSDVEC_ERR_OPTION, "`words[%zu]` is %u, which is %s", k, words[k],
                words[k] >= model->info.words ? "not the index of a word" : "in the list already"));
        seen[words[k]] = true;
        if (words[k] < all)
            map->words[map->info.words++] = words[k];
    }
    if (map->info.words == 0)
        status = pv_fail(ctx, PSDVEC_ERR_OPTION,
                         "none of the given words is among the %u most frequent words (`restrict`)",
                         all);
done:
    pv_scope_free(&temp);
    return status;
}

/* ---- Memory ----------------------------------------------------------------------------------------- */

/* The number of words that are compared with all others; above it, with those of nearby cells. */
static bool is_exact(uint32_t words)
{
    return words <= EXACT_WORDS;
}

/* The bytes that the computation allocates at the same time, at most. */
static uint64_t memory_for(psdvec_context *ctx, const psdvec_model *model,
                           const psdvec_map_options *options, uint32_t n)
{
    uint32_t own[PV_MAP_KINDS], whole = model->info.dim;
    uint32_t dim = options->components < whole ? options->components : whole;
    pv_map_pair_counts(n, options->neighbours, options->mid_near, options->further, own);
    uint32_t most = pv_map_candidates(n, own[PV_MAP_NEAR]);
    uint64_t rows = (uint64_t)n * dim * sizeof(float), pairs = pv_map_pairs_bytes(n, own);
    uint64_t local = options->local ? (uint64_t)n * own[PV_MAP_FURTHER] * sizeof(uint32_t) : 0;
    uint64_t need = pv_map_rows_bytes(ctx, n, whole, options->components);
    need = pv_larger(need, rows + pairs + pv_map_neighbours_bytes(ctx, n, dim, most, is_exact(n)));
    need = pv_larger(need, rows + pairs + pv_map_descent_bytes(n) + local);
    return pv_larger(need, rows + pv_map_labels_bytes(n, dim, options->detail));
}

/* Refuses the computation if it needs more memory than is left. */
static psdvec_status check_memory(psdvec_context *ctx, const psdvec_map *map,
                                  const psdvec_map_options *options)
{
    const double mebibyte = 1 << 20;
    uint64_t need = memory_for(ctx, map->model, options, map->info.words);
    uint64_t left = pv_memory_left(ctx);
    if (need <= left)
        return PSDVEC_OK;
    return pv_fail(
        ctx, PSDVEC_ERR_BUDGET,
        "a map of %u words needs about %.0f MiB of memory, and %.1f MiB of the limit are "
        "left; set `memory=%.0fM`, or map fewer words (`restrict`)",
        map->info.words, ceil((double)need / mebibyte), (double)left / mebibyte,
        ceil((double)(ctx->options.memory - left + need) / mebibyte));
}

/* ---- Making ----------------------------------------------------------------------------------------- */

static void start(const pv_map_rows *rows, float *points)
{
    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < 2; k++)
            points[2 * i + k] =
                k < rows->dim ? (float)(start_scale * (double)rows->data[i * rows->dim + k]) : 0;
}

/* Turns the map so that it is widest horizontally, around its mean. */
static void turn(float *points, size_t n)
{
    double mean[2] = {0, 0}, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < 2 * n; i++)
        mean[i % 2] += (double)points[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double x = (double)points[2 * i] - mean[0], y = (double)points[2 * i + 1] - mean[1];
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    double angle = atan2(2 * xy, xx - yy) / 2, c = cos(angle), s = sin(angle);
    for (size_t i = 0; i < n; i++) {
        double x = (double)points[2 * i] - mean[0], y = (double)points[2 * i + 1] - mean[1];
        points[2 * i] = (float)(c * x + s * y);
        points[2 * i + 1] = (float)(c * y - s * x);
    }
}

void pv_map_find_bounds(psdvec_map *map)
{
    psdvec_map_info *info = &map->info;
    info->left = info->top = INFINITY;
    info->right = info->bottom = -INFINITY;
    for (size_t i = 0; i < info->words; i++) {
        info->left = fmin(info->left, (double)map->points[2 * i]);
        info->right = fmax(info->right, (double)map->points[2 * i]);
        info->top = fmin(info->top, (double)map->points[2 * i + 1]);
        info->bottom = fmax(info->bottom, (double)map->points[2 * i + 1]);
    }
}

static psdvec_status make(psdvec_context *ctx, const psdvec_map_options *options, psdvec_map *map)
{
    uint32_t n = map->info.words, own[PV_MAP_KINDS];
    pv_map_rows rows = {0};
    pv_map_neighbours neighbours = {0};
    pv_map_pairs pairs = {0};
    psdvec_status status;
    pv_map_pair_counts(n, options->neighbours, options->mid_near, options->further, own);
    uint32_t most = pv_map_candidates(n, own[PV_MAP_NEAR]), dim = map->model->info.dim;
    map->info.neighbours = own[PV_MAP_NEAR];
    map->info.components = options->components < dim ? options->components : dim;
    map->info.exact = is_exact(n);
    PV_TRY_DONE(check_memory(ctx, map, options));
    PV_TRY_DONE(pv_map_rows_make(ctx, map->model, map->words, n, options->components, &rows));
    map->info.variance = rows.variance;
    start(&rows, map->points);
    if (own[PV_MAP_NEAR] > 0) {
        pv_map_descent descent = {options->iterations, options->learning_rate, options->local};
        PV_TRY_DONE(pv_map_neighbours_find(ctx, &rows, most, map->info.exact, &neighbours));
        PV_TRY_DONE(pv_map_pairs_make(ctx, &rows, &neighbours, own, &pairs));
        pv_map_neighbours_free(&neighbours);
        PV_TRY_DONE(pv_map_descend(ctx, &descent, &pairs, map->points));
        pv_map_pairs_free(&pairs);
    }
    turn(map->points, n);
    pv_map_find_bounds(map);
    PV_TRY_DONE(pv_map_find_core(ctx, map));
    PV_TRY_DONE(pv_map_find_clusters(ctx, map, &rows, options->detail));
    status = pv_map_find_labels(ctx, map, &rows);
done:
    pv_map_pairs_free(&pairs);
    pv_map_neighbours_free(&neighbours);
    pv_map_rows_free(&rows);
    return status;
}

psdvec_status psdvec_map_make(psdvec_context *ctx, const psdvec_map_options *options,
                              const psdvec_model *model, const uint32_t *words, size_t count,
                              psdvec_map **map)
{
    double began = pv_now();
    psdvec_map_options o;
    psdvec_status status;
    PV_CLEAR(map);
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED_ARRAY(ctx, words, count);
    PV_NEED(ctx, map);
    PV_TRY(pv_options_adopt(ctx, &pv_map_table, options, &o));
    psdvec_map *made = NULL;
    PV_TRY(pv_map_check_model(ctx, model));
    PV_TRY(pv_map_new(ctx, model, &made));
    PV_TRY_DONE(take_words(ctx, &o, words, count, made));
    PV_TRY_DONE(make(ctx, &o, made));
    made->info.seconds = pv_now() - began;
    *map = made;
    made = NULL;
done:
    psdvec_map_free(made);
    return status;
}

psdvec_status psdvec_map_memory(psdvec_context *ctx, const psdvec_map_options *options,
                                const psdvec_model *model, size_t count, uint64_t *bytes)
{
    psdvec_map_options o;
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, bytes);
    PV_TRY(pv_options_adopt(ctx, &pv_map_table, options, &o));
    PV_TRY(pv_map_check_model(ctx, model));
    uint32_t n = model->info.words;
    if (count > 0 && count < n)
        n = (uint32_t)count;
    if (o.restrict_words > 0 && o.restrict_words < n)
        n = o.restrict_words;
    /* The map itself, and a mark per word of the model, which take_words needs. */
    uint64_t own = n * (uint64_t)(2 * sizeof(uint32_t) + 2 * sizeof(float));
    *bytes = memory_for(ctx, model, &o, n) + own + model->info.words * sizeof(bool) +
             sizeof(psdvec_map);
    return PSDVEC_OK;
}

void psdvec_map_free(psdvec_map *map)
{
    if (!map)
        return;
    psdvec_context *ctx = map->scope.ctx;
    psdvec_model_close((psdvec_model *)map->model);
    pv_scope_free(&map->scope);
    pv_free(ctx, map);
    pv_context_release(ctx);
}

/* ---- Getters ----------------------------------------------------------------------------------------- */

const psdvec_map_info *psdvec_map_get_info(const psdvec_map *map)
{
    return map ? &map->info : NULL;
}

const uint32_t *psdvec_map_words(const psdvec_map *map)
{
    return map ? map->words : NULL;
}

const float *psdvec_map_points(const psdvec_map *map)
{
    return map ? map->points : NULL;
}

const uint32_t *psdvec_map_clusters(const psdvec_map *map)
{
    return map ? map->clusters : NULL;
}

const psdvec_map_label *psdvec_map_labels(const psdvec_map *map)
{
    return map ? map->labels : NULL;
}

const uint32_t *psdvec_map_cluster_words(const psdvec_map *map, uint32_t cluster, size_t *count)
{
    bool known = map && cluster < map->info.clusters;
    if (count)
        *count = known ? map->described_by[cluster] : 0;
    return known ? map->described + (size_t)cluster * PV_MAP_CLUSTER_WORDS : NULL;
}
