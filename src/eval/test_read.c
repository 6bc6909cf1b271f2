/* Conversion of tables to test sets.
 *
 * A file is split into rows of fields (test_table.h), its form is detected, and each row becomes a
 * question; in files of word pairs, any two rows do. A row that does not fit the form is an error
 * that names the row. test_list.c decides which files form a set.
 */
#include "base/arguments.h"
#include "eval/builtin_data.h"
#include "eval/test_set.h"
#include "eval/test_table.h"
#include "model/model_read.h"

#include <inttypes.h>
#include <string.h>

typedef struct reading {
    psdvec_context *ctx;
    psdvec_test *test;
    const pv_table *table;
    pv_layout layout;
    uint32_t section;        /* of the next question */
    uint32_t *file_sections; /* numbers of the table's sections in the set */
    const char *prefix;      /* of the section names, if there are several files; or NULL */
    size_t prefix_length;
} reading;

/* ---- Words ------------------------------------------------------------------------------ */

static psdvec_status take_word(reading *r, const pv_row *row, uint32_t column, uint32_t *number)
{
    const pv_field *field = &pv_row_fields(r->table, row)[column];
    size_t length = field->length;
    *number = 0;
    if (length == 0)
        return pv_table_reject(r->table, row->line,
                               "field %" PRIu32 " is empty; a word is expected", column + 1);
    if (r->layout.speech)
        length -= 2;
    return pv_test_add_word(r->test, &r->test->word_pool, field->at, length, number);
}

static psdvec_status reject_count(const reading *r, const pv_row *row, const char *expected)
{
    return pv_table_reject(r->table, row->line, "%s expected, but the line has %" PRIu32 " field%s",
                           expected, row->count, row->count == 1 ? "" : "s");
}

/* ---- A row of each form -------------------------------------------------------------------- */

static psdvec_status add_similarity(reading *r, const pv_row *row, pv_question *q)
{
    const pv_layout *l = &r->layout;
    const pv_field *fields = pv_row_fields(r->table, row);
    uint32_t last = l->word1 > l->word2 ? l->word1 : l->word2;
    if (row->count <= last || row->count <= l->value)
        return reject_count(r, row, "two words and a number are");
    if (!pv_field_number(&fields[l->value], &q->value)) {
        pv_st_shown shown = pv_word_shown(fields[l->value].at, fields[l->value].length);
        return pv_table_reject(r->table, row->line,
                               "two words and a number are expected, but '%s' is not a number",
                               shown.text);
    }
    PV_TRY(take_word(r, row, l->word1, &q->words[0]));
    PV_TRY(take_word(r, row, l->word2, &q->words[1]));
    return PSDVEC_OK;
}

/* Tags divide a set into sections, in order of appearance. */
static psdvec_status tag_section(reading *r, const pv_field *tag, uint32_t *section)
{
    char **names = (char **)(void *)r->test->section_bytes.data;
    size_t count = r->test->section_bytes.length / sizeof *names;
    for (size_t s = 0; s < count; s++)
        if (strlen(names[s]) == tag->length && memcmp(names[s], tag->at, tag->length) == 0) {
            *section = (uint32_t)s;
            return PSDVEC_OK;
        }
    if (count >= 10000)
        return pv_fail(r->ctx, PSDVEC_ERR_OVERFLOW, "%s: has too many sections", r->table->path);
    return pv_test_add_section(r->test, tag->at, tag->length, section);
}

static psdvec_status add_analogy(reading *r, const pv_row *row, pv_question *q)
{
    uint32_t tag = r->layout.tag, wanted = tag == PV_NO_COLUMN ? 4 : 5, answer, numbers[4];
    if (row->count != wanted)
        return reject_count(r, row,
                            tag == PV_NO_COLUMN ? "four words are" : "a tag and four words are");
    if (tag != PV_NO_COLUMN)
        PV_TRY(tag_section(r, &pv_row_fields(r->table, row)[tag], &q->section));
    for (uint32_t c = 0, k = 0; c < wanted; c++)
        if (c != tag)
            PV_TRY(take_word(r, row, c, &numbers[k++]));
    memcpy(q->words, numbers, sizeof q->words);
    answer = numbers[3];
    PV_TRY(pv_test_add_listed(r->test, answer, &q->list));
    q->listed = 1;
    return PSDVEC_OK;
}

