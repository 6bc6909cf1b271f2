/* psdvec interaction: how far three words are from what the model assumes of them. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "human.h"
#include "model_file.h"
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WORDS_COLUMNS 27
#define COUNT_COLUMNS 11
#define FIGURE_COLUMNS 7

static const psdvec_option options[] = {
    {.name = "model",
     .letter = 'M',
     .type = PSDVEC_OPTION_TEXT,
     .argument = "MODEL",
     .path = PSDVEC_PATH_FILE,
     .group = "The question",
     .help = "the model whose words are counted, as its text was"},
    {.name = "window",
     .type = PSDVEC_OPTION_UINT64,
     .argument = "N",
     .least = 2,
     .most = 1000,
     .otherwise = "the model's",
     .help = "the third word is at most N words behind the first"},
    {.name = "top",
     .type = PSDVEC_OPTION_UINT64,
     .argument = "N",
     .least = 0,
     .most = 1000000,
     .fallback = "20",
     .help = "without words: show the N most frequent triples"},
    {.name = "min-count",
     .type = PSDVEC_OPTION_UINT64,
     .argument = "N",
     .least = 1,
     .most = INFINITY,
     .fallback = "10",
     .help = "without words: of triples seen at least N times"},
    {.name = "tsv",
     .type = PSDVEC_OPTION_FLAG,
     .group = "Showing",
     .help = "print lines of columns with tabs between them"},
    {.name = "json", .type = PSDVEC_OPTION_FLAG, .help = "print one JSON object"},
    {0}};

static const char *const description[] = {
    "The model adds up what single words of the context say about the next one: it takes the "
    "pointwise mutual information of a word c with a and b together, PMI(c;a,b), to be PMI(c;a) + "
    "PMI(c;b). The difference is the pointwise interaction information of the three words. It is "
    "measured in the text here, beside the 0 that the model assumes: below 0, the two words say "
    "partly the same about the third; above 0, they say more together than each on its own. Figures "
    "are in nats.",
    "WORDs come in threes, a b c, in the order in which they stand in the text, not necessarily "
    "next to each other. Without words the most frequent triples are shown, and what all triples "
    "seen often enough say together, each by how often it occurs. Operands are texts as long as "
    "they name a file or a folder, the first one in any case; those behind -- are words. TEXT may "
    "be whatever psdvec count reads, - is standard input; it is read as the model's own text was.",
    "The standard error takes the places of the text for independent draws. The columns of --tsv are the three words, how often the triple and its "
    "pairs ab, ac and bc were seen, the PMI of ab, ac and bc, PMI(c;a,b), the interaction and its "
    "error; a figure of what was never seen is -.",
    NULL};

static const struct example examples[] = {
    {"psdvec interaction wiki.txt -M model.safetensors", "The most frequent triples."},
    {"psdvec interaction wiki.txt -M model.safetensors art music hall",
     "Do art and music say the same about a hall?"},
    {"psdvec interaction books -M model.safetensors --min-count 5 --json",
     "The texts of a folder, for a program."},
    {0}};

static const char *const notes[] = {
    "Every place of the text counts once, without weights for distance or frequency. Where memory "
    "is short, the text goes to temporary files, in /tmp unless --temp-dir names a folder.",
    NULL};

struct inquiry {
    struct run *run;
    psdvec_model *model;
    const char **inputs;
    size_t input_count;
    uint32_t (*asked)[3];
    size_t asked_count;
    psdvec_interaction *found;
    size_t count;
    psdvec_interaction_report report;
};

/* ---- For people ------------------------------------------------------------------------ */

static void add_figure_cell(struct buffer *to, double figure)
{
    if (isnan(figure))
        buffer_format(to, "%*s", FIGURE_COLUMNS, "-");
    else
        buffer_format(to, "%*.2f", FIGURE_COLUMNS, figure);
}

/* The words and how often they were seen; a long number takes the room of the words. */
static void add_triple_cell(struct buffer *to, const struct inquiry *q, const psdvec_interaction *i)
{
    struct buffer words = {0}, count = {0};
    for (int k = 0; k < 3; k++) {
        size_t length;
        const char *word = psdvec_model_word(q->model, i->words[k], &length);
        buffer_text(&words, k ? " " : "");
        buffer_add(&words, word, length);
    }
    human_count(&count, i->count);
    size_t columns = count.length > COUNT_COLUMNS ? count.length : COUNT_COLUMNS;
    cell_add(to, words.text, words.length, WORDS_COLUMNS + COUNT_COLUMNS - columns, false);
    buffer_char(to, ' ');
    cell_add(to, count.text, count.length, columns, true);
    buffer_free(&words);
    buffer_free(&count);
}

