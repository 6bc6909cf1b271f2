/* psdvec compare: what a model thinks of two words, and why. */
#include "commands.h"
#include "counts_file.h"
#include "exit_status.h"
#include "model_file.h"
#include "phrase.h"
#include "reasons.h"
#include "show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REASONS = 8, MOST_DIRECTIONS = 5 };

static const psdvec_option options[] = {
    FILE_OPTION("counts", .group = "The question",
                .help = "the counts that the model was trained on: show what they say of the pair"),
    {0}};

struct comparison {
    struct run *run;
    psdvec_model *model;
    psdvec_counts *counts; /* or NULL */
    uint32_t pair[2];
    bool generative; /* products are PMI */
    bool shares;     /* contexts are directions of sparse vectors */
    double cosine, product;
    psdvec_pair_explanation explanation; /* with counts */
    struct context contexts[MOST_REASONS];
    struct direction directions[MOST_DIRECTIONS];
    size_t context_count, direction_count;
};

/* ---- Showing --------------------------------------------------------------------------- */

/* `label` NULL: only for programs. */
static void show_number(struct show *show, const char *name, const char *label, double number,
                        const char *meaning)
{
    show_fact(show,
              &(const struct column){.name = name, .heading = label, .digits = 4, .exact = -9},
              real_cell(number), meaning);
}

static void show_story(struct show *show, const struct comparison *c, const char *const words[2])
{
    static const char in_order[] = "times in this order within the window";
    const psdvec_pair_explanation *s = &c->explanation;
    show_section(show, "counts", NULL);
    show_data(show, "same_counts", truth_cell(s->same_counts));
    show_number(show, "count_ab", phrase("%s ... %s", words[0], words[1]), s->count_ij, in_order);
    show_number(show, "count_ba", phrase("%s ... %s", words[1], words[0]), s->count_ji, in_order);
    show_number(show, "target_ab", NULL, s->target_ij, NULL);
    show_number(show, "target_ba", NULL, s->target_ji, NULL);
    show_number(show, "weight_ab", NULL, s->weight_ij, NULL);
    show_number(show, "weight_ba", NULL, s->weight_ji, NULL);
    show_number(show, "target", "target", s->target, "the PMI that the counts ask for");
    show_number(show, "weight", NULL, s->weight, NULL);
    show_number(show, "residual", "residual", s->residual, "target less product");
    show_number(show, NULL, "weight", s->weight, "of the residual in training");
    show_number(show, "background", s->background > 0 ? "background" : NULL, s->background,
                phrase("weight towards %g, as of every pair", s->background_target));
    show_number(show, "background_target", NULL, s->background_target, NULL);
    show_section_end(show, "counts");
    if (!s->same_counts)
        show_title(show, "  These are not the counts that the model was trained on.");
}

/* Words near both; or the contexts that they share, which are directions. */
static void show_contexts(struct show *show, const struct comparison *c, const char *const words[2])
{
    const char *with = c->shares ? "PPMI with" : "PMI with";
    const char *part = c->shares ? "part of the cosine" : "seen with";
    const struct column columns[] = {
        COLUMN("word", c->shares ? "Contexts that they share" : "Words near both", .gap = 2,
               .width = 36),
        NUMBERS(c->shares ? "value_a" : "product_a", words[0], 4, -9, .group = with, .gap = 1,
                .width = 10),
        NUMBERS(c->shares ? "value_b" : "product_b", words[1], 4, -9, .group = with, .gap = 1,
                .width = 10),
        NUMBERS(c->shares ? "part" : "seen_a", c->shares ? "" : words[0], c->shares ? 4 : 1, -9,
                .group = part, .sign = c->shares, .gap = c->shares ? 2 : 1, .width = 8),
        NUMBERS("seen_b", words[1], 1, -9, .group = part, .gap = 1, .width = 8)};
    struct rows rows = {.name = "contexts",
                        .columns = columns,
                        .column_count = c->shares   ? 4
                                        : c->counts ? 5
                                                    : 3};
    for (size_t r = 0; r < c->context_count; r++) {
        const struct context *reason = &c->contexts[r];
        rows_add(&rows, model_word_cell(c->model, reason->word), real_cell(reason->with[0]),
                 real_cell(reason->with[1]), real_cell(c->shares ? reason->part : reason->seen[0]),
                 real_cell(reason->seen[1]));
    }
    if (c->context_count)
        show_gap(show);
    show_rows(show, &rows);
}

