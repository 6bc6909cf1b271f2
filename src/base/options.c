/* Options tables: defaults, presets, sizes and checks. Values are copied by memcpy: a table knows
 * places and types of members, not the struct. */
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

static const char *member(const psdvec_option *row, const void *options)
{
    return (const char *)options + row->offset;
}

static bool is_list(const psdvec_option *row)
{
    return row->type == PSDVEC_OPTION_TEXTS || row->type == PSDVEC_OPTION_DOUBLES ||
           row->type == PSDVEC_OPTION_UINT32S;
}

size_t pv_option_bytes(const psdvec_option *row)
{
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        return sizeof(bool);
    case PSDVEC_OPTION_INT:
        return sizeof(int);
    case PSDVEC_OPTION_CHOICE:
        return sizeof(unsigned);
    case PSDVEC_OPTION_UINT32:
        return sizeof(uint32_t);
    case PSDVEC_OPTION_UINT64:
        return sizeof(uint64_t);
    case PSDVEC_OPTION_DOUBLE:
        return sizeof(double);
    case PSDVEC_OPTION_TEXT:
        return sizeof(char *);
    default:
        return sizeof(void *) + sizeof(size_t);
    }
}

/* The member as a number; of texts and lists whether there is one, or how many elements. */
static double number_of(const psdvec_option *row, const void *options)
{
    const char *at = member(row, options);
    bool flag;
    int whole;
    unsigned choice;
    uint32_t narrow;
    uint64_t wide;
    double real;
    const void *pointer;
    size_t count;
#define GET(variable) (memcpy(&(variable), at, sizeof(variable)), (double)(variable))
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        return GET(flag);
    case PSDVEC_OPTION_INT:
        return GET(whole);
    case PSDVEC_OPTION_UINT32:
        return GET(narrow);
    case PSDVEC_OPTION_UINT64:
        return GET(wide);
    case PSDVEC_OPTION_DOUBLE:
        return GET(real);
    case PSDVEC_OPTION_CHOICE:
        return GET(choice);
    case PSDVEC_OPTION_TEXT:
        memcpy(&pointer, at, sizeof pointer);
        return pointer != NULL;
    default:
        at += sizeof(void *);
        return GET(count);
    }
#undef GET
}

const char *pv_option_choice(const psdvec_option *row, const void *options)
{
    double value = number_of(row, options);
    for (size_t k = 0; row->choices && row->choices[k].name; k++)
        if ((double)k == value)
            return row->choices[k].name;
    return NULL;
}

static void store_number(const psdvec_option *row, const psdvec_option_value *value, void *options)
{
    char *at = (char *)options + row->offset;
    bool flag = value->integer != 0;
    int whole = (int)value->integer;
    unsigned choice = (unsigned)value->integer;
    uint32_t narrow = (uint32_t)value->integer;
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        memcpy(at, &flag, sizeof flag);
        break;
    case PSDVEC_OPTION_INT:
        memcpy(at, &whole, sizeof whole);
        break;
    case PSDVEC_OPTION_UINT32:
        memcpy(at, &narrow, sizeof narrow);
        break;
    case PSDVEC_OPTION_UINT64:
        memcpy(at, &value->integer, sizeof value->integer);
        break;
    case PSDVEC_OPTION_DOUBLE:
        memcpy(at, &value->real, sizeof value->real);
        break;
    case PSDVEC_OPTION_CHOICE:
        memcpy(at, &choice, sizeof choice);
        break;
    default:
        break;
    }
}

bool pv_option_store(const psdvec_option *row, const char *text, void *options)
{
    psdvec_option_value value;
    if (!psdvec_option_parse(row, NULL, text, &value, NULL, 0))
        return false;
    store_number(row, &value, options);
    return true;
}

static char *list_text(const psdvec_option *row, const void *options)
{
    const char *at = member(row, options);
    const void *values;
    size_t count, length = 0;
    char *text = NULL;
    memcpy(&values, at, sizeof values);
    memcpy(&count, at + sizeof values, sizeof count);
    for (size_t k = 0; values && k < count; k++) {
        char number[PV_DOUBLE_ROOM];
        const char *item = number;
        if (row->type == PSDVEC_OPTION_TEXTS)
            item = ((const char *const *)values)[k];
        else if (row->type == PSDVEC_OPTION_UINT32S)
            snprintf(number, sizeof number, "%u", (unsigned)((const uint32_t *)values)[k]);
        else if (!pv_double_to_text(((const double *)values)[k], number))
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
    const char *at = member(row, options);
    char number[PV_DOUBLE_ROOM];
    uint64_t wide;
    const char *text;
    double value = number_of(row, options);
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        return strdup(value != 0 ? "yes" : "no");
    case PSDVEC_OPTION_CHOICE:
        text = pv_option_choice(row, options);
        return text ? strdup(text) : NULL;
    case PSDVEC_OPTION_TEXT:
        memcpy(&text, at, sizeof text);
        return text ? strdup(text) : NULL;
    case PSDVEC_OPTION_TEXTS:
    case PSDVEC_OPTION_DOUBLES:
    case PSDVEC_OPTION_UINT32S:
        return list_text(row, options);
    default:
        break;
    }
    if (row->word && (value == row->word_value || (isnan(value) && isnan(row->word_value))))
        return strdup(row->word);
    if (row->second_word && value == row->second_value)
        return strdup(row->second_word);
    if (row->type == PSDVEC_OPTION_UINT64) {
        memcpy(&wide, at, sizeof wide);
        snprintf(number, sizeof number, "%llu", (unsigned long long)wide);
        return strdup(number);
    }
    return pv_double_to_text(value, number) ? strdup(number) : NULL;
}

