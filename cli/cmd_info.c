/* psdvec info: what is in a model and how it was made. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "human.h"
#include "json.h"
#include "model_file.h"
#include "options.h"
#include "sheet.h"
#include "spectrum.h"
#include "wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_ITERATIONS 60

static const psdvec_option options[] = {
    {.name = "verify",
     .type = PSDVEC_OPTION_FLAG,
     .group = "Showing",
     .help = "read all of the file: compare its checksums, look for numbers that are not finite "
             "and for words that stand twice"},
    {.name = "json", .type = PSDVEC_OPTION_FLAG, .help = "print one JSON object"},
    {0}};

static const char *const description[] = {
    "Shows what a model holds, with which settings and from which text it was made, how the "
    "objective fell, and its eigenvalues: positive ones above the line, negative ones below it. MODEL "
    "may also be the vectors of another program, which know less of themselves.",
    NULL};

static const struct example examples[] = {
    {"psdvec info model.safetensors", "Look at a model."},
    {"psdvec info model.safetensors --verify", "And see whether it is sound."},
    {"psdvec info vectors.vec --json", "Another program's vectors, for a program."},
    {0}};

static const char *precision_of(const psdvec_model_info *info)
{
    return option_word(PSDVEC_OPTIONS_CONVERT, "precision", info->precision);
}

/* Of the read-out in the file, with the scales that int8 has. */
static uint64_t readout_bytes(const psdvec_model_info *info)
{
    static const uint64_t sizes[] = {[PSDVEC_FLOAT32] = 4, [PSDVEC_FLOAT16] = 2, [PSDVEC_INT8] = 1};
    if (!info->has_readout)
        return 0;
    return (uint64_t)info->words * info->dim * sizes[info->precision] +
           (info->precision == PSDVEC_INT8 ? (uint64_t)info->words * 4 : 0);
}

/* The share of numbers that are not 0. */
static double density(const psdvec_model_info *info)
{
    return (double)info->entries / info->words / info->dim;
}

/* ---- For people ------------------------------------------------------------------ */

static void add_contents(struct buffer *to, const psdvec_model_info *info, bool verified)
{
    struct buffer value = {0};
    buffer_text(&value, info->written_by ? info->written_by
                        : info->native   ? "not known"
                                         : "another program");
    sheet_value(to, "written by", &value);
    if (info->method) {
        buffer_text(&value, info->method);
        sheet_value(to, "method", &value);
    }
    human_bytes(&value, (double)info->file_bytes);
    sheet_value(to, "size", &value);
    buffer_text(&value, !info->native ? "none: the format has no room for them"
                        : verified    ? "verified"
                                      : "not compared; --verify does");
    sheet_value(to, "checksums", &value);
    human_count(&value, info->words);
    if (info->core_words) {
        buffer_text(&value, ", the first ");
        human_count(&value, info->core_words);
        buffer_text(&value, " of them core words");
    }
    sheet_value(to, "words", &value);
    buffer_format(&value, "%" PRIu32, info->dim);
    if (info->eigenvalues)
        buffer_format(&value, ", %" PRIu32 " with a positive and %" PRIu32 " with a negative sign",
                      info->positive, info->dim - info->positive);
    if (info->directions_are_words)
        buffer_text(&value, ", each about a word");
    sheet_value(to, "numbers a vector", &value);
    if (info->sparse) {
        human_count(&value, info->entries);
        buffer_format(&value, " numbers that are not 0, %.3g%% of all, %.0f a word",
                      100 * density(info), (double)info->entries / info->words);
        sheet_value(to, "sparse", &value);
    }
    buffer_text(&value, precision_of(info));
    sheet_value(to, "stored as", &value);
    buffer_text(&value, info->has_counts ? "frequencies" : "");
    if (info->has_spread)
        buffer_format(&value, "%sspread", value.length ? ", " : "");
    if (value.length)
        sheet_value(to, "known of words", &value);
    if (!info->native) {
        buffer_free(&value);
        return;
    }
    if (info->has_readout) {
        buffer_text(&value, "made for comparing words, ");
        human_bytes(&value, (double)readout_bytes(info));
    } else {
        buffer_text(&value, "the vectors themselves");
    }
    sheet_value(to, "read-out", &value);
    if (info->has_spelling) {
        human_count(&value, info->ngrams);
        buffer_text(&value, " n-grams of letters, ");
        human_bytes(&value, (double)info->spelling_bytes);
    } else {
        buffer_text(&value, "unknown words have no vector");
    }
    sheet_value(to, "spelling", &value);
    buffer_free(&value);
}

