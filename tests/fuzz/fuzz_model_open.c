/* Fuzzes the reader of model files: all layouts and precisions, sparse models, spelling, phrases.
 *
 * The input is the complete file, which the mutator keeps consistent. If it opens, every query is
 * run on it, without verification. A file that passes verification must be consistent.
 */
#include "fuzz/fuzz.h"
#include "model/model_read.h"
#include "support/tensor_mutator.h"

#include <math.h>

TENSOR_MUTATOR

/* The stored options must be valid. */
static void ask_settings(psdvec_context *ctx, const psdvec_model *model)
{
    static const psdvec_options_kind kinds[] = {PSDVEC_OPTIONS_COUNT, PSDVEC_OPTIONS_TRAIN,
                                                PSDVEC_OPTIONS_BASELINE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        psdvec_settings *settings = NULL;
        psdvec_status status = psdvec_model_settings(ctx, model, kinds[k], &settings);
        require((status == PSDVEC_OK) == (settings != NULL));
        require(settings ? psdvec_settings_finish(settings) == PSDVEC_OK
                         : psdvec_error_message(ctx)[0] != '\0');
        psdvec_settings_free(settings);
    }
}

static void ignore(void *user, const char *word, size_t length)
{
    (void)user, (void)word, (void)length;
}

/* The model's own phrases are joined in text. */
static void ask_phrases(psdvec_context *ctx, const psdvec_model *model)
{
    pv_phrase_list list = pv_model_phrases(model);
    require((list.length > 0) == (psdvec_model_get_info(model)->phrases > 0));
    psdvec_status status =
        psdvec_model_tokenize(ctx, model, "In New York, the cats", 21, ignore, NULL);
    require(status == PSDVEC_OK || psdvec_error_message(ctx)[0] != '\0');
}

static void walk(psdvec_context *ctx, const psdvec_model *model, bool verified)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    psdvec_neighbour near[4];
    volatile double sum = 0;
    size_t found;
    uint32_t a_word;
    if (info->dim > 1U << 20) /* possible in a sparse model; it would need much memory */
        return;
    float *spelled = malloc(info->dim * sizeof *spelled);
    float *copy = malloc(info->dim * sizeof *copy);
    const float *readout;
    require(spelled && copy);
    ask_settings(ctx, model);
    require(psdvec_model_find_normalized(ctx, model, " Of", 3, &a_word) == PSDVEC_OK);
    ask_phrases(ctx, model);
    psdvec_status got = psdvec_model_readout(ctx, model, &readout);
    require(got == (info->sparse ? PSDVEC_ERR_OPTION : PSDVEC_OK));
    require(info->has_readout || readout == psdvec_model_vector(model, 0));
    require(info->has_spelling == (info->ngrams > 0));
    for (size_t k = 0; k < info->iteration_count; k++)
        sum += info->iterations[k].objective;
    for (uint32_t i = 0; i < info->words; i++) {
        size_t length;
        uint32_t index;
        const char *word = psdvec_model_word(model, i, &length);
        require(length > 0);
        require(psdvec_model_find(model, word, length, &index) && index <= i);
        require(!verified || index == i);
        sum += psdvec_model_unigram(model, i) + psdvec_model_spread(model, i) +
               (double)psdvec_model_frequency(model, i) + psdvec_model_product(model, 0, i) +
               psdvec_model_cosine(model, i, 0);
        const uint32_t *columns;
        const float *values;
        size_t count, form_length;
        const char *form = psdvec_model_form(model, i, &form_length);
        for (size_t k = 0; k < form_length; k++)
            sum += form[k];
        psdvec_model_sparse_row(model, i, &columns, &values, &count);
        require(info->sparse ? count <= info->dim : count == 0);
        psdvec_model_copy(model, i, copy);
        for (uint32_t k = 0; k < info->dim; k++) {
            require(!verified || isfinite(copy[k]));
            require(info->sparse || !verified || isfinite(psdvec_model_vector(model, i)[k]));
        }
        bool some = psdvec_model_spell(model, word, length, spelled);
        require(info->has_spelling || !some);
        for (uint32_t k = 0; k < info->dim; k++)
            require(some ? isfinite(spelled[k]) : spelled[k] == 0);
    }
    psdvec_model_spell(model, "an endless tthe", 15, spelled);
    for (uint32_t k = 0; k < info->dim; k++) {
        require(isfinite(spelled[k]));
        sum += spelled[k];
    }
    psdvec_model_copy(model, 0, copy);
    psdvec_status status = psdvec_model_similar(ctx, model, copy, NULL, 4, near, &found);
    free(spelled);
    free(copy);
    require(status == PSDVEC_OK ||
            (!verified && (status == PSDVEC_ERR_NUMERIC || status == PSDVEC_ERR_CORRUPT)));
    for (size_t k = 0; k < found; k++)
        require(near[k].word < info->words && near[k].cosine >= -1 && near[k].cosine <= 1);
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    static fuzz_file file;
    if (!ctx)
        ctx = fuzz_context(256);
    fuzz_file_set(&file, data, size);
    psdvec_model *model = NULL;
    psdvec_status status = psdvec_model_open(ctx, file.path, &model);
    require((status == PSDVEC_OK) == (model != NULL) && status != PSDVEC_ERR_INTERNAL);
    if (model) {
        walk(ctx, model, false);
        if (psdvec_model_verify(ctx, model) == PSDVEC_OK)
            walk(ctx, model, true);
        else
            require(psdvec_error_message(ctx)[0] != '\0');
    } else {
        require(psdvec_error_message(ctx)[0] != '\0');
    }
    psdvec_model_close(model);
    require(atomic_load(&ctx->memory_used) == 0);
    return 0;
}
