/* Reports for programs: JSON, with all that is needed to repeat them, and lines with tabs.
 * docs/evaluation.md says what stands in them. */
#include "cell.h"
#include "eval_print.h"
#include "options.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_name(struct buffer *to, const char *member, const char *text)
{
    buffer_format(to, "\"%s\": ", member);
    if (text)
        buffer_json(to, text, strlen(text));
    else
        buffer_text(to, "null");
}

static void add_real(struct buffer *to, const char *member, double value)
{
    buffer_format(to, ", \"%s\": ", member);
    if (isfinite(value))
        buffer_format(to, "%.17g", value);
    else
        buffer_text(to, "null");
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void add_options(struct buffer *to, const struct eval *eval)
{
    const psdvec_eval_options *o = &eval->options;
    buffer_format(to,
                  "\"options\": {\"unknown\": \"%s\", \"keep_case\": %s, \"restrict\": %" PRIu32
                  ", \"common\": %s, \"half\": \"%s\", \"resamples\": %" PRIu32,
                  option_word(PSDVEC_OPTIONS_EVAL, "unknown", o->unknown), truth(o->keep_case),
                  o->restrict_words, truth(o->common),
                  option_word(PSDVEC_OPTIONS_EVAL, "half", o->half), o->resamples);
    add_real(to, "confidence", o->confidence);
    buffer_format(to, ", \"seed\": %" PRIu64 "}", argument_integer(eval->run->arguments, "seed"));
}

static void add_models(struct buffer *to, const struct eval *eval)
{
    buffer_text(to, "\"models\": [");
    for (size_t m = 0; m < eval->model_files.count; m++) {
        const psdvec_model_info *info = psdvec_model_get_info(eval->models[m]);
        buffer_text(to, m ? ", {" : "{");
        add_name(to, "name", eval->model_files.names[m]);
        buffer_text(to, ", ");
        add_name(to, "file", eval->model_files.paths[m]);
        buffer_format(to, ", \"file_bytes\": %" PRIu64 ", \"native\": %s, ", info->file_bytes,
                      truth(info->native));
        add_name(to, "written_by", info->written_by);
        buffer_format(to, ", \"vectors\": \"%s\", \"words\": %" PRIu32 ", \"dim\": %" PRIu32,
                      info->native ? "readout" : "file", info->words, info->dim);
        buffer_format(to, ", \"settings\": %s, \"counts\": %s, \"extensions\": %s}",
                      info->settings_json ? info->settings_json : "null",
                      info->counts_json ? info->counts_json : "null",
                      info->extensions_json ? info->extensions_json : "null");
    }
    buffer_char(to, ']');
}

static void add_sets(struct buffer *to, const struct eval *eval)
{
    buffer_text(to, "\"sets\": [");
    for (size_t k = 0; k < eval->set_files.count; k++) {
        const psdvec_test_info *info = psdvec_test_get_info(eval->sets[k]);
        buffer_text(to, k ? ", {" : "{");
        add_name(to, "name", eval->set_files.names[k]);
        buffer_text(to, ", ");
        add_name(to, "file", eval->set_files.paths[k]);
        buffer_format(to, ", \"builtin\": %s, \"kind\": \"%s\", \"questions\": %" PRIu32,
                      truth(info->builtin), kind_words[info->kind], info->questions);
        buffer_text(to, ", \"sections\": [");
        for (uint32_t s = 0; s < info->sections; s++) {
            const char *section = psdvec_test_section(eval->sets[k], s);
            buffer_text(to, s ? ", " : "");
            buffer_json(to, section, strlen(section));
        }
        buffer_text(to, "]}");
    }
    buffer_char(to, ']');
}

static void add_scores(struct buffer *to, const struct eval *eval)
{
    size_t models = eval->model_files.count;
    buffer_text(to, "\"scores\": [");
    for (size_t k = 0; k < eval->row_count * models; k++) {
        const struct eval_row *row = &eval->rows[k / models];
        const psdvec_score *score = &row->scores[k % models];
        buffer_text(to, k ? ", {" : "{");
        add_name(to, "set", eval->set_files.names[row->set]);
        buffer_text(to, ", ");
        add_name(to, "section", row->section);
        buffer_format(to, ", \"measure\": \"%s\", ", measure_words[row->measure]);
        add_name(to, "model", eval->model_files.names[k % models]);
        add_real(to, "score", score->value);
        add_real(to, "low", score->low);
        add_real(to, "high", score->high);
        buffer_format(to, ", \"known\": %" PRIu32 ", \"total\": %" PRIu32 "}", score->known,
                      score->total);
    }
    buffer_char(to, ']');
}

static void add_differences(struct buffer *to, const struct eval *eval)
{
    size_t count;
    const psdvec_difference *d = psdvec_report_differences(eval->report, &count);
    buffer_text(to, "\"differences\": [");
    for (size_t k = 0; k < count; k++, d++) {
        buffer_text(to, k ? ", {" : "{");
        add_name(to, "set", eval->set_files.names[d->test]);
        buffer_format(to, ", \"measure\": \"%s\", ", measure_words[d->measure]);
        add_name(to, "first", eval->model_files.names[d->first]);
        buffer_text(to, ", ");
        add_name(to, "second", eval->model_files.names[d->second]);
        add_real(to, "difference", d->difference);
        add_real(to, "p", d->p);
        buffer_format(to, ", \"significant\": %s, \"questions\": %" PRIu32 "}",
                      truth(d->significant), d->questions);
    }
    buffer_char(to, ']');
}

void eval_json_members(struct buffer *to, const struct eval *eval)
{
    static void (*const members[])(struct buffer *, const struct eval *) = {
        add_options, add_models, add_sets, add_scores, add_differences};
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        buffer_text(to, k ? ", " : "");
        members[k](to, eval);
    }
}

void eval_json(struct buffer *to, const struct eval *eval)
{
    buffer_format(to, "{\"version\": \"%s\", ", psdvec_version());
    eval_json_members(to, eval);
    buffer_text(to, "}\n");
}

static void add_field(struct buffer *to, const char *text)
{
    if (text)
        cell_text(to, text, strlen(text));
    buffer_char(to, '\t');
}

static void add_decimal(struct buffer *to, double value)
{
    if (isfinite(value))
        buffer_format(to, "%.6f", value);
    buffer_char(to, '\t');
}

void eval_tsv(struct buffer *to, const struct eval *eval)
{
    size_t models = eval->model_files.count;
    buffer_text(to, "set\tsection\tmeasure\tmodel\tscore\tlow\thigh\tknown\ttotal\n");
    for (size_t k = 0; k < eval->row_count * models; k++) {
        const struct eval_row *row = &eval->rows[k / models];
        const psdvec_score *score = &row->scores[k % models];
        add_field(to, eval->set_files.names[row->set]);
        add_field(to, row->section);
        add_field(to, measure_words[row->measure]);
        add_field(to, eval->model_files.names[k % models]);
        add_decimal(to, score->value);
        add_decimal(to, score->low);
        add_decimal(to, score->high);
        buffer_format(to, "%" PRIu32 "\t%" PRIu32 "\n", score->known, score->total);
    }
}
