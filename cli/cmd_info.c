/* psdvec info: the contents of a model and how it was made. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "memory.h"
#include "options.h"
#include "phrase.h"
#include "show.h"
#include "word_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Eigenvalues as columns above and below a line ----------------------------------------- */

#define ABOVE 6 /* lines for the positive ones; the negative ones use at most as many */
#define LABEL 9 /* columns of the scale */

/* The columns: heights from 0 to 1 on each side. */
struct columns {
    double *up, *down;
    size_t count;
};

static void fill(struct columns *columns, const float *values, size_t count, double largest)
{
    for (size_t k = 0; k < count; k++) {
        size_t at = k * columns->count / count;
        double height = sqrt(fabs((double)values[k]) / largest);
        double *side = values[k] < 0 ? columns->down : columns->up;
        if (height > side[at])
            side[at] = height;
    }
}

/* Draws one line of the upper half, `line` from the middle. Every eigenvalue is drawn, however
 * small. */
static void add_above(struct buffer *to, double height, size_t line, bool unicode)
{
    static const char *const parts[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇"};
    double left = height * ABOVE - (double)line;
    size_t eighths = left >= 1 ? 8 : left > 0 ? (size_t)(left * 8 + 0.5) : 0;
    if (line == 0 && height > 0 && !eighths)
        eighths = 1;
    if (unicode)
        buffer_text(to, eighths == 8 ? "█" : parts[eighths]);
    else
        buffer_text(to, eighths >= 4 || (line == 0 && eighths) ? "+" : " ");
}

/* Of the block characters that hang from above, only the half and the full one exist. */
static void add_below(struct buffer *to, double height, size_t line, bool unicode)
{
    double left = height * ABOVE - (double)line;
    bool some = left >= 0.25 || (line == 0 && height > 0);
    if (unicode)
        buffer_text(to, left >= 0.75 ? "█" : some ? "▀" : " ");
    else
        buffer_text(to, left >= 0.5 || (some && line == 0) ? "-" : " ");
}

static size_t lines_for(const double *heights, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = heights[k] > most ? heights[k] : most;
    return (size_t)ceil(most * ABOVE - 1e-9);
}

/* Draws line `line` of one half, from the middle; the last of its `lines` has the scale. */
static void add_line(struct buffer *to, const double *heights, size_t count, size_t line,
                     size_t lines, double largest, bool unicode)
{
    double end = (double)(line + 1) / ABOVE;
    if (line + 1 == lines)
        buffer_format(to, "%*.3g ", LABEL, largest * end * end);
    else
        add_spaces(to, LABEL + 1);
    for (size_t k = 0; k < count; k++)
        (largest < 0 ? add_below : add_above)(to, heights[k], line, unicode);
    drop_spaces(to);
    buffer_char(to, '\n');
}

/* Draws `count` eigenvalues, by magnitude, from left to right in at most `width` columns: positive
 * ones upwards, negative ones downwards from a line in the middle. A column that represents several
 * shows the largest on each side. Heights are proportional to the square roots, because otherwise
 * only the first eigenvalues would be visible. */
static void spectrum_draw(struct buffer *to, const float *values, size_t count, size_t width,
                          bool unicode)
{
    double largest = 0;
    for (size_t k = 0; k < count; k++)
        largest = fabs((double)values[k]) > largest ? fabs((double)values[k]) : largest;
    size_t most = width > LABEL + 12 ? width - LABEL - 2 : 10;
    if (!count || !(largest > 0))
        return;
    struct columns columns = {.count = count < most ? count : most};
    columns.up = lasting_alloc(columns.count, sizeof *columns.up);
    columns.down = lasting_alloc(columns.count, sizeof *columns.down);
    fill(&columns, values, count, largest);
    size_t above = lines_for(columns.up, columns.count);
    size_t below = lines_for(columns.down, columns.count);
    for (size_t line = above; line-- > 0;)
        add_line(to, columns.up, columns.count, line, above, largest, unicode);
    buffer_format(to, "%*.3g ", LABEL, 0.0);
    for (size_t k = 0; k < columns.count; k++)
        buffer_text(to, unicode ? "─" : "=");
    buffer_char(to, '\n');
    for (size_t line = 0; line < below; line++)
        add_line(to, columns.down, columns.count, line, below, -largest, unicode);
}

/* ---- The model ------------------------------------------------------------------------------ */

#define SHOWN_ITERATIONS 60

static const psdvec_option options[] = {
    FLAG_OPTION(
        "verify", .group = "Output",
        .help = "read the whole file to verify its checksums and to look for non-finite numbers"),
    {0}};

static const char *precision_of(const psdvec_model_info *info)
{
    return option_word(PSDVEC_OPTIONS_CONVERT, "precision", info->precision);
}

/* Bytes of the read-out in the file, including the scales of int8. */
static uint64_t readout_bytes(const psdvec_model_info *info)
{
    static const uint64_t sizes[] = {[PSDVEC_FLOAT32] = 4, [PSDVEC_FLOAT16] = 2, [PSDVEC_INT8] = 1};
    if (!info->has_readout)
        return 0;
    return (uint64_t)info->words * info->dim * sizes[info->precision] +
           (info->precision == PSDVEC_INT8 ? (uint64_t)info->words * 4 : 0);
}

/* The share of nonzero components. */
static double density(const psdvec_model_info *info)
{
    return (double)info->entries / info->words / info->dim;
}

/* ---- Showing -------------------------------------------------------------------------- */

static void show_contents(struct show *show, const psdvec_model_info *info, bool verified)
{
    show_value(show, "written by", "%s",
               info->written_by ? info->written_by
               : info->native   ? "unknown"
                                : "another program");
    if (info->method)
        show_value(show, "method", "%s", info->method);
    show_value(show, "size", "%s", phrase_bytes((double)info->file_bytes));
    show_value(show, "checksums", "%s",
               !info->native ? "none; the format does not have them"
               : verified    ? "verified"
                             : "not verified; use --verify");
    show_value(show, "words", "%s%s", phrase_count(info->words),
               info->core_words == 0             ? ""
               : info->core_words == info->words ? ", all core words"
                                                 : phrase(", of which the first %s are core words",
                                                          phrase_count(info->core_words)));
    show_value(show, "dimensions", "%" PRIu32 "%s%s", info->dim,
               info->eigenvalues
                   ? phrase(", %" PRIu32 " with a positive and %" PRIu32 " with a negative "
                            "eigenvalue",
                            info->positive, info->dim - info->positive)
                   : "",
               info->directions_are_words ? ", one per word" : "");
    if (info->sparse)
        show_value(show, "sparse", "%s nonzero components, %.3g%% of all, %.0f per word",
                   phrase_count(info->entries), 100 * density(info),
                   (double)info->entries / info->words);
    show_value(show, "stored as", "%s", precision_of(info));
    if (info->has_counts || info->has_spread)
        show_value(show, "data per word", "%s%s%s", info->has_counts ? "frequencies" : "",
                   info->has_counts && info->has_spread ? ", " : "",
                   info->has_spread ? "spread" : "");
    if (!info->native)
        return;
    if (info->phrases)
        show_value(show, "phrases", "%s, joined in the text", phrase_count(info->phrases));
    show_value(show, "read-out", "%s",
               info->has_readout    ? phrase("vectors for comparing words, %s",
                                             phrase_bytes((double)readout_bytes(info)))
               : info->only_readout ? "the only vectors (convert --only-readout)"
                                    : "the same as the vectors");
    show_value(show, "spelling", "%s",
               info->has_spelling ? phrase("%s character n-grams, %s", phrase_count(info->ngrams),
                                           phrase_bytes((double)info->spelling_bytes))
                                  : "unknown words have no vector");
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
                 {"directions_are_words", truth_cell(info->directions_are_words)},
                 {"phrases", whole_cell(info->phrases)}};
    const struct {
        const char *name;
        double number, known; /* only if above 0 */
    } fitted[] = {{"temperature", info->temperature, info->temperature},
                  {"self", info->self, info->temperature},
                  {"temperature_counts", info->temperature_counts, info->temperature_counts},
                  {"interpolation", info->interpolation, info->interpolation},
                  {"discount_once", info->discount_once, info->discount_once},
                  {"discount_twice", info->discount_twice, info->discount_twice},
                  {"discount_more", info->discount_more, info->discount_more}};
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

/* The result of fit-temperature. */
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
                                            {"interpolation", "  kappa"},
                                            {"perplexity_mixed", "with bigrams"},
                                            {"discount_once", "  discount, once"},
                                            {"discount_twice", "  discount, twice"},
                                            {"discount_more", "  discount, more"}};
    struct buffer key = {0};
    const char *text;
    size_t length;
    for (size_t k = 0; json && k < sizeof labels / sizeof *labels; k++) {
        struct json_walk walk;
        bool more = json_enter(&walk, json, '{');
        if (k == 0 && more)
            show_section(show, NULL, "Perplexities of the text used to fit T");
        while (more && json_next(&walk, &key, &text, &length))
            if (!strcmp(buffer_get(&key), labels[k][0]))
                show_value(show, labels[k][1], "%.5g", strtod(text, NULL));
    }
    buffer_free(&key);
}

