/* psdvec compare: what a model thinks of two words, and why. */
#include "cell.h"
#include "commands.h"
#include "counts_file.h"
#include "exit_status.h"
#include "model_file.h"
#include "reasons.h"
#include "wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS 27
#define HEAD_COLUMNS 10

enum { MOST_REASONS = 8, MOST_DIRECTIONS = 5 };

static const psdvec_option options[] = {
    {.name = "counts",
     .type = PSDVEC_OPTION_TEXT,
     .argument = "FILE",
     .path = PSDVEC_PATH_FILE,
     .group = "The question",
     .help = "the counts that the model was trained on: show what they say of the pair"},
    {.name = "json",
     .type = PSDVEC_OPTION_FLAG,
     .group = "Showing",
     .help = "print one JSON object"},
    {0}};

static const char *const description[] = {
    "Shows how alike two words are, by the cosine of their read-outs, and how much they attract "
    "each other, by the product of their generative vectors, which is the model's estimate of "
    "their pointwise mutual information (PMI). With --counts also what the counts ask of that "
    "product, by the settings the model was trained with, and how far it is from it.",
    "Then why: the words near which the model expects both, by its PMI with each, largest "
    "contribution first; with --counts only words that were seen with both, and how often, on "
    "either side. And the directions of the read-out that make up most of the cosine, with words "
    "that point there, as the first of the two words does. Reasons are taken from the 20,000 most "
    "frequent words.",
    "Products of other systems' vectors (psdvec baseline) are no PMI, and such a model expects "
    "nothing. Of ppmi, whose directions are words, the reasons are the contexts that both words "
    "share, with the number that each has there.",
    NULL};

static const struct example examples[] = {
    {"psdvec compare model.safetensors king woman", "How alike, and why."},
    {"psdvec compare wiki.safetensors music art --counts wiki.counts.safetensors",
     "And what the counts say."},
    {"psdvec compare model.safetensors king woman --json", "For a program."},
    {0}};

struct comparison {
    struct run *run;
    psdvec_model *model;
    psdvec_counts *counts; /* or NULL */
    uint32_t pair[2];
    bool generative; /* products are PMI */
    bool shares;     /* contexts are directions of sparse vectors */
    double cosine, product;
    psdvec_pair_story story; /* with counts */
    struct context contexts[MOST_REASONS];
    struct direction directions[MOST_DIRECTIONS];
    size_t context_count, direction_count;
};

/* ---- For people ------------------------------------------------------------------------ */

static void add_word(struct buffer *to, const struct comparison *c, uint32_t word)
{
    size_t length;
    const char *text = psdvec_model_word(c->model, word, &length);
    cell_text(to, text, length);
}

static void add_cell(struct buffer *to, const struct comparison *c, uint32_t word, size_t columns,
                     bool right)
{
    size_t length;
    const char *text = psdvec_model_word(c->model, word, &length);
    cell_add(to, text, length, columns, right);
}

static void add_line(struct buffer *to, const struct comparison *c, const char *label,
                     double number, const char *meaning)
{
    buffer_text(to, "  ");
    cell_add(to, label, strlen(label), LABEL_COLUMNS, false);
    if (isnan(number))
        buffer_format(to, "%11s", "-");
    else
        buffer_format(to, "%11.4f", number);
    buffer_format(to, "   %s%s%s\n", c->run->palette.dim, meaning, c->run->palette.plain);
}

/* How often `pair[second]` stands after the other. */
static void add_count(struct buffer *to, const struct comparison *c, int second, double count)
{
    struct buffer label = {0};
    add_word(&label, c, c->pair[!second]);
    buffer_text(&label, " ... ");
    add_word(&label, c, c->pair[second]);
    add_line(to, c, buffer_get(&label), count, "times in this order within the window");
    buffer_free(&label);
}

static void add_story(struct buffer *to, const struct comparison *c)
{
    const psdvec_pair_story *s = &c->story;
    add_count(to, c, 1, s->count_ij);
    add_count(to, c, 0, s->count_ji);
    add_line(to, c, "target", s->target, "the PMI that the counts ask for");
    add_line(to, c, "residual", s->residual, "target less product");
    add_line(to, c, "weight", s->weight, "of the residual in training");
    if (s->background > 0) {
        char *meaning = must_format("weight towards %g, as of every pair", s->background_target);
        add_line(to, c, "background", s->background, meaning);
        free(meaning);
    }
    if (!s->same_counts)
        buffer_text(to, "  These are not the counts that the model was trained on.\n");
}

