/* Training: from counts, or from text, to a model file.
 *
 *     link        margins and constants for the complete vocabulary
 *     pairs       the core's pairs with weight and target
 *     solve       Algorithm 1; the state is saved after every iteration
 *     regression  the other words in blocks; each block is saved
 *     joint       the joint probability, for comparing settings
 *     read-out    the vectors used to compare words, computed from all of these
 *     fit         the temperature, to text that was held out of the counts (src/document/fit.c)
 *     write       the model file, atomically
 *
 * In a group of processes (base/group.h), the members share everything up to the read-out, and the
 * leader does the rest. The rows of the core, and those of all words for the read-out, are divided
 * (sparse/division.h).
 *
 * The state is saved in OUTPUT.partial (partial.h). It has the vectors but nothing that can be
 * computed from the counts, and every stage is a deterministic function of its inputs, so a resumed
 * run ends with the same bits.
 */
#include "train/train.h"

#include "base/blas.h"
#include "base/group.h"
#include "link/pairs.h"
#include "model/model_write.h"
#include "solve/algorithm1.h"
#include "solve/regression.h"
#include "train/forms.h"
#include "train/joint.h"
#include "train/model_link.h"
#include "train/options.h"
#include "train/readout.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

enum { words_a_block = PV_WORDS_A_BLOCK };

typedef struct training {
    psdvec_context *ctx;
    const psdvec_train_options *options;
    const char *output;
    psdvec_counts *counts;
    pv_partial *partial;
    pv_link *link;
    uint32_t words, core;
    size_t dim;
    pv_division *division; /* that of the core in `shares`; NULL: not divided */
    pv_shares shares;      /* of the members of the group */
    float *part;           /* vectors of the core's rows that are here x dim */
    float *vectors;        /* words x dim; of members other than the leader, see `complete` */
    bool complete;      /* all members have all vectors; else those of their words for the read-out,
                         * or none if not `together` */
    bool together;      /* the members share the work that follows the regression */
    float *spread;      /* words; NULL if all words are in the core */
    float *eigenvalues; /* dim */
    float *sign;        /* dim */
    psdvec_iteration *iterations;
    uint32_t iteration_count;
    pv_scope memory; /* of the arrays above */
    pv_readout readout;
    const psdvec_text_options
        *text; /* how the inputs are read; NULL: they cannot be read, or not again */
    const char *const *inputs;
    size_t input_count;
    pv_forms forms;
    pv_fit_fn *fit;
    uint32_t joined; /* number of first words whose pairs the joint probability already includes */
    psdvec_train_report report;
} training;

/* NULL: there is one process. */
static const pv_shares *shares_of(const training *t)
{
    return t->division ? &t->shares : NULL;
}

/* mu_i of section 3.1.1 */
double pv_noncore_mu(const psdvec_train_options *options, uint32_t core, uint32_t words,
                     uint32_t rank, double frequency, double last_core_frequency)
{
    size_t band = 0;
    if (options->bands)
        while (band + 1 < options->mu_count && rank >= options->bands[band])
            band++;
    else if (words > core)
        band = (size_t)((uint64_t)(rank - core) * options->mu_count / (words - core));
    if (band >= options->mu_count)
        band = options->mu_count - 1;
    double ratio = last_core_frequency / (frequency > 0 ? frequency : 1);
    return fmin(options->mu[band] * pow(ratio, options->mu_power), PV_MOST_PRIOR);
}

/* ---- The state of Algorithm 1 ------------------------------------------------ */
#define FIELDS_OF_ITERATION 7

/* Returns false if these are not the values of iteration k: a file may come from anywhere, and not
 * every double is a uint32_t. */
static bool unpack_iteration(const double *from, uint64_t k, size_t stride, psdvec_iteration *it)
{
    for (size_t i = 0; i < FIELDS_OF_ITERATION; i++)
        if (!isfinite(from[i]))
            return false;
    if (from[0] != (double)k || !(from[1] >= 0 && from[1] <= (double)stride) ||
        !(from[2] >= 0 && from[2] <= from[1]) || from[1] != trunc(from[1]) ||
        from[2] != trunc(from[2]))
        return false;
    *it = (psdvec_iteration){.iteration = (uint32_t)from[0],
                             .rank = (uint32_t)from[1],
                             .positive = (uint32_t)from[2],
                             .objective = from[3],
                             .relaxation = from[4],
                             .smallest = from[5],
                             .residual = from[6]};
    return true;
}

