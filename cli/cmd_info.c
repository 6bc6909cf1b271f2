/* psdvec info: what is in a model and how it was made. */
#include "commands.h"
#include "exit_status.h"
#include "human.h"
#include "json.h"
#include "model_file.h"
#include "options.h"
#include "show.h"
#include "spectrum.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_ITERATIONS 60

static const psdvec_option options[] = {
    FLAG_OPTION(
        "verify", .group = "Showing",
        .help = "read all of the file: compare its checksums, look for numbers that are not finite "
                "and for words that stand twice"),
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

/* ---- Showing -------------------------------------------------------------------------- */

static void show_contents(struct show *show, const psdvec_model_info *info, bool verified)
{
    struct buffer value = {0};
    buffer_text(&value, info->written_by ? info->written_by
                        : info->native   ? "not known"
                                         : "another program");
    show_value(show, "written by", &value);
    buffer_text(&value, info->method ? info->method : "");
    if (info->method)
        show_value(show, "method", &value);
    human_bytes(&value, (double)info->file_bytes);
    show_value(show, "size", &value);
    buffer_text(&value, !info->native ? "none: the format has no room for them"
                        : verified    ? "verified"
                                      : "not compared; --verify does");
    show_value(show, "checksums", &value);
    human_count(&value, info->words);
    if (info->core_words) {
        buffer_text(&value, ", the first ");
        human_count(&value, info->core_words);
        buffer_text(&value, " of them core words");
    }
    show_value(show, "words", &value);
    buffer_format(&value, "%" PRIu32, info->dim);
    if (info->eigenvalues)
        buffer_format(&value, ", %" PRIu32 " with a positive and %" PRIu32 " with a negative sign",
                      info->positive, info->dim - info->positive);
    if (info->directions_are_words)
        buffer_text(&value, ", each about a word");
    show_value(show, "numbers a vector", &value);
    if (info->sparse) {
        human_count(&value, info->entries);
        buffer_format(&value, " numbers that are not 0, %.3g%% of all, %.0f a word",
                      100 * density(info), (double)info->entries / info->words);
        show_value(show, "sparse", &value);
    }
    buffer_text(&value, precision_of(info));
    show_value(show, "stored as", &value);
    buffer_text(&value, info->has_counts ? "frequencies" : "");
    if (info->has_spread)
        buffer_format(&value, "%sspread", value.length ? ", " : "");
    if (value.length)
        show_value(show, "known of words", &value);
    if (info->native && info->has_readout) {
        buffer_text(&value, "made for comparing words, ");
        human_bytes(&value, (double)readout_bytes(info));
    } else if (info->native)
        buffer_text(&value, "the vectors themselves");
    if (info->native)
        show_value(show, "read-out", &value);
    if (info->native && info->has_spelling) {
        human_count(&value, info->ngrams);
        buffer_text(&value, " n-grams of letters, ");
        human_bytes(&value, (double)info->spelling_bytes);
    } else if (info->native)
        buffer_text(&value, "unknown words have no vector");
    if (info->native)
        show_value(show, "spelling", &value);
    buffer_free(&value);
}

static void show_contents_data(struct show *show, const psdvec_model_info *info, bool verified)
{
    const struct {
        const char *name;
        struct cell cell;
    } facts[] = {{"written_by", text_cell(info->written_by)},
                 {"native", truth_cell(info->native)},
                 {"verified", truth_cell(verified)},
                 {"file_bytes", whole_cell(info->file_bytes)},
                 {"words", whole_cell(info->words)},
                 {"core_words", whole_cell(info->core_words)},
                 {"dim", whole_cell(info->dim)},
                 {"positive", whole_cell(info->positive)},
                 {"precision", text_cell(precision_of(info))},
                 {"has_counts", truth_cell(info->has_counts)},
                 {"has_spread", truth_cell(info->has_spread)},
                 {"has_readout", truth_cell(info->has_readout)},
                 {"readout_bytes", whole_cell(readout_bytes(info))},
                 {"has_spelling", truth_cell(info->has_spelling)},
                 {"ngrams", whole_cell(info->ngrams)},
                 {"spelling_bytes", whole_cell(info->spelling_bytes)},
                 {"method", text_cell(info->method)},
                 {"sparse", truth_cell(info->sparse)},
                 {"entries", whole_cell(info->entries)},
                 {"density", real_cell(info->sparse ? density(info) : 1)},
                 {"directions_are_words", truth_cell(info->directions_are_words)}};
    const struct {
        const char *name;
        double number, known; /* if above 0 */
    } fitted[] = {{"temperature", info->temperature, info->temperature},
                  {"self", info->self, info->temperature},
                  {"temperature_counts", info->temperature_counts, info->temperature_counts},
                  {"interpolation", info->interpolation, info->interpolation}};
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        show_data(show, facts[k].name, facts[k].cell);
    show_json(show, "settings", NULL, info->settings_json);
    show_json(show, "counts", NULL, info->counts_json);
    show_json(show, "extensions", NULL, info->extensions_json);
    for (size_t k = 0; k < sizeof fitted / sizeof *fitted; k++)
        show_data(show, fitted[k].name, real_cell(fitted[k].known > 0 ? fitted[k].number : NAN));
    show_json(show, "fit", NULL, info->fit_json);
    show_json(show, "joint", NULL, info->joint_json);
}

/* What fit-temperature found. */
static void show_fit(struct show *show, const char *json)
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
        if (k == 0 && more)
            show_section(show, NULL, "Perplexities of the text that T was fitted to");
        while (more && json_next(&walk, &key, &text, &length))
            if (!strcmp(buffer_get(&key), labels[k][0])) {
                buffer_format(&value, "%.5g", strtod(text, NULL));
                show_value(show, labels[k][1], &value);
            }
    }
    buffer_free(&key);
    buffer_free(&value);
}

