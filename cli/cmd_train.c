/* psdvec train: from text, or from counts, to a model. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "help.h"
#include "options.h"
#include "phrase.h"
#include "summary.h"
#include "train_plan.h"
#include "word_files.h"

#include <inttypes.h>

static const psdvec_option options[] = {
    FLAG_OPTION("explain-preset", .group = "Run",
                .help = "print the values of the presets with their reasons, and exit"),
    FLAG_OPTION("dry-run", .help = "print the plan (words, pairs, memory, disk, time) and exit"),
    {0}};

/* Reports the parameters that score, next, explain and generate will use, or how to fit them. */
static void report_fit(struct run *run)
{
    const char *path = argument_text(run->arguments, "output");
    psdvec_model *model = NULL;
    psdvec_origin *origin = NULL;
    struct buffer text = {0};
    if (psdvec_model_open(run->ctx, path, &model) != PSDVEC_OK)
        return; /* already removed */
    const psdvec_model_info *info = psdvec_model_get_info(model);
    if (info->temperature > 0) {
        summary_line(&text, "fitted", "T = %.4g, e = %.4g for score, next, explain and generate",
                     info->temperature, info->self);
        if (psdvec_model_origin(run->ctx, model, &origin) == PSDVEC_OK && origin->has_fit)
            summary_line(&text, "", "perplexity %.0f of %s held-out words, unigrams %.0f",
                         origin->fit.after, phrase_count(origin->fit.known), origin->fit.unigram);
        psdvec_origin_free(origin);
    } else
        summary_line(&text, "not fitted",
                     "for score, next, explain and generate, run\n"
                     "              psdvec fit-temperature %s TEXT --in-place",
                     phrase_quoted(path_operand(path)));
    talk_say(&run->talk, buffer_get(&text));
    buffer_free(&text);
    psdvec_model_close(model);
}

/* Counts can be made for any purpose; those for training have other options. */
static void compare_counting(struct run *run, const struct train_setup *setup,
                             const psdvec_counts_info *info)
{
    const psdvec_count_options *usual = setup->count;
    bool uniform = info->scale == 1;
    if (!info->window ||
        (info->window == usual->window && uniform == (usual->distance == PSDVEC_DISTANCE_UNIFORM)))
        return;
    const char *preset = run->arguments->command->presets[run->arguments->preset];
    talk_say(&run->talk,
             phrase("The counts have a window of %" PRIu32 "%s. The preset %s is made for a window "
                    "of %" PRIu32 "\nwith %s weights: psdvec count --preset %s\n",
                    info->window, uniform ? " with uniform weights" : "", preset, usual->window,
                    option_word(PSDVEC_OPTIONS_COUNT, "distance", usual->distance), preset));
}

static int from_counts(struct run *run, const struct train_setup *setup, const char *path)
{
    psdvec_counts *counts;
    int code = options_refuse_text(run, path);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_open(run->ctx, path, &counts);
    if (status != PSDVEC_OK)
        return run_failed(run, status); /* another kind of file */
    compare_counting(run, setup, psdvec_counts_get_info(counts));
    psdvec_counts_close(counts);
    if (argument_flag(run->arguments, "dry-run"))
        return train_plan_counts(run, setup, path);
    psdvec_train_report report = {0};
    double began = pv_now();
    status = psdvec_train(run->ctx, setup->train, path, argument_text(run->arguments, "output"),
                          &report);
    if (status != PSDVEC_OK)
        return interrupted_failed(run, status);
    summary_train(run, NULL, &report, pv_now() - began);
    report_fit(run);
    next_steps(run, argument_text(run->arguments, "output"));
    return EXIT_FINE;
}

static int from_text(struct run *run, const struct train_setup *setup)
{
    const struct arguments *arguments = run->arguments;
    psdvec_status status = psdvec_count_options_check(run->ctx, setup->count);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    test_file_warn(run, 0);
    if (argument_flag(arguments, "dry-run"))
        return train_plan_text(run, setup);
    run_announce_terminal(run);
    psdvec_count_report count = {0};
    psdvec_train_report report = {0};
    double began = pv_now();
    status = psdvec_train_text(run->ctx, setup->train, setup->count, arguments->operands,
                               arguments->operand_count, argument_text(arguments, "output"), &count,
                               &report);
    if (status != PSDVEC_OK)
        return interrupted_failed(run, status);
    summary_train(run, &count, &report, pv_now() - began);
    report_fit(run);
    next_steps(run, argument_text(run->arguments, "output"));
    return EXIT_FINE;
}

