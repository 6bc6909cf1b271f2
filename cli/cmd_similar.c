/* psdvec similar: the words nearest to a word, or to a sum of words. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "question.h"
#include "system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Questions that are put at once. */
#define BATCH 256

/* One question: some of the words, each added or taken away. */
struct sum {
    const struct asked *words;
    const char *signs; /* '-', '+', or 0 for none, which is + */
    size_t count;
};

struct search {
    struct question question;
    char *signs; /* one for each word */
    size_t top;
    struct show show;
};

static struct sum sum_of(const struct search *search, size_t first, size_t count)
{
    return (struct sum){search->question.words + first, search->signs + first, count};
}

static void make_vector(const struct sum *q, uint32_t dim, float *vector)
{
    double *sum = must_alloc(dim, sizeof *sum);
    for (size_t w = 0; w < q->count; w++) {
        const float *of = q->words[w].vector;
        double square = 0, sign = q->signs[w] == '-' ? -1 : 1;
        for (uint32_t k = 0; k < dim; k++)
            square += (double)of[k] * (double)of[k];
        for (uint32_t k = 0; k < dim && square > 0; k++)
            sum[k] += sign * (double)of[k] / sqrt(square);
    }
    for (uint32_t k = 0; k < dim; k++)
        vector[k] = (float)sum[k];
    free(sum);
}

/* "king - man + woman" */
static const char *sum_text(const struct sum *q)
{
    struct buffer text = {0};
    for (size_t k = 0; k < q->count; k++) {
        bool minus = q->signs[k] == '-';
        buffer_text(&text, k ? (minus ? " - " : " + ") : minus ? "- " : "");
        cell_text(&text, q->words[k].text, strlen(q->words[k].text));
    }
    return phrase_of(&text);
}

/* The words that are added, or those that are taken away. */
static void show_words(struct show *show, const struct sum *q, const char *name, bool minus)
{
    struct buffer list = {0};
    for (size_t k = 0; k < q->count; k++)
        if ((q->signs[k] == '-') == minus)
            list_add(&list, q->words[k].text, strlen(q->words[k].text));
    show_json(show, name, NULL, list_get(&list));
    buffer_free(&list);
}

static const struct column columns[] = {
    QUESTION_COLUMNS("cosine"),
    {.name = "count", .heading = "count", .right = true, .gap = 1, .width = 13, .style = DIM}};

static void print(struct search *search, const struct sum *q, const psdvec_neighbour *answers,
                  size_t found, const struct forms *forms)
{
    const struct question *question = &search->question;
    struct show *show = &search->show;
    bool counted = question->info->has_counts;
    struct rows rows = {.name = "similar",
                        .columns = columns,
                        .column_count = sizeof columns / sizeof *columns - !counted,
                        .bare = true};
    const char *sum = sum_text(q), *frequency = "";
    if (counted && q->count == 1 && q->words[0].known)
        frequency = phrase("  %s times in the text",
                           phrase_count(psdvec_model_frequency(question->model, q->words[0].word)));
    show_open(show);
    show_title(show, phrase(STYLE_BOLD "%s" STYLE_PLAIN "%s", sum, frequency));
    question_remark(show, q->words, q->count);
    show_words(show, q, "words", false);
    show_words(show, q, "minus", true);
    for (size_t k = 0; k < found; k++) {
        double cosine = (double)answers[k].cosine;
        rows_add(&rows, text_cell(sum), model_word_cell(question->model, answers[k].word),
                 bar_cell(cosine), real_cell(cosine), answer_count(question, answers[k].word));
    }
    if (!found)
        question_nothing(show, question, "its vector has no direction");
    show_rows(show, &rows);
    question_left_out(show, question, forms);
    question_spelled(show, q->words, q->count);
    show_close(show);
    show_flush(show);
}

/* `count` questions, one after the other in the words of the command line, of `together` words
 * each; all are put at once. So many answers are asked for that enough are left without forms. */
