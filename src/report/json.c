/* A description as JSON; docs/reference/report.md lists its members. */
#include "report/report.h"

#include "base/json.h"

#include <string.h>

/* JSON that a file contains, which another program may have written. */
static void put_stored(pv_json_writer *json, const char *name, const char *text)
{
    if (text && pv_json_is(text, PV_JSON_OBJECT))
        pv_json_put_raw(json, name, text, strlen(text));
    else
        pv_json_put_null(json, name);
}

static void put_word(const pv_report *r, pv_json_writer *json, const char *key, uint32_t word)
{
    size_t length;
    const char *form = psdvec_model_form(r->model, word, &length);
    pv_json_put_string_n(json, key, form, length);
}

static void put_model(const pv_report *r, pv_json_writer *json)
{
    const psdvec_model_info *info = r->info;
    static const char *const precisions[] = {
        [PSDVEC_FLOAT32] = "float32", [PSDVEC_FLOAT16] = "float16", [PSDVEC_INT8] = "int8"};
    pv_json_open_object(json, "model");
    pv_json_put_string(json, "file", r->model->path);
    pv_json_put_string(json, "written_by", info->written_by);
    pv_json_put_string(json, "method", info->method);
    pv_json_put_bool(json, "native", info->native);
    pv_json_put_u64(json, "file_bytes", info->file_bytes);
    pv_json_put_string(json, "precision", precisions[info->precision]);
    pv_json_put_u64(json, "words", info->words);
    pv_json_put_u64(json, "core_words", info->core_words);
    pv_json_put_u64(json, "dim", info->dim);
    pv_json_put_u64(json, "positive", info->positive);
    pv_json_put_bool(json, "sparse", info->sparse);
    pv_json_put_bool(json, "has_readout", info->has_readout);
    pv_json_put_u64(json, "ngrams", info->ngrams);
    pv_json_put_u64(json, "phrases", info->phrases);
    put_stored(json, "fit", info->fit_json);
    pv_json_close(json);
}

static void put_text(const pv_report *r, pv_json_writer *json)
{
    const psdvec_origin *o = r->origin;
    if (!o->tokens) {
        pv_json_put_null(json, "text");
        return;
    }
    pv_json_open_object(json, "text");
    pv_json_put_u64(json, "tokens", o->tokens);
    pv_json_put_u64(json, "documents", o->documents);
    pv_json_put_bool(json, "imported", o->imported);
    pv_json_open_array(json, "inputs");
    for (size_t k = 0; k < o->input_count; k++) {
        pv_json_open_object(json, NULL);
        pv_json_put_string(json, "name", o->inputs[k].name);
        pv_json_put_u64(json, "files", o->inputs[k].files);
        pv_json_put_u64(json, "bytes", o->inputs[k].bytes);
        pv_json_put_u64(json, "documents", o->inputs[k].documents);
        pv_json_put_u64(json, "tokens", o->inputs[k].tokens);
        pv_json_close(json);
    }
    pv_json_close(json);
    pv_json_close(json);
}

static void put_settings(const pv_report *r, pv_json_writer *json)
{
    pv_json_open_array(json, "settings");
    for (size_t s = 0; s < PV_REPORT_STAGES; s++) {
        const pv_report_stage *stage = &r->stages[s];
        if (!stage->count)
            continue;
        pv_json_open_object(json, NULL);
        pv_json_put_string(json, "stage", stage->name);
        pv_json_put_string(json, "preset", stage->preset);
        pv_json_open_array(json, "options");
        for (size_t k = 0; k < stage->count; k++) {
            const pv_report_option *option = &stage->options[k];
            pv_json_open_object(json, NULL);
            pv_json_put_string(json, "name", option->row->name);
            pv_json_put_string(json, "value", option->value);
            pv_json_put_string(json, "default", option->fallback);
            pv_json_put_bool(json, "changed", option->changed);
            pv_json_put_string(json, "help", option->row->help);
            pv_json_put_string(json, "meaning", option->meaning);
            pv_json_close(json);
        }
        pv_json_close(json);
        pv_json_close(json);
    }
    pv_json_close(json);
}

