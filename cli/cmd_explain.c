/* psdvec explain: why a model finds the words of a text likely or not. */
#include "commands.h"
#include "exit_status.h"
#include "explain.h"
#include "options.h"
#include "page.h"
#include "system.h"
#include "word_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const psdvec_option options[] = {
    {.name = "file",
     .type = PSDVEC_OPTION_TEXT,
     .argument = "FILE",
     .group = "The text",
     .path = PSDVEC_PATH_FILE,
     .help = "the text is in FILE, or on standard input if that is -"},
    {.name = "influences",
     .type = PSDVEC_OPTION_UINT64,
     .argument = "N",
     .least = 0,
     .most = 1000,
     .fallback = "3",
     .group = "Showing",
     .help = "of each word, show the N words before it that mattered most"},
    {.name = "html",
     .type = PSDVEC_OPTION_TEXT,
     .argument = "FILE",
     .path = PSDVEC_PATH_FILE,
     .help = "write a page to FILE instead, which needs no network: point at a word to see what "
             "each word before it adds"},
    {0}};

static const char *const description[] = {
    "Goes through TEXT word by word, and shows how surprising each word is by itself, what the "
    "words before it in the window did, and how surprising it is in the end; and which of them did "
    "most: pulled towards it (green, +) or pushed away from it (red, -). With --counts, what the "
    "vectors say and what only the counts know, the residual, stand apart.",
    "TEXT is one document, and is cut into words as the model's text was; - reads standard input. "
    "Surprise is in bits, -log2 P, and P is normalised: over all words it sums to one. The JSON has "
    "natural logarithms.",
    NULL};

static const struct example examples[] = {
    {"psdvec explain wiki.safetensors \"folk music and popular music fill the hall\"",
     "Which word surprises, and why the others do not."},
    {"psdvec explain wiki.safetensors --file notes.txt --counts wiki.counts.safetensors --html "
     "notes.html",
     "A page to look at and to print."},
    {"echo \"the art of music\" | psdvec explain wiki.safetensors - --json", "For a program."},
    {0}};

/* ---- What the forms ask -------------------------------------------------------------------- */

struct parts explain_parts(const struct explain *e, const psdvec_influence *influence)
{
    double scale = e->temperature * influence->weight;
    return (struct parts){.vectors = -bits(scale * influence->product),
                          .residual = -bits(scale * influence->residual),
                          .shift = -bits(scale * influence->shift),
                          .added = -bits(influence->added)};
}

double explain_pull(const psdvec_word_score *word)
{
    return -bits(word->conditional - word->unigram + word->normaliser);
}

double explain_norm(const psdvec_word_score *word)
{
    double norm = -bits(word->normaliser);
    return fabs(norm) < 0.005 ? 0 : norm; /* without a context, what rounding left of 0 */
}

static int by_strength(const void *left, const void *right)
{
    const psdvec_influence *a = left, *b = right;
    if (fabs(a->added) != fabs(b->added))
        return fabs(a->added) > fabs(b->added) ? -1 : 1;
    return a->place > b->place ? -1 : a->place < b->place;
}

psdvec_influence *explain_ranked(const psdvec_word_score *word)
{
    psdvec_influence *ranked = must_alloc(word->influence_count, sizeof *ranked);
    if (word->influence_count) {
        memcpy(ranked, word->influences, word->influence_count * sizeof *ranked);
        qsort(ranked, word->influence_count, sizeof *ranked, by_strength);
    }
    return ranked;
}

/* ---- The command ---------------------------------------------------------------------------- */

static void on_word(void *user, const psdvec_word_score *word)
{
    struct explain *e = user;
    for (size_t k = 0; k < e->show_count; k++)
        explain_show_word(e, &e->shows[k], &e->words[k], word);
    if (!e->html) {
        show_flush(&e->shows[0]);
        run_flush(e->run);
    }
}

static int write_page(struct explain *e)
{
    struct buffer page = {0};
    struct output out;
    page_add(&page, page_explain, &e->shows[0].text, &e->shows[1].text);
    if (output_open(&out, e->html))
        output_add(&out, page.text, page.length);
    buffer_free(&page);
    return output_close(&out, true) ? EXIT_FINE
                                    : run_error(e->run, EXIT_OUTPUT, "cannot write %s: %s", e->html,
                                                system_error(out.error));
}

