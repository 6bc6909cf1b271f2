/* psdvec_counts_import: from another program's counts to a counts file. */
#include "count/import.h"

#include "base/arguments.h"
#include "base/file.h"
#include "base/json.h"
#include "count/count.h"
#include "count/counts_write.h"
#include "count/formats.h"
#include "count/options.h"
#include "count/vocab_file.h"
#include "count/window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- For the readers ---------------------------------------------------------- */

psdvec_status pv_import_window(pv_import *m, uint64_t window)
{
    if (window == 0 || window > PV_MAX_WINDOW)
        return PSDVEC_OK; /* it says nothing we can use */
    if (m->options->window && m->options->window != window)
        return pv_fail(m->ctx, PSDVEC_ERR_MISMATCH,
                       "%s: says that it was made with a window of %" PRIu64
                       ", not of %u; leave out the window",
                       m->input, window, m->options->window);
    m->window = (uint32_t)window;
    return PSDVEC_OK;
}

psdvec_status pv_import_begin(pv_import *m, uint64_t suggested, bool whole, uint64_t expected)
{
    uint64_t scale = m->options->scale ? m->options->scale : suggested;
    if (!scale && whole)
        scale = 1;
    m->scale_chosen = !scale;
    if (!scale)
        scale = m->window ? pv_window_scale(m->window, PSDVEC_DISTANCE_HARMONIC, false)
                          : PV_IMPORT_SCALE;
    m->rounding.scale = scale;
    pv_vocabulary *v = &m->vocabulary;
    if (!m->frequencies_known) {
        m->focus_total = pv_alloc_zero(m->ctx, v->count, sizeof *m->focus_total, "the margins");
        if (!m->focus_total)
            return pv_failure(m->ctx);
    }
    /* the writer holds values back, and has margins */
    uint64_t reserve = m->ctx->options.memory / 8 + 24 * (uint64_t)v->count;
    return pv_triples_init(&m->triples, m->ctx, m->folder, v->count, expected,
                           m->frequencies_known ? v->frequency : NULL, reserve);
}

uint64_t pv_import_halve(pv_import *m, uint64_t value)
{
    if (value % 2)
        pv_rounding_note(&m->rounding, (double)value, 0.5);
    return value / 2 + value % 2;
}

bool pv_import_is_symmetric(const pv_import *m)
{
    const pv_import_half *a = &m->above, *b = &m->below;
    uint64_t difference = a->sum > b->sum ? a->sum - b->sum : b->sum - a->sum;
    return a->records == b->records && a->places == b->places &&
           (double)difference <= 1e-9 * (double)a->sum;
}

/* ---- The words ------------------------------------------------------------------- */

/* The first line of the list that has a word but no count. */
static psdvec_status fail_without_count(pv_import *m)
{
    const char *path = m->options->vocab_file;
    pv_map map;
    PV_TRY(pv_map_open(m->ctx, path, false, &map));
    const char *line = map.size ? (const char *)map.data : "", *end = line + map.size;
    uint64_t number = 1;
    for (; line < end; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *line_end = newline ? newline : end;
        size_t fields = 0;
        bool space = true;
        for (const char *p = line; p < line_end; p++) {
            bool is_space = *p == ' ' || *p == '\t' || *p == '\r';
            fields += space && !is_space;
            space = is_space;
        }
        if (fields == 1)
            break;
        line = line_end + 1;
    }
    pv_map_close(m->ctx, &map);
    return pv_fail(m->ctx, PSDVEC_ERR_DAMAGED,
                   "%s: line %" PRIu64 ": a word without a count; GloVe's vocab.txt has one on "
                   "every line, so it is not that file, or is cut short",
                   path, number);
}

static psdvec_status read_words(pv_import *m)
{
    pv_vocabulary *v = &m->vocabulary;
    if (m->options->format == PSDVEC_FORMAT_TOP2GRAMS)
        return PSDVEC_OK;
    PV_TRY(pv_vocab_file_read(m->ctx, m->options->vocab_file, v));
    m->frequencies_known = v->list_frequency != NULL;
    if (m->frequencies_known)
        memcpy(v->frequency, v->list_frequency, v->count * sizeof *v->frequency);
    else if (m->options->format == PSDVEC_FORMAT_GLOVE)
        return fail_without_count(m);
    return PSDVEC_OK;
}

/* Where nobody says how often a word stands in the text, how often it stands
 * in a window stands in for it, as in the original program. */