static void add_contexts(struct buffer *to, const struct comparison *c)
{
    if (!c->context_count)
        return;
    buffer_text(to, "\nWords near both              PMI with:");
    for (int k = 0; k < 2; k++) {
        buffer_char(to, ' ');
        add_cell(to, c, c->pair[k], HEAD_COLUMNS, true);
    }
    buffer_text(to, c->counts ? "   seen with each\n" : "\n");
    for (size_t r = 0; r < c->context_count; r++) {
        const struct context *reason = &c->contexts[r];
        buffer_text(to, "  ");
        add_cell(to, c, reason->word, LABEL_COLUMNS + 9, false);
        for (int k = 0; k < 2; k++)
            buffer_format(to, " %*.4f", HEAD_COLUMNS, reason->with[k]);
        for (int k = 0; k < 2 && c->counts; k++)
            buffer_format(to, " %8.1f", reason->seen[k]);
        buffer_char(to, '\n');
    }
}

static void add_shared(struct buffer *to, const struct comparison *c)
{
    if (!c->context_count)
        return;
    buffer_text(to, "\nContexts that they share    PPMI with:");
    for (int k = 0; k < 2; k++) {
        buffer_char(to, ' ');
        add_cell(to, c, c->pair[k], HEAD_COLUMNS, true);
    }
    buffer_text(to, "  part of the cosine\n");
    for (size_t r = 0; r < c->context_count; r++) {
        const struct context *shared = &c->contexts[r];
        buffer_text(to, "  ");
        add_cell(to, c, shared->word, LABEL_COLUMNS + 9, false);
        for (int k = 0; k < 2; k++)
            buffer_format(to, " %*.4f", HEAD_COLUMNS, shared->with[k]);
        buffer_format(to, " %+19.4f\n", shared->part);
    }
}

static void add_directions(struct buffer *to, const struct comparison *c)
{
    if (!c->direction_count)
        return;
    buffer_text(to, "\nDirections    part of the cosine   words that point there\n");
    for (size_t r = 0; r < c->direction_count; r++) {
        const struct direction *d = &c->directions[r];
        struct buffer words = {0};
        for (uint32_t k = 0; k < d->count; k++) {
            buffer_text(&words, k ? ", " : "");
            add_word(&words, c, d->ends[k]);
        }
        buffer_format(to, "  %8" PRIu32 "  %+20.4f   ", d->number + 1, d->part);
        cell_add(to, buffer_get(&words), words.length, 45, false);
        drop_spaces(to);
        buffer_char(to, '\n');
        buffer_free(&words);
    }
}

static void show(struct buffer *to, const struct comparison *c)
{
    buffer_text(to, c->run->palette.bold);
    add_word(to, c, c->pair[0]);
    buffer_text(to, ", ");
    add_word(to, c, c->pair[1]);
    buffer_format(to, "%s\n", c->run->palette.plain);
    add_line(to, c, "cosine", c->cosine, "of the read-out: how alike they are");
    add_line(to, c, "product", c->product,
             c->generative ? "of the generative vectors: their PMI" : "of the vectors");
    if (c->counts)
        add_story(to, c);
    if (c->shares)
        add_shared(to, c);
    else
        add_contexts(to, c);
    add_directions(to, c);
}

/* ---- For programs ------------------------------------------------------------------------ */

static void add_word_json(struct buffer *to, const struct comparison *c, uint32_t word)
{
    size_t length;
    const char *text = psdvec_model_word(c->model, word, &length);
    buffer_json(to, text, length);
}

static void add_number_json(struct buffer *to, const char *name, double number)
{
    buffer_format(to, "\"%s\": ", name);
    if (isfinite(number))
        buffer_format(to, "%.9g", number);
    else
        buffer_text(to, "null");
}

static void add_story_json(struct buffer *to, const struct comparison *c)
{
    const psdvec_pair_story *s = &c->story;
    const struct {
        const char *name;
        double number;
    } members[] = {{"count_ab", s->count_ij},
                   {"count_ba", s->count_ji},
                   {"target_ab", s->target_ij},
                   {"target_ba", s->target_ji},
                   {"weight_ab", s->weight_ij},
                   {"weight_ba", s->weight_ji},
                   {"target", s->target},
                   {"weight", s->weight},
                   {"residual", s->residual},
                   {"background", s->background},
                   {"background_target", s->background_target}};
    if (!c->counts) {
        buffer_text(to, "null");
        return;
    }
    buffer_format(to, "{\"same_counts\": %s", s->same_counts ? "true" : "false");
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        buffer_text(to, ", ");
        add_number_json(to, members[k].name, members[k].number);
    }
    buffer_char(to, '}');
}

