/* What a file has that its reader does not know: safetensors_read.h says when that matters. */
#include "base/safetensors_file.h"

#include <string.h>

static bool is_known(const char *const *known, const char *name)
{
    while (*known && strcmp(*known, name) != 0)
        known++;
    return *known != NULL;
}

static psdvec_status add_name(pv_buffer *names, const char *name)
{
    return pv_buffer_printf(names, "%s\"%s\"", names->length ? ", " : "", pv_st_show(name).text);
}

psdvec_status pv_st_warn_unknown(psdvec_context *ctx, const pv_st_file *file,
                                 const char *const *known)
{
    psdvec_status status = PSDVEC_OK;
    pv_buffer names;
    pv_buffer_init(&names, ctx);
    for (size_t i = 0; i < file->meta_count; i++)
        if (strncmp(file->pairs[i].key, "xxh3.", 5) != 0 && !is_known(known, file->pairs[i].key))
            PV_TRY_DONE(add_name(&names, file->pairs[i].key));
    for (size_t i = 0; i < file->in_order_count; i++)
        if (!is_known(known, file->in_order[i]->name))
            PV_TRY_DONE(add_name(&names, file->in_order[i]->name));
    if (names.length) {
        PV_TRY_DONE(pv_buffer_byte(&names, 0));
        pv_warn(ctx,
                "%s: has %s, which this version of psdvec does not know; what is written from it "
                "will not have that",
                file->path, names.data);
    }
done:
    pv_buffer_free(&names);
    return status;
}
