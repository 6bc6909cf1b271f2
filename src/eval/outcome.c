/* Questions are put to a model.
 *
 *     rule        a question with an unknown word
 *     drop        does not count
 *     zero        counts: similarity 0, answered wrongly, in no cluster
 *     mean        the mean of all vectors stands in; an analogy whose answer is unknown is
 *                 answered wrongly, and so is a choice whose word is
 *     spelling    the vector that the spelling gives stands in; where it gives none, and
 *                 if an analogy's answer is unknown, the question does not count
 */
#include "eval/outcome.h"

#include "eval/analogy.h"
#include "eval/kmeans.h"
#include "eval/statistics.h"

#include <math.h>
#include <string.h>

typedef struct asking {
    psdvec_context *ctx;
    const pv_seen_model *seen;
    const psdvec_test *test;
    const psdvec_eval_options *options;
    const uint32_t *rows;
    pv_test_vectors vectors;
    pv_outcome *outcome;
    pv_progress *progress;
} asking;

static const float *unit_of(const asking *a, uint32_t word)
{
    return a->vectors.units + (size_t)word * a->seen->dim;
}

/* Lengths of vectors of length 1 are 1 but for rounding; divided by, the cosine of a word with
 * itself is 1 to the last bit, so that such pairs are equals. */
static double cosine(const asking *a, uint32_t left, uint32_t right)
{
    if (a->vectors.sparse)
        return pv_sparse_cosine(a->vectors.sparse[left].row, a->vectors.sparse[right].row);
    const float *x = unit_of(a, left), *y = unit_of(a, right);
    double xy = 0, xx = 0, yy = 0;
    for (uint32_t k = 0; k < a->seen->dim; k++) {
        xy += (double)x[k] * (double)y[k];
        xx += (double)x[k] * (double)x[k];
        yy += (double)y[k] * (double)y[k];
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static bool answer_known(const asking *a, const pv_question *q)
{
    for (uint32_t k = 0; k < q->listed; k++)
        if (a->rows[a->test->lists[q->list + k]] != PV_UNKNOWN)
            return true;
    return false;
}

/* True if there is a vector for every word that is compared. */
static bool has_vectors(const asking *a, const pv_question *q)
{
    psdvec_test_kind kind = a->test->info.kind;
    uint32_t words = kind == PSDVEC_TEST_SIMILARITY ? 2 : kind == PSDVEC_TEST_ANALOGY ? 3 : 1;
    for (uint32_t k = 0; k < words; k++)
        if (!a->vectors.there[q->words[k]])
            return false;
    for (uint32_t k = 0; kind == PSDVEC_TEST_CHOICE && k < q->listed; k++)
        if (!a->vectors.there[a->test->lists[q->list + k]])
            return false;
    return true;
}

/* Which questions the model knows, and which count. */
static void sort_questions(const asking *a, const bool *asked)
{
    const psdvec_test *t = a->test;
    psdvec_unknown rule = a->options->unknown;
    for (uint32_t q = 0; q < t->info.questions; q++) {
        const pv_question *question = &t->questions[q];
        bool known = asked[q] && pv_question_known(t, question, a->rows);
        if (rule == PSDVEC_UNKNOWN_SPELLING)
            known = asked[q] && has_vectors(a, question) &&
                    (t->info.kind != PSDVEC_TEST_ANALOGY || answer_known(a, question));
        a->outcome->known[q] = known;
        a->outcome->counts[q] =
            rule == PSDVEC_UNKNOWN_ZERO || rule == PSDVEC_UNKNOWN_MEAN ? asked[q] : known;
    }
}

/* ---- Of each kind ------------------------------------------------------------------------- */

static void compare_pairs(const asking *a)
{
    for (uint32_t q = 0; q < a->test->info.questions; q++) {
        const pv_question *question = &a->test->questions[q];
        a->outcome->cosine[q] = a->outcome->counts[q] && has_vectors(a, question)
                                    ? cosine(a, question->words[0], question->words[1])
                                    : 0;
    }
}

/* The right choice must be nearer than every other: of equals none is an answer. */
static void choose(const asking *a)
{
    for (uint32_t q = 0; q < a->test->info.questions; q++) {
        const pv_question *question = &a->test->questions[q];
        const uint32_t *choices = a->test->lists + question->list;
        bool right = a->outcome->counts[q] && has_vectors(a, question);
        if (a->options->unknown == PSDVEC_UNKNOWN_MEAN)
            right = right && a->rows[question->words[0]] != PV_UNKNOWN;
        double best = right ? cosine(a, question->words[0], choices[0]) : 0;
        for (uint32_t k = 1; right && k < question->listed; k++)
            right = cosine(a, question->words[0], choices[k]) < best;
        a->outcome->right[0][q] = right;
    }
}

static bool is_accepted(const asking *a, const pv_question *q, uint32_t answer)
{
    for (uint32_t k = 0; k < q->listed; k++)
        if (answer != PV_UNKNOWN && a->rows[a->test->lists[q->list + k]] == answer)
            return true;
    return false;
}

static psdvec_status answer(const asking *a)
{
    const psdvec_test *t = a->test;
    size_t count = 0;
    uint32_t candidates = a->seen->words;
    if (a->options->restrict_words > 0 && a->options->restrict_words < candidates)
        candidates = a->options->restrict_words;
    for (uint32_t q = 0; q < t->info.questions; q++)
        count += a->outcome->counts[q] && has_vectors(a, &t->questions[q]);
    pv_analogy *analogies = pv_alloc(a->ctx, count, sizeof *analogies, "analogies");
    if (!analogies)
        return pv_failure(a->ctx);
    size_t k = 0;
    for (uint32_t q = 0; q < t->info.questions; q++) {
        const uint32_t *w = t->questions[q].words;
        if (a->outcome->counts[q] && has_vectors(a, &t->questions[q]))
            analogies[k++] = (pv_analogy){
                .a = w[0],
                .b = w[1],
                .c = w[2],
                .not_these = {a->rows[w[0]], a->rows[w[1]], a->rows[w[2]]},
            };
    }
    float shift = a->seen->explicit ? 0 : 1;
    psdvec_status status;
    if (a->seen->sparse)
        status = pv_analogies_answer_sparse(a->ctx, a->seen->sparse, candidates, a->vectors.sparse,
                                            t->words, analogies, count, shift, a->progress);
    else
        status = pv_analogies_answer(a->ctx, *a->seen->rows, candidates, a->vectors.units, t->words,
                                     analogies, count, shift, a->progress);
    k = 0;
    for (uint32_t q = 0; status == PSDVEC_OK && q < t->info.questions; q++) {
        const pv_question *question = &t->questions[q];
        bool put = a->outcome->counts[q] && has_vectors(a, question);
        a->outcome->right[0][q] = put && is_accepted(a, question, analogies[k].add);
        a->outcome->right[1][q] = put && is_accepted(a, question, analogies[k].mul);
        k += put;
    }
    pv_free(a->ctx, analogies);
    return status;
}

/* Words to be grouped, dense or sparse. */
typedef struct grouping {
    float *points; /* n x dim, or ... */
    pv_sparse_unit *sparse;
    size_t n;
} grouping;

static bool grouping_init(grouping *g, const asking *a)
{
    size_t most = a->test->info.questions;
    *g = (grouping){0};
    if (a->seen->sparse)
        g->sparse = pv_alloc(a->ctx, most, sizeof *g->sparse, "clusters");
    else
        g->points = pv_alloc(a->ctx, most, a->seen->dim * sizeof *g->points, "clusters");
    return g->sparse || g->points;
}

static void grouping_add(grouping *g, const asking *a, uint32_t word)
{
    uint32_t dim = a->seen->dim;
    if (g->sparse)
        g->sparse[g->n++] = a->vectors.sparse[word];
    else
        memcpy(g->points + g->n++ * dim, unit_of(a, word), dim * sizeof *g->points);
}

static psdvec_status group(const grouping *g, const asking *a, uint32_t k, uint32_t *found)
{
    if (g->n == 0)
        return PSDVEC_OK;
    if (g->sparse)
        return pv_kmeans_sparse(a->ctx, g->sparse, g->n, a->seen->dim, k, found);
    return pv_kmeans(a->ctx, g->points, g->n, a->seen->dim, k, found);
}

/* As many clusters as there are categories among the words that are there. */
static psdvec_status find_clusters(const asking *a)
{
    const psdvec_test *t = a->test;
    uint32_t k = 0;
    size_t n = 0;
    grouping g;
    psdvec_status status = PSDVEC_OK;
    bool room = grouping_init(&g, a);
    uint32_t *found = pv_alloc(a->ctx, t->info.questions, sizeof *found, "clusters");
    bool *seen = pv_alloc_zero(a->ctx, t->categories, sizeof *seen, "clusters");
    if (!room || !found || !seen) {
        status = pv_failure(a->ctx);
        goto done;
    }
    for (uint32_t q = 0; q < t->info.questions; q++) {
        const pv_question *question = &t->questions[q];
        a->outcome->cluster[q] = PV_NO_CLUSTER;
        if (!a->outcome->counts[q] || !has_vectors(a, question))
            continue;
        grouping_add(&g, a, question->words[0]);
        k += !seen[question->category];
        seen[question->category] = true;
    }
    PV_TRY_DONE(group(&g, a, k, found));
    for (uint32_t q = 0; q < t->info.questions; q++)
        if (a->outcome->counts[q] && has_vectors(a, &t->questions[q]))
            a->outcome->cluster[q] = found[n++];
done:
    pv_free(a->ctx, g.points);
    pv_free(a->ctx, g.sparse);
    pv_free(a->ctx, found);
    pv_free(a->ctx, seen);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------ */

static psdvec_status allocate(pv_outcome *o, psdvec_context *ctx, const psdvec_test *t)
{
    size_t n = t->info.questions;
    psdvec_test_kind kind = t->info.kind;
    static const char what[] = "the answers to a test";
    *o = (pv_outcome){.known = pv_alloc_zero(ctx, n, sizeof *o->known, what),
                      .counts = pv_alloc_zero(ctx, n, sizeof *o->counts, what)};
    bool fine = o->known && o->counts;
    if (fine && kind == PSDVEC_TEST_SIMILARITY)
        fine = (o->cosine = pv_alloc_zero(ctx, n, sizeof *o->cosine, what)) != NULL;
    if (fine && (kind == PSDVEC_TEST_ANALOGY || kind == PSDVEC_TEST_CHOICE))
        fine = (o->right[0] = pv_alloc_zero(ctx, n, sizeof(bool), what)) != NULL;
    if (fine && kind == PSDVEC_TEST_ANALOGY)
        fine = (o->right[1] = pv_alloc_zero(ctx, n, sizeof(bool), what)) != NULL;
    if (fine && kind == PSDVEC_TEST_CATEGORIES)
        fine = (o->cluster = pv_alloc_zero(ctx, n, sizeof *o->cluster, what)) != NULL;
    return fine ? PSDVEC_OK : pv_failure(ctx);
}

psdvec_status pv_outcome_make(pv_outcome *outcome, psdvec_context *ctx, const pv_seen_model *seen,
                              const psdvec_test *test, const psdvec_eval_options *options,
                              const bool *asked, const uint32_t *rows, pv_progress *progress)
{
    asking a = {.ctx = ctx,
                .seen = seen,
                .test = test,
                .options = options,
                .rows = rows,
                .outcome = outcome,
                .progress = progress};
    psdvec_status status = allocate(outcome, ctx, test);
    if (status == PSDVEC_OK)
        status = pv_test_vectors_make(&a.vectors, ctx, seen, test, options, rows);
    if (status == PSDVEC_OK) {
        sort_questions(&a, asked);
        if (test->info.kind == PSDVEC_TEST_SIMILARITY)
            compare_pairs(&a);
        else if (test->info.kind == PSDVEC_TEST_CHOICE)
            choose(&a);
        else if (test->info.kind == PSDVEC_TEST_ANALOGY)
            status = answer(&a);
        else
            status = find_clusters(&a);
    }
    pv_test_vectors_free(&a.vectors, ctx);
    if (status != PSDVEC_OK)
        pv_outcome_free(outcome, ctx);
    return status;
}

void pv_outcome_free(pv_outcome *outcome, psdvec_context *ctx)
{
    pv_free(ctx, outcome->known);
    pv_free(ctx, outcome->counts);
    pv_free(ctx, outcome->cosine);
    pv_free(ctx, outcome->right[0]);
    pv_free(ctx, outcome->right[1]);
    pv_free(ctx, outcome->cluster);
    *outcome = (pv_outcome){0};
}