/* What fit-temperature found. */
static void add_fit(struct buffer *to, const char *json)
{
    static const char *const labels[][2] = {{"known", "known words"},
                                            {"perplexity_unigram", "unigrams"},
                                            {"perplexity_before", "T = 1"},
                                            {"perplexity", "fitted"},
                                            {"temperature", "  T"},
                                            {"self", "  e"},
                                            {"perplexity_counts_before", "residuals, T = 1"},
                                            {"perplexity_counts", "residuals, fitted"},
                                            {"temperature_counts", "  T"},
                                            {"perplexity_bigram_before", "bigrams"},
                                            {"perplexity_bigram", "bigrams, fitted"},
                                            {"interpolation", "  kappa"}};
    struct buffer key = {0}, value = {0};
    const char *text;
    size_t length;
    for (size_t k = 0; json && k < sizeof labels / sizeof *labels; k++) {
        struct json_walk walk;
        bool more = json_enter(&walk, json, '{');
        buffer_text(to, k || !more ? "" : "\nPerplexities of the text that T was fitted to\n");
        while (more && json_next(&walk, &key, &text, &length))
            if (!strcmp(buffer_get(&key), labels[k][0])) {
                buffer_format(&value, "%.5g", strtod(text, NULL));
                sheet_value(to, labels[k][1], &value);
            }
    }
    buffer_free(&key);
    buffer_free(&value);
}

/* How the text was counted: what is an object has a title of its own. */
static void add_counts(struct buffer *to, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0}, value = {0};
    const char *text;
    size_t length;
    bool begun = false;
    if (!json)
        return;
    for (bool more = json_enter(&walk, json, '{');
         more && json_next(&walk, &key, &text, &length);) {
        if (*text == '{' || *text == '[')
            continue;
        if (!begun)
            buffer_text(to, "\nText\n");
        begun = true;
        json_plain(&value, text, length);
        sheet_value(to, buffer_get(&key), &value);
    }
    for (bool more = json_enter(&walk, json, '{');
         more && json_next(&walk, &key, &text, &length);) {
        const char *name = buffer_get(&key);
        if (*text == '[')
            sheet_list(to, !strcmp(name, "inputs") ? "Inputs" : name, text);
        else if (*text == '{')
            sheet_settings(to,
                           !strcmp(name, "settings")     ? "Counting"
                           : !strcmp(name, "vocabulary") ? "Choice of words"
                                                         : name,
                           text);
    }
    buffer_free(&key);
    buffer_free(&value);
}

static void add_iterations(struct buffer *to, const struct run *run, const psdvec_model_info *info)
{
    double largest = 0;
    size_t count = info->iteration_count;
    if (!count)
        return;
    for (size_t k = 0; k < count; k++)
        if (info->iterations[k].objective > largest)
            largest = info->iterations[k].objective;
    buffer_text(to, "\nObjective\n  iteration   rank  positive     objective     fall    step\n");
    for (size_t k = 0; k < count; k++) {
        const psdvec_iteration *it = &info->iterations[k];
        /* Of a long course, the beginning and the end. */
        if (count > SHOWN_ITERATIONS && k == SHOWN_ITERATIONS / 2) {
            buffer_format(to, "  and %zu more; --json shows all\n", count - SHOWN_ITERATIONS);
            k = count - SHOWN_ITERATIONS / 2 - 1;
            continue;
        }
        buffer_format(to, "  %9" PRIu32 " %6" PRIu32 " %9" PRIu32 "  %12.6g", it->iteration,
                      it->rank, it->positive, it->objective);
        double before = k ? info->iterations[k - 1].objective : NAN;
        double fall = 100 * (before - it->objective) / before;
        if (isfinite(fall))
            buffer_format(to, " %7.3g%%", fall);
        else
            add_spaces(to, 9);
        buffer_format(to, " %7.3g  %s", it->relaxation, run->palette.cyan);
        cell_bar(to, largest > 0 ? it->objective / largest : 0, 16, terminal_unicode());
        drop_spaces(to);
        buffer_format(to, "%s\n", run->palette.plain);
    }
}

static void add_spectrum(struct buffer *to, const psdvec_model_info *info)
{
    if (!info->eigenvalues)
        return;
    uint32_t negative = 0;
    while (negative < info->dim && !(info->eigenvalues[negative] < 0))
        negative++;
    buffer_text(to, "\nEigenvalues\n");
    size_t width = terminal_width(STDOUT_FILENO);
    spectrum_draw(to, info->eigenvalues, info->dim, width > 80 ? 80 : width, terminal_unicode());
    struct buffer text = {0};
    buffer_format(&text, "%" PRIu32 " by magnitude, from %.4g to %.4g", info->dim,
                  (double)info->eigenvalues[0], (double)info->eigenvalues[info->dim - 1]);
    if (negative < info->dim)
        buffer_format(&text, "; the first negative one is number %" PRIu32 ", %.4g", negative + 1,
                      (double)info->eigenvalues[negative]);
    buffer_text(&text, ". Heights are as their square roots.");
    buffer_text(to, "  ");
    wrap(to, text.text, 2, 2, 80);
    buffer_free(&text);
}

