#include "support/topic_text.h"

#include "model/model_write.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void topic_files_make(topic_files *files, psdvec_context *ctx)
{
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 2;
    if (!ctx)
        assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
    files->ctx = ctx;
    files->folder = scratch_new();
    files->model = scratch_path(files->folder, "model.safetensors");
    files->text = scratch_path(files->folder, "documents.txt");
    files->topics = scratch_path(files->folder, "topics.safetensors");
}

int topic_files_remove(topic_files *files)
{
    uint64_t used = atomic_load(&files->ctx->memory_used);
    psdvec_context_free(files->ctx);
    scratch_free(files->folder);
    free(files->model);
    free(files->text);
    free(files->topics);
    return used == 0 ? 0 : -1;
}

void close_to(double a, double b, double error)
{
    if (!(fabs(a - b) <= error))
        fail_msg("%.17g is not %.17g", a, b);
}

double cosine_of(const float *a, const double *b, uint32_t n)
{
    double ab = 0, aa = 0, bb = 0;
    for (uint32_t d = 0; d < n; d++) {
        ab += (double)a[d] * b[d];
        aa += (double)a[d] * (double)a[d];
        bb += b[d] * b[d];
    }
    return ab / sqrt(aa * bb);
}

void topic_word(uint32_t word, char text[5])
{
    for (int k = 0; k < 4; k++, word /= 26)
        text[k] = (char)('a' + word % 26);
    text[4] = '\0';
}

void zipf(double *base, uint32_t words, double shift)
{
    double sum = 0;
    for (uint32_t w = 0; w < words; w++)
        sum += base[w] = 1 / (w + shift);
    for (uint32_t w = 0; w < words; w++)
        base[w] /= sum;
}

void write_topic_model(psdvec_context *ctx, const char *path, uint32_t words, uint32_t dim,
                       const float *vectors, const double *base)
{
    char *bytes = malloc((size_t)words * 4 + 1);
    uint64_t *offsets = malloc(((size_t)words + 1) * sizeof *offsets);
    assert_true(bytes && offsets);
    for (uint32_t w = 0; w < words; w++)
        topic_word(w, bytes + (size_t)w * 4);
    for (uint32_t w = 0; w <= words; w++)
        offsets[w] = (uint64_t)w * 4;
    pv_model_data data = {.words = words,
                          .dim = dim,
                          .bytes = bytes,
                          .offsets = offsets,
                          .vectors = vectors,
                          .unigram = base};
    assert_int_equal(pv_model_write(ctx, &data, path), PSDVEC_OK);
    free(bytes);
    free(offsets);
}

void topic_distribution(uint32_t words, uint32_t dim, const float *vectors, const double *base,
                        const double *topic, double *p)
{
    double sum = 0;
    for (uint32_t w = 0; w < words; w++) {
        double product = 0;
        for (uint32_t d = 0; d < dim; d++)
            product += (double)vectors[(size_t)w * dim + d] * topic[d];
        sum += p[w] = base[w] * exp(product);
    }
    for (uint32_t w = 0; w < words; w++)
        p[w] /= sum;
}

uint32_t draw_from(const double *p, uint32_t n, double at)
{
    for (uint32_t k = 0; k + 1 < n; k++)
        if ((at -= p[k]) < 0)
            return k;
    return n - 1;
}

psdvec_topics *learn_from(const topic_files *files, psdvec_context *ctx,
                          const psdvec_topic_options *options, psdvec_topics_report *report)
{
    const char *text = files->text;
    psdvec_model *model = NULL;
    psdvec_topics *topics = NULL;
    if (psdvec_model_open(ctx, files->model, &model) != PSDVEC_OK ||
        psdvec_topics_learn(ctx, options, model, NULL, &text, 1, files->topics, report) !=
            PSDVEC_OK ||
        psdvec_topics_open(ctx, files->topics, &topics) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(ctx));
    psdvec_model_close(model);
    return topics;
}
