/* Answers of a model to the questions of a test: words are looked up, and unknown words are handled
 * by a rule.
 *
 *     rule        a question with an unknown word
 *     drop        does not count
 *     zero        counts: similarity 0, answered wrongly, in no cluster
 *     mean        the mean of all vectors is used; an analogy whose answer is unknown is
 *                 answered wrongly, and so is a choice whose word is
 *     spelling    the spelling vector is used; if there is none, and
 *                 if an analogy's answer is unknown, the question does not count
 */
#include "eval/outcome.h"

#include "eval/analogy.h"
#include "eval/kmeans.h"
#include "eval/statistics.h"
#include "model/find.h"

#include <math.h>
#include <string.h>

/* ---- The model ---------------------------------------------------------------------------- */

/* For a sparse model, the nonzero components of the mean move to the front, and the list of their
 * dimensions is built. */
static psdvec_status find_mean(pv_seen_model *s, pv_scope *scope)
{
    float *row;
    double *sum;
    uint32_t *columns;
    PV_TAKE(scope, row, s->dim);
    PV_TAKE(scope, columns, s->dim);
    PV_TAKE_ZERO(scope, sum, s->dim);
    PV_TAKE(scope, s->mean, s->dim);
    PV_TRY(pv_scope_status(scope));
    for (uint32_t i = 0; i < s->words; i++) {
        if (i % 4096 == 0)
            PV_TRY(pv_check_cancel(scope->ctx));
        if (s->sparse) {
            pv_csr_row of = pv_csr_row_of(s->sparse, i);
            bool finite = isfinite(pv_sparse_length(of));
            for (size_t k = 0; finite && k < of.count; k++)
                sum[of.column[k]] += (double)of.value[k];
        } else {
            const float *of = pv_vector_set_floats_of(s->rows, i, 1, row);
            bool finite = isfinite(pv_length(of, s->dim));
            for (uint32_t k = 0; finite && k < s->dim; k++)
                sum[k] += (double)of[k];
        }
    }
    for (uint32_t k = 0; k < s->dim; k++)
        s->mean[k] = (float)(sum[k] / s->words);
    pv_unit_vector(s->mean, s->dim, s->mean);
    size_t count = 0;
    for (uint32_t k = 0; s->sparse && k < s->dim; k++)
        if (s->mean[k] != 0) {
            columns[count] = k;
            s->mean[count++] = s->mean[k];
        }
    s->sparse_mean = pv_sparse_unit_of((pv_csr_row){columns, s->mean, count});
    return PSDVEC_OK;
}

psdvec_status pv_seen_model_open(pv_seen_model *seen, pv_scope *scope, const psdvec_model *model,
                                 const psdvec_eval_options *options)
{
    bool sparse = model->info.sparse;
    *seen = (pv_seen_model){.model = model,
                            .rows = sparse ? NULL : &model->readout,
                            .sparse = sparse ? &model->sparse : NULL,
                            .words = model->info.words,
                            .dim = model->info.dim,
                            .explicit = pv_model_explicit(model)};
    return options->unknown == PSDVEC_UNKNOWN_MEAN ? find_mean(seen, scope) : PSDVEC_OK;
}

/* ---- Words ---------------------------------------------------------------------------------- */

static const char *word_of(const psdvec_test *test, uint32_t w, size_t *length)
{
    *length = (size_t)(test->offsets[w + 1] - test->offsets[w]);
    return test->bytes + test->offsets[w];
}

