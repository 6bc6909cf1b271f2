/* A checksum of the content of any file.
 *
 * Files of psdvec store checksums of all their parts, and one over these, so nothing but the header
 * is read. Other files are read completely, at the speed of XXH3 or of the disk.
 */
#include "base/arguments.h"
#include "base/file.h"
#include "base/safetensors_read.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The checksum that the file stores; false: it has none. */
static bool read_stored(const pv_st_file *file, uint64_t *checksum)
{
    const char *text = pv_st_meta(file, "xxh3.metadata");
    if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *checksum = strtoull(text, NULL, 16);
    return true;
}

static psdvec_status hash_bytes(psdvec_context *ctx, const pv_map *map, uint64_t *checksum)
{
    psdvec_status status = PSDVEC_OK;
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while computing a checksum");
    XXH3_64bits_reset(state);
    for (size_t at = 0; at < map->size && status == PSDVEC_OK; at += PV_ST_STEP) {
        size_t left = map->size - at;
        XXH3_64bits_update(state, map->data + at, left < PV_ST_STEP ? left : PV_ST_STEP);
        status = pv_check_cancel(ctx);
    }
    *checksum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return status;
}

psdvec_status psdvec_file_checksum(psdvec_context *ctx, const char *path, uint64_t *checksum)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, checksum);
    *checksum = 0;
    PV_NEED(ctx, path);
    pv_map map;
    pv_st_file *file = NULL;
    PV_TRY(pv_map_open(ctx, path, false, &map));
    bool stored = pv_st_open_memory(ctx, path, map.data, map.size, &file) == PSDVEC_OK &&
                  read_stored(file, checksum);
    pv_st_close(file);
    psdvec_status status = PSDVEC_OK;
    if (!stored) {
        pv_begin(ctx); /* it is another kind of file */
        status = hash_bytes(ctx, &map, checksum);
    }
    pv_map_close(ctx, &map);
    return status;
}
