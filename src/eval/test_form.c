/* Detection of the form of a test set from its content.
 *
 *     fields in most rows        form
 *     two words, ..., a number   similarity; the number's column by the header's name, or
 *                                the first after the words that has numbers
 *     4, or 5 with a tag         analogy
 *     2                          pairs if more than a quarter list answers with slashes or
 *                                more than half of the answers are unlike, else categories
 *     separated by bars, or      choice
 *     the same number from 3
 *
 * The majority of rows decides, so a wrong row is an error in that row and does not change the form
 * of the set.
 */
#include "eval/test_table.h"

#include "util/c_locale.h"

#include "base/word_index.h"
#include "model/float_text.h"

#include <string.h>

enum { MOST_COLUMNS = 64 }; /* that are examined */

bool pv_field_number(const pv_field *field, float *value)
{
    const char *after, *end = field->at + field->length;
    return field->length > 0 && pv_float_read(field->at, end, &after, value) == PV_NUMBER_FINE &&
           after == end;
}

static bool is_number(const pv_field *field)
{
    float value;
    return pv_field_number(field, &value);
}

/* ---- Votes ---------------------------------------------------------------------------- */

typedef struct votes {
    size_t rows;
    size_t by_count[MOST_COLUMNS + 1]; /* rows with that many fields; the last: or more */
    size_t numbers[MOST_COLUMNS];      /* rows with a number in this column */
    size_t tags[MOST_COLUMNS];         /* rows of 5 with a tag in this column */
    size_t letters;                    /* rows whose first field is a single character */
    size_t slashes;                    /* rows of 2 whose second field contains a slash */
} votes;

/* JJ_JJR, NN_NNPOS: two names of parts of speech. */
static bool is_tag(const pv_field *field)
{
    size_t bars = 0;
    for (size_t k = 0; k < field->length; k++) {
        char c = field->at[k];
        if (c == '_')
            bars++;
        else if (!((c >= 'A' && c <= 'Z') || c == '$'))
            return false;
    }
    return bars == 1 && field->at[0] != '_' && field->at[field->length - 1] != '_';
}

static void count_row(const pv_table *t, const pv_row *row, votes *v)
{
    const pv_field *fields = pv_row_fields(t, row);
    uint32_t count = row->count < MOST_COLUMNS ? row->count : MOST_COLUMNS;
    v->rows++;
    v->by_count[count]++;
    for (uint32_t c = 0; c < count; c++) {
        v->numbers[c] += is_number(&fields[c]);
        v->tags[c] += count == 5 && is_tag(&fields[c]);
    }
    v->letters += fields[0].length == 1;
    v->slashes += count == 2 && fields[1].length > 2 &&
                  memchr(fields[1].at + 1, '/', fields[1].length - 2);
}

static bool most(const votes *v, size_t count)
{
    return 2 * count > v->rows;
}

/* ---- Similarity ------------------------------------------------------------------------- */

static bool named(const pv_field *field, const char *const *names)
{
    for (; *names; names++)
        if (field->length == strlen(*names) && pv_begins_with(field->at, *names))
            return true;
    return false;
}

static void read_header(const pv_table *t, pv_layout *l)
{
    static const char *const first[] = {"word1", "word 1", "word_1", "w1", "word", NULL};
    static const char *const second[] = {"word2", "word 2", "word_2", "w2", NULL};
    static const char *const values[] = {
        "simlex999", "simlex", "human (mean)", "mean",       "score", "similarity", "relatedness",
        "rating",    "gold",   "average",      "similarity", "value", "human",      NULL};
    const pv_field *fields = pv_row_fields(t, &t->rows[0]);
    uint32_t one = PV_NO_COLUMN, two = PV_NO_COLUMN, value = PV_NO_COLUMN;
    for (uint32_t c = 0; c < t->rows[0].count; c++) {
        if (one == PV_NO_COLUMN && named(&fields[c], first))
            one = c;
        else if (two == PV_NO_COLUMN && named(&fields[c], second))
            two = c;
        else if (value == PV_NO_COLUMN && named(&fields[c], values))
            value = c;
    }
    if (one != PV_NO_COLUMN && two != PV_NO_COLUMN) {
        l->word1 = one;
        l->word2 = two;
    }
    if (value != PV_NO_COLUMN)
        l->value = value;
}

