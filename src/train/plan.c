/* Memory, disk and time of a run.
 *
 * The same numbers decide whether the pairs go to a temporary file, so that
 * --dry-run and the run cannot disagree.
 */
#include "train/train.h"

#include "base/arguments.h"
#include "base/blas.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/progress.h"
#include "link/pairs.h"
#include "link/weights.h"
#include "solve/algorithm1.h"
#include "solve/regression.h"
#include "train/joint.h"
#include "train/options.h"
#include "train/readout.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Bytes that the parts of a run hold at the same time. The counts are mapped from their file, or
 * released behind the loops that read them if they do not fit (pv_plan_transposes). */
typedef struct sizes {
    uint64_t pairs;   /* arrays that may be in a temporary file */
    uint64_t solving; /* solving for the core's vectors, without these arrays */
    uint64_t others;  /* the stages before and after that */
} sizes;

enum { mebibyte = 1 << 20 };

uint32_t pv_core_words(const psdvec_train_options *options, const psdvec_counts *counts)
{
    uint32_t words = counts->info.words;
    return options->core == 0 || options->core > words ? words : options->core;
}

/* The regression, without the vectors. */
static uint64_t regressing(const psdvec_counts *counts, uint64_t core, uint64_t dim, int threads)
{
    uint64_t words = counts->info.words;
    return words * sizeof(uint32_t) +
           pv_regression_bytes(core, dim, words, counts->info.bigrams, threads);
}

bool pv_plan_walks_pairs(const psdvec_train_options *options, bool noncore)
{
    return noncore || options->weights != PSDVEC_WEIGHTS_FACTORED ||
           pv_target_rules[options->target].directed;
}

/* The joint probability. division: of all words, if the members of a group share it. */
static uint64_t joining(const psdvec_train_options *options, const psdvec_counts *counts,
                        bool noncore, const pv_division *division, int threads)
{
    uint64_t words = counts->info.words, bigrams = counts->info.bigrams, dim = options->dim;
    uint64_t joint = pv_joint_words_bytes(words, division, dim);
    if (pv_plan_walks_pairs(options, noncore))
        joint = pv_larger(joint, pv_joint_pairs_bytes(words, bigrams, dim, division, threads));
    return joint + words * sizeof(uint32_t);
}

/* With shares: of this member of the group. */
static sizes size_up(const psdvec_train_options *options, const psdvec_counts *counts,
                     uint64_t pairs, const pv_shares *shares, int threads)
{
    uint64_t words = counts->info.words, bigrams = counts->info.bigrams, dim = options->dim;
    uint64_t core = pv_core_words(options, counts), part = 0;
    const pv_division *division = shares ? shares->core : NULL;
    bool noncore = core < words, leads = !division || division->rank == 0;
    /* Whether all members have all vectors at first, and whether they finish the model together. */
    bool complete = shares && pv_plan_walks_pairs(options, noncore);
    bool together = shares && (options->order > 0 || complete);
    uint64_t link = pv_link_bytes(counts);
    uint64_t spread = noncore ? words * sizeof(float) : 0;
    uint64_t row = dim * sizeof(float), all = words * row, after = 0;
    uint64_t own = leads ? all : together ? pv_rows_own(shares->words, words) * row : 0;
    uint64_t vectors = complete ? all : own;
    if (division)
        part = pv_rows_own(division, core) * dim * sizeof(float);
    uint64_t solved = pv_core_bytes(core, division, pv_rank_most(options, core)) +
                      pv_larger(pv_algorithm1_bytes(options, core, division, threads),
                                pv_joint_core_bytes(words));
    if (leads || together)
        after = joining(options, counts, noncore, together ? shares->words : NULL, threads);
    if (noncore)
        after = pv_larger(after, regressing(counts, core, dim, threads));
    if (complete && !leads)
        after = pv_larger(after, own + words * sizeof(uint32_t)); /* while the others are dropped */
    uint64_t reading =
        pv_readout_bytes(options, counts, dim, shares ? shares->words : NULL, threads);
    /* File buffers, arrays with one element per dimension or iteration, and those for columns in a
     * file. */
    uint64_t small = 2 * mebibyte + pv_transposed_bytes(words, counts->info.total, threads);
    return (sizes){
        .pairs = pv_pairs_large_bytes(pairs),
        .solving = small + link + spread + (division ? part : vectors) +
                   pv_pairs_bytes(core, division) +
                   pv_larger(pv_pairs_make_bytes(core, division, bigrams, threads), solved),
        .others = small + link +
                  pv_larger(pv_link_open_bytes(counts, threads),
                            spread + pv_larger(vectors + pv_larger(part, after), own + reading))};
}

