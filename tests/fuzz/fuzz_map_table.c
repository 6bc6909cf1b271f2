/* Fuzzes the reader of tables of maps.
 *
 * The bytes are the table. A map that is read must be consistent: finite places, each word once and
 * in order, valid clusters and labels.
 */
#include "fuzz/fuzz.h"
#include "map/map.h"

#include <math.h>

static void check(const psdvec_map *map)
{
    const psdvec_map_info *info = &map->info;
    require(info->words > 0 && info->words <= map->model->info.words);
    for (uint32_t i = 0; i < info->words; i++) {
        require(map->words[i] < map->model->info.words);
        require(i == 0 || map->words[i] > map->words[i - 1]);
        require(isfinite(map->points[2 * i]) && isfinite(map->points[2 * i + 1]));
        require(map->clusters[i] == PSDVEC_NO_CLUSTER || map->clusters[i] < info->clusters);
    }
    for (uint32_t k = 0; k < info->labels; k++)
        require(map->labels[k].place < info->words && map->labels[k].level < info->levels);
    for (uint32_t c = 0; c < info->clusters; c++) {
        size_t count;
        const uint32_t *places = psdvec_map_cluster_words(map, c, &count);
        for (size_t k = 0; k < count; k++)
            require(places[k] < info->words);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char words[] = "a 1 0 0\nb 0 1 0\nc 1 1 0\nd 0 0 1\ncat 1 2 3\ndog 1 2 2\n"
                                "cats 3 2 3\ndogs 3 2 2\nnone 0 0 0\n";
    static psdvec_context *ctx;
    static psdvec_model *model;
    static fuzz_file vectors, file;
    if (!ctx) {
        uint32_t none;
        ctx = fuzz_context(256);
        fuzz_file_set(&vectors, words, sizeof words - 1);
        require(psdvec_model_open(ctx, vectors.path, &model) == PSDVEC_OK);
        require(!psdvec_model_find(model, "x", 1, &none));
    }
    uint64_t before = atomic_load(&ctx->memory_used);
    psdvec_map *map;
    fuzz_file_set(&file, data, size);
    psdvec_status status = psdvec_map_open(ctx, model, file.path, &map);
    if (status == PSDVEC_OK)
        check(map);
    else
        require(!map && psdvec_error_message(ctx)[0] != '\0' && status != PSDVEC_ERR_INTERNAL);
    psdvec_map_free(map);
    require(atomic_load(&ctx->memory_used) == before);
    return 0;
}