psdvec_status pv_known_rows(psdvec_context *ctx, const pv_seen_model *seen, const psdvec_test *test,
                            const psdvec_eval_options *options, uint32_t *rows)
{
    pv_buffer form = {.ctx = ctx};
    psdvec_status status = PSDVEC_OK;
    uint32_t limit = UINT32_MAX;
    if (test->info.kind == PSDVEC_TEST_ANALOGY && options->restrict_words > 0)
        limit = options->restrict_words;
    for (uint32_t w = 0; w < test->words; w++) {
        size_t length;
        const char *word = word_of(test, w, &length);
        if (!options->keep_case)
            PV_TRY_DONE(
                pv_model_find_forms(ctx, seen->model, word, length, limit, &form, &rows[w]));
        else if (!psdvec_model_find(seen->model, word, length, &rows[w]) || rows[w] >= limit)
            rows[w] = PV_UNKNOWN;
    }
done:
    pv_buffer_free(&form);
    return status;
}

bool pv_question_known(const psdvec_test *test, const pv_question *q, const uint32_t *rows)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < pv_question_words(test->info.kind); k++)
        if (rows[q->words[k]] == PV_UNKNOWN)
            return false;
    for (uint32_t k = 0; k < q->listed; k++)
        found += rows[test->lists[q->list + k]] != PV_UNKNOWN;
    return test->info.kind == PSDVEC_TEST_ANALOGY ? found > 0 : found == q->listed;
}

/* ---- Vectors --------------------------------------------------------------------------------- */

typedef struct test_run {
    pv_scope scope;
    const pv_seen_model *seen;
    const psdvec_test *test;
    const psdvec_eval_options *options;
    const uint32_t *rows;
    pv_outcome *outcome;
    pv_progress *progress;
    /* Vectors of length 1 for the words of the test: the model's, or a substitute according to the
     * rule. A vector that has no direction or is not finite becomes zero. */
    float *units;           /* words x dim, or ... */
    pv_sparse_unit *sparse; /* words */
    bool *there;            /* words: known, or has a substitute */
} test_run;

static float *unit_of(const test_run *a, uint32_t word)
{
    return a->units + (size_t)word * a->seen->dim;
}

/* Finds a substitute for the vector of an unknown word. */
static psdvec_status substitute_vector(test_run *a, uint32_t w, pv_buffer *lower)
{
    const pv_seen_model *seen = a->seen;
    float *unit = unit_of(a, w);
    if (a->options->unknown == PSDVEC_UNKNOWN_MEAN) {
        memcpy(unit, seen->mean, seen->dim * sizeof *unit);
        a->there[w] = true;
    } else if (a->options->unknown == PSDVEC_UNKNOWN_SPELLING) {
        size_t length;
        const char *word = word_of(a->test, w, &length);
        if (!a->options->keep_case) {
            lower->length = 0;
            PV_TRY(pv_lower_case(lower, word, length));
            word = lower->data;
            length = lower->length;
        }
        a->there[w] = psdvec_model_spell(seen->model, word, length, unit);
        pv_unit_vector(unit, seen->dim, unit);
    }
    return PSDVEC_OK;
}

/* Sparse vectors are used in place; the substitute is the mean, because there are no spelling
 * vectors. */
static psdvec_status find_vectors(test_run *a)
{
    const pv_seen_model *seen = a->seen;
    uint32_t words = a->test->words;
    pv_buffer lower = {.ctx = a->scope.ctx};
    psdvec_status status;
    if (seen->sparse)
        PV_TAKE_ZERO(&a->scope, a->sparse, words);
    else
        a->units = pv_scope_alloc(&a->scope, words, seen->dim * sizeof *a->units, true);
    PV_TAKE_ZERO(&a->scope, a->there, words);
    PV_TRY_DONE(pv_scope_status(&a->scope));
    for (uint32_t w = 0; w < words; w++) {
        a->there[w] = a->rows[w] != PV_UNKNOWN;
        if (a->there[w] && seen->sparse) {
            a->sparse[w] = pv_sparse_unit_of(pv_csr_row_of(seen->sparse, a->rows[w]));
        } else if (a->there[w]) {
            float *unit = unit_of(a, w);
            pv_unit_vector(pv_vector_set_floats_of(seen->rows, a->rows[w], 1, unit), seen->dim,
                           unit);
        } else if (!seen->sparse) {
            PV_TRY_DONE(substitute_vector(a, w, &lower));
        } else if (a->options->unknown == PSDVEC_UNKNOWN_MEAN) {
            a->sparse[w] = seen->sparse_mean;
            a->there[w] = true;
        }
    }
done:
    pv_buffer_free(&lower);
    return status;
}

