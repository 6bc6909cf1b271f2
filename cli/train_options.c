/* Options of training. The words of a choice stand in the order of the library's enumeration, so
 * that an index is a value.
 *
 * An option that was not given has its preset's value. Some combinations of the two make no
 * sense: a preset's --rho with other weights than its own, for one. Such a value is put aside,
 * because the person who typed the command did not ask for it; one that was typed and would do
 * nothing is refused, because the person expects something of it. */
#include "train_options.h"

#include "count_options.h"
#include "exit_status.h"
#include "text_options.h"

#include <math.h>
#include <stdlib.h>

static const char *const presets[] = {
    [PSDVEC_PRESET_DEFAULT] = "default", [PSDVEC_PRESET_PAPER] = "paper", NULL};
static const char *const forms[] = {
    [PSDVEC_FORM_SYMMETRIC] = "symmetric", [PSDVEC_FORM_PSD] = "psd", NULL};
static const char *const targets[] = {
    [PSDVEC_TARGET_PMI] = "pmi", [PSDVEC_TARGET_SMOOTHED] = "smoothed", NULL};
static const char *const weights[] = {[PSDVEC_WEIGHTS_FACTORED] = "factored",
                                      [PSDVEC_WEIGHTS_RAW] = "raw",
                                      [PSDVEC_WEIGHTS_SMOOTHED] = "smoothed",
                                      [PSDVEC_WEIGHTS_GLOVE] = "glove",
                                      NULL};

static const char *const answers[] = {"no", "yes", NULL};

const struct preset_default train_presets[] = {{"form", {"symmetric", "psd"}},
                                               {"core", {"all", "25000"}},
                                               {"target", {"pmi", "smoothed"}},
                                               {"weights", {"factored", "raw"}},
                                               {"rho", {"0.2", "0"}},
                                               {"relaxation", {"1.6", "1"}},
                                               {"start", {"0", "0.5"}},
                                               {"rank-extra", {"0", "1"}},
                                               {"eigen-tolerance", {"0.04", "0.03"}},
                                               {"mu", {"2", "2,4,8"}},
                                               {"centre", {"yes", "no"}},
                                               {"order", {"0.4", "off"}},
                                               {"spelling", {"1", "off"}},
                                               {"window", {"10", "3"}},
                                               {"distance", {"harmonic", "uniform"}},
                                               {"oov", {"drop", "keep"}},
                                               {"subsample", {"0.001", "0"}},
                                               {"min-count", {"5", "100"}},
                                               {"min-document-words", {"1", "5"}},
                                               {0}};

