/* Opening models and scorers for text, and messages about them. */
#include "scoring.h"

#include "cell.h"
#include "exit_status.h"
#include "options.h"
#include "word_files.h"

#include <stdlib.h>
#include <string.h>

const psdvec_option scoring_options[] = {
    FILE_OPTION("counts", .group = "Model",
                .help = "the counts that the model was trained on: add the residuals, which the "
                        "vectors do not explain"),
    {0}};

const psdvec_option bigram_options[] = {
    FILE_OPTION("bigrams", .group = "Model",
                .help =
                    "counts of adjacent words (psdvec count --window 1): mix their bigrams with "
                    "the model's probabilities"),
    {0}};

/* ---- Opening -------------------------------------------------------------------------- */

/* Opens the files of an option that is given once per model. */
static int open_counts(struct scoring *s, const char *option, psdvec_counts **counts)
{
    if (!arguments_have(s->run->arguments, option))
        return EXIT_FINE;
    const struct option_value *value = argument(s->run->arguments, option);
    size_t given = value->text_count ? value->text_count : value->text != NULL;
    if (given && given != s->count)
        return run_use_error(s->run,
                             "%zu models and %zu counts files are given; give --%s once for "
                             "each model, in the same order, or not at all",
                             s->count, given, option);
    for (size_t k = 0; k < given; k++) {
        const char *path = value->text_count ? value->texts[k] : value->text;
        int code = counts_file_open(s->run, path, &counts[k]);
        if (code)
            return code;
    }
    return EXIT_FINE;
}

static void close_scorer(void *scorer)
{
    psdvec_scorer_close(scorer);
}

/* Without T and e a model predicts immediate repetitions of words and appears broken. For people
 * only. */
static void note_missing_fit(const struct scoring *s, const psdvec_scorer_options *options)
{
    const struct arguments *arguments = s->run->arguments;
    bool json = arguments_have(arguments, "json") && argument_flag(arguments, "json");
    if (json || s->run->format != FORMAT_TABLE || (options && !isnan(options->temperature)))
        return;
    for (size_t k = 0; k < s->count; k++)
        if (!psdvec_model_get_info(s->models[k])->fit_json)
            talk_say(&s->run->talk,
                     phrase("%s: T and e are not fitted; psdvec fit-temperature %s TEXT%s "
                            "--in-place\n",
                            s->paths[k], s->paths[k], s->counts[k] ? " --counts COUNTS" : ""));
}

int scoring_open(struct scoring *s, struct run *run, const char *const *paths, size_t count,
                 psdvec_scorer_options *options)
{
    *s = (struct scoring){.run = run, .paths = paths, .count = count};
    s->models = lasting_alloc(count, sizeof *s->models);
    s->counts = lasting_alloc(count, sizeof *s->counts);
    s->bigrams = lasting_alloc(count, sizeof *s->bigrams);
    s->scored = lasting_alloc(count, sizeof *s->scored);
    int code = EXIT_FINE;
    if (argument(run->arguments, "self")->given && argument(run->arguments, "counts")->given)
        code = run_use_error(run, "--self and --counts cannot be combined, because counts include "
                                  "the repetition of words");
    for (size_t k = 0; k < count && !code; k++)
        code = model_file_open(run, paths[k], &s->models[k]);
    if (!code)
        code = open_counts(s, "counts", s->counts);
    if (!code)
        code = open_counts(s, "bigrams", s->bigrams);
    if (code)
        return code;
    for (size_t k = 0; k < count; k++)
        s->scored[k] = (psdvec_scored_model){s->models[k], s->counts[k]};
    psdvec_status status = psdvec_scorer_open(run->ctx, options, s->scored, count, &s->scorer);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    lasting(s->scorer, close_scorer);
    for (size_t k = 0; k < count && status == PSDVEC_OK; k++)
        if (s->bigrams[k])
            status = psdvec_scorer_bigrams(s->scorer, k, s->bigrams[k]);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    note_missing_fit(s, options);
    return EXIT_FINE;
}

/* ---- Words of a text ----------------------------------------------------------------- */

struct finder {
    const psdvec_model *model;
    struct context_words *to;
};

