/* psdvec similar: the words nearest to a word, or to a sum of words. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "human.h"
#include "model_file.h"
#include "signals.h"
#include "wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD_COLUMNS 26
#define BAR_COLUMNS 24
#define COUNT_COLUMNS 13

static const struct option_spec options[] = {
    {.name = "top",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 1000000,
     .fallback = "10",
     .group = "The question",
     .help = "show N words"},
    {.name = "sum",
     .kind = OPTION_FLAG,
     .help = "one question for all words: what is near to their mean"},
    {.name = "minus",
     .kind = OPTION_TEXTS,
     .argument = "WORD",
     .help = "take this word away from the sum; makes one question of all words"},
    {.name = "tsv",
     .kind = OPTION_FLAG,
     .group = "Showing",
     .help = "print lines of question, word, cosine and count, with tabs between them"},
    {.name = "json", .kind = OPTION_FLAG, .help = "print a JSON object a line for each question"},
    {0}};

static const char *const description[] = {
    "For each WORD, shows the words of MODEL whose vectors have the highest cosine with its own, "
    "with a bar, and how often they stood in the text. All words are compared; nothing is "
    "approximate. MODEL may also be the vectors of another program, see psdvec convert.",
    "A WORD that is not in the model as it is written is looked for as the model's tokeniser "
    "would write it, so Paris finds paris. With --sum or --minus all words make one question: the "
    "sum of their vectors, each brought to length 1. Words of the question are not among the "
    "answers.",
    NULL};

static const struct example examples[] = {
    {"psdvec similar model.safetensors music", "What is like music."},
    {"psdvec similar model.safetensors music art --top 3", "Two questions."},
    {"psdvec similar model.safetensors king woman --minus man",
     "Man is to king as woman is to what?"},
    {"psdvec similar vectors.vec music --json", "From another program's vectors, for a program."},
    {0}};

enum form { FOR_PEOPLE, FOR_TABLES, FOR_PROGRAMS };

/* One question: the words that are added, then those that are taken away. */
struct question {
    const uint32_t *words;
    size_t plus, minus;
};

struct search {
    struct run *run;
    const psdvec_model *model;
    const psdvec_model_info *info;
    enum form form;
    size_t top;
    float *vector; /* dim */
    psdvec_neighbour *answers;
    size_t asked;
};

static void add_unit(const struct search *search, uint32_t word, double sign, double *sum)
{
    uint32_t dim = search->info->dim;
    const float *vector = psdvec_model_vector(search->model, word);
    double square = 0;
    for (uint32_t k = 0; k < dim; k++)
        square += (double)vector[k] * vector[k];
    for (uint32_t k = 0; k < dim && square > 0; k++)
        sum[k] += sign * vector[k] / sqrt(square);
}

static void make_vector(struct search *search, const struct question *q)
{
    uint32_t dim = search->info->dim;
    double *sum = must_alloc(dim, sizeof *sum);
    for (size_t k = 0; k < q->plus + q->minus; k++)
        add_unit(search, q->words[k], k < q->plus ? 1 : -1, sum);
    for (uint32_t k = 0; k < dim; k++)
        search->vector[k] = (float)sum[k];
    free(sum);
}

/* "king + woman - man" */
static void add_question(struct buffer *to, const struct search *search, const struct question *q)
{
    for (size_t k = 0; k < q->plus + q->minus; k++) {
        size_t length;
        const char *word = psdvec_model_word(search->model, q->words[k], &length);
        if (k || q->plus == 0)
            buffer_text(to, k < q->plus ? " + " : k ? " - " : "- ");
        cell_text(to, word, length);
    }
}

