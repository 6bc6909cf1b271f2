/* Fuzzes the settings of training and of counting in a model file. Accepted settings can be written
 * again, and are the same when read back. */
#include "base/context.h"
#include "count/provenance.h"
#include "train/options.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
    if (!condition)
        abort();
}

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
        check(pv_settings_write(ctx, &options, NULL, &text) == PSDVEC_OK);
        check(pv_buffer_byte(&text, '\0') == PSDVEC_OK);
        check(pv_settings_read(ctx, "fuzz", text.data, &again, &more_lists) == PSDVEC_OK);
        check(pv_settings_write(ctx, &again, NULL, &same) == PSDVEC_OK);
        check(same.length + 1 == text.length && !memcmp(same.data, text.data, same.length));
    } else {
        check(*psdvec_error_message(ctx) != '\0');
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
        check(pv_provenance_set(&provenance, &options) == PSDVEC_OK);
    pv_provenance_free(&provenance);
    pv_buffer_free(&strings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    psdvec_context *ctx;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = 16 << 20;
    char *json = malloc(size + 1);
    if (!json || psdvec_context_new(&options, &ctx) != PSDVEC_OK)
        abort();
    memcpy(json, data, size);
    json[size] = '\0';
    training(ctx, json);
    counting(ctx, json);
    check(atomic_load(&ctx->memory_used) == 0);
    psdvec_context_free(ctx);
    free(json);
    return 0;
}
