/* psdvec score: how probable documents are, by one model or by several. */
#include "commands.h"
#include "counts_file.h"
#include "eval_names.h"
#include "exit_status.h"
#include "options.h"
#include "score.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const psdvec_option options[] = {
    {.name = "counts",
     .type = PSDVEC_OPTION_TEXTS,
     .argument = "FILE",
     .group = "Model",
     .path = PSDVEC_PATH_FILE,
     .help = "the counts that the model was trained on: adds residuals, and a bigram model for "
             "comparison; once per model, in the same order"},
    {.name = "sort",
     .type = PSDVEC_OPTION_FLAG,
     .group = "Showing",
     .help = "list documents by perplexity, the highest first"},
    {.name = "top",
     .type = PSDVEC_OPTION_UINT64,
     .argument = "N",
     .least = 0,
     .most = UINT32_MAX,
     .word = "all",
     .fallback = "all",
     .help = "with --sort: list only the first N documents"},
    {.name = "per-word",
     .type = PSDVEC_OPTION_FLAG,
     .help = "show every word with its surprisal in bits, and mark surprising words"},
    {.name = "surprising",
     .type = PSDVEC_OPTION_DOUBLE,
     .argument = "BITS",
     .least = 0,
     .most = INFINITY,
     .otherwise = "log2 of the number of words",
     .help = "surprisal from which a word is marked as surprising; by default, if it is less "
             "probable than with a uniform distribution"},
    {0}};

static const char *const description[] = {
    "Computes the log-probability and perplexity of each document and, for comparison, its "
    "perplexity under a unigram model and, with --counts, a Jelinek-Mercer bigram model. Totals "
    "come last. Without a FILE, standard input is read. Perplexities are those of normalised "
    "probabilities; the paper's value, which omits the normaliser and does not sum to one, is "
    "shown as well.",
    "With several models, score is a classifier: each document is assigned to the model that "
    "explains it best, with the posterior probability of that model, given equal priors. The "
    "first operand is a model, and so is every other one that is a psdvec file; the rest are "
    "texts.",
    "By default, text is tokenized as the model's text was. Unknown words are skipped and "
    "counted. With --sort, only the scores and the beginnings of documents are kept in memory.",
    NULL};

static const struct example examples[] = {
    {"psdvec score wiki.safetensors notes.txt", "Every line of a text is a document."},
    {"psdvec score wiki.safetensors notes.txt --counts wiki.counts.safetensors --sort --top 5",
     "The five least probable documents, with residuals."},
    {"psdvec score wiki.safetensors posts.jsonl --json-field text --per-word",
     "Mark the surprising words."},
    {"psdvec score wiki.safetensors books.safetensors notes.txt --format json",
     "Which model explains each line better; JSON output for scripts."},
    {0}};

static const char *const notes[] = {
    "Surprisal is -log2 P, in bits. Log-likelihoods, and all logarithms in json and tsv, are "
    "natural logarithms. docs/documents.md has the formulas and describes the columns.",
    NULL};

/* ---- What the forms ask -------------------------------------------------------------- */

size_t score_best(const psdvec_document_score *d)
{
    size_t best = 0;
    bool tie = d->known == 0;
    for (size_t m = 1; m < d->fit_count; m++) {
        if (d->fits[m].conditional > d->fits[best].conditional) {
            best = m;
            tie = false;
        } else if (d->fits[m].conditional == d->fits[best].conditional) {
            tie = true;
        }
    }
    return tie || d->known == 0 ? SIZE_MAX : best;
}

double score_bigram(const psdvec_document_fit *fit)
{
    return isfinite(fit->bigram_fitted) ? fit->bigram_fitted : fit->bigram;
}

bool score_is_surprising(const struct score *s, const psdvec_word_score *word)
{
    return word->known && bits(word->conditional) >= s->surprising;
}

/* ---- While documents are scored -------------------------------------------------------- */

