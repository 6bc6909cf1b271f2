/* The reference counter. */
#include "support/reference_counter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t unknown = UINT32_MAX;

static void *need(void *block)
{
    if (!block)
        abort();
    return block;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 29;
}

/* ---- Words by their bytes -------------------------------------------------------------------- */

static uint32_t *word_slot(ref_counts *c, const char *text, size_t length)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    for (size_t i = hash % c->slot_count;; i = (i + 1) % c->slot_count) {
        uint32_t number = c->slots[i];
        if (number == 0 || (c->words[number - 1].length == length &&
                            memcmp(c->words[number - 1].text, text, length) == 0))
            return &c->slots[i];
    }
}

static void grow_words(ref_counts *c)
{
    c->word_capacity = c->word_capacity ? 2 * c->word_capacity : 1024;
    c->words = need(realloc(c->words, c->word_capacity * sizeof *c->words));
    c->slot_count = 2 * c->word_capacity + 1;
    free(c->slots);
    c->slots = need(calloc(c->slot_count, sizeof *c->slots));
    for (size_t i = 0; i < c->word_count; i++)
        *word_slot(c, c->words[i].text, c->words[i].length) = (uint32_t)i + 1;
}

static uint32_t word_number(ref_counts *c, const char *text, size_t length)
{
    if (c->word_count == c->word_capacity)
        grow_words(c);
    uint32_t *slot = word_slot(c, text, length);
    if (*slot == 0) {
        char *copy = need(malloc(length + 1));
        memcpy(copy, text, length);
        copy[length] = '\0';
        c->words[c->word_count] = (ref_word){.text = copy, .length = length, .rank = unknown};
        *slot = (uint32_t)++c->word_count;
    }
    return *slot - 1;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static ref_pair *pair_slot(const ref_counts *c, uint64_t key)
{
    static ref_pair none;
    if (c->pair_slots == 0)
        return &none;
    size_t i = mix(key) % c->pair_slots;
    while (c->pairs[i].key != 0 && c->pairs[i].key != key)
        i = (i + 1) % c->pair_slots;
    return &c->pairs[i];
}

static void add_pair(ref_counts *c, uint32_t context, uint32_t focus, uint64_t value)
{
    if (2 * c->pair_count >= c->pair_slots) {
        ref_counts old = *c;
        c->pair_slots = 2 * old.pair_slots + 4099;
        c->pairs = need(calloc(c->pair_slots, sizeof *c->pairs));
        for (size_t i = 0; i < old.pair_slots; i++)
            if (old.pairs[i].key)
                *pair_slot(c, old.pairs[i].key) = old.pairs[i];
        free(old.pairs);
    }
    uint64_t key = ((uint64_t)context + 1) << 32 | (focus + 1);
    ref_pair *pair = pair_slot(c, key);
    c->pair_count += pair->key == 0;
    pair->key = key;
    pair->value += value;
    c->words[c->vocabulary[context]].context_total += value;
    c->words[c->vocabulary[focus]].focus_total += value;
}

/* ---- Tokens, and ends of documents and sentences --------------------------------------------- */

enum { BORDER = -1 };

typedef struct sequence {
    int64_t *items; /* word numbers and BORDER */
    size_t count, capacity;
} sequence;

static void push(sequence *s, int64_t item)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 4096;
        s->items = need(realloc(s->items, s->capacity * sizeof *s->items));
    }
    s->items[s->count++] = item;
}

typedef struct tokens {
    ref_counts *counts; /* NULL: only the positions of borders matter */
    sequence out;
    char *last; /* the last word, which may be the guard of its line */
    size_t last_length;
} tokens;

static void take_token(void *user, const char *word, size_t length)
{
    (void)word, (void)length;
    tokens *t = user;
    push(&t->out, word ? 0 : BORDER);
}

/* The last word of each line is its guard (guard_lines) and omitted. */
static void take_guarded(void *user, const char *word, size_t length)
{
    tokens *t = user;
    if (word && t->last)
        push(&t->out, (int64_t)word_number(t->counts, t->last, t->last_length));
    free(t->last);
    t->last = NULL;
    if (!word) {
        push(&t->out, BORDER);
        return;
    }
    t->last = need(malloc(length + 1));
    memcpy(t->last, word, length);
    t->last_length = length;
}

/* The text with an additional word at the end of each line, so that each line, even a blank one,
 * has a word and its end is reported. */