/* How the text was counted: what is an object has a title of its own. */
static void show_counts(struct show *show, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0}, value = {0};
    const char *text;
    size_t length;
    bool begun = false;
    for (int deep = 0; deep < 2 && json; deep++)
        for (bool more = json_enter(&walk, json, '{');
             more && json_next(&walk, &key, &text, &length);) {
            const char *name = buffer_get(&key);
            if ((*text == '{' || *text == '[') != deep)
                continue;
            if (!deep) {
                if (!begun)
                    show_section(show, NULL, "Text");
                begun = true;
                json_plain(&value, text, length);
                show_value(show, name, &value);
            } else
                show_json(show, NULL,
                          !strcmp(name, "settings")     ? "Counting"
                          : !strcmp(name, "vocabulary") ? "Choice of words"
                          : !strcmp(name, "inputs")     ? "Inputs"
                                                        : name,
                          text);
        }
    buffer_free(&key);
    buffer_free(&value);
}

static void show_iterations(struct show *show, const psdvec_model_info *info)
{
    static const struct column columns[] = {
        NUMBERS("iteration", "iteration", 0, 0, .gap = 2, .width = 9),
        NUMBERS("rank", "rank", 0, 0, .gap = 1, .width = 6),
        NUMBERS("positive", "positive", 0, 0, .gap = 1, .width = 9),
        NUMBERS("objective", "objective", -6, 0, .gap = 2, .width = 12),
        NUMBERS(NULL, "fall", -3, 0, .gap = 1, .width = 8),
        NUMBERS("relaxation", "step", -3, 0, .gap = 1, .width = 7),
        DATA("smallest"),
        DATA("residual"),
        BARS(.gap = 2, .width = 16)};
    struct rows rows = ROWS("iterations", 0, columns);
    double largest = 0;
    size_t count = info->iteration_count;
    for (size_t k = 0; k < count; k++)
        if (info->iterations[k].objective > largest)
            largest = info->iterations[k].objective;
    for (size_t k = 0; k < count; k++) {
        const psdvec_iteration *it = &info->iterations[k];
        double before = k ? info->iterations[k - 1].objective : NAN;
        double fall = 100 * (before - it->objective) / before;
        char *percent = isfinite(fall) ? must_format("%.3g%%", fall) : must_copy("");
        rows_add(&rows, whole_cell(it->iteration), whole_cell(it->rank), whole_cell(it->positive),
                 real_cell(it->objective), shown_as(no_cell(), percent), real_cell(it->relaxation),
                 real_cell(it->smallest), real_cell(it->residual),
                 bar_cell(largest > 0 ? it->objective / largest : 0));
        free(percent);
        /* Of a long course, people see the beginning and the end. */
        size_t half = SHOWN_ITERATIONS / 2;
        if (count > SHOWN_ITERATIONS && k >= half && k < count - half)
            rows_only(&rows, FOR_PROGRAMS);
        if (count > SHOWN_ITERATIONS && k == half) {
            char *line =
                must_format("and %zu more; --format json shows all", count - SHOWN_ITERATIONS);
            rows_line(&rows, 2, line);
            free(line);
        }
    }
    show_section(show, NULL, count ? "Objective" : NULL);
    show_rows(show, &rows);
}

