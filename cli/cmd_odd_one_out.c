/* psdvec odd-one-out: which word does not fit the others? */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "question.h"

#include <stdlib.h>
#include <string.h>

#define WORD_COLUMNS 26
#define BAR_COLUMNS 24

static const char *const description[] = {
    "Shows which WORD does not fit: the one whose mean cosine with the others is the lowest. All "
    "words are shown with that mean, the lowest first; of equal ones, that which was named first. "
    "Cosines are those of the read-out, which is made for comparing words.",
    "Words are looked for as in psdvec similar, where they may also come from their spelling. The "
    "columns of --tsv are word and mean cosine.",
    NULL};

static const struct example examples[] = {
    {"psdvec odd-one-out model.safetensors king man woman book", "Which of the four does not fit?"},
    {0}};

/* A word's mean cosine with the others. */
struct fit {
    size_t place; /* in the question */
    double mean;
};

static int fit_order(const void *a, const void *b)
{
    const struct fit *x = a, *y = b;
    if (x->mean != y->mean)
        return x->mean < y->mean ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void show(struct buffer *to, const struct question *q, const struct fit *fits)
{
    const struct palette *palette = &q->run->palette;
    const char *odd = q->words[fits[0].place].text;
    buffer_text(to, palette->bold);
    cell_text(to, odd, strlen(odd));
    buffer_format(to, "%s does not fit; mean cosine with the others:\n", palette->plain);
    add_spelled(to, q->words, q->count);
    for (size_t k = 0; k < q->count; k++) {
        const char *word = q->words[fits[k].place].text;
        add_figure(to, q, word, strlen(word), fits[k].mean, fits[k].mean, WORD_COLUMNS,
                   BAR_COLUMNS);
        buffer_char(to, '\n');
    }
}

static void tabulate(struct buffer *to, const struct question *q, const struct fit *fits)
{
    for (size_t k = 0; k < q->count; k++) {
        const char *word = q->words[fits[k].place].text;
        cell_text(to, word, strlen(word));
        buffer_format(to, "\t%.6f\n", fits[k].mean);
    }
}

static void add_json(struct buffer *to, const struct question *q, const struct fit *fits)
{
    const char *odd = q->words[fits[0].place].text;
    buffer_text(to, "{\"odd\": ");
    buffer_json(to, odd, strlen(odd));
    buffer_text(to, ", \"words\": [");
    for (size_t k = 0; k < q->count; k++) {
        const char *word = q->words[fits[k].place].text;
        buffer_text(to, k ? ", {\"word\": " : "{\"word\": ");
        buffer_json(to, word, strlen(word));
        buffer_format(to, ", \"mean_cosine\": %.6f}", fits[k].mean);
    }
    buffer_char(to, ']');
    add_spelled_json(to, q->words, q->count);
    buffer_text(to, "}\n");
}

static int check_twice(const struct question *q)
{
    for (size_t i = 0; i < q->count; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(q->words[i].text, q->words[j].text))
                return run_use_error(q->run, "'%s' is named twice", q->words[i].text);
    return EXIT_FINE;
}

static int ask(struct question *q)
{
    static void (*const forms[])(struct buffer *, const struct question *,
                                 const struct fit *) = {show, tabulate, add_json};
    int code = check_twice(q);
    if (code)
        return code;
    struct fit *fits = must_alloc(q->count, sizeof *fits);
    for (size_t i = 0; i < q->count; i++) {
        fits[i].place = i;
        for (size_t j = 0; j < q->count; j++)
            if (j != i)
                fits[i].mean += question_cosine(q, i, j) / (double)(q->count - 1);
    }
    qsort(fits, q->count, sizeof *fits, fit_order);
    struct buffer text = {0};
    forms[q->form](&text, q, fits);
    question_print(q, &text);
    free(fits);
    return EXIT_FINE;
}

static int act(struct run *run)
{
    return question_ask(run, ask);
}

const struct command cmd_odd_one_out = {
    .name = "odd-one-out",
    .group = "Asking a model",
    .brief = true,
    .summary = "which word does not fit the others",
    .synopsis = "MODEL WORD WORD WORD... [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(form_options), COMMON_OPTIONS},
    .examples = examples,
    .least_operands = 4,
    .most_operands = SIZE_MAX,
    .missing = "say which model to ask, and at least three words",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