static void add_table(struct buffer *to, const struct inquiry *q)
{
    const struct palette *palette = &q->run->palette;
    buffer_format(to, "%s%-*s %*s%*s%*s%*s%*s interaction%s\n", palette->bold, WORDS_COLUMNS,
                  "a b c", COUNT_COLUMNS, "count", FIGURE_COLUMNS, "c;a", FIGURE_COLUMNS, "c;b",
                  FIGURE_COLUMNS, "sum", FIGURE_COLUMNS, "c;a,b", palette->plain);
    for (size_t k = 0; k < q->count; k++) {
        const psdvec_interaction *i = &q->found[k];
        add_triple_cell(to, q, i);
        add_figure_cell(to, i->pmi[1]);
        add_figure_cell(to, i->pmi[2]);
        add_figure_cell(to, i->pmi[1] + i->pmi[2]);
        if (i->count == 0) {
            buffer_format(to, "%s     never seen%s\n", palette->dim, palette->plain);
            continue;
        }
        add_figure_cell(to, i->joint);
        buffer_format(to, "%s%6.2f%s %s%.2f\n", palette->cyan, i->information, palette->plain,
                      terminal_unicode() ? "±" : "+-", i->error);
    }
}

static void add_report(struct buffer *to, const struct inquiry *q)
{
    const psdvec_interaction_report *r = &q->report;
    uint64_t least = argument_integer(q->run->arguments, "min-count");
    human_count(to, r->known);
    buffer_format(to, " known words, window %" PRIu32 ": ", r->window);
    human_count(to, r->places);
    buffer_text(to, " places of three words\n");
    if (q->asked_count)
        return;
    if (r->triples == 0) {
        buffer_format(to, "No triple was seen %" PRIu64 " times; lower --min-count.\n", least);
        return;
    }
    human_count(to, r->triples);
    buffer_text(to, r->triples == 1 ? " triple was" : " triples were");
    buffer_format(to, " seen %" PRIu64 " times or more, at %.1f %% of the places\n", least,
                  100 * (double)r->occurrences / (double)r->places);
    buffer_text(to, "\nTheir interaction, where the model assumes 0:\n");
    buffer_format(to, "  mean             %8.3f\n", r->mean);
    buffer_format(to, "  mean absolute    %8.3f\n", r->mean_absolute);
    buffer_format(to, "  within 0.5 of 0  %8.1f %%\n", 100 * r->within_half);
    buffer_format(to,
                  "  quantiles        %8.2f (5 %%) %.2f (25 %%) %.2f (50 %%) %.2f (75 %%) %.2f (95 "
                  "%%)\n",
                  r->quantiles[0], r->quantiles[1], r->quantiles[2], r->quantiles[3],
                  r->quantiles[4]);
    buffer_text(to, "Beside it, the sum PMI(c;a) + PMI(c;b):\n");
    buffer_format(to, "  mean absolute    %8.3f\n", r->sum_absolute);
    if (!isnan(r->slope))
        buffer_format(to, "  best factor      %8.3f   times the sum comes nearest to PMI(c;a,b)\n",
                      r->slope);
}

static void show(struct buffer *to, const struct inquiry *q)
{
    if (q->count) {
        add_table(to, q);
        buffer_char(to, '\n');
    }
    add_report(to, q);
}

/* ---- For programs ------------------------------------------------------------------------- */

static void add_number(struct buffer *to, double number, const char *none)
{
    if (isnan(number))
        buffer_text(to, none);
    else
        buffer_format(to, "%.6f", number);
}

static void tabulate(struct buffer *to, const struct inquiry *q)
{
    for (size_t k = 0; k < q->count; k++) {
        const psdvec_interaction *i = &q->found[k];
        const double figures[] = {i->pmi[0], i->pmi[1],      i->pmi[2],
                                  i->joint,  i->information, i->error};
        for (int w = 0; w < 3; w++) {
            size_t length;
            const char *word = psdvec_model_word(q->model, i->words[w], &length);
            cell_text(to, word, length);
            buffer_char(to, '\t');
        }
        buffer_format(to, "%" PRIu64, i->count);
        for (int p = 0; p < 3; p++)
            buffer_format(to, "\t%" PRIu64, i->pairs[p]);
        for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
            buffer_char(to, '\t');
            add_number(to, figures[f], "-");
        }
        buffer_char(to, '\n');
    }
}

static void add_member(struct buffer *to, const char *name, double number)
{
    buffer_format(to, ", \"%s\": ", name);
    add_number(to, number, "null");
}

static void add_triple_json(struct buffer *to, const struct inquiry *q, const psdvec_interaction *i)
{
    buffer_text(to, "{\"words\": [");
    for (int w = 0; w < 3; w++) {
        size_t length;
        const char *word = psdvec_model_word(q->model, i->words[w], &length);
        buffer_text(to, w ? ", " : "");
        buffer_json(to, word, length);
    }
    buffer_format(to, "], \"count\": %" PRIu64, i->count);
    buffer_format(to, ", \"pairs\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", i->pairs[0],
                  i->pairs[1], i->pairs[2]);
    buffer_format(to, ", \"singles\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", i->singles[0],
                  i->singles[1], i->singles[2]);
    add_member(to, "pmi_ab", i->pmi[0]);
    add_member(to, "pmi_ac", i->pmi[1]);
    add_member(to, "pmi_bc", i->pmi[2]);
    add_member(to, "joint", i->joint);
    add_member(to, "interaction", i->information);
    add_member(to, "error", i->error);
    buffer_char(to, '}');
}

