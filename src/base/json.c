/* JSON in buffers of the library. */
#include "base/json.h"

static bool append(void *to, const char *bytes, size_t length)
{
    return pv_buffer_append(to, bytes, length) == PSDVEC_OK;
}

void pv_json_writer_init(pv_json_writer *writer, pv_buffer *out)
{
    pv_json_writer_start(writer, append, out);
}

psdvec_status pv_json_writer_status(pv_json_writer *writer)
{
    psdvec_context *ctx = ((pv_buffer *)writer->to)->ctx;
    if (pv_json_writer_end(writer))
        return PSDVEC_OK;
    if (writer->refused) /* nothing happens if the buffer has recorded why */
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory for writing a number");
    return pv_fail(ctx, PSDVEC_ERR_INTERNAL,
                   "JSON was written in an impossible order; please report this defect");
}

psdvec_status pv_json_append_string(pv_buffer *out, const char *text, size_t length)
{
    return pv_json_quote(append, out, text, length) ? PSDVEC_OK : pv_failure(out->ctx);
}