/* How the text was counted: each object gets a section. */
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
                show_value(show, name, "%s", phrase_of(&value));
            } else
                show_json(show, NULL,
                          !strcmp(name, "settings")     ? "Counting"
                          : !strcmp(name, "vocabulary") ? "Vocabulary"
                          : !strcmp(name, "inputs")     ? "Inputs"
                                                        : phrase_safe(name, strlen(name)),
                          text);
        }
    buffer_free(&key);
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
        rows_add(&rows, whole_cell(it->iteration), whole_cell(it->rank), whole_cell(it->positive),
                 real_cell(it->objective),
                 shown_as(no_cell(), isfinite(fall) ? phrase("%.3g%%", fall) : ""),
                 real_cell(it->relaxation), real_cell(it->smallest), real_cell(it->residual),
                 bar_cell(largest > 0 ? it->objective / largest : 0));
        /* Of many iterations, output for people has the first and the last ones. */
        size_t half = SHOWN_ITERATIONS / 2;
        if (count > SHOWN_ITERATIONS && k >= half && k < count - half)
            rows_only(&rows, FOR_PROGRAMS);
        if (count > SHOWN_ITERATIONS && k == half)
            rows_line(&rows, 2,
                      phrase("and %zu more; --format json shows all", count - SHOWN_ITERATIONS));
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
    show_chart(show, phrase_of(&text));
    const char *first = negative < info->dim
                            ? phrase("; the first negative one is number %" PRIu32 " (%.4g)",
                                     negative + 1, (double)info->eigenvalues[negative])
                            : "";
    show_title(show, phrase("  %" PRIu32 " by magnitude, from %.4g to %.4g%s. Heights are "
                            "proportional to their square roots.",
                            info->dim, (double)info->eigenvalues[0],
                            (double)info->eigenvalues[info->dim - 1], first));
}

