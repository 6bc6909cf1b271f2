#include "host/tour.h"

#include "support/scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VOCABULARY = 300, WORDS_A_LINE = 20, DIM = 16 };

typedef struct tour {
    psdvec_context *ctx;
    const char *folder;
    FILE *messages, *figures;
    char *paths[64]; /* all requested ones, freed at the end */
    size_t path_count;
} tour;

/* Words of a Zipf-like distribution in which neighbours in rank co-occur often. */
void tour_text(const char *folder, size_t lines)
{
    dice d = {7};
    char *text = malloc(lines * WORDS_A_LINE * 8 + 1), *end = text;
    if (!text)
        abort();
    for (size_t line = 0; line < lines; line++) {
        double topic = dice_unit(&d);
        for (size_t i = 0; i < WORDS_A_LINE; i++) {
            double u = dice_percent(&d, 40) ? topic : dice_unit(&d);
            unsigned word = (unsigned)(VOCABULARY * u * u * (0.9 + 0.1 * dice_unit(&d)));
            *end++ = 'w';
            for (unsigned digit = 100; digit > 0; digit /= 10)
                *end++ = (char)('a' + word / digit % 10);
            *end++ = i + 1 < WORDS_A_LINE ? ' ' : '\n';
        }
    }
    char *path = scratch_path(folder, "text.txt");
    scratch_write(path, text, (size_t)(end - text));
    free(path);
    free(text);
}

static void settings(psdvec_train_options *train, psdvec_count_options *count)
{
    psdvec_train_options_preset(train, PSDVEC_PRESET_DEFAULT, count);
    train->dim = DIM;
    train->core = VOCABULARY / 2;
    count->min_count = 2;
}

psdvec_status tour_train(psdvec_context *ctx, const char *folder, const char *name)
{
    psdvec_train_options train;
    psdvec_count_options count;
    settings(&train, &count);
    char *text = scratch_path(folder, "text.txt"), *model = scratch_path(folder, name);
    const char *inputs[] = {text};
    psdvec_status status = psdvec_train_text(ctx, &train, &count, inputs, 1, model, NULL, NULL);
    free(text);
    free(model);
    return status;
}

static const char *in(tour *t, const char *name)
{
    if (t->path_count == sizeof t->paths / sizeof t->paths[0])
        abort();
    return t->paths[t->path_count++] = scratch_path(t->folder, name);
}

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    tour *t = user;
    /* Other messages contain durations. */
    if (level == PSDVEC_WARNING)
        fprintf(t->messages, "%s\n", text);
}

static void figure(tour *t, double value)
{
    fwrite(&value, sizeof value, 1, t->figures);
}

static psdvec_status exchange(tour *t, const char *path, psdvec_counts_format format,
                              const char *out, const char *words, const char *back)
{
    psdvec_counts *counts = NULL;
    psdvec_import_options import;
    psdvec_import_options_default(&import);
    import.format = format;
    import.window = format == PSDVEC_FORMAT_TOP2GRAMS ? 0 : 10;
    import.vocab_file = words ? in(t, words) : NULL;
    psdvec_status status = psdvec_counts_open(t->ctx, path, &counts);
    if (status == PSDVEC_OK)
        status = psdvec_counts_export(t->ctx, counts, format, false, in(t, out), import.vocab_file);
    if (status == PSDVEC_OK)
        status = psdvec_counts_import(t->ctx, &import, in(t, out), in(t, back), NULL);
    psdvec_counts_close(counts);
    return status;
}

static psdvec_status count_and_exchange(tour *t, psdvec_count_options count)
{
    const char *inputs[] = {in(t, "text.txt")}, *path = in(t, "counts"), *whole = in(t, "whole");
    psdvec_status status = psdvec_count(t->ctx, &count, inputs, 1, path, NULL);
    count.distance = PSDVEC_DISTANCE_UNIFORM;
    count.subsample = 0;
    if (status == PSDVEC_OK)
        status = psdvec_count(t->ctx, &count, inputs, 1, whole, NULL);
    if (status == PSDVEC_OK)
        status = exchange(t, path, PSDVEC_FORMAT_GLOVE, "glove.bin", "glove.txt", "from-glove");
    if (status == PSDVEC_OK)
        status = exchange(t, path, PSDVEC_FORMAT_MATRIX_MARKET, "market.mtx", "market.txt",
                          "from-market");
    if (status == PSDVEC_OK)
        status = exchange(t, whole, PSDVEC_FORMAT_TOP2GRAMS, "top2grams", NULL, "from-top2grams");
    return status;
}

