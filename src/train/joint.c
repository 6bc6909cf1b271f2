/* The joint probability, eq. 9 and eq. 10: the contributions of seen pairs, words and unseen pairs,
 * and the total for a model. */
#include "train/joint.h"

#include "base/arguments.h"
#include "base/group.h"
#include "base/thread.h"
#include "base/trim.h"
#include "model/model_read.h"
#include "solve/tall.h"
#include "train/model_link.h"
#include "train/train.h"

#include <math.h>

/* ---- Seen pairs, by a walk over them (seen_pairs.h) -------------------------------------- */

typedef struct joint_sums {
    double products, residuals, shifts, prior, log_weights;
    int64_t pairs, weighed, free; /* weighed: less those that the closed form counts in excess */
} joint_sums;

/* The sum of many logarithms. */
typedef struct log_sum {
    double product, sum;
} log_sum;

static void log_add(log_sum *s, double x)
{
    if (x < 1e-50 || x > 1e50) {
        s->sum += log(x);
        return;
    }
    s->product *= x;
    if (s->product < 1e-200 || s->product > 1e200) {
        s->sum += log(s->product);
        s->product = 1;
    }
}

typedef struct pairs_job {
    const pv_seen_walk *of;
    const pv_core *core;
    joint_sums *rows; /* words of the model, or of the core */
    double *shift;    /* words of the counts: t; NULL: all are 0 */
} pairs_job;

/* ---- One pair --------------------------------------------------------------------------- */
static void add_weight(joint_sums *sums, log_sum *logs, double x, double f)
{
    if (f > 0) {
        sums->weighed++;
        log_add(logs, f);
    } else if (x > 0)
        sums->free++;
}

/* Different words, both directions; X is their product. */
static void add_pair(const pv_link *link, uint32_t i, uint32_t j, double xij, double xji, double X,
                     joint_sums *sums, log_sum *logs)
{
    double sum = xij + xji;
    double aij = link->target(link, i, j, xij, sum) - X;
    double aji = !link->directed ? aij : link->target(link, j, i, xji, sum) - X;
    double fij = link->weight(link, i, j, xij, sum);
    double fji = link->factored ? fij : link->weight(link, j, i, xji, sum);
    sums->products += sum * X;
    sums->residuals += xij * aij + xji * aji;
    sums->prior += fij * aij * aij + fji * aji * aji;
    sums->pairs += (xij > 0) + (xji > 0);
    add_weight(sums, logs, xij, fij);
    add_weight(sums, logs, xji, fji);
    if (!link->background_only_unseen)
        return;
    /* The closed form over all pairs includes this one as if it were unseen. */
    double b = pv_link_background(link, i, j), off = link->background_target - X;
    sums->prior -= 2 * b * off * off;
    if (b > 0) {
        sums->weighed -= 2;
        if (b < 1) {
            log_add(logs, 1 / b);
            log_add(logs, 1 / b);
        }
    }
}

/* The pair of a word with itself has weight 0. */
static void add_own(const pv_link *link, uint32_t i, double x, double X, joint_sums *sums)
{
    sums->products += x * X;
    sums->residuals += x * (link->target(link, i, i, x, 2 * x) - X);
    sums->pairs++;
    sums->free++;
}

/* v_i' J v_j in double precision. */
static double product_of(const pv_seen_walk *of, uint32_t i, uint32_t j)
{
    const float *a = of->vectors + (size_t)i * of->dim, *b = of->vectors + (size_t)j * of->dim;
    double sum = 0;
    for (size_t k = 0; k < of->dim; k++) {
        double term = (double)a[k] * b[k];
        sum += of->eigenvalues && of->eigenvalues[k] < 0 ? -term : term;
    }
    return sum;
}

static psdvec_status take_row(void *arg, const pv_seen_row *row, int worker)
{
    const pairs_job *job = arg;
    const pv_link *link = job->of->link;
    joint_sums sums = {0};
    log_sum logs = {1, 0};
    (void)worker;
    for (size_t k = 0; k < row->count; k++) {
        const pv_seen_pair *pair = &row->pairs[k];
        bool own = pair->word == row->word;
        double X = (double)pair->product;
        if (own)
            add_own(link, row->counted, pair->xij, X, &sums);
        else
            add_pair(link, row->counted, pair->counted, pair->xij, pair->xji, X, &sums, &logs);
        if (job->shift)
            sums.shifts += (pair->xij + (own ? 0 : pair->xji)) *
                           (job->shift[row->counted] + job->shift[pair->counted]);
    }
    sums.log_weights = logs.sum + log(logs.product);
    job->rows[row->word] = sums;
    return PSDVEC_OK;
}

