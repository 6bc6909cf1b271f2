/* Memory, disk and time of a run.
 *
 * The same numbers decide whether the pairs go to a temporary file, so that
 * --dry-run and the run cannot disagree.
 */
#include "train/train.h"

#include "base/arguments.h"
#include "base/blas.h"
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

/* Bytes that the parts of a run hold at the same time. The counts are mapped from their file. */
typedef struct sizes {
    uint64_t pairs;   /* arrays that may be in a temporary file */
    uint64_t solving; /* solving for the core's vectors, without these arrays */
    uint64_t others;  /* the stages before and after that */
} sizes;

enum { mebibyte = 1 << 20 };

static sizes size_up(const psdvec_train_options *options, const psdvec_counts *counts,
                     uint64_t pairs, uint32_t core, int threads)
{
    uint64_t words = counts->info.words, bigrams = counts->info.bigrams, dim = options->dim;
    bool noncore = core < words;
    uint64_t link = pv_link_bytes(counts);
    uint64_t vectors = words * dim * sizeof(float) + (noncore ? words * sizeof(float) : 0);
    uint64_t solved =
        pv_core_bytes(core, pv_rank_most(options, core)) +
        pv_larger(pv_algorithm1_bytes(options, core, threads), pv_joint_core_bytes(words));
    uint64_t joint = pv_joint_words_bytes(words, dim);
    /* The joint probability may need a pass over pairs that the solver does not hold. */
    if (noncore || options->weights != PSDVEC_WEIGHTS_FACTORED ||
        pv_target_rules[options->target].directed)
        joint = pv_larger(joint, pv_joint_pairs_bytes(words, bigrams, dim, threads));
    uint64_t after = pv_larger(joint + words * sizeof(uint32_t),
                               pv_readout_bytes(options, counts, dim, threads));
    if (noncore)
        after = pv_larger(after, words * sizeof(uint32_t) +
                                     pv_regression_bytes(core, dim, words, bigrams, threads));
    /* File buffers, and arrays with one element per dimension or iteration. */
    uint64_t small = 2 * mebibyte;
    return (sizes){.pairs = pv_pairs_large_bytes(pairs),
                   .solving = small + link + vectors + pv_pairs_bytes(core) +
                              pv_larger(pv_pairs_make_bytes(core, bigrams, threads), solved),
                   .others = small + link +
                             pv_larger(pv_link_open_bytes(counts, threads), vectors + after)};
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

/* Sets the core size, and computes the sizes for as many threads as the budget then allows. */
static sizes fit(psdvec_context *ctx, psdvec_train_options *options, const psdvec_counts *counts,
                 uint64_t pairs, uint32_t *core)
{
    uint32_t words = counts->info.words;
    *core = options->core == 0 || options->core > words ? words : options->core;
    if (options->dim > *core)
        options->dim = *core;
    int threads = psdvec_threads(ctx);
    sizes s = size_up(options, counts, pairs, *core, threads);
    uint64_t budget = psdvec_memory_budget(ctx);
    /* A larger budget allows more threads, which need memory too; the suggested budget must
     * suffice. */
    while (rest_of(&s) > budget && pv_threads_within(ctx, rest_of(&s) + mebibyte) > threads) {
        threads = pv_threads_within(ctx, rest_of(&s) + mebibyte);
        s = size_up(options, counts, pairs, *core, threads);
    }
    return s;
}

void pv_plan_fill(psdvec_context *ctx, const psdvec_train_options *given,
                  const psdvec_counts *counts, uint64_t pairs, psdvec_train_plan *plan)
{
    psdvec_train_options options = *given;
    uint32_t core;
    sizes s = fit(ctx, &options, counts, pairs, &core);
    *plan = (psdvec_train_plan){.words = counts->info.words,
                                .core_words = core,
                                .dim = options.dim,
                                .pairs = pairs,
                                .memory = pv_larger(s.solving + s.pairs, s.others),
                                .memory_least = rest_of(&s),
                                .memory_budget = psdvec_memory_budget(ctx),
                                .output_bytes = output_bytes(&options, counts)};
    plan->streamed = plan->memory > plan->memory_budget;
    plan->temporary_bytes = plan->streamed ? s.pairs : 0;
    /* States of an interrupted run: that of the last iteration, or all vectors. */
    plan->temporary_bytes += (uint64_t)plan->words * plan->dim * sizeof(float);
}

uint64_t pv_plan_pairs_bytes(psdvec_context *ctx, const psdvec_train_options *given,
                             const psdvec_counts *counts)
{
    psdvec_train_options options = *given;
    uint32_t core;
    sizes s = fit(ctx, &options, counts, 0, &core);
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
        uint32_t middle = fitting + (beyond - fitting) / 2, own;
        options.core = middle;
        sizes s = fit(ctx, &options, counts, among ? among[middle] : 0, &own);
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
                              const psdvec_counts *counts, bool order, bool spelling)
{
    psdvec_train_options less = *options;
    psdvec_train_plan plan;
    if (order)
        less.order = 0;
    if (spelling)
        less.spelling = 0;
    pv_plan_fill(ctx, &less, counts, 0, &plan);
    return plan.memory_least;
}

/* Which parts of the read-out to omit to need less memory; "" if solving needs the most anyway. */
static const char *readout_remedy(psdvec_context *ctx, const psdvec_train_options *options,
                                  const psdvec_counts *counts, uint64_t least)
{
    if (least_without(ctx, options, counts, true, true) >= least)
        return "";
    if (least_without(ctx, options, counts, false, true) < least)
        return ", or no read-out from spelling (`spelling=off`)";
    if (least_without(ctx, options, counts, true, false) < least)
        return ", or no word order in the read-out (`order=off`)";
    return ", or a simpler read-out (`order=off` and `spelling=off`)";
}

psdvec_status pv_plan_check(psdvec_context *ctx, const psdvec_train_options *options,
                            const psdvec_counts *counts, const psdvec_train_plan *plan)
{
    if (plan->memory_least <= plan->memory_budget)
        return PSDVEC_OK;
    uint32_t smaller = pv_plan_smaller_core(ctx, options, counts, plan->core_words, NULL);
    char core[32] = "`core`";
    if (smaller)
        snprintf(core, sizeof core, "`core=%" PRIu32 "`", smaller);
    return pv_fail(
        ctx, PSDVEC_ERR_BUDGET,
        "training %u core words with %u dimensions needs at least %.0f MiB of memory, and the "
        "limit is %.1f MiB; set `memory=%.0fM`, or use fewer core words (%s) or fewer "
        "dimensions (`dim`)%s",
        plan->core_words, plan->dim, ceil((double)plan->memory_least / mebibyte),
        (double)plan->memory_budget / mebibyte, ceil((double)plan->memory_least / mebibyte), core,
        readout_remedy(ctx, options, counts, plan->memory_least));
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
    pv_plan_fill(ctx, &own, opened, among[link->core], plan);
    if (plan->streamed)
        plan->core_in_memory = pv_plan_smaller_core(ctx, &own, opened, link->core, among);
    plan->seconds = guess_seconds(ctx, &own, plan, opened->info.bigrams);
done:
    pv_free(ctx, among);
    pv_link_close(link);
    psdvec_counts_close(opened);
    return status;
}