static psdvec_status add_choice(reading *r, const pv_row *row, pv_question *q)
{
    if (row->count < 3)
        return reject_count(r, row, "a word, the right choice and other choices are");
    PV_TRY(take_word(r, row, 0, &q->words[0]));
    for (uint32_t c = 1; c < row->count; c++) {
        uint32_t word, place;
        PV_TRY(take_word(r, row, c, &word));
        PV_TRY(pv_test_add_listed(r->test, word, &place));
        if (c == 1)
            q->list = place;
    }
    q->listed = row->count - 1;
    return PSDVEC_OK;
}

static psdvec_status add_category(reading *r, const pv_row *row, pv_question *q)
{
    if (row->count != 2)
        return reject_count(r, row, "a word and its category are");
    const pv_field *group = &pv_row_fields(r->table, row)[1];
    PV_TRY(take_word(r, row, 0, &q->words[0]));
    PV_TRY(
        pv_test_add_word(r->test, &r->test->category_pool, group->at, group->length, &q->category));
    return PSDVEC_OK;
}

/* ---- Word pairs ------------------------------------------------------------------------------ */

typedef struct word_pair {
    uint32_t word, list, listed, section;
    const pv_field *field; /* of the word */
} word_pair;

/* Reads the answers of a row, which are separated by slashes. */
static psdvec_status take_answers(reading *r, const pv_row *row, word_pair *pair)
{
    const pv_field *field = &pv_row_fields(r->table, row)[1];
    const char *at = field->at, *end = at + field->length;
    while (at < end) {
        const char *stop = memchr(at, '/', (size_t)(end - at));
        uint32_t word, place;
        if (!stop)
            stop = end;
        if (stop > at) {
            PV_TRY(pv_test_add_word(r->test, &r->test->word_pool, at, (size_t)(stop - at), &word));
            PV_TRY(pv_test_add_listed(r->test, word, &place));
            if (pair->listed++ == 0)
                pair->list = place;
        }
        at = stop + 1;
    }
    return pair->listed > 0 ? PSDVEC_OK
                            : pv_table_reject(r->table, row->line,
                                              "a word and its answers are "
                                              "expected, but there is none");
}

static bool same_word(const word_pair *a, const word_pair *b)
{
    return a->field->length == b->field->length &&
           memcmp(a->field->at, b->field->at, a->field->length) == 0;
}

/* Asks a : b as c : ? for any two rows of a section with different words; b is the first of a's
 * answers. */
static psdvec_status ask_pairs(reading *r, const word_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        PV_TRY(pv_check_cancel(r->ctx));
        for (size_t j = 0; j < count; j++) {
            const word_pair *a = &pairs[i], *c = &pairs[j];
            if (a->section != c->section || same_word(a, c))
                continue;
            uint32_t b = ((uint32_t *)(void *)r->test->list_bytes.data)[a->list];
            pv_question q = {.words = {a->word, b, c->word},
                             .list = c->list,
                             .listed = c->listed,
                             .section = a->section};
            PV_TRY(pv_test_add_question(r->test, &q));
        }
    }
    return PSDVEC_OK;
}

static uint32_t section_of(const reading *r, const pv_row *row)
{
    return row->section == UINT32_MAX ? r->section : r->file_sections[row->section];
}

