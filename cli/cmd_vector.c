/* psdvec vector: the numbers themselves. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "question.h"

#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
    {.name = "raw",
     .kind = OPTION_FLAG,
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
        add_vector(&text, q, asked,
                   raw ? psdvec_model_vector(q->model, asked->word) : asked->vector);
        question_print(q, &text);
    }
    return EXIT_FINE;
}

static int act(struct run *run)
{
    return question_ask(run, print_all);
}

const struct command cmd_vector = {.name = "vector",
                                   .group = "Asking a model",
                                   .brief = true,
                                   .summary = "print the vectors of words",
                                   .synopsis = "MODEL WORD... [OPTION]...",
                                   .description = description,
                                   .tables = {options, form_options, common_options},
                                   .examples = examples,
                                   .least_operands = 2,
                                   .most_operands = SIZE_MAX,
                                   .missing = "say which model to ask, and for which words",
                                   .completes = COMPLETES_FILES,
                                   .act = act};