/* A matrix whose header is in capital letters. */
static psdvec_status import_capitals(tour *t)
{
    static const char words[] = "one 3\ntwo 2\n",
                      matrix[] = "%%MATRIXMARKET MATRIX COORDINATE INTEGER GENERAL\n"
                                 "2 2 2\n1 2 3\n2 1 1\n";
    const char *path = in(t, "capitals.mtx");
    psdvec_import_options import;
    psdvec_import_options_default(&import);
    import.format = PSDVEC_FORMAT_MATRIX_MARKET;
    import.window = 1;
    import.vocab_file = in(t, "capitals.txt");
    scratch_write(path, matrix, sizeof matrix - 1);
    scratch_write(import.vocab_file, words, sizeof words - 1);
    return psdvec_counts_import(t->ctx, &import, path, in(t, "from-capitals"), NULL);
}

static psdvec_status residuals(tour *t, const char *model_path, const char *counts_path,
                               const char *output)
{
    psdvec_model *model = NULL;
    psdvec_counts *counts = NULL;
    psdvec_residual_report report;
    psdvec_residual top[5];
    size_t found = 0;
    psdvec_status status = psdvec_model_open(t->ctx, model_path, &model);
    if (status == PSDVEC_OK)
        status = psdvec_counts_open(t->ctx, counts_path, &counts);
    if (status == PSDVEC_OK)
        status = psdvec_residuals(t->ctx, model, counts, output, PSDVEC_RESIDUAL_LOSS, 2, 5, top,
                                  &found, &report);
    if (status == PSDVEC_OK) {
        figure(t, report.correlation);
        for (size_t i = 0; i < found; i++)
            figure(t, top[i].target - top[i].product);
    }
    psdvec_counts_close(counts);
    psdvec_model_close(model);
    return status;
}

static psdvec_status convert(tour *t, const char *model_path)
{
    static const struct {
        psdvec_vectors_format format;
        const char *out, *back;
    } forms[] = {{PSDVEC_VECTORS_WORD2VEC, "vectors.vec", "from-vec"},
                 {PSDVEC_VECTORS_GLOVE, "vectors.txt", "from-txt"},
                 {PSDVEC_VECTORS_NPY, "vectors.npy", "from-npy"}};
    psdvec_status status = PSDVEC_OK;
    for (size_t i = 0; i < 3 && status == PSDVEC_OK; i++) {
        psdvec_convert_options to, from;
        psdvec_convert_options_default(&to);
        psdvec_convert_options_default(&from);
        to.format = forms[i].format;
        const char *out = in(t, forms[i].out);
        status = psdvec_convert(t->ctx, &to, model_path, out);
        if (status == PSDVEC_OK)
            status = psdvec_convert(t->ctx, &from, out, in(t, forms[i].back));
    }
    return status;
}

static psdvec_status score(tour *t, const char *model_path)
{
    static const char pairs[] = "waaa waab 9.25\nwaab waac 8.5\nwaaa wbaa 1.75\nwaac wbbb 0.5\n"
                                "waad wbcc 2.125\nwaae waaf 7e0\n";
    const char *path = in(t, "pairs.txt");
    scratch_write(path, pairs, sizeof pairs - 1);
    psdvec_model *model = NULL;
    psdvec_test *test = NULL;
    psdvec_report *report = NULL;
    psdvec_eval_options options;
    psdvec_eval_options_default(&options);
    psdvec_status status = psdvec_model_open(t->ctx, model_path, &model);
    if (status == PSDVEC_OK)
        status = psdvec_test_open(t->ctx, path, &test);
    if (status == PSDVEC_OK) {
        const psdvec_model *models[] = {model};
        const psdvec_test *tests[] = {test};
        status = psdvec_eval(t->ctx, &options, models, 1, tests, 1, &report);
    }
    if (status == PSDVEC_OK) {
        size_t count;
        const psdvec_score *scores = psdvec_report_scores(report, &count);
        for (size_t i = 0; i < count; i++)
            figure(t, scores[i].value);
    }
    psdvec_report_free(report);
    psdvec_test_close(test);
    psdvec_model_close(model);
    return status;
}

