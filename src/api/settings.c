/* All options tables by their public number, for callers that do not know the structs; and options
 * by name and as text, with the memory of strings and lists.
 *
 * Values that were set are stored as text, so that another preset can be chosen afterwards: the
 * struct is filled in again, and the stored values are applied again. */
#include "api/settings.h"

#include "baseline/options.h"
#include "corpus/options.h"
#include "count/options.h"
#include "document/options.h"
#include "eval/options.h"
#include "map/options.h"
#include "model/options.h"
#include "report/options.h"
#include "topic/options.h"
#include "train/options.h"
#include "util/number.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables -------------------------------------------------------------------------------- */

static const pv_options_table *const tables[] = {
    [PSDVEC_OPTIONS_CONTEXT] = &pv_context_table,   [PSDVEC_OPTIONS_TEXT] = &pv_text_table,
    [PSDVEC_OPTIONS_COUNT] = &pv_count_table,       [PSDVEC_OPTIONS_IMPORT] = &pv_import_table,
    [PSDVEC_OPTIONS_TRAIN] = &pv_train_table,       [PSDVEC_OPTIONS_EXTEND] = &pv_extend_table,
    [PSDVEC_OPTIONS_CONVERT] = &pv_convert_table,   [PSDVEC_OPTIONS_EVAL] = &pv_eval_table,
    [PSDVEC_OPTIONS_SCORER] = &pv_scorer_table,     [PSDVEC_OPTIONS_GENERATE] = &pv_generate_table,
    [PSDVEC_OPTIONS_SIMULATE] = &pv_simulate_table, [PSDVEC_OPTIONS_BASELINE] = &pv_baseline_table,
    [PSDVEC_OPTIONS_QUERY] = &pv_query_table,       [PSDVEC_OPTIONS_PHRASES] = &pv_phrases_table,
    [PSDVEC_OPTIONS_TOPIC] = &pv_topic_table,       [PSDVEC_OPTIONS_MAP] = &pv_map_table,
    [PSDVEC_OPTIONS_DRAWING] = &pv_drawing_table,   [PSDVEC_OPTIONS_DESCRIBE] = &pv_describe_table};
static_assert(sizeof tables / sizeof *tables == PSDVEC_OPTIONS_KINDS, "a table for each kind");

const pv_options_table *pv_options_of(psdvec_options_kind kind)
{
    return (unsigned)kind < PSDVEC_OPTIONS_KINDS ? tables[kind] : NULL;
}

static bool preset_exists(const char *preset)
{
    for (size_t kind = 0; kind < PSDVEC_OPTIONS_KINDS; kind++)
        for (const psdvec_option *row = tables[kind]->rows; row->name; row++)
            for (size_t k = 0; row->selects_preset && row->choices[k].name; k++)
                if (!strcmp(row->choices[k].name, preset))
                    return true;
    return false;
}

const char *psdvec_options_name(psdvec_options_kind kind)
{
    const pv_options_table *table = pv_options_of(kind);
    return table ? table->name : NULL;
}

size_t psdvec_options_size(psdvec_options_kind kind)
{
    const pv_options_table *table = pv_options_of(kind);
    return table ? table->size : 0;
}

const psdvec_option *psdvec_options_at(psdvec_options_kind kind, size_t i)
{
    const pv_options_table *table = pv_options_of(kind);
    for (const psdvec_option *row = table ? table->rows : NULL; row && row->name; row++)
        if (i-- == 0)
            return row;
    return NULL;
}

const psdvec_option *psdvec_options_find(psdvec_options_kind kind, const char *name)
{
    const pv_options_table *table = pv_options_of(kind);
    return table && name ? pv_options_find(table, name) : NULL;
}

void psdvec_condition_text(psdvec_options_kind kind, const char *condition, char *text, size_t size)
{
    const pv_options_table *table = pv_options_of(kind);
    if (!text || size == 0)
        return;
    *text = 0;
    if (table && condition)
        pv_condition_text(table, condition, text, size);
}

bool psdvec_options_hold(psdvec_options_kind kind, const void *options, const char *condition)
{
    const pv_options_table *table = pv_options_of(kind);
    return table && options && pv_options_hold(table, options, condition);
}