static void show(struct buffer *to, const struct search *search, const struct question *q,
                 size_t found)
{
    const struct palette *palette = &search->run->palette;
    buffer_text(to, search->asked ? "\n" : "");
    buffer_text(to, palette->bold);
    add_question(to, search, q);
    buffer_text(to, palette->plain);
    if (search->info->has_counts && q->plus + q->minus == 1) {
        buffer_text(to, "  ");
        human_count(to, psdvec_model_frequency(search->model, q->words[0]));
        buffer_text(to, " times in the text");
    }
    buffer_char(to, '\n');
    for (size_t k = 0; k < found; k++) {
        const psdvec_neighbour *answer = &search->answers[k];
        size_t length;
        const char *word = psdvec_model_word(search->model, answer->word, &length);
        buffer_text(to, "  ");
        cell_add(to, word, length, WORD_COLUMNS, false);
        buffer_format(to, " %s", palette->cyan);
        cell_bar(to, (double)answer->cosine, BAR_COLUMNS, terminal_unicode());
        buffer_format(to, "%s %7.4f", palette->plain, (double)answer->cosine);
        if (search->info->has_counts) {
            struct buffer count = {0};
            human_count(&count, psdvec_model_frequency(search->model, answer->word));
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
        buffer_text(to, "  nothing: its vector has no direction\n");
}

static void tabulate(struct buffer *to, const struct search *search, const struct question *q,
                     size_t found)
{
    for (size_t k = 0; k < found; k++) {
        const psdvec_neighbour *answer = &search->answers[k];
        size_t length;
        const char *word = psdvec_model_word(search->model, answer->word, &length);
        add_question(to, search, q);
        buffer_char(to, '\t');
        cell_text(to, word, length);
        buffer_format(to, "\t%.6f", (double)answer->cosine);
        if (search->info->has_counts)
            buffer_format(to, "\t%" PRIu64, psdvec_model_frequency(search->model, answer->word));
        buffer_char(to, '\n');
    }
}

static void add_words_json(struct buffer *to, const struct search *search, const uint32_t *words,
                           size_t count)
{
    buffer_char(to, '[');
    for (size_t k = 0; k < count; k++) {
        size_t length;
        const char *word = psdvec_model_word(search->model, words[k], &length);
        buffer_text(to, k ? ", " : "");
        buffer_json(to, word, length);
    }
    buffer_char(to, ']');
}

static void add_json(struct buffer *to, const struct search *search, const struct question *q,
                     size_t found)
{
    buffer_text(to, "{\"words\": ");
    add_words_json(to, search, q->words, q->plus);
    buffer_text(to, ", \"minus\": ");
    add_words_json(to, search, q->words + q->plus, q->minus);
    buffer_text(to, ", \"similar\": [");
    for (size_t k = 0; k < found; k++) {
        const psdvec_neighbour *answer = &search->answers[k];
        size_t length;
        const char *word = psdvec_model_word(search->model, answer->word, &length);
        buffer_text(to, k ? ", {\"word\": " : "{\"word\": ");
        buffer_json(to, word, length);
        buffer_format(to, ", \"cosine\": %.6f", (double)answer->cosine);
        if (search->info->has_counts)
            buffer_format(to, ", \"count\": %" PRIu64,
                          psdvec_model_frequency(search->model, answer->word));
        buffer_char(to, '}');
    }
    buffer_text(to, "]}\n");
}

static int ask(struct search *search, const struct question *q)
{
    static void (*const forms[])(struct buffer *, const struct search *, const struct question *,
                                 size_t) = {show, tabulate, add_json};
    size_t found;
    make_vector(search, q);
    psdvec_status status = psdvec_model_similar(search->run->ctx, search->model, search->vector,
                                                q->words, q->plus + q->minus, search->top,
                                                search->answers, &found);
    if (status != PSDVEC_OK)
        return run_failed(search->run, status);
    struct buffer text = {0};
    forms[search->form](&text, search, q, found);
    output_add(&search->run->out, buffer_get(&text), text.length);
    buffer_free(&text);
    search->asked++;
    return EXIT_FINE;
}

/* The words of the command line, those of --minus behind the others. */
static int find_words(struct run *run, const psdvec_model *model, uint32_t *words, size_t plus)
{
    const struct option_value *minus = argument(run->arguments, "minus");
    int code = EXIT_FINE;
    for (size_t k = 0; k < plus && !code; k++)
        code = model_file_find(run, model, run->arguments->operands[k + 1], &words[k]);
    for (size_t k = 0; k < minus->text_count && !code; k++)
        code = model_file_find(run, model, minus->texts[k], &words[plus + k]);
    return code;
}

static int search_all(struct run *run, const psdvec_model *model)
{
    const struct arguments *arguments = run->arguments;
    size_t plus = arguments->operand_count - 1, minus = argument(arguments, "minus")->text_count;
    bool json = argument_flag(arguments, "json"), one = minus || argument_flag(arguments, "sum");
    struct search search = {.run = run,
                            .model = model,
                            .info = psdvec_model_get_info(model),
                            .form = json                              ? FOR_PROGRAMS
                                    : argument_flag(arguments, "tsv") ? FOR_TABLES
                                                                      : FOR_PEOPLE,
                            .top = argument_integer(arguments, "top")};
    if (search.top > search.info->words)
        search.top = search.info->words;
    uint32_t *words = must_alloc(plus + minus, sizeof *words);
    search.vector = must_alloc(search.info->dim, sizeof *search.vector);
    search.answers = must_alloc(search.top, sizeof *search.answers);
    int code = find_words(run, model, words, plus);
    if (one && !code)
        code = ask(&search, &(struct question){words, plus, minus});
    for (size_t k = 0; k < plus && !one && !code && !signals_caught(); k++)
        code = ask(&search, &(struct question){words + k, 1, 0});
    free(words);
    free(search.vector);
    free(search.answers);
    return code;
}

static int act(struct run *run)
{
    psdvec_model *model = NULL;
    if (argument_flag(run->arguments, "json") && argument_flag(run->arguments, "tsv"))
        return run_use_error(run, "--json and --tsv exclude each other");
    int code = model_file_open(run, run->arguments->operands[0], &model);
    if (!code)
        code = search_all(run, model);
    psdvec_model_close(model);
    return code;
}

const struct command cmd_similar = {.name = "similar",
                                    .group = "Vectors",
                                    .summary = "show the words nearest to a word",
                                    .synopsis = "MODEL WORD... [OPTION]...",
                                    .description = description,
                                    .tables = {options, common_options},
                                    .examples = examples,
                                    .least_operands = 2,
                                    .most_operands = SIZE_MAX,
                                    .missing = "say which model to ask, and for which words",
                                    .completes = COMPLETES_FILES,
                                    .act = act};
