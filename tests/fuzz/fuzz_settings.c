/* Fuzzes the settings of training and of counting in a model file. Accepted settings can be written
 * again, and are the same when read back. */
#include "count/provenance.h"
#include "fuzz/fuzz.h"
#include "train/options.h"

static void training(psdvec_context *ctx, const char *json)
{
    psdvec_train_options options, again;
    pv_buffer lists, more_lists, text, same;
    pv_buffer_init(&lists, ctx);
    pv_buffer_init(&more_lists, ctx);
    pv_buffer_init(&text, ctx);
    pv_buffer_init(&same, ctx);
    pv_begin(ctx);
    if (pv_settings_read(ctx, "fuzz", json, &options, &lists) == PSDVEC_OK) {
        require(pv_settings_write(ctx, &options, NULL, &text) == PSDVEC_OK);
        require(pv_buffer_byte(&text, '\0') == PSDVEC_OK);
        require(pv_settings_read(ctx, "fuzz", text.data, &again, &more_lists) == PSDVEC_OK);
        require(pv_settings_write(ctx, &again, NULL, &same) == PSDVEC_OK);
        require(same.length + 1 == text.length && !memcmp(same.data, text.data, same.length));
    } else {
        require(*psdvec_error_message(ctx) != '\0');
    }
    pv_buffer_free(&lists);
    pv_buffer_free(&more_lists);
    pv_buffer_free(&text);
    pv_buffer_free(&same);
}

static void counting(psdvec_context *ctx, const char *json)
{
    psdvec_count_options options;
    pv_buffer strings;
    pv_provenance provenance;
    pv_buffer_init(&strings, ctx);
    pv_provenance_init(&provenance, ctx);
    pv_begin(ctx);
    if (pv_provenance_read_settings(ctx, "fuzz", json, &options, &strings) == PSDVEC_OK)
        require(pv_provenance_set(&provenance, &options) == PSDVEC_OK);
    pv_provenance_free(&provenance);
    pv_buffer_free(&strings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx)
        ctx = fuzz_context(16);
    char *json = fuzz_text(data, size);
    training(ctx, json);
    counting(ctx, json);
    require(atomic_load(&ctx->memory_used) == 0);
    free(json);
    return 0;
}