/* A number of a flat object; 0 if it has none. */
static double member_of(const char *json, const char *name)
{
    struct json_walk walk;
    struct buffer key = {0};
    const char *text;
    size_t length;
    double number = 0;
    for (bool more = json_enter(&walk, json, '{'); more && json_next(&walk, &key, &text, &length);)
        if (!strcmp(buffer_get(&key), name)) {
            char *copy = must_format("%.*s", (int)length, text);
            number = strtod(copy, NULL);
            free(copy);
        }
    buffer_free(&key);
    return number;
}

/* A logarithm of a probability of very much: the digits in groups. */
static void add_log(struct buffer *to, double number)
{
    if (fabs(number) < 1000 || fabs(number) > 1e18) {
        buffer_format(to, "%.6g", number);
        return;
    }
    buffer_text(to, number < 0 ? "-" : "");
    human_count(to, (uint64_t)(fabs(number) + 0.5));
}

/* A prior: its logarithm, of how many, and the logarithm of the normalising factors. */
static void add_prior(struct buffer *to, const char *json, const char *label, const char *prior,
                      const char *normaliser, const char *of, double count)
{
    struct buffer value = {0};
    if (count > 0) {
        add_log(&value, member_of(json, prior));
        buffer_text(&value, " of ");
        human_count(&value, (uint64_t)count);
        buffer_format(&value, " %s; normaliser ", of);
        add_log(&value, member_of(json, normaliser));
    } else {
        buffer_text(&value, "none");
    }
    sheet_value(to, label, &value);
    buffer_free(&value);
}

/* Terms of the joint probability, as logarithms (docs/model.md). */
static void add_joint(struct buffer *to, const psdvec_model_info *info)
{
    static const char *const terms[][2] = {{"unigrams", "of it words"},
                                           {"products", "of it products"},
                                           {"residuals", "of it residuals"},
                                           {"shifts", "of it shifts"}};
    const char *json = info->joint_json;
    struct buffer value = {0};
    double text = 0;
    if (!json)
        return;
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
        text += member_of(json, terms[k][0]);
    buffer_text(to, "\nJoint probability, in logarithms\n");
    add_log(&value, text);
    buffer_text(&value, " over ");
    human_count(&value, (uint64_t)member_of(json, "tokens"));
    buffer_text(&value, " words");
    sheet_value(to, "the text", &value);
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
        add_log(&value, member_of(json, terms[k][0]));
        sheet_value(to, terms[k][1], &value);
    }
    add_prior(to, json, "residuals' prior", "residual_prior", "residual_normaliser", "pairs",
              member_of(json, "weighed"));
    if (member_of(json, "background") != 0) {
        add_log(&value, member_of(json, "background"));
        sheet_value(to, "background", &value);
    }
    add_prior(to, json, "vectors' prior", "vector_prior", "vector_normaliser", "words",
              member_of(json, "words") - member_of(json, "free_words"));
    buffer_free(&value);
}

static void add_sheet(struct buffer *to, const struct run *run, const char *path,
                      const psdvec_model_info *info, bool verified)
{
    buffer_text(to, run->palette.bold);
    cell_text(to, path, strlen(path));
    buffer_format(to, "%s\n", run->palette.plain);
    add_contents(to, info, verified);
    sheet_settings(to, "Training", info->settings_json);
    add_fit(to, info->fit_json);
    add_counts(to, info->counts_json);
    sheet_list(to, "Extensions", info->extensions_json);
    add_joint(to, info);
    add_iterations(to, run, info);
    add_spectrum(to, info);
}

/* ---- For programs ------------------------------------------------------------------ */

static void add_member(struct buffer *to, const char *name, const char *json)
{
    buffer_format(to, ", \"%s\": %s", name, json ? json : "null");
}

static void add_real(struct buffer *to, const char *name, double value)
{
    buffer_format(to, ", \"%s\": ", name);
    if (isfinite(value))
        buffer_format(to, "%.17g", value);
    else
        buffer_text(to, "null");
}