/* All rows of U, in the leader: in memory if there is some left, otherwise in a temporary file. */
static psdvec_status collect_state(const training *t, const pv_core *core, pv_large *all)
{
    if (!t->division)
        return PSDVEC_OK;
    if (pv_group_leads(t->ctx)) {
        char *folder = pv_folder_of(t->output);
        if (!folder)
            return pv_fail(t->ctx, PSDVEC_ERR_MEMORY, "no memory for a path");
        uint64_t count = (uint64_t)core->n * core->stride;
        psdvec_status status = pv_large_alloc(t->ctx, count, sizeof *core->U, folder,
                                              pv_large_spills(t->ctx, count * sizeof *core->U, 0),
                                              "the state", all);
        free(folder);
        PV_TRY(status);
    }
    return pv_division_collect(t->division, core->U, all->data, core->stride * sizeof *core->U);
}

static psdvec_status save_iteration(void *user, const pv_core *core, const pv_course *course)
{
    training *t = user;
    pv_large all = {0};
    psdvec_status status = collect_state(t, core, &all);
    double(*history)[FIELDS_OF_ITERATION] =
        pv_alloc(t->ctx, course->done, sizeof *history, "the course of training");
    if (status != PSDVEC_OK || !history) {
        status = pv_failure(t->ctx);
        goto done;
    }
    for (uint32_t k = 0; k < course->done; k++) {
        const psdvec_iteration *it = &course->iterations[k];
        double fields[] = {it->iteration,  it->rank,     it->positive, it->objective,
                           it->relaxation, it->smallest, it->residual};
        memcpy(history[k], fields, sizeof fields);
    }
    uint8_t finished = course->finished;
    const pv_tensor tensors[] = {
        pv_tensor_of("vectors", PV_DTYPE_F32, core->n, core->stride, all.data ? all.data : core->U),
        pv_tensor_of("sign", PV_DTYPE_F32, core->stride, 0, core->sign),
        pv_tensor_of("values", PV_DTYPE_F32, core->stride, 0, course->values),
        pv_tensor_of("history", PV_DTYPE_F64, course->done, FIELDS_OF_ITERATION, history),
        pv_tensor_of("finished", PV_DTYPE_U8, 1, 0, &finished)};
    status = pv_partial_save(t->partial, "core", tensors, sizeof tensors / sizeof *tensors);
done:
    pv_free(t->ctx, history);
    pv_large_free(t->ctx, &all);
    return status;
}

/* Loads the state of an interrupted run, if there is one. */
static psdvec_status load_iteration(training *t, pv_core *core, pv_course *course)
{
    pv_st_file *file = NULL;
    PV_TRY(pv_partial_load(t->partial, "core", &file));
    if (!file)
        return PSDVEC_OK;
    const pv_tensor *vectors, *sign, *values, *history, *finished;
    int64_t n = (int64_t)core->n, stride = (int64_t)core->stride;
    psdvec_status status;
    PV_TRY_DONE(pv_state_require(t->ctx, file, "vectors", PV_DTYPE_F32, n, stride, &vectors));
    PV_TRY_DONE(pv_state_require(t->ctx, file, "sign", PV_DTYPE_F32, stride, 0, &sign));
    PV_TRY_DONE(pv_state_require(t->ctx, file, "values", PV_DTYPE_F32, stride, 0, &values));
    PV_TRY_DONE(
        pv_state_require(t->ctx, file, "history", PV_DTYPE_F64, -1, FIELDS_OF_ITERATION, &history));
    PV_TRY_DONE(pv_state_require(t->ctx, file, "finished", PV_DTYPE_U8, 1, 0, &finished));
    uint64_t done = history->shape[0];
    bool sound = done > 0 && done <= t->options->iterations;
    const float *signs = sign->data;
    for (size_t k = 0; k < core->stride; k++)
        sound &= signs[k] == -1 || signs[k] == 0 || signs[k] == 1;
    for (uint64_t k = 0; k < done && sound; k++)
        sound = unpack_iteration((const double *)history->data + k * FIELDS_OF_ITERATION, k + 1,
                                 core->stride, &course->iterations[k]);
    if (!sound) {
        pv_warn(t->ctx,
                "%s: not used, because its values are not those of a run; training starts over",
                pv_st_path(file));
        goto done;
    }
    memcpy(core->U, (const float *)vectors->data + core->pairs->first * core->stride,
           core->pairs->matrix.rows * core->stride * sizeof *core->U);
    memcpy(core->sign, sign->data, sign->bytes);
    memcpy(course->values, values->data, values->bytes);
    core->rank = course->iterations[done - 1].rank;
    course->done = (uint32_t)done;
    course->finished = *(const uint8_t *)finished->data != 0;
    pv_step(t->ctx, "resuming after iteration %u of an interrupted run", course->done);
done:
    pv_st_close(file);
    return status;
}

