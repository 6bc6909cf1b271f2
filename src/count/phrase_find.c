/* Phrase detection: pairs of adjacent words that occur more often than by chance.
 *
 * Each pass counts adjacent pairs with the ordinary counting code and a window of 1, and scores the
 * rows as they arrive. The phrases of a pass are joined in the text of the next one, where they are
 * words themselves; so the second pass finds phrases of up to four words. Counting is exact and
 * stays within the memory budget, and pairs that are not phrases are not stored.
 *
 * Each pass reads the text again, because phrases depend on those joined before.
 */
#include "count/phrase_find.h"

#include "base/file.h"
#include "base/group.h"
#include "base/sort.h"
#include "corpus/connectors.h"
#include "count/count.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct found_phrase {
    size_t text, length; /* in `texts`: words separated by blanks */
    uint64_t count;
    double score;
} found_phrase;

typedef struct search {
    psdvec_context *ctx;
    const psdvec_phrases_options *options;
    pv_scope memory;
    found_phrase *found; /* of all passes */
    size_t count, capacity;
    pv_buffer texts;           /* a line for each of them */
    pv_phrases *joined;        /* from earlier passes */
    pv_connectors *connectors; /* NULL: none */

    const pv_vocabulary *words; /* of this pass */
    uint64_t tokens;            /* N */
    pv_word_index index;        /* of the words, if there are connectors */
    pv_buffer line, scratch;
} search;

/* ---- Scores --------------------------------------------------------------------------------- */

static double score_of(const search *s, uint64_t pair, uint64_t a, uint64_t b)
{
    double n = (double)s->tokens, least = (double)s->options->min_count;
    double expected = (double)a / n * (double)b;
    if (pair < s->options->min_count)
        return -INFINITY;
    if (s->options->score == PSDVEC_PHRASE_WORD2PHRASE)
        return ((double)pair - least) / expected;
    double surprise = -log((double)pair / n);
    return surprise > 0 ? log((double)pair / expected) / surprise : 1;
}

/* Appends the words of a token, which may be a phrase; returns how many. */
static psdvec_status append_words(search *s, const char *word, size_t length, uint32_t *count)
{
    uint32_t i;
    if (pv_phrases_find_joined(s->joined, &s->scratch, word, length, &i))
        word = pv_phrases_words(s->joined, i, &length);
    ++*count;
    for (size_t k = 0; k < length; k++)
        *count += word[k] == ' ';
    return pv_buffer_append(&s->line, word, length);
}

/* Appends the words of the first token of a pair. It may have connectors after a blank, and the
 * part before the blank may be a phrase. *frequency is that of that part. */
static psdvec_status append_first(search *s, uint32_t id, uint32_t *count, uint64_t *frequency)
{
    size_t length;
    const char *word = pv_vocabulary_word(s->words, id, &length);
    const char *blank = s->connectors ? memchr(word, ' ', length) : NULL;
    size_t head = blank ? (size_t)(blank - word) : length;
    *frequency = s->words->frequency[id];
    if (blank) {
        *frequency = pv_word_index_find(&s->index, word, head, &id) ? s->words->frequency[id] : 0;
        for (const char *p = blank; p < word + length; p++)
            *count += *p == ' ';
    }
    PV_TRY(append_words(s, word, head, count));
    return pv_buffer_append(&s->line, word + head, length - head);
}

