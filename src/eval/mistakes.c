/* Finding and describing the questions that a model fails most.
 *
 *     kind          loss of a question
 *     similarity    difference of its ranks by cosine and by rating, as a share of all ranks
 *     analogy       3CosAdd of the answer minus that of the best accepted word
 *     choice        cosine of the answer minus that of the right word
 *     categories    share of the words of its cluster that have another category
 *
 * Only questions whose words the model has are considered. Time: sorting the questions.
 */
#include "eval/mistakes.h"

#include "eval/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 3 }; /* question, expected, answer */
#define NO_TEXT UINT64_MAX

typedef struct failure {
    uint32_t question;
    double loss, expected_rank, answer_rank;
    uint32_t answer; /* as in pv_outcome.answer */
} failure;

void pv_mistakes_init(pv_mistakes *m, psdvec_context *ctx)
{
    pv_buffer_init(&m->list, ctx);
    pv_buffer_init(&m->texts, ctx);
    pv_buffer_init(&m->places, ctx);
}

void pv_mistakes_free(pv_mistakes *m)
{
    pv_buffer_free(&m->list);
    pv_buffer_free(&m->texts);
    pv_buffer_free(&m->places);
}

static int worst_first(const void *a, const void *b)
{
    const failure *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss > y->loss ? -1 : 1;
    return x->question < y->question ? -1 : x->question > y->question;
}

/* ---- Losses ---------------------------------------------------------------------------------- */

/* Average ranks from 1, the largest value first. */
static void average_ranks(const uint32_t *ascending, uint32_t distinct, size_t n, double *counts,
                          double *ranks)
{
    memset(counts, 0, ((size_t)distinct + 1) * sizeof *counts);
    for (size_t k = 0; k < n; k++)
        counts[ascending[k]]++;
    double before = 0;
    for (uint32_t r = distinct; r-- > 0;) {
        double tied = counts[r];
        counts[r] = before + (tied + 1) / 2;
        before += tied;
    }
    for (size_t k = 0; k < n; k++)
        ranks[k] = counts[ascending[k]];
}