/* v = u / s; with fewer eigenvalues than dimensions, the remaining components are zero. */
static void take_core(training *t, const pv_core *core, const pv_course *course)
{
    size_t rank = core->rank < t->dim ? core->rank : t->dim;
    for (size_t i = 0; i < core->pairs->matrix.rows; i++)
        for (size_t k = 0; k < rank; k++)
            t->part[i * t->dim + k] = core->U[i * core->stride + k] /
                                      core->root[core->pairs->first + i];
    for (size_t k = 0; k < t->dim; k++) {
        t->eigenvalues[k] = k < rank ? course->values[k] : 0;
        t->sign[k] = k < rank && core->sign[k] < 0 ? -1 : 1;
    }
    t->iteration_count = course->done;
    t->report.objective = course->iterations[course->done - 1].objective;
    for (size_t k = 0; k < rank; k++)
        if (core->sign[k] > 0)
            t->report.positive++;
        else
            t->report.negative++;
    if (rank < t->dim)
        pv_warn(t->ctx,
                "the last %zu of the %zu components of every vector are 0, because no more "
                "eigenvalues are %s; fewer dimensions (`dim`)%s are enough",
                t->dim - rank, t->dim, t->options->form == PSDVEC_FORM_PSD ? "positive" : "nonzero",
                t->options->core_mu > 0 ? " or a smaller `core_mu`" : "");
}

/* ---- The joint probability --------------------------------------------------------- */
/* After the pairs, the leader has all vectors, and the other members keep those of their words. */
static psdvec_status keep_own_vectors(training *t)
{
    if (!t->complete || pv_group_leads(t->ctx))
        return PSDVEC_OK;
    pv_tiles own = pv_tiles_own(t->shares.words, t->words);
    size_t count = (own.end - own.first) * t->dim;
    float *rows;
    PV_TAKE(&t->memory, rows, count);
    PV_TRY(pv_scope_status(&t->memory));
    memcpy(rows, t->vectors + own.first * t->dim, count * sizeof *rows);
    pv_scope_drop(&t->memory, t->vectors);
    t->vectors = rows;
    t->complete = false;
    return PSDVEC_OK;
}

/* With `core`: adds the pairs of core words, whose products it has, together with the other
 * members. Without: adds all other pairs, and the words. */
static psdvec_status add_joint(training *t, const pv_core *core)
{
    double began = pv_now();
    psdvec_joint *joint = &t->report.joint;
    psdvec_status status;
    uint32_t *word = pv_alloc(t->ctx, t->words, sizeof *word, "the joint probability");
    if (!word)
        return pv_failure(t->ctx);
    for (uint32_t w = 0; w < t->words; w++)
        word[w] = w;
    pv_seen_walk of = {.link = t->link,
                       .word = word,
                       .words = t->words,
                       .dim = t->dim,
                       .vectors = core ? t->part : t->vectors,
                       .eigenvalues = t->sign,
                       .beyond = t->joined};
    pv_csr *rows = &t->counts->rows;
    /* If the solver could not serve after all, its pairs are walked over, for which a member has not
     * selected columns. */
    if (t->division && !pv_plan_walks_pairs(t->options, t->core < t->words))
        rows->transposed = NULL;
    if (core || t->joined < t->words)
        PV_TRY_DONE(pv_joint_pairs(&of, core, joint));
    if (core)
        t->joined = t->core;
    else {
        PV_TRY_DONE(keep_own_vectors(t));
        of.vectors = t->vectors;
        PV_TRY_DONE(pv_joint_words(&of, t->together ? t->shares.words : NULL, joint));
    }
    t->report.joint_seconds += pv_now() - began;
done:
    t->counts->rows.transposed = t->counts->columns;
    pv_free(t->ctx, word);
    return status;
}

/* ---- The core ---------------------------------------------------------------------- */
static psdvec_status tell_of_spilling(const training *t, const pv_pairs *pairs)
{
    uint32_t smaller = 0;
    if (!pairs->division) {
        uint64_t *among =
            pv_alloc(t->ctx, (size_t)t->core + 1, sizeof *among, "the numbers of pairs");
        if (!among)
            return pv_failure(t->ctx);
        pv_pairs_among(pairs, among);
        smaller = pv_plan_smaller_core(t->ctx, t->options, t->counts, t->core, among);
        pv_free(t->ctx, among);
    }
    char remedy[64] = "";
    if (smaller)
        snprintf(remedy, sizeof remedy, "; with `core=%" PRIu32 "` they would fit", smaller);
    pv_step(t->ctx,
            "the pairs of %" PRIu32 " core words do not fit into the memory limit and are kept in "
            "a temporary file of %.0f MB, which takes longer%s",
            t->core, (double)pairs->spilled / 1e6, remedy);
    return PSDVEC_OK;
}