const struct option_spec train_options[] = {
    {.name = "preset",
     .kind = OPTION_CHOICE,
     .choices = presets,
     .fallback = "default",
     .group = "Model",
     .help = "values for all options that are not given: those that make the best vectors, or "
             "those of the paper (Li, Zhu and Miao 2015)"},
    {.name = "dim",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 10000,
     .fallback = "500",
     .help = "numbers in a vector"},
    {.name = "form",
     .kind = OPTION_CHOICE,
     .choices = forms,
     .help = "keep the eigenvalues largest in magnitude, with their signs, or the largest positive "
             "ones"},
    {.name = "core",
     .kind = OPTION_INTEGER,
     .argument = "N|all",
     .least = 1,
     .most = UINT32_MAX,
     .zero = "all",
     .help = "solve for the N most frequent words together; the others follow by regression on "
             "them"},
    {.name = "target",
     .kind = OPTION_CHOICE,
     .choices = targets,
     .group = "Targets and weights",
     .help = "what the product of two vectors should be: pointwise mutual information, or the "
             "paper's, from smoothed probabilities"},
    {.name = "context-power",
     .kind = OPTION_REAL,
     .argument = "P",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0.5",
     .help = "pmi: raise the frequencies of contexts to this power; 1 leaves them"},
    {.name = "kappa",
     .kind = OPTION_REAL,
     .argument = "K",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0.02",
     .help = "smoothed: share of the words' own frequencies in the probabilities"},
    {.name = "weights",
     .kind = OPTION_CHOICE,
     .choices = weights,
     .help = "how much a pair matters, by the frequencies of its words and its mutual information; "
             "by the root of its count, cut off; by that of its smoothed probability; as in GloVe"},
    {.name = "factor-power",
     .kind = OPTION_REAL,
     .argument = "P",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0.3",
     .help = "factored: raise the words' frequencies to this power"},
    {.name = "rho",
     .kind = OPTION_REAL,
     .argument = "R",
     .real_least = 0,
     .real_most = 1,
     .help = "factored: weight of every pair, seen or not, towards --rho-target"},
    {.name = "rho-target",
     .kind = OPTION_REAL,
     .argument = "X",
     .real_least = -100,
     .real_most = 100,
     .fallback = "-2",
     .help = "factored: where --rho pulls"},
    {.name = "cut",
     .kind = OPTION_REAL,
     .argument = "SHARE",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0.0002",
     .help = "raw, smoothed: share of all pairs of core words that have the full weight"},
    {.name = "glove-max",
     .kind = OPTION_REAL,
     .argument = "X",
     .real_least = 0,
     .real_most = INFINITY,
     .fallback = "10",
     .help = "glove: count from which a pair has the full weight"},
    {.name = "glove-power",
     .kind = OPTION_REAL,
     .argument = "P",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0.75",
     .help = "glove: raise smaller counts to this power"},
    {.name = "iterations",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 10000,
     .fallback = "4",
     .group = "Solving",
     .help = "go round Algorithm 1 at most N times"},
    {.name = "tolerance",
     .kind = OPTION_REAL,
     .argument = "SHARE",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0",
     .help = "stop when the objective falls by less than this share; 0 is never"},
    {.name = "relaxation",
     .kind = OPTION_REAL,
     .argument = "X",
     .real_least = 0,
     .real_most = 2,
     .help = "length of a step; above 1 goes faster, and a step that would raise the objective is "
             "taken back"},
    {.name = "start",
     .kind = OPTION_REAL,
     .argument = "X",
     .real_least = 0,
     .real_most = 1,
     .help = "smoothed: start from the targets times X"},
    {.name = "rank-extra",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 0,
     .most = 1000,
     .help = "keep N more eigenvalues for each iteration that is still to come"},
    {.name = "eigen-tolerance",
     .kind = OPTION_REAL,
     .argument = "X",
     .real_least = 0,
     .real_most = 1,
     .help = "residual of the eigenvectors, relative to the smallest eigenvalue kept"},
    {.name = "core-mu",
     .kind = OPTION_REAL,
     .argument = "MU",
     .real_least = 0,
     .real_most = INFINITY,
     .fallback = "0",
     .help = "prior of core words: pull vectors to zero with this strength"},
    {.name = "mu",
     .kind = OPTION_REALS,
     .argument = "MU,...",
     .real_least = 0,
     .real_most = INFINITY,
     .group = "Words behind the core",
     .help = "their prior, a number for each band of frequency, the frequent ones first"},
    {.name = "bands",
     .kind = OPTION_INTEGERS,
     .argument = "RANK,...",
     .least = 1,
     .most = UINT32_MAX,
     .otherwise = "bands of equal size",
     .help = "where bands end, counted in words from the most frequent one; one number less than "
             "--mu"},
    {.name = "mu-power",
     .kind = OPTION_REAL,
     .argument = "P",
     .real_least = 0,
     .real_most = 10,
     .fallback = "0",
     .help = "let priors grow with rarity: times (frequency of the last core word / the word's own)"
             "^P; also those of core words"},
    {.name = "unseen-weight",
     .kind = OPTION_REAL,
     .argument = "W",
     .real_least = 0,
     .real_most = INFINITY,
     .fallback = "0",
     .help = "weight of core words never seen beside the word, towards 0; the original program had "
             "0.001"},
    {.name = "centre",
     .kind = OPTION_CHOICE,
     .choices = answers,
     .group = "Read-out, by which words are compared",
     .help = "take the mean of all vectors off each"},
    {.name = "order",
     .kind = OPTION_REAL,
     .argument = "SHARE|off",
     .real_least = 0,
     .real_most = 10,
     .zero = "off",
     .help = "add, with this share, what stands before a word and what behind it"},
    {.name = "spelling",
     .kind = OPTION_REAL,
     .argument = "SHARE|off",
     .real_least = 0,
     .real_most = 10,
     .zero = "off",
     .help = "add, with this share, what the letters of a word say of it; gives vectors to words "
             "that the text does not have, too"},
    {.name = "explain-preset",
     .kind = OPTION_FLAG,
     .group = "The run",
     .alone = true,
     .help = "print what the presets set, and why, and do nothing"},
    {.name = "restart",
     .kind = OPTION_FLAG,
     .help = "begin anew, even if an interrupted run with the same options left something"},
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     .help = "print the plan (words, pairs, memory, disk, time) and do nothing"},
    {0}};

#define TAKE_REAL(field, arguments, name, all)                                                     \
    do {                                                                                           \
        const struct option_value *value_ = argument((arguments), (name));                         \
        if (value_->given || ((all) && value_->known))                                             \
            (field) = value_->real;                                                                \
    } while (0)

