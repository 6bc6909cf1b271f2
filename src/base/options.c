/* Options tables: defaults, presets, sizes and checks. Values are copied by memcpy: a table knows
 * the offsets and types of members, not the struct. */
#include "base/options.h"

#include "util/number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(psdvec_options_kind) == sizeof(unsigned), "choices are copied as unsigned");

const psdvec_option *pv_options_find(const pv_options_table *table, const char *name)
{
    for (const psdvec_option *row = table->rows; row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    return NULL;
}

const char *psdvec_option_default(const psdvec_option *option, const char *preset)
{
    if (!option)
        return NULL;
    const psdvec_preset_value *value = preset ? option->presets : NULL;
    for (; value && value->preset; value++)
        if (!strcmp(value->preset, preset))
            return value->value;
    return option->fallback;
}

/* ---- Members ----------------------------------------------------------------------------- */

static bool is_list(const psdvec_option *row)
{
    return row->type > PSDVEC_OPTION_TEXT;
}

size_t pv_option_bytes(const psdvec_option *row)
{
    static const size_t bytes[] = {
        [PSDVEC_OPTION_FLAG] = sizeof(bool),       [PSDVEC_OPTION_INT] = sizeof(int),
        [PSDVEC_OPTION_CHOICE] = sizeof(unsigned), [PSDVEC_OPTION_UINT32] = sizeof(uint32_t),
        [PSDVEC_OPTION_UINT64] = sizeof(uint64_t), [PSDVEC_OPTION_DOUBLE] = sizeof(double),
        [PSDVEC_OPTION_TEXT] = sizeof(char *)};
    return is_list(row) ? sizeof(void *) + sizeof(size_t) : bytes[row->type];
}

pv_option_member pv_option_get(const psdvec_option *row, const void *options)
{
    pv_option_member m;
    memcpy(&m, (const char *)options + row->offset, pv_option_bytes(row));
    return m;
}

void pv_option_set(const psdvec_option *row, pv_option_member m, void *options)
{
    memcpy((char *)options + row->offset, &m, pv_option_bytes(row));
}

double pv_option_number(const psdvec_option *row, const void *options)
{
    pv_option_member m = pv_option_get(row, options);
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        return m.flag;
    case PSDVEC_OPTION_INT:
        return m.whole;
    case PSDVEC_OPTION_UINT32:
    case PSDVEC_OPTION_CHOICE:
        return m.narrow;
    case PSDVEC_OPTION_UINT64:
        return (double)m.wide;
    case PSDVEC_OPTION_DOUBLE:
        return m.real;
    case PSDVEC_OPTION_TEXT:
        return m.text != NULL;
    default:
        return (double)m.list.count;
    }
}

/* An element of a list of numbers. */
double pv_option_element(const psdvec_option *row, const void *values, size_t k)
{
    return row->type == PSDVEC_OPTION_DOUBLES ? ((const double *)values)[k]
                                              : ((const uint32_t *)values)[k];
}

const psdvec_choice *pv_option_choice(const psdvec_option *row, const void *options)
{
    double value = pv_option_number(row, options);
    for (size_t k = 0; row->choices && row->choices[k].name; k++)
        if ((double)k == value)
            return &row->choices[k];
    return NULL;
}

/* The name of a special value; NULL if it has none. */
static const char *word_of(const psdvec_option *row, double value)
{
    if (row->word && (value == row->word_value || (isnan(value) && isnan(row->word_value))))
        return row->word;
    return row->second_word && value == row->second_value ? row->second_word : NULL;
}

bool pv_option_store(const psdvec_option *row, const char *text, void *options)
{
    psdvec_option_value value;
    if (!psdvec_option_parse(row, NULL, text, &value, NULL, 0))
        return false;
    pv_option_member m = {0};
    if (row->type == PSDVEC_OPTION_FLAG)
        m.flag = value.integer != 0;
    else if (row->type == PSDVEC_OPTION_UINT64)
        m.wide = value.integer;
    else if (row->type == PSDVEC_OPTION_DOUBLE)
        m.real = value.real;
    else
        m.narrow = (uint32_t)value.integer;
    if (row->type < PSDVEC_OPTION_TEXT)
        pv_option_set(row, m, options);
    return true;
}

