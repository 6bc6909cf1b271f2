/* psdvec compare: the similarity of two words in a model, and its explanation. */
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REASONS = 8, MOST_DIRECTIONS = 5, REASON_WORDS = 4 };

static const psdvec_option options[] = {
    FILE_OPTION("counts", .group = "Query",
                .help = "the counts that the model was trained on: show the counts, target and "
                        "residual of the pair"),
    {0}};

/* A word that the model expects near both, or in whose direction both vectors have a component. */
struct context {
    uint32_t word;
    double with[2]; /* v'Jv with each; or the component of each */
    double seen[2]; /* how often with each, in either order; 0 without counts */
    double part;    /* sort key; or the contribution to the cosine */
};

/* A direction of the read-out. */
struct direction {
    uint32_t number;
    double part;                 /* contribution to the cosine; the contributions add up to it */
    uint32_t ends[REASON_WORDS]; /* words with the largest components, on the first word's side */
    uint32_t count;
};

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
    const psdvec_pair_explanation *s = &c->explanation;
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
    const char *with = c->shares ? "PPMI with" : "PMI with";
    const char *part = c->shares ? "contribution" : "count with";
    const struct column columns[] = {
        COLUMN("word", c->shares ? "Shared contexts" : "Words near both", .gap = 2, .width = 36),
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
        NUMBERS("part", "contribution", 4, -9, .sign = true, .gap = 2),
        COLUMN("words", "words in this direction", .gap = 3, .width = 45)};
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
    show_number(&show, "cosine", "cosine", c->cosine, "similarity, by the read-out");
    show_number(&show, "product", "product", c->product,
                c->generative ? "of generative vectors: estimated PMI" : "of the vectors");
    if (c->counts)
        show_explanation(&show, c, words);
    else
        show_json(&show, "counts", NULL, NULL);
    show_contexts(&show, c, words);
    show_directions(&show, c);
    show_finish(&show);
}

/* ---- Reasons: only frequent words are used, because rare ones are less informative -------- */

#define MOST_WORDS 20000
#define FACTOR_POWER 0.3

static uint32_t frequent_words(const psdvec_model_info *info)
{
    return info->words < MOST_WORDS ? info->words : MOST_WORDS;
}

static int context_order(const void *a, const void *b)
{
    const struct context *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? 1 : -1;
    return (x->word > y->word) - (x->word < y->word);
}

/* How often two words of the model co-occurred, in either order. */
static double cooccurrences(const psdvec_model *model, const psdvec_counts *counts, uint32_t i,
                            uint32_t j)
{
    size_t i_length, j_length;
    const char *i_word = psdvec_model_word(model, i, &i_length);
    const char *j_word = psdvec_model_word(model, j, &j_length);
    uint32_t a, b;
    if (!psdvec_counts_find(counts, i_word, i_length, &a) ||
        !psdvec_counts_find(counts, j_word, j_length, &b))
        return 0;
    return (double)(psdvec_counts_get(counts, a, b) + psdvec_counts_get(counts, b, a)) /
           (double)psdvec_counts_get_info(counts)->scale;
}

/* Finds at most `most` words, by decreasing contribution: the product of the model's values for
 * both pairs, times the frequency of the word to the power of 0.3, as in the weights of the default
 * preset. With counts (or NULL), only words that co-occur with both. */
static size_t find_contexts(const psdvec_model *model, const psdvec_counts *counts,
                            const uint32_t pair[2], struct context *contexts, size_t most)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    uint32_t words = frequent_words(info);
    struct context *all = lasting_alloc(words, sizeof *all);
    size_t count = 0, kept = 0;
    for (uint32_t w = 0; w < words; w++) {
        struct context c = {.word = w};
        if (w == pair[0] || w == pair[1])
            continue;
        for (int k = 0; k < 2; k++)
            c.with[k] = psdvec_model_product(model, pair[k], w);
        if (!(c.with[0] > 0 && c.with[1] > 0))
            continue;
        double frequency = info->has_counts ? (double)psdvec_model_frequency(model, w) : 1;
        c.part = c.with[0] * c.with[1] * pow(frequency, FACTOR_POWER);
        all[count++] = c;
    }
    if (count)
        qsort(all, count, sizeof *all, context_order);
    for (size_t k = 0; k < count && kept < most; k++) {
        for (int side = 0; side < 2 && counts; side++)
            all[k].seen[side] = cooccurrences(model, counts, pair[side], all[k].word);
        if (!counts || (all[k].seen[0] > 0 && all[k].seen[1] > 0))
            contexts[kept++] = all[k];
    }
    return kept;
}

/* For a sparse model whose directions are words: at most `most` words in whose direction both
 * vectors have a component, by decreasing contribution to the cosine. */