static void put_training(const pv_report *r, pv_json_writer *json)
{
    const psdvec_model_info *info = r->info;
    pv_json_open_array(json, "iterations");
    for (size_t k = 0; k < info->iteration_count; k++) {
        const psdvec_iteration *it = &info->iterations[k];
        pv_json_open_object(json, NULL);
        pv_json_put_u64(json, "iteration", it->iteration);
        pv_json_put_u64(json, "rank", it->rank);
        pv_json_put_u64(json, "positive", it->positive);
        pv_json_put_double(json, "objective", it->objective);
        pv_json_put_digits(json, "relaxation", it->relaxation, 6);
        pv_json_put_digits(json, "smallest", it->smallest, 6);
        pv_json_put_digits(json, "residual", it->residual, 6);
        pv_json_close(json);
    }
    pv_json_close(json);
    pv_json_open_array(json, "eigenvalues");
    for (uint32_t k = 0; info->eigenvalues && k < info->dim; k++)
        pv_json_put_digits(json, NULL, (double)info->eigenvalues[k], 6);
    pv_json_close(json);
}

static void put_frequencies(const pv_report *r, pv_json_writer *json)
{
    if (!r->rank_count) {
        pv_json_put_null(json, "frequencies");
        return;
    }
    pv_json_open_object(json, "frequencies");
    pv_json_put_u64(json, "occurrences", r->occurrences);
    pv_json_put_u64(json, "half", r->half);
    pv_json_put_u64(json, "nine_tenths", r->nine_tenths);
    pv_json_put_digits(json, "exponent", r->exponent, 4);
    pv_json_open_array(json, "ranks");
    for (size_t k = 0; k < r->rank_count; k++) {
        pv_json_open_array(json, NULL);
        pv_json_put_u64(json, NULL, r->ranks[k].rank);
        pv_json_put_u64(json, NULL, r->ranks[k].frequency);
        pv_json_close(json);
    }
    pv_json_close(json);
    pv_json_close(json);
}

static void put_lengths(const pv_report *r, pv_json_writer *json)
{
    pv_json_open_object(json, "lengths");
    pv_json_put_string(json, "vectors", pv_report_vectors(r));
    pv_json_put_string(json, "by", r->model->counts ? "frequency" : "rank");
    pv_json_put_u64(json, "measured", r->measured);
    pv_json_put_u64(json, "zero", r->zero);
    pv_json_open_array(json, "bands");
    for (size_t k = 0; k < r->band_count; k++) {
        const pv_report_band *band = &r->bands[k];
        pv_json_open_object(json, NULL);
        pv_json_put_digits(json, "from", band->from, 15);
        pv_json_put_digits(json, "to", band->to, 15);
        pv_json_put_u64(json, "words", band->words);
        pv_json_put_digits(json, "low", band->low, 6);
        pv_json_put_digits(json, "median", band->median, 6);
        pv_json_put_digits(json, "high", band->high, 6);
        pv_json_close(json);
    }
    pv_json_close(json);
    pv_json_open_array(json, "points");
    for (size_t k = 0; k < r->length_count; k++) {
        uint32_t word = r->lengths[k].word;
        pv_json_open_array(json, NULL);
        put_word(r, json, NULL, word);
        pv_json_put_u64(json, NULL, r->model->counts ? r->model->counts[word] : word + 1);
        pv_json_put_digits(json, NULL, r->lengths[k].length, 4);
        pv_json_close(json);
    }
    pv_json_close(json);
    pv_json_close(json);
}

static void put_map(const pv_report *r, pv_json_writer *json)
{
    if (!r->map) {
        pv_json_put_null(json, "map");
        return;
    }
    pv_json_open_object(json, "map");
    pv_map_put(json, r->map);
    pv_json_put_string_n(json, "picture", r->picture.data, r->picture.length);
    pv_json_close(json);
}