/* ---- All pairs -------------------------------------------------------------------------- */
/* t_i = 1/2 log(2 tot pc_i / r_i) of the words of the counts, by which the target is too low or too
 * high. NULL if all are 0. */
static double *make_shifts(const pv_link *link, pv_scope *scope)
{
    double *shift;
    if (link->directed || link->options.context_power == 1 ||
        !PV_TAKE_ZERO(scope, shift, link->words))
        return NULL;
    for (uint32_t i = 0; i < link->words; i++) {
        double r = link->context[i] + link->focus[i];
        if (r > 0)
            shift[i] = 0.5 * log(link->margin_total) + link->shift[i] - log(r);
    }
    return shift;
}

/* Adds the rows in order. */
static void add_rows(const joint_sums *rows, uint32_t count, psdvec_joint *joint)
{
    double log_weights = 0;
    int64_t weighed = 0;
    for (uint32_t i = 0; i < count; i++) {
        const joint_sums *row = &rows[i];
        joint->products += row->products;
        joint->residuals += row->residuals;
        joint->shifts += row->shifts;
        joint->residual_prior -= row->prior;
        joint->pairs += (uint64_t)row->pairs;
        joint->free_residuals += (uint64_t)row->free;
        log_weights += row->log_weights;
        weighed += row->weighed;
    }
    joint->weighed += (uint64_t)weighed; /* may be negative until the closed form is added */
    joint->residual_normaliser += 0.5 * (log_weights - (double)weighed * log(M_PI));
}

/* ---- Pairs of core words ----------------------------------------------------------------- */
/* Used while Algorithm 1 has the pairs in memory: one pass over their arrays instead of a pass over
 * the counts and all products.
 *
 * The residual, w (g - X) / (s s'), is stored with w and g. With PMI targets and factored weights,
 * as in the default preset, both directions of a pair share w = f and g = G, and the sum of both
 * counts follows from the target: x + x' = exp(G + shift + shift').
 */

bool pv_joint_core_serves(const pv_core *core, size_t dim)
{
    const pv_link *link = core->link;
    return core->rank > 0 && core->rank <= dim && link->factored && !link->directed &&
           core->pairs->positive;
}

/* Pairs above the diagonal. */
static void take_pairs(const pairs_job *job, uint32_t row, joint_sums *sums)
{
    const pv_core *core = job->core;
    const pv_pairs *pairs = core->pairs;
    const double *off = core->link->shift, *shift = job->shift;
    const float *weight = pairs->weight + pairs->upper[row],
                *target = pairs->target + pairs->upper[row];
    log_sum logs = {1, 0};
    uint32_t i = pairs->first + row;
    uint64_t begin = pairs->middle[row];
    size_t count = (size_t)(pairs->matrix.begin[row + 1] - begin);
    for (size_t k = 0; k < count; k++) {
        uint32_t j = pairs->matrix.column[begin + k];
        double w = weight[k], g = target[k];
        double a = (double)pairs->matrix.value[begin + k] * core->root[i] * core->root[j] / w;
        double both = exp(g + off[i] + off[j]);
        sums->products += both * (g - a);
        sums->residuals += both * a;
        sums->prior += 2 * w * a * a;
        if (shift)
            sums->shifts += both * (shift[i] + shift[j]);
        sums->weighed += 2;
        log_add(&logs, w);
    }
    sums->log_weights = 2 * (logs.sum + log(logs.product));
}

static psdvec_status take_rows(void *arg, size_t task, int worker)
{
    const pairs_job *job = arg;
    const pv_core *core = job->core;
    const pv_link *link = core->link;
    (void)worker;
    for (uint32_t row = core->above_edges[task]; row < core->above_edges[task + 1]; row++) {
        uint32_t i = core->pairs->first + row;
        joint_sums sums = {0};
        take_pairs(job, row, &sums);
        sums.pairs = core->seen[i];
        if (core->own[i] > 0) {
            double x = pv_link_count(link, i, i, core->own[i]);
            add_own(link, i, x, product_of(job->of, row, row), &sums);
            sums.pairs--; /* it is included in the row */
            if (job->shift)
                sums.shifts += 2 * x * job->shift[i];
        }
        job->rows[i] = sums;
        pv_trim(link->ctx);
    }
    return pv_check_cancel(link->ctx);
}

