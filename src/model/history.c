/* Iterations to JSON and back. */
#include "model/history.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

static const pv_json_field fields[] = {
    PV_JSON_FIELD(psdvec_iteration, iteration),  PV_JSON_FIELD(psdvec_iteration, rank),
    PV_JSON_FIELD(psdvec_iteration, positive),   PV_JSON_FIELD(psdvec_iteration, objective),
    PV_JSON_FIELD(psdvec_iteration, relaxation), PV_JSON_FIELD(psdvec_iteration, smallest),
    PV_JSON_FIELD(psdvec_iteration, residual),   {0}};

psdvec_status pv_history_write(pv_buffer *json, const psdvec_iteration *iterations, size_t count)
{
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_array(&w, NULL);
    for (size_t k = 0; k < count; k++) {
        pv_json_open_object(&w, NULL);
        pv_json_put_fields(&w, fields, &iterations[k], false);
        pv_json_close(&w);
    }
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, '\0');
}

psdvec_status pv_history_read(psdvec_context *ctx, const char *path, const char *json,
                              psdvec_iteration **iterations, size_t *count)
{
    psdvec_status status = PSDVEC_OK;
    pv_json j;
    pv_buffer list;
    pv_buffer_init(&list, ctx);
    pv_json_init(&j, json, strlen(json), 0);
    bool ok = pv_json_enter_array(&j);
    while (ok && pv_json_next_element(&j)) {
        psdvec_iteration it = {
            .objective = NAN, .relaxation = NAN, .smallest = NAN, .residual = NAN};
        ok = pv_json_read_record(&j, fields, &it);
        if (ok)
            PV_TRY_DONE(pv_buffer_append(&list, &it, sizeof it));
    }
    if (!ok || !pv_json_finish(&j))
        status = pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                         "%s: the model is damaged: its history cannot be read: %s; make the "
                         "file anew",
                         path, j.cause ? j.cause : "not as expected");
done:
    if (status != PSDVEC_OK)
        pv_buffer_free(&list);
    *iterations = (psdvec_iteration *)(void *)list.data;
    *count = list.length / sizeof **iterations;
    return status;
}
