/* psdvec analogy: a is to b as c is to what? */
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "question.h"

#include <string.h>

enum { METHODS = 2 };
static const psdvec_measure measures[METHODS] = {PSDVEC_MEASURE_ADD, PSDVEC_MEASURE_MUL};
static const char *const names[METHODS] = {"add", "mul"};

/* Two halves of 37 columns. */
#define COLUMNS(title)                                                                             \
    {                                                                                              \
        COLUMN("question", NULL, .where = IN_TSV), COLUMN("method", NULL, .where = IN_TSV),        \
            COLUMN("word", title, .gap = 2, .width = 16), BARS(.gap = 1, .width = 10),             \
            NUMBERS("score", "score", 4, 6, .gap = 1, .width = 7),                                 \
            COLUMN("count", NULL, .right = true)                                                   \
    }
static const struct column columns[METHODS][6] = {COLUMNS("3CosAdd"), COLUMNS("3CosMul")};

static const char *question_text(const struct question *q)
{
    const char *words[3];
    for (size_t k = 0; k < 3; k++)
        words[k] = phrase_safe(q->words[k].text, strlen(q->words[k].text));
    return phrase("%s is to %s as %s", words[0], words[1], words[2]);
}

static void fill(struct rows *rows, const struct question *q, const psdvec_neighbour *answers,
                 size_t count)
{
    const char *question = question_text(q);
    for (size_t k = 0; k < count; k++) {
        double score = (double)answers[k].cosine, best = (double)answers[0].cosine;
        rows_add(rows, text_cell(question), text_cell(rows->name),
                 model_word_cell(q->model, answers[k].word), bar_cell(best > 0 ? score / best : 0),
                 real_cell(score), answer_count(q, answers[k].word));
    }
}

static void print(const struct question *q, struct rows rows[METHODS], const struct forms *forms)
{
    static const char *const members[] = {"a", "b", "c"};
    struct show show;
    show_begin(&show, q->run, false);
    show_title(&show, phrase(STYLE_BOLD "%s is to", question_text(q)));
    question_remark(&show, q->words, q->count);
    for (size_t k = 0; k < 3; k++)
        show_data(&show, members[k], text_cell(q->words[k].text));
    if (!rows[0].row_count && !rows[1].row_count)
        question_nothing(&show, q, "one of the vectors is zero");
    show_pair(&show, &rows[0], &rows[1], 0);
    question_left_out(&show, q, forms, NULL);
    question_spelled(&show, q->words, q->count);
    show_finish(&show);
}

/* Adds the forms that one of the methods left out, each once. */
static void add_left_out(struct forms *all, const struct forms *some)
{
    for (size_t k = 0; k < some->left_out_count; k++) {
        size_t at = 0;
        while (at < all->left_out_count && all->left_out[at] != some->left_out[k])
            at++;
        if (at == all->left_out_count)
            all->left_out[all->left_out_count++] = some->left_out[k];
    }
}

static int ask(struct question *q)
{
    struct rows rows[METHODS] = {{0}};
    struct forms forms, all;
    size_t top = question_top(q), found = 0;
    const struct asked *w = q->words;
    psdvec_query_options options = question_options(q, q->known, q->known_count);
    int code = question_forms(q, w, "-++", 3, &forms);
    if (code)
        return code;
    all = forms;
    all.left_out = lasting_alloc(forms.count, sizeof *all.left_out);
    size_t most = top + forms.count < q->info->words ? top + forms.count : q->info->words;
    psdvec_neighbour *answers = lasting_alloc(most, sizeof *answers);
    psdvec_status status = PSDVEC_OK;
    for (size_t m = 0; m < METHODS && status == PSDVEC_OK; m++) {
        rows[m] = (struct rows){.name = names[m],
                                .columns = columns[m],
                                .column_count = sizeof columns[m] / sizeof *columns[m] -
                                                !q->info->has_counts};
        status = psdvec_model_analogy(q->run->ctx, q->model, measures[m], w[0].vector, w[1].vector,
                                      w[2].vector, &options, most, answers, &found);
        if (status != PSDVEC_OK)
            break;
        forms.left_out_count = 0;
        fill(&rows[m], q, answers, question_leave_out(&forms, answers, found, top));
        add_left_out(&all, &forms);
    }
    if (status == PSDVEC_OK)
        print(q, rows, &all);
    rows_free(&rows[0]);
    rows_free(&rows[1]);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(q->run, status);
}

static int act(struct run *run)
{
    return question_run(run, ask);
}

const struct command cmd_analogy = {
    .name = "analogy",
    .group = "Queries",
    .summary = "complete an analogy: A is to B as C is to what?",
    .synopsis = "MODEL A B C [OPTION]...",
    .description = PARAGRAPHS(
        "Completes the analogy A is to B as C is to what? It shows the best answers of two "
        "methods side by side with their scores; bars are relative to the best answer. 3CosAdd is "
        "cos(x, B) - cos(x, A) + cos(x, C). 3CosMul is (cos(x, B) + 1) (cos(x, C) + 1) / (cos(x, "
        "A) + 1.001), in which no single term dominates; for PPMI vectors (baseline ppmi) it is "
        "cos(x, B) cos(x, C) / (cos(x, A) + 0.001). Cosines are those of the read-out (see psdvec "
        "convert). All words except A, B and C are compared.",
        "Inflected forms of A, B and C are omitted, unless A and B, or A and C, are themselves "
        "forms of one word, as in walk walked talk; see psdvec similar.",
        "Words are looked up as in psdvec similar, if necessary by their spelling."),
    .sources = {OWN_OPTIONS(top_options), OWN_OPTIONS(spelling_options), QUERY_OPTIONS,
                FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec analogy model.safetensors man king woman", "Man is to king as woman is to what?"},
        {"psdvec analogy model.safetensors man king woman --top 3 --json",
         "JSON output for scripts."}),
    .operands = {4, 4},
    .missing = "give a model and three words",
    .act = act};
