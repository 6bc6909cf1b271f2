/* Problems in files. */
#include "support/problem.h"

#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(bool truth, const char *why)
{
    if (!truth) {
        fprintf(stderr, "%s\n", why);
        abort();
    }
}

static void remember(void *user, psdvec_message_level level, const char *text)
{
    problem *p = user;
    size_t length = strlen(p->messages);
    (void)level;
    snprintf(p->messages + length, sizeof p->messages - length, "%s\n", text);
}

static problem *blank(int threads)
{
    problem *p = calloc(1, sizeof *p);
    need(p != NULL, "no memory");
    p->folder = scratch_new();
    p->path = scratch_path(p->folder, "counts.safetensors");
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = threads;
    o.memory = UINT64_C(1) << 30;
    o.on_message = remember;
    o.user = p;
    need(psdvec_context_new(&o, &p->ctx) == PSDVEC_OK, "no context");
    return p;
}

static problem *filled(problem *p)
{
    need(psdvec_counts_open(p->ctx, p->path, &p->counts) == PSDVEC_OK, "no counts file");
    p->dense = dense_counts_read(p->counts);
    p->messages[0] = 0;
    return p;
}

problem *problem_new(dense_counts counts, uint64_t scale, int threads)
{
    problem *p = blank(threads);
    write_counts(p->ctx, &counts, scale, p->folder, p->path);
    dense_counts_free(&counts);
    return filled(p);
}

char *random_text(uint64_t seed, size_t words, size_t tokens)
{
    enum { LINE = 12, THEMES = 5 };
    dice d = {seed};
    char *text = malloc(tokens * 12 + 1), *at = text;
    double *sum = calloc(words + 1, sizeof *sum);
    need(text && sum, "no memory");
    for (size_t i = 0; i < words; i++)
        sum[i + 1] = sum[i] + 1 / ((double)i + 2.7);
    size_t theme = 0;
    for (size_t t = 0; t < tokens; t++) {
        if (t % LINE == 0)
            theme = dice_below(&d, THEMES);
        double u = dice_unit(&d) * sum[words];
        size_t low = 0, high = words;
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            *(sum[middle] <= u ? &low : &high) = middle;
        }
        /* Half of the time a word of the line's topic. */
        if (dice_percent(&d, 50) && low / THEMES * THEMES + theme < words)
            low = low / THEMES * THEMES + theme;
        at += sprintf(at, "w%zu%c", low, (t + 1) % LINE ? ' ' : '\n');
    }
    free(sum);
    return text;
}

problem *problem_of_text(uint64_t seed, size_t words, size_t tokens, bool subsample, int threads)
{
    problem *p = blank(threads);
    char *text = random_text(seed, words, tokens), *input = scratch_path(p->folder, "text.txt");
    scratch_write(input, text, strlen(text));
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    o.window = 3;
    o.distance = PSDVEC_DISTANCE_HARMONIC;
    o.min_count = 2;
    o.subsample = subsample ? 1e-2 : 0;
    need(psdvec_count(p->ctx, &o, (const char *[]){input}, 1, p->path, NULL) == PSDVEC_OK,
         psdvec_error_message(p->ctx));
    remove(input);
    free(input);
    free(text);
    return filled(p);
}

void problem_free(problem *p)
{
    dense_counts_free(&p->dense);
    psdvec_counts_close(p->counts);
    need(atomic_load(&p->ctx->memory_used) == 0, "the library still holds memory");
    psdvec_context_free(p->ctx);
    scratch_free(p->folder);
    free(p->path);
    free(p);
}

psdvec_context *context_of(int threads)
{
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = threads;
    psdvec_context *ctx;
    need(psdvec_context_new(&o, &ctx) == PSDVEC_OK, "no context");
    return ctx;
}

psdvec_train_options paper_options(uint32_t dim, uint32_t iterations)
{
    static const double mu[] = {2};
    return (psdvec_train_options){.size = sizeof(psdvec_train_options),
                                  .dim = dim,
                                  .form = PSDVEC_FORM_PSD,
                                  .target = PSDVEC_TARGET_SMOOTHED,
                                  .kappa = 0.02,
                                  .context_power = 0.75,
                                  .weights = PSDVEC_WEIGHTS_RAW,
                                  .cut = 0.002,
                                  .factor_power = 0.3,
                                  .glove_max = 10,
                                  .glove_power = 0.75,
                                  .rho = 0,
                                  .rho_target = -2,
                                  .iterations = iterations,
                                  .relaxation = 1,
                                  .start = 0.5,
                                  .eigen_tolerance = 1e-6,
                                  .mu = mu,
                                  .mu_count = 1,
                                  .mu_power = 0.5};
}

psdvec_train_options factored_options(uint32_t dim, uint32_t iterations)
{
    psdvec_train_options o = paper_options(dim, iterations);
    o.form = PSDVEC_FORM_SYMMETRIC;
    o.target = PSDVEC_TARGET_PMI;
    o.weights = PSDVEC_WEIGHTS_FACTORED;
    o.rho = 0.1;
    o.rho_pairs = 300;
    o.start = 0;
    return o;
}
