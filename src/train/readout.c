/* Computing the read-out.
 *
 * With word order, the members of a group (base/group.h) compute the rows of their tiles, in the
 * same way as one process does, and send them to the leader. Sums over all words are in the order of
 * the words, so that the sum of one member is passed on to the next. The members also share the
 * dimensions of the regression on spelling.
 */
#include "train/readout.h"

#include "base/blas.h"
#include "base/group.h"
#include "base/thread.h"
#include "solve/order.h"
#include "solve/tall.h"
#include "spelling/pooling.h"

#include <math.h>
#include <string.h>

enum { rows_a_task = 1024 };

/* Whether the eigenvalues have another power than in the generative vectors. */
static bool scales_columns(const psdvec_train_options *options)
{
    return options->readout_power != 0.5;
}

bool pv_readout_wanted(const psdvec_train_options *options)
{
    return options->centre || options->order > 0 || options->spelling > 0 ||
           options->inflections > 0 || scales_columns(options);
}

/* ---- Rows of a given length -------------------------------------------------------------- */

/* from: words x dim with a stride; to likewise, may be the same. A row of zeros belongs to a word
 * about which nothing is known. It stays zero: after subtraction of the mean, all such words would
 * be nearest neighbours of each other. */
typedef struct unit_job {
    const float *from;
    float *to;
    size_t words, dim, from_stride, to_stride;
    const float *mean;  /* dim, or NULL: zeros */
    const float *scale; /* dim: factors of the columns, or NULL: ones */
    double length;      /* of the results */
} unit_job;

static psdvec_status unit_rows(void *arg, size_t task, int worker)
{
    const unit_job *job = arg;
    (void)worker;
    size_t end = (task + 1) * rows_a_task < job->words ? (task + 1) * rows_a_task : job->words;
    for (size_t i = task * rows_a_task; i < end; i++) {
        const float *from = job->from + i * job->from_stride;
        float *to = job->to + i * job->to_stride;
        double square = 0;
        bool known = false;
        for (size_t k = 0; k < job->dim; k++)
            known |= from[k] != 0;
        for (size_t k = 0; k < job->dim; k++) {
            to[k] = from[k] - (known && job->mean ? job->mean[k] : 0);
            if (job->scale)
                to[k] *= job->scale[k];
            square += (double)to[k] * (double)to[k];
        }
        double factor = square > 0 ? job->length / sqrt(square) : 0;
        for (size_t k = 0; k < job->dim; k++)
            to[k] = (float)((double)to[k] * factor);
    }
    return PSDVEC_OK;
}

static psdvec_status make_unit(psdvec_context *ctx, unit_job job)
{
    return pv_parallel_tasks(ctx, (job.words + rows_a_task - 1) / rows_a_task, unit_rows, &job);
}

typedef struct row_sum {
    const float *rows;
    size_t count, dim, stride;
} row_sum;

static void add_up(const void *arg, double *sum)
{
    const row_sum *of = arg;
    for (size_t i = 0; i < of->count; i++)
        for (size_t k = 0; k < of->dim; k++)
            sum[k] += (double)of->rows[i * of->stride + k];
}

/* In double precision and in the order of the words, so that the number of threads, and that of
 * members, does not affect it. rows: those of this member if they are divided. */
static psdvec_status mean_of(psdvec_context *ctx, const float *rows, size_t words, size_t dim,
                             size_t stride, const pv_division *division, float *mean)
{
    row_sum of = {rows, pv_rows_own(division, words), dim, stride};
    double *sum = pv_alloc_zero(ctx, dim, sizeof *sum, "the read-out");
    if (!sum)
        return pv_failure(ctx);
    psdvec_status status = pv_division_sum(division, add_up, &of, sum, dim);
    for (size_t k = 0; k < dim; k++)
        mean[k] = (float)(sum[k] / (double)words);
    pv_free(ctx, sum);
    return status;
}

/* ---- Word order -------------------------------------------------------------------------- */

/* M: wide x dim, the principal directions of B (words x wide), by decreasing variance. */
static psdvec_status main_directions(psdvec_context *ctx, const float *B, size_t words, size_t wide,
                                     const pv_division *division, size_t dim, float *M)
{
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the read-out"};
    double *gram, *values;
    PV_TAKE(&scope, gram, wide * wide);
    PV_TAKE(&scope, values, wide);
    PV_TRY_DONE(pv_scope_status(&scope));
    pv_tall tall = {B, wide, wide, division};
    PV_TRY_DONE(pv_tall_gram(ctx, words, tall, tall, NULL, gram));
    PV_TRY_DONE(pv_symmetric_eigen(ctx, gram, values, wide));
    for (size_t c = 0; c < dim; c++)
        for (size_t k = 0; k < wide; k++)
            M[k * dim + c] = (float)gram[(wide - 1 - c) * wide + k];
done:
    pv_scope_free(&scope);
    return status;
}

/* Word order needs fewer directions than meaning: more of them do not change any score but cost
 * time. */
