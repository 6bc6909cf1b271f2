/* Learning the table: weights of the words, the regression, and its result as bytes. */
#include "spelling/ngrams.h"
#include "spelling/ridge.h"
#include "spelling/table.h"

#include "base/sort.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

void pv_spelling_options_default(pv_spelling_options *options)
{
    *options = (pv_spelling_options){.shortest = 4,
                                     .longest = 6,
                                     .least_words = 2,
                                     .lambda = 3,
                                     .weight_power = 0.25,
                                     .begin_freedom = 2.25,
                                     .steps = 20};
}

static psdvec_status check_options(psdvec_context *ctx, const pv_spelling_options *o, uint32_t dim)
{
    if (o->shortest < 1 || o->shortest > o->longest || o->longest > PV_NGRAM_LONGEST)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "n-grams of %u to %u characters: the numbers must ascend, from 1 to %d",
                       o->shortest, o->longest, PV_NGRAM_LONGEST);
    if (o->least_words < 1)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "an n-gram must stand in at least 1 word");
    if (!(o->lambda >= 1e-6 && o->lambda <= 1e6))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "the penalty on n-grams is %g; it must be from 1e-6 to 1e6", o->lambda);
    if (!(o->weight_power >= 0 && o->weight_power <= 10))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "the power of the words' weights is %g; it must be from 0 to 10",
                       o->weight_power);
    if (!(o->begin_freedom >= 0.01 && o->begin_freedom <= 100))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "the freedom of n-grams at the beginning is %g; it must be from 0.01 to 100",
                       o->begin_freedom);
    if (o->steps < 1)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "the regression needs at least 1 step");
    if (dim < 1)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "vectors without dimensions cannot be learnt from");
    return PSDVEC_OK;
}

static psdvec_status check_vectors(psdvec_context *ctx, const pv_spelling_words *words,
                                   const float *u, uint32_t dim)
{
    for (uint32_t i = 0; i < words->words; i++)
        for (uint32_t k = 0; k < dim; k++)
            if (!isfinite(u[(size_t)i * dim + k])) {
                uint64_t begin = words->offsets[i], length = words->offsets[i + 1] - begin;
                return pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                               "the vector of the word \"%.*s\" has a number that is not finite",
                               (int)(length < 100 ? length : 100), words->bytes + begin);
            }
    return PSDVEC_OK;
}

