/* Hidden: compares the defaults that the help shows with the library's. The
 * help is written by hand from the public header; this keeps it honest. */
#include "baseline.h"
#include "commands.h"
#include "count_options.h"
#include "eval.h"
#include "exit_status.h"
#include "simulate.h"
#include "train_options.h"

#include <math.h>
#include <string.h>

/* A command and a preset being looked at. */
struct check {
    struct run *run;
    const char *command, *preset;
    int code;
};

static void compare(struct check *check, const char *name, double shown, double used)
{
    if (shown == used)
        return;
    check->code = run_error(check->run, EXIT_DEFECT,
                            "psdvec %s%s%s: --%s is shown with the default %g, the library has %g",
                            check->command, *check->preset ? " --preset " : "", check->preset, name,
                            shown, used);
}

#define COMPARE(name, field) compare(check, name, (double)shown->field, (double)used->field)

static void compare_counting(struct check *check, const psdvec_count_options *shown,
                             const psdvec_count_options *used)
{
    COMPARE("window", window);
    COMPARE("distance", distance);
    COMPARE("oov", oov);
    COMPARE("subsample", subsample);
    COMPARE("min-count", min_count);
    COMPARE("max-vocab", max_vocab);
    COMPARE("tokenizer", text.tokenizer);
    COMPARE("case", text.letter_case);
    COMPARE("accents", text.accents);
    COMPARE("digits", text.digits);
    COMPARE("apostrophes", text.apostrophes);
    COMPARE("hyphens", text.hyphens);
    COMPARE("min-length", text.min_length);
    COMPARE("max-length", text.max_length);
    COMPARE("document", text.document);
    COMPARE("sentences", text.sentences);
    COMPARE("min-document-words", text.min_document_words);
    COMPARE("strict", text.strict);
}

static void compare_training(struct check *check, const psdvec_train_options *shown,
                             const psdvec_train_options *used)
{
    COMPARE("dim", dim);
    COMPARE("form", form);
    COMPARE("core", core);
    COMPARE("target", target);
    COMPARE("context-power", context_power);
    COMPARE("kappa", kappa);
    COMPARE("weights", weights);
    COMPARE("factor-power", factor_power);
    COMPARE("rho", rho);
    COMPARE("rho-target", rho_target);
    COMPARE("cut", cut);
    COMPARE("glove-max", glove_max);
    COMPARE("glove-power", glove_power);
    COMPARE("iterations", iterations);
    COMPARE("tolerance", tolerance);
    COMPARE("relaxation", relaxation);
    COMPARE("start", start);
    COMPARE("rank-extra", rank_extra);
    COMPARE("eigen-tolerance", eigen_tolerance);
    COMPARE("core-mu", core_mu);
    COMPARE("mu-power", mu_power);
    COMPARE("unseen-weight", unseen_weight);
    COMPARE("mu", mu_count);
    for (size_t k = 0; k < shown->mu_count && k < used->mu_count; k++)
        COMPARE("mu", mu[k]);
}

static int check_eval(struct run *run)
{
    struct check eval_check = {.run = run, .command = "eval", .preset = ""}, *check = &eval_check;
    struct arguments arguments;
    psdvec_eval_options read = {.confidence = NAN}, library, *shown = &read, *used = &library;
    char *error, *line[] = {"-", NULL};
    arguments_parse(&arguments, &cmd_eval, 1, line, &error);
    eval_options_read(&arguments, shown);
    psdvec_eval_options_default(used);
    COMPARE("unknown", unknown);
    COMPARE("keep-case", keep_case);
    COMPARE("restrict", restrict_words);
    COMPARE("common", common);
    COMPARE("half", half);
    COMPARE("resamples", resamples);
    COMPARE("confidence", confidence);
    arguments_free(&arguments);
    return check->code;
}

static int check_simulate(struct run *run)
{
    struct check simulate_check = {.run = run, .command = "simulate", .preset = ""};
    struct check *check = &simulate_check;
    struct arguments arguments;
    psdvec_simulate_options read = {.residual = NAN}, library, *shown = &read, *used = &library;
    char *error, *line[] = {NULL};
    arguments_parse(&arguments, &cmd_simulate, 0, line, &error);
    simulate_options_read(&arguments, shown);
    psdvec_simulate_options_default(used);
    COMPARE("vocab", vocab);
    COMPARE("dim", dim);
    COMPARE("form", form);
    COMPARE("strength", strength);
    COMPARE("residual", residual);
    COMPARE("zipf", zipf);
    COMPARE("tokens", tokens);
    COMPARE("window", window);
    COMPARE("document-words", document_words);
    COMPARE("seed", seed);
    arguments_free(&arguments);
    return check->code;
}

