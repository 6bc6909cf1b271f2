/* Questions to a model, and answers. */
#include "question.h"

#include "cell.h"
#include "exit_status.h"
#include "options.h"
#include "phrase.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const psdvec_option top_options[] = {
    WHOLE_OPTION("top", "N", 1, 1000000, .fallback = "10", .group = "Query",
                 .help = "show N words"),
    FLAG_OPTION("forms", .help = "also show inflected forms of the words of the query, such as "
                                 "kings and king's for king"),
    {0}};

const psdvec_option spelling_options[] = {
    REAL_OPTION("spelling", "W", 0, 1, .fallback = "1", .group = "Query",
                .help = "weight of spelling in the vectors: 1 is as trained, 0 compares words by "
                        "their contexts only"),
    {0}};

/* ---- The question ---------------------------------------------------------------------- */

static void add_part(void *user, const char *word, size_t length, uint32_t i)
{
    struct asked *asked = user;
    size_t count = asked->part_count;
    if ((count & (count - 1)) == 0) { /* the array is full: it has room for a power of two */
        struct part *parts = lasting_alloc(count ? 2 * count : 1, sizeof *parts);
        if (count)
            memcpy(parts, asked->parts, count * sizeof *parts);
        asked->parts = parts;
    }
    asked->parts[asked->part_count++] = (struct part){
        .text = phrase("%.*s", (int)length, word), .known = i != PSDVEC_UNKNOWN_WORD, .word = i};
}

size_t asked_words(const struct asked *asked, uint32_t *words)
{
    size_t count = 0;
    for (size_t k = 0; k < asked->part_count; k++)
        if (asked->parts[k].known) {
            if (words)
                words[count] = asked->parts[k].word;
            count++;
        }
    return count;
}

/* The mean of the parts' vectors, each scaled to length 1. Returns false if there is none. */
static bool combine(const struct question *q, struct asked *asked)
{
    uint32_t dim = q->info->dim;
    float *vector = must_alloc(dim, sizeof *vector);
    double *sum = must_alloc(dim, sizeof *sum);
    size_t count = 0;
    for (size_t p = 0; p < asked->part_count; p++) {
        struct part *part = &asked->parts[p];
        double square = 0;
        part->missing =
            !(part->known ? psdvec_model_copy(q->model, part->word, vector)
                          : psdvec_model_spell(q->model, part->text, strlen(part->text), vector));
        count += !part->missing;
        for (uint32_t k = 0; k < dim; k++)
            square += (double)vector[k] * (double)vector[k];
        for (uint32_t k = 0; k < dim && square > 0; k++)
            sum[k] += (double)vector[k] / sqrt(square);
    }
    for (uint32_t k = 0; k < dim && count; k++)
        asked->vector[k] = (float)(sum[k] / (double)count);
    free(vector);
    free(sum);
    return count > 0;
}

/* Whether the tokeniser of the model's text removes digits from a word. */
static bool loses_digits(const struct question *q, const char *text)
{
    psdvec_text_options rules;
    size_t length = strlen(text);
    uint32_t exact;
    if (!strpbrk(text, "0123456789") || !q->info->counts_json ||
        psdvec_model_find(q->model, text, length, &exact))
        return false;
    if (model_file_text(q->run, q->model, &rules))
        return false;
    bool letters = false;
    for (size_t k = 0; k < length; k++)
        letters |= isalpha((unsigned char)text[k]) || (unsigned char)text[k] >= 0x80;
    return rules.tokenizer != PSDVEC_TOKENIZER_WHITESPACE &&
           (rules.digits == PSDVEC_DIGITS_DROP ||
            (rules.digits == PSDVEC_DIGITS_MIXED && !letters));
}

/* Finds words whose spelling is close to an unknown one: one edit, or two in words of eight letters;
 * NULL: none. Returns an exit status. */
static int spelled_almost_like(const struct question *q, const char *text, const char **similar)
{
    uint32_t words[3];
    size_t length = strlen(text), count, letters = 0;
    struct buffer list = {0};
    for (size_t k = 0; k < length; k++)
        letters += ((unsigned char)text[k] & 0xC0) != 0x80;
    uint32_t edits = letters < 3 ? 0 : letters < 8 ? 1 : 2;
    if (!edits)
        return EXIT_FINE;
    psdvec_status status =
        psdvec_model_suggest(q->run->ctx, q->model, text, length, edits, words, 3, &count);
    if (status == PSDVEC_ERR_CANCELLED)
        return run_failed(q->run, status);
    for (size_t k = 0; k < count; k++) {
        struct cell word = model_word_cell(q->model, words[k]);
        buffer_text(&list, k ? ", " : "");
        cell_for_people(&list, &word, &(const struct column){0});
    }
    if (count)
        *similar = phrase_of(&list);
    return EXIT_FINE;
}