static int explain_text(struct explain *e, const char *text, size_t length)
{
    psdvec_status status = psdvec_scorer_text(e->scoring.scorer, text, length);
    if (status != PSDVEC_OK)
        return run_failed(e->run, status);
    const psdvec_document_score *total = psdvec_scorer_total(e->scoring.scorer);
    for (size_t k = 0; k < e->show_count; k++)
        explain_show_total(e, &e->shows[k], &e->words[k], total);
    return e->html ? write_page(e) : EXIT_FINE;
}

/* The text, on the heap; NULL after the error was told. */
static char *get_text(struct run *run, size_t *length, int *code)
{
    const struct arguments *arguments = run->arguments;
    const char *file = argument_text(arguments, "file");
    bool dash = arguments->operand_count == 2 && !strcmp(arguments->operands[1], "-");
    *code = EXIT_USE;
    if (file && arguments->operand_count > 1) {
        run_use_error(run, "the text is given twice, as TEXT and in --file");
        return NULL;
    }
    if (!file && arguments->operand_count == 1) {
        run_use_error(run, "say which text to explain, or name its file with --file");
        return NULL;
    }
    char *text;
    if (file || dash) {
        const char *path = file ? file : "-";
        if (!strcmp(path, "-") && isatty(STDIN_FILENO))
            talk_say(&run->talk, "reading from the terminal; end the text with Ctrl-D\n");
        text = read_whole(path, length);
        if (!text)
            *code = run_error(run, EXIT_INPUT, "cannot read %s: %s",
                              strcmp(path, "-") != 0 ? path : "standard input",
                              system_error(errno));
    } else {
        text = operands_joined(arguments, 1);
        *length = strlen(text);
    }
    return text;
}

static int check(struct run *run)
{
    const char *html = argument_text(run->arguments, "html");
    const char *inputs[] = {run->arguments->operands[0], argument_text(run->arguments, "file"),
                            argument_text(run->arguments, "counts")};
    if (html && run->format != FORMAT_TABLE)
        return run_use_error(run, "--html and --%s exclude each other",
                             run->format == FORMAT_JSON ? "json" : "format");
    if (html && argument_text(run->arguments, "output"))
        return run_use_error(run, "--html names the file itself; leave -o out");
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
        if (same_file(html, inputs[k]))
            return run_error(run, EXIT_OUTPUT,
                             "%s is both input and output; choose another name for the output",
                             html);
    return EXIT_FINE;
}

static void show_all(struct explain *e)
{
    e->show_count = e->html ? 2 : 1;
    if (e->html)
        e->run->palette = terminal_palette(false);
    for (size_t k = 0; k < e->show_count; k++) {
        show_start_as(&e->shows[k], e->run, false,
                      !e->html ? e->run->format
                      : k      ? FORMAT_TABLE
                               : FORMAT_JSON);
        if (e->html)
            e->shows[k].width = 80;
        explain_show_start(e, &e->shows[k], &e->words[k]);
    }
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    size_t length = 0;
    struct explain e = {.run = run,
                        .most = (size_t)argument_integer(arguments, "influences"),
                        .html = argument_text(arguments, "html")};
    psdvec_scorer_options *scorer = options_take(run, PSDVEC_OPTIONS_SCORER);
    if (!scorer)
        return run->refusal;
    scorer->influences = true;
    scorer->on_word = on_word;
    scorer->user = &e;
    int code = check(run);
    char *text = code ? NULL : get_text(run, &length, &code);
    if (!text)
        return code;
    code = scoring_open(&e.scoring, run, arguments->operands, 1, scorer);
    if (!code) {
        e.temperature = psdvec_scorer_temperature(e.scoring.scorer, 0);
        e.counted = e.scoring.counts[0] != NULL;
        e.surprising = bits(-log((double)psdvec_model_get_info(e.scoring.models[0])->words));
        show_all(&e);
        code = explain_text(&e, text, length);
    }
    free(text);
    for (size_t k = 0; k < e.show_count; k++) {
        if (e.html)
            buffer_clear(&e.shows[k].text);
        show_end(&e.shows[k]);
        rows_free(&e.words[k]);
    }
    scoring_close(&e.scoring);
    return code;
}

const struct command cmd_explain = {
    .name = "explain",
    .group = "Documents",
    .brief = true,
    .summary = "why a model finds the words of a text likely or not",
    .synopsis = "MODEL {TEXT... | - | --file FILE} [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, OWN_OPTIONS(scoring_options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_SCORER, .only = " temperature self "),
                COMMON_OPTIONS},
    .examples = examples,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say which model to ask, and about which text",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
