/* psdvec compare: the similarity of two words in a model, and its explanation. */
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "question.h"

enum { MOST_CONTEXTS = 8, MOST_DIMENSIONS = 5 };

static const psdvec_option options[] = {
    FILE_OPTION("counts", .group = "Query",
                .help = "the counts that the model was trained on: show the counts, target and "
                        "residual of the pair"),
    {0}};

struct comparison {
    struct run *run;
    psdvec_model *model;
    psdvec_counts *counts; /* or NULL */
    uint32_t pair[2];
    psdvec_comparison result;
    psdvec_shared_context contexts[MOST_CONTEXTS];
    psdvec_shared_dimension dimensions[MOST_DIMENSIONS];
};

/* ---- Showing --------------------------------------------------------------------------- */

/* `label` NULL: only in machine-readable formats. */
static void show_number(struct show *show, const char *name, const char *label, double number,
                        const char *meaning)
{
    show_fact(show,
              &(const struct column){.name = name, .heading = label, .digits = 4, .exact = -9},
              real_cell(number), meaning);
}

static void show_explanation(struct show *show, const struct comparison *c,
                             const char *const words[2])
{
    static const char in_order[] = "co-occurrences in this order";
    const psdvec_pair_explanation *s = &c->result.explanation;
    show_section(show, "counts", NULL);
    show_data(show, "same_counts", truth_cell(s->same_counts));
    show_number(show, "count_ab", phrase("%s ... %s", words[0], words[1]), s->count_ij, in_order);
    show_number(show, "count_ba", phrase("%s ... %s", words[1], words[0]), s->count_ji, in_order);
    show_number(show, "target_ab", NULL, s->target_ij, NULL);
    show_number(show, "target_ba", NULL, s->target_ji, NULL);
    show_number(show, "weight_ab", NULL, s->weight_ij, NULL);
    show_number(show, "weight_ba", NULL, s->weight_ji, NULL);
    show_number(show, "target", "target", s->target, "PMI computed from the counts");
    show_number(show, "weight", NULL, s->weight, NULL);
    show_number(show, "residual", "residual", s->residual, "target minus product");
    show_number(show, NULL, "weight", s->weight, "of the residual in training");
    show_number(show, "background", s->background > 0 ? "background" : NULL, s->background,
                phrase("weight of the pull towards %g", s->background_target));
    show_number(show, "background_target", NULL, s->background_target, NULL);
    show_section_end(show, "counts");
    if (!s->same_counts)
        show_title(show, "  These are not the counts that the model was trained on.");
}

/* Shows words near both; or, for sparse vectors, the contexts that they share, which are
 * directions. */
static void show_contexts(struct show *show, const struct comparison *c, const char *const words[2])
{
    bool shares = c->result.contexts_are_dimensions;
    const char *with = shares ? "PPMI with" : "PMI with";
    const char *part = shares ? "contribution" : "count with";
    const struct column columns[] = {
        COLUMN("word", shares ? "Shared contexts" : "Words near both", .gap = 2, .width = 36),
        NUMBERS(shares ? "value_a" : "product_a", words[0], 4, -9, .group = with, .gap = 1,
                .width = 10),
        NUMBERS(shares ? "value_b" : "product_b", words[1], 4, -9, .group = with, .gap = 1,
                .width = 10),
        NUMBERS(shares ? "part" : "seen_a", shares ? "" : words[0], shares ? 4 : 1, -9,
                .group = part, .sign = shares, .gap = shares ? 2 : 1, .width = 8),
        NUMBERS("seen_b", words[1], 1, -9, .group = part, .gap = 1, .width = 8)};
    struct rows rows = {.name = "contexts",
                        .columns = columns,
                        .column_count = shares      ? 4
                                        : c->counts ? 5
                                                    : 3};
    for (size_t r = 0; r < c->result.context_count; r++) {
        const psdvec_shared_context *reason = &c->contexts[r];
        rows_add(&rows, model_word_cell(c->model, reason->word), real_cell(reason->with[0]),
                 real_cell(reason->with[1]), real_cell(shares ? reason->part : reason->seen[0]),
                 real_cell(reason->seen[1]));
    }
    if (c->result.context_count)
        show_gap(show);
    show_rows(show, &rows);
}

