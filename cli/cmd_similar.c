/* psdvec similar: the words nearest to a word, or to a sum of words. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "human.h"
#include "question.h"
#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD_COLUMNS 26
#define BAR_COLUMNS 24
#define COUNT_COLUMNS 13
/* Questions that are put at once. */
#define BATCH 256

static const char *const description[] = {
    "For each WORD, lists the words of MODEL with the highest cosine similarity, with a bar and "
    "their frequency in the training text. Cosines are those of the read-out (see psdvec "
    "convert). The search is exact. MODEL may also be vectors of another program.",
    "Words with signs form one query: king -man +woman finds the words nearest to the sum of "
    "their vectors, each scaled to length 1. After MODEL, a dash and one letter is an option if "
    "that option exists; anything longer is a word. Words after -- have no signs. The words of a "
    "query are not among its results.",
    "A WORD that is not in the model is looked up as the model's tokenizer would write it, so "
    "Paris finds paris. If it is still not found, its vector is derived from its spelling, "
    "provided that the model supports it, and the output says so. The columns of --tsv are "
    "question, word, cosine and count.",
    NULL};

static const struct example examples[] = {
    {"psdvec similar model.safetensors music", "The nearest neighbours of music."},
    {"psdvec similar model.safetensors music art --top 3", "Two queries."},
    {"psdvec similar model.safetensors music --restrict 20000",
     "Only among the 20,000 most frequent words."},
    {"psdvec similar model.safetensors king -man +woman",
     "What is to woman as king is to man? See also psdvec analogy."},
    {"psdvec similar vectors.vec music --json",
     "Vectors of another program; JSON output for scripts."},
    {0}};

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
    const psdvec_neighbour *answers; /* to the question that is printed */
    size_t asked;
};

static void add_unit(const float *vector, uint32_t dim, double sign, double *sum)
{
    double square = 0;
    for (uint32_t k = 0; k < dim; k++)
        square += (double)vector[k] * (double)vector[k];
    for (uint32_t k = 0; k < dim && square > 0; k++)
        sum[k] += sign * (double)vector[k] / sqrt(square);
}

static struct sum sum_of(const struct search *search, size_t first, size_t count)
{
    return (struct sum){search->question.words + first, search->signs + first, count};
}

static void make_vector(const struct sum *q, uint32_t dim, float *vector)
{
    double *sum = must_alloc(dim, sizeof *sum);
    for (size_t k = 0; k < q->count; k++)
        add_unit(q->words[k].vector, dim, q->signs[k] == '-' ? -1 : 1, sum);
    for (uint32_t k = 0; k < dim; k++)
        vector[k] = (float)sum[k];
    free(sum);
}

/* "king - man + woman" */
static void add_sum(struct buffer *to, const struct sum *q)
{
    for (size_t k = 0; k < q->count; k++) {
        bool minus = q->signs[k] == '-';
        buffer_text(to, k ? (minus ? " - " : " + ") : minus ? "- " : "");
        cell_text(to, q->words[k].text, strlen(q->words[k].text));
    }
}

static void show(struct buffer *to, const struct search *search, const struct sum *q, size_t found)
{
    const struct question *question = &search->question;
    const struct palette *palette = &question->run->palette;
    bool counted = question->info->has_counts;
    buffer_text(to, search->asked ? "\n" : "");
    buffer_text(to, palette->bold);
    add_sum(to, q);
    buffer_text(to, palette->plain);
    if (counted && q->count == 1 && q->words[0].known) {
        buffer_text(to, "  ");
        human_count(to, psdvec_model_frequency(question->model, q->words[0].word));
        buffer_text(to, " times in the text");
    }
    buffer_char(to, '\n');
    add_spelled(to, q->words, q->count);
    for (size_t k = 0; k < found; k++) {
        const psdvec_neighbour *answer = &search->answers[k];
        add_answer(to, question, answer, (double)answer->cosine, WORD_COLUMNS, BAR_COLUMNS);
        if (counted) {
            struct buffer count = {0};
            human_count(&count, psdvec_model_frequency(question->model, answer->word));
            buffer_format(to, "%s ", palette->dim);
            if (count.length > COUNT_COLUMNS) /* rather a line too long than a number cut off */
                buffer_text(to, count.text);
            else
                cell_add(to, count.text, count.length, COUNT_COLUMNS, true);
            buffer_text(to, palette->plain);
            buffer_free(&count);
        }
        buffer_char(to, '\n');
    }
    if (!found)
        question_nothing(to, question, "its vector has no direction");
}