static psdvec_status add_pairs(reading *r)
{
    const pv_table *t = r->table;
    psdvec_status status;
    pv_scope scope = {.ctx = r->ctx, .what = "the pairs of a test"};
    word_pair *pairs;
    PV_TAKE_ZERO(&scope, pairs, t->row_count);
    PV_TRY(pv_scope_status(&scope));
    for (size_t k = 0; k < t->row_count; k++) {
        const pv_row *row = &t->rows[k];
        if (row->count != 2)
            PV_TRY_DONE(reject_count(r, row, "a word and its answers are"));
        pairs[k].field = &pv_row_fields(t, row)[0];
        pairs[k].section = section_of(r, row);
        PV_TRY_DONE(take_word(r, row, 0, &pairs[k].word));
        PV_TRY_DONE(take_answers(r, row, &pairs[k]));
    }
    status = ask_pairs(r, pairs, t->row_count);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

static psdvec_status add_rows(reading *r)
{
    static psdvec_status (*const add[])(reading *, const pv_row *,
                                        pv_question *) = {[PV_FORM_SIMILARITY] = add_similarity,
                                                          [PV_FORM_ANALOGY] = add_analogy,
                                                          [PV_FORM_CHOICE] = add_choice,
                                                          [PV_FORM_CATEGORIES] = add_category};
    if (r->layout.form == PV_FORM_PAIRS)
        return add_pairs(r);
    for (size_t k = r->layout.header; k < r->table->row_count; k++) {
        const pv_row *row = &r->table->rows[k];
        pv_question q = {.section = section_of(r, row)};
        PV_TRY(add[r->layout.form](r, row, &q));
        PV_TRY(pv_test_add_question(r->test, &q));
    }
    return PSDVEC_OK;
}

static psdvec_status add_table(reading *r, const pv_table *t, const pv_layout *layout)
{
    psdvec_status status;
    pv_buffer name = {.ctx = r->ctx};
    pv_scope scope = {.ctx = r->ctx, .what = "sections"};
    r->table = t;
    r->layout = *layout;
    r->test->path = t->path;
    r->section = PV_NO_SECTION;
    PV_TAKE(&scope, r->file_sections, t->section_count);
    PV_TRY_DONE(pv_scope_status(&scope));
    if (r->prefix)
        PV_TRY_DONE(pv_test_add_section(r->test, r->prefix, r->prefix_length, &r->section));
    for (uint32_t s = 0; s < t->section_count; s++) {
        name.length = 0;
        if (r->prefix) {
            PV_TRY_DONE(pv_buffer_append(&name, r->prefix, r->prefix_length));
            PV_TRY_DONE(pv_buffer_text(&name, ": "));
        }
        PV_TRY_DONE(pv_buffer_append(&name, t->sections[s].at, t->sections[s].length));
        PV_TRY_DONE(pv_test_add_section(r->test, name.data, name.length, &r->file_sections[s]));
    }
    status = add_rows(r);
done:
    pv_scope_free(&scope);
    pv_buffer_free(&name);
    return status;
}

psdvec_status pv_test_make(psdvec_context *ctx, const pv_test_source *source, psdvec_test **test)
{
    reading r = {.ctx = ctx};
    psdvec_status status;
    PV_TRY_DONE(pv_test_new(ctx, source->path, &r.test));
    for (size_t k = 0; k < source->count; k++) {
        if (source->count > 1)
            r.prefix = pv_test_name(source->tables[k].path, &r.prefix_length);
        PV_TRY_DONE(add_table(&r, &source->tables[k], &source->layouts[k]));
    }
    r.test->path = source->path;
    PV_TRY_DONE(pv_test_finish(r.test, pv_form_kind(source->layouts[0].form), source->name,
                               source->name_length, source->builtin));
    *test = r.test;
    r.test = NULL;
done:
    psdvec_test_close(r.test);
    return status;
}

const char *pv_test_name(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    *length = strlen(name);
    if (dot && dot > name &&
        strspn(dot + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(dot + 1))
        *length = (size_t)(dot - name);
    return name;
}

/* ---- Built-in sets --------------------------------------------------------------------------- */

size_t psdvec_test_builtin_count(void)
{
    return pv_builtin_sets_count;
}

psdvec_status psdvec_test_builtin(psdvec_context *ctx, size_t i, psdvec_test **test)
{
    PV_CLEAR(test);
    PV_BEGIN(ctx);
    PV_NEED(ctx, test);
    if (i >= pv_builtin_sets_count)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "there is no built-in test set %zu; the number of "
                       "built-in test sets is %zu",
                       i, pv_builtin_sets_count);
    const pv_builtin_set *set = &pv_builtin_sets[i];
    pv_table table;
    pv_layout layout;
    pv_test_source source = {.path = set->name,
                             .name = set->name,
                             .name_length = strlen(set->name),
                             .tables = &table,
                             .layouts = &layout,
                             .count = 1,
                             .builtin = true};
    psdvec_status status = pv_table_read(&table, ctx, set->name, set->text, set->length);
    if (status == PSDVEC_OK)
        status = pv_form_recognise(&table, &layout);
    if (status == PSDVEC_OK)
        status = pv_test_make(ctx, &source, test);
    pv_table_close(&table);
    return status;
}
