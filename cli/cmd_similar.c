/* psdvec similar: the nearest neighbours of a word or of a sum of words. */
#include "cell.h"
#include "commands.h"
#include "eval.h"
#include "exit_status.h"
#include "phrase.h"
#include "question.h"
#include "system.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Queries that are answered at once. */
#define BATCH 256

/* One query: a sum of words, each added or subtracted. */
struct sum {
    const struct asked *words;
    const char *signs; /* '-', '+', or 0 for none, which is + */
    size_t count;
};

/* The answers of one model to one query. */
struct result {
    psdvec_neighbour *answers;
    size_t count;
    struct forms forms;
    bool unknown; /* the model lacks one of the words */
};

struct search {
    struct run *run;
    struct question *questions; /* one per model, with the same words */
    const char **names;         /* of the models */
    size_t model_count;
    char *signs;   /* one per word */
    size_t *begin; /* query q is the words begin[q] to begin[q + 1] - 1 */
    size_t query_count;
    struct show show;
};

static struct sum sum_of(const struct search *search, const struct question *question, size_t q)
{
    size_t first = search->begin[q];
    return (struct sum){question->words + first, search->signs + first,
                        search->begin[q + 1] - first};
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

/* Shows the words that are added, or those that are subtracted. */
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
    {.name = "count", .heading = "count", .right = true, .gap = 1, .width = 13, .style = DIM},
    COLUMN("spread", NULL, .where = IN_JSON, .exact = -6)};

/* Words of the core have none. */
static struct cell answer_spread(const struct question *q, uint32_t word)
{
    double spread = psdvec_model_spread(q->model, word);
    return spread > 0 ? real_cell(spread) : no_cell();
}

static void print(struct search *search, const struct sum *q, const psdvec_neighbour *answers,
                  size_t found, const struct forms *forms)
{
    const struct question *question = &search->questions[0];
    struct show *show = &search->show;
    bool counted = question->info->has_counts, spread = counted && question->info->has_spread;
    struct rows rows = {.name = "similar",
                        .columns = columns,
                        .column_count = sizeof columns / sizeof *columns - !counted - !spread,
                        .bare = true};
    const char *sum = sum_text(q), *frequency = "";
    if (counted && q->count == 1 && q->words[0].known)
        frequency = phrase("  %s occurrences",
                           phrase_count(psdvec_model_frequency(question->model, q->words[0].word)));
    show_open(show);
    show_title(show, phrase(STYLE_BOLD "%s" STYLE_PLAIN "%s", sum, frequency));
    question_remark(show, q->words, q->count);
    show_words(show, q, "words", false);
    show_words(show, q, "minus", true);
    for (size_t k = 0; k < found; k++) {
        double cosine = (double)answers[k].cosine;
        rows_add(&rows, text_cell(sum), model_word_cell(question->model, answers[k].word),
                 bar_cell(cosine), real_cell(cosine), answer_count(question, answers[k].word),
                 answer_spread(question, answers[k].word));
    }
    if (!found)
        question_nothing(show, question, "the vector is zero");
    show_rows(show, &rows);
    question_left_out(show, question, forms, NULL);
    question_spelled(show, q->words, q->count);
    show_close(show);
    show_flush(show);
}

/* ---- Several models side by side ---------------------------------------------------------- */

/* The number of models whose answers contain the same word. */
static size_t models_with(const struct search *search, const struct result *results, size_t stride,
                          size_t model, uint32_t word)
{
    size_t length, count = 0;
    const char *text = psdvec_model_word(search->questions[model].model, word, &length);
    for (size_t m = 0; m < search->model_count; m++) {
        const struct result *r = &results[m * stride];
        for (size_t k = 0; k < r->count; k++) {
            size_t other_length;
            const char *other =
                psdvec_model_word(search->questions[m].model, r->answers[k].word, &other_length);
            if (other_length == length && memcmp(text, other, length) == 0) {
                count++;
                break;
            }
        }
    }
    return count;
}

static const struct column data_columns[] = {COLUMN("question", NULL, .where = IN_TSV),
                                             DATA("model"),
                                             DATA("word"),
                                             NUMBERS("cosine", NULL, 4, 6),
                                             DATA("count"),
                                             DATA("models")};