void psdvec_options_init(psdvec_options_kind kind, void *options, size_t size, size_t text_size,
                         const char *preset)
{
    const pv_options_table *table = pv_options_of(kind);
    if (table && options)
        pv_options_init(table, options, size, text_size, preset);
}

/* ---- Settings ------------------------------------------------------------------------------ */

struct psdvec_settings {
    const pv_options_table *table;
    size_t rows;
    void *options;
    char *preset;
    char **given; /* rows: value as text; NULL: not set */
    void **owned; /* rows: the list or string that the struct points to */
    char *shown;  /* last result of psdvec_settings_get */
    char message[600];
};

static void *allocate(size_t count, size_t size)
{
    return calloc(count ? count : 1, size);
}

psdvec_settings *psdvec_settings_new(psdvec_options_kind kind, const char *preset)
{
    const pv_options_table *table = pv_options_of(kind);
    bool exists = table && (!preset || preset_exists(preset));
    psdvec_settings *s = exists ? allocate(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->table = table;
    while (table->rows[s->rows].name)
        s->rows++;
    s->options = allocate(1, table->size);
    s->given = allocate(s->rows, sizeof *s->given);
    s->owned = allocate(s->rows, sizeof *s->owned);
    s->preset = preset ? strdup(preset) : NULL;
    if (!s->options || !s->given || !s->owned || (preset && !s->preset)) {
        psdvec_settings_free(s);
        return NULL;
    }
    pv_options_fill(table, s->options, preset);
    return s;
}

void psdvec_settings_free(psdvec_settings *settings)
{
    if (!settings)
        return;
    for (size_t k = 0; k < settings->rows; k++) {
        free(settings->given ? settings->given[k] : NULL);
        free(settings->owned ? settings->owned[k] : NULL);
    }
    free(settings->given);
    free(settings->owned);
    free(settings->options);
    free(settings->preset);
    free(settings->shown);
    free(settings);
}

const char *psdvec_settings_message(const psdvec_settings *settings)
{
    return settings ? settings->message : "there are no settings";
}

void *psdvec_settings_struct(psdvec_settings *settings)
{
    return settings ? settings->options : NULL;
}

/* ---- Setting --------------------------------------------------------------------------------- */

/* The elements of "a,b,c" in one block: pointers or numbers first, strings after them. */
static void *make_list(const psdvec_option *row, const char *text, size_t *count)
{
    size_t elements = 1, length = strlen(text) + 1;
    for (const char *at = text; *at; at++)
        elements += *at == ',';
    size_t width = row->type == PSDVEC_OPTION_UINT32S ? sizeof(uint32_t) : sizeof(double);
    char *block = allocate(1, elements * width + length);
    if (!block)
        return NULL;
    char *texts = block + elements * width;
    memcpy(texts, text, length);
    for (size_t k = 0; k < elements; k++) {
        char *next = strchr(texts, ',');
        if (next)
            *next = 0;
        double real = 0;
        uint64_t whole = 0;
        if (row->type == PSDVEC_OPTION_TEXTS) {
            ((const char **)(void *)block)[k] = texts;
        } else if (row->type == PSDVEC_OPTION_DOUBLES) {
            pv_text_real(texts, &real);
            ((double *)(void *)block)[k] = real;
        } else {
            pv_text_integer(texts, &whole);
            ((uint32_t *)(void *)block)[k] = (uint32_t)whole;
        }
        texts = next ? next + 1 : texts;
    }
    *count = elements;
    return block;
}

/* Stores a value that psdvec_option_parse() accepted. Returns false if memory is exhausted. */
static bool store(psdvec_settings *s, size_t k, const char *text)
{
    const psdvec_option *row = &s->table->rows[k];
    char *at = (char *)s->options + row->offset;
    if (row->type < PSDVEC_OPTION_TEXT)
        return pv_option_store(row, text, s->options);
    size_t count = 0;
    void *block = NULL;
    if (*text)
        block = row->type == PSDVEC_OPTION_TEXT ? (void *)strdup(text)
                                                : make_list(row, text, &count);
    if (*text && !block)
        return false;
    free(s->owned[k]);
    s->owned[k] = block;
    memcpy(at, &block, sizeof block);
    if (row->type != PSDVEC_OPTION_TEXT)
        memcpy(at + sizeof block, &count, sizeof count);
    return true;
}

static bool refill(psdvec_settings *s, const char *preset)
{
    char *copy = strdup(preset);
    if (!copy)
        return false;
    free(s->preset);
    s->preset = copy;
    pv_options_fill(s->table, s->options, preset);
    for (size_t k = 0; k < s->rows; k++)
        if (s->given[k] && !store(s, k, s->given[k]))
            return false;
    return true;
}

static psdvec_status short_of_memory(psdvec_settings *s)
{
    snprintf(s->message, sizeof s->message, "out of memory while setting an option");
    return PSDVEC_ERR_MEMORY;
}

static void report_unknown(psdvec_settings *s, const char *name)
{
    const char **names = allocate(s->rows + 1, sizeof *names);
    for (size_t k = 0; names && k < s->rows; k++)
        names[k] = s->table->rows[k].name;
    const char *near = names ? psdvec_suggest(name, names) : NULL;
    snprintf(s->message, sizeof s->message, "%s has no option '%s'%s%s%s", s->table->name, name,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(names);
}

psdvec_status psdvec_settings_set(psdvec_settings *settings, const char *name, const char *text)
{
    psdvec_settings *s = settings;
    if (!s)
        return PSDVEC_ERR_OPTION;
    s->message[0] = 0;
    if (!name || !text)
        snprintf(s->message, sizeof s->message, "NULL was given for `%s`, which is required",
                 name ? "text" : "name");
    const psdvec_option *row = name && text ? pv_options_find(s->table, name) : NULL;
    if (!row && name && text)
        report_unknown(s, name);
    if (!row)
        return PSDVEC_ERR_OPTION;
    size_t k = (size_t)(row - s->table->rows);
    psdvec_option_value value;
    bool unset = !*text && row->type >= PSDVEC_OPTION_TEXT;
    if (!unset && !psdvec_option_parse(row, NULL, text, &value, s->message, sizeof s->message))
        return PSDVEC_ERR_OPTION;
    char *copy = strdup(text);
    if (!copy || !store(s, k, text)) {
        free(copy);
        return short_of_memory(s);
    }
    free(s->given[k]);
    s->given[k] = copy;
    if (row->selects_preset && !refill(s, text))
        return short_of_memory(s);
    return PSDVEC_OK;
}

const char *psdvec_settings_get(psdvec_settings *settings, const char *name)
{
    const psdvec_option *row = settings && name ? pv_options_find(settings->table, name) : NULL;
    if (!row)
        return NULL;
    free(settings->shown);
    errno = 0;
    return settings->shown = pv_option_text(row, settings->options);
}

void psdvec_settings_apply(const psdvec_settings *settings, void *options)
{
    for (size_t k = 0; settings && options && k < settings->rows; k++) {
        const psdvec_option *row = &settings->table->rows[k];
        if (settings->given[k])
            memcpy((char *)options + row->offset, (const char *)settings->options + row->offset,
                   pv_option_bytes(row));
    }
}

/* ---- Finishing ------------------------------------------------------------------------------- */

psdvec_status psdvec_settings_finish(psdvec_settings *settings)
{
    psdvec_settings *s = settings;
    if (!s)
        return PSDVEC_ERR_OPTION;
    s->message[0] = 0;
    for (size_t k = 0; k < s->rows; k++) {
        const psdvec_option *row = &s->table->rows[k];
        if (!s->given[k] && row->default_if)
            pv_option_store(row,
                            pv_options_hold(s->table, s->options, row->default_if)
                                ? psdvec_option_default(row, s->preset)
                                : row->default_else,
                            s->options);
    }
    for (size_t k = 0; k < s->rows; k++) {
        const psdvec_option *row = &s->table->rows[k];
        bool given = s->given[k] && *s->given[k];
        if (given && !pv_options_hold(s->table, s->options, row->needs)) {
            char needed[300];
            pv_condition_text(s->table, row->needs, needed, sizeof needed);
            snprintf(s->message, sizeof s->message, "`%s` has no effect here; it needs %s",
                     row->name, needed);
            return PSDVEC_ERR_OPTION;
        }
    }
    return pv_options_fit(s->table, s->options, s->message, sizeof s->message) ? PSDVEC_OK
                                                                               : PSDVEC_ERR_OPTION;
}