/* The part that must always be in memory. */
static uint64_t rest_of(const sizes *s)
{
    return pv_larger(s->solving, s->others);
}

static uint64_t output_bytes(const psdvec_train_options *options, const psdvec_counts *counts)
{
    uint64_t words = counts->info.words;
    return words * (options->dim * sizeof(float) + 28) + counts->offsets[words] + 65536 +
           pv_readout_file_bytes(options, words, options->dim);
}

/* Computes the sizes for as many threads as the budget then allows, with at most as many dimensions
 * as the core has words. */
static sizes fit(psdvec_context *ctx, psdvec_train_options *options, const psdvec_counts *counts,
                 uint64_t pairs, const pv_shares *shares)
{
    if (options->dim > pv_core_words(options, counts))
        options->dim = pv_core_words(options, counts);
    int threads = psdvec_threads(ctx);
    sizes s = size_up(options, counts, pairs, shares, threads);
    uint64_t budget = psdvec_memory_budget(ctx);
    /* A larger budget allows more threads, which need memory too; the suggested budget must
     * suffice. */
    while (rest_of(&s) > budget && pv_threads_within(ctx, rest_of(&s) + mebibyte) > threads) {
        threads = pv_threads_within(ctx, rest_of(&s) + mebibyte);
        s = size_up(options, counts, pairs, shares, threads);
    }
    return s;
}

bool pv_plan_transposes(psdvec_context *ctx, const psdvec_train_options *given,
                        const psdvec_counts *counts, const pv_shares *shares)
{
    psdvec_train_options options = *given;
    uint64_t core = pv_core_words(given, counts), most = core * (core - 1) / 2;
    if (most > counts->info.bigrams)
        most = counts->info.bigrams;
    sizes s = fit(ctx, &options, counts, most, shares);
    uint64_t memory = pv_larger(s.solving + s.pairs, s.others);
    return memory + counts->info.file_bytes > psdvec_memory_budget(ctx);
}

void pv_plan_fill(psdvec_context *ctx, const psdvec_train_options *given,
                  const psdvec_counts *counts, uint64_t pairs, const pv_shares *shares,
                  psdvec_train_plan *plan)
{
    psdvec_train_options options = *given;
    sizes s = fit(ctx, &options, counts, pairs, shares);
    *plan = (psdvec_train_plan){.words = counts->info.words,
                                .core_words = pv_core_words(&options, counts),
                                .dim = options.dim,
                                .pairs = pairs,
                                .memory = pv_larger(s.solving + s.pairs, s.others),
                                .memory_least = rest_of(&s),
                                .memory_budget = psdvec_memory_budget(ctx),
                                .output_bytes = output_bytes(&options, counts)};
    plan->streamed = plan->memory > plan->memory_budget;
    plan->temporary_bytes = plan->streamed ? s.pairs : 0;
    if (pv_plan_transposes(ctx, given, counts, shares))
        plan->temporary_bytes += pv_transposed_file_bytes(counts->info.bigrams);
    /* States of an interrupted run: that of the last iteration, or all vectors. */
    plan->temporary_bytes += (uint64_t)plan->words * plan->dim * sizeof(float);
}

