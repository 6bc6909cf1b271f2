/* Questions to a model, and answers. */
#include "question.h"

#include "cell.h"
#include "exit_status.h"
#include "model_file.h"
#include "options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const psdvec_option top_options[] = {{.name = "top",
                                      .type = PSDVEC_OPTION_UINT64,
                                      .argument = "N",
                                      .least = 1,
                                      .most = 1000000,
                                      .fallback = "10",
                                      .group = "The question",
                                      .help = "show N words"},
                                     {0}};

const psdvec_option form_options[] = {{.name = "tsv",
                                       .type = PSDVEC_OPTION_FLAG,
                                       .group = "Showing",
                                       .help = "print tab-separated values"},
                                      {.name = "json",
                                       .type = PSDVEC_OPTION_FLAG,
                                       .help = "print one JSON object per line and question"},
                                      {0}};

/* ---- The question ---------------------------------------------------------------------- */

void question_warn_spelled(struct question *q, const struct asked *asked)
{
    char *sentence =
        must_format("the word '%s' is not in the model; from its spelling", asked->text);
    talk_warning(&q->run->talk, sentence);
    free(sentence);
}

static int find(struct question *q, const char *text, struct asked *asked)
{
    struct buffer token = {0};
    asked->known = model_file_look(q->run, q->model, text, &asked->word, &token);
    asked->text = must_copy(buffer_get(&token));
    buffer_free(&token);
    asked->vector = must_alloc(q->info->dim, sizeof *asked->vector);
    if (asked->known) {
        psdvec_model_copy(q->model, asked->word, asked->vector);
        q->known[q->known_count++] = asked->word;
        return EXIT_FINE;
    }
    if (!q->info->has_spelling ||
        !psdvec_model_spell(q->model, asked->text, strlen(asked->text), asked->vector))
        return model_file_unknown(q->run, q->model, text);
    if (q->form == FOR_TABLES) /* the others say it with the answer */
        question_warn_spelled(q, asked);
    return EXIT_FINE;
}

int question_open(struct question *q, struct run *run, const char *const *texts, size_t count)
{
    const struct arguments *arguments = run->arguments;
    bool json = argument_flag(arguments, "json"), tsv = argument_flag(arguments, "tsv");
    *q = (struct question){.run = run, .form = json ? FOR_PROGRAMS : tsv ? FOR_TABLES : FOR_PEOPLE};
    if (json && tsv)
        return run_use_error(run, "--json and --tsv exclude each other");
    int code = model_file_open(run, arguments->operands[0], &q->model);
    if (!code)
        code = model_file_fits(run, q->model, count);
    if (code)
        return code;
    q->info = psdvec_model_get_info(q->model);
    q->words = must_alloc(count, sizeof *q->words);
    q->known = must_alloc(count, sizeof *q->known);
    for (; q->count < count && !code; q->count++)
        code = find(q, texts[q->count], &q->words[q->count]);
    return code;
}

int question_ask(struct run *run, int (*answer)(struct question *question))
{
    struct question question;
    int code = question_open(&question, run, run->arguments->operands + 1,
                             run->arguments->operand_count - 1);
    if (!code)
        code = answer(&question);
    question_close(&question);
    return code;
}

void question_close(struct question *q)
{
    for (size_t k = 0; k < q->count; k++) {
        free(q->words[k].text);
        free(q->words[k].vector);
    }
    free(q->words);
    free(q->known);
    psdvec_model_close(q->model);
}

size_t question_top(const struct question *q)
{
    uint64_t top = argument_integer(q->run->arguments, "top");
    return top < q->info->words ? (size_t)top : q->info->words;
}

psdvec_query_options question_options(const struct question *q, const uint32_t *except,
                                      size_t except_count)
{
    psdvec_query_options options;
    psdvec_query_options_default(&options);
    options_apply(q->run, PSDVEC_OPTIONS_QUERY, &options);
    options.except = except;
    options.except_count = except_count;
    return options;
}

void question_nothing(struct buffer *to, const struct question *q, const char *otherwise)
{
    uint64_t words = argument_integer(q->run->arguments, "restrict");
    if (words > 0)
        buffer_format(to, "  nothing among the first %" PRIu64 " words\n", words);
    else
        buffer_format(to, "  nothing: %s\n", otherwise);
}

double question_cosine(const struct question *q, size_t i, size_t j)
{
    const float *a = q->words[i].vector, *b = q->words[j].vector;
    double product = 0, aa = 0, bb = 0;
    for (uint32_t k = 0; k < q->info->dim; k++) {
        product += (double)a[k] * (double)b[k];
        aa += (double)a[k] * (double)a[k];
        bb += (double)b[k] * (double)b[k];
    }
    return aa > 0 && bb > 0 ? product / sqrt(aa) / sqrt(bb) : 0;
}

/* ---- Printing ------------------------------------------------------------------------ */

void add_figure(struct buffer *to, const struct question *q, const char *word, size_t length,
                double figure, double share, size_t word_columns, size_t bar_columns)
{
    const struct palette *palette = &q->run->palette;
    buffer_text(to, "  ");
    cell_add(to, word, length, word_columns, false);
    buffer_format(to, " %s", palette->cyan);
    cell_bar(to, share, bar_columns, terminal_unicode());
    buffer_format(to, "%s %7.4f", palette->plain, figure);
}

void add_answer(struct buffer *to, const struct question *q, const psdvec_neighbour *answer,
                double share, size_t word_columns, size_t bar_columns)
{
    size_t length;
    const char *word = psdvec_model_word(q->model, answer->word, &length);
    add_figure(to, q, word, length, (double)answer->cosine, share, word_columns, bar_columns);
}

void add_answer_tsv(struct buffer *to, const struct question *q, const psdvec_neighbour *answer)
{
    size_t length;
    const char *word = psdvec_model_word(q->model, answer->word, &length);
    cell_text(to, word, length);
    buffer_format(to, "\t%.6f", (double)answer->cosine);
    if (q->info->has_counts)
        buffer_format(to, "\t%" PRIu64, psdvec_model_frequency(q->model, answer->word));
    buffer_char(to, '\n');
}

void add_answers_json(struct buffer *to, const struct question *q, const psdvec_neighbour *answers,
                      size_t count, const char *name)
{
    buffer_char(to, '[');
    for (size_t k = 0; k < count; k++) {
        size_t length;
        const char *word = psdvec_model_word(q->model, answers[k].word, &length);
        buffer_text(to, k ? ", {\"word\": " : "{\"word\": ");
        buffer_json(to, word, length);
        buffer_format(to, ", \"%s\": %.6f", name, (double)answers[k].cosine);
        if (q->info->has_counts)
            buffer_format(to, ", \"count\": %" PRIu64,
                          psdvec_model_frequency(q->model, answers[k].word));
        buffer_char(to, '}');
    }
    buffer_char(to, ']');
}

void add_spelled(struct buffer *to, const struct asked *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!words[k].known) {
            buffer_text(to, "  ");
            cell_text(to, words[k].text, strlen(words[k].text));
            buffer_text(to, ": not in the model; from its spelling\n");
        }
}

void add_spelled_json(struct buffer *to, const struct asked *words, size_t count)
{
    bool first = true;
    buffer_text(to, ", \"spelled\": [");
    for (size_t k = 0; k < count; k++)
        if (!words[k].known) {
            buffer_text(to, first ? "" : ", ");
            buffer_json(to, words[k].text, strlen(words[k].text));
            first = false;
        }
    buffer_char(to, ']');
}

void question_print(struct question *q, struct buffer *text)
{
    output_add(&q->run->out, buffer_get(text), text->length);
    buffer_free(text);
}