static psdvec_status solve_core(training *t)
{
    psdvec_context *ctx = t->ctx;
    pv_pairs *pairs = NULL;
    pv_core *core = NULL;
    pv_course course = {.iterations = t->iterations};
    char *folder = pv_folder_of(t->output);
    psdvec_status status;
    double began = pv_now();
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "no memory for a path");
    /* Whether the pairs fit is known only after they have been counted. */
    PV_TRY_DONE(pv_pairs_make(t->link, t->division, folder,
                              pv_plan_pairs_bytes(ctx, t->options, t->counts, shares_of(t)),
                              t->options->start > 0, &pairs));
    if (t->dim < t->options->dim)
        pv_step(ctx, "the core has %u words, so the vectors have %zu dimensions, not %u", t->core,
                t->dim, t->options->dim);
    t->report.pairs = pairs->total;
    t->report.spilled_bytes += pairs->spilled;
    if (pairs->spilled)
        PV_TRY_DONE(tell_of_spilling(t, pairs));
    PV_TRY_DONE(pv_core_open(t->link, pairs, pv_rank_most(t->options, t->core), &core));
    pv_st_release(t->counts->file); /* until the read-out */
    t->report.link_seconds = pv_now() - began;
    began = pv_now();
    course.values = pv_alloc_zero(ctx, core->stride, sizeof *course.values, "eigenvalues");
    if (!course.values)
        PV_TRY_DONE(pv_failure(ctx));
    PV_TRY_DONE(load_iteration(t, core, &course));
    PV_TRY_DONE(pv_algorithm1(core, &course, save_iteration, t));
    take_core(t, core, &course);
    t->report.solve_seconds = pv_now() - began;
    if (pv_joint_core_serves(core, t->dim))
        PV_TRY_DONE(add_joint(t, core));
done:
    pv_free(ctx, course.values);
    pv_core_close(core);
    pv_pairs_free(pairs);
    free(folder);
    return status;
}

/* ---- The other words -------------------------------------------------------------- */
static psdvec_status load_block(training *t, const char *name, uint32_t first, uint32_t count,
                                bool *found)
{
    pv_st_file *file = NULL;
    const pv_tensor *vectors, *spread;
    psdvec_status status;
    PV_TRY(pv_partial_load(t->partial, name, &file));
    *found = file != NULL;
    if (!file)
        return PSDVEC_OK;
    PV_TRY_DONE(
        pv_state_require(t->ctx, file, "vectors", PV_DTYPE_F32, count, (int64_t)t->dim, &vectors));
    PV_TRY_DONE(pv_state_require(t->ctx, file, "spread", PV_DTYPE_F32, count, 0, &spread));
    memcpy(t->vectors + (size_t)first * t->dim, vectors->data, vectors->bytes);
    memcpy(t->spread + first, spread->data, spread->bytes);
done:
    pv_st_close(file);
    return status;
}

/* The cost of the regression of a word, which grows with its number m of pairs with core words: m^2 N
 * for the matrix of fewer pairs than dimensions, otherwise m N^2, which small integers make four
 * times as fast; and N^2 for changing the basis. Most pairs are in the counts in one direction
 * only, so m is about twice the number of entries of the word's row. */
static uint64_t cost_of_word(const training *t, uint32_t word)
{
    uint64_t dim = t->dim, entries = t->counts->rows.end[word] - t->counts->rows.begin[word];
    uint64_t m = 2 * entries < t->core ? 2 * entries : t->core;
    return dim * dim + (m < dim ? m * m * (dim + m / 3) : dim * dim * (dim + m / 4));
}

/* Divides a block of words outside the core among the members; edges: members + 1, of the words from
 * `first` on. cost: workspace, `count`. */
static void share_block(const training *t, uint32_t first, uint32_t count, uint64_t *cost,
                        uint32_t *edges)
{
    for (uint32_t k = 0; k < count; k++)
        cost[k] = cost_of_word(t, first + k);
    pv_share_by_cost(t->ctx, count, cost, edges);
}

static uint32_t block_length(const training *t, uint32_t first)
{
    uint32_t left = t->words - first;
    return left < words_a_block ? left : words_a_block;
}

/* Workspace for a block of words outside the core: words_a_block each, and members + 1 edges. */
typedef struct block_work {
    uint32_t *words, *edges;
    double *mu;
    uint64_t *cost;
} block_work;

