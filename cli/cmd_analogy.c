/* psdvec analogy: a is to b as c is to what? */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "question.h"
#include "wrap.h"

#include <stdlib.h>
#include <string.h>

/* Two halves of 37 columns: two spaces, a word, a bar and the score. */
#define WORD_COLUMNS 16
#define BAR_COLUMNS 10
#define HALF (2 + WORD_COLUMNS + 1 + BAR_COLUMNS + 8)

enum { METHODS = 2 };
static const psdvec_measure measures[METHODS] = {PSDVEC_MEASURE_ADD, PSDVEC_MEASURE_MUL};
static const char *const titles[METHODS] = {"3CosAdd", "3CosMul"};
static const char *const names[METHODS] = {"add", "mul"};

static const char *const description[] = {
    "Answers the question: A is to B as C is to what? Shows the best answers of two methods side "
    "by side with their scores; bars are relative to the best answer. 3CosAdd is cos(x, B) - "
    "cos(x, A) + cos(x, C). 3CosMul is (cos(x, B) + 1) (cos(x, C) + 1) / (cos(x, A) + 1.001), in "
    "which no single term dominates; for PPMI vectors (baseline ppmi) it is cos(x, B) cos(x, C) / "
    "(cos(x, A) + 0.001). Cosines are those of the read-out (see psdvec convert). All words "
    "except A, B and C are compared.",
    "Words are looked up as in psdvec similar, if necessary by their spelling. The columns of "
    "--tsv are question, method, word, score and count.",
    NULL};

static const struct example examples[] = {
    {"psdvec analogy model.safetensors man king woman", "Man is to king as woman is to what?"},
    {"psdvec analogy model.safetensors man king woman --top 3 --json", "JSON output for scripts."},
    {0}};

struct answers {
    psdvec_neighbour *list[METHODS];
    size_t found[METHODS];
};

static void add_question(struct buffer *to, const struct question *q)
{
    static const char *const between[] = {"", " is to ", " as "};
    for (size_t k = 0; k < 3; k++) {
        buffer_text(to, between[k]);
        cell_text(to, q->words[k].text, strlen(q->words[k].text));
    }
}

static void show(struct buffer *to, const struct question *q, const struct answers *answers)
{
    const struct palette *palette = &q->run->palette;
    size_t rows = answers->found[0] > answers->found[1] ? answers->found[0] : answers->found[1];
    buffer_text(to, palette->bold);
    add_question(to, q);
    buffer_format(to, " is to%s\n", palette->plain);
    add_spelled(to, q->words, q->count);
    if (!rows) {
        question_nothing(to, q, "one of the vectors has no direction");
        return;
    }
    buffer_format(to, "  %-*s%s\n", HALF, titles[0], titles[1]);
    for (size_t k = 0; k < rows; k++) {
        for (size_t m = 0; m < METHODS; m++) {
            const psdvec_neighbour *list = answers->list[m];
            double best = (double)list[0].cosine;
            add_answer(to, q, &list[k], best > 0 ? (double)list[k].cosine / best : 0, WORD_COLUMNS,
                       BAR_COLUMNS);
        }
        buffer_char(to, '\n');
    }
}

static void tabulate(struct buffer *to, const struct question *q, const struct answers *answers)
{
    for (size_t m = 0; m < METHODS; m++)
        for (size_t k = 0; k < answers->found[m]; k++) {
            add_question(to, q);
            buffer_format(to, "\t%s\t", names[m]);
            add_answer_tsv(to, q, &answers->list[m][k]);
        }
}

static void add_json(struct buffer *to, const struct question *q, const struct answers *answers)
{
    static const char *const members[] = {"{\"a\": ", ", \"b\": ", ", \"c\": "};
    for (size_t k = 0; k < 3; k++) {
        buffer_text(to, members[k]);
        buffer_json(to, q->words[k].text, strlen(q->words[k].text));
    }
    for (size_t m = 0; m < METHODS; m++) {
        buffer_format(to, ", \"%s\": ", names[m]);
        add_answers_json(to, q, answers->list[m], answers->found[m], "score");
    }
    add_spelled_json(to, q->words, q->count);
    buffer_text(to, "}\n");
}

static int ask(struct question *q)
{
    static void (*const forms[])(struct buffer *, const struct question *,
                                 const struct answers *) = {show, tabulate, add_json};
    struct answers answers = {0};
    psdvec_status status = PSDVEC_OK;
    size_t top = question_top(q);
    const struct asked *w = q->words;
    psdvec_query_options options = question_options(q, q->known, q->known_count);
    for (size_t m = 0; m < METHODS; m++) {
        answers.list[m] = must_alloc(top, sizeof *answers.list[m]);
        if (status == PSDVEC_OK)
            status = psdvec_model_analogy(q->run->ctx, q->model, measures[m], w[0].vector,
                                          w[1].vector, w[2].vector, &options, top, answers.list[m],
                                          &answers.found[m]);
    }
    if (status == PSDVEC_OK) {
        struct buffer text = {0};
        forms[q->form](&text, q, &answers);
        question_print(q, &text);
    }
    for (size_t m = 0; m < METHODS; m++)
        free(answers.list[m]);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(q->run, status);
}

static int act(struct run *run)
{
    return question_ask(run, ask);
}

const struct command cmd_analogy = {
    .name = "analogy",
    .group = "Asking a model",
    .brief = true,
    .summary = "A is to B as C is to what?",
    .synopsis = "MODEL A B C [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(top_options), QUERY_OPTIONS, OWN_OPTIONS(form_options), COMMON_OPTIONS},
    .examples = examples,
    .least_operands = 4,
    .most_operands = 4,
    .missing = "say which model to ask, and three words",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
