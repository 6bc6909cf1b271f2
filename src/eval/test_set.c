/* Building a test set. */
#include "eval/test_set.h"

#include "model/find.h"

#include <string.h>
#include <xxhash.h>

/* ---- Word pools --------------------------------------------------------- */

psdvec_status pv_test_add_word(psdvec_test *t, pv_word_pool *pool, const char *word, size_t length,
                               uint32_t *number)
{
    uint64_t begin = pool->bytes.length;
    if (pool->count == UINT32_MAX - 1)
        return pv_fail(t->scope.ctx, PSDVEC_ERR_OVERFLOW, "%s: has too many words", t->path);
    PV_TRY(pv_buffer_append(&pool->offsets, &begin, sizeof begin));
    PV_TRY(pv_buffer_append(&pool->bytes, word, length));
    *number = pool->count++;
    return PSDVEC_OK;
}

/* Removes duplicates: `numbers` (count) maps words to distinct words, *distinct is their number.
 * The pool keeps the bytes and offsets of the distinct words. */
static psdvec_status pool_finish(psdvec_context *ctx, pv_word_pool *pool, uint32_t *numbers,
                                 uint32_t *distinct)
{
    uint64_t end = pool->bytes.length;
    pv_word_index index;
    *distinct = 0;
    PV_TRY(pv_buffer_append(&pool->offsets, &end, sizeof end));
    PV_TRY(pv_buffer_reserve(&pool->bytes, 1));
    uint64_t *offsets = (uint64_t *)(void *)pool->offsets.data;
    PV_TRY(pv_word_index_init(&index, ctx, pool->count, pool->bytes.data, offsets,
                              "the words of a test"));
    for (uint32_t i = 0; i < pool->count; i++) {
        uint32_t other;
        if (pv_word_index_add(&index, i, &other))
            numbers[i] = (*distinct)++;
        else
            numbers[i] = numbers[other];
    }
    pv_word_index_free(&index);
    /* Word k moves to the front of the bytes; nothing that is still needed is overwritten. */
    uint64_t to = 0;
    for (uint32_t i = 0, k = 0; i < pool->count; i++) {
        uint64_t begin = offsets[i], length = offsets[i + 1] - begin;
        if (numbers[i] != k)
            continue;
        memmove(pool->bytes.data + to, pool->bytes.data + begin, (size_t)length);
        offsets[k++] = to;
        to += length;
    }
    offsets[*distinct] = to;
    return PSDVEC_OK;
}

/* ---- Adding --------------------------------------------------------------------- */

psdvec_status pv_test_new(psdvec_context *ctx, const char *path, psdvec_test **test)
{
    psdvec_test *t = *test = pv_alloc_zero(ctx, 1, sizeof *t, "a test");
    if (!t)
        return pv_failure(ctx);
    t->scope = (pv_scope){.ctx = pv_context_hold(ctx), .what = "the names in a test"};
    t->path = path;
    t->word_pool.bytes.ctx = t->word_pool.offsets.ctx = ctx;
    t->category_pool.bytes.ctx = t->category_pool.offsets.ctx = ctx;
    t->question_bytes.ctx = t->list_bytes.ctx = t->section_bytes.ctx = ctx;
    return PSDVEC_OK;
}

psdvec_status pv_test_add_listed(psdvec_test *t, uint32_t word, uint32_t *place)
{
    size_t at = t->list_bytes.length / sizeof word;
    if (at >= UINT32_MAX)
        return pv_fail(t->scope.ctx, PSDVEC_ERR_OVERFLOW, "%s: has too many words", t->path);
    *place = (uint32_t)at;
    return pv_buffer_append(&t->list_bytes, &word, sizeof word);
}

static psdvec_status copy_name(psdvec_test *t, const char *name, size_t length, char **copy)
{
    PV_TAKE_ZERO(&t->scope, *copy, length + 1);
    PV_TRY(pv_scope_status(&t->scope));
    memcpy(*copy, name, length);
    return PSDVEC_OK;
}

psdvec_status pv_test_add_section(psdvec_test *t, const char *name, size_t length, uint32_t *number)
{
    char *copy;
    PV_TRY(copy_name(t, name, length, &copy));
    *number = (uint32_t)(t->section_bytes.length / sizeof copy);
    return pv_buffer_append(&t->section_bytes, &copy, sizeof copy);
}

psdvec_status pv_test_add_question(psdvec_test *t, const pv_question *question)
{
    if (t->question_bytes.length / sizeof *question >= PV_MOST_QUESTIONS)
        return pv_fail(t->scope.ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: has more than %u questions; divide it into several sets", t->path,
                       PV_MOST_QUESTIONS);
    return pv_buffer_append(&t->question_bytes, question, sizeof *question);
}

/* ---- The end ---------------------------------------------------------------------- */