static bool ends_in_speech(const pv_field *field)
{
    return field->length > 2 && field->at[field->length - 2] == '-' &&
           strchr("nvjar", field->at[field->length - 1]);
}

static bool is_similarity(const pv_table *t, const votes *v, pv_layout *l)
{
    /* One letter for the relation before the words, as in one edition of WordSim-353. */
    uint32_t words = most(v, v->letters) && most(v, v->numbers[3]) && !most(v, v->numbers[2]);
    uint32_t value = words + 2;
    while (value < MOST_COLUMNS && !most(v, v->numbers[value]))
        value++;
    if (value == MOST_COLUMNS)
        return false;
    *l = (pv_layout){.form = PV_FORM_SIMILARITY,
                     .word1 = words,
                     .word2 = words + 1,
                     .value = value,
                     .tag = PV_NO_COLUMN};
    const pv_row *top = &t->rows[0];
    /* The first row has a word where the other rows have a number. */
    l->header = t->row_count > 1 && top->count > value && !is_number(&pv_row_fields(t, top)[value]);
    if (l->header)
        read_header(t, l);
    l->speech = true; /* all words have a part of speech */
    for (size_t r = l->header; r < t->row_count; r++) {
        const pv_field *fields = pv_row_fields(t, &t->rows[r]);
        if (t->rows[r].count > l->word1 && t->rows[r].count > l->word2)
            l->speech &= ends_in_speech(&fields[l->word1]) && ends_in_speech(&fields[l->word2]);
    }
    return true;
}

/* ---- The others --------------------------------------------------------------------------- */

/* Counts the distinct second fields. */
static psdvec_status count_distinct(const pv_table *t, uint32_t *distinct)
{
    pv_word_index index = {0};
    pv_buffer bytes = {.ctx = t->ctx};
    pv_scope scope = {.ctx = t->ctx, .what = "a test"};
    psdvec_status status;
    uint32_t words = 0;
    uint64_t *offsets;
    *distinct = 0;
    PV_TAKE_ZERO(&scope, offsets, t->row_count + 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t r = 0; r < t->row_count && words < UINT32_MAX - 1; r++) {
        const pv_field *fields = pv_row_fields(t, &t->rows[r]);
        if (t->rows[r].count != 2)
            continue;
        PV_TRY_DONE(pv_buffer_append(&bytes, fields[1].at, fields[1].length));
        offsets[++words] = bytes.length;
    }
    PV_TRY_DONE(pv_word_index_init(&index, t->ctx, words, bytes.data, offsets, "a test"));
    for (uint32_t i = 0, other; i < words; i++)
        *distinct += pv_word_index_add(&index, i, &other);
done:
    pv_word_index_free(&index);
    pv_scope_free(&scope);
    pv_buffer_free(&bytes);
    return status;
}

psdvec_status pv_form_recognise(const pv_table *t, pv_layout *l)
{
    votes v = {0};
    for (size_t r = 0; r < t->row_count; r++)
        count_row(t, &t->rows[r], &v);
    *l = (pv_layout){.tag = PV_NO_COLUMN};
    if (t->row_count == 2 && v.by_count[2] == 0 && t->separator != '|') { /* a header and a row */
        votes second = {0};
        count_row(t, &t->rows[1], &second);
        if (is_similarity(t, &second, l))
            return PSDVEC_OK;
    }
    bool same = false; /* most rows have the same number of fields, from 3 */
    for (uint32_t count = 3; count < MOST_COLUMNS; count++)
        same |= most(&v, v.by_count[count]);
    bool bars = t->separator == '|' && !most(&v, v.by_count[2]);
    if (!bars && is_similarity(t, &v, l))
        return PSDVEC_OK;
    for (uint32_t c = 0; c < 5 && most(&v, v.by_count[5]) && l->tag == PV_NO_COLUMN; c++)
        if (most(&v, v.tags[c]))
            l->tag = c;
    if (!bars && (most(&v, v.by_count[4]) || l->tag != PV_NO_COLUMN)) {
        l->form = PV_FORM_ANALOGY;
    } else if (!bars && most(&v, v.by_count[2])) {
        uint32_t distinct;
        PV_TRY(count_distinct(t, &distinct));
        bool lists = 4 * v.slashes > v.by_count[2], unlike = 2 * (size_t)distinct > v.by_count[2];
        l->form = lists || unlike ? PV_FORM_PAIRS : PV_FORM_CATEGORIES;
    } else if (bars || same) {
        l->form = PV_FORM_CHOICE;
    } else {
        return pv_fail(
            t->ctx, PSDVEC_ERR_FORMAT,
            "%s: the format of the test set is not recognised; expected are lines with two words "
            "and a number, four words, a word and its category, or a word and choices separated "
            "by |",
            t->path);
    }
    return PSDVEC_OK;
}

