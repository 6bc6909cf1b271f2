/* Memory, disk and time of a run.
 *
 * The same numbers decide whether the pairs go to a temporary file, so that
 * --dry-run and the run cannot disagree.
 */
#include "train/plan.h"

#include "base/arguments.h"
#include "base/blas.h"
#include "base/memory.h"
#include "base/progress.h"
#include "link/pairs.h"
#include "link/weights.h"
#include "solve/algorithm1.h"
#include "solve/eigen.h"
#include "solve/regression.h"
#include "solve/tall.h"
#include "train/joint.h"
#include "train/options.h"
#include "train/readout.h"

#include <math.h>

typedef struct sizes {
    uint64_t pairs_large, pairs_small, link, core, eigen, output;
} sizes;

static uint64_t eigen_bytes(const psdvec_train_options *options, uint64_t n, uint64_t rank)
{
    pv_eigen_options eigen;
    pv_eigen_options_default(&eigen, rank);
    uint64_t basis = pv_eigen_basis(&eigen, n), block = eigen.block;
    uint64_t tiles = pv_tall_tiles(n);
    /* The eigenvectors and those of the last iteration. */
    uint64_t tall = n * (basis + 4 * block + 2 * rank) * sizeof(float);
    if (options->relaxation != 1 || options->rho > 0)
        tall += n * (rank + 8) * sizeof(float);
    /* The projected problem with LAPACK's work space, and partial sums of tiles. */
    uint64_t projected = 6 * basis * basis * sizeof(double);
    uint64_t partial = tiles * basis * block * sizeof(float) + 4 * basis * block * sizeof(double);
    if (basis + 2 * block >= n || n <= 512) /* solved as one dense matrix */
        return n * (4 * block + 3 * rank) * sizeof(float) + 4 * n * n * sizeof(double);
    return tall + projected + partial;
}

static sizes size_up(const psdvec_train_options *options, const psdvec_counts *counts,
                     uint64_t pairs, uint32_t core, int threads)
{
    sizes s = {0};
    uint32_t words = counts->info.words;
    uint64_t bigrams = counts->info.bigrams;
    uint64_t rank = pv_rank_most(options, core);
    pv_pairs_bytes(core, pairs, &s.pairs_large, &s.pairs_small);
    s.link = 6 * (uint64_t)words * sizeof(double);
    /* Gathered blocks of columns while the pairs are made, and where they begin. */
    s.pairs_small += (uint64_t)core * 65 * sizeof(uint32_t) + bigrams / 64 * 24 * (uint64_t)threads;
    s.core = pv_core_bytes(core, rank);
    s.eigen = eigen_bytes(options, core, rank);
    uint64_t final = (uint64_t)words * (options->dim + 2) * sizeof(float);
    if (core < words)
        final += pv_regression_bytes(core, options->dim) * 2 +
                 (uint64_t)words * 257 * sizeof(uint32_t) +
                 (uint64_t)threads * (512 * (uint64_t)options->dim + 512 * 512) * sizeof(float) +
                 bigrams / 256 * 24 * (uint64_t)threads;
    s.output = (uint64_t)words * (options->dim * sizeof(float) + 28) + counts->offsets[words] +
               65536 + pv_readout_file_bytes(options, words, options->dim);
    uint64_t readout = (uint64_t)words * (options->dim + 2) * sizeof(float) +
                       pv_readout_bytes(options, counts, options->dim, threads);
    /* The regression, the rest of the joint probability and the read-out come after the core's
     * arrays are gone. */
    if (final > s.eigen)
        s.eigen = final;
    s.core += pv_joint_core_bytes(words);
    uint64_t last = readout, joint = pv_joint_words_bytes(words, options->dim);
    if (core < words || options->weights != PSDVEC_WEIGHTS_FACTORED ||
        pv_target_rules[options->target].directed) {
        uint64_t rest = pv_joint_pairs_bytes(words, bigrams, options->dim, threads);
        joint = rest > joint ? rest : joint;
    }
    joint += (uint64_t)words * (options->dim + 2) * sizeof(float);
    if (joint > last)
        last = joint;
    if (last > s.eigen + s.pairs_small + s.core)
        s.eigen = last - s.pairs_small - s.core;
    return s;
}

enum { mebibyte = 1 << 20 };

/* What must be in memory whatever happens. */
static uint64_t rest_of(const sizes *s)
{
    return s->pairs_small + s->link + s->core + s->eigen + 8 * mebibyte;
}

