/* Questions to a model, and answers. */
#include "question.h"

#include "exit_status.h"
#include "options.h"
#include "phrase.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const psdvec_option top_options[] = {WHOLE_OPTION("top", "N", 1, 1000000, .fallback = "10",
                                                  .group = "The question", .help = "show N words"),
                                     {0}};

/* ---- The question ---------------------------------------------------------------------- */

static int find(struct question *q, const char *text, struct asked *asked)
{
    struct buffer token = {0};
    asked->known = model_file_look(q->run, q->model, text, &asked->word, &token);
    asked->text = phrase_of(&token);
    asked->vector = lasting_alloc(q->info->dim, sizeof *asked->vector);
    if (asked->known) {
        psdvec_model_copy(q->model, asked->word, asked->vector);
        q->known[q->known_count++] = asked->word;
        return EXIT_FINE;
    }
    if (!q->info->has_spelling ||
        !psdvec_model_spell(q->model, asked->text, strlen(asked->text), asked->vector))
        return model_file_unknown(q->run, q->model, text);
    return EXIT_FINE;
}

int question_open(struct question *q, struct run *run, const char *const *texts, size_t count)
{
    const struct arguments *arguments = run->arguments;
    *q = (struct question){.run = run};
    int code = model_file_open(run, arguments->operands[0], &q->model);
    if (!code)
        code = model_file_fits(run, q->model, count);
    if (code)
        return code;
    q->info = psdvec_model_get_info(q->model);
    q->words = lasting_alloc(count, sizeof *q->words);
    q->known = lasting_alloc(count, sizeof *q->known);
    for (; q->count < count && !code; q->count++)
        code = find(q, texts[q->count], &q->words[q->count]);
    return code;
}

int question_ask(struct run *run, int (*answer)(struct question *question))
{
    struct question question;
    int code = question_open(&question, run, run->arguments->operands + 1,
                             run->arguments->operand_count - 1);
    return code ? code : answer(&question);
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

/* ---- Showing -------------------------------------------------------------------------- */

void question_nothing(struct show *show, const struct question *q, const char *otherwise)
{
    uint64_t words = argument_integer(q->run->arguments, "restrict");
    show_title(show, words > 0 ? phrase("  nothing among the first %" PRIu64 " words", words)
                               : phrase("  nothing: %s", otherwise));
}

struct cell answer_count(const struct question *q, uint32_t word)
{
    return q->info->has_counts ? whole_cell(psdvec_model_frequency(q->model, word)) : no_cell();
}

void question_remark(struct show *show, const struct asked *words, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const char *text = words[k].text;
        if (words[k].known)
            continue;
        show_title(show, phrase("  %s: not in the model; from its spelling",
                                phrase_safe(text, strlen(text))));
        if (show->form == &show_tsv) /* has no place for it */
            talk_warning(&show->run->talk,
                         phrase("the word '%s' is not in the model; from its spelling", text));
    }
}

void question_spelled(struct show *show, const struct asked *words, size_t count)
{
    struct buffer list = {0};
    for (size_t k = 0; k < count; k++)
        if (!words[k].known)
            list_add(&list, words[k].text, strlen(words[k].text));
    show_json(show, "spelled", NULL, list_get(&list));
    buffer_free(&list);
}