static char *list_text(const psdvec_option *row, const void *values, size_t count)
{
    size_t length = 0;
    char *text = NULL;
    for (size_t k = 0; values && k < count; k++) {
        char number[PV_DOUBLE_SIZE];
        const char *item = number;
        if (row->type == PSDVEC_OPTION_TEXTS)
            item = ((const char *const *)values)[k];
        else if (!pv_double_to_text(pv_option_element(row, values, k), number))
            item = NULL;
        size_t size = item ? strlen(item) : 0;
        char *longer = item ? realloc(text, length + size + 2) : NULL;
        if (!longer) {
            free(text);
            return NULL;
        }
        text = longer;
        if (k)
            text[length++] = ',';
        memcpy(text + length, item, size + 1);
        length += size;
    }
    return text;
}

char *pv_option_text(const psdvec_option *row, const void *options)
{
    pv_option_member m = pv_option_get(row, options);
    double value = pv_option_number(row, options);
    char number[PV_DOUBLE_SIZE];
    const char *text = number;
    if (is_list(row))
        return list_text(row, m.list.values, m.list.count);
    if (row->type == PSDVEC_OPTION_FLAG)
        text = m.flag ? "yes" : "no";
    else if (row->type == PSDVEC_OPTION_CHOICE)
        text = pv_option_choice(row, options) ? pv_option_choice(row, options)->name : NULL;
    else if (row->type == PSDVEC_OPTION_TEXT)
        text = m.text;
    else if (word_of(row, value))
        text = word_of(row, value);
    else if (row->type == PSDVEC_OPTION_UINT64)
        snprintf(number, sizeof number, "%llu", (unsigned long long)m.wide);
    else if (!pv_double_to_text(value, number))
        text = NULL;
    return text ? strdup(text) : NULL;
}

/* ---- Defaults ------------------------------------------------------------------------------- */

/* The extents of the parts of a struct: before the inner struct, the inner struct, and after it. */
typedef struct extent {
    size_t size, inner_size;
} extent;

static void set_sizes(const pv_options_table *table, void *options, extent its)
{
    memcpy(options, &its.size, sizeof its.size);
    if (table->inner_size)
        memcpy((char *)options + table->inner_offset, &its.inner_size, sizeof its.inner_size);
}