static char *guard_lines(const psdvec_text_options *options, const char *at, const char *end,
                         size_t *length)
{
    size_t guard = options->tokenizer == PSDVEC_TOKENIZER_ORIGINAL ? 2 : 1, lines = 1, used = 0;
    if (options->min_length > guard)
        guard = options->min_length;
    for (const char *c = at; c < end; c++)
        lines += *c == '\n';
    char *text = need(malloc((size_t)(end - at) + lines * (guard + 2) + 1));
    for (; at < end; at++) {
        if (*at == '\n') {
            text[used++] = ' ';
            memset(text + used, 'q', guard);
            used += guard;
        }
        text[used++] = *at;
        if (at + 1 == end && *at != '\n') {
            text[used++] = ' ';
            memset(text + used, 'q', guard);
            used += guard;
        }
    }
    *length = used;
    return text;
}

static bool is_blank(const char *line, const char *end)
{
    for (; line < end; line++)
        if (*line != ' ' && *line != '\t' && *line != '\r')
            return false;
    return true;
}

typedef struct reading {
    ref_counts *counts;
    const psdvec_count_options *options;
    sequence document; /* being collected */
    sequence corpus;   /* a BORDER before each document */
} reading;

/* The document is complete: it counts if it has enough words. */
static void end_document(reading *r)
{
    uint64_t words = 0, least = r->options->text.min_document_words;
    for (size_t i = 0; i < r->document.count; i++)
        words += r->document.items[i] != BORDER;
    if (words > 0 && words >= least) {
        r->counts->documents++;
        r->counts->tokens += words;
        push(&r->corpus, BORDER);
        for (size_t i = 0; i < r->document.count; i++) {
            push(&r->corpus, r->document.items[i]);
            if (r->document.items[i] != BORDER)
                r->counts->words[r->document.items[i]].frequency++;
        }
    }
    r->document.count = 0;
}

static psdvec_status read_text(psdvec_context *ctx, reading *r, const ref_text *text)
{
    psdvec_text_options options = r->options->text;
    const char *at = text->bytes, *end = at + text->length;
    if (text->length >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0)
        at += 3;
    tokens lines = {.counts = r->counts}, sentences = {0};
    size_t guarded_length;
    char *guarded = guard_lines(&options, at, end, &guarded_length);
    options.document = PSDVEC_DOCUMENT_LINE;
    options.sentences = false;
    options.min_document_words = 1;
    psdvec_status status =
        psdvec_tokenize(ctx, &options, guarded, guarded_length, take_guarded, &lines);
    free(guarded);
    free(lines.last);
    if (status == PSDVEC_OK && r->options->text.sentences) {
        options.document = PSDVEC_DOCUMENT_FILE;
        options.sentences = true;
        status = psdvec_tokenize(ctx, &options, at, (size_t)(end - at), take_token, &sentences);
    }
    psdvec_document rule = r->options->text.document;
    size_t s = 0;
    for (size_t i = 0; status == PSDVEC_OK && at < end; i++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (rule == PSDVEC_DOCUMENT_BLANK_LINE && line_end && is_blank(at, line_end))
            end_document(r);
        for (; i < lines.out.count && lines.out.items[i] != BORDER; i++) {
            for (; s < sentences.out.count && sentences.out.items[s] == BORDER; s++)
                push(&r->document, BORDER);
            s++;
            push(&r->document, lines.out.items[i]);
        }
        if (rule == PSDVEC_DOCUMENT_LINE)
            end_document(r);
        at = line_end ? line_end + 1 : end;
    }
    for (; status == PSDVEC_OK && s < sentences.out.count; s++)
        push(&r->document, BORDER);
    if (rule != PSDVEC_DOCUMENT_NONE)
        end_document(r);
    free(lines.out.items);
    free(sentences.out.items);
    return status;
}

/* ---- The vocabulary -------------------------------------------------------------------------- */

static const ref_counts *sorting; /* qsort has no argument for it */