/* A model of another method, with a fraction in its settings, and a copy with fitted parameters. */
static psdvec_status compare_methods(tour *t, const char *model_path)
{
    psdvec_baseline_options options;
    psdvec_baseline_options_default(&options, PSDVEC_METHOD_SVD, NULL);
    options.dim = DIM / 2;
    options.eigenvalue_power = 0.625;
    const char *text[] = {in(t, "text.txt")};
    psdvec_model *model = NULL;
    psdvec_fit_report fit;
    psdvec_status status = psdvec_baseline(t->ctx, &options, in(t, "whole"), in(t, "svd"), NULL);
    if (status == PSDVEC_OK)
        status = psdvec_model_open(t->ctx, model_path, &model);
    if (status == PSDVEC_OK)
        status = psdvec_fit_temperature(t->ctx, model, NULL, NULL, text, 1, 500, &fit);
    if (status == PSDVEC_OK)
        status = psdvec_model_write_fit(t->ctx, model, &fit, in(t, "fitted"));
    psdvec_model_close(model);
    return status;
}

static psdvec_status simulate(tour *t)
{
    psdvec_simulate_options options;
    psdvec_simulate_options_default(&options);
    options.vocab = 40;
    options.dim = 4;
    options.tokens = 2000;
    options.residual = 0.125;
    return psdvec_simulate(t->ctx, &options, in(t, "simulated"), NULL);
}

/* The residual file has targets for pairs that were never seen. */
static psdvec_status smoothed(tour *t)
{
    psdvec_train_options options;
    psdvec_train_options_preset(&options, PSDVEC_PRESET_PAPER, NULL);
    options.dim = DIM / 2;
    options.core = VOCABULARY / 3;
    const char *model = in(t, "paper");
    psdvec_status status = psdvec_train(t->ctx, &options, in(t, "whole"), model, NULL);
    if (status == PSDVEC_OK)
        status = residuals(t, model, in(t, "whole"), in(t, "paper-residuals"));
    return status;
}

static psdvec_status go(tour *t)
{
    psdvec_train_options train;
    psdvec_count_options count;
    settings(&train, &count);
    count.subsample = 0.015625;
    train.core_mu = 0.375;
    train.form = PSDVEC_FORM_PSD;
    const char *model = in(t, "model"), *extended = in(t, "extended");
    const char *more[] = {in(t, "more.txt")};
    scratch_write(more[0], "waaa newword waab newword waac\nnewword waaa waab\n", 47);
    psdvec_extend_options extend;
    psdvec_extend_options_default(&extend);
    extend.min_count = 1;
    psdvec_status status = tour_train(t->ctx, t->folder, "from-text");
    if (status == PSDVEC_OK)
        status = count_and_exchange(t, count);
    if (status == PSDVEC_OK)
        status = psdvec_train(t->ctx, &train, in(t, "counts"), model, NULL);
    if (status == PSDVEC_OK)
        status = psdvec_extend(t->ctx, &extend, model, more, 1, extended, NULL);
    if (status == PSDVEC_OK)
        status = residuals(t, model, in(t, "counts"), in(t, "residuals"));
    if (status == PSDVEC_OK)
        status = smoothed(t);
    if (status == PSDVEC_OK)
        status = import_capitals(t);
    if (status == PSDVEC_OK)
        status = convert(t, model);
    if (status == PSDVEC_OK)
        status = score(t, model);
    if (status == PSDVEC_OK)
        status = compare_methods(t, model);
    if (status == PSDVEC_OK)
        status = simulate(t);
    return status;
}

char *tour_run(const char *folder, int threads)
{
    tour t = {.folder = folder};
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = threads;
    options.memory = UINT64_C(1) << 30;
    options.on_message = on_message;
    options.user = &t;
    tour_text(folder, 400);
    t.messages = fopen(in(&t, "messages.txt"), "w");
    t.figures = fopen(in(&t, "figures.bin"), "wb");
    if (!t.messages || !t.figures || psdvec_context_new(&options, &t.ctx) != PSDVEC_OK)
        abort();
    char *failure = strdup(go(&t) == PSDVEC_OK ? "" : psdvec_error_message(t.ctx));
    /* A message with numbers in it. */
    psdvec_train_options train;
    psdvec_train_options_default(&train);
    train.core_mu = -1.5;
    if (psdvec_train(t.ctx, &train, in(&t, "counts"), in(&t, "never"), NULL) != PSDVEC_ERR_OPTION)
        abort();
    fprintf(t.messages, "%s\n", psdvec_error_message(t.ctx));
    psdvec_context_free(t.ctx);
    fclose(t.messages);
    fclose(t.figures);
    for (size_t i = 0; i < t.path_count; i++)
        free(t.paths[i]);
    return failure;
}
