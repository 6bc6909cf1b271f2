/* psdvec_counts_import: converts another program's counts to a counts file. */
#include "base/arguments.h"
#include "base/json.h"
#include "count/count.h"
#include "count/counts_write.h"
#include "count/formats.h"
#include "count/options.h"
#include "count/window.h"
#include "util/clock.h"

#include <inttypes.h>
#include <string.h>

psdvec_status pv_import_window(pv_import *m, uint64_t window)
{
    if (window == 0 || window > PV_MAX_WINDOW)
        return PSDVEC_OK; /* nothing usable in it */
    if (m->options->window && m->options->window != window)
        return pv_fail(m->ctx, PSDVEC_ERR_MISMATCH,
                       "%s: was made with a window of %" PRIu64 ", not of %u; omit the window",
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
        PV_TAKE_ZERO(&v->memory, m->focus_total, v->count);
        PV_TRY(pv_scope_status(&v->memory));
    }
    /* the writer holds values back, and has margins */
    uint64_t reserve = m->ctx->options.memory / 8 + 24 * (uint64_t)v->count;
    return pv_triples_init(&m->triples, m->ctx, m->folder, v->count, expected,
                           m->frequencies_known ? v->frequency : NULL, reserve);
}

static psdvec_status read_words(pv_import *m)
{
    pv_vocabulary *v = &m->vocabulary;
    const char *path = m->options->vocab_file;
    if (!path || pv_counts_formats[m->options->format]->has_words)
        return PSDVEC_OK; /* the format reads them */
    PV_TRY(pv_vocabulary_read(v, path));
    m->frequencies_known = v->list_frequency != NULL;
    if (m->frequencies_known)
        memcpy(v->frequency, v->list_frequency, v->count * sizeof *v->frequency);
    else if (m->options->format == PSDVEC_FORMAT_GLOVE)
        return pv_fail(m->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line %" PRIu64 ": a word without a count; GloVe's vocab.txt has one "
                       "on every line, so this is another file, or it is truncated",
                       path, v->line_without);
    return PSDVEC_OK;
}

/* If the frequencies of words are unknown, the number of pairs in which a word is the focus word is
 * used instead, as in the original program. */
static void estimate_frequencies(pv_import *m)
{
    pv_vocabulary *v = &m->vocabulary;
    if (!m->focus_total)
        return;
    pv_warn(m->ctx,
            "%s: has no word frequencies; they are estimated from how often a word is the second "
            "of a pair",
            m->options->vocab_file);
    for (uint32_t i = 0; i < v->count; i++) {
        uint64_t total = m->focus_total[i] / (m->fold ? 2 : 1);
        uint64_t whole = total / m->rounding.scale;
        v->frequency[i] = whole + (total % m->rounding.scale > m->rounding.scale / 2);
        if (v->frequency[i] == 0 && total)
            v->frequency[i] = 1;
    }
}

static psdvec_status set_provenance(const pv_import *m, pv_provenance *p)
{
    pv_buffer json = {.ctx = m->ctx};
    pv_json_writer w;
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
    PV_TRY_DONE(pv_buffer_byte(&json, 0));
    PV_TRY_DONE(pv_provenance_describe(p, json.data, "{\"list\":true}"));
    p->window = m->window;
    p->scale = m->rounding.scale;
    p->tokens = m->vocabulary.known_tokens;
    pv_input_note note = {
        .name = m->input, .files = 1, .bytes = m->bytes, .tokens = m->vocabulary.known_tokens};
    PV_TRY_DONE(pv_provenance_add_input(p, &note));
done:
    pv_buffer_free(&json);
    return status;
}

