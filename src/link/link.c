/* Margins, constants, and one pair. */
#include "link/link.h"

#include "base/thread.h"
#include "base/trim.h"
#include "link/weights.h"

#include <math.h>
#include <string.h>

/* ---- Margins ----------------------------------------------------------------
 * Without subsampling they are integers stored in the file. With it each count has two factors;
 * rows are then summed in row order, columns in groups of rows, whose sums are added in order. */
enum { groups = 32 };

typedef struct margin_job {
    pv_link *link;
    double *partial; /* groups x words */
    uint32_t edges[groups + 1];
} margin_job;

static psdvec_status sum_group(void *arg, size_t task, int worker)
{
    margin_job *job = arg;
    pv_link *link = job->link;
    (void)worker;
    double *focus = job->partial + task * link->words;
    for (uint32_t i = job->edges[task]; i < job->edges[task + 1]; i++) {
        psdvec_row row;
        psdvec_counts_row(link->counts, i, &row);
        double sum = 0, factor = link->unit * link->retention[i];
        for (size_t k = 0; k < row.length; k++) {
            double x = (double)psdvec_row_value(&row, k) * factor * link->retention[row.focus[k]];
            sum += x;
            focus[row.focus[k]] += x;
        }
        link->context[i] = sum;
        pv_trim(link->ctx);
    }
    return pv_trim_and_check(link->ctx);
}

static psdvec_status weighted_margins(pv_link *link)
{
    margin_job job = {.link = link};
    pv_divide_rows(link->counts->rows.begin, link->words, 0, groups, job.edges);
    job.partial = pv_alloc_zero(link->ctx, (size_t)groups * link->words, sizeof *job.partial,
                                "the words' margins");
    if (!job.partial)
        return pv_failure(link->ctx);
    psdvec_status status = pv_parallel_tasks(link->ctx, groups, sum_group, &job);
    for (uint32_t j = 0; j < link->words && status == PSDVEC_OK; j++) {
        double sum = 0;
        for (size_t s = 0; s < groups; s++)
            sum += job.partial[s * link->words + j];
        link->focus[j] = sum;
    }
    pv_free(link->ctx, job.partial);
    return status;
}

psdvec_status pv_link_no_pairs(const pv_link *link)
{
    bool all = link->core == link->words;
    return pv_fail(
        link->ctx, PSDVEC_ERR_EMPTY,
        "no two different words%s co-occur, so there is nothing to train on; use %smore text, "
        "longer documents or a lower `min_count`",
        all ? "" : " of the core", all ? "" : "a larger `core`, ");
}

static psdvec_status take_margins(pv_link *link, const pv_link_past *past)
{
    const psdvec_counts *counts = link->counts;
    if (counts->retention) {
        for (uint32_t i = 0; i < link->words; i++)
            link->retention[i] = counts->retention[i];
        PV_TRY(weighted_margins(link));
    } else
        for (uint32_t i = 0; i < link->words; i++) {
            link->context[i] = (double)counts->context_total[i] * link->unit;
            link->focus[i] = (double)counts->focus_total[i] * link->unit;
        }
    link->total = 0;
    for (uint32_t i = 0; i < link->words; i++)
        link->total += link->focus[i];
    if (!(link->total > 0))
        return pv_link_no_pairs(link);
    if (past && past->focus) {
        for (uint32_t i = 0; i < link->words; i++) {
            link->context[i] += past->focus[i];
            link->focus[i] += past->focus[i];
        }
        link->total += past->constants.total;
    }
    link->margin_total = 2 * link->total;
    if (!past)
        link->constants.total = link->total;
    for (uint32_t i = 0; i < link->words; i++)
        link->unigram[i] = link->focus[i] / link->total;
    return PSDVEC_OK;
}

/* ---- Where the weight function is cut off at 1, C_cut of f in section 3.1.2 -------------------
 * Finds the k-th largest value of a measure over all seen pairs of core words, by radix selection
 * in two passes over the pairs. The bits of positive floats, read as integers, have the same order
 * as the floats. The first pass counts the values by their upper 16 bits, the second counts those
 * with the same upper bits as the k-th by their lower 16 bits. Counts are integers, so the result
 * does not depend on how the rows are divided. */
enum { buckets = 65536, rows_a_task = 256 };

typedef struct cutoff_job {
    const pv_link *link;
    pv_measure_fn *measure;
    uint64_t *counts; /* workers x buckets */
    bool second;
    uint32_t prefix;
} cutoff_job;

