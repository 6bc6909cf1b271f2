/* How a model was made: its options compared with the defaults of its preset, and in sentences. */
#include "report/report.h"

#include "base/options.h"
#include "util/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ----------------------------------------------------------------------------------- */

/* A copy that lives as long as the report; NULL stays NULL. */
static const char *keep(pv_report *r, const char *text)
{
    char *copy = NULL;
    if (text) {
        PV_TAKE(&r->scope, copy, strlen(text) + 1);
        if (copy)
            memcpy(copy, text, strlen(text) + 1);
    }
    return copy;
}

static const char *meaning_of(const psdvec_option *row, const char *value)
{
    for (size_t k = 0; row->type == PSDVEC_OPTION_CHOICE && row->choices[k].name; k++)
        if (value && !strcmp(row->choices[k].name, value))
            return row->choices[k].help;
    return NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : !a == !b;
}

static bool is_value(const char *text)
{
    return text && *text;
}

/* The value of an option, which lives as long as the report; NULL: it has none. */
static psdvec_status keep_value(pv_report *r, psdvec_settings *settings, const psdvec_option *row,
                                const char **value)
{
    const char *text = psdvec_settings_get(settings, row->name);
    *value = NULL;
    if (!text && errno == ENOMEM)
        return pv_fail(r->ctx, PSDVEC_ERR_MEMORY, "out of memory while reading options");
    *value = keep(r, is_value(text) ? text : NULL);
    return pv_scope_status(&r->scope);
}

/* Sets *preset to the preset that the options select, if they select one. */
static psdvec_status find_preset(pv_report *r, psdvec_options_kind kind, psdvec_settings *settings,
                                 const char **preset)
{
    const psdvec_option *row;
    const char *own = NULL;
    for (size_t k = 0; (row = psdvec_options_at(kind, k)) && !own; k++)
        if (row->selects_preset)
            PV_TRY(keep_value(r, settings, row, &own));
    *preset = own ? own : *preset;
    return PSDVEC_OK;
}

/* Files of models store the thresholds of the vocabulary separately. */
static bool is_recorded(psdvec_options_kind kind, const psdvec_option *row)
{
    return row->stored || (kind == PSDVEC_OPTIONS_COUNT &&
                           (!strcmp(row->name, "min_count") || !strcmp(row->name, "max_vocab")));
}

/* The program chooses the value unless the user does, and files store what it chose. */
static bool is_automatic(const psdvec_option *row)
{
    return row->otherwise || !strcmp(row->name, "max_length") ||
           (row->fallback && !strcmp(row->fallback, "auto"));
}

static psdvec_status take_options(pv_report *r, psdvec_options_kind kind, psdvec_settings *used,
                                  psdvec_settings *usual, pv_report_stage *stage)
{
    const psdvec_option *row;
    size_t rows = 0;
    while (psdvec_options_at(kind, rows))
        rows++;
    PV_TAKE(&r->scope, stage->options, rows);
    PV_TRY(pv_scope_status(&r->scope));
    for (size_t k = 0; (row = psdvec_options_at(kind, k)); k++) {
        /* The method of a baseline has no default. */
        if (!is_recorded(kind, row) || (kind == PSDVEC_OPTIONS_BASELINE && row->selects_preset) ||
            !psdvec_options_hold(kind, psdvec_settings_struct(used), row->needs))
            continue;
        pv_report_option *to = &stage->options[stage->count++];
        *to = (pv_report_option){.row = row, .fallback = row->fallback};
        PV_TRY(keep_value(r, used, row, &to->value));
        if (!row->selects_preset)
            PV_TRY(keep_value(r, usual, row, &to->fallback));
        to->meaning = meaning_of(row, to->value);
        to->changed = !is_same(to->value, to->fallback) && !is_automatic(row);
        stage->changed += to->changed;
    }
    return PSDVEC_OK;
}

/* Compares the options with the defaults of a preset; NULL: with those without one. */
static psdvec_status compare(pv_report *r, psdvec_options_kind kind, psdvec_settings *used,
                             const char *preset, pv_report_stage *stage)
{
    psdvec_settings *usual = psdvec_settings_new(kind, preset);
    psdvec_status status;
    *stage = (pv_report_stage){.name = stage->name, .preset = preset ? preset : "default"};
    if (!usual)
        PV_TRY_DONE(pv_fail(r->ctx, PSDVEC_ERR_MEMORY, "out of memory while reading options"));
    if (psdvec_settings_finish(usual) != PSDVEC_OK)
        PV_TRY_DONE(pv_fail(r->ctx, PSDVEC_ERR_INTERNAL, "%s", psdvec_settings_message(usual)));
    status = take_options(r, kind, used, usual, stage);
done:
    psdvec_settings_free(usual);
    return status;
}

/* *preset: that of the stage before; receives that of this one if the options select one. Options
 * that select none, those of counting, are compared with the defaults of the preset of training and
 * with those of psdvec count, because counts may have been made separately; the fewer differences
 * are kept. */
static psdvec_status take_stage(pv_report *r, psdvec_options_kind kind, const char **preset,
                                pv_report_stage *stage)
{
    psdvec_settings *used = NULL;
    psdvec_status status = psdvec_model_settings(r->ctx, r->model, kind, &used);
    if (status == PSDVEC_ERR_MISMATCH) { /* the model does not have them */
        pv_begin(r->ctx);
        return PSDVEC_OK;
    }
    PV_TRY_DONE(status);
    const char *before = *preset;
    PV_TRY_DONE(find_preset(r, kind, used, preset));
    bool own = *preset != before;
    PV_TRY_DONE(compare(r, kind, used, *preset, stage));
    if (!own && *preset && stage->changed) {
        pv_report_stage other = {.name = stage->name};
        PV_TRY_DONE(compare(r, kind, used, NULL, &other));
        if (other.changed < stage->changed)
            *stage = other;
    }
done:
    psdvec_settings_free(used);
    return status;
}