/* ---- Defaults ------------------------------------------------------------------------------- */

static void fill_list(const pv_options_table *table, const psdvec_option *row, const char *text,
                      void *options)
{
    char *at = (char *)options + row->offset;
    for (const pv_option_list *list = table->lists; list && list->text; list++)
        if (text && !strcmp(list->text, text)) {
            memcpy(at, &list->values, sizeof list->values);
            memcpy(at + sizeof list->values, &list->count, sizeof list->count);
        }
}

void pv_options_fill(const pv_options_table *table, void *options, const char *preset)
{
    memset(options, 0, table->size);
    memcpy(options, &table->size, sizeof table->size);
    if (table->inner_size)
        memcpy((char *)options + table->inner_offset, &table->inner_size, sizeof(size_t));
    for (const psdvec_option *row = table->rows; row->name; row++) {
        const char *text = psdvec_option_default(row, preset);
        bool selected = row->selects_preset && preset && pv_option_store(row, preset, options);
        if (is_list(row))
            fill_list(table, row, text, options);
        else if (text && !selected)
            pv_option_store(row, text, options);
    }
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Where the parts of a struct lie: before the inner struct, it, behind it. */
typedef struct extent {
    size_t size, inner_size;
} extent;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Copies what both have, part by part. */
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

static void set_sizes(const pv_options_table *table, void *options, extent its)
{
    memcpy(options, &its.size, sizeof its.size);
    if (table->inner_size)
        memcpy((char *)options + table->inner_offset, &its.inner_size, sizeof its.inner_size);
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
        if (row->selects_preset)
            return pv_option_choice(row, options);
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
                           "the options of %s were not filled in; call "
                           "psdvec_%s_options_default before changing any",
                           table->name, table->name);
        if (its.size > ours.size || its.inner_size > ours.inner_size)
            return pv_fail(ctx, PSDVEC_ERR_VERSION,
                           "the program was compiled with the header of a newer psdvec than this "
                           "library, " PSDVEC_VERSION "; install the newer library");
        copy_parts(table, options, ours, given, its);
        if (its.size < ours.size || its.inner_size < ours.inner_size) {
            /* Members that the host does not know have the defaults of its preset. */
            pv_options_fill(table, options, preset_of(table, options));
            copy_parts(table, options, ours, given, its);
        }
        set_sizes(table, options, ours);
    }
    return pv_options_check(ctx, table, options);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* One comparison, "name=a|b" or "name>0", of `length` characters. */
bool pv_choice_uses(const psdvec_choice *choice, const char *option, size_t length)
{
    for (const char *at = choice->uses; at && *at; at += strspn(at, " ")) {
        size_t name = strcspn(at, " ");
        if (name == length && !memcmp(at, option, length))
            return true;
        at += name;
    }
    return false;
}

static bool holds(const pv_options_table *table, const void *options, const char *text,
                  size_t length)
{
    char copy[160];
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    char *sign = strpbrk(copy, "=>:");
    char kind = sign ? *sign : 0;
    if (!sign)
        return false;
    *sign = 0;
    const psdvec_option *row = pv_options_find(table, copy);
    if (!row)
        return false;
    if (kind == '>')
        return number_of(row, options) > strtol(sign + 1, NULL, 10);
    if (kind == ':') {
        double choice = number_of(row, options);
        for (size_t k = 0; row->choices[k].name; k++)
            if ((double)k == choice)
                return pv_choice_uses(&row->choices[k], sign + 1, strlen(sign + 1));
        return false;
    }
    const char *value = pv_option_choice(row, options);
    for (char *next = sign + 1; value && next;) {
        char *bar = strchr(next, '|');
        if (bar)
            *bar = 0;
        if (!strcmp(next, value))
            return true;
        next = bar ? bar + 1 : NULL;
    }
    return false;
}

bool pv_options_hold(const pv_options_table *table, const void *options, const char *condition)
{
    while (condition && *condition) {
        size_t length = strcspn(condition, " ");
        if (!holds(table, options, condition, length))
            return false;
        condition += length;
        condition += strspn(condition, " ");
    }
    return true;
}

static bool has_choice(const char *list, const char *end, const char *name)
{
    for (size_t length; list < end; list += length + 1) {
        length = strcspn(list, "| ");
        if (strlen(name) == length && !memcmp(list, name, length))
            return true;
    }
    return false;
}