static psdvec_status compare_ranks(pv_scope *scope, const psdvec_test *test, const pv_outcome *o,
                                   failure *failures, size_t n)
{
    double *x, *y, *counts;
    pv_ranked ranked;
    PV_TAKE(scope, x, n);
    PV_TAKE(scope, y, n);
    PV_TAKE(scope, counts, n + 1);
    PV_TRY(pv_scope_status(scope));
    for (size_t k = 0; k < n; k++) {
        x[k] = o->cosine[failures[k].question];
        y[k] = (double)test->questions[failures[k].question].value;
    }
    PV_TRY(pv_ranked_make(&ranked, scope, x, y, n));
    average_ranks(ranked.x, ranked.x_distinct, n, counts, x);
    average_ranks(ranked.y, ranked.y_distinct, n, counts, y);
    for (size_t k = 0; k < n; k++) {
        failures[k].answer_rank = x[k];
        failures[k].expected_rank = y[k];
        failures[k].loss = n > 1 ? fabs(x[k] - y[k]) / (double)(n - 1) : 0;
    }
    return PSDVEC_OK;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t key_of(const psdvec_test *test, const pv_outcome *o, uint32_t q)
{
    return (uint64_t)o->cluster[q] << 32 | test->questions[q].category;
}

/* How many of the sorted keys are smaller. */
static size_t keys_before(const uint64_t *keys, size_t n, uint64_t key)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A cluster represents its commonest category; ties: the earlier one. */
static psdvec_status compare_clusters(pv_scope *scope, const psdvec_test *test, const pv_outcome *o,
                                      failure *failures, size_t n)
{
    uint64_t *keys;
    uint32_t *commonest; /* by cluster, of which there are at most as many as categories */
    PV_TAKE(scope, keys, n);
    PV_TAKE_ZERO(scope, commonest, test->categories);
    PV_TRY(pv_scope_status(scope));
    for (size_t k = 0; k < n; k++)
        keys[k] = key_of(test, o, failures[k].question);
    if (n)
        qsort(keys, n, sizeof *keys, by_key);
    for (size_t k = 0, most = 0, end; k < n; k = end) {
        uint32_t cluster = (uint32_t)(keys[k] >> 32);
        end = keys_before(keys, n, keys[k] + 1);
        if (k == 0 || cluster != (uint32_t)(keys[k - 1] >> 32))
            most = 0;
        if (cluster != PV_NO_CLUSTER && end - k > most) {
            most = end - k;
            commonest[cluster] = (uint32_t)keys[k];
        }
    }
    for (size_t k = 0; k < n; k++) {
        uint32_t q = failures[k].question, category = test->questions[q].category;
        if (o->cluster[q] == PV_NO_CLUSTER)
            continue;
        uint64_t key = key_of(test, o, q), cluster = (uint64_t)o->cluster[q];
        size_t own = keys_before(keys, n, key + 1) - keys_before(keys, n, key);
        size_t all = keys_before(keys, n, (cluster + 1) << 32) -
                     keys_before(keys, n, cluster << 32);
        failures[k].answer = commonest[cluster];
        failures[k].loss = commonest[cluster] == category ? -1 : 1 - (double)own / (double)all;
    }
    return PSDVEC_OK;
}

/* The failures, worst first. `failures` has capacity for all questions. */
static psdvec_status find(pv_scope *scope, const psdvec_test *test, const pv_outcome *o,
                          failure *failures, size_t *count)
{
    psdvec_test_kind kind = test->info.kind;
    size_t n = 0;
    for (uint32_t q = 0; q < test->info.questions; q++)
        if (o->known[q])
            failures[n++] = (failure){.question = q,
                                      .loss = o->loss ? o->loss[q] : -1,
                                      .answer = o->answer ? o->answer[q] : PV_UNKNOWN,
                                      .expected_rank = NAN,
                                      .answer_rank = NAN};
    if (kind == PSDVEC_TEST_SIMILARITY)
        PV_TRY(compare_ranks(scope, test, o, failures, n));
    else if (kind == PSDVEC_TEST_CATEGORIES)
        PV_TRY(compare_clusters(scope, test, o, failures, n));
    size_t kept = 0;
    for (size_t k = 0; k < n; k++) /* a negative loss is a right answer */
        if (kind == PSDVEC_TEST_SIMILARITY ? failures[k].loss > 0 : failures[k].loss >= 0)
            failures[kept++] = failures[k];
    if (kept)
        qsort(failures, kept, sizeof *failures, worst_first);
    *count = kept;
    return PSDVEC_OK;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static psdvec_status put(pv_mistakes *m, bool first, const char *bytes, size_t length)
{
    if (!first)
        PV_TRY(pv_buffer_byte(&m->texts, ' '));
    return pv_buffer_append(&m->texts, bytes, length);
}

static psdvec_status put_word(pv_mistakes *m, bool first, const psdvec_test *t, uint32_t w)
{
    return put(m, first, t->bytes + t->offsets[w], (size_t)(t->offsets[w + 1] - t->offsets[w]));
}

static psdvec_status put_category(pv_mistakes *m, const psdvec_test *t, uint32_t category)
{
    const uint64_t *offsets = (const uint64_t *)(const void *)t->category_pool.offsets.data;
    return put(m, true, t->category_pool.bytes.data + offsets[category],
               (size_t)(offsets[category + 1] - offsets[category]));
}

/* Ends a text that began at `begin`, and records its place. */
static psdvec_status end_text(pv_mistakes *m, uint64_t begin)
{
    PV_TRY(pv_buffer_byte(&m->texts, '\0'));
    return pv_buffer_append(&m->places, &begin, sizeof begin);
}

static psdvec_status put_texts(pv_mistakes *m, const psdvec_test *t, const psdvec_model *model,
                               const failure *f)
{
    const pv_question *q = &t->questions[f->question];
    psdvec_test_kind kind = t->info.kind;
    uint64_t begin = m->texts.length, none = NO_TEXT;
    for (uint32_t k = 0; k < pv_question_words(kind); k++)
        PV_TRY(put_word(m, k == 0, t, q->words[k]));
    PV_TRY(end_text(m, begin));
    if (kind == PSDVEC_TEST_SIMILARITY) {
        PV_TRY(pv_buffer_append(&m->places, &none, sizeof none));
        return pv_buffer_append(&m->places, &none, sizeof none);
    }
    begin = m->texts.length;
    if (kind == PSDVEC_TEST_CATEGORIES)
        PV_TRY(put_category(m, t, q->category));
    for (uint32_t k = 0; k < (kind == PSDVEC_TEST_CHOICE ? 1 : q->listed); k++)
        PV_TRY(put_word(m, k == 0, t, t->lists[q->list + k]));
    PV_TRY(end_text(m, begin));
    if (f->answer == PV_UNKNOWN)
        return pv_buffer_append(&m->places, &none, sizeof none);
    begin = m->texts.length;
    if (kind == PSDVEC_TEST_CATEGORIES) {
        PV_TRY(put_category(m, t, f->answer));
    } else if (kind == PSDVEC_TEST_CHOICE) {
        PV_TRY(put_word(m, true, t, f->answer));
    } else {
        size_t length;
        const char *word = psdvec_model_word(model, f->answer, &length);
        PV_TRY(put(m, true, word, length));
    }
    return end_text(m, begin);
}

/* ---- All of them ----------------------------------------------------------------------------- */

psdvec_status pv_mistakes_add(pv_mistakes *m, uint32_t test_number, const psdvec_test *test,
                              uint32_t model_number, const psdvec_model *model,
                              const pv_outcome *outcome, uint32_t most)
{
    psdvec_status status;
    pv_scope scope = {.ctx = m->list.ctx, .what = "the mistakes of a test"};
    failure *failures;
    size_t count;
    PV_TAKE(&scope, failures, test->info.questions);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(find(&scope, test, outcome, failures, &count));
    for (size_t k = 0; k < count && k < most; k++) {
        const failure *f = &failures[k];
        uint32_t section = test->questions[f->question].section;
        const psdvec_mistake mistake = {.test = test_number,
                                        .model = model_number,
                                        .section = section == PV_NO_SECTION ? PSDVEC_SECTION_WHOLE
                                                                            : (int32_t)section,
                                        .loss = f->loss,
                                        .expected_rank = f->expected_rank,
                                        .answer_rank = f->answer_rank};
        PV_TRY_DONE(pv_buffer_append(&m->list, &mistake, sizeof mistake));
        PV_TRY_DONE(put_texts(m, test, model, f));
    }
done:
    pv_scope_free(&scope);
    return status;
}

void pv_mistakes_finish(pv_mistakes *m)
{
    psdvec_mistake *list = (psdvec_mistake *)(void *)m->list.data;
    const uint64_t *places = (const uint64_t *)(const void *)m->places.data;
    for (size_t k = 0; k < m->list.length / sizeof *list; k++) {
        const uint64_t *at = places + TEXTS * k;
        list[k].question = m->texts.data + at[0];
        list[k].expected = at[1] == NO_TEXT ? NULL : m->texts.data + at[1];
        list[k].answer = at[2] == NO_TEXT ? NULL : m->texts.data + at[2];
    }
}