static void show_spectrum(struct show *show, const psdvec_model_info *info)
{
    struct buffer list = {0}, text = {0};
    uint32_t negative = 0;
    for (uint32_t k = 0; info->eigenvalues && k < info->dim; k++) {
        buffer_format(&list, "%s%.9g", k ? ", " : "[", (double)info->eigenvalues[k]);
        negative += negative == k && !(info->eigenvalues[k] < 0);
    }
    buffer_text(&list, "]");
    show_json(show, "eigenvalues", NULL, info->eigenvalues ? list.text : NULL);
    buffer_free(&list);
    if (!info->eigenvalues)
        return;
    show_section(show, NULL, "Eigenvalues");
    spectrum_draw(&text, info->eigenvalues, info->dim, show->width > 80 ? 80 : show->width,
                  terminal_unicode());
    show_chart(show, text.text);
    buffer_clear(&text);
    buffer_format(&text, "  %" PRIu32 " by magnitude, from %.4g to %.4g", info->dim,
                  (double)info->eigenvalues[0], (double)info->eigenvalues[info->dim - 1]);
    if (negative < info->dim)
        buffer_format(&text, "; the first negative one is number %" PRIu32 ", %.4g", negative + 1,
                      (double)info->eigenvalues[negative]);
    buffer_text(&text, ". Heights are as their square roots.");
    show_title(show, text.text);
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
static void show_prior(struct show *show, const char *json, const char *label, const char *prior,
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
    show_value(show, label, &value);
    buffer_free(&value);
}

/* Terms of the joint probability, as logarithms (docs/model.md). */
static void show_joint(struct show *show, const psdvec_model_info *info)
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
    show_section(show, NULL, "Joint probability, in logarithms");
    add_log(&value, text);
    buffer_text(&value, " over ");
    human_count(&value, (uint64_t)member_of(json, "tokens"));
    buffer_text(&value, " words");
    show_value(show, "the text", &value);
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
        add_log(&value, member_of(json, terms[k][0]));
        show_value(show, terms[k][1], &value);
    }
    show_prior(show, json, "residuals' prior", "residual_prior", "residual_normaliser", "pairs",
               member_of(json, "weighed"));
    if (member_of(json, "background") != 0) {
        add_log(&value, member_of(json, "background"));
        show_value(show, "background", &value);
    }
    show_prior(show, json, "vectors' prior", "vector_prior", "vector_normaliser", "words",
               member_of(json, "words") - member_of(json, "free_words"));
    buffer_free(&value);
}

static void print(struct run *run, const char *path, const psdvec_model_info *info, bool verified)
{
    struct show show;
    show_begin(&show, run, true);
    show_path(&show, "file", path);
    show_contents(&show, info, verified);
    show_contents_data(&show, info, verified);
    show_json(&show, NULL, "Training", info->settings_json);
    show_fit(&show, info->fit_json);
    show_counts(&show, info->counts_json);
    show_json(&show, NULL, "Extensions", info->extensions_json);
    show_joint(&show, info);
    show_iterations(&show, info);
    show_spectrum(&show, info);
    show_finish(&show);
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
    if (!code)
        print(run, path, psdvec_model_get_info(model), verify);
    psdvec_model_close(model);
    return code;
}

const struct command cmd_info = {
    .name = "info",
    .group = "Vectors",
    .brief = true,
    .summary = "what is in a model, and how it was made",
    .synopsis = "MODEL [OPTION]...",
    .description = PARAGRAPHS(
        "Shows what a model holds, with which settings and from which text it was made, how the "
        "objective fell, and its eigenvalues: positive ones above the line, negative ones below "
        "it. MODEL may also be the vectors of another program, which know less of themselves."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec info model.safetensors", "Look at a model."},
                 {"psdvec info model.safetensors --verify", "And see whether it is sound."},
                 {"psdvec info vectors.vec --json", "Another program's vectors, for a program."}),
    .least_operands = 1,
    .most_operands = 1,
    .missing = "say which model to look at",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