/* ---- Questions ------------------------------------------------------------------------------- */

static double product(const float *x, const float *y, uint32_t dim)
{
    double sum = 0;
    for (uint32_t k = 0; k < dim; k++)
        sum += (double)x[k] * (double)y[k];
    return sum;
}

/* The lengths of normalised vectors are 1 up to rounding. Dividing by them makes the cosine of a
 * word with itself exactly 1, so that such pairs are tied. */
static double cosine(const test_run *a, uint32_t left, uint32_t right)
{
    if (a->sparse)
        return pv_sparse_cosine(a->sparse[left].row, a->sparse[right].row);
    const float *x = unit_of(a, left), *y = unit_of(a, right);
    uint32_t dim = a->seen->dim;
    double xy = product(x, y, dim), xx = product(x, x, dim), yy = product(y, y, dim);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static bool answer_known(const test_run *a, const pv_question *q)
{
    for (uint32_t k = 0; k < q->listed; k++)
        if (a->rows[a->test->lists[q->list + k]] != PV_UNKNOWN)
            return true;
    return false;
}

/* True if every word that is compared has a vector. */
static bool has_vectors(const test_run *a, const pv_question *q)
{
    psdvec_test_kind kind = a->test->info.kind;
    for (uint32_t k = 0; k < pv_question_words(kind); k++)
        if (!a->there[q->words[k]])
            return false;
    for (uint32_t k = 0; kind == PSDVEC_TEST_CHOICE && k < q->listed; k++)
        if (!a->there[a->test->lists[q->list + k]])
            return false;
    return true;
}

/* True if the question counts and can be answered. */
static bool is_asked(const test_run *a, uint32_t q)
{
    return a->outcome->counts[q] && has_vectors(a, &a->test->questions[q]);
}

/* Determines which questions the model covers, and which count. */
static void sort_questions(const test_run *a, const bool *asked)
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

/* ---- Kinds of tests ------------------------------------------------------------------------- */

static void compare_pairs(const test_run *a)
{
    for (uint32_t q = 0; q < a->test->info.questions; q++) {
        const pv_question *question = &a->test->questions[q];
        a->outcome->cosine[q] = is_asked(a, q) ? cosine(a, question->words[0], question->words[1])
                                               : 0;
    }
}

/* The right choice must be strictly nearer than every other: a tie is not an answer. */
static void choose(const test_run *a)
{
    for (uint32_t q = 0; q < a->test->info.questions; q++) {
        const pv_question *question = &a->test->questions[q];
        const uint32_t *choices = a->test->lists + question->list;
        bool right = is_asked(a, q);
        if (a->options->unknown == PSDVEC_UNKNOWN_MEAN)
            right = right && a->rows[question->words[0]] != PV_UNKNOWN;
        bool put = right;
        double best = right ? cosine(a, question->words[0], choices[0]) : 0, other = -INFINITY;
        for (uint32_t k = 1; put && (right || a->outcome->loss) && k < question->listed; k++) {
            double this = cosine(a, question->words[0], choices[k]);
            right &= this < best;
            if (a->outcome->loss && this > other) {
                other = this;
                a->outcome->answer[q] = choices[k];
            }
        }
        a->outcome->right[0][q] = right;
        if (a->outcome->loss)
            a->outcome->loss[q] = put && !right ? other - best : -1;
    }
}

static bool is_accepted(const test_run *a, const pv_question *q, uint32_t answer)
{
    for (uint32_t k = 0; k < q->listed; k++)
        if (answer != PV_UNKNOWN && a->rows[a->test->lists[q->list + k]] == answer)
            return true;
    return false;
}

/* 3CosAdd of a word of length 1 as the answer to a question. */
static double add_score(const test_run *a, const pv_question *q, pv_csr_row sparse,
                        const float *unit)
{
    double cosines[3];
    for (int k = 0; k < 3; k++)
        cosines[k] = a->sparse ? pv_sparse_cosine(sparse, a->sparse[q->words[k]].row)
                               : product(unit, unit_of(a, q->words[k]), a->seen->dim);
    return cosines[1] - cosines[0] + cosines[2];
}

/* Records a wrong answer, and by how much it scores higher than the best accepted word. `unit`:
 * dim, workspace. */
static void note_mistake(const test_run *a, uint32_t q, uint32_t answer, float *unit)
{
    const pv_question *question = &a->test->questions[q];
    pv_outcome *o = a->outcome;
    double best = -INFINITY;
    o->answer[q] = answer;
    o->loss[q] = o->right[0][q] || answer == PV_UNKNOWN ? -1 : 0;
    if (o->loss[q] < 0)
        return;
    for (uint32_t k = 0; k < question->listed; k++) {
        uint32_t w = a->test->lists[question->list + k];
        if (!a->there[w] || a->rows[w] == PV_UNKNOWN)
            continue;
        double score = add_score(a, question, a->sparse ? a->sparse[w].row : (pv_csr_row){0},
                                 a->sparse ? NULL : unit_of(a, w));
        best = score > best ? score : best;
    }
    pv_csr_row row = {0};
    if (a->sparse)
        row = pv_csr_row_of(a->seen->sparse, answer);
    else
        pv_unit_vector(pv_vector_set_floats_of(a->seen->rows, answer, 1, unit), a->seen->dim, unit);
    double loss = add_score(a, question, row, unit) - best;
    o->loss[q] = loss > 0 ? loss : 0; /* one of the three words may be expected */
}

static psdvec_status answer(test_run *a)
{
    const psdvec_test *t = a->test;
    size_t count = 0;
    uint32_t candidates = a->seen->words;
    if (a->options->restrict_words > 0 && a->options->restrict_words < candidates)
        candidates = a->options->restrict_words;
    for (uint32_t q = 0; q < t->info.questions; q++)
        count += is_asked(a, q);
    pv_analogy *analogies;
    float *unit = NULL;
    PV_TAKE(&a->scope, analogies, count);
    if (a->outcome->loss)
        PV_TAKE(&a->scope, unit, a->seen->dim);
    PV_TRY(pv_scope_status(&a->scope));
    size_t k = 0;
    for (uint32_t q = 0; q < t->info.questions; q++) {
        const uint32_t *w = t->questions[q].words;
        if (is_asked(a, q))
            analogies[k++] = (pv_analogy){
                .a = w[0],
                .b = w[1],
                .c = w[2],
                .excluded = {a->rows[w[0]], a->rows[w[1]], a->rows[w[2]]},
            };
    }
    pv_analogy_space space = {.units = a->units,
                              .sparse = a->seen->sparse,
                              .sparse_units = a->sparse,
                              .candidates = candidates,
                              .words = t->words,
                              .dim = a->seen->dim,
                              .shift = a->seen->explicit ? 0 : 1};
    if (a->seen->rows)
        space.rows = *a->seen->rows;
    PV_TRY(pv_analogies_answer(a->scope.ctx, &space, analogies, count, a->progress));
    k = 0;
    for (uint32_t q = 0; q < t->info.questions; q++) {
        const pv_question *question = &t->questions[q];
        bool put = is_asked(a, q);
        a->outcome->right[0][q] = put && is_accepted(a, question, analogies[k].add);
        a->outcome->right[1][q] = put && is_accepted(a, question, analogies[k].mul);
        if (unit)
            note_mistake(a, q, put ? analogies[k].add : PV_UNKNOWN, unit);
        k += put;
    }
    return PSDVEC_OK;
}

/* Makes as many clusters as there are categories among the words with vectors. */
static psdvec_status find_clusters(test_run *a)
{
    const psdvec_test *t = a->test;
    uint32_t k = 0, dim = a->seen->dim, *found;
    size_t n = 0;
    float *points = NULL;
    const pv_sparse_unit *sparse_units = a->sparse; /* NULL: the vectors are dense */
    pv_sparse_unit *sparse = NULL;
    bool *seen;
    if (sparse_units)
        PV_TAKE(&a->scope, sparse, t->info.questions);
    else
        points = pv_scope_alloc(&a->scope, t->info.questions, dim * sizeof *points, false);
    PV_TAKE(&a->scope, found, t->info.questions);
    PV_TAKE_ZERO(&a->scope, seen, t->categories);
    PV_TRY(pv_scope_status(&a->scope));
    for (uint32_t q = 0; q < t->info.questions; q++) {
        const pv_question *question = &t->questions[q];
        a->outcome->cluster[q] = PV_NO_CLUSTER;
        if (!is_asked(a, q))
            continue;
        if (sparse_units)
            sparse[n++] = sparse_units[question->words[0]];
        else
            memcpy(points + n++ * dim, unit_of(a, question->words[0]), dim * sizeof *points);
        k += !seen[question->category];
        seen[question->category] = true;
    }
    if (n == 0)
        return PSDVEC_OK;
    PV_TRY(pv_kmeans(a->scope.ctx, points, sparse, n, dim, k, found));
    n = 0;
    for (uint32_t q = 0; q < t->info.questions; q++)
        if (is_asked(a, q))
            a->outcome->cluster[q] = found[n++];
    return PSDVEC_OK;
}

/* ---- Complete tests -------------------------------------------------------------------------- */

psdvec_status pv_outcome_make(pv_outcome *o, pv_scope *scope, const pv_seen_model *seen,
                              const psdvec_test *test, const psdvec_eval_options *options,
                              const bool *asked, const uint32_t *rows, pv_progress *progress)
{
    size_t n = test->info.questions;
    psdvec_test_kind kind = test->info.kind;
    psdvec_status status;
    test_run a = {.scope = {.ctx = scope->ctx, .what = "the vectors of a test"},
                  .seen = seen,
                  .test = test,
                  .options = options,
                  .rows = rows,
                  .outcome = o,
                  .progress = progress};
    *o = (pv_outcome){0};
    PV_TAKE_ZERO(scope, o->known, n);
    PV_TAKE_ZERO(scope, o->counts, n);
    if (kind == PSDVEC_TEST_SIMILARITY)
        PV_TAKE_ZERO(scope, o->cosine, n);
    else if (kind == PSDVEC_TEST_CATEGORIES)
        PV_TAKE_ZERO(scope, o->cluster, n);
    else
        PV_TAKE_ZERO(scope, o->right[0], n);
    if (kind == PSDVEC_TEST_ANALOGY)
        PV_TAKE_ZERO(scope, o->right[1], n);
    if (options->mistakes && (kind == PSDVEC_TEST_ANALOGY || kind == PSDVEC_TEST_CHOICE)) {
        PV_TAKE(scope, o->answer, n);
        PV_TAKE(scope, o->loss, n);
    }
    PV_TRY(pv_scope_status(scope));
    PV_TRY_DONE(find_vectors(&a));
    sort_questions(&a, asked);
    if (kind == PSDVEC_TEST_SIMILARITY)
        compare_pairs(&a);
    else if (kind == PSDVEC_TEST_CHOICE)
        choose(&a);
    else
        status = kind == PSDVEC_TEST_ANALOGY ? answer(&a) : find_clusters(&a);
done:
    pv_scope_free(&a.scope);
    return status;
}