static size_t order_directions(size_t dim)
{
    return dim < 256 ? dim : 256;
}

/* The leader gets the rows of the other members. rows: in the leader those of all words, of which
 * it has the first. */
static psdvec_status send_to_leader(const pv_division *d, size_t dim, float *rows)
{
    PV_TRY(pv_group_meet(d->ctx, 0, NULL));
    for (uint32_t r = 1; r < d->members; r++) {
        size_t bytes = (d->share[r].end - d->share[r].first) * dim * sizeof *rows;
        if (d->rank == 0)
            pv_group_receive(d->ctx, r, rows + d->share[r].first * dim, bytes);
        else if (d->rank == r)
            pv_group_send(d->ctx, 0, rows, bytes);
    }
    return pv_group_move(d->ctx);
}

/* out->vectors: words x (dim + order_directions) with u in the first columns, of the words of this
 * member; becomes words x dim, of all words in the leader. */
static psdvec_status add_order(const pv_link *link, const float *V, size_t dim,
                               const pv_division *division, pv_readout *out)
{
    psdvec_context *ctx = link->ctx;
    size_t words = link->words, directions = order_directions(dim), wide = dim + directions;
    size_t rows = pv_rows_own(division, words);
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the read-out"};
    float *A = out->vectors + dim, *mean, *M, *narrow;
    PV_TAKE(&scope, mean, directions);
    PV_TAKE(&scope, M, wide * dim);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_order_vectors(link, V, dim, directions, division, A, wide));
    PV_TRY_DONE(mean_of(ctx, A, words, directions, wide, division, mean));
    PV_TRY_DONE(make_unit(ctx, (unit_job){.from = A,
                                          .to = A,
                                          .words = rows,
                                          .dim = directions,
                                          .from_stride = wide,
                                          .to_stride = wide,
                                          .mean = mean,
                                          .length = link->options.order}));
    PV_TRY_DONE(main_directions(ctx, out->vectors, words, wide, division, dim, M));
    PV_TRY_DONE(pv_tall_transform(ctx, words, out->vectors, wide, wide, division, M, dim));
    PV_TAKE(&out->memory, narrow, (pv_group_leads(ctx) ? words : rows) * dim);
    PV_TRY_DONE(pv_scope_status(&out->memory));
    for (size_t i = 0; i < rows; i++)
        memcpy(narrow + i * dim, out->vectors + i * wide, dim * sizeof *narrow);
    pv_scope_drop(&out->memory, out->vectors);
    out->vectors = narrow;
    for (size_t k = 0; k < dim; k++)
        for (size_t c = 0; c < dim; c++)
            out->map[k * dim + c] = (out->scale ? out->scale[k] : 1) * M[k * dim + c];
    PV_TRY_DONE(make_unit(ctx, (unit_job){.from = out->vectors,
                                          .to = out->vectors,
                                          .words = rows,
                                          .dim = dim,
                                          .from_stride = dim,
                                          .to_stride = dim,
                                          .length = 1}));
    if (division)
        status = send_to_leader(division, dim, out->vectors);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- The complete read-out --------------------------------------------------------------- */

/* At most half of the size of the vectors. */
static uint64_t most_table_bytes(uint64_t words, uint64_t dim)
{
    return words * dim * sizeof(float) / 2;
}

static psdvec_status pool_forms(const pv_link *link, size_t dim, pv_readout *out)
{
    const psdvec_counts *counts = link->counts;
    pv_spelling_words words = {link->words, counts->bytes, counts->offsets};
    return pv_pool_forms(link->ctx, link->options.inflections, &words, counts->frequency,
                         (uint32_t)dim, out->vectors);
}

/* In members other than the leader, out->vectors is NULL. */
static psdvec_status add_spelling(const pv_link *link, size_t dim, pv_readout *out)
{
    const psdvec_counts *counts = link->counts;
    pv_spelling_options options;
    pv_spelling_options_default(&options);
    options.most_bytes = most_table_bytes(link->words, dim);
    pv_spelling_words words = {link->words, counts->bytes, counts->offsets};
    PV_TRY(pv_spelling_learn(link->ctx, &options, &words, out->vectors, (uint32_t)dim,
                             counts->frequency, &out->spelling));
    if (!pv_group_leads(link->ctx))
        return PSDVEC_OK;
    return pv_spelling_add(link->ctx, out->spelling, &words, (float)link->options.spelling,
                           out->vectors);
}

/* scale: |eigenvalue|^(readout_power - 0.5), relative to the eigenvalue of largest magnitude; 0
 * without an eigenvalue. */
static void scale_columns(const float *eigenvalues, size_t dim, double power, float *scale)
{
    double largest = 0;
    for (size_t k = 0; k < dim; k++)
        largest = fmax(largest, fabs((double)eigenvalues[k]));
    for (size_t k = 0; k < dim; k++)
        scale[k] = eigenvalues[k] != 0
                       ? (float)pow(fabs((double)eigenvalues[k]) / largest, power - 0.5)
                       : 0;
}