/* ---- Either way -------------------------------------------------------------------------- */
/* How many rows a member has. */
static size_t rows_of(const uint32_t *edges, uint32_t member, uint32_t members)
{
    size_t count = 0;
    for (uint32_t b = member; b < PV_SEEN_BLOCKS; b += members)
        count += edges[b + 1] - edges[b];
    return count;
}

/* Copies the rows of a member from `rows` to `packed`, or back. */
static void pack_rows(const uint32_t *edges, uint32_t member, uint32_t members, bool back,
                      joint_sums *rows, joint_sums *packed)
{
    for (uint32_t b = member; b < PV_SEEN_BLOCKS; b += members) {
        size_t width = edges[b + 1] - edges[b];
        joint_sums *own = rows + edges[b];
        memcpy(back ? own : packed, back ? packed : own, width * sizeof *own);
        packed += width;
    }
}

/* The leader gets the rows of the other members. */
static psdvec_status collect_rows(psdvec_context *ctx, const uint32_t *edges, joint_sums *rows,
                                  pv_scope *scope)
{
    uint32_t members = pv_group_members(ctx), rank = pv_group_rank(ctx);
    size_t own = rows_of(edges, rank, members);
    joint_sums *packed;
    PV_TAKE(scope, packed, rank > 0 ? own : edges[PV_SEEN_BLOCKS] - own);
    PV_TRY(pv_scope_status(scope));
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    if (rank > 0) {
        pack_rows(edges, rank, members, false, rows, packed);
        pv_group_send(ctx, 0, packed, own * sizeof *packed);
        return pv_group_move(ctx);
    }
    joint_sums *at = packed;
    for (uint32_t r = 1; r < members; r++) {
        size_t count = rows_of(edges, r, members);
        pv_group_receive(ctx, r, at, count * sizeof *at);
        at += count;
    }
    PV_TRY(pv_group_move(ctx));
    at = packed;
    for (uint32_t r = 1; r < members; r++) {
        pack_rows(edges, r, members, true, rows, at);
        at += rows_of(edges, r, members);
    }
    return PSDVEC_OK;
}