/* Checks that there are counts, and their symmetry; warns about rounding. */
static psdvec_status judge(pv_import *m)
{
    const pv_rounding *r = &m->rounding;
    const pv_import_half *a = &m->above, *b = &m->below;
    uint64_t difference = a->sum > b->sum ? a->sum - b->sum : b->sum - a->sum;
    bool symmetric = a->records == b->records && a->places == b->places &&
                     (double)difference <= 1e-9 * (double)a->sum;
    if (m->triples.total == 0)
        return pv_fail(m->ctx, PSDVEC_ERR_EMPTY, "%s: has no counts", m->input);
    if (m->fold && !symmetric)
        return pv_fail(m->ctx, PSDVEC_ERR_MISMATCH,
                       "%s: is not symmetric: not every pair is in both directions with the same "
                       "count; import it without `symmetric`",
                       m->input);
    if (!m->fold && symmetric && m->above.records && m->options->format == PSDVEC_FORMAT_GLOVE)
        pv_warn(m->ctx,
                "%s: has every pair in both directions with the same count, as GloVe writes by "
                "default; with `symmetric`, each pair is imported once",
                m->input);
    if (r->inexact)
        pv_warn(m->ctx,
                "%s: %" PRIu64 " numbers are not multiples of 1/%" PRIu64
                " and were rounded, by up to %.3g; another scale may fit them better",
                m->input, r->inexact, r->scale, r->worst);
    return PSDVEC_OK;
}

static psdvec_status write_counts(pv_import *m, pv_counts_writer *writer, uint64_t *bigrams)
{
    pv_vocabulary *v = &m->vocabulary;
    pv_provenance provenance;
    pv_row_sink sink;
    psdvec_status status;
    pv_provenance_init(&provenance, m->ctx);
    uint64_t divisor = 1;
    if (m->scale_chosen && !m->rounding.fractions) { /* all are integers: no scale needed */
        divisor = m->rounding.scale;
        m->rounding.scale = 1;
        for (uint32_t i = 0; m->focus_total && i < v->count; i++)
            m->focus_total[i] /= divisor;
    }
    estimate_frequencies(m);
    for (uint32_t k = 0; k < v->count; k++)
        if (__builtin_add_overflow(v->known_tokens, v->frequency[k], &v->known_tokens))
            PV_TRY_DONE(pv_fail(m->ctx, PSDVEC_ERR_OVERFLOW,
                                "%s: the sum of the word counts does not fit into 64 bits",
                                m->options->vocab_file ? m->options->vocab_file : m->input));
    PV_TRY_DONE(set_provenance(m, &provenance));
    PV_TRY_DONE(pv_counts_writer_begin(writer, v, &provenance, NULL, divisor, &sink));
    PV_TRY_DONE(pv_triples_finish(&m->triples, &sink));
    PV_TRY_DONE(pv_counts_writer_finish(writer, bigrams));
done:
    pv_provenance_free(&provenance);
    return status;
}

psdvec_status psdvec_counts_import(psdvec_context *ctx, const psdvec_import_options *options,
                                   const char *input, const char *output,
                                   psdvec_count_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, input);
    PV_NEED(ctx, output);
    double began = pv_now();
    if (report)
        *report = (psdvec_count_report){0};
    psdvec_import_options own;
    PV_TRY(pv_options_adopt(ctx, &pv_import_table, options, &own));
    pv_import m = {
        .ctx = ctx, .options = &own, .input = input, .window = own.window, .fold = own.symmetric};
    pv_counts_writer *writer = NULL;
    uint64_t bigrams;
    psdvec_status status;
    pv_vocabulary_init(&m.vocabulary, ctx);

    if (strcmp(input, "-") != 0)
        PV_TRY_DONE(pv_refuse_same_file(ctx, &input, 1, output));
    if (own.vocab_file)
        PV_TRY_DONE(pv_refuse_same_file(ctx, &own.vocab_file, 1, output));
    PV_TRY_DONE(pv_counts_writer_open(ctx, output, &writer));
    m.folder = pv_counts_writer_folder(writer);
    PV_TRY_DONE(read_words(&m));
    PV_TRY_DONE(pv_counts_formats[own.format]->import(&m));
    PV_TRY_DONE(judge(&m));
    PV_TRY_DONE(write_counts(&m, writer, &bigrams));
    if (report)
        *report = (psdvec_count_report){.bytes = m.bytes,
                                        .tokens = m.vocabulary.known_tokens,
                                        .known_tokens = m.vocabulary.known_tokens,
                                        .distinct_words = m.vocabulary.count,
                                        .words = m.vocabulary.count,
                                        .bigrams = bigrams,
                                        .runs = pv_larger(1, m.triples.spills.made),
                                        .spilled_bytes = m.triples.spills.written,
                                        .seconds = pv_now() - began};
done:
    pv_counts_writer_free(writer);
    pv_triples_free(&m.triples);
    pv_vocabulary_free(&m.vocabulary);
    return status;
}