static psdvec_status solve_block(training *t, pv_regression *regression, pv_progress *progress,
                                 uint32_t first, uint32_t count, const block_work *work)
{
    uint32_t *words = work->words;
    double *mu = work->mu;
    char name[32];
    snprintf(name, sizeof name, "block-%06u", (first - t->core) / words_a_block + 1);
    bool found;
    PV_TRY(load_block(t, name, first, count, &found));
    if (found) {
        pv_progress_add(progress, count);
        return PSDVEC_OK;
    }
    const uint64_t *frequency = t->counts->frequency;
    for (uint32_t k = 0; k < count; k++) {
        words[k] = first + k;
        mu[k] = pv_noncore_mu(t->options, t->core, t->words, first + k,
                              (double)frequency[first + k],
                              (double)(frequency[t->core - 1] ? frequency[t->core - 1] : 1));
    }
    float *vectors = t->vectors + (size_t)first * t->dim, *spread = t->spread + first;
    share_block(t, first, count, work->cost, work->edges);
    uint32_t begin = work->edges[pv_group_rank(t->ctx)];
    uint32_t end = work->edges[pv_group_rank(t->ctx) + 1];
    PV_TRY(pv_regression_solve(regression, words + begin, end - begin, mu + begin,
                               vectors + begin * t->dim, spread + begin));
    PV_TRY(pv_group_meet(t->ctx, 0, NULL));
    PV_TRY(pv_share_complete(t->ctx, work->edges, t->dim, vectors));
    PV_TRY(pv_share_complete(t->ctx, work->edges, 1, spread));
    pv_progress_add(progress, count - (end - begin)); /* those of other members */
    const pv_tensor tensors[] = {pv_tensor_of("vectors", PV_DTYPE_F32, count, t->dim, vectors),
                                 pv_tensor_of("spread", PV_DTYPE_F32, count, 0, spread)};
    return pv_partial_save(t->partial, name, tensors, 2);
}

static psdvec_status solve_others(training *t)
{
    if (t->core == t->words)
        return PSDVEC_OK;
    double began = pv_now();
    pv_regression *regression = NULL;
    pv_progress progress;
    pv_scope scope = {.ctx = t->ctx, .what = "the regression"};
    uint32_t *row_of;
    block_work work;
    psdvec_status status;
    PV_TAKE(&scope, row_of, t->words);
    PV_TAKE(&scope, work.words, words_a_block);
    PV_TAKE(&scope, work.mu, words_a_block);
    PV_TAKE(&scope, work.cost, words_a_block);
    PV_TAKE(&scope, work.edges, pv_group_members(t->ctx) + 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t w = 0; w < t->words; w++)
        row_of[w] = w < t->core ? w : UINT32_MAX;
    PV_TRY_DONE(
        pv_regression_open(t->link, t->vectors, t->core, t->dim, t->sign, row_of, &regression));
    pv_progress_begin(&progress, t->ctx, "regressing", "words", t->words - t->core);
    pv_regression_report_to(regression, &progress);
    for (uint32_t first = t->core, count; first < t->words; first += count) {
        count = block_length(t, first);
        PV_TRY_DONE(solve_block(t, regression, &progress, first, count, &work));
    }
    pv_progress_end(&progress);
    t->report.regression_seconds = pv_now() - began;
    pv_step(t->ctx, "%u words by regression on the core: %.0f words/s", t->words - t->core,
            (t->words - t->core) / (t->report.regression_seconds + 1e-9));
done:
    pv_regression_close(regression);
    pv_scope_free(&scope);
    return status;
}

/* ---- The read-out ---------------------------------------------------------------- */
static psdvec_status make_readout(training *t)
{
    double began = pv_now();
    if (!pv_readout_wanted(t->options))
        return PSDVEC_OK;
    /* A single NaN would spread to all words through the mean and the principal directions. */
    if (pv_group_leads(t->ctx))
        PV_TRY(pv_model_check_finite(t->ctx, t->output, t->vectors, t->words, (uint32_t)t->dim,
                                     (uint32_t)t->dim, t->counts->bytes, t->counts->offsets));
    PV_TRY(pv_readout_make(t->link, t->vectors, t->eigenvalues, (uint32_t)t->dim, t->shares.words,
                           &t->readout));
    t->report.readout_seconds = pv_now() - began;
    pv_step(t->ctx, "read-out of %u words: %.1f s", t->words, t->report.readout_seconds);
    return PSDVEC_OK;
}

