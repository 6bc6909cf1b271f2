/* Questions to a model, and answers. */
#include "question.h"

#include "cell.h"
#include "exit_status.h"
#include "options.h"
#include "phrase.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const psdvec_option top_options[] = {
    WHOLE_OPTION("top", "N", 1, 1000000, .fallback = "10", .group = "The question",
                 .help = "show N words"),
    FLAG_OPTION("forms", .help = "also show forms of the words asked "
                                 "about, such as kings and king's of king"),
    {0}};

const psdvec_option spelling_options[] = {
    REAL_OPTION("spelling", "W", 0, 1, .fallback = "1", .group = "The question",
                .help = "weight of spelling in the vectors: 1 as trained, 0 compares words by "
                        "their contexts alone"),
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
    int code = model_file_open_weighted(run, arguments->operands[0],
                                        argument_real(arguments, "spelling"), &q->model);
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

/* ---- Forms ------------------------------------------------------------------------------ */

/* A stem of three characters in common, or a first letter, and one that differs: man, men. */
static bool spelt_alike(const char *a, const char *b)
{
    size_t common = 0, start = 0;
    for (size_t k = 0; a[k] && a[k] == b[k]; k++)
        common = k + 1;
    for (size_t k = 0; k < common; k++)
        start += ((unsigned char)a[k] & 0xC0) != 0x80;
    return start >= 3 || (common && psdvec_edit_distance(a, strlen(a), b, strlen(b), 1) <= 1);
}

static bool asks_for_a_form(const struct asked *words, const char *signs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (signs[i] == '-' && signs[j] != '-' && spelt_alike(words[i].text, words[j].text))
                return true;
    return false;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int question_forms(const struct question *q, const struct asked *words, const char *signs,
                   size_t count, struct forms *forms)
{
    *forms = (struct forms){0};
    if (argument_flag(q->run->arguments, "forms") ||
        (signs && asks_for_a_form(words, signs, count)))
        return EXIT_FINE;
    for (size_t k = 0; k < count; k++) {
        const char *text = words[k].text;
        size_t length = strlen(text), room = 0, found;
        for (;;) {
            psdvec_status status = psdvec_model_inflections(
                q->run->ctx, q->model, text, length,
                forms->words ? forms->words + forms->count : NULL, room, &found);
            if (status != PSDVEC_OK)
                return run_failed(q->run, status);
            if (found <= room)
                break;
            uint32_t *more = lasting_alloc(forms->count + found, sizeof *more);
            if (forms->count)
                memcpy(more, forms->words, forms->count * sizeof *more);
            forms->words = more;
            room = found;
        }
        forms->count += found;
    }
    if (forms->count)
        qsort(forms->words, forms->count, sizeof *forms->words, by_number);
    forms->left_out = lasting_alloc(forms->count, sizeof *forms->left_out);
    return EXIT_FINE;
}

size_t question_leave_out(struct forms *forms, psdvec_neighbour *answers, size_t found, size_t top)
{
    size_t kept = 0;
    for (size_t k = 0; k < found && kept < top; k++)
        if (forms->count &&
            bsearch(&answers[k].word, forms->words, forms->count, sizeof *forms->words, by_number))
            forms->left_out[forms->left_out_count++] = answers[k].word;
        else
            answers[kept++] = answers[k];
    return kept;
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

void question_left_out(struct show *show, const struct question *q, const struct forms *forms)
{
    struct buffer list = {0}, names = {0};
    for (size_t k = 0; k < forms->left_out_count; k++) {
        struct cell word = model_word_cell(q->model, forms->left_out[k]);
        list_add(&list, word.text, word.length);
        buffer_text(&names, k ? ", " : "");
        cell_for_people(&names, &word, &(const struct column){0});
    }
    if (forms->left_out_count)
        show_note(show, phrase("  %s left out: %s (--forms shows them)",
                               phrase_counted(forms->left_out_count, "form"), names.text));
    show_json(show, "forms_left_out", NULL, list_get(&list));
    buffer_free(&list);
    buffer_free(&names);
}