/* Adds the remarks on the words in model m, unless they were made for another model. */
static void remark_once(struct search *search, const struct sum *q, const struct result *results,
                        size_t stride, size_t m)
{
    size_t first = (size_t)(q->words - search->questions[0].words);
    const struct asked *words = search->questions[m].words + first;
    for (size_t w = 0; w < q->count; w++) {
        bool said = false;
        for (size_t other = 0; other < m && !said; other++) {
            const struct asked *before = &search->questions[other].words[first + w];
            said = !results[other * stride].unknown && before->known == words[w].known &&
                   before->spelled == words[w].spelled && before->part_count == words[w].part_count;
        }
        if (!said)
            question_remark(&search->show, &words[w], 1);
    }
}

/* results[m * stride]: of model m. */
static void print_side_by_side(struct search *search, const struct sum *q,
                               const struct result *results, size_t stride)
{
    struct show *show = &search->show;
    size_t models = search->model_count, longest = 0, shared = 0;
    size_t width = (show->width - 2) / models > 16 ? (show->width - 2) / models - 2 : 14;
    struct column *side = lasting_alloc(3 * models, sizeof *side);
    struct rows wide = {.where = FOR_PEOPLE, .columns = side, .column_count = 3 * models},
                data = ROWS("similar", FOR_PROGRAMS, data_columns);
    const char *sum = sum_text(q);
    show_open(show);
    show_title(show, phrase(STYLE_BOLD "%s", sum));
    show_words(show, q, "words", false);
    show_words(show, q, "minus", true);
    for (size_t m = 0; m < models; m++) {
        const struct result *r = &results[m * stride];
        side[3 * m] = (struct column)COLUMN(NULL, search->names[m], .gap = 2,
                                            .width = width > 30 ? 22 : width - 9);
        side[3 * m + 1] = (struct column){.heading = "", .width = 1};
        side[3 * m + 2] = (struct column)NUMBERS(NULL, "cosine", 4, 6, .gap = 1, .width = 7);
        longest = r->count > longest ? r->count : longest;
        if (r->unknown)
            show_title(show, phrase("  %s: not in this model", search->names[m]));
        else
            remark_once(search, q, results, stride, m);
    }
    for (size_t k = 0; k < longest; k++) {
        rows_add_cells(&wide, NULL, 0);
        for (size_t m = 0; m < models; m++) {
            const struct result *r = &results[m * stride];
            const struct question *question = &search->questions[m];
            if (k >= r->count) {
                for (size_t c = 0; c < 3; c++)
                    rows_more(&wide, text_cell(""));
                continue;
            }
            uint32_t word = r->answers[k].word;
            bool all = models_with(search, results, stride, m, word) == models;
            shared += all && m == 0;
            struct cell cell = model_word_cell(question->model, word);
            rows_more(&wide, all ? styled_as(cell, GREEN) : cell);
            rows_more(&wide, text_cell(all ? "=" : ""));
            rows_more(&wide, real_cell((double)r->answers[k].cosine));
        }
    }
    for (size_t m = 0; m < models; m++)
        for (size_t k = 0; k < results[m * stride].count; k++) {
            const psdvec_neighbour *answer = &results[m * stride].answers[k];
            const struct question *question = &search->questions[m];
            rows_add(&data, text_cell(sum), text_cell(search->names[m]),
                     model_word_cell(question->model, answer->word),
                     real_cell((double)answer->cosine), answer_count(question, answer->word),
                     whole_cell(models_with(search, results, stride, m, answer->word)));
        }
    show_rows(show, &wide);
    show_rows(show, &data);
    show_note(show, phrase("  = in the results of all models: %zu of %zu", shared, longest));
    for (size_t m = 0; m < models; m++)
        question_left_out(show, &search->questions[m], &results[m * stride].forms,
                          search->names[m]);
    show_close(show);
    show_flush(show);
}

/* ---- Questions ------------------------------------------------------------------------------ */

/* The answers of a model to `count` queries, computed at once. More are requested than shown, so
 * that enough are left after inflected forms are removed. */