static void add_json(struct buffer *to, const char *path, const psdvec_model_info *info,
                     bool verified)
{
    buffer_text(to, "{\"file\": ");
    buffer_json(to, path, strlen(path));
    buffer_text(to, ", \"written_by\": ");
    if (info->written_by)
        buffer_json(to, info->written_by, strlen(info->written_by));
    else
        buffer_text(to, "null");
    buffer_format(
        to,
        ", \"native\": %s, \"verified\": %s, \"file_bytes\": %" PRIu64 ", \"words\": %" PRIu32
        ", \"core_words\": %" PRIu32 ", \"dim\": %" PRIu32 ", \"positive\": %" PRIu32
        ", \"precision\": \"%s\", \"has_counts\": %s, \"has_spread\": %s, \"has_readout\": %s"
        ", \"readout_bytes\": %" PRIu64 ", \"has_spelling\": %s, \"ngrams\": %" PRIu32
        ", \"spelling_bytes\": %" PRIu64,
        info->native ? "true" : "false", verified ? "true" : "false", info->file_bytes, info->words,
        info->core_words, info->dim, info->positive, precision_of(info),
        info->has_counts ? "true" : "false", info->has_spread ? "true" : "false",
        info->has_readout ? "true" : "false", readout_bytes(info),
        info->has_spelling ? "true" : "false", info->ngrams, info->spelling_bytes);
    buffer_format(to,
                  ", \"method\": %s%s%s, \"sparse\": %s, \"entries\": %" PRIu64
                  ", \"density\": %.9g, \"directions_are_words\": %s",
                  info->method ? "\"" : "", info->method ? info->method : "null",
                  info->method ? "\"" : "", info->sparse ? "true" : "false", info->entries,
                  info->sparse ? density(info) : 1, info->directions_are_words ? "true" : "false");
    add_member(to, "settings", info->settings_json);
    add_member(to, "counts", info->counts_json);
    add_member(to, "extensions", info->extensions_json);
    add_real(to, "temperature", info->temperature > 0 ? info->temperature : NAN);
    add_real(to, "self", info->temperature > 0 ? info->self : NAN);
    add_real(to, "temperature_counts",
             info->temperature_counts > 0 ? info->temperature_counts : NAN);
    add_real(to, "interpolation", info->interpolation > 0 ? info->interpolation : NAN);
    add_member(to, "fit", info->fit_json);
    add_member(to, "joint", info->joint_json);
    buffer_text(to, ", \"iterations\": [");
    for (size_t k = 0; k < info->iteration_count; k++) {
        const psdvec_iteration *it = &info->iterations[k];
        buffer_format(
            to, "%s{\"iteration\": %" PRIu32 ", \"rank\": %" PRIu32 ", \"positive\": %" PRIu32,
            k ? ", " : "", it->iteration, it->rank, it->positive);
        add_real(to, "objective", it->objective);
        add_real(to, "relaxation", it->relaxation);
        add_real(to, "smallest", it->smallest);
        add_real(to, "residual", it->residual);
        buffer_char(to, '}');
    }
    buffer_text(to, "], \"eigenvalues\": ");
    if (info->eigenvalues)
        for (uint32_t k = 0; k < info->dim; k++)
            buffer_format(to, "%s%.9g", k ? ", " : "[", (double)info->eigenvalues[k]);
    buffer_text(to, info->eigenvalues ? "]}\n" : "null}\n");
}

static int act(struct run *run)
{
    const char *path = run->arguments->operands[0];
    bool verify = argument_flag(run->arguments, "verify");
    psdvec_model *model = NULL;
    int code = model_file_open(run, path, &model);
    if (!code && verify) {
        psdvec_status status = psdvec_model_verify(run->ctx, model);
        if (status != PSDVEC_OK)
            code = run_failed(run, status);
    }
    if (!code) {
        const psdvec_model_info *info = psdvec_model_get_info(model);
        struct buffer text = {0};
        if (argument_flag(run->arguments, "json"))
            add_json(&text, path, info, verify);
        else
            add_sheet(&text, run, path, info, verify);
        output_add(&run->out, text.text, text.length);
        buffer_free(&text);
    }
    psdvec_model_close(model);
    return code;
}

const struct command cmd_info = {.name = "info",
                                 .group = "Vectors",
                                 .brief = true,
                                 .summary = "what is in a model, and how it was made",
                                 .synopsis = "MODEL [OPTION]...",
                                 .description = description,
                                 .sources = {OWN_OPTIONS(options), COMMON_OPTIONS},
                                 .examples = examples,
                                 .least_operands = 1,
                                 .most_operands = 1,
                                 .missing = "say which model to look at",
                                 .completes = PSDVEC_PATH_FILE,
                                 .act = act};
