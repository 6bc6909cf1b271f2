/* A test set is put together. */
#include "eval/test_set.h"

#include "model/find.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- Words as they come --------------------------------------------------------- */

static psdvec_status pool_add(psdvec_context *ctx, pv_word_pool *pool, const char *word,
                              size_t length, const char *path, uint32_t *number)
{
    uint64_t begin = pool->bytes.length;
    if (pool->count == UINT32_MAX - 1)
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "%s: has too many words", path);
    PV_TRY(pv_buffer_append(&pool->offsets, &begin, sizeof begin));
    PV_TRY(pv_buffer_append(&pool->bytes, word, length));
    *number = pool->count++;
    return PSDVEC_OK;
}

/* Equal words become one: `numbers` (count) says which, *distinct how many there are. The
 * bytes and offsets that remain are the pool's. */
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

psdvec_status pv_builder_init(pv_test_builder *b, psdvec_context *ctx, const char *path)
{
    *b = (pv_test_builder){.ctx = ctx, .path = path};
    pv_buffer_init(&b->words.bytes, ctx);
    pv_buffer_init(&b->words.offsets, ctx);
    pv_buffer_init(&b->categories.bytes, ctx);
    pv_buffer_init(&b->categories.offsets, ctx);
    pv_buffer_init(&b->questions, ctx);
    pv_buffer_init(&b->lists, ctx);
    pv_buffer_init(&b->sections, ctx);
    b->test = pv_alloc_zero(ctx, 1, sizeof *b->test, "a test");
    if (!b->test)
        return pv_failure(ctx);
    b->test->ctx = pv_context_hold(ctx);
    return PSDVEC_OK;
}

void pv_builder_free(pv_test_builder *b)
{
    char **sections = (char **)(void *)b->sections.data;
    for (size_t s = 0; s < b->sections.length / sizeof *sections; s++)
        pv_free(b->ctx, sections[s]);
    pv_buffer_free(&b->words.bytes);
    pv_buffer_free(&b->words.offsets);
    pv_buffer_free(&b->categories.bytes);
    pv_buffer_free(&b->categories.offsets);
    pv_buffer_free(&b->questions);
    pv_buffer_free(&b->lists);
    pv_buffer_free(&b->sections);
    psdvec_test_close(b->test);
    b->test = NULL;
}

psdvec_status pv_builder_word(pv_test_builder *b, const char *word, size_t length, uint32_t *number)
{
    return pool_add(b->ctx, &b->words, word, length, b->path, number);
}

psdvec_status pv_builder_category(pv_test_builder *b, const char *word, size_t length,
                                  uint32_t *number)
{
    return pool_add(b->ctx, &b->categories, word, length, b->path, number);
}

psdvec_status pv_builder_list(pv_test_builder *b, uint32_t word, uint32_t *place)
{
    size_t at = b->lists.length / sizeof word;
    if (at >= UINT32_MAX)
        return pv_fail(b->ctx, PSDVEC_ERR_OVERFLOW, "%s: has too many words", b->path);
    *place = (uint32_t)at;
    return pv_buffer_append(&b->lists, &word, sizeof word);
}