static void add_reasons_json(struct buffer *to, const struct comparison *c)
{
    static const char *const products[] = {"product_a", "product_b"},
                             *const values[] = {"value_a", "value_b"},
                             *const seen[] = {"seen_a", "seen_b"};
    const char *const *with = c->shares ? values : products;
    buffer_text(to, ", \"contexts\": [");
    for (size_t r = 0; r < c->context_count; r++) {
        buffer_text(to, r ? ", {\"word\": " : "{\"word\": ");
        add_word_json(to, c, c->contexts[r].word);
        for (int k = 0; k < 2; k++) {
            buffer_text(to, ", ");
            add_number_json(to, with[k], c->contexts[r].with[k]);
        }
        if (c->shares) {
            buffer_text(to, ", ");
            add_number_json(to, "part", c->contexts[r].part);
        }
        for (int k = 0; k < 2 && c->counts; k++) {
            buffer_text(to, ", ");
            add_number_json(to, seen[k], c->contexts[r].seen[k]);
        }
        buffer_char(to, '}');
    }
    buffer_text(to, "], \"directions\": [");
    for (size_t r = 0; r < c->direction_count; r++) {
        const struct direction *d = &c->directions[r];
        buffer_format(to, "%s{\"number\": %" PRIu32 ", ", r ? ", " : "", d->number + 1);
        add_number_json(to, "part", d->part);
        buffer_text(to, ", \"words\": [");
        for (uint32_t k = 0; k < d->count; k++) {
            buffer_text(to, k ? ", " : "");
            add_word_json(to, c, d->ends[k]);
        }
        buffer_text(to, "]}");
    }
    buffer_char(to, ']');
}

static void add_json(struct buffer *to, const struct comparison *c)
{
    buffer_text(to, "{\"a\": ");
    add_word_json(to, c, c->pair[0]);
    buffer_text(to, ", \"b\": ");
    add_word_json(to, c, c->pair[1]);
    buffer_text(to, ", ");
    add_number_json(to, "cosine", c->cosine);
    buffer_text(to, ", ");
    add_number_json(to, "product", c->product);
    buffer_text(to, ", \"counts\": ");
    add_story_json(to, c);
    add_reasons_json(to, c);
    buffer_text(to, "}\n");
}

/* ---- The command -------------------------------------------------------------------------- */

static int open_all(struct comparison *c)
{
    struct run *run = c->run;
    const struct arguments *arguments = run->arguments;
    const char *counts = argument_text(arguments, "counts");
    int code = model_file_open(run, arguments->operands[0], &c->model);
    if (!code)
        code = model_file_fits(run, c->model, 16); /* the two, and the parts of their cosine */
    for (int k = 0; k < 2 && !code; k++)
        code = model_file_find(run, c->model, arguments->operands[k + 1], &c->pair[k]);
    if (!code && c->pair[0] == c->pair[1])
        code = run_use_error(run, "'%s' and '%s' are the same word", arguments->operands[1],
                             arguments->operands[2]);
    if (!code && counts)
        code = counts_file_open(run, counts, &c->counts);
    return code;
}

static int compare(struct comparison *c)
{
    const psdvec_model_info *info = psdvec_model_get_info(c->model);
    if (c->counts) {
        psdvec_status status = psdvec_model_explain_pair(c->run->ctx, c->model, c->counts,
                                                         c->pair[0], c->pair[1], &c->story);
        if (status != PSDVEC_OK)
            return run_failed(c->run, status);
    }
    c->generative = !info->sparse && (!info->method || !strcmp(info->method, "psd"));
    c->shares = info->sparse && info->directions_are_words;
    c->cosine = psdvec_model_cosine(c->model, c->pair[0], c->pair[1]);
    c->product = psdvec_model_product(c->model, c->pair[0], c->pair[1]);
    if (c->shares)
        c->context_count = reasons_shared(c->model, c->pair, c->contexts, MOST_REASONS);
    else
        c->direction_count = reasons_directions(c->model, c->pair, c->directions, MOST_DIRECTIONS);
    if (c->generative)
        c->context_count =
            reasons_contexts(c->model, c->counts, c->pair, c->contexts, MOST_REASONS);
    return EXIT_FINE;
}

static int act(struct run *run)
{
    struct comparison comparison = {.run = run};
    int code = open_all(&comparison);
    if (!code)
        code = compare(&comparison);
    if (!code) {
        struct buffer text = {0};
        if (argument_flag(run->arguments, "json"))
            add_json(&text, &comparison);
        else
            show(&text, &comparison);
        output_add(&run->out, buffer_get(&text), text.length);
        buffer_free(&text);
    }
    psdvec_counts_close(comparison.counts);
    psdvec_model_close(comparison.model);
    return code;
}

const struct command cmd_compare = {.name = "compare",
                                    .group = "Asking a model",
                                    .brief = true,
                                    .summary = "how alike two words are, and why",
                                    .synopsis = "MODEL WORD WORD [OPTION]...",
                                    .description = description,
                                    .sources = {OWN_OPTIONS(options), COMMON_OPTIONS},
                                    .examples = examples,
                                    .least_operands = 3,
                                    .most_operands = 3,
                                    .missing = "say which model to ask, and for which two words",
                                    .completes = PSDVEC_PATH_FILE,
                                    .act = act};