void pv_plan_fill(psdvec_context *ctx, const psdvec_train_options *options,
                  const psdvec_counts *counts, uint64_t pairs, psdvec_train_plan *plan)
{
    uint32_t words = counts->info.words;
    uint32_t core = options->core == 0 || options->core > words ? words : options->core;
    psdvec_train_options fitting = *options;
    if (fitting.dim > core)
        fitting.dim = core;
    options = &fitting;
    int threads = psdvec_threads(ctx);
    sizes s = size_up(options, counts, pairs, core, threads);
    uint64_t budget = psdvec_memory_budget(ctx), rest = rest_of(&s);
    /* A larger budget has more threads, and these want memory too; what is asked for must do. */
    while (rest > budget && pv_threads_within(ctx, rest + mebibyte) > threads) {
        threads = pv_threads_within(ctx, rest + mebibyte);
        s = size_up(options, counts, pairs, core, threads);
        rest = rest_of(&s);
    }
    *plan = (psdvec_train_plan){.words = words,
                                .core_words = core,
                                .dim = options->dim,
                                .pairs = pairs,
                                .memory = rest + s.pairs_large,
                                .memory_least = rest,
                                .memory_budget = budget,
                                .output_bytes = s.output};
    plan->streamed = plan->memory > plan->memory_budget;
    plan->temporary_bytes = plan->streamed ? s.pairs_large : 0;
    /* States of an interrupted run: the last iteration's, or all vectors. */
    plan->temporary_bytes += (uint64_t)words * options->dim * sizeof(float);
}

/* What the same run would need at least if these parts of the read-out were left out. */
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

/* What of the read-out to leave out to need less; "" if solving needs the most anyway. */
static const char *readout_remedy(psdvec_context *ctx, const psdvec_train_options *options,
                                  const psdvec_counts *counts, uint64_t least)
{
    if (least_without(ctx, options, counts, true, true) >= least)
        return "";
    if (least_without(ctx, options, counts, false, true) < least)
        return ", or no read-out from spelling (`spelling=off`)";
    if (least_without(ctx, options, counts, true, false) < least)
        return ", or no order of words in the read-out (`order=off`)";
    return ", or a simpler read-out (`order=off` and `spelling=off`)";
}

psdvec_status pv_plan_check(psdvec_context *ctx, const psdvec_train_options *options,
                            const psdvec_counts *counts, const psdvec_train_plan *plan)
{
    if (plan->memory_least <= plan->memory_budget)
        return PSDVEC_OK;
    return pv_fail(
        ctx, PSDVEC_ERR_BUDGET,
        "training %u core words with %u dimensions needs at least %.0f MiB of memory, and "
        "the budget is %.1f MiB; give `memory=%.0fM`, or fewer core words (`core`), or "
        "fewer dimensions (`dim`)%s",
        plan->core_words, plan->dim, ceil((double)plan->memory_least / mebibyte),
        (double)plan->memory_budget / mebibyte, ceil((double)plan->memory_least / mebibyte),
        readout_remedy(ctx, options, counts, plan->memory_least));
}

/* Flops a second of one core in a matrix product that fits the cache. */
static double measure_flops(psdvec_context *ctx)
{
    enum { side = 384, times = 6 };
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

/* Sparse products run at a fifth of the speed of dense ones, gathered dot
 * products at a third; how many columns an iteration takes is experience: the first one, which
 * has no vectors to begin with, takes twice as many as the others. */
static double guess_seconds(psdvec_context *ctx, const psdvec_train_options *options,
                            const psdvec_train_plan *plan, uint64_t bigrams)
{
    double speed = measure_flops(ctx), threads = psdvec_threads(ctx);
    double n = plan->core_words, rank = plan->dim, entries = 2.0 * (double)plan->pairs;
    double iterations = options->iterations, basis = 1.25 * rank + 128;
    double columns = (iterations + 1) * (2 * rank + 150);
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
    uint64_t pairs = 0;
    PV_TRY_DONE(pv_link_open(ctx, opened, &own, NULL, &link));
    PV_TRY_DONE(pv_pairs_count(link, &pairs));
    pv_plan_fill(ctx, &own, opened, pairs, plan);
    plan->seconds = guess_seconds(ctx, &own, plan, opened->info.bigrams);
done:
    pv_link_close(link);
    psdvec_counts_close(opened);
    return status;
}
