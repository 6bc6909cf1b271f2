/* JSON in library buffers. */
#include "base/json.h"

#include <string.h>

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
    if (writer->refused) /* no effect if the buffer has recorded the cause */
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while writing a number");
    return pv_fail(ctx, PSDVEC_ERR_INTERNAL,
                   "internal error: JSON was written in an invalid order; please report this bug");
}

psdvec_status pv_json_append_string(pv_buffer *out, const char *text, size_t length)
{
    return pv_json_quote(append, out, text, length) ? PSDVEC_OK : pv_failure(out->ctx);
}

void pv_json_init(pv_json *json, const char *data, size_t length, unsigned flags)
{
    pv_json_start(json, data, length, flags, append);
}

bool pv_json_text_is(const pv_buffer *buffer, const char *text)
{
    size_t length = strlen(text);
    return buffer->length == length && (length == 0 || memcmp(buffer->data, text, length) == 0);
}

psdvec_status pv_json_member(const char *json, const char *name, pv_buffer *out)
{
    pv_json j;
    pv_buffer key = {.ctx = out->ctx};
    psdvec_status status = PSDVEC_OK;
    const char *span;
    size_t length;
    if (!json)
        return PSDVEC_OK;
    pv_json_init(&j, json, strlen(json), 0);
    pv_json_enter_object(&j);
    for (; pv_json_next_member(&j, &key, &span, &length); key.length = 0) {
        if (!pv_json_text_is(&key, name))
            continue;
        PV_TRY_DONE(pv_buffer_append(out, span, length));
        PV_TRY_DONE(pv_buffer_byte(out, 0));
    }
    if (j.refused)
        status = pv_failure(out->ctx);
done:
    pv_buffer_free(&key);
    return status;
}