/* One comparison, of `length` characters. */
static void comparison_text(const pv_options_table *table, const char *text, size_t length,
                            char *to, size_t room)
{
    char name[80];
    size_t sign = strcspn(text, "=>:"), used = 0, named = 0;
    const char *value = text + sign + 1, *end = text + length;
    snprintf(name, sizeof name, "%.*s", (int)sign, text);
    const psdvec_option *row = pv_options_find(table, name);
    *to = 0;
    if (!row)
        return;
    if (text[sign] == '>') {
        if (row->word && row->word_value == 0 && !strncmp(value, "0", (size_t)(end - value)))
            snprintf(to, room, "`%s` other than %s", name, row->word);
        else
            snprintf(to, room, "`%s` above %.*s", name, (int)(end - value), value);
        return;
    }
    size_t fit = 0;
    for (int pass = 0; pass < 2; pass++)
        for (const psdvec_choice *c = row->choices; c->name; c++) {
            if (text[sign] == '=' ? !has_choice(value, end, c->name)
                                  : !pv_choice_uses(c, value, (size_t)(end - value)))
                continue;
            if (pass == 0) {
                fit++;
                continue;
            }
            const char *joint = named == 0 ? "" : named + 1 < fit ? ", " : " or ";
            int added = snprintf(to + used, room - used, "%s`%s=%s`", joint, name, c->name);
            used = added < 0 || (size_t)added >= room - used ? room - 1 : used + (size_t)added;
            named++;
        }
}

void pv_condition_text(const pv_options_table *table, const char *condition, char *to, size_t room)
{
    size_t used = 0;
    *to = 0;
    for (const char *at = condition; *at && used + 1 < room; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (at != condition && room - used > 5)
            used += (size_t)snprintf(to + used, room - used, " and ");
        comparison_text(table, at, length, to + used, room - used);
        used += strlen(to + used);
        at += length;
    }
}

static bool in_range(const psdvec_option *row, double value)
{
    if ((row->word && (value == row->word_value || (isnan(value) && isnan(row->word_value)))) ||
        (row->second_word && value == row->second_value))
        return true;
    return pv_option_within(row, value) && !isinf(value);
}

/* The sentence about a value that the type could hold and the range does not allow. */
static void refuse(const psdvec_option *row, double value, size_t element, char *why, size_t room)
{
    char number[PV_DOUBLE_ROOM] = "nan", range[160];
    pv_double_to_text(value, number);
    psdvec_option_range(row, range, sizeof range);
    if (element)
        snprintf(why, room, "`%s` has %s as number %zu; it must be %s", row->name, number, element,
                 range);
    else
        snprintf(why, room, "`%s` is %s; it must be %s", row->name, number, range);
}

static bool list_fits(const psdvec_option *row, const void *options, char *why, size_t room)
{
    const char *at = member(row, options);
    const void *values;
    size_t count;
    memcpy(&values, at, sizeof values);
    memcpy(&count, at + sizeof values, sizeof count);
    if (!values && count) {
        snprintf(why, room, "`%s` is NULL, but its number of elements is %zu", row->name, count);
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        if (row->type == PSDVEC_OPTION_TEXTS) {
            if (((const char *const *)values)[k])
                continue;
            snprintf(why, room, "`%s` has NULL as element %zu", row->name, k + 1);
            return false;
        }
        double value = row->type == PSDVEC_OPTION_DOUBLES ? ((const double *)values)[k]
                                                          : ((const uint32_t *)values)[k];
        if (!in_range(row, value)) {
            refuse(row, value, k + 1, why, room);
            return false;
        }
    }
    return true;
}

static bool row_fits(const psdvec_option *row, const void *options, char *why, size_t room)
{
    const char *text;
    double value = number_of(row, options);
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        return true;
    case PSDVEC_OPTION_CHOICE:
        if (pv_option_choice(row, options))
            return true;
        snprintf(why, room, "`%s` has no value number %u", row->name, (unsigned)value);
        return false;
    case PSDVEC_OPTION_TEXT:
        memcpy(&text, member(row, options), sizeof text);
        if (!text || *text)
            return true;
        snprintf(why, room, "`%s` is empty", row->name);
        return false;
    case PSDVEC_OPTION_TEXTS:
    case PSDVEC_OPTION_DOUBLES:
    case PSDVEC_OPTION_UINT32S:
        return list_fits(row, options, why, room);
    default:
        if (in_range(row, value))
            return true;
        refuse(row, value, 0, why, room);
        return false;
    }
}

bool pv_options_fit(const pv_options_table *table, const void *options, char *why, size_t room)
{
    for (const psdvec_option *row = table->rows; row->name; row++)
        if (!(table->used_only && !pv_options_hold(table, options, row->needs)) &&
            !row_fits(row, options, why, room))
            return false;
    return !table->rule || table->rule(options, why, room);
}

psdvec_status pv_options_check(psdvec_context *ctx, const pv_options_table *table,
                               const void *options)
{
    char why[400];
    if (pv_options_fit(table, options, why, sizeof why))
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s", why);
}
