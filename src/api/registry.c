/* All options tables by their public number, for those who do not know the structs. */
#include "api/registry.h"

#include "baseline/options.h"
#include "corpus/options.h"
#include "count/options.h"
#include "document/options.h"
#include "eval/options.h"
#include "model/options.h"
#include "train/options.h"

#include <assert.h>
#include <string.h>

static const pv_options_table *const tables[] = {
    [PSDVEC_OPTIONS_CONTEXT] = &pv_context_table,   [PSDVEC_OPTIONS_TEXT] = &pv_text_table,
    [PSDVEC_OPTIONS_COUNT] = &pv_count_table,       [PSDVEC_OPTIONS_IMPORT] = &pv_import_table,
    [PSDVEC_OPTIONS_TRAIN] = &pv_train_table,       [PSDVEC_OPTIONS_EXTEND] = &pv_extend_table,
    [PSDVEC_OPTIONS_CONVERT] = &pv_convert_table,   [PSDVEC_OPTIONS_EVAL] = &pv_eval_table,
    [PSDVEC_OPTIONS_SCORER] = &pv_scorer_table,     [PSDVEC_OPTIONS_GENERATE] = &pv_generate_table,
    [PSDVEC_OPTIONS_SIMULATE] = &pv_simulate_table, [PSDVEC_OPTIONS_BASELINE] = &pv_baseline_table,
    [PSDVEC_OPTIONS_QUERY] = &pv_query_table};
static_assert(sizeof tables / sizeof *tables == PSDVEC_OPTIONS_KINDS, "a table for each kind");

const pv_options_table *pv_options_of(psdvec_options_kind kind)
{
    return (unsigned)kind < PSDVEC_OPTIONS_KINDS ? tables[kind] : NULL;
}

static bool selects(const psdvec_option *row, const char *preset)
{
    for (size_t k = 0; row->selects_preset && row->choices[k].name; k++)
        if (!strcmp(row->choices[k].name, preset))
            return true;
    return false;
}

bool pv_options_preset_exists(const char *preset)
{
    for (size_t kind = 0; kind < PSDVEC_OPTIONS_KINDS; kind++)
        for (const psdvec_option *row = tables[kind]->rows; row->name; row++)
            if (selects(row, preset))
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