static void show_directions(struct show *show, const struct comparison *c)
{
    static const struct column columns[] = {
        NUMBERS("number", "Direction", 0, 0, .gap = 2),
        NUMBERS("part", "contribution", 4, -9, .sign = true, .gap = 2),
        COLUMN("words", "words in this direction", .gap = 3, .width = 45)};
    struct rows rows = {.name = "directions", .columns = columns, .column_count = 3};
    for (size_t r = 0; r < c->result.dimension_count; r++) {
        const psdvec_shared_dimension *d = &c->dimensions[r];
        struct buffer list = {0};
        for (uint32_t k = 0; k < d->word_count; k++) {
            struct cell word = model_word_cell(c->model, d->words[k]);
            list_add(&list, word.text, word.length);
        }
        rows_add(&rows, whole_cell(d->dimension + 1), real_cell(d->part),
                 json_cell(list_get(&list)));
        buffer_free(&list);
    }
    if (c->result.dimension_count)
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
    show_number(&show, "cosine", "cosine", c->result.cosine, "similarity, by the read-out");
    show_number(&show, "product", "product", c->result.product,
                c->result.products_are_pmi ? "of generative vectors: estimated PMI"
                                           : "of the vectors");
    if (c->counts)
        show_explanation(&show, c, words);
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
    int code = model_file_open_weighted(run, arguments->operands[0],
                                        argument_real(arguments, "spelling"), &c->model);
    if (!code)
        code = model_file_fits(run, c->model, 16); /* both vectors, and parts of their cosine */
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
    psdvec_status status = psdvec_model_compare(c->run->ctx, c->model, c->counts, c->pair[0],
                                                c->pair[1], MOST_CONTEXTS, c->contexts,
                                                MOST_DIMENSIONS, c->dimensions, &c->result);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(c->run, status);
}

static int act(struct run *run)
{
    struct comparison comparison = {.run = run};
    int code = open_all(&comparison);
    if (!code)
        code = compare(&comparison);
    if (!code)
        print(&comparison);
    return code;
}

const struct command cmd_compare = {
    .name = "compare",
    .group = "Queries",
    .summary = "show how similar two words are, and why",
    .synopsis = "MODEL WORD WORD [OPTION]...",
    .description = PARAGRAPHS(
        "Shows the cosine similarity of two words (by the read-out) and the product of their "
        "generative vectors, which is the model's estimate of their pointwise mutual information "
        "(PMI). With --counts, it also shows the target that the counts give for this product, by "
        "the settings of the training, and the residual.",
        "Two lists explain the result. The first has the words near which the model expects both "
        "words, with the PMI with each, largest contribution first; with --counts, only words "
        "that co-occur with both, and their counts on either side. The second has the directions "
        "of the read-out that contribute most to the cosine, with words on the same side as the "
        "first of the two words. The words in the lists are among the 20,000 most frequent words "
        "of the model.",
        "Products of the vectors of other systems (psdvec baseline) do not estimate PMI, so the "
        "first list is omitted for them. For ppmi, whose dimensions are words, the list has the "
        "contexts that both words share, with the PPMI of each."),
    .sources = {OWN_OPTIONS(options), OWN_OPTIONS(spelling_options), FORMAT_OPTIONS,
                COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec compare model.safetensors king woman", "Similarity and its reasons."},
        {"psdvec compare wiki.safetensors music art --counts wiki.counts.safetensors",
         "Also show the counts of the pair."},
        {"psdvec compare model.safetensors king woman --json", "JSON output for scripts."}),
    .operands = {3, 3},
    .missing = "give a model and two words",
    .act = act};