static const char *section_of(const psdvec_test *test, int32_t section)
{
    return section == PSDVEC_SECTION_SEMANTIC    ? "semantic"
           : section == PSDVEC_SECTION_SYNTACTIC ? "syntactic"
                                                 : psdvec_test_section(test, (uint32_t)section);
}

static void put_scores(const pv_report *r, pv_json_writer *json)
{
    size_t count = 0;
    const psdvec_score *scores = r->scores ? psdvec_report_scores(r->scores, &count) : NULL;
    pv_json_put_digits(json, "confidence", r->confidence, 6);
    pv_json_open_array(json, "scores");
    for (size_t k = 0; k < count; k++) {
        const psdvec_score *score = &scores[k];
        const psdvec_test *test = r->tests[score->test];
        pv_json_open_object(json, NULL);
        pv_json_put_string(json, "set", psdvec_test_get_info(test)->name);
        pv_json_put_bool(json, "builtin", psdvec_test_get_info(test)->builtin);
        pv_json_put_string(
            json, "section",
            score->section == PSDVEC_SECTION_WHOLE ? NULL : section_of(test, score->section));
        pv_json_put_string(json, "measure", pv_report_measure(score->measure));
        pv_json_put_double(json, "value", score->value);
        pv_json_put_double(json, "low", score->low);
        pv_json_put_double(json, "high", score->high);
        pv_json_put_u64(json, "known", score->known);
        pv_json_put_u64(json, "total", score->total);
        pv_json_close(json);
    }
    pv_json_close(json);
}

static void put_neighbours(const pv_report *r, pv_json_writer *json)
{
    pv_json_put_bool(json, "sampled", r->chosen);
    pv_json_open_array(json, "neighbours");
    for (size_t s = 0; s < r->sample_count; s++) {
        const pv_report_sample *sample = &r->samples[s];
        pv_json_open_object(json, NULL);
        put_word(r, json, "word", sample->word);
        pv_json_put_u64(json, "rank", (uint64_t)sample->word + 1);
        if (r->model->counts)
            pv_json_put_u64(json, "frequency", r->model->counts[sample->word]);
        pv_json_open_array(json, "near");
        for (size_t k = 0; k < sample->found; k++) {
            pv_json_open_array(json, NULL);
            put_word(r, json, NULL, sample->near[k].word);
            pv_json_put_digits(json, NULL, (double)sample->near[k].cosine, 4);
            pv_json_close(json);
        }
        pv_json_close(json);
        pv_json_close(json);
    }
    pv_json_close(json);
}

/* The lines of a text. */
static void put_lines(pv_json_writer *json, const char *name, const char *text)
{
    pv_json_open_array(json, name);
    for (const char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        pv_json_put_string_n(json, NULL, text, (size_t)(end - text));
    }
    pv_json_close(json);
}

psdvec_status pv_report_json(const pv_report *report, pv_buffer *to)
{
    pv_json_writer json;
    pv_json_writer_init(&json, to);
    pv_json_open_object(&json, NULL);
    pv_json_put_string(&json, "version", psdvec_version());
    put_model(report, &json);
    put_lines(&json, "story", report->story.data);
    put_text(report, &json);
    put_settings(report, &json);
    put_training(report, &json);
    put_frequencies(report, &json);
    put_lengths(report, &json);
    put_map(report, &json);
    put_scores(report, &json);
    put_neighbours(report, &json);
    pv_json_open_array(&json, "cite");
    for (size_t k = 0; pv_report_reference(report, k); k++)
        pv_json_put_string(&json, NULL, pv_report_reference(report, k));
    pv_json_close(&json);
    pv_json_close(&json);
    PV_TRY(pv_json_writer_status(&json));
    return pv_buffer_byte(to, '\0');
}