uint64_t pv_plan_pairs_bytes(psdvec_context *ctx, const psdvec_train_options *given,
                             const psdvec_counts *counts, const pv_shares *shares)
{
    psdvec_train_options options = *given;
    sizes s = fit(ctx, &options, counts, 0, shares);
    uint64_t budget = psdvec_memory_budget(ctx);
    return budget > s.solving ? budget - s.solving : 0;
}

/* Two digits, rounded down. */
static uint32_t round_down(uint32_t number)
{
    uint32_t unit = 1;
    while (number / unit >= 100)
        unit *= 10;
    return number / unit * unit;
}

uint32_t pv_plan_smaller_core(psdvec_context *ctx, const psdvec_train_options *given,
                              const psdvec_counts *counts, uint32_t core, const uint64_t *among)
{
    uint64_t budget = psdvec_memory_budget(ctx);
    uint32_t fitting = 0, beyond = core;
    while (beyond - fitting > 1) {
        psdvec_train_options options = *given;
        uint32_t middle = fitting + (beyond - fitting) / 2;
        options.core = middle;
        sizes s = fit(ctx, &options, counts, among ? among[middle] : 0, NULL);
        if (pv_larger(s.solving + s.pairs, s.others) <= budget)
            fitting = middle;
        else
            beyond = middle;
    }
    fitting = round_down(fitting);
    return fitting > given->dim ? fitting : 0;
}

/* The minimum memory of the same run without these parts of the read-out. */
static uint64_t least_without(psdvec_context *ctx, const psdvec_train_options *options,
                              const psdvec_counts *counts, const pv_shares *shares, bool order,
                              bool spelling)
{
    psdvec_train_options less = *options;
    psdvec_train_plan plan;
    if (order)
        less.order = 0;
    if (spelling)
        less.spelling = less.inflections = 0; /* as by default without spelling */
    pv_plan_fill(ctx, &less, counts, 0, shares, &plan);
    return plan.memory_least;
}

/* Which parts of the read-out to omit to need less memory; "" if solving needs the most anyway. */
static const char *readout_remedy(psdvec_context *ctx, const psdvec_train_options *options,
                                  const psdvec_counts *counts, const pv_shares *shares,
                                  uint64_t least)
{
    if (least_without(ctx, options, counts, shares, true, true) >= least)
        return "";
    if (least_without(ctx, options, counts, shares, false, true) < least)
        return ", or no read-out from spelling (`spelling=off`)";
    if (least_without(ctx, options, counts, shares, true, false) < least)
        return ", or no word order in the read-out (`order=off`)";
    return ", or a simpler read-out (`order=off` and `spelling=off`)";
}

psdvec_status pv_plan_check(psdvec_context *ctx, const psdvec_train_options *options,
                            const psdvec_counts *counts, const pv_shares *shares,
                            const psdvec_train_plan *plan)
{
    uint64_t least = plan->memory_least;
    char where[64] = "";
    if (shares) {
        uint64_t *all = pv_alloc(ctx, shares->core->members, sizeof *all, "the division of rows");
        psdvec_status status = all ? pv_group_meet(ctx, least, all) : pv_failure(ctx);
        for (uint32_t r = 0; status == PSDVEC_OK && r < shares->core->members; r++)
            least = pv_larger(least, all[r]);
        pv_free(ctx, all);
        PV_TRY(status);
        snprintf(where, sizeof where, " in one of %" PRIu32 " processes", shares->core->members);
    }
    if (least <= plan->memory_budget)
        return PSDVEC_OK;
    uint32_t smaller = shares ? 0
                              : pv_plan_smaller_core(ctx, options, counts, plan->core_words, NULL);
    char core[32] = "`core`";
    if (smaller)
        snprintf(core, sizeof core, "`core=%" PRIu32 "`", smaller);
    return pv_fail(
        ctx, PSDVEC_ERR_BUDGET,
        "training %u core words with %u dimensions needs at least %.0f MiB of memory%s, and the "
        "limit is %.1f MiB; set `memory=%.0fM`, or use fewer core words (%s) or fewer "
        "dimensions (`dim`)%s",
        plan->core_words, plan->dim, ceil((double)least / mebibyte), where,
        (double)plan->memory_budget / mebibyte, ceil((double)least / mebibyte), core,
        readout_remedy(ctx, options, counts, shares, plan->memory_least));
}