/* ---- The file ------------------------------------------------------------------------ */
static psdvec_status write_model(training *t)
{
    psdvec_status status;
    pv_buffer settings = {.ctx = t->ctx}, provenance = settings, joint = settings, fit = settings;
    PV_TRY_DONE(pv_settings_write(t->ctx, t->options, &t->link->constants, &settings));
    PV_TRY_DONE(pv_buffer_byte(&settings, 0));
    PV_TRY_DONE(pv_counts_provenance(t->ctx, t->counts, NULL, 0, &provenance));
    PV_TRY_DONE(pv_joint_write(&t->report.joint, &joint));
    pv_model_data data = {.words = t->words,
                          .dim = (uint32_t)t->dim,
                          .core_words = t->core,
                          .bytes = t->counts->bytes,
                          .offsets = t->counts->offsets,
                          .forms = t->forms.bytes.data,
                          .form_offsets = t->forms.offsets,
                          .vectors = t->vectors,
                          .counts = t->counts->frequency,
                          .unigram = t->link->unigram,
                          .spread = t->spread,
                          .eigenvalues = t->eigenvalues,
                          .iterations = t->iterations,
                          .iteration_count = t->iteration_count,
                          .method = psdvec_method_name(PSDVEC_METHOD_PSD),
                          .settings_json = settings.data,
                          .counts_json = provenance.data,
                          .joint_json = joint.data,
                          .readout = t->readout.vectors,
                          .readout_mean = t->readout.mean,
                          .readout_map = t->readout.map,
                          .spelling = t->readout.spelling ? pv_spelling_get(t->readout.spelling)
                                                          : NULL,
                          .phrases = t->counts->phrases};
    PV_TRY_DONE(t->fit(t->ctx, &data, t->output, t->counts, &fit));
    data.fit_json = fit.data;
    status = pv_model_write(t->ctx, &data, t->output);
done:
    pv_buffer_free(&settings);
    pv_buffer_free(&provenance);
    pv_buffer_free(&joint);
    pv_buffer_free(&fit);
    return status;
}

/* ---- Members of a group ----------------------------------------------------------------- */

/* The cost of a row of the core: about the time of the sparse products, which is that of its pairs,
 * and of the dense algebra, which grows with the dimensions. Where a row has a pair in most columns,
 * it is stored as a dense matrix, whose products are faster. */
static uint64_t cost_of_row(uint64_t pairs, uint64_t columns, uint64_t dim)
{
    uint64_t dense = columns / 4;
    return dim + (pairs < dense ? pairs : dense + (pairs - dense) / 4);
}

static psdvec_status divide_rows(training *t)
{
    if (!pv_group_shares(t->ctx))
        return PSDVEC_OK;
    const pv_csr *rows = &t->counts->rows;
    psdvec_status status;
    uint64_t *cost = pv_alloc(t->ctx, t->words, sizeof *cost, "the division of rows");
    if (!cost)
        return pv_failure(t->ctx);
    /* Of word order, which is nearly all of the read-out: a sparse product with all pairs, and dense
     * algebra, whose cost per word is about that of N / 8 entries. */
    for (uint32_t i = 0; i < t->words; i++)
        cost[i] = 1 + t->dim / 8 + rows->end[i] - rows->begin[i];
    PV_TRY_DONE(pv_division_make(t->ctx, t->words, cost, &t->shares.words));
    for (uint32_t i = 0; i < t->core; i++)
        cost[i] = cost_of_row(rows->end[i] - rows->begin[i], t->core, t->dim);
    PV_TRY_DONE(pv_division_make(t->ctx, t->core, cost, &t->shares.core));
    t->division = t->shares.core;
done:
    pv_free(t->ctx, cost);
    return status;
}

/* Memory for the vectors: of all words, or in a group of the core's rows that are here. */
static psdvec_status take_memory(training *t)
{
    if (t->core < t->words)
        PV_TAKE_ZERO(&t->memory, t->spread, t->words);
    if (t->division)
        PV_TAKE_ZERO(&t->memory, t->part, pv_rows_own(t->division, t->core) * t->dim);
    else
        t->part = PV_TAKE_ZERO(&t->memory, t->vectors, (size_t)t->words * t->dim);
    PV_TAKE_ZERO(&t->memory, t->eigenvalues, t->dim);
    PV_TAKE_ZERO(&t->memory, t->sign, t->dim);
    PV_TAKE_ZERO(&t->memory, t->iterations, t->options->iterations);
    return pv_scope_status(&t->memory);
}

/* The members give the leader the vectors of the core, and each other all of them if they need them
 * for other words or the pairs of the joint probability. For word order, a member gets those of its
 * words. */
static psdvec_status collect_vectors(training *t)
{
    const pv_division *d = t->division;
    if (!d)
        return PSDVEC_OK;
    t->complete = t->core < t->words || t->joined < t->words;
    t->together = t->complete || t->options->order > 0;
    size_t rows = t->complete || pv_group_leads(t->ctx) ? t->words
                  : t->together                         ? pv_rows_own(t->shares.words, t->words)
                                                        : 0;
    PV_TAKE_ZERO(&t->memory, t->vectors, rows * t->dim);
    PV_TRY(pv_scope_status(&t->memory));
    if (t->complete) {
        pv_tiles mine = d->share[d->rank];
        memcpy(t->vectors + mine.first * t->dim, t->part,
               (mine.end - mine.first) * t->dim * sizeof *t->part);
        PV_TRY(pv_division_complete(d, t->vectors, t->dim * sizeof *t->vectors));
    } else if (t->together) /* the core is all words */
        PV_TRY(
            pv_division_change(d, t->part, t->shares.words, t->vectors, t->dim * sizeof *t->part));
    else
        PV_TRY(pv_division_collect(d, t->part, t->vectors, t->dim * sizeof *t->part));
    pv_scope_drop(&t->memory, t->part);
    t->part = NULL;
    return PSDVEC_OK;
}