static char *copy_text(psdvec_context *ctx, const char *text, size_t length)
{
    char *copy = pv_alloc(ctx, length + 1, 1, "the names in a test");
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

psdvec_status pv_builder_section(pv_test_builder *b, const char *name, size_t length,
                                 uint32_t *number)
{
    char *copy = copy_text(b->ctx, name, length);
    if (!copy)
        return pv_failure(b->ctx);
    *number = (uint32_t)(b->sections.length / sizeof copy);
    psdvec_status status = pv_buffer_append(&b->sections, &copy, sizeof copy);
    if (status != PSDVEC_OK)
        pv_free(b->ctx, copy);
    return status;
}

psdvec_status pv_builder_question(pv_test_builder *b, const pv_question *question)
{
    if (b->questions.length / sizeof *question >= PV_MOST_QUESTIONS)
        return pv_fail(b->ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: has more than %u questions; divide it into several sets", b->path,
                       PV_MOST_QUESTIONS);
    return pv_buffer_append(&b->questions, question, sizeof *question);
}

/* ---- The end ---------------------------------------------------------------------- */

static uint32_t words_in(psdvec_test_kind kind)
{
    return kind == PSDVEC_TEST_SIMILARITY ? 2 : kind == PSDVEC_TEST_ANALOGY ? 3 : 1;
}

static psdvec_status number_words(pv_test_builder *b, uint32_t per_question)
{
    psdvec_test *t = b->test;
    psdvec_status status = PSDVEC_OK;
    uint32_t *numbers = pv_alloc(b->ctx, b->words.count, sizeof *numbers, "the words of a test");
    uint32_t *groups = pv_alloc(b->ctx, b->categories.count, sizeof *groups, "groups of words");
    if (!numbers || !groups) {
        status = pv_failure(b->ctx);
        goto done;
    }
    PV_TRY_DONE(pool_finish(b->ctx, &b->words, numbers, &t->words));
    PV_TRY_DONE(pool_finish(b->ctx, &b->categories, groups, &t->categories));
    for (uint32_t q = 0; q < t->info.questions; q++) {
        for (uint32_t k = 0; k < per_question; k++)
            t->questions[q].words[k] = numbers[t->questions[q].words[k]];
        if (t->categories > 0)
            t->questions[q].category = groups[t->questions[q].category];
    }
    for (size_t k = 0; k < t->list_length; k++)
        t->lists[k] = numbers[t->lists[k]];
done:
    pv_free(b->ctx, numbers);
    pv_free(b->ctx, groups);
    return status;
}

static psdvec_status drop_empty_sections(pv_test_builder *b)
{
    psdvec_test *t = b->test;
    char **names = (char **)(void *)b->sections.data;
    uint32_t count = (uint32_t)(b->sections.length / sizeof *names), kept = 0;
    uint32_t *numbers = pv_alloc_zero(b->ctx, count, sizeof *numbers, "the sections of a test");
    if (!numbers)
        return pv_failure(b->ctx);
    for (uint32_t q = 0; q < t->info.questions; q++)
        if (t->questions[q].section != PV_NO_SECTION)
            numbers[t->questions[q].section] = 1;
    for (uint32_t s = 0; s < count; s++) {
        if (!numbers[s]) {
            pv_free(b->ctx, names[s]);
            continue;
        }
        names[kept] = names[s];
        numbers[s] = kept++;
    }
    for (uint32_t q = 0; q < t->info.questions; q++)
        if (t->questions[q].section != PV_NO_SECTION)
            t->questions[q].section = numbers[t->questions[q].section];
    pv_free(b->ctx, numbers);
    t->sections = names;
    t->info.sections = kept;
    b->sections = (pv_buffer){.ctx = b->ctx};
    return PSDVEC_OK;
}

static psdvec_status add_word(const psdvec_test *t, uint32_t word, pv_buffer *text)
{
    const char *bytes = t->bytes + t->offsets[word];
    PV_TRY(pv_lower_case(text, bytes, (size_t)(t->offsets[word + 1] - t->offsets[word])));
    return pv_buffer_byte(text, '\t');
}

/* XXH3 of the words in lower case with a tab between them: the same wherever the question
 * stands. */
static psdvec_status hash_questions(psdvec_test *t, uint32_t per_question)
{
    pv_buffer text;
    psdvec_status status = PSDVEC_OK;
    pv_buffer_init(&text, t->ctx);
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

psdvec_status pv_builder_finish(pv_test_builder *b, psdvec_test_kind kind, const char *name,
                                size_t name_length, bool builtin, psdvec_test **test)
{
    psdvec_test *t = b->test;
    if (b->questions.length == 0)
        return pv_fail(b->ctx, PSDVEC_ERR_EMPTY, "%s: has no questions", b->path);
    t->questions = (pv_question *)(void *)b->questions.data;
    t->info.questions = (uint32_t)(b->questions.length / sizeof *t->questions);
    b->questions = (pv_buffer){.ctx = b->ctx};
    t->lists = (uint32_t *)(void *)b->lists.data;
    t->list_length = b->lists.length / sizeof *t->lists;
    b->lists = (pv_buffer){.ctx = b->ctx};
    PV_TRY(number_words(b, words_in(kind)));
    t->bytes = b->words.bytes.data;
    t->offsets = (uint64_t *)(void *)b->words.offsets.data;
    b->words.bytes = b->words.offsets = (pv_buffer){.ctx = b->ctx};
    PV_TRY(drop_empty_sections(b));
    PV_TRY(hash_questions(t, words_in(kind)));
    t->name = copy_text(b->ctx, name, name_length);
    if (!t->name)
        return pv_failure(b->ctx);
    t->info.name = t->name;
    t->info.kind = kind;
    t->info.builtin = builtin;
    *test = t;
    b->test = NULL;
    return PSDVEC_OK;
}

void psdvec_test_close(psdvec_test *test)
{
    if (!test)
        return;
    psdvec_context *ctx = test->ctx;
    for (uint32_t s = 0; s < test->info.sections; s++)
        pv_free(ctx, test->sections[s]);
    pv_free(ctx, test->sections);
    pv_free(ctx, test->lists);
    pv_free(ctx, test->questions);
    pv_free(ctx, test->offsets);
    pv_free(ctx, test->bytes);
    pv_free(ctx, test->name);
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