static psdvec_status take_pair(search *s, uint32_t a, uint32_t b, uint64_t pair)
{
    size_t length;
    uint32_t words = 0;
    uint64_t frequency;
    const char *second = pv_vocabulary_word(s->words, b, &length);
    s->line.length = 0;
    PV_TRY(append_first(s, a, &words, &frequency));
    if (frequency == 0)
        return PSDVEC_OK;
    double score = score_of(s, pair, frequency, s->words->frequency[b]);
    if (!(score > s->options->threshold))
        return PSDVEC_OK;
    PV_TRY(pv_buffer_byte(&s->line, ' '));
    PV_TRY(append_words(s, second, length, &words));
    if (words > s->options->max_words)
        return PSDVEC_OK;
    PV_TRY(PV_RESERVE(&s->memory, s->found, s->capacity, s->count + 1));
    s->found[s->count++] = (found_phrase){
        .text = s->texts.length, .length = s->line.length, .count = pair, .score = score};
    PV_TRY(pv_buffer_append(&s->texts, s->line.data, s->line.length));
    return pv_buffer_byte(&s->texts, '\n');
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Removes pairs that cannot be phrases, in parallel, so that few remain for take_rows. */
static psdvec_status drop_rare(void *self, pv_rows *rows)
{
    const search *s = self;
    size_t from = 0, to = 0;
    bool quick = !s->connectors; /* the frequency of the first word is that of its row */
    for (uint32_t r = 0; r < rows->count; r++) {
        uint32_t kept = 0;
        uint64_t first = s->words->frequency[rows->first + r];
        for (uint32_t k = 0; k < rows->lengths[r]; k++, from++) {
            uint64_t pair = rows->values[from];
            uint32_t b = rows->columns[from];
            if (pair < s->options->min_count ||
                (quick &&
                 !(score_of(s, pair, first, s->words->frequency[b]) > s->options->threshold)))
                continue;
            rows->values[to] = pair;
            rows->columns[to++] = b;
            kept++;
        }
        rows->lengths[r] = kept;
    }
    rows->used = to;
    return PSDVEC_OK;
}

static psdvec_status take_rows(void *self, size_t group, pv_rows *rows)
{
    (void)group;
    search *s = self;
    size_t at = 0;
    for (uint32_t r = 0; r < rows->count; r++)
        for (uint32_t k = 0; k < rows->lengths[r]; k++, at++)
            PV_TRY(take_pair(s, rows->first + r, rows->columns[at], rows->values[at]));
    return PSDVEC_OK;
}

static psdvec_status begin_rows(void *self, const pv_reading *text, pv_row_sink *sink)
{
    search *s = self;
    const pv_vocabulary *v = s->words = &text->vocabulary;
    s->tokens = text->store->total.tokens;
    *sink = (pv_row_sink){.prepare = drop_rare, .take = take_rows, .self = s};
    pv_word_index_free(&s->index);
    if (!s->connectors)
        return PSDVEC_OK;
    uint64_t words[] = {atomic_load(&s->connectors->skipped), atomic_load(&s->connectors->added)};
    PV_TRY(pv_group_add(s->ctx, words, 2));
    s->tokens += words[0] - words[1];
    PV_TRY(pv_word_index_init(&s->index, s->ctx, v->count, v->bytes, v->offsets, "the phrases"));
    pv_word_index_add_all(&s->index, v->count);
    return PSDVEC_OK;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

static psdvec_status run_pass(search *s, const psdvec_text_options *text, const char *const *inputs,
                              size_t input_count, const char *output, const char *folder,
                              uint32_t pass, psdvec_phrases_report *report)
{
    psdvec_count_options count;
    pv_reading read = {0};
    pv_phrases next = {0};
    psdvec_status status;
    size_t before = s->count;
    pv_joining joining = {.phrases = s->joined, .connectors = s->connectors};
    pv_count_part part = {
        .may_be_empty = true, .silent = pass > 0, .joining = &joining, .output = output};
    psdvec_count_options_default(&count);
    count.text = *text;
    count.window = 1;
    count.hold_out = 0;
    count.min_count = s->options->min_count;
    if (s->connectors) {
        atomic_store(&s->connectors->skipped, 0);
        atomic_store(&s->connectors->added, 0);
    }
    status = pv_count_rows(s->ctx, &count, inputs, input_count, folder, part, begin_rows, s, &read);
    if (status == PSDVEC_OK && pass == 0) {
        report->bytes = read.store->total.bytes;
        report->documents = read.store->total.documents;
        report->tokens = s->tokens;
        if (report->tokens == 0)
            status = pv_fail(s->ctx, PSDVEC_ERR_EMPTY,
                             "%s%s: no words in %" PRIu64 " bytes; check that it is text and that "
                             "the tokenizer suits it",
                             strcmp(inputs[0], "-") ? inputs[0] : "standard input",
                             input_count > 1 ? " and the other inputs" : "", report->bytes);
    }
    pv_reading_free(&read);
    PV_TRY(status);
    PV_TRY_DONE(pv_phrases_make(&next, s->ctx, s->texts.data, s->texts.length));
    pv_step(s->ctx, "pass %u: %zu phrases%s", pass + 1, s->count - before, pass ? " more" : "");
done:
    pv_phrases_free(s->joined);
    *s->joined = next;
    return status;
}

static int by_count(const void *a, const void *b, void *texts)
{
    const found_phrase *x = a, *y = b;
    const char *bytes = texts;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    size_t shorter = x->length < y->length ? x->length : y->length;
    int order = memcmp(bytes + x->text, bytes + y->text, shorter);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* Each phrase once, with the count and score of the pass that found it first. */
static psdvec_status put_list(search *s, pv_buffer *list)
{
    bool *listed;
    pv_scope scope = {.ctx = s->ctx, .what = "the list of phrases"};
    psdvec_status status = PSDVEC_OK;
    PV_TAKE_ZERO(&scope, listed, s->joined->count + 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    size_t kept = 0;
    for (size_t k = 0; k < s->count; k++) {
        found_phrase phrase = s->found[k];
        uint32_t i;
        if (!pv_phrases_find_words(s->joined, s->texts.data + phrase.text, phrase.length, &i) ||
            listed[i])
            continue;
        listed[i] = true;
        s->found[kept++] = phrase;
    }
    s->count = kept;
    PV_TRY_DONE(pv_sort(s->ctx, s->found, s->count, sizeof *s->found, by_count, s->texts.data));
    for (size_t k = 0; k < s->count; k++) {
        const found_phrase *phrase = &s->found[k];
        PV_TRY_DONE(pv_buffer_append(list, s->texts.data + phrase->text, phrase->length));
        PV_TRY_DONE(pv_buffer_printf(list, "\t%" PRIu64 "\t%.6g\n", phrase->count, phrase->score));
    }
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_phrases_search(psdvec_context *ctx, const psdvec_phrases_options *options,
                                const psdvec_text_options *text, const char *const *inputs,
                                size_t input_count, const char *output, const char *folder,
                                pv_phrases *phrases, pv_buffer *list, psdvec_phrases_report *report)
{
    pv_connectors connectors = {0};
    psdvec_status status;
    search s = {.ctx = ctx,
                .options = options,
                .memory = {.ctx = ctx, .what = "the phrases found"},
                .texts = {.ctx = ctx},
                .line = {.ctx = ctx},
                .scratch = {.ctx = ctx},
                .joined = phrases};
    PV_TRY_DONE(pv_phrases_make(phrases, ctx, "", 0));
    if (options->connectors_count) {
        PV_TRY_DONE(pv_connectors_make(&connectors, ctx, options->connectors,
                                       options->connectors_count, options->max_words - 2));
        s.connectors = &connectors;
    }
    for (uint32_t pass = 0; pass < options->passes; pass++) {
        size_t before = s.count;
        PV_TRY_DONE(run_pass(&s, text, inputs, input_count, output, folder, pass, report));
        if (s.count == before)
            break;
    }
    if (list)
        PV_TRY_DONE(put_list(&s, list));
    report->phrases = phrases->count;
done:
    pv_connectors_free(&connectors);
    pv_word_index_free(&s.index);
    pv_buffer_free(&s.texts);
    pv_buffer_free(&s.line);
    pv_buffer_free(&s.scratch);
    pv_scope_free(&s.memory);
    return status;
}

/* ---- `phrases` auto -------------------------------------------------------------------------- */

psdvec_status pv_phrases_find_auto(psdvec_context *ctx, const psdvec_text_options *text,
                                   const char *const *inputs, size_t input_count,
                                   const char *output, const char *folder, pv_phrases *phrases)
{
    psdvec_phrases_options options;
    psdvec_phrases_report report = {0};
    psdvec_text_options own = *text;
    own.phrases = NULL;
    psdvec_phrases_options_default(&options);
    PV_TRY(pv_inputs_refuse_once(ctx, inputs, input_count,
                                 "and `phrases` auto reads the text to find phrases before it is "
                                 "counted; save it to a file first, or name a list of phrases"));
    PV_TRY(pv_phrases_search(ctx, &options, &own, inputs, input_count, output, folder, phrases,
                             NULL, &report));
    pv_step(ctx, "%u phrases found in the text", phrases->count);
    return PSDVEC_OK;
}

psdvec_status pv_phrases_on_the_way(pv_partial *partial, psdvec_context *ctx,
                                    const psdvec_text_options *text, const char *const *inputs,
                                    size_t input_count, const char *output, pv_phrases *phrases)
{
    static const char state[] = "phrases";
    pv_st_file *file = NULL;
    const pv_tensor *list;
    psdvec_status status;
    char *folder = NULL;
    *phrases = (pv_phrases){0};
    if (!pv_phrases_auto(text))
        return PSDVEC_OK;
    PV_TRY(pv_partial_load(partial, state, &file));
    if (file) {
        PV_TRY_DONE(pv_state_require(ctx, file, PV_PHRASES_TENSOR, PV_DTYPE_U8, -1, 0, &list));
        PV_TRY_DONE(pv_phrases_make(phrases, ctx, list->data, list->bytes));
        pv_step(ctx, "going on with the %u phrases of an interrupted run", phrases->count);
    } else {
        folder = pv_folder_of(output);
        if (!folder)
            PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory"));
        PV_TRY_DONE(pv_phrases_find_auto(ctx, text, inputs, input_count, output, folder, phrases));
        pv_tensor found = pv_tensor_of(PV_PHRASES_TENSOR, PV_DTYPE_U8, phrases->list.length, 0,
                                       phrases->list.data);
        status = pv_partial_save(partial, state, &found, 1);
    }
done:
    pv_st_close(file);
    free(folder);
    return status;
}