static void add_json(struct buffer *to, const struct inquiry *q)
{
    const psdvec_interaction_report *r = &q->report;
    buffer_format(to, "{\"window\": %" PRIu32 ", \"tokens\": %" PRIu64 ", \"known\": %" PRIu64,
                  r->window, r->tokens, r->known);
    buffer_format(to, ", \"places\": %" PRIu64 ", \"triples\": [", r->places);
    for (size_t k = 0; k < q->count; k++) {
        buffer_text(to, k ? ", " : "");
        add_triple_json(to, q, &q->found[k]);
    }
    buffer_char(to, ']');
    if (!q->asked_count) {
        buffer_format(to, ", \"all\": {\"triples\": %" PRIu64 ", \"occurrences\": %" PRIu64,
                      r->triples, r->occurrences);
        add_member(to, "mean", r->mean);
        add_member(to, "mean_absolute", r->mean_absolute);
        static const char *const names[] = {"q5", "q25", "q50", "q75", "q95"};
        for (int k = 0; k < 5; k++)
            add_member(to, names[k], r->quantiles[k]);
        add_member(to, "within_half", r->within_half);
        add_member(to, "sum_absolute", r->sum_absolute);
        add_member(to, "slope", r->slope);
        buffer_char(to, '}');
    }
    buffer_text(to, "}\n");
}

/* ---- The question ---------------------------------------------------------------------------- */

/* Which operands are texts: the first, and those behind it that name something that exists. */
static size_t count_inputs(const struct arguments *arguments)
{
    struct stat there;
    size_t count = 1;
    while (
        count < arguments->operand_count && count < arguments->unsigned_from &&
        (!strcmp(arguments->operands[count], "-") || stat(arguments->operands[count], &there) == 0))
        count++;
    return count;
}

static int find_words(struct inquiry *q)
{
    const struct arguments *arguments = q->run->arguments;
    const char **words = arguments->operands + q->input_count;
    size_t count = arguments->operand_count - q->input_count;
    q->asked = must_alloc(q->asked_count ? q->asked_count : 1, sizeof *q->asked);
    for (size_t k = 0; k < count; k++) {
        int code = model_file_find(q->run, q->model, words[k], &q->asked[k / 3][k % 3]);
        if (code)
            return code;
    }
    return EXIT_FINE;
}

static int measure(struct inquiry *q)
{
    const struct arguments *arguments = q->run->arguments;
    size_t most = (size_t)argument_integer(arguments, "top");
    const struct option_value *window = argument(arguments, "window");
    q->found = must_alloc(q->asked_count ? q->asked_count : most ? most : 1, sizeof *q->found);
    psdvec_status status = psdvec_interactions(
        q->run->ctx, q->model, q->inputs, q->input_count, (uint32_t)window->integer,
        (const uint32_t(*)[3])q->asked, q->asked_count, most,
        argument_integer(arguments, "min-count"), q->found, &q->count, &q->report);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(q->run, status);
}

static void print(struct inquiry *q)
{
    struct buffer text = {0};
    if (argument_flag(q->run->arguments, "json"))
        add_json(&text, q);
    else if (argument_flag(q->run->arguments, "tsv"))
        tabulate(&text, q);
    else
        show(&text, q);
    output_add(&q->run->out, buffer_get(&text), text.length);
    buffer_free(&text);
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const char *path = argument_text(arguments, "model");
    struct inquiry q = {.run = run, .inputs = arguments->operands};
    if (!path)
        return run_use_error(run, "say which model the words are of: -M MODEL");
    if (argument_flag(arguments, "tsv") && argument_flag(arguments, "json"))
        return run_use_error(run, "--tsv and --json exclude each other");
    q.input_count = count_inputs(arguments);
    size_t words = arguments->operand_count - q.input_count;
    if (words % 3)
        return run_use_error(run,
                             "words come in threes, and '%s' begins a triple of %zu; operands that "
                             "name files are texts unless they stand behind --",
                             arguments->operands[arguments->operand_count - words % 3], words % 3);
    q.asked_count = words / 3;
    int code = model_file_open(run, path, &q.model);
    if (!code)
        code = find_words(&q);
    if (!code)
        run_tell_of_terminal(run);
    if (!code)
        code = measure(&q);
    if (!code)
        print(&q);
    free(q.asked);
    free(q.found);
    psdvec_model_close(q.model);
    return code;
}

const struct command cmd_interaction = {
    .name = "interaction",
    .group = "Documents",
    .brief = true,
    .summary = "measure what the model takes to be 0 for three words",
    .synopsis = "TEXT... -M MODEL [[--] WORD WORD WORD]... [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(options), COMMON_OPTIONS},
    .examples = examples,
    .notes = notes,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say in which text to look, and for which three words",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