/* ---- Columns in a file ------------------------------------------------------------------ */
static void select_share(const training *t, const pv_division *division)
{
    pv_tiles own = division->share[division->rank];
    pv_transposed_select(t->counts->columns, (uint32_t)own.first, (uint32_t)own.end);
}

/* The columns of the words outside the core that this member solves. */
static psdvec_status select_others(const training *t)
{
    pv_scope scope = {.ctx = t->ctx, .what = "the columns of the counts"};
    uint32_t rank = pv_group_rank(t->ctx), *edges;
    uint64_t *cost;
    PV_TAKE(&scope, cost, words_a_block);
    PV_TAKE(&scope, edges, pv_group_members(t->ctx) + 1);
    psdvec_status status = pv_scope_status(&scope);
    for (uint32_t first = t->core, count; status == PSDVEC_OK && first < t->words; first += count) {
        count = block_length(t, first);
        share_block(t, first, count, cost, edges);
        pv_transposed_select(t->counts->columns, first + edges[rank], first + edges[rank + 1]);
    }
    pv_scope_free(&scope);
    return status;
}

/* Selects the columns that the passes of this process over both directions of pairs read: for the
 * pairs of the core, the regression of other words, the joint probability and word order. A member
 * of a group reads those of its words only. */
static psdvec_status select_columns(const training *t)
{
    pv_transposed *columns = t->counts->columns;
    if (!t->division) {
        pv_transposed_select(columns, 0, t->words);
        return PSDVEC_OK;
    }
    select_share(t, t->shares.core);
    PV_TRY(select_others(t));
    if (pv_plan_walks_pairs(t->options, t->core < t->words)) {
        uint32_t edges[PV_SEEN_BLOCKS + 1];
        PV_TRY(pv_seen_edges(t->ctx, t->counts, edges));
        for (uint32_t b = pv_group_rank(t->ctx); b < PV_SEEN_BLOCKS; b += pv_group_members(t->ctx))
            pv_transposed_select(columns, edges[b], edges[b + 1]);
    }
    if (t->options->order > 0)
        select_share(t, t->shares.words);
    return PSDVEC_OK;
}

/* If the counts do not fit beside everything else, puts their columns into a file. */
static psdvec_status transpose_counts(training *t)
{
    if (!t->counts->columns)
        return PSDVEC_OK;
    char *folder = pv_folder_of(t->output);
    if (!folder)
        return pv_fail(t->ctx, PSDVEC_ERR_MEMORY, "no memory for a path");
    psdvec_status status = pv_counts_transpose(t->counts, folder);
    free(folder);
    PV_TRY(status);
    uint64_t bytes = pv_transposed_file_bytes(pv_transposed_entries(t->counts->columns));
    t->report.spilled_bytes = bytes;
    pv_step(t->ctx,
            "the counts do not fit into the memory limit, so their columns are in a temporary file "
            "of %.0f MB",
            (double)bytes / 1e6);
    return PSDVEC_OK;
}

/* ---- The complete run ------------------------------------------------------------------ */
/* Checks that memory and disk space suffice, before any work. */
static psdvec_status check_plan(training *t)
{
    psdvec_train_plan plan;
    pv_plan_fill(t->ctx, t->options, t->counts, 0, shares_of(t), &plan);
    PV_TRY(pv_plan_check(t->ctx, t->options, t->counts, shares_of(t), &plan));
    uint64_t bytes = plan.output_bytes;
    if (pv_plan_transposes(t->ctx, t->options, t->counts, shares_of(t))) {
        PV_TRY(pv_counts_measure_columns(t->ctx, t->counts));
        PV_TRY(select_columns(t));
        if (!t->ctx->tempdir)
            bytes += pv_transposed_file_bytes(pv_transposed_entries(t->counts->columns));
    }
    if (!pv_group_leads(t->ctx))
        return PSDVEC_OK;
    pv_output *output;
    PV_TRY(pv_output_open(t->ctx, t->output, &output));
    psdvec_status status = pv_output_expect(output, bytes);
    pv_output_discard(output);
    return status;
}

/* The core is the first words; a word list (--vocab) may have any order. */
static void warn_of_order(const training *t)
{
    const uint64_t *frequency = t->counts->frequency;
    uint64_t rarest = UINT64_MAX;
    uint32_t missed = 0;
    for (uint32_t i = 0; i < t->core; i++)
        if (frequency[i] < rarest)
            rarest = frequency[i];
    for (uint32_t i = t->core; i < t->words; i++)
        missed += frequency[i] > rarest;
    if (missed)
        pv_warn(t->ctx,
                "the core is the first %u words of the list, but %u of the words after it are more "
                "frequent than the rarest core word; a list sorted by decreasing frequency gives "
                "better vectors",
                t->core, missed);
}