static void add_row(struct buffer *to, const struct palette *palette, const char *name,
                    const char *first, const char *second, const char *why)
{
    buffer_format(to, "  %s%-14s%s %-9s %-12s ", palette->bold, name, palette->plain, first,
                  second);
    size_t used = 40, width = help_width();
    wrap(to, why, used, used, width);
}

/* Lists the values of the presets side by side, with reasons: from the declarations of the options,
 * so that the list always agrees with the behaviour. */
static int explain_presets(struct run *run)
{
    const struct command *command = run->arguments->command;
    const struct option_spec *option;
    struct buffer text = {0};
    psdvec_train_options paper;
    psdvec_train_options_preset(&paper, PSDVEC_PRESET_PAPER, NULL);
    buffer_format(&text, "  %-14s %-9s %s\n", "", "default", "paper");
    /* Counting options come before solver options. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; (option = command_option(command, k)); k++) {
            if (!option->row.why || (option->kind == PSDVEC_OPTIONS_COUNT) != (pass == 0))
                continue;
            const char *first = option_fallback(command, option, PSDVEC_PRESET_DEFAULT);
            const char *second = option_fallback(command, option, PSDVEC_PRESET_PAPER);
            bool used = pass == 0 || psdvec_options_hold(option->kind, &paper, option->row.needs);
            add_row(&text, &run->palette, option->name, first ? first : "-",
                    used && second ? second : "-", option->row.why);
        }
    buffer_text(&text, "\n");
    wrap(&text,
         "The preset paper is the model of Li, Zhu and Miao (2015). The values of default were "
         "chosen on seven test sets, by gains on both halves of their questions; "
         "docs/explanation/quality.md has the gain of each choice, and docs/explanation/model.md "
         "the formulas.",
         0, 0, help_width());
    output_add(&run->out, buffer_get(&text), text.length);
    buffer_free(&text);
    return EXIT_FINE;
}

static int act(struct run *run)
{
    struct train_setup setup = {0};
    const char *counts = NULL;
    if (argument_flag(run->arguments, "explain-preset"))
        return explain_presets(run);
    setup.train = options_take(run, PSDVEC_OPTIONS_TRAIN);
    setup.count = setup.train ? options_take_count(run) : NULL;
    if (!setup.count)
        return run->refusal;
    int code = run_library(run);
    if (!code)
        code = counts_file_among(run, &counts);
    if (!code)
        code = counts ? from_counts(run, &setup, counts) : from_text(run, &setup);
    return code;
}

const struct command cmd_train = {
    .name = "train",
    .group = "Vectors",
    .summary = "train word vectors from text or from counts",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Trains word vectors. The product of two vectors approximates the pointwise mutual "
        "information (PMI) of their words, so words that are used alike get similar vectors.",
        "An INPUT is text (see psdvec count) or one counts file. With a counts file, counting and "
        "text options are not accepted. Results are bit-for-bit reproducible for any number of "
        "threads and any memory limit.",
        "The model is a file in safetensors format; psdvec convert writes the vectors in formats "
        "of other programs."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TRAIN), OWN_OPTIONS(options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT, .except = DETAIL_OPTIONS),
                COMMON_OPTIONS},
    .presets = {"default", "paper"},
    .preset_option = "preset",
    .alone = "explain-preset",
    .examples =
        EXAMPLES({"psdvec train wiki.txt -o wiki.safetensors", "Text in, model out."},
                 {"psdvec train books --min-count 2 --window 10 --dim 20 -o books.safetensors",
                  "Counting options apply too."},
                 {"psdvec train wiki.counts.safetensors --dim 10 -o small.safetensors",
                  "From a counts file: count once and try several settings."},
                 {"psdvec train wiki.counts.safetensors --preset paper --core 8 --dim 5 --mu 2,4,8 "
                  "-o paper.safetensors",
                  "The settings of the paper: core words, and bands of noncore words."},
                 {"psdvec train --explain-preset", "The values of the presets with their reasons."},
                 {"psdvec train wiki.counts.safetensors --dry-run -o wiki.safetensors",
                  "Estimate memory, disk space and time."}),
    .notes = PARAGRAPHS(
        "After Ctrl-C, a crash or kill -9, run the same command again to resume. Finished work is "
        "kept in the folder FILE.partial beside the output, which is deleted at the end. A "
        "resumed run gives the same bits as an uninterrupted one."),
    .operands = {1, SIZE_MAX},
    .missing = "give an input: text (files, folders, or - for standard input) or a counts file",
    .output_example = "wiki.safetensors",
    .output_kind = OUTPUT_MODEL,
    .act = act};