static int answer(struct search *search, struct question *question, size_t first, size_t count,
                  struct result *results)
{
    size_t dim = question->info->dim, excepted = 0, most_forms = 0, top = question_top(question);
    float *vectors = lasting_alloc(count, dim * sizeof *vectors);
    uint32_t *except = lasting_alloc(question->known_count, sizeof *except);
    size_t *found = lasting_alloc(count, sizeof *found);
    size_t *begin = lasting_alloc(count + 1, sizeof *begin);
    for (size_t k = 0; k < count; k++) {
        struct sum q = sum_of(search, question, first + k);
        begin[k + 1] = excepted;
        for (size_t w = 0; w < q.count; w++)
            results[k].unknown |= q.words[w].unknown;
        if (results[k].unknown)
            continue; /* a zero vector has no neighbours */
        make_vector(&q, question->info->dim, vectors + k * dim);
        for (size_t w = 0; w < q.count; w++)
            excepted += asked_words(&q.words[w], except + excepted);
        begin[k + 1] = excepted;
        int code = question_forms(question, q.words, q.signs, q.count, &results[k].forms);
        if (code)
            return code;
        most_forms = results[k].forms.count > most_forms ? results[k].forms.count : most_forms;
    }
    size_t most = top + most_forms < question->info->words ? top + most_forms
                                                           : question->info->words;
    psdvec_neighbour *answers = lasting_alloc(count * most, sizeof *answers);
    psdvec_query_options options = question_options(question, except, excepted);
    options.except_begin = begin;
    psdvec_status status = psdvec_model_similar_many(search->run->ctx, question->model, vectors,
                                                     count, &options, most, answers, found);
    if (status != PSDVEC_OK)
        return run_failed(search->run, status);
    for (size_t k = 0; k < count; k++) {
        results[k].answers = answers + k * most;
        results[k].count = question_leave_out(&results[k].forms, results[k].answers, found[k], top);
    }
    return EXIT_FINE;
}

static int ask(struct search *search, size_t first, size_t count)
{
    size_t mark = lasting_count();
    struct result *results = lasting_alloc(search->model_count * count, sizeof *results);
    int code = EXIT_FINE;
    for (size_t m = 0; m < search->model_count && !code; m++)
        code = answer(search, &search->questions[m], first, count, results + m * count);
    for (size_t k = 0; k < count && !code; k++) {
        struct sum q = sum_of(search, &search->questions[0], first + k);
        if (search->model_count > 1)
            print_side_by_side(search, &q, results + k, count);
        else if (!results[k].unknown)
            print(search, &q, results[k].answers, results[k].count, &results[k].forms);
    }
    lasting_end(mark);
    return code;
}

/* ---- The command line and files -------------------------------------------------------------- */

struct texts {
    const char **list;
    char *signs;
    size_t *begin;
    size_t count, queries;
};

static void add_text(struct texts *texts, const char *text, char sign, bool begins)
{
    texts->list = must_grow(texts->list, texts->count + 1, sizeof *texts->list);
    texts->signs = must_grow(texts->signs, texts->count + 1, 1);
    if (begins || !texts->queries) {
        texts->begin = must_grow(texts->begin, texts->queries + 2, sizeof *texts->begin);
        texts->begin[texts->queries++] = texts->count;
    }
    texts->list[texts->count] = text;
    texts->signs[texts->count++] = sign;
    texts->begin[texts->queries] = texts->count;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A line of --from: words with signs are one sum, as on the command line; otherwise the complete
 * line is one query. */
static void add_line(struct texts *texts, char *line)
{
    char *end = line + strlen(line);
    while (end > line && is_blank(end[-1]))
        *--end = '\0';
    while (is_blank(*line))
        line++;
    if (!*line)
        return;
    bool begins = true;
    for (char *at = line; *at;) {
        char sign = (*at == '-' || *at == '+') && at[1] ? *at : 0;
        char *word = at += sign != 0;
        while (sign && is_blank(*word))
            word = ++at;
        /* Up to a sign after a blank. */
        while (*at && !(is_blank(*at) && (at[1] == '-' || at[1] == '+')))
            at++;
        if (*at)
            *at++ = '\0';
        if (*word)
            add_text(texts, word, sign, begins);
        begins = false;
    }
}

static int add_file(struct run *run, struct texts *texts, const char *path)
{
    size_t length;
    if (!strcmp(path, "-"))
        run_announce_terminal(run);
    char *text = run_read(run, "", path, &length);
    if (!text)
        return run->refusal;
    lasting(text, free); /* the queries are in it */
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        add_line(texts, line);
    }
    return EXIT_FINE;
}

