/* Options of training. The sentences name options as the command line spells them:
 * that is how most people meet them, and the fields of the struct have the same names. */
#include "train/options.h"

#include "link/link.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double default_mu[] = {2};
static const double paper_mu[] = {2, 4, 8};

void psdvec_train_options_default(psdvec_train_options *options)
{
    *options = (psdvec_train_options){.preset = PSDVEC_PRESET_DEFAULT,
                                      .dim = 500,
                                      .form = PSDVEC_FORM_SYMMETRIC,
                                      .core = 0,
                                      .target = PSDVEC_TARGET_PMI,
                                      .kappa = 0.02,
                                      .context_power = 0.5,
                                      .weights = PSDVEC_WEIGHTS_FACTORED,
                                      .cut = 0.0002,
                                      .factor_power = 0.3,
                                      .glove_max = 10,
                                      .glove_power = 0.75,
                                      .rho = 0.2,
                                      .rho_target = -2,
                                      .iterations = 4,
                                      .relaxation = 1.6,
                                      .eigen_tolerance = 0.04,
                                      .mu = default_mu,
                                      .mu_count = sizeof default_mu / sizeof *default_mu,
                                      .centre = true,
                                      .order = 0.4,
                                      .spelling = 1};
}

void psdvec_train_options_preset(psdvec_train_options *options, psdvec_preset preset,
                                 psdvec_count_options *count)
{
    psdvec_train_options_default(options);
    if (count) {
        psdvec_count_options_default(count);
        count->window = 10;
        count->distance = PSDVEC_DISTANCE_HARMONIC;
        count->oov = PSDVEC_OOV_DROP;
        count->subsample = 1e-3;
    }
    if (preset != PSDVEC_PRESET_PAPER)
        return;
    options->preset = PSDVEC_PRESET_PAPER;
    options->form = PSDVEC_FORM_PSD;
    options->core = 25000;
    options->target = PSDVEC_TARGET_SMOOTHED;
    options->weights = PSDVEC_WEIGHTS_RAW;
    options->rho = 0;
    options->relaxation = 1;
    options->start = 0.5;
    options->rank_extra = 1;
    options->eigen_tolerance = 0.03;
    options->centre = false;
    options->order = options->spelling = 0;
    options->mu = paper_mu;
    options->mu_count = sizeof paper_mu / sizeof *paper_mu;
    if (count) {
        psdvec_count_options_default(count);
        count->window = 3;
        count->distance = PSDVEC_DISTANCE_UNIFORM;
        count->oov = PSDVEC_OOV_KEEP;
        count->subsample = 0;
        count->min_count = 100;
        count->text.min_document_words = 5;
    }
}

void psdvec_extend_options_default(psdvec_extend_options *options)
{
    *options = (psdvec_extend_options){.min_count = 5};
}

