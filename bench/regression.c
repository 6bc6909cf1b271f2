/* Measures the regression of noncore words: its speed, and the flops that it needs.
 *
 *     regression [-p default|paper] [-m MU] [-s STEP] [-r ROUNDS] [-o FILE] COUNTS MODEL
 *
 *     -p   weights and targets of this preset (default)
 *     -m   the prior, instead of the preset's
 *     -s   every STEP-th word only (1)
 *     -r   rounds, of which the best is used (3)
 *     -o   writes the vectors there, as float32 without a header
 *
 * MODEL: trained on COUNTS with `--core N`. The words after its core are solved again on one
 * thread, and compared with their vectors in MODEL. Seconds are CPU time. Prints Markdown.
 */
#include "solve/regression.h"
#include "base/blas.h"
#include "base/memory.h"
#include "sparse/columns.h"
#include "train/train.h"

#include <psdvec/psdvec.h>

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SGEMM_SIDE = 1024, BLOCKS = 64 };

static psdvec_context *ctx;

static void must(psdvec_status status)
{
    if (status == PSDVEC_OK)
        return;
    fprintf(stderr, "regression: %s\n", psdvec_error_message(ctx));
    exit(1);
}

static void *must_have(void *block)
{
    if (!block)
        must(pv_failure(ctx));
    return block;
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Flops per second of CPU time. */
static double sgemm_speed(void)
{
    int side = SGEMM_SIDE;
    size_t cells = (size_t)side * (size_t)side;
    float *block = must_have(pv_alloc(ctx, 3 * cells, sizeof *block, "a matrix product"));
    for (size_t i = 0; i < 3 * cells; i++)
        block[i] = (float)(i % 1021) / 1021 - 0.5f;
    double began = cpu_seconds();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, side, side, side, 1, block, side,
                block + cells, side, 0, block + 2 * cells, side);
    double took = cpu_seconds() - began;
    pv_free(ctx, block);
    return 2 * pow(side, 3) / took;
}

/* ---- The flops ------------------------------------------------------------------------ */
typedef struct census {
    uint32_t core, step;
    double dim, words, pairs, dual_words;
    double gram, factor; /* flops: A'A or AA', and the Cholesky factor */
} census;

static psdvec_status count_row(void *arg, pv_pair_row row, int worker)
{
    census *c = arg;
    double m = 0, n = c->dim;
    (void)worker;
    if ((row.i - c->core) % c->step)
        return PSDVEC_OK;
    while (pv_pair_next(&row) && row.j < c->core)
        m++;
    c->words++;
    c->pairs += m;
    c->dual_words += m < n;
    c->gram += m < n ? m * m * n : m * n * n;
    c->factor += (m < n ? m * m * m : n * n * n) / 3;
    return PSDVEC_OK;
}

static census take_census(const psdvec_counts *counts, uint32_t core, uint32_t step, uint32_t dim)
{
    census c = {.core = core, .step = step, .dim = dim};
    pv_csr rows = counts->rows;
    uint32_t words = (uint32_t)rows.rows;
    rows.rows = core;
    pv_column_blocks blocks = {0};
    must(pv_column_blocks_make(ctx, rows, core, words, BLOCKS, &blocks));
    pv_pair_walk walk = {.blocks = &blocks, .on_row = count_row, .arg = &c};
    must(pv_walk_pairs(ctx, &walk));
    pv_column_blocks_free(&blocks);
    return c;
}

/* ---- The vectors ---------------------------------------------------------------------- */
static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The relative difference of each vector from that of the model. */
static void compare(const psdvec_model *model, const uint32_t *words, uint32_t count, uint32_t dim,
                    const float *out, const float *spread)
{
    double *off = must_have(pv_alloc(ctx, count, sizeof *off, "differences")), spread_off = 0;
    for (uint32_t w = 0; w < count; w++) {
        const float *theirs = psdvec_model_vector(model, words[w]), *ours = out + (size_t)w * dim;
        double square = 0, length = 1e-30;
        for (uint32_t k = 0; k < dim; k++) {
            square += ((double)ours[k] - theirs[k]) * ((double)ours[k] - theirs[k]);
            length += (double)theirs[k] * theirs[k];
        }
        off[w] = sqrt(square / length);
        spread_off = fmax(spread_off, fabs(spread[w] / psdvec_model_spread(model, words[w]) - 1));
    }
    qsort(off, count, sizeof *off, ascending);
    printf(
        "\nRelative difference to the vectors of the model: median %.2g, 99%% below %.2g, at most "
        "%.2g; of spreads at most %.2g.\n",
        off[count / 2], off[(size_t)(0.99 * count)], off[count - 1], spread_off);
    pv_free(ctx, off);
}

