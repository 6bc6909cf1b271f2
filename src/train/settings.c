/* How a model was trained, as JSON. */
#include "train/settings.h"

#include "train/options.h"

psdvec_status pv_settings_write(psdvec_context *ctx, const psdvec_train_options *options,
                                pv_buffer *json)
{
    /* A number that is not finite would be written as null and could not be read. */
    PV_TRY(pv_options_check(ctx, &pv_train_table, options));
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    pv_options_put_json(&w, &pv_train_table, options);
    pv_json_close(&w);
    return pv_json_writer_status(&w);
}

psdvec_status pv_settings_read(psdvec_context *ctx, const char *path, const char *json,
                               psdvec_train_options *options, pv_buffer *lists)
{
    static const char *const also[] = {"constants", NULL}; /* pv_model_constants() reads them */
    return pv_options_read_json(ctx, &pv_train_table, path, "training", json, also, options, lists);
}