psdvec_test_kind pv_form_kind(pv_form form)
{
    static const psdvec_test_kind kinds[] = {[PV_FORM_SIMILARITY] = PSDVEC_TEST_SIMILARITY,
                                             [PV_FORM_ANALOGY] = PSDVEC_TEST_ANALOGY,
                                             [PV_FORM_PAIRS] = PSDVEC_TEST_ANALOGY,
                                             [PV_FORM_CHOICE] = PSDVEC_TEST_CHOICE,
                                             [PV_FORM_CATEGORIES] = PSDVEC_TEST_CATEGORIES};
    return kinds[form];
}

/* ---- Certainty ------------------------------------------------------------------------------ */

bool pv_form_of_vectors(const pv_table *t, const pv_layout *l)
{
    size_t numbers = 0;
    if (l->form != PV_FORM_SIMILARITY)
        return false;
    for (size_t r = l->header; r < t->row_count; r++)
        numbers += t->rows[r].count > l->word2 &&
                   is_number(&pv_row_fields(t, &t->rows[r])[l->word2]);
    return 2 * numbers > t->row_count - l->header;
}

static bool is_one_word(const pv_field *field)
{
    return field->length > 0 && !memchr(field->at, ' ', field->length) && !is_number(field);
}

/* Whether a row fits the form and is not running text. */
static bool is_clear_row(const pv_table *t, const pv_row *row, const pv_layout *l)
{
    const pv_field *fields = pv_row_fields(t, row);
    if (l->form == PV_FORM_SIMILARITY)
        return row->count > l->value && row->count > l->word1 && row->count > l->word2 &&
               is_one_word(&fields[l->word1]) && is_one_word(&fields[l->word2]) &&
               is_number(&fields[l->value]);
    if (l->form == PV_FORM_CHOICE && t->separator != '|')
        return false;
    if (l->form == PV_FORM_PAIRS || l->form == PV_FORM_CATEGORIES)
        return row->count == 2 && is_one_word(&fields[0]) && is_one_word(&fields[1]);
    if (row->count < 3 || (l->form == PV_FORM_ANALOGY && row->count != 4 && row->count != 5))
        return false;
    for (uint32_t c = 0; c < row->count; c++)
        if (!is_one_word(&fields[c]))
            return false;
    return true;
}

/* Whether two of the words of a row also occur in the previous row, as when a : b is asked with
 * many c : d. */
static bool repeats_two(const pv_table *t, const pv_row *row)
{
    const pv_field *a = pv_row_fields(t, row - 1), *b = pv_row_fields(t, row);
    size_t same = 0;
    for (uint32_t j = 0; j < row->count; j++)
        for (uint32_t i = 0; i < row[-1].count; i++)
            same += a[i].length == b[j].length && !memcmp(a[i].at, b[j].at, a[i].length);
    return same >= 2;
}

bool pv_form_is_certain(const pv_table *t, const pv_layout *l)
{
    enum { LEAST_ROWS = 5 };
    size_t rows = t->row_count - l->header, clear = 0, repeated = 0;
    bool two = l->form == PV_FORM_PAIRS || l->form == PV_FORM_CATEGORIES;
    if (rows < LEAST_ROWS || (two && t->section_count == 0))
        return false;
    for (size_t r = l->header; r < t->row_count; r++) {
        clear += is_clear_row(t, &t->rows[r], l);
        repeated += r > 0 && repeats_two(t, &t->rows[r]);
    }
    if (20 * clear < 19 * rows)
        return false;
    return l->form != PV_FORM_ANALOGY || t->section_count > 0 || 2 * repeated > rows;
}