static psdvec_status count_rows(void *arg, size_t task, int worker)
{
    cutoff_job *job = arg;
    const pv_link *link = job->link;
    uint64_t *counts = job->counts + (size_t)worker * buckets;
    uint32_t first = (uint32_t)task * rows_a_task;
    uint32_t end = link->core - first < rows_a_task ? link->core : first + rows_a_task;
    for (uint32_t i = first; i < end; i++) {
        psdvec_row row;
        psdvec_counts_row(link->counts, i, &row);
        for (size_t k = 0; k < row.length && row.focus[k] < link->core; k++) {
            uint32_t j = row.focus[k];
            if (i == j)
                continue;
            float number = (float)job->measure(
                link, i, j, pv_link_count(link, i, j, psdvec_row_value(&row, k)));
            uint32_t bits;
            memcpy(&bits, &number, sizeof bits);
            if (!job->second)
                counts[bits >> 16]++;
            else if (bits >> 16 == job->prefix)
                counts[bits & 0xffff]++;
        }
        pv_trim(link->ctx);
    }
    return pv_trim_and_check(link->ctx);
}

/* Counts, and finds the bucket that contains the *rank-th largest (the last one that is not empty
 * if there are fewer); *rank becomes its rank within the bucket. */
static psdvec_status count_and_find(cutoff_job *job, uint64_t *rank, uint32_t *bucket)
{
    psdvec_context *ctx = job->link->ctx;
    size_t workers = (size_t)psdvec_threads(ctx);
    memset(job->counts, 0, workers * buckets * sizeof *job->counts);
    size_t tasks = ((size_t)job->link->core + rows_a_task - 1) / rows_a_task;
    PV_TRY(pv_parallel_tasks(ctx, tasks, count_rows, job));
    uint64_t seen = 0;
    *bucket = 0;
    for (uint32_t b = buckets; b-- > 0;) {
        uint64_t here = 0;
        for (size_t w = 0; w < workers; w++)
            here += job->counts[w * buckets + b];
        if (here == 0)
            continue;
        *bucket = b;
        if (seen + here >= *rank)
            break;
        seen += here;
    }
    *rank = *rank > seen ? *rank - seen : 1;
    return PSDVEC_OK;
}

/* C, the square root of the k-th largest measure, k = cut * core * core. */
static psdvec_status find_cut(const pv_link *link, pv_measure_fn *measure, double *cut)
{
    psdvec_context *ctx = link->ctx;
    cutoff_job job = {.link = link, .measure = measure};
    job.counts = pv_alloc(ctx, (size_t)psdvec_threads(ctx) * buckets, sizeof *job.counts,
                          "the cut-off of the weights");
    if (!job.counts)
        return pv_failure(ctx);
    double share = ceil(link->options.cut * (double)link->core * (double)link->core);
    uint64_t rank = share < 1 ? 1 : (uint64_t)share;
    uint32_t high = 0, low = 0;
    psdvec_status status;
    PV_TRY_DONE(count_and_find(&job, &rank, &high));
    job.second = true;
    job.prefix = high;
    PV_TRY_DONE(count_and_find(&job, &rank, &low));
    uint32_t bits = high << 16 | low;
    float number;
    memcpy(&number, &bits, sizeof number);
    if (!(number > 0) || !isfinite(number))
        PV_TRY_DONE(pv_link_no_pairs(link));
    *cut = sqrt((double)number);
done:
    pv_free(ctx, job.counts);
    return status;
}

/* ---- Constants ---------------------------------------------------------------- */
static double margin(const pv_link *link, uint32_t i)
{
    return link->context[i] + link->focus[i];
}

static void set_shifts(pv_link *link, double absent)
{
    double power = link->options.context_power, sum = absent;
    for (uint32_t i = 0; i < link->words; i++)
        if (margin(link, i) > 0)
            sum += pow(margin(link, i), power);
    double half_log_sum = 0.5 * log(sum);
    for (uint32_t i = 0; i < link->words; i++) {
        double r = margin(link, i);
        link->shift[i] = r > 0 ? 0.5 * (1 + power) * log(r) - half_log_sum : 0;
    }
}

static void set_factors(pv_link *link, bool fixed)
{
    double power = link->options.factor_power, sum = 0;
    for (uint32_t i = 0; i < link->words; i++)
        link->factor[i] = margin(link, i) > 0 ? pow(margin(link, i), power) : 0;
    for (uint32_t i = 0; i < link->core; i++)
        sum += link->factor[i];
    if (!fixed)
        link->constants.factor_mean = sum / link->core;
    for (uint32_t i = 0; i < link->words; i++)
        link->factor[i] /= link->constants.factor_mean;
}

/* The share of the background that a word has: rare words have too few pairs to conclude anything
 * from those that are missing. */
static double evidence(const pv_link *link, uint32_t i)
{
    const psdvec_train_options *options = &link->options;
    if (margin(link, i) >= options->rho_pairs)
        return 1;
    return pow(margin(link, i) / options->rho_pairs, options->factor_power);
}