static void save(const char *path, const float *out, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(out, sizeof *out, count, file) != count || fclose(file)) {
        fprintf(stderr, "regression: %s cannot be written\n", path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    psdvec_preset preset = PSDVEC_PRESET_DEFAULT;
    const char *path = NULL;
    double prior = -1, best = 1e30, product = 0;
    int rounds = 3;
    uint32_t step = 1;
    for (int c; (c = getopt(argc, argv, "p:m:s:r:o:")) != -1;) {
        if (c == 'p')
            preset = strcmp(optarg, "paper") ? PSDVEC_PRESET_DEFAULT : PSDVEC_PRESET_PAPER;
        else if (c == 'm')
            prior = atof(optarg);
        else if (c == 's')
            step = (uint32_t)atoi(optarg);
        else if (c == 'r')
            rounds = atoi(optarg);
        else if (c == 'o')
            path = optarg;
        else
            return 2;
    }
    if (argc - optind != 2 || rounds < 1 || step < 1) {
        fprintf(stderr, "usage: regression [-p default|paper] [-m MU] [-s STEP] [-r ROUNDS] "
                        "[-o FILE] COUNTS MODEL\n");
        return 2;
    }
    psdvec_context_options settings;
    psdvec_context_options_default(&settings);
    settings.threads = 1;
    if (psdvec_context_new(&settings, &ctx) != PSDVEC_OK)
        return 1;
    psdvec_counts *counts;
    psdvec_model *model;
    must(psdvec_counts_open(ctx, argv[optind], &counts));
    must(psdvec_model_open(ctx, argv[optind + 1], &model));
    const psdvec_model_info *info = psdvec_model_get_info(model);
    uint32_t core = info->core_words, dim = info->dim, count = 0;
    if (counts->rows.rows != info->words || core >= info->words) {
        fprintf(stderr, "regression: the model has other words than the counts, or only core "
                        "words\n");
        return 1;
    }

    psdvec_train_options options;
    psdvec_train_options_preset(&options, preset, NULL);
    options.dim = dim;
    options.core = core;
    if (prior >= 0) {
        options.mu = &prior;
        options.mu_count = 1;
    }
    pv_link *link;
    must(pv_link_open(ctx, counts, &options, NULL, &link));
    float *vectors = must_have(pv_alloc(ctx, (size_t)core * dim, sizeof *vectors, "vectors"));
    float *sign = must_have(pv_alloc(ctx, dim, sizeof *sign, "signs"));
    uint32_t *row_of = must_have(pv_alloc(ctx, info->words, sizeof *row_of, "words"));
    uint32_t *words = must_have(pv_alloc(ctx, info->words, sizeof *words, "words"));
    double *mu = must_have(pv_alloc(ctx, info->words, sizeof *mu, "priors"));
    for (uint32_t w = 0; w < info->words; w++) {
        row_of[w] = w < core ? w : UINT32_MAX;
        if (w < core) {
            memcpy(vectors + (size_t)w * dim, psdvec_model_vector(model, w), dim * sizeof *vectors);
        } else if ((w - core) % step == 0) {
            mu[count] = pv_noncore_mu(&options, core, info->words, w, (double)counts->frequency[w],
                                      (double)counts->frequency[core - 1]);
            words[count++] = w;
        }
    }
    float *out = must_have(pv_alloc(ctx, (size_t)count * dim, sizeof *out, "vectors"));
    float *spread = must_have(pv_alloc(ctx, count, sizeof *spread, "spreads"));
    for (uint32_t k = 0; k < dim; k++)
        sign[k] = info->eigenvalues[k] < 0 ? -1 : 1;

    census c = take_census(counts, core, step, dim);
    printf("%.0f words, %.0f pairs each, %.0f%% with fewer than %u; per word %.1f Mflop of A'A and "
           "%.1f Mflop of Cholesky factors.\n\n",
           c.words, c.pairs / c.words, 100 * c.dual_words / c.words, dim, c.gram / c.words * 1e-6,
           c.factor / c.words * 1e-6);
    printf("| round | CPU s | words/s | Gflop/s | sgemm %d, Gflop/s |\n|---|---|---|---|---|\n",
           SGEMM_SIDE);
    for (int round = 1; round <= rounds; round++) {
        pv_regression *regression;
        double speed = sgemm_speed(), began = cpu_seconds();
        must(pv_regression_open(link, vectors, core, dim, sign, row_of, &regression));
        must(pv_regression_solve(regression, words, count, mu, out, spread));
        pv_regression_close(regression);
        double took = cpu_seconds() - began;
        best = took < best ? took : best;
        product = speed > product ? speed : product;
        printf("| %d | %.2f | %.0f | %.1f | %.1f |\n", round, took, c.words / took,
               (c.gram + c.factor) / took * 1e-9, speed * 1e-9);
        fflush(stdout);
    }
    double flops = c.gram + c.factor;
    printf("\nBest: %.0f words/s. At the speed of sgemm, %.1f Gflop/s, the flops alone would allow "
           "%.0f words/s.\n",
           c.words / best, product * 1e-9, c.words / (flops / product));
    compare(model, words, count, dim, out, spread);
    if (path)
        save(path, out, (size_t)count * dim);

    pv_free(ctx, mu);
    pv_free(ctx, words);
    pv_free(ctx, row_of);
    pv_free(ctx, spread);
    pv_free(ctx, out);
    pv_free(ctx, sign);
    pv_free(ctx, vectors);
    pv_link_close(link);
    psdvec_model_close(model);
    psdvec_counts_close(counts);
    psdvec_context_free(ctx);
    return 0;
}
