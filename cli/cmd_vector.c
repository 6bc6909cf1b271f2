/* psdvec vector: prints the components of vectors. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "question.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const psdvec_option options[] = {
    FLAG_OPTION("raw", .group = "Vectors",
                .help = "print the generative vectors, whose products are the model's PMI"),
    {0}};

/* The fewest digits that read back as the same bits. */
static const char *digits_of(float number, char text[40])
{
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, 40, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number)
            break;
    }
    return text;
}

/* For a sparse vector: one row per nonzero component. */
static const struct column sparse_columns[] = {
    {.name = "word", .heading = "word", .where = IN_TSV | IN_MARKDOWN},
    {.name = "place", .heading = "place", .right = true, .where = IN_TSV | IN_MARKDOWN},
    {.name = "direction", .heading = "direction", .where = IN_TSV | IN_MARKDOWN},
    {.name = "direction", .where = IN_JSON},
    {.name = "word", .where = IN_JSON},
    {.name = "value", .heading = "value", .right = true}};

struct vectors {
    struct question *question;
    struct show show;
    struct rows rows, line; /* `line` is used in output for people */
};

static void print_vector(struct vectors *v, const struct asked *asked)
{
    struct buffer line = {0}, list = {0};
    char number[40];
    uint32_t dim = v->question->info->dim;
    cell_text(&line, asked->text, strlen(asked->text));
    rows_add(&v->rows, text_cell(asked->text));
    for (uint32_t k = 0; k < dim; k++) {
        digits_of(asked->vector[k], number);
        buffer_format(&line, " %s", number);
        buffer_format(&list, "%s%s", k ? ", " : "[", number);
        rows_more(&v->rows, json_cell(number));
    }
    buffer_char(&list, ']');
    rows_add(&v->line, shown_as(no_cell(), line.text));
    show_json(&v->show, "vector", NULL, list.text);
    show_rows_so_far(&v->show, &v->rows);
    question_spelled(&v->show, asked, 1);
    buffer_free(&line);
    buffer_free(&list);
}

static void print_sparse(struct vectors *v, const struct asked *asked)
{
    const struct question *q = v->question;
    struct buffer line = {0};
    char number[40], place[16];
    const uint32_t *columns;
    const float *values;
    size_t count;
    psdvec_model_sparse_row(q->model, asked->word, &columns, &values, &count);
    show_data(&v->show, "dim", whole_cell(q->info->dim));
    cell_text(&line, asked->text, strlen(asked->text));
    for (size_t k = 0; k < count; k++) {
        bool named = q->info->directions_are_words && columns[k] < q->info->words;
        digits_of(values[k], number);
        snprintf(place, sizeof place, "%" PRIu32, columns[k] + 1);
        struct cell direction = named ? model_word_cell(q->model, columns[k]) : text_cell(place);
        buffer_char(&line, ' ');
        cell_text(&line, direction.text, direction.length);
        buffer_format(&line, ":%s", number);
        rows_add(&v->rows, text_cell(asked->text), json_cell(place), direction, json_cell(place),
                 named ? direction : no_cell(), json_cell(number));
    }
    rows_add(&v->line, shown_as(no_cell(), line.text));
    show_rows(&v->show, &v->rows);
    buffer_free(&line);
}

static int print_word(struct vectors *v, const struct asked *asked)
{
    struct question *q = v->question;
    bool raw = argument_flag(q->run->arguments, "raw");
    if (raw && q->info->only_readout)
        return run_error(
            q->run, EXIT_FILE,
            "the model has no generative vectors, because convert --only-readout omitted them; "
            "omit --raw");
    if (raw && !asked->known && !asked->spelled)
        return run_error(q->run, EXIT_USE,
                         "'%s' is not one word in the model, and only read-out vectors can be "
                         "combined; omit --raw",
                         asked->text);
    if (raw && asked->spelled)
        return run_error(q->run, EXIT_USE,
                         "the word '%s' is not in the model, and its spelling gives no generative "
                         "vector; omit --raw",
                         asked->text);
    if (q->run->format != FORMAT_JSON) /* rows of the output contain only vectors */
        question_warn(q, asked);
    show_open(&v->show);
    show_data(&v->show, "word", text_cell(asked->text));
    if (q->info->sparse && asked->known) {
        print_sparse(v, asked);
    } else {
        if (raw)
            psdvec_model_vector_copy(q->model, asked->word, asked->vector);
        print_vector(v, asked);
    }
    show_rows(&v->show, &v->line);
    show_close(&v->show);
    show_flush(&v->show);
    return EXIT_FINE;
}

static int print_all(struct question *q)
{
    static const struct column line_columns[] = {{.heading = ""}};
    uint32_t dim = q->info->sparse ? 0 : q->info->dim;
    /* The word, and one column per component. */
    struct column *dense = lasting_alloc((size_t)dim + 1, sizeof *dense);
    dense[0].name = dense[0].heading = "word";
    for (uint32_t k = 1; k <= dim; k++) {
        dense[k].name = dense[k].heading = phrase("%" PRIu32, k);
        dense[k].right = true;
    }
    struct vectors v = {
        .question = q,
        .rows = {.where = IN_TSV | IN_MARKDOWN, .columns = dense, .column_count = (size_t)dim + 1},
        .line = {.where = IN_TABLE, .columns = line_columns, .column_count = 1, .bare = true}};
    if (q->info->sparse)
        v.rows = (struct rows){.name = "entries",
                               .where = IN_TSV | IN_MARKDOWN | IN_JSON,
                               .columns = sparse_columns,
                               .column_count = sizeof sparse_columns / sizeof *sparse_columns};
    show_start(&v.show, q->run, false);
    v.show.compact = true;
    int code = EXIT_FINE;
    for (size_t k = 0; k < q->count && !code; k++) {
        code = run_check(q->run);
        if (!code)
            code = print_word(&v, &q->words[k]);
    }
    show_end(&v.show);
    rows_free(&v.rows);
    rows_free(&v.line);
    return code;
}

static int act(struct run *run)
{
    return question_run(run, print_all);
}

const struct command cmd_vector = {
    .name = "vector",
    .group = "Queries",
    .summary = "print the vectors of words",
    .synopsis = "MODEL WORD... [OPTION]...",
    .description = PARAGRAPHS(
        "Prints the vectors of words, one per line: the WORD and the components of its vector, "
        "separated by spaces, with enough digits to restore the exact values. The vectors are "
        "those of the read-out (see psdvec convert) or, with --raw, the generative ones. For "
        "vectors of other programs, both are the same.",
        "Words are looked up as in psdvec similar. A word that is not in the model gets a "
        "read-out vector from its spelling, provided that the model supports it, but no "
        "generative vector.",
        "For a sparse model, only the nonzero components are printed, as DIMENSION:VALUE. "
        "DIMENSION is a word if dimensions are words, as for psdvec baseline ppmi; otherwise it "
        "is a number from 1. In TSV and Markdown, each component is a row."),
    .sources = {OWN_OPTIONS(options), OWN_OPTIONS(spelling_options), FORMAT_OPTIONS,
                COMMON_OPTIONS},
    .examples = EXAMPLES({"psdvec vector model.safetensors king", "The vector of one word."},
                         {"psdvec vector model.safetensors king man woman --raw --tsv >vectors.tsv",
                          "Three generative vectors for a spreadsheet."}),
    .operands = {2, SIZE_MAX},
    .missing = "give a model and one or more words",
    .act = act};