/* Flops per second of one core in a matrix product that fits the cache. */
static double measure_flops(psdvec_context *ctx)
{
    enum { side = 384, times = 6 };
    if (pv_blas_reserve() != 0)
        return 2e10;
    float *block = pv_alloc_zero(ctx, 3 * side * side, sizeof *block, NULL);
    if (!block)
        return 2e10;
    double best = 1e9;
    for (int k = 0; k < times; k++) {
        double began = pv_now();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, side, side, side, 1, block, side,
                    block + side * side, side, 0, block + 2 * side * side, side);
        double took = pv_now() - began;
        if (took < best && took > 0)
            best = took;
    }
    pv_free(ctx, block);
    return 2.0 * side * side * side / best;
}

/* Sparse products run at a fifth of the speed of dense ones, gathered dot products at a third. The
 * number of columns per iteration is empirical: the first one, which has no vectors to start from,
 * needs twice as many as the others that solve the eigenproblem. */
static double guess_seconds(psdvec_context *ctx, const psdvec_train_options *options,
                            const psdvec_train_plan *plan, uint64_t bigrams)
{
    double speed = measure_flops(ctx), threads = psdvec_threads(ctx);
    double n = plan->core_words, rank = plan->dim, entries = 2.0 * (double)plan->pairs;
    double iterations = options->iterations, basis = 1.25 * rank + 128;
    double some = options->exact_iterations, round = some + PV_REFINED_ITERATIONS;
    double exact = some > 0 && !(options->tolerance > 0)
                       ? some * floor(iterations / round) + fmin(some, fmod(iterations, round))
                       : iterations;
    double columns = (exact + 1) * (2 * rank + 150) + (iterations - exact) * rank;
    double solving = columns * (entries * 2 / (speed / 5) + 6 * n * basis / speed) +
                     iterations * (entries * rank / (speed / 3) + 8 * n * rank * rank / speed);
    double projected = columns / 128 * 20 * basis * basis * basis / speed;
    double pairing = (double)bigrams * 60e-9;
    double regression = (plan->words - n) * (rank * rank * rank) * 1.5 / (speed / 2);
    double order = options->order > 0 ? (double)bigrams * 2 * rank * 2 / (speed / 5) : 0;
    double spelling = options->spelling > 0 ? plan->words * rank * 3e-7 : 0;
    return (solving + pairing + regression + order + spelling) / threads + projected;
}

psdvec_status psdvec_train_plan_make(psdvec_context *ctx, const psdvec_train_options *options,
                                     const char *counts, psdvec_train_plan *plan)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    PV_NEED(ctx, plan);
    psdvec_counts *opened = NULL;
    pv_link *link = NULL;
    psdvec_status status;
    psdvec_train_options own;
    PV_TRY(pv_train_options_adopt(ctx, options, &own));
    PV_TRY(pv_counts_open_sound(ctx, counts, &opened));
    uint64_t *among = NULL;
    PV_TRY_DONE(pv_link_open(ctx, opened, &own, NULL, &link));
    among = pv_alloc(ctx, (size_t)link->core + 1, sizeof *among, "the numbers of pairs");
    if (!among)
        PV_TRY_DONE(pv_failure(ctx));
    PV_TRY_DONE(pv_pairs_count(link, among));
    pv_plan_fill(ctx, &own, opened, among[link->core], NULL, plan);
    if (plan->streamed)
        plan->core_in_memory = pv_plan_smaller_core(ctx, &own, opened, link->core, among);
    plan->seconds = guess_seconds(ctx, &own, plan, opened->info.bigrams);
done:
    pv_free(ctx, among);
    pv_link_close(link);
    psdvec_counts_close(opened);
    return status;
}