static psdvec_status set_rules(pv_link *link, const pv_link_past *past)
{
    const psdvec_train_options *options = &link->options;
    const pv_weight_rule *rule = &pv_weight_rules[options->weights];
    link->weight = rule->weight;
    link->factored = rule->factored;
    link->unseen_target = log(options->kappa);
    link->target = pv_target_rules[options->target].target;
    link->directed = pv_target_rules[options->target].directed;
    if (!link->directed)
        set_shifts(link, past ? past->absent : 0);
    if (rule->factored)
        set_factors(link, past != NULL);
    if (rule->measure && !past)
        PV_TRY(find_cut(link, rule->measure, &link->constants.cut));
    if (rule->weighs_unseen) {
        /* sqrt(kappa u_i u_j) / C */
        for (uint32_t i = 0; i < link->words; i++)
            link->background_factor[i] = sqrt(link->unigram[i]);
        link->background = sqrt(options->kappa) / link->constants.cut;
        link->background_target = link->unseen_target;
        link->background_only_unseen = true;
    } else if (rule->factored) {
        link->background = options->rho;
        link->background_target = options->rho_target;
        for (uint32_t i = 0; i < link->words; i++)
            link->background_factor[i] = link->factor[i] * evidence(link, i);
    }
    return PSDVEC_OK;
}

bool pv_background_has_ratio(const psdvec_train_options *options)
{
    return pv_weight_rules[options->weights].weighs_unseen ||
           (options->rho > 0 && options->rho_pairs > 0);
}

enum { ARRAYS = 7 };

/* Number of arrays of a link function; the last one is needed only with subsampling. */
static size_t arrays_of(const psdvec_counts *counts)
{
    return counts->retention ? ARRAYS : ARRAYS - 1;
}

uint64_t pv_link_bytes(const psdvec_counts *counts)
{
    return sizeof(pv_link) + arrays_of(counts) * counts->info.words * sizeof(double);
}

uint64_t pv_link_open_bytes(const psdvec_counts *counts, int threads)
{
    uint64_t margins = counts->retention ? (uint64_t)groups * counts->info.words : 0;
    return pv_larger(margins * sizeof(double), (uint64_t)threads * buckets * sizeof(uint64_t));
}

psdvec_status pv_link_open(psdvec_context *ctx, const psdvec_counts *counts,
                           const psdvec_train_options *options, const pv_link_past *past,
                           pv_link **out)
{
    pv_link *link = pv_alloc_zero(ctx, 1, sizeof *link, "the link function");
    *out = link;
    if (!link)
        return pv_failure(ctx);
    link->ctx = ctx;
    link->memory = (pv_scope){.ctx = ctx, .what = "the words' margins"};
    link->counts = counts;
    link->options = *options;
    link->words = counts->info.words;
    link->core = options->core == 0 || options->core > link->words ? link->words : options->core;
    link->unit = 1.0 / (double)counts->info.scale;
    if (past)
        link->constants = past->constants;
    double **arrays[ARRAYS] = {&link->context, &link->focus,     &link->unigram,
                               &link->factor,  &link->background_factor,
                               &link->shift,   &link->retention};
    for (size_t a = 0; a < arrays_of(counts); a++)
        PV_TAKE_ZERO(&link->memory, *arrays[a], link->words);
    PV_TRY(pv_scope_status(&link->memory));
    PV_TRY(take_margins(link, past));
    return set_rules(link, past);
}

void pv_link_close(pv_link *link)
{
    if (!link)
        return;
    pv_scope_free(&link->memory);
    pv_free(link->ctx, link);
}

/* ---- One pair ------------------------------------------------------------------- */
static const double most_target = 1e4;

/* Combines both directions of a pair: S and T are f-bar / 2 and the weighted average G-bar of
 * section 5.3 for the blocks 12 and 21. The core needs them as well, because V'V is symmetric. */
pv_pair pv_link_pair(const pv_link *link, uint32_t i, uint32_t j, double xij, double xji)
{
    double sum = xij + xji;
    double gij = link->target(link, i, j, xij, sum);
    double gji = !link->directed ? gij : link->target(link, j, i, xji, sum);
    double fij = link->weight(link, i, j, xij, sum);
    double fji = link->factored ? fij : link->weight(link, j, i, xji, sum);
    double S = 0.5 * (fij + fji), ST = 0.5 * (fij * gij + fji * gji);
    double b = link->background_only_unseen ? pv_link_background(link, i, j) : 0;
    pv_pair pair = {.weight = S - b, .start = 0.5 * (gij + gji)};
    double wg = ST - b * link->background_target;
    /* A capped weight and the background weight may nearly cancel while their weighted targets do
     * not. Limit the target so that a product can be subtracted from it in single precision. */
    if (fabs(wg) > most_target * fabs(pair.weight))
        pair.weight = copysign(fabs(wg) / most_target, pair.weight);
    pair.target = pair.weight != 0 ? wg / pair.weight : link->background_target;
    pair.constant = 0.5 * (fij * gij * gij + fji * gji * gji) -
                    pair.weight * pair.target * pair.target -
                    b * link->background_target * link->background_target;
    return pair;
}

double pv_link_diagonal(const pv_link *link, uint32_t i)
{
    if (!link->directed)
        return 0;
    double x = pv_link_count(link, i, i, psdvec_counts_get(link->counts, i, i));
    return link->target(link, i, i, x, 2 * x);
}