static void tabulate(struct buffer *to, const struct search *search, const struct sum *q,
                     size_t found)
{
    for (size_t k = 0; k < found; k++) {
        add_sum(to, q);
        buffer_char(to, '\t');
        add_answer_tsv(to, &search->question, &search->answers[k]);
    }
}

static void add_words_json(struct buffer *to, const struct sum *q, bool minus)
{
    bool first = true;
    buffer_char(to, '[');
    for (size_t k = 0; k < q->count; k++) {
        if ((q->signs[k] == '-') != minus)
            continue;
        buffer_text(to, first ? "" : ", ");
        buffer_json(to, q->words[k].text, strlen(q->words[k].text));
        first = false;
    }
    buffer_char(to, ']');
}

static void add_json(struct buffer *to, const struct search *search, const struct sum *q,
                     size_t found)
{
    buffer_text(to, "{\"words\": ");
    add_words_json(to, q, false);
    buffer_text(to, ", \"minus\": ");
    add_words_json(to, q, true);
    buffer_text(to, ", \"similar\": ");
    add_answers_json(to, &search->question, search->answers, found, "cosine");
    add_spelled_json(to, q->words, q->count);
    buffer_text(to, "}\n");
}

static void print(struct search *search, const struct sum *q, size_t found)
{
    static void (*const forms[])(struct buffer *, const struct search *, const struct sum *,
                                 size_t) = {show, tabulate, add_json};
    struct buffer text = {0};
    forms[search->question.form](&text, search, q, found);
    question_print(&search->question, &text);
    search->asked++;
}

/* `count` questions, one after the other in the words of the command line, of `together` words
 * each; all are put at once. */
static int ask(struct search *search, size_t first, size_t count, size_t together)
{
    struct question *question = &search->question;
    size_t words = count * together, dim = question->info->dim, *found, *begin;
    float *vectors = must_alloc(count, dim * sizeof *vectors);
    uint32_t *except = must_alloc(words, sizeof *except);
    psdvec_neighbour *answers = must_alloc(count * search->top, sizeof *answers);
    found = must_alloc(count, sizeof *found);
    begin = must_alloc(count + 1, sizeof *begin);
    size_t excepted = 0;
    for (size_t k = 0; k < count; k++) {
        struct sum q = sum_of(search, first + k * together, together);
        make_vector(&q, question->info->dim, vectors + k * dim);
        for (size_t w = 0; w < together; w++)
            if (q.words[w].known)
                except[excepted++] = q.words[w].word;
        begin[k + 1] = excepted;
    }
    psdvec_query_options options = question_options(question, except, excepted);
    options.except_begin = begin;
    psdvec_status status = psdvec_model_similar_many(question->run->ctx, question->model, vectors,
                                                     count, &options, search->top, answers, found);
    for (size_t k = 0; status == PSDVEC_OK && k < count; k++) {
        struct sum q = sum_of(search, first + k * together, together);
        search->answers = answers + k * search->top;
        print(search, &q, found[k]);
    }
    free(vectors);
    free(except);
    free(answers);
    free(found);
    free(begin);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(question->run, status);
}

static int search_all(struct search *search, bool one)
{
    const struct question *question = &search->question;
    int code = EXIT_FINE;
    search->top = question_top(question);
    size_t together = one ? question->count : 1, all = question->count / together;
    for (size_t k = 0; k < all && !code && !signals_caught(); k += BATCH)
        code = ask(search, k * together, all - k < BATCH ? all - k : BATCH, together);
    return code;
}

static int act(struct run *run)
{
    struct search search = {0};
    size_t count = run->arguments->operand_count - 1;
    const char **texts = must_alloc(count, sizeof *texts);
    bool one = false;
    search.signs = must_alloc(count, 1);
    for (size_t k = 0; k < count; k++) {
        search.signs[k] = argument_sign(run->arguments, k + 1, &texts[k]);
        one |= search.signs[k] != 0;
    }
    int code = question_open(&search.question, run, texts, count);
    if (!code)
        code = search_all(&search, one);
    question_close(&search.question);
    free(search.signs);
    free(texts);
    return code;
}

const struct command cmd_similar = {
    .name = "similar",
    .group = "Asking a model",
    .summary = "list the nearest neighbours of a word",
    .synopsis = "MODEL [+|-]WORD... [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(top_options), QUERY_OPTIONS, OWN_OPTIONS(form_options), COMMON_OPTIONS},
    .examples = examples,
    .least_operands = 2,
    .most_operands = SIZE_MAX,
    .missing = "say which model to ask, and for which words",
    .signed_operands = true,
    .completes = PSDVEC_PATH_FILE,
    .act = act};