void train_options_read(const struct arguments *arguments, bool defaults, psdvec_train_options *to)
{
    TAKE(to->dim, uint32_t, arguments, "dim", defaults);
    TAKE(to->form, psdvec_form, arguments, "form", defaults);
    TAKE(to->core, uint32_t, arguments, "core", defaults);
    TAKE(to->target, psdvec_target, arguments, "target", defaults);
    TAKE_REAL(to->context_power, arguments, "context-power", defaults);
    TAKE_REAL(to->kappa, arguments, "kappa", defaults);
    TAKE(to->weights, psdvec_weights, arguments, "weights", defaults);
    TAKE_REAL(to->factor_power, arguments, "factor-power", defaults);
    TAKE_REAL(to->rho, arguments, "rho", defaults);
    TAKE_REAL(to->rho_target, arguments, "rho-target", defaults);
    TAKE_REAL(to->cut, arguments, "cut", defaults);
    TAKE_REAL(to->glove_max, arguments, "glove-max", defaults);
    TAKE_REAL(to->glove_power, arguments, "glove-power", defaults);
    TAKE(to->iterations, uint32_t, arguments, "iterations", defaults);
    TAKE_REAL(to->tolerance, arguments, "tolerance", defaults);
    TAKE_REAL(to->relaxation, arguments, "relaxation", defaults);
    TAKE_REAL(to->start, arguments, "start", defaults);
    TAKE(to->rank_extra, uint32_t, arguments, "rank-extra", defaults);
    TAKE_REAL(to->eigen_tolerance, arguments, "eigen-tolerance", defaults);
    TAKE_REAL(to->core_mu, arguments, "core-mu", defaults);
    TAKE_REAL(to->mu_power, arguments, "mu-power", defaults);
    TAKE_REAL(to->unseen_weight, arguments, "unseen-weight", defaults);
    const struct option_value *mu = argument(arguments, "mu");
    if (mu->given || defaults) {
        to->mu = mu->reals;
        to->mu_count = mu->real_count;
    }
    TAKE(to->centre, bool, arguments, "centre", defaults);
    TAKE_REAL(to->order, arguments, "order", defaults);
    TAKE_REAL(to->spelling, arguments, "spelling", defaults);
    to->restart = argument_flag(arguments, "restart");
}

static bool given(const struct run *run, const char *name)
{
    return argument(run->arguments, name)->given;
}

/* What was typed and would do nothing. */
static int refuse_idle(struct run *run, const psdvec_train_options *o)
{
    bool smoothed = o->target == PSDVEC_TARGET_SMOOTHED;
    bool factored = o->weights == PSDVEC_WEIGHTS_FACTORED;
    bool glove = o->weights == PSDVEC_WEIGHTS_GLOVE;
    bool cut = o->weights == PSDVEC_WEIGHTS_RAW || o->weights == PSDVEC_WEIGHTS_SMOOTHED;
    static const char behind[] = "words behind the core, and --core all leaves none";
    const struct {
        const char *option;
        bool works;
        const char *needs;
    } rules[] = {{"kappa", smoothed, "--target smoothed"},
                 {"context-power", !smoothed, "--target pmi"},
                 {"factor-power", factored, "--weights factored"},
                 {"rho-target", factored && o->rho > 0, "--weights factored with --rho above 0"},
                 {"cut", cut, "--weights raw or smoothed"},
                 {"glove-max", glove, "--weights glove"},
                 {"glove-power", glove, "--weights glove"},
                 {"mu", o->core != 0, behind},
                 {"bands", o->core != 0, behind},
                 {"unseen-weight", o->core != 0, behind}};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (!rules[k].works && given(run, rules[k].option))
            return run_use_error(run, "--%s does nothing here; it belongs to %s", rules[k].option,
                                 rules[k].needs);
    return EXIT_FINE;
}

static int gather_bands(struct run *run, struct train_setup *setup)
{
    const struct option_value *bands = argument(run->arguments, "bands");
    if (!bands->given)
        return EXIT_FINE;
    if (bands->real_count + 1 != setup->train.mu_count)
        return run_use_error(run,
                             "--bands %s makes %zu bands, and --mu has %zu number%s; each band "
                             "needs one",
                             bands->text, bands->real_count + 1, setup->train.mu_count,
                             setup->train.mu_count == 1 ? "" : "s");
    setup->bands = must_alloc(bands->real_count, sizeof *setup->bands);
    for (size_t k = 0; k < bands->real_count; k++)
        setup->bands[k] = (uint32_t)bands->reals[k];
    setup->train.mu_edges = setup->bands;
    return EXIT_FINE;
}

int train_setup_gather(struct run *run, struct train_setup *setup)
{
    psdvec_train_options *train = &setup->train;
    psdvec_preset preset = (psdvec_preset)argument_integer(run->arguments, "preset");
    psdvec_train_options_preset(train, preset, &setup->count);
    train_options_read(run->arguments, false, train);
    if (train->weights != PSDVEC_WEIGHTS_FACTORED && !given(run, "rho"))
        train->rho = 0;
    /* Half of the targets has one huge negative eigenvalue, which the symmetric form would keep. */
    if ((train->target != PSDVEC_TARGET_SMOOTHED || train->form == PSDVEC_FORM_SYMMETRIC) &&
        !given(run, "start"))
        train->start = 0;
    int code = refuse_idle(run, train);
    if (!code)
        code = gather_bands(run, setup);
    if (!code)
        code = count_options_gather(run, &setup->count, &setup->keep);
    return code;
}

void train_setup_free(struct train_setup *setup)
{
    word_list_free(&setup->keep);
    free(setup->bands);
    *setup = (struct train_setup){0};
}