/* A number in a flat object; 0 if it is missing. */
static double member_of(const char *json, const char *name)
{
    struct json_walk walk;
    struct buffer key = {0};
    const char *text;
    size_t length;
    double number = 0;
    for (bool more = json_enter(&walk, json, '{'); more && json_next(&walk, &key, &text, &length);)
        if (!strcmp(buffer_get(&key), name))
            number = strtod(phrase("%.*s", (int)length, text), NULL);
    buffer_free(&key);
    return number;
}

/* The logarithm of the probability of a long text, with grouped digits. */
static const char *log_text(double number)
{
    if (fabs(number) < 1000 || fabs(number) > 1e18)
        return phrase("%.6g", number);
    return phrase("%s%s", number < 0 ? "-" : "", phrase_count((uint64_t)(fabs(number) + 0.5)));
}

/* A prior: its logarithm, the number of terms, and the logarithm of the normalising factors. */
static void show_prior(struct show *show, const char *json, const char *label, const char *prior,
                       const char *normaliser, const char *of, double count)
{
    if (count > 0)
        show_value(show, label, "%s of %s %s; normaliser %s", log_text(member_of(json, prior)),
                   phrase_count((uint64_t)count), of, log_text(member_of(json, normaliser)));
    else
        show_value(show, label, "none");
}

/* Terms of the joint probability, as logarithms (docs/explanation/model.md). */
static void show_joint(struct show *show, const char *json)
{
    static const char *const terms[][2] = {{"unigrams", "text: words"},
                                           {"products", "text: products"},
                                           {"residuals", "text: residuals"},
                                           {"shifts", "text: shifts"}};
    double text = 0;
    if (!json)
        return;
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
        text += member_of(json, terms[k][0]);
    show_section(show, NULL, "Log joint probability");
    show_value(show, "text", "%s over %s words", log_text(text),
               phrase_count((uint64_t)member_of(json, "tokens")));
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
        show_value(show, terms[k][1], "%s", log_text(member_of(json, terms[k][0])));
    show_prior(show, json, "residual prior", "residual_prior", "residual_normaliser", "pairs",
               member_of(json, "weighed"));
    if (member_of(json, "background") != 0)
        show_value(show, "background", "%s", log_text(member_of(json, "background")));
    show_prior(show, json, "vector prior", "vector_prior", "vector_normaliser", "words",
               member_of(json, "words") - member_of(json, "free_words"));
}

static void print(struct run *run, const char *path, const psdvec_model *model, bool verified)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    struct show show;
    show_begin(&show, run, true);
    show_path(&show, "file", path);
    show_contents(&show, info, verified);
    show_contents_data(&show, info, verified);
    show_json(&show, "in_force", "Training", model_file_settings(model));
    show_fit(&show, info->fit_json);
    show_counts(&show, info->counts_json);
    show_json(&show, NULL, "Extensions", info->extensions_json);
    show_joint(&show, info->joint_json);
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
        print(run, path, model, verify);
    return code;
}

const struct command cmd_info = {
    .name = "info",
    .group = "Vectors",
    .summary = "show what a model contains and how it was made",
    .synopsis = "MODEL [OPTION]...",
    .description = PARAGRAPHS(
        "Shows what a model contains, the settings and text that it was made from, the objective "
        "after each iteration, and its eigenvalues: positive ones above the line, negative ones "
        "below it. MODEL may also be vectors of another program, which carry less metadata."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec info model.safetensors", "Inspect a model."},
                 {"psdvec info model.safetensors --verify", "Also verify the file."},
                 {"psdvec info vectors.vec --json", "Vectors of another program; JSON output for "
                                                    "scripts."}),
    .operands = {1, 1},
    .missing = "give a model",
    .act = act};