static void estimate_frequencies(pv_import *m)
{
    pv_vocabulary *v = &m->vocabulary;
    if (m->frequencies_known)
        return;
    pv_warn(m->ctx,
            "%s has no frequencies; how often a word is the later one of a pair stands in for them",
            m->options->vocab_file);
    for (uint32_t i = 0; i < v->count; i++) {
        uint64_t total = m->focus_total[i] / (m->fold ? 2 : 1);
        uint64_t whole = total / m->rounding.scale;
        v->frequency[i] = whole + (total % m->rounding.scale > m->rounding.scale / 2);
        if (v->frequency[i] == 0 && total)
            v->frequency[i] = 1;
    }
}

static psdvec_status add_up_tokens(pv_import *m)
{
    pv_vocabulary *v = &m->vocabulary;
    for (uint32_t i = 0; i < v->count; i++)
        if (__builtin_add_overflow(v->known_tokens, v->frequency[i], &v->known_tokens))
            return pv_fail(m->ctx, PSDVEC_ERR_OVERFLOW,
                           "%s: the words' counts add up to more than 64 bits hold",
                           m->options->vocab_file ? m->options->vocab_file : m->input);
    v->distinct = v->count;
    return PSDVEC_OK;
}

/* ---- What the file says about itself ------------------------------------------------ */

static psdvec_status set_provenance(const pv_import *m, pv_provenance *p)
{
    pv_buffer json;
    pv_json_writer w;
    pv_buffer_init(&json, m->ctx);
    pv_json_writer_init(&w, &json);
    pv_json_open_object(&w, NULL);
    pv_json_put_string(&w, "imported", pv_counts_format_choices[m->options->format].name);
    if (m->window)
        pv_json_put_u64(&w, "window", m->window);
    else
        pv_json_put_null(&w, "window");
    if (m->dynamic_window)
        pv_json_put_bool(&w, "dynamic_window", true);
    pv_json_put_string(&w, "pairs", m->fold ? "unordered" : "directed");
    if (!m->frequencies_known)
        pv_json_put_string(&w, "frequencies", "from the pairs");
    pv_json_close(&w);
    psdvec_status status;
    PV_TRY_DONE(pv_json_writer_status(&w));
    p->settings = strndup(json.data, json.length);
    p->vocabulary = strdup("{\"list\":true}");
    if (!p->settings || !p->vocabulary) {
        status = pv_fail(m->ctx, PSDVEC_ERR_MEMORY, "the system refused memory");
        goto done;
    }
    p->window = m->window;
    p->scale = m->rounding.scale;
    p->tokens = m->vocabulary.known_tokens;
    pv_input_note note = {.name = (char *)m->input,
                          .files = 1,
                          .bytes = m->bytes,
                          .tokens = m->vocabulary.known_tokens};
    PV_TRY_DONE(pv_provenance_add_input(p, &note));
done:
    pv_buffer_free(&json);
    return status;
}

/* ---- The rows --------------------------------------------------------------------- */

/* Divides all values on their way to the writer. */
typedef struct divider {
    pv_row_sink inner;
    uint64_t divisor;
} divider;

static psdvec_status divide_rows(void *self, pv_rows *rows)
{
    const divider *d = self;
    for (size_t i = 0; i < rows->used; i++)
        rows->values[i] /= d->divisor;
    return d->inner.prepare(d->inner.self, rows);
}

static psdvec_status take_rows(void *self, size_t group, pv_rows *rows)
{
    const divider *d = self;
    return d->inner.take(d->inner.self, group, rows);
}

static psdvec_status finish_rows(void *self, const pv_rows *rows)
{
    const divider *d = self;
    return d->inner.finish(d->inner.self, rows);
}

/* Speaks up about what the numbers turned out to be. */
static psdvec_status judge(pv_import *m)
{
    const pv_rounding *r = &m->rounding;
    bool symmetric = pv_import_is_symmetric(m);
    if (m->triples.total == 0)
        return pv_fail(m->ctx, PSDVEC_ERR_EMPTY, "%s: there are no counts in it", m->input);
    if (m->fold && !symmetric)
        return pv_fail(m->ctx, PSDVEC_ERR_MISMATCH,
                       "%s: not every pair stands in it in both directions with the same count, "
                       "so it is not symmetric; import it without symmetric",
                       m->input);
    if (!m->fold && symmetric && m->above.records && m->options->format == PSDVEC_FORMAT_GLOVE)
        pv_warn(m->ctx,
                "%s: every pair stands in it in both directions with the same count, as GloVe "
                "writes by default; with symmetric each would be kept once",
                m->input);
    if (r->inexact)
        pv_warn(m->ctx,
                "%s: %" PRIu64 " numbers are not multiples of 1/%" PRIu64
                " and were rounded, by up to %.3g; another scale may fit them better",
                m->input, r->inexact, r->scale, r->worst);
    return PSDVEC_OK;
}