static void show_directions(struct show *show, const struct comparison *c)
{
    static const struct column columns[] = {
        NUMBERS("number", "Direction", 0, 0, .gap = 2),
        NUMBERS("part", "part of the cosine", 4, -9, .sign = true, .gap = 2),
        COLUMN("words", "words that point there", .gap = 3, .width = 45)};
    struct rows rows = {.name = "directions", .columns = columns, .column_count = 3};
    for (size_t r = 0; r < c->direction_count; r++) {
        const struct direction *d = &c->directions[r];
        struct buffer list = {0};
        for (uint32_t k = 0; k < d->count; k++) {
            struct cell word = model_word_cell(c->model, d->ends[k]);
            list_add(&list, word.text, word.length);
        }
        rows_add(&rows, whole_cell(d->number + 1), real_cell(d->part), json_cell(list_get(&list)));
        buffer_free(&list);
    }
    if (c->direction_count)
        show_gap(show);
    show_rows(show, &rows);
}

static void print(const struct comparison *c)
{
    const struct cell cells[] = {model_word_cell(c->model, c->pair[0]),
                                 model_word_cell(c->model, c->pair[1])};
    const char *const words[] = {phrase_safe(cells[0].text, cells[0].length),
                                 phrase_safe(cells[1].text, cells[1].length)};
    struct show show;
    show_begin(&show, c->run, true);
    show.label_width = 27;
    show_title(&show, phrase(STYLE_BOLD "%s, %s", words[0], words[1]));
    show_data(&show, "a", cells[0]);
    show_data(&show, "b", cells[1]);
    show_number(&show, "cosine", "cosine", c->cosine, "of the read-out: how alike they are");
    show_number(&show, "product", "product", c->product,
                c->generative ? "of the generative vectors: their PMI" : "of the vectors");
    if (c->counts)
        show_story(&show, c, words);
    else
        show_json(&show, "counts", NULL, NULL);
    show_contexts(&show, c, words);
    show_directions(&show, c);
    show_finish(&show);
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
                                                         c->pair[0], c->pair[1], &c->explanation);
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
    if (!code)
        print(&comparison);
    psdvec_counts_close(comparison.counts);
    psdvec_model_close(comparison.model);
    return code;
}

const struct command cmd_compare = {
    .name = "compare",
    .group = "Asking a model",
    .brief = true,
    .summary = "how alike two words are, and why",
    .synopsis = "MODEL WORD WORD [OPTION]...",
    .description = PARAGRAPHS(
        "Shows how alike two words are, by the cosine of their read-outs, and how much they "
        "attract each other, by the product of their generative vectors, which is the model's "
        "estimate of their pointwise mutual information (PMI). With --counts also what the counts "
        "ask of that product, by the settings the model was trained with, and how far it is from "
        "it.",
        "Then why: the words near which the model expects both, by its PMI with each, largest "
        "contribution first; with --counts only words that were seen with both, and how often, on "
        "either side. And the directions of the read-out that make up most of the cosine, with "
        "words that point there, as the first of the two words does. Reasons are taken from the "
        "20,000 most frequent words.",
        "Products of other systems' vectors (psdvec baseline) are no PMI, and such a model "
        "expects nothing. Of ppmi, whose directions are words, the reasons are the contexts that "
        "both words share, with the number that each has there."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec compare model.safetensors king woman", "How alike, and why."},
                 {"psdvec compare wiki.safetensors music art --counts wiki.counts.safetensors",
                  "And what the counts say."},
                 {"psdvec compare model.safetensors king woman --json", "For a program."}),
    .least_operands = 3,
    .most_operands = 3,
    .missing = "say which model to ask, and for which two words",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