psdvec_status pv_joint_pairs(const pv_seen_walk *of, const pv_core *core, psdvec_joint *joint)
{
    psdvec_context *ctx = of->link->ctx;
    pv_scope scope = {.ctx = ctx, .what = "the joint probability"};
    pairs_job job = {.of = of, .core = core, .shift = make_shifts(of->link, &scope)};
    uint32_t rows = core ? (uint32_t)core->n : of->words;
    psdvec_status status;
    PV_TAKE_ZERO(&scope, job.rows, rows);
    PV_TRY_DONE(pv_scope_status(&scope));
    if (core) {
        PV_TRY_DONE(pv_parallel_tasks(ctx, PV_CORE_TASKS, take_rows, &job));
        PV_TRY_DONE(pv_division_complete(core->pairs->division, job.rows, sizeof *job.rows));
    } else {
        pv_seen_walk walk = *of;
        walk.either = walk.above = true;
        walk.stage = "joint probability";
        uint32_t edges[PV_SEEN_BLOCKS + 1] = {0};
        if (pv_group_shares(ctx))
            walk.edges = edges;
        PV_TRY_DONE(pv_seen_pairs(&walk, take_row, &job));
        if (walk.edges)
            PV_TRY_DONE(collect_rows(ctx, edges, job.rows, &scope));
    }
    if (core || pv_group_leads(ctx))
        add_rows(job.rows, rows, joint);
done:
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_joint_core_bytes(uint64_t words)
{
    return words * (sizeof(joint_sums) + sizeof(double) + sizeof(uint32_t));
}

uint64_t pv_joint_pairs_bytes(uint64_t words, uint64_t bigrams, uint64_t dim, bool divided,
                              int threads)
{
    return pv_joint_core_bytes(words) + pv_larger(pv_seen_pairs_bytes(words, bigrams, dim, threads),
                                                  divided ? words * sizeof(joint_sums) : 0);
}

/* ---- Unigrams ----------------------------------------------------------------------- */
/* Unigram probabilities as in scoring documents: P as in training, or relative frequencies in the
 * text if frequent words were subsampled; a word that was never a focus word counts as half an
 * occurrence. */
static void add_unigrams(const pv_seen_walk *of, psdvec_joint *joint)
{
    const pv_link *link = of->link;
    const uint64_t *frequency = link->counts->frequency;
    double tokens = 0, sum = 0, logs = 0;
    for (uint32_t c = 0; c < link->words; c++)
        if (of->word[c] != PV_NO_WORD) {
            tokens += (double)frequency[c];
            joint->tokens += frequency[c];
        }
    if (!(tokens > 0))
        return;
    for (uint32_t c = 0; c < link->words; c++) {
        if (of->word[c] == PV_NO_WORD)
            continue;
        double p = link->retention ? (double)frequency[c] / tokens : link->unigram[c];
        if (!(p > 0))
            p = 0.5 / tokens;
        sum += p;
        logs += (double)frequency[c] * log(p);
    }
    joint->unigrams += logs - tokens * log(sum);
}

/* ---- Priors of vectors ------------------------------------------------------------------ */
static void add_vectors(const pv_seen_walk *of, psdvec_joint *joint)
{
    const pv_link *link = of->link;
    const uint64_t *frequency = link->counts->frequency;
    double last = (double)(frequency[link->core - 1] > 0 ? frequency[link->core - 1] : 1);
    for (uint32_t c = 0; c < link->words; c++) {
        if (of->word[c] == PV_NO_WORD)
            continue;
        joint->words++;
        double mu = c < link->core ? pv_core_prior(link, c)
                                   : pv_noncore_mu(&link->options, link->core, link->words, c,
                                                   (double)frequency[c], last);
        if (!(mu > 0)) {
            joint->free_words++;
            continue;
        }
        const float *v = of->vectors + (size_t)of->word[c] * of->dim;
        double square = 0;
        for (size_t k = 0; k < of->dim; k++)
            square += (double)v[k] * v[k];
        joint->vector_prior -= mu * square;
        joint->vector_normaliser += 0.5 * (double)of->dim * log(mu / M_PI);
    }
}

static bool leads_division(const pv_division *division)
{
    return !division || division->rank == 0;
}

/* ---- Unseen pairs, in closed form --------------------------------------------------------
 * With the weights background * z_i z_j of all pairs i != j, B = sum of z_i v_i v_i' and
 * b = sum of z_i v_i,
 *     sum z_i z_j (t - X_ij)^2 = t^2 (sum z)^2 - 2 t b' J b + trace(J B J B) - sum z_i^2 (t - X_ii)^2
 */
static psdvec_status background_sum(const pv_seen_walk *of, const pv_division *division,
                                    double *out)
{
    const pv_link *link = of->link;
    psdvec_context *ctx = link->ctx;
    size_t dim = of->dim;
    double all = 0, diagonal = 0, t = link->background_target, *B, *b;
    float *scaled, *z;
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the joint probability"};
    pv_tiles own = pv_tiles_own(division, of->words); /* rows of `scaled` and `z` */
    bool leads = leads_division(division);
    PV_TAKE_ZERO(&scope, scaled, (own.end - own.first) * dim);
    PV_TAKE_ZERO(&scope, z, own.end - own.first);
    PV_TAKE(&scope, B, dim * dim);
    PV_TAKE(&scope, b, dim);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t c = 0; c < link->words; c++) {
        uint32_t i = of->word[c];
        bool mine = i >= own.first && i < own.end;
        if (i == PV_NO_WORD || !(leads || mine))
            continue;
        uint32_t held = i - (uint32_t)own.first; /* the share of the leader begins with word 0 */
        double factor = link->background_factor[c], off = t - product_of(of, held, held);
        all += factor;
        diagonal += factor * factor * off * off;
        if (!mine)
            continue;
        z[held] = (float)factor;
        for (size_t k = 0; k < dim; k++)
            scaled[held * dim + k] = z[held] * of->vectors[held * dim + k];
    }
    pv_tall vectors = {of->vectors, dim, dim, division};
    pv_tall weighted = {scaled, dim, dim, division}, weights = {z, 1, 1, division};
    PV_TRY_DONE(pv_tall_gram(ctx, of->words, vectors, weighted, NULL, B));
    PV_TRY_DONE(pv_tall_gram(ctx, of->words, vectors, weights, NULL, b));
    double sum = t * t * all * all - diagonal;
    const float *signs = of->eigenvalues;
    for (size_t k = 0; k < dim; k++) {
        bool minus = signs && signs[k] < 0;
        sum -= 2 * t * (minus ? -1 : 1) * b[k] * b[k];
        for (size_t l = 0; l < dim; l++)
            sum += (minus == (signs && signs[l] < 0) ? 1 : -1) * B[k * dim + l] * B[l * dim + k];
    }
    *out = link->background * sum;
done:
    pv_scope_free(&scope);
    return status;
}

/* Corrects for pairs whose weight exceeds 1 in the closed form, where the rule caps it: those of
 * the few most frequent words. */