static int find(struct question *q, const char *text, struct asked *asked)
{
    size_t length = strlen(text);
    *asked = (struct asked){.text = text};
    asked->vector = lasting_alloc(q->info->dim, sizeof *asked->vector);
    psdvec_status status =
        psdvec_model_find_parts(q->run->ctx, q->model, text, length, add_part, asked);
    if (status != PSDVEC_OK)
        return run_failed(q->run, status);
    for (size_t k = 0; k < asked->part_count; k++) {
        int code = asked->parts[k].known ? model_file_check(q->run, q->model, asked->parts[k].word)
                                         : EXIT_FINE;
        if (code)
            return code;
    }
    bool digits = loses_digits(q, text);
    if (digits && !asked->part_count)
        return run_error(q->run, EXIT_USE,
                         "'%s' is not in the model, whose text was read without digits; to "
                         "include numbers, train with --digits keep",
                         text);
    if (digits)
        asked->remark =
            phrase("%s: the text of this model was read without digits", phrase_safe(text, length));
    if (asked->part_count == 1) {
        asked->text = asked->parts[0].text;
        asked->known = asked->parts[0].known;
        asked->word = asked->parts[0].word;
    }
    if (asked->part_count > 1)
        return combine(q, asked) ? EXIT_FINE : model_file_unknown(q->run, q->model, text);
    if (asked->known) {
        psdvec_model_copy(q->model, asked->word, asked->vector);
        return EXIT_FINE;
    }
    if (!q->info->has_spelling ||
        !psdvec_model_spell(q->model, asked->text, strlen(asked->text), asked->vector))
        return model_file_unknown(q->run, q->model, text);
    asked->spelled = true;
    return spelled_almost_like(q, asked->text, &asked->similar);
}

int question_open(struct question *q, struct run *run, const char *path, const char *const *texts,
                  size_t count, bool lenient)
{
    *q = (struct question){.run = run, .lenient = lenient};
    int code = model_file_open_weighted(run, path, argument_real(run->arguments, "spelling"),
                                        &q->model),
        refused = EXIT_FINE;
    if (!code)
        code = model_file_fits(run, q->model, count);
    if (code)
        return code;
    q->info = psdvec_model_get_info(q->model);
    q->words = lasting_alloc(count, sizeof *q->words);
    for (; q->count < count && !code; q->count++) {
        code = run_check(run);
        if (!code)
            code = find(q, texts[q->count], &q->words[q->count]);
        q->words[q->count].unknown = code != EXIT_FINE;
        q->known_count += asked_words(&q->words[q->count], NULL);
        if (lenient && code == EXIT_USE) {
            refused = code;
            code = EXIT_FINE;
        }
    }
    q->known = lasting_alloc(q->known_count, sizeof *q->known);
    uint32_t *known = q->known;
    for (size_t k = 0; k < q->count; k++)
        known += asked_words(&q->words[k], known);
    return code ? code : refused;
}

