/* A description as text, for readers of the page without JavaScript. */
#include "report/report.h"

#include "util/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { COLUMNS = 96, TEXT_ITERATIONS = 30, TEXT_CLUSTERS = 20, TEXT_CLUSTER_WORDS = 10 };

static psdvec_status heading(pv_buffer *to, const char *title)
{
    PV_TRY(pv_buffer_printf(to, "\n%s\n", title));
    for (size_t k = 0; k < strlen(title); k++)
        PV_TRY(pv_buffer_byte(to, '-'));
    return pv_buffer_byte(to, '\n');
}

/* Characters of UTF-8, which is nearly the width on a screen. */
static size_t width_of(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t k = 0; k < length; k++)
        width += ((unsigned char)text[k] & 0xC0) != 0x80;
    return width;
}

/* Adds a word of a list that is wrapped; *column is the current one. */
static psdvec_status add_item(pv_buffer *to, const char *text, size_t length, size_t indent,
                              size_t *column)
{
    size_t width = width_of(text, length);
    if (*column + 1 + width > COLUMNS && *column > indent) {
        PV_TRY(pv_buffer_printf(to, "\n%*s", (int)indent, ""));
        *column = indent;
    } else if (*column > indent) {
        PV_TRY(pv_buffer_byte(to, ' '));
        ++*column;
    }
    *column += width;
    return pv_buffer_append(to, text, length);
}

static psdvec_status add_wrapped(pv_buffer *to, const char *text, size_t length, size_t indent,
                                 size_t column)
{
    for (size_t k = 0, next; k < length; k = next + 1) {
        for (next = k; next < length && text[next] != ' ';)
            next++;
        PV_TRY(add_item(to, text + k, next - k, indent, &column));
    }
    return pv_buffer_byte(to, '\n');
}

static psdvec_status add_story(const pv_report *r, pv_buffer *to)
{
    for (const char *at = r->story.data, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        PV_TRY(add_wrapped(to, at, (size_t)(end - at), 0, 0));
    }
    return PSDVEC_OK;
}

static psdvec_status add_settings(const pv_report *r, pv_buffer *to)
{
    for (size_t s = 0; s < PV_REPORT_STAGES; s++) {
        const pv_report_stage *stage = &r->stages[s];
        if (!stage->count)
            continue;
        PV_TRY(pv_buffer_printf(to, "%s: %zu of %zu options differ from the preset %s%s\n",
                                stage->name, stage->changed, stage->count, stage->preset,
                                stage->changed ? ":" : "."));
        for (size_t k = 0; k < stage->count; k++) {
            const pv_report_option *option = &stage->options[k];
            if (!option->changed)
                continue;
            PV_TRY(pv_buffer_printf(to, "  %s = %s (default: %s)\n    ", option->row->name,
                                    option->value ? option->value : "none",
                                    option->fallback ? option->fallback : "none"));
            PV_TRY(add_wrapped(to, option->row->help, strlen(option->row->help), 4, 4));
        }
    }
    return PSDVEC_OK;
}

static psdvec_status add_training(const pv_report *r, pv_buffer *to)
{
    const psdvec_model_info *info = r->info;
    if (!info->iteration_count)
        return pv_buffer_text(to, "The file does not record the iterations of training.\n");
    PV_TRY(pv_buffer_text(to, "iteration     objective      step  residual\n"));
    for (size_t k = 0; k < info->iteration_count; k++) {
        const psdvec_iteration *it = &info->iterations[k];
        if (k == TEXT_ITERATIONS && info->iteration_count > TEXT_ITERATIONS + 1)
            return pv_buffer_printf(to, "and %zu more\n", info->iteration_count - k);
        PV_TRY(pv_buffer_printf(to, "%9u  %12.6g  %8.3g  %8.2g\n", it->iteration, it->objective,
                                it->relaxation, it->residual));
    }
    return PSDVEC_OK;
}

static psdvec_status add_spectrum(const pv_report *r, pv_buffer *to)
{
    const psdvec_model_info *info = r->info;
    if (!info->eigenvalues)
        return pv_buffer_text(to, "The file has no eigenvalues.\n");
    return pv_buffer_printf(to,
                            "%u eigenvalues, of which %u are positive; from %.4g to %.4g by "
                            "magnitude.\n",
                            info->dim, info->positive, (double)info->eigenvalues[0],
                            (double)info->eigenvalues[info->dim - 1]);
}

static psdvec_status add_frequencies(const pv_report *r, pv_buffer *to)
{
    if (!r->rank_count)
        return pv_buffer_text(to, "The file has no frequencies of words.\n");
    PV_TRY(pv_buffer_printf(to,
                            "The words of the model occur %s times. The %s most frequent ones make "
                            "up half of\nthis, the %s most frequent ones nine tenths.",
                            pv_report_grouped(r->occurrences).text, pv_report_grouped(r->half).text,
                            pv_report_grouped(r->nine_tenths).text));
    if (isfinite(r->exponent))
        PV_TRY(pv_buffer_printf(to, " Zipf exponent: %.2f.", r->exponent));
    PV_TRY(pv_buffer_text(to, "\n      rank   frequency\n"));
    for (size_t k = 0; k < r->rank_count; k += (r->rank_count + 9) / 10)
        PV_TRY(pv_buffer_printf(to, "%10s  %10s\n", pv_report_grouped(r->ranks[k].rank).text,
                                pv_report_grouped(r->ranks[k].frequency).text));
    return PSDVEC_OK;
}