static psdvec_status run_training(training *t)
{
    psdvec_context *ctx = t->ctx;
    t->words = t->counts->info.words;
    t->core = pv_core_words(t->options, t->counts);
    t->dim = t->options->dim < t->core ? t->options->dim : t->core;
    PV_TRY(divide_rows(t));
    PV_TRY(check_plan(t));
    warn_of_order(t);
    PV_TRY(transpose_counts(t));
    PV_TRY(pv_link_open(ctx, t->counts, t->options, NULL, &t->link));
    PV_TRY(take_memory(t));
    PV_TRY(solve_core(t));
    PV_TRY(collect_vectors(t));
    PV_TRY(solve_others(t));
    if (t->together || pv_group_leads(ctx))
        PV_TRY(add_joint(t, NULL));
    PV_TRY(make_readout(t));
    if (pv_group_leads(ctx))
        PV_TRY(write_model(t));
    t->report.words = t->words;
    t->report.core_words = t->core;
    t->report.dim = (uint32_t)t->dim;
    t->report.iterations = t->iteration_count;
    return PSDVEC_OK;
}

static psdvec_status train_counts(training *t, const char *counts, psdvec_train_report *report)
{
    double began = pv_now();
    psdvec_status status;
    PV_TRY_DONE(pv_counts_open_sound(t->ctx, counts, &t->counts));
    if (t->text && pv_group_leads(t->ctx))
        PV_TRY_DONE(
            pv_forms_make(t->ctx, t->text, t->inputs, t->input_count, t->counts, &t->forms));
    status = run_training(t);
done:
    pv_scope_free(&t->memory);
    pv_division_free(t->shares.core);
    pv_division_free(t->shares.words);
    pv_forms_free(&t->forms);
    pv_readout_free(&t->readout);
    pv_link_close(t->link);
    psdvec_counts_close(t->counts);
    t->report.seconds = pv_now() - began;
    if (report)
        *report = t->report;
    return status;
}

/* Options that the saved states depend on. The read-out is computed from them at the end, so a run
 * whose read-out does not fit the memory can be resumed with a simpler one. */
static psdvec_status key_of_options(psdvec_context *ctx, const psdvec_train_options *options,
                                    pv_buffer *key)
{
    psdvec_train_options solving = *options;
    solving.centre = false;
    solving.order = solving.spelling = solving.inflections = 0;
    solving.readout_power = 0.5;
    return pv_settings_write(ctx, &solving, NULL, key);
}

psdvec_status pv_train_run(psdvec_context *ctx, const psdvec_train_options *options,
                           const psdvec_count_options *counting, const char *const *inputs,
                           size_t input_count, const char *output, pv_fit_fn *fit,
                           psdvec_count_report *count_report, psdvec_train_report *report)
{
    training t = {.ctx = ctx,
                  .options = options,
                  .output = output,
                  .fit = fit,
                  .memory = {.ctx = ctx, .what = "the vectors"}};
    pv_buffer key = {.ctx = ctx}; /* identifies this run */
    char *counted = NULL;
    bool again = true;
    psdvec_status status;
    PV_TRY_DONE(pv_refuse_same_file(ctx, inputs, input_count, output));
    if (pv_group_leads(ctx))
        PV_TRY_DONE(pv_output_try(ctx, output));
    PV_TRY_DONE(pv_blas_ready(ctx)); /* before hours of counting */
    PV_TRY_DONE(key_of_options(ctx, options, &key));
    PV_TRY_DONE(pv_key_add_seed(&key));
    if (counting)
        PV_TRY_DONE(pv_key_add_text(&key, counting, inputs, input_count, output, &again));
    else
        PV_TRY_DONE(pv_key_add_counts(&key, inputs[0]));
    PV_TRY_DONE(pv_buffer_byte(&key, 0));
    PV_TRY_DONE(pv_group_compare(ctx, XXH3_64bits(key.data, key.length), "the options or inputs"));
    PV_TRY_DONE(pv_partial_open(ctx, output, key.data, options->restart || !again, &t.partial));
    if (counting)
        PV_TRY_DONE(pv_count_for_training(t.partial, ctx, counting, inputs, input_count, &counted,
                                          count_report));
    if (counting && again) {
        t.text = &counting->text;
        t.inputs = inputs;
        t.input_count = input_count;
    }
    status = train_counts(&t, counting ? counted : inputs[0], report);
done:
    pv_partial_close(t.partial, pv_is_settled(status));
    free(counted);
    pv_buffer_free(&key);
    return status;
}
