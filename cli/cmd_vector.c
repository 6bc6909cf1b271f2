/* psdvec vector: the numbers themselves. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "question.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const psdvec_option options[] = {
    {.name = "raw",
     .type = PSDVEC_OPTION_FLAG,
     .group = "The vectors",
     .help = "print the generative vectors, whose products are the model's mutual information"},
    {0}};

static const char *const description[] = {
    "Prints the vectors of words: a line for each, the WORD and its numbers with spaces between "
    "them, in as many digits as give back the same bits. They are those of the read-out, by which "
    "words are compared, or with --raw the generative ones. Of another program's vectors both are "
    "the same.",
    "Words are looked for as in psdvec similar. A word that is not in the model gets its read-out "
    "from its spelling, provided that the model can do that; a generative vector it cannot have.",
    "Of a sparse model the numbers that are not 0 are printed, each behind the direction where it "
    "stands and a colon: a word, where directions are words as of psdvec baseline ppmi, else its "
    "place from 1 on. With --tsv these get a line each: WORD, place, direction and number.",
    NULL};

static const struct example examples[] = {
    {"psdvec vector model.safetensors king", "The numbers of one word."},
    {"psdvec vector model.safetensors king man woman --raw --tsv >vectors.tsv",
     "Three generative vectors for a spreadsheet."},
    {0}};

/* The fewest digits from which the same bits are read. */
static void add_number(struct buffer *to, float number)
{
    char text[40];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number)
            break;
    }
    buffer_text(to, text);
}

static void add_vector(struct buffer *to, const struct question *q, const struct asked *asked,
                       const float *vector)
{
    bool json = q->form == FOR_PROGRAMS;
    const char *between = json ? ", " : q->form == FOR_TABLES ? "\t" : " ";
    if (json) {
        buffer_text(to, "{\"word\": ");
        buffer_json(to, asked->text, strlen(asked->text));
        buffer_text(to, ", \"vector\": [");
    } else {
        cell_text(to, asked->text, strlen(asked->text));
    }
    for (uint32_t k = 0; k < q->info->dim; k++) {
        buffer_text(to, k || !json ? between : "");
        add_number(to, vector[k]);
    }
    if (json) {
        buffer_char(to, ']');
        add_spelled_json(to, asked, 1);
        buffer_char(to, '}');
    }
    buffer_char(to, '\n');
}

/* The word of a direction; false if it has none. */
static bool direction_word(const struct question *q, uint32_t k, const char **word, size_t *length)
{
    if (!q->info->directions_are_words || k >= q->info->words)
        return false;
    *word = psdvec_model_word(q->model, k, length);
    return true;
}

static void add_direction(struct buffer *to, const struct question *q, uint32_t k)
{
    const char *word;
    size_t length;
    if (direction_word(q, k, &word, &length))
        cell_text(to, word, length);
    else
        buffer_format(to, "%" PRIu32, k + 1);
}

static void add_entry_json(struct buffer *to, const struct question *q, uint32_t k, float value)
{
    const char *word;
    size_t length;
    buffer_format(to, "{\"direction\": %" PRIu32, k + 1);
    if (direction_word(q, k, &word, &length)) {
        buffer_text(to, ", \"word\": ");
        buffer_json(to, word, length);
    }
    buffer_text(to, ", \"value\": ");
    add_number(to, value);
    buffer_char(to, '}');
}

static void add_sparse(struct buffer *to, const struct question *q, const struct asked *asked)
{
    const uint32_t *columns;
    const float *values;
    size_t count;
    psdvec_model_sparse_row(q->model, asked->word, &columns, &values, &count);
    if (q->form == FOR_PROGRAMS) {
        buffer_text(to, "{\"word\": ");
        buffer_json(to, asked->text, strlen(asked->text));
        buffer_format(to, ", \"dim\": %" PRIu32 ", \"entries\": [", q->info->dim);
    } else if (q->form == FOR_PEOPLE) {
        cell_text(to, asked->text, strlen(asked->text));
    }
    for (size_t k = 0; k < count; k++) {
        if (q->form == FOR_PROGRAMS) {
            buffer_text(to, k ? ", " : "");
            add_entry_json(to, q, columns[k], values[k]);
        } else if (q->form == FOR_TABLES) {
            cell_text(to, asked->text, strlen(asked->text));
            buffer_format(to, "\t%" PRIu32 "\t", columns[k] + 1);
            add_direction(to, q, columns[k]);
            buffer_char(to, '\t');
            add_number(to, values[k]);
            buffer_char(to, '\n');
        } else {
            buffer_char(to, ' ');
            add_direction(to, q, columns[k]);
            buffer_char(to, ':');
            add_number(to, values[k]);
        }
    }
    if (q->form != FOR_TABLES)
        buffer_text(to, q->form == FOR_PROGRAMS ? "]}\n" : "\n");
}

static int print_all(struct question *q)
{
    bool raw = argument_flag(q->run->arguments, "raw");
    for (size_t k = 0; k < q->count; k++) {
        const struct asked *asked = &q->words[k];
        struct buffer text = {0};
        if (raw && !asked->known)
            return run_error(q->run, EXIT_USE,
                             "the word '%s' is not in the model, and its spelling gives no "
                             "generative vector; leave out --raw",
                             asked->text);
        if (!asked->known && q->form == FOR_PEOPLE) /* lines of the output are vectors alone */
            question_warn_spelled(q, asked);
        if (q->info->sparse) /* which has no spelling, so the word is known */
            add_sparse(&text, q, asked);
        else {
            if (raw)
                psdvec_model_vector_copy(q->model, asked->word, asked->vector);
            add_vector(&text, q, asked, asked->vector);
        }
        question_print(q, &text);
    }
    return EXIT_FINE;
}

static int act(struct run *run)
{
    return question_ask(run, print_all);
}

const struct command cmd_vector = {
    .name = "vector",
    .group = "Asking a model",
    .brief = true,
    .summary = "print the vectors of words",
    .synopsis = "MODEL WORD... [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(options), OWN_OPTIONS(form_options), COMMON_OPTIONS},
    .examples = examples,
    .least_operands = 2,
    .most_operands = SIZE_MAX,
    .missing = "say which model to ask, and for which words",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