static int compare_counts(const void *a, const void *b, void *arg)
{
    (void)arg;
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static psdvec_status make_weights(psdvec_context *ctx, const uint64_t *counts, uint32_t words,
                                  double power, float *weights)
{
    double median = 1;
    if (counts && words > 0) {
        uint64_t *sorted = pv_alloc(ctx, words, sizeof *sorted, "the weights of the words");
        if (!sorted)
            return pv_failure(ctx);
        memcpy(sorted, counts, words * sizeof *sorted);
        psdvec_status status = pv_sort(ctx, sorted, words, sizeof *sorted, compare_counts, NULL);
        uint32_t upper = words / 2, lower = (words - 1) / 2;
        median = ((double)sorted[upper] + (double)sorted[lower]) / 2;
        pv_free(ctx, sorted);
        PV_TRY(status);
    }
    for (uint32_t i = 0; i < words; i++) {
        double weight = counts ? pow((double)counts[i] / (median > 0 ? median : 1), power) : 1;
        weights[i] = (float)fmin(fmax(weight, 0.2), 20);
    }
    return PSDVEC_OK;
}

/* ---- From the solution to bytes ------------------------------------------------------ */

typedef struct rounding {
    psdvec_context *ctx;
    const pv_features *f;
    const pv_ridge_solution *solution;
    pv_spelling *to;
    float *row; /* for each worker blocks x PV_ROW_BLOCK */
    const pv_row_sums *sums;
} rounding;

enum { COLUMNS_A_TASK = 512 };

static psdvec_status round_row(const rounding *r, uint32_t g, float *row)
{
    const pv_features *f = r->f;
    size_t count = f->column_begin[g + 1] - f->column_begin[g];
    uint32_t dim = r->to->table.dim;
    float largest = 0;
    for (size_t b = 0; b < r->solution->blocks; b++)
        r->sums->floats(f->column + f->column_begin[g], count,
                        r->solution->numbers + b * f->words * PV_ROW_BLOCK, row + b * PV_ROW_BLOCK);
    for (uint32_t k = 0; k < dim; k++) {
        row[k] *= f->freedom[g];
        float size = fabsf(row[k]);
        if (!(size <= PV_LARGEST_SCALE))
            return pv_fail(r->ctx, PSDVEC_ERR_NUMERIC,
                           "learning from the spelling of words led to numbers beyond 1e30; scale "
                           "the vectors down");
        largest = size > largest ? size : largest;
    }
    float scale = largest / 127;
    int8_t *to = r->to->rows + (size_t)g * dim;
    r->to->row_scale[g] = scale;
    for (uint32_t k = 0; k < dim; k++) {
        /* A scale that is next to nothing is inexact, so the quotient may exceed 127. */
        float steps = scale > 0 ? rintf(row[k] / scale) : 0;
        to[k] = (int8_t)(steps > 127 ? 127 : steps < -127 ? -127 : steps);
    }
    return PSDVEC_OK;
}

static psdvec_status round_rows(void *arg, size_t task, int worker)
{
    rounding *r = arg;
    float *row = r->row + (size_t)worker * r->solution->blocks * PV_ROW_BLOCK;
    uint32_t first = (uint32_t)task * COLUMNS_A_TASK, left = r->f->columns - first;
    for (uint32_t g = 0; g < left && g < COLUMNS_A_TASK; g++)
        PV_TRY(round_row(r, first + g, row));
    return PSDVEC_OK;
}

/* The table, which takes the n-grams over from the features. */
static psdvec_status make_table(pv_spelling *s, pv_features *f, const pv_ridge_solution *solution)
{
    static const char what[] = "the table of n-grams";
    psdvec_context *ctx = s->ctx;
    rounding r = {.ctx = ctx, .f = f, .solution = solution, .to = s, .sums = pv_row_sums_best()};
    s->rows = pv_alloc(ctx, f->columns, s->table.dim, what);
    s->row_scale = pv_alloc(ctx, f->columns, sizeof *s->row_scale, what);
    r.row = pv_alloc(ctx, (size_t)psdvec_threads(ctx),
                     solution->blocks * PV_ROW_BLOCK * sizeof *r.row, what);
    if (!s->rows || !s->row_scale || !r.row) {
        pv_free(ctx, r.row);
        return pv_failure(ctx);
    }
    size_t tasks = ((size_t)f->columns + COLUMNS_A_TASK - 1) / COLUMNS_A_TASK;
    psdvec_status status = pv_parallel_tasks(ctx, tasks, round_rows, &r);
    pv_free(ctx, r.row);
    PV_TRY(status);
    s->bytes = f->bytes;
    s->offsets = f->offsets;
    s->members = f->members;
    f->bytes = NULL;
    f->offsets = f->members = NULL;
    s->table.ngrams = f->columns;
    s->table.text = s->offsets[f->columns];
    s->table.bytes = s->bytes;
    s->table.offsets = s->offsets;
    s->table.members = s->members;
    s->table.rows = s->rows;
    s->table.row_scale = s->row_scale;
    return PSDVEC_OK;
}

uint64_t pv_spelling_learn_bytes(const pv_spelling_words *all, uint64_t dim, int threads)
{
    pv_spelling_options options;
    pv_spelling_options_default(&options);
    uint64_t words = all->words;
    uint64_t occurrences = pv_count_occurrences(all, options.shortest, options.longest);
    /* While they are sorted out, an n-gram that no other word has costs its entry and its text, in
     * arrays that grow by half while the old ones are there, two to four slots and its word; in
     * the end its word and its place, at most. */
    uint64_t sorting = occurrences * 144, features = occurrences * 8 + words * 64;
    uint64_t solution = words * (dim + PV_ROW_BLOCK) * sizeof(float);
    /* So large a table has at most two columns for each word. */
    uint64_t work = (uint64_t)threads * words * 5 * PV_ROW_BLOCK * sizeof(float);
    uint64_t table = words * dim * 2 + words * 64;
    uint64_t solving = features + solution + (work > table ? work : table);
    return words * 32 + (1 << 19) + (sorting > solving ? sorting : solving);
}

psdvec_status pv_spelling_learn(psdvec_context *ctx, const pv_spelling_options *options,
                                const pv_spelling_words *words, const float *u, uint32_t dim,
                                const uint64_t *counts, pv_spelling **spelling)
{
    psdvec_status status;
    pv_features features = {0};
    pv_ridge_solution solution = {0};
    float *weights = NULL;
    pv_spelling *s = NULL;
    *spelling = NULL;
    PV_TRY(check_options(ctx, options, dim));
    PV_TRY(check_vectors(ctx, words, u, dim));
    weights = pv_alloc(ctx, words->words, sizeof *weights, "the weights of the words");
    s = pv_alloc_zero(ctx, 1, sizeof *s, "the table of n-grams");
    if (!weights || !s) {
        status = pv_failure(ctx);
        goto done;
    }
    s->ctx = ctx;
    s->table =
        (pv_spelling_table){.dim = dim, .shortest = options->shortest, .longest = options->longest};
    PV_TRY_DONE(make_weights(ctx, counts, words->words, options->weight_power, weights));
    PV_TRY_DONE(pv_features_make(ctx, options, words, dim, &features));
    PV_TRY_DONE(pv_ridge_solve(ctx, &features, weights, u, dim, options->lambda, options->steps,
                               &solution));
    PV_TRY_DONE(make_table(s, &features, &solution));
    PV_TRY_DONE(pv_table_index(s));
    *spelling = s;
    s = NULL;
done:
    pv_ridge_free(ctx, &solution);
    pv_features_free(&features);
    pv_free(ctx, weights);
    pv_spelling_free(s);
    return status;
}