static int read_queries(struct run *run, size_t models, struct texts *texts)
{
    const struct arguments *arguments = run->arguments;
    const char *from = argument_text(arguments, "from"), *word;
    bool together = false;
    for (size_t k = models; k < arguments->operand_count; k++)
        together |= argument_sign(arguments, k, &word) != 0;
    for (size_t k = models; k < arguments->operand_count; k++) {
        char sign = argument_sign(arguments, k, &word);
        add_text(texts, word, sign, !together || k == models);
    }
    if (from)
        return add_file(run, texts, from);
    if (!texts->count)
        return run_use_error(run, "give a model and one or more words");
    return EXIT_FINE;
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    struct search search = {.run = run};
    struct texts texts = {0};
    size_t models = 1;
    int code = EXIT_FINE, refused = EXIT_FINE;
    while (!run->only_open && models < arguments->operand_count &&
           models < arguments->unsigned_from && eval_file_is_model(arguments->operands[models]))
        models++;
    code = read_queries(run, models, &texts);
    search.questions = lasting_alloc(models, sizeof *search.questions);
    search.names = lasting_alloc(models, sizeof *search.names);
    for (size_t m = 0; m < models && !code; m++) {
        code = question_open(&search.questions[m], run, arguments->operands[m], texts.list,
                             texts.count, models > 1 || argument_text(arguments, "from"));
        if (code == EXIT_USE && search.questions[m].lenient && search.questions[m].words) {
            refused = code;
            code = EXIT_FINE;
        }
        search.names[search.model_count++] = name_of_file(arguments->operands[m]);
    }
    names_differ(search.names, arguments->operands, search.model_count);
    search.signs = texts.signs;
    search.begin = texts.begin;
    search.query_count = texts.queries;
    show_start(&search.show, run, false);
    /* A server lets requests finish after a signal. */
    for (size_t k = 0; k < texts.queries && !code && (run->only_open || !signals_caught());
         k += BATCH)
        code = ask(&search, k, texts.queries - k < BATCH ? texts.queries - k : BATCH);
    show_end(&search.show);
    free(texts.list);
    free(texts.signs);
    free(texts.begin);
    return code ? code : refused;
}

static const psdvec_option from_options[] = {
    FILE_OPTION("from", .group = "Query",
                .help = "read queries from FILE, one per line; - is standard input"),
    {0}};

const struct command cmd_similar = {
    .name = "similar",
    .group = "Queries",
    .summary = "list the nearest neighbours of a word",
    .synopsis = "MODEL... [+|-]WORD... [OPTION]...",
    .description = PARAGRAPHS(
        "For each WORD, lists the words of MODEL with the highest cosine similarity, with a bar "
        "and their frequency in the training text. Cosines are those of the read-out (see psdvec "
        "convert). The search is exact. MODEL may also be vectors of another program.",
        "Words with signs form one query: king -man +woman finds the words nearest to the sum of "
        "their vectors, each scaled to length 1. Signs may also be separate arguments: king - man "
        "+ woman. A dash and one letter is always an option, and so is a dash and the name of an "
        "option with a value, such as -top 3: write the sign separately (- n) to subtract such a "
        "word. Words after -- have no signs. The words of a query are not among its results.",
        "Inflected forms of the words of a query, such as kings and king's for king, are omitted, "
        "and the output names them; --forms shows them. A form differs from a word only by a pair "
        "of endings that is frequent in the model's vocabulary, in any language. If the query "
        "itself is about forms, as in walked -walk +talk, they are kept. --spelling changes the "
        "weight of spelling in the comparison without retraining.",
        "Several models are shown side by side; words that are in the results of all of them are "
        "marked with =. An argument is a model if it is the name of a file that looks like "
        "vectors. If a word is missing from one of the models, that model has no results for it.",
        "A WORD that is not in the model is looked up as the model's tokenizer would write it, so "
        "Paris finds paris. Several words in one argument, such as 'New York', or unsegmented "
        "Chinese, are looked up as one word, with underscores or hyphens between the parts too; "
        "otherwise the vectors of the parts, each scaled to length 1, are averaged. A word that is "
        "still not found gets a vector from its spelling, provided that the model supports it. "
        "The output says so, and suggests words that are spelled almost the same."),
    .sources = {OWN_OPTIONS(top_options), OWN_OPTIONS(from_options), OWN_OPTIONS(spelling_options),
                QUERY_OPTIONS, FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec similar model.safetensors music", "The nearest neighbours of music."},
                 {"psdvec similar model.safetensors music art --top 3", "Two queries."},
                 {"psdvec similar model.safetensors music --restrict 20000",
                  "Only among the 20,000 most frequent words."},
                 {"psdvec similar model.safetensors king -man +woman",
                  "What is to woman as king is to man? See also psdvec analogy."},
                 {"psdvec similar model.safetensors music --spelling 0 --forms",
                  "Compare words by their contexts only, and show forms of music."},
                 {"psdvec similar model.safetensors vectors.vec music", "Two models side by side."},
                 {"psdvec similar books.safetensors --from words.txt --min-frequency 2 --tsv",
                  "One query per line of a file; only results that occur at least twice."},
                 {"psdvec similar vectors.vec music --json",
                  "Vectors of another program; JSON output for scripts."}),
    .operands = {1, SIZE_MAX},
    .missing = "give a model and one or more words",
    .signed_operands = true,
    .act = act};
