/* Maps as JSON, the data of pages.
 *
 *     {"clusters": 12, "words": ["king", ...], "x": [40122, ...], "y": [...], "cluster": [3, -1, ...],
 *      "frequency": [812, ...], "labels": [17, 0, 40, 0, 3, 1, ...]}
 *
 * Coordinates are from 0 to 65535, which is finer than any screen. Labels are places in the list of
 * words, each followed by its level.
 */
#include "base/arguments.h"
#include "map/map.h"

#include <math.h>

static const double most = 65535;

static uint64_t scaled(double value, double least, double extent)
{
    return (uint64_t)(extent > 0 ? lround((value - least) / extent * most) : lround(most / 2));
}

static void put_points(pv_json_writer *json, const psdvec_map *map)
{
    const psdvec_map_info *info = &map->info;
    double extent = fmax(info->right - info->left, info->bottom - info->top);
    for (size_t axis = 0; axis < 2; axis++) {
        pv_json_open_array(json, axis ? "y" : "x");
        for (size_t k = 0; k < info->words; k++)
            pv_json_put_u64(
                json, NULL,
                scaled((double)map->points[2 * k + axis], axis ? info->top : info->left, extent));
        pv_json_close(json);
    }
}

void pv_map_put(pv_json_writer *json, const psdvec_map *map)
{
    const psdvec_map_info *info = &map->info;
    pv_json_put_u64(json, "clusters", info->clusters);
    pv_json_open_array(json, "words");
    for (uint32_t k = 0; k < info->words; k++) {
        size_t length;
        const char *word = psdvec_model_form(map->model, map->words[k], &length);
        pv_json_put_string_n(json, NULL, word, length);
    }
    pv_json_close(json);
    put_points(json, map);
    pv_json_open_array(json, "cluster");
    for (uint32_t k = 0; k < info->words; k++)
        pv_json_put_i64(json, NULL,
                        map->clusters[k] == PSDVEC_NO_CLUSTER ? -1 : (int64_t)map->clusters[k]);
    pv_json_close(json);
    if (map->model->counts) {
        pv_json_open_array(json, "frequency");
        for (uint32_t k = 0; k < info->words; k++)
            pv_json_put_u64(json, NULL, map->model->counts[map->words[k]]);
        pv_json_close(json);
    }
    pv_json_open_array(json, "labels");
    for (uint32_t k = 0; k < info->labels; k++) {
        pv_json_put_u64(json, NULL, map->labels[k].place);
        pv_json_put_u64(json, NULL, map->labels[k].level);
    }
    pv_json_close(json);
}

psdvec_status psdvec_map_json(psdvec_context *ctx, const psdvec_map *map,
                              psdvec_map_json_fn *on_json, void *user)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, map);
    PV_NEED(ctx, on_json);
    pv_buffer text = {.ctx = ctx};
    pv_json_writer json;
    pv_json_writer_init(&json, &text);
    pv_json_open_object(&json, NULL);
    pv_map_put(&json, map);
    pv_json_close(&json);
    psdvec_status status = pv_json_writer_status(&json);
    if (status == PSDVEC_OK)
        on_json(user, text.data, text.length);
    pv_buffer_free(&text);
    return status;
}