static const char *value_of(const pv_report_stage *stage, const char *name)
{
    for (size_t k = 0; k < stage->count; k++)
        if (!strcmp(stage->options[k].row->name, name))
            return stage->options[k].value;
    return NULL;
}

/* ---- Sentences --------------------------------------------------------------------------------- */

pv_grouped pv_report_grouped(uint64_t number)
{
    pv_grouped grouped;
    char digits[20], *end = pv_digits_write(digits, number), *to = grouped.text;
    for (char *at = digits; at < end; at++) {
        if (at > digits && (end - at) % 3 == 0)
            *to++ = ',';
        *to++ = *at;
    }
    *to = '\0';
    return grouped; /* cppcheck-suppress uninitvar ; written through `to` */
}
#define GROUPED(number) pv_report_grouped(number).text

static const char *ending(uint64_t number)
{
    return number == 1 ? "" : "s";
}

static psdvec_status tell_text(pv_report *r, pv_buffer *to)
{
    const psdvec_origin *o = r->origin;
    uint64_t bytes = 0;
    for (size_t k = 0; k < o->input_count; k++)
        bytes += o->inputs[k].bytes;
    if (o->imported)
        return pv_buffer_text(to, "The counts of word pairs were imported from another program.\n");
    if (!o->tokens)
        return pv_buffer_text(to, "The file does not record the text.\n");
    PV_TRY(pv_buffer_printf(to, "The text has %s word%s in %s document%s", GROUPED(o->tokens),
                            ending(o->tokens), GROUPED(o->documents), ending(o->documents)));
    if (bytes)
        PV_TRY(pv_buffer_printf(to, ", from %s input%s of %.3g MB", GROUPED(o->input_count),
                                ending(o->input_count), (double)bytes / 1e6));
    return pv_buffer_text(to, ".\n");
}

static psdvec_status tell_counting(pv_report *r, pv_buffer *to)
{
    const pv_report_stage *counting = &r->stages[PV_REPORT_COUNTING];
    const char *least = value_of(counting, "min_count"), *window = value_of(counting, "window");
    if (least && strcmp(least, "1") != 0)
        PV_TRY(
            pv_buffer_printf(to, "Words that occur fewer than %s times were left out.\n", least));
    if (window)
        PV_TRY(pv_buffer_printf(
            to, "Two words occur together if they are at most %s words apart.\n", window));
    return PSDVEC_OK;
}

static psdvec_status tell_training(pv_report *r, pv_buffer *to)
{
    const psdvec_model_info *info = r->info;
    if (info->iteration_count > 1) {
        double first = info->iterations[0].objective;
        double last = info->iterations[info->iteration_count - 1].objective;
        PV_TRY(pv_buffer_printf(to,
                                "Training took %zu iterations, in which the objective fell from "
                                "%.4g to %.4g.\n",
                                info->iteration_count, first, last));
    }
    for (size_t k = 0; k < r->origin->extension_count; k++)
        PV_TRY(pv_buffer_printf(to, "Later, %s word%s were added to the model (psdvec extend).\n",
                                GROUPED(r->origin->extensions[k].words),
                                ending(r->origin->extensions[k].words)));
    if (info->has_spelling)
        PV_TRY(pv_buffer_printf(to,
                                "Vectors of words that it does not have are derived from %s "
                                "character n-grams.\n",
                                GROUPED(info->ngrams)));
    if (info->temperature > 0)
        PV_TRY(pv_buffer_printf(to,
                                "A temperature of %.3g was fitted for the probability of text.\n",
                                info->temperature));
    return PSDVEC_OK;
}

static psdvec_status tell(pv_report *r)
{
    const psdvec_model_info *info = r->info;
    pv_buffer *to = &r->story;
    if (!info->native)
        return pv_buffer_printf(to,
                                "These are vectors of another program: %s word%s, %s dimension%s.\n"
                                "The file does not record how they were made.\n",
                                GROUPED(info->words), ending(info->words), GROUPED(info->dim),
                                ending(info->dim));
    PV_TRY(pv_buffer_printf(
        to, "%s made this model of %s word%s with vectors of %s dimension%s, by the method %s.\n",
        info->written_by ? info->written_by : "psdvec", GROUPED(info->words), ending(info->words),
        GROUPED(info->dim), ending(info->dim), info->method ? info->method : "psd"));
    PV_TRY(tell_text(r, to));
    PV_TRY(tell_counting(r, to));
    return tell_training(r, to);
}

psdvec_status pv_report_settings(pv_report *report)
{
    const psdvec_model_info *info = report->info;
    pv_report_stage *stages = report->stages;
    bool own = !info->method || !strcmp(info->method, "psd");
    const char *preset = NULL;
    stages[PV_REPORT_TRAINING].name = "Training";
    stages[PV_REPORT_COUNTING].name = "Counting";
    PV_TRY(psdvec_model_origin(report->ctx, report->model, &report->origin));
    if (info->settings_json)
        PV_TRY(take_stage(report, own ? PSDVEC_OPTIONS_TRAIN : PSDVEC_OPTIONS_BASELINE, &preset,
                          &stages[PV_REPORT_TRAINING]));
    if (info->counts_json)
        PV_TRY(take_stage(report, PSDVEC_OPTIONS_COUNT, &preset, &stages[PV_REPORT_COUNTING]));
    PV_TRY(tell(report));
    return pv_buffer_byte(&report->story, '\0');
}