static int by_frequency(const void *a, const void *b)
{
    const ref_word *x = &sorting->words[*(const uint32_t *)a];
    const ref_word *y = &sorting->words[*(const uint32_t *)b];
    if (x->frequency != y->frequency)
        return x->frequency > y->frequency ? -1 : 1;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void choose_words(ref_counts *c, const psdvec_count_options *o, const ref_list *list)
{
    for (size_t i = 0; i < c->word_count; i++)
        c->distinct += c->words[i].frequency > 0;
    for (size_t i = 0; list && i < list->count; i++)
        (void)word_number(c, list->words[i], strlen(list->words[i]));
    c->vocabulary = need(malloc((c->word_count + 1) * sizeof *c->vocabulary));
    if (list) {
        for (size_t i = 0; i < list->count; i++)
            c->vocabulary[c->vocabulary_count++] =
                word_number(c, list->words[i], strlen(list->words[i]));
    } else {
        size_t kept = 0, used = 0;
        for (size_t k = 0; k < o->keep_words_count; k++)
            for (size_t i = 0; i < c->word_count; i++)
                c->words[i].kept |= strcmp(c->words[i].text, o->keep_words[k]) == 0;
        for (size_t i = 0; i < c->word_count; i++) {
            const ref_word *w = &c->words[i];
            if (w->frequency > 0 && (w->kept || w->frequency >= o->min_count)) {
                c->vocabulary[c->vocabulary_count++] = (uint32_t)i;
                kept += w->kept;
            }
        }
        sorting = c;
        qsort(c->vocabulary, c->vocabulary_count, sizeof *c->vocabulary, by_frequency);
        size_t others = kept < o->max_vocab ? o->max_vocab - kept : 0;
        for (size_t i = 0; o->max_vocab && i < c->vocabulary_count; i++) {
            bool stays = c->words[c->vocabulary[i]].kept || others > 0;
            others -= stays && !c->words[c->vocabulary[i]].kept;
            c->vocabulary[used] = c->vocabulary[i];
            used += stays;
        }
        if (o->max_vocab)
            c->vocabulary_count = used;
    }
    for (size_t i = 0; i < c->vocabulary_count; i++) {
        c->words[c->vocabulary[i]].rank = (uint32_t)i;
        c->known_tokens += c->words[c->vocabulary[i]].frequency;
    }
}

/* keep(w) = min(1, sqrt(t/f) + t/f), where f is the word's share of the known words. */
static void set_keep(ref_counts *c, double t, const ref_list *list)
{
    const uint64_t *listed = list ? list->frequencies : NULL;
    double total = 0;
    for (size_t i = 0; i < c->vocabulary_count; i++)
        total += (double)(listed ? listed[i] : c->words[c->vocabulary[i]].frequency);
    for (size_t i = 0; i < c->vocabulary_count; i++) {
        ref_word *w = &c->words[c->vocabulary[i]];
        double frequency = (double)(listed ? listed[i] : w->frequency);
        double ratio = frequency > 0 ? t * total / frequency : 1;
        w->retention = t > 0 ? fmin(1, sqrt(ratio) + ratio) : 1;
        w->step =
            (uint64_t)fmax(1, floor(256 * w->retention + 0.5)); /* at least 1, so that distances
                                                                 * increase */
    }
}

/* ---- The window ------------------------------------------------------------------------------ */

static uint64_t lcm_up_to(uint64_t n)
{
    uint64_t lcm = 1;
    for (uint64_t k = 2; k <= n; k++) {
        uint64_t multiple = lcm;
        while (multiple % k)
            multiple += lcm;
        lcm = multiple;
    }
    return lcm;
}

static uint64_t scale_of(const psdvec_count_options *o)
{
    bool running = o->subsample > 0;
    if (o->distance == PSDVEC_DISTANCE_LINEAR)
        return o->window * (running ? UINT64_C(256) : 1);
    if (o->distance == PSDVEC_DISTANCE_HARMONIC)
        return running ? 1 << 16 : o->window <= 16 ? lcm_up_to(o->window) : 1 << 20;
    return 1;
}

/* The weight at distance d / 256, in units of 1/scale. */
static uint64_t weight(const psdvec_count_options *o, uint64_t scale, uint64_t d)
{
    if (o->distance == PSDVEC_DISTANCE_LINEAR)
        return ((o->window + 1) * UINT64_C(256) - d) * scale / (o->window * UINT64_C(256));
    if (o->distance == PSDVEC_DISTANCE_HARMONIC)
        return (uint64_t)floor((double)scale * 256 / (double)d + 0.5);
    return 1;
}

static void count_pairs(ref_counts *c, const psdvec_count_options *o, const sequence *s)
{
    c->scale = scale_of(o);
    const uint64_t limit = (o->window + 1) * UINT64_C(256);
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i] == BORDER || c->words[s->items[i]].rank == unknown)
            continue;
        uint64_t d = 256;
        for (size_t k = i + 1; k < s->count && s->items[k] != BORDER && d < limit; k++) {
            const ref_word *w = &c->words[s->items[k]];
            if (w->rank == unknown) {
                d += o->oov == PSDVEC_OOV_DROP ? 0 : 256;
                continue;
            }
            add_pair(c, c->words[s->items[i]].rank, w->rank, weight(o, c->scale, d));
            d += o->subsample > 0 ? w->step : 256;
        }
    }
}