void pv_options_fill(const pv_options_table *table, void *options, const char *preset)
{
    memset(options, 0, table->size);
    set_sizes(table, options, (extent){table->size, table->inner_size});
    for (const psdvec_option *row = table->rows; row->name; row++) {
        const char *text = psdvec_option_default(row, preset);
        bool selected = row->selects_preset && preset && pv_option_store(row, preset, options);
        const pv_option_list *list = text && is_list(row) ? table->lists : NULL;
        for (; list && list->text; list++)
            if (!strcmp(list->text, text))
                pv_option_set(row, (pv_option_member){.list = {list->values, list->count}},
                              options);
        if (text && !selected && !is_list(row))
            pv_option_store(row, text, options);
    }
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Copies the members that both structs have, part by part. */
static void copy_parts(const pv_options_table *table, void *to, extent to_extent, const void *from,
                       extent from_extent)
{
    if (!table->inner_size) {
        memcpy(to, from, least(to_extent.size, from_extent.size));
        return;
    }
    size_t at = table->inner_offset;
    size_t to_rest = at + to_extent.inner_size, from_rest = at + from_extent.inner_size;
    memcpy(to, from, at);
    memcpy((char *)to + at, (const char *)from + at,
           least(to_extent.inner_size, from_extent.inner_size));
    memcpy((char *)to + to_rest, (const char *)from + from_rest,
           least(to_extent.size - to_rest, from_extent.size - from_rest));
}

static bool plausible(const pv_options_table *table, extent its)
{
    if (its.size < sizeof(size_t) || its.size % sizeof(size_t))
        return false;
    return !table->inner_size ||
           (its.inner_size >= sizeof(size_t) && its.inner_size % sizeof(size_t) == 0 &&
            its.size > table->inner_offset && its.inner_size <= its.size - table->inner_offset);
}

void pv_options_init(const pv_options_table *table, void *options, size_t size, size_t inner_size,
                     const char *preset)
{
    _Alignas(max_align_t) char own[PV_OPTIONS_MOST_BYTES];
    extent its = {size, inner_size}, ours = {table->size, table->inner_size};
    if (!plausible(table, its))
        return;
    pv_options_fill(table, own, preset);
    memset(options, 0, size);
    copy_parts(table, options, its, own, ours);
    set_sizes(table, options, its);
}

/* The preset that the struct names; NULL if its table has no such row. */
static const char *preset_of(const pv_options_table *table, const void *options)
{
    for (const psdvec_option *row = table->rows; row->name; row++)
        if (row->selects_preset && pv_option_choice(row, options))
            return pv_option_choice(row, options)->name;
    return NULL;
}

psdvec_status pv_options_adopt(psdvec_context *ctx, const pv_options_table *table,
                               const void *given, void *options)
{
    pv_options_fill(table, options, NULL);
    if (given) {
        extent its = {0, 0}, ours = {table->size, table->inner_size};
        memcpy(&its.size, given, sizeof its.size);
        if (its.size > table->inner_offset && table->inner_size)
            memcpy(&its.inner_size, (const char *)given + table->inner_offset,
                   sizeof its.inner_size);
        if (!plausible(table, its))
            return pv_fail(ctx, PSDVEC_ERR_OPTION,
                           "the options of %s are not initialised; call psdvec_%s_options_default "
                           "before you change any",
                           table->name, table->name);
        if (its.size > ours.size || its.inner_size > ours.inner_size)
            return pv_fail(ctx, PSDVEC_ERR_VERSION,
                           "the program was compiled with the header of a newer psdvec than this "
                           "library, " PSDVEC_VERSION "; install the newer library");
        copy_parts(table, options, ours, given, its);
        if (its.size < ours.size || its.inner_size < ours.inner_size) {
            /* Members that the caller's struct lacks have the defaults of its preset. */
            pv_options_fill(table, options, preset_of(table, options));
            copy_parts(table, options, ours, given, its);
        }
        set_sizes(table, options, ours);
    }
    return pv_options_check(ctx, table, options);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static bool in_range(const psdvec_option *row, double value)
{
    return word_of(row, value) || (pv_option_within(row, value) && !isinf(value));
}

/* The message for a value that the type can hold but the range does not allow. */
static void refuse(const psdvec_option *row, double value, size_t element, char *why, size_t size)
{
    char number[PV_DOUBLE_SIZE] = "nan", range[160];
    pv_double_to_text(value, number);
    psdvec_option_range(row, range, sizeof range);
    if (element)
        snprintf(why, size, "`%s` has the value %s at position %zu; it must be %s", row->name,
                 number, element, range);
    else
        snprintf(why, size, "`%s` is %s; it must be %s", row->name, number, range);
}

static bool list_fits(const psdvec_option *row, const void *values, size_t count, char *why,
                      size_t size)
{
    if (!values && count) {
        snprintf(why, size, "`%s` is NULL, but it should have %zu elements", row->name, count);
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        if (row->type == PSDVEC_OPTION_TEXTS) {
            if (((const char *const *)values)[k])
                continue;
            snprintf(why, size, "`%s` has NULL as element %zu", row->name, k + 1);
            return false;
        }
        double value = pv_option_element(row, values, k);
        if (!in_range(row, value)) {
            refuse(row, value, k + 1, why, size);
            return false;
        }
    }
    return true;
}

static bool row_fits(const psdvec_option *row, const void *options, char *why, size_t size)
{
    pv_option_member m = pv_option_get(row, options);
    double value = pv_option_number(row, options);
    if (is_list(row))
        return list_fits(row, m.list.values, m.list.count, why, size);
    if (row->type == PSDVEC_OPTION_CHOICE) {
        if (pv_option_choice(row, options))
            return true;
        snprintf(why, size, "`%s` has no value with the number %u", row->name, m.narrow);
    } else if (row->type == PSDVEC_OPTION_TEXT) {
        if (!m.text || *m.text)
            return true;
        snprintf(why, size, "`%s` is empty", row->name);
    } else {
        if (row->type == PSDVEC_OPTION_FLAG || in_range(row, value))
            return true;
        refuse(row, value, 0, why, size);
    }
    return false;
}

bool pv_options_fit(const pv_options_table *table, const void *options, char *why, size_t size)
{
    for (const psdvec_option *row = table->rows; row->name; row++)
        if (!(table->used_only && !pv_options_hold(table, options, row->needs)) &&
            !row_fits(row, options, why, size))
            return false;
    return !table->rule || table->rule(options, why, size);
}

psdvec_status pv_options_check(psdvec_context *ctx, const pv_options_table *table,
                               const void *options)
{
    char why[400];
    if (pv_options_fit(table, options, why, sizeof why))
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s", why);
}