/* r: with word order by all members together, otherwise by the leader alone. */
static psdvec_status make_vectors(const pv_link *link, const float *V, const float *eigenvalues,
                                  uint32_t dim, const pv_division *division, pv_readout *out)
{
    psdvec_context *ctx = link->ctx;
    const psdvec_train_options *options = &link->options;
    bool order = options->order > 0;
    size_t words = link->words, wide = order ? dim + order_directions(dim) : dim;
    if (!order && !pv_group_leads(ctx))
        return PSDVEC_OK;
    if (!order)
        division = NULL;
    size_t rows = pv_rows_own(division, words);
    if (options->centre)
        PV_TAKE(&out->memory, out->mean, dim);
    if (scales_columns(options))
        PV_TAKE(&out->memory, out->scale, dim);
    if (order || scales_columns(options))
        PV_TAKE_ZERO(&out->memory, out->map, (size_t)dim * dim);
    PV_TAKE(&out->memory, out->vectors, rows * wide);
    PV_TRY(pv_scope_status(&out->memory));
    if (out->scale) {
        scale_columns(eigenvalues, dim, options->readout_power, out->scale);
        for (size_t k = 0; k < dim; k++)
            out->map[k * dim + k] = out->scale[k];
    }
    if (options->centre)
        PV_TRY(mean_of(ctx, V, words, dim, dim, division, out->mean));
    PV_TRY(make_unit(ctx, (unit_job){.from = V,
                                     .to = out->vectors,
                                     .words = rows,
                                     .dim = dim,
                                     .from_stride = dim,
                                     .to_stride = wide,
                                     .mean = out->mean,
                                     .scale = out->scale,
                                     .length = 1}));
    return order ? add_order(link, V, dim, division, out) : PSDVEC_OK;
}

psdvec_status pv_readout_make(const pv_link *link, const float *V, const float *eigenvalues,
                              uint32_t dim, const pv_division *division, pv_readout *out)
{
    const psdvec_train_options *options = &link->options;
    *out = (pv_readout){.memory = {.ctx = link->ctx, .what = "the read-out"}};
    if (!pv_readout_wanted(options))
        return PSDVEC_OK;
    PV_TRY(make_vectors(link, V, eigenvalues, dim, division, out));
    if (!pv_group_leads(link->ctx)) {
        pv_scope_free(&out->memory);
        out->vectors = out->mean = out->scale = out->map = NULL;
    } else if (options->inflections > 0) {
        PV_TRY(pool_forms(link, dim, out));
    }
    return options->spelling > 0 ? add_spelling(link, dim, out) : PSDVEC_OK;
}

void pv_readout_free(pv_readout *readout)
{
    pv_scope_free(&readout->memory);
    pv_spelling_free(readout->spelling);
    *readout = (pv_readout){0};
}

uint64_t pv_readout_bytes(const psdvec_train_options *options, const psdvec_counts *counts,
                          uint64_t dim, const pv_division *division, int threads)
{
    if (!pv_readout_wanted(options))
        return 0;
    bool leads = !division || division->rank == 0;
    uint64_t words = counts->info.words, row = dim * sizeof(float);
    uint64_t small = dim * (2 * sizeof(float) + sizeof(double)), most = 0;
    if (options->order > 0 || scales_columns(options))
        small += dim * dim * sizeof(float);
    if (options->order > 0) {
        uint64_t directions = order_directions(dim), wide = dim + directions;
        uint64_t rows = pv_rows_own(division, words);
        uint64_t gram = wide * (wide + 1) * sizeof(double);
        uint64_t turning =
            pv_larger(gram + pv_larger(pv_tall_gram_bytes(words, division, wide, wide),
                                       pv_symmetric_eigen_bytes(wide)),
                      pv_tall_transform_bytes(words, dim, threads));
        most = rows * wide * sizeof(float) + directions * (sizeof(float) + sizeof(double)) +
               wide * dim * sizeof(float) +
               pv_larger(pv_order_bytes(words, directions, division, counts->info.bigrams, threads),
                         pv_larger(turning, (leads ? words : rows) * row));
    }
    if (options->inflections > 0 && leads)
        most = pv_larger(most, words * row + pv_pool_forms_bytes(words, dim, threads));
    if (options->spelling > 0) {
        pv_spelling_words list = {(uint32_t)words, counts->bytes, counts->offsets};
        most =
            pv_larger(most, (leads ? words * row : 0) +
                                pv_spelling_learn_bytes(&list, dim, division ? division->rank : 0,
                                                        division ? division->members : 1, threads));
    }
    return small + pv_larger(most, leads ? words * row : 0);
}

uint64_t pv_readout_file_bytes(const psdvec_train_options *options, uint64_t words, uint64_t dim)
{
    if (!pv_readout_wanted(options))
        return 0;
    return words * dim * sizeof(float) + (dim + 1) * dim * sizeof(float) +
           (options->spelling > 0 ? most_table_bytes(words, dim) : 0);
}