static void add_capped(const pv_seen_walk *of, double *prior, double *logs)
{
    const pv_link *link = of->link;
    double largest = 0;
    for (uint32_t c = 0; c < link->words; c++)
        if (of->word[c] != PV_NO_WORD)
            largest = fmax(largest, link->background_factor[c]);
    for (uint32_t i = 0; i < link->words; i++) {
        if (of->word[i] == PV_NO_WORD ||
            link->background * link->background_factor[i] * largest <= 1)
            continue;
        for (uint32_t j = i + 1; j < link->words; j++) {
            double b = pv_link_background(link, i, j);
            if (of->word[j] == PV_NO_WORD || b <= 1)
                continue;
            *logs -= 2 * log(b);
            if (psdvec_counts_get(link->counts, i, j) || psdvec_counts_get(link->counts, j, i))
                continue;
            double off = link->background_target - product_of(of, of->word[i], of->word[j]);
            *prior += 2 * (1 - b) * off * off;
        }
    }
}

static psdvec_status add_unseen(const pv_seen_walk *of, const pv_division *division,
                                psdvec_joint *joint)
{
    const pv_link *link = of->link;
    double prior, logs = 0, sum = 0, words = 0;
    if (!(link->background > 0))
        return PSDVEC_OK;
    PV_TRY(background_sum(of, division, &prior));
    if (!leads_division(division))
        return PSDVEC_OK;
    if (!link->background_only_unseen) {
        joint->background -= prior;
        return PSDVEC_OK;
    }
    for (uint32_t c = 0; c < link->words; c++)
        if (of->word[c] != PV_NO_WORD && link->background_factor[c] > 0) {
            sum += 0.5 * log(link->background) + log(link->background_factor[c]);
            words++;
        }
    if (words > 0)
        logs = 2 * (words - 1) * sum;
    add_capped(of, &prior, &logs);
    joint->residual_prior -= prior;
    joint->residual_normaliser += 0.5 * (logs - words * (words - 1) * log(M_PI));
    joint->weighed += (uint64_t)(words * (words - 1));
    return PSDVEC_OK;
}

psdvec_status pv_joint_words(const pv_seen_walk *of, const pv_division *division,
                             psdvec_joint *joint)
{
    if (leads_division(division)) {
        add_unigrams(of, joint);
        add_vectors(of, joint);
    }
    return add_unseen(of, division, joint);
}

uint64_t pv_joint_words_bytes(uint64_t words, const pv_division *division, uint64_t dim)
{
    return pv_rows_own(division, words) * (dim + 1) * sizeof(float) +
           (dim + 1) * dim * sizeof(double) + pv_tall_gram_bytes(words, division, dim, dim);
}

/* ---- The joint probability of a model -------------------------------------------------- */
psdvec_status psdvec_joint_compute(psdvec_context *ctx, const psdvec_model *model,
                                   const psdvec_counts *counts, psdvec_joint *joint)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, joint);
    *joint = (psdvec_joint){0};
    PV_NEED(ctx, model);
    PV_NEED(ctx, counts);
    pv_model_link opened;
    psdvec_status status;
    PV_TRY_DONE(pv_model_link_open(ctx, model, counts, true, &opened));
    const float *vectors;
    PV_TRY_DONE(pv_model_floats(ctx, model, &model->vectors, &vectors));
    pv_seen_walk of = {.link = opened.link,
                       .word = opened.word,
                       .words = model->info.words,
                       .dim = model->info.dim,
                       .vectors = vectors,
                       .eigenvalues = model->info.eigenvalues};
    PV_TRY_DONE(pv_joint_pairs(&of, NULL, joint));
    status = pv_joint_words(&of, NULL, joint);
done:
    pv_model_link_close(&opened);
    return status;
}

#define FIELD(member) PV_JSON_FIELD(psdvec_joint, member)
const pv_json_field pv_joint_fields[] = {
    FIELD(unigrams),          FIELD(products),   FIELD(residuals),    FIELD(shifts),
    FIELD(residual_prior),    FIELD(background), FIELD(vector_prior), FIELD(residual_normaliser),
    FIELD(vector_normaliser), FIELD(tokens),     FIELD(pairs),        FIELD(weighed),
    FIELD(free_residuals),    FIELD(words),      FIELD(free_words),   {0}};

psdvec_status pv_joint_write(const psdvec_joint *joint, pv_buffer *json)
{
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    pv_json_put_fields(&w, pv_joint_fields, joint, false);
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, 0);
}