static psdvec_status add_lengths(const pv_report *r, pv_buffer *to)
{
    PV_TRY(pv_buffer_printf(to, "Lengths of the %s, by %s:\n", pv_report_vectors(r),
                            r->model->counts ? "frequency" : "rank"));
    PV_TRY(pv_buffer_text(to, "        from          to     words    10 %  median    90 %\n"));
    for (size_t k = 0; k < r->band_count; k++) {
        const pv_report_band *band = &r->bands[k];
        PV_TRY(pv_buffer_printf(to, "%12.0f%12.0f%10s%8.3g%8.3g%8.3g\n", band->from, band->to,
                                pv_report_grouped(band->words).text, band->low, band->median,
                                band->high));
    }
    return PSDVEC_OK;
}

static psdvec_status add_map(const pv_report *r, pv_buffer *to)
{
    if (!r->map)
        return pv_buffer_text(to, "There is no map.\n");
    const uint32_t *words = psdvec_map_words(r->map);
    uint32_t clusters = psdvec_map_get_info(r->map)->clusters;
    PV_TRY(pv_buffer_printf(to, "%s words in %s clusters; the words that describe the largest:\n",
                            pv_report_grouped(psdvec_map_get_info(r->map)->words).text,
                            pv_report_grouped(clusters).text));
    for (uint32_t c = 0; c < clusters && c < TEXT_CLUSTERS; c++) {
        size_t count, length, column = 4;
        const uint32_t *places = psdvec_map_cluster_words(r->map, c, &count);
        PV_TRY(pv_buffer_text(to, "  - "));
        for (size_t k = 0; k < count && k < TEXT_CLUSTER_WORDS; k++) {
            const char *word = psdvec_model_form(r->model, words[places[k]], &length);
            PV_TRY(add_item(to, word, length, 4, &column));
        }
        PV_TRY(pv_buffer_byte(to, '\n'));
    }
    return PSDVEC_OK;
}

static psdvec_status add_scores(const pv_report *r, pv_buffer *to)
{
    size_t count = 0;
    const psdvec_score *scores = r->scores ? psdvec_report_scores(r->scores, &count) : NULL;
    if (!count)
        return pv_buffer_text(to, "There are no test sets.\n");
    PV_TRY(pv_buffer_printf(to, "%-24s %-10s  score  %.0f %% interval  questions\n", "set",
                            "measure", 100 * r->confidence));
    for (size_t k = 0; k < count; k++) {
        const psdvec_score *score = &scores[k];
        if (score->section != PSDVEC_SECTION_WHOLE)
            continue;
        PV_TRY(pv_buffer_printf(to, "%-24s %-10s ",
                                psdvec_test_get_info(r->tests[score->test])->name,
                                pv_report_measure(score->measure)));
        if (isnan(score->value))
            PV_TRY(pv_buffer_text(to, "   none                "));
        else
            PV_TRY(pv_buffer_printf(to, "%6.3f  %6.3f - %5.3f", score->value, score->low,
                                    score->high));
        PV_TRY(pv_buffer_printf(to, "  %u of %u\n", score->known, score->total));
    }
    return PSDVEC_OK;
}

static psdvec_status add_neighbours(const pv_report *r, pv_buffer *to)
{
    if (!r->sample_count)
        return pv_buffer_text(to, "There are no sample words.\n");
    for (size_t s = 0; s < r->sample_count; s++) {
        const pv_report_sample *sample = &r->samples[s];
        size_t length, column = 4;
        const char *word = psdvec_model_form(r->model, sample->word, &length);
        PV_TRY(pv_buffer_append(to, word, length));
        PV_TRY(
            pv_buffer_printf(to, " (rank %s)\n    ", pv_report_grouped(sample->word + 1ULL).text));
        for (size_t k = 0; k < sample->found; k++) {
            word = psdvec_model_form(r->model, sample->near[k].word, &length);
            PV_TRY(add_item(to, word, length, 4, &column));
        }
        PV_TRY(pv_buffer_byte(to, '\n'));
    }
    return PSDVEC_OK;
}

static psdvec_status add_references(const pv_report *r, pv_buffer *to)
{
    const char *reference;
    for (size_t k = 0; (reference = pv_report_reference(r, k)); k++) {
        PV_TRY(pv_buffer_text(to, "- "));
        PV_TRY(add_wrapped(to, reference, strlen(reference), 2, 2));
    }
    return PSDVEC_OK;
}

psdvec_status pv_report_text(const pv_report *report, pv_buffer *to)
{
    static const struct {
        const char *title;
        psdvec_status (*add)(const pv_report *report, pv_buffer *to);
    } sections[] = {{"How it was made", add_story},
                    {"Settings", add_settings},
                    {"Training", add_training},
                    {"Spectrum", add_spectrum},
                    {"Words by frequency", add_frequencies},
                    {"Lengths of vectors", add_lengths},
                    {"Map", add_map},
                    {"Scores", add_scores},
                    {"Neighbours of sample words", add_neighbours},
                    {"What to cite", add_references}};
    PV_TRY(pv_buffer_printf(to, "%s\n", report->model->path));
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        PV_TRY(heading(to, sections[k].title));
        PV_TRY(sections[k].add(report, to));
    }
    return pv_buffer_byte(to, '\0');
}