static int ask(struct search *search, size_t first, size_t count, size_t together)
{
    struct question *question = &search->question;
    size_t mark = lasting_count(), dim = question->info->dim, *found, *begin;
    float *vectors = lasting_alloc(count, dim * sizeof *vectors);
    uint32_t *except = lasting_alloc(question->known_count, sizeof *except);
    struct forms *forms = lasting_alloc(count, sizeof *forms);
    found = lasting_alloc(count, sizeof *found);
    begin = lasting_alloc(count + 1, sizeof *begin);
    size_t excepted = 0, most_forms = 0;
    int code = EXIT_FINE;
    for (size_t k = 0; k < count && !code; k++) {
        struct sum q = sum_of(search, first + k * together, together);
        make_vector(&q, question->info->dim, vectors + k * dim);
        for (size_t w = 0; w < together; w++)
            excepted += asked_words(&q.words[w], except + excepted);
        begin[k + 1] = excepted;
        code = question_forms(question, q.words, q.signs, q.count, &forms[k]);
        most_forms = forms[k].count > most_forms ? forms[k].count : most_forms;
    }
    size_t most = search->top + most_forms;
    if (most > question->info->words)
        most = question->info->words;
    psdvec_neighbour *answers = lasting_alloc(count * most, sizeof *answers);
    psdvec_query_options options = question_options(question, except, excepted);
    options.except_begin = begin;
    if (!code) {
        psdvec_status status = psdvec_model_similar_many(
            question->run->ctx, question->model, vectors, count, &options, most, answers, found);
        code = status == PSDVEC_OK ? EXIT_FINE : run_failed(question->run, status);
    }
    for (size_t k = 0; k < count && !code; k++) {
        struct sum q = sum_of(search, first + k * together, together);
        size_t kept = question_leave_out(&forms[k], answers + k * most, found[k], search->top);
        print(search, &q, answers + k * most, kept, &forms[k]);
    }
    lasting_end(mark);
    return code;
}

static int act(struct run *run)
{
    struct search search = {0};
    size_t count = run->arguments->operand_count - 1;
    const char **texts = lasting_alloc(count, sizeof *texts);
    bool one = false;
    search.signs = lasting_alloc(count, 1);
    for (size_t k = 0; k < count; k++) {
        search.signs[k] = argument_sign(run->arguments, k + 1, &texts[k]);
        one |= search.signs[k] != 0;
    }
    int code = question_open(&search.question, run, texts, count);
    show_start(&search.show, run, false);
    size_t together = one ? count : 1, all = count / together;
    if (!code)
        search.top = question_top(&search.question);
    for (size_t k = 0; k < all && !code && !signals_caught(); k += BATCH)
        code = ask(&search, k * together, all - k < BATCH ? all - k : BATCH, together);
    show_end(&search.show);
    return code;
}

const struct command cmd_similar = {
    .name = "similar",
    .group = "Asking a model",
    .summary = "list the nearest neighbours of a word",
    .synopsis = "MODEL [+|-]WORD... [OPTION]...",
    .description = PARAGRAPHS(
        "For each WORD, lists the words of MODEL with the highest cosine similarity, with a bar "
        "and their frequency in the training text. Cosines are those of the read-out (see psdvec "
        "convert). The search is exact. MODEL may also be vectors of another program.",
        "Words with signs form one query: king -man +woman finds the words nearest to the sum of "
        "their vectors, each scaled to length 1. Signs may also stand alone: king - man + woman. "
        "A dash and one letter is always an option, and so is -top 3, the name of an option with "
        "a value: write the sign alone (- n) to subtract such a word. Words after -- have no "
        "signs. The words of a query are not among its results.",
        "Forms of the words of a query, such as kings and king's of king, are left out, and the "
        "output says which; --forms shows them. A form is the same word but for a pair of endings "
        "that is frequent in the model's vocabulary, in any language. If the query itself is about "
        "forms, as walked -walk +talk, they are kept. --spelling changes the weight of spelling "
        "in the comparison without training the model again.",
        "A WORD that is not in the model is looked up as the model's tokenizer would write it, so "
        "Paris finds paris. Several words in one argument, such as 'New York', or unsegmented "
        "Chinese, are looked up as one word, with underscores or hyphens between the parts too; "
        "otherwise the vectors of the parts, each scaled to length 1, are averaged. A word that is "
        "still not found gets a vector from its spelling, provided that the model supports it. "
        "The output says so, and suggests words that are spelled almost the same."),
    .sources = {OWN_OPTIONS(top_options), OWN_OPTIONS(spelling_options), QUERY_OPTIONS,
                FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec similar model.safetensors music", "The nearest neighbours of music."},
                 {"psdvec similar model.safetensors music art --top 3", "Two queries."},
                 {"psdvec similar model.safetensors music --restrict 20000",
                  "Only among the 20,000 most frequent words."},
                 {"psdvec similar model.safetensors king -man +woman",
                  "What is to woman as king is to man? See also psdvec analogy."},
                 {"psdvec similar model.safetensors music --spelling 0 --forms",
                  "By the contexts of words alone; with forms of music."},
                 {"psdvec similar vectors.vec music --json",
                  "Vectors of another program; JSON output for scripts."}),
    .operands = {2, SIZE_MAX},
    .missing = "say which model to ask, and for which words",
    .signed_operands = true,
    .act = act};