static int by_surprise(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (isnan(a->perplexity) != isnan(b->perplexity))
        return isnan(a->perplexity) ? 1 : -1;
    if (a->perplexity > b->perplexity)
        return -1;
    if (a->perplexity < b->perplexity)
        return 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Sorts, and forgets what stands behind the first `top`. */
static void rank(struct score *s)
{
    if (s->ranked_count)
        qsort(s->ranked, s->ranked_count, sizeof *s->ranked, by_surprise);
    while (s->top && s->ranked_count > s->top)
        free(s->ranked[--s->ranked_count].text);
}

static void keep(struct score *s, const psdvec_document_score *d, const char *text)
{
    size_t best = d->fit_count > 1 ? score_best(d) : 0;
    const psdvec_document_fit *fit = &d->fits[best < d->fit_count ? best : 0];
    if (s->ranked_count == s->ranked_room) {
        rank(s); /* of few that are wanted, half of the room is free again */
        if (!s->top || 2 * s->ranked_count >= s->ranked_room) {
            s->ranked_room = 2 * s->ranked_room + 64;
            s->ranked = must_grow(s->ranked, s->ranked_room, sizeof *s->ranked);
        }
    }
    s->ranked[s->ranked_count++] =
        (struct ranked){.perplexity = perplexity(fit->conditional, d->known),
                        .number = d->number,
                        .text = must_copy(text)};
}

/* Words of a long document are not kept for its line to stand above them. */
#define MOST_WAITING ((size_t)1 << 20)

/* The headings, once there is something below them. */
static void print_head(struct score *s)
{
    output_add(&s->run->out, buffer_get(&s->head), s->head.length);
    buffer_clear(&s->head);
}

static void open_document(struct score *s)
{
    if (!s->open)
        show_open(&s->show);
    s->open = true;
}

static void on_word(void *user, const psdvec_word_score *word)
{
    struct score *s = user;
    open_document(s);
    score_show_word(s, word);
    if (s->paragraph.length > MOST_WAITING && !s->sort) {
        score_show_words(s, false);
        print_head(s);
        show_flush(&s->show);
    }
}

static void on_document(void *user, const psdvec_document_score *d)
{
    struct score *s = user;
    size_t best = score_best(d);
    if (best < d->fit_count)
        s->won[best]++;
    open_document(s);
    score_show_document(s, d);
    show_close(&s->show);
    s->open = false;
    if (s->sort) {
        keep(s, d, buffer_get(&s->show.text));
        buffer_clear(&s->show.text);
    } else {
        print_head(s);
        show_flush(&s->show);
        run_flush(s->run);
    }
}

/* ---- The command ---------------------------------------------------------------------- */

static int tell_apart(struct score *s)
{
    const struct arguments *arguments = s->run->arguments;
    s->models = must_alloc(arguments->operand_count, sizeof *s->models);
    s->inputs = must_alloc(arguments->operand_count + 1, sizeof *s->inputs);
    for (size_t k = 0; k < arguments->operand_count; k++) {
        const char *path = arguments->operands[k];
        if (k == 0 || counts_file_likely(path))
            s->models[s->model_count++] = path;
        else
            s->inputs[s->input_count++] = path;
    }
    if (!s->input_count)
        s->inputs[s->input_count++] = "-";
    s->names = must_alloc(s->model_count, sizeof *s->names);
    for (size_t m = 0; m < s->model_count; m++)
        s->names[m] = name_of_file(s->models[m]);
    names_differ(s->names, s->models, s->model_count);
    s->won = must_alloc(s->model_count, sizeof *s->won);
    if (argument(arguments, "top")->given && !s->sort)
        return run_use_error(s->run, "--top needs --sort: the first of what order?");
    if (argument(arguments, "surprising")->given && !s->per_word)
        return run_use_error(s->run, "--surprising needs --per-word");
    return EXIT_FINE;
}

static int open_scorer(struct score *s)
{
    const struct arguments *arguments = s->run->arguments;
    psdvec_scorer_options *scorer = options_take(s->run, PSDVEC_OPTIONS_SCORER);
    if (!scorer)
        return s->run->refusal;
    scorer->on_document = on_document;
    scorer->on_word = s->per_word ? on_word : NULL;
    scorer->user = s;
    int code = scoring_open(&s->scoring, s->run, s->models, s->model_count, scorer);
    if (code)
        return code;
    const psdvec_model_info *info = psdvec_model_get_info(s->scoring.models[0]);
    s->surprising = argument(arguments, "surprising")->given
                        ? argument_real(arguments, "surprising")
                        : bits(-log((double)info->words));
    score_show_start(s);
    s->head = s->show.text;
    s->show.text = (struct buffer){0};
    return EXIT_FINE;
}

static int score_inputs(struct score *s)
{
    psdvec_text_options text = *psdvec_scorer_text_options(s->scoring.scorer);
    text.min_document_words = 1;
    text.strict = false;
    text.json_field = NULL;
    int code = options_apply(s->run, PSDVEC_OPTIONS_TEXT, &text);
    if (code)
        return code;
    s->by_name = text.document == PSDVEC_DOCUMENT_FILE || text.document == PSDVEC_DOCUMENT_NONE;
    for (size_t k = 0; k < s->input_count; k++)
        if (!strcmp(s->inputs[k], "-") && isatty(STDIN_FILENO))
            talk_say(&s->run->talk, "reading from the terminal; end the text with Ctrl-D\n");
    psdvec_status status =
        psdvec_scorer_inputs(s->scoring.scorer, &text, s->inputs, s->input_count);
    if (status != PSDVEC_OK)
        return run_failed(s->run, status);
    rank(s);
    print_head(s);
    for (size_t k = 0; k < s->ranked_count; k++)
        output_text(&s->run->out, s->ranked[k].text);
    score_show_total(s, psdvec_scorer_total(s->scoring.scorer));
    return EXIT_FINE;
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    struct score score = {.run = run,
                          .per_word = argument_flag(arguments, "per-word"),
                          .sort = argument_flag(arguments, "sort"),
                          .sampled = argument_integer(arguments, "sampled") != 0,
                          .top = (size_t)argument_integer(arguments, "top")};
    show_start(&score.show, run, false);
    score.show.width = score.show.width < 80 ? 80 : score.show.width > 120 ? 120 : score.show.width;
    int code = tell_apart(&score);
    if (!code)
        code = open_scorer(&score);
    if (!code)
        code = score_inputs(&score);
    scoring_close(&score.scoring);
    for (size_t k = 0; k < score.ranked_count; k++)
        free(score.ranked[k].text);
    names_free(score.names, score.model_count);
    free(score.ranked);
    free(score.won);
    free(score.source);
    free(score.models);
    free(score.inputs);
    show_end(&score.show);
    rows_free(&score.people);
    rows_free(&score.fits);
    rows_free(&score.words);
    buffer_free(&score.paragraph);
    buffer_free(&score.head);
    return code;
}

const struct command cmd_score = {
    .name = "score",
    .group = "Documents",
    .summary = "score documents by probability under one or more models",
    .synopsis = "MODEL... [FILE]... [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS,
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_SCORER, .except = " influences "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TEXT), COMMON_OPTIONS},
    .inherited = options_of_model,
    .inherited_from = "the model's",
    .examples = examples,
    .notes = notes,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say which model to score with, and which text: files, folders, or - for standard "
               "input",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