static psdvec_status number_words(psdvec_test *t, pv_scope *scope, uint32_t per_question)
{
    uint32_t *numbers, *groups;
    PV_TAKE(scope, numbers, t->word_pool.count);
    PV_TAKE(scope, groups, t->category_pool.count);
    PV_TRY(pv_scope_status(scope));
    PV_TRY(pool_finish(scope->ctx, &t->word_pool, numbers, &t->words));
    PV_TRY(pool_finish(scope->ctx, &t->category_pool, groups, &t->categories));
    for (uint32_t q = 0; q < t->info.questions; q++) {
        for (uint32_t k = 0; k < per_question; k++)
            t->questions[q].words[k] = numbers[t->questions[q].words[k]];
        if (t->categories > 0)
            t->questions[q].category = groups[t->questions[q].category];
    }
    for (size_t k = 0; k < t->list_bytes.length / sizeof *t->lists; k++)
        t->lists[k] = numbers[t->lists[k]];
    t->bytes = t->word_pool.bytes.data;
    t->offsets = (uint64_t *)(void *)t->word_pool.offsets.data;
    return PSDVEC_OK;
}

static psdvec_status drop_empty_sections(psdvec_test *t, pv_scope *scope)
{
    uint32_t count = (uint32_t)(t->section_bytes.length / sizeof *t->sections), *numbers;
    PV_TAKE_ZERO(scope, numbers, count);
    PV_TRY(pv_scope_status(scope));
    t->sections = (char **)(void *)t->section_bytes.data;
    for (uint32_t q = 0; q < t->info.questions; q++)
        if (t->questions[q].section != PV_NO_SECTION)
            numbers[t->questions[q].section] = 1;
    for (uint32_t s = 0; s < count; s++)
        if (numbers[s]) {
            t->sections[t->info.sections] = t->sections[s];
            numbers[s] = t->info.sections++;
        }
    for (uint32_t q = 0; q < t->info.questions; q++)
        if (t->questions[q].section != PV_NO_SECTION)
            t->questions[q].section = numbers[t->questions[q].section];
    return PSDVEC_OK;
}

static psdvec_status add_word(const psdvec_test *t, uint32_t word, pv_buffer *text)
{
    const char *bytes = t->bytes + t->offsets[word];
    PV_TRY(pv_lower_case(text, bytes, (size_t)(t->offsets[word + 1] - t->offsets[word])));
    return pv_buffer_byte(text, '\t');
}

/* XXH3 of the words in lower case with a tab between them: independent of the position of the
 * question. */
static psdvec_status hash_questions(psdvec_test *t, uint32_t per_question)
{
    pv_buffer text = {.ctx = t->scope.ctx};
    psdvec_status status = PSDVEC_OK;
    for (uint32_t q = 0; q < t->info.questions; q++) {
        pv_question *question = &t->questions[q];
        text.length = 0;
        for (uint32_t k = 0; k < per_question; k++)
            PV_TRY_DONE(add_word(t, question->words[k], &text));
        for (uint32_t k = 0; k < question->listed; k++)
            PV_TRY_DONE(add_word(t, t->lists[question->list + k], &text));
        question->hash = XXH3_64bits(text.data, text.length - 1);
    }
done:
    pv_buffer_free(&text);
    return status;
}

psdvec_status pv_test_finish(psdvec_test *t, psdvec_test_kind kind, const char *name, size_t length,
                             bool builtin)
{
    psdvec_status status;
    pv_scope scope = {.ctx = t->scope.ctx, .what = "the words of a test"};
    char *copy;
    if (t->question_bytes.length == 0)
        return pv_fail(scope.ctx, PSDVEC_ERR_EMPTY, "%s: has no questions", t->path);
    t->questions = (pv_question *)(void *)t->question_bytes.data;
    t->info.questions = (uint32_t)(t->question_bytes.length / sizeof *t->questions);
    t->lists = (uint32_t *)(void *)t->list_bytes.data;
    PV_TRY_DONE(number_words(t, &scope, pv_question_words(kind)));
    PV_TRY_DONE(drop_empty_sections(t, &scope));
    PV_TRY_DONE(hash_questions(t, pv_question_words(kind)));
    PV_TRY_DONE(copy_name(t, name, length, &copy));
    t->info.name = copy;
    t->info.kind = kind;
    t->info.builtin = builtin;
    t->path = NULL;
done:
    pv_scope_free(&scope);
    return status;
}

void psdvec_test_close(psdvec_test *test)
{
    if (!test)
        return;
    psdvec_context *ctx = test->scope.ctx;
    pv_buffer_free(&test->word_pool.bytes);
    pv_buffer_free(&test->word_pool.offsets);
    pv_buffer_free(&test->category_pool.bytes);
    pv_buffer_free(&test->category_pool.offsets);
    pv_buffer_free(&test->question_bytes);
    pv_buffer_free(&test->list_bytes);
    pv_buffer_free(&test->section_bytes);
    pv_scope_free(&test->scope);
    pv_free(ctx, test);
    pv_context_release(ctx);
}

const psdvec_test_info *psdvec_test_get_info(const psdvec_test *test)
{
    return test ? &test->info : NULL;
}

const char *psdvec_test_section(const psdvec_test *test, uint32_t s)
{
    return test && s < test->info.sections ? test->sections[s] : NULL;
}