psdvec_status ref_count(psdvec_context *ctx, const psdvec_count_options *options,
                        const ref_list *list, const ref_text *texts, size_t text_count,
                        ref_counts *counts)
{
    *counts = (ref_counts){0};
    reading r = {.counts = counts, .options = options};
    psdvec_status status = PSDVEC_OK;
    for (size_t i = 0; i < text_count && status == PSDVEC_OK; i++) {
        status = read_text(ctx, &r, &texts[i]);
        if (i + 1 == text_count || texts[i + 1].input != texts[i].input)
            end_document(&r);
    }
    if (status == PSDVEC_OK) {
        if (counts->word_count == 0)
            grow_words(counts);
        choose_words(counts, options, list);
        set_keep(counts, options->subsample, list);
        count_pairs(counts, options, &r.corpus);
    }
    free(r.document.items);
    free(r.corpus.items);
    return status;
}

void ref_free(ref_counts *c)
{
    for (size_t i = 0; i < c->word_count; i++)
        free(c->words[i].text);
    free(c->words);
    free(c->slots);
    free(c->vocabulary);
    free(c->pairs);
    *c = (ref_counts){0};
}

/* ---- Comparison ------------------------------------------------------------------------------ */

#define DIFFERS(...)                                                                               \
    do {                                                                                           \
        snprintf(difference, sizeof difference, __VA_ARGS__);                                      \
        return difference;                                                                         \
    } while (0)

const char *ref_difference(const ref_counts *c, const psdvec_counts *actual)
{
    static char difference[512];
    const psdvec_counts_info *info = psdvec_counts_get_info(actual);
    if (info->words != c->vocabulary_count)
        DIFFERS("%u words, not %zu", info->words, c->vocabulary_count);
    if (info->scale != c->scale)
        DIFFERS("scale %" PRIu64 ", not %" PRIu64, info->scale, c->scale);
    if (info->tokens != c->tokens)
        DIFFERS("%" PRIu64 " tokens, not %" PRIu64, info->tokens, c->tokens);
    if (info->documents != c->documents)
        DIFFERS("%" PRIu64 " documents, not %" PRIu64, info->documents, c->documents);
    uint64_t pairs = 0, total = 0;
    for (uint32_t i = 0; i < info->words; i++) {
        const ref_word *w = &c->words[c->vocabulary[i]];
        size_t length;
        const char *text = psdvec_counts_word(actual, i, &length);
        if (length != w->length || memcmp(text, w->text, length) != 0)
            DIFFERS("word %u is \"%.*s\", not \"%s\"", i, (int)length, text, w->text);
        if (psdvec_counts_frequency(actual, i) != w->frequency)
            DIFFERS("\"%s\" %" PRIu64 " times, not %" PRIu64, w->text,
                    psdvec_counts_frequency(actual, i), w->frequency);
        if (psdvec_counts_retention(actual, i) != w->retention)
            DIFFERS("keep(\"%s\") is %.17g, not %.17g", w->text, psdvec_counts_retention(actual, i),
                    w->retention);
        psdvec_row row;
        psdvec_counts_row(actual, i, &row);
        pairs += row.length;
        for (size_t k = 0; k < row.length; k++) {
            if (row.focus[k] >= info->words || (k > 0 && row.focus[k] <= row.focus[k - 1]))
                DIFFERS("the columns of \"%s\" do not ascend", w->text);
            uint64_t value = psdvec_row_value(&row, k);
            const ref_pair *pair = pair_slot(c, ((uint64_t)i + 1) << 32 | (row.focus[k] + 1));
            if (pair->value != value)
                DIFFERS("\"%s\" \"%s\": %" PRIu64 ", not %" PRIu64, w->text,
                        c->words[c->vocabulary[row.focus[k]]].text, value, pair->value);
        }
        if (psdvec_counts_context_total(actual, i) != w->context_total ||
            psdvec_counts_focus_total(actual, i) != w->focus_total)
            DIFFERS("the margins of \"%s\" are %" PRIu64 " and %" PRIu64 ", not %" PRIu64
                    " and %" PRIu64,
                    w->text, psdvec_counts_context_total(actual, i),
                    psdvec_counts_focus_total(actual, i), w->context_total, w->focus_total);
        total += w->context_total;
    }
    if (pairs != c->pair_count || info->bigrams != pairs)
        DIFFERS("%" PRIu64 " pairs, not %zu", pairs, c->pair_count);
    if (info->total != total)
        DIFFERS("%" PRIu64 " in all, not %" PRIu64, info->total, total);
    return NULL;
}