static void on_token(void *user, const char *word, size_t length)
{
    struct finder *finder = user;
    struct context_words *to = finder->to;
    if (!word)
        return;
    if (to->count == to->capacity) {
        to->capacity = 2 * to->capacity + 16;
        to->words = must_grow(to->words, to->capacity, sizeof *to->words);
        to->texts = must_grow(to->texts, to->capacity, sizeof *to->texts);
    }
    if (!psdvec_model_find(finder->model, word, length, &to->words[to->count])) {
        to->words[to->count] = PSDVEC_UNKNOWN_WORD;
        to->unknown++;
    }
    to->texts[to->count++] = phrase("%.*s", (int)length, word);
}

int scoring_words(const struct scoring *s, const char *text, size_t length,
                  struct context_words *words)
{
    struct finder finder = {s->models[0], words};
    psdvec_status status =
        psdvec_model_tokenize(s->run->ctx, s->models[0], text, length, on_token, &finder);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(s->run, status);
}

int scoring_run(struct run *run,
                int (*answer)(struct scoring *scoring, struct context_words *words))
{
    struct scoring scoring = {0};
    struct context_words words = {0};
    psdvec_scorer_options *options = options_take(run, PSDVEC_OPTIONS_SCORER);
    if (!options)
        return run->refusal;
    int code = scoring_open(&scoring, run, run->arguments->operands, 1, options);
    if (!code)
        code = answer(&scoring, &words);
    free(words.texts);
    free(words.words);
    return code;
}

void context_words_warn(struct run *run, const struct context_words *words)
{
    struct buffer text = {0};
    if (!words->unknown)
        return;
    for (size_t k = 0; k < words->count; k++)
        if (words->words[k] == PSDVEC_UNKNOWN_WORD) {
            buffer_text(&text, text.length ? ", " : "not in the model and skipped: ");
            cell_text(&text, words->texts[k], strlen(words->texts[k]));
        }
    talk_warning(&run->talk, phrase_of(&text));
}

void context_words_show(struct show *show, const char *name, const struct context_words *words)
{
    struct buffer all = {0}, unknown = {0};
    for (size_t k = 0; k < words->count; k++) {
        list_add(&all, words->texts[k], strlen(words->texts[k]));
        if (words->words[k] == PSDVEC_UNKNOWN_WORD)
            list_add(&unknown, words->texts[k], strlen(words->texts[k]));
    }
    show_json(show, name, NULL, list_get(&all));
    show_json(show, "unknown", NULL, list_get(&unknown));
    buffer_free(&all);
    buffer_free(&unknown);
}

const char *scoring_weights(const struct scoring *s)
{
    double temperature = psdvec_scorer_temperature(s->scorer, 0);
    double self = psdvec_scorer_self(s->scorer, 0);
    temperature = temperature < 1e-9 ? 0 : temperature;
    const char *bigrams = s->bigrams[0] ? ", with bigrams" : "";
    return isfinite(self) ? phrase("T = %.4g, e = %.4g%s", temperature, self, bigrams)
                          : phrase("T = %.4g%s", temperature, bigrams);
}

const char *operands_joined(const struct arguments *arguments, size_t first)
{
    struct buffer text = {0};
    for (size_t k = first; k < arguments->operand_count; k++)
        buffer_format(&text, "%s%s", k > first ? " " : "", arguments->operands[k]);
    return phrase_of(&text);
}

/* ---- Figures ------------------------------------------------------------------------- */

double perplexity(double logarithm, uint64_t words)
{
    return words ? exp(-logarithm / (double)words) : NAN;
}

double bits(double logarithm)
{
    return -logarithm / 0.69314718055994530942;
}

const char *phrase_number(double number)
{
    double size = fabs(number);
    if (!isfinite(number))
        return "-";
    if (size < 9999999.5)
        return phrase("%.*f", size < 99.995 ? 2 : size < 9999.95 ? 1 : 0, number);
    return phrase("%.3g", number);
}

const char *phrase_known(uint64_t known, uint64_t words)
{
    return phrase("%s of them known%s", phrase_count(known),
                  words ? phrase(" (%.1f%%)", 100 * (double)known / (double)words) : "");
}