/* Chosen by us, and all numbers are whole: then they need no scale. */
static uint64_t settle_scale(pv_import *m)
{
    if (!m->scale_chosen || m->rounding.fractions)
        return 1;
    uint64_t divisor = m->rounding.scale;
    m->rounding.scale = 1;
    for (uint32_t i = 0; m->focus_total && i < m->vocabulary.count; i++)
        m->focus_total[i] /= divisor;
    return divisor;
}

static psdvec_status write_counts(pv_import *m, pv_output *output, uint64_t *bigrams)
{
    pv_provenance provenance;
    pv_counts_writer *writer = NULL;
    psdvec_status status;
    pv_provenance_init(&provenance, m->ctx);
    divider division = {.divisor = settle_scale(m)};
    estimate_frequencies(m);
    PV_TRY_DONE(add_up_tokens(m));
    PV_TRY_DONE(set_provenance(m, &provenance));
    PV_TRY_DONE(pv_counts_writer_new(m->ctx, output, m->folder, &m->vocabulary, &provenance, NULL,
                                     &writer));
    pv_row_sink sink = pv_counts_writer_sink(writer);
    if (division.divisor > 1) {
        division.inner = sink;
        sink = (pv_row_sink){
            .prepare = divide_rows, .take = take_rows, .finish = finish_rows, .self = &division};
    }
    PV_TRY_DONE(pv_triples_finish(&m->triples, &sink));
    PV_TRY_DONE(pv_counts_writer_finish(writer, bigrams));
done:
    pv_counts_writer_free(writer);
    pv_provenance_free(&provenance);
    return status;
}

/* ---- The whole ---------------------------------------------------------------------- */

static psdvec_status refuse_inputs_as_output(pv_import *m, const char *output)
{
    const char *vocab = m->options->vocab_file;
    if (strcmp(m->input, "-") != 0)
        PV_TRY(pv_refuse_same_file(m->ctx, &m->input, 1, output));
    return vocab ? pv_refuse_same_file(m->ctx, &vocab, 1, output) : PSDVEC_OK;
}

psdvec_status psdvec_counts_import(psdvec_context *ctx, const psdvec_import_options *options,
                                   const char *input, const char *output,
                                   psdvec_count_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, input);
    PV_NEED(ctx, output);
    psdvec_import_options defaults;
    if (!options) {
        psdvec_import_options_default(&defaults);
        options = &defaults;
    }
    double began = pv_now();
    if (report)
        *report = (psdvec_count_report){0};
    psdvec_import_options own;
    PV_TRY(pv_options_adopt(ctx, &pv_import_table, options, &own));
    pv_import m = {
        .ctx = ctx, .options = &own, .input = input, .window = own.window, .fold = own.symmetric};
    pv_output *file = NULL;
    uint64_t bigrams = 0;
    psdvec_status status;
    char *folder = pv_folder_of(output);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory", output);
    m.folder = folder;
    pv_vocabulary_init(&m.vocabulary, ctx);

    PV_TRY_DONE(refuse_inputs_as_output(&m, output));
    PV_TRY_DONE(pv_output_open(ctx, output, &file));
    PV_TRY_DONE(read_words(&m));
    PV_TRY_DONE(pv_counts_formats[own.format].import(&m));
    PV_TRY_DONE(judge(&m));
    PV_TRY_DONE(write_counts(&m, file, &bigrams));
    PV_TRY_DONE(pv_check_cancel(ctx));
    status = pv_output_commit(file);
    file = NULL;
    if (status == PSDVEC_OK && report)
        *report = (psdvec_count_report){.bytes = m.bytes,
                                        .tokens = m.vocabulary.known_tokens,
                                        .known_tokens = m.vocabulary.known_tokens,
                                        .distinct_words = m.vocabulary.count,
                                        .words = m.vocabulary.count,
                                        .bigrams = bigrams,
                                        .runs = m.triples.runs.made ? m.triples.runs.made : 1,
                                        .spilled_bytes = m.triples.runs.spilled,
                                        .seconds = pv_now() - began};
done:
    pv_output_discard(file);
    pv_triples_free(&m.triples);
    pv_free(ctx, m.focus_total);
    pv_vocabulary_free(&m.vocabulary);
    free(folder);
    return status;
}