int question_run(struct run *run, int (*answer)(struct question *question))
{
    struct question question;
    int code = question_open(&question, run, run->arguments->operands[0],
                             run->arguments->operands + 1, run->arguments->operand_count - 1,
                             false);
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

/* Whether two words share a prefix of three characters, or share the first byte and differ by at
 * most one edit: man, men. */
static bool similar_spelling(const char *a, const char *b)
{
    size_t common = 0, start = 0;
    for (size_t k = 0; a[k] && a[k] == b[k]; k++)
        common = k + 1;
    for (size_t k = 0; k < common; k++)
        start += ((unsigned char)a[k] & 0xC0) != 0x80;
    return start >= 3 || (common && psdvec_edit_distance(a, strlen(a), b, strlen(b), 1) <= 1);
}

static bool is_inflection_query(const struct asked *words, const char *signs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (signs[i] == '-' && signs[j] != '-' &&
                similar_spelling(words[i].text, words[j].text))
                return true;
    return false;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int add_forms(const struct question *q, const char *text, struct forms *forms)
{
    size_t length = strlen(text), found;
    for (;;) {
        size_t room = forms->capacity - forms->count;
        psdvec_status status = psdvec_model_inflections(q->run->ctx, q->model, text, length,
                                                        room ? forms->words + forms->count : NULL,
                                                        room, &found);
        if (status != PSDVEC_OK)
            return run_failed(q->run, status);
        if (found <= room)
            break;
        size_t capacity = 2 * (forms->count + found);
        uint32_t *more = lasting_alloc(capacity, sizeof *more);
        if (forms->count)
            memcpy(more, forms->words, forms->count * sizeof *more);
        forms->words = more;
        forms->capacity = capacity;
    }
    forms->count += found;
    return EXIT_FINE;
}

int question_forms(const struct question *q, const struct asked *words, const char *signs,
                   size_t count, struct forms *forms)
{
    *forms = (struct forms){0};
    if (argument_flag(q->run->arguments, "forms") ||
        (signs && is_inflection_query(words, signs, count)))
        return EXIT_FINE;
    for (size_t k = 0; k < count; k++)
        for (size_t p = 0; p < words[k].part_count; p++) {
            int code = add_forms(q, words[k].parts[p].text, forms);
            if (code)
                return code;
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
    show_title(show, words > 0 ? phrase("  no results among the first %" PRIu64 " words", words)
                               : phrase("  no results: %s", otherwise));
}

struct cell answer_count(const struct question *q, uint32_t word)
{
    return q->info->has_counts ? whole_cell(psdvec_model_frequency(q->model, word)) : no_cell();
}

/* "new, york" */
static const char *part_names(const struct asked *asked)
{
    struct buffer names = {0};
    for (size_t k = 0; k < asked->part_count; k++) {
        const struct part *part = &asked->parts[k];
        if (part->missing)
            continue;
        buffer_text(&names, names.length ? ", " : "");
        cell_text(&names, part->text, strlen(part->text));
        buffer_text(&names, part->known ? "" : " (from its spelling)");
    }
    return phrase_of(&names);
}

/* The k-th remark on a word, NULL after the last; `for_people`: as a line of the answer. */
static const char *remark(const struct asked *asked, size_t k, bool for_people)
{
    const char *text = phrase_safe(asked->text, strlen(asked->text));
    if (asked->remark && k-- == 0)
        return asked->remark;
    if (asked->spelled && k-- == 0)
        return for_people ? phrase("%s: not in the model; vector from its spelling", text)
                          : phrase("the word '%s' is not in the model; its vector comes from its "
                                   "spelling",
                                   text);
    if (asked->similar && k-- == 0)
        return phrase("did you mean %s?", asked->similar);
    if (!asked->known && !asked->spelled && k == 0)
        return phrase("%s: not one word in this model; combined from %s", text, part_names(asked));
    return NULL;
}

void question_warn(const struct question *q, const struct asked *asked)
{
    const char *text;
    for (size_t k = 0; (text = remark(asked, k, false)); k++)
        talk_warning(&q->run->talk, text);
}

void question_remark(struct show *show, const struct asked *words, size_t count)
{
    const char *text;
    for (size_t w = 0; w < count; w++)
        for (size_t k = 0; (text = remark(&words[w], k, true)); k++) {
            show_title(show, phrase("  %s", text));
            if (show->form == &show_tsv) /* has no place for it */
                talk_warning(&show->run->talk, remark(&words[w], k, false));
        }
}

void question_spelled(struct show *show, const struct asked *words, size_t count)
{
    struct buffer list = {0};
    for (size_t k = 0; k < count; k++) {
        struct buffer parts = {0};
        for (size_t p = 0; p < words[k].part_count && !words[k].known && !words[k].spelled; p++)
            if (!words[k].parts[p].missing)
                list_add(&parts, words[k].parts[p].text, strlen(words[k].parts[p].text));
        if (parts.length)
            show_json(show, "combined", NULL, list_get(&parts));
        buffer_free(&parts);
        if (words[k].similar)
            show_data(show, "did_you_mean", text_cell(words[k].similar));
        if (words[k].spelled)
            list_add(&list, words[k].text, strlen(words[k].text));
    }
    show_json(show, "spelled", NULL, list_get(&list));
    buffer_free(&list);
}

void question_left_out(struct show *show, const struct question *q, const struct forms *forms,
                       const char *model)
{
    struct buffer list = {0}, names = {0};
    for (size_t k = 0; k < forms->left_out_count; k++) {
        struct cell word = model_word_cell(q->model, forms->left_out[k]);
        list_add(&list, word.text, word.length);
        buffer_text(&names, k ? ", " : "");
        cell_for_people(&names, &word, &(const struct column){0});
    }
    if (forms->left_out_count)
        show_note(show, phrase("  %s%s%s omitted: %s (--forms shows them)", model ? model : "",
                               model ? ": " : "", phrase_counted(forms->left_out_count, "form"),
                               names.text));
    if (!model)
        show_json(show, "forms_left_out", NULL, list_get(&list));
    buffer_free(&list);
    buffer_free(&names);
}
