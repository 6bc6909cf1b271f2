/* Models for tests. */
#include "support/vectors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool should_cancel(void *user)
{
    workshop *w = user;
    return atomic_load(&w->polls_left) >= 0 && atomic_fetch_sub(&w->polls_left, 1) == 0;
}

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    workshop *w = user;
    size_t used = strlen(w->warnings);
    if (level == PSDVEC_WARNING)
        snprintf(w->warnings + used, sizeof w->warnings - used, "%s\n", text);
}

void workshop_context(workshop *w, uint64_t memory, int threads)
{
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = threads;
    options.memory = memory;
    options.should_cancel = should_cancel;
    options.on_message = on_message;
    options.user = w;
    if (w->ctx && atomic_load(&w->ctx->memory_used) != 0)
        abort();
    psdvec_context_free(w->ctx);
    if (psdvec_context_new(&options, &w->ctx) != PSDVEC_OK)
        abort();
}

int workshop_open(void **state)
{
    workshop *w = calloc(1, sizeof *w);
    if (!w)
        return -1;
    *state = w;
    w->polls_left = -1;
    w->folder = scratch_new();
    w->in = scratch_path(w->folder, "in");
    w->out = scratch_path(w->folder, "out");
    w->other = scratch_path(w->folder, "other");
    w->words = scratch_path(w->folder, "words");
    workshop_context(w, UINT64_C(256) << 20, 3);
    return 0;
}

int workshop_close(void **state)
{
    workshop *w = *state;
    uint64_t used = atomic_load(&w->ctx->memory_used);
    psdvec_context_free(w->ctx);
    scratch_free(w->folder);
    free(w->in);
    free(w->out);
    free(w->other);
    free(w->words);
    free(w);
    return used == 0 ? 0 : -1;
}

static void *must(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (!block)
        abort();
    return block;
}

void sample_make(sample *s, uint32_t words, uint32_t dim, uint64_t seed)
{
    dice d = {seed};
    *s = (sample){0};
    s->bytes = must((size_t)words * 12, 1);
    s->offsets = must(words, sizeof *s->offsets);
    s->counts = must(words, sizeof *s->counts);
    s->unigram = must(words, sizeof *s->unigram);
    s->spread = must(words, sizeof *s->spread);
    s->eigenvalues = must(dim, sizeof *s->eigenvalues);
    s->vectors = must((size_t)words * dim, sizeof *s->vectors);
    for (uint32_t i = 0; i < words; i++) {
        char *at = s->bytes + s->offsets[i];
        s->offsets[i + 1] = s->offsets[i] + (uint64_t)sprintf(at, "w%u", i);
        s->counts[i] = 1000 + words - i;
        s->unigram[i] = dice_unit(&d);
        s->spread[i] = (float)dice_unit(&d);
    }
    for (uint32_t k = 0; k < dim; k++)
        s->eigenvalues[k] = (float)(dim - k) * (k % 3 == 2 ? -1.0F : 1.0F);
    for (size_t k = 0; k < (size_t)words * dim; k++)
        s->vectors[k] = (float)(dice_unit(&d) - 0.5);
    for (uint32_t k = 0; k < 3; k++)
        s->iterations[k] = (psdvec_iteration){.iteration = k + 1,
                                              .rank = dim,
                                              .positive = dim / 2,
                                              .objective = 100.0 / (k + 1) + 0.1,
                                              .relaxation = 1,
                                              .smallest = -0.5,
                                              .residual = k ? 1e-4 : (double)NAN};
    s->data = (pv_model_data){.words = words,
                              .dim = dim,
                              .core_words = words / 2,
                              .bytes = s->bytes,
                              .offsets = s->offsets,
                              .vectors = s->vectors,
                              .counts = s->counts,
                              .unigram = s->unigram,
                              .spread = s->spread,
                              .eigenvalues = s->eigenvalues,
                              .iterations = s->iterations,
                              .iteration_count = 3,
                              .settings_json = "{\"dim\": 300}",
                              .counts_json = "{\"window\": 5}",
                              .extensions_json = "[{\"words\": 7}]"};
}

void sample_free(sample *s)
{
    free(s->bytes);
    free(s->offsets);
    free(s->counts);
    free(s->unigram);
    free(s->spread);
    free(s->eigenvalues);
    free(s->vectors);
    *s = (sample){0};
}

static void require(workshop *w, psdvec_status status)
{
    if (status == PSDVEC_OK)
        return;
    fprintf(stderr, "%s\n", psdvec_error_message(w->ctx));
    abort();
}

psdvec_model *open_model(workshop *w, const char *path)
{
    psdvec_model *model;
    require(w, psdvec_model_open(w->ctx, path, &model));
    return model;
}

psdvec_model *open_sample(workshop *w, const sample *s)
{
    pv_begin(w->ctx);
    require(w, pv_model_write(w->ctx, &s->data, w->out));
    return open_model(w, w->out);
}

psdvec_query_options without(const uint32_t *except, size_t count)
{
    psdvec_query_options options;
    psdvec_query_options_default(&options);
    options.except = except;
    options.except_count = count;
    return options;
}