/* `preset` is NULL for a command without presets. */
static int check_command(struct run *run, const struct command *command, const char *preset,
                         const psdvec_train_options *train, const psdvec_count_options *count)
{
    struct check check = {.run = run, .command = command->name, .preset = preset ? preset : ""};
    struct arguments arguments;
    char *error, *line[] = {"-", "--preset", (char *)preset, NULL};
    arguments_parse(&arguments, command, preset ? 3 : 1, line, &error);
    /* Where the help shows nothing, zero and not-a-number stay, and differ from the library's. */
    psdvec_count_options shown_count = {.subsample = NAN};
    count_options_read(&arguments, true, &shown_count);
    compare_counting(&check, &shown_count, count);
    if (train) {
        psdvec_train_options shown_train = {.tolerance = NAN,
                                            .start = NAN,
                                            .core_mu = NAN,
                                            .mu_power = NAN,
                                            .unseen_weight = NAN,
                                            .rho = NAN};
        train_options_read(&arguments, true, &shown_train);
        compare_training(&check, &shown_train, train);
    }
    arguments_free(&arguments);
    return check.code;
}

/* One of the other systems. */
static int check_baseline(struct run *run, const struct command *command)
{
    struct check baseline_check = {.run = run, .command = command->name, .preset = ""};
    struct check *check = &baseline_check;
    struct arguments arguments;
    char *error, *line[] = {"-", NULL};
    arguments_parse(&arguments, command, 1, line, &error);
    psdvec_count_options count;
    psdvec_baseline_options read, library, *shown = &read, *used = &library;
    psdvec_count_options_default(&count);
    psdvec_baseline_options_default(used, baseline_method(&arguments), &count);
    read = library;
    baseline_options_read(&arguments, true, shown);
    COMPARE("dim", dim);
    COMPARE("context-power", context_power);
    COMPARE("shift", shift);
    COMPARE("count-power", count_power);
    COMPARE("eigenvalue-power", eigenvalue_power);
    COMPARE("eigen-tolerance", eigen_tolerance);
    COMPARE("add-contexts", add_contexts);
    COMPARE("epochs", epochs);
    COMPARE("rate", rate);
    COMPARE("negative", negative);
    COMPARE("noise-power", noise_power);
    COMPARE("x-max", glove_max);
    COMPARE("alpha", glove_power);
    COMPARE("factor", factor);
    COMPARE("l1", l1);
    COMPARE("l2", l2);
    COMPARE("ridge", ridge);
    COMPARE("nonnegative", nonnegative);
    COMPARE("binary", binary);
    if (arguments_have(&arguments, "min-count")) {
        psdvec_count_options shown_count = count;
        count_options_read(&arguments, true, &shown_count);
        compare_counting(check, &shown_count, &count);
    }
    arguments_free(&arguments);
    return check->code;
}

/* psdvec table counts as the default preset does, and scores as psdvec eval does. */
static int check_table(struct run *run)
{
    struct check table_check = {.run = run, .command = "table", .preset = ""};
    struct check *check = &table_check;
    struct arguments arguments;
    psdvec_train_options train;
    psdvec_eval_options eval;
    psdvec_count_options count;
    char *error, *line[] = {"-", NULL};
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &count);
    psdvec_eval_options_default(&eval);
    psdvec_count_options shown_count = count; /* of which the help shows no numbers ... */
    arguments_parse(&arguments, &cmd_table, 1, line, &error);
    count_options_read(&arguments, true, &shown_count);
    shown_count.subsample = count.subsample; /* ... for how pairs are counted */
    compare_counting(check, &shown_count, &count);
    compare(check, "dim", (double)argument_integer(&arguments, "dim"), train.dim);
    compare(check, "resamples", (double)argument_integer(&arguments, "resamples"), eval.resamples);
    compare(check, "confidence", argument_real(&arguments, "confidence"), eval.confidence);
    arguments_free(&arguments);
    return check->code;
}

static int act(struct run *run)
{
    psdvec_train_options train;
    psdvec_count_options count;
    psdvec_count_options_default(&count);
    int code = check_command(run, &cmd_count, NULL, NULL, &count);
    psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &count);
    if (!code)
        code = check_command(run, &cmd_train, "default", &train, &count);
    psdvec_train_options_preset(&train, PSDVEC_PRESET_PAPER, &count);
    if (!code)
        code = check_command(run, &cmd_train, "paper", &train, &count);
    if (!code)
        code = check_eval(run);
    if (!code)
        code = check_simulate(run);
    if (!code)
        code = check_table(run);
    for (size_t k = 0; commands[k] && !code; k++)
        if (!strncmp(commands[k]->name, "baseline ", strlen("baseline ")))
            code = check_baseline(run, commands[k]);
    return code;
}

const struct command cmd_check_defaults = {
    .name = "check-defaults",
    .summary = "compare the defaults shown in the help with the library's",
    .synopsis = "",
    .tables = {common_options},
    .act = act};
