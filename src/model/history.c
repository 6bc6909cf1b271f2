/* Iterations to JSON and back. */
#include "model/history.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

psdvec_status pv_history_write(pv_buffer *json, const psdvec_iteration *iterations, size_t count)
{
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_array(&w, NULL);
    for (size_t k = 0; k < count; k++) {
        const psdvec_iteration *it = &iterations[k];
        pv_json_open_object(&w, NULL);
        pv_json_put_u64(&w, "iteration", it->iteration);
        pv_json_put_u64(&w, "rank", it->rank);
        pv_json_put_u64(&w, "positive", it->positive);
        pv_json_put_double(&w, "objective", it->objective);
        pv_json_put_double(&w, "relaxation", it->relaxation);
        pv_json_put_double(&w, "smallest", it->smallest);
        pv_json_put_double(&w, "residual", it->residual);
        pv_json_close(&w);
    }
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, '\0');
}

/* A number that is not known is null: an integer stays 0, a real number NaN. */
static bool read_integer(pv_json *j, uint32_t *value)
{
    uint64_t wide;
    if (pv_json_peek(j) == PV_JSON_NULL)
        return pv_json_read_null(j);
    if (!pv_json_read_u64(j, &wide))
        return false;
    if (wide > UINT32_MAX)
        return pv_json_reject(j, "a number is too large");
    *value = (uint32_t)wide;
    return true;
}

static bool read_real(pv_json *j, double *value)
{
    return pv_json_peek(j) == PV_JSON_NULL ? pv_json_read_null(j) : pv_json_read_double(j, value);
}

static bool read_iteration(pv_json *j, pv_buffer *key, psdvec_iteration *it)
{
    *it = (psdvec_iteration){.objective = NAN, .relaxation = NAN, .smallest = NAN, .residual = NAN};
    if (!pv_json_enter_object(j))
        return false;
    for (key->length = 0; pv_json_next_key(j, key); key->length = 0) {
        bool ok;
        if (pv_json_text_is(key, "iteration"))
            ok = read_integer(j, &it->iteration);
        else if (pv_json_text_is(key, "rank"))
            ok = read_integer(j, &it->rank);
        else if (pv_json_text_is(key, "positive"))
            ok = read_integer(j, &it->positive);
        else if (pv_json_text_is(key, "objective"))
            ok = read_real(j, &it->objective);
        else if (pv_json_text_is(key, "relaxation"))
            ok = read_real(j, &it->relaxation);
        else if (pv_json_text_is(key, "smallest"))
            ok = read_real(j, &it->smallest);
        else if (pv_json_text_is(key, "residual"))
            ok = read_real(j, &it->residual);
        else
            ok = pv_json_skip(j, NULL, NULL);
        if (!ok)
            return false;
    }
    return j->cause == NULL;
}

psdvec_status pv_history_read(psdvec_context *ctx, const char *path, const char *json,
                              psdvec_iteration **iterations, size_t *count)
{
    psdvec_status status = PSDVEC_OK;
    pv_json j;
    pv_buffer key, list;
    pv_buffer_init(&key, ctx);
    pv_buffer_init(&list, ctx);
    pv_json_init(&j, json, strlen(json), 0);
    bool ok = pv_json_enter_array(&j);
    while (ok && pv_json_next_element(&j)) {
        psdvec_iteration it;
        ok = read_iteration(&j, &key, &it);
        if (ok)
            PV_TRY_DONE(pv_buffer_append(&list, &it, sizeof it));
    }
    if (!ok || !pv_json_finish(&j))
        status = pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                         "%s: the model is damaged: its history cannot be read: %s; make the "
                         "file anew",
                         path, j.cause ? j.cause : "not as expected");
done:
    pv_buffer_free(&key);
    if (status != PSDVEC_OK)
        pv_buffer_free(&list);
    *iterations = (psdvec_iteration *)(void *)list.data;
    *count = list.length / sizeof **iterations;
    return status;
}
