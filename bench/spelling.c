/* Measures the cost of learning from the spelling of words, on the vectors of a model.
 *
 *     bench/spelling MODEL [THREADS [STEPS [OUTPUT]]]
 *
 * Learns as in training, opens the table and adds it to all vectors. Prints threads, name and
 * milliseconds, then the size of the table and how much of the vectors it explains. OUTPUT: the
 * spelling vector of each word, as raw float32, for comparison with other programs.
 */
#include "spelling/spelling.h"
#include "base/memory.h"
#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5 };

typedef struct subject {
    pv_spelling_words words;
    uint32_t dim;
    char *bytes;
    uint64_t *offsets, *counts;
    float *u, *s; /* words x dim */
} subject;

static void centre(subject *x)
{
    for (uint32_t k = 0; k < x->dim; k++) {
        double mean = 0;
        for (size_t i = 0; i < x->words.words; i++)
            mean += (double)x->u[i * x->dim + k] / x->words.words;
        for (size_t i = 0; i < x->words.words; i++)
            x->u[i * x->dim + k] -= (float)mean;
    }
    for (size_t i = 0; i < x->words.words; i++) {
        double length = 0;
        for (uint32_t k = 0; k < x->dim; k++)
            length += (double)x->u[i * x->dim + k] * (double)x->u[i * x->dim + k];
        for (uint32_t k = 0; k < x->dim && length > 0; k++)
            x->u[i * x->dim + k] /= (float)sqrt(length);
    }
}

static psdvec_status take(psdvec_context *ctx, const char *path, subject *x)
{
    psdvec_model *model;
    PV_TRY(psdvec_model_open(ctx, path, &model));
    uint32_t words = psdvec_model_get_info(model)->words;
    size_t length, total = 0;
    x->dim = psdvec_model_get_info(model)->dim;
    for (uint32_t i = 0; i < words; i++) {
        psdvec_model_word(model, i, &length);
        total += length;
    }
    x->bytes = pv_alloc(ctx, total, 1, "words");
    x->offsets = pv_alloc_zero(ctx, (size_t)words + 1, sizeof *x->offsets, "words");
    x->counts = pv_alloc(ctx, words, sizeof *x->counts, "words");
    x->u = pv_alloc(ctx, words, x->dim * sizeof *x->u, "vectors");
    x->s = pv_alloc_zero(ctx, words, x->dim * sizeof *x->s, "vectors");
    bool all = x->bytes && x->offsets && x->counts && x->u && x->s;
    for (uint32_t i = 0; all && i < words; i++) {
        const char *word = psdvec_model_word(model, i, &length);
        memcpy(x->bytes + x->offsets[i], word, length);
        x->offsets[i + 1] = x->offsets[i] + length;
        x->counts[i] = psdvec_model_frequency(model, i);
        memcpy(x->u + (size_t)i * x->dim, psdvec_model_vector(model, i), x->dim * sizeof *x->u);
    }
    psdvec_model_close(model);
    if (!all)
        return pv_failure(ctx);
    x->words = (pv_spelling_words){.words = words, .bytes = x->bytes, .offsets = x->offsets};
    centre(x);
    return PSDVEC_OK;
}

static void say(psdvec_context *ctx, const char *what, double seconds)
{
    printf("%d\t%s\t%.1f\n", psdvec_threads(ctx), what, 1e3 * seconds);
}

static psdvec_status measure(psdvec_context *ctx, const pv_spelling_options *options, subject *x)
{
    pv_spelling *learnt, *opened;
    double began = pv_now(), best_open = 1e30, best_add = 1e30, error = 0, all = 0;
    size_t numbers = (size_t)x->words.words * x->dim;
    PV_TRY(pv_spelling_learn(ctx, options, &x->words, x->u, x->dim, x->counts, &learnt));
    say(ctx, "learn", pv_now() - began);
    psdvec_status status = PSDVEC_OK;
    for (int round = 0; round < ROUNDS && status == PSDVEC_OK; round++) {
        began = pv_now();
        status = pv_spelling_open(ctx, pv_spelling_get(learnt), "table", &opened);
        best_open = fmin(best_open, pv_now() - began);
        if (status != PSDVEC_OK)
            break;
        memset(x->s, 0, numbers * sizeof *x->s);
        began = pv_now();
        status = pv_spelling_add(ctx, opened, &x->words, 1, x->s);
        best_add = fmin(best_add, pv_now() - began);
        pv_spelling_free(opened);
    }
    say(ctx, "open", best_open);
    say(ctx, "add", best_add);
    for (size_t k = 0; k < numbers; k++) {
        double off = (double)x->u[k] - (double)x->s[k];
        error += off * off;
        all += (double)x->u[k] * (double)x->u[k];
    }
    printf("%u words, %u n-grams, table of %.1f MB, %.3f of the vectors explained\n",
           x->words.words, pv_spelling_get(learnt)->ngrams,
           1e-6 * (double)pv_spelling_bytes(pv_spelling_get(learnt)), 1 - error / all);
    pv_spelling_free(learnt);
    return status;
}

int main(int argc, char **argv)
{
    psdvec_context_options options;
    psdvec_context *ctx;
    subject x = {0};
    pv_spelling_options how;
    if (argc < 2) {
        fprintf(stderr, "usage: spelling MODEL [THREADS [STEPS [OUTPUT]]]\n");
        return 2;
    }
    psdvec_context_options_default(&options);
    options.threads = argc > 2 ? atoi(argv[2]) : 1;
    pv_spelling_options_default(&how);
    if (argc > 3)
        how.steps = (uint32_t)atoi(argv[3]);
    psdvec_status status = psdvec_context_new(&options, &ctx);
    if (status == PSDVEC_OK)
        status = take(ctx, argv[1], &x);
    if (status == PSDVEC_OK)
        status = measure(ctx, &how, &x);
    if (status != PSDVEC_OK)
        fprintf(stderr, "%s\n", psdvec_error_message(ctx));
    if (status == PSDVEC_OK && argc > 4) {
        FILE *file = fopen(argv[4], "wb");
        size_t count = (size_t)x.words.words * x.dim;
        if (!file || fwrite(x.s, sizeof *x.s, count, file) != count || fclose(file) != 0)
            status = PSDVEC_ERR_WRITE;
    }
    printf("peak memory %.0f MB\n", 1e-6 * (double)psdvec_peak_memory(ctx));
    pv_free(ctx, x.bytes);
    pv_free(ctx, x.offsets);
    pv_free(ctx, x.counts);
    pv_free(ctx, x.u);
    pv_free(ctx, x.s);
    psdvec_context_free(ctx);
    return status != PSDVEC_OK;
}
