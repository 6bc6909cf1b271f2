/* psdvec odd-one-out: which word does not fit the others? */
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "question.h"

#include <stdlib.h>
#include <string.h>

/* A word's mean cosine with the others. */
struct fit {
    size_t place; /* position in the question */
    double mean;
};

static int fit_order(const void *a, const void *b)
{
    const struct fit *x = a, *y = b;
    if (x->mean != y->mean)
        return x->mean < y->mean ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static const struct column columns[] = {
    COLUMN("word", "word", .gap = 2, .width = 26), BARS(.gap = 1, .width = 24),
    NUMBERS("mean_cosine", "mean cosine", 4, 6, .gap = 1, .width = 7)};

static void print(const struct question *q, const struct fit *fits)
{
    struct rows rows = ROWS("words", 0, columns);
    const char *odd = q->words[fits[0].place].text;
    struct show show;
    rows.bare = true;
    show_begin(&show, q->run, false);
    show_title(&show,
               phrase(STYLE_BOLD "%s" STYLE_PLAIN " does not fit; mean cosine with the others:",
                      phrase_safe(odd, strlen(odd))));
    show_data(&show, "odd", text_cell(odd));
    question_remark(&show, q->words, q->count);
    for (size_t k = 0; k < q->count; k++)
        rows_add(&rows, text_cell(q->words[fits[k].place].text), bar_cell(fits[k].mean),
                 real_cell(fits[k].mean));
    show_rows(&show, &rows);
    question_spelled(&show, q->words, q->count);
    show_finish(&show);
}

static int ask(struct question *q)
{
    for (size_t i = 0; i < q->count; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(q->words[i].text, q->words[j].text))
                return run_use_error(q->run, "'%s' is given twice", q->words[i].text);
    struct fit *fits = lasting_alloc(q->count, sizeof *fits);
    for (size_t i = 0; i < q->count; i++) {
        int code = run_check(q->run);
        if (code)
            return code;
        fits[i].place = i;
        for (size_t j = 0; j < q->count; j++)
            if (j != i)
                fits[i].mean += question_cosine(q, i, j) / (double)(q->count - 1);
    }
    qsort(fits, q->count, sizeof *fits, fit_order);
    print(q, fits);
    return EXIT_FINE;
}

static int act(struct run *run)
{
    return question_run(run, ask);
}

const struct command cmd_odd_one_out = {
    .name = "odd-one-out",
    .group = "Queries",
    .summary = "find the word that does not fit the others",
    .synopsis = "MODEL WORD WORD WORD... [OPTION]...",
    .description = PARAGRAPHS(
        "Finds the WORD that does not fit the others: the one with the lowest mean cosine to "
        "them. All words are listed with that mean, lowest first; ties keep the order of the "
        "command line. Cosines are those of the read-out (see psdvec convert).",
        "Words are looked up as in psdvec similar, if necessary by their spelling."),
    .sources = {OWN_OPTIONS(spelling_options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples = EXAMPLES({"psdvec odd-one-out model.safetensors king man woman book",
                          "Which of the four does not fit?"}),
    .operands = {4, SIZE_MAX},
    .missing = "give a model and at least three words",
    .act = act};