/* Comparisons are written so that not-a-number fails them. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            snprintf(why, room, __VA_ARGS__);                                                      \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

static bool choices_fit(const psdvec_train_options *o, char *why, size_t room)
{
    CHECK((unsigned)o->preset <= PSDVEC_PRESET_PAPER, "there is no --preset number %d",
          (int)o->preset);
    CHECK((unsigned)o->form <= PSDVEC_FORM_PSD, "there is no --form number %d", (int)o->form);
    CHECK((unsigned)o->target <= PSDVEC_TARGET_SMOOTHED, "there is no --target number %d",
          (int)o->target);
    CHECK((unsigned)o->weights <= PSDVEC_WEIGHTS_GLOVE, "there is no --weights number %d",
          (int)o->weights);
    return true;
}

static bool numbers_fit(const psdvec_train_options *o, char *why, size_t room)
{
    CHECK(o->dim >= 1 && o->dim <= PV_MOST_DIM, "--dim is %" PRIu32 "; it must be 1 to %d", o->dim,
          PV_MOST_DIM);
    CHECK(o->kappa > 0 && o->kappa < 1, "--kappa is %g; it must be above 0 and below 1", o->kappa);
    CHECK(o->context_power >= 0 && o->context_power <= 1,
          "--context-power is %g; it must be from 0 to 1", o->context_power);
    CHECK(o->cut > 0 && o->cut <= 1, "--cut is %g; it must be above 0 and at most 1", o->cut);
    CHECK(o->factor_power >= 0 && o->factor_power <= 1,
          "--factor-power is %g; it must be from 0 to 1", o->factor_power);
    CHECK(o->glove_max > 0 && isfinite(o->glove_max), "--glove-max is %g; it must be above 0",
          o->glove_max);
    CHECK(o->glove_power >= 0 && o->glove_power <= 1, "--glove-power is %g; it must be from 0 to 1",
          o->glove_power);
    CHECK(o->rho >= 0 && o->rho < 1, "--rho is %g; it must be from 0 to below 1", o->rho);
    CHECK(fabs(o->rho_target) <= 100, "--rho-target is %g; it must be from -100 to 100",
          o->rho_target);
    CHECK(o->unseen_weight >= 0 && o->unseen_weight <= PV_MOST_PRIOR,
          "--unseen-weight is %g; it must be from 0 to %g", o->unseen_weight, PV_MOST_PRIOR);
    CHECK(o->unseen_weight == 0 || (o->rho == 0 && o->weights != PSDVEC_WEIGHTS_SMOOTHED),
          "--unseen-weight goes with weights that give unseen pairs none: not with --weights "
          "smoothed, and with --weights factored only if --rho is 0");
    CHECK(o->iterations >= 1 && o->iterations <= PV_MOST_ITERATIONS,
          "--iterations is %" PRIu32 "; it must be 1 to %d", o->iterations, PV_MOST_ITERATIONS);
    CHECK(o->tolerance >= 0 && o->tolerance < 1, "--tolerance is %g; it must be from 0 to below 1",
          o->tolerance);
    CHECK(o->relaxation > 0 && o->relaxation < 2,
          "--relaxation is %g; it must be above 0 and below 2", o->relaxation);
    CHECK(o->start >= 0 && o->start <= 1, "--start is %g; it must be from 0 to 1", o->start);
    CHECK(o->rank_extra <= PV_MOST_RANK_EXTRA, "--rank-extra is %" PRIu32 "; it may be at most %d",
          o->rank_extra, PV_MOST_RANK_EXTRA);
    CHECK(o->eigen_tolerance > 0 && o->eigen_tolerance < 1,
          "--eigen-tolerance is %g; it must be above 0 and below 1", o->eigen_tolerance);
    return true;
}

static bool priors_fit(const psdvec_train_options *o, char *why, size_t room)
{
    CHECK(o->core_mu >= 0 && o->core_mu <= PV_MOST_PRIOR,
          "--core-mu is %g; it must be from 0 to %g", o->core_mu, PV_MOST_PRIOR);
    CHECK(o->mu_power >= 0 && o->mu_power <= 10, "--mu-power is %g; it must be from 0 to 10",
          o->mu_power);
    CHECK(o->order >= 0 && o->order <= 10, "--order is %g; it must be from 0 to 10", o->order);
    CHECK(o->spelling >= 0 && o->spelling <= 10, "--spelling is %g; it must be from 0 to 10",
          o->spelling);
    CHECK(o->mu && o->mu_count >= 1, "--mu is empty; it must have at least one number");
    for (size_t i = 0; i < o->mu_count; i++)
        CHECK(o->mu[i] >= 0 && o->mu[i] <= PV_MOST_PRIOR,
              "--mu has %g as number %zu; it must be from 0 to %g", o->mu[i], i + 1, PV_MOST_PRIOR);
    if (!o->mu_edges)
        return true;
    for (size_t i = 0; i + 1 < o->mu_count; i++) {
        CHECK(i == 0 || o->mu_edges[i] > o->mu_edges[i - 1],
              "--bands has %" PRIu32 " behind %" PRIu32 "; the ranks must ascend", o->mu_edges[i],
              o->mu_edges[i - 1]);
        CHECK(o->mu_edges[i] > o->core,
              "--bands has %" PRIu32 ", which lies within the core of "
              "%" PRIu32 " words; bands divide the words behind the core",
              o->mu_edges[i], o->core);
    }
    return true;
}

static bool combination_fits(const psdvec_train_options *o, char *why, size_t room)
{
    bool smoothed = o->target == PSDVEC_TARGET_SMOOTHED;
    bool factored = o->weights == PSDVEC_WEIGHTS_FACTORED;
    CHECK(smoothed || o->weights != PSDVEC_WEIGHTS_SMOOTHED,
          "--weights smoothed weighs pairs that were never seen, and only --target smoothed has a "
          "target for them; use both or neither");
    CHECK(smoothed || o->start == 0,
          "--start %g begins with the targets of all pairs, and --target pmi has none for pairs "
          "that were never seen; use --start 0 or --target smoothed",
          o->start);
    CHECK(factored || o->rho == 0,
          "--rho %g belongs to --weights factored; use --rho 0 or those weights", o->rho);
    CHECK(!factored || o->relaxation * (1 + o->rho) < 2,
          "--relaxation %g with --rho %g makes steps of length %g, and from 2 on they do not "
          "converge; lower one of the two",
          o->relaxation, o->rho, o->relaxation * (1 + o->rho));
    return true;
}

#undef CHECK

bool pv_train_options_fit(const psdvec_train_options *options, char *why, size_t room)
{
    return choices_fit(options, why, room) && numbers_fit(options, why, room) &&
           priors_fit(options, why, room) && combination_fits(options, why, room);
}

psdvec_status pv_train_options_check(psdvec_context *ctx, const psdvec_train_options *options)
{
    char why[400];
    if (pv_train_options_fit(options, why, sizeof why))
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s", why);
}

psdvec_status psdvec_train_options_check(psdvec_context *ctx, const psdvec_train_options *options)
{
    pv_begin(ctx);
    return pv_train_options_check(ctx, options);
}