static size_t find_shared(const psdvec_model *model, const uint32_t pair[2],
                          struct context *contexts, size_t most)
{
    uint32_t words = psdvec_model_get_info(model)->words;
    const uint32_t *columns[2];
    const float *values[2];
    size_t counts[2], at[2] = {0}, count = 0;
    double squares[2] = {0};
    for (int k = 0; k < 2; k++) {
        psdvec_model_sparse_row(model, pair[k], &columns[k], &values[k], &counts[k]);
        for (size_t e = 0; e < counts[k]; e++)
            squares[k] += (double)values[k][e] * (double)values[k][e];
    }
    struct context *all = lasting_alloc(counts[0], sizeof *all);
    while (at[0] < counts[0] && at[1] < counts[1]) {
        uint32_t a = columns[0][at[0]], b = columns[1][at[1]];
        double with[2] = {(double)values[0][at[0]], (double)values[1][at[1]]};
        if (a == b && a < words) /* words may have been removed */
            all[count++] =
                (struct context){.word = a,
                                 .with = {with[0], with[1]},
                                 .part = with[0] * with[1] / sqrt(squares[0] * squares[1])};
        at[0] += a <= b;
        at[1] += b <= a;
    }
    if (count)
        qsort(all, count, sizeof *all, context_order);
    count = count < most ? count : most;
    for (size_t k = 0; k < count; k++)
        contexts[k] = all[k];
    return count;
}

static int direction_order(const void *a, const void *b)
{
    const struct direction *x = a, *y = b;
    if (fabs(x->part) != fabs(y->part))
        return fabs(x->part) < fabs(y->part) ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static double length_of(const float *vector, uint32_t dim)
{
    double square = 0;
    for (uint32_t k = 0; k < dim; k++)
        square += (double)vector[k] * (double)vector[k];
    return sqrt(square);
}

/* Inserts a word into the list of words with the largest components in a direction. */
static void offer(struct direction *d, double *shares, uint32_t word, double share)
{
    uint32_t at = d->count;
    if (!(share > 0) || (at == REASON_WORDS && !(share > shares[at - 1])))
        return;
    if (at == REASON_WORDS)
        at--;
    else
        d->count++;
    for (; at > 0 && share > shares[at - 1]; at--) {
        shares[at] = shares[at - 1];
        d->ends[at] = d->ends[at - 1];
    }
    shares[at] = share;
    d->ends[at] = word;
}

/* Finds the words with the largest components in each direction, on the side of the first word of
 * the pair. */
static void find_ends(const psdvec_model *model, const float *first, const uint32_t pair[2],
                      struct direction *directions, size_t count)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    float *row = lasting_alloc(info->dim, sizeof *row);
    double(*shares)[REASON_WORDS] = lasting_alloc(count, sizeof *shares);
    for (uint32_t w = 0; w < frequent_words(info); w++) {
        psdvec_model_copy(model, w, row);
        double length = length_of(row, info->dim);
        if (w == pair[0] || w == pair[1] || !(length > 0))
            continue;
        for (size_t d = 0; d < count; d++) {
            uint32_t k = directions[d].number;
            double share = (double)row[k] / length;
            offer(&directions[d], shares[d], w, first[k] < 0 ? -share : share);
        }
    }
}

/* Finds at most `most` directions, by decreasing magnitude of their contribution. */
static size_t find_directions(const psdvec_model *model, const uint32_t pair[2],
                              struct direction *directions, size_t most)
{
    uint32_t dim = psdvec_model_get_info(model)->dim;
    float *a = lasting_alloc(dim, sizeof *a), *b = lasting_alloc(dim, sizeof *b);
    psdvec_model_copy(model, pair[0], a);
    psdvec_model_copy(model, pair[1], b);
    double lengths = length_of(a, dim) * length_of(b, dim);
    struct direction *all = lasting_alloc(dim, sizeof *all);
    for (uint32_t k = 0; k < dim; k++)
        all[k] = (struct direction){
            .number = k, .part = lengths > 0 ? (double)a[k] * (double)b[k] / lengths : 0};
    qsort(all, dim, sizeof *all, direction_order);
    size_t count = 0;
    for (; count < most && count < dim && all[count].part != 0; count++)
        directions[count] = all[count];
    find_ends(model, a, pair, directions, count);
    return count;
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
        c->context_count = find_shared(c->model, c->pair, c->contexts, MOST_REASONS);
    else
        c->direction_count = find_directions(c->model, c->pair, c->directions, MOST_DIRECTIONS);
    if (c->generative)
        c->context_count = find_contexts(c->model, c->counts, c->pair, c->contexts, MOST_REASONS);
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
